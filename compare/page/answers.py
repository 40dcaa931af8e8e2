"""The answers to one board: each as it comes, then what they say together, as lines of JSON.

`answered` and `rehearsed` run in threads of the server; solving and checking, and `view_of` and `differences`, run in children.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, NamedTuple

import numpy as np

import puzzles
from compare.campaign.comparison import Comparison
from compare.campaign.datasets import Dataset
from compare.campaign.record import Record
from compare.campaign.results import Grade, results_of
from compare.campaign.running import record_of
from compare.campaign.tasks import Settings, Task
from compare.isolate.outcome import Status
from compare.page.bounds import MAX_SVG, SOLVE, RefusedRequest
from compare.page.reading import FILE, apart, example
from compare.page.workers import Workers
from compare.show.messages import brief
from compare.work.attempt import attempt, crashed
from compare.work.contenders import BackendContender, Contender, GivenAnswers, Kind
from compare.work.job import Run
from compare.work.pool import Pool
from puzzles.answer import Answer, Claims
from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import UserError
from puzzles.verdict import Verdict

MAX_CLAIMS = 20_000
"""Claims of an answer that the page is sent."""

MAX_DIFFERENCES = 2000
"""Cells that are marked where two answers differ."""

MAX_WORDS = 80
"""Characters of an answer in words."""

CANCELLED = {"type": "cancelled"}
"""The last line if a newer board came, or if somebody pressed Stop."""


class AnswerView(NamedTuple):
    """What the page shows of an answer beside its record.

    Attributes:
        svg: the board with the answer drawn into it; empty if that is too large.
        words: the answer in a few words.
        core: what the check says of the core that is drawn; empty if that is the one that was checked.
        fields: `Puzzle.fields`, as JSON.
        grid: `in_words`, as JSON.
    """

    svg: str = ""
    words: str = ""
    fields: str = "{}"
    core: str = ""
    grid: str = "{}"


def answered(
    pool: Pool, contender: Contender, instance: Instance, format: str | None, given: str = ""
) -> tuple[Record, AnswerView]:
    """The record of one run, and the view of its answer.

    Args:
        given: the answer of a contender whose answers exist already, as the contest's text.
    """
    settings, board = Settings(limits=SOLVE, format=format), Dataset(name=FILE, instances=(instance,))
    task = Task(contender, board, 0)
    try:
        if contender.kind is Kind.GIVEN:
            answer = apart(pool, _read_answer, contender.puzzle, given, instance, format)
            task = replace(task, dataset=replace(board, answers=[answer]))
        if task.reason_to_skip:
            run = Run(status=Status.SKIPPED, detail=task.reason_to_skip)
        else:
            run = attempt(pool, replace(task.job(settings), check_s=SOLVE.seconds, view=view_of, not_twice=True))
    except UserError as error:
        run = Run(status=Status.ERROR, detail=str(error))
    except Exception as error:
        run = crashed(error)
    view = run.view if isinstance(run.view, AnswerView) else AnswerView()
    return record_of(task, replace(run, view=None), settings), view


def _read_answer(name: str, given: str, instance: Instance, format: str | None) -> Answer:
    puzzle = puzzles.get(name)
    return puzzle.parse_answers(given, [instance], puzzle.format(format), "answer")[0]


def rehearsed(pool: Pool, contender: Contender) -> None:
    """Solve the first board of the puzzle's example, so that all is warm that answering a board needs."""
    answered(pool, contender, apart(pool, example, contender.puzzle), None)


def view_of(instance: Instance, answer: Answer) -> AnswerView:
    """What the page shows of an answer. Whatever of it fails is left out; the record is not worse for that."""
    puzzle = puzzles.get(instance.puzzle)
    svg, words, fields, core, grid, shown = "", "", "{}", "", "{}", answer
    with suppress(Exception):
        shown = puzzle.with_irreducible_core(instance, answer)
    with suppress(Exception):
        svg = puzzle.picture(instance, shown)
        core = "" if shown is answer else puzzle.check(instance, shown).detail
    with suppress(Exception):
        words = _words(instance, answer)
    with suppress(Exception):
        fields = json.dumps(puzzle.fields(answer), default=str, allow_nan=False)
    with suppress(Exception):
        grid = json.dumps(in_words(puzzle, instance, shown))
    return AnswerView(svg if isinstance(svg, str) and len(svg) <= MAX_SVG else "", words, fields, core, grid)


