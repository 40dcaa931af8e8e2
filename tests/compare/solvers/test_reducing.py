"""Shrinking a script while the same fault persists, and saving what it comes to."""

from __future__ import annotations

from pathlib import Path
from random import Random

import puzzles
from compare.isolate.outcome import Limits
from compare.solvers.asking import heard_alone
from compare.solvers.findings import SolverFinding, as_saved, save, shrink, stem_of
from compare.solvers.reference import statuses
from compare.solvers.samples import Origin, Sample, random_script, samples_of
from compare.solvers.script import Script, call, clause, parse
from compare.solvers.solver_faults import FaultKind, SolverFault, faults
from tests.compare.solvers.gallery import wrapper

LIMITS = Limits(5.0)


def faults_of(solver: str, sample: Sample) -> list[SolverFault]:
    return faults(sample.script, sample.known, heard_alone(solver, sample.script, LIMITS))


def finding_of(solver: str, sample: Sample, folder: Path, kind: FaultKind) -> SolverFinding:
    fault = next(fault for fault in faults_of(solver, sample) if fault.kind is kind)
    return SolverFinding(solver, fault, sample, sample.script, stem_of(folder, solver, fault, sample.script))


def test_a_crash_shrinks_to_the_step_that_causes_it(tmp_path: Path) -> None:
    base = random_script(Random(7))
    script = Script(base.variables, (*base.steps[:40], clause(), *base.steps[40:]))
    sample = Sample(script, Origin("", "", "random"), statuses(script))
    finding = finding_of(wrapper("DiesOfEmptyClause"), sample, tmp_path, FaultKind.CRASH)
    smaller = shrink(finding, LIMITS, 60.0)
    assert smaller.sample.script == Script.formula(0, [[]])
    assert (smaller.came_back, smaller.cut_short) == (5, False)
    assert smaller.path.read_text().endswith("c from: random\np cnf 0 1\n0\n")


def test_a_sequence_shrinks_by_steps_literals_and_variables(tmp_path: Path) -> None:
    script = Script(
        9, (clause(5, 6), call(), clause(7, 9), clause(-7, 8), call(9), clause(-8, 9), call(-9, 5), clause(5), call(8, -9, 6))
    )
    sample = Sample(script, Origin("", "", "edge"), statuses(script))
    smaller = shrink(finding_of(wrapper("ForgetsAssumptions"), sample, tmp_path, FaultKind.WRONG_SAT), LIMITS, 60.0)
    kept = smaller.sample.script
    (unit,) = {step.literals for step in kept.steps if not step.solves}
    assert (kept.variables, len(kept.steps)) == (1, 3)
    assert [step.literals for step in kept.steps if step.solves] == [(), (-unit[0],)]
    assert not smaller.cut_short


def test_a_board_shrinks_with_its_script_and_both_are_saved(tmp_path: Path) -> None:
    board = puzzles.get("minesweeper").of_text("3 4\n1###\n####\n###1\n")
    solver = wrapper("LeavesVariables")
    sample = next(each for each in samples_of(board, Random(1)) if faults_of(solver, each))
    finding = finding_of(solver, sample, tmp_path, FaultKind.WRONG_MODEL)
    save(finding)
    assert parse(finding.path.read_bytes(), "x") == sample.script
    assert finding.board_path is not None
    smaller = shrink(finding, LIMITS, 60.0)
    assert len(smaller.sample.script.steps) <= 10
    (saved,) = puzzles.get("minesweeper").parse(finding.board_path.read_bytes())
    assert saved.size < board.size
    assert as_saved(finding).sample.script == smaller.sample.script


def test_the_time_limit_leaves_the_best_so_far(tmp_path: Path) -> None:
    script = Script.formula(2, [[1, 2], [1, -2], [-1, 2], [-1, -2], []])
    sample = Sample(script, Origin("", "", "edge"), (False,))
    finding = finding_of(wrapper("DiesOfEmptyClause"), sample, tmp_path, FaultKind.CRASH)
    smaller = shrink(finding, LIMITS, 1e-9)
    assert smaller.sample.script == script
    assert smaller.cut_short
    assert smaller.came_back == 5
