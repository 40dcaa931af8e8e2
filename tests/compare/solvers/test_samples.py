"""The stream of scripts: from every model that asks SAT solvers, the same for the same seed, with verdicts that copies share."""

from __future__ import annotations

from random import Random

import pytest

import puzzles
from compare.isolate.outcome import Limits
from compare.solvers.reference import statuses
from compare.solvers.samples import (
    WRITTEN,
    WRITTEN_CELL,
    board_of,
    copied,
    edge_samples,
    random_samples,
    remade,
    samples_of,
)
from compare.solvers.solver_trial import RANDOM_CLAUSES, TrialBlock, try_block

BOARDS = 12

ENCODINGS = {
    "beams": {"cnf", "cnf-traced", WRITTEN},
    "geography": {"cnf", "cnf-cover", WRITTEN, WRITTEN_CELL},
    "minesweeper": {"cnf", "cnf-totalizer", WRITTEN, WRITTEN_CELL},
    "nogo": {"cnf", "cnf-ranked", "cnf-onecall", WRITTEN, WRITTEN_CELL},
}
"""What asks a SAT solver to search; nogo's `cnf-monotone` only has it propagate."""


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_of_a_puzzle_gives_scripts_and_a_seed_gives_the_same(name: str) -> None:
    puzzle = puzzles.get(name)
    boards = [board_of(puzzle, 1, index, 4) for index in range(BOARDS)]
    assert boards == [board_of(puzzle, 1, index, 4) for index in range(BOARDS)]
    assert boards != [board_of(puzzle, 2, index, 4) for index in range(BOARDS)]
    samples = [sample for board in boards for sample in samples_of(board, Random(board.digest))]
    assert samples == [sample for board in boards for sample in samples_of(board, Random(board.digest))]
    assert {sample.origin.encoding for sample in samples} == ENCODINGS[name]
    assert {verdict for sample in samples for verdict in sample.known} >= {True} | ({False} if name != "geography" else set())
    assert any(not sample.script.is_formula for sample in samples) == (name != "geography")  # its boards of 4x4 need one call


def test_copies_have_the_verdicts_of_their_origins() -> None:
    board = puzzles.get("minesweeper").of_text("2 3\n1##\n##1\n")
    samples = [*samples_of(board, Random(1)), *edge_samples(Random(1)), *random_samples(Random(1))]
    copies = [sample for sample in samples if sample.origin.copy is not None]
    assert 2 * len(copies) == len(samples)
    assert [statuses(copy.script) for copy in copies] == [copy.known for copy in copies]
    for original, copy in zip(samples, samples[len(samples) // 2 :], strict=False):
        if original.origin.copy is None and original.origin == copy.origin:
            assert copy.script == copied(original.script, copy.origin.copy or 0)


def test_lazily_added_clauses_stand_between_calls() -> None:
    board = board_of(puzzles.get("nogo"), 1, 10, 5)
    scripts = [sample.script for sample in samples_of(board, Random(1)) if sample.origin.encoding == "cnf"]
    assert any(
        not step.solves and any(before.solves for before in script.steps[:k])
        for script in scripts
        for k, step in enumerate(script.steps)
    )


def test_another_board_gives_scripts_of_the_same_form() -> None:
    puzzle = puzzles.get("minesweeper")
    board, smaller = puzzle.of_text("2 3\n1##\n##1\n"), puzzle.of_text("1 3\n1##\n")
    for sample in samples_of(board, Random(1)):
        for other in remade(sample, smaller):
            assert other.origin.board == smaller.text()
            assert (other.origin.encoding, other.origin.single, other.origin.copy) == (
                sample.origin.encoding,
                sample.origin.single,
                sample.origin.copy,
            )


def test_right_solvers_show_no_fault_on_random_clauses() -> None:
    block = TrialBlock(RANDOM_CLAUSES, 1, 0, 4, ("minisat22", "glucose4", "kissat404"), Limits(20.0))
    tried = try_block(block).tried
    assert len(tried) == 16
    assert [result.faults for script in tried for result in script.results if result.faults] == []
    assert {result.solver for script in tried for result in script.results} == set(block.solvers)
