"""The application behind the page: which request gets what. See docs/page.md for what the page does with it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

import puzzles
from compare.campaign.header import versions
from compare.page import sessions
from compare.page.answers import CANCELLED, Asked, answers, formula_command, rehearsed
from compare.page.bounds import LARGEST, MAX_BODY, SOLVE, RefusedRequest, Requested, named
from compare.page.catalogue import described
from compare.page.gate import TooMuchSent
from compare.page.growth_race import GrowthRace, race_lines
from compare.page.questions import formula, reply
from compare.page.reading import apart, boards_in, picture_of, random_board, size_of_one
from compare.page.workers import Workers, started
from compare.work.compiling import COMPILING_S, uncompiled
from compare.work.contenders import Contender, backends, programs
from puzzles.backend import SIDES
from puzzles.text import UserError

STATIC = Path(__file__).parent / "static"

_TYPES = {".css": "text/css", ".js": "text/javascript", ".html": "text/html"}
"""Of the files in `static/`."""

MAX_SEED = 2**31


class Page:
    """The routes of the page, and what they share.

    Args:
        definitions: the NAME=COMMAND of each program of one's own.

    Attributes:
        programs: by the names of the puzzles that it offers, in order, the programs of one's own, by name.
        token: what `index.html` is given.
        command: what starts this server again, as one types it in a shell.
    """

    def __init__(self, names: Sequence[str], definitions: Sequence[str], token: str, command: str) -> None:
        self.token, self.command = token, command
        self._definitions = {each.partition("=")[0]: each for each in definitions}
        self.programs = {name: {each.name: each for each in programs(puzzles.get(name), definitions, [])} for name in names}
        self._files = _static_files()
        self.sessions = sessions.Sessions()
        self._catalogue: asyncio.Future[dict[str, list[dict[str, Any]]]] | None = None
        self._compiling: list[str] = []

    @asynccontextmanager
    async def lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """The workers live as long as the server."""
        del application
        with ExitStack() as stack:
            self.workers = Workers(started(stack))
            self._catalogue = asyncio.ensure_future(self._described())
            try:
                yield
            finally:
                self._catalogue.cancel()

    def _defaults(self) -> list[Contender]:
        """The first backend of each side of each puzzle."""
        defaults: list[Contender] = []
        for name in self.programs:
            firsts = {each.side: each.label for each in reversed(backends(name))}
            defaults += named(puzzles.get(name), [firsts[side] for side in SIDES if side in firsts]).values()
        return defaults

    async def _described(self) -> dict[str, list[dict[str, Any]]]:
        """What the page says of each puzzle, and of one that cannot be shown the reason."""

        async def entry(name: str) -> dict[str, Any]:
            try:
                return await self.workers.call(described, name, list(self.programs[name].values()))
            except UserError as error:
                return {"name": name, "fault": str(error)}

        try:
            entries = await asyncio.gather(*map(entry, self.programs))
        finally:
            defaults = self._defaults()
            self._compiling = list(uncompiled(defaults))
            self.workers.warm(rehearsed, defaults)
        return {
            "puzzles": [each for each in entries if "fault" not in each],
            "unusable": [each for each in entries if "fault" in each],
        }

    async def index(self, request: HttpRequest) -> Response:
        text = self._files["index.html"][0].decode()
        return HTMLResponse(text.replace("{{token}}", self.token))

    async def static(self, request: HttpRequest) -> Response:
        """A file of the page, from memory: a browser asks for all of them at once."""
        file = self._files.get(request.path_params["name"])
        if file is None:
            return await _no_such_page(request, HTTPException(404))
        content, kind = file
        return Response(content, media_type=kind)

    async def puzzles(self, request: HttpRequest) -> Response:
        assert self._catalogue is not None
        catalogue = await asyncio.shield(self._catalogue)
        about = {
            "version": versions()["twofold"] or "not installed",
            "cores": os.cpu_count() or 1,
            "warming": self.workers.warming,
            "preparing": _preparing(self._compiling) if self.workers.warming else "",
            "command": self.command,
        }
        return JSONResponse({**catalogue, **about})

    async def read(self, asked: Requested) -> Response:
        return JSONResponse({"boards": await self.workers.call(apart, boards_in, asked.puzzle.name, asked.text)})

    async def random(self, asked: Requested) -> Response:
        puzzle, family = asked.puzzle, asked.word("family")
        seed, size = asked.number("seed", 0, MAX_SEED), asked.number("size", 1, LARGEST)
        return JSONResponse(await self.workers.call(apart, random_board, puzzle.name, family, size, seed))

    async def solve(self, asked: Requested) -> Response:
        wanted = Asked(asked.puzzle, asked.text, asked.contenders, asked.format, asked.given, self._definitions)
        try:
            session = self.sessions.at_edition(asked.session, asked.edition)
            with session.begun(sessions.SOLVING, asked.edition) as newer:  # read first: a mistake in it has a status of its own
                await sessions.unless(newer, self.workers.call(apart, size_of_one, wanted.puzzle.name, wanted.text))
        except sessions.Superseded:
            return _lines(_only(CANCELLED))

        async def lines() -> AsyncIterator[dict[str, Any]]:
            with session.begun(sessions.SOLVING, asked.edition) as newer:
                async for line in answers(self.workers, wanted, newer):
                    yield line

        return _lines(lines())

    async def ask(self, asked: Requested) -> Response:
        name, text, request, value = asked.puzzle.name, asked.text, asked.word("request"), asked.word("value")
        session = self.sessions.at_edition(asked.session, asked.edition)
        with session.begun(sessions.ASKING) as newer:
            if not request:
                svg = await sessions.unless(newer, self.workers.call(apart, picture_of, name, text))
                return JSONResponse({"text": "", "svg": svg, "fields": {}})
            contender = asked.contender
            question = self.workers.call(reply, contender, text, request, value, contender=contender)
            return JSONResponse(await sessions.unless(newer, question))

    async def formula(self, asked: Requested) -> Response:
        puzzle, contender = asked.puzzle, asked.contender
        stated = await self.workers.call(formula, contender, asked.text, contender=contender)
        return JSONResponse({**stated, "command": formula_command(puzzle, contender)})

    async def growth(self, asked: Requested) -> Response:
        puzzle, family, user_files = asked.puzzle, asked.word("family"), tuple(puzzles.user_files().values())
        puzzle.family(family)
        largest, seconds = asked.number("largest", 1, LARGEST), asked.seconds("seconds", SOLVE.seconds)
        race = GrowthRace(user_files, puzzle.name, family, asked.contenders, largest, seconds)
        session = self.sessions.of(asked.session)

        async def lines() -> AsyncIterator[dict[str, Any]]:
            with session.begun(sessions.RACING) as newer:
                async for line in race_lines(self.workers, race, newer):
                    yield line

        return _lines(lines())

    async def stop(self, asked: Requested) -> Response:
        self.sessions.of(asked.session).cancel(sessions.SOLVING, sessions.ASKING, sessions.RACING)
        return JSONResponse({})

    def application(self) -> Starlette:
        def api(handler: Callable[[Requested], Awaitable[Response]]) -> Callable[[HttpRequest], Awaitable[Response]]:
            async def handle(request: HttpRequest) -> Response:
                return await handler(Requested(await _json(request), self.programs))

            return handle

        routes = [
            Route("/", self.index),
            Route("/static/{name:path}", self.static),
            Route("/api/puzzles", self.puzzles),
            *(
                Route(f"/api/{handler.__name__}", api(handler), methods=["POST"])
                for handler in (self.read, self.random, self.solve, self.ask, self.formula, self.growth, self.stop)
            ),
        ]
        handlers = {
            Exception: _unexpected,
            UserError: _refused,
            sessions.Superseded: _superseded,
            TooMuchSent: _too_much,
            404: _no_such_page,
            405: _no_such_page,
        }
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self.lifespan)  # pyright: ignore[reportArgumentType]


def _preparing(compiling: list[str]) -> str:
    """What the page says while the workers warm up; empty if there is nothing to compile."""
    if not compiling:
        return ""
    seconds = sum(COMPILING_S.get(name, 0) for name in compiling)
    what = f"the algorithms of {', '.join(compiling)}"
    return f"First start: compiling {what}. This happens once on this machine and takes {seconds} to {3 * seconds} seconds."


def _static_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by their paths in `static/`: the content, and the type for the browser."""
    paths = [path for path in STATIC.rglob("*") if path.suffix in _TYPES]
    return {path.relative_to(STATIC).as_posix(): (path.read_bytes(), _TYPES[path.suffix]) for path in paths}


