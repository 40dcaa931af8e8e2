"""The lines of a file of records: which fields they have, and what each of them may hold.

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
    """One run; `Record` says what the fields mean."""

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
    together: Positive
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
    conflicts: Natural | None
    decisions: Natural | None
    propagations: Natural | None


class LimitsField(msgspec.Struct, frozen=True):
    """The limits of a run; `Limits` says what the fields mean. Without a time limit the seconds are infinite."""

    seconds: Annotated[float, Meta(ge=0)]
    memory: Natural | None
    output: Natural


class HeaderLine(msgspec.Struct, frozen=True, kw_only=True):
    """The header; `Header` says what the fields mean."""

    file_format: int
    command: str
    limits: LimitsField
    repeats: Positive
    check: bool
    jobs: Positive
    format: str | None
    plugins: tuple[str, ...]
    scheduler: str | None
    versions: dict[str, str | None]
    python: str
    os: str
    machine: str | None
    processor: str
    cores: Natural | None
    memory: Natural
    started: str
    commit: str | None
    load: tuple[float, float, float] | None


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
