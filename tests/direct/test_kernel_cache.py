"""How kernels are compiled, and what Numba's cache of them is keyed on and keeps."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.processes import environment, run_python

INNER = "from direct.kernel import kernel\nSHIFT = {}\n\n@kernel\ndef inner(x: int) -> int:\n    return {} * x\n"


def test_what_numba_keeps_is_found(tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text(INNER.format(1, 2))
    code = "from inner import inner\nprint(inner.kept)\ndel inner.kept\ninner.compiled(1)\nprint(inner.kept)"
    ended = run_python("-c", code, cwd=tmp_path, env=environment(tmp_path, without=["NUMBA_CACHE_DIR"]))
    assert ended.stdout.split() == ["False", "True"]


THRICE = """from direct.kernel import Array, inner_kernel, kernel

@inner_kernel
def thrice(x: int) -> int:
    return 3 * x

@kernel
def thrice_each(cells: Array, last: int) -> int:
    return thrice(cells[0]) + thrice(5) + thrice(last)
"""


def test_one_form_of_an_inner_kernel_serves_all_signed_integers(tmp_path: Path) -> None:
    (tmp_path / "thrice.py").write_text(THRICE)
    code = (
        "import numpy as np\nfrom thrice import thrice, thrice_each\n"
        "print(thrice_each.compiled(np.array([2**30], np.int32), 7))\nprint(thrice.compiled.signatures)"
    )
    ended = run_python("-c", code, cwd=tmp_path, env=environment(tmp_path, without=["NUMBA_CACHE_DIR"]))
    assert ended.stdout.splitlines() == [str(3 * (2**30 + 12)), "[(int64,)]"]


def test_only_what_python_calls_is_cached_and_it_needs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "thrice.py").write_text(THRICE)
    code = (
        "import numpy as np\nfrom thrice import thrice_each\nprint(thrice_each.compiled(np.array([7]), 8))\n"
        "print(sum(thrice_each.compiled.stats.cache_hits.values()))"
    )
    for hits in ("0", "1"):
        ended = run_python("-c", code, cwd=tmp_path, env=environment(tmp_path, without=["NUMBA_CACHE_DIR"]))
        assert ended.stdout.split() == ["60", hits]
        names = {path.name.split("-")[0] for path in (tmp_path / "__pycache__").glob("*.nb[ci]")}
        assert names == {"thrice.thrice_each"}


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_collected_after_compiling_as_before(tmp_path: Path, collecting: bool) -> None:
    (tmp_path / "inner.py").write_text(INNER.format(1, 2))
    code = f"import gc\nfrom inner import inner\nif not {collecting}:\n    gc.disable()\ninner.compiled(1)\nprint(gc.isenabled())"
    ended = run_python("-c", code, cwd=tmp_path, env=environment(tmp_path, without=["NUMBA_CACHE_DIR"]))
    assert ended.stdout.split() == [str(collecting)]


OUTER = """import sys
from inner import SHIFT, inner
from direct.kernel import kernel

@kernel
def outer(x: int) -> int:
    return inner(x) + SHIFT

@kernel
def outermost(x: int) -> int:
    return outer(x)

if __name__ == "__main__":
    print(outermost.compiled(1), sum(outermost.compiled.stats.cache_hits.values()))
"""


PAIR = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    {}: int\n    {}: int\n"
TAKES = """import sys
from pair import Pair
from direct.kernel import kernel

@kernel
def first(pair: Pair) -> int:
    return pair.a

@kernel
def make(x: int) -> tuple[int, Pair]:
    return x, Pair(x, 2 * x)

if __name__ == "__main__":
    print(first.key, make.key)