async def _json(request: HttpRequest) -> Any:
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise RefusedRequest(f"the request is no JSON: {error}"[:200]) from None


def _lines(lines: AsyncIterator[Mapping[str, Any]]) -> Response:
    async def encoded() -> AsyncIterator[bytes]:
        async for line in lines:
            yield json.dumps(line).encode() + b"\n"

    return StreamingResponse(encoded(), media_type="application/x-ndjson")


async def _only(line: Mapping[str, Any]) -> AsyncIterator[Mapping[str, Any]]:
    yield line


async def _refused(request: HttpRequest, error: Exception) -> Response:
    where = {"place": error.place, "cell": error.cell} if isinstance(error, RefusedRequest) else {}
    return JSONResponse({"error": str(error), **where}, 400)


async def _superseded(request: HttpRequest, error: Exception) -> Response:
    return JSONResponse({"error": "a newer board or question came"}, 409)


async def _too_much(request: HttpRequest, error: Exception) -> Response:
    return JSONResponse({"error": f"a request has at most {MAX_BODY:,} bytes: send a smaller board"}, 413)


async def _no_such_page(request: HttpRequest, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse({"error": f"there is nothing at {request.method} {request.url.path}"[:200]}, status)


async def _unexpected(request: HttpRequest, error: Exception) -> Response:
    return JSONResponse({"error": f"the server failed: {type(error).__name__}: {error}"[:500]}, 500)
