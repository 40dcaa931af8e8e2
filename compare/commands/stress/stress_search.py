"""The search: inputs go to all programs, in blocks, and the first one on which they differ or fail
is made smaller.

The first program is the reference. What may be an input says the validator; without one, the shape
that the generator's inputs have in common, and a reference that refuses bad input by its exit
status.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from time import monotonic
from typing import NamedTuple

from compare.commands.checkers import (
    BEATEN,
    OK,
    WRONG_ANSWERS,
    CheckerVerdict,
    OutputChecker,
    PoolStarts,
    Starts,
    helper_failure,
)
from compare.commands.stress.grammar import Grammar
from compare.commands.stress.grammar_steps import smaller_inputs
from compare.commands.stress.input_end import InputEnd
from compare.commands.stress.learning import learn
from compare.commands.stress.quick_starts import quick_starts
from compare.commands.stress.stress_plan import (
    NO_INPUT,
    SAMPLES,
    VALID,
    StressPlan,
    TriedBlock,
    TriedInput,
)
from compare.engine.isolate.child import Child
from compare.engine.isolate.outcome import Limits, Outcome, Status
from compare.engine.search.reducer import Reducer, from_number
from compare.engine.search.search import Search
from compare.engine.work.pool import Executor, Pool
from compare.show.conclusion import WRONG
from puzzles.shell.scratch_folder import scratch_folder
from puzzles.shell.time_limits import Deadline, TooLong
from puzzles.space.text_changes import lines_of, text_of, weight
from puzzles.text import UserError

MAX_REFUSED = 100
"""Inputs of which one must be valid."""

MAX_TINY = 3000
"""Smaller inputs of one shape up to which all of them are tried."""

BLOCK_S, MAX_BLOCK = 0.5, 256
"""Seconds that a block of inputs should take, and inputs of a block."""

_AT_ONCE = 8
"""Smaller inputs that are tried side by side."""

QUICK_SHARE, MIN_QUICK_S = 0.25, 0.5
"""The share of the time limit with which smaller inputs of a TIMEOUT are sought, and the least such
limit in seconds.
"""

_MORE_STARTS, _STARTS_SHARE = 10, 0.1
"""How often the programs are started again on the smallest input, to see whether it fails by
chance, and the share of the seconds of shrinking that is left for that.
"""

_OF_A_BUSY_MACHINE = frozenset(map(str, (Status.TIMEOUT, Status.MEMORY)))
"""How a program may end that says nothing of chance in the program."""

_NONE_SMALLER = "all smaller inputs of this shape pass"
_MAY_EXIST = "a smaller one may exist"
_TIME_OVER = f"the time was over, {_MAY_EXIST}"
_INTERRUPTED = f"it was interrupted, {_MAY_EXIST}"


_EMPTY_INPUTS = 10
"""Inputs that are empty, from the first one on, after which a generator is said to print none."""


def input_of(starts: Starts, plan: StressPlan, number: int) -> str:
    """The input of this number, counted from 0: of the generator, or one of the given texts with a
    few changes.

    Raises:
        UserError: the generator fails, or prints nothing.
    """
    if not plan.generator:
        return plan.changed_text(number)
    text = _generated(starts, plan, number)
    others = range(1, _EMPTY_INPUTS)
    if number == 0 and not text and not any(_generated(starts, plan, each) for each in others):
        start = " ".join(plan.start_of_generator(number))
        raise UserError(
            f"--generator: {start}: it prints nothing, as for the next {len(others)} seeds. It "
            "must print an input and end with status 0"
        )
    return text


def _generated(starts: Starts, plan: StressPlan, number: int) -> str:
    start = plan.start_of_generator(number)
    made = starts.program(start, b"")
    if not made.ok:
        raise UserError(
            f"--generator: {' '.join(start)}: {made.status}: {made.detail}. It must print an "
            "input and end with status 0"
        )
    return made.value.decode("utf-8", "replace")


def generate_input(pool: Pool, plan: StressPlan, number: int) -> str:
    """As `input_of`, in a call of its own."""
    return input_of(PoolStarts(pool, plan.limits), plan, number)


def try_input(pool: Pool, plan: StressPlan, text: str, *, may_refuse: bool = False) -> TriedInput:
    """As `tried_input`, each start in a call of its own."""
    return tried_input(PoolStarts(pool, plan.limits), plan, text, may_refuse=may_refuse)


def tried_input(starts: Starts, plan: StressPlan, text: str, *, may_refuse: bool) -> TriedInput:
    """Put one input to all programs.

    Args:
        may_refuse: whether an exit status of the reference other than 0 means that this is no
            input.

    Raises:
        UserError: the validator or the checker fails.
    """
    data, refused = text.encode(), TriedInput(text, (), (NO_INPUT,))
    if plan.validator and not _is_valid(starts, plan, data):
        return refused
    expected = starts.program(plan.reference.command, data, plan.reference.files)
    if may_refuse and _has_refused(expected):
        return refused
    outcomes = [
        expected,
        *(starts.program(each.command, data, each.files) for each in plan.programs[1:]),
    ]
    marks, says = [str(each.status) for each in outcomes], [""] * len(outcomes)
    own: CheckerVerdict | None = None
    for k, outcome in enumerate(outcomes if expected.ok else []):
        if outcome.ok and plan.checker:
            name, reference = plan.programs[k].name, plan.reference.name
            verdict = plan.checker.verdict(starts, data, outcome.value, expected.value, name)
            own = own or verdict
            mark, reason = verdict.beside(own, name, reference, plan.checker.better)
            whose = 0 if mark == BEATEN else k
            marks[whose], says[whose] = mark, reason
            if mark in WRONG_ANSWERS:
                says[whose] += _hint(plan, k, outcome)
        elif outcome.ok and (differs := plan.difference(expected.value, outcome.value)):
            marks[k] = WRONG
            says[k] = f"it differs from {plan.reference.name}: {differs.sentence}"
            for each in (0, k):
                says[k] += _hint(plan, each, outcomes[each])
    return TriedInput(text, tuple(outcomes), tuple(marks), tuple(says))


def _hint(plan: StressPlan, number: int, ended: Outcome) -> str:
    """What else to say of the output of the program of this number, where it is wrong."""
    return f"; {plan.programs[number].name} {ended.detail}" if ended.detail else ""


def _answer_of(pool: Pool, plan: StressPlan, text: str) -> bytes | None:
    """What the reference prints for a text; None if it fails."""
    starts, reference = PoolStarts(pool, plan.limits), plan.reference
    ended = starts.program(reference.command, text.encode(), reference.files)
    return ended.value if ended.ok else None


def _has_refused(ended: Outcome) -> bool:
    """Whether a program ended with an exit status of its own that was not expected."""
    return ended.status is Status.CRASH and ended.detail.startswith("exit status")


def _is_valid(starts: Starts, plan: StressPlan, data: bytes) -> bool:
    """Whether the validator accepts an input: with exit status 0, or 42 as Kattis has it."""
    ended = starts.start(plan.validator, data, VALID)
    if not (ended.ok or _has_refused(ended)):
        raise helper_failure("--validator", plan.validator, ended, data)
    return ended.ok


def with_checker_style(
    plan: StressPlan, workers: Executor, *, may_reject: bool = False
) -> StressPlan:
    """The plan, which says whether its checker is one of Kattis.

    That is tried on the first input that the reference answers. The checker must accept that
    answer.

    Args:
        may_reject: whether it may also reject it.
    """
    if plan.checker is None:
        return plan
    kinds = (OK, WRONG) if may_reject else (OK,)
    checker = workers.submit(_checker_in_its_style, plan, plan.checker, kinds).result()
    return replace(plan, checker=checker)


def _checker_in_its_style(
    pool: Pool, plan: StressPlan, checker: OutputChecker, kinds: Sequence[str]
) -> OutputChecker:
    """See `OutputChecker.in_its_style`."""
    starts = PoolStarts(pool, plan.limits)
    for number in range(MAX_REFUSED):
        data = input_of(starts, plan, number).encode()
        if plan.validator and not _is_valid(starts, plan, data):
            continue
        answer = starts.program(plan.reference.command, data, plan.reference.files)
        if answer.ok:
            return checker.in_its_style(starts, data, answer.value, plan.reference.name, kinds)
    return checker


def try_block(pool: Pool, plan: StressPlan, numbers: range, deadline: Deadline) -> TriedBlock:
    """Try the inputs of these numbers, until one fails or the deadline comes.

    Many are tried in one call; one with which something is unclear is tried again by itself.
    """
    block, starts, quickly = TriedBlock(), PoolStarts(pool, plan.limits), True
    while (left := numbers[block.tried + block.refused :]) and not deadline.over:
        if quickly:
            until = Deadline(min(deadline.seconds_left, BLOCK_S))
            passed, unclear = _pass_inputs(pool, plan, left, until)
            block.add(passed)
            if not unclear:
                continue
            # where a call does not end, the rest of the block goes without
            quickly = bool(passed.tried + passed.refused)
        block.add(_tried_number(starts, plan, numbers[block.tried + block.refused]))
        if block.failing is not None:
            break
    return block


def _tried_number(starts: Starts, plan: StressPlan, number: int) -> TriedBlock:
    """What came of the input of this number."""
    text = input_of(starts, plan, number)
    tried = tried_input(starts, plan, text, may_refuse=not plan.generator)
    return TriedBlock.of(plan, number, tried)


def _pass_inputs(
    pool: Pool, plan: StressPlan, numbers: range, deadline: Deadline
) -> tuple[TriedBlock, bool]:
    """As `pass_inputs`, in a child; nothing is tried, and the next input unclear, if the call does
    not end.
    """
    starts = 2 + 2 * len(plan.programs)
    limits = replace(plan.limits, seconds=BLOCK_S + starts * plan.limits.seconds)
    with scratch_folder("twofold-") as folder, _child(pool, limits) as child:
        ended = child.call(pass_inputs, plan, folder, numbers, deadline, limits=limits)
    return ended.value if ended.ok else (TriedBlock(), True)


def _child(pool: Pool, limits: Limits) -> AbstractContextManager[Child]:
    """The child in which inputs pass.

    A starter is asked for the memory of its programs all the time, which costs some of the speed.
    """
    return pool.solver() if limits.memory is None else pool.starter()


def _start_child(pool: Pool, plan: StressPlan) -> None:
    """Have a child that waits for its first call."""
    with _child(pool, plan.limits):
        pass


def pass_inputs(
    plan: StressPlan, folder: str, numbers: range, deadline: Deadline
) -> tuple[TriedBlock, bool]:
    """Try the inputs of these numbers until the deadline comes.

    Returns what came of them, and whether something is unclear with the next one: what passes here
    has passed. At whatever else comes up (a failure, a difference, a limit) this ends, and main
    tries that input anew, start by start.

    Args:
        folder: an empty one for files. Main removes it, for this process may be killed.
    """
    block = TriedBlock()
    try:
        with quick_starts(folder, plan.limits) as starts:
            for number in numbers:
                if deadline.over:
                    break
                tried = _tried_number(starts, plan, number)
                if tried.failing is not None:
                    return block, True
                block.add(tried)
    except (UserError, OSError, TooLong):
        return block, True
    return block, False


@dataclass(frozen=True)
class ShrunkInput:
    """The smallest input that fails as the original one does.

    Attributes:
        number: of the original, from 0.
        tries: how many smaller ones were tried.
        smaller: what is known of the inputs that are still smaller, for people.
        grammar: what inputs are; None if a validator says it, or if nothing was learned yet.
        is_input: whether something says that the smallest one is an input.
        more_starts: how often the programs were started again on the smallest one.
        more_failures: how often it failed in the same way then.
    """

    original: TriedInput
    number: int
    smallest: TriedInput
    tries: int
    smaller: str
    grammar: Grammar | None = None
    is_input: bool = True
    more_starts: int = 0
    more_failures: int = 0

    @property
    def fails_by_chance(self) -> bool:
        """Whether the smallest input does not fail each time."""
        return self.more_failures < self.more_starts


def _try_all(
    workers: Executor, plan: StressPlan, texts: Sequence[str], *, may_refuse: bool
) -> list[TriedInput]:
    """What comes of each of these texts, which are tried side by side."""
    pending = [
        (each, workers.submit(try_input, plan, each, may_refuse=may_refuse)) for each in texts
    ]
    results: list[TriedInput] = []
    for each, future in pending:
        try:
            results.append(future.result())
        except UserError:  # the validator or the checker cannot take it: it is no input
            results.append(TriedInput(each, (), (NO_INPUT,)))
    return results


class InputBlock(NamedTuple):
    """The numbers of inputs that are tried one after the other, and when they were handed out."""

    numbers: range
    began: float


class StressSearch(Search[InputBlock, TriedBlock, TriedInput, ShrunkInput]):
    """One search.

    Attributes:
        plan: what is tried; it knows what kind of checker it has once the search is ready.
        total: what was tried so far.
        seconds_spent: what that took; shrinking is not counted.
        shrunk: what the first failing input was shrunk to so far; None before.
    """

    grace_s = inf  # a block ends in time by itself, but for the starts under way

    def __init__(
        self,
        plan: StressPlan,
        *,
        cases: int | None,
        seconds: float | None,
        shrink_seconds: float,
        jobs: int,
        noticed: Callable[[TriedInput], object],
        discovered: Callable[[ShrunkInput], object],
        kept: Callable[[int, TriedInput], object],
        progress: Callable[[int, str], object],
    ) -> None:
        """For the other arguments see `Search`. Blocks are taken in their order, so the same seed
        shows the same failure.

        Args:
            cases: inputs to try; None for any number.
            shrink_seconds: what shrinking may take, without learning the shape.
            jobs: how many inputs are tried at once.
            noticed: is called with the first failing input, before it is shrunk.
            kept: is called with each valid input and its number, if the plan keeps all.
        """
        super().__init__(seconds=seconds, progress=progress, discovered=discovered, in_order=True)
        self.plan, self.cases, self.jobs = plan, cases, jobs
        self.shrink_seconds, self.noticed, self.kept = shrink_seconds, noticed, kept
        self.total = TriedBlock()
        self.seconds_spent = 0.0
        self.shrunk: ShrunkInput | None = None
        self._next, self._block = 0, 1

    def get_ready(self, workers: Executor) -> None:
        for started in [workers.submit(_start_child, self.plan) for _ in range(self.jobs)]:
            started.result()
        self.plan = with_checker_style(self.plan, workers)

    def at_once(self, workers: Executor) -> int:
        return self.jobs + 1

    def next_block(self, left_s: float) -> InputBlock | None:
        left = self._block if self.cases is None else self.cases - self._next
        count = min(self._block, left)
        if count <= 0:
            return None
        numbers = range(self._next, self._next + count)
        self._next = numbers.stop
        return InputBlock(numbers, monotonic())

    def ask(self, workers: Executor, block: InputBlock, left_s: float) -> Future[TriedBlock]:
        return workers.submit(try_block, self.plan, block.numbers, self.deadline)

    def failures(self, block: InputBlock, tried: TriedBlock) -> Iterator[TriedInput]:
        for number, each in tried.kept.items():
            self.kept(number, each)
        tried.kept.clear()
        self.total.add(tried)
        self.seconds_spent = self.search_s
        self.progress(tried.tried, "")
        if tried.failing is not None:
            yield tried.failing
        if not self.total.tried and self.total.refused >= MAX_REFUSED:
            by = "the validator" if self.plan.validator else self.plan.reference.name
            raise UserError(
                f"no valid input among the first {MAX_REFUSED}: {by} refuses each of them"
            )
        took_s = max(monotonic() - block.began, 1e-6)
        affordable = int(len(block.numbers) * BLOCK_S / took_s) + 1
        self._block = max(1, min(affordable, 2 * self._block, MAX_BLOCK))

    def notice(self, failure: TriedInput, workers: Executor) -> None:
        self.shrunk = self._begin(failure)
        self.noticed(failure)

    def cut_short(self, failure: TriedInput, why: BaseException, workers: Executor) -> ShrunkInput:
        return self.shrunk or self._begin(failure)

    def _begin(self, failing: TriedInput) -> ShrunkInput:
        return ShrunkInput(failing, self.total.failing_number, failing, 0, _INTERRUPTED)

    def smaller(self, failure: TriedInput, workers: Executor) -> ShrunkInput:
        """While a TIMEOUT is shrunk, smaller inputs are sought with a smaller limit: what passes
        there passes with the whole one.

        The time of shrinking begins when the shape is known.
        """
        samples = self._samples(failure, workers)
        grammar = learn(samples) if samples and self.plan.generator else None
        end = self._input_end(samples, workers, grammar)
        is_counted = grammar is not None and grammar.is_counted
        is_input = bool(self.plan.validator) or is_counted or end.shows_short
        plan, limits = self.plan, self.plan.limits
        if str(Status.TIMEOUT) in failure.marks:
            seconds = min(limits.seconds, max(MIN_QUICK_S, QUICK_SHARE * limits.seconds))
            plan = replace(plan, limits=replace(limits, seconds=seconds))

        begun = replace(self._begin(failure), grammar=grammar, is_input=is_input)
        deadline = Deadline((1 - _STARTS_SHARE) * self.shrink_seconds)
        last_deadline = Deadline(self.shrink_seconds)
        unclear: list[str] = []  # who was stopped might fail otherwise with the whole limit
        try_all = partial(_try_all, workers, may_refuse=failure.marks[0] == OK)

        def first_failing(candidates: Sequence[TriedInput]) -> tuple[int, TriedInput] | None:
            words = len(reducer.smallest.text.split())
            self.progress(0, f"shrinking: {words} words, {reducer.tries} runs")
            results = try_all(plan, [each.text for each in candidates])
            unclear.extend(
                each.text
                for each in results
                if str(Status.TIMEOUT) in each.marks and each.marks != failure.marks
            )
            return next(
                (
                    (k, each)
                    for k, each in enumerate(results)
                    if each.marks == failure.marks
                    and (not each.outcomes[0].ok or end.fits(each.text, each.outcomes[0].value))
                ),
                None,
            )

        def keep(smallest: TriedInput) -> None:
            self.shrunk = replace(begun, smallest=smallest, tries=reducer.tries)

        smaller = from_number(partial(smaller_inputs, grammar=grammar))

        def steps(value: TriedInput, place: int) -> Iterator[tuple[int, TriedInput]]:
            for number, each in smaller(value.text, place):
                yield number, replace(value, text=each)

        reducer = Reducer(
            failure,
            first_failing,
            over=lambda: deadline.over,
            key=lambda value: value.text,
            keep=keep,
            at_first=self.jobs,
            most_at_once=_AT_ONCE * self.jobs,
        )
        reducer.take([replace(failure, text=text_of(lines_of(failure.text)))])
        tiny, complete = list[str](), False
        while True:
            reducer.descend(steps)
            if grammar is not None:
                tiny, complete = grammar.smaller(reducer.smallest.text, MAX_TINY)
            if not reducer.take(replace(failure, text=each) for each in tiny):
                break
        over, smallest = deadline.over, reducer.smallest
        if plan != self.plan:
            (whole,) = try_all(self.plan, [smallest.text])
            still_fails = whole.marks == failure.marks
            smallest = whole if still_fails else failure
            complete &= still_fails and not any(
                weight(each) < weight(smallest.text) for each in unclear
            )
        again: list[bool] = []
        if _OF_A_BUSY_MACHINE.isdisjoint(failure.marks):
            again = self._fails_again(partial(try_all, self.plan), smallest, last_deadline)
        known = _NONE_SMALLER if complete and all(again) else _MAY_EXIST
        self.shrunk = replace(
            begun,
            smallest=smallest,
            tries=reducer.tries,
            smaller=_TIME_OVER if over else known,
            more_starts=len(again),
            more_failures=sum(again),
        )
        return self.shrunk

    def _fails_again(
        self,
        try_all: Callable[[Sequence[str]], list[TriedInput]],
        smallest: TriedInput,
        deadline: Deadline,
    ) -> list[bool]:
        """Whether an input fails in the same way in each of a few more starts. Some are made even
        if the time is over.
        """
        tried: list[TriedInput] = []
        while len(tried) < _MORE_STARTS and not (tried and deadline.over):
            at_once = min(self.jobs, _MORE_STARTS - len(tried))
            tried += try_all([smallest.text] * at_once)
        return [
            each.marks == smallest.marks
            for each in tried
            if _OF_A_BUSY_MACHINE.isdisjoint(each.marks)
        ]

    def _samples(self, failing: TriedInput, workers: Executor) -> list[str]:
        """Inputs that are not changed; none if a validator says what an input is.

        Of a generator: the failing one, then the first ones, those behind the failing one included.
        So the same seed and the same failing input always show the same shape.
        """
        if self.plan.validator:
            return []
        if not self.plan.generator:
            return [failing.text, *self.plan.texts]
        samples = [failing.text, *self.total.samples][:SAMPLES]
        behind = self.total.failing_number + 1
        missing = range(behind, behind + SAMPLES - len(samples))
        for each in [workers.submit(generate_input, self.plan, number) for number in missing]:
            with suppress(UserError):  # a generator that fails later must not hide the failure
                samples.append(each.result())
        return samples

    def _input_end(
        self, samples: Sequence[str], workers: Executor, grammar: Grammar | None
    ) -> InputEnd:
        """What the reference shows of the end of an input."""

        def answers(texts: Sequence[str]) -> list[bytes | None]:
            pending = [workers.submit(_answer_of, self.plan, each) for each in texts]
            return [each.result() for each in pending]

        def same(one: bytes, other: bytes) -> bool:
            return self.plan.difference(one, other) is None

        is_counted = grammar is not None and grammar.is_counted
        return InputEnd.of(samples, answers, same, is_counted=is_counted)
