"""One contender on one board, for the page: a worker calls `answered`; the page gets a record, and what it shows of the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import puzzles
from compare.campaign.datasets import Dataset
from compare.campaign.record import Record
from compare.campaign.running import attempt, record_of
from compare.campaign.tasks import Settings, Task
from compare.isolate import stopping
from compare.isolate.outcome import Status
from compare.page.bounds import MOST_SVG, SOLVE
from compare.page.reading import FILE, apart, instance_of
from compare.show.messages import brief
from compare.work.contenders import Contender
from compare.work.job import Run
from compare.work.worker import warm_up
from puzzles.answer import Answer, Claims
from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.own.puzzle_fault import PuzzleFault
from puzzles.puzzle import Puzzle

MOST_CLAIMS = 20_000
"""Claims of an answer that the page is sent."""

MOST_DIFFERENCES = 2000
"""Cells that are marked where two answers differ."""


class AnswerView(NamedTuple):
    """What the page shows of an answer beside its record.

    Attributes:
        svg: the board with the answer drawn into it; empty if that is too large.
        words: the answer in a few words.
        fields: `Puzzle.fields`, as JSON.
        grid: `in_words`, as JSON.
    """

    svg: str = ""
    words: str = ""
    fields: str = "{}"
    grid: str = "{}"


def answered(contender: Contender, text: str, format: str | None) -> tuple[Record, AnswerView]:
    """The record of one run on the board in a text, and the view of its answer; raises `RefusedRequest` if the text is wrong."""
    stopping.heed()
    settings = Settings(limits=SOLVE, format=format)
    task = Task(contender, Dataset(name=FILE, instances=(instance_of(contender.puzzle, text),)), 0)
    if task.reason_to_skip:
        run = Run(status=Status.SKIPPED, detail=task.reason_to_skip)
    else:
        try:
            run = attempt(replace(task.job(settings), check_s=SOLVE.seconds, view=view_of, not_twice=True))
        except PuzzleFault as fault:
            run = Run(status=Status.ERROR, detail=str(fault))
    view = run.view if isinstance(run.view, AnswerView) else AnswerView()
    return record_of(task, replace(run, view=None), settings), view


def rehearsed(contender: Contender) -> None:
    """Solve the first board of the puzzle's example, so that all is warm that answering a board needs."""
    warm_up(contender)
    answered(contender, apart(_example, contender.puzzle), None)


def _example(name: str) -> str:
    puzzle = puzzles.get(name)
    return puzzle.print_instances(puzzle.parse(puzzle.example, "<example>")[:1])


def view_of(instance: Instance, answer: Answer) -> AnswerView:
    """What the page shows of an answer. Whatever of it fails is left out; the record is not worse for that."""
    puzzle = puzzles.get(instance.puzzle)
    svg, words, fields, grid = "", "", "{}", "{}"
    with suppress(Exception):
        svg = puzzle.picture(instance, answer)
    with suppress(Exception):
        words = _words(instance, answer)
    with suppress(Exception):
        fields = json.dumps(puzzle.fields(answer), default=str, allow_nan=False)
    with suppress(Exception):
        grid = json.dumps(in_words(puzzle, instance, answer))
    return AnswerView(svg if isinstance(svg, str) and len(svg) <= MOST_SVG else "", words, fields, grid)


def in_words(puzzle: Puzzle, instance: Instance, answer: Answer) -> dict[str, Any]:
    """`cells`: what the answer says of each cell of a board, in row-major order. `steps`: its derivation, see `DerivationStep`."""
    if not isinstance(puzzle, GridPuzzle) or not isinstance(instance, Board):
        return {}
    steps = [step.fields(instance.columns) for step in puzzle.steps(instance, answer)]
    return {"cells": [str(each) for each in puzzle.cell_words(instance, answer)], "steps": steps}


def _words(instance: Instance, answer: Answer) -> str:
    """The first line of the answer in words; if that is a row of a board, or the number of a case, the kind of answer."""
    puzzle = puzzles.get(instance.puzzle)
    line = brief(puzzle, puzzle.print_answers([answer], puzzle.formats[0]))
    is_row = isinstance(instance, Board) and set(line.encode()) <= set(instance.alphabet)
    plain = re.fullmatch(r"[-0-9 ]*", line) is not None
    kind = "" if answer.claims is None else puzzle.outcome(answer.claims)
    return kind if (is_row or plain) and kind else line


def answer_line(contender: str, record: Record, view: AnswerView) -> dict[str, Any]:
    """The line of JSON for one answer; `contender` is what the page calls it."""
    run = record.run
    check, effort, claims = run.check, run.effort, run.claims
    return {
        "type": "answer",
        "contender": contender,
        "status": run.status,
        "detail": run.detail,
        "seconds": run.usage.wall_s,
        "build_s": effort.build_s,
        "solve_s": effort.solve_s,
        "variables": effort.variables,
        "clauses": effort.clauses,
        "verdict": check and check.verdict,
        "why": check.detail if check else "",
        "answer": run.answer,
        "words": view.words,
        "fields": json.loads(view.fields),
        "claims": claims.tolist() if claims is not None and claims.size <= MOST_CLAIMS else None,
        "svg": view.svg or None,
        **json.loads(view.grid),
    }


def differences(name: str, text: str, pairs: Sequence[tuple[Claims, Claims]]) -> list[dict[str, Any]]:
    """For each pair of claims about the board in a text, the cells about which they differ and what people call those."""
    stopping.heed()
    return apart(_differences, name, text, list(pairs))


def _differences(name: str, text: str, pairs: Sequence[tuple[Claims, Claims]]) -> list[dict[str, Any]]:
    puzzle = puzzles.get(name)
    (instance,) = puzzle.parse(text, FILE)
    return [difference(puzzle, instance, ours, theirs) for ours, theirs in pairs]


def difference(puzzle: Puzzle, instance: Instance, ours: Claims, theirs: Claims) -> dict[str, Any]:
    """The cells (row, column, from 0) about which two arrays of claims differ, and what people call the places where they do."""
    if isinstance(instance, Board) and isinstance(puzzle, GridPuzzle):
        cells = puzzle.differing_cells(instance, ours, theirs)[:MOST_DIFFERENCES]
        if cells:
            places = [f"the cell at {instance.place(cell)}" for cell in cells]
            return {"cells": [list(divmod(cell, instance.columns)) for cell in cells], "places": places}
    if ours.shape != theirs.shape:
        return {"cells": [], "places": []}
    places = [puzzle.place_of(instance, int(claim)) for claim in np.flatnonzero(ours != theirs)[:MOST_DIFFERENCES]]
    return {"cells": [], "places": [place for place in places if place]}
