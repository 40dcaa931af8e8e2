"""`compare fuzz`: search for a board on which something is wrong, and shrink it."""

from __future__ import annotations

import argparse
import os
import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from timeit import repeat
from typing import Any

from msgspec.structs import replace as with_fields

import puzzles
from compare.commands import help_lines, hints
from compare.commands.arguments import (
    CASES,
    DOCUMENT,
    FAMILY,
    GENERATOR,
    INPUTS,
    JOBS,
    NO_CHECK,
    OUTPUT,
    QUIET,
    SAVE,
    SECONDS,
    SEED,
    SHRINK_SECONDS,
    SIZE,
    STRICT,
    TEXT_OR_JSON,
    WHO_TAKES_PART,
    again,
    contenders,
    settings,
    writable_folder,
)
from compare.commands.fuzz.batch import BLOCK, Batch, BatchKind, FailingBoard
from compare.commands.fuzz.fuzz_search import SHRINK_S, Discovery, FuzzSearch
from compare.commands.fuzz.shrinking import Shrunk
from compare.commands.fuzz.slowest import find_slowest
from compare.commands.fuzz.streams import AT_ONCE, LARGE_BLOCK, MAX_SIZE, MAX_SMALL_SIZE, bearing
from compare.commands.fuzz.words import (
    discovery_text,
    fault_report,
    nothing_tried,
    noticed_line,
    outcome_line,
    search_tallies,
    tried_lines,
    unfinished_line,
)
from compare.commands.fuzz.worst import find_worst
from compare.engine.campaign.plan import Settings, compile_first, executor
from compare.engine.campaign.summaries import Headline
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.contenders import SIDES, BackendContender, Contender
from compare.engine.work.plugins import register_plugins
from compare.engine.work.result import REFUTED, Fault, Result
from compare.engine.work.source_programs import words_of
from compare.show.conclusion import Conclusion, FaultReport, printing
from compare.show.messages import Blame, LastLine, interruption
from compare.show.table import seconds
from compare.show.wording import (
    pass_on,
    path_word,
    progress_bar,
    run_until_interrupted,
    say,
    say_what_is_compiled,
    warn,
    write,
)
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.shell.interruption import INTERRUPTED
from puzzles.shell.output_files import whole_file, writing
from puzzles.text import UserError, count_noun, label_lines, visible

DEFAULT_CASES = 10_000

FEW_A_SECOND, PART = 50, Limits(5.0)
"""Cases a second below which is said what is slow, and what each part of a puzzle may take then."""

_REPEATS = 100
"""Runs in the line that repeats a fault that shows by chance."""

EVERY_PUZZLE = "all"

_BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}, {rate_fmt}{postfix}]"
_COUNTER = "{n_fmt} {unit}s [{elapsed}, {rate_fmt}{postfix}]"
"""The progress with and without a number of boards to try.

No estimate of the time left: the first boards say nothing of it.
"""

BLOCK_OF_LARGE, OTHER_BLOCK = 32, 64
"""Boards in an ordinary block if `--size` makes them large; in a block of the certified
kind, and of traces for solvers.
"""

