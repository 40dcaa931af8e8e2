"""Beams: turn the turrets so that every open cell is lit and no turret is hit."""

from __future__ import annotations

import re

from puzzles.beams.board import Beams, Layout
from puzzles.puzzle import FromSubmodules, from_submodule
from puzzles.solution import SolutionPuzzle

__all__ = ["PUZZLE", "Beams", "Layout", "parse", "print_answers"]

_CASE = re.compile(r"case\s*#\s*([0-9]+)\s*:\s*(\S+)", re.IGNORECASE | re.ASCII)


class BeamsPuzzle(FromSubmodules, SolutionPuzzle[Beams, Layout]):
    """The puzzle: texts and rooms. An input file is `T`, then per case `R C` and R rows."""

    name = "beams"
    title = "Beaming With Joy"
    source = "Code Jam 2017 Round 2 C; Luogu P5297"
    formats = ("codejam", "luogu")
    example = "2\n1 3\n-.-\n3 4\n#.##\n#--#\n####\n"
    board_type = Beams
    answer_type = Layout
    simplest_first = b"#.-|/\\"
    large_boards = (("wall", 50), ("mirror", 50))
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


PUZZLE = BeamsPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
