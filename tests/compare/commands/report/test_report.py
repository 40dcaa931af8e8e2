"""`compare report` in a real browser: no console errors, tables that sort, pictures that are there,
nothing cut off.
"""

from __future__ import annotations

import json
import re
import subprocess
from html import escape, unescape
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import puzzles
from compare.commands.report import report_plots
from compare.commands.report.html import svg_of
from compare.engine.campaign.plan import bundled_datasets
from compare.engine.work.contenders import SIDES
from compare.engine.work.result import Result
from puzzles.answer import Answer, Check, Verdict
from tests.compare.commands.report.pages import report_of, run_on
from tests.installed import BROWSER, NO_BROWSER, needs, slow
from tests.pictures import shown
from tests.processes import CompareHere
from tests.records import read_file

needs("jinja2", "matplotlib")

BOARDS = 6
"""Of each puzzle on the page."""

in_browser = pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def content() -> list[Result]:
    """So many boards of every puzzle by two backends, the second of which once stops and once says
    nonsense.
    """
    records: list[Result] = []
    for name in puzzles.names():
        boards = {board for each in bundled_datasets(puzzles.get(name)) for board in each.instances}
        for case, board in enumerate(sorted(boards, key=lambda board: board.size)[:BOARDS], 1):
            answer = SIDES["direct"].solve(board)
            other: Answer | None = answer if case != 3 else None
            records.append(run_on(board, answer, "direct:first", case, 1e-6 * board.size))
            records.append(
                run_on(
                    board,
                    other,
                    "models:<other>",
                    case,
                    10.0 if other is None else 1e-6 * board.size**2,
                )
            )
        last = records[-1]
        assert last.claims is not None
        wrong = replace(
            last, claims=np.where(last.claims == 1, 0, 1), check=Check(Verdict.UNPROVED)
        )
        records[-1] = wrong
    return records


@pytest.fixture(scope="module")
def page(content: list[Result], tmp_path_factory: pytest.TempPathFactory) -> str:
    return report_of(tmp_path_factory.mktemp("report"), content)


def test_the_page_needs_nothing_beside_itself(page: str) -> None:
    followed_only = r'<a class="see" href="http://127\.0\.0\.1:4997/#puzzle=[^"]*">'
    loaded = re.findall(
        r"""(?:src|href)=["']([^"']*)["']|url\(([^)]*)\)|@import""", re.sub(followed_only, "", page)
    )
    places = [a or b for a, b in loaded]
    assert places
    assert all(place.startswith(("#", "data:")) for place in places)
    assert "<script src" not in page


def test_identifiers_are_unique_and_names_are_escaped(page: str) -> None:
    plots = re.findall(r'<svg [^>]*class="plot".*?</svg>', page, re.S)
    assert len(plots) == 4 * len(puzzles.names())
    sets = [set(re.findall(r'\bid="([^"]*)"', plot)) for plot in plots]
    assert sum(map(len, sets)) == len(set().union(*sets))
    assert "models:<other>" not in page
    assert "some &lt;set&gt;" in page


def test_the_verdict_comes_first_and_disagreements_are_drawn_twice(page: str) -> None:
    count = len(puzzles.names())
    assert f"<strong>beams models:&lt;other&gt; FAILED on 1 of {BOARDS}: 1 WRONG</strong>" in page
    (title,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page)
    assert len(re.findall(r"FAILED on 1 of \d+: 1 WRONG", title)) == 3
    assert f"FAILED: {count - 3} more; " in page
    assert page.index("FAILED on") < page.index("Disagreements") < page.index("<section")
    conflicts = re.findall(r'<div class="conflict" id="[^"]*">.*?</details></div>', page, re.S)
    assert len(conflicts) == count
    for conflict in conflicts:
        assert conflict.count('class="board"') == 2
        assert re.search(r"models:&lt;other&gt;( says [^<]+)?: refuted", conflict)


def test_the_tests_of_a_puzzle_are_a_matrix_with_each_result(page: str) -> None:
    section = page.partition('<section id="beams">')[2].partition("</section>")[0]
    matrix = section.partition("What each contender did on every board")[2]
    rows = re.findall(r"<tr id=[^>]*>(<td.*?)</tr>", matrix, re.S)
    cells = [
        [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)] for row in rows
    ]
    assert len(cells) == BOARDS
    assert all(row[4].startswith("right ") for row in cells)
    assert [row[3].split(" ")[0] for row in cells] == [  # what fails stands first
        "WRONG",
        "TIMEOUT",
        *["right"] * (BOARDS - 2),
    ]
    assert cells[1][3] == "TIMEOUT > 10 s"
    failed = section.partition("Boards that somebody fails")[2].partition("</table>")[0]
    assert len(re.findall(r"<tr>(<td.*?)</tr>", failed, re.S)) == 1
    assert re.search(r">WRONG[^<]*</td>", failed)


