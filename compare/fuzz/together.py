"""Solving many boards with one backend, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compare.work.contenders import BackendContender
from compare.work.solving import exact_options_of
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.grid import Board


def solve_together(contender: BackendContender, part: Sequence[Board], exact_every: int) -> dict[int, Answer]:
    """The answers by the index of their board, in one call if the backend takes a list, else one by one.

    A board that the backend refuses has no answer. One board in `exact_every` is solved with all exact claims that the backend
    can give, and without them if they are too much.
    """
    backend, options = contender.backend, dict(contender.options)
    answers: dict[int, Answer] = {}

    def solve_alone(indices: Sequence[int], options: dict[str, Any]) -> None:
        for k in indices:
            try:
                answers[k] = backend.solve(part[k], **options)
            except Unsupported:
                continue

    taken = [k for k, board in enumerate(part) if not contender.too_large(board)]
    exact_options = exact_options_of(backend)
    if exact_options.items() - options.items():
        solve_alone(taken[::exact_every], options | exact_options)
        taken = [k for k in taken if k not in answers]
    try:
        together = backend.solve_many([part[k] for k in taken], **options)
    except Unsupported:
        solve_alone(taken, options)
    else:
        answers.update(zip(taken, together, strict=True))
    return dict(sorted(answers.items()))
