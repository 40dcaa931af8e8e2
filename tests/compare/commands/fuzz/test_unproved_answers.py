"""The last line of `fuzz` where answers are not proved: one contender alone is compared with
nobody, and two that agree may both be wrong.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import compare

NO = """
import direct
from puzzles.backend import backend
from puzzles.beams.board import Layout

def no_mirrors(board, *, certify=False):
    if "/" in "".join(board.lines()):
        return Layout(False)
    return direct.solve(board, certify=certify)

for name in ("no", "also-no"):
    backend("beams", name, side="models", source="planted: says no where there is a mirror")(
        no_mirrors
    )
"""


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    (tmp_path / "no.py").write_text(NO)
    return "--plugin no.py --cases 24 --kind ordinary --jobs 1"


def test_one_contender_alone_without_certificates_is_compared_with_nobody(
    tmp_path: Path, plugin: str
) -> None:
    ended = compare(f"fuzz beams -b no {plugin} --format json", cwd=tmp_path, status=0)
    conclusion = json.loads(ended.stdout)
    assert conclusion["verdict"] == "NOTHING COMPARED"
    assert re.match(
        r"NOTHING COMPARED: only models:no answered; \d+ not proved: no certificate; 24 boards ",
        conclusion["last_line"],
    )
    strict = compare(f"fuzz beams -b no {plugin} --strict", cwd=tmp_path, status=3)
    assert "\nNOTHING COMPARED: only models:no answered; " in strict.stdout


def test_answers_that_agree_and_have_no_certificate_are_counted(
    tmp_path: Path, plugin: str
) -> None:
    line = f"fuzz beams -b no -b also-no {plugin}"
    ended = compare(line, cwd=tmp_path, status=0)
    words = r"^ALL AGREE: nothing found up to \d+x\d+; [1-9]\d* not proved: no certificate; "
    assert re.search(words, ended.stdout, re.MULTILINE), ended.stdout
    compare(line, "--strict", cwd=tmp_path, status=3)


def test_one_contender_alone_has_each_answer_checked(tmp_path: Path) -> None:
    """Where it is compared with others, the later answers of an own puzzle are checked seldom."""
    lights = (ROOT / "examples" / "lights.py").read_text()
    lights = lights.replace("certifies=True", "certifies=False")
    beginning = "    bit = {\n"
    never = lights.replace(beginning, f"    return GridSolution(False)\n{beginning}")
    (tmp_path / "lights.py").write_text(never)
    line = "fuzz lights.py -b elimination --cases 600 --kind ordinary --size 3 --jobs 1"
    ended = compare(line, cwd=tmp_path, status=0)
    assert "only direct:elimination answered; 600 not proved: no certificate; " in ended.stdout


def test_one_contender_whose_answers_are_all_proved_agrees(tmp_path: Path) -> None:
    line = "fuzz beams -b direct --cases 24 --kind ordinary --jobs 1 --strict"
    ended = compare(line, cwd=tmp_path, status=0)
    assert re.search(
        r"^ALL AGREE: nothing found up to \d+x\d+; 24 boards ", ended.stdout, re.MULTILINE
    )
