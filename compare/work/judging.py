"""What runs in a judge: a child in which no solver has ever run. It reads what solvers and programs say, and checks it.

The puzzle's check is called so that it always ends in a verdict. A record keeps of a check its verdict and one sentence. The
sentence says who is to blame for an UNPROVED one by its first words, which are here.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Sequence
from dataclasses import replace
from inspect import getsourcefile, getsourcelines
from pathlib import Path
from typing import Any

import numpy as np

import puzzles
from compare.isolate.outcome import Outcome, Status, Usage
from compare.work.contenders import BackendContender, Contender, ProgramContender
from compare.work.foreign.foreign_answers import rebuilt, rebuilt_size, rebuilt_timed
from compare.work.foreign.plain import Malformed
from compare.work.job import Job, Run
from puzzles.answer import Answer, Claims
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import InputError
from puzzles.user.user_file import PuzzleFault, UserFile
from puzzles.verdict import Check, Verdict

BROKEN_CHECK = "the check is broken: "
NO_CERTIFICATE = "no certificate, though the backend promises one: "
WRONG_CERTIFICATE = "the certificate is not valid: "

DEFECTS = (BROKEN_CHECK, NO_CERTIFICATE, WRONG_CERTIFICATE)
"""How the reason of an UNPROVED verdict begins that shows a defect: of the check, or of the backend."""

_CHECKOUT = Path(puzzles.__file__).parent.parent


def load_puzzle(file: UserFile) -> None:
    """Load a puzzle of one's own in this process."""
    puzzles.load(file, silent=True)


def judge_run(job: Job, timed: bytes, certified: bytes | None, size: bytes | None, *, check: bool) -> Run | PuzzleFault:
    """The run of a backend, from what its solver wrote.

    A fault of the puzzle itself comes back as a value, since this runs in another process.

    Args:
        timed: see `compare.work.solving.solve_timed`.
        certified: see `compare.work.solving.certify`; None if there is no certified answer.
        size: see `compare.work.solving.size_of`; None if that is not known.
        check: whether the answer is checked.
    """
    contender = job.contender
    assert isinstance(contender, BackendContender)
    try:
        if contender.foreign:
            answer, wall_s = _read_foreign(job.instance, timed, size)
            again = None if certified is None else rebuilt(job.instance, certified)
        else:
            answer, wall_s = pickle.loads(timed)  # noqa: S301 - a solver that runs our own code wrote it
            again = None if certified is None else pickle.loads(certified) or answer  # noqa: S301 - as above
    except Malformed as error:
        return Run(status=Status.ERROR, detail=f"malformed answer: {error}")
    try:
        run = answered(job, answer, Usage(wall_s=wall_s))
        if again is None:
            return run
        certified_run = run if again is answer else answered(job, again)
        if not _same(certified_run.claims, run.claims):
            detail = "the certified answer differs from the timed one"
            return replace(run, check=Check(Verdict.REFUTED, detail), detail=detail)
        run = replace(run, answer=certified_run.answer, exact=certified_run.exact)
        return replace(run, check=judge(contender, job.instance, again)) if check else run
    except PuzzleFault as fault:
        return fault
    except WrongClaims as error:
        return Run(status=Status.ERROR, detail=f"malformed answer: {error}")
    except Exception as error:
        if not contender.foreign:
            raise
        noun = puzzles.get(job.instance.puzzle).noun
        reason = f"it does not belong to the {job.instance.puzzle} {noun}: {type(error).__name__}: {error}"
        return Run(status=Status.ERROR, detail=f"malformed answer: {reason}")


def _read_foreign(board: Instance, timed: bytes, size: bytes | None) -> tuple[Answer, float]:
    """The timed answer and its seconds, with the size of what the backend states. Raises `Malformed`."""
    answer, wall_s = rebuilt_timed(board, timed)
    numbers = None if size is None else rebuilt_size(size)
    if numbers is not None and answer.effort.variables is None:
        answer = replace(answer, effort=replace(answer.effort, variables=numbers[0], clauses=numbers[1]))
    return answer, wall_s


def judge_given(job: Job, *, check: bool) -> Run | PuzzleFault:
    """The run of an answer that exists already."""
    assert job.answer is not None
    try:
        run = answered(job, job.answer)
        return replace(run, check=judge(job.contender, job.instance, job.answer)) if check else run
    except PuzzleFault as fault:
        return fault
    except WrongClaims as error:
        return Run(status=Status.ERROR, detail=f"malformed answer: {error}")


def read_output(program: ProgramContender, part: Sequence[Instance], output: bytes, format: str | None) -> list[Answer] | str:
    """The answers in what a program printed for some instances, or what is wrong with it."""
    puzzle = puzzles.get(program.puzzle)
    try:
        answers = puzzle.parse_answers(output, part, puzzle.format(format), f"<output of {program.name}>")
    except InputError as error:
        return str(error)
    return answers if program.complete else [answer.as_incomplete() for answer in answers]


def judge_program(jobs: Sequence[Job], output: bytes, checked: Sequence[int]) -> list[Run] | str | PuzzleFault:
    """The runs of one start of a program with the instances of all jobs, or what is wrong with its output.

    Args:
        checked: the jobs whose answers are checked, by their indices.
    """
    try:
        answers = _read_output(jobs, output)
        if isinstance(answers, str):
            return answers
        runs: list[Run] = []
        for k, (job, answer) in enumerate(zip(jobs, answers, strict=True)):
            run = judge_given(replace(job, answer=answer), check=k in checked)
            if isinstance(run, PuzzleFault):
                return run
            runs.append(run)
        return runs
    except PuzzleFault as fault:
        return fault


