"""Plugins: Python files that register backends. Their code runs only in children that are made for
it.

`register_plugins` runs where contenders are chosen. A child imports each file and describes its
backends in the plain format; here a `PluginBackend` stands for each. The solver of a run imports
the files itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NamedTuple

import puzzles
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import SIDES, BackendContender
from compare.engine.work.plain import from_plain, to_plain
from models.python_file import load_plugin
from puzzles.answer import Answer
from puzzles.backend import Backend, all_backends, enter, withdraw
from puzzles.declared_types import Malformed
from puzzles.text import UserError, label_lines

LOAD_S = 120.0
"""Seconds that one plugin may take to load."""

Scalar = None | bool | int | float | str


class PluginDescription(NamedTuple):
    """What a plugin's backend is, in plain values: the fields of `PluginBackend` that can cross
    between processes.
    """

    side: str
    puzzle: str
    name: str
    source: str
    assumes: str
    complete: bool
    finds: str
    quick: int | None
    options: tuple[tuple[str, tuple[Scalar, ...]], ...]
    limit: int | None
    slow: bool
    certifies: bool | None
    place: str
    plain_encodes: bool
    plain_defaults: tuple[tuple[str, Scalar], ...]
    absent: str | None


_CLASSES = {PluginDescription.__name__: PluginDescription}


@dataclass(frozen=True)
class PluginBackend(Backend):
    """Stands for a plugin's backend in a process that has not imported the plugin. It cannot solve.

    Attributes:
        plugin: the plugin's path, as the user wrote it.
        plain_encodes: whether what it states can be written down.
        plain_defaults: its options with their default values.
        absent: why the backend cannot run here; None if it can.
    """

    plugin: str = ""
    plain_encodes: bool = False
    plain_defaults: tuple[tuple[str, Scalar], ...] = ()
    absent: str | None = None

    @property
    def encodes(self) -> bool:
        return self.plain_encodes

    @cached_property
    def defaults(self) -> dict[str, Any]:
        return {**dict(self.plain_defaults), **self.chosen}

    def available(self) -> str | None:
        return self.absent


def _solve_nothing(board: object, *, certify: bool = False, **options: object) -> Answer:
    del board, certify, options
    raise RuntimeError("a plugin's backend solves only in a child that has loaded the plugin")


def register_plugins(paths: Sequence[str]) -> None:
    """Register a stand-in for each backend of these files; a child imports the files, this process
    does not.

    What the files print goes to standard error.

    Raises:
        UserError: a file cannot be read, raises when it is imported, or registers nothing that can
            be used; or a name that another backend has.
    """
    for path in paths:
        outcome = call(_descriptions, path, limits=Limits(LOAD_S), foreign=True)
        if outcome.printed:
            print(label_lines(f"--plugin {path}", outcome.printed), file=sys.stderr)
        if not outcome.ok:
            raise UserError(f"--plugin {path}: {outcome.detail}")
        try:
            descriptions = from_plain(outcome.value, tuple[PluginDescription, ...] | str, _CLASSES)
        except Malformed as error:
            raise UserError(f"--plugin {path}: {error}") from None
        if isinstance(descriptions, str):
            raise UserError(f"--plugin {descriptions}")
        for known in all_backends():  # what the file registered before, if it is loaded again
            if isinstance(known, PluginBackend) and known.plugin == path:
                withdraw(known)
        for each in descriptions:
            _register(path, each)


def _register(path: str, described: PluginDescription) -> None:
    side, puzzle, name = described.side, described.puzzle, described.name
    if puzzle in (*puzzles.names(), *puzzles.user_files()):  # else nobody looks there
        known = SIDES[side].backends(puzzle).get(name)
        other = known.plugin if isinstance(known, PluginBackend) else ""
        same = known is not None and _file_of(known) == Path(path).resolve()
        if same and not other:
            return  # the caller has imported the file: what it registered solves here, too
        if known is not None and not same:
            whence = f" of --plugin {other}" if other else ""
            raise UserError(
                f"--plugin {described.place or path}: {puzzle} has a backend "
                f"{known.label}{whence} already; choose another name"
            )
    fields = {**described._asdict(), "options": dict(described.options)}
    enter(PluginBackend(function=_solve_nothing, plugin=path, **fields))


def _file_of(backend: Backend) -> Path | None:
    """The Python file that registers a backend; None if that is no file, as in a notebook."""
    if isinstance(backend, PluginBackend):
        return Path(backend.plugin).resolve()
    file = getattr(sys.modules.get(backend.function.__module__), "__file__", None)
    return file and Path(file).resolve()


def known_to_children(
    contenders: Iterable[BackendContender], paths: Sequence[str], *, named: bool
) -> list[BackendContender]:
    """The contenders without those of plugins that an earlier call in this process has loaded.

    Args:
        paths: the plugins, which the processes that solve load.
        named: whether the user asked for these contenders.

    Raises:
        UserError: these processes would not know a contender, because only this process has
            imported its file.
    """
    plugins = {Path(path).resolve() for path in paths}
    known: list[BackendContender] = []
    for each in contenders:
        file = _file_of(each.backend)
        own_puzzle = puzzles.get(each.puzzle).origin.user_file is not None
        if each.ours or own_puzzle or file in plugins:
            known.append(each)
        elif named or not isinstance(each.backend, PluginBackend):
            shown = file.name if file else "file.py"
            raise UserError(
                f"{each.name} is known to this process alone, and not to those that solve: give "
                f'plugins=["{shown}"] (--plugin {shown}), so that they load it too'
            )
    return known


def _descriptions(path: str) -> str:
    """Import one file, then describe its backends; a sentence if it cannot be used."""
    try:
        backends = load_plugin(path)
    except UserError as error:
        return to_plain(str(error), {})
    return to_plain(tuple(map(_description, backends)), _CLASSES)


def _description(backend: Backend) -> PluginDescription:
    parameters = signature(backend.function).parameters
    defaults = {name: parameters[name].default for name in backend.options if name in parameters}
    fields: dict[str, Any] = {
        name: getattr(backend, name) for name in PluginDescription._fields if hasattr(backend, name)
    }
    fields["plain_encodes"] = backend.encodes
    fields["options"] = tuple((name, tuple(some)) for name, some in backend.options.items())
    fields["plain_defaults"] = tuple(
        (name, value) for name, value in defaults.items() if _is_plain(value)
    )
    return PluginDescription(**fields, absent=backend.available())


def _is_plain(value: object) -> bool:
    return value is not Parameter.empty and (
        value is None or type(value) in (bool, int, float, str)
    )
