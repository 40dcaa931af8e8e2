"""The mutants themselves: what is changed, what is left alone, and that a planted one runs in the
place of the original.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from tests.mutants.__main__ import main
from tests.mutants.mutations import ALL, Mutation, code_of, mutants, sites
from tests.mutants.planting import Marks, plant


def changed(source: str, kinds: Mutation = ALL) -> list[str]:
    """What the mutations make of a source."""
    results: list[str] = []
    tree = ast.parse(source)
    for site in sites(tree, kinds):
        was = site.put(site.value)
        results.append(ast.unparse(tree))
        assert site.put(was) is site.value
    assert ast.unparse(tree) == ast.unparse(ast.parse(source))
    return results


@pytest.mark.parametrize(
    ("source", "results"),
    [
        ("a < b", ["a <= b"]),
        ("a - 1", ["a + 1", "a - 2"]),
        ("a and -b", ["a or -b", "a and +b"]),
        ("not a", ["a"]),
        ("x = ~a & b", ["x = a & b", "x = ~a | b"]),
        ("x = True", ["x = False"]),
        ("c.add(-a, b)", ["pass", "c.add(-a, -b)", "c.add(+a, b)"]),
        (
            "f.extend(np.column_stack([-a, b]))",
            ["pass", "f.extend(np.column_stack([-a, -b]))", "f.extend(np.column_stack([+a, b]))"],
        ),
        ("m.add_bool_or(a)", ["pass", "m.add_bool_or(~a)"]),
        ("a[:]", ["a[1:]"]),
        ("a[i:j]", ["a[i + 1:j]", "a[i:j + 1]"]),
        ("while a:\n    break", ["while a:\n    continue"]),
    ],
)
def test_each_kind_of_mutation(source: str, results: list[str]) -> None:
    assert changed(source) == results


@pytest.mark.parametrize(
    "source",
    [
        "raise ValueError(f'{a + 1}')",
        "x: tuple[int | None, 3]",
        "zip(a, b, strict=True).c",
        "if __name__ == '__main__':\n    f(1)",
        "n = 10",
    ],
)
def test_what_solves_nothing_is_left_alone(source: str) -> None:
    assert changed(source) == []


def test_the_mutants_of_a_module_are_told_apart() -> None:
    listed = mutants("direct.two_sat")
    assert len(listed) > 80
    assert len({mutant.key for mutant in listed}) == len(listed)
    assert all(mutant.old != mutant.new for mutant in listed)


def marked() -> tuple[list[int], list[int]]:
    marks = Marks(["direct.two_sat"])
    from direct import two_sat

    marks.taken()
    two_sat.print_solution(two_sat.Solution(False))
    first = marks.taken()["direct.two_sat"]
    two_sat.solve(2, np.array([[1, 2]], np.int32))
    second = marks.taken()["direct.two_sat"]
    return list(first), list(second)


def test_a_module_marks_the_statements_that_it_executes() -> None:
    first, second = call(marked, limits=Limits(30.0)).value
    assert 0 < sum(first) < sum(second) < len(second) == len(first)


def satisfiable(number: int) -> bool:
    """What the mutant of this number, or the original, says of an empty clause."""
    if number >= 0:
        plant(
            "direct.two_sat",
            code_of(next(each for each in mutants("direct.two_sat") if each.number == number)),
        )
    from direct import two_sat

    return two_sat.solve(1, np.array([[0, 0]], np.int32)).satisfiable


def test_a_planted_mutant_runs_in_the_place_of_the_original_and_only_in_its_process() -> None:
    mutant = next(
        each
        for each in mutants("direct.two_sat")
        if each.new.startswith("return Solution(True, cycle=np.empty(0, np.int32), reasons=")
    )
    assert call(satisfiable, mutant.number, limits=Limits(30.0)).value is True
    assert call(satisfiable, -1, limits=Limits(30.0)).value is False


def test_a_measure_says_which_program_it_lacks_and_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    with pytest.raises(SystemExit) as ended:
        main(["models.python_file", "--most", "1", "--boards", "1"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(
        "tests.models.solver_kinds starts the program cc; on Debian `apt-get install gcc` "
        "installs it\n"
    )
