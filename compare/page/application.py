"""The application behind the page: which request gets what. See docs/page.md for what the page does with it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from functools import partial
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
from compare.page.answers import CANCELLED, BoardQuestion, answers, formula_command, rehearsed
from compare.page.bounds import (
    MAX_BODY,
    AskRequest,
    FormulaRequest,
    GrowthRequest,
    RandomRequest,
    ReadRequest,
    RefusedRequest,
    RequestT,
    SolveRequest,
    StopRequest,
    named,
    request_in,
)
from compare.page.catalogue import described
from compare.page.gate import Gate
from compare.page.growth_race import GrowthRace, race_lines
from compare.page.questions import formula, reply
from compare.page.reading import apart, boards_in, picture_of, random_board, the_one
from compare.page.workers import Workers, started
from compare.work.compiling import COMPILING_S, uncompiled
from compare.work.contenders import Contender, backends, programs
from puzzles.backend import SIDES
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, shown

STATIC = Path(__file__).parent / "static"

_TYPES = {".css": "text/css", ".js": "text/javascript", ".html": "text/html"}
"""Of the files in `static/`."""

_LINES = "application/x-ndjson"


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
        name = request.path_params["name"]
        if name not in self._files:
            raise HTTPException(404)
        content, kind = self._files[name]
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

    def _contenders(self, puzzle: Puzzle, names: Sequence[str]) -> dict[str, Contender]:
        """Backends and programs of one's own, by what the page calls them."""
        programs = self.programs[puzzle.name]
        backends = named(puzzle, list(dict.fromkeys(name for name in names if name not in programs)))
        return {name: programs[name] if name in programs else backends[name] for name in names}

    async def read(self, puzzle: Puzzle, wanted: ReadRequest) -> Response:
        return JSONResponse({"boards": await self.workers.call(apart, boards_in, puzzle.name, wanted.text)})

    async def random(self, puzzle: Puzzle, wanted: RandomRequest) -> Response:
        return JSONResponse(await self.workers.call(apart, random_board, puzzle.name, wanted.family, wanted.size, wanted.seed))

    async def solve(self, puzzle: Puzzle, wanted: SolveRequest) -> Response:
        contenders, edition = self._contenders(puzzle, wanted.contenders), wanted.edition
        format = puzzle.format(wanted.format) if wanted.format else None
        given = {wanted.giver: wanted.given} if wanted.giver else {}
        try:
            session = self.sessions.at_edition(wanted.session, edition)
            with session.begun(sessions.SOLVING, edition) as newer:  # read first: a mistake in it has a status of its own
                instance = await sessions.unless(newer, self.workers.call(apart, the_one, puzzle.name, wanted.text))
        except sessions.Superseded:
            return Response(json.dumps(CANCELLED) + "\n", media_type=_LINES)
        question = BoardQuestion(puzzle, instance, contenders, format, given, self._definitions)
        return _lines(session.begun(sessions.SOLVING, edition), partial(answers, self.workers, question))

    async def ask(self, puzzle: Puzzle, wanted: AskRequest) -> Response:
        session = self.sessions.at_edition(wanted.session, wanted.edition)
        with session.begun(sessions.ASKING) as newer:
            if not wanted.request:
                svg = await sessions.unless(newer, self.workers.call(apart, picture_of, puzzle.name, wanted.text))
                return JSONResponse({"text": "", "svg": svg, "fields": {}})
            (contender,) = named(puzzle, [wanted.contender]).values()
            question = self.workers.call(reply, contender, wanted.text, wanted.request, wanted.value, contender=contender)
            return JSONResponse(await sessions.unless(newer, question))

    async def formula(self, puzzle: Puzzle, wanted: FormulaRequest) -> Response:
        (contender,) = named(puzzle, [wanted.contender]).values()
        stated = await self.workers.call(formula, contender, wanted.text, contender=contender)
        return JSONResponse({**stated, "command": formula_command(puzzle, contender)})

    async def growth(self, puzzle: Puzzle, wanted: GrowthRequest) -> Response:
        puzzle.family(wanted.family)
        contenders, user_files = self._contenders(puzzle, wanted.contenders), tuple(puzzles.user_files().values())
        race = GrowthRace(user_files, puzzle.name, wanted.family, contenders, wanted.largest, wanted.seconds)
        return _lines(self.sessions.of(wanted.session).begun(sessions.RACING), partial(race_lines, self.workers, race))

    async def stop(self, request: HttpRequest) -> Response:
        session = request_in(await _body(request), StopRequest).session
        self.sessions.of(session).cancel()
        return JSONResponse({})

    def application(self, port: int) -> Gate:
        """All of it, behind the gate; `port` is where it listens."""

        def post(handler: Callable[[Puzzle, RequestT], Awaitable[Response]], kind: type[RequestT]) -> Route:
            async def handle(request: HttpRequest) -> Response:
                wanted = request_in(await _body(request), kind)
                if wanted.puzzle not in self.programs:
                    raise RefusedRequest(f"unknown puzzle {shown(wanted.puzzle)}: choose from {', '.join(self.programs)}")
                return await handler(puzzles.get(wanted.puzzle), wanted)

            return Route(f"/api/{handler.__name__}", handle, methods=["POST"])

        routes = [
            Route("/", self.index),
            Route("/static/{name:path}", self.static),
            Route("/api/puzzles", self.puzzles),
            post(self.read, ReadRequest),
            post(self.random, RandomRequest),
            post(self.solve, SolveRequest),
            post(self.ask, AskRequest),
            post(self.formula, FormulaRequest),
            post(self.growth, GrowthRequest),
            Route("/api/stop", self.stop, methods=["POST"]),
        ]
        handlers = {
            Exception: _unexpected,
            UserError: _refused,
            sessions.Superseded: _superseded,
            413: _too_much,
            404: _no_such_page,
            405: _no_such_page,
        }
        inner = Starlette(routes=routes, exception_handlers=handlers, lifespan=self.lifespan)  # pyright: ignore[reportArgumentType]
        return Gate(inner, port, self.token)


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


