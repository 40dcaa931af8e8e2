"""Derivations in words: small inferences from what a puzzle states, one after the other, until a
fact or a contradiction follows.

A fact is a variable and its value: a cell and whether it is a mine, a turret and whether it is
turned one way. A puzzle brings the rule that finds the next inference, and the words. Where no rule
applies, a fact is supposed, and its contradiction is derived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from puzzles.coordinates import coordinates

MAX_STEPS = 30
"""Steps of a derivation; a longer one explains nothing."""

_MAX_DEPTH = 3
"""Suppositions within one another."""

Facts = Mapping[int, bool]


class DerivationStep(NamedTuple):
    """A step in words.

    Attributes:
        words: a sentence or two.
        cells: flat indices of the cells that it is about.
        depth: how many suppositions it rests on.
    """

    words: str
    cells: tuple[int, ...]
    depth: int = 0

    def fields(self, columns: int) -> dict[str, object]:
        """As JSON; the cells are [row, column], counted from 1."""
        cells = coordinates(self.cells, columns)
        return {"words": self.words, "cells": cells, "depth": self.depth}


@dataclass(frozen=True)
class Inference:
    """What follows from a few statements of a puzzle and from facts known before.

    Attributes:
        statements: as the puzzle's own rule keeps them; empty for a supposition.
        known: the facts that it uses.
        concludes: the facts that follow; none for a contradiction.
        supposed: of a supposition, its fact. Then `inner` derives a contradiction, and the opposite
            is concluded.
        inner: the inferences under the supposition.
    """

    statements: tuple[Any, ...]
    known: Facts
    concludes: Facts
    supposed: tuple[int, bool] | None = None
    inner: tuple[Inference, ...] = ()

    @property
    def uses(self) -> set[int]:
        """The variables that have to be known before."""
        if self.supposed is None:
            return set(self.known)
        own = {self.supposed[0], *(variable for each in self.inner for variable in each.concludes)}
        return {variable for each in self.inner for variable in each.uses} - own


_Rule = Callable[[Facts], Inference | None]
"""The next inference from the facts so far: facts that are not known yet, or a contradiction; None
if nothing follows.
"""


def derive(
    rule: _Rule, named: Sequence[int], goal: tuple[int, bool] | None
) -> tuple[Inference, ...]:
    """Inferences of which each is needed, up to the goal, or without one up to a contradiction;
    empty if the rule finds none.

    Args:
        named: the variables of which facts may be supposed, those named most often preferred.
    """
    variables = sorted(set(named), key=lambda variable: (-named.count(variable), variable))
    known: dict[int, bool] = {}
    inferences = _close(rule, known, goal and goal[0])
    if goal is None:
        inferences = inferences if _contradicts(inferences) else _refute(rule, {}, variables, 0)
    elif goal[0] not in known:
        opposite = (goal[0], not goal[1])
        inner = _refute(rule, known | dict([opposite]), variables, 1)
        inferences = [*inferences, _supposition(opposite, inner)] if inner else []
    elif known[goal[0]] != goal[1]:
        return ()
    needed = _premises(inferences)
    return needed if _count(needed) <= MAX_STEPS else ()


def _close(rule: _Rule, known: dict[int, bool], goal: int | None = None) -> list[Inference]:
    """What the rule finds, added to `known`, up to a contradiction or to the variable `goal`."""
    inferences: list[Inference] = []
    while (goal is None or goal not in known) and (inference := rule(known)) is not None:
        inferences.append(inference)
        known.update(inference.concludes)
        if not inference.concludes:
            break
    return inferences


def _contradicts(inferences: Sequence[Inference]) -> bool:
    return bool(inferences) and not inferences[-1].concludes


def _supposition(fact: tuple[int, bool], inner: Sequence[Inference]) -> Inference:
    return Inference((), {}, {fact[0]: not fact[1]}, fact, _premises(inner))


def _refute(rule: _Rule, start: Facts, variables: Sequence[int], depth: int) -> list[Inference]:
    """Inferences that end in a contradiction; none if suppositions up to the greatest depth find
    none.
    """
    known, inferences = dict(start), list[Inference]()
    while True:
        inferences += _close(rule, known)
        if _contradicts(inferences) or depth == _MAX_DEPTH or len(inferences) > 20 * MAX_STEPS:
            return inferences if _contradicts(inferences) else []
        unknown = [variable for variable in variables if variable not in known]
        supposition = _suppose(rule, known, unknown, depth)
        if supposition is None:
            return []
        inferences.append(supposition)
        known.update(supposition.concludes)


def _suppose(rule: _Rule, known: Facts, unknown: Sequence[int], depth: int) -> Inference | None:
    """A fact that the rule alone refutes, the one with the fewest inferences; else the first one
    that further suppositions refute.
    """
    facts = list(product(unknown, (True, False)))
    alone = [
        _supposition((variable, value), inner)
        for variable, value in facts
        if _contradicts(inner := _close(rule, {**known, variable: value}))
    ]
    if alone:
        return min(alone, key=lambda each: len(each.inner))
    for variable, value in facts:
        inner = _refute(rule, {**known, variable: value}, unknown, depth + 1)
        if inner:
            return _supposition((variable, value), inner)
    return None


def _premises(inferences: Sequence[Inference]) -> tuple[Inference, ...]:
    """Those that the last one rests on, in their order."""
    kept = list(inferences[-1:])
    wanted = kept[0].uses if kept else set[int]()
    for inference in reversed(inferences[:-1]):
        if not wanted.isdisjoint(inference.concludes):
            kept.append(inference)
            wanted |= inference.uses
    return tuple(reversed(kept))


def _count(inferences: Iterable[Inference]) -> int:
    return sum(1 + _count(each.inner) for each in inferences)


def derivation_steps(
    inferences: Sequence[Inference],
    words: Callable[[Inference], tuple[str, Iterable[int]]],
    fact: Callable[[int, bool], str],
    depth: int = 0,
) -> Iterator[DerivationStep]:
    """The derivation in words.

    Args:
        words: of an inference that supposes nothing, with the cells that it is about.
        fact: such as `2,1 is a mine`.
    """
    for inference in inferences:
        if inference.supposed is None:
            text, cells = words(inference)
            yield DerivationStep(text, tuple(cells), depth)
            continue
        variable, value = inference.supposed
        yield DerivationStep(f"Suppose that {fact(variable, value)}.", (variable,), depth)
        yield from derivation_steps(inference.inner, words, fact, depth + 1)
        yield DerivationStep(f"So {fact(variable, not value)}.", (variable,), depth)


def list_text(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
