"""Minesweeper: which covered cells are certainly mines, and which are certainly safe."""

from __future__ import annotations

from puzzles.minesweeper.board import FORMATS, Deduction, Minesweeper, fields, parse, parse_answers, print_answers, print_instances
from puzzles.minesweeper.requests import REQUESTS
from puzzles.puzzle import Puzzle

__all__ = ["PUZZLE", "Deduction", "Minesweeper", "parse", "print_answers"]

PUZZLE = Puzzle(
    name="minesweeper",
    title="Minesweeper",
    source='write-up 001, "Minesweeper: a new use of 2-SAT" (Amb@HDU, 2011)',
    formats=FORMATS,
    example="2\n3 4\n###O\n#2#O\n###2\n2 4\n####\n2#21\n",
    parse=parse,
    print_instances=print_instances,
    print_answers=print_answers,
    parse_answers=parse_answers,
    fields=fields,
    first_claim_is_consistency=True,
    requests=REQUESTS,
    exact_options={"probabilities": True, "causes": 2},
)
