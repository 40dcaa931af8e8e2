"""Points about the check: no damaged answer is proved, and a change of the check's own code is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from itertools import chain, islice
from random import Random

import numpy as np

from compare.campaign.relation import Relation, Stance, relate
from compare.conform.corpus import CertifiedAnswer, certified
from compare.conform.damage import damaged
from compare.conform.finding import Finding, failed, look, shown
from compare.conform.mutations import Mutant, Mutation, mutants
from compare.conform.planted import plant
from compare.conform.sharing import check_functions
from compare.isolate.outcome import Limits, Status
from compare.isolate.sandbox import call
from compare.work.judging import BROKEN_CHECK, check_safely
from puzzles.answer import Answer
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.verdict import Check, Verdict

TIMES, OTHERS = 12, 4
"""Damaged copies of each certified answer, and answers to other instances that are put in its place."""

MOST_CASES = 400
"""Answers to which each changed check is put, damaged ones among them."""

_AROUND = 16
"""Characters of a line that are shown before and after what is changed."""

MUTANT_LIMITS = Limits(10.0, 2**31)


def damage(puzzle: Puzzle) -> Iterator[Finding]:
    """No wrong answer is proved unless what it claims is right, and the check ends in a verdict on each."""
    rng = Random(1)
    cases = list(certified(puzzle.name))
    right = {instance: answer for instance, backend, answer in cases if backend.complete}
    for instance, backend, answer in cases:
        for wrong in chain(_damaged_copies(answer, rng), _of_others(instance, cases, rng), _of_other_forms(answer)):
            check = check_safely(instance, wrong)
            if check.detail.startswith(BROKEN_CHECK):
                yield failed(
                    f"{check.detail}, on a damaged answer of {backend.label} to {shown(instance)}: a certificate may be any value, "
                    "so the check has to look at its form first, and to say UNPROVED"
                )
                return
            if check.verdict is Verdict.PROVED and not _claims_nothing_false(instance, wrong, right.get(instance)):
                yield failed(
                    f"the check proves a wrong answer to {shown(instance)}: {str(wrong).strip()[:80]!r}: it lets too much pass"
                )
                return


def _damaged_copies(answer: Answer, rng: Random) -> Iterator[Answer]:
    for _ in range(TIMES):
        wrong = damaged(answer, rng)
        for _ in range(rng.randrange(3)):
            wrong = damaged(wrong, rng)
        yield wrong


def _of_others(instance: Instance, cases: list[CertifiedAnswer], rng: Random) -> Iterator[Answer]:
    """Answers to other instances, also with this instance in the place of one that they hold, such as a solution."""
    for case in rng.sample(cases, min(len(cases), OTHERS)):
        yield case.answer
        for name in (each.name for each in fields(case.answer)):
            if isinstance(getattr(case.answer, name), type(instance)):
                with suppress(ValueError, TypeError):
                    yield replace(case.answer, **{name: instance})


def _of_other_forms(answer: Answer) -> Iterator[Answer]:
    """The answer with certificates that are nothing of the kind."""
    for form in (None, 7, -1, "text", b"bytes", (), (None,), ("text",), (0.5,), ((),), [0], {0: 1}, np.zeros(3), np.array("text")):
        yield replace(answer, certificate=form)


def _claims_nothing_false(instance: Instance, answer: Answer, reference: Answer | None) -> bool:
    if answer.claims is None or reference is None or reference.claims is None:
        return True
    ours, theirs = Stance(answer.claims, getattr(answer, "complete", True)), Stance(reference.claims)
    return relate(instance.puzzle, ours, theirs) is not Relation.CONFLICT


def check_mutants(puzzle: Puzzle) -> Iterator[Finding]:
    """Each small change of the check's code changes a verdict on the answers at hand: so these try every part of the check."""
    functions = check_functions(puzzle)
    cases = _cases(puzzle)
    truth = _verdicts(cases)
    for module, names in functions.items():
        for mutant in mutants(module, Mutation.SMALL):
            if mutant.at_import or mutant.key.partition(":")[0] not in names:
                continue
            ended = call(partial(_says_the_same, mutant, cases, truth), limits=MUTANT_LIMITS)
            if ended.status is Status.OK and ended.value:
                new, old = _difference(mutant.new, mutant.old)
                yield look(
                    f"{_place(puzzle, module, mutant)}: with `{new}` for `{old}` the check says the same of {len(cases)} answers: "
                    "add instances that show the difference, or leave it if nothing can tell the two apart"
                )


def _cases(puzzle: Puzzle) -> list[CertifiedAnswer]:
    """Certified answers, each of them damaged, and answers to other instances in their place."""
    rng = Random(5)
    cases = list(islice(certified(puzzle.name), MOST_CASES // 3))
    if not cases:
        return []
    every = [
        each._replace(answer=answer)
        for each in cases
        for answer in (each.answer, damaged(each.answer, rng), rng.choice(cases).answer)
    ]
    while len(every) < MOST_CASES:
        case = rng.choice(cases)
        every.append(case._replace(answer=damaged(damaged(case.answer, rng), rng)))
    return every


def _verdicts(cases: list[CertifiedAnswer]) -> list[Check]:
    return [check_safely(instance, answer) for instance, _, answer in cases]


def _says_the_same(mutant: Mutant, cases: list[CertifiedAnswer], truth: list[Check]) -> bool:
    """Plant the mutant in this process, and see whether the check says of all cases what it said before."""
    plant(mutant)
    return all(check_safely(instance, answer) == check for (instance, _, answer), check in zip(cases, truth, strict=True))


def _difference(new: str, old: str) -> tuple[str, str]:
    """The parts in which two lines differ, each with some characters around it."""
    shorter = min(len(new), len(old))
    start = next((k for k in range(shorter) if new[k] != old[k]), shorter)
    rest = next((k for k in range(shorter - start) if new[-1 - k] != old[-1 - k]), shorter - start)
    first, after = max(0, start - _AROUND), max(0, rest - _AROUND)
    return new[first : len(new) - after], old[first : len(old) - after]


def _place(puzzle: Puzzle, module: str, mutant: Mutant) -> str:
    file = puzzle.home.user_file
    return f"{module}:{mutant.line}" if file is None else f"{file.shown(file.modules[module])}:{mutant.line}"
