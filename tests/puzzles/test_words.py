"""Answers in words: each step of a derivation follows, by brute force over what it names; each cell
of an answer has its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeVar

import numpy as np
import pytest

from direct import SIDE as DIRECT
from puzzles.answer import Answer
from puzzles.beams import PUZZLE as BEAMS
from puzzles.beams import picture as beams_words
from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import DOWN, LEFT, RIGHT, UP, need_of, source
from puzzles.derivation import MAX_STEPS, DerivationStep, Inference
from puzzles.geography import PUZZLE as GEOGRAPHY
from puzzles.geography.board import Losing
from puzzles.grid import Board, GridPuzzle
from puzzles.minesweeper import PUZZLE as MINES
from puzzles.minesweeper import explain as mines_words
from puzzles.minesweeper.board import COVERED, Deduction, Minesweeper
from puzzles.minesweeper.refuter import cells_around
from puzzles.nogo import PUZZLE as NOGO

ALONE = (
    "Clue 1 at 1,2 leaves one mine among 1,1, 2,1 and 2,2; clue 1 at 3,1 leaves one mine among 2,1 "
    "and 2,2."
)


Facts = dict[int, bool]
"""Cells and whether they are mines, or turrets and whether they shoot left and right."""

AnswerT = TypeVar("AnswerT", bound=Answer)


def solved(board: Board, kind: type[AnswerT]) -> AnswerT:
    """The certified answer of the default algorithm."""
    answer = DIRECT.solve(board, certify=True)
    assert isinstance(answer, kind)
    return answer


def assignments(variables: Sequence[int], known: Mapping[int, bool]) -> Iterator[Facts]:
    """All values of the variables that agree with the known facts."""
    free = [variable for variable in variables if variable not in known]
    assert len(free) <= 16, "too much for brute force"
    for values in product((False, True), repeat=len(free)):
        yield {**known, **dict(zip(free, values, strict=True))}


def follows(inference: Inference, solutions: Iterator[Facts]) -> bool:
    """Whether all solutions agree with what is concluded, or there is none if it is a
    contradiction.
    """
    concluded = inference.concludes.items()
    return all(
        bool(concluded) and all(solution[key] == value for key, value in concluded)
        for solution in solutions
    )


def agrees(board: Minesweeper, clue: int | None, mines: Facts) -> bool:
    """Whether these mines agree with a clue, or without one with the number of mines."""
    near = range(board.cells) if clue is None else cells_around(board, clue)
    count = sum(board.kinds[cell] == "X" or mines.get(cell, False) for cell in near)
    return count == (board.mines if clue is None else int(board.kinds[clue].replace(".", "0")))


def assert_follow(
    inferences: Sequence[Inference],
    known: Facts,
    solutions: Callable[[Inference], Iterator[Facts]],
) -> Facts:
    """Each step follows from the facts before it.

    Args:
        solutions: what agrees with the statements of a step and with what it knows.
    """
    facts = dict(known)
    for each in inferences:
        if each.supposed is None:
            assert each.known.items() <= facts.items(), "a step uses what no step before it says"
            assert follows(each, solutions(each)), each
        else:
            key, value = each.supposed
            assert_follow(each.inner, {**facts, key: value}, solutions)
            assert not each.inner[-1].concludes, "a supposition ends in a contradiction"
            assert each.concludes == {key: not value}
        facts.update(each.concludes)
    return facts


def layouts(board: Minesweeper, step: Inference) -> Iterator[Facts]:
    """The mines beside the clues of a step that agree with those."""
    clues = [one.clue for one in step.statements]
    around = [range(board.cells) if clue is None else cells_around(board, clue) for clue in clues]
    cells = sorted({cell for near in around for cell in near if board.kinds[cell] == "#"})
    for mines in assignments(cells, step.known):
        if all(agrees(board, clue, mines) for clue in clues):
            yield mines


def assert_cells_named(board: Minesweeper, steps: Sequence[DerivationStep]) -> None:
    """Each cell that a step names is one that it shows."""
    for step in steps:
        named = {
            (int(row) - 1) * board.columns + int(column) - 1
            for row, column in re.findall(r"(\d+),(\d+)", step.words)
        }
        assert named <= set(step.cells), step


@pytest.mark.parametrize(
    ("family", "size"), [("d16", 7), ("short", 8), ("rounds", 9), ("expert", 8), ("wall", 8)]
)
def test_each_step_to_a_certain_cell_follows(family: str, size: int) -> None:
    longest = 0
    for seed in range(6):
        board = MINES.family(family).board(size, seed)
        answer = solved(board, Deduction)
        if not answer.consistent:
            continue
        certain = np.flatnonzero((board.grid == COVERED) & (answer.board.grid != COVERED))
        for cell in certain[:5].tolist():
            explanation = answer.why(cell)
            sums = mines_words.sums_of(
                explanation.board, explanation.core.clues, explanation.core.counted
            )
            inferences = mines_words.derivation_of_sums(sums, (cell, explanation.mine))
            facts = assert_follow(inferences, {}, partial(layouts, explanation.board))
            assert facts[cell] == explanation.mine
            steps = explanation.steps()
            assert_cells_named(board, steps)
            longest = max(longest, len(steps))
    assert 0 < longest <= 2 * MAX_STEPS


@pytest.mark.parametrize(
    "text",
    [
        "1\n2 2\n#3\n1#\n",
        "1\n3 3 3\n1#1\n###\n1#1\n",
        "1\n1 3 4\n###\n",
        "1\n3 4\nX1#1\n12##\n1###\n",
    ],
)
def test_each_step_to_a_contradiction_follows(text: str) -> None:
    (board,) = MINES.parse(text)
    answer = solved(board, Deduction)
    assert not answer.consistent
    core = answer.certificate.cores[0]
    inferences = mines_words.derivation_of_sums(
        mines_words.sums_of(board, core.clues, core.counted), None
    )
    assert_follow(inferences, {}, partial(layouts, board))
    assert not inferences[-1].concludes
    assert list(MINES.steps(board, answer))[-1].words.endswith("That is a contradiction.")


def test_two_clues_are_said_as_people_say_them() -> None:
    (board,) = MINES.parse("1\n3 3\n#11\n##1\n111\n")
    assert [step.words for step in solved(board, Deduction).why(0).steps()] == [
        f"{ALONE} Hence 1,1 is safe."
    ]


def test_a_supposition_says_what_it_refutes() -> None:
    (board,) = MINES.parse("1\n2 4\n####\n2#21\n")
    steps = solved(board, Deduction).why(0).steps()
    assert steps[0].words == "Suppose that 1,1 is safe."
    assert steps[-1].words == "So 1,1 is a mine."
    assert {step.depth for step in steps[1:-1]} == {1}


@pytest.mark.parametrize(
    ("family", "size"), [("mirror", 8), ("wall", 12), ("loops", 8), ("cycle", 20), ("sparse", 8)]
)
def test_each_step_of_a_core_of_beams_follows(family: str, size: int) -> None:
    derived = 0
    for seed in range(12):
        board = BEAMS.family(family).board(size, seed)
        answer = solved(board, Layout)
        if answer.possible:
            continue
        inferences = beams_words.derivation_of_needs(
            [need_of(board, cell) for cell in answer.certificate]
        )
        assert_follow(inferences, {}, partial(turned, board))
        assert not inferences or not inferences[-1].concludes
        derived += bool(inferences)
    assert derived


def turned(board: Beams, step: Inference) -> Iterator[Facts]:
    """How the turrets around the cell of a step can be turned so that it has what it needs."""
    (need,) = step.statements
    entering = [
        beam
        for way in (LEFT, RIGHT, UP, DOWN)
        if (beam := source(board, need.cell, way)) is not None
    ]
    for turrets in assignments(sorted({beam.turret for beam in entering}), step.known):
        lit = any(turrets[beam.turret] == beam.flat for beam in entering)
        if lit == (chr(board.grid.flat[need.cell]) == "."):
            yield turrets


def test_the_pairs_of_geography_say_what_they_are_for() -> None:
    (board,) = GEOGRAPHY.parse("3 3\n.##\n...\n#.#\n")
    answer = solved(board, Losing)
    steps = list(GEOGRAPHY.steps(board, answer))
    losing = set(answer.cells.tolist())
    exposed, chain = (set(step.cells) for step in steps[:2])
    assert exposed == {cell for cell in losing if answer.certificate[0][cell] < 0}
    assert exposed < chain
    assert "follows the pair" in steps[0].words
    assert all(set(step.cells).isdisjoint(losing) for step in steps[2:])


@pytest.mark.parametrize(
    ("puzzle", "text", "words"),
    [
        (
            BEAMS,
            "1\n1 3\n.-.\n",
            ["open cell, lit", "turret, shooting left and right", "open cell, lit"],
        ),
        (BEAMS, "1\n1 2\n.#\n", ["open cell, core: must be lit", "wall"]),
        (MINES, "1\n1 4\n#1#.\n", ["certainly a mine", "clue 1", "certainly safe", "clue 0"]),
        (
            MINES,
            "1\n1 3\n#1#\n",
            ["undecided, a mine in 50%", "clue 1", "undecided, a mine in 50%"],
        ),
        (GEOGRAPHY, "1 2\n.#\n", ["who moves first from here loses, in no pair", "wall"]),
        (NOGO, "2\nX.\n..\n", ["black stone", "black, move 1", "white, move 2"]),
    ],
)
def test_each_cell_of_an_answer_has_its_words(
    puzzle: GridPuzzle[Any, Any], text: str, words: list[str]
) -> None:
    (board,) = puzzle.parse(text)
    answer = DIRECT.solve(board, certify=True, **puzzle.exact_options)
    assert list(puzzle.cell_words(board, answer))[: len(words)] == words
