"""The way of a call: from the event loop to a worker, a thread of the server, and from there to a
child, where all is solved.

There is at most one worker a core, and one more that only reads and draws boards while all others
are at work: so a tab that comes then shows its board, its clock and "Stop" at once. The tabs take
turns. A call that
nobody waits for any more is stopped. If it waits for a worker, it is dropped. If it is under way,
the children that it has at work are killed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import Any, Concatenate, TypeVar

from compare.commands.page.bounds import READ, SOLVE, RefusedRequest
from compare.commands.page.turns import Turns
from compare.engine.isolate.outcome import Status
from compare.engine.isolate.serving import ends_with
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.pool import Local, Pool, local
from models.solvers.sat_solver import NoVerdict, SolverFailure
from puzzles.backend import Unsupported
from puzzles.text import InputError, UserError

T = TypeVar("T")

MAX_WORKERS = 4
"""Workers on a machine of many cores."""

_AGAIN_S = 0.5
"""Seconds after which a call that does not stop is asked again."""

_ENDINGS = {
    Unsupported: Status.SKIPPED,
    NoVerdict: Status.UNKNOWN,
    SolverFailure: Status.ERROR,
    UserError: Status.ERROR,
}


def in_judge(pool: Pool, function: Callable[..., Any], *args: Any) -> Any:
    """What `function(*args)` returns in a judge; raises `RefusedRequest` if it does not end well.

    A puzzle's own code runs there, since it is trusted as its check is, and since that child stands
    ready.
    """
    with pool.judge() as judge:
        outcome = judge.call(_or_refusal, function, args, limits=READ)
    if isinstance(outcome.value, RefusedRequest):
        raise outcome.value
    if outcome.ok:
        return outcome.value
    ended = {Status.TIMEOUT: "takes too long", Status.MEMORY: "takes too much memory"}.get(
        outcome.status, "does not work"
    )
    raise RefusedRequest(f"the puzzle's own code {ended} here: {outcome.detail}")


def _or_refusal(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the function returns, or a mistake of the user, as a value: only values come back from
    where this runs.
    """
    try:
        return function(*args)
    except RefusedRequest as refusal:
        return refusal
    except InputError as error:
        place = error.line, error.column
        return RefusedRequest(f"line {error.line}, column {error.column}: {error.message}", place)
    except UserError as error:
        return RefusedRequest(str(error))


@ends_with(_ENDINGS)
def _or_ended(function: Callable[..., str], *args: Any) -> str:
    return function(*args)


def in_solver(
    pool: Pool, function: Callable[..., str], contender: BackendContender, *args: Any
) -> dict[str, Any]:
    """The JSON that `function(contender, *args)` returns in a solver; raises `RefusedRequest` if it
    does not end well.
    """
    with pool.solver(contender) as solver:
        outcome = solver.call(_or_ended, function, contender, *args, limits=SOLVE)
    if outcome.ok:
        return json.loads(outcome.value)
    if outcome.status in _ENDINGS.values():
        raise RefusedRequest(outcome.detail)
    raise RefusedRequest(f"{contender.name} gave no reply: {outcome.status}, {outcome.detail}")


class Workers:
    """The workers, and who waits for one. All of it belongs to the event loop.

    Attributes:
        warming: whether some contender is still to be warmed up.
        turns: of the tabs.
    """

    def __init__(self, stack: ExitStack, plugins: Sequence[str]) -> None:
        """The children of each worker load the user's puzzles, and those of a plugin's backend the
        plugins; the stack ends all of them.
        """
        self._known: dict[
            Local, set[Contender]
        ] = {}  # what each worker has warmed up or solved with
        for _ in range(1 + min(MAX_WORKERS, os.cpu_count() or 1)):
            worker = stack.enter_context(local(1, plugins))
            stack.callback(worker.stop)  # before it is closed: nobody waits for a call any more
            self._known[worker] = set()
        self._reader, *self._idle = self._known
        self.turns = Turns(len(self._idle))
        self._reading = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.warming = True

    async def call(
        self,
        function: Callable[Concatenate[Pool, ...], T],
        *args: Any,
        contender: Contender | None = None,
        tab: str = "",
    ) -> T:
        """What `function(pool, *args)` returns, called by a worker that knows the contender if such
        a one is idle.

        If this task is cancelled, the children that the call has at work are killed.

        Args:
            tab: for which tab this is.
        """
        if contender is None and not self.turns.free:
            async with self._reading:
                return await self._read(function, *args)
        await self.turns.wait(tab)
        worker = max(
            self._idle, key=lambda each: (contender in self._known[each], -len(self._known[each]))
        )
        self._idle.remove(worker)
        if contender is not None:
            self._known[worker].add(contender)
        call = worker.submit(function, *args)
        try:
            return await asyncio.wrap_future(call)
        finally:
            if call.done():
                self._give_back(worker, tab)
            else:
                self._in_background(self._settle(worker, tab, call))

    async def _read(self, function: Callable[Concatenate[Pool, ...], T], *args: Any) -> T:
        """What `function(pool, *args)` returns, called by the worker that reads."""
        call = self._reader.submit(function, *args)
        try:
            return await asyncio.wrap_future(call)
        finally:
            if not call.done():
                self._reader.pool.stop_calls()

    def _give_back(self, worker: Local, tab: str) -> None:
        self._idle.append(worker)
        self.turns.end(tab)

    async def _settle(self, worker: Local, tab: str, call: Future[Any]) -> None:
        """Stop the call that a worker still carries out, then give the worker back."""
        try:
            while not call.done():
                worker.pool.stop_calls()
                with suppress(Exception):
                    await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(call)), _AGAIN_S)
        finally:
            self._give_back(worker, tab)

    def warm(
        self, rehearse: Callable[[Pool, Contender], None], contenders: Sequence[Contender]
    ) -> None:
        """Begin to warm the workers up, each with its share of the contenders; calls that come
        meanwhile wait for one of them.
        """

        async def one(worker: Local, share: Sequence[Contender]) -> None:
            for contender in share:
                self._known[worker].add(contender)
                with suppress(
                    Exception
                ):  # what fails here fails in a solve too, and is shown there
                    await asyncio.wrap_future(worker.submit(rehearse, contender))

        solving = [each for each in self._known if each is not self._reader]

        async def everyone() -> None:
            await asyncio.gather(
                *(one(each, contenders[k :: len(solving)]) for k, each in enumerate(solving))
            )
            self.warming = False

        self._in_background(everyone())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Work that goes on even if whoever started it is cancelled."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
