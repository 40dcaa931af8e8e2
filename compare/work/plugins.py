"""Plugins: Python files that register backends."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from puzzles.text import UserError


def load_plugins(paths: Iterable[str]) -> None:
    """Import each file, once in this process.

    Raises:
        UserError: a file cannot be read, or raises when it is imported.
    """
    for path in paths:
        try:
            load_plugin(path)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            if isinstance(error, OSError) and Path(str(error.filename)).resolve() == Path(path).resolve():
                reason = error.strerror
            raise UserError(f"--plugin {path}: {reason}") from None


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
