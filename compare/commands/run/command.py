"""`compare run`: backends and programs on datasets.

In `compare/engine`, `campaign/plan.py` reads the boards. `campaign.py` here hands them out, and
keeps the file and the bar. `work/asking.py` asks a contender for its
answer to a board: `work/solving.py` solves and times, `work/judging.py` checks.
`campaign/comparison.py` compares the answers. `comparison_tables.py` makes the tables; those of
`--show` are in `views.py`, which says what is wrong, too. In `compare/show`, `messages.py` has the
last line, which is the verdict, and `conclusion.py` what `main` and `compare.run` return.
"""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

from msgspec.structs import replace as with_fields

import puzzles
from compare.commands.arguments import (
    CASES,
    CONTENDERS,
    DOCUMENT,
    FAMILY,
    FORMAT,
    GRID,
    JOBS,
    NO_CHECK,
    OUT,
    OUTPUT,
    OVERWRITE,
    QUIET,
    REPEAT,
    RESUME,
    SEED,
    SIZE,
    STRICT,
    WHO_TAKES_PART,
    again,
    contenders,
    records_file,
    refuse_too_many,
    settings,
    words_that_count,
)
from compare.commands.run.campaign import LateDataset, Names, run_campaign
from compare.commands.run.views import (
    VIEWS,
    comparison_text,
    failed_tests,
    only_together,
    scored_boards,
    tables,
    without_recall,
)
from compare.engine.campaign.plan import (
    ANSWERS,
    Dataset,
    bundled_datasets,
    of_family,
    plan,
    read_dataset,
)
from compare.engine.campaign.ratios import called, no_contender
from compare.engine.work.ask import Ask
from compare.engine.work.contenders import Contender, backends
from compare.engine.work.plugins import register_plugins
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, printing
from compare.show.table import PAR2, STYLES
from compare.show.wording import command, warn, write
from puzzles.puzzle import Puzzle
from puzzles.registry import BrokenPuzzle
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import COMPRESSED, UserError, escape, quote_beginning, visible

