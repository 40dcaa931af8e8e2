"""One run as a record: what was run and what came of it, as a value and as a line of JSON.

The input text of a record is a valid input file of its puzzle, and its answer names its format, so
both can be read back. Claims are kept without loss and in few bytes. A file may have been edited or
damaged, so every value is checked as it is read.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Set
from dataclasses import dataclass, replace
from sys import intern
from typing import Annotated, Any, Literal, NamedTuple, Self

import msgspec
import numpy as np
from msgspec import Meta

import puzzles
from compare.engine.campaign.relation import Stance
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.contenders import Kind
from compare.engine.work.job import Run
from puzzles.answer import Answer, Check, Claims, Effort, Verdict
from puzzles.instance import Instance, size_text
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError, shown

MAX_CLAIMS = 2**26
"""An answer with more claims than this is not read."""

_MAX_A_CELL, _MAX_BESIDE = 16, 1024
"""An answer has at most 16 claims for each cell of its instance, and 1024 others."""

_MAX_PLAIN = 64


class CompressedClaims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Claims as zlib-compressed little-endian integers; in JSON the bytes are base64."""

    dtype: Literal["|i1", "<i8"]
    zlib: bytes


PackedClaims = list[int] | CompressedClaims


def pack(claims: Claims | None) -> object:
    """Claims for JSON, without loss: a plain list if short, else as `CompressedClaims`."""
    if claims is None:
        return None
    if claims.size <= _MAX_PLAIN:
        return claims.tolist()
    small = claims.astype("<i1" if np.abs(claims).max() < 128 else "<i8")
    return {
        "dtype": small.dtype.str,
        "zlib": base64.b64encode(zlib.compress(small.tobytes())).decode(),
    }


def unpack(packed: PackedClaims | None, size: int) -> Claims | None:
    """The claims that were packed.

    A short text can stand for gigabytes, so the size of the instance bounds what is decompressed.

    Args:
        size: of the instance, as one number.

    Raises:
        ValueError: the claims are damaged, or more than an instance of this size has.
    """
    if packed is None:
        return None
    most = min(MAX_CLAIMS, _MAX_A_CELL * size + _MAX_BESIDE)
    try:
        claims = (
            np.array(packed, np.int64) if isinstance(packed, list) else _decompressed(packed, most)
        )
    except (OverflowError, zlib.error) as error:
        raise ValueError(f"the claims are damaged: {error}") from None
    if claims.size > most:
        raise ValueError(
            f"there are more than {most} claims, too many for an instance of size {size}"
        )
    return claims


def _decompressed(packed: CompressedClaims, most: int) -> Claims:
    """The claims, or one more than `most` if there are more."""
    dtype = np.dtype(packed.dtype)
    stream = zlib.decompressobj()
    data = stream.decompress(packed.zlib, (most + 1) * dtype.itemsize)
    if len(data) <= most * dtype.itemsize and not (stream.eof and not stream.unused_data):
        raise ValueError(
            "the claims are damaged: their compressed bytes do not end where they should"
        )
    if len(data) % dtype.itemsize:
        raise ValueError(
            f"the claims are damaged: {len(data)} bytes are no whole number of integers of "
            f"{dtype.itemsize} bytes"
        )
    return np.frombuffer(data, dtype).astype(np.int64)


Natural = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]

MAX_NUMBER = 2**63 - 1
"""No second, byte or step of a record is more than this."""

_DEEPEST = 50
"""Exact claims that are nested more deeply are not read."""


def decode(line: str | bytes, fields: Set[str]) -> dict[str, Any]:
    """The values of a line of JSON; raises `ValueError` if it is no object that has these
    fields.
    """
    try:
        try:
            values = msgspec.json.decode(line, type=dict)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:  # Python writes more: infinite numbers, bytes that are no UTF-8
            values = msgspec.convert(
                _escaped(json.loads(line if isinstance(line, str) else line.decode())), dict
            )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if missing := fields - values.keys():
        raise ValueError(f"the field {min(missing)} is missing")
    return values


