"""Trying the backend of a plugin on some boards: it solves in a fork of its own, and its answers are judged elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import puzzles
from compare.campaign.relation import Stance
from compare.fuzz.observed import Fault, Observed, refuted
from compare.fuzz.together import solve_together
from compare.isolate.outcome import Limits, Status
from compare.work.checker import call_apart
from compare.work.contenders import BackendContender
from compare.work.foreign import in_own_fork, packed, rebuilt
from compare.work.job import CHECK_S
from compare.work.plain import Malformed, from_plain, to_plain
from compare.work.solving import certified_answer
from puzzles.backend import Unsupported
from puzzles.grid import Board

_CHECK_S = 0.01
"""Seconds that reading and checking one more answer may take."""


def try_plugin(contender: BackendContender, part: Sequence[Board], limits: Limits, exact_every: int) -> list[Observed] | None:
    """What came of each board; None if something went wrong as a whole and there is more than one board."""
    failure, ended = in_own_fork([(_solve, limits)], contender, part, exact_every)
    outcome = failure or ended[0]
    if outcome.ok:
        seconds = CHECK_S + _CHECK_S * len(part)
        outcome = call_apart(_judge, contender, part, outcome.value, limits=replace(limits, seconds=seconds))
        if outcome.ok:
            return outcome.value
        outcome = replace(outcome, status=Status.ERROR, detail=f"its answers could not be checked: {outcome.detail}")
    if len(part) > 1:
        return None
    return [Observed(faults=[Fault(outcome.status, (contender.name,), outcome.detail)])]


def _solve(contender: BackendContender, part: Sequence[Board], exact_every: int) -> str:
    """The plain text of (index of the board, answer, certified answer or None) for each board that the backend takes."""
    rows: list[tuple[int, str, str | None]] = []
    for k, answer in solve_together(contender, part, exact_every).items():
        certified = None
        with suppress(Unsupported):
            certified = packed(part[k], certified_answer(contender.backend, part[k], dict(contender.options)))
        rows.append((k, packed(part[k], answer), certified))
    return to_plain(tuple(rows), {})


def _judge(contender: BackendContender, part: Sequence[Board], text: str) -> list[Observed]:
    """What the answers in a text show. No plugin is loaded in this process."""
    observed = [Observed() for _ in part]
    for k, answer_text, certified_text in from_plain(text, tuple[tuple[int, str, str | None], ...], {}):
        each, board = observed[k], part[k]
        try:
            answer = rebuilt(board, answer_text)
            certified = None if certified_text is None else rebuilt(board, certified_text)
            claims, exact = answer.claims, {**answer.exact, **({} if certified is None else certified.exact)}
        except Exception as error:
            reason = str(error) if isinstance(error, Malformed) else f"{type(error).__name__}: {error}"
            each.faults.append(Fault(Status.ERROR, (contender.name,), f"malformed answer: {reason}"))
            continue
        if certified is not None:
            each.faults += refuted(contender, puzzles.get(board.puzzle).check(board, certified))
        if claims is not None:
            each.answers.append((contender.name, Stance(claims, contender.complete, exact)))
    return observed
