"""Two contenders of the same files against each other, board by board: `diff FILE --between A B`.

The pairs, the ratio and its interval are those of `differences`: A stands where the runs of then
stand, and B where those of now stand. Beside them stand the boards on which each is faster, those
that only one solved, and a sign test, which asks of the boards only who is faster, not by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import comb, sqrt
from statistics import NormalDist, median

from msgspec.structs import replace as with_fields

from compare.commands.diff.differences import LEAST, Effect, Pair, Pairing, effects, pair
from compare.commands.diff.words import too_few
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.ratios import MIN_BOARDS, called, no_contender, the_called
from compare.engine.campaign.summaries import Headline, summary_rows
from compare.engine.work.result import Result
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, Rows
from compare.show.messages import Blame, LastLine, busy_lines, unfinished
from compare.show.table import (
    Cell,
    Column,
    Entry,
    Table,
    number_cell,
    ratio_cell,
    render,
    text_cell,
)
from compare.show.wording import line_width, noun_of, write
from puzzles.text import UserError, count_noun

_EXACT = 1000
"""Boards; of more the sign test takes the normal distribution for the binomial one."""


@dataclass(frozen=True)
class Duel:
    """Two contenders on a group of boards.

    Attributes:
        wall, cpu: the effect of B instead of A on the wall time and on the CPU time.
        wins: on how many of the boards that both solved A, and B, has the shorter wall time.
    """

    wall: Effect
    cpu: Effect
    wins: tuple[int, int]

    @property
    def both(self) -> int:
        """How many boards both solved."""
        effect = self.wall
        return effect.boards - effect.broke - effect.mended - effect.contradicted

    @property
    def sign_test(self) -> float | None:
        """The probability that chance alone makes the wins at least as unequal, if each of the two
        is faster as often as the other; None without a win.
        """
        return sign_test(*self.wins)


def sign_test(wins: int, losses: int) -> float | None:
    """The two-sided sign test; boards on which both take the same time do not count.

    O(wins + losses), O(1) beyond `_EXACT` of them.
    """
    number, fewer = wins + losses, min(wins, losses)
    if not number:
        return None
    if number <= _EXACT:
        at_most = sum(comb(number, k) for k in range(fewer + 1)) / 2**number
    else:
        at_most = NormalDist(number / 2, sqrt(number) / 2).cdf(fewer + 0.5)
    return min(1.0, 2 * at_most)


def conclude_between(
    files: Sequence[RecordFile], first: str, second: str, by: str, replay: str
) -> Conclusion:
    """How two contenders of some files compare; says it.

    Args:
        first, second: A and B, as `called` takes them.
        by: one of `EFFECT_GROUPS`; empty for datasets, of which some share a row if there are many.

    Raises:
        UserError: the files have no such contender, or several, or no board of both.
    """
    pairing = _pairing(files, first, second)
    pairs = pairing.pairs
    if not pairs:
        noun = noun_of(result.puzzle for result in chain.from_iterable(files))
        raise UserError(f"no {noun} has a run of {first} and one of {second}")
    duels = _duels(pairs if by else _in_few_rows(pairs), by or "dataset")
    noun = noun_of(each.first.puzzle for each in pairs)
    table = _table(duels, first, second, noun)
    write(render([table], width=line_width()), end="")
    busy, left_out = busy_lines(pairing.processor_share), []
    if pairing.only_old or pairing.only_new:
        left_out = [
            f"on {count_noun(pairing.only_old, noun)} only {first} was run, on "
            f"{pairing.only_new} only {second}: they are left out"
        ]
    legend = [
        f"{first} and {second}: medians of the wall times, over the {noun}s that both solved",
        f"ratio: {second} / {first}, wall time, geometric mean of the ratios on these {noun}s, "
        "95% bootstrap interval",
        f"faster: on how many {noun}s {first} : {second} takes less time; alone: how many only it "
        "solved",
        f"the interval says who is faster, from {MIN_BOARDS} {noun}s on; no difference: the whole "
        f"interval is within {LEAST:.0%} of 1",
        f"p: sign test, two-sided; it asks on how many {noun}s each is faster, not by how much",
        f"equal {noun}s count once; a wrong answer solves nothing",
        *busy,
        *left_out,
    ]
    write("".join(f"{line}\n" for line in legend), end="")
    conflicts = [each for each in pairs if each.contradicts]
    both = sum(each.solved_by_both for each in pairs)
    blames = []
    if conflicts:
        where = f"on {len(conflicts)} of {count_noun(len(pairs), noun)}"
        blames.append(Blame(Headline.CONFLICT, (first, second), where))
    if (lacking := unfinished(files)) is not None:
        blames.append(lacking)
    last_line = LastLine(
        Headline.ALL_AGREE, blames, facts=[f"{count_noun(both, noun)} solved by both"]
    )
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=1 if conflicts else 0,
        faults=[
            FaultReport(
                kind="CONFLICT",
                contenders=(first, second),
                puzzle=each.first.puzzle,
                part=each.first.dataset,
                place=str(each.first),
                input=each.first.text,
                replay=replay,
            )
            for each in conflicts
        ],
        tallies=[
            ContenderTally(
                puzzle=each.wall.group[0],
                part=" ".join(each.wall.group[2:]),
                contender=name,
                counts={
                    "faster": each.wins[k],
                    "solved_alone": (each.wall.broke, each.wall.mended)[k],
                },
                failed=each.wall.contradicted,
            )
            for each in duels
            for k, name in enumerate((first, second))
        ],
        tables={"between": Rows(table)},
        warnings=[*busy, *left_out],
    )


def _pairing(files: Sequence[RecordFile], first: str, second: str) -> Pairing:
    """The runs of both contenders, board by board; both go by the name of the two together, since
    runs are paired by their contender, too.
    """
    known: dict[str, dict[str, None]] = {}
    for result in chain.from_iterable(files):
        known.setdefault(result.puzzle, {})[result.contender] = None
    both, option = f"{first} and {second}", "--between"
    every = list(chain.from_iterable(known.values()))
    for name in (first, second):
        if every and not called(every, name):
            raise no_contender(option, name, every)

    def chosen(name: str) -> dict[str, str]:
        """By puzzle, the contender that is called so."""
        some = {puzzle: names for puzzle, names in known.items() if called(names, name)}
        return {puzzle: the_called(names, name, option) for puzzle, names in some.items()}

    one, other = chosen(first), chosen(second)
    for puzzle in one:
        if one[puzzle] == other.get(puzzle):
            raise UserError(
                f"{option}: {first} and {second} are both {one[puzzle]}: name two contenders"
            )

    def runs_of(contenders: Mapping[str, str]) -> Iterator[Result]:
        return (
            with_fields(result, contender=both, solver=None)
            for result in chain.from_iterable(files)
            if result.contender == contenders.get(result.puzzle)
        )

    return pair(runs_of(one), runs_of(other))


def _in_few_rows(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with the dataset that names their row."""
    datasets: dict[str, dict[str, int]] = {}
    for each in pairs:
        counts = datasets.setdefault(each.first.puzzle, {})
        counts[each.first.dataset] = counts.get(each.first.dataset, 0) + 1
    row_of = {puzzle: summary_rows(counts) for puzzle, counts in datasets.items()}
    return [
        replace(
            each,
            first=with_fields(each.first, dataset=row_of[each.first.puzzle][each.first.dataset]),
        )
        for each in pairs
    ]


