"""Problems that ask for the best, from the command line: heuristics, better solutions that refute
worse claims, wrong numbers, gaps, and the search for the worst case.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.installed import slow
from tests.places import ROOT
from tests.processes import compare

TARDINESS = ROOT / "examples" / "tardiness.py"
COVER = ROOT / "examples" / "weighted_cover.py"

HEAD = """from puzzles.backend import backend
from puzzles.case_solution import CaseSolution

@backend("tardiness", "mine", side="models", source="a test")
def solve(case, *, certify=False):
    order = tuple(sorted(range(1, len(case.jobs) + 1), key=lambda job: case.jobs[job - 1][1]))
    end = late = 0
    for job in order:
        end += case.jobs[job - 1][0]
        late += max(0, end - case.jobs[job - 1][1])
"""

CASE = "1\n10\n44 99\n64 147\n17 89\n98 113\n55 92\n80 208\n47 263\n90 330\n24 218\n77 330\n"
"""More jobs than the check tries all orders of; the best order is late by 901, the one by due dates
by 1184."""


def run_with(
    folder: Path, returned: str, words: str = "", status: int = 1, puzzle: Path = TARDINESS
) -> dict[str, object]:
    """The document of a run of a backend that returns this on the case above."""
    (folder / "mine.py").write_text(f"{HEAD}    return {returned}\n")
    (folder / "case.in").write_text(CASE)
    line = f"run {puzzle} case.in -b mine {words} --plugin mine.py --format json"
    return json.loads(compare(line, cwd=folder, status=status).stdout)


def test_a_better_solution_refutes_an_optimum_that_nobody_can_check(tmp_path: Path) -> None:
    unable = tmp_path / "unable.py"
    unable.write_text(TARDINESS.read_text().replace("def candidates(", "def orders("))
    document = run_with(tmp_path, "CaseSolution(True, order, late)", "-b subsets", puzzle=unable)
    (fault, *unproved) = document["faults"]  # pyright: ignore[reportGeneralTypeIssues]
    reason = "direct:subsets shows a solution worth 901, better than 1184"
    assert (fault["kind"], fault["contenders"], fault["reason"]) == (
        "REFUTED",
        ["models:mine"],
        reason,
    )
    assert [each["contenders"] for each in unproved] == [["direct:subsets"]]
    assert str(document["last_line"]).startswith("models:mine FAILED on 1 of 1: 1 WRONG; ")


def test_the_check_itself_refutes_where_it_finds_a_better_solution(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{HEAD}    return CaseSolution(True, order, late)\n")
    (tmp_path / "small.in").write_text("1\n2\n1 1\n2 0\n")
    ended = compare(f"run {TARDINESS} small.in -b mine --plugin mine.py", cwd=tmp_path, status=1)
    assert "REFUTED: models:mine on tardiness" in ended.stdout
    assert "a solution worth 3 exists: 1 2" in ended.stdout


def test_a_best_value_and_the_same_value_of_a_heuristic_are_two_answers(tmp_path: Path) -> None:
    """In the text of a conflict nobody is quoted with what another one says."""
    wrong = HEAD.replace('"mine"', '"wrong"').partition("@")[2]
    (tmp_path / "mine.py").write_text(
        f"{HEAD}    return CaseSolution.feasible(3, (1, 2))\n\n"
        f"@{wrong}    return CaseSolution(True, order, late)\n"
    )
    (tmp_path / "small.in").write_text("1\n2\n1 1\n2 0\n")
    words = "-b subsets -b mine -b wrong --plugin mine.py -q"
    ended = compare(f"run {TARDINESS} small.in {words}", cwd=tmp_path, status=1)
    says = re.findall(r"^(\S+) \(.*\) says:\n(?:-->)? +(.*)$", ended.stdout, re.MULTILINE)
    assert says == [
        ("direct:subsets", "3 1 2"),
        ("models:mine", "FEASIBLE 3 1 2"),
        ("models:wrong", "4 2 1"),
    ]


def test_a_heuristic_is_right_and_its_gap_is_shown(tmp_path: Path) -> None:
    document = run_with(tmp_path, "CaseSolution.feasible(late, order)", "-b subsets", status=0)
    assert not [each for each in document["faults"] if each["kind"] != "UNPROVED"]  # pyright: ignore[reportGeneralTypeIssues]
    row = document["tables"]["tardiness"][0]  # pyright: ignore[reportIndexIssue]
    gap = (1184 - 901) / 901
    assert row["models:mine"]["median_gap"] == row["models:mine"]["largest_gap"] == gap
    assert "recall" not in row["models:mine"]
    shown = run_with(tmp_path, "CaseSolution.feasible(late, order)", "-b subsets --show gaps", 0)
    rows = shown["tables"]["tardiness"]  # pyright: ignore[reportIndexIssue]
    assert [(each["backend"], each["value"], each["best"], each["gap"]) for each in rows] == [
        ("direct:subsets", 901, 901, 0),
        ("models:mine", 1184, 901, 283),
    ]


@pytest.mark.parametrize(
    ("returned", "kind", "reason"),
    [
        (
            "CaseSolution.feasible(late - 1, order)",
            "REFUTED",
            "the total tardiness is said to be 1183, and the solution's is 1184",
        ),
        (
            "CaseSolution.feasible(late, order, late + 1)",
            "REFUTED",
            "it says that no solution is better than 1185, and shows one worth 1184",
        ),
        slow(
            "CaseSolution(True, order, float('nan'))",
            "ERROR",
            "malformed answer: value: expected int or None, got nan of type float",
        ),
        (
            "CaseSolution(True, order, float(late))",
            "ERROR",
            "malformed answer: value: expected int or None, got 1184.0 of type float",
        ),
        slow(
            "CaseSolution.feasible(late, order, float('-inf'))",
            "ERROR",
            "malformed answer: bound: expected int or None, got -inf of type float",
        ),
        (
            "CaseSolution(True, order, late * 2**64)",
            "ERROR",
            "malformed answer: the value has more than 18 digits",
        ),
    ],
)
def test_a_wrong_number_is_said_in_a_sentence_with_the_case(
    returned: str, kind: str, reason: str, tmp_path: Path
) -> None:
    (fault,) = run_with(tmp_path, returned)["faults"]  # pyright: ignore[reportGeneralTypeIssues]
    begins = "; the backend begins at mine.py:4" if kind == "ERROR" else ""
    assert (fault["kind"], fault["reason"]) == (kind, f"{reason}{begins}")
    assert fault["place"] == "tardiness, dataset case, case 1 (size 10)"


def test_the_worst_case_is_made_smaller_and_saved(tmp_path: Path) -> None:
    words = "--worst due-first --cases 24 --size 4 -b subsets -b due-first --save out"
    ended = compare(f"fuzz {TARDINESS} {words}", cwd=tmp_path, status=0)
    line = re.search(
        r"size (\d+): direct:due-first finds (\d+), and (\d+) is the optimum: gap (\d+), ",
        ended.last_line,
    )
    assert line is not None, ended.last_line
    size, value, best, gap = map(int, line.groups())
    assert value - best == gap > 0
    (saved,) = (tmp_path / "out").glob("worst-*.in")
    assert saved.read_text().split()[1] == str(size)
    line = f"run {TARDINESS} {saved} -b subsets -b due-first --show gaps --format json"
    rows = json.loads(compare(line, cwd=tmp_path, status=0).stdout)["tables"]["tardiness"]
    assert [(each["value"], each["best"]) for each in rows] == [(best, best), (value, best)]


def test_the_worst_case_is_a_small_one_that_no_single_step_leads_to(tmp_path: Path) -> None:
    """On `3 2 / 1 2 3 / 1 2 / 2 3` the heuristic finds 3 in place of 2, too: the size is 9."""
    words = "--worst greedy --cases 32 -b trees -b greedy"
    ended = compare(f"fuzz {COVER} {words}", cwd=tmp_path, status=0)
    line = re.search(r"size (\d+): direct:greedy .*, ([\d.]+)%", ended.last_line)
    assert line is not None, ended.last_line
    assert int(line[1]) <= 9
    assert float(line[2]) > 0


@pytest.mark.parametrize(
    ("words", "status", "last"),
    [
        (
            "--worst subsets -b subsets",
            0,
            "NOTHING COMPARED: no gap: direct:subsets finds a best one on each case whose optimum "
            "is PROVED; try larger ones (--size N) or more (--seconds S); 8 cases tried",
        ),
        (
            "--worst due-first -b due-first",
            1,
            "NOTHING COMPARED: no case with a PROVED optimum was found, so no gap is known: -b "
            "adds a backend whose optimum the check can prove (`candidates` or `bound_fault` of "
            "the puzzle), --size N takes smaller cases; 8 cases tried",
        ),
    ],
)
def test_where_no_gap_is_found_the_last_line_says_why_and_what_to_do(
    words: str, status: int, last: str, tmp_path: Path
) -> None:
    ended = compare(f"fuzz {TARDINESS} {words} --cases 8 --size 4", cwd=tmp_path, status=status)
    assert ended.last_line == last


SEARCHES_ON = f"""import time
from puzzles.backend import report
{HEAD}
    report(CaseSolution.only_bound(900))
    report(CaseSolution.feasible(late, order))
    if len(case.jobs) == 10:  # the example, which comes first, is a smaller case
        time.sleep(1000)
