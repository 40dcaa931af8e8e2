"""`compare.examples`: boards of all families with readable ids, the same for the same arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import puzzles
from compare import examples
from puzzles.text import UserError
from tests.places import ROOT


def boards_of(parameters: Any) -> list[Any]:
    return [each.values[0] for each in parameters]


@pytest.mark.parametrize("name", [*puzzles.names(), str(ROOT / "examples" / "lights.py")])
def test_the_id_says_which_board_it_is(name: str) -> None:
    puzzle = puzzles.find(name)
    parameters = examples(name, count=30, size=5)
    assert len(parameters) == 30
    for each, board in zip(parameters, boards_of(parameters), strict=True):
        family, size, seed = str(each.id).rsplit("-", 2)
        assert board == puzzle.family(family).board(int(size), int(seed))
        assert board.in_contest_format
        assert int(size) <= max(5, puzzle.family(family).least)
    assert len({board.digest for board in boards_of(parameters)}) == 30
    assert {str(each.id).rsplit("-", 2)[0] for each in parameters} == {
        family
        for family, each in puzzle.families.items()
        if each.in_contest_format and each.least <= 5
    }


def test_the_same_arguments_give_the_same_boards_and_another_seed_others() -> None:
    first, again, other = (examples("beams", count=20, size=4, seed=seed) for seed in (1, 1, 2))
    assert [each.id for each in first] == [each.id for each in again]
    assert set(boards_of(first)) != set(boards_of(other))


def test_where_there_are_no_more_boards_there_are_fewer_parameters(tmp_path: Path) -> None:
    parameters = examples("geography", count=1000, size=1)
    assert 0 < len(parameters) < 10
    lights = (ROOT / "examples" / "lights.py").read_text()
    path = tmp_path / "lights.py"
    path.write_text(lights.replace('fewer walls")', 'fewer walls", least=3)'))
    with pytest.raises(
        UserError, match="no family of lights has boards of size 2 in the contest's format"
    ):
        examples(path, size=2)
