"""Models with objectives and soft clauses: the best solutions, and all of them; integer
variables.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compare.commands.equivalent.test_command import DOTS
from tests.processes import compare

MODELS = """
from ortools.sat.python import cp_model

from models.cnf import Formula
from models.cpsat import CpSatEncoding
from models.dimacs import Encoding
from puzzles.backend import backend
from puzzles.grid import GridSolution


def cells(board):
    return [(k, f"dot {k}") for k in range(1, board.cells + 1)]


def cover(board, weight=lambda k: k % 2 + 1, pairs=0):
    "Of two cells side by side one is chosen; a cell weighs 1 or 2."
    formula = Formula.of(board.cells, [[k, k + 1] for k in range(1, board.cells - pairs)])
    for k in range(1, board.cells + 1):
        formula.add_soft(weight(k), -k)
    return Encoding(formula, "a cover", cells(board))


def in_cpsat(board, weight=lambda k: k % 2 + 1, sense="minimize"):
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in range(board.cells)]
    for one, other in zip(chosen, chosen[1:]):
        model.add_bool_or([one, other])
    getattr(model, sense)(sum(weight(k) * each for k, each in enumerate(chosen, 1)))
    return CpSatEncoding(model, [(each, name) for each, (_, name) in zip(chosen, cells(board))])


def heights(board, top=3):
    "Numbers that grow from cell to cell, as low as they can be."
    model = cp_model.CpModel()
    height = [model.new_int_var(0, board.cells + top, "") for _ in range(board.cells)]
    for low, high in zip(height, height[1:]):
        model.add(high > low)
    model.minimize(sum(height))
    names = [(each, f"the height of {k}") for k, each in enumerate(height, 1)]
    return CpSatEncoding(model, names)


def loose(board):
    encoding = heights(board)
    height = [variable for variable, _ in encoding.names]
    encoding.cp.minimize(height[-1])
    if len(height) > 2:  # the best last number leaves the first ones no choice
        encoding.cp.minimize(height[-1] - height[0])
    return encoding


def higher(board):
    return heights(board, top=4)


def lowest(board):
    "The same without an objective: the one solution is stated."
    encoding = heights(board)
    encoding.cp.clear_objective()
    for k, (height, _) in enumerate(encoding.names):
        encoding.cp.add(height == k)
    return encoding


def plain(board):
    encoding = cover(board)
    return Encoding(Formula.of(board.cells, encoding.formula.clauses), "", cells(board))


def register(name, stated):
    @backend("dots", name, side="models", source="mine", slow=True, encode=stated)
    def solve(board, *, certify=False):
        return GridSolution(True, board)


register("cover", cover)
register("alike", lambda board: cover(board, weight=lambda k: 1))
register("forgets", lambda board: cover(board, pairs=1))
register("cpsat", in_cpsat)
register("most", lambda board: in_cpsat(board, sense="maximize"))
register("late", lambda board: cover(board) if board.cells > 1 else plain(board))
register("heights", heights)
register("loose", loose)
register("higher", higher)
register("plain", plain)
register("lowest", lowest)


def weightless(board):
    encoding = cover(board)
    encoding.formula.soft.append((0, [1]))
    return encoding


register("zero", weightless)


def starts(board, last=1):
    "The first number is 0 or 1, each further one may be one higher."
    model = cp_model.CpModel()
    start = [model.new_int_var(0, k, "") for k in range(1, board.cells + 1)]
    model.add(start[-1] <= start[0] + last)
    return CpSatEncoding(model, [(each, f"start {k}") for k, each in enumerate(start, 1)])


register("starts", starts)
register("stops", lambda board: starts(board, last=0))


def x_in_clauses(board):
    return 2, [[-2]], {1: "x", 2: "y"}


def x_in_cpsat(board, *values):
    model = cp_model.CpModel()
    domain = cp_model.Domain.from_values(values)
    x, y = model.new_int_var_from_domain(domain, ""), model.new_bool_var("")
    model.add(y == 0)
    return CpSatEncoding(model, [(x, "x"), (y, "y")])


