"""One run as a record: what was run and what came of it, as a value and as a line of JSON.

The input text of a record is a valid input file of its puzzle, and its answer names its format, so both can be read back.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, NamedTuple, Self

import puzzles
from compare.campaign.lines import RecordLine, check_depth, decode
from compare.campaign.packing import pack, unpack
from compare.campaign.relation import Stance
from compare.isolate.outcome import Usage
from compare.work.contenders import Kind
from compare.work.job import Run
from puzzles.answer import Answer, Effort
from puzzles.instance import Instance, size_text
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError, shown
from puzzles.verdict import Check

FILE_FORMAT = 2
"""The number of this format of records, in the header of each file."""

MOST_TEXT = 2**16
"""Inputs and answers of more characters than this are not kept."""


class InstanceKey(NamedTuple):
    """What identifies an instance in a file of records. The digest is part of it, since two files may give a dataset one name."""

    puzzle: str
    dataset: str
    case: int
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskIdentity:
    """Which contender was run on which instance.

    Attributes:
        contender: `side:name` of a backend, or the name that the user gave.
        complete: False if the contender may claim only part of an answer.
        dataset, file, family, seed: see `Dataset`.
        case: the number of the instance in its file or family, from 1.
        digest: of the instance's canonical text.
        size: how large the instance is, as one number: the cells of a board.
        shape: rows and columns of a board; None for other instances.
        repeat: which repeat this is, from 1.
        together: how many instances of its file a program got in this start; 1 for a process of its
            own. The usage of the run is that of the whole start.
    """

    puzzle: str
    contender: str
    kind: Kind
    complete: bool = True
    solver: str | None = None
    dataset: str
    file: str | None = None
    case: int
    family: str | None = None
    seed: int | None = None
    digest: str
    size: int
    shape: tuple[int, int] | None = None
    repeat: int = 1
    together: int = 1

    @property
    def key(self) -> InstanceKey:
        return InstanceKey(self.puzzle, self.dataset, self.case, self.digest)

    @property
    def number(self) -> str:
        """The instance within its dataset, for people."""
        return number_text(self.case, self.file)

    @property
    def place(self) -> str:
        """The instance within its puzzle, for people."""
        return f"dataset {self.dataset}, {'' if self.file is None else f'{self.file} '}case {self.case}"

    @property
    def shown_size(self) -> str:
        """The size, for people."""
        return size_text(self.size, self.shape)

    def __str__(self) -> str:
        company = f", one of {self.together} in one file" if self.together > 1 else ""
        return f"{self.puzzle}, {self.place}{company} ({self.shown_size})"


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run.

    Attributes:
        task: what was run.
        run: what came of it. Its answer is None above 64 KiB.
        text: an input file that holds the instance; None above 64 KiB.
        format: of the answer.
        parallel: other runs were under way at the same time.
    """

    task: TaskIdentity
    run: Run
    text: str | None = None
    format: str
    parallel: bool = False

    @classmethod
    def of(cls, task: TaskIdentity, run: Run, instance: Instance, *, format: str | None, parallel: bool) -> Self:
        """The record of a run, with the texts that are not too long."""
        puzzle = puzzles.get(task.puzzle)
        run = replace(run, answer=_short(run.answer))
        text = _short(puzzle.print_instances([instance]))
        return cls(task=task, run=run, text=text, format=puzzle.format(format), parallel=parallel)

    @property
    def stance(self) -> Stance | None:
        """Its side of a relation; None if it claims nothing."""
        if self.run.claims is None:
            return None
        return Stance(self.run.claims, self.task.complete, self.run.exact or {})

    def instance(self) -> Instance | None:
        """The instance, read back from its text; None if there is no text or the text holds another instance."""
        if self.text is None:
            return None
        try:
            instances = puzzles.get(self.task.puzzle).parse(self.text, "<record>")
        except UserError:
            return None
        return instances[0] if [each.digest for each in instances] == [self.task.digest] else None

    def answer(self, instance: Instance) -> Answer | None:
        """The answer, read back from its text; None if there is none."""
        if self.run.answer is None:
            return None
        try:
            (answer,) = puzzles.get(self.task.puzzle).parse_answers(self.run.answer, [instance], self.format, "<record>")
        except UserError:
            return None
        return answer

    def line(self) -> str:
        """The record as one line of JSON, without the line's end. Nested values are flat there."""
        run = self.run
        data = _fields(self.task) | {"status": run.status, "detail": run.detail} | _fields(run.usage) | _fields(run.effort)
        data |= {"decided": run.decided, "check": run.check and run.check.verdict, "why": run.check.detail if run.check else ""}
        data |= {"text": self.text, "answer": run.answer, "format": self.format, "claims": pack(run.claims), "exact": run.exact}
        return json.dumps(data | {"parallel": self.parallel})

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The record that `line` wrote; raises `ValueError` for anything else."""
        try:
            return cls._from_values(decode(line, RecordLine))
        except (ValueError, UserError) as error:
            raise ValueError(f"not a record: {error}") from None

    @classmethod
    def _from_values(cls, values: RecordLine) -> Self:
        """The record with these values. Names that many records share are kept in memory once."""
        puzzle = _puzzle(values.puzzle)
        claims = unpack(values.claims, values.size)
        if puzzle.first_claim_is_consistency and claims is not None and not claims.size:
            raise ValueError("the claims are empty, and the first says whether the instance is consistent")
        check_depth(values.exact)
        task = TaskIdentity(
            puzzle=puzzle.name,
            contender=intern(values.contender),
            kind=values.kind,
            complete=values.complete,
            solver=values.solver and intern(values.solver),
            dataset=intern(values.dataset),
            file=values.file and intern(values.file),
            case=values.case,
            family=values.family and intern(values.family),
            seed=values.seed,
            digest=values.digest,
            size=values.size,
            shape=values.shape,
            repeat=values.repeat,
            together=values.together,
        )
        run = Run(
            status=values.status,
            detail=values.detail,
            usage=Usage(values.wall_s, values.cpu_s, values.peak_bytes),
            effort=Effort(
                values.build_s,
                values.solve_s,
                values.variables,
                values.clauses,
                values.conflicts,
                values.decisions,
                values.propagations,
            ),
            claims=claims,
            exact=values.exact,
            decided=values.decided,
            answer=values.answer,
            check=None if values.check is None else Check(values.check, values.why),
        )
        return cls(task=task, run=run, text=values.text, format=puzzle.format(values.format), parallel=values.parallel)


def number_text(case: int, file: str | None) -> str:
    """An instance within its dataset, for people: its case, after the stem of its file if the dataset has several."""
    return str(case) if file is None else f"{file} {case}"


def _puzzle(name: str) -> Puzzle:
    """The puzzle of a record. A file of records never has a file of code loaded."""
    try:
        return puzzles.get(name)
    except UnknownName:
        own = "if it is somebody's own, name its file with --puzzle FILE.py"
        raise UserError(f"it is of the puzzle {shown(name)}, which is none of Twofold's: {own}") from None


def _fields(value: TaskIdentity | Usage | Effort) -> dict[str, Any]:
    """The fields by name. `asdict` copies every value as well, which takes most of the time of a line."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _short(text: str | None) -> str | None:
    return text if text is not None and len(text) <= MOST_TEXT else None
