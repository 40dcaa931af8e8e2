"""The command `compare prove`: verdicts, exit statuses, files, bad usage, interruptions."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import direct
import models
from compare.commands.prove.lemma import all_lemmas
from models.nogo import lemmas as nogo
from models.proofs import rup
from tests.compare.commands.prove.brute_force import (
    lemma,
    without_its_hypothesis,
)
from tests.models.proofs.test_refutation import writing
from tests.models.propagation import refutes
from tests.places import ROOT
from tests.processes import CompareHere, start_module


@pytest.mark.slow
def test_a_false_lemma_ends_the_command_with_1(
    monkeypatch: pytest.MonkeyPatch, compare_here: CompareHere
) -> None:
    monkeypatch.setattr(nogo, "LEMMAS", (without_its_hypothesis(lemma("nogo-permanence")),))
    output = compare_here("prove nogo-wrong -q", status=1).stdout
    assert "nogo-wrong is REFUTED (1x2, and no smaller board that fits into 13x13)" in output
    assert output.splitlines()[-1].startswith(
        "nogo-wrong FAILED: REFUTED, not as expected; 1 REFUTED; "
    )


def test_json_says_everything(compare_here: CompareHere) -> None:
    output = compare_here("prove nogo-distinct minesweeper-sound --format json").stdout
    sound, distinct = json.loads(output)["tables"]["claims"]
    assert (sound["verdict"], sound["by"], len(sound["twin"])) == ("PROVED", "search", 3)
    assert sound["drops"] == "the layout agrees with the clue"
    assert (distinct["verdict"], distinct["extent"], distinct["expected"]) == (
        "REFUTED",
        "2x2",
        True,
    )
    assert sorted("".join(distinct["board"])) in (sorted("XXX."), sorted("OOO."))
    assert distinct["failure"].endswith("is left no liberty")


def test_every_claim_names_its_source_and_has_an_english_quotation() -> None:
    claims = all_lemmas()
    assert len(claims) > 20
    assert [
        claim.name for claim in claims if re.search(r"write-up 00\d", claim.source + claim.quote)
    ] == []
    chinese = [claim for claim in claims if re.search(r"[\u4e00-\u9fff]", claim.quote)]
    assert len(chinese) > 10
    assert [
        claim.name
        for claim in chinese
        if not claim.translation.isascii() or len(claim.translation) < 10
    ] == []


def test_the_page_lists_every_claim_as_it_is_declared() -> None:
    """And what rests on a claim is a backend."""
    lines = [
        line
        for line in (ROOT / "docs" / "proofs.md").read_text().splitlines()
        if re.match(r"\| [a-z]+-[a-z-]+ +\|", line)
    ]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    claims = all_lemmas()
    assert [(row[0], row[1], row[2], row[-1]) for row in rows] == [
        (
            claim.name,
            claim.statement,
            "PROVED" if claim.expected_to_hold else "REFUTED",
            ", ".join(claim.dependents) or "nothing",
        )
        for claim in claims
    ], "`python -m compare prove --format markdown` prints the table of docs/proofs.md"
    for claim in claims:
        backends = {
            f"{side}:{name}"
            for side, module in (("direct", direct), ("models", models))
            for name in module.backends(claim.puzzle)
        }
        assert backends >= set(claim.dependents)


def test_a_board_stands_in_the_table_row_by_row(compare_here: CompareHere) -> None:
    printed = compare_here("prove nogo-distinct --checker rup").stdout
    table = printed.split("\n\n")[0].splitlines()
    first = next(line for line in table if line.startswith("nogo-distinct"))
    column = table[0].index("holds up to")
    assert [
        len(line[column : column + 11].strip()) for line in (first, table[table.index(first) + 1])
    ] == [2, 2]


def test_formula_and_proof_go_to_a_folder(tmp_path: Path, compare_here: CompareHere) -> None:
    words = f"geography-play --size 2 --proof {tmp_path}/proofs --checker rup"
    output = compare_here(f"prove {words}").stdout
    assert "2x2" in output
    assert "without the hypothesis that the matching is maximum:" in output
    cnf, drat = sorted((tmp_path / "proofs").iterdir())
    assert (cnf.name, drat.name) == ("geography-play-2x2.cnf", "geography-play-2x2.drat")
    assert "is the start" in cnf.read_text()
    assert refutes(rup.read_formula(str(cnf)).clauses, drat.read_text().splitlines())


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("minesweeper-complete", 7, "no counterexample up to 7 cells; REFUTED at 8 cells"),
        ("beams-opposite-illegal", 2, "no counterexample up to 2x2; REFUTED at 3x3"),
    ],
)
def test_up_to_a_small_size_a_wrong_claim_has_no_counterexample(
    name: str, size: int, message: str, compare_here: CompareHere
) -> None:
    output = compare_here(f"prove {name} --size {size} --checker rup").stdout
    assert f"{name}: {message}\n" in output
    assert output.splitlines()[-1].startswith("ACCEPTED: as expected; 1 NO COUNTEREXAMPLE; ")


def test_a_wrong_claim_without_a_counterexample_where_there_is_one_is_not_as_expected(
    monkeypatch: pytest.MonkeyPatch, compare_here: CompareHere
) -> None:
    monkeypatch.setattr(
        nogo, "LEMMAS", (replace(lemma("nogo-permanence"), size=2, expected_to_hold=False),)
    )
    output = compare_here("prove nogo-permanence", status=1).stdout
    assert (
        "nogo-permanence FAILED: NO COUNTEREXAMPLE, not as expected; 1 NO COUNTEREXAMPLE;" in output
    )


@pytest.mark.parametrize(
    ("name", "extent", "message"),
    [
        ("minesweeper-sound", "3x3", "settled up to 3x3, and not 100: the claim is about one clue"),
        (
            "geography-matchings",
            "4x4",
            "settled up to 16 cells, and not 100: the published numbers end there",
        ),
    ],
)
def test_a_size_beyond_the_claim_is_said_to_be(
    name: str, extent: str, message: str, compare_here: CompareHere
) -> None:
    if name == "geography-matchings":
        pytest.importorskip("pysdd")
    assert message in compare_here(f"prove {name} --size 100").stdout
    document = compare_here(f"prove {name} --size 100 --format json").stdout
    (fields,) = json.loads(document)["tables"]["claims"]
    assert (fields["extent"], fields["asked"], fields["expected"]) == (extent, 100, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--size 3", "--size goes with the names of claims"),
        (
            "nogo --size 1",
            "nogo-permanence starts at size 2; nogo-liberties starts at size 2; nogo-distinct "
            "starts at",
        ),
        ("minesweeper-sound --size 2", "minesweeper-sound starts at size 3"),
        (f"nogo-permanence --proof {__file__}", f"{__file__}: not a folder"),
        (f"nogo-permanence --proof {__file__}/proofs", f"{__file__}/proofs: not a folder"),
        ("nogo-permanence --proof /proc/1", "/proc/1: no file can be written there: "),
        (
            """nogo-permanence --checker "a '{cnf} {proof}" """,
            "is no command: No closing quotation",
        ),
        ("nogo-permanent", "nogo-permanent"),
        (
            "nogo-permanence --solver minisat22",
            "minisat22 keeps no proofs; those that do: ",
        ),
        ("nogo-permanence --checker nobody", "a checker is rup"),
    ],
)
def test_bad_usage(words: str, message: str, compare_here: CompareHere) -> None:
    ended = compare_here(f"prove {words}", status=2)
    assert (message in ended.stderr, ended.stdout) == (True, "")


def test_an_unknown_solver_is_told_those_that_keep_proofs(
    compare_here: CompareHere,
) -> None:
    output = compare_here("prove nogo-permanence --solver nope", status=2).stderr
    assert "unknown solver 'nope': choose from " in output
    assert "cadical153" in output
    assert "minisat22" not in output


def test_a_disk_that_fills_up_is_no_verdict_and_no_crash(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    """The formula goes to a device that is full."""
    full = tmp_path / "nogo-permanence-2x2.cnf"
    full.symlink_to("/dev/full")
    words = f"minesweeper-complete nogo-permanence --size 2 --proof {tmp_path}"
    ended = compare_here(f"prove {words}", status=2)
    assert ended.stderr == f"{full}: No space left on device\n"
    assert ended.last_line.startswith(
        "UNFINISHED: stopped after 1 of 2 claims; 1 NO COUNTEREXAMPLE; "
    )


def test_a_checker_that_cannot_be_run(tmp_path: Path, compare_here: CompareHere) -> None:
    program = tmp_path / "checker"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    words = f"nogo-permanence --size 2 --checker '{program} {{cnf}} {{proof}}'"
    ended = compare_here(f"prove {words}", status=2)
    assert f"the checker {program} cannot be run: Exec format error" in ended.stderr


def test_interrupted_it_says_how_far_it_came(tmp_path: Path) -> None:
    """While the second claim's proof is being checked, by a checker that says so and waits."""
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    checker = f"sh -c 'echo {{cnf}} {{proof}} > {reached}; sleep 100'"
    line = "prove minesweeper-complete nogo-permanence --size 8 --checker"
    with start_module("compare", line, checker) as started:
        assert "formula.cnf" in reached.read_text()
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    assert out.splitlines()[-1].startswith(
        "UNFINISHED: interrupted after 1 of 2 claims; 1 REFUTED; "
    )
    assert "as expected" not in out


