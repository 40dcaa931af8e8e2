"""What `--format json`, `--results` and `--junit` say: one document of the schema, read back by
libraries.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import puzzles
from compare import run
from compare.engine.work.result import Result, same_claims
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport
from tests.compare.stub import schema
from tests.installed import needs, slow
from tests.places import ROOT
from tests.processes import CompareHere, compare, environment, impossible_program, run_python

BOARDS = "3\n1 1\n.\n1 2\n-.\n1 3\n-.-\n"


def document(text: str) -> dict[str, Any]:
    """The document that is printed, which is the only one there, and which the schema allows."""
    needs("jsonschema")
    from jsonschema import Draft202012Validator

    found = json.loads(text)
    whole = schema()
    Draft202012Validator.check_schema(whole)
    Draft202012Validator(whole).validate(found)
    return found


@pytest.mark.parametrize(
    ("words", "verdict", "status"),
    [
        ("run beams -k sample -b direct -q", "ALL AGREE", 0),
        ("scale beams -b direct -b cnf --largest 8 --repeat 1", "ALL AGREE", 0),
        ("prove nogo-distinct", "ACCEPTED", 0),
        ("fuzz nogo -b direct --cases 20 --size 4 --kind ordinary", "ALL AGREE", 0),
        ("equivalent beams cnf cnf-traced --boards 20 --cases 1", "ALL AGREE", 0),
        ("conform examples/lights.py --point answers", "ACCEPTED", 0),
    ],
)
def test_a_command_prints_one_document_and_ends_as_without_it(
    words: str, verdict: str, status: int, compare_here: CompareHere
) -> None:
    found = document(compare_here(f"{words} --format json", status=status).stdout)
    assert (found["verdict"], found["exit_status"], found["results"]) == (verdict, status, [])
    assert found["command"] == f"python -m compare {words} --format json"
    assert found["faults"] == []
    assert found["tallies"]
    assert all(each["failed"] == 0 for each in found["tallies"])


def test_a_fault_has_its_input_and_the_line_that_shows_it_again(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    boards = tmp_path / "boards.in"
    boards.write_text(BOARDS)
    words = ["--program", impossible_program(tmp_path), "--format", "json"]
    found = document(compare_here(f"run beams {boards} -b direct", *words, status=1).stdout)
    last = compare_here(f"run beams {boards} -b direct -q", *words[:2], status=1).last_line
    assert found["last_line"].split("; runs")[0] == last.split("; runs")[0]
    conflict = found["faults"][0]
    assert (conflict["kind"], conflict["contenders"]) == ("WRONG", ["mine"])
    assert conflict["input"] == "1\n1 2\n-.\n"
    assert "CONFLICT on beams" in conflict["text"]
    assert conflict["replay"].startswith(f"python -m compare run beams {boards}")
    by_name = {each["contender"]: each for each in found["tallies"]}
    assert by_name["mine"]["failed"] == 1
    assert by_name["direct:two-sat"] == {
        "puzzle": "beams",
        "part": "boards",
        "contender": "direct:two-sat",
        "counts": {"right": 3},
        "failed": 0,
    }


def test_results_are_there_when_they_are_asked_for_and_can_be_read_back(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    boards = tmp_path / "boards.in"
    boards.write_text("1\n2 4\n####\n2#21\n")
    words = f"run minesweeper {boards} -b direct -b cnf --format json --results"
    found = document(compare_here(words).stdout)
    results = [Result.from_line(json.dumps(each)) for each in found["results"]]
    assert [each.contender for each in results] == ["direct:frontier", "models:cnf"]
    for each in results:
        instance = each.instance()
        assert instance is not None
        assert each.read_answer(instance) is not None


def test_junit_is_read_back_with_a_failure_for_each_contender_at_fault(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    needs("junitparser")
    from junitparser import JUnitXml

    boards, junit = tmp_path / "boards.in", tmp_path / "junit.xml"
    boards.write_text(BOARDS)
    words = ["--program", impossible_program(tmp_path), "--junit", str(junit)]
    compare_here(f"run beams {boards} -b direct", *words, status=1)
    (suite,) = JUnitXml.fromfile(str(junit))
    assert (suite.name, suite.tests, suite.failures, suite.skipped) == ("beams", 2, 1, 0)
    cases = {case.name: case for case in suite}
    assert cases["mine"].classname == "beams.boards"
    assert not cases["direct:two-sat"].result
    (failure,) = cases["mine"].result
    assert failure.message.startswith("WRONG: mine on beams, dataset boards, case 2 (1x2)")
    assert failure.text is not None
    assert "input:\n1\n1 2\n-.\n" in failure.text
    assert "replay: python -m compare run beams" in failure.text


def test_a_search_says_what_is_wrong_and_its_input(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    words = ["--program", impossible_program(tmp_path), "--save", str(tmp_path), "--format", "json"]
    fuzz = "fuzz beams -b direct --cases 300 --size 6 --results"
    found = document(compare_here(fuzz, *words, status=1).stdout)
    (fault,) = found["faults"]
    results = [Result.from_line(json.dumps(each)) for each in found["results"]]
    assert [(each.contender, each.text) for each in results] == [
        ("direct:two-sat", fault["input"]),
        ("mine", fault["input"]),
    ]
    assert not same_claims(results[0].claims, results[1].claims)
    assert (found["verdict"], fault["kind"], fault["contenders"]) == ("FAILED", "WRONG", ["mine"])
    assert fault["input"].startswith("1\n1 2\n")
    assert fault["replay"].startswith("python -m compare run beams ")
    failed = {each["contender"]: each["failed"] for each in found["tallies"]}
    assert failed == {"direct:two-sat": 0, "mine": 1}


def test_the_job_of_the_page_fails_and_annotates_the_fault(tmp_path: Path) -> None:
    """Its command and its script, with a program that is wrong at once."""
    page = (ROOT / "docs" / "ci.md").read_text()
    (job,) = re.findall(r"^```yaml\n(.*?)^```", page, re.S | re.M)
    (script,) = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    (words,) = re.findall(r"twofold (fuzz .*?) > verdict.json", job, re.S)
    assert "python annotate.py verdict.json" in job
    line = " ".join(words.replace("--program mine=mine.cpp", "").split())
    ended = compare(line, "--program", impossible_program(tmp_path), cwd=tmp_path, status=1)
    (tmp_path / "verdict.json").write_text(ended.stdout)
    (tmp_path / "annotate.py").write_text(script)
    assert '<failure type="WRONG"' in (tmp_path / "junit.xml").read_text()
    annotated = run_python("annotate.py", "verdict.json", cwd=tmp_path)
    first, last = annotated.stdout.splitlines()
    assert first.startswith("::error title=WRONG of mine::by the proved answer of direct:two-sat")
    assert "%0A1%0A1 2%0A" in first
    assert last == json.loads(ended.stdout)["last_line"]


def test_two_programs_that_differ_are_a_document(tmp_path: Path, compare_here: CompareHere) -> None:
    right, wrong, generator = (tmp_path / name for name in ("right.sh", "wrong.sh", "make.sh"))
    right.write_text("read n; echo $((2 * n))")
    wrong.write_text("read n; [ $n -lt 50 ] || n=0; echo $((2 * n))")
    generator.write_text("echo $((45 + $1))")
    words = (
        f"stress 'sh {right}' 'sh {wrong}' --generator 'sh {generator}' --save {tmp_path} "
        "--cases 20 --jobs 2 --shrink-seconds 0.1"
    )
    found = document(compare_here(f"{words} --format json --results", status=1).stdout)
    (fault,) = found["faults"]
    assert (found["verdict"], fault["contenders"]) == ("FAILED", ["wrong"])
    assert int(fault["input"]) >= 50
    assert {each["contender"] for each in found["results"]} == {"right", "wrong"}


@pytest.mark.parametrize(
    ("counts", "exit_status", "element"),
    [
        ({"right": 1, "TIMEOUT": 1}, 0, "<system-out>1 right, 1 TIMEOUT</system-out>"),
        (
            {"right": 1, "TIMEOUT": 1},
            3,
            '<failure type="UNFINISHED" message="1 right, 1 TIMEOUT" />',
        ),
        ({"TIMEOUT": 2}, 0, '<skipped message="2 TIMEOUT" />'),
        ({"TIMEOUT": 2}, 3, '<failure type="UNFINISHED" message="2 TIMEOUT" />'),
        ({"right": 1, "SPARED": 1}, 3, "<system-out>1 right, 1 SPARED</system-out>"),
        ({"SPARED": 2}, 3, '<skipped message="2 SPARED" />'),
    ],
)
def test_junit_says_what_was_not_answered(
    counts: dict[str, int], exit_status: int, element: str
) -> None:
    tally = ContenderTally(puzzle="beams", part="sample", contender="mine", counts=counts)
    conclusion = Conclusion(
        verdict="UNFINISHED", last_line="", exit_status=exit_status, tallies=(tally,)
    )
    root = ElementTree.fromstring(conclusion.to_junit().encode())
    (case,) = root.iter("testcase")
    assert ElementTree.tostring(case[0], "unicode").strip() == element
    failures = root[0].get("failures")
    assert failures == str(int(case[0].tag == "failure"))


def test_control_characters_do_no_harm_to_junit_and_html() -> None:
    needs("junitparser")
    from junitparser import JUnitXml

    fault = FaultReport(
        kind="CRASH", contenders=("a<b",), part="tiny", reason="\x1b[31m\x00 <i>", puzzle="beams"
    )
    tally = ContenderTally(puzzle="beams", part="tiny", contender="a<b", failed=1)
    conclusion = Conclusion(
        verdict="FAILED", last_line="<b>", exit_status=1, faults=[fault], tallies=[tally]
    )
    (suite,) = JUnitXml.fromstring(conclusion.to_junit().encode())
    (case,) = suite
    assert case.name == "a<b"
    assert "\\x1b[31m\\x00 <i>" in case.result[0].message
    html = conclusion._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html


def test_a_notebook_shows_the_verdict_and_draws_the_board() -> None:
    board = "1\n1 3\n-.-\n"
    fault = FaultReport(kind="WRONG", contenders=("mine",), puzzle="beams", input=board)
    conclusion = Conclusion(
        verdict="FAILED",
        last_line="mine FAILED",
        exit_status=1,
        faults=[fault],
        tables={"beams": [{"dataset": "tiny", "mine": {"wall_s": 1.5}}]},
    )
    html = conclusion._repr_html_()
    puzzle = puzzles.get("beams")
    assert puzzle.picture(puzzle.parse(board, "<test>")[0]) in html
    assert "<td>wall_s 1.5</td>" in html
    assert "mine FAILED" in html


def test_a_notebook_shows_the_table_that_the_terminal_shows(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    """Both show the same records, so the times are the same."""
    out = tmp_path / "runs.jsonl"
    words = f"run beams --backend=direct --backend=cnf -k sample --out={out}"
    printed = compare_here(words).stdout
    found = run("beams", expression="sample", backends=["direct", "cnf"], out=out, resume=True)
    html = found._repr_html_()
    cells = re.findall("<t[dh]>(.*?)</t[dh]>", html)
    lines = [unescape(line) for cell in cells for line in cell.split("<br>")]
    assert "direct:two-sat" in lines
    assert any(re.fullmatch(r"[\d.]+ (µs|ms)", line) for line in lines)
    said = " ".join(printed.split())
    for line in lines:
        assert all(part in said for part in line.split(":")), line
    assert "wall_s" not in html
    explained = [unescape(line) for line in re.findall("<p>([^<]*)</p>", html)]
    assert [line.partition(":")[0] for line in explained] == [
        *("a + b", "times as long", "agreed", "a + b there")
    ]
    assert all(line in printed for line in explained)
    row = found.tables["beams"][0]
    assert row["direct:two-sat"]["wall_s"] > 0


def test_an_output_is_judged_in_a_document(tmp_path: Path, compare_here: CompareHere) -> None:
    boards, output = tmp_path / "boards.in", tmp_path / "output.txt"
    boards.write_text(BOARDS)
    output.write_text("".join(f"Case #{case}: IMPOSSIBLE\n" for case in (1, 2, 3)))
    found = document(compare_here(f"check beams {boards} {output} --format json", status=1).stdout)
    assert found["verdict"] == "FAILED"
    assert found["faults"][0]["contenders"] == ["output"]


def test_a_difference_of_records_is_a_document(tmp_path: Path, compare_here: CompareHere) -> None:
    for name in ("then", "now"):
        compare_here(f"run beams -k sample -b direct -q --out {tmp_path / name}")
    words = f"diff {tmp_path / 'then'} {tmp_path / 'now'} --format json"
    found = document(compare_here(words).stdout)
    assert (found["verdict"], found["faults"]) == ("ALL AGREE", [])
    assert found["tables"]["effects"][0]["boards"] == 5


def test_a_file_that_cannot_be_read_is_among_the_faults(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    needs("junitparser")
    from junitparser import JUnitXml

    good, bad, junit = tmp_path / "a.in", tmp_path / "bad.in", tmp_path / "junit.xml"
    good.write_text(BOARDS)
    bad.write_text("nonsense\n")
    words = f"run beams {good} {bad} -b direct --format json --junit {junit}"
    found = document(compare_here(words, status=2).stdout)
    (fault,) = found["faults"]
    assert (fault["kind"], fault["contenders"], fault["part"]) == ("UNREADABLE", [], str(bad))
    assert fault["reason"].startswith(f"{bad}:1:1: ")
    assert fault["reason"] in found["warnings"]
    again = run("beams", [good, bad], backends=["direct"])
    assert f"UNREADABLE: {bad}:1:1: " in str(again)
    failed = [each["part"] for each in found["tallies"] if each["failed"]]
    assert failed == [str(bad)]
    (suite,) = JUnitXml.fromfile(str(junit))
    assert (suite.tests, suite.failures) == (2, 1)
    bad.write_text(BOARDS)
    assert document(compare_here(words).stdout)["faults"] == []


def test_bad_usage_prints_no_document(tmp_path: Path, compare_here: CompareHere) -> None:
    ended = compare_here("run beams nowhere.in --format json", status=2)
    assert ended.stdout == ""
    ended = compare_here(f"run beams -k sample --junit {tmp_path}/none/junit.xml", status=2)
    assert ended.stderr.startswith(f"{tmp_path}/none/junit.xml: ")


@pytest.mark.parametrize(
    "words",
    [
        slow("run nogo --family random --size 60 --cases 1000 -b cnf"),
        slow("scale nogo -b cnf --repeat 50"),
    ],
)
def test_an_interrupted_command_prints_its_document(words: str) -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "compare", *words.split(), "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(),
    )
    with pytest.raises(subprocess.TimeoutExpired):
        command.communicate(timeout=6)
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=30)
    assert command.returncode == 130, err
    found = document(out)
    assert (found["exit_status"], found["verdict"]) == (130, "UNFINISHED")


def test_a_mistake_leaves_no_junit_file_behind(tmp_path: Path, compare_here: CompareHere) -> None:
    junit, broken = tmp_path / "junit.xml", tmp_path / "broken.in"
    broken.write_text("nonsense\n")
    compare_here(f"run beams {broken} --junit {junit}", status=2)
    assert not junit.exists()
    ended = compare_here("run beams -k sample --results", status=2)
    assert ended.stderr == "--results needs --format json\n"


def test_who_does_not_read_the_document_still_gets_the_status(tmp_path: Path) -> None:
    boards = tmp_path / "boards.in"
    boards.write_text(BOARDS)
    words = ["run", "beams", str(boards), "-b", "direct", "--format", "json"]
    command = subprocess.Popen(
        [sys.executable, "-m", "compare", *words, "--program", impossible_program(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(),
    )
    assert command.stdout is not None
    command.stdout.close()
    assert command.stderr is not None
    assert command.stderr.read() == b""
    assert command.wait(60) == 1


def test_answers_that_contradict_those_of_then_fail_their_test_case(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    needs("junitparser")
    from junitparser import JUnitXml

    boards, junit = tmp_path / "boards.in", tmp_path / "junit.xml"
    boards.write_text(BOARDS)
    then, now = tmp_path / "then.jsonl", tmp_path / "now.jsonl"
    compare_here(
        f"run beams {boards} -b direct --out {then}",
        "--program",
        impossible_program(tmp_path),
        status=1,
    )
    text = then.read_text().replace(
        '"claims": [0], "exact": null, "decided": 1', '"claims": [1], "exact": null, "decided": 1'
    )
    assert text != then.read_text()
    now.write_text(text)
    words = f"diff {then} {now} --format json --junit {junit}"
    found = document(compare_here(words, status=1).stdout)
    assert {each["kind"] for each in found["faults"]} == {"CONFLICT"}
    assert all(each["input"].startswith("1\n1 ") for each in found["faults"])
    assert found["verdict"] == "CONFLICT"
    assert sum(each["failed"] for each in found["tallies"]) == len(found["faults"])
    assert any(suite.failures for suite in JUnitXml.fromfile(str(junit)))


def test_what_a_program_says_cannot_act_on_a_terminal(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    script, boards = tmp_path / "says.sh", tmp_path / "boards.in"
    boards.write_text(BOARDS)
    script.write_text("printf 'a \\033]0;owned\\007 line\\n' >&2; exit 3\n")
    words = f"run beams {boards} -b direct --format json --program"
    found = document(compare_here(words, f"mine=sh {script}", status=1).stdout)
    reasons = {each["reason"] for each in found["faults"]}
    assert any("\\x1b]0;owned\\x07" in each for each in reasons)
    assert not any("\x1b" in each for each in reasons)
    taken = compare_here(f"run beams {boards} --program", "expected=true", status=2)
    assert taken.stderr.startswith("--program expected: the name is taken")
