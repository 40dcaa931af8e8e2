"""What came of comparing two models, in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isqrt

from compare.equivalent.equivalence import ComparedBoards, ModelPair, SmallBoards
from compare.equivalent.two_models import OnBoard
from compare.show.table import Column, Table, number_cell
from compare.show.wording import INDENT
from puzzles.grid import Board
from puzzles.instance import Instance

_FALSE_SHOWN, _MAX_CLAUSES = 8, 12
"""Names, up to which false ones are listed too, and clauses that are listed."""


@dataclass(frozen=True)
class ComparedModels:
    """Two models that were compared on all small boards, then on boards of families.

    Attributes:
        largest: the size of the largest boards of families.
    """

    pair: ModelPair
    small: SmallBoards
    on_small: ComparedBoards
    on_families: ComparedBoards
    largest: int

    @property
    def solved(self) -> bool:
        """Whether some board has a solution, and so something was compared."""
        return any((*self.on_small.solutions, *self.on_families.solutions))

    def last_line(self) -> str:
        """The last line if no difference was found, with all that was not compared, and what to do
        about it.
        """
        pair, small = self.pair, self.small
        noun, boards = pair.puzzle.noun, self.on_small.boards
        notes = self._not_compared()
        if not self.solved:
            boards += self.on_families.boards
            none = (
                f"neither model has a solution on {_number(boards, noun)}, and that two have none "
                "says little: try more (--boards, --cases) or larger ones (--largest)"
            )
            return f"NOTHING COMPARED: {'; '.join([none, *notes] if boards else notes)}"
        ones, others = self.on_small.solutions
        solutions = _number(ones, "solution")
        if pair.count:
            solutions = f"{ones:,} solutions each"
            if ones != others:
                solutions = f"{ones:,} and {others:,} solutions"
        text = "SAME NUMBERS" if pair.count else "SAME"
        text += f" {self._extent()} ({_number(boards, noun)}, {solutions})"
        if self.on_families.boards:
            size = f"size {self.largest}"
            if isinstance(small.like, Board):
                size = f"{self.largest}x{self.largest}"
            text += f", and on {_number(self.on_families.boards, noun)} of families up to {size}"
        return "; ".join([text, *notes])

    def _extent(self) -> str:
        """Which small boards were compared."""
        pair, small = self.pair, self.small
        if small.cells == 0:
            return f"on the shortest {pair.puzzle.noun}s"
        if pair.puzzle.square or (small.size is not None and small.whole):
            rows = isqrt(small.cells)
            return f"up to {rows}x{rows}"
        within = "" if small.size is None else f" within {small.size}x{small.size}"
        return f"on all {pair.puzzle.noun}s of up to {_number(small.cells, 'cell')}{within}"

    def _not_compared(self) -> list[str]:
        notes: list[str] = []
        pair, small = self.pair, self.small
        noun = pair.puzzle.noun
        if not small.whole:
            notes.append(
                f"not compared: larger {noun}s up to {small.size}x{small.size}, which are too many "
                "(--boards)"
            )
        if cut := self.on_small.cut + self.on_families.cut:
            notes.append(
                f"of {_number(cut, noun)} only the first {_number(pair.most, 'solution')} were "
                "compared (--solutions)"
            )
        left_out: Counter[str] = self.on_small.left_out + self.on_families.left_out
        for reason, number in left_out.most_common():
            notes.append(f"not compared: {_number(number, noun)}, {reason}")
        return notes

    def counts_table(self) -> Table:
        """The numbers of named solutions by size of board, those of all small boards first."""
        noun = self.pair.puzzle.noun
        rows = [
            [what, size, boards, one, number_cell(other, mark="" if one == other else "bad")]
            for what, stage in ((f"all {noun}s", self.on_small), ("families", self.on_families))
            for size, (boards, one, other) in stage.by_size.items()
        ]
        columns = [*("of", "size"), Column("instances", f"{noun}s", align="right")]
        columns += [Column(name, align="right") for name in self.pair.names]
        return Table.of(self.pair.puzzle.name, columns, rows)


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def different(pair: ModelPair, board: Instance, result: OnBoard, whence: str) -> list[str]:
    """The board and the solution on which two models differ; what the other model refuses of it,
    and by which clauses.

    `whence`: why this board, as the end of a sentence.
    """
    difference = result.difference
    here = f"this {pair.puzzle.noun} ({board.shown_size}){whence}"
    drawn = str(board) if board.in_contest_format else board.text()  # with its header if need be
    picture = ["", *(f"{INDENT}{line}" for line in drawn.splitlines()), ""]
    if difference is None:
        numbers = " and ".join(
            f"{number:,} of {name}"
            for number, name in zip(result.solutions, pair.names, strict=True)
        )
        return [f"DIFFERENT NUMBERS of solutions on {here}: {numbers}", *picture]
    admits, refuses = pair.names[difference.admitting], pair.names[1 - difference.admitting]
    solution, refused, clauses = difference.solution, difference.refused, difference.clauses
    if not solution:
        return [f"DIFFERENT on {here}: {admits} has a solution, and {refuses} has none", *picture]
    lines = [f"DIFFERENT on {here}: {admits} admits what {refuses} refuses", *picture]
    lines.append(f"{admits} admits:")
    true = [f"  {name}" for name, value in solution if value]
    false = [f"  not: {name}" for name, value in solution if not value]
    shown = max(0, _FALSE_SHOWN - len(true))
    lines += [*true, *false[:shown]]
    if false[shown:]:
        lines.append(f"  and nothing else of {len(false[shown:])} more shared names")
    if not refused:
        lines.append(f"{refuses} has no solution at all")
    elif len(refused) < len(solution):
        lines.append(f"{refuses} refuses already:")
        lines += [f"  {'' if value else 'not: '}{name}" for name, value in refused]
    if len(clauses) > _MAX_CLAUSES:
        lines.append(f"by {len(clauses)} of its clauses")
    elif clauses:
        lines.append("by its clauses:")
        lines += [f"  {clause or 'the empty clause'}" for clause in clauses]
    return lines
