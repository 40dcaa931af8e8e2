"""Whoever takes away the folder of a command, the folders of a puzzle, the file of a backend or the
files of Dask, takes away nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import puzzles
from compare.commands import commands
from puzzles.backend import SIDE_NAMES
from tests.installed import needs
from tests.places import ROOT
from tests.processes import command, compare, environment, run_python

QUICK = ("page",)
"""Tried in the quick tests, too: it has a part in the output of others."""

HELPS = """
import sys
from compare.commands import module
from compare.commands.arguments import CommandParser
for name in sys.argv[1:]:
    parser = CommandParser("compare", name)
    module(name).arguments(parser)
    print("\\n" + parser.format_help())
"""
"""Prints the help of each of these commands."""

IN_TURN = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from compare.command_line import main
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as refused:
            status = refused.code
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""
"""Runs commands one after the other; prints the exit status and the output of each."""

STATUSES = {"unknown": 2, "fuzz a program": 1}
"""The exit statuses of commands that do not end well."""

COMMANDS = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in commands()
    if name != "run"
]


BACKENDS = [
    pytest.param(side, name, marks=pytest.mark.slow)
    for side in SIDE_NAMES
    for name in puzzles.names()
    if (ROOT / side / name).is_dir()
]
"""The sides of puzzles: their backends are tried in one copy, one after the other."""


class Copy:
    """The packages in a folder of their own, without some of their files and folders."""

    def __init__(self, folder: Path, *gone: str) -> None:
        self.folder = folder
        self.env = {**environment(), "PYTHONPATH": str(folder)}
        for package in ("puzzles", "direct", "models", "compare"):
            shutil.copytree(ROOT / package, folder / package)
        self.take_out(*gone)

    def take_out(self, *patterns: str) -> None:
        for pattern in patterns:
            paths = list(self.folder.glob(pattern))
            assert paths, f"nothing is called {pattern}"
            for path in paths:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def put_back(self, name: str) -> None:
        shutil.copy(ROOT / name, self.folder / name)

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run_python(*words, cwd=self.folder, env=self.env)

    def compare(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command of the copy; it must have this exit status."""
        ended = self.python("-m", "compare", *words)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended

    def compare_in_turn(self, *commands: Sequence[str]) -> list[subprocess.CompletedProcess[str]]:
        """Run several commands of the copy in one Python: its start takes longer than most."""
        printed = self.python("-c", IN_TURN, json.dumps(commands)).stdout
        results = [json.loads(line) for line in printed.splitlines()]
        return [
            subprocess.CompletedProcess(words, *result)
            for words, result in zip(commands, results, strict=True)
        ]

    def agrees(self, puzzle: str, *words: str) -> str:
        """Compare all backends of a puzzle on its samples; returns what is printed."""
        ended = self.compare("run", puzzle, "-k", "sample", *words)
        assert ended.stdout.splitlines()[-1].startswith("ALL AGREE; ")
        return ended.stdout

    def finds_nothing(self, puzzle: str) -> None:
        """Fuzz a puzzle for a short time."""
        words = ["fuzz", puzzle, "--cases", "200", "--size", "6"]
        assert "nothing found up to " in self.compare(*words).stdout

    def reports(self, records: str) -> None:
        """Make a report of a file of records."""
        needs("jinja2", "matplotlib")
        self.compare("report", records)
        assert "ALL AGREE" in (self.folder / "report.html").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_goes_with_its_folder(name: str, tmp_path: Path) -> None:
    copy = Copy(tmp_path, f"compare/commands/{name}")
    assert re.search(rf"^  {name} ", copy.compare("--help").stdout, re.MULTILINE) is None
    look = f"import compare; print({name!r} in dir(compare), hasattr(compare, {name!r}))"
    left = set(commands()) - {name}
    helps = copy.python("-c", look + HELPS, *sorted(left)).stdout
    assert helps.startswith("False False\n")
    for other in left:
        assert f"\nusage: compare {other} " in helps
    if "report" in left:
        needs("jinja2", "matplotlib")
    lines = {
        "unknown": name,
        "run": "run beams -k sample -b direct --out runs.jsonl",
        "fuzz": "fuzz beams -b direct -b cnf --cases 200 --size 8",
        "fuzz a program": "fuzz beams -b direct --program 'mine=echo 0'",
        "report": "report runs.jsonl",
    }
    lines = {use: line for use, line in lines.items() if not line.startswith(f"{name} ")}
    ended = dict(zip(lines, copy.compare_in_turn(*map(shlex.split, lines.values())), strict=True))
    statuses = {use: each.returncode for use, each in ended.items()}
    assert statuses == {use: STATUSES.get(use, 0) for use in lines}, ended
    assert f"unknown command '{name}'" in ended["unknown"].stderr
    assert ended["run"].stdout.splitlines()[-1].startswith("ALL AGREE; ")
    if "fuzz" in left:
        assert "nothing found" in ended["fuzz"].stdout
        fuzzed = ended["fuzz a program"].stdout
        assert ("see it: python -m compare page" in fuzzed) == (name != "page")
        assert "replay: python -m compare run beams " in fuzzed
    if "report" in left:
        assert "ALL AGREE" in (copy.folder / "report.html").read_text()
    if "page" in left:
        serves(copy)


