"""The command line of `models`: formulas and proofs written to files."""

from __future__ import annotations

from pathlib import Path

import pytest

import puzzles
from models import SIDE
from models.backend_encoding import encoding_of
from models.command import main
from puzzles import backend
from puzzles.backend import Unsupported
from tests.models import command_lines
from tests.models.propagation import refutes
from tests.processes import run_module


def test_command_lines_do_what_they_should() -> None:
    for case in command_lines.cases(2, 8):
        command_lines.examine(case)


def test_a_board_that_is_too_large_for_a_backends_formula_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "boards.in"
    file.write_text("20\n" + ("." * 20 + "\n") * 20)
    assert main(["nogo", str(file), "--dimacs", "-", "--backend", "cnf-onecall"]) == 3
    assert "up to 200 cells" in capsys.readouterr().err


REFUSING = """
from puzzles.backend import Unsupported, backend
from puzzles.minesweeper import Deduction


def refuses(board, *, certify):
    return "" if board.mines is None else "it cannot use the number of mines"


@backend("minesweeper", "mine", side="models", source="mine", refuses=refuses,
         encode=lambda board: (1, [[1]], {}))
def solve(board, *, certify=False):
    if board.mines is not None:
        raise Unsupported("it cannot use the number of mines")
    return Deduction(True, board)
"""


def test_a_formula_is_refused_where_the_answer_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    SIDE.backends("minesweeper")
    monkeypatch.setattr(
        backend, "_registry", {key: dict(entries) for key, entries in backend._registry.items()}
    )
    (tmp_path / "mine.py").write_text(REFUSING)
    (tmp_path / "boards.in").write_text("2\n1 1\n#\n1 1 1\n#\n")
    words = [
        "minesweeper",
        str(tmp_path / "boards.in"),
        "--backend",
        "mine",
        "--plugin",
        str(tmp_path / "mine.py"),
    ]
    message = "case 2: models:mine cannot take this board: it cannot use the number of mines\n"
    for more in ([], ["--case", "2", "--dimacs", "-"], ["--proof", str(tmp_path / "proofs")]):
        assert (main([*words, *more]), *capsys.readouterr()) == (3, "", message)
    assert main([*words, "--case", "1", "--dimacs", "-"]) == 0
    assert "p cnf 1 1\n" in capsys.readouterr().out
    (board,) = puzzles.get("minesweeper").parse("1\n1 1 1\n#\n")
    with pytest.raises(
        Unsupported, match="it cannot use the number of mines"
    ):  # so no sizes, and no comparison of models
        encoding_of(SIDE.get("minesweeper", "mine"), board)


BEAMS_NO = "1\n1 3\n|-.\n"


def read(cnf: Path) -> list[list[int]]:
    lines = [line for line in cnf.read_text().splitlines() if line[0] not in "cp"]
    return [[int(word) for word in line.split()[:-1]] for line in lines]


MINE = """
from puzzles.backend import backend
from puzzles.beams import Layout

print("loaded")


def encode(board):
    if board.rows > 1:
        return 0
    return board.cells, [[1, -2], [-1], [2]], {1: "one"}


@backend("beams", "mine", side="models", source="mine", encode=encode)
def solve(board, *, certify=False):
    return Layout(False)
"""


def test_the_formula_of_a_backend_and_of_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "b.in").write_text(BEAMS_NO)
    (tmp_path / "two.in").write_text("1\n2 1\n.\n.\n")
    (tmp_path / "mine.py").write_text(MINE)

    def run(*words: str) -> tuple[int, str, str]:
        ended = run_module("models", "beams", *words, cwd=tmp_path)
        return ended.returncode, ended.stdout, ended.stderr

    status, out, _ = run("b.in", "--dimacs", "-", "--backend", "cnf-traced")
    assert (status, "p cnf 2 3\n" in out, "c 2 the turret at 1,2 is horizontal\n" in out) == (
        0,
        True,
        True,
    )
    mine = ["--backend", "mine", "--plugin", "mine.py"]
    status, out, err = run("b.in", "--dimacs", "-", *mine)
    assert (status, out) == (
        0,
        "c the formula of models:mine\nc 1 one\np cnf 3 3\n1 -2 0\n-1 0\n2 0\n",
    )
    assert err == "loaded\n"
    status, out, _ = run("b.in", "--proof", "proofs", *mine, "--solver", "glucose4")
    assert (status, out.split(",")[0]) == (0, "Case #1: unsatisfiable")
    assert refutes(
        read(tmp_path / "proofs" / "beams-1.cnf"),
        (tmp_path / "proofs" / "beams-1.drat").read_text().splitlines(),
    )
    for words, message in (
        (["b.in", "--backend", "cpsat"], "models:cpsat is a CP-SAT model, which is no formula"),
        (
            ["b.in", "--plugin", "none.py", "--backend", "mine"],
            "--plugin none.py: No such file or directory",
        ),
        (["two.in", *mine], "models:mine: encode returned 0: expected a tuple"),
        (
            ["b.in", "--backend", "nope", "--plugin", "mine.py"],
            "unknown models backend for beams 'nope'",
        ),
    ):
        status, out, err = run(*words, "--dimacs", "-")
        assert (status, out, message in err) == (2, "", True), err
    status, out, err = run("b.in", "--proof", "proofs", "--solver", "minisat22")
    assert (status, err.startswith("minisat22 keeps no proofs; those that do: cadical103, ")) == (
        2,
        True,
    )
    assert run("b.in", *mine) == (0, "Case #1: IMPOSSIBLE\n", "loaded\n")
    (tmp_path / "broken.py").write_text("raise KeyError('no')")
    assert run("b.in", "--backend", "mine", "--plugin", "broken.py") == (
        2,
        "",
        "--plugin broken.py:1: importing the file raised KeyError: 'no': mend that line\n",
    )


OWN_PUZZLE = """
from puzzles.grid import Board, SolutionPuzzle


class Row(Board):
    puzzle = "dots"
    alphabet = b".#"


class Dots(SolutionPuzzle):
    name = "dots"
    board_type = Row

    def broken_rule(self, board, solution):
        return ""


PUZZLE = Dots()
"""

FOR_THE_OWN_PUZZLE = """
from puzzles.backend import backend
from puzzles.grid import GridSolution


@backend("dots", "mine", side="models", source="mine",
         encode=lambda board: (board.cells, [[1]], {1: "dot 1"}))
def solve(board, *, certify=False):
    return GridSolution(True, board)
"""


def test_a_plugin_takes_part_for_a_puzzle_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "dots.py").write_text(OWN_PUZZLE)
    (tmp_path / "mine.py").write_text(FOR_THE_OWN_PUZZLE)
    (tmp_path / "b.in").write_text("1\n1 2\n.#\n")

    def run(*words: str) -> tuple[int, str, str]:
        mine = ["./dots.py", "b.in", "--backend", "mine", "--plugin", "mine.py"]
        ended = run_module("models", *mine, *words, cwd=tmp_path)
        return ended.returncode, ended.stdout, ended.stderr

    assert run() == (0, "POSSIBLE\n.#\n", "")
    formula = "c the formula of models:mine\nc 1 dot 1\np cnf 2 1\n1 0\n"
    assert run("--dimacs", "-") == (0, formula, "")
    assert run("--proof", "proofs") == (
        0,
        "Case #1: satisfiable, so there is no proof: proofs/dots-1.cnf\n",
        "",
    )
