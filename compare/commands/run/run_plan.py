"""What `compare run` is to do: the backends and programs, on the datasets that its options name.

An input file with one instance, such as a formula, is read when its turn comes; all others are read
here.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import puzzles
from compare.commands.arguments import contenders, refuse_too_many
from compare.commands.run.campaign import LateDataset, Names
from compare.engine.campaign.plan import (
    ANSWERS,
    Dataset,
    Settings,
    answer_files,
    bundled_datasets,
    of_family,
    plan,
    read_dataset,
)
from compare.engine.campaign.ratios import called, no_contender
from compare.engine.work.contenders import Ask, Contender, backends
from compare.engine.work.plugins import register_plugins
from compare.show.conclusion import ContenderTally, FaultReport
from compare.show.wording import warn
from puzzles.puzzle import Puzzle
from puzzles.registry import BrokenPuzzle
from puzzles.text import COMPRESSED, UserError, quote_beginning, visible

DEFAULT_SIZE = 30
"""The size of a family's boards unless `--size` names others."""

_UNREADABLE = "UNREADABLE"
"""The kind of a fault that is about an input file, or about the files of a puzzle."""

MAX_OTHERS = 5
"""Files beside the input files of a folder that a message names; the rest is counted."""


@dataclass(kw_only=True)
class RunPlan:
    """What a run is to do.

    Attributes:
        asks: what is asked of the contenders on datasets that have been read.
        late: the input files that are read when their turn comes.
        datasets: all datasets, `late` among them.
        unreadable: the input files and puzzles that cannot be read.
        left_out: the names of runs of which `-k` takes none.
    """

    asks: list[Ask] = field(default_factory=list)
    late: list[LateDataset] = field(default_factory=list)
    datasets: list[Dataset | LateDataset] = field(default_factory=list)
    unreadable: list[FaultReport] = field(default_factory=list)
    left_out: list[Names] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """How many runs there are at most."""
        return sum(len(ask.cases) for ask in self.asks) + sum(each.runs for each in self.late)

    def note_unreadable(self, dataset: LateDataset, error: UserError) -> None:
        """Note a file that could not be read when its turn came; says it if there are others."""
        self.unreadable.append(_unreadable(dataset.puzzle.name, dataset.path, error))
        if len(self.late) > 1:
            warn(self.unreadable[-1].reason)

    def refuse_if_all_unreadable(self) -> None:
        """Raise `UserError` if no file could be read when its turn came."""
        if not self.late or len(self.unreadable) < len(self.late):
            return
        every_file = f"none of the {len(self.late)} files can be read"
        raise UserError(self.reasons if len(self.late) == 1 else every_file)

    @property
    def reasons(self) -> str:
        """Why files and puzzles cannot be read."""
        return "\n".join(each.reason for each in self.unreadable)

    def files(self) -> Iterator[str]:
        """The files with inputs and expected answers, also those that cannot be read."""
        paths = [
            *(each.path for each in (*self.datasets, *self.late) if each.path is not None),
            *(each.part for each in self.unreadable),
        ]
        for path in paths:
            yield path
            yield from answer_files(path)

    @property
    def tallies(self) -> list[ContenderTally]:
        """A tally of each file or puzzle that cannot be read."""
        return [
            ContenderTally(puzzle=each.puzzle, part=each.part, counts={_UNREADABLE: 1}, failed=1)
            for each in self.unreadable
        ]


