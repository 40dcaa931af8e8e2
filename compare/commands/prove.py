"""`compare prove`: the claims that the direct algorithms rest on, proved for all boards up to a size, or refuted."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NoReturn

from tabulate import tabulate
from tqdm import tqdm

import puzzles
from compare.commands.arguments import at_least_one, positive
from compare.isolate.outcome import Limits
from compare.prove.claims import Row, settled
from compare.show.cells import seconds
from compare.work.solvers import abilities
from models import lemmas
from models.cnf import DEFAULT_SOLVER, solver_name, solvers
from models.external import PLACE
from models.lemmas.lemma import Claim, Count, Lemma, Swept
from models.lemmas.settle import OWN, Prover, Verdict, checker_named
from puzzles.text import UnknownName, UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="*", help="a claim, or a puzzle for all of its claims (default: all)")
    parser.add_argument(
        "--size",
        type=at_least_one,
        metavar="N",
        help="settle the named claims on all boards that fit into N x N, or of up to N cells where boards are looked through "
        "or models counted",
    )
    parser.add_argument("--proof", metavar="DIR", help="write each formula as DIMACS, and its proof beside it as DRAT")
    parser.add_argument("--solver", default=DEFAULT_SOLVER, metavar="S", help=f"what searches (default: {DEFAULT_SOLVER})")
    parser.add_argument(
        "--checker",
        metavar="C",
        help="what checks the proofs: 'rup' (ours), drat-trim, dpr-trim, or a command such as 'check {cnf} {proof}' that prints "
        "'s VERIFIED' (default: drat-trim or dpr-trim where it is on PATH, else ours)",
    )
    parser.add_argument("--timeout", type=positive, default=600.0, metavar="S", help="seconds a claim (default: 600)")
    parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="how to print what was found")
    parser.add_argument("--strict", action="store_true", help="exit status 3 where something was not settled")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only what is not as expected, and the verdict")


def main(options: argparse.Namespace) -> int:
    """Settle the claims one after another; 1 where one is not settled as it should be."""
    claims = _named(options.name)
    if options.size is not None and not options.name:
        raise UserError("--size goes with the names of claims")
    small = [f"{claim.name} starts at size {claim.least}" for claim in claims if (options.size or claim.size) < claim.least]
    if small:
        raise UserError("; ".join(small))
    checker, check = checker_named(options.checker)
    prover = Prover(_searcher(options.solver), check, _folder(options.proof))
    rows: list[Row] = []
    bar: tqdm[NoReturn]
    try:
        with tqdm(total=len(claims), unit="claim", disable=True if options.quiet else None, leave=False) as bar:
            for claim in claims:
                bar.set_description(claim.name)
                rows.append(settled(claim, options.size or claim.size, replace(prover), Limits(options.timeout)))
                bar.update()
    except (KeyboardInterrupt, UserError) as stopped:
        what = "INTERRUPTED" if isinstance(stopped, KeyboardInterrupt) else "STOPPED"
        _report(rows, checker, options, f"{what} after {len(rows)} of {len(claims)} claim{'s' * (len(claims) > 1)}")
        raise
    unsettled = any(row.finding is None for row in rows)
    _report(rows, checker, options)
    return 1 if not all(row.expected for row in rows) else 3 if unsettled and options.strict else 0


def _named(names: Sequence[str]) -> list[Claim]:
    """The claims of these names and puzzles, each once, in their own order."""
    known = lemmas.every()
    wanted = {claim.name for name in names for claim in (lemmas.of(name) if name in puzzles.names() else [lemmas.get(name)])}
    return [claim for claim in known if not names or claim.name in wanted]


def _searcher(name: str) -> str:
    """The full name of a solver that keeps proofs."""
    able = [each for each in solvers() if abilities(each).proofs]
    try:
        full = name if PLACE in name else solver_name(name)
    except UnknownName:
        raise UnknownName("solver", name, able) from None
    if full not in able:
        raise UserError(f"{name} keeps no proofs; those that do: {', '.join(able)}")
    return full


def _folder(given: str | None) -> Path | None:
    """The folder, made where there is none, and tried out; raises `UserError` where nothing can be written there."""
    if given is None:
        return None
    folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder, prefix="twofold-") as probe:
            probe.write(b"c\n")
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{given}: not a folder") from None
    except OSError as error:
        raise UserError(f"{given}: no file can be written there: {error.strerror or error}") from None
    return folder


def _report(rows: Sequence[Row], checker: str, options: argparse.Namespace, stopped: str = "") -> None:
    """Print what came of the claims; `stopped` says what kept the others from being reached."""
    if options.format == "json":
        for row in rows:
            print(json.dumps(_fields(row, checker), ensure_ascii=False))
        return
    shown = [row for row in rows if not options.quiet or not row.expected]
    if shown:
        style = "github" if options.format == "markdown" else "simple"
        widths = None if options.format == "markdown" else [None, 36, None, 10]
        aligned = ("left", "left", "left", "left", "left", "right", "right", "right", "left")
        made = [_cells(row, checker, markdown=options.format == "markdown") for row in shown]
        print(tabulate(made, headers="keys", tablefmt=style, disable_numparse=True, colalign=aligned, maxcolwidths=widths))
        print()
    for row in shown if options.format == "table" else []:
        print("".join(f"{line}\n" for line in _story(row, alone=len(rows) == 1)), end="")
    count = {verdict: sum(row.finding is not None and row.finding.verdict is verdict for row in rows) for verdict in Verdict}
    unsettled = sum(row.finding is None for row in rows)
    parts = [f"{number} {verdict}" for verdict, number in count.items() if number] + [f"{unsettled} not settled"] * bool(unsettled)
    wrong = [row.claim.name for row in rows if not row.expected]
    if wrong:
        headline = f"NOT AS EXPECTED: {', '.join(wrong)}"
    elif unsettled == len(rows):
        headline = "" if stopped else "NOTHING SETTLED"
    else:
        headline = "AS EXPECTED, as far as settled" if unsettled else "" if stopped else "AS EXPECTED"
    computing = seconds(sum(row.outcome.usage.cpu_s or 0 for row in rows))
    print("; ".join(part for part in (stopped, headline, ", ".join(parts), f"{computing} of computing.") if part))


def _cells(row: Row, checker: str, *, markdown: bool) -> dict[str, str]:
    found = row.finding
    cells = {"claim": row.claim.name, "what it says": row.claim.statement}
    if found is None:
        cells |= {"verdict": str(row.outcome.status), "up to, or where not": "", "by": "", "clauses": "", "steps": ""}
    else:
        board = " ".join(found.counterexample.rows if found.counterexample else ())
        shown = "`` {} ``".format(board.replace("|", "\\|")) if markdown else board
        cells |= {
            "verdict": str(found.verdict),
            "up to, or where not": shown if board else found.extent,
            "by": found.way if found.tried is None else f"{found.way} of {found.tried:,} boards",
            "clauses": "" if found.clauses is None else f"{found.clauses:,}",
            "steps": "" if found.steps is None else f"{found.steps:,}",
        }
    return cells | {"seconds": f"{row.outcome.usage.cpu_s or 0:.1f}", "checked by": _checked_by(row, checker)}


def _checked_by(row: Row, checker: str) -> str:
    """Who checked the proofs, or what the verdict was compared with."""
    found, by = row.finding, []
    if found is not None and found.steps:
        by.append("our RUP check" if checker == OWN else checker)
    if isinstance(row.claim, Count) and found is not None:
        by.append("the published table")
    if row.replay is not None:
        by.append("replay")
    return ", ".join(by)


def _story(row: Row, *, alone: bool) -> list[str]:
    """What a table has no room for: the board of a refuted claim, and what is wrong; of a claim alone also its twin."""
    claim, found = row.claim, row.finding
    lines: list[str] = []
    if alone:
        lines += [f"{claim.name}: {claim.statement}", f"{claim.source}: {claim.quote}"]
    if found is None:
        return [*lines, f"{claim.name}: {row.outcome.status} {row.outcome.detail}".rstrip(), ""]
    if found.size < row.asked:
        lines += [f"{claim.name} was settled up to {claim.extent(found.size)}, and not {row.asked}: {claim.ends}", ""]
    if found.verdict is Verdict.NO_COUNTEREXAMPLE:
        lines += [f"{claim.name}: {found.reason}", ""]
    elif found.reason:
        lines += [f"{claim.name} is UNPROVED: {found.reason}", ""]
    if found.counterexample is not None:
        fits = f" that fits into {claim.extent(found.size)}" * isinstance(claim, Lemma)
        size = f"{found.extent}, and no smaller board{fits}"
        lines += [f"{claim.name} is REFUTED ({size}): {claim.statement}", *_board(found.counterexample.rows), found.failure]
        lines += [row.replay.said if row.replay else "", ""]
    if alone and isinstance(claim, Lemma) and found.twin is not None:
        lines += [f"without the hypothesis that {claim.drops}:", *_board(found.twin.rows), found.twin_failure, ""]
    return lines


def _board(rows: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in rows]


def _fields(row: Row, checker: str) -> dict[str, Any]:
    """The row as JSON; boards as lists of their rows."""
    claim, found = row.claim, row.finding
    kind = {Lemma: "lemma", Swept: "sweep", Count: "count"}[type(claim)]
    fields: dict[str, Any] = {
        "claim": claim.name,
        "puzzle": claim.puzzle,
        "kind": kind,
        "statement": claim.statement,
        "source": claim.source,
        "quote": claim.quote,
        "verdict": str(found.verdict if found else row.outcome.status),
        "expected": row.expected,
        "seconds": round(row.outcome.usage.cpu_s or 0, 3),
    }
    if found is None:
        return fields | {"reason": row.outcome.detail}
    fields |= {"size": found.size} | ({"asked": row.asked, "ends": claim.ends} if found.size < row.asked else {})
    fields |= {"extent": found.extent, "by": found.way, "checked_by": _checked_by(row, checker)}
    fields |= {name: value for name in ("clauses", "steps", "tried") if (value := getattr(found, name)) is not None}
    if found.counterexample is not None:
        fields |= {"board": list(found.counterexample.rows), "failure": found.failure}
        fields |= {"replay": row.replay.said if row.replay else ""}
    if found.twin is not None and isinstance(claim, Lemma):
        fields |= {"drops": claim.drops, "twin": list(found.twin.rows), "twin_failure": found.twin_failure}
    return fields | ({"reason": found.reason} if found.reason else {})
