"""The application behind the page: which request gets what.

See docs/page.md for what the page does with it.
"""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    ExitStack,
    aclosing,
    asynccontextmanager,
    suppress,
)
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import puzzles
from compare.commands import commands
from compare.commands.page.answers import (
    BoardQuestion,
    formula_command,
    solve_and_check,
    stream_answers,
)
from compare.commands.page.bounds import (
    MAX_BODY,
    AskRequest,
    FormulaRequest,
    GrowthRequest,
    RandomRequest,
    ReadRequest,
    RefusedRequest,
    RequestT,
    SearchRequest,
    SolveRequest,
    TabRequest,
    backend_named,
    request_in,
)
from compare.commands.page.catalogue import SCRIPTS, describe_puzzle, script_path
from compare.commands.page.gate import Gate
from compare.commands.page.hints import Additions, start_command
from compare.commands.page.questions import (
    boards_in,
    example,
    formula,
    random_board,
    reply,
    the_one,
)
from compare.commands.page.sessions import Sessions, Superseded, tab_of
from compare.commands.page.workers import Workers, in_judge, in_solver
from compare.engine.campaign.header import versions
from compare.engine.campaign.plan import uncompiled_backends
from compare.engine.work.contenders import (
    BackendContender,
    Contender,
    GivenAnswers,
    backends,
    programs,
)
from compare.engine.work.plugins import register_plugins
from compare.engine.work.pool import Pool
from compare.engine.work.source_programs import compile_again
from compare.show.wording import warn
from direct.kernel import compiling_s
from puzzles.backend import SIDE_NAMES
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, exception_text, quote_beginning

STATIC = Path(__file__).parent / "static"

_LINES = "application/x-ndjson"

_CANCELLED = b'{"type": "cancelled"}\n'
"""The last line if a newer board came, or if the user pressed Stop."""


LOOK_S = 0.3
"""Seconds between two looks whether a file of the user was saved."""


