"""Tests that do not run everywhere: they need packages or programs, or are slow."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest

from compare.commands.doctor.command import BROWSERS

BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
"""The program for tests in a browser."""

NO_BROWSER = f"there is no Chromium here: apt-get install {BROWSERS[0]}"


def needs(*packages: str) -> None:
    """Skip the test, or the module while it is loaded, unless these packages are there.

    They are only looked for. Each process of the tests loads all modules, and what one of them
    imports is then in all of them, and makes each fork dearer.
    """
    for name in packages:
        if find_spec(name) is None:
            pytest.skip(
                f"{name} is not installed: pip install -e '.[test]'", allow_module_level=True
            )


def slow(*values: object, id: str | None = None) -> object:
    """Values of a parametrised test that make it slow."""
    return pytest.param(*values, marks=pytest.mark.slow, id=id)