_LARGE_SIZE = 20
"""The `--size` above which boards are large."""


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        replace(PUZZLE_ARGUMENT, help=f"{EVERY_PUZZLE}, {PUZZLE_ARGUMENT.help}"),
        *WHO_TAKES_PART,
        NO_CHECK,
        replace(
            CASES,
            help=f"ordinary boards to try (default: {DEFAULT_CASES:,}, or as many as --seconds "
            "allow)",
        ),
        replace(SECONDS, help="stop after S seconds; shrinking comes on top of them"),
        replace(
            SHRINK_SECONDS,
            help="seconds that shrinking one failing board may take (default: %(default)g)",
            default=SHRINK_S,
        ),
        replace(SEED, help="the same seed gives the same boards (default: 1)"),
        replace(
            SIZE,
            help="rows and columns of the larger boards (default: %(default)s); below 8 no "
            "board is larger, from 8 on a few are",
            default=14,
        ),
        replace(JOBS, help="workers (default: one a core)"),
        Argument(
            "--keep-going",
            "collect one failure of each kind instead of stopping at the first",
            group=OUTPUT,
        ),
        replace(SAVE, help="where failing boards go (default: here)"),
        replace(STRICT, help="exit status 3 if something is UNFINISHED, or not proved"),
    )
    parser.add_one_of(
        replace(FAMILY, help="boards of this family alone; may be repeated"),
        replace(
            GENERATOR,
            help="boards from a command: it gets a seed as its last argument (--seed, then one "
            "more each time) and prints an input file; --cases counts its starts",
        ),
    )
    for each in hints():
        each.arguments(parser)
    parser.add(
        Argument(
            "--slowest",
            "look for the board that takes this contender longest, set against the others, and "
            "save it: large boards first, then ordinary ones, and changes of the slowest (default: "
            "for 60 seconds; a board under way is timed to its end)",
            metavar="NAME",
        ),
        Argument(
            "--worst",
            "look for the board on which this contender's solution is furthest from the optimum, "
            "where that is PROVED; save the smallest one with a gap as large (default: for 60 "
            "seconds)",
            metavar="NAME",
        ),
        Argument(
            "--kind",
            "try this kind of batches only: ordinary, certified (every answer is certified), "
            "large (boards up to the contest's own limits)",
            choices=[kind.value for kind in BatchKind],
            group=INPUTS,
        ),
        TEXT_OR_JSON,
        QUIET,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """What the searches came to, one for each puzzle; says it."""
    if options.size > MAX_SIZE:
        raise UserError(f"--size: fuzzing takes sizes up to {MAX_SIZE}, not {options.size}")
    if options.puzzle == EVERY_PUZZLE and options.program:
        raise UserError("a program solves one puzzle: name it in place of `all`")
    if options.slowest is not None and options.kind is not None:
        raise UserError("--slowest has an order of its own, large boards first: leave --kind out")
    if options.kind == BatchKind.LARGE and (options.family or options.generator):
        raise UserError("--kind large has boards of its own: leave --family and --generator out")
    if options.worst is not None and (options.kind is not None or options.slowest is not None):
        raise UserError("--worst is a search of its own: leave --kind and --slowest out")
    names = (
        puzzles.names() if options.puzzle == EVERY_PUZZLE else [puzzles.find(options.puzzle).name]
    )
    register_plugins(options.plugin)
    if options.seconds:
        options.seconds /= len(names)
    conclusions: dict[str, Conclusion] = {}
    for name in names:
        conclusions[name] = conclusion = _fuzz(puzzles.get(name), options)
        if options.puzzle != EVERY_PUZZLE:
            return conclusion
        say(conclusion.last_line)
        if conclusion.exit_status == INTERRUPTED:
            break
    return of_several(conclusions, len(names))


main = printing(conclude)


def of_several(conclusions: Mapping[str, Conclusion], number: int) -> Conclusion:
    """What the searches of several puzzles came to, by puzzle.

    Args:
        number: how many puzzles there are.
    """
    blamed = [
        Blame(Headline(each.verdict), (name,))
        for name, each in conclusions.items()
        if each.verdict != Headline.ALL_AGREE
    ]
    statuses = {each.exit_status for each in conclusions.values()}
    if INTERRUPTED in statuses:
        blamed.append(interruption(f"{len(conclusions)} of {count_noun(number, 'puzzle')}"))
    last_line = LastLine(Headline.ALL_AGREE, blamed, facts=[count_noun(len(conclusions), "puzzle")])
    tables: defaultdict[str, list[Any]] = defaultdict(list)
    for each in conclusions.values():
        for title, rows in each.tables.items():
            tables[title] += rows
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=next((each for each in _WORST_FIRST if each in statuses), 0),
        faults=[fault for each in conclusions.values() for fault in each.faults],
        tallies=[tally for each in conclusions.values() for tally in each.tallies],
        tables=tables,
        results=[result for each in conclusions.values() for result in each.results],
    )


_WORST_FIRST = (INTERRUPTED, 1, 2, 3)
"""The exit statuses of a search, but 0."""


