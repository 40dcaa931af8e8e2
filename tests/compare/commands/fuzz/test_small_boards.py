"""Small boards are tried for the fault of a large one: wrong programs that take 0.2 s a start are
found on boards of the contest's size, and end at boards as small as quick ones do.
"""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import Any, cast

import pytest

import direct
import puzzles
from compare.commands.fuzz.batch import Batch, BatchKind
from compare.commands.fuzz.fault_shrinking import shrink_fault
from compare.commands.fuzz.shrinking import Shrunk
from compare.commands.fuzz.streams import large_boards
from compare.commands.fuzz.trial import try_boards
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.contenders import ProgramContender, backends, of_backend
from compare.engine.work.result import Fault
from puzzles.backend import Unsupported
from puzzles.beams.board import Beams, Layout
from tests.compare.commands.fuzz.test_kinds_of_faults import (
    backends_of_beams,
    batch,
    contender,
    right,
)
from tests.compare.commands.fuzz.test_planted_bugs import BACKENDS, Bug, of_bug, plugins
from tests.compare.commands.fuzz.test_planted_in_examples import DEFECTS, loaded
from tests.installed import slow
from tests.pools import in_pool
from tests.processes import compare

__all__ = ["backends_of_beams", "plugins"]

START_S = 0.2
"""Seconds that a start of a slow program takes."""

RUNS = 150
"""Runs within which a slow program ends at the smallest board: half of the minute of shrinking."""

CLIENT = """
import socket, sys, time
socket_path, puzzle, bug, start_s = sys.argv[1:]
time.sleep(float(start_s))
with socket.socket(socket.AF_UNIX) as server:
    server.connect(socket_path)
    server.sendall(f"{puzzle} {bug}\\n".encode() + sys.stdin.buffer.read())
    server.shutdown(socket.SHUT_WR)
    while part := server.recv(1 << 16):
        sys.stdout.buffer.write(part)
"""
"""A program that prints what the test's own process answers. So its start costs the processor next
to nothing, and it is as slow as it is told to be.
"""


class Answers(StreamRequestHandler):
    """Answers an input as a planted backend does, or rightly where that one refuses."""

    def handle(self) -> None:
        puzzle, bug = self.rfile.readline().decode().split()
        rules, answers = puzzles.get(puzzle), list[Any]()
        for board in rules.parse(self.rfile.read()):
            try:
                answers.append(direct.SIDE.get(puzzle, bug).solve(board))
            except Unsupported:
                answers.append(direct.solve(board))
        self.wfile.write(rules.print_answers(answers, rules.format(None)).encode())


