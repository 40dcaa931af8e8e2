"""The Python code of docs/python.md passes a type checker, as a reader's own code should that
begins with it. Whether it does what it says, its doctest tries.
"""

from __future__ import annotations

import json
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest

from compare.commands.new.command import TEMPLATES, text_of_template
from tests.installed import needs
from tests.places import ROOT

ANSWERS = """
from typing import assert_type
from puzzles.beams import Beams, Layout
from puzzles.geography import Losing
from puzzles.minesweeper import Deduction
from puzzles.nogo import Game, NoGo
assert_type(layout, Layout)
assert_type(refusal, Layout)
assert_type(refusal.board, Beams | None)
assert_type(models.backends("beams")["cnf"].solve_many([sealed], certify=True), list[Layout])
assert_type(deduction, Deduction)
assert_type(losing, Losing)
assert_type(models.solve(NoGo(grid_of(["."]))), Game)
"""
"""What a type checker has to know of the answers on the page, and of others."""

UNNAMED = """
import direct
from examples.lights import Lights
from puzzles.grid import grid_of
print(direct.solve(Lights(grid_of(["*"]))).anything)
"""
"""A board that does not name its answer: a type checker takes any attribute."""

NAMED = """
import direct
from typing import assert_type
from {answer_module} import {answer}
from {puzzle} import PUZZLE
assert_type(direct.solve(PUZZLE.parse("")[0]), {answer})
"""
"""A template names it."""


def type_check(folder: Path, sources: dict[str, str]) -> None:
    """Assert that pyright finds no error in modules of these names and texts."""
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    settings = {"extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    ended = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
def test_the_code_of_the_page_type_checks(tmp_path: Path) -> None:
    needs("pyright")
    page = (ROOT / "docs" / "python.md").read_text()
    code = "".join(example.source for example in DocTestParser().get_examples(page))
    assert "layout.possible" in code
    type_check(tmp_path, {"page": code + ANSWERS})


@pytest.mark.slow
def test_a_board_of_ones_own_may_name_its_answer(tmp_path: Path) -> None:
    needs("pyright")
    sources = {"unnamed": UNNAMED}
    for template in TEMPLATES:
        module, answer = (
            ("puzzles.grid", "GridSolution")
            if template == "on_a_grid"
            else ("puzzles.case_solution", "CaseSolution")
        )
        sources[template] = text_of_template(template.replace("_", "-"), template)
        sources[f"use_{template}"] = NAMED.format(
            answer_module=module, answer=answer, puzzle=template
        )
    type_check(tmp_path, sources)
