"""Trees of processes: what is listed, and what is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from puzzles.shell import process_tree
from puzzles.shell.process_tree import (
    children,
    descendants,
    kill_descendants,
    kill_tree,
    pipe_parts,
)
from tests.processes import run_python, running, wait_until

CHAIN = """
import os, signal
for _ in range(5):
    if os.fork():
        break
signal.pause()
"""

ADOPTING = """
import os, signal, subprocess, time
from puzzles.shell.process_tree import adopt_orphans, children, kill_adopted

class DyingAsItIsListed:
    def __contains__(self, pid):
        if pid == process.pid:
            process.kill()
            while children(os.getpid()) == [pid]:
                time.sleep(0.01)
        return False

adopt_orphans()
words = ["sh", "-c", "sleep 60 2> /dev/null & echo; wait"]
process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
process.stdout.readline()
kill_adopted(DyingAsItIsListed())
print(len(children(os.getpid())), end="")
"""

FORKING = """
import os, time
for _ in range(500):  # it ends, even if nobody kills it
    if os.fork() == 0:
        time.sleep(60)
    time.sleep(0.001)
time.sleep(60)
"""


@contextmanager
def started(code: str) -> Iterator[psutil.Popen]:
    process = psutil.Popen([sys.executable, "-S", "-E", "-c", code], stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        kill_tree(process.pid)
        process.wait()


def test_a_whole_tree_is_killed() -> None:
    with started(CHAIN) as process:
        wait_until(lambda: len(descendants(process.pid)) == 5)
        below = [each.pid for each in process.children(recursive=True)]
        assert descendants(process.pid) == below
        assert kill_tree(process.pid) == {*below}
        process.wait()
    wait_until(lambda: not running(CHAIN))


def test_a_tree_that_grows_while_it_is_killed_is_killed_whole() -> None:
    with started(FORKING) as process:
        wait_until(lambda: len(children(process.pid)) > 20)
        killed = kill_tree(process.pid)
        process.wait()
    assert len(killed) > 20
    wait_until(lambda: not running(FORKING))


def test_what_one_leaves_that_ends_as_it_is_listed_is_killed() -> None:
    assert run_python("-c", ADOPTING).stdout == "0"


def test_children_that_are_spared_live_on() -> None:
    with started("import signal; signal.pause()") as spared:
        with started("import signal; signal.pause()") as other:
            others = set(children(os.getpid())) - {other.pid}
            assert spared.pid in others
            assert kill_descendants(os.getpid(), spare=others) == {other.pid}
        assert spared.status() != psutil.STATUS_ZOMBIE


def test_pipes_are_read_until_nobody_can_write_to_them() -> None:
    """More than a pipe holds, by a program and by one that it leaves behind."""
    script = "head -c 300000 /dev/zero; (sleep 0.1; printf late >&2) & exit"
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        parts = list(pipe_parts(process.stdout, process.stderr))
    texts = [b"".join(part for each, part in parts if each == number) for number in (0, 1)]
    assert texts == [bytes(300000), b"late"]


def test_a_deep_tree_is_listed_and_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deeper than functions of Python may call themselves."""
    sent: list[tuple[int, tuple[int, ...]]] = []
    depth = 10 * sys.getrecursionlimit()
    monkeypatch.setattr(process_tree, "children", lambda pid: [pid + 1] if pid < depth else [])
    monkeypatch.setattr(process_tree, "send", lambda number, pids: sent.append((number, (*pids,))))
    everyone = {*range(2, depth + 1)}
    assert {*descendants(1)} == everyone
    assert kill_tree(1) == everyone
    assert {pid for _, pids in sent for pid in pids} == everyone | {1}
