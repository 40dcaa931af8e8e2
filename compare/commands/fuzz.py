"""`compare fuzz`: search for a board on which something is wrong, and shrink it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

from tqdm import tqdm

import puzzles
from compare.campaign.running import compile_first
from compare.campaign.tasks import Settings
from compare.commands.arguments import (
    OWN_PUZZLE,
    at_least_one,
    at_least_zero,
    contender_arguments,
    contenders,
    extended_argument,
    page_port_argument,
    positive,
    settings,
    writable_folder,
)
from compare.fuzz.batch import BLOCK, Batch, BatchKind, FailingBoard
from compare.fuzz.boards import AT_ONCE, LARGE_BLOCK, MAX_SIZE, SMALL, bearing
from compare.fuzz.search import SHRINK_S, Discovery, FuzzSearch
from compare.fuzz.shrinking import Shrunk
from compare.fuzz.slowest import SlowestSearch
from compare.isolate.child import call
from compare.isolate.outcome import DEFAULT_LIMITS, Limits, Status
from compare.show.progress import progress_bar, say_what_is_compiled
from compare.show.searches import (
    discovery_text,
    noticed_line,
    outcome_line,
    statement,
    unfinished_line,
)
from compare.show.table import seconds
from compare.show.wording import line_width, wrapped
from compare.work.contenders import SIDES, BackendContender, Contender
from compare.work.faults import Fault
from compare.work.foreign.plugins import register_plugins
from compare.work.pool import local
from compare.work.source_programs import words_of
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.streams import labelled, visible
from puzzles.text import UnknownName, UserError, counted

DEFAULT_CASES = 10_000

DEFAULT_SLOWEST_S = 60.0
"""Seconds that the search for the slowest board takes by default."""

BEHIND_S = 30.0
"""Seconds that shrinking the trace may take on which a solver fails behind a board."""

FEW_A_SECOND, PART = 50, Limits(5.0)
"""Cases a second below which is said what is slow, and what each part of a puzzle may take then."""

EVERY_PUZZLE = "all"

_BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}, {rate_fmt}{postfix}]"
_COUNTER = "{n_fmt} {unit}s [{elapsed}, {rate_fmt}{postfix}]"
"""The progress with and without a number of boards to try.

No estimate of the time left: the first boards say nothing of it.
"""

BLOCK_OF_LARGE, OTHER_BLOCK = 32, 64
"""Boards in an ordinary block if `--size` makes them large; in the other kinds of batches, and of
traces for solvers.
"""

LARGE_SIZE, SELDOM_SIZE = 20, 6
"""The `--size` above which boards are large, and the largest size for backends that are seldom
run.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "puzzle", metavar="PUZZLE", help=", ".join([*puzzles.names(), EVERY_PUZZLE, OWN_PUZZLE])
    )
    contender_arguments(parser)
    parser.add_argument(
        "--cases",
        type=at_least_one,
        metavar="N",
        help="boards to try (default: 10,000, or as many as --seconds allow)",
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        metavar="S",
        help="stop after S seconds; shrinking comes on top of them",
    )
    parser.add_argument(
        "--shrink-seconds",
        type=positive,
        default=SHRINK_S,
        metavar="S",
        help="seconds that shrinking one failing board may take (default: 60)",
    )
    parser.add_argument(
        "--seed",
        type=at_least_zero,
        default=1,
        metavar="N",
        help="the same seed gives the same boards (default: 1)",
    )
    parser.add_argument(
        "--size",
        type=at_least_one,
        default=14,
        metavar="K",
        help="rows and columns of the larger boards; a few are larger still (default: 14)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--family",
        action="append",
        default=[],
        metavar="F",
        help="boards of this family alone; may be repeated",
    )
    which.add_argument(
        "--generator",
        metavar="CMD",
        help="boards from a command: it gets a seed as its last argument (--seed, then one more "
        "each "
        "time) and prints an input "
        "file; --cases counts its starts",
    )
    parser.add_argument(
        "--jobs", type=at_least_one, metavar="N", help="workers (default: one a core)"
    )
    parser.add_argument(
        "--slowest",
        metavar="NAME",
        help="look for the board that takes this contender longest, set against the others, and "
        "save "
        "it: large boards first, "
        "then ordinary ones, and changes of the slowest (default: for 60 seconds; a board under "
        "way is timed to its end)",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="collect one failure of each kind instead of stopping at the first",
    )
    extended_argument(parser)
    parser.add_argument(
        "--kind",
        choices=[kind.value for kind in BatchKind],
        help="try this kind of batches only: certified (every answer is certified), plain "
        "(kernels in "
        "plain Python), forced "
        "(thresholds between algorithms forced low as well), seldom (slow backends and written "
        "formulas, small boards), large "
        "(boards up to the contest's own limits)",
    )
    parser.add_argument("--save", metavar="DIR", help="where failing boards go (default: here)")
    parser.add_argument(
        "--strict", action="store_true", help="exit status 3 if something is UNFINISHED"
    )
    page_port_argument(parser)


