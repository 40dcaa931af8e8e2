"""The server of the page: it listens on the loopback address only, prints that address, opens the
browser, and ends with Ctrl-C.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType
from typing import ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from compare.commands.page.application import Page
from compare.commands.page.hints import Additions, address
from compare.commands.page.sessions import Sessions
from puzzles.shell.interruption import INTERRUPTED, Handled
from puzzles.text import UserError

REQUEST_S = 10.0
"""Seconds within which a request has to be there once its connection, or its first byte, is."""

MAX_WAITING = 200
"""Connections that may be open without a whole request; a browser keeps at most 6."""


def serve(port: int, added: Additions, *, browser: bool) -> int:
    """Serve the page until a signal ends it, such as Ctrl-C; returns the exit status, that of an
    interrupted command.

    Args:
        added: its puzzles are offered after the built-in ones.
        browser: whether to open the page.

    Raises:
        UserError: the port is in use, a user's puzzle or plugin cannot be loaded, or a program
            cannot be compiled.
    """
    page = Page(added)
    with _listening(port) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            page.application(port),
            log_level="error",
            access_log=False,
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=60,
            http=BoundedConnection,
            backlog=128,  # so many are accepted at once, before any of them can be counted
        )
        server = PageServer(config, page.sessions)
        with Handled(server.handle_exit):
            print(f"{address(port)} shows the page; Ctrl-C ends it", flush=True)
            if browser:
                Thread(target=_open, args=(address(port),), daemon=True).start()
            server.run(sockets=[listener])
    return INTERRUPTED if server.interrupted else 1  # else it has said why it ended


class PageServer(uvicorn.Server):
    """It cancels what is under way before it waits for its connections to end.

    Attributes:
        interrupted: whether it was asked to end.
    """

    def __init__(self, config: uvicorn.Config, sessions: Sessions) -> None:
        super().__init__(config)
        self._sessions = sessions
        self.interrupted = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """`serve` heeds them; uvicorn would raise them again, and a second one would break off its
        own end.
        """
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        del sig, frame
        self.interrupted = self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._sessions.end()
        await super().shutdown(sockets)


class BoundedConnection(H11Protocol):
    """A connection that ends if a request is not whole in time, or if it is the oldest of too many
    that wait: so they cannot use up the sockets of this process.

    Attributes:
        waiting: those on which no whole request is there, the oldest first, and what ends each.
    """

    waiting: ClassVar[dict[BoundedConnection, asyncio.TimerHandle | None]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._wait(begun=True)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._wait_no_more()
        elif self.waiting.get(self) is None:  # the first part of a further request
            self._wait(begun=True)

    def on_response_complete(self) -> None:
        super().on_response_complete()  # here the time limit is `timeout_keep_alive`
        if not self.transport.is_closing():
            self._wait(begun=False)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self, *, begun: bool) -> None:
        self._wait_no_more()
        timer = self.loop.call_later(REQUEST_S, self.transport.close) if begun else None
        self.waiting[self] = timer
        if len(self.waiting) > MAX_WAITING:
            oldest = next(iter(self.waiting))
            oldest._wait_no_more()
            oldest.transport.close()

    def _wait_no_more(self) -> None:
        timer = self.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()


def _listening(port: int) -> socket.socket:
    """A socket that listens on the loopback address; raises `UserError` if it cannot."""
    listener = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # named, so that asyncio sets TCP_NODELAY
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise UserError(
                f"port {port} is in use: another page may be open at {address(port)}; --port N "
                "takes another port"
            ) from None
        raise UserError(
            f"port {port}: {error.strerror or error}; --port N takes another port"
        ) from None
    return listener


def _open(url: str) -> None:
    with suppress(Exception):  # no browser here: the address is printed
        webbrowser.open(url)
