"""Which modules are mutated, and which streams the mutants of each of them meet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import puzzles
from tests.mutants.board_stream import BoardStream
from tests.mutants.planting import SOLVERS
from tests.mutants.stream import CaseStream, Stream
from tests.places import ROOT

JOBS = {
    "two_sat": "tests.direct.formulas",
    "written": "tests.models.written",
    "programs": "tests.models.programs",
    "kinds": "tests.models.solver_kinds",
    "kernels": "tests.direct.kernel_uses",
    "commands": "tests.models.command_lines",
    "many": "tests.mutants.many_at_once",
    "smallest_cores": "tests.mutants.smallest_cores",
}
"""By job that needs no fuzzing of boards, the module that has its cases."""

_MAX_CASES = {"kinds": 100, "programs": 64, "kernels": 40, "commands": 64, "many": 100}
"""Of cases that start programs, compile or write files, a smaller number does."""

_KINDS = ("ipasir", "opening", "sat_solver", "solver_class")
"""Modules of `models.solvers` that make all kinds of solvers look alike."""

OF_JOBS: dict[str, tuple[str, ...]] = {
    "models.dimacs": ("written",),
    "models.proofs.refutation": ("written",),
    "models.beams.by_cnf": ("written", "many"),
    "models.geography.by_cnf": ("written", "many"),
    "models.nogo.move_by_move": ("written", "many"),
    "models.stacked": ("many",),
    "models.minesweeper.by_cnf": ("written", "many"),
    "models.minesweeper.by_cnf_totalizer": ("written",),
    "models.nogo.by_cnf": ("many",),
    "models.nogo.by_cnf_ranked": ("written", "many"),
    "models.cnf": ("written",),
    "models.beams.geometry": ("written",),
    "models.geography.graph": ("written",),
    "models.minesweeper.clues": ("written",),
    "models.nogo.legality": ("written",),
    "models.nogo.by_cnf_onecall": ("written",),
    "models.solvers.external": ("programs", "commands"),
    "models.solvers.solver_output": ("programs",),
    "models.solvers.solver_names": ("programs", "kinds"),
    **dict.fromkeys((f"models.solvers.{name}" for name in _KINDS), ("kinds",)),
    "models.python_file": ("kinds",),
    "models.backend_encoding": ("commands",),
    "models.session": ("programs", "kinds"),
    "models.command": ("commands",),
    "direct.kernel": ("kernels",),
    "direct.beams.by_two_sat": ("many",),
    "direct.minesweeper.by_frontier": ("many",),
    "direct.minesweeper.closure": ("many",),
    "direct.minesweeper.components": ("many",),
    "direct.minesweeper.join_tree": ("many",),
    "direct.minesweeper.certificate": ("smallest_cores",),
    "direct.minesweeper.cores": ("smallest_cores",),
    "models.minesweeper.smallest_core": ("smallest_cores",),
    "direct.two_sat": ("two_sat",),
}
"""By module, the jobs that it belongs to."""

_CHECKS = ("clause_database", "drat", "rup", "checkers")
"""Modules that read and check proofs; no backend uses them."""

_DECIDE_NOTHING = ("thresholds", "stopwatch")
"""Modules that decide which algorithm runs, or measure the time; no answer is wrong because of
them.
"""


def modules() -> list[str]:
    """The modules that are mutated: all of `direct` and `models` that can be wrong.

    Lemmas and checks of proofs are left out.
    """
    paths = [path for side in SOLVERS for path in sorted((ROOT / side).rglob("*.py"))]
    names = [
        _name(path)
        for path in paths
        if not any(part.startswith("lemma") for part in path.parts[-2:])
        and path.stem not in ("__main__", *_CHECKS, *_DECIDE_NOTHING)
    ]
    return [name for name in names if name not in SOLVERS]


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def streams(
    chosen: Sequence[str], seed: int, count: int, glance: int | None = None
) -> dict[str, list[Stream]]:
    """By module the streams that its mutants meet: those of its puzzle, or of each puzzle, after
    those of its jobs.
    """
    of_puzzle = {
        name: BoardStream(name, chosen, seed, count, glance)
        for name in puzzles.names()
        if _met(name, chosen)
    }
    of_job = {
        name: CaseStream(examiner, chosen, seed, min(count, _MAX_CASES.get(name, count)), glance)
        for name, examiner in JOBS.items()
        if any(name in OF_JOBS.get(module, ()) for module in chosen)
    }
    return {
        module: [
            *(of_job[name] for name in OF_JOBS.get(module, ())),
            *(stream for name, stream in of_puzzle.items() if _met(name, [module])),
        ]
        for module in chosen
    }


def _met(puzzle: str, chosen: Sequence[str]) -> bool:
    """Whether one of the modules is of this puzzle, or of none."""
    return any(
        puzzle in module.split(".") or not set(module.split(".")) & set(puzzles.names())
        for module in chosen
    )