def main(options: argparse.Namespace) -> int:
    if options.size > MAX_SIZE:
        raise UserError(f"--size: fuzzing takes sizes up to {MAX_SIZE}, not {options.size}")
    if options.puzzle == EVERY_PUZZLE and options.program:
        raise UserError("a program solves one puzzle: name it in place of `all`")
    if options.slowest is not None and options.kind is not None:
        raise UserError("--slowest has an order of its own, large boards first: leave --kind out")
    names = (
        puzzles.names() if options.puzzle == EVERY_PUZZLE else [puzzles.find(options.puzzle).name]
    )
    register_plugins(options.plugin)
    if options.seconds:
        options.seconds /= len(names)
    status = 0
    for name in names:
        status = max(status, _fuzz(puzzles.get(name), options))
        if status == 130:
            break
    return status


def _fuzz(puzzle: Puzzle, options: argparse.Namespace) -> int:
    """Search one puzzle; returns the exit status."""
    chosen = replace(settings(options), jobs=options.jobs or os.cpu_count() or 1)
    if not options.generator:
        puzzle.first_family()  # without one nothing can be drawn
    for family in options.family:
        puzzle.any_family(family)
    everyone = tuple(
        bearing(each, options.size) for each in contenders(puzzle, options) if each.absent is None
    )
    taking_part = tuple(
        each
        for each in everyone
        if options.backend or options.kind == BatchKind.SELDOM or not _slow(each)
    )
    if not taking_part:
        raise UserError("no solver is selected: give -b or --program")
    count = (
        OTHER_BLOCK
        if puzzle.compares_solvers
        else BLOCK
        if options.size <= LARGE_SIZE
        else BLOCK_OF_LARGE
    )
    batch = Batch(
        puzzle=puzzle.name,
        contenders=taking_part,
        seed=options.seed,
        count=AT_ONCE if options.generator else count,
        size=options.size,
        limits=chosen.limits,
        format=options.answer_format,
        extended=options.extended,
        families=tuple(options.family),
        generator=() if options.generator is None else words_of("--generator", options.generator),
        thorough=puzzle.compares_solvers,
    )
    folder = writable_folder("--save", options.save)
    if options.slowest is not None:
        return _find_slowest(options, batch, replace(chosen, jobs=1), folder)
    print(
        visible(
            f"fuzzing {puzzle.name}, seed {options.seed}: {', '.join(c.name for c in taking_part)}"
        ),
        flush=True,
    )
    interrupted = False
    compile_first(taking_part, chosen, say_what_is_compiled)
    cases = options.cases or (None if options.seconds else DEFAULT_CASES)
    width = line_width()
    shown: set[str] = set()
    bar_format = _BAR if cases else _COUNTER
    with progress_bar(unit=puzzle.noun, total=cases, bar_format=bar_format) as shown_bar:

        def progress(boards: int, doing: str) -> None:
            shown_bar.set_postfix_str(doing, refresh=False)
            shown_bar.update(boards)
            shown_bar.refresh()
            for tried in search.tried.values():
                for name in tried.printed.keys() - shown:
                    shown.add(name)
                    tqdm.write(labelled(name, tried.printed[name]), file=sys.stderr)

        def noticed(failing: FailingBoard, fault: Fault, proved: frozenset[str]) -> None:
            tqdm.write(visible(noticed_line(puzzle, failing.board, fault, proved)))

        def discovered(discovery: Discovery) -> None:
            shrunk = discovery.shrunk
            path = save(folder, shrunk)
            at_fault = [each for each in taking_part if each.name in shrunk.fault.names]
            solvers = (
                [each.solver for each in at_fault if each.solver]
                if puzzle.compares_solvers
                else options.solver
            )
            of_fault = argparse.Namespace(**{**vars(options), "solver": solvers})
            again = replay(puzzle, path, shrunk.smallest_fault, of_fault, shrunk.limit_s)
            text = discovery_text(
                discovery, path, again, width, port=options.port, format=options.answer_format
            )
            tqdm.write(visible(text))
            for contender in at_fault:
                if isinstance(contender, BackendContender) and contender.tests_solver:
                    boards = [shrunk.smallest.board, discovery.original.board]
                    show_formula_behind(boards, contender, chosen.limits, folder)

        search = FuzzSearch(
            _batches(batch, everyone, options.kind),
            cases=cases,
            seconds=options.seconds,
            keep_going=options.keep_going,
            noticed=noticed,
            discovered=discovered,
            progress=progress,
            shrink_seconds=options.shrink_seconds,
        )
        try:
            search.run(chosen)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            interrupted = True
    for line in statement(puzzle, search):
        print(visible(wrapped(line, width)))
    for each in search.unfinished:
        path = written(
            folder, f"unfinished-{each.boards[0].digest}{each.boards[0].suffix}", *each.boards
        )
        print(visible(wrapped(unfinished_line(puzzle, each, options.timeout), width)))
        print(visible(f"replay: {replay_board(puzzle, path, options)}"))
    print(visible(wrapped(outcome_line(puzzle, search, search.seconds_spent, options.seed), width)))
    if not search.discoveries and search.rate < FEW_A_SECOND and puzzle.home.user_file is not None:
        for line in _slow_parts(puzzle, taking_part):
            print(visible(wrapped(line, width)))
    for reason in search.broken:
        print(visible(f"a batch was not tried to its end: {reason}"), file=sys.stderr)
    if interrupted:
        return 130
    if search.discoveries or search.broken:
        return 1
    if search.unfinished:
        return 3 if options.strict else 0
    if not any(tried.boards for tried in search.tried.values()):
        raise UserError(f"no {puzzle.noun} was tried: give more --seconds")
    return 0


