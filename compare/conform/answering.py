"""Points about the backends: their answers agree, their certificates are proved, and they leave the instance as it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from compare.campaign.relation import Relation, Stance, relate
from compare.conform.corpus import Finding, failed, instances, missing, sent, shown, taking_part
from compare.work.judging import WrongClaims, check_safely, claims_of
from puzzles.answer import Answer, Claims
from puzzles.backend import SIDES, Backend, Unsupported
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.verdict import Verdict


def answers(puzzle: Puzzle) -> Iterator[Finding]:
    """All backends answer each instance, alike, with and without `certify`, and do not change it."""
    backends = taking_part(puzzle.name)
    yield from _missing_sides(puzzle, backends)
    broken = set[str]()
    for instance in instances(puzzle.name):
        text = instance.text()
        first: tuple[Backend, Claims] | None = None
        for backend in backends:
            if backend.label in broken or (backend.limit is not None and instance.size > backend.limit):
                continue
            stated = _claims_twice(backend, instance)
            if isinstance(stated, Finding):
                broken.add(backend.label)
                yield stated
                continue
            if instance.text() != text:
                yield failed(f"{backend.label} changes the instance {shown(instance)}: work on a copy of it")
                return
            if stated is None:
                continue
            if first is not None and not _agree(puzzle, first, (backend, stated)):
                broken.add(backend.label)
                yield failed(
                    f"{first[0].label} and {backend.label} disagree on {shown(instance)}: "
                    f"`compare fuzz {puzzle.home.argument}` finds the smallest such case"
                )
            first = first or ((backend, stated) if backend.complete else None)


def _missing_sides(puzzle: Puzzle, backends: list[Backend]) -> Iterator[Finding]:
    for side in SIDES:
        if not any(each.side == side for each in backends):
            yield missing(f"there is no backend of the side {side} that can run here: so nothing is solved twice")


def _agree(puzzle: Puzzle, first: tuple[Backend, Claims], second: tuple[Backend, Claims]) -> bool:
    ours, theirs = (Stance(claims, backend.complete) for backend, claims in (first, second))
    return relate(puzzle.name, ours, theirs) is not Relation.CONFLICT


def _claims_twice(backend: Backend, instance: Instance) -> Claims | Finding | None:
    """What a backend claims, with and without `certify`; None if the instance is none that it takes."""
    try:
        plain, certified = backend.solve(instance), backend.solve(instance, certify=True)
        claims, again = claims_of(plain), claims_of(certified)
        hash(plain)
    except Unsupported as reason:
        if backend.complete and instance.in_contest_format and not backend.may_refuse(instance, certify=True):
            return failed(f"{backend.label} refuses {shown(instance)} ({reason}): declare a `limit`, or `refuses`")
        return None
    except WrongClaims as error:
        return failed(str(error))
    except Exception as error:
        return failed(f"{backend.label} fails on {shown(instance)}: {error}")
    if claims is None or again is None:
        return failed(f"the answers of {backend.label} claim nothing: return an array from `claims`, so that they can be compared")
    if not np.array_equal(claims, again):
        return failed(f"{backend.label} claims something else with certify=True on {shown(instance)}: certify must change no claim")
    if sent(certified) != certified:
        return failed(f"an answer of {backend.label} to {shown(instance)} is another one after pickling: workers pickle answers")
    return claims


def proofs(puzzle: Puzzle) -> Iterator[Finding]:
    """The check proves each certified answer."""
    for backend in taking_part(puzzle.name):
        proved = unproved = 0
        without = ""
        for instance in instances(puzzle.name):
            answer = _certified(backend, instance)
            if answer is None:
                continue
            check = check_safely(instance, answer)
            if check.verdict is Verdict.REFUTED:
                yield failed(f"the check refutes {backend.label} on {shown(instance)}: {check.detail}: one of the two is wrong")
                break
            if check.verdict is Verdict.PROVED:
                proved += 1
                continue
            unproved += 1
            promises = backend.certifies and not backend.may_refuse(instance, certify=True)
            if not check.limited and (promises or answer.certificate is not None):
                yield failed(
                    f"the answer of {backend.label} to {shown(instance)} is not proved: {check.detail}: "
                    "mend the certificate, or its check"
                )
                break
            without = without or f"{shown(instance)}: {check.detail}"
        else:
            if unproved:
                yield missing(
                    f"{unproved} of {proved + unproved} answers of {backend.label} are not proved, such as that to {without}"
                )


def _certified(backend: Backend, instance: Instance) -> Answer | None:
    """The certified answer; None if there is none, which the point about answers reports."""
    if backend.limit is not None and instance.size > backend.limit:
        return None
    try:
        return backend.solve(instance, certify=True)
    except Exception:
        return None
