"""Where a puzzle lives: the files of its data, the modules of its backends, and what a command line calls it."""

from __future__ import annotations

from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from puzzles.text import UserError
from puzzles.user.user_file import UserFile


class Home(NamedTuple):
    """The home of one puzzle.

    Attributes:
        argument: what a command line calls the puzzle: its name, or the path of its file.
        data: the folder of its files. Each folder in it is a dataset: `*.in` with optional `*.ans`.
        user_file: the file or folder that holds a puzzle of one's own; None for a puzzle of this project.
        text: what it says of itself, if it is somebody's own.
    """

    argument: str
    data: Path
    user_file: UserFile | None = None
    text: str = ""

    def side_module(self, side: str) -> str | None:
        """The module that holds the backends of one side; None if there is none, or if the puzzle's own file holds them."""
        module = f"{side}.{self.argument}"
        return None if self.user_file is not None or find_spec(module) is None else module

    def place_of_backend(self, side: str) -> str:
        """The file into which a backend of this side belongs."""
        if self.user_file is None:
            return f"{side}/{self.argument}.py"
        return str(self.data.parent / f"{side}.py") if self.user_file.is_folder else self.argument

    def rules(self) -> str:
        """The rules of the puzzle for people, as Markdown: `rules.md` beside the data, or the docstring of its own file or folder.

        Raises:
            UserError: there are none, or they cannot be read.
        """
        path = self.data.parent / "rules.md"
        if self.user_file is not None and not (self.user_file.is_folder and path.is_file()):
            if not self.text.strip():
                raise UserError(f"{self.argument} has no written rules: write them into the docstring at its top")
            return cleandoc(self.text) + "\n"
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"{self.argument} has no written rules: {path}: {error.strerror or error}") from None


def of_project(name: str) -> Home:
    """The home of a puzzle of this project: the folders `puzzles/NAME`, and a module of the name on each side."""
    return Home(name, Path(__file__).parent / name / "data")