def _read_output(jobs: Sequence[Job], output: bytes) -> list[Answer] | str:
    program = jobs[0].contender
    assert isinstance(program, ProgramContender)
    return read_output(program, [job.instance for job in jobs], output, jobs[0].format)


def view_of(job: Job, *written: bytes | None) -> Any:
    """What the job's `view` says of the answer, the certified one if there is one.

    Args:
        written: nothing for an answer that exists already; the output of a program; the two texts of a backend's solver, see
            `judge_run`.
    """
    assert job.view is not None
    match written:
        case ():
            answer = job.answer
        case (bytes(output),):
            answer = _read_output([job], output)[0]
        case (bytes(timed), certified) if isinstance(job.contender, BackendContender) and job.contender.foreign:
            answer = rebuilt_timed(job.instance, timed)[0] if certified is None else rebuilt(job.instance, certified)
        case (bytes(timed), certified):
            again = None if certified is None else pickle.loads(certified)  # noqa: S301 - a solver that runs our own code wrote it
            answer = again or pickle.loads(timed)[0]  # noqa: S301 - as above
        case _:
            raise ValueError(written)
    assert isinstance(answer, Answer)
    return job.view(job.instance, answer)


def answered(job: Job, answer: Answer, usage: Usage | None = None) -> Run:
    """A run that ended with an answer. Raises `WrongClaims`."""
    puzzle, claims = puzzles.get(job.contender.puzzle), claims_of(answer)
    return Run(
        status=Status.OK,
        usage=usage or Usage(),
        effort=answer.effort,
        claims=claims,
        exact=dict(answer.exact) or None,
        decided=None if claims is None else puzzle.decided(job.instance, claims),
        answer=puzzle.print_answers([answer], puzzle.format(job.format)),
    )


def _same(a: Claims | None, b: Claims | None) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))


def check_safely(board: Instance, answer: Answer) -> Check:
    """The puzzle's verdict on an answer.

    A check that raises, or that returns no verdict, makes the answer UNPROVED, and the reason names the check's file and line.
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


def judge(contender: Contender, board: Instance, answer: Answer) -> Check:
    """The puzzle's verdict on an answer of a contender; the reason blames a backend that breaks its promise of a certificate."""
    check = check_safely(board, answer)
    blameless = check.limited or check.detail.startswith(BROKEN_CHECK)
    if check.verdict is not Verdict.UNPROVED or blameless or not isinstance(contender, BackendContender):
        return check
    if contender.ours and contender.backend.may_refuse(board, certify=True, **dict(contender.options)):
        return check
    if answer.certificate is not None:
        return replace(check, detail=WRONG_CERTIFICATE + check.detail)
    return replace(check, detail=NO_CERTIFICATE + check.detail) if contender.certifies else check


class WrongClaims(TypeError):
    """An answer's claims are no array of integers; the message names the puzzle, the file and the remedy."""


def claims_of(answer: Answer) -> Claims | None:
    """The claims of an answer; raises `WrongClaims` if they are neither None nor a flat array of integers."""
    claims = answer.claims
    if claims is None or (isinstance(claims, np.ndarray) and claims.ndim == 1 and claims.dtype.kind in "iu"):
        return claims
    kind = f"an array of {claims.dtype} of shape {claims.shape}" if isinstance(claims, np.ndarray) else type(claims).__name__
    place = _line_of(type(answer).claims.fget)
    raise WrongClaims(f"{place}: the claims of {type(answer).__name__} are {kind}: return a flat NumPy array of np.int64, or None")


def without_certificate(contender: BackendContender, outcome: Outcome) -> Check:
    """The check of an answer whose certified run did not end well. A run that was stopped or refused breaks no promise."""
    reason = f"{outcome.status} {outcome.detail}"
    if outcome.status in (Status.CRASH, Status.ERROR) and contender.certifies:
        return Check(Verdict.UNPROVED, NO_CERTIFICATE + reason)
    return Check(Verdict.UNPROVED, f"no certificate: {reason}", limited=outcome.status in (Status.TIMEOUT, Status.MEMORY))


def without_check(outcome: Outcome) -> Check:
    """The check of an answer whose check did not end: it was stopped at its limit, or the process died of it."""
    if outcome.status in (Status.TIMEOUT, Status.MEMORY):
        return Check(Verdict.UNPROVED, f"the check did not end: {outcome.status} {outcome.detail}", limited=True)
    return Check(Verdict.UNPROVED, f"{BROKEN_CHECK}{outcome.status} {outcome.detail}")


def shows_defect(check: Check) -> bool:
    """Whether an UNPROVED verdict shows a defect of the backend or of the check."""
    return check.verdict is Verdict.UNPROVED and check.detail.startswith(DEFECTS)


def _broken(place: str, what: str) -> Check:
    return Check(Verdict.UNPROVED, f"{BROKEN_CHECK}{place}: {what}")


def _raised_at(error: Exception, puzzle: Puzzle) -> str:
    """File and line of the innermost frame in the puzzle's own folder, or of the innermost one of all."""
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
