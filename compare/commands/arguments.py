"""Arguments that several commands share, and what they ask for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import puzzles
from compare.engine.campaign.header import Header
from compare.engine.campaign.journal import (
    Journal,
    RecordFile,
    open_journal,
    open_records,
    warn_of_torn,
)
from compare.engine.campaign.tasks import Settings
from compare.engine.elsewhere import Destination, places
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits
from compare.engine.work.abilities import refuse_unusable
from compare.engine.work.contenders import (
    EVERY_SOLVER,
    SIDES,
    BackendContender,
    ProgramContender,
    choose,
    programs,
    takes_workers,
    with_solvers,
    with_workers,
)
from compare.engine.work.programs import STANDARD, ProgramFiles
from compare.show.table import FORMATS
from compare.show.wording import command
from models.solvers.solver_names import solver_argument, workers_argument
from puzzles.backend import TO_TAKE_A_SOLVER
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, abridged, shown, whole_number

MAX_CASES, MAX_CELLS = 10**6, 10**8
"""Boards of a family, and their cells in all, that a command keeps in memory at once."""

OWN_PUZZLE = "or the path of a Python file of your own"
"""What else may stand in the place of a puzzle's name."""

_LARGEST = 10**9
"""Seconds or megabytes above which a limit is taken for a mistake."""

_MAX_DIGITS = 18
"""Digits of a whole number; a seed may have as many."""


def positive(text: str) -> float:
    """A number above 0, written with ASCII digits, and no larger than any limit that makes
    sense.
    """
    try:
        value = float(text if text.isascii() and "_" not in text else "no number")
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {shown(text)}") from None
    if not 0 < value <= _LARGEST:
        wanted = "more than 0" if value <= 0 else f"a number of at most {_LARGEST:,}"
        raise argparse.ArgumentTypeError(f"must be {wanted}, not {abridged(text)}")
    return value


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`."""

    def read(text: str) -> int:
        value = whole_number(text.removeprefix("-"), _MAX_DIGITS)
        if value is None:
            raise argparse.ArgumentTypeError(f"must be a whole number, not {shown(text)}")
        value = -value if text.startswith("-") else value
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {value}")
        if most is not None and value > most:
            raise argparse.ArgumentTypeError(f"must be at most {most}, not {value}")
        return value

    return read


at_least_one, at_least_zero = whole(1), whole(0)


def file_name(text: str) -> str:
    """The name of a file in the folder of a program."""
    if text in ("", os.curdir, os.pardir) or os.sep in text or "\0" in text:
        raise argparse.ArgumentTypeError(
            f"must be the name of a file in the program's own folder, not {shown(text)}"
        )
    return text


_FLAG = {"action": "store_true"}
_COUNT = {"type": at_least_one, "metavar": "N"}
_FROM_ZERO = {"type": at_least_zero, "metavar": "N"}
_COMMAND = {"metavar": "CMD"}
_NAME = {"type": file_name, "metavar": "NAME"}
_SECONDS = {"type": positive, "metavar": "S"}
_SEVERAL: dict[str, Any] = {"action": "append", "default": []}

OPTIONS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        (
            *("--strict", "--quiet", "--extended", "--keep-going", "--no-check", "--wide"),
            *("--resume", "--overwrite", "--count", "--exact", "--graph", "--numbers"),
            "--no-browser",
        ),
        _FLAG,
    ),
    **dict.fromkeys(
        (
            *("--cases", "--size", "--smallest", "--largest", "--boards", "--solutions"),
            *("--jobs", "--repeat"),
        ),
        _COUNT,
    ),
    **dict.fromkeys(("--timeout", "--seconds", "--shrink-seconds"), _SECONDS),
    **dict.fromkeys(("--generator", "--validator", "--checker"), _COMMAND),
    **dict.fromkeys(("--input-file", "--output-file"), _NAME),
    "--seed": {**_FROM_ZERO, "default": 1},
    "--memory": {"type": positive, "metavar": "MB"},
    "--format": {"choices": FORMATS, "default": "table"},
    "--answer-format": {"metavar": "F"},
    "--backend": {**_SEVERAL, "metavar": "BACKEND"},
    "--program": {**_SEVERAL, "metavar": "NAME=COMMAND"},
    "--partial": {**_SEVERAL, "metavar": "NAME"},
    "--plugin": {**_SEVERAL, "metavar": "FILE"},
    "--puzzle": {**_SEVERAL, "metavar": "FILE.py"},
    "--family": {**_SEVERAL, "metavar": "F"},
    "--point": {**_SEVERAL, "metavar": "POINT"},
    "--out": {"metavar": "FILE.jsonl"},
    "--save": {"metavar": "DIR"},
    "--proof": {"metavar": "DIR"},
    "--out-dir": {"metavar": "DIR"},
}
"""What each option is in every command that has it."""

_SHORT = {"--backend": "-b", "--quiet": "-q"}

PLUGIN_HELP = "a Python file that registers backends; may be repeated"
OWN_RECORDS_HELP = "the file of a puzzle of your own that has records there"
FILES_HELP = {
    "--input-file": "programs find the input in a file of this name in their folder, and not on "
    "standard input",
    "--output-file": "programs write their output to a file of this name",
}
SEED_HELP = "the first board's seed (default: 1)"
TABLES_HELP = "how to print the tables"


def add_options(parser: Any, helps: Mapping[str, str], **defaults: object) -> None:
    """Give a parser, or a group of one, some of `OPTIONS`, with what they do there.

    `defaults`: by destination, where a command has one of its own.
    """
    for name, text in helps.items():
        names = [_SHORT[name], name] if name in _SHORT else [name]
        parser.add_argument(*names, help=text, **OPTIONS[name])
    parser.set_defaults(**defaults)


def puzzle_argument(parser: argparse.ArgumentParser) -> None:
    """PUZZLE, which must be named."""
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join([*puzzles.names(), OWN_PUZZLE]))


def contender_arguments(parser: argparse.ArgumentParser, *, checks: bool = True) -> None:
    """Who takes part, under which limits, and where runs are made; `checks`: whether the command
    checks answers.
    """
    add_options(
        parser,
        {
            "--backend": "direct or models (that side's first backend alone), side:name, or name; "
            "may be repeated",
            "--program": "a program that reads the contest's input and prints its output: a "
            "command, or a source file (.cpp, .c, .rs, .java, .kt, .go, .py)",
            **FILES_HELP,
            "--partial": "a program that claims only part of an answer",
            "--plugin": PLUGIN_HELP,
            "--answer-format": "the answer format of programs and of expected answers; see `rules "
            "PUZZLE`",
            "--timeout": "seconds a run (default: 10)",
            "--memory": "resident megabytes a run, its children included",
            "--extended": "give programs all boards, also those that their contest promises not to "
            "give; `rules PUZZLE` lists its promises",
            **({"--no-check": "relate answers, but check none"} if checks else {}),
        },
        timeout=10.0,
    )
    for place in places().values():
        parser.add_argument(place.option, metavar="ADDRESS", help=place.help)
    solver_argument(
        parser,
        "a SAT solver for the backends that take one; all: every one of python-sat; may be "
        "repeated",
        several=True,
    )
    workers_argument(parser)


