"""The file of a campaign: a header, then one record a line. Each line is written as its run ends, so that a kill loses nothing."""

from __future__ import annotations

import fcntl
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from compare.campaign.header import Header
from compare.campaign.record import Record
from compare.campaign.tasks import Task
from puzzles.text import UserError, counted, read_source

_START = b'{"header": true'


@dataclass(frozen=True)
class Content:
    """What a file of records holds.

    Attributes:
        length: bytes up to the end of the last whole line. What follows is a line that a kill has torn.
    """

    header: Header
    records: tuple[Record, ...]
    length: int


def read(path: str) -> Content:
    """The file's content, without a torn last line; `-` is standard input.

    Raises:
        UserError: the file cannot be read, or is no file of records.
    """
    text, name = read_source(path)
    data = text if isinstance(text, bytes) else text.encode()
    length = data.rfind(b"\n") + 1
    if not data.startswith(_START) or length == 0:
        raise UserError(f"{name}:1: not a file that `compare run --out` wrote")
    first, *lines = data[:length].splitlines()
    try:
        header = Header.from_line(first)
    except ValueError as error:
        raise UserError(f"{name}:1: the header cannot be read: {error}") from None
    records: list[Record] = []
    for number, line in enumerate(lines, 2):
        try:
            records.append(Record.from_line(line.decode(), header.settings.format))
        except ValueError as error:
            raise UserError(f"{name}:{number}: {error}") from None
    return Content(header, tuple(records), length)


class Journal:
    """A file of records that is being written.

    Attributes:
        earlier: the records that were there already.
    """

    def __init__(self, path: str, stream: BinaryIO, earlier: Sequence[Record] = ()) -> None:
        self.path, self.earlier = path, tuple(earlier)
        self._stream = stream
        self._length = stream.tell() if stream.seekable() else 0

    def write(self, line: str) -> None:
        """Append a whole line, or leave the file as it was.

        Raises:
            UserError: the line cannot be written, for example because the disk is full.
        """
        data = memoryview(line.encode() + b"\n")
        whole = self._length + len(data)
        try:
            while data:
                data = data[self._stream.write(data) :]
        except OSError as error:
            with suppress(OSError):
                self._stream.truncate(self._length)
            raise UserError(f"{self.path}: {error.strerror or error}; the runs before are all in it") from None
        self._length = whole


@contextmanager
def open_journal(path: str, header: Header, *, resume: bool = False, overwrite: bool = False) -> Iterator[Journal]:
    """Open a journal. With `resume` it continues the file that the same command has left; with `overwrite` it replaces any file.

    Raises:
        UserError: the file cannot be written, another process is writing to it, it is not empty (a header alone does not count),
            or another command has left it.
    """
    try:
        Path(path).touch()
        with Path(path).open("r+b", buffering=0) as stream:
            _lock(path, stream)
            size = stream.seek(0, os.SEEK_END) if stream.seekable() else 0
            if size and not (resume or overwrite):
                _refuse_to_lose(path, stream)
            content = _left(path, stream, size, header.command) if resume else None
            if stream.seekable():
                stream.seek(content.length if content else 0)
                with suppress(OSError):  # a device has no length
                    stream.truncate()
            journal = Journal(path, stream, content.records if content else ())
            if content is None:
                journal.write(header.line())
            yield journal
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def _lock(path: str, stream: BinaryIO) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(f"{path}: another process is writing to it") from None


def _refuse_to_lose(path: str, stream: BinaryIO) -> None:
    stream.seek(0)
    head, _, rest = stream.read().partition(b"\n")
    if rest or not (head.startswith(_START) or _START.startswith(head)):
        records = rest.count(b"\n") if head.startswith(_START) else 0
        if not records:
            raise UserError(f"{path} is there and not empty: --overwrite begins it anew")
        raise UserError(f"{path} holds {counted(records, 'record')}: --resume goes on with them, --overwrite begins it anew")


def _left(path: str, stream: BinaryIO, size: int, command: str) -> Content | None:
    """What a run has left in the file; None if there is not even a whole header."""
    stream.seek(0)
    start = stream.read(len(_START)) or b""
    if size == 0 or (_START.startswith(start[:size]) and b"\n" not in Path(path).read_bytes()):
        return None
    content = read(path)
    before = content.header.command
    if _without_modes(before) != _without_modes(command):
        raise UserError(f"{path}: --resume goes on with the same command line only, and this file is of\n  {before}")
    return content


def _without_modes(command: str) -> list[str]:
    return [word for word in shlex.split(command) if word not in ("--resume", "--overwrite")]


def remaining(path: str, planned: Sequence[Task], earlier: Sequence[Record]) -> list[Task]:
    """The tasks that have no record yet.

    Raises:
        UserError: a record belongs to no task, so instances or backends must have changed since.
    """
    done = Counter((record.task.key, record.task.contender, record.task.repeat) for record in earlier)
    missing: list[Task] = []
    for task in planned:
        identity = task.identity
        name = identity.key, identity.contender, identity.repeat
        if done[name]:
            done[name] -= 1
        else:
            missing.append(task)
    for (key, contender, _), count in done.items():
        if count:
            place = f"{key.puzzle}, dataset {key.dataset}, case {key.case}"
            raise UserError(f"{path}: {contender} on {place} is not in the plan: the instances have changed")
    return missing
