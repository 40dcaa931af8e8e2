"""`compare stress`: any two programs and a generator; the smallest input on which they differ."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from compare.commands.arguments import (
    CASES,
    DOCUMENT,
    GENERATOR,
    INPUT_FILE,
    INPUTS,
    JOBS,
    MEMORY_MB,
    OUT,
    OUTPUT_FILE,
    OVERWRITE,
    QUIET,
    SAVE,
    SECONDS,
    SEED,
    SHRINK_SECONDS,
    SIZE,
    TEXT_OR_JSON,
    TIMEOUT,
    limits,
    program_files,
    records_file,
    replayed_options,
    writable_folder,
)
from compare.commands.checkers import CHECKER_ARGUMENTS, OK, WRONG_ANSWERS, OutputChecker
from compare.commands.stress.stress_plan import NO_INPUT, StressPlan, TriedInput
from compare.commands.stress.stress_search import (
    ShrunkInput,
    StressSearch,
    try_input,
    with_checker_style,
)
from compare.commands.stress.text_puzzle import PUZZLE, SHRUNK, records_of
from compare.commands.stress.words import (
    closing_lines,
    fault_reports,
    last_line,
    noticed_line,
    program_tallies,
    replayed_text,
    shrunk_text,
)
from compare.engine.campaign.plan import Settings
from compare.engine.campaign.summaries import Headline
from compare.engine.work.contenders import ProgramContender
from compare.engine.work.pool import local
from compare.engine.work.programs import ProgramFiles
from compare.engine.work.result import Result
from compare.engine.work.source_programs import words_of
from compare.show.conclusion import WRONG, Conclusion, FaultReport, blames, printing
from compare.show.messages import LastLine
from compare.show.wording import command, progress_bar, run_until_interrupted, say, write
from puzzles.shell.argument_parser import Argument, ArgumentParser, positive
from puzzles.shell.interruption import INTERRUPTED
from puzzles.shell.output_files import whole_file, writing
from puzzles.text import UserError, read_source, visible

DEFAULT_SECONDS = 10.0


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "programs",
            "two or more: a source file (.cpp, .c, .rs, .java, .kt, .go, .py) or a command; the "
            "first one is the reference",
            metavar="PROGRAM",
            nargs="+",
            is_command=True,
        )
    )
    parser.add_one_of(
        replace(
            GENERATOR,
            help="prints an input; it gets a seed as its last argument, or where {seed} stands, "
            "and a size where {size} stands",
        ),
        Argument(
            "--inputs",
            "change these at random; --validator says which are inputs, or a reference that ends "
            "with another status than 0",
            metavar="FILE",
            nargs="+",
            group=INPUTS,
            is_read=True,
        ),
        Argument(
            "--replay",
            "try this input, and nothing else",
            metavar="FILE",
            group=INPUTS,
            is_read=True,
        ),
        required=True,
    )
    parser.add(
        Argument(
            "--validator",
            "reads an input; ends with status 0 (or 42) if it is valid",
            metavar="CMD",
            group=INPUTS,
            replayed=True,
            is_command=True,
        ),
        *CHECKER_ARGUMENTS,
        replace(INPUT_FILE, help=f"{INPUT_FILE.help} (the reference: on both)"),
        replace(OUTPUT_FILE, help=f"{OUTPUT_FILE.help} (the reference may print it)"),
        replace(
            SECONDS, help=f"stop after S seconds (default: {DEFAULT_SECONDS:g}, or until --cases)"
        ),
        replace(CASES, help="inputs to try"),
        replace(TIMEOUT, help="seconds a start (default: %(default)g)", default=5.0),
        replace(MEMORY_MB, help="resident megabytes a start, its children included"),
        replace(SEED, help="of the first input (default: %(default)s)"),
        replace(SIZE, help="the largest {size} (default: %(default)s)", default=10),
        replace(
            SHRINK_SECONDS,
            help="seconds that shrinking may take, once the shape of inputs is learned (default: "
            "%(default)g)",
            default=60.0,
        ),
        replace(JOBS, help="inputs that are tried at once (default: one a core)"),
        replace(SAVE, help="where the failing input goes (default: here)"),
    )
    parser.add_one_of(
        Argument(
            "--exact",
            "outputs must be equal byte by byte (default: word by word)",
            group=INPUTS,
            replayed=True,
        ),
        Argument(
            "--float",
            "numbers may differ by EPS, absolutely or relatively",
            metavar="EPS",
            type=positive,
            dest="tolerance",
            group=INPUTS,
            replayed=True,
        ),
    )
    parser.add(
        replace(OUT, help=OUT.help.replace("--resume or ", "")),
        OVERWRITE,
        TEXT_OR_JSON,
        QUIET,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """What the search came to; says it. Exit status 0 if all programs agree, 1 if something is
    wrong.
    """
    if len(options.programs) < 2:
        raise UserError("stress takes two programs or more: the first one is the reference")
    folder = writable_folder(options.save)
    plan = _plan(options)
    if options.replay is not None:
        return _replay(plan, options)
    jobs = options.jobs or os.cpu_count() or 1
    results: list[Result] = []
    faults: list[FaultReport] = []
    with (
        records_file(options, Settings(limits=plan.limits, jobs=jobs)) as file,
        progress_bar(quiet=options.quiet, unit="input", total=options.cases) as bar,
    ):
        reference, *others = (each.name for each in plan.programs)
        if not options.quiet:
            say(f"stress, seed {plan.seed}: {reference} (the reference), {', '.join(others)}")

        def keep(number: int, tried: TriedInput, dataset: str = "") -> None:
            for record in records_of(plan, tried, number, jobs=jobs, dataset=dataset):
                if options.results:
                    results.append(record)
                if file is not None:
                    file.write(record.line())

        def progress(inputs: int, doing: str) -> None:
            bar.set_postfix_str(doing, refresh=False)
            bar.update(inputs)

        def note_discovery(shrunk: ShrunkInput) -> None:
            keep(0, shrunk.smallest, SHRUNK)
            path, first = _save(folder, plan, shrunk)
            again = {"--replay": path, **replayed_options(options)}
            replay = command(["stress", *options.programs], again)
            text = visible(shrunk_text(plan, shrunk, path, first, replay))
            write(text)
            faults.extend(fault_reports(plan, shrunk.smallest, text, replay))

        search = StressSearch(
            plan,
            cases=options.cases,
            seconds=options.seconds or (None if options.cases else DEFAULT_SECONDS),
            shrink_seconds=options.shrink_seconds,
            jobs=jobs,
            noticed=lambda failing: say(noticed_line(plan, failing)),
            discovered=note_discovery,
            kept=keep,
            progress=progress,
        )
        stopped = run_until_interrupted(lambda: search.run(local(jobs)))
    say(*closing_lines(search, quiet=options.quiet))
    ending = last_line(search, faults, stopped=stopped)
    status = 1 if faults else 0 if search.total.tried else 2
    return Conclusion(
        verdict=ending.headline,
        last_line=str(ending),
        exit_status=INTERRUPTED if stopped else status,
        faults=faults,
        tallies=program_tallies(plan, search.total.tried, faults),
        results=results,
    )


main = printing(conclude)


def _plan(options: argparse.Namespace) -> StressPlan:
    """What is compared on which inputs; raises `UserError` if a program or file is not there."""
    checker = OutputChecker.of(options.checker, options.better)
    texts = options.inputs or ([options.replay] if options.replay else [])
    commands = {"--generator": options.generator, "--validator": options.validator}
    generator, validator = (
        () if each is None else words_of(option, each) for option, each in commands.items()
    )
    return StressPlan(
        programs=_programs(options.programs, program_files(options)),
        generator=generator,
        texts=tuple(read_source(path)[0].decode("utf-8", "replace") for path in texts),
        validator=validator,
        checker=checker,
        exact=options.exact,
        tolerance=options.tolerance,
        limits=limits(options),
        seed=options.seed,
        size=options.size,
        keeps_all=options.out is not None or options.results,
    )


def _programs(commands: Sequence[str], files: ProgramFiles) -> tuple[ProgramContender, ...]:
    """The programs, each with a name of its own: that of its file.

    The reference is not under test, so it may use the standard streams, whatever the files.
    """
    programs: list[ProgramContender] = []
    for program in commands:
        words = words_of(f"the program {program}", program)
        written = [program] if Path(program).is_file() else shlex.split(program)
        source = next(
            (word for word in written if Path(word).suffix and Path(word).is_file()), written[0]
        )
        stem = Path(source).stem
        taken = sum(each.name.rstrip("0123456789") == stem for each in programs)
        name = f"{stem}{taken + 1}" if taken else stem
        where = replace(files, or_standard=not programs)
        programs.append(ProgramContender(puzzle=PUZZLE.name, name=name, command=words, files=where))
    return tuple(programs)


def _replay(plan: StressPlan, options: argparse.Namespace) -> Conclusion:
    """What came of the input of one file; says it."""
    with (
        records_file(options, Settings(limits=plan.limits), planned=len(plan.programs)) as file,
        local(1) as worker,
    ):
        plan = with_checker_style(plan, worker, may_reject=True)
        tried = worker.submit(try_input, plan, plan.texts[0]).result()
        if tried.marks == (NO_INPUT,):
            raise UserError("the validator refuses this input")
        results = list(records_of(plan, tried, 0, jobs=1))
        if file is not None:
            for record in results:
                file.write(record.line())
    text = visible(replayed_text(plan, tried))
    write(text)
    faults = fault_reports(plan, tried, text, command(options.words, {}))
    ending = LastLine(Headline.ALL_AGREE, blames(faults), facts=["1 input"])
    return Conclusion(
        verdict=ending.headline,
        last_line=str(ending),
        exit_status=int(bool(faults)),
        faults=faults,
        tallies=program_tallies(plan, 1, faults),
        results=results if options.results else [],
    )


def _save(folder: Path, plan: StressPlan, shrunk: ShrunkInput) -> tuple[Path, Path]:
    """Write the smallest input, and beside it what each program printed, and the first failing
    input; returns the paths of both inputs.
    """
    smallest, original = shrunk.smallest, shrunk.original
    mark = next(mark for mark in smallest.marks if mark != OK)
    kind = (WRONG if mark in WRONG_ANSWERS else mark).lower()
    path = folder / f"{kind}-{sha256(smallest.text.encode()).hexdigest()[:16]}.in"
    first = path if smallest.text == original.text else path.with_suffix(".first.in")
    contents = {first: original.text.encode(), path: smallest.text.encode()} | {
        path.with_suffix(f".{program.name}.out"): outcome.value
        for program, outcome in zip(plan.programs, smallest.outcomes, strict=True)
        if outcome.ok
    }
    with writing(path, f"\n{smallest.text}first failing input: {plan.origin(shrunk.number)}"):
        folder.mkdir(parents=True, exist_ok=True)
        for each, content in contents.items():
            with whole_file(each) as file:
                file.write(content)
    return path, first
