"""What is easily claimed too much of the closure; searched on every small board, many boards at once."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from models.lemmas.lemma import Counterexample, ExhaustiveLemma, ExhaustiveSearch, Lemma
from models.lemmas.logic import cells_around, rows_of
from models.lemmas.minesweeper.concrete import WRITE_UP, layouts_of, places, rounds_of
from puzzles.minesweeper.board import Deduction, Minesweeper

Masks = NDArray[np.uint32]


def _many_rounds(example: Counterexample) -> str:
    rounds = rounds_of(example.rows)
    if len(rounds) <= 3 or not layouts_of(example.rows):
        return ""
    return f"round {len(rounds)} is the first to mark {places(rounds[-1])}"


def _missed(example: Counterexample) -> str:
    layouts = layouts_of(example.rows)
    marked = {cell for marks in rounds_of(example.rows) for cell in marks}
    certain = {cell: mine for cell, mine in (layouts or [{}])[0].items() if all(each[cell] == mine for each in layouts)}
    missed = {cell: mine for cell, mine in certain.items() if cell not in marked}
    return f"in all {len(layouts)} layouts certain, and not found: {places(missed)}" if missed else ""


def _naive_answer(board: Minesweeper, rounds: int | None) -> Deduction:
    """The marks of `rounds` rounds (None: of all rounds), together with the claim that nothing else is certain."""
    grid = board.grid.copy()
    for marks in rounds_of(tuple(board.lines()), rounds):
        for cell, mine in marks.items():
            grid[cell] = ord("X" if mine else "O")
    return Deduction(True, Minesweeper(grid))


def small_boards(rows: int, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_], Masks, Masks]:
    """Every board of covered cells and clues that has a layout. Made from all layouts.

    Returns:
        clues: uint8 (boards, cells), the digits of the opened cells, 0 at covered ones.
        covered: bool of the same shape.
        always, ever: uint32 (boards,), one bit for each cell: covered cells that are mines in all layouts; in some layout.
    """
    cells = rows * columns
    state = np.arange(3**cells)[:, None] // 3 ** np.arange(cells) % 3  # opened, covered, covered mine
    mine, covered = (state == 2).astype(np.uint8), state > 0
    beside = np.zeros((cells, cells), np.uint8)
    for cell, others in enumerate(cells_around(rows, columns)):
        beside[others, cell] = 1
    clues = np.where(covered, 0, mine @ beside).astype(np.uint8)
    code = (np.where(covered, 15, clues).astype(np.uint64) << (4 * np.arange(cells, dtype=np.uint64))).sum(1, dtype=np.uint64)
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=~code[order[0]]) != 0)
    mines = (mine[order].astype(np.uint32) << np.arange(cells, dtype=np.uint32)).sum(1, dtype=np.uint32)
    own = order[first]
    return clues[own], covered[own], np.bitwise_and.reduceat(mines, first), np.bitwise_or.reduceat(mines, first)


def closures_of(
    rows: int, columns: int, clues: NDArray[np.uint8], covered: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Masks, Masks]:
    """The closure of many boards at once.

    Literal i says that cell i is a mine, literal cells + i that it is none. `reach` holds, for each literal, the literals that it
    implies.

    Returns:
        For each board the number of rounds that mark something, and the mines and the safe cells that they mark, one bit for each
        cell.
    """
    cells, boards = rows * columns, len(clues)
    bit = np.uint32(1) << np.arange(2 * cells, dtype=np.uint32)
    popcount = np.array([value.bit_count() for value in range(2**cells)], np.int64)
    near = np.array([sum(1 << other for other in others) for others in cells_around(rows, columns)], np.uint32)
    hidden = (covered * bit[:cells]).sum(1, dtype=np.uint32)
    mines, safe, rounds = np.zeros(boards, np.uint32), np.zeros(boards, np.uint32), np.zeros(boards, np.int64)
    active = np.arange(boards)
    while active.size:
        unknown = hidden[active] & ~mines[active] & ~safe[active]
        reach = np.tile(bit, (active.size, 1))
        for cell, others in enumerate(cells_around(rows, columns)):
            clue = ~covered[active, cell]
            beside = unknown & near[cell]
            k, n = popcount[beside], clues[active, cell].astype(np.int64) - popcount[mines[active] & near[cell]]
            for other in others:
                here = clue & (beside & bit[other] > 0)
                rest = beside & ~bit[other]
                reach[:, cells + other] |= np.where(here & (k == n), bit[other], 0) | np.where(here & (k == n + 1), rest, 0)
                apart = np.where(here & (n == 1), rest, 0) | np.where(here & (n == 0), bit[other], 0)
                reach[:, other] |= apart.astype(np.uint32) << np.uint32(cells)
        for literal in range(2 * cells):
            reach |= np.where(reach & bit[literal], reach[:, literal, None], 0)
        forced = (reach[:, cells:] & bit[:cells] > 0) * bit[:cells]
        ruled_out = (reach[:, :cells] & bit[cells:] > 0) * bit[:cells]
        new_mines, new_safe = forced.sum(1, dtype=np.uint32) & unknown, ruled_out.sum(1, dtype=np.uint32) & unknown
        mines[active] |= new_mines
        safe[active] |= new_safe
        marked = new_mines | new_safe > 0
        rounds[active] += marked
        active = active[marked]
    return rounds, mines, safe


def _search(rows: int, columns: int, *, rounds: int | None) -> ExhaustiveSearch:
    """Search for a board on which more than `rounds` rounds mark something; None: on which a certain cell is never marked."""
    clues, covered, always, ever = small_boards(rows, columns)
    boards = len(clues)
    for start in range(0, boards, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        needed, mines, safe = closures_of(rows, columns, clues[part], covered[part])
        if rounds is None:
            hidden = (covered[part] * (np.uint32(1) << np.arange(rows * columns, dtype=np.uint32))).sum(1, dtype=np.uint32)
            bad = (always[part] & ~mines) | (hidden & ~ever[part] & ~safe)
        else:
            bad = needed > rounds
        if bad.any():
            board = start + int(np.flatnonzero(bad)[0])
            characters = np.where(covered[board], "#", clues[board].astype(str))
            return ExhaustiveSearch(board + 1, Counterexample(rows_of("".join(characters.tolist()), columns)))
    return ExhaustiveSearch(boards, None)


_AT_ONCE = 4096
"""How many boards' closures are computed together; few enough to stay in the cache."""


LEMMAS: tuple[Lemma, ...] = (
    ExhaustiveLemma(
        name="minesweeper-rounds",
        puzzle="minesweeper",
        statement="two or three rounds of the closure suffice, where nothing but clues is given",
        source=WRITE_UP,
        quote="那个循环最多也就做两三次的样子",
        translation="that loop runs about two or three times at the most",
        size=12,
        expected_to_hold=False,
        naive_answer=partial(_naive_answer, rounds=3),
        search=partial(_search, rounds=3),
        failure_on=_many_rounds,
    ),
    ExhaustiveLemma(
        name="minesweeper-complete",
        puzzle="minesweeper",
        statement="the closure finds every certain cell, where nothing but clues is given",
        source=WRITE_UP,
        quote="直到没有新的状态被确定为止,扫雷完成!!",
        translation="until no new state is settled, and the minefield is solved!!",
        size=8,
        expected_to_hold=False,
        naive_answer=partial(_naive_answer, rounds=None),
        search=partial(_search, rounds=None),
        failure_on=_missed,
    ),
)
