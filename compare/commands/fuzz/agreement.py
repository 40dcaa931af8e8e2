"""For tests of users: `assert_agrees`, a search for an instance on which a function is wrong,
and `examples`.

The search runs in a fork of the test's process, and each call of the function in a fork of that
one, under a limit of time. So the function needs no import by name, and nothing that it does
reaches the test.
"""

from __future__ import annotations

import os
import traceback
from argparse import ArgumentTypeError
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import count as counting
from math import inf
from typing import TYPE_CHECKING, Any

import puzzles
from compare.commands.arguments import CASES, SEED, SIZE, TIMEOUT
from compare.commands.fuzz.batch import BLOCK, Batch
from compare.commands.fuzz.fuzz_search import Discovery, FuzzSearch
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import (
    Ask,
    BackendContender,
    Contender,
    DatasetCase,
    backends,
    of_backend,
)
from compare.engine.work.judging import check_safely
from compare.engine.work.pool import Inline, Pool
from compare.engine.work.result import Result, contradict, faults_of
from puzzles.answer import Answer, Verdict
from puzzles.backend import SIDE_NAMES, Backend
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.shell.argument_parser import Argument
from puzzles.text import UserError, count_noun

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet


SHRINKING_S = 60.0
"""Seconds after which shrinking ends with the smallest instance so far."""

_MAX_SHOWN = 8
"""Instances of a call that fails as a whole which a message shows, the last ones."""


class Disagreement(AssertionError):
    """A function is wrong on an instance; the message is for people.

    Attributes:
        instance: the smallest one; where only a call of several fails, the last one of them.
        together: all instances of such a call; else empty.
        kind: what is wrong, as `compare fuzz` says it: CONFLICT, REFUTED, CRASH, TIMEOUT, MEMORY,
            ERROR, ...
        reason: in a clause; may be empty.
        expected: what the first backend of the puzzle answers, as the contest prints it; empty if
            it has none.
        got: what the function answers, or how it fails.
        tried: how many instances the function was tried on before it failed, the failing one
            included.
    """

    instance: Any
    together: tuple[Any, ...]
    kind: str
    reason: str
    expected: str
    got: str
    tried: int


def assert_agrees(
    puzzle: str | os.PathLike[str] | Puzzle[Any, Any],
    function: Callable[[Any], Any],
    *,
    count: int = 500,
    size: int = 8,
    seed: int = 1,
    timeout: float = 10.0,
    extended: bool = False,
) -> None:
    """Assert that a function answers seeded instances as the puzzle's first backend does, and as
    its check demands.

    Args:
        puzzle: its name, the path of a user's file or folder, or the puzzle itself.
        function: takes an instance; returns an answer of the puzzle, its text as the contest prints
            it, or what `Puzzle.answer_from` of this puzzle takes beside that, such as True for
            POSSIBLE.
        count: how many instances to try.
        size: rows and columns of the larger boards; most are far smaller. Below 8 no board is
            larger; from 8 on a few are.
        seed: the same seed gives the same instances, those of `compare fuzz`.
        timeout: seconds that the function may take on one instance.
        extended: whether it gets instances too that the contest does not promise.

    Raises:
        Disagreement: an AssertionError. The function is wrong, raises, or does not end; the message
            shows the smallest instance.
        UserError: there is no such puzzle, it cannot be used, or an argument is none that it takes.
    """
    __tracebackhide__ = True
    rules = puzzle_of(puzzle)
    if not callable(function):
        raise UserError(f"the function must be one that can be called, not {function!r:.60}")
    batch = Batch(
        puzzle=rules.name,
        contenders=(),
        seed=_number("seed", SEED, seed),
        count=BLOCK,
        size=_number("size", SIZE, size),
        limits=Limits(_number("timeout", TIMEOUT, timeout)),
    )
    cases = _number("count", CASES, count)
    ended = call(_search_in_fork, rules, function, extended, batch, cases, limits=Limits(inf))
    if not ended.ok:
        raise RuntimeError(f"the search for a disagreement was lost: {ended.detail}")
    if ended.value is not None:
        raise ended.value


def _number(name: str, option: Argument, value: object) -> Any:
    """The value of an argument, as the option of a command that is like it reads it; raises
    `UserError`.
    """
    assert option.type is not None
    try:
        return option.type(str(value))
    except ArgumentTypeError as error:
        raise UserError(f"{name}: it {error}") from None


