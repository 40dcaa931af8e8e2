"""Requests to a server of the page as any program could send them, byte by byte if need be."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, NamedTuple

WAIT_S = 100.0
"""Seconds after which a test stops to wait for a reply."""


class Reply(NamedTuple):
    """A whole response; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def sentence(self) -> str:
        """What an error says."""
        return self.json["error"]


class Caller:
    """Sends requests with the token that the page has."""

    def __init__(self, port: int) -> None:
        self.port = port
        match = re.search(r'name="twofold-token" content="([^"]+)"', self.get("/", token="").text)
        assert match is not None
        self.token = match[1]

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Exactly these headers, and the Host unless it is among them."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return Reply(
                response.status,
                {k.lower(): v for k, v in response.getheaders()},
                response.read().decode(),
            )
        finally:
            connection.close()

    def get(self, path: str, token: str | None = None) -> Reply:
        token = self.token if token is None else token
        return self.request("GET", path, headers={"X-Twofold-Token": token} if token else {})

    def post(self, path: str, **fields: Any) -> Reply:
        return self.request(
            "POST", f"/api/{path}", json.dumps(fields).encode(), {"X-Twofold-Token": self.token}
        )

    @contextmanager
    def following(self, path: str, **fields: Any) -> Iterator[Iterator[dict[str, Any]]]:
        """The lines of a response as they come; the connection is closed at the end of the
        context.
        """
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        connection.request(
            "POST", f"/api/{path}", json.dumps(fields).encode(), {"X-Twofold-Token": self.token}
        )
        response = connection.getresponse()
        assert response.status == 200, response.read()
        try:
            yield (json.loads(line) for line in response)
        finally:
            response.close()
            connection.close()

    def solved(
        self,
        puzzle: str,
        text: str,
        contenders: Sequence[str],
        session: str = "a test",
        edition: int = 0,
        **more: str,
    ) -> list[Any]:
        """All lines for one board, the comparison last. `more`: further fields of the request."""
        asked = {
            "puzzle": puzzle,
            "text": text,
            "contenders": list(contenders),
            "session": session,
            "edition": edition,
            **more,
        }
        with self.following("solve", **asked) as lines:
            return list(lines)

    def raw(self, data: bytes) -> bytes:
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), WAIT_S) as connection:
            connection.sendall(data)
            parts: list[bytes] = []
            while part := connection.recv(2**16):
                parts.append(part)
        return b"".join(parts)
