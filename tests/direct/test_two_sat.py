"""2-SAT as a solver in its own right: random formulas, long chains, and its command line."""

from __future__ import annotations

import numpy as np
import pytest

from direct import two_sat
from tests.direct import formulas
from tests.processes import run_python


@pytest.mark.parametrize(
    ("form", "count"),
    [("python", 300), ("compiled", 300), pytest.param("compiled", 6000, marks=pytest.mark.slow)],
)
def test_random_formulas(form: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    for case in formulas.cases(3, count):
        formulas.examine(case)


def test_a_chain_of_a_hundred_thousand_needs_no_recursion() -> None:
    count = 100_000
    chain = np.column_stack([-np.arange(1, count), np.arange(2, count + 1)])
    ends = np.array([[1, 1], [-count, -count]])
    assert two_sat.solve(count, chain.astype(np.int32)).satisfiable
    solution = two_sat.solve(count, np.concatenate([chain, ends]).astype(np.int32))
    assert not solution.satisfiable
    assert solution.cycle is not None
    assert solution.cycle.size >= count


@pytest.mark.parametrize(
    ("text", "status", "out"),
    [
        ("p cnf 2 1\n1 2 0\n", 10, "s SATISFIABLE\n"),
        ("p cnf 1 2\n1 0\n-1 0\n", 20, "s UNSATISFIABLE\n"),
        ("p cnf 1 1\n2 0\n", 2, ""),
    ],
)
def test_the_command_from_the_shell(text: str, status: int, out: str) -> None:
    """Its status is that of SAT solvers."""
    ended = run_python("-W", "error", "-m", "direct.two_sat", text=text)
    assert ended.returncode == status
    assert ended.stdout.startswith(out)
    assert (ended.stdout == "") == (ended.stderr != "") == (status == 2)
