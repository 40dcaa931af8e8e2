"""The points that every puzzle has to hold, about its statement and its backends, and how each is
tried, in its own process. What a puzzle of this project owes beyond them stands in `built_in`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from itertools import islice, pairwise
from random import Random

import numpy as np

from compare.commands.conform.attacked import damage, tiny
from compare.commands.conform.built_in import BUILT_IN
from compare.commands.conform.corpus import (
    SOLVE_S,
    Finding,
    Point,
    at_work,
    certified_answers,
    check_in_time,
    failed,
    in_brief,
    instances,
    missing,
    note_at_work,
    send_through,
    solve_in_time,
    takes,
    taking_part,
)
from compare.commands.conform.sharing import sharing
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.judging import claims_of
from compare.engine.work.result import Fault, Relation, Stance, relate
from puzzles.answer import Verdict
from puzzles.backend import SIDE_NAMES, Backend, Unsupported
from puzzles.declared_types import Malformed
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.process_tree import ending
from puzzles.space import space_of
from puzzles.text import UserError
from puzzles.user.user_file import Misread, PuzzleFault

_MAX_STEPS, _STARTS, _ASIDE = 10_000, 12, 40
"""Steps down from an instance; instances that steps begin at; smaller instances of each that are
looked at.
"""

_DAMAGED_TEXTS, _ANSWERS = 400, 80
"""Damaged input files, and answers that are printed and drawn."""


def families(puzzle: Puzzle) -> Iterator[Finding]:
    """A size and a seed always give the same instance."""
    digests, elsewhere = family_digests(puzzle), _family_digests_elsewhere(puzzle)
    if isinstance(elsewhere, str):
        yield failed(f"the families cannot be tried in another process: {elsewhere}")
        return
    again = family_digests(puzzle)
    for name, family in puzzle.families.items():
        if not family.about:
            yield missing(f"the family {name} does not say what it is about")
        for others, where, remedy in (
            (
                again,
                "",
                "draw from a generator that the seed starts, such as np.random.default_rng(seed)",
            ),
            (
                elsewhere,
                " in two processes",
                "use neither `hash` of a text nor the order of a set, which differ there",
            ),
        ):
            sizes = [size for size in digests[name] if digests[name][size] != others[name][size]]
            if sizes:
                yield failed(
                    f"the family {name} gives two instances for one size and seed{where}, at size "
                    f"{sizes[0]}: {remedy}"
                )
                break
        beyond = [size for size, _ in family.bundled if not family.least <= size <= family.most]
        if beyond:
            yield failed(
                f"the family {name} is bundled at size {beyond[0]}, and has only {family.least} "
                f"to {family.most}"
            )


def family_digests(puzzle: Puzzle) -> dict[str, dict[str, list[str]]]:
    """The digests of some instances of each family, by its name and their size."""
    return {
        name: {
            str(size): [family.board(size, seed).digest for seed in range(1, 7)]
            for size in (family.least, family.least + 1, family.least + 7)
            if size <= family.most
        }
        for name, family in puzzle.families.items()
    }


_ELSEWHERE = """
import json, sys
import puzzles
from compare.commands.conform.points import family_digests

