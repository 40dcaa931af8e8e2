"""Uses of bounded kernels: they are plain Python that refuses an index out of range at either end."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from direct.kernel import Array, kernel


class _Ends(NamedTuple):
    """Two entries of an array, and the array that has them."""

    entries: Array
    whole: Array


@kernel
def _pick(array: Array, index: Any) -> Any:
    return array[index]


@kernel
def _put(array: Array, index: Any) -> Array:
    array[index] = 5
    return array


@kernel
def _slice(array: Array, begin: int | None, end: int | None) -> Array:
    return array[begin:end]


@kernel
def _of_its_own(size: int, index: int) -> Any:
    return np.arange(size, dtype=np.int32)[index]


@kernel
def _ends(ends: _Ends, last: int) -> tuple[_Ends, int]:
    return _Ends(_pick(ends.whole, np.array([0, last])), ends.whole), int(np.int64(last))


def examine_bounds(folder: Path, rng: Random) -> None:
    """Bounded kernels answer as the plain ones do, and refuse what plain Python counts from the end."""
    os.environ["TWOFOLD_KERNELS"] = "bounded"
    size = rng.randint(2, 9)
    array, last = np.arange(10, 10 + size), size - 1
    table = np.arange(2 * size).reshape(2, size)
    chosen = array % 2 == 0
    assert [_pick.at(1)(array, each) for each in (0, last)] == [10, 10 + last]
    assert _pick.at(1)(table, (1, last)) == 2 * size - 1
    for index in (chosen, np.array([last, 0]), slice(1, None)):
        assert np.array_equal(_pick.at(1)(array, index), array[index])
    for begin, end in ((None, None), (0, last), (1, None), (None, 0)):
        assert np.array_equal(_slice.at(1)(array, begin, end), array[begin:end])
    for index in (0, last, chosen, np.array([0])):
        put = _put.at(1)(array.copy(), index)
        assert type(put) is np.ndarray
        assert np.array_equal(put, _put(array.copy(), index))
    assert _of_its_own.at(1)(size, last) == last
    ends, number = _ends.at(1)(_Ends(array, array), last)
    assert (type(ends), type(ends.entries), ends.entries.tolist(), number) == (_Ends, np.ndarray, [10, 10 + last], last)
    for wrong in (-1, (0, -1), (-1, 0), np.array([0, -1]), slice(-1, None), slice(0, -1)):
        for use in (_pick, _put):
            with pytest.raises(IndexError, match="a negative index, -1"):
                use.at(1)(table, wrong)
    with pytest.raises(IndexError, match="negative"):
        _of_its_own.at(1)(size, -1)
    with pytest.raises(IndexError, match="negative"):
        _ends.at(1)(_Ends(array, array), -1)
    with pytest.raises(IndexError, match="out of bounds"):
        _pick.at(1)(array, size)
