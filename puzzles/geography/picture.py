"""A geography board as SVG, with the losing cells and the matching of the certificate."""

from __future__ import annotations

from puzzles.geography.board import Geography, Losing
from puzzles.pictures import LegendEntry, disc, drawing, frame, square, stroke
from puzzles.text import counted


def picture(board: Geography, answer: Losing | None = None) -> str:
    """The board. An answer adds its losing cells in red; its certificate adds the matching and rings around exposed cells."""
    free = board.grid.ravel() == ord(".")
    places = [divmod(cell, board.columns) for cell in range(board.cells)]
    shapes = [square(row, column, "var(--wall)") for cell, (row, column) in enumerate(places) if not free[cell]]
    title = f"geography {board.rows}x{board.columns}"
    legend = [LegendEntry(square(0, 0, "var(--wall)"), "wall")] if shapes else []
    if answer is None:
        return drawing(board.rows, board.columns, shapes, title, legend=legend)
    losing = answer.cells.tolist()
    shapes.extend(_losing(row, column) for row, column in (places[cell] for cell in losing))
    if losing:
        legend.append(LegendEntry(_losing(0, 0), "who moves first from here loses"))
    if len(losing) < int(free.sum()):
        legend.append(LegendEntry(frame(0, 0, "var(--line)"), "who moves first from here wins"))
    if answer.certificate is not None:
        mates = answer.certificate[0].tolist()
        for cell, mate in enumerate(mates):
            if mate > cell:
                ends = [(row + 0.5, column + 0.5) for row, column in (places[cell], places[mate])]
                shapes.append(stroke(ends, "var(--cool)", 0.16))
        if max(mates) >= 0:
            legend.append(LegendEntry(stroke([(0.5, 0.1), (0.5, 0.9)], "var(--cool)", 0.16), "pair of the matching that proves it"))
        exposed = [places[cell] for cell in losing if mates[cell] < 0]
        if exposed:
            legend.append(LegendEntry(disc(0, 0, "none", 0.28, "var(--ink)"), "exposed: in no pair"))
        shapes.extend(disc(row, column, "none", 0.28, "var(--ink)") for row, column in exposed)
    headline = f"{len(losing)} of {counted(int(free.sum()), 'open cell')} lose{'s' * (len(losing) == 1)}."
    return drawing(board.rows, board.columns, shapes, f"{title}: {len(losing)} losing cells", headline=headline, legend=legend)


def _losing(row: int, column: int) -> str:
    return square(row, column, "var(--bad)", 0.45)
