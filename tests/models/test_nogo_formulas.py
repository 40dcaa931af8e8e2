"""NoGo: the models of a written formula, read by their names, are the legal first moves of black,
each once, and no others.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pysat.solvers import Solver

from models.dimacs import Encoding
from models.nogo.by_cnf import encode as encode_cuts
from models.nogo.by_cnf_ranked import encode as encode_ranked
from puzzles.nogo.board import NoGo
from tests.puzzles.nogo.positions import all_boards, legal_points


def solutions(encoding: Encoding) -> list[set[str]]:
    """The names that are true, of each model that differs in them from all others."""
    found: list[set[str]] = []
    with Solver("cadical153", encoding.formula.clauses) as solver:
        while solver.solve():
            true = {literal for literal in solver.get_model() or () if literal > 0}
            found.append({name for variable, name in encoding.names if variable in true})
            solver.add_clause(
                [-variable if variable in true else variable for variable, _ in encoding.names]
            )
    return found


def first_move(board: NoGo, position: str, cell: int) -> set[str]:
    """What the names say of a first move of black to `cell`."""
    black, white = (
        [board.place(k) for k, kind in enumerate(position) if kind == colour] for colour in "XO"
    )
    return {
        f"the move goes to {board.place(cell)}",
        *(f"black at {place} before the move" for place in black),
        *(f"white at {place} after the move" for place in white),
        *(f"black at {place} after the move" for place in [*black, board.place(cell)]),
    }


@pytest.mark.parametrize("encode", [encode_cuts, encode_ranked])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (2, 2), (3, 1)])
def test_the_models_are_the_legal_first_moves(
    encode: Callable[[NoGo, int | None], Encoding], rows: int, columns: int
) -> None:
    for board in all_boards(rows, columns):
        position = str(board).replace("\n", "")
        moves = {
            cell: first_move(board, position, cell) for cell in legal_points(board.lines(), "X")
        }
        found = solutions(encode(board, None))
        assert sorted(map(sorted, found)) == sorted(map(sorted, moves.values())), position
        for cell in range(board.cells):
            assert solutions(encode(board, cell)) == ([moves[cell]] if cell in moves else []), (
                position,
                cell,
            )
