"""Importing the files of a puzzle of one's own from their texts, under a name of their own; a folder becomes a package."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Sequence
from importlib import import_module, invalidate_caches
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

from puzzles.own.own_file import FIRST, OwnFile


class OwnModules(MetaPathFinder, ExecutionLoader):
    """Finds and loads the modules of one own puzzle. They need not exist on this machine: their texts have travelled here."""

    def __init__(self, file: OwnFile) -> None:
        self.name = file.module
        self._paths, self._texts = file.modules, file.texts

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The specification of a module of this puzzle; None for any other module."""
        if fullname not in self._paths:
            return None
        spec = spec_from_loader(fullname, self, is_package=self.is_package(fullname))
        if spec is not None and spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [str(Path(self._paths[fullname]).parent)]  # compiled modules are found there
        return spec

    def get_filename(self, fullname: str) -> str:
        """The absolute path of the module's file."""
        return self._paths[fullname]

    def get_source(self, fullname: str) -> str:
        """The module's text."""
        return self._texts.get(self._paths[fullname], "")

    def is_package(self, fullname: str) -> bool:
        """Whether the module is the folder itself, or a folder in it."""
        return Path(self._paths[fullname]).name == FIRST

    def rooms(self, name: str) -> list[str]:
        """The module `name` beside the puzzle's `__init__.py`, and all below it if that is a folder."""
        room = f"{self.name}.{name}"
        return [each for each in self._paths if each == room or each.startswith(f"{room}.")]


def import_own(file: OwnFile, rooms: Sequence[str]) -> ModuleType:
    """Import the file, or the folder's `__init__.py` and then its rooms of these names, if there are such rooms.

    Raises whatever the files raise; then none of their modules stays.
    """
    modules = OwnModules(file)
    for path, text in file.texts.items():  # tracebacks show lines from here
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    if not file.installed_as:  # a module that is there already would register no backends
        take_away(file)
    sys.meta_path.insert(0, modules)
    invalidate_caches()
    try:
        module = import_module(modules.name)
        for room in rooms if file.is_folder else ():
            for name in modules.rooms(room):
                import_module(name)
    except BaseException:
        take_away(file)
        raise
    return module


def take_away(file: OwnFile) -> None:
    """Forget the modules that were imported from this file or folder."""
    for name in [name for name in sys.modules if _belongs(name, file.module)]:
        del sys.modules[name]
    sys.meta_path[:] = [each for each in sys.meta_path if not (isinstance(each, OwnModules) and each.name == file.module)]


def _belongs(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
