"""The estimate of the time left: what has run tells of what will, and what has never run makes it a
lower bound.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
from contextlib import suppress

import pytest

from compare.commands.run.campaign import TimeLeft
from compare.show.wording import progress_bar

SLOW, FAST = ("large", "models:cnf"), ("large", "direct:two-sat")


def test_each_kind_is_expected_to_go_on_as_before() -> None:
    left = TimeLeft([SLOW, FAST] * 100)
    for _ in range(10):
        left.note_end(SLOW, 4.0)
        left.note_end(FAST, 0.5)
    assert str(left) == "about 7 min left"  # 90 x (4 + 0.5) s


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0, "0 s"), (0.5, "45 s"), (5.0, "8 min"), (80.0, "2 h 0 min")]
)
def test_a_kind_that_has_never_run_makes_it_a_lower_bound(seconds: float, shown: str) -> None:
    left = TimeLeft([SLOW] + [FAST] * 91)
    left.note_end(FAST, seconds)
    assert str(left) == f"at least {shown} left"
    left.note_end(SLOW, 1000.0)
    assert str(left) == f"about {shown} left"


def test_a_bar_is_shown_on_a_terminal_that_does_not_tell_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_bar(unit="board", total=10) as shown:
            shown.update(3)
            shown.refresh()
        monkeypatch.undo()
    shown_bytes = b""
    with suppress(OSError):  # what stands for the end once nobody holds the other end open
        while chunk := os.read(ours, 10_000):
            shown_bytes += chunk
    assert b"3/10" in shown_bytes
    os.close(ours)