def _fuzz(puzzle: Puzzle, options: argparse.Namespace) -> Conclusion:
    """Search one puzzle."""
    chosen = replace(settings(options), jobs=options.jobs or os.cpu_count() or 1)
    batch = _first_batch(puzzle, options, chosen.limits)
    folder = writable_folder(options.save)
    if chosen.elsewhere is None:
        compile_first(batch.contenders, say_what_is_compiled)
    if options.slowest is not None or options.worst is not None:
        find = find_slowest if options.worst is None else find_worst
        return find(options, batch, replace(chosen, jobs=1), partial(_write_boards, folder))
    if not options.quiet:
        names = ", ".join(each.name for each in batch.contenders)
        say(f"fuzzing {puzzle.name}, seed {options.seed}: {names}")
    report = _Report(puzzle, options, chosen, folder)
    search, stopped = _search(batch, report)
    if not options.quiet:
        say(*tried_lines(puzzle, search))
    unfinished = report.unfinished(search)
    faults = [
        *report.faults,
        *(
            FaultReport(kind=Status.ERROR, contenders=(), reason=reason, puzzle=puzzle.name)
            for reason in search.broken
        ),
    ]
    last_line = outcome_line(puzzle, search, options.seed, faults, stopped=stopped)
    if (
        not options.quiet
        and not search.failure_count
        and search.rate < FEW_A_SECOND
        and puzzle.origin.user_file is not None
    ):
        say(*_slow_parts(puzzle, batch.contenders))
    warn(*(f"a batch was not tried to its end: {reason}" for reason in search.broken))
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=_exit_status(puzzle, search, last_line, strict=options.strict, stopped=stopped),
        faults=faults,
        tallies=search_tallies(puzzle, search, faults),
        tables={"unfinished": unfinished} if unfinished else {},
        results=report.results,
    )


def _exit_status(
    puzzle: Puzzle, search: FuzzSearch, last_line: LastLine, *, strict: bool, stopped: bool
) -> int:
    if stopped:
        return INTERRUPTED
    if last_line.headline is Headline.NOTHING_COMPARED and nothing_tried(puzzle, search):
        return 2
    if search.failure_count or search.broken:
        return 1
    return 3 if strict and (search.open_names or search.unproved) else 0


def _first_batch(puzzle: Puzzle, options: argparse.Namespace, limits: Limits) -> Batch:
    """What is tried, as the options say it.

    Raises:
        UserError: the puzzle has no such family, or nobody takes part.
    """
    if not options.generator:
        puzzle.first_family()  # without one nothing can be drawn
    for family in options.family:
        puzzle.any_family(family)
    taking_part = tuple(
        bearing(each, options.size)
        for each in contenders(puzzle, options)
        if each.absent is None
        and (options.backend or not (isinstance(each, BackendContender) and each.slow))
    )
    if not taking_part:
        raise UserError("no solver is selected: give -b or --program")
    count = BLOCK if options.size <= _LARGE_SIZE else BLOCK_OF_LARGE
    if options.generator:
        count = AT_ONCE
    elif puzzle.compares_solvers:
        count = OTHER_BLOCK
    return Batch(
        puzzle=puzzle.name,
        contenders=taking_part,
        seed=options.seed,
        count=count,
        size=options.size,
        limits=limits,
        format=options.answer_format,
        families=tuple(options.family),
        generator=() if options.generator is None else words_of("--generator", options.generator),
        thorough=puzzle.compares_solvers or len(taking_part) == 1,
        keep_going=options.keep_going,
    )


