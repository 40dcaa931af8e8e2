"""Random 2-CNF formulas, and what makes an answer to one right: python-sat's verdict, the model,
the implication cycle.
"""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from tempfile import NamedTemporaryFile

import numpy as np
import pytest
from numpy.typing import NDArray
from pysat.solvers import Solver

from direct import two_sat
from puzzles.text import InputError

LARGE_EVERY = 100
"""One formula in this many has thousands of variables."""


@dataclass(frozen=True)
class TwoCnf:
    """A formula: clauses as `two_sat.solve` takes them, and a number that decides how its text is
    written.
    """

    variables: int
    clauses: NDArray[np.int32]
    number: int


def cases(seed: int, count: int) -> list[TwoCnf]:
    """Formulas of up to 12 variables, some of thousands, most of them near the number of clauses
    where satisfiable ones end.
    """
    rng = np.random.default_rng(seed)
    return [_draw(rng, k) for k in range(count)]


def _draw(rng: np.random.Generator, number: int) -> TwoCnf:
    variables = int(
        rng.integers(2000, 4000) if number % LARGE_EVERY == LARGE_EVERY - 1 else rng.integers(1, 13)
    )
    clauses = int(variables * rng.choice([0.5, 0.9, 1.0, 1.2, 2.0]) + rng.integers(0, 3))
    literals = rng.integers(1, variables + 1, (clauses, 2)) * rng.choice([-1, 1], (clauses, 2))
    if clauses and rng.random() < 0.3:  # unit clauses
        units = rng.random(clauses) < 0.2
        literals[units, 1] = literals[units, 0]
    if clauses and rng.random() < 0.02:
        literals[rng.integers(clauses)] = 0
    return TwoCnf(variables, literals.astype(np.int32), number)


def examine(case: TwoCnf) -> None:
    """Raise `AssertionError` unless every form of the answer is right."""
    with Solver(
        "cadical153", bootstrap_with=[[x for x in clause if x] for clause in case.clauses.tolist()]
    ) as solver:
        satisfiable = bool(solver.solve())
    solution = two_sat.solve(case.variables, case.clauses)
    assert solution.satisfiable == satisfiable
    examine_solution(case, solution)
    plain = two_sat.solve(case.variables, case.clauses, certify=False)
    assert plain.satisfiable == satisfiable
    if case.clauses.all():
        assert (plain.assignment is None, plain.cycle, plain.reasons) == (
            not satisfiable,
            None,
            None,
        )
        examine_order(case, satisfiable)
    examine_equivalences(case)
    examine_text(case, solution)
    if case.number % 8 == 0:
        examine_refusals(case)


def examine_solution(case: TwoCnf, solution: two_sat.Solution) -> None:
    """The model satisfies every clause; each step of the cycle comes from its clause, and a literal
    and its negation are on it.
    """
    if solution.satisfiable:
        assert solution.assignment is not None
        assert solution.assignment.shape == (case.variables,)
        assert (solution.cycle, solution.reasons) == (None, None)
        assert (
            (solution.assignment[np.abs(case.clauses) - 1] == (case.clauses > 0)).any(axis=1).all()
        )
        return
    assert solution.assignment is None
    assert solution.cycle is not None
    assert solution.reasons is not None
    cycle, reasons = solution.cycle.tolist(), solution.reasons.tolist()
    if not cycle:
        assert len(reasons) == 1
        assert not case.clauses[reasons[0]].any()
        return
    assert cycle[0] == cycle[-1]
    assert -cycle[0] in cycle
    assert len(reasons) == len(cycle) - 1
    for a, b, reason in zip(cycle[:-1], cycle[1:], reasons, strict=True):
        assert reason >= 0
        assert sorted(case.clauses[reason].tolist()) == sorted([-a, b])


