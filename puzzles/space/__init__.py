"""How a search walks among the instances of a puzzle: what fuzzing asks for beyond the families."""

from __future__ import annotations

from typing import Any

from puzzles.grid import GridPuzzle
from puzzles.puzzle import InstanceT, Puzzle
from puzzles.space.grid_space import GridSpace
from puzzles.space.instance_space import InstanceSpace
from puzzles.space.text_space import TextSpace


def space_of(puzzle: Puzzle[InstanceT, Any]) -> InstanceSpace[InstanceT]:
    """The space of a puzzle: its own; else of boards by their cells, of other instances by changes
    of their texts.
    """
    own = puzzle.space()
    if own is not None:
        return own
    return GridSpace(puzzle) if isinstance(puzzle, GridPuzzle) else TextSpace(puzzle)
