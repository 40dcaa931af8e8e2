"""What a comparison says in words: disagreements in full, failures, what was skipped, and the last line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compare.campaign.comparison import Comparison, Headline
from compare.campaign.record import Record
from compare.campaign.relation import differing
from compare.campaign.results import Conflict, Failure, is_proved
from puzzles.streams import visible
from puzzles.text import counted

MOST_SHOWN = 10
"""Disagreements, and failures, that are printed; the rest is counted."""


def verdict(comparison: Comparison) -> str:
    """The last line: who agrees, what is proved, what is not."""
    tally, boards = comparison.tally, len(comparison.instances)
    head: str = comparison.headline
    if comparison.headline is Headline.NOT_ALL_AGREE:
        head += f": {counted(comparison.conflict_count, 'board')} with a CONFLICT, {counted(tally.refuted, 'answer')} REFUTED"
    scope = f"{counted(boards, 'board')} of {counted(len({each.instance.puzzle for each in comparison.instances}), 'puzzle')}"
    runs = ", ".join(f"{count} {status}" for status, count in tally.statuses.items())
    return f"{head}; {scope}; runs: {runs}" + f"; {tally.proved} of {tally.checked} answers PROVED" * bool(tally.checked) + "."


def report(comparison: Comparison) -> list[str]:
    """The first disagreements in full, then a line for each of the first failures."""
    conflicts = [describe(conflict) for conflict in comparison.conflicts[:MOST_SHOWN]]
    if comparison.conflict_count > MOST_SHOWN:
        conflicts.append(f"... and {counted(comparison.conflict_count - MOST_SHOWN, 'more board')} with a CONFLICT\n")
    failures = [failure_line(failure) for failure in comparison.failures[:MOST_SHOWN]]
    if comparison.failure_count > MOST_SHOWN:
        failures.append(f"... and {counted(comparison.failure_count - MOST_SHOWN, 'more run')} that failed")
    return conflicts + failures


def failure_line(failure: Failure) -> str:
    """What failed, where and why."""
    return visible(f"{failure.kind} {failure.task.contender} on {failure.task}: {failure.detail}")


def skipped(comparison: Comparison) -> list[str]:
    """A line for each contender and reason for which boards were skipped."""
    return [
        visible(f"SKIPPED {contender} on {counted(count, f'{puzzle} board')}: {reason}")
        for (contender, puzzle, reason), count in comparison.skipped.items()
    ]


def by_claims(records: Sequence[Record]) -> list[list[Record]]:
    """The records in groups that claim the same."""
    groups: dict[bytes, list[Record]] = {}
    for record in records:
        groups.setdefault(b"" if record.run.claims is None else record.run.claims.tobytes(), []).append(record)
    return list(groups.values())


def describe(conflict: Conflict) -> str:
    """A disagreement in full: the board, each answer with who gives it, and which answers are refuted."""
    first = conflict.records[0]
    lines = [f"CONFLICT on {first.task}:", _indented(first.text or f"(board {first.task.digest}, too long to be printed)")]
    for group in by_claims(conflict.records):
        lines += [f"{record.task.contender} ({_standing(record)})" for record in group]
        lines[-1] += " says:" if len(group) == 1 else " say:"
        lines.append(_indented(group[0].run.answer or "(an answer too long to be printed)"))
    for a, b in conflict.pairs:
        ours, theirs = a.run.exact or {}, b.run.exact or {}
        lines += [f"{a.task.contender} and {b.task.contender} differ in their {each}" for each in differing(ours, theirs)]
    lines += [f"REFUTED: {loser.task.contender}, by the proved answer of another" for loser in conflict.refuted]
    if any(is_proved(a) and is_proved(b) and not (a.run.exact and b.run.exact) for a, b in conflict.pairs):
        lines.append("Both sides are PROVED, so one of the checks is wrong. Please report this board.")
    return visible("\n".join(lines) + "\n")


def brief(answer: str) -> str:
    """The first line of an answer, without the number of its case."""
    lines = re.sub(r"\A\s*Case #?[0-9]+:", "", answer).split("\n")
    return visible(next((line.strip() for line in lines if line.strip()), "nothing"))


def _standing(record: Record) -> str:
    check = record.run.check
    if check is None:
        return "not checked"
    return f"{check.verdict}: {check.detail}" if check.detail else str(check.verdict)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))
