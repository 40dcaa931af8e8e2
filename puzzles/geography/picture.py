"""A geography board as SVG, with the losing cells and the matching of the certificate."""

from __future__ import annotations

from puzzles.geography.board import Geography, Losing
from puzzles.svg import disc, drawing, square, stroke


def picture(board: Geography, answer: Losing | None = None) -> str:
    """The board. An answer adds its losing cells in red; its certificate adds the matching and rings around exposed cells."""
    free = board.grid.ravel() == ord(".")
    places = [divmod(cell, board.columns) for cell in range(board.cells)]
    shapes = [square(row, column, "var(--wall)") for cell, (row, column) in enumerate(places) if not free[cell]]
    title = f"geography {board.rows}x{board.columns}"
    if answer is None:
        return drawing(board.rows, board.columns, shapes, title)
    losing = answer.cells.tolist()
    shapes.extend(square(row, column, "var(--bad)", 0.45) for row, column in (places[cell] for cell in losing))
    if answer.certificate is not None:
        mates = answer.certificate[0].tolist()
        for cell, mate in enumerate(mates):
            if mate > cell:
                ends = [(row + 0.5, column + 0.5) for row, column in (places[cell], places[mate])]
                shapes.append(stroke(ends, "var(--cool)", 0.16))
        exposed = (places[cell] for cell in losing if mates[cell] < 0)
        shapes.extend(disc(row, column, "none", 0.28, "var(--ink)") for row, column in exposed)
    return drawing(board.rows, board.columns, shapes, f"{title}: {len(losing)} losing cells")
