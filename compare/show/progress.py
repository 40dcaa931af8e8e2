"""What is shown on a terminal while a command works: its bar, and what is compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable
from shutil import get_terminal_size
from typing import Any, NoReturn

from tqdm import tqdm

from compare.show.wording import LISTENER
from direct.kernel import compiling_s


def progress_bar(*, quiet: bool = False, **options: Any) -> tqdm[NoReturn]:
    """A bar on stderr with these options of `tqdm`, if that is a terminal; also on one that does
    not tell its size.
    """
    size, listener = get_terminal_size(), LISTENER.get()
    return tqdm(
        disable=True if quiet or (listener is not None and not listener.progress) else None,
        leave=False,
        ncols=size.columns,
        nrows=size.lines,
        **options,
    )


def run_until_interrupted(run: Callable[[], object]) -> bool:
    """Run it; whether Ctrl-C has ended it. What it found so far still counts."""
    try:
        run()
    except KeyboardInterrupt:
        return True
    return False


def say_what_is_compiled(puzzle: str) -> None:
    """Say that a puzzle's kernels are compiled, which takes a while; on a terminal only."""
    listener = LISTENER.get()
    if sys.stderr.isatty() and (listener is None or listener.progress):
        known = compiling_s(puzzle)
        seconds = f" (about {known} s of computing)" if known else ""
        print(f"compiling {puzzle} once for this machine{seconds} ...", file=sys.stderr, flush=True)


def round_time(seconds: float) -> str:
    """A time for people: `40 s`, `6 min`, `2 h 5 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
