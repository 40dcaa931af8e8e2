"""Old names that keep working for one release, each with a `DeprecationWarning` that names the new one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any
from warnings import warn


def _warn(old: str, new: str, stacklevel: int) -> None:
    warn(f"{old} is now called {new}; the old name goes with the next release", DeprecationWarning, stacklevel=stacklevel)


class Renamed:
    """A class attribute under its old name: reading it warns and gives the attribute of the new name."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, instance: object, owner: type) -> Any:
        _warn(f"{owner.__name__}.{self.old}", self.new, 3)  # at the line that reads the attribute
        return getattr(owner if instance is None else instance, self.new)


def renamed_keywords(keywords: Mapping[str, Any], new_names: Mapping[str, str]) -> dict[str, Any]:
    """The keyword arguments of a function, with old names replaced by new ones; the warning is at the line that calls it."""
    for old in keywords.keys() & new_names.keys():
        _warn(f"{old}=", f"{new_names[old]}=", 4)
    return {new_names.get(name, name): value for name, value in keywords.items()}


def moved_name(module: str, name: str, new_modules: Mapping[str, str]) -> Any:
    """The object of a name that has moved to another module, for `__getattr__` of the old module; raises `AttributeError`."""
    if name not in new_modules:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    _warn(f"{module}.{name}", f"{new_modules[name]}.{name}", 4)
    return getattr(import_module(new_modules[name]), name)
