"""Trying the written formulas of `models.dimacs` on some boards: a solver's verdict on each must fit the answers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from compare.fuzz.batch import Batch, Deadline
from compare.fuzz.trials.observed import CONFLICT, Fault, Observed
from compare.isolate.sandbox import call
from models.cnf import Formula
from models.dimacs import encode
from models.session import session
from models.solvers.solver_names import DEFAULT_SOLVER
from puzzles.answer import Claims
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.text import UserError

NAME = "encode"
"""What a fault calls the formulas."""


def try_encoding(batch: Batch, stream: Sequence[Instance], observed: Sequence[Observed], deadline: Deadline) -> None:
    """Add a conflict to each board whose formula, or whose formula of a question about one cell, contradicts an answer to it."""
    answered = [
        (k, board, said.name, said.stance.claims)
        for k, (board, each) in enumerate(zip(stream, observed, strict=True))
        for said in each.answers[:1]
        if said.stance is not None and said.stance.complete
    ]
    if deadline.over or not answered:
        return
    outcome = call(_contradicted, [(board, claims) for _, board, _, claims in answered], limits=deadline.within(batch.limits))
    if outcome.ok:
        for (k, _, name, _), detail in zip(answered, outcome.value, strict=True):
            if detail:
                observed[k].faults.append(Fault(CONFLICT, (name, NAME), detail))
    elif len(stream) == 1 and not deadline.over:
        observed[0].faults.append(Fault(outcome.status, (NAME,), outcome.detail))


def _contradicted(answered: Sequence[tuple[Instance, Claims]]) -> list[str]:
    """For each board what its formulas and the claims contradict each other in; empty if they agree."""
    return [_contradiction(board, claims) for board, claims in answered]


def _contradiction(board: Instance, claims: Claims) -> str:
    if not isinstance(board, Board):
        return ""  # formulas that can be written down are about boards
    cell = Random(board.digest).randrange(board.cells)
    for place in (None, (cell // board.columns + 1, cell % board.columns + 1)):
        try:
            encoding = encode(board, place)
        except (Unsupported, UserError):
            continue
        expected = encoding.expected(claims)
        if expected is not None and satisfiable(encoding.formula) != expected:
            return f"the formula should be {'' if expected else 'un'}satisfiable: {encoding.meaning}"
    return ""


def satisfiable(formula: Formula) -> bool:
    """Whether a formula has a model."""
    with session(formula, DEFAULT_SOLVER) as opened:
        return opened.solve()
