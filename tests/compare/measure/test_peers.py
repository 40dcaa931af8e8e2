"""Races against other packages: disagreement, failure and a peer that does not end are told; the real ones agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

from compare.command_line import main
from compare.measure import peers
from compare.measure.benchmarks import TwoCnf, board_graph
from compare.measure.peers import Race, RaceInput
from compare.measure.races import run
from puzzles.geography.board import Geography
from puzzles.grid import grid_of
from puzzles.text import UnknownName


def race(ours: Callable[[], Any], theirs: Callable[[], Any]) -> Race:
    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(3):
            yield RaceInput(f"{seed}.{number}", ours, theirs, lambda a, b: "" if a == b else f"{a} and {b}")

    return Race("adding up", "sum", "loop", inputs)


def fail() -> int:
    raise ZeroDivisionError("planted")


def never_end() -> int:
    return sum(1 for _ in count())


def test_both_sides_are_timed_and_agree() -> None:
    outcome = run(race(lambda: sum(range(100)), lambda: sum(range(200)) - 14950), 7, 4, 2.0)
    assert [each.name for each in outcome.inputs] == ["7.0", "7.1", "7.2"]
    assert all(each.ours.shape == each.theirs.shape == (4,) and not each.wrong for each in outcome.inputs)
    assert outcome.interval is not None
    assert outcome.interval[0] <= outcome.ratio <= outcome.interval[1]


def test_different_results_and_failures_are_told() -> None:
    assert {each.wrong for each in run(race(lambda: 1, lambda: 2), 1, 1, 2.0).inputs} == {"1 and 2"}
    for sides in ((fail, never_end), (fail, int), (int, fail)):
        outcome = run(race(*sides), 1, 1, 0.3)
        assert all("ZeroDivisionError: planted" in each.wrong for each in outcome.inputs)
        assert outcome.timed == []


def test_a_peer_that_does_not_end_gives_a_lower_bound() -> None:
    outcome = run(race(lambda: sum(range(1000)), never_end), 1, 2, 0.2)
    assert all(each.stopped == 0.2 and not each.wrong for each in outcome.inputs)
    assert outcome.ratio > 1
    assert outcome.interval is None
    unpicklable = run(race(lambda: lambda: 1, never_end), 1, 1, 0.2)
    assert [(each.stopped, each.wrong) for each in unpicklable.inputs] == [(0.2, "")] * 3


def test_the_command_names_what_is_missing_or_unknown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    assert main(["speed", "--only", "races", peers.names()[0]]) == 2
    assert "not installed: pip install -e '.[peers]'\n" in capsys.readouterr().err
    assert main(["speed", "--only", "races", "nobody"]) == 2
    assert "unknown peer 'nobody'" in capsys.readouterr().err
    with pytest.raises(UnknownName):
        peers.get("__init__")


def test_without_a_peer_that_is_missing_the_others_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def get(name: str) -> peers.Peer:
        return peers.Peer(name, "1.0" if name == "there" else None, (race(lambda: 1, lambda: 1 + (name != "there")),))

    monkeypatch.setattr(peers, "names", lambda: ["gone", "there"])
    monkeypatch.setattr(peers, "get", get)
    assert main(["speed", "--only", "races"]) == 0
    printed = capsys.readouterr()
    assert "there 1.0" in printed.out
    assert "ALL AGREE" in printed.out
    assert "gone: not installed" in printed.err


@pytest.mark.parametrize("name", peers.names())
def test_a_peer_gives_what_ours_gives(name: str) -> None:
    peer = peers.get(name)
    assert peer.races
    if peer.version is None:
        pytest.skip(f"{name} is not installed")
    for each in peer.races:
        each = next(each.inputs(3))
        assert each.differ(each.ours(), each.theirs()) == ""


def test_the_graph_of_a_board_joins_open_neighbours_and_nothing_else() -> None:
    board = Geography(grid_of(["..#.", ".#..", "...."]))
    graph = board_graph(board)
    number: dict[int, dict[tuple[int, int], int]] = {0: {}, 1: {}}
    for row, line in enumerate(board.lines()):
        for column, kind in enumerate(line):
            if kind == ".":
                side = number[(row + column) % 2]
                side[row, column] = len(side)
    expected = {
        (place, number[1][row + down, column + across])
        for (row, column), place in number[0].items()
        for down, across in ((0, 1), (0, -1), (1, 0), (-1, 0))
        if (row + down, column + across) in number[1]
    }
    assert graph.size == max(map(len, number.values()))
    assert sorted(map(tuple, graph.pairs.tolist())) == sorted(expected)


def test_a_formula_gives_each_implication_and_its_contrapositive() -> None:
    formula = TwoCnf(3, np.array([[1, -2], [3, 3]], np.int32))
    assert sorted(map(tuple, formula.implications().tolist())) == [(1, 3), (2, 0), (5, 4), (5, 4)]
