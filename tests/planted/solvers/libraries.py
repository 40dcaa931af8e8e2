"""Builds the small IPASIR solver as a shared library, right or with a planted fault."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.places import PLANTED

SOURCE = PLANTED / "solvers" / "small_ipasir.c"

FAULTS = (
    "KEEPS_ASSUMPTIONS",
    "NO_CORE",
    "LOSES_CLAUSES",
    "WRONG_VALUE",
    "ONE_SIGN",
    "ODD_STATUS",
)
"""The faults that the source can be given."""


_BUILT = TemporaryDirectory(prefix="twofold-")
"""Where the libraries are; the folder goes when this process ends."""


@cache
def library(fault: str = "") -> Path:
    """The path of the library, built once in this process; the test is skipped if there is no C
    compiler.
    """
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    path = Path(_BUILT.name) / f"libsmall{fault.lower()}.so"
    macros = [f"-D{fault}"] if fault else []
    subprocess.run(
        [
            "cc",
            "-O1",
            "-Wall",
            "-Werror",
            "-shared",
            "-fPIC",
            *macros,
            "-o",
            str(path),
            str(SOURCE),
        ],
        check=True,
    )
    return path


def cadical_library(folder: Path) -> Path:
    """CaDiCaL as an IPASIR library, linked from Debian's archive; the test is skipped if that is
    not installed.
    """
    archive = next(Path("/usr/lib").glob("*/libcadical.a"), None)
    if archive is None or shutil.which("c++") is None:
        pytest.skip("no libcadical.a (Debian: libcadical-dev), or no C++ compiler")
    path = folder / "libipasircadical.so"
    subprocess.run(
        [
            "c++",
            "-shared",
            "-o",
            str(path),
            "-Wl,--whole-archive",
            str(archive),
            "-Wl,--no-whole-archive",
        ],
        check=True,
    )
    return path
