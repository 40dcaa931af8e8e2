"""One run of one contender on one board, as a value and as a line of JSON."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from compare.campaign.relation import Relation
from compare.isolate.sandbox import Status
from puzzles.answer import Claims
from puzzles.verdict import Verdict

MOST_TEXT = 2**16
"""Boards and answers of more bytes than this are not written out."""

_MOST_PLAIN_CLAIMS = 64


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run; what does not apply is None.

    Attributes:
        backend: `side:name`, or the name of a program.
        digest: of the board's canonical text.
        case: the board's number in its file or family, from 1.
        file: the file's stem, where the set has boards of several files.
        relation: to the reference on the same board, and `coverage` where that is SUBSET.
        build_s, solve_s: seconds as the backend says; `wall_s` seconds around the call (of a program: its whole life).
        cpu_s, peak_bytes: of the process that ran it.
        board, answer: contest text, None above 64 KiB.
        exact: further exact claims by name, mostly of the certified answer.
        parallel: other runs were under way at the same time.
    """

    puzzle: str
    backend: str
    complete: bool
    solver: str | None = None
    digest: str
    case: int
    set: str
    file: str | None = None
    family: str | None = None
    seed: int | None = None
    size: tuple[int, int]
    repeat: int = 1
    status: Status
    relation: Relation | None = None
    coverage: float | None = None
    check: Verdict | None = None
    build_s: float | None = None
    solve_s: float | None = None
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_bytes: int | None = None
    counts: dict[str, int | None] | None = None
    board: str | None = None
    answer: str | None = None
    claims: Claims | None = None
    exact: dict[str, object] | None = None
    detail: str = ""
    parallel: bool = False

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What identifies the board of the run: puzzle, set, case, and the digest, since sets of two files may share a name."""
        return self.puzzle, self.set, self.case, self.digest

    @property
    def number(self) -> str:
        """The board within its set, for people: its case, after the stem of its file where the record has one."""
        return str(self.case) if self.file is None else f"{self.file} {self.case}"

    def line(self) -> str:
        """The record as one line of JSON, without its end."""
        return json.dumps({**{f.name: getattr(self, f.name) for f in fields(self)}, "claims": pack(self.claims)})

    @classmethod
    def from_line(cls, line: str) -> Record:
        """The record that `line` wrote; raises `ValueError` for anything else."""
        try:
            data: dict[str, Any] = json.loads(line)
            known = {f.name for f in fields(cls)}
            data = {name: value for name, value in data.items() if name in known}
            data["size"] = tuple(data["size"])
            data["status"] = Status(data["status"])
            data["relation"] = data["relation"] and Relation(data["relation"])
            data["check"] = data["check"] and Verdict(data["check"])
            data["claims"] = unpack(data["claims"])
            return cls(**data)
        except (AttributeError, KeyError, TypeError, ValueError, zlib.error) as error:
            raise ValueError(f"not a record: {error}") from None


def pack(claims: Claims | None) -> object:
    """Claims for JSON, lossless: a plain list where short, else zlib-compressed little-endian bytes in base64."""
    if claims is None:
        return None
    if claims.size <= _MOST_PLAIN_CLAIMS:
        return claims.tolist()
    small = claims.astype("<i1" if np.abs(claims).max() < 128 else "<i8")
    return {"dtype": small.dtype.str, "zlib": base64.b64encode(zlib.compress(small.tobytes())).decode()}


def unpack(packed: object) -> Claims | None:
    """What `pack` was given."""
    if packed is None or isinstance(packed, list):
        return None if packed is None else np.array(packed, np.int64)
    if not isinstance(packed, dict):
        raise ValueError(f"claims are a list or an object, not {type(packed).__name__}")
    return np.frombuffer(zlib.decompress(base64.b64decode(packed["zlib"])), packed["dtype"]).astype(np.int64)


def short(text: str) -> str | None:
    """The text, or None where it is too long to be written out."""
    return text if len(text) <= MOST_TEXT else None
