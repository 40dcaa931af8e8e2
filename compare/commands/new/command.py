"""`compare new`: a file to begin a user's puzzle with.

It runs, agrees and is proved at once.
"""

from __future__ import annotations

import argparse
import re
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from compare.commands import commands
from compare.commands.arguments import INPUTS
from puzzles.shell.argument_parser import Argument, ArgumentParser
from puzzles.shell.output_files import whole_file, writing
from puzzles.text import UserError
from puzzles.user.loading import wrong_name
from puzzles.user.user_file import SUFFIX

TEMPLATES = ("on_a_grid", "on_a_graph", "on_numbers", "of_the_best")
"""The files of `compare/commands/new/templates/`, one for each kind of puzzle."""

_GREATEST = {
    '"less"': '"greater"',
    "the least": "the greatest",
    "minimize": "maximize",
    "min(": "max(",
}
"""What becomes of the words of `of_the_best` if the greatest value is asked for."""


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "name", "the name of the puzzle; the file is NAME.py in this folder", metavar="NAME"
        )
    )
    parser.add_one_of(
        Argument("--graph", "its instances are graphs, not grids", group=INPUTS),
        Argument("--numbers", "its instances are lists of numbers, not grids", group=INPUTS),
        Argument("--least", "it asks for a solution with the least value", group=INPUTS),
        Argument("--greatest", "it asks for a solution with the greatest value", group=INPUTS),
    )


def main(options: argparse.Namespace) -> int:
    """Write the file, which must not be there, and print what to try next."""
    name = str(options.name)
    wrong = wrong_name(name)
    if wrong:
        raise UserError(wrong)
    path = Path(f"{name}{SUFFIX}")
    chosen = {
        "on_a_graph": options.graph,
        "on_numbers": options.numbers,
        "of_the_best": options.least or options.greatest,
    }
    template = next((each for each, wanted in chosen.items() if wanted), "on_a_grid")
    if path.exists():
        raise UserError(
            f"{path} is there already, and is left as it is: take another name, or move that file"
        )
    if find_spec(name.replace("-", "_")) is not None:
        raise UserError(
            f"{name} is the name of a Python module, which the file would hide from every "
            "program here: take another"
        )
    if iskeyword(_class_name(name)):
        raise UserError(
            f"a class of the file would be called {_class_name(name)}, which is a word of Python: "
            "take another name"
        )
    with writing(path), whole_file(path, new=True) as file:
        file.write(text_of_template(name, template, greatest=options.greatest).encode())
    print(
        f"{path} holds a puzzle, its check and a solver of each side. It works already; replace "
        "its parts by yours. Try"
    )
    for command in (each for each in commands() if each in ("run", "fuzz", "conform")):
        print(f"  python -m compare {command} ./{path}")
    return 0


def text_of_template(name: str, template: str, *, greatest: bool = False) -> str:
    """A template's text for a puzzle of this name.

    Args:
        greatest: whether the best value that it asks for is the greatest one.
    """
    template_text = (
        files("compare.commands.new.templates")
        .joinpath(f"{template}{SUFFIX}")
        .read_text(encoding="utf-8")
    )
    for word, other in _GREATEST.items() if greatest else ():
        template_text = template_text.replace(word, other)
    title = _class_name(name)
    return (
        template_text.replace("TemplatePuzzle", f"{title}Puzzle")
        .replace("Template", title)
        .replace('"template"', f'"{name}"')
    )


def _class_name(name: str) -> str:
    """The name of the class of instances: `TwoColours` for two-colours."""
    return "".join(part.capitalize() for part in re.split("[-_]", name))
