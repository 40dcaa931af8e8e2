"""What Amb's write-up rests on: its closure marks only certain cells. And what it claims too much,
which small boards refute.

At each clue, the closure draws implications between the covered cells around it. If one value of a
cell implies the other, the cell is marked. Then a new round begins with the marks known, until
nothing changes.

The lemma `minesweeper-sound` is about a single clue and its neighbourhood. That the closure is
sound on every board follows by induction. Take any layout of mines that agrees with the clues of a
board.

1. Before the first round, only given cells are marked, so every mark is true in the layout.
2. Let all marks be true when a round begins. The lemma assumes that known cells are as the layout
   has them. So by the lemma each implication that the round draws is true in the layout, and so is
   every chain of implications. If "a mine" implies "no mine" for a cell, the cell is no mine in the
   layout; and the other way round. So the marks of this round are true too.
3. So all marks are true after any number of rounds. The layout was arbitrary, so a marked cell is
   the same in all layouts.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from compare.commands.prove.lemma import (
    Assignment,
    Counterexample,
    CounterexampleFormula,
    ExhaustiveLemma,
    ExhaustiveSearch,
    FormulaLemma,
)
from compare.commands.prove.symbolic import (
    AROUND,
    BoardCell,
    Literals,
    SymbolicBoard,
    around,
    characters_of,
    neighbour_indices,
    place,
    rows_of,
)
from puzzles.minesweeper.board import Deduction, Minesweeper

WRITE_UP = (
    'Amb@HDU, "解扫雷 - 2-sat新用法" (Solving minesweeper: a new use of 2-SAT), 2011, '
    "http://www.cnblogs.com/ambition/archive/2011/09/22/Mine-sweeping.html"
)

MarkedCell = tuple[BoardCell, bool]
"""A covered cell, and whether it is a mine."""


def round_implications(
    rows: tuple[str, ...], marks: dict[BoardCell, bool]
) -> list[tuple[MarkedCell, MarkedCell]]:
    """The implications that one round draws, clue by clue, given the marks of the rounds before."""
    at = characters_of(rows)
    at |= {cell: "X" if mine else "O" for cell, mine in marks.items()}
    drawn: list[tuple[MarkedCell, MarkedCell]] = []
    for clue, kind in at.items():
        if not (kind.isdigit() or kind == "."):
            continue
        near = around(clue, AROUND)
        unknown = [cell for cell in near if at.get(cell) == "#"]
        n = (0 if kind == "." else int(kind)) - sum(at.get(cell) == "X" for cell in near)
        for cell, other in product(unknown, repeat=2):
            if len(unknown) == (n if cell == other else n + 1):
                drawn.append(((cell, False), (other, True)))
            if n == (0 if cell == other else 1):
                drawn.append(((cell, True), (other, False)))
    return drawn


def rounds_of(rows: tuple[str, ...], most: int | None = None) -> list[dict[BoardCell, bool]]:
    """The marks of each round, until a round marks nothing, or of `most` rounds at most: cell ->
    whether it is a mine.
    """
    marks: dict[BoardCell, bool] = {}
    rounds: list[dict[BoardCell, bool]] = []
    while most is None or len(rounds) < most:
        drawn: dict[MarkedCell, set[MarkedCell]] = {}
        for one, other in round_implications(rows, marks):
            drawn.setdefault(one, set()).add(other)
        new: dict[BoardCell, bool] = {}
        for cell, value in drawn:
            reached = [(cell, value)]
            for literal in reached:
                reached += drawn.get(literal, set()) - set(reached)
            if (cell, not value) in reached:
                new[cell] = not value
        if not new:
            return rounds
        marks |= new
        rounds.append(new)
    return rounds


def all_layouts(rows: tuple[str, ...]) -> list[dict[BoardCell, bool]]:
    """All layouts of mines on the covered cells that agree with the clues."""
    at = characters_of(rows)
    covered = [cell for cell, kind in at.items() if kind == "#"]
    clues = {cell: int(kind) for cell, kind in at.items() if kind.isdigit()}
    layouts = (
        dict(zip(covered, values, strict=True))
        for values in product((False, True), repeat=len(covered))
    )
    return [
        mines
        for mines in layouts
        if all(
            sum(mines.get(near, False) for near in around(cell, AROUND)) == clue
            for cell, clue in clues.items()
        )
    ]


def _in_words(marks: dict[BoardCell, bool]) -> str:
    """The marks in words."""
    return ", ".join(
        f"{'a' if mine else 'no'} mine at {place(cell)}" for cell, mine in sorted(marks.items())
    )


def _sound(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A clue in the middle, a layout of mines that agrees with it, and an implication that is drawn
    but false in the layout.

    Some of the cells around the clue are covered, some are known mines (`X`), and the others are
    known not to be mines (`O`). Cells beyond the edge and opened cells count as `O`. Let k be the
    number of covered cells, and n the clue minus the known mines. The closure draws these
    implications between covered cells:

    - k = n: "no mine here" implies "a mine here".
    - k = n + 1: "no mine here" implies "a mine there".
    - n = 0: "a mine here" implies "no mine here".
    - n = 1: "a mine here" implies "no mine there".
    """
    board = SymbolicBoard(rows, columns)
    middle = rows // 2 * columns + columns // 2
    near = neighbour_indices(rows, columns, AROUND)[middle]
    near = near[near >= 0]
    covered, known, mine = (board.new(len(near)) for _ in range(3))
    clue = board.exactly_one(board.new(9))
    here, there = (board.exactly_one(board.new(len(near))) for _ in range(2))
    for variables, text in (
        (covered, "{} is covered"),
        (known, "{} is known to be a mine"),
        (mine, "{} is a mine in the layout"),
    ):
        board.formula.name(variables, text, near, auxiliary=True)
    for digit, says in enumerate(clue.tolist()):
        board.formula.name([says], f"the clue is {digit}", auxiliary=True)
    board.each(-covered, -known)
    board.each(-known, mine)
    board.each(covered, known, -mine)

    def is_clue(numbers: Literals, more: int) -> Literals:
        """A literal: the number of true ones among these is the clue plus `more`."""
        counts = np.arange(len(numbers) + 1)
        least, digits = np.pad(board.unary_count(numbers, 9), 1), counts - more
        possible = (digits >= 0) & (digits < 9)
        exactly = board.all_of(
            clue[digits[possible]], least[counts[possible]], -least[counts[possible] + 1]
        )
        return board.any_of(exactly[None])

    if not without_hypothesis:
        board.each(is_clue(mine, 0))
    at_hand = board.any_of(covered, known)
    one, other = np.indices((len(near), len(near))).reshape(2, -1)
    pair = board.all_of(here[one], there[other], covered[one], covered[other])
    to_mine = np.where(one == other, is_clue(at_hand, 0), is_clue(at_hand, 1))
    to_safe = np.where(one == other, is_clue(known, 0), is_clue(known, -1))
    board.some(
        board.all_of(pair, to_mine, -mine[one], -mine[other]),
        board.all_of(pair, to_safe, mine[one], mine[other]),
    )

    def decode(model: Assignment) -> Counterexample:
        characters = ["O"] * board.cells
        characters[middle] = str(model[clue].argmax())
        for cell, hidden, known_mine in zip(
            near.tolist(), model[covered], model[known], strict=True
        ):
            characters[cell] = "#" if hidden else "X" if known_mine else "O"
        chosen = [int(model[choice].argmax()) for choice in (here, there)]
        details = {
            "mines": [divmod(cell, columns) for cell in near[model[mine]].tolist()],
            "cells": tuple(divmod(cell, columns) for cell in near[chosen].tolist()),
            "mine": bool(model[mine[chosen[0]]]),
        }
        return Counterexample(rows_of(characters, columns), details)

    return CounterexampleFormula(board.formula, decode)


