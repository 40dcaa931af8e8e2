"""The answers to one board: each as it comes, then what they say together, as lines of JSON.

`solve_and_check` runs in threads of the server; solving and checking, and `view_of` and
`differences`, run in children.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from shlex import join
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace as with_fields

import puzzles
from compare.commands.arguments import ANSWER_FORMAT, BACKEND, EXTENDED, PLUGIN, PROGRAM, SOLVER
from compare.commands.page.bounds import MAX_SVG, SOLVE, RefusedRequest
from compare.commands.page.hints import Additions
from compare.commands.page.workers import Workers, in_judge
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.summaries import Grade, summaries_of
from compare.engine.isolate.outcome import Status
from compare.engine.work.asking import carry_out
from compare.engine.work.contenders import Ask, BackendContender, Contender, DatasetCase
from compare.engine.work.plugins import PluginBackend
from compare.engine.work.pool import Pool
from compare.engine.work.result import Kind, Result
from compare.show.messages import brief
from compare.show.messages import verdict as last_line
from compare.show.wording import command
from puzzles.answer import Answer, Claims, Verdict
from puzzles.grid import Board, GridPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import UserError

MAX_DIFFERENCES = 2000
"""Cells that are marked where two answers differ."""

MAX_WORDS = 80
"""Characters of an answer in words."""


View = dict[str, Any]
"""What the page shows of an answer beside its result, as JSON.

