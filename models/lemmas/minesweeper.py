"""What write-up 001 rests on: that its closure marks only what is certain; and what it claims too much.

The closure draws, at each clue, implications between the covered cells beside it; a cell whose one value implies the other is
marked, and everything is done again with the marks known, until nothing changes. That it is sound on every board follows from a
single clue and its neighbourhood, the lemma `minesweeper-sound`, by induction. Take any layout of the mines that agrees with the
clues of a board. (1) Before the first round nothing is marked but what was given, so every mark is true in the layout. (2) Let all
marks be true when a round begins. By the lemma each implication that the round draws is true in the layout, for the lemma takes
known cells to be as the layout has them; so is every chain of implications, truth being handed from link to link. A cell whose
being a mine implies that it is none is then none in the layout, and the other way round: the round's marks are true too. (3) So
they are after any number of rounds; and since the layout was any one, what is marked is so in all layouts.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.lemmas.lemma import Claim, Counterexample, Lemma, Model, Sweep, Swept, Symbolic
from models.lemmas.logic import both, chosen, count, either, one_of, rows_of, some
from puzzles.minesweeper.board import Deduction, Minesweeper

WRITE_UP = "write-up 001 (Amb@HDU)"

Cell = tuple[int, int]
Masks = NDArray[np.uint32]


def around(rows: int, columns: int) -> list[list[int]]:
    """The at most eight cells around each cell of a board, as flat indices."""
    return [
        [
            r * columns + c
            for r in range(max(0, row - 1), min(rows, row + 2))
            for c in range(max(0, column - 1), min(columns, column + 2))
            if (r, c) != (row, column)
        ]
        for row, column in product(range(rows), range(columns))
    ]


def _sound(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A clue in the middle, a layout of the mines that agrees with it, and an implication drawn that is false in the layout.

    Of the cells around it some are covered, some known to be mines (`X`), the others known to be none (`O`): one beyond the
    edge of a board, or opened, is as good as those. The number of covered ones is k, the clue less the known mines n:
    if k = n, no mine implies a mine; if k = n + 1, no mine here implies a mine there; if n = 0, a mine implies no mine; if
    n = 1, a mine here implies no mine there.
    """
    formula, cells = Formula(), rows * columns
    middle = rows // 2 * columns + columns // 2
    beside = around(rows, columns)[middle]
    covered, known, mine = (some(formula, len(beside)) for _ in range(3))
    clue = one_of(formula, 9)
    for hidden, given, there in zip(covered, known, mine, strict=True):
        formula.add(-hidden, -given)
        formula.add(-given, there)
        formula.add(hidden, given, -there)

    def is_clue(numbers: list[int], more: int) -> int:
        """Whether so many of these are true as the clue says, and `more`."""
        least = count(formula, numbers, 9)
        matching: list[int] = []
        for digit, says in enumerate(clue):
            k = digit + more
            if 0 <= k <= len(numbers):
                bounds = ([least[k - 1]] if k else []) + [-literal for literal in least[k : k + 1]]
                matching.append(both(formula, says, *bounds))
        return either(formula, *matching)

    if not dropped:
        formula.add(is_clue(mine, 0))
    at_hand = [either(formula, hidden, given) for hidden, given in zip(covered, known, strict=True)]
    drawn = [is_clue(at_hand, 0), is_clue(at_hand, 1), is_clue(known, 0), is_clue(known, -1)]
    here, there = one_of(formula, len(beside)), one_of(formula, len(beside))
    false: list[int] = []
    for one, other in product(range(len(beside)), repeat=2):
        pair = both(formula, here[one], there[other], covered[one], covered[other])
        alone, apart = (0, 2) if one == other else (1, 3)
        false.append(both(formula, pair, drawn[alone], -mine[one], -mine[other]))
        false.append(both(formula, pair, drawn[apart], mine[one], mine[other]))
    formula.add(*false)

    def decode(model: Model) -> Counterexample:
        characters = ["O"] * cells
        characters[middle] = str(chosen(model, clue))
        for cell, hidden, given in zip(beside, covered, known, strict=True):
            characters[cell] = "#" if model[hidden] else "X" if model[given] else "O"
        one, other = (beside[chosen(model, choice)] for choice in (here, there))
        told = {
            "mines": [divmod(cell, columns) for cell, is_mine in zip(beside, mine, strict=True) if model[is_mine]],
            "cells": (divmod(one, columns), divmod(other, columns)),
            "mine": bool(model[mine[beside.index(one)]]),
        }
        return Counterexample(rows_of("".join(characters), columns), told)

    names = [(says, f"the clue is {digit}") for digit, says in enumerate(clue)]
    for kind, variables in (("covered", covered), ("known to be a mine", known), ("a mine in the layout", mine)):
        places = (f"{cell // columns + 1},{cell % columns + 1}" for cell in beside)
        names += [(variable, f"{place} is {kind}") for place, variable in zip(places, variables, strict=True)]
    return Symbolic(formula, decode, names=names)


