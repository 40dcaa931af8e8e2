"""Loading a user's puzzle: its files are imported from their texts once in a process, examined, and its functions are watched."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module, invalidate_caches
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from io import StringIO
from pathlib import Path
from types import ModuleType

from puzzles.backend import SIDES, collected, enter, forget, registered
from puzzles.home import Home
from puzzles.puzzle import Puzzle
from puzzles.text import UserError
from puzzles.user.guarding import TooLong, at_most, watched, watched_backend
from puzzles.user.requirements import examine, lacks_methods, the_puzzle
from puzzles.user.user_file import FIRST, SUFFIX, PuzzleFault, UserFile, fault, place_of_error, raised


class UserModules(MetaPathFinder, ExecutionLoader):
    """Finds and loads the modules of one own puzzle. They need not exist on this machine: their texts have travelled here."""

    def __init__(self, file: UserFile) -> None:
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


def import_files(file: UserFile, rooms: Sequence[str]) -> ModuleType:
    """Import the file, or the folder's `__init__.py` and then its rooms of these names, if there are such rooms.

    Raises whatever the files raise; then none of their modules stays.
    """
    modules = UserModules(file)
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


def take_away(file: UserFile) -> None:
    """Forget the modules that were imported from this file or folder."""
    for name in [name for name in sys.modules if _belongs(name, file.module)]:
        del sys.modules[name]
    sys.meta_path[:] = [each for each in sys.meta_path if not (isinstance(each, UserModules) and each.name == file.module)]


def _belongs(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


IMPORT_S = 60.0
"""Seconds that importing the file may take."""


def load(file: UserFile) -> tuple[Puzzle, str]:
    """Import the file or folder. Returns its puzzle, whose backends are registered from now on, and what the import printed.

    Raises:
        PuzzleFault: something is wrong in it. Then nothing of it stays.
    """
    printed = StringIO()
    try:
        with collected() as backends:
            with redirect_stdout(printed), redirect_stderr(printed):
                module = _import(file)
            puzzle = the_puzzle(file, module)
            if file.installed_as:  # if somebody has imported the package before, its backends are registered already
                backends += [each for each in registered() if each.puzzle == puzzle.name and each not in backends]
            examine(file, puzzle, backends)
            puzzle = watched(puzzle, file)
            _complete(file, module, puzzle)
    except BaseException:
        take_away(file)
        raise
    forget(puzzle.name)
    for backend in backends:
        enter(watched_backend(backend, file))
    return puzzle, printed.getvalue()


def _import(file: UserFile) -> ModuleType:
    """Import the file, or the folder with the rooms that hold its backends."""
    try:
        with at_most(IMPORT_S):
            return import_files(file, SIDES)
    except UserError:
        raise
    except (Exception, SystemExit, TooLong) as error:
        lack = lacks_methods(file, error) if isinstance(error, TypeError) and "abstract" in str(error) else None
        raise lack or _beside(file, error) or raised(file, error, "importing the file") from None


def _beside(file: UserFile, error: BaseException) -> PuzzleFault | None:
    """What to do about the import of a module that lies beside the file or in the folder; None if it is about another one."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if not name:
        return None
    place, folder = place_of_error(file, error), Path(file.path).parent
    if file.is_folder and (name == folder.name or f"{name}{SUFFIX}" in dict(file.others)):
        dots = "." if name == folder.name else f".{name}"
        return fault(file, place, f"there is no module {name}: modules of this folder are imported as `from {dots} import ...`")
    if not file.is_folder and (folder / f"{name}{SUFFIX}").is_file():
        return fault(
            file,
            place,
            f"there is no module {name}: {name}{SUFFIX} beside this file is no part of the puzzle: put both into a folder, "
            f"name this one __init__.py, and write `from .{name} import ...`",
        )
    return None


def _complete(file: UserFile, module: ModuleType, puzzle: Puzzle) -> None:
    """Set what the file leaves to be set."""
    puzzle.source = puzzle.source or file.argument
    place = Path(file.path).parent if file.is_folder else Path(file.path).with_suffix("")
    puzzle.home = Home(file.argument, place / "data", file, module.__doc__ or "")
    if not puzzle.families:
        raise fault(file, None, "there are no instances to try: write `families`, or `example`, a small input file")
    puzzle.complete()
