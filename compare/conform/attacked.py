"""Points about the check: no answer that is damaged at random is proved, and a change of the
check's own code is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import chain, islice
from random import Random
from typing import Any

import numpy as np

from compare.campaign.relation import Relation, Stance, relate
from compare.conform.corpus import CertifiedAnswer, Finding, certified, failed, look, shown
from compare.conform.mutations import Mutant, Mutation, mutants, plant
from compare.conform.sharing import check_functions
from compare.isolate.child import call
from compare.isolate.outcome import Limits, Status
from compare.work.judging import BROKEN_CHECK, check_safely
from puzzles.answer import Answer
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.verdict import Check, Verdict

SPARED = {"effort", "mines"}
"""Fields that claim nothing of a board."""


def damaged(answer: Answer, rng: Random) -> Answer:
    """The answer with one thing in it changed, at any depth; its parts may refuse a change, then
    another is made.
    """
    for _ in range(50):
        try:
            changed = _damaged(answer, rng)
        except (ValueError, TypeError, IndexError):  # what the class itself refuses
            continue
        if changed != answer:
            return changed
    return answer


def _damaged(value: Any, rng: Random) -> Any:
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
        return replace(value, **{name: _damaged(getattr(value, name), rng)})
    if isinstance(value, np.ndarray):
        return _damaged_array(value, rng)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value - 1, value + 1, rng.randint(-2, 12)))
    if isinstance(value, bytes):
        return bytes(_damaged(tuple(value), rng)[: 1 << 20]) if value else b"\1"
    return _damaged_tuple(value, rng) if isinstance(value, tuple) else value


def _damaged_array(value: np.ndarray, rng: Random) -> np.ndarray:
    if value.ndim == 1 and (value.size == 0 or rng.random() < 0.3):
        at = rng.randint(0, value.size)
        return (
            np.insert(value, at, rng.randint(0, 9))
            if rng.random() < 0.5 or at == value.size
            else np.delete(value, at)
        )
    array = value.copy()
    at = rng.randrange(array.size)
    other = int(array.flat[rng.randrange(array.size)])
    array.flat[at] = rng.choice(
        (int(array.flat[at]) - 1, int(array.flat[at]) + 1, -1, rng.randrange(array.size), other)
    )
    return array


def _damaged_tuple(value: tuple[Any, ...], rng: Random) -> tuple[Any, ...]:
    items = list(value)
    how = rng.random()
    if items and (how < 0.5 or hasattr(value, "_fields")):
        at = rng.randrange(len(items))
        items[at] = _damaged(items[at], rng)
    elif items and how < 0.8:
        del items[rng.randrange(len(items))]
    else:
        items.insert(rng.randint(0, len(items)), rng.choice(items) if items else rng.randint(0, 9))
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


TIMES, OTHERS = 12, 4
"""Damaged copies of each certified answer, and answers to other instances that are put in its
place.
"""

MAX_CASES = 400
"""Answers to which each changed check is put, damaged ones among them."""

_AROUND = 16
"""Characters of a line that are shown before and after what is changed."""

MUTANT_LIMITS = Limits(10.0, 2**31)


def damage(puzzle: Puzzle) -> Iterator[Finding]:
    """No answer that was damaged is proved unless it is right, and the check ends in a verdict on
    each.
    """
    rng = Random(1)
    cases = list(certified(puzzle.name))
    right = {instance: answer for instance, backend, answer in cases if backend.complete}
    for instance, backend, answer in cases:
        for wrong in chain(
            _damaged_copies(answer, rng), _of_others(instance, cases, rng), _of_other_forms(answer)
        ):
            check = check_safely(instance, wrong)
            if check.detail.startswith(BROKEN_CHECK):
                yield failed(
                    f"{check.detail}, on a damaged answer of {backend.label} to "
                    f"{shown(instance)}: a certificate may be any value, "
                    "so the check has to look at its form first, and to say UNPROVED"
                )
                return
            if check.verdict is Verdict.PROVED and not _claims_nothing_false(
                instance, wrong, right.get(instance)
            ):
                yield failed(
                    f"the check proves a wrong answer to {shown(instance)}: "
                    f"{str(wrong).strip()[:80]!r}: it lets too much pass"
                )
                return


def _damaged_copies(answer: Answer, rng: Random) -> Iterator[Answer]:
    for _ in range(TIMES):
        wrong = damaged(answer, rng)
        for _ in range(rng.randrange(3)):
            wrong = damaged(wrong, rng)
        yield wrong


def _of_others(instance: Instance, cases: list[CertifiedAnswer], rng: Random) -> Iterator[Answer]:
    """Answers to other instances, also with this instance in the place of one that they hold, such
    as a solution.
    """
    for case in rng.sample(cases, min(len(cases), OTHERS)):
        yield case.answer
        for name in (each.name for each in fields(case.answer)):
            if isinstance(getattr(case.answer, name), type(instance)):
                with suppress(ValueError, TypeError):
                    yield replace(case.answer, **{name: instance})


def _of_other_forms(answer: Answer) -> Iterator[Answer]:
    """The answer with certificates that are nothing of the kind."""
    for form in (
        None,
        7,
        -1,
        "text",
        b"bytes",
        (),
        (None,),
        ("text",),
        (0.5,),
        ((),),
        [0],
        {0: 1},
        np.zeros(3),
        np.array("text"),
    ):
        yield replace(answer, certificate=form)


def _claims_nothing_false(instance: Instance, answer: Answer, reference: Answer | None) -> bool:
    if answer.claims is None or reference is None or reference.claims is None:
        return True
    ours, theirs = (
        Stance(answer.claims, getattr(answer, "complete", True)),
        Stance(reference.claims),
    )
    return relate(instance.puzzle, ours, theirs) is not Relation.CONFLICT


def check(puzzle: Puzzle) -> Iterator[Finding]:
    """Each small change of the check's own code changes a verdict."""
    file, cases = puzzle.home.user_file, _cases(puzzle)
    checks = [check_safely(instance, answer) for instance, _, answer in cases]
    for module, names in check_functions(puzzle).items():
        shown_file = module if file is None else file.shown(file.modules[module])
        for mutant in mutants(module, Mutation.SMALL):
            if mutant.at_import or mutant.key.partition(":")[0] not in names:
                continue
            ended = call(_says_the_same, mutant, cases, checks, limits=MUTANT_LIMITS)
            if ended.status is Status.OK and ended.value:
                new, old = _difference(mutant.new, mutant.old)
                yield look(
                    f"{shown_file}:{mutant.line}: with `{new}` for `{old}` the check says the "
                    f"same of {len(cases)} answers: "
                    "add instances that show the difference, or leave it if nothing can tell the "
                    "two apart"
                )


