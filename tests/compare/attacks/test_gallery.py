"""The attacks on `compare run`: hostile programs, plugins and solvers, each with what must be seen
of it.

What they do stands in `programs` and `plugins`, in the functions of their names, with the promise
that each tries to break. How a single process is stopped is tried in
`tests/compare/engine/isolate` and `tests/compare/engine/work`; here the whole command is under
attack.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from puzzles.answer import Verdict
from puzzles.text import visible
from tests.compare.attacks import plugins, programs
from tests.processes import command, environment, wait_until
from tests.records import read_file

MARK = "TWOFOLD_ATTACK"
"""The environment variable that names the folder of an attack.

Whoever has it belongs to the attack.
"""

LONGEST_S = 60.0
"""Seconds after which the command line of an attack is killed; the promise is broken then."""

POSSIBLE = "1\n1 3\n.-.\n"
"""A board of beams. Whoever answers it falsely says IMPOSSIBLE."""


class Wanted(NamedTuple):
    """What the record of an attacker must say: how its run ended, and a part of the reason."""

    status: Status
    words: str = ""


class Attack(NamedTuple):
    """One attack, played by one command line.

    Attributes:
        name: that of its function in `programs` or `plugins`, with spaces.
        kind: what the attacker takes part as: program, plugin or solver.
        rows: what the record of each attacker must say, by the argument that its program or solver
            gets, or by the backend's name.
        refusal: a pattern of what the message says behind the file's name if the command must
            refuse the plugin; there are no rows then.
        shell: the program as a line of the shell, where it is not a function; its argument is `$0`.
        seconds: the limit of each run.
        options: further ones of the command.
        fast: whether the fast suite plays it; the others take longer, or are much like one of
            these.
    """

    name: str
    kind: str = "program"
    rows: Mapping[str, Wanted] = {}
    refusal: str = ""
    shell: str = ""
    puzzle: str = "beams"
    board: str = POSSIBLE
    seconds: float = 5.0
    options: str = ""
    fast: bool = False

    @property
    def function(self) -> str:
        return self.name.replace(" ", "_")

    @property
    def attackers(self) -> dict[str, Wanted]:
        """The rows by what records call the attackers."""
        names = {"plugin": "direct:{}", "solver": "models:cnf", "program": "attacker-{}"}
        named = {names[self.kind].format(each): wanted for each, wanted in self.rows.items()}
        return {name.rstrip("-"): wanted for name, wanted in named.items()}

    def words(self, folder: Path) -> list[str]:
        """The words of `compare` that play it beside a built-in backend, which must not suffer.

        That backend needs no solver program where a solver attacks.
        """
        witness = "direct" if self.kind == "solver" else "models"
        line = f"run {self.puzzle} {folder}/board.in --out {folder}/runs.jsonl -b {witness}"
        words = [*line.split(), "--timeout", str(self.seconds), *self.options.split()]
        if self.kind == "plugin":
            words += ["--plugin", str(plugins.__file__)]
        script = [sys.executable, str(programs.__file__), self.function]
        starts = ["sh", "-c", self.shell] if self.shell else script
        for argument, name in zip(self.rows, self.attackers, strict=True):
            start = shlex.join([*starts, *filter(None, [argument])])
            words += {
                "plugin": ["-b", name],
                "solver": ["-b", name, "--solver", f"{start} {{cnf}}"],
                "program": ["--program", f"{name}={start}"],
            }[self.kind]
        return words


OK, TIMEOUT, MEMORY = Status.OK, Status.TIMEOUT, Status.MEMORY
CRASH, ERROR = Status.CRASH, Status.ERROR

_EMPTY, _OUTPUT, _DIED = "the text is empty", "<output of attacker-", "its parent died"


def _each(names: str, status: Status, words: str = "") -> dict[str, Wanted]:
    """One row for several attackers, or for the only one, which has no name."""
    return dict.fromkeys(names.split() or [""], Wanted(status, words))


PROGRAMS = (
    Attack(name="half an answer", rows=_each("", CRASH, "killed by SIGABRT"), fast=True),
    Attack(
        name="endless output",
        rows=_each("lines one-line zeros", ERROR, "printed more than 64 MiB"),
        seconds=20,
    ),
    Attack(
        name="garbage",
        rows={
            "nothing": Wanted(ERROR, _EMPTY),
            **_each("words zeros bytes digits", ERROR, ":1:1: expected Case #1: "),
            **_each("half other-board wide tall", ERROR, _OUTPUT),
        },
    ),
    Attack(
        name="control characters",
        rows={"output": Wanted(ERROR), "error": Wanted(CRASH, "exit status 1: ")},
    ),
    Attack(
        name="memory",
        rows=_each("own children", MEMORY, "more than 200 MB resident"),
        seconds=20,
        options="--memory 200",
    ),
    Attack(name="file in memory", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="fork bomb", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="never ends", rows=_each("sleeps spins deaf", TIMEOUT), seconds=1),
    Attack(
        name="deletes the folder",
        shell='rm -rf "${TWOFOLD_ATTACK:?}/here"; kill -KILL $PPID',
        rows=_each("", CRASH, _DIED),
    ),
)

PLUGINS = (
    Attack(
        name="no answers",
        kind="plugin",
        rows={
            "none": Wanted(ERROR, "malformed answer: expected Layout, got None"),
            "text": Wanted(ERROR, "malformed answer: expected Layout, got 'POSSIBLE' of type str"),
            "number": Wanted(ERROR, "malformed answer: expected Layout, got 1 of type int"),
            "pair": Wanted(
                ERROR, "malformed answer: expected a plain value or one of Beams, Effort, Layout"
            ),
            "class": Wanted(ERROR, "malformed answer: "),
        },
    ),
    Attack(
        name="wrong fields",
        kind="plugin",
        rows={
            "no-truth": Wanted(
                ERROR, "malformed answer: possible: expected bool, got 'yes' of type str"
            ),
            "no-board": Wanted(
                ERROR, "malformed answer: board: expected Beams or None, got '#' of type str"
            ),
            "bad-grid": Wanted(
                ERROR, "malformed answer: board cannot be built: a beams board holds only"
            ),
            "wrong-dtype": Wanted(
                ERROR,
                "malformed answer: board.grid: expected an array of uint8, got an array of int64",
            ),
            "no-field": Wanted(ERROR, "malformed answer: Layout has no possible"),
            "effort": Wanted(
                ERROR,
                "malformed answer: effort.build_s: expected float or None, got 'quick' of type str",
            ),
            "not-finite": Wanted(
                ERROR,
                "malformed answer: effort.build_s: expected float or None, got nan of type float",
            ),
            "certificate": Wanted(
                ERROR, "malformed answer: certificate: expected a plain value or one of "
            ),
        },
    ),
    Attack(
        name="off the board",
        kind="plugin",
        rows={
            "beyond": Wanted(
                ERROR, "malformed answer: it does not belong to the geography board: IndexError: "
            ),
            "before": Wanted(ERROR, "malformed answer: "),
        },
        puzzle="geography",
        board="1 3\n...\n",
    ),
    Attack(name="other check", kind="plugin", rows=_each("other-check", OK), fast=True),
    Attack(name="odd number", kind="plugin", rows=_each("odd-number", ERROR, "malformed answer: ")),
    Attack(name="two faces", kind="plugin", rows=_each("two-faced", ERROR, "malformed answer: ")),
    Attack(
        name="unpickled",
        kind="plugin",
        rows=_each("unpickled", ERROR, "malformed answer: "),
        fast=True,
    ),
    Attack(name="descriptors", kind="plugin", rows=_each("descriptors", CRASH)),
    Attack(name="other encoder", kind="plugin", rows=_each("encoder", ERROR, "malformed answer: ")),
    Attack(name="prints", kind="plugin", rows=_each("prints", OK)),
    Attack(
        name="raises",
        kind="plugin",
        refusal=r"\d+: importing the file raised RuntimeError: not today",
    ),
    Attack(name="exits", kind="plugin", refusal=r"\d+: importing the file raised SystemExit: 0"),
    Attack(name="aborts", kind="plugin", refusal=" killed by SIGABRT"),
    Attack(
        name="raises later",
        kind="plugin",
        rows=_each("raises-later", CRASH, "RuntimeError: not twice"),
    ),
    Attack(name="kills its parent", kind="plugin", rows=_each("kills-parent", CRASH, _DIED)),
    Attack(name="deletes the place", kind="plugin", rows=_each("deletes-folder", CRASH)),
    Attack(
        name="long answer",
        kind="plugin",
        rows=_each("long-answer", ERROR, "its answer has more than 64 MiB"),
        fast=True,
    ),
    Attack(name="endless loop", kind="plugin", rows=_each("endless-loop", TIMEOUT), seconds=1),
    Attack(name="leaves processes", kind="plugin", rows=_each("leaves-processes", OK)),
)

SOLVERS = (
    Attack(
        name="dying solver",
        kind="solver",
        rows=_each("", CRASH, "was killed by SIGABRT: I give up"),
    ),
    Attack(name="wrong no", kind="solver", rows=_each("", OK)),
)


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(each, id=each.name, marks=() if each.fast else pytest.mark.slow)
        for each in (*PROGRAMS, *PLUGINS, *SOLVERS)
    ],
)
def test_the_promise_holds(attack: Attack, tmp_path: Path) -> None:
    folder = tmp_path / "attack"
    for name in ("here", "temporary"):
        (folder / name).mkdir(parents=True)
    (folder / "board.in").write_text(attack.board)
    variables = {MARK: str(folder), f"{MARK}_NAME": attack.function}
    try:
        ended = subprocess.run(
            command("compare", *attack.words(folder)),
            cwd=folder / "here",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment(**variables, TMPDIR=f"{folder}/temporary"),
            timeout=LONGEST_S,
            start_new_session=True,
        )
        assert "Traceback" not in ended.stderr
        assert visible(ended.stdout) == ended.stdout
        assert visible(ended.stderr) == ended.stderr
        assert "\nALL AGREE" not in ended.stdout
        if attack.refusal:
            assert (ended.returncode, ended.stdout) == (2, "")
            file = re.escape(str(plugins.__file__))
            assert re.match(f"--plugin {file}:{attack.refusal}", ended.stderr)
        else:
            records_are_as_wanted(attack, folder, ended.returncode)
        assert not (folder / "harmed").exists(), "code of the attack ran in a process of ours"
        wait_until(lambda: not marked(str(folder)))
        assert list((folder / "temporary").iterdir()) == []
    finally:
        for process in marked(str(folder)):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)


def records_are_as_wanted(attack: Attack, folder: Path, status: int) -> None:
    records = read_file(str(folder / "runs.jsonl")).records
    by_name = {record.contender: record for record in records}
    attackers = attack.attackers
    assert len(records) == len(by_name) == 1 + len(attackers)
    (witness,) = by_name.keys() - attackers.keys()
    assert proved(by_name[witness]), "the backend of ours is innocent"
    for name, wanted in attackers.items():
        run = by_name[name]
        assert (name, run.status, proved(by_name[name])) == (name, wanted.status, False)
        assert wanted.words in run.reason
    failures = {CRASH, ERROR, *([TIMEOUT, MEMORY] if attack.kind == "program" else [])}
    failed = not failures.isdisjoint(wanted.status for wanted in attackers.values())
    assert status in ((1,) if failed else (0, 1))


def proved(record: Result) -> bool:
    return record.check is not None and record.check.verdict is Verdict.PROVED


def marked(folder: str) -> list[psutil.Process]:
    """The processes whose environment or command line names this folder."""
    processes: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            words = [] if process.pid == os.getpid() else process.cmdline()
            named = words and (
                process.environ().get(MARK, "").startswith(folder)
                or any(folder in word for word in words)
            )
            if named and process.status() != psutil.STATUS_ZOMBIE:
                processes.append(process)
    return processes
