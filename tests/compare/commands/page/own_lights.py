"""A puzzle of one's own that misbehaves on some boards: examples/lights.py with a liar, and with
functions that do not end.
"""

from __future__ import annotations

from pathlib import Path

from tests.places import ROOT

_MORE = '''

@backend("lights", "liar", side="models", source="nobody")
def liar(board: Lights, *, certify: bool = False) -> GridSolution:
    """It says the opposite. It has no reason. Nobody believes it."""
    return GridSolution(not eliminate(board, certify=True).possible)


def drawn(self, board: Lights, answer: GridSolution | None = None) -> str:
    """A picture that is never ready if the board is three walls."""
    while board.lines() == ["###"]:
        pass
    return "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


LightsPuzzle.picture = drawn
'''

_ENDLESS = """

def endless(size: int, seed: int) -> Lights:
    while True:
        size += 1


FAMILIES = {"random": Family(random_lights, "some"), "endless": Family(endless, "none")}
LightsPuzzle.families = property(lambda self: FAMILIES)
"""


def own_lights(folder: Path, *, endless: bool = False) -> Path:
    """Write the file into a folder; `endless`: with a family that has no board."""
    path = folder / "lights.py"
    text = (ROOT / "examples" / "lights.py").read_text()
    path.write_text(
        text.replace("Lights Out with walls", "Lights Out with walls <script>alert(2)</script>", 1)
        + _MORE
        + _ENDLESS * endless
    )
    return path
