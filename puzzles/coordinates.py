"""Cells of a grid as rows and columns: as people and contests count them, from 1, or from 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def coordinates(cells: Sequence[int] | NDArray[np.integer], columns: int) -> list[list[int]]:
    """Flat cell indices as [row, column], counted from 1."""
    return (np.column_stack(np.divmod(np.asarray(cells, np.int32), columns)) + 1).tolist()


def coordinate_lines(cells: NDArray[np.integer], columns: int) -> str:
    """A line `row column` for each flat cell index, counted from 1."""
    return "".join(f"{row} {column}\n" for row, column in coordinates(cells, columns))


def flat_cells(cells: object, shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Flat indices of cells of a grid of this shape; the cells are pairs (row, column) or flat
    indices, counted from 0.

    Raises:
        TypeError: this is no sequence of cells.
        ValueError: a cell is not on the grid.
    """
    values = np.array(
        list(cells) if isinstance(cells, Iterable) and not isinstance(cells, str) else [None]
    )
    if values.size == 0:
        return np.empty(0, np.int32)
    pairs = values.ndim == 2 and values.shape[1] == 2
    if not (pairs or values.ndim == 1) or values.dtype.kind not in "iu":
        raise TypeError(
            f"{cells!r:.60} is no list of cells: write each cell as (row, column), counted from 0"
        )
    if np.any(values < 0) or np.any(values >= (np.array(shape) if pairs else shape[0] * shape[1])):
        raise ValueError(
            f"{cells!r:.60} leaves the board of {shape[0]}x{shape[1]}; rows and columns are "
            "counted from 0"
        )
    return (values[:, 0] * shape[1] + values[:, 1] if pairs else values).astype(np.int32)
