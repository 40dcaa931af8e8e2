"""The turn to time a run: it lasts for the first step, and a fork does not have it."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from compare.isolate import coordination
from compare.isolate.outcome import Limits
from compare.isolate.sandbox import call_in_turn
from tests.processes import LONGEST_S


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "turn"
    with path.open("w") as file:
        monkeypatch.setattr(coordination, "_turn_file", None)
        coordination.share_turn(file.fileno())
        yield path
        coordination.end_turn()


def is_free(path: Path) -> bool:
    with path.open("r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def becomes_free(path: Path) -> bool:
    until = time.monotonic() + LONGEST_S
    while not is_free(path) and time.monotonic() < until:
        time.sleep(0.01)
    return is_free(path)


def test_the_first_step_has_the_turn_and_the_others_do_not(turn: Path) -> None:
    coordination.take_turn()
    first, second = call_in_turn([(is_free, Limits(LONGEST_S)), (becomes_free, Limits(2 * LONGEST_S))], turn)
    assert (first.value, second.value) == (False, True)
