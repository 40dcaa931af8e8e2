"""The gallery: every attack with its file and with what must be seen of it."""

from __future__ import annotations

import signal

from compare.attacks.attack import Attack, Wanted
from compare.isolate.outcome import Status
from compare.isolate.processes import signal_name

OK, TIMEOUT, MEMORY, CRASH, ERROR = Status.OK, Status.TIMEOUT, Status.MEMORY, Status.CRASH, Status.ERROR

_EMPTY, _OUTPUT, _DIED = "the text is empty", "<output of attacker-", "the worker died"


def _ignored() -> set[int]:
    """Signals that a process without a terminal ignores unless it asks for them."""
    names = ("SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGINFO", "SIGTSTP", "SIGTTIN", "SIGTTOU")
    return {int(getattr(signal, name)) for name in names if hasattr(signal, name)}


def _killed_by(number: int) -> Wanted:
    if number in _ignored():
        return Wanted(ERROR, _EMPTY)
    return Wanted(TIMEOUT) if number == signal.SIGSTOP else Wanted(CRASH, f"killed by {signal_name(number)}")


def _each(names: str, status: Status, words: str = "") -> dict[str, Wanted]:
    """The same row for several attackers, or for the only one, which has no name."""
    return dict.fromkeys(names.split() or [""], Wanted(status, words))


PROGRAMS = (
    Attack(
        name="signals",
        file="programs/endings/signals.sh",
        rows={str(number): _killed_by(number) for number in range(1, signal.NSIG)},
        seconds=2,
    ),
    Attack(
        name="exit statuses",
        file="programs/endings/exit_statuses.sh",
        rows={"0": Wanted(ERROR, _EMPTY), **{str(number): Wanted(CRASH, f"exit status {number}") for number in range(1, 256)}},
    ),
    Attack(name="half an answer", file="programs/endings/half_an_answer.py", rows=_each("", CRASH, "killed by SIGABRT")),
    Attack(
        name="endless output",
        file="programs/output/endless_output.py",
        rows=_each("lines one-line zeros", ERROR, "printed more than 67108864 bytes"),
        seconds=20,
    ),
    Attack(
        name="endless complaints",
        file="programs/output/endless_complaints.py",
        rows=_each("", TIMEOUT, "stopped at 1 s"),
        seconds=1,
    ),
    Attack(
        name="garbage",
        file="programs/output/garbage.py",
        rows={
            "nothing": Wanted(ERROR, _EMPTY),
            **_each("words zeros bytes digits", ERROR, ":1:1: expected Case #1: "),
            **_each("half other-board wide tall", ERROR, _OUTPUT),
        },
    ),
    Attack(name="huge numbers", file="programs/output/huge_numbers.py", rows=_each("9 1 -9", ERROR, ":1:1: expected Case #1: ")),
    Attack(name="wrong counts", file="programs/output/wrong_counts.py", rows=_each("two twice other", ERROR, _OUTPUT)),
    Attack(
        name="control characters",
        file="programs/output/control_characters.py",
        rows={"output": Wanted(ERROR), "error": Wanted(CRASH, "exit status 1: ")},
    ),
    Attack(
        name="memory",
        file="programs/resources/memory.py",
        rows=_each("own children", MEMORY, "more than 200 MB resident"),
        options=("--memory", "200"),
        seconds=20,
    ),
    Attack(name="file in memory", file="programs/resources/memfd.py", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="fork bomb", file="programs/resources/fork_bomb.py", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="closed descriptors", file="programs/resources/closed_descriptors.py", rows=_each("", TIMEOUT), seconds=1),
    Attack(name="never ends", file="programs/resources/never_ends.py", rows=_each("sleeps spins deaf", TIMEOUT), seconds=1),
    Attack(name="daemons", file="programs/processes/daemons.py", rows=_each("child grandchild clean", ERROR, _EMPTY)),
    Attack(name="kills us", file="programs/processes/kills.py", rows=_each("worker keeper both", CRASH, _DIED)),
    Attack(name="stops us", file="programs/processes/stops.py", rows=_each("worker both", TIMEOUT), seconds=1),
    Attack(name="deletes the folder", file="programs/processes/deletes_folder.sh", rows=_each("", CRASH, _DIED)),
)

