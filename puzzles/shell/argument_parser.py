"""The arguments of a command line: each is declared once, with all that is known of it.

The parser puts it under its heading of the help and tells the shell what completes it. What repeats
a run, or goes on with its records, reads the rest off `ArgumentParser.declared`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from puzzles import names
from puzzles.registry import is_path
from puzzles.shell.exit_status import BAD_USAGE
from puzzles.shell.output_files import STANDARD_INPUT, same_file
from puzzles.text import UserError, abridge, quote_beginning, whole_number

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

MORE = "more"
"""The group of arguments that are seldom wanted."""

_LARGEST = 10**9
"""Seconds or megabytes above which a limit is taken for a mistake."""

_MAX_DIGITS = 18
"""Digits of a whole number; a seed may have as many."""

_LARGEST_NUMBER = 10**_MAX_DIGITS - 1


@dataclass(frozen=True)
class Argument:
    """An option, or an argument that its place tells, such as PUZZLE.

    `dataclasses.replace` makes of it what it is in one command.

    Attributes:
        name: `--size`; of an argument that its place tells, `size`.
        help: what it does.
        metavar: what stands for its value in the help. An option without it and without `choices`
            takes no value.
        short: its second name, such as `-q`.
        type: reads the value; see `positive` and `whole`.
        choices: all values that it may have.
        nargs: how many values it takes, as in `argparse`.
        repeatable: whether it may be given several times. Its value is the list of all then.
        default: the value if it is not given.
        dest: the name of its value among the options; by default that of the option.
        group: the heading of the help under which it stands, if the parser has that group.
        replayed: whether the line that repeats a run has it.
        changes_records: whether it changes the records of a run. `--resume` passes over others.
        is_read: whether the command reads the file that its value names.
        is_written: whether the command writes that file.
        is_command: whether its value is a command that is started. The files that its words name
            are read.
        completer: what completes it in the shell, as argcomplete wants it.
    """

    name: str
    help: str = ""
    metavar: str | None = None
    short: str = ""
    type: Callable[[str], Any] | None = None
    choices: Collection[str] | None = None
    nargs: str | int | None = None
    repeatable: bool = False
    default: Any = None
    dest: str = ""
    group: str = MORE
    replayed: bool = False
    changes_records: bool = True
    is_read: bool = False
    is_written: bool = False
    is_command: bool = False
    completer: Callable[..., list[str]] | None = None

    @property
    def names(self) -> list[str]:
        """All of its names, the short one first."""
        return [self.short, self.name] if self.short else [self.name]

    @property
    def takes_value(self) -> bool:
        """Whether a value stands behind its name."""
        return self.metavar is not None or self.choices is not None

    def value(self, options: argparse.Namespace) -> Any:
        """Its value among the options."""
        return getattr(options, self.dest or self.name.lstrip("-").replace("-", "_"))

    def files(self, options: argparse.Namespace) -> list[str]:
        """The paths among its values."""
        value = self.value(options)
        paths: list[str] = value if isinstance(value, list) else [] if value is None else [value]
        if self.is_command:
            return [word for each in paths for word in _words(each) if os.path.isfile(word)]  # noqa: PTH113 - a name may be too long
        return [each for each in paths if self.name != PUZZLE_ARGUMENT.name or is_path(each)]

    def add_to(self, container: Any) -> None:
        """Give it to a parser of the standard library, or to a group of one."""
        settings: dict[str, Any] = {"action": "store_true"}
        if self.takes_value:
            settings = {
                "action": ("extend" if self.nargs else "append") if self.repeatable else "store",
                "default": [] if self.repeatable else self.default,
                "metavar": self.metavar,
                "type": self.type,
                "choices": self.choices,
                "nargs": self.nargs,
            }
        if self.dest:
            settings["dest"] = self.dest
        action = container.add_argument(*self.names, help=self.help, **settings)
        action.completer = self.completer


PUZZLE_ARGUMENT = Argument(
    "puzzle",
    f"{', '.join(names())}, or the path of a Python file of your own",
    metavar="PUZZLE",
    is_read=True,
    completer=lambda **_: names(),
)
FILE_ARGUMENT = Argument(
    "file", "the contest's input (default: standard input)", metavar="FILE", nargs="?", is_read=True
)


class ArgumentParser(argparse.ArgumentParser):
    """As in the standard library, but a mistake is not met with the whole usage, which may be
    longer than a screen.

    Attributes:
        declared: its arguments, in the order of the help.
    """

    def __init__(self, *, groups: Sequence[str] = (), **settings: Any) -> None:
        """`groups`: the headings of the help; an argument of no such group stands under the usual
        one.
        """
        super().__init__(**settings)
        self.declared: list[Argument] = []
        self._groups = {title: self.add_argument_group(title) for title in groups}

    def add(self, *arguments: Argument) -> None:
        """Take these arguments."""
        for argument in arguments:
            argument.add_to(self._place(argument))
        self.declared += arguments

    def add_one_of(self, *arguments: Argument, required: bool = False) -> None:
        """Take these options, of which one excludes the others. They stand in one group."""
        exclusive = self._place(arguments[0]).add_mutually_exclusive_group(required=required)
        for argument in arguments:
            argument.add_to(exclusive)
        self.declared += arguments

    def read(self, words: Sequence[str] | None) -> argparse.Namespace:
        """The values of these words, or of those of the command line; options may stand anywhere.

        Raises:
            UserError: a file would be written over another one that the command reads or writes.
        """
        options = self.parse_intermixed_args(words)
        known = [
            (each, STANDARD_INPUT if path == "-" else path, "reads")
            for each in self.declared
            if each.is_read or each.is_command
            for path in each.files(options)
        ]
        for argument, path in self._outputs(options):
            if not path:
                self.error(f"argument {'/'.join(argument.names)}: expected the name of a file")
            for other, named, verb in known:
                if same_file(path, named):
                    at = f"{other.name} " if other.name.startswith("-") else ""
                    raise _refusal(argument, path, f"{verb} this file ({at}{named})")
            known.append((argument, path, "writes"))
        return options

    def refuse_to_write(self, options: argparse.Namespace, files: Iterable[str]) -> None:
        """Raise `UserError` if the command would write over one of these files, which are there:
        those of a folder that it reads, and those that it reads beside a file.
        """
        files = list(files)
        for argument, path in self._outputs(options):
            for each in files if os.path.isfile(path) else ():  # noqa: PTH113 - a name may be too long
                if same_file(path, each):
                    raise _refusal(argument, path, f"reads this file ({each})")

    def _outputs(self, options: argparse.Namespace) -> list[tuple[Argument, str]]:
        """The files that the command writes, each with the option that names it."""
        return [
            (each, path)
            for each in self.declared
            if each.is_written
            for path in each.files(options)
        ]

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """As in the standard library, but output that cannot be written is an `OSError`."""
        print(self.format_help(), end="", file=file)
        sys.stdout.flush()

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_USAGE, f"{self.prog}: {message}; `{self.prog} --help` lists what there is\n")

    def _place(self, argument: Argument) -> Any:
        """Where the help has this argument: its group, or the parser itself."""
        return self._groups.get(argument.group, self) if argument.name.startswith("-") else self


def _refusal(argument: Argument, path: str, why: str) -> UserError:
    return UserError(f"{argument.name} {path}: the command {why}: name another one")


def _words(command: str) -> list[str]:
    """The words of a command, which may stand behind `NAME=`. The path of a source file needs no
    quotes, so the whole command is one of them.
    """
    words = [command, command.partition("=")[2]]
    for each in tuple(words):
        with suppress(ValueError):  # an open quote, of which is told when the command is started
            words += shlex.split(each)
    return words


def positive(text: str) -> float:
    """A number above 0, written with ASCII digits, and no larger than any limit that makes
    sense.
    """
    try:
        value = float(text if text.isascii() and "_" not in text else "no number")
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {quote_beginning(text)}") from None
    if not 0 < value <= _LARGEST:
        wanted = "more than 0" if value <= 0 else f"a number of at most {_LARGEST:,}"
        raise argparse.ArgumentTypeError(f"must be {wanted}, not {abridge(text)}")
    return value


def whole(least: int, most: int = _LARGEST_NUMBER) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.strip().isdigit()):
            raise argparse.ArgumentTypeError(f"must be a whole number, not {quote_beginning(text)}")
        value = whole_number(digits, _MAX_DIGITS)
        if value is None:
            value = _LARGEST_NUMBER + 1  # it is larger than any
        value = -value if text.startswith("-") else value
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {abridge(text)}")
        if value > most:
            raise argparse.ArgumentTypeError(f"must be at most {most}, not {abridge(text)}")
        return value

    return read


at_least_one, at_least_zero = whole(1), whole(0)
