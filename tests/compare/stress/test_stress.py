"""Two programs and a generator, as a user gives them: each planted bug at its smallest input."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.compare.stress.pairs import PAIRS, Pair
from tests.processes import compare

READS = "import sys\nlines = sys.stdin.read().split('\\n')[:-1]\ndata = ' '.join(lines).split()\n"
SEEDED = "import random, sys\nr = random.Random(int(sys.argv[-1]))\n"


def command(folder: Path, name: str, code: str) -> str:
    """A program of Python that starts quickly."""
    path = folder / f"{name}.py"
    path.write_text(code)
    return f"{sys.executable} -SE {path}"


def stress(folder: Path, pair: Pair, *words: str) -> tuple[int, str, str]:
    """Exit status, output, and the text of the saved input, if there is one."""
    brute, fast = command(folder, "brute", READS + pair.brute), command(folder, "fast", READS + pair.fast)
    generator = command(folder, "gen", SEEDED + pair.generator)
    ended = compare("stress", brute, fast, "--generator", generator, *words, cwd=folder)
    saved = [path.read_text() for path in sorted(folder.glob("*.in"))]
    return ended.returncode, ended.stdout + ended.stderr, saved[-1] if saved else ""


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_a_planted_bug_is_found_and_made_as_small_as_can_be(tmp_path: Path, name: str) -> None:
    status, said, smallest = stress(tmp_path, PAIRS[name], "--cases", "2000")
    assert (status, smallest) == (1, PAIRS[name].smallest), said
