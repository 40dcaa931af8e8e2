"""Why a cell is certain: the fewest clues that force it.

The backend that gave the answer searches for them. Where it comes to no end, and where it has no such search, the certificate's
core is made small by the refuter of the check: then none of the clues can be left out, but fewer others may do. The number of mines
takes part only where no set of clues suffices, even where with it fewer clues would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from puzzles.cardinality import LimitReached
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Certificate, Deduction, Minesweeper
from puzzles.minesweeper.check import Refuter, neighbours, number
from puzzles.text import UserError

SECONDS = 20.0
"""How long the search for the fewest clues may take."""

_MOST_SETS = 1500
"""Sets of clues that are tried in search of one that is smaller than what leaving out clues came to."""


@dataclass(frozen=True)
class Reason:
    """Clues that force a cell.

    Attributes:
        cell: the flat index; None where the clues contradict one another.
        mine: whether it is a mine.
        clues: flat indices; no proper subset of them (with the number of mines if `counted`) forces the cell.
        counted: whether the board's number of mines is needed.
        fewest: whether it is certain that no fewer clues force the cell.
        searched: whether the backend looked for the fewest, were it in vain.
        board: the board with only those clues left: every other opened cell is an `O`.
        answer: the answer of which it says why, and `given` its board.
    """

    cell: int | None
    mine: bool
    clues: tuple[int, ...]
    counted: bool
    fewest: bool
    searched: bool
    board: Minesweeper
    answer: Deduction = field(compare=False, repr=False)
    given: Minesweeper = field(compare=False, repr=False)

    def __str__(self) -> str:
        """A sentence; rows and columns count from 1."""
        places = [self.board.place(clue) for clue in self.clues]
        listed = " and ".join([", ".join(places[:-1]), places[-1]] if len(places) > 1 else places)
        forcing = ["the clue" + "s" * (len(places) > 1) + " at " + listed] if places else []
        forcing += [f"the number of mines ({self.board.mines})"] if self.counted else []
        subject = " and ".join(forcing)
        plural = len(places) + self.counted > 1
        unknown = "whether fewer others do was not settled in time" if self.searched else "no search for the fewest was made"
        open_end = "" if self.fewest else f" None of them can be left out; {unknown}."
        if self.cell is None:
            return f"There is no layout: {subject} " + ("contradict one another." if plural else "cannot hold.") + open_end
        state = "a mine" if self.mine else "safe"
        return f"The cell at {self.board.place(self.cell)} is {state}: {subject} force{'' if plural else 's'} it.{open_end}"

    def _repr_svg_(self) -> str:
        from puzzles.minesweeper.picture import picture

        return picture(self.given, self.answer, self)


def why(answer: Deduction, cell: int | None) -> Reason:
    """Why a cell is certain; of an inconsistent board, why it has no layout (whatever the cell).

    Raises:
        UserError: the cell was given, is opened or not certain, or the answer has no certificate.
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
        _refuse(answer, board, cell)
        core = next(core for core in proof.cores if cell in core.cells)
        mine = bool(shown.grid.flat[cell or 0] == MINE)
    elif proof.cores:
        core, cell, mine = proof.cores[0], None, False
    else:
        raise UserError("the answer's certificate has no core")
    cause = None if answer.explain is None else answer.explain(board, answer, cell, SECONDS)
    if cause is not None and cause.fewest:
        clues, counted = list(cause.clues), cause.counted
    else:
        search = _Search(Refuter(board), board, cell, mine)
        clues, counted = search.without_any(list(core.clues), core.counted)
        clues = search.smaller(clues, counted)
    left = np.where(np.isin(grid, np.frombuffer(b".012345678", np.uint8)), SAFE, grid).astype(np.uint8)
    left.ravel()[list(clues)] = grid.ravel()[list(clues)]
    fewest, alone = cause is not None and cause.fewest, Minesweeper(left, shown.mines if counted else None)
    return Reason(cell, mine, tuple(sorted(clues)), counted, fewest, cause is not None, alone, answer, board)


def _refuse(answer: Deduction, board: Minesweeper, cell: int | None) -> None:
    if cell is None or not 0 <= cell < board.cells:
        raise UserError("the board has no such cell")
    if board.grid.flat[cell] != COVERED:
        given = "given" if board.grid.flat[cell] in (MINE, SAFE) else "opened"
        raise UserError(f"the cell at {board.place(cell)} is {given}")
    if answer.board.grid.flat[cell] == COVERED:
        if not answer.complete:
            raise UserError(f"the cell at {board.place(cell)} is not found certain, which is no proof that it is not")
        raise UserError(f"the cell at {board.place(cell)} is not certain")


class _Search:
    def __init__(self, refuter: Refuter, board: Minesweeper, cell: int | None, mine: bool) -> None:
        self.refuter, self.board, self.cell, self.mine = refuter, board, cell, mine
        self.kinds = board.grid.tobytes().decode("ascii")

    def forces(self, clues: Sequence[int], counted: bool) -> bool:
        return self.refuter.forces(clues, counted, self.cell, self.mine)

    def without_any(self, clues: list[int], counted: bool) -> tuple[list[int], bool]:
        """Leave out the number of mines and clues, connected ones at first together, the farthest first, while that can be."""
        if not self.forces(clues, counted):
            raise UserError("the answer's core does not force it")
        counted = counted and not self._still(clues, False)
        for part in self._parts(clues):
            rest = [clue for clue in clues if clue not in part]
            if len(part) > 1 and self._still(rest, counted):
                clues = rest
        for clue in sorted(clues, key=self._distance, reverse=True):
            rest = [other for other in clues if other != clue]
            if self._still(rest, counted):
                clues = rest
        return clues, counted

    def smaller(self, clues: list[int], counted: bool) -> list[int]:
        """A set of fewer clues that hang together, if there is one among the first that are tried."""
        if counted or self.cell is None:
            return clues
        tried = 0
        for size in range(1, len(clues)):
            for chosen in self._sets(size):
                tried += 1
                if tried > _MOST_SETS:
                    return clues
                if self._still(chosen, False):
                    return chosen
        return clues

    def _still(self, clues: Sequence[int], counted: bool) -> bool:
        try:
            return self.forces(clues, counted)
        except LimitReached:
            return False

    def _distance(self, clue: int) -> int:
        columns = self.board.columns
        row, column = divmod(clue if self.cell is None else self.cell, columns)
        return max(abs(clue // columns - row), abs(clue % columns - column))

    def _beside(self, cell: int, kinds: str) -> Iterator[int]:
        return (near for near in neighbours(self.board, cell) if self.kinds[near] in kinds)

    def _tied(self, clue: int) -> set[int]:
        """The clues that share a covered cell with this one."""
        return {other for cell in self._beside(clue, "#") for other in self._beside(cell, ".012345678")} - {clue}

    def _parts(self, clues: list[int]) -> list[set[int]]:
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
        """Sets of so many clues that hang together and touch the cell, each once."""
        layer = {frozenset([clue]) for clue in self._beside(self.cell or 0, ".012345678")}
        for _ in range(size - 1):
            layer = {known | {other} for known in layer for clue in known for other in self._tied(clue) - known}
            if len(layer) > _MOST_SETS:
                return iter(())
        return (sorted(each) for each in sorted(layer, key=sorted) if all(number(self.kinds[clue]) is not None for clue in each))
