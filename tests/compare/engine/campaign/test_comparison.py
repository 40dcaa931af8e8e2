"""What a comparison concludes: each contender's result on each instance, the headline, the exit
status.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import puzzles
from compare.commands.run import views
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.summaries import Grade, summaries_of
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import BROKEN_CHECK, NO_CERTIFICATE, UNCERTIFIED, Kind, Result
from compare.show import messages
from puzzles.answer import Check, Verdict
from tests.records import record

NO, YES = np.array([0]), np.array([1])


def ours(case: int = 1, **values: object) -> Result:
    return record(case, **{"check": Verdict.PROVED, **values})


def mine(case: int = 1, **values: object) -> Result:
    check = Verdict.UNPROVED if values.get("status", Status.OK) is Status.OK else None
    return record(case, **{"contender": "mine", "check": check, **values})


EXPECTED = {"contender": "expected", "kind": Kind.GIVEN}


def last_line(*records: Result) -> str:
    return str(messages.verdict(Comparison.of(records)))


def test_each_contender_gets_a_result_on_each_instance() -> None:
    comparison = Comparison.of(
        [
            *(ours(1), mine(1)),
            *(ours(2), mine(2, claims=NO)),
            *(mine(3, check=None), record(3, **EXPECTED)),
            *(record(4, check=None), mine(4, check=None)),
            *(
                mine(5, status=status, repeat=k)
                for k, status in enumerate((Status.OK, Status.CRASH), 1)
            ),
            *(
                mine(6 + k, status=status)
                for k, status in enumerate(
                    (Status.TIMEOUT, Status.MEMORY, Status.ERROR, Status.SKIPPED)
                )
            ),
        ]
    )
    grades = [result.grade for result in summaries_of(comparison.instances, "mine")]
    words = ["right", "WRONG", "right", "open", "CRASH", "TIMEOUT", "MEMORY", "ERROR", "SKIPPED"]
    assert grades == [Grade(word) for word in words]


def cnf(**values: object) -> Result:
    return record(1, **{"contender": "models:cnf", **values})


def unproved(reason: str) -> list[Result]:
    """The answers of two contenders to two boards that stay UNPROVED for this reason."""
    check = Check(Verdict.UNPROVED, reason)
    return [
        record(k, contender=name, check=check) for k in (1, 2) for name in ("direct:a", "models:b")
    ]


NOTHING: dict[str, object] = {"claims": None, "contender": "mine"}
"""An answer that nothing can be compared with."""

CONCLUSIONS: dict[str, tuple[list[Result], str, int, int]] = {
    **{
        f"a program that ends in {status} failed": (
            [ours(1), ours(2), mine(1, status=status), mine(2)],
            f"mine FAILED on 1 of 2: 1 {status}; 2 boards of 1 puzzle; ",
            *(1, 1),
        )
        for status in (Status.TIMEOUT, Status.MEMORY, Status.CRASH, Status.ERROR)
    },
    **{
        f"a backend that ends in {status} is unfinished": (
            [ours(1), cnf(status=status)],
            f"models:cnf UNFINISHED on 1 of 1: 1 {status}; ",
            *(0, 3),
        )
        for status in (Status.TIMEOUT, Status.MEMORY)
    },
    **{
        f"a backend that ends in {status} failed": (
            [ours(1), cnf(status=status)],
            f"models:cnf FAILED on 1 of 1: 1 {status}; ",
            1,
            1,
        )
        for status in (Status.CRASH, Status.ERROR)
    },
    "wrong answers are counted with the rest": (
        [
            *(ours(k) for k in range(1, 5)),
            *(
                mine(1),
                mine(2, claims=NO),
                mine(3, check=Verdict.REFUTED),
                mine(4, status=Status.TIMEOUT),
            ),
        ],
        "mine FAILED on 3 of 4: 2 WRONG, 1 TIMEOUT; 4 boards of 1 puzzle; runs: 7 OK, 1 TIMEOUT; "
        "5 of 7 answers PROVED.",
        *(1, 1),
    ),
    "a conflict that no proof settles names both": (
        [record(1, check=None), mine(1, claims=NO, check=None), ours(2), mine(2)],
        "direct:two-sat and mine in CONFLICT on 1 of 2; 2 boards ",
        *(1, 1),
    ),
    "a missing certificate is a defect though another proves the same": (
        [ours(1), cnf(check=Check(Verdict.UNPROVED, f"{NO_CERTIFICATE}x"))],
        "models:cnf UNPROVED on 1 of 1; ",
        *(1, 1),
    ),
    "nobody promised this certificate": ([ours(1), mine(1)], "ALL AGREE; ", 0, 0),
    "some answers have no certificate": (
        [*unproved(f"{UNCERTIFIED}IMPOSSIBLE without a core"), ours(3), mine(3)],
        "ALL AGREE; 2 of 3 not proved: no certificate; 3 boards ",
        *(0, 3),
    ),
    "a wrong answer without a certificate is not counted twice": (
        [ours(1), mine(1, claims=NO, check=Check(Verdict.UNPROVED, f"{UNCERTIFIED}x"))],
        "mine FAILED on 1 of 1: 1 WRONG; 1 board ",
        *(1, 1),
    ),
    "one answered": (
        [record(1, check=None)],
        "NOTHING COMPARED: only direct:two-sat answered; ",
        0,
        0,
    ),
    "nobody answered": (
        [mine(1, status=Status.SKIPPED, reason="too large")],
        "NOTHING COMPARED: nobody answered; ",
        0,
        3,
    ),
    "answers without claims": (
        [record(1, check=None), record(1, **NOTHING, check=None)],
        "NOTHING COMPARED: the answers of direct:two-sat, mine cannot be compared; ",
        *(0, 0),
    ),
    "all are right": (
        [ours(1), record(1, **NOTHING, check=Verdict.PROVED)],
        "ACCEPTED: direct:two-sat, mine; 1 board of 1 puzzle; ",
        *(0, 0),
    ),
    "the skipped are counted beside it, and given answers are no runs": (
        [
            ours(1),
            record(1, **EXPECTED, check=Verdict.PROVED),
            cnf(status=Status.SKIPPED, reason="too large"),
        ],
        "ALL AGREE; 1 board of 1 puzzle; runs: 1 OK, 1 SKIPPED; 2 of 2 answers PROVED.",
        *(0, 3),
    ),
    "a promised certificate is missing, and another one proves the answer": (
        [ours(1), ours(2), cnf(check=Check(Verdict.UNPROVED, f"{NO_CERTIFICATE}no core"))],
        "models:cnf UNPROVED on 1 of 1; 2 boards of 1 puzzle; runs: 3 OK; "
        "3 of 3 answers PROVED, 1 of them by another one's proof.",
        *(1, 1),
    ),
    **{
        f"unproved: {reason}": (
            unproved(reason),
            "direct:a UNPROVED on 2 of 2; models:b UNPROVED on 2 of 2; 2 boards ",
            exits,
            exits or 3,
        )
        for reason, exits in (
            ("the core can be satisfied", 0),
            ("no refutation within 20000 branches", 0),
            (f"{NO_CERTIFICATE}IMPOSSIBLE without a core", 1),
            (f"{BROKEN_CHECK}puzzles/lights/check.py:7: it raised KeyError: 3", 1),
        )
    },
}
"""Records, how their last line begins, and the exit status, without and with `--strict`."""


@pytest.mark.parametrize("name", CONCLUSIONS)
def test_the_last_line_and_the_exit_status(name: str) -> None:
    records, line, status, strict = CONCLUSIONS[name]
    comparison = Comparison.of(records)
    assert str(messages.verdict(comparison)).startswith(line)
    assert [comparison.exit_status(), comparison.exit_status(strict=True)] == [status, strict]
    assert comparison.exit_status(bad_input=True, strict=True) == (1 if status else 2)
    assert comparison.instances[0].agreed or not line.startswith("ACCEPTED")


def test_what_stays_unproved_is_said_with_its_reason() -> None:
    (line, _) = views.unproved_lines(Comparison.of(unproved("no core")))
    assert (
        line == "UNPROVED: direct:a on beams, dataset some, case 1 (2x3) and 1 more board: no core"
    )


def test_runs_that_are_missing_leave_it_unfinished() -> None:
    records = [ours(1), mine(1)]
    comparison = Comparison(each.run_key for each in records)
    comparison.add(records[0])
    comparison.close()
    assert str(messages.verdict(comparison)).startswith("UNFINISHED: 1 run missing; ")
    assert [comparison.exit_status(), comparison.exit_status(strict=True)] == [0, 3]


def test_a_conflict_names_the_cell_where_the_answers_first_differ() -> None:
    (instance,) = puzzles.get("geography").parse("1 3\n...\n")
    board = {
        "puzzle": "geography",
        "text": instance.text(),
        "digest": instance.digest,
        "shape": (1, 3),
        "format": "loj",
    }
    right = record(
        1,
        contender="direct:matching",
        answer="2\n1 1\n1 3\n",
        claims=np.array([1, 0, 1]),
        check=None,
        **board,
    )
    wrong = record(
        1, contender="mine", answer="1\n1 1\n", claims=np.array([1, 0, 0]), check=None, **board
    )
    (conflict,) = Comparison.of([right, wrong]).conflicts
    assert "they differ first in the cell at 1,3" in messages.describe(conflict).splitlines()


def test_a_long_conflict_shows_its_first_difference_and_points_to_the_rest() -> None:
    rows = ["." * 100] * 100
    wrong = [*rows[:70], "." * 60 + "#" + "." * 39, *rows[71:]]
    texts = {
        "text": "\n".join(["1", "100 100", *rows, ""]),
        "shape": (100, 100),
        "format": "codejam",
    }
    answers = ["\n".join(["Case #1: POSSIBLE", *lines, ""]) for lines in (rows, wrong)]
    records = [
        record(2, contender=name, answer=answer, claims=claims, check=None, **texts)
        for name, answer, claims in zip(("direct:two-sat", "mine"), answers, (YES, NO), strict=True)
    ]
    (conflict,) = Comparison.of(records).conflicts
    lines = messages.describe(conflict, "runs.jsonl").splitlines()
    assert len(lines) <= 30
    assert "Case #1" not in "\n".join(lines)
    marked = [k for k, line in enumerate(lines) if line.startswith("--> ")]
    assert [lines[k] for k in marked] == [f"--> {row}" for row in (rows[70], wrong[70])]
    assert [lines[k + 1] for k in marked] == [" " * 64 + "^"] * 2
    assert lines.count("    ... 68 more lines") == 2
    assert "(what is left out: runs.jsonl has it)" in lines
    assert len(messages.describe(conflict, whole=True).splitlines()) > 300


def test_what_a_program_says_only_in_one_file_with_others_counts() -> None:
    """A proof settles it; without one the program is in conflict with itself, and with whoever
    agrees with it alone.
    """
    wrong = [
        *(ours(k) for k in (1, 2)),
        *(mine(k) for k in (1, 2)),
        mine(1, together=2),
        mine(2, together=2, claims=NO),
    ]
    comparison = Comparison.of(wrong)
    assert str(messages.verdict(comparison)).startswith(
        "mine FAILED on 1 of 2: 1 WRONG; 2 boards of 1 puzzle; runs: 4 OK; "
    )
    assert [result.grade for result in summaries_of(comparison.instances, "mine")] == [
        Grade.RIGHT,
        Grade.WRONG,
    ]
    assert (
        "REFUTED: mine with all 2 in one file, by the proved answer of another"
        in views.disagreements(comparison)[0]
    )
    assert comparison.exit_status() == 1
    (only_there,) = comparison.only_together.values()
    assert views.only_together(only_there).startswith(
        "mine answers 1 of the 2 boards of beams, dataset some, otherwise in one"
    )

    unproved = Comparison.of([replace(each, check=None) for each in wrong])
    itself = (
        "direct:two-sat and mine in CONFLICT on 1 of 2; mine in CONFLICT with itself on 1 of 2; "
    )
    assert (unproved.exit_status(), str(messages.verdict(unproved))[: len(itself)]) == (1, itself)
    alone = Comparison.of([each for each in wrong if each.contender == "mine"])
    assert (alone.exit_status(), alone.instances[0].conflict, alone.instances[1].conflict) == (
        1,
        False,
        True,
    )


def test_the_same_answers_in_one_file_with_others_change_nothing() -> None:
    usual = [*(ours(k, wall_s=0.1) for k in (1, 2)), *(mine(k, wall_s=0.2) for k in (1, 2))]
    comparison = Comparison.of([*usual, *(mine(k, together=2, wall_s=9.0) for k in (1, 2))])
    assert str(messages.verdict(comparison)) == last_line(*usual)
    timings = [result.timing for result in summaries_of(comparison.instances, "mine")]
    assert [timing and timing.wall_s for timing in timings] == [0.2, 0.2]
    assert comparison.puzzles["beams"].relations == Comparison.of(usual).puzzles["beams"].relations
    assert comparison.only_together == {}


def test_a_wrong_answer_that_is_the_same_in_one_file_is_told_once() -> None:
    refuted = {"check": Check(Verdict.REFUTED, "a turret is hit")}
    comparison = Comparison.of(
        [ours(1, claims=NO), mine(1, **refuted), mine(1, together=2, **refuted), ours(2), mine(2)]
    )
    assert [failure.result.together for failure in comparison.failures] == [1]
    assert comparison.only_together == {}


def test_a_partial_program_may_leave_other_things_open_in_one_file() -> None:
    """Of an incomplete answer only what is claimed must be right."""
    proved = {
        "puzzle": "minesweeper",
        "shape": (1, 2),
        "claims": np.array([1, 1, 0]),
        "check": Verdict.PROVED,
    }
    some = {"puzzle": "minesweeper", "shape": (1, 2), "complete": False}
    one, other, wrong = (np.array([1, *claims]) for claims in ((1, -1), (-1, 0), (-1, 1)))
    records = [record(1, **proved), mine(1, claims=one, **some)]
    fewer = Comparison.of([*records, mine(1, together=2, claims=other, **some)])
    assert (fewer.headline, fewer.only_together) == ("ALL AGREE", {})
    comparison = Comparison.of([*records, mine(1, together=2, claims=wrong, **some)])
    assert str(messages.verdict(comparison)).startswith("mine FAILED on 1 of 1: 1 WRONG; ")
