"""What a command came to: a `Conclusion`. It is the document that `--format json` prints, the
JUnit file that `--junit` writes, and what the functions of `compare` return in Python. `printing`
makes the `main` of a command of it.
"""

from __future__ import annotations

import argparse
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

import puzzles
from compare.engine.campaign.comparison import Comparison, Conflict
from compare.engine.campaign.summaries import Grade, Headline
from compare.engine.work.result import CONFLICT, REFUTED, Fault, Result, pack
from compare.show.messages import Blame, LastLine, describe, interruption, verdict, who
from compare.show.table import STYLES, Table, notes, one_line
from compare.show.wording import Listener, command, listen, say, warn
from puzzles.shell.exit_status import drop_output
from puzzles.shell.interruption import INTERRUPTED, INTERRUPTED_WORD
from puzzles.shell.output_files import try_to_write, write_file, writing
from puzzles.text import UserError, visible

WRONG = "WRONG"
"""The kind of a fault whose answer contradicts a PROVED one, or is refused by a user's checker."""


class FaultReport(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong, as a document says it.

    Attributes:
        kind: WRONG, CONFLICT, REFUTED, UNPROVED, CRASH, TIMEOUT, ...
        contenders: who is at fault, or who is in conflict.
        reason: why; may be empty.
        puzzle: its name; empty if there is none.
        part: the dataset, the claim or the point; see `ContenderTally`.
        place: where it shows, for people.
        text: all that the command prints of it, for people.
        input: an input file that shows it; None if there is none, or if it is too long to be kept.
        replay: the command that shows it again; None if there is none.
    """

    kind: str
    contenders: tuple[str, ...]
    reason: str = ""
    puzzle: str = ""
    part: str = ""
    place: str = ""
    text: str = ""
    input: str | None = None
    replay: str | None = None

    @property
    def sentence(self) -> str:
        """The fault in one line."""
        return Fault(self.kind, self.contenders, " ".join(self.reason.split())).sentence(self.place)


class ContenderTally(msgspec.Struct, frozen=True, kw_only=True):
    """How one contender fared in one part of the work. JUnit calls it a test case.

    Attributes:
        puzzle: its name; empty if there is none.
        part: the dataset, the claim or the point.
        contender: who it is about; empty if that is the part itself.
        counts: how often each thing happened: `right`, `WRONG`, `TIMEOUT`, `SKIPPED`, ...
        failed: how often the contender is at fault.
    """

    puzzle: str = ""
    part: str = ""
    contender: str = ""
    counts: dict[str, int] = {}
    failed: int = 0


class Rows(list[dict[str, Any]]):
    """The rows of a table for programs; `table` is the table that people see."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.for_programs())
        self.table = table


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What a command came to. Each field stands in its document of JSON.

    Attributes:
        command: the words that repeat the command.
        verdict: the headline: ALL AGREE, FAILED, CONFLICT, UNPROVED, UNFINISHED, NOTHING COMPARED,
            ACCEPTED or REGRESSION.
        last_line: the verdict as the command's last line says it.
        exit_status: of the command; see docs/exit-status.md.
        faults: what is wrong; of a run the first hundred conflicts and the first hundred failures.
        tallies: how each contender fared in each part of the work.
        tables: by title, the rows of the tables that the command prints; numbers in SI units.
        warnings: what else the user should know.
        results: every run; of `fuzz`, of the boards that it found. JSON has them with `--results`
            only.
    """

    command: str = ""
    verdict: str
    last_line: str
    exit_status: int
    faults: Sequence[FaultReport] = ()
    tallies: Sequence[ContenderTally] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = {}
    warnings: Sequence[str] = ()
    results: Sequence[Result] = ()

    @classmethod
    def of(
        cls,
        comparison: Comparison,
        exit_status: int,
        tables: Iterable[Table],
        replay: Callable[[Result], str | None],
        results: Sequence[Result] = (),
        done: str = "",
    ) -> Conclusion:
        """What a comparison came to.

        Args:
            replay: the command that shows again what a result shows.
            done: how far an interrupted command came; see `interruption`.
        """
        conflicts = (_of_conflict(each, replay) for each in comparison.conflicts)
        failures = (
            _of_fault(each.fault, each.result, replay)
            for each in (*comparison.failures, *comparison.unproved)
        )
        interrupted = interruption(done) if exit_status == INTERRUPTED else None
        last_line = verdict(comparison, interrupted)
        return cls(
            verdict=last_line.headline,
            last_line=str(last_line),
            exit_status=exit_status,
            faults=(*conflicts, *failures),
            tallies=tuple(_tallies(comparison)),
            tables={each.title: Rows(each) for each in tables},
            results=results,
        )

    def __repr__(self) -> str:
        """The last line, and what is printed of the faults, as a failing test shows it."""
        faults = (each.text.strip("\n") or each.sentence for each in self.faults)
        return "\n".join([f"<Conclusion: {self.last_line}>", *faults])

    def to_json(self, *, results: bool = False) -> str:
        """The document. `results`: with every run."""
        document = self if results else replace(self, results=())
        return json.dumps(msgspec.to_builtins(document, enc_hook=pack), indent=1)

    def to_records(self) -> list[dict[str, Any]]:
        """Every run as a flat row for a data frame; claims are a list."""
        return [
            _flat(msgspec.to_builtins(each, enc_hook=lambda claims: claims.tolist()))
            for each in self.results
        ]

    def to_junit(self) -> str:
        """The tallies as JUnit XML: a test suite for each puzzle, a test case for each tally."""
        suites: dict[str, list[ContenderTally]] = {}
        for each in self.tallies:
            suites.setdefault(each.puzzle, []).append(each)
        root = ElementTree.Element("testsuites", name="twofold")
        for puzzle, tallies in suites.items():
            cases = [self._test_case(each) for each in tallies]
            ended = Counter(child.tag for case in cases for child in case)
            suite = ElementTree.SubElement(
                root,
                "testsuite",
                name=_for_xml(puzzle or "twofold"),
                tests=str(len(cases)),
                failures=str(ended["failure"]),
                errors="0",
                skipped=str(ended["skipped"]),
            )
            suite.extend(cases)
        ElementTree.indent(root, " ")
        return f"<?xml version='1.0' encoding='utf-8'?>\n{ElementTree.tostring(root, 'unicode')}\n"

    def _test_case(self, tally: ContenderTally) -> ElementTree.Element:
        """A test case, with a failure for all faults of its contender in this part.

        Where nobody is at fault, what was not answered is a failure under `--strict`. Else it is
        skipped, if nothing was answered.
        """
        case = ElementTree.Element(
            "testcase",
            classname=_for_xml(".".join(filter(None, (tally.puzzle, tally.part)))),
            name=_for_xml(tally.contender or tally.part),
        )
        faults = [
            each
            for each in self.faults
            if (each.puzzle, each.part) == (tally.puzzle, tally.part)
            and (not tally.contender or tally.contender in each.contenders)
        ]
        counts = ", ".join(f"{count} {what}" for what, count in tally.counts.items())
        not_answered = {each.upper() for each in tally.counts} & _NO_ANSWER
        if tally.failed:
            first = faults[0] if faults else None
            failure = ElementTree.SubElement(
                case,
                "failure",
                type=first.kind if first else self.verdict,
                message=_for_xml(first.sentence if first else counts),
            )
            failure.text = _for_xml("\n\n".join([f"{counts}", *map(_failure_text, faults)]))
        elif self.exit_status == _STRICT_STATUS and not_answered - {Grade.SPARED}:
            ElementTree.SubElement(case, "failure", type=self.verdict, message=_for_xml(counts))
        elif tally.counts and len(not_answered) == len(tally.counts):
            ElementTree.SubElement(case, "skipped", message=_for_xml(counts))
        elif counts:
            ElementTree.SubElement(case, "system-out").text = _for_xml(counts)
        return case

    def _repr_html_(self) -> str:
        """The verdict, the tables, and the faults with their instances drawn, for a notebook."""
        shown = [each.table.for_people() for each in self.tables.values() if isinstance(each, Rows)]
        return "\n".join(
            [
                f"<p><strong>{escape(visible(self.last_line))}</strong></p>",
                *(_html_table(title, rows) for title, rows in self.tables.items()),
                *(f"<p>{escape(each)}</p>" for each in notes("\n".join(shown))),
                *map(_html_fault, self.faults),
            ]
        )


def blames(faults: Iterable[FaultReport]) -> list[Blame]:
    """Whom the last line blames for these faults, and for how many of each kind."""
    kinds: dict[tuple[Headline, tuple[str, ...]], Counter[str]] = {}
    for each in faults:
        headline = _HEADLINES.get(each.kind, Headline.FAILED)
        kinds.setdefault((headline, tuple(each.contenders)), Counter())[each.kind] += 1
    blamed: list[Blame] = []
    for (headline, names), counts in kinds.items():
        how = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        blamed.append(Blame(headline, names, how=how if headline is Headline.FAILED else ""))
    return blamed


_HEADLINES = {str(each): each for each in (Headline.CONFLICT, Headline.UNPROVED)}
"""Of the kinds of faults that have a headline of their own."""


def _of_fault(fault: Fault, result: Result, replay: Callable[[Result], str | None]) -> FaultReport:
    """A fault that one result shows."""
    return FaultReport(
        kind=fault.kind,
        contenders=fault.names,
        reason=visible(fault.detail),
        puzzle=result.puzzle,
        part=result.dataset,
        place=str(result),
        text=fault.sentence(str(result)),
        input=result.text,
        replay=replay(result),
    )


def _of_conflict(conflict: Conflict, replay: Callable[[Result], str | None]) -> FaultReport:
    """A conflict: who is wrong by the proved answer of another, or else all who contradict."""
    first = conflict.results[0]
    names = dict.fromkeys(each.contender for pair in conflict.pairs for each in pair)
    losers = dict.fromkeys(each.contender for each in conflict.refuted)
    proved = dict.fromkeys(who(each) for each in conflict.results if each.is_proved)
    reason = f"by the proved answer of {' and '.join(proved)}" if losers else ""
    fault = Fault(WRONG if losers else CONFLICT, tuple(losers or names), reason)
    if beaten := conflict.beaten:
        reasons = dict.fromkeys(each.check.detail for each in beaten if each.check is not None)
        fault = Fault(REFUTED, tuple(losers), "; ".join(reasons))
    text = describe(conflict, whole=True)
    return replace(_of_fault(fault, first, replay), text=text)


def _tallies(comparison: Comparison) -> Iterator[ContenderTally]:
    """A tally for each dataset and contender."""
    for puzzle, part in comparison.puzzles.items():
        for dataset, instances in part.by_dataset().items():
            for contender in part.contenders:
                counts, failed = Counter[str](), 0
                disputed = any(
                    each == puzzle and contender in names for each, *names in comparison.disputes
                )
                for each in instances:
                    summary = each.of(contender)
                    if summary is not None:
                        counts[str(summary.grade)] += 1
                        blamed = summary.trouble in (Headline.FAILED, Headline.UNPROVED)
                        failed += blamed or (disputed and each.is_disputed)
                if counts:
                    yield ContenderTally(
                        puzzle=puzzle,
                        part=dataset,
                        contender=contender,
                        counts=dict(counts),
                        failed=failed,
                    )


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, with those of what was measured and checked beside the others."""
    rows: dict[str, Any] = {}
    for name, value in fields.items():
        if name in ("usage", "effort", "check") and value is not None:
            rows |= {f"{name}_{inner}": each for inner, each in value.items()}
        else:
            rows[name] = value
    return rows


NOT_SETTLED = "not settled"
"""What is counted where there is no verdict."""

_NO_ANSWER = {
    NOT_SETTLED.upper(),
    "STOPPED",
    *map(str, (Grade.SKIPPED, Grade.SPARED, Grade.UNKNOWN, Grade.TIMEOUT, Grade.MEMORY)),
}
"""What JUnit calls skipped where nobody is at fault."""

_STRICT_STATUS = 3
"""The exit status where something was not answered and `--strict` asks for all."""

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _for_xml(text: str) -> str:
    """The text, with an escape sequence for each control character and for each character that XML
    cannot hold.
    """
    return _NOT_IN_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", visible(text))


def _failure_text(fault: FaultReport) -> str:
    """All that is known of a fault: what is printed of it, its input and its replay line."""
    parts = [fault.text.strip("\n") or fault.sentence]
    if fault.input is not None:
        parts.append(f"input:\n{fault.input}")
    if fault.replay is not None and fault.replay not in fault.text:
        parts.append(f"replay: {fault.replay}")
    return "\n".join(parts)


def _html_table(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A table in HTML, as people see it; where it is rows alone, each value with its name."""

    def text(value: Any) -> str:
        known = value.items() if isinstance(value, Mapping) else [("", value)]
        return ", ".join(f"{name} {one}".strip() for name, one in known if one is not None)

    def html(tag: str, texts: Iterable[str]) -> str:
        cells = (escape(visible(each)).replace("\n", "<br>") for each in texts)
        return f"<tr>{''.join(f'<{tag}>{each}</{tag}>' for each in cells)}</tr>"

    if isinstance(rows, Rows):
        head = list(map(one_line, rows.table.headings))
        body = [[cell.text for cell in row] for row in rows.table.rows]
    else:
        head = list(dict.fromkeys(name for row in rows for name in row))
        body = [[text(row.get(name)) for name in head] for row in rows]
    lines = [html("th", head), *(html("td", row) for row in body)]
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"


def _html_fault(fault: FaultReport) -> str:
    """A fault in HTML: its text, its replay line, and its instances drawn."""
    pictures: list[str] = []
    if fault.input is not None and fault.puzzle:
        try:
            puzzle = puzzles.get(fault.puzzle)
            pictures = [puzzle.picture(each) for each in puzzle.parse(fault.input, "<fault>")]
        except UserError:
            pictures = []  # it is shown as text
    replay = f"<pre>replay: {escape(fault.replay)}</pre>" if fault.replay else ""
    text = fault.text or fault.sentence
    return f"{''.join(pictures)}<pre>{escape(visible(text))}</pre>{replay}"


Work = Callable[[argparse.Namespace], Conclusion]
"""What a command does with its options."""


def printing(work: Work) -> Callable[[argparse.Namespace], int]:
    """The `main` of a command that comes to a conclusion: for people it ends with the last line.

    With `--format json` what it says on the way is left out, and the document is printed.
    """

    def main(options: argparse.Namespace) -> int:
        if options.results and options.format != "json":
            raise UserError("--results needs --format json")
        junit = options.junit and Path(options.junit)
        if junit:
            with writing(junit):
                try_to_write(junit)
        conclusion = (_of_json if options.format == "json" else _to_its_end)(work, options)
        if conclusion.exit_status == INTERRUPTED:
            warn(INTERRUPTED_WORD)
        if options.format in STYLES:
            say(conclusion.last_line)
        if junit:
            write_file(junit, conclusion.to_junit())
        return conclusion.exit_status

    return main


def _of_json(work: Work, options: argparse.Namespace) -> Conclusion:
    """Do the work and print its document, also if it is interrupted."""
    listener = Listener()
    try:
        with listen(listener):
            conclusion = _to_its_end(work, options)
    finally:
        warn(*listener.warnings)
    conclusion = replace(conclusion, warnings=[*conclusion.warnings, *listener.warnings])
    try:
        print(conclusion.to_json(results=options.results), flush=True)
    except BrokenPipeError:  # whoever reads it is gone, and the exit status still says it
        drop_output()
    return conclusion


def _to_its_end(work: Work, options: argparse.Namespace) -> Conclusion:
    """What the work came to, also if it is interrupted."""
    try:
        return conclusion_of(work, options)
    except KeyboardInterrupt:
        last_line = LastLine(Headline.UNFINISHED, [interruption()])
        return Conclusion(
            command=command(options.words, {}),
            verdict=str(last_line.headline),
            last_line=str(last_line),
            exit_status=INTERRUPTED,
        )


def conclusion_of(work: Work, options: argparse.Namespace) -> Conclusion:
    """What the work came to, with the words of its command."""
    conclusion = work(options)
    words = command(options.words, {})
    return replace(conclusion, command=words, verdict=str(conclusion.verdict))
