"""The command line of `models`: formulas and proofs written to files."""

from __future__ import annotations

from pathlib import Path

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

import puzzles
from models.command import main
from tests.models.propagation import refutes
from tests.processes import run_module


def satisfiable(formula: str) -> bool:
    with Solver("glucose4", bootstrap_with=CNF(from_string=formula).clauses) as solver:
        return bool(solver.solve())


def test_formulas_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, out = tmp_path / "boards.in", tmp_path / "out.cnf"
    given.write_text(puzzles.get("beams").example)
    assert main(["beams", str(given), "--dimacs", str(out), "--case", "2"]) == 0
    assert satisfiable(out.read_text())
    assert main(["beams", str(given), "--dimacs", "-", "--case", "1"]) == 0
    assert not satisfiable(capsys.readouterr().out)
    for arguments, words in (
        (["--dimacs", str(out)], "boards: say which with --case"),
        (["--dimacs", str(out), "--case", "99"], "boards, not 99"),
        (["--dimacs", str(out), "--case", "1", "--cell", "1,1"], "nothing about a single cell"),
        (["--dimacs", str(out), "--case", "1", "--cell", "99,1"], "the cell 99,1 is not on the"),
        (["--dimacs", str(tmp_path / "no" / "folder"), "--case", "1"], "No such file"),
    ):
        assert main(["beams", str(given), *arguments]) == 2
        assert words in capsys.readouterr().err
    for arguments in (["--case", "1"], ["--dimacs", "-", "--json"], ["--dimacs", "-", "--cell", "x"]):
        with pytest.raises(SystemExit):
            main(["beams", str(given), *arguments])
    given.write_text("20\n" + ("." * 20 + "\n") * 20)
    assert main(["nogo", str(given), "--dimacs", "-", "--backend", "cnf-onecall"]) == 3
    assert "up to 200 cells" in capsys.readouterr().err


BEAMS_NO = "1\n1 3\n|-.\n"


NOES = {
    "beams": (BEAMS_NO, []),
    "minesweeper": ("3 4\n###O\n#2#O\n###2\n", ["--cell", "1,1"]),
    "nogo": ("3\n.O.\nO..\n...\n", ["--cell", "1,1"]),
    "geography": ("2 2\n..\n..\n", ["--cell", "1,1"]),
}


def read(cnf: Path) -> list[list[int]]:
    lines = [line for line in cnf.read_text().splitlines() if line[0] not in "cp"]
    return [[int(word) for word in line.split()[:-1]] for line in lines]


@pytest.mark.parametrize("puzzle", NOES)
def test_the_proof_of_a_no_can_be_replayed(puzzle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, question = NOES[puzzle]
    (tmp_path / "boards.in").write_text(board)
    assert main([puzzle, str(tmp_path / "boards.in"), "--proof", str(tmp_path / "proofs"), *question]) == 0
    output = capsys.readouterr().out
    assert output.startswith("Case #1: unsatisfiable, ")
    cnf, drat = sorted((tmp_path / "proofs").iterdir())
    assert output.endswith(f"{cnf} {drat}\n")
    assert refutes(read(cnf), drat.read_text().splitlines())


def test_boards_without_a_proof_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, folder = tmp_path / "boards.in", tmp_path / "new" / "folder"
    given.write_text(puzzles.get("beams").example)
    assert main(["beams", str(given), "--proof", str(folder)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Case #1: unsatisfiable, ")
    assert second == f"Case #2: satisfiable, so there is no proof: {folder / 'beams-2.cnf'}"
    assert sorted(path.name for path in folder.iterdir()) == ["beams-1.cnf", "beams-1.drat", "beams-2.cnf"]
    assert main(["beams", str(given), "--proof", str(folder), "--case", "3"]) == 2
    assert "holds 2 boards, not 3" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["beams", str(given), "--proof", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"--proof {tmp_path / 'file'} is not a folder\n"
    for wrong in (["--proof", "x", "--dimacs", "-"], ["--proof", "x", "--json"]):
        with pytest.raises(SystemExit):
            main(["beams", str(given), *wrong])


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
    assert (status, "p cnf 2 3\n" in out, "c 2 the turret at 1,2 is horizontal\n" in out) == (0, True, True)
    mine = ["--backend", "mine", "--plugin", "mine.py"]
    status, out, err = run("b.in", "--dimacs", "-", *mine)
    assert (status, out) == (0, "c the formula of models:mine\nc 1 one\np cnf 3 3\n1 -2 0\n-1 0\n2 0\n")
    assert err == "loaded\n"
    status, out, _ = run("b.in", "--proof", "proofs", *mine, "--solver", "glucose4")
    assert (status, out.split(",")[0]) == (0, "Case #1: unsatisfiable")
    assert refutes(read(tmp_path / "proofs" / "beams-1.cnf"), (tmp_path / "proofs" / "beams-1.drat").read_text().splitlines())
    for words, message in (
        (["b.in", "--backend", "cpsat"], "models:cpsat is a CP-SAT model, which is no formula"),
        (["b.in", "--plugin", "mine.py"], "say with --backend which of them is meant"),
        (["b.in", "--plugin", "none.py", "--backend", "mine"], "--plugin none.py: there is no such file"),
        (["two.in", *mine], "models:mine: encode returned 0: expected a tuple"),
        (["b.in", "--backend", "nope", "--plugin", "mine.py"], "unknown models backend for beams 'nope'"),
    ):
        status, out, err = run(*words, "--dimacs", "-")
        assert (status, out, message in err) == (2, "", True), err
    status, out, err = run("b.in", "--proof", "proofs", "--solver", "minisat22")
    assert (status, err.startswith("minisat22 keeps no proofs; those that do: cadical103, ")) == (2, True)
    assert run("b.in", *mine) == (0, "Case #1: IMPOSSIBLE\n", "loaded\n")
    (tmp_path / "broken.py").write_text("raise KeyError('no')")
    assert run("b.in", "--backend", "mine", "--plugin", "broken.py") == (2, "", "--plugin broken.py: KeyError: 'no'\n")


def test_a_proof_of_an_earlier_run_does_not_stand_beside_another_formula(tmp_path: Path) -> None:
    file = tmp_path / "boards.in"
    file.write_text(BEAMS_NO)
    assert main(["beams", str(file), "--proof", str(tmp_path)]) == 0
    file.write_text("1\n1 3\n|..\n".replace("|", "-"))
    assert main(["beams", str(file), "--proof", str(tmp_path)]) == 0
    assert not (tmp_path / "beams-1.drat").exists()
