"""`compare prove`: proves the claims that the direct algorithms rest on for all boards up to a
size, or refutes them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NoReturn

from tqdm import tqdm

import puzzles
from compare.commands.arguments import at_least_one, positive
from compare.general.abilities import abilities
from compare.isolate.outcome import Limits
from compare.prove.claims import Row, settled
from compare.show.progress import progress_bar
from compare.show.table import Column, Table, for_terminal, seconds
from compare.show.wording import line_width, wrapped
from models import lemmas
from models.lemmas.lemma import Lemma, LemmaVerdict, Prover
from models.proofs.refutation import OWN, checker_named, proof_solver
from models.solvers.external import is_command
from models.solvers.solver_names import DEFAULT_SOLVER, runs_foreign_code, solvers
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="*",
        help="a claim, or a puzzle for all of its claims (default: all)",
    )
    parser.add_argument(
        "--size",
        type=at_least_one,
        metavar="N",
        help="settle the named claims on all boards that fit into N x N, or of up to N cells where "
        "boards are looked through "
        "or models counted",
    )
    parser.add_argument(
        "--proof",
        metavar="DIR",
        help="write each formula as DIMACS, and its proof beside it as DRAT",
    )
    parser.add_argument(
        "--solver",
        metavar="S",
        help=f"what searches, and writes the proof (default: {DEFAULT_SOLVER}): a solver of "
        "python-sat, or a command that writes a DRAT proof as text: 'cadical -q --no-binary {cnf} "
        "{proof}'",
    )
    parser.add_argument(
        "--checker",
        metavar="C",
        help="what checks the proofs: 'rup' (ours), drat-trim, dpr-trim, or a command such as "
        "'check "
        "{cnf} {proof}' that prints "
        "'s VERIFIED' (default: drat-trim or dpr-trim where it is on PATH, else ours)",
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=600.0,
        metavar="S",
        help="seconds a claim (default: 600)",
    )
    parser.add_argument(
        "--format",
        choices=("table", "markdown", "json"),
        default="table",
        help="how to print what was found",
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit status 3 where something was not settled"
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print only what is not as expected, and the verdict",
    )


def main(options: argparse.Namespace) -> int:
    """Settle the claims one after another. Exit status 1 if a verdict is not the expected one."""
    claims = _named(options.name)
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
                rows.append(
                    settled(
                        lemma, options.size or lemma.size, replace(prover), Limits(options.timeout)
                    )
                )
                bar.update()
    except (KeyboardInterrupt, UserError) as stopped:
        what = "INTERRUPTED" if isinstance(stopped, KeyboardInterrupt) else "STOPPED"
        _report(
            rows,
            checker,
            options,
            f"{what} after {len(rows)} of {len(claims)} claim{'s' * (len(claims) > 1)}",
        )
        raise
    unsettled = any(row.result is None for row in rows)
    _report(rows, checker, options)
    return 1 if not all(row.expected for row in rows) else 3 if unsettled and options.strict else 0


def _named(names: Sequence[str]) -> list[Lemma]:
    """The lemmas of these names and puzzles, each once, in their own order; all lemmas if there are
    no names.
    """
    known = lemmas.every()
    wanted = {
        lemma.name
        for name in names
        for lemma in (lemmas.of(name) if name in puzzles.names() else [lemmas.get(name)])
    }
    return [lemma for lemma in known if not names or lemma.name in wanted]


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


def _report(
    rows: Sequence[Row], checker: str, options: argparse.Namespace, stopped: str = ""
) -> None:
    """Print the results. `stopped` says why the other claims were not reached."""
    if options.format == "json":
        for row in rows:
            print(json.dumps(_fields(row, checker), ensure_ascii=False))
        return
    shown = [row for row in rows if not options.quiet or not row.expected]
    if shown:
        print(
            for_terminal(
                _table(shown, checker, markdown=options.format == "markdown"), options.format
            ),
            end="\n\n",
        )
    width = line_width()
    for row in shown if options.format == "table" else []:
        lines = _details(row, alone=len(rows) == 1)
        print(
            "".join(
                f"{line if line.startswith(_INDENT) else wrapped(line, width)}\n" for line in lines
            ),
            end="",
        )
    count = {
        verdict: sum(row.result is not None and row.result.verdict is verdict for row in rows)
        for verdict in LemmaVerdict
    }
    unsettled = sum(row.result is None for row in rows)
    parts = [f"{number} {verdict}" for verdict, number in count.items() if number] + [
        f"{unsettled} not settled"
    ] * bool(unsettled)
    wrong = [row.lemma.name for row in rows if not row.expected]
    if wrong:
        headline = f"NOT AS EXPECTED: {', '.join(wrong)}"
    elif unsettled == len(rows):
        headline = "" if stopped else "NOTHING SETTLED"
    else:
        headline = (
            "AS EXPECTED, as far as settled" if unsettled else "" if stopped else "AS EXPECTED"
        )
    computing = seconds(sum(row.outcome.usage.cpu_s or 0 for row in rows))
    print(
        "; ".join(
            part
            for part in (stopped, headline, ", ".join(parts), f"{computing} of computing.")
            if part
        )
    )


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
    cells = [
        [
            row.lemma.name,
            row.lemma.statement,
            str(row.result.verdict if row.result else row.outcome.status),
            _where(row, markdown=markdown),
            _method(row),
            row.result.clauses if row.result else None,
            row.result.steps if row.result else None,
            f"{row.outcome.usage.cpu_s or 0:.1f}",
            _checked_by(row, checker),
            *([_dependents(row.lemma)] if markdown else []),
        ]
        for row in rows
    ]
    return Table.of("", columns, cells)


def _where(row: Row, *, markdown: bool) -> str:
    """The largest size that was settled, or the board that refutes the claim."""
    if row.result is None or row.result.counterexample is None:
        return row.result.extent if row.result else ""
    rows = row.result.counterexample.rows
    return "`` {} ``".format(" ".join(rows).replace("|", "\\|")) if markdown else "\n".join(rows)


def _method(row: Row) -> str:
    if row.result is None:
        return ""
    tried = row.result.boards_tried
    return row.result.method if tried is None else f"{row.result.method} of {tried:,} boards"


def _checked_by(row: Row, checker: str) -> str:
    """What checked the proofs, or what the verdict was compared with."""
    result, by = row.result, []
    if result is not None and result.steps:
        by.append("our RUP check" if checker == OWN else checker)
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
        ]
        lines += [f"in English: {lemma.translation}"] * bool(lemma.translation)
        lines += [f"what rests on it: {_dependents(lemma)}"]
    if result is None:
        return [*lines, f"{lemma.name}: {row.outcome.status} {row.outcome.detail}".rstrip(), ""]
    if result.size < row.requested_size:
        lines += [
            f"{lemma.name} was settled up to {lemma.size_in_words(result.size)}, and not "
            f"{row.requested_size}: {lemma.why_largest}",
            "",
        ]
    if result.verdict is LemmaVerdict.NO_COUNTEREXAMPLE:
        lines += [f"{lemma.name}: {result.reason}", ""]
    elif result.reason:
        lines += [f"{lemma.name} is UNPROVED: {result.reason}", ""]
    if result.counterexample is not None:
        fits = f" that fits into {lemma.size_in_words(result.size)}" * (lemma.kind == "lemma")
        size = f"{result.extent}, and no smaller board{fits}"
        lines += [
            f"{lemma.name} is REFUTED ({size}): {lemma.statement}",
            *_board(result.counterexample.rows),
            result.failure,
        ]
        lines += [row.replay.summary if row.replay else "", ""]
    if alone and result.vacuity_board is not None:
        lines += [
            f"without the hypothesis that {result.dropped}:",
            *_board(result.vacuity_board.rows),
            result.vacuity_failure,
            "",
        ]
    return lines


_INDENT = "    "


def _board(rows: Sequence[str]) -> list[str]:
    return [_INDENT + line for line in rows]


def _fields(row: Row, checker: str) -> dict[str, Any]:
    """The row as JSON; boards as lists of their rows."""
    lemma, result = row.lemma, row.result
    fields: dict[str, Any] = {
        "claim": lemma.name,
        "puzzle": lemma.puzzle,
        "kind": lemma.kind,
        "statement": lemma.statement,
        "source": lemma.source,
        "quote": lemma.quote,
        "translation": lemma.translation or None,
        "rests_on_it": list(lemma.dependents),
        "verdict": str(result.verdict if result else row.outcome.status),
        "expected": row.expected,
        "seconds": round(row.outcome.usage.cpu_s or 0, 3),
    }
    if result is None:
        fields["reason"] = row.outcome.detail
        return {name: value for name, value in fields.items() if value is not None}
    beyond, board, vacuity = (
        result.size < row.requested_size,
        result.counterexample,
        result.vacuity_board,
    )
    fields |= {
        "size": result.size,
        "asked": row.requested_size if beyond else None,
        "ends": lemma.why_largest if beyond else None,
        "extent": result.extent,
        "by": result.method,
        "checked_by": _checked_by(row, checker),
        "clauses": result.clauses,
        "steps": result.steps,
        "tried": result.boards_tried,
        "board": board and list(board.rows),
        "failure": result.failure or None,
        "replay": row.replay and row.replay.summary,
        "drops": result.dropped or None,
        "twin": vacuity and list(vacuity.rows),
        "twin_failure": result.vacuity_failure or None,
        "reason": result.reason or None,
    }
    return {name: value for name, value in fields.items() if value is not None}
