"""A claim settled: proved with a proof that somebody else than its finder has checked, or refuted by a smallest board."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from models.cnf import DEFAULT_SOLVER, Formula, session
from models.dimacs import Encoding, text
from models.lemmas import rup
from models.lemmas.diagram import models_of
from models.lemmas.lemma import Claim, Count, Counterexample, Lemma, Shape, Swept, Symbolic, fitting, shapes
from models.proof import refutation
from puzzles.text import UserError

OWN = "rup"
"""The name of our own checker."""

OUTSIDE = {"drat-trim": "drat-trim {cnf} {proof}", "dpr-trim": "dpr-trim {cnf} {proof}"}
"""Checkers that are used where they are on PATH, in this order."""


class Verdict(StrEnum):
    """PROVED up to a size; REFUTED by a board; UNPROVED where a proof, a twin or a board is not what it should be.

    Of a claim that is known to fail, the boards up to too small a size say NO COUNTEREXAMPLE.
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    NO_COUNTEREXAMPLE = "NO COUNTEREXAMPLE"
    UNPROVED = "UNPROVED"


@dataclass(frozen=True)
class Finding:
    """What came of a claim.

    Attributes:
        extent: the boards that the verdict speaks of: the largest of those that are proved, or the smallest that refutes.
        way: `search`, `script`, `sweep` or `count`.
        clauses, steps: of the formulas and their proofs, all together; None where there are none.
        tried: boards looked through one by one.
        counterexample, failure: the smallest board, and how the claim fails on it.
        twin, twin_failure: a board on which the claim fails once its hypothesis is dropped, and how.
        reason: what is wrong where it is UNPROVED, what is known where there is NO COUNTEREXAMPLE.
    """

    name: str
    verdict: Verdict
    size: int
    extent: str = ""
    way: str = ""
    clauses: int | None = None
    steps: int | None = None
    tried: int | None = None
    counterexample: Counterexample | None = None
    failure: str = ""
    twin: Counterexample | None = None
    twin_failure: str = ""
    reason: str = ""


class Unproved(Exception):
    """Why a claim is left unproved."""


Checker = Callable[[Formula, str, Iterable[str]], None]
"""(formula, what it asks, lines of a DRAT proof); raises `Unproved` where the proof is refused."""


def checker_named(name: str | None) -> tuple[str, Checker]:
    """A checker by its name: `rup`, one of `OUTSIDE`, or a command with {cnf} and {proof} in it that prints `s VERIFIED`.

    Without a name: an outside one that is on PATH, else our own.

    Returns:
        What it is called: a command without its folder and the files that it is given; and the checker.

    Raises:
        UserError: there is no such program, or the command cannot be read.
    """
    if name is None:
        name = next((known for known in OUTSIDE if shutil.which(known)), OWN)
    if name == OWN:
        return OWN, _own
    command = OUTSIDE.get(name, name)
    if "{cnf}" not in command or "{proof}" not in command:
        raise UserError(f"a checker is {OWN}, {', '.join(OUTSIDE)}, or a command with {{cnf}} and {{proof}} in it, not {name!r}")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"the checker {name!r} is no command: {error}") from None
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the checker {name!r}")
    called = [Path(words[0]).name, *(word for word in words[1:] if "{cnf}" not in word and "{proof}" not in word)]
    return " ".join(called), partial(_outside, words)


def _own(formula: Formula, asks: str, proof: Iterable[str]) -> None:
    del asks
    try:
        rup.check(formula, rup.steps(proof))
    except rup.WrongStep as wrong:
        raise Unproved(str(wrong)) from wrong


def _outside(words: list[str], formula: Formula, asks: str, proof: Iterable[str]) -> None:
    try:
        with TemporaryDirectory(prefix="twofold-") as folder:
            cnf, drat = Path(folder) / "formula.cnf", Path(folder) / "proof.drat"
            _write(cnf, [text(Encoding(formula, asks, []))])
            _write(drat, (f"{line}\n" for line in proof))
            command = [word.replace("{cnf}", str(cnf)).replace("{proof}", str(drat)) for word in words]
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise UserError(f"the checker {words[0]} cannot be run: {error.strerror or error}") from None
    said = ended.stdout.decode("utf-8", "replace").splitlines()
    if "s VERIFIED" not in map(str.strip, said):
        last = next((line.strip() for line in reversed(said) if line.strip()), f"exit status {ended.returncode}")
        raise Unproved(f"{words[0]} does not verify the proof: {last[:200]}")


