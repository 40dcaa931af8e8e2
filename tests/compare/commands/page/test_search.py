"""What the page's server says of a search for a board where contenders differ, and how it ends."""

from __future__ import annotations

import signal
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psutil
import pytest

import puzzles
from tests.compare.commands.page.browsing import Server
from tests.compare.commands.page.talking import Caller
from tests.compare.commands.page.test_ending import runs
from tests.compare.commands.page.test_in_browser_server import endless
from tests.processes import LONGEST_S, wait_until


@pytest.fixture(scope="module")
def caller(own_server: Server) -> Caller:
    return Caller(own_server.port)


def asked(
    session: str, *contenders: str, puzzle: str = "beams", seconds: int = 60
) -> dict[str, Any]:
    return {
        "puzzle": puzzle,
        "contenders": contenders,
        "seconds": seconds,
        "seed": 1,
        "session": session,
        "edition": 1,
    }


def searched(caller: Caller, session: str, *contenders: str, **more: Any) -> list[dict[str, Any]]:
    with caller.following("search", **asked(session, *contenders, **more)) as lines:
        return list(lines)


def kinds(lines: list[dict[str, Any]]) -> list[str]:
    """The types of the lines, those of progress left out."""
    return [each["type"] for each in lines if each["type"] != "tried"]


def cells(line: dict[str, Any]) -> int:
    return line["board"]["rows"] * line["board"]["columns"]


def test_a_wrong_program_is_found_and_the_board_becomes_smaller_and_smaller(caller: Caller) -> None:
    lines = searched(caller, "wrong", "direct:two-sat", "mine")
    failing, *smaller, end = (each for each in lines if each["type"] != "tried")
    assert failing["type"] == "found"
    assert "mine" in failing["sentence"]
    assert {each["type"] for each in smaller} <= {"smaller"}
    sizes = [cells(each) for each in (failing, *smaller, end)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2] == sizes[-1] == 2  # a contest promises a turret and an open cell
    assert "found after " in end["sentence"]
    *answers, comparison = caller.solved("beams", end["board"]["text"], ["direct:two-sat", "mine"])
    assert {each["contender"]: each["verdict"] for each in answers} == {
        "direct:two-sat": "PROVED",
        "mine": "REFUTED",
    }
    assert comparison["mood"] == "bad"


def test_where_all_agree_it_says_so_with_the_number_of_boards(caller: Caller) -> None:
    lines = searched(caller, "agree", "direct:two-sat", "models:cnf", seconds=1)
    assert kinds(lines) == ["end"]
    *progress, end = lines
    counts = [each["boards"] for each in progress]
    assert counts == sorted(counts)
    assert all(each["rate"] >= 0 for each in progress)
    assert end == {"type": "end", "sentence": f"{counts[-1]:,} boards tried: all agree."}


def test_a_program_that_crashes_is_found(caller: Caller) -> None:
    end = searched(caller, "crash", "direct:two-sat", "broken")[-1]
    assert end["sentence"].startswith("CRASH: broken")
    assert cells(end) == 2


@pytest.mark.slow
def test_a_program_that_never_ends_is_found(caller: Caller) -> None:
    end = searched(caller, "slow", "direct:two-sat", "endless")[-1]
    assert end["sentence"].startswith("TIMEOUT: endless")
    assert cells(end) == 2


def test_a_puzzle_of_ones_own_is_searched_and_so_is_one_without_a_grid(caller: Caller) -> None:
    end = searched(caller, "own", "direct:elimination", "models:liar", puzzle="lights")[-1]
    assert "models:liar" in end["sentence"]
    assert cells(end) == 1
    (contender,) = (
        each["backends"][0]["contender"]
        for each in caller.get("/api/puzzles").json["puzzles"]
        if each["name"] == "knapsack"
    )
    for seconds in (1, 10, 60):  # on a busy machine the children may take longer to start
        end = searched(caller, f"case {seconds}", contender, puzzle="knapsack", seconds=seconds)[-1]
        if "cases tried" in end["sentence"]:
            break
    assert end["sentence"].endswith(f"cases tried: no fault of {contender}.")