def puzzle_of(puzzle: str | os.PathLike[str] | Puzzle[Any, Any]) -> Puzzle[Any, Any]:
    """The puzzle of this name or path; raises `UserError`."""
    if isinstance(puzzle, str | os.PathLike):
        return puzzles.find(os.fspath(puzzle))
    if not isinstance(puzzle, Puzzle):
        raise UserError(f"the puzzle must be a name, a path or a Puzzle, not {puzzle!r:.60}")
    with suppress(UserError):
        if puzzles.get(puzzle.name) is puzzle:
            return puzzle
    raise UserError(
        f"the puzzle {puzzle.name} was imported as a module: give the path of its file in its place"
    )


def _search_in_fork(
    rules: Puzzle[Any, Any],
    function: Callable[[Any], Any],
    extended: bool,
    batch: Batch,
    count: int,
) -> Disagreement | UserError | None:
    """In a fork of this process: what the search comes to, which is raised in this one; None if it
    finds nothing.
    """
    try:
        mine = function_contender(rules, function, extended=extended)
        usable = (
            each
            for each in backends(rules.name)
            if each.complete and each.available() is None and not each.slow
        )
        reference = next(usable, None)  # the puzzle's first complete backend that can run here
        taking_part = (mine,) if reference is None else (of_backend(reference, {}), mine)
        pool = Pool(forks_of_this=True)
        try:
            return _search(pool, replace(batch, contenders=taking_part), mine, count)
        finally:
            pool.close()
    except UserError as error:
        return error


def _search(pool: Pool, batch: Batch, mine: FunctionContender, count: int) -> Disagreement | None:
    """Search for an instance on which the function fails."""
    discoveries: list[Discovery] = []
    search = FuzzSearch(
        [batch],
        cases=count,
        seconds=None,
        keep_going=False,
        noticed=lambda failing, fault, proved: None,
        discovered=discoveries.append,
        progress=lambda instances, doing: None,
        shrink_seconds=SHRINKING_S,
    )
    search.run(nullcontext(Inline(pool)))
    if search.broken:
        raise RuntimeError(search.broken[0])
    everything = search.tried[batch.kind]
    tried = everything.boards
    if tried:
        tried -= everything.responses[mine.name].counts["skipped"]
    if discoveries:
        return _disagreement(pool, batch, mine, discoveries[0], tried)
    if tried == 0:
        raise UserError(
            f"nothing was tried: the contest promises no instance of {batch.puzzle} that was drawn"
        )
    return None


def _disagreement(
    pool: Pool, batch: Batch, mine: FunctionContender, discovery: Discovery, tried: int
) -> Disagreement:
    shrunk, results = discovery.shrunk, dict(discovery.results)
    smallest, fault = shrunk.smallest.board, shrunk.smallest_fault
    calls: _OneProcess | None = None
    if fault.together:
        calls = _call_again(mine, fault.together, batch.limits)
        smallest = calls.instances[-1]
    for each in batch.contenders:
        if each.name not in results:
            ask = Ask(
                contender=each,
                cases=[DatasetCase(smallest)],
                limits=batch.limits,
                timed=False,
                in_new_process=True,
            )
            (results[each.name],) = carry_out(pool, ask)
    got = results.pop(mine.name)
    reference, expected = next(iter(results.items()), ("", None))
    reasons = [
        fault.detail,
        *(other.detail for other in shrunk.smallest.faults if mine.name in other.names),
    ]
    if got.status == fault.kind == Status.TIMEOUT:
        reasons = [got.reason]  # while it was made smaller, its limit was less
    fails_again = bool(faults_of(got)) or (expected is not None and contradict(got, expected))
    if calls is not None:
        fails_again, reasons = calls.fail, [calls.reason or fault.detail]
    if not fails_again:
        again = (
            "asked once more, it answers as expected: its answers depend on earlier calls, or on "
            "chance"
        )
        reasons = ["; ".join([*filter(None, reasons[:1]), again])]
    raised = Disagreement()
    raised.instance, raised.together = smallest, () if calls is None else calls.instances
    raised.kind, raised.reason = str(fault.kind), next(filter(None, reasons), "")
    raised.expected = "" if expected is None else _answer_text(expected)
    raised.got = _answer_text(got) if calls is None else calls.got
    raised.tried = tried
    runs = f"shrunk in {count_noun(shrunk.tries, 'run')}"
    raised.args = (_message(raised, batch, mine.name, reference, runs, fails_again=fails_again),)
    return raised


