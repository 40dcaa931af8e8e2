"""Importing a foreign Python file: a plugin that registers backends, or a solver.

What it does is foreign code.
"""

from __future__ import annotations

import importlib.util
import sys
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType

import puzzles
from puzzles.backend import SIDES, Backend, enter, registered
from puzzles.text import UserError
from puzzles.user.user_file import UserFile, fault, raised


def module_of(path: str | Path) -> ModuleType:
    """The module of a file, imported once in this process; raises whatever the file raises."""
    place = Path(path).resolve()
    name = f"twofold_file_{abs(hash(place))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, Path(path).absolute())
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


@cache
def load_plugin(path: str) -> tuple[Backend, ...]:
    """Import a plugin, once in this process; returns the backends that it has registered.

    What they raise from now on names the line of the file.

    Raises:
        UserError: the file cannot be read, or raises when it is imported; a backend cannot be used;
            or none is for a puzzle that there is.
    """
    from puzzles.user.guarding import watched_plugin  # late: most processes load no plugin
    from puzzles.user.loading import examine_backend

    try:
        with Path(path).open("rb"):
            pass
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    file = UserFile(path, str(Path(path).absolute()), "")
    before = registered()
    try:
        module_of(path)
    except (Exception, SystemExit) as error:
        raise raised(file, error, "importing the file") from None
    known_before = {*map(id, before)}
    backends = [
        each for each in registered() if id(each) not in known_before and not built_in(each)
    ]
    for each in backends:
        examine_backend(file, each)
    _refuse_without_puzzle(file, backends)
    theirs = tuple(watched_plugin(each, file) for each in backends)
    for each in theirs:
        enter(each)
    return theirs


def built_in(backend: Backend) -> bool:
    """Whether the backend is one of this project, and not of a plugin or of an own puzzle."""
    return backend.function.__module__.partition(".")[0] in SIDES


def _refuse_without_puzzle(file: UserFile, backends: list[Backend]) -> None:
    """Raise `UserError` if none of a plugin's backends is for a puzzle that there is."""
    known = {*puzzles.names(), *puzzles.user_files()}
    if any(each.puzzle in known for each in backends):
        return
    known |= {*puzzles.installed_names()}
    if not backends:
        raise fault(
            file,
            None,
            "it registers no backend: write a function under @backend(PUZZLE, NAME, side=..., "
            "source=...)",
        )
    for each in backends:
        if each.puzzle not in known:
            near = get_close_matches(each.puzzle, sorted(known), 1)
            perhaps = f"did you mean {near[0]!r}? Or " if near else ""
            raise fault(
                file,
                each.function,
                f"the backend {each.label} is for {each.puzzle!r}, and there is no such puzzle: "
                f"{perhaps}choose from {', '.join(sorted(known))}",
            )
