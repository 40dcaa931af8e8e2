"""Geography: the board and the answer.

LOJ6033, "Board Game"; Luogu P4055 asks for the same cells. A piece stands on an open cell (`.`),
which counts as visited. The players take turns to move it to an open cell beside it that was not
visited before. Who cannot move loses. The answer is all cells from which the first mover loses.

`puzzles/grid.py` reads it from text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board
from puzzles.instance import read_only
from puzzles.text import count_noun


@dataclass(frozen=True, eq=False, repr=False)
class Geography(Board["Losing"]):
    """A geography board: open cells and walls."""

    puzzle: ClassVar[str] = "geography"
    alphabet: ClassVar[bytes] = b".#"
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType({".": "open cell", "#": "wall"})


@dataclass(frozen=True, eq=False, repr=False)
class Losing(Answer):
    """The cells from which the first mover loses; from every other open cell that player wins.

    Attributes:
        board: the board that was solved.
        cells: read-only int32 array with the flat indices of the losing cells, ascending.
        certificate: int32 array of shape (3, cells of the board), see the check. `mate` is a
            matching of open neighbours (-1 for exposed cells and walls). `parent` names for each
            losing cell that is matched another losing cell, a neighbour of its mate (-1 elsewhere).
            `rank` is smaller for the parent (-1 outside the losing cells).
    """

    board: Geography
    cells: NDArray[np.int32]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", read_only(self.cells, np.int32))

    @property
    def claims(self) -> Claims:
        """int64 array, for each cell of the board 1 if the first mover loses from there, else 0;
        walls are 0.

        Raises:
            IndexError: a cell is not on the board.
        """
        if self.cells.min(initial=0) < 0:  # numpy would count it from the end
            raise IndexError(f"there is no cell {self.cells.min()}")
        claims = np.zeros(self.board.cells, np.int64)
        claims[self.cells] = 1
        return claims

    def __str__(self) -> str:
        cells = self.cells.tolist()
        losing = count_noun(len(cells), "losing cell")
        return f"{losing}: {self.board.places(cells)}" if cells else losing
