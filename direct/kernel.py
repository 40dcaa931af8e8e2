"""Kernels: functions over flat arrays that run as plain Python on small inputs and compiled by
Numba on large or many ones.

To compile takes seconds, and to load a compiled kernel from Numba's cache some tenths of a second.
A small board does not wait for that; a process that solves many boards waits once.
`TWOFOLD_KERNELS` overrides the choice: `compiled` (`compare` sets it, so that it times native code)
or `python`.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, cast

from puzzles.shell.exit_status import is_terminal

P = ParamSpec("P")
R = TypeVar("R")

SMALL = 20_000
"""Cells (or literals) below which plain Python is faster than loading a compiled kernel."""

MANY = 50 * SMALL
"""Cells of all inputs so far after which compiling is worth its time, if the cache has nothing."""

NATURAL = 2**40 - 1
"""A mask that changes no index. It tells the compiler that the index is not negative."""

_native: list[bool] = []
"""Not empty once this process has loaded Numba."""

_CONSTANT = (int, float, str, bytes, tuple)

_NAME = re.compile(r"[A-Za-z_]\w*")


class InnerKernel(Generic[P, R]):
    """A function in the subset of Python that Numba compiles; calling it runs the Python source.

    Compiled, only other kernels can call it.
    """

    from_python = False
    """Whether Python can call the compiled form.

    What converts its arguments takes 75 ms to compile.
    """

    def __init__(self, function: Callable[P, R], inline: str = "never") -> None:
        self.function, self.inline = function, inline
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    @property
    def inner(self) -> dict[str, InnerKernel[..., Any]]:
        """The kernels that it calls, by the names that it calls them."""
        source = cast(FunctionType, self.function)
        names = source.__code__.co_names
        return {
            name: value
            for name, value in source.__globals__.items()
            if name in names and isinstance(value, InnerKernel)
        }

    @cached_property
    def key(self) -> str:
        """A hash of what the compiled kernel depends on: its code, and the constants, kernels and
        named tuples that it uses.
        """
        source = cast(FunctionType, self.function)
        code = source.__code__
        constants = [
            each.co_code if isinstance(each, CodeType) else each for each in code.co_consts
        ]
        parts: list[object] = [
            code.co_code,
            constants,
            source.__defaults__,
            self.from_python,
            self.inline,
        ]
        types = dict.fromkeys(_NAME.findall(" ".join(map(str, source.__annotations__.values()))))
        for name in (*code.co_names, *types):
            value = source.__globals__.get(name)
            if isinstance(value, InnerKernel):
                parts.append((name, value.key))
            elif isinstance(value, ModuleType):
                attributes = {each: getattr(value, each, None) for each in code.co_names}
                parts += [
                    (name, each, constant)
                    for each, constant in attributes.items()
                    if isinstance(constant, _CONSTANT)
                ]
            elif isinstance(value, type):
                parts.append((name, getattr(value, "_fields", None)))
            else:
                parts.append((name, value if isinstance(value, _CONSTANT) else None))
        return sha256(repr(parts).encode()).hexdigest()

    @cached_property
    def native(self) -> Any:
        """What Numba makes of the kernel, for other kernels to call; those that it calls as
        well.
        """
        import numba

        _native.append(True)
        source = cast(FunctionType, self.function)
        inner = {name: value.native for name, value in self.inner.items()}
        # Numba's cache is keyed by a function's file, bytecode and closure, but not by what the
        # function uses of other modules.
        # So the clone has a closure that holds the key.
        code = source.__code__.replace(co_freevars=("key",))
        names = {**source.__globals__, **inner}
        clone = FunctionType(
            code, names, source.__name__, source.__defaults__, (CellType(self.key),)
        )
        clone.__module__, clone.__qualname__ = source.__module__, source.__qualname__
        options: dict[str, Any] = {"error_model": "numpy", "inline": self.inline}
        options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": not self.from_python}
        return numba.njit(**options)(clone)


class Kernel(InnerKernel[P, R]):
    """A kernel that Python can call in each of its forms."""

    from_python = True
    cells_seen = 0

    def at(self, work: int) -> Callable[P, R]:
        """The form for an input of `work` cells: compiled or plain Python.

        Compiled if the input is large, anything is already compiled, or enough cells have been
        seen.
        """
        mode = os.environ.get("TWOFOLD_KERNELS", "")
        if mode == "python":
            return self.function
        self.cells_seen += work
        if (
            mode == "compiled"
            or work >= SMALL
            or _native
            or (self.cells_seen >= SMALL and (self.cells_seen >= MANY or self.kept))
        ):
            return self.compiled
        return self.function

    @cached_property
    def native(self) -> Any:
        """The kernel compiled on its first call, or loaded from Numba's cache."""
        native = super().native
        with suppress(
            RuntimeError
        ):  # no folder for the cache can be written: compile for this process alone
            native.enable_caching()
        return native

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """The compiled kernel for calls from Python. If its cache cannot be loaded, the files go,
        and it is compiled again.

        A damage that still loads is Numba's own affair; and what the kernel raises once it runs is
        no damage.
        """
        from numba import typeof
        from numba.core.errors import NumbaError

        native = self.native
        folder = native.stats.cache_path
        code = cast(FunctionType, self.function).__code__
        lock = Path(folder or os.devnull, f"{Path(code.co_filename).stem}.{code.co_name}.lock")

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with _collection_paused():
                try:
                    if not native.signatures and not kwargs and len(args) == code.co_argcount:
                        with _alone(lock):
                            if not self._files_of_cache(folder):
                                _say_that_it_compiles()
                            native.compile(tuple(map(typeof, args)))
                    return native(*args, **kwargs)
                except (MemoryError, NumbaError):
                    raise
                except Exception as error:  # to load a file that is cut off can raise anything
                    if tuple(map(typeof, (*args, *kwargs.values()))) in native.signatures:
                        raise  # it was loaded
                    print(
                        f"Numba's cache of {self.__name__} fails ({type(error).__name__}): "
                        "compiling it again",
                        file=sys.stderr,
                    )
                    for path in self._files_of_cache(native.stats.cache_path):
                        path.unlink(missing_ok=True)
                    return native(*args, **kwargs)

        return call

    @cached_property
    def kept(self) -> bool:
        """Whether Numba's cache beside the source has this kernel; other folders are not
        searched.
        """
        code = cast(FunctionType, self.function).__code__
        return any(self._files_of_cache(Path(code.co_filename).parent / "__pycache__"))

    def _files_of_cache(self, folder: str | Path | None) -> list[Path]:
        code = cast(FunctionType, self.function).__code__
        name = f"{Path(code.co_filename).stem}.{code.co_name}-{code.co_firstlineno}.*.nb[ic]"
        return [] if folder is None else list(Path(folder).glob(name))