def in_words(puzzle: Puzzle, instance: Instance, answer: Answer) -> dict[str, Any]:
    """`cells`: what the answer says of each cell of a board, in row-major order. `steps`: its derivation, see `DerivationStep`."""
    if not isinstance(puzzle, GridPuzzle) or not isinstance(instance, Board):
        return {}
    steps = [step.fields(instance.columns) for step in puzzle.steps(instance, answer)]
    return {"cells": [str(each) for each in puzzle.cell_words(instance, answer)], "steps": steps}


def _words(instance: Instance, answer: Answer) -> str:
    """The answer in a few words: the puzzle's own, or its first printed line.

    If that line is a row of a board, or the number of a case, the kind of answer stands for it.
    """
    puzzle = puzzles.get(instance.puzzle)
    own = puzzle.headline(answer)
    if own:
        return own
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
        "why": "" if not check else view.core if view.core and check.verdict is Verdict.PROVED else check.detail,
        "answer": run.answer,
        "words": view.words,
        "fields": json.loads(view.fields),
        "claims": claims.tolist() if claims is not None and claims.size <= MAX_CLAIMS else None,
        "svg": view.svg or None,
        **json.loads(view.grid),
    }


def differences(instance: Instance, pairs: Sequence[tuple[Claims, Claims]]) -> list[dict[str, Any]]:
    """For each pair of claims about an instance, the cells about which they differ and what people call those."""
    puzzle = puzzles.get(instance.puzzle)
    return [difference(puzzle, instance, ours, theirs) for ours, theirs in pairs]


def difference(puzzle: Puzzle, instance: Instance, ours: Claims, theirs: Claims) -> dict[str, Any]:
    """The cells (row, column, from 0) about which two arrays of claims differ, and what people call the places where they do."""
    if isinstance(instance, Board) and isinstance(puzzle, GridPuzzle):
        cells = puzzle.differing_cells(instance, ours, theirs)[:MAX_DIFFERENCES]
        if cells:
            places = [f"the cell at {instance.place(cell)}" for cell in cells]
            return {"cells": [list(divmod(cell, instance.columns)) for cell in cells], "places": places}
    if ours.shape != theirs.shape:
        return {"cells": [], "places": []}
    places = [puzzle.place_of(instance, int(claim)) for claim in np.flatnonzero(ours != theirs)[:MAX_DIFFERENCES]]
    return {"cells": [], "places": [place for place in places if place]}


@dataclass(frozen=True)
class BoardQuestion:
    """One board, and who shall solve it.

    Attributes:
        contenders: by what the page calls them.
        format: of the answers; None for the puzzle's first.
        given: answers that exist already, as the contest's text, by what the page calls whoever gave them.
        programs: the NAME=COMMAND of each program of one's own, by its name.
    """

    puzzle: Puzzle
    instance: Instance
    contenders: Mapping[str, Contender]
    format: str | None
    given: Mapping[str, str]
    programs: Mapping[str, str]


async def answers(workers: Workers, question: BoardQuestion, cancelled: asyncio.Event) -> AsyncIterator[dict[str, Any]]:
    """Each answer as soon as it is there, then the comparison of all; or the line `CANCELLED` once the event is set."""
    givers = {name: GivenAnswers(puzzle=question.puzzle.name, name=name) for name in question.given}
    contenders: dict[str, Contender] = {**givers, **question.contenders}
    tasks: dict[asyncio.Future[Any], str] = {}
    for name, each in contenders.items():
        given = question.given.get(name, "")
        call = workers.call(answered, each, question.instance, question.format, given, contender=each)
        tasks[asyncio.ensure_future(call)] = name
    stop = asyncio.ensure_future(cancelled.wait())
    waiting: set[asyncio.Future[Any]] = {*tasks, stop}
    try:
        while len(waiting) > 1:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if cancelled.is_set():
                yield CANCELLED
                return
            for task in done:
                yield answer_line(tasks[task], *task.result())
        yield await _comparison(workers, question, {name: task.result() for task, name in tasks.items()})
    finally:
        for each in (*tasks, stop):
            each.cancel()


class JudgedAnswer(NamedTuple):
    """What became of one contender.

    Attributes:
        name: what the page calls it.
        words: its answer in words.
        grade: what its run is worth, beside all others.
    """

    name: str
    record: Record
    words: str
    grade: Grade


