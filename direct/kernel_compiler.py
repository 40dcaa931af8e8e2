"""How Numba compiles a kernel: for few types, each once, and without code that nobody calls.

All this halves the time that compiling takes, and changes nothing in what the kernels do.
"""

from __future__ import annotations

import gc
from contextlib import suppress
from types import FunctionType
from typing import Any

from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
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


class _Options(Flags):
    """The options of a kernel, with one object in their place for all lookups.

    Numba looks up each operation under the options of the kernel that it compiles. `Flags` compares and hashes them value by value,
    which takes a quarter of the time.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def copy(self) -> Flags:
        """What Numba looks up operations under: the same object for all kernels, since their options differ in wrappers only."""
        return _LOOKUP.setdefault(None, self)


_LOOKUP: dict[None, Flags] = {}


class _InnerCode(JITCodeLibrary):
    """The code of an inner kernel before all but the first steps of LLVM.

    It becomes part of the kernels that call it, and LLVM optimises and translates it there. As long as only they call it,
    nothing needs it alone.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, which says that Python cannot call it."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What Numba gives the kernel's environment to: this library, which has no place in memory to put it."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Drop the environment: only code that Python calls uses it."""


class _KernelCompiler(Compiler):
    """Numba's compiler, but it does not look for garbage while it works."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags = _Options(self.state.flags)

    def compile_extra(self, func: FunctionType) -> Any:
        """Compile a kernel, and what it calls.

        Numba makes and keeps millions of objects meanwhile. To search them for garbage again and again takes a sixth of the time.
        So they become old objects in one go, which are searched least often.
        """
        if not gc.isenabled():
            return super().compile_extra(func)
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()

    def define_pipelines(self) -> Any:
        """The usual steps; those of an inner kernel end in a library of its own kind."""
        state = self.state
        if state.flags.no_cpython_wrapper:
            state.library = _InnerCode(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


def compiled_on_call(function: FunctionType, *, from_python: bool) -> Any:
    """The function compiled on its first call, or loaded from Numba's cache.

    Numba makes two wrappers for each function: one for calls from C, which no kernel needs, and one for calls from Python, which
    the outermost kernels need. Only these are kept in the cache, with the code of those that they call.
    """
    options = {"nopython": True, "error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": not from_python}
    dispatcher = _WideDispatcher(function, targetoptions=options, pipeline_class=_KernelCompiler)
    if from_python:
        with suppress(RuntimeError):  # no folder for the cache can be written: compile for this process alone
            dispatcher._cache = KernelCache(function)
    return dispatcher