DEFAULT_SIZE = 30
"""The size of a family's boards unless `--size` names others."""


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        replace(
            PUZZLE_ARGUMENT, help=f"{PUZZLE_ARGUMENT.help} (default: all built-in ones)", nargs="?"
        ),
        Argument(
            "path",
            "input files, or folders of *.in (formula: *.cnf, *.icnf or *.wcnf), also compressed "
            f"({', '.join(COMPRESSED)}); NAME.ans, NAME.out or NAME.a beside NAME.in has the "
            "expected answers (default: the bundled datasets)",
            metavar="PATH",
            nargs="*",
        ),
        *WHO_TAKES_PART,
        NO_CHECK,
        GRID,
        Argument(
            "-k",
            "only puzzles, datasets, backends with such names (and, or, not)",
            metavar="EXPR",
            dest="expression",
            group=CONTENDERS,
        ),
        replace(
            FAMILY,
            help="boards of this family in place of files; `list` names the families; repeatable",
        ),
        replace(CASES, help="boards of each family and size (default: 1)"),
        replace(SEED, default=None),
        replace(
            SIZE,
            help=f"about N x N cells of a board (default: {DEFAULT_SIZE})",
            nargs="+",
        ),
        replace(
            REPEAT,
            help="solve each board N times (tables show medians); each answer of foreign code is "
            "checked",
            default=1,
        ),
        replace(
            JOBS,
            help="runs timed at once; more than one makes the timings less reliable",
            default=1,
        ),
        FORMAT,
        Argument(
            "--wide",
            "whole tables, however long their lines (as they are where the output is no terminal)",
            group=OUTPUT,
            changes_records=False,
        ),
        QUIET,
        replace(
            STRICT,
            help="exit with status 3 where something stayed unproved, skipped or unfinished",
        ),
        Argument(
            "--show",
            "another table: tests, what each contender did on each board, with its seconds; "
            "sizes, what each formula costs, board by board, above the backends' default limits "
            "too; recall, which share of what is certain the incomplete backends find, beside the "
            "default direct one; gaps, board by board, how far each solution is from the best "
            "known one, and was while it was searched for",
            metavar="|".join(VIEWS),
            choices=VIEWS,
            group=OUTPUT,
            changes_records=False,
        ),
        Argument(
            "--reference",
            "whose time is 1 in the row `times as long`: a backend, a side, a solver in @, or a "
            "program (default: the first complete one, which is direct's)",
            metavar="NAME",
            group=OUTPUT,
            changes_records=False,
        ),
        OUT,
        RESUME,
        OVERWRITE,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """What the runs came to; says it. Raises `UserError` if nothing can be run."""
    if not options.family and (options.size or options.cases or options.seed is not None):
        raise UserError("--size, --cases and --seed need --family F")
    if options.family and (options.puzzle is None or options.path):
        raise UserError("--family needs one PUZZLE and no PATH")
    chosen = settings(options)
    named = puzzles.names()
    if options.puzzle:
        puzzle = puzzles.find(options.puzzle)
        named = [_by_its_files(puzzle, options.path) if options.path else puzzle.name]
    if options.plugin:
        register_plugins(options.plugin)
    planned: list[Ask] = []
    late: list[LateDataset] = []
    every: list[Dataset | LateDataset] = []
    results: list[Result] = []
    unreadable: list[FaultReport] = []
    left_out: list[Names] = []
    for name in named:
        try:
            puzzle = puzzles.get(name)
        except BrokenPuzzle as error:
            if options.puzzle:
                raise
            unreadable.append(_unreadable(name, name, error))
            continue
        of_view = _backends_to_show(puzzle, options) if options.show else options.backend
        taking_part = contenders(puzzle, options, of_view)
        if options.path and not puzzle.many_instances:
            late += [
                LateDataset(
                    puzzle=puzzle,
                    path=path,
                    folder=folder,
                    contenders=taking_part,
                    settings=chosen,
                )
                for path, folder in _files(puzzle, options.path)
            ]
            warn(*_said_of_answers(late))
            every += late
            continue
        of_families = _left_out(puzzle, taking_part, options)
        left_out += of_families
        read, bad = _datasets(puzzle, options, {family for _, family, _ in of_families})
        unreadable += bad
        every += read
        planned += plan(read, taking_part, chosen)
    if not (planned or late or left_out):
        raise UserError(_reasons(unreadable) or "there is nothing to run")
    warn(*(each.reason for each in unreadable))
    if options.expression is not None:
        planned, late = select(planned, options.expression, late, left_out)
        every = [each for each in every if isinstance(each, Dataset)] + late
    if options.reference is not None:
        of_late = (each for some in late for each in some.taking_part())
        _refuse_unknown_reference(
            options.reference, [*(ask.contender for ask in planned), *of_late]
        )

    def cannot_read(dataset: LateDataset, error: UserError) -> None:
        unreadable.append(_unreadable(dataset.puzzle.name, dataset.path, error))
        if len(late) > 1:
            warn(unreadable[-1].reason)

    runs = sum(len(ask.cases) for ask in planned) + sum(each.runs for each in late)
    with records_file(options, chosen, runs) as file:
        comparison, interrupted = run_campaign(
            planned,
            chosen,
            quiet=options.quiet,
            file=file,
            keep=results.append if options.results else None,
            late=late,
            cannot_read=cannot_read,
        )
    if late and len(unreadable) == len(late):
        every_file = f"none of the {len(late)} files can be read"
        raise UserError(_reasons(unreadable) if len(late) == 1 else every_file)
    replay = partial(_replay, every=every, options=options)
    shown = tables(comparison, options.show, options.reference, options.timeout)
    if options.format != "json":
        more: list[str] = []
        for leak in comparison.only_together.values():
            more += [only_together(leak), f"replay: {replay(leak.first)}"]
        if options.show == "recall":
            more += [line for part in comparison.puzzles.values() for line in without_recall(part)]
        if comparison.missing and any(PAR2 in (each.title + str(each.headings)) for each in shown):
            more += [scored_boards(part) for part in comparison.puzzles.values()]
        if late and unreadable:
            more.append(f"UNREADABLE: {len(unreadable)} of {len(late)} files; see above")
        for_people = options.format in STYLES and options.show is None
        text = comparison_text(
            comparison,
            [*shown, *(failed_tests(comparison) if for_people and options.program else [])],
            options.format,
            quiet=options.quiet,
            wide=options.wide,
            kept=options.out,
            more=more,
        )
        write(text, end="")
    status = comparison.exit_status(bad_input=bool(unreadable), strict=options.strict)
    conclusion = Conclusion.of(
        comparison,
        INTERRUPTED if interrupted else status,
        shown,
        replay,
        results,
    )
    tallies = [
        ContenderTally(puzzle=each.puzzle, part=each.part, counts={_UNREADABLE: 1}, failed=1)
        for each in unreadable
    ]
    return with_fields(
        conclusion,
        faults=[*unreadable, *conclusion.faults],
        tallies=[*tallies, *conclusion.tallies],
    )


