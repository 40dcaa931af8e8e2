"""What fuzzing noticed once it notices again: a share of the mutants that are recorded as killed,
another share at each commit. Without a mutant it notices nothing.
"""

from __future__ import annotations

import subprocess
from random import Random
from time import monotonic

import pytest

import puzzles
from tests.mutants.board_stream import BoardStream
from tests.mutants.fates import State, fate, plain_kernels
from tests.mutants.known import EARLY, EQUAL, killed
from tests.mutants.mutations import mutants
from tests.mutants.planting import SOLVERS
from tests.mutants.streams import OF_JOBS, modules, streams
from tests.places import ROOT

SECONDS = 20.0
"""For how long the mutants of a module are tried."""

LEAST = 2
"""Mutants of a module that are tried at least, within the time or not."""

BOARDS = 5 * EARLY
"""The boards that a mutant meets."""

GLANCE = 32
"""On this many boards it is found out which contenders use a module."""

MODULES = 3
"""The modules whose mutants are tried at one commit."""

NOTHING_TO_CHANGE = {
    *(f"{side}.{name}" for side in SOLVERS for name in puzzles.names()),
    "models.proofs",
    "models.solvers",
}
"""Modules that have no mutant, or none that anything executes."""

MEASURE_AGAIN = (
    "`python -m tests.mutants MODULE --most 24 --boards 500 --record` measures a module again and "
    "writes killed.json; equal.json is kept by hand"
)
"""What to do when the lists are stale."""

UNLISTED = {
    *NOTHING_TO_CHANGE,
    "models.backend_encoding",
    "models.maxsat",
    "models.proofs.least_cost",
    "models.solvers.solver_output",
}
"""Modules of which no killed mutant is on the list: no stream calls `backend_encoding`; `maxsat`
and `least_cost` serve none of these puzzles, and their own tests compare them with brute force; the
stream of `solver_output`, which starts a program for each case, takes too long to be measured.
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "")
    plain_kernels()


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", puzzles.names())
def test_without_a_mutant_nothing_is_noticed(puzzle: str) -> None:
    """Else a mutant might be noticed by a fault that is not its own."""
    assert BoardStream(puzzle, [], 1, BOARDS, GLANCE).unchanged() is None


@pytest.mark.slow
@pytest.mark.parametrize("number", range(MODULES))
def test_a_share_of_the_killed_mutants_is_killed_again(number: int) -> None:
    git = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    rng = Random(commit)
    module = rng.sample([module for module in modules() if killed(module)], MODULES)[number]
    listed = [mutant for mutant in mutants(module) if mutant.key in set(killed(module))]
    rng.shuffle(listed)
    met = streams([module], 1, BOARDS, GLANCE)[module]
    tried, alive = 0, list[str]()
    end = monotonic() + SECONDS
    for mutant in listed:
        if tried >= LEAST and monotonic() > end:
            break
        tried += 1
        if fate(mutant, met).state is not State.KILLED:
            alive.append(f"{mutant.module}:{mutant.line} - {mutant.old} + {mutant.new}")
    assert tried >= min(len(listed), LEAST)
    assert not alive, (
        f"fuzzing noticed these mutants when tests/mutants/killed.json was written, and now it "
        f"does not: {MEASURE_AGAIN}"
    )


def test_the_lists_name_modules_that_exist() -> None:
    """A new backend, and a new puzzle, take part once they are measured."""
    gone = (EQUAL.keys() | OF_JOBS.keys()) - set(modules())
    assert not gone, "take these modules out of equal.json and of OF_JOBS"
    listed = {module for module in modules() if killed(module)}
    new = {module for module in modules() if module not in listed and _is_new(module, listed)}
    assert set(modules()) - listed - new == UNLISTED, MEASURE_AGAIN
    if new:
        pytest.skip(f"not measured yet: {', '.join(sorted(new))}; {MEASURE_AGAIN}")


def _is_new(module: str, listed: set[str]) -> bool:
    """Whether a module is a backend, or of a puzzle of which nothing is measured yet."""
    _, *parts = module.split(".")
    named = {part for each in listed for part in each.split(".")}
    of_puzzle = parts[0] in puzzles.names() and parts[0] not in named
    return of_puzzle or parts[-1].startswith("by_")


@pytest.mark.slow
def test_what_is_called_killed_or_equal_is_a_mutant_and_not_both() -> None:
    for module in modules():
        keys = {mutant.key for mutant in mutants(module)}
        dead, equal = set(killed(module)), EQUAL.get(module, {}).keys()
        assert dead | equal <= keys, f"{module} has other mutants now: {MEASURE_AGAIN}"
        assert not dead & equal, f"{module}: a mutant that was killed is not equal"
