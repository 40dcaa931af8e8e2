"""The independent check of minesweeper: it counts neighbours, refutes cores, and holds layouts
against every clue.

Nothing here is shared with `direct` or `models` but the statement of the puzzle.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from puzzles.answer import BeyondCheck, Check, Verdict
from puzzles.minesweeper.board import (
    COVERED,
    MINE,
    NUMBER,
    SAFE,
    Certificate,
    Chances,
    Core,
    Deduction,
    Minesweeper,
    numbers_around,
)
from puzzles.minesweeper.refuter import ClueRefuter, NoClue, sums_of
from puzzles.text import Grid, count_noun

_CLUE = np.full(256, -1, np.int8)
"""The number of each clue, by its character; -1 of what is no clue."""
_CLUE[[ord(kind) for kind in NUMBER]] = list(NUMBER.values())

_MAX_RECOUNTED = 8
"""Covered cells up to which the check goes through every layout to recount the probabilities."""


def check(board: Minesweeper, answer: Deduction) -> Check:
    """Judge an answer: certain cells and a contradiction by cores, undecided cells by layouts."""
    given, shown = board.kinds, answer.board.kinds
    refuter = ClueRefuter(board)
    wrong = _wrong_board(board, answer) or _wrong_chances(board, answer, given, shown)
    if wrong:
        return Check(Verdict.REFUTED, wrong)
    proof = answer.certificate if isinstance(answer.certificate, Certificate) else Certificate()
    if not _well_formed(proof):
        return Check(Verdict.UNPROVED, "the certificate is not made of cores and layouts")
    for number, layout in enumerate(proof.layouts, 1):
        fault = _fault(board, layout)
        if fault:
            return Check(Verdict.UNPROVED, f"layout {number} of the certificate {fault}")
    if not answer.consistent:
        if proof.layouts:
            return Check(Verdict.REFUTED, "a layout of the mines agrees with every clue")
        return _check_contradiction(refuter, proof)
    claimed = {
        cell: shown[cell] == "X"
        for cell in range(board.cells)
        if given[cell] == "#" and shown[cell] != "#"
    }
    for layout in proof.layouts:
        for cell, mine in claimed.items():
            if bool(layout[cell]) != mine:
                return Check(
                    Verdict.REFUTED,
                    f"a layout agrees with every clue but not with the cell at {board.place(cell)}",
                )
    objection = _check_cores(refuter, proof, claimed)
    if objection is None and answer.complete:
        objection = _check_layouts(board, shown, proof.layouts)
    if objection is not None:
        return objection
    return Check(
        Verdict.PROVED,
        f"{count_noun(len(claimed), 'cell')} by {count_noun(len(proof.cores), 'core')}, "
        f"{count_noun(len(proof.layouts), 'layout')}",
    )


def _well_formed(proof: Certificate) -> bool:
    """Whether the parts of a certificate have the right types, as far as the rest of the check
    relies on them.
    """
    if not isinstance(proof.cores, tuple) or not isinstance(proof.layouts, tuple):
        return False
    return all(map(_is_core, proof.cores))


def _is_core(core: object) -> bool:
    return (
        isinstance(core, Core) and isinstance(core.clues, tuple) and isinstance(core.cells, tuple)
    )


def _wrong_board(board: Minesweeper, answer: Deduction) -> str:
    """What is wrong with the board of the answer without looking at certainty, or an empty text."""
    given, shown = board.grid, answer.board.grid
    if shown.shape != given.shape:
        return board.other_shape(answer.board)
    decided = (given == COVERED) & ((shown == MINE) | (shown == SAFE))
    for cell in np.flatnonzero((shown != given) & ~decided).tolist():
        return f"the cell at {board.place(cell)} is not the one that was given"
    if answer.consistent and answer.complete:
        mines = numbers_around(shown == MINE)
        broken = _broken_clue(board, mines, mines + numbers_around(shown == COVERED))
        if broken is not None:
            return f"the clue at {board.place(broken)} does not hold"
    return ""


def _broken_clue(board: Minesweeper, least: Grid, most: Grid) -> int | None:
    """The first clue that is not within the bounds for its cell."""
    clues = _CLUE[board.grid]
    broken = np.flatnonzero((clues >= 0) & ((clues < least) | (clues > most)))
    return int(broken[0]) if broken.size else None


def _wrong_chances(board: Minesweeper, answer: Deduction, given: str, shown: str) -> str:
    """What is wrong with the probabilities, or an empty text.

    They must be 0 and 1 where the board shows safe cells and mines and nowhere else, and add up to
    the expected number of mines. If few cells are covered, they are recounted.
    """
    chances = answer.chances
    if chances is None:
        return ""
    if not answer.consistent:
        return "an inconsistent board has no layouts to count"
    misfit = chances.misfit(board.cells)
    if misfit:
        return misfit
    for cell in range(board.cells):
        chance = chances.of(cell)
        if (chance is None) != (given[cell] not in "#XO"):
            return (
                f"a probability at {board.place(cell)} where no cell is covered, or none "
                "where one is"
            )
        if chance is None or (shown[cell] == "#" and not answer.complete):
            continue
        if shown[cell] != ("O" if chance == 0 else "X" if chance == 1 else "#"):
            return (
                f"the probability at {board.place(cell)} is {float(chance):.6g}, but the cell is "
                f"shown as {shown[cell]}"
            )
    if chances.expected != chances.mean:
        return "the probabilities do not add up to the expected number of mines"
    if chances.total != chances.layouts:
        return "the layouts with each number of mines do not add up to the number of layouts"
    if board.mines is not None and chances.mines != (board.mines, board.mines):
        return (
            f"the layouts counted have {chances.mines[0]} to {chances.mines[1]} mines, not "
            f"{board.mines}"
        )
    return _wrong_count(board, chances, given)


def _wrong_count(board: Minesweeper, chances: Chances, given: str) -> str:
    """What is wrong with the counts by going through every layout, or an empty text; also empty if
    many cells are covered.
    """
    covered = [cell for cell in range(board.cells) if given[cell] == "#"]
    if len(covered) > _MAX_RECOUNTED:
        return ""
    bit = {cell: 1 << k for k, cell in enumerate(covered)}
    demands = [
        (sum(bit[cell] for cell in each.cells), each.mines)
        for each in sums_of(board, board.clues, True)
    ]
    fitting = [
        layout
        for layout in range(1 << len(covered))
        if all((layout & some).bit_count() == mines for some, mines in demands)
    ]
    if len(fitting) != chances.layouts:
        return f"there are {len(fitting)} layouts, not {chances.layouts}"
    for k, cell in enumerate(covered):
        with_mine = sum(layout >> k & 1 for layout in fitting)
        if chances.of(cell) != Fraction(with_mine, len(fitting)):
            return (
                f"{with_mine} of {len(fitting)} layouts have a mine at {board.place(cell)}, not "
                f"{chances.of(cell)}"
            )
    return ""


def _fault(board: Minesweeper, layout: object) -> str:
    """What is wrong with a layout, or an empty text."""
    if not isinstance(layout, bytes) or len(layout) != board.cells or layout.strip(b"\0\1"):
        return f"is not {board.cells} bytes of 0 or 1"
    if board.mines is not None and sum(layout) != board.mines:
        return f"has {sum(layout)} mines, not {board.mines}"
    marked = np.frombuffer(layout, np.bool_).reshape(board.grid.shape)
    for cell in np.flatnonzero((marked != (board.grid == MINE)) & (board.grid != COVERED)).tolist():
        return f"has {'a' if layout[cell] else 'no'} mine at {board.place(cell)}"
    mines = numbers_around(marked)
    broken = _broken_clue(board, mines, mines)
    return "" if broken is None else f"breaks the clue at {board.place(broken)}"


def _check_contradiction(refuter: ClueRefuter, proof: Certificate) -> Check:
    """PROVED if the first core without cells has no solution."""
    core = next((core for core in proof.cores if not core.cells), None)
    if core is None:
        return Check(Verdict.UNPROVED, "INCONSISTENT without a core")
    try:
        contradicts = refuter.forces(core, False)
    except BeyondCheck as limit:
        return Check(Verdict.UNPROVED, str(limit), limited=True)
    except NoClue as fault:
        return Check(Verdict.UNPROVED, str(fault))
    if not contradicts:
        return Check(
            Verdict.UNPROVED, "the core can be satisfied, so it does not force INCONSISTENT"
        )
    count = " and the number of mines" if core.counted else ""
    what = "contradict one another" if core.counted or len(core.clues) > 1 else "contradicts itself"
    return Check(Verdict.PROVED, f"{count_noun(len(core.clues), 'clue')}{count} {what}")


def with_irreducible_core(board: Minesweeper, answer: Deduction) -> Deduction:
    """An inconsistent board's answer with a core of which the check finds nothing to leave out; any
    other answer as it is, and one whose core the check does not accept.
    """
    proof, refuter = answer.certificate, ClueRefuter(board)
    if answer.consistent or not isinstance(proof, Certificate) or not _well_formed(proof):
        return answer
    if _check_contradiction(refuter, proof).verdict is not Verdict.PROVED:
        return answer
    core = next(core for core in proof.cores if not core.cells)
    return replace(answer, certificate=replace(proof, cores=(refuter.irreducible(core, False),)))


def _check_cores(
    refuter: ClueRefuter, proof: Certificate, claimed: dict[int, bool]
) -> Check | None:
    """None if every claimed cell is forced by a core."""
    waiting, board = dict(claimed), refuter.board
    for core in proof.cores:
        try:
            refuter.sums(core.clues)
        except NoClue as fault:
            return Check(Verdict.UNPROVED, str(fault))
        for cell in core.cells:
            if cell not in waiting:
                continue
            try:
                if not refuter.forces(core._replace(cells=(cell,)), waiting[cell]):
                    return Check(
                        Verdict.UNPROVED, f"its core does not force the cell at {board.place(cell)}"
                    )
            except BeyondCheck as limit:
                return Check(
                    Verdict.UNPROVED, f"the cell at {board.place(cell)}: {limit}", limited=True
                )
            del waiting[cell]
    if waiting:
        return Check(
            Verdict.UNPROVED,
            f"no core for the cell at {board.place(min(waiting))} ({len(waiting)} such cells)",
        )
    return None


def _check_layouts(board: Minesweeper, shown: str, layouts: tuple[bytes, ...]) -> Check | None:
    """None if some layout exists and the layouts show both values of each undecided cell."""
    undecided = [cell for cell, kind in enumerate(shown) if kind == "#"]
    if not layouts and (undecided or _fault(board, bytes(kind == "X" for kind in shown))):
        return Check(Verdict.UNPROVED, "no layout of the mines is given")
    for cell in undecided:
        if len({layout[cell] for layout in layouts}) < 2:
            return Check(
                Verdict.UNPROVED,
                f"no two layouts differ at {board.place(cell)}, which is claimed undecided",
            )
    return None