def _write(place: Path, parts: Iterable[str]) -> None:
    """Write a file; raises `UserError` where it cannot be written, be it that the disk is full."""
    try:
        with place.open("w") as stream:
            stream.writelines(parts)
    except OSError as error:
        raise UserError(f"{place}: {error.strerror or error}") from None


@dataclass
class Prover:
    """What finds proofs, what checks them, where they are written, and the sum of what was done.

    Attributes:
        solver: one of python-sat's that keeps proofs.
        check: see `checker_named`.
        folder: where each formula goes, and its proof beside it; None: nowhere.
    """

    solver: str = DEFAULT_SOLVER
    check: Checker = _own
    folder: Path | None = None
    clauses: int = 0
    steps: int = 0

    def refuted(self, lemma: Lemma, shape: Shape, stated: Symbolic, *, script: bool = False) -> bool:
        """Whether the formula is unsatisfiable, by a proof that was checked: the lemma's script, or one that the solver finds.

        Raises:
            Unproved: the checker refuses the proof.
            UserError: the formula or the proof cannot be written, or the checker not be run.
        """
        formula, asks = (
            stated.formula,
            f"satisfiable if and only if this fails on some {shape[0]}x{shape[1]} board: {lemma.statement}",
        )
        self.clauses += len(formula.clauses)
        lines = _lines(stated.script()) if script and stated.script else refutation(formula, self.solver)
        place = None if self.folder is None else self.folder / f"{lemma.name}-{shape[0]}x{shape[1]}.cnf"
        if place is not None:
            _write(place, [text(Encoding(formula, asks, list(stated.names)))])
        if lines is None:
            return False
        counted = self._counted(lines)
        try:
            if place is None:
                self.check(formula, asks, counted)
                return True
            _write(place.with_suffix(".drat"), (f"{line}\n" for line in counted))
            with place.with_suffix(".drat").open() as stream:
                self.check(formula, asks, (line.rstrip() for line in stream))
        except Unproved as why:
            if isinstance(why.__cause__, rup.WrongStep) and why.__cause__.clause and not script:
                raise Unproved(f"{why}; {rup.MAYBE_RAT}") from None
            raise
        return True

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self.steps += not line.startswith("d")
            yield line


def _lines(script: Iterable[Sequence[int]]) -> Iterator[str]:
    return (" ".join(map(str, [*clause, 0])) for clause in script)


def settle(claim: Claim, size: int, prover: Prover) -> Finding:
    """Prove or refute a claim up to a size.

    Raises:
        Unsupported: a package that it takes is missing.
        UserError: a file cannot be written, or the checker not be run.
    """
    finding = Finding(claim.name, Verdict.UNPROVED, size)
    try:
        if isinstance(claim, Lemma):
            return _lemma(claim, finding, prover)
        if isinstance(claim, Swept):
            return _sweep(claim, finding)
        if isinstance(claim, Count):
            return _count(claim, finding, prover.folder)
    except Unproved as why:
        return replace(finding, reason=str(why), clauses=prover.clauses, steps=prover.steps)
    raise TypeError(f"{claim.name} is of no kind that can be settled")


