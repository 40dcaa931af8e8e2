"""What an answer lacks of what its backend promises to find: incomplete backends must not claim less than they say."""

from __future__ import annotations

import puzzles
from compare.fuzz.trials.observed import Fault
from compare.work.contenders import BackendContender
from compare.work.solving import certified_answer
from puzzles.answer import Answer
from puzzles.instance import Instance

LACKING = "LACKING"
"""The kind of such a fault."""


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
