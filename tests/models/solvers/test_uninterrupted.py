"""Where Ctrl-C ends the process, CaDiCaL does not catch it; it answers as it does elsewhere."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import numpy as np
import pytest

from models.cnf import Formula
from models.session import core_groups, session
from models.solvers.uninterrupted import UninterruptedCadical, may_go_uninterrupted
from tests.processes import run_python

CALL = """
import os, signal, time
import numpy as np
from models.cnf import Formula
from models.session import session

signal.signal(signal.SIGINT, signal.SIG_DFL)
pigeons, holes = 13, 12
formula = Formula()
there = formula.new(pigeons * holes) + np.arange(pigeons * holes).reshape(pigeons, holes)
formula.extend(there)
for one in range(pigeons):
    for other in range(one):
        formula.extend(-there[[one, other]].T)
if os.fork() == 0:
    time.sleep(0.5)
    os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)
with session(formula) as opened:
    print(opened.solve())
"""


@pytest.fixture
def ended_by_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, before)


def test_it_is_for_processes_that_ctrl_c_ends(ended_by_ctrl_c: None) -> None:
    assert may_go_uninterrupted()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert not may_go_uninterrupted()


def test_models_cores_and_verdicts(ended_by_ctrl_c: None) -> None:
    formula = Formula(grouped=True)
    one, other = formula.new(), formula.new()
    formula.extend_groups([7], np.array([[one]]))
    formula.extend_groups([8], np.array([[other]]))
    formula.extend_groups([9], np.array([[-one]]))
    with session(formula) as opened:
        assert isinstance(opened._solver, UninterruptedCadical)
        assert opened.solve([formula.selectors[7], formula.selectors[8]])
        assert opened.true_among(1, 2) == [1, 2]
        assert not opened.solve(list(formula.selectors.values()))
        assert set(opened.core()) == {formula.selectors[7], formula.selectors[9]}
        assert opened.solve()
        opened.add([])
        assert not opened.solve()
        assert opened._solver.get_model() is None
        assert opened.core() == []
    assert core_groups(formula) == (7, 9)


def test_all_clauses_are_loaded(ended_by_ctrl_c: None) -> None:
    formula = Formula()
    first = formula.new(300)
    formula.add(first)
    for variable in range(first, first + 299):
        formula.add(-variable, variable + 1)
    with session(formula) as opened:
        assert opened.solve()
        assert opened.model()[1:].all()
        assert not opened.solve([-(first + 299)])
        assert opened.core() == [-(first + 299)]


def test_ctrl_c_ends_such_a_process_in_the_midst_of_a_call() -> None:
    ended = run_python("-c", CALL)
    assert (ended.returncode, ended.stdout) == (-signal.SIGINT, "")
