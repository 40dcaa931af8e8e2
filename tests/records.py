"""Records as tests need them: whatever a test does not name is filled in."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from compare.engine.campaign.header import Header
from compare.engine.campaign.journal import open_records
from compare.engine.campaign.record import Record, TaskIdentity
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.contenders import Kind
from compare.engine.work.job import Run
from puzzles.answer import Check, Effort, Verdict


def record(case: int = 1, **values: Any) -> Record:
    """A record of a run on a small beams board; `values` are fields of a record, or of its task,
    run, usage or effort.

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

    def taken(kind: type) -> dict[str, Any]:
        return {f.name: values[f.name] for f in fields(kind) if f.name in values}

    known = {f.name for kind in (TaskIdentity, Usage, Effort, Run, Record) for f in fields(kind)}
    assert values.keys() <= known, values.keys() - known
    run = Run(**{**taken(Run), "usage": Usage(**taken(Usage)), "effort": Effort(**taken(Effort))})
    return Record(
        **{**taken(Record), "task": TaskIdentity(case=case, **taken(TaskIdentity)), "run": run}
    )


class Content(NamedTuple):
    """What a file of records holds."""

    header: Header
    records: tuple[Record, ...]


def read_file(path: str) -> Content:
    """The whole content of a short file, in memory; raises `UserError` as `open_records` does."""
    with open_records(path) as stream:
        return Content(stream.header, tuple(stream))
