"""Plugins: what is known of their backends, several of them together, and what is said of a wrong
one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import direct
from compare.engine.work.plugins import register_plugins
from tests.places import ROOT
from tests.processes import compare, run_module

PLUGIN = """
from puzzles.backend import backend
from puzzles.beams.board import Layout

@backend("beams", "described", side="direct", source="a plugin", assumes="luck", complete=False,
         finds="closure", quick=36, options={"depth": (3, 5), "rule": ()}, limit=400, slow=True,
         certifies=False, requires=("no_such_module",))
def solve(board, *, certify=False, depth=3, rule=print):
    return Layout(False)
"""


def test_a_stand_in_has_every_field_of_its_backend(tmp_path: Path) -> None:
    path = tmp_path / "described.py"
    path.write_text(PLUGIN)
    register_plugins([str(path)])
    backend = direct.SIDE.get("beams", "described")
    assert (backend.label, backend.source, backend.assumes, backend.finds) == (
        "direct:described",
        "a plugin",
        "luck",
        "closure",
    )
    assert (backend.complete, backend.slow, backend.certifies, backend.quick, backend.limit) == (
        False,
        True,
        False,
        36,
        400,
    )
    assert (backend.options, backend.defaults) == ({"depth": (3, 5), "rule": ()}, {"depth": 3})
    assert backend.with_options({"depth": "5"}).defaults == {"depth": 5}
    assert "no_such_module" in (backend.available() or "")


WORKING = """
from puzzles.backend import backend
from puzzles.{puzzle} import {answer}


@backend({puzzle!r}, {name!r}, side="models", source="a plugin")
def solve(board, *, certify=False):
    import direct
    return direct.solve(board)
