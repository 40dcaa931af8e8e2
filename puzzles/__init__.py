"""The puzzles: boards, text formats, answers, independent checks, families and pictures."""

from __future__ import annotations

from puzzles.shell import interruption

# The line above puts Ctrl-C in order, so nothing else is imported before it.
# isort: split
import sys
from contextlib import suppress
from pkgutil import iter_modules
from typing import Any

from puzzles import registry
from puzzles.puzzle import Puzzle
from puzzles.registry import BrokenPuzzle, get
from puzzles.text import UnknownName, UserError, label_lines
from puzzles.user.user_file import (
    UserFile,
    fault_raised,
    hint,
    installed_file,
    installed_puzzles,
    is_path,
    place_of_error,
    read_user_file,
)

__all__ = [
    "find",
    "get",
    "installed_names",
    "interruption",
    "load",
    "loadable",
    "names",
    "user_files",
]

_NO_PUZZLES = ("user", "shell", "space")
"""The packages in this folder that are no puzzles."""


def names() -> list[str]:
    """The names of the puzzles of this project: the packages in this folder."""
    return [
        module.name
        for module in iter_modules(__path__)
        if module.ispkg and module.name not in _NO_PUZZLES
    ]


def installed_names() -> list[str]:
    """The names of the puzzles that installed packages offer.

    A name of this project's stays this project's.
    """
    return [name for name in installed_puzzles() if name not in names()]


def loadable() -> list[Puzzle[Any, Any]]:
    """The puzzles of this project that can be loaded.

    `get` says of another one what is wrong with it.
    """
    loaded_ones: list[Puzzle[Any, Any]] = []
    for name in names():
        with suppress(BrokenPuzzle):
            loaded_ones.append(get(name))
    return loaded_ones


def _load(name: str) -> Puzzle[Any, Any]:
    """Load the puzzle of this name; see `get`."""
    if name in names():
        puzzle: Puzzle[Any, Any] = registry.import_part(name, f"{__name__}.{name}").PUZZLE
        puzzle.complete()
        return registry.known.setdefault(name, puzzle)
    file = installed_file(name)
    if file is not None:
        return load(file)
    raise UnknownName("puzzle", name, [*names(), *installed_names(), *user_files()], hint(name))


registry.set_loader(_load)


def find(argument: str) -> Puzzle[Any, Any]:
    """The puzzle that a command line asks for: by its name, or by the path of somebody's own file
    or folder, which is then loaded.

    Raises:
        UserError: what `get` raises; or the file or folder cannot be read, or holds no puzzle that
            can be used.
    """
    return load(read_user_file(argument)) if is_path(argument) else get(argument)


def load(file: UserFile, *, silent: bool = False) -> Puzzle[Any, Any]:
    """The puzzle of one's own in this file or folder. It replaces what the same file or folder held
    before.

    What the import prints goes to standard error; nowhere with `silent`.

    Raises:
        UserError: something is wrong in it; the message says what, where, and what to do.
    """
    from puzzles.user.loading import (
        import_file as load_file,  # late: most processes load no such file
    )

    for known in registry.known.values():
        if known.origin.user_file == file:
            return known
    puzzle, printed = load_file(file)
    if printed and not silent:
        print(label_lines(file.argument, printed.rstrip("\n")), file=sys.stderr)
    registry.known[puzzle.name] = puzzle
    return puzzle


def user_files() -> dict[str, UserFile]:
    """The files and folders of the users' puzzles that this process has loaded, by the
    puzzles' names.
    """
    return {
        name: puzzle.origin.user_file
        for name, puzzle in registry.known.items()
        if puzzle.origin.user_file is not None
    }


def fault_of_own(error: Exception) -> UserError | None:
    """What an exception says of a user's puzzle, if a line of its file took part in raising
    it; else None.
    """
    files = user_files().values()
    return next(
        (
            fault_raised(file, error, "a function")
            for file in files
            if place_of_error(file, error) is not None
        ),
        None,
    )
