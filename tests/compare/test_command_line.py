"""The help of `compare`: commands by what somebody wants, and examples of each that work as
printed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import puzzles
from compare.commands import GROUPS, commands, help_lines
from tests.installed import needs
from tests.places import ROOT
from tests.processes import compare, environment

STATUS = {
    **dict.fromkeys([("run", 0), ("fuzz", 0), ("stress", 0), ("stress", 1)], 1),
    **dict.fromkeys([("page", 0), ("page", 1)], 130),
}
"""The examples of a command that do not exit with 0, by their numbers: each finds a wrong program,
or is interrupted.
"""

FAST = {"generate", "rules"}
"""The commands whose examples are not slow."""


def test_the_help_groups_the_commands_and_begins_with_those_most_wanted() -> None:
    ended = compare("--help", status=0)
    assert re.findall(r"^  ([a-z]+) {2,}\w", ended.stdout, re.MULTILINE)[:3] == [
        "run",
        "fuzz",
        "check",
    ]
    for title in GROUPS:
        names = [name for name, each in help_lines().items() if each.group == title]
        part = ended.stdout.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert re.findall(r"^  ([a-z]+(?: [a-z]+)?) {2,}\w", part, re.MULTILINE) == names
    assert max(map(len, ended.stdout.splitlines())) <= 80


def test_an_unknown_command_is_refused_with_the_names_that_exist() -> None:
    ended = compare("rnu", status=2)
    assert ended.stdout == ""
    assert "unknown command 'rnu': did you mean run? " in ended.stderr
    assert all(name in ended.stderr for name in commands())


STRESSED = {
    "gen.py": "import sys\nprint(int(sys.argv[1]) % 50)\n",
    "brute.py": "print(int(input()) * 2)\n",
    "fast.cpp": "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n + 2; }\n",
}
"""Two programs that differ on most inputs of a generator."""

CHECKED = {
    "checker.py": "import sys\nprint('ok', open(sys.argv[2]).read(), file=sys.stderr)\n",
    "case.in": "6\n",
    "jury.ans": "2\n",
    "mine.out": "2\n",
}
"""A checker that says what an output is worth, an input, and two answers that are worth as much."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in commands()],
)
def test_the_help_ends_with_examples_that_work(name: str, tmp_path: Path) -> None:
    help_text = compare(f"{name} --help").stdout
    examples = [line.strip() for line in help_text.partition("\nexamples:\n")[2].splitlines()]
    described = [each for words, each in help_lines().items() if words.split()[0] == name]
    examples_stated = [words for each in described for words in each.examples]
    stated = [re.sub(r"\{(\w+:)?([\w-]+)\}", r"\2", words) for words in examples_stated]
    assert examples == [f"python -m compare {each}" for each in stated]
    _prepare(name, tmp_path)
    for number, example in enumerate(examples):
        _works(name, example, tmp_path, STATUS.get((name, number), 0))


def _works(name: str, example: str, folder: Path, status: int) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    started = subprocess.Popen(
        ["bash", "-c", f"exec {example}"],
        cwd=folder,
        env=environment(PATH=path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if name == "page" and "--export" not in example:  # it serves until it is interrupted
        assert started.stdout is not None
        assert "http://" in started.stdout.readline()
        started.send_signal(signal.SIGINT)
    stdout, stderr = started.communicate()
    ended = subprocess.CompletedProcess(example, started.returncode, stdout, stderr)
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


def _prepare(name: str, folder: Path) -> None:
    """What the example names, in a folder: somebody's program, an input and an output, records."""
    if name in ("run", "fuzz", "stress"):
        if shutil.which("g++") is None:
            pytest.skip("no C++ compiler here")
        shutil.copy(ROOT / "examples" / "mine.cpp", folder)
        for file, text in STRESSED.items():
            (folder / file).write_text(text)
    elif name in ("check", "solve"):
        sample = puzzles.get("beams").data / "sample"
        shutil.copy(sample / "official.in", folder / "boards.in")
        shutil.copy(sample / "official.ans", folder / "output.txt")
        for file, text in CHECKED.items():
            (folder / file).write_text(text)
    elif name in ("conform", "page"):
        shutil.copy(ROOT / "examples" / "lights.py", folder)
    elif name in ("report", "diff"):
        if name == "report":
            needs("jinja2", "matplotlib")
        compare("run nogo -b direct -b cnf -k sample -q --out runs.jsonl", cwd=folder, status=0)
        for copy in ("before.jsonl", "after.jsonl"):
            shutil.copy(folder / "runs.jsonl", folder / copy)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("twofold equ", {"equivalent"}),
        ("twofold run min", {"minesweeper"}),
        ("twofold fuzz nogo -b cnf-m", {"cnf-monotone"}),
        ("twofold generate beams cy", {"cycle"}),
    ],
)
def test_the_shell_completes_commands_puzzles_backends_and_families(
    line: str, expected: set[str]
) -> None:
    needs("argcomplete")
    ended = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m compare 8>&1 9>/dev/null"],
        env=environment(
            _ARGCOMPLETE="1", COMP_LINE=line, COMP_POINT=str(len(line)), _ARGCOMPLETE_IFS="\n"
        ),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert {each.strip() for each in ended.stdout.split()} == expected
