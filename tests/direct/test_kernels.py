"""Kernels: both forms, and when each is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import direct
import puzzles
from direct.kernel import inner_kernel, kernel
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
        boards += [
            family.board(family.least + more, seed) for more in range(3) for seed in range(1, 5)
        ]
    return boards


@pytest.mark.parametrize(("puzzle", "name"), DIRECT, ids=[":".join(each) for each in DIRECT])
def test_compiled_kernels_answer_as_their_source_does(
    monkeypatch: pytest.MonkeyPatch, puzzle: str, name: str
) -> None:
    def answers(mode: str) -> list[Any]:
        monkeypatch.setenv("TWOFOLD_KERNELS", mode)
        return [direct.solve(board, name, certify=True) for board in boards]

    boards = [board for board in tiny_boards(puzzle) if getattr(board, "mines", None) is None]
    assert len(boards) > 10
    for compiled, plain in zip(answers("compiled"), answers("python"), strict=True):
        assert np.array_equal(compiled.claims, plain.claims)
        assert repr(compiled.certificate) == repr(plain.certificate)


@pytest.mark.slow
@pytest.mark.parametrize(("puzzle", "name"), DIRECT, ids=[":".join(each) for each in DIRECT])
def test_numba_finds_no_index_out_of_range(puzzle: str, name: str, tmp_path: Path) -> None:
    code = (
        "import direct\nfrom tests.direct.test_kernels import tiny_boards\n"
        f"for board in tiny_boards({puzzle!r}):\n"
        f"    if getattr(board, 'mines', None) is None or {name!r} == 'frontier':\n"
        f"        direct.solve(board, {name!r}, certify=True)\n"
        "print('all')"
    )
    checked = environment(
        NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path), TWOFOLD_KERNELS="compiled"
    )
    ended = run_python("-c", code, env=checked)
    assert (ended.stdout, ended.stderr) == ("all\n", "")


@pytest.mark.slow
def test_numba_finds_an_index_out_of_range(tmp_path: Path) -> None:
    (tmp_path / "past.py").write_text(PAST)
    checked = environment(tmp_path, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    code = (
        "import numpy as np\nfrom past import at\nfor k in (2, 3):\n    try:\n        "
        "print(at.compiled(np.arange(3), k))\n"
    )
    ended = run_python(
        "-c", code + "    except IndexError:\n        print('refused')", cwd=tmp_path, env=checked
    )
    assert ended.stdout.split() == ["2", "refused"]


PAST = (
    "from direct.kernel import Array, kernel\n\n@kernel\ndef at(cells: Array, k: int) -> int:\n    "
    "return cells[k]\n"
)


def test_samples_are_solved_without_a_compiler() -> None:
    code = (
        "import sys\nimport puzzles\nfrom direct import SIDE\n"
        "from puzzles.shell.shared_command import main\n"
        "for name in puzzles.names():\n"
        "    samples = sorted(puzzles.get(name).data.glob('sample/*.in'))\n"
        "    assert samples\n"
        "    assert all(main(SIDE, [name, str(path)]) == 0 for path in samples)\n"
        "assert not {'numba', 'ortools', 'pysat', 'pandas', 'matplotlib'} & "
        "{name.split('.')[0] for name in sys.modules}"
    )
    ended = run_python("-c", code, env=environment(without=["TWOFOLD_KERNELS"]))
    assert ended.returncode == 0, ended.stderr


def test_a_kernel_has_another_key_once_python_calls_it() -> None:
    assert kernel(double).key != inner_kernel(double).key


def double(x: int) -> int:
    """Twice x."""
    return 2 * x
