"""The files of a user's puzzle: of a path or of an installed package, with the places in them that
faults name.

Their texts travel to every process that needs the puzzle. A package names its puzzles in the
entry-point group `twofold.puzzles`. Puzzles of this project that stand on all of it, since their
checks and generators use solvers, are modules of `compare` and are found by their place.
"""

from __future__ import annotations

import hashlib
import os
import re
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from inspect import unwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from puzzles.text import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

SUFFIX = ".py"
INIT_FILE = "__init__.py"
"""The file of a folder that holds its puzzle."""

MAX_FILES, MAX_BYTES = 200, 4_000_000
"""The Python files of a folder, and their bytes: a folder with more is not a puzzle's."""

_PASSED_OVER = ("data", "__pycache__")
"""Folders that hold no part of the puzzle's program.

Those whose names begin with a dot are passed over, too.
"""

_NO_NAME = re.compile(r"\W", re.ASCII)


class UserFile(NamedTuple):
    """A Python file that holds a puzzle, or a folder whose `__init__.py` does.

    Attributes:
        argument: what a command line calls it: the path as the user wrote it, or the name of an
            installed puzzle.
        path: the absolute path of the file, or of the folder's `__init__.py`. On another machine no
            such file need be there.
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
        return Path(self.path).name == INIT_FILE

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
        name = path.parent.name if self.is_folder else path.stem
        return f"own_puzzle_{_NO_NAME.sub('_', name)}_{digest[:12]}"

    @property
    def texts(self) -> dict[str, str]:
        """Each file's absolute path, and its text."""
        folder = Path(self.path).parent
        return {
            self.path: self.text,
            **{str(folder / inside): text for inside, text in self.others},
        }

    @property
    def modules(self) -> dict[str, str]:
        """The name of each module that its files make, and the absolute path of its file.

        A folder in the folder is a package even if it has no `__init__.py`; then there is no such
        file.
        """
        folder, names = Path(self.path).parent, {self.module: self.path}
        for inside, _ in self.others:
            parts = Path(inside).with_suffix("").parts
            for depth in range(1, len(parts)):
                names.setdefault(
                    ".".join([self.module, *parts[:depth]]),
                    str(folder.joinpath(*parts[:depth], INIT_FILE)),
                )
            dotted = parts[:-1] if parts[-1] == Path(INIT_FILE).stem else parts
            names[".".join([self.module, *dotted])] = str(folder / inside)
        return names

    def display_name(self, path: str) -> str:
        """How messages name one of its files, or a file beside it."""
        if not self.is_folder:
            own = path == self.path
            return self.argument if own else str(Path(self.argument).with_name(Path(path).name))
        base = str(Path(self.path).parent) if self.installed_as else self.argument
        return str(Path(base) / Path(path).relative_to(Path(self.path).parent))


def read_user_file(argument: str, *, name: str = "", installed_as: str = "") -> UserFile:
    """The file or the folder at this path. `name` is what commands call it, if that is not the
    path.

    Raises:
        UserError: it cannot be read, or is neither a Python file nor a folder with an
            `__init__.py`.
    """
    path = Path(argument)
    try:
        if path.is_dir():
            return _read_folder(path, name or argument, installed_as)
        if path.suffix != SUFFIX:
            raise UserError(
                f"{argument}: a puzzle of your own is a Python file or a folder: name a file "
                f"that ends in {SUFFIX}, "
                f"or a folder with a file {INIT_FILE}"
            )
        return UserFile(
            name or argument,
            str(path.absolute()),
            path.read_text(encoding="utf-8"),
            installed_as=installed_as,
        )
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name with a null character
        at = getattr(error, "filename", None) or argument
        raise UserError(f"{at}: {getattr(error, 'strerror', None) or error}") from None


def _read_folder(folder: Path, argument: str, installed_as: str) -> UserFile:
    if not (folder / INIT_FILE).is_file():
        raise UserError(
            f"{argument}: there is no {INIT_FILE} in this folder: write the puzzle's class and "
            "PUZZLE = ...() into it"
        )
    inside: list[tuple[str, str]] = []
    size = 0
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(
            each for each in folders if each not in _PASSED_OVER and not each.startswith(".")
        )
        for name in sorted(files):
            path = Path(place, name)
            if path.suffix != SUFFIX or name.startswith(".") or path == folder / INIT_FILE:
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except ValueError as error:
                raise UserError(f"{path}: {error}") from None
            inside.append((path.relative_to(folder).as_posix(), text))
            size += len(text)
            if len(inside) > MAX_FILES or size > MAX_BYTES:
                raise UserError(
                    f"{argument}: it holds more than {MAX_FILES} Python files, or more than "
                    f"{MAX_BYTES // 10**6} MB of them: "
                    "name the folder of one puzzle"
                )
    text = (folder / INIT_FILE).read_text(encoding="utf-8")
    return UserFile(
        argument, str((folder / INIT_FILE).absolute()), text, tuple(inside), installed_as
    )


def _unreadable(error: OSError) -> None:
    raise error