def _false_implication(found: Counterexample) -> str:
    (one, other), mines, value = found.told["cells"], found.told["mines"], found.told["mine"]
    drawn = ((one, value), (other, not value)) in _implications(found.rows, {})
    if not drawn or (one in mines, other in mines) != (value, value):
        return ""
    here, there = (f"{row + 1},{column + 1}" for row, column in (one, other))
    first, second = ("a mine", "no mine") if value else ("no mine", "a mine")
    return f"{first} at {here} is to imply {second} at {there}, and does not"


Literal = tuple[Cell, bool]
"""A covered cell, and whether it is a mine."""


def _implications(rows: tuple[str, ...], marks: dict[Cell, bool]) -> list[tuple[Literal, Literal]]:
    """What one round draws, clue by clue, by the prose of the write-up."""
    at = {(r, c): kind for r, line in enumerate(rows) for c, kind in enumerate(line)}
    at |= {cell: "X" if mine else "O" for cell, mine in marks.items()}
    made: list[tuple[Literal, Literal]] = []
    for (row, column), kind in at.items():
        if not (kind.isdigit() or kind == "."):
            continue
        near = [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        unknown = [cell for cell in near if at.get(cell) == "#"]
        n = (0 if kind == "." else int(kind)) - sum(at.get(cell) == "X" for cell in near)
        for cell in unknown:
            others = [other for other in unknown if other != cell]
            if len(unknown) == n:
                made.append(((cell, False), (cell, True)))
            if len(unknown) == n + 1:
                made += [((cell, False), (other, True)) for other in others]
            if n == 0:
                made.append(((cell, True), (cell, False)))
            if n == 1:
                made += [((cell, True), (other, False)) for other in others]
    return made


def _rounds(rows: tuple[str, ...], most: int | None = None) -> list[dict[Cell, bool]]:
    """What each round marks, until one marks nothing: whether the cell is a mine."""
    marks: dict[Cell, bool] = {}
    made: list[dict[Cell, bool]] = []
    while most is None or len(made) < most:
        drawn: dict[Literal, set[Literal]] = {}
        for one, other in _implications(rows, marks):
            drawn.setdefault(one, set()).add(other)
        new: dict[Cell, bool] = {}
        for cell, value in drawn:
            reached = [(cell, value)]
            for literal in reached:
                reached += drawn.get(literal, set()) - set(reached)
            if (cell, not value) in reached:
                new[cell] = not value
        if not new:
            return made
        marks |= new
        made.append(new)
    return made


def _layouts(rows: tuple[str, ...]) -> list[dict[Cell, bool]]:
    """The layouts of the mines on the covered cells that agree with the clues, one by one."""
    at = {(r, c): kind for r, line in enumerate(rows) for c, kind in enumerate(line)}
    covered = [cell for cell, kind in at.items() if kind == "#"]
    clues = {cell: int(kind) for cell, kind in at.items() if kind.isdigit()}
    made: list[dict[Cell, bool]] = []
    for values in product((False, True), repeat=len(covered)):
        mines = dict(zip(covered, values, strict=True))
        if all(
            sum(mines.get((r + down, c + right), False) for down in (-1, 0, 1) for right in (-1, 0, 1)) == asked
            for (r, c), asked in clues.items()
        ):
            made.append(mines)
    return made


def _many_rounds(found: Counterexample) -> str:
    rounds = _rounds(found.rows)
    if len(rounds) <= 3 or not _layouts(found.rows):
        return ""
    return f"round {len(rounds)} is the first to mark {_places(rounds[-1])}"


def _missed(found: Counterexample) -> str:
    layouts = _layouts(found.rows)
    marked = {cell for marks in _rounds(found.rows) for cell in marks}
    certain = {cell: mine for cell, mine in (layouts or [{}])[0].items() if all(each[cell] == mine for each in layouts)}
    missed = {cell: mine for cell, mine in certain.items() if cell not in marked}
    return f"in all {len(layouts)} layouts certain, and not found: {_places(missed)}" if missed else ""


def _places(marks: dict[Cell, bool]) -> str:
    return ", ".join(f"{'a' if mine else 'no'} mine at {row + 1},{column + 1}" for (row, column), mine in sorted(marks.items()))


def _believed(board: Minesweeper, rounds: int | None) -> Deduction:
    """What so many rounds mark (None: all there are), and the claim that nothing else is certain."""
    grid = board.grid.copy()
    for marks in _rounds(tuple(board.lines()), rounds):
        for cell, mine in marks.items():
            grid[cell] = ord("X" if mine else "O")
    return Deduction(True, Minesweeper(grid))


def _boards(rows: int, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_], Masks, Masks]:
    """Every board of covered cells and clues that has a layout, found by way of all layouts.

    Returns:
        clues: uint8 (boards, cells), the digits of the opened cells, 0 at covered ones.
        covered: bool of the same shape.
        always, ever: uint32 (boards,), bit by cell the covered ones that are mines in all layouts, in some.
    """
    cells = rows * columns
    state = np.arange(3**cells)[:, None] // 3 ** np.arange(cells) % 3  # opened, covered, covered mine
    mine, covered = (state == 2).astype(np.uint8), state > 0
    beside = np.zeros((cells, cells), np.uint8)
    for cell, others in enumerate(around(rows, columns)):
        beside[others, cell] = 1
    clues = np.where(covered, 0, mine @ beside).astype(np.uint8)
    code = (np.where(covered, 15, clues).astype(np.uint64) << (4 * np.arange(cells, dtype=np.uint64))).sum(1, dtype=np.uint64)
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=~code[order[0]]) != 0)
    mines = (mine[order].astype(np.uint32) << np.arange(cells, dtype=np.uint32)).sum(1, dtype=np.uint32)
    own = order[first]
    return clues[own], covered[own], np.bitwise_and.reduceat(mines, first), np.bitwise_or.reduceat(mines, first)