def _lemma(lemma: Lemma, finding: Finding, prover: Prover) -> Finding:
    shape = finding.size, finding.size
    twin = lemma.state(*shape, True)
    board = model_of(twin, prover.solver)
    if board is None:
        raise Unproved(
            f"the formula says nothing of {shape[0]}x{shape[1]} boards: no model even without the hypothesis that {lemma.drops}"
        )
    twin_failure = lemma.fails(board)
    if not twin_failure:
        raise Unproved(
            f"without the hypothesis that {lemma.drops} the formula has a board on which the claim does not fail:\n{board}"
        )
    finding = replace(finding, twin=board, twin_failure=twin_failure, way="search")
    if lemma.holds:
        stated = lemma.state(*shape, False)
        scripted = stated.script is not None
        try:
            if prover.refuted(lemma, shape, stated, script=scripted):
                finding = replace(finding, verdict=Verdict.PROVED, extent=lemma.extent(finding.size))
                return replace(finding, way="script" if scripted else "search", clauses=prover.clauses, steps=prover.steps)
        except Unproved:
            small = _smallest(lemma, finding, min(finding.size, _LOOKED_AT), prover) if scripted else None
            if small is None:
                raise
            return small
    small = _smallest(lemma, finding, finding.size, prover)
    if small is not None:
        return small
    return replace(_none_found(lemma, finding), clauses=prover.clauses, steps=prover.steps)


_LOOKED_AT = 3
"""The size up to which search looks for a counterexample to a lemma whose script is refused."""


def _none_found(claim: Claim, finding: Finding) -> Finding:
    """The finding where no board up to its size is a counterexample."""
    extent = claim.extent(finding.size)
    if claim.holds:
        return replace(finding, verdict=Verdict.PROVED, extent=extent)
    known = "" if finding.size >= claim.size else f"; REFUTED at {claim.extent(claim.size)}"
    reason = f"no counterexample up to {extent}{known}"
    return replace(finding, verdict=Verdict.NO_COUNTEREXAMPLE, extent=extent, reason=reason)


def _smallest(lemma: Lemma, finding: Finding, size: int, prover: Prover) -> Finding | None:
    """The claim refuted by a board of the fewest cells that fits into size x size, all smaller ones excluded; None: by none."""
    for shape in fitting(size):
        stated = lemma.state(*shape, False)
        if not prover.refuted(lemma, shape, stated):
            finding = replace(finding, clauses=prover.clauses, steps=prover.steps)
            return _refuted(finding, model_of(stated, prover.solver), lemma.fails)
    return None


def model_of(stated: Symbolic, solver: str = DEFAULT_SOLVER) -> Counterexample | None:
    """The counterexample of some model; None where there is none."""
    with session(stated.formula, solver) as opened:
        return stated.decode(opened.model()) if opened.solve() else None


def _refuted(finding: Finding, found: Counterexample | None, fails: Callable[[Counterexample], str]) -> Finding:
    """A claim refuted by a board on which it fails.

    Raises:
        Unproved: it does not fail there.
    """
    failure = "" if found is None else fails(found)
    if found is None or not failure:
        raise Unproved(f"the claim does not fail on the board that was found:\n{found}")
    extent = f"{len(found.rows)}x{len(found.rows[0])}"
    return replace(finding, verdict=Verdict.REFUTED, extent=extent, counterexample=found, failure=failure)


def _sweep(claim: Swept, finding: Finding) -> Finding:
    finding = replace(finding, way="sweep", tried=0)
    for cells in range(1, finding.size + 1):
        for shape in shapes(cells):
            swept = claim.sweep(*shape)
            finding = replace(finding, tried=(finding.tried or 0) + swept.tried)
            if swept.found is not None:
                return _refuted(finding, swept.found, claim.fails)
    return _none_found(claim, finding)


def _count(claim: Count, finding: Finding, folder: Path | None) -> Finding:
    finding = replace(finding, way="count", clauses=0)
    largest = 0
    for (rows, columns), published in sorted(claim.published.items(), key=lambda item: prod(item[0])):
        if rows * columns > finding.size:
            break
        formula = claim.state(rows, columns)
        if folder is not None:
            cnf = folder / f"{claim.name}-{rows}x{columns}.cnf"
            _write(cnf, [text(Encoding(formula, f"satisfied by {published} assignments", []))])
        counted = models_of(formula)
        if counted != published:
            raise Unproved(f"{rows}x{columns}: {counted} models, and {published} published")
        finding = replace(finding, clauses=(finding.clauses or 0) + len(formula.clauses), extent=f"{rows}x{columns}")
        largest = max(largest, rows * columns)
    if not largest:
        raise Unproved(f"no number is published of so few cells as {finding.size}")
    return replace(finding, verdict=Verdict.PROVED)
