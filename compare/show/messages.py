"""What a comparison says in words: a disagreement, what was skipped or spared, who is to blame.
`LastLine` is the last line of every command: the verdict on the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import puzzles
from compare.engine.campaign.comparison import Comparison, Conflict
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.optimum import beats
from compare.engine.campaign.summaries import Grade, Headline
from compare.engine.work.result import Result, differing
from compare.show.wording import INDENT, noun_of
from puzzles.answer import Verdict
from puzzles.puzzle import Puzzle
from puzzles.shell.interruption import INTERRUPTED_WORD
from puzzles.text import count_noun, excerpt, first_difference, visible

MAX_NAMED = 3
"""Contenders, or pairs of them, that the last line names for one headline; the rest is counted."""

MAX_LINES = 20
"""Lines of a board and of the answers to it that one disagreement shows; the rest is left out."""

MAX_COLUMNS = 100
"""Characters of a line of a board or of an answer that are shown; the rest is left out."""


MIN_PROCESSOR_SHARE = 0.8
"""Of the time of the runs; where they had less of a processor, ratios of wall times say less."""


def busy_lines(share: float | None) -> list[str]:
    """That the runs had a processor for only this share of their time, if that is little."""
    if share is None or share >= MIN_PROCESSOR_SHARE:
        return []
    return [
        f"CPU time is {share:.0%} of wall time: the machine was busy, or contenders waited. Wall "
        "times are less reliable then; each record has both (wall_s, cpu_s), and diff --between "
        "compares both"
    ]


class Blame(NamedTuple):
    """Whom a headline is about: `mine FAILED on 3 of 28: 2 WRONG, 1 TIMEOUT`.

    Attributes:
        names: one, or those who are in conflict; none if it is about nobody.
        where: on how much.
        how: what happened.
    """

    headline: Headline
    names: tuple[str, ...] = ()
    where: str = ""
    how: str = ""

    def __str__(self) -> str:
        in_conflict = self.names and self.headline is Headline.CONFLICT
        word = f"in {self.headline}" if in_conflict else self.headline
        text = " ".join(filter(None, (" and ".join(self.names), word, self.where)))
        return f"{text}: {self.how}" if self.how else text


def interruption(done: str = "") -> Blame:
    """That Ctrl-C has ended the command.

    Args:
        done: how far it came, such as `2 of 9 sizes`.
    """
    how = f"{INTERRUPTED_WORD} after {done}" if done else INTERRUPTED_WORD
    return Blame(Headline.UNFINISHED, how=how)


def unfinished(files: Sequence[RecordFile]) -> Blame | None:
    """That files of records, which were all read, lack planned runs, or that their last record is
    cut off.
    """
    parts = [
        f"{count_noun(file.missing, 'run')} missing in {file.name}"
        for file in files
        if file.missing
    ]
    if cut_off := [file.name for file in files if file.torn]:
        parts.append(f"the last record of {' and '.join(cut_off)} is cut off")
    return Blame(Headline.UNFINISHED, how=", ".join(parts)) if parts else None


@dataclass(frozen=True)
class LastLine:
    """The verdict of a command; `str()` is the last line, which says it.

    Attributes:
        calm: the headline if nobody is to blame.
        blames: whom the other headlines are about.
        about: what the calm headline is about.
        facts: what was done.
    """

    calm: Headline
    blames: Sequence[Blame] = ()
    about: str = ""
    facts: Sequence[str] = ()

    @property
    def headline(self) -> Headline:
        """The verdict on the whole: the worst headline."""
        return min((each.headline for each in self.blames), key=_rank, default=self.calm)

    def __str__(self) -> str:
        clauses: list[str] = []
        blames = sorted(self.blames, key=lambda each: _rank(each.headline))
        for headline, each in groupby(blames, lambda blame: blame.headline):
            of_headline = list(map(str, each))
            clauses += of_headline[:MAX_NAMED]
            if len(of_headline) > MAX_NAMED:
                clauses.append(f"{headline}: {len(of_headline) - MAX_NAMED} more")
        if not clauses:
            clauses = [f"{self.calm}: {self.about}" if self.about else self.calm]
        elif self.about:
            clauses.append(self.about)
        return visible("; ".join([*clauses, *self.facts]))


_rank = list(Headline).index


def verdict(comparison: Comparison, interrupted: Blame | None = None) -> LastLine:
    """The headlines that apply, each with whom it is about; then what was run and proved."""
    tally, instances = comparison.tally, comparison.instances
    blames = _blames(comparison)
    if comparison.missing:
        missing = f"{count_noun(comparison.missing, 'run')} missing"
        how = f"{interrupted.how}, {missing}" if interrupted else missing
        blames.append(Blame(Headline.UNFINISHED, how=how))
    elif interrupted:
        blames.append(interrupted)
    facts: list[str] = []
    uncertified = sum(each.uncertified for each in instances)
    if uncertified:
        facts.append(f"{uncertified} of {len(instances)} not proved: no certificate")
    solved = {each.puzzle for each in instances}
    boards = count_noun(len(instances), noun_of(solved))
    facts.append(f"{boards} of {count_noun(len(solved), 'puzzle')}")
    runs = ", ".join(f"{count} {status}" for status, count in tally.statuses.items())
    facts.append(f"runs: {runs or 'none'}")
    if tally.checked:
        summaries = [summary for each in instances for summary in each.summaries]
        rescued = sum(each.rare.defect and each.check is Verdict.PROVED for each in summaries)
        by_others = f", {rescued} of them by another one's proof" if rescued else ""
        facts.append(f"{tally.proved} of {tally.checked} answers PROVED{by_others}")
    facts[-1] += "."
    calm = comparison.headline
    return LastLine(calm, blames, "" if blames else _calm(comparison), facts)


def _blames(comparison: Comparison) -> list[Blame]:
    """Whom the headlines are about, and on how many instances; with the puzzle if there are
    several.
    """
    blames: list[Blame] = []
    several = len(comparison.puzzles) > 1
    for puzzle, part in comparison.puzzles.items():
        before = f"{puzzle} " if several else ""
        for contender, tally in part.tallies.items():
            for headline, grades in tally.blamed.items():
                kinds = ", ".join(f"{grades[grade]} {grade}" for grade in Grade if grades[grade])
                how = "" if headline is Headline.UNPROVED else kinds
                where = f"on {grades.total()} of {tally.run}"
                blames.append(Blame(headline, (f"{before}{contender}",), where, how))
        for (disputed, one, other), count in comparison.disputes.items():
            if disputed != puzzle:
                continue
            names, where = (f"{before}{one}", other), f"on {count} of {len(part.instances)}"
            if one == other:
                names, where = names[:1], f"with itself {where}"
            blames.append(Blame(Headline.CONFLICT, names, where))
    return blames


def _calm(comparison: Comparison) -> str:
    """What the headline is about of a comparison in which nobody is to blame."""
    headline = comparison.headline
    if headline is Headline.ALL_AGREE:
        return ""
    if spared_all := comparison.spared_all:
        noun = noun_of(comparison.puzzles)
        were = "was" if len(spared_all) == 1 else "were"
        return f"{', '.join(spared_all)} {were} spared every {noun}"
    tallies = [each for part in comparison.puzzles.values() for each in part.tallies.items()]
    answered = list(dict.fromkeys(name for name, tally in tallies if tally.answered))
    return _some(answered) if headline is Headline.ACCEPTED else only_answered(answered)


def only_answered(names: Sequence[str]) -> str:
    """Why nothing was compared where these contenders answered."""
    return {0: "nobody answered", 1: f"only {_some(names)} answered"}.get(
        len(names), f"the answers of {_some(names)} cannot be compared"
    )


def _some(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def boards_together(result: Result) -> str:
    """How many boards a program gets in one start."""
    return count_noun(result.together, noun_of([result.puzzle]))


def skipped_lines(comparison: Comparison) -> list[str]:
    """A line for each contender and reason for which boards were skipped."""
    lines: list[str] = []
    for (contender, puzzle, reason), count in comparison.skipped.items():
        boards = count_noun(count, f"{puzzle} {noun_of([puzzle])}")
        lines.append(visible(f"SKIPPED: {contender} on {boards}: {reason}"))
    return lines


def spared_lines(comparison: Comparison) -> list[str]:
    """A line for each program on how many boards it was spared, and what the contest promises that
    they break.
    """
    lines: list[str] = []
    for (program, puzzle), reasons in comparison.spared.items():
        noun = noun_of([puzzle])
        shown = ", ".join(f"{count}: {reason}" for reason, count in reasons.items())
        lines.append(
            visible(
                f"SPARED: {program} on {count_noun(reasons.total(), f'{puzzle} {noun}')} that its "
                f"contest does not promise ({shown}); --extended gives it all {noun}s"
            )
        )
    return lines


def by_claims(results: Iterable[Result]) -> list[list[Result]]:
    """The results in groups that claim the same, of a best value and of its bound too."""
    groups: dict[tuple[object, ...], list[Result]] = {}
    for result in results:
        claims = b"" if result.claims is None else result.claims.tobytes()
        groups.setdefault((claims, result.value, result.bound), []).append(result)
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
    beaten = conflict.beaten
    for loser in conflict.refuted:
        by = "by the proved answer of another"
        if loser in beaten and loser.check is not None:
            by = loser.check.detail
        lines.append(f"REFUTED: {who(loser)}, {by}")
    lines += [
        f"The check of {puzzles.get(first.puzzle).origin.argument} proves the answer of "
        f"{one.contender}, and says that {other.contender} shows a better solution: it is wrong."
        for pair in conflict.pairs
        for one, other in (pair, pair[::-1])
        if one.is_proved and not other.is_proved and beats(other, one)
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
    """What a conflict says of the check: that of a user's own puzzle may be wrong, so its proofs
    blame nobody; and two answers that contradict each other cannot both be PROVED. Else empty.

    Args:
        proved, others: the contenders in conflict whose answers are PROVED, and those whose are
            not.
    """
    check, ours = f"the check of {puzzle.origin.argument}", is_built_in(puzzle)
    if not proved or len(others) > 1 or (others and ours):
        return ""
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
