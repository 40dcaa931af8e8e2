"""The one way to ask a contender: an `Ask` goes in, its `Result`s come out.

A backend solves in a child, and a judge, another child, reads and checks its answer. A program
starts, and a judge reads and checks what it prints. What a child that is kept shows counts only if
all is well; else a new one is asked. All of this runs in the main process, which opens no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec.structs import replace as with_fields

import puzzles
from compare.engine.isolate.child import LOST, Child
from compare.engine.isolate.outcome import Limits, Outcome, Status, Topic, Usage
from compare.engine.work.contenders import Ask, BackendContender, ProgramContender
from compare.engine.work.judging import call_view, judge_ask, without_certificate, without_check
from compare.engine.work.pool import Pool
from compare.engine.work.programs import STANDARD, ProgramFiles, ProgramOutput, run_program
from compare.engine.work.result import Result, same_claims
from compare.engine.work.solving import (
    certify,
    note_stated_size,
    solve_one,
    solve_timed,
    solve_verified,
)
from puzzles.answer import Verdict
from puzzles.instance import Instance
from puzzles.shell.scratch_folder import scratch_folder
from puzzles.text import label_lines, whole_number
from puzzles.user.user_file import PuzzleFault

_MAX_SIZE = 50_000
"""The largest instance that is solved in a child that is kept.

