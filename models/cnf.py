"""A formula in conjunctive normal form: variables, clauses, and clause groups that can be switched
on one by one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzles.backend import Unsupported

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Numbers = Ints | Sequence[int] | Sequence[Sequence[int]]

MAX_COST = 2**63 - 1
"""The weights of all soft clauses of a formula add up to no more."""

MAX_VARIABLES = 2**26
"""A formula with more variables is refused: solvers run out of memory from about 10^8 on and answer
wrongly from 2^31 on.
"""


class Meaning(NamedTuple):
    """What some variables say.

    Attributes:
        variables: their numbers, in an array or sequence of any shape.
        text: each `{}` in it stands for the place of a cell.
        cells: for each variable its cell, or one cell for each `{}`, as flat indices; None if a
            number from 1 on is there.
        auxiliary: whether other models have no variable that says the same. Then its values are not
            compared.
    """

    variables: Numbers
    text: str
    cells: Numbers | None
    auxiliary: bool

    def names(self, columns: int) -> list[tuple[int, str]]:
        """Each variable with its name, on a board with so many columns."""
        numbers = np.asarray(self.variables, np.int64).ravel().tolist()
        if self.cells is None:
            return [(variable, self.text.format(k)) for k, variable in enumerate(numbers, 1)]
        cells = (
            np.asarray(self.cells, np.int64).reshape(len(numbers), -1).tolist() if numbers else []
        )
        return [
            (
                variable,
                self.text.format(*(f"{cell // columns + 1},{cell % columns + 1}" for cell in own)),
            )
            for variable, own in zip(numbers, cells, strict=True)
        ]


class Formula:
    """Clauses over the variables 1..variables. A literal is a variable, or a variable with a minus
    sign for "not".

    Some clauses belong to a *clause group*: all clauses that one place of the puzzle demands. A
    group is named by an integer, mostly the flat index of that place's cell. If the formula is
    `grouped`, each group has a *selector*: a variable of its own, and the group's clauses hold only
    where the selector is assumed. A solver can then name a core: groups that contradict each other.
    If the formula is not `grouped`, the clauses of groups are clauses like any other.

    A formula may ask for the best solution: a model of its clauses, which are *hard* then, that
    violates *soft* clauses of the least weight. This weight is the model's cost.

    Attributes:
        soft: each soft clause after its weight; `soft_weight`: all weights together.
        selectors: the selector of each group, empty unless the formula is grouped.
        rules: what the clauses from some number on state, which is counted from 0.
        meanings: what variables say.
    """

    def __init__(self, *, grouped: bool = False) -> None:
        self.variables = 0
        self.clauses: list[list[int]] = []
        self.soft: list[tuple[int, list[int]]] = []
        self.soft_weight = 0
        self.grouped = grouped
        self.selectors: dict[int, int] = {}
        self.rules: list[tuple[int, str]] = []
        self.meanings: list[Meaning] = []

    @classmethod
    def of(cls, variables: int, clauses: Iterable[Sequence[int]]) -> Formula:
        """The formula of these clauses, whose literals are known to be valid."""
        formula = cls()
        formula.variables, formula.clauses = variables, [list(clause) for clause in clauses]
        return formula

    def rule(self, text: str) -> None:
        """Say what the clauses state that are added from now on."""
        self.rules.append((len(self.clauses), text))

    def name(
        self,
        variables: Numbers,
        text: str,
        cells: Numbers | None = None,
        *,
        auxiliary: bool = False,
    ) -> None:
        """Say what variables mean; see `Meaning`.

        This only notes it: names are written out when they are read.
        """
        self.meanings.append(Meaning(variables, text, cells, auxiliary))

    def new(self, count: int = 1) -> int:
        """Make `count` new variables with consecutive numbers; returns the first.

        Raises:
            Unsupported: the formula would have more than `MAX_VARIABLES`.
        """
        if self.variables + count > MAX_VARIABLES:
            raise Unsupported(f"the formula needs more than {MAX_VARIABLES} variables")
        self.variables += count
        return self.variables - count + 1

    def array(self, *shape: int) -> NDArray[np.int64]:
        """New variables with consecutive numbers, as an array of this shape; raises `Unsupported`
        as `new` does.
        """
        count = prod(shape)
        return (self.new(count) + np.arange(count)).reshape(shape)

    def add(self, *literals: int) -> None:
        """Add one clause; raises `ValueError` if a literal is out of range."""
        self.clauses.append(self._valid(literals))

    def add_soft(self, weight: int, *literals: int) -> None:
        """Add one soft clause.

        Raises:
            ValueError: a literal is out of range, the weight is no whole number from 1 on, or all
                weights add up to more than `MAX_COST`.
        """
        if isinstance(weight, bool) or not isinstance(weight, int | np.integer) or weight < 1:
            raise ValueError(f"a weight is a whole number from 1 on, and not {weight!r}")
        if self.soft_weight + int(weight) > MAX_COST:
            raise ValueError(f"the weights of the soft clauses add up to more than {MAX_COST}")
        self.soft.append((int(weight), self._valid(literals)))
        self.soft_weight += int(weight)

    def _valid(self, literals: Sequence[int]) -> list[int]:
        for literal in literals:
            if not 0 < abs(literal) <= self.variables:
                raise ValueError(
                    f"literal {literal} is out of range for {self.variables} variables"
                )
        return [int(literal) for literal in literals]

    def extend(self, clauses: NDArray[Any]) -> None:
        """Add the rows of an integer array of shape (clauses, literals); raises `ValueError` as
        `add` does.
        """
        if clauses.size and (
            np.count_nonzero(clauses) < clauses.size
            or max(int(clauses.max()), -int(clauses.min())) > self.variables
        ):
            raise ValueError(f"a literal is out of range for {self.variables} variables")
        self.clauses.extend(clauses.tolist())

    def state(self, *literals: NDArray[np.int64] | int) -> None:
        """Add one clause for each entry of these arrays, which are broadcast to one shape; raises
        `ValueError` as `add` does.
        """
        columns = np.broadcast_arrays(*literals)
        self.extend(np.stack(columns, axis=-1).reshape(-1, len(columns)))

    def extend_valid(self, clauses: Sequence[list[int]]) -> None:
        """Add clauses of any lengths that are known to be valid; the formula keeps the lists.

        They are not looked at, since that takes as long as to make them.
        """
        self.clauses.extend(clauses)

    def selector(self, group: int) -> int:
        """The selector of a clause group, made on first use."""
        if group not in self.selectors:
            self.selectors[group] = self.new()
        return self.selectors[group]

    def extend_groups(
        self, groups: NDArray[np.int64] | Sequence[int], clauses: NDArray[Any]
    ) -> None:
        """Add the rows of an array of shape (clauses, literals) to clause groups.

        The rows are dealt out in order, to each entry of `groups` the same number of consecutive
        rows.
        """
        if self.grouped:
            off = np.array(
                [-self.selector(group) for group in np.asarray(groups).tolist()], clauses.dtype
            )
            clauses = np.concatenate(
                [clauses, off.repeat(len(clauses) // max(1, len(off)))[:, None]], axis=1
            )
        self.extend(clauses)

    def less_than(
        self, conditions: NDArray[np.int64], lower: NDArray[np.int64], higher: NDArray[np.int64]
    ) -> None:
        """For each k: if the literal `conditions[k]` is true, the binary number `lower[k]` is less
        than `higher[k]`.

        Args:
            conditions: shape (n,), literals.
            lower, higher: shape (n, bits), variables, the lowest bit first.

        The numbers are compared from the highest bit down. `tied` says that they may be equal so
        far; in the end it is false.
        """
        tied = conditions
        for bit in reversed(range(lower.shape[1])):
            less, more = lower[:, bit], higher[:, bit]
            self.state(-tied, -less, more)
            still_tied = self.array(conditions.size)
            self.state(-tied, more, still_tied)
            self.state(-tied, -less, still_tied)
            self.name(still_tied, f"comparison {{}}: equal from bit {bit} up", auxiliary=True)
            tied = still_tied
        self.state(-tied)


@contextmanager
def paused_collector() -> Iterator[None]:
    """Inside, Python collects no garbage: the collector would walk over millions of clauses that
    are all in use.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
