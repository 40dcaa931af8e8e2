"""The commands as functions of `compare`: they return what was found, print nothing, and know the
options of the commands.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import compare
import puzzles
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport
from puzzles.text import UserError
from tests.compare import stub
from tests.installed import needs
from tests.places import ROOT
from tests.processes import environment, impossible_program, run_python

NAMES = ("run", "check", "fuzz", "stress", "scale", "equivalent", "conform", "prove")


def test_the_stub_is_that_of_the_commands() -> None:
    assert stub.PATH.read_text() == stub.text(), "run `python -m tests.compare.stub`"


def test_the_schema_is_that_of_the_document_and_the_page_names_each_field() -> None:
    assert stub.SCHEMA.read_text() == stub.schema_text(), "run `python -m tests.compare.stub`"
    page = (ROOT / "docs" / "json.md").read_text()
    for kind in (Conclusion, FaultReport, ContenderTally):
        for name in kind.__struct_fields__:
            assert f"`{name}`" in page, name


def test_dir_lists_what_there_is() -> None:
    assert {*NAMES, "assert_agrees", "examples"} <= set(dir(compare))
    assert "Any" not in dir(compare)
    assert not hasattr(compare, "no_such_command")


@pytest.mark.parametrize("name", NAMES)
def test_a_function_has_the_options_of_its_command(name: str) -> None:
    function = getattr(compare, name)
    parameters = inspect.signature(function).parameters
    assert "progress" in parameters
    assert not {"format", "junit", "results", "quiet"} & set(parameters)
    assert function.__name__ == name
    assert function.__doc__


def test_a_run_returns_what_it_found_and_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    boards = tmp_path / "boards.in"
    boards.write_text("2\n1 2\n-.\n1 3\n-.-\n")
    wrong = impossible_program(tmp_path)
    program = wrong.partition("=")[2]
    conclusion = compare.run(
        puzzles.get("beams"), [boards], backends=["direct"], programs={"mine": program}, timeout=5
    )
    assert (conclusion.verdict, conclusion.exit_status) == ("FAILED", 1)
    assert [each.contenders for each in conclusion.faults] == [("mine",)]
    records = conclusion.to_records()
    assert {each["contender"] for each in records} == {"direct:two-sat", "mine"}
    direct = next(each for each in records if each["contender"] == "direct:two-sat")
    assert direct["claims"] == [1]
    assert direct["usage_wall_s"] > 0
    assert direct["check_verdict"] == "PROVED"
    assert json.loads(conclusion.to_json())["results"] == []
    assert len(json.loads(conclusion.to_json(results=True))["results"]) == len(conclusion.results)
    assert capfd.readouterr() == ("", "")


def test_a_search_returns_its_faults(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    conclusion = compare.fuzz("nogo", backends=["direct"], cases=20, size=4, kind="ordinary")
    assert (conclusion.verdict, conclusion.faults) == ("ALL AGREE", [])
    assert capfd.readouterr() == ("", "")


def test_warnings_are_part_of_what_is_found(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.in").write_text("1\n1 3\n-.-\n")
    (tmp_path / "notes.doc").write_text("")
    (tmp_path / "b.in").write_text("nonsense")
    conclusion = compare.run("beams", [tmp_path], backends=["direct"])
    assert conclusion.exit_status == 2
    assert any("b.in:1:1" in each for each in conclusion.warnings)
    assert capfd.readouterr() == ("", "")


def test_mistakes_are_said_as_the_command_line_says_them() -> None:
    with pytest.raises(UserError, match="option of run 'backend': did you mean backends"):
        compare.run("beams", backend=["direct"])  # type: ignore[call-arg]
    with pytest.raises(UserError, match="--timeout: must be more than 0, not 0"):
        compare.run("beams", timeout=0)
    with pytest.raises(UserError, match="unknown puzzle 'beam'"):
        compare.run("beam")
    with pytest.raises(UserError, match="--generator"):
        compare.stress(["a", "b"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"puzzle": []}, "puzzle takes a puzzle, its name or its path, not []"),
        ({"puzzle": ""}, "unknown puzzle ''"),
        ({"no_check": "no"}, "no_check takes True or False, not 'no'"),
        ({"strict": 1}, "strict takes True or False, not 1"),
        ({"timeout": np.array([1, 2])}, "timeout takes a text, a path or a number, not array([1"),
        ({"timeout": np.array(2)}, "timeout takes a text, a path or a number, not array(2)"),
        ({"timeout": False}, "timeout takes a text, a path or a number, not False"),
        ({"out": sys.__stdout__}, "out takes a text, a path or a number, not <_io.TextIOWrapper"),
        ({"out": b"x"}, "out takes a text, a path or a number, not b'x'"),
        ({"out": "a\0b"}, "out: a null character in 'a\\x00b'"),
        ({"paths": [Path("a\0b")]}, "paths: a null character in 'a\\x00b'"),
        (
            {"paths": sys.__stdin__},
            "paths takes a text, a path or a number, not <_io.TextIOWrapper",
        ),
        ({"backends": ["direct", None]}, "backends takes a text, a path or a number, not None"),
        ({"programs": {"mine": None}}, "programs takes a text, a path or a number, not None"),
    ],
)
def test_a_value_of_another_kind_is_a_mistake(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        compare.run(**{"puzzle": "beams", "expression": "sample", **options})


def test_values_may_be_of_numpy_and_a_path_of_any_kind(tmp_path: Path) -> None:
    (tmp_path / "a.in").write_text("1\n1 2\n.-\n")
    (entry,) = os.scandir(tmp_path)
    flags = {"no_check": np.True_, "timeout": np.float32(9.0), "repeat": np.int64(2)}
    conclusion = compare.run("beams", [entry], backends=("direct",), **flags)  # type: ignore[arg-type]
    assert conclusion.last_line.endswith("; 1 board of 1 puzzle; runs: 2 OK.")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "equivalent",
            ("robber.py", "cpsat", "maxsat"),
            "equivalent: too many positional arguments: call it as "
            "equivalent(puzzle, models=[...]), with each option by its name",
        ),
        (
            "equivalent",
            (),
            "equivalent: missing a required argument: 'puzzle': call it as "
            "equivalent(puzzle, models=[...]), with each option by its name",
        ),
        (
            "stress",
            ("a.py", "b.py"),
            "stress: too many positional arguments: call it as stress(programs=[...]), with each "
            "option by its name",
        ),
        (
            "check",
            ("beams",),
            "check: missing a required argument: 'input': call it as check(puzzle, input, output), "
            "with each option by its name",
        ),
    ],
)
def test_arguments_in_wrong_places_are_a_sentence_about_the_function(
    name: str, arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UserError) as refusal:
        getattr(compare, name)(*arguments)
    assert str(refusal.value) == message


IMPORTED = """
from puzzles.backend import backend
from puzzles.beams import Layout


