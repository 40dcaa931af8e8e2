"""Where calls are carried out: an executor takes a function with its arguments and promises what it returns.

`Local` keeps a pool of warm workers on this machine; `compare.work.cluster` sends calls to a Dask cluster, each of whose workers
keeps such a pool. Where a worker is lost the promise says so, as `Lost`.
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
    """A call whose worker did not report: TIMEOUT where it did not come back, CRASH where it died."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(status, detail)
        self.status, self.detail = status, detail


class Executor(Protocol):
    """Carries calls out, in about the order in which they were submitted.

    Attributes:
        width: how many calls are worth submitting before the first of them has ended.
    """

    width: int

    def submit(self, function: Callable[..., T], *args: Any, timeout: float | None = None) -> Future[T]:
        """Promise `function(*args)`, or `Lost` after `timeout` seconds; both must be picklable."""
        ...

    def stop(self) -> None:
        """Give up what is not done yet."""


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
    """An executor on this machine with so many calls at once, in an environment that suits them.

    On leaving early, whatever still runs is stopped.
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
