"""The groups of figures that stand in pages: how each is measured, and of which modules it speaks.

A group runs a command of the project in a process of its own, and writes what it prints as
Markdown.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

from tabulate import tabulate

from benchmarks import peers
from compare.show.table import seconds, three_digits
from puzzles.text import UserError

ROOT = Path(__file__).resolve().parents[1]

PICTURES = Path("docs") / "pictures"


class Figures(NamedTuple):
    """What a group has measured.

    Attributes:
        text: Markdown.
        pictures: SVG, by the path in the checkout.
    """

    text: str
    pictures: Mapping[str, str] = MappingProxyType({})


class Group(NamedTuple):
    """Figures that are measured together, and stand in one block.

    Attributes:
        minutes: how long it takes, about.
        modules: the folders and files whose change makes the figures stale.
        measure: (the environment of the peers) -> the figures.
        peers: the packages without which it cannot be measured.
    """

    minutes: float
    modules: tuple[str, ...]
    measure: Callable[[Path | None], Figures]
    peers: tuple[str, ...] = ()


def run(module: str, words: Iterable[str], expected: tuple[int, ...] = (0,)) -> str:
    """What a command prints.

    Raises:
        UserError: it ends with another status.
    """
    command = [sys.executable, "-m", module, *words]
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode not in expected:
        line = f"python -m {module} {' '.join(words)}"
        raise UserError(f"{line} ends with {ended.returncode}: {ended.stdout[-1000:]}")
    return ended.stdout


def table(rows: Iterable[Iterable[object]], headings: Iterable[str]) -> str:
    """Rows as Markdown, as they are written: no number is changed."""
    return tabulate([list(row) for row in rows], list(headings), "github", disable_numparse=True)


def growth(puzzle: str, words: str, shown: tuple[int, ...], _: Path | None) -> Figures:
    """The medians at some sizes, the sentence on how much faster the first backend is, and the
    picture of the page.
    """
    path = PICTURES / f"{puzzle}-growth.svg"
    with TemporaryDirectory(prefix="twofold-") as folder:
        plot = Path(folder) / path.name
        options = [*words.split(), "--plot", str(plot), "--format", "json"]
        medians = json.loads(run("compare", ["scale", puzzle, *options]))["tables"]["medians"]
        pictures = {str(path): plot.read_text()}
    names = [name for name in medians[0] if name != "size"]
    chosen = [row for row in medians if row["size"] in shown]
    rows = [[row["size"], *(_median(row[name]) for name in names)] for row in chosen]
    factors = " and ".join(
        f"{three_digits(factor)} times at {size}x{size}"
        for size, factor in ((row["size"], _factor(row, names)) for row in (chosen[0], chosen[-1]))
        if factor is not None
    )
    sentence = f"`{names[0]}` is faster than the fastest model: {factors}."
    return Figures(f"{table(rows, ['size', *names])}\n\n{sentence}", pictures)


def _median(cell: dict[str, Any] | None) -> str:
    if cell is None or cell["s"] is None:
        return ""
    return f"over {seconds(cell['s'])}" if cell["stopped"] else seconds(cell["s"])


def _factor(row: dict[str, Any], names: list[str]) -> float | None:
    """How many times as long as the first backend the fastest model takes."""
    times = [
        row[name]["s"]
        for name in names
        if name.startswith("models:") and row[name] and row[name]["s"] and not row[name]["stopped"]
    ]
    return min(times) / row[names[0]]["s"] if times else None


LIMIT_S = 1
"""Seconds of a run on a large board."""


def within_a_second(puzzle: str, family: str, backends: tuple[str, ...], _: Path | None) -> Figures:
    """The largest board of each backend within a second, and how its time grows."""
    words = ["--family", family, "--largest", "600", "--timeout", str(LIMIT_S), "--format", "json"]
    words += [word for name in backends for word in ("-b", name)]
    tables = json.loads(run("compare", ["scale", puzzle, *words]))["tables"]
    rows: list[list[str]] = []
    for each in tables["growth"]:
        name, fit = each["backend"], each["growth"]
        solved = [
            (row["size"], row[name]["s"])
            for row in tables["medians"]
            if row.get(name) and row[name]["s"] is not None and not row[name]["stopped"]
        ]
        size, time = solved[-1]
        grows = fit["why"]
        if fit["exponent"] is not None:
            grows = f"cells^{fit['exponent']:.2f} ({fit['low']:.2f} to {fit['high']:.2f})"
        rows.append([f"`{name}`", f"{seconds(time)} at {size}x{size}", grows])
    heading = f"largest {puzzle} board ({family}) within a second"
    return Figures(table(rows, ["backend", heading, "time grows as"]))


def sizes(puzzle: str, words: str, left_out: tuple[str, ...], _: Path | None) -> Figures:
    """What each formula costs on one board."""
    options = [*words.split(), "--show", "sizes", "--no-check", "--format", "json"]
    (rows,) = json.loads(run("compare", ["run", puzzle, *options]))["tables"].values()
    columns = ["backend", "variables", "clauses", "build_s", "solve_s", "wall_s", "conflicts"]
    columns = [each for each in [*columns, "decisions", "propagations"] if each not in left_out]
    headings = {"build_s": "build", "solve_s": "solve", "wall_s": "in all"}

    def cell(row: dict[str, Any], column: str) -> str:
        value = row[column]
        if value is None or isinstance(value, str):
            return value or ""
        return seconds(value) if column in headings else f"{value:,}"

    written = [[cell(row, each) for each in columns] for row in rows]
    return Figures(table(written, [headings.get(each, each) for each in columns]))


def commands(part: str, _: Path | None) -> Figures:
    """A part of `benchmarks.commands`; of `fuzz` boards a second, else the time of a command."""
    import pyperf

    with TemporaryDirectory(prefix="twofold-") as folder:
        path = Path(folder) / "measured.json"
        run("benchmarks.commands", ["--only", part, "-q", "-o", str(path)])
        suite = pyperf.BenchmarkSuite.load(str(path)).get_benchmarks()
    rows: list[list[str]] = []
    for each in suite:
        times = sorted(each.get_values())
        low, high = times[0], times[-1]
        name = each.get_name().partition(": ")[2]
        if part == "fuzz":
            rows.append([name, f"{1 / each.median():,.0f}", f"{1 / high:,.0f} to {1 / low:,.0f}"])
        else:
            name = f"`python -m {name}`" if part != "compile" else name
            rows.append([name, seconds(each.median()), f"{seconds(low)} to {seconds(high)}"])
    headings = {"fuzz": ["boards", "a second"], "compile": ["", "time"]}
    return Figures(table(rows, [*headings.get(part, ["command", "time"]), "least to most"]))


def races(names: tuple[str, ...], folder: Path | None) -> Figures:
    """Races with these packages; one that fell is said, and is a figure all the same."""
    words = [*names, "--format", "markdown", *(["--peers", str(folder)] if folder else [])]
    printed = run("benchmarks.races", words, expected=(0, 4))
    return Figures(printed.partition("\n\n")[2].strip())


def stress(what: str, folder: Path | None) -> Figures:
    """`stress` beside a shell loop and two peers."""
    words = [what, *(["--peers", str(folder)] if folder else [])]
    return Figures(run("benchmarks.stress", words))


def _of_puzzle(puzzle: str) -> tuple[str, ...]:
    ground = ("direct/kernel.py", "models/cnf.py", "models/cpsat.py", "models/session.py")
    return (f"direct/{puzzle}", f"models/{puzzle}", *ground)


GROWTH = {
    "beams": ("--family mirror --largest 90", (8, 27, 90)),
    "minesweeper": ("--family d16 --largest 90", (8, 27, 90)),
    "nogo": ("--family empty --largest 40 --timeout 1", (8, 18, 40)),
    "geography": ("--family walls-20 --largest 60 --timeout 1", (8, 27, 60)),
}
"""What `scale` measures for the page of each puzzle, and the sizes of its table."""

LARGE = {
    "beams": ("mirror", ("two-sat", "cnf", "cnf-traced")),
    "minesweeper": ("d16", ("frontier", "direct:two-sat", "cnf")),
    "nogo": ("empty", ("union-find", "cnf", "cnf-monotone")),
    "geography": ("walls-20", ("matching", "cnf", "cnf-cover", "lp")),
}
"""The family and the backends of `within_a_second`."""

MERGED = "-b direct -b cnf -b cnf-traced -b merged -b cpsat --plugin examples/beams_merged.py"

SIZES = {
    "beams": (f"--family mirror --size 100 {MERGED}", ("conflicts", "decisions")),
    "minesweeper": ("--family d16 --size 60 --timeout 8", ("decisions",)),
    "nogo": ("--family empty --size 9 --timeout 8", ("decisions",)),
    "geography": ("--family walls-20 --size 40", ("decisions",)),
}
"""What `run --show sizes` measures for the page of each puzzle, and the columns left out."""

STARTS = (
    "compare/start.py",
    "compare/command_line.py",
    "direct/__init__.py",
    "direct/__main__.py",
    "direct/kernel.py",
    "models/__init__.py",
    "models/__main__.py",
    "puzzles/shell",
)
"""What runs before a command does its work."""

_2_SAT = ("networkx", "scipy", "ac-library-python")

GROUPS: dict[str, Group] = {
    **{
        f"growth-{name}": Group(1.5, _of_puzzle(name), partial(growth, name, words, shown))
        for name, (words, shown) in GROWTH.items()
    },
    **{
        f"sizes-{name}": Group(0.3, _of_puzzle(name), partial(sizes, name, words, left_out))
        for name, (words, left_out) in SIZES.items()
    },
    **{
        f"large-{name}": Group(1, _of_puzzle(name), partial(within_a_second, name, family, names))
        for name, (family, names) in LARGE.items()
    },
    "races-2-sat": Group(0.5, ("direct/two_sat.py",), partial(races, _2_SAT), _2_SAT),
    "races-minesweeper": Group(
        1, ("direct/minesweeper",), partial(races, ("ms_toollib",)), ("ms_toollib",)
    ),
    "races-models": Group(1.5, ("models",), partial(races, ("cpmpy", "python-sat")), ("cpmpy",)),
    "start": Group(0.5, STARTS, partial(commands, "start")),
    "default": Group(
        1,
        ("compare/engine", "compare/commands/run/campaign.py", "direct", "models"),
        partial(commands, "default"),
    ),
    "fuzz": Group(
        2.5, ("compare/engine", "compare/commands/fuzz", "direct"), partial(commands, "fuzz")
    ),
    "compile": Group(2, ("direct",), partial(commands, "compile")),
    "stress-bugs": Group(
        12,
        ("compare/commands/stress", "compare/engine/search"),
        partial(stress, "bugs"),
        tuple(peers.PROGRAMS),
    ),
    "stress-speed": Group(
        8,
        ("compare/commands/stress", "compare/engine/isolate"),
        partial(stress, "speed"),
        tuple(peers.PROGRAMS),
    ),
}
"""By the name of the block."""
