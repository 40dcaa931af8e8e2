"""What runs in a judge: a child in which no solver has ever run. It reads what solvers and programs
say, and checks it.

The puzzle's check is called so that it always ends in a verdict. A record keeps of a check its
verdict and one sentence. The sentence says who is to blame for an UNPROVED one by its first words,
which stand in `compare.engine.work.result`.
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

import msgspec
import numpy as np
from msgspec.structs import replace as with_fields

import puzzles
from compare.engine.isolate.outcome import NOT_MEASURED, Outcome, Status, Usage
from compare.engine.work.contenders import Ask, BackendContender, Contender
from compare.engine.work.plain import from_plain, rebuilt, to_plain
from compare.engine.work.result import (
    BROKEN_CHECK,
    NO_CERTIFICATE,
    UNCERTIFIED,
    WRONG_CERTIFICATE,
    Result,
    SearchTrace,
    contradict,
    kept_text,
    same_claims,
)
from compare.engine.work.solving import SOLVED, Solved
from puzzles.answer import CLAIMS_NO_WORTH, Answer, Check, Claims, Verdict
from puzzles.backend import malformed_text
from puzzles.declared_types import Malformed
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.registry import short_path
from puzzles.text import InputError, exception_text
from puzzles.user.user_file import PuzzleFault, place_of, place_of_error

DIFFERS = "the certified answer differs from the one without a certificate"
"""Why an answer is refuted whose certified form claims something else."""


def judge_ask(
    ask: Ask, written: bytes | None, checked: Collection[int]
) -> list[Result] | PuzzleFault:
    """The result of each case that was asked.

    A fault of the puzzle itself comes back as a value, since this runs in another process.

    Args:
        written: what the solver of a backend wrote of the board (see
            `compare.engine.work.solving`), or what a program printed; None of an answer that
            exists already.
        checked: the cases whose answers are checked, by their indices.
    """
    try:
        if isinstance(ask.contender, BackendContender):
            assert written is not None
            try:
                (row,) = read_rows(ask.contender, written)
            except Malformed as error:
                return [_malformed_result(ask, str(error))]
            return [result_of(ask, ask.contender, row, check=bool(checked))]
        try:
            answers = _answers(ask, written)
        except InputError as error:
            return ask.failed(str(error), Status.ERROR)
        return [
            _judge_answer(ask, k, answer, check=k in checked) for k, answer in enumerate(answers)
        ]
    except PuzzleFault as fault:
        return fault


def _judge_answer(ask: Ask, k: int, answer: Answer | None, *, check: bool) -> Result:
    assert answer is not None
    instance = ask.cases[k].instance
    try:
        result = _result_of_answer(ask, k, answer)
    except Malformed as error:
        return _malformed_result(ask, str(error), k)
    if not check:
        return _left_open(result, answer)
    verdict = judge(ask.contender, instance, answer)
    if verdict.verdict is Verdict.REFUTED and (other := _right_in(ask, instance, answer)):
        detail = f"{verdict.detail}; with --answer-format {other} it would be right"
        verdict = replace(verdict, detail=detail)
    return _left_open(with_fields(result, check=verdict), answer)


def _left_open(result: Result, *answers: Answer | None) -> Result:
    """The result; without an answer if one of the answers leaves the question open, unless the
    check refutes what it says.
    """
    reasons = [each.without_verdict for each in answers if each is not None]
    reason = next(filter(None, reasons), "")
    if not reason or result.is_refuted:
        return result
    return with_fields(
        result,
        status=Status.UNKNOWN,
        reason=reason,
        lacking="",
        claims=None,
        exact=None,
        decided=None,
        answer=None,
        check=None,
    )


def _right_in(ask: Ask, board: Instance, answer: Answer) -> str | None:
    """Another answer format in which the same text is a right answer; None if there is none."""
    puzzle = puzzles.get(ask.contender.puzzle)
    format = puzzle.format(ask.format)
    text = puzzle.print_answers([answer], format)
    for other in puzzle.formats:
        if other == format:
            continue
        with suppress(InputError):
            (same,) = puzzle.parse_answers(text, [board], other)
            if check_safely(board, same).verdict is Verdict.PROVED:
                return other
    return None


def _answers(ask: Ask, output: bytes | None) -> Sequence[Answer | None]:
    """The answers in what a program printed, or those that exist already; raises `InputError`."""
    if output is None:
        return [case.answer for case in ask.cases]
    contender = ask.contender
    puzzle = puzzles.get(contender.puzzle)
    answers = puzzle.answers_in(
        output,
        [case.instance for case in ask.cases],
        puzzle.format(ask.format),
        f"<output of {contender.name}>",
    )
    return answers if contender.complete else [puzzle.in_part(answer) for answer in answers]


def call_view(ask: Ask, written: bytes | None) -> dict[str, object]:
    """What the ask's `view` says of the answer, the certified one if there is one.

    Args:
        written: see `judge_ask`.
    """
    assert ask.view is not None
    if written is not None and isinstance(ask.contender, BackendContender):
        (row,) = read_rows(ask.contender, written)
        plain, certified = answers_in(ask.contender, ask.instance, row)
        answer = certified or plain
    else:
        (answer,) = _answers(ask, written)
    assert answer is not None
    return ask.view(ask.instance, answer)


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
    answer, certified = row.answer, row.certified
    if contender.foreign:
        answer, certified = (
            None if text is None else rebuilt(board, text) for text in (answer, certified)
        )
    return answer, answer if row.is_report else certified


def result_of(ask: Ask, contender: BackendContender, row: Solved, *, check: bool) -> Result:
    """What one backend says of one board, read and checked.

    What the answer lacks is looked for unless it is timed.

    Raises:
        PuzzleFault: a function of a user's puzzle does not work.
    """
    board = ask.instance
    if row.answer is None and row.reason:
        return Result.of(ask, status=Status.SKIPPED, reason=row.reason, declared=row.declared)
    try:
        if row.answer is None:
            rebuilt(board, to_plain(None, {}))  # raises: None is no answer
        answer, certified = answers_in(contender, board, row)
        assert answer is not None
        result = _result_of_answer(ask, 0, answer, Usage(row.seconds, row.cpu_seconds))
        result = with_fields(result, trace=_trace_of(row))
        its_result = result
        if certified is not None and certified is not answer:
            its_result = with_fields(result, **_answer_fields(ask, 0, certified))
        if not ask.timed:
            result = with_fields(result, lacking=_lacking(contender, board, answer))
    except Malformed as error:
        return _malformed_result(ask, str(error))
    except PuzzleFault:
        raise
    except Exception as error:
        if not contender.foreign:
            raise
        noun = puzzles.get(board.puzzle).noun
        what = f"it does not belong to the {board.puzzle} {noun}: {exception_text(error)}"
        return _malformed_result(ask, what)
    if certified is None:
        if not row.reason:
            return _left_open(result, answer)
        blamed = contender.certifies and not row.declared
        reason = f"{NO_CERTIFICATE if blamed else UNCERTIFIED}{row.reason}"
        return with_fields(result, check=Check(Verdict.UNPROVED, reason))
    if answer.without_verdict or certified.without_verdict:
        checks = [check_safely(board, each) for each in (answer, certified)] if check else []
        refuted = next((each for each in checks if each.verdict is Verdict.REFUTED), None)
        return _left_open(with_fields(result, check=refuted), answer, certified)
    if _says_otherwise(result, its_result):
        return with_fields(result, check=Check(Verdict.REFUTED, DIFFERS), reason=DIFFERS)
    if not (ask.timed or result.lacking):
        result = with_fields(result, lacking=_lacking(contender, board, certified))
    exact = {**(result.exact or {}), **(its_result.exact or {})}
    judged = with_fields(
        result,
        answer=kept_text(its_result.answer) if ask.recorded else its_result.answer,
        claims=its_result.claims,
        exact=exact or None,
        value=its_result.value,
        bound=its_result.bound,
    )
    if check:
        verdict = judge(contender, board, certified, declared=row.declared)
        if (
            its_result.answer != result.answer
        ):  # another witness: it is no more to be trusted than the certified one
            other = check_safely(board, answer)
            if other.verdict is Verdict.REFUTED:
                return with_fields(result, exact=exact or None, check=other)
        judged = with_fields(judged, check=verdict)
    return judged


def _trace_of(row: Solved) -> SearchTrace | None:
    """What the backend has reported; None if that is nothing. Raises `Malformed`."""
    if not row.trace:
        return None
    try:
        return msgspec.convert([tuple(point) for point in row.trace], SearchTrace)
    except msgspec.ValidationError as error:
        raise Malformed(f"trace: {error}") from None


def _says_otherwise(result: Result, certified: Result) -> bool:
    """Whether the certified answer claims something else. Of a best value it may claim more or
    less: a search that stops at a limit may come further at another time.
    """
    if same_claims(certified.claims, result.claims):
        return False
    return not puzzles.get(result.puzzle).better or contradict(certified, result)


def _lacking(contender: BackendContender, board: Instance, answer: Answer) -> str:
    """What an answer lacks of what this backend finds at least, by the puzzle's own statement;
    mostly nothing.
    """
    if not contender.finds:
        return ""
    return puzzles.get(board.puzzle).lacking(board, answer, contender.finds) or ""


def _malformed_result(ask: Ask, reason: str, k: int = 0) -> Result:
    place = ask.contender.place if isinstance(ask.contender, BackendContender) else ""
    return Result.of(ask, k, status=Status.ERROR, reason=malformed_text(reason, place))


def _answer_fields(ask: Ask, k: int, answer: Answer) -> dict[str, Any]:
    """What an answer to the k-th case says, as fields of a result. Raises `Malformed`."""
    puzzle, claims = puzzles.get(ask.contender.puzzle), claims_of(answer)
    if ask.contender.complete:
        puzzle.refuse_incomplete(answer)
    board = ask.cases[k].instance
    worth = answer.worth if puzzle.better else CLAIMS_NO_WORTH
    return {
        "claims": claims,
        "exact": dict(answer.exact) or None,
        "value": worth.value,
        "bound": worth.bound,
        "decided": None if claims is None else puzzle.decided_count(board, claims),
        "answer": puzzle.print_answers([answer], puzzle.format(ask.format)),
    }


def _result_of_answer(ask: Ask, k: int, answer: Answer, usage: Usage = NOT_MEASURED) -> Result:
    """The result that is this answer to the k-th case. Raises `Malformed`."""
    fields = _answer_fields(ask, k, answer)
    return Result.of(ask, k, status=Status.OK, usage=usage, effort=answer.effort, **fields)


def check_safely(board: Instance, answer: Answer) -> Check:
    """The verdict of the puzzle's own check on an answer.

    A check that raises, or that returns no verdict, makes the answer UNPROVED, and the reason names
    the check's file and line. A fault of a user's puzzle names them by itself.
    """
    puzzle = puzzles.get(board.puzzle)
    try:
        check = puzzle.check(board, answer)
    except MemoryError:
        raise
    except PuzzleFault as fault:  # it names file and line by itself
        return Check(Verdict.UNPROVED, f"{BROKEN_CHECK}{fault}")
    except Exception as error:
        return _broken_check(raised_at(error, puzzle), f"it raised {exception_text(error)}")
    if not isinstance(check, Check):
        file, method = puzzle.origin.user_file, type(puzzle).check
        place = place_of(file, method) if file is not None else None
        return _broken_check(place or _line_of(method), f"it returned {check!r:.40}, not a Check")
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


def claims_of(answer: Answer) -> Claims | None:
    """The claims of an answer; raises `Malformed` if they are neither None nor a flat array of
    integers: it names the puzzle, the file and the remedy.
    """
    try:
        claims = answer.claims
    except OverflowError as error:
        raise Malformed(str(error)) from None
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
    raise Malformed(
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
    if outcome.status in (Status.TIMEOUT, Status.MEMORY, Status.UNKNOWN):
        return Check(Verdict.UNPROVED, f"no certificate: {reason}", limited=True)
    return Check(Verdict.UNPROVED, UNCERTIFIED + reason)


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


def _broken_check(place: str, what: str) -> Check:
    return Check(Verdict.UNPROVED, f"{BROKEN_CHECK}{place}: {what}")


def raised_at(error: BaseException, puzzle: Puzzle) -> str:
    """File and line of the innermost frame in the user's files, or of the class of a user's puzzle;
    of ours in the puzzle's own folder, or of the innermost frame of all.
    """
    file = puzzle.origin.user_file
    if file is not None:
        return place_of_error(file, error) or place_of(file, type(puzzle)) or file.argument
    frames = traceback.extract_tb(error.__traceback__)
    folder = Path(getsourcefile(type(puzzle)) or "").parent
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    last = (own or frames)[-1]
    return f"{short_path(last.filename)}:{last.lineno}"


def _line_of(function: Any) -> str:
    """File and line where a function begins."""
    return f"{short_path(getsourcefile(function) or '')}:{getsourcelines(function)[1]}"
