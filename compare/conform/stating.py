"""Points about the statement of a puzzle: its families, its texts, its smaller instances and its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from compare.conform.corpus import Finding, certified, failed, instances, missing, sent, shown
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.space import space_of
from puzzles.text import UserError
from puzzles.verdict import Verdict

_MOST_STEPS, _STARTS, _ASIDE = 10_000, 12, 40
"""Steps down from an instance; instances that steps begin at; smaller instances of each that are looked at."""

_DAMAGED_TEXTS, _ANSWERS = 400, 80
"""Damaged input files, and answers that are printed and drawn."""


def families(puzzle: Puzzle) -> Iterator[Finding]:
    """A family gives the same instance for the same size and seed, and refuses sizes that it does not have."""
    for name, family in puzzle.families.items():
        if not family.about:
            yield missing(f"the family {name} does not say what it is about")
        yield from _family(name, family)


def _family(name: str, family: Family) -> Iterator[Finding]:
    sizes = [size for size in (family.least, family.least + 1, family.least + 7) if size <= family.most]
    for size in sizes:
        some = [family.board(size, seed) for seed in range(1, 7)]
        if [family.board(size, seed) for seed in range(1, 7)] != some:
            yield failed(
                f"the family {name} gives two instances for one size and seed, at size {size}: draw from a generator that the seed "
                "starts, such as np.random.default_rng(seed)"
            )
            return
    beyond = [size for size, _ in family.bundled if not family.least <= size <= family.most]
    if beyond:
        yield failed(f"the family {name} is bundled at size {beyond[0]}, and has only {family.least} to {family.most}")


def texts(puzzle: Puzzle) -> Iterator[Finding]:
    """What is printed reads back, for instances and for answers, and a damaged text is refused with a message."""
    every = instances(puzzle.name)
    for instance in every:
        text = puzzle.print_instances([instance])
        read = puzzle.parse(text, "<text>")
        if read != [instance] or hash(read[0]) != hash(instance) or puzzle.print_instances(read) != text:
            yield failed(f"the text of {shown(instance)} reads back as another instance: mend parse, or text")
            return
        if sent(instance) != instance:
            yield failed(f"{shown(instance)} is another instance after pickling: workers pickle instances")
            return
    yield from _answer_texts(puzzle)
    yield from _damaged_texts(puzzle, every)


def _answer_texts(puzzle: Puzzle) -> Iterator[Finding]:
    for instance, backend, answer in islice(certified(puzzle.name), _ANSWERS):
        for format in puzzle.formats:
            text = puzzle.print_answers([answer], format)
            try:
                (read,) = puzzle.parse_answers(text, [instance], format, "<text>")
            except UserError as error:
                yield failed(
                    f"the answer of {backend.label} to {shown(instance)}, printed as {format}, is refused: {error}: "
                    "mend parse_answers, or print_answers"
                )
                return
            refuted = puzzle.check(instance, read).verdict is Verdict.REFUTED
            if refuted and puzzle.check(instance, answer).verdict is Verdict.PROVED:
                yield failed(
                    f"the answer of {backend.label} to {shown(instance)} is refuted after printing and reading it as {format}"
                )
                return


def _damaged_texts(puzzle: Puzzle, every: list[Instance]) -> Iterator[Finding]:
    """A text with something cut, doubled or changed is read or refused; any other exception is a mistake."""
    rng = Random(3)
    for _ in range(_DAMAGED_TEXTS):
        text = _damaged(puzzle.print_instances([rng.choice(every)]), rng)
        try:
            read = puzzle.parse(text, "<text>")
            again = puzzle.parse("".join(puzzle.print_instances([each]) for each in read[:1]), "<text>")
            if read[:1] != again:
                yield failed(f"the text {text[:80]!r} is read as an instance that is printed differently: mend parse, or text")
                return
        except UserError as refusal:
            if type(refusal).__name__ == "PuzzleFault":
                yield failed(f"the text {text[:80]!r}: {refusal}: raise through the Reader, which names the line")
                return


def _damaged(text: str, rng: Random) -> str:
    start, stop = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    stop = min(stop, start + rng.choice((1, 2, 40)))
    into = rng.choice(("", "", text[start:stop] * 2, "0", "-1", "99999999999", " ", "\n", "\x00", "é", "a"))
    return text[:start] + into + text[stop:]


def shrinking(puzzle: Puzzle) -> Iterator[Finding]:
    """`smaller` gives valid instances, none of them larger, and going down ends."""
    every = sorted(instances(puzzle.name), key=lambda instance: (-instance.size, instance.digest))
    for start in every[:: max(1, len(every) // _STARTS)]:
        instance, steps = start, 0
        while steps < _MOST_STEPS and instance is not None:
            below = None
            for smaller in islice(space_of(puzzle).smaller(instance), _ASIDE):
                wrong = _wrong_step(puzzle, instance, smaller)
                if wrong:
                    yield failed(f"smaller({shown(instance)}) gives {shown(smaller)}, {wrong}")
                    return
                below = below or smaller
            instance, steps = below, steps + 1
        if instance is not None:
            yield failed(
                f"going down from {shown(start)} by smaller has not ended after {_MOST_STEPS} steps: let each step remove something"
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
    """Instances and answers are drawn as SVG, and the rules are written down."""
    drawn = 0
    for instance, backend, answer in islice(certified(puzzle.name), _ANSWERS):
        bare, solved = puzzle.picture(instance), puzzle.picture(instance, answer)
        for picture in (bare, solved):
            if not (picture.startswith("<svg") and picture.rstrip().endswith("</svg>")):
                yield failed(f"the picture of {shown(instance)} is no SVG: begin it with <svg and end it with </svg>")
                return
        drawn += bare != solved
        if answer.claims is not None and not puzzle.fields(answer):
            yield failed(f"the fields of the answer of {backend.label} to {shown(instance)} are empty: name what it says")
            return
    if not drawn:
        yield missing("no picture shows the answer: `picture(instance, answer)` draws what `picture(instance)` draws")
    try:
        if not puzzle.rules.strip():
            yield missing("the written rules are empty")
    except UserError as error:
        yield missing(str(error))
