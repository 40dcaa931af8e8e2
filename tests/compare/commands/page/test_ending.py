"""How the page's server starts and ends: messages where it cannot start, no process left behind,
unwanted work stopped.
"""

from __future__ import annotations

import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.compare.commands.page.browsing import Server
from tests.compare.commands.page.own_lights import own_lights
from tests.compare.commands.page.talking import Caller
from tests.installed import slow
from tests.places import ROOT
from tests.processes import LONGEST_S, compare, environment, run_python, wait_until

HARD = {"puzzle": "lights", "contenders": ["models:cnf"]}
"""A solve that takes longer than any test waits, on a board of 20x20."""


def hard_board(caller: Caller) -> str:
    return caller.post("random", puzzle="lights", family="random", size=20, seed=3).json["text"]


@pytest.fixture(scope="module")
def server(own_server: Server) -> Server:
    return own_server


@pytest.fixture(scope="module")
def caller(server: Server) -> Caller:
    return Caller(server.port)


def asked(caller: Caller, session: str, edition: int) -> dict[str, Any]:
    return {**HARD, "text": hard_board(caller), "session": session, "edition": edition}


def runs(server: Server) -> set[int]:
    """The runs that are under way: processes below the server that use the processor now."""
    below = psutil.Process(server.process.pid).children(recursive=True)
    before = {each: processor_s(each) for each in below}
    time.sleep(0.3)
    return {each.pid for each, used in before.items() if processor_s(each) - used > 0.02}


def processor_s(process: psutil.Process) -> float:
    """The seconds for which it has used the processor; 0 if it has ended."""
    with suppress(psutil.NoSuchProcess):
        return sum(process.cpu_times()[:2])
    return 0.0


def test_a_newer_board_stops_the_older_ones_and_no_worker_is_lost(
    server: Server, caller: Caller
) -> None:
    caller.solved("lights", "1\n1 2\n*.\n", ["direct:elimination", "models:cnf"])
    wait_until(lambda: not caller.get("/api/puzzles").json["warming"])
    everyone = {each.pid for each in psutil.Process(server.process.pid).children()}
    for edition in (1, 3):
        with caller.following("solve", **asked(caller, "many", edition)) as older:
            time.sleep(0.2)
            with caller.following("solve", **asked(caller, "many", edition + 1)) as newer:
                assert list(older) == [{"type": "cancelled"}]
                assert caller.post("stop", session="many").json == {}
                assert list(newer) == [{"type": "cancelled"}]
    wait_until(lambda: not runs(server))
    *lines, last = caller.solved(
        "lights", "1\n1 2\n*.\n", ["direct:elimination", "models:cnf"], "many", 100
    )
    assert [each["verdict"] for each in lines] == ["PROVED", "PROVED"]
    assert last["last_line"].startswith("ALL AGREE; ")
    assert {each.pid for each in psutil.Process(server.process.pid).children()} == everyone


def test_an_older_board_that_comes_late_is_not_solved(caller: Caller) -> None:
    last = caller.solved("beams", "1\n1 1\n#\n", ["direct:two-sat"], "late", 7)[-1]
    assert last["last_line"].startswith("ACCEPTED: direct:two-sat; ")
    assert caller.solved("beams", "1\n1 1\n#\n", ["direct:two-sat"], "late", 6) == [
        {"type": "cancelled"}
    ]
    question = {
        "puzzle": "beams",
        "text": "1\n1 1\n#\n",
        "contender": "",
        "request": "",
        "value": "",
        "session": "late",
    }
    reply = caller.post("ask", **question, edition=5)
    assert (reply.status, reply.sentence) == (409, "a newer board or question came")


def test_another_backend_on_the_same_board_stops_nothing(caller: Caller) -> None:
    board = {
        "puzzle": "nogo",
        "text": "9\n" + ("." * 9 + "\n") * 9,
        "session": "same",
        "edition": 1,
    }
    with caller.following(
        "solve", **board, contenders=["models:cnf", "direct:union-find"]
    ) as first:
        with caller.following("solve", **board, contenders=["models:cnf-monotone"]) as second:
            assert [each["type"] for each in second] == ["answer", "comparison"]
        assert [each["type"] for each in first] == ["answer", "answer", "comparison"]


def test_two_tabs_do_not_disturb_each_other(caller: Caller) -> None:
    with caller.following("solve", **asked(caller, "tab one", 1)) as hard:
        assert (
            caller.solved("beams", "1\n1 1\n#\n", ["direct:two-sat"], "tab two", 5)[-1]["type"]
            == "comparison"
        )
        caller.post("stop", session="tab one")
        assert list(hard) == [{"type": "cancelled"}]


def test_a_closed_connection_stops_the_solve(server: Server, caller: Caller) -> None:
    with caller.following("solve", **asked(caller, "closed", 1)):
        wait_until(lambda: runs(server))
    wait_until(lambda: not runs(server))


