"""The file of a campaign: a header, then one record a line; another header where it was resumed.

Each line is written as its run ends, so that a kill loses nothing.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from compare.engine.campaign.header import Header
from compare.engine.work.result import Result
from puzzles.text import UserError, abridge, count_noun, visible

_START = b'{"header": true'

_LONGEST = 2**28
"""Bytes; a line of this length is not read."""


class RecordFile:
    """The records of a file. They are read anew at each iteration, so that they take no memory.

    Attributes:
        name: what messages call the file.
        header: its first line.
        count: how many records are read; None for all.
        sessions: the headers up to the last line that was read: of the first run, and of each that
            went on with it.
        read: how many records were read.
        length: bytes up to the end of the last line that was read.
        torn: the number of the last line, if all were read and it is cut off; else 0. That line is
            left out.
    """

    def __init__(self, path: str, name: str | None = None) -> None:
        """Read the header; raises `UserError` if there is none, or if the file cannot be read."""
        self.path, self.name = path, name or path
        self.count: int | None = None
        self.read = self.length = self.torn = 0
        line = next(self._lines())
        if not (line.startswith(_START) and line.endswith(b"\n")):
            raise UserError(f"{self.name}:1: not a file that `--out` of a command wrote")
        self.header = self._header(line, 1)
        self.sessions = [self.header]

    def __iter__(self) -> Iterator[Result]:
        """The records in the order of the file; raises `UserError` if it cannot be read, or if a
        line is no record.
        """
        self.sessions, self.read, self.length = [], 0, 0
        for number, line in enumerate(self._lines(), 1):
            if self.read == self.count:
                return
            if not line.endswith(b"\n"):
                self.torn = number
                return
            if line.startswith(_START):
                self._note(self._header(line, number))
                self.length += len(line)
                continue
            try:
                record = Result.from_line(line)
            except ValueError as error:
                raise UserError(f"{self.name}:{number}: {abridge(str(error))}") from None
            self.read += 1
            self.length += len(line)
            yield record

    def _header(self, line: bytes, number: int) -> Header:
        try:
            return Header.from_line(line)
        except ValueError as error:
            raise UserError(
                f"{self.name}:{number}: the header cannot be read: {abridge(str(error))}"
            ) from None

    def _note(self, header: Header) -> None:
        """Take in a header: of another session, or of the same one with fewer runs.

        One that goes on within the second in which the last one began differs by its command alone.
        """
        last = self.sessions[-1] if self.sessions else None
        if last and (last.command, last.environment) == (header.command, header.environment):
            self.sessions.pop()
        self.sessions.append(header)

    @property
    def missing(self) -> int:
        """How many of the planned runs have no record, once all records were read."""
        planned = self.sessions[-1].planned
        return 0 if planned is None else max(0, planned - self.read)

    @property
    def when(self) -> str:
        """When it was run, and when each other session went on with it."""
        return "; resumed ".join(each.when for each in self.sessions)

    def _lines(self) -> Iterator[bytes]:
        """The lines of the file with their ends, as far as they are there: at least one, which may
        be empty.
        """
        number = 0
        try:
            with Path(self.path).open("rb") as stream:
                while (line := stream.readline(_LONGEST)) or not number:
                    number += 1
                    if len(line) == _LONGEST:
                        raise UserError(
                            f"{self.name}:{number}: the line is longer than {_LONGEST // 2**20} MiB"
                        )
                    yield line
        except OSError as error:
            raise UserError(f"{self.name}: {error.strerror or error}") from None


def warn_of_torn(files: Iterable[RecordFile]) -> None:
    """Say on standard error which files, all read, end in the middle of a record."""
    for file in files:
        if file.torn:
            print(
                visible(
                    f"warning: {file.name}:{file.torn}: the last line is cut off, and left out"
                ),
                file=sys.stderr,
            )


@contextmanager
def open_records(path: str) -> Iterator[RecordFile]:
    """The records of a file, to be read several times; standard input (`-`) or a pipe is copied to
    a temporary file.

    Raises:
        UserError: the file cannot be read, or is no file of records.
    """
    if Path(path).is_file():
        yield RecordFile(path)
        return
    with ExitStack() as stack:
        try:
            source = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
            copy = stack.enter_context(NamedTemporaryFile())
            copyfileobj(source, copy)
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}") from None
        copy.flush()
        yield RecordFile(copy.name, "<stdin>" if path == "-" else path)


class Journal:
    """A file of records that is being written.

    Attributes:
        earlier: the records that were there already; None if the file is begun anew.
        planned: as of the header. It may fall while the runs are made.
    """

    def __init__(
        self, path: str, stream: BinaryIO, header: Header, earlier: RecordFile | None = None
    ) -> None:
        self.path, self.earlier, self.planned = path, earlier, header.planned
        self._stream, self._header = stream, header
        self._length = stream.tell() if stream.seekable() else 0
        self._has_header = False
        self._said = header.planned  # how many runs the file says that are planned
        if earlier is None:
            self._write_header()
        else:
            self._said = earlier.sessions[-1].planned

    def write(self, line: str) -> None:
        """Append a record, after the header of this session.

        Raises:
            UserError: it cannot be written, for example because the disk is full.
        """
        if not self._has_header:
            self._write_header()
        self._append(line)

    def end(self) -> None:
        """Say in the file how many runs are planned, if these are fewer than it says."""
        if self.planned is not None and self._said is not None and self.planned < self._said:
            self._write_header()

    def _write_header(self) -> None:
        self._append(replace(self._header, planned=self.planned).line())
        self._has_header, self._said = True, self.planned

    def _append(self, line: str) -> None:
        """Append a whole line, or leave the file as it was."""
        data = memoryview(line.encode() + b"\n")
        whole = self._length + len(data)
        try:
            while data:
                data = data[self._stream.write(data) :]
        except OSError as error:
            with suppress(OSError):
                self._stream.truncate(self._length)
            raise UserError(
                f"{self.path}: {error.strerror or error}; the runs before are all in it"
            ) from None
        self._length = whole


@contextmanager
def open_journal(
    path: str,
    header: Header,
    *,
    resume: bool = False,
    overwrite: bool = False,
    identity: Callable[[str], object] = str,
) -> Iterator[Journal]:
    """Open a journal. With `resume` it continues the file that the same command has left; with
    `overwrite` it replaces any file.

    Args:
        identity: what of a command line changes its records.

    Raises:
        UserError: the file cannot be written, another process is writing to it, it is not empty (a
            header alone does not count), or another command has left it.
    """
    try:
        Path(path).touch()
        with Path(path).open("r+b", buffering=0) as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"{path}: another process is writing to it") from None
            size = stream.seek(0, os.SEEK_END) if stream.seekable() else 0
            if size and not (resume or overwrite):
                _refuse_to_lose(path, stream)
            earlier, length = _records_left(path, stream, size) if resume else (None, 0)
            if earlier is not None and identity(earlier.header.command) != identity(header.command):
                raise UserError(
                    f"{path}: --resume goes on with the same command line only, and this file is "
                    f"of\n  {earlier.header.command}"
                )
            if stream.seekable():
                stream.seek(length)
                with suppress(OSError):  # a device has no length
                    stream.truncate()
            journal = Journal(path, stream, header, earlier)
            yield journal
            journal.end()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def _refuse_to_lose(path: str, stream: BinaryIO) -> None:
    stream.seek(0)
    head, _, rest = stream.read().partition(b"\n")
    if rest or not (head.startswith(_START) or _START.startswith(head)):
        lines = rest.split(b"\n")[:-1] if head.startswith(_START) else []
        records = sum(not line.startswith(_START) for line in lines)
        if not records:
            raise UserError(f"{path} is there and not empty: --overwrite begins it anew")
        raise UserError(
            f"{path} holds {count_noun(records, 'record')}: --overwrite begins it anew; "
            "--resume, where a command has it, goes on with them"
        )


def _records_left(path: str, stream: BinaryIO, size: int) -> tuple[RecordFile | None, int]:
    """The records that a run has left in the file, and the bytes up to the end of the last of them.

    What follows is a line that a kill has torn. Without a whole header there are none, in no bytes.
    """
    stream.seek(0)
    start = stream.read(len(_START)) or b""
    if size == 0 or (_START.startswith(start[:size]) and b"\n" not in Path(path).read_bytes()):
        return None, 0
    records = RecordFile(path)
    records.count = sum(1 for _ in records)
    return records, records.length
