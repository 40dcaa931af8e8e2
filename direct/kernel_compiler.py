"""How Numba compiles a kernel: for few types, each once, and without code that nobody calls.

This makes compiling faster, and changes nothing in what the kernels do.
"""

from __future__ import annotations

import gc
from contextlib import suppress
from types import FunctionType
from typing import Any

from llvmlite import binding
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.typing.context import BaseContext

from direct.kernel_cache import KernelCache
from direct.kernel_lowering import KernelLowering


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


class _Typing(BaseContext):
    """Numba's typing, but what a function of Numba's makes of some types is found out once.

    Numba tries many rules for each `+` and each index of a kernel. There are some hundred different ones among thousands.
    """

    def __init__(self, usual: BaseContext) -> None:
        self.__dict__ = usual.__dict__

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, or None."""
        if kws or not isinstance(func, types.Function):
            return super().resolve_function_type(func, args, kws)
        signature = _SIGNATURES.get((func, args))
        if signature is None:
            signature = super().resolve_function_type(func, args, kws)
            if signature is not None:
                _SIGNATURES[func, args] = signature
        return signature


_SIGNATURES: dict[tuple[Any, Any], Any] = {}

_TYPING: dict[None, _Typing] = {}
"""One object for all kernels, since Numba compiles its own functions anew for each."""

_NEEDLESS = {"inline_closure_likes", "inline_overloads", "ir_processing", "nopython_rewrites"}
"""Steps of Numba for closures and for expressions over whole arrays, which kernels do not have, and an analysis that a later step
makes again."""


class _Code(JITCodeLibrary):
    """The code of a kernel, with fewer of LLVM's steps before it is joined with the code of the kernels that it calls.

    LLVM optimises them as one afterwards, in full. With still fewer steps before, some kernels run longer.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        if not hasattr(binding, "create_new_function_pass_manager"):  # before Numba 0.61
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                steps, options = self._codegen._function_pass_manager(opt=1)
                steps.run(function, options)


class _InnerCode(_Code):
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

    def __init__(self, typing: BaseContext, *args: Any) -> None:
        super().__init__(_TYPING.setdefault(None, _Typing(typing)), *args)
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
        """The usual steps without those that no kernel needs, and with `KernelLowering`; inner kernels have their own library."""
        state = self.state
        inner = state.flags.no_cpython_wrapper
        state.library = (_InnerCode if inner else _Code)(state.targetctx.codegen(), state.func_id.func_qualname)
        if not inner:
            state.library.enable_object_caching()
        pipelines = super().define_pipelines()
        for each in pipelines:
            steps = [step for step in each.passes if step[0].name() not in _NEEDLESS]
            each.passes = [(KernelLowering, name) if step is NativeLowering else (step, name) for step, name in steps]
        return pipelines


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
