"""Random lists of pairs, and what makes their components right: relabelling, and 2-SAT's components
of the equivalences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from direct import two_sat, union_find
from puzzles.text import InputError
from tests.direct import run_on

LARGE_EVERY = 100
"""One list in this many has thousands of elements."""

_HIGHEST_TREE = 2.0
"""Union by size makes no tree higher than the binary logarithm of its size; the tests leave this
much more.
"""


@dataclass(frozen=True)
class Pairs:
    """Pairs of elements counted from 0: int64 array (pairs, 2)."""

    elements: int
    pairs: NDArray[np.int64]
    number: int


def cases(seed: int, count: int) -> list[Pairs]:
    """Lists over up to 30 elements, some over thousands: random pairs, lines, stars and
    tournaments.
    """
    rng = np.random.default_rng(seed)
    return [_draw(rng, k) for k in range(count)]


def _draw(rng: np.random.Generator, number: int) -> Pairs:
    elements = int(
        rng.integers(2000, 5000) if number % LARGE_EVERY == LARGE_EVERY - 1 else rng.integers(1, 31)
    )
    shape = number % 4
    line = np.arange(elements - 1)
    if shape == 0:
        pairs = np.column_stack([line, line + 1])
    elif shape == 1:
        step = 2 ** rng.integers(0, 5, elements)
        pairs = np.column_stack([np.arange(elements), (np.arange(elements) ^ step) % elements])
    else:
        pairs = rng.integers(0, elements, (int(elements * rng.choice([0.3, 0.6, 1.0, 2.0])), 2))
    rng.shuffle(pairs)
    return Pairs(elements, pairs[: int(rng.integers(0, len(pairs) + 1))].astype(np.int64), number)


def relabelled(case: Pairs) -> NDArray[np.int64]:
    """The smallest member of each element's component, by relabelling."""
    label = np.arange(case.elements)
    for a, b in case.pairs.tolist():
        low, high = sorted((label[a], label[b]))
        label[label == high] = low
    return label


def examine(case: Pairs) -> None:
    """Raise `AssertionError` unless all that can be asked of the sets is right."""
    label = relabelled(case)
    parents = union_find.singletons(case.elements)
    half = len(case.pairs) // 2
    united = np.concatenate(
        [
            union_find.union(parents, part[:, 0], part[:, 1])
            for part in (case.pairs[:half], case.pairs[half:])
        ]
    )
    assert united.shape == (len(case.pairs),)
    assert height(parents) <= np.log2(case.elements) + _HIGHEST_TREE
    first = parents.copy()
    roots = union_find.find(parents, np.arange(case.elements))
    assert np.array_equal(union_find.labels(first), label)
    assert np.array_equal(union_find.labels(parents), label)
    sizes = np.bincount(label, minlength=case.elements)
    assert np.array_equal(label[roots], label)
    assert (
        np.unique(roots).size
        == np.unique(label).size
        == union_find.count(parents)
        == case.elements - united.sum()
    )
    assert np.array_equal(-parents[roots], sizes[label])
    forest = union_find.singletons(case.elements)
    assert union_find.union(forest, *case.pairs[united].T).all()
    assert np.array_equal(union_find.labels(forest), label)
    examine_equivalences(case, label)
    examine_text(case, label)
    if case.number % 8 == 0:
        examine_refusals(case)


def examine_refusals(case: Pairs) -> None:
    """An element that is none: the arrays and the text are refused, and no set is changed."""
    parents = union_find.singletons(case.elements)
    for a, b in (
        ([case.elements], [0]),
        ([0], [case.elements]),
        ([0], [-1]),
        ([-1], [0]),
        ([0, 0], [0]),
        ([[0]], [[0]]),
        ([0.5], [0]),
    ):
        with pytest.raises(ValueError, match="element"):
            union_find.union(parents, a, b)
    with pytest.raises(ValueError, match="range"):
        union_find.find(parents, [case.elements])
    assert union_find.union(parents, [], []).size == 0
    assert (parents == -1).all()
    with pytest.raises(ValueError, match="elements"):
        union_find.singletons(-1 - case.number)
    for wrong in (
        f"{case.elements + 1} 1",
        f"1 {case.elements + 1}",
        "0 1",
        "1 0",
        "1",
        "1 1 1",
        "1 1\n1 1",
        "1 -1",
    ):
        with pytest.raises(InputError):
            union_find.read_pairs(f"{case.elements} 1\n{wrong}\n")
    for elements in (0, 10**8 + 1):
        with pytest.raises(InputError, match="must be from 1 to 100000000"):
            union_find.read_pairs(f"{elements} 0\n")
    assert union_find.read_pairs("100000000 0\n")[0] == 10**8
    assert union_find.count(union_find.singletons(0)) == 0
    with pytest.raises(InputError):
        union_find.read_pairs(f"{case.elements} 2\n1 1 1\n1\n")


def height(parents: NDArray[np.int32]) -> int:
    """The most steps from an element to its root."""
    steps, at = 0, np.flatnonzero(parents >= 0)
    while at.size:
        steps += 1
        at = parents[at]
        at = at[parents[at] >= 0]
        assert steps <= parents.size
    return steps


def examine_equivalences(case: Pairs, label: NDArray[np.int64]) -> None:
    """Each pair as an equivalence of two variables: the implication graph has the same
    components.
    """
    a, b = case.pairs.T + 1
    clauses = np.concatenate([np.column_stack([-a, b]), np.column_stack([a, -b])])
    start, target, _ = two_sat.implications(case.elements, clauses.astype(np.int32))
    order = two_sat.components(start, target)
    _, first, inverse = np.unique(order[0::2], return_index=True, return_inverse=True)
    assert np.array_equal(first[inverse], label)


def examine_text(case: Pairs, label: NDArray[np.int64]) -> None:
    """Written down it is read back, and the command prints the components."""
    gap = "\t" if case.number % 3 == 0 else " "
    lines = [f"{a}{gap}{b}" for a, b in (case.pairs + 1).tolist()]
    text = "\n".join([f"{case.elements} {len(lines)}", *lines, ""])
    elements, pairs = union_find.read_pairs(text)
    assert elements == case.elements
    assert np.array_equal(pairs, case.pairs)
    if case.number % 16 == 0:
        status, printed = run_on(union_find.main, text)
        first, second = printed.splitlines()
        assert (status, int(first)) == (0, np.unique(label).size)
        assert second == " ".join(map(str, (label + 1).tolist()))
