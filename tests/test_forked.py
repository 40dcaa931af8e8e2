"""A command that is forked from the prepared Python does what a new interpreter does; where it
could not, one starts.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from signal import SIGKILL

import psutil
import pytest

import puzzles
from tests import forked
from tests.forked import USUAL, needs_twin, run_forked, start_forked
from tests.prepared import Request
from tests.processes import LONGEST_S, run_python

BEAMS = puzzles.get("beams").example


def run(
    *words: str, cwd: Path, text: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str] | None:
    return run_forked(words, cwd, {**USUAL, **variables}, text, subprocess.PIPE, LONGEST_S)


@pytest.mark.parametrize(
    ("words", "text", "status"),
    [
        (["direct", "beams"], BEAMS, 0),
        (["models", "beams", "--json"], "nothing", 2),
        (["compare", "generate", "beams", "mirror", "4", "--out-dir", "boards.in"], None, 0),
        (["compare", "generate", "beams", "mirror", "0"], None, 2),
        (["compare", "rules", "beams"], "not read", 0),
        (
            ["compare", "run", "beams", "one.in", "-b", "direct", "--program", "none=false", "-q"],
            None,
            1,
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_it_prints_and_ends_as_a_new_interpreter_does(
    words: list[str], text: str | None, status: int, tmp_path: Path
) -> None:
    ends: list[tuple[int, str, str]] = []
    for name in ("forked", "new"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "one.in").write_text(BEAMS)
        ended = (
            run(*words, cwd=folder, text=text)
            if name == "forked"
            else run_python("-m", *words, cwd=folder, text=text)
        )
        assert ended is not None
        ends.append((ended.returncode, ended.stdout, ended.stderr))
    assert ends[0] == ends[1]
    assert ends[0][0] == status


@pytest.mark.parametrize("name", ["models", "numpy.py", "json"])
def test_a_folder_with_a_module_of_a_name_that_is_taken_needs_a_new_interpreter(
    name: str, tmp_path: Path
) -> None:
    assert run("compare", "rules", "beams", cwd=tmp_path) is not None
    (tmp_path / name).touch()
    assert run("compare", "rules", "beams", cwd=tmp_path) is None


def test_another_environment_needs_a_new_interpreter(tmp_path: Path) -> None:
    assert run("compare", "rules", "beams", cwd=tmp_path, TWOFOLD_KERNELS="python") is None
    assert run("compare", "rules", "beams", cwd=tmp_path, PYTHONPATH="/") is None
    assert run("json.tool", cwd=tmp_path, text="{}") is None


def test_a_prepared_python_that_was_killed_is_replaced(tmp_path: Path) -> None:
    assert run("compare", "rules", "beams", cwd=tmp_path) is not None
    assert forked._prepared is not None
    before = forked._prepared.process
    os.kill(before.pid, 9)
    before.wait()
    assert run("compare", "rules", "beams", cwd=tmp_path) is not None
    assert forked._prepared.process is not before


def test_a_twin_alone_has_or_tools_for_the_commands_that_use_it(tmp_path: Path) -> None:
    (tmp_path / "one.in").write_text(BEAMS)
    for backend in ("cnf", "cpsat"):
        ended = run("compare", "run", "beams", "one.in", "-b", backend, "-q", cwd=tmp_path)
        assert ended is not None
        assert ended.returncode == 0
    assert forked._prepared is not None
    prepared = psutil.Process(forked._prepared.process.pid)
    loaded = [
        each
        for each in (prepared, *prepared.children())
        if any("ortools" in mapped.path for mapped in each.memory_maps())
    ]
    assert len(loaded) == 1
    assert loaded[0] != prepared


@pytest.mark.parametrize(
    ("word", "needs"),
    [("cpsat", True), ("models:cpsat", True), ("own.py", True), ("none.py", False), ("cnf", False)],
)
def test_a_command_needs_the_twin_if_it_or_a_file_of_it_names_cp_sat(
    word: str, needs: bool, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text("from ortools.sat.python import cp_model\n")
    request = Request("compare", ["run", "beams", "-b", word], str(tmp_path), {})
    assert needs_twin(request) == needs


def test_a_command_that_draws_needs_the_twin(tmp_path: Path) -> None:
    for words in (["report", "runs.jsonl"], ["scale", "beams", "--plot", "growth.svg"]):
        assert needs_twin(Request("compare", words, str(tmp_path), {}))


def test_a_command_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_forked(
            ["compare", "run", "beams", "--repeat", "100000", "-q"],
            tmp_path,
            USUAL,
            None,
            subprocess.PIPE,
            0.5,
        )
    assert run("compare", "rules", "beams", cwd=tmp_path) is not None


def test_a_command_that_goes_on_lets_others_run_and_its_end_is_known(tmp_path: Path) -> None:
    (tmp_path / "one.in").write_text(BEAMS)
    words = ["compare", "run", "beams", "one.in", "-b", "direct", "--program", "slow=sleep 600"]
    with (tmp_path / "printed").open("w") as printed:
        started = start_forked(words, tmp_path, USUAL, printed, printed)
    assert started is not None
    assert run("compare", "rules", "beams", cwd=tmp_path) is not None
    assert started.poll() is None
    started.kill()
    assert started.wait(LONGEST_S) == started.poll() == -SIGKILL