def hint(name: str) -> str:
    """What to add to the message that there is no puzzle of this name: how a file is named, perhaps
    one of this folder.
    """
    with suppress(OSError, ValueError):
        if Path(f"{name}{SUFFIX}").is_file():
            return f"; a file of your own by its path: ./{name}{SUFFIX}"
        if (Path(name) / INIT_FILE).is_file():
            return f"; a folder of your own by its path: ./{name}"
    return f"; a file of your own by its path: ./NAME{SUFFIX}"


class PuzzleFault(UserError):
    """A mistake in somebody's own puzzle or plugin; the message begins with its file and, where
    there is one, the line.
    """


class Misread(PuzzleFault):
    """What a user's puzzle has read of a text is not what is written there."""


def fault(file: UserFile, at: Callable[..., Any] | str | None, message: str) -> PuzzleFault:
    """A fault at a place, such as `lights.py:12`, or where a function or a class begins; of the
    puzzle as a whole, if it is defined elsewhere.
    """
    place = at if isinstance(at, str) or at is None else place_of(file, at)
    return PuzzleFault(f"{place or file.argument}: {message}")


def fault_raised(
    file: UserFile, error: BaseException, doing: str, function: Callable[..., Any] | None = None
) -> PuzzleFault:
    """The fault that an exception shows.

    Args:
        doing: what raised it, as a clause in front of `raised`.
        function: what was called; its place is said if no line of the files took part.
    """
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename in file.texts:
        at = f"{file.display_name(error.filename)}:{error.lineno}:{error.offset}"
        return PuzzleFault(f"{at}: {type(error).__name__}: {error.msg}: mend that line")
    place = place_of_error(file, error) or function
    return fault(file, place, f"{doing} raised {what}: mend that line")


def place_of_error(file: UserFile, error: BaseException) -> str | None:
    """The innermost line of the puzzle's files, or of a file beside a single one, that took part
    in raising an exception.
    """
    paths, folder = file.texts, None if file.is_folder else os.path.dirname(file.path)  # noqa: PTH120
    places = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in paths or os.path.dirname(frame.filename) == folder  # noqa: PTH120
    ]
    return f"{file.display_name(places[-1].filename)}:{places[-1].lineno}" if places else None


def place_of(file: UserFile, defined: Callable[..., Any]) -> str | None:
    """The line where a function or a class begins; None if it is defined elsewhere."""
    if isinstance(defined, type):
        for path, text in file.texts.items():
            match = re.search(rf"^class {re.escape(defined.__name__)}\b", text, re.MULTILINE)
            if match is not None:
                lines_before = text.count("\n", 0, match.start())
                return f"{file.display_name(path)}:{lines_before + 1}"
        return None
    code = getattr(unwrap(defined), "__code__", None)
    if code is None or code.co_filename not in file.texts:
        return None
    return f"{file.display_name(code.co_filename)}:{code.co_firstlineno}"


GROUP = "twofold.puzzles"

OURS, OUR_ENDING = "twofold", "_puzzle.py"
"""The distribution of this project, and how the files end that hold a puzzle of it outside of the
folder `puzzles`: the puzzle `two-sat` is in a file `two_sat_puzzle.py`.
"""


@cache
def installed_puzzles() -> dict[str, list[EntryPoint]]:
    """The puzzles that installed packages offer, and those of this project that are found by their
    place, by name, looked up once in a process; more than one of a name are a conflict.
    """
    from importlib.metadata import EntryPoint, entry_points  # late: it takes a tenth of a second

    others = [
        point
        for point in entry_points(group=GROUP)
        if point.dist is None or point.dist.name != OURS
    ]
    ours = [EntryPoint(name, module, GROUP) for name, module in _by_place().items()]
    points = sorted([*others, *ours], key=lambda point: (point.name, point.value))
    return {name: list(offers) for name, offers in groupby(points, lambda point: point.name)}


def _by_place() -> dict[str, str]:
    """The modules of `compare` that hold a puzzle, by its name."""
    root = Path(__file__).resolve().parent.parent.parent  # `puzzles` may be a link
    return {
        path.name.removesuffix(OUR_ENDING).replace("_", "-"): ".".join(
            path.relative_to(root).with_suffix("").parts
        )
        for path in (root / "compare").rglob(f"*{OUR_ENDING}")
    }


def installed_file(name: str) -> UserFile | None:
    """The files of the installed puzzle of this name, which then travel like those of a path; None
    if there is none.

    Raises:
        UserError: two packages have a puzzle of this name, or its files cannot be read.
    """
    offers = {
        OURS if point.dist is None else point.dist.name: point.module
        for point in installed_puzzles().get(name, [])
    }
    if len(offers) > 1:
        raise UserError(
            f"the installed packages {' and '.join(offers)} have a puzzle {name} each: uninstall "
            "one of them"
        )
    if not offers:
        return None
    ((distribution, module),) = offers.items()
    try:
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise UserError(f"there is no module {module}")
        origin = Path(spec.origin)
        path = origin.parent if origin.name == INIT_FILE else origin
        return read_user_file(str(path), name=name, installed_as=module)
    except Exception as error:  # a package above it may raise anything when it is imported
        what = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
        remedy = f"mend that package, or uninstall it with `pip uninstall {distribution}`"
        if distribution == OURS:
            remedy = "mend that file, or take it away"
        raise UserError(
            f"the puzzle {name} of the installed package {distribution} cannot be loaded: "
            f"{what}{error}: {remedy}"
        ) from None
