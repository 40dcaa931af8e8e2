"""Arguments that several commands share, and what they ask for."""

from __future__ import annotations

import argparse
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import puzzles
from compare.commands import help_lines, load_command
from compare.engine.campaign.header import Header
from compare.engine.campaign.journal import (
    Journal,
    RecordFile,
    open_journal,
    open_records,
    warn_of_torn,
)
from compare.engine.campaign.plan import Settings
from compare.engine.elsewhere import Destination, run_places
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits
from compare.engine.work.abilities import refuse_unusable
from compare.engine.work.contenders import (
    EVERY_SOLVER,
    SIDES,
    BackendContender,
    ProgramContender,
    axes_of,
    backends,
    choose,
    programs,
    with_solvers,
)
from compare.engine.work.plugins import known_to_children
from compare.engine.work.programs import STANDARD, ProgramFiles
from compare.show.table import FORMATS, STYLES
from compare.show.wording import command, path_word, say
from models.solvers import solver_names
from puzzles.backend import TO_TAKE_A_SOLVER
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import (
    MORE,
    Argument,
    ArgumentParser,
    at_least_one,
    at_least_zero,
    positive,
)
from puzzles.text import UserError, count_noun, quote_beginning

_MAX_CASES, _MAX_CELLS = 10**6, 10**8
"""Boards of a family, and their cells in all, that a command keeps in memory at once."""

CONTENDERS, INPUTS, LIMITS, OUTPUT = "contenders", "inputs", "limits", "output"

_GROUPS = (CONTENDERS, INPUTS, LIMITS, OUTPUT, MORE)
"""The headings of a command's help, those that are wanted most first."""


class CommandParser(ArgumentParser):
    """The parser of one command, whose help ends with examples."""

    def __init__(self, program: str, name: str) -> None:
        command = load_command(name)
        super().__init__(
            prog=f"{program} {name}",
            description=f"{command.about[0].upper()}{command.about[1:]}.",
            allow_abbrev=False,
            add_help=False,
            groups=_GROUPS,
        )
        self._program, self._name = program, name
        self._groups[MORE].add_argument(
            "-h", "--help", action="help", help="show this help and exit"
        )

    def format_help(self) -> str:
        uses = [each for words, each in help_lines().items() if words.startswith(f"{self._name} ")]
        examples = "".join(
            f"  {self._program} {words}\n"
            for each in (load_command(self._name), *uses)
            for words in each.shown_examples()
        )
        return super().format_help() + (f"\nexamples:\n{examples}" if examples else "")


def file_name(text: str) -> str:
    """The name of a file in the folder of a program."""
    if text in ("", os.curdir, os.pardir) or os.sep in text or "\0" in text:
        raise argparse.ArgumentTypeError(
            f"must be the name of a file in the program's own folder, not {quote_beginning(text)}"
        )
    return text


