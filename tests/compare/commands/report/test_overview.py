"""The first screen of the report: the last line, a row for each contender, the worst first, and
links to what each of them said.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from compare.commands.report import html
from compare.commands.report.overview import ALWAYS, OF_GRADE
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.summaries import Grade
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from compare.show.messages import verdict
from puzzles.answer import Check, Verdict
from tests.compare.commands.report.pages import file_of, report_of
from tests.installed import needs
from tests.processes import compare
from tests.records import record

needs("jinja2", "matplotlib")


def mixed() -> list[Result]:
    """Three contenders on 15 boards. `mine` crashes on 12 of them in two ways, and is wrong on one;
    `models:cnf` is stopped on two, and skips one.
    """
    runs: list[Result] = []
    for case in range(1, 16):
        right = {"check": Verdict.PROVED, "answer": "Case #1: POSSIBLE\n-..\n...\n"}
        runs.append(record(case, contender="direct:two-sat", wall_s=1.0, **right))
        runs.append(record(case, contender="models:cnf", wall_s=4.0, **right))
        if case in (3, 4):
            runs[-1] = record(case, contender="models:cnf", wall_s=10.0, status=Status.TIMEOUT)
        if case == 5:
            why = {"status": Status.SKIPPED, "reason": "too large", "declared": True}
            runs[-1] = record(case, contender="models:cnf", **why)
        reason = "killed by SIGSEGV" if case < 12 else "exit status 3"
        runs.append(record(case, contender="mine", status=Status.CRASH, reason=reason))
        if case == 13:
            wrong = {"claims": np.array([0]), "answer": "Case #1: IMPOSSIBLE\n"}
            check = Check(Verdict.REFUTED, "<b>the cell at 1,1 is lit</b>")
            runs[-1] = record(case, contender="mine", wall_s=3.0, check=check, **wrong)
        if case > 13:
            runs[-1] = record(case, contender="mine", wall_s=8.0, **right)
    return runs


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def overview_of(page: str) -> tuple[list[str], dict[str, list[str]]]:
    """The headings of the table of contenders, and the cells of each contender, in order."""
    table = page.partition('<table class="contenders')[2].partition("</table>")[0]
    head, _, body = table.partition("</thead>")
    return (
        [text_of(each) for each in re.findall(r"<th [^>]*>(.*?)</th>", head)],
        {
            text_of(name): [text_of(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", cells)]
            for name, cells in re.findall(r'<th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', body, re.S)
        },
    )


def test_a_busy_machine_is_said_above_all_times(tmp_path: Path) -> None:
    runs = [record(case, check=Verdict.PROVED, wall_s=2.0, cpu_s=1.0) for case in (1, 2)]
    page = report_of(tmp_path, runs)
    above, _, below = page.partition('<table class="contenders')
    assert "CPU time is 50% of wall time: the machine was busy" in text_of(above)
    assert "machine was busy" not in below
    assert "`" not in text_of(page.partition("<script>")[0])


def boards_behind(page: str, contender: str, kind: str) -> list[str]:
    """The lines of the list to which the number of a contender leads."""
    row = re.findall(rf'<th scope="row"[^>]*>{contender}</th>.*?</tr>', page, re.S)[0]
    (target,) = re.findall(rf'href="#(said-\d+-{kind.replace(" ", "-")})"', row)
    behind = page.partition(f'<ul class="said" id="{target}">')[2].partition("</ul>")[0]
    return [text_of(line) for line in re.findall("<li>(.*?)</li>", behind)]


def test_the_first_screen_has_verdict_date_command_machine_and_then_the_contenders(
    tmp_path: Path,
) -> None:
    page = report_of(tmp_path, mixed())
    line = str(verdict(Comparison.of(mixed())))
    assert line.startswith("mine FAILED on 13 of 15: 1 WRONG, 12 CRASH; models:cnf UNFINISHED ")
    (title,) = re.findall("<title>(.*?)</title>", page)
    (first,) = re.findall("<h1[^>]*>(.*?)</h1>", page)
    assert unescape(title) == text_of(first) == line
    origin = text_of(page.partition("</h1>")[2].partition("<h2")[0])
    assert "2026-11-23 12:00:00+00:00" in origin
    assert "python -m compare run" in origin
    assert "host, some processor, 2 cores, 1.0 GB" in origin
    places = [page.index(each) for each in ("<h1", "<dl>", "<table", "<nav", "<section")]
    assert places == sorted(places)
    assert page.index("<table") == page.index('<table class="contenders')


def test_a_row_a_contender_the_worst_first(tmp_path: Path) -> None:
    headings, rows = overview_of(report_of(tmp_path, mixed()))
    assert headings == ["contender", *ALWAYS, "times as long"]
    assert list(rows) == ["mine", "models:cnf", "direct:two-sat"]
    assert rows["mine"] == ["2", "1", "12", "0", "0", "0", "8 with start, on 2 boards"]
    assert rows["models:cnf"] == ["12", "0", "0", "2", "0", "1", "4 (4 to 4) on 12 boards"]
    assert rows["direct:two-sat"] == ["15", "0", "0", "0", "0", "0", "1 on 15 boards"]


def test_the_times_stand_without_what_is_proved_and_end_with_how_many_times_as_long(
    tmp_path: Path,
) -> None:
    part = report_of(tmp_path, mixed()).partition(">Time by dataset</h3>")[2]
    rows = re.findall("<tr>(<td.*?)</tr>", part.partition("</table>")[0], re.S)
    assert [text_of(re.findall("<td[^>]*>.*?</td>", row)[0]) for row in rows] == [
        "some",
        "times as long",
    ]
    cells = [text_of(cell) for cell in re.findall("<td[^>]*>.*?</td>", rows[-1], re.S)]
    assert [cell.split()[0] for cell in cells[-3:]] == ["8", "4", "1"]


def test_its_numbers_are_those_of_the_comparison(tmp_path: Path) -> None:
    headings, rows = overview_of(report_of(tmp_path, mixed()))
    tallies = Comparison.of(mixed()).puzzles["beams"].tallies
    for name, cells in rows.items():
        counts = {kind: int(cell) for kind, cell in zip(headings[1:-1], cells, strict=False)}
        grades = {OF_GRADE[grade]: count for grade, count in tallies[name].grades.items()}
        assert +Counter(counts) == +Counter(grades)


def test_each_number_leads_to_its_boards_and_what_was_said_there(tmp_path: Path) -> None:
    page = report_of(tmp_path, mixed())
    often, seldom = boards_behind(page, "mine", "crashed")
    assert often.startswith("killed by SIGSEGV, 11 times: some 1 (2x3), some 2 (2x3), ")
    assert seldom == "exit status 3: some 12 (2x3)"
    assert boards_behind(page, "mine", "wrong") == [
        "says IMPOSSIBLE; <b>the cell at 1,1 is lit</b>: some 13 (2x3)"
    ]
    assert boards_behind(page, "models:cnf", "skipped") == ["too large: some 5 (2x3)"]
    (right,) = boards_behind(page, "models:cnf", "right")
    assert right.startswith("says POSSIBLE ..., 12 times: some 1 (2x3), ")


def test_every_link_within_the_page_leads_somewhere(tmp_path: Path) -> None:
    page = report_of(tmp_path, mixed())
    places = re.findall(r'\bid="([^"]*)"', page)
    assert len(places) == len(set(places))
    targets = set(re.findall(r'<a [^>]*href="#([^"]*)"', page))
    assert targets <= set(places)
    contents = page.partition("<nav")[2].partition("</nav>")[0]
    titles = [text_of(each) for each in re.findall("<a [^>]*>(.*?)</a>", contents)]
    headings = [text_of(each) for each in re.findall(r"<h[23][^>]*>(.*?)</h[23]>", page)]
    assert set(titles) <= set(headings)
    assert {"What each contender said", "PAR-2", "Every board", "Where this comes from"} <= set(
        titles
    )


def test_headings_stand_in_order(tmp_path: Path) -> None:
    levels = [int(each) for each in re.findall(r"<h(\d)", report_of(tmp_path, mixed()))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_repeats_of_a_board_count_once_whatever_went_wrong_there(tmp_path: Path) -> None:
    runs: list[Result] = []
    for repeat in (1, 2, 3):
        right = {"check": Verdict.PROVED, "repeat": repeat, "wall_s": 1.0}
        for case in (1, 2, 3):
            runs.append(record(case, contender="direct:two-sat", **right))
        crash = {"status": Status.CRASH, "reason": "exit status 3", "repeat": repeat}
        runs.append(record(1, contender="mine", **crash))
        refuted = {**right, "check": Check(Verdict.REFUTED, "no"), "claims": np.array([0])}
        runs.append(record(2, contender="mine", **refuted))
        runs.append(record(3, contender="mine", **(crash if repeat == 2 else right)))
    page = report_of(tmp_path, runs)
    cells = re.findall(
        r"<td[^>]*>([^<]*WRONG[^<]*)</td>", page.partition(">Time by dataset</h3>")[2]
    )
    assert cells[0].split("\n")[1:] == ["1 WRONG", "2 CRASH"]
    proofs = page.partition(">What is proved</h3>")[2].partition("</table>")[0]
    assert "<td" in proofs
    assert re.findall(r">([^<]*CRASH)</td>", proofs) == ["2 CRASH"]
    assert "14 OK, 4 CRASH" in page  # runs are runs


def test_what_was_only_stopped_is_unfinished_not_a_disagreement(tmp_path: Path) -> None:
    runs = [each for each in mixed() if each.contender != "mine"]
    page = report_of(tmp_path, runs)
    assert "<title>models:cnf UNFINISHED on 2 of 14: 2 TIMEOUT; " in page
    assert '<h1 class="warn">' in page
    assert "Disagreements" not in page


def test_many_boards_and_many_sayings_are_counted_and_the_first_are_shown(tmp_path: Path) -> None:
    runs: list[Result] = []
    for case in range(1, 301):
        runs.append(record(case, check=Verdict.PROVED, wall_s=1.0))
        reason = f"exit status {case}" if case <= 150 else "exit status 1"
        runs.append(record(case, contender="mine", status=Status.CRASH, reason=reason))
    lines = boards_behind(report_of(tmp_path, runs), "mine", "crashed")
    assert lines[0].startswith("exit status 1, 151 times: some 1 (2x3), some 151 (2x3), ")
    assert lines[0].endswith(" and 51 more")
    assert len(lines) == 101
    assert lines[-1] == "... and 50 more"


def test_answers_in_conflict_that_no_proof_settles_are_counted(tmp_path: Path) -> None:
    runs = [
        record(1, contender="mine", claims=np.array([0])),
        record(1, contender="yours", claims=np.array([1])),
        record(1, contender="slow", status=Status.TIMEOUT, wall_s=10.0),
    ]
    headings, rows = overview_of(report_of(tmp_path, runs))
    column = headings.index("in conflict") - 1
    assert {name: cells[column] for name, cells in rows.items()} == {
        "slow": "0",
        "mine": "1",
        "yours": "1",
    }
    assert list(rows)[-1] == "slow"  # nobody says who of the others is wrong, but one of them is


def test_a_promised_certificate_that_is_missing_is_not_proved(tmp_path: Path) -> None:
    check = Check(Verdict.UNPROVED, "no certificate, though the backend promises one: none")
    runs = [
        record(1, wall_s=1.0, check=Verdict.PROVED),
        record(1, contender="models:cnf", wall_s=1.0, check=check),
    ]
    page = report_of(tmp_path, runs)
    headings, rows = overview_of(page)
    assert list(rows) == ["models:cnf", "direct:two-sat"]
    assert rows["models:cnf"][headings.index("not proved") - 1] == "1"


def test_nobody_stands_first_as_the_worst_if_nobody_failed(tmp_path: Path) -> None:
    right = record(1, contender="models:cnf", wall_s=1.0, check=Verdict.PROVED)
    slow = record(1, contender="models:cnf", wall_s=10.0, status=Status.TIMEOUT)
    for last, is_said in ((right, False), (slow, True)):
        page = report_of(tmp_path, [record(1, wall_s=1.0, check=Verdict.PROVED), last])
        assert ("The worst stand first." in page) is is_said


def test_a_board_refused_and_an_answer_that_claims_too_little_are_faults(tmp_path: Path) -> None:
    little = "decides 1 of 2 cells that are certain"
    runs = [
        record(1, wall_s=1.0, check=Verdict.PROVED),
        record(1, contender="models:cnf", status=Status.SKIPPED, reason="too large"),
        record(1, contender="models:cp", wall_s=1.0, check=Verdict.PROVED, lacking=little),
    ]
    page = report_of(tmp_path, runs)
    _, rows = overview_of(page)
    assert list(rows) == ["models:cnf", "models:cp", "direct:two-sat"]
    assert boards_behind(page, "models:cnf", "refused") == ["too large: some 1 (2x3)"]
    (line,) = boards_behind(page, "models:cp", "claims too little")
    assert line == f"an answer that is not kept; it {little}: some 1 (2x3)"


def test_a_board_above_the_limit_of_a_backend_is_skipped_and_no_fault(tmp_path: Path) -> None:
    compare("generate nogo empty 9 --out-dir .", cwd=tmp_path, status=0)
    words = "run nogo empty-9-1.in -k 'union or ranked' --out runs.jsonl"
    assert "1 OK, 1 SKIPPED" in compare(words, cwd=tmp_path, status=0).last_line
    compare("report runs.jsonl", cwd=tmp_path, status=0)
    page = (tmp_path / "report.html").read_text()
    headings, rows = overview_of(page)
    assert "refused" not in headings
    assert rows["models:cnf-ranked"][headings.index("skipped") - 1] == "1"


def test_a_long_name_is_escaped_once(tmp_path: Path) -> None:
    name = "R&D-team-of-the-university"
    page = report_of(tmp_path, [record(1, wall_s=1.0), record(1, contender=name, wall_s=1.0)])
    assert "R&amp;D-team" in page
    assert "R&amp;amp;D" not in page


def test_a_run_that_was_interrupted_is_unfinished(tmp_path: Path) -> None:
    file = file_of(tmp_path / "cut.jsonl", mixed()[:3] + mixed()[3:5], cut=40)
    page = html.page([file]).text
    assert f"UNFINISHED: the last record of {file.name} is cut off" in text_of(
        re.findall("<h1[^>]*>.*?</h1>", page)[0]
    )
    headings, rows = overview_of(page)
    column = headings.index("no record") - 1
    assert {name: cells[column] for name, cells in rows.items()} == {
        "mine": "1",
        "models:cnf": "1",
        "direct:two-sat": "0",
    }


def test_what_was_said_comes_first_only_where_somebody_is_wrong(tmp_path: Path) -> None:
    def parts(page: str) -> list[str]:
        return re.findall(r"<h[23][^>]*>(What each contender said|Time by dataset)</h", page)

    order = ["What each contender said", "Time by dataset"]
    assert parts(report_of(tmp_path, mixed())) == order
    agreeing = report_of(tmp_path, [record(k, contender=n) for k in (1, 2) for n in ("a:b", "a:c")])
    assert parts(agreeing) == order[::-1]
    contents = agreeing.partition("<nav")[2].partition("</nav>")[0]
    assert contents.index("Time by dataset") < contents.index("What each contender said")


def test_agreement_is_shown_only_where_some_do_not_agree(tmp_path: Path) -> None:
    assert '</h3>\n<p class="soft">Boards on which two agree' in report_of(tmp_path, mixed())
    agreeing = [each for each in mixed() if each.contender != "mine"]
    page = report_of(tmp_path, agreeing)
    assert "Boards on which two agree" not in page
    assert ">Agreement<" not in page


def test_the_date_and_command_of_the_first_files_stand_at_the_top(tmp_path: Path) -> None:
    files = [file_of(tmp_path / f"{k}.jsonl", mixed()) for k in range(4)]
    page = html.page(files).text
    top = page.partition("</h1>")[2].partition("<h2")[0]
    assert [file.name in top for file in files] == [True, True, False, False]
    assert '<a href="#origin">and 2 more files</a>' in top
    assert all(f"<h3>{file.name}</h3>" in page for file in files)


def test_a_program_that_fails_only_with_all_boards_in_one_file_is_told_so(tmp_path: Path) -> None:
    runs = [record(case, contender=name) for case in (1, 2) for name in ("direct:two-sat", "mine")]
    ended = {"status": Status.CRASH, "reason": "killed by SIGABRT", "together": 2}
    runs += [record(case, contender="mine", **ended) for case in (1, 2)]
    page = report_of(tmp_path, runs)
    assert boards_behind(page, "mine", "crashed") == [
        "with all 2 boards in one file: killed by SIGABRT, 2 times: some 1 (2x3), some 2 (2x3)"
    ]
    assert "mine answers each of the 2 boards of beams, dataset some, alone; " in text_of(page)


def test_an_answer_that_is_refuted_stands_apart_from_those_that_claim_the_same(
    tmp_path: Path,
) -> None:
    runs = [
        record(1, check=Verdict.PROVED, wall_s=1.0),
        record(1, contender="mine", check=Check(Verdict.REFUTED, "the cell at 1,1 is dark")),
        record(1, contender="yours", claims=np.array([0])),
    ]
    page = report_of(tmp_path, runs)
    captions = re.findall(r"<figcaption[^>]*>(.*?)</figcaption>", page)
    assert captions == [
        "direct:two-sat: proved (not drawn: 2x3)",
        "yours: refuted; the proved answer of direct:two-sat contradicts it (not drawn: 2x3)",
        "mine: refuted; the cell at 1,1 is dark (not drawn: 2x3)",
    ]


@pytest.mark.parametrize("grade", Grade)
def test_each_grade_has_a_column(grade: Grade) -> None:
    assert grade in OF_GRADE
