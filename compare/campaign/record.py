"""One run as a record: what was run and what came of it, as a value and as a line of JSON.

The input text of a record is a valid input file of its puzzle, and its answer names its format, so both can be read back.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

import puzzles
from compare.campaign.relation import Stance
from compare.isolate.outcome import Status, Usage
from compare.work.contenders import Kind, backends
from compare.work.job import Run
from puzzles.answer import Answer, Claims, Effort
from puzzles.grid import Board
from puzzles.text import UserError, counted
from puzzles.verdict import Check, Verdict

FILE_FORMAT = 2
"""The number of this format of records. Format 1 has no number in its header."""

MOST_TEXT = 2**16
"""Inputs and answers of more characters than this are not kept."""

_MOST_PLAIN_CLAIMS = 64


class InstanceKey(NamedTuple):
    """What identifies an instance in a file of records. The digest is part of it, since two files may give a dataset one name."""

    puzzle: str
    dataset: str
    case: int
    digest: str


@dataclass(frozen=True, kw_only=True)
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

    @property
    def key(self) -> InstanceKey:
        return InstanceKey(self.puzzle, self.dataset, self.case, self.digest)

    @property
    def number(self) -> str:
        """The instance within its dataset, for people: its case, after the stem of its file if the dataset has several."""
        return str(self.case) if self.file is None else f"{self.file} {self.case}"

    @property
    def place(self) -> str:
        """The instance within its puzzle, for people."""
        return f"dataset {self.dataset}, {'' if self.file is None else f'{self.file} '}case {self.case}"

    @property
    def shown_size(self) -> str:
        """The size, for people: `3x4`, or `12 cells` if there is no shape."""
        return counted(self.size, "cell") if self.shape is None else f"{self.shape[0]}x{self.shape[1]}"

    def __str__(self) -> str:
        return f"{self.puzzle}, {self.place} ({self.shown_size})"


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
    def of(cls, task: TaskIdentity, run: Run, instance: Board, *, format: str | None, parallel: bool) -> Self:
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

    def instance(self) -> Board | None:
        """The instance, read back from its text; None if there is no text or the text holds another instance."""
        if self.text is None:
            return None
        try:
            instances = puzzles.get(self.task.puzzle).parse(self.text, "<record>")
        except UserError:
            return None
        return instances[0] if [each.digest for each in instances] == [self.task.digest] else None

    def answer(self, instance: Board) -> Answer | None:
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
        data = asdict(self.task) | {"status": run.status, "detail": run.detail} | asdict(run.usage) | asdict(run.effort)
        data |= {"decided": run.decided, "check": run.check and run.check.verdict, "why": run.check.detail if run.check else ""}
        data |= {"text": self.text, "answer": run.answer, "format": self.format, "claims": pack(run.claims), "exact": run.exact}
        return json.dumps(data | {"parallel": self.parallel})

    @classmethod
    def from_line(cls, line: str, answers: str | None = None) -> Self:
        """The record that `line` wrote, now or in format 1; raises `ValueError` for anything else.

        Args:
            answers: the format of the answers of records of format 1, which do not name it; None for each puzzle's first.
        """
        try:
            data: dict[str, Any] = json.loads(line)
            if "backend" in data:  # a run that was resumed may have records of both formats in one file
                data = _from_format_1(data, answers)
            task = {f.name: data[f.name] for f in fields(TaskIdentity)}
            task |= {"kind": Kind(task["kind"]), "shape": task["shape"] and (task["shape"][0], task["shape"][1])}
            check = data["check"] and Check(Verdict(data["check"]), data["why"])
            run = Run(
                status=Status(data["status"]),
                detail=data["detail"],
                usage=Usage(**{f.name: data[f.name] for f in fields(Usage)}),
                effort=Effort(**{f.name: data[f.name] for f in fields(Effort)}),
                claims=unpack(data["claims"]),
                exact=data["exact"],
                decided=data["decided"],
                answer=data["answer"],
                check=check,
            )
            return cls(
                task=TaskIdentity(**task), run=run, text=data["text"], format=data["format"], parallel=bool(data["parallel"])
            )
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, UserError, zlib.error) as error:
            raise ValueError(f"not a record: {error}") from None


def pack(claims: Claims | None) -> object:
    """Claims for JSON, without loss: a plain list if short, else zlib-compressed little-endian bytes in base64."""
    if claims is None:
        return None
    if claims.size <= _MOST_PLAIN_CLAIMS:
        return claims.tolist()
    small = claims.astype("<i1" if np.abs(claims).max() < 128 else "<i8")
    return {"dtype": small.dtype.str, "zlib": base64.b64encode(zlib.compress(small.tobytes())).decode()}


def unpack(packed: object) -> Claims | None:
    """The claims that `pack` was given."""
    if packed is None or isinstance(packed, list):
        return None if packed is None else np.array(packed, np.int64)
    if not isinstance(packed, dict):
        raise ValueError(f"claims are a list or an object, not {type(packed).__name__}")
    return np.frombuffer(zlib.decompress(base64.b64decode(packed["zlib"])), packed["dtype"]).astype(np.int64)


def _short(text: str | None) -> str | None:
    return text if text is not None and len(text) <= MOST_TEXT else None


def _from_format_1(old: dict[str, Any], answers: str | None) -> dict[str, Any]:
    """The fields of a record of the first format under today's names.

    Relations and shares found are left out: a comparison computes them.
    """
    puzzle, counts = puzzles.get(old["puzzle"]), old["counts"] or {}
    rows, columns = old["size"]
    board = old["board"]
    text = board if board is None or not puzzle.many_instances else f"1\n{board}"
    claims = unpack(old["claims"])
    decided = None
    if text is not None and claims is not None and _has_incomplete_backend(puzzle.name):
        decided = puzzle.decided(puzzle.parse(text, "<record>")[0], claims)
    names = ("puzzle", "complete", "solver", "case", "family", "seed", "digest", "repeat", "status", "exact")
    names += ("build_s", "solve_s", "wall_s", "cpu_s", "peak_bytes", "check", "answer", "claims", "parallel")
    kind = Kind.BACKEND if ":" in old["backend"] else Kind.GIVEN if old["wall_s"] is None else Kind.PROGRAM
    return {name: old[name] for name in names} | {
        "contender": old["backend"],
        "detail": "" if old["check"] else old["detail"],
        "kind": kind,
        "dataset": old["set"],
        "file": old.get("file"),
        "size": rows * columns,
        "shape": [rows, columns],
        "variables": counts.get("variables"),
        "clauses": counts.get("clauses"),
        "decided": decided,
        "why": old["detail"] if old["check"] else "",
        "text": text,
        "format": puzzle.format(answers),
    }


@cache
def _has_incomplete_backend(puzzle: str) -> bool:
    return any(not backend.complete for backend in backends(puzzle))
