"""NoGo: every backend on whole games, families of boards."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from models.nogo import legality, move_by_move
from models.session import Session
from models.solvers.sat_solver import SolverFailure
from puzzles.backend import Unsupported
from puzzles.grid import grid_of
from puzzles.nogo import board as nogo_board
from puzzles.nogo.board import without_liberty
from puzzles.nogo.check import ReplayedGame
from tests.oracles.boards import characters_of
from tests.oracles.nogo import chains_without_liberty
from tests.puzzles.nogo.positions import (
    all_boards,
    board_of,
    brute_game,
    empty_board,
    family_board,
    play,
    random_board,
    solve,
)


def stones_without_liberty(rows: Sequence[str]) -> list[int]:
    dead = chains_without_liberty(characters_of(rows))
    return [row * len(rows[0]) + column for row, column in dead]


def spiral(size: int) -> np.ndarray:
    """Two chains wound into one another, black from the outside inwards; the size is 4 k + 1."""
    grid, black = np.full((size, size), ord("O"), np.uint8), ord("X")
    for ring in range(0, size // 2 + 1, 2):
        end = size - ring
        grid[[ring, end - 1], ring:end] = black
        grid[ring:end, end - 1] = black
        grid[ring + 2 : end, ring] = black
        grid[ring + 2, ring : ring + 3] = black  # the way to the next ring
    return grid


@pytest.mark.parametrize("small", [0, 400])
def test_liberties_are_those_of_brute_force(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nogo_board, "_SMALL", small)  # by passes and a flood, or by sets of points
    rng = np.random.default_rng(11)
    kinds = np.frombuffer(b"XO.", np.uint8)
    grids = [
        rng.choice(kinds, rng.integers(1, 9, 2), p=[(1 - free) / 2, (1 - free) / 2, free])
        for free in np.linspace(0, 0.5, 400)
    ]
    # One liberty keeps a long chain alive.
    for size, point in itertools.product((5, 17, 21, 33), (None, (0, -1), (1, 0))):
        grids.append(spiral(size))
        if point:
            grids[-1][point] = ord(".")
    refused = 0
    for grid in grids:
        dead = stones_without_liberty([row.tobytes().decode() for row in grid])
        assert without_liberty(grid).tolist() == dead
        refused += bool(dead)
    assert refused > 100


@pytest.mark.parametrize("cells", [0, 1000])
def test_games_are_the_same_with_a_solver_each_and_with_one_for_all(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(12)
    boards = [
        random_board(rows, columns, rng)
        for rows, columns in ((2, 3), (4, 4), (5, 2))
        for _ in range(6)
    ]
    monkeypatch.setattr(move_by_move, "_SHARED_CELLS", cells)
    for ranks in (False, True):
        games = move_by_move.play_all(boards, "cadical153", ranks=ranks)
        assert [game.moves.tolist() for game in games] == [brute_game(board) for board in boards]


CROWDED = ".O.O.O.O..."
"""The first four empty points are illegal for black.

That is more than are allowed one after the other.
"""


def test_a_model_is_read_only_where_it_has_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one point after the other is allowed, nobody has to ask where the move goes."""
    read: list[tuple[list[int], int]] = []

    def reading(opened: Session, first: int, count: int) -> list[int]:
        read.append((true_among(opened, first, count), first))
        return read[-1][0]

    true_among = Session.true_among
    monkeypatch.setattr(Session, "true_among", reading)
    rng = np.random.default_rng(13)
    boards = [random_board(4, 4, rng) for _ in range(8)]
    games = [brute_game(board) for board in boards]
    assert [
        game.moves.tolist() for game in move_by_move.play_all(boards, "cadical153", ranks=False)
    ] == games
    assert read == []
    assert [solve("models", "cnf", board).moves.tolist() for board in boards] == games
    crowded = board_of(CROWDED)
    read.clear()
    assert move_by_move.play_all([crowded, crowded], "cadical153", ranks=False)[
        0
    ].moves.tolist() == brute_game(crowded)
    assert read == []
    assert solve("models", "cnf", crowded).moves.tolist() == brute_game(crowded)
    assert brute_game(crowded)[0] in [
        point - read_from for points, read_from in read for point in points
    ]


def test_a_solver_that_moves_where_it_may_not_is_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "true_among", lambda opened, first, count: [first])
    with pytest.raises(SolverFailure, match="violates a clause or an assumption"):
        solve("models", "cnf", board_of(CROWDED))


