"""`compare doctor`: what is installed, what is missing and how to get it, and which limits hold
here, each tried for real.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import psutil

import puzzles
from compare.engine.campaign import header
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.asking import start_program
from compare.engine.work.contenders import backends
from compare.engine.work.pool import Pool
from compare.engine.work.programs import allow_stack
from compare.show.table import Table, print_table
from puzzles.extras import EXTRAS, install
from puzzles.shell.argument_parser import ArgumentParser

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs for the tests in a browser; the first has no windows, toolbars or extensions, and takes
half the time of the others.
"""


def arguments(parser: ArgumentParser) -> None:
    """No argument: it says all that it knows."""


def main(options: argparse.Namespace) -> int:
    """Print the state of this installation.

    Returns:
        0 if all is well, with or without the optional extras; 3 if `compare` lacks something that
        it needs, or a
            limit does not hold.
    """
    well = _packages()
    well &= _backends()
    print(f"kernels are kept in {_kernels()}")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    print(
        "browser for the tests of the page and of the report: "
        f"{browser or f'none; apt-get install {BROWSERS[0]}'}"
    )
    stack = call(allow_stack, None, limits=Limits(5)).value
    print(f"the stack of a program without --memory: {stack or 'of any size'}\n")
    tried = {name: _wrong(trial) for name, trial in LIMIT_TRIALS.items()}
    well &= not any(tried.values())
    rows = ([name, wrong or "holds"] for name, wrong in tried.items())
    print_table(Table.of("", ["limit", "here"], rows))
    print("all is well" if well else "NOT ALL IS WELL: see above")
    return 0 if well else 3


def _packages() -> bool:
    """Print the installed versions, with the line that installs what is missing; whether nothing
    needed is missing.
    """
    versions = header.versions()
    rows = [
        (name, version or "missing", "" if version else f"pip install {name}")
        for name, version in versions.items()
    ]
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        state = f"without {', '.join(missing)}" if missing else "there"
        rows.append((f"extra: {extra}", state, install(extra) if missing else ""))
    print(f"Python {sys.version.split()[0]}, {sys.executable}")
    print_table(Table.of("", ["package", "version", "to install"], rows))
    return all(versions.values())


def _backends() -> bool:
    """Print how many backends can run, and why the others cannot; whether all can but those that
    need an optional extra.
    """
    known = [backend for name in puzzles.names() for backend in backends(name)]
    absent = [(backend, reason) for backend in known if (reason := backend.available())]
    print(
        f"{len(known) - len(absent)} of {len(known)} backends of {len(puzzles.names())} puzzles "
        "can run"
    )
    for backend, reason in absent:
        print(f"  {backend.puzzle} {backend.label}: {reason}")
    optional = {module for modules in EXTRAS.values() for module in modules}
    return all(
        find_spec(module) or module in optional
        for backend, _ in absent
        for module in backend.requires
    )


def _kernels() -> str:
    """The folder of Numba's cache and what is in it."""
    from direct.kernel import Kernel

    loaded = [module for name, module in sys.modules.items() if name.startswith("direct.")]
    kernel = next(
        (each for module in loaded for each in vars(module).values() if isinstance(each, Kernel)),
        None,
    )
    if kernel is None:
        return "no folder: there are none"
    path = kernel.native.stats.cache_path
    if path is None:
        return (
            "no folder, for none can be written: every process compiles anew; NUMBA_CACHE_DIR may "
            "name one"
        )
    kept = list(Path(path).glob("*.nbc"))
    return (
        f"{path}: {len(kept)} of them, {sum(each.stat().st_size for each in kept) / 2**20:.1f} MB"
    )


def _forever() -> None:
    while True:
        pass


def _answer() -> bytes:
    return bytes(2**22)


class LimitTrial(NamedTuple):
    """What tries to break a limit, a shell script or a function that plays a plugin, and how it
    has to end.
    """

    what: Callable[[], object] | str
    limits: Limits
    ends: Status


LIMIT_TRIALS = {
    "seconds (an endless loop is stopped, less than half a second late)": LimitTrial(
        _forever, Limits(0.3), Status.TIMEOUT
    ),
    "resident memory of a program's whole tree": LimitTrial(
        f"'{sys.executable}' -c 'x = bytearray(200 * 2**20)\nimport time; time.sleep(20)' & wait",
        Limits(20, 100 * 2**20),
        Status.MEMORY,
    ),
    "bytes that a program prints": LimitTrial(
        "cat /dev/zero", Limits(10, output=2**20), Status.ERROR
    ),
    "bytes that a plugin answers": LimitTrial(_answer, Limits(10, answer=2**20), Status.ERROR),
    "nothing is left running, whatever session it fled to": LimitTrial(
        "setsid sleep 31.4 & exit 0", Limits(5), Status.OK
    ),
    "an abort is a row and not the end": LimitTrial(os.abort, Limits(5), Status.CRASH),
}
"""What each limit promises, and what tries to break it."""


def _wrong(trial: LimitTrial) -> str | None:
    """What is wrong with how a trial ends; None if the limit holds."""
    if isinstance(trial.what, str):
        pool = Pool()
        try:
            ended = start_program(pool, ["sh", "-c", trial.what], b"", trial.limits)
        finally:
            pool.close()
    else:
        ended = call(trial.what, limits=trial.limits, foreign=True)
    late = (ended.usage.wall_s or 0) - trial.limits.seconds
    left = [
        each.pid
        for each in psutil.process_iter(["cmdline"])
        if each.info["cmdline"] == ["sleep", "31.4"]
    ]
    if ended.status is not trial.ends:
        return f"NOT HELD: {ended.status} {ended.detail}"
    if late >= 0.5:
        return f"NOT HELD: stopped {late:.2f} s late"
    return f"NOT HELD: {len(left)} processes are left" if left else None
