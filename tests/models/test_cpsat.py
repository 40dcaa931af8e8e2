"""CP-SAT models: verdicts, values, sizes, and cores of groups."""

from __future__ import annotations

import signal

import pytest

import models
import puzzles
from models.cpsat import CpSatModel
from tests.installed import needs
from tests.models import claims_of
from tests.processes import run_python

needs("ortools")


INTERRUPTED = """
import os, signal
from concurrent.futures import ThreadPoolExecutor
from models.cpsat import CpSatModel

def solve():
    model = CpSatModel()
    model.cp.add(sum(model.variables(3, "v")) == 1)
    model.solver.parameters.log_search_progress, model.solver.parameters.log_to_stdout = True, False
    model.solver.log_callback = lambda line: os.kill(os.getpid(), signal.SIGINT)
    model.solve()

signal.signal(signal.SIGINT, signal.SIG_DFL)
with ThreadPoolExecutor(1) as worker:
    worker.submit(solve).result()
"""
"""CP-SAT as `python -m models` runs it, and Ctrl-C within its search."""


def test_ctrl_c_within_a_search_in_another_thread_ends_the_process() -> None:
    ended = run_python("-c", INTERRUPTED)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("grouped", [False, True])
def test_a_core_names_the_groups_that_contradict_each_other(grouped: bool) -> None:
    """x in group 3, not x in group 5, and y in group 7, which takes no part."""
    model = CpSatModel(grouped=grouped)
    x, y = model.variables(2, "v")
    for group, literal in ((3, x), (5, ~x), (7, y)):
        model.add_to_group(group, model.cp.add_bool_and([literal]))
    assert not model.solve()
    if grouped:
        assert model.core_groups() == (3, 5)
    assert model.size == ((5, 3) if grouped else (2, 3))


def test_an_objective_is_solved_to_the_optimum() -> None:
    model = CpSatModel()
    variables = model.variables(3, "v")
    model.cp.add_at_most_one(variables[:2])
    model.cp.maximize(sum(variables))
    assert model.solve()
    assert sum(model.value(variable) for variable in variables) == 2


def test_a_backend_gives_the_same_answer_on_several_workers() -> None:
    with_cpsat = [name for name in puzzles.names() if "cpsat" in models.backends(name)]
    assert with_cpsat
    for puzzle in map(puzzles.get, with_cpsat):
        board = next(iter(puzzle.families.values())).board(4, 1)
        one, three = (models.solve(board, "cpsat", workers=workers) for workers in (1, 3))
        assert claims_of(one) == claims_of(three), puzzle.name


def test_an_answer_says_the_steps_of_all_calls() -> None:
    board = puzzles.get("nogo").of_text("3\n...\n.X.\n...\n")
    answer = models.solve(board, "cpsat")
    effort = answer.effort
    assert len(claims_of(answer)) > 1
    assert effort.conflicts is not None
    assert (effort.decisions or 0) + (effort.propagations or 0) > 0
    assert None not in (effort.decisions, effort.propagations)
