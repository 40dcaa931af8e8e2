"""DRAT proofs of a 'no': replayed here by plain unit propagation, which is neither the solver nor the models' code."""

from __future__ import annotations

from pathlib import Path

import pytest

import puzzles
from models.cnf import Formula
from models.command import main
from models.proof import refutation

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


def contradictory(clauses: list[list[int]], assumed: list[int]) -> bool:
    """Whether unit propagation from the assumed literals falsifies a clause."""
    true, changed = set(assumed), True
    while changed:
        changed = False
        for clause in clauses:
            if not any(literal in true for literal in clause):
                left = [literal for literal in clause if -literal not in true]
                if not left:
                    return True
                if len(left) == 1:
                    true.add(left[0])
                    changed = True
    return False


def refutes(clauses: list[list[int]], steps: list[str]) -> bool:
    """Whether each step follows from those before by unit propagation, and the empty clause is among them.

    Deletions are ignored: they only make a check cheaper.
    """
    known = list(clauses)
    for step in steps:
        if step.startswith("d"):
            continue
        clause = [int(word) for word in step.split()[:-1]]
        if not contradictory(known, [-literal for literal in clause]):
            return False
        if not clause:
            return True
        known.append(clause)
    return False


@pytest.mark.parametrize("puzzle", NOES)
def test_the_proof_of_a_no_can_be_replayed(puzzle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, question = NOES[puzzle]
    (tmp_path / "boards.in").write_text(board)
    assert main([puzzle, str(tmp_path / "boards.in"), "--proof", str(tmp_path / "proofs"), *question]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Case #1: unsatisfiable, ")
    cnf, drat = sorted((tmp_path / "proofs").iterdir())
    assert said.endswith(f"{cnf} {drat}\n")
    assert refutes(read(cnf), drat.read_text().splitlines())


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "glucose4", "lingeling", "maplechrono"])
def test_the_proofs_of_several_solvers(solver: str) -> None:
    """Three pigeons in two holes; and clauses that units alone contradict, of which Glucose writes nothing down."""
    for clauses in (
        [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]],
        [[1], [-1, 2], [-2]],
    ):
        formula = Formula()
        formula.new(6)
        formula.clauses = clauses
        steps = refutation(formula, solver)
        assert steps is not None
        assert steps[-1] == "0"
        assert refutes(clauses, steps)
        formula.clauses = clauses[:-1]
        assert refutation(formula, solver) is None


def test_a_wrong_proof_is_told_from_a_right_one() -> None:
    pigeons = [[1, 2], [3, 4], [5, 6], [-1, -3], [-1, -5], [-3, -5], [-2, -4], [-2, -6], [-4, -6]]
    assert refutes(pigeons, ["1 0", "0"])
    assert not refutes(pigeons, ["0"])
    assert not refutes(pigeons[1:], ["1 0", "0"])
    assert not refutes(pigeons, ["1 0"])


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


def test_a_proof_of_an_earlier_run_does_not_stand_beside_another_formula(tmp_path: Path) -> None:
    given = tmp_path / "boards.in"
    given.write_text(BEAMS_NO)
    assert main(["beams", str(given), "--proof", str(tmp_path)]) == 0
    given.write_text("1\n1 3\n|..\n".replace("|", "-"))
    assert main(["beams", str(given), "--proof", str(tmp_path)]) == 0
    assert not (tmp_path / "beams-1.drat").exists()
