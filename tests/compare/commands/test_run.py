"""`compare run`: agreement, verdicts, limits, tables, records."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import puzzles
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.summaries import summaries_of
from compare.engine.work import contenders
from compare.engine.work.contenders import backends
from compare.engine.work.result import Kind, Relation, Result
from puzzles.answer import Verdict
from tests.places import SAMPLE
from tests.processes import (
    command,
    compare,
    environment,
    impossible_program,
    interrupt_compare,
    on_terminal,
    reading_program,
    running,
)


def test_a_run_over_a_folder_agrees_proves_and_records(sample: Path) -> None:
    out = sample / "runs.jsonl"
    ended = compare(f"run beams {sample} --out {out} --repeat 2 --strict", status=0)
    assert ended.last_line.startswith("ALL AGREE; 5 boards of 1 puzzle; ")
    everyone = [*(each.label for each in backends("beams")), "expected"]
    assert len(everyone) >= 5
    assert f"{5 * len(everyone)} of {5 * len(everyone)} answers PROVED" in ended.stdout
    header, *lines = out.read_text().splitlines()
    assert json.loads(header)["header"] is True
    assert {"command", "versions", "python", "os", "processor"} <= json.loads(header).keys()
    records = [Result.from_line(line) for line in lines]
    assert len(records) == 5 * ((len(everyone) - 1) * 2 + 1)
    assert [record.contender for record in records[: len(everyone)]] == everyone
    boards = puzzles.get("beams").parse(SAMPLE.read_bytes(), "official.in")
    for record in records:
        board = boards[record.case - 1]
        assert (record.digest, record.text, record.shape, record.size) == (
            board.digest,
            f"1\n{board.text()}",
            board.shape,
            board.size,
        )
        assert (record.dataset, record.format) == ("official", "codejam")
        assert record.claims is not None
        assert record.claims.tolist() == [int(record.case in (2, 3, 4))]
        assert (record.check is not None) == (record.repeat == 1)
        assert (
            record.check is None
            or record.kind is Kind.GIVEN
            or record.check.verdict is Verdict.PROVED
        )
        if record.contender.startswith("models:cnf"):
            assert record.solver == "cadical153"
            assert record.effort.variables is not None
            assert record.effort.build_s is not None
        if record.contender == "expected":
            assert (record.kind, record.usage.wall_s) == (Kind.GIVEN, None)
        else:
            assert record.kind is Kind.BACKEND
            assert record.usage.wall_s is not None
            assert record.effort.solve_s is not None
            assert 0 < record.effort.solve_s <= record.usage.wall_s
    comparison = Comparison.of(records)
    assert comparison.tally.proved == 5 * len(everyone)
    assert {result.relation for result in summaries_of(comparison.instances, "direct:two-sat")} == {
        None
    }
    assert {
        result.relation
        for name in everyone[1:]
        for result in summaries_of(comparison.instances, name)
    } == {Relation.EQUAL}


def test_expected_answers_take_part(sample: Path) -> None:
    answers = sample / "official.ans"
    answers.write_text(answers.read_text().replace("Case #1: IMPOSSIBLE", "Case #1: POSSIBLE\n-.-"))
    ended = compare(f"run beams {sample} -b models:cnf", status=1)
    assert "REFUTED: expected on beams, dataset official, case 1" in ended.stdout


def test_expected_answers_have_three_names(tmp_path: Path) -> None:
    possible = "Case #1: POSSIBLE\n#\n"
    for name, text in {
        "a.in": "1\n1 1\n.\n",
        "a.out": possible.replace("#\n", ".\n"),
        "b.in": "1\n1 1\n.\n",
        "b.a": "nonsense",
        "b.out": "nonsense",
        "c.in": "1\n1 1\n#\n",
        "c.a": possible,
        "d.in": "1\n1 1\n#\n",
        "d.ans": possible,
        "d.out": "nonsense",
    }.items():
        (tmp_path / name).write_text(text)
    ended = compare("run beams a.in c.in d.in -b direct", cwd=tmp_path, status=1)
    assert "REFUTED: expected on beams, dataset a, case 1" in ended.stdout
    assert ended.last_line.startswith("expected FAILED on 1 of 3: 1 WRONG; ")
    assert ended.stderr == ("expected answers: a.out, c.a\npassed over: d.out (beside d.ans)\n")
    ended = compare("run beams b.in -b direct", cwd=tmp_path, status=2)
    assert ended.stderr == (
        "b.out:1:1: expected Case #1: POSSIBLE or IMPOSSIBLE; found 'nonsense'. This file counts "
        "as the expected answers to b.in: if it has none, move it away\n"
    )


def test_a_wrong_no_is_refuted_by_the_proof_of_another_and_is_in_the_matrix(sample: Path) -> None:
    wrong = impossible_program(sample)
    words = f"run beams {sample} -b direct --program '{wrong}'"
    printed = compare(words, status=1).stdout
    assert (
        "CONFLICT on beams, dataset official, case 2 (3x4):\n    1\n    3 4\n    #.##\n    "
        "#--#\n    ####\n" in printed
    )
    assert "REFUTED: mine, by the proved answer of another" in printed
    assert printed.splitlines()[-1].startswith(
        "mine FAILED on 3 of 5: 3 WRONG; 5 boards of 1 puzzle; runs: 10 OK; "
    )
    assert "Case #1" not in printed
    assert "beams: tests that somebody fails (--show tests has every test)" in printed
    failed = [
        line.split()
        for line in printed.splitlines()
        if " WRONG " in line and line.startswith("official")
    ]
    assert [row[1] for row in failed] == ["2", "3", "4"]
    assert "with start: the times of a program include the start of its process" in printed
    rows = json.loads(compare(f"{words} --show tests --format json").stdout)["tables"]["beams"]
    assert [row["mine"]["result"] for row in rows] == ["right", "WRONG", "WRONG", "WRONG", "right"]
    assert (
        {row["direct:two-sat"]["result"] for row in rows}
        == {row["expected"]["result"] for row in rows}
        == {"right"}
    )
    assert all(row["mine"]["wall_s"] > 0 for row in rows)


def test_a_plugin_takes_part_and_its_crash_is_a_row(sample: Path) -> None:
    plugin = sample / "plugin.py"
    plugin.write_text(
        "import os\nfrom puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        "@backend('beams', 'never', side='direct', source='a plugin of the tests')\n"
        "def never(board, *, certify=False):\n    return Layout(False)\n"
        "@backend('beams', 'dies', side='models', source='a plugin of the tests')\n"
        "def dies(board, *, certify=False):\n    if board.cells > 3: os.abort()\n    return "
        "Layout(False)\n"
    )
    arguments = f"run beams {sample} -b direct -b never -b dies --plugin {plugin}"
    ended = compare(arguments, status=1)
    assert "REFUTED: direct:never, by the proved answer of another" in ended.stdout
    assert (
        "CRASH: models:dies on beams, dataset official, case 2 (3x4): killed by SIGABRT"
        in ended.stdout
    )
    assert ended.last_line.startswith(
        "direct:never FAILED on 3 of 5: 3 WRONG; models:dies FAILED on 4 of 5: 4 CRASH; "
    )
    compare(f"{arguments} -k", "dies or two-sat", status=1)


def test_interrupted_it_says_what_it_has_and_leaves_nothing(sample: Path) -> None:
    seconds = f"601.{os.getpid()}"  # no other process on this machine sleeps so long
    body = (
        f"import subprocess\nfor new in (False, True): subprocess.Popen(['sleep', '{seconds}'], "
        "start_new_session=new)"
    )
    slow = reading_program(sample, f"{body}\nsubprocess.run(['sleep', '{seconds}'])")
    out = sample / "runs.jsonl"
    line = f"run beams {sample} -b direct --program '{slow}' --timeout 600 --out {out}"
    ended = interrupt_compare(
        line, cwd=sample, once=lambda: out.exists() and len(running(seconds)) == 3
    )
    assert ended.returncode == 130
    done = len(out.read_text().splitlines()) - 1  # the first line is the header
    assert ended.stderr.splitlines()[-1] == "interrupted"
    assert f"UNFINISHED: interrupted, {20 - done} runs missing; " in ended.stdout
    assert "Traceback" not in ended.stderr
    assert done < 20 - 9  # the program has not ended on any board
    assert running(seconds) == []


def test_a_part_by_name_quietly(sample: Path) -> None:
    ended = compare(f"run beams {sample} -q -k 'official and not models:c'", status=0)
    assert ended.stdout == (
        "ALL AGREE; 5 boards of 1 puzzle; runs: 5 OK; 10 of 10 answers PROVED.\n"
    )
    assert ended.stderr == ""
    ended = compare(f"run beams {sample} -k nosuch", status=2)
    assert ended.stdout == ""
    names = ", ".join(backend.label for backend in contenders.backends("beams"))
    assert ended.stderr == (
        "-k 'nosuch' leaves nothing to run; the names here are\n"
        f"  puzzles: beams\n  datasets: official\n  contenders: {names}, expected\n"
    )


@pytest.mark.slow
def test_progress_is_for_a_terminal_and_nothing_is_coloured(sample: Path) -> None:
    words = command("compare", "run", "beams", str(sample), "-b", "direct")
    colourless = environment(NO_COLOR="1", TERM="xterm-256color")
    ended, shown = on_terminal(
        100,
        lambda terminal: subprocess.run(
            words, stdout=subprocess.PIPE, stderr=terminal, env=colourless, check=True
        ),
    )
    assert "4/5 runs |" in shown
    assert "beams official direct:two-sat]" in shown
    assert "\x1b[3" not in shown
    assert b"\x1b" not in ended.stdout
    assert compare(f"run beams {sample} -b direct").stderr == ""
