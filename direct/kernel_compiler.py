"""How Numba compiles a kernel: for few types, and without code that nobody calls."""

from __future__ import annotations

from contextlib import suppress
from types import FunctionType
from typing import Any

from numba import types
from numba.core.registry import CPUDispatcher

from direct.kernel_cache import KernelCache


class _WideDispatcher(CPUDispatcher):
    """A compiled function that kernels call in one form for all signed integers, constants included: the one for int64."""

    _cache: Any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba asks for this when one compiled function calls another."""
        return super().get_call_template(tuple(map(_wide, args)), {name: _wide(each) for name, each in kws.items()})


def _wide(argument: Any) -> Any:
    """The type of an argument, int64 for every signed integer."""
    plain = types.unliteral(argument)
    return types.int64 if plain in types.signed_domain else plain


def compiled_on_call(function: FunctionType, *, from_python: bool) -> Any:
    """The function compiled on its first call, or loaded from Numba's cache.

    Numba makes two wrappers for each function: one for calls from C, which no kernel needs, and one for calls from Python, which
    the outermost kernels need.
    """
    options = {"nopython": True, "error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": not from_python}
    dispatcher = _WideDispatcher(function, targetoptions=options)
    with suppress(RuntimeError):  # no folder for the cache can be written: compile for this process alone
        dispatcher._cache = KernelCache(function)
    return dispatcher
