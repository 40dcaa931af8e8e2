"""What all tests share: the official sample in a folder, and `--slow-seconds`, which runs a slice
of the slow tests.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path, PurePosixPath

import pytest

import puzzles
import puzzles.backend
import puzzles.registry
from puzzles.backend import registered
from tests.places import ROOT

UNUSUAL = ("PYTHONDONTWRITEBYTECODE",)
"""Variables that containers like to set.

Without this one our commands start as fast as they do for a user.
"""

LOADING = ("fuzz", "general", "measure", "prove", "show")
"""Rooms of `compare` whose tests load compiled kernels, solvers and Matplotlib into their
process.
"""

GENERAL = "compare.general."
"""How the modules of our installed puzzles begin.

Such a module is imported but once, and its backends stay registered.
"""

COMMITS = 5
"""Slow tests that concern what one of the last few commits changed have every second place; this is
the number of commits.
"""


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Plugins and puzzles of one's own that a test loads are gone after it.

    So tests may run in any order.
    """
    before = registered()
    yield
    for name in puzzles.user_files():
        del puzzles.registry.known[name]
    for each in registered():
        ours = each.function.__module__.startswith(("direct.", "models.", GENERAL))
        if not ours and each not in before:
            del puzzles.backend._registry[each.side, each.puzzle][each.name]


@pytest.fixture(autouse=True)
def variables() -> Iterator[None]:
    """What a command that runs in this process sets in the environment is gone after the test."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A folder with the official sample of beams and its answers: official.in, official.ans."""
    for path in sorted((puzzles.get("beams").data / "sample").glob("official.*")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow-seconds",
        type=float,
        metavar="N",
        help="start slow tests for N seconds, beginning with other ones at each commit, and name "
        "those that were not run",
    )


def pytest_configure(config: pytest.Config) -> None:
    for name in UNUSUAL:
        os.environ.pop(name, None)
    # A shell has what it starts in the background ignore Ctrl-C, and all that tests start would
    # ignore it, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seconds = config.getoption("--slow-seconds")
    if seconds is None:
        return
    if config.getoption("numprocesses", default=None):
        raise pytest.UsageError("--slow-seconds puts the tests in one order: it goes with -n 0")
    changed = _git("log", f"-{COMMITS}", "--format=", "--name-only") + _git(
        "diff", "--name-only", "HEAD"
    )
    config.pluginmanager.register(
        SlowSlice(seconds, _git("rev-parse", "HEAD"), changed), "slow slice"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of `compare` come first that leave their process small: others fork it, and then each
    fork takes a third less time.
    """
    items.sort(key=lambda item: loads(item.nodeid))


def loads(name: str) -> int:
    """How much tests like this one load into their process: 0 nothing, 1 something, 2 whatever they
    test.
    """
    _, room, inner, *_ = [*PurePosixPath(name.partition("::")[0]).parts, "", "", ""]
    return 2 if room != "compare" else int(inner in LOADING)


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end.

    Otherwise each fork of a test would look through them for garbage, and so copy them.
    """
    gc.collect()
    gc.freeze()


class SlowSlice:
    """Runs the slow tests after all others and one by one; starts none of them later than `seconds`
    after the first.

    Tests of what changed lately and other tests alternate, and each of the two begins with another
    test at another commit. So every slow test runs at some commit, as long as a single one takes
    less than `seconds`. A test that has started runs to its end. Whoever starts pytest limits the
    whole, and takes that limit for a failure.

    Args:
        seconds: for how long slow tests are started.
        commit: the hash of the commit in its only line; empty where there is no history.
        changed: the paths of the files that changed lately, relative to the checkout.
    """

    def __init__(self, seconds: float, commit: Sequence[str], changed: Iterable[str]) -> None:
        self.seconds = seconds
        self.turn = int(commit[0], 16) if commit else 0
        self.changed = set(changed)
        self.slow: set[str] = set()
        self.started: set[str] = set()
        self.end: float | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        slow = [item for item in items if item.get_closest_marker("slow") is not None]
        self.slow = {item.nodeid for item in slow}
        ordered = in_turn([item.nodeid for item in slow], self.turn, self.changed)
        by_name = {item.nodeid: item for item in slow}
        items[:] = [item for item in items if item.nodeid not in self.slow] + [
            by_name[name] for name in ordered
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if item.nodeid not in self.slow:
            return None
        if self.end is None:
            self.end = time.monotonic() + self.seconds
        if time.monotonic() >= self.end:
            return True
        self.started.add(item.nodeid)
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        not_run = sorted(self.slow - self.started)
        terminalreporter.write_line(
            f"slow tests: {len(self.started)} run, {len(not_run)} not run in {self.seconds:g} s"
        )
        for name in not_run:
            terminalreporter.write_line(f"not run: {name}")


def in_turn(names: Sequence[str], turn: int, changed: Iterable[str]) -> list[str]:
    """The tests by turns: one that concerns a changed file, one of the others, until both are
    through.

    Either sequence begins at the place that `turn` says, so another `turn` begins with other tests.
    """
    concerned = {name for name in names if any(concerns(path, name) for path in changed)}
    first = _rotated([name for name in names if name in concerned], turn)
    second = _rotated([name for name in names if name not in concerned], turn)
    return [name for name in chain.from_iterable(zip_longest(first, second)) if name is not None]


def concerns(path: str, name: str) -> bool:
    """Whether a test is about a file: about its module, its room of the tree, or its puzzle.

    Args:
        path: of the file, relative to the checkout.
        name: of the test, as pytest names it: `tests/models/test_lemmas_beams.py::test_name[case]`.

    The file is the test's own, or lies in the folder that the test's folder mirrors
    (`tests/compare/fuzz`: `compare/fuzz`), or it or one of its folders bears the name of a puzzle
    that stands in the case, or of the test's folder if that is a puzzle's. For tests of no puzzle's
    folder the name of the module counts as well, and each word of that name.
    """
    module, _, function = name.partition("::")
    if path == module:
        return True
    room = PurePosixPath(module).parts[1:-1]
    file = PurePosixPath(path)
    if len(room) > 1 and file.parts[: len(room)] == room:
        return True
    about = PurePosixPath(module).stem.removeprefix("test_")
    own = set(room) & set(puzzles.names())
    words = (own or {about, *about.split("_")}) | set(re.findall(r"[a-z]+", function)) & set(
        puzzles.names()
    )
    return file.parts[0] != "tests" and not words.isdisjoint({*file.parts[1:-1], file.stem})


def _rotated(names: Sequence[str], turn: int) -> list[str]:
    start = turn % len(names) if names else 0
    return [*names[start:], *names[:start]]


def _git(*words: str) -> list[str]:
    """The lines that git prints about this checkout; none where there is no git or no history."""
    try:
        ended = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return []
    return [line for line in ended.stdout.splitlines() if line] if ended.returncode == 0 else []
