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
from compare.command_line import main
from models import lemmas
from models.lemmas import nogo
from models.proofs import rup
from tests.models.lemmas.brute_force import (
    lemma,
    without_its_hypothesis,
)
from tests.models.proofs.test_refutation import writing
from tests.models.propagation import refutes
from tests.places import ROOT
from tests.processes import start_module


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["prove", *words])
    return status, capsys.readouterr().out


def test_a_false_lemma_ends_the_command_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nogo, "LEMMAS", (without_its_hypothesis(lemma("nogo-permanence")),))
    assert main(["prove", "nogo-wrong", "-q"]) == 1
    output = capsys.readouterr().out
    assert "nogo-wrong is REFUTED (1x2, and no smaller board that fits into 13x13)" in output
    assert output.splitlines()[-1].startswith("NOT AS EXPECTED: nogo-wrong; 1 REFUTED; ")


def test_json_says_everything(capsys: pytest.CaptureFixture[str]) -> None:
    status, output = run(capsys, "nogo-distinct", "minesweeper-sound", "--format", "json")
    sound, distinct = map(json.loads, output.splitlines())
    assert status == 0
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
    claims = lemmas.every()
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
    """And what rests on a claim is a backend.

    `python -m compare prove --format markdown` makes the table.
    """
    lines = [
        line
        for line in (ROOT / "docs" / "proofs.md").read_text().splitlines()
        if re.match(r"\| [a-z]+-[a-z-]+ +\|", line)
    ]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    claims = lemmas.every()
    assert [(row[0], row[1], row[2], row[-1]) for row in rows] == [
        (
            claim.name,
            claim.statement,
            "PROVED" if claim.expected_to_hold else "REFUTED",
            ", ".join(claim.dependents) or "nothing",
        )
        for claim in claims
    ]
    for claim in claims:
        backends = {
            f"{side}:{name}"
            for side, module in (("direct", direct), ("models", models))
            for name in module.backends(claim.puzzle)
        }
        assert backends >= set(claim.dependents)


def test_a_board_stands_in_the_table_row_by_row(capsys: pytest.CaptureFixture[str]) -> None:
    table = run(capsys, "nogo-distinct", "--checker", "rup")[1].split("\n\n")[0].splitlines()
    first = next(line for line in table if line.startswith("nogo-distinct"))
    column = table[0].index("holds up to")
    assert [
        len(line[column : column + 11].strip()) for line in (first, table[table.index(first) + 1])
    ] == [2, 2]


def test_formula_and_proof_go_to_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output = run(
        capsys,
        "geography-play",
        "--size",
        "2",
        "--proof",
        str(tmp_path / "proofs"),
        "--checker",
        "rup",
    )
    assert status == 0
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
    name: str, size: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output = run(capsys, name, "--size", str(size), "--checker", "rup")
    assert status == 0
    assert f"{name}: {message}\n" in output
    assert output.splitlines()[-1].startswith("AS EXPECTED; 1 NO COUNTEREXAMPLE; ")


def test_a_wrong_claim_without_a_counterexample_where_there_is_one_is_not_as_expected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        nogo, "LEMMAS", (replace(lemma("nogo-permanence"), size=2, expected_to_hold=False),)
    )
    status, output = run(capsys, "nogo-permanence")
    assert (status, "NOT AS EXPECTED: nogo-permanence; 1 NO COUNTEREXAMPLE" in output) == (1, True)


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
    name: str, extent: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "geography-matchings":
        pytest.importorskip("pysdd")
    assert message in run(capsys, name, "--size", "100")[1]
    fields = json.loads(run(capsys, name, "--size", "100", "--format", "json")[1])
    assert (fields["extent"], fields["asked"], fields["expected"]) == (extent, 100, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--size", "3"], "--size goes with the names of claims"),
        (
            ["nogo", "--size", "1"],
            "nogo-permanence starts at size 2; nogo-liberties starts at size 2; nogo-distinct "
            "starts at",
        ),
        (["minesweeper-sound", "--size", "2"], "minesweeper-sound starts at size 3"),
        (["nogo-permanence", "--proof", __file__], f"{__file__}: not a folder"),
        (["nogo-permanence", "--proof", f"{__file__}/proofs"], f"{__file__}/proofs: not a folder"),
        (["nogo-permanence", "--proof", "/proc/1"], "/proc/1: no file can be written there: "),
        (
            ["nogo-permanence", "--checker", "a '{cnf} {proof}"],
            "is no command: No closing quotation",
        ),
        (["nogo-permanent"], "nogo-permanent"),
        (
            ["nogo-permanence", "--solver", "minisat22"],
            "minisat22 keeps no proofs; those that do: ",
        ),
        (["nogo-permanence", "--checker", "nobody"], "a checker is rup"),
    ],
)
def test_bad_usage(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *words]) == 2
    captured = capsys.readouterr()
    assert (message in captured.err, captured.out) == (True, "")


