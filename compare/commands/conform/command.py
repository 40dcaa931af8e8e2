"""`compare conform`: whether a user's puzzle is all that the commands expect of it."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace

import puzzles
from compare.commands.arguments import STRICT
from compare.commands.conform.corpus import State
from compare.commands.conform.points import POINTS, findings
from compare.show.wording import say
from puzzles.shell.argument_parser import PUZZLE, Argument, ArgumentParser
from puzzles.text import UnknownName, counted, first_paragraph


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        PUZZLE,
        Argument(
            "--point",
            f"try only this one: {', '.join(POINTS)}",
            metavar="POINT",
            repeatable=True,
            completer=lambda **_: list(POINTS),
        ),
        replace(
            STRICT, help="exit with status 3 where something is missing or has to be looked at"
        ),
    )


WORDS = {State.FAILED: "FAILED", State.LOOK: "look"}
"""What is said of a point with such a finding; the first that applies."""


def main(options: argparse.Namespace) -> int:
    """Try each point; say what fails and what to do. The exit status is 1 if a point fails."""
    for name in options.point:
        if name not in POINTS:
            raise UnknownName("point", name, list(POINTS))
    puzzle = puzzles.find(options.puzzle)
    puzzle.first_family()  # without one nothing can be tried
    chosen = [name for name in POINTS if name in (options.point or POINTS)]
    counts = Counter[State]()
    failed_points = 0
    for point in chosen:
        every = findings(puzzle, point)
        states = [each.state for each in every]
        word = next((word for state, word in WORDS.items() if state in states), "holds")
        about = first_paragraph(POINTS[point]).removesuffix(".")
        print(f"{point:10}{word:8}{about[:1].lower()}{about[1:]}")
        say(*(f"  {each.state}: {each.sentence}" for each in every))
        counts.update(states)
        failed_points += State.FAILED in states
        if any(each.hangs for each in every):
            print("The points below are not tried: they would wait for the same backend.")
            break
    points = counted(len(chosen), "point")
    parts = [f"FAILED: {failed_points} of {points}" if failed_points else f"ALL HOLD: {points}"]
    for state, what in ((State.LOOK, "to look at"), (State.MISSING, "missing")):
        if counts[state]:
            parts.append(f"{counts[state]} {what}")
    print("; ".join(parts))
    return 1 if failed_points else 3 if len(parts) > 1 and options.strict else 0
