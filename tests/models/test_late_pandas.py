"""CP-SAT's module is imported without pandas, and works with pandas."""

from __future__ import annotations

import pytest

from tests.installed import needs
from tests.processes import run_python

needs("ortools", "pandas")

SOLVED = """
import sys
import models
from puzzles import beams
assert models.solve(beams.parse("1\\n1 2\\n.-\\n")[0], "cpsat", certify=True).possible
print("pandas" in sys.modules)
"""

SERIES = """
from models.late_pandas import cp_model
{later}
import pandas
module = cp_model()
model = module.CpModel()
index = pandas.Index(["a", "b", "c"])
series = model.new_int_var_series(name="x", index=index, lower_bounds=pandas.Series([1, 2, 3], index=index), upper_bounds=7)
assert type(series) is pandas.Series
assert list(series.index) == ["a", "b", "c"]
model.minimize(sum(series))
solver = module.CpSolver()
assert solver.solve(model) == module.OPTIMAL
print(type(solver.values(series)) is pandas.Series, list(solver.values(series)))
try:
    model.new_bool_var_series(name="y", index=["no", "index"])
except TypeError:
    print("refused")
"""


def test_a_board_is_solved_without_pandas() -> None:
    assert run_python("-c", SOLVED).stdout == "False\n"


@pytest.mark.parametrize("later", ["cp_model()", ""])
def test_functions_over_series_work_whoever_comes_first(later: str) -> None:
    assert run_python("-c", SERIES.format(later=later)).stdout == "True [1, 2, 3]\nrefused\n"


def test_a_version_that_asks_more_of_pandas_gets_it() -> None:
    less = "from models import late_pandas\ndel late_pandas._LatePandas.Index\n"
    said = "import sys\nprint(late_pandas.cp_model().pd is sys.modules['pandas'], hasattr(sys.modules['pandas'], 'DataFrame'))"
    assert run_python("-c", less + said).stdout == "True True\n"