def _closures(
    rows: int, columns: int, clues: NDArray[np.uint8], covered: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Masks, Masks]:
    """The closure of many boards at once: how many rounds mark something, and bit by cell the mines and safe cells found.

    Literal i says that cell i is a mine, literal cells + i that it is none; `reach` has the literals that each implies.
    """
    cells, boards = rows * columns, len(clues)
    bit = np.uint32(1) << np.arange(2 * cells, dtype=np.uint32)
    popcount = np.array([value.bit_count() for value in range(2**cells)], np.int64)
    near = np.array([sum(1 << other for other in others) for others in around(rows, columns)], np.uint32)
    hidden = (covered * bit[:cells]).sum(1, dtype=np.uint32)
    mines, safe, rounds = np.zeros(boards, np.uint32), np.zeros(boards, np.uint32), np.zeros(boards, np.int64)
    active = np.arange(boards)
    while active.size:
        unknown = hidden[active] & ~mines[active] & ~safe[active]
        reach = np.tile(bit, (active.size, 1))
        for cell, others in enumerate(around(rows, columns)):
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


def _swept(rows: int, columns: int, *, rounds: int | None) -> Sweep:
    """Boards on which more than so many rounds mark something; with None, on which something certain is never marked."""
    clues, covered, always, ever = _boards(rows, columns)
    tried = len(clues)
    for start in range(0, tried, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        taken, mines, safe = _closures(rows, columns, clues[part], covered[part])
        if rounds is None:
            hidden = (covered[part] * (np.uint32(1) << np.arange(rows * columns, dtype=np.uint32))).sum(1, dtype=np.uint32)
            bad = (always[part] & ~mines) | (hidden & ~ever[part] & ~safe)
        else:
            bad = taken > rounds
        if bad.any():
            board = start + int(np.flatnonzero(bad)[0])
            characters = np.where(covered[board], "#", clues[board].astype(str))
            return Sweep(board + 1, Counterexample(rows_of("".join(characters.tolist()), columns)))
    return Sweep(tried, None)


_AT_ONCE = 4096
"""Boards whose closures are computed together, so that they stay in the cache."""

LEMMAS: tuple[Claim, ...] = (
    Lemma(
        name="minesweeper-sound",
        puzzle="minesweeper",
        statement="what the closure draws at a clue is true in every layout that agrees with the clue and the marks",
        source=WRITE_UP,
        quote="枚举每个数字建边",
        size=3,
        bar=3,
        state=_sound,
        drops="the layout agrees with the clue",
        fails=_false_implication,
    ),
    Swept(
        name="minesweeper-rounds",
        puzzle="minesweeper",
        statement="two or three rounds of the closure suffice, where nothing but clues is given",
        source=WRITE_UP,
        quote="那个循环最多也就做两三次的样子",
        size=12,
        bar=12,
        holds=False,
        believed=partial(_believed, rounds=3),
        sweep=partial(_swept, rounds=3),
        fails=_many_rounds,
    ),
    Swept(
        name="minesweeper-complete",
        puzzle="minesweeper",
        statement="the closure finds every certain cell, where nothing but clues is given",
        source=WRITE_UP,
        quote="直到没有新的状态被确定为止,扫雷完成!!",
        size=8,
        bar=8,
        holds=False,
        believed=partial(_believed, rounds=None),
        sweep=partial(_swept, rounds=None),
        fails=_missed,
    ),
)
