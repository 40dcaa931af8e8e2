"""A puzzle of one's own that misbehaves on some boards: examples/lights.py with a liar, and functions that do not end."""

from __future__ import annotations

from pathlib import Path

from tests.places import ROOT

_MORE = '''

@backend("lights", "liar", side="models", source="nobody")
def liar(board: Lights, *, certify: bool = False) -> GridSolution:
    """Says what it likes. It has no reason. Nobody should believe it."""
    return GridSolution(not elimination(board, certify=True).possible)


def endless(board: Lights, answer: GridSolution | None = None) -> str:
    """A picture that is never ready if the board has one row of three walls."""
    while board.shape == (1, 3) and board.lines() == ["###"]:
        pass
    return "<svg xmlns='http://www.w3.org/2000/svg'></svg>"


LightsPuzzle.picture = lambda self, board, answer=None: endless(board, answer)
'''


def own_lights(folder: Path) -> Path:
    """Write the file into a folder."""
    path = folder / "lights.py"
    path.write_text((ROOT / "examples" / "lights.py").read_text() + _MORE)
    return path