def test_what_is_asked_wrongly_is_a_sentence(caller: Caller) -> None:
    reply = caller.post("search", **asked("none", "models:nothing"))
    assert (reply.status, "models:nothing" in reply.sentence) == (400, True)
    reply = caller.post("search", **{**asked("none", "models:cnf"), "seconds": 601})
    assert reply.sentence == ("the field seconds has to be a whole number from 1 to 600, not '601'")


@pytest.mark.parametrize("how", ["stop", "close"])
def test_a_search_that_nobody_wants_ends_with_all_its_processes(
    own_server: Server, caller: Caller, how: str
) -> None:
    """Workers that the server still warms up may come meanwhile; then another search is tried. One
    that leaves a process does so each time.
    """

    def below() -> set[int]:
        server = psutil.Process(own_server.process.pid)
        return {each.pid for each in server.children(recursive=True)}

    def leaves_nothing() -> bool:
        before = below()
        with caller.following("search", **asked(how, "direct:two-sat", "endless")) as lines:
            wait_until(lambda: endless(own_server))
            if how == "stop":
                caller.post("stop", session=how)
                assert list(lines)[-1] == {"type": "cancelled"}
        wait_until(lambda: not endless(own_server))
        wait_until(lambda: not runs(own_server))
        return below() <= before

    wait_until(leaves_nothing)


def test_one_tab_searches_at_a_time_and_others_solve_meanwhile(
    own_server: Server, caller: Caller
) -> None:
    with caller.following("search", **asked("one", "direct:two-sat", "endless")) as lines:
        wait_until(lambda: endless(own_server))
        last = caller.solved("beams", "1\n1 1\n#\n", ["direct:two-sat"], "a third tab")[-1]
        assert last["last_line"].startswith("ACCEPTED: direct:two-sat; ")
        with caller.following("search", **asked("two", "models:cnf", seconds=1)) as others:
            assert next(others) == {"type": "waiting"}
            caller.post("stop", session="one")
            assert list(lines)[-1] == {"type": "cancelled"}
            assert list(others)[-1]["sentence"].endswith(" boards tried: no fault of models:cnf.")


@pytest.mark.parametrize("name", puzzles.names())
@pytest.mark.slow
def test_the_solvers_that_answer_from_the_start_agree(caller: Caller, name: str) -> None:
    (described,) = (
        each for each in caller.get("/api/puzzles").json["puzzles"] if each["name"] == name
    )
    chosen = [each["contender"] for each in described["backends"] if each["default"]]
    end = searched(caller, f"all of {name}", *chosen, puzzle=name, seconds=5)[-1]
    assert end["sentence"].endswith(" boards tried: all agree.")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_search_ends_with_the_server(tmp_path: Path, number: signal.Signals) -> None:
    program = tmp_path / "endless.py"
    program.write_text("import time\nwhile True: time.sleep(60)\n")
    with Server("--program", f"endless={program}", new=True) as server:
        caller = Caller(server.port)
        with caller.following("search", **asked("last", "direct:two-sat", "endless")) as lines:
            wait_until(lambda: endless(server))
            below = psutil.Process(server.process.pid).children(recursive=True)
            server.process.send_signal(number)
            assert server.process.wait(LONGEST_S) == (-number if number is signal.SIGKILL else 130)
            wait_until(lambda: not any(map(is_there, below)))
            with suppress(HTTPException, OSError):  # the connection breaks, or says that it ends
                last = [each["type"] for each in lines][-1:]
                if number is signal.SIGKILL:  # it may come before the first line
                    assert last in ([], ["tried"])
                else:
                    assert last[0] in ("tried", "cancelled")


def is_there(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