def _false_implication(
    rows: tuple[str, ...], mines: list[BoardCell], cells: tuple[BoardCell, BoardCell], mine: bool
) -> str:
    one, other = cells
    drawn = ((one, mine), (other, not mine)) in round_implications(rows, {})
    if not drawn or (one in mines, other in mines) != (mine, mine):
        return ""
    first, second = ("a mine", "no mine") if mine else ("no mine", "a mine")
    return f"{first} at {place(one)} is to imply {second} at {place(other)}, and does not"


def _many_rounds(rows: tuple[str, ...]) -> str:
    rounds = rounds_of(rows)
    if len(rounds) <= 3 or not all_layouts(rows):
        return ""
    return f"round {len(rounds)} is the first to mark {_in_words(rounds[-1])}"


def _missed(rows: tuple[str, ...]) -> str:
    layouts = all_layouts(rows)
    marked = {cell for marks in rounds_of(rows) for cell in marks}
    certain = {
        cell: mine
        for cell, mine in (layouts or [{}])[0].items()
        if all(each[cell] == mine for each in layouts)
    }
    missed = {cell: mine for cell, mine in certain.items() if cell not in marked}
    return (
        f"in all {len(layouts)} layouts certain, and not found: {_in_words(missed)}"
        if missed
        else ""
    )


