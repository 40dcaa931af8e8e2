"""SAT solvers that are programs: DIMACS in, `s` and `v` lines and an exit status out, as in the SAT competitions.

`{cnf}` in a command stands for the formula's file, `{out}` for a file into which the program writes its model, as minisat does.
A program is started anew for each call; a model is believed only where it satisfies every clause.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from puzzles.text import UserError

PLACE = "{cnf}"
_SATISFIABLE, _UNSATISFIABLE = 10, 20
_STATUS = {"SATISFIABLE": _SATISFIABLE, "UNSATISFIABLE": _UNSATISFIABLE, "SAT": _SATISFIABLE, "UNSAT": _UNSATISFIABLE}


def header(variables: int, clauses: int) -> str:
    """The line with which a DIMACS formula begins."""
    return f"p cnf {variables} {clauses}\n"


def lines(clauses: Iterable[Sequence[int]]) -> Iterator[str]:
    """A line of DIMACS a clause."""
    return (" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)


class SolverFailure(UserError):
    """A program that is no solver, or not a right one; the message says what it did."""


def is_command(solver: str | None) -> bool:
    """Whether that is no solver's name but a command with a place for the formula."""
    return solver is not None and PLACE in solver


def command_of(text: str) -> list[str]:
    """The words of a command that names a solver.

    Raises:
        UserError: no `{cnf}` in it, or no such executable.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"the solver command {text!r} cannot be read: {error}") from None
    if not words or not any(PLACE in word for word in words):
        raise UserError(f"a solver command has {PLACE} where the formula's file goes, and {text!r} has not")
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the solver command {text!r}")
    return words


def solver_arguments(parser: argparse.ArgumentParser, about: str) -> None:
    """`--solver`, which `about` explains, and `--solver-command` in its place: the value of either is `solver`."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--solver", metavar="S", help=about)
    either.add_argument(
        "--solver-command",
        dest="solver",
        type=_command,
        metavar="C",
        help="a program that solves DIMACS in its place, such as 'kissat {cnf}', "
        "or 'minisat {cnf} {out}' where it writes its model to a file",
    )


def _command(text: str) -> str:
    try:
        command_of(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


class ExternalSolver:
    """A program behind those methods of python-sat's solvers that a `Session` calls; others are not implemented."""

    def __init__(self, text: str, variables: int, clauses: Iterable[Sequence[int]]) -> None:
        self._text, self._command, self._variables = text, command_of(text), variables
        self._clauses = [list(clause) for clause in clauses]
        self._body = "".join(lines(self._clauses))
        self._model: list[int] | None = None
        self._assumed: list[int] = []

    def add_clause(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))
        self._body += "".join(lines([clause]))

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the program says that the clauses and the assumptions are satisfiable.

        Raises:
            SolverFailure: it says nothing clear, or gives a model that is none.
        """
        self._assumed = list(assumptions)
        units = [[literal] for literal in assumptions]
        with TemporaryDirectory(prefix="twofold-") as folder:
            cnf, out = Path(folder) / "formula.cnf", Path(folder) / "model.out"
            cnf.write_text(header(self._variables, len(self._clauses) + len(units)) + self._body + "".join(lines(units)))
            command = [word.replace(PLACE, str(cnf)).replace("{out}", str(out)) for word in self._command]
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            printed = ended.stdout.decode("utf-8", "replace")
            if out.exists():
                printed = _as_competition(out.read_text("utf-8", "replace"))
        verdict = self._verdict(printed, ended.returncode, ended.stderr.decode("utf-8", "replace"))
        self._model = self._checked(printed) if verdict else None
        return verdict

    def get_model(self) -> list[int] | None:
        return self._model

    def get_core(self) -> list[int]:
        """All the assumptions: a program names no fewer."""
        return self._assumed

    def set_phases(self, literals: Sequence[int]) -> None:
        raise NotImplementedError

    def conf_budget(self, conflicts: int) -> None:
        raise NotImplementedError

    def propagate(self, assumptions: Sequence[int] = ()) -> tuple[bool, list[int]]:
        raise NotImplementedError

    def delete(self) -> None:
        """Nothing is left between calls."""

    def _verdict(self, printed: str, status: int, complaint: str) -> bool:
        said = [line[2:].strip() for line in printed.splitlines() if line.startswith("s ")]
        verdicts = {_STATUS.get(each, 0) for each in said} | ({status} if status in (_SATISFIABLE, _UNSATISFIABLE) else set())
        if status in (0, _SATISFIABLE, _UNSATISFIABLE) and verdicts in ({_SATISFIABLE}, {_UNSATISFIABLE}):
            return verdicts == {_SATISFIABLE}
        words = f"exit status {status}" + (f", s {said[0]}" if said else ", no s line")
        last = complaint.strip().splitlines()
        raise SolverFailure(f"the solver {self._text!r} gave no verdict: {words}" + (f": {last[-1][:200]}" if last else ""))

    def _checked(self, printed: str) -> list[int]:
        try:
            literals = [int(word) for line in printed.splitlines() if line.startswith("v ") for word in line[2:].split()]
        except ValueError:
            raise SolverFailure(f"the solver {self._text!r} printed a model that is no list of numbers") from None
        true = {literal for literal in literals if literal}
        if any(-literal in true or abs(literal) > self._variables for literal in true):
            raise SolverFailure(f"the solver {self._text!r} printed a model that contradicts itself or leaves the formula")
        for clause in (*self._clauses, *([literal] for literal in self._assumed)):
            if not any(literal in true if literal > 0 else -literal not in true for literal in clause):
                raise SolverFailure(f"the solver {self._text!r} printed a model that does not satisfy the clause {clause}")
        return sorted(true, key=abs)


def _as_competition(text: str) -> str:
    """minisat's result file as the lines that other solvers print."""
    first, *rest = text.splitlines() or [""]
    return "".join([f"s {first}\n", *(f"v {line}\n" for line in rest)])
