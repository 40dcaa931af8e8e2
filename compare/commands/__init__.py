"""The commands. Each is a folder here, and no other file lists them.

A folder's `__init__.py` says in a `COMMAND` what `compare --help` and the command line must know of
the command. `command.py` has its arguments and does its work; it is imported when the command is
called. A folder of two words, such as `fuzz_formula`, is for one use of a command: it has a line in
the help, and no arguments of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import puzzles
from puzzles.backend import SIDE_NAMES

GROUPS = (
    "check a solution of your own",
    "solve",
    "compare backends",
    "models and solvers",
    "puzzles, built-in and your own",
    "look at results",
    "this installation",
)
"""What people want of a command, in the order of the help."""

FUNCTIONS = "compare.commands.functions"
"""The module that has the commands as functions."""


@dataclass(frozen=True)
class Command:
    """What a folder says of its command.

    Attributes:
        group: one of `GROUPS`.
        place: where it stands in its group: 1 for the first.
        about: what it does, in one line.
        examples: the words of one or two calls, after the program's name. A puzzle of this project
            stands in braces, `{PUZZLE}`, and so does a backend of it: `{PUZZLE:BACKEND}`.
        starts_children: whether it mostly needs children. For others the forkserver starts once
            they do.
        preload: the modules whose functions children call. The forkserver imports them.
        functions: what `compare` offers of it in Python, and the module of each.
    """

    group: str
    place: int
    about: str
    examples: tuple[str, ...]
    starts_children: bool = False
    preload: tuple[str, ...] = ()
    functions: Mapping[str, str] = field(default_factory=dict)

    def shown_examples(self) -> list[str]:
        """The examples whose puzzles and backends are here."""
        return [
            _NAMED.sub(lambda named: named[2] or named[1], example)
            for example in self.examples
            if all(_is_here(puzzle, backend) for puzzle, backend in _NAMED.findall(example))
        ]


_NAMED = re.compile(r"\{(\w+)(?::([\w-]+))?\}")
"""A puzzle in an example, or a puzzle and one of its backends."""


def _is_here(puzzle: str, backend: str) -> bool:
    """Whether a puzzle is here and, if a backend is named, the file of that."""
    if puzzle not in puzzles.names():
        return False
    file = f"by_{backend.replace('-', '_')}.py"
    packages = Path(__file__).parents[2]
    return not backend or any((packages / side / puzzle / file).is_file() for side in SIDE_NAMES)


def commands() -> dict[str, Command]:
    """The commands that are here, by name: group by group, each in its place."""
    return {words: command for words, command in help_lines().items() if " " not in words}


def help_lines() -> dict[str, Command]:
    """The lines of the help: the commands, and uses of a command that have a folder, by what is
    called.
    """
    every = {
        module.name.replace("_", " "): load_command(module.name)
        for module in iter_modules(__path__)
        if module.ispkg
    }
    here = {words: command for words, command in every.items() if words.split()[0] in every}
    return dict(sorted(here.items(), key=lambda each: (GROUPS.index(each[1].group), each[1].place)))


def load_command(name: str) -> Command:
    """What the folder of this name says of its command."""
    return import_module(f"{__name__}.{name}").COMMAND


@cache
def hints() -> tuple[ModuleType, ...]:
    """The modules `hints` of the commands that have one: what a command offers in the output of
    others.

    Each has `arguments(parser)`, which adds its options to such a command, and the same functions
    as the others.
    """
    return tuple(
        import_module(f"{__name__}.{name}.hints")
        for name in commands()
        if find_spec(f"{__name__}.{name}.hints") is not None
    )


def module(name: str) -> ModuleType:
    """The module of a command that has its `arguments` and its `main`."""
    return import_module(f"{__name__}.{name}.command")