def _naive_answer(board: Minesweeper, rounds: int | None) -> Deduction:
    """The marks of `rounds` rounds (None: of all rounds), together with the claim that nothing else
    is certain.
    """
    grid = board.grid.copy()
    for marks in rounds_of(tuple(board.lines()), rounds):
        for cell, mine in marks.items():
            grid[cell] = ord("X" if mine else "O")
    return Deduction(True, Minesweeper(grid))


Masks = NDArray[np.uint32]
"""For each board a set of cells, one bit for each."""


def masks(sets: NDArray[np.bool_]) -> Masks:
    """Sets of cells, shape (boards, cells), as bits."""
    return (sets << np.arange(sets.shape[1], dtype=np.uint32)).sum(1, dtype=np.uint32)


def boards_with_layout(
    rows: int, columns: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], Masks, Masks]:
    """Every board of covered cells and clues that has a layout. Made from all layouts.

    Returns:
        clues: uint8 (boards, cells), the digits of the opened cells, 0 at covered ones.
        covered: bool of the same shape.
        always, ever: covered cells that are mines in all layouts; in some layout.
    """
    cells = rows * columns
    state = (
        np.arange(3**cells)[:, None] // 3 ** np.arange(cells) % 3
    )  # opened, covered, covered mine
    mine, covered = state == 2, state > 0
    beside = (neighbour_indices(rows, columns, AROUND)[..., None] == np.arange(cells)).any(1)
    clues = np.where(covered, 0, mine.astype(np.uint8) @ beside.astype(np.uint8)).astype(np.uint8)
    code = (
        np.where(covered, 15, clues).astype(np.uint64) << (4 * np.arange(cells, dtype=np.uint64))
    ).sum(1, dtype=np.uint64)
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=~code[order[0]]) != 0)
    mines, own = masks(mine[order]), order[first]
    return (
        clues[own],
        covered[own],
        np.bitwise_and.reduceat(mines, first),
        np.bitwise_or.reduceat(mines, first),
    )


