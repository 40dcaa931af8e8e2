"""Loading a user's puzzle: its files are imported from their texts once in a process, examined, and
its functions are watched.

What the file must have, and what is missing or wrong, is a message with its line.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from importlib import import_module, invalidate_caches
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from inspect import Parameter, signature
from io import StringIO
from pathlib import Path
from traceback import walk_tb
from types import FunctionType, ModuleType
from typing import Any

import puzzles
from puzzles.backend import SIDE_NAMES, Backend, all_backends, collect_backends, enter, forget
from puzzles.case import Case, CasePuzzle
from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Origin, Puzzle, WitnessPuzzle
from puzzles.shell.time_limits import at_most
from puzzles.text import UserError, first_paragraph
from puzzles.user.guarding import watch_functions, watched_backend
from puzzles.user.user_file import (
    INIT_FILE,
    SUFFIX,
    PuzzleFault,
    UserFile,
    fault,
    fault_raised,
    place_of,
    place_of_error,
)

_NAME = re.compile(r"[a-z][a-z0-9_-]*")

RESERVED = ("all",)
"""Words that a command takes in the place of a puzzle's name."""

OF_PACKAGES = ("formula", "two-sat")
"""Names that only the puzzle of an installed package may have, for this project's own package has
them.
"""

_EXPECTED = (
    "write a class of your own from puzzles.grid.SolutionPuzzle (boards) or "
    "puzzles.case_solution.CaseSolutionPuzzle (any other input), and below it PUZZLE = NAME()"
)


def the_puzzle(file: UserFile, module: ModuleType) -> Puzzle:
    """The one puzzle of the file, or of the folder's `__init__.py`."""
    instances = {id(each): each for each in vars(module).values() if isinstance(each, Puzzle)}
    own = [each for each in instances.values() if within(type(each).__module__, module.__name__)]
    if len(own) > 1:
        named = ", ".join(type(each).__name__ for each in own)
        raise fault(file, None, f"it holds {len(own)} puzzles ({named}): keep one in each file")
    if own:
        return own[0]
    classes = _classes(vars(module), module.__name__)
    if not classes:
        raise fault(file, None, f"there is no puzzle in it: {_EXPECTED}")
    name = classes[-1].__name__
    message = f"the class {name} has no instance: write PUZZLE = {name}() below it"
    raise fault(file, classes[-1], message)


def lacks_methods(file: UserFile, error: TypeError) -> PuzzleFault | None:
    """The fault that a class cannot have an instance because it lacks methods; None if there is no
    such class.
    """
    for frame, _ in walk_tb(error.__traceback__):
        for kind in reversed(
            _classes(frame.f_globals, file.module) if frame.f_code.co_filename in file.texts else []
        ):
            missing = sorted(getattr(kind, "__abstractmethods__", ()))
            if missing:
                return fault(
                    file,
                    kind,
                    f"the class {kind.__name__} lacks {_list_methods(kind, missing)}",
                )
    return None


def examine(file: UserFile, puzzle: Puzzle, backends: Sequence[Backend]) -> None:
    """Raise `PuzzleFault` for whatever would go wrong later."""
    kind = type(puzzle)
    _examine_name(file, puzzle)
    _examine_decorators(file, kind)
    if isinstance(puzzle, GridPuzzle):
        _examine_type(file, puzzle, "board_type", Board, "boards")
    if isinstance(puzzle, CasePuzzle):
        _examine_type(file, puzzle, "case_type", Case, "cases")
    if (
        kind.check is WitnessPuzzle.check
        and getattr(kind, "broken_rule", None) is WitnessPuzzle.broken_rule
    ):
        called = "board, solution" if isinstance(puzzle, GridPuzzle) else "case, witness"
        raise fault(
            file,
            kind,
            f"the class {kind.__name__} has no rules: write broken_rule(self, {called}), or check",
        )
    formats: Any = getattr(puzzle, "formats", None)
    if (
        not isinstance(formats, tuple)
        or not formats
        or not all(isinstance(each, str) for each in formats)
    ):
        raise fault(
            file,
            kind,
            f"formats is {formats!r:.60}: expected a tuple of texts, the default first, such as "
            "('plain',)",
        )
    if puzzle.better not in ("", "less", "greater"):
        raise fault(
            file,
            kind,
            f"better is {puzzle.better!r:.60}: expected 'less' or 'greater', which of two values "
            "is the better one",
        )
    labels: dict[str, Backend] = {}
    for backend in backends:
        examine_backend(file, backend)
        if backend.puzzle != puzzle.name:
            raise fault(
                file,
                backend.function,
                f"the backend {backend.label} is for {backend.puzzle!r}: expected this file's "
                f"puzzle, {puzzle.name!r}",
            )
        first = labels.setdefault(backend.label, backend)
        if first is not backend:
            other = place_of(file, first.function) or "elsewhere"
            raise fault(
                file,
                backend.function,
                f"{other} has a backend {backend.label} already: rename one",
            )


