"""Calls on a Dask cluster. Each of its workers keeps a pool of its own, and makes the calls there
as main would.

Where a Dask worker is lost, the scheduler sends its calls to another one; each promise is still
kept once. What somebody has compiled travels with each call, and a worker keeps it under the same
paths.
"""

from __future__ import annotations

import atexit
import logging
import pickle
import platform
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from shutil import rmtree
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import puzzles
from compare.engine.elsewhere import Place
from compare.engine.elsewhere.remote import perform_pickled
from compare.engine.work.pool import Executor, Lost, Pool
from compare.engine.work.source_programs import folder_of_programs
from puzzles.extras import not_installed
from puzzles.text import UserError
from puzzles.user.user_file import UserFile

P = ParamSpec("P")
T = TypeVar("T")

_CONNECT_S, _CLOSE_S = 10, 2

_LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")


class PackedPrograms(NamedTuple):
    """All that one process has compiled.

    Attributes:
        folder: where everything lies.
        paths: of the files.
        content: the bytes of each file, pickled and compressed.
    """

    folder: Path
    paths: tuple[Path, ...]
    content: bytes


def packed_programs() -> PackedPrograms | None:
    """What this process has compiled; None if that is nothing."""
    folder = folder_of_programs()
    if folder is None:
        return None
    paths = tuple(path for path in sorted(folder.rglob("*")) if path.is_file())
    return PackedPrograms(
        folder, paths, zlib.compress(pickle.dumps([path.read_bytes() for path in paths]))
    )


def put_in_place(programs: PackedPrograms) -> None:
    """Write the files that are not here; this process removes them when it ends.

    On the machine where they were compiled they are there already.

    Raises:
        UserError: a file cannot be written.
    """
    if all(path.exists() for path in programs.paths):
        return
    atexit.register(rmtree, programs.folder, ignore_errors=True)
    try:
        contents = pickle.loads(zlib.decompress(programs.content))  # noqa: S301 (our own client wrote it)
        for path, content in zip(programs.paths, contents, strict=True):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, delete=False) as draft:
                draft.write(content)
            Path(draft.name).chmod(0o700)
            Path(draft.name).replace(path)  # no other process ever sees a part of it
    except OSError as error:
        here = f"the worker on {platform.node()} cannot keep a compiled program: {error}"
        raise UserError(
            f"{here}; let TMPDIR name a folder that can be written on every machine"
        ) from None


class Cluster:
    """An executor over a Dask client.

    Attributes:
        address: of the scheduler.
        needs: what its workers load first: plugins, users' puzzles, compiled programs.
    """

    def __init__(self, client: Any, address: str, plugins: tuple[str, ...]) -> None:
        self.client, self.address = client, address
        self.needs = plugins, tuple(puzzles.user_files().values()), packed_programs()
        self.pending: dict[Any, Future[Any]] = {}
        self.width = 4 * max(1, sum(client.ncores().values()))
        self._stopped = False

    @property
    def connected(self) -> bool:
        return self.client.status == "running"

    def submit(
        self, function: Callable[Concatenate[Pool, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """See `Executor.submit`.

        If the scheduler is lost, here or later, the error is a `UserError`.
        """
        if not self.connected:
            raise self._lost_scheduler()
        promised: Future[T] = Future()
        call = pickle.dumps((*self.needs, pickle.dumps((partial(function, **kwargs), args))))
        sent = self.client.submit(perform_pickled, call, pure=False)
        self.pending[sent] = promised
        sent.add_done_callback(self._settle)
        return promised

    def stop(self) -> None:
        self._stopped = True
        if self.connected:
            self.client.cancel(list(self.pending))

    def _lost_scheduler(self) -> UserError:
        return UserError(
            f"--scheduler {self.address}: the scheduler is gone; what has ended before is kept"
        )

    def _settle(self, sent: Any) -> None:
        """Set a future's result, and let the cluster forget it.

        Only a lost scheduler cancels futures that we have not.
        """
        from distributed import KilledWorker

        promised = self.pending.pop(sent)
        if sent.cancelled() or not self.connected:
            if self._stopped:
                promised.cancel()
            else:
                promised.set_exception(self._lost_scheduler())
            return
        try:
            promised.set_result(pickle.loads(sent.result()))  # noqa: S301 - our own worker wrote it
        except KilledWorker as error:
            promised.set_exception(Lost(f"too many workers of the cluster died with it: {error}"))
        except BaseException as error:
            if sent.cancelled():
                promised.set_exception(self._lost_scheduler())
            else:
                promised.set_exception(error)


@contextmanager
def dask(scheduler: str, plugins: tuple[str, ...] = ()) -> Iterator[Executor]:
    """An executor on the Dask cluster whose scheduler has this address, for example
    `tcp://host:8786`.

    Raises:
        UserError: Dask is not installed, nobody answers at the address, the cluster has no worker,
            or its scheduler is lost.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise UserError(not_installed([str(error.name)])) from None
    for name in _LOGGERS:  # what matters to the user, the cluster says by its answers
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        get_address_host_port(scheduler)  # a client with a wrong address does not end in time
        client = Client(scheduler, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"--scheduler {scheduler}: {error}") from None
    try:
        try:
            client.wait_for_workers(1, timeout=_CONNECT_S)
        except TimeoutError:
            raise UserError(f"--scheduler {scheduler}: the cluster has no worker") from None
        chosen = Cluster(client, scheduler, plugins)
        try:
            yield chosen
        finally:
            chosen.stop()
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CLOSE_S)


PLACE = Place(
    name="Dask cluster",
    option="--scheduler",
    help="make runs on a Dask cluster: its scheduler's address, say tcp://host:8786 (default: on "
    "this machine)",
    executor=dask,
)


@cache
def _pool(plugins: tuple[str, ...], user_files: tuple[UserFile, ...]) -> Pool:
    """The pool of this process, a worker of a cluster, for these plugins and puzzles."""
    for file in user_files:
        puzzles.load(file, silent=True)
    pool = Pool(plugins)
    atexit.register(pool.stop)
    return pool


_guard = Lock()


def perform(
    plugins: tuple[str, ...],
    user_files: tuple[UserFile, ...],
    programs: PackedPrograms | None,
    call: bytes,
) -> bytes:
    """On a Dask worker: what a function returns, pickled. Both ways hold classes of users'
    puzzles.

    Args:
        programs: what was compiled for the comparison; it is put where its calls expect it.
        call: the function and its arguments behind the pool, pickled.
    """
    with _guard:
        if programs is not None:
            put_in_place(programs)
        pool = _pool(plugins, user_files)
    function, args = pickle.loads(call)  # noqa: S301 - our own client wrote it
    return pickle.dumps(function(pool, *args), protocol=5)
