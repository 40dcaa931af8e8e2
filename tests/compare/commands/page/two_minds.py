"""A puzzle whose two backends differ about one cell: which cells are walls?

`hasty` never looks at the last cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from puzzles.answer import Answer, Check, Claims, Verdict
from puzzles.backend import backend
from puzzles.grid import Board, GridPuzzle
from puzzles.text import Reader


class Bricks(Board):
    puzzle: ClassVar[str] = "bricks"
    alphabet: ClassVar[bytes] = b".#"


@dataclass(frozen=True, eq=False, repr=False)
class Walls(Answer):
    """For each cell 1 if it is a wall, else 0."""

    walls: tuple[int, ...]

    @property
    def claims(self) -> Claims:
        return np.array(self.walls, np.int64)


class BricksPuzzle(GridPuzzle[Bricks, Walls]):
    name = "bricks"
    formats = ("plain",)
    board_type = Bricks

    def print_answers(self, answers: Sequence[Walls], format: str) -> str:
        return "".join(" ".join(map(str, answer.walls)) + "\n" for answer in answers)

    def read_answer(self, reader: Reader, board: Bricks, /, case: int, format: str) -> Walls:
        return Walls(reader.numbers(*["a cell"] * board.cells, least=0))

    def fields(self, answer: Walls) -> dict[str, object]:
        return {"walls": list(answer.walls)}

    def check(self, board: Bricks, /, answer: Walls) -> Check:
        right = answer.walls == walls(board)
        return (
            Check(Verdict.PROVED, "every cell is right")
            if right
            else Check(Verdict.REFUTED, "some cell is wrong")
        )


def walls(board: Bricks) -> tuple[int, ...]:
    return tuple(int(kind == "#") for line in board.lines() for kind in line)


@backend("bricks", "look", side="direct", source="planted", certifies=True)
def look(board: Bricks, *, certify: bool = False) -> Walls:
    """It looks at each cell."""
    return Walls(walls(board))


@backend("bricks", "hasty", side="models", source="planted", certifies=True)
def hasty(board: Bricks, *, certify: bool = False) -> Walls:
    """It says that the last cell is open."""
    return Walls((*walls(board)[:-1], 0))


PUZZLE = BricksPuzzle()
