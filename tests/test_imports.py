"""The tree is the architecture: which floor and which room may import which, read off every import;
one name, one meaning.
"""

from __future__ import annotations

import ast
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import puzzles
from tests.places import ROOT
from tests.processes import run_python

FLOORS = ("puzzles", "direct", "models", "compare")
BEYOND_THE_STATEMENT = ("check", "refuter", "families", "fuzzing", "lacking", "promises", "picture")
"""The modules of a puzzle that its solvers must not take."""

SOLVERS_OF_THEIR_OWN = ("two_sat",)
"""Modules of `direct` that know no puzzle."""

STOREYS = (
    {"isolate", "reducer"},
    {"work"},
    {"campaign"},
    {"fuzz", "measure", "prove", "equivalent", "stress"},
    {"conform", "general", "templates"},
    {"show", "testing"},
    {"page"},
    {"preload"},
    {"commands"},
    {"command_line"},
    {"completion"},
    {"start"},
    {"__main__"},
)
"""The rooms of `compare` and the modules beside them, from the ground up.

Each takes only from storeys below its own.
"""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> set[str]:
    """Every module that a file imports, with the names taken from it as `module.name`."""
    modules: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            modules |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def of(floor: str) -> list[Path]:
    return sorted((ROOT / floor).rglob("*.py"))


def every_file() -> list[Path]:
    return [path for floor in FLOORS for path in of(floor)]


def offends(path: Path, taken: str) -> bool:
    floor, parts = path.relative_to(ROOT).parts[0], taken.split(".")
    above = {
        "puzzles": {"direct", "models", "compare"},
        "direct": {"models", "compare"},
        "models": {"direct", "compare"},
    }
    if parts[0] in above.get(floor, set()):
        return True
    if floor == "puzzles":
        return parts[0] in ("pysat", "ortools")
    if floor in ("direct", "models"):
        if path.stem in SOLVERS_OF_THEIR_OWN and parts[0] == "puzzles":
            return parts[:2] not in (["puzzles"], ["puzzles", "text"], ["puzzles", "dimacs_reader"])
        return (
            len(parts) > 2
            and parts[0] == "puzzles"
            and parts[1] in puzzles.names()
            and parts[2] in BEYOND_THE_STATEMENT
        )
    return False


@pytest.mark.parametrize("floor", FLOORS)
def test_no_floor_imports_what_it_must_not(floor: str) -> None:
    assert of(floor)
    assert [
        (str(path), taken) for path in of(floor) for taken in imports(path) if offends(path, taken)
    ] == []


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("puzzles/beams/check.py", "direct.beams"),
        ("direct/beams.py", "puzzles.beams.check"),
        ("models/beams.py", "direct.two_sat"),
        ("direct/two_sat.py", "puzzles.puzzle"),
        ("models/cnf.py", "compare.engine.campaign.record"),
    ],
)
def test_the_rule_notices_an_offence(path: str, taken: str) -> None:
    assert offends(ROOT / path, taken)


def loaded_by(tree: ast.Module, is_module: Callable[[str], bool]) -> set[str]:
    """The modules that a module loads while it is loaded itself: not inside functions, nor for type
    checkers.
    """
    modules: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                part = f"{node.module}.{alias.name}"
                modules.add(part if is_module(part) else str(node.module))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return {name for name in modules if is_module(name)}


def circle(modules: Mapping[str, ast.Module]) -> list[str]:
    """Modules that load one another in a circle, of all modules by their names; empty if there are
    none.

    A package counts as loaded by those who take something from the package itself; a module in it
    is loaded after it anyway.
    """
    order = TopologicalSorter(
        {name: loaded_by(each, modules.__contains__) - {name} for name, each in modules.items()}
    )
    try:
        order.prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_load_one_another() -> None:
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): tree(path)
        for path in every_file()
    }
    assert circle(modules) == []


