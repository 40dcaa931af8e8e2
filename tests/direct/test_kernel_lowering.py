"""Compiled kernels hold the right values in their variables, and give back all memory that they get."""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.runtime import _nrt_python  # pyright: ignore[reportAttributeAccessIssue]
from numba.core.runtime.nrt import rtsys

import direct
from direct.kernel import Array, inner_kernel, kernel
from tests.direct.test_kernels import DIRECT, tiny_boards


class TwoArrays(NamedTuple):
    """Two arrays and a number."""

    left: Array
    right: Array
    by: int


@kernel
def weave(pair: TwoArrays, table: Array, turns: int) -> tuple[Array, Array, int]:
    """Names that are set once and several times, on all ways and on some, of arguments, of their parts and of new arrays."""
    left, right, by = pair.left, pair.right, pair.by
    longest = left
    total = 0
    last = -1
    for turn in range(turns):
        other = right
        right, left = left, other
        fresh = np.empty(turns + 1, np.int64)
        for k in range(fresh.size):
            fresh[k] = turn * by + table[turn % 2, k % 3]
        if turn % 3 == 1:
            longest = fresh
            last = turn
        same = chosen(pair, fresh, turn)
        part = fresh[turn:]
        total += same[0] + part[part.size - 1] + longest[0] + left[0]
        table[1, 2] = total & 7
    return longest, pair.left, total + last


@inner_kernel
def chosen(pair: TwoArrays, fresh: Array, turn: int) -> Array:
    """One of three arrays, the caller's and what the caller got."""
    if turn % 4 == 0:
        return fresh
    return pair.left if turn % 4 == 1 else pair.right


def arguments() -> tuple[TwoArrays, Any]:
    return TwoArrays(np.arange(5, 9), np.arange(70, 74), 3), np.arange(6, dtype=np.int32).reshape(2, 3)


@pytest.mark.parametrize("turns", range(9))
def test_variables_hold_the_same_values_as_in_python(turns: int) -> None:
    (pair, table), (its_pair, its_table) = arguments(), arguments()
    longest, left, total = weave.function(pair, table, turns)
    its_longest, its_left, its_total = weave.compiled(its_pair, its_table, turns)
    assert (total, longest.tolist(), left.tolist()) == (its_total, its_longest.tolist(), its_left.tolist())
    assert table.tolist() == its_table.tolist()
    assert np.shares_memory(its_left, its_pair.left)


def live_arrays() -> int:
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


@pytest.fixture
def counted_memory() -> Any:
    counted_before = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not counted_before:
        _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("counted_memory")
def test_a_kernel_gives_back_the_memory_of_its_arrays() -> None:
    pair, table = arguments()
    weave.compiled(pair, table, 3)
    before = live_arrays()
    for turns in range(9):
        longest, left, _ = weave.compiled(pair, table, turns)
        assert (live_arrays() > before) == (turns >= 2)  # then a new array was returned, which is still there
        del longest, left
    assert live_arrays() == before
    assert pair.left.tolist() == [5, 6, 7, 8]


@pytest.mark.usefixtures("counted_memory")
@pytest.mark.parametrize(("puzzle", "name"), DIRECT, ids=[":".join(each) for each in DIRECT])
def test_the_kernels_of_a_backend_give_back_all_memory(monkeypatch: pytest.MonkeyPatch, puzzle: str, name: str) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    before = live_arrays()
    for board in tiny_boards(puzzle)[:40]:
        if getattr(board, "mines", None) is None:
            direct.solve(board, name, certify=True)
    gc.collect()
    assert live_arrays() == before
