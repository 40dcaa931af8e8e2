"""The gallery of faulty solvers: each with its fault, and in how many scripts a trial with seed 1 finds it."""

from __future__ import annotations

import shlex
import sys
from typing import NamedTuple

from compare.solvers.solver_faults import FaultKind
from tests.places import PLANTED

WRAPPERS, PROGRAM = PLANTED / "solvers" / "wrappers.py", PLANTED / "solvers" / "program.py"


def wrapper(name: str) -> str:
    """A class of the gallery, as `--solver` takes it."""
    return f"{WRAPPERS}:{name}"


def program(fault: str) -> str:
    """A program of the gallery, as `--solver-command` takes it."""
    return shlex.join([sys.executable, str(PROGRAM), fault, "FORMULA"]).replace("FORMULA", "{cnf}")


class Planted(NamedTuple):
    """A faulty solver.

    Attributes:
        scripts: the first so many scripts of seed 1 show the fault.
    """

    name: str
    solver: str
    kind: FaultKind
    scripts: int


GALLERY = (
    Planted("FlipsSat", wrapper("FlipsSat"), FaultKind.WRONG_UNSAT, 100),
    Planted("InventsModels", wrapper("InventsModels"), FaultKind.WRONG_SAT, 150),
    Planted("FlipsLiteral", wrapper("FlipsLiteral"), FaultKind.WRONG_MODEL, 100),
    Planted("LeavesOutVariables", wrapper("LeavesOutVariables"), FaultKind.WRONG_MODEL, 100),
    Planted("LeavesVariables", wrapper("LeavesVariables"), FaultKind.WRONG_MODEL, 50),
    Planted("ShortensCores", wrapper("ShortensCores"), FaultKind.WRONG_CORE, 50),
    Planted("WidensCores", wrapper("WidensCores"), FaultKind.WRONG_CORE, 50),
    Planted("LosesClauses", wrapper("LosesClauses"), FaultKind.WRONG_SAT, 50),
    Planted("ForgetsAssumptions", wrapper("ForgetsAssumptions"), FaultKind.WRONG_SAT, 50),
    Planted("SkipsProofs", wrapper("SkipsProofs"), FaultKind.WRONG_PROOF, 150),
    Planted("DiesOfEmptyClause", wrapper("DiesOfEmptyClause"), FaultKind.CRASH, 20),
    Planted("Hangs", wrapper("Hangs"), FaultKind.HANG, 150),
    Planted("EatsMemory", wrapper("EatsMemory"), FaultKind.MEMORY, 100),
    Planted("Silent", wrapper("Silent"), FaultKind.SILENCE, 50),
    Planted("ChangesItsMind", wrapper("ChangesItsMind"), FaultKind.DIFFERS, 50),
    Planted("wrong-lines", program("wrong-lines"), FaultKind.WRONG_MODEL, 30),
    Planted("no-lines", program("no-lines"), FaultKind.WRONG_MODEL, 30),
    Planted("no-verdict", program("no-verdict"), FaultKind.SILENCE, 30),
    Planted("signal", program("signal"), FaultKind.CRASH, 30),
    Planted("hangs", program("hangs"), FaultKind.HANG, 30),
)

LIBRARIES = {
    "KEEPS_ASSUMPTIONS": FaultKind.WRONG_UNSAT,
    "NO_CORE": FaultKind.WRONG_CORE,
    "LOSES_CLAUSES": FaultKind.WRONG_SAT,
    "WRONG_VALUE": FaultKind.WRONG_MODEL,
    "ODD_STATUS": FaultKind.SILENCE,
}
"""The faults that the planted IPASIR library can have, and what each is called."""
