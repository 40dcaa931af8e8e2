"""Graphs as pictures: what is drawn, where nodes stand, and what is said of large ones."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import direct
import puzzles
from puzzles.graph_pictures import MAX_NODES, GraphPicture, place_nodes
from puzzles.instance import Instance
from tests.places import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def parts(svg: str) -> ElementTree.Element:
    """The nodes and edges of a picture."""
    (graph,) = (each for each in ElementTree.fromstring(svg).iter() if each.get("class") == "graph")
    return graph


def words(svg: str, name: str) -> list[str]:
    """The texts in a part of a picture."""
    tree = ElementTree.fromstring(svg)
    return [
        str(text.text)
        for each in tree.iter()
        if each.get("class") == name
        for text in each.iter(f"{SVG}text")
    ]


def crossings(places: np.ndarray, edges: list[tuple[int, int]]) -> int:
    """How many pairs of edges without a common node cross, by the signs of their areas."""

    def area(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    count = 0
    for (i, j), (k, m) in combinations(edges, 2):
        if len({i, j, k, m}) == 4:
            a, b, c, d = places[[i, j, k, m]]
            apart = area(a, b, c) * area(a, b, d) < 0
            count += apart and area(c, d, a) * area(c, d, b) < 0
    return count


TREE = [((k - 1) // 2, k) for k in range(1, 25)]
GRID = [(5 * r + c, 5 * r + c + 1) for r in range(5) for c in range(4)]
GRID += [(5 * r + c, 5 * r + c + 5) for r in range(4) for c in range(5)]
CIRCLE = [(k, (k + 1) % 20) for k in range(20)]
PLANAR = {"tree": (25, TREE), "grid": (25, GRID), "circle": (20, CIRCLE)}


@pytest.mark.parametrize("name", PLANAR)
def test_what_can_be_drawn_without_a_crossing_is(name: str) -> None:
    count, edges = PLANAR[name]
    places = place_nodes(count, edges)
    assert crossings(places, edges) == 0
    assert np.array_equal(places, place_nodes(count, edges))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12, MAX_NODES])
def test_no_two_nodes_touch_and_no_edge_passes_through_one(count: int) -> None:
    rng = np.random.default_rng(count)
    pairs = list(combinations(range(count), 2))
    chosen = [pairs[k] for k in rng.permutation(len(pairs))[: count + 4]]
    places = place_nodes(count, chosen)
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    for a, b in pairs:
        assert np.linalg.norm(places[a] - places[b]) > 0.5  # a node is less than half a unit wide


def test_every_node_and_edge_is_there_and_the_answer_is_marked() -> None:
    drawing = GraphPicture("ab<c", [("a", "b", "7 & 8"), ("b", "<", "x"), ("c", "c")])
    drawing.mark("a<", "chosen")
    drawing.mark_edges([("b", "a"), ("a", "c"), 5], "used")
    svg = drawing.svg("a graph", "it is so")
    graph = parts(svg)
    assert len(graph.findall(f"{SVG}circle")) == 4
    assert len(graph.findall(f"{SVG}line")) == 2
    assert len(graph.findall(f"{SVG}path")) == 1  # the loop
    assert sorted(words(svg, "graph")) == ["7 & 8", "<", "a", "b", "c", "x"]
    fills = [circle.get("fill") for circle in graph.findall(f"{SVG}circle")]
    assert fills == ["var(--cool)", "var(--paper)", "var(--cool)", "var(--paper)"]
    thick = [line.get("stroke-width") for line in graph.findall(f"{SVG}line")]
    assert thick == ["4", "1.3"]
    assert words(svg, "headline") == ["it is so"]
    assert words(svg, "legend") == ["chosen", "used"]


def test_edges_are_marked_whatever_holds_them() -> None:
    drawing = GraphPicture("abc", ["ab", "bc"])
    for k, edges in enumerate((zip("a", "b", strict=True), {("b", "c"): 1}, None, 5, "ab")):
        drawing.mark_edges(edges, f"mark {k}")
    svg = drawing.svg("")
    lines = parts(svg).findall(f"{SVG}line")
    assert [line.get("stroke-width") for line in lines] == ["4", "4"]
    assert words(svg, "legend") == ["mark 0", "mark 1"]


def test_an_arrow_points_from_the_first_node_to_the_second() -> None:
    drawing = GraphPicture([1, 2], [(1, 2)], directed=True)
    drawing.mark_edges([(2, 1)], "backward")
    graph = parts(drawing.svg(""))
    (line,) = graph.findall(f"{SVG}line")
    assert line.get("stroke-width") == "1.3"
    (arrow,) = graph.findall(f"{SVG}polygon")
    tip = [float(each) for each in str(arrow.get("points")).split(" ")[0].split(",")]
    (_, second) = (
        [float(str(each.get(key))) for key in ("cx", "cy")]
        for each in graph.findall(f"{SVG}circle")
    )
    assert np.hypot(tip[0] - second[0], tip[1] - second[1]) == pytest.approx(15, abs=0.2)


def test_marks_differ_without_colour() -> None:
    drawing = GraphPicture(range(4), [])
    for k in range(4):
        drawing.mark([k], f"colour {k}")
    circles = parts(drawing.svg("")).findall(f"{SVG}circle")
    assert len({circle.get("stroke-dasharray") for circle in circles}) == 4


def test_a_large_graph_is_a_sentence_with_its_numbers() -> None:
    count = MAX_NODES + 1
    drawing = GraphPicture(range(count), [(k, k + 1) for k in range(MAX_NODES)])
    drawing.mark([0, 1, 2, 999], "in the cover")
    drawing.mark_edges([(1, 0)], "in the matching")
    svg = drawing.svg("large")
    assert "<circle" not in svg
    assert " ".join(words(svg, "headline")) == (
        "a graph of 31 nodes and 30 edges, too large to draw; in the cover: 3 nodes; "
        "in the matching: 1 edge"
    )


def test_an_edge_without_its_node_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("(1, 9) is not between two nodes")):
        GraphPicture([1, 2], [(1, 9)])


def test_the_cover_of_the_example_is_drawn_as_its_page_says() -> None:
    whole = (ROOT / "examples" / "cover.py").read_text()
    page = (ROOT / "docs" / "own-puzzles.md").read_text()
    every = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    (code,) = (each for each in every if "GraphPicture(" in each)
    assert code in whole
    puzzle = puzzles.find(str(ROOT / "examples" / "cover.py"))
    case: Instance = puzzle.parse("1\n2 2 3\n1 1\n1 2\n2 1\n")[0]
    answer = direct.solve(case, certify=True)
    svg = puzzle.picture(case, answer)
    assert words(svg, "graph") == ["1", "2", "3", "4"]
    circles = parts(svg).findall(f"{SVG}circle")
    filled = [k for k, circle in enumerate(circles, 1) if circle.get("fill") != "var(--paper)"]
    assert filled == sorted(answer.witness)
    lines = parts(svg).findall(f"{SVG}line")
    assert [line.get("stroke-width") for line in lines].count("4") == len(answer.certificate) == 2
    assert len(parts(puzzle.picture(case)).findall(f"{SVG}line")) == 3
