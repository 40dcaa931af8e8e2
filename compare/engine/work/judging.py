"""What runs in a judge: a child in which no solver has ever run. It reads what solvers and programs
say, and checks it.

The puzzle's check is called so that it always ends in a verdict. A record keeps of a check its
verdict and one sentence. The sentence says who is to blame for an UNPROVED one by its first words,
which are here.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import getsourcefile, getsourcelines
from pathlib import Path
from typing import Any

import numpy as np

import puzzles
from compare.engine.isolate.outcome import Outcome, Status, Usage
from compare.engine.work.contenders import BackendContender, Contender
from compare.engine.work.job import Block, Job, Manner, Response, Run, same_claims
from compare.engine.work.plain import Malformed, from_plain, rebuilt, to_plain
from compare.engine.work.solving import SOLVED, Solved
from puzzles.answer import Answer, Check, Claims, Verdict
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import InputError
from puzzles.user.user_file import PuzzleFault

BROKEN_CHECK = "the check is broken: "
UNCERTIFIED = "no certificate: "
NO_CERTIFICATE = "no certificate, though the backend promises one: "
WRONG_CERTIFICATE = "the certificate is not valid: "

DIFFERS = "the certified answer differs from the one without a certificate"
"""Why an answer is refuted whose certified form claims something else."""

DEFECTS = (BROKEN_CHECK, NO_CERTIFICATE, WRONG_CERTIFICATE)
"""How the reason of an UNPROVED verdict begins that shows a defect: of the check, or of the
backend.
"""

_CHECKOUT = Path(puzzles.__file__).parent.parent


def judge_jobs(
    jobs: Sequence[Job], written: bytes | None, checked: Collection[int]
) -> list[Run] | PuzzleFault:
    """The runs of one job, or of several in one start of a program.

    A fault of the puzzle itself comes back as a value, since this runs in another process.

    Args:
        written: what the solver of a backend wrote of the board (see
            `compare.engine.work.solving`), or what a program printed; None of an answer that
            exists already.
        checked: the jobs whose answers are checked, by their indices.
    """
    job = jobs[0]
    try:
        if isinstance(job.contender, BackendContender):
            assert written is not None
            return [_judge_backend(job, job.contender, written, check=bool(checked))]
        try:
            answers = _answers(jobs, written)
        except InputError as error:
            return [Run(status=Status.ERROR, detail=str(error))] * len(jobs)
        return [
            _judge_answer(job, answer, check=k in checked)
            for k, (job, answer) in enumerate(zip(jobs, answers, strict=True))
        ]
    except PuzzleFault as fault:
        return fault


def _judge_backend(job: Job, contender: BackendContender, written: bytes, *, check: bool) -> Run:
    try:
        (row,) = read_rows(contender, written)
    except Malformed as error:
        return _malformed(str(error))
    run = run_of(contender, job.instance, row, job.manner, check=check, format=job.format)
    if row.size is None or run.effort.variables is not None:
        return run
    variables, clauses = row.size
    return replace(run, effort=replace(run.effort, variables=variables, clauses=clauses))


def _judge_answer(job: Job, answer: Answer | None, *, check: bool) -> Run:
    assert answer is not None
    try:
        run = answered(job.contender, job.instance, answer, job.format)
    except WrongClaims as error:
        return _malformed(str(error))
    if not check:
        return _left_open(run, answer)
    verdict = judge(job.contender, job.instance, answer)
    if verdict.verdict is Verdict.REFUTED and (other := _right_in(job, answer)):
        detail = f"{verdict.detail}; with --answer-format {other} it would be right"
        verdict = replace(verdict, detail=detail)
    return _left_open(replace(run, check=verdict), answer)


def _left_open(run: Run, *answers: Answer | None) -> Run:
    """The run; without an answer if one of the answers leaves the question open, unless the check
    refutes what it says.
    """
    reasons = [each.without_verdict for each in answers if each is not None]
    reason = next(filter(None, reasons), "")
    if not reason or run.verdict is Verdict.REFUTED:
        return run
    return Run(status=Status.UNKNOWN, detail=reason, usage=run.usage, effort=run.effort)


def _right_in(job: Job, answer: Answer) -> str | None:
    """Another answer format in which the same text is a right answer; None if there is none."""
    puzzle, board = puzzles.get(job.contender.puzzle), job.instance
    format = puzzle.format(job.format)
    text = puzzle.print_answers([answer], format)
    for other in puzzle.formats:
        if other == format:
            continue
        with suppress(InputError):
            (same,) = puzzle.parse_answers(text, [board], other)
            if check_safely(board, same).verdict is Verdict.PROVED:
                return other
    return None


def _answers(jobs: Sequence[Job], output: bytes | None) -> Sequence[Answer | None]:
    """The answers in what a program printed for all jobs, or those that exist already; raises
    `InputError`.
    """
    if output is None:
        return [job.answer for job in jobs]
    puzzle, contender = puzzles.get(jobs[0].contender.puzzle), jobs[0].contender
    answers = puzzle.answers_in(
        output,
        [job.instance for job in jobs],
        puzzle.format(jobs[0].format),
        f"<output of {contender.name}>",
    )
    return answers if contender.complete else [answer.as_incomplete() for answer in answers]


def view_of(job: Job, written: bytes | None) -> Any:
    """What the job's `view` says of the answer, the certified one if there is one.

    Args:
        written: see `judge_jobs`.
    """
    assert job.view is not None
    if written is not None and isinstance(job.contender, BackendContender):
        (row,) = read_rows(job.contender, written)
        plain, certified = answers_in(job.contender, job.instance, row)
        answer = certified or plain
    else:
        (answer,) = _answers([job], written)
    assert answer is not None
    return job.view(job.instance, answer)


def judge_block(block: Block, solved: bytes) -> list[tuple[list[Response], dict[str, Run]]]:
    """What backends say of each board of a block: short responses of some, and the runs of the
    others by their names.
    """
    part: list[Instance] = pickle.loads(block.boards)  # noqa: S301 - main wrote it
    first = block.contenders[0]
    if first.foreign:
        responses: list[list[Response]] = [[] for _ in part]
        rows_of_each = [read_rows(first, solved)]
    else:
        responses, rows_of_each = pickle.loads(solved)  # noqa: S301 - a solver that runs our own code wrote it
    runs: list[dict[str, Run]] = [{} for _ in part]
    for contender, rows in zip(block.contenders, rows_of_each, strict=True):
        for row in rows:
            runs[row.board][contender.name] = run_of(
                contender, part[row.board], row, block.manner, check=True
            )
    return list(zip(responses, runs, strict=True))


def read_rows(contender: BackendContender, solved: bytes) -> Sequence[Solved]:
    """What a solver wrote of some boards; raises `Malformed` if foreign code wrote what it should
    not.
    """
    if contender.foreign:
        return from_plain(solved, tuple[Solved, ...], SOLVED)
    return pickle.loads(solved)  # noqa: S301 - a solver that runs our own code wrote it


def answers_in(
    contender: BackendContender, board: Instance, row: Solved
) -> tuple[Answer | None, Answer | None]:
    """The answer of a row, and the certified one; raises `Malformed`."""
    if not contender.foreign:
        return row.answer, row.certified
    answer, certified = (
        None if text is None else rebuilt(board, text) for text in (row.answer, row.certified)
    )
    return answer, certified


def run_of(
    contender: BackendContender,
    board: Instance,
    row: Solved,
    manner: Manner,
    *,
    check: bool,
    format: str | None = None,
) -> Run:
    """What one backend says of one board, read and checked.

    What the answer lacks is looked for unless it is timed.

    Raises:
        PuzzleFault: a function of a user's puzzle does not work.
    """
    if row.answer is None and row.reason:
        return Run(status=Status.SKIPPED, detail=row.reason, declared=row.declared)
    try:
        if row.answer is None:
            rebuilt(board, to_plain(None, {}))  # raises: None is no answer
        answer, again = answers_in(contender, board, row)
        assert answer is not None
        run = answered(contender, board, answer, format, row.seconds)
        certified = (
            run if again is None or again is answer else answered(contender, board, again, format)
        )
        if not manner.timed:
            run = replace(run, lacking=_lacking(contender, board, answer))
    except (Malformed, WrongClaims) as error:
        return _malformed(str(error))
    except PuzzleFault:
        raise
    except Exception as error:
        if not contender.foreign:
            raise
        noun = puzzles.get(board.puzzle).noun
        return _malformed(
            f"it does not belong to the {board.puzzle} {noun}: {type(error).__name__}: {error}"
        )
    if again is None:
        if not row.reason:
            return _left_open(run, answer)
        blamed = contender.certifies and not row.declared
        return replace(
            run,
            check=Check(
                Verdict.UNPROVED, f"{NO_CERTIFICATE if blamed else UNCERTIFIED}{row.reason}"
            ),
        )
    if answer.without_verdict or again.without_verdict:
        checks = [check_safely(board, each) for each in (answer, again)] if check else []
        refuted = next((each for each in checks if each.verdict is Verdict.REFUTED), None)
        return _left_open(replace(run, check=refuted), answer, again)
    if not same_claims(certified.claims, run.claims):
        return replace(run, check=Check(Verdict.REFUTED, DIFFERS), detail=DIFFERS)
    if not (manner.timed or run.lacking):
        run = replace(run, lacking=_lacking(contender, board, again))
    exact = {**(run.exact or {}), **(certified.exact or {})}
    judged = replace(run, answer=certified.answer, exact=exact or None)
    if check:
        verdict = judge(contender, board, again, declared=row.declared)
        if (
            certified.answer != run.answer
        ):  # another witness: it is no more to be trusted than the certified one
            other = check_safely(board, answer)
            verdict = other if other.verdict is Verdict.REFUTED else verdict
        judged = replace(judged, check=verdict)
    return judged


def _lacking(contender: BackendContender, board: Instance, answer: Answer) -> str:
    """What an answer lacks of what this backend finds at least, by the puzzle's own statement;
    mostly nothing.
    """
    if not contender.finds:
        return ""
    return puzzles.get(board.puzzle).lacking(board, answer, contender.finds) or ""


def _malformed(reason: str) -> Run:
    return Run(status=Status.ERROR, detail=f"malformed answer: {reason}")


def answered(
    contender: Contender,
    board: Instance,
    answer: Answer,
    format: str | None,
    wall_s: float | None = None,
) -> Run:
    """A run that ended with an answer. Raises `WrongClaims`."""
    puzzle, claims = puzzles.get(contender.puzzle), claims_of(answer)
    return Run(
        status=Status.OK,
        usage=Usage(wall_s=wall_s),
        effort=answer.effort,
        claims=claims,
        exact=dict(answer.exact) or None,
        decided=None if claims is None else puzzle.decided(board, claims),
        answer=puzzle.print_answers([answer], puzzle.format(format)),
    )


def check_safely(board: Instance, answer: Answer) -> Check:
    """The verdict of the puzzle's own check on an answer.

    A check that raises, or that returns no verdict, makes the answer UNPROVED, and the reason names
    the check's file and line.
    """
    puzzle = puzzles.get(board.puzzle)
    try:
        check = puzzle.check(board, answer)
    except MemoryError:
        raise
    except Exception as error:
        return _broken(_raised_at(error, puzzle), f"it raised {type(error).__name__}: {error}")
    if not isinstance(check, Check):
        return _broken(_line_of(type(puzzle).check), f"it returned {check!r:.40}, not a Check")
    return check


def judge(
    contender: Contender, board: Instance, answer: Answer, *, declared: bool = False
) -> Check:
    """The puzzle's verdict on an answer of a contender; the reason blames a backend that breaks its
    promise of a certificate.

    Args:
        declared: whether the backend declares that it may refuse to certify this answer.
    """
    check = check_safely(board, answer)
    broken = check.detail.startswith(BROKEN_CHECK)
    if check.verdict is not Verdict.UNPROVED or check.limited or broken:
        return check
    is_backend = isinstance(contender, BackendContender)
    if answer.certificate is None:
        promised = is_backend and contender.certifies and not declared
        why = NO_CERTIFICATE if promised else UNCERTIFIED
    else:
        why = WRONG_CERTIFICATE if is_backend and not declared else ""
    return replace(check, detail=why + check.detail)


class WrongClaims(TypeError):
    """An answer's claims are no array of integers; the message names the puzzle, the file and the
    remedy.
    """


def claims_of(answer: Answer) -> Claims | None:
    """The claims of an answer; raises `WrongClaims` if they are neither None nor a flat array of
    integers.
    """
    claims = answer.claims
    if claims is None or (
        isinstance(claims, np.ndarray) and claims.ndim == 1 and claims.dtype.kind in "iu"
    ):
        return claims
    kind = (
        f"an array of {claims.dtype} of shape {claims.shape}"
        if isinstance(claims, np.ndarray)
        else type(claims).__name__
    )
    place = _line_of(type(answer).claims.fget)
    raise WrongClaims(
        f"{place}: the claims of {type(answer).__name__} are {kind}: return a flat NumPy array "
        "of np.int64, or None"
    )


def without_certificate(contender: BackendContender, outcome: Outcome) -> Check:
    """The check of an answer whose certified run did not end well.

    A run that was stopped or refused breaks no promise.
    """
    reason = f"{outcome.status} {outcome.detail}"
    if outcome.status in (Status.CRASH, Status.ERROR) and contender.certifies:
        return Check(Verdict.UNPROVED, NO_CERTIFICATE + reason)
    return Check(
        Verdict.UNPROVED,
        UNCERTIFIED + reason,
        limited=outcome.status in (Status.TIMEOUT, Status.MEMORY, Status.UNKNOWN),
    )


def without_check(outcome: Outcome) -> Check:
    """The check of an answer whose check did not end: it was stopped at its limit, or the process
    died of it.
    """
    if outcome.status in (Status.TIMEOUT, Status.MEMORY):
        return Check(
            Verdict.UNPROVED,
            f"the check did not end: {outcome.status} {outcome.detail}",
            limited=True,
        )
    return Check(Verdict.UNPROVED, f"{BROKEN_CHECK}{outcome.status} {outcome.detail}")


def shows_defect(check: Check) -> bool:
    """Whether an UNPROVED verdict shows a defect of the backend or of the check."""
    return check.verdict is Verdict.UNPROVED and check.detail.startswith(DEFECTS)


def lacks_certificate(check: Check) -> bool:
    """Whether an answer is UNPROVED for want of a certificate that nobody promised."""
    return (
        check.verdict is Verdict.UNPROVED
        and check.detail.startswith(UNCERTIFIED)
        and not check.limited
    )


def _broken(place: str, what: str) -> Check:
    return Check(Verdict.UNPROVED, f"{BROKEN_CHECK}{place}: {what}")


def _raised_at(error: Exception, puzzle: Puzzle) -> str:
    """File and line of the innermost frame in the puzzle's own folder, or of the innermost one of
    all.
    """
    frames = traceback.extract_tb(error.__traceback__)
    folder = Path(getsourcefile(type(puzzle)) or "").parent
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    last = (own or frames)[-1]
    return f"{_shown(last.filename)}:{last.lineno}"


def _line_of(function: Any) -> str:
    """File and line where a function begins."""
    return f"{_shown(getsourcefile(function) or '')}:{getsourcelines(function)[1]}"


def _shown(file: str) -> str:
    """The path of a file, relative to the checkout if it lies in it."""
    path = Path(file)
    return str(path.relative_to(_CHECKOUT)) if path.is_relative_to(_CHECKOUT) else file
