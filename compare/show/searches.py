"""What `compare fuzz` says: of a failure, and at the end of everything that was tried."""

from __future__ import annotations

import puzzles
from compare.fuzz.batch import BatchKind
from compare.fuzz.search import Discovery, FuzzSearch
from compare.fuzz.trials.observed import CONFLICT, REFUTED
from compare.show.messages import brief
from compare.show.page_link import board_link, page_command
from compare.show.terminal import wrapped
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import counted, excerpt

MOST_SHOWN = 8
"""Boards of a failing call that are printed; more are in the file alone."""

LONG_S = 1.0
"""Seconds from which on a contender that has no answer when the time is up is named. Batches are planned to take less."""

MOST_CASE_LINES = 40
"""Lines of a case that are printed."""


def discovery_text(discovery: Discovery, replay: str, width: int | None = None) -> str:
    """The smallest board first, then who says what of it, what the check refutes, and the line that replays it.

    A last line says how to see it in the browser. `width`: of a line of prose; None for any. The last two lines stay whole, to be
    copied.
    """
    shrunk, smallest = discovery.shrunk, discovery.shrunk.smallest
    board = smallest.board
    puzzle = puzzles.get(board.puzzle)
    fault = shrunk.smallest_fault
    names_by_answer: dict[str, list[str]] = {}
    refuted = fault.names if fault.kind == REFUTED else ()
    for name, answer in sorted(discovery.answers.items(), key=lambda item: item[0] not in refuted):
        names_by_answer.setdefault(answer, []).append(name)
    call = fault.together
    shown = [board] if not call else [] if len(call) > MOST_SHOWN else call
    lines = [line for each in shown for line in ("", _shown(each))]
    lines.append("")
    about_answers = fault.kind in (CONFLICT, REFUTED) and not call and bool(names_by_answer)
    if about_answers:
        headline = ", ".join(
            f"{' and '.join(names)} say{'s' * (len(names) == 1)} {brief(puzzle, answer)}"
            for answer, names in names_by_answer.items()
        )
        if fault.kind == CONFLICT and fault.detail:
            headline += f"; they differ in their {fault.detail}"
    else:
        headline = f"{' and '.join(fault.names)}{f': {fault.detail}' * bool(fault.detail)}"
    before, after = discovery.original.board.shown_size, board.shown_size
    none_smaller = f"not shrunk from {after}" if shrunk.cut_short else f"no smaller {puzzle.noun} than {after}"
    shrinking = none_smaller if before == after else f"shrunk {before} to {after}"
    if call:
        if len(call) > 1:
            headline += f", when it solves {len(call)} {puzzle.noun}s in one call; none of them fails by itself"
        before, after = str(len(shrunk.fault.together)), str(len(call))
        shrinking = f"shrunk {before} {puzzle.noun}s to {after}" if before != after else f"no fewer {puzzle.noun}s than {after}"
    shrinking += f" in {counted(shrunk.tries, 'run')}"
    if shrunk.cut_short:
        shrinking += ", then the search was ended: a smaller one may show it too"
    lines.append(wrapped(f"{fault.kind}: {headline}; {shrinking}", width))
    for answer, names in names_by_answer.items() if about_answers else ():
        lines.append(f"{', '.join(names)}:")
        lines += [f"    {line}" for line in answer.rstrip().splitlines()]
    proved = [name for name in fault.names if name in discovery.proved]
    if fault.kind == CONFLICT and len(proved) == 1 < len(fault.names):
        (wrong,) = {*fault.names} - {*proved}
        lines.append(wrapped(f"WRONG: {wrong}, by the proved answer of {proved[0]}", width))
    for other in smallest.faults if not call else ():
        if other.kind == REFUTED:
            lines.append(wrapped(f"REFUTED: {other.names[0]}: {other.detail}", width))
    if discovery.kind is not BatchKind.ORDINARY:
        lines.append(f"a batch of the kind {discovery.kind} shows it; with `--kind {discovery.kind}` the search finds it again")
    lines.append(f"replay: {replay}")
    link = "" if call else board_link(puzzle, board)
    return "\n".join([*lines, *([f"see it: {page_command([puzzle])}, then {link}"] if link else [])])


def _shown(instance: Instance) -> str:
    """A board as its rows, with what else it tells if its contest cannot say that; of a long case the first lines."""
    text = str(instance) if instance.in_contest_format else instance.text().rstrip()
    return text if instance.shape is not None else "\n".join(excerpt(text, MOST_CASE_LINES))


def statement(puzzle: Puzzle, search: FuzzSearch) -> list[str]:
    """What was tried: how each contender fared, how often each kind of answer came up, and the other kinds of batches."""
    main = search.schedule.main
    tried = search.tried[main]
    lines: list[str] = []
    for name, theirs in tried.responses.items():
        parts = [f"{theirs.answered} answered"]
        parts += [f"{count} {what}" for count, what in ((theirs.refused, "refused"), (theirs.skipped, "skipped")) if count]
        slowest = theirs.slowest
        if slowest.seconds >= 0:
            parts.append(f"slowest {1000 * slowest.seconds:.3g} ms on {slowest.shown_size}")
        lines.append(f"{name}: {', '.join(parts)}")
    total = sum(tried.outcomes.values())
    if total:
        shares = ", ".join(f"{100 * times / total:.0f}% {outcome}" for outcome, times in tried.outcomes.most_common())
        lines.append(f"answers: {shares}")
    batch = search.batches[main]
    if not batch.generator:
        chosen = batch.families
        lines.append(f"families: {', '.join(chosen)}" if chosen else f"families: {', '.join(puzzle.families)}, and parts of them")
    lines += _cut_off(puzzle, search)
    spent = search.schedule.spent
    everything = sum(spent.values()) or 1.0
    others = [
        f"{each.boards} {kind} ({100 * spent[kind] / everything:.0f}%)"
        for kind, each in search.tried.items()
        if kind is not main and each.boards
    ]
    if others:
        lines.append(f"{puzzle.noun}s of other kinds (share of the time): {', '.join(others)}")
    return lines


def _cut_off(puzzle: Puzzle, search: FuzzSearch) -> list[str]:
    """Who was busy for long when the time was over: a backend that hangs would else go unnoticed."""
    lines: list[str] = []
    for tried in search.tried.values():
        for call in tried.cut_off.values():
            if call.seconds >= LONG_S:
                boards = call.shown_size if call.boards == 1 else f"{call.boards} {puzzle.noun}s up to {call.shown_size}"
                lines.append(
                    f"{' or '.join(call.names)}: the time was up after {call.seconds:.1f} s on {boards}, without an answer: "
                    "it may hang there, so give more --seconds"
                )
    return lines


def outcome_line(puzzle: Puzzle, search: FuzzSearch, seconds: float, seed: int) -> str:
    """The last line: what was found, on how many boards, how fast."""
    tried = search.tried[search.schedule.main]
    nothing = f"nothing found up to {tried.largest.shown}" if tried.boards else f"no {puzzle.noun} was tried to its end"
    outcome = counted(search.discoveries, "failure") if search.discoveries else nothing
    large = search.tried.get(BatchKind.LARGE)
    if not search.discoveries and large is not None and large is not tried and large.boards:
        outcome += f" and on {counted(large.boards, f'large {puzzle.noun}')} up to {large.largest.shown}"
    rate = tried.boards / seconds
    shown = f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{outcome}; {counted(tried.boards, puzzle.noun)} in {seconds:.1f} s, {shown} {puzzle.noun}s a second; seed {seed}"
