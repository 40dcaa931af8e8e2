"""The command line of `compare`: each subcommand is a folder of `compare.commands`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from itertools import groupby
from textwrap import wrap
from typing import Any

from compare.commands import commands, described, module
from puzzles.shell.streams import BAD_USAGE, ArgumentParser
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


OPTIONS = {
    "contenders": (
        *("-b", "--backend", "--program", "--partial", "--plugin", "--solver", "--cpsat-workers"),
        *("--input-file", "--output-file", "--answer-format", "--expression", "-k"),
    ),
    "inputs": (
        *("--family", "--families", "--size", "--cases", "--seed", "--kind", "--generator"),
        *("--inputs", "--validator", "--checker", "--exact", "--float", "--extended", "--replay"),
        *("--smallest", "--largest"),
    ),
    "limits": (*("--timeout", "--memory", "--seconds", "--shrink-seconds", "--jobs", "--repeat"),),
    "output": (
        *("--out", "-o", "--out-dir", "--resume", "--overwrite", "--show", "--format", "--wide"),
        *("--plot", "--save", "--proof", "-q", "--strict", "--fail-above", "--keep-going"),
    ),
}
"""The groups of options in a command's help, those that are wanted most first; each option by its
first name. Others are behind them.
"""


class CommandParser(ArgumentParser):
    """The parser of one subcommand, whose help groups the options and ends with examples."""

    def __init__(self, program: str, name: str) -> None:
        command = described(name)
        super().__init__(
            prog=f"{program} {name}",
            description=f"{command.about[0].upper()}{command.about[1:]}.",
            allow_abbrev=False,
            add_help=False,
        )
        self.examples = [f"{program} {words}" for words in command.examples]
        self._of_title = {title: self.add_argument_group(title) for title in (*OPTIONS, "more")}
        self.add_argument("-h", "--help", action="help", help="show this help and exit")

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """As in the standard library; an option goes to the group that has its name."""
        if not (names and names[0].startswith("-")):
            return super().add_argument(*names, **settings)
        title = next((title for title, known in OPTIONS.items() if names[0] in known), "more")
        return self._of_title[title].add_argument(*names, **settings)

    def add_mutually_exclusive_group(self, **settings: Any) -> Any:
        """As in the standard library; options of which one excludes the others say what the inputs
        are.
        """
        return self._of_title["inputs"].add_mutually_exclusive_group(**settings)

    def format_help(self) -> str:
        examples = "".join(f"  {each}\n" for each in self.examples)
        return f"{super().format_help()}\nexamples:\n{examples}"


def overview(program: str) -> argparse.ArgumentParser:
    """Lists the subcommands.

    Each has a parser of its own, so that its options and arguments may come in any order.
    """
    lines = ["Solve puzzles twice, relate and check the answers, tabulate speed."]
    for title, some in groupby(commands().items(), key=lambda each: each[1].group):
        lines += ["", f"{title}:"]
        for name, command in some:
            first, *rest = wrap(command.about, 62)
            lines += [f"  {name:<13} {first}", *(f"{'':<16}{line}" for line in rest)]
    lines += ["", f"`{program} COMMAND --help`: the options and examples."]
    lines += ["Without a command: `run`, every bundled dataset on every backend."]
    return argparse.ArgumentParser(
        prog=program,
        usage=f"{program} [COMMAND] ...",
        description="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(
            [
                "Exit status:",
                *(f"  {status:<4}{meaning}" for status, meaning in EXIT_STATUS.items()),
            ]
        ),
    )


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
    command, parser = module(name), CommandParser(program, name)
    command.arguments(parser)
    options = parser.parse_intermixed_args(rest)
    options.words = words
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
