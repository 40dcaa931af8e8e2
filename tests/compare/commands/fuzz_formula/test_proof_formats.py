"""Programs that write proofs, from the command line: right ones, wrong ones, and right ones that
write another format than DRAT.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.processes import compare, run_module

SQUARE = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n"

LRAT = "5 1 0 1 3 0\\n6 2 0 5 2 0\\n7 0 5 6 4 0\\n"


def solver(folder: Path, proof: str) -> str:
    """A program that says UNSATISFIABLE and writes this proof, in the words of printf."""
    (folder / "square.cnf").write_text(SQUARE)
    (folder / "solver.sh").write_text(
        f"printf '{proof}' > \"$2\"\necho 's UNSATISFIABLE'\nexit 20\n"
    )
    return "sh solver.sh {cnf} {proof}"


@pytest.mark.parametrize(
    ("proof", "wrong"),
    [
        ("c my solver\\n2\\t0\\n0\\n", ""),
        ("2 0 d 1 2 0\\n0\\n", ""),
        (
            "d 1 2 0\\nd -1 2 0\\n2 0\\n0\\n",
            "its proof is wrong: step 1: the clause 2 does not follow by unit propagation, nor is "
            "it RAT; the proof has deleted a clause that it needs",
        ),
        (
            "2 0\\nend\\n",
            "its proof is no DRAT: line 2, column 1: expected a literal, 0 or d; found 'end'",
        ),
    ],
)
def test_a_proof_of_a_program_is_judged(proof: str, wrong: str, tmp_path: Path) -> None:
    command = solver(tmp_path, proof)
    words = ("run formula square.cnf -q --solver", command)
    ended = compare(*words, cwd=tmp_path, status=1 if wrong else 0)
    if not wrong:
        assert "1 of 1 answers PROVED" in ended.stdout
        return
    # The checker of the extra `proofs` says so as well, where it is installed.
    assert re.search(f": {re.escape(wrong)}(; dratify refuses it, too)?\n", ended.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("proof", "said"),
    [
        (LRAT, "is LRAT, not DRAT: let the solver write DRAT as text (cadical: without --lrat; "),
        ("o 1 1 2 0\\n", "is FRAT, not DRAT: let the solver write DRAT as text (cadical: without "),
        (
            "a\\002\\000",
            "is binary: let the solver write DRAT as text (cadical: with ",
        ),
    ],
)
def test_a_program_that_writes_another_format_is_told_so_by_every_command(
    proof: str, said: str, tmp_path: Path
) -> None:
    """Nobody is blamed, nothing is run, and no file is written that is no DRAT."""
    command = solver(tmp_path, proof)
    message = f"the proof of the solver {command!r} {said}"
    for line in ("run formula square.cnf", "fuzz formula --cases 5"):
        ended = compare(line, "--solver", command, cwd=tmp_path, status=2)
        assert (ended.stdout, ended.stderr[: len(message)]) == ("", message)
    (tmp_path / "board.in").write_text("1\n1 3\n|-.\n")
    words = ("beams", "board.in", "--proof", "proofs", "--solver", command)
    ended = run_module("models", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(message)
    assert not [*tmp_path.glob("proofs/*.drat")]


@pytest.mark.skipif(shutil.which("cadical") is None, reason="cadical is not installed")
def test_cadical_proves_in_text_and_is_told_that_it_writes_a_binary_proof(tmp_path: Path) -> None:
    (tmp_path / "square.cnf").write_text(SQUARE)
    line = "run formula square.cnf --timeout 60 -q --solver"
    ended = compare(line, "cadical -q --no-binary {cnf} {proof}", cwd=tmp_path, status=0)
    assert "1 of 1 answers PROVED" in ended.stdout
    ended = compare(line, "cadical -q {cnf} {proof}", cwd=tmp_path, status=2)
    assert "is binary: let the solver write DRAT as text" in ended.stderr
