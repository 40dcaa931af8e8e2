"""Whoever takes the folder of a command away takes that command away, and nothing else."""

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

from compare.commands import commands
from tests.installed import needs
from tests.places import ROOT
from tests.processes import command, environment, run_python

QUICK = ("page",)
"""Tried in the quick tests, too: it has a part in the output of others."""

HELPS = """
import sys
from compare.command_line import CommandParser
from compare.commands import module
for name in sys.argv[1:]:
    parser = CommandParser("compare", name)
    module(name).arguments(parser)
    print("\\n" + parser.format_help())
"""
"""Prints the help of each of these commands."""

ROOMS = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in commands()
    if name != "run"
]


def copy_without(name: str, folder: Path) -> dict[str, str]:
    """The packages in a folder, without this command; the environment in which Python finds
    them.
    """
    for package in ("puzzles", "direct", "models", "compare"):
        shutil.copytree(ROOT / package, folder / package)
    shutil.rmtree(folder / "compare" / "commands" / name)
    return {**environment(), "PYTHONPATH": str(folder)}


@pytest.mark.parametrize("name", ROOMS)
def test_a_command_goes_with_its_folder(name: str, tmp_path: Path) -> None:
    env = copy_without(name, tmp_path)

    def compare(*words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        ended = run_python("-m", "compare", *words, cwd=tmp_path, env=env)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended

    assert re.search(rf"^  {name} ", compare("--help").stdout, re.MULTILINE) is None
    assert f"there is no command '{name}'" in compare(name, status=2).stderr
    left = set(commands()) - {name}
    helps = run_python("-c", HELPS, *sorted(left), cwd=tmp_path, env=env).stdout
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
        serves(tmp_path, env)


def serves(folder: Path, env: dict[str, str]) -> None:
    """Start the page on a free port, see its address, and end it."""
    needs("starlette", "uvicorn")
    words = command("compare", "page", "--no-browser", "--port", "0")
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdout is not None
        assert "http://127.0.0.1:" in page.stdout.readline()
        os.kill(page.pid, signal.SIGINT)
        assert page.wait(60) == 130
