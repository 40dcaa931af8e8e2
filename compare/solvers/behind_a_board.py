"""The script behind a board: which of the questions that a backend asks about it a SAT solver answers wrongly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import puzzles
from compare.isolate.outcome import Limits
from compare.isolate.sandbox import call
from compare.solvers.asking import heard_alone, takes
from compare.solvers.findings import SolverFinding, as_saved, save, stem_of
from compare.solvers.reducing import shrink
from compare.solvers.reference import statuses
from compare.solvers.samples import Origin, Sample, scripts_of
from compare.solvers.solver_faults import faults
from compare.solvers.trial_block import MAKING_S
from compare.work.pool.executors import Lost, local
from puzzles.instance import Instance

SHRINK_S = 30.0
"""Seconds that shrinking the script may take."""

_SEEDS = 4
"""How often the backend is asked: what it asks for a certificate is other questions, and of many calls a few are chosen."""


def finding_behind(
    board: Instance,
    backend: str,
    solver: str,
    limits: Limits,
    folder: Path,
    noticed: Callable[[SolverFinding], object],
) -> SolverFinding | None:
    """The smallest script on which the solver shows a fault, saved; None if it shows none on what the backend asks about the board.

    Args:
        backend: the name of the backend among the models of the board's puzzle.
        limits: of one script.
        noticed: is called with the finding before it is shrunk.

    Raises:
        KeyboardInterrupt: after `noticed` was called with the smallest script so far.
    """
    with local(1, user_files=tuple(puzzles.user_files().values())) as worker:
        try:
            finding = worker.submit(_find, board, backend, solver, limits, folder).result()
        except Lost:
            return None
        if finding is None:
            return None
        noticed(finding)
        try:
            return worker.submit(shrink, finding, limits, SHRINK_S).result()
        except Lost:
            return as_saved(finding)
        except KeyboardInterrupt:
            noticed(as_saved(finding))
            raise


def _find(board: Instance, backend: str, solver: str, limits: Limits, folder: Path) -> SolverFinding | None:
    """The first script that shows a fault, saved."""
    outcome = call(_samples, board, backend, limits=Limits(MAKING_S))
    for sample in outcome.value if outcome.ok else ():
        if takes(solver, sample.script):
            wrong = faults(sample.script, sample.known, heard_alone(solver, sample.script, limits))
            if wrong:
                stem = stem_of(folder, solver, wrong[0], sample.script)
                finding = SolverFinding(solver, wrong[0], sample, sample.script, stem)
                save(finding)
                return finding
    return None


def _samples(board: Instance, backend: str) -> list[Sample]:
    """The different scripts of the backend for this board."""
    samples: dict[object, Sample] = {}
    for seed in range(_SEEDS):
        for encoding, script, _ in scripts_of(board, Random(seed), backend):
            if script not in samples:
                samples[script] = Sample(script, Origin(board.puzzle, board.text(), encoding), statuses(script))
    return list(samples.values())
