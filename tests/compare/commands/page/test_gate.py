"""Who may ask the page's server: other hosts, other pages and requests that are too large are
refused.
"""

from __future__ import annotations

import json
import os
import resource
import socket
from collections.abc import Sequence
from typing import Any

import psutil
import pytest

import puzzles
from compare.commands.page.server import MAX_WAITING
from tests.compare.commands.page.browsing import Server
from tests.compare.commands.page.talking import WAIT_S, Caller
from tests.processes import wait_until

BEAMS = "1\n2 2\n.-\n-.\n"


@pytest.fixture(scope="module")
def caller(server: Server) -> Caller:
    return Caller(server.port)


def test_it_listens_on_the_loopback_address_only(server: Server) -> None:
    listening = [
        each.laddr.ip
        for each in psutil.Process(server.process.pid).net_connections()
        if each.status == "LISTEN"
    ]
    assert listening == ["127.0.0.1"]


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/puzzles"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}",
        "",
    ],
)
def test_another_host_is_refused(caller: Caller, path: str, host: str) -> None:
    headers = {"Host": host.format(port=caller.port), "X-Twofold-Token": caller.token}
    reply = caller.request("GET", path, headers=headers)
    assert reply.status == 421
    assert "open the address that it printed" in reply.sentence


@pytest.mark.parametrize("host", ["localhost:{port}", "[::1]:{port}", "LOCALHOST:{port}"])
def test_the_names_of_the_loopback_address_are_let_in(caller: Caller, host: str) -> None:
    headers = {"Host": host.format(port=caller.port), "X-Twofold-Token": caller.token}
    assert caller.request("GET", "/api/puzzles", headers=headers).status == 200


def test_no_host_and_two_hosts_are_refused(caller: Caller) -> None:
    assert b" 421 " in caller.raw(b"GET / HTTP/1.0\r\n\r\n").split(b"\r\n")[0]
    two = (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{caller.port}\r\nHost: evil.example\r\nConnection: "
        "close\r\n\r\n"
    )
    assert caller.raw(two.encode()).split(b"\r\n")[0].split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "path",
    [
        "puzzles",
        "read",
        "random",
        "solve",
        "ask",
        "formula",
        "growth",
        "search",
        "stop",
        "turn",
        "nothing",
    ],
)
@pytest.mark.parametrize("token", [None, "", "0" * 43, "é"])
def test_without_the_token_nothing_is_answered(
    caller: Caller, path: str, token: str | None
) -> None:
    body = json.dumps({"puzzle": "beams", "text": BEAMS}).encode()
    headers = {} if token is None else {"X-Twofold-Token": token}
    reply = caller.request("GET" if path == "puzzles" else "POST", f"/api/{path}", body, headers)
    assert (reply.status, reply.sentence) == (
        403,
        "this page belongs to an earlier start of the server: load it again",
    )


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
    ],
)
def test_the_request_of_another_page_is_refused_even_with_the_token(
    caller: Caller, origin: str
) -> None:
    headers = {"Origin": origin.format(port=caller.port), "X-Twofold-Token": caller.token}
    reply = caller.request(
        "POST", "/api/read", json.dumps({"puzzle": "beams", "text": BEAMS}).encode(), headers
    )
    assert (reply.status, reply.sentence) == (
        403,
        "another page sent this request: only the page of this server may ask",
    )


def test_the_request_of_its_own_page_is_answered(caller: Caller) -> None:
    headers = {"Origin": f"http://127.0.0.1:{caller.port}", "X-Twofold-Token": caller.token}
    reply = caller.request(
        "POST", "/api/read", json.dumps({"puzzle": "beams", "text": BEAMS}).encode(), headers
    )
    assert [board["lines"] for board in reply.json["boards"]] == [[".-", "-."]]