"""


@pytest.mark.slow
def test_any_number_of_plugins_takes_part_in_every_command(tmp_path: Path) -> None:
    for name in ("one", "two"):
        text = WORKING.format(puzzle="beams", answer="Layout", name=name)
        (tmp_path / f"{name}.py").write_text(
            f"{text}\n\nimport models.dimacs\n"
            f"@backend('beams', 'stated-{name}', side='models', source='a plugin', "
            "encode=lambda board: models.dimacs.encode_board(board))\n"
            "def stated(board, *, certify=False):\n    return solve(board)\n"
        )
    (tmp_path / "b.in").write_text("1\n1 3\n.-.\n")
    both = "--plugin one.py --plugin two.py"
    who = f"-b one -b two {both}"
    for words in (
        f"run beams b.in {who}",
        f"fuzz beams {who} --cases 5 --size 2 --jobs 1",
        f"scale beams {who} --largest 4 --repeat 1",
        f"solve beams b.in -b two {both}",
        f"equivalent beams stated-one stated-two {both} --boards 6 --cases 1 --largest 2",
        f"list beams {both}",
    ):
        ended = compare(words, cwd=tmp_path)
        said_before = [] if not words.startswith("scale") else ["at most 20 s of solving: "]
        lines = ended.stderr.splitlines()
        assert [line.partition(": ")[0] + ": " for line in lines] == said_before, words
        assert "two" in ended.stdout or "POSSIBLE" in ended.stdout or "ALL AGREE" in ended.stdout
    listed = compare(f"list beams {both}", cwd=tmp_path).stdout
    assert [f"models:{name}" in listed for name in ("one", "two", "stated-one")] == [True] * 3


def test_plugins_of_an_own_puzzle_stand_beside_its_own_backends(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(
            "from puzzles.backend import backend\nimport direct\n"
            f"@backend('lights', {name!r}, side='models', source='a plugin')\n"
            "def solve(board, *, certify=False):\n    return direct.solve(board)\n"
        )
    own = ROOT / "examples" / "lights.py"
    words = "-b direct -b one -b two --plugin one.py --plugin two.py"
    ended = compare(f"run {own} --family random --size 2 --cases 1 {words}", cwd=tmp_path)
    assert "runs: 3 OK" in ended.stdout
    again = compare(f"run {own} -b one --plugin one.py --plugin ./one.py -k 1", cwd=tmp_path)
    assert "direct:elimination" not in again.stdout
    (tmp_path / "other.py").write_text((tmp_path / "one.py").read_text())
    refused = compare(f"run {own} --plugin one.py --plugin other.py", cwd=tmp_path, status=2)
    assert refused.stderr == (
        "--plugin other.py:3: lights has a backend models:one of --plugin one.py already; choose "
        "another name\n"
    )


MODELS_MINE = ("beams", "b.in", "--backend", "mine", "--plugin", "mine.py")


@pytest.mark.parametrize(
    ("decorator", "message"),
    [
        (
            "'beam', 'mine', side='models', source='a plugin'",
            "mine.py:3: the backend models:mine is for 'beam', and there is no such puzzle: did "
            "you mean 'beams'? Or choose from beams, ",
        ),
        (
            "'beams', 'mine', side='model', source='a plugin'",
            "mine.py:3: the side of backend mine is 'model': expected direct or models",
        ),
        (
            "'beams', 'mine', side='models', source='a plugin', options=('depth',)",
            "mine.py:3: the backend models:mine has no parameter depth, which its options name",
        ),
        (
            "'beams', 'mine', side='models', source='a plugin', sizes=3",
            "mine.py:3: importing the file raised TypeError: ",
        ),
        (None, "mine.py: it registers no backend: write a function under @backend("),
    ],
)
def test_a_wrong_registration_is_told_with_its_line(
    decorator: str | None, message: str, tmp_path: Path
) -> None:
    line = "" if decorator is None else f"@backend({decorator})"
    (tmp_path / "mine.py").write_text(
        "from puzzles.backend import backend\nfrom puzzles.beams import Layout\n"
        f"{line}\ndef solve(board, *, certify=False):\n    return Layout(False)\n"
    )
    (tmp_path / "b.in").write_text("1\n1 1\n#\n")
    ended = compare("run beams b.in -b mine --plugin mine.py", cwd=tmp_path, status=2)
    assert ended.stderr.startswith(f"--plugin {message}")
    here = run_module("models", *MODELS_MINE, cwd=tmp_path)
    assert (here.returncode, here.stderr) == (2, ended.stderr)


def test_a_backend_that_was_meant_for_another_puzzle_is_named_where_it_is_missed(
    tmp_path: Path,
) -> None:
    text = WORKING.format(puzzle="beams", answer="Layout", name="good")
    (tmp_path / "mine.py").write_text(
        f"{text}\n\nbackend('minesweeper', 'other', side='models', source='a plugin')(solve)\n"
        "backend('my-own', 'mine', side='models', source='a plugin')(solve)\n"
    )
    for name, puzzle in (("mine", "my-own"), ("other", "minesweeper")):
        ended = compare(f"run beams -b {name} --plugin mine.py", cwd=tmp_path, status=2)
        assert ended.stderr.endswith(f"; a file registers models:{name} for {puzzle!r}\n")


RAISING = """
import json

import helper
from puzzles.backend import backend
from puzzles.beams import Layout


def deep(board):
    return {}[board.rows]


@backend("beams", "own", side="models", source="a plugin")
def own(board, *, certify=False):
    return deep(board)


@backend("beams", "library", side="models", source="a plugin")
def library(board, *, certify=False):
    return json.loads("{")


@backend("beams", "beside", side="models", source="a plugin")
def beside(board, *, certify=False):
    return helper.fail()


