"""Importing a foreign Python file: a plugin that registers backends, or a solver.

What it does is foreign code.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def module_of(path: str | Path) -> ModuleType:
    """The module of a file, imported once in this process; raises whatever the file raises."""
    place = Path(path).resolve()
    name = f"twofold_file_{abs(hash(place))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