class _Report:
    """Says and saves what a search of one puzzle comes to, and keeps it for the conclusion.

    Attributes:
        faults: those that were discovered.
        results: what came of their smallest boards.

    Args:
        folder: where failing boards are saved.
    """

    def __init__(
        self, puzzle: Puzzle, options: argparse.Namespace, chosen: Settings, folder: Path
    ) -> None:
        self.puzzle, self.options, self.chosen, self.folder = puzzle, options, chosen, folder
        self.faults: list[FaultReport] = []
        self.results: list[Result] = []
        self._heard: set[str] = set()
        """The contenders whose print has been passed on."""

    def pass_on_printed(self, search: FuzzSearch) -> None:
        """Show what contenders print, the first time that each does."""
        for tried in search.tried.values():
            for name in tried.printed.keys() - self._heard:
                self._heard.add(name)
                pass_on(label_lines(name, tried.printed[name]))

    def note_discovery(self, contenders: Sequence[Contender], discovery: Discovery) -> None:
        """Save the smallest board of a fault, and say what is wrong on it."""
        options, shrunk = self.options, discovery.shrunk
        path = _save(self.folder, shrunk)
        at_fault = [each for each in contenders if each.name in shrunk.fault.names]
        of_fault = argparse.Namespace(**vars(options))
        if self.puzzle.compares_solvers:
            of_fault.solver = [each.solver for each in at_fault if each.solver]
        replay = _replay(self.puzzle, path, shrunk, of_fault)
        port, format = getattr(options, "port", None), options.answer_format
        text = discovery_text(discovery, path, replay, port=port, format=format)
        write(visible(text))
        report = fault_report(discovery, visible(text), replay)
        self.faults.append(report)
        one_board = shrunk.chance is None and not shrunk.smallest_fault.together
        # A search that keeps going reports each of the others by itself.
        if one_board and not options.keep_going:
            self.faults += [
                with_fields(report, contenders=each.names, reason=visible(each.detail))
                for each in shrunk.smallest.faults
                if each.kind == report.kind == REFUTED and not {*each.names} & {*report.contenders}
            ]
        board = shrunk.smallest.board
        self.results.extend(each.of_record(board) for each in discovery.results.values())
        for contender in at_fault:
            if (
                isinstance(contender, BackendContender)
                and contender.tests_solver
                and "fuzz formula" in help_lines()
            ):
                from compare.commands.fuzz.solver_behind import (
                    faults_of_solver,
                )  # late: few searches need it

                self.faults += faults_of_solver(
                    [board, discovery.original.board],
                    contender,
                    self.chosen,
                    options.shrink_seconds,
                    _say_noticed,
                    partial(_save, self.folder),
                )

    def unfinished(self, search: FuzzSearch) -> list[dict[str, str]]:
        """A row for each call that came to no end; saves its boards, and says it."""
        rows: list[dict[str, str]] = []
        for each in search.unfinished:
            board = each.boards[0]
            name = f"unfinished-{board.digest}{board.suffix}"
            path = _write_boards(self.folder, name, *each.boards)
            line = unfinished_line(self.puzzle, each, self.options.timeout)
            replay = again(self.puzzle, path, self.options)
            say(line, f"replay: {replay}")
            rows.append({"contenders": " ".join(each.names), "line": line, "replay": replay})
        return rows


def _search(batch: Batch, report: _Report) -> tuple[FuzzSearch, bool]:
    """The search at its end, and whether it was interrupted; a bar shows how far it is."""
    options = report.options
    cases = options.cases or (None if options.seconds else DEFAULT_CASES)
    with progress_bar(
        quiet=options.quiet,
        unit=report.puzzle.noun,
        total=cases,
        bar_format=_BAR if cases else _COUNTER,
    ) as bar:

        def progress(boards: int, doing: str) -> None:
            bar.set_postfix_str(doing, refresh=False)
            bar.update(boards)
            bar.refresh()
            report.pass_on_printed(search)

        search = FuzzSearch(
            batches_of(batch, options.kind),
            cases=cases,
            seconds=options.seconds,
            keep_going=options.keep_going,
            noticed=_say_noticed,
            discovered=partial(report.note_discovery, batch.contenders),
            progress=progress,
            shrink_seconds=options.shrink_seconds,
            jobs=report.chosen.jobs,
        )
        stopped = run_until_interrupted(lambda: search.run(executor(report.chosen)))
    return search, stopped


def _slow_parts(puzzle: Puzzle, contenders: Sequence[Contender]) -> list[str]:
    """What is slow of a user's puzzle, tried on the first case of its example."""
    if not puzzle.example:
        return []
    case = puzzle.parse(puzzle.example, "<example>")[0]
    name = puzzle.first_family()
    family = puzzle.family(name)
    backends = [each for each in contenders if isinstance(each, BackendContender)]
    answer = cache(lambda: backends[0].backend.solve(case, certify=True))
    parts: dict[str, Callable[[], object]] = {
        "your reader": lambda: puzzle.of_text(case.text()),
        f"the family {name}": lambda: family.nearest(2, 1),
        **{each.name: partial(each.backend.solve, case) for each in backends},
    }
    if backends:
        parts["your check"] = lambda: puzzle.check(case, answer())
    taken: list[tuple[float, str]] = []
    for name, part in parts.items():
        # the second call counts; the first one may load packages
        ended = call(partial(repeat, part, repeat=2, number=1), limits=PART)
        took = ended.value[-1] if ended.ok else 0.0
        taken.append((PART.seconds if ended.status is Status.TIMEOUT else took, name))
    return [
        f"slow: {name} takes {seconds(each)} a {puzzle.noun}"
        for each, name in sorted(taken, reverse=True)
        if each > 1 / FEW_A_SECOND
    ]


