"""Carrying out what is asked: what is not compiled yet is compiled, asks go to an executor, results
come back as they end.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager

from msgspec.structs import replace as with_fields

import puzzles
from compare.engine.campaign.plan import Settings
from compare.engine.elsewhere import run_places
from compare.engine.isolate.outcome import Status
from compare.engine.isolate.processes import cores
from compare.engine.work.ask import Ask
from compare.engine.work.asking import carry_out, join_texts, kept_child_difference
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.pool import Executor, Lost, Pool, local
from compare.engine.work.result import Result, contradict, same_claims
from direct.kernel import compiling_s, needs_compiling
from puzzles.text import UserError

_IN_TURN = 2
"""Threads for one run at a time: one is timed while the other certifies and checks the answer
before it.
"""


_MAX_AHEAD = 1_000_000
"""The size of all instances that are handed out ahead, and of those whose proved answers are kept,
unless they are as few as can be: an instance takes about 100 times as many bytes.
"""


def executor(settings: Settings, *, many_runs: bool = False) -> AbstractContextManager[Executor]:
    """The executor that the settings ask for. Its children load the users' puzzles that this
    process has loaded.

    Args:
        many_runs: whether several runs are submitted at once.
    """
    user_files = tuple(puzzles.user_files().values())
    if settings.elsewhere is not None:
        place = run_places()[settings.elsewhere.place]
        return place.executor(settings.elsewhere.address, settings.plugins, user_files)
    if many_runs and settings.jobs == 1 and settings.check and cores() >= _IN_TURN:
        return local(_IN_TURN, settings.plugins, user_files, one_timed=True)
    return local(settings.jobs, settings.plugins, user_files)


def results_of(
    asks: Iterable[Ask],
    settings: Settings,
    left_out: Callable[[Ask], bool] = lambda _: False,
) -> Generator[Result, None, None]:
    """Carry the asks out; yields each result as soon as it is there.

    If only one run is timed at a time, the results come in the order of the asks.

    Args:
        left_out: asked of each start with several instances, when the results of the program's
            other asks on this dataset have been yielded. What is pointless is left out.
    """
    with executor(settings, many_runs=True) as chosen:
        contradictions = Contradictions(chosen)
        under_way: dict[Future[list[Result]], Ask] = {}
        coming = _handed_out(asks, chosen, under_way, left_out)
        fewest = chosen.width if settings.elsewhere else max(_IN_TURN, settings.jobs)

        def has_room() -> bool:
            ahead = sum(ask.instance.size * len(ask.cases) for ask in under_way.values())
            return len(under_way) < (chosen.width if ahead < _MAX_AHEAD else fewest)

        while True:
            while has_room() and (following := next(coming, None)) is not None:
                ask, future = following
                under_way[future] = ask
            if not under_way:
                return
            for future, ask in list(under_way.items()):
                if future.done():
                    del under_way[future]
                    for result in collect(ask, future):
                        yield contradictions.settle(ask, result)
                elif not settings.parallel:
                    break
            futures = list(under_way)
            try:
                wait(futures if settings.parallel else futures[:1], return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                for future in futures:  # what failed may have failed because of the interruption
                    ended = future.done() and not future.cancelled()
                    if ended and future.exception() is None:
                        for result in future.result():
                            if result.status is Status.OK:
                                yield result
                raise


def _handed_out(
    asks: Iterable[Ask],
    chosen: Executor,
    under_way: Mapping[Future[list[Result]], Ask],
    left_out: Callable[[Ask], bool],
) -> Iterator[tuple[Ask, Future[list[Result]]] | None]:
    """The asks as they are handed to the executor, unless their one case is skipped or spared; None
    while the next one has to wait for others.
    """
    for ask in asks:
        if len(ask.cases) > 1:
            while any(each.start == ask.start for each in under_way.values()):
                yield None
            if left_out(ask):
                continue
        not_run = ask.skipped_result if len(ask.cases) == 1 else None
        if not_run is None:
            yield ask, chosen.submit(carry_out, ask)
        else:
            done: Future[list[Result]] = Future()
            done.set_result([not_run])
            yield ask, done


def collect(ask: Ask, results: Future[list[Result]]) -> list[Result]:
    """The results of an ask. If the worker was lost, or if this project's own code raised, they are
    CRASH and say so; the comparison goes on.

    Raises:
        UserError: see `carry_out`; or the cluster is gone.
    """
    try:
        return results.result()
    except (UserError, CancelledError):
        raise
    except Lost as lost:
        return ask.failed(str(lost))
    except Exception as error:
        return ask.crashed(error)


class Contradictions:
    """What was PROVED of the last instances, or said and not checked; one answer to each is kept.

    Args:
        chosen: carries asks out again, in processes that have solved nothing before. As many
            instances are kept as it has calls under way, fewer of large ones.
    """

    def __init__(self, chosen: Executor) -> None:
        self._executor = chosen
        self._believed: OrderedDict[str, tuple[Ask, Result, int]] = OrderedDict()

    def settle(self, ask: Ask, result: Result) -> Result:
        """The result; if it contradicts an earlier one, what came of it in a new process.

        `printed` then says what differs.
        """
        if not _is_believed(ask, result):
            return result
        digest, size = ask.instance.digest, ask.instance.size
        other, before, _ = self._believed.setdefault(digest, (ask, result, size))
        sizes = [each for _, _, each in self._believed.values()]
        while len(sizes) > self._executor.width or (len(sizes) > 1 and sum(sizes) > _MAX_AHEAD):
            self._believed.popitem(last=False)
            del sizes[0]
        if same_claims(before.claims, result.claims) or not contradict(before, result):
            return result
        note = kept_child_difference(before, self._again(other, before))
        alone = self._again(ask, result)
        notes = (
            f"{other.contender.name}: {note}" if note else "",
            kept_child_difference(result, alone),
        )
        return with_fields(alone, printed=join_texts(*notes, alone.printed))

    def _again(self, ask: Ask, result: Result) -> Result:
        """What comes of a backend in a new process; the result itself of what had one already."""
        contender = ask.contender
        if not (isinstance(contender, BackendContender) and contender.may_be_kept):
            return result
        new = with_fields(ask, in_new_process=True)
        return collect(new, self._executor.submit(carry_out, new))[0]


def _is_believed(ask: Ask, result: Result) -> bool:
    """Whether it answers all of one instance, and the check of a backend's answer has proved it, or
    nobody checks it.
    """
    if result.status is not Status.OK or not ask.contender.complete or len(ask.cases) > 1:
        return False
    return not ask.check or (result.is_proved and isinstance(ask.contender, BackendContender))


_COMPILERS = 2
"""Processes that compile side by side. One puzzle may take longer than all others together."""


def uncompiled_backends(contenders: Iterable[Contender]) -> dict[str, list[BackendContender]]:
    """By puzzle, our direct backends whose kernels Numba's cache beside the sources does not have.

    A puzzle with some kernel in the cache counts as compiled. So does one beside whose sources
    nothing can be written, since other caches are not searched.
    """
    of_puzzles: dict[str, list[BackendContender]] = {}
    for each in dict.fromkeys(contenders):
        if isinstance(each, BackendContender) and each.ours and each.side == "direct":
            of_puzzles.setdefault(each.puzzle, []).append(each)
    return {puzzle: some for puzzle, some in of_puzzles.items() if needs_compiling(puzzle)}


def compile_first(contenders: Iterable[Contender], announce: Callable[[str], object]) -> None:
    """Compile what this machine has not compiled yet; `announce` is called with each such puzzle
    first.

    The puzzle that takes longest comes first, and the others are compiled beside it if there are
    two cores.
    """
    waiting = uncompiled_backends(contenders)
    if not waiting:
        return
    with local(min(len(waiting), _COMPILERS, cores())) as workers:
        compiling: list[Future[None]] = []
        for puzzle in sorted(waiting, key=compiling_s, reverse=True):
            announce(puzzle)
            compiling.append(workers.submit(_compile, waiting[puzzle]))
        for each in compiling:
            each.result()


def _compile(pool: Pool, contenders: Sequence[BackendContender]) -> None:
    """Compile the kernels of some backends in a child; Numba's cache keeps them."""
    for contender in contenders:
        with pool.solver(contender, new=True):
            pass