async def _comparison(workers: Workers, question: BoardQuestion, runs: Mapping[str, tuple[Record, AnswerView]]) -> dict[str, Any]:
    comparison = Comparison.of(record for record, _ in runs.values())
    grades = {result.contender: result.grade for result in results_of(comparison.instances)}
    judged = [JudgedAnswer(name, run, view.words, grades[run.task.contender]) for name, (run, view) in runs.items()]
    names = {each.record.task.contender: each.name for each in judged}
    pairs = [pair for conflict in comparison.conflicts for pair in conflict.pairs]
    differ: list[dict[str, Any]] = [{"cells": [], "places": []} for _ in pairs]
    if pairs:
        claims = [(a.run.claims, b.run.claims) for a, b in pairs]
        with suppress(RefusedRequest):  # where the answers differ; that they differ is known
            differ = await workers.call(apart, differences, question.instance, claims)
    place = next((each["places"][0] for each in differ if each["places"]), "")
    return {
        "type": "comparison",
        "headline": comparison.headline,
        "sentence": verdict(judged, conflict=bool(pairs), place=place),
        "mood": _mood([each.grade for each in judged], conflict=bool(pairs)),
        "settled": _settled(judged, pairs),
        "differences": [
            {"contenders": [names[each.task.contender] for each in pair], **difference}
            for pair, difference in zip(pairs, differ, strict=True)
        ],
        "command": run_command(question.puzzle, question.contenders.values(), question.programs, question.format),
        "python": python_lines(question.puzzle, question.contenders.values()),
    }


def _settled(judged: Sequence[JudgedAnswer], pairs: Sequence[tuple[Record, Record]]) -> dict[str, list[str]]:
    """By name, the verdict on each answer that its check leaves open and a proved answer decides, then a sentence that says why."""
    names = {each.record.task.contender: each.name for each in judged}
    settled: dict[str, list[str]] = {}
    for name, record, _, grade in judged:
        check = record.run.check
        if record.run.status is not Status.OK or (check is not None and check.verdict is not Verdict.UNPROVED):
            continue
        if grade is Grade.WRONG:
            against = [pair for pair in pairs if record.task.contender in [each.task.contender for each in pair]]
            winner = next(each.task.contender for pair in against for each in pair if each.is_proved)
            settled[name] = [Verdict.REFUTED, f"It contradicts the answer of {names[winner]}, which is proved."]
        elif grade is Grade.RIGHT:
            settled[name] = [Verdict.PROVED, "Another answer proves all that it claims."]
    return settled


def _mood(grades: Sequence[Grade], *, conflict: bool) -> str:
    """How the page shows the verdict: `good` if everything is proved, `bad` if something is wrong, else `warn`."""
    if conflict or {Grade.WRONG, Grade.CRASH, Grade.ERROR}.intersection(grades):
        return "bad"
    return "good" if set(grades) == {Grade.RIGHT} else "warn"


def verdict(judged: Sequence[JudgedAnswer], *, conflict: bool, place: str) -> str:
    """What the answers to one board say together: `IMPOSSIBLE: both agree, both proved.`

    Wrong answers come first. A sentence for each who has no answer comes last.

    Args:
        conflict: whether some answers contradict each other; `place`: where they do first, if that is known.
    """
    groups: dict[tuple[bool, bytes], list[JudgedAnswer]] = {}
    failures: list[str] = []
    for each in judged:
        run = each.record.run
        if run.status is Status.OK:
            claims = b"" if run.claims is None or not conflict else run.claims.tobytes()
            groups.setdefault((each.grade is not Grade.WRONG, claims), []).append(each)
        else:
            failures.append(_failure(each.name, each.record))
    sentences: list[str] = []
    for _, group in sorted(groups.items(), key=lambda item: item[0][0]):
        first = next((each for each in group if each.record.task.complete), group[0])
        words = first.words if len(first.words) <= MAX_WORDS else f"{first.words[:MAX_WORDS]} ..."
        worth = _worth([each.grade for each in group]) + _reason(first.record)
        if len(group) < len(judged):
            *others, last = [each.name for each in group]
            names = f"{', '.join(others)} and {last} say" if others else f"{last} says"
            sentences.append(f"{names} {words}: {worth}.")
        else:
            agree = "" if len(group) == 1 else "both agree, " if len(group) == 2 else f"all {len(group)} agree, "
            sentences.append(f"{words[:1].upper()}{words[1:]}: {agree}{worth}.")
    if conflict and place:
        sentences.append(f"They differ first about {place}.")
    return " ".join([*sentences, *failures])


