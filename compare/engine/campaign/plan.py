"""What is run: datasets, which are instances that share a row of the table; the settings; and the
plan, which says which contender is asked about which instance, how often, and how. Then who carries
it out, and what comes of an ask; what is not compiled yet is compiled first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import puzzles
from compare.engine.elsewhere import Destination, run_places
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits
from compare.engine.work.contenders import (
    EXPECTED,
    Ask,
    BackendContender,
    Contender,
    DatasetCase,
    GivenAnswers,
)
from compare.engine.work.pool import Executor, Lost, Pool, local
from compare.engine.work.result import Kind, Result
from direct.kernel import compiling_s, needs_compiling
from puzzles.answer import Answer
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.shell.exit_status import lack_of_room
from puzzles.shell.process_tree import cores
from puzzles.text import COMPRESSED, InputError, UserError, escape, read_source

ANSWERS = (".ans", ".out", ".a")
"""How the name of a file with the expected answers ends, beside `NAME.in`; the first one that is
there counts. Beside other input files an `.out` is mostly what somebody's solver has printed.
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Instances that share a row of the table.

    Attributes:
        name: the file's stem, or the bundled name.
        path: of the file; None if there is none, or if it is standard input.
        file: the file's stem if it differs from the name; None if it does not, or if there is no
            file.
        family, seeds: how the instances were generated.
        answers: the expected ones, one for each instance; empty if no file says them.
        answers_from: the files that may have them; the first one that is there is read.
    """

    name: str
    instances: Sequence[Instance]
    path: str | None = None
    file: str | None = None
    family: str | None = None
    seeds: Sequence[int] = ()
    answers: Sequence[Answer] = ()
    answers_from: Sequence[str] = ()

    @property
    def digests(self) -> list[str]:
        """Of each instance."""
        return [instance.digest for instance in self.instances]

    def cases(self) -> list[DatasetCase]:
        """Each instance with its place in the dataset."""
        return [
            DatasetCase(
                instance,
                dataset=escape(self.name),
                file=self.file and escape(self.file),
                number=k + 1,
                family=self.family,
                seed=self.seeds[k] if self.seeds else None,
                answer=self.answers[k] if self.answers else None,
            )
            for k, instance in enumerate(self.instances)
        ]


def bundled_datasets(puzzle: Puzzle, left_out: Collection[str] = ()) -> list[Dataset]:
    """The datasets that come with the project: the puzzle's data files, then the bundled instances
    of each family but for those `left_out`.
    """
    datasets = [
        read_dataset(puzzle, str(path), path.parent.name)
        for path in sorted(puzzle.data.glob("*/*.in"))
    ]
    for name, family in puzzle.families.items():
        if name not in left_out:
            datasets.append(of_family(puzzle, name, family.bundled))
    return datasets


def of_family(
    puzzle: Puzzle, family: str, sizes_and_seeds: Sequence[tuple[int, int]], name: str | None = None
) -> Dataset:
    """Instances of a family, as a dataset that has the family's name unless told otherwise.

    Raises:
        UserError: the puzzle has no such family, or the family starts at a larger size.
    """
    instances = [puzzle.family(family).board(size, seed) for size, seed in sizes_and_seeds]
    return Dataset(
        name=name or family,
        instances=instances,
        family=family,
        seeds=tuple(seed for _, seed in sizes_and_seeds),
    )


def stem_of(path: Path) -> str:
    """The name of an input file without its ending: `a` of `a.cnf` and of `a.cnf.xz`."""
    return Path(path.stem).stem if path.suffix in COMPRESSED else path.stem


def answer_files(path: str) -> list[str]:
    """The files beside an input file that may have the expected answers, see `ANSWERS`."""
    if path == "-":
        return []
    suffixes = ANSWERS if Path(path).suffix == ".in" else ANSWERS[:1]
    places = [Path(path).with_name(f"{stem_of(Path(path))}{suffix}") for suffix in suffixes]
    return [str(each) for each in places if each != Path(path) and each.is_file()]


def read_dataset(
    puzzle: Puzzle, path: str, name: str | None = None, format: str | None = None
) -> Dataset:
    """The dataset in an input file, with the expected answers if a file beside it has them; see
    `ANSWERS`.

    Raises:
        UserError: a file cannot be read; `InputError`: its text breaks the format.
    """
    text, shown = read_source(path)
    instances = puzzle.parse(text, shown)
    answers: list[Answer] = []
    beside = answer_files(path)
    if beside:
        answers_text, answers_name = read_source(beside[0])
        try:
            answers = puzzle.answers_in(
                answers_text, instances, puzzle.format(format), answers_name
            )
        except InputError as error:
            if beside[0].endswith(ANSWERS[0]):
                raise
            raise UserError(
                f"{error}. This file counts as the expected answers to {path}: if it has none, "
                "move it away"
            ) from None
    stem = stem_of(Path(path)) if path != "-" else "stdin"
    return Dataset(
        name=name or stem,
        instances=instances,
        path=None if path == "-" else path,
        file=None if name in (None, stem) else stem,
        answers=answers,
        answers_from=beside,
    )


@dataclass(frozen=True)
class Settings:
    """How everything is run.

    Attributes:
        format: the answer format of programs and expected answers (default: each puzzle's first).
        jobs: how many runs may be under way at once. With more than one the timings are less
            reliable.
        plugins: Python files that workers load first.
        elsewhere: where everything is run; None for this machine.
    """

    limits: Limits = DEFAULT_LIMITS
    repeats: int = 1
    check: bool = True
    jobs: int = 1
    format: str | None = None
    plugins: tuple[str, ...] = ()
    elsewhere: Destination | None = None

    @property
    def parallel(self) -> bool:
        """Several runs may be under way at the same time."""
        return self.jobs > 1 or self.elsewhere is not None

    def ask(self, contender: Contender, cases: Sequence[DatasetCase], repeat: int = 1) -> Ask:
        """What a contender is asked. Of a built-in backend only the first repeat is checked;
        foreign code may answer by chance.
        """
        built_in = isinstance(contender, BackendContender) and not contender.foreign
        counts = repeat == 1 or not built_in
        return Ask(
            contender=contender,
            cases=cases,
            repeat=repeat,
            format=self.format,
            limits=self.limits,
            check=self.check and counts,
            recorded=True,
            parallel=self.parallel,
        )


def plan(
    datasets: Iterable[Dataset], contenders: Sequence[Contender], settings: Settings
) -> list[Ask]:
    """Every contender on every instance. On each instance they take turns: all of them once, then
    all of them again.

    Answers that exist already, and what is skipped or spared, are not repeated. If a dataset has
    several instances, each program also gets those that it is not spared in one start, as from a
    contest's file.
    """
    asks: list[Ask] = []
    for dataset in datasets:
        cases, taking_part = dataset.cases(), list(contenders)
        if dataset.answers:
            taking_part.append(GivenAnswers(puzzle=dataset.instances[0].puzzle, name=EXPECTED))
        for case in cases:
            alone = (case,)  # one tuple for all who are asked of it: there may be very many asks
            for repeat in range(1, settings.repeats + 1):
                for contender in taking_part:
                    ask = settings.ask(contender, alone, repeat)
                    if repeat == 1 or not (contender.kind is Kind.GIVEN or ask.skipped_result):
                        asks.append(ask)
        for contender in contenders:
            if contender.kind is Kind.PROGRAM and puzzles.get(contender.puzzle).many_instances:
                asked = (settings.ask(contender, (case,)) for case in cases)
                taken = [ask.cases[0] for ask in asked if ask.skipped_result is None]
                if len(taken) > 1:
                    asks.append(settings.ask(contender, taken))
    return asks


IN_TURN = 2
"""Threads for one run at a time: one is timed while the other certifies and checks the answer
before it.
"""


def executor(settings: Settings, *, many_runs: bool = False) -> AbstractContextManager[Executor]:
    """The executor that the settings ask for.

    Args:
        many_runs: whether several runs are submitted at once.
    """
    if settings.elsewhere is not None:
        place = run_places()[settings.elsewhere.place]
        return place.executor(settings.elsewhere.address, settings.plugins)
    if many_runs and settings.jobs == 1 and settings.check and cores() >= IN_TURN:
        return local(IN_TURN, settings.plugins, one_timed=True)
    return local(settings.jobs, settings.plugins)


def collect(ask: Ask, results: Future[list[Result]]) -> list[Result]:
    """The results of an ask. If the worker was lost, or if this project's own code raised, they are
    CRASH and say so; the comparison goes on.

    Raises:
        UserError: see `carry_out`; the cluster is gone; or this machine has no room.
    """
    try:
        return results.result()
    except (UserError, CancelledError):
        raise
    except Lost as lost:
        return ask.failed(str(lost))
    except Exception as error:
        if (message := lack_of_room(error)) is not None:
            raise UserError(message) from None
        return ask.crashed(error)


_COMPILERS = 2
"""Processes that compile side by side. One puzzle may take longer than all others together."""


def uncompiled_backends(contenders: Iterable[Contender]) -> dict[str, list[BackendContender]]:
    """By puzzle, our direct backends whose kernels Numba's cache beside the sources does not have.

    A puzzle with some kernel in the cache counts as compiled. So does one beside whose sources
    nothing can be written, since other caches are not searched.
    """
    of_puzzles: dict[str, list[BackendContender]] = {}
    for each in dict.fromkeys(contenders):
        if isinstance(each, BackendContender) and each.ours and each.side == "direct":
            of_puzzles.setdefault(each.puzzle, []).append(each)
    return {puzzle: some for puzzle, some in of_puzzles.items() if needs_compiling(puzzle)}


def compile_first(contenders: Iterable[Contender], announce: Callable[[str], object]) -> None:
    """Compile what this machine has not compiled yet; `announce` is called with each such puzzle
    first.

    The puzzle that takes longest comes first, and the others are compiled beside it if there are
    two cores.
    """
    waiting = uncompiled_backends(contenders)
    if not waiting:
        return
    with local(min(len(waiting), _COMPILERS, cores())) as workers:
        compiling: list[Future[None]] = []
        for puzzle in sorted(waiting, key=compiling_s, reverse=True):
            announce(puzzle)
            compiling.append(workers.submit(_compile, waiting[puzzle]))
        for each in compiling:
            each.result()


def _compile(pool: Pool, contenders: Sequence[BackendContender]) -> None:
    """Compile the kernels of some backends in a child; Numba's cache keeps them."""
    for contender in contenders:
        with pool.solver(contender, new=True):
            pass
