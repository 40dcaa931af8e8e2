"""NoGo: formats, rules against brute force, every backend on whole games, corrupted games, the check."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import direct
import models
import puzzles
from direct import nogo as direct_nogo
from direct import union_find
from models import nogo as models_nogo
from models.nogo import legality
from puzzles import nogo
from puzzles.backend import Unsupported
from puzzles.grid import grid_of
from puzzles.nogo.board import Game, NoGo, NoLiberty, without_liberty
from puzzles.nogo.check import ReplayedGame, check
from puzzles.text import InputError, UserError
from puzzles.verdict import Verdict
from tests.pictures import shown

PUZZLE = puzzles.get("nogo")

BACKENDS = [("direct", "union-find"), ("models", "cnf"), ("models", "cpsat")]


def solve(side: str, name: str, board: NoGo, **options: object) -> Game:
    game = {"direct": direct, "models": models}[side].solve(board, name, **options)
    assert isinstance(game, Game)
    return game


def play(board: NoGo) -> Game:
    return solve("direct", "union-find", board)


def made(family: str, size: int, seed: int) -> NoGo:
    board = PUZZLE.family(family).board(size, seed)
    assert isinstance(board, NoGo)
    return board


def board_of(text: str) -> NoGo:
    return NoGo(grid_of(text.split("/")))


# The rules, as plainly as they can be said.


def beside(rows: int, columns: int, cell: int) -> Iterator[int]:
    row, column = divmod(cell, columns)
    for r, c in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
        if 0 <= r < rows and 0 <= c < columns:
            yield r * columns + c


def breathes(position: str, rows: int, columns: int, cell: int) -> bool:
    chain = [cell]
    for stone in chain:
        for near in beside(rows, columns, stone):
            if position[near] == ".":
                return True
            if position[near] == position[cell] and near not in chain:
                chain.append(near)
    return False


def sound(position: str, rows: int, columns: int) -> bool:
    return all(kind == "." or breathes(position, rows, columns, cell) for cell, kind in enumerate(position))


def legal_points(position: str, rows: int, columns: int, colour: str) -> list[int]:
    return [
        cell
        for cell, kind in enumerate(position)
        if kind == "." and sound(position[:cell] + colour + position[cell + 1 :], rows, columns)
    ]


def brute_game(board: NoGo) -> list[int]:
    position, moves = str(board).replace("\n", ""), []
    for colour in itertools.cycle("XO"):
        legal = legal_points(position, board.rows, board.columns, colour)
        if not legal:
            return moves
        moves.append(legal[0])
        position = position[: legal[0]] + colour + position[legal[0] + 1 :]
    raise AssertionError


def all_boards(rows: int, columns: int) -> Iterator[NoGo]:
    for kinds in itertools.product("XO.", repeat=rows * columns):
        if sound("".join(kinds), rows, columns):
            yield NoGo(grid_of(["".join(kinds)[r * columns : (r + 1) * columns] for r in range(rows)]))


def random_board(rows: int, columns: int, rng: np.random.Generator) -> NoGo:
    share = rng.uniform(0, 0.8)
    grid = rng.choice(np.frombuffer(b"XO.", np.uint8), (rows, columns), p=[share / 2, share / 2, 1 - share])
    grid.flat[without_liberty(grid)] = ord(".")
    return NoGo(grid)


def random_game(board: NoGo, rng: np.random.Generator) -> list[int]:
    """A legal and complete game whose moves are random."""
    position, moves = str(board).replace("\n", ""), []
    for colour in itertools.cycle("XO"):
        legal = legal_points(position, board.rows, board.columns, colour)
        if not legal:
            return moves
        moves.append(int(rng.choice(legal)))
        position = position[: moves[-1]] + colour + position[moves[-1] + 1 :]
    raise AssertionError


# Texts.


@pytest.mark.parametrize(("side", "name"), BACKENDS)
@pytest.mark.parametrize(
    ("text", "answer"),
    [("3\nXXX\nOOX\nOO.\n", "-1 -1\n"), ("3\nXOO\nXO.\nX..\n", "2 3\n-1 -1\n"), ("1\n.\n", "-1 -1\n")],
)
def test_samples_are_answered_as_published(side: str, name: str, text: str, answer: str) -> None:
    for style in nogo.PUZZLE.formats:
        assert {"direct": direct, "models": models}[side].solve_text("nogo", text, backend=name, format=style) == answer


def test_the_bundled_sample_is_the_published_one() -> None:
    files = sorted((PUZZLE.data / "sample").glob("*.in"))
    assert [file.stem for file in files] == ["first", "second"]
    for file in files:
        text = file.read_text()
        assert PUZZLE.print_instances(PUZZLE.parse(text, "x")) == text
        assert direct.solve_text("nogo", text) == file.with_suffix(".ans").read_text()


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty"),
        ("\n\n", "1:1", "the text is empty"),
        ("0\n", "1:1", "must be at least 1"),
        ("x\n", "1:1", "whole number"),
        ("2 2\n..\n..\n", "1:3", "expected the end of the line"),
        ("2\n..\n", "3:1", "row 2 of 2"),
        ("2\n..\n.\n", "3:2", "has 1 character, expected 2"),
        ("2\n..\n...\n", "3:3", "3 characters"),
        ("2\n...\n...\n", "2:3", "3 characters"),
        ("2\n.x\n..\n", "2:2", "'x'"),
        ("2\n..\n.é\n", "3:2", "'é'"),
        ("2\n..\n..\n..\n", "4:1", "unexpected text after the board"),
        ("2\n..\n..\n\n 2\n", "5:2", "unexpected text after the board"),
        ("1\nX\n", "2:1", "no liberty"),
        ("3\n...\n.XO\n.OX\n", "4:3", "no liberty"),
        ("3\r\n.XO \r\n..X\r\n...\r\n", "2:3", "no liberty"),
        ("3\nOX.\nX..\n...\n", "2:1", "no liberty"),
        ("4\nXO..\nXO..\nXXO.\nOO..\n", "2:1", "no liberty"),
    ],
)
def test_malformed_boards_are_refused_at_their_place(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        nogo.parse(text, "b.in")
    assert str(error.value).startswith(f"b.in:{place}: ")
    assert message in str(error.value)


SECOND = "3\nXOO\nXO.\nX..\n"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty"),
        ("2 3\n", "2:1", "the text ends here"),
        ("2 3\n-1\n", "2:3", "the line ends here"),
        ("2 3 1\n-1 -1\n", "1:5", "expected the end of the line"),
        ("2\n3\n-1 -1\n", "1:2", "the line ends here"),
        (" 2 3\n-1 -1\n", "1:1", "a blank before"),
        ("2 3\n\n-1 -1\n", "2:1", "expected a row"),
        ("4 3\n-1 -1\n", "1:1", "the row must be from 1 to 3, found 4"),
        ("2  10 \n-1 -1\n", "1:4", "the column must be from 1 to 3, found 10"),
        ("2 3\n0 1\n-1 -1\n", "2:1", "the row must be from 1 to 3, found 0"),
        ("2 3\n-1 2\n", "2:1", "the row must be from 1 to 3, found -1"),
        ("2 3\n2 -1\n", "2:3", "the column must be from 1 to 3, found -1"),
        ("2 99999999999999999999\n-1 -1\n", "1:3", "absurdly large"),
        ("b 3\n-1 -1\n", "1:1", "found 'b'"),
        ("2 3\n-1 -1\n3 2\n", "3:1", "unexpected text after -1 -1"),
        ("2 3\n-1 -1 \n\n-1 -1\n", "4:1", "unexpected text after -1 -1"),
    ],
)
def test_malformed_answers_are_refused_at_their_place(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        PUZZLE.parse_answers(text, nogo.parse(SECOND), "first", "b.ans")
    assert str(error.value).startswith(f"b.ans:{place}: ")
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["2 3\n3 2\n-1 -1\n", "2 3\r\n3 2\r\n-1 -1\r\n\r\n", "2 3 \n3\t2\n-1  -1", "02 3\n3 2\n-1 -1"])
def test_answers_are_read(text: str) -> None:
    boards = nogo.parse(SECOND)
    (game,) = PUZZLE.parse_answers(text, boards, "first", "x")
    assert game == Game(boards[0], np.array([5, 7]))
    assert game.moves.dtype == np.int32
    assert game.claims is not None
    assert game.claims.tolist() == [5, 7]


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (1, 12_345), (101, 99)])
def test_printed_games_are_read_back(shape: tuple[int, int]) -> None:
    board = NoGo(np.full(shape, ord("."), np.uint8))
    moves = np.random.default_rng(1).permutation(board.cells).astype(np.int32)
    text = nogo.print_answers([Game(board, moves)], "first")
    plain = [f"{cell // shape[1] + 1} {cell % shape[1] + 1}" for cell in moves.tolist()]
    assert text == "\n".join([*plain, "-1 -1", ""])
    assert PUZZLE.parse_answers(text, [board], "first", "x") == [Game(board, moves)]


def test_only_one_square_board_is_printed() -> None:
    wide = NoGo(np.full((2, 3), ord("."), np.uint8))
    with pytest.raises(ValueError, match="2x3"):
        wide.text()
    assert play(wide).moves.tolist() == brute_game(wide)
    square = board_of("../..")
    assert PUZZLE.print_instances([square]) == "2\n..\n..\n"
    for boards in ([], [square, square]):
        with pytest.raises(UserError, match="one board"):
            PUZZLE.print_instances(boards)


def test_json_counts_from_one() -> None:
    game = play(nogo.parse(SECOND)[0])
    assert PUZZLE.fields(game) == {"moves": [[2, 3]]}


def test_games_are_values() -> None:
    board = nogo.parse(SECOND)[0]
    moves = np.array([5], np.int32)
    game = Game(board, moves)
    moves[0] = 7
    assert game.moves.tolist() == [5]
    assert not game.moves.flags.writeable
    assert game == Game(board, (5,))  # type: ignore[arg-type]
    assert game != Game(board, np.array([5]), "any")
    assert len({game, Game(board, np.array([5]))}) == 1
    with pytest.raises(ValueError, match="flat"):
        Game(board, np.zeros((1, 2), np.int32))


# Chains without liberty.


def test_every_small_start_with_a_dead_chain_is_refused() -> None:
    for rows, columns in ((1, 1), (1, 4), (2, 2), (2, 3), (3, 3)):
        for kinds in itertools.product("XO.", repeat=rows * columns):
            position = "".join(kinds)
            dead = [c for c, kind in enumerate(position) if kind != "." and not breathes(position, rows, columns, c)]
            grid = grid_of([position[r * columns : (r + 1) * columns] for r in range(rows)])
            assert without_liberty(grid).tolist() == dead
    with pytest.raises(NoLiberty) as error:
        board_of("O.X/.XO/X.X/XXX")
    assert error.value.cell == 5
    assert str(error.value) == "the chain at 2,3 has no liberty"


def spiral(size: int) -> np.ndarray:
    """Two stones' chains wound into one another, black from the outside inwards."""
    grid = np.full((size, size), ord("O"), np.uint8)
    row, column, step, left = 0, 0, (0, 1), np.ones((size, size), bool)
    while True:
        grid[row, column], left[row, column] = ord("X"), False
        ahead = [(row + k * step[0], column + k * step[1]) for k in (1, 2)]
        inside = [0 <= r < size and 0 <= c < size for r, c in ahead]
        if not inside[0] or (inside[1] and not left[ahead[1]]):
            step = (step[1], -step[0])
            ahead = [(row + k * step[0], column + k * step[1]) for k in (1, 2)]
            if not left[ahead[0]] or not left[ahead[1]]:
                return grid
        row, column = ahead[0]


