"""What `compare stress` says: of a failing input, of the smallest one, and at the end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from compare.commands.checkers import OK, WRONG_ANSWERS
from compare.commands.stress.grammar_words import grammar_line
from compare.commands.stress.stress_plan import StressPlan, TriedInput
from compare.commands.stress.stress_search import ShrunkInput, StressSearch
from compare.engine.campaign.summaries import Headline
from compare.engine.work.result import Fault
from compare.show.conclusion import WRONG, ContenderTally, FaultReport, blames
from compare.show.messages import LastLine, interruption
from compare.show.table import a_second, seconds
from compare.show.wording import INDENT
from puzzles.text import count_noun, excerpt

_MAX_LINES, _MAX_COLUMNS = 20, 60
"""Lines of an input or an output that are printed, and characters of a line of an output."""


def _size(text: str) -> str:
    """How large an input is, for people."""
    return count_noun(len(text.split()), "word")


def noticed_line(plan: StressPlan, failing: TriedInput) -> str:
    """What is said before a failing input is shrunk."""
    return f"{_headline(plan, failing)}, on an input of {_size(failing.text)}; shrinking it"


def _faults(plan: StressPlan, tried: TriedInput) -> list[Fault]:
    """Who is wrong, and how."""
    faults: list[Fault] = []
    for program, mark, outcome, reason in zip(
        plan.programs, tried.marks, tried.outcomes, tried.says, strict=True
    ):
        if mark in WRONG_ANSWERS:
            faults.append(Fault(WRONG, (program.name,), reason))
        elif mark != OK:
            faults.append(Fault(mark, (program.name,), outcome.detail))
    return faults


def _headline(plan: StressPlan, tried: TriedInput) -> str:
    return "; ".join(each.sentence() for each in _faults(plan, tried))


def fault_reports(plan: StressPlan, tried: TriedInput, text: str, replay: str) -> list[FaultReport]:
    """What is wrong on an input, as a document says it. `text`: what is printed of it."""
    return [
        FaultReport(
            kind=each.kind,
            contenders=each.names,
            reason=each.detail,
            part=_INPUTS,
            place=f"an input of {_size(tried.text)}",
            text=text,
            input=tried.text,
            replay=replay,
        )
        for each in _faults(plan, tried)
    ]


def program_tallies(
    plan: StressPlan, tried: int, faults: Sequence[FaultReport]
) -> list[ContenderTally]:
    """On how many inputs each program was tried, and whether it is at fault."""
    return [
        ContenderTally(
            part=_INPUTS,
            contender=each.name,
            counts={"tried": tried},
            failed=sum(each.name in fault.contenders for fault in faults),
        )
        for each in plan.programs
    ]


_INPUTS = "inputs"
"""The part of the work of which a document tells."""


def shrunk_text(plan: StressPlan, shrunk: ShrunkInput, path: Path, first: Path, replay: str) -> str:
    """The smallest input, who is wrong on it, all outputs side by side, where it and the first
    failing input are saved, and the line that tries it again.
    """
    smallest, original = shrunk.smallest, shrunk.original
    after = _size(smallest.text)
    shrinking = f"shrunk {_size(original.text)} to {after}"
    if smallest.text == original.text:
        shrinking = f"not shrunk from {after}"
    return "\n".join(
        [
            "",
            *excerpt(smallest.text, _MAX_LINES, 2 * _MAX_COLUMNS),
            "",
            f"{_headline(plan, smallest)}; {shrinking} in {count_noun(shrunk.tries, 'run')}; "
            f"{shrunk.smaller}",
            *_chance_lines(shrunk),
            *_side_by_side(plan, smallest),
            *_shape_lines(shrunk),
            f"saved: {path}",
            f"first failing input: {first}, {plan.origin(shrunk.number)}",
            f"replay: {replay}",
        ]
    )


def _chance_lines(shrunk: ShrunkInput) -> list[str]:
    """How often the smallest input fails, if that is a matter of chance."""
    if not shrunk.fails_by_chance:
        return []
    starts = count_noun(shrunk.more_starts, "more start")
    return [
        f"by chance: it failed in {shrunk.more_failures} of {starts} on this input, so the replay "
        "line may say ALL AGREE"
    ]


def _shape_lines(shrunk: ShrunkInput) -> list[str]:
    """What was learned of inputs, and whether that is enough to tell one from other texts."""
    lines: list[str] = []
    if shrunk.grammar is not None:
        inputs = count_noun(shrunk.grammar.samples, "input")
        lines.append(f"shape, learned from {inputs}: {grammar_line(shrunk.grammar)}")
    unknown = ""
    if not shrunk.is_input:
        unknown = "nothing says how long an input is"
    elif shrunk.grammar is not None and not shrunk.grammar.counts_words:
        unknown = "the shape does not say how many words each line of an input has"
    if unknown:
        lines.append(
            f"{unknown}, so the shrunk one may be none: see the first failing input, or give a "
            "--validator"
        )
    return lines


def _side_by_side(plan: StressPlan, tried: TriedInput) -> list[str]:
    """The outputs of all programs in columns, with their names above; of long ones the part around
    the first difference, with an arrow.
    """
    texts = [
        each.value.decode("utf-8", "backslashreplace") if each.ok else f"({each.status})"
        for each in tried.outcomes
    ]
    long = any(
        text.count("\n") > _MAX_LINES or max(map(len, text.split("\n"))) > _MAX_COLUMNS
        for text in texts
    )
    places = _places(plan, tried) if long else [None] * len(texts)
    columns: list[list[str]] = []
    for program, text, place in zip(plan.programs, texts, places, strict=True):
        indent = INDENT if place else ""
        shown = excerpt(text, _MAX_LINES, _MAX_COLUMNS, place, indent)
        columns.append([f"{indent}{program.name}", *shown])
    widths = [max(map(len, column)) for column in columns]
    rows = zip_longest(*columns, fillvalue="")
    lines = ["  ".join(map(str.ljust, row, widths)) for row in rows]
    return [f"{INDENT}{line}".rstrip() for line in lines]


def _places(plan: StressPlan, tried: TriedInput) -> list[tuple[int, int] | None]:
    """Where each output differs first; that of the reference, and one that is the same, from the
    first other one.
    """
    reference, *others = tried.outcomes
    if not reference.ok:
        return [None] * len(tried.outcomes)
    differences = [
        plan.difference(reference.value, each.value) if each.ok else None for each in others
    ]
    first = next((each.places[0] for each in differences if each is not None), None)
    places = [first if each is None else each.places[1] for each in differences]
    return [first, *places]


def replayed_text(plan: StressPlan, tried: TriedInput) -> str:
    """What came of one input that was tried again."""
    headline = [_headline(plan, tried)] if tried.fails else []
    return "\n".join([*headline, *_side_by_side(plan, tried)])


def _is_silent(search: StressSearch) -> bool:
    """Whether no program printed anything that could be compared."""
    return 0 < search.total.tried == search.total.silent and not search.plan.checker


def last_line(search: StressSearch, faults: Sequence[FaultReport], *, stopped: bool) -> LastLine:
    """What was found, on how many inputs and how fast.

    Args:
        stopped: whether Ctrl-C has ended it.
    """
    tried, taken = search.total.tried, search.seconds_spent
    calm, about = Headline.ALL_AGREE, ""
    if not tried:
        refused = search.total.refused
        why = f"none of the first {refused} is valid" if refused else "give more --seconds"
        calm, about = Headline.NOTHING_COMPARED, f"no input was tried: {why}"
    elif _is_silent(search):
        calm, about = Headline.NOTHING_COMPARED, "no program printed anything"
    blamed = blames(faults)
    if stopped:
        blamed.append(interruption())
    rate = a_second(tried / taken if taken else 0.0)
    facts = [f"{count_noun(tried, 'input')} in {taken:.1f} s, {rate}", f"seed {search.plan.seed}"]
    return LastLine(calm, blamed, "" if blamed else about, facts)


def closing_lines(search: StressSearch, *, quiet: bool) -> list[str]:
    """How fast each program was, unless `quiet`, and what may be wrong with the inputs."""
    total = search.total
    inputs = count_noun(total.tried, "input")
    lines: list[str] = []
    if total.slowest and not quiet:
        slowest = (f"{name} {seconds(each)}" for name, each in total.slowest.items())
        lines.append(f"slowest: {', '.join(slowest)}")
    if total.refused:
        lines.append(f"{count_noun(total.refused, 'input')} refused as not valid")
    if total.tried > 1 and len(total.different) == 1:
        lines.append(f"all {inputs} are equal: does the generator use its seed?")
    elif 2 * len(total.different) < total.tried:
        lines.append(f"only {len(total.different)} of {inputs} are different")
    if _is_silent(search):
        lines.append("no program printed anything: --output-file NAME reads a file that it writes")
    return lines
