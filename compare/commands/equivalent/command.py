"""`compare equivalent`: whether two models of a puzzle have the same solutions: on all small
boards, on some of families, and on a large one of each family.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import puzzles
from compare.commands.arguments import (
    CASES,
    DOCUMENT,
    FORMAT,
    INPUTS,
    LARGEST_SIZE,
    PLUGIN,
    QUIET,
    SEED,
    SIZE,
    STRICT,
    TIMEOUT,
)
from compare.commands.equivalent.boards_compared import (
    FAMILY_SIZES,
    LARGE_SIZE,
    SmallBoards,
    boards_in_turn,
    largest_boards,
    small_boards,
)
from compare.commands.equivalent.equivalence import (
    EquivalenceSearch,
    ModelPair,
    refuse_without_shared,
    refuse_without_value,
)
from compare.commands.equivalent.two_models import Solutions
from compare.commands.equivalent.words import (
    ModelFault,
    agreement_line,
    counts_table,
    fault_of_models,
    interrupted_line,
    not_compared,
)
from compare.engine.campaign.summaries import Headline
from compare.engine.work.contenders import SIDES, BackendContender, choose
from compare.engine.work.plugins import known_to_children, register_plugins
from compare.engine.work.pool import Inline, Pool
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, Rows, printing
from compare.show.messages import Blame, LastLine, interruption
from compare.show.table import STYLES, for_terminal
from compare.show.wording import command, progress_bar, run_until_interrupted, say, warn, write
from puzzles.grid import Board
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import (
    PUZZLE_ARGUMENT,
    Argument,
    ArgumentParser,
    at_least_one,
    at_least_zero,
)
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import UserError, count_noun, label_lines

_BOARDS, _LARGEST, _SOLUTIONS = 20_000, 6, 500
_BOARDS_SLOW, _LARGEST_SLOW, _SOLUTIONS_SLOW = 1_000, 4, 50
"""Small boards, the size of the largest boards of families, and solutions of a board; then the same
of models by CP-SAT.
"""

_BOARDS_ASKED = 100_000
"""Small boards with --size."""

_CASES, _CASES_SLOW = 1_000, 500
"""Small cases of a puzzle without boards; the same of models by CP-SAT."""


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE_ARGUMENT,
        Argument(
            "model",
            "two backends of models that can be written down, such as cnf",
            metavar="MODEL",
            nargs="*",
        ),
        replace(SIZE, help="all boards of at most N rows and N columns, and no others"),
        Argument(
            "--boards",
            f"at most N small boards, the smallest first (default: {_BOARDS:,}; with --size "
            f"{_BOARDS_ASKED:,}; of models by CP-SAT {_BOARDS_SLOW:,}; of a puzzle without "
            f"boards {_CASES:,} or {_CASES_SLOW} cases of all small sizes)",
            metavar="N",
            type=at_least_one,
            group=INPUTS,
        ),
        replace(
            LARGEST_SIZE,
            help=f"the largest size of those of families (default: {_LARGEST}, of models by CP-SAT "
            f"{_LARGEST_SLOW}, and then one board of size {LARGE_SIZE} of each family)",
        ),
        SEED,
        Argument(
            "--solutions",
            f"solutions of a board to compare (default: {_SOLUTIONS}; of models by CP-SAT "
            f"{_SOLUTIONS_SLOW})",
            metavar="N",
            type=at_least_one,
        ),
        Argument(
            "--optimal",
            "compare the best solutions of two models with objectives or soft clauses (without "
            "this, all solutions of a model that has neither)",
        ),
        Argument("--feasible", "compare all solutions, whatever an objective says they are worth"),
        Argument("--count", "compare the numbers of solutions alone, and print them by size"),
        PLUGIN,
        replace(TIMEOUT, help="seconds a board (default: %(default)g)"),
        QUIET,
        replace(STRICT, help="exit with status 3 where something was not compared"),
        replace(
            CASES,
            help="boards of families, 0 for none (default: %(default)s)",
            type=at_least_zero,
            default=60,
        ),
        replace(FORMAT, choices=(*STYLES, "json")),
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """Whether the models are the same; says it. Exit status 1 if they differ or their comparison
    crashes, 3 if there was nothing to decide.
    """
    if len(options.model) != 2 or _formula_files(options):
        raise UserError(_usage(_formula_files(options)))
    puzzle = puzzles.find(options.puzzle)
    register_plugins(options.plugin)
    models = _models(puzzle, options.model)
    known_to_children(models, options.plugin, named=True)
    pool = Pool(options.plugin)
    pair = ModelPair(
        puzzle,
        models,
        options.solutions or _SOLUTIONS,
        options.timeout,
        options.count,
        _which_solutions(options),
        lambda label, text: warn(label_lines(label, text)),
    )
    first = puzzle.family(puzzle.first_family()).nearest(FAMILY_SIZES[0], options.seed)
    slow = pair.is_slow(pool, first)
    if slow and options.solutions is None:
        pair = replace(pair, most=_SOLUTIONS_SLOW)
    small = _small_boards(puzzle, options, slow=slow)
    largest = options.largest or (_LARGEST_SLOW if slow else _LARGEST)
    large = largest_boards(puzzle, options.seed) if options.cases and not options.largest else []
    of_families = boards_in_turn(puzzle, largest, options.seed)
    planned = small.number + options.cases + len(large)
    with progress_bar(total=planned, unit=f" {puzzle.noun}s", quiet=options.quiet) as bar:
        search = EquivalenceSearch(
            pair,
            small,
            of_families,
            large,
            cases=options.cases,
            progress=lambda compared, doing: bar.update(compared),
        )
        stopped = run_until_interrupted(lambda: search.run(nullcontext(Inline(pool))))
    if not stopped:
        refuse_without_shared(pair, search.total)
        refuse_without_value(pair, search.total)
    table = counts_table(search)
    if pair.count and options.format != "json" and not options.quiet:
        write(for_terminal(table, options.format), end="\n\n")
    fault = fault_of_models(search)
    if fault is not None:
        say(*fault.lines)
        last_line, status = _blame(search, fault, stopped=stopped), 1
    elif stopped:
        last_line, status = interrupted_line(search, planned), INTERRUPTED
    else:
        partly = options.strict and (search.total.cut_short or not small.whole)
        last_line = agreement_line(search)
        status = 3 if partly or not search.total.decided else 0
    total, both = search.total, " and ".join(pair.names)
    faults = [] if fault is None else [_report(pair, fault, command(options.words, {}))]
    counts = {f"{puzzle.noun}s": total.boards, "cut": total.cut}
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=INTERRUPTED if stopped else status,
        faults=faults,
        tallies=[ContenderTally(puzzle=puzzle.name, part=both, counts=counts, failed=len(faults))],
        tables={"solutions": Rows(table)},
    )


main = printing(conclude)


def _small_boards(puzzle: Puzzle, options: argparse.Namespace, *, slow: bool) -> SmallBoards:
    """The small boards to compare: all of them, as far as their number allows.

    Raises:
        UserError: the options leave none, or name a size where there are no boards.
    """
    most = _BOARDS_SLOW if slow else _BOARDS if options.size is None else _BOARDS_ASKED
    number = options.boards or most
    small = small_boards(puzzle, options.size, number)
    if isinstance(small.like, Board):
        if small.cells == 0:
            raise UserError(f"--boards {number:,} are fewer than the boards of one cell")
        return small
    if options.size is not None:
        raise UserError(
            f"{puzzle.name} has no boards, so --size says nothing: --boards N takes N small "
            f"{puzzle.noun}s"
        )
    return replace(small, number=options.boards or (_CASES_SLOW if slow else _CASES))


def _blame(search: EquivalenceSearch, fault: ModelFault, *, stopped: bool) -> LastLine:
    """The last line if the models differ, or if their comparison crashes."""
    pair, noun = search.pair, search.pair.puzzle.noun
    facts = [f"{count_noun(search.total.boards, noun)} compared"]
    if pair.count:  # without it, a difference ends the search
        facts += not_compared(search)
    where = f"on a {noun} of {fault.board.shown_size}"
    blamed = [Blame(fault.headline, pair.names, where)]
    if stopped:
        blamed.append(interruption())
    return LastLine(Headline.ALL_AGREE, blamed, facts=facts)


def _report(pair: ModelPair, fault: ModelFault, replay: str) -> FaultReport:
    puzzle = pair.puzzle
    return FaultReport(
        kind=fault.headline,
        contenders=pair.names,
        reason=next(filter(None, fault.lines)),
        puzzle=puzzle.name,
        part=" and ".join(pair.names),
        place=f"a {puzzle.noun} of {fault.board.shown_size}",
        text="\n".join(fault.lines),
        input=puzzle.print_instances([fault.board]),
        replay=replay,
    )


def _formula_files(options: argparse.Namespace) -> list[str]:
    """The arguments that are files of formulas, not a puzzle or a model."""
    return [
        each
        for each in (options.puzzle, *options.model)
        if Path(each).suffix in (".cnf", ".wcnf", ".opb")
    ]


def _usage(files: Sequence[str]) -> str:
    """What the command takes, and how formulas in files are compared."""
    takes = "equivalent takes a puzzle and the names of two of its models"
    if not files:
        return takes
    return (
        f"{takes}; {files[0]} is a formula in a file. Two such files are compared by a puzzle file "
        "of your own, which has two models: each `encode` reads one of them, and gives equal "
        "variables equal names (docs/two-models.md)"
    )


def _which_solutions(options: argparse.Namespace) -> Solutions:
    if options.optimal and options.feasible:
        raise UserError("--optimal compares the best solutions, --feasible all: leave one out")
    if options.optimal:
        return Solutions.OPTIMAL
    return Solutions.FEASIBLE if options.feasible else Solutions.BEST


def _models(puzzle: Puzzle, names: list[str]) -> tuple[BackendContender, BackendContender]:
    """The two models; raises `UserError` for a name that no model has, and for a backend that
    cannot be written down.
    """
    backends = SIDES["models"].backends(puzzle.name)
    able = [name for name, backend in backends.items() if backend.encodes]
    chosen: list[BackendContender] = []
    for name in names:
        (model,) = choose(puzzle, [name], {})
        if model.side != "models" or not model.backend.encodes:
            known = ", ".join(able) or "none"
            raise UserError(
                f"{model.name} has no encoding that could be written down; those of "
                f"{puzzle.name} that have: {known}"
            )
        if model.absent is not None:
            raise UserError(f"{model.name}: {model.absent}")
        chosen.append(model)
    return chosen[0], chosen[1]
