"""The peers of races: packages and programs of others, in an environment of their own or in ours.

`--peers DIR` names a folder that `python3 -m venv` has made. Its packages are imported, and its
programs started, where our own environment and PATH have none.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from argparse import ArgumentParser
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

PACKAGES = {
    "ac-library-python": "atcoder",
    "cpmpy": "cpmpy",
    "ms_toollib": "ms_toollib",
    "networkx": "networkx",
    "scipy": "scipy",
}
"""Of each package the module to import."""

PROGRAMS = {"bapctools": "bt", "rbx-cp": "rbx"}
"""Of each package the program to start."""

VERSIONS = {"bapctools": "==2026.9.0"}
"""`bt fuzz` of bapctools 2026.10.0 ends with an AssertionError once it has a failing input."""


def add_argument(parser: ArgumentParser) -> None:
    """The option `--peers`."""
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="DIR",
        help="a virtual environment with the packages and programs to race with",
    )


def use(folder: Path | None) -> None:
    """Let packages of this environment be imported, where ours has none."""
    if folder is not None:
        sys.path += map(str, folder.glob("lib/python*/site-packages"))


def program(package: str, folder: Path | None) -> str | None:
    """The path of a package's program, in an environment or else on PATH; None if it is missing."""
    name = PROGRAMS[package]
    within = shutil.which(name, path=str(folder / "bin")) if folder is not None else None
    return within or shutil.which(name)


def missing(folder: Path | None) -> list[str]:
    """The packages that are neither in this environment nor in ours. After `use`."""
    packages = [name for name, module in PACKAGES.items() if find_spec(module) is None]
    return packages + [name for name in PROGRAMS if program(name, folder) is None]


def how_to_install(names: list[str]) -> str:
    """The command that installs packages into an environment for `--peers`."""
    packages = " ".join(name + VERSIONS.get(name, "") for name in names)
    return f"python3 -m venv DIR && DIR/bin/pip install {packages}"


def version_of(package: str, path: str) -> str:
    """A package with its version, as the environment of its program knows it."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        python = Path(path).resolve().with_name("python")
        line = f"from importlib.metadata import version; print(version({package!r}))"
        ended = subprocess.run([python, "-c", line], capture_output=True, text=True, check=False)
        return f"{package} {ended.stdout.strip() or 'of unknown version'}"
