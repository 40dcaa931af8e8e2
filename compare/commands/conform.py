"""`compare conform`: whether a puzzle of one's own is all that the commands expect of it."""

from __future__ import annotations

import argparse

import puzzles
from compare.commands.arguments import add_options, puzzle_argument
from compare.conform.corpus import State
from compare.conform.points import POINTS, findings
from compare.show.wording import line_width, wrapped
from puzzles.text import UnknownName, counted, first_paragraph


def arguments(parser: argparse.ArgumentParser) -> None:
    puzzle_argument(parser)
    add_options(
        parser,
        {
            "--point": f"try only this one: {', '.join(POINTS)}",
            "--strict": "exit with status 3 where something is missing or has to be looked at",
        },
    )


def main(options: argparse.Namespace) -> int:
    """Try each point; say what fails and what to do. The exit status is 1 if a point fails."""
    for name in options.point:
        if name not in POINTS:
            raise UnknownName("point", name, list(POINTS))
    puzzle = puzzles.find(options.puzzle)
    puzzle.first_family()  # without one nothing can be tried
    chosen = [name for name in POINTS if name in (options.point or POINTS)]
    counts = dict.fromkeys(State, 0)
    failed_points = 0
    for point in chosen:
        every = findings(puzzle, point)
        states = [each.state for each in every]
        state = "FAILED" if State.FAILED in states else "look" if State.LOOK in states else "holds"
        failed_points += State.FAILED in states
        about = first_paragraph(POINTS[point]).removesuffix(".")
        print(f"{point:10}{state:8}{about[:1].lower()}{about[1:]}", flush=True)
        for each in every:
            counts[each.state] += 1
            print(wrapped(f"  {each.state}: {each.sentence}", line_width()), flush=True)
        if any(each.hangs for each in every):
            print("The points below are not tried: they would wait for the same backend.")
            break
    rest = [
        f"{count} {what}"
        for count, what in ((counts[State.LOOK], "to look at"), (counts[State.MISSING], "missing"))
        if count
    ]
    points = counted(len(chosen), "point")
    print(
        "; ".join(
            [
                f"FAILED: {failed_points} of {points}" if failed_points else f"ALL HOLD: {points}",
                *rest,
            ]
        )
    )
    return 1 if failed_points else 3 if rest and options.strict else 0
