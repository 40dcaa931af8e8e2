"""What is not compiled on this machine yet is compiled, with a word on stderr, before anything is timed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compare.work.compiling import uncompiled
from compare.work.contenders import choose
from puzzles import get, names
from tests.places import ROOT
from tests.processes import environment, run_python

SAID = "compiling {} once for this machine (some seconds to a minute) ...\n"


@pytest.mark.slow
def test_a_puzzle_is_compiled_once_for_a_machine(tmp_path: Path) -> None:
    for name in ("puzzles", "direct", "models", "compare"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    variables = {**environment(without=["NUMBA_CACHE_DIR"]), "PYTHONPATH": str(tmp_path)}
    words = ["-m", "compare", "run", "nogo", "-b", "direct", "-k", "sample"]
    first, second = (run_python(*words, cwd=tmp_path, env=variables) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, SAID.format("nogo"))
    assert (second.returncode, second.stderr) == (0, "")


def test_models_alone_need_no_compiler() -> None:
    assert uncompiled(each for name in names() for each in choose(get(name), ["models"], {})) == {}
