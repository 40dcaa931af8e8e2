"""`compare conform`: whether a puzzle is all that the commands expect of it."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace

import puzzles
from compare.commands.arguments import DOCUMENT, QUIET, STRICT, TEXT_OR_JSON
from compare.commands.conform.built_in import BUILT_IN
from compare.commands.conform.corpus import State
from compare.commands.conform.points import POINTS, findings, points_of
from compare.engine.campaign.summaries import Headline
from compare.show.conclusion import Conclusion, ContenderTally, FaultReport, printing
from compare.show.messages import Blame, LastLine
from compare.show.wording import command, say, write
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, Argument, ArgumentParser
from puzzles.text import UnknownName, count_noun, first_paragraph


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE_ARGUMENT,
        Argument(
            "--point",
            f"try only this one: {', '.join(POINTS)}; of a puzzle of this project also "
            f"{', '.join(BUILT_IN)}",
            metavar="POINT",
            repeatable=True,
            completer=lambda **_: [*POINTS, *BUILT_IN],
        ),
        replace(
            STRICT, help="exit with status 3 where something is missing or has to be looked at"
        ),
        TEXT_OR_JSON,
        replace(QUIET, help="only the points with something to say, and the verdict"),
        *DOCUMENT,
    )


WORDS = {State.FAILED: "FAILED", State.LOOK: "look"}
"""What is said of a point with such a finding; the first that applies."""


def conclude(options: argparse.Namespace) -> Conclusion:
    """Try each point; say what fails and what to do. The exit status is 1 if a point fails."""
    puzzle = puzzles.find(options.puzzle)
    points = points_of(puzzle)
    for name in options.point:
        if name not in points:
            raise UnknownName("point", name, list(points))
    puzzle.first_family()  # without one nothing can be tried
    chosen = [name for name in points if name in (options.point or points)]
    counts = Counter[State]()
    failed_points = 0
    faults: list[FaultReport] = []
    tallies: list[ContenderTally] = []
    rows: list[dict[str, object]] = []
    replay = command(options.words, {})
    for point in chosen:
        every = findings(puzzle, point)
        states = [each.state for each in every]
        word = next((word for state, word in WORDS.items() if state in states), "holds")
        about = first_paragraph(points[point]).removesuffix(".")
        if every or not options.quiet:
            write(f"{point:10}{word:8}{about[:1].lower()}{about[1:]}")
        say(*(f"  {each.state}: {each.sentence}" for each in every))
        counts.update(states)
        failed_points += State.FAILED in states
        rows += [{"point": point, "state": each.state, "says": each.sentence} for each in every]
        faults += [
            FaultReport(
                kind=each.state,
                contenders=(puzzle.name,),
                reason=each.sentence,
                puzzle=puzzle.name,
                part=point,
                replay=replay,
            )
            for each in every
            if each.state is State.FAILED
        ]
        counted_states = dict(Counter(map(str, states))) or {word: 1}
        tallies.append(
            ContenderTally(
                puzzle=puzzle.name,
                part=point,
                counts=counted_states,
                failed=states.count(State.FAILED),
            )
        )
        if any(each.hangs for each in every):
            write("The points below are not tried: they would wait for the same backend.")
            break
    tried = count_noun(len(chosen), "point")
    open_ends = [
        f"{counts[state]} {what}"
        for state, what in ((State.LOOK, "to look at"), (State.MISSING, "missing"))
        if counts[state]
    ]
    failed = Blame(Headline.FAILED, (puzzle.name,), f"on {failed_points} of {tried}")
    last_line = (
        LastLine(Headline.ACCEPTED, [failed], facts=open_ends)
        if failed_points
        else LastLine(Headline.ACCEPTED, about="all hold", facts=[tried, *open_ends])
    )
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=1 if failed_points else 3 if open_ends and options.strict else 0,
        faults=faults,
        tallies=tallies,
        tables={"findings": rows},
    )


main = printing(conclude)
