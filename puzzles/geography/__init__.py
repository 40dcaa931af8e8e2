"""Geography: from which cells does the first mover lose the game of never visiting a cell twice?"""

from __future__ import annotations

from puzzles.geography.board import FORMATS, Geography, Losing, fields, parse, parse_answers, print_answers, print_instances
from puzzles.puzzle import Puzzle

__all__ = ["PUZZLE", "Geography", "Losing", "parse", "print_answers"]

PUZZLE = Puzzle(
    name="geography",
    title="Board Game",
    source="LOJ6033; the same cells as Luogu P4055",
    formats=FORMATS,
    example="3 3\n.##\n...\n#.#\n",
    parse=parse,
    print_instances=print_instances,
    print_answers=print_answers,
    parse_answers=parse_answers,
    fields=fields,
    many_instances=False,
)