"""


def test_a_run_that_is_stopped_shows_the_gap_of_what_it_has_reported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SEARCHES_ON)
    (tmp_path / "case.in").write_text(CASE)
    line = f"run {TARDINESS} case.in -b subsets -b mine --plugin mine.py --timeout 1"
    ended = compare(f"{line} --out runs.jsonl", cwd=tmp_path, status=0)
    assert "gap 31.4%" in ended.stdout
    assert ended.last_line.startswith("models:mine UNFINISHED on 1 of 1: 1 TIMEOUT; ")
    of_mine = json.loads((tmp_path / "runs.jsonl").read_text().splitlines()[-1])
    assert (of_mine["status"], of_mine["value"], of_mine["bound"]) == ("TIMEOUT", 1184, 900)
    assert [point[1:] for point in of_mine["trace"]] == [[None, 900], [1184, 900]]
    document = compare(f"{line} --show gaps --format json --results", cwd=tmp_path, status=0)
    first, row = json.loads(document.stdout)["tables"]["tardiness"]
    assert (row["value"], row["bound"], row["best"], row["gap"]) == (1184, 900, 901, 283)
    assert (1184 - 901) / 1184 < row["primal_integral"] < 1
    assert first["primal_integral"] is None


def test_gaps_need_a_puzzle_that_asks_for_the_best(tmp_path: Path) -> None:
    for words in ("run beams -k sample --show gaps", "fuzz beams -b direct --worst two-sat"):
        refused = compare(words, cwd=tmp_path, status=2)
        assert "does not ask for a best value" in refused.stderr


def test_a_direction_that_is_none_is_refused(tmp_path: Path) -> None:
    text = TARDINESS.read_text().replace('better = "less"', 'better = "smaller"')
    (tmp_path / "wrong.py").write_text(text)
    refused = compare("run ./wrong.py", cwd=tmp_path, status=2)
    assert "better is 'smaller': expected 'less' or 'greater'" in refused.stderr
