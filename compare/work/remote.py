"""The door of a Dask process to our packages.

`dask scheduler` and `dask worker` are console scripts, so Python looks for modules in the folder of
scripts first. There python-sat installs a `models.py` of its own. Dask imports this module before
anything else of ours, so it imports nothing of ours itself, and a call crosses the cluster as
bytes, which are read when the way is clear.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

HOME = Path(__file__).resolve().parents[2]
"""The folder of our four packages."""

PACKAGES = ("puzzles", "direct", "models")

_guard = Lock()


def perform_pickled(call: bytes) -> Any:
    """Carry a pickled call out, the arguments of `compare.work.cluster.perform`, on this Dask
    worker.
    """
    with _guard:
        find_ours()
        perform = importlib.import_module("compare.work.cluster").perform
    return perform(*pickle.loads(call))  # noqa: S301 (whoever may submit to a Dask cluster may run code there)


def find_ours() -> None:
    """Make this process find our packages: forget modules that bear their names, and the folders
    where those lie.
    """
    for package in PACKAGES:
        ours = HOME / package / "__init__.py"
        loaded = sys.modules.get(package)
        if loaded is not None and Path(loaded.__file__ or "").resolve() != ours:
            for name in [
                name for name in sys.modules if name == package or name.startswith(f"{package}.")
            ]:
                del sys.modules[name]
        while (
            (spec := find_spec(package)) is not None
            and spec.origin is not None
            and Path(spec.origin).resolve() != ours
        ):
            origin = Path(spec.origin).resolve()
            folder = origin.parents[origin.name == "__init__.py"]
            kept = [entry for entry in sys.path if Path(entry).resolve() != folder]
            if len(kept) == len(sys.path):
                return  # something other than the path finds it, and the import says what
            sys.path[:] = kept