def test_one_liberty_keeps_a_long_chain_alive() -> None:
    grid = spiral(61)
    black, white = np.flatnonzero(grid == ord("X")), np.flatnonzero(grid == ord("O"))
    assert black.size > 1500
    assert without_liberty(grid).tolist() == list(range(61 * 61))
    grid.flat[white[-1]] = ord(".")
    assert without_liberty(grid).size == 0
    grid.flat[white[-1]] = ord("O")
    grid[0, -1] = ord(".")  # a corner, beside black alone
    assert without_liberty(grid).tolist() == white.tolist()


# The rules.


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (1, 5), (2, 2), (2, 3)])
def test_legality_on_every_small_position(shape: tuple[int, int]) -> None:
    for board in all_boards(*shape):
        assert_judged(board)


def test_legality_on_larger_positions() -> None:
    rng = np.random.default_rng(5)
    for rows, columns in itertools.product((3, 4, 5), repeat=2):
        for _ in range(15):
            assert_judged(random_board(rows, columns, rng))


def assert_judged(board: NoGo) -> None:
    """The check judges each point of the position as brute force does."""
    position, judged = str(board).replace("\n", ""), ReplayedGame(board.grid)
    for colour, name in (("X", "black"), ("O", "white")):
        legal = legal_points(position, board.rows, board.columns, colour)
        assert [c for c in range(board.cells) if judged.legal[name][judged.point(c)]] == legal
        assert [c for c in range(board.cells) if judged.fault(judged.point(c), ord(colour)) is None] == legal