@pytest.mark.parametrize(
    "path", ["/", "/static/main.js", "/static/nothing.js", "/api/puzzles", "/api/nothing"]
)
def test_every_response_keeps_other_pages_out(caller: Caller, path: str) -> None:
    headers = caller.get(path).headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'self'"
    assert "script-src" not in policy
    assert (policy["frame-ancestors"], policy["base-uri"], policy["form-action"]) == (
        "'none'",
        "'none'",
        "'none'",
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control-")]


def test_no_browser_is_allowed_to_ask_for_another_page(caller: Caller) -> None:
    wanted = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    reply = caller.request("OPTIONS", "/api/read", headers=wanted)
    assert reply.status == 403
    assert not [name for name in reply.headers if name.startswith("access-control-")]


def test_the_token_is_in_the_page_alone_and_differs_from_start_to_start(
    caller: Caller, own_server: Server
) -> None:
    assert Caller(own_server.port).token != caller.token
    assert len(caller.token) >= 43
    assert caller.token not in caller.get("/static/index.html").text
    assert "{{token}}" not in caller.get("/").text


def test_a_large_body_is_refused_whatever_it_says_of_itself(caller: Caller) -> None:
    head = (
        f"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1:{caller.port}\r\nX-Twofold-Token: "
        f"{caller.token}\r\nConnection: close\r\n"
    )
    chunks = (f"{60_000:x}\r\n".encode() + b" " * 60_000 + b"\r\n") * 7
    for rest in (
        b"Content-Length: 400001\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
    ):
        reply = caller.raw(head.encode() + rest)
        assert reply.split(b"\r\n")[0].split()[1] in ((b"400",) if b": x" in rest else (b"413",))


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("read", b"{", "the request is no JSON"),
        ("read", b"\xff\xfe\x00", "the request is no JSON"),
        ("read", b"[" * 100_000, "the request is no JSON"),
        ("read", b"[]", "a request is a JSON object"),
        ("read", b"{}", "the field puzzle has to be a text, not 'None'"),
        (
            "read",
            b'{"puzzle": "bems", "text": ""}',
            f"unknown puzzle 'bems': choose from {', '.join(puzzles.names())}",
        ),
        ("read", b'{"puzzle": "../beams", "text": ""}', "unknown puzzle '../beams'"),
        ("read", b'{"puzzle": "beams", "text": 3}', "the field text has to be a text, not '3'"),
        (
            "read",
            b'{"puzzle": "beams", "text": "1\\n2 2\\n..\\n.x\\n"}',
            "row 2, column 2: 'x' is not one of / \\ - | # .",
        ),
        (
            "read",
            b'{"puzzle": "beams", "text": "1\\n101 100\\n"}',
            "line 3, column 1: the text ends here; expected row 1 of 101",
        ),
        (
            "random",
            b'{"puzzle": "beams", "family": "no", "size": 3, "seed": 1}',
            "unknown beams family 'no': choose from sparse,",
        ),
        (
            "random",
            b'{"puzzle": "beams", "family": "wall", "size": 101, "seed": 1}',
            "the field size has to be a whole number from 1 to 100, not '101'",
        ),
        (
            "random",
            b'{"puzzle": "nogo", "family": "eyes", "size": 1, "seed": 1}',
            "the family eyes starts at size 3, not 1",
        ),
        (
            "random",
            b'{"puzzle": "beams", "family": "wall", "size": true, "seed": 1}',
            "the field size has to be a whole number",
        ),
        ("solve", {"contenders": ["direct:no"]}, "unknown beams backend 'direct:no': did you "),
        ("solve", {"contenders": ["models:cnf x"]}, "unknown solver 'x': choose from"),
        ("solve", {"contenders": ["models:cnf /bin/sh {cnf}"]}, "unknown solver '/bin/sh {cnf}'"),
        (
            "solve",
            {"contenders": ["direct:two-sat cadical195"]},
            "direct:two-sat uses no SAT solver",
        ),
        ("solve", {"contenders": []}, "the field contenders has to be a list of 1 to 40 backends"),
        (
            "solve",
            {"contenders": ["direct:two-sat"], "edition": -1},
            "the field edition has to be a whole number from 0 to",
        ),
        (
            "solve",
            {"contenders": ["direct:two-sat"], "edition": None},
            "the field edition has to be a whole number from 0 to",
        ),
        ("growth", {"family": "no", "contenders": ["direct:two-sat"]}, "unknown beams family 'no'"),
        (
            "growth",
            {"family": "sparse", "contenders": ["direct:two-sat"], "seconds": 0},
            "the field seconds has to be a number of seconds of at most 10, not '0'",
        ),
    ],
)
def test_each_mistake_is_a_sentence(
    caller: Caller, path: str, body: bytes | dict[str, Any], sentence: str
) -> None:
    if isinstance(body, dict):
        whole = {
            "puzzle": "beams",
            "text": "",
            "session": "a test",
            "edition": 0,
            "contenders": [],
            "largest": 9,
            "seconds": 1,
        }
        body = json.dumps({**whole, **body}).encode()
    reply = caller.request("POST", f"/api/{path}", body, {"X-Twofold-Token": caller.token})
    assert reply.status == 400
    assert reply.sentence.startswith(sentence)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static//etc/passwd",
        "/puzzles/beams/check.py",
        "/puzzles/beams/../beams/check.py",
        "/puzzles/..%2fcompare/page.js",
        "/puzzles/user/page.js",
    ],
)
def test_no_file_but_those_of_the_page_is_served(caller: Caller, path: str) -> None:
    assert caller.get(path).status == 404


