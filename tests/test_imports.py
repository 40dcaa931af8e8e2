"""The tree is the architecture: which package, folder and command may import which, read off every
import; one name, one meaning.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import puzzles
from compare.commands import help_lines
from tests.places import ROOT
from tests.processes import run_python

PACKAGES = ("puzzles", "direct", "models", "compare")
BEYOND_THE_STATEMENT = ("check", "refuter", "families", "fuzzing", "lacking", "promises", "picture")
"""The modules of a puzzle that its solvers must not take."""

SOLVERS_OF_THEIR_OWN = ("two_sat",)
"""Modules of `direct` that know no puzzle."""

TAKEN_BY_THEM = ("puzzles.text.", "puzzles.dimacs_reader.", "puzzles.shell.exit_status.")
"""What of `puzzles` these modules may take."""

LAYERS = (
    {"engine.isolate"},
    {"engine.work"},
    {"engine.elsewhere"},
    {"engine.campaign"},
    {"engine.search"},
    {"show"},
    {"commands"},
    {"preload", "command_line"},
    {"start"},
    {"__main__"},
)
"""The folders of `compare` and the modules beside them, from the ground up.

Each takes only from layers below its own.
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


def of(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def every_file() -> list[Path]:
    return [path for package in PACKAGES for path in of(package)]


def is_of_lemmas(path: Path) -> bool:
    """Whether a file has lemmas of a puzzle: what `prove` settles, in the puzzle's folder. Nothing
    else imports it, so it may take from `prove` what a lemma is.
    """
    return re.fullmatch(r"models/\w+/lemma\w*\.py", path.relative_to(ROOT).as_posix()) is not None


def offends(path: Path, taken: str) -> bool:
    package, parts = path.relative_to(ROOT).parts[0], taken.split(".")
    if is_of_lemmas(path) and parts[:3] == ["compare", "commands", "prove"]:
        return False
    above = {
        "puzzles": {"direct", "models", "compare"},
        "direct": {"models", "compare"},
        "models": {"direct", "compare"},
    }
    if parts[0] in above.get(package, set()):
        return True
    if package == "puzzles":
        return parts[0] in ("pysat", "ortools")
    if package in ("direct", "models"):
        if path.stem in SOLVERS_OF_THEIR_OWN and parts[0] == "puzzles":
            return not f"{taken}.".startswith(TAKEN_BY_THEM) and taken != "puzzles"
        return (
            len(parts) > 2
            and parts[0] == "puzzles"
            and parts[1] in puzzles.names()
            and parts[2] in BEYOND_THE_STATEMENT
        )
    return False


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_what_it_must_not(package: str) -> None:
    assert of(package)
    assert [
        (str(path), taken)
        for path in of(package)
        for taken in imports(path)
        if offends(path, taken)
    ] == []


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("puzzles/beams/check.py", "direct.beams.by_two_sat"),
        ("direct/beams/by_two_sat.py", "puzzles.beams.check"),
        ("models/beams/by_cnf.py", "direct.two_sat"),
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


def layer(module: str) -> tuple[int, str]:
    """How high a module of `compare` stands, and the folder or module that says so."""
    return next(
        (k, name)
        for k, names in enumerate(LAYERS)
        for name in names
        if f"{module}.".startswith(f"compare.{name}.")
    )


def climbs(path: Path, taken: str) -> bool:
    """Whether a file of `compare` takes something from a folder that is not below its own."""
    own = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    if f"{taken}.".startswith("compare.") is False or path.name == "__init__.py":
        return False
    parts = taken.split(".")
    if len(parts) < 2 or taken == "compare.engine":
        return False
    (height, name), (other, taken_name) = layer(own), layer(taken)
    return name != taken_name and other >= height


def test_no_folder_of_compare_imports_one_that_is_not_below_it() -> None:
    assert [
        (str(path), taken)
        for path in of("compare")
        for taken in sorted(imports(path))
        if climbs(path, taken)
    ] == []


def folders_of_commands() -> set[str]:
    return {words.replace(" ", "_") for words in help_lines()}


PAIRS = {
    ("check", "run"): "a check is a campaign of `run` on one file; `run` always is here",
    ("fuzz", "fuzz_formula"): "what a failing backend asked of its SAT solver is tried on it alone",
    ("page", "fuzz"): "the search for a board where contenders differ, offered where `fuzz` is",
    ("page", "scale"): "the race on growing boards, offered where `scale` is here",
    ("report", "run"): "the tables of a run: by test, solver, option, recall; `run` always is here",
    ("report", "scale"): "how time grows with size: the part of `scale` in the report",
}
"""The folders of commands of which the first takes from the second, and why. At most eight."""


def test_no_folder_of_a_command_takes_from_another() -> None:
    """But for `PAIRS`. What two commands need stands in `compare/engine` or `compare/show`."""
    taken: defaultdict[str, set[str]] = defaultdict(set)
    names = folders_of_commands()
    for name in names:
        for path in of(f"compare/commands/{name}"):
            folders = {
                module.split(".")[2]
                for module in imports(path)
                if module.startswith("compare.commands.")
            }
            taken[name] |= folders & names - {name}
    assert {(name, other) for name, others in taken.items() for other in others} == PAIRS.keys()
    assert len(PAIRS) <= 8


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("compare/engine/isolate/sandbox.py", "compare.engine.work.contenders.Ask"),
        ("compare/engine/search/reducer.py", "compare.commands.fuzz.trial"),
        ("compare/engine/campaign/journal.py", "compare.show"),
        ("compare/show/table.py", "compare.commands.run.command"),
        ("compare/command_line.py", "compare.start.begin"),
    ],
)
def test_the_rule_of_the_layers_notices_an_offence(path: str, taken: str) -> None:
    assert climbs(ROOT / path, taken)