def test_the_replay_keeps_every_point_judged() -> None:
    """After each move of random games the legal points kept up to date are those that a new position has."""
    rng = np.random.default_rng(6)
    for _ in range(60):
        board = random_board(int(rng.integers(2, 8)), int(rng.integers(2, 8)), rng)
        kept = ReplayedGame(board.grid)
        for cell, colour in zip(random_game(board, rng), itertools.cycle(b"XO"), strict=False):
            kept.put(kept.point(cell), colour)
            fresh = ReplayedGame(kept.grid())
            assert kept.legal == fresh.legal
            assert [kept.first(name) for name in fresh.legal] == [each.find(1) for each in fresh.legal.values()]


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_direct_plays_every_small_start(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", mode)
    for shape in ((1, 1), (1, 3), (3, 1), (1, 6), (2, 2), (2, 3)):
        for board in all_boards(*shape):
            assert play(board).moves.tolist() == brute_game(board)


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_direct_plays_larger_starts(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", mode)
    rng = np.random.default_rng(7)
    for rows, columns in itertools.product((2, 3, 4, 5, 6), repeat=2):
        for _ in range(8):
            board = random_board(rows, columns, rng)
            assert play(board).moves.tolist() == brute_game(board)


@pytest.mark.parametrize(("name", "each"), [("cnf", 1), ("cnf-ranked", 5), ("cnf-monotone", 1), ("cnf-onecall", 5), ("cpsat", 15)])
def test_models_play_small_starts(name: str, each: int) -> None:
    for shape in ((1, 1), (1, 4), (2, 2), (2, 3)):
        for board in itertools.islice(all_boards(*shape), 0, None, each):
            assert solve("models", name, board).moves.tolist() == brute_game(board)


@pytest.mark.parametrize(
    ("name", "games"), [("cnf", 12), ("cnf-ranked", 6), ("cnf-monotone", 12), ("cnf-onecall", 6), ("cpsat", 2)]
)
def test_models_play_larger_starts(name: str, games: int) -> None:
    rng = np.random.default_rng(8)
    for rows, columns in ((3, 3), (3, 5), (4, 4), (5, 4), (5, 5)):
        for _ in range(games):
            board = random_board(rows, columns, rng)
            assert solve("models", name, board).moves.tolist() == brute_game(board)


def test_every_solver_plays_alike() -> None:
    board = made("random", 7, 1)
    games = {name: solve("models", "cnf", board, solver=name) for name in ("cadical153", "cadical195", "glucose4", "minisat22")}
    assert set(games.values()) == {play(board)}


def test_a_solver_without_assumptions_is_refused() -> None:
    with pytest.raises(Unsupported, match="no assumptions"):
        solve("models", "cnf", board_of(".."), solver="kissat404")


def test_longest_games_start_empty() -> None:
    """3, 4 and 7 moves are the most of any start on 2x2, 2x3 and 3x3, and those of the empty one."""
    for shape, most in (((2, 2), 3), ((2, 3), 4), ((3, 3), 7)):
        assert max(play(board).moves.size for board in all_boards(*shape)) == most
        assert play(NoGo(np.full(shape, ord("."), np.uint8))).moves.size == most


@pytest.mark.parametrize(
    ("rows", "columns", "moves"), [(3, 4, 10), (4, 4, 14), (9, 9, 77), (13, 13, 163), (19, 19, 353)], ids=lambda n: str(n)
)
def test_length_of_the_empty_board_s_game(rows: int, columns: int, moves: int) -> None:
    board = NoGo(np.full((rows, columns), ord("."), np.uint8))
    assert play(board).moves.size == moves
    assert solve("models", "cnf", board) == play(board)


@pytest.mark.parametrize("text", [".O.", ".O/O."])
def test_the_other_side_may_still_be_able_to_move(text: str) -> None:
    board = board_of(text)
    game = play(board)
    assert game.moves.size == 0
    assert any(ReplayedGame(board.grid).legal["white"])
    assert check(board, game).verdict is Verdict.PROVED


def test_a_point_beside_two_stones_of_a_chain_counts_twice() -> None:
    """One empty point, two edges: a count of points would fall below zero when both stones are charged."""
    points = np.zeros((4, 3), np.uint8)
    points[1:-1, :-1] = board_of("XX/X.").grid
    link = direct_nogo.chains(points.ravel(), 3)
    top = int(union_find.root(link, 3))
    assert direct_nogo.NO_LIBERTY - link[top] == 2
    for text in ("XX/X.", "OO/O.", "XX./X../...", ".XX/.X./...", "XXO/X.O/OO.", "XX./X.O/OO."):
        assert play(board_of(text)).moves.tolist() == brute_game(board_of(text))


# The check.


def corrupted(game: Game) -> Iterator[tuple[str, list[int]]]:
    moves, empties = game.moves.tolist(), np.flatnonzero(game.board.grid.ravel() == ord(".")).tolist()
    yield "cut short", moves[:-1]
    yield "nothing played", []
    for k in range(len(moves)):
        yield "dropped", moves[:k] + moves[k + 1 :]
        yield "played twice", [*moves[: k + 1], moves[k], *moves[k + 1 :]]
        if k + 1 < len(moves):
            yield "swapped", [*moves[:k], moves[k + 1], moves[k], *moves[k + 2 :]]
        if k + 2 < len(moves):
            yield "swapped for the same colour", [*moves[:k], moves[k + 2], moves[k + 1], moves[k], *moves[k + 3 :]]
        for cell in empties:
            if cell != moves[k]:
                yield "another point", [*moves[:k], cell, *moves[k + 1 :]]
    for cell in range(-1, game.board.cells + 1):
        yield "one more", [*moves, cell]


@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_corrupted_games_are_refuted(family: str) -> None:
    size, seed = PUZZLE.families[family].bundled[0]
    board = made(family, size, seed)
    game = solve("direct", "union-find", board, certify=True)
    assert game.moves.size
    assert check(board, game).verdict is Verdict.PROVED
    for what, moves in corrupted(game):
        assert check(board, Game(board, np.array(moves, np.int32))).verdict is Verdict.REFUTED, (what, moves)


def test_what_a_refutation_says() -> None:
    def detail(board: NoGo, *moves: int) -> str:
        checked = check(board, Game(board, np.array(moves, np.int32)))
        assert checked.verdict is Verdict.REFUTED
        return checked.detail

    second = nogo.parse(SECOND)[0]
    assert detail(second) == "after 0 moves black can still play at 2,3"
    assert detail(second, 7) == "move 1, black to 3,2, skips the legal point 2,3"
    assert detail(second, 0) == "move 1, black to 1,1, is illegal: the point is taken"
    assert detail(second, 9) == "move 1 is the cell 9, which is not on the board"
    assert detail(second, 5, 7) == "move 2, white to 3,2, is illegal: it takes the last liberty of the chain beside it at 3,1"
    assert detail(board_of("XX/X."), 3) == "move 1, black to 2,2, is illegal: its own chain would have no liberty"
    assert (
        detail(board_of("OO/O."), 3) == "move 1, black to 2,2, is illegal: it takes the last liberty of the chain beside it at 1,2"
    )
    other = check(second, play(board_of("..")))
    assert (other.verdict, other.detail) == (Verdict.REFUTED, "the game starts from another board")


@pytest.mark.parametrize("text", ["2 3\n-1 -1\n", "3 2\n2 3\n-1 -1\n", "3 3\n2 3\n-1 -1\n"])
def test_luogu_accepts_any_complete_game(text: str) -> None:
    board = nogo.parse(SECOND)[0]
    (game,) = PUZZLE.parse_answers(text, [board], "luogu", "x")
    assert game.claims is None
    assert check(board, game).verdict is Verdict.PROVED
    (strict,) = PUZZLE.parse_answers(text, [board], "first", "x")
    assert check(board, strict).verdict is (Verdict.PROVED if text.startswith("2 3") else Verdict.REFUTED)


def test_random_games_under_both_rules() -> None:
    rng = np.random.default_rng(9)
    for _ in range(60):
        board = random_board(int(rng.integers(2, 7)), int(rng.integers(2, 7)), rng)
        moves = random_game(board, rng)
        game = np.array(moves, np.int32)
        assert check(board, Game(board, game, "any")).verdict is Verdict.PROVED
        first = Verdict.PROVED if moves == brute_game(board) else Verdict.REFUTED
        assert check(board, Game(board, game)).verdict is first
        if moves:
            assert check(board, Game(board, game[:-1], "any")).verdict is Verdict.REFUTED
            assert check(board, Game(board, np.append(game, game[:1]), "any")).verdict is Verdict.REFUTED


def test_boards_too_large_to_replay_stay_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzles.nogo.check.MOST_CELLS", 8)
    board = nogo.parse(SECOND)[0]
    checked = check(board, play(board))
    assert (checked.verdict, "8 cells" in checked.detail) == (Verdict.UNPROVED, True)


@pytest.mark.slow
@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_large_games_are_proved(family: str) -> None:
    board = made(family, 500, 1)
    assert check(board, play(board)).verdict is Verdict.PROVED


@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_families(family: str) -> None:
    known = PUZZLE.family(family)
    for size in range(known.least, known.least + 12):
        board = made(family, size, 3)
        assert board.grid.shape == (size, size)
        assert board == made(family, size, 3)
    if family != "empty":
        assert len({made(family, 12, seed) for seed in range(8)}) == 8
    for size, seed in known.bundled:
        board = made(family, size, seed)
        games = [solve(side, name, board, certify=True) for side, name in BACKENDS if name != "cpsat" or board.cells <= 36]
        assert len(set(games)) == 1
        assert check(board, games[0]).verdict is Verdict.PROVED


def test_families_are_what_they_say() -> None:
    eyes = made("eyes", 20, 1).grid
    hole = np.argwhere(eyes == ord("."))
    assert len(hole) == 36
    for row, column in hole:
        assert len({int(eyes[row + r, column + c]) for r, c in ((-1, 0), (0, -1), (0, 1), (1, 0))}) == 1
    parents = chain_sets(made("chains", 100, 1))
    assert union_find.count(parents[0]) - parents[1] < 60
    assert -int(parents[0].min()) > 1500
    alternate = made("checkerboard", 30, 2)
    assert union_find.count(chain_sets(alternate)[0]) == alternate.cells
    assert (alternate.grid != ord(".")).mean() > 0.4


def chain_sets(board: NoGo) -> tuple[np.ndarray, int]:
    """The chains of a board as disjoint sets, in which each empty point is a set as well, and how many of those there are."""
    cells, grid = np.arange(board.cells).reshape(board.grid.shape), board.grid
    parents = union_find.singletons(board.cells)
    for one, other, same in (
        (cells[1:], cells[:-1], (grid[1:] == grid[:-1]) & (grid[1:] != ord("."))),
        (cells[:, 1:], cells[:, :-1], (grid[:, 1:] == grid[:, :-1]) & (grid[:, 1:] != ord("."))),
    ):
        union_find.union(parents, one[same], other[same])
    return parents, int((grid == ord(".")).sum())


def test_pictures() -> None:
    board = nogo.parse(SECOND)[0]
    game = play(board)
    assert shown(board._repr_svg_()).cells.count("<circle") == 6
    drawn = shown(game._repr_svg_()).cells
    assert (drawn.count("<circle"), drawn.count("<text"), drawn.count(">1</text>")) == (7, 1, 1)
    assert "<text" not in shown(PUZZLE.picture(board_of("." * 401), play(board_of("." * 401)))).cells


# Models.


def test_cuts_name_the_chains_without_liberty() -> None:
    board = board_of(".../.../...")
    near, black, white = legality.neighbours(board), np.arange(1, 10), np.arange(11, 20)

    def broken(text: str) -> list[list[int]]:
        grid = grid_of(text.split("/"))
        return [sorted(clause) for clause in legality.cuts(grid == ord("X"), grid == ord("O"), (black, white), near)]

    assert broken("XX./XXO/OO.") == []
    assert broken("OOX/OOX/XXX") == [
        sorted([-3, -6, -7, -8, -9, -12, -14, -15]),
        sorted([-11, -12, -14, -15, -3, -6, -7, -8]),
    ]
    assert broken("X.X/OOX/XXO") == [sorted([-7, -8, -14, -15, -19]), sorted([-19, -6, -8])]


@pytest.mark.parametrize("text", ["OOX/OOX/.X.", "XXO/XX./..O"])
def test_without_cuts_chains_keep_themselves_alive(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    board = board_of(text)
    assert solve("models", "cnf", board).moves.tolist() == brute_game(board)
    monkeypatch.setattr(models_nogo, "cuts", lambda *_: [])
    assert solve("models", "cnf", board).moves.tolist() != brute_game(board)