def test_what_does_not_exist_is_a_sentence(caller: Caller) -> None:
    missing, wrong_method = caller.get("/api/nothing"), caller.get("/api/read")
    assert (missing.status, missing.sentence) == (404, "there is nothing at GET /api/nothing")
    assert (wrong_method.status, wrong_method.sentence) == (
        405,
        "there is nothing at GET /api/read",
    )


HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: x",
    b"POST /api/solve HTTP/1.1\r\nContent-Length: 100\r\n\r\n{",
)
"""What half-open connections send: nothing, half a head, half a body."""


def half_open(port: int, count: int, halves: Sequence[bytes] = HALVES) -> list[socket.socket]:
    """Connections on which no whole request comes; whether each is accepted, is not waited for."""
    connections: list[socket.socket] = []
    for k in range(count):
        connections.append(socket.socket())
        connections[-1].settimeout(WAIT_S)
        connections[-1].connect(("127.0.0.1", port))
        connections[-1].sendall(halves[k % len(halves)])
    return connections


def ended(connection: socket.socket) -> bool:
    """Wait until the server has closed a connection."""
    try:
        while connection.recv(2**16):
            pass
    except ConnectionError:
        pass
    return True


def test_however_many_connections_are_half_open_the_server_answers(
    server: Server, caller: Caller
) -> None:
    connections = half_open(server.port, MAX_WAITING + 60, HALVES[:2])
    try:
        assert caller.get("/").status == 200
        assert all(ended(each) for each in connections[:50])
        assert psutil.Process(server.process.pid).num_fds() < 2 * MAX_WAITING
    finally:
        for each in connections:
            each.close()


def test_a_body_that_breaks_off_is_a_line_in_the_log() -> None:
    with Server() as server:
        caller = Caller(server.port)
        head = (
            f"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"X-Twofold-Token: {caller.token}\r\nContent-Length: 100\r\n\r\n"
        )
        for body in (b"", b'{"puzzle":'):
            with socket.create_connection(("127.0.0.1", server.port), WAIT_S) as connection:
                connection.sendall(head.encode() + body)
        assert caller.get("/").status == 200
        wait_until(lambda: complaints(server).count("\n") == 2)
        assert set(complaints(server).splitlines()) == {
            "a request to /api/read broke off before it was whole"
        }


def complaints(server: Server) -> str:
    """What a server has written to standard error."""
    return os.pread(server.complaints.fileno(), 100_000, 0).decode()


@pytest.mark.slow
def test_a_request_that_does_not_come_whole_ends_its_connection(server: Server) -> None:
    for each in half_open(server.port, 3):
        with each:
            assert ended(each)


@pytest.mark.slow
def test_1500_half_open_connections_do_not_stop_the_server(server: Server, caller: Caller) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        connections = half_open(server.port, 1500)
        assert caller.get("/").status == 200
        for each in connections:
            each.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
