"""2-SAT as a solver in its own right, against all assignments and python-sat; its DIMACS front
end.
"""

from __future__ import annotations

import numpy as np
import pytest

from direct import two_sat
from puzzles.text import InputError
from tests.direct import formulas as random_formulas
from tests.processes import run_python


@pytest.mark.parametrize(
    ("form", "count"),
    [("python", 500), ("compiled", 500), pytest.param("compiled", 6000, marks=pytest.mark.slow)],
)
def test_random_formulas_against_python_sat(
    form: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    drawn = random_formulas.cases(3, count)
    assert any(case.variables > 2000 for case in drawn)
    for case in drawn:
        random_formulas.examine(case)


def test_a_chain_of_a_hundred_thousand_needs_no_recursion() -> None:
    count = 100_000
    chain = np.column_stack([-np.arange(1, count), np.arange(2, count + 1)])
    ends = np.array([[1, 1], [-count, -count]])
    assert two_sat.solve(count, chain.astype(np.int32)).satisfiable
    solution = two_sat.solve(count, np.concatenate([chain, ends]).astype(np.int32))
    assert not solution.satisfiable
    assert solution.cycle is not None
    assert solution.cycle.size >= count


def test_no_clauses_and_an_empty_clause() -> None:
    assert two_sat.solve(3, np.empty((0, 2), np.int32)).satisfiable
    variables, clauses = two_sat.read_dimacs("p cnf 2 2\n1 2 0\n0\n")
    assert not two_sat.solve(variables, clauses).satisfiable


def test_reading_dimacs() -> None:
    variables, clauses = two_sat.read_dimacs(
        "c hello\n\np cnf 3 5\n1 -2 0 2\n0\nc between\n3 3 0 -1 1 0\n-3 -3 -2 0\n"
    )
    assert variables == 3
    assert clauses.tolist() == [[1, -2], [2, 2], [3, 3], [-1, 1], [-3, -2]]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1:1", "the text is empty"),
        ("c only\n", "2:1", "expected p cnf"),
        ("p dnf 1 1\n", "1:1", "expected p cnf"),
        ("p cnf 2 1\n1 3 0\n", "2:3", "out of range"),
        ("p cnf 2 1\n1 99999999999999999999 0\n", "2:3", "out of range"),
        ("p cnf 2 1\n1 x 0\n", "2:3", "expected a literal"),
        ("p cnf 3 1\n1 2 3 0\n", "2:5", "more than two literals"),
        ("p cnf 3 1\n1 2\n", "2:4", "expected 0"),
        ("p cnf 3 2\n1 2 0\n", "1:1", "announces 2 clauses, the text has 1"),
    ],
)
def test_bad_dimacs_is_refused_with_its_place(text: str, place: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        two_sat.read_dimacs(text, "f.cnf")
    assert str(caught.value).startswith(f"f.cnf:{place}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "status", "first"),
    [
        ("p cnf 2 1\n1 2 0\n", 10, "s SATISFIABLE"),
        ("p cnf 1 2\n1 0\n-1 0\n", 20, "s UNSATISFIABLE"),
        ("p cnf 1 1\n2 0\n", 2, ""),
    ],
)
def test_the_command_answers_as_sat_solvers_do(text: str, status: int, first: str) -> None:
    ended = run_python("-W", "error", "-m", "direct.two_sat", text=text)
    assert ended.returncode == status
    assert ended.stdout.split("\n")[0] == first
    assert (ended.stderr == "") == (status != 2)


def test_a_formula_too_large_is_refused_before_it_takes_memory() -> None:
    with pytest.raises(InputError, match="a.cnf:1:7: more than 67108864 variables"):
        two_sat.read_dimacs("p cnf 67108865 0\n", "a.cnf")
