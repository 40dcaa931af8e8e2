"""Proofs of unsatisfiability in DRAT: a solver writes them, and our own check or a program such as
drat-trim replays them.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from models.cnf import Formula
from models.dimacs import Encoding, text
from models.proofs import drat, rup
from models.proofs.drat import ProofStep
from models.solvers.external import PROOF_PLACE, is_command
from models.solvers.ipasir import is_library
from models.solvers.opening import open_solver
from models.solvers.sat_solver import SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER, solver_name, solvers
from puzzles.shell.output_files import write_file
from puzzles.text import InputError, UnknownName, UserError

WITHOUT_PROOFS = ("kissat404", "mergesat3", "minicard", "minisat22", "minisatep")
"""Solvers of python-sat that keep no proof."""


def refutation(formula: Formula, solver: str = DEFAULT_SOLVER) -> list[ProofStep] | None:
    """The steps of a proof that the formula is unsatisfiable, the empty clause last; None if the
    formula is satisfiable.

    Raises:
        NotImplementedError: a solver of python-sat writes no proofs; `proof_solver` says so
            beforehand.
        OtherFormat: the proof is in another format than DRAT text.
        UserError: a solver of the user fails, or writes no proofs, or none that can be read.
    """
    with open_solver(formula, solver_name(solver), with_proof=True) as opened:
        if opened.solve():
            return None
        try:
            lines = opened.get_proof() or []
        except NotImplementedError:
            raise UserError(
                f"the solver {solver!r} keeps no proofs: its class has no method get_proof"
            ) from None
    try:
        steps = drat.read_steps(
            "\n".join(lines), f"the proof of the solver {solver!r}", len(formula.clauses)
        )
    except InputError as error:
        raise SolverFailure(
            solver,
            f"wrote a proof that is no DRAT: line {error.line}, column {error.column}: "
            f"{error.message}",
        ) from None
    return up_to_the_end(steps)


PROVERS = ("glucose4", "cadical153")
"""Solvers of python-sat whose proofs `has_checked_proof` checks, in turn."""


def has_checked_proof(formula: Formula) -> bool:
    """Whether our own check accepts a solver's proof that the formula is unsatisfiable.

    False says nothing: the formula may be satisfiable, or the proofs wrong.
    """
    for solver in PROVERS:
        proof = refutation(formula, solver)
        with suppress(rup.WrongStep):
            if proof is not None:
                rup.check_refutation(formula, proof)
                return True
    return False


def up_to_the_end(steps: Sequence[ProofStep]) -> list[ProofStep]:
    """The steps up to the first empty clause, which is added if there is none.

    Glucose writes no step if unit propagation alone contradicts the formula; cadical still deletes
    clauses after the empty one.
    """
    return [*takewhile(ProofStep(False, ()).__ne__, steps), ProofStep(False, ())]


def proof_solver(name: str) -> str:
    """The full name of a solver that writes proofs: one of python-sat's, a command with `{proof}`
    in it, or a Python class.

    Raises:
        UserError: it writes none, or there is no such solver; the message says which do.
    """
    able = [each for each in solvers() if each not in WITHOUT_PROOFS]
    try:
        full = solver_name(name)
    except UnknownName:
        raise UnknownName("solver", name, able) from None
    if is_command(full) and PROOF_PLACE not in full:
        raise UserError(
            f"the command {full!r} has no place for a proof: say where the name of its file "
            "goes, as in "
            f"'cadical -q --no-binary {{cnf}} {PROOF_PLACE}'"
        )
    if full in WITHOUT_PROOFS or is_library(full):
        raise UserError(
            f"{name} keeps no proofs; those that do: {', '.join(able)}, and commands with "
            f"{PROOF_PLACE} in them"
        )
    return full


OWN_CHECKER = "rup"
"""The name of our own checker."""

OUTSIDE = {"drat-trim": "drat-trim {cnf} {proof}", "dpr-trim": "dpr-trim {cnf} {proof}"}
"""Programs that check proofs, in the order of preference. They are used if they are on PATH."""


class Unproved(Exception):
    """The reason why a lemma is left unproved."""


Checker = Callable[[Formula, str, Iterable[ProofStep]], None]
"""(formula, what it means if the formula is satisfiable, steps of a proof); raises `Unproved` if it
refuses the proof.
"""


def checker_named(name: str | None) -> tuple[str, Checker]:
    """A checker by its name: `rup`, one of `OUTSIDE`, or a command with {cnf} and {proof} in it
    that prints `s VERIFIED`.

    Without a name: one of `OUTSIDE` that is on PATH, else our own.

    Returns:
        The checker, and before it a name to print: for a command its words without the folder and
            the files.

    Raises:
        UserError: there is no such program, or the command cannot be read.
    """
    if name is None:
        name = next((known for known in OUTSIDE if shutil.which(known)), OWN_CHECKER)
    if name == OWN_CHECKER:
        return OWN_CHECKER, own_checker
    command = OUTSIDE.get(name, name)
    if "{cnf}" not in command or "{proof}" not in command:
        raise UserError(
            f"a checker is {OWN_CHECKER}, {', '.join(OUTSIDE)}, or a command with {{cnf}} and "
            f"{{proof}} in it, not {name!r}"
        )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"the checker {name!r} is no command: {error}") from None
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the checker {name!r}")
    shown = [
        Path(words[0]).name,
        *(word for word in words[1:] if "{cnf}" not in word and "{proof}" not in word),
    ]
    return " ".join(shown), partial(_run_checker, words)


def own_checker(formula: Formula, meaning: str, proof: Iterable[ProofStep]) -> None:
    """Check by unit propagation; raises `Unproved` if a step does not follow."""
    del meaning
    try:
        rup.check_refutation(formula, proof)
    except rup.WrongStep as wrong:
        raise Unproved(str(wrong)) from wrong


def _run_checker(
    words: list[str], formula: Formula, meaning: str, proof: Iterable[ProofStep]
) -> None:
    """Check by a program; raises `Unproved` unless it prints `s VERIFIED`, and `UserError` if it
    cannot be run. No shell is between, so the system says why it cannot.
    """
    try:
        with TemporaryDirectory(prefix="twofold-") as folder:
            cnf, proof_file = Path(folder) / "formula.cnf", Path(folder) / "proof.drat"
            write_file(cnf, text(Encoding(formula, meaning, [])))
            write_file(proof_file, (f"{step}\n" for step in proof))
            command = [
                word.replace("{cnf}", str(cnf)).replace("{proof}", str(proof_file))
                for word in words
            ]
            process = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
    except OSError as error:
        raise UserError(
            f"the checker {words[0]} cannot be run: {error.strerror or error}"
        ) from None
    output = [line.strip() for line in process.stdout.decode("utf-8", "replace").splitlines()]
    if "s VERIFIED" not in output:
        errors = process.stderr.decode("utf-8", "replace").splitlines()
        raise Unproved(
            f"{words[0]} does not verify the proof: "
            f"{_reason(output) or _reason(errors) or f'exit status {process.returncode}'}"
        )


def _reason(lines: Sequence[str]) -> str:
    """What a checker says before its verdict, on a comment line or not; without such a line its
    verdict, and without a verdict what it says last.
    """
    printed = [line.strip() for line in lines if line.strip()]
    verdict = next((k for k, line in enumerate(printed) if line.startswith("s ")), len(printed))
    return (printed[max(verdict - 1, 0)].removeprefix("c ") if printed else "")[:200]
