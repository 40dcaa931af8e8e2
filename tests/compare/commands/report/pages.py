"""Reports as tests need them: of files that are written from results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import puzzles
from compare.commands.report import html
from compare.engine.campaign.header import Environment, Header
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.result import Result
from puzzles.answer import Answer, Verdict
from puzzles.instance import Instance
from tests.records import record


def header(seconds: float = 10.0) -> Header:
    """The header of a run with this time limit."""
    machine = ("3.12", "Linux", "host", "some processor", 2, 2**30, "2026-11-23T12:00:00+00:00")
    return Header(
        "python -m compare run",
        Settings(Limits(seconds)),
        Environment({"numpy": "2"}, *machine, None, None),
    )


def file_of(
    path: Path, results: Sequence[Result], seconds: float = 10.0, *, cut: int = 0
) -> RecordFile:
    """A file of these results; the last `cut` bytes are missing."""
    text = "".join(f"{line}\n" for line in (header(seconds).line(), *(r.line() for r in results)))
    path.write_bytes(text.encode()[: -cut or None])
    return RecordFile(str(path))


def report_of(folder: Path, results: Sequence[Result]) -> str:
    """The report of one file of these results."""
    return html.page([file_of(folder / "runs.jsonl", results)]).text


def run_on(
    board: Instance,
    answer: Answer | None,
    contender: str,
    case: int,
    wall_s: float,
    **values: object,
) -> Result:
    """The record of a run on a board; without an answer it was stopped."""
    puzzle = puzzles.get(board.puzzle)
    known = {
        "puzzle": board.puzzle,
        "contender": contender,
        "dataset": "some <set>",
        "digest": board.digest,
        "shape": board.shape,
        "text": puzzle.print_instances([board]),
        "format": puzzle.formats[0],
        "wall_s": wall_s,
    }
    if answer is None:
        known |= {"status": Status.TIMEOUT}
    else:
        shown = puzzle.print_answers([answer], puzzle.formats[0])
        known |= {"check": Verdict.PROVED, "claims": answer.claims, "answer": shown}
    return record(case, **{**known, **values})
