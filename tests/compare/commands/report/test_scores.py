"""PAR-2: what is not solved counts as twice the limit."""

from __future__ import annotations

from compare.commands.report.report_tables import scores_table
from compare.engine.campaign.comparison import Comparison
from compare.engine.isolate.outcome import Status
from puzzles.answer import Verdict
from tests.records import record


def test_par_2_counts_what_was_not_solved_twice() -> None:
    runs = [record(case, contender="direct:two-sat", wall_s=1.0) for case in (1, 2, 3, 4)]
    runs += [record(case, contender="models:cnf", wall_s=0.5) for case in (1, 2)]
    runs += [record(3, contender="models:cnf", wall_s=10.0, status=Status.TIMEOUT)]
    runs += [record(4, contender="models:cnf", status=Status.SKIPPED)]
    runs += [
        record(
            case,
            contender="mine",
            wall_s=2.0,
            check=Verdict.REFUTED if case == 1 else Verdict.PROVED,
        )
        for case in (1, 2, 3, 4)
    ]
    table = scores_table(Comparison.of(runs).puzzles["beams"], 10.0)
    assert table.for_programs() == [
        {
            "backend": "direct:two-sat",
            "solved": {"count": 4, "of": 4},
            "par2_s": 1.0,
            "ratio": {"ratio": 1.0, "low": None, "high": None},
        },
        {
            "backend": "mine",
            "solved": {"count": 3, "of": 4},
            "par2_s": 6.5,
            "ratio": {"ratio": 6.5, "low": None, "high": None},
        },
        {
            "backend": "models:cnf",
            "solved": {"count": 2, "of": 3},
            "par2_s": 7.0,
            "ratio": {"ratio": 7.0, "low": None, "high": None},
        },
    ]
