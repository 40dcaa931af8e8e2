"""Plots that are printed: their numbers as CSV, TeX, legends that keep their place, colours and
markers that tell contenders apart, and the files of `report --plots`.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from itertools import pairwise, starmap
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import puzzles
from compare.commands.report import html
from compare.commands.report.html import svg_of
from compare.commands.report.report_plots import (
    MAX_BOXES,
    VIRTUAL_BEST,
    SolvedBoards,
    cactus,
    most_reported,
    scatter,
    times_by_family,
    values_over_time,
)
from compare.commands.scale.growth_plots import time_against_size
from compare.engine.campaign.journal import RecordFile
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import InstanceKey, Result, TracePoint
from compare.show.plots import (
    OKABE_ITO,
    Dot,
    Plot,
    boxes,
    csv_of,
    legend_labels,
    save,
    shorten,
)
from compare.show.plots_in_tex import escape_tex, tex_of
from puzzles.answer import Check, Verdict
from tests.compare.commands.report.pages import file_of
from tests.installed import needs
from tests.places import ROOT
from tests.processes import CompareHere
from tests.records import record

if TYPE_CHECKING:
    from playwright.sync_api import Browser

needs("jinja2", "matplotlib")

LONG = "models:a-rather-long-name-of-an-encoding-{}@cadical153-with-options"

BOARDS, LIMIT = 6, 10.0


def plots(names: list[str]) -> Iterator[Plot]:
    """Each kind of plot, with these contenders; the last one is stopped on some boards."""
    dots = {
        name: [
            Dot(f"some {board}", 4**board, time, time == LIMIT, f"family {board % 2}")
            for board in range(1, BOARDS + 1)
            for time in [min(LIMIT, 1e-4 * (k + 1 + 9 * (name == names[-1])) * 5.0**board)]
        ]
        for k, name in enumerate(names)
    }
    solved = {
        name: SolvedBoards(
            {dot.board: dot.seconds for dot in some if not dot.stopped},
            BOARDS,
            any(dot.stopped for dot in some),
        )
        for name, some in dots.items()
    }
    drawn = (
        cactus(solved, LIMIT),
        scatter(dots, names[0], LIMIT),
        time_against_size(dots, LIMIT),
        times_by_family(dots, LIMIT),
    )
    return (plot for plot in drawn if plot is not None)


MANY = {
    "1": ["direct:two-sat"],
    "2 long": [LONG.format(k) for k in range(2)],
    "12": [f"contender {k}" for k in range(12)],
    "30": [f"models:cnf@solver{k}" for k in range(30)],
    "20 long": [LONG.format(k) for k in range(20)],
}

PLACES = """() => {
    const box = name => document.querySelector(`g[id$="${name}"]`).getBoundingClientRect();
    const whole = document.querySelector("svg").getBoundingClientRect();
    return [box("axes_1"), box("legend_1"), whole].map(
        each => [each.left, each.top, each.right, each.bottom]);
}"""


@pytest.mark.parametrize("many", MANY)
def test_the_legend_stands_below_the_plot_and_does_not_outgrow_it(
    browser: Browser, many: str
) -> None:
    page = browser.new_page(viewport={"width": 800, "height": 1600})
    kinds = {}
    for plot in plots(MANY[many]):
        page.set_content(f'<div style="width:520px">{svg_of(plot)}</div>')
        axes, legend, whole = page.evaluate(PLACES)
        assert legend[1] >= axes[3], plot.kind
        assert legend[0] >= whole[0] - 1
        assert legend[2] <= whole[2] + 1, plot.kind
        assert legend[3] <= whole[3] + 1
        assert legend[3] - legend[1] < axes[3] - axes[1], plot.kind
        kinds[plot.kind] = whole[2] - whole[0]
    page.close()
    assert len(kinds) == 3 + (many != "1")  # one contender alone has no scatter plot
    assert len(set(kinds.values())) == 1  # all are as wide, so texts have one size


def test_names_are_shortened_and_stay_different() -> None:
    names = ["direct:two-sat", *(LONG.format(k) for k in range(20))]
    for width in (12, 17, 25):
        short = shorten(names, width)
        assert max(map(len, short)) <= width
        assert len({*short}) == len(names)
    assert shorten(names, 17)[0] == "direct:two-sat"
    assert shorten(["ab" * 20, "ab" * 20 + "c"], 12)[1] != shorten(["ab" * 20], 12)[0]
    layout, labels = legend_labels(names, {names[0]: "3 of 4"})
    assert layout.columns == 2
    assert labels[0] == "direct:two-sat:  3 of 4"


def test_a_grid_of_one_backend_is_named_by_the_values_of_its_options() -> None:
    grid = [
        f"models:totals:card={card},solver={solver}"
        for card in ("seqcounter", "totalizer")
        for solver in ("cadical195", "glucose4")
    ]
    short = ["direct:pebbles", "seqcounter, cadical195", "seqcounter, glucose4"]
    assert shorten(["direct:pebbles", *grid], 24)[:3] == short
    assert shorten(grid, 60) == grid
    others = [name.replace("totals", "sums") for name in grid]
    assert "…" in "".join(shorten([*grid, *others], 24))
    assert len({*shorten(["a,b=c,d=e", "cut=by=nobody", *grid], 12)}) == 6
    assert shorten([grid[0], f"{grid[0]}, bound"], 40)[1] == "seqcounter, cadical195, bound"


def test_a_plot_of_few_names_them_in_a_line_each_and_along_its_axes() -> None:
    pair = "seqcounter", "mtotalizer"
    grid = [f"models:cnf-totalizer:card={card},solver=minisat22" for card in pair]
    for plot in plots([*grid, *(name.replace("minisat", "glucose") for name in grid)]):
        _, labels = legend_labels([curve.name for curve in plot.curves], {})
        assert not any("\n" in label for label in labels), plot.kind
        assert "mtotalizer, glucose22" in labels
    (two,) = (plot for plot in plots(grid) if plot.kind == "scatter")
    assert (two.x, two.y) == ("time of seqcounter, minisat22", "time of mtotalizer, minisat22")


@pytest.mark.parametrize("boards", [1, 2, 7, 18, 30, 61, 999, 30_000])
def test_the_last_tick_of_a_cactus_plot_is_the_number_of_boards(boards: int) -> None:
    plot = cactus({"a": SolvedBoards({"x": 1.0}, boards), "b": SolvedBoards({}, 1)}, LIMIT)
    assert plot is not None
    ticks = plot.count_ticks
    assert (ticks[0], ticks[-1]) == (0, boards)
    assert len(ticks) <= 6
    *steps, last = (end - start for start, end in pairwise(ticks))
    assert len({*steps}) <= 1
    assert 3 * last >= 2 * max([last, *steps])
    assert f"xtick={{{','.join(map(str, ticks))}}}" in tex_of(plot, "x")
    assert f">{boards:,}</text>" in svg_of(plot)


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_neighbours_differ_in_grey_and_nobody_has_the_look_of_another() -> None:
    assert {*OKABE_ITO} <= {
        *("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
    }
    grey = [116 * luminance(each) ** (1 / 3) - 16 for each in (*OKABE_ITO, OKABE_ITO[0])]
    assert min(abs(one - other) for one, other in pairwise(grey)) > 5
    (plot, *_) = plots([f"contender {k}" for k in range(20)])
    looks = re.findall(r"\\addplot\[(c\d, [^,]*, mark=.*?), mark repeat", tex_of(plot, "x"))
    assert len(looks) == len({*looks}) == 20
    assert sum(look.count("mark=star") for look in looks) == 1


def rows_of(plot: Plot | str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(plot if isinstance(plot, str) else csv_of(plot))))


def test_the_virtual_best_takes_the_fastest_time_of_each_board() -> None:
    solved = {
        "a": SolvedBoards({"x": 1.0, "y": 5.0}, 4),
        "b": SolvedBoards({"y": 2.0, "z": 3.0}, 4),
        "c": SolvedBoards({}, 4),
    }
    plot = cactus(solved, LIMIT)
    assert plot is not None
    best = [row for row in rows_of(plot) if row["contender"] == VIRTUAL_BEST]
    assert [(row["board"], float(row["seconds"])) for row in best] == [
        ("x", 1.0),
        ("y", 2.0),
        ("z", 3.0),
    ]
    assert [curve.rank for curve in plot.curves] == [0, 1, 2, None]
    assert [curve.note for curve in plot.curves] == [
        "2 of 4",
        "2 of 4",
        "0 of 4",
        "3 of 4",
    ]
    alone = cactus({"a": solved["a"]}, LIMIT)
    assert alone is not None
    assert len(alone.curves) == 1
    assert cactus({"c": solved["c"]}, LIMIT) is None


def test_a_box_has_the_quartiles_of_its_family() -> None:
    times = [1.0, 2.0, 4.0, 8.0, 10.0]
    dots = {
        "a": [Dot(f"f {k}", 9, time, time == 10.0, "f") for k, time in enumerate(times)],
        "b": [Dot("g 0", 9, 10.0, True, "g")],
    }
    plot = times_by_family(dots, LIMIT)
    assert plot is not None
    (one, at, room, box), (other, at_other, _, stopped) = boxes(plot)
    assert (one.name, at, room) == ("a", 0.0, 0.8)
    assert box == (1.0, 2.0, 4.0, 8.0, 10.0, False)
    assert (other.name, at_other, stopped.median, stopped.stopped) == ("b", 1.0, 10.0, True)
    assert {(row["family"], row["stopped"]) for row in rows_of(plot)} == {
        ("f", "0"),
        ("f", "1"),
        ("g", "1"),
    }


@pytest.mark.parametrize("contenders", [1, 3, 12, 60])
def test_boxes_of_many_families_fit_on_a_page(contenders: int) -> None:
    """Single boards never have a box of their own where there are many; no board is left out."""
    boards = [(f"file {k}", f"file {k} 1") for k in range(300)]
    boards += [(f"folder {k}", f"folder {k} {board}") for k in range(4) for board in range(5 + k)]
    dots = {
        f"c{rank}": [Dot(board, 9, 1.0 + rank, False, family) for family, board in boards]
        for rank in range(contenders)
    }
    plot = times_by_family(dots, LIMIT)
    assert plot is not None
    assert len(boxes(plot)) + len(plot.groups) <= max(MAX_BOXES, contenders + 1)
    assert sum(len(curve.points) for curve in plot.curves) == len(boards) * contenders
    own = {1: 4, 3: 4, 12: 2, 60: 0}[contenders]
    largest = [f"folder {k}" for k in range(4)][4 - own :]
    others = f"{304 - own} {'other ' if own else ''}datasets"
    assert sorted(plot.groups) == sorted([*largest, others])


NAMES = ["50%_{a}#&$^~\\", "b|<c>", "ünïcode …\x07 漢"]


def test_tex_has_balanced_braces_every_number_and_no_bare_sign() -> None:
    assert escape_tex(NAMES[0]) == (
        r"50\%\_\{a\}\#\&\$\textasciicircum{}\textasciitilde{}\textbackslash{}"
    )
    assert escape_tex(NAMES[2]) == r"ünïcode \dots{}? ?"
    for plot in plots(NAMES):
        text = tex_of(plot, "x")
        body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
        bare = re.sub(r"\\[{}]", "", body)
        assert bare.count("{") == bare.count("}")
        assert re.search(r"(?<!\\)[#&~%]", body) is None
        assert body.count(r"\begin{") == body.count(r"\end{") == 2
        entries = re.findall(r"\\addlegendentry\{(.*)\}$", body, re.M)
        assert len(entries) == len({*entries}) == len(plot.curves) + 1 + plot.square
        if not plot.groups:
            drawn = re.findall(r"\(([^(),]+),([^(),]+)\)", body)
            for curve in plot.curves:
                for point in curve.points:
                    assert (f"{point.x:.6g}", f"{point.y:.6g}") in drawn
        lines = re.findall(r"%\s+(pdflatex .*)", text)
        assert len(lines) == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.slow
def test_tex_is_set_by_latex(tmp_path: Path) -> None:
    for plot in plots(NAMES):
        path = tmp_path / f"{plot.kind}.tex"
        save(plot, path, "--plots")
        (line,) = re.findall(r"%\s+(pdflatex .*)", path.read_text())
        words = line.replace("pdflatex", "pdflatex -interaction=nonstopmode -halt-on-error", 1)
        ended = subprocess.run(
            ["bash", "-c", words], cwd=tmp_path, capture_output=True, check=False
        )
        assert ended.returncode == 0, ended.stdout[-2000:]
        assert (tmp_path / f"{plot.kind}-alone.pdf").stat().st_size > 5000


def runs() -> list[Result]:
    """Three contenders, two repeats: `mine` is wrong once and stopped once."""
    results: list[Result] = []
    for case in range(1, 6):
        for repeat in (1, 2):
            wall = 1e-3 * case * (1 + 0.2 * repeat)
            known = {"repeat": repeat, "check": Verdict.PROVED, "size": 10 * case}
            results.append(record(case, **known, contender="direct:two-sat", wall_s=wall))
            results.append(record(case, **known, contender="models:cnf", wall_s=30 * wall))
            changes: Mapping[str, object] = {}
            if case == 1:
                changes = {"check": Verdict.REFUTED}
            elif case == 5:
                changes = {"status": Status.TIMEOUT, "check": None}
            seconds = LIMIT if case == 5 else 3 * wall
            results.append(
                record(case, **{**known, "contender": "mine", "wall_s": seconds, **changes})
            )
    return results


@pytest.fixture
def records(tmp_path: Path) -> Path:
    file_of(tmp_path / "runs.jsonl", runs())
    return tmp_path / "runs.jsonl"


def tardy(
    contender: str,
    wall_s: float,
    value: int | None,
    bound: int | None = None,
    **changes: Any,
) -> Result:
    """The result of a run of the example `tardiness`, whose solution the check has verified."""
    known = {"puzzle": "tardiness", "contender": contender, "wall_s": wall_s, "format": "plain"}
    check = None if value is None else Check(Verdict.UNPROVED, value=value)
    return record(3, **{**known, "value": value, "bound": bound, "check": check, **changes})


def of_a_search() -> list[Result]:
    """An exact answer, a heuristic, a search that was stopped, and a wrong answer."""
    puzzles.find(str(ROOT / "examples" / "tardiness.py"))
    reports = ((0.5, None, 2), (1.0, 90, 2), (4.0, 40, 7))
    trace = tuple(starmap(TracePoint, reports))
    stopped = {"status": Status.TIMEOUT, "claims": np.array([1]), "trace": trace}
    proved = {"check": Check(Verdict.PROVED, value=30)}
    refuted = {"check": Check(Verdict.REFUTED, "it is worth 50", value=50)}
    return [
        tardy("direct:subsets", 2.0, 30, 30, **proved),
        tardy("direct:due-first", 0.001, 60, complete=False),
        tardy("models:cpsat", 10.0, 40, 7, **stopped),
        tardy("models:wrong", 3.0, 20, 20, **refuted),
    ]


RANKS = {"direct:subsets": 0, "direct:due-first": 1, "models:cpsat": 2, "models:wrong": 3}


def test_values_and_bounds_are_drawn_over_time_beside_the_best_value() -> None:
    plot = values_over_time(of_a_search(), RANKS, LIMIT)
    assert plot is not None
    assert {
        (curve.name, curve.rank): [(point.x, point.y) for point in curve.points]
        for curve in plot.curves
    } == {
        ("direct:subsets", 0): [(2.0, 30)],
        ("direct:due-first", 1): [(0.001, 60)],
        ("models:cpsat", 2): [(1.0, 90), (4.0, 40), (10.0, 40)],
        ("models:cpsat, bound", 2): [(0.5, 2), (1.0, 2), (4.0, 7), (10.0, 7)],
        ("the optimum: 30", None): [(0.001, 30), (10.0, 30)],
    }
    assert {row["board"] for row in rows_of(plot)} == {"some 3"}
    assert tex_of(plot, "x").count("const plot") == 4
    huge = tardy("models:huge", 1.0, 10**16)
    assert values_over_time([huge], {"models:huge": 0}, LIMIT) is None
    others = values_over_time(of_a_search()[1:], RANKS, LIMIT)
    assert others is not None
    assert others.curves[-1].name == "the best known: 40"


def test_cases_in_which_most_was_reported_are_drawn() -> None:
    points = {InstanceKey("tardiness", "some", None, k, ""): (7 * k) % 10 for k in range(10)}
    assert [points[case] for case in most_reported(points)] == [9, 8, 7, 6, 5, 4]


def test_the_report_says_the_direction_the_gaps_and_the_course_of_a_search(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    file_of(tmp_path / "runs.jsonl", of_a_search())
    puzzle = str(ROOT / "examples" / "tardiness.py")
    words = ("--puzzle", puzzle, "--plots", str(tmp_path / "plots"), "--format", "csv")
    printed = report(compare_here, tmp_path / "runs.jsonl", *words)
    assert "tardiness-values-some-3.csv" in printed
    text = (tmp_path / "page.html").read_text()
    assert "A smaller value is better." in text
    assert 'aria-label="Value and bound over time: dataset some, case 3"' in text
    gaps = text.partition("How good solutions are</h3>")[2].partition("</table>")[0]
    row = next(part for part in gaps.split("</tr>") if ">models:cpsat<" in part)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", row)
    assert cells[2:8] == ["models:cpsat", "40", "7", "30", "optimum", "10"]
    scores = text.partition(">PAR-2</h3>")[2].partition("What is proved</h3>")[0]
    ranked, apart = scores.partition("not ranked")[::2]
    assert "due-first" not in ranked
    assert re.search(r"due-first.*claims only a part", apart, re.S)
    solved = rows_of((tmp_path / "plots" / "tardiness-cactus.csv").read_text())
    assert {row["contender"] for row in solved} == {"direct:subsets", VIRTUAL_BEST}
    rows = rows_of((tmp_path / "plots" / "tardiness-values-some-3.csv").read_text())
    assert [row["value"] for row in rows if row["contender"] == "models:cpsat"] == [
        "90",
        "40",
        "40",
    ]


def report(compare_here: CompareHere, records: Path, *words: str, status: int = 0) -> str:
    """What `report` prints, on either stream."""
    page = str(records.parent / "page.html")
    ended = compare_here("report", str(records), "-o", page, *words, status=status)
    return ended.stdout + ended.stderr


def test_the_numbers_of_the_files_are_those_of_the_records(
    records: Path, compare_here: CompareHere
) -> None:
    folder = records.parent / "new" / "plots"
    printed = report(compare_here, records, "--plots", str(folder), "--format", "csv")
    kinds = ("boxes", "cactus", "growth", "scatter")
    assert sorted(path.name for path in folder.iterdir()) == [f"beams-{k}.csv" for k in kinds]
    assert "beams-cactus.csv" in printed
    times: dict[tuple[str, str], list[float]] = {}
    for each in runs():
        assert each.usage.wall_s is not None
        times.setdefault((each.contender, f"some {each.number}"), []).append(each.usage.wall_s)
    medians = {key: median(some) for key, some in times.items()}
    tables = {kind: rows_of((folder / f"beams-{kind}.csv").read_text()) for kind in kinds}
    for kind in ("boxes", "growth"):
        assert len(tables[kind]) == len(medians)
    for kind, rows in tables.items():
        for row in rows:
            name = row["contender"].removesuffix(" with start")
            if name != VIRTUAL_BEST:
                assert float(row["seconds"]) == pytest.approx(medians[name, row["board"]])
        stopped = [row["board"] for row in rows if row["stopped"] == "1"]
        assert stopped == ([] if kind == "cactus" else ["some 5"])
    cactus_of_mine = [row for row in tables["cactus"] if row["contender"].startswith("mine")]
    assert {row["board"] for row in cactus_of_mine} == {"some 2", "some 3", "some 4"}
    for row in tables["scatter"]:
        base = medians["direct:two-sat", row["board"]]
        assert float(row["reference_seconds"]) == pytest.approx(base)
    assert {int(row["cells"]) for row in tables["growth"]} == {10, 20, 30, 40, 50}


@pytest.mark.parametrize(
    ("format", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF-"), ("tex", b"% Boards solved")]
)
def test_each_format_has_its_files_and_the_numbers_beside_them(
    records: Path, compare_here: CompareHere, format: str, begins: bytes
) -> None:
    folder = records.parent / "plots"
    report(compare_here, records, "--plots", str(folder), "--format", format)
    assert len(list(folder.iterdir())) == 8
    drawn = (folder / f"beams-cactus.{format}").read_bytes()
    assert drawn.startswith(begins)
    assert rows_of((folder / "beams-cactus.csv").read_text())
    again = records.parent / "again" / f"beams-cactus.{format}"
    again.parent.mkdir()
    save(html.page([RecordFile(str(records))]).plots["beams-cactus"], again, "--plots")
    assert again.read_bytes() == drawn


def test_chosen_contenders_and_a_reference(records: Path, compare_here: CompareHere) -> None:
    folder = records.parent / "plots"
    words = ["--plots", str(folder), "--format", "csv", "-b", "mine", "-b", "cnf"]
    report(compare_here, records, *words, "--reference", "mine")
    rows = rows_of((folder / "beams-scatter.csv").read_text())
    assert {row["contender"] for row in rows} == {"models:cnf"}
    assert {row["reference_stopped"] for row in rows} == {"0", "1"}
    page = (records.parent / "page.html").read_text()
    assert "two-sat" not in page
    assert re.search(r"<h1[^>]*><strong>mine FAILED on 2 of 5", page)
    report(compare_here, records, "--reference", "cnf")
    table = (records.parent / "page.html").read_text().partition('<table class="contenders')[2]
    row = next(part for part in table.split("</tr>") if ">models:cnf<" in part)
    assert re.findall(r"<td[^>]*>([^<]*)</td>$", row) == ["1 on 5 boards"]
    printed = report(compare_here, records, "-b", "nobody", status=2)
    assert printed == (
        "--backend nobody: no contender is called so; there are direct:two-sat, models:cnf, mine\n"
    )
    printed = report(compare_here, records, "-b", "mine", "--reference", "cnf", status=2)
    assert printed == "--reference cnf: no contender is called so; there are mine\n"


def test_one_contender_has_no_scatter_plot_and_nothing_solved_no_cactus_plot(
    records: Path, compare_here: CompareHere
) -> None:
    folder = records.parent / "plots"
    printed = report(compare_here, records, "--plots", str(folder), "-b", "cnf", "--format", "csv")
    assert "no plot beams-scatter: it takes two contenders with a time on the same board" in printed
    assert not (folder / "beams-scatter.csv").exists()
    assert (folder / "beams-cactus.csv").exists()
    crashed = [record(1, contender="mine", status=Status.CRASH, reason="signal 11")]
    file_of(records, crashed)
    empty = records.parent / "empty"
    printed = report(compare_here, records, "--plots", str(empty))
    assert "no plot beams-cactus: nobody solved anything" in printed
    assert "no plot beams-boxes: nothing was timed" in printed
    assert f"{empty}: no plot" in printed
    assert list(empty.iterdir()) == []


def test_what_is_there_is_replaced_only_with_overwrite(
    records: Path, compare_here: CompareHere
) -> None:
    folder = records.parent / "plots"
    folder.mkdir()
    (folder / "mine.txt").write_text("kept")
    kept = folder / "beams-cactus.csv"
    kept.write_text("old")
    words = ["--plots", str(folder), "--format", "csv"]
    printed = report(compare_here, records, *words, status=2)
    assert printed == f"{kept} is there already: --overwrite replaces plots\n"
    assert sorted(path.name for path in folder.iterdir()) == ["beams-cactus.csv", "mine.txt"]
    report(compare_here, records, *words, "--overwrite")
    assert kept.read_text().startswith("contender,")
    assert (folder / "mine.txt").read_text() == "kept"


def test_folders_that_cannot_be_written(records: Path, compare_here: CompareHere) -> None:
    printed = report(compare_here, records, "--plots", str(records), status=2)
    assert printed == f"--plots {records}: File exists\n"
    assert report(compare_here, records, "--format", "pdf", status=2) == (
        "--format pdf needs --plots DIR\n"
    )
    assert report(compare_here, records, "--overwrite", status=2) == (
        "--overwrite needs --plots DIR\n"
    )
    printed = report(compare_here, records, "--plots", f"{records}/below", status=2)
    assert printed == f"--plots {records}/below: Not a directory\n"
    locked = "/proc/1" if os.geteuid() == 0 else str(records.parent / "locked")
    Path(locked).mkdir(mode=0o500, exist_ok=True)
    printed = report(compare_here, records, "--plots", locked, status=2)
    assert printed.startswith(f"--plots {locked}: ")
    assert not (records.parent / "page.html").exists()
