"""What a plugin prints reaches standard error, line by line with its name, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from tests.processes import command, compare, environment, on_terminal

PLUGIN = r"""
import ctypes, os, sys
from puzzles.backend import backend
from puzzles.beams.board import Layout

def register(name, act):
    @backend("beams", name, side="direct", source="a plugin", certifies=False)
    def solve(board, *, certify=False):
        if not certify:
            act()
        return Layout(False)

def says_some():
    print("\x1b[2Jred", "Größe")
    print("to stderr", file=sys.stderr)
    os.write(1, b"\xff\n")

def says_much():
    for k in range(1000):
        print(k)

def says_one_line():
    print("x" * 100_000)

def dies():
    print("the last words")
    os.abort()

print("at import")
register("some", says_some)
register("much", says_much)
register("one-line", says_one_line)
register("exits", lambda: sys.exit("I leave"))
register("dies", dies)
register("silent", lambda: None)
"""
NAMES = ("some", "much", "one-line", "exits", "dies", "silent")

MUCH = [f"direct:much: {k}" for k in range(20)] + ["direct:much: ... 3840 more bytes"]
"""The 980 numbers that are left out have 2860 digits, and each has a line of its own."""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "plugin.py").write_text(PLUGIN)
    (tmp_path / "board.in").write_text("1\n1 3\n.-.\n")
    chosen = [word for name in NAMES for word in ("-b", name)]
    return ["run", "beams", "board.in", "--plugin", "plugin.py", "--out", "out.jsonl", *chosen]


def test_what_plugins_print_goes_to_stderr_and_the_rest_goes_on(
    words: list[str], tmp_path: Path
) -> None:
    ended = compare(*words, cwd=tmp_path)
    for printed in ("red", "to stderr", "at import", "more bytes", "last words"):
        assert printed not in ended.stdout.replace("killed by SIGABRT: the last words", "")
    imported, *lines = ended.stderr.splitlines()
    assert imported == "--plugin plugin.py: at import"
    assert [line for line in lines if "some" in line] == [
        "direct:some: \\x1b[2Jred Größe",
        "direct:some: to stderr",
        "direct:some: \\xff",
    ]
    assert [line for line in lines if "much" in line] == MUCH
    assert [line for line in lines if "one-line" in line] == [
        f"direct:one-line: {'x' * 4096}",
        f"direct:one-line: ... {100_001 - 4096} more bytes",
    ]
    assert [line for line in lines if "dies" in line] == ["direct:dies: the last words"]
    assert len(lines) == 3 + 21 + 2 + 1
    _, *records = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    rows = {
        record["contender"].removeprefix("direct:"): (record["status"], record["reason"])
        for record in records
    }
    line = PLUGIN.count("\n", 0, PLUGIN.index("sys.exit")) + 1
    raised = "the backend direct:exits raised SystemExit: I leave: mend that line"
    assert rows.pop("exits") == ("CRASH", f"plugin.py:{line}: {raised}")
    assert rows.pop("dies") == ("CRASH", "killed by SIGABRT: the last words")
    assert {status for status, _ in rows.values()} == {"OK"}
    assert rows.keys() == {"some", "much", "one-line", "silent"}
    printed = {record["contender"]: record["printed"].strip() for record in records}
    assert (printed["direct:dies"], printed["direct:silent"]) == ("the last words", "")


@pytest.mark.slow
def test_the_progress_bar_stays_out_of_the_way(words: list[str], tmp_path: Path) -> None:
    """The bar is erased before each line; on a terminal that is a return to the first column."""
    started = command("compare", *words)
    _, written = on_terminal(
        100,
        lambda terminal: subprocess.run(
            started, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=terminal
        ),
    )
    shown = [line.rpartition("\r")[2] for line in written.split("\n")]
    assert shown[0] == "--plugin plugin.py: at import"
    assert [line for line in shown if line.startswith("direct:much: ")] == MUCH
    assert f"/{len(NAMES)} runs |" in written


@pytest.mark.slow
def test_fuzz_shows_what_a_plugin_prints_first(words: list[str], tmp_path: Path) -> None:
    ended = compare(
        "fuzz beams --plugin plugin.py -b much --cases 40 --keep-going --jobs 1", cwd=tmp_path
    )
    imported, *lines = ended.stderr.splitlines()
    assert imported == "--plugin plugin.py: at import"
    assert lines[:20] == MUCH[:20]
    assert len(lines) == 21
    assert lines[20].startswith("direct:much: ... ")
    assert "much: 1\n" not in ended.stdout


def test_a_backend_of_ours_prints_nothing_on_our_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    sys.stdout.write("before, ")

    def speaks() -> None:
        os.write(1, b"a\n")
        os.write(2, b"b\n")

    ended = call(speaks, limits=Limits(20))
    assert ended.printed == "a\nb"
    assert capfd.readouterr() == ("before, ", "")
