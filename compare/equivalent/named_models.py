"""The solutions of one statement, as far as named variables tell them apart.

A *named solution* is the value of each shared name, in the order of the names. Solutions that differ in other variables only are
one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from compare.equivalent.plain_encodings import PlainCpSat, PlainFormula, encoding_from
from models.cnf import Formula
from models.cpsat import CpSatModel
from models.session import Session, session
from puzzles.text import UserError

NamedSolution = tuple[bool, ...]


class NamedModel(ABC):
    """A statement and the shared names, in a solver."""

    @abstractmethod
    def next(self) -> NamedSolution | None:
        """A named solution that is not blocked; None if there is none."""

    @abstractmethod
    def block(self, solution: NamedSolution) -> None:
        """Let `next` never return this one again."""

    @abstractmethod
    def admits(self, solution: NamedSolution) -> bool:
        """Whether this is a named solution. One that is blocked is taken for none."""

    @abstractmethod
    def refused(self, solution: NamedSolution) -> list[int]:
        """Of a named solution that it does not admit: places of some values that it refuses together, as few as it finds."""


class FormulaModel(NamedModel):
    """A formula in a SAT solver; `shared` are the variables of the shared names."""

    def __init__(self, opened: Session, shared: Sequence[int]) -> None:
        self._session, self._shared = opened, shared

    def next(self) -> NamedSolution | None:
        if not self._session.solve():
            return None
        values = self._session.model()
        return tuple(bool(values[variable]) for variable in self._shared)

    def block(self, solution: NamedSolution) -> None:
        self._session.add([-literal for literal in self._literals(solution)])

    def admits(self, solution: NamedSolution) -> bool:
        return self._session.solve(self._literals(solution))

    def refused(self, solution: NamedSolution) -> list[int]:
        literals = self._literals(solution)
        if self._session.solve(literals):
            raise ValueError("the model admits this solution")
        kept = set(self._session.smaller(self._session.core()))
        return [place for place, literal in enumerate(literals) if literal in kept]

    def _literals(self, solution: NamedSolution) -> list[int]:
        return [variable if value else -variable for variable, value in zip(self._shared, solution, strict=True)]


class CpSatNamed(NamedModel):
    """A CP-SAT model. If it has an objective, only solutions with the best value count."""

    def __init__(self, statement: PlainCpSat, shared: Sequence[int]) -> None:
        self._model = CpSatModel()
        cp = self._model.cp
        readable = cp.proto.parse_text_format(statement.text)
        wrong = cp.validate() if readable else "its text cannot be read"
        if wrong:
            raise UserError(f"ortools refuses the CP-SAT model: {wrong}")
        count = len(cp.proto.variables)
        for number in shared:
            if not 0 <= number < count or list(cp.proto.variables[number].domain) != [0, 1]:
                raise UserError(f"the CP-SAT model has no Boolean variable {number}, which has a name")
        self._variables: list[Any] = [cp.get_bool_var_from_proto_index(number) for number in shared]
        if cp.has_objective():
            self._fix_the_best_value()

    def _fix_the_best_value(self) -> None:
        """State the best value of the objective as an equation, in the place of the objective."""
        cp = self._model.cp
        terms = list(zip(cp.proto.objective.vars, cp.proto.objective.coeffs, strict=True))
        possible = self._model.solve()
        best = sum(factor * self._model.solver.response_proto.solution[number] for number, factor in terms) if possible else 0
        cp.clear_objective()
        cp.add(sum(factor * cp.get_int_var_from_proto_index(number) for number, factor in terms) == best)

    def next(self) -> NamedSolution | None:
        return tuple(bool(self._model.value(variable)) for variable in self._variables) if self._model.solve() else None

    def block(self, solution: NamedSolution) -> None:
        self._model.cp.add_bool_or([~literal for literal in self._literals(solution)])

    def admits(self, solution: NamedSolution) -> bool:
        cp = self._model.cp
        cp.add_assumptions(self._literals(solution))
        try:
            return self._model.solve()
        finally:
            cp.clear_assumptions()

    def refused(self, solution: NamedSolution) -> list[int]:
        return list(range(len(solution)))

    def _literals(self, solution: NamedSolution) -> list[Any]:
        return [variable if value else ~variable for variable, value in zip(self._variables, solution, strict=True)]


@contextmanager
def named_model(statement: PlainFormula | PlainCpSat, names: Sequence[str]) -> Iterator[NamedModel]:
    """A statement in a solver, with these of its names; raises `UserError` if a CP-SAT model is not as it must be."""
    number_of = {name: number for number, name in statement.names}
    shared = [number_of[name] for name in names]
    if isinstance(statement, PlainCpSat):
        yield CpSatNamed(statement, shared)
        return
    with session(encoding_from(statement).formula) as opened:
        yield FormulaModel(opened, shared)


def contradicting_clauses(statement: PlainFormula, units: Sequence[int]) -> list[list[int]]:
    """Clauses of a formula that contradict these literals, as few as a solver finds by leaving out one at a time.

    Raises:
        ValueError: the formula has a model with these literals.
    """
    clauses = encoding_from(statement).formula.clauses
    selected = Formula()
    selected.new(statement.variables)
    first = selected.new(len(clauses)) if clauses else 0
    for number, clause in enumerate(clauses):
        selected.add(*clause, -(first + number))
    for literal in units:
        selected.add(literal)
    with session(selected) as opened:
        if opened.solve([first + number for number in range(len(clauses))]):
            raise ValueError("no clauses contradict these literals")
        return [clauses[selector - first] for selector in sorted(opened.smaller(opened.core()))]
