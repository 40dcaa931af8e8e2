"""The puzzle's check, called so that it always ends in a verdict, and who is to blame for an UNPROVED one.

A record keeps of a check its verdict and one sentence. The sentence says who is to blame by its first words, which are here.
"""

from __future__ import annotations

import traceback
from dataclasses import replace
from inspect import getsourcefile, getsourcelines
from pathlib import Path
from typing import Any

import numpy as np

import puzzles
from compare.isolate.outcome import Outcome, Status
from compare.work.contenders import BackendContender, Contender
from puzzles.answer import Answer, Claims
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.verdict import Check, Verdict

BROKEN_CHECK = "the check is broken: "
NO_CERTIFICATE = "no certificate, though the backend promises one: "
WRONG_CERTIFICATE = "the certificate is not valid: "

DEFECTS = (BROKEN_CHECK, NO_CERTIFICATE, WRONG_CERTIFICATE)
"""How the reason of an UNPROVED verdict begins that shows a defect: of the check, or of the backend."""

_CHECKOUT = Path(puzzles.__file__).parent.parent


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
