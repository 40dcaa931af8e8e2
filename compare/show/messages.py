"""What a comparison says in words: disagreements, failures, what was skipped or stayed unproved, and the last line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import puzzles
from compare.campaign.comparison import Comparison, Conflict, Failure, OnlyTogether, is_proved
from compare.campaign.record import Record
from compare.campaign.relation import differing
from compare.campaign.results import Blame, Grade, Headline, results_of
from compare.isolate.outcome import Status
from compare.show.wording import noun_of, wrapped
from puzzles.puzzle import Puzzle
from puzzles.shell.streams import visible
from puzzles.text import counted
from puzzles.verdict import Verdict

MAX_SHOWN = 10
"""Disagreements, and failures, that are printed; the rest is counted."""

MAX_NAMED = 3
"""Contenders, or pairs of them, that the last line names for one headline; the rest is counted."""

MAX_REASONS = 5
"""Reasons for UNPROVED answers that are printed for each contender and puzzle."""

MAX_LINES = 20
"""Lines of a board and of the answers to it that one disagreement shows; the rest is left out."""

MAX_COLUMNS = 100
"""Characters of a line of a board or of an answer that are shown; the rest is left out."""


def verdict(comparison: Comparison) -> str:
    """The last line: the headlines that apply, the worst first, each with whom it is about; then what was run and proved."""
    tally, boards = comparison.tally, len(comparison.instances)
    several = len(comparison.puzzles) > 1
    clauses: list[str] = []
    for headline in (Headline.FAILED, Headline.CONFLICT, Headline.UNPROVED, Headline.UNFINISHED):
        if headline is Headline.CONFLICT:
            phrases = [
                f"{f'{puzzle} ' * several}{_opponents(one, other)} on {count} of {len(comparison.of_puzzle(puzzle))}"
                for (puzzle, one, other), count in comparison.disputes.items()
            ]
        else:
            phrases = [_phrase(blame, several) for blame in comparison.blames if blame.headline is headline]
        clauses += phrases[:MAX_NAMED]
        if len(phrases) > MAX_NAMED:
            clauses.append(f"{headline}: {len(phrases) - MAX_NAMED} more")
    if comparison.missing:
        clauses.append(f"UNFINISHED: {counted(comparison.missing, 'run')} missing")
    clauses = clauses or [_calm(comparison)]
    solved = {each.puzzle for each in comparison.instances}
    clauses.append(f"{counted(boards, noun_of(solved))} of {counted(len(solved), 'puzzle')}")
    clauses.append(f"runs: {', '.join(f'{count} {status}' for status, count in tally.statuses.items()) or 'none'}")
    if tally.checked:
        clauses.append(f"{tally.proved} of {tally.checked} answers PROVED")
    return visible(f"{'; '.join(clauses)}.")


def _opponents(one: str, other: str) -> str:
    """Who contradicts whom; a program may contradict itself."""
    return f"{one} and {other} in CONFLICT" if one != other else f"{one} in CONFLICT with itself"


def _calm(comparison: Comparison) -> str:
    """The headline of a comparison in which nobody is to blame, with whom it is about."""
    headline = comparison.headline
    if headline is Headline.ALL_AGREE:
        return headline
    answered = list(dict.fromkeys(each.contender for each in results_of(comparison.instances) if each.status is Status.OK))
    names = ", ".join(answered[:MAX_NAMED]) + (f" and {len(answered) - MAX_NAMED} more" if len(answered) > MAX_NAMED else "")
    if headline is Headline.ACCEPTED:
        return f"{headline}: {names}"
    if not answered:
        return f"{headline}: nobody answered"
    return f"{headline}: " + (f"only {names} answered" if len(answered) == 1 else f"the answers of {names} cannot be compared")


def _phrase(blame: Blame, with_puzzle: bool) -> str:
    """`mine FAILED on 3 of 28: 2 WRONG, 1 TIMEOUT`."""
    what = "" if blame.headline is Headline.UNPROVED else f": {grades(blame.grades)}"
    return f"{f'{blame.puzzle} ' * with_puzzle}{blame.contender} {blame.headline} on {blame.count} of {blame.of}{what}"


def grades(counts: Mapping[Grade, int]) -> str:
    """How many results there are of each kind: `2 WRONG, 1 TIMEOUT`."""
    return ", ".join(f"{counts[grade]} {grade}" for grade in Grade if counts.get(grade))


def report(comparison: Comparison, kept: str | None = None, width: int | None = None) -> list[str]:
    """The first disagreements, then a line for each of the first failures.

    Args:
        kept: the file that has all records.
        width: of a line of prose; boards are not broken. None for any.
    """
    conflicts = [
        "\n".join(line if line.startswith("    ") else wrapped(line, width) for line in describe(conflict, kept).split("\n"))
        for conflict in comparison.conflicts[:MAX_SHOWN]
    ]
    if comparison.conflict_count > MAX_SHOWN:
        more = counted(comparison.conflict_count - MAX_SHOWN, f"more {noun_of(comparison.puzzles)}")
        conflicts.append(f"... and {more} with a CONFLICT\n")
    failures = [wrapped(failure_line(failure), width) for failure in comparison.failures[:MAX_SHOWN]]
    if comparison.failure_count > MAX_SHOWN:
        failures.append(f"... and {counted(comparison.failure_count - MAX_SHOWN, 'more run')} that failed")
    return conflicts + failures


def failure_line(failure: Failure) -> str:
    """What failed, where and why. A start with several boards fails as a whole."""
    task = failure.task
    if task.together == 1 or failure.kind is Verdict.REFUTED:
        return visible(f"{failure.kind} {task.contender} on {task}: {failure.detail}")
    boards = f"all {counted(task.together, noun_of([task.puzzle]))} in one file"
    place = f"{task.puzzle}, dataset {task.dataset}, {boards}"
    return visible(f"{failure.kind} {task.contender} on {place}: {failure.detail}")


def only_together(leak: OnlyTogether) -> str:
    """What a program does only where the boards come in one file."""
    task, run = leak.first.task, leak.first.run
    boards = counted(task.together, noun_of([task.puzzle]))
    where = f"the {boards} of {task.puzzle}, dataset {task.dataset}"
    if run.status is not Status.OK:
        alone = f"{task.contender} answers each of {where}, alone"
        return visible(f"{alone}; in one file, as from a judge, it ends in {run.status}.")
    return visible(
        f"{task.contender} answers {leak.count} of {where}, otherwise in one file, as from a judge, "
        f"than alone; the first is case {task.number}. "
        "It keeps something from one case to the next, or its answers are random."
    )


def skipped(comparison: Comparison) -> list[str]:
    """A line for each contender and reason for which boards were skipped."""
    return [
        visible(f"SKIPPED {contender} on {counted(count, f'{puzzle} {noun_of([puzzle])}')}: {reason}")
        for (contender, puzzle, reason), count in comparison.skipped.items()
    ]


def unproved(comparison: Comparison) -> list[str]:
    """Why answers stayed UNPROVED: a line for each contender and reason with the first such board, the first reasons only."""
    first: dict[tuple[str, str], dict[str, list[Failure]]] = {}
    for each in comparison.unproved:
        first.setdefault((each.task.puzzle, each.task.contender), {}).setdefault(each.detail, []).append(each)
    lines: list[str] = []
    for (puzzle, contender), reasons in first.items():
        for reason, failures in list(reasons.items())[:MAX_REASONS]:
            more = f" and {counted(len(failures) - 1, f'more {noun_of([puzzle])}')}" if len(failures) > 1 else ""
            lines.append(visible(f"UNPROVED {contender} on {failures[0].task}{more}: {reason}"))
        if len(reasons) > MAX_REASONS:
            lines.append(f"... and {counted(len(reasons) - MAX_REASONS, 'more reason')} for {contender} on {puzzle}")
    if comparison.unproved_count > len(comparison.unproved):
        lines.append(f"... and {counted(comparison.unproved_count - len(comparison.unproved), 'more answer')} UNPROVED")
    return lines


def by_claims(records: Sequence[Record]) -> list[list[Record]]:
    """The records in groups that claim the same."""
    groups: dict[bytes, list[Record]] = {}
    for record in records:
        groups.setdefault(b"" if record.run.claims is None else record.run.claims.tobytes(), []).append(record)
    return list(groups.values())


def describe(conflict: Conflict, kept: str | None = None, *, whole: bool = False) -> str:
    """A disagreement: the board, each answer with who gives it and its first difference marked, and who is refuted.

    Args:
        kept: the file that has all records, to which the text points where it leaves lines out.
        whole: leave nothing out.
    """
    first = conflict.records[0]
    groups = by_claims(conflict.records)
    board = (first.text or f"({noun_of([first.task.puzzle])} {first.task.digest}, too long to be kept)").rstrip("\n").split("\n")
    answers = [_answer_lines(group[0]) for group in groups]
    at = first_difference(answers)
    size = len(board) + sum(map(len, answers))
    room = size if whole or size <= MAX_LINES else MAX_LINES // (1 + len(answers))
    lines = [f"CONFLICT on {first.task}:", *marked_excerpt(board, room)]
    for group, answer in zip(groups, answers, strict=True):
        lines += [f"{who(record)} ({_standing(record)})" for record in group]
        lines[-1] += " says:" if len(group) == 1 else " say:"
        lines += marked_excerpt(answer, room, at)
    lines += [f"they differ first in {place}" for place in [_place_of_difference(conflict)] if place]
    if room < size:
        lines.append(f"(what is left out: {f'{kept} has it' if kept else '--out FILE.jsonl keeps it, and `report` shows it'})")
    for a, b in conflict.pairs:
        ours, theirs = a.run.exact or {}, b.run.exact or {}
        lines += [f"{a.task.contender} and {b.task.contender} differ in their {each}" for each in differing(ours, theirs)]
    lines += [f"REFUTED: {who(loser)}, by the proved answer of another" for loser in conflict.refuted]
    if any(is_proved(a) and is_proved(b) and not (a.run.exact and b.run.exact) for a, b in conflict.pairs):
        lines.append(f"Both sides are PROVED, so one of the checks is wrong. Please report this {noun_of([first.task.puzzle])}.")
    return visible("\n".join(lines) + "\n")


def who(record: Record) -> str:
    """The contender, and whether it got the instance in one file with others."""
    task = record.task
    in_one_file = f" with all {task.together} in one file" if task.together > 1 else ""
    return f"{task.contender}{in_one_file}"


def _place_of_difference(conflict: Conflict) -> str:
    """What the first claim is about that differs in the first pair, where the puzzle says so and both answers claim everything."""
    one, other = conflict.pairs[0]
    ours, theirs, board = one.run.claims, other.run.claims, one.instance()
    complete = one.task.complete and other.task.complete
    if board is None or not complete or ours is None or theirs is None or ours.shape != theirs.shape:
        return ""
    return puzzles.get(one.task.puzzle).place_of(board, int((ours != theirs).argmax()))


CASE = re.compile(r"\A\s*Case #?[0-9]+:[ \t]*\n?")
"""How an answer begins in a file of many cases. A record holds one case, so its number is always 1."""


def _answer_lines(record: Record) -> list[str]:
    """The lines of an answer, without the number of its case."""
    text = record.run.answer
    return ["(an answer too long to be kept)"] if text is None else CASE.sub("", text).rstrip("\n").split("\n")


def first_difference(answers: Sequence[Sequence[str]]) -> tuple[int, int] | None:
    """Line and column, from 0, of the first place where the answers are not all the same; None if there is none."""
    if len({tuple(answer) for answer in answers}) < 2:
        return None
    row = column = 0
    while len({answer[row] if row < len(answer) else None for answer in answers}) == 1:
        row += 1
    ends = [answer[row] if row < len(answer) else "" for answer in answers]
    while len({line[column : column + 1] for line in ends}) == 1:
        column += 1
    return row, column


def marked_excerpt(lines: Sequence[str], room: int, marked: tuple[int, int] | None = None) -> list[str]:
    """At most `room` of the lines, indented: the first ones, and those around the marked place, which an arrow points out."""
    row, column = marked or (0, 0)
    first, last = 0, min(room, len(lines))
    if row >= last:
        last = min(row + room // 2, len(lines))
        first = last - room + 1
    chosen = range(last) if first <= 1 else [0, *range(first, last)]
    texts: list[str] = []
    for k in chosen:
        if k == first > 1:
            texts.append(f"    ... ({counted(first - 1, 'line')})")
        begin = max(0, column - MAX_COLUMNS // 2) if len(lines[k]) > MAX_COLUMNS else 0
        shown = lines[k][begin : begin + MAX_COLUMNS]
        before, after = "..." * (begin > 0), "..." * (begin + MAX_COLUMNS < len(lines[k]))
        texts.append(f"{'--> ' if marked and k == row else '    '}{before}{shown}{after}")
        if marked and k == row and column:
            texts.append(f"{' ' * (4 + len(before) + column - begin)}^")
    return texts + [f"    ... ({counted(len(lines) - last, 'line')})"] * (last < len(lines))


def brief(puzzle: Puzzle, answer: str) -> str:
    """The first line of an answer, without the number of its case, in the words of the puzzle."""
    first = next((line.strip() for line in CASE.sub("", answer).split("\n") if line.strip()), "")
    return visible(puzzle.in_words(first)) if first else "nothing"


def _standing(record: Record) -> str:
    check = record.run.check
    if check is None:
        return "not checked"
    return f"{check.verdict}: {check.detail}" if check.detail else str(check.verdict)
