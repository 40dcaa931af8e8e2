"""The files of a puzzle of one's own: their paths and texts, which travel to every process that needs the puzzle."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from puzzles.text import UserError

SUFFIX = ".py"
FIRST = "__init__.py"
"""The file of a folder that holds its puzzle."""

MOST_FILES, MOST_BYTES = 200, 4_000_000
"""The Python files of a folder, and their bytes: a folder with more is not a puzzle's."""

_PASSED_OVER = ("data", "__pycache__")
"""Folders that hold no part of the puzzle's program. Those whose names begin with a dot are passed over, too."""

_NO_NAME = re.compile(r"\W", re.ASCII)


class OwnFile(NamedTuple):
    """A Python file that holds a puzzle, or a folder whose `__init__.py` does.

    Attributes:
        argument: what a command line calls it: the path as the user wrote it, or the name of an installed puzzle.
        path: the absolute path of the file, or of the folder's `__init__.py`. On another machine no such file need be there.
        text: what that file holds.
        others: the other Python files of the folder: (path inside the folder, text), sorted.
        installed_as: the name of the module or package if it is an installed one, else empty.
    """

    argument: str
    path: str
    text: str
    others: tuple[tuple[str, str], ...] = ()
    installed_as: str = ""

    @property
    def is_folder(self) -> bool:
        return Path(self.path).name == FIRST

    @property
    def module(self) -> str:
        """The name under which every process imports it, so that its instances can travel.

        A file or folder that is not installed has another name as soon as its text is another one.
        """
        if self.installed_as:
            return self.installed_as
        path = Path(self.path)
        texts = "\n".join([self.path, self.text, *("\n".join(each) for each in self.others)])
        digest = hashlib.sha256(texts.encode(errors="surrogatepass")).hexdigest()
        return f"own_puzzle_{_NO_NAME.sub('_', path.parent.name if self.is_folder else path.stem)}_{digest[:12]}"

    @property
    def texts(self) -> dict[str, str]:
        """Each file's absolute path, and its text."""
        folder = Path(self.path).parent
        return {self.path: self.text, **{str(folder / inside): text for inside, text in self.others}}

    @property
    def modules(self) -> dict[str, str]:
        """The name of each module that its files make, and the absolute path of its file.

        A folder in the folder is a package even if it has no `__init__.py`; then there is no such file.
        """
        folder, names = Path(self.path).parent, {self.module: self.path}
        for inside, _ in self.others:
            parts = Path(inside).with_suffix("").parts
            for depth in range(1, len(parts)):
                names.setdefault(".".join([self.module, *parts[:depth]]), str(folder.joinpath(*parts[:depth], FIRST)))
            dotted = parts[:-1] if parts[-1] == Path(FIRST).stem else parts
            names[".".join([self.module, *dotted])] = str(folder / inside)
        return names

    def shown(self, path: str) -> str:
        """How messages name one of its files."""
        if not self.is_folder:
            return self.argument
        base = str(Path(self.path).parent) if self.installed_as else self.argument
        return str(Path(base) / Path(path).relative_to(Path(self.path).parent))


def is_path(puzzle: str) -> bool:
    """Whether a PUZZLE argument is a path, and not a name."""
    return puzzle.endswith(SUFFIX) or os.sep in puzzle or "/" in puzzle or puzzle in (".", "..")


def read(argument: str, *, name: str = "", installed_as: str = "") -> OwnFile:
    """The file or the folder at this path. `name` is what commands call it, if that is not the path.

    Raises:
        UserError: it cannot be read, or is neither a Python file nor a folder with an `__init__.py`.
    """
    path = Path(argument)
    try:
        if path.is_dir():
            return _read_folder(path, name or argument, installed_as)
        if path.suffix != SUFFIX:
            raise UserError(
                f"{argument}: a puzzle of your own is a Python file or a folder: name a file that ends in {SUFFIX}, "
                f"or a folder with a file {FIRST}"
            )
        return OwnFile(name or argument, str(path.absolute()), path.read_text(encoding="utf-8"), installed_as=installed_as)
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name with a null character
        at = getattr(error, "filename", None) or argument
        raise UserError(f"{at}: {getattr(error, 'strerror', None) or error}") from None


def _read_folder(folder: Path, argument: str, installed_as: str) -> OwnFile:
    if not (folder / FIRST).is_file():
        raise UserError(f"{argument}: there is no {FIRST} in this folder: write the puzzle's class and PUZZLE = ...() into it")
    inside: list[tuple[str, str]] = []
    size = 0
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(each for each in folders if each not in _PASSED_OVER and not each.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if path.suffix != SUFFIX or name.startswith(".") or path == folder / FIRST:
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except ValueError as error:
                raise UserError(f"{path}: {error}") from None
            inside.append((path.relative_to(folder).as_posix(), text))
            size += len(text)
            if len(inside) > MOST_FILES or size > MOST_BYTES:
                raise UserError(
                    f"{argument}: it holds more than {MOST_FILES} Python files, or more than {MOST_BYTES // 10**6} MB of them: "
                    "name the folder of one puzzle"
                )
    text = (folder / FIRST).read_text(encoding="utf-8")
    return OwnFile(argument, str((folder / FIRST).absolute()), text, tuple(inside), installed_as)


def _unreadable(error: OSError) -> None:
    raise error


def hint(name: str) -> str:
    """What to add to the message that there is no puzzle of this name: how a file is named, perhaps one of this folder."""
    with suppress(OSError, ValueError):
        if Path(f"{name}{SUFFIX}").is_file():
            return f"; a file of your own by its path: ./{name}{SUFFIX}"
        if (Path(name) / FIRST).is_file():
            return f"; a folder of your own by its path: ./{name}"
    return f"; a file of your own by its path: ./NAME{SUFFIX}"
