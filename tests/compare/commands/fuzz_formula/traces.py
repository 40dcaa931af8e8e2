"""Traces for tests: from files, and tiny ones whose verdicts are known by brute force."""

from __future__ import annotations

from pathlib import Path
from random import Random

from compare.commands.fuzz_formula.formula_families import EDGES, tiny_trace
from compare.commands.fuzz_formula.formula_puzzle import PUZZLE, Trace
from tests.models.solvers.brute_force import satisfiable, units


def read(path: Path) -> Trace:
    """The trace of a file."""
    (trace,) = PUZZLE.parse(path.read_bytes(), str(path))
    return trace


def tiny_traces(count: int) -> list[Trace]:
    """The edge cases, and so many random ones."""
    rng = Random(1)
    return [*EDGES, *(tiny_trace(rng, only_formulas=k % 2 == 0) for k in range(count))]


def by_brute_force(trace: Trace) -> tuple[bool, ...]:
    """For each call, whether some assignment satisfies everything."""
    return tuple(
        satisfiable(trace.variables, [*query.clauses, *units(query.assumptions)])
        for query in trace.queries()
    )