def closures_of(
    rows: int, columns: int, clues: NDArray[np.uint8], covered: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Masks, Masks]:
    """The closure of many boards at once.

    Literal i says that cell i is a mine, literal cells + i that it is none. `reach` holds, for each
    literal, the literals that it implies.

    Returns:
        For each board the number of rounds that mark something, and the mines and the safe cells
        that they mark.
    """
    cells, boards = rows * columns, len(clues)
    bit = np.uint32(1) << np.arange(2 * cells, dtype=np.uint32)
    popcount = np.array([value.bit_count() for value in range(2**cells)], np.int64)
    near = [others[others >= 0] for others in neighbour_indices(rows, columns, AROUND)]
    hidden, mines, safe = masks(covered), np.zeros(boards, np.uint32), np.zeros(boards, np.uint32)
    rounds, active = np.zeros(boards, np.int64), np.arange(boards)
    while active.size:
        unknown = hidden[active] & ~mines[active] & ~safe[active]
        reach = np.tile(bit, (active.size, 1))
        for cell, others in enumerate(near):
            clue, around = ~covered[active, cell], bit[others].sum(dtype=np.uint32)
            beside = unknown & around
            k, n = (
                popcount[beside],
                clues[active, cell].astype(np.int64) - popcount[mines[active] & around],
            )
            for other in others:
                here, rest = clue & (beside & bit[other] > 0), beside & ~bit[other]
                to_mine = np.where(k == n, bit[other], 0) | np.where(k == n + 1, rest, 0)
                to_safe = np.where(n == 0, bit[other], 0) | np.where(n == 1, rest, 0)
                reach[:, cells + other] |= np.where(here, to_mine, 0).astype(np.uint32)
                reach[:, other] |= np.where(here, to_safe, 0).astype(np.uint32) << np.uint32(cells)
        for literal in range(2 * cells):
            reach |= np.where(reach & bit[literal], reach[:, literal, None], 0)
        new_mines = masks(reach[:, cells:] & bit[:cells] > 0) & unknown
        new_safe = masks(reach[:, :cells] & bit[cells:] > 0) & unknown
        mines[active] |= new_mines
        safe[active] |= new_safe
        marked = new_mines | new_safe > 0
        rounds[active] += marked
        active = active[marked]
    return rounds, mines, safe


_AT_ONCE = 4096
"""How many boards' closures are computed together; few enough to stay in the cache."""


def _search(rows: int, columns: int, *, rounds: int | None) -> ExhaustiveSearch:
    """Search for a board on which more than `rounds` rounds mark something; None: on which a
    certain cell is never marked.
    """
    clues, covered, always, ever = boards_with_layout(rows, columns)
    for start in range(0, len(clues), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        needed, mines, safe = closures_of(rows, columns, clues[part], covered[part])
        unmarked = (always[part] & ~mines) | (masks(covered[part]) & ~ever[part] & ~safe)
        bad = start + np.flatnonzero(unmarked if rounds is None else needed > rounds)
        if bad.size:
            characters = np.where(covered[bad[0]], "#", clues[bad[0]].astype(str)).tolist()
            return ExhaustiveSearch(int(bad[0]) + 1, Counterexample(rows_of(characters, columns)))
    return ExhaustiveSearch(len(clues), None)


LEMMAS = (
    FormulaLemma(
        name="minesweeper-sound",
        statement="what the closure draws at a clue is true in every layout that agrees with "
        "the clue and the marks",
        source=WRITE_UP,
        quote="枚举每个数字建边",
        translation="go through the numbers and add the edges of each",
        dependents=("direct:frontier", "direct:two-sat"),
        size=3,
        smallest_size=3,
        largest_size=3,
        why_largest="the claim is about one clue and the cells around it",
        build=_sound,
        hypothesis="the layout agrees with the clue",
        failure=_false_implication,
    ),
    ExhaustiveLemma(
        name="minesweeper-rounds",
        statement="two or three rounds of the closure suffice, where nothing but clues is given",
        source=WRITE_UP,
        quote="那个循环最多也就做两三次的样子",
        translation="that loop runs about two or three times at the most",
        size=12,
        expected_to_hold=False,
        naive_answer=partial(_naive_answer, rounds=3),
        search=partial(_search, rounds=3),
        failure=_many_rounds,
    ),
    ExhaustiveLemma(
        name="minesweeper-complete",
        statement="the closure finds every certain cell, where nothing but clues is given",
        source=WRITE_UP,
        quote="直到没有新的状态被确定为止,扫雷完成!!",
        translation="until no new state is settled, and the minefield is solved!!",
        size=8,
        expected_to_hold=False,
        naive_answer=partial(_naive_answer, rounds=None),
        search=partial(_search, rounds=None),
        failure=_missed,
    ),
)
