"""The optional extras of `pyproject.toml`: what each brings, and the line that installs it."""

from __future__ import annotations

from collections.abc import Iterable

EXTRAS = {
    "report": ("jinja2", "matplotlib"),
    "cluster": ("dask", "distributed"),
    "count": ("pysdd",),
    "peers": ("atcoder", "ms_toollib", "networkx", "scipy"),
}
"""The packages of each extra, by the name under which they are imported."""


def install(extra: str) -> str:
    """The line that installs an extra, in a checkout."""
    return f"pip install -e '.[{extra}]'"


def not_installed(modules: Iterable[str]) -> str:
    """That the modules are missing, with the line that installs the extras that bring them."""
    missing = list(modules)
    lines = [install(extra) for extra, brought in EXTRAS.items() if set(brought) & set(missing)]
    return f"{', '.join(missing)} not installed" + (f": {' && '.join(lines)}" if lines else "")
