"""Processes that tests start: their environment, commands of the project, small programs that take
part as contenders.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import indent
from typing import IO, TypeVar

import psutil

from tests.forked import run_forked, start_forked
from tests.places import ROOT

T = TypeVar("T")

LONGEST_S = 300.0
"""Seconds after which a process of a test is stopped and its test fails."""

FIND_OUR_PACKAGES = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
"""How a contender begins that imports our packages; it must not depend on the environment that the
harness passes on.
"""

READ_BOARD = "import sys\n_, size, *rows = sys.stdin.read().split('\\n')\n"
"""How a contender begins that reads one board in a contest's format: its line with the size, and
its rows.
"""

READ_BOARDS = """import sys
count, *lines = sys.stdin.read().splitlines()
for case in range(1, int(count) + 1):
    height = int(lines[0].split()[0])
    rows, lines = lines[1 : height + 1], lines[height + 1 :]
"""
"""How a contender begins that reads a file of boards: what follows, indented, is done for each of
them.
"""


def environment(*folders: Path, without: Collection[str] = (), **variables: str) -> dict[str, str]:
    """The tests' own environment, changed: Python looks for modules in `folders`, then in the
    checkout.

    Args:
        folders: where a test has modules of its own.
        without: the variables to leave out.
        variables: the variables to set.
    """
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT))), **variables}


def command(module: str, *words: str) -> list[str]:
    """The words that start a module as `python -m MODULE`."""
    return [sys.executable, "-m", module, *words]


def run_python(
    *words: str,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    text: str | None = None,
    stdout: int | IO[bytes] | IO[str] = subprocess.PIPE,
    preexec: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a new Python with these words to its end, in the environment above unless `env` is
    another one.

    Raises:
        AssertionError: a traceback stands on stderr. A user never sees one, whatever the mistake.
        subprocess.TimeoutExpired: the process takes longer than `LONGEST_S`.
    """
    ended = subprocess.run(
        [sys.executable, *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        input=text,
        check=False,
        cwd=cwd,
        env=environment() if env is None else env,
        timeout=LONGEST_S,
        preexec_fn=preexec,
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended


def run_module(
    module: str,
    *words: str,
    cwd: Path | None = None,
    text: str | None = None,
    stdout: int | IO[bytes] | IO[str] = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """Run `python -m MODULE` with these words to its end, as `run_python` does.

    For modules of ours no new interpreter starts, unless the folder or the environment needs one:
    see `tests.forked`. A test that is about the start itself takes `run_python`.
    """
    ended = run_forked([module, *words], cwd or Path.cwd(), environment(), text, stdout, LONGEST_S)
    if ended is None:
        return run_python("-m", module, *words, cwd=cwd, text=text, stdout=stdout)
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended


class Ended(subprocess.CompletedProcess[str]):
    """A command of `compare` that has ended."""

    @property
    def last_line(self) -> str:
        """That of its output, which has the verdict."""
        return self.stdout.splitlines()[-1]


def compare(
    line: str,
    *words: str,
    cwd: Path | None = None,
    text: str | None = None,
    status: int | None = None,
) -> Ended:
    """Run `python -m compare` to its end, as `run_python` does.

    Args:
        line: what a user types behind it; the words are parted as a shell parts them.
        words: further words, each as it is.
        status: the exit status that it must have; any, if not given.
    """
    ended = run_module("compare", *shlex.split(line), *words, cwd=cwd, text=text)
    assert status in (None, ended.returncode), ended.stdout + ended.stderr
    return Ended(line, ended.returncode, ended.stdout, ended.stderr)


class _Started:
    """A command of `compare` that is under way, as `compare` starts it."""

    def __init__(self, line: str, cwd: Path) -> None:
        self.line = line
        self.printed = TemporaryFile("w+")  # noqa: SIM115 - `wait` closes it
        self.complained = TemporaryFile("w+")  # noqa: SIM115 - `wait` closes it
        words = ["compare", *shlex.split(line)]
        started = start_forked(words, cwd, environment(), self.printed, self.complained)
        assert started is not None
        self.process = started

    def wait(self) -> Ended:
        status = self.process.wait(LONGEST_S)
        with self.printed as printed, self.complained as complained:
            for stream in (printed, complained):
                stream.seek(0)
            return Ended(self.line, status, printed.read(), complained.read())


def interrupt_compare(line: str, *, cwd: Path, once: Callable[[], object]) -> Ended:
    """Run `python -m compare` as `compare` does, and interrupt it as Ctrl-C does once something
    holds.
    """
    started = _Started(line, cwd)
    wait_until(lambda: once() or started.process.poll() is not None)
    started.process.send_signal(signal.SIGINT)
    return started.wait()


def compare_at_once(lines: Sequence[str], *, cwd: Path) -> list[Ended]:
    """Run several lines of `python -m compare` side by side: for those that wait most of the
    time.
    """
    return [started.wait() for started in [_Started(line, cwd) for line in lines]]


CompareHere = Callable[..., Ended]
"""What the fixture `compare_here` is: `compare` in the test's own process.

The exit status must be 0 unless told otherwise.
"""


def start_module(
    module: str,
    line: str = "",
    *words: str,
    cwd: Path | None = None,
    stdin: int | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.Popen[str]:
    """Start `python -m MODULE` with a line and further words, as `compare` takes them, and return
    at once; the caller waits for it, signals it, and reads what it prints.
    """
    return subprocess.Popen(
        command(module, *shlex.split(line), *words),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment() if env is None else env,
    )


def on_terminal(width: int, run: Callable[[int], T]) -> tuple[T, str]:
    """What `run` returns, which gets the descriptor of a terminal of this width; and what has been
    written to it.
    """

    def read_all() -> str:
        parts: list[bytes] = []
        with suppress(OSError):  # so Linux says that nobody writes any more
            while part := os.read(ours, 2**16):
                parts.append(part)
        return b"".join(parts).decode().replace("\r\n", "\n")

    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, width))
    with ThreadPoolExecutor(1) as reader:
        written = reader.submit(read_all)
        try:
            result = run(theirs)
        finally:
            os.close(theirs)
    os.close(ours)
    return result, written.result()


def running(word: str) -> list[psutil.Process]:
    """The processes with this word in their command lines."""
    return [
        each
        for each in psutil.process_iter(["cmdline", "status"])
        if word in (each.info["cmdline"] or ()) and each.info["status"] != psutil.STATUS_ZOMBIE
    ]


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until something holds, which is asked some twenty times a second: to look through all
    processes takes a good hundredth of one.

    Raises:
        AssertionError: it has not come to hold within `LONGEST_S`.
    """
    deadline = time.monotonic() + LONGEST_S
    while not holds():
        assert time.monotonic() < deadline, "this takes too long"
        time.sleep(0.05)


def contender(folder: Path, code: str, name: str = "mine") -> str:
    """Write a Python program into a folder; returns it as `--program` takes it, NAME=COMMAND."""
    path = folder / f"{name}.py"
    path.write_text(code)
    return f"{name}={sys.executable} {path}"


def impossible_program(folder: Path, name: str = "mine") -> str:
    """As `contender`: a program that calls each board of beams impossible.

    A shell starts in a tenth of the time of a Python.
    """
    path = folder / f"{name}.sh"
    path.write_text(
        "read -r count\nk=1\n"
        'while [ $k -le $count ]; do echo "Case #$k: IMPOSSIBLE"; k=$((k + 1)); done\n'
    )
    return f"{name}=sh {path}"


def reading_program(folder: Path, body: str, name: str = "mine") -> str:
    """As `contender`: a program that runs `body` for each board, with its number (`case`) and its
    lines (`rows`).
    """
    return contender(folder, f"{READ_BOARDS}{indent(body, '    ')}\n", name)
