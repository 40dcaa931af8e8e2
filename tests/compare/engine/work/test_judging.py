"""A check that is broken is named as such, and a backend that breaks its promise is blamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

import puzzles
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work import asking, judging
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import (
    Ask,
    Contender,
    DatasetCase,
    GivenAnswers,
    ProgramContender,
    choose,
)
from compare.engine.work.judging import claims_of, judge
from compare.engine.work.result import faults_of
from puzzles.answer import Check, Verdict
from puzzles.beams import BeamsPuzzle
from puzzles.beams.board import Layout
from puzzles.declared_types import Malformed
from tests.pools import in_pool
from tests.processes import CompareHere

BEAMS = puzzles.get("beams")
IMPOSSIBLE, POSSIBLE = BEAMS.parse(BEAMS.example, "<example>")
(TWO_SAT,) = choose(BEAMS, ["direct"], {})
PROGRAM = ProgramContender(puzzle="beams", name="mine", command=("true",))


def raises(puzzle: BeamsPuzzle, board: object, answer: object) -> Check:
    raise KeyError(board.__class__.__name__)


def returns_nothing(puzzle: BeamsPuzzle, board: object, answer: object) -> None:
    return None


@pytest.mark.parametrize(
    ("check", "what"),
    [(raises, "it raised KeyError: 'Beams'"), (returns_nothing, "it returned None, not a Check")],
)
def test_a_broken_check_is_named_with_file_and_line(
    check: Callable[..., Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = check.__code__.co_firstlineno + (check is raises)
    reason = f"the check is broken: tests/compare/engine/work/test_judging.py:{line}: {what}"
    monkeypatch.setattr(BeamsPuzzle, "check", check)
    for contender in (TWO_SAT, PROGRAM):
        assert judge(contender, POSSIBLE, Layout(False)) == Check(Verdict.UNPROVED, reason)
    (result,) = in_pool(carry_out, Ask(contender=TWO_SAT, cases=[DatasetCase(POSSIBLE)]))
    assert result.check == Check(Verdict.UNPROVED, reason)


def test_a_backend_promises_a_valid_certificate_and_a_program_does_not() -> None:
    bare, wrong = Layout(False), Layout(False, certificate=(0,))
    assert judge(PROGRAM, POSSIBLE, bare) == Check(
        Verdict.UNPROVED, "no certificate, and none is promised: IMPOSSIBLE without a core"
    )
    promised = judge(TWO_SAT, POSSIBLE, bare)
    assert (
        promised.detail
        == "no certificate, though the backend promises one: IMPOSSIBLE without a core"
    )
    plugin = replace(TWO_SAT, ours=False, certifies=False)
    assert judge(plugin, POSSIBLE, bare) == judge(PROGRAM, POSSIBLE, bare)
    for contender in (TWO_SAT, plugin):
        assert judge(contender, POSSIBLE, wrong).detail.startswith(
            "the certificate is not valid: the core "
        )


class ListLayout(Layout):
    """An answer whose claims are a list."""

    @property
    def claims(self) -> Any:
        return [1]


def test_claims_of_the_wrong_type_are_named_with_file_and_remedy() -> None:
    line = ListLayout.claims.fget.__code__.co_firstlineno  # type: ignore[attr-defined]
    with pytest.raises(Malformed) as error:
        claims_of(ListLayout(False))
    assert str(error.value) == (
        f"tests/compare/engine/work/test_judging.py:{line}: the claims of ListLayout are list: "
        "return a flat NumPy array of np.int64, or None"
    )
    claims = claims_of(Layout(False))
    assert claims is not None
    assert np.array_equal(claims, [0])


def test_a_record_of_such_claims_is_an_error_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Layout, "claims", ListLayout.claims)
    ask = Ask(contender=TWO_SAT, cases=[DatasetCase(POSSIBLE)], check=False)
    (result,) = in_pool(carry_out, ask)
    assert result.status is Status.ERROR
    assert result.reason.startswith("malformed answer: tests/compare/engine/work/test_judging.py:")


def test_the_reason_stands_under_the_table(sample: Path, compare_here: CompareHere) -> None:
    plugin = sample / "plugin.py"
    plugin.write_text(
        "from puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        "@backend('beams', 'never', side='direct', source='a plugin of the tests')\n"
        "def never(board, *, certify=False):\n    return Layout(False)\n"
    )
    words = f"run beams {sample} -b never --plugin {plugin} -k never"
    lines = compare_here(words).stdout.splitlines()
    assert (
        lines[-2]
        == "UNPROVED: direct:never on beams, dataset official, case 1 (1x3) and 4 more boards: "
        "no certificate, and none is promised: IMPOSSIBLE without a core"
    )
    assert lines[-1] == (
        "NOTHING COMPARED: only direct:never answered; 5 of 5 not proved: no certificate; "
        "5 boards of 1 puzzle; runs: 5 OK; 0 of 5 answers PROVED."
    )
    compare_here(f"{words} --strict", status=3)


def _waits(*_: object, **__: object) -> None:
    sleep(60)


@pytest.mark.parametrize("who", [PROGRAM, GivenAnswers(puzzle="beams", name="expected"), TWO_SAT])
def test_a_limit_that_stops_the_reading_of_an_answer_is_nobodys_fault(
    who: Contender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "result_of", _waits)
    monkeypatch.setattr(judging, "_answers", _waits)
    ask = Ask(contender=who, cases=[DatasetCase(POSSIBLE)], check=False, check_s=0.2)
    (result,) = in_pool(carry_out, ask)
    assert (result.status, result.reason) == (
        Status.UNKNOWN,
        "reading its answer did not end: TIMEOUT stopped at 0.2 s",
    )
    assert faults_of(result) == []


def test_the_memory_of_the_judge_is_not_that_of_the_contender(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = BEAMS.print_answers([TWO_SAT.backend.solve(POSSIBLE)], BEAMS.format(None))
    program = replace(PROGRAM, command=("printf", right))
    ask = Ask(contender=program, cases=[DatasetCase(POSSIBLE)], limits=Limits(10.0, 2**25))
    monkeypatch.setattr(asking, "JUDGE_BYTES", 2**32)  # here it is a fork of this large process
    (result,) = in_pool(carry_out, ask)
    assert (result.status, result.verdict) == (Status.OK, Verdict.PROVED)
    monkeypatch.setattr(asking, "JUDGE_BYTES", 0)
    (result,) = in_pool(carry_out, ask)
    assert (result.status, result.reason) == (
        Status.UNKNOWN,
        "reading its answer did not end: MEMORY more than 32 MB resident",
    )