def plan_of(options: argparse.Namespace, chosen: Settings) -> RunPlan:
    """What the options ask for; raises `UserError` if that is nothing."""
    run_plan = RunPlan()
    for puzzle in _puzzles(options, run_plan):
        of_view = _backends_to_show(puzzle, options) if options.show else options.backend
        taking_part = contenders(puzzle, options, of_view)
        if options.path and not puzzle.many_instances:
            run_plan.late += [
                LateDataset(
                    puzzle=puzzle,
                    path=path,
                    folder=folder,
                    contenders=taking_part,
                    settings=chosen,
                )
                for path, folder in _files(puzzle, options.path)
            ]
            warn(*_said_of_answers(run_plan.late))
            continue
        of_families = _left_out(puzzle, taking_part, options)
        run_plan.left_out += of_families
        read, bad = _datasets(puzzle, options, {family for _, family, _ in of_families})
        run_plan.unreadable += bad
        run_plan.datasets += read
        run_plan.asks += plan(read, taking_part, chosen)
    options.parser.refuse_to_write(options, run_plan.files())
    if not (run_plan.asks or run_plan.late or run_plan.left_out):
        raise UserError(run_plan.reasons or "there is nothing to run")
    warn(*(each.reason for each in run_plan.unreadable))
    if options.expression is not None:
        run_plan.asks, run_plan.late = select(
            run_plan.asks, options.expression, run_plan.late, run_plan.left_out
        )
    run_plan.datasets += run_plan.late
    if options.reference is not None:
        of_late = (each for some in run_plan.late for each in some.taking_part())
        _refuse_unknown_reference(
            options.reference, [*(ask.contender for ask in run_plan.asks), *of_late]
        )
    return run_plan


def _puzzles(options: argparse.Namespace, run_plan: RunPlan) -> list[Puzzle]:
    """The puzzles to run: the one that the options name, or else all that can be loaded; the plan
    notes the others.
    """
    named = puzzles.names()
    if options.puzzle is not None:
        puzzle = puzzles.find(options.puzzle)
        named = [_by_its_files(puzzle, options.path) if options.path else puzzle.name]
    if options.plugin:
        register_plugins(options.plugin)
    loaded: list[Puzzle] = []
    for name in named:
        try:
            loaded.append(puzzles.get(name))
        except BrokenPuzzle as error:
            if options.puzzle is not None:
                raise
            run_plan.unreadable.append(_unreadable(name, name, error))
    return loaded


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


def _unreadable(puzzle: str, part: str, error: UserError) -> FaultReport:
    return FaultReport(
        kind=_UNREADABLE, contenders=(), reason=visible(str(error)), puzzle=puzzle, part=part
    )


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
        inside = sorted(Path(path).rglob("*"))
        name = Path(path).resolve().name
        is_input = {each: each.name.endswith(ends) and _may_be_read(each) for each in inside}
        taken = [
            (str(each), str(Path(name, each.parent.relative_to(path))))
            for each in inside
            if is_input[each]
        ]
        if not taken:
            known = [*puzzle.suffixes, *puzzle.other_suffixes]
            raise UserError(f"{path}: no *{' or *'.join(known)} file in this folder")
        inputs += taken
        others += [
            str(each)
            for each in inside
            if not is_input[each]
            and (each.name.endswith(ends) or not (each.is_dir() or each.name.endswith(".ans")))
            and not any(part.startswith(".") for part in each.relative_to(path).parts)
        ]
    if others:
        more = f" and {len(others) - MAX_OTHERS} more" if len(others) > MAX_OTHERS else ""
        warn(f"no input files, passed over: {', '.join(others[:MAX_OTHERS])}{more}")
    return inputs


def _may_be_read(path: Path) -> bool:
    """Whether a name in a folder stands for an input: a file, or a link to one that is not there,
    which cannot be read. A pipe would be waited for.
    """
    return path.is_file() or (path.is_symlink() and not path.exists())


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
    sizes, cases = options.size, options.cases or 1
    first = 1 if options.seed is None else options.seed
    chosen = [
        (family, size)
        for family in options.family
        for size in sizes or [puzzle.family(family).nearest_size(DEFAULT_SIZE)]
    ]
    for family, size in chosen:
        if size <= puzzle.family(family).most:  # else the family says what is wrong
            refuse_too_many(cases * len(chosen), size, puzzle.noun)
    every: list[Dataset] = []
    for family, size in chosen:
        boards = [(size, first + case) for case in range(cases)]
        name = f"{family} {size}" if sizes and len(sizes) > 1 else family
        every.append(of_family(puzzle, family, boards, name))
    return every
