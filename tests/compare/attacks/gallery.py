"""The attacks on `compare run`: hostile programs, plugins and solvers, each with what must be seen
of it.

What they do stands in `programs` and `plugins`, in the functions of their names, with the promise
that each tries to break.
"""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from pathlib import Path
from typing import Literal

from compare.isolate.outcome import Status, signal_name
from tests.compare.attacks import plugins, programs

HERE = Path(__file__).parent
PLUGIN = HERE / "plugins.py"

POSSIBLE = "1\n1 3\n.-.\n"
"""A board of beams. Whoever answers it falsely says IMPOSSIBLE."""


@dataclass(frozen=True)
class Wanted:
    """What the record of an attacker must say.

    Attributes:
        status: how its run ended.
        words: a part of the reason.
    """

    status: Status
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One attack, played by one command line.

    Attributes:
        name: that of its function in `programs` or `plugins`, with spaces.
        kind: what the attacker takes part as.
        rows: what the record of each attacker must say, by the argument that its program or solver
            gets, or by the backend's name.
        refusal: what the message says if the command must refuse the plugin; there are no rows
            then.
        shell: the program as a line of the shell, where it is not a function; its argument is `$0`.
        sentence: the promise of such a line.
        options: further words of the command line.
        seconds: the limit of each run.
    """

    name: str
    kind: Literal["program", "plugin", "solver"] = "program"
    rows: Mapping[str, Wanted] = field(default_factory=dict)
    refusal: str | None = None
    shell: str = ""
    sentence: str = ""
    puzzle: str = "beams"
    board: str = POSSIBLE
    options: Sequence[str] = ()
    seconds: float = 5.0

    @property
    def function(self) -> str:
        return self.name.replace(" ", "_")

    @property
    def promise(self) -> str:
        if self.sentence:
            return self.sentence
        function = vars(plugins if self.kind == "plugin" else programs)[self.function]
        return getdoc(function) or ""

    def command(self, argument: str) -> str:
        """The command of a program or solver."""
        words = (
            ["sh", "-c", self.shell]
            if self.shell
            else [sys.executable, str(HERE / "programs.py"), self.function]
        )
        return shlex.join([*words, *filter(None, [argument])])

    @property
    def attackers(self) -> list[str]:
        """What records call the attackers, in the order of the rows."""
        match self.kind:
            case "solver":
                return ["models:cnf"]
            case "plugin":
                return [f"direct:{name}" for name in self.rows]
        return [f"attacker-{argument}" if argument else "attacker" for argument in self.rows]


OK, TIMEOUT, MEMORY, CRASH, ERROR = (
    Status.OK,
    Status.TIMEOUT,
    Status.MEMORY,
    Status.CRASH,
    Status.ERROR,
)

_EMPTY, _OUTPUT, _DIED = "the text is empty", "<output of attacker-", "its parent died"


def _ignored() -> set[int]:
    """Signals that a process without a terminal ignores unless it asks for them."""
    names = ("SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGINFO", "SIGTSTP", "SIGTTIN", "SIGTTOU")
    return {int(getattr(signal, name)) for name in names if hasattr(signal, name)}


def _killed_by(number: int) -> Wanted:
    if number in _ignored():
        return Wanted(ERROR, _EMPTY)
    return (
        Wanted(TIMEOUT)
        if number == signal.SIGSTOP
        else Wanted(CRASH, f"killed by {signal_name(number)}")
    )


def _each(names: str, status: Status, words: str = "") -> dict[str, Wanted]:
    """The same row for several attackers, or for the only one, which has no name."""
    return dict.fromkeys(names.split() or [""], Wanted(status, words))


PROGRAMS = (
    Attack(
        name="signals",
        shell='kill -"$0" $$',
        sentence="A program killed by a signal, whichever it is, is a row that names the "
        "signal, and the "
        "other runs go on.",
        rows={str(number): _killed_by(number) for number in range(1, signal.NSIG)},
        seconds=2,
    ),
    Attack(
        name="exit statuses",
        shell='exit "$0"',
        sentence="A program that ends with an exit status other than 0 is a row CRASH that "
        "names the "
        "status.",
        rows={
            "0": Wanted(ERROR, _EMPTY),
            **{str(number): Wanted(CRASH, f"exit status {number}") for number in range(1, 256)},
        },
    ),
    Attack(name="half an answer", rows=_each("", CRASH, "killed by SIGABRT")),
    Attack(
        name="endless output",
        rows=_each("lines one-line zeros", ERROR, "printed more than 64 MiB"),
        seconds=20,
    ),
    Attack(
        name="endless complaints",
        rows=_each("", TIMEOUT, "stopped at 1 s"),
        seconds=1,
    ),
    Attack(
        name="garbage",
        rows={
            "nothing": Wanted(ERROR, _EMPTY),
            **_each("words zeros bytes digits", ERROR, ":1:1: expected Case #1: "),
            **_each("half other-board wide tall", ERROR, _OUTPUT),
        },
    ),
    Attack(name="huge numbers", rows=_each("9 1 -9", ERROR, ":1:1: expected Case #1: ")),
    Attack(name="wrong counts", rows=_each("two twice other", ERROR, _OUTPUT)),
    Attack(
        name="control characters",
        rows={"output": Wanted(ERROR), "error": Wanted(CRASH, "exit status 1: ")},
    ),
    Attack(
        name="memory",
        rows=_each("own children", MEMORY, "more than 200 MB resident"),
        options=("--memory", "200"),
        seconds=20,
    ),
    Attack(name="file in memory", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="fork bomb", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="closed descriptors", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="never ends", rows=_each("sleeps spins deaf", TIMEOUT), seconds=1),
    Attack(name="daemons", rows=_each("child grandchild clean", ERROR, _EMPTY)),
    Attack(name="kills us", rows=_each("worker keeper both", CRASH, _DIED)),
    Attack(name="stops us", rows=_each("worker both", TIMEOUT), seconds=1),
    Attack(
        name="deletes the folder",
        sentence="A program that deletes the working directory and kills its worker is a row, "
        "and the "
        "other runs go on.",
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
    Attack(name="other check", kind="plugin", rows=_each("other-check", OK)),
    Attack(name="odd number", kind="plugin", rows=_each("odd-number", ERROR, "malformed answer: ")),
    Attack(name="two faces", kind="plugin", rows=_each("two-faced", ERROR, "malformed answer: ")),
    Attack(name="unpickled", kind="plugin", rows=_each("unpickled", ERROR, "malformed answer: ")),
    Attack(name="descriptors", kind="plugin", rows=_each("descriptors", CRASH)),
    Attack(
        name="reaches for us",
        kind="plugin",
        rows=_each("by-descriptors by-memory as-tracer by-reading by-writing", OK),
    ),
    Attack(name="other encoder", kind="plugin", rows=_each("encoder", ERROR, "malformed answer: ")),
    Attack(
        name="ends its process",
        kind="plugin",
        rows={
            "sys-exit": Wanted(CRASH, "raised SystemExit"),
            "status-0": Wanted(CRASH, "the answer was lost"),
            "status-3": Wanted(CRASH, "exit status 3"),
            "aborts": Wanted(CRASH, "killed by SIGABRT"),
            "recursion": Wanted(CRASH, "raised RecursionError"),
        },
    ),
    Attack(name="prints", kind="plugin", rows=_each("prints", OK)),
    Attack(name="raises", kind="plugin", refusal="RuntimeError: not today"),
    Attack(name="exits", kind="plugin", refusal="SystemExit: 0"),
    Attack(name="aborts", kind="plugin", refusal="killed by SIGABRT"),
    Attack(
        name="raises later",
        kind="plugin",
        rows=_each("raises-later", CRASH, "RuntimeError: not twice"),
    ),
    Attack(name="kills its parent", kind="plugin", rows=_each("kills-parent", CRASH, _DIED)),
    Attack(name="deletes the place", kind="plugin", rows=_each("deletes-folder", CRASH)),
    Attack(name="endless loop", kind="plugin", rows=_each("endless-loop", TIMEOUT), seconds=1),
    Attack(name="leaves processes", kind="plugin", rows=_each("leaves-processes", OK)),
    Attack(
        name="eats memory",
        kind="plugin",
        rows=_each("eats-memory", MEMORY, "more than 400 MB resident"),
        options=("--memory", "400"),
        seconds=20,
    ),
)

SOLVERS = (
    Attack(
        name="endless solver", kind="solver", rows=_each("", ERROR, "printed more than"), seconds=20
    ),
    Attack(
        name="dying solver",
        kind="solver",
        rows=_each("", CRASH, "exit status -6, no s line: I give up"),
    ),
    Attack(
        name="wrong model",
        kind="solver",
        rows=_each("", ERROR, "a model that does not satisfy the clause"),
    ),
    Attack(name="wrong no", kind="solver", rows=_each("", OK)),
    Attack(name="silent solver", kind="solver", rows=_each("", TIMEOUT), seconds=1),
)

GALLERY = (*PROGRAMS, *PLUGINS, *SOLVERS)