@backend("beams", "imported", side="models", source="a plugin")
def solve(board, *, certify=False):
    import direct
    return direct.solve(board)
"""


CALLS = """
import compare, models
from puzzles import beams
from puzzles.text import UserError

conclusion = compare.run("beams", ["boards.in"], backends=["earlier"], plugins=["earlier.py"])
print(*{each.contender for each in conclusion.results})
conclusion = compare.run("beams", ["boards.in"], expression="not cpsat")
print(*sorted({each.contender for each in conclusion.results}))
try:
    compare.run("beams", ["boards.in"], backends=["earlier"])
except UserError as error:
    print(error)

import mine

both, part = ["direct", "imported"], {"cases": 20, "size": 4, "kind": "ordinary"}


def refused(call):
    try:
        call()
    except UserError as error:
        print(error)


refused(lambda: compare.run("beams", expression="sample", backends=both))
refused(lambda: compare.fuzz("beams", backends=both, **part))
refused(lambda: compare.run("beams", expression="sample"))
for plugin in ("mine.py", "./mine.py"):
    print(compare.run("beams", expression="sample", backends=both, plugins=[plugin]).verdict)
    print(compare.fuzz("beams", backends=both, plugins=[plugin], **part).verdict)
refused(lambda: compare.fuzz("beams", backends=both, **part))
board = beams.parse("1\\n1 1\\n-\\n")[0]
print(models.solve(board, backend="imported").possible)
"""
"""A script that loads a plugin for one call, and then imports another one."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines that the script prints."""
    folder = tmp_path_factory.mktemp("calls")
    (folder / "mine.py").write_text(IMPORTED)
    (folder / "earlier.py").write_text(IMPORTED.replace('"imported"', '"earlier"'))
    (folder / "boards.in").write_text("1\n1 3\n-.-\n")
    (folder / "calls.py").write_text(CALLS)
    return run_python("calls.py", cwd=folder, env=environment(folder)).stdout.splitlines()