@pytest.mark.slow
def test_an_answer_that_the_picture_cannot_show_is_in_the_caption_and_the_file_as_well(
    tmp_path: Path,
) -> None:
    puzzle = puzzles.get("beams")
    (refuted,) = (each for each in bundled_datasets(puzzle) if each.file == "no-turrets")
    (board,) = refuted.instances
    where = {"dataset": refuted.name, "file": refuted.file}
    no, yes = (
        puzzle.parse_answers(f"Case #1: {said}", [board], "codejam", "x")[0]
        for said in ("IMPOSSIBLE", "POSSIBLE\n.")
    )
    runs = [
        run_on(board, no, "direct:two-sat", 1, 1e-6, **where),
        run_on(
            board,
            yes,
            "mine",
            1,
            1e-6,
            **{**where, "check": Check(Verdict.REFUTED, "the open cell at 1,1 is not lit")},
        ),
    ]
    page = report_of(tmp_path, runs)
    captions = re.findall(r"<figcaption[^>]*>(.*?)</figcaption>", page)
    assert captions == [
        "direct:two-sat says IMPOSSIBLE: proved",
        "mine says POSSIBLE: refuted; the open cell at 1,1 is not lit",
        "dataset refuted, no-turrets case 1: 1x1, direct:two-sat says IMPOSSIBLE, PROVED",
    ]
    assert "<h3>beams, dataset refuted, no-turrets case 1 (1x1)</h3>" in page
    assert ">no-turrets 1</td>" in page
    drawn = [shown(svg) for svg in re.findall(r'<svg [^>]*class="board".*?</svg>\n', page, re.S)]
    assert [each.headline for each in drawn] == [
        "IMPOSSIBLE: No beam can reach the open cell at 1,1.",
        "WRONG: the open cell at 1,1 stays dark.",
        "IMPOSSIBLE: No beam can reach the open cell at 1,1.",
    ]
    assert "core: must be lit" in drawn[0].legend
    assert report_of(tmp_path, runs).count("contradicts it") == 0
    unchecked = replace(runs[1], check=None)
    assert "refuted; the proved answer of direct:two-sat contradicts it" in report_of(
        tmp_path, [runs[0], unchecked]
    )


@pytest.mark.parametrize("boards", [1, 2, 7])
def test_boards_are_counted_in_whole_numbers(boards: int) -> None:
    times = {str(k): 1e-3 * (k + 1) for k in range(boards)}
    plot = report_plots.cactus({"a": report_plots.SolvedBoards(times, boards)}, 10.0)
    assert plot is not None
    drawn = svg_of(plot)
    (axis,) = re.findall(
        r'<g id="[^"]*matplotlib.axis_1">.*?<g id="[^"]*matplotlib.axis_2">', drawn, re.S
    )
    *ticks, label = re.findall(r"<text [^>]*>([^<]*)</text>", axis)
    assert label == "boards solved"
    assert ticks
    assert all(tick.isdecimal() for tick in ticks)


@pytest.mark.slow
def test_what_goes_beyond_the_answer_is_drawn(
    page: str, content: list[Result], tmp_path: Path
) -> None:
    section = page.partition('<section id="minesweeper">')[2].partition("</section>")[0]
    beyond = section.partition("Beyond the answer")[2].partition("</div>")[0]
    assert "how likely each covered cell is a mine, in percent" in beyond
    assert re.search(r"The cell at \d+,\d+ is (a mine|safe): the clues? at ", beyond)
    assert beyond.count('class="board"') >= 2
    assert page.count("Beyond the answer</h3>") == 1
    assert "What an incomplete backend finds" not in page
    records = [
        replace(each, decided=0) if each.case == 1 else each for each in partial(content, decided=2)
    ]
    with_recall = report_of(tmp_path, records)
    assert "What an incomplete backend finds" in with_recall
    assert f"on 1 of {BOARDS} boards nothing is certain" in with_recall


def partial(content: list[Result], decided: int) -> list[Result]:
    """The records with a second contender that may claim only a part: it decides half as many
    questions as the first.
    """
    return [
        replace(
            each,
            complete=each.contender == "direct:first",
            decided=decided if each.contender == "direct:first" else decided // 2,
        )
        for each in content
    ]


def test_the_command(tmp_path: Path, compare_here: CompareHere) -> None:
    source = tmp_path / "runs.jsonl"
    compare_here(f"run beams -k sample -b direct -b cnf --out {source} --no-check -q")
    compare_here(f"report {source} -o {tmp_path}/x.html")
    assert "ALL AGREE" in (tmp_path / "x.html").read_text()
    assert (
        "No such file or directory"
        in compare_here(f"report {source} -o", str(tmp_path / "none" / "x.html"), status=2).stderr
    )
    ended = compare_here("report none.jsonl", status=2)
    assert ended.stderr == "none.jsonl: No such file or directory\n"
    source.write_text(read_file(str(source)).header.line() + "\n")
    assert (
        "there is no record in this file yet" in compare_here(f"report {source}", status=2).stderr
    )


