"""Results as tests need them: whatever a test does not name is filled in."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from compare.engine.campaign.header import Header
from compare.engine.campaign.journal import open_records
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.result import Kind, Result
from puzzles.answer import Check, Effort, Verdict


def record(case: int = 1, **values: Any) -> Result:
    """The result of a run on a small beams board; `values` are fields of a result, or of its usage
    or effort.

    `check` may be a verdict alone. A run that ended well claims `[1]` unless told otherwise.
    """
    check = values.get("check")
    if isinstance(check, Verdict):
        values["check"] = Check(check)
    values = {
        "puzzle": "beams",
        "contender": "direct:two-sat",
        "dataset": "some",
        "digest": f"{case:016x}",
        "shape": (2, 3),
        "status": Status.OK,
        "format": "codejam",
        **values,
    }
    values = {"kind": Kind.BACKEND if ":" in values["contender"] else Kind.PROGRAM, **values}
    rows, columns = values["shape"]
    values = {
        "size": rows * columns,
        "claims": np.array([1]) if values["status"] is Status.OK else None,
        **values,
    }
    for name, kind in (("usage", Usage), ("effort", Effort)):
        parts = {each.name for each in fields(kind)} & values.keys()
        if parts:
            values[name] = kind(**{part: values.pop(part) for part in parts})
    return Result(case=case, **values)


class Content(NamedTuple):
    """What a file of results holds."""

    header: Header
    records: tuple[Result, ...]


def read_file(path: str) -> Content:
    """The whole content of a short file, in memory; raises `UserError` as `open_records` does."""
    with open_records(path) as stream:
        return Content(stream.header, tuple(stream))
