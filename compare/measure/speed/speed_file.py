"""A file of figures of speed: a header, then one figure a line. Each line is written as soon as its figure is measured."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import msgspec

from compare.campaign.header import Header
from compare.campaign.tasks import Settings
from compare.measure.speed.figure import SpeedFigure
from puzzles.text import UserError, abridged

SPEED_FORMAT = 1
"""The number of this format of files."""

_START = b'{"speed":'
_MOST_BYTES = 2**26


class _HeaderLine(msgspec.Struct, forbid_unknown_fields=True):
    """The first line: the format, and the header that files of records have too."""

    speed: int
    header: msgspec.Raw


@dataclass(frozen=True)
class SpeedContent:
    """What a file of figures holds."""

    header: Header
    figures: tuple[SpeedFigure, ...]


class SpeedWriter:
    """A file of figures that is being written."""

    def __init__(self, path: str, stream: BinaryIO, words: Sequence[str]) -> None:
        self._path, self._stream = path, stream
        header = Header.of(words, Settings())
        header = replace(header, environment=replace(header.environment, machine=None))  # the file may be published
        self._write(msgspec.json.encode(_HeaderLine(SPEED_FORMAT, msgspec.Raw(header.line().encode()))))

    def add(self, figure: SpeedFigure) -> None:
        """Append a figure; raises `UserError` if it cannot be written, for example because the disk is full."""
        self._write(figure.text().encode())

    def _write(self, line: bytes) -> None:
        try:
            self._stream.write(line + b"\n")
            self._stream.flush()
        except OSError as error:
            raise UserError(f"{self._path}: {error.strerror or error}") from None


@contextmanager
def open_speed_file(path: str, words: Sequence[str], *, overwrite: bool) -> Iterator[SpeedWriter]:
    """A new file of figures with the header of this command line.

    Raises:
        UserError: the file cannot be written, or it holds something and `overwrite` is not set.
    """
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(path).open("ab"))
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}") from None
        if stream.seekable() and stream.seek(0, os.SEEK_END):
            if not overwrite:
                raise UserError(f"{path} is there and not empty: --overwrite begins it anew")
            stream.truncate(0)
        yield SpeedWriter(path, stream, words)


def is_speed_file(path: str) -> bool:
    """Whether the file begins as a file of figures does; raises `UserError` if it cannot be read. Standard input (`-`) is none."""
    if path == "-":
        return False
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(_START)) == _START
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def read_speed_file(path: str) -> SpeedContent:
    """The figures of a file. A torn last line is left out.

    Raises:
        UserError: the file cannot be read, or is no file of figures.
    """
    if not is_speed_file(path):
        raise UserError(f"{path}:1: not a file that `compare speed --out` wrote")
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(_MOST_BYTES)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
    first, *rest = content.split(b"\n")[:-1] or [content]
    try:
        line = msgspec.json.decode(first, type=_HeaderLine)
        if line.speed != SPEED_FORMAT:
            raise ValueError(f"its format is {line.speed}, and this program reads {SPEED_FORMAT}")
        header = Header.from_line(bytes(line.header))
    except ValueError as error:
        raise UserError(f"{path}:1: the header cannot be read: {abridged(str(error))}") from None
    figures: dict[tuple[str, str], SpeedFigure] = {}
    for number, text in enumerate(rest, 2):
        try:
            figure = msgspec.json.decode(text, type=SpeedFigure)
        except ValueError as error:
            raise UserError(f"{path}:{number}: not a figure: {abridged(str(error))}") from None
        if (figure.part, figure.name) in figures:
            raise UserError(f"{path}:{number}: {figure.part} has {abridged(figure.name)} twice")
        figures[figure.part, figure.name] = figure
    return SpeedContent(header, tuple(figures.values()))