@pytest.mark.parametrize("how", ["stop", slow("close")])
def test_a_race_ends_when_nobody_wants_it(server: Server, caller: Caller, how: str) -> None:
    before = {each.pid for each in psutil.Process(server.process.pid).children()}
    race = {
        "puzzle": "beams",
        "family": "sparse",
        "contenders": ["direct:two-sat", "models:cnf"],
        "session": f"race {how}",
        "edition": 1,
    }
    with caller.following("growth", **race, largest=100, seconds=5) as lines:
        first = next(lines)
        assert (first["type"], first["size"], first["done"], first["sizes"]) == ("size", 4, 1, 9)
        assert set(first["points"]) == {"direct:two-sat", "models:cnf"}
        last = caller.solved("beams", "1\n1 1\n#\n", ["direct:two-sat"])[-1]
        assert last["last_line"].startswith("ACCEPTED: direct:two-sat; ")
        if how == "stop":
            caller.post("stop", session="race stop")
            assert list(lines)[-1] == {"type": "cancelled"}
    wait_until(lambda: not runs(server))
    assert {each.pid for each in psutil.Process(server.process.pid).children()} == before


@pytest.mark.slow
def test_a_race_tells_its_curve_and_who_is_faster(caller: Caller) -> None:
    race = {
        "puzzle": "lights",
        "family": "random",
        "contenders": ["direct:elimination", "models:cnf"],
        "session": "race",
        "edition": 1,
    }
    with caller.following("growth", **race, largest=9, seconds=5) as lines:
        *sizes, end = list(lines)
    assert [each["size"] for each in sizes] == [4, 6, 9]
    assert [each["cells"] for each in sizes] == [16, 36, 81]
    assert all(each["points"]["direct:elimination"]["median_s"] > 0 for each in sizes)
    assert end["type"] == "end"
    assert "direct:elimination" in end["lines"][0]
    assert "models:cnf" in end["lines"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        *(slow(each) for each in (signal.SIGTERM, signal.SIGKILL)),
    ],
)
def test_whatever_ends_it_no_process_is_left(tmp_path: Path, number: signal.Signals) -> None:
    race = {
        "puzzle": "beams",
        "family": "sparse",
        "contenders": ["models:cnf"],
        "session": "race",
        "edition": 1,
    }
    with Server("--puzzle", str(own_lights(tmp_path)), new=True) as server:
        caller = Caller(server.port)
        with caller.following("growth", **race, largest=100, seconds=5) as lines:
            next(lines)
            with caller.following("solve", **asked(caller, "hard", 1)):
                below = psutil.Process(server.process.pid).children(recursive=True)
                assert len(below) > 4
                server.process.send_signal(number)
                assert server.process.wait(LONGEST_S) == (
                    -number if number is signal.SIGKILL else 130
                )
                wait_until(
                    lambda: (
                        not [
                            each
                            for each in below
                            if each.is_running() and each.status() != psutil.STATUS_ZOMBIE
                        ]
                    )
                )


@pytest.mark.parametrize("pause_s", [0.05, slow(0.0)])
def test_ctrl_c_twice_ends_it_as_once(pause_s: float) -> None:
    """`timeout` passes Ctrl-C on to a command that the terminal has sent it to already."""
    with Server(new=True) as server:
        server.process.send_signal(signal.SIGINT)
        time.sleep(pause_s)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(LONGEST_S) == 130
        server.complaints.seek(0)
        assert server.complaints.read() == ""


def test_a_port_that_is_in_use_is_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = compare(f"page --no-browser --port {port}")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == (
        f"port {port} is in use: another page may be open at http://127.0.0.1:{port}/; --port N "
        "takes another port\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "65536"], "--port: at most 65535, not 65536"),
        (["--puzzle", "nothing.py"], "nothing.py"),
        (["--puzzle", "broken.py"], "broken.py:1:1: SyntaxError"),
        (["--puzzle", "bems"], "unknown puzzle 'bems'"),
        (["--program", "mine=nothing.cpp"], "--program mine: no file 'nothing.cpp'"),
        (["--program", "mine"], "--program takes NAME=COMMAND, not 'mine'"),
    ],
)
def test_what_it_cannot_start_with_is_a_message(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    (tmp_path / "broken.py").write_text("(\n")
    ended = compare("page --no-browser", *words, cwd=tmp_path, status=2)
    assert ended.stdout == ""
    assert ended.stderr.startswith(sentence)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('none here', name='uvicorn')\n")
    ended = run_python("-m", "compare", "page", "--no-browser", env=environment(tmp_path))
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        2,
        "",
        "uvicorn not installed: pip install -e '.[page]'\n",
    )


@pytest.mark.slow
def test_it_needs_no_home_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    tmp_path.chmod(0o500)
    with Server(cwd=tmp_path) as server:
        assert (
            Caller(server.port).solved("beams", "1\n1 1\n#\n", ["direct:two-sat"])[0]["verdict"]
            == "PROVED"
        )
        assert list(tmp_path.iterdir()) == []
    tmp_path.chmod(0o700)


def test_it_imports_its_server_library_late() -> None:
    code = (
        "import sys, compare.commands.page.command, compare.command_line; "
        "print(*[m for m in ('starlette', 'uvicorn') if m in sys.modules])"
    )
    assert run_python("-c", code, cwd=ROOT).stdout == "\n"
