"""The optional extras of `pyproject.toml`: the packages of each, and the command that installs
it.
"""

from __future__ import annotations

from collections.abc import Iterable

EXTRAS = {
    "report": ("jinja2", "matplotlib"),
    "cluster": ("dask", "distributed"),
    "count": ("pysdd",),
    "page": ("starlette", "uvicorn", "markdown_it"),
    "proofs": ("dratify",),
    "completion": ("argcomplete",),
    "benchmarks": ("atcoder", "cpmpy", "ms_toollib", "networkx", "pyperf", "scipy"),
}
"""The packages of each extra, by the names to import."""


def install(extra: str) -> str:
    """The command that installs an extra, in a checkout."""
    return f"pip install -e '.[{extra}]'"


def not_installed(modules: Iterable[str]) -> str:
    """A message that the modules are missing, with the command that installs the extras they belong
    to.
    """
    missing = list(modules)
    commands = [
        install(extra) for extra, packages in EXTRAS.items() if set(packages) & set(missing)
    ]
    return f"{', '.join(missing)} not installed" + (
        f": {' && '.join(commands)}" if commands else ""
    )