PLUGINS = (
    Attack(
        name="no answers",
        file="plugins/answers/no_answers.py",
        rows={
            "none": Wanted(ERROR, "malformed answer: expected Layout, got None"),
            "text": Wanted(ERROR, "malformed answer: expected Layout, got 'POSSIBLE' of type str"),
            "number": Wanted(ERROR, "malformed answer: expected Layout, got 1 of type int"),
            "pair": Wanted(ERROR, "malformed answer: expected a plain value or one of Beams, Effort, Layout"),
            "class": Wanted(ERROR, "malformed answer: "),
        },
    ),
    Attack(
        name="wrong fields",
        file="plugins/answers/wrong_fields.py",
        rows={
            "no-truth": Wanted(ERROR, "malformed answer: possible: expected bool, got 'yes' of type str"),
            "no-board": Wanted(ERROR, "malformed answer: board: expected Beams or None, got '#' of type str"),
            "bad-grid": Wanted(ERROR, "malformed answer: board cannot be built: a beams board holds only"),
            "wrong-dtype": Wanted(ERROR, "malformed answer: board.grid: expected an array of uint8, got an array of int64"),
            "no-field": Wanted(ERROR, "malformed answer: Layout has no possible"),
            "effort": Wanted(ERROR, "malformed answer: effort.build_s: expected float or None, got 'quick' of type str"),
            "not-finite": Wanted(ERROR, "malformed answer: effort.build_s: expected float or None, got nan of type float"),
            "certificate": Wanted(ERROR, "malformed answer: certificate: expected a plain value or one of "),
        },
    ),
    Attack(
        name="off the board",
        file="plugins/answers/off_the_board.py",
        rows={
            "beyond": Wanted(ERROR, "malformed answer: it does not belong to the geography board: IndexError: "),
            "before": Wanted(ERROR, "malformed answer: "),
        },
        puzzle="geography",
        board="1 3\n...\n",
    ),
    Attack(name="other check", file="plugins/lies/other_check.py", rows=_each("other-check", OK)),
    Attack(name="odd number", file="plugins/lies/odd_number.py", rows=_each("odd-number", ERROR, "malformed answer: ")),
    Attack(name="two faces", file="plugins/lies/two_faced.py", rows=_each("two-faced", ERROR, "malformed answer: ")),
    Attack(name="unpickled", file="plugins/lies/unpickled.py", rows=_each("unpickled", ERROR, "malformed answer: ")),
    Attack(name="descriptors", file="plugins/lies/descriptors.py", rows=_each("descriptors", CRASH)),
    Attack(
        name="reaches for us",
        file="plugins/lies/reaching.py",
        rows=_each("by-descriptors by-memory as-tracer by-reading by-writing", OK),
    ),
    Attack(name="other encoder", file="plugins/lies/encoder.py", rows=_each("encoder", ERROR, "malformed answer: ")),
    Attack(
        name="ends its process",
        file="plugins/conduct/endings.py",
        rows={
            "sys-exit": Wanted(CRASH, "raised SystemExit"),
            "status-0": Wanted(CRASH, "the answer was lost"),
            "status-3": Wanted(CRASH, "exit status 3"),
            "aborts": Wanted(CRASH, "killed by SIGABRT"),
            "recursion": Wanted(CRASH, "raised RecursionError"),
        },
    ),
    Attack(name="prints", file="plugins/conduct/prints.py", rows=_each("prints", OK)),
    Attack(name="raises", file="plugins/conduct/raises.py", refusal="RuntimeError: not today"),
    Attack(name="exits", file="plugins/conduct/exits.py", refusal="SystemExit: 0"),
    Attack(name="aborts", file="plugins/conduct/aborts.py", refusal="killed by SIGABRT"),
    Attack(
        name="raises later", file="plugins/conduct/raises_later.py", rows=_each("raises-later", CRASH, "RuntimeError: not twice")
    ),
    Attack(name="kills its parent", file="plugins/conduct/kills_parent.py", rows=_each("kills-parent", CRASH, _DIED)),
    Attack(name="deletes the place", file="plugins/conduct/deletes_folder_too.py", rows=_each("deletes-folder", CRASH)),
    Attack(name="endless loop", file="plugins/conduct/endless_loop.py", rows=_each("endless-loop", TIMEOUT), seconds=1),
    Attack(name="leaves processes", file="plugins/conduct/leaves_processes.py", rows=_each("leaves-processes", OK)),
    Attack(
        name="eats memory",
        file="plugins/conduct/eats_memory.py",
        rows=_each("eats-memory", MEMORY, "more than 400 MB resident"),
        options=("--memory", "400"),
        seconds=20,
    ),
)

SOLVERS = (
    Attack(name="endless solver", file="solvers/endless_solver.py", rows=_each("", ERROR, "printed more than"), seconds=20),
    Attack(
        name="dying solver",
        file="solvers/dying_solver.py",
        rows=_each("", ERROR, "exit status -6, no s line: I give up"),
    ),
    Attack(name="wrong model", file="solvers/wrong_model.py", rows=_each("", ERROR, "a model that does not satisfy the clause")),
    Attack(name="wrong no", file="solvers/wrong_no.py", rows=_each("", OK)),
    Attack(name="silent solver", file="solvers/silent_solver.py", rows=_each("", TIMEOUT), seconds=1),
)

GALLERY = (*PROGRAMS, *PLUGINS, *SOLVERS)
