"""One block of the trial, inside a worker: the scripts of a board are made, put to every solver, and the replies are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic

import puzzles
from compare.isolate.outcome import Limits, Status
from compare.isolate.sandbox import call
from compare.solvers.asking import Hearing, heard, takes
from compare.solvers.samples import Sample, board_of, edge_samples, random_samples, samples_of
from compare.solvers.solver_faults import SolverFault, faults

MAKING_S = 60.0
"""Seconds that making the scripts of one board may take."""

EDGE_CASES, RANDOM_CLAUSES = "edge cases", "random clauses"
"""What stands in the place of a puzzle for a block without a board."""


@dataclass(frozen=True)
class TrialBlock:
    """Which board, and who is on trial.

    Attributes:
        puzzle, seed, number, size: see `board_of`; in the place of a puzzle also `EDGE_CASES` or `RANDOM_CLAUSES`.
        solvers: full names.
        limits: of one script.
        seconds: when that time is over, the remaining solvers are not asked any more; None for any time.
    """

    puzzle: str
    seed: int
    number: int
    size: int
    solvers: tuple[str, ...]
    limits: Limits
    seconds: float | None = None


@dataclass(frozen=True)
class SolverResult:
    """What came of one script with one solver.

    Attributes:
        seconds: of all calls and added clauses; None if the solver did not come to its end.
    """

    solver: str
    faults: tuple[SolverFault, ...]
    seconds: float | None


@dataclass(frozen=True)
class TriedScript:
    """One script, and what each solver made of it.

    Attributes:
        sample: the script; None unless something is wrong with a solver on it.
        label: its puzzle and encoding.
        known: for each call whether there is a model, or None.
    """

    label: str
    known: tuple[bool | None, ...]
    results: tuple[SolverResult, ...]
    sample: Sample | None


@dataclass(frozen=True)
class BlockResult:
    """What came of a block; `broken`: why its scripts could not be made, else empty."""

    tried: list[TriedScript] = field(default_factory=list)
    broken: str = ""


def try_block(block: TrialBlock) -> BlockResult:
    """Make the scripts of a block and put them to every solver."""
    started = monotonic()
    outcome = call(_samples, block, limits=Limits(MAKING_S))
    if not outcome.ok:
        reason = f"{block.puzzle}, number {block.number}: {outcome.detail}"
        return BlockResult(broken="" if outcome.status is Status.TIMEOUT else reason)
    samples: list[Sample] = outcome.value
    results: list[list[SolverResult]] = [[] for _ in samples]
    for solver in block.solvers:
        if block.seconds is not None and monotonic() - started > block.seconds:
            break
        asked = [k for k, sample in enumerate(samples) if takes(solver, sample.script)]
        hearings = heard(solver, [samples[k].script for k in asked], block.limits)
        for k, hearing in zip(asked, hearings, strict=True):
            if hearing.status is not Status.SKIPPED:
                results[k].append(_result(solver, samples[k], hearing))
    return BlockResult([_tried(sample, each) for sample, each in zip(samples, results, strict=True)])


def _tried(sample: Sample, results: Sequence[SolverResult]) -> TriedScript:
    wrong = any(each.faults for each in results)
    return TriedScript(sample.origin.label, sample.known, tuple(results), sample if wrong else None)


def _result(solver: str, sample: Sample, hearing: Hearing) -> SolverResult:
    wrong = tuple(faults(sample.script, sample.known, hearing))
    return SolverResult(solver, wrong, None if hearing.conversation is None else hearing.conversation.seconds)


def _samples(block: TrialBlock) -> list[Sample]:
    if block.puzzle in (EDGE_CASES, RANDOM_CLAUSES):
        rng = Random(f"{block.puzzle} {block.seed} {block.number}")
        return edge_samples(rng) if block.puzzle == EDGE_CASES else random_samples(rng)
    board = board_of(puzzles.get(block.puzzle), block.seed, block.number, block.size)
    return samples_of(board, Random(f"scripts {board.digest} {block.seed}"))