def _duels(pairs: Sequence[Pair], by: str) -> list[Duel]:
    """A duel for each group, in the order of the records, and before those of a puzzle, if it is
    another one, that of the puzzle as a whole.
    """
    every = [
        Duel(wall, cpu, _wins(pairs, wall.group))
        for level in dict.fromkeys(("backend", by))
        for wall, cpu in zip(effects(pairs, level), effects(pairs, level, cpu=True), strict=True)
    ]
    puzzles = list(dict.fromkeys(each.first.puzzle for each in pairs))
    return sorted(every, key=lambda each: puzzles.index(each.wall.group[0]))


def _wins(pairs: Sequence[Pair], group: tuple[str, ...]) -> tuple[int, int]:
    """On how many boards of a group A and B are faster."""
    times = [
        (median(each.old.seconds), median(each.new.seconds))
        for each in pairs
        if each.group("board")[: len(group)] == group and each.solved_by_both
    ]
    return sum(a < b for a, b in times), sum(b < a for a, b in times)


def _verdict(effect: Effect, first: str, second: str, noun: str) -> str:
    """What the interval says; nothing is the same only because there are too few boards to say."""
    if effect.ratio is None:
        return f"no {noun} solved by both"
    if effect.interval is None or not effect.says_enough:
        return too_few(effect, noun)
    low, high = effect.interval
    if low >= 1 / (1 + LEAST) and high <= 1 + LEAST:
        return "no difference"
    if low > 1:
        return f"{first} is faster"
    return f"{second} is faster" if high < 1 else "cannot say"


def _table(duels: Sequence[Duel], first: str, second: str, noun: str) -> Table:
    """A row for each group of boards."""
    names = ["puzzle", "dataset", "case", Column("board", noun)]
    width = max(len(each.wall.group) for each in duels) - 1
    columns = [
        *names[:width],
        Column("boards", f"{noun}s"),
        *(Column(f"{name} s", name) for name in (first, second)),
        "ratio",
        Column("cpu_ratio", "of CPU time"),
        "faster",
        Column("alone", "alone"),
        "p",
        Column("verdict", ""),
    ]
    rows: list[list[Entry]] = []
    for duel in duels:
        wall, cpu = duel.wall, duel.cpu
        puzzle, _, *rest = wall.group
        rows.append(
            [
                *(puzzle, *rest, *(["all"] + [""] * width)[: width - 1 - len(rest)]),
                duel.both,
                *(number_cell(each, "s") for each in (wall.old_s, wall.new_s)),
                *(ratio_cell(each.ratio, each.interval) for each in (wall, cpu)),
                _of_each(*duel.wins),
                _of_each(wall.broke, wall.mended),
                _probability(duel.sign_test),
                text_cell(_verdict(wall, first, second, noun)),
            ]
        )
    return Table.of("", columns, rows)


def _of_each(first: int, second: int) -> Cell:
    """A count for A and one for B."""
    return Cell(f"{first:,} : {second:,}", {"first": first, "second": second})


def _probability(value: float | None) -> Cell:
    """A probability for people: small ones are only bounded."""
    if value is None:
        return number_cell(None)
    text = "< 0.001" if value < 0.001 else f"{value:.3f}"
    return Cell(text, {"": value})
