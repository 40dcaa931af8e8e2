"""The command line of `compare`: each subcommand is a folder of `compare.commands`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from itertools import groupby
from textwrap import wrap

from compare.commands import commands, help_lines, module
from puzzles.shell.exit_status import returns_exit_status
from puzzles.shell.interruption import Handled
from puzzles.text import choose_by_name

_EXIT_STATUS = {
    0: "all agree, or a backend was stopped at its limit",
    1: "a wrong answer, a conflict, a crash, a stopped program, a missing proof",
    2: "bad usage or bad input",
    3: "something stayed unproved, skipped or unfinished under --strict",
    4: "a regression (`diff`)",
    130: "interrupted",
}
"""What each exit status means."""


def overview(program: str) -> argparse.ArgumentParser:
    """Lists the subcommands.

    Each has a parser of its own, so that its options and arguments may come in any order.
    """
    text = ["Solve puzzles twice, relate and check the answers, tabulate speed."]
    for title, some in groupby(help_lines().items(), key=lambda each: each[1].group):
        text += ["", f"{title}:"]
        for name, command in some:
            first, *rest = wrap(command.about, 62)
            text += [f"  {name:<13} {first}", *(f"{'':<16}{line}" for line in rest)]
    text += ["", f"`{program} COMMAND --help`: the options and examples."]
    text += ["Without a command: `run`, every bundled dataset on every backend."]
    return argparse.ArgumentParser(
        prog=program,
        usage=f"{program} [COMMAND] ...",
        description="\n".join(text),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(
            [
                "Exit status:",
                *(f"  {status:<4}{meaning}" for status, meaning in _EXIT_STATUS.items()),
            ]
        ),
    )


def complete(program: str) -> None:
    """Print what may follow what is typed, as argcomplete wants it, and end.

    Only the parser of the command that is typed is built.
    """
    from argcomplete import autocomplete

    from compare.commands.arguments import CommandParser

    parser = argparse.ArgumentParser(prog=program)
    every = parser.add_subparsers(parser_class=argparse.ArgumentParser)
    typed = os.environ.get("COMP_LINE", "").split()[1:2]
    for name in commands():
        of_command = every.add_parser(name, add_help=False)
        if typed == [name]:
            declared = CommandParser(program, name)
            module(name).arguments(declared)
            for action in declared._actions:
                of_command._add_action(action)
    autocomplete(parser)


@returns_exit_status
def main(arguments: Sequence[str] | None = None, program: str = "python -m compare") -> int:
    """Run a subcommand; returns the exit status. Usage messages call the program `program`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "run")
    name, *rest = words
    if name in ("-h", "--help"):
        print(overview(program).format_help(), end="")
        return 0
    if name == "--version":
        print(f"twofold {version('twofold')}")
        return 0
    if choose_by_name("command", name, commands()).starts_children and not {"-h", "--help"} & set(
        rest
    ):
        from compare.engine.isolate.child import server

        server.start()  # it imports what its children need while we do
    from compare.commands.arguments import CommandParser
    from compare.engine.work.source_programs import removing_programs

    command, parser = module(name), CommandParser(program, name)
    command.arguments(parser)
    options = parser.read(rest)
    options.words, options.parser = words, parser
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what is found is seen at once, in a pipe too
    with Handled(signal.default_int_handler), removing_programs():
        return command.main(options)