def _worth(grades: Sequence[Grade]) -> str:
    """How many answers that say the same are proved or refuted: `both proved`."""
    number = len(grades)
    for grade, word in ((Grade.WRONG, "refuted"), (Grade.RIGHT, "proved")):
        count = grades.count(grade)
        if count == number:
            return word if number == 1 else f"both {word}" if number == 2 else f"all {number} {word}"
        if count:
            return f"{count} of {number} {word}"
    return "not proved" if number == 1 else "neither proved" if number == 2 else "none proved"


def _reason(record: Record) -> str:
    """Why the check refutes an answer; empty for another answer."""
    check = record.run.check
    return f", {check.detail}" if check is not None and check.verdict is Verdict.REFUTED and check.detail else ""


def _failure(name: str, record: Record) -> str:
    """Why a contender has no answer, as a sentence."""
    detail = record.run.detail.strip().rstrip(".").partition("\n")[0]
    match record.run.status:
        case Status.TIMEOUT:
            return f"{name} has no answer after {SOLVE.seconds:g} seconds."
        case Status.MEMORY:
            return f"{name} was stopped because it takes too much memory."
        case Status.SKIPPED:
            return f"{name} does not take this {puzzles.get(record.task.puzzle).noun}: {detail}."
        case Status.ERROR if record.task.kind is not Kind.BACKEND:
            return f"The answer of {name} cannot be read: {detail}."
        case Status.ERROR:
            return f"{name} gave no answer: {detail}."
        case _:
            return f"{name} crashed: {detail}."


def input_file(puzzle_name: str) -> str:
    """The file that the commands read; the page saves the board under this name."""
    return f"{puzzle_name}.in"


def formula_file(puzzle_name: str) -> str:
    """The file that the command writes; the page saves the formula under this name."""
    return f"{puzzle_name}.cnf"


def run_command(puzzle: Puzzle, contenders: Iterable[Contender], programs: Mapping[str, str], format: str | None = None) -> str:
    """The command that runs these contenders on the board: one line, or one for each SAT solver that somebody chose.

    Args:
        programs: the NAME=COMMAND of each program of one's own, by its name. The first line runs them.
    """
    by_solver: dict[str | None, list[BackendContender]] = {}
    chosen_programs: list[str] = []
    for each in contenders:
        if not isinstance(each, BackendContender):
            chosen_programs += ["--program", programs[each.name]]
            continue
        by_solver.setdefault(each.solver if each.tests_solver else None, []).append(each)
    chosen = [solver for solver in by_solver if solver is not None]
    if len(chosen) == 1 and all(each.solver is None for each in by_solver.get(None, [])):
        by_solver = {chosen[0]: [*by_solver.pop(None, []), *by_solver[chosen[0]]]}
    lines: list[str] = []
    for solver, group in by_solver.items() or [(None, [])]:
        words = ["python", "-m", "compare", "run", puzzle.home.argument, input_file(puzzle.name)]
        words += [word for each in group for word in ("-b", f"{each.side}:{each.backend_name}")]
        words += chosen_programs if not lines else []
        words += ["--solver", solver] if solver is not None else []
        words += ["--answers", format] if format is not None else []
        lines.append(" ".join(map(quote, words)))
    return "\n".join(lines)


def formula_command(puzzle: Puzzle, contender: BackendContender) -> str:
    """The command that writes the formula of a backend."""
    words = ["python", "-m", "models", puzzle.home.argument, input_file(puzzle.name)]
    words += ["--backend", contender.backend_name, "--dimacs", formula_file(puzzle.name)]
    return " ".join(map(quote, words))


def python_lines(puzzle: Puzzle, contenders: Iterable[Contender]) -> str:
    """Lines of Python that print the answer of each backend."""
    chosen = [each for each in contenders if isinstance(each, BackendContender)]
    sides = ", ".join(dict.fromkeys(each.side for each in chosen))
    reading = f'parse(open("{input_file(puzzle.name)}").read())[0]'
    if puzzle.home.user_file is None:
        lines = [f"from puzzles import {puzzle.name}", f"import {sides}", f"board = {puzzle.name}.{reading}"]
    else:
        lines = [
            f"import puzzles, {sides}",
            f"puzzle = puzzles.find({puzzle.home.argument!r})",
            f"board = puzzle.{reading}",
        ]
    for each in chosen:
        solver = f", solver={each.solver!r}" if each.tests_solver else ""
        lines.append(f"print({each.side}.solve(board, backend={each.backend_name!r}{solver}))")
    return "\n".join(lines) + "\n"