@pytest.fixture
def client(tmp_path: Path) -> Iterator[tuple[str, ...]]:
    """The command of a program, but for the puzzle, the bug and the seconds of a start."""
    (tmp_path / "client.py").write_text(CLIENT)
    path = str(tmp_path / "s")
    with ThreadingUnixStreamServer(path, Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield (sys.executable, "-S", "-E", str(tmp_path / "client.py"), path)
        server.shutdown()


def large_batch(puzzle: str, bug: str, client: tuple[str, ...]) -> Batch:
    """Large boards, for a reference and a wrong program that is quick to start."""
    mine = ProgramContender(
        puzzle=puzzle, name="mine", command=(*client, puzzle, bug, "0"), extended=True
    )
    return Batch(
        puzzle=puzzle,
        contenders=(of_backend(direct.SIDE.get(puzzle), {}), mine),
        seed=1,
        count=12,
        size=14,
        limits=Limits(10.0),
        kind=BatchKind.LARGE,
    )


def shrunk_from_large(puzzle: str, bug: str, client: tuple[str, ...]) -> Shrunk:
    """What the first large board on which the program is wrong is shrunk to."""
    whole = large_batch(puzzle, bug, client)
    for board in large_boards(puzzles.get(puzzle), 1, 0, 12, 14):
        for failing in in_pool(try_boards, whole, [board]):
            return in_pool(shrink_fault, whole, board, failing.faults[0])
    raise AssertionError(f"{bug} passes all large boards")


@pytest.mark.parametrize("bug", ["circular-liberties", slow("one-pointer")])
def test_one_board_a_start_a_large_board_ends_at_the_minimum_in_few_starts(
    bug: str, client: tuple[str, ...]
) -> None:
    shrunk = shrunk_from_large("nogo", bug, client)
    (planted,) = (each for each in BACKENDS if each.name == bug)
    assert shrunk.smallest.board.size <= planted.board().cells
    assert shrunk.by_way_of is not None
    assert planted.board().cells <= shrunk.by_way_of.size <= 64
    assert shrunk.tries <= RUNS


def test_a_large_case_of_an_own_puzzle_ends_at_a_tiny_one_by_way_of_a_small_one(
    tmp_path: Path,
) -> None:
    defect = next(each for each in DEFECTS if each.name == "room for one more")
    puzzle = loaded(tmp_path, defect)
    contenders = tuple(of_backend(each, {}) for each in backends(puzzle.name))
    whole = Batch(
        puzzle=puzzle.name, contenders=contenders, seed=1, count=1, size=14, limits=Limits(10.0)
    )
    family = puzzle.family(puzzle.first_family())
    failing = in_pool(try_boards, whole, [family.board(60, seed) for seed in range(1, 9)])
    board, fault = next(
        (each.board, fault)
        for each in failing
        for fault in each.faults
        if fault.kind == defect.kind and defect.backend in fault.names
    )
    shrunk = in_pool(shrink_fault, whole, board, fault)
    assert shrunk.by_way_of is not None
    assert shrunk.by_way_of.size < board.size
    assert shrunk.smallest.board.text() == defect.minimum


@pytest.mark.parametrize(
    ("most", "by_way_of"),
    [
        pytest.param(100, range(101, 257), id="a board of medium size fails"),
        pytest.param(300, None, id="no other board fails"),
    ],
)
def test_where_no_small_board_fails_a_larger_one_is_cut(most: int, by_way_of: range | None) -> None:
    def crashes_above(board: Beams, *, certify: bool = False) -> Layout:
        if board.cells > most:
            raise RuntimeError("too large")
        return right(board, certify=certify)

    mine = contender(crashes_above, ours=True)
    board = puzzles.get("beams").any_family("wall").board(20, 1)
    fault = Fault(Status.CRASH, (mine.name,))
    shrunk = in_pool(shrink_fault, replace(batch(mine), thorough=False), board, fault)
    if by_way_of is None:
        assert shrunk.by_way_of is None
    else:
        assert shrunk.by_way_of is not None
        assert shrunk.by_way_of.size in by_way_of
    rows, columns = cast(Beams, shrunk.smallest.board).grid.shape
    assert max((rows - 1) * columns, rows * (columns - 1)) <= most < rows * columns


SLOW = {
    "beams": ("mirror", "one-arm", "passes-turrets", "components"),
    "minesweeper": ("no-diagonals", "flag-twice", "beside-no-clue"),
    "nogo": (
        "suicide",
        "capture",
        "counted-once",
        "one-pointer",
        "white-first",
        "circular-liberties",
    ),
    "geography": ("isolated", "unmatched", "one-class", "marks", "cover"),
}
"""Eighteen planted bugs that show on a large board."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, id=of_bug(bug)) for bug in BACKENDS if bug.name in SLOW[bug.puzzle]],
)
def test_a_program_of_a_fifth_of_a_second_a_start_ends_at_the_minimum(
    bug: Bug, client: tuple[str, ...], tmp_path: Path
) -> None:
    program = shlex.join([*client, bug.puzzle, bug.name, str(START_S)])
    line = f"fuzz {bug.puzzle} -b direct --seed {bug.seed} --extended --save out --program"
    ended = compare(line, f"slow={program}", cwd=tmp_path, status=1)
    (saved,) = (tmp_path / "out").glob("*.in")
    (smallest,) = puzzles.get(bug.puzzle).parse(saved.read_bytes(), saved.name)
    assert smallest.size <= bug.board().cells, ended.stdout