def wrong_name(name: object, *, installed: bool = False) -> str:
    """Why a user's puzzle cannot have this name, as a clause with the remedy; empty if it
    can.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return f"the name is {name!r:.60}: expected small letters, digits, - and _, such as lights"
    if name in puzzles.names():
        return f"{name} is the name of a puzzle of Twofold: choose another name"
    taken = name in RESERVED or (name in OF_PACKAGES and not installed)
    return (
        f"the name {name} has a meaning of its own in commands: choose another name"
        if taken
        else ""
    )


def _examine_name(file: UserFile, puzzle: Puzzle) -> None:
    kind: type[Puzzle] = type(puzzle)
    name: Any = getattr(puzzle, "name", None)
    wrong = wrong_name(name, installed=bool(file.installed_as))
    if wrong:
        raise fault(file, kind, wrong)
    if file.installed_as and name != file.argument:
        raise fault(
            file,
            kind,
            f"name is {name!r}, but it is installed as the puzzle {file.argument}: make the two "
            "names equal",
        )
    other = puzzles.user_files().get(name)
    if other is not None and other.path != file.path:
        raise fault(
            file, kind, f"{other.argument} holds a puzzle {name} already: choose another name"
        )


def _examine_type(
    file: UserFile,
    puzzle: Puzzle,
    attribute: str,
    base: type[Instance],
    plural: str,
) -> None:
    """Examine the class of the puzzle's boards or cases, which this attribute of the puzzle
    names.
    """
    kind: Any = getattr(puzzle, attribute, None)
    if not isinstance(kind, type) or not issubclass(kind, base):
        expected = f"expected your class of {plural}, from {base.__module__}.{base.__name__}"
        raise fault(file, type(puzzle), f"{attribute} is {kind!r:.60}: {expected}")
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if missing:
        raise fault(file, kind, f"the class {kind.__name__} lacks {_list_methods(kind, missing)}")
    _examine_decorators(file, kind)
    alphabet: Any = getattr(kind, "alphabet", None)
    written = (
        isinstance(alphabet, bytes) and alphabet and alphabet.isascii() and min(alphabet) > ord(" ")
    )
    if base is Board and not written:
        raise fault(
            file,
            kind,
            f"alphabet is {alphabet!r:.60}: expected a board's characters as bytes, such as "
            "alphabet = b'.#'",
        )
    named = getattr(kind, "puzzle", None)
    if named != puzzle.name:
        expected = f"expected the puzzle's own name, puzzle = {puzzle.name!r}"
        raise fault(file, kind, f"the {plural} are of the puzzle {named!r}: {expected}")


_DECORATORS = {property: "@property", cached_property: "@property", classmethod: "@classmethod"}
"""What stands above a method whose name a class of ours gives to such an attribute."""


def _examine_decorators(file: UserFile, kind: type) -> None:
    """Refuse a plain method in the place of a property, or of a method of the class."""
    for name, own in vars(kind).items():
        ours = next((vars(each)[name] for each in kind.__mro__[1:] if name in vars(each)), None)
        decorator = _DECORATORS.get(type(ours))
        if isinstance(own, FunctionType) and decorator is not None:
            raise fault(
                file, own, f"{name} is a plain method: write {decorator} above `def {name}`"
            )


def examine_backend(file: UserFile, backend: Backend) -> None:
    """Raise `PuzzleFault` unless a backend of the file has a side, and can be called."""
    function = backend.function
    if backend.side not in SIDE_NAMES:
        raise fault(
            file,
            function,
            f"the side of backend {backend.name} is {backend.side!r}: expected "
            f"{' or '.join(SIDE_NAMES)}",
        )
    if not _takes(function, "board", certify=True):
        raise fault(
            file,
            function,
            f"the backend {backend.label} must be called as solve(board, *, certify=False) is",
        )
    missing = [option for option in backend.options if option not in signature(function).parameters]
    if missing:
        raise fault(
            file,
            function,
            f"the backend {backend.label} has no parameter {', '.join(missing)}, which its "
            "options name",
        )
    for bound in ("limit", "quick", "surely_takes"):
        size: Any = getattr(backend, bound)
        if size is not None and type(size) is not int:
            raise fault(
                file,
                function,
                f"{bound} of the backend {backend.label} is {size!r:.60}: expected a whole number",
            )
    for name in ("refuses", "many", "encode"):
        other: Any = getattr(backend, name)
        if other is not None and not callable(other):
            raise fault(
                file,
                function,
                f"{name} of the backend {backend.label} is {other!r:.60}: expected a function",
            )
    if backend.refuses is not None:
        try:
            signature(backend.refuses).bind("board", certify=False, **backend.defaults)
        except TypeError as error:
            raise fault(
                file,
                backend.refuses,
                f"refuses of the backend {backend.label} must take what the backend takes, as "
                f"refuses(board, *, certify, **options) does: {error}",
            ) from None


def _takes(function: Callable[..., Any], *args: Any, **named: Any) -> bool:
    try:
        bound = signature(function).bind(*args, **named)
    except TypeError:
        return False
    certify = bound.signature.parameters.get("certify")
    return certify is None or certify.default is not Parameter.empty


def _classes(names: Mapping[str, Any], package: str) -> list[type[Puzzle]]:
    """The classes of puzzles that the file or folder defines, in their order."""
    values = [
        each for each in names.values() if isinstance(each, type) and issubclass(each, Puzzle)
    ]
    return [each for each in dict.fromkeys(values) if within(each.__module__, package)]


def within(module: str, package: str) -> bool:
    """Whether a module is the package, or stands in it."""
    return module == package or module.startswith(f"{package}.")


def _list_methods(kind: type, names: Sequence[str]) -> str:
    """The methods, each with the beginning of what its docstring asks for."""
    return "; ".join(f"{name}: {first_paragraph(getattr(kind, name))}" for name in names)


class UserModules(MetaPathFinder, ExecutionLoader):
    """Finds and loads the modules of one own puzzle.

    They need not exist on this machine: their texts have travelled here.
    """

    def __init__(self, file: UserFile) -> None:
        self.name = file.module
        self._paths, self._texts = file.modules, file.texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module of this puzzle; None for any other module."""
        if fullname not in self._paths:
            return None
        spec = spec_from_loader(fullname, self, is_package=self.is_package(fullname))
        if spec is not None and spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [
                str(Path(self._paths[fullname]).parent)
            ]  # compiled modules are found there
        return spec

    def get_filename(self, fullname: str) -> str:
        """The absolute path of the module's file."""
        return self._paths[fullname]

    def get_source(self, fullname: str) -> str:
        """The module's text."""
        return self._texts.get(self._paths[fullname], "")

    def is_package(self, fullname: str) -> bool:
        """Whether the module is the folder itself, or a folder in it."""
        return Path(self._paths[fullname]).name == INIT_FILE

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's text, in which `print` goes to standard error: a command may call any of
        its functions, such as `text`, while it writes its own output.
        """
        vars(module)["print"] = _print_to_stderr
        super().exec_module(module)


def _print_to_stderr(*values: object, file: Any = None, **options: Any) -> None:
    print(*values, file=sys.stderr if file is None else file, **options)


def import_files(file: UserFile, names: Sequence[str]) -> ModuleType:
    """Import the file, or the folder's `__init__.py` and then its modules of these names, if there
    are such modules.

    Raises whatever the files raise; then none of their modules stays.
    """
    modules = UserModules(file)
    for path, text in file.texts.items():  # tracebacks show lines from here
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    if not file.installed_as:  # a module that is there already would register no backends
        take_away(file)
    sys.meta_path.insert(0, modules)
    invalidate_caches()
    try:
        module = import_module(modules.name)
        for part in names if file.is_folder else ():
            # The module of this name, and all below it if that is a folder.
            for name in file.modules:
                if within(name, f"{file.module}.{part}"):
                    import_module(name)
    except BaseException:
        take_away(file)
        raise
    return module


def take_away(file: UserFile) -> None:
    """Forget the modules that were imported from this file or folder."""
    module = file.module
    for name in [name for name in sys.modules if within(name, module)]:
        del sys.modules[name]
    sys.meta_path[:] = [
        each
        for each in sys.meta_path
        if not (isinstance(each, UserModules) and each.name == module)
    ]


IMPORT_S = 60.0
"""Seconds that importing the file may take."""


def import_file(file: UserFile) -> tuple[Puzzle, str]:
    """Import the file or folder. Returns its puzzle, whose backends are registered from now on, and
    what the import printed.

    Raises:
        PuzzleFault: something is wrong in it. Then nothing of it stays.
    """
    printed = StringIO()
    try:
        with collect_backends() as backends:
            with redirect_stdout(printed), redirect_stderr(printed):
                module = _import(file)
            puzzle = the_puzzle(file, module)
            if (
                file.installed_as
            ):  # if somebody has imported the package before, its backends are registered already
                backends += [
                    each
                    for each in all_backends()
                    if each.puzzle == puzzle.name and each not in backends
                ]
            examine(file, puzzle, backends)
            puzzle = watch_functions(puzzle, file)
            _complete(file, module, puzzle)
    except BaseException:
        take_away(file)
        raise
    forget(puzzle.name)
    for backend in backends:
        enter(watched_backend(backend, file))
    return puzzle, printed.getvalue()


def _import(file: UserFile) -> ModuleType:
    """Import the file, or the folder with the modules that hold its backends."""
    try:
        with at_most(IMPORT_S):
            return import_files(file, SIDE_NAMES)
    except (UserError, KeyboardInterrupt):
        raise
    except BaseException as error:
        lack = (
            lacks_methods(file, error)
            if isinstance(error, TypeError) and "abstract" in str(error)
            else None
        )
        raise (
            lack or _beside(file, error) or fault_raised(file, error, "importing the file")
        ) from None


def _beside(file: UserFile, error: BaseException) -> PuzzleFault | None:
    """What to do about the import of a module that lies beside the file or in the folder; None if
    it is about another one.
    """
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if not name:
        return None
    place, folder = place_of_error(file, error), Path(file.path).parent
    if file.is_folder and (name == folder.name or f"{name}{SUFFIX}" in dict(file.others)):
        dots = "." if name == folder.name else f".{name}"
        return fault(
            file,
            place,
            f"there is no module {name}: modules of this folder are imported as `from {dots} "
            "import ...`",
        )
    if not file.is_folder and (folder / f"{name}{SUFFIX}").is_file():
        return fault(
            file,
            place,
            f"there is no module {name}: {name}{SUFFIX} beside this file is no part of the "
            "puzzle: put both into a folder, "
            f"name this one __init__.py, and write `from .{name} import ...`",
        )
    return None


def _complete(file: UserFile, module: ModuleType, puzzle: Puzzle) -> None:
    """Set what the file leaves to be set."""
    puzzle.source = puzzle.source or file.argument
    place = Path(file.path).parent if file.is_folder else Path(file.path).with_suffix("")
    puzzle.origin = Origin(file.argument, place / "data", file, module.__doc__ or "")
    puzzle.complete()
