"""A puzzle that cannot be loaded, or that one side does not know, is named with its file and a
remedy; the others go on.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import puzzles
from tests.places import ROOT
from tests.processes import environment, run_python

LIGHTS = """from puzzles.nogo import NoGoPuzzle

class LightsPuzzle(NoGoPuzzle):
    name = "lights"

PUZZLE = LightsPuzzle()
"""

BROKEN = {
    "syntax": ("def f(:\n", "puzzles/lights/__init__.py:1:7: SyntaxError: "),
    "raises": ("\nimport math\nmath.factorial(-1)\n", "puzzles/lights/__init__.py:3: ValueError: "),
    "no check": (
        "from puzzles.puzzle import Puzzle\nclass LightsPuzzle(Puzzle):\n    name = "
        "'lights'\nPUZZLE = LightsPuzzle()\n",
        "puzzles/lights/__init__.py:4: TypeError: Can't instantiate abstract class LightsPuzzle "
        "with abstract methods check, ",
    ),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The packages with links to what is in them, to which a test adds the puzzle `lights`."""
    for name in ("puzzles", "direct", "models"):
        (tmp_path / name).mkdir()
        for path in (ROOT / name).iterdir():
            if path.name != "__pycache__":
                (tmp_path / name / path.name).symlink_to(path)
    (tmp_path / "puzzles" / "lights").mkdir()
    return tmp_path


def run(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    variables = {**environment(), "PYTHONPATH": str(checkout)}
    return run_python("-m", *words, cwd=checkout, env=variables, text=puzzles.get("nogo").example)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_puzzle_is_named_and_breaks_no_other(checkout: Path, fault: str) -> None:
    text, place = BROKEN[fault]
    (checkout / "puzzles" / "lights" / "__init__.py").write_text(text)
    ended = run(checkout, "direct", "lights")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"the puzzle lights cannot be loaded: {place}")
    assert ended.stderr.endswith(": mend that line, or take the puzzle's folder away\n")
    assert run(checkout, "direct", "nogo").returncode == 0


def test_a_side_without_a_backend_says_where_one_belongs(checkout: Path) -> None:
    (checkout / "puzzles" / "lights" / "__init__.py").write_text(LIGHTS)
    ended = run(checkout, "models", "lights")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "models has no backend for lights: write one into models/lights/by_NAME.py, a function "
        "under @backend('lights', NAME, side='models', source=...), or ask the other side\n"
    )
    (checkout / "models" / "lights.py").write_text("x = = 1\n")
    assert (
        "models/lights.py:1:5: SyntaxError: invalid syntax"
        in run(checkout, "models", "lights").stderr
    )
