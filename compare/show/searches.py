"""What `compare fuzz` says: of a failure, and at the end of everything that was tried."""

from __future__ import annotations

from pathlib import Path

import puzzles
from compare.fuzz.batch import (
    NOTHING_TIMED,
    PLAIN_KINDS,
    BatchKind,
    Slowest,
    Tried,
    Unfinished,
)
from compare.fuzz.search import Discovery, FuzzSearch
from compare.fuzz.shrinking import RUNS
from compare.show.messages import (
    CASE,
    INDENT,
    MAX_COLUMNS,
    MAX_LINES,
    brief,
    first_difference,
    is_built_in,
    whose_fault,
)
from compare.show.page_link import PORT, LinkedAnswer, board_link, page_command
from compare.show.table import seconds
from compare.show.wording import wrapped
from compare.work.contenders import SIDES
from compare.work.faults import CONFLICT, REFUTED, Fault
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import counted, excerpt

MAX_SHOWN = 8
"""Boards of a failing call that are printed; more are in the file alone."""

MAX_LINK = 300
"""Characters of a link that is printed."""

_DIFFERENCE_LINES = 5
"""Lines of an answer to a long board that are printed."""


def noticed_line(puzzle: Puzzle, board: Instance, fault: Fault, proved: frozenset[str]) -> str:
    """What is said before a failing board is shrunk.

    In a conflict nobody is accused whose answer to this board is PROVED by a check of ours. The two
    may agree on the board alone: then both may be.
    """
    against = [
        name
        for name in fault.names
        if name in proved
        and is_built_in(puzzle)
        and (name.partition(":")[0] in SIDES or len(proved) == 1)
    ]
    accused = [name for name in fault.names if name not in against] or fault.names
    by = (
        f", by the proved answer of {' and '.join(against)}"
        if fault.kind == CONFLICT and len(accused) < len(fault.names)
        else ""
    )
    kind = "WRONG" if by else fault.kind
    return (
        f"{Fault(kind, tuple(accused)).sentence(f'a {puzzle.noun} of {board.shown_size}')}{by}; "
        "shrinking it"
    )


