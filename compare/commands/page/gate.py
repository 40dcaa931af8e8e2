"""Who may ask the server: this page, in a browser on this machine, with the token of this start.
All others are refused.

A page of another site can have a browser send requests here. It cannot read the token, since the
answers are for this origin only. By DNS rebinding it could make this server its own origin. But
then the Host header has its name, and that is refused.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "X-Twofold-Token"  # noqa: S105 - the name of the header

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; "
        "object-src 'none'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


class Gate:
    """An ASGI application before another one, which sees only the requests that are allowed.

    Starlette's own middleware for allowed hosts does less: it takes any port, and of two Host
    headers it reads the first.

    Attributes:
        token: what each request to /api has to carry.
    """

    def __init__(self, application: ASGIApp, port: int) -> None:
        self._application = application
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.renew()

    def renew(self) -> None:
        """Take another token, so that every page notices that this is as good as a new server."""
        self.token = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._application(scope, receive, send)
        if scope["type"] != "http":  # no WebSocket here
            return await send({"type": "websocket.close", "code": 1008})

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            return await self._application(scope, receive, sending)
        status, sentence = refusal
        return await JSONResponse({"error": sentence}, status, {"Connection": "close"})(
            scope, receive, sending
        )

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence for a request that is not allowed; None if it is."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return (
                421,
                f"this server answers as {min(self._hosts)} only: open the address that it printed",
            )
        if not {origin.lower() for origin in headers.getlist("origin")} <= {
            f"http://{host}" for host in self._hosts
        }:
            return 403, "another page sent this request: only the page of this server may ask"
        tokens = headers.getlist(TOKEN_HEADER)
        right = len(tokens) == 1 and secrets.compare_digest(
            tokens[0].encode("latin-1"), self.token.encode()
        )
        if scope["path"].startswith("/api/") and not right:
            return 403, "this page belongs to an earlier start of the server: load it again"
        return None