@cache
def _say_that_it_compiles() -> None:
    """Say so once to whoever waits at a terminal; what `compare` starts has none."""
    if is_terminal(sys.stderr):
        print(
            "compiling the algorithm, which may take a minute the first time ...",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Look for no garbage while Numba compiles: it makes millions of objects that stay, and to
    search them takes long.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let no other process compile this kernel meanwhile; one that waits finds it in the cache.

    To compile takes up to a minute, and the processes of a first run come to it at the same time.
    """
    with ExitStack() as stack:
        with suppress(ImportError, OSError):  # Windows, or a folder that cannot be written
            import fcntl

            fcntl.flock(stack.enter_context(lock.open("ab")), fcntl.LOCK_EX)
        yield


kernel = Kernel
"""Make a kernel of a function over arrays, scalars and named tuples of them; kernels that it calls
must be module globals.

Compiled, an index out of range is not noticed; `NUMBA_BOUNDSCHECK=1` lets Numba notice it.
"""

inner_kernel = InnerKernel
"""Make a kernel that only other kernels call."""


def inlined_kernel(function: Callable[P, R]) -> InnerKernel[P, R]:
    """Make an inner kernel that Numba writes out where it is called: then no call counts references
    to its arrays.
    """
    return InnerKernel(function, inline="always")


Array = Any
"""A NumPy array inside a kernel, where only shape and dtype matter; the docstrings give both."""


def compiling_s(puzzle: str) -> int:
    """About how many CPU seconds compiling all kernels of a puzzle takes, as its module of `direct`
    says: measured on one core of an AMD EPYC with Numba 0.68. 0 if it says nothing, or is not
    loaded.
    """
    return getattr(sys.modules.get(f"direct.{puzzle}"), "COMPILING_S", 0)


def needs_compiling(puzzle: str) -> bool:
    """Whether Numba's cache beside the sources has no kernel of a puzzle's module of `direct`, if
    that is loaded and something can be written there: other caches are not searched.
    """
    name = f"direct.{puzzle}"
    package = sys.modules.get(name)
    if package is None:
        return False
    kernels = [
        value
        for module in (package, *vars(package).values())
        if isinstance(module, ModuleType) and f"{module.__name__}.".startswith(f"{name}.")
        for value in vars(module).values()
        if isinstance(value, Kernel)
    ]
    own = [each for each in kernels if each.function.__module__.startswith(name)] or kernels
    if not own or any(each.kept for each in own):
        return False
    folders = {Path(each.function.__code__.co_filename).parent for each in own}
    return all(os.access(folder, os.W_OK) for folder in folders)
