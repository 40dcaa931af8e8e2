"""Why a cell is certain: the fewest clues that force it.

The backend that gave the answer searches for them. If its time runs out, or if it has no such search, the check's refuter makes
the certificate's core small: then no clue can be left out, but fewer other clues may do. The number of mines takes part only if no
set of clues suffices without it, even if fewer clues would do with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from puzzles.cardinality import LimitReached
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Certificate, Deduction, Minesweeper, Reason
from puzzles.minesweeper.refuter import ClueRefuter, neighbours, number
from puzzles.text import UserError

SECONDS = 20.0
"""How long the backend's search for the fewest clues may take."""

_MAX_SETS = 1500
"""Sets of clues to try for one that is smaller than the core after leaving out clues."""


def why(answer: Deduction, cell: int | None) -> Reason:
    """Why a cell is certain. For an inconsistent board, why it has no layout; then `cell` is ignored.

    Raises:
        UserError: the cell is given, opened or not certain, or the answer has no certificate.
        LimitReached: the clues are too entangled for the check's refuter.
    """
    shown = answer.board
    proof = answer.certificate
    if not isinstance(proof, Certificate):
        raise UserError("only an answer with its certificate can say why")
    grid = shown.grid.copy()
    if answer.consistent:
        grid.ravel()[list(chain.from_iterable(core.cells for core in proof.cores))] = COVERED
    board = Minesweeper(grid, shown.mines)
    if answer.consistent:
        _refuse_uncertain(answer, board, cell)
        core = next(core for core in proof.cores if cell in core.cells)
        mine = bool(shown.grid.flat[cell or 0] == MINE)
    elif proof.cores:
        core, cell, mine = proof.cores[0], None, False
    else:
        raise UserError("the answer's certificate has no core")
    search = answer.cause_search
    cause = None if search is None else search(board, answer, cell, SECONDS)
    if cause is not None and cause.fewest:
        clues, counted = list(cause.clues), cause.counted
    else:
        core_shrinker = _CoreShrinker(board, cell, mine)
        clues, counted = core_shrinker.irreducible(list(core.clues), core.counted)
        clues = core_shrinker.smaller(clues, counted)
    only_these = np.where(np.isin(grid, np.frombuffer(b".012345678", np.uint8)), SAFE, grid).astype(np.uint8)
    only_these.ravel()[list(clues)] = grid.ravel()[list(clues)]
    return Reason(
        cell,
        mine,
        tuple(sorted(clues)),
        counted,
        fewest=cause is not None and cause.fewest,
        searched=cause is not None,
        board=Minesweeper(only_these, shown.mines if counted else None),
        answer=answer,
        given=board,
    )


def _refuse_uncertain(answer: Deduction, board: Minesweeper, cell: int | None) -> None:
    """Raise `UserError` unless the answer claims something certain of a covered cell."""
    if cell is None or not 0 <= cell < board.cells:
        raise UserError("the board has no such cell")
    if board.grid.flat[cell] != COVERED:
        kind = "given" if board.grid.flat[cell] in (MINE, SAFE) else "opened"
        raise UserError(f"the cell at {board.place(cell)} is {kind}")
    if answer.board.grid.flat[cell] == COVERED:
        if not answer.complete:
            raise UserError(f"the cell at {board.place(cell)} is not found certain, which is no proof that it is not")
        raise UserError(f"the cell at {board.place(cell)} is not certain")


class _CoreShrinker:
    """Leaves clues out of a core as long as the rest forces the cell (or, without a cell, a contradiction)."""

    def __init__(self, board: Minesweeper, cell: int | None, mine: bool) -> None:
        self.refuter, self.board, self.cell, self.mine = ClueRefuter(board), board, cell, mine
        self.kinds = board.grid.tobytes().decode("ascii")

    def irreducible(self, clues: list[int], counted: bool) -> tuple[list[int], bool]:
        """Clues, and whether the number of mines is needed, such that none of them can be left out.

        It leaves out the number of mines first, then connected clues together, then single clues, the farthest first. Raises
        `UserError` if the core does not force the cell.
        """
        if not self.refuter.forces(clues, counted, self.cell, self.mine):
            raise UserError("the answer's core does not force it")
        counted = counted and not self._forces(clues, False)
        for part in self._parts(clues):
            rest = [clue for clue in clues if clue not in part]
            if len(part) > 1 and self._forces(rest, counted):
                clues = rest
        for clue in sorted(clues, key=self._distance, reverse=True):
            rest = [other for other in clues if other != clue]
            if self._forces(rest, counted):
                clues = rest
        return clues, counted

    def smaller(self, clues: list[int], counted: bool) -> list[int]:
        """Fewer connected clues that force the cell, if the first `_MAX_SETS` sets hold such; else the same clues."""
        if counted or self.cell is None:
            return clues
        tried = 0
        for size in range(1, len(clues)):
            for chosen in self._sets(size):
                tried += 1
                if tried > _MAX_SETS:
                    return clues
                if self._forces(chosen, False):
                    return chosen
        return clues

    def _forces(self, clues: Sequence[int], counted: bool) -> bool:
        """Whether the clues are known to force the cell; False if the refuter reaches its limit."""
        try:
            return self.refuter.forces(clues, counted, self.cell, self.mine)
        except LimitReached:
            return False

    def _distance(self, clue: int) -> int:
        """How many king's moves a clue is away from the cell."""
        columns = self.board.columns
        row, column = divmod(clue if self.cell is None else self.cell, columns)
        return max(abs(clue // columns - row), abs(clue % columns - column))

    def _beside(self, cell: int, kinds: str) -> Iterator[int]:
        return (near for near in neighbours(self.board, cell) if self.kinds[near] in kinds)

    def _tied(self, clue: int) -> set[int]:
        """The clues that share a covered cell with this one."""
        return {other for cell in self._beside(clue, "#") for other in self._beside(cell, ".012345678")} - {clue}

    def _parts(self, clues: list[int]) -> list[set[int]]:
        """The clues in parts that share no covered cell."""
        waiting, parts = set(clues), list[set[int]]()
        while waiting:
            part, queue = set[int](), [waiting.pop()]
            for clue in queue:
                part.add(clue)
                near = self._tied(clue) & waiting
                waiting -= near
                queue += sorted(near)
            parts.append(part)
        return parts

    def _sets(self, size: int) -> Iterator[list[int]]:
        """The connected sets of `size` clues with one beside the cell, each once; none if they are too many."""
        layer = {frozenset([clue]) for clue in self._beside(self.cell or 0, ".012345678")}
        for _ in range(size - 1):
            layer = {part | {other} for part in layer for clue in part for other in self._tied(clue) - part}
            if len(layer) > _MAX_SETS:
                return iter(())
        return (sorted(each) for each in sorted(layer, key=sorted) if all(number(self.kinds[clue]) is not None for clue in each))