def _cases(puzzle: Puzzle) -> list[CertifiedAnswer]:
    """Certified answers, each of them damaged, and answers to other instances in their place."""
    rng = Random(5)
    cases = list(islice(certified(puzzle.name), MAX_CASES // 3))
    if not cases:
        return []
    every = [
        each._replace(answer=answer)
        for each in cases
        for answer in (each.answer, damaged(each.answer, rng), rng.choice(cases).answer)
    ]
    while len(every) < MAX_CASES:
        case = rng.choice(cases)
        every.append(case._replace(answer=damaged(damaged(case.answer, rng), rng)))
    return every


def _says_the_same(mutant: Mutant, cases: list[CertifiedAnswer], checks: list[Check]) -> bool:
    """Plant the mutant in this process, and see whether the check says of all cases what it said
    before.
    """
    plant(mutant)
    return all(
        check_safely(instance, answer) == check
        for (instance, _, answer), check in zip(cases, checks, strict=True)
    )


def _difference(new: str, old: str) -> tuple[str, str]:
    """The parts in which two lines differ, each with some characters around it."""
    start = _alike(new, old)
    rest = _alike(new[start:][::-1], old[start:][::-1])
    around = slice(max(0, start - _AROUND), min(0, _AROUND - rest) or None)
    return new[around], old[around]


def _alike(one: str, other: str) -> int:
    """How many characters are the same at the beginning of both."""
    return next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