@backend("beams", "refusing", side="models", source="a plugin", refuses=lambda board, **_: 1 // 0)
def refusing(board, *, certify=False):
    return Layout(False)
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own", "mine.py:10: the backend models:own raised KeyError: 1: mend that line"),
        ("library", "mine.py:20: the backend models:library raised JSONDecodeError: Expecting"),
        ("beside", "helper.py:2: the backend models:beside raised RuntimeError: no: mend that"),
        ("refusing", "mine.py:28: the backend models:refusing, in `refuses`, raised ZeroDivision"),
    ],
)
def test_an_exception_names_the_last_line_of_the_users_own_code(
    name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(RAISING)
    (tmp_path / "helper.py").write_text("def fail():\n    raise RuntimeError('no')\n")
    (tmp_path / "b.in").write_text("1\n1 1\n#\n")
    words = f"run beams b.in -b {name} --plugin mine.py"
    assert f"(1x1): {message}" in compare(words, cwd=tmp_path, status=1).stdout
    words = f"solve beams b.in -b {name} --plugin mine.py"
    assert compare(words, cwd=tmp_path, status=1).stderr.startswith(
        f"case 1: models:{name}: CRASH {message}"
    )
    if name != "refusing":  # the library does not ask it
        words = f"beams b.in --backend {name} --plugin mine.py"
        here = run_module("models", *words.split(), cwd=tmp_path)
        assert (here.returncode, here.stderr.startswith(message)) == (2, True), here.stderr


def test_an_answer_that_is_none_is_told_in_the_callers_process_too(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from puzzles.backend import backend\n"
        "@backend('beams', 'mine', side='models', source='a plugin')\n"
        "def solve(board, *, certify=False):\n    return 5\n"
    )
    (tmp_path / "b.in").write_text("1\n1 1\n#\n")
    here = run_module("models", *MODELS_MINE, cwd=tmp_path)
    assert (here.returncode, here.stderr) == (
        2,
        "case 1: models:mine returned 5 of type int: expected Layout\n",
    )


OWN_SOLVER = """
from pysat.solvers import Solver
from puzzles.backend import backend
from puzzles.beams import Layout


def encode(board):
    return 2, [[1], [-1, 2]], {1: "one"}


@backend("beams", "alone", side="models", source="a plugin", encode=encode)
def alone(board, *, certify=False, solver="cadical153"):
    return Layout(False)


@backend("beams", "named", side="models", source="a plugin", encode=encode, options=("solver",))
def named(board, *, certify=False, solver="cadical153"):
    with Solver(name=solver, bootstrap_with=[[1], [-1]]) as opened:
        return Layout(bool(opened.solve()))
"""


def test_a_backend_with_a_solver_of_its_own_is_told_how_to_take_part(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN_SOLVER)
    (tmp_path / "b.in").write_text("1\n1 1\n#\n")
    how = "names options=('solver',) and it opens that solver with models.session.session"
    mine = "-b alone --plugin mine.py --solver minisat22"
    for words in (f"run beams b.in {mine}", f"solve beams b.in {mine}"):
        assert how in compare(words, cwd=tmp_path, status=2).stderr

    def models(words: str) -> tuple[int, str, str]:
        ended = run_module("models", *f"beams b.in --plugin mine.py {words}".split(), cwd=tmp_path)
        return ended.returncode, ended.stdout, ended.stderr

    assert how in models("--backend alone --solver minisat22")[2]
    formula = "c 1 one\np cnf 2 2\n1 0\n-1 2 0\n"
    assert models("--backend alone --dimacs -") == (
        0,
        f"c the formula of models:alone\n{formula}",
        "",
    )
    assert models("--backend named --dimacs -") == (
        0,
        f"c the formula of models:named\n{formula}",
        "",
    )


LOADED_ONCE = """
from pathlib import Path

from puzzles.backend import backend
from puzzles.beams import Layout

seen = Path(__file__).with_suffix(".seen")
if seen.exists():
    raise ValueError("not again")
seen.touch()


@backend("beams", "once", side="models", source="mine")
def solve(board, *, certify=False):
    return Layout(False)
"""


def test_a_plugin_that_can_be_loaded_no_more_is_told_by_its_line(tmp_path: Path) -> None:
    """As where somebody saves a mistake while the page is open."""
    (tmp_path / "once.py").write_text(LOADED_ONCE)
    words = "run beams -k sample -b direct -b once --plugin once.py -q"
    ended = compare(words, cwd=tmp_path, status=1)
    assert (
        "CRASH: models:once on beams, dataset sample, official case 1 (1x3): once.py:9: importing "
        "the file raised ValueError: not again: mend that line\n" in ended.stdout
    )