@pytest.mark.slow
def test_a_use_of_a_command_goes_with_its_folder(tmp_path: Path) -> None:
    """`fuzz formula` has a line in the help, and its puzzles; both go, and `fuzz` stays."""
    copy = Copy(tmp_path, "compare/commands/fuzz_formula")
    assert "fuzz formula" not in copy.compare("--help").stdout
    assert "formula" not in copy.compare("fuzz", "--help").stdout
    for puzzle in ("formula", "two-sat"):
        assert f"unknown puzzle '{puzzle}': " in copy.compare("run", puzzle, status=2).stderr
    copy.finds_nothing("beams")
    # A solver that is always wrong is not tried alone.
    words = ["-b", "models:cnf", "--solver", "sh -c 'echo s UNSATISFIABLE' {cnf}"]
    wrong = copy.compare("fuzz", "geography", *words, "--cases", "20", status=1).stdout
    assert "replay: python -m compare run geography " in wrong
    assert "formula" not in wrong


@pytest.mark.slow
def test_what_scale_offers_in_other_commands_goes_with_it(tmp_path: Path) -> None:
    """The report has no growth, and the page no race."""
    needs("jinja2", "matplotlib", "starlette", "uvicorn")
    growth = "Time against size"
    for gone in ((), ("compare/commands/scale",)):
        copy = Copy(tmp_path / str(len(gone)), *gone)
        copy.agrees("beams", "-b", "direct", "--out", "runs.jsonl")
        copy.reports("runs.jsonl")
        assert (growth in (copy.folder / "report.html").read_text()) == (not gone)
        code = (
            "from compare.commands.page.catalogue import _described_text\n"
            "import json; print(json.loads(_described_text('beams'))['races'])"
        )
        assert copy.python("-c", code).stdout == f"{not gone}\n"


@pytest.mark.slow
def test_the_search_of_the_page_goes_with_fuzz(tmp_path: Path) -> None:
    needs("starlette", "uvicorn")
    code = (
        "from compare.commands.page.application import Page\n"
        "from compare.commands.page.catalogue import _described_text\n"
        "from compare.commands.page.hints import Additions\n"
        "import json; Page(Additions()).application(1)\n"
        "print(json.loads(_described_text('beams'))['searches'])"
    )
    for gone in ((), ("compare/commands/fuzz", "compare/commands/fuzz_formula")):
        copy = Copy(tmp_path / str(len(gone)), *gone)
        assert copy.python("-c", code).stdout == f"{not gone}\n"


def serves(copy: Copy) -> None:
    """Start the page on a free port, see its address, and end it."""
    needs("starlette", "uvicorn")
    words = command("compare", "page", "--no-browser", "--port", "0")
    with subprocess.Popen(
        words, cwd=copy.folder, env=copy.env, stdout=subprocess.PIPE, text=True
    ) as page:
        assert page.stdout is not None
        assert "http://127.0.0.1:" in page.stdout.readline()
        os.kill(page.pid, signal.SIGINT)
        assert page.wait(60) == 130


