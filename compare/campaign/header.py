"""What the figures depend on: machine, Python, packages."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

PACKAGES = ("twofold", "python-sat", "ortools", "numpy", "numba", "pebble", "psutil", "tabulate", "tqdm")


def versions() -> dict[str, str | None]:
    """The installed version of each package, None where it is missing."""
    found: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def processor() -> str:
    """The processor's name as the system gives it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def header(command: Sequence[str], **settings: object) -> dict[str, object]:
    """The first line of a file of records: the command line's words, how it was run, and on what."""
    return {
        "header": True,
        "command": shlex.join(["python", "-m", "compare", *command]),
        **settings,
        "versions": versions(),
        "python": platform.python_version(),
        "os": platform.platform(),
        "machine": platform.node(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
    }
