"""Names of solvers, and commands in their place."""

from __future__ import annotations

import pytest

from models.solvers.solver_names import solver_name
from puzzles.text import UnknownName, UserError


def test_names_of_solvers() -> None:
    assert solver_name("g4") == "glucose4"
    assert solver_name("Cadical153") == "cadical153"
    with pytest.raises(UnknownName, match="choose from"):
        solver_name("cryptominisat")


def test_commands_that_are_none() -> None:
    for command, words in (
        ("nosuch-solver {cnf}", "no executable 'nosuch-solver'"),
        ("'{cnf}", "cannot be read"),
        ("cat {cnf", "cat"),
    ):
        with pytest.raises(UserError, match=words):
            solver_name(command)
