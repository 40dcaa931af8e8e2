"""Fuzzing: seeded boards, every contender on each, and what went wrong; all of it inside a worker.

Boards come in batches. Our backends solve a whole batch in one sandbox, a program whose format holds many boards gets the
batch in one start; where that fails, the batch is halved until the board is found.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from time import monotonic
from typing import Any

import numpy as np

import puzzles
from compare.campaign.datasets import read_set
from compare.campaign.relation import Relation, Stance, differing, relate
from compare.isolate.sandbox import Limits, Outcome, Status, call, execute
from compare.work.contenders import Contender
from compare.work.worker import certified, warm_up
from puzzles.answer import Answer
from puzzles.backend import Backend, Unsupported
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from puzzles.text import InputError
from puzzles.verdict import Verdict

CHECK_EVERY = 16
"""Answers of our own backends are certified and checked on one board in so many, those of plugins and programs on all."""

EXACT_EVERY = 4
"""One board in so many is solved with all exact claims that the backends can give, such as probabilities."""

EXTENDED_EVERY = 4
"""One block in so many has boards that tell more than the contest's format can say, such as a number of mines."""

ENOUGH = 3
"""Boards of one batch on which a contender's failing as a whole is tracked down."""

_BASES = 12


@dataclass(frozen=True, order=True)
class Failure:
    """Something wrong on one board: what kind, and whose answers it takes to see it.

    Attributes:
        kind: `CONFLICT`, `REFUTED`, or a status.
        names: the contenders; two for a conflict.
        detail: for people, not part of equality.
    """

    kind: str
    names: tuple[str, ...]
    detail: str = ""

    def same(self, other: Failure) -> bool:
        return (self.kind, self.names) == (other.kind, other.names)


@dataclass(frozen=True)
class Batch:
    """A number of boards to be made from a seed and tried.

    Attributes:
        index: the first of the blocks of `count` boards each that are tried.
        size: rows and columns of the larger boards; most are far smaller.
        extended: whether programs get boards that the contest's format cannot say, too.
        thorough: whether every answer is checked, and given with all exact claims.
    """

    puzzle: str
    contenders: tuple[Contender, ...]
    seed: int
    index: int
    count: int
    size: int
    limits: Limits
    format: str | None = None
    blocks: int = 1
    extended: bool = False
    thorough: bool = False


@dataclass(frozen=True)
class Found:
    """A failing board, and what fails on it."""

    board: Board
    failures: tuple[Failure, ...]


@dataclass(frozen=True)
class Tried:
    """What came of a batch: how many boards there were, those that fail, and the seconds that it took."""

    number: int
    found: list[Found]
    seconds: float


def boards(puzzle: Puzzle, seed: int, index: int, count: int, size: int) -> list[Board]:
    """The boards of a block: some of the families, the rest cut out of those and changed in a few cells.

    Nine in ten are at most 5 x 5, the others at most `size` x `size`; the same arguments give the same boards. In the second block
    and each fourth one after it they tell more than the contest's format can say, where the puzzle knows of more.
    """
    further = index % EXTENDED_EVERY == 1
    rng = random.Random(f"{puzzle.name} {seed} {index}")
    made: list[Board] = []
    families = [family for family in puzzle.families.values() if family.in_contest_format or further]
    for family in rng.choices(families, k=min(_BASES, count)):
        wanted = max(family.least, rng.choice((rng.randint(1, 6), rng.randint(1, max(1, size)))))
        made.append(family.board(wanted, rng.randrange(2**31)))
    alphabet = bytes(made[0].alphabet)
    bases = [board for board in made if board.cells <= 4 * size * size]
    while len(made) < count:
        most = 5 if rng.random() < 0.9 else size
        rows, columns = rng.randint(1, most), rng.randint(1, most)
        grid = _cut(
            rng, rng.choice(bases) if bases and rng.random() < 0.8 else None, rows, rows if puzzle.square else columns, alphabet
        )
        try:
            made.append(type(made[0])(grid))
        except ValueError:
            continue
    return [puzzle.extended(board, rng) for board in made] if further else made


def _cut(rng: random.Random, base: Board | None, rows: int, columns: int, alphabet: bytes) -> np.ndarray:
    """A part of the base with a few cells changed; without a base, cells at random from a few characters."""
    if base is None:
        few = rng.choices(alphabet, k=rng.randint(2, 6))
        return np.array(rng.choices(few, k=rows * columns), np.uint8).reshape(rows, columns)
    if base.rows != base.columns:
        rows, columns = min(rows, base.rows), min(columns, base.columns)
    else:
        rows, columns = min(rows, base.rows), min(columns, base.rows)
    top, left = rng.randint(0, base.rows - rows), rng.randint(0, base.columns - columns)
    grid = base.grid[top : top + rows, left : left + columns].copy()
    for _ in range(rng.choice((0, 1, 1, 2, 3, rows))):
        grid[rng.randrange(rows), rng.randrange(columns)] = rng.choice(alphabet)
    return grid


