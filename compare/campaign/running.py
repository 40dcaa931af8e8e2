"""Running tasks: jobs go to an executor, records come back as they end."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from itertools import groupby
from typing import Protocol

import puzzles
from compare.campaign.comparison import Comparison
from compare.campaign.journal import Journal, remaining
from compare.campaign.record import Record, TaskIdentity
from compare.campaign.tasks import Settings, Task, of_one_start
from compare.isolate.outcome import Status
from compare.isolate.processes import cores
from compare.work.attempt import attempt, attempt_together, crashed
from compare.work.cluster import dask
from compare.work.compiling import COMPILING_S, compile_kernels, uncompiled
from compare.work.contenders import BackendContender, Contender
from compare.work.job import Run, difference, same_claims
from compare.work.pool import Executor, Lost, local
from puzzles.shell.streams import labelled
from puzzles.verdict import Verdict

_COMPILERS = 2
"""Processes that compile side by side. Minesweeper alone takes longer than all others together."""


_IN_TURN = 2
"""Threads for one run at a time: one is timed while the other certifies and checks the answer
before it.
"""

_Submitted = tuple[Task, Future[Run]]
"""A task and its run."""


def executor(settings: Settings, *, many_runs: bool = False) -> AbstractContextManager[Executor]:
    """The executor that the settings ask for. Its children load the puzzles of one's own that this
    process has loaded.

    Args:
        many_runs: whether several runs are submitted at once.
    """
    user_files = tuple(puzzles.user_files().values())
    if settings.scheduler:
        return dask(settings.scheduler, settings.plugins, user_files)
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
        compile_first(
            (task.contender for task in missing if not task.reason_to_skip), settings, announce
        )
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
        waiting: list[_Submitted] = []
        coming = _submitted(tasks, chosen, settings, waiting, is_pointless)
        while True:
            while len(waiting) < chosen.width and (following := next(coming, None)) is not None:
                waiting.append(following)
            if not waiting:
                return
            unfinished: list[_Submitted] = []
            for task, future in waiting:
                if not future.done() or (unfinished and not settings.parallel):
                    unfinished.append((task, future))
                else:
                    yield record_of(task, contradictions.settled(task, collect(future)), settings)
            waiting[:] = unfinished
            futures = [future for _, future in waiting]
            try:
                wait(futures if settings.parallel else futures[:1], return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                for (
                    task,
                    future,
                ) in waiting:  # what failed may have failed because of the interruption
                    if future.done() and not future.cancelled() and future.exception() is None:
                        run = future.result()
                        if run.status is Status.OK:
                            yield record_of(task, run, settings)
                raise


def _submitted(
    tasks: Iterable[Task],
    chosen: Executor,
    settings: Settings,
    waiting: Sequence[_Submitted],
    is_pointless: Callable[[Task], bool],
) -> Iterator[_Submitted | None]:
    """Each task as it is handed to the executor; None while the next one has to wait for others.

    `waiting`: the tasks that are under way.
    """

    def start(task: Task) -> tuple[Contender, int] | None:
        return (task.contender, id(task.dataset)) if task.together > 1 else None

    for together, some in groupby(tasks, start):
        if together is None:
            yield from ((task, _submit(chosen, task, settings)) for task in some)
            continue
        of_start = list(some)
        while any((task.contender, id(task.dataset)) == together for task, _ in waiting):
            yield None
        of_start = [task for task in of_start if not is_pointless(task)]
        if of_start:
            yield from zip(of_start, _submit_together(chosen, of_start, settings), strict=True)


def _submit(chosen: Executor, task: Task, settings: Settings) -> Future[Run]:
    """Hand a task to the executor, unless it is to be skipped."""
    if task.reason_to_skip is None:
        return chosen.submit(attempt, task.job(settings))
    skipped: Future[Run] = Future()
    skipped.set_result(Run(status=Status.SKIPPED, detail=task.reason_to_skip))
    return skipped


def _submit_together(
    chosen: Executor, tasks: Sequence[Task], settings: Settings
) -> list[Future[Run]]:
    """Hand the start to which these tasks belong to the executor; returns the run of each.

    A file may have the records of other tasks of the start already.
    """
    whole = of_one_start(tasks[0].contender, tasks[0].dataset)
    started = chosen.submit(attempt_together, [task.job(settings) for task in whole])
    runs: dict[int, Future[Run]] = {task.index: Future() for task in whole}

    def share_out(ended: Future[list[Run]]) -> None:
        for k, run in enumerate(runs.values()):
            if ended.cancelled():
                run.cancel()
            elif (error := ended.exception()) is not None:
                run.set_exception(error)
            else:
                run.set_result(ended.result()[k])

    started.add_done_callback(share_out)
    return [runs[task.index] for task in tasks]


def compile_first(
    contenders: Iterable[Contender], settings: Settings, announce: Callable[[str], object]
) -> None:
    """Compile what this machine has not compiled yet, before any run is timed; `announce` is called
    with each such puzzle first.

    The puzzle that takes longest comes first, and the others are compiled beside it if there are
    two cores.
    """
    if settings.scheduler is not None:
        return
    waiting = uncompiled(contenders)
    if not waiting:
        return
    with local(min(len(waiting), _COMPILERS, cores())) as workers:
        compiling: list[Future[None]] = []
        for puzzle in sorted(waiting, key=lambda name: COMPILING_S.get(name, 0), reverse=True):
            announce(puzzle)
            compiling.append(workers.submit(compile_kernels, waiting[puzzle]))
        for each in compiling:
            each.result()


def _made_again(chosen: Executor, settings: Settings, task: Task) -> Run:
    """The run of a task, in a process that has solved nothing before."""
    job = replace(task.job(settings), in_new_process=True)
    return collect(chosen.submit(attempt, job))


def collect(future: Future[Run]) -> Run:
    """What came of a task. If its worker was lost, the run says so."""
    try:
        return future.result()
    except Lost as lost:
        return Run(status=lost.status, detail=lost.detail)


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
        notes = [
            f"{other.contender.name}: {note}" if note else "",
            difference(run, alone),
            alone.printed,
        ]
        return replace(alone, printed="\n".join(filter(None, notes)))


def _is_proved(task: Task, run: Run) -> bool:
    """Whether a backend has answered all of the instance, and the check has proved it."""
    checked = (
        run.status is Status.OK and run.check is not None and run.check.verdict is Verdict.PROVED
    )
    return checked and isinstance(task.contender, BackendContender) and task.contender.complete