def discovery_text(
    discovery: Discovery,
    path: Path,
    replay: str,
    width: int | None = None,
    *,
    port: int = PORT,
    format: str | None = None,
) -> str:
    """The smallest board first, then who says what of it, what the check refutes, and the line that
    replays it.

    Of a board of more than `MAX_LINES` lines only its file and its size are shown, and where the
    answers to it first differ. A last line says how to see a small board in the browser.

    Args:
        path: the file that holds the board, or the boards of a call.
        width: of a line of prose; None for any. The last two lines stay whole, to be copied.
        port: of the page.
        format: in which the answers are printed; None for the puzzle's first.
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
    shown = [board] if not call else [] if len(call) > MAX_SHOWN else call
    texts = [str(each) if each.in_contest_format else each.text().rstrip() for each in shown]
    long = any(text.count("\n") >= MAX_LINES for text in texts)
    if long:
        texts = [
            f"{path}: {counted(len(shown), puzzle.noun)} of "
            f"{', '.join(each.shown_size for each in shown)}"
        ]
    lines = [line for text in texts for line in ("", text)]
    lines.append("")
    about_answers = fault.kind in (CONFLICT, REFUTED) and not call and bool(names_by_answer)
    if about_answers:
        who_says_what = ", ".join(
            f"{' and '.join(names)} say{'s' * (len(names) == 1)} {brief(puzzle, answer)}"
            for answer, names in names_by_answer.items()
        )
        if fault.kind == CONFLICT and fault.detail:
            who_says_what += f"; they differ in their {fault.detail}"
        elif fault.kind == CONFLICT and len(names_by_answer) == 1:
            who_says_what += (
                f"; on this {puzzle.noun} alone they agree: an answer depends on earlier "
                f"{puzzle.noun}s, or on chance"
            )
        headline = f"{fault.kind}: {who_says_what}"
    else:
        headline = fault.sentence()
    before, after = discovery.original.board.shown_size, board.shown_size
    none_smaller = (
        f"not shrunk from {after}" if shrunk.cut_short else f"no smaller {puzzle.noun} than {after}"
    )
    shrinking = none_smaller if before == after else f"shrunk {before} to {after}"
    if call:
        if len(call) > 1:
            at_once = "call" if fault.names[0].partition(":")[0] in SIDES else "file"
            headline += (
                f"; it shows only with several {puzzle.noun}s in one {at_once}, here {len(call)}: "
                "none fails by itself"
            )
        before, after = str(len(shrunk.fault.together)), str(len(call))
        shrinking = (
            f"shrunk {before} {puzzle.noun}s to {after}"
            if before != after
            else f"no fewer {puzzle.noun}s than {after}"
        )
    shrinking += f" in {counted(shrunk.tries, 'run')}"
    if shrunk.came_back is not None and shrunk.came_back < RUNS:
        shrinking += f"; flaky: it came back {shrunk.came_back} of {RUNS} times"
    if shrunk.limit_s is not None:
        shrinking += ", with a limit that shrinks with the size"
    if shrunk.cut_short:
        shrinking += ", then the search was ended: a smaller one may show it too"
    lines.append(wrapped(f"{headline}; {shrinking}", width))
    answers = [
        CASE.sub("", answer).rstrip() if long else answer.rstrip() for answer in names_by_answer
    ]
    place = first_difference(answers) if long else None
    for names, answer in (
        zip(names_by_answer.values(), answers, strict=True) if about_answers else ()
    ):
        lines.append(f"{', '.join(names)}:")
        if long:
            lines += excerpt(answer, _DIFFERENCE_LINES, MAX_COLUMNS, place, INDENT)
        else:
            lines += [f"{INDENT}{line}" for line in answer.splitlines()]
    proved = [name for name in fault.names if name in discovery.proved]
    others = [name for name in fault.names if name not in discovery.proved]
    blame = whose_fault(puzzle, proved, others) if fault.kind == CONFLICT else ""
    if blame and len(names_by_answer) > 1 and (others or not fault.detail):
        lines.append(wrapped(blame, width))
    for other in smallest.faults if not call else ():
        if other.kind == REFUTED:
            lines.append(wrapped(other.sentence(), width))
    if discovery.kind not in (BatchKind.ORDINARY, BatchKind.LARGE):
        lines.append(
            f"a batch of the kind {discovery.kind} shows it; with `--kind {discovery.kind}` the "
            "search finds it again"
        )
    lines.append(f"replay: {replay}")
    link = "" if call else board_link(puzzle, board, port, _wrong_answer(discovery, format))
    if link and len(link) <= MAX_LINK:
        lines.append(f"see it: {page_command([puzzle], port)}, then {link}")
    return "\n".join(lines)


def _wrong_answer(discovery: Discovery, format: str | None) -> LinkedAnswer | None:
    """The wrong answer to the smallest board, or the first of those in conflict; None if the fault
    is about something else.
    """
    fault = discovery.shrunk.smallest_fault
    wrong = [
        name for name in fault.names if name in discovery.answers and name not in discovery.proved
    ]
    if fault.kind not in (CONFLICT, REFUTED) or not wrong:
        return None
    return LinkedAnswer(wrong[0], discovery.answers[wrong[0]], format)


def statement(puzzle: Puzzle, search: FuzzSearch) -> list[str]:
    """What was tried: how each contender fared, how often each kind of answer came up, and the
    other kinds of batches.
    """
    main = search.schedule.main
    tried = search.tried[main]
    if not tried.boards:
        tried = search.tried.get(BatchKind.LARGE, tried)
    of_main = (
        f" {BatchKind.LARGE}"
        if tried is not search.tried[main]
        else f" {main}"
        if _beside(search)
        else ""
    )
    lines: list[str] = []
    for name, theirs in tried.responses.items():
        parts = [f"{theirs.answered}{of_main} answered"]
        counts = (
            (theirs.refused, "refused"),
            (theirs.stopped, "stopped"),
            (theirs.skipped, "skipped"),
        )
        parts += [f"{count} {what}" for count, what in counts if count]
        slowest = _slowest(search, name)
        if slowest.seconds >= 0:
            parts.append(f"slowest {seconds(slowest.seconds)} on {slowest.shown_size}")
        lines.append(f"{name}: {', '.join(parts)}")
    total = sum(tried.outcomes.values())
    if total:
        shares = ", ".join(
            f"{100 * times / total:.0f}% {outcome}"
            for outcome, times in tried.outcomes.most_common()
        )
        lines.append(f"answers: {shares}")
    batch = search.batches[main]
    if not batch.generator:
        chosen = batch.families
        lines.append(
            f"families: {', '.join(chosen)}"
            if chosen
            else f"families: {', '.join(puzzle.families)}, and parts of them"
        )
    spent = search.schedule.spent
    everything = sum(spent.values()) or 1.0
    others = [
        f"{each.boards} {kind} ({100 * spent[kind] / everything:.0f}%)"
        for kind, each in _beside(search).items()
    ]
    if others:
        lines.append(f"{puzzle.noun}s of other kinds (share of the time): {', '.join(others)}")
    if search.left() == 0 and (search.keep_going or not search.discoveries):
        positions = search.schedule.positions
        large = (
            f" and {positions[BatchKind.LARGE]} large ones" if BatchKind.LARGE in positions else ""
        )
        lines.append(
            f"the time was up after {counted(positions[main], f'{main} {puzzle.noun}')}{large} "
            "of this seed; "
            "more --seconds go on from there"
        )
    return lines


def _beside(search: FuzzSearch) -> dict[BatchKind, Tried]:
    """What was tried beside the boards of the main kind."""
    return {
        kind: tried
        for kind, tried in search.tried.items()
        if kind is not search.schedule.main and tried.boards
    }


def _slowest(search: FuzzSearch, name: str) -> Slowest:
    """What took a contender longest, on boards of every kind but those on which kernels run in
    plain Python.
    """
    kinds = [
        tried
        for kind, tried in search.tried.items()
        if kind not in PLAIN_KINDS or kind is search.schedule.main
    ]
    return max(
        (tried.responses[name].slowest for tried in kinds if name in tried.responses),
        default=NOTHING_TIMED,
    )


def unfinished_line(puzzle: Puzzle, call: Unfinished, limit_s: float) -> str:
    """Who came to no end on which board, and why that is nobody's fault."""
    largest = max(call.boards, key=lambda board: board.size).shown_size
    where = f"a {puzzle.noun} of {largest}"
    if len(call.boards) > 1:
        where = f"one of {len(call.boards)} {puzzle.noun}s up to {largest}"
    if call.at_limit:
        reason = f"stopped at {seconds(call.seconds)}; it got no larger {puzzle.noun}s after that"
    else:
        known = f"before it was known whether it keeps its limit of {limit_s:g} s"
        among = (
            f" on {call.begun} {puzzle.noun}s, of which it was at work on this"
            if call.begun > len(call.boards)
            else ""
        )
        reason = (
            f"the time was up after {seconds(call.seconds)}{among}, {known}: give more --seconds"
        )
    return f"UNFINISHED: {' or '.join(call.names)} on {where}: {reason}"


