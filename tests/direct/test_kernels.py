"""Kernels: both forms, and when each is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import direct
import puzzles
from direct.kernel import MANY, SMALL, inner_kernel, kernel
from direct.two_sat import implications
from puzzles.grid import Board
from tests.processes import environment, run_python

DIRECT = [(puzzle, name) for puzzle in puzzles.names() for name in direct.backends(puzzle)]


def tiny_boards(puzzle_name: str) -> list[Board]:
    """The samples, and the smallest boards of each family."""
    puzzle = puzzles.get(puzzle_name)
    boards: list[Board] = []
    for path in sorted(puzzle.data.glob("*/*.in")):
        boards += puzzle.parse(path.read_bytes(), path.name)
    for family in puzzle.families.values():
        boards += [family.board(family.least + more, seed) for more in range(3) for seed in (1, 2)]
    return boards


@pytest.mark.parametrize(("puzzle", "name"), DIRECT, ids=[":".join(each) for each in DIRECT])
def test_compiled_kernels_answer_as_their_source_does(monkeypatch: pytest.MonkeyPatch, puzzle: str, name: str) -> None:
    def answers(mode: str) -> list[Any]:
        monkeypatch.setenv("TWOFOLD_KERNELS", mode)
        return [direct.solve(board, name, certify=True) for board in boards]

    boards = [board for board in tiny_boards(puzzle) if getattr(board, "mines", None) is None]
    assert len(boards) > 10
    for compiled, plain, bounded in zip(answers("compiled"), answers("python"), answers("bounded"), strict=True):
        assert np.array_equal(compiled.claims, plain.claims)
        assert np.array_equal(bounded.claims, plain.claims)
        assert repr(compiled.certificate) == repr(plain.certificate) == repr(bounded.certificate)


@kernel
def shifted(cells: Any, by: int) -> int:
    total = 0
    copy = np.zeros(cells.size, np.int64)
    copy[:] = cells
    for cell in range(cells.size):
        total += inner_read(copy, cell + by)
    return total


@kernel
def inner_read(cells: Any, at: int) -> int:
    return cells[at]


@pytest.mark.parametrize(("by", "noticed"), [(0, {}), (1, {"python", "bounded"}), (-1, {"bounded"})])
def test_a_bounded_kernel_refuses_an_index_below_zero_too(monkeypatch: pytest.MonkeyPatch, by: int, noticed: set[str]) -> None:
    refusing = set[str]()
    for mode in ("python", "bounded"):
        monkeypatch.setenv("TWOFOLD_KERNELS", mode)
        try:
            assert shifted.at(4)(np.arange(4), by) == 6
        except IndexError:
            refusing.add(mode)
    assert refusing == set(noticed)


def test_bounded_kernels_return_usual_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "bounded")
    (start, target, _) = implications.at(2)(2, np.array([[1, 2], [-1, 2]], np.int32))
    assert (type(start), type(target)) == (np.ndarray, np.ndarray)
    assert start[-1] == target.size == 4


@pytest.mark.parametrize("puzzle", puzzles.names())
def test_a_sample_is_solved_without_a_compiler(puzzle: str) -> None:
    samples = sorted(puzzles.get(puzzle).data.glob("sample/*.in"))
    assert samples
    for path in samples:
        code = (
            "import sys\nfrom direct import SIDE\nfrom puzzles.shell.shared_command import main\n"
            f"assert main(SIDE, [{puzzle!r}, {str(path)!r}]) == 0\n"
            "assert not {'numba', 'ortools', 'pysat', 'pandas', 'matplotlib'} & {name.split('.')[0] for name in sys.modules}"
        )
        ended = run_python("-c", code, env=environment(without=["TWOFOLD_KERNELS"]))
        assert ended.returncode == 0, ended.stderr


def test_small_work_runs_as_python_and_large_work_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    from direct import kernel as module

    monkeypatch.setattr(module, "_native", [])
    monkeypatch.delenv("TWOFOLD_KERNELS", raising=False)
    one, other = kernel(double), kernel(double)
    assert one.at(SMALL - 1) is one.function
    assert one.at(SMALL) is one.compiled
    assert other.at(1) is other.compiled
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    assert one.at(SMALL) is one.function


def test_much_small_work_runs_compiled_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from direct import kernel as module

    monkeypatch.delenv("TWOFOLD_KERNELS", raising=False)
    for kept, needed in ((True, SMALL), (False, MANY)):
        monkeypatch.setattr(module, "_native", [])
        one = kernel(double)
        one.kept = kept
        assert all(one.at(SMALL // 2) is one.function for _ in range(2 * needed // SMALL - 1))
        assert one.at(SMALL // 2) is one.compiled


def test_a_kernel_has_another_key_once_python_calls_it() -> None:
    assert kernel(double).key != inner_kernel(double).key


def double(x: int) -> int:
    """Twice x."""
    return 2 * x
