"""Loading a puzzle of one's own: its files are imported once in a process, examined, and its functions are watched."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

from puzzles.backend import SIDES, collected, enter, forget, registered
from puzzles.home import Home
from puzzles.own.guarding import watched, watched_backend
from puzzles.own.importing import import_own, take_away
from puzzles.own.own_file import SUFFIX, OwnFile
from puzzles.own.puzzle_fault import PuzzleFault, fault, place_of_error, raised
from puzzles.own.requirements import examine, lacks_methods, the_puzzle
from puzzles.own.time_limit import TooLong, at_most
from puzzles.puzzle import Puzzle
from puzzles.text import UserError

IMPORT_S = 60.0
"""Seconds that importing the file may take."""


def load(file: OwnFile) -> tuple[Puzzle, str]:
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


def _import(file: OwnFile) -> ModuleType:
    """Import the file, or the folder with the rooms that hold its backends."""
    try:
        with at_most(IMPORT_S):
            return import_own(file, SIDES)
    except UserError:
        raise
    except (Exception, SystemExit, TooLong) as error:
        lack = lacks_methods(file, error) if isinstance(error, TypeError) and "abstract" in str(error) else None
        raise lack or _beside(file, error) or raised(file, error, "importing the file") from None


def _beside(file: OwnFile, error: BaseException) -> PuzzleFault | None:
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


def _complete(file: OwnFile, module: ModuleType, puzzle: Puzzle) -> None:
    """Set what the file leaves to be set."""
    puzzle.source = puzzle.source or file.argument
    place = Path(file.path).parent if file.is_folder else Path(file.path).with_suffix("")
    puzzle.home = Home(file.argument, place / "data", file, module.__doc__ or "")
    if not puzzle.families:
        raise fault(file, None, "there are no instances to try: write `families`, or `example`, a small input file")
    puzzle.complete()
