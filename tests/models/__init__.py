"""The models, their solvers and proofs."""

from __future__ import annotations

from puzzles.answer import Answer


def claims_of(answer: Answer) -> list[int]:
    """The claims of an answer that has some."""
    assert answer.claims is not None
    return answer.claims.tolist()
