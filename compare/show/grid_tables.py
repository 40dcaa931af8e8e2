"""The tables of a run over options of backends: the choices of one option are the rows, those of
another one the columns.

The names of contenders say the options (`models:totals:card=totalizer`), so that a file of records
is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product

from compare.engine.campaign.comparison import PuzzleComparison
from compare.engine.campaign.summaries import Tally, par2, solved_times
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
    options = list(dict.fromkeys(chain.from_iterable(contenders.values())))
    points = {
        tuple(said.get(option, DEFAULT) for option in options): contender
        for contender, said in contenders.items()
    }
    values = {
        option: list(dict.fromkeys(point[k] for point in points))
        for k, option in enumerate(options)
    }
    axes = sorted(options, key=lambda option: len(values[option]) == 1)  # what varies comes first
    if not axes or len(values[axes[0]]) == 1:
        return
    row, column, *others = [*axes, ""]
    is_matrix = len(values.get(column, ())) > 1
    columns = [Column(f"{column}={each}", f"{column}=\n{each}") for each in values.get(column, ())]
    for rest in product(*(values[option] for option in others if option)):
        of_rest = dict(zip(others, rest, strict=False))
        rows: list[list[Entry]] = []
        for each in values[row]:
            cells: list[Entry] = [each]
            for other in values.get(column, [""]):
                point = {row: each, column: other, **of_rest}
                name = points.get(tuple(point[option] for option in options))
                cells.append(_score(part, name, limit))
            rows.append(cells)
        varied = [f"{option}={each}" for option, each in of_rest.items() if len(values[option]) > 1]
        if any(isinstance(cell, Cell) for cells in rows for cell in cells):
            yield Table.of(
                f"{part.name}: {PAR2} of {', '.join([backend, *varied])}",
                [
                    Column(row, f"{backend}\n{row}"),
                    *(columns if is_matrix else [Column("par2", PAR2)]),
                ],
                _with_best(rows),
            )


def _score(part: PuzzleComparison, contender: str | None, limit: float) -> Cell | str:
    """The score of a contender, and how its runs ended that did not end well."""
    summaries = [] if contender is None else part.of_contender(contender)
    solved, instances = solved_times(summaries)
    if not instances:
        return ""
    score = par2(solved, instances, limit)
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
