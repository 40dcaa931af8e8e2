"""Tables keep to the lines of the terminal; what goes elsewhere is whole."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import puzzles
from compare.commands.rules.command import fill_paragraphs
from compare.commands.run import views
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.plan import bundled_datasets
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import choose
from compare.engine.work.result import Kind, Result
from compare.show.table import Table, render
from compare.show.wording import columns, widest, wrap
from tests.processes import on_terminal, run_module
from tests.records import record


def default_run(name: str) -> list[Result]:
    """Records of every contender on two boards of each bundled dataset; the second is skipped.

    Times are as long as they get.
    """
    puzzle = puzzles.get(name)
    contenders = [each.name for each in choose(puzzle, [], {})] + ["expected"]
    return [
        record(
            case,
            puzzle=name,
            contender=contender,
            dataset=dataset,
            digest=f"{number:08x}{case:08x}",
            shape=(30, 30),
            wall_s=0.000777,
            **(
                {"build_s": 0.000333, "solve_s": 0.000444} if contender.startswith("models") else {}
            ),
            **({"status": Status.SKIPPED} if case == 2 else {}),
            **({"kind": Kind.GIVEN} if contender == "expected" else {}),
        )
        for number, dataset in enumerate(
            dict.fromkeys(each.name for each in bundled_datasets(puzzle))
        )
        for contender in contenders
        for case in (1, 2)
    ]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", puzzles.names())
def test_the_default_run_fits_the_terminal(name: str, width: int) -> None:
    comparison = Comparison.of(default_run(name))
    whole, shown = (render(views.tables(comparison), "table", each) for each in (None, width))
    assert widest(whole) > 80
    assert widest(shown) <= width
    for contender in comparison.puzzles[name].contenders:
        assert contender.partition(":")[2] in shown
    tables, _ = re.split(r"\n\n(?=a \+ b: |times as long: )", shown, maxsplit=1)
    blocks = tables.split("\n\n")
    for dataset in comparison.puzzles[name].datasets:
        assert all(f"\n{dataset} " in block for block in blocks)
    assert ("--wide shows them apart" in shown) is (widest(whole) > width)
    assert "333 µs + 444 µs" in whole
    assert "times as long: as the reference" in shown


def test_a_side_stays_together() -> None:
    (table,) = views.tables(Comparison.of(default_run("minesweeper")))
    blocks = table.fit(80).split("\n\n")
    assert [block.split("\n")[0].split() for block in blocks] == [
        ["dataset", "boards", "cells", "direct", "direct", "agreed", "proved"],
        ["dataset", "models", "models", "models", "models", "expected"],
    ]


def test_a_table_that_fits_is_left_alone() -> None:
    (table,) = views.tables(Comparison.of([record(1, wall_s=1.0)]))
    assert table.fit(80) == table.fit(None) == table.for_people()


def test_a_name_longer_than_the_line_is_broken() -> None:
    table = Table.of(
        "", ["name", "x" * 100, "n"], [[each, each * 2, "7"] for each in ("a" * 60, "b " * 50)]
    )
    assert widest(table.for_people()) > 200
    shown = table.fit(60)
    assert widest(shown) <= 60
    assert shown.count("a") == 2 * (1 + 60) + 120  # two blocks with a heading and a name each
    assert "7" in shown


def test_prose_is_broken_between_words() -> None:
    line = "SKIPPED: models:cpsat on 3 minesweeper boards: " + "above its limit " * 5
    assert wrap(line, None) == line
    parts = wrap(line, 60).split("\n")
    assert max(map(len, parts)) <= 60
    assert " ".join(part.strip() for part in parts) == line.strip()


def test_a_chinese_character_takes_two_columns() -> None:
    line = "in its words: 如果棋子有两个方向上的相邻棋子属于同一个联通块,那么那个联通块的气-2"
    parts = wrap(line, 40).split("\n")
    assert max(map(columns, parts)) <= 40
    assert len(parts) == 3
    assert "".join(parts).replace(" ", "") == line.replace(" ", "")
    assert widest(line) == columns(line) > len(line)


def test_a_page_keeps_to_the_line_and_its_blocks_stay() -> None:
    rules = puzzles.get("nogo").rules
    shown = fill_paragraphs(rules, 80)
    assert widest(rules) > widest(shown) == 80
    assert shown.split() == rules.split()
    assert re.findall(r"```.*?```", shown, re.S) == re.findall(r"```.*?```", rules, re.S)


def shown(width: int, *words: str, folder: Path) -> str:
    """What a command prints to a terminal of this width."""
    os.environ.pop("COLUMNS", None)
    ended, printed = on_terminal(
        width, lambda terminal: run_module("compare", *words, cwd=folder, stdout=terminal)
    )
    assert ended.returncode == 0
    return printed


@pytest.mark.slow
def test_on_a_terminal(tmp_path: Path) -> None:
    words = ["run", "minesweeper", "-k", "sample or d12", "--out", "runs.jsonl", "--resume"]
    narrow = shown(80, *words, folder=tmp_path)
    assert widest(narrow) <= 80
    assert "ALL AGREE" in narrow
    assert widest(shown(80, *words, "--wide", folder=tmp_path)) > 120


def test_a_claim_on_a_terminal(tmp_path: Path) -> None:
    printed = shown(80, "prove", "nogo-distinct", "--checker", "rup", folder=tmp_path)
    assert widest(printed) <= 80
    for part in (
        "source: a write-up of Luogu P4997",
        "in its words: 如果棋子",
        "in English: if a stone's neighbours",
    ):
        assert part in printed


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
def test_every_default_run_on_a_terminal(width: int, tmp_path: Path) -> None:
    printed = shown(width, "run", folder=tmp_path)
    assert widest(printed) <= width
    assert all(f"{name}\ndataset" in printed for name in puzzles.names())
