"""Maximum matching as a solver in its own right, against a naive one; its command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from direct import matching
from puzzles.text import InputError


def naive_size(left: int, edges: list[tuple[int, int]]) -> int:
    """The size of a maximum matching, one augmenting path at a time."""
    near: dict[int, list[int]] = {u: [v for w, v in edges if w == u] for u in range(left)}
    mate: dict[int, int] = {}

    def augment(u: int, seen: set[int]) -> bool:
        for v in near[u]:
            if v not in seen:
                seen.add(v)
                if v not in mate or augment(mate[v], seen):
                    mate[v] = u
                    return True
        return False

    return sum(augment(u, set()) for u in range(left))


def assert_optimal(graph: matching.BipartiteGraph, edges: np.ndarray, answer: matching.Matching) -> None:
    """The matching is one, along edges, and the cover, of the same size, touches every edge."""
    u = np.flatnonzero(answer.mate >= 0)
    assert len(set(answer.mate[u].tolist())) == u.size == answer.size
    have = set(map(tuple, edges.tolist()))
    assert all((a, b) in have for a, b in zip(u.tolist(), answer.mate[u].tolist(), strict=True))
    assert answer.cover_left is not None
    assert answer.cover_right is not None
    assert (answer.cover_left[edges[:, 0]] | answer.cover_right[edges[:, 1]]).all()
    assert int(answer.cover_left.sum() + answer.cover_right.sum()) == answer.size
    assert (answer.cover_left.size, answer.cover_right.size) == (graph.left, graph.right)


def test_matching_agrees_with_a_naive_one() -> None:
    rng = np.random.default_rng(2)
    for _ in range(400):
        left, right = (int(k) for k in rng.integers(0, 12, 2))
        count = int(rng.integers(0, 40)) if left and right else 0
        edges = np.column_stack([rng.integers(0, left or 1, count), rng.integers(0, right or 1, count)]).astype(np.int32)
        graph = matching.graph(left, right, edges)
        answer = matching.solve(graph)
        assert answer.size == naive_size(left, edges.tolist())
        assert_optimal(graph, edges, answer)


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
    """A long path whose every second vertex has a rival: one search after the other runs down the whole path in vain."""
    k = np.arange(steps)
    rivals = np.column_stack([k + steps, k])
    return 2 * steps, np.concatenate([np.column_stack([k, k]), np.column_stack([k[:-1], k[1:]]), rivals]).astype(np.int32)


@pytest.mark.parametrize("make", [crossed, kuhn_killer])
def test_kuhns_worst_cases_are_solved(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    size, edges = make(50_000)
    graph = matching.graph(size, size, edges)
    answer = matching.solve(graph)
    assert answer.size == 50_000
    assert_optimal(graph, edges, answer)


def test_random_graphs_in_both_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    for degree in (1, 2, 3, 6):
        edges = rng.integers(0, 800, (800 * degree, 2)).astype(np.int32)
        graph, sizes = matching.graph(800, 800, edges), set()
        for mode in ("compiled", "python"):
            monkeypatch.setenv("TWOFOLD_KERNELS", mode)
            answer = matching.solve(graph)
            assert_optimal(graph, edges, answer)
            sizes.add(answer.size)
        assert len(sizes) == 1


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


def test_graphs_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="out of range"):
        matching.graph(2, 2, np.array([[0, 2]], np.int32))
    with pytest.raises(ValueError, match="shape"):
        matching.graph(2, 2, np.array([[0, 1, 1]], np.int32))


@pytest.mark.parametrize("header", ["999999999 1 0", "1 999999999 0", "60000000 60000000 1\n1 1"])
def test_a_graph_too_large_is_refused_before_it_takes_memory(header: str) -> None:
    with pytest.raises(InputError, match="a.in:1:1: a graph has at most 100000000 vertices"):
        matching.read_graph(header, "a.in")