def _escaped(value: Any) -> Any:
    """The value with all of its texts `escaped`."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, list):
        return [_escaped(each) for each in value]
    return (
        {escaped(name): _escaped(each) for name, each in value.items()}
        if isinstance(value, dict)
        else value
    )


def escaped(text: str) -> str:
    """The text, with an escape sequence for each byte that was no UTF-8: such a byte cannot be
    printed.
    """
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def check_depth(value: object, depth: int = 0) -> None:
    """Raise `ValueError` if lists and objects are nested so deeply that comparing them would
    fail.
    """
    if isinstance(value, dict | list):
        if depth == _DEEPEST:
            raise ValueError("its exact claims are nested too deeply")
        for each in value.values() if isinstance(value, dict) else value:
            check_depth(each, depth + 1)


FILE_FORMAT = 2
"""The number of this format of records, in the header of each file."""

MAX_TEXT = 2**16
"""Inputs and answers of more characters than this are not kept."""


class InstanceKey(NamedTuple):
    """What identifies an instance in a file of records.

    The digest is part of it, since two files may give a dataset one name.
    """

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
    case: Positive
    family: str | None = None
    seed: int | None = None
    digest: str
    size: Natural
    shape: tuple[Positive, Positive] | None = None
    repeat: Positive = 1
    together: Positive = 1

    @property
    def key(self) -> InstanceKey:
        return InstanceKey(self.puzzle, self.dataset, self.case, self.digest)

    @property
    def run(self) -> tuple[InstanceKey, str, int, int]:
        """What identifies a run in a file of records."""
        return self.key, self.contender, self.repeat, self.together

    @property
    def start(self) -> tuple[str, str, str]:
        """What the tasks share whose instances a program gets in one start: puzzle, contender,
        dataset.
        """
        return self.puzzle, self.contender, self.dataset

    @property
    def number(self) -> str:
        """The instance within its dataset, for people."""
        return number_text(self.case, self.file)

    @property
    def place(self) -> str:
        """The instance within its puzzle, for people."""
        return (
            f"dataset {self.dataset}, {'' if self.file is None else f'{self.file} '}case "
            f"{self.case}"
        )

    @property
    def shown_size(self) -> str:
        """The size, for people."""
        return size_text(self.size, self.shape)

    def __str__(self) -> str:
        company = f", one of {self.together} in one file" if self.together > 1 else ""
        return f"{self.puzzle}, {self.place}{company} ({self.shown_size})"


def number_text(case: int, file: str | None) -> str:
    """An instance within its dataset, for people: its case, after the stem of its file if the
    dataset has several.
    """
    return str(case) if file is None else f"{file} {case}"


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
    def of(
        cls, task: TaskIdentity, run: Run, instance: Instance, *, format: str | None, parallel: bool
    ) -> Self:
        """The record of a run, with the texts that are not too long."""
        puzzle = puzzles.get(task.puzzle)
        run = replace(run, answer=_short(run.answer))
        text = _short(puzzle.print_instances([instance]))
        return cls(task=task, run=run, text=text, format=puzzle.format(format), parallel=parallel)

    @property
    def verdict(self) -> Verdict | None:
        """What the check says of the answer; None if it was not checked."""
        return self.run.verdict

    @property
    def is_proved(self) -> bool:
        """Whether the check has certified every claim of the answer."""
        return self.verdict is Verdict.PROVED

    @property
    def is_refuted(self) -> bool:
        """Whether the check has found a claim of the answer false."""
        return self.verdict is Verdict.REFUTED

    @property
    def stance(self) -> Stance | None:
        """Its side of a relation; None if it claims nothing."""
        if self.run.claims is None:
            return None
        return Stance(self.run.claims, self.task.complete, self.run.exact or {})

    def instance(self) -> Instance | None:
        """The instance, read back from its text; None if there is no text or the text holds another
        instance.
        """
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
            (answer,) = puzzles.get(self.task.puzzle).parse_answers(
                self.run.answer, [instance], self.format, "<record>"
            )
        except UserError:
            return None
        return answer

    def line(self) -> str:
        """The record as one line of JSON, without the line's end. Nested values are flat there."""
        run = self.run
        data = {
            **_fields(self.task),
            "status": run.status,
            "detail": run.detail,
            **_fields(run.usage),
            **_fields(run.effort),
            "decided": run.decided,
            "check": run.verdict,
            "why": run.check.detail if run.check else "",
            "text": self.text,
            "answer": run.answer,
            "format": self.format,
            "claims": pack(run.claims),
            "exact": run.exact,
            "parallel": self.parallel,
        }
        return json.dumps(data)

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The record that `line` wrote; raises `ValueError` for anything else."""
        try:
            return cls._from_values(decode(line, _FIELDS))
        except (ValueError, UserError) as error:
            raise ValueError(f"not a record: {error}") from None

    @classmethod
    def _from_values(cls, values: dict[str, Any]) -> Self:
        """The record with these values. Names that many records share are kept in memory once."""
        rest = msgspec.convert(values, _RunFields)
        texts = {
            name: intern(value)
            for name in TaskIdentity.__dataclass_fields__
            if type(value := values[name]) is str
        }
        task = msgspec.convert(values | texts, TaskIdentity)
        puzzle = _puzzle(task.puzzle)
        claims = unpack(rest.claims, task.size)
        if puzzle.first_claim_is_consistency and claims is not None and not claims.size:
            raise ValueError(
                "the claims are empty, and the first says whether the instance is consistent"
            )
        check_depth(rest.exact)
        usage, effort = msgspec.convert(values, Usage), msgspec.convert(values, Effort)
        if not all(0 <= (values[name] or 0) <= MAX_NUMBER for name in _MEASURED):
            raise ValueError("a number of its usage or effort is out of range")
        run = Run(
            status=rest.status,
            detail=rest.detail,
            usage=usage,
            effort=effort,
            claims=claims,
            exact=rest.exact,
            decided=rest.decided,
            answer=rest.answer,
            check=None if rest.check is None else Check(rest.check, rest.why),
        )
        return cls(
            task=task,
            run=run,
            text=rest.text,
            format=puzzle.format(rest.format),
            parallel=rest.parallel,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _RunFields:
    """What a line says of a run beside its task, usage and effort; `Record`, `Run` and `Check` say
    what the fields mean.
    """

    status: Status
    detail: str
    decided: Natural | None
    check: Verdict | None
    why: str
    text: str | None
    answer: str | None
    format: str
    claims: PackedClaims | None
    exact: dict[str, Any] | None
    parallel: bool


_MEASURED = (*Usage.__dataclass_fields__, *Effort.__dataclass_fields__)

_FIELDS = frozenset(
    {*TaskIdentity.__dataclass_fields__, *_RunFields.__dataclass_fields__, *_MEASURED}
)
"""All fields of a line."""


def _puzzle(name: str) -> Puzzle:
    """The puzzle of a record. A file of records never has a file of code loaded."""
    try:
        return puzzles.get(name)
    except UnknownName:
        own = "if it is somebody's own, name its file with --puzzle FILE.py"
        raise UserError(
            f"it is of the puzzle {shown(name)}, which is none of Twofold's: {own}"
        ) from None


def _fields(value: TaskIdentity | Usage | Effort) -> dict[str, Any]:
    """The fields of a value by name.

    `asdict` copies every value as well, which takes most of the time of a line.
    """
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _short(text: str | None) -> str | None:
    return text if text is not None and len(text) <= MAX_TEXT else None
