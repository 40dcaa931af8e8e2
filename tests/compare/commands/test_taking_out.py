"""Whoever takes away the folder of a command, or those of a puzzle, takes away nothing else."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import puzzles
from compare.commands import commands
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

COMMANDS = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in commands()
    if name != "run"
]


class Copy:
    """The packages in a folder of their own, without some of their files and folders."""

    def __init__(self, folder: Path, *gone: str) -> None:
        self.folder = folder
        self.env = {**environment(), "PYTHONPATH": str(folder)}
        for package in ("puzzles", "direct", "models", "compare"):
            shutil.copytree(ROOT / package, folder / package)
        for pattern in gone:
            for path in folder.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run_python(*words, cwd=self.folder, env=self.env)

    def compare(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command of the copy; it must have this exit status."""
        ended = self.python("-m", "compare", *words)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_goes_with_its_folder(name: str, tmp_path: Path) -> None:
    copy = Copy(tmp_path, f"compare/commands/{name}")
    compare = copy.compare
    assert re.search(rf"^  {name} ", compare("--help").stdout, re.MULTILINE) is None
    assert f"unknown command '{name}'" in compare(name, status=2).stderr
    left = set(commands()) - {name}
    helps = copy.python("-c", HELPS, *sorted(left)).stdout
    for other in left:
        assert f"\nusage: compare {other} " in helps
    ended = compare("run", "beams", "-k", "sample", "-b", "direct", "--out", "runs.jsonl")
    assert ended.stdout.splitlines()[-1].startswith("ALL AGREE; ")
    program = f"mine={shlex.join([sys.executable, '-c', 'print(0)'])}"
    if "fuzz" in left:
        words = ["-b", "direct", "-b", "cnf", "--cases", "200", "--size", "8"]
        assert "nothing found" in compare("fuzz", "beams", *words).stdout
        fuzzed = compare("fuzz", "beams", "-b", "direct", "--program", program, status=1).stdout
        assert ("see it: python -m compare page" in fuzzed) == (name != "page")
        assert "replay: python -m compare run beams " in fuzzed
    if "report" in left:
        needs("jinja2", "matplotlib")
        compare("report", "runs.jsonl")
        assert "ALL AGREE" in (tmp_path / "report.html").read_text()
    if "page" in left:
        serves(copy)


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
    copy = Copy(tmp_path, f"puzzles/{name}", f"direct/{name}*", f"models/{name}")
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
        ended = copy.compare("run", other, "-k", "sample")
        assert ended.stdout.splitlines()[-1].startswith("ALL AGREE; ")
    fuzzed = copy.compare(
        "fuzz", "all", "-b", "direct", "-b", "cnf", "--cases", "50", "--size", "6"
    )
    assert fuzzed.stdout.count("nothing found up to ") == len(left)
    serves(copy)
