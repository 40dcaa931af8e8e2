"""What is not compiled on this machine yet is compiled, with a word on stderr, before anything is
timed.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from compare.engine.campaign.plan import uncompiled_backends
from compare.engine.work.contenders import choose
from puzzles import get, names
from tests.places import ROOT
from tests.processes import command, environment, on_terminal, run_python

COMPILE = """
import puzzles
from compare.engine.campaign.plan import compile_first
from compare.engine.work.contenders import choose
both = map(puzzles.get, ("nogo", "beams"))
contenders = [each for puzzle in both for each in choose(puzzle, ["direct"], {})]
compile_first(contenders, print)
"""


def nothing_compiled(folder: Path) -> dict[str, str]:
    """Copy the packages into a folder, without what is compiled; returns the environment of those
    who use the copy.
    """
    for name in ("puzzles", "direct", "models", "compare"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return {**environment(without=["NUMBA_CACHE_DIR"]), "PYTHONPATH": str(folder)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "run nogo -k empty -b direct",
        "solve nogo board.in",
        "scale nogo -b direct --largest 8",
        "fuzz nogo -b direct --slowest union-find --cases 1",
    ],
)
def test_who_waits_at_a_terminal_learns_what_is_compiled(line: str, tmp_path: Path) -> None:
    (tmp_path / "board.in").write_text("3\n...\n...\n...\n")
    variables = nothing_compiled(tmp_path)
    _, shown = on_terminal(
        100,
        lambda terminal: subprocess.run(
            command("compare", *line.split()),
            cwd=tmp_path,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=terminal,
            check=True,
        ),
    )
    assert shown.count("compiling nogo once for this machine") == 1


@pytest.mark.slow
def test_puzzles_are_compiled_once_for_a_machine_the_slowest_first(tmp_path: Path) -> None:
    variables = nothing_compiled(tmp_path)
    first, second = (run_python("-c", COMPILE, cwd=tmp_path, env=variables) for _ in range(2))
    assert (first.returncode, first.stdout) == (0, "beams\nnogo\n")
    assert (second.returncode, second.stdout) == (0, "")


def test_models_alone_need_no_compiler() -> None:
    assert (
        uncompiled_backends(each for name in names() for each in choose(get(name), ["models"], {}))
        == {}
    )
