"""Beams: turn the turrets so that every open cell is lit and no turret is hit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from puzzles.answer import Claims
from puzzles.beams.board import Beams, Layout
from puzzles.grid import GridPuzzle, bodies, grid_lines
from puzzles.puzzle import Family
from puzzles.text import Reader
from puzzles.verdict import Check

__all__ = ["PUZZLE", "Beams", "Layout", "parse", "print_answers"]

_CASE = re.compile(r"case\s*#\s*([0-9]+)\s*:\s*(\S+)", re.IGNORECASE | re.ASCII)
_VERDICT = re.compile(r"(im)?possible", re.IGNORECASE | re.ASCII)


class BeamsPuzzle(GridPuzzle[Beams, Layout]):
    """The puzzle: texts and rooms. An input file is `T`, then per case `R C` and R rows."""

    name = "beams"
    title = "Beaming With Joy"
    source = "Code Jam 2017 Round 2 C; Luogu P5297"
    formats = ("codejam", "luogu")
    example = "2\n1 3\n-.-\n3 4\n#.##\n#--#\n####\n"
    board_type = Beams
    simplest_first = b"#.-|/\\"
    large_boards = (("wall", 50), ("mirror", 50))

    def print_answers(self, answers: Sequence[Layout], format: str) -> str:
        """An output file: POSSIBLE and the board, or IMPOSSIBLE; after `Case #x: ` in format `codejam`."""
        layouts = iter(bodies([answer.board for answer in answers if answer.board is not None]))
        parts: list[str] = []
        for case, answer in enumerate(answers, 1):
            prefix = f"Case #{case}: " if format == "codejam" else ""
            parts.append(f"{prefix}{'POSSIBLE' if answer.possible else 'IMPOSSIBLE'}\n")
            if answer.board is not None:
                parts.append(next(layouts))
        return "".join(parts)

    def parse_answers(self, text: str | bytes, boards: Sequence[Beams], /, format: str, name: str = "<text>") -> list[Layout]:
        """The answers in an output file for these boards. Upper and lower case are the same, as for the contest's judge.

        A printed board only has to be of its case's size; whether it solves the case is for the check to say.

        Raises:
            InputError: the text breaks the format, or holds more or fewer answers than there are boards.
        """
        reader = Reader(text, name)
        answers: list[Layout] = []
        for case, board in enumerate(boards, 1):
            start = reader.position
            expected = f"{f'Case #{case}: ' if format == 'codejam' else ''}POSSIBLE or IMPOSSIBLE"
            word = reader.line(expected)
            if format == "codejam":
                match = _CASE.fullmatch(word)
                if match is None or match[1].lstrip("0") != str(case):
                    reader.fail(f"expected {expected}; found {word[:40]!r}", start)
                word = match[2]
            verdict = _VERDICT.fullmatch(word)
            if verdict is None:
                reader.fail(f"expected {expected}; found {word[:40]!r}", start)
            possible = verdict[1] is None
            grid = reader.grid(board.rows, board.columns, Beams.alphabet) if possible else None
            answers.append(Layout(possible, None if grid is None else Beams(grid)))
        reader.end("the last answer")
        return answers

    def outcome(self, claims: Claims) -> str:
        return "POSSIBLE" if claims[0] else "IMPOSSIBLE"

    def fields(self, answer: Layout) -> dict[str, object]:
        """`possible`, and `board`: the rows with the turrets turned, or null."""
        return {"possible": answer.possible, "board": answer.board and grid_lines(answer.board.grid)}

    def check(self, board: Beams, /, answer: Layout) -> Check:
        from puzzles.beams.check import check

        return check(board, answer)

    @property
    def families(self) -> Mapping[str, Family[Beams]]:
        from puzzles.beams.families import FAMILIES

        return FAMILIES

    def picture(self, board: Beams, /, answer: Layout | None = None) -> str:
        from puzzles.beams.picture import picture

        return picture(board, answer)


PUZZLE = BeamsPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
