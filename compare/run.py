"""Running a plan: jobs to a pool of warm workers, records back in order."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Overdue
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pebble import ProcessExpired, ProcessPool

import puzzles
from compare import worker
from compare.contender import Contender
from compare.plan import Set, given
from compare.record import Record, short
from compare.relate import Relation, Stance, coverage, relate
from compare.sandbox import DEFAULT_LIMITS, Limits, Status
from compare.worker import Job, Run
from puzzles.puzzle import Board, Verdict


@dataclass(frozen=True)
class Settings:
    """How everything is run.

    Attributes:
        format: the answer format of programs and `*.ans` files (default: each puzzle's first).
        jobs: how many runs may be under way at once; with more than one the timings are less reliable.
        plugins: Python files that workers load first.
    """

    limits: Limits = DEFAULT_LIMITS
    repeats: int = 1
    check: bool = True
    jobs: int = 1
    format: str | None = None
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One contender on one board of a set."""

    contender: Contender
    set: Set
    index: int

    @property
    def board(self) -> Board:
        return self.set.boards[self.index]


def tasks(sets: Sequence[Set], contenders: Sequence[Contender]) -> list[Task]:
    """Every contender on every board, contenders taking turns within a board, the first of them as the reference."""
    planned: list[Task] = []
    for each in sets:
        taking_part = list(contenders)
        if each.answers:
            taking_part.append(given(puzzles.get(each.boards[0].puzzle)))
        planned += [Task(contender, each, index) for index in range(len(each.boards)) for contender in taking_part]
    return planned


@contextmanager
def pool(settings: Settings) -> Iterator[ProcessPool]:
    """A pool of workers in an environment that suits them; on leaving, whatever still runs is stopped."""
    before = {name: os.environ.get(name) for name in worker.ENVIRONMENT}
    os.environ.update(worker.ENVIRONMENT)
    workers = ProcessPool(
        max_workers=settings.jobs,
        initializer=worker.start,
        initargs=(settings.plugins,),
        context=multiprocessing.get_context("spawn"),
    )
    try:
        yield workers
        workers.close()
    except BaseException:
        workers.stop()
        raise
    finally:
        workers.join()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def records(planned: Sequence[Task], settings: Settings) -> Iterator[Record]:
    """Carry the tasks out; yields their records in the order of the tasks, each as soon as it and those before it are done."""
    reference: dict[tuple[str, str, int, str], Record] = {}
    with pool(settings) as workers:
        waiting = [(task, _submit(workers, task, settings)) for task in planned]
        for task, pending in waiting:
            for run in [_skipped(task)] if pending is None else _collect(pending):
                record = _related(_record(task, run, settings), reference, task.board)
                reference.setdefault(record.key, record)
                yield record


def _submit(workers: ProcessPool, task: Task, settings: Settings) -> Future[list[list[Run]]] | None:
    if _reason_to_skip(task):
        return None
    answers = (task.set.answers[task.index],) if task.contender.given else ()
    job = Job(task.contender, (task.board,), answers, settings.format, settings.limits, settings.repeats, settings.check)
    return workers.schedule(worker.perform, args=(job,), timeout=job.patience)


def _reason_to_skip(task: Task) -> str | None:
    limit = task.contender.limit
    if task.contender.absent:
        return task.contender.absent
    if limit is not None and task.board.cells > limit:
        return f"{task.board.cells} cells are above its default limit of {limit}; name it with -b to run it all the same"
    return None


def _skipped(task: Task) -> Run:
    return Run(1, Status.SKIPPED, _reason_to_skip(task) or "")


def _collect(pending: Future[list[list[Run]]]) -> list[Run]:
    """A job's runs; where the worker itself was lost, a run that says so."""
    try:
        return pending.result()[0]
    except Overdue:
        return [Run(1, Status.TIMEOUT, "the worker did not come back")]
    except ProcessExpired as error:
        return [Run(1, Status.CRASH, f"the worker died with exit status {error.exitcode}")]


def _record(task: Task, run: Run, settings: Settings) -> Record:
    board, contender = task.board, task.contender
    counts = {"variables": run.variables, "clauses": run.clauses} if run.variables is not None else None
    return Record(
        puzzle=board.puzzle,
        backend=contender.name,
        complete=contender.complete,
        solver=contender.solver,
        digest=board.digest,
        case=task.index + 1,
        set=task.set.name,
        family=task.set.family,
        seed=task.set.seed(task.index),
        size=(board.rows, board.columns),
        repeat=run.repeat,
        status=run.status,
        check=run.check and run.check.verdict,
        build_s=run.build_s,
        solve_s=run.solve_s,
        wall_s=run.wall_s,
        cpu_s=run.cpu_s,
        peak_bytes=run.peak_bytes,
        counts=counts,
        board=short(board.text()),
        answer=run.answer and short(run.answer),
        claims=run.claims,
        exact=run.exact,
        detail=run.detail or (run.check.detail if run.check else ""),
        parallel=settings.jobs > 1,
    )


def _related(record: Record, reference: dict[tuple[str, str, int, str], Record], board: Board) -> Record:
    """The record with its relation to the reference on the same board, the first record there.

    Where the reference is PROVED and claims all that this answer claims, this answer is PROVED as well.
    """
    first = reference.get(record.key)
    if first is None or first.backend == record.backend or first.claims is None or record.claims is None:
        return record
    ours, theirs = (
        Stance(record.claims, record.complete, record.exact or {}),
        Stance(first.claims, first.complete, first.exact or {}),
    )
    relation = relate(ours, theirs, verdict_first=puzzles.get(board.puzzle).verdict_first)
    found = coverage(record.claims, first.claims, board.questions()) if relation is Relation.SUBSET else None
    record = replace(record, relation=relation, coverage=found)
    if record.check is Verdict.UNPROVED and first.check is Verdict.PROVED and first.complete and relation is not Relation.CONFLICT:
        return replace(record, check=Verdict.PROVED, detail=f"claims what {first.backend} proved")
    return record
