"""What `.ci/run` does with a test that fails: it runs once more, alone; red twice fails the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import environment

CHANCE = """
from pathlib import Path
def test_by_chance():
    seen = Path("seen")
    was_seen = seen.exists()
    seen.touch()
    assert was_seen
"""


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run these tests as `.ci/run` does."""
    (folder / "test_some.py").write_text(code)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    command = [sys.executable, "-m", "pytest", "-n", "2"]
    return subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "pytest_twice.py"), "green", *command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def green(folder: Path) -> list[str]:
    path = folder / "green"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.slow
def test_a_test_that_passes_alone_is_listed_and_fails_nothing(tmp_path: Path) -> None:
    ended = run(tmp_path, CHANCE)
    assert ended.returncode == 0
    assert "\n== red, then green: test_some.py::test_by_chance\n" in ended.stdout
    assert green(tmp_path) == ["test_some.py::test_by_chance"]


def test_red_twice_fails_the_run(tmp_path: Path) -> None:
    ended = run(tmp_path, f"{CHANCE}\n\ndef test_wrong():\n    assert 1 == 2\n")
    assert ended.returncode == 1
    assert "== 2 failed; each is run once more, alone" in ended.stdout
    assert "\n== red, then red: test_some.py::test_wrong\n" in ended.stdout
    assert green(tmp_path) == ["test_some.py::test_by_chance"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("def test_right(): pass", 0),
        ("import os\ndef test_ends(): os._exit(3)", 1),
        ("import no_such_module", 1),
    ],
)
def test_a_run_that_ends_otherwise(tmp_path: Path, code: str, status: int) -> None:
    """Tests that pass are not run again; a process that dies or a file that cannot be loaded
    fails."""
    ended = run(tmp_path, code)
    assert ended.returncode == status
    assert ("once more" in ended.stdout) == bool(status)
    assert green(tmp_path) == []
