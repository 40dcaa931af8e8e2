"""The puzzles that this process has loaded, by name, and how one is loaded that is not here.

It imports no puzzle, nor what a puzzle is.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any

from puzzles.text import UnknownName, UserError, exception_text, label_lines
from puzzles.user.user_file import (
    SUFFIX,
    UserFile,
    fault_raised,
    hint,
    installed_file,
    installed_puzzles,
    place_of_error,
    read_user_file,
)

if TYPE_CHECKING:
    from puzzles.puzzle import Puzzle

_CHECKOUT = Path(__file__).parent.parent

_NO_PUZZLES = ("user", "shell", "space")
"""The packages in this folder that are no puzzles."""

known: dict[str, Puzzle[Any, Any]] = {}
"""The loaded puzzles, those of users among them."""


def names() -> list[str]:
    """The names of the puzzles of this project: the packages in this folder."""
    return [
        module.name
        for module in iter_modules([str(Path(__file__).parent)])
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


def get(name: str) -> Puzzle[Any, Any]:
    """The puzzle of this name: of this project, of an installed package, or one of a user's that
    was loaded before.

    Raises:
        UnknownName: there is no puzzle of this name.
        BrokenPuzzle: files of this project cannot be imported.
        UserError: something is wrong in an installed package; the message says what, where, and
            what to do.
    """
    return known[name] if name in known else _load(name)


def _load(name: str) -> Puzzle[Any, Any]:
    """Load the puzzle of this name; see `get`."""
    if name in names():
        puzzle: Puzzle[Any, Any] = import_part(name, f"puzzles.{name}").PUZZLE
        puzzle.complete()
        return known.setdefault(name, puzzle)
    file = installed_file(name)
    if file is not None:
        return load(file)
    raise UnknownName("puzzle", name, [*names(), *installed_names(), *user_files()], hint(name))


def find(argument: str) -> Puzzle[Any, Any]:
    """The puzzle that a command line asks for: by its name, or by the path of somebody's own file
    or folder, which is then loaded.

    Raises:
        UserError: what `get` raises; or the file or folder cannot be read, or holds no puzzle that
            can be used.
    """
    return load(read_user_file(argument)) if is_path(argument) else get(argument)


def is_path(puzzle: str) -> bool:
    """Whether a PUZZLE argument is a path, and not a name."""
    return puzzle.endswith(SUFFIX) or os.sep in puzzle or "/" in puzzle or puzzle in (".", "..")


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

    for each in known.values():
        if each.origin.user_file == file:
            return each
    puzzle, printed = load_file(file)
    if printed and not silent:
        print(label_lines(file.argument, printed.rstrip("\n")), file=sys.stderr)
    known[puzzle.name] = puzzle
    return puzzle


def user_files() -> dict[str, UserFile]:
    """The files and folders of the users' puzzles that this process has loaded, by the
    puzzles' names.
    """
    return {
        name: puzzle.origin.user_file
        for name, puzzle in known.items()
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


class BrokenPuzzle(UserError):
    """A puzzle, or a side of it, that cannot be imported; the message names the file and the
    line.
    """

    def __init__(self, puzzle: str, error: Exception) -> None:
        remedy = "mend that line, or take the puzzle's folder away"
        super().__init__(f"the puzzle {puzzle} cannot be loaded: {_place(error)}: {remedy}")
        self.puzzle = puzzle


def import_part(puzzle: str, module: str) -> ModuleType:
    """A module of a puzzle; raises `BrokenPuzzle` if it, or what it imports of this project, cannot
    be imported.
    """
    try:
        return import_module(module)
    except (UserError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise BrokenPuzzle(puzzle, error) from error


def _place(error: Exception) -> str:
    """The file and line that raised, and what: of our files the innermost one."""
    if isinstance(error, SyntaxError) and error.filename:
        return (
            f"{short_path(error.filename)}:{error.lineno}:{error.offset}: {type(error).__name__}: "
            f"{error.msg}"
        )
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_CHECKOUT) and "site-packages" not in frame.filename
    ]
    where = f"{short_path(frames[-1].filename)}:{frames[-1].lineno}: " if frames else ""
    return f"{where}{exception_text(error)}"


def short_path(file: str) -> str:
    """The path of a file, relative to the checkout if it lies in it."""
    path = Path(file)
    return str(path.relative_to(_CHECKOUT)) if path.is_relative_to(_CHECKOUT) else file
