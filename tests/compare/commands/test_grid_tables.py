"""The tables of a run over options: which axes they have, and the scores in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from compare.commands.run.grid_tables import grid_tables
from compare.engine.campaign.comparison import Comparison
from compare.engine.isolate.outcome import Status
from compare.show.table import Table, render
from puzzles.answer import Verdict
from tests.records import record

LIMIT = 10.0


def tables(seconds: Mapping[str, float | None]) -> list[Table]:
    """Of contenders with these seconds on each of five boards; None: it was stopped."""
    records = [
        record(case, contender=name, wall_s=LIMIT, status=Status.TIMEOUT)
        if wall_s is None
        else record(case, contender=name, wall_s=wall_s)
        for name, wall_s in seconds.items()
        for case in range(1, 6)
    ]
    return grid_tables(Comparison.of(records).puzzles["beams"], LIMIT)


def texts(table: Table) -> list[list[str]]:
    return [table.headings, *([cell.text for cell in row] for row in table.rows)]


def test_contenders_without_options_or_with_one_value_have_no_table() -> None:
    assert tables({"direct:two-sat": 1.0, "models:cnf": 1.0, "mine": 2.0}) == []
    assert tables({"models:cnf:card=a": 1.0, "models:cnf-traced:card=b": 1.0}) == []
    assert tables({"models:cnf@glucose4": 1.0, "models:cnf@minisat22": 2.0}) == []


def test_one_option_makes_a_column() -> None:
    (table,) = tables({"direct:two-sat": 9.0, "models:x:card=a": 1.0, "models:x:card=b": None})
    assert table.title == "beams: PAR-2 of models:x"
    assert texts(table) == [
        ["models:x,\ncard", "PAR-2"],
        ["a", "1 s (best)"],
        ["b", "20 s\n5 TIMEOUT"],
    ]
    assert [row[1].mark for row in table.rows] == ["good", ""]


def test_two_options_make_a_matrix_with_gaps() -> None:
    (table,) = tables(
        {
            "models:x:card=a,solver=s": 2.0,
            "models:x:card=a,solver=t": 1.0,
            "models:x:card=b,solver=s": 3.0,
        }
    )
    assert texts(table) == [
        ["models:x,\ncard", "solver=\ns", "solver=\nt"],
        ["a", "2 s", "1 s (best)"],
        ["b", "3 s", ""],
    ]
    assert "PAR-2: the mean time; no answer, or" in render([table])
    first, second = csv.DictReader(io.StringIO(render([table], "csv")))
    assert (first["card"], first["solver=t s"], first["solver=s solved"]) == ("a", "1.0", "5")
    assert (second["card"], second["solver=t s"]) == ("b", "")
    assert "| a" in render([table], "markdown")


def test_of_three_options_each_value_of_the_third_has_a_matrix() -> None:
    names = {
        f"models:x:card={card},solver={solver},fast={fast}": 1.0 + k
        for k, (card, solver, fast) in enumerate(
            (card, solver, fast) for card in "ab" for solver in "st" for fast in ("false", "true")
        )
    }
    first, second = tables(names)
    assert [first.title, second.title] == [
        "beams: PAR-2 of models:x, fast=false",
        "beams: PAR-2 of models:x, fast=true",
    ]
    assert texts(first)[1:] == [["a", "1 s (best)", "3 s"], ["b", "5 s", "7 s"]]
    assert texts(second)[1:] == [["a", "2 s (best)", "4 s"], ["b", "6 s", "8 s"]]


def test_what_is_the_same_for_all_is_no_axis_and_what_a_name_does_not_say_is_the_default() -> None:
    (table,) = tables(
        {"models:x:card=a,solver=s": 2.0, "models:x:card=b,solver=s": 1.0, "direct:y": 1.0}
    )
    assert texts(table) == [["models:x,\ncard", "PAR-2"], ["a", "2 s"], ["b", "1 s (best)"]]
    (table,) = tables({"models:x": 2.0, "models:x:card=b": 1.0})
    assert [row[0].text for row in table.rows] == ["default", "b"]


def test_the_solver_behind_an_at_sign_is_an_axis_beside_others() -> None:
    (table,) = tables(
        {
            f"models:x:card={card}@{solver}": 1.0 + k
            for k, (card, solver) in enumerate((c, s) for c in "ab" for s in "st")
        }
    )
    assert texts(table) == [
        ["models:x,\ncard", "solver=\ns", "solver=\nt"],
        ["a", "1 s (best)", "2 s"],
        ["b", "3 s", "4 s"],
    ]


def test_a_wrong_answer_solves_nothing_and_a_skipped_board_does_not_count() -> None:
    records = [
        record(1, contender="models:x:card=a", wall_s=1.0, check=Verdict.REFUTED),
        record(1, contender="models:x:card=b", wall_s=3.0),
        record(2, contender="models:x:card=a", wall_s=5.0),
        record(2, contender="models:x:card=b", status=Status.SKIPPED, reason="too large"),
    ]
    (table,) = grid_tables(Comparison.of(records).puzzles["beams"], LIMIT)
    a, b = (row[1] for row in table.rows)
    assert (a.fields["s"], a.fields["solved"], a.fields["of"]) == (12.5, 1, 2)
    assert (b.fields["s"], b.fields["solved"], b.fields["of"]) == (3.0, 1, 1)
    assert [a.text, b.text] == ["12.5 s", "3 s\non 1 of 2 boards\n1 SKIPPED"]


def of_boards(**seconds: list[float]) -> list[str]:
    """The cells of contenders with these seconds on the boards."""
    records = [
        record(case, contender=f"models:x:card={name}", wall_s=wall_s)
        for name, some in seconds.items()
        for case, wall_s in enumerate(some, 1)
    ]
    (table,) = grid_tables(Comparison.of(records).puzzles["beams"], LIMIT)
    return [row[1].text for row in table.rows]


def test_only_what_is_told_apart_is_best() -> None:
    """b is mostly faster than a, and much slower on one board; c is slower than both."""
    a, b, c = [1.0] * 6, [0.5, 0.5, 0.5, 0.5, 0.5, 3.0], [4.0, 4.1, 4.0, 4.2, 4.0, 5.0]
    assert of_boards(a=a, b=b, c=c) == [
        "1 s (among the best)",
        "917 ms (among the best)",
        "4.22 s",
    ]
    assert of_boards(a=a, b=b) == ["1 s", "917 ms"]
    assert of_boards(a=a, c=c) == ["1 s (best)", "4.22 s"]
    assert of_boards(a=a[:4], c=c[:4]) == ["1 s", "4.08 s"], "four boards are too few"


def test_a_score_over_fewer_boards_says_so_and_is_never_the_best() -> None:
    a, b, c = [1.0] * 6, [0.1] * 5, [4.0] * 6
    assert of_boards(a=a, b=b, c=c) == ["1 s (best)", "100 ms\non 5 of 6 boards", "4 s"]
    assert of_boards(b=b, c=c) == ["100 ms\non 5 of 6 boards", "4 s"]
