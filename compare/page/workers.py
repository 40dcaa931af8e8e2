"""The workers behind the page: threads of the server, at most one a core; all solving is in their children.

A call that nobody waits for any more is stopped. If it waits for a worker, it is dropped. If it is under way, the children that it
has at work are killed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any, Concatenate, TypeVar

import puzzles
from compare.work.contenders import Contender
from compare.work.pool import Local, Pool, local

T = TypeVar("T")

MAX_WORKERS = 4
"""Workers on a machine of many cores."""

_AGAIN_S = 0.5
"""Seconds after which a call that does not stop is asked again."""


class PageWorker:
    """A thread with children of its own.

    Attributes:
        executor: carries out one call at a time.
        known: the contenders that it has warmed up or solved with.
        call: the one that it carries out, or carried out last; None before the first.
    """

    def __init__(self, executor: Local) -> None:
        self.executor = executor
        self.known: set[Contender] = set()
        self.call: Future[Any] | None = None


class Workers:
    """The workers, and who waits for one. All of it belongs to the event loop.

    Attributes:
        warming: whether some contender is still to be warmed up.
    """

    def __init__(self, executors: Sequence[Local]) -> None:
        self._all = [PageWorker(each) for each in executors]
        self._idle = list(self._all)
        self._free = asyncio.Semaphore(len(self._all))
        self._tasks: set[asyncio.Task[None]] = set()
        self.warming = True

    async def call(self, function: Callable[Concatenate[Pool, ...], T], *args: Any, contender: Contender | None = None) -> T:
        """What `function(pool, *args)` returns, called by a worker that knows the contender if such a one is idle.

        If this task is cancelled, the children that the call has at work are killed.
        """
        async with self.held(contender) as worker:
            worker.call = worker.executor.submit(function, *args)
            return await asyncio.wrap_future(worker.call)

    @asynccontextmanager
    async def held(self, contender: Contender | None = None) -> AsyncIterator[PageWorker]:
        """A worker that nobody else uses within; it is given back when its call has ended, even after this task is cancelled."""
        await self._free.acquire()
        worker = max(self._idle, key=lambda each: (contender in each.known, -len(each.known)))
        self._idle.remove(worker)
        if contender is not None:
            worker.known.add(contender)
        try:
            yield worker
        finally:
            if worker.call is None or worker.call.done():
                self._give_back(worker)
            else:
                self.in_background(self._settle(worker, worker.call))

    def _give_back(self, worker: PageWorker) -> None:
        self._idle.append(worker)
        self._free.release()

    async def _settle(self, worker: PageWorker, call: Future[Any]) -> None:
        """Stop the call that a worker still carries out, then give the worker back."""
        try:
            while not call.done():
                worker.executor.pool.stop_calls()
                with suppress(Exception):
                    await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(call)), _AGAIN_S)
        finally:
            self._give_back(worker)

    def warm(self, rehearse: Callable[[Pool, Contender], None], contenders: Sequence[Contender]) -> None:
        """Begin to warm the workers up, each with its share of the contenders; calls that come meanwhile wait for one of them."""

        async def one(worker: PageWorker, share: Sequence[Contender]) -> None:
            for contender in share:
                worker.known.add(contender)
                with suppress(Exception):  # what fails here fails in a solve too, and is shown there
                    await asyncio.wrap_future(worker.executor.submit(rehearse, contender))

        async def everyone() -> None:
            await asyncio.gather(*(one(worker, contenders[k :: len(self._all)]) for k, worker in enumerate(self._all)))
            self.warming = False

        self.in_background(everyone())

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """A task that goes on even if whoever started it is cancelled."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def started(stack: ExitStack) -> list[Local]:
    """An executor for each core, whose children load the puzzles of one's own; the stack ends them."""
    user_files = tuple(puzzles.user_files().values())
    count = min(MAX_WORKERS, os.cpu_count() or 1)
    executors: list[Local] = []
    for _ in range(count):
        executors.append(stack.enter_context(local(1, (), user_files)))
        stack.callback(executors[-1].stop)  # before it is closed: nobody waits for a call any more
    return executors
