"""How kernels are compiled, and what Numba's cache of them is keyed on and keeps."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest
from numba.core import config

from tests.direct import kernel_uses
from tests.processes import environment, run_python

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize("count", [5, pytest.param(60, marks=pytest.mark.slow)])
def test_kernels_are_used_as_they_should(count: int) -> None:
    for use in kernel_uses.cases(2, count):
        kernel_uses.examine(use)


def run_in_fork(code: str, folder: Path) -> None:
    """Run code in a fork of this process, which finds the modules of a folder: it need not load
    Numba again.
    """

    def run() -> None:
        config.__dict__["CACHE_DIR"] = ""  # beside the source, whatever NUMBA_CACHE_DIR says
        sys.path.insert(0, str(folder))
        exec(code, {})

    process = get_context("fork").Process(target=run)
    process.start()
    process.join()
    assert process.exitcode == 0


INNER = "from direct.kernel import kernel\n\n@kernel\ndef inner(x: int) -> int:\n    return 2 * x\n"


COMPILING = """import gc
from inner import inner
print(inner.kept)
del inner.kept
inner.compiled(1)
print(inner.kept, gc.isenabled())
gc.disable()
inner.compiled(1.5)
print(gc.isenabled())
try:
    inner.compiled(None)
except Exception as error:
    print(type(error).__name__)
"""


def test_what_numba_keeps_is_found_garbage_is_collected_as_before_and_a_bad_kernel_raises(
    tmp_path: Path, capfd: Captured
) -> None:
    (tmp_path / "inner.py").write_text(INNER)
    run_in_fork(COMPILING, tmp_path)
    assert capfd.readouterr().out.split() == ["False", "True", "True", "False", "TypingError"]


OTHER = INNER.replace("inner", "other")

AT_A_TERMINAL = """import io, sys
from inner import inner
from other import other
sys.stderr = io.StringIO()
sys.stderr.isatty = lambda: True
inner.compiled(1)
print(sys.stderr.getvalue())
other.compiled(1)
print(sys.stderr.getvalue())
"""


def test_who_waits_at_a_terminal_learns_that_something_is_compiled_and_only_then(
    tmp_path: Path, capfd: Captured
) -> None:
    (tmp_path / "inner.py").write_text(INNER)
    (tmp_path / "other.py").write_text(OTHER)
    run_in_fork("import inner; inner.inner.compiled(1)", tmp_path)
    assert capfd.readouterr() == ("", "")
    variables = environment(tmp_path, without=["NUMBA_CACHE_DIR"])
    at_terminal = run_python("-c", AT_A_TERMINAL, cwd=tmp_path, env=variables)
    before, after = at_terminal.stdout.split("\n", 1)
    assert before == ""  # it is compiled already
    assert after.strip() == "compiling the algorithm, which may take a minute the first time ..."


AT_ONCE = """import os
from inner import inner
for _ in range(2):
    if os.fork() == 0:
        inner.compiled(1)
        print(sum(inner.native.stats.cache_misses.values()), flush=True)
        os._exit(0)
for _ in range(2):
    os.wait()
"""


def test_of_two_processes_that_need_a_kernel_at_once_one_compiles_it(
    tmp_path: Path, capfd: Captured
) -> None:
    (tmp_path / "inner.py").write_text(INNER)
    run_in_fork(AT_ONCE, tmp_path)
    assert sorted(capfd.readouterr().out.split()) == ["0", "1"]


THRICE = """from direct.kernel import Array, inner_kernel, kernel

@inner_kernel
def thrice(x: int) -> int:
    return 3 * x

@kernel
def thrice_each(cells: Array, last: int) -> int:
    if last < 0:
        raise ValueError("below 0")
    return thrice(cells[0]) + thrice(5) + thrice(last)
"""

CALLED = """import numpy as np
from thrice import thrice_each

for k in (-1, 8, -1):
    try:
        print(thrice_each.compiled(np.array([7]), k))
    except ValueError as error:
        print(error)
print(sum(thrice_each.native.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_only_what_python_calls_is_cached_and_what_it_raises_leaves_the_cache_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "thrice.py").write_text(THRICE)
    for hits in (0, 1):
        ended = run_python(
            "-c", CALLED, cwd=tmp_path, env=environment(tmp_path, without=["NUMBA_CACHE_DIR"])
        )
        assert (ended.stdout, ended.stderr) == (f"below 0\n60\nbelow 0\n{hits}\n", "")
        names = {path.name.split("-")[0] for path in (tmp_path / "__pycache__").glob("*.nb[ci]")}
        assert names == {"thrice.thrice_each"}


ONCE = (
    "from inner import inner\nprint(inner.compiled(1), sum(inner.native.stats.cache_hits.values()))"
)


def run_inner(folder: Path, **variables: str) -> tuple[str, str]:
    """The result, how often the cache was used, and what stands on stderr."""
    env = environment(folder, without=["NUMBA_CACHE_DIR"], PYTHONDONTWRITEBYTECODE="1", **variables)
    ended = run_python("-c", ONCE, cwd=folder, env=env)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip(), ended.stderr


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text(INNER)
    env = environment(tmp_path, without=["NUMBA_CACHE_DIR"], PYTHONDONTWRITEBYTECODE="1")
    words = [sys.executable, "-c", ONCE]
    processes = [
        subprocess.Popen(
            words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out.split()[0], err) == (0, "2", "")
    assert run_inner(tmp_path) == ("2 1", "")


@pytest.mark.slow
def test_a_checkout_that_cannot_be_written_is_compiled_for(tmp_path: Path) -> None:
    """The folder of the cache is a file, which no user can write to; so is the user's own
    folder.
    """
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    checkout.mkdir()
    (checkout / "inner.py").write_text(INNER)
    (checkout / "__pycache__").write_text("")
    assert run_inner(checkout, HOME=str(home), XDG_CACHE_HOME=str(home)) == ("2 0", "")
    assert run_inner(checkout, HOME=str(home), XDG_CACHE_HOME=str(home)) == ("2 1", "")
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    assert run_inner(checkout, HOME=str(nowhere), XDG_CACHE_HOME=str(nowhere)) == ("2 0", "")
