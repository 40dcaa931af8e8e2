"""Kernels in plain Python that refuse an index out of range at either end.

NumPy counts a negative index from the end of the array, so plain Python alone notices only an index that is too large. A compiled
kernel notices neither, and counts nothing from the end. Fuzzing runs a share of its batches this way.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np


class Bounded(np.ndarray[Any, Any]):
    """A view of an array; raises `IndexError` for a negative index."""

    def __getitem__(self, index: Any) -> Any:
        _refuse_negative(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _refuse_negative(index)
        super().__setitem__(index, value)


def _refuse_negative(index: Any) -> None:
    if isinstance(index, tuple):
        for each in index:
            _refuse_negative(each)
    elif isinstance(index, slice):
        _refuse_negative(index.start or 0)
        _refuse_negative(index.stop or 0)
    elif isinstance(index, np.ndarray):
        if index.dtype != np.bool_ and (index < 0).any():
            raise IndexError(f"a negative index, {index.min()}")
    elif index < 0:
        raise IndexError(f"a negative index, {index}")


def _of_type(value: Any, array_type: type[np.ndarray[Any, Any]]) -> Any:
    """The value with each array, also in tuples, as a view of this type."""
    if isinstance(value, np.ndarray):
        return value.view(array_type)
    if isinstance(value, tuple):
        parts = [_of_type(each, array_type) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


class _BoundedNumpy:
    """NumPy, but its functions return bounded arrays."""

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(np, name)
        if isinstance(attribute, type) or not callable(attribute):
            return attribute

        def bounded(*args: Any, **kwargs: Any) -> Any:
            return _of_type(attribute(*args, **kwargs), Bounded)

        setattr(self, name, bounded)
        return bounded


_BOUNDED_NUMPY = _BoundedNumpy()


def bounded_clone(function: Callable[..., Any], inner: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The function with the given kernels in the place of those that it calls; all arrays that it makes are bounded."""
    assert isinstance(function, FunctionType)
    names = {**function.__globals__, **inner, "np": _BOUNDED_NUMPY}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def from_outside(clone: Callable[..., Any]) -> Callable[..., Any]:
    """The clone for callers outside of kernels: it takes and returns usual arrays."""

    def call(*args: Any) -> Any:
        return _of_type(clone(*(_of_type(each, Bounded) for each in args)), np.ndarray)

    return call
