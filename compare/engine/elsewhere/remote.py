"""The door of a Dask process to our packages.

`dask scheduler` and `dask worker` are console scripts, so Python looks for modules in the folder of
scripts first. There python-sat installs a `models.py` of its own. Dask imports this module before
the rest of this project, so it imports nothing of the project itself, and a call crosses the
cluster as bytes, which are read when the way is clear.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from pathlib import Path
from threading import Lock
from typing import Any

_FOLDER = Path(__file__).resolve().parents[3]
"""The folder of our four packages."""

_PACKAGES = ("puzzles", "direct", "models")

_guard = Lock()


def perform_pickled(call: bytes) -> Any:
    """Carry a pickled call out on this Dask worker: the arguments of
    `compare.engine.elsewhere.cluster.perform`.
    """
    with _guard:
        find_ours()
        perform = importlib.import_module("compare.engine.elsewhere.cluster").perform
    return perform(*pickle.loads(call))  # noqa: S301 (whoever may submit to a Dask cluster may run code there)


def find_ours() -> None:
    """Make this process find our packages first, and forget modules that bear their names."""
    if sys.path[0] != str(_FOLDER):
        sys.path.insert(0, str(_FOLDER))
    for package in _PACKAGES:
        loaded = sys.modules.get(package)
        if loaded is not None and Path(loaded.__file__ or "").resolve().parent != _FOLDER / package:
            for name in list(sys.modules):
                if name == package or name.startswith(f"{package}."):
                    del sys.modules[name]
