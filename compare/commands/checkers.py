"""A user's checker: how it is started, and what it says of an output. That is read from its exit
status, its message and the files that it leaves.

Sources: `testlib.h` (`resultExitCode` and `quitp`), and the formats of problem packages of Kattis
(`score.txt` and `score_multiplier.txt`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Protocol

from compare.commands.arguments import CHECKER, INPUTS
from compare.engine.isolate.outcome import Limits, Outcome, Status, with_reason
from compare.engine.work.asking import start_program
from compare.engine.work.pool import Pool
from compare.engine.work.programs import ProgramFiles, ProgramOutput, run_program
from compare.engine.work.source_programs import words_of
from compare.show.conclusion import WRONG
from puzzles.shell.argument_parser import Argument
from puzzles.shell.process_tree import ending
from puzzles.shell.scratch_folder import scratch_folder
from puzzles.text import UserError, excerpt

CHECKER_ARGUMENTS = (
    replace(
        CHECKER,
        help="judges an output: one of testlib or of Kattis; it may give points",
        replayed=True,
    ),
    Argument(
        "--better",
        "the checker says what an output is worth, by the first number of its message: which "
        "of two values is better; a reference that is beaten is WRONG, too: exit status 1",
        choices=("less", "greater"),
        group=INPUTS,
        replayed=True,
    ),
)

OK, WORSE, BEATEN = "OK", "WORSE", "BEATEN"
"""What is said of an output, beside WRONG: that the checker says no. WORSE: the checker gives it
less points than the reference's, or its value is worse. BEATEN: of the reference's, the checker
says that another one is better.
"""

WRONG_ANSWERS = (WRONG, WORSE, BEATEN)
"""The marks that people know as WRONG."""

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

_UNCAUGHT_STATUSES = 1, 2
"""With which Python, Java and Node.js end at an exception that nobody caught, and Go. They say
something else in testlib, where no checker means them.
"""

_PARTIALLY_FROM, _RUST_PANIC = 16, 101
"""`_partially` of testlib, to which a share in percent is added; and the exit status of a program
in Rust that fails."""

_MAX_SHOWN, _MAX_SHOWN_COLUMNS = 10, 120
"""Lines of an input that a message shows, and characters of a line."""

_PARTIALLY = re.compile(r"partially correct \((\d+)\)")
_VALUE = re.compile(
    r"(?<![\w.])[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?|nan|inf(?:inity)?)(?!\w|\.\d)",
    re.IGNORECASE,
)
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
        """What the output is worth by its message: the first number there; None without one, or if
        that is not finite.
        """
        number = _VALUE.search(self.message)
        value = None if number is None else Decimal(number[0])
        return value if value is not None and value.is_finite() else None

    def beside(
        self, own: CheckerVerdict, program: str, reference: str, better: str
    ) -> tuple[str, str]:
        """The mark of the program that printed the output, or BEATEN, which is the reference's, and
        a sentence.

        An OK without points is worth 1.

        Args:
            own: what the checker says of the reference's own answer.
            program, reference: what the two are called.
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
            says = (
                f"the checker says that {program} is worth {self.value} and {reference} "
                f"{own.value}: {better} is better"
            )
            if (self.value < own.value) == (better == "less"):
                return BEATEN, f"it is beaten: {says}"
            return WORSE, says
        full = 1.0 if own.points is None else own.points
        if own.kind == OK and self.points is not None and self.points < full:
            worth = f"{self.points:g} of the reference's {full:g}"
            return WORSE, f"the checker gives it {worth}{message}"
        return OK, self.message


def verdict_of_testlib(ended: ProgramOutput) -> CheckerVerdict | None:
    """What a checker of testlib says; None if this is no verdict, but a crash, for example.

    Its message stands on standard error; old versions print it.
    """
    if ended.uncaught and ended.status in _UNCAUGHT_STATUSES:
        return None
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


class Starts(Protocol):
    """How programs are started."""

    @property
    def folder(self) -> str | None:
        """For files; None for the system's own one."""
        ...

    def program(
        self, command: Sequence[str], data: bytes, files: ProgramFiles | None = None
    ) -> Outcome:
        """How a program ended; the value is its output."""
        ...

    def start(self, command: Sequence[str], data: bytes, statuses: Sequence[int]) -> Outcome:
        """How a program ended that may end with these statuses; the value is a `ProgramOutput`."""
        ...


@dataclass(frozen=True)
class PoolStarts:
    """Starts of programs, each in a call of its own, as main makes them; see `Starts`."""

    pool: Pool
    limits: Limits
    folder: None = None

    def program(
        self, command: Sequence[str], data: bytes, files: ProgramFiles | None = None
    ) -> Outcome:
        return start_program(self.pool, command, data, self.limits, files)

    def start(self, command: Sequence[str], data: bytes, statuses: Sequence[int]) -> Outcome:
        with self.pool.starter() as starter:
            return starter.call(
                run_program, command, data, self.limits, statuses, limits=self.limits
            )