def ground() -> list[Path]:
    """The files that belong to no puzzle and to no command, those of the page's script among
    them.
    """
    rooms = {ROOT / package / name for package in PACKAGES for name in puzzles.names()}
    rooms |= {ROOT / "compare" / "commands" / name for name in folders_of_commands()}
    return [
        path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*"))
        if path.suffix in (".py", ".js", ".css", ".html", ".j2")
        and not rooms & {path.with_suffix(""), *path.parents}
    ]


def test_the_ground_names_no_puzzle_and_no_command_that_can_be_taken_away() -> None:
    """`compare/__init__.pyi` names them: it is made of them, for type checkers."""
    folders = "|".join(folders_of_commands() - {"run"})
    of_puzzle = re.compile(rf"\b({'|'.join(puzzles.names())})\b", re.IGNORECASE)
    of_command = re.compile(rf"\bcompare[ ./]({folders})\b|\bcommands[./]({folders})\b")
    files = {path.relative_to(ROOT).as_posix(): path.read_text() for path in ground()}
    assert len(files) > 100
    assert [name for name, text in files.items() if of_puzzle.search(text)] == []
    assert [name for name, text in files.items() if of_command.search(text)] == []


def test_no_command_names_a_puzzle() -> None:
    """But in its examples, where the puzzle stands in braces."""
    named = re.compile(rf"(?<!{{)\b({'|'.join(puzzles.names())})\b", re.IGNORECASE)
    files = [
        path
        for path in sorted((ROOT / "compare" / "commands").rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    ]
    assert [path.name for path in files if named.search(path.read_text())] == []


def test_isolate_knows_no_puzzle() -> None:
    taken = {name for path in of("compare/engine/isolate") for name in imports(path)}
    ours = {name for name in taken if name.split(".")[0] in ("puzzles", "direct", "models")}
    assert {name for name in ours if not name.startswith("puzzles.shell.")} <= {
        "puzzles.backend",
        "puzzles.backend.Unsupported",
    }


def test_only_prove_uses_the_lemmas() -> None:
    """And the puzzles, whose lemmas they are."""
    lemmas = re.compile(r"models\.\w+\.lemma\w*(\..*)?")
    prove = "compare.commands.prove."
    users = {
        path
        for path in every_file()
        for taken in imports(path)
        if taken.startswith(prove) or lemmas.fullmatch(taken)
    }
    folder = ROOT / "compare" / "commands" / "prove"
    others = {path for path in users if folder not in path.parents}
    assert {path for path in others if not is_of_lemmas(path)} == set()
    assert others
    assert users - others


def job(path: Path) -> str:
    """What a file is for, as far as its place tells: its path, with `*` in the place of a puzzle
    of the side that solves it, and of a command.
    """
    package, *parts = path.relative_to(ROOT).parts
    if parts[0] == "commands" and len(parts) > 2:
        return "/".join([package, "commands", "*", *parts[2:]])
    side = "*" if package in ("direct", "models") and parts[0] in puzzles.names() else package
    return "/".join([side, *("*" if part in puzzles.names() else part for part in parts)])


def test_no_two_files_share_a_name_but_for_two_puzzles_or_two_commands() -> None:
    jobs: defaultdict[str, set[str]] = defaultdict(set)
    for path in every_file():
        if not path.stem.startswith("__") and path.stem not in puzzles.names():
            jobs[path.stem].add(job(path))
    jobs["command"].discard("models/command.py")  # that of `python -m models`
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
    assert folders - {"benchmarks", "docs", "examples"} == {*PACKAGES, "tests"}


def test_no_two_classes_share_a_name() -> None:
    """But for the templates, of which a user gets one, under another name."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in (path for path in every_file() if path.parent.name != "templates"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(places) > 50
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


ROLES = {
    "COMMAND": (r"compare/commands/\w+/__init__", "what a command says of itself for the help"),
    "arguments": (
        r"compare/commands/\w+/(command|hints)",
        "gives a parser a command's options",
    ),
    "conclude": (r"compare/commands/\w+/command", "does a command that ends with a verdict"),
    "main": (r".*", "does what the module is started for; returns the exit status"),
    "noticed_line": (r"compare/commands/\w+/words", "what is said before a failing case shrinks"),
    "PUZZLE": (r"puzzles/\w+/__init__|compare/.*_puzzle", "the puzzle that the module states"),
    "parse": (r"puzzles/\w+/__init__", "the instances of a text"),
    "print_answers": (r"puzzles/\w+/__init__", "answers as the contest wants them"),
    "FAMILIES": (r"puzzles/\w+/(families|fuzzing)", "the families of a puzzle, by name"),
    "check": (r"puzzles/\w+/check", "the verdict on an answer"),
    "with_irreducible_core": (r"puzzles/\w+/check", "an answer with a core of which all is needed"),
    "picture": (r"puzzles/\w+/picture", "an instance, or an answer to it, as SVG"),
    "cell_words": (r"puzzles/\w+/picture", "what an answer says of each cell"),
    "steps": (r"puzzles/\w+/picture", "an answer's derivation in words"),
    "COMPILING_S": (r"direct/\w+/__init__", "the CPU seconds that compiling the kernels takes"),
    "STACKED_CELLS": (r"\w+/\w+/thresholds", "the cells of boards that are solved together"),
    "LEMMAS": (r"models/\w+/lemmas", "what `prove` settles for a puzzle"),
    "WRITE_UP": (r"models/\w+/lemma\w+", "the write-up that makes the claims"),
    "solve": (r"direct/\w+(/by_\w+)?|models/(\w+/by_)?\w+", "the answer to one instance"),
    "solve_many": (r"(direct|models)/\w+/by_\w+", "the answers to many instances at once"),
    "encode": (r"models/\w+/by_\w+", "the formula that a backend states of an instance"),
    "backends": (r"\w+/__init__|compare/engine/work/contenders", "the backends of a puzzle"),
    "get": (r"\w+/__init__|puzzles/registry", "what is registered under a name"),
}
"""Names that several modules define with one meaning: where such a module stands, and the meaning.

Somebody looks the name up in a module that was found by its place, or the modules are twins.
"""


def names_defined(tree: ast.Module) -> set[str]:
    """The functions, classes and constants of a module without an underscore before them. Type
    variables do not count: they mean nothing outside of a signature.
    """
    names: set[str] = set()
    waiting: list[ast.stmt] = [*tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If | ast.Try):
            waiting += [each for each in ast.walk(node) if isinstance(each, ast.stmt)][1:]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            value = ast.unparse(node.value) if node.value is not None else ""
            if not re.match(r"(TypeVar|ParamSpec)\(", value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                waiting_targets: list[ast.expr] = [*targets]
                while waiting_targets:
                    target = waiting_targets.pop()
                    if isinstance(target, ast.Name):
                        names.add(target.id)
                    elif isinstance(target, ast.Tuple):
                        waiting_targets += target.elts
    return {name for name in names if not name.startswith("_")}


def is_allowed(name: str, modules: set[str]) -> bool:
    """Whether modules (paths without `.py`) may all define a name: it is a role, or they are twins
    on both sides.
    """
    if name in ROLES:
        return all(re.fullmatch(ROLES[name][0], module) for module in modules)
    places = {module.partition("/")[2] for module in modules}
    return len(places) == 1 and {module.partition("/")[0] for module in modules} == {
        "direct",
        "models",
    }


def definitions() -> dict[str, set[str]]:
    """By name, the modules that define it."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for path in (path for path in every_file() if path.parent.name != "templates"):
        for name in names_defined(tree(path)):
            modules[name].add(path.relative_to(ROOT).with_suffix("").as_posix())
    return modules


def test_no_name_is_defined_in_two_modules() -> None:
    """But for `ROLES`, and for twins such as `direct/x/y.py` and `models/x/y.py`."""
    modules = definitions()
    assert len(modules) > 1000
    twice = {
        name: sorted(places)
        for name, places in modules.items()
        if len(places) > 1 and not is_allowed(name, places)
    }
    assert twice == {}, (
        "one name, one meaning: call each what it is; join two copies of one thing; put `_` before "
        "what its module alone uses; or list a role in ROLES, with its meaning"
    )
    assert {name for name in ROLES if len(modules[name]) < 2} == set(), "these are no roles"


@pytest.mark.parametrize(
    ("name", "modules", "allowed"),
    [
        ("check", {"puzzles/x/check", "puzzles/y/check"}, True),
        ("check", {"puzzles/x/check", "models/proofs/rup"}, False),
        ("state", {"direct/x/y", "models/x/y"}, True),
        ("state", {"direct/x/y", "models/x/z"}, False),
        ("state", {"puzzles/x/y", "models/x/y"}, False),
    ],
)
def test_the_rule_of_names_notices_an_offence(name: str, modules: set[str], allowed: bool) -> None:
    assert is_allowed(name, modules) == allowed


def test_what_a_module_defines() -> None:
    text = """
from x import taken
T = TypeVar("T")
ONE, (TWO, _THREE) = 1, (2, 3)
four: int = 4
if four:
    def five() -> None: ...
class Six:
    seven = 7
"""
    assert names_defined(ast.parse(text)) == {"ONE", "TWO", "four", "five", "Six"}
