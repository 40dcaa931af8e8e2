"""A worker that is given the next call while it still makes the one before."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from compare.work.pool.executors import local
from compare.work.pool.keeper import Word, request_of
from compare.work.pool.kept_worker import KeptWorker, Lost
from tests.processes import LONGEST_S


@pytest.fixture
def worker() -> Iterator[KeptWorker]:
    worker = KeptWorker(())
    yield worker
    worker.dismiss()


def note(file: Path, size: int = 0) -> int:
    """Add a line to a file; returns `size`."""
    with file.open("a") as stream:
        stream.write("made\n")
    return size


def die(number: int) -> None:
    os.kill(os.getpid(), number)


def value(reported: tuple[Word, bytes]) -> object:
    word, data = reported
    assert word is Word.RESULT
    return pickle.loads(data)


def test_the_next_call_is_made_before_anybody_asks_for_its_result(worker: KeptWorker, tmp_path: Path) -> None:
    first, second = request_of(None, note, (tmp_path / "first", 1)), request_of(None, note, (tmp_path / "second", 2))
    assert value(worker.call(first, 60.0, second)) == 1
    until = time.monotonic() + LONGEST_S
    while not (tmp_path / "second").exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    assert value(worker.call(second, 60.0)) == 2
    assert (tmp_path / "second").read_text() == "made\n"


def test_what_was_sent_ahead_to_a_worker_that_died_is_made_once(worker: KeptWorker, tmp_path: Path) -> None:
    deadly, after = request_of(None, die, (signal.SIGKILL,)), request_of(None, note, (tmp_path / "after", 3))
    for _ in range(2):
        with pytest.raises(Lost):
            worker.call(deadly, 60.0, after)
    assert not (tmp_path / "after").exists()
    assert value(worker.call(after, 60.0)) == 3
    assert (tmp_path / "after").read_text() == "made\n"


def test_large_requests_and_results_block_nobody(worker: KeptWorker) -> None:
    small = [request_of(None, bytes, (2**22,)) for _ in range(2)]
    large = [request_of(None, bytes, (bytes(2**22),)) for _ in range(2)]
    requests = [*small, *large]
    for request, following in zip(requests, [*requests[1:], None], strict=True):
        assert value(worker.call(request, 60.0, following)) == bytes(2**22)


def test_with_turns_each_call_is_made_once(tmp_path: Path) -> None:
    files = [tmp_path / str(k) for k in range(40)]
    with local(2, one_timed=True) as workers:
        calls = [workers.submit(note, file, k, of="ab"[k % 2]) for k, file in enumerate(files)]
        dropped = workers.submit(note, tmp_path / "dropped", of="a")
        assert dropped.cancel() or dropped.result() == 0
        assert [call.result() for call in calls] == list(range(40))
    assert [file.read_text() for file in files] == ["made\n"] * 40
    assert (tmp_path / "dropped").exists() is not dropped.cancelled()
