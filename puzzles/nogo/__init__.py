"""NoGo: a stone a turn, no chain ever without a liberty; both players take the first legal point."""

from __future__ import annotations

from puzzles.nogo.board import FORMATS, Game, NoGo, NoLiberty, fields, parse, parse_answers, print_answers, print_instances
from puzzles.puzzle import Puzzle

__all__ = ["PUZZLE", "Game", "NoGo", "NoLiberty", "parse", "print_answers"]

PUZZLE = Puzzle(
    name="nogo",
    title="NoGo",
    source="Luogu P4997",
    formats=FORMATS,
    example="3\nXOO\nXO.\nX..\n",
    parse=parse,
    print_instances=print_instances,
    print_answers=print_answers,
    parse_answers=parse_answers,
    fields=fields,
    many_instances=False,
    square=True,
)
