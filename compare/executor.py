"""Where jobs are carried out: an executor takes a job and promises its runs.

`Local` keeps a pool of warm workers on this machine; `compare.cluster` sends jobs to a Dask cluster, each of whose workers
keeps such a pool. Neither ever loses a job: where a worker is lost, its runs say so.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as Overdue
from contextlib import contextmanager
from typing import Protocol

from pebble import ProcessExpired, ProcessPool

from compare import worker
from compare.sandbox import Status
from compare.worker import Job, Run

Runs = list[list[Run]]
"""The runs of a job: of each of its boards, in order."""


class Executor(Protocol):
    """Carries jobs out.

    Attributes:
        width: how many jobs are worth submitting before the first of them has ended.
    """

    width: int

    def submit(self, job: Job) -> Future[Runs]: ...


class Local:
    """Jobs on a pool of workers of this machine, started in the order in which they were submitted."""

    def __init__(self, workers: ProcessPool, jobs: int) -> None:
        self.workers = workers
        self.width = 8 * jobs

    def submit(self, job: Job) -> Future[Runs]:
        promised: Future[Runs] = Future()
        self.workers.schedule(worker.perform, args=(job,), timeout=job.patience).add_done_callback(
            lambda ended: settle(promised, job, ended)
        )
        return promised


def settle(promised: Future[Runs], job: Job, ended: Future[Runs]) -> None:
    """Keep the promise: the job's runs, or, where its worker was lost, runs that say so."""
    try:
        promised.set_result(ended.result())
    except CancelledError:
        promised.cancel()
    except Overdue:
        promised.set_result(lost(job, Status.TIMEOUT, "the worker did not come back"))
    except ProcessExpired as error:
        promised.set_result(lost(job, Status.CRASH, f"the worker died with exit status {error.exitcode}"))
    except BaseException as error:
        promised.set_exception(error)


def lost(job: Job, status: Status, detail: str) -> Runs:
    """What a job comes to whose worker did not report."""
    return [[Run(1, status, detail)] for _ in job.boards]


@contextmanager
def pool(jobs: int = 1, plugins: tuple[str, ...] = ()) -> Iterator[ProcessPool]:
    """A pool of workers in an environment that suits them; on leaving, whatever still runs is stopped."""
    before = {name: os.environ.get(name) for name in worker.ENVIRONMENT}
    os.environ.update(worker.ENVIRONMENT)
    workers = ProcessPool(
        max_workers=jobs,
        initializer=worker.start,
        initargs=(plugins,),
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


@contextmanager
def local(jobs: int = 1, plugins: tuple[str, ...] = ()) -> Iterator[Executor]:
    """An executor on this machine with so many runs at once."""
    with pool(jobs, plugins) as workers:
        yield Local(workers, jobs)
