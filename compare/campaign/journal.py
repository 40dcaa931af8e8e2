"""The file of a campaign: a header, then one record a line. Each line is written as its run ends, so that a kill loses nothing."""

from __future__ import annotations

import fcntl
import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from compare.campaign.header import Header
from compare.campaign.record import InstanceKey, Record, TaskIdentity
from compare.campaign.tasks import Task
from puzzles.shell.streams import visible
from puzzles.text import UserError, abridged, counted

_START = b'{"header": true'

_LONGEST = 2**28
"""Bytes; a line of this length is not read."""


class RecordStream(Iterator[Record]):
    """The records of a file, read one by one. A torn last line is left out.

    Attributes:
        name: what messages call the file.
        length: bytes up to the end of the last line that was read.
        torn: the number of the last line, if it is cut off; else 0.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        """Read the header; raises `UserError` if there is none."""
        self.name = name
        self._stream = stream
        self._number = 0
        self.length = self.torn = 0
        line = self._line()
        if not (line.startswith(_START) and line.endswith(b"\n")):
            raise UserError(f"{name}:1: not a file that `run --out` or `scale --out` wrote")
        try:
            self.header = Header.from_line(line)
        except ValueError as error:
            raise UserError(f"{name}:1: the header cannot be read: {abridged(str(error))}") from None
        self.length = len(line)

    def __next__(self) -> Record:
        """The next record; raises `UserError` if its line is no record."""
        line = self._line()
        if not line.endswith(b"\n"):
            self.torn = self._number if line else 0
            raise StopIteration
        try:
            record = Record.from_line(line)
        except ValueError as error:
            raise UserError(f"{self.name}:{self._number}: {abridged(str(error))}") from None
        self.length += len(line)
        return record

    def _line(self) -> bytes:
        """The next line of the file with its end, as far as it is there; raises `UserError`."""
        self._number += 1
        try:
            line = self._stream.readline(_LONGEST)
        except OSError as error:
            raise UserError(f"{self.name}: {error.strerror or error}") from None
        if len(line) == _LONGEST:
            raise UserError(f"{self.name}:{self._number}: the line is longer than {_LONGEST // 2**20} MiB")
        return line


@contextmanager
def open_records(path: str, name: str | None = None) -> Iterator[RecordStream]:
    """The records of a file, to be read one by one; `-` is standard input.

    Args:
        name: what messages call the file; its path if there is none.

    Raises:
        UserError: the file cannot be read, or is no file of records.
    """
    if path == "-":
        yield RecordStream(sys.stdin.buffer, "<stdin>")
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}") from None
        yield RecordStream(stream, name or path)


@dataclass
class RecordFile:
    """The records of a file. They are read anew at each iteration, so that they take no memory.

    Attributes:
        name: what messages call the file.
        count: how many records are read; None for all.
        torn: the number of the last line, if all were read and it is cut off; else 0.
    """

    path: str
    name: str
    header: Header
    count: int | None = None
    torn: int = 0

    def __iter__(self) -> Iterator[Record]:
        """The records in the order of the file; raises `UserError` if it cannot be read."""
        with Path(self.path).open("rb") as stream:
            records = RecordStream(stream, self.name)
            yield from islice(records, self.count)
            self.torn = records.torn


def warn_of_torn(files: Iterable[RecordStream | RecordFile]) -> None:
    """Say on standard error which files, all read, end in the middle of a record."""
    for file in files:
        if file.torn:
            print(visible(f"warning: {file.name}:{file.torn}: the last line is cut off, and left out"), file=sys.stderr)


@contextmanager
def record_file(path: str) -> Iterator[RecordFile]:
    """The records of a file, to be read several times; `-` is standard input, which is copied to a temporary file.

    Raises:
        UserError: the file cannot be read, or is no file of records.
    """
    if path != "-":
        with open_records(path) as records:
            yield RecordFile(path, path, records.header)
        return
    with NamedTemporaryFile() as copy:
        copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        with open_records(copy.name, "<stdin>") as records:
            yield RecordFile(copy.name, records.name, records.header)


class Journal:
    """A file of records that is being written.

    Attributes:
        earlier: the records that were there already; None if the file is begun anew.
    """

    def __init__(self, path: str, stream: BinaryIO, earlier: RecordFile | None = None) -> None:
        self.path, self.earlier = path, earlier
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
            earlier, length = _left(path, stream, size, header.command) if resume else (None, 0)
            if stream.seekable():
                stream.seek(length)
                with suppress(OSError):  # a device has no length
                    stream.truncate()
            journal = Journal(path, stream, earlier)
            if earlier is None:
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


def _left(path: str, stream: BinaryIO, size: int, command: str) -> tuple[RecordFile | None, int]:
    """The records that a run has left in the file, and the bytes up to the end of the last of them.

    What follows is a line that a kill has torn. Without a whole header there are none, in no bytes.
    """
    stream.seek(0)
    start = stream.read(len(_START)) or b""
    if size == 0 or (_START.startswith(start[:size]) and b"\n" not in Path(path).read_bytes()):
        return None, 0
    with open_records(path) as records:
        before = records.header.command
        count = sum(1 for _ in records)
    if words_that_count(before) != words_that_count(command):
        raise UserError(f"{path}: --resume goes on with the same command line only, and this file is of\n  {before}")
    return RecordFile(path, path, records.header, count), records.length


_CHANGE_NO_RECORD = {
    **dict.fromkeys(("--resume", "--overwrite", "-q", "--quiet", "--strict", "--wide"), False),
    **dict.fromkeys(("--format", "--show", "--plot"), True),
}
"""The options of `run` and `scale` that change no record, and whether each takes a value."""


def words_that_count(command: str) -> list[str]:
    """The words of a command line without the options that change no record."""
    try:
        words = iter(shlex.split(command))
    except ValueError:  # only a damaged header has an open quote
        return [command]
    counting: list[str] = []
    for word in words:
        name, equals, _ = word.partition("=")
        if name not in _CHANGE_NO_RECORD:
            counting.append(word)
        elif _CHANGE_NO_RECORD[name] and not equals:
            next(words, None)
    return counting


def remaining(path: str, planned: Iterable[Task], earlier: Iterable[Record]) -> list[Task]:
    """The tasks that have no record yet.

    Raises:
        UserError: a record belongs to no task, so instances or backends must have changed since.
    """

    def name_of(task: TaskIdentity) -> tuple[InstanceKey, str, int, int]:
        return task.key, task.contender, task.repeat, task.together

    done = Counter(name_of(record.task) for record in earlier)

    def is_missing(task: Task) -> bool:
        name = name_of(task.identity)
        if not done[name]:
            return True
        done[name] -= 1
        return False

    missing = [task for task in planned if is_missing(task)]
    for (key, contender, *_), count in done.items():
        if count:
            place = f"{key.puzzle}, dataset {key.dataset}, case {key.case}"
            raise UserError(f"{path}: {contender} on {place} is not in the plan: the instances have changed")
    return missing
