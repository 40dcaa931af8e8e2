"""A sequence of many values in little memory: they are pickled and compressed, and made anew when they are asked for."""

from __future__ import annotations

import pickle
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from typing import TypeVar, overload

T_co = TypeVar("T_co", covariant=True)

_MOST_VALUES, _MOST_BYTES = 64, 2**16
"""A block ends with this many values, or as soon as their pickles have this many bytes."""

_OPEN_BLOCKS = 2
"""Blocks that stay unpacked. Whoever goes through the sequence several values at a time is in two of them at their border."""


class Compressed(Sequence[T_co]):
    """The values, block by block. One with a value that cannot be pickled is kept as it is.

    Equal values come back, mostly not the same objects. To get one costs a few microseconds if its neighbours are asked for, too.
    """

    def __init__(self, values: Iterable[T_co]) -> None:
        self._blocks: list[bytes | list[T_co]] = []
        self._starts = [0]
        for block, length in _in_blocks(values):
            self._blocks.append(block)
            self._starts.append(self._starts[-1] + length)
        self._unpacked = lru_cache(_OPEN_BLOCKS)(self._unpack)

    def _unpack(self, number: int) -> list[T_co]:
        """The values of one block."""
        block = self._blocks[number]
        if isinstance(block, list):
            return block
        stream = BytesIO(zlib.decompress(block))
        length = self._starts[number + 1] - self._starts[number]
        return [pickle.load(stream) for _ in range(length)]  # noqa: S301 - this object has written it

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[T_co]:
        for number in range(len(self._blocks)):
            yield from self._unpacked(number)

    @overload
    def __getitem__(self, index: int) -> T_co: ...

    @overload
    def __getitem__(self, index: slice) -> list[T_co]: ...

    def __getitem__(self, index: int | slice) -> T_co | list[T_co]:
        at = range(len(self))[index]
        if isinstance(at, range):
            return [self[k] for k in at]
        number = bisect_right(self._starts, at) - 1
        return self._unpacked(number)[at - self._starts[number]]


def _in_blocks(values: Iterable[T_co]) -> Iterator[tuple[bytes | list[T_co], int]]:
    """The blocks, each with the number of its values."""
    block: list[T_co] = []
    pickles: list[bytes | None] = []
    size = 0
    for value in values:
        block.append(value)
        pickles.append(_pickled(value))
        size += len(pickles[-1] or b"")
        if len(block) == _MOST_VALUES or size >= _MOST_BYTES:
            yield _packed(block, pickles), len(block)
            block, pickles, size = [], [], 0
    if block:
        yield _packed(block, pickles), len(block)


def _packed(block: list[T_co], pickles: list[bytes | None]) -> bytes | list[T_co]:
    whole = [each for each in pickles if each is not None]
    return zlib.compress(b"".join(whole), 1) if len(whole) == len(block) else block


def _pickled(value: object) -> bytes | None:
    """None if it cannot be pickled. Whoever wrote the class of a value may raise anything."""
    try:
        return pickle.dumps(value, protocol=5)
    except Exception:
        return None
