"""Four realistic defects in each of the examples: fuzzing with a fixed seed catches each and
shrinks it to the true minimum.

The minimum is that of an exhaustive search which shares nothing with the shrinking.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import puzzles
from compare.commands.fuzz.batch import Batch
from compare.commands.fuzz.shrinking import shrink
from compare.commands.fuzz.trial import try_boards
from compare.engine.isolate.outcome import Limits
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES, backends, of_backend
from compare.engine.work.result import same_claims
from puzzles.answer import Verdict
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.space.grid_space import tiny_grids
from puzzles.text import InputError
from tests.places import ROOT
from tests.pools import in_pool

MAX_TRIED, AT_ONCE = 256, 32
"""Instances within which each defect is caught, and how many of them are tried at once."""


class Defect(NamedTuple):
    """A defect in an example.

    Attributes:
        right, wrong: a part of the file that stands in it once, and what it becomes.
        backend: the one that it breaks.
        kind: of the fault that is shrunk.
        minimum: the text of the smallest instance.
    """

    example: str
    name: str
    right: str
    wrong: str
    backend: str
    kind: str
    minimum: str


DEFECTS = [
    Defect(
        "lights",
        "no right neighbour",
        ", (r, c + 1))",
        ")",
        "direct:elimination",
        "REFUTED",
        "1 2\n*.\n",
    ),
    Defect(
        "lights",
        "the light is forgotten",
        "bit_count() % 2 ^ light)",
        "bit_count() % 2)",
        "direct:elimination",
        "REFUTED",
        "1 1\n*\n",
    ),
    Defect(
        "lights",
        "equations in the core are lost",
        ", used ^ other[2]",
        ", used",
        "direct:elimination",
        "UNPROVED",
        "1 2\n*.\n",
    ),
    Defect(
        "lights",
        "diagonal neighbours",
        "abs(row - r) + abs(column - c) <= 1",
        "np.maximum(abs(row - r), abs(column - c)) <= 1",
        "models:cnf",
        "CONFLICT",
        "2 2\n.*\n..\n",
    ),
    Defect(
        "cover",
        "no augmenting paths",
        "if v not in mate or augment(mate[v], reached):",
        "if v not in mate:",
        "direct:matching",
        "REFUTED",
        "2 2 3\n1 1\n1 2\n2 1\n",
    ),
    Defect(
        "cover",
        "Koenig's theorem the wrong way round",
        "sorted({*mate.values()} - {mate[v] for v in reached})",
        "sorted({mate[v] for v in reached})",
        "direct:matching",
        "REFUTED",
        "1 1 1\n1 1\n",
    ),
    Defect(
        "cover",
        "reached vertices are never forgotten",
        "if not augment(u, set())",
        "if not augment(u, reached)",
        "direct:matching",
        "REFUTED",
        "1 2 2\n1 1\n1 2\n",
    ),
    Defect(
        "cover",
        "the last vertex costs nothing",
        "CardEnc.atmost(vertices, size)",
        "CardEnc.atmost(vertices[:-1], size)",
        "models:cnf",
        "REFUTED",
        "1 1 1\n1 1\n",
    ),
    Defect(
        "knapsack",
        "an item of just the capacity",
        "if weight <= capacity",
        "if weight < capacity",
        "direct:by-weight",
        "CONFLICT",
        "1 1\n1 1\n",
    ),
    Defect(
        "knapsack",
        "room for one more",
        "room -= case.items[i][0]",
        "room -= 1",
        "direct:by-weight",
        "REFUTED",
        "2 2\n1 1\n2 2\n",
    ),
    Defect(
        "knapsack",
        "the capacity is bounded too low",
        "min(case.capacity, sum(weight for weight, _ in case.items))",
        "min(case.capacity, max((weight for weight, _ in case.items), default=0))",
        "direct:by-weight",
        "CONFLICT",
        "2 2\n1 1\n1 1\n",
    ),
    Defect(
        "knapsack",
        "the heaviest is the best",
        "[value for _, value in case.items]",
        "[weight for weight, _ in case.items]",
        "models:cpsat",
        "REFUTED",
        "1 1\n1 0\n",
    ),
    Defect(
        "tardiness",
        "an incumbent is sold as the optimum",
        "CaseSolution.feasible(late, (job + 1 for job in order))",
        "CaseSolution.optimal(late, (job + 1 for job in order))",
        "direct:due-first",
        "REFUTED",
        "2\n1 1\n2 0\n",
    ),
    Defect(
        "tardiness",
        "a bound is too strong",
        "CaseSolution.feasible(late, (job + 1 for job in order))",
        "CaseSolution.feasible(late, (job + 1 for job in order), end)",
        "direct:due-first",
        "REFUTED",
        "1\n1 1\n",
    ),
    Defect(
        "tardiness",
        "the optimum is one too large",
        "CaseSolution.optimal(late[everything], reversed(order))",
        "CaseSolution.optimal(late[everything] + 1, reversed(order))",
        "direct:subsets",
        "REFUTED",
        "1\n1 0\n",
    ),
    Defect(
        "tardiness",
        "the witness is another order",
        "CaseSolution.optimal(late[everything], reversed(order))",
        "CaseSolution.optimal(late[everything], order)",
        "direct:subsets",
        "REFUTED",
        "2\n1 0\n1 2\n",
    ),
    Defect(
        "tardiness",
        "the wrong direction",
        "model.minimize(",
        "model.maximize(",
        "models:cpsat",
        "REFUTED",
        "1\n1 1\n",
    ),
    Defect(
        "tardiness",
        "jobs that are early make up for others",
        "late[done ^ 1 << job] + max(0, end[done] - due)",
        "late[done ^ 1 << job] + end[done] - due",
        "direct:subsets",
        "REFUTED",
        "1\n1 2\n",
    ),
]


def loaded(folder: Path, defect: Defect) -> Puzzle[Any, Any]:
    """The puzzle of the example with its defect."""
    text = (ROOT / "examples" / f"{defect.example}.py").read_text()
    assert text.count(defect.right) == 1
    path = folder / f"{defect.example}.py"
    path.write_text(text.replace(defect.right, defect.wrong))
    return puzzles.find(str(path))


def smaller_grids(minimum: Board) -> Iterator[Instance]:
    """Every board of fewer cells."""
    for grid in tiny_grids(minimum.alphabet, minimum.cells):
        yield type(minimum)(grid)


def smaller_cases(puzzle: Puzzle[Any, Any], minimum: str) -> Iterator[Instance]:
    """Every case whose text is shorter, or as long and earlier in the alphabet, of numbers up to
    the largest one in this text.
    """
    header, rows = len(minimum.split("\n")[0].split()), minimum.count("\n")
    numbers = [str(number) for number in range(max(map(int, minimum.split())) + 1)]
    for first in product(numbers, repeat=header):
        following = int(first[-1])
        for words in product(numbers, repeat=2 * following) if following < rows else ():
            lines = [first, *(words[start : start + 2] for start in range(0, len(words), 2))]
            text = "".join(f"{' '.join(line)}\n" for line in lines)
            if (len(text), text) < (len(minimum), minimum):
                with suppress(InputError):
                    yield puzzle.of_text(text)


def fails(defect: Defect, instance: Instance) -> bool:
    """Whether the broken backend fails in the way of the defect on an instance.

    It is called in this process.
    """
    puzzle, (side, _, name) = puzzles.get(defect.example), defect.backend.partition(":")
    answer = SIDES[side].get(puzzle.name, name).solve(instance, certify=True)
    if defect.kind == "CONFLICT":
        others = (backend for backend in backends(puzzle.name) if backend.label != defect.backend)
        return not same_claims(answer.claims, next(others).solve(instance).claims)
    return puzzle.check(instance, answer).verdict is Verdict(defect.kind)


FAST = {
    "the light is forgotten",
    "equations in the core are lost",
    "Koenig's theorem the wrong way round",
    "room for one more",
    "an incumbent is sold as the optimum",
}
"""Defects that the fast suite tries: one of each example, and one that spoils a certificate
alone.
"""


@pytest.mark.parametrize(
    "defect",
    [
        pytest.param(
            each,
            id=f"{each.example}: {each.name}",
            marks=() if each.name in FAST else pytest.mark.slow,
        )
        for each in DEFECTS
    ],
)
def test_a_defect_is_caught_and_shrunk_to_the_true_minimum(defect: Defect, tmp_path: Path) -> None:
    puzzle = loaded(tmp_path, defect)
    smallest = shrunk_by_fuzzing(puzzle, defect)
    assert smallest.text() == defect.minimum
    assert fails(defect, smallest)
    smaller = list(
        smaller_grids(smallest)
        if isinstance(smallest, Board)
        else smaller_cases(puzzle, defect.minimum)
    )
    assert smaller or smallest.size == 1
    assert [each.text() for each in smaller if fails(defect, each)] == []


def shrunk_by_fuzzing(puzzle: Puzzle[Any, Any], defect: Defect) -> Instance:
    """The first instance that shows the defect, shrunk."""
    contenders = tuple(of_backend(each, {}) for each in backends(puzzle.name))
    batch = Batch(
        puzzle=puzzle.name,
        contenders=contenders,
        seed=1,
        count=MAX_TRIED,
        size=8,
        limits=Limits(10.0),
    )
    stream = boards(puzzle, batch.seed, 0, batch.count, batch.size)
    parts = (stream[start : start + AT_ONCE] for start in range(0, len(stream), AT_ONCE))
    failing = (each for part in parts for each in in_pool(try_boards, batch, part))
    kind, label = defect.kind, defect.backend
    board, fault = next(
        (each.board, fault)
        for each in failing
        for fault in each.faults
        if fault.kind == kind and label in fault.names
    )
    return in_pool(shrink, batch, board, fault).smallest.board
