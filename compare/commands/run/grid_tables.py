"""The tables of a run over options of backends: the choices of one option are the rows, those of
another one the columns.

The names of contenders say the options (`models:totals:card=totalizer`), so that a file of records
is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product

from compare.engine.campaign.comparison import PuzzleComparison
from compare.engine.campaign.summaries import Tally, par_2
from compare.engine.work.contenders import Kind
from compare.show.table import PAR2, Cell, Column, Entry, Table, counts_cell, seconds
from puzzles.backend import split_options

DEFAULT = "default"
"""What stands for the value of an option that a contender's name does not say."""


def grid_tables(part: PuzzleComparison, limit: float) -> list[Table]:
    """The PAR-2 scores of each backend that took part with several values of an option.

    One option makes a column, two of them a matrix. If there are more, there is a matrix for each
    combination of the others' values.

    Args:
        limit: the seconds of a run, of which an instance without an answer counts twice.
    """
    grids: dict[str, dict[str, dict[str, str]]] = {}
    for contender, kind in part.contenders.items():
        if kind is Kind.BACKEND:
            backend, options = options_of_name(contender)
            grids.setdefault(backend, {})[contender] = options
    return [
        table
        for backend, contenders in grids.items()
        if any("=" in contender for contender in contenders)
        for table in _tables_of(part, backend, contenders, limit)
    ]


def options_of_name(contender: str) -> tuple[str, dict[str, str]]:
    """The backend of a contender, and its options, as the name of the contender says them."""
    name, at, solver = contender.partition("@")
    backend, options = split_options(name)
    return backend, {**options, "solver": solver} if at else options


def _tables_of(
    part: PuzzleComparison, backend: str, contenders: Mapping[str, Mapping[str, str]], limit: float
) -> Iterator[Table]:
    options = dict.fromkeys(chain.from_iterable(contenders.values()))
    values = {
        option: list(dict.fromkeys(own.get(option, DEFAULT) for own in contenders.values()))
        for option in options
    }
    axes = [option for option in options if len(values[option]) > 1]
    if not axes:
        return
    row, column, others = axes[0], axes[1:2], axes[2:]
    points = {
        tuple(own.get(option, DEFAULT) for option in axes): contender
        for contender, own in contenders.items()
    }
    across = list(product(*(values[option] for option in column)))  # one empty one if none varies
    headings = [
        Column(f"{option}={each}", f"{option}=\n{each}")
        for option in column
        for each in values[option]
    ]
    for rest in product(*(values[option] for option in others)):
        rows: list[list[Entry]] = [
            [each, *(_score(part, points.get((each, *at, *rest)), limit) for at in across)]
            for each in values[row]
        ]
        if any(isinstance(cell, Cell) for cells in rows for cell in cells):
            of_rest = [f"{option}={each}" for option, each in zip(others, rest, strict=True)]
            yield Table.of(
                f"{part.name}: {PAR2} of {', '.join([backend, *of_rest])}",
                [Column(row, f"{backend},\n{row}"), *(headings or [Column("par2", PAR2)])],
                _with_best(rows),
            )


def _score(part: PuzzleComparison, contender: str | None, limit: float) -> Cell | str:
    """The score of a contender, and how its runs ended that did not end well."""
    summaries = [] if contender is None else part.of_contender(contender)
    score, solved, instances = par_2(summaries, limit)
    if score is None:
        return ""
    ended = counts_cell(Tally.of(summaries).not_ok)
    text = "\n".join(filter(None, [seconds(score), ended.text]))
    counts = {"solved": len(solved), "of": instances}
    return Cell(text, {"s": score, **counts, **ended.fields}, key=score)


def _with_best(rows: list[list[Entry]]) -> list[list[Entry]]:
    """The rows with the best score marked."""
    scores = [cell for cells in rows for cell in cells[1:] if isinstance(cell, Cell)]
    best = min(scores, key=lambda cell: cell.order)
    mark = Cell(f"{best.text} (best)", best.fields, "good", key=best.key)
    return [[mark if cell is best else cell for cell in cells] for cells in rows]
