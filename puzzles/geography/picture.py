"""A geography board as SVG, with the losing cells and the matching of the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from puzzles.derivation import DerivationStep
from puzzles.geography.board import Geography, Losing
from puzzles.pictures import BoardPicture, disc, frame, square, stroke, wall
from puzzles.text import count_noun


def picture(board: Geography, answer: Losing | None = None) -> str:
    """The board. An answer adds its losing cells in red; its certificate adds the matching and
    rings around exposed cells.
    """
    drawing = BoardPicture(board.rows, board.columns)
    free = board.grid.ravel() == ord(".")
    for cell in np.flatnonzero(~free).tolist():
        drawing.add(cell, wall, "wall")
    title = f"geography {board.rows}x{board.columns}"
    if answer is None:
        return drawing.svg(title)
    losing, opened = answer.cells.tolist(), int(free.sum())
    for cell in losing:
        drawing.add(cell, _losing, "who moves first from here loses")
    if len(losing) < opened:
        drawing.legend["who moves first from here wins"] = frame(0, 0, "var(--line)")
    if answer.certificate is not None:
        mates = answer.certificate[0].tolist()
        for cell, mate in enumerate(mates):
            if mate > cell:
                ends = [
                    (at // board.columns + 0.5, at % board.columns + 0.5) for at in (cell, mate)
                ]
                drawing.shapes.append(stroke(ends, "var(--cool)", 0.16))
        if max(mates) >= 0:
            drawing.legend["pair of the matching that proves it"] = stroke(
                [(0.5, 0.1), (0.5, 0.9)], "var(--cool)", 0.16
            )
        for cell in losing:
            if mates[cell] < 0:
                drawing.add(cell, _exposed, "exposed: in no pair")
    headline = (
        f"{len(losing)} of {count_noun(opened, 'open cell')} lose{'s' if len(losing) == 1 else ''}."
    )
    return drawing.svg(f"{title}: {len(losing)} losing cells", headline)


_exposed = partial(disc, fill="none", radius=0.28, stroke="var(--ink)")


def _losing(row: int, column: int) -> str:
    """A red cell with two corners cut off, which needs no colour."""
    corners = f"M{column + 0.04:g} {row + 0.3:g}l.26 -.26M{column + 0.7:g} {row + 0.96:g}l.26 -.26"
    return (
        square(row, column, "var(--bad)", 0.45)
        + f'<path d="{corners}" stroke="var(--ink)" stroke-width=".07"/>'
    )


def cell_words(board: Geography, answer: Losing) -> Iterator[str]:
    """What the answer says of each cell, in row-major order."""
    losing = set(answer.cells.tolist())
    mates = [-2] * board.cells if answer.certificate is None else answer.certificate[0].tolist()
    for cell, kind in enumerate(board.grid.ravel().tolist()):
        if kind != ord("."):
            yield "wall"
            continue
        pair = (
            ""
            if mates[cell] == -2
            else ", in no pair"
            if mates[cell] < 0
            else f", pair with {board.place(mates[cell])}"
        )
        yield f"who moves first from here {'loses' if cell in losing else 'wins'}{pair}"


def steps(board: Geography, answer: Losing) -> Iterator[DerivationStep]:
    """What the pairs of the certificate mean for the two players; nothing without a certificate."""
    if answer.certificate is None:
        return
    mates, parents = answer.certificate[0].tolist(), answer.certificate[1].tolist()
    losing = answer.cells.tolist()
    exposed = [cell for cell in losing if mates[cell] < 0]
    shifted = [cell for cell in losing if mates[cell] >= 0]
    winning = [cell for cell, mate in enumerate(mates) if mate >= 0 and cell not in set(losing)]
    if exposed:
        yield DerivationStep(
            "Start at a cell in no pair: wherever the first player moves, the cell there has a "
            "pair. The other follows the pair, and so always has a move. Who starts there loses.",
            tuple(exposed),
        )
    if shifted:
        chain = [shifted[0]]
        while mates[chain[-1]] >= 0:
            chain += [mates[chain[-1]], parents[chain[-1]]]
        first = board.place(chain[0])
        ways = ", ".join(board.place(cell) for cell in chain[:_MAX_NAMED]) + ", ..." * (
            len(chain) > _MAX_NAMED
        )
        yield DerivationStep(
            f"Start at another losing cell, such as {first}: pair the cells along {ways} one "
            "step further. "
            f"Then {first} is in no pair, and the same holds.",
            tuple(chain),
        )
    if winning:
        yield DerivationStep(
            "Start at any other open cell: the first player follows the pair, and does so again "
            "wherever the other moves. Who starts there wins.",
            tuple(winning),
        )


_MAX_NAMED = 8
"""Cells that a sentence names."""
