"""The three floors: who may import whom, read off every import statement."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

import puzzles
from tests.places import ROOT
from tests.processes import run_python

FLOORS = ("puzzles", "direct", "models", "compare")
ROOMS = ("check", "refuter", "families", "changes", "picture")
SOLVERS_OF_THEIR_OWN = ("two_sat", "union_find", "matching")


def imports(path: Path) -> set[str]:
    """Every module that a file imports, with the names taken from it as `module.name`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def of(floor: str) -> list[Path]:
    return sorted((ROOT / floor).rglob("*.py"))


def offends(path: Path, taken: str) -> bool:
    floor, parts = path.relative_to(ROOT).parts[0], taken.split(".")
    above = {"puzzles": {"direct", "models", "compare"}, "direct": {"models", "compare"}, "models": {"direct", "compare"}}
    if parts[0] in above.get(floor, set()):
        return True
    if floor == "puzzles":
        return parts[0] in ("pysat", "ortools")
    if floor in ("direct", "models"):
        if path.stem in SOLVERS_OF_THEIR_OWN and parts[0] == "puzzles":
            return parts[:2] not in (["puzzles"], ["puzzles", "text"])
        return len(parts) > 2 and parts[0] == "puzzles" and parts[1] in puzzles.names() and parts[2] in ROOMS
    return False


@pytest.mark.parametrize("floor", FLOORS)
def test_no_floor_imports_what_it_must_not(floor: str) -> None:
    assert of(floor)
    assert [(str(path), taken) for path in of(floor) for taken in imports(path) if offends(path, taken)] == []


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("puzzles/beams/check.py", "direct.beams"),
        ("direct/beams.py", "puzzles.beams.check"),
        ("models/beams.py", "direct.two_sat"),
        ("direct/two_sat.py", "puzzles.puzzle"),
        ("models/cnf.py", "compare.campaign.record"),
    ],
)
def test_the_rule_notices_an_offence(path: str, taken: str) -> None:
    assert offends(ROOT / path, taken)


@pytest.mark.parametrize(
    ("package", "unwanted"),
    [("direct", {"ortools", "pysat", "pandas", "matplotlib", "numba"}), ("models", {"ortools", "pandas", "matplotlib"})],
)
def test_importing_a_side_loads_no_heavy_package(package: str, unwanted: set[str]) -> None:
    code = f"import {package}, sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    loaded = run_python("-c", code).stdout.split()
    assert package in loaded
    assert unwanted & set(loaded) == set()


def test_the_top_level_is_the_architecture() -> None:
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False).stdout.split()
    folders = {name.split("/")[0] for name in tracked if "/" in name and not name.startswith(".")}
    assert folders <= {*FLOORS, "tests"}
