"""The tables of a run over options of backends: the choices of one option are the rows, those of
another one the columns.

The names of contenders say the options (`models:totals:card=totalizer`), so that a file of records
is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product

from compare.commands.run.comparison_tables import par_2, scores_apart
from compare.engine.campaign.comparison import PuzzleComparison
from compare.engine.campaign.summaries import Tally
from compare.engine.work.result import Kind
from compare.show.table import PAR2, Cell, Column, Entry, Table, counts_cell, seconds
from compare.show.wording import noun_of
from puzzles.backend import split_options

DEFAULT = "default"
"""What stands for the value of an option that a contender's name does not say."""


def grid_tables(part: PuzzleComparison, limit: float) -> list[Table]:
    """The PAR-2 scores of each backend that took part with several values of an option. A score
    that is over fewer boards than others of its table says so, and is never the best one.

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
        named = [[points.get((each, *at, *rest)) for at in across] for each in values[row]]
        names = [name for name in chain.from_iterable(named) if name is not None]
        boards = _boards_of(part, names)
        scores = {
            name: cell for name in names if (cell := _score(part, name, limit, boards)) is not None
        }
        if scores:
            marked = _with_best(part, scores, limit, boards)
            rows: list[list[Entry]] = [
                [each, *(marked.get(name or "", "") for name in names)]
                for each, names in zip(values[row], named, strict=True)
            ]
            of_rest = [f"{option}={each}" for option, each in zip(others, rest, strict=True)]
            yield Table.of(
                f"{part.name}: {PAR2} of {', '.join([backend, *of_rest])}",
                [Column(row, f"{backend},\n{row}"), *(headings or [Column("par2", PAR2)])],
                rows,
            )


def _boards_of(part: PuzzleComparison, contenders: Sequence[str]) -> int:
    """On how many boards some of these contenders were run."""
    return sum(
        any((summary := each.of(name)) and summary.was_timed for name in contenders)
        for each in part.instances
    )


def _score(part: PuzzleComparison, contender: str, limit: float, boards: int) -> Cell | None:
    """The score of a contender, and how its runs ended that did not end well; None if it was never
    run. If it was run on fewer than all of these boards, it says on how many.
    """
    summaries = part.of_contender(contender)
    score, solved, instances = par_2(summaries, limit)
    if score is None:
        return None
    ended = counts_cell(Tally.of(summaries).not_ok)
    fewer = f"on {instances} of {boards} {noun_of([part.name])}s" if instances < boards else ""
    text = "\n".join(filter(None, [seconds(score), fewer, ended.text]))
    counts = {"solved": len(solved), "of": instances}
    return Cell(text, {"s": score, **counts, **ended.fields}, key=score)


def _with_best(
    part: PuzzleComparison, scores: Mapping[str, Cell], limit: float, boards: int
) -> dict[str, Cell]:
    """The cells by contender, with the least score marked, and those that are not told apart from
    it; none is marked if no score is told apart from the least one. Who was not run on all of these
    boards takes no part.
    """
    ranked = [name for name in scores if scores[name].fields["of"] == boards]
    if not ranked:
        return dict(scores)
    least = min(ranked, key=lambda name: scores[name].order)
    apart = scores_apart(part, ranked, limit)[ranked.index(least)]
    among = [name for name, is_apart in zip(ranked, apart, strict=True) if not is_apart]
    if len(among) == len(ranked):
        return dict(scores)
    word = "best" if among == [least] else "among the best"
    marks = {
        name: replace(scores[name], text=f"{scores[name].text} ({word})", mark="good")
        for name in among
    }
    return {**scores, **marks}
