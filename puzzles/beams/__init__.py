"""Beams: turn the turrets so that every open cell is lit and no turret is hit."""

from __future__ import annotations

from puzzles.beams.board import FORMATS, Beams, Layout, fields, parse, parse_answers, print_answers, print_instances
from puzzles.puzzle import Puzzle

__all__ = ["PUZZLE", "Beams", "Layout", "parse", "print_answers"]

PUZZLE = Puzzle(
    name="beams",
    title="Beaming With Joy",
    source="Code Jam 2017 Round 2 C; Luogu P5297",
    formats=FORMATS,
    example="2\n1 3\n-.-\n3 4\n#.##\n#--#\n####\n",
    parse=parse,
    print_instances=print_instances,
    print_answers=print_answers,
    parse_answers=parse_answers,
    fields=fields,
)