def _slow_parts(puzzle: Puzzle, contenders: Sequence[Contender]) -> list[str]:
    """What is slow of a puzzle of one's own, tried on the first case of its example."""
    if not puzzle.example:
        return []
    case = puzzle.parse(puzzle.example, "<example>")[0]
    family = puzzle.family(puzzle.first_family())
    backends = [each for each in contenders if isinstance(each, BackendContender)]

    def check() -> float:
        answer = backends[0].backend.solve(case, certify=True)
        return _seconds_of(lambda: puzzle.check(case, answer))

    parts: dict[str, Callable[[], float]] = {
        "your reader": lambda: _seconds_of(lambda: puzzle.of_text(case.text())),
        f"the family {puzzle.first_family()}": lambda: _seconds_of(
            lambda: family.board(max(family.least, 2), 1)
        ),
        **{each.name: partial(_seconds_of, partial(each.backend.solve, case)) for each in backends},
        **({"your check": check} if backends else {}),
    }
    slow: dict[str, float] = {}
    for name, part in parts.items():
        ended = call(part, limits=PART)
        slow[name] = PART.seconds if ended.status is Status.TIMEOUT else ended.value or 0.0
    return [
        f"slow: {name} takes {seconds(slow[name])} a {puzzle.noun}"
        for name in sorted(slow, key=slow.__getitem__, reverse=True)
        if slow[name] > 1 / FEW_A_SECOND
    ]


def _seconds_of(part: Callable[[], object]) -> float:
    """What the second call takes; the first one may load packages."""
    part()
    started = perf_counter()
    part()
    return perf_counter() - started


