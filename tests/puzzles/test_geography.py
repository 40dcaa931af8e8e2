"""Geography: both sides against minimax, the check against what is wrong, the texts as published."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

import direct
import models
import puzzles
from puzzles.backend import Side
from puzzles.geography.board import Geography, Losing
from puzzles.grid import grid_of
from puzzles.text import InputError, UserError
from puzzles.verdict import Verdict
from tests.pictures import shown

PUZZLE = puzzles.get("geography")
DIRECT = ("matching", "hungarian")


def board_of(*rows: str) -> Geography:
    return Geography(grid_of(rows))


def solved(side: Side, board: Geography, name: str | None = None, **options: object) -> Losing:
    """The certified answer of a backend."""
    answer = side.solve(board, name, certify=True, **options)
    assert isinstance(answer, Losing)
    return answer


def made(family: str, size: int, seed: int) -> Geography:
    board = PUZZLE.family(family).board(size, seed)
    assert isinstance(board, Geography)
    return board


def losing_by_play(board: Geography) -> list[int]:
    """The losing cells by minimax, straight from the rules; visited cells are a bit mask."""
    columns, free = board.columns, [code == ord(".") for code in board.grid.ravel().tolist()]

    def near(cell: int) -> list[int]:
        row, column = divmod(cell, columns)
        steps = ((row > 0, -columns), (column > 0, -1), (column < columns - 1, 1), (row < board.rows - 1, columns))
        return [cell + step for fits, step in steps if fits and free[cell + step]]

    @cache
    def wins(cell: int, visited: int) -> bool:
        return any(not visited >> to & 1 and not wins(to, visited | 1 << to) for to in near(cell))

    return [cell for cell in range(board.cells) if free[cell] and not wins(cell, 1 << cell)]


def every_board(rows: int, columns: int) -> list[Geography]:
    codes = product(b".#", repeat=rows * columns)
    return [Geography(np.array(cells, np.uint8).reshape(rows, columns)) for cells in codes]


TINY = [board for rows in range(1, 4) for columns in range(1, 5) for board in every_board(rows, columns)]
UP_TO_3X3 = [board for board in TINY if board.columns <= 3]


def seeded(count: int, seed: int, longest: int = 5) -> list[Geography]:
    rng = np.random.default_rng(seed)
    boards = []
    for _ in range(count):
        shape, share = rng.integers(1, longest + 1, 2), rng.choice([0.1, 0.2, 0.3, 0.4])
        boards.append(Geography(np.where(rng.random(shape) < share, ord("#"), ord(".")).astype(np.uint8)))
    return boards


def proves(answer: Losing, board: Geography) -> bool:
    return PUZZLE.check(board, answer).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", DIRECT)
def test_direct_agrees_with_play_on_every_board_up_to_3x4(name: str) -> None:
    for board in TINY:
        answer = solved(direct.SIDE, board, name)
        assert answer.cells.tolist() == losing_by_play(board), str(board)
        assert proves(answer, board), str(board)


def test_cnf_agrees_with_play_on_every_board_up_to_3x3() -> None:
    for board in UP_TO_3X3:
        answer = solved(models.SIDE, board, "cnf")
        assert answer.cells.tolist() == losing_by_play(board), str(board)
        assert proves(answer, board), str(board)


@pytest.mark.parametrize(("side", "name"), [(direct.SIDE, "matching"), (direct.SIDE, "hungarian"), (models.SIDE, "cnf")])
def test_agrees_with_play_on_seeded_boards(side: Side, name: str) -> None:
    for board in seeded(60, 5):
        answer = solved(side, board, name)
        assert answer.cells.tolist() == losing_by_play(board), str(board)
        assert proves(answer, board), str(board)


def test_cpsat_agrees_with_play_on_a_sample() -> None:
    pytest.importorskip("ortools")
    for board in [*seeded(15, 6, 4), *UP_TO_3X3[::60]]:
        answer = solved(models.SIDE, board, "cpsat")
        assert answer.cells.tolist() == losing_by_play(board), str(board)
        assert proves(answer, board), str(board)


@pytest.mark.parametrize("solver", ["glucose4", "minisat22"])
def test_other_solvers_agree(solver: str) -> None:
    for board in seeded(20, 7, 7):
        answer = solved(models.SIDE, board, "cnf", solver=solver)
        assert answer.cells.tolist() == solved(direct.SIDE, board).cells.tolist()
        assert proves(answer, board), str(board)


def test_the_loose_cells_of_a_block_do_not_lose() -> None:
    """In a block without walls either colour supports itself in a circle, beside an odd piece that really loses."""
    board = board_of("..##", "..#.", "###.", "....")
    answer = solved(models.SIDE, board, "cnf")
    assert answer.cells.tolist() == losing_by_play(board)
    assert not {0, 1, 4, 5} & set(answer.cells.tolist())


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_both_forms_of_the_kernels_agree(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [made(name, 14, 8) for name in PUZZLE.families]
    expected = [solved(models.SIDE, board, "cnf").cells.tolist() for board in boards]
    monkeypatch.setenv("TWOFOLD_KERNELS", mode)
    for board, cells in zip(boards, expected, strict=True):
        for name in DIRECT:
            answer = solved(direct.SIDE, board, name)
            assert answer.cells.tolist() == cells
            assert proves(answer, board)


@pytest.mark.parametrize("family", list(PUZZLE.families))
def test_large_boards_are_proved(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    board = made(family, 100, 9)
    answer = solved(direct.SIDE, board)
    assert proves(answer, board)
    assert answer == solved(direct.SIDE, board)
    assert answer.cells.tolist() == solved(direct.SIDE, board, "hungarian").cells.tolist()


def test_long_corridors_need_no_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    for shape in ((1, 100_000), (100_000, 1)):
        board = Geography(np.full(shape, ord("."), np.uint8))
        assert solved(direct.SIDE, board).cells.size == 0
    odd = Geography(np.full((1, 100_001), ord("."), np.uint8))
    answer = solved(direct.SIDE, odd)
    assert answer.cells.tolist() == list(range(0, 100_001, 2))
    assert proves(answer, odd)
    short = Geography(odd.grid[:, :5_001])
    assert solved(direct.SIDE, short, "hungarian").cells.tolist() == list(range(0, 5_001, 2))


def test_families_are_reproducible_and_vary() -> None:
    for family in PUZZLE.families.values():
        assert family.board(20, 3) == family.board(20, 3)
        assert len({family.board(40, seed) for seed in range(6)}) > 1
    assert made("open-even", 9, 4).cells % 2 == 0
    assert made("open-odd", 10, 4).cells % 2 == 1


# ------------------------------------------------------------------------------------------------------------- the check


@pytest.fixture
def case() -> tuple[Geography, Losing]:
    board = made("walls-20", 12, 3)
    answer = solved(direct.SIDE, board)
    assert proves(answer, board)
    return board, answer


def test_without_a_certificate_nothing_is_proved(case: tuple[Geography, Losing]) -> None:
    board, answer = case
    assert PUZZLE.check(board, Losing(board, answer.cells)).verdict is Verdict.UNPROVED
    for broken in ("no array", np.zeros((2, board.cells), np.int32), answer.certificate.astype(float)):
        assert not proves(Losing(board, answer.cells, certificate=broken), board)


def test_another_losing_set_is_never_proved(case: tuple[Geography, Losing]) -> None:
    board, answer = case
    for cell in range(board.cells):
        cells = np.setxor1d(answer.cells, [cell]).astype(np.int32)
        assert not proves(Losing(board, cells, certificate=answer.certificate), board), board.place(cell)
    assert not proves(Losing(board, np.empty(0, np.int32), certificate=answer.certificate), board)


def test_broken_matchings_are_never_proved(case: tuple[Geography, Losing]) -> None:
    board, answer = case
    for cell in range(board.cells):
        for value in (-1, -2, cell, 0, board.cells, board.cells - 1):
            certificate = answer.certificate.copy()
            certificate[0, cell] = value
            same = value == answer.certificate[0, cell] or (value < 0 and board.grid.flat[cell] == ord("#"))
            assert same or not proves(Losing(board, answer.cells, certificate=certificate), board), (cell, value)


def test_broken_chains_are_never_proved(case: tuple[Geography, Losing]) -> None:
    board, answer = case
    hanging = [cell for cell in answer.cells.tolist() if answer.certificate[0, cell] >= 0]
    assert hanging
    for cell in hanging:
        parent = int(answer.certificate[1, cell])
        for row, value in ((1, -1), (1, cell), (1, board.cells), (2, answer.certificate[2, parent]), (2, -1)):
            certificate = answer.certificate.copy()
            certificate[row, cell] = value
            assert not proves(Losing(board, answer.cells, certificate=certificate), board), (cell, row, value)


def test_circular_support_is_no_proof() -> None:
    """In a block the cells of one colour support each other, but neither is exposed: none of them loses."""
    board = board_of("..", "..")
    mate, parent = [1, 0, 3, 2], [3, -1, -1, 0]
    for rank in ([1, -1, -1, 0], [0, -1, -1, 1], [1, -1, -1, 1], [-1] * 4):
        answer = Losing(board, np.array([0, 3], np.int32), certificate=np.array([mate, parent, rank], np.int32))
        assert PUZZLE.check(board, answer).verdict is Verdict.REFUTED
    wide = board_of("......", "......", "......")
    mate = [cell + 1 if cell % 2 == 0 else cell - 1 for cell in range(18)]
    answer = Losing(wide, np.array([0, 7], np.int32), certificate=np.array([mate, [-1] * 18, [-1] * 18], np.int32))
    assert PUZZLE.check(wide, answer).verdict is Verdict.UNPROVED


def test_a_vertex_cover_is_no_proof() -> None:
    """On three cells in a row a cover proves the matching maximum, but cell 1 loses as well as cell 3."""
    board = board_of("...")
    certificate = np.array([[1, 0, -1], [-1] * 3, [-1, -1, 0]], np.int32)
    assert PUZZLE.check(board, Losing(board, np.array([2], np.int32), certificate=certificate)).verdict is Verdict.REFUTED
    long = Geography(np.full((1, 101), ord("."), np.uint8))
    mate = [cell ^ 1 for cell in range(100)] + [-1]
    rank = [-1] * 100 + [0]
    answer = Losing(long, np.array([100], np.int32), certificate=np.array([mate, [-1] * 101, rank], np.int32))
    assert PUZZLE.check(long, answer).verdict is Verdict.UNPROVED


@pytest.mark.parametrize(
    ("rows", "cells"), [((".#",), [1]), ((".#",), []), (("..",), [2]), (("..",), [-1]), (("...",), [2, 0]), (("...",), [0, 0])]
)
def test_false_claims_are_refuted(rows: tuple[str, ...], cells: list[int]) -> None:
    board = board_of(*rows)
    assert PUZZLE.check(board, Losing(board, np.array(cells, np.int32))).verdict is Verdict.REFUTED


def test_small_components_are_refuted_on_large_boards() -> None:
    board = made("walls-40", 60, 2)
    answer = solved(direct.SIDE, board)
    lonely = next(cell for cell in answer.cells.tolist() if answer.certificate[0, cell] < 0 and _alone(board, cell))
    wrong = np.setdiff1d(answer.cells, [lonely]).astype(np.int32)
    check = PUZZLE.check(board, Losing(board, wrong, certificate=answer.certificate))
    assert check.verdict is Verdict.REFUTED
    assert board.place(lonely) in check.detail


def _alone(board: Geography, cell: int) -> bool:
    row, column = divmod(cell, board.columns)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return all(board.grid[r, c] == ord("#") for r, c in around if 0 <= r < board.rows and 0 <= c < board.columns)


# ------------------------------------------------------------------------------------------------------------- the texts


def test_the_sample_as_published() -> None:
    text = "3 3\n.##\n...\n#.#\n"
    sample = PUZZLE.data / "sample"
    assert (sample / "official.in").read_text() == text
    published = (sample / "official.ans").read_text()
    assert published == "2\n2 3\n3 2\n"
    for name in DIRECT:
        assert direct.solve_text("geography", text, backend=name) == published
    assert models.solve_text("geography", text, backend="cnf") == published
    assert direct.solve_text("geography", text, format="luogu") == "WIN\n2 3\n3 2\n"
    assert PUZZLE.fields(solved(direct.SIDE, PUZZLE.parse(text)[0])) == {"losing": [[2, 3], [3, 2]]}


def test_nothing_loses() -> None:
    assert direct.solve_text("geography", "1 2\n..\n") == "0\n"
    assert direct.solve_text("geography", "1 2\n..\n", format="luogu") == "LOSE\n"


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (12, 130), (1200, 11), pytest.param((1, 10_000_001), marks=pytest.mark.slow)])
@pytest.mark.parametrize("format", ["loj", "luogu"])
def test_answers_are_read_back(shape: tuple[int, int], format: str) -> None:
    board = Geography(np.full(shape, ord("."), np.uint8))
    rng = np.random.default_rng(1)
    for count in (0, 1, 40):
        cells = np.unique(np.append(rng.integers(0, board.cells, count), board.cells - 1 if count else [])).astype(np.int32)
        answer = Losing(board, cells)
        text = PUZZLE.print_answers([answer], format)
        assert text.splitlines()[1:] == [f"{c // shape[1] + 1} {c % shape[1] + 1}" for c in cells.tolist()]
        assert PUZZLE.parse_answers(text, [board], format) == [answer]
        assert PUZZLE.parse_answers(text.replace("\n", " \r\n"), [board], format) == [answer]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"),
        ("3\n", "1:2"),
        ("0 3\n", "1:1"),
        ("2 2 2\n..\n..\n", "1:5"),
        ("2 2\n..\n", "3:1"),
        ("2 2\n..\n.\n", "3:2"),
        ("2 2\n..\n...\n", "3:3"),
        ("2 2\n.X\n..\n", "2:2"),
        ("2 2\n..\n..\n..\n", "4:1"),
        ("999999999 999999999\n..\n", "2:3"),
    ],
)
def test_malformed_boards(text: str, place: str) -> None:
    with pytest.raises(InputError) as error:
        PUZZLE.parse(text, "x")
    assert str(error.value).startswith(f"x:{place}: ")


@pytest.mark.parametrize(
    ("format", "text", "place"),
    [
        ("loj", "", "1:1"),
        ("loj", "WIN\n", "1:1"),
        ("loj", "10\n", "1:1"),
        ("loj", "1\n", "2:1"),
        ("loj", "1\n1\n", "2:2"),
        ("loj", "1\n4 1\n", "2:1"),
        ("loj", "1\n1 0\n", "2:3"),
        ("loj", "2\n1 1\n1 1\n", "3:1"),
        ("loj", "2\n2 1\n1 1\n", "3:1"),
        ("loj", "1\n1 1\n2 2\n", "3:1"),
        ("loj", "1\n1 x\n", "2:3"),
        ("luogu", "win\n", "1:1"),
        ("luogu", "WIN\n", "2:1"),
        ("luogu", "LOSE\n1 1\n", "2:1"),
        ("luogu", "WIN\n1 1\n3 4\n", "3:1"),
        ("luogu", "WIN\n1 1\nLOSE\n", "3:1"),
    ],
)
def test_malformed_answers(format: str, text: str, place: str) -> None:
    with pytest.raises(InputError) as error:
        PUZZLE.parse_answers(text, [board_of("...", "...", "...")], format, "x")
    assert str(error.value).startswith(f"x:{place}: ")


def test_a_listed_wall_is_false_not_unreadable() -> None:
    board = PUZZLE.parse("3 3\n.##\n...\n#.#\n")[0]
    (answer,) = PUZZLE.parse_answers("1\n1 2\n", [board], "loj")
    check = PUZZLE.check(board, answer)
    assert check.verdict is Verdict.REFUTED
    assert "1,2" in check.detail


def test_a_file_holds_one_board() -> None:
    board = board_of("..")
    assert PUZZLE.parse(PUZZLE.print_instances([board])) == [board]
    with pytest.raises(UserError):
        PUZZLE.print_instances([board, board])


def test_picture_marks_losing_cells_and_the_matching() -> None:
    board = board_of(".##", "...", "#.#")
    answer = solved(direct.SIDE, board)
    drawn = shown(answer._repr_svg_()).cells
    assert drawn.count('fill="var(--bad)"') == 2
    assert drawn.count("<polyline") == 2
    assert drawn.count("<circle") == 1
    assert shown(board._repr_svg_()).cells.count('fill="var(--wall)"') == 4
