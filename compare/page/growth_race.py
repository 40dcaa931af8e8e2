"""A race on growing boards as the server sees it: a process that prints lines of JSON until it ends or is ended."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from compare.isolate.processes import kill_descendants
from compare.page.answers import CANCELLED
from compare.page.growth_process import GrowthRace
from compare.page.workers import Workers

_CODE = "import sys; sys.path[:] = sys.argv[1:]; from compare.page.growth_process import main; main()"

_END_S = 5.0
"""Seconds that the process may take to end once it is asked to."""


async def race_lines(workers: Workers, race: GrowthRace, cancelled: asyncio.Event) -> AsyncIterator[dict[str, Any]]:
    """The lines of the race; the last one is `CANCELLED` once the event is set. The race ends when nobody reads on."""
    lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    running = workers.in_background(_carried_out(workers, race, lines))
    stop = asyncio.ensure_future(cancelled.wait())
    following: asyncio.Future[Any] | None = None
    try:
        while True:
            following = asyncio.ensure_future(lines.get())
            await asyncio.wait({following, stop}, return_when=asyncio.FIRST_COMPLETED)
            if cancelled.is_set():
                yield CANCELLED
                return
            line = following.result()
            if line is None:
                return
            yield line
    finally:
        running.cancel()
        stop.cancel()
        if following is not None:
            following.cancel()


async def _carried_out(workers: Workers, race: GrowthRace, lines: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Run the process and pass its lines on. It counts as one of the workers, so that no core has two solves."""
    try:
        async with workers.held():
            places = [place or str(Path.cwd()) for place in sys.path]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _CODE, *places, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=2**20
            )
            try:
                await _read(process, race, lines)
            finally:
                await _ended(process)
    finally:
        lines.put_nowait(None)


async def _read(process: Process, race: GrowthRace, lines: asyncio.Queue[dict[str, Any] | None]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(pickle.dumps(race))
        await process.stdin.drain()
        process.stdin.close()
    last = ""
    async for line in process.stdout:
        value = json.loads(line)
        last = value["type"]
        lines.put_nowait(value)
    if last != "end":
        lines.put_nowait({"type": "end", "lines": ["the race broke off: its process ended"]})


async def _ended(process: Process) -> None:
    """End the process, and all that it has started."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _END_S)
    except TimeoutError:
        kill_descendants(process.pid)
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
