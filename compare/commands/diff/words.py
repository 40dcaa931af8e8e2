"""What `compare diff` says of the same runs then and now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compare.commands.diff.differences import LEAST, TOO_FEW, Effect, Pair, Pairing
from compare.engine.campaign.header import Header
from compare.engine.isolate.outcome import amount_of_bytes
from compare.show.messages import busy_lines
from compare.show.table import Column, Entry, Table, for_terminal, number_cell, ratio_cell
from compare.show.wording import noun_of
from puzzles.text import count_noun, visible

_MAX_SHOWN = 10
"""Pairs of one kind that are printed; the rest is counted."""


def differences_text(
    pairing: Pairing,
    effects: Sequence[Effect],
    then: str,
    now: str,
    files: Iterable[tuple[str, str, str]],
    most: float | None,
) -> str:
    """The table of effects, what was left out, when all this was measured, and what is worse than
    then.

    Args:
        then, now: the names of the files.
        files: of each file `then` or `now`, its name, and when it was written.
        most: the ratio above which an effect is a regression; None if there is no such limit.
    """
    noun = noun_of(effect.group[0] for effect in effects)
    lines = [
        for_terminal(differences_table(effects, noun)),
        "",
        f"old, new: medians over the {noun}s that both solved; ratio: new / old, geometric mean of "
        f"their ratios, 95% bootstrap interval; same: all of it is within {LEAST:.0%} of 1; equal "
        f"{noun}s count once",
    ]
    lines += busy_lines(pairing.processor_share)
    lines += without_partner(pairing, then, now)
    lines += [f"{word}: {when} ({name})" for word, name, when in files if when]
    contradictions = [pair for pair in pairing.pairs if pair.contradicts]
    lines += _first("CONFLICT: the answers of then and now cannot both be right", contradictions)
    lines += broken_lines(pairing)
    if most is not None and not contradictions:
        lines += [
            f"REGRESSION: {' '.join(effect.group)} takes {effect.ratio:.3g} times as long, more "
            f"than {most:g}"
            for effect in effects
            if effect.slower(most)
        ]
    return "".join(f"{visible(line)}\n" for line in lines)


def without_partner(pairing: Pairing, then: str, now: str) -> list[str]:
    """A line about the runs that only one side has, if there are any."""
    if not (pairing.only_old or pairing.only_new):
        return []
    alone = f"{pairing.only_old} of {then}, {pairing.only_new} of {now}"
    return [f"without a partner, and left out: {alone}"]


def broken_lines(pairing: Pairing) -> list[str]:
    """A line for each of the first runs that no longer end well."""
    broke = [pair for pair in pairing.pairs if pair.broke]
    return _first("ended well then and does not now", broke)


def differences_table(effects: Sequence[Effect], noun: str) -> Table:
    """A row for each group."""
    names = ["puzzle", "backend", "dataset", "case", Column("board", noun)]
    numbers = [
        Column("boards", f"{noun}s"),
        Column("old_s", "old"),
        Column("new_s", "new"),
        "ratio",
        Column("verdict", ""),
    ]
    rows: list[list[Entry]] = []
    for effect in effects:
        broke = f"{effect.broke} broke" if effect.broke else ""
        mended = f"{effect.mended} mended" if effect.mended else ""
        verdict = too_few(effect, noun) if effect.verdict == TOO_FEW else effect.verdict
        rows.append(
            [
                *(*effect.group, effect.boards),
                *(number_cell(each, "s") for each in (effect.old_s, effect.new_s)),
                ratio_cell(effect.ratio, effect.interval, written="{:.3f}".format),
                ", ".join(filter(None, (verdict, broke, mended))),
            ]
        )
    return Table.of("", [*names[: len(effects[0].group)], *numbers], rows)


def too_few(effect: Effect, noun: str) -> str:
    """That an effect rests on too few samples to say who is faster."""
    return f"cannot say from {count_noun(effect.samples, 'run' if effect.is_of_board else noun)}"


def other_conditions(then: Header, now: Header) -> Iterator[str]:
    """What timings depend on and differs between two headers, a line each."""
    old, new = (
        each.items()
        | {"limits": each.settings.limits, "memory": amount_of_bytes(each.environment.memory)}
        for each in (then, now)
    )
    for name in (
        "machine",
        "processor",
        "cores",
        "memory",
        "os",
        "python",
        "jobs",
        "limits",
        "executor",
    ):
        if old[name] != new[name]:
            yield f"{name}: {old[name]} then, {new[name]} now"
    before, after = then.environment.versions, now.environment.versions
    for package in dict.fromkeys([*before, *after]):
        if before.get(package) != after.get(package):
            yield (
                f"{package}: {before.get(package) or 'missing'} then, "
                f"{after.get(package) or 'missing'} now"
            )


def _first(title: str, pairs: Sequence[Pair]) -> list[str]:
    """A line for each of the first pairs."""
    lines: list[str] = []
    for pair in pairs[:_MAX_SHOWN]:
        now = "" if pair.contradicts else f": {pair.new.failure}"
        lines.append(f"{title}: {pair.first.contender} on {pair.first}{now}")
    more = len(pairs) - _MAX_SHOWN
    return [*lines, f"... and {more} more"] if more > 0 else lines
