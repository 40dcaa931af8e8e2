"""`compare prove`: proves the claims that the direct algorithms rest on for all boards up to a
size, or refutes them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NoReturn

from tqdm import tqdm

import puzzles
from compare.commands.arguments import (
    CHECKER,
    DOCUMENT,
    FORMAT,
    OUTPUT,
    QUIET,
    SIZE,
    SOLVER,
    STRICT,
    TIMEOUT,
)
from compare.commands.prove.claims import Row, settle
from compare.commands.prove.lemma import (
    Lemma,
    LemmaVerdict,
    Prover,
    all_lemmas,
    lemma_named,
    lemmas_of,
)
from compare.engine.campaign.summaries import Headline
from compare.engine.isolate.outcome import Limits
from compare.engine.work.abilities import abilities
from compare.show.conclusion import NOT_SETTLED, Conclusion, ContenderTally, FaultReport, printing
from compare.show.messages import Blame, LastLine, interruption
from compare.show.table import CODE, STYLES, Column, Table, for_terminal, seconds
from compare.show.wording import INDENT, command, progress_bar, say, write
from models.proofs.refutation import OWN_CHECKER, checker_named, proof_solver
from models.solvers.external import is_command
from models.solvers.solver_names import DEFAULT_SOLVER, runs_foreign_code, solvers
from puzzles.shell.argument_parser import Argument, ArgumentParser
from puzzles.shell.interruption import INTERRUPTED
from puzzles.text import UserError, count_noun


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "name",
            "a claim, or a puzzle for all of its claims (default: all)",
            metavar="NAME",
            nargs="*",
        ),
        replace(
            SIZE,
            help="settle the named claims on all boards that fit into N x N, or of up to N cells "
            "where boards are looked through or models counted",
        ),
        Argument(
            "--proof",
            "write each formula as DIMACS, and its proof beside it as DRAT",
            metavar="DIR",
            group=OUTPUT,
        ),
        replace(
            CHECKER,
            help="what checks the proofs: 'rup' (built-in), drat-trim, dpr-trim, or a command such "
            "as 'check {cnf} {proof}' that prints 's VERIFIED' (default: drat-trim or dpr-trim "
            "where it is on PATH, else 'rup')",
        ),
        replace(TIMEOUT, help="seconds a claim (default: %(default)g)", default=600.0),
        replace(STRICT, help="exit status 3 where something was not settled"),
        replace(QUIET, help="print only what is not as expected, and the verdict"),
        replace(
            SOLVER,
            help=f"what searches, and writes the proof (default: {DEFAULT_SOLVER}): a solver of "
            "python-sat, or a command that writes a DRAT proof as text: 'cadical -q --no-binary "
            "{cnf} {proof}'",
        ),
        replace(FORMAT, help="how to print what was found", choices=(*STYLES, "json")),
        *DOCUMENT,
    )


def conclude(options: argparse.Namespace) -> Conclusion:
    """Settle the claims one after another, and say what came of it. Exit status 1 if a verdict is
    not the expected one.
    """
    wanted = {
        lemma.name
        for name in options.name
        for lemma in (lemmas_of(name) if name in puzzles.names() else [lemma_named(name)])
    }
    claims = [lemma for lemma in all_lemmas() if not wanted or lemma.name in wanted]
    if options.size is not None and not options.name:
        raise UserError("--size goes with the names of claims")
    small = [
        f"{lemma.name} starts at size {lemma.smallest_size}"
        for lemma in claims
        if (options.size or lemma.size) < lemma.smallest_size
    ]
    if small:
        raise UserError("; ".join(small))
    checker, check = checker_named(options.checker)
    prover = Prover(_searcher(options.solver), check, _folder(options.proof))
    rows: list[Row] = []
    bar: tqdm[NoReturn]
    try:
        with progress_bar(total=len(claims), unit="claim", quiet=options.quiet) as bar:
            for lemma in claims:
                bar.set_description(lemma.name)
                size, limits = options.size or lemma.size, Limits(options.timeout)
                rows.append(settle(lemma, size, replace(prover), limits))
                bar.update()
    except (KeyboardInterrupt, UserError) as reason:
        done = f"{len(rows)} of {count_noun(len(claims), 'claim')}"
        if isinstance(reason, KeyboardInterrupt):
            return _conclude(rows, checker, options, interruption(done))
        stopped = Blame(Headline.UNFINISHED, how=f"stopped after {done}")
        say(_conclude(rows, checker, options, stopped).last_line)
        raise
    return _conclude(rows, checker, options)


def _searcher(name: str | None) -> str:
    """The full name of a solver; raises `UserError` if it writes no proofs."""
    full = proof_solver(DEFAULT_SOLVER if name is None else name)
    if runs_foreign_code(full):
        raise UserError(
            f"prove takes python-sat's solvers and commands with {{cnf}} and {{proof}}, not {name}"
        )
    if is_command(full) or abilities(full).proofs:
        return full
    able = [each for each in solvers() if abilities(each).proofs]
    raise UserError(f"{name} keeps no proofs here; those that do: {', '.join(able)}")


def _folder(name: str | None) -> Path | None:
    """The folder, created if it does not exist; raises `UserError` if no file can be written
    there.
    """
    if name is None:
        return None
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder, prefix="twofold-") as probe:
            probe.write(b"c\n")
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{name}: not a folder") from None
    except OSError as error:
        raise UserError(
            f"{name}: no file can be written there: {error.strerror or error}"
        ) from None
    return folder


def _conclude(
    rows: Sequence[Row], checker: str, options: argparse.Namespace, stopped: Blame | None = None
) -> Conclusion:
    """What came of the claims; says it. `stopped` says why the other claims were not reached."""
    shown = [row for row in rows if not options.quiet or not row.expected]
    if shown:
        table = _table(shown, checker, markdown=options.format == "markdown")
        if options.format != "json":
            write(for_terminal(table, options.format), end="\n\n")
    if options.format == "table":
        for row in shown:
            say(*_details(row, alone=len(rows) == 1))
    counts = Counter(row.result.verdict if row.result else NOT_SETTLED for row in rows)
    parts = [f"{counts[each]} {each}" for each in (*LemmaVerdict, NOT_SETTLED) if counts[each]]
    blames = [stopped] if stopped else []
    for row in rows:
        name, ended = (row.lemma.name,), str(row.outcome.status)
        if not row.expected:
            ended = row.result.verdict if row.result else ended
            blames.append(Blame(Headline.FAILED, name, how=f"{ended}, not as expected"))
        elif row.result is None:
            blames.append(Blame(Headline.UNFINISHED, name, how=ended))
    computing = seconds(sum(row.outcome.usage.cpu_s or 0 for row in rows))
    facts = [*filter(None, [", ".join(parts)]), f"{computing} of computing."]
    last_line = LastLine(Headline.ACCEPTED, blames, "" if blames else "as expected", facts)
    failed = last_line.headline is Headline.FAILED
    status = 3 if options.strict and NOT_SETTLED in counts else 0
    status = INTERRUPTED if stopped else 1 if failed else status
    replay = command(options.words, {})
    return Conclusion(
        verdict=last_line.headline,
        last_line=str(last_line),
        exit_status=status,
        faults=[_fault(row, replay) for row in rows if not row.expected],
        tallies=[
            ContenderTally(
                puzzle=row.lemma.puzzle,
                part=row.lemma.name,
                counts={str(row.result.verdict) if row.result else NOT_SETTLED: 1},
                failed=int(not row.expected),
            )
            for row in rows
        ],
        tables={"claims": [_fields(row, checker) for row in rows]},
    )


def _fault(row: Row, replay: str) -> FaultReport:
    """A claim that is not as expected."""
    result = row.result
    reason = row.outcome.detail if result is None else result.failure or result.reason
    return FaultReport(
        kind=str(row.outcome.status if result is None else result.verdict),
        contenders=(row.lemma.name,),
        reason=reason,
        puzzle=row.lemma.puzzle,
        part=row.lemma.name,
        text="\n".join(_details(row, alone=True)),
        replay=replay,
    )


main = printing(conclude)


def _table(rows: Sequence[Row], checker: str, *, markdown: bool) -> Table:
    """The table of the claims; in text a board has its rows below each other, and there is no room
    for what rests on a claim.
    """
    narrow = None if markdown else 16
    columns = [
        "claim",
        Column("what it says", width=None if markdown else 36, group=""),
        Column("verdict", group=""),
        Column(
            "holds up to, or fails on", heading=None if markdown else "holds up to,\nor fails on"
        ),
        Column("by", width=narrow),
        *(Column(name, align="right") for name in ("clauses", "steps", "seconds")),
        Column("checked by", width=narrow),
        *(["what rests on it"] if markdown else []),
    ]
    cells: list[list[str | int | None]] = []
    for row in rows:
        lemma, result = row.lemma, row.result
        found: list[str | int | None] = [str(row.outcome.status), "", "", None, None]
        if result is not None:
            where, by = result.extent, result.method
            if result.counterexample is not None:
                board = result.counterexample.rows
                where = "\n".join(board)
                if markdown:
                    where = f"{CODE}{' '.join(board)} ``"
            if result.boards_tried is not None:
                by = f"{by} of {result.boards_tried:,} boards"
            found = [str(result.verdict), where, by, result.clauses, result.steps]
        cells.append(
            [
                *(lemma.name, lemma.statement, *found, f"{row.outcome.usage.cpu_s or 0:.1f}"),
                *(_checked_by(row, checker), _dependents(lemma)),
            ][: len(columns)]
        )
    return Table.of("", columns, cells)


def _checked_by(row: Row, checker: str) -> str:
    """What checked the proofs, or what the verdict was compared with."""
    result, by = row.result, []
    if result is not None and result.steps:
        by.append("our RUP check" if checker == OWN_CHECKER else checker)
    if row.lemma.kind == "count" and result is not None:
        by.append("the published table")
    if row.replay is not None:
        by.append("replay")
    return ", ".join(by)


def _dependents(lemma: Lemma) -> str:
    return ", ".join(lemma.dependents) or "nothing"


def _details(row: Row, *, alone: bool) -> list[str]:
    """What the table has no room for: the board of a refuted claim, and what is wrong; for a single
    claim its vacuity check.
    """
    lemma, result = row.lemma, row.result
    lines: list[str] = []
    if alone:
        lines += [
            f"{lemma.name}: {lemma.statement}",
            f"source: {lemma.source}",
            f"in its words: {lemma.quote}",
            *([f"in English: {lemma.translation}"] if lemma.translation else []),
            f"what rests on it: {_dependents(lemma)}",
        ]
    if result is None:
        return [*lines, f"{lemma.name}: {row.outcome.status} {row.outcome.detail}".rstrip(), ""]
    if result.size < row.requested_size:
        lines += [
            f"{lemma.name} was settled up to {lemma.size_in_words(result.size)}, and not "
            f"{row.requested_size}: {lemma.why_largest}",
            "",
        ]
    if result.reason:
        unproved = "" if result.verdict is LemmaVerdict.NO_COUNTEREXAMPLE else " is UNPROVED"
        lines += [f"{lemma.name}{unproved}: {result.reason}", ""]
    if result.counterexample is not None:
        size = f"{result.extent}, and no smaller board"
        if lemma.kind == "lemma":
            size += f" that fits into {lemma.size_in_words(result.size)}"
        lines.append(f"{lemma.name} is REFUTED ({size}): {lemma.statement}")
        lines += [INDENT + line for line in result.counterexample.rows]
        lines += [result.failure, row.replay.summary if row.replay else "", ""]
    if alone and result.vacuity_board is not None:
        lines.append(f"without the hypothesis that {result.dropped}:")
        lines += [INDENT + line for line in result.vacuity_board.rows]
        lines += [result.vacuity_failure, ""]
    return lines


def _fields(row: Row, checker: str) -> dict[str, Any]:
    """The row as JSON, without what there is nothing to say of; boards as lists of their rows."""
    lemma, result = row.lemma, row.result
    fields: dict[str, Any] = {
        "claim": lemma.name,
        "puzzle": lemma.puzzle,
        "kind": lemma.kind,
        "statement": lemma.statement,
        "source": lemma.source,
        "quote": lemma.quote,
        "translation": lemma.translation or None,
        "rests_on_it": lemma.dependents,
        "verdict": row.outcome.status,
        "expected": row.expected,
        "seconds": round(row.outcome.usage.cpu_s or 0, 3),
        "reason": row.outcome.detail,
    }
    if result is not None:
        if result.size < row.requested_size:
            fields |= {"asked": row.requested_size, "ends": lemma.why_largest}
        fields |= {
            "verdict": result.verdict,
            "size": result.size,
            "extent": result.extent,
            "by": result.method,
            "checked_by": _checked_by(row, checker),
            "clauses": result.clauses,
            "steps": result.steps,
            "tried": result.boards_tried,
            "board": result.counterexample and result.counterexample.rows,
            "failure": result.failure or None,
            "replay": row.replay and row.replay.summary,
            "drops": result.dropped or None,
            "twin": result.vacuity_board and result.vacuity_board.rows,
            "twin_failure": result.vacuity_failure or None,
            "reason": result.reason or None,
        }
    return {name: value for name, value in fields.items() if value is not None}
