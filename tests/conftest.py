"""What all tests share: a clean registry and environment, the official sample in a folder, and the
order of the tests.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import puzzles
import puzzles.backend
import puzzles.registry
from puzzles.backend import all_backends
from tests.places import ROOT
from tests.prepared import freeze

UNUSUAL = ("PYTHONDONTWRITEBYTECODE",)
"""Variables that containers like to set.

Without this one our commands start as fast as they do for a user, and so does pytest: it keeps what
it makes of the tests.
"""

for _name in UNUSUAL:  # here, before `tests.forked` looks at the environment
    os.environ.pop(_name, None)
sys.dont_write_bytecode = False

LOADING = ("commands/fuzz", "commands/prove", "commands/scale", "show")
"""Folders of `compare` whose tests load compiled kernels, solvers and Matplotlib into their
process.
"""

LONGEST = (
    "compare/commands/page/test_in_browser_server.py::test_the_first_start_says_what_is_compiled",
    "compare/test_command_line.py::test_the_help_ends_with_examples_that_work[equivalent]",
    "mutants/test_share.py::test_a_share_of_the_killed_mutants_is_killed_again",
    "mutants/test_share.py::test_without_a_mutant_nothing_is_noticed",
)
"""Slow tests that take minutes.

They come first: one that began last would go on alone when all others have ended.
"""

TOGETHER = ("compare/commands/page/", "compare/commands/report/")
"""Folders whose tests run in one process each: they share browsers and servers, whose start takes
longer than most of these tests.
"""

GENERAL = "compare.commands.fuzz_formula."
"""How the modules of our installed puzzles begin.

Such a module is imported but once, and its backends stay registered.
"""


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Plugins and puzzles of one's own that a test loads are gone after it.

    So tests may run in any order.
    """
    before = all_backends()
    yield
    for name in puzzles.user_files():
        del puzzles.registry.known[name]
    for each in all_backends():
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


def pytest_configure() -> None:
    # A shell has what it starts in the background ignore Ctrl-C, and all that tests start would
    # ignore it, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Of several processes each begins with other modules: pytest rewrites the assertions of a
    module the first time, and keeps what it has written for all of them.
    """
    me: dict[str, Any] = getattr(session.config, "workerinput", {})
    if not me:
        return
    places = [Path(each.partition("::")[0]) for each in session.config.args]
    paths = sorted(path for place in places for path in place.rglob("test_*.py"))
    for path in paths[int(me["workerid"].removeprefix("gw")) :: me["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # collecting it says what is wrong
            import_module(".".join(path.resolve().relative_to(ROOT).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest come first, then folders that stay together, then tests of `compare` that leave
    their process small: others fork it, and then each fork takes a third less time.
    """
    items.sort(
        key=lambda item: (not is_long(item.nodeid), group(item.nodeid) == "", loads(item.nodeid))
    )


def is_long(name: str) -> bool:
    return name.removeprefix("tests/").startswith(LONGEST)


def group(name: str) -> str:
    """The folder with which this test stays together; empty if there is none."""
    path = name.removeprefix("tests/")
    return next((each for each in TOGETHER if path.startswith(each)), "")


def loads(name: str) -> int:
    """How much tests like this one load into their process: 0 nothing, 1 something, 2 whatever they
    test.
    """
    path = name.partition("::")[0].removeprefix("tests/")
    if not path.startswith("compare/"):
        return 2
    return int(path.startswith(tuple(f"compare/{folder}/" for folder in LOADING)))


class FilesOrFolders(LoadFileScheduling):
    """Gives each process a file at a time, or a folder of `TOGETHER`."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid) or super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesOrFolders | None:
    return FilesOrFolders(config, log) if config.option.dist == "loadfile" else None


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end.

    Otherwise each fork of a test would look through them for garbage, and so copy them. What tests
    make is seldom garbage that Python has to look for.
    """
    freeze()
    gc.set_threshold(20_000, 20, 20)
