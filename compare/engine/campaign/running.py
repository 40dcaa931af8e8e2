"""Running tasks: jobs go to an executor, records come back as they end."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

import puzzles
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.journal import Journal, remaining
from compare.engine.campaign.record import Record, TaskIdentity
from compare.engine.campaign.tasks import Settings, Task, of_one_start
from compare.engine.elsewhere import places
from compare.engine.isolate.outcome import Status
from compare.engine.isolate.processes import cores
from compare.engine.work.attempt import attempt_together, crashed
from compare.engine.work.compiling import compile_first
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.job import Run, difference, joined, same_claims
from compare.engine.work.pool import Executor, Lost, local
from puzzles.answer import Verdict
from puzzles.shell.streams import labelled

_IN_TURN = 2
"""Threads for one run at a time: one is timed while the other certifies and checks the answer
before it.
"""


@dataclass(frozen=True)
class _Start:
    """Tasks that are carried out in one start: a single one, or those of a program on a dataset.

    Attributes:
        missing: those of them that have no record yet.
    """

    tasks: Sequence[Task]
    runs: Future[list[Run]]
    missing: frozenset[Task]

    def results(self) -> Iterator[tuple[Task, Run]]:
        """What came of each missing task."""
        pairs = zip(self.tasks, collect(self.runs, len(self.tasks)), strict=True)
        return ((task, run) for task, run in pairs if task in self.missing)


def executor(settings: Settings, *, many_runs: bool = False) -> AbstractContextManager[Executor]:
    """The executor that the settings ask for. Its children load the users' puzzles that this
    process has loaded.

    Args:
        many_runs: whether several runs are submitted at once.
    """
    user_files = tuple(puzzles.user_files().values())
    if settings.elsewhere is not None:
        place = places()[settings.elsewhere.place]
        return place.executor(settings.elsewhere.address, settings.plugins, user_files)
    if many_runs and settings.jobs == 1 and settings.check and cores() >= _IN_TURN:
        return local(_IN_TURN, settings.plugins, user_files, one_timed=True)
    return local(settings.jobs, settings.plugins, user_files)


class Progress(Protocol):
    """Somebody who is told of the runs as they end."""

    def ended(self, task: TaskIdentity) -> None: ...

    def write(self, text: str) -> None: ...


def run_campaign(
    planned: list[Task],
    settings: Settings,
    progress: Callable[[Sequence[Task]], AbstractContextManager[Progress]],
    announce: Callable[[str], object],
    file: Journal | None = None,
) -> tuple[Comparison, bool]:
    """Run everything that the file does not hold already.

    Returns the comparison of old and new records, and whether it was interrupted.

    Args:
        progress: makes of the tasks that are to be run somebody who is told when each has ended,
            and what it printed.
        announce: called with each puzzle that is compiled first.
        file: where new records go.
    """
    comparison = Comparison(task.identity for task in planned)
    missing, done, interrupted = planned, 0, False
    if file and file.earlier and file.earlier.count:
        missing, done = remaining(file.path, planned, file.earlier), file.earlier.count
        for record in file.earlier:
            comparison.add(record)
        print(f"{file.path}: {done} of {len(planned)} runs are there already", file=sys.stderr)

    def is_pointless(task: Task) -> bool:
        """Whether a program fails on an instance alone: a start with all says nothing new then."""
        if not comparison.failed_alone(task.identity):
            return False
        comparison.leave_out(task.identity)
        shown.ended(task.identity)
        return True

    try:
        if settings.elsewhere is None:
            compile_first((task.contender for task in missing if task.not_run is None), announce)
        with closing(records(missing, settings, is_pointless)) as new, progress(missing) as shown:
            for record in new:
                comparison.add(record)
                done += 1
                if file:
                    file.write(record.line())
                if record.run.printed:
                    shown.write(labelled(record.task.contender, record.run.printed))
                shown.ended(record.task)
    except KeyboardInterrupt:
        print(f"interrupted after {done} of {len(planned)} runs", file=sys.stderr)
        interrupted = True
    comparison.close()
    return comparison, interrupted


def records(
    tasks: Iterable[Task],
    settings: Settings,
    is_pointless: Callable[[Task], bool] = lambda _: False,
) -> Generator[Record, None, None]:
    """Carry the tasks out; yields the record of each as soon as it has ended.

    If only one run is timed at a time, the records come in the order of the tasks.

    Args:
        is_pointless: asked of each task of a start with several instances, when the records of the
            program's other tasks on this dataset have been yielded. What is pointless is left out.
    """
    with executor(settings, many_runs=True) as chosen:
        contradictions = Contradictions(
            chosen.width, lambda task: _made_again(chosen, settings, task)
        )
        waiting: list[_Start] = []
        coming = _started(tasks, chosen, settings, waiting, is_pointless)
        while True:
            while len(waiting) < chosen.width and (following := next(coming, None)) is not None:
                waiting.append(following)
            if not waiting:
                return
            unfinished: list[_Start] = []
            for start in waiting:
                if not start.runs.done() or (unfinished and not settings.parallel):
                    unfinished.append(start)
                    continue
                for task, run in start.results():
                    yield record_of(task, contradictions.settled(task, run), settings)
            waiting[:] = unfinished
            futures = [start.runs for start in waiting]
            try:
                wait(futures if settings.parallel else futures[:1], return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                for start in waiting:  # what failed may have failed because of the interruption
                    ended = start.runs.done() and not start.runs.cancelled()
                    if ended and start.runs.exception() is None:
                        for task, run in start.results():
                            if run.status is Status.OK:
                                yield record_of(task, run, settings)
                raise


def _started(
    tasks: Iterable[Task],
    chosen: Executor,
    settings: Settings,
    waiting: Sequence[_Start],
    is_pointless: Callable[[Task], bool],
) -> Iterator[_Start | None]:
    """The tasks as they are handed to the executor; None while the next one has to wait for others.

    A file may have the records of other tasks of a start already.

    Args:
        waiting: what is under way.
    """

    def program(task: Task) -> tuple[Contender, int]:
        return task.contender, id(task.dataset)

    for _, some in groupby(tasks, lambda task: program(task) if task.together > 1 else task):
        missing = together = list(some)
        first = missing[0]
        if first.together > 1:
            while any(program(start.tasks[0]) == program(first) for start in waiting):
                yield None
            missing = [task for task in missing if not is_pointless(task)]
            together = of_one_start(first.contender, first.dataset)
        if missing:
            yield _Start(together, _submit(chosen, together, settings), frozenset(missing))


def _submit(chosen: Executor, tasks: Sequence[Task], settings: Settings) -> Future[list[Run]]:
    """Hand a start to the executor, unless it is skipped or spared."""
    not_run = tasks[0].not_run
    if not_run is None:
        return chosen.submit(attempt_together, [task.job(settings) for task in tasks])
    done: Future[list[Run]] = Future()
    done.set_result([not_run])
    return done


def _made_again(chosen: Executor, settings: Settings, task: Task) -> Run:
    """The run of a task, in a process that has solved nothing before."""
    job = replace(task.job(settings), in_new_process=True)
    return collect(chosen.submit(attempt_together, [job]))[0]


def collect(future: Future[list[Run]], count: int = 1) -> list[Run]:
    """What came of one job, or of so many in one start. If the worker was lost, the runs say so."""
    try:
        return future.result()
    except Lost as lost:
        return [Run(status=Status.CRASH, detail=str(lost))] * count


def record_of(task: Task, run: Run, settings: Settings) -> Record:
    """The record of a task that was run; a run that no record can keep becomes CRASH."""

    def record(kept: Run) -> Record:
        return Record.of(
            task.identity, kept, task.instance, format=settings.format, parallel=settings.parallel
        )

    try:
        return record(run)
    except Exception as error:
        return record(crashed(error))


class Contradictions:
    """What was PROVED of the last instances; one answer to each is kept.

    Args:
        most: how many instances are kept.
        again: makes the run of a task in a process that has solved nothing before.
    """

    def __init__(self, most: int, again: Callable[[Task], Run]) -> None:
        self._most, self._again = most, again
        self._proved: OrderedDict[str, tuple[Task, Run]] = OrderedDict()

    def settled(self, task: Task, run: Run) -> Run:
        """The run; if it contradicts an earlier one, what came of it in a new process.

        `printed` then says what differs.
        """
        if not _is_proved(task, run):
            return run
        other, before = self._proved.setdefault(task.instance.digest, (task, run))
        if len(self._proved) > self._most:
            self._proved.popitem(last=False)
        if same_claims(before.claims, run.claims):
            return run
        note = difference(before, self._again(other))
        alone = self._again(task)
        notes = f"{other.contender.name}: {note}" if note else "", difference(run, alone)
        return replace(alone, printed=joined(*notes, alone.printed))


def _is_proved(task: Task, run: Run) -> bool:
    """Whether a backend has answered all of the instance, and the check has proved it."""
    proved = run.status is Status.OK and run.verdict is Verdict.PROVED
    return proved and isinstance(task.contender, BackendContender) and task.contender.complete
