"""What came of comparing two models, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from compare.equivalent.equivalence import ComparedBoards, ModelPair, SmallBoards
from compare.equivalent.two_models import Difference, OnBoard
from compare.show.table import Column, Table, number_cell
from puzzles.grid import Board
from puzzles.instance import Instance

_FALSE_SHOWN, _MAX_CLAUSES = 8, 12
"""Names, up to which false ones are listed too, and clauses that are listed."""


def same(
    pair: ModelPair,
    small: SmallBoards,
    on_small: ComparedBoards,
    on_families: ComparedBoards,
    largest: int,
) -> str:
    """The last line of two models between which no difference was found, with all that was not
    compared.
    """
    noun, extent = pair.puzzle.noun, _extent(pair, small)
    ones, others = on_small.solutions
    if pair.count:
        solutions = (
            f"{ones:,} solutions each" if ones == others else f"{ones:,} and {others:,} solutions"
        )
    else:
        solutions = _number(ones, "solution")
    text = f"SAME{' NUMBERS' * pair.count} {extent} ({_number(on_small.boards, noun)}, {solutions})"
    if on_families.boards:
        size = f"{largest}x{largest}" if isinstance(small.like, Board) else f"size {largest}"
        text += f", and on {_number(on_families.boards, noun)} of families up to {size}"
    notes = _not_compared(pair, small, on_small, on_families)
    return f"{text}; {'; '.join(notes)}" if notes else text


def nothing_compared(
    pair: ModelPair, small: SmallBoards, on_small: ComparedBoards, on_families: ComparedBoards
) -> str:
    """The last line if no solution was compared: why, and what to do."""
    notes = _not_compared(pair, small, on_small, on_families)
    boards = on_small.boards + on_families.boards
    if boards:
        notes.insert(
            0,
            f"neither model has a solution on {_number(boards, pair.puzzle.noun)}, and that two "
            "have none says little: try more (--boards, --cases) or larger ones (--largest)",
        )
    return f"NOTHING COMPARED: {'; '.join(notes)}"


def _extent(pair: ModelPair, small: SmallBoards) -> str:
    if small.cells == 0:
        return f"on the shortest {pair.puzzle.noun}s"
    if pair.puzzle.square or (small.size is not None and small.whole):
        rows = isqrt(small.cells)
        return f"up to {rows}x{rows}"
    within = "" if small.size is None else f" within {small.size}x{small.size}"
    return f"on all {pair.puzzle.noun}s of up to {_number(small.cells, 'cell')}{within}"


def _not_compared(pair: ModelPair, small: SmallBoards, *stages: ComparedBoards) -> list[str]:
    notes: list[str] = []
    noun = pair.puzzle.noun
    if not small.whole:
        notes.append(
            f"not compared: larger {noun}s up to {small.size}x{small.size}, which are too many "
            "(--boards)"
        )
    cut = sum(stage.cut for stage in stages)
    if cut:
        notes.append(
            f"of {_number(cut, noun)} only the first {_number(pair.most, 'solution')} were "
            "compared (--solutions)"
        )
    left_out = sum((stage.left_out for stage in stages), start=type(stages[0].left_out)())
    notes += [
        f"not compared: {_number(number, noun)}, {reason}"
        for reason, number in left_out.most_common()
    ]
    return notes


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def different(pair: ModelPair, board: Instance, result: OnBoard, whence: str) -> list[str]:
    """The board and the solution on which two models differ.

    `whence`: why this board, as the end of a sentence.
    """
    difference = result.difference
    here = f"this {pair.puzzle.noun} ({board.shown_size}){whence}"
    if difference is None:
        numbers = " and ".join(
            f"{number:,} of {name}"
            for number, name in zip(result.solutions, pair.names, strict=True)
        )
        return [f"DIFFERENT NUMBERS of solutions on {here}: {numbers}", *_drawn(board)]
    admits, refuses = pair.names[difference.admitting], pair.names[1 - difference.admitting]
    if not difference.solution:
        return [
            f"DIFFERENT on {here}: {admits} has a solution, and {refuses} has none",
            *_drawn(board),
        ]
    lines = [
        f"DIFFERENT on {here}: {admits} admits what {refuses} refuses",
        *_drawn(board),
        f"{admits} admits:",
    ]
    true, false = (
        [name for name, value in difference.solution if value is wanted] for wanted in (True, False)
    )
    shown = max(0, _FALSE_SHOWN - len(true))
    lines += [f"  {name}" for name in true] + [f"  not: {name}" for name in false[:shown]]
    lines += (
        [f"  and nothing else of {len(false) - min(shown, len(false))} more shared names"]
        if false[shown:]
        else []
    )
    return lines + _reason(difference, refuses)


def _reason(difference: Difference, refuses: str) -> list[str]:
    """What the other model refuses, and by which clauses."""
    lines: list[str] = []
    if not difference.refused:
        lines.append(f"{refuses} has no solution at all")
    elif len(difference.refused) < len(difference.solution):
        lines.append(f"{refuses} refuses already:")
        lines += [f"  {'' if value else 'not: '}{name}" for name, value in difference.refused]
    if len(difference.clauses) > _MAX_CLAUSES:
        lines.append(f"by {len(difference.clauses)} of its clauses")
    elif difference.clauses:
        lines += [
            "by its clauses:",
            *(f"  {clause or 'the empty clause'}" for clause in difference.clauses),
        ]
    return lines


def _drawn(board: Instance) -> list[str]:
    """The board; with its header where the contest's format cannot say all of it."""
    drawn = str(board) if board.in_contest_format else board.text()
    return ["", *(f"    {line}" for line in drawn.splitlines()), ""]


def counts_table(pair: ModelPair, stages: Sequence[tuple[str, ComparedBoards]]) -> Table:
    """The numbers of named solutions by size of board, those of all small boards first."""
    rows = [
        [what, size, boards, one, number_cell(other, mark="" if one == other else "bad")]
        for what, stage in stages
        for size, (boards, one, other) in stage.by_size.items()
    ]
    columns = [*("of", "size"), Column("instances", f"{pair.puzzle.noun}s", align="right")]
    columns += [Column(name, align="right") for name in pair.names]
    return Table.of(pair.puzzle.name, columns, rows)
