"""Arguments that several commands share, and what they ask for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile

import puzzles
from compare.campaign.header import Header
from compare.campaign.journal import Journal, open_journal
from compare.campaign.tasks import Settings
from compare.general.abilities import refuse_unusable
from compare.isolate.outcome import Limits
from compare.show.page_link import MAX_PORT, PORT
from compare.work.contenders import (
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
from models.solvers.solver_names import solver_argument, workers_argument
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


def puzzle_argument(parser: argparse.ArgumentParser) -> None:
    """PUZZLE, which must be named."""
    parser.add_argument("puzzle", metavar="PUZZLE", help=", ".join([*puzzles.names(), OWN_PUZZLE]))


def own_puzzles_argument(parser: argparse.ArgumentParser) -> None:
    """`--puzzle`, of a command that reads records."""
    parser.add_argument(
        "--puzzle",
        action="append",
        default=[],
        metavar="FILE.py",
        help="the file of a puzzle of your own that has records there",
    )


def page_port_argument(parser: argparse.ArgumentParser) -> None:
    """`--port`, of a command that writes links to the page."""
    parser.add_argument(
        "--port",
        type=_whole_number(1, MAX_PORT),
        default=PORT,
        metavar="N",
        help=f"the port of the page, for links (default: {PORT})",
    )


def seed_argument(parser: argparse.ArgumentParser) -> None:
    """`--seed`, of the first board."""
    parser.add_argument(
        "--seed",
        type=at_least_zero,
        default=1,
        metavar="N",
        help="the first board's seed (default: 1)",
    )


def style_argument(parser: argparse.ArgumentParser) -> None:
    """`--format` of a command that prints for people only."""
    parser.add_argument(
        "--format", choices=("table", "markdown"), default="table", help="how to print the tables"
    )


def contender_arguments(parser: argparse.ArgumentParser, *, checks: bool = True) -> None:
    """Who takes part, under which limits, and where runs are made; `checks`: whether the command
    checks answers.
    """
    parser.add_argument(
        "-b",
        "--backend",
        action="append",
        default=[],
        metavar="BACKEND",
        help="direct or models (that side's first backend alone), side:name, or name; may be "
        "repeated",
    )
    parser.add_argument(
        "--program",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="a program that reads the contest's input and prints its output: a command, or a "
        "source file (.cpp, .c, .rs, .java, .kt, .go, .py)",
    )
    parser.add_argument(
        "--partial",
        action="append",
        default=[],
        metavar="NAME",
        help="a program that claims only part of an answer",
    )
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file that registers backends",
    )
    parser.add_argument(
        "--answer-format",
        metavar="F",
        help="the answer format of programs and *.ans files; see `rules PUZZLE`",
    )
    solver_argument(
        parser,
        "a SAT solver for the backends that take one; all: every one of python-sat; may be "
        "repeated",
        several=True,
    )
    workers_argument(parser)
    parser.add_argument(
        "--timeout", type=positive, default=10.0, metavar="S", help="seconds a run (default: 10)"
    )
    parser.add_argument(
        "--memory",
        type=positive,
        metavar="MB",
        help="resident megabytes a run, its children included",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="make runs on a Dask cluster: its scheduler's address, say tcp://host:8786 (default: "
        "on this machine)",
    )
    if checks:
        parser.add_argument(
            "--no-check", action="store_true", help="relate answers, but check none"
        )


def out_arguments(parser: argparse.ArgumentParser, *, resumes: bool = True) -> None:
    """`--out`, `--resume` and `--overwrite`, of a command that keeps records."""
    parser.add_argument(
        "--out",
        metavar="FILE.jsonl",
        help="write a header, then a line of JSON for each run as it ends; a file that is not "
        f"empty needs {'--resume or ' if resumes else ''}--overwrite",
    )
    if resumes:
        parser.add_argument(
            "--resume",
            action="store_true",
            help="go on with the FILE.jsonl that the same command has left, if it is there",
        )
    else:
        parser.set_defaults(resume=False)
    parser.add_argument(
        "--overwrite", action="store_true", help="begin FILE.jsonl anew, whatever it holds"
    )


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


def extended_argument(parser: argparse.ArgumentParser) -> None:
    """`--extended`: programs get every board."""
    parser.add_argument(
        "--extended",
        action="store_true",
        help="give programs also boards that tell more than the contest's format can say, such "
        "as a "
        "number of mines",
    )


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


def _whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
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


at_least_one, at_least_zero = _whole_number(1), _whole_number(0)


def refuse_too_many(cases: int, size: int) -> None:
    """Raise `UserError` if so many boards of this size do not fit into memory."""
    if cases > MAX_CASES:
        raise UserError(f"--cases: at most {MAX_CASES:,} boards at once, not {cases:,}")
    if cases * size**2 > MAX_CELLS:
        raise UserError(
            f"{cases:,} boards of size {size:,} have more than {MAX_CELLS:,} cells: ask for "
            "fewer or smaller ones"
        )


def settings(options: argparse.Namespace) -> Settings:
    """The settings that the arguments ask for."""
    memory = None if options.memory is None else int(options.memory * 2**20)
    return Settings(
        limits=Limits(seconds=options.timeout, memory=memory),
        repeats=getattr(options, "repeat", 1),
        check=not getattr(options, "no_check", True),
        jobs=getattr(options, "jobs", None) or 1,
        format=options.answer_format,
        plugins=tuple(options.plugin),
        scheduler=options.scheduler,
    )


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
    names = names or [
        side for side, each in SIDES.items() if several and each.backends(puzzle.name)
    ]
    asked = {
        "solver": asked_for[0] if asked_for and not several else None,
        "workers": options.cpsat_workers,
    }
    chosen = choose(
        puzzle, names, {name: value for name, value in asked.items() if value is not None}
    )
    who = ", ".join(each.name for each in chosen)
    if (
        options.solver
        and EVERY_SOLVER not in options.solver
        and chosen
        and not any(each.solver for each in chosen)
    ):
        raise UserError(
            f"--solver {' --solver '.join(options.solver)}: none of {who} uses a SAT solver"
        )
    if options.cpsat_workers is not None:
        if not any(map(takes_workers, chosen)):
            raise UserError(f"--cpsat-workers {options.cpsat_workers}: none of {who} uses CP-SAT")
        chosen = with_workers(chosen, options.cpsat_workers)
    if several:
        chosen = with_solvers(chosen, asked_for)
    everyone = [
        *chosen,
        *programs(puzzle, options.program, options.partial, extended=options.extended),
    ]
    if not everyone:
        raise UserError(
            f"{puzzle.name} has no backend yet: write one into "
            f"{puzzle.home.place_of_backend('direct')}, a function under "
            f"@backend({puzzle.name!r}, NAME, side=..., source=...), or name a program with "
            "--program"
        )
    return everyone


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