def outcome_line(puzzle: Puzzle, search: FuzzSearch, taken: float, seed: int) -> str:
    """The last line: what was found, on how many boards, how fast; `taken`: the seconds of the
    search.
    """
    tried = search.tried[search.schedule.main]
    large = search.tried.get(BatchKind.LARGE)
    nothing = [f"up to {tried.largest.shown}"] if tried.boards else []
    if large is not None and large is not tried and large.boards:
        nothing.append(
            f"on {counted(large.boards, f'large {puzzle.noun}')} up to {large.largest.shown}"
        )
    outcome = (
        f"nothing found {' and '.join(nothing)}"
        if nothing
        else f"no {puzzle.noun} was tried to its end"
    )
    if search.discoveries:
        outcome = counted(search.discoveries, "failure")
    elif search.unfinished:
        names = dict.fromkeys(name for call in search.unfinished for name in call.names)
        outcome = f"UNFINISHED: {', '.join(names)}; {outcome}"
    if not tried.boards and large is not None:
        return (
            f"{outcome}; {counted(large.boards, f'large {puzzle.noun}')} in {taken:.1f} s; seed "
            f"{seed}"
        )
    shown = f"{search.rate:.0f}" if search.rate >= 10 else f"{search.rate:.1f}"
    others = sum(each.boards for each in _beside(search).values())
    boards = (
        counted(tried.boards, f"{search.schedule.main} {puzzle.noun}")
        if others
        else counted(tried.boards, puzzle.noun)
    )
    boards += f" and {others} of other kinds" if others else ""
    return f"{outcome}; {boards} in {taken:.1f} s, {shown} {puzzle.noun}s a second; seed {seed}"
