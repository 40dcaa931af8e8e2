"""Stopping the run that a worker has under way, from outside: a signal asks for it, and whoever watches the run ends it.

A worker that heeds the signal clears what was asked before each of its calls. So a signal that comes too late stops nothing.
"""

from __future__ import annotations

import signal
from types import FrameType

SIGNAL = signal.SIGUSR1
"""What the worker is sent."""

STOPPED = "stopped by request"
"""Why a run ended that was stopped."""

_asked = False


def heed() -> None:
    """From now on this process heeds the signal; what was asked before is forgotten."""
    global _asked
    signal.signal(SIGNAL, _ask)
    _asked = False


def stop_asked() -> bool:
    """Whether the run that is under way shall end."""
    return _asked


def _ask(number: int, frame: FrameType | None) -> None:
    global _asked
    _asked = True
