"""`compare stress`: any two programs and a generator; the smallest input on which they differ."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from tqdm import tqdm

from compare.campaign.tasks import Settings
from compare.commands.arguments import (
    at_least_one,
    at_least_zero,
    out_arguments,
    positive,
    records_file,
    writable_folder,
)
from compare.isolate.outcome import Limits
from compare.show.progress import progress_bar
from compare.show.stressed import closing_lines, noticed_line, replayed_text, shrunk_text
from compare.show.wording import line_width, wrapped
from compare.stress.stress_plan import OK, REFUSED, Program, StressPlan, TriedInput
from compare.stress.stress_records import SHRUNK, records_of
from compare.stress.stress_search import (
    ShrunkInput,
    StressSearch,
    try_input,
    with_checker_style,
)
from compare.work.pool import local
from compare.work.source_programs import words_of
from puzzles.shell.streams import visible
from puzzles.text import UserError, read_source

DEFAULT_SECONDS, DEFAULT_TIMEOUT_S, DEFAULT_SHRINK_S = 10.0, 5.0, 60.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "programs",
        nargs="+",
        metavar="PROGRAM",
        help="two or more: a source file (.cpp, .c, .rs, .java, .kt, .go, .py) or a command; the "
        "first one is the reference",
    )
    inputs = parser.add_mutually_exclusive_group(required=True)
    inputs.add_argument(
        "--generator",
        metavar="CMD",
        help="prints an input; it gets a seed as its last argument, or where {seed} stands, and a "
        "size where {size} stands",
    )
    inputs.add_argument(
        "--inputs",
        nargs="+",
        metavar="FILE",
        help="change these at random; --validator says which are inputs, or a reference that ends "
        "with another status than 0",
    )
    inputs.add_argument("--replay", metavar="FILE", help="try this input, and nothing else")
    parser.add_argument(
        "--validator",
        metavar="CMD",
        help="reads an input; ends with status 0 (or 42) if it is valid",
    )
    parser.add_argument(
        "--checker", metavar="CMD", help="judges an output: a checker of testlib or of Kattis"
    )
    comparing = parser.add_mutually_exclusive_group()
    comparing.add_argument(
        "--exact",
        action="store_true",
        help="outputs must be equal byte by byte (default: word by word)",
    )
    comparing.add_argument(
        "--float",
        type=positive,
        metavar="EPS",
        help="numbers may differ by EPS, absolutely or relatively",
        dest="tolerance",
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        metavar="S",
        help="stop after S seconds (default: 10, or until --cases)",
    )
    parser.add_argument("--cases", type=at_least_one, metavar="N", help="inputs to try")
    parser.add_argument(
        "--timeout",
        type=positive,
        default=DEFAULT_TIMEOUT_S,
        metavar="S",
        help="seconds a start (default: 5)",
    )
    parser.add_argument(
        "--memory",
        type=positive,
        metavar="MB",
        help="resident megabytes a start, its children included",
    )
    parser.add_argument(
        "--seed", type=at_least_zero, default=1, metavar="N", help="of the first input (default: 1)"
    )
    parser.add_argument(
        "--size",
        type=at_least_one,
        default=10,
        metavar="K",
        help="the largest {size} (default: 10)",
    )
    parser.add_argument(
        "--shrink-seconds",
        type=positive,
        default=DEFAULT_SHRINK_S,
        metavar="S",
        help="seconds that shrinking may take (default: 60)",
    )
    parser.add_argument(
        "--jobs",
        type=at_least_one,
        metavar="N",
        help="inputs that are tried at once (default: one a core)",
    )
    parser.add_argument(
        "--save", metavar="DIR", help="where the failing input goes (default: here)"
    )
    out_arguments(parser, resumes=False)


def main(options: argparse.Namespace) -> int:
    """Exit status 0 if all programs agree, 1 if something is wrong."""
    if len(options.programs) < 2:
        raise UserError("stress takes two programs or more: the first one is the reference")
    folder = writable_folder("--save", options.save)
    plan = StressPlan(
        programs=_programs(options.programs),
        generator=_words("--generator", options.generator),
        texts=tuple(
            _text(path) for path in options.inputs or ([options.replay] if options.replay else [])
        ),
        validator=_words("--validator", options.validator),
        checker=_words("--checker", options.checker),
        exact=options.exact,
        tolerance=options.tolerance,
        limits=Limits(
            options.timeout, None if options.memory is None else int(options.memory * 2**20)
        ),
        seed=options.seed,
        size=options.size,
        keeps_all=options.out is not None,
    )
    if options.replay is not None:
        return _replay(plan)
    interrupted, width, jobs = False, line_width(), options.jobs or os.cpu_count() or 1
    seconds = options.seconds or (None if options.cases else DEFAULT_SECONDS)
    with (
        records_file(options, Settings(limits=plan.limits, jobs=jobs)) as file,
        progress_bar(unit="input", total=options.cases) as bar,
    ):
        reference, *others = (each.name for each in plan.programs)
        tqdm.write(
            visible(f"stress, seed {plan.seed}: {reference} (the reference), {', '.join(others)}")
        )
        sys.stdout.flush()

        def keep(number: int, tried: TriedInput, dataset: str = "") -> None:
            for record in records_of(plan, tried, number, jobs=jobs, dataset=dataset):
                if file is not None:
                    file.write(record.line())

        def progress(inputs: int, doing: str) -> None:
            bar.set_postfix_str(doing, refresh=False)
            bar.update(inputs)

        search = StressSearch(
            plan,
            cases=options.cases,
            seconds=seconds,
            shrink_seconds=options.shrink_seconds,
            jobs=jobs,
            noticed=lambda failing: tqdm.write(
                visible(wrapped(noticed_line(plan, failing), width))
            ),
            kept=keep,
            progress=progress,
        )
        try:
            search.run()
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            interrupted = True
        if search.shrunk is not None:
            keep(0, search.shrunk.smallest, SHRUNK)
    if search.shrunk is not None:
        path = _save(folder, plan, search.shrunk)
        print(visible(shrunk_text(plan, search.shrunk, str(path), _replay_words(path, options))))
    for line in closing_lines(search, plan.seed):
        print(visible(wrapped(line, width)))
    if interrupted:
        return 130
    if search.shrunk is None and not search.total.tried:
        refused = (
            f": none of the first {search.total.refused} is valid" if search.total.refused else ""
        )
        raise UserError(f"no input was tried{refused}; give more --seconds")
    return 1 if search.shrunk is not None else 0


def _programs(commands: Sequence[str]) -> tuple[Program, ...]:
    """The programs, each with a name of its own: that of its file."""
    programs: list[Program] = []
    for command in commands:
        words = words_of(f"the program {command}", command)
        written = [command] if Path(command).is_file() else shlex.split(command)
        source = next(
            (word for word in written if Path(word).suffix and Path(word).is_file()), written[0]
        )
        stem = Path(source).stem
        taken = sum(each.name.rstrip("0123456789") == stem for each in programs)
        programs.append(Program(f"{stem}{taken + 1}" if taken else stem, words))
    return tuple(programs)


def _words(option: str, command: str | None) -> tuple[str, ...]:
    return () if command is None else words_of(option, command)


def _text(path: str) -> str:
    return read_source(path)[0].decode("utf-8", "replace")


def _replay(plan: StressPlan) -> int:
    """Try the input of one file; returns the exit status."""
    with local(1) as worker:
        plan = with_checker_style(plan, worker)
        tried = worker.submit(try_input, plan, plan.texts[0]).result()
    if tried.marks == (REFUSED,):
        raise UserError("the validator refuses this input")
    print(visible(replayed_text(plan, tried)))
    return 0 if all(mark == OK for mark in tried.marks) else 1


def _save(folder: Path, plan: StressPlan, shrunk: ShrunkInput) -> Path:
    """Write the smallest input, and beside it what each program printed; returns the path of the
    input.
    """
    smallest = shrunk.smallest
    kind = next(mark for mark in smallest.marks if mark != OK).lower()
    path = folder / f"{kind}-{sha256(smallest.text.encode()).hexdigest()[:16]}.in"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(smallest.text)
        for program, outcome in zip(plan.programs, smallest.outcomes, strict=True):
            if outcome.ok:
                path.with_suffix(f".{program.name}.out").write_bytes(outcome.value)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}\n{smallest.text}") from None
    return path


def _replay_words(path: Path, options: argparse.Namespace) -> str:
    """The command that tries one input again."""
    words = ["python", "-m", "compare", "stress", *options.programs, "--replay", str(path)]
    for flag, value in (
        ("--validator", options.validator),
        ("--checker", options.checker),
        ("--float", options.tolerance),
        ("--memory", options.memory),
        ("--timeout", None if options.timeout == DEFAULT_TIMEOUT_S else options.timeout),
    ):
        if value is not None:
            words += [flag, f"{value:g}" if isinstance(value, float) else value]
    return shlex.join([*words, *(["--exact"] if options.exact else [])])