class Page:
    """The routes of the page, and what they share.

    Args:
        added: what the user adds to it. Whatever of it is saved again is loaded again.

    Attributes:
        programs: by the names of the puzzles that it offers, in order, the user's programs,
            by name.
        fault: why what was saved last cannot be loaded; empty if it can.
    """

    def __init__(self, added: Additions) -> None:
        self._added, self.fault = added, ""
        self._load()
        self._index = (STATIC / "index.html").read_text(encoding="utf-8")
        self.sessions = Sessions()
        self._catalogue: asyncio.Future[dict[str, list[dict[str, Any]]]] | None = None
        self._preparing = ""
        self._searching = asyncio.Lock()

    @asynccontextmanager
    async def lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """The workers live as long as the server."""
        del application
        async with self.working():
            watch = asyncio.ensure_future(self._watch())
            try:
                yield
            finally:
                watch.cancel()

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Within, there are workers."""
        self._begin()
        try:
            yield
        finally:
            if self._catalogue is not None:
                self._catalogue.cancel()
            self._stack.close()

    def _load(self) -> None:
        """Load what the user adds, as it is now; raises `UserError`."""
        added, names = self._added, [each.name for each in puzzles.loadable()]
        own = [puzzles.find(each) for each in added.puzzles]
        for puzzle in own:
            puzzle.first_family()  # the page begins with an example
        names = list(dict.fromkeys([*names, *(each.name for each in own)]))
        register_plugins(added.plugins)
        self.programs = {
            name: {
                each.name: each
                for each in programs(puzzles.get(name), added.programs, [], extended=added.extended)
            }
            for name in names
        }

    def _begin(self) -> None:
        """Start workers that know what is loaded, and ask them for what the page says of it."""
        self._stack = ExitStack()
        self.workers = Workers(self._stack, self._added.plugins)
        self._catalogue = asyncio.ensure_future(self._described())

    async def _watch(self) -> None:
        """Load again whatever is saved again, once it has stayed the same from look to look."""
        known = before = changes(self._added)
        while True:
            await asyncio.sleep(LOOK_S)
            now = changes(self._added)
            if now == before != known:
                known = now
                await self._reload()
            before = now

    async def _reload(self) -> None:
        """Load what the user adds anew; every page then lists all anew, and asks again. What cannot
        be loaded stays as it was, and the page says why.
        """
        compile_again()
        try:
            self._load()
            self.fault = ""
        except UserError as error:
            self.fault = str(error)
            warn(self.fault)
        self.sessions.end()
        if not self.fault:
            if self._catalogue is not None:
                self._catalogue.cancel()
            old = self._stack
            self._begin()
            await asyncio.to_thread(old.close)
        self._gate.renew()

    async def index(self, request: HttpRequest) -> Response:
        return HTMLResponse(self._index.replace("{{token}}", self._gate.token))

    def _defaults(self) -> list[Contender]:
        """The first backend of each side of each puzzle."""
        firsts = {
            (each.puzzle, each.side): each.label
            for name in self.programs
            for each in reversed(backends(name))
        }
        return [
            backend_named(puzzles.get(name), firsts[name, side])
            for name in self.programs
            for side in SIDE_NAMES
            if (name, side) in firsts
        ]

    async def _described(self) -> dict[str, list[dict[str, Any]]]:
        """What the page says of each puzzle, and of one that cannot be shown the reason."""

        async def entry(name: str) -> dict[str, Any]:
            try:
                programs = list(self.programs[name].values())
                return await self.workers.call(describe_puzzle, name, programs, self._added.solvers)
            except UserError as error:
                return {"name": name, "fault": str(error)}

        try:
            entries = await asyncio.gather(*map(entry, self.programs))
        finally:
            defaults = self._defaults()
            self._preparing = _compiling(list(uncompiled_backends(defaults)))
            self.workers.warm(_rehearse, defaults)
        _choose_programs(entries)
        return {
            "puzzles": [each for each in entries if "fault" not in each],
            "unusable": [each for each in entries if "fault" in each],
        }

    async def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """See `_described`."""
        assert self._catalogue is not None
        return await asyncio.shield(self._catalogue)

    async def puzzles(self, request: HttpRequest) -> Response:
        catalogue = await self.catalogue()
        about = {
            "version": versions()["twofold"] or "not installed",
            "warming": self.workers.warming,
            "preparing": self._preparing if self.workers.warming else "",
            "command": self._command,
            "fault": self.fault,
        }
        return JSONResponse({**catalogue, **about})

    def contenders(self, puzzle: Puzzle, names: Sequence[str]) -> list[Contender]:
        """Backends and the user's programs; each has the name by which the page calls it."""
        programs = self.programs[puzzle.name]
        return [programs.get(name) or self._backend(puzzle, name) for name in dict.fromkeys(names)]

    def _backend(self, puzzle: Puzzle, name: str) -> BackendContender:
        return backend_named(puzzle, name, self._added.solvers)

    async def script(self, request: HttpRequest) -> Response:
        name, file = request.path_params["name"], request.path_params["file"]
        known = name in self.programs and file in SCRIPTS
        path = script_path(puzzles.get(name), file) if known else None
        if path is None:
            raise HTTPException(404)
        return FileResponse(path)

    async def read(self, puzzle: Puzzle, wanted: ReadRequest) -> Response:
        return JSONResponse(
            {"boards": await self.workers.call(in_judge, boards_in, puzzle.name, wanted.text)}
        )

    async def random(self, puzzle: Puzzle, wanted: RandomRequest) -> Response:
        board = self.workers.call(
            in_judge, random_board, puzzle.name, wanted.family, wanted.size, wanted.seed
        )
        return JSONResponse(await board)

    async def solve(self, puzzle: Puzzle, wanted: SolveRequest) -> Response:
        contenders = self.contenders(puzzle, wanted.contenders)
        if wanted.giver:
            contenders = [GivenAnswers(puzzle=puzzle.name, name=wanted.giver), *contenders]
        format = puzzle.format(wanted.format) if wanted.format else None
        begin = partial(self.sessions.begun, wanted.session, wanted.edition)
        try:
            async with begin():  # read first: a mistake in it has a status of its own
                instance = await self.workers.call(in_judge, the_one, puzzle.name, wanted.text)
        except Superseded:
            return Response(_CANCELLED, media_type=_LINES)
        question = BoardQuestion(
            puzzle,
            instance,
            contenders,
            format,
            wanted.given,
            self._added,
            tab_of(wanted.session),
        )
        return _lines(begin(), stream_answers(self.workers, question))

    async def ask(self, puzzle: Puzzle, wanted: AskRequest) -> Response:
        async with self.sessions.begun(wanted.session, wanted.edition):
            tab = tab_of(wanted.session)
            replied = await self._in_solver(
                puzzle, wanted, tab, reply, wanted.request, wanted.value
            )
            return JSONResponse(replied)

    async def formula(self, puzzle: Puzzle, wanted: FormulaRequest) -> Response:
        stated = await self._in_solver(puzzle, wanted, tab_of(wanted.session), formula)
        contender = self._backend(puzzle, wanted.contender)
        return JSONResponse({**stated, "command": formula_command(puzzle, contender)})

    async def _in_solver(
        self,
        puzzle: Puzzle,
        wanted: AskRequest | FormulaRequest,
        tab: str,
        function: Callable[..., str],
        *args: str,
    ) -> dict[str, Any]:
        """What a function says of one backend and the board, in a solver."""
        contender = self._backend(puzzle, wanted.contender)
        instance = await self.workers.call(in_judge, the_one, puzzle.name, wanted.text)
        return await self.workers.call(
            in_solver, function, contender, instance, *args, contender=contender, tab=tab
        )

    async def growth(self, puzzle: Puzzle, wanted: GrowthRequest) -> Response:
        from compare.commands.page.growth_race import race_lines  # late: it needs `scale`

        puzzle.family(wanted.family)
        contenders = self.contenders(puzzle, wanted.contenders)
        return _lines(
            self.sessions.begun(wanted.session, wanted.edition),
            race_lines(self.workers, contenders, wanted),
        )

    async def search(self, puzzle: Puzzle, wanted: SearchRequest) -> Response:
        from compare.commands.page.difference_search import search_lines  # late: it needs `fuzz`

        contenders = self.contenders(puzzle, wanted.contenders)
        return _lines(
            self.sessions.begun(wanted.session, wanted.edition),
            search_lines(
                self._searching, self.workers, puzzle, contenders, wanted, self._added.plugins
            ),
        )

    async def stop(self, request: HttpRequest) -> Response:
        self.sessions.cancel(request_in(await _body(request), TabRequest).session)
        return JSONResponse({})

    async def turn(self, request: HttpRequest) -> Response:
        """What a tab waits for; an empty sentence if it does not wait for others."""
        tab = tab_of(request_in(await _body(request), TabRequest).session)
        return JSONResponse({"sentence": self.workers.turns.sentence(tab)})

    def application(self, port: int) -> Gate:
        """All of it, behind the gate; `port` is where it listens."""
        self._command = start_command(self._added, port)

        def post(
            handler: Callable[[Puzzle, RequestT], Awaitable[Response]], kind: type[RequestT]
        ) -> Route:
            async def handle(request: HttpRequest) -> Response:
                wanted = request_in(await _body(request), kind)
                if wanted.puzzle not in self.programs:
                    raise RefusedRequest(
                        f"unknown puzzle {quote_beginning(wanted.puzzle)}: choose from "
                        f"{', '.join(self.programs)}"
                    )
                return await handler(puzzles.get(wanted.puzzle), wanted)

            return Route(f"/api/{handler.__name__}", handle, methods=["POST"])

        routes = [
            Route("/", self.index, methods=["GET"]),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/puzzles/{name}/{file}", self.script),
            Route("/api/puzzles", self.puzzles),
            post(self.read, ReadRequest),
            post(self.random, RandomRequest),
            post(self.solve, SolveRequest),
            post(self.ask, AskRequest),
            post(self.formula, FormulaRequest),
            *([post(self.growth, GrowthRequest)] if "scale" in commands() else []),
            *([post(self.search, SearchRequest)] if "fuzz" in commands() else []),
            Route("/api/stop", self.stop, methods=["POST"]),
            Route("/api/turn", self.turn, methods=["POST"]),
        ]
        handlers: dict[Any, Any] = dict.fromkeys(
            (Exception, HTTPException, UserError, Superseded, ClientDisconnect), _refusal
        )
        self._gate = Gate(
            Starlette(routes=routes, exception_handlers=handlers, lifespan=self.lifespan), port
        )
        return self._gate