def out_arguments(parser: argparse.ArgumentParser, *, resumes: bool = True) -> None:
    """`--out`, `--resume` and `--overwrite`, of a command that keeps records."""
    resume = "go on with the FILE.jsonl that the same command has left, if it is there"
    add_options(
        parser,
        {
            "--out": "write a header, then a line of JSON for each run as it ends; a file that is "
            f"not empty needs {'--resume or ' if resumes else ''}--overwrite",
            **({"--resume": resume} if resumes else {}),
            "--overwrite": "begin FILE.jsonl anew, whatever it holds",
        },
        resume=False,
    )


@contextmanager
def recorded(paths: Sequence[str], own: Sequence[str]) -> Iterator[list[RecordFile]]:
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
    options: argparse.Namespace, chosen: Settings
) -> AbstractContextManager[Journal | None]:
    """The file that `--out` names, open for records; nothing without `--out`."""
    if options.resume and options.overwrite:
        raise UserError(
            "--resume goes on with a file, --overwrite begins it anew: give one of them"
        )
    if options.out is not None:
        header = Header.of(options.words, chosen)
        return open_journal(options.out, header, resume=options.resume, overwrite=options.overwrite)
    if options.resume or options.overwrite:
        raise UserError(f"--{'resume' if options.resume else 'overwrite'} needs --out FILE.jsonl")
    return nullcontext()


def refuse_too_many(cases: int, size: int) -> None:
    """Raise `UserError` if so many boards of this size do not fit into memory."""
    if cases > MAX_CASES:
        raise UserError(f"--cases: at most {MAX_CASES:,} boards at once, not {cases:,}")
    if cases * size**2 > MAX_CELLS:
        raise UserError(
            f"{cases:,} boards of size {size:,} have more than {MAX_CELLS:,} cells: ask for "
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
    for place in places().values():
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
    if options.cpsat_workers is not None:
        asked["workers"] = options.cpsat_workers
    chosen = choose(puzzle, names, asked)
    who = ", ".join(each.name for each in chosen)
    one_named = options.solver and EVERY_SOLVER not in options.solver
    if one_named and chosen and not any(each.solver for each in chosen):
        foreign = any(each.side == "models" and not each.ours for each in chosen)
        raise UserError(
            f"--solver {' --solver '.join(options.solver)}: none of {who} takes a SAT solver"
            + f"; {TO_TAKE_A_SOLVER}" * foreign
        )
    if options.cpsat_workers is not None:
        if not any(map(takes_workers, chosen)):
            raise UserError(f"--cpsat-workers {options.cpsat_workers}: none of {who} uses CP-SAT")
        chosen = with_workers(chosen, options.cpsat_workers)
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


def writable_folder(option: str, name: str | None) -> Path:
    """The folder that an option names (default: the current one), which is created when it is
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
            raise UserError(f"cannot write here{wrong}; name a folder with {option}") from None
        raise UserError(f"{option} {folder}{wrong}") from None
    return folder


def again(
    puzzle: Puzzle,
    path: Path,
    options: argparse.Namespace,
    limit_s: float | None = None,
    repeat: int | None = None,
) -> str:
    """The command that runs the contenders on the boards of a file, for at most `limit_s` seconds
    each if that is given, and so many times.
    """
    timeout = limit_s or options.timeout
    who = given(
        options,
        *("--program", "--input-file", "--output-file", "--partial", "--plugin"),
        *("--answer-format", "--solver"),
    )
    return command(
        ["run", puzzle.origin.argument, str(path)],
        {
            "-b": options.backend,
            **who,
            **given(options, "--cpsat-workers", "--memory"),
            "--timeout": f"{timeout:.3g}" if timeout != DEFAULT_LIMITS.seconds else None,
            **given(options, "--extended"),
            "--repeat": repeat,
        },
    )


def given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """What was given for some options, by their names."""
    return {name: getattr(options, name[2:].replace("-", "_")) for name in names}
