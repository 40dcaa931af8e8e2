"""SAT solvers that are programs: DIMACS in, `s` and `v` lines and an exit status out, as in the SAT competitions.

In a command, `{cnf}` stands for the file of the formula. `{out}` stands for a file into which the program writes its model, as
minisat does, and `{proof}` for one into which it writes a DRAT proof as text. Each call starts the program anew. A model is
accepted only if it satisfies every clause.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterable, Sequence

from models.dimacs import header, lines
from models.solvers.sat_solver import Lacking
from models.solvers.solver_failure import ModelRefused, SolverDied, SolverFailure
from models.solvers.solver_process import TooMuch, printed_by, solver_file
from puzzles.text import UserError

PLACE, OUT_PLACE, PROOF_PLACE = "{cnf}", "{out}", "{proof}"
_MOST_BYTES, _BYTES_A_VARIABLE = 2**24, 16
"""What a program may print, and write into `{out}`: comments, and a model."""

_MOST_OF_PROOF = 2**30
"""Bytes of a proof."""

_WHERE_MODELS_ARE = (
    "a model stands on lines that begin with `v`. If the program writes it to a file, as minisat does, say where the name of that "
    "file goes in the command: 'minisat {cnf} {out}'"
)

_PLACES = re.compile(r"\{[a-z_]+\}")
_LITERAL = re.compile(r"-?[0-9]{1,10}")
_SATISFIABLE, _UNSATISFIABLE = 10, 20
_STATUS = {"SATISFIABLE": _SATISFIABLE, "UNSATISFIABLE": _UNSATISFIABLE, "SAT": _SATISFIABLE, "UNSAT": _UNSATISFIABLE}


def is_command(solver: str | None) -> bool:
    """Whether this is a command with a place for the formula, and not the name of a solver."""
    return solver is not None and PLACE in solver


def command_of(text: str) -> list[str]:
    """The words of a command that runs a solver.

    Raises:
        UserError: the command has no `{cnf}`, or its program does not exist.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"the solver command {text!r} cannot be read: {error}") from None
    if not words or not any(PLACE in word for word in words):
        raise UserError(f"a solver command has {PLACE} where the formula's file goes, and {text!r} has not")
    unknown = next(
        (place for word in words for place in _PLACES.findall(word) if place not in (PLACE, OUT_PLACE, PROOF_PLACE)), None
    )
    if unknown is not None:
        raise UserError(f"the solver command {text!r} has {unknown}: only {PLACE}, {OUT_PLACE} and {PROOF_PLACE} stand for files")
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the solver command {text!r}")
    return words


