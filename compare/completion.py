"""What the shell completes: the commands, and the puzzles, backends and families of each.

The shell asks through argcomplete, the extra `completion`. Only the parser of the command that is
typed is built.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

import puzzles
from compare.command_line import CommandParser
from compare.commands import commands as known
from compare.commands import module
from puzzles.puzzle import Puzzle


def complete(program: str) -> None:
    """Print what may follow what is typed, in the way that argcomplete wants it, and end."""
    from argcomplete import autocomplete

    parser = argparse.ArgumentParser(prog=program)
    commands = parser.add_subparsers(parser_class=argparse.ArgumentParser)
    typed = os.environ.get("COMP_LINE", "").split()[1:2]
    for name in known():
        own = commands.add_parser(name, add_help=False)
        if typed == [name]:
            command = CommandParser(program, name)
            module(name).arguments(command)
            for action in command._actions:
                own._add_action(action)
                completer = COMPLETERS.get(action.dest)
                if completer is not None:
                    action.completer = completer  # type: ignore[attr-defined]
    autocomplete(parser)


def _puzzle_names(**_: Any) -> list[str]:
    return puzzles.names()


def _of_puzzles(names: Callable[[Puzzle], list[str]]) -> Any:
    """A completer for what the puzzle that is typed has, or all built-in ones have."""

    def completer(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        typed = getattr(parsed_args, "puzzle", None)
        some = [puzzles.find(typed)] if typed else map(puzzles.get, puzzles.names())
        return [name for puzzle in some for name in names(puzzle)]

    return completer


def _backends(puzzle: Puzzle) -> list[str]:
    from compare.engine.work.contenders import SIDES, backends

    every = backends(puzzle.name)
    return [*SIDES, *(each.name for each in every)]


COMPLETERS = {
    "puzzle": _puzzle_names,
    "backend": _of_puzzles(_backends),
    "family": _of_puzzles(lambda puzzle: list(puzzle.families)),
}
"""By the name of an argument, what completes it."""
