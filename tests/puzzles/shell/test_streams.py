"""Closed streams, streams of few characters, and control characters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from puzzles.text import visible
from tests.processes import LONGEST_S, command, compare, environment, run_python

SAMPLE = "1\n1 3\n-.-\n"


@pytest.fixture(autouse=True)
def sample(tmp_path: Path) -> None:
    (tmp_path / "a.in").write_text(SAMPLE)


def closed(number: int, module: str, *words: str, cwd: Path) -> tuple[int, bytes, bytes]:
    """The exit status and both outputs of a module that begins with one standard stream closed."""
    shell = f'exec {number}>&-; exec "$@"' if number else 'exec 0<&-; exec "$@"'
    words = ("sh", "-c", shell, "sh", *command(module, *words))
    ended = subprocess.run(
        words, cwd=cwd, env=environment(), capture_output=True, check=False, timeout=LONGEST_S
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    ("module", "words"),
    [("direct", ["beams"]), ("models", ["beams"]), ("compare", ["check", "beams", "-", "x"])],
)
def test_a_closed_input_is_an_error(module: str, words: list[str], tmp_path: Path) -> None:
    assert closed(0, module, *words, cwd=tmp_path) == (2, b"", b"<stdin>: Bad file descriptor\n")


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("direct", ["beams", "a.in"]),
        ("compare", ["list"]),
        ("compare", ["run", "--help"]),
        ("compare", ["--help"]),
    ],
)
def test_a_closed_output_is_an_error(module: str, words: list[str], tmp_path: Path) -> None:
    assert closed(1, module, *words, cwd=tmp_path) == (
        2,
        b"",
        b"the output cannot be written: Bad file descriptor\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["direct", "beams", "none.in"],
        ["compare", "run", "beams", "none.in"],
        ["compare", "fuzz", "beams", "-b", "none"],
    ],
    ids=" ".join,
)
def test_bad_input_has_its_status_though_nobody_can_be_told(
    words: list[str], tmp_path: Path
) -> None:
    full = 'exec "$@" 2>/dev/full'
    ended = subprocess.run(
        ["sh", "-c", full, "sh", *command(*words)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=LONGEST_S,
    )
    assert (ended.returncode, ended.stdout) == (2, b"")


def test_both_outputs_may_be_closed(tmp_path: Path) -> None:
    """Children are started after that, and get no other stream in their place."""
    shell = 'exec "$@" >&- 2>&-'
    words = ["sh", "-c", shell, "sh", *command("compare", "solve", "beams", "a.in")]
    ended = subprocess.run(words, cwd=tmp_path, env=environment(), check=False, timeout=LONGEST_S)
    assert ended.returncode == 2


@pytest.mark.parametrize("words", ["run beams a.in -b direct -b cnf", "fuzz beams --cases 5"])
def test_a_machine_without_room_is_a_message_and_nobodys_fault(words: str, tmp_path: Path) -> None:
    shell = 'ulimit -n 8; exec "$@"'
    ended = subprocess.run(
        ["sh", "-c", shell, "sh", *command("compare", *words.split())],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=LONGEST_S,
    )
    assert ended.returncode == 2
    assert ended.stderr.endswith(
        b"this machine has no room: Too many open files; `ulimit -a` shows its limits\n"
    )


@pytest.mark.parametrize("module", ["direct", "models"])
def test_a_closed_error_stream_disturbs_nothing(module: str, tmp_path: Path) -> None:
    assert closed(2, module, "beams", "none.in", cwd=tmp_path) == (2, b"", b"")
    status, out, _ = closed(2, module, "beams", "a.in", cwd=tmp_path)
    assert (status, out[:8]) == (0, b"Case #1:")


@pytest.mark.parametrize(
    "encoding",
    ["ascii", *(pytest.param(name, marks=pytest.mark.slow) for name in ("latin-1", "utf-8"))],
)
def test_any_encoding_of_the_output_is_enough(encoding: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xe9.in")
    (tmp_path / name).write_text(SAMPLE)
    words = command("compare", "run", "beams", name, "-b", "direct", "--repeat", "2")
    env = environment(PYTHONIOENCODING=f"{encoding}:strict")
    ended = subprocess.run(
        words, cwd=tmp_path, env=env, capture_output=True, check=False, timeout=LONGEST_S
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (
        ended.stdout.decode(encoding)
        .rstrip()
        .splitlines()[-1]
        .endswith("1 board of 1 puzzle; runs: 2 OK; 1 of 1 answers PROVED.")
    )


def test_control_characters_are_shown_escaped(tmp_path: Path) -> None:
    assert (
        visible("a\n\tb\x1b[31m\r\x9b\u202e\udcff\0é∥")
        == "a\n\tb\\x1b[31m\\r\\x9b\\u202e\\udcff\\x00é∥"
    )
    program = f"mine={sys.executable} -c 'print(chr(27) + chr(155))'"
    ended = compare("run", "beams", "a.in", "-b", "direct", "--program", program, cwd=tmp_path)
    assert "\x1b" not in ended.stdout
    assert "\x9b" not in ended.stdout
    assert (
        compare("run", "beams", "\x1b[31m.in", cwd=tmp_path).stderr
        == "\\x1b[31m.in: No such file or directory\n"
    )


@pytest.mark.parametrize(("status", "ends"), [(130, 130), (3, 3)])
def test_an_interrupt_that_passed_through_exec_is_an_exit_status(
    status: int, ends: int, tmp_path: Path
) -> None:
    """Python would end such a module by SIGINT."""
    (tmp_path / "interrupted.py").write_text(
        "import sys\nfrom puzzles.shell.interruption import leave\n"
        "try:\n    exec('raise KeyboardInterrupt')\nexcept KeyboardInterrupt:\n    "
        "print('caught')\n"
        f"status = leave({status})\nexec('')\nsys.exit(status)\n"
    )
    ended = run_python("-m", "interrupted", env=environment(tmp_path))
    assert (ended.returncode, ended.stdout) == (ends, "caught\n")