class ExternalSolver(Lacking):
    """A program with the same methods as python-sat's solvers, as far as a `Session` calls them.

    A method for which programs have no counterpart raises NotImplementedError.
    """

    def __init__(self, text: str, variables: int, clauses: Iterable[Sequence[int]]) -> None:
        self._text, self._command, self._variables = text, command_of(text), variables
        self._clauses = [list(clause) for clause in clauses]
        self._body = "".join(lines(self._clauses))
        self._model: list[int] | None = None
        self._assumed: list[int] = []
        self._proof: list[str] = []

    def add_clause(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))
        self._body += "".join(lines([clause]))

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the program finds the clauses and the assumptions satisfiable.

        Raises:
            SolverFailure: its verdict is missing or unclear, or its model violates a clause.
        """
        self._assumed = list(assumptions)
        units = [[literal] for literal in assumptions]
        formula = header(self._variables, len(self._clauses) + len(units)) + self._body + "".join(lines(units))
        most = _MOST_BYTES + _BYTES_A_VARIABLE * self._variables
        with (
            solver_file("formula.cnf", formula.encode()) as cnf,
            solver_file("model.out") as out,
            solver_file("proof.drat") as drat,
        ):
            try:
                printed = printed_by(self._command, {PLACE: cnf, OUT_PLACE: out, PROOF_PLACE: drat}, most)
                result, proof = out.read(most), drat.read(_MOST_OF_PROOF)
            except TooMuch:
                raise SolverFailure(self._text, f"printed more than {most >> 20} MB and was stopped") from None
        output = _as_competition(result.decode("utf-8", "replace")) if result else printed.output.decode("utf-8", "replace")
        satisfiable = self._verdict(output, printed.status, printed.errors.decode("utf-8", "replace"))
        self._model = self._checked_model(output) if satisfiable else None
        self._proof = [] if satisfiable else self._lines_of(proof)
        return satisfiable

    def get_model(self) -> list[int] | None:
        return self._model

    def get_core(self) -> list[int]:
        """All assumptions: a program does not say which of them it needs."""
        return self._assumed

    def get_proof(self) -> list[str]:
        """The lines of the proof of the last call.

        Raises:
            NotImplementedError: the command has no place for a proof.
            SolverFailure: the program wrote none.
        """
        if PROOF_PLACE not in self._text:
            raise NotImplementedError
        if not self._proof:
            raise SolverFailure(self._text, "said that there is no model and wrote no proof")
        return self._proof

    def _lines_of(self, proof: bytes) -> list[str]:
        """The lines of a DRAT proof that is text; raises `SolverFailure` if it is a binary one."""
        if proof.translate(None, b"d-0123456789 \r\n"):
            raise SolverFailure(
                self._text, "wrote a proof that is no DRAT text: let it write text, as cadical does with --no-binary"
            )
        return [" ".join(line.split()) for line in proof.decode("ascii").splitlines() if line.strip()]

    def _verdict(self, output: str, status: int, errors: str) -> bool:
        """Whether the `s` lines and the exit status agree on "satisfiable"; raises `SolverFailure` if they are unclear."""
        s_lines = [line[2:].strip() for line in output.splitlines() if line.startswith("s ")]
        verdicts = {_STATUS.get(line, 0) for line in s_lines} | ({status} if status in (_SATISFIABLE, _UNSATISFIABLE) else set())
        if status in (0, _SATISFIABLE, _UNSATISFIABLE) and verdicts in ({_SATISFIABLE}, {_UNSATISFIABLE}):
            return verdicts == {_SATISFIABLE}
        shown = f", s {s_lines[0]}" if s_lines else ", no s line"
        words = f"exit status {status}" + (", two different s lines" if len({*s_lines}) > 1 else shown)
        error_lines = errors.strip().splitlines()
        failure = SolverDied if status < 0 else SolverFailure
        raise failure(self._text, f"gave no verdict: {words}" + (f": {error_lines[-1][:200]}" if error_lines else ""))

    def _checked_model(self, output: str) -> list[int]:
        """The model of the `v` lines; raises `ModelRefused` unless it satisfies every clause and assumption."""
        words = [word for line in output.splitlines() if line.startswith("v ") for word in line[2:].split()]
        if not all(map(_LITERAL.fullmatch, words)):
            raise ModelRefused(self._text, "printed a model that is no list of numbers")
        literals = map(int, words)
        true = {literal for literal in literals if literal}
        if any(-literal in true or abs(literal) > self._variables for literal in true):
            raise ModelRefused(self._text, "printed a model that contradicts itself or leaves the formula")
        for clause in (*self._clauses, *([literal] for literal in self._assumed)):
            if not any(literal in true if literal > 0 else -literal not in true for literal in clause):
                if not words:
                    raise ModelRefused(self._text, f"said that there is a model and printed none: {_WHERE_MODELS_ARE}")
                raise ModelRefused(self._text, f"printed a model that does not satisfy the clause {clause}")
        return sorted(true, key=abs)


def _as_competition(text: str) -> str:
    """minisat's result file, turned into the lines that other solvers print."""
    first, *rest = text.splitlines() or [""]
    return "".join([f"s {first}\n", *(f"v {line}\n" for line in rest)])
