"""The browser in which reports are looked at."""

from __future__ import annotations

from tests.compare.commands.page.conftest import browser

__all__ = ["browser"]
