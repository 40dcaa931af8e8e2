"""What a worker announces of its silence: limits of foreign code always, its own only if nobody would wait that long anyway."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.isolate import coordination
from compare.isolate.coordination import GRACE_S, announce_with, call_begins, is_silent_at_most, may_be_silent
from compare.isolate.outcome import Limits
from compare.isolate.sandbox import call
from compare.isolate.standing import StandingFork

LIMITS = Limits(10)


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    for name in ("_announce", "_call_s", "_patient_until"):
        monkeypatch.setattr(coordination, name, getattr(coordination, name))
    words: list[float | None] = []
    announce_with(words.append)
    call_begins(120)
    return words


def test_a_limit_of_foreign_code_is_always_announced(announced: list[float | None]) -> None:
    may_be_silent(10)
    may_be_silent(None)
    assert call(abs, -3, limits=LIMITS).value == 3
    assert announced == [10 + GRACE_S, None] * 2


def test_our_own_limit_is_announced_if_nobody_would_wait_that_long(announced: list[float | None]) -> None:
    is_silent_at_most(60)
    assert announced == []
    is_silent_at_most(100)
    is_silent_at_most(60)
    assert announced == [100 + 120 + GRACE_S]  # with as much for what comes after
    may_be_silent(10)
    is_silent_at_most(60)
    assert announced[1:] == [10 + GRACE_S, 60 + 120 + GRACE_S]  # the closer limit is not in force any more
    call_begins(None)
    is_silent_at_most(1e9)
    assert len(announced) == 3


def test_calls_of_a_standing_fork_and_a_free_turn_need_no_word(
    announced: list[float | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordination, "_turn_file", None)
    fork = StandingFork()
    with (tmp_path / "turn").open("w") as file:
        coordination.share_turn(file.fileno())
        coordination.take_turn()
        outcomes = fork.call_in_turn([(abs, LIMITS), (abs, LIMITS)], -3)
        coordination.end_turn()
    fork.close()
    assert [each.value for each in outcomes] == [3, 3]
    assert announced == []
