"""The first line of a file of records: what was run, how, and on what machine.

It stands there again where the run was resumed, and at the end if fewer runs are planned than it
says.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

import msgspec
import psutil

from compare.engine.campaign.plan import Settings
from compare.engine.work.json_lines import decode
from puzzles.text import escape

_PACKAGES = (
    "twofold",
    "python-sat",
    "ortools",
    "numpy",
    "numba",
    "msgspec",
    "psutil",
    "tabulate",
    "tqdm",
)

FILE_FORMAT = 3
"""The number of the format of results, which stands in the header of each file."""

CHANGED = ", files changed"
"""Stands behind the commit of a checkout whose files are not those of the commit."""


@dataclass(frozen=True)
class Environment:
    """What timings depend on; a field is None if this system does not tell it.

    Attributes:
        versions: of packages; None for a missing one.
        memory: in bytes.
        started: date and time with the zone, in ISO 8601.
        commit: of the checkout that runs, marked if its files have changed since.
        load: the load averages over 1, 5 and 15 minutes.
    """

    versions: dict[str, str | None]
    python: str
    os: str
    machine: str | None
    processor: str
    cores: int | None
    memory: int
    started: str
    commit: str | None
    load: tuple[float, float, float] | None


def versions() -> dict[str, str | None]:
    """The installed version of each package, None for one that is missing."""
    installed: dict[str, str | None] = {}
    for package in _PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            installed[package] = None
    return installed


def environment() -> Environment:
    """This machine."""
    return Environment(
        versions(),
        platform.python_version(),
        platform.platform(),
        platform.node(),
        _processor(),
        os.cpu_count(),
        psutil.virtual_memory().total,
        datetime.now().astimezone().isoformat(timespec="seconds"),
        commit(Path(__file__).resolve().parents[3]),
        psutil.getloadavg(),
    )


def commit(checkout: Path) -> str | None:
    """The commit of a checkout, with a mark if its files have changed; None if it is no checkout,
    or git is missing.
    """
    if not (checkout / ".git").exists():
        return None
    # Without optional locks: a run that is killed leaves none behind.
    git = ["git", "--no-optional-locks", "-C", str(checkout)]
    status = [*git, "status", "--porcelain=v2", "--branch"]
    try:
        printed = subprocess.check_output(status, stderr=subprocess.DEVNULL)
        lines = printed.decode(errors="replace").splitlines()
    except (OSError, subprocess.CalledProcessError):
        return None
    number = next(line.split()[-1] for line in lines if line.startswith("# branch.oid "))
    changed = any(not line.startswith("#") for line in lines)
    return None if number == "(initial)" else number + (CHANGED if changed else "")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@dataclass(frozen=True)
class Header:
    """The first line of a file of records.

    Attributes:
        planned: how many records there are at the end, at most; None if nobody knows.
    """

    command: str
    settings: Settings
    environment: Environment
    planned: int | None = None

    @classmethod
    def of(cls, words: Sequence[str], settings: Settings, planned: int | None = None) -> Self:
        """The header of a run that this command line starts here and now."""
        command = shlex.join(["python", "-m", "compare", *words])
        return cls(escape(command), settings, environment(), planned)  # as a file keeps it

    @property
    def executor(self) -> str:
        """Where the runs were made."""
        elsewhere = self.settings.elsewhere
        return "this machine" if elsewhere is None else str(elsewhere)

    def items(self) -> dict[str, Any]:
        """All fields by name, nested ones flat."""
        own = {
            "file_format": FILE_FORMAT,
            "command": self.command,
            "planned": self.planned,
            "executor": self.executor,
        }
        return own | asdict(self.settings) | asdict(self.environment)

    @property
    def when(self) -> str:
        """When it was run, of which commit and at which load; empty if the file says none of it."""
        env = self.environment
        parts = [env.started or ""]
        if env.commit is not None:
            number, changed, _ = env.commit.partition(CHANGED)
            parts.append(f"commit {number[:12]}{changed}")
        if env.load is not None:
            parts.append(f"load {env.load[0]:.1f}")
        return ", ".join(part for part in parts if part)

    def line(self) -> str:
        """The header as one line of JSON, without the line's end."""
        return json.dumps({"header": True, **self.items()})

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The header that `line` wrote; raises `ValueError` for anything else."""
        values = decode(
            line, {"command", *Settings.__dataclass_fields__, *Environment.__dataclass_fields__}
        )
        if values.get("file_format") != FILE_FORMAT:
            raise ValueError(
                f"its file format is {values.get('file_format')}, and this program reads "
                f"{FILE_FORMAT}"
            )
        settings = msgspec.convert(values, Settings)
        if not settings.limits.seconds >= 0:
            raise ValueError("its time limit is out of range")
        return cls(
            str(values.get("command")),
            settings,
            msgspec.convert(values, Environment),
            msgspec.convert(values.get("planned"), int | None),
        )
