"""What a comparison says in words: disagreements, failures, what was skipped or stayed unproved,
and the last line, which is the verdict on the whole run (`verdict`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

import puzzles
from compare.engine.campaign.comparison import Comparison, Conflict, Failure
from compare.engine.campaign.summaries import Grade, Headline
from compare.engine.work.result import REFUTED, Result, differing
from compare.show.table import STYLES, Table, render
from compare.show.wording import INDENT, line_width, noun_of, wrapped
from puzzles.puzzle import Puzzle
from puzzles.shell.streams import visible
from puzzles.text import counted, excerpt, first_difference

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


def comparison_text(
    comparison: Comparison,
    shown: Sequence[Table],
    format: str = "table",
    *,
    quiet: bool = False,
    wide: bool = False,
    kept: str | None = None,
    more: Sequence[str] = (),
) -> str:
    """Tables; for people also disagreements, failures, what stayed unproved, and the verdict.

    Args:
        quiet: leave the tables for people out.
        wide: whole tables on a terminal too, however long their lines.
        kept: the file that has all records.
        more: lines that stand below the failures.
    """
    width = line_width(wide=wide)
    if format not in STYLES:
        return render(shown, format, width)
    lines = [*disagreements(comparison, kept), *more]
    if not quiet:
        lines += [*skipped(comparison), *spared(comparison)]
    lines += [*unproved(comparison), verdict(comparison)]
    text = "".join(f"{wrapped(line, width)}\n" for line in lines)
    return text if quiet or not shown else f"{render(shown, format, width)}\n{text}"


def verdict(comparison: Comparison) -> str:
    """The last line: the headlines that apply, the worst first, each with whom it is about; then
    what was run and proved.
    """
    tally, instances = comparison.tally, comparison.instances
    clauses: list[str] = []
    for headline in (Headline.FAILED, Headline.CONFLICT, Headline.UNPROVED, Headline.UNFINISHED):
        about = _about(comparison, headline)
        clauses += about[:MAX_NAMED]
        if len(about) > MAX_NAMED:
            clauses.append(f"{headline}: {len(about) - MAX_NAMED} more")
    if comparison.missing:
        clauses.append(f"UNFINISHED: {counted(comparison.missing, 'run')} missing")
    clauses = clauses or [_calm(comparison)]
    uncertified = sum(each.uncertified for each in instances)
    if uncertified:
        clauses.append(f"{uncertified} of {len(instances)} not proved: no certificate")
    solved = {each.puzzle for each in instances}
    boards = counted(len(instances), noun_of(solved))
    clauses.append(f"{boards} of {counted(len(solved), 'puzzle')}")
    runs = ", ".join(f"{count} {status}" for status, count in tally.statuses.items())
    clauses.append(f"runs: {runs or 'none'}")
    if tally.checked:
        clauses.append(f"{tally.proved} of {tally.checked} answers PROVED")
    return visible(f"{'; '.join(clauses)}.")


def _about(comparison: Comparison, headline: Headline) -> list[str]:
    """Whom a headline is about, and on how many instances; with the puzzle if there are several."""
    about: list[tuple[str, str]] = []
    for puzzle, part in comparison.puzzles.items():
        for contender, tally in part.tallies.items():
            grades = tally.blamed.get(headline)
            if grades is None:
                continue
            text = f"{contender} {headline} on {grades.total()} of {tally.run}"
            if headline is not Headline.UNPROVED:
                kinds = ", ".join(f"{grades[grade]} {grade}" for grade in Grade if grades[grade])
                text += f": {kinds}"
            about.append((puzzle, text))
    if headline is Headline.CONFLICT:
        for (puzzle, one, other), count in comparison.disputes.items():
            text = f"{one} in CONFLICT with itself"
            if one != other:
                text = f"{one} and {other} in CONFLICT"
            number = len(comparison.puzzles[puzzle].instances)
            about.append((puzzle, f"{text} on {count} of {number}"))
    several = len(comparison.puzzles) > 1
    return [f"{puzzle} {text}" if several else text for puzzle, text in about]


def _calm(comparison: Comparison) -> str:
    """The headline of a comparison in which nobody is to blame, with whom it is about."""
    headline = comparison.headline
    if headline is Headline.ALL_AGREE:
        return headline
    if spared_all := comparison.spared_all:
        noun = noun_of(comparison.puzzles)
        were = "was" if len(spared_all) == 1 else "were"
        return f"{headline}: {', '.join(spared_all)} {were} spared every {noun}"
    tallies = [each for part in comparison.puzzles.values() for each in part.tallies.items()]
    answered = list(dict.fromkeys(name for name, tally in tallies if tally.answered))
    names = ", ".join(answered[:MAX_NAMED])
    if len(answered) > MAX_NAMED:
        names += f" and {len(answered) - MAX_NAMED} more"
    about = {0: "nobody answered", 1: f"only {names} answered"}.get(
        len(answered), f"the answers of {names} cannot be compared"
    )
    return f"{headline}: {names if headline is Headline.ACCEPTED else about}"


def disagreements(comparison: Comparison, kept: str | None = None) -> list[str]:
    """The first disagreements, then a line for each of the first failures.

    `kept`: the file that has all records.
    """
    conflicts, failures = comparison.conflicts, comparison.failures
    lines = [describe(conflict, kept) for conflict in conflicts[:MAX_SHOWN]]
    if conflicts.total > MAX_SHOWN:
        noun = f"more {noun_of(comparison.puzzles)}"
        lines.append(f"... and {counted(conflicts.total - MAX_SHOWN, noun)} with a CONFLICT\n")
    lines += map(failure_line, failures[:MAX_SHOWN])
    if failures.total > MAX_SHOWN:
        lines.append(f"... and {counted(failures.total - MAX_SHOWN, 'more run')} that failed")
    by_chance = (
        (summary.contender, each, *summary.by_chance)
        for each in comparison.instances
        for summary in each.summaries
        if summary.by_chance is not None
    )
    for contender, each, wrong, checked in islice(by_chance, MAX_SHOWN):
        noun = noun_of([each.puzzle])
        lines.append(
            visible(
                f"WRONG by chance: {contender}, {wrong} of {checked} times on the same {noun}: "
                f"{each.puzzle}, dataset {each.dataset}, case {each.number}"
            )
        )
    return lines


def failure_line(failure: Failure) -> str:
    """What failed, where and why. A start with several boards fails as a whole."""
    result, place = failure.result, str(failure.result)
    if result.together > 1 and failure.fault.kind != REFUTED:
        place = (
            f"{result.puzzle}, dataset {result.dataset}, all {boards_together(result)} in one file"
        )
    return visible(failure.fault.sentence(place))


def boards_together(result: Result) -> str:
    """How many boards a program gets in one start."""
    return counted(result.together, noun_of([result.puzzle]))


def skipped(comparison: Comparison) -> list[str]:
    """A line for each contender and reason for which boards were skipped."""
    lines: list[str] = []
    for (contender, puzzle, reason), count in comparison.skipped.items():
        boards = counted(count, f"{puzzle} {noun_of([puzzle])}")
        lines.append(visible(f"SKIPPED: {contender} on {boards}: {reason}"))
    return lines


def spared(comparison: Comparison) -> list[str]:
    """A line for each program on how many boards it was spared, and what the contest promises that
    they break.
    """
    lines: list[str] = []
    for (program, puzzle), reasons in comparison.spared.items():
        noun = noun_of([puzzle])
        shown = ", ".join(f"{count}: {reason}" for reason, count in reasons.items())
        lines.append(
            visible(
                f"SPARED: {program} on {counted(reasons.total(), f'{puzzle} {noun}')} that its "
                f"contest does not promise ({shown}); --extended gives it all {noun}s"
            )
        )
    return lines


def unproved(comparison: Comparison) -> list[str]:
    """Why answers stayed UNPROVED: a line for each contender and reason with the first such board,
    the first reasons only.
    """
    about: dict[tuple[str, str], dict[str, list[Failure]]] = {}
    for each in comparison.unproved:
        reasons = about.setdefault((each.result.puzzle, each.result.contender), {})
        reasons.setdefault(each.fault.detail, []).append(each)
    lines: list[str] = []
    for (puzzle, contender), reasons in about.items():
        for first, *others in islice(reasons.values(), MAX_REASONS):
            more = f" and {counted(len(others), f'more {noun_of([puzzle])}')}" if others else ""
            lines.append(visible(first.fault.sentence(f"{first.result}{more}")))
        if len(reasons) > MAX_REASONS:
            more = counted(len(reasons) - MAX_REASONS, "more reason")
            lines.append(f"... and {more} for {contender} on {puzzle}")
    if left_out := comparison.unproved.total - len(comparison.unproved):
        lines.append(f"... and {counted(left_out, 'more answer')} UNPROVED")
    return lines


def by_claims(results: Iterable[Result]) -> list[list[Result]]:
    """The results in groups that claim the same."""
    groups: dict[bytes, list[Result]] = {}
    for result in results:
        claims = result.claims
        groups.setdefault(b"" if claims is None else claims.tobytes(), []).append(result)
    return list(groups.values())


def describe(conflict: Conflict, kept: str | None = None, *, whole: bool = False) -> str:
    """A disagreement: the board, each answer with who gives it and its first difference marked, and
    who is refuted.

    Args:
        kept: the file that has all records, to which the text points where it leaves lines out.
        whole: leave nothing out.
    """
    first = conflict.results[0]
    board = first.text or f"({noun_of([first.puzzle])} {first.digest}, too long to be kept)"
    groups = by_claims(conflict.results)
    texts = [group[0].answer for group in groups]
    answers = [
        "(an answer too long to be kept)" if text is None else CASE.sub("", text).rstrip("\n")
        for text in texts
    ]
    size = sum(text.count("\n") + 1 for text in (board.rstrip("\n"), *answers))
    room = size if whole or size <= MAX_LINES else MAX_LINES // (1 + len(answers))
    lines = [f"CONFLICT on {first}:", *excerpt(board, room, MAX_COLUMNS, indent=INDENT)]
    at = first_difference([f"{answer}\n" for answer in answers])
    for group, answer in zip(groups, answers, strict=True):
        for result in group:
            check, said = result.check, "not checked"
            if check is not None:
                said = f"{check.verdict}: {check.detail}" if check.detail else str(check.verdict)
            lines.append(f"{who(result)} ({said})")
        lines[-1] += " says:" if len(group) == 1 else " say:"
        lines += excerpt(answer, room, MAX_COLUMNS, at, INDENT)
    if place := _place_of_difference(conflict):
        lines.append(f"they differ first in {place}")
    if room < size:
        where = f"{kept} has it" if kept else "--out FILE.jsonl keeps it, and `report` shows it"
        lines.append(f"(what is left out: {where})")
    for a, b in conflict.pairs:
        ours, theirs = a.exact or {}, b.exact or {}
        lines += [
            f"{a.contender} and {b.contender} differ in their {each}"
            for each in differing(ours, theirs)
        ]
    lines += [
        f"REFUTED: {who(loser)}, by the proved answer of another" for loser in conflict.refuted
    ]
    for a, b in conflict.pairs:
        if a.is_proved and b.is_proved and not (a.exact and b.exact):
            names = [a.contender, b.contender]
            lines.append(whose_fault(puzzles.get(first.puzzle), names, []))
            break
    return visible("\n".join(lines) + "\n")


def is_built_in(puzzle: Puzzle) -> bool:
    """Whether the puzzle, and so its check, is one of this project."""
    file = puzzle.origin.user_file
    return file is None or file.installed_as.startswith("compare.")


def whose_fault(puzzle: Puzzle, proved: Sequence[str], others: Sequence[str]) -> str:
    """Who is wrong in a conflict, as far as proofs say; empty if they say nothing.

    Args:
        proved, others: the contenders in conflict whose answers are PROVED, and those whose are
            not. The check of a user's own puzzle may be wrong, so its proofs blame nobody.
    """
    if not proved or len(others) > 1:
        return ""
    check, ours = f"the check of {puzzle.origin.argument}", is_built_in(puzzle)
    if others and ours:
        return f"WRONG: {others[0]}, by the proved answer of {proved[0]}"
    if others:
        return f"{check} proves the answer of {proved[0]}: if it is right, {others[0]} is wrong"
    remedy = f"Please report this {puzzle.noun}."
    if not ours:
        remedy = "Mend it; docs/own-puzzles.md shows how to see what it lets pass."
    return f"The answers of {' and '.join(proved)} are both PROVED, so {check} is wrong. {remedy}"


def who(result: Result) -> str:
    """The contender, and whether it got the instance in one file with others."""
    together = f" with all {result.together} in one file" if result.together > 1 else ""
    return f"{result.contender}{together}"


def _place_of_difference(conflict: Conflict) -> str:
    """What the first claim is about that differs in the first pair, where the puzzle says so and
    both answers claim everything.
    """
    one, other = conflict.pairs[0]
    ours, theirs, board = one.claims, other.claims, one.instance()
    complete = one.complete and other.complete
    if (
        board is None
        or not complete
        or ours is None
        or theirs is None
        or ours.shape != theirs.shape
    ):
        return ""
    return puzzles.get(one.puzzle).place_of(board, int((ours != theirs).argmax()))


CASE = re.compile(r"\A\s*Case #?[0-9]+:[ \t]*\n?")
"""How an answer begins in a file of many cases.

A record holds one case, so its number is always 1.
"""


def brief(puzzle: Puzzle, answer: str) -> str:
    """The first line of an answer, without the number of its case, in the words of the puzzle."""
    first = next((line.strip() for line in CASE.sub("", answer).split("\n") if line.strip()), "")
    return visible(puzzle.in_words(first)) if first else "nothing"
