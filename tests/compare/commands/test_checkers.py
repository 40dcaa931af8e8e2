"""What checkers of testlib and of Kattis say by their exit statuses, messages and files, and what
`check` makes of it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compare.commands.checkers import (
    BEATEN,
    FAIL,
    OK,
    WORSE,
    CheckerVerdict,
    verdict_of_kattis,
    verdict_of_testlib,
)
from compare.engine.work.programs import ProgramOutput
from compare.show.conclusion import WRONG
from tests.processes import compare


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


def test_an_exception_that_nobody_caught_is_no_verdict() -> None:
    crashed = ended(1, "ValueError: boom")._replace(uncaught="ValueError: boom")
    assert verdict_of_testlib(crashed) is None
    assert verdict_of_testlib(crashed._replace(status=2)) is None
    logged = crashed._replace(status=0, last_line="ok 3")
    assert verdict_of_testlib(logged) == CheckerVerdict(OK, None, "ok 3")


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
    assert worth(points).beside(worth(own), "fast", "brute", "")[0] == mark


def test_each_verdict_has_its_sentence() -> None:
    own, no = worth(None), CheckerVerdict(WRONG, None, "expected 2")
    assert CheckerVerdict(OK, 0.75, "15 of 20").beside(own, "fast", "brute", "") == (
        WORSE,
        "the checker gives it 0.75 of the reference's 1: 15 of 20",
    )
    assert no.beside(own, "fast", "brute", "") == (WRONG, "the checker says no: expected 2")
    assert CheckerVerdict(FAIL, None, "").beside(own, "fast", "brute", "") == (
        BEATEN,
        "the checker says that the answer of fast is better",
    )
    assert worth(0.1).beside(no, "fast", "brute", "")[0] == OK


@pytest.mark.parametrize(
    ("message", "own", "better", "mark", "says"),
    [
        (
            "ok 1184",
            "ok 901",
            "less",
            WORSE,
            "fast is worth 1184 and brute 901: less is",
        ),
        ("ok 901.", "ok 901", "less", OK, ""),
        (
            "890",
            "ok value 901",
            "less",
            BEATEN,
            "is beaten: the checker says that fast is",
        ),
        (
            "1184",
            "901",
            "greater",
            BEATEN,
            "worth 1184 and brute 901: greater is",
        ),
        ("ok -5", "ok -4", "greater", WORSE, "fast is worth -5 and brute -4: greater is better"),
        ("ok 0.30", "ok 0.3", "less", OK, ""),
        ("ok 1.2e+06", "ok 1200000", "less", OK, ""),
        ("ok 2e3", "ok 1999", "less", WORSE, "fast is worth 2E+3 and brute 1999"),
        ("ok 9007199254740993", "ok 9007199254740992", "less", WORSE, "9007199254740993 and"),
    ],
)
def test_values_are_compared_in_their_direction(
    message: str, own: str, better: str, mark: str, says: str
) -> None:
    verdict, reference = CheckerVerdict(OK, None, message), CheckerVerdict(OK, None, own)
    judged = verdict.beside(reference, "fast", "brute", better)
    assert judged[0] == mark
    assert says in judged[1]


@pytest.mark.parametrize(
    "message",
    ["", "ok", "nan", "inf", "worth x9", "v1.5.2", "ok -Infinity of 3", "NaN 3", "1e9999"],
)
def test_a_message_without_a_finite_number_has_no_value(message: str) -> None:
    assert CheckerVerdict(OK, None, message).value is None


COINS = """\
import sys
read = lambda place: [int(word) for word in open(place).read().split()]
(total,), coins = read(sys.argv[1]), read(sys.argv[2])
if sum(coins) != total:
    sys.exit("these are not so much")
