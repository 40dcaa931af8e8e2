"""What stands behind the numbers of a table is said beside them; programs get numbers."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from itertools import chain

import pytest

import puzzles
from compare.commands.run import views
from compare.engine.campaign.comparison import Comparison
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from compare.show import messages
from compare.show.table import CODE, Table, percent, render
from puzzles.answer import Check, Verdict
from tests.installed import needs
from tests.records import record


def cell(records: list[Result]) -> str:
    """The time of the first dataset's first contender."""
    (table,) = views.tables(Comparison.of(records))
    (time, *_) = (each for each in table.rows[0] if "wall_s" in each.fields)
    return time.text


def rendered(records: list[Result], format: str = "table") -> str:
    return render(views.tables(Comparison.of(records)), format)


def test_a_median_is_taken_over_the_boards_and_has_its_spread() -> None:
    runs = [
        record(1, wall_s=seconds, repeat=repeat)
        for repeat, seconds in ((1, 1.0), (2, 3.0), (3, 2.0))
    ]
    runs += [record(2, wall_s=10.0, repeat=repeat) for repeat in (1, 2, 3)]
    assert cell(runs) == "6 s ±25%"
    assert "± half the range of the repeats of a run" in rendered(runs)
    assert "±" not in rendered(runs[:1])


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        (0, "1 s"),
        (1, "1 s\n1 TIMEOUT"),
        (2, "> 5.5 s\n2 TIMEOUT"),
        (3, "> 10 s\n3 TIMEOUT"),
        (4, "> 10 s\n4 TIMEOUT"),
    ],
)
def test_a_median_that_stands_on_time_outs_is_a_lower_bound(stopped: int, said: str) -> None:
    runs = [record(case, wall_s=10.0, status=Status.TIMEOUT) for case in range(stopped)]
    runs += [record(case, wall_s=1.0) for case in range(stopped, 4)]
    assert cell(runs) == said
    assert ("> at least this" in rendered(runs)) is said.startswith(">")


def test_building_and_solving_are_apart_only_where_both_are_known() -> None:
    runs = [record(case, wall_s=3.0, build_s=1.0, solve_s=2.0) for case in (1, 2)]
    assert cell(runs) == "1 s + 2 s"
    assert cell([*runs, record(3, wall_s=10.0, status=Status.TIMEOUT)]) == "3 s\n1 TIMEOUT"


def test_a_share_is_all_or_nothing_only_where_it_is() -> None:
    assert [percent(value) for value in (0.0, 1e-9, 0.5, 0.9999, 1.0)] == [
        "0%",
        "0.1%",
        "50.0%",
        "99.9%",
        "100%",
    ]


def test_recall_is_a_mean_over_the_boards_on_which_something_is_certain() -> None:
    runs: list[Result] = []
    for case, part in enumerate((4, 2, 4, 0), 1):
        whole = 4 if case < 4 else 0
        runs.append(record(case, contender="direct:frontier", decided=whole, wall_s=1.0))
        runs += [
            record(case, complete=False, decided=part, wall_s=1.0, repeat=repeat)
            for repeat in (1, 2)
        ]
    comparison = Comparison.of(runs)
    (row,) = views.recall_table(comparison.puzzles["beams"]).for_programs()
    assert {name: row[name] for name in ("dataset", "backend", "instances", "least", "all_on")} == {
        "dataset": "some",
        "backend": "direct:two-sat",
        "instances": 3,
        "least": 0.5,
        "all_on": "2 of 3",
    }
    assert row["recall"] == pytest.approx(5 / 6)
    assert views.without_recall(comparison.puzzles["beams"]) == [
        "some: on 1 of 4 boards nothing is certain, and they are left out"
    ]
    assert "finds 83.3%" in rendered(runs)


def test_what_is_agreed_and_proved_is_explained_below_the_table() -> None:
    proved = record(1, check=Check(Verdict.PROVED))
    refuted = record(1, contender="mine", check=Check(Verdict.REFUTED, "no"))
    table, below = rendered([proved, refuted]).split("\n\n")[:2]
    assert re.search(r"^all +1 +\d+ +1/1 +0/1 +", table, re.MULTILINE)
    assert below.splitlines()[-1] == (
        "agreed: on how many all answers agree; proved, and the row all: how many of the checked "
        "answers are PROVED"
    )


def test_runs_at_the_same_time_are_marked() -> None:
    runs = [record(1, wall_s=1.0), record(2, wall_s=2.0, parallel=True)]
    assert cell(runs) == "1.5 s ∥"
    assert "∥ timed while other runs were under way" in rendered(runs, "markdown")
    rows = list(csv.DictReader(io.StringIO(rendered(runs, "csv"))))
    assert (rows[0]["direct:two-sat wall_s"], rows[0]["direct:two-sat parallel"]) == ("1.5", "True")


