"""Importing a plugin: a Python file that registers backends. What it does is foreign code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def load_plugin(path: str) -> None:
    """Import one file, once in this process, whatever it raises."""
    name = f"twofold_plugin_{abs(hash(Path(path).resolve()))}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
