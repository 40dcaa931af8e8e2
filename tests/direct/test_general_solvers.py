"""Matching, 2-SAT and union-find as solvers in their own right: random inputs, bad cases, and their
command lines.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from direct import matching, two_sat, union_find
from tests.direct import formulas, graphs, pairs
from tests.processes import run_python


@pytest.mark.parametrize(
    ("form", "count"),
    [("python", 300), ("compiled", 300), pytest.param("compiled", 6000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(("inputs", "seed"), [(graphs, 2), (formulas, 3), (pairs, 10)])
def test_random_inputs(
    inputs: ModuleType, seed: int, form: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    for case in inputs.cases(seed, count):
        inputs.examine(case)


def crossed(steps: int) -> tuple[int, np.ndarray]:
    """No vertex of degree one: a ladder whose rungs lead a greedy search the wrong way."""
    k = np.arange(steps)
    pairs = [
        np.column_stack([k, k]),
        np.column_stack([k, (k + 1) % steps]),
        np.column_stack([k[: steps // 2], k[::-1][: steps // 2]]),
    ]
    return steps, np.concatenate(pairs).astype(np.int32)


def kuhn_killer(steps: int) -> tuple[int, np.ndarray]:
    """A long path whose every second vertex has a rival: one search after the other runs down the
    whole path in vain.
    """
    k = np.arange(steps)
    rivals = np.column_stack([k + steps, k])
    return 2 * steps, np.concatenate(
        [np.column_stack([k, k]), np.column_stack([k[:-1], k[1:]]), rivals]
    ).astype(np.int32)


@pytest.mark.parametrize("make", [crossed, kuhn_killer])
def test_kuhns_worst_cases_are_solved(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    size, edges = make(50_000)
    answer = matching.solve(matching.graph(size, size, edges))
    assert answer.size == 50_000
    graphs.examine_matching(graphs.Edges(size, size, edges, 0), answer)


def test_a_chain_of_a_hundred_thousand_needs_no_recursion() -> None:
    count = 100_000
    chain = np.column_stack([-np.arange(1, count), np.arange(2, count + 1)])
    ends = np.array([[1, 1], [-count, -count]])
    assert two_sat.solve(count, chain.astype(np.int32)).satisfiable
    solution = two_sat.solve(count, np.concatenate([chain, ends]).astype(np.int32))
    assert not solution.satisfiable
    assert solution.cycle is not None
    assert solution.cycle.size >= count


def test_sets_of_long_lines_and_stars() -> None:
    n = 200_000
    line = np.arange(n - 1)
    for a, b in (
        (line, line + 1),
        (line[::-1], line[::-1] + 1),
        (np.zeros(n - 1, np.int64), line + 1),
    ):
        parents = union_find.singletons(n)
        assert union_find.union(parents, a, b).all()
        assert union_find.count(parents) == 1
        assert not union_find.labels(parents).any()


@pytest.mark.parametrize(
    ("solver", "text", "status", "out"),
    [
        ("two_sat", "p cnf 2 1\n1 2 0\n", 10, "s SATISFIABLE\n"),
        ("two_sat", "p cnf 1 1\n2 0\n", 2, ""),
        ("matching", "3 2 3\n1 1\n2 1\n3 2\n", 0, "2\n1 1\n3 2\nleft 3\nright 1\n"),
        ("matching", "2 2 1\n1 3\n", 2, ""),
        ("union_find", "6 4\r\n2 4\r\n6 5 \r\n4\t2\r\n3 3\r\n\r\n", 0, "4\n1 2 3 2 5 5\n"),
        ("union_find", "3 1\n1 9\n", 2, ""),
    ],
)
def test_the_commands_from_the_shell(solver: str, text: str, status: int, out: str) -> None:
    """The status of `two_sat` is that of SAT solvers."""
    ended = run_python("-W", "error", "-m", f"direct.{solver}", text=text)
    assert ended.returncode == status
    assert ended.stdout.startswith(out)
    assert (ended.stdout == "") == (ended.stderr != "") == (status == 2)
