"""The lines of a file of records: which fields each format has, and what each of them may hold.

A file may have been edited or damaged, so every value is checked as it is read.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from compare.campaign.packing import PackedClaims
from compare.isolate.outcome import Status
from compare.work.contenders import Kind
from puzzles.verdict import Verdict

LineT = TypeVar("LineT", bound=msgspec.Struct)

Natural = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]

_DEEPEST = 50
"""Exact claims that are nested more deeply are not read."""


class RecordLine(msgspec.Struct, frozen=True, kw_only=True):
    """One run in format 2; `Record` says what the fields mean."""

    puzzle: str
    contender: str
    kind: Kind
    complete: bool
    solver: str | None
    dataset: str
    file: str | None
    case: Positive
    family: str | None
    seed: int | None
    digest: str
    size: Natural
    shape: tuple[Positive, Positive] | None
    repeat: Positive
    together: Positive = 1
    status: Status
    detail: str
    wall_s: Seconds | None
    cpu_s: Seconds | None
    peak_bytes: Natural | None
    build_s: Seconds | None
    solve_s: Seconds | None
    variables: Natural | None
    clauses: Natural | None
    decided: Natural | None
    check: Verdict | None
    why: str
    text: str | None
    answer: str | None
    format: str
    claims: PackedClaims | None
    exact: dict[str, Any] | None
    parallel: bool
    conflicts: Natural | None = None
    decisions: Natural | None = None
    propagations: Natural | None = None


class FormulaSize(msgspec.Struct, frozen=True):
    """The size of a formula in format 1."""

    variables: Natural | None = None
    clauses: Natural | None = None


class RecordLine1(msgspec.Struct, frozen=True, kw_only=True):
    """One run in format 1. Relations and coverage are left out: a comparison computes them."""

    puzzle: str
    backend: str
    complete: bool
    solver: str | None
    digest: str
    case: Positive
    set: str
    file: str | None = None
    family: str | None
    seed: int | None
    size: tuple[Positive, Positive]
    repeat: Positive
    status: Status
    check: Verdict | None
    build_s: Seconds | None
    solve_s: Seconds | None
    wall_s: Seconds | None
    cpu_s: Seconds | None
    peak_bytes: Natural | None
    counts: FormulaSize | None
    board: str | None
    answer: str | None
    claims: PackedClaims | None
    exact: dict[str, Any] | None
    detail: str
    parallel: bool


class LimitsField(msgspec.Struct, frozen=True):
    """The limits of a run; `Limits` says what the fields mean. Without a time limit the seconds are infinite."""

    seconds: Annotated[float, Meta(ge=0)]
    memory: Natural | None = None
    output: Natural = 2**26


class HeaderLine(msgspec.Struct, frozen=True, kw_only=True):
    """The header in any format; `Header` says what the fields mean. Format 1 has no number, and an old file may lack any field."""

    file_format: int = 1
    command: str = ""
    limits: LimitsField | None = None
    repeats: Positive = 1
    check: bool = True
    jobs: Positive = 1
    format: str | None = None
    plugins: tuple[str, ...] = ()
    scheduler: str | None = None
    versions: dict[str, str | None] | None = None
    python: str | None = None
    os: str | None = None
    machine: str | None = None
    processor: str | None = None
    cores: Natural | None = None
    memory: Natural | None = None
    started: str | None = None
    commit: str | None = None
    load: tuple[float, float, float] | None = None


def decode(line: str | bytes, kind: type[LineT]) -> LineT:
    """The values of a line of JSON.

    Raises:
        ValueError: it is no JSON, or a field is missing or holds what it cannot hold.
    """
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(_python_json(line), kind)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _python_json(line: str | bytes) -> Any:
    """JSON as Python writes it: infinite numbers, and bytes that were no UTF-8, neither of which the standard has."""
    try:
        return _escaped(json.loads(line if isinstance(line, str) else line.decode()))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _escaped(value: Any) -> Any:
    """The value with all of its texts `escaped`."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, list):
        return [_escaped(each) for each in value]
    return {escaped(name): _escaped(each) for name, each in value.items()} if isinstance(value, dict) else value


def escaped(text: str) -> str:
    """The text, with an escape sequence for each byte that was no UTF-8: such a byte cannot be printed."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def check_depth(value: object, depth: int = 0) -> None:
    """Raise `ValueError` if lists and objects are nested so deeply that comparing them would fail."""
    if isinstance(value, dict | list):
        if depth == _DEEPEST:
            raise ValueError("its exact claims are nested too deeply")
        for each in value.values() if isinstance(value, dict) else value:
            check_depth(each, depth + 1)
