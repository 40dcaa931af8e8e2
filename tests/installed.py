"""Tests that need packages which need not be installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(*packages: str) -> None:
    """Skip the test, or the module while it is loaded, unless these packages are there.

    They are only looked for. Each process of the tests loads all modules, and what one of them imports is then in all of them,
    and makes each fork dearer.
    """
    for name in packages:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed: pip install -e '.[test]'", allow_module_level=True)