@dataclass(frozen=True)
class OutputChecker:
    """A checker.

    Attributes:
        command: the words that start it.
        better: `less` or `greater` if it says what an output is worth: which of two values is
            better; else empty.
        is_kattis: whether it is called as Kattis does it, and not as testlib does.
    """

    command: tuple[str, ...]
    better: str = ""
    is_kattis: bool = False

    @classmethod
    def of(cls, command: str | None, better: str | None) -> OutputChecker | None:
        """The one that `CHECKER_ARGUMENTS` ask for; None if they name none.

        Raises:
            UserError: it is not there, or only half of the two is given.
        """
        if command is not None:
            return cls(words_of("--checker", command), better or "")
        if better:
            raise UserError("--better needs --checker: a program that says what an output is worth")
        return None

    def verdict(
        self, starts: Starts, data: bytes, output: bytes, expected: bytes, name: str
    ) -> CheckerVerdict:
        """What it says of an output. `name`: whose that is.

        Raises:
            UserError: it does not work: it ends in a way that says nothing, or says FAIL of the
                reference's own answer.
        """
        ended = self._run(starts, data, output, expected)
        if ended.ok and ended.value.kind == FAIL and output == expected:
            ended = replace(ended, status=Status.CRASH)
        if not ended.ok:
            raise helper_failure("--checker", self.command, ended, data, whose=name)
        verdict: CheckerVerdict = ended.value
        if self.better and verdict.kind == OK and verdict.value is None:
            quoted = repr(verdict.message) if verdict.message else "nothing"
            raise UserError(
                f"--better {self.better}: {' '.join(self.command)} accepts the answer of {name} "
                f"and says {quoted}: the first number of its message must be what the answer is "
                "worth, as in `ok 901`"
            )
        return verdict

    def in_its_style(
        self, starts: Starts, data: bytes, answer: bytes, name: str, kinds: Sequence[str]
    ) -> OutputChecker:
        """The checker, which knows whether it is one of Kattis: called in that way, it then ends
        with 42 or 43.

        Args:
            answer: of the reference, which is called `name`.
            kinds: what it may say of that answer.

        Raises:
            UserError: it says that neither as Kattis calls a checker nor as testlib does.
        """
        ended: list[Outcome] = []
        for is_kattis in (True, False):
            checker = replace(self, is_kattis=is_kattis)
            each = checker._run(starts, data, answer, answer)
            if each.ok and each.value.kind in kinds:
                return checker
            ended.append(each)
        raise UserError(
            f"--checker: {' '.join(self.command)} does not accept the answer of the reference, "
            f"{name}. Called as `checker INPUT OUTPUT ANSWER` (testlib) it should end with status "
            f"0, or give points, and ends with {ended[1].detail}. Called as `checker INPUT ANSWER "
            "FOLDER < OUTPUT` (Kattis) it should end with status 42, and ends with "
            f"{ended[0].detail}"
        )

    def _run(self, starts: Starts, data: bytes, output: bytes, expected: bytes) -> Outcome:
        """How a start of it ended; the value is a `CheckerVerdict`.

        That of testlib gets three files; that of Kattis a folder, and the output as its input.
        """
        with scratch_folder("twofold-checker-", starts.folder) as name:
            folder = Path(name)
            feedback = folder / "feedback"
            feedback.mkdir()
            paths = [folder / each for each in ("input", "output", "answer")]
            for path, content in zip(paths, (data, output, expected), strict=True):
                path.write_bytes(content)
            words = [paths[0], paths[2], f"{feedback}/"] if self.is_kattis else paths
            ended = starts.start(
                [*self.command, *map(str, words)], output if self.is_kattis else b"", range(256)
            )
            if not ended.ok:
                return ended
            printed: ProgramOutput = ended.value
            verdict = (
                verdict_of_kattis(printed, feedback)
                if self.is_kattis
                else verdict_of_testlib(printed)
            )
        how = with_reason(ending(printed.status), printed.uncaught or printed.last_line)
        status = Status.OK if verdict else Status.CRASH
        return replace(ended, status=status, value=verdict, detail=how)


def helper_failure(
    option: str, command: Sequence[str], ended: Outcome, data: bytes, whose: str = ""
) -> UserError:
    """That a program which an option names does not work, on which input, and on whose answer."""
    answer = f", on the answer of {whose}" if whose else ""
    shown = "\n".join(excerpt(data.decode("utf-8", "replace"), _MAX_SHOWN, _MAX_SHOWN_COLUMNS))
    return UserError(
        f"{option}: {' '.join(command)}{answer}: {ended.status}: {ended.detail}. "
        f"The input:\n{shown}"
    )