def test_programs_get_numbers_with_units_in_their_names() -> None:
    runs = [
        record(1, wall_s=3.0, build_s=1.0, solve_s=2.0),
        record(1, contender="mine", status=Status.CRASH),
        record(2, wall_s=5.0, build_s=2.0, solve_s=3.0, shape=(3, 3)),
    ]
    some, everything, times_as_long = views.tables(Comparison.of(runs))[0].for_programs()
    assert some == {
        "dataset": "some",
        "instances": 2,
        "size": {"min": 6, "max": 9},
        "direct:two-sat": {"wall_s": 4.0, "build_s": 1.5, "solve_s": 2.5},
        "mine": {"wall_s": None, "crash": 1},
        "agreed": {"count": 0, "of": 2},
        "proved": {"proved": 0, "checked": 0},
    }
    assert everything["dataset"] == "all"
    assert times_as_long["mine"] == {
        **dict.fromkeys(("ratio", "low", "high", "build_ratio", "solve_ratio")),
        "solved_by_both": 0,
        "unsolved": 1,
    }
    first, *_ = csv.DictReader(io.StringIO(rendered(runs, "csv")))
    assert (
        first["table"],
        first["size min"],
        first["direct:two-sat build_s"],
        first["mine crash"],
    ) == ("beams", "6", "1.5", "1")


def test_a_crash_has_no_time() -> None:
    crashes = [
        record(1, wall_s=0.2, status=Status.CRASH),
        record(2, wall_s=0.3, status=Status.MEMORY),
    ]
    assert cell(crashes) == "1 CRASH\n1 MEMORY"


def test_a_run_with_every_solver_has_a_row_for_each() -> None:
    runs = [record(1, wall_s=1.0)]
    runs += [
        record(1, wall_s=2.0, contender=f"models:cnf@{solver}")
        for solver in ("minisat22", "glucose4")
    ]
    (table,) = views.tables(Comparison.of(runs))
    assert [[each.text for each in row] for row in table.rows] == [
        ["direct:two-sat", "1 s"],
        ["glucose4", "2 s"],
        ["minisat22", "2 s"],
    ]
    assert (
        rendered(runs, "csv") == "table,solver,beams "
        "wall_s\nsolvers,direct:two-sat,1.0\nsolvers,glucose4,2.0\nsolvers,minisat22,2.0\n"
    )


@pytest.mark.parametrize(
    ("puzzle", "answer", "headline"),
    [
        ("beams", "Case #1: IMPOSSIBLE\n", "IMPOSSIBLE"),
        ("minesweeper", "Case 1:\nX##\n2#1\n\n", "X##"),
        ("geography", "2\n2 3\n3 2\n", "2 losing cells"),
        ("geography", "WIN\n1\n", "WIN"),
        ("geography", "\n", "nothing"),
    ],
)
def test_an_answer_in_brief(puzzle: str, answer: str, headline: str) -> None:
    assert messages.brief(puzzles.get(puzzle), answer) == headline


def test_boards_of_several_files_are_told_apart() -> None:
    assert str(record(1, file="no-turrets")) == "beams, dataset some, no-turrets case 1 (2x3)"
    assert str(record(1)) == "beams, dataset some, case 1 (2x3)"


def test_the_name_of_a_contender_is_whole_in_a_table_of_markdown() -> None:
    name = "models:totals:card=totalizer,solver=glucose4"
    printed = rendered([record(1, contender=name), record(1)], "markdown")
    assert f"| {name} " in printed


@pytest.mark.parametrize("name", ["a>b", "a ± b", "a ∥ b", "a + b"])
def test_a_mark_in_a_name_is_not_explained(name: str) -> None:
    runs = [record(1, contender=name, wall_s=1.0), record(1, wall_s=1.0)]
    printed = rendered(runs)
    assert name in printed
    for meaning in ("at least this", "half the range", "other runs were under way", "building"):
        assert meaning not in printed


def test_markdown_shows_names_and_boards_as_they_are() -> None:
    needs("markdown_it")
    from markdown_it import MarkdownIt

    names = ["a|b", "a\\|b", "a\\\\b", "a`b`", "*a*", "<b>"]
    boards = [".|", ".\\|", "`-"]
    table = Table.of("", [*names, "board"], [[*names, f"{CODE}{board} ``"] for board in boards])
    html = MarkdownIt("commonmark").enable("table").render(table.for_people("markdown"))
    texts = [unescape(cell) for cell in re.findall("<t[hd]>(.*?)</t[hd]>", html)]
    rows = [[*names, f"<code>{board}</code>"] for board in boards]
    assert texts == [*names, "board", *chain.from_iterable(rows)]


def test_a_bar_in_a_name_parts_no_cells_of_markdown() -> None:
    table = rendered([record(1, contender="a|b", wall_s=1.0)], "markdown").split("\n\n")[1]
    heading, rule, *_ = table.splitlines()
    assert "a\\|b" in heading
    assert heading.replace("\\|", "").count("|") == rule.count("|")
