"""What `compare stress` says: of a failing input, of the smallest one, and at the end."""

from __future__ import annotations

from collections.abc import Sequence

from compare.isolate.outcome import Outcome
from compare.show.table import seconds
from compare.stress.stress_plan import OK, WRONG, StressPlan, TriedInput
from compare.stress.stress_search import ShrunkInput, StressSearch
from compare.work.faults import Fault
from puzzles.text import counted, excerpt

MAX_LINES, MAX_COLUMNS = 20, 60
"""Lines of an input or an output that are printed, and characters of a line of an output."""


def size_text(text: str) -> str:
    """How large an input is, for people."""
    return counted(len(text.split()), "word")


def noticed_line(plan: StressPlan, failing: TriedInput) -> str:
    """What is said before a failing input is shrunk."""
    return f"{headline(plan, failing)}, on an input of {size_text(failing.text)}; shrinking it"


def headline(plan: StressPlan, tried: TriedInput) -> str:
    """Who is wrong, and how: by what is worst, the first such program."""
    parts: list[str] = []
    for program, mark, outcome, said in zip(
        plan.programs, tried.marks, tried.outcomes, tried.says, strict=True
    ):
        if mark == WRONG:
            why = (
                f"the checker says no{f': {said}' if said else ''}"
                if plan.checker
                else f"it differs from {plan.reference.name}"
            )
            parts.append(Fault(WRONG, (program.name,), why).sentence())
        elif mark != OK:
            parts.append(Fault(mark, (program.name,), outcome.detail).sentence())
    return "; ".join(parts)


def shrunk_text(plan: StressPlan, shrunk: ShrunkInput, path: str, replay: str) -> str:
    """The smallest input, who is wrong on it, all outputs side by side, and the line that tries it
    again.
    """
    smallest = shrunk.smallest
    before, after = size_text(shrunk.original.text), size_text(smallest.text)
    shrinking = (
        f"shrunk {before} to {after}"
        if smallest.text != shrunk.original.text
        else f"not shrunk from {after}"
    )
    shrinking += f" in {counted(shrunk.tries, 'run')}"
    if shrunk.complete:
        shrinking += "; all smaller inputs of this shape pass"
    else:
        shrinking += (
            "; the time was over, a smaller one may exist"
            if shrunk.cut_short
            else "; a smaller one may exist"
        )
    return "\n".join(
        [
            "",
            *excerpt(smallest.text, MAX_LINES, 2 * MAX_COLUMNS),
            "",
            f"{headline(plan, smallest)}; {shrinking}",
            *side_by_side([each.name for each in plan.programs], smallest.outcomes),
            f"saved: {path}",
            f"replay: {replay}",
        ]
    )


def side_by_side(names: Sequence[str], outcomes: Sequence[Outcome]) -> list[str]:
    """The outputs of all programs in columns, with their names above."""
    columns: list[list[str]] = []
    for name, outcome in zip(names, outcomes, strict=True):
        text = (
            outcome.value.decode("utf-8", "backslashreplace")
            if outcome.ok
            else f"({outcome.status})"
        )
        columns.append([name, *excerpt(text, MAX_LINES, MAX_COLUMNS)])
    height = max(map(len, columns))
    widths = [max(map(len, column)) for column in columns]
    rows = [[column[k] if k < len(column) else "" for column in columns] for k in range(height)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return [f"    {line}".rstrip() for line in lines]


def replayed_text(plan: StressPlan, tried: TriedInput) -> str:
    """What came of one input that was tried again."""
    outputs = side_by_side([each.name for each in plan.programs], tried.outcomes)
    return "\n".join([headline(plan, tried) if tried.fails else "ALL AGREE on 1 input", *outputs])


def closing_lines(search: StressSearch, seed: int) -> list[str]:
    """The last lines: how fast each program was, and what was found on how many inputs."""
    total, taken = search.total, search.seconds_spent
    slowest = ", ".join(f"{name} {seconds(each)}" for name, each in total.slowest.items())
    lines = [f"slowest: {slowest}"] if slowest else []
    if total.refused:
        lines.append(f"{counted(total.refused, 'input')} refused as not valid")
    if 2 * len(total.different) < total.tried:
        different = f"{len(total.different)} of {counted(total.tried, 'input')} are different"
        lines.append(f"{different}: does the generator use its seed, and {{size}}?")
    inputs = counted(total.tried, "input")
    ending = f"ALL AGREE on {inputs}" if search.shrunk is None else f"1 failure; {inputs}"
    rate = total.tried / taken if taken else 0.0
    return [*lines, f"{ending} in {taken:.1f} s, {rate:.0f} a second; seed {seed}"]
