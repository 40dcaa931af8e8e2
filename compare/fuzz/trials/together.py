"""Solving many boards with one backend, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import puzzles
from compare.fuzz.trials.observed import LACKING, Fault, Refusal
from compare.work.contenders import BackendContender
from compare.work.solving import certified_answer, exact_options_of
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.instance import Instance

RETURNED_NONE = "it returned None instead of an answer"


@dataclass
class Together:
    """The answers and the refusals of one backend, by the index of the board. A board in neither was too large."""

    answers: dict[int, Answer] = field(default_factory=dict)
    refusals: dict[int, Refusal] = field(default_factory=dict)


def one_in(every: int, k: int, count: int) -> bool:
    """Whether the k-th of `count` boards is chosen if one in `every` is.

    The last of each `every` boards is chosen, or of all if they are fewer: a block begins with its largest boards, on which
    certificates and exact claims take far longer than on all others together.
    """
    return k % every == min(every, count) - 1


def solve_together(contender: BackendContender, part: Sequence[Instance], exact_every: int | None) -> Together:
    """Solve the boards in one call if the backend takes a list, else one by one.

    One board in `exact_every` is solved with all exact claims that the backend can give, and without them if they are too much. If
    `exact_every` is None, no board is.
    """
    backend, options = contender.backend, dict(contender.options)
    answers: dict[int, Answer | None] = {}
    refusals: dict[int, Refusal] = {}

    def solve_alone(indices: Sequence[int], options: dict[str, Any]) -> None:
        for k in indices:
            try:
                answers[k] = backend.solve(part[k], **options)
            except Unsupported as reason:
                refusals[k] = refusal(contender, part[k], str(reason))

    def solve(indices: Sequence[int], options: dict[str, Any]) -> None:
        if contender.tests_solver:  # what a solver does wrong on one board must not drown among the others
            solve_alone(indices, options)
            return
        try:
            answers.update(zip(indices, backend.solve_many([part[k] for k in indices], **options), strict=True))
        except Unsupported:
            solve_alone(indices, options)

    taken = [k for k, board in enumerate(part) if not contender.does_not_take(board)]
    exact_options = exact_options_of(backend)
    if exact_every is not None and exact_options.items() - options.items():
        solve([k for k in taken if one_in(exact_every, k, len(part))], options | exact_options)
        taken = [k for k in taken if k not in answers]
        refusals.clear()
    solve(taken, options)
    for k in [k for k, answer in answers.items() if answer is None]:
        refusals[k] = refusal(contender, part[k], RETURNED_NONE)
    return Together({k: answer for k in sorted(answers) if (answer := answers[k]) is not None}, refusals)


def certified(contender: BackendContender, board: Instance) -> Answer | Refusal:
    """The certified answer to a board that the backend has answered, or why it refuses to certify it."""
    try:
        answer = certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver)
    except Unsupported as reason:
        return refusal(contender, board, f"asked for a certificate, it refuses: {reason}", certify=True)
    return refusal(contender, board, RETURNED_NONE, certify=True) if answer is None else answer


def refusal(contender: BackendContender, board: Instance, reason: str, *, certify: bool = False) -> Refusal:
    """A refusal; the backend may have declared it."""
    declared = contender.backend.may_refuse(board, certify=certify, **dict(contender.options))
    return Refusal(reason, declared)


def lacking(contender: BackendContender, board: Instance, answer: Answer) -> list[Fault]:
    """The fault of an answer that lacks something, by the puzzle's own statement of what this backend owes; mostly none.

    On a busy machine a search may run out of time. So a backend of ours is asked twice.
    """
    puzzle = puzzles.get(board.puzzle)
    what = puzzle.lacking(board, answer, contender.owes)
    if what is not None and contender.ours:
        what = puzzle.lacking(
            board,
            certified_answer(contender.backend, board, dict(contender.options), verify=contender.tests_solver),
            contender.owes,
        )
    return [] if what is None else [Fault(LACKING, (contender.name,), f"it {what}")]
