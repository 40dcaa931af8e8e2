"""The server of the page: it listens on the loopback address only, prints that address, opens the browser, and ends with Ctrl-C."""

from __future__ import annotations

import errno
import secrets
import socket
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import puzzles
from compare.page.gate import Gate
from compare.page.sessions import Sessions
from compare.show.page_link import address, start_command
from puzzles.extras import not_installed
from puzzles.shell.streams import INTERRUPTED
from puzzles.text import UserError

if TYPE_CHECKING:
    import uvicorn


def serve(port: int, own: Sequence[str], *, browser: bool) -> int:
    """Serve the page until Ctrl-C or SIGTERM; returns the exit status, that of an interrupted command.

    Args:
        own: names or files of further puzzles that the page offers; ours come first.
        browser: whether to open the page.

    Raises:
        UserError: the extra `page` is not installed, the port is in use, or a puzzle of one's own cannot be loaded.
    """
    try:
        import markdown_it
        import starlette
        import uvicorn

        del markdown_it, starlette
    except ImportError as error:
        raise UserError(not_installed([str(error.name)])) from None
    names = [each.name for each in puzzles.loadable()]
    names += [each.name for each in map(puzzles.find, own) if each.name not in names]
    from compare.page.application import Page

    with _listening(port) as listener:
        port = listener.getsockname()[1]
        token = secrets.token_urlsafe(32)
        page = Page(names, token, start_command(own, port))
        gate = Gate(page.application(), port, token)  # pyright: ignore[reportArgumentType]
        config = uvicorn.Config(
            gate,  # pyright: ignore[reportArgumentType]
            log_level="error",
            access_log=False,
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=60,
        )
        print(f"{address(port)} shows the page; Ctrl-C ends it", flush=True)
        if browser:
            Thread(target=_open, args=(address(port),), daemon=True).start()
        with suppress(KeyboardInterrupt):  # uvicorn raises it again once it has ended
            _server(config, page.sessions).run(sockets=[listener])
            return 1  # it ended without being asked to, and has said why
    return INTERRUPTED


def _server(config: uvicorn.Config, sessions: Sessions) -> uvicorn.Server:
    """A server that cancels what is under way before it waits for its connections to end."""
    import uvicorn

    class PageServer(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            sessions.end()
            await super().shutdown(sockets)

    return PageServer(config)


def _listening(port: int) -> socket.socket:
    """A socket that listens on the loopback address; raises `UserError` if it cannot."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets TCP_NODELAY
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise UserError(
                f"port {port} is in use: another page may be open at {address(port)}; --port N takes another port"
            ) from None
        raise UserError(f"port {port}: {error.strerror or error}; --port N takes another port") from None
    return listener


def _open(url: str) -> None:
    with suppress(Exception):  # no browser here: the address is printed
        webbrowser.open(url)