@dataclass(frozen=True)
class _OneProcess:
    """Calls of a function in one process, one after the other, that fail though none does alone.

    Attributes:
        instances: of the calls, up to the first one whose answer is wrong.
        fail: whether they failed when they were tried once more.
        got: the last answer; empty if it is not wrong, or if there is none.
        reason: what is wrong; empty if that is another fault than a wrong answer.
    """

    instances: tuple[Instance, ...]
    fail: bool
    got: str = ""
    reason: str = ""


def _call_again(
    mine: FunctionContender, instances: tuple[Instance, ...], limits: Limits
) -> _OneProcess:
    """What the calls come to in a new process."""
    ended = call(_answer_all, mine, instances, limits=limits.together(len(instances)))
    if not ended.ok:
        return _OneProcess(instances, fail=True)
    for k, (instance, (answer, *verdict)) in enumerate(zip(instances, ended.value, strict=True)):
        alone = call(_answer_all, mine, [instance], limits=limits)
        if k and alone.ok and alone.value[0][1:] != tuple(verdict):
            others = count_noun(k, "other call")
            reason = f"it is right alone, and wrong after {others} in the same process"
            return _OneProcess(instances[: k + 1], fail=True, got=answer, reason=reason)
    return _OneProcess(instances, fail=False)


def _answer_all(
    mine: FunctionContender, instances: Sequence[Instance]
) -> list[tuple[str, list[int] | None, str]]:
    """In a fork: of the answer to each instance the text, what it claims, and why it is refuted."""
    answers = [mine.backend.solve(each) for each in instances]
    rows: list[tuple[str, list[int] | None, str]] = []
    for instance, answer in zip(instances, answers, strict=True):
        rules, check = puzzles.get(instance.puzzle), check_safely(instance, answer)
        claims = None if answer.claims is None else answer.claims.tolist()
        refuted = check.detail if check.verdict is Verdict.REFUTED else ""
        rows.append((rules.print_answers([answer], rules.format(None)), claims, refuted))
    return rows


def _answer_text(result: Result) -> str:
    """The answer as the contest prints it, or how the contender failed, with what it printed."""
    if result.answer is not None:
        return result.answer
    return "\n".join([f"{result.status}: {result.reason}", *result.printed.splitlines()])


def _message(
    finding: Disagreement,
    batch: Batch,
    name: str,
    reference: str,
    shrinking: str,
    *,
    fails_again: bool,
) -> str:
    """The smallest instance, what is wrong, what is expected, what came, how much was tried, and
    how to try it again, if it fails then.
    """
    rules, shown = puzzles.get(batch.puzzle), (finding.instance,)
    noun, count = "board" if finding.instance.shape else "case", len(finding.together)
    where = f"this {rules.name} {noun}"
    if finding.got and count:
        where += f", though not alone: it is the last of {count} calls in one process"
    elif count:  # nobody knows which of them fails
        shown = finding.together[-_MAX_SHOWN:]
        where = f"one of {count} {rules.name} {noun}s in one process, though on none alone"
    lines = [f"{name} is wrong on {where}:", ""]
    lines += [line for each in shown for line in each.text().splitlines()]
    wrong = f"{finding.kind}: {finding.reason}" if finding.reason else finding.kind
    lines += ["", wrong]
    if not count or finding.got:
        got = finding.got.removeprefix(f"{wrong}\n") if finding.got != wrong else ""
        for heading, answer in (
            (f"expected, by {reference}:", finding.expected),
            ("got:", got),
        ):
            lines += (
                [heading, *(f"    {line}" for line in answer.rstrip().splitlines())]
                if answer
                else []
            )
    lines.append(f"{count_noun(finding.tried, noun)} tried, seed {batch.seed}; {shrinking}")
    if fails_again:
        lines[-1] += ". To try it again:"
        lines.append(f"    {_call_text(rules, name, finding)}")
    return "\n".join(lines)


def _call_text(rules: Puzzle[Any, Any], name: str, finding: Disagreement) -> str:
    """A line of Python that fails as the function did."""
    parse = f"puzzles.find({rules.origin.argument!r}).parse"
    if not finding.together:
        return f"{name}({parse}({rules.print_instances([finding.instance])!r})[0])"
    if rules.many_instances:
        return (
            f"[{name}(each) for each in {parse}({rules.print_instances(finding.together)!r})][-1]"
        )
    texts = [rules.print_instances([each]) for each in finding.together]
    return f"[{name}({parse}(text)[0]) for text in {texts!r}][-1]"


