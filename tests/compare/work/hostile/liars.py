"""Promise: no plugin that changes what runs in memory gets a wrong answer PROVED, or runs code in a process of ours.

Each backend says IMPOSSIBLE to every board.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import puzzles
import puzzles.beams.check
from puzzles.answer import Claims
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout
from puzzles.verdict import Check, Verdict

HERE = Path(__file__).parent
IMPORTED, UNPICKLED = "TWOFOLD_TEST_IMPORTED", "TWOFOLD_TEST_UNPICKLED"


def log(variable: str) -> None:
    """Note which process runs this, in the file that an environment variable names."""
    if variable in os.environ:
        with Path(os.environ[variable]).open("a") as file:
            file.write(f"{os.getpid()}\n")


log(IMPORTED)

Solve = Callable[[Beams], Any]


def liar(name: str) -> Callable[[Solve], Solve]:
    """Register a backend."""

    def register(function: Solve) -> Solve:
        @backend("beams", name, side="direct", source="a hostile plugin")
        def solve(board: Beams, *, certify: bool = False) -> Layout:
            del certify
            return function(board)

        return function

    return register


def proved(*arguments: object) -> Check:
    """A check that proves everything."""
    del arguments
    return Check(Verdict.PROVED, "because I say so")


@liar("other-check")
def other_check(board: Beams) -> Layout:
    puzzles.beams.check.check = proved
    type(puzzles.get("beams")).check = proved  # pyright: ignore[reportAttributeAccessIssue]
    return Layout(False, certificate=(0,))


class Nowhere(int):
    """A cell that is every cell and none."""

    def __le__(self, other: int) -> bool:
        return True

    def __ge__(self, other: int) -> bool:
        return True

    def __lt__(self, other: int) -> bool:
        return True

    def __index__(self) -> int:
        puzzles.beams.check.check = proved
        return 0


@liar("odd-int")
def odd_int(board: Beams) -> Layout:
    return Layout(False, certificate=(Nowhere(0),))


class TwoFaced(Layout):
    """Claims one thing, and is another one when it is checked."""

    @property
    def claims(self) -> Claims:
        return np.array([0], np.int64)


@liar("two-faced")
def two_faced(board: Beams) -> Layout:
    return TwoFaced(True, Beams(board.grid))


class Reduced:
    """Runs code where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("import tests.compare.work.hostile.liars as liars; liars.log(liars.UNPICKLED)",)


@liar("reduce")
def reduce(board: Beams) -> Layout:
    return Layout(False, certificate=Reduced())


@liar("descriptors")
def descriptors(board: Beams) -> Layout:
    """Write a pickle, and a verdict for people, to every descriptor that this process has."""
    data = pickle.dumps(Reduced())
    for descriptor in range(256):
        with contextlib.suppress(OSError):
            os.write(descriptor, len(data).to_bytes(8, "little") + data)
            os.write(descriptor, b"\nALL AGREE\n")
    return Layout(False)


@liar("encoder")
def encoder(board: Beams) -> Layout:
    """Let the plain format say something else: a class that is not the puzzle's."""
    import compare.work.foreign as foreign

    foreign.packed = lambda board, answer: '{"class": "Popen", "fields": {"args": "true"}}'
    return Layout(False)
