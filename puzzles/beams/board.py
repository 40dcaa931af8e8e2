"""Beams: the board and the answer.

Code Jam 2017 Round 2 C, "Beaming With Joy"; the same puzzle without `Case #x: ` is Luogu P5297.
Turn each turret so that it shoots left and right (`-`) or up and down (`|`); every open cell (`.`)
must be crossed by a beam, and no beam may enter a turret's cell, its own included. Mirrors (`/`,
`\\`) turn a beam; walls (`#`) and the edge end it.

`puzzles/grid.py` reads it from text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from puzzles.grid import Board, GridSolution


@dataclass(frozen=True, eq=False, repr=False)
class Beams(Board["Layout"]):
    """A beams board. `-` and `|` are turrets; the way they stand at first constrains nothing."""

    puzzle: ClassVar[str] = "beams"
    alphabet: ClassVar[bytes] = b"/\\-|#."
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            ".": "open cell",
            "#": "wall",
            "-": "turret, shooting left and right",
            "|": "turret, shooting up and down",
            "/": "mirror /",
            "\\": "mirror \\",
        }
    )


@dataclass(frozen=True, eq=False, repr=False)
class Layout(GridSolution):
    """Whether the turrets can be turned so that every open cell is lit and no turret is hit.

    Attributes:
        possible: whether they can.
        board: the witness if possible: the board with its turrets turned. None if impossible.
        certificate: the core if impossible: flat indices of open cells (each must be lit) and of
            turrets (none may be hit) that cannot all be satisfied.
    """

    possible: bool
    board: Beams | None = None

    @property
    def proves_itself(self) -> bool:
        return self.possible

    def __str__(self) -> str:
        if self.board is not None or self.possible or self.question is None or not self.certificate:
            return super().__str__()
        board = self.question.instance
        assert isinstance(board, Beams)
        return f"IMPOSSIBLE: these places contradict each other: {board.places(self.certificate)}"