def examine_order(case: TwoCnf, satisfiable: bool) -> None:
    """The components' numbers fall along every implication; a variable shares its component with
    its negation only in a clash.
    """
    start, target, _ = two_sat.implications(case.variables, case.clauses)
    order = two_sat.components(start, target)
    assert order.shape == (2 * case.variables,)
    node = 2 * np.abs(case.clauses) - 2 + (case.clauses < 0)
    for a, b in ((0, 1), (1, 0)):
        assert (order[node[:, a] ^ 1] >= order[node[:, b]]).all()
    assert (order[0::2] != order[1::2]).all() == satisfiable


def examine_equivalences(case: TwoCnf) -> None:
    """The variables of each clause as equivalent to each other: then the components of the
    implication graph are the classes, which relabelling finds.
    """
    a, b = np.abs(case.clauses[case.clauses.all(axis=1)]).T
    label = np.arange(case.variables)
    for one, other in np.column_stack([a, b]).tolist():
        low, high = sorted((label[one - 1], label[other - 1]))
        label[label == high] = low
    clauses = np.concatenate([np.column_stack([-a, b]), np.column_stack([a, -b])])
    start, target, _ = two_sat.implications(case.variables, clauses.astype(np.int32))
    order = two_sat.components(start, target)
    _, first, inverse = np.unique(order[0::2], return_index=True, return_inverse=True)
    assert np.array_equal(first[inverse], label)


def examine_text(case: TwoCnf, solution: two_sat.Solution) -> None:
    """Written down as DIMACS it is read back, and the command prints the same answer."""
    lines = [
        " ".join(map(str, [*_written(clause, case.number), 0])) for clause in case.clauses.tolist()
    ]
    text = "\n".join([f"p cnf {case.variables} {len(lines)}", *lines, ""])
    variables, clauses = two_sat.read_dimacs(text)
    assert variables == case.variables
    assert np.array_equal(clauses, case.clauses)
    words = two_sat.print_solution(solution).split()
    if solution.satisfiable:
        assert words[:3] == ["s", "SATISFIABLE", "v"]
        assert solution.assignment is not None
        assert [int(word) > 0 for word in words[3:-1]] == solution.assignment.tolist()
        assert [abs(int(word)) for word in words[3:]] == [*range(1, case.variables + 1), 0]
    else:
        assert solution.cycle is not None
        assert words[:2] == ["s", "UNSATISFIABLE"]
        assert words[2:] == (
            ["c", "cycle", *map(str, solution.cycle.tolist())] if solution.cycle.size else []
        )
    if case.number % 16 == 0:
        with (
            NamedTemporaryFile("w") as file,
            redirect_stdout(StringIO()) as printed,
            redirect_stderr(StringIO()),
        ):
            file.write(text)
            file.flush()
            status = two_sat.main([file.name])
        assert status == (10 if solution.satisfiable else 20)
        assert printed.getvalue() == two_sat.print_solution(solution)


def examine_refusals(case: TwoCnf) -> None:
    """One literal or one number changed so that it means nothing: the arrays and the text are
    refused.
    """
    above = case.variables + 1
    for wrong in ([[above, 1]], [[1, -above]], [[0, 1]], [[1, 0]], [[1, 1, 1]], [1, 1]):
        with pytest.raises(ValueError, match=r"out of range|0 is no literal|the shape"):
            two_sat.solve(case.variables, np.array(wrong, np.int32))
    some = case.number % case.variables + 1
    for wrong in (f"{above} 0", f"1 -{above} 0", f"{some}", f"{some} x 0", f"{some} 0\n{some} 0"):
        with pytest.raises(InputError):
            two_sat.read_dimacs(f"p cnf {case.variables} 1\n{wrong}\n")
    if case.variables >= 3:
        with pytest.raises(InputError, match="2:5: a clause of more than two literals"):
            two_sat.read_dimacs(f"p cnf {case.variables} 1\n1 2 {case.variables} 0\n")


def _written(clause: list[int], number: int) -> list[int]:
    """The literals of a clause in a text: each once, or repeated."""
    a, b = clause
    if a == 0:
        return []
    if a == b:
        return [a] * (1 + number % 3)
    return [[a, b], [a, a, b], [a, b, b], [a, b]][number % 4]
