"""Relations between claims, and records as lines."""

from __future__ import annotations

import json

import numpy as np
import pytest

import puzzles
from compare.campaign.record import Record, pack, unpack
from compare.campaign.relation import Relation, Stance, relate
from compare.isolate.sandbox import Status
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Minesweeper
from puzzles.verdict import Verdict


def stance(claims: list[int], complete: bool = True) -> Stance:
    return Stance(np.array(claims, np.int64), complete)


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
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
    ],
)
def test_relations(a: Stance, b: Stance, relation: Relation) -> None:
    assert relate(a, b) is relation
    assert relate(b, a) is relation


def test_from_a_contradiction_anything_follows() -> None:
    assert relate(stance([0, 1, 1]), stance([0, 0, 2]), first_claim_is_consistency=True) is Relation.EQUAL
    assert relate(stance([0, 1, 1]), stance([1, 1, 1]), first_claim_is_consistency=True) is Relation.CONFLICT
    assert relate(stance([-1, 1, 1], False), stance([0, 0, 0]), first_claim_is_consistency=True) is Relation.SUBSET
    assert relate(stance([0, 1, 1]), stance([0, 0, 2])) is Relation.CONFLICT


def test_only_open_questions_that_are_decided_count() -> None:
    board = Minesweeper(grid_of(["#1", "##", "X#"]))
    puzzle = puzzles.get("minesweeper")
    assert puzzle.decided(board, np.array([1, 0, 0, 1, 2, 1, 0])) == 3
    assert puzzle.decided(board, np.array([-1, 0, 0, -1, -1, 1, -1])) == 1


@pytest.mark.parametrize("claims", [[], [1], [-1, 0, 2], list(range(64)), [0, 1, 2, -1] * 500, list(range(1000)), [2**40] * 100])
def test_claims_are_packed_without_loss(claims: list[int]) -> None:
    array = np.array(claims, np.int64)
    again = unpack(pack(array))
    assert again is not None
    assert np.array_equal(again, array)
    assert unpack(pack(None)) is None


def test_a_record_survives_its_line() -> None:
    record = Record(
        puzzle="beams",
        backend="models:cnf",
        complete=True,
        solver="glucose4",
        digest="0123",
        case=2,
        set="a",
        file="b",
        size=(3, 4),
        status=Status.OK,
        relation=Relation.EQUAL,
        check=Verdict.PROVED,
        wall_s=0.25,
        counts={"variables": 3, "clauses": 4},
        claims=np.array([1]),
        board="1 1\n.\n",
    )
    again = Record.from_line(record.line())
    assert again.line() == record.line()
    assert (again.status, again.relation, again.check, again.size) == (Status.OK, Relation.EQUAL, Verdict.PROVED, (3, 4))


def test_a_record_of_before_files_were_named_is_read() -> None:
    record = Record(puzzle="beams", backend="x", complete=True, digest="0", case=2, set="a", size=(3, 4), status=Status.OK)
    old = json.loads(record.line())
    del old["file"]
    assert Record.from_line(json.dumps(old)) == record
    assert record.number == "2"


@pytest.mark.parametrize("line", ["", "{", "[]", "3", "{}", '{"header": true}', '{"puzzle": "beams", "size": 3}'])
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not a record"):
        Record.from_line(line)