print("ok", len(coins), file=sys.stderr)
"""
"""A checker of testlib's kind: coins of a given sum, of which few are better."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with that checker, an input, and answers of two, three and no right coins."""
    files = {"coins.py": COINS, "six.in": "6\n", "two": "3 3\n", "three": "4 1 1\n", "no": "5\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def checked(folder: Path, words: str, status: int, checker: str = "coins.py") -> list[str]:
    """The lines that `check` ends with."""
    ended = compare(f"check --checker {checker} {words}", cwd=folder, status=status)
    return (ended.stdout + ended.stderr).splitlines()


def test_check_shows_both_values_and_says_which_is_worse(folder: Path) -> None:
    *table, empty, fault, last = checked(folder, "--better less six.in two three", 1)
    assert [line.split() for line in table[2:]] == [
        ["two", "right", "2", "ok", "2"],
        ["three", "WRONG", "3", "ok", "3"],
    ]
    assert empty == ""
    assert fault == (
        "WRONG: three on six.in: the checker says that three is worth 3 and two 2: less is better"
    )
    assert last == "three FAILED: 1 WRONG; values: two 2, three 3"


@pytest.mark.parametrize(
    ("words", "status", "fault", "last"),
    [
        (
            "--better greater six.in two three",
            1,
            "WRONG: two on six.in: it is beaten: the checker says that three is worth 3 and two 2: "
            "greater is better",
            "two FAILED: 1 WRONG; values: two 2, three 3",
        ),
        (
            "--better less six.in two no",
            1,
            "WRONG: no on six.in: the checker says no: these are not so much",
            "no FAILED: 1 WRONG; values: two 2",
        ),
        (
            "six.in two no",
            1,
            "WRONG: no on six.in: the checker says no: these are not so much",
            "no FAILED: 1 WRONG; 1 input",
        ),
        ("--better less six.in two two", 0, "", "ALL AGREE; values: two 2, two 2"),
        ("six.in two three", 0, "", "ALL AGREE; 1 input"),
    ],
)
def test_check_blames_who_is_worse(
    folder: Path, words: str, status: int, fault: str, last: str
) -> None:
    assert checked(folder, words, status)[-2:] == [fault, last]


def test_check_by_a_checker_has_its_documents(folder: Path) -> None:
    words = "--better less six.in two three --format json --junit out.xml"
    document = json.loads("\n".join(checked(folder, words, 1)))
    assert document["verdict"] == "FAILED"
    assert document["tables"]["answers"][1] == {
        "answer": "three",
        "grade": "WRONG",
        "value": 3,
        "checker says": "ok 3",
    }
    (fault,) = document["faults"]
    assert (fault["kind"], fault["contenders"], fault["input"]) == ("WRONG", ["three"], "6\n")
    sentence = "the checker says that three is worth 3 and two 2: less is better"
    assert fault["text"] == f"WRONG: three on six.in: {sentence}"
    assert "three is worth 3 and two 2: less is better" in (folder / "out.xml").read_text()
    rows = checked(folder, "--better less six.in two three --format csv", 1)
    assert rows[1:] == ["answers,two,right,2,ok 2", "answers,three,WRONG,3,ok 3"]


def test_check_knows_a_checker_of_kattis_and_its_points(folder: Path) -> None:
    (folder / "kattis.py").write_text(
        "import sys\n"
        "share = 1 / len(sys.stdin.read().split())\n"
        "open(sys.argv[3] + 'score.txt', 'w').write(str(share))\n"
        "sys.exit(42)\n"
    )
    *_, fault, last = checked(folder, "six.in no two", 1, "kattis.py")
    assert fault == "WRONG: two on six.in: the checker gives it 0.5 of the reference's 1"
    assert last == "two FAILED: 1 WRONG; 1 input"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "print('ok nan')",
            "the answer of two and says 'ok nan': the first number of its message",
        ),
        ("print('ok inf 3')", "and says 'ok inf 3': the first number of its message must be"),
        ("", "and says nothing: the first number of its message must be"),
        ("1 / 0", "exit status 1: ZeroDivisionError: division by zero. Called as"),
        ("import os; os.kill(os.getpid(), 9)", "and ends with killed by SIGKILL"),
        ("import time; time.sleep(1000)", "and ends with stopped at 2 s"),
    ],
)
def test_check_says_in_a_sentence_that_a_checker_does_not_work(
    folder: Path, code: str, says: str
) -> None:
    (folder / "broken.py").write_text(code)
    (line,) = checked(folder, "--better less six.in two three --timeout 2", 2, "broken.py")
    assert says in line


def test_check_says_whose_answer_has_no_value(folder: Path) -> None:
    (folder / "half.py").write_text(f"{COINS.replace('print', 'len(coins) > 2 or print')}")
    (line,) = checked(folder, "--better less six.in two three", 2, "half.py")
    assert "--better less: " in line
    assert "half.py accepts the answer of three and says nothing: the first number of its" in line


@pytest.mark.parametrize("better", ["", "--better less"])
def test_check_takes_no_exception_for_a_verdict(folder: Path, better: str) -> None:
    """The checker crashes on the second answer alone, and with the exit status of a "no"."""
    boom = f"{COINS}if len(coins) == 3:\n    raise ValueError('boom')\n"
    (folder / "boom.py").write_text(boom)
    lines = checked(folder, f"{better} six.in two three", 2, "boom.py")
    assert lines[0].startswith("--checker: ")
    assert lines[0].endswith(
        "boom.py, on the answer of three: CRASH: exit status 1: ValueError: boom. The input:"
    )
    assert lines[1:] == ["6"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("check --checker coins.py six.in two missing", "missing: No such file or directory"),
        ("check --checker missing.py six.in two three", "--checker: no file 'missing.py'"),
        ("check --better less six.in two three", "--better needs --checker: a program that says"),
        ("check --checker coins.py six.in - -", "only one of input, answer and output can be"),
        (
            "check --checker coins.py six.in no two",
            "does not accept the answer of the reference, no. Called as",
        ),
        (
            "check --checker coins.py six.in two three --answer-format luogu",
            "--answer-format is for a puzzle's answers: --checker knows its own",
        ),
    ],
)
def test_check_refuses_what_a_checker_cannot_judge(folder: Path, words: str, says: str) -> None:
    ended = compare(words, cwd=folder, status=2)
    assert says in ended.stderr
    assert ended.stdout == ""