main = printing(conclude)


def _backends_to_show(puzzle: Puzzle, options: argparse.Namespace) -> list[str]:
    """The backends that the options name, or else those that the view is about.

    A named backend has no default limit.
    """
    everything = backends(puzzle.name)
    incomplete = [backend.label for backend in everything if not backend.complete]
    if options.show == "gaps" and not puzzle.better:
        raise UserError(
            f"{puzzle.name} does not ask for a best value: if it does, say `better` in its class"
        )
    if options.show == "recall" and not incomplete and not options.partial:
        raise UserError(f"every backend of {puzzle.name} is complete")
    of_view = {
        "sizes": [backend.label for backend in everything],
        "recall": ["direct", *incomplete],
    }
    return options.backend or of_view.get(options.show, [])


def _refuse_unknown_reference(name: str, contenders: Iterable[Contender]) -> None:
    """Raise `UserError` if no contender is called so."""
    known = list(dict.fromkeys(each.name for each in contenders))
    if not called(known, name):
        raise no_contender("--reference", name, known)


_WORD = re.compile(r"\s*([()]|[^\s()]+)")


def select(
    asks: Sequence[Ask],
    text: str,
    late: Sequence[LateDataset] = (),
    left_out: Sequence[Names] = (),
) -> tuple[list[Ask], list[LateDataset]]:
    """The asks whose puzzle, dataset and contender satisfy an expression, and of files that are
    read in their turn those with such asks; raises `UserError` with all names if there are none.

    Args:
        left_out: the names of runs that are known not to satisfy it.
    """
    holds = parse_selection(text)
    selected = [ask for ask in asks if holds(_names(ask))]
    chosen = [replace(each, chosen=holds) for each in late]
    chosen = [each for each in chosen if each.names]
    if not selected and not chosen:
        kinds = ("puzzles", "datasets", "contenders")
        of_files = [names for each in late for names in each.names]
        names = zip(*map(_names, asks), *of_files, *left_out, strict=True)
        known = "\n".join(
            f"  {kind}: {', '.join(dict.fromkeys(each))}"
            for kind, each in zip(kinds, names, strict=True)
        )
        raise UserError(
            f"-k {quote_beginning(text)} leaves nothing to run; the names here are\n{known}"
        )
    return selected, chosen


def _names(ask: Ask) -> Names:
    return ask.contender.puzzle, ask.cases[0].dataset, ask.contender.name


