"""The checks' own code, mutated: each comparison, offset, sign, small number and connective in
turn; the corpus must notice.

The corpus is small boards with the certified answers of all backends, and random damage to those.
What the checks say of it is known to be right (`test_attack.py`); here a mutant has to say
something else, crash or hang on some of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module, reload
from random import Random
from types import CodeType, ModuleType
from typing import Any, cast

import numpy as np
import pytest

import puzzles
from compare.commands.conform.attacked import damage_once
from compare.commands.conform.corpus import certified_answers
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES
from direct import SIDE as DIRECT
from models import SIDE as MODELS
from puzzles.answer import Answer, Check, Verdict
from puzzles.beams.board import Beams, Layout
from puzzles.geography.board import Geography, Losing
from puzzles.grid import grid_of
from puzzles.instance import Instance
from puzzles.minesweeper.board import Certificate, Core, Deduction, Minesweeper
from tests.mutants.mutations import Mutation, code_of, mutants
from tests.puzzles.minesweeper.boards import of, solved

LIMITS = Limits(4.0, 2**31)
INSIDE = "a point of the board never has a number below 2: a row of edge comes before it"
WAYS = "the four ways out of a cell stay the same four"
ARM = "where a beam begins is for pictures"
EQUIVALENT = {
    "puzzles.beams.check": {
        "for at, back in walk(board.grid, cell, (+step[0], -step[1])):": WAYS,
        "for at, back in walk(board.grid, cell, (-step[0], +step[1])):": WAYS,
        "return Source(at, back not in ARMS['-'], (-back[0], -back[1]))": "every variable says the "
        "opposite, and nothing else changes",
        "return Source(at, back in ARMS['-'], (+back[0], -back[1]))": ARM,
        "return Source(at, back in ARMS['-'], (-back[0], +back[1]))": ARM,
        "return Source(at, back in ARMS['-'], (-back[1], -back[1]))": ARM,
    },
    "puzzles.minesweeper.check": {
        "_CLUE = np.full(256, -2, np.int8)": "any negative number stands for no clue"
    },
    "puzzles.minesweeper.refuter": {
        "first = min(cells_of(sums), default=1)": "it shifts nothing then",
        "self._numbers_of[component] = sum((1 << mines for mines in range(cells.bit_count() + 2) if"
        " find_solution([*component, Cardinality(cells, mines, mines)]) is not None))": (
            "no component has more mines than cells"
        ),
        "return [Cardinality(sum([1 << cell + first for cell in each.cells]), each.mines,"
        " each.mines) for each in sums]": "no check asks which cell a bit stands for",
        "return [Cardinality(sum([2 << cell - first for cell in each.cells]), each.mines,"
        " each.mines) for each in sums]": "no check asks which cell a bit stands for",
        "return (frozenset((cell for cell in self.cells if cell in known)), self.mines - mines)": (
            "no check asks what is left of a sum"
        ),
        "return (frozenset((cell for cell in self.cells if cell not in known)), self.mines +"
        " mines)": "no check asks what is left of a sum",
    },
    "puzzles.nogo.check": {
        "_EMPTY, _EDGE = (ord('.'), 1)": "no cell has the code 1 either",
        "if left > 0:": INSIDE,
        "if left >= 1:": INSIDE,
        "self._none_before[name] = point if point > 0 else len(self.kind)": INSIDE,
        "self._none_before[name] = point if point >= 1 else len(self.kind)": INSIDE,
        "self._none_before = dict.fromkeys(COLOURS, 1)": INSIDE,
        "if len(one.stones) <= len(other.stones):": "which of two chains of one size is "
        "relabelled is all the same",
    },
}
"""By module, the mutants that nothing can tell from the original, each with the reason."""

SEARCH = "puzzles.cardinality"
"""The module that searches. What it is asked is also how many branches it takes."""

MANY = 30
"""The least number of mutants of a module: fewer would mean that most of its code is not
changed.
"""

LOWERED: dict[str, tuple[tuple[str, int], ...]] = {
    "puzzles.nogo.check": (("_MAX_CELLS", 9),),
    "puzzles.geography.check": (("_MAX_POSITIONS", 1), ("_MAX_POSITIONS", 2), ("_MAX_PLAYED", 3)),
}
"""Limits of the checks that are tried again on the first cases, set so low that those reach
them.
"""


Case = tuple[Instance, Answer]


@cache
def corpus(puzzle: str) -> list[Case]:
    """Answers that were thought up, certified answers to small boards, and what these become when
    damaged.
    """
    rng = Random(5)
    cases = list(BY_HAND[puzzle]()) if puzzle in BY_HAND else []
    for board, _, answer in certified_answers(puzzle, boards(puzzles.get(puzzle), 3, 0, 200, 6)):
        if board.size <= 64:
            cases += [
                (board, answer),
                (board, damage_once(answer, rng)),
                (board, damage_once(answer, rng)),
            ]
    return cases


def beams() -> Iterator[Case]:
    """Rings of mirrors, in which a beam walked backwards comes back to where it began."""
    for rows in ("/.\\ \\./ -..", "/.\\ ... \\./ .-.", ".\\ \\/ -#", "/-\\ .#. \\./"):
        board = Beams(grid_of(rows.split()))
        for side in SIDES.values():
            yield board, side.solve(board, certify=True)
        for cell in np.flatnonzero(board.grid.ravel() == ord(".")).tolist():
            yield board, Layout(False, certificate=(cell,))


def minesweeper() -> Iterator[Case]:
    """Numbers of mines, certificates of the wrong make, and cores that do not force what they are
    said to.
    """
    layouts = (b"\1\1\0\0", b"\0\0\1\1")
    for mines in (None, 1, 2, 3):
        board = of("##/##", mines)
        yield board, Deduction(True, board, certificate=Certificate(layouts=layouts))
    board = of("#1#")
    for shown in ("O1#", "X1#"):
        for clue in (1, board.cells, 999):
            proof = Certificate((Core((clue,), (0,)),))
            yield board, Deduction(True, of(shown), False, certificate=proof)
    nothing, numbers = cast("Any", None), cast("Any", (3,))
    for certificate in (
        Certificate(cores=nothing),
        Certificate(layouts=nothing),
        Certificate(cores=numbers),
        "nothing",
    ):
        yield board, Deduction(True, board, certificate=certificate)
    proof = Certificate((Core((), (1, 2), True),), (b"\1\0\0",))
    yield of("X##", 1), Deduction(True, of("XOO", 1), certificate=proof)
    for board in (of("1#", 1), of("2#", 1)):  # the second is refuted without its number of mines
        proof = Certificate((Core((0,), (), True),))
        yield board, Deduction(False, board, certificate=proof)
    yield from counted()
    rng = Random(11)
    for bare in boards(puzzles.get("minesweeper"), 9, 0, 150, 5):
        if not isinstance(bare, Minesweeper) or bare.cells > 30:
            continue
        covered = sum(map(bare.kinds.count, "#X"))
        board = replace(bare, mines=rng.randint(0, covered + 1))
        for side, backend in ((DIRECT, "frontier"), (MODELS, "cnf")):
            answer = solved(board, side, backend)
            yield board, answer
            for _ in range(3):
                yield board, damage_once(answer, rng)
            cores = tuple(
                core._replace(counted=not core.counted) for core in answer.certificate.cores
            )
            yield board, replace(answer, certificate=replace(answer.certificate, cores=cores))


def counted() -> Iterator[Case]:
    """Probabilities wrong in one thing: on as many covered cells as are recounted and one more, of
    the mines told, in part.
    """
    for covered in ("########", "#########"):
        board = of(covered)
        answer = solved(board, DIRECT, "frontier", probabilities=True)
        chances = answer.chances
        assert chances is not None
        for wrong in (
            replace(chances, layouts=chances.layouts + 1),
            replace(chances, layouts=2 * chances.layouts, factors=(*chances.factors, ((2,), 1))),
        ):
            yield board, replace(answer, chances=wrong)
    numbered = of("####/2#21", 3)
    answer = solved(numbered, DIRECT, "frontier", probabilities=True)
    assert answer.chances is not None
    yield numbered, replace(answer, chances=replace(answer.chances, mines=(3, 4)))
    yield numbered, replace(answer, board=numbered, complete=False)
    flagged = of("X##", 2)
    yield flagged, solved(flagged, DIRECT, "frontier", probabilities=True)


def geography() -> Iterator[Case]:
    """Certificates of the wrong make, a parent just off the board, and many small components."""
    board = Geography(grid_of(["..."]))
    right = SIDES["direct"].solve(board, certify=True)
    off = right.certificate.copy()
    off[1][off[1] >= 0] = board.cells
    for certificate in (
        right.certificate[:2],
        right.certificate.astype(float),
        right.certificate.tolist(),
        "nothing",
        off,
    ):
        yield board, replace(right, certificate=certificate)
    board = Geography(grid_of([".#.#.#.#."]))
    for cells in ([0, 2, 4, 6], [0, 2, 4, 8], [0, 2, 6, 8], [0, 4, 6, 8], [2, 4, 6, 8]):
        yield board, Losing(board, np.array(cells, np.int32))


BY_HAND: dict[str, Callable[[], Iterator[Case]]] = {
    "beams": beams,
    "geography": geography,
    "minesweeper": minesweeper,
}


def checks(module: ModuleType, cases: list[Case]) -> Iterator[Check | Answer]:
    """What a check says of the corpus, and of its first part once more for each limit that is
    lowered.
    """
    for board, answer in cases:
        yield module.check(board, answer)
    reduce = getattr(module, "with_irreducible_core", None)
    if reduce is not None:
        yield from (reduce(board, answer) for board, answer in cases[:300])
    for name, limit in LOWERED.get(module.__name__, ()):
        before = getattr(module, name)
        setattr(module, name, limit)
        for board, answer in cases[:150]:
            yield module.check(board, answer)
        setattr(module, name, before)


@cache
def truth(puzzle: str) -> list[Check | Answer]:
    return list(checks(import_module(f"puzzles.{puzzle}.check"), corpus(puzzle)))


def differs(module: str, code: CodeType) -> bool:
    """Whether a mutant gives itself away; runs in a process of its own."""
    mutant = import_module(module)
    exec(code, vars(mutant))
    if module == SEARCH:
        return list(refutations(mutant)) != expected_refutations()
    puzzle = module.split(".")[1]
    check = import_module(f"puzzles.{puzzle}.check")
    if check is not mutant:
        reload(check)  # it has to import the mutant
    return any(a != b for a, b in zip(checks(check, corpus(puzzle)), truth(puzzle), strict=True))


def survives(module: str, code: CodeType) -> bool:
    ended = call(differs, module, code, limits=LIMITS)
    return ended.status is Status.OK and not ended.value


def refutations(module: Any) -> Iterator[object]:
    """The solutions, or refutations, of random constraints within so many branches; then what is
    left of parts.
    """
    rng = Random(7)
    for case in range(400):
        variables = rng.randint(1, 14)
        constraints: list[Any] = []
        for _ in range(rng.randint(0, 9)):
            low = rng.randint(0, 2)
            some = rng.sample(range(variables), min(variables, rng.randint(0, 5)))
            constraints.append(
                module.Cardinality(
                    sum(1 << each for each in some), low, low + case % 2 * rng.randint(0, 2)
                )
            )
        for true, false in ((0, 0), (1, 1 << variables // 2 & ~1), (0, 1)):
            fixed = [
                module.Cardinality(true, true.bit_count(), true.bit_count()),
                module.Cardinality(false, 0, 0),
            ]
            for limit in (*range(6), 20_000):
                try:
                    yield module.find_solution([*constraints, *fixed], limit)
                except module.BeyondCheck as reached:
                    yield str(reached)
        yield module.find_solution(constraints)
    for size in (1, 2, 5, 11):
        for needed in ({0}, {size - 1}, {size // 2, size - 1}, set(range(0, size, 3))):
            calls: list[tuple[int, ...]] = []

            def refutes(
                parts: Sequence[int],
                needed: set[int] = needed,
                calls: list[tuple[int, ...]] = calls,
            ) -> bool:
                calls.append(tuple(parts))
                return needed <= set(parts)

            yield module.irreducible(range(size), refutes)
            yield calls
    yield module.irreducible(range(9), lambda parts: True, seconds=-1)


@cache
def expected_refutations() -> list[object]:
    return list(refutations(import_module(SEARCH)))


MODULES = [
    SEARCH,
    "puzzles.minesweeper.refuter",
    *(f"puzzles.{name}.check" for name in puzzles.names()),
]


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_every_mutant_is_noticed(module: str) -> None:
    own = module.endswith(".check") and module not in EQUIVALENT
    if own and module.split(".")[1] not in BY_HAND:
        pytest.skip(f"nothing is written in BY_HAND or EQUIVALENT for {module}")
    if module == SEARCH:
        expected_refutations()
    else:
        truth(module.split(".")[1])
    tried, alive = 0, set[str]()
    for mutant in mutants(module, Mutation.SMALL):
        tried += 1
        if mutant.new not in EQUIVALENT.get(module, {}) and survives(
            module, code_of(mutant, Mutation.SMALL)
        ):
            alive.add(mutant.new)
    assert not alive, (
        f"nothing in the corpus notices {sorted(alive)}: add a case to BY_HAND, or the change and "
        "the reason why nothing can notice it to EQUIVALENT"
    )
    assert tried > MANY


@pytest.mark.parametrize("module", MODULES)
def test_what_is_called_equivalent_is_a_mutant(module: str) -> None:
    changes = {mutant.new for mutant in mutants(module, Mutation.SMALL)}
    gone = sorted(EQUIVALENT.get(module, {}).keys() - changes)
    assert gone == [], "the code has no such change any more: take these out of EQUIVALENT"


@pytest.mark.parametrize(
    "puzzle",
    [
        pytest.param(each, marks=[pytest.mark.slow] * (each in ("nogo", "minesweeper")))
        for each in puzzles.names()
    ],
)
def test_the_corpus_has_all_verdicts(puzzle: str) -> None:
    verdicts = [check.verdict for check in truth(puzzle) if isinstance(check, Check)]
    assert verdicts.count(Verdict.PROVED) > 300
    assert all(verdicts.count(verdict) > 15 for verdict in (Verdict.REFUTED, Verdict.UNPROVED))
