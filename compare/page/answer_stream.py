"""The answers to one board as they come, then what they say together: lines of JSON, until a newer board of the same tab comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from compare.campaign.comparing.comparison import Comparison
from compare.campaign.comparing.results import Headline
from compare.campaign.record import Record
from compare.page.bounds import RefusedRequest
from compare.page.one_answer import answer_line, answered, differences
from compare.page.same_commands import python_lines, run_command
from compare.page.workers import Workers
from compare.show.messages import verdict
from compare.work.contenders import BackendContender
from puzzles.puzzle import Puzzle

CANCELLED = {"type": "cancelled"}
"""The last line if a newer board came."""


@dataclass(frozen=True)
class Asked:
    """One board, and who shall solve it.

    Attributes:
        contenders: by what the page calls them.
        format: of the answers; None for the puzzle's first.
    """

    puzzle: Puzzle
    text: str
    contenders: Mapping[str, BackendContender]
    format: str | None = None


async def answers(workers: Workers, asked: Asked, cancelled: asyncio.Event) -> AsyncIterator[dict[str, Any]]:
    """Each answer as soon as it is there, then the comparison of all; or the line `CANCELLED` once the event is set."""
    tasks: dict[asyncio.Future[Any], str] = {
        asyncio.ensure_future(workers.call(answered, contender, asked.text, asked.format, contender=contender)): word
        for word, contender in asked.contenders.items()
    }
    stop = asyncio.ensure_future(cancelled.wait())
    waiting: set[asyncio.Future[Any]] = {*tasks, stop}
    records: dict[str, Record] = {}
    try:
        while len(waiting) > 1:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if cancelled.is_set():
                yield CANCELLED
                return
            for task in done:
                word = tasks[task]
                try:
                    records[word], view = task.result()
                except Exception as error:
                    why = str(error) if isinstance(error, RefusedRequest) else f"{type(error).__name__}: {error}"
                    yield _without_answer(word, why)
                else:
                    yield answer_line(word, records[word], view)
        yield await _comparison(workers, asked, {word: records[word] for word in asked.contenders if word in records})
    finally:
        for each in (*tasks, stop):
            each.cancel()


def _without_answer(word: str, why: str) -> dict[str, Any]:
    """The line for a contender whose run left no record."""
    empty = dict.fromkeys(("seconds", "build_s", "solve_s", "variables", "clauses", "verdict", "answer", "claims", "svg"))
    return {"type": "answer", "contender": word, "status": "CRASH", "detail": why, **empty, "why": "", "words": "", "fields": {}}


async def _comparison(workers: Workers, asked: Asked, records: Mapping[str, Record]) -> dict[str, Any]:
    comparison = Comparison.of(records.values())
    words = {record.task.contender: word for word, record in records.items()}
    pairs = [pair for conflict in comparison.conflicts for pair in conflict.pairs]
    claims = [(a.run.claims, b.run.claims) for a, b in pairs]
    differ: list[dict[str, Any]] = [{"cells": [], "places": []}] * len(pairs)
    if pairs:
        with suppress(RefusedRequest):  # where the answers differ; that they differ is known
            differ = await workers.call(differences, asked.puzzle.name, asked.text, claims)
    return {
        "type": "comparison",
        "headline": comparison.headline,
        "sentence": verdict(comparison),
        "agree": comparison.headline in (Headline.ALL_AGREE, Headline.ACCEPTED),
        "differences": [
            {"contenders": [words[each.task.contender] for each in pair], **difference}
            for pair, difference in zip(pairs, differ, strict=True)
        ],
        "command": run_command(asked.puzzle, asked.contenders.values(), asked.format),
        "python": python_lines(asked.puzzle, asked.contenders.values()),
    }