digests = family_digests(puzzles.find(sys.argv[1]))
print("\\n" + json.dumps(digests))
"""
"""Prints digests in a last line of its own, below what the puzzle itself prints."""


def _family_digests_elsewhere(puzzle: Puzzle) -> dict[str, dict[str, list[str]]] | str:
    """The same digests from a new process, in which texts have other hashes, and sets of them
    another order; or why it has failed.
    """
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    paths = os.pathsep.join(sys.path)
    ended = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, puzzle.origin.argument],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        return ended.stderr.strip().rpartition("\n")[2] or ending(ended.returncode)
    return json.loads(ended.stdout.splitlines()[-1])


def texts(puzzle: Puzzle) -> Iterator[Finding]:
    """What is printed reads back, and a damaged text is refused with a message."""
    every = instances(puzzle.name)
    for instance in every:
        text = puzzle.print_instances([instance])
        read = puzzle.parse(text, "<text>")
        if (
            read != [instance]
            or hash(read[0]) != hash(instance)
            or puzzle.print_instances(read) != text
        ):
            yield failed(
                f"the text of {in_brief(instance)} reads back as another instance: "
                "mend parse, or text"
            )
            return
        if send_through(instance) != instance:
            yield failed(
                f"{in_brief(instance)} is another instance after pickling: workers pickle instances"
            )
            return
    if puzzle.many_instances:
        yield from _pairs_in_a_file(puzzle, every)
    yield from _answer_texts(puzzle)
    yield from _damaged_texts(puzzle, every)


def _pairs_in_a_file(puzzle: Puzzle, every: list[Instance]) -> Iterator[Finding]:
    """Two instances in one file read back as well; the first two that do not are named."""
    for pair in pairwise(every):
        try:
            read = puzzle.parse(puzzle.print_instances(pair), "<text>")
            what = "read back as others"
        except UserError as error:
            read, what = [], f"do not read back: {error}"
        if read != [*pair]:
            yield failed(
                f"{in_brief(pair[0])} and {in_brief(pair[1])}, in one file, {what}: let `read` "
                f"stop where the {puzzle.noun}'s own `text` ends"
            )
            return


def _answer_texts(puzzle: Puzzle) -> Iterator[Finding]:
    for instance, backend, answer in islice(certified_answers(puzzle.name), _ANSWERS):
        for format in puzzle.formats:
            text = puzzle.print_answers([answer], format)
            try:
                (read,) = puzzle.parse_answers(text, [instance], format, "<text>")
            except UserError as error:
                yield failed(
                    f"the answer of {backend.label} to {in_brief(instance)}, printed as {format}, "
                    f"is refused: {error}: "
                    "mend read_answer, or print_answers"
                )
                return
            refuted = check_in_time(instance, read).verdict is Verdict.REFUTED
            if refuted and check_in_time(instance, answer).verdict is Verdict.PROVED:
                yield failed(
                    f"the answer of {backend.label} to {in_brief(instance)} is refuted after "
                    f"printing and reading it as {format}"
                )
                return


def _damaged_texts(puzzle: Puzzle, every: list[Instance]) -> Iterator[Finding]:
    """A text with something cut, doubled or changed is read or refused; any other exception is a
    mistake.
    """
    rng = Random(3)
    for _ in range(_DAMAGED_TEXTS):
        text = _damaged_text(puzzle.print_instances([rng.choice(every)]), rng)
        try:
            read = puzzle.parse(text, "<text>")
            again = puzzle.parse(
                "".join(puzzle.print_instances([each]) for each in read[:1]), "<text>"
            )
            if read[:1] != again:
                yield failed(
                    f"the text {text[:80]!r} is read as an instance that is printed differently: "
                    "mend parse, or text"
                )
                return
        except UserError as refusal:
            if isinstance(refusal, Misread):
                yield failed(str(refusal))
                return
            if isinstance(refusal, PuzzleFault):
                yield failed(
                    f"the text {text[:80]!r}: {refusal}: raise through the Reader, which names "
                    "the line"
                )
                return


def _damaged_text(text: str, rng: Random) -> str:
    start, stop = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    stop = min(stop, start + rng.choice((1, 2, 40)))
    into = rng.choice(
        ("", "", text[start:stop] * 2, "0", "-1", "99999999999", " ", "\n", "\x00", "é", "a")
    )
    return text[:start] + into + text[stop:]


def shrinking(puzzle: Puzzle) -> Iterator[Finding]:
    """Smaller instances are valid and not larger, and going down ends."""
    every = sorted(instances(puzzle.name), key=lambda instance: (-instance.size, instance.digest))
    for start in every[:: max(1, len(every) // _STARTS)]:
        instance = start
        for _ in range(_MAX_STEPS):
            below = None
            for smaller in islice(space_of(puzzle).smaller(instance), _ASIDE):
                wrong = _wrong_step(puzzle, instance, smaller)
                if wrong:
                    yield failed(
                        f"smaller({in_brief(instance)}) gives {in_brief(smaller)}, {wrong}"
                    )
                    return
                below = below or smaller
            if below is None:
                break
            instance = below
        else:
            yield failed(
                f"going down from {in_brief(start)} by smaller has not ended after {_MAX_STEPS} "
                "steps: let each step remove something"
            )
            return


def _wrong_step(puzzle: Puzzle, instance: Instance, smaller: Instance) -> str:
    if smaller == instance:
        return "which is the same: give only others"
    if smaller.size > instance.size:
        return "which is larger: give only smaller or simpler ones"
    try:
        valid = puzzle.parse(puzzle.print_instances([smaller]), "<text>") == [smaller]
    except UserError as error:
        return f"which is refused as input: {error}"
    return "" if valid else "whose text reads back as another one"


def pictures(puzzle: Puzzle) -> Iterator[Finding]:
    """Instances and answers are drawn, and the rules are written down."""
    drawn = 0
    for instance, backend, answer in islice(certified_answers(puzzle.name), _ANSWERS):
        bare, solved = puzzle.picture(instance), puzzle.picture(instance, answer)
        for picture in (bare, solved):
            if not (picture.startswith("<svg") and picture.rstrip().endswith("</svg>")):
                yield failed(
                    f"the picture of {in_brief(instance)} is no SVG: begin it with <svg and end it "
                    "with </svg>"
                )
                return
        drawn += bare != solved
        if answer.claims is not None and not puzzle.fields(answer):
            yield failed(
                f"the fields of the answer of {backend.label} to {in_brief(instance)} are empty: "
                "name what it says"
            )
            return
    if not drawn:
        yield missing(
            "no picture shows the answer: `picture(instance, answer)` draws what "
            "`picture(instance)` draws"
        )
    try:
        if not puzzle.rules.strip():
            yield missing("the written rules are empty")
    except UserError as error:
        yield missing(str(error))


def answers(puzzle: Puzzle) -> Iterator[Finding]:
    """All backends answer each instance, alike, with and without `certify`, and do not change
    it.
    """
    backends = taking_part(puzzle.name)
    for side in SIDE_NAMES:
        if not any(each.side == side for each in backends):
            yield missing(
                f"there is no backend of the side {side} that can run here: so nothing is solved "
                "twice"
            )
    broken = set[str]()
    for instance in instances(puzzle.name):
        text = instance.text()
        first: tuple[str, Stance] | None = None
        for backend in backends:
            if backend.label in broken or not takes(backend, instance):
                continue
            stance = _asked_twice(backend, instance)
            if isinstance(stance, Finding):
                broken.add(backend.label)
                yield stance
                continue
            if instance.text() != text:
                yield failed(
                    f"{backend.label} changes the instance {in_brief(instance)}: "
                    "work on a copy of it"
                )
                return
            if stance is None:
                continue
            if first is not None and relate(puzzle.name, first[1], stance) is Relation.CONFLICT:
                broken.add(backend.label)
                yield failed(
                    f"{first[0]} and {backend.label} disagree on {in_brief(instance)}: "
                    f"`compare fuzz {puzzle.origin.argument}` finds the smallest such case"
                )
            if first is None and backend.complete:
                first = backend.label, stance


def _asked_twice(backend: Backend, instance: Instance) -> Stance | Finding | None:
    """What a backend claims, with and without `certify`; None if the instance is none that it
    takes.
    """
    try:
        plain = solve_in_time(backend, instance)
        certified = solve_in_time(backend, instance, certify=True)
        claims, again = claims_of(plain), claims_of(certified)
    except Unsupported as reason:
        if (
            backend.complete
            and instance.in_contest_format
            and not backend.may_refuse(instance, certify=True)
        ):
            return failed(
                f"{backend.label} refuses {in_brief(instance)} ({reason}): declare a `limit`, or "
                "`refuses`"
            )
        return None
    except Malformed as error:
        return failed(str(error))
    except Exception as error:
        return failed(f"{backend.label} fails on {in_brief(instance)}: {error}")
    if claims is None or again is None:
        return failed(
            f"the answers of {backend.label} claim nothing: return an array from `claims`, so "
            "that they can be compared"
        )
    try:
        hash(plain)
    except TypeError as error:
        return failed(
            f"the answer of {backend.label} to {in_brief(instance)} has no hash ({error}): make "
            "its certificate, and each other field, of plain values: tuples, numbers, texts, "
            "bytes, or an array"
        )
    if not np.array_equal(claims, again):
        return failed(
            f"{backend.label} claims something else with certify=True on {in_brief(instance)}: "
            "certify must change no claim"
        )
    if send_through(certified) != certified:
        return failed(
            f"an answer of {backend.label} to {in_brief(instance)} is another one after pickling: "
            "workers pickle answers"
        )
    return Stance.of(plain, claims, backend.complete)


def proofs(puzzle: Puzzle) -> Iterator[Finding]:
    """The check proves each certified answer."""
    for backend in taking_part(puzzle.name):
        proved, unproved = 0, list[str]()
        for instance in instances(puzzle.name):
            answer = None
            if takes(backend, instance):
                with suppress(Exception):  # the point about answers reports it
                    answer = solve_in_time(backend, instance, certify=True)
            if answer is None:
                continue
            check = check_in_time(instance, answer)
            promised = backend.certifies and not backend.may_refuse(instance, certify=True)
            fault = Fault(check.verdict, (backend.label,), check.detail)
            defect = not check.limited and (promised or answer.certificate is not None)
            if check.verdict is Verdict.PROVED:
                proved += 1
            elif check.verdict is Verdict.REFUTED or defect:
                remedy = "mend the certificate, or its check"
                if check.verdict is Verdict.REFUTED:
                    remedy = "the answer or the check is wrong"
                yield failed(f"{fault.sentence(in_brief(instance))}: {remedy}")
                break
            else:
                unproved.append(f"{in_brief(instance)}: {check.detail}")
        else:
            if unproved:
                yield missing(
                    f"{len(unproved)} of {proved + len(unproved)} answers of {backend.label} are "
                    "not proved, "
                    f"such as that to {unproved[0]}"
                )


_POINTS = answers, proofs, damage, tiny, families, texts, shrinking, pictures, sharing

POINTS: dict[str, Point] = {point.__name__: point for point in _POINTS}
"""By name, in the order in which they are tried."""


def points_of(puzzle: Puzzle) -> dict[str, Point]:
    """The points that a puzzle has to hold; a puzzle of this project holds more than others."""
    return POINTS if puzzle.origin.user_file is not None else {**POINTS, **BUILT_IN}


POINT_LIMITS = Limits(300.0, 4 * 2**30)
"""A point tries hundreds of small instances."""


def findings(puzzle: Puzzle, point: str) -> list[Finding]:
    """What a point says that is not true of a puzzle. One that does not end well is a finding,
    too.
    """

    def tried() -> list[Finding]:
        try:
            with redirect_stdout(sys.stderr):  # once, and not for each of a million calls
                return list(points_of(puzzle)[point](puzzle))
        except (UserError, Malformed) as error:  # they say what to mend
            return [failed(str(error))]

    note_at_work("")
    ended = call(tried, limits=POINT_LIMITS)
    if ended.ok:
        return ended.value
    why = (
        "it takes too long" if ended.status is Status.TIMEOUT else f"{ended.status} {ended.detail}"
    )
    hangs = bool(at_work()) and ("SIGALRM" in ended.detail or ended.status is Status.TIMEOUT)
    if hangs:
        why = f"{at_work()} does not end within {SOLVE_S:g} s"
    elif at_work():
        why = f"{at_work()}: {why}"
    sentence = f"this point could not be tried to its end: {why}: mend that, then try again"
    return [failed(sentence, hangs)]
