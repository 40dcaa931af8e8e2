"""The first line of a file of records: what was run, how, and on what machine."""

from __future__ import annotations

import json
import os
import platform
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

import psutil

from compare.campaign.lines import HeaderLine, decode
from compare.campaign.record import FILE_FORMAT
from compare.campaign.tasks import Settings
from compare.isolate.outcome import Limits

PACKAGES = ("twofold", "python-sat", "ortools", "numpy", "numba", "msgspec", "psutil", "tabulate", "tqdm")


@dataclass(frozen=True)
class Environment:
    """What timings depend on; `machine` and `cores` are None if unknown.

    `versions` has None for a missing package; `memory` is in bytes.
    """

    versions: dict[str, str | None]
    python: str
    os: str
    machine: str | None
    processor: str
    cores: int | None
    memory: int


def versions() -> dict[str, str | None]:
    """The installed version of each package, None for one that is missing."""
    installed: dict[str, str | None] = {}
    for package in PACKAGES:
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
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@dataclass(frozen=True)
class Header:
    """The first line of a file of records."""

    command: str
    settings: Settings
    environment: Environment

    @classmethod
    def of(cls, words: Sequence[str], settings: Settings) -> Self:
        """The header of a run that this command line starts here and now."""
        command = shlex.join(["python", "-m", "compare", *words])
        return cls(command.encode(errors="backslashreplace").decode(), settings, environment())  # as a file keeps it

    @property
    def executor(self) -> str:
        """Where the runs were made."""
        return "this machine" if self.settings.scheduler is None else f"Dask cluster at {self.settings.scheduler}"

    def items(self) -> dict[str, Any]:
        """All fields by name, nested ones flat."""
        own = {"file_format": FILE_FORMAT, "command": self.command, "executor": self.executor}
        return own | asdict(self.settings) | asdict(self.environment)

    def line(self) -> str:
        """The header as one line of JSON, without the line's end."""
        return json.dumps({"header": True, **self.items()})

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The header that `line` wrote; raises `ValueError` for anything else."""
        values = decode(line, HeaderLine)
        if values.file_format != FILE_FORMAT:
            raise ValueError(f"its file format is {values.file_format}, and this program reads {FILE_FORMAT}")
        limits = values.limits
        settings = Settings(
            limits=Limits(limits.seconds, limits.memory, limits.output),
            repeats=values.repeats,
            check=values.check,
            jobs=values.jobs,
            format=values.format,
            plugins=values.plugins,
            scheduler=values.scheduler,
        )
        machine = Environment(**{f.name: getattr(values, f.name) for f in fields(Environment)})
        return cls(values.command, settings, machine)

    def differences(self, other: Header) -> Iterator[str]:
        """What timings depend on and differs in another header, a line each."""
        old, new = self.items(), other.items()
        for name in ("machine", "processor", "cores", "memory", "os", "python", "jobs", "limits", "executor"):
            if old[name] != new[name]:
                yield f"{name}: {old[name]} then, {new[name]} now"
        before, after = self.environment.versions, other.environment.versions
        for package in dict.fromkeys([*before, *after]):
            if before.get(package) != after.get(package):
                yield f"{package}: {before.get(package) or 'missing'} then, {after.get(package) or 'missing'} now"