def parse_selection(text: str) -> Callable[[Iterable[str]], bool]:
    """A function that says whether an expression holds for something with certain names.

    A word holds if one of the names contains it; upper and lower case are the same. `cnf` is in
    `models:cnf-traced`.

    Raises:
        UserError: the text is no such expression.
    """
    words: list[str] = []
    parts: list[str] = []
    for word in _WORD.findall(text):
        if word in ("and", "or", "not", "(", ")"):
            parts.append(word)
        else:
            parts.append(f"_{len(words)}")
            words.append(word.lower())
    try:
        tree = ast.parse(" ".join(parts), mode="eval")
        code = compile(tree, "-k", "eval")
    except (SyntaxError, RecursionError, MemoryError):
        raise _wrong(text) from None
    if any(isinstance(node, ast.Call | ast.Tuple) for node in ast.walk(tree)):
        raise _wrong(text)  # all else that can be made of these parts is such an expression

    def holds(names: Iterable[str]) -> bool:
        text = "\n".join(names).lower()  # no word has an end of a line in it
        values = {f"_{k}": word in text for k, word in enumerate(words)}
        return eval(code, {"__builtins__": {}}, values)  # noqa: S307 - nothing but and, or, not and these names

    return holds


def _wrong(text: str) -> UserError:
    return UserError(
        f"-k takes names joined by and, or, not and parentheses, not {quote_beginning(text)}"
    )


_UNREADABLE = "UNREADABLE"
"""The kind of a fault that is about an input file, or about the files of a puzzle."""


def _reasons(unreadable: Sequence[FaultReport]) -> str:
    return "\n".join(each.reason for each in unreadable)


def _unreadable(puzzle: str, part: str, error: UserError) -> FaultReport:
    return FaultReport(
        kind=_UNREADABLE, contenders=(), reason=visible(str(error)), puzzle=puzzle, part=part
    )


MAX_OTHERS = 5
"""Files beside the input files of a folder that a message names; the rest is counted."""


def _left_out(
    puzzle: Puzzle, contenders: Iterable[Contender], options: argparse.Namespace
) -> list[Names]:
    """The runs on bundled families of which `-k` takes none. To make their boards takes a while."""
    if options.expression is None or options.family or options.path:
        return []
    holds = parse_selection(options.expression)
    left_out: list[Names] = []
    for family in puzzle.families:
        names = [(puzzle.name, family, each.name) for each in contenders]
        if not any(map(holds, names)):
            left_out += names
    return left_out


def _datasets(
    puzzle: Puzzle, options: argparse.Namespace, left_out: Collection[str]
) -> tuple[list[Dataset], list[FaultReport]]:
    """The datasets to run, without the families `left_out`; and what is wrong with the files that
    cannot be read.
    """
    if options.family:
        return _of_families(puzzle, options), []
    if not options.path:
        if not (every := bundled_datasets(puzzle, left_out)) and not left_out:
            puzzle.first_family()  # says what is missing
        return every, []
    readable: list[Dataset] = []
    bad: list[FaultReport] = []
    for path, _ in _files(puzzle, options.path):
        try:
            readable.append(read_dataset(puzzle, path, format=options.answer_format))
        except UserError as error:
            bad.append(_unreadable(puzzle.name, path, error))
    warn(*_said_of_answers(readable))
    return readable, bad


def _by_its_files(puzzle: Puzzle, paths: Sequence[str]) -> str:
    """The name of the puzzle, or of another one if all files are of that by the ends of their
    names.

    Raises:
        UserError: there are files of several puzzles.
    """
    names = [each.name for path in paths for each in (Path(path), *Path(path).rglob("*"))]
    kinds = dict.fromkeys(puzzle.suffixes, puzzle.name) | dict(puzzle.other_suffixes)
    there = {
        kind: suffix
        for suffix, kind in kinds.items()
        if any(name.endswith(_ends([suffix])) for name in names)
    }
    if len(there) > 1:
        ends = " and ".join(f"*{suffix}" for suffix in there.values())
        raise UserError(
            f"{', '.join(paths)}: files of different kinds, {ends}: one run takes one kind, so put "
            "each kind into a folder of its own"
        )
    return next(iter(there), puzzle.name)


