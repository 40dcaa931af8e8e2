"""What checkers of testlib and of Kattis say by their exit statuses, messages and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.commands.stress.checkers import (
    FAIL,
    CheckerVerdict,
    verdict_of_kattis,
    verdict_of_testlib,
)
from compare.commands.stress.stress_plan import BEATEN, OK, WORSE
from compare.engine.work.programs import ProgramOutput
from compare.show.conclusion import WRONG


def ended(status: int, message: str = "", printed: bytes = b"") -> ProgramOutput:
    return ProgramOutput(printed, 0.1, status, message)


@pytest.mark.parametrize(
    ("status", "message", "kind", "points"),
    [
        (0, "ok 3 numbers", OK, None),
        (1, "wrong answer 1st words differ", WRONG, None),
        (2, "wrong output format Unexpected end of file", WRONG, None),
        (3, "FAIL the participant has a better answer", FAIL, None),
        (4, "wrong answer extra tokens", WRONG, None),
        (8, "unexpected eof", WRONG, None),
        (7, "points 0.75 15 of 20", OK, 0.75),
        (7, "0.750 15 of 20", OK, 0.75),
        (7, "points 100", OK, 100.0),
        (7, "points 1", OK, 1.0),
        (7, "points -1.5e-3", OK, -0.0015),
        (5, "points .5", OK, 0.5),
        (5, "wrong answer", WRONG, None),
        (0, "points 0.25 by an old version", OK, 0.25),
        (0, "3 numbers", OK, None),
        (0, "points of interest", OK, None),
        (1, "points 0.5", WRONG, None),
        (16, "", OK, 0.0),
        (16 + 40, "", OK, 0.4),
        (116, "", OK, 1.0),
        (50 + 80, "partially correct (80) as -DTESTSYS has it", OK, 0.8),
        (3, "partially correct (3) as without it", OK, 0.03),
    ],
)
def test_a_checker_of_testlib(status: int, message: str, kind: str, points: float | None) -> None:
    verdict = verdict_of_testlib(ended(status, message))
    assert verdict == CheckerVerdict(kind, points, message)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (7, ""),
        (7, "points"),
        (6, "no such status"),
        (9, ""),
        (101, "note: run with `RUST_BACKTRACE=1`"),
        (126, "sh: 1: checker: Permission denied"),
        (127, "sh: 1: checker: not found"),
        (139, "Segmentation fault"),
        (255, ""),
    ],
)
def test_what_is_no_verdict_of_testlib(status: int, message: str) -> None:
    assert verdict_of_testlib(ended(status, message)) is None


def test_an_old_checker_prints_its_message() -> None:
    verdict = verdict_of_testlib(ended(7, "", b"points 0.5 half\nof it\n"))
    assert verdict == CheckerVerdict(OK, 0.5, "points 0.5 half")


def test_a_checker_of_kattis_leaves_points_in_its_folder(tmp_path: Path) -> None:
    assert verdict_of_kattis(ended(42), tmp_path) == CheckerVerdict(OK, None, "")
    (tmp_path / "score_multiplier.txt").write_text("0.5\n")
    (tmp_path / "judgemessage.txt").write_text("one of two\n")
    assert verdict_of_kattis(ended(42), tmp_path) == CheckerVerdict(OK, 0.5, "one of two")
    (tmp_path / "score.txt").write_text(" 50.5 ")
    assert verdict_of_kattis(ended(42), tmp_path) == CheckerVerdict(OK, 50.5, "one of two")
    assert verdict_of_kattis(ended(43), tmp_path) == CheckerVerdict(WRONG, None, "one of two")
    for status in (0, 1, 3, 7, 44):
        assert verdict_of_kattis(ended(status), tmp_path) is None


def worth(points: float | None) -> CheckerVerdict:
    return CheckerVerdict(OK, points, "")


@pytest.mark.parametrize(
    ("points", "own", "mark"),
    [
        (None, None, OK),
        (1.0, None, OK),
        (1.2, None, OK),
        (0.75, None, WORSE),
        (None, 0.5, OK),
        (0.5, 0.5, OK),
        (0.4, 0.5, WORSE),
        (75.0, 100.0, WORSE),
        (0.0, 0.0, OK),
    ],
)
def test_points_count_beside_those_of_the_reference(
    points: float | None, own: float | None, mark: str
) -> None:
    assert worth(points).beside(worth(own), "fast", "")[0] == mark


def test_each_verdict_has_its_sentence() -> None:
    own, no = worth(None), CheckerVerdict(WRONG, None, "expected 2")
    assert CheckerVerdict(OK, 0.75, "15 of 20").beside(own, "fast", "") == (
        WORSE,
        "the checker gives it 0.75 of the reference's 1: 15 of 20",
    )
    assert no.beside(own, "fast", "") == (WRONG, "the checker says no: expected 2")
    assert CheckerVerdict(FAIL, None, "").beside(own, "fast", "") == (
        BEATEN,
        "the checker says that the answer of fast is better",
    )
    assert worth(0.1).beside(no, "fast", "")[0] == OK


@pytest.mark.parametrize(
    ("message", "own", "better", "mark", "says"),
    [
        ("ok 1184", "ok 901", "less", WORSE, "it is worth 1184, and the reference's 901"),
        ("ok 901.", "ok 901", "less", OK, ""),
        ("890", "ok value 901", "less", BEATEN, "the answer of fast is worth 890, and the "),
        ("1184", "901", "greater", BEATEN, "the answer of fast is worth 1184, and the reference"),
        ("ok -5", "ok -4", "greater", WORSE, "it is worth -5, and the reference's -4"),
        ("ok 0.30", "ok 0.3", "less", OK, ""),
        ("ok 9007199254740993", "ok 9007199254740992", "less", WORSE, "9007199254740993, and"),
    ],
)
def test_values_are_compared_in_their_direction(
    message: str, own: str, better: str, mark: str, says: str
) -> None:
    verdict, reference = CheckerVerdict(OK, None, message), CheckerVerdict(OK, None, own)
    judged = verdict.beside(reference, "fast", better)
    assert judged[0] == mark
    assert says in judged[1]


@pytest.mark.parametrize("message", ["", "ok", "nan", "inf", "worth x9", "v1.5.2"])
def test_a_message_without_a_number_has_no_value(message: str) -> None:
    assert CheckerVerdict(OK, None, message).value is None