@pytest.mark.parametrize(
    ("second", "is_circle"),
    [
        ("from first import NAME\n", True),
        ("class Second:\n    import first\n", True),
        ("def late():\n    import first\n", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import first\n", False),
    ],
)
def test_the_rule_notices_a_circle(second: str, is_circle: bool) -> None:
    texts = {"first": "from folder import second\n", "folder": "", "folder.second": second}
    assert bool(circle({name: ast.parse(text) for name, text in texts.items()})) == is_circle


def storey(room: str) -> int:
    """How high a room of `compare`, or a module beside the rooms, stands."""
    (height,) = [k for k, rooms in enumerate(STOREYS) if room in rooms]
    return height


def climbs(path: Path, taken: str) -> bool:
    """Whether a file of `compare` takes something from a room that is not below its own."""
    room, parts = path.relative_to(ROOT / "compare").with_suffix("").parts[0], taken.split(".")
    if parts[0] != "compare" or len(parts) < 2 or room == "__init__" or parts[1] == room:
        return False
    return storey(parts[1]) >= storey(room)


def test_no_room_of_compare_imports_one_that_is_not_below_it() -> None:
    assert [
        (str(path), taken)
        for path in of("compare")
        for taken in sorted(imports(path))
        if climbs(path, taken)
    ] == []


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("compare/engine/isolate/sandbox.py", "compare.engine.work.job.Job"),
        ("compare/engine/search/trial.py", "compare.engine.measure.growth"),
        ("compare/engine/campaign/record.py", "compare.show"),
        ("compare/show/table.py", "compare.commands.run.command"),
        ("compare/command_line.py", "compare.start.begin"),
    ],
)
def test_the_rule_of_the_rooms_notices_an_offence(path: str, taken: str) -> None:
    assert climbs(ROOT / path, taken)


def test_the_ground_room_knows_no_puzzle() -> None:
    taken = {name for path in of("compare/engine/isolate") for name in imports(path)}
    assert {name for name in taken if name.split(".")[0] in ("puzzles", "direct", "models")} <= {
        "puzzles.backend",
        "puzzles.backend.Unsupported",
    }


def test_only_prove_uses_the_lemmas() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in every_file()
        for taken in imports(path)
        if f"{taken}.".startswith("models.lemmas.")
    }
    rooms = ("models/lemmas/", "compare/commands/prove/", "compare/commands/prove/command.py")
    assert [user for user in users if not user.startswith(rooms)] == []
    assert "compare/commands/prove/command.py" in users


def job(path: Path) -> str:
    """What a file is for, as far as its place tells: its path, with `*` in the place of a puzzle
    and of the side that solves it.
    """
    floor, *parts = path.relative_to(ROOT).parts
    side = "*" if floor in ("direct", "models") and parts[0] in puzzles.names() else floor
    return "/".join([side, *("*" if part in puzzles.names() else part for part in parts)])


def test_no_two_files_share_a_name_but_for_two_puzzles_or_for_a_room_and_its_command() -> None:
    jobs: defaultdict[str, set[str]] = defaultdict(set)
    for path in every_file():
        if not path.stem.startswith("__") and path.stem not in puzzles.names():
            jobs[path.stem].add(job(path))
    for name in BEYOND_THE_STATEMENT:
        assert len(jobs[name]) <= 1 + (f"compare/commands/{name}.py" in jobs[name])
        jobs[name].discard(
            f"compare/commands/{name}.py"
        )  # `compare check`, and the check of each puzzle
    assert {name: places for name, places in jobs.items() if len(places) > 1} == {}


@pytest.mark.parametrize(
    ("package", "unwanted"),
    [
        ("direct", {"ortools", "pysat", "pandas", "matplotlib", "numba"}),
        ("models", {"ortools", "pandas", "matplotlib"}),
    ],
)
def test_importing_a_side_loads_no_heavy_package(package: str, unwanted: set[str]) -> None:
    code = f"import {package}, sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    loaded = run_python("-c", code).stdout.split()
    assert package in loaded
    assert unwanted & set(loaded) == set()


def test_the_top_level_is_the_architecture() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout, so nothing tells which folders belong to it")
    tracked = subprocess.run(
        ["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout.split()
    folders = {name.split("/")[0] for name in tracked if "/" in name and not name.startswith(".")}
    assert folders - {"benchmarks", "docs", "examples"} == {*FLOORS, "tests"}


def test_no_two_classes_share_a_name() -> None:
    """But for the templates, of which a user gets one, under another name."""
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in (path for path in every_file() if path.parent.name != "templates"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(homes) > 50
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
