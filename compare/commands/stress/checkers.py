"""What a checker says of an output: read from its exit status, its message and the files that it
leaves.

Sources: `testlib.h` (`resultExitCode` and `quitp`), and the formats of problem packages of Kattis
(`score.txt` and `score_multiplier.txt`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from compare.commands.stress.stress_plan import BEATEN, OK, WORSE
from compare.engine.work.programs import ProgramOutput
from compare.show.conclusion import WRONG

FAIL = "FAIL"
"""A checker of testlib says so of an output that is better than the reference's, and if it does not
work."""

ACCEPTED, REJECTED = 42, 43
"""The exit statuses of a checker of Kattis."""

_FILES = "judgemessage", "score", "score_multiplier"
"""What such a checker may leave in its folder: its message, and points."""

_KINDS = {0: OK, 1: WRONG, 2: WRONG, 3: FAIL, 4: WRONG, 5: WRONG, 8: WRONG}
"""The exit statuses of testlib: ok, wrong answer, presentation error, fail, dirt, wrong answer as
ejudge has it, unexpected end of file."""

_POINTS_STATUSES = (0, 5, 7)
"""The exit statuses with which versions of testlib give points: 7 today."""

_PARTIALLY_FROM, _RUST_PANIC = 16, 101
"""`_partially` of testlib, to which a share in percent is added; and the exit status of a program
in Rust that fails."""

_PARTIALLY = re.compile(r"partially correct \((\d+)\)")
_VALUE = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?!\w|\.\d)")
_POINTS = re.compile(r"(points\s+)?(-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?)(?=\s|$)")


@dataclass(frozen=True)
class CheckerVerdict:
    """What a checker says of an output.

    Attributes:
        kind: OK, WRONG or FAIL.
        points: how much the output is worth; None if the checker gives no points.
        message: its sentence.
    """

    kind: str
    points: float | None
    message: str

    @property
    def value(self) -> Decimal | None:
        """What the output is worth by its message: the first number there; None without one."""
        number = _VALUE.search(self.message)
        return None if number is None else Decimal(number[0])

    def beside(self, own: CheckerVerdict, program: str, better: str) -> tuple[str, str]:
        """The mark of the program that printed the output, or BEATEN, which is the reference's, and
        a sentence.

        An OK without points is worth 1.

        Args:
            own: what the checker says of the reference's own answer.
            better: `less` or `greater` if values are compared: which of two is better; else empty.
        """
        message = f": {self.message}" if self.message else ""
        if self.kind == FAIL:
            return BEATEN, f"the checker says that the answer of {program} is better{message}"
        if self.kind == WRONG:
            return WRONG, f"the checker says no{message}"
        if better and own.kind == OK and self.value is not None and own.value is not None:
            if self.value == own.value:
                return OK, self.message
            both = f"{self.value}, and the reference's {own.value}"
            if (self.value < own.value) == (better == "less"):
                return BEATEN, f"the checker says that the answer of {program} is worth {both}"
            return WORSE, f"the checker says that it is worth {both}"
        full = 1.0 if own.points is None else own.points
        if own.kind == OK and self.points is not None and self.points < full:
            worth = f"{self.points:g} of the reference's {full:g}"
            return WORSE, f"the checker gives it {worth}{message}"
        return OK, self.message


def verdict_of_testlib(ended: ProgramOutput) -> CheckerVerdict | None:
    """What a checker of testlib says; None if this is no verdict.

    Its message stands on standard error; old versions print it.
    """
    message = ended.last_line or ended.output.decode("utf-8", "replace").strip().partition("\n")[0]
    if partially := _PARTIALLY.match(message):
        return CheckerVerdict(OK, int(partially[1]) / 100, message)
    points = _POINTS.match(message)
    if points and ended.status in _POINTS_STATUSES and (ended.status or points[1]):
        return CheckerVerdict(OK, float(points[2]), message)
    if kind := _KINDS.get(ended.status):
        return CheckerVerdict(kind, None, message)
    share = ended.status - _PARTIALLY_FROM
    if 0 <= share <= 100 and ended.status != _RUST_PANIC:
        return CheckerVerdict(OK, share / 100, message)
    return None


def verdict_of_kattis(ended: ProgramOutput, feedback: Path) -> CheckerVerdict | None:
    """What a checker of Kattis says, which may leave a message and a score in a folder; None if
    this is no verdict.
    """
    if ended.status not in (ACCEPTED, REJECTED):
        return None
    message, *scores = (
        path.read_text(errors="replace").strip() if path.is_file() else ""
        for path in (feedback / f"{name}.txt" for name in _FILES)
    )
    if ended.status == REJECTED:
        return CheckerVerdict(WRONG, None, message or ended.last_line)
    score = next(filter(None, map(_POINTS.fullmatch, scores)), None)
    return CheckerVerdict(OK, float(score[2]) if score else None, message or ended.last_line)
