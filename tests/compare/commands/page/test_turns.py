"""Tabs that want the solvers at the same time are served in turn, one question each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from compare.commands.page.turns import Turns

T = TypeVar("T")


def in_a_loop(coroutine: Coroutine[None, None, T]) -> T:
    """Run it in a thread of its own: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def served(workers: int, asked: str, during: Callable[[Turns], object] = lambda turns: None) -> str:
    """The order in which questions are served, each named by its tab, if they are all asked at
    once and each ends when the next one wants to begin.
    """

    async def all_of_them() -> str:
        turns, order = Turns(workers), list[str]()

        async def question(tab: str) -> None:
            await turns.wait(tab)
            order.append(tab)
            during(turns)
            await asyncio.sleep(0)
            turns.end(tab)

        await asyncio.gather(*map(question, asked))
        assert turns.free == workers
        return "".join(order)

    return in_a_loop(all_of_them())


def test_a_tab_that_asks_much_does_not_keep_out_one_that_asks_little() -> None:
    assert served(1, "aaaaaabb") == "ababaaaa"
    assert served(1, "aaaabbcc") == "abcabcaa"
    assert served(2, "aaaaaabb") == "aababaaa"


def test_questions_of_one_tab_are_served_in_their_order_by_all_workers() -> None:
    assert served(3, "aaaa") == "aaaa"
    most: list[int] = []
    served(3, "aaaab", lambda turns: most.append(3 - turns.free))
    assert max(most) == 3


def run(scene: Callable[[Turns], Coroutine[None, None, None]], workers: int = 1) -> None:
    async def scene_of() -> None:
        turns = Turns(workers)
        await scene(turns)
        assert turns.free == workers

    in_a_loop(scene_of())


def test_what_waits_says_what_for() -> None:
    async def scene(turns: Turns) -> None:
        await turns.wait("a")
        mine = asyncio.ensure_future(turns.wait("a"))
        await asyncio.sleep(0)
        assert turns.sentence("a") == ""  # it waits for itself
        theirs = [asyncio.ensure_future(turns.wait(tab)) for tab in "bc"]
        await asyncio.sleep(0)
        waits = "This tab waits for its turn: it shares the solvers with 2 other tabs."
        assert [turns.sentence(tab) for tab in "abc"] == 3 * [waits]
        turns.end("a")
        await theirs[0]
        assert turns.sentence("b") == ""
        turns.end("b")
        await theirs[1]
        turns.end("c")
        await mine
        assert [turns.sentence(tab) for tab in "abc"] == 3 * [""]
        turns.end("a")

    run(scene)


def test_a_question_that_is_dropped_keeps_no_turn() -> None:
    async def scene(turns: Turns) -> None:
        await turns.wait("a")
        dropped, next_one, last = (asyncio.ensure_future(turns.wait(tab)) for tab in "bcd")
        await asyncio.sleep(0)
        dropped.cancel()
        turns.end("a")  # before the one that is dropped has noticed it
        await next_one
        turns.end("c")
        last.cancel()  # its turn has come already
        await asyncio.gather(dropped, last, return_exceptions=True)
        assert dropped.cancelled()

    run(scene)