def test_what_is_stopped_is_no_verdict(compare_here: CompareHere) -> None:
    one = "prove nogo-permanence --size 19 --timeout 0.2"
    two = "prove minesweeper-complete nogo-permanence --size 100 --timeout 60"
    for line, said in (
        (one, "nogo-permanence UNFINISHED: TIMEOUT; 1 not settled; "),
        (two, "nogo-permanence UNFINISHED: SKIPPED; 1 REFUTED, 1 not settled; "),
    ):
        assert compare_here(line).last_line.startswith(said)
    compare_here(f"{one} --strict -q", status=3)


def test_a_program_writes_the_proofs_and_they_are_checked(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    words = "prove beams-opposite-illegal --size 3 --checker rup --format json --solver"
    right = writing(tmp_path, '"\\n".join(map(str, solver.get_proof())).encode()')
    (claim,) = json.loads(compare_here(words, right).stdout)["tables"]["claims"]
    assert (claim["verdict"], claim["checked_by"]) == ("REFUTED", "our RUP check, replay")
    assert claim["steps"] > 0
    document = json.loads(compare_here(words, writing(tmp_path, 'b"0"'), status=1).stdout)
    (claim,) = document["tables"]["claims"]
    assert (document["verdict"], document["faults"][0]["kind"]) == ("FAILED", "UNPROVED")
    assert (claim["verdict"], claim["expected"]) == ("UNPROVED", False)
    for solver, said in (
        (
            f"{sys.executable} {{cnf}}",
            "has no place for a proof: say where the name of its file goes",
        ),
        (
            f"{tmp_path}/program.py:Solver",
            "prove takes python-sat's solvers and commands with {cnf} and {proof}",
        ),
    ):
        assert said in compare_here(words, solver, status=2).stderr


FAILS_WITHOUT_A_MODEL = """
import os, sys
from pysat.formula import CNF
from pysat.solvers import Glucose4
solver = Glucose4(bootstrap_with=CNF(from_file=sys.argv[1]).clauses)
if solver.solve():
    print("s SATISFIABLE\\nv", *solver.get_model(), 0)
    sys.exit(10)
"""
SAYS_NO = "print('s UNSATISFIABLE', flush=True); "


@pytest.mark.parametrize(
    ("program", "status", "what"),
    [
        (SAYS_NO, 1, " said that there is no model and wrote no proof"),
        (
            f"{SAYS_NO}os.abort()",
            1,
            " said UNSATISFIABLE and was killed by SIGABRT: s UNSATISFIABLE",
        ),
        (f"{SAYS_NO}sys.exit(10)", 1, " ended with exit status 10, which says SATISFIABLE"),
        ("print('s UNKNOWN')", 0, " gave no verdict: s UNKNOWN"),
    ],
)
def test_what_a_solver_does_wrong_with_one_claim_leaves_the_others(
    program: str, status: int, what: str, tmp_path: Path, compare_here: CompareHere
) -> None:
    """The solver fails on each formula without a model. Both claims need such formulas."""
    (tmp_path / "program.py").write_text(FAILS_WITHOUT_A_MODEL + program)
    solver = f"{sys.executable} {tmp_path}/program.py {{cnf}} {{proof}}"
    words = "prove beams-opposite-illegal geography-exclusive --size 3 --format json --solver"
    document = json.loads(compare_here(words, solver, status=status).stdout)
    reasons = [each["reason"] for each in document["tables"]["claims"]]
    assert len(reasons) == 2
    assert all(each.startswith("the solver ") and each.endswith(what) for each in reasons), reasons
