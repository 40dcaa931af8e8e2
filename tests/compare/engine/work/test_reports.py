"""What a backend reports before its last answer: which of it is kept and passed on, and that a run
that is stopped has it, checked.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psutil
import pytest

import puzzles
from compare.engine.isolate.outcome import Limits, Status, Topic
from compare.engine.isolate.serving import note
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import SIDES, Ask, BackendContender, DatasetCase, of_backend
from compare.engine.work.pool import Pool
from compare.engine.work.reports import Reports
from compare.engine.work.result import MAX_TRACE, Result, SearchTrace, TracePoint, faults_of
from puzzles.answer import Answer, Verdict
from puzzles.backend import backend, hear_reports, report
from puzzles.case_solution import CaseSolution
from puzzles.instance import Instance
from tests.places import ROOT
from tests.processes import LONGEST_S

FEASIBLE, BOUND = CaseSolution.feasible, CaseSolution.only_bound

SOON = Limits(0.5)

CASE = "1\n4\n5 6\n9 15\n16 23\n2 4\n"
"""Four jobs, so few that the check tries all of their orders."""

BEST, LATE = 11, 35
"""By how much the best order is late, and the order in which the case has the jobs."""


class Sent:
    """What `Reports` passes on."""

    def __init__(self, better: str) -> None:
        self.answers: list[CaseSolution] = []
        self.traces: list[SearchTrace] = []
        self.reports = Reports(better, self._send)

    def _send(self, answer: Answer, trace: SearchTrace) -> None:
        assert isinstance(answer, CaseSolution)
        self.answers.append(answer)
        self.traces.append(trace)


@pytest.mark.parametrize(("better", "sign"), [("less", 1), ("greater", -1)])
def test_the_best_solution_and_the_best_bound_are_passed_on_together(
    better: str, sign: int
) -> None:
    sent = Sent(better)
    for answer in (
        BOUND(sign * 3),
        FEASIBLE(sign * 9, [1]),
        FEASIBLE(sign * 10, [2]),  # worse: it changes nothing
        BOUND(sign * 5),
        BOUND(sign * 4),
        FEASIBLE(sign * 7, [3], sign * 2),
        CaseSolution.infeasible(),
        CaseSolution.optimal(sign * 6, [4]),
    ):
        sent.reports.add(answer)
    assert sent.answers == [
        BOUND(sign * 3),
        FEASIBLE(sign * 9, [1], sign * 3),
        FEASIBLE(sign * 9, [1], sign * 5),
        FEASIBLE(sign * 7, [3], sign * 5),
        CaseSolution.optimal(sign * 6, [4]),
    ]
    trace = sent.traces[-1]
    assert [point[1:] for point in trace] == [
        (None, sign * 3),
        (sign * 9, sign * 3),
        (sign * 9, sign * 5),
        (sign * 7, sign * 5),
        (sign * 6, sign * 6),
    ]
    assert sorted(trace) == list(trace)


def test_a_flood_is_thinned_out_and_its_end_is_passed_on_all_the_same() -> None:
    sent, count = Sent("less"), 10_000
    started = time.perf_counter()
    for k in range(count):
        sent.reports.add(FEASIBLE(count - k))
    while sent.answers[-1].value != 1:
        time.sleep(0.01)
    seconds = time.perf_counter() - started
    assert len(sent.answers) <= 21 + 4 * seconds
    trace = sent.traces[-1]
    assert MAX_TRACE / 2 < len(trace) <= MAX_TRACE
    assert (trace[0].value, trace[-1].value) == (count, 1)
    values = [point.value or 0 for point in trace]
    assert values == sorted(values, reverse=True)


def test_nothing_is_passed_on_after_the_end() -> None:
    sent = Sent("less")
    for k in range(100):
        sent.reports.add(FEASIBLE(1000 - k))
    sent.reports.close()
    known = len(sent.answers)
    sent.reports.add(FEASIBLE(1))
    time.sleep(0.6)  # a report that waits for its turn waits for a quarter of a second
    assert len(sent.answers) == known


def test_a_trace_ends_with_the_answer_and_is_there_only_if_something_was_reported() -> None:
    sent = Sent("less")
    assert sent.reports.trace_with(FEASIBLE(7)) == ()
    sent.reports.add(FEASIBLE(9))
    assert [point[1:] for point in sent.reports.trace_with(FEASIBLE(7, bound=6))] == [
        (9, None),
        (7, 6),
    ]


def test_where_nobody_listens_a_report_does_nothing_and_one_of_nonsense_is_refused() -> None:
    heard: list[Answer] = []
    report(FEASIBLE(9))
    with hear_reports(heard.append):
        report(FEASIBLE(8))
    report(FEASIBLE(7))
    assert heard == [FEASIBLE(8)]
    with pytest.raises(TypeError, match="takes an answer"):
        report(9)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", ["maxsat", str(ROOT / "examples" / "weighted_cover.py")])
def test_rc2_reports_bounds_that_no_solution_beats(name: str) -> None:
    puzzle = puzzles.find(name)
    family = puzzle.families["random"]
    reported = 0
    for seed in range(10):
        instance, heard = family.board(8, seed), list[Answer]()
        with hear_reports(heard.append):
            answer = SIDES["models"].solve(instance)
        bounds = [each.worth.bound or 0 for each in heard]
        assert bounds == sorted({*bounds})
        if answer.worth.value is not None:
            assert max(bounds, default=0) <= answer.worth.value
        reported += len(bounds)
    assert reported > 0


@pytest.fixture
def case() -> Instance:
    return puzzles.find(str(ROOT / "examples" / "tardiness.py")).parse(CASE, "<case>")[0]


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(forks_of_this=True)
    yield pool
    pool.close()


def contender(
    name: str, function: Callable[..., Any], *, ours: bool = False, complete: bool = True
) -> BackendContender:
    backend("tardiness", name, side="direct", source="a test", complete=complete)(function)
    return replace(of_backend(SIDES["direct"].get("tardiness", name), {}), ours=ours)


def run(pool: Pool, each: BackendContender, case: Instance, limits: Limits = SOON) -> Result:
    ask = Ask(contender=each, cases=[DatasetCase(case)], limits=limits)
    return carry_out(pool, ask)[0]


def searches_on(*reports: CaseSolution) -> Callable[..., CaseSolution]:
    def solve(case: Instance, *, certify: bool = False) -> CaseSolution:
        for each in reports:
            report(each)
        time.sleep(1000)
        raise AssertionError

    return solve


@pytest.mark.parametrize("ours", [False, True])
def test_a_run_that_is_stopped_has_what_was_reported_checked(
    pool: Pool, case: Instance, ours: bool
) -> None:
    solve = searches_on(BOUND(3), FEASIBLE(LATE, [1, 2, 3, 4]), BOUND(5))
    result = run(pool, contender("sleeps", solve, ours=ours), case)
    assert (result.status, result.value, result.bound) == (Status.TIMEOUT, LATE, 5)
    assert result.answer == f"BOUND 5 FEASIBLE {LATE} 1 2 3 4\n"
    assert result.check is not None
    assert (result.check.verdict, result.check.value) == (Verdict.PROVED, LATE)
    assert result.trace is not None
    assert [point[1:] for point in result.trace] == [(None, 3), (LATE, 3), (LATE, 5)]
    assert [each.kind for each in faults_of(result)] == [Status.TIMEOUT]
    assert Result.from_line(result.line()).trace == result.trace


def test_a_generator_reports_what_it_yields_and_its_last_answer_counts(
    pool: Pool, case: Instance
) -> None:
    def improve(case: Instance, *, certify: bool = False) -> Iterator[CaseSolution]:
        yield BOUND(3)
        yield FEASIBLE(LATE, [1, 2, 3, 4])
        yield FEASIBLE(LATE, [1, 2, 3, 4], 5)

    def nothing(case: Instance, *, certify: bool = False) -> Iterator[CaseSolution]:
        yield from ()

    result = run(pool, contender("improves", improve), case)
    assert (result.status, result.value, result.bound) == (Status.OK, LATE, 5)
    assert result.trace is not None
    assert [point[1:] for point in result.trace[:3]] == [(None, 3), (LATE, 3), (LATE, 5)]
    empty = run(pool, contender("empty", nothing), case)
    assert empty.status is Status.CRASH
    assert "the backend has yielded no answer" in empty.reason


@pytest.mark.parametrize("ours", [False, True])
def test_a_run_that_takes_too_much_memory_has_what_was_reported_checked(
    pool: Pool, case: Instance, ours: bool
) -> None:
    def solve(case: Instance, *, certify: bool = False) -> CaseSolution:
        report(FEASIBLE(LATE, [1, 2, 3, 4], 5))
        eaten: list[bytearray] = []
        while True:
            eaten.append(bytearray(2**24))

    limits = Limits(LONGEST_S, psutil.Process().memory_info().rss + 2**26)
    result = run(pool, contender("eats", solve, ours=ours), case, limits)
    assert (result.status, result.value, result.bound) == (Status.MEMORY, LATE, 5)
    assert result.verdict is Verdict.PROVED
    assert [each.kind for each in faults_of(result)] == [Status.MEMORY]


def divides_by_zero() -> None:
    raise ZeroDivisionError


def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("crash", [divides_by_zero, kills_itself])
def test_a_run_that_crashes_has_what_was_reported_checked(
    pool: Pool, case: Instance, ours: bool, crash: Callable[[], None]
) -> None:
    def solve(case: Instance, *, certify: bool = False) -> CaseSolution:
        report(FEASIBLE(LATE, [1, 2, 3, 4], 5))
        crash()
        raise AssertionError

    result = run(pool, contender("crashes", solve, ours=ours), case, Limits(LONGEST_S))
    assert (result.status, result.value, result.bound) == (Status.CRASH, LATE, 5)
    assert result.verdict is Verdict.PROVED
    assert [point[1:] for point in result.trace or ()] == [(LATE, 5)]
    assert [each.kind for each in faults_of(result)] == [Status.CRASH]


def test_a_value_that_is_shown_later_is_kept_with_its_solution() -> None:
    """A program may print what its solution is worth before it prints the solution."""
    sent = Sent("less")
    for answer in (FEASIBLE(9), FEASIBLE(9, [1]), FEASIBLE(9, [2]), FEASIBLE(8)):
        sent.reports.add(answer)
    assert sent.answers == [FEASIBLE(9), FEASIBLE(9, [1]), FEASIBLE(8)]


def test_a_report_of_a_heuristic_claims_only_a_solution(pool: Pool, case: Instance) -> None:
    solve = searches_on(CaseSolution(True, (1, 2, 3, 4), LATE))
    result = run(pool, contender("heuristic", solve, complete=False), case)
    assert (result.status, result.value, result.bound) == (Status.TIMEOUT, LATE, None)
    assert result.verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (FEASIBLE(LATE - 1, [1, 2, 3, 4]), "is said to be 34, and the solution's is 35"),
        (FEASIBLE(LATE, [1, 2, 3, 3]), "no order of all jobs"),
        (BOUND(BEST + 1), f"a solution worth {BEST} exists"),
    ],
)
def test_a_wrong_report_is_refuted(
    pool: Pool, case: Instance, wrong: CaseSolution, reason: str
) -> None:
    result = run(pool, contender("lies", searches_on(wrong)), case)
    assert (result.status, result.verdict) == (Status.TIMEOUT, Verdict.REFUTED)
    stopped, refuted = faults_of(result)
    assert (stopped.kind, refuted.kind) == (Status.TIMEOUT, "REFUTED")
    assert reason in refuted.detail


def test_a_run_that_ends_has_its_own_answer_and_a_trace(pool: Pool, case: Instance) -> None:
    def solve(case: Instance, *, certify: bool = False) -> CaseSolution:
        report(FEASIBLE(LATE, [1, 2, 3, 4]))
        return SIDES["direct"].get("tardiness", "subsets").solve(case)  # pyright: ignore[reportReturnType]

    result = run(pool, contender("ends", solve), case, Limits(20.0))
    assert (result.status, result.verdict) == (Status.OK, Verdict.PROVED)
    assert (result.value, result.bound) == (BEST, BEST)
    assert result.trace is not None
    assert [point[1:] for point in result.trace] == [(LATE, None), (BEST, BEST)]
    assert all(isinstance(point, TracePoint) for point in result.trace)


def test_a_flood_of_reports_is_stopped_at_the_limit_with_the_best(
    pool: Pool, case: Instance
) -> None:
    def floods(case: Instance, *, certify: bool = False) -> CaseSolution:
        report(FEASIBLE(LATE, [1, 2, 3, 4]))
        bound = -(10**9)
        while True:
            bound += 1
            report(BOUND(bound))

    result = run(pool, contender("floods", floods), case)
    assert (result.status, result.value, result.verdict) == (Status.TIMEOUT, LATE, Verdict.PROVED)
    assert -(10**9) < (result.bound or 0) < BEST
    assert 0 < len(result.trace or ()) <= MAX_TRACE


@pytest.mark.parametrize(
    ("say", "status", "reason"),
    [
        (
            lambda: report(CaseSolution(True, ("one",), 7, complete=False)),  # pyright: ignore[reportArgumentType]
            Status.TIMEOUT,
            "what it reported cannot be used: malformed answer: witness",
        ),
        (
            lambda: note(Topic.REPORT, bytes(range(256)) * 2000),
            Status.TIMEOUT,
            "what it reported cannot be used: malformed answer: the text cannot be read",
        ),
        (
            lambda: note(Topic.REPORT, b'{"list": []}'),
            Status.TIMEOUT,
            "what it reported cannot be used: malformed answer: expected tuple",
        ),
        (
            lambda: report(7),  # pyright: ignore[reportArgumentType]
            Status.CRASH,
            "report(7): it takes an answer",
        ),
    ],
)
def test_garbage_is_no_answer(
    pool: Pool, case: Instance, say: Callable[[], None], status: Status, reason: str
) -> None:
    def solve(case: Instance, *, certify: bool = False) -> CaseSolution:
        while True:
            say()
            time.sleep(0.01)

    result = run(pool, contender("garbage", solve), case)
    assert (result.status, result.answer, result.trace) == (status, None, None)
    assert reason in result.reason
