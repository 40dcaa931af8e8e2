"""`compare diff`: the same runs then and now."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import chain, product

from compare.commands.arguments import (
    DOCUMENT,
    OUTPUT,
    OWN_RECORDS,
    TEXT_OR_JSON,
    open_record_files,
)
from compare.commands.diff import differences
from compare.commands.diff.between import conclude_between
from compare.commands.diff.words import (
    broken_lines,
    differences_table,
    differences_text,
    other_conditions,
    without_partner,
)
from compare.engine.campaign.summaries import Headline
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, Rows, printing
from compare.show.messages import Blame, LastLine, busy_lines, unfinished
from compare.show.wording import command, noun_of, warn, write
from puzzles.shell.argument_parser import Argument, ArgumentParser, positive
from puzzles.text import UserError, count_noun


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "files",
            "what `--out` of run, scale or stress wrote then, and what it wrote now; - for "
            "standard input",
            metavar="FILE.jsonl",
            nargs="+",
            is_read=True,
        ),
        Argument(
            "--new",
            "what it wrote now, if there are several files; all the others are of then",
            metavar="FILE.jsonl",
            nargs="+",
            is_read=True,
            default=[],
        ),
        Argument(
            "--between",
            "two contenders of the same files, board by board: a backend, a side, a program, or "
            "a piece of a name, such as a solver",
            metavar="NAME",
            nargs=2,
        ),
        Argument("--by", "a row for each (default: backend)", choices=differences.EFFECT_GROUPS),
        Argument(
            "--fail-above",
            "exit with status 4 where a row is more than RATIO times as slow (and its interval "
            "above 1), or no longer ends",
            metavar="RATIO",
            type=positive,
            group=OUTPUT,
        ),
        OWN_RECORDS,
        TEXT_OR_JSON,
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """What has changed; says it. 1 if answers contradict those of then, 4 past `--fail-above`.

    With `--between`, how two contenders compare.
    """
    if options.between:
        if options.new or options.fail_above:
            raise UserError(
                "--between compares two contenders of now: leave out --new, --fail-above"
            )
        with open_record_files(options.files, options.puzzle) as files:
            by, replay = options.by or "", command(options.words, {})
            first, second = options.between
            return conclude_between(files, first, second, by, replay)
    if not options.new and len(options.files) != 2:
        raise UserError(
            f"diff takes two files, then and now, not {len(options.files)}; of several, name "
            "those of now with --new"
        )
    then, now = (
        (options.files, options.new) if options.new else (options.files[:1], options.files[1:])
    )
    with open_record_files([*then, *now], options.puzzle) as every:
        old, new = every[: len(then)], every[len(then) :]
        pairing = differences.pair(chain.from_iterable(old), chain.from_iterable(new))
    names = ", ".join(then), ", ".join(now)
    if not pairing.pairs:
        raise UserError(f"{names[0]} and {names[1]} have no instance and backend in common")
    sessions = product(*(chain.from_iterable(f.sessions for f in side) for side in (old, new)))
    differing = dict.fromkeys(line for a, b in sessions for line in other_conditions(a, b))
    warn(*(f"warning: {line}" for line in differing))
    if pairing.parallel:
        warn("warning: some runs were timed while others were under way: less reliable")
    effects = differences.effects(pairing.pairs, options.by or "backend")
    files = [
        (word, file.name, file.when)
        for word, side in (("then", old), ("now", new))
        for file in side
    ]
    slower = [each for each in effects if options.fail_above and each.slower(options.fail_above)]
    write(differences_text(pairing, effects, *names, files, options.fail_above), end="")
    noun = noun_of(effect.group[0] for effect in effects)
    replay = command(options.words, {})
    blames, status = _blames(pairing, slower, past=options.fail_above is not None)
    compared = f"{count_noun(len(pairing.pairs), 'pair')} of runs compared"
    if (lacking := unfinished(every)) is not None:
        blames.append(lacking)
    last_line = LastLine(Headline.ALL_AGREE, blames, facts=[compared])
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=status,
        faults=[
            *(
                _of_pair("CONFLICT", each, "it contradicts then", replay)
                for each in pairing.contradictions
            ),
            *(
                _of_pair("BROKE", each, each.new.failure, replay)
                for each in pairing.broke
                if status == 4
            ),
            *(_of_effect(each, replay) for each in slower),
        ],
        tallies=[
            ContenderTally(
                puzzle=each.group[0],
                part=" ".join(each.group[2:]),
                contender=each.group[1],
                counts={"runs": each.boards, "broke": each.broke, "mended": each.mended},
                failed=each.contradicted + each.broke * (status == 4) + (each in slower),
            )
            for each in effects
        ],
        tables={"effects": Rows(differences_table(effects, noun))},
        warnings=[
            *busy_lines(pairing.processor_share),
            *without_partner(pairing, *names),
            *broken_lines(pairing),
        ],
    )


def _blames(
    pairing: differences.Pairing, slower: Sequence[differences.Effect], *, past: bool
) -> tuple[list[Blame], int]:
    """Who is to blame, and the exit status: 1 for answers that contradict those of then; else 4 for
    a contender that got slower or no longer ends.

    Args:
        slower: the contenders that got slower than `--fail-above` allows.
        past: whether that option is there.
    """
    runs = Counter(pair.first.contender for pair in pairing.pairs)
    contradicting = Counter(pair.first.contender for pair in pairing.contradictions)
    if contradicting:
        blames = [
            Blame(Headline.CONFLICT, (name,), f"with then on {count} of {runs[name]}")
            for name, count in contradicting.items()
        ]
        return blames, 1
    if not past:
        return [], 0
    reasons: dict[str, list[str]] = {}
    for name, count in Counter(pair.first.contender for pair in pairing.broke).items():
        reasons.setdefault(name, []).append(f"{count} of {runs[name]} no longer end well")
    for each in slower:
        reasons.setdefault(each.group[1], []).append(f"{each.ratio:.3g} times as long")
    blames = [
        Blame(Headline.REGRESSION, (name,), how=", ".join(why)) for name, why in reasons.items()
    ]
    return blames, 4 if blames else 0


def _of_pair(kind: str, pair: differences.Pair, reason: str, replay: str) -> FaultReport:
    """What is wrong with a run now."""
    first = pair.first
    return FaultReport(
        kind=kind,
        contenders=(first.contender,),
        reason=reason,
        puzzle=first.puzzle,
        place=str(first),
        input=first.text,
        replay=replay,
    )


def _of_effect(effect: differences.Effect, replay: str) -> FaultReport:
    """A contender that is too slow now."""
    return FaultReport(
        kind="REGRESSION",
        contenders=(effect.group[1],),
        reason=f"{effect.ratio:.3g} times as long as then",
        puzzle=effect.group[0],
        part=" ".join(effect.group[2:]),
        replay=replay,
    )


main = printing(conclude)
