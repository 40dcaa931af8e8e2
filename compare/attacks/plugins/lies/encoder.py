"""A plugin that replaces the plain format in which answers cross gets no class built that is not the puzzle's."""

import compare.work.foreign.foreign_answers as foreign
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


@backend("beams", "encoder", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    foreign.packed = lambda board, answer: '{"class": "Popen", "fields": {"args": "true"}}'
    return Layout(False)
