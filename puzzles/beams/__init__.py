"""Beams: turn the turrets so that every open cell is lit and no turret is hit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import numpy as np

from puzzles.beams.board import Beams, Layout
from puzzles.grid import SolutionPuzzle, part_of
from puzzles.puzzle import FromSubmodules, from_submodule

__all__ = ["PUZZLE", "Beams", "Layout", "parse", "print_answers"]

MAX_TURRETS = 100
"""The most turrets that Code Jam promises."""

_CASE = re.compile(r"\s*case\s*#\s*([0-9]+)\s*:\s*(\S+)", re.IGNORECASE | re.ASCII)


class BeamsPuzzle(FromSubmodules, SolutionPuzzle[Beams, Layout]):
    """The puzzle. An input file is `T`, then per case `R C` and R rows."""

    name = "beams"
    title = "Beaming With Joy"
    source = "Code Jam 2017 Round 2 C; Luogu P5297"
    formats = ("codejam", "luogu")
    example = "2\n1 3\n-.-\n3 4\n#.##\n#--#\n####\n"
    board_type = Beams
    answer_type = Layout
    simplest_first = b"#.-|/\\"
    large_boards = (("wall", 50), ("mirror", 50))
    largest = 50
    with_irreducible_core = from_submodule("check", "with_irreducible_core")
    steps = from_submodule("picture", "steps")

    def heading(self, case: int, format: str) -> str:
        return f"Case #{case}: " if format == "codejam" else ""

    def without_heading(self, line: str, case: int, format: str) -> str | None:
        """The rest of the line; the heading is read as loosely as the contest's judge reads it."""
        if format != "codejam":
            return line
        match = _CASE.fullmatch(line)
        return match[2] if match is not None and match[1].lstrip("0") == str(case) else None

    def broken_promise(self, board: Beams, /, format: str) -> str:
        """As `Puzzle.broken_promise`.

        Code Jam 2017 Round 2 C, under Limits: 1 to 50 rows and columns, 1 to 100 turrets, at least
        one open cell. Of Luogu P5297 its write-up quotes the statement, which promises nothing of
        turrets and open cells, and at most 50 rows and columns.
        """
        kinds = board.grid.tobytes()
        turrets = kinds.count(b"-") + kinds.count(b"|")
        if max(board.shape) > self.largest:
            return f"more than {self.largest} rows or columns"
        if format == "luogu":
            return ""
        if not turrets:
            return "no turret"
        if turrets > MAX_TURRETS:
            return f"more than {MAX_TURRETS} turrets"
        return "" if b"." in kinds else "no open cell"

    def promised_near(self, board: Beams, /, format: str, rng: Random) -> Iterator[Beams]:
        """A part of the board, with walls in the place of turrets above the number, and with a
        turret and an open cell if it has none.
        """
        grid = part_of(board.grid, self.largest, rng)
        kinds = grid.reshape(-1)  # the same cells
        turrets = np.flatnonzero((kinds == ord("-")) | (kinds == ord("|"))).tolist()
        if format != "luogu":
            rng.shuffle(turrets)
            kinds[turrets[MAX_TURRETS:]] = ord("#")
            if not turrets:
                turrets = [rng.randrange(grid.size)]
                kinds[turrets] = ord(rng.choice("-|"))
            if grid.size > 1 and not (kinds == ord(".")).any():
                other = [cell for cell in range(grid.size) if cell != turrets[0]]
                kinds[rng.choice(other)] = ord(".")
        yield from (each for each in [Beams(grid)] if not self.broken_promise(each, format))


PUZZLE = BeamsPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
