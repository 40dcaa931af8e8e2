"""Answers to a problem that asks for the best: how they stand to each other, what a better solution
refutes, what is proved together, and gaps.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import puzzles
from compare.commands.run.comparison_tables import par_2
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.optimum import primal_integral
from compare.engine.campaign.summaries import Grade, Headline, summaries_of
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.result import Relation, Result, Stance, TracePoint, relate
from compare.show.conclusion import Conclusion
from compare.show.table import gap_text
from puzzles.answer import Check, Verdict
from puzzles.case_solution import CaseSolution
from tests.places import ROOT
from tests.records import record

LESS, GREATER = "tardiness", "knapsack"


@pytest.fixture(autouse=True)
def examples() -> None:
    for name in (LESS, GREATER):
        puzzles.find(str(ROOT / "examples" / f"{name}.py"))


NINE, EIGHT, SEVEN = (CaseSolution.feasible(value) for value in (9, 8, 7))
BEST = CaseSolution.optimal(8)
NONE = CaseSolution.infeasible()

RELATED = [
    (BEST, BEST, Relation.EQUAL),
    (BEST, CaseSolution.optimal(9), Relation.CONFLICT),
    (NONE, NONE, Relation.EQUAL),
    (NONE, BEST, Relation.CONFLICT),
    (NONE, NINE, Relation.CONFLICT),
    (NONE, CaseSolution(True), Relation.CONFLICT),
    (NONE, CaseSolution.only_bound(3), Relation.SUBSET),
    (BEST, NINE, Relation.SUBSET),
    (BEST, EIGHT, Relation.SUBSET),
    (BEST, SEVEN, Relation.CONFLICT),
    (BEST, CaseSolution.only_bound(8), Relation.SUBSET),
    (BEST, CaseSolution.only_bound(7), Relation.SUBSET),
    (BEST, CaseSolution.only_bound(9), Relation.CONFLICT),
    (BEST, CaseSolution(True), Relation.SUBSET),
    (NINE, SEVEN, Relation.COMPATIBLE),
    (SEVEN, CaseSolution.only_bound(8), Relation.CONFLICT),
    (CaseSolution.feasible(9, bound=7), EIGHT, Relation.COMPATIBLE),
    (CaseSolution.feasible(9, bound=8), CaseSolution.feasible(12, bound=10), Relation.CONFLICT),
]


@pytest.mark.parametrize(("a", "b", "relation"), RELATED)
def test_claims_are_intervals_of_the_optimum(
    a: CaseSolution, b: CaseSolution, relation: Relation
) -> None:
    def negated(answer: CaseSolution) -> CaseSolution:
        value, bound = (None if each is None else -each for each in (answer.value, answer.bound))
        return CaseSolution(answer.possible, None, value, bound, answer.complete)

    for puzzle, one, other in ((LESS, a, b), (GREATER, negated(a), negated(b))):
        ours, theirs = Stance.of(one, one.claims), Stance.of(other, other.claims)
        assert relate(puzzle, ours, theirs) is relation
        assert relate(puzzle, theirs, ours) is relation


def said(
    contender: str,
    answer: CaseSolution,
    verdict: Verdict,
    shown: int | None = None,
    puzzle: str = LESS,
    case: int = 1,
) -> Result:
    """A result with this answer; its check has verified a solution worth `shown`."""
    value, bound = answer.worth
    return record(
        case,
        puzzle=puzzle,
        contender=contender,
        format="plain",
        claims=answer.claims,
        value=value,
        bound=bound,
        answer=f"{answer}\n",
        check=Check(verdict, "so it is", value=shown),
    )


def conclusion(*results: Result) -> tuple[Comparison, Conclusion]:
    comparison = Comparison.of(results)
    return comparison, Conclusion.of(comparison, comparison.exit_status(), [], lambda _: None)


def grades(comparison: Comparison) -> dict[str, Grade]:
    return {each.contender: each.grade for each in summaries_of(comparison.instances)}


@pytest.mark.parametrize(("puzzle", "better", "worse"), [(LESS, 901, 1184), (GREATER, 1184, 901)])
def test_a_better_solution_refutes_an_optimum_though_its_own_bound_is_not_proved(
    puzzle: str, better: int, worse: int
) -> None:
    comparison, ended = conclusion(
        said("direct:a", CaseSolution.optimal(better), Verdict.UNPROVED, better, puzzle),
        said("models:b", CaseSolution.optimal(worse), Verdict.UNPROVED, worse, puzzle),
    )
    reason = f"direct:a shows a solution worth {better}, better than {worse}"
    assert grades(comparison) == {"direct:a": Grade.OPEN, "models:b": Grade.WRONG}
    assert comparison.headline is Headline.FAILED
    assert [(each.kind, each.contenders, each.reason) for each in ended.faults] == [
        ("REFUTED", ("models:b",), reason),
        ("UNPROVED", ("direct:a",), "so it is"),
    ]
    assert f"REFUTED: models:b, {reason}" in ended.faults[0].text
    assert "models:b FAILED on 1 of 1: 1 WRONG" in ended.last_line


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (CaseSolution.only_bound(9), "direct:a shows a solution worth 8, better than 9"),
        (CaseSolution.feasible(12, bound=9), "direct:a shows a solution worth 8, better than 9"),
        (CaseSolution.infeasible(), "direct:a shows a solution worth 8"),
    ],
)
def test_a_solution_refutes_bounds_and_that_there_is_none(claim: CaseSolution, reason: str) -> None:
    _, ended = conclusion(
        said("direct:a", CaseSolution.feasible(8), Verdict.PROVED, 8),
        said("models:b", claim, Verdict.UNPROVED),
    )
    (fault,) = ended.faults
    assert (fault.kind, fault.contenders, fault.reason) == ("REFUTED", ("models:b",), reason)


def test_a_solution_counts_though_its_answer_names_another_value() -> None:
    comparison, ended = conclusion(
        said("direct:a", CaseSolution.feasible(9), Verdict.REFUTED, 7),
        said("models:b", CaseSolution.optimal(8), Verdict.UNPROVED, 8),
    )
    assert set(grades(comparison).values()) == {Grade.WRONG}
    assert {(each.kind, each.contenders) for each in ended.faults} == {
        ("REFUTED", ("direct:a",)),
        ("REFUTED", ("models:b",)),
    }


def test_a_claim_that_nobody_has_verified_refutes_nothing() -> None:
    comparison, ended = conclusion(
        said("direct:a", CaseSolution.optimal(7), Verdict.UNPROVED),
        said("models:b", CaseSolution.optimal(8), Verdict.UNPROVED, 8),
    )
    assert comparison.headline is Headline.CONFLICT
    assert ended.faults[0].contenders == ("direct:a", "models:b")


def test_nobody_is_blamed_where_the_check_proves_a_bound_that_a_solution_beats() -> None:
    comparison, ended = conclusion(
        said("direct:a", CaseSolution.optimal(8), Verdict.PROVED, 8),
        said("models:b", CaseSolution.optimal(7), Verdict.UNPROVED, 7),
    )
    assert (
        "tardiness.py proves the answer of direct:a, and says that models:b shows a better "
        "solution: it is wrong." in ended.faults[0].text
    )
    assert comparison.headline is Headline.CONFLICT
    assert grades(comparison) == {"direct:a": Grade.RIGHT, "models:b": Grade.OPEN}


def test_a_worse_solution_that_claims_no_more_is_right_and_has_a_gap() -> None:
    comparison, ended = conclusion(
        *(
            said("direct:a", CaseSolution.optimal(best), Verdict.PROVED, best, case=case)
            for case, best in ((1, 10), (2, 0), (3, 20))
        ),
        *(
            said("models:b", CaseSolution.feasible(value), Verdict.PROVED, value, case=case)
            for case, value in ((1, 15), (2, 3), (3, 20))
        ),
    )
    assert comparison.headline is Headline.ALL_AGREE
    assert not ended.faults
    of_b = list(summaries_of(comparison.instances, "models:b"))
    of_best = [each.rare for each in of_b]
    assert [(each.gap, each.relative_gap, each.best_proved) for each in of_best] == [
        (5, 0.5, True),
        (3, 3.0, True),
        (0, 0.0, True),
    ]
    assert {each.relation for each in of_b} == {Relation.SUBSET}
    part = comparison.puzzles[LESS]
    assert part.tallies["models:b"].gaps == [0.5, 3.0, 0.0]
    assert part.tallies["models:b"].recall is None
    assert part.tallies["direct:a"].gaps == []


def test_a_solution_and_a_bound_of_two_prove_the_optimum_of_a_third() -> None:
    comparison, ended = conclusion(
        said("direct:a", CaseSolution.feasible(8), Verdict.PROVED, 8),
        said("models:b", CaseSolution.only_bound(8), Verdict.PROVED),
        said("models:c", CaseSolution.optimal(8), Verdict.UNPROVED, 8),
        said("models:d", CaseSolution.feasible(9, bound=5), Verdict.UNPROVED, 9),
    )
    assert set(grades(comparison).values()) == {Grade.RIGHT}
    assert not ended.faults
    (of_c,) = summaries_of(comparison.instances, "models:c")
    assert (of_c.rare.best, of_c.rare.best_proved) == (8, True)


def test_a_stronger_bound_than_the_proved_one_stays_open() -> None:
    comparison, _ = conclusion(
        said("direct:a", CaseSolution.feasible(8), Verdict.PROVED, 8),
        said("models:b", CaseSolution.only_bound(6), Verdict.PROVED),
        said("models:c", CaseSolution.only_bound(7), Verdict.UNPROVED),
    )
    assert grades(comparison)["models:c"] is Grade.OPEN
    (of_a,) = summaries_of(comparison.instances, "direct:a")
    assert (of_a.rare.gap, of_a.rare.best_proved) == (0, False)


def stopped(value: int, verdict: Verdict, bound: int | None = None) -> Result:
    """A run that was stopped after 10 seconds, with the answer that it had reported after 4."""
    return replace(
        said("models:stopped", CaseSolution.feasible(value, bound=bound), verdict, value),
        status=Status.TIMEOUT,
        usage=Usage(10.0),
        trace=(TracePoint(1.0, None, bound), TracePoint(4.0, value, bound)),
    )


def test_a_run_that_is_stopped_is_not_solved_and_its_solution_counts_all_the_same() -> None:
    comparison, ended = conclusion(
        stopped(8, Verdict.UNPROVED, bound=2),
        said("direct:a", CaseSolution.optimal(12), Verdict.UNPROVED, 12),
        said("models:b", CaseSolution.feasible(10), Verdict.PROVED, 10),
    )
    assert grades(comparison) == {
        "models:stopped": Grade.TIMEOUT,
        "direct:a": Grade.WRONG,
        "models:b": Grade.RIGHT,
    }
    reason = "models:stopped shows a solution worth 8, better than 12"
    assert ("REFUTED", reason) in {(each.kind, each.reason) for each in ended.faults}
    assert [each.kind for each in ended.faults if each.contenders == ("models:stopped",)] == [
        "TIMEOUT"
    ]
    (of_stopped,) = summaries_of(comparison.instances, "models:stopped")
    (of_b,) = summaries_of(comparison.instances, "models:b")
    assert (of_stopped.rare.value, of_stopped.rare.bound, of_stopped.rare.gap, of_b.rare.gap) == (
        8,
        2,
        0,
        2,
    )
    assert (of_stopped.check, of_stopped.solved_s, of_b.rare.primal_integral) == (None, None, None)
    assert par_2([of_stopped], 10.0)[:2] == (20.0, [])
    assert of_stopped.rare.primal_integral == pytest.approx(0.4)
    assert (comparison.tally.checked, comparison.tally.uncertified) == (2, 0)


def test_a_report_that_is_refuted_is_wrong_though_the_run_was_stopped() -> None:
    comparison, ended = conclusion(
        stopped(12, Verdict.REFUTED), said("models:b", CaseSolution.optimal(9), Verdict.PROVED, 9)
    )
    assert grades(comparison)["models:stopped"] is Grade.WRONG
    assert comparison.headline is Headline.FAILED
    assert [each.kind for each in ended.faults] == ["TIMEOUT", "REFUTED"]


@pytest.mark.parametrize(
    ("points", "best", "integral"),
    [
        ([(2.0, 20), (6.0, 10)], 10, 0.4),  # 2 s without a solution, 4 s at half
        ([(0.0, 10)], 10, 0.0),
        ([(5.0, None)], 10, 1.0),
        ([(5.0, 5)], 10, 0.75),
        ([(5.0, 7)], 0, 1.0),
        ([(5.0, -7)], 7, 1.0),
        ([(0.0, -20)], -10, 0.5),
        ([(12.0, 10)], 10, 1.0),
    ],
)
def test_the_primal_integral_is_the_mean_distance_over_time(
    points: list[tuple[float, int | None]], best: int, integral: float
) -> None:
    trace = [TracePoint(seconds, value, None) for seconds, value in points]
    assert primal_integral(trace, best, 10.0) == pytest.approx(integral)


def test_a_damaged_trace_is_no_record() -> None:
    known = stopped(8, Verdict.UNPROVED, bound=2)
    assert '"trace": [[1.0, null, 2], [4.0, 8, 2]]' in known.line()
    assert '"trace"' not in record().line()
    assert Result.from_line(known.line()).trace == known.trace
    points = ("[NaN, 8, 2]", "[Infinity, 8, 2]", "[-1.0, 8, 2]", "[4.0, 8.5, 2]", "[4.0, 8]", "7")
    for damaged in (*points, ", ".join(["[4.0, 8, 2]"] * 100)):
        with pytest.raises(ValueError, match="not a record"):
            Result.from_line(known.line().replace("[4.0, 8, 2]", damaged))


def test_value_and_bound_stand_in_the_line_only_where_they_are_known() -> None:
    known = said("direct:a", CaseSolution.feasible(9, bound=7), Verdict.UNPROVED, 9)
    read = Result.from_line(known.line())
    assert (read.value, read.bound, read.check) == (9, 7, known.check)
    other = record()
    assert '"bound"' not in other.line()
    assert (Result.from_line(other.line()).value, other.bound) == (None, None)
    with pytest.raises(ValueError, match="not a record"):
        Result.from_line(known.line().replace('"bound": 7', '"bound": 7.5'))
    with pytest.raises(ValueError, match="not a record"):
        Result.from_line(known.line().replace('"bound": 7', f'"bound": {10**18}'))


def test_claims_of_other_puzzles_are_compared_as_before() -> None:
    puzzles.find(str(ROOT / "examples" / "cover.py"))
    ours, theirs = Stance(np.array([1, 8])), Stance(np.array([1, 9]), complete=False)
    assert relate("cover", ours, theirs) is Relation.CONFLICT


def test_gaps_in_words() -> None:
    gaps = (0.0, 0.0001, 0.162, 0.999, 1.0, 23.5)
    assert [gap_text(each) for each in gaps] == ["0%", "0.1%", "16.2%", "99.9%", "100%", "2,350%"]
