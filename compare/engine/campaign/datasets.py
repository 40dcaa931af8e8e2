"""Datasets: instances that share a row of the table, from the bundled data and families or from
files and folders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compare.engine.work.ask import DatasetCase
from compare.engine.work.json_lines import escaped
from puzzles.answer import Answer
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import COMPRESSED, InputError, UserError, read_source

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
        answers_from: the files that may have them, the one that counts first.
    """

    name: str
    instances: Sequence[Instance]
    path: str | None = None
    file: str | None = None
    family: str | None = None
    seeds: Sequence[int] = ()
    answers: Sequence[Answer] = ()
    answers_from: Sequence[str] = ()

    def cases(self) -> list[DatasetCase]:
        """Each instance with its place in the dataset."""
        return [
            DatasetCase(
                instance,
                dataset=escaped(self.name),
                file=self.file and escaped(self.file),
                number=k + 1,
                family=self.family,
                seed=self.seeds[k] if self.seeds else None,
                answer=self.answers[k] if self.answers else None,
            )
            for k, instance in enumerate(self.instances)
        ]


def bundled(puzzle: Puzzle) -> list[Dataset]:
    """The datasets that come with the project: the puzzle's data files, then the bundled instances
    of each family.
    """
    datasets = [
        read_dataset(puzzle, str(path), path.parent.name)
        for path in sorted(puzzle.data.glob("*/*.in"))
    ]
    for name, family in puzzle.families.items():
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
    beside: list[str] = []
    if path != "-":
        suffixes = ANSWERS if Path(path).suffix == ".in" else ANSWERS[:1]
        places = [Path(path).with_name(f"{stem_of(Path(path))}{suffix}") for suffix in suffixes]
        beside = [str(each) for each in places if each != Path(path) and each.is_file()]
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
