"""Seeded uses of kernels, and what makes them right: which form runs, what its cache is keyed on,
and what a damaged cache does.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from direct import kernel as kernels
from direct.kernel import MANY, SMALL, kernel

SOURCE = """from typing import NamedTuple
import amounts
from direct.kernel import kernel

FACTOR = {factor}

class Pair(NamedTuple):
    {fields[0]}: int
    {fields[1]}: int

@kernel
def inner(x: int) -> int:
    return FACTOR * x

@kernel
def outer(x: int, more: int = {more}) -> int:
    return inner(x) + amounts.SHIFT + more

@kernel
def outermost(x: int) -> int:
    return outer(x)

@kernel
def first(pair: Pair) -> int:
    return pair.a

@kernel
def make(x: int) -> tuple[int, Pair]:
    return x, Pair(x, 2 * x)

@kernel
def apart(x: int) -> int:
    return open(x)
"""


@dataclass(frozen=True)
class Use:
    """One use of kernels in a folder of its own, with a source that is drawn with a seed."""

    number: int
    seed: int

    @property
    def rng(self) -> Random:
        return Random(f"{self.seed} {self.number}")


def cases(seed: int, count: int) -> list[Use]:
    """The uses in turn, each with another source every time."""
    return [Use(number, seed) for number in range(count)]


def examine(case: Use) -> None:
    """Raise `AssertionError` unless the kernels do what they should."""
    with TemporaryDirectory() as name, _own_settings():
        _USES[case.number % len(_USES)](Path(name), case.rng)


@contextmanager
def _own_settings() -> Iterator[None]:
    """Kernels choose their form by themselves, nothing is compiled yet, and Numba's cache is beside
    the source.
    """
    from numba import config

    settings: Any = config
    mode, folder = os.environ.pop("TWOFOLD_KERNELS", None), settings.CACHE_DIR
    native = kernels._native[:]
    settings.CACHE_DIR = ""
    kernels._native.clear()
    try:
        yield
    finally:
        settings.CACHE_DIR = folder
        kernels._native[:] = native
        os.environ.pop("TWOFOLD_KERNELS", None)
        if mode is not None:
            os.environ["TWOFOLD_KERNELS"] = mode
        for name in ("steps", "amounts"):
            sys.modules.pop(name, None)


def _load(
    folder: Path,
    shift: int = 1,
    factor: int = 2,
    more: int = 3,
    fields: tuple[str, str] = ("a", "b"),
) -> Any:
    """The module with the kernels, as a process that starts now would see it."""
    for name, text in (
        ("amounts", f"SHIFT = {shift}\n"),
        ("steps", SOURCE.format(factor=factor, more=more, fields=fields)),
    ):
        path = folder / f"{name}.py"
        path.write_text(text)
        sys.modules[name] = module = ModuleType(name)
        exec(compile(text, path, "exec"), module.__dict__)
    return sys.modules["steps"]


def _run(loaded: Any, x: float) -> tuple[float, int, str]:
    """What compiled `outer` answers, how often the cache had it, and what stands on stderr."""
    with redirect_stderr(StringIO()) as complaints:
        result = loaded.outer.compiled(x)
    return result, sum(loaded.outer.native.stats.cache_hits.values()), complaints.getvalue()


def _after_load(loaded: Any, act: Callable[[], object]) -> None:
    """Do something after the cache of `outer` is read, and before it is written."""
    cache = loaded.outer.native._cache
    load = cache.load_overload

    def load_and_act(*arguments: Any) -> Any:
        result = load(*arguments)
        act()
        return result

    cache.load_overload = load_and_act


def _files(folder: Path, suffix: str, name: str = "outer") -> list[Path]:
    return sorted((folder / "__pycache__").glob(f"steps.{name}-*.{suffix}"))


def _examine_forms(folder: Path, rng: Random) -> None:
    """Small work runs as plain Python, large work compiled; much small work compiled too, sooner if
    the cache has the kernel.
    """
    half = SMALL // 2
    for works in (
        [half, half - 1, 1],
        [half] * (MANY // half - 1) + [half - 1, 1],
        [SMALL - 1, SMALL],
        [rng.randrange(SMALL) for _ in range(9)],
    ):
        for mode, kept, native in product(("", "python", "compiled"), (False, True), (False, True)):
            os.environ["TWOFOLD_KERNELS"] = mode
            kernels._native[:] = [True] * native
            one: Any = kernel(_double)
            one.kept, one.compiled = kept, lambda x: 2 * x
            seen = 0
            for work in works:
                seen += work
                much = work >= SMALL or native or seen >= MANY or (kept and seen >= SMALL)
                expected = (
                    one.compiled if mode == "compiled" or (mode == "" and much) else one.function
                )
                assert one.at(work) is expected
    assert kernel(_double)(rng.randrange(9)) % 2 == 0


def _double(x: int) -> int:
    return 2 * x


def _examine_keys(folder: Path, rng: Random) -> None:
    """The key changes with whatever the compiled code depends on, and with nothing else."""
    shift, factor, more = (rng.randint(1, 99) for _ in range(3))

    def keys(**changed: Any) -> list[str]:
        loaded = _load(folder, **{"shift": shift, "factor": factor, "more": more, **changed})
        return [each.key for each in (loaded.inner, loaded.outermost, loaded.first, loaded.make)]

    def changes(**changed: Any) -> list[bool]:
        return [one != other for one, other in zip(keys(), keys(**changed), strict=True)]

    assert changes() == [False, False, False, False]
    assert changes(shift=shift + 1) == [False, True, False, False]
    assert changes(factor=factor + 1) == [True, True, False, False]
    assert changes(more=more + 1) == [False, True, False, False]
    assert changes(fields=("b", "a")) == [False, False, True, True]


def _examine_cache(folder: Path, rng: Random) -> None:
    """A compiled kernel answers as its source does; another process takes it from the cache, unless
    something has changed.
    """
    shift, factor, x = (rng.randint(2, 99) for _ in range(3))
    for changed, hits in ((shift, 0), (shift, 1), (shift + 1, 0), (shift + 1, 1)):
        loaded = _load(folder, changed, factor)
        assert not kernels._native
        assert loaded.outer.kept == (changed > shift or hits == 1)
        assert _run(loaded, x) == (loaded.outer(x), hits, "")
        assert kernels._native
        kernels._native.clear()


def _examine_damage(folder: Path, rng: Random) -> None:
    """A damaged file is deleted with a word, and the kernel is compiled again; other kernels keep
    theirs.
    """
    x = rng.randint(2, 99)
    right = _run(_load(folder), x)
    _load(folder).inner.compiled(x)
    (path,) = _files(folder, rng.choice(["nbi", "nbc"]))
    content = path.read_bytes()
    path.write_bytes(rng.choice([b"", content[: len(content) // 2], b"of something else"]))
    result, hits, complaint = _run(_load(folder), x)
    assert (result, hits) == right[:2]
    assert complaint.startswith("Numba's cache of outer fails (")
    assert complaint.endswith("): compiling it again\n")
    assert _run(_load(folder), x) == (result, 1, "")
    assert _files(folder, "nbi", "inner")


def _examine_unwritable(folder: Path, rng: Random) -> None:
    """Where nothing can be saved, the kernel is compiled for this process alone."""
    x = rng.randint(2, 99)
    loaded = _load(folder)
    loaded.inner.compiled(x)

    def replace_folder() -> None:
        shutil.rmtree(folder / "__pycache__")
        (folder / "__pycache__").write_text("")

    _after_load(loaded, replace_folder)
    result, hits, complaint = _run(loaded, x)
    assert (result, hits) == (2 * x + 4, 0)
    assert complaint.startswith("Numba's cache of outer fails (")
    assert complaint.count("\n") == 1
    assert loaded.outer.compiled(x) == result


_USES: tuple[Callable[[Path, Random], None], ...] = (
    _examine_forms,
    _examine_keys,
    _examine_cache,
    _examine_damage,
    _examine_unwritable,
)
