"""A check of a user's puzzle may be wrong: what fuzzing says of one that raises, and of one that
proves a wrong answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import puzzles
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import Ask, DatasetCase, ProgramContender, choose
from compare.engine.work.judging import check_safely
from compare.engine.work.result import UNPROVED, Fault, Result, faults_of
from compare.show.messages import whose_fault
from puzzles.answer import Check
from puzzles.beams import BeamsPuzzle
from puzzles.beams.board import Layout
from tests.installed import slow
from tests.places import ROOT
from tests.processes import compare

BEAMS = puzzles.get("beams")
(TWO_SAT,) = choose(BEAMS, ["direct"], {})
PROGRAM = ProgramContender(puzzle="beams", name="mine", command=("true",))
PARTITION = (ROOT / "tests" / "user_puzzles" / "partition.py").read_text()
WRONG = PARTITION.replace("half not in groups", "half not in groups or half > 5")


def raises(puzzle: BeamsPuzzle, board: object, answer: object) -> Check:
    raise KeyError(board.__class__.__name__)


def test_a_broken_check_is_a_fault_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BeamsPuzzle, "check", raises)
    board = BEAMS.parse(BEAMS.example, "<example>")[0]
    check = check_safely(board, Layout(False))
    line = raises.__code__.co_firstlineno + 1
    reason = (
        f"the check is broken: tests/compare/commands/fuzz/test_broken_check.py:{line}: it "
        "raised KeyError: 'Beams'"
    )
    for contender in (TWO_SAT, PROGRAM):
        ask = Ask(contender=contender, cases=[DatasetCase(board)])
        result = Result.of(ask, status=Status.OK, check=check)
        assert faults_of(result) == [Fault(UNPROVED, (contender.name,), reason)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "says"),
    [
        slow(
            WRONG.replace("any(sum(group) == half", "any(sum(group) == -1"),
            "The answers of direct:sums and models:cpsat are both PROVED, so the check of "
            "./partition.py is wrong. Mend it; ",
            id="both are proved",
        ),
        pytest.param(
            WRONG.replace("certificate=()", "").replace(", certifies=True", ""),
            "the check of ./partition.py proves the answer of models:cpsat: if it is right, "
            "direct:sums is wrong",
            id="one is proved",
        ),
    ],
)
def test_nobody_is_blamed_by_the_check_of_a_user(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "partition.py").write_text(text)
    ended = compare("fuzz ./partition.py --cases 2000", cwd=tmp_path, status=1)
    assert "\nCONFLICT: direct:sums says IMPOSSIBLE, models:cpsat says POSSIBLE; " in ended.stdout
    assert f"\n{says}" in ended.stdout
    (saved,) = tmp_path.glob("conflict-*.in")
    assert f"\nreplay: python -m compare run ./partition.py {saved.name}\n" in ended.stdout
    assert "WRONG" not in ended.stdout
    assert "report this" not in ended.stdout


def test_two_answers_that_our_own_check_proves_are_to_be_reported() -> None:
    assert whose_fault(BEAMS, ["direct:two-sat", "models:cnf"], []) == (
        "The answers of direct:two-sat and models:cnf are both PROVED, so the check of beams is "
        "wrong. Please report this board."
    )
