"""How two answers stand to each other, from their claims; stances, which carry these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import puzzles
from compare.commands.fuzz.blocks import _with_claims
from compare.engine.work.result import Relation, Stance, relate
from compare.engine.work.solving import Solved
from puzzles.beams.board import Layout
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper


def stance(claims: list[int], complete: bool = True) -> Stance:
    return Stance(np.array(claims, np.int64), complete)


RELATED = [
    (stance([1, 0, 2]), stance([1, 0, 2]), Relation.EQUAL),
    (stance([1, 0, 2]), stance([1, 0, 1]), Relation.CONFLICT),
    (stance([1, 0]), stance([1, 0, 1]), Relation.CONFLICT),
    (stance([]), stance([]), Relation.EQUAL),
    (stance([-1, 0, -1], False), stance([1, 0, 2]), Relation.SUBSET),
    (stance([1, 0, 2]), stance([-1, -1, -1], False), Relation.SUBSET),
    (stance([-1, 0, 1], False), stance([1, 0, 2]), Relation.CONFLICT),
    (stance([-1, 0, 1], False), stance([1, -1, 1], False), Relation.COMPATIBLE),
    (stance([-1, 0, 1], False), stance([1, 1, -1], False), Relation.CONFLICT),
    (stance([-1, 0]), stance([1, 0]), Relation.CONFLICT),
]
"""Two answers each, and how they stand to each other."""


@pytest.mark.parametrize(("a", "b", "relation"), RELATED)
def test_relations(a: Stance, b: Stance, relation: Relation) -> None:
    assert relate("beams", a, b) is relation
    assert relate("beams", b, a) is relation


def test_from_a_contradiction_anything_follows() -> None:
    assert relate("minesweeper", stance([0, 1, 1]), stance([0, 0, 2])) is Relation.EQUAL
    assert relate("minesweeper", stance([0, 1, 1]), stance([1, 1, 1])) is Relation.CONFLICT
    assert relate("minesweeper", stance([-1, 1, 1], False), stance([0, 0, 0])) is Relation.SUBSET
    assert relate("beams", stance([0, 1, 1]), stance([0, 0, 2])) is Relation.CONFLICT


def test_only_open_questions_that_are_decided_count() -> None:
    board = Minesweeper(grid_of(["#1", "##", "X#"]))
    puzzle = puzzles.get("minesweeper")
    assert puzzle.decided_count(board, np.array([1, 0, 0, 1, 2, 1, 0])) == 3
    assert puzzle.decided_count(board, np.array([-1, 0, 0, -1, -1, 1, -1])) == 1


def test_of_a_block_equal_claims_of_several_backends_are_kept_once() -> None:
    first: dict[int, Any] = {}
    possible, impossible = Layout(True), Layout(False)
    rows = [_with_claims(Solved(0, each), first) for each in (possible, Layout(True), impossible)]
    claims = [row.claimed[0] for row in rows if row.claimed is not None]
    assert claims[0] is claims[1]
    assert [each.tolist() for each in claims if each is not None] == [[1], [1], [0]]
    assert all(row.answer is None for row in rows)


def test_stances_are_the_same_only_if_all_that_they_claim_is() -> None:
    claims = np.array([1, 2], np.int64)
    narrow: Any = claims.astype(np.int32)
    one = Stance(claims)
    assert one.same(Stance(narrow))
    assert not one.same(Stance(claims, False))
    assert not one.same(Stance(claims, exact={"layouts": 1}))
    assert not one.same(Stance(claims[:1]))
    assert not one.same(Stance(claims[::-1].copy()))
