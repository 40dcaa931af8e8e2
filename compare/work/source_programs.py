"""Programs that are named by their source: compiled once a command, in a temporary folder that is removed at its end.

There is no cache from one command to the next. So nothing goes stale, whatever file beside the source changes; a home folder
that cannot be written is no obstacle; and processes that run at once have nothing to share. A compilation takes about a second.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from compare.isolate.child import Child
from compare.isolate.outcome import Limits, Status
from compare.work.languages import Language, language_of
from compare.work.programs import run_compiler
from puzzles.text import UserError, excerpt

COMPILE_S = 120.0
"""Seconds that a compiler may take."""

MAX_LINES = 40
"""Lines of a compiler that a message shows."""

PYTHON = ".py"


_built: dict[str, tuple[str, ...]] = {}
"""The words that start what this process has compiled, by the absolute paths of the sources."""

_homes: list[TemporaryDirectory[str]] = []
"""The folder in which they lie, if there is one."""


def folder_of_programs() -> Path | None:
    """The folder that holds all that this process has compiled; None if that is nothing."""
    return Path(_homes[0].name) if _homes else None


@contextmanager
def removing_programs() -> Iterator[None]:
    """At the end, however it comes, remove everything that was compiled."""
    try:
        yield
    finally:
        _built.clear()
        while _homes:
            _homes.pop().cleanup()


def words_of(option: str, command: str, *, seconds: float = COMPILE_S) -> tuple[str, ...]:
    """The words that start what an option of a command line names.

    That is a command, or the path of a source file with arguments behind it. A path with blanks needs quotes only if arguments
    follow. A source is compiled; Python code runs with this Python, unless it is an executable script.

    Args:
        option: what messages call it, such as `--program mine`.
        seconds: how long a compiler may take.

    Raises:
        UserError: the command cannot be read, is not there, or cannot be compiled.
    """
    try:
        words = [command] if _is_source(command) else shlex.split(command)
    except ValueError as error:
        raise UserError(f"{option}: the command {command!r} cannot be read: {error}") from None
    if not words:
        raise UserError(f"{option}: there is no command")
    first, *rest = words
    try:
        if _is_source(first):
            return (*_start(first, seconds), *rest)
    except UserError as error:
        raise UserError(f"{option}: {error}") from None
    if shutil.which(first) is None:
        missing = "no file" if _suffix(first) else "no executable"
        raise UserError(f"{option}: {missing} {first!r}")
    return tuple(words)


def _suffix(path: str) -> bool:
    return Path(path).suffix == PYTHON or language_of(path) is not None


def _is_source(path: str) -> bool:
    with suppress(OSError, ValueError):  # ValueError: a null character
        return _suffix(path) and Path(path).is_file()
    return False


def _start(source: str, seconds: float) -> tuple[str, ...]:
    """The words that start a source, which is compiled unless it is Python."""
    language = language_of(source)
    if language is None:
        path = source if os.sep in source else f".{os.sep}{source}"
        return (path,) if _is_script(Path(path)) else (sys.executable, path)
    key = str(Path(source).absolute())
    if key not in _built:
        _built[key] = _compile(source, language, seconds)
    return _built[key]


def _is_script(path: Path) -> bool:
    """Whether a file can be started as it is: it is executable and names its interpreter."""
    try:
        return os.access(path, os.X_OK) and path.read_bytes()[:2] == b"#!"
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def _compile(source: str, language: Language, seconds: float) -> tuple[str, ...]:
    """The words that start what a compiler makes of a source."""
    compiler = language.compiler(source)
    path = f".{os.sep}{source}" if source.startswith("-") else source  # else a compiler takes it for an option
    if sys.stderr.isatty():
        print(f"compiling {source} with {compiler[0]} ...", file=sys.stderr, flush=True)
    folder = _new_folder()
    program = folder / Path(source).stem
    words = (*compiler, *language.arguments(path, folder, program))
    _run_compiler(words, source, folder, seconds)
    command = tuple(language.start(folder, program))
    if command[0] == str(program) and not os.access(program, os.X_OK):
        raise UserError(f"{source}: no program may run in {folder.parent}: let TMPDIR name a folder where programs may")
    if shutil.which(command[0]) is None:
        raise UserError(f"{source} needs {command[0]}, and that is not here: {language.remedy}")
    return command


def _new_folder() -> Path:
    try:
        if not _homes:
            _homes.append(TemporaryDirectory(prefix="twofold-programs-", ignore_cleanup_errors=True))
        return Path(mkdtemp(dir=_homes[0].name))
    except OSError as error:
        raise UserError(f"nothing can be compiled: {error.strerror or error}: let TMPDIR name a folder with some space") from None


def _run_compiler(words: tuple[str, ...], source: str, folder: Path, seconds: float) -> None:
    """Run a compiler; raises `UserError` with its lines unless it ends well.

    Its temporary files lie in a folder of ours too. If it does not end in time, or we do not, all that it has started is killed.
    """
    with TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        messages = scratch / "messages"
        environment = {**os.environ, "TMPDIR": name, **_go_cache(scratch)}
        starter = Child(starts_programs=True)
        try:
            ended = starter.call(run_compiler, words, environment, str(messages), limits=Limits(seconds))
        finally:
            starter.close()
        if ended.status is Status.TIMEOUT:
            raise UserError(f"{words[0]} was stopped: it took more than {seconds:g} s for {source}; compile it yourself")
        if not ended.ok:
            raise UserError(f"{words[0]} {ended.detail}")
        if ended.value != 0:
            raise UserError(
                f"{words[0]} does not compile {source}; it ends with {_how(ended.value)} and says:\n{_beginning(messages)}"
            )


def _how(status: int) -> str:
    return f"status {status}" if status > 0 else f"signal {-status}"


def _beginning(messages: Path) -> str:
    """The first lines of a compiler."""
    return "\n".join(excerpt(messages.read_bytes().decode("utf-8", "backslashreplace"), MAX_LINES))


def _go_cache(scratch: Path) -> dict[str, str]:
    """A cache for Go, which does not work without one, if its own cannot be written."""
    own = Path(os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME', '')}/.cache", "go-build")
    existing = next(folder for folder in (own, *own.parents) if folder.exists())
    return {} if "GOCACHE" in os.environ or os.access(existing, os.W_OK) else {"GOCACHE": str(scratch / "go")}
