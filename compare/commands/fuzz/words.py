"""What `compare fuzz` says: of a failure, and at the end of everything that was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import puzzles
from compare.commands import hints
from compare.commands.fuzz.batch import FARED, BatchKind, Responses, Tried, Unfinished
from compare.commands.fuzz.fuzz_search import Discovery, FuzzSearch
from compare.commands.fuzz.halving import ENOUGH
from compare.commands.fuzz.shrinking import Chance
from compare.commands.fuzz.small_boards import is_small
from compare.engine.campaign.summaries import Headline
from compare.engine.work.contenders import SIDES
from compare.engine.work.result import CONFLICT, REFUTED, Fault
from compare.show.conclusion import WRONG, ContenderTally, FaultReport, blames
from compare.show.messages import (
    CASE,
    MAX_COLUMNS,
    MAX_LINES,
    Blame,
    LastLine,
    brief,
    interruption,
    is_built_in,
    only_answered,
    whose_fault,
)
from compare.show.table import a_second, seconds
from compare.show.wording import INDENT, line_width, wrap
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.text import count_noun, excerpt, first_difference, visible

_MAX_SHOWN = 8
"""Boards of a failing call that are printed; more are in the file alone."""

_DIFFERENCE_LINES = 5
"""Lines of an answer to a long board that are printed."""


def noticed_line(puzzle: Puzzle, board: Instance, fault: Fault, proved: frozenset[str]) -> str:
    """What is said before a failing board is shrunk.

    In a conflict nobody is accused whose answer to this board is PROVED by a built-in check. The
    two may agree on the board alone: then both may be.
    """
    fault, right = _accuse(puzzle, fault, proved)
    by = f", by the proved answer of {' and '.join(right)}" if right else ""
    doing = "shrinking it"
    if not is_small(board):
        doing = f"trying small {puzzle.noun}s, then shrinking"
    return f"{fault.sentence(f'a {puzzle.noun} of {board.shown_size}')}{by}; {doing}"


def _accuse(puzzle: Puzzle, fault: Fault, proved: frozenset[str]) -> tuple[Fault, list[str]]:
    """The fault of those who are wrong, and by whose proved answers, if a conflict says that."""
    right = [
        name
        for name in fault.names
        if name in proved and (name.partition(":")[0] in SIDES or len(proved) == 1)
    ]
    accused = tuple(name for name in fault.names if name not in right)
    if fault.kind == CONFLICT and right and accused and is_built_in(puzzle):
        return Fault(WRONG, accused), right
    return Fault(fault.kind, fault.names), []


def fault_report(discovery: Discovery, text: str, replay: str) -> FaultReport:
    """A discovery as a document says it. `text`: what is printed of it."""
    shrunk, fault = discovery.shrunk, discovery.shrunk.smallest_fault
    board = shrunk.smallest.board
    puzzle = puzzles.get(board.puzzle)
    boards = list(fault.together) or [board]
    accused, right = _accuse(puzzle, fault, discovery.proved)
    reason = f"by the proved answer of {' and '.join(right)}" if right else fault.detail
    if beaten := discovery.beaten:
        accused, reason = Fault(REFUTED, tuple(beaten)), "; ".join(beaten.values())
    return FaultReport(
        kind=accused.kind,
        contenders=accused.names,
        reason=visible(reason),
        puzzle=puzzle.name,
        part=discovery.kind,
        place=f"a {puzzle.noun} of {board.shown_size}",
        text=text,
        input=puzzle.print_instances(boards[: None if puzzle.many_instances else 1]),
        replay=replay,
    )


def search_tallies(
    puzzle: Puzzle, search: FuzzSearch, faults: Sequence[FaultReport]
) -> list[ContenderTally]:
    """How each contender fared on each kind of batch."""
    return [
        ContenderTally(
            puzzle=puzzle.name,
            part=kind,
            contender=name,
            counts={what: fared.counts[what] for what in FARED if fared.counts[what]},
            failed=sum(each.part == kind and name in each.contenders for each in faults),
        )
        for kind, tried in search.tried.items()
        for name, fared in tried.responses.items()
    ]


def discovery_text(
    discovery: Discovery,
    path: Path,
    replay: str,
    *,
    port: int | None = None,
    format: str | None = None,
) -> str:
    """The smallest board first, then who says what of it, what the check refutes, and the line that
    replays it.

    Of a board of more than `MAX_LINES` lines only its file and its size are shown, and where the
    answers to it first differ. The last line is a hint of another command: how to see a small
    board in the browser.

    Args:
        path: the file that holds the board, or the boards of a call.
        port: of the page.
        format: in which the answers are printed; None for the puzzle's first.
    """
    shrunk, fault = discovery.shrunk, discovery.shrunk.smallest_fault
    board, call = shrunk.smallest.board, fault.together
    puzzle = puzzles.get(board.puzzle)
    noun, in_conflict = puzzle.noun, fault.kind == CONFLICT
    by_answer = _by_answer(discovery)
    boards = call or (board,)
    if len(boards) > _MAX_SHOWN:
        boards = ()
    drawn = [str(each) if each.in_contest_format else each.text().rstrip() for each in boards]
    long = any(text.count("\n") >= MAX_LINES for text in drawn)
    if long:
        sizes = ", ".join(each.shown_size for each in boards)
        drawn = [f"{path}: {count_noun(len(boards), noun)} of {sizes}"]
    lines = [f"{headline(discovery)}; {_shrinking(discovery, noun)}"]
    if by_answer:
        texts = [CASE.sub("", each).rstrip() if long else each.rstrip() for each in by_answer]
        place = first_difference([f"{text}\n" for text in texts]) if long else None
        for names, text in zip(by_answer.values(), texts, strict=True):
            lines.append(f"{', '.join(names)}:")
            if long:
                lines += excerpt(text, _DIFFERENCE_LINES, MAX_COLUMNS, place, INDENT)
            else:
                lines += [f"{INDENT}{line}" for line in text.splitlines()]
    proved = [name for name in fault.names if name in discovery.proved]
    others = [name for name in fault.names if name not in discovery.proved]
    lines += [f"REFUTED: {name}: {reason}" for name, reason in discovery.beaten.items()]
    if discovery.beaten:
        others = [name for name in others if name in discovery.beaten]
    elif in_conflict and len(by_answer) > 1 and (others or not fault.detail):
        lines += filter(None, [whose_fault(puzzle, proved, others)])
    if not call and shrunk.chance is None:
        faults = shrunk.smallest.faults
        lines += [other.sentence() for other in faults if other.kind == REFUTED]
    if discovery.kind not in (BatchKind.ORDINARY, BatchKind.LARGE):
        lines.append(
            f"a batch of the kind {discovery.kind} shows it; with `--kind {discovery.kind}` the "
            "search finds it again"
        )
    lines.append(f"replay: {replay}")
    answered = [name for name in others if name in discovery.answers]
    if not call:
        for each in hints():
            wrong = None
            if (in_conflict or fault.kind == REFUTED) and answered:
                wrong = each.LinkedAnswer(answered[0], discovery.answers[answered[0]], format)
            lines += filter(None, [each.board_hint(puzzle, board, port, wrong)])
    above = [line for text in drawn for line in ("", text)]
    return "\n".join([*above, "", wrap("\n".join(lines), line_width())])


def _by_answer(discovery: Discovery) -> dict[str, list[str]]:
    """Who gives which answer to the smallest board, whom the check refutes first; empty if the
    fault is not about answers to one board.
    """
    fault = discovery.shrunk.smallest_fault
    by_answer: dict[str, list[str]] = {}
    if fault.kind not in (CONFLICT, REFUTED) or fault.together:
        return by_answer
    first = fault.names if fault.kind == REFUTED else ()
    for name in sorted(discovery.answers, key=lambda name: name not in first):
        by_answer.setdefault(discovery.answers[name], []).append(name)
    return by_answer


def headline(discovery: Discovery) -> str:
    """What is wrong on the smallest board, in one line: `WRONG: mine says IMPOSSIBLE, direct proves
    POSSIBLE`; `CONFLICT: ...` where no proof says who is wrong.
    """
    shrunk, fault = discovery.shrunk, discovery.shrunk.smallest_fault
    puzzle = puzzles.get(shrunk.smallest.board.puzzle)
    noun, by_answer = puzzle.noun, _by_answer(discovery)
    if shrunk.chance is not None:
        return _by_chance(shrunk.chance, fault, noun)
    line = fault.sentence()
    if by_answer:
        accused, right = fault, list[str]()
        if len(by_answer) > 1:
            accused, right = _accuse(puzzle, fault, discovery.proved)
        groups = list(by_answer.values())
        if fault.kind == REFUTED:  # others may print the same
            groups = [[name for name in names if name in fault.names] or names for names in groups]
        says = [
            (names, f"{' and '.join(names)} {_verb(names, right)} {quote}")
            for quote, names in zip(quotes(puzzle, [*by_answer]), groups, strict=True)
        ]
        says.sort(key=lambda each: bool(right) and not {*accused.names} & {*each[0]})
        line = f"{accused.kind}: {', '.join(text for _, text in says)}"
        if fault.kind == CONFLICT and fault.detail:
            line += f"; they differ in their {fault.detail}"
        elif fault.kind == CONFLICT and len(by_answer) == 1:
            line += (
                f"; on this {noun} alone they agree: an answer depends on earlier {noun}s, or on "
                "chance"
            )
    if len(fault.together) > 1:
        at_once = "call" if fault.names[0].partition(":")[0] in SIDES else "file"
        line += (
            f"; it shows only with several {noun}s in one {at_once}, here "
            f"{len(fault.together)}: none fails by itself"
        )
    return line


def _verb(names: Sequence[str], right: Sequence[str]) -> str:
    """What these contenders do with an answer, where some are right by a proof."""
    if {*names} <= {*right}:
        return "proves" if len(names) == 1 else "prove"
    return "says" if len(names) == 1 else "say"


def quotes(puzzle: Puzzle, answers: Sequence[str]) -> list[str]:
    """A line of each answer: the first one, or of those with the same first line that where they
    first differ, with its number.
    """
    quoted = [brief(puzzle, each) for each in answers]
    texts = [CASE.sub("", each).rstrip() for each in answers]
    for line in {*quoted}:
        alike = [k for k, each in enumerate(quoted) if each == line]
        place = first_difference([f"{texts[k]}\n" for k in alike])
        if place is None:
            continue
        row, _ = place
        for k in alike:
            differs = visible("".join(texts[k].split("\n")[row : row + 1]).strip())
            quoted[k] = f"{differs or 'nothing'} in line {row + 1}"
    return quoted


def _by_chance(chance: Chance, fault: Fault, noun: str) -> str:
    """Who fails how often on the same board, or in the same call, and how."""
    kind = "WRONG" if fault.kind in (CONFLICT, REFUTED) else fault.kind
    count = len(fault.together)
    where = f"in the same call with {count_noun(count, noun)}" if count else f"on the same {noun}"
    often = f"{chance.times} of {chance.runs} times {where}"
    if not chance.times:
        often = f"once, and not again in {count_noun(chance.runs, 'run')} {where}"
    why = f": {fault.detail}" if fault.detail else ""
    return f"{kind} by chance: {chance.contender}, {often}{why}"


def _shrinking(discovery: Discovery, noun: str) -> str:
    """From what to what the board was shrunk, or the boards of a call; in how many runs; and what
    else there is to say of that.
    """
    shrunk, call = discovery.shrunk, discovery.shrunk.smallest_fault.together
    before, what = discovery.original.board.shown_size, ""
    after = shrunk.smallest.board.shown_size
    unchanged = f"no smaller {noun} than {after}"
    if shrunk.cut_short or shrunk.chance is not None:
        unchanged = f"not shrunk from {after}"
    if call:
        before, after, what = str(len(shrunk.fault.together)), str(len(call)), f" {noun}s"
        unchanged = f"no fewer {noun}s than {after}"
    text = unchanged if before == after else f"shrunk {before}{what} to {after}"
    text += f" in {count_noun(shrunk.tries, 'run')}"
    if shrunk.by_way_of is not None and shrunk.by_way_of.shown_size not in (before, after):
        text += f", by way of a small {noun} of {shrunk.by_way_of.shown_size}"
    if shrunk.limit_s is not None:
        text += ", with a limit that shrinks with the size"
    if shrunk.cut_short:
        text += ", until --shrink-seconds were over or it was ended: a smaller one may show it too"
    return text


def tried_lines(puzzle: Puzzle, search: FuzzSearch) -> list[str]:
    """What was tried: how each contender fared, how often each kind of answer came up, and the
    other kinds of batches.
    """
    main, others = search.schedule.main, _others(search)
    tried, of_main = search.tried[main], f" {main}" if others else ""
    if not tried.boards and BatchKind.LARGE in search.tried:
        tried, of_main = search.tried[BatchKind.LARGE], f" {BatchKind.LARGE}"
    of_kinds = [each.responses for each in search.tried.values()]
    lines: list[str] = []
    for name, theirs in tried.responses.items():
        parts = [f"{theirs.counts['answered']}{of_main} answered"]
        for what in ("refused", "unknown", "stopped", "spared", "skipped"):
            if theirs.counts[what]:
                parts.append(f"{theirs.counts[what]} {what}")
        given_up = theirs.counts["given_up"]
        if given_up and search.keep_going:
            parts.append(
                f"{given_up} not tried after {ENOUGH} in the same batch that took all the time or "
                "memory"
            )
        slowest = max(responses[name].slowest for responses in of_kinds if name in responses)
        if slowest.seconds >= 0:
            parts.append(f"slowest {seconds(slowest.seconds)} on {slowest.shown_size}")
        lines.append(f"{name}: {', '.join(parts)}")
    if any(tried.outcomes):  # else the puzzle tells no kinds of answers apart
        total = sum(tried.outcomes.values())
        shares = (
            f"{100 * times / total:.0f}% {outcome or 'others'}"
            for outcome, times in tried.outcomes.most_common()
        )
        lines.append(f"answers: {', '.join(shares)}")
    batch = search.batches[main]
    if not batch.generator:
        families = batch.families or [*puzzle.families, "and parts of them"]
        lines.append(f"families: {', '.join(families)}")
    if others:
        spent = search.schedule.spent
        everything = sum(spent.values()) or 1.0
        shares = (
            f"{each.boards} {kind} ({100 * spent[kind] / everything:.0f}%)"
            for kind, each in others.items()
        )
        lines.append(f"{puzzle.noun}s of other kinds (share of the time): {', '.join(shares)}")
    if search.deadline.over and (search.keep_going or not search.failure_count):
        large, main_kind = search.tried.get(BatchKind.LARGE), search.tried[main]
        also = ""
        if large and main is not BatchKind.LARGE:
            also = f" and {count_noun(large.boards, f'large {puzzle.noun}')}"
        untried = main_kind.untried + (large.untried if also and large else 0)
        more = f" ({untried} more had no time left)" if untried else ""
        lines.append(
            f"the time was up after {count_noun(main_kind.boards, f'{main} {puzzle.noun}')}{also} "
            f"of this seed{more}; more --seconds go on from there"
        )
    return [*lines, *(f"--generator: {each}: the time was up" for each in search.cut_off)]


def nothing_tried(puzzle: Puzzle, search: FuzzSearch) -> str:
    """Why nothing was compared, and what to do; empty if something was."""
    for name, broken in spared_all(search).items():
        return (
            f"{name} was spared every {puzzle.noun}: its contest promises none of these "
            f"({', '.join(broken)}); --extended gives it all {puzzle.noun}s"
        )
    if any(tried.boards for tried in search.tried.values()):
        return ""
    return f"no {puzzle.noun} was tried: give more --seconds"


def _who_answered(search: FuzzSearch) -> list[str]:
    """The contenders that answered some board."""
    responses = [pair for tried in search.tried.values() for pair in tried.responses.items()]
    return list(dict.fromkeys(name for name, each in responses if each.counts["answered"]))


def spared_all(search: FuzzSearch) -> dict[str, list[str]]:
    """The programs that were spared every board, with the promises that these break."""
    broken: dict[str, list[str]] = {}
    for each in search.batches[search.schedule.main].contenders:
        fared = [tried.responses.get(each.name, Responses()) for tried in search.tried.values()]
        counts = sum((one.counts for one in fared), Counter[str]())
        given = counts["answered"] + counts["refused"] + counts["stopped"]
        if counts["spared"] and not given:
            broken[each.name] = list(dict.fromkeys(why for one in fared for why in one.broken))
    return broken


def _others(search: FuzzSearch) -> dict[BatchKind, Tried]:
    """What was tried of other kinds than the main one."""
    return {
        kind: tried
        for kind, tried in search.tried.items()
        if kind is not search.schedule.main and tried.boards
    }


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


def outcome_line(
    puzzle: Puzzle,
    search: FuzzSearch,
    seed: int,
    faults: Sequence[FaultReport],
    *,
    stopped: bool = False,
) -> LastLine:
    """What was found, on how many boards, how fast, and how long shrinking took.

    Args:
        stopped: whether Ctrl-C has ended it.
    """
    search_s = search.search_s
    shrinking = f"; shrinking took {search.shrinking_s:.1f} s" if search.failure_count else ""
    main, others = search.schedule.main, _others(search)
    tried, large = search.tried[main], others.get(BatchKind.LARGE)
    large_boards = large and count_noun(large.boards, f"large {puzzle.noun}")
    limits = [f"up to {tried.largest.shown}"] if tried.boards else []
    if large:
        limits.append(f"on {large_boards} up to {large.largest.shown}")
    about = f"no {puzzle.noun} was tried to its end"
    if limits:
        about = f"nothing found {' and '.join(limits)}"
    blamed = blames(faults)
    if blamed:
        about = ""
    else:
        blamed = [Blame(Headline.UNFINISHED, (name,)) for name in search.open_names]
    if stopped:
        blamed.append(interruption())
    calm, nothing = Headline.ALL_AGREE, nothing_tried(puzzle, search)
    if search.only_unproved:
        nothing = nothing or only_answered(_who_answered(search))
    if nothing and not blamed:
        calm, about = Headline.NOTHING_COMPARED, nothing
    proofs = [f"{count} not proved: {why}" for why, count in search.unproved.items()]
    if large and not tried.boards:
        facts = [*proofs, f"{large_boards} in {search_s:.1f} s{shrinking}", f"seed {seed}"]
        return LastLine(calm, blamed, about, facts)
    boards = count_noun(tried.boards, puzzle.noun)
    if others:
        more = sum(each.boards for each in others.values())
        boards = f"{count_noun(tried.boards, f'{main} {puzzle.noun}')} and {more} of other kinds"
    rate = a_second(search.rate, f"{puzzle.noun}s")
    facts = [*proofs, f"{boards} in {search_s:.1f} s, {rate}{shrinking}", f"seed {seed}"]
    return LastLine(calm, blamed, about, facts)
