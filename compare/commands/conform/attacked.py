"""Points about the check: no wrong answer is proved, whether it is damaged at random or one of all
small ones. The small answers stand below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import chain, combinations_with_replacement, islice, product, zip_longest
from random import Random
from typing import Any

import numpy as np

import puzzles
from compare.commands.conform.corpus import (
    CertifiedAnswer,
    Finding,
    answer_in_brief,
    certified_answers,
    checking,
    failed,
    in_brief,
    look,
)
from compare.engine.work.judging import check_safely
from compare.engine.work.result import BROKEN_CHECK, Relation, Stance, relate
from puzzles.answer import Answer, Check, Verdict
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.time_limits import Deadline
from puzzles.space import space_of

SPARED = {"effort", "mines"}
"""Fields that claim nothing of an instance."""


def damage_once(answer: Answer, rng: Random) -> Answer:
    """The answer with one thing in it changed, at any depth; its parts may refuse a change, then
    another is made.
    """
    for _ in range(50):
        try:
            changed = _damage_part(answer, rng)
        except (ValueError, TypeError, IndexError):  # what the class itself refuses
            continue
        if changed != answer:
            return changed
    return answer


def _damage_part(value: Any, rng: Random) -> Any:
    if isinstance(value, Board):
        grid = value.grid.copy()
        grid.flat[rng.randrange(grid.size)] = rng.choice(value.alphabet)
        return replace(value, grid=grid if rng.random() < 0.95 else grid[:-1])
    if is_dataclass(value) and not isinstance(value, type):
        names = [
            f.name
            for f in fields(value)
            if f.name not in SPARED and getattr(value, f.name) is not None
        ]
        name = rng.choice(names)
        return replace(value, **{name: _damage_part(getattr(value, name), rng)})
    if isinstance(value, np.ndarray):
        items = _damaged_items(value.ravel().tolist(), rng, fixed=value.ndim > 1)
        return np.array(items, value.dtype).reshape(value.shape if value.ndim > 1 else -1)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value - 1, value + 1, rng.randint(-2, 12)))
    if isinstance(value, bytes):
        return bytes(_damaged_items(list(value), rng)) if value else b"\1"
    if not isinstance(value, tuple):
        return value
    named = hasattr(value, "_fields")
    items = _damaged_items(list(value), rng, fixed=named)
    return type(value)(*items) if named else tuple(items)


def _damaged_items(items: list[Any], rng: Random, *, fixed: bool = False) -> list[Any]:
    """A list with an entry that is damaged or takes the place of another one; or with one more or
    less, unless its length is `fixed`.
    """
    how = rng.random()
    if items and (fixed or how < 0.6):
        other = rng.choice(items)
        at = rng.randrange(len(items))
        items[at] = other if how < 0.1 else _damage_part(items[at], rng)
    elif items and how < 0.8:
        del items[rng.randrange(len(items))]
    else:
        items.insert(rng.randint(0, len(items)), rng.choice(items) if items else rng.randint(0, 9))
    return items


TIMES, OTHERS = 12, 4
"""Damaged copies of each certified answer, and answers to other instances that are put in its
place.
"""

NO_CERTIFICATES = [
    None, 7, -1, "text", b"bytes", (), (None,), ("text",), (0.5,), ((),), [0], {0: 1},
    np.zeros(3), np.array("text"),
]  # fmt: skip
"""What is put in the place of a certificate."""

_MAX_TINY, _MAX_BOARDS, _TINY_S = 20, 200, 30.0
"""Instances to which all small answers are tried, the smallest ones; boards of few cells to which
they are tried after that; and the seconds that all this may take.
"""

_LIKE = 6
"""The size of the board of a family that the boards of few cells are like."""

_MAX_ALIKE = 8
"""Unproved answers with equal claims that are tried with each small certificate."""


def damage(puzzle: Puzzle) -> Iterator[Finding]:
    """No answer that was damaged is proved unless it is right, and the check ends in a verdict on
    each.
    """
    rng = Random(1)
    cases = list(certified_answers(puzzle.name))
    right = _right(cases)
    if not right:
        yield NOTHING_TO_COMPARE
    for instance, backend, answer in cases:
        with checking(instance) as begin:
            for wrong in _wrong_answers(instance, answer, cases, rng):
                begin(wrong)
                check = check_safely(instance, wrong)
                if check.detail.startswith(BROKEN_CHECK):
                    yield failed(
                        f"{check.detail}, on a damaged answer of {backend.label} to "
                        f"{in_brief(instance)}: a certificate may be any value, "
                        "so the check has to look at its form first, and to say UNPROVED"
                    )
                    return
                if (
                    check.verdict is Verdict.PROVED
                    and instance in right
                    and _contradicts(wrong, right[instance], instance)
                ):
                    yield _proves_wrong(instance, wrong)
                    return


def _wrong_answers(
    instance: Instance, answer: Answer, cases: list[CertifiedAnswer], rng: Random
) -> Iterator[Answer]:
    """An answer that is damaged; answers to other instances, also with this instance in the place
    of one that they hold, such as a solution; the answer with certificates that are nothing of the
    kind.
    """
    for _ in range(TIMES):
        wrong = damage_once(answer, rng)
        for _ in range(rng.randrange(3)):
            wrong = damage_once(wrong, rng)
        yield wrong
    for case in rng.sample(cases, min(len(cases), OTHERS)):
        yield case.answer
        for name in (each.name for each in fields(case.answer)):
            if isinstance(getattr(case.answer, name), type(instance)):
                with suppress(ValueError, TypeError):
                    yield replace(case.answer, **{name: instance})
    for form in NO_CERTIFICATES:
        yield replace(answer, certificate=form)


def _contradicts(answer: Answer, right: Answer, instance: Instance) -> bool:
    """Whether an answer claims something that the right one denies."""
    try:
        claims = answer.claims
    except Exception:  # the field of a wrong answer may be no value to make claims of
        return False
    if claims is None or right.claims is None:
        return False
    ours = Stance.of(answer, claims, getattr(answer, "complete", True))
    theirs = Stance.of(right, right.claims)
    return relate(instance.puzzle, ours, theirs) is Relation.CONFLICT


def _right(cases: list[CertifiedAnswer]) -> dict[Instance, Answer]:
    """The complete answers that claim something, where no two contradict each other."""
    right: dict[Instance, Answer] = {}
    disputed = set[Instance]()
    for instance, backend, answer in cases:
        if not backend.complete or answer.claims is None:
            continue
        better = puzzles.get(instance.puzzle).better
        if better and not (answer.worth.is_optimum or answer.claims[0] == 0):
            continue
        if _contradicts(answer, right.setdefault(instance, answer), instance):
            disputed.add(instance)
    return {instance: answer for instance, answer in right.items() if instance not in disputed}


NOTHING_TO_COMPARE = look(
    "no wrong answer could be told from a right one: no backend that claims everything answers, or "
    "they contradict each other: see the point `answers`"
)


def _proves_wrong(instance: Instance, wrong: Answer) -> Finding:
    return failed(
        f"the check proves a wrong answer to {in_brief(instance)}: {answer_in_brief(wrong)}: it "
        "lets too much pass"
    )


def tiny(puzzle: Puzzle) -> Iterator[Finding]:
    """Of all small answers to tiny instances, no wrong one is proved, and none is better than the
    best.
    """
    cases = list(certified_answers(puzzle.name))
    right, seen = _right(cases), [case.answer for case in cases]
    if not right:
        yield NOTHING_TO_COMPARE
        return
    deadline = Deadline(_TINY_S)
    for some in (_smallest_of_each_kind(right), _boards_of_few_cells(puzzle)):
        for number, instance in enumerate(some):
            if deadline.over:
                return
            share = Deadline(deadline.seconds_left / (len(some) - number))
            wrong = _first_wrong(puzzle, instance, seen, share)
            if wrong is not None:
                yield wrong
                return


def _boards_of_few_cells(puzzle: Puzzle) -> list[Instance]:
    """All boards of up to n cells, where n is as large as `_MAX_BOARDS` allows; of a puzzle without
    boards nothing.
    """
    like = puzzle.family(puzzle.first_family()).nearest(_LIKE, 1)
    return (
        list(space_of(puzzle).tiny(like, _MAX_BOARDS).instances) if isinstance(like, Board) else []
    )


def _smallest_of_each_kind(right: dict[Instance, Answer]) -> list[Instance]:
    """The smallest instances, those of different sizes and right answers in turn."""
    alike: dict[tuple[int, bytes], list[Instance]] = {}
    for instance, answer in right.items():
        if answer.claims is not None:
            alike.setdefault((instance.size, answer.claims.tobytes()), []).append(instance)
    in_turn = chain.from_iterable(zip_longest(*alike.values()))
    return [instance for instance in in_turn if instance is not None][:_MAX_TINY]


def _first_wrong(
    puzzle: Puzzle, instance: Instance, seen: list[Answer], deadline: Deadline
) -> Finding | None:
    """What the small answers to one instance show of the check; None if nothing is wrong, or if
    nobody knows the right answer.

    A wrong answer that the check leaves unproved is tried with each small certificate.
    """
    cases = list(certified_answers(puzzle.name, [instance]))
    right, own = _right(cases).get(instance), [case.answer for case in cases]
    if right is None:
        return None
    with checking(instance) as begin:
        unproved: dict[bytes, list[Answer]] = {}
        by_the_rules: list[Answer] = []
        tried = set[Answer]()
        for answer in _small_answers_to(puzzle, instance, own, seen, begin):
            if deadline.over:
                break
            if answer in tried:
                continue
            tried.add(answer)
            if not _contradicts(answer, right, instance):
                continue
            begin(answer)
            check = check_safely(instance, answer)
            if wrong := _wrong_verdict(check, instance, answer):
                return wrong
            if check.verdict is Verdict.UNPROVED and answer.claims is not None:
                unproved.setdefault(answer.claims.tobytes(), []).append(answer)
                if not check.limited or check.value is not None:
                    by_the_rules.append(answer)
        lax = _better_than_best(puzzle, instance, right, by_the_rules)
        if lax is not None:
            return lax
        certificates = _values_of("certificate", instance, own, seen)
        plainest = (sorted(alike, key=_shows)[:_MAX_ALIKE] for alike in unproved.values())
        for answer in chain.from_iterable(plainest):
            for certificate in certificates:
                if deadline.over:
                    return None
                certified_so = replace(answer, certificate=certificate)
                begin(certified_so)
                check = check_safely(instance, certified_so)
                if wrong := _wrong_verdict(check, instance, certified_so):
                    return wrong
    return None


def _wrong_verdict(check: Check, instance: Instance, wrong: Answer) -> Finding | None:
    """That the check proves a wrong answer, or comes to no verdict on it."""
    if check.detail.startswith(BROKEN_CHECK):
        return failed(
            f"{check.detail}, on the answer {answer_in_brief(wrong)}, to {in_brief(instance)}: an "
            "answer may be wrong in any way, so the check has to say in words what is wrong"
        )
    return _proves_wrong(instance, wrong) if check.verdict is Verdict.PROVED else None


def _small_answers_to(
    puzzle: Puzzle,
    instance: Instance,
    own: Sequence[Answer],
    seen: Sequence[Answer],
    begin: Callable[[Answer], None],
) -> Iterator[Answer]:
    """Small answers to an instance, all without a certificate. A solution has the value that its
    witness has, where a value is asked for; where the best is asked for, it is claimed to be that.

    `begin`: is told each answer before its value is asked for.
    """
    if not (isinstance(puzzle, CaseSolutionPuzzle) and isinstance(own[0], CaseSolution)):
        yield from small_answers(instance, own, seen, certificate=None)
        return
    # A best value claims all that a bound can say.
    plain: dict[str, Any] = {"certificate": None, "bound": None, "complete": True}
    if not puzzle.value_name:
        yield from small_answers(instance, own, seen, **plain)
        return
    for answer in small_answers(instance, own, seen, **plain, possible=True, value=None):
        if isinstance(answer, CaseSolution) and answer.witness is not None:
            begin(answer)
            with suppress(Exception):  # a wrong witness may be worth nothing
                yield replace(answer, value=puzzle.value(instance, answer.witness))
    yield from small_answers(instance, own, seen, **plain, witness=None)


def _shows(answer: Answer) -> int:
    """How many fields of an answer hold something."""
    return sum(getattr(answer, each.name) is not None for each in fields(answer))


def _better_than_best(
    puzzle: Puzzle, instance: Instance, right: Answer, by_the_rules: Sequence[Answer]
) -> Finding | None:
    """Where a best solution is asked for, all others are worse: if nobody says which value is
    better, there are none on both sides of the best one.
    """
    if not (isinstance(puzzle, CaseSolutionPuzzle) and isinstance(right, CaseSolution)):
        return None
    value = right.value
    if value is None:
        return None
    start = f"the solvers say that the best value for {in_brief(instance)} is {value}, but the"
    shown_solutions = [
        answer
        for answer in by_the_rules
        if isinstance(answer, CaseSolution) and answer.possible and answer.witness is not None
    ]
    if puzzle.better:
        better = (each for each in shown_solutions if puzzle.is_better(each.value or 0, value))
        best = next(better, None)
        if best is None:
            return None
        return failed(
            f"{start} answer `{best}` is better and breaks no rule: add the rule that is missing, "
            "or mend `value` or `better`"
        )
    less = next((each for each in shown_solutions if (each.value or 0) < value), None)
    more = next((each for each in shown_solutions if (each.value or 0) > value), None)
    if less is None or more is None:
        return None
    return failed(
        f"{start} answers `{less}`, of value {less.value}, and `{more}`, of value {more.value}, "
        "break no rule either. One of these two is better than the best: add the rule that is "
        "missing, or mend `value`"
    )


MAX_VALUES = 400
"""Values of one field."""

MAX_SEEN = 40
"""Values that answers to other instances have shown in a field."""

MAX_ANSWERS = 10_000
"""Answers to one instance."""

MAX_PARTS = 6
"""Different numbers, characters or parts of the instance of which tuples and words are made."""

MAX_LENGTH = 4
"""Parts of a tuple and characters of a word, if no answer to the instance has as many."""


def small_answers(
    instance: Instance, own: Sequence[Answer], seen: Sequence[Answer], **fixed: Any
) -> Iterator[Answer]:
    """Small answers to an instance.

    Each field takes all small values of the kind that answers have there: numbers, words, boards,
    and tuples of numbers or of parts of the instance. A field of another kind takes the values that
    answers have shown.

    Args:
        own: answers to this instance, at least one.
        seen: answers to any instances; they show what kinds of values a field has.
        fixed: the fields that have the same value in all of them, with that value.
    """
    names = [each.name for each in fields(own[0]) if each.name not in {*SPARED, *fixed}]
    choices = [_values_of(name, instance, own, seen) for name in names]
    for values in islice(product(*choices), MAX_ANSWERS):
        with suppress(Exception):  # the class itself may refuse some values
            yield replace(own[0], **fixed, **dict(zip(names, values, strict=True)))


def _values_of(
    name: str, instance: Instance, own: Sequence[Answer], seen: Sequence[Answer]
) -> list[Any]:
    """Values of one field of an answer, those of answers to this instance first, each once."""
    shown, every = ([getattr(each, name) for each in answers] for answers in (own, seen))
    kinds = {type(value) for value in every} - {type(None)}
    small: Iterator[Any] = iter(())
    negative: Iterator[Any] = iter(())
    if kinds == {bool}:
        small = iter((False, True))
    elif kinds == {int}:
        near = {value + more for value in shown if value is not None for more in (-2, -1, 1, 2)}
        small = iter(sorted({*range(MAX_PARTS), *(value for value in near if value >= 0)}))
    elif kinds == {str}:
        small = map("".join, _sequences(_parts_of_tuples(shown, every), shown))
    elif kinds == {tuple}:
        parts = _parts_of_tuples(shown, every)
        alike = {_kind(part) for part in parts}
        parts += [part for part in _parts([*own, instance]) if _kind(part) in alike]
        small = _sequences([*parts, *(range(MAX_PARTS) if int in alike else ())], shown)
        if name == "certificate" and int in alike:
            negative = _sequences(_with_negatives(parts), shown)
    elif kinds and all(issubclass(kind, Board) for kind in kinds):
        own_boards = [value for value in shown if value is not None]
        like: Any = next(each for each in (*own_boards, instance, *every) if type(each) in kinds)
        shaped: Any = instance if isinstance(instance, Board) and not own_boards else like
        small = _boards(like, shaped.shape)
    none = [None] if any(value is None for value in every) else []
    values = chain(shown, none, small, every[:MAX_SEEN])
    return [
        *islice(_once(values), MAX_VALUES),
        *islice((value for value in negative if value and min(value) < 0), MAX_VALUES),
    ]


def _parts_of_tuples(shown: Sequence[Any], every: Sequence[Any]) -> list[Any]:
    """The parts of some tuples or words, those of the first ones first; of the others only if they
    are few.
    """
    own, others = (
        list(_once(part for value in values if value is not None for part in value))
        for values in (shown, every)
    )
    return list(_once([*own, *(others if len(others) <= MAX_PARTS else others[:1])]))


def _kind(value: Any) -> Any:
    """What kind of value a part of a tuple is: its type, and the length of a tuple."""
    return (tuple, len(value)) if isinstance(value, tuple) else type(value)


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    """All numbers and tuples in some values, at any depth."""
    for value in values:
        if is_dataclass(value) and not isinstance(value, type):
            yield from _parts(
                getattr(value, each.name) for each in fields(value) if each.name not in SPARED
            )
        elif isinstance(value, tuple):
            yield value
            yield from _parts(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield value


def _sequences(parts: Sequence[Any], shown: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Tuples of some parts, the short ones first: in every order, or in one where those are too
    many. They may be longer by one than those that are shown.
    """
    parts = list(_once(parts))[:MAX_PARTS]
    longest = max((len(value) for value in shown if value is not None), default=0)
    for length in range(max(MAX_LENGTH, longest + 1) + 1):
        yield from (
            product(parts, repeat=length)
            if len(parts) ** length <= MAX_VALUES
            else combinations_with_replacement(parts, length)
        )


def _with_negatives(parts: Sequence[Any]) -> list[Any]:
    """The first numbers among the parts of tuples, -1, and their negatives."""
    numbers = list(_once(part for part in parts if isinstance(part, int)))[: MAX_PARTS // 2]
    return [*numbers, -1, *(-abs(number) for number in numbers if number)]


def _boards(like: Board, shape: tuple[int, int]) -> Iterator[Board]:
    """All boards of one shape, if they are few; all but their grids is as in `like`."""
    cells = shape[0] * shape[1]
    if len(like.alphabet) ** cells <= MAX_VALUES:
        for kinds in product(like.alphabet, repeat=cells):
            with suppress(Exception):  # a class may refuse some boards
                yield replace(like, grid=np.array(kinds, np.uint8).reshape(shape))


def _once(values: Iterable[Any]) -> Iterator[Any]:
    """The values, each once; arrays and other values without a hash are left as they are."""
    known = set[Any]()
    for value in values:
        try:
            new = (type(value), value) not in known
            known.add((type(value), value))
        except TypeError:
            new = True
        if new:
            yield value
