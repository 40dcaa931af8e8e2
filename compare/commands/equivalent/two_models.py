"""Two models on one board: whether each named solution of the one is a named solution of the
other.

A *named solution* is the value of each shared name, in the order of the names. Solutions that
differ in other variables only are one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from enum import StrEnum
from typing import Any, NamedTuple

from compare.commands.equivalent.statements import PlainCpSat, PlainModel, Unstated
from models.cnf import Formula
from models.cpsat import CpSatModel
from models.dimacs import Encoding
from models.maxsat import cpsat_model
from models.session import Session, core_groups, session
from puzzles.text import UserError

NamedSolution = tuple[int, ...]
"""The value of each shared name; those of Boolean variables are of the type bool."""


class FormulaModel:
    """A formula in a SAT solver; `shared` are the variables of the shared names."""

    def __init__(self, opened: Session, shared: Sequence[int]) -> None:
        self._session, self._shared = opened, shared

    def some(self, most: int) -> list[NamedSolution]:
        """At least one and at most `most` named solutions that are not blocked; none if there are
        none.
        """
        if not self._session.solve():
            return []
        values = self._session.model()
        return [tuple(bool(values[variable]) for variable in self._shared)]

    def block(self, solutions: Sequence[NamedSolution]) -> None:
        """Let `some` never return these again."""
        for solution in solutions:
            self._session.add([-literal for literal in self._literals(solution)])

    def first_refused(self, solutions: Sequence[NamedSolution]) -> NamedSolution | None:
        """One of these that is no named solution; None if all are. One that is blocked is taken for
        none.
        """
        return next((each for each in solutions if not self._admits(each)), None)

    def _admits(self, solution: NamedSolution) -> bool:
        return not _no_booleans(solution) and self._session.solve(self._literals(solution))

    def refused_places(self, solution: NamedSolution) -> list[int]:
        """Of a named solution that it does not admit: places of some values that it refuses
        together, as few as it finds.
        """
        if places := _no_booleans(solution):
            return places[:1]
        literals = self._literals(solution)
        if self._session.solve(literals):
            raise ValueError("the model admits this solution")
        kept = set(self._session.smaller(self._session.core()))
        return [place for place, literal in enumerate(literals) if literal in kept]

    def _literals(self, solution: NamedSolution) -> list[int]:
        return [
            variable if value else -variable
            for variable, value in zip(self._shared, solution, strict=True)
        ]


def _no_booleans(solution: NamedSolution) -> list[int]:
    """The places of values that no Boolean variable has."""
    return [place for place, value in enumerate(solution) if value not in (0, 1)]


class CpSatNamed:
    """A CP-SAT model. If it has assumptions, only solutions count in which they hold. Hints change
    nothing.

    Attributes:
        domains: of the variables of the shared names, as CP-SAT lists them.
    """

    def __init__(self, statement: PlainCpSat, shared: Sequence[int], *, best: bool) -> None:
        """A model of which `shared` are the variables of the shared names.

        Args:
            best: whether only solutions with the best value count, if it has an objective.

        Raises:
            UserError: it is no model that can be compared.
        """
        self._model = CpSatModel()
        cp = self._model.cp
        readable = cp.proto.parse_text_format(statement.text)
        wrong = cp.validate() if readable else "its text cannot be read"
        if wrong:
            raise UserError(f"ortools refuses the CP-SAT model: {wrong}")
        if cp.proto.has_floating_point_objective():
            raise UserError(
                "the objective of the CP-SAT model has factors that are no whole numbers, and "
                "CP-SAT rounds them: multiply it until they are"
            )
        if list(cp.proto.objective.domain):
            raise UserError("the objective of the CP-SAT model has a domain: add a constraint")
        for number, name in statement.names:
            self._refuse_no_variable(number, name)
        self._variables = [self._variable(number) for number in shared]
        self.domains = [self._domain(number) for number in shared]
        self._is_boolean = [domain in _BOOLEAN for domain in self.domains]
        cp.proto.clear_symmetry()  # what is blocked later is not symmetric
        assumed = [self._literal(number) for number in cp.proto.assumptions]
        cp.clear_assumptions()
        for literal in assumed:
            cp.add_bool_or([literal])
        if cp.has_objective() and best:
            self._fix_the_best_value()
        elif cp.has_objective():
            cp.clear_objective()
        parameters = self._model.solver.parameters
        parameters.enumerate_all_solutions = True
        parameters.random_polarity_ratio = 1.0
        parameters.random_branches_ratio = 0.5

    def _domain(self, number: int) -> list[int]:
        """The values of a variable, as CP-SAT lists them; empty if there is no such variable."""
        variables = self._model.cp.proto.variables
        variable = max(number, -number - 1)
        return list(variables[variable].domain) if variable < len(variables) else []

    def _refuse_no_variable(self, number: int, name: str) -> None:
        """Raise `UserError` unless a name is that of a variable, or of the negation of a Boolean
        one.
        """
        domain = self._domain(number)
        if not domain:
            variable = max(number, -number - 1)
            raise UserError(f"the CP-SAT model has no variable {variable}, which is named {name!r}")
        if number < 0 and domain not in _BOOLEAN:
            raise UserError(
                f"{name!r} names the negation of an integer variable of the CP-SAT model: name "
                "the variable"
            )

    def _variable(self, number: int) -> Any:
        """The variable of a number; of a negative one, -1 for variable 0, the negation."""
        if number < 0 or self._domain(number) in _BOOLEAN:
            return self._literal(number)
        return self._model.cp.get_int_var_from_proto_index(number)

    def _literal(self, number: int) -> Any:
        """The Boolean variable of a number; of a negative one, -1 for variable 0, the negation."""
        variable = self._model.cp.get_bool_var_from_proto_index(max(number, -number - 1))
        return variable if number >= 0 else ~variable

    def _fix_the_best_value(self) -> None:
        """State the best value of the objective as an equation, in the place of the objective."""
        cp = self._model.cp
        terms = list(zip(cp.proto.objective.vars, cp.proto.objective.coeffs, strict=True))
        best = 0
        if self._model.solve():
            values = self._model.solver.response_proto.solution
            best = sum(factor * values[number] for number, factor in terms)
        cp.clear_objective()
        cp.add(
            sum(factor * cp.get_int_var_from_proto_index(number) for number, factor in terms)
            == best
        )

    def some(self, most: int) -> list[NamedSolution]:
        """`some`, `block` and `first_refused` are as those of `FormulaModel`."""
        return self._solutions(self._model.cp, most)

    def block(self, solutions: Sequence[NamedSolution]) -> None:
        if self._variables:
            self._model.cp.add_forbidden_assignments(self._variables, solutions)
        else:
            self._model.cp.add_bool_or([])

    def first_refused(self, solutions: Sequence[NamedSolution]) -> NamedSolution | None:
        left = dict.fromkeys(solutions)
        while left:
            cp = self._model.cp.clone()
            if self._variables:
                cp.add_allowed_assignments(self._variables, list(left))
            admitted = self._solutions(cp, len(left))
            if not admitted:
                return next(iter(left))
            for each in admitted:
                del left[each]
        return None

    def _solutions(self, cp: Any, most: int) -> list[NamedSolution]:
        """Some named solutions of a model, from one search; none only if it has none.

        Many solutions may be one by name, if other variables are free. So the search decides at
        random, and ends when it finds nothing new any more.
        """
        from ortools.sat.python.cp_model import CpSolverSolutionCallback

        variables, is_boolean = self._variables, self._is_boolean
        solutions: dict[NamedSolution, None] = {}

        class Collector(CpSolverSolutionCallback):
            repeats = 0

            def on_solution_callback(self) -> None:
                values = map(self.value, variables)
                solution = tuple(
                    bool(value) if boolean else value
                    for value, boolean in zip(values, is_boolean, strict=True)
                )
                self.repeats = self.repeats + 1 if solution in solutions else 0
                solutions[solution] = None
                if len(solutions) == most or self.repeats == _MAX_REPEATS:
                    self.stop_search()

        self._model.search(cp, Collector())
        return list(solutions)


_MAX_REPEATS = 20
"""Solutions in a row that are known by name, after which CP-SAT looks for no more in one search."""

_BOOLEAN = ([0, 1], [0, 0], [1, 1])
"""The domains of Boolean variables of CP-SAT."""


def _with_objective(encoding: Encoding) -> PlainCpSat:
    """A formula with soft clauses as a CP-SAT model, whose objective is the cost."""
    names = tuple((variable - 1, name) for variable, name in encoding.names)
    return PlainCpSat(str(cpsat_model(encoding.formula).cp.proto), names)


NamedModel = FormulaModel | CpSatNamed
"""A statement and the shared names, in a solver."""


def _shared_numbers(statement: Encoding | PlainCpSat, names: Sequence[str]) -> list[int]:
    number_of = {name: number for number, name in statement.names}
    return [number_of[name] for name in names]


def contradicting_clauses(formula: Formula, units: Sequence[int]) -> tuple[int, ...]:
    """The numbers, from 0 on, of clauses that contradict these literals, as few as a solver finds
    by leaving out one at a time.

    Raises:
        ValueError: the formula has a model with these literals.
    """
    grouped = Formula(grouped=True)
    grouped.new(formula.variables)
    for number, clause in enumerate(formula.clauses):
        grouped.add(*clause, -grouped.selector(number))
    for literal in units:
        grouped.add(literal)
    return core_groups(grouped)


MAX_CLAUSES = 20_000
"""Clauses of a formula up to which those are named that refuse a solution."""


class Difference(NamedTuple):
    """A named solution of one model only.

    Attributes:
        admitting: which model has it: 0 or 1.
        solution: each shared name with its value.
        refused: the part of it that the other model already refuses.
        clauses: clauses of the other model that refuse that part, each with its rule if it has
            one; empty if they are not known, or if that part is a number that no Boolean variable
            can be. A variable without a name is an auxiliary one, with its number.
    """

    admitting: int
    solution: tuple[tuple[str, int], ...]
    refused: tuple[tuple[str, int], ...]
    clauses: tuple[str, ...]


class OnBoard(NamedTuple):
    """What came of two models on one board.

    Attributes:
        refusals: for each model why it states nothing of the board; None if it does. Nothing else
            is known then.
        stopped: why the comparison was stopped, and by which limit; empty if it was not. Nothing
            else is known then. `crashed`: it was no limit.
        shared: how many names both have.
        names: for each model its first names, and how many it has.
        solutions: for each model the number of named solutions; if `cut`, so many were looked at.
        cut: for each model whether it may have more named solutions than those.
        best: for each model whether these are its best solutions alone.
        difference: None if the models agree, as far as they were compared, or if only numbers were
            asked for.
    """

    refusals: Sequence[Unstated | None] = (None, None)
    stopped: str = ""
    crashed: bool = False
    shared: int = 0
    names: tuple[tuple[tuple[str, ...], int], ...] = ()
    solutions: tuple[int, int] = (0, 0)
    cut: tuple[bool, bool] = (False, False)
    best: tuple[bool, bool] = (False, False)
    difference: Difference | None = None

    @property
    def compared(self) -> bool:
        """Whether both models state something of the board, and were compared in time."""
        return not any(self.refusals) and not self.stopped


_NAMES_SHOWN = 4


class Solutions(StrEnum):
    """Which solutions of two models are compared.

    BEST: of a model with an objective or with soft clauses those with the best value, of another
    one all. OPTIMAL: the same, and both must have one of these on some board. FEASIBLE: all,
    whatever they are worth.
    """

    BEST = "best"
    OPTIMAL = "optimal"
    FEASIBLE = "feasible"


def on_board(
    statements: tuple[PlainModel, PlainModel],
    most: int,
    *,
    count: bool = False,
    which: Solutions = Solutions.BEST,
) -> OnBoard:
    """Compare two statements of one board.

    Args:
        most: the named solutions of each model that are looked at.
        count: compare nothing, but count the named solutions.
    """
    best = which is not Solutions.FEASIBLE
    one, other = (_as_asked(each, which) for each in statements)
    if isinstance(one, Unstated) or isinstance(other, Unstated):
        return OnBoard([each if isinstance(each, Unstated) else None for each in (one, other)])
    theirs = {name for _, name in other.names}
    shared = [name for _, name in one.names if name in theirs]
    shown = tuple(
        (tuple(name for _, name in each.names[:_NAMES_SHOWN]), len(each.names))
        for each in (one, other)
    )
    one_best, other_best = (best and _is_valued(each) for each in statements)
    compared = OnBoard(shared=len(shared), names=shown, best=(one_best, other_best))
    with ExitStack() as stack:
        models: list[NamedModel] = []
        for statement in (one, other):
            numbers = _shared_numbers(statement, shared)
            try:
                if isinstance(statement, PlainCpSat):
                    models.append(CpSatNamed(statement, numbers, best=best))
                else:
                    opened = stack.enter_context(session(statement.formula))
                    models.append(FormulaModel(opened, numbers))
            except UserError as error:
                wrong = Unstated(str(error), wrong=True)
                return OnBoard([wrong if each is statement else None for each in (one, other)])
        if count:
            counts = [_count_solutions(model, most) for model in models]
            return compared._replace(
                solutions=(counts[0][0], counts[1][0]), cut=(counts[0][1], counts[1][1])
            )
        numbers, cut, witness = _compare(models, most)
        compared = compared._replace(solutions=(numbers, numbers), cut=(cut, cut))
        if witness is None:
            return compared
        admitting, solution = witness
        solution = _with_numbers(solution, shared, models)
        return compared._replace(
            difference=_difference(admitting, solution, shared, (other, one)[admitting])
        )


def _is_valued(statement: PlainModel) -> bool:
    """Whether a model says what a solution is worth, by an objective or by soft clauses."""
    if isinstance(statement, Encoding):
        return bool(statement.formula.soft)
    return (
        isinstance(statement, PlainCpSat)
        and re.search(r"(?m)^objective", statement.text) is not None
    )


def _as_asked(statement: PlainModel, which: Solutions) -> PlainModel:
    """The statement as it is compared: a formula whose best solutions are asked for as a CP-SAT
    model.
    """
    if isinstance(statement, Encoding) and statement.formula.soft:
        return statement if which is Solutions.FEASIBLE else _with_objective(statement)
    return statement


def _count_solutions(model: NamedModel, most: int) -> tuple[int, bool]:
    """How many named solutions a model has, up to `most`, and whether it has more."""
    number = 0
    while some := model.some(most + 1 - number):
        number += len(some)
        if number > most:
            return most, True
        model.block(some)
    return number, False


def _compare(
    models: Sequence[NamedModel], most: int
) -> tuple[int, bool, tuple[int, NamedSolution] | None]:
    """Look for named solutions of each model in the other, of the two in turn. What both have is
    blocked in both.

    Returns how many both have, up to `most`; whether both have more; and a named solution of one
    model only, with the number of that model.
    """
    number, turn = 0, 0
    while True:
        some = models[turn].some(most + 1 - number)
        if not some:
            turn = 1 - turn
            some = models[turn].some(most + 1 - number)
        if not some:
            return number, False, None
        refused = models[1 - turn].first_refused(some)
        if refused is not None:
            return number, False, (turn, refused)
        number += len(some)
        if number > most:
            return most, True, None
        for model in models:
            model.block(some)
        turn = 1 - turn


def _with_numbers(
    solution: NamedSolution, shared: Sequence[str], models: Sequence[NamedModel]
) -> NamedSolution:
    """The solution; values of integer variables that only 0 and 1 are left to are numbers, too.

    CP-SAT does not tell such a variable from a Boolean one. It is taken for an integer if a name
    that differs from its own in numbers alone is that of one, as `the start of job 2`.
    """

    def kind(name: str) -> str:
        return re.sub(r"\d+", "0", name)

    numbers = {
        kind(name)
        for model in models
        if isinstance(model, CpSatNamed)
        for name, domain in zip(shared, model.domains, strict=True)
        if domain != [0, 1]
    }
    return tuple(
        int(value) if kind(name) in numbers else value
        for name, value in zip(shared, solution, strict=True)
    )


def _difference(
    admitting: int,
    solution: NamedSolution,
    shared: Sequence[str],
    refusing: Encoding | PlainCpSat,
) -> Difference:
    """The difference, with the reason why the other model refuses the solution if that is a formula
    of some size.
    """
    named = tuple(zip(shared, solution, strict=True))
    if isinstance(refusing, PlainCpSat):
        return Difference(admitting, named, named, ())
    numbers = _shared_numbers(refusing, shared)
    with session(refusing.formula) as opened:
        places = FormulaModel(opened, numbers).refused_places(solution)
    refused = tuple(named[place] for place in places)
    refused_by_clauses = not _no_booleans(solution)
    if not refused_by_clauses or len(refusing.formula.clauses) > MAX_CLAUSES:
        return Difference(admitting, named, refused, ())
    name_of, formula = dict(refusing.names), refusing.formula
    units = [numbers[place] if solution[place] else -numbers[place] for place in places]
    clauses: list[str] = []
    for number in contradicting_clauses(formula, units):
        literals = [
            f"{'' if each > 0 else 'not: '}"
            + name_of.get(abs(each), f"auxiliary variable {abs(each)}")
            for each in formula.clauses[number]
        ]
        rule = next((text for first, text in reversed(formula.rules) if first <= number), "")
        clauses.append((" or ".join(literals) or "the empty clause") + f" ({rule})" * bool(rule))
    return Difference(admitting, named, refused, tuple(clauses))
