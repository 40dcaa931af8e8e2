"""Running a plan: jobs to an executor, records back as they end."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice

import puzzles
from compare.campaign.datasets import Set, given
from compare.campaign.record import Record, short
from compare.campaign.relation import Relation, Stance, relate
from compare.isolate.sandbox import DEFAULT_LIMITS, Limits, Status
from compare.work.cluster import dask
from compare.work.contenders import Contender
from compare.work.executors import Executor, Lost, local
from compare.work.worker import Job, Run, perform
from puzzles.grid import Board
from puzzles.verdict import Verdict


@dataclass(frozen=True)
class Settings:
    """How everything is run.

    Attributes:
        format: the answer format of programs and `*.ans` files (default: each puzzle's first).
        jobs: how many runs may be under way at once; with more than one the timings are less reliable.
        plugins: Python files that workers load first.
        scheduler: of the Dask cluster where everything is run; None for this machine.
    """

    limits: Limits = DEFAULT_LIMITS
    repeats: int = 1
    check: bool = True
    jobs: int = 1
    format: str | None = None
    plugins: tuple[str, ...] = ()
    scheduler: str | None = None

    @property
    def parallel(self) -> bool:
        """Runs may be under way at the same time."""
        return self.jobs > 1 or self.scheduler is not None


@dataclass(frozen=True)
class Task:
    """One contender on one board of a set, for the `repeat`-th time."""

    contender: Contender
    set: Set
    index: int
    repeat: int = 1

    @property
    def board(self) -> Board:
        return self.set.boards[self.index]

    @property
    def key(self) -> tuple[str, str, int, str]:
        """The key of the task's record."""
        return self.board.puzzle, self.set.name, self.index + 1, self.board.digest


def tasks(sets: Sequence[Set], contenders: Sequence[Contender], repeats: int = 1) -> list[Task]:
    """Every contender on every board; within a board they take turns: all of them once, then all of them again.

    The first contender is the reference on the board. Answers that exist already, and what is skipped, are not repeated.
    """
    planned: list[Task] = []
    for each in sets:
        taking_part = list(contenders)
        if each.answers:
            taking_part.append(given(puzzles.get(each.boards[0].puzzle)))
        for index in range(len(each.boards)):
            turns = (Task(contender, each, index, repeat) for repeat in range(1, repeats + 1) for contender in taking_part)
            planned += [task for task in turns if task.repeat == 1 or not (task.contender.given or _reason_to_skip(task))]
    return planned


def executor(settings: Settings) -> AbstractContextManager[Executor]:
    """Where the settings say that jobs are carried out."""
    return dask(settings.scheduler, settings.plugins) if settings.scheduler else local(settings.jobs, settings.plugins)


def records(planned: Sequence[Task], settings: Settings, earlier: Sequence[Record] = ()) -> Generator[Record, None, None]:
    """Carry the tasks out; yields a record a task, each as soon as it is done and so is the reference on its board.

    One at a time they come in the order of the tasks. `earlier` are records of the same plan that are there already.
    """
    reference: dict[tuple[str, str, int, str], Record] = {}
    for record in earlier:
        reference.setdefault(record.key, record)
    with executor(settings) as chosen:
        remaining = iter(planned)
        waiting: list[tuple[Task, Future[list[list[Run]]] | None]] = []
        while True:
            waiting += [(task, _submit(chosen, task, settings)) for task in islice(remaining, chosen.width - len(waiting))]
            if not waiting:
                return
            kept: list[tuple[Task, Future[list[list[Run]]] | None]] = []
            held: set[tuple[str, str, int, str]] = set()
            under_way: list[Future[list[list[Run]]]] = []
            for task, pending in waiting:
                if pending is not None and not pending.done():
                    under_way.append(pending)
                if task.key in held or pending in under_way or (pending is None and kept):
                    kept.append((task, pending))
                    if task.key not in reference:
                        held.add(task.key)
                    continue
                run = _skipped(task) if pending is None else _collect(pending, task.repeat)
                record = _related(_record(task, run, settings), reference, task.board)
                reference.setdefault(record.key, record)
                yield record
            waiting = kept
            wait(under_way, return_when=FIRST_COMPLETED)


def _submit(chosen: Executor, task: Task, settings: Settings) -> Future[list[list[Run]]] | None:
    if _reason_to_skip(task):
        return None
    answers = (task.set.answers[task.index],) if task.contender.given else ()
    check = settings.check and task.repeat == 1
    job = Job(task.contender, (task.board,), answers, settings.format, settings.limits, check=check)
    return chosen.submit(perform, job, timeout=job.patience)


def _collect(pending: Future[list[list[Run]]], repeat: int) -> Run:
    """What came of a task; where its worker was lost, a run that says so."""
    try:
        ((run,),) = pending.result()
    except Lost as lost:
        run = Run(1, lost.status, lost.detail)
    return replace(run, repeat=repeat)


def _reason_to_skip(task: Task) -> str | None:
    limit = task.contender.limit
    if task.contender.absent:
        return task.contender.absent
    if limit is not None and task.board.cells > limit:
        return f"above its default limit of {limit} cells; name it with -b to run it all the same"
    return None


def _skipped(task: Task) -> Run:
    return Run(1, Status.SKIPPED, _reason_to_skip(task) or "")


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
        file=task.set.file,
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
        parallel=settings.parallel,
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
    relation = relate(ours, theirs, first_claim_is_consistency=puzzles.get(board.puzzle).first_claim_is_consistency)
    found = None
    if relation is Relation.SUBSET:
        puzzle = puzzles.get(board.puzzle)
        whole = puzzle.decided(board, first.claims)
        found = puzzle.decided(board, record.claims) / whole if whole else None
    record = replace(record, relation=relation, coverage=found)
    if record.check is Verdict.UNPROVED and first.check is Verdict.PROVED and first.complete and relation is not Relation.CONFLICT:
        return replace(record, check=Verdict.PROVED, detail=f"claims what {first.backend} proved")
    return record
