"""Maximum matching as a solver in its own right, on random graphs and on bad cases; its command
line.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from direct import matching
from puzzles.text import InputError
from tests.direct import graphs


@pytest.mark.parametrize(
    ("form", "count"),
    [("python", 500), ("compiled", 500), pytest.param("compiled", 6000, marks=pytest.mark.slow)],
)
def test_random_graphs(form: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    sizes: set[int] = set()
    for case in graphs.cases(2, count):
        graphs.examine(case)
        sizes.add(min(case.left, case.right))
    assert min(sizes) == 0
    assert max(sizes) > 450


def crossed(steps: int) -> tuple[int, np.ndarray]:
    """No vertex of degree one: a ladder whose rungs lead a greedy search the wrong way."""
    k = np.arange(steps)
    pairs = [
        np.column_stack([k, k]),
        np.column_stack([k, (k + 1) % steps]),
        np.column_stack([k[: steps // 2], k[::-1][: steps // 2]]),
    ]
    return steps, np.concatenate(pairs).astype(np.int32)


def kuhn_killer(steps: int) -> tuple[int, np.ndarray]:
    """A long path whose every second vertex has a rival: one search after the other runs down the
    whole path in vain.
    """
    k = np.arange(steps)
    rivals = np.column_stack([k + steps, k])
    return 2 * steps, np.concatenate(
        [np.column_stack([k, k]), np.column_stack([k[:-1], k[1:]]), rivals]
    ).astype(np.int32)


@pytest.mark.parametrize("make", [crossed, kuhn_killer])
def test_kuhns_worst_cases_are_solved(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    size, edges = make(50_000)
    answer = matching.solve(matching.graph(size, size, edges))
    assert answer.size == 50_000
    graphs.examine_matching(graphs.Edges(size, size, edges, 0), answer)


def test_matching_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "graph"
    file.write_text("3 2 3\n1 1\n2 1\n3 2\n")
    assert matching.main([str(file)]) == 0
    assert capsys.readouterr().out == "2\n1 1\n3 2\nleft 3\nright 1\n"
    file.write_text("2 2 1\n1 3\n")
    assert matching.main([str(file)]) == 2
    assert ":2:1: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"),
        ("1 1\n", "1:4"),
        ("1 1 1\n", "2:1"),
        ("1 1 1\n1\n", "2:2"),
        ("1 1 1\n1 1 1\n", "2:5"),
        ("1 1 1\n0 1\n", "2:1"),
        ("1 1 1\n1 2\n", "2:1"),
        ("1 1 1\n1 1\n1 1\n", "3:1"),
        ("1 1 1\n1 x\n", "2:3"),
    ],
)
def test_malformed_graphs(text: str, place: str) -> None:
    with pytest.raises(InputError) as error:
        matching.read_graph(text, "x")
    assert str(error.value).startswith(f"x:{place}: ")


@pytest.mark.parametrize("header", ["999999999 1 0", "1 999999999 0", "60000000 60000000 1\n1 1"])
def test_a_graph_too_large_is_refused_before_it_takes_memory(header: str) -> None:
    with pytest.raises(InputError, match="a.in:1:1: a graph has at most 100000000 vertices"):
        matching.read_graph(header, "a.in")