def test_a_plugin_of_an_earlier_call_takes_no_part_in_a_later_one(printed: list[str]) -> None:
    first, later, refused = printed[:3]
    assert first == "models:earlier"
    assert {"direct:two-sat", "models:cnf"} <= set(later.split())
    assert "models:earlier" not in later
    assert 'give plugins=["earlier.py"]' in refused


def test_a_backend_that_was_imported_alone_is_a_mistake_and_as_a_plugin_it_works(
    printed: list[str],
) -> None:
    """The processes that solve have imported nothing of the caller's."""
    alone = (
        "models:imported is known to this process alone, and not to those that solve: give "
        'plugins=["mine.py"] (--plugin mine.py), so that they load it too'
    )
    assert printed[3:] == [alone, alone, alone, *["ALL AGREE"] * 4, alone, "True"]


def test_a_puzzle_of_ones_own_is_named_by_its_path() -> None:
    path = ROOT / "examples" / "lights.py"
    assert compare.conform(path, points=["answers"]).verdict == "ACCEPTED"


@pytest.mark.parametrize("module", ["compare.commands.run.command", "late_module"])
def test_a_program_that_catches_ctrl_c_ends_by_itself(module: str) -> None:
    """Also where it has come while a module was loaded that calls `exec`, as dataclasses do."""
    code = f"""
import sys
from types import ModuleType
import compare
class Interrupted(ModuleType):
    def __getattr__(self, name):
        exec("raise KeyboardInterrupt")
sys.modules[{module!r}] = Interrupted({module!r})
compare._functions = lambda: {{"run": "compare.commands.functions", "late": "late_module"}}
try:
    compare.late if {module!r} == "late_module" else compare.run("nogo")
except KeyboardInterrupt:
    print("goes on")
"""
    ended = run_python("-c", code)
    assert (ended.stdout, ended.returncode) == ("goes on\n", 0)


class _WithoutMethods:
    """What stands in the place of a standard stream."""


@pytest.mark.parametrize("stream", [None, _WithoutMethods()])
def test_a_search_needs_no_standard_streams(
    stream: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, stream)
    assert compare.fuzz("nogo", backends=["direct"], cases=3, size=2).exit_status == 0


def test_ctrl_c_is_keyboard_interrupt_and_leaves_no_process(tmp_path: Path) -> None:
    """The script interrupts itself while it fuzzes. The forkserver waits for the next call, and has
    no child of its own.
    """
    needs("psutil")
    code = """
import os, signal, threading, time
import compare, psutil

def interrupt():
    while len(psutil.Process().children(recursive=True)) < 2:  # the forkserver, and a solver
        time.sleep(0.02)
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    compare.fuzz("nogo", backends=["direct", "cnf"], seconds=60)
except KeyboardInterrupt:
    print("interrupted")
time.sleep(0.5)
children = psutil.Process().children(recursive=True)
print([each.pid for each in children if "forkserver" not in " ".join(each.cmdline())])
print(len(children) < 2)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert ended.stdout == "interrupted\n[]\nTrue\n", ended.stderr
    assert ended.stderr == ""
