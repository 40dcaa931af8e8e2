"""PAR-2: what is not solved counts as twice the limit; only who ran on every board is ranked."""

from __future__ import annotations

import re
from pathlib import Path

from compare.commands.report import html
from compare.commands.report.report_tables import scores_tables, times_table
from compare.engine.campaign.comparison import Comparison
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from puzzles.answer import Verdict
from tests.compare.commands.report.pages import file_of, report_of
from tests.installed import needs
from tests.records import record

needs("jinja2", "matplotlib")

RATIO = {"low": None, "high": None}


def runs() -> list[Result]:
    """Two contenders on four boards, and two that were not run on each of them."""
    runs = [record(case, contender="direct:two-sat", wall_s=1.0) for case in (1, 2, 3, 4)]
    runs += [record(case, contender="models:cnf", wall_s=0.5) for case in (1, 2)]
    runs += [record(3, contender="models:cnf", wall_s=10.0, status=Status.TIMEOUT)]
    runs += [record(4, contender="models:cnf", status=Status.SKIPPED, reason="too large")]
    runs += [
        record(
            case,
            contender="mine",
            wall_s=2.0,
            check=Verdict.REFUTED if case == 1 else Verdict.PROVED,
        )
        for case in (1, 2, 3, 4)
    ]
    runs += [record(1, contender="yours", wall_s=0.1)]
    return runs


def test_the_times_of_hundreds_of_files_are_few_rows() -> None:
    results = [record(case, wall_s=1.0, dataset=f"file {case}") for case in range(1, 301)]
    results += [record(case, wall_s=1.0, dataset="folder") for case in range(301, 306)]
    table = times_table(Comparison.of(results).puzzles["beams"], None)
    assert [[row[0].text, row[1].text] for row in table.rows] == [
        ["300 other datasets", "300"],
        ["folder", "5"],
    ]


def test_par_2_counts_what_was_not_solved_twice() -> None:
    comparison = Comparison.of(runs())
    ranked, apart = scores_tables(comparison, comparison.puzzles["beams"], 10.0)
    assert ranked.for_programs() == [
        {
            "rank": 1,
            "backend": "direct:two-sat",
            "solved": {"count": 4, "of": 4},
            "par2_s": 1.0,
            "not_told_apart": "2",
            "ratio": {"ratio": 1.0, **RATIO},
        },
        {
            "rank": 2,
            "backend": "mine",
            "solved": {"count": 3, "of": 4},
            "par2_s": 6.5,
            "not_told_apart": "1",
            "ratio": {"ratio": 6.5, **RATIO},
        },
    ]
    assert apart.for_programs() == [
        {
            "backend": "yours",
            "solved": {"count": 1, "of": 1},
            "par2_s": 0.1,
            "reason": "3 no record",
        },
        {
            "backend": "models:cnf",
            "solved": {"count": 2, "of": 3},
            "par2_s": 7.0,
            "reason": "1 skipped: too large",
        },
    ]


def tables_of(page: str) -> list[tuple[str, list[list[str]]]]:
    """What stands above each table of scores, and its rows."""
    part = page.partition(">PAR-2</h3>")[2].partition("<h3")[0]
    return [
        (
            above,
            [
                re.findall(r"<td[^>]*>(.*?)</td>", row)
                for row in re.findall("<tr>(<td.*?)</tr>", table)
            ],
        )
        for above, table in re.findall(r"<p>(.*?)</p>(.*?)</table>", part, re.S)
    ]


def test_who_was_not_run_on_every_board_stands_apart_with_the_reason(tmp_path: Path) -> None:
    (ranked, two), (apart, others) = tables_of(report_of(tmp_path, runs()))
    assert ranked == "Runs with a limit of 10 s:"
    assert [row[:2] for row in two] == [["1", "direct:two-sat"], ["2", "mine"]]
    assert apart == "Runs with a limit of 10 s; not ranked:"
    assert [row[0] for row in others] == ["yours", "models:cnf"]
    assert others[1][-1] == "1 skipped: too large"


def test_runs_with_different_limits_are_not_mixed_into_one_number(tmp_path: Path) -> None:
    def stopped(seconds: float) -> list[Result]:
        return [
            record(1, contender="direct:two-sat", wall_s=1.0),
            record(1, contender="models:cnf", wall_s=seconds, status=Status.TIMEOUT),
        ]

    files = [file_of(tmp_path / f"{s}.jsonl", stopped(s), s) for s in (10.0, 60.0)]
    (short, of_10), (long, of_60) = tables_of(html.page(files).text)
    assert short.startswith("Runs with a limit of 10 s, ")
    assert long.startswith("Runs with a limit of 60 s, ")
    assert [row[1:4] for row in of_10] == [
        ["direct:two-sat", "1/1", "1 s"],
        ["models:cnf", "0/1", "20 s"],
    ]
    assert [row[1:4] for row in of_60] == [
        ["direct:two-sat", "1/1", "1 s"],
        ["models:cnf", "0/1", "120 s"],
    ]
