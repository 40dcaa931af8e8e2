"""Executors: an executor takes a function with its arguments and returns a future of the result.

`Local` keeps a pool of warm workers on this machine. `compare.work.cluster` sends calls to a Dask cluster, each worker of which
keeps such a pool. If a worker is lost, the future raises `Lost`.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as Overdue
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from pebble import ProcessExpired, ProcessPool

from compare.isolate.outcome import Status
from compare.work import worker

T = TypeVar("T")


class Lost(Exception):
    """The worker of a call did not report: TIMEOUT if it took too long, CRASH if it died."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(status, detail)
        self.status, self.detail = status, detail


class Executor(Protocol):
    """Carries calls out, about in the order in which they were submitted.

    Attributes:
        width: how many calls should be submitted before the first one has ended.
    """

    width: int

    def submit(self, function: Callable[..., T], *args: Any, timeout: float | None = None) -> Future[T]:
        """A future of `function(*args)`, which must be picklable; it raises `Lost` after `timeout` seconds."""
        ...

    def stop(self) -> None:
        """Give up the calls that have not ended."""


class Local:
    """Calls on a pool of workers of this machine."""

    def __init__(self, workers: ProcessPool, jobs: int) -> None:
        self.workers = workers
        self.width = 8 * jobs

    def submit(self, function: Callable[..., T], *args: Any, timeout: float | None = None) -> Future[T]:
        promised: Future[T] = Future()
        self.workers.schedule(function, args=args, timeout=timeout).add_done_callback(lambda ended: _settle(promised, ended))
        return promised

    def stop(self) -> None:
        self.workers.stop()


def _settle(promised: Future[T], ended: Future[T]) -> None:
    try:
        promised.set_result(ended.result())
    except CancelledError:
        promised.cancel()
    except Overdue:
        promised.set_exception(Lost(Status.TIMEOUT, "the worker did not come back"))
    except ProcessExpired as error:
        promised.set_exception(Lost(Status.CRASH, f"the worker died with exit status {error.exitcode}"))
    except BaseException as error:
        promised.set_exception(error)


@contextmanager
def local(jobs: int = 1, plugins: tuple[str, ...] = ()) -> Iterator[Executor]:
    """An executor on this machine for `jobs` calls at once; its workers get the environment that they need.

    If the context is left by an exception, the calls that are under way are stopped.
    """
    before = {name: os.environ.get(name) for name in worker.ENVIRONMENT}
    os.environ.update(worker.ENVIRONMENT)
    workers = ProcessPool(
        max_workers=jobs,
        initializer=worker.start,
        initargs=(plugins,),
        context=multiprocessing.get_context("spawn"),
    )
    try:
        yield Local(workers, jobs)
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