def changes(added: Additions) -> dict[str, tuple[int, int]]:
    """When each file was saved that the user adds, or that a command of theirs names, and how large
    it is.
    """
    words = [*added.plugins]
    for path in added.puzzles:
        words += [str(each) for each in Path(path).rglob("*.py")] or [path]
    for command in (each.partition("=")[2] for each in added.programs):
        words += [command]
        with suppress(ValueError):  # no command of a shell: a path
            words += shlex.split(command)
    for solver in added.solvers:
        words += [f"{solver.rpartition('.py:')[0]}.py", solver.removeprefix("ipasir:")]
    saved: dict[str, tuple[int, int]] = {}
    for word in words:
        with suppress(OSError, ValueError):  # no file; or one that is just being saved
            status = Path(word).stat()
            saved[word] = status.st_mtime_ns, status.st_size
    return saved


def _choose_programs(entries: Sequence[dict[str, Any]]) -> None:
    """Say of each program whether it answers a puzzle from the start: where it reads the example.
    One that reads none at all answers everywhere, so that everybody sees how it fails.
    """
    tried = [each for entry in entries for each in entry.get("programs", ())]
    at_home = {each["contender"] for each in tried if not each["fault"]}
    for each in tried:
        each["default"] = not each["fault"] or each["contender"] not in at_home
    for name in sorted({each["contender"] for each in tried} - at_home):
        fault = next(each["fault"] for each in tried if each["contender"] == name)
        warn(f"--program {name} answers the example of no puzzle here: {fault}")


