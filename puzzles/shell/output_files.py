"""The files that a command writes: each is whole or is left as it was, and none of them is a file
that the same command reads.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import BinaryIO

from puzzles.text import UserError

_OF_THE_SYSTEM = ("/dev/", "/proc/")
"""Where names such as `/dev/stdout` stand for what is open already."""

STANDARD_INPUT = "/dev/stdin"


@contextmanager
def writing(place: object, more: str = "") -> Iterator[None]:
    """Within, what cannot be written is a mistake of the user: `place: why`, then `more`."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{place}: {error.strerror or error}{more}") from None


@contextmanager
def whole_file(path: Path, *, new: bool = False) -> Iterator[BinaryIO]:
    """A file to be written within. If that fails, for example because the disk is full, an older
    file stays as it was, and nothing is left of a new one.

    It is written beside its place, and then takes that place. This cannot be done to a device or a
    pipe, or in a folder that takes no new files: there it is written in place.

    Args:
        new: whether a file that is there already is an error.
    """
    before = None if new else _status(path)
    if not new and not _can_be_replaced(path, before):
        with path.open("wb") as stream:
            yield stream
        return
    target = path if new else Path(os.path.realpath(path))
    part = path if new else target.with_name(f".twofold-{os.getpid()}-{token_hex(4)}")
    stream = part.open("xb")
    try:
        with stream:
            yield stream
        if before is not None:
            shutil.copymode(target, part)
        if part != target:
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_file(path: Path, text: str | Iterable[str]) -> None:
    """Write a text, or its parts, as a whole file; raises `UserError` if it cannot be written."""
    parts = [text] if isinstance(text, str) else text
    with writing(path), whole_file(path) as stream:
        stream.writelines(part.encode() for part in parts)


def try_to_write(path: Path) -> None:
    """Raise OSError if a file cannot be written, which is better said before the work; it stays as
    it is.
    """
    before = _status(path)
    if before is None:
        with TemporaryFile(dir=Path(os.path.realpath(path)).parent):
            pass
    elif stat.S_ISREG(before.st_mode):
        with path.open("r+b"):
            pass
    elif stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def same_file(one: str, other: str) -> bool:
    """Whether two paths name the same file, perhaps by links; also a file that is not there yet."""
    try:
        return Path(one).samefile(other) and Path(one).is_file()
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
    except ValueError:  # a name with a null character
        return False


def _status(path: Path) -> os.stat_result | None:
    """What the system says of a file; None if it is not there."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _can_be_replaced(path: Path, before: os.stat_result | None) -> bool:
    """Whether another file can take its place; raises OSError for a file that must not change."""
    if str(path.absolute()).startswith(_OF_THE_SYSTEM):
        return False
    if before is not None:
        if not stat.S_ISREG(before.st_mode):
            return False
        with path.open("r+b"):
            pass
    return os.access(Path(os.path.realpath(path)).parent, os.W_OK)
