"""The commands as functions: `compare.run(puzzle, backends=["direct"])`.

The options of a command are declared once, for its parser. A function turns its arguments into the
words of a command line, which that parser reads: so names, defaults, limits and messages are the
same. It returns the `Conclusion`, and prints nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from io import IOBase
from numbers import Number
from os import PathLike, fsdecode
from typing import Any, NoReturn

import numpy as np
from msgspec.structs import replace

from compare.commands import commands, load_command, module
from compare.commands.arguments import FORMAT, RESULTS, CommandParser
from compare.engine.work.source_programs import removing_programs
from compare.show.conclusion import Conclusion, conclusion_of
from compare.show.wording import Listener, listen
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, positive
from puzzles.shell.interruption import INTERRUPTED, forget_interrupt
from puzzles.text import UnknownName, UserError, abridge

OF_THE_TERMINAL = ("--format", "--results", "--junit", "--quiet", "--wide", "--show")
"""Options that say how something is printed: a function has none of them."""

_OF_FILES = ("FILE", "PATH", "DIR", "INPUT", "OUTPUT", "PUZZLE")
"""Words in the metavar of an argument that may be a path."""


class _CallParser(CommandParser):
    """The parser of a function: a mistake is an exception."""

    def error(self, message: str) -> NoReturn:
        raise UserError(message)


def _parser(name: str) -> _CallParser:
    parser = _CallParser("compare", name)
    module(name).arguments(parser)
    return parser


def keyword(argument: Argument) -> str:
    """What an argument is called in Python: in the plural if it takes a list."""
    name = argument.dest or argument.name.lstrip("-").replace("-", "_")
    if not _takes_list(argument) or name.endswith("s"):
        return name
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _takes_list(argument: Argument) -> bool:
    return argument.repeatable or argument.nargs not in (None, "?")


def _type(argument: Argument) -> str:
    """The type of an argument's value, as a signature writes it."""
    metavar = argument.metavar or ""
    text = "str | PathLike[str]" if any(each in metavar for each in _OF_FILES) else "str"
    if not argument.takes_value:
        return "bool"
    one = {None: text, positive: "float"}.get(argument.type, "int")
    if argument.type is not None and argument.type.__name__ == "file_name":
        one = "str"
    if argument.choices is not None:
        one = "Literal[{}]".format(", ".join(map(json.dumps, argument.choices)))
    if argument.name == "puzzle":
        one = f"{text} | Puzzle[Any, Any]"
    if argument.name == "--program":
        return "Mapping[str, str | PathLike[str]] | Sequence[str]"
    return f"Sequence[{one}]" if _takes_list(argument) else one


def signature(name: str) -> Signature:
    """The signature of a command's function, read off the command's options."""
    parameters: list[Parameter] = []
    for each in _parser(name).declared:
        if each.name in OF_THE_TERMINAL:
            continue
        of_place, annotation = not each.name.startswith("-"), _type(each)
        required = of_place and each.nargs not in ("?", "*")
        default = () if _takes_list(each) else each.default if each.takes_value else False
        if default is None and not required:
            annotation = f"{annotation} | None"
        parameters.append(
            Parameter(
                keyword(each),
                Parameter.POSITIONAL_OR_KEYWORD if of_place else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if required else default,
                annotation=annotation,
            )
        )
    progress = Parameter("progress", Parameter.KEYWORD_ONLY, default=False, annotation="bool")
    parameters.sort(key=lambda each: each.kind)
    return Signature([*parameters, progress], return_annotation="Conclusion")


def _how_to_call(name: str, of_command: Signature) -> str:
    """How the function of a command is called, for somebody who did it wrongly."""
    places = [
        f"{each.name}=[...]" if each.annotation.startswith("Sequence") else each.name
        for each in of_command.parameters.values()
        if each.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    return f"call it as {name}({', '.join(places)}), with each option by its name"


def function(name: str) -> Callable[..., Conclusion]:
    """The function of a command."""
    of_command = signature(name)

    def run(*arguments: Any, progress: bool = False, **keywords: Any) -> Conclusion:
        for each in keywords:
            if each not in of_command.parameters:
                raise UnknownName(f"option of {name}", each, list(of_command.parameters))
        try:
            values = of_command.bind(*arguments, **keywords).arguments
        except TypeError as error:
            raise UserError(f"{name}: {error}: {_how_to_call(name, of_command)}") from None
        try:
            parser = _parser(name)
            known = {keyword(each): each for each in parser.declared}
            words = [word for each in values for word in _words(known[each], values[each])]
            options = parser.read([*words, FORMAT.name, "json", RESULTS.name])
            options.words, options.parser = [name, *words], parser
            listener = Listener(progress)
            with removing_programs(), listen(listener):
                conclusion = conclusion_of(module(name).conclude, options)
            if conclusion.exit_status == INTERRUPTED:
                raise KeyboardInterrupt
            return replace(conclusion, warnings=[*conclusion.warnings, *listener.warnings])
        except KeyboardInterrupt:
            forget_interrupt()
            raise

    run.__name__ = run.__qualname__ = name
    run.__doc__ = (
        f"{load_command(name).about.capitalize()}.\n\nThe arguments are the options of `compare "
        f"{name}`; its help explains them.\n\nArgs:\n    progress: show the progress on a terminal."
    )
    run.__module__ = "compare"
    run.__signature__ = of_command  # type: ignore[attr-defined]
    return run


def _words(argument: Argument, value: object) -> list[str]:
    """The words of a command line that give an argument this value; raises `UserError` if it takes
    no such one.
    """
    name, is_option = keyword(argument), argument.name.startswith("-")
    if value is None:
        return []
    if is_option and not argument.takes_value:
        if not isinstance(value, bool | np.bool_):
            raise UserError(f"{name} takes True or False, not {abridge(repr(value))}")
        return [argument.name] if value else []
    several: Iterable[object] = [value]
    if _takes_list(argument) and not isinstance(value, (str, bytes, IOBase)):
        if isinstance(value, Mapping):
            several = value.items()
        elif isinstance(value, Iterable):
            several = value
    values = [
        "=".join(_text(name, part) for part in (each if isinstance(each, tuple) else (each,)))
        for each in several
    ]
    if not is_option:
        return values
    if argument.repeatable or argument.nargs is None:
        start = [f"{argument.name}={each}" for each in values]
        return start if argument.name.startswith("--") else [argument.name, *values]
    return [argument.name, *values] if values else []


def _text(name: str, value: object) -> str:
    """A value of the argument `name` as a text; raises `UserError` if it is none."""
    if isinstance(value, Puzzle):
        return value.origin.argument
    if isinstance(value, bool) or not isinstance(value, str | PathLike | Number):
        is_puzzle = name == PUZZLE_ARGUMENT.name
        wanted = "a puzzle, its name or its path" if is_puzzle else "a text, a path or a number"
        raise UserError(f"{name} takes {wanted}, not {abridge(repr(value))}")
    text = fsdecode(value) if isinstance(value, PathLike) else str(value)
    if "\0" in text:
        raise UserError(f"{name}: a null character in {abridge(repr(text))}")
    return text


def __getattr__(name: str) -> Callable[..., Conclusion]:
    if name in commands() and hasattr(module(name), "conclude"):
        return globals().setdefault(name, function(name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
