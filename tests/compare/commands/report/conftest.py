"""The browser in which reports are looked at, and plots that are drawn once."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from compare.commands.report import html
from compare.commands.report.html import svg_of
from compare.show.plots import Plot
from tests.compare.commands.page.conftest import browser

__all__ = ["browser"]


@pytest.fixture(scope="package", autouse=True)
def draws_once() -> Iterator[None]:
    """Reports that are made in this process draw the same plot once: many tests report on the same
    records, and most of their time is that of the plots.
    """
    drawn: dict[bytes, str] = {}

    def once(plot: Plot) -> str:
        key = pickle.dumps(plot)
        if key not in drawn:
            drawn[key] = svg_of(plot)
        return drawn[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "svg_of", once)
        yield