def test_an_unknown_solver_is_told_those_that_keep_proofs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prove", "nogo-permanence", "--solver", "nope"]) == 2
    output = capsys.readouterr().err
    assert "unknown solver 'nope': choose from " in output
    assert "cadical153" in output
    assert "minisat22" not in output


def test_a_disk_that_fills_up_is_no_verdict_and_no_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The formula goes to a device that is full."""
    (tmp_path / "nogo-permanence-2x2.cnf").symlink_to("/dev/full")
    words = [
        "prove",
        "minesweeper-complete",
        "nogo-permanence",
        "--size",
        "2",
        "--proof",
        str(tmp_path),
    ]
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err == f"{tmp_path / 'nogo-permanence-2x2.cnf'}: No space left on device\n"
    assert captured.out.splitlines()[-1].startswith(
        "STOPPED after 1 of 2 claims; 1 NO COUNTEREXAMPLE; "
    )


def test_a_checker_that_cannot_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "checker"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    assert (
        main(
            ["prove", "nogo-permanence", "--size", "2", "--checker", f"{program} {{cnf}} {{proof}}"]
        )
        == 2
    )
    assert f"the checker {program} cannot be run: Exec format error" in capsys.readouterr().err


def test_interrupted_it_says_how_far_it_came(tmp_path: Path) -> None:
    """While the second claim's proof is being checked, by a checker that says so and waits."""
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    checker = f"sh -c 'echo {{cnf}} {{proof}} > {reached}; sleep 100'"
    words = [
        "prove",
        "minesweeper-complete",
        "nogo-permanence",
        "--size",
        "8",
        "--checker",
        checker,
    ]
    with start_module("compare", *words) as started:
        assert "formula.cnf" in reached.read_text()
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    assert out.splitlines()[-1].startswith("INTERRUPTED after 1 of 2 claims; 1 REFUTED; ")
    assert "AS EXPECTED" not in out


def test_what_is_stopped_is_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["nogo-permanence", "--size", "19", "--timeout", "0.2"]
    assert main(["prove", *words]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("NOTHING SETTLED; 1 not settled; ")
    assert main(["prove", *words, "--strict", "-q"]) == 3
    capsys.readouterr()
    assert (
        main(
            ["prove", "minesweeper-complete", "nogo-permanence", "--size", "100", "--timeout", "2"]
        )
        == 0
    )
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .startswith("AS EXPECTED, as far as settled; 1 REFUTED, 1 not settled; ")
    )


def test_a_program_writes_the_proofs_and_they_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = writing(tmp_path, '"\\n".join(map(str, solver.get_proof())).encode()')
    words = [
        "prove",
        "beams-opposite-illegal",
        "--size",
        "3",
        "--checker",
        "rup",
        "--format",
        "json",
    ]
    assert main([*words, "--solver", right]) == 0
    claim = json.loads(capsys.readouterr().out)
    assert (claim["verdict"], claim["checked_by"], claim["steps"] > 0) == (
        "REFUTED",
        "our RUP check, replay",
        True,
    )
    wrong = writing(tmp_path, 'b"0"')
    assert main([*words, "--solver", wrong]) == 1
    claim = json.loads(capsys.readouterr().out)
    assert (claim["verdict"], claim["expected"]) == ("UNPROVED", False)
    assert main([*words, "--solver", f"{sys.executable} {{cnf}}"]) == 2
    assert (
        "has no place for a proof: say where the name of its file goes" in capsys.readouterr().err
    )
    assert main([*words, "--solver", f"{tmp_path / 'program.py'}:Solver"]) == 2
    assert (
        "prove takes python-sat's solvers and commands with {cnf} and {proof}"
        in capsys.readouterr().err
    )
