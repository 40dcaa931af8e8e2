"""A geography board as SVG: the losing cells, and the matching where the certificate is there."""

from __future__ import annotations

from puzzles.geography.board import Geography, Losing
from puzzles.svg import disc, drawing, square, stroke


def picture(board: Geography, answer: Losing | None = None) -> str:
    """The board; with an answer its losing cells marked red, with its certificate the matching drawn and exposed cells ringed."""
    flat = board.grid.ravel()
    shapes = [square(*divmod(cell, board.columns), "var(--wall)") for cell in range(board.cells) if flat[cell] == ord("#")]
    title = f"geography {board.rows}x{board.columns}"
    if answer is None:
        return drawing(board.rows, board.columns, shapes, title)
    losing = answer.cells.tolist()
    shapes.extend(square(*divmod(cell, board.columns), "var(--bad)", 0.45) for cell in losing)
    if answer.certificate is not None:
        mates = answer.certificate[0].tolist()
        for cell, mate in enumerate(mates):
            if mate > cell:
                ends = (divmod(cell, board.columns), divmod(mate, board.columns))
                shapes.append(stroke([(row + 0.5, column + 0.5) for row, column in ends], "var(--cool)", 0.16))
        exposed = [cell for cell in losing if mates[cell] < 0]
        shapes.extend(disc(*divmod(cell, board.columns), "none", 0.28, "var(--ink)") for cell in exposed)
    return drawing(board.rows, board.columns, shapes, f"{title}: {len(losing)} losing cells")