def batches_of(batch: Batch, only: str | None = None) -> list[Batch]:
    """A batch of each kind that there is something to try for, the main one first.

    Our own backends certify few of their ordinary answers, so they have batches in which they
    certify all; large boards are for everybody.
    """
    own = batch.built_in
    every = {
        BatchKind.ORDINARY: batch,
        BatchKind.LARGE: replace(batch, count=LARGE_BLOCK),
        BatchKind.CERTIFIED: replace(batch, count=OTHER_BLOCK, contenders=own),
    }
    large = min(batch.size, puzzles.get(batch.puzzle).largest) > MAX_SMALL_SIZE
    wanted = {
        BatchKind.ORDINARY: True,
        BatchKind.LARGE: large and not batch.families and not batch.generator,
        BatchKind.CERTIFIED: bool(own),
    }
    if only is not None:
        wanted = {BatchKind(only): True}
    batches = [replace(each, kind=kind) for kind, each in every.items() if wanted.get(kind)]
    if not batches[0].contenders:
        raise UserError(f"--kind {only}: none of our own backends takes part")
    return batches


def _replay(puzzle: Puzzle, path: Path, shrunk: Shrunk, options: argparse.Namespace) -> str:
    """The command that judges a failing board again, or a program on all boards of a call.

    `run` starts a program once with each file as a whole. A backend gets all boards of a file in
    one call only from its own side's command.
    """
    fault = shrunk.smallest_fault
    contender = fault.names[0]
    side, _, name = contender.partition(":")
    one_file = puzzle.many_instances or len(fault.together) > 1
    if shrunk.chance is not None:
        return again(puzzle, path, options, repeat=_REPEATS)
    if not (fault.together and one_file and side in SIDES):
        limit_s = shrunk.limit_s or options.timeout
        return again(puzzle, path, argparse.Namespace(**{**vars(options), "timeout": limit_s}))
    if not puzzle.many_instances or options.plugin:
        return f"a call of {contender} with all boards of {path}"
    words = ["python", "-m", side, puzzle.origin.argument, path_word(path), "--backend", name]
    if len(options.solver) == 1 and side == "models":
        words += ["--solver", *options.solver]
    return shlex.join(words)


def _say_noticed(failing: FailingBoard, fault: Fault, proved: frozenset[str]) -> None:
    board = failing.board
    say(noticed_line(puzzles.get(board.puzzle), board, fault, proved))


def _save(folder: Path, shrunk: Shrunk) -> Path:
    """Write the smallest board as an input file, or the boards of the call that fails."""
    board, fault = shrunk.smallest.board, shrunk.smallest_fault
    return _write_boards(
        folder,
        f"{shrunk.fault.kind.lower()}-{board.digest}{board.suffix}",
        *(fault.together or [board]),
        comment=" ".join(fault.sentence().split()),
    )


def _write_boards(folder: Path, name: str, *boards: Instance, comment: str = "") -> Path:
    """Write boards as an input file of this name; returns its path. A file that holds one board
    only is written for each.

    Args:
        comment: a line that says what is wrong on them, if input files may have such lines.
    """
    puzzle = puzzles.get(boards[0].puzzle)
    if len(boards) > 1 and not puzzle.many_instances:
        stem, _, suffix = name.rpartition(".")
        for number, board in enumerate(boards, start=1):
            _write_boards(folder, f"{stem}-{number}.{suffix}", board, comment=comment)
        return folder / f"{stem}-*.{suffix}"
    path = folder / name
    before = f"{puzzle.comment} {comment}\n" if puzzle.comment and comment else ""
    with writing(path, "".join(f"\n{board.text()}" for board in boards)):
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write((before + puzzle.print_instances(boards)).encode())
    return path
