"""The gallery of faulty solvers: each with its fault, and in how many traces a search with seed 1
finds it.
"""

from __future__ import annotations

import shlex
import sys
from typing import NamedTuple

from compare.engine.isolate.outcome import Status
from compare.engine.work.result import REFUTED
from tests.places import PLANTED

WRAPPERS, PROGRAM = PLANTED / "solvers" / "wrappers.py", PLANTED / "solvers" / "program.py"


def wrapper(name: str) -> str:
    """A class of the gallery, as `--solver` takes it."""
    return f"{WRAPPERS}:{name}"


def program(fault: str) -> str:
    """A program of the gallery, as `--solver` takes it."""
    return shlex.join([sys.executable, str(PROGRAM), fault, "FORMULA"]).replace("FORMULA", "{cnf}")


class Planted(NamedTuple):
    """A faulty solver.

    Attributes:
        kind: of the fault.
        detail: a pattern for what is said to be wrong.
        traces: the first so many traces of seed 1 show the fault.
        words: further ones of the command.
    """

    name: str
    solver: str
    kind: str
    detail: str
    traces: int
    words: tuple[str, ...] = ()


WRONG_SAT, WRONG_UNSAT = "says SATISFIABLE, is UNSATISFIABLE", "says UNSATISFIABLE, is SATISFIABLE"
MODEL, CORE, PROOF = "its model ", "its core ", "its proof "

GALLERY = (
    Planted("FlipsSat", wrapper("FlipsSat"), REFUTED, WRONG_UNSAT, 200),
    Planted("InventsModels", wrapper("InventsModels"), REFUTED, WRONG_SAT, 600),
    Planted("FlipsLiteral", wrapper("FlipsLiteral"), REFUTED, MODEL, 100),
    Planted("LeavesOutVariables", wrapper("LeavesOutVariables"), REFUTED, MODEL, 100),
    Planted("LeavesVariables", wrapper("LeavesVariables"), REFUTED, MODEL, 50),
    Planted("ShortensCores", wrapper("ShortensCores"), REFUTED, CORE, 50),
    Planted("WidensCores", wrapper("WidensCores"), REFUTED, CORE, 50),
    Planted("LosesClauses", wrapper("LosesClauses"), REFUTED, WRONG_SAT, 50),
    Planted("ForgetsAssumptions", wrapper("ForgetsAssumptions"), REFUTED, WRONG_SAT, 50),
    Planted("SkipsProofs", wrapper("SkipsProofs"), REFUTED, PROOF, 150),
    Planted("InventsSteps", wrapper("InventsSteps"), REFUTED, PROOF, 150),
    Planted(
        "DiesOfEmptyClause", wrapper("DiesOfEmptyClause"), Status.CRASH, "killed by SIGABRT", 20
    ),
    Planted(
        "Hangs",
        wrapper("Hangs"),
        Status.TIMEOUT,
        "stopped at ",
        150,
        ("--family", "tiny", "--family", "of-beams"),  # a million variables take long, too
    ),
    Planted("EatsMemory", wrapper("EatsMemory"), Status.MEMORY, "more than 600 MB resident", 100),
    Planted(
        "ChangesItsMind",
        wrapper("ChangesItsMind"),
        REFUTED,
        " at first, (UN)?SATISFIABLE when asked again",
        50,
    ),
    Planted(
        "wrong-lines",
        program("wrong-lines"),
        REFUTED,
        "its model satisfies no literal of clause",
        30,
    ),
    Planted(
        "no-lines",
        program("no-lines"),
        REFUTED,
        "(its model satisfies no literal of clause|said that there is a model and printed none)",
        30,
    ),
    Planted("signal", program("signal"), Status.CRASH, "was killed by SIGSEGV", 30),
    Planted("hangs", program("hangs"), Status.TIMEOUT, "stopped at ", 30),
)

LIBRARIES = {
    "KEEPS_ASSUMPTIONS": (REFUTED, WRONG_UNSAT),
    "NO_CORE": (REFUTED, CORE),
    "LOSES_CLAUSES": (REFUTED, WRONG_SAT),
    "WRONG_VALUE": (REFUTED, MODEL),
    "ONE_SIGN": (REFUTED, r"returned -?\d+ from ipasir_val\(\d+\) and -?\d+ from ipasir_val\(-"),
    "ODD_STATUS": (Status.ERROR, "returned 30; IPASIR knows"),
}
"""The faults that the planted IPASIR library can have, and how each shows."""
