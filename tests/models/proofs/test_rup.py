"""Our checker of proofs: it accepts proofs that follow, and refuses wrong steps where they
stand.
"""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from models.cnf import Formula
from models.proofs import clause_database, rup
from models.proofs.drat import ProofStep, read_steps
from models.proofs.refutation import refutation
from tests.models.propagation import refutes
from tests.processes import run_module, start_module

SQUARE = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
FORCED = [[1], [-1, 2], [-2, 3, 4], [-2, 3, -4], [-2, -3, 4], [-2, -3, -4]]

VERDICTS: dict[str, tuple[list[list[int]], str, bool]] = {
    "what is needed is deleted": (SQUARE, "d 1 2 0 d -1 2 0 2 0 0", False),
    "what is needed is deleted, in another order": (SQUARE, "d 2 1 2 0 2 0 0", False),
    "what is needed is deleted later": (SQUARE, "2 0 d 1 2 0 d -1 2 0 0", True),
    "what a unit needs at the end is deleted": (SQUARE, "2 0 d 1 -2 0 0", True),  # 1 is forced
    "all is deleted before anything is forced": (
        SQUARE,
        "d 1 2 0 d -1 2 0 d 1 -2 0 d -1 -2 0 0",
        False,
    ),
    "a unit is deleted": (SQUARE, "2 0 d 2 0 0", True),
    "the empty clause is deleted": (SQUARE, "2 0 d 0 0", True),
    "the clause from which a unit comes is deleted": (FORCED, "d -1 2 0 3 0 0", True),
    "a unit of the formula is deleted": (FORCED, "d 1 0 3 0 0", True),
    "a clause that is not there is deleted": (SQUARE, "d 1 3 0 d 1 2 3 0 2 0 0", True),
    "one of two equal clauses is deleted": ([*SQUARE, [2, 1]], "d 1 2 0 2 0 0", True),
    "both of two equal clauses are deleted": ([*SQUARE, [2, 1]], "d 1 2 0 d 1 2 0 2 0 0", False),
    "a deleted clause comes back": (SQUARE, "1 2 0 d 1 2 0 2 0 0", True),
    "a deleted clause does not come back": (SQUARE, "d 1 2 0 1 2 0 2 0 0", False),
    "what is deleted behind the end": (SQUARE, "2 0 0 d 1 -2 0 d -1 -2 0", True),
    "a tautology": (SQUARE, "1 -1 0 2 0 0", True),
    "a new variable": (SQUARE, "3 0 2 0 0", True),  # RAT on 3, which is nowhere negated
    "a new variable and its opposite": (SQUARE, "3 0 -3 0 0", False),
    "a definition, and its use": (SQUARE, "3 -1 -2 0 -3 1 0 -3 2 0 -3 0 2 0 0", True),
    "a very large variable": (SQUARE, "2000000000 0 d -2000000000 1 0 2 0 0", True),
    "RAT on the second literal": ([*SQUARE, [-3, 1]], "-1 3 0 2 0 0", True),
    "RAT once a clause is deleted": ([[3, 4], [-3, 5], *SQUARE], "d -3 5 0 3 0 2 0 0", True),
    "no RAT as long as it is there": ([[3, 4], [-3, 5], *SQUARE], "3 0 -5 0 2 0 0", False),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_deletions_are_obeyed_as_drat_trim_obeys_them(name: str) -> None:
    clauses, text, right = VERDICTS[name]
    steps = read_steps(text, "x")
    assert refutes(clauses, steps, rat=True) == right
    assert accepts(Formula.of(5, clauses), steps) == right


def accepts(formula: Formula, steps: list[ProofStep]) -> bool:
    try:
        return rup.check_refutation(formula, steps) > 0
    except rup.WrongStep:
        return False


@pytest.mark.parametrize("few", [1, 2, 64])
def test_random_proofs_with_deletions_against_the_plainest_checker(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With stretches of one deletion, of two, and of the whole proof."""
    monkeypatch.setattr(clause_database, "_FEWEST", few)
    monkeypatch.setattr(clause_database, "_SHARE", 10**6)
    chance, right = random.Random(few), 0
    for _ in range(600):
        variables = chance.randint(2, 4)

        def clause(most: int, variables: int = variables) -> list[int]:
            chosen = chance.sample(range(1, variables + 1), chance.randint(1, min(most, variables)))
            return [variable * chance.choice((-1, 1)) for variable in chosen]

        clauses = [clause(3) for _ in range(chance.randint(5, 14))]
        there, steps = list(clauses), list[ProofStep]()
        for _ in range(chance.randint(1, 8)):
            if deletes := chance.random() < 0.5:
                literals = chance.choice(there) if chance.random() < 0.9 else clause(3)
            else:
                literals = clause(2)
                there.append(literals)
            steps.append(ProofStep(deletes, tuple(chance.sample(literals, len(literals)))))
        steps.append(ProofStep(False, ()))
        expected = refutes(clauses, steps, rat=True)
        assert accepts(Formula.of(variables, clauses), steps) == expected, (clauses, steps)
        right += expected and any(step.deletes for step in steps)
    assert 100 < right < 500


@pytest.mark.parametrize("solver", ["cadical153", "glucose4", "lingeling", "maplecm"])
def test_proofs_of_solvers_with_many_deletions(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one stretch and in many; and with the first deletions put before everything, where they
    take away what the proof needs.
    """
    chance = random.Random(1)
    clauses = [
        [chance.choice((-1, 1)) * each for each in chance.sample(range(1, 101), 3)]
        for _ in range(480)
    ]
    formula = Formula.of(100, clauses)
    steps = refutation(formula, solver)
    assert steps is not None
    added = rup.check_refutation(formula, steps)
    assert added == sum(not step.deletes for step in steps)
    monkeypatch.setattr(clause_database, "_FEWEST", 5)
    monkeypatch.setattr(clause_database, "_SHARE", 10**6)
    assert rup.check_refutation(formula, steps) == added
    early = [ProofStep(True, tuple(clause)) for clause in clauses[:300]]
    with pytest.raises(rup.WrongStep, match="deleted a clause that it needs") as wrong:
        rup.check_refutation(formula, [*early, *steps])
    assert wrong.value.deleted


@pytest.mark.parametrize(
    ("cnf", "proof", "status", "message"),
    [
        ("p cnf 1 2\n1 0\n-1 0\n", "0\n", 0, "s VERIFIED"),
        ("c free\np cnf 2 3\n1 2 0\n-1 2 0\n-2 0\n", "2 0\nd 1 2 0\n0\n", 0, "s VERIFIED"),
        ("p cnf 2 1\n1 2 0\n", "1 0\n0\n", 1, "s NOT VERIFIED"),
        ("p cnf 9999999999 1\n1 0\n", "0\n", 2, "formula.cnf:1:7: more than 67108864 variables"),
        (
            "p cnf 2 4\n1 2 0 -1 2 0\n1\n-2 0 -1 -2 0\n",
            "2 0 d 1 2 0 0\n",
            0,
            "c 2 steps\ns VERIFIED",
        ),
        (
            "p cnf 2 1\n1 2 0\n",
            "2 x 0\n",
            2,
            "proof.drat:1:3: expected a literal, 0 or d; found 'x'",
        ),
        (
            "p cnf 2 1\n1 2 0\n",
            "2 1 0 1 0\n3 0 2 0\n",
            2,
            "proof.drat is LRAT, not DRAT: let the solver write DRAT as text",
        ),
        (
            "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n",
            "c first\nd 1\t2 0\nd -1 2 0 2 0\n0\n",
            1,
            "c step 1: the clause 2 does not follow by unit propagation, nor is it RAT; the proof "
            "has deleted a clause that it needs\ns NOT VERIFIED\n",
        ),
        (
            "p cnf 2 2\n1 2 0\n-1 2 0\n",
            "-2 0\n",
            1,
            "step 1: the clause -2 does not follow by unit propagation, nor is it RAT\ns NOT",
        ),
        (
            "p cnf 2 1\n1 2 0\n",
            "",
            1,
            "step 1: the empty clause does not follow by unit propagation\ns NOT",
        ),
    ],
)
def test_the_checker_as_a_program(
    cnf: str,
    proof: str,
    status: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "formula.cnf").write_text(cnf)
    (tmp_path / "proof.drat").write_text(proof)
    assert rup.main([str(tmp_path / "formula.cnf"), str(tmp_path / "proof.drat")]) == status
    captured = capsys.readouterr()
    assert message in (captured.err if status == 2 else captured.out)


def test_the_checker_interrupted_or_without_room_for_what_it_says(tmp_path: Path) -> None:
    cnf, drat = tmp_path / "formula.cnf", tmp_path / "proof.drat"
    cnf.write_text("p cnf 1 2\n1 0\n-1 0\n")
    os.mkfifo(drat)
    # the proof can be opened as soon as the checker waits for it
    with start_module("models.proofs.rup", str(cnf), str(drat)) as started, drat.open("w"):
        started.send_signal(signal.SIGINT)
        assert started.communicate(timeout=60) == ("", "interrupted\n")
    assert started.returncode == 130
    drat.unlink()
    drat.write_text("0\n")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            ended = run_module("models.proofs.rup", str(cnf), str(drat), stdout=full)
        assert (ended.returncode, ended.stderr) == (2, "standard output: No space left on device\n")
