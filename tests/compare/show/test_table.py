"""What stands behind the numbers of a table is said beside them."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from compare.campaign.record import Record
from compare.isolate.sandbox import Status
from compare.show import table


def record(case: int, wall_s: float | None, repeat: int = 1, status: Status = Status.OK, **rest: Any) -> Record:
    data: dict[str, Any] = {"backend": "direct:two-sat", "digest": f"{case:016x}", "set": "some", "complete": True, **rest}
    claims = np.array([1], np.int64) if status is Status.OK else None
    return Record(puzzle="beams", case=case, size=(2, 3), repeat=repeat, status=status, wall_s=wall_s, claims=claims, **data)


def cell(records: list[Record]) -> str:
    return table.rows(records)[0]["direct\ntwo-sat"]


def test_a_median_is_taken_over_the_boards_and_has_its_spread() -> None:
    runs = [record(1, 1.0), record(1, 3.0, 2), record(1, 2.0, 3), record(2, 10.0), record(2, 10.0, 2), record(2, 10.0, 3)]
    assert cell(runs) == "6 s ±25%"
    assert "± half the range of a board's repeats" in table.render(runs)
    assert "±" not in table.render(runs[:1])


@pytest.mark.parametrize(
    ("stopped", "said"),
    [(0, "1 s"), (1, "1 s\n1 TIMEOUT"), (2, "> 5.5 s\n2 TIMEOUT"), (3, "> 10 s\n3 TIMEOUT"), (4, "> 10 s\n4 TIMEOUT")],
)
def test_a_median_that_stands_on_time_outs_is_a_lower_bound(stopped: int, said: str) -> None:
    runs = [record(case, 10.0, status=Status.TIMEOUT) for case in range(stopped)]
    runs += [record(case, 1.0) for case in range(stopped, 4)]
    assert cell(runs) == said
    assert ("> a lower bound" in table.render(runs)) is said.startswith(">")


def test_building_and_solving_are_apart_only_where_both_are_known() -> None:
    runs = [record(1, 3.0, build_s=1.0, solve_s=2.0), record(2, 3.0, build_s=1.0, solve_s=2.0)]
    assert cell(runs) == "1 s + 2 s"
    assert cell([*runs, record(3, 10.0, status=Status.TIMEOUT)]) == "3 s\n1 TIMEOUT"


def test_a_share_is_all_or_nothing_only_where_it_is() -> None:
    assert [table.share(value) for value in (0.0, 1e-9, 0.5, 0.9999, 1.0)] == ["0%", "0.1%", "50.0%", "99.9%", "100%"]
    runs = [record(case, 1.0, complete=False, coverage=value) for case, value in enumerate((1.0, 0.5, 1.0), 1)]
    (row,) = table.shares([*runs, record(3, 1.0, 2, coverage=0.0), record(4, 1.0)])
    assert row == {
        "set": "some",
        "backend": "direct:two-sat",
        "boards": "3",
        "finds": "83.3%",
        "least": "50.0%",
        "all on": "2 of 3",
    }


def test_runs_at_the_same_time_are_marked() -> None:
    runs = [record(1, 1.0), record(2, 2.0, parallel=True)]
    assert cell(runs) == "1.5 s ∥"
    assert "∥ timed while other runs were under way" in table.render(runs, "markdown")
    rows = list(csv.DictReader(io.StringIO(table.render(runs, "csv"))))
    assert rows[0]["direct:two-sat"] == "1.5 s ∥"


def test_a_crash_has_no_time() -> None:
    assert cell([record(1, 0.2, status=Status.CRASH), record(2, 0.3, status=Status.MEMORY)]) == "1 CRASH\n1 MEMORY"


def test_a_run_with_every_solver_has_a_row_for_each() -> None:
    runs = [record(1, 1.0)]
    runs += [record(1, 2.0, backend=f"models:cnf@{solver}") for solver in ("minisat22", "glucose4")]
    assert table.solver_rows(runs) == [
        {"solver": "direct:two-sat", "beams": "1 s"},
        {"solver": "glucose4", "beams": "2 s"},
        {"solver": "minisat22", "beams": "2 s"},
    ]
    assert (
        table.render(runs, "csv")
        == "puzzle,solver,beams\nsolvers,direct:two-sat,1 s\nsolvers,glucose4,2 s\nsolvers,minisat22,2 s\n"
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [("Case #1: IMPOSSIBLE\n", "IMPOSSIBLE"), ("Case 1:\nX##\n2#1\n\n", "X##"), ("2\n2 3\n3 2\n", "2"), ("\n", "nothing")],
)
def test_an_answer_in_brief(answer: str, said: str) -> None:
    assert table.brief(answer) == said


def test_boards_of_several_files_are_told_apart() -> None:
    assert table.where(record(1, 1.0, file="no-turrets")) == "beams, set some, no-turrets case 1 (2x3)"
    assert table.where(record(1, 1.0)) == "beams, set some, case 1 (2x3)"
