"""Who may ask the server: this page, in a browser on this machine, with the token of this start. All others are refused.

A page of somebody else's can have a browser send requests here. It cannot read the token, since the answers are for this origin
only. By DNS rebinding it could make this server its own origin. But then the Host header has its name, and that is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from compare.page.bounds import MAX_BODY

TOKEN_HEADER = "X-Twofold-Token"  # noqa: S105 - the name of the header

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; object-src 'none'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class Gate:
    """An ASGI application before another one, which sees only the requests that are allowed.

    Attributes:
        token: what each request to /api has to carry.
    """

    def __init__(self, application: Application, port: int, token: str) -> None:
        self._application = application
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.token = token

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":  # no WebSocket here
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(*refusal, _with_headers(send))
            return
        await self._application(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """The status and the sentence for a request that is not allowed; None if it is."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = [value.decode("latin-1").lower() for value in headers.get(b"host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, f"this server answers as {min(self._hosts)} only: open the address that it printed"
        origins = [value.decode("latin-1").lower() for value in headers.get(b"origin", [])]
        if any(origin.removeprefix("http://") not in self._hosts or not origin.startswith("http://") for origin in origins):
            return 403, "another page sent this request: only the page of this server may ask"
        if not str(scope["path"]).startswith("/api/"):
            return None
        tokens = headers.get(TOKEN_HEADER.lower().encode(), [])
        if len(tokens) != 1 or not secrets.compare_digest(tokens[0], self.token.encode()):
            return 403, "this page belongs to an earlier start of the server: load it again"
        lengths = [value for value in headers.get(b"content-length", []) if not value.isdigit() or int(value) > MAX_BODY]
        if lengths:
            return 413, f"a request has at most {MAX_BODY:,} bytes: send a smaller board"
        return None


class TooMuchSent(Exception):
    """A request body that is longer than allowed and did not say so."""


def _bounded(receive: Receive) -> Receive:
    """The same, but it raises `TooMuchSent` once a body is too long."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY:
            raise TooMuchSent
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    """The same, but each response has the headers that keep other pages out."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *own]
        await send(message)

    return sending


async def _refuse(status: int, sentence: str, send: Send) -> None:
    from starlette.responses import JSONResponse

    body = JSONResponse({"error": sentence}).body
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
