"""What the points of the conformance test share: what one finds, and the small instances and
certified answers that it tries.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from itertools import islice
from mmap import mmap
from typing import Any, NamedTuple

import puzzles
from compare.engine.campaign.plan import bundled_datasets
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES
from compare.engine.work.judging import check_safely, raised_at
from compare.engine.work.plain import pack_answer, rebuilt
from puzzles.answer import Answer, Check
from puzzles.backend import Backend, Unsupported, malformed_text
from puzzles.declared_types import Malformed
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.time_limits import TooLong, at_most
from puzzles.user.user_file import PuzzleFault

_SHOWN = 60


class State(StrEnum):
    """What a finding asks for.

    FAILED: something is wrong. LOOK: something may be wrong, and a person has to look. MISSING:
    something is not there, which is allowed.
    """

    FAILED = "FAILED"
    LOOK = "LOOK"
    MISSING = "MISSING"


@dataclass(frozen=True)
class Finding:
    """One sentence for people, with the remedy after a colon.

    Attributes:
        hangs: a backend does not end, so that points which ask it do not end either.
    """

    state: State
    sentence: str
    hangs: bool = False


failed = partial(Finding, State.FAILED)
look = partial(Finding, State.LOOK)
missing = partial(Finding, State.MISSING)


Point = Callable[[Puzzle], Iterator[Finding]]
"""One thing that every puzzle must do: yields what is not true of a puzzle, in a process of its
own, for it calls the puzzle's functions. Its name names the point, and its docstring says in one
sentence what must be true.
"""


def in_brief(instance: Instance) -> str:
    """An instance in a sentence: its lines, with `/` between them, bounded."""
    text = "/".join(instance.text().split("\n")).strip("/")
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"


_MAX_SIZE = 80
"""Larger instances are left out."""

_BUNDLED, _SEEDS, _SIZES = 60, 2, 4
_STREAM_SEED, _STREAM = 11, 64
"""Instances of the fuzz stream, and their seed."""


class CertifiedAnswer(NamedTuple):
    """An instance, and the certified answer of a backend."""

    instance: Instance
    backend: Backend
    answer: Answer


@cache
def instances(name: str) -> list[Instance]:
    """Small instances, the smallest first: the puzzle's example, its bundled files, its families,
    and some of the fuzz stream.
    """
    every = dict.fromkeys(islice(_every(puzzles.get(name)), 10_000))
    return sorted(
        (each for each in every if each.size <= _MAX_SIZE),
        key=lambda each: (each.size, len(each.text())),
    )


def _every(puzzle: Puzzle) -> Iterator[Instance]:
    yield from puzzle.parse(puzzle.example, "<example>")
    yield from islice(
        (
            each
            for dataset in bundled_datasets(puzzle)
            for each in dataset.instances
            if each.size <= _MAX_SIZE
        ),
        _BUNDLED,
    )
    for family in puzzle.families.values():
        for size in range(family.least, min(family.least + _SIZES - 1, family.most) + 1):
            yield from (family.board(size, seed) for seed in range(1, _SEEDS + 1))
    yield from boards(puzzle, _STREAM_SEED, 0, _STREAM, 6)


def send_through(value: Any) -> Any:
    """The value as another process gets it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - written in the same line


def taking_part(name: str) -> list[Backend]:
    """The backends that can run here, the default direct one first; those of plugins are left out,
    and slow ones.
    """
    own = name in puzzles.user_files()
    return [
        backend
        for side in SIDES.values()
        for backend in side.backends(name).values()
        if (own or side.owns(backend)) and backend.available() is None and not backend.slow
    ]


def takes(backend: Backend, instance: Instance) -> bool:
    """Whether an instance is within the limit that a backend declares."""
    return backend.limit is None or instance.size <= backend.limit


SOLVE_S = 10.0
"""Seconds that a backend has for one instance, and the check for one answer; then the point ends.
"""

_at_work = mmap(-1, 1 << 10)
"""Which backend or check is at work on what, in the process of the point. It is shared with the
process that has started it, which reads it when the point does not end well.
"""


def at_work() -> str:
    """Which backend or check was at work on what when a process of a point ended; empty if none
    was.
    """
    return _at_work[:].rstrip(b"\0").decode("utf-8", "replace")


def note_at_work(text: str) -> None:
    """Say which backend or check is at work on what from now on; an empty text: none."""
    _at_work[:] = text.encode()[: len(_at_work)].ljust(len(_at_work), b"\0")


def solve_in_time(backend: Backend, instance: Instance, *, certify: bool = False) -> Answer:
    """The answer of a backend; that of a user's as the judge of a run gets it. A backend that hangs
    ends the process, in C code as well.

    Raises:
        Malformed: the answer of a user's backend is none that the judge could read.
    """
    note_at_work(f"{backend.label} on {in_brief(instance)}")
    try:
        with at_most(SOLVE_S, hard=True):
            answer = backend.solve(instance, certify=certify)
    finally:
        note_at_work("")
    if SIDES[backend.side].owns(backend):
        return answer
    try:
        read = rebuilt(instance, pack_answer(instance, answer))
        if backend.complete:
            puzzles.get(backend.puzzle).refuse_incomplete(read)
        return read
    except Malformed as error:
        where = f"{backend.label} on {in_brief(instance)}"
        raise Malformed(f"{where}: {malformed_text(error, backend.place)}") from None


@contextmanager
def checking(instance: Instance) -> Iterator[Callable[[Answer], None]]:
    """Within, answers to an instance are checked. It gets a function that is told each answer: then
    the check, or a part of it, has as many seconds as a backend.

    Raises:
        PuzzleFault: it does not end.
    """
    checked: list[Answer] = []
    note_at_work(f"the check of an answer to {in_brief(instance)}")
    try:
        with at_most(SOLVE_S) as begin_anew:

            def begin(answer: Answer) -> None:
                checked[:] = [answer]
                begin_anew()

            yield begin
    except TooLong as late:
        (answer,) = checked
        raise PuzzleFault(
            f"{raised_at(late, puzzles.get(instance.puzzle))}: the check does not end within "
            f"{SOLVE_S:g} s, on the answer {answer_in_brief(answer)}, to {in_brief(instance)}: "
            "mend that line, or raise BeyondCheck where an instance is too large"
        ) from None
    finally:
        note_at_work("")


def check_in_time(instance: Instance, answer: Answer) -> Check:
    """The verdict of the puzzle's check; raises `PuzzleFault` if it does not end."""
    with checking(instance) as begin:
        begin(answer)
        return check_safely(instance, answer)


def answer_in_brief(answer: Answer) -> str:
    """An answer in a sentence, bounded."""
    return f"{str(answer).strip()[:80]!r}, certificate {str(answer.certificate)[:80]}"


def certified_answers(
    name: str, some: Sequence[Instance] | None = None
) -> Iterator[CertifiedAnswer]:
    """Each of these instances (default: those above) with the certified answer of each backend that
    takes it.
    """
    for instance in instances(name) if some is None else some:
        for backend in taking_part(name):
            if not takes(backend, instance):
                continue
            try:
                yield CertifiedAnswer(
                    instance, backend, solve_in_time(backend, instance, certify=True)
                )
            except Unsupported:
                continue
