"""What came of comparing two models, in words."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from compare.commands.equivalent.equivalence import ComparedBoards, EquivalenceSearch, ModelPair
from compare.commands.equivalent.two_models import OnBoard, Solutions
from compare.engine.campaign.summaries import Headline
from compare.show.messages import LastLine, interruption
from compare.show.table import Column, Table, number_cell
from compare.show.wording import INDENT
from puzzles.instance import Instance

_FALSE_SHOWN, _MAX_CLAUSES, _MAX_SIZES = 8, 12, 6
"""Names, up to which false ones are listed too; clauses, and sizes of cases, that are listed."""


def agreement_line(search: EquivalenceSearch) -> LastLine:
    """If no difference was found, with all that was not compared, and what to do about it."""
    pair, total = search.pair, search.total
    noun, (on_small, on_families, on_large) = pair.puzzle.noun, search.stages
    notes = not_compared(search)
    if not total.decided:
        none = (
            f"neither model has a solution on {_number(total.boards, noun)}, and that two have "
            "none says little"
        )
        if not total.shared:
            none = (
                f"on none of {_number(total.boards, noun)} have the models a common name, so there "
                "is nothing to decide"
            )
        none += ": try more (--boards, --cases) or larger ones (--largest)"
        about, *more = [none, *notes] if total.boards else notes
        return LastLine(Headline.NOTHING_COMPARED, about=about, facts=more)
    text = f"{_same(search)} {_extent(search)} ({_compared(pair, on_small)})"
    more = [
        f"on {_number(stage.boards, what)}{whence} up to {stage.largest.shown_size}"
        for stage, what, whence in (
            (on_families, noun, " of families"),
            (on_large, f"large {noun}", ""),
        )
        if stage.largest is not None
    ]
    for each in more:
        text += f", {'and ' * (each is more[-1])}{each}"
    return LastLine(Headline.ALL_AGREE, about=text, facts=notes)


def interrupted_line(search: EquivalenceSearch, planned: int) -> LastLine:
    """If Ctrl-C has ended it before a difference was found: what was compared until then.

    Args:
        planned: how many boards there were to compare.
    """
    pair, total, facts = search.pair, search.total, not_compared(search)
    if total.decided:
        facts = [f"so far {_same(search)} ({_compared(pair, total)})", *facts]
    blame = interruption(f"{total.boards:,} of {_number(planned, pair.puzzle.noun)}")
    return LastLine(Headline.ALL_AGREE, [blame], facts=facts)


def _same(search: EquivalenceSearch) -> str:
    """What of the two models is the same."""
    pair, best = search.pair, search.total.best
    if best[0] != best[1]:
        valued, other = pair.names if best[0] else reversed(pair.names)
        if pair.count:
            return f"{valued} has as many optimal solutions as {other} has solutions"
        return f"the optimal solutions of {valued} are the solutions of {other}"
    text = "the same numbers" if pair.count else "the same"
    which = Solutions.OPTIMAL if all(best) else pair.which
    if which is not Solutions.BEST:
        text += f"{' of' * pair.count} {which} solutions"
    return text


def _compared(pair: ModelPair, compared: ComparedBoards) -> str:
    """On how many boards, and how many solutions of each model."""
    ones, others = compared.solutions
    solutions = _number(ones, "solution")
    if pair.count:
        solutions = f"{ones:,} solutions each"
        if ones != others:
            solutions = f"{ones:,} and {others:,} solutions"
    return f"{_number(compared.boards, pair.puzzle.noun)}, {solutions}"


def _extent(search: EquivalenceSearch) -> str:
    """Which small boards were compared."""
    pair, small = search.pair, search.small
    if small.cells == 0:
        sizes = [(number, size) for size, (number, _, _) in search.stages[0].by_size.items()]
        if len(sizes) > _MAX_SIZES:
            rest = sum(number for number, _ in sizes[_MAX_SIZES - 1 :])
            sizes = [*sizes[: _MAX_SIZES - 1], (rest, f"larger sizes up to {sizes[-1][1]}")]
        counts = ", ".join(f"{number:,} of {size}" for number, size in sizes)
        return f"on small {pair.puzzle.noun}s: {counts}"
    if pair.puzzle.square or (small.size is not None and small.whole):
        rows = isqrt(small.cells)
        return f"up to {rows}x{rows}"
    within = "" if small.size is None else f" within {small.size}x{small.size}"
    return f"on all {pair.puzzle.noun}s of up to {_number(small.cells, 'cell')}{within}"


def not_compared(search: EquivalenceSearch) -> list[str]:
    """What was left out, with the reason, and where not all solutions were looked at."""
    notes: list[str] = []
    pair, small = search.pair, search.small
    noun = pair.puzzle.noun
    if not small.whole:
        notes.append(
            f"not compared: larger {noun}s up to {small.size}x{small.size}, which are too many "
            "(--boards)"
        )
    total = search.total
    if total.cut:
        notes.append(
            f"of {_number(total.cut, noun)} only the first {_number(pair.most, 'solution')} were "
            "compared (--solutions)"
        )
    for reason, number in total.left_out.most_common():
        notes.append(f"not compared: {_number(number, noun)}, {reason}")
    return notes


def counts_table(search: EquivalenceSearch) -> Table:
    """The numbers of named solutions by size of board, those of all small boards first."""
    noun = search.pair.puzzle.noun
    rows = [
        [what, size, boards, one, number_cell(other, mark="" if one == other else "bad")]
        for what, stage in zip(
            (f"all {noun}s", "families", "large ones"), search.stages, strict=True
        )
        for size, (boards, one, other) in stage.by_size.items()
    ]
    columns = [*("of", "size"), Column("instances", f"{noun}s", align="right")]
    columns += [Column(name, align="right") for name in search.pair.names]
    return Table.of(search.pair.puzzle.name, columns, rows)


def _in_words(name: str, value: int) -> str:
    """The value of a shared name: of a Boolean variable what the name says, or not."""
    if isinstance(value, bool):
        return name if value else f"not: {name}"
    return f"{name} = {value}"


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


class ModelFault(NamedTuple):
    """A board on which two models differ, or on which their comparison crashes.

    Attributes:
        lines: what is wrong on it, for people.
    """

    headline: Headline
    board: Instance
    lines: list[str]


def fault_of_models(search: EquivalenceSearch) -> ModelFault | None:
    """What is wrong with the models, on the smallest board that shows it; None if nothing is."""
    pair, total, on_small = search.pair, search.total, search.stages[0]
    if total.different is not None:
        board, result = total.different
        whence = ""
        if on_small.different is not None and search.small.cells:
            if not on_small.cut and not on_small.stopped:
                taken = " that both models take" if on_small.left_out else ""
                whence = f", and on no smaller one{taken}"
        elif search.smallest is not None:
            start, (board, result) = board, search.smallest
            whence = "" if board == start else f", made smaller from one of {start.shown_size}"
        return ModelFault(Headline.CONFLICT, board, _different(pair, board, result, whence))
    if total.crashed is not None:
        board, result = total.crashed
        line = f"FAILED on this {pair.puzzle.noun} ({board.shown_size}): {result.stopped}"
        return ModelFault(Headline.FAILED, board, [line, "", board.text()])
    return None


def _different(pair: ModelPair, board: Instance, result: OnBoard, whence: str) -> list[str]:
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
            f"{'more than ' * is_cut}{number:,} of {name}"
            for number, is_cut, name in zip(result.solutions, result.cut, pair.names, strict=True)
        )
        return [f"DIFFERENT NUMBERS of solutions on {here}: {numbers}", *picture]
    admits, refuses = pair.names[difference.admitting], pair.names[1 - difference.admitting]
    solution, refused, clauses = difference.solution, difference.refused, difference.clauses
    if not solution:
        return [f"DIFFERENT on {here}: {admits} has a solution, and {refuses} has none", *picture]
    lines = [f"DIFFERENT on {here}: {admits} admits what {refuses} refuses", *picture]
    lines.append(f"{admits} admits:")
    false = [f"  {_in_words(name, value)}" for name, value in solution if value is False]
    true = [f"  {_in_words(name, value)}" for name, value in solution if value is not False]
    shown = max(0, _FALSE_SHOWN - len(true))
    lines += [*true, *false[:shown]]
    if false[shown:]:
        lines.append(f"  and not: any of the {len(false[shown:])} other shared names")
    if not refused:
        lines.append(f"{refuses} has no solution at all")
    elif len(refused) < len(solution):
        lines.append(f"{refuses} refuses already:")
        lines += [f"  {_in_words(name, value)}" for name, value in refused]
    elif clauses:
        lines.append(f"{refuses} refuses all of this together")
    if len(clauses) > _MAX_CLAUSES:
        lines.append(f"by {len(clauses)} of the clauses of {refuses}")
    elif clauses:
        lines.append(f"by these clauses of {refuses}:")
        lines += [f"  {clause}" for clause in clauses]
    return lines