def known(puzzle: Puzzle) -> list[Board]:
    """The boards of the bundled files: the contests' samples, and those that refute a claim (`compare prove`)."""
    return [board for path in sorted(puzzle.data.glob("*/*.in")) for board in read_set(puzzle, str(path)).boards]


def try_batch(batch: Batch) -> Tried:
    """Make the boards of a batch and try every contender on each; the first batch ends with those that are known."""
    puzzle, started = puzzles.get(batch.puzzle), monotonic()
    blocks = range(batch.index, batch.index + batch.blocks)
    made = [board for index in blocks for board in boards(puzzle, batch.seed, index, batch.count, batch.size)]
    if batch.index == 0:
        bundled = known(puzzle)[: len(made)]
        made[len(made) - len(bundled) :] = bundled
    return Tried(len(made), try_boards(batch, made), monotonic() - started)


def try_boards(batch: Batch, made: Sequence[Board]) -> list[Found]:
    """Try every contender on the boards; in the order of the boards, those that fail."""
    ours = tuple(c for c in batch.contenders if c.side is not None)
    for contender in ours:
        warm_up(contender)
    told = _isolating(lambda part: _together(batch, ours, part), made) if ours else [_Told() for _ in made]
    for program in batch.contenders:
        if program.command is not None:
            given = [(board, each) for board, each in zip(made, told, strict=True) if batch.extended or board.in_contest_format]
            more_told = _programmed(batch, program, [board for board, _ in given]) if given else []
            for (_, each), more in zip(given, more_told, strict=True):
                each.failures += more.failures
                each.answers += more.answers
    found: list[Found] = []
    for board, each in zip(made, told, strict=True):
        failures = each.failures + _conflicts(batch.puzzle, each.answers)
        if failures:
            found.append(Found(board, tuple(failures)))
    return found


class _Told:
    """What came of one board: answers by contender, failures that need no second answer."""

    def __init__(self, *failures: Failure) -> None:
        self.answers: list[tuple[Contender, Stance]] = []
        self.failures = list(failures)


def _conflicts(puzzle: str, answers: list[tuple[Contender, Stance]]) -> list[Failure]:
    first_claim_is_consistency = puzzles.get(puzzle).first_claim_is_consistency
    if answers and all(stance.complete and _alike(stance, answers[0][1]) for _, stance in answers):
        return []
    return [
        Failure("CONFLICT", (a.name, b.name), "; ".join(differing(ours.exact, theirs.exact)))
        for (a, ours), (b, theirs) in combinations(answers, 2)
        if relate(ours, theirs, first_claim_is_consistency=first_claim_is_consistency) is Relation.CONFLICT
    ]


def _alike(one: Stance, other: Stance) -> bool:
    return np.array_equal(one.claims, other.claims) and (one.exact == other.exact or not (one.exact and other.exact))


def _isolating(attempt: Callable[[Sequence[Board]], list[_Told] | None], made: Sequence[Board]) -> list[_Told]:
    """What `attempt` tells of all boards; where it fails as a whole, of its halves, down to single boards.

    Once a few single boards have failed, those in the halves not yet tried are given up: nobody needs the same news often.
    """
    told: list[_Told] = []
    waiting = [made]
    while waiting:
        part = waiting.pop()
        if sum(bool(each.failures) for each in told) >= ENOUGH:
            told += [_Told() for _ in part]
            continue
        found = attempt(part)
        if found is None:
            waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
        else:
            told += found
    return told


def _together(batch: Batch, contenders: tuple[Contender, ...], part: Sequence[Board]) -> list[_Told] | None:
    """Our backends and plugins on some boards in one sandbox; a single board is tried contender by contender."""
    if len(part) > 1:
        ended = call(_solve_all, contenders, part, batch.thorough, limits=batch.limits)
        return ended.value if ended.status is Status.OK else None
    told = _Told()
    for contender in contenders:
        ended = call(_solve_all, (contender,), part, batch.thorough, limits=batch.limits)
        if ended.status is Status.OK:
            told.answers += ended.value[0].answers
            told.failures += ended.value[0].failures
        else:
            told.failures.append(Failure(ended.status, (contender.name,), ended.detail))
    return [told]


def _solve_all(contenders: tuple[Contender, ...], part: Sequence[Board], thorough: bool) -> list[_Told]:
    told = [_Told() for _ in part]
    for contender in contenders:
        ours = contender.ours
        for k, answer in enumerate(_answers(contender, part, 1 if thorough else EXACT_EVERY)):
            if answer is None:
                continue
            exact = dict(answer.exact)
            if thorough or k % CHECK_EVERY == 0 or not ours:
                told[k].failures += _judged(contender, part[k], exact)
            if answer.claims is not None:
                told[k].answers.append((contender, Stance(answer.claims, contender.complete, exact)))
    return told


