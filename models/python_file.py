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
from puzzles.backend import SIDE_NAMES, Backend, all_backends, enter
from puzzles.text import UserError
from puzzles.user.user_file import UserFile, fault, fault_raised


def file_at(path: str | Path) -> UserFile:
    """A Python file as messages name it."""
    return UserFile(str(path), str(Path(path).absolute()), "")


def module_of(path: str | Path) -> ModuleType:
    """The module of a file, imported once in this process under a name of its own.

    Raises:
        UserError: the file cannot be read, or raises when it is imported; the message names the
            line.
    """
    file = file_at(path)
    name = f"twofold_file_{abs(hash(Path(path).resolve()))}"
    if name in sys.modules:
        return sys.modules[name]
    try:
        with Path(path).open("rb"):
            pass
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    spec = importlib.util.spec_from_file_location(name, file.path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path}: this is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception | SystemExit):
            raise
        raise fault_raised(file, error, "importing the file") from None
    return module


@cache
def load_plugin(path: str) -> tuple[Backend, ...]:
    """Import a plugin, once in this process; returns the backends that it has registered.

    What they raise from now on names the line of the file.

    Raises:
        UserError: the file cannot be read, or raises when it is imported; it has no backend, or
            one that cannot be used or is for a puzzle that there is not.
    """
    from puzzles.user.guarding import watched_backend  # late: most processes load no plugin
    from puzzles.user.loading import examine_backend

    before = all_backends()
    module_of(path)
    known_before, file = {*map(id, before)}, file_at(path)
    backends = [
        each for each in all_backends() if id(each) not in known_before and not built_in(each)
    ]
    for each in backends:
        examine_backend(file, each)
    _refuse_without_puzzle(file, backends)
    theirs = tuple(watched_backend(each, file, is_plugin=True) for each in backends)
    for each in theirs:
        enter(each)
    return theirs


def built_in(backend: Backend) -> bool:
    """Whether the backend is one of this project, and not of a plugin or of an own puzzle."""
    return backend.function.__module__.partition(".")[0] in SIDE_NAMES


def _refuse_without_puzzle(file: UserFile, backends: list[Backend]) -> None:
    """Raise `UserError` if a plugin has no backend, or one for a puzzle that there is not.

    Beside others that can be used it may be for a user's puzzle that is not loaded now. So it is
    refused there only if its puzzle is much like a known one, and else only said.
    """
    if not backends:
        raise fault(
            file,
            None,
            "it registers no backend: write a function under @backend(PUZZLE, NAME, side=..., "
            "source=...)",
        )
    loaded = {*puzzles.names(), *puzzles.user_files()}
    if all(each.puzzle in loaded for each in backends):
        return
    known = sorted({*loaded, *puzzles.installed_names()})
    some_fit = any(each.puzzle in loaded for each in backends)
    for each in backends:
        if each.puzzle in known:
            continue
        near = get_close_matches(each.puzzle, known, 1)
        perhaps = f"did you mean {near[0]!r}? Or " if near else ""
        unknown = fault(
            file,
            each.function,
            f"the backend {each.label} is for {each.puzzle!r}, and there is no such puzzle: "
            f"{perhaps}choose from {', '.join(known)}",
        )
        if near or not some_fit:
            raise unknown
        print(unknown, file=sys.stderr)
