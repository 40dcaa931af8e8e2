"""Disjoint sets by union by size and path halving, over whole arrays of pairs and elements.

The state is one int32 array `parents`: a root holds minus the size of its set, any other element
the index of an element nearer to the root. `python -m direct.union_find [FILE]` reads a list of
pairs and answers with the components. Source: R. E. Tarjan, J. van Leeuwen, "Worst-case analysis of
set union algorithms", 1984: n unions and finds take time n times the inverse Ackermann function.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from direct.general import regular_pairs, run
from direct.kernel import Array, inner_kernel, kernel
from puzzles.text import Reader

Parents = NDArray[np.int32]

MAX_ELEMENTS = 10**8
"""A text that announces more elements is refused: each takes four bytes, whether a pair names it or
not.
"""


def singletons(elements: int) -> Parents:
    """`elements` sets of one element each, numbered from 0; raises `ValueError` below 0 or from
    2^31 on.
    """
    if not 0 <= elements < 2**31:
        raise ValueError(f"from 0 to 2^31 - 1 elements, not {elements}")
    return np.full(elements, -1, np.int32)


def union(parents: Parents, a: ArrayLike, b: ArrayLike) -> NDArray[np.bool_]:
    """Unite the sets of a[k] and b[k] for each k in turn, in place.

    Returns:
        bool array of shape (pairs,): whether the pair united two sets. The marked pairs are a
        spanning forest.

    Raises:
        ValueError: `a` and `b` are not flat arrays of one length, or an element is out of range.
    """
    left, right = _elements(parents, a), _elements(parents, b)
    if left.size != right.size:
        raise ValueError(f"{left.size} elements cannot be paired with {right.size}")
    return _union.at(left.size)(parents, left, right)


def find(parents: Parents, elements: ArrayLike) -> NDArray[np.int32]:
    """The root of each element's set (int32). Two elements have the same root exactly if they are
    in one set.

    Shortens the paths in `parents`. Raises `ValueError` for an element out of range.
    """
    flat = _elements(parents, elements)
    return _find.at(flat.size)(parents, flat)


def labels(parents: Parents) -> NDArray[np.int32]:
    """The smallest member of each element's set, int32 array of shape (elements,)."""
    return _labels.at(parents.size)(parents)


def count(parents: Parents) -> int:
    """The number of sets."""
    return int(np.count_nonzero(parents < 0))


def _elements(parents: Parents, elements: ArrayLike) -> NDArray[np.int32]:
    wide = np.asarray(elements)
    if wide.ndim != 1 or (wide.size and wide.dtype.kind not in "iu"):
        raise ValueError("elements are one flat array of integers")
    if wide.size and not 0 <= int(wide.min()) <= int(wide.max()) < parents.size:
        raise ValueError(f"an element is out of range for {parents.size} elements")
    return np.ascontiguousarray(wide, np.int32)


@inner_kernel
def root(parents: Array, element: int) -> int:
    """The root of one element's set, the first index on its path that holds a negative number;
    halves the path.
    """
    up = parents[element]
    while up >= 0:
        over = parents[up]
        if over < 0:
            return up
        parents[element] = over
        element = over
        up = parents[element]
    return element


@kernel
def _union(parents: Array, a: Array, b: Array) -> Array:
    united = np.zeros(a.size, np.bool_)
    for k in range(a.size):
        one, other = root(parents, a[k]), root(parents, b[k])
        if one == other:
            continue
        if parents[one] > parents[other]:
            one, other = other, one
        parents[one] += parents[other]
        parents[other] = one
        united[k] = True
    return united


@kernel
def _find(parents: Array, elements: Array) -> Array:
    roots = np.empty(elements.size, np.int32)
    for k in range(elements.size):
        roots[k] = root(parents, elements[k])
    return roots


@kernel
def _labels(parents: Array) -> Array:
    label = np.empty(parents.size, np.int32)
    first = np.full(parents.size, -1, np.int32)
    for element in range(parents.size):
        top = root(parents, element)
        if first[top] < 0:
            first[top] = element
        label[element] = first[top]
    return label


def read_pairs(text: str | bytes, name: str = "<text>") -> tuple[int, NDArray[np.int32]]:
    """The number of elements and the pairs, int32 array of shape (pairs, 2) counted from 0, of a
    text.

    Its first line is `n m`, the numbers of elements and of pairs; m lines `a b` follow, elements
    counted from 1.

    Raises:
        InputError: the text breaks the format.
    """
    reader = Reader(text, name)
    elements, announced = reader.numbers("the number of elements", "the number of pairs", least=0)
    if not 1 <= elements <= MAX_ELEMENTS:
        reader.fail(f"the number of elements must be from 1 to {MAX_ELEMENTS}, found {elements}", 0)
    pairs = regular_pairs(reader, announced, (elements, elements))
    if pairs is None:
        read: list[tuple[int, ...]] = []
        while len(read) < announced:
            start = reader.position
            pair = reader.numbers("an element", "an element")
            for element, word in zip(
                pair, re.compile(rb"\S+").finditer(reader.data, start), strict=False
            ):
                if element > elements:
                    reader.fail(
                        f"element {element} is out of range for {elements} elements", word.start()
                    )
            read.append(pair)
        reader.end("the last pair")
        pairs = np.array(read, np.int64).reshape(-1, 2)
    return elements, (pairs - 1).astype(np.int32)


def print_components(parents: Parents) -> str:
    """The number of components, and on a second line the smallest member of each element's
    component, counted from 1.
    """
    return f"{count(parents)}\n{' '.join(map(str, (labels(parents) + 1).tolist()))}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, 2 for a bad text; see `puzzles.text.ending`."""
    description, file = "The components of a list of pairs.", "`n m`, then m lines `a b`"
    return run("union_find", description, file, _answer, arguments)


def _answer(text: bytes, name: str) -> int:
    elements, pairs = read_pairs(text, name)
    parents = singletons(elements)
    union(parents, pairs[:, 0], pairs[:, 1])
    sys.stdout.write(print_components(parents))
    return 0


if __name__ == "__main__":
    sys.exit(main())