`svg`: the board with the answer drawn into it, None if that is too large. `words`: the answer in a
few words. `fields`: `Puzzle.fields`. `core`: what the check says of the core that is drawn, empty
if that is the one that was checked. `cells`, `steps` and `core_cells`: see `in_words`.
"""

NO_VIEW: View = {"svg": None, "words": "", "fields": {}, "core": ""}


class Answered(NamedTuple):
    """What became of one contender.

    Attributes:
        name: what the page calls it.
        grade: what its result is worth, beside all others.
    """

    name: str
    result: Result
    view: View
    grade: Grade = Grade.OPEN


def solve_and_check(
    pool: Pool, contender: Contender, instance: Instance, format: str | None, given: str = ""
) -> Answered:
    """One run.

    Args:
        given: the answer of a contender whose answers exist already, as the contest's text.
    """
    ask = Ask(
        contender=contender,
        cases=[DatasetCase(instance, dataset="board")],
        format=format,
        limits=SOLVE,
        check_s=SOLVE.seconds,
        view=view_of,
        recorded=True,
    )
    try:
        if contender.kind is Kind.GIVEN:
            answer = in_judge(pool, _read_answer, contender.puzzle, given, instance, format)
            ask = with_fields(ask, cases=[with_fields(ask.cases[0], answer=answer)])
        result = ask.skipped_result or carry_out(pool, ask)[0]
    except UserError as error:
        (result,) = ask.failed(str(error), Status.ERROR)
    except Exception as error:
        (result,) = ask.crashed(error)
    return Answered(contender.name, result, result.view or NO_VIEW)


def _read_answer(name: str, given: str, instance: Instance, format: str | None) -> Answer:
    puzzle = puzzles.get(name)
    return puzzle.answers_in(given, [instance], puzzle.format(format), "answer")[0]


def view_of(instance: Instance, answer: Answer) -> View:
    """What the page shows of an answer.

    Whatever of it fails is left out; the record is not worse for that.
    """
    puzzle, shown, view = puzzles.get(instance.puzzle), answer, dict(NO_VIEW)
    with suppress(Exception):
        shown = puzzle.with_irreducible_core(instance, answer)
    parts: list[Callable[[], View]] = [
        lambda: {"svg": bound_picture(puzzle.picture(instance, shown))},
        lambda: {"core": "" if shown is answer else puzzle.check(instance, shown).detail},
        lambda: {"words": _words(puzzle, instance, answer)},
        lambda: {"fields": puzzle.fields(answer)},
        lambda: in_words(puzzle, instance, shown),
    ]
    for part in parts:
        with suppress(Exception):
            view |= json.loads(json.dumps(part(), default=str, allow_nan=False))
    return view


def bound_picture(svg: str) -> str | None:
    """A picture; None if it is too large for the page, or none."""
    return svg if isinstance(svg, str) and len(svg) <= MAX_SVG else None


def in_words(puzzle: Puzzle, instance: Instance, answer: Answer) -> View:
    """`cells`: what the answer says of each cell of a board, in row-major order.

    `steps`: its derivation, see `DerivationStep`. `core_cells`: (row, column) of each cell of the
    core, from 0.
    """
    if not isinstance(puzzle, GridPuzzle) or not isinstance(instance, Board):
        return {}
    steps = [step.fields(instance.columns) for step in puzzle.steps(instance, answer)]
    core = [list(divmod(cell, instance.columns)) for cell in puzzle.core_cells(instance, answer)]
    words = [str(each) for each in puzzle.cell_words(instance, answer)]
    return {"cells": words, "steps": steps, "core_cells": core}


def _words(puzzle: Puzzle, instance: Instance, answer: Answer) -> str:
    """The answer in a few words: the puzzle's own, or its first printed line.

    If that line is a row of a board, or the number of a case, the kind of answer stands for it.
    """
    own = puzzle.headline(answer)
    if own:
        return own
    line = brief(puzzle, puzzle.print_answers([answer], puzzle.formats[0]))
    is_row = isinstance(instance, Board) and set(line.encode()) <= set(instance.alphabet)
    plain = re.fullmatch(r"[-0-9 ]*", line) is not None
    kind = "" if answer.claims is None else puzzle.outcome(answer.claims)
    if (is_row or plain) and kind:
        return kind
    return f"the answer {line}" if plain and line else line


def answer_line(answer: Answered) -> dict[str, Any]:
    """The line of JSON for one answer."""
    result, view = answer.result, answer.view
    check = result.check
    return {
        "type": "answer",
        "contender": answer.name,
        "status": result.status,
        "detail": result.reason,
        "seconds": result.usage.wall_s,
        "variables": result.effort.variables,
        "clauses": result.effort.clauses,
        "verdict": check and check.verdict,
        "why": ""
        if not check
        else view["core"]
        if view["core"] and check.verdict is Verdict.PROVED
        else check.detail,
        "answer": result.answer,
        **view,
    }


def differences(instance: Instance, pairs: Sequence[tuple[Claims, Claims]]) -> list[dict[str, Any]]:
    """For each pair of claims about an instance, the cells about which they differ and what people
    call those.
    """
    puzzle = puzzles.get(instance.puzzle)
    return [difference(puzzle, instance, ours, theirs) for ours, theirs in pairs]


def difference(puzzle: Puzzle, instance: Instance, ours: Claims, theirs: Claims) -> dict[str, Any]:
    """The cells (row, column, from 0) about which two arrays of claims differ, and what people call
    the places where they do.
    """
    if isinstance(instance, Board) and isinstance(puzzle, GridPuzzle):
        cells = puzzle.differing_cells(instance, ours, theirs)[:MAX_DIFFERENCES]
        if cells:
            places = [f"the cell at {instance.place(cell)}" for cell in cells]
            return {
                "cells": [list(divmod(cell, instance.columns)) for cell in cells],
                "places": places,
            }
    if ours.shape != theirs.shape:
        return {"cells": [], "places": []}
    places = [
        puzzle.place_of(instance, int(claim))
        for claim in np.flatnonzero(ours != theirs)[:MAX_DIFFERENCES]
    ]
    return {"cells": [], "places": [place for place in places if place]}


@dataclass(frozen=True)
class BoardQuestion:
    """One board, and who shall solve it.

    Attributes:
        format: of the answers; None for the puzzle's first.
        given: the answer that exists already, as the contest's text, if such a contender is among
            them.
        added: what the user adds to the page.
        tab: where it is asked.
    """

    puzzle: Puzzle
    instance: Instance
    contenders: Sequence[Contender]
    format: str | None
    given: str
    added: Additions
    tab: str


async def stream_answers(
    workers: Workers, question: BoardQuestion
) -> AsyncGenerator[dict[str, Any], None]:
    """Each answer as soon as it is there, then the comparison of all."""
    calls = [
        workers.call(
            solve_and_check,
            each,
            question.instance,
            question.format,
            question.given,
            contender=each,
            tab=question.tab,
        )
        for each in question.contenders
    ]
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        for ended in asyncio.as_completed(tasks):
            yield answer_line(await ended)
        yield await _comparison(workers, question, [task.result() for task in tasks])
    finally:
        for each in tasks:
            each.cancel()


async def _comparison(
    workers: Workers, question: BoardQuestion, ungraded: Sequence[Answered]
) -> dict[str, Any]:
    comparison = Comparison.of(each.result for each in ungraded)
    grades = {each.contender: each.grade for each in summaries_of(comparison.instances)}
    every = [each._replace(grade=grades[each.result.contender]) for each in ungraded]
    by_contender = {each.result.contender: each for each in every}
    pairs = [
        (by_contender[one.contender], by_contender[other.contender])
        for conflict in comparison.conflicts
        for one, other in conflict.pairs
    ]
    differ: list[dict[str, Any]] = [{"cells": [], "places": []} for _ in pairs]
    if pairs:
        claims = [(one.result.claims, other.result.claims) for one, other in pairs]
        with suppress(RefusedRequest):  # where the answers differ; that they differ is known
            differ = await workers.call(in_judge, differences, question.instance, claims)
    settled = ((each.name, _settle(each, pairs)) for each in every)
    return {
        "type": "comparison",
        "last_line": str(last_line(comparison)),
        "sentence": verdict_of_all(
            every,
            conflict=bool(pairs),
            places=[place for each in differ for place in each["places"]],
        ),
        "mood": _mood(every, conflict=bool(pairs)),
        "settled": {name: how for name, how in settled if how},
        "differences": [
            {"contenders": [one.name, other.name], **where}
            for (one, other), where in zip(pairs, differ, strict=True)
        ],
        "command": run_command(
            question.puzzle, question.contenders, question.added, question.format
        ),
        "python": python_lines(question.puzzle, question.contenders),
    }


def _settle(
    answer: Answered, pairs: Sequence[tuple[Answered, Answered]]
) -> tuple[Verdict, str] | None:
    """The verdict on an answer that its check leaves open and a proved answer decides, and a
    sentence that says why.
    """
    result = answer.result
    if result.status is not Status.OK or result.verdict not in (None, Verdict.UNPROVED):
        return None
    if answer.grade is Grade.RIGHT:
        return Verdict.PROVED, "Another answer proves all that it claims."
    if answer.grade is not Grade.WRONG:
        return None
    winner = next(
        each.name for pair in pairs if answer in pair for each in pair if each.result.is_proved
    )
    return Verdict.REFUTED, f"It contradicts the answer of {winner}, which is proved."


def _mood(answers: Sequence[Answered], *, conflict: bool) -> str:
    """How the page shows the verdict:

    `good` if everything is proved, `bad` if something is wrong, else `warn`. A program that has to
    be stopped is wrong, as it is for `run`.
    """
    grades = {each.grade for each in answers}
    stopped = any(
        each.result.kind is Kind.PROGRAM and each.result.status in (Status.TIMEOUT, Status.MEMORY)
        for each in answers
    )
    if conflict or stopped or grades & {Grade.WRONG, Grade.CRASH, Grade.ERROR}:
        return "bad"
    return "good" if grades == {Grade.RIGHT} else "warn"


def verdict_of_all(answers: Sequence[Answered], *, conflict: bool, places: Sequence[str]) -> str:
    """What the answers to one board say together: `IMPOSSIBLE: both agree, both proved.`

    Wrong answers come first. A sentence for each who has no answer comes last.

    Args:
        conflict: whether some answers contradict each other; `places`: where they do, if that is
            known.
    """
    groups: dict[tuple[bool, bytes], list[Answered]] = {}
    for each in answers:
        if each.result.status is Status.OK:
            claims = each.result.claims if conflict else None
            groups.setdefault(
                (each.grade is not Grade.WRONG, b"" if claims is None else claims.tobytes()), []
            ).append(each)
    sentences: list[str] = []
    for _, group in sorted(groups.items(), key=lambda item: item[0][0]):
        first = next((each for each in group if each.result.complete), group[0])
        words = first.view["words"]
        words = words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]} ..."
        worth, check = _worth([each.grade for each in group]), first.result.check
        if check is not None and check.verdict is Verdict.REFUTED and check.detail:
            worth += f", {check.detail}"
        if len(group) < len(answers):
            *others, last = [each.name for each in group]
            names = f"{', '.join(others)} and {last} say" if others else f"{last} says"
            sentences.append(f"{names} {words}: {worth}.")
        else:
            agree = f"{_all(len(group))}agree, " if len(group) > 1 else ""
            sentences.append(f"{words[:1].upper()}{words[1:]}: {agree}{worth}.")
    if conflict and places:
        sentences.append(f"They differ first about {places[0]}.")
    return " ".join(
        sentences + [failure(each) for each in answers if each.result.status is not Status.OK]
    )


def _all(number: int) -> str:
    return "" if number == 1 else "both " if number == 2 else f"all {number} "


def _worth(grades: Sequence[Grade]) -> str:
    """How many answers that say the same are proved or refuted: `both proved`."""
    number = len(grades)
    for grade, word in ((Grade.WRONG, "refuted"), (Grade.RIGHT, "proved")):
        count = grades.count(grade)
        if count:
            return f"{_all(number)}{word}" if count == number else f"{count} of {number} {word}"
    return "not proved" if number == 1 else "neither proved" if number == 2 else "none proved"


FAILURES = {
    Status.TIMEOUT: "{name} has no answer after {seconds:g} seconds.",
    Status.MEMORY: "{name} was stopped because it takes too much memory.",
    Status.SKIPPED: "{name} does not take this {noun}: {detail}.",
    Status.SPARED: "{name} is not given this {noun}, which its contest does not promise "
    "({detail}). `page --extended` gives it all.",
    Status.ERROR: "{name} gave no answer: {detail}.",
    Status.CRASH: "{name} crashed: {detail}.",
    Status.UNKNOWN: "{name} does not know: {detail}.",
}
"""Why a contender has no answer."""

UNREADABLE = "The answer of {name} cannot be read: {detail}."
"""Why a program, or whoever gave an answer, has none."""


def failure(answer: Answered, seconds: float = SOLVE.seconds) -> str:
    """Why a contender has no answer, as a sentence; `seconds` is what it had."""
    result = answer.result
    foreign = result.kind is not Kind.BACKEND
    sentence = UNREADABLE if result.status is Status.ERROR and foreign else FAILURES[result.status]
    detail = result.reason.strip().rstrip(".").partition("\n")[0]
    noun = puzzles.get(result.puzzle).noun
    return sentence.format(name=answer.name, seconds=seconds, noun=noun, detail=detail)


def input_file(puzzle_name: str) -> str:
    """The file that the commands read; the page saves the board under this name."""
    return f"{puzzle_name}.in"


def formula_file(puzzle_name: str) -> str:
    """The file that the command writes; the page saves the formula under this name."""
    return f"{puzzle_name}.cnf"


def run_command(
    puzzle: Puzzle,
    contenders: Iterable[Contender],
    added: Additions,
    format: str | None = None,
) -> str:
    """The command that runs these contenders on the board: one line, or one for each SAT solver
    that the user chose.

    Args:
        added: what the user adds to the page. The first line runs the programs.
    """
    by_solver: dict[str | None, list[BackendContender]] = {}
    programs = {each.partition("=")[0]: each for each in added.programs}
    chosen_programs: list[str] = []
    extended = False
    for each in contenders:
        if each.kind is Kind.PROGRAM:
            chosen_programs.append(programs[each.name])
            extended |= each.extended
        if not isinstance(each, BackendContender):
            continue
        by_solver.setdefault(each.solver if each.tests_solver else None, []).append(each)
    chosen = [solver for solver in by_solver if solver is not None]
    if len(chosen) == 1 and all(each.solver is None for each in by_solver.get(None, [])):
        by_solver = {chosen[0]: [*by_solver.pop(None, []), *by_solver[chosen[0]]]}
    lines: list[str] = []
    for solver, group in by_solver.items() or [(None, [])]:
        options = {
            BACKEND.names[0]: [f"{each.side}:{each.backend_name}" for each in group],
            PROGRAM.name: [] if lines else chosen_programs,
            PLUGIN.name: _plugins_of(group),
            SOLVER.name: solver,
            ANSWER_FORMAT.name: format,
            EXTENDED.name: extended and not lines,
        }
        lines.append(command(["run", puzzle.origin.argument, input_file(puzzle.name)], options))
    return "\n".join(lines)


def _plugins_of(contenders: Iterable[BackendContender]) -> list[str]:
    """The plugins that register some of these."""
    backends = [each.backend for each in contenders]
    return list(dict.fromkeys(each.plugin for each in backends if isinstance(each, PluginBackend)))


def formula_command(puzzle: Puzzle, contender: BackendContender) -> str:
    """The command that writes the formula of a backend."""
    words = ["python", "-m", "models", puzzle.origin.argument, input_file(puzzle.name)]
    words += ["--backend", contender.backend_name, "--dimacs", formula_file(puzzle.name)]
    words += [word for path in _plugins_of([contender]) for word in (PLUGIN.name, path)]
    return join(words)


def python_lines(puzzle: Puzzle, contenders: Iterable[Contender]) -> str:
    """Lines of Python that print the answer of each backend."""
    chosen = [each for each in contenders if isinstance(each, BackendContender)]
    sides = ", ".join(dict.fromkeys(each.side for each in chosen))
    reading = f'parse(open("{input_file(puzzle.name)}").read())[0]'
    if puzzle.origin.user_file is None:
        lines = [
            f"from puzzles import {puzzle.name}",
            f"import {sides}",
            f"board = {puzzle.name}.{reading}",
        ]
    else:
        lines = [
            f"import puzzles, {sides}",
            f"puzzle = puzzles.find({puzzle.origin.argument!r})",
            f"board = puzzle.{reading}",
        ]
    if plugins := _plugins_of(chosen):
        lines[0:0] = ["from models.python_file import load_plugin"]
        lines += [f"load_plugin({path!r})" for path in plugins]
    for each in chosen:
        solver = f", solver={each.solver!r}" if each.tests_solver else ""
        lines.append(f"print({each.side}.solve(board, backend={each.backend_name!r}{solver}))")
    return "\n".join(lines) + "\n"