def _batches(batch: Batch, everyone: tuple[Contender, ...], only: str | None) -> list[Batch]:
    """A batch of each kind that there is something to try for, the main one first.

    Only our own backends have kernels, thresholds and written formulas; large boards are for
    everybody.
    """
    own = tuple(
        each for each in batch.contenders if isinstance(each, BackendContender) and not each.foreign
    )
    other = replace(batch, count=OTHER_BLOCK, contenders=own)
    every_own = tuple(
        each for each in everyone if isinstance(each, BackendContender) and not each.foreign
    )
    small = replace(other, size=min(batch.size, SELDOM_SIZE), contenders=every_own)
    large = replace(batch, count=LARGE_BLOCK)
    if only == BatchKind.ORDINARY or only is None:
        batches = [batch]
        large_enough = min(batch.size, puzzles.get(batch.puzzle).largest) > SMALL
        if only is None and large_enough and not batch.families and not batch.generator:
            batches.append(replace(large, kind=BatchKind.LARGE))
        if only is None and own:
            batches += [
                replace(other, kind=kind)
                for kind in (BatchKind.CERTIFIED, BatchKind.PLAIN, BatchKind.FORCED)
            ]
            batches.append(replace(small, kind=BatchKind.SELDOM))
        return batches
    chosen = replace(
        {BatchKind.SELDOM: small, BatchKind.LARGE: large}.get(BatchKind(only), other),
        kind=BatchKind(only),
    )
    if not chosen.contenders:
        raise UserError(f"--kind {only}: none of our own backends takes part")
    return [chosen]


def _find_slowest(options: argparse.Namespace, batch: Batch, chosen: Settings, folder: Path) -> int:
    """Search for the slowest board, print how much slower it is and save it.

    One run at a time: only such times can be trusted.
    """
    named = [
        each
        for each in batch.contenders
        if each.name == options.slowest or each.name.partition(":")[2] == options.slowest
    ]
    if len(named) != 1:
        raise UnknownName("contender", options.slowest, [each.name for each in batch.contenders])
    (contender,) = named
    noun = puzzles.get(batch.puzzle).noun
    print(f"slowest {noun} of {batch.puzzle} for {contender.name}, seed {batch.seed}", flush=True)
    interrupted = False
    with progress_bar(unit=noun, total=options.cases) as shown_bar:
        search = SlowestSearch(
            batch,
            contender,
            cases=options.cases,
            seconds=options.seconds or DEFAULT_SLOWEST_S,
            progress=shown_bar.update,
        )
        try:
            search.run(chosen)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            interrupted = True
    slowest = search.slowest
    if slowest is None:
        print(f"no {noun} could be timed; {counted(search.tried, noun)} tried")
        return 130 if interrupted else 1
    path = written(folder, f"slowest-{slowest.board.digest}{slowest.board.suffix}", slowest.board)
    stopped = "" if slowest.status is Status.OK else f" ({slowest.status})"
    line = f"{slowest.board.shown_size}: {contender.name} takes {seconds(slowest.seconds)}{stopped}"
    if slowest.others:
        at_least = "at least " if stopped else ""
        times = slowest.seconds / slowest.others[0][1]
        shown_times = f"{times:.3g}" if times < 1000 else f"{float(f'{times:.2g}'):,.0f}"
        line += f", {at_least}{shown_times} times as long as the fastest other"
        line += f" ({', '.join(f'{name} {seconds(taken)}' for name, taken in slowest.others)})"
    print(
        f"{line}; {counted(search.tried, noun)} timed\nreplay: "
        f"{replay_board(puzzles.get(batch.puzzle), path, options)}"
    )
    at_fault = stopped and not (isinstance(contender, BackendContender) and contender.ours)
    return 130 if interrupted else 1 if at_fault else 0


def _slow(contender: Contender) -> bool:
    """A slow backend takes part in ordinary batches only if `-b` names it."""
    return isinstance(contender, BackendContender) and contender.backend.slow


def replay(
    puzzle: Puzzle,
    path: Path,
    fault: Fault,
    options: argparse.Namespace,
    limit_s: float | None = None,
) -> str:
    """The command that judges a failing board again, or a program on all boards of a call.

    `run` starts a program once with each file as a whole. Of a backend: how to make that call.
    """
    one_file = puzzle.many_instances or len(fault.together) > 1
    if fault.together and one_file and fault.names[0].partition(":")[0] in SIDES:
        return _replay_call(puzzle, path, fault, options)
    return replay_board(puzzle, path, options, limit_s)