def _rehearse(pool: Pool, contender: Contender) -> None:
    """Solve the first board of the puzzle's example, so that all is warm that answering a board
    needs.
    """
    solve_and_check(pool, contender, in_judge(pool, example, contender.puzzle), None)


def _compiling(names: list[str]) -> str:
    """What the page says while the workers warm up; empty if there is nothing to compile."""
    if not names:
        return ""
    seconds = sum(map(compiling_s, names))
    return (
        f"First start: compiling the algorithms of {', '.join(names)}. This happens once on this "
        f"machine and takes {seconds} to {3 * seconds} seconds."
    )


async def _body(request: HttpRequest) -> bytes:
    """The body of a request; one that is too long is refused before the rest of it comes."""
    body, length = b"", int(request.headers.get("content-length", 0))
    if length <= MAX_BODY:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                break
    if max(length, len(body)) > MAX_BODY:
        sentence = f"a request has at most {MAX_BODY:,} bytes: send a smaller board"
        raise HTTPException(413, sentence, {"Connection": "close"})
    return body


def _lines(
    begun: AbstractAsyncContextManager[None], lines: AsyncGenerator[Mapping[str, Any], None]
) -> Response:
    """Values as lines of JSON, until what is begun is cancelled."""

    async def encoded() -> AsyncIterator[bytes]:
        try:
            async with begun, aclosing(lines):
                async for line in lines:
                    yield json.dumps(line).encode() + b"\n"
        except Superseded:
            yield _CANCELLED

    return StreamingResponse(encoded(), media_type=_LINES)


async def _refusal(request: HttpRequest, error: Exception) -> Response:
    """What becomes of a request that ends with an error: a sentence, and a status."""
    match error:
        case RefusedRequest():
            return JSONResponse(
                {"error": str(error), "place": error.place, "cell": error.cell}, 400
            )
        case UserError():
            return JSONResponse({"error": str(error)}, 400)
        case ClientDisconnect():  # nobody hears the answer: the server's log has a line
            warn(f"a request to {request.url.path} broke off before it was whole"[:200])
            return Response(status_code=400)
        case Superseded():
            return JSONResponse({"error": "a newer board or question came"}, 409)
        case HTTPException(status_code=404 | 405):
            return JSONResponse(
                {"error": f"there is nothing at {request.method} {request.url.path}"[:200]},
                error.status_code,
            )
        case HTTPException():
            return JSONResponse({"error": error.detail}, error.status_code, error.headers)
        case _:
            return JSONResponse({"error": f"the server failed: {exception_text(error)}"[:500]}, 500)
