"""What is not compiled on this machine yet is compiled, with a word on stderr, before anything is
timed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compare.engine.campaign.plan import uncompiled_backends
from compare.engine.work.contenders import choose
from puzzles import get, names
from tests.places import ROOT
from tests.processes import environment, run_python

COMPILE = """
import puzzles
from compare.engine.campaign.plan import compile_first
from compare.engine.work.contenders import choose
both = map(puzzles.get, ("nogo", "beams"))
contenders = [each for puzzle in both for each in choose(puzzle, ["direct"], {})]
compile_first(contenders, print)
"""


@pytest.mark.slow
def test_puzzles_are_compiled_once_for_a_machine_the_slowest_first(tmp_path: Path) -> None:
    for name in ("puzzles", "direct", "models", "compare"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    variables = {**environment(without=["NUMBA_CACHE_DIR"]), "PYTHONPATH": str(tmp_path)}
    first, second = (run_python("-c", COMPILE, cwd=tmp_path, env=variables) for _ in range(2))
    assert (first.returncode, first.stdout) == (0, "beams\nnogo\n")
    assert (second.returncode, second.stdout) == (0, "")


def test_models_alone_need_no_compiler() -> None:
    assert (
        uncompiled_backends(each for name in names() for each in choose(get(name), ["models"], {}))
        == {}
    )