@dataclass(frozen=True, kw_only=True)
class FunctionContender(BackendContender):
    """A function; it gets what a program gets: instances that the contest promises.

    Attributes:
        entry: the function as a backend, which is in no registry. So the contender is for this
            process and its forks alone.
    """

    ours: bool = False
    extended: bool = False
    entry: Backend

    def __reduce__(self) -> tuple[Callable[[str], FunctionContender], tuple[str]]:
        """Only its name crosses to a fork of this process, which knows it."""
        return _known_here, (self.name,)

    @property
    def backend(self) -> Backend:
        return self.entry

    @property
    def absent(self) -> str | None:
        return None

    def does_not_take(self, instance: Instance) -> str | None:
        return Contender.does_not_take(self, instance)


def function_contender(
    puzzle: Puzzle[Any, Any], function: Callable[[Any], Any], *, extended: bool
) -> FunctionContender:
    """The contender that a function makes; it takes an instance and returns what
    `Puzzle.answer_from` takes.
    """
    known: defaultdict[str, deque[Answer]] = defaultdict(deque)

    def solve(instance: Instance, *, certify: bool = False) -> Answer:
        answers = known[instance.digest]
        if certify and answers:  # an instance may come twice: in the order of the calls
            return answers.popleft()
        try:
            value = function(instance)
        except Exception as error:  # its own lines are printed as Python prints them
            traceback.print_exception(
                error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)
            )
            raise
        answer = puzzle.answer_from(instance, value)
        if not certify:
            answers.append(answer)
        return answer

    name = name_of(function)
    entry = Backend(SIDE_NAMES[0], puzzle.name, name, solve, source="")
    contender = FunctionContender(
        puzzle=puzzle.name,
        name=name,
        side=entry.side,
        backend_name=name,
        entry=entry,
        extended=extended,
    )
    _taking_part[name] = contender
    return contender


_taking_part: dict[str, FunctionContender] = {}
"""By name, the functions that this process searches with."""


def _known_here(name: str) -> FunctionContender:
    return _taking_part[name]


def name_of(function: Callable[[Any], Any]) -> str:
    """What messages call a function."""
    return str(getattr(function, "__name__", type(function).__name__))


_SAME_AGAIN = 50
"""Generated boards that may be known already, one after the other, before no more are expected."""


def examples(
    puzzle: str | os.PathLike[str] | Puzzle[Any, Any],
    *,
    count: int = 50,
    size: int = 8,
    seed: int = 1,
) -> list[ParameterSet]:
    """Different boards for `@pytest.mark.parametrize("board", examples(...))`, from all families in
    turn.

    The id of a parameter is `family-size-seed`: `puzzles.get(puzzle).family(family).board(size,
    seed)` is the board. There are fewer than `count` if the families have no more boards up to this
    size.

    Args:
        puzzle: its name, the path of a user's file or folder, or the puzzle itself.
        size: the largest size; the sizes grow up to it and begin again.
        seed: of the first boards; the same arguments give the same boards.

    Raises:
        UserError: there is no such puzzle, an argument is none that it takes, or no family has
            boards of this size in the contest's format.
    """
    import pytest

    rules, count = puzzle_of(puzzle), _number("count", CASES, count)
    size, seed = _number("size", SIZE, size), _number("seed", SEED, seed)
    families = {
        name: each
        for name, each in rules.families.items()
        if each.in_contest_format and each.least <= size
    }
    if not families:
        raise UserError(
            f"no family of {rules.name} has boards of size {size} in the contest's format: ask "
            "for a larger size"
        )
    seen: set[str] = set()
    waiting = {name: _new_boards(family, size, seed, seen) for name, family in families.items()}
    parameters: list[ParameterSet] = []
    while waiting and len(parameters) < count:
        for name in list(waiting)[: count - len(parameters)]:
            new = next(waiting[name], None)
            if new is None:
                del waiting[name]
            else:
                length, own_seed, board = new
                parameters.append(pytest.param(board, id=f"{name}-{length}-{own_seed}"))
    return parameters


def _new_boards(
    family: Family[Any], size: int, seed: int, seen: set[str]
) -> Iterator[tuple[int, int, Instance]]:
    """Boards of a family that are not seen yet, with their sizes and seeds; it ends once no new one
    comes for long.
    """
    known = 0
    for turn in counting():
        length, own_seed = (
            family.least + turn % (min(size, family.most) - family.least + 1),
            seed + turn,
        )
        board = family.board(length, own_seed)
        known = known + 1 if board.digest in seen else 0
        if known > _SAME_AGAIN:
            return
        if not known:
            seen.add(board.digest)
            yield length, own_seed, board
