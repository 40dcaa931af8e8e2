"""Races against other packages: disagreement, failure and a peer that does not end are told; the
real ones agree.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.formulas import TwoCnf
from benchmarks.races import PEERS, Race, RaceInput, main, run


def race(ours: Callable[[], Any], theirs: Callable[[], Any]) -> Race:
    def inputs(seed: int) -> Iterator[RaceInput]:
        for number in range(3):
            yield RaceInput(
                f"{seed}.{number}", ours, theirs, lambda a, b: "" if a == b else f"{a} and {b}"
            )

    return Race("adding up", "sum", "loop", inputs)


def fail() -> int:
    raise ZeroDivisionError("planted")


def never_end() -> int:
    return sum(1 for _ in count())


def test_both_sides_are_timed_and_agree() -> None:
    outcome = run(race(lambda: sum(range(100)), lambda: sum(range(200)) - 14950), 7, 4, 2.0)
    assert [each.name for each in outcome.inputs] == ["7.0", "7.1", "7.2"]
    assert all(
        each.ours.shape == each.theirs.shape == (4,) and not each.wrong for each in outcome.inputs
    )
    assert outcome.interval is not None
    assert outcome.ratio is not None
    assert outcome.interval[0] <= outcome.ratio <= outcome.interval[1]


def test_different_results_and_failures_are_told() -> None:
    assert {each.wrong for each in run(race(lambda: 1, lambda: 2), 1, 1, 2.0).inputs} == {"1 and 2"}
    for ours, theirs, limit in ((fail, never_end, 0.1), (fail, int, 0.3), (int, fail, 0.3)):
        outcome = run(race(ours, theirs), 1, 1, limit)
        assert all("ZeroDivisionError: planted" in each.wrong for each in outcome.inputs)
        assert outcome.timed == []


def test_a_peer_that_does_not_end_gives_a_lower_bound() -> None:
    outcome = run(race(lambda: sum(range(1000)), never_end), 1, 2, 0.1)
    assert all(each.stopped == 0.1 and not each.wrong for each in outcome.inputs)
    assert outcome.ratio is not None
    assert outcome.ratio > 1
    assert outcome.interval is None
    unpicklable = run(race(lambda: lambda: 1, never_end), 1, 1, 0.1)
    assert [(each.stopped, each.wrong) for each in unpicklable.inputs] == [(0.1, "")] * 3


def test_the_command_races_with_who_is_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keep = ["--keep", str(tmp_path / "kept")]
    with pytest.raises(SystemExit, match="2"):
        main(["nobody"])
    assert "unknown peer 'nobody': choose from networkx, " in capsys.readouterr().err
    races = {"numpy": (race(lambda: 1, lambda: 1),), "pytest": (race(lambda: 1, lambda: 2),)}
    monkeypatch.setitem(sys.modules, "tests.planted_races", SimpleNamespace(RACES=races))  # type: ignore[arg-type]
    for name, module in (("numpy", "numpy"), ("pytest", "pytest"), ("gone", "no_such_module")):
        monkeypatch.setitem(PEERS, name, (module, "tests.planted_races"))
    assert main(["numpy", "gone", *keep]) == 0
    printed = capsys.readouterr()
    assert f"numpy {np.__version__}" in printed.out
    assert "gone: not installed: pip install -e '.[benchmarks]'\n" in printed.err
    assert main(["pytest", *keep]) == 1
    assert "adding up, 1.0: 1 and 2\n" in capsys.readouterr().err
    assert main(["gone", *keep]) == 2
    (line,) = (tmp_path / "kept").read_text().splitlines()
    assert f'"numpy {np.__version__}: adding up"' in line


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=() if each == "ms_toollib" else pytest.mark.slow) for each in PEERS],
)
def test_a_peer_gives_what_ours_gives(name: str) -> None:
    module, races = PEERS[name]
    if find_spec(module) is None:
        pytest.skip(f"{name} is not installed")
    for each in import_module(races).RACES[name]:
        first = next(each.inputs(3))
        assert first.differ(first.ours(), first.theirs()) == ""


def test_a_formula_gives_each_implication_and_its_contrapositive() -> None:
    formula = TwoCnf(3, np.array([[1, -2], [3, 3]], np.int32))
    assert sorted(map(tuple, formula.implications().tolist())) == [(1, 3), (2, 0), (5, 4), (5, 4)]
