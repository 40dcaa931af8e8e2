"""A contender that has no answer when the time of a search is up is named: it may hang."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from time import sleep

import pytest

import puzzles
from compare.fuzz.batch import Deadline
from compare.fuzz.boards import boards
from compare.fuzz.trials.halving import FailedCall, halving
from compare.fuzz.trials.observed import CutOff, Observed
from compare.isolate.outcome import Status
from puzzles.instance import Instance
from tests.processes import compare

HANGS = """
import time
from direct.{puzzle} import solve
from puzzles.backend import backend

@backend("{puzzle}", "hangs", side="models", source="planted: hangs on more than 16 cells", certifies=True)
def hangs(board, *, certify=False):
    time.sleep(1000 * (board.cells > 16))
    return solve(board, certify=certify)
"""

HANGS_ALONE = """
import sys, time
from direct import solve_text
text = sys.stdin.read()
time.sleep(1000 * (len(text) > 16))
sys.stdout.write(solve_text("nogo", text))
"""

SAID = r"{}: the time was up after (\d\.\d) s on (.*), without an answer: it may hang there, so give more --seconds\n"

TIMEOUT = FailedCall(Status.TIMEOUT, ("mine",), "stopped")


def test_a_call_is_noted_once_with_all_its_boards() -> None:
    stream = boards(puzzles.get("beams"), 1, 0, 8, 6)
    deadline = Deadline(0.2)

    def attempt(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        if part[0] is stream[0] and len(part) <= 2:
            return [Observed() for _ in part]
        sleep(0.06)
        return TIMEOUT if len(part) > 1 else [Observed(untried=deadline.over) for _ in part]

    observed = halving(attempt, ("mine", "other"), stream, deadline)
    assert any(each.untried for each in observed)
    (cut_off,) = [call for each in observed for call in each.cut_off]
    assert cut_off.seconds > 0.15
    largest = max(stream, key=lambda board: board.size).shown_size
    assert cut_off._replace(seconds=0.0) == CutOff(0.0, 8, largest, ("mine", "other"))


def test_what_ends_in_time_is_not_noted() -> None:
    stream = boards(puzzles.get("beams"), 1, 0, 8, 6)

    def attempt(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        return [Observed() for _ in part] if len(part) == 1 else TIMEOUT

    assert not any(each.cut_off or each.untried for each in halving(attempt, ("mine",), stream, Deadline(None)))


@pytest.mark.parametrize("kind", ["plugin", "program"])
def test_a_search_names_it(tmp_path: Path, kind: str) -> None:
    if kind == "plugin":
        (tmp_path / "hangs.py").write_text(HANGS.format(puzzle="beams"))
        words = ["beams", "-b", "direct", "-b", "hangs", "--plugin", "hangs.py"]
        name = "models:hangs"
    else:
        (tmp_path / "hangs.py").write_text(HANGS_ALONE)
        words = ["nogo", "-b", "direct", "--program", "hangs=hangs.py"]
        name = "hangs"
    ended = compare("fuzz", *words, "--seconds", "3", "--jobs", "1", cwd=tmp_path)
    said = re.search(SAID.format(name), ended.stdout)
    assert said is not None, ended.stdout
    assert float(said[1]) >= 1
    assert "CONFLICT" not in ended.stdout