async def _body(request: HttpRequest) -> bytes:
    """The body of a request; one that is too long is refused before the rest of it comes."""
    body, length = b"", int(request.headers.get("content-length", 0))
    if length <= MAX_BODY:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                break
    if max(length, len(body)) > MAX_BODY:
        raise HTTPException(413)
    return body


def _lines(begun: AbstractContextManager[Any], lines: Callable[[asyncio.Event], AsyncIterator[Mapping[str, Any]]]) -> Response:
    """Values as lines of JSON, until the event of what is begun cancels them."""

    async def encoded() -> AsyncIterator[bytes]:
        with begun as cancelled:
            async for line in lines(cancelled):
                yield json.dumps(line).encode() + b"\n"

    return StreamingResponse(encoded(), media_type=_LINES)


async def _refused(request: HttpRequest, error: Exception) -> Response:
    where = {"place": error.place, "cell": error.cell} if isinstance(error, RefusedRequest) else {}
    return JSONResponse({"error": str(error), **where}, 400)


async def _superseded(request: HttpRequest, error: Exception) -> Response:
    return JSONResponse({"error": "a newer board or question came"}, 409)


async def _too_much(request: HttpRequest, error: Exception) -> Response:
    return JSONResponse({"error": f"a request has at most {MAX_BODY:,} bytes: send a smaller board"}, 413, {"Connection": "close"})


async def _no_such_page(request: HttpRequest, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse({"error": f"there is nothing at {request.method} {request.url.path}"[:200]}, status)


async def _unexpected(request: HttpRequest, error: Exception) -> Response:
    return JSONResponse({"error": f"the server failed: {type(error).__name__}: {error}"[:500]}, 500)