def _of_puzzles(names: Callable[[Puzzle], Iterable[str]]) -> Callable[..., list[str]]:
    """A completer for what the puzzle that is typed has, or all built-in ones have."""

    def completer(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        typed = getattr(parsed_args, "puzzle", None)
        some = [puzzles.find(typed)] if typed else map(puzzles.get, puzzles.names())
        return [name for puzzle in some for name in names(puzzle)]

    return completer


OWN_RECORDS = Argument(
    "--puzzle",
    "the file of a puzzle of your own that has records there",
    metavar="FILE.py",
    repeatable=True,
    is_read=True,
)

BACKEND = Argument(
    "--backend",
    "direct or models (that side's first backend alone), side:name, or name; options behind it: "
    "name:OPTION=VALUE,OPTION=VALUE; may be repeated",
    short="-b",
    metavar="BACKEND",
    repeatable=True,
    group=CONTENDERS,
    replayed=True,
    completer=_of_puzzles(lambda puzzle: [*SIDES, *(each.name for each in backends(puzzle.name))]),
)
PROGRAM = Argument(
    "--program",
    "a program that reads the contest's input and prints its output: a command, or a source file "
    "(.cpp, .c, .rs, .java, .kt, .go, .py)",
    metavar="NAME=COMMAND",
    repeatable=True,
    group=CONTENDERS,
    replayed=True,
    is_command=True,
)
INPUT_FILE = Argument(
    "--input-file",
    "programs find the input in a file of this name in their folder, and not on standard input",
    metavar="NAME",
    type=file_name,
    group=CONTENDERS,
    replayed=True,
)
OUTPUT_FILE = Argument(
    "--output-file",
    "programs write their output to a file of this name",
    metavar="NAME",
    type=file_name,
    group=CONTENDERS,
    replayed=True,
)
PLUGIN = Argument(
    "--plugin",
    "a Python file that registers backends; may be repeated",
    metavar="FILE",
    repeatable=True,
    group=CONTENDERS,
    replayed=True,
    is_read=True,
)
ANSWER_FORMAT = Argument(
    "--answer-format",
    "the answer format of programs and of expected answers; see `rules PUZZLE`",
    metavar="F",
    group=CONTENDERS,
    replayed=True,
)
SOLVER = replace(solver_names.SOLVER_ARGUMENT, group=CONTENDERS, replayed=True)

GRID = Argument(
    "--grid",
    "each chosen backend that has such options once for each combination of their choices, or of "
    "some choices; `list PUZZLE` shows the options",
    metavar="OPTION[=A,B]",
    nargs="+",
    repeatable=True,
    group=CONTENDERS,
    replayed=True,
)

EXTENDED = Argument(
    "--extended",
    "give programs all boards, also those that their contest promises not to give; `rules PUZZLE` "
    "lists its promises",
    group=INPUTS,
    replayed=True,
)
FAMILY = Argument(
    "--family",
    metavar="F",
    repeatable=True,
    group=INPUTS,
    completer=_of_puzzles(lambda puzzle: puzzle.families),
)
CASES = Argument("--cases", metavar="N", type=at_least_one, group=INPUTS)
SIZE = Argument("--size", metavar="N", type=at_least_one, group=INPUTS)
LARGEST_SIZE = Argument("--largest", metavar="N", type=at_least_one, group=INPUTS)
SEED = Argument(
    "--seed",
    "the first board's seed (default: 1)",
    metavar="N",
    type=at_least_zero,
    default=1,
    group=INPUTS,
)
GENERATOR = Argument("--generator", metavar="CMD", group=INPUTS, is_command=True)
CHECKER = Argument("--checker", metavar="CMD", group=INPUTS, is_command=True)

TIMEOUT = Argument(
    "--timeout",
    "seconds a run (default: %(default)g)",
    metavar="S",
    type=positive,
    default=DEFAULT_LIMITS.seconds,
    group=LIMITS,
    replayed=True,
)
MEMORY_MB = Argument(
    "--memory",
    "resident megabytes a run, its children included",
    metavar="MB",
    type=positive,
    group=LIMITS,
    replayed=True,
)
SECONDS = Argument("--seconds", metavar="S", type=positive, group=LIMITS)
SHRINK_SECONDS = Argument("--shrink-seconds", metavar="S", type=positive, group=LIMITS)
JOBS = Argument("--jobs", metavar="N", type=at_least_one, group=LIMITS)
REPEAT = Argument("--repeat", metavar="N", type=at_least_one, group=LIMITS)

FORMAT = Argument(
    "--format",
    "how to print the tables; json: one document with verdict, faults, counts and tables",
    choices=FORMATS,
    default="table",
    group=OUTPUT,
    changes_records=False,
)
TEXT_OR_JSON = replace(FORMAT, help="how to print what was found", choices=("table", "json"))
JUNIT = Argument(
    "--junit",
    "write JUnit XML too: a test case for each contender and dataset, with what is wrong",
    metavar="FILE.xml",
    group=OUTPUT,
    changes_records=False,
    is_written=True,
)
RESULTS = Argument(
    "--results", "with `--format json`: every run too", group=OUTPUT, changes_records=False
)
DOCUMENT = (RESULTS, JUNIT)
"""Options of the commands that come to a `Conclusion`."""

QUIET = Argument(
    "--quiet",
    "no progress and no tables for people: only what is wrong, and the verdict",
    short="-q",
    group=OUTPUT,
    changes_records=False,
)
STRICT = Argument("--strict", group=OUTPUT, changes_records=False)
SAVE = Argument("--save", metavar="DIR", group=OUTPUT)
OUT = Argument(
    "--out",
    "write a header, then a line of JSON for each run as it ends; a file that is not empty needs "
    "--resume or --overwrite",
    metavar="FILE.jsonl",
    group=OUTPUT,
    changes_records=False,
    is_written=True,
)
RESUME = Argument(
    "--resume",
    "go on with the FILE.jsonl that the same command has left, if it is there",
    group=OUTPUT,
    changes_records=False,
)
OVERWRITE = Argument(
    "--overwrite",
    "begin FILE.jsonl anew, whatever it holds",
    group=OUTPUT,
    changes_records=False,
)

WHO_TAKES_PART = (
    BACKEND,
    PROGRAM,
    INPUT_FILE,
    OUTPUT_FILE,
    Argument(
        "--partial",
        "a program that claims only part of an answer",
        metavar="NAME",
        repeatable=True,
        group=CONTENDERS,
        replayed=True,
    ),
    PLUGIN,
    ANSWER_FORMAT,
    replace(
        SOLVER,
        help="a SAT solver for the backends that take one; all: every one of python-sat; may be "
        f"repeated; {solver_names.OTHER_KINDS}",
        repeatable=True,
    ),
    replace(solver_names.CPSAT_WORKERS, group=CONTENDERS, replayed=True),
    TIMEOUT,
    MEMORY_MB,
    *(
        Argument(place.option, place.help, metavar="ADDRESS", group=LIMITS)
        for place in run_places().values()
    ),
    EXTENDED,
)
"""Who takes part in a comparison, under which limits, and where runs are made."""

NO_CHECK = Argument("--no-check", "relate answers, but check none")


@contextmanager
def open_record_files(paths: Sequence[str], own: Sequence[str]) -> Iterator[list[RecordFile]]:
    """Files of records, to be read within; behind it is said which of them are cut off.

    `own`: the files of the user's own puzzles that have records there.
    """
    for path in own:
        puzzles.find(path)
    with ExitStack() as stack:
        files = [stack.enter_context(open_records(path)) for path in paths]
        yield files
    warn_of_torn(files)


def records_file(
    options: argparse.Namespace, chosen: Settings, planned: int | None = None
) -> AbstractContextManager[Journal | None]:
    """The file that `--out` names, open for records; nothing without `--out`.

    `planned`: as of a header.
    """
    resume = getattr(options, "resume", False)
    if resume and options.overwrite:
        raise UserError(
            "--resume goes on with a file, --overwrite begins it anew: give one of them"
        )
    if options.out is not None:
        header = Header.of(options.words, chosen, planned)
        return open_journal(
            options.out,
            header,
            resume=resume,
            overwrite=options.overwrite,
            identity=partial(words_that_count, options.parser),
        )
    if resume or options.overwrite:
        raise UserError(f"--{'resume' if resume else 'overwrite'} needs --out FILE.jsonl")
    return nullcontext()


def refuse_too_many(cases: int, size: int, noun: str) -> None:
    """Raise `UserError` if so many instances of this size do not fit into memory.

    `noun`: what one is called.
    """
    if cases > _MAX_CASES:
        raise UserError(f"--cases: at most {_MAX_CASES:,} {noun}s at once, not {cases:,}")
    if cases * size**2 > _MAX_CELLS:
        raise UserError(
            f"{cases:,} {noun}s of size {size:,} have more than {_MAX_CELLS:,} cells: ask for "
            "fewer or smaller ones"
        )


def limits(options: argparse.Namespace) -> Limits:
    """`--timeout` and `--memory`."""
    return Limits(options.timeout, options.memory and int(options.memory * 2**20))


def settings(options: argparse.Namespace) -> Settings:
    """The settings that the arguments ask for."""
    return Settings(
        limits=limits(options),
        repeats=getattr(options, "repeat", 1),
        check=not getattr(options, "no_check", True),
        jobs=getattr(options, "jobs", None) or 1,
        format=options.answer_format,
        plugins=tuple(options.plugin),
        elsewhere=_destination(options),
    )


def _destination(options: argparse.Namespace) -> Destination | None:
    """Where runs are made, if an option names another place than this machine."""
    for place in run_places().values():
        address = getattr(options, place.option.removeprefix("--"))
        if address is not None:
            return Destination(place.name, address)
    return None


def contenders(
    puzzle: Puzzle, options: argparse.Namespace, named: Sequence[str] | None = None
) -> list[BackendContender | ProgramContender]:
    """Who takes part; plugins must be loaded. Raises `UserError` for a name that nothing has, or if
    there is nobody.

    `named`: the backends, in place of those that the options name.
    """
    asked_for = _solvers(puzzle, options.solver)
    several = len(asked_for) > 1 or puzzle.compares_solvers
    puzzle.format(options.answer_format)
    names = options.backend if named is None else named
    if several and not names:
        names = [side for side, each in SIDES.items() if each.backends(puzzle.name)]
    asked: dict[str, Any] = {}
    if asked_for and not several:
        asked["solver"] = asked_for[0]
    axes = axes_of(getattr(options, "grid", ()))
    if "solver" in axes and asked_for:
        raise UserError("--solver and --grid solver: give one of them")
    if options.cpsat_workers is not None:
        axes |= _workers_axis(choose(puzzle, names, asked), axes, options.cpsat_workers)
    chosen = choose(puzzle, names, asked, axes)
    if getattr(options, "grid", ()) and options.format in STYLES:
        counts = Counter(f"{each.side}:{each.backend.plain_name}" for each in chosen)
        of_each = ", ".join(f"{count} of {label}" for label, count in counts.items())
        say(f"--grid: {count_noun(len(chosen), 'contender')}: {of_each}")
    for each in chosen:
        if each.solver is not None and "solver" in each.backend.chosen:
            refuse_unusable(each.solver)
    if not all(each.ours for each in chosen):
        chosen = known_to_children(chosen, options.plugin, named=bool(names))
    one_named = options.solver and EVERY_SOLVER not in options.solver
    if one_named and chosen and not any(each.solver for each in chosen):
        foreign = any(each.side == "models" and not each.ours for each in chosen)
        who = ", ".join(each.name for each in chosen)
        raise UserError(
            f"--solver {' --solver '.join(options.solver)}: none of {who} takes a SAT solver"
            + f"; {TO_TAKE_A_SOLVER}" * foreign
        )
    if several:
        chosen = with_solvers(chosen, asked_for)
    everyone = [
        *chosen,
        *programs(
            puzzle,
            options.program,
            options.partial,
            extended=options.extended,
            files=program_files(options),
            format=options.answer_format,
        ),
    ]
    if not everyone:
        raise UserError(
            f"{puzzle.name} has no backend yet: write one into "
            f"{puzzle.origin.place_of_backend('direct')}, a function under "
            f"@backend({puzzle.name!r}, NAME, side=..., source=...), or name a program with "
            "--program"
        )
    return everyone


def _workers_axis(
    chosen: Sequence[BackendContender], axes: Mapping[str, Sequence[str]], workers: int
) -> dict[str, list[str]]:
    """What `--cpsat-workers` asks for, as an axis: names say how many threads there are, if it is
    not one, so that times do not mix.
    """
    if "workers" in axes:
        raise UserError("--cpsat-workers and --grid workers: give one of them")
    of_cpsat = [each for each in chosen if "workers" in each.backend.options]
    who = ", ".join(each.name for each in of_cpsat or chosen)
    if not of_cpsat:
        raise UserError(f"--cpsat-workers {workers}: none of {who} uses CP-SAT")
    if all("workers" in each.backend.chosen for each in of_cpsat):
        raise UserError(f"--cpsat-workers {workers}: {who} says how many: leave one of the two out")
    return {"workers": [str(workers)]} if workers > 1 else {}


def program_files(options: argparse.Namespace) -> ProgramFiles:
    """`--input-file` and `--output-file`; raises `UserError` if they are one, or for nobody."""
    files = ProgramFiles(options.input_file or "", options.output_file or "")
    if files != STANDARD and not getattr(options, "program", True):
        raise UserError("--input-file and --output-file are for programs: give --program")
    if files.input and files.input == files.output:
        raise UserError(f"--input-file and --output-file are both {files.input}: give two names")
    return files


def _solvers(puzzle: Puzzle, asked: Sequence[str]) -> list[str]:
    """The full names of the solvers that are asked for, each once; raises `UserError` if one of
    them cannot be opened.
    """
    if not asked and not puzzle.compares_solvers:
        return []
    from models.solvers.solver_names import solver_name, solvers

    full = [
        name
        for each in asked or [EVERY_SOLVER]
        for name in (solvers() if each == EVERY_SOLVER else [solver_name(each)])
    ]
    for name in full:
        refuse_unusable(name)
    return list(dict.fromkeys(full))


def writable_folder(name: str | None) -> Path:
    """The folder that `--save` names (default: the current one), which is created when it is
    needed.

    It is tried out before the work, not after it; raises `UserError` if nothing can be written
    there.
    """
    folder = Path(name or "")
    try:
        with TemporaryFile(dir=next(each for each in (folder, *folder.parents) if each.exists())):
            pass
    except OSError as error:
        no_folder = isinstance(error, NotADirectoryError) and folder.exists()
        wrong = " is not a folder" if no_folder else f": {error.strerror or error}"
        if name is None:
            raise UserError(f"cannot write here{wrong}; name a folder with --save") from None
        raise UserError(f"--save {folder}{wrong}") from None
    return folder


def again(
    puzzle: Puzzle, path: Path, options: argparse.Namespace, repeat: int | None = None
) -> str:
    """The command that runs the contenders on the boards of a file, and so many times."""
    return command(
        ["run", puzzle.origin.argument, path_word(path)],
        {**replayed_options(options), "--repeat": repeat},
    )


def replayed_options(options: argparse.Namespace) -> dict[str, Any]:
    """The options of a command that the line which repeats its run has, by name."""
    return {
        each.names[0]: each.value(options)
        for each in options.parser.declared
        if each.replayed and each.value(options) != each.default
    }


def words_that_count(parser: ArgumentParser, command: str) -> list[str]:
    """The words of a command line without the options that change no record."""
    passed_over = {
        name: each.takes_value
        for each in parser.declared
        for name in each.names
        if not each.changes_records
    }
    try:
        words = iter(shlex.split(command))
    except ValueError:  # only a damaged header has an open quote
        return [command]
    counting: list[str] = []
    for word in words:
        name, equals, _ = word.partition("=")
        if name not in passed_over:
            counting.append(word)
        elif passed_over[name] and not equals:
            next(words, None)
    return counting