"""


def test_the_key_has_the_fields_of_named_tuples(tmp_path: Path) -> None:
    def keys(*fields: str) -> list[str]:
        (tmp_path / "pair.py").write_text(PAIR.format(*fields))
        ended = run_python("takes.py", cwd=tmp_path, env=environment(tmp_path, PYTHONDONTWRITEBYTECODE="1"))
        return ended.stdout.split()

    (tmp_path / "takes.py").write_text(TAKES)
    before, after = keys("a", "b"), keys("b", "a")
    assert before == keys("a", "b")
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_cached_kernel_notices_a_change_in_another_module(tmp_path: Path) -> None:
    def run(factor: int, shift: int) -> list[int]:
        (tmp_path / "inner.py").write_text(INNER.format(shift, factor))
        anew = environment(tmp_path, without=["NUMBA_CACHE_DIR"], PYTHONDONTWRITEBYTECODE="1")
        ended = run_python("outer.py", cwd=tmp_path, env=anew)
        return [int(word) for word in ended.stdout.split()]

    (tmp_path / "outer.py").write_text(OUTER)
    assert run(10, 5) == [15, 0]
    assert run(10, 5) == [15, 1]
    assert run(20, 5) == [25, 0]
    assert run(20, 6) == [26, 0]
    assert run(20, 6) == [26, 1]


ONCE = "from inner import inner\nprint(inner.compiled({}), sum(inner.compiled.stats.cache_hits.values()))"


def kernel_files(folder: Path, suffix: str) -> list[Path]:
    return sorted((folder / "__pycache__").glob(f"inner.inner-*.{suffix}"))


def run_inner(folder: Path, argument: str = "1", **variables: str) -> tuple[str, str]:
    """The result, how often the cache was used, and what stands on stderr."""
    env = environment(folder, without=["NUMBA_CACHE_DIR"], PYTHONDONTWRITEBYTECODE="1", **variables)
    ended = run_python("-c", ONCE.format(argument), cwd=folder, env=env)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip(), ended.stderr


def flipped(content: bytes) -> bytes:
    at = 2 * len(content) // 3
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "one bit": flipped,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "damage"), [("nbi", "empty"), ("nbi", "cut off"), ("nbc", "empty"), ("nbc", "cut off"), ("nbc", "one bit")]
)
def test_a_damaged_file_of_the_cache_is_replaced_once(tmp_path: Path, suffix: str, damage: str) -> None:
    (tmp_path / "inner.py").write_text(INNER.format(1, 2))
    assert run_inner(tmp_path) == ("2 0", "")
    (path,) = kernel_files(tmp_path, suffix)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    index = kernel_files(tmp_path, "nbi")[0].with_suffix("")
    assert run_inner(tmp_path) == ("2 0", f"the compiled kernel {index} is damaged: compiling it again\n")
    assert run_inner(tmp_path) == ("2 1", "")


@pytest.mark.slow
def test_one_word_stands_for_all_damaged_kernels_of_a_process(tmp_path: Path) -> None:
    for name in ("inner", "other"):
        (tmp_path / f"{name}.py").write_text(INNER.format(1, 2))
    env = environment(tmp_path, without=["NUMBA_CACHE_DIR"], PYTHONDONTWRITEBYTECODE="1")
    both = "import inner, other\nprint(inner.inner.compiled(1), other.inner.compiled(1))"
    run_python("-c", both, cwd=tmp_path, env=env)
    damaged = list((tmp_path / "__pycache__").glob("*.nbc"))
    assert len(damaged) == 2
    for path in damaged:
        path.write_bytes(b"of an earlier format")
    ended = run_python("-c", both, cwd=tmp_path, env=env)
    assert (ended.stdout, ended.stderr.count("is damaged: compiling it again\n")) == ("2 2\n", 1)
    assert run_python("-c", both, cwd=tmp_path, env=env).stderr == ""


def test_a_cached_kernel_is_run_without_getting_ready_to_compile() -> None:
    code = "import sys, direct, puzzles\ndirect.solve_text('beams', puzzles.get('beams').example)\n"
    asked = f"{code}print('numba' in sys.modules, 'numba.np.npyimpl' in sys.modules)"
    env = environment(TWOFOLD_KERNELS="compiled")
    run_python("-c", code, env=env)  # the kernel is cached then
    assert run_python("-c", asked, env=env).stdout == "True False\n"


@pytest.mark.slow
def test_a_file_of_other_types_is_not_run(tmp_path: Path) -> None:
    """Two processes that compile at once can leave an index of one and a data file of the other."""
    (tmp_path / "inner.py").write_text(INNER.format(1, 2))
    run_inner(tmp_path, "1")
    (path,) = kernel_files(tmp_path, "nbc")
    of_integers = path.read_bytes()
    kernel_files(tmp_path, "nbi")[0].unlink()
    assert run_inner(tmp_path, "1.5") == ("3.0 0", "")
    path.write_bytes(of_integers)
    result, words = run_inner(tmp_path, "1.5")
    assert (result, "is damaged: compiling it again" in words) == ("3.0 0", True)


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text(INNER.format(1, 2))
    env = environment(tmp_path, without=["NUMBA_CACHE_DIR"], PYTHONDONTWRITEBYTECODE="1")
    words = [sys.executable, "-c", ONCE.format("1")]
    processes = [
        subprocess.Popen(words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out.split()[0], err) == (0, "2", "")
    assert run_inner(tmp_path) == ("2 1", "")


def test_a_checkout_that_cannot_be_written_is_compiled_for(tmp_path: Path) -> None:
    """The folder of the cache is a file, which no user can write to; so is the user's own folder."""
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    checkout.mkdir()
    (checkout / "inner.py").write_text(INNER.format(1, 2))
    (checkout / "__pycache__").write_text("")
    assert run_inner(checkout, HOME=str(home), XDG_CACHE_HOME=str(home)) == ("2 0", "")
    assert run_inner(checkout, HOME=str(home), XDG_CACHE_HOME=str(home)) == ("2 1", "")
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    assert run_inner(checkout, HOME=str(nowhere), XDG_CACHE_HOME=str(nowhere)) == ("2 0", "")
    assert run_inner(checkout, HOME=str(nowhere), XDG_CACHE_HOME=str(nowhere)) == ("2 0", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.slow
def test_the_checkout_of_another_user_is_compiled_for() -> None:
    # Another user may be unable to read the files of Python and of this project, so all of them are loaded before.
    load = "import os, numba\nimport direct.kernel, direct.kernel_cache, direct.kernel_compiler\nnumba.njit(lambda x: x + 1)(1)\n"
    code = f"{load}os.setgid(65534)\nos.setuid(65534)\n{ONCE.format('1')}"
    with TemporaryDirectory(dir="/tmp") as name:  # a folder that any user can enter
        folder, home = Path(name), Path(name) / "home"
        home.mkdir()
        for each, mode in ((folder, 0o755), (home, 0o777)):
            each.chmod(mode)
        (folder / "inner.py").write_text(INNER.format(1, 2))
        assert run_inner(folder) == ("2 0", "")
        env = environment(folder, without=["NUMBA_CACHE_DIR"], HOME=name + "/home", XDG_CACHE_HOME=name + "/home")
        before = {path: path.read_bytes() for path in kernel_files(folder, "nb?")}
        for expected in ("2 0", "2 1"):
            ended = run_python("-c", code, cwd=folder, env=env)
            assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, expected, "")
        assert {path: path.read_bytes() for path in kernel_files(folder, "nb?")} == before