PROBE = """
<script>
window.addEventListener("load", () => {
  const page = document.querySelector("iframe").contentWindow, inside = page.document, said = {};
  said.overflow = inside.documentElement.scrollWidth - inside.documentElement.clientWidth;
  said.width = page.innerWidth;
  const edge = inside.documentElement.clientWidth + 1;
  said.cut = [...inside.querySelectorAll("body *")].filter(
    e => !e.closest(".wide,pre,details,svg") && e.getBoundingClientRect().right > edge
  ).map(e => e.outerHTML.slice(0, 80));
  said.pictures = [...inside.querySelectorAll("figure > svg")].map(e => e.getBoundingClientRect())
    .filter(box => box.width < 8 || box.height < 8 || box.right > edge).length;
  said.figures = inside.querySelectorAll("figure > svg").length;
  said.ink = page.getComputedStyle(inside.body).color;
  said.paper = page.getComputedStyle(inside.body).backgroundColor;
  said.label = page.getComputedStyle(inside.querySelector("svg.plot text")).fill;
  const table = inside.querySelector("section details table.sorts");
  const button = table.querySelectorAll("button")[2];
  const column = () => [...table.tBodies[0].rows].map(row => Number(row.cells[2].dataset.value));
  button.click(); said.up = column(); said.sorted = button.parentElement.getAttribute("aria-sort");
  button.click(); said.down = column();
  const field = inside.querySelector("section details .filter input");
  const rows = [...table.tBodies[0].rows];
  const visible = () => rows.filter(row => row.getBoundingClientRect().height > 0).length;
  said.all = visible(); field.value = rows[0].cells[2].textContent;
  field.dispatchEvent(new page.Event("input")); said.some = visible();
  field.value = "no such row"; field.dispatchEvent(new page.Event("input")); said.none = visible();
  said.text = Math.min(...[...inside.querySelectorAll("svg.plot text")].map(
    e => parseFloat(page.getComputedStyle(e).fontSize)
      * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b)));
  document.title = "done";
  const out = document.createElement("pre");
  out.id = "said";
  out.textContent = JSON.stringify(said);
  document.body.append(out);
});
</script>
"""


def browse(folder: Path, page: str, width: int, *flags: str) -> dict[str, object]:
    """Open the page in a frame of that width; returns what the probe finds.

    Anything on the console is a failure.
    """
    assert BROWSER
    frame = (
        f'<body style="margin:0"><iframe style="width:{width}px;height:900px;border:0" '
        f'srcdoc="{escape(page)}"></iframe>'
    )
    path = folder / "frame.html"
    path.write_text(f'<!doctype html><meta charset="utf-8">{frame}{PROBE}</body>', encoding="utf-8")
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        f"--user-data-dir={folder}/profile",
    ]
    command += [*flags, "--virtual-time-budget=5000", "--dump-dom", path.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "CONSOLE" not in ended.stderr, ended.stderr
    output = re.search(r'<pre id="said">(.*?)</pre>', ended.stdout, re.S)
    assert output, ended.stdout[-500:]
    return json.loads(unescape(output[1]))


@in_browser
@pytest.mark.parametrize("width", [390, slow(1280)])
def test_in_a_browser(tmp_path: Path, page: str, width: int) -> None:
    texts = browse(tmp_path, page, width)
    assert texts["width"] == width
    assert texts["overflow"] == 0
    assert texts["cut"] == []
    assert texts["pictures"] == 0
    assert int(str(texts["figures"])) >= 10 * len(puzzles.names())
    up, down = texts["up"], texts["down"]
    assert isinstance(up, list)
    assert len(up) == BOARDS
    assert up == sorted(up)
    assert down == sorted(up, reverse=True)
    assert texts["sorted"] == "ascending"
    assert texts["all"] == BOARDS
    assert 0 < int(str(texts["some"])) < BOARDS
    assert texts["none"] == 0
    assert float(str(texts["text"])) >= 10.5
    assert (texts["ink"], texts["label"]) == ("rgb(31, 35, 40)", "rgb(31, 35, 40)")


@in_browser
@pytest.mark.slow
def test_in_the_dark(tmp_path: Path, page: str) -> None:
    texts = browse(tmp_path, page, 800, "--blink-settings=preferredColorScheme=0")
    assert (texts["ink"], texts["paper"], texts["label"]) == (
        "rgb(230, 237, 243)",
        "rgb(13, 17, 23)",
        "rgb(230, 237, 243)",
    )


@in_browser
@pytest.mark.slow
def test_the_probe_would_see_an_error(tmp_path: Path, page: str) -> None:
    with pytest.raises(AssertionError, match="CONSOLE"):
        browse(
            tmp_path, page.replace('"use strict";', '"use strict"; console.error("broken");'), 390
        )