def _answers(contender: Contender, part: Sequence[Board], exact_every: int) -> list[Answer | None]:
    """The answers to all boards, at once where the backend takes them all, else one by one; None for a board it refuses.

    One in `exact_every` is asked for with all exact claims that the backend can give, and without where that is too much.
    """
    backend, options = contender.resolve(), dict(contender.options)
    answers: list[Answer | None] = [None] * len(part)
    taken = [k for k, board in enumerate(part) if contender.limit is None or board.cells <= contender.limit]
    exactly = {name: value for name, value in puzzles.get(backend.puzzle).exact_options.items() if name in backend.options}
    if exactly.items() - options.items():
        for k in taken[::exact_every]:
            answers[k] = _answer(backend, part[k], options | exactly)
        taken = [k for k in taken if answers[k] is None]
    try:
        together = backend.solve_many([part[k] for k in taken], **options)
    except Unsupported:
        together = [_answer(backend, part[k], options) for k in taken]
    for k, answer in zip(taken, together, strict=True):
        answers[k] = answer
    return answers


def _answer(backend: Backend, board: Board, options: dict[str, Any]) -> Answer | None:
    try:
        return backend.solve(board, **options)
    except Unsupported:
        return None


def _judged(contender: Contender, board: Board, exact: dict[str, object]) -> list[Failure]:
    """What the check of the certified answer finds wrong; the exact claims that it adds go to `exact`."""
    try:
        answer = certified(contender.resolve(), board, dict(contender.options))
    except Unsupported:
        return []
    exact.update(answer.exact)
    check = puzzles.get(board.puzzle).check(board, answer)
    return [Failure("REFUTED", (contender.name,), check.detail)] if check.verdict is Verdict.REFUTED else []


def _programmed(batch: Batch, program: Contender, made: Sequence[Board]) -> list[_Told]:
    puzzle = puzzles.get(batch.puzzle)
    if puzzle.many_instances:
        return _isolating(lambda part: _program(batch, program, part), made)
    ended = [execute(program.command or (), puzzle.print_instances([board]).encode(), limits=batch.limits) for board in made]
    return _read(batch, program, [[board] for board in made], ended)


def _program(batch: Batch, program: Contender, part: Sequence[Board]) -> list[_Told] | None:
    """A program on some boards in one start; None where more than one board was given and something went wrong."""
    text = puzzles.get(batch.puzzle).print_instances(part).encode()
    told = _read(batch, program, [part], [execute(program.command or (), text, limits=batch.limits)])
    return told if len(told) == len(part) else None


def _read(batch: Batch, program: Contender, parts: Sequence[Sequence[Board]], ended: Sequence[Outcome]) -> list[_Told]:
    """What the runs of a program on parts tell, all read in one sandbox: of each board, or once of a part that failed."""
    printed = [(part, run.value) if run.status is Status.OK else None for part, run in zip(parts, ended, strict=True)]
    seconds = batch.limits.seconds + 0.01 * sum(map(len, parts))
    read = call(_read_all, batch.puzzle, printed, batch.format, program, limits=Limits(seconds, batch.limits.memory))
    told: list[_Told] = []
    for k, run in enumerate(ended):
        what = read.value[k] if read.status is Status.OK and run.status is Status.OK else None
        if isinstance(what, list):
            told += what
        elif run.status is Status.OK:
            told.append(_Told(Failure(Status.ERROR, (program.name,), what or read.detail)))
        else:
            told.append(_Told(Failure(run.status, (program.name,), run.detail)))
    return told


def _read_all(
    name: str, printed: list[tuple[Sequence[Board], bytes] | None], format: str | None, program: Contender
) -> list[list[_Told] | str | None]:
    """What each output tells of its boards, or what is wrong with the output; None where there is none."""
    return [None if each is None else _told(puzzles.get(name), *each, format, program) for each in printed]


def _told(puzzle: Puzzle, part: Sequence[Board], output: bytes, format: str | None, program: Contender) -> list[_Told] | str:
    try:
        answers = puzzle.parse_answers(output, part, puzzle.format(format), f"<output of {program.name}>")
    except InputError as error:
        return str(error)
    told = [_Told() for _ in part]
    for board, said, each in zip(part, answers, told, strict=True):
        answer = said if program.complete else said.as_incomplete()
        if answer.claims is not None:
            each.answers.append((program, Stance(answer.claims, program.complete)))
        check = puzzle.check(board, answer)
        if check.verdict is Verdict.REFUTED:
            each.failures.append(Failure("REFUTED", (program.name,), check.detail))
    return told