SMALL = ((1, 1), (1, 3), (3, 1), (1, 4), (1, 6), (2, 2), (2, 3))


@pytest.mark.parametrize(
    ("side", "name", "mode", "each", "games"),
    [
        ("direct", "union-find", "python", 1, 4),
        ("direct", "union-find", "compiled", 1, 4),
        ("models", "cnf", "python", 2, 2),
        ("models", "cnf-ranked", "python", 5, 1),
        ("models", "cnf-monotone", "python", 2, 2),
        ("models", "cnf-onecall", "python", 15, 1),
        ("models", "cpsat", "python", 30, 1),
    ],
)
def test_every_backend_plays_as_brute_force(
    side: str, name: str, mode: str, each: int, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in `each` of the small starts, and so many random ones of each larger shape."""
    monkeypatch.setenv("TWOFOLD_KERNELS", mode)
    boards = [board for shape in SMALL for board in all_boards(*shape)][::each]
    for rows, columns in itertools.product(range(2, 7), repeat=2):
        rng = np.random.default_rng((rows, columns))  # the same boards for each backend
        boards += [random_board(rows, columns, rng) for _ in range(games)]
    for board in boards:
        assert solve(side, name, board).moves.tolist() == brute_game(board)


def test_a_solver_without_assumptions_is_refused() -> None:
    with pytest.raises(Unsupported, match="no assumptions"):
        solve("models", "cnf", board_of(".."), solver="kissat404")


def test_longest_games_start_empty() -> None:
    """3, 4 and 7 moves are the most of any start on 2x2, 2x3 and 3x3, and those of the empty
    one.
    """
    for shape, most in (((2, 2), 3), ((2, 3), 4), ((3, 3), 7)):
        assert max(play(board).moves.size for board in all_boards(*shape)) == most
        assert play(empty_board(*shape)).moves.size == most


@pytest.mark.parametrize(
    ("rows", "columns", "moves"),
    [(3, 4, 10), (4, 4, 14), (9, 9, 77), (13, 13, 163), (19, 19, 353)],
    ids=lambda n: str(n),
)
def test_length_of_the_empty_board_s_game(rows: int, columns: int, moves: int) -> None:
    board = empty_board(rows, columns)
    assert play(board).moves.size == moves
    assert solve("models", "cnf", board) == play(board)


def test_families_are_what_they_say() -> None:
    eyes = family_board("eyes", 20, 1).grid
    hole = np.argwhere(eyes == ord("."))
    assert len(hole) == 36
    for row, column in hole:
        assert (
            len({int(eyes[row + r, column + c]) for r, c in ((-1, 0), (0, -1), (0, 1), (1, 0))})
            == 1
        )
    comb = ReplayedGame(family_board("chains", 100, 1).grid).chain.values()
    sizes = {id(chain): len(chain.stones) for chain in comb}
    assert len(sizes) < 60
    assert max(sizes.values()) > 1500
    alternate = family_board("checkerboard", 30, 2)
    assert all(len(each.stones) == 1 for each in ReplayedGame(alternate.grid).chain.values())
    assert (alternate.grid != ord(".")).mean() > 0.4


def test_cuts_name_the_chains_without_liberty() -> None:
    board = board_of(".../.../...")
    near, black, white = legality.neighbours(board), np.arange(1, 10), np.arange(11, 20)

    def broken(text: str) -> list[list[int]]:
        grid = grid_of(text.split("/"))
        clauses = legality.cuts(grid.ravel().tolist(), (black, white), near)
        return sorted(sorted(clause) for clause in clauses)

    assert broken("XX./XXO/OO.") == []
    assert broken("OOX/OOX/XXX") == [
        sorted([-11, -12, -14, -15, -3, -6, -7, -8]),
        sorted([-3, -6, -7, -8, -9, -12, -14, -15]),
    ]
    assert broken("X.X/OOX/XXO") == [sorted([-7, -8, -14, -15, -19]), sorted([-19, -6, -8])]


@pytest.mark.parametrize("text", ["OOX/OOX/.X.", "XXO/XX./..O"])
def test_without_cuts_chains_keep_themselves_alive(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_of(text)
    assert solve("models", "cnf", board).moves.tolist() == brute_game(board)
    monkeypatch.setattr(move_by_move, "cuts", lambda *_: [])
    assert solve("models", "cnf", board).moves.tolist() != brute_game(board)
