"""What Amb's write-up rests on: its closure marks only certain cells. And what it claims too much, which small boards refute.

At each clue, the closure draws implications between the covered cells around it. If one value of a cell implies the other, the cell
is marked. Then a new round begins with the marks known, until nothing changes.

The lemma `minesweeper-sound` is about a single clue and its neighbourhood. That the closure is sound on every board follows by
induction. Take any layout of mines that agrees with the clues of a board.

1. Before the first round, only given cells are marked, so every mark is true in the layout.
2. Let all marks be true when a round begins. The lemma assumes that known cells are as the layout has them. So by the lemma each
   implication that the round draws is true in the layout, and so is every chain of implications. If "a mine" implies "no mine" for
   a cell, the cell is no mine in the layout; and the other way round. So the marks of this round are true too.
3. So all marks are true after any number of rounds. The layout was arbitrary, so a marked cell is the same in all layouts.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.lemmas.lemma import (
    Assignment,
    Counterexample,
    CounterexampleFormula,
    ExhaustiveLemma,
    ExhaustiveSearch,
    FormulaLemma,
    Lemma,
)
from models.lemmas.logic import (
    Cell,
    all_of,
    any_of,
    cells_around,
    characters_of,
    new_variables,
    one_hot,
    rows_of,
    true_index,
    unary_count,
)
from puzzles.minesweeper.board import Deduction, Minesweeper

WRITE_UP = (
    'Amb@HDU, "解扫雷 - 2-sat新用法" (Solving minesweeper: a new use of 2-SAT), 2011, '
    "http://www.cnblogs.com/ambition/archive/2011/09/22/Mine-sweeping.html"
)

Literal = tuple[Cell, bool]
"""A covered cell, and whether it is a mine."""


def _three_by_three(row: int, column: int) -> list[Cell]:
    """A cell and the cells around it, also those beyond the edge."""
    return [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def implications(rows: tuple[str, ...], marks: dict[Cell, bool]) -> list[tuple[Literal, Literal]]:
    """The implications that one round draws, clue by clue, given the marks of the rounds before."""
    at = characters_of(rows)
    at |= {cell: "X" if mine else "O" for cell, mine in marks.items()}
    drawn: list[tuple[Literal, Literal]] = []
    for (row, column), kind in at.items():
        if not (kind.isdigit() or kind == "."):
            continue
        near = _three_by_three(row, column)
        unknown = [cell for cell in near if at.get(cell) == "#"]
        n = (0 if kind == "." else int(kind)) - sum(at.get(cell) == "X" for cell in near)
        for cell in unknown:
            others = [other for other in unknown if other != cell]
            if len(unknown) == n:
                drawn.append(((cell, False), (cell, True)))
            if len(unknown) == n + 1:
                drawn += [((cell, False), (other, True)) for other in others]
            if n == 0:
                drawn.append(((cell, True), (cell, False)))
            if n == 1:
                drawn += [((cell, True), (other, False)) for other in others]
    return drawn


def rounds_of(rows: tuple[str, ...], most: int | None = None) -> list[dict[Cell, bool]]:
    """The marks of each round, until a round marks nothing, or of `most` rounds at most: cell -> whether it is a mine."""
    marks: dict[Cell, bool] = {}
    rounds: list[dict[Cell, bool]] = []
    while most is None or len(rounds) < most:
        drawn: dict[Literal, set[Literal]] = {}
        for one, other in implications(rows, marks):
            drawn.setdefault(one, set()).add(other)
        new: dict[Cell, bool] = {}
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


def layouts_of(rows: tuple[str, ...]) -> list[dict[Cell, bool]]:
    """All layouts of mines on the covered cells that agree with the clues."""
    at = characters_of(rows)
    covered = [cell for cell, kind in at.items() if kind == "#"]
    clues = {cell: int(kind) for cell, kind in at.items() if kind.isdigit()}
    layouts: list[dict[Cell, bool]] = []
    for values in product((False, True), repeat=len(covered)):
        mines = dict(zip(covered, values, strict=True))
        if all(sum(mines.get(near, False) for near in _three_by_three(*cell)) == asked for cell, asked in clues.items()):
            layouts.append(mines)
    return layouts


def places(marks: dict[Cell, bool]) -> str:
    """The marks in words."""
    return ", ".join(f"{'a' if mine else 'no'} mine at {row + 1},{column + 1}" for (row, column), mine in sorted(marks.items()))


def _sound(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A clue in the middle, a layout of mines that agrees with it, and an implication that is drawn but false in the layout.

    Some of the cells around the clue are covered, some are known mines (`X`), and the others are known not to be mines (`O`). Cells
    beyond the edge and opened cells count as `O`. Let k be the number of covered cells, and n the clue minus the known mines. The
    closure draws these implications between covered cells:

    - k = n: "no mine here" implies "a mine here".
    - k = n + 1: "no mine here" implies "a mine there".
    - n = 0: "a mine here" implies "no mine here".
    - n = 1: "a mine here" implies "no mine there".
    """
    formula, cells = Formula(), rows * columns
    middle = rows // 2 * columns + columns // 2
    beside = cells_around(rows, columns)[middle]
    covered, known, mine = (new_variables(formula, len(beside)) for _ in range(3))
    clue = one_hot(formula, 9)
    for hidden, known_mine, there in zip(covered, known, mine, strict=True):
        formula.add(-hidden, -known_mine)
        formula.add(-known_mine, there)
        formula.add(hidden, known_mine, -there)

    def is_clue(numbers: list[int], more: int) -> int:
        """A literal: the number of true ones among these is the clue plus `more`."""
        least = unary_count(formula, numbers, 9)
        matching: list[int] = []
        for digit, says in enumerate(clue):
            k = digit + more
            if 0 <= k <= len(numbers):
                bounds = ([least[k - 1]] if k else []) + [-literal for literal in least[k : k + 1]]
                matching.append(all_of(formula, says, *bounds))
        return any_of(formula, *matching)

    if not without_hypothesis:
        formula.add(is_clue(mine, 0))
    at_hand = [any_of(formula, hidden, known_mine) for hidden, known_mine in zip(covered, known, strict=True)]
    drawn = [is_clue(at_hand, 0), is_clue(at_hand, 1), is_clue(known, 0), is_clue(known, -1)]
    here, there = one_hot(formula, len(beside)), one_hot(formula, len(beside))
    false: list[int] = []
    for one, other in product(range(len(beside)), repeat=2):
        pair = all_of(formula, here[one], there[other], covered[one], covered[other])
        to_mine, to_safe = (0, 2) if one == other else (1, 3)
        false.append(all_of(formula, pair, drawn[to_mine], -mine[one], -mine[other]))
        false.append(all_of(formula, pair, drawn[to_safe], mine[one], mine[other]))
    formula.add(*false)

    def decode(model: Assignment) -> Counterexample:
        characters = ["O"] * cells
        characters[middle] = str(true_index(model, clue))
        for cell, hidden, known_mine in zip(beside, covered, known, strict=True):
            characters[cell] = "#" if model[hidden] else "X" if model[known_mine] else "O"
        one, other = (beside[true_index(model, choice)] for choice in (here, there))
        details = {
            "mines": [divmod(cell, columns) for cell, is_mine in zip(beside, mine, strict=True) if model[is_mine]],
            "cells": (divmod(one, columns), divmod(other, columns)),
            "mine": bool(model[mine[beside.index(one)]]),
        }
        return Counterexample(rows_of("".join(characters), columns), details)

    names = [(says, f"the clue is {digit}") for digit, says in enumerate(clue)]
    for kind, variables in (("covered", covered), ("known to be a mine", known), ("a mine in the layout", mine)):
        places = (f"{cell // columns + 1},{cell % columns + 1}" for cell in beside)
        names += [(variable, f"{place} is {kind}") for place, variable in zip(places, variables, strict=True)]
    return CounterexampleFormula(formula, decode, names=names)


def _false_implication(example: Counterexample) -> str:
    (one, other), mines, value = example.details["cells"], example.details["mines"], example.details["mine"]
    drawn = ((one, value), (other, not value)) in implications(example.rows, {})
    if not drawn or (one in mines, other in mines) != (value, value):
        return ""
    here, there = (f"{row + 1},{column + 1}" for row, column in (one, other))
    first, second = ("a mine", "no mine") if value else ("no mine", "a mine")
    return f"{first} at {here} is to imply {second} at {there}, and does not"


_SOUND: tuple[Lemma, ...] = (
    FormulaLemma(
        name="minesweeper-sound",
        puzzle="minesweeper",
        statement="what the closure draws at a clue is true in every layout that agrees with the clue and the marks",
        source=WRITE_UP,
        quote="枚举每个数字建边",
        translation="go through the numbers and add the edges of each",
        size=3,
        smallest_size=3,
        largest_size=3,
        why_largest="the claim is about one clue and the cells around it",
        build=_sound,
        hypothesis="the layout agrees with the clue",
        failure_on=_false_implication,
    ),
)


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


_EXHAUSTIVE: tuple[Lemma, ...] = (
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

LEMMAS = _SOUND + _EXHAUSTIVE
