"""Executors: an executor takes a function with its arguments and returns a future of the result.

`Local` keeps a pool of warm workers on this machine. `compare.work.pool.cluster` sends calls to a Dask cluster. Each worker of the
cluster keeps such a pool. If a worker is lost, a new one makes its call once more. If that is lost too, the future raises `Lost`.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import cycle
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import Any, Protocol, TypeVar

from compare.isolate.outcome import Status
from compare.isolate.processes import adopt_orphans, close_to_others
from compare.work.pool.keeper import Word, request_of
from compare.work.pool.kept_worker import KeptWorker, Lost
from puzzles.user.user_file import UserFile

T = TypeVar("T")


class Executor(Protocol):
    """Carries calls out, about in the order in which they were submitted.

    Attributes:
        width: how many calls should be submitted before the first one has ended.
    """

    width: int

    def submit(self, function: Callable[..., T], *args: Any, timeout: float | None = None, of: str | None = None) -> Future[T]:
        """A future of `function(*args)`, which must be picklable.

        Where each worker has its own share of the work, all calls of the same `of` are made by the same worker.

        The future raises `Lost` if the worker is silent for more than `timeout` seconds. The limits of runs in a sandbox are
        added to this.
        """
        ...

    def stop(self) -> None:
        """Give up the calls that have not ended."""


@dataclass(frozen=True)
class _Call:
    """A call that waits for a worker, as `compare.work.pool.keeper.request_of` writes it, and the future of its result."""

    request: bytes
    timeout: float | None
    promised: Future[Any]


class Local:
    """Calls on workers of this machine; each worker is served by a thread of its own.

    Without turns, whoever is free makes the next call. Workers that take turns have a share each, and each is given the next call
    of its share while it still makes the one before.
    """

    def __init__(
        self, jobs: int, plugins: Sequence[str] = (), user_files: Sequence[UserFile] = (), *, turn: int | None = None
    ) -> None:
        close_to_others()
        adopt_orphans()
        self.width = 8 * jobs
        self._queues: list[SimpleQueue[_Call | None]] = [SimpleQueue() for _ in range(1 if turn is None else jobs)]
        self._share_of: dict[str | None, int] = {}
        self._workers = [KeptWorker(plugins, user_files, turn) for _ in range(jobs)]
        self._looks_ahead = turn is not None
        served = zip(self._workers, cycle(self._queues))
        self._threads = [Thread(target=self._serve, args=each, daemon=True) for each in served]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., T], *args: Any, timeout: float | None = None, of: str | None = None) -> Future[T]:
        promised: Future[T] = Future()
        share = self._share_of.setdefault(of, len(self._share_of) % len(self._queues))
        self._queues[share].put(_Call(request_of(timeout, function, args), timeout, promised))
        return promised

    def stop(self) -> None:
        for queue in self._queues:
            with suppress(Empty):
                while True:
                    call = queue.get_nowait()
                    if call is not None:
                        call.promised.cancel()
        for worker in self._workers:
            worker.stop()

    def stop_runs(self) -> None:
        """Have the workers stop the runs that are under way and live on; see `KeptWorker.stop_run`."""
        for worker in self._workers:
            worker.stop_run()

    def close(self) -> None:
        """Wait for all calls, then let the workers end."""
        for _, queue in zip(self._threads, cycle(self._queues)):
            queue.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self, worker: KeptWorker, queue: SimpleQueue[_Call | None]) -> None:
        """Hand one call after the other to a worker."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a new keeper inherits this, until it can ignore Ctrl-C
        call = _next_call(queue, wait=True)
        while call is not None:
            following = _next_call(queue, wait=False) if self._looks_ahead else None
            try:
                value = _carry_out(call, worker, following)
            except BaseException as error:
                call.promised.set_exception(error)
            else:
                call.promised.set_result(value)
            call = following or _next_call(queue, wait=True)
        worker.dismiss()


def _next_call(queue: SimpleQueue[_Call | None], *, wait: bool) -> _Call | None:
    """The next call that is not cancelled, and from now on cannot be; None at the end, or if there is none and nobody waits."""
    with suppress(Empty):
        while (call := queue.get(block=wait)) is not None:
            if call.promised.set_running_or_notify_cancel():
                return call
        if not wait:
            queue.put(None)  # for whoever waits
    return None


def _carry_out(call: _Call, worker: KeptWorker, following: _Call | None) -> Any:
    """The value of a call; raises what the call raised, or `Lost`. A call whose worker died is made once more."""
    ahead = following and following.request
    try:
        word, value = worker.call(call.request, call.timeout, ahead)
    except Lost as lost:
        if lost.status is not Status.CRASH or worker.stopped:
            raise
        word, value = worker.call(call.request, call.timeout, ahead)
    try:
        result = pickle.loads(value)  # noqa: S301 - our own worker wrote it
    except Exception as error:
        raise Lost(Status.CRASH, f"the result could not be read: {error}") from None
    if word is Word.RAISED:
        raise result
    return result


@contextmanager
def local(
    jobs: int = 1, plugins: Sequence[str] = (), user_files: Sequence[UserFile] = (), *, one_timed: bool = False
) -> Iterator[Local]:
    """An executor on this machine for `jobs` calls at once; each worker loads the puzzles of one's own in `user_files` first.

    If the context is left by an exception, the calls that are under way are stopped.

    Args:
        one_timed: whether the workers take turns at runs that are timed. What else they do goes on beside such a run.
    """
    with TemporaryFile() if one_timed else nullcontext() as turn:
        workers = Local(jobs, plugins, user_files, turn=turn and turn.fileno())
        try:
            yield workers
        except BaseException:
            workers.stop()
            raise
        finally:
            workers.close()
