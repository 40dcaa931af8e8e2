"""A check that raises is named with file and line by fuzzing, too, whoever gave the answer."""

from __future__ import annotations

import pytest

import puzzles
from compare.isolate.outcome import Status
from compare.work.contenders import ProgramContender, choose
from compare.work.faults import UNPROVED, Fault, faults_of
from compare.work.job import Run
from compare.work.judging import check_safely
from puzzles.beams import BeamsPuzzle
from puzzles.beams.board import Layout
from puzzles.verdict import Check

BEAMS = puzzles.get("beams")
(TWO_SAT,) = choose(BEAMS, ["direct"], {})
PROGRAM = ProgramContender(puzzle="beams", name="mine", command=("true",))


def raises(puzzle: BeamsPuzzle, board: object, answer: object) -> Check:
    raise KeyError(board.__class__.__name__)


def test_a_broken_check_is_a_fault_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BeamsPuzzle, "check", raises)
    board = BEAMS.parse(BEAMS.example, "<example>")[0]
    run = Run(status=Status.OK, check=check_safely(board, Layout(False)))
    line = raises.__code__.co_firstlineno + 1
    reason = (
        f"the check is broken: tests/compare/fuzz/test_broken_check.py:{line}: it raised KeyError: "
        "'Beams'"
    )
    for contender in (TWO_SAT, PROGRAM):
        assert faults_of(contender.name, run) == [Fault(UNPROVED, (contender.name,), reason)]
