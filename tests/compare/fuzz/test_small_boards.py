"""Small boards are tried for the fault of a large one: wrong programs that take 0.2 s a start are
found on boards of the contest's size, and end at boards as small as quick ones do.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import Any

import pytest

import direct
import puzzles
from compare.fuzz.batch import Batch, BatchKind
from compare.fuzz.boards import large_boards
from compare.fuzz.shrinking import Shrunk, shrink_fault
from compare.fuzz.trial import try_boards
from compare.isolate.outcome import Limits
from compare.work.contenders import ProgramContender, of_backend
from puzzles.backend import Unsupported
from tests.compare.fuzz.test_planted_bugs import BACKENDS, plugins
from tests.pools import in_pool

__all__ = ["plugins"]

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


def batch_of(puzzle: str, bug: str, client: tuple[str, ...], seconds: float | None = None) -> Batch:
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
        seconds=seconds,
    )


def shrunk_from_large(puzzle: str, bug: str, client: tuple[str, ...]) -> Shrunk:
    """What the first large board on which the program is wrong is shrunk to."""
    batch = batch_of(puzzle, bug, client)
    for board in large_boards(puzzles.get(puzzle), 1, 0, 12, 14):
        for failing in in_pool(try_boards, batch, [board]):
            return in_pool(shrink_fault, batch, board, failing.faults[0])
    raise AssertionError(f"{bug} passes all large boards")


@pytest.mark.parametrize("bug", ["circular-liberties", "one-pointer"])
def test_one_board_a_start_a_large_board_ends_at_the_minimum_in_few_starts(
    bug: str, client: tuple[str, ...]
) -> None:
    shrunk = shrunk_from_large("nogo", bug, client)
    (planted,) = (each for each in BACKENDS if each.name == bug)
    assert shrunk.smallest.board.size <= planted.board().cells
    assert shrunk.by_way_of is not None
    assert planted.board().cells <= shrunk.by_way_of.size <= 64
    assert shrunk.tries <= RUNS
