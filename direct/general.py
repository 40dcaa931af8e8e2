"""What the general solvers share: a command line with one file, and texts that are a list of pairs.

`two_sat`, `union_find` and `matching` know no puzzle.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from puzzles.text import Reader, ending, read_source


def run(
    solver: str,
    description: str,
    file: str,
    answer: Callable[[bytes, str], int],
    arguments: Sequence[str] | None,
) -> int:
    """Run the command line of a solver; returns its exit status, 2 for a bad text (see
    `puzzles.text.ending`).

    Args:
        file: what its file holds.
        answer: (text, name of the file) -> exit status; prints the answer.
    """
    parser = argparse.ArgumentParser(prog=f"python -m direct.{solver}", description=description)
    parser.add_argument("file", metavar="FILE", nargs="?", help=f"{file} (default: standard input)")
    options = parser.parse_args(arguments)
    return ending(lambda: answer(*read_source(options.file)))


def regular_pairs(
    reader: Reader, announced: int, most: tuple[int, int]
) -> NDArray[np.int64] | None:
    """The rest of a text read in one step; None unless it is exactly `announced` lines of two
    numbers, each from 1 to its largest one.
    """
    body = reader.data[reader.position :].replace(b"\r\n", b"\n")
    if body.count(b"\n") != announced or body.translate(None, b"0123456789") != b" \n" * announced:
        return None
    pairs = np.fromstring(body, np.int64, sep=" ") if announced else np.empty(0, np.int64)
    if pairs.size != 2 * announced:
        return None
    pairs = pairs.reshape(-1, 2)
    return pairs if ((pairs >= 1) & (pairs <= most)).all() else None
