"""What becomes of each mutant: it is killed, it survives, or no board reaches it."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing import get_context
from random import Random

from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from tests.mutants.mutations import Mutant, code_of, mutants
from tests.mutants.planting import plant
from tests.mutants.reach import NotMeasurable
from tests.mutants.stream import Noticed, Stream

_LIMITS = Limits(3600.0, 2**31)


class State(StrEnum):
    KILLED = "killed"
    UNREACHED = "unreached"
    SURVIVED = "survived"


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes:
        by: of a killed one, the kind of its first fault, or a status, or `BY_ITS_TIME`.
        boards: of a killed one, the boards after which it was noticed. Of a surviving one, those
            that execute the mutated statement; each counts once a contender.
    """

    mutant: Mutant
    state: State
    by: str = ""
    boards: int = 0


def drawn(module: str, most: int | None, seed: int) -> list[Mutant]:
    """The mutants of a module, or `most` of them drawn with the seed, in the order of the source.

    More of them include these.
    """
    every = mutants(module)
    Random(f"{module} {seed}").shuffle(every)
    return sorted(every[:most], key=lambda mutant: mutant.number)


def fate(mutant: Mutant, streams: Sequence[Stream]) -> Fate:
    """Put a mutant to the streams, each in a process of its own, until it is killed."""
    boards = 0
    for stream in streams:
        reaching = stream.reaches(mutant)
        if reaching == 0:
            continue
        boards += reaching
        outcome = call(_noticed, mutant, stream, limits=_LIMITS)
        if not outcome.ok:
            return Fate(mutant, State.KILLED, outcome.status.value)
        if outcome.value is not None:
            return Fate(mutant, State.KILLED, *outcome.value)
    return Fate(mutant, State.SURVIVED if boards else State.UNREACHED, boards=boards)


def _noticed(mutant: Mutant, stream: Stream) -> Noticed | None:
    """How the mutant shows that it is wrong; this process runs the mutant from now on."""
    plant(mutant.module, code_of(mutant))
    return stream.noticed(mutant)


_streams: dict[str, list[Stream]] = {}
"""The streams by module, for the workers, which are forks."""


def fates(
    chosen: Iterable[Mutant],
    streams: dict[str, list[Stream]],
    jobs: int,
    keep: Callable[[Fate], object],
) -> None:
    """Find out the fates of mutants; `keep` gets each in their order, as soon as it is known."""
    for stream in {id(each): each for row in streams.values() for each in row}.values():
        stream.prepare()
        noticed = stream.unchanged()
        if noticed is not None:
            raise NotMeasurable(
                f"without any mutant the stream shows {noticed.kind}: mend that first, with "
                "`compare fuzz`"
            )
    _streams.clear()
    _streams.update(streams)
    gc.freeze()
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as workers:
        waiting = [workers.submit(_fate, mutant) for mutant in chosen]
        for each in waiting:
            keep(each.result())


def _fate(mutant: Mutant) -> Fate:
    return fate(mutant, _streams[mutant.module])


def plain_kernels() -> None:
    """Make all kernels run as plain Python: a compiled one would not be the mutant, or would end in
    the cache.
    """
    os.environ["TWOFOLD_KERNELS"] = "python"
