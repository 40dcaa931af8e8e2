"""A geography board whose cells are unknown, and matchings of it, as clauses."""

from __future__ import annotations

from typing import NamedTuple

from models.cnf import Formula
from models.lemmas.geography.concrete import Cell
from models.lemmas.lemma import Assignment
from models.lemmas.logic import at_most_one, cell_names, cells_beside, new_variables, rows_of, true_index

WRITE_UP = 'TheLostWeak, "LOJ6033 棋盘游戏(二分图博弈)" (LOJ6033, Board Game: a game on a bipartite graph)'


class SymbolicGraph(NamedTuple):
    """A board whose open cells are unknown.

    Attributes:
        free: for each cell the variable "it is open".
        pairs: all pairs of neighbours.
        near: for each cell its neighbours, as (index of the pair, other cell).
    """

    free: list[int]
    pairs: list[Cell]
    near: list[list[Cell]]


def graph_of(formula: Formula, rows: int, columns: int) -> SymbolicGraph:
    """A board of this shape with a new variable for each cell."""
    beside = cells_beside(rows, columns)
    pairs = [(cell, other) for cell, others in enumerate(beside) for other in others if cell < other]
    near: list[list[Cell]] = [[] for _ in beside]
    for number, (one, other) in enumerate(pairs):
        near[one].append((number, other))
        near[other].append((number, one))
    return SymbolicGraph(new_variables(formula, rows * columns), pairs, near)


def matching(formula: Formula, graph: SymbolicGraph, free: list[int]) -> list[int]:
    """State a matching of the `free` cells: no cell is in two pairs. Returns for each pair "it is matched"."""
    matched = new_variables(formula, len(graph.pairs))
    for pair, ends in zip(matched, graph.pairs, strict=True):
        for end in ends:
            formula.add(-pair, free[end])
    for around in graph.near:
        at_most_one(formula, [matched[number] for number, _ in around])
    return matched


def tight_cover(formula: Formula, graph: SymbolicGraph, free: list[int], matched: list[int]) -> list[int]:
    """State a tight cover, which proves the matching maximum. Returns for each cell "it is in the cover"."""
    cover = new_variables(formula, len(free))
    for (one, other), pair in zip(graph.pairs, matched, strict=True):
        formula.add(-free[one], -free[other], cover[one], cover[other])
        formula.add(-pair, -cover[one], -cover[other])
    for cell, around in enumerate(graph.near):
        formula.add(-cover[cell], *(matched[number] for number, _ in around))
    return cover


class Decoder(NamedTuple):
    """Reads the values of a model, and names the variables."""

    graph: SymbolicGraph
    columns: int

    def names(self, **choices: list[int]) -> list[tuple[int, str]]:
        """Names for the open cells, and for further choices: the keyword says what the chosen cells are."""
        names = cell_names(self.graph.free, self.columns, "{} is open")
        for what, variables in choices.items():
            names += cell_names(variables, self.columns, f"{{}} is {what.replace('_', ' ')}")
        return names

    def pairs(self, matched: list[int], suffix: str) -> list[tuple[int, str]]:
        """Names for the pairs of a matching."""
        places = [[f"{cell // self.columns + 1},{cell % self.columns + 1}" for cell in pair] for pair in self.graph.pairs]
        return [(pair, f"{one} and {other} are matched{suffix}") for pair, (one, other) in zip(matched, places, strict=True)]

    def rows(self, model: Assignment) -> tuple[str, ...]:
        """The rows of the board."""
        return rows_of("".join(".#"[not model[cell]] for cell in self.graph.free), self.columns)

    def cell(self, model: Assignment, choice: list[int]) -> Cell:
        """The chosen cell."""
        return divmod(true_index(model, choice), self.columns)

    def cells(self, model: Assignment, members: list[int]) -> list[Cell]:
        """The cells of a set."""
        return [divmod(cell, self.columns) for cell, member in enumerate(members) if model[member]]

    def mates(self, model: Assignment, matched: list[int]) -> list[tuple[Cell, Cell]]:
        """The matched pairs of cells."""
        return [
            (divmod(one, self.columns), divmod(other, self.columns))
            for (one, other), pair in zip(self.graph.pairs, matched, strict=True)
            if model[pair]
        ]
