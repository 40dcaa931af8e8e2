"""The attacks on `compare run`: hostile programs, plugins and solvers, each with what must be seen
of it.

What they do stands in `programs` and `plugins`, in the functions of their names, with the promise
that each tries to break.

What single processes may do is tried with them (`tests/compare/isolate`, `tests/compare/work`) and
not played again.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from pathlib import Path
from typing import Literal

from compare.isolate.outcome import Status
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


def _each(names: str, status: Status, words: str = "") -> dict[str, Wanted]:
    """The same row for several attackers, or for the only one, which has no name."""
    return dict.fromkeys(names.split() or [""], Wanted(status, words))


PROGRAMS = (
    Attack(name="half an answer", rows=_each("", CRASH, "killed by SIGABRT")),
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
        options=("--memory", "200"),
        seconds=20,
    ),
    Attack(name="file in memory", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="fork bomb", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="never ends", rows=_each("sleeps spins deaf", TIMEOUT), seconds=1),
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
)

SOLVERS = (
    Attack(
        name="dying solver",
        kind="solver",
        rows=_each("", CRASH, "exit status -6, no s line: I give up"),
    ),
    Attack(name="wrong no", kind="solver", rows=_each("", OK)),
)

GALLERY = (*PROGRAMS, *PLUGINS, *SOLVERS)
