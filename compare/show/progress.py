"""The progress bar of a campaign: how many runs have ended, how long the others may take, and which
one is under way.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from shutil import get_terminal_size
from time import monotonic
from typing import Any, NoReturn

from tqdm import tqdm

from compare.engine.work.ask import Ask
from compare.engine.work.contenders import Kind
from compare.engine.work.result import RunKey
from compare.show.wording import LISTENER, pass_on
from direct.kernel import compiling_s

_FIRST_S = 3.0
"""Seconds before which no estimate is worth showing."""

_FORMAT = "{n_fmt}/{total_fmt} runs |{bar}| [{elapsed}{postfix}]"


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


class TimeLeft:
    """How long the runs that are left may take: each one as long as the runs of its kind have taken
    so far, on average.

    A kind is one contender on one dataset. What of a kind has never run is left out, and then the
    estimate is a lower bound: one run may take a million times as long as another. Runs on files
    that have not been read yet are expected to take as long as all runs so far.
    """

    def __init__(self, kinds: Iterable[Hashable]) -> None:
        self._left = Counter(kinds)
        self.unread = 0
        self._ended: Counter[Hashable] = Counter()
        self._spent = defaultdict[Hashable, float](float)

    def expect(self, kinds: Iterable[Hashable], unread: int) -> None:
        """Note more runs, and how many are left on files that have not been read."""
        self._left.update(kinds)
        self.unread = unread

    def note_end(self, kind: Hashable, seconds: float) -> None:
        """Note that a run of this kind has ended, `seconds` after the one before it, whatever ran
        at the same time.
        """
        self._left[kind] -= 1
        self._ended[kind] += 1
        self._spent[kind] += seconds

    def __str__(self) -> str:
        waiting = +self._left
        known = [kind for kind in waiting if self._ended[kind]]
        seconds = sum(waiting[kind] * self._spent[kind] / self._ended[kind] for kind in known)
        if self.unread and self._ended:
            seconds += self.unread * sum(self._spent.values()) / self._ended.total()
        return f"{'about' if len(known) == len(waiting) else 'at least'} {round_time(seconds)} left"


class RunBar(AbstractContextManager["RunBar"]):
    """A bar on stderr, if that is a terminal.

    Answers that exist already, and what is skipped or spared, are no runs.
    """

    def __init__(self, asks: Sequence[Ask], *, quiet: bool = False) -> None:
        self._bar = progress_bar(total=0, quiet=quiet, bar_format=_FORMAT)
        self._started = self._last_end = monotonic()
        self._waiting: dict[RunKey, None] = {}
        """The runs that have not ended, in their order."""
        self._time_left = TimeLeft(())
        self.expect(asks, 0)

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def expect(self, asks: Sequence[Ask], unread: int) -> None:
        """Note more runs, and how many are left on files that have not been read."""
        if self._bar.disable:
            return
        runs = [
            run
            for ask in asks
            if ask.contender.kind is not Kind.GIVEN and ask.skipped_result is None
            for run in ask.run_keys
        ]
        self._waiting |= dict.fromkeys(runs)
        self._time_left.expect(map(_kind_of, runs), unread)
        self._bar.total = self._bar.n + len(self._waiting) + unread
        self._describe()

    def note_end(self, run: RunKey) -> None:
        """Note that this run has ended."""
        if run in self._waiting:
            del self._waiting[run]
            now = monotonic()
            self._time_left.note_end(_kind_of(run), now - self._last_end)
            self._last_end = now
            self._bar.update()
            self._describe()

    def write(self, text: str) -> None:
        """Print lines on stderr, above the bar."""
        pass_on(text)

    def _describe(self) -> None:
        """Say how much time is left, and name the run that has been under way for longest."""
        for oldest in islice(self._waiting, 1):
            left = f"{self._time_left}, " if self._last_end - self._started > _FIRST_S else ""
            key = oldest.instance
            self._bar.set_postfix_str(f"{left}{key.puzzle} {key.dataset} {oldest.contender}")


def _kind_of(run: RunKey) -> Hashable:
    return run.instance.dataset, run.contender


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