Beside a larger one the cost of a new one is nothing.
"""

MAX_LOST = 5
"""How often a built-in backend runs again because the forkserver was killed meanwhile."""

MAX_PLAIN = 100
"""The size of all boards of a call up to which built-in kernels that a plugin calls run in plain
Python, and are not loaded.
"""

_OF_ANSWER = ("claims", "exact", "value", "bound", "trace", "decided", "answer", "check", "view")
"""The fields of a result that say what came of an answer."""

JUDGE_BYTES = 2**28
"""Bytes that a judge may take beside the limit: that of Python, and of what it has loaded. A
contender may take less than they do, and its answer is read and checked all the same.
"""

MORE_S = 0.01
"""Seconds that reading and checking one more answer may take."""


def carry_out(pool: Pool, ask: Ask) -> list[Result]:
    """The result of each case that is asked.

    Raises:
        PuzzleFault: a function of a user's puzzle does not work. Then no result of it says
            anything.
    """
    contender = ask.contender
    if isinstance(contender, BackendContender):
        return [_of_backend(pool, ask, contender)]
    if isinstance(contender, ProgramContender):
        return _of_program(pool, ask, contender)
    return _judge(pool, ask, None)


def _of_backend(pool: Pool, ask: Ask, contender: BackendContender) -> Result:
    """The result of a backend.

    What it shows in a child that is kept counts only if nothing is wrong with it. Else a new one is
    asked.
    """
    if not _may_be_kept(ask, contender):
        return _solve(pool, ask, contender, new=True)
    result = _solve(pool, ask, contender, new=False)
    for _ in range(MAX_LOST):
        if result.reason == LOST:  # foreign code at work elsewhere has killed the forkserver
            result = _solve(pool, ask, contender, new=False)
    if _counts(result):
        return result
    alone = _solve(pool, ask, contender, new=True)
    return with_fields(
        alone, printed=join_texts(kept_child_difference(result, alone), alone.printed)
    )


def _may_be_kept(ask: Ask, contender: BackendContender) -> bool:
    """Whether a child that has solved other boards may be asked.

    One for foreign code that is not timed loads little, so that a new one costs little.
    """
    if ask.in_new_process or not contender.may_be_kept:
        return False
    return ask.instance.size <= _MAX_SIZE if ask.timed else not contender.foreign


def _counts(result: Result) -> bool:
    """Whether what was found in a child that had solved other boards before counts.

    What has reached a limit, the solver's or the check's, does: nobody waits for it twice.
    """
    if result.status in (Status.TIMEOUT, Status.UNKNOWN):
        return True
    ended_well = result.status is Status.OK or (result.status is Status.SKIPPED and result.declared)
    check = result.check
    right = check is None or check.verdict is Verdict.PROVED or check.limited
    return ended_well and right and not result.lacking


def kept_child_difference(kept: Result, alone: Result) -> str:
    """A sentence if a run in a child that is kept ended otherwise than the same run in a new one;
    else empty.
    """
    if kept.status is Status.TIMEOUT or alone.status is Status.TIMEOUT:
        return ""  # a busy machine is enough for that
    if (
        kept.status is alone.status
        and same_claims(kept.claims, alone.claims)
        and kept.verdict is alone.verdict
    ):
        return ""
    return (
        "in a process that had solved others before, this run ended otherwise: "
        f"{_ending(kept)}; "
        f"in a process of its own, which counts: {_ending(alone)}"
    )


def _ending(result: Result) -> str:
    ending = " ".join(filter(None, (result.status, result.reason)))
    return f"{ending}, {result.verdict}" if result.verdict else ending


def join_texts(*texts: str) -> str:
    """The texts that are not empty, a line or more each."""
    return "\n".join(filter(None, texts))


def _solve(pool: Pool, ask: Ask, contender: BackendContender, *, new: bool) -> Result:
    """The result of a backend: solved and certified in one child, then read and checked in a judge.

    If the ask is timed, the certificate comes from a second call of that child.
    """
    certified = None
    if ask.timed:
        solve = partial(solve_timed, contender, ask.instance)
    else:
        solve = partial(solve_one, contender, ask.instance, ask.exact, ask.check)
    with solver_of(pool, (contender,), ask.instance.size, timed=ask.timed, new=new) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return _failures(ask, solver.ready)[0]
        with pool.timed() if ask.timed else nullcontext():
            solved = solver.call(solve, limits=ask.limits)
        written, printed = solved, solved.printed
        if ask.timed and solved.ok and ask.check:
            limits = replace(ask.limits, seconds=ask.check_s + ask.limits.seconds)
            certified = solver.call(certify, contender, limits=limits)
            written, printed = certified, join_texts(printed, certified.printed)
        size = solved.notes.get(Topic.SIZE, b"")
        ask_encode = ask.timed and contender.foreign and contender.encodes and not size
        if ask_encode and written.ok:
            size = _stated_size(solver, ask, contender)
            ask_encode = False
    if ask_encode and solved.status.was_run:
        with pool.foreign_solver(contender, warm=False) as another:
            if another.ready is None or another.ready.ok:
                size = _stated_size(another, ask, contender)
    if (
        contender.foreign and solver.lost and solved.ok
    ):  # it has killed the forkserver, and was quicker than its own end
        solved = replace(solved, status=Status.CRASH, detail=LOST)
    if not solved.ok:
        if solved.status is Status.CRASH and contender.tests_solver:
            solved = _blaming_solver(pool, contender, ask.instance, ask.limits, solved)
        failed = with_fields(_failures(ask, solved)[0], printed=printed)
        return _with_size(_with_report(pool, failed, ask, solved), size)
    (result,) = _judge(pool, ask, written.value if written.ok else solved.value)
    if result.status is Status.OK:
        timed = result.usage if ask.timed else solved.usage
        usage = replace(solved.usage, wall_s=timed.wall_s, cpu_s=timed.cpu_s)
        result = with_fields(result, usage=usage)
        if certified is not None and not certified.ok:
            result = with_fields(result, check=without_certificate(contender, certified))
    elif result.status is not Status.SKIPPED:
        result = with_fields(result, usage=solved.usage)
    return with_fields(_with_size(result, size), printed=join_texts(printed, result.printed))


def _stated_size(solver: Child, ask: Ask, contender: BackendContender) -> bytes:
    noted = solver.call(note_stated_size, contender, ask.instance, limits=ask.limits)
    return noted.notes.get(Topic.SIZE, b"")


def _with_report(pool: Pool, failed: Result, ask: Ask, solved: Outcome) -> Result:
    """The result of a call that did not end well; if it was stopped at a limit, or crashed, with
    the best answer that the backend had reported, checked.
    """
    report = solved.notes.get(Topic.REPORT)
    if report is None or solved.status not in (Status.TIMEOUT, Status.MEMORY, Status.CRASH):
        return failed
    (said,) = _judge(pool, ask, report)
    if said.status is not Status.OK:
        reason = f"{failed.reason}; what it reported cannot be used: {said.reason}"
        return with_fields(failed, reason=reason)
    return with_fields(failed, **{name: getattr(said, name) for name in _OF_ANSWER})


def _with_size(result: Result, note: bytes) -> Result:
    """The result with the size of the formula that was noted, unless the backend says it."""
    known = result.effort.variables is not None or not result.status.was_run
    if known or not note:
        return result
    numbers = [whole_number(word) for word in note.decode(errors="replace").split(" ")]
    if len(numbers) != 2 or None in numbers:
        return result
    variables, clauses = numbers
    effort = replace(result.effort, variables=variables, clauses=clauses)
    return with_fields(result, effort=effort)


def solver_of(
    pool: Pool,
    contenders: tuple[BackendContender, ...],
    size: int,
    *,
    timed: bool,
    new: bool,
) -> AbstractContextManager[Child]:
    """A child in which these contenders solve boards of so many cells.

    Args:
        new: whether the child must be new.
    """
    if contenders[0].foreign and not timed:
        return pool.foreign_solver(contenders[0], warm=False, compiled=size > MAX_PLAIN)
    return pool.solver(*contenders, new=new)


def _blaming_solver(
    pool: Pool, contender: BackendContender, board: Instance, limits: Limits, crashed: Outcome
) -> Outcome:
    """The outcome of a backend that crashed, with what its SAT solver does wrong, if it is verified
    meanwhile, as its reason.
    """
    with pool.solver(contender, new=True) as solver:
        again = solver.call(solve_verified, contender, board, limits=limits)
    return (
        replace(crashed, detail=again.detail)
        if again.status is Status.ERROR and again.detail
        else crashed
    )


def _of_program(pool: Pool, ask: Ask, program: ProgramContender) -> list[Result]:
    """One start of a program with all cases. Its limits are those of all cases together.

    Each result has the usage of the whole start. If that does not end well, all results end alike.
    """
    limits = ask.limits.together(len(ask.cases))
    try:
        text = puzzles.get(program.puzzle).print_instances([case.instance for case in ask.cases])
    except ValueError as reason:
        return ask.failed(str(reason), Status.SKIPPED)
    with pool.timed():
        ran = start_program(pool, program.command, text.encode(), limits, program.files)
    if not ran.ok:
        return _failures(ask, ran)
    results: list[Result] = []
    for result in _judge(pool, ask, ran.value):
        hint = f"; it {ran.detail}" if ran.detail and result.status is Status.ERROR else ""
        results.append(with_fields(result, usage=ran.usage, reason=result.reason + hint))
    return results


def start_program(
    pool: Pool,
    command: Sequence[str],
    text: bytes,
    limits: Limits,
    files: ProgramFiles | None = None,
) -> Outcome:
    """Start a program with `text` as its input; the value is its output. The wall seconds are of
    its whole life.

    If the starter is lost, for somebody has killed it, the program is started once more.

    Args:
        files: where a program under test takes its input and gives its output. It runs in an empty
            folder of its own; None: it runs here, and uses the standard streams.
    """

    def start_child() -> tuple[Outcome, Child]:
        with ExitStack() as stack:
            folder = None
            if files is not None:  # it is removed once nobody can write there any more
                folder = stack.enter_context(scratch_folder("twofold-run-"))
            starter = stack.enter_context(pool.starter())
            words = command, text, limits, (0,), folder, files or STANDARD
            return starter.call(run_program, *words, limits=limits), starter

    ran, starter = start_child()
    if starter.lost:
        ran, starter = start_child()
    if starter.lost and not ran.detail.startswith(LOST):
        ran = replace(ran, detail=f"{LOST}: {ran.detail}")
    if not ran.ok:
        return ran
    printed: ProgramOutput = ran.value
    usage = replace(ran.usage, wall_s=printed.wall_s)
    return replace(ran, value=printed.output, usage=usage, detail=printed.hint)


def _judge(pool: Pool, ask: Ask, written: bytes | None) -> list[Result]:
    """What a judge makes of the answers, with what the ask's `view` says of them.

    If the checks do not come to their end, the answers are read once more, without a check; then
    each is checked alone.

    Args:
        written: see `judge_ask`.
    """
    count = len(ask.cases)
    every = range(count) if ask.check else ()

    def judge_all(checked: Sequence[int], answers: int = 1) -> Outcome:
        limits = Limits(ask.check_s + MORE_S * (answers - 1), ask.limits.memory)
        return call_judge(pool, partial(judge_ask, ask, written, checked), limits)

    together = judge_all(every, count)
    read = together if together.ok or not every else judge_all((), count)
    if read.status in (Status.TIMEOUT, Status.MEMORY):
        reason = f"reading its answer did not end: {read.status} {read.detail}"
        return ask.failed(reason, Status.UNKNOWN)
    if not read.ok:
        is_program = isinstance(ask.contender, ProgramContender)
        reason = f"malformed answer: {read.status} {read.detail}"
        return ask.failed(
            f"its output could not be read: {read.detail}" if is_program else reason, Status.ERROR
        )
    results: list[Result] = read.value
    results[0] = with_fields(results[0], printed=together.printed)
    for k in range(count):
        if results[k].status is not Status.OK:
            continue
        if not together.ok:
            alone = together if count == 1 else judge_all([k])
            results[k] = (
                alone.value[k] if alone.ok else with_fields(results[k], check=without_check(alone))
            )
            results[k] = with_fields(results[k], printed=alone.printed)
        if ask.view is not None:
            view = call_judge(
                pool, partial(call_view, ask, written), Limits(ask.check_s, ask.limits.memory)
            )
            results[k] = with_fields(results[k], view=view.value)
    return results


def call_judge(pool: Pool, call: Callable[[], Any], limits: Limits) -> Outcome:
    """The outcome of a call in a judge, which is replaced once if it is lost. What is printed there
    is labelled as the check's. Raises the `PuzzleFault` that it returns.

    Args:
        limits: their memory is that of the contender, to which the judge's own is added.
    """
    if limits.memory is not None:
        limits = replace(limits, memory=limits.memory + JUDGE_BYTES)
    with pool.judge() as judge:
        outcome = judge.call(call, limits=limits)
    if judge.lost:
        with pool.judge() as judge:
            outcome = judge.call(call, limits=limits)
    if isinstance(outcome.value, PuzzleFault):
        raise outcome.value
    printed = label_lines("the check", outcome.printed) if outcome.printed else ""
    return replace(outcome, printed=printed)


def _failures(ask: Ask, outcome: Outcome) -> list[Result]:
    """The results of a call that did not end with an answer."""
    usage = Usage() if outcome.status is Status.SKIPPED else outcome.usage
    return [
        with_fields(result, usage=usage, printed=outcome.printed)
        for result in ask.failed(outcome.detail, outcome.status)
    ]
