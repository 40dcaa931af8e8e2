"""Calls on a Dask cluster. Each of its workers keeps one warm worker process of ours, and runs one call after the other.

A Dask worker runs its tasks in threads, and our worker must have a single thread. So a task hands its call on to a
`compare.work.pool.executors.Local` of its process. Where a Dask worker is lost, the scheduler sends its tasks to another one; each
promise is still kept once.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock
from typing import Any, TypeVar

from compare.isolate.outcome import Status
from compare.work.pool.executors import Executor, Local, Lost, local
from compare.work.pool.remote import perform_pickled
from compare.work.pool.sent_programs import PackedPrograms, packed_programs, put_in_place
from puzzles.extras import not_installed
from puzzles.text import UserError
from puzzles.user.user_file import UserFile

T = TypeVar("T")

_CONNECT_S, _CLOSE_S = 10, 2

_LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")


class Cluster:
    """An executor over a Dask client.

    Attributes:
        address: of the scheduler.
    """

    def __init__(self, client: Any, address: str, plugins: tuple[str, ...], user_files: tuple[UserFile, ...]) -> None:
        self.client = client
        self.address = address
        self.plugins = plugins
        self.user_files = user_files
        self.programs = packed_programs()
        self.pending: dict[Any, Future[Any]] = {}
        self.width = 4 * max(1, sum(client.ncores().values()))
        self._stopped = False

    @property
    def connected(self) -> bool:
        return self.client.status == "running"

    def submit(self, function: Callable[..., T], *args: Any, timeout: float | None = None, of: str | None = None) -> Future[T]:
        """See `Executor.submit`. If the scheduler is lost, here or later, the error is a `UserError`."""
        if not self.connected:
            raise self._lost()
        promised: Future[T] = Future()
        call = pickle.dumps((self.plugins, self.user_files, self.programs, timeout, pickle.dumps((function, args))))
        sent = self.client.submit(perform_pickled, call, pure=False)
        self.pending[sent] = promised
        sent.add_done_callback(self._settle)
        return promised

    def stop(self) -> None:
        self._stopped = True
        if self.connected:
            self.client.cancel(list(self.pending))

    def _lost(self) -> UserError:
        return UserError(f"--scheduler {self.address}: the scheduler is gone; what has ended before is kept")

    def _settle(self, sent: Any) -> None:
        """Set a future's result, and let the cluster forget it. Only a lost scheduler cancels futures that we have not."""
        from distributed import KilledWorker

        promised = self.pending.pop(sent)
        if sent.cancelled() or not self.connected:
            if self._stopped:
                promised.cancel()
            else:
                promised.set_exception(self._lost())
            return
        try:
            promised.set_result(pickle.loads(sent.result()))  # noqa: S301 - a worker of ours wrote it
        except KilledWorker as error:
            promised.set_exception(Lost(Status.CRASH, f"too many workers of the cluster died with it: {error}"))
        except BaseException as error:
            if sent.cancelled():
                promised.set_exception(self._lost())
            else:
                promised.set_exception(error)


@contextmanager
def dask(scheduler: str, plugins: tuple[str, ...] = (), user_files: tuple[UserFile, ...] = ()) -> Iterator[Executor]:
    """An executor on the Dask cluster whose scheduler has this address, for example `tcp://host:8786`.

    Raises:
        UserError: Dask is not installed, nobody answers at the address, the cluster has no worker, or its scheduler is lost.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError(not_installed([str(error.name)])) from None
    for name in _LOGGERS:  # what matters to the user, the cluster says by its answers
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(f"--scheduler {scheduler}: {error}") from None
    try:
        try:
            client.wait_for_workers(1, timeout=_CONNECT_S)
        except TimeoutError:
            raise UserError(f"--scheduler {scheduler}: the cluster has no worker") from None
        chosen = Cluster(client, scheduler, plugins, user_files)
        try:
            yield chosen
        finally:
            chosen.stop()
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CLOSE_S)


_guard = Lock()
_locals: dict[tuple[tuple[str, ...], tuple[UserFile, ...]], Executor] = {}
_open = ExitStack()


def hand_on(
    plugins: tuple[str, ...],
    user_files: tuple[UserFile, ...],
    programs: PackedPrograms | None,
    timeout: float | None,
    request: bytes,
) -> bytes:
    """Run a pickled call in the warm worker of this Dask worker's process; the first call starts that worker.

    Only that worker loads puzzles of one's own, so the call and its result pass through here as bytes. Programs that were compiled
    for the comparison are put where the call expects them.
    """
    loads = plugins, user_files
    with _guard:
        if programs is not None:
            put_in_place(programs)
        if loads not in _locals:
            multiprocessing.current_process().daemon = False  # Dask's own are daemons; a daemon may have no child
            _locals[loads] = _open.enter_context(local(1, plugins, user_files))
            atexit.register(_close)
        chosen = _locals[loads]
    return chosen.submit(_carry_out_pickled, request, timeout=timeout).result()


def _carry_out_pickled(request: bytes) -> bytes:
    function, args = pickle.loads(request)  # noqa: S301 - our own client wrote it
    return pickle.dumps(function(*args), protocol=5)


def _close() -> None:
    for each in _locals.values():
        if isinstance(each, Local):
            each.stop()
    _open.close()