def replay_board(
    puzzle: Puzzle, path: Path, options: argparse.Namespace, limit_s: float | None = None
) -> str:
    """The command that runs the contenders on the boards of a file, for at most `limit_s` seconds
    each if that is given.
    """
    words = ["python", "-m", "compare", "run", puzzle.home.argument, str(path)]
    for flag, values in (
        ("-b", options.backend),
        ("--program", options.program),
        ("--partial", options.partial),
        ("--plugin", options.plugin),
    ):
        for value in values:
            words += [flag, value]
    for flag, value in (
        ("--answer-format", options.answer_format),
        *(("--solver", solver) for solver in options.solver),
        ("--cpsat-workers", options.cpsat_workers),
        ("--memory", options.memory and f"{options.memory:g}"),
    ):
        if value:
            words += [flag, str(value)]
    timeout = limit_s or options.timeout
    if timeout != DEFAULT_LIMITS.seconds:
        words += ["--timeout", f"{timeout:.3g}"]
    if options.extended:
        words.append("--extended")
    return shlex.join(words)


def _replay_call(puzzle: Puzzle, path: Path, fault: Fault, options: argparse.Namespace) -> str:
    """How a backend solves all boards of a file in one call, which `run` never does."""
    side, _, name = fault.names[0].partition(":")
    if puzzle.many_instances and not options.plugin:
        solver = (
            ["--solver", *options.solver] if len(options.solver) == 1 and side == "models" else []
        )
        return shlex.join(
            ["python", "-m", side, puzzle.home.argument, str(path), "--backend", name, *solver]
        )
    return f"a call of {fault.names[0]} with all boards of {path}"


def show_formula_behind(
    boards: Sequence[Instance], contender: BackendContender, limits: Limits, folder: Path
) -> None:
    """Print what the contender's SAT solver does wrong alone on what is asked about one of these
    boards, and where it is saved.
    """
    from compare.general.formula_families import (
        solver_batch,
        try_solver_behind,
    )  # late: few searches need it

    batch = solver_batch(contender, limits)
    formula = puzzles.get(batch.puzzle)

    def noticed(failing: FailingBoard, fault: Fault, proved: frozenset[str]) -> None:
        tqdm.write(visible(noticed_line(formula, failing.board, fault, proved)))

    def discovered(discovery: Discovery) -> None:
        path = save(folder, discovery.shrunk)
        words = [
            "python",
            "-m",
            "compare",
            "run",
            formula.name,
            str(path),
            "--solver",
            str(contender.solver),
        ]
        tqdm.write(visible(discovery_text(discovery, path, shlex.join(words))))

    search = FuzzSearch(
        [batch],
        cases=None,
        seconds=None,
        keep_going=False,
        noticed=noticed,
        discovered=discovered,
        progress=lambda boards, doing: None,
        shrink_seconds=BEHIND_S,
    )
    with local(1, user_files=tuple(puzzles.user_files().values())) as worker:
        search.take(batch, worker.submit(try_solver_behind, batch, boards, contender), worker)
    if not search.discoveries:
        noun = puzzles.get(contender.puzzle).noun
        text = (
            f"{contender.solver} shows no fault on what {contender.name} asks about this {noun} "
            "alone, in a new process; "
            "`fuzz formula` tries it on many formulas"
        )
        tqdm.write(visible(text))


def save(folder: Path, shrunk: Shrunk) -> Path:
    """Write the smallest board as an input file, or the boards of the call that fails."""
    board, fault = shrunk.smallest.board, shrunk.smallest_fault
    boards = fault.together or [board]
    comments = " ".join(fault.sentence().split())
    return written(
        folder,
        f"{shrunk.fault.kind.lower()}-{board.digest}{board.suffix}",
        *boards,
        comment=comments,
    )


def written(folder: Path, name: str, *boards: Instance, comment: str = "") -> Path:
    """Write boards as an input file of this name; returns its path. A file that holds one board
    only is written for each.

    Args:
        comment: a line that says what is wrong on them, if input files may have such lines.
    """
    puzzle = puzzles.get(boards[0].puzzle)
    if len(boards) > 1 and not puzzle.many_instances:
        stem, _, suffix = name.rpartition(".")
        for number, board in enumerate(boards, start=1):
            written(folder, f"{stem}-{number}.{suffix}", board, comment=comment)
        return folder / f"{stem}-*.{suffix}"
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = f"{puzzle.comment} {comment}\n" if puzzle.comment and comment else ""
        path.write_text(before + puzzle.print_instances(boards))
    except OSError as error:
        texts = "\n".join(board.text() for board in boards)
        raise UserError(f"{path}: {error.strerror or error}\n{texts}") from None
    return path
