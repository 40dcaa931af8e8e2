"""Loading a puzzle of one's own: the file is imported once in a process, examined, and its functions are watched."""

from __future__ import annotations

import linecache
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

from puzzles.backend import collected, enter, forget
from puzzles.home import Home
from puzzles.own.guarding import watch, watched_backend
from puzzles.own.own_file import OwnFile
from puzzles.own.puzzle_fault import fault, raised
from puzzles.own.requirements import examine, lacks_methods, the_puzzle
from puzzles.own.time_limit import TooLong, at_most
from puzzles.puzzle import Puzzle
from puzzles.text import UserError

IMPORT_S = 60.0
"""Seconds that importing the file may take."""

_EXAMPLE_SIZE = 3
"""Rows and columns of the example of a puzzle that names none, if its family has such boards."""


def load(file: OwnFile) -> tuple[Puzzle, str]:
    """Import the file. Returns its puzzle, whose backends are registered from now on, and what the file printed.

    Raises:
        PuzzleFault: something is wrong in the file. Then nothing of it stays.
    """
    module = ModuleType(file.module)
    module.__file__ = file.path
    sys.modules[file.module] = module
    linecache.cache[file.path] = (len(file.text), None, file.text.splitlines(keepends=True), file.path)
    printed = StringIO()
    try:
        with collected() as backends:
            with redirect_stdout(printed), redirect_stderr(printed):
                _run(file, module)
            puzzle = the_puzzle(file, module)
            examine(file, puzzle, backends)
            watch(puzzle, file)
            _complete(file, module, puzzle)
    except BaseException:
        del sys.modules[file.module]
        raise
    forget(puzzle.name)
    for backend in backends:
        enter(watched_backend(backend, file))
    return puzzle, printed.getvalue()


def _run(file: OwnFile, module: ModuleType) -> None:
    """Run the file as the body of its module."""
    try:
        with at_most(IMPORT_S):
            exec(compile(file.text, file.path, "exec", dont_inherit=True), vars(module))  # noqa: S102 (this is what importing is)
    except UserError:
        raise
    except (Exception, SystemExit, TooLong) as error:
        lack = lacks_methods(file, module) if isinstance(error, TypeError) and "abstract" in str(error) else None
        raise lack or raised(file, error, "importing the file") from None


def _complete(file: OwnFile, module: ModuleType, puzzle: Puzzle) -> None:
    """Set what the file leaves to be set. The example is a small board of the first family."""
    puzzle.title = puzzle.title or puzzle.name
    puzzle.source = puzzle.source or file.argument
    puzzle.home = Home(file.argument, Path(file.path).with_suffix("") / "data", file, module.__doc__ or "")
    if not puzzle.families:
        raise fault(file, None, "there are no instances to try: write `families`, or `example`, a small input file")
    if not puzzle.example:
        family = next(iter(puzzle.families.values()))
        size = min(max(family.least, _EXAMPLE_SIZE), family.most)
        puzzle.example = puzzle.print_instances([family.board(size, seed=1)])