def _ends(suffixes: Sequence[str]) -> tuple[str, ...]:
    """How the names of input files end, compressed ones included."""
    return tuple(end + packed for end in suffixes for packed in ("", *COMPRESSED))


def _files(puzzle: Puzzle, paths: Sequence[str]) -> list[tuple[str, str | None]]:
    """The input files of a puzzle that the paths name: files themselves, and those below folders
    whose names end as the puzzle's do (`.in`, or `.in.gz`), in order, each with the folder that it
    was found in. Says what folders hold beside input files and expected outputs, hidden files
    aside.

    Raises:
        UserError: a folder holds no such file.
    """
    inputs: list[tuple[str, str | None]] = []
    others: list[str] = []
    ends = _ends(puzzle.suffixes)
    for path in paths:
        if not Path(path).is_dir():
            inputs.append((path, None))
            continue
        inside = [each for each in sorted(Path(path).rglob("*")) if each.is_file()]
        name = Path(path).resolve().name
        taken = [
            (str(each), str(Path(name, each.parent.relative_to(path))))
            for each in inside
            if each.name.endswith(ends)
        ]
        if not taken:
            known = [*puzzle.suffixes, *puzzle.other_suffixes]
            raise UserError(f"{path}: no *{' or *'.join(known)} file in this folder")
        inputs += taken
        others += [
            str(each)
            for each in inside
            if not each.name.endswith((*ends, ".ans"))
            and not any(part.startswith(".") for part in each.relative_to(path).parts)
        ]
    if others:
        more = f" and {len(others) - MAX_OTHERS} more" if len(others) > MAX_OTHERS else ""
        warn(f"no input files, passed over: {', '.join(others[:MAX_OTHERS])}{more}")
    return inputs


def _said_of_answers(read: Sequence[Dataset | LateDataset]) -> Iterator[str]:
    """Which files count as expected answers that may be something else, and which files do not."""
    files = [each.answers_from for each in read if each.answers_from]
    names = {
        "expected answers": [first for first, *_ in files if not first.endswith(ANSWERS[0])],
        "passed over": [f"{name} (beside {first})" for first, *others in files for name in others],
    }
    for what, of_this in names.items():
        if of_this:
            more = f" and {len(of_this) - 3} more" if len(of_this) > 3 else ""
            yield f"{what}: {', '.join(of_this[:3])}{more}"


def _of_families(puzzle: Puzzle, options: argparse.Namespace) -> list[Dataset]:
    """A dataset for each family and size; several sizes stand in the datasets' names."""
    sizes, cases = options.size or [DEFAULT_SIZE], options.cases or 1
    first = 1 if options.seed is None else options.seed
    families: list[str] = options.family
    chosen = list(product(families, sizes))
    for family in families:
        if max(sizes) <= puzzle.family(family).most:  # else the family says what is wrong
            refuse_too_many(cases * len(chosen), max(sizes), puzzle.noun)
    every: list[Dataset] = []
    for family, size in chosen:
        boards = [(size, first + case) for case in range(cases)]
        name = family if len(sizes) == 1 else f"{family} {size}"
        every.append(of_family(puzzle, family, boards, name))
    return every


def _replay(
    result: Result, every: Iterable[Dataset | LateDataset], options: argparse.Namespace
) -> str:
    """The command that runs the contenders again on the dataset of a result."""
    dataset = next(
        each
        for each in every
        if result.digest in each.digests
        and (result.dataset, result.file) == (escape(each.name), each.file and escape(each.file))
    )
    if dataset.path is not None:
        return again(puzzles.get(result.puzzle), Path(dataset.path), options)
    words = words_that_count(options.parser, command(options.words, {}))
    if options.expression is None and not options.path and not options.family:
        words += ["-k", dataset.name]
    return shlex.join(words)
