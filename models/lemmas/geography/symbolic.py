"""A geography board whose cells are unknown, and matchings of it, as clauses."""

from __future__ import annotations

from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.geography.plain import Cell
from models.lemmas.lemma import Model
from models.lemmas.logic import at_most_one, chosen, grid, named, rows_of, some

WRITE_UP = "write-up 004 (LOJ6033)"


class Graph(NamedTuple):
    """A symbolic board: whether each cell is open; the pairs of neighbours, and by cell (pair, other cell)."""

    free: list[int]
    pairs: list[Cell]
    near: list[list[Cell]]


def board_of(formula: Formula, rows: int, columns: int) -> Graph:
    beside = grid(rows, columns)
    pairs = [(cell, other) for cell, others in enumerate(beside) for other in others if cell < other]
    near: list[list[Cell]] = [[] for _ in beside]
    for number, (one, other) in enumerate(pairs):
        near[one].append((number, other))
        near[other].append((number, one))
    return Graph(some(formula, rows * columns), pairs, near)


def matching(formula: Formula, graph: Graph, free: list[int]) -> list[int]:
    """For each pair whether it is matched: both open, no cell in two pairs."""
    matched = some(formula, len(graph.pairs))
    for pair, ends in zip(matched, graph.pairs, strict=True):
        for end in ends:
            formula.add(-pair, free[end])
    for around in graph.near:
        at_most_one(formula, [matched[number] for number, _ in around])
    return matched


def tight_cover(formula: Formula, graph: Graph, free: list[int], matched: list[int]) -> list[int]:
    """For each cell whether it is in a tight cover, which proves the matching maximum."""
    cover = some(formula, len(free))
    for (one, other), pair in zip(graph.pairs, matched, strict=True):
        formula.add(-free[one], -free[other], cover[one], cover[other])
        formula.add(-pair, -cover[one], -cover[other])
    for cell, around in enumerate(graph.near):
        formula.add(-cover[cell], *(matched[number] for number, _ in around))
    return cover


class Drawn(NamedTuple):
    """How a model is read."""

    graph: Graph
    columns: int

    def names(self, **choices: list[int]) -> list[tuple[int, str]]:
        """Names for the open cells, and for what else is said of each cell."""
        made = named(self.graph.free, self.columns, "{} is open")
        for what, variables in choices.items():
            made += named(variables, self.columns, f"{{}} is {what.replace('_', ' ')}")
        return made

    def pairs(self, matched: list[int], what: str) -> list[tuple[int, str]]:
        """Names for a matching's pairs."""
        places = [[f"{cell // self.columns + 1},{cell % self.columns + 1}" for cell in pair] for pair in self.graph.pairs]
        return [(pair, f"{one} and {other} are matched{what}") for pair, (one, other) in zip(matched, places, strict=True)]

    def rows(self, model: Model) -> tuple[str, ...]:
        return rows_of("".join(".#"[not model[cell]] for cell in self.graph.free), self.columns)

    def cell(self, model: Model, choice: list[int]) -> Cell:
        return divmod(chosen(model, choice), self.columns)

    def cells(self, model: Model, members: list[int]) -> list[Cell]:
        return [divmod(cell, self.columns) for cell, member in enumerate(members) if model[member]]

    def mates(self, model: Model, matched: list[int]) -> list[tuple[Cell, Cell]]:
        return [
            (divmod(one, self.columns), divmod(other, self.columns))
            for (one, other), pair in zip(self.graph.pairs, matched, strict=True)
            if model[pair]
        ]
