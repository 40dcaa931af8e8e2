"""The command line of `compare`: each subcommand is a folder of `compare.commands`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from itertools import groupby
from textwrap import wrap

from compare.commands import commands, described, lines, module
from puzzles.shell.argument_parser import BAD_USAGE
from puzzles.text import ending, shown

EXIT_STATUS = {
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
    for title, some in groupby(lines().items(), key=lambda each: each[1].group):
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
                *(f"  {status:<4}{meaning}" for status, meaning in EXIT_STATUS.items()),
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


def main(arguments: Sequence[str] | None = None, program: str = "python -m compare") -> int:
    """Run a subcommand; returns the exit status. Usage messages call the program `program`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "run")
    if words[0] in ("-h", "--help"):
        overview(program).print_help()
        return 0
    if words[0] == "--version":
        print(f"twofold {version('twofold')}")
        return 0
    if words[0] not in commands():
        return _no_such_command(words[0], program)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what is found is seen at once, in a pipe too
    return ending(lambda: _run(words, program))


def _no_such_command(word: str, program: str) -> int:
    """Say what was perhaps meant; returns the exit status."""
    from difflib import get_close_matches

    names = list(commands())
    near = get_close_matches(word, names, 1)
    perhaps = f"did you mean {near[0]}? The commands are" if near else "choose from"
    print(
        f"{program}: there is no command {shown(word)}: {perhaps} {', '.join(names)}",
        file=sys.stderr,
    )
    return BAD_USAGE


def _run(words: list[str], program: str) -> int:
    name, *rest = words
    if described(name).starts_children and not {"-h", "--help"} & set(rest):
        child = import_module("compare.engine.isolate.child")
        child.server.start()  # it imports what its children need while we do
    from compare.commands.arguments import CommandParser

    command, parser = module(name), CommandParser(program, name)
    command.arguments(parser)
    options = parser.parse_intermixed_args(rest)
    options.words, options.parser = words, parser
    removing_programs = import_module("compare.engine.work.source_programs").removing_programs
    with _interruptible(), removing_programs():
        return command.main(options)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Within, Ctrl-C and SIGTERM raise KeyboardInterrupt, so that a command can end its workers;
    afterwards it is as before.
    """
    heeded = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    before = {number: signal.signal(number, signal.default_int_handler) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