@pytest.mark.slow
@pytest.mark.parametrize("name", puzzles.names())
def test_a_puzzle_goes_with_its_folders(name: str, tmp_path: Path) -> None:
    """`list` and the helps do not name it, and the others work. Records of it are refused in one
    sentence.
    """
    records = tmp_path / "of_all.jsonl"
    compare(f"run {name} -k sample -b direct --out", str(records), status=0)
    copy = Copy(tmp_path, f"puzzles/{name}", f"direct/{name}", f"models/{name}")
    left = [each for each in puzzles.names() if each != name]
    unknown = copy.compare("run", name, status=2).stderr
    assert unknown.startswith(f"unknown puzzle '{name}': choose from {left[0]}, ")
    helps = copy.python("-c", HELPS, *commands()).stdout
    assert all(f"\nusage: compare {each} " in helps for each in commands())
    for text in (helps, copy.compare("list").stdout):
        assert re.search(rf"\b{name}\b", text) is None
    for command_line in (["report"], ["run", left[0], "--resume", "--out"]):
        refused = copy.compare(*command_line, str(records), status=2).stderr
        assert name in refused
        assert len(refused.splitlines()) == 1
    for other in left:
        copy.agrees(other)
    fuzzed = copy.compare(
        "fuzz", "all", "-b", "direct", "-b", "cnf", "--cases", "50", "--size", "6"
    )
    assert fuzzed.stdout.count("nothing found up to ") == len(left)
    serves(copy)


@pytest.mark.parametrize(("side", "name"), BACKENDS)
def test_a_backend_goes_with_its_file(side: str, name: str, tmp_path: Path) -> None:
    """One after the other, then all of the side; the rest of the puzzle works."""
    copy, folder = Copy(tmp_path), f"{side}/{name}"
    files = sorted(path.name for path in (ROOT / folder).glob("by_*.py"))
    assert files
    for file in files:
        copy.take_out(f"{folder}/{file}")
        backend = file.removeprefix("by_").removesuffix(".py").replace("_", "-")
        listed = re.findall(r"^((?:direct|models):\S+) ", list_of(copy, name), re.MULTILINE)
        assert f"{side}:{backend}" not in listed
        assert len([each for each in listed if each.startswith(f"{side}:")]) == len(files) - 1
        refused = copy.compare("run", name, "-b", f"{side}:{backend}", status=2).stderr
        assert refused.startswith(f"unknown {name} backend '{side}:{backend}': ")
        assert len(refused.splitlines()) == 1
        assert backend not in contenders(copy.agrees(name))
        copy.finds_nothing(name)
        copy.put_back(f"{folder}/{file}")
    copy.take_out(f"{folder}/by_*.py")
    refused = copy.compare("run", name, "-b", side, status=2).stderr
    assert refused == (
        f"{side} has no backend for {name}: write one into {folder}/by_NAME.py, a function under "
        f"@backend({name!r}, NAME, side={side!r}, source=...), or ask the other side\n"
    )
    assert f"\n{side}:" not in list_of(copy, name)
    copy.agrees(name, "--out", "runs.jsonl")
    copy.finds_nothing(name)
    copy.reports("runs.jsonl")
    helps = copy.python("-c", HELPS, *commands()).stdout
    assert helps.count("\nusage: compare ") == len(commands())
    serves(copy)


def list_of(copy: Copy, puzzle: str) -> str:
    """The backends of a puzzle, as `list` shows them."""
    listed = re.search(
        rf"^{puzzle}: .*?^family ", copy.compare("list").stdout, re.MULTILINE | re.DOTALL
    )
    assert listed is not None
    return listed[0]


def contenders(table: str) -> list[str]:
    """The backends that a table of `run` has columns for: the second line of its head."""
    lines = table.splitlines()
    number = next(number for number, line in enumerate(lines) if line.startswith("dataset "))
    return lines[number + 1].split()


@pytest.mark.slow
def test_dask_goes_with_its_files(tmp_path: Path) -> None:
    copy = Copy(
        tmp_path, "compare/engine/elsewhere/cluster.py", "compare/engine/elsewhere/remote.py"
    )
    helps = copy.python("-c", HELPS, *commands()).stdout
    assert helps.count("\nusage: compare ") == len(commands())
    assert re.search(r"dask|scheduler", helps, re.IGNORECASE) is None
    refused = copy.compare("run", "beams", "--scheduler", "tcp://127.0.0.1:9", status=2).stderr
    assert "unrecognized arguments: --scheduler" in refused
    copy.agrees("beams", "-b", "direct", "--out", "runs.jsonl")
    copy.finds_nothing("beams")
    copy.reports("runs.jsonl")
    serves(copy)
