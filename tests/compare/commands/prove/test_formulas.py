"""Formulas against brute force: models are counterexamples, and vacuity checks find boards on which
the claim fails.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pysat.solvers import Solver

from compare.commands.prove.lemma import (
    Counterexample,
    FormulaLemma,
    shapes_of_cells,
)
from tests.compare.commands.prove.brute_force import (
    TRUE,
    Brute,
    agrees,
    chains,
    clues,
    ids,
    kept,
    lemma,
    permanences,
)


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (1, 3), (2, 2)])
@pytest.mark.parametrize(
    ("name", "every", "holds"),
    [
        ("nogo-permanence", permanences, kept),
        ("nogo-distinct", chains, lambda found: True),
        ("nogo-liberties", chains, lambda found: True),
        ("minesweeper-sound", clues, agrees),
    ],
)
def test_a_formula_has_a_model_just_where_some_board_is_a_counterexample(
    name: str, every: Brute, holds: Callable[[Counterexample], bool], shape: tuple[int, int]
) -> None:
    claim = lemma(name)
    failing = [found for found in every(*shape) if claim.failure_on(found)]
    assert (claim.build(*shape, False).model() is not None) == any(map(holds, failing))
    if name != "nogo-distinct":
        assert not any(map(holds, failing))
    if every is not chains:  # without the hypothesis the point may be anywhere
        assert (claim.build(*shape, True).model() is not None) == bool(failing)


@pytest.mark.parametrize("claim", [*TRUE, lemma("nogo-distinct")], ids=ids)
def test_every_model_of_a_vacuity_check_is_a_board_on_which_the_claim_fails(
    claim: FormulaLemma,
) -> None:
    """A hundred of them, of different starting points."""

    counterexamples, rng = claim.build(3, 3, True), np.random.default_rng(1)
    seen: set[str] = set()
    with Solver("glucose4", bootstrap_with=counterexamples.formula.clauses) as opened:
        for _ in range(100):
            signs = rng.choice((-1, 1), counterexamples.formula.variables)
            opened.set_phases(
                (signs * np.arange(1, counterexamples.formula.variables + 1)).tolist()
            )
            assert opened.solve()
            values = np.zeros(counterexamples.formula.variables + 1, np.bool_)
            model = np.array(opened.get_model())
            values[model[(model > 0) & (model <= counterexamples.formula.variables)]] = True
            counterexample = counterexamples.decode(values)
            assert claim.failure_on(counterexample)
            seen.add(f"{counterexample}")
            opened.add_clause([-int(x) for x in model[: counterexamples.formula.variables]])
    assert len(seen) > 3


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("geography-reply", 2),
        ("geography-play", 2),
        ("geography-exclusive", 2),
        ("geography-one-less", 4),
    ],
)
def test_a_geography_vacuity_check_needs_as_many_cells_as_it_must(name: str, least: int) -> None:
    """A move has no answer on two cells that are not matched; there too one wins from the cell that
    the empty matching leaves out.

    Two pairs fewer take four cells.
    """
    claim = lemma(name)
    for size in range(1, 5):
        for shape in shapes_of_cells(size):
            model = claim.build(*shape, True).model()
            assert (model is not None) is (size >= least)
            assert model is None or claim.failure_on(model)