register("x", x_in_clauses)
register("x012", lambda board: x_in_cpsat(board, 0, 1, 2))
register("x12", lambda board: x_in_cpsat(board, 1, 2))
register("xm10", lambda board: x_in_cpsat(board, -1, 0))
register("x05", lambda board: x_in_cpsat(board, 0, 5))
"""

SAME = "ALL AGREE: the same"


@pytest.mark.parametrize(
    ("words", "status", "printed"),
    [
        ("cover cpsat", 0, SAME + " optimal solutions on all boards of up to "),
        ("cover cpsat --count", 0, SAME + " numbers of optimal solutions on all boards of up to "),
        ("plain plain", 0, SAME + " on all boards of up to "),
        ("cover cpsat --optimal", 0, SAME + " optimal solutions on all boards of up to "),
        ("cover cpsat --feasible", 0, SAME + " feasible solutions on all boards of up to "),
        ("cover alike", 1, "models:alike admits what models:cover refuses"),
        ("cover alike --feasible", 0, SAME + " feasible solutions"),
        ("cover forgets --feasible", 1, "models:forgets admits what models:cover refuses"),
        ("cover most", 1, "DIFFERENT on this board (1x1), and on no smaller one"),
        ("plain cover --feasible", 0, SAME + " feasible solutions"),
        ("plain cover", 1, "models:plain admits what models:cover refuses"),
        ("heights loose --feasible", 0, SAME + " feasible solutions"),
        ("heights loose", 1, "models:loose admits:\n  the height of 1 = "),
        ("heights higher", 0, SAME + " optimal solutions on all boards"),
        (
            "heights lowest",
            0,
            "ALL AGREE: the optimal solutions of models:heights are the solutions of models:lowest "
            "on all boards of up to ",
        ),
        (
            "lowest heights --count",
            0,
            "ALL AGREE: models:heights has as many optimal solutions as models:lowest has "
            "solutions on all boards of up to ",
        ),
        ("heights higher --feasible", 1, "models:higher admits:\n  the height of 1 = "),
        ("starts stops", 1, "models:starts admits:\n  start 1 = "),
        ("cover cpsat --count --optimal", 0, SAME + " numbers of optimal solutions"),
        (
            "plain cover --optimal",
            2,
            "models:plain has neither an objective nor soft clauses on any board that was compared "
            "(1), so no solution is better than another: leave --optimal out\n",
        ),
        ("plain plain --optimal", 2, "on any board that was compared (26), so no solution is "),
        ("late late --optimal", 0, SAME + " optimal solutions on all boards of up to "),
        (
            "cover cpsat --optimal --feasible",
            2,
            "--optimal compares the best solutions, --feasible all: leave one out",
        ),
        (
            "cover zero",
            2,
            "models:zero: encode returned the weight of a soft clause as 0: expected 1 to ",
        ),
    ],
)
def test_which_solutions_are_compared(
    words: str, status: int, printed: str, tmp_path: Path
) -> None:
    (tmp_path / "dots.py").write_text(DOTS + MODELS)
    line = f"equivalent ./dots.py {words} --boards 30 --cases 0"
    ended = compare(line, cwd=tmp_path, status=status)
    assert printed in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("words", "admitting", "value"),
    [
        ("x x012", "x012", 2),
        ("x012 x", "x012", 2),
        ("xm10 x", "xm10", -1),
        ("x x05", "x05", 5),
    ],
)
def test_a_number_that_no_clause_variable_can_be_is_a_difference(
    words: str, admitting: str, value: int, tmp_path: Path
) -> None:
    (tmp_path / "dots.py").write_text(DOTS + MODELS)
    line = f"equivalent ./dots.py {words} --boards 2 --cases 0"
    printed = compare(line, cwd=tmp_path, status=1).stdout
    assert f"models:{admitting} admits what models:x refuses" in printed
    assert f"models:{admitting} admits:\n  x = {value}\n  not: y\n" in printed
    assert f"models:x refuses already:\n  x = {value}\n" in printed


def test_values_of_a_clause_variable_that_a_number_lacks_are_a_difference(tmp_path: Path) -> None:
    (tmp_path / "dots.py").write_text(DOTS + MODELS)
    for words in ("x x12", "x12 x"):
        line = f"equivalent ./dots.py {words} --boards 2 --cases 0"
        printed = compare(line, cwd=tmp_path, status=1).stdout
        assert "  x = " in printed
