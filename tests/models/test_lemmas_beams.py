"""The lemmas of beams against every tiny board, their scripts against a checker that searches nothing, their twins on the board."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product

import pytest

import direct
from models.cnf import session
from models.lemmas import of, rup
from models.lemmas.beams import concrete
from models.lemmas.beams.greedy import Straight
from models.lemmas.beams.symbolic import HEADINGS, TURRET, SymbolicBoard
from models.lemmas.lemma import Counterexample, FormulaLemma, Shape, CounterexampleFormula, board_of, shapes
from models.lemmas.logic import true_index
from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import check, source
from puzzles.grid import grid_of
from puzzles.verdict import Verdict

CLAIMS = {claim.name: claim for claim in of("beams") if isinstance(claim, FormulaLemma)}
TRUE = [name for name, claim in CLAIMS.items() if claim.expected_to_hold]
FALSE = [name for name, claim in CLAIMS.items() if not claim.expected_to_hold]
EXAMPLE = Beams(grid_of(["."]))

SMALLEST: dict[str, tuple[Shape, int]] = {
    "beams-opposite-illegal": ((1, 3), 3),
    "beams-two-illegal": ((2, 3), 5),
    "beams-three-illegal": ((3, 3), 4),
    "beams-own-turret": ((2, 2), 4),
    "beams-crosses-once": ((2, 3), 5),
    "beams-one-orientation": ((2, 2), 4),
    "beams-no-turrets": ((1, 1), 0),
    "beams-one-pass": ((2, 3), 5),
}
"""The shape of each refuted claim's smallest board, and up to how many cells every board is tried in turn here."""

Rows = tuple[str, ...]


@cache
def boards(rows: int, columns: int, kinds: str = ".#/\\-") -> list[Rows]:
    """All boards of a shape, every turret flat."""
    texts = ("".join(cells) for cells in product(kinds, repeat=rows * columns))
    return [tuple(text[start : start + columns] for start in range(0, rows * columns, columns)) for text in texts]


def twisted(count: int) -> list[Rows]:
    """Boards of 3x3 with many mirrors, so that beams are long."""
    chance = random.Random(9)
    return [tuple("".join(chance.choices(".#/\\-", [3, 1, 3, 3, 3], k=3)) for _ in range(3)) for _ in range(count)]


def found(stated: CounterexampleFormula) -> Counterexample | None:
    """A counterexample by a solver."""
    with session(stated.formula) as opened:
        return stated.decode(opened.model()) if opened.solve() else None


def as_board(stated: CounterexampleFormula, rows: Rows) -> list[int]:
    """A board as literals: each formula numbers its cells' kinds first, and says so in its names."""
    words = {".": "open", "#": "a wall", "-": "a turret"}
    number = {text: variable for variable, text in stated.names}
    return [
        number[f"the cell at {r + 1},{c + 1} is {words.get(kind, kind)}"]
        for r, row in enumerate(rows)
        for c, kind in enumerate(row)
    ]


def ways(rows: Rows, cell: concrete.Cell, heading: str) -> list[concrete.Beam]:
    return concrete.crossing(rows, (cell, heading))


def meetings(rows: Rows, count: int, kinds: str = ".") -> Iterator[tuple[concrete.Beam, ...]]:
    """So many beams, each by a direction of its own choice, that enter one cell."""
    for cell in concrete.cells(rows, kinds):
        entering = [beam for heading in concrete.STEP for beam in ways(rows, cell, heading)]
        yield from product(entering, repeat=count)


def literal(beam: concrete.Beam) -> tuple[concrete.Cell, str]:
    return beam.turret, beam.orientation


def legal(rows: Rows, beam: concrete.Beam) -> bool:
    return concrete.legal(rows, *literal(beam))


def head_on(rows: Rows, *, harmless: bool) -> bool:
    return any(
        ways(rows, cell, concrete.BACK[heading])
        for cell in concrete.cells(rows, ".")
        for heading in concrete.STEP
        for beam in ways(rows, cell, heading)
        if beam.hits is None or not harmless
    )


def no_way_back(rows: Rows, *, same_way: bool) -> bool:
    return any(
        (beam.turret, concrete.BACK[beam.heading]) not in concrete.beam(rows, beam.hits, back).crossings
        for beam in concrete.beams(rows)
        if beam.hits is not None
        for back in ([concrete.BACK[beam.crossings[-1][1]]] if same_way else concrete.STEP)
    )


def circle(rows: Rows, *, lit: bool) -> bool:
    """Whether light can enter a cell and come back to it, and (`lit`) some beam enters the cell so."""
    return any(
        concrete.beam(rows, concrete.beside(cell, concrete.BACK[heading]), heading).circles
        for cell in concrete.cells(rows, "./\\-")
        for heading in concrete.STEP
        if concrete.kind(rows, concrete.beside(cell, concrete.BACK[heading])) not in "#-"
        if ways(rows, cell, heading) or not lit
    )


def lights(rows: Rows, count: int, *, lawful: bool, kinds: str = ".") -> bool:
    """Whether so many literals enter one cell of these kinds."""
    return any(
        len({literal(beam) for heading in concrete.STEP for beam in ways(rows, cell, heading) if legal(rows, beam) or not lawful})
        >= count
        for cell in concrete.cells(rows, kinds)
    )


def crosses_twice(rows: Rows, *, lawful: bool) -> bool:
    return any(
        len([heading for cell, heading in beam.crossings if cell == crossed]) > 1
        for beam in concrete.beams(rows)
        if legal(rows, beam) or not lawful
        for crossed in concrete.cells(rows, ".")
    )


def both_orientations(rows: Rows, *, lawful: bool) -> bool:
    return any(
        concrete.lit(rows, turret, "-") & concrete.lit(rows, turret, "|")
        for turret in concrete.cells(rows, "-")
        if not lawful or (concrete.legal(rows, turret, "-") and concrete.legal(rows, turret, "|"))
    )


def dark(rows: Rows) -> bool:
    return any(not ways(rows, cell, heading) for cell in concrete.cells(rows, ".") for heading in concrete.STEP) and any(
        not any(ways(rows, cell, heading) for heading in concrete.STEP) for cell in concrete.cells(rows, ".")
    )


def settings_of(rows: Rows, solution: Rows) -> Iterator[dict[concrete.Cell, str]]:
    """Every part of a solution."""
    turrets = concrete.cells(rows, concrete.TURRETS)
    for count in range(len(turrets) + 1):
        for some in combinations(turrets, count):
            yield {turret: concrete.kind(solution, turret) for turret in some}


def any_settings(rows: Rows) -> Iterator[dict[concrete.Cell, str]]:
    turrets = concrete.cells(rows, concrete.TURRETS)
    for orientations in product(("", "-", "|"), repeat=len(turrets)):
        yield {turret: orientation for turret, orientation in zip(turrets, orientations, strict=True) if orientation}


def misforced(rows: Rows, *, agreeing: bool) -> bool:
    return any(
        concrete.kind(solution, turret) != orientation
        for solution in concrete.solutions(rows)
        for already in (settings_of(rows, solution) if agreeing else any_settings(rows))
        for turret, orientation in concrete.forced(rows, already)
    )


def ill_ended(rows: Rows, *, finished: bool) -> bool:
    turrets = concrete.cells(rows, concrete.TURRETS)
    return any(
        concrete.wrong(concrete.turn(rows, dict.fromkeys(turrets, rest) | already))
        for solution in concrete.solutions(rows)
        for already in settings_of(rows, solution)
        if not finished or concrete.forced(rows, already) <= set(already.items())
        for rest in concrete.TURRETS
    )


def one_pass_fails(rows: Rows, *, forcing: bool) -> bool:
    turrets = concrete.cells(rows, concrete.TURRETS)
    return any(True for _ in concrete.solutions(rows)) and any(
        concrete.wrong(concrete.one_pass(rows, rest) if forcing else concrete.turn(rows, dict.fromkeys(turrets, rest)))
        for rest in concrete.TURRETS
    )


COUNTEREXAMPLE: dict[str, Callable[[Rows, bool], bool]] = {
    "beams-same-direction": lambda rows, without_hypothesis: any(
        one != other and (without_hypothesis or any(at in other.crossings for at in one.crossings))
        for one, other in meetings(rows, 2, ".#/\\-")
    ),
    "beams-opposite": lambda rows, without_hypothesis: head_on(rows, harmless=not without_hypothesis),
    "beams-reversible": lambda rows, without_hypothesis: no_way_back(rows, same_way=not without_hypothesis),
    "beams-no-loop": lambda rows, without_hypothesis: circle(rows, lit=not without_hypothesis),
    "beams-two-literals": lambda rows, without_hypothesis: lights(rows, 3, lawful=not without_hypothesis),
    "beams-opposite-illegal": lambda rows, without_hypothesis: (
        any(len([heading for heading in concrete.STEP if ways(rows, cell, heading)]) > 1 for cell in concrete.cells(rows, "."))
        if without_hypothesis
        else head_on(rows, harmless=False)
    ),
    "beams-two-illegal": lambda rows, without_hypothesis: lights(
        rows, 3, lawful=False, kinds=".#/\\-" if without_hypothesis else "."
    ),
    "beams-three-illegal": lambda rows, without_hypothesis: lights(
        rows, 4, lawful=False, kinds=".#/\\-" if without_hypothesis else "."
    ),
    "beams-own-turret": lambda rows, without_hypothesis: any(
        beam.hits is not None and (without_hypothesis or beam.hits == beam.turret) for beam in concrete.beams(rows)
    ),
    "beams-crosses-once": lambda rows, without_hypothesis: crosses_twice(rows, lawful=not without_hypothesis),
    "beams-one-orientation": lambda rows, without_hypothesis: both_orientations(rows, lawful=not without_hypothesis),
    "beams-no-turrets": lambda rows, without_hypothesis: dark(rows) and (without_hypothesis or not concrete.cells(rows, "-")),
    "beams-forced": lambda rows, without_hypothesis: misforced(rows, agreeing=not without_hypothesis),
    "beams-greedy": lambda rows, without_hypothesis: ill_ended(rows, finished=not without_hypothesis),
    "beams-one-pass": lambda rows, without_hypothesis: one_pass_fails(rows, forcing=not without_hypothesis),
}
"""Whether a board is a counterexample to a claim, or to its twin, by looking at every cell, beam and orientation."""

STRAIGHT = ("beams-forced", "beams-greedy", "beams-one-pass")


@pytest.mark.parametrize("without_hypothesis", [False, True])
@pytest.mark.parametrize("name", list(CLAIMS))
def test_the_models_of_a_formula_are_the_counterexamples(name: str, without_hypothesis: bool) -> None:
    kinds = ".#-" if name in STRAIGHT else ".#/\\-"
    for shape in ((1, 1), (1, 3), (2, 2)) + (((1, 5), (2, 3)) if name in STRAIGHT else ((1, 4),)):
        stated = CLAIMS[name].build(*shape, without_hypothesis)
        with session(stated.formula) as opened:
            for rows in boards(*shape, kinds):
                assert opened.solve(as_board(stated, rows)) == COUNTEREXAMPLE[name](rows, without_hypothesis), rows


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in STRAIGHT])
def test_the_models_of_a_formula_are_the_counterexamples_on_larger_boards_at_random(name: str) -> None:
    for without_hypothesis in (False, True):
        stated = CLAIMS[name].build(3, 3, without_hypothesis)
        with session(stated.formula) as opened:
            for rows in twisted(60):
                assert opened.solve(as_board(stated, rows)) == COUNTEREXAMPLE[name](rows, without_hypothesis), (
                    rows,
                    without_hypothesis,
                )


def test_a_turret_is_legal_by_both_its_beams() -> None:
    """One beam crosses a cell twice and hits nothing, the turret's other one hits a turret."""
    rows = ("--.\\", "##\\/")
    for without_hypothesis in (False, True):
        stated = CLAIMS["beams-crosses-once"].build(2, 4, without_hypothesis)
        with session(stated.formula) as opened:
            assert opened.solve(as_board(stated, rows)) == without_hypothesis
            assert opened.solve(as_board(stated, ("#-.\\", "##\\/")))


def test_a_flow_and_a_trail_come_to_a_channel_where_a_beam_does() -> None:
    for statement in ("flow", "trail"):
        for shape in ((2, 2), (1, 3), (3, 3)):
            board = SymbolicBoard(*shape)
            ends = board.fresh()
            begins = board.flow(ends)[1] if statement == "flow" else board.fresh()
            if statement == "trail":
                board.trail(ends, begins)
            names = CounterexampleFormula(board.formula, lambda model: Counterexample(()), None, board.names())
            with session(board.formula) as opened:
                for rows in boards(*shape) if shape != (3, 3) else twisted(40):
                    for channel in range(board.channels):
                        crossing = (board.place(board.entered[channel]), HEADINGS[board.heading[channel]])
                        only = [end if k == channel else -end for k, end in enumerate(ends)]
                        beams = concrete.crossing(rows, crossing)
                        assert opened.solve([*as_board(names, rows), *only]) == bool(beams)
                        if beams:
                            (beam,) = beams
                            arm = board.channel(*_first(board, beam))
                            assert arm is not None
                            assert not opened.solve([*as_board(names, rows), *only, -begins[arm]])


def _first(board: SymbolicBoard, beam: concrete.Beam) -> tuple[int, int]:
    (row, column), heading = beam.crossings[0]
    return row * board.columns + column, HEADINGS.index(heading)


def test_the_plain_rules_are_the_puzzle() -> None:
    """Every board that the plain trial of all orientations solves, and no other, is possible; and its boards pass the check."""
    for shape in ((1, 4), (2, 2), (2, 3)):
        for rows in boards(*shape)[:: 1 if shape != (2, 3) else 7]:
            board = Beams(grid_of(rows))
            solution = next(concrete.solutions(rows), None)
            answer = direct.solve(board)
            assert isinstance(answer, Layout)
            assert answer.possible == (solution is not None)
            if solution is not None:
                assert check(board, Layout(True, Beams(grid_of(solution)))).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_script_is_a_proof_and_search_agrees(name: str, size: int) -> None:
    stated = CLAIMS[name].build(size, size, False)
    assert stated.script is not None
    assert rup.check(stated.formula, stated.script()) > 0
    assert found(stated) is None


@pytest.mark.parametrize("name", TRUE)
def test_a_script_proves_what_search_would_not(name: str) -> None:
    size = {"beams-two-literals": 4, "beams-forced": 20, "beams-greedy": 20}.get(name, 5)
    stated = CLAIMS[name].build(size, size, False)
    assert stated.script is not None
    assert rup.check(stated.formula, stated.script()) > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUE)
def test_a_script_reaches_the_bar(name: str) -> None:
    stated = CLAIMS[name].build(CLAIMS[name].size, CLAIMS[name].size, False)
    assert stated.script is not None
    assert rup.check(stated.formula, stated.script()) > 1000


@pytest.mark.parametrize("name", TRUE)
def test_a_script_with_a_clause_missing_or_wrong_is_refused(name: str) -> None:
    stated = CLAIMS[name].build(3, 3, False)
    assert stated.script is not None
    script = list(stated.script())
    chance, refused = random.Random(4), {"missing": 0, "shortened": 0}
    tries = 40 if len(script) < 2000 else 10
    for at in chance.sample(range(len(script) - 1), tries):
        for damage, put in (("missing", []), ("shortened", [script[at][:-1]])):
            try:
                rup.check(stated.formula, script[:at] + put + script[at + 1 :])
            except rup.WrongStep:
                refused[damage] += 1
    assert refused["missing"] >= tries // 20 + 1
    assert refused["shortened"] >= tries // 3


@pytest.mark.parametrize("name", list(CLAIMS))
@pytest.mark.parametrize("size", [0, 3, 4])
def test_a_twin_is_a_board_on_which_the_conclusion_fails(name: str, size: int) -> None:
    size = size or min(CLAIMS[name].size, 6)
    counterexample = found(CLAIMS[name].build(size, size, True))
    assert counterexample is not None
    assert CLAIMS[name].failure_on(counterexample)
    assert board_of(EXAMPLE, counterexample).lines() == list(counterexample.rows)
    if size < 5:
        assert COUNTEREXAMPLE[name](counterexample.rows, True)


@pytest.mark.parametrize("name", FALSE)
def test_the_board_of_a_refuted_claim_is_a_smallest_one(name: str) -> None:
    shape, exhausted = SMALLEST[name]
    claim, kinds = CLAIMS[name], ".#-" if name in STRAIGHT else ".#/\\-"
    for cells in range(1, shape[0] * shape[1]):
        for smaller in shapes(cells):
            assert found(claim.build(*smaller, False)) is None
            if cells <= exhausted:
                assert not any(COUNTEREXAMPLE[name](rows, False) for rows in boards(*smaller, kinds))
    assert {other for other in shapes(shape[0] * shape[1]) if found(claim.build(*other, False))} == {shape}
    counterexample = found(claim.build(*shape, False))
    assert counterexample is not None
    assert claim.failure_on(counterexample)
    assert COUNTEREXAMPLE[name](counterexample.rows, False)


@pytest.mark.parametrize(("name", "harmless"), [("beams-own-turret", "-."), ("beams-one-pass", "-."), ("beams-no-turrets", "#/")])
def test_who_believes_a_refuted_claim_gives_a_wrong_answer(name: str, harmless: str) -> None:
    """And a right one where the claim does no harm."""
    counterexample = found(CLAIMS[name].build(*SMALLEST[name][0], False))
    naive_answer = CLAIMS[name].naive_answer
    assert counterexample is not None
    assert naive_answer is not None
    for board, verdict in ((Beams(grid_of(counterexample.rows)), Verdict.REFUTED), (Beams(grid_of([harmless])), Verdict.PROVED)):
        answer = naive_answer(board)
        assert isinstance(answer, Layout)
        assert check(board, answer).verdict is verdict


@pytest.mark.parametrize(
    ("name", "agrees"),
    [
        ("beams-opposite-illegal", lambda lit, turret: len(lit) == 2),
        ("beams-two-illegal", lambda lit, turret: len(set(lit)) == 3),
        ("beams-three-illegal", lambda lit, turret: len(set(lit)) == 4),
        ("beams-own-turret", lambda lit, turret: {abs(literal) for literal in lit} == {turret}),
        ("beams-crosses-once", lambda lit, turret: len(lit) == 2 and len(set(lit)) == 1),
        ("beams-one-orientation", lambda lit, turret: len(lit) == 2 and lit[0] == -lit[1]),
        ("beams-no-turrets", lambda lit, turret: not lit),
    ],
)
def test_the_puzzles_own_check_sees_the_same_light(name: str, agrees: Callable[[list[int], int], bool]) -> None:
    """The literals that the check's walk finds to light the cell, each a flat index + 1, negative if upright."""
    counterexample = found(CLAIMS[name].build(*SMALLEST[name][0], False))
    assert counterexample is not None
    board = Beams(grid_of(counterexample.rows))
    (row, column), headings = counterexample.details["cell"], counterexample.details["headings"]
    cell = row * board.columns + column
    sources = (source(board, cell, concrete.STEP[heading]) for heading in headings or concrete.STEP)
    assert agrees([literal for literal in sources if literal is not None], cell + 1)


def test_only_claims_that_an_answer_shows_have_a_believer() -> None:
    assert [name for name in CLAIMS if CLAIMS[name].naive_answer] == ["beams-own-turret", "beams-no-turrets", "beams-one-pass"]


@pytest.mark.parametrize(
    ("name", "rows", "told"),
    [
        ("beams-same-direction", ("-.-",), {"cell": (0, 1), "headings": ("east", "east")}),
        ("beams-opposite", ("-.#",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-opposite", ("-/-",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-reversible", ("-.-",), {"cell": (0, 2), "headings": ("east", "west")}),
        ("beams-no-loop", ("-\\", "\\/"), {"cell": (1, 1), "headings": ("south",)}),
        ("beams-two-literals", ("-.-",), {"cell": (0, 1), "headings": ("east", "west", "west")}),
        ("beams-own-turret", ("--",), {"cell": (0, 0), "headings": ("east",)}),
        ("beams-crosses-once", ("-.-",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-one-orientation", ("-.-",), {"cell": (0, 1), "headings": ("east", "west")}),
        ("beams-no-turrets", ("-.",), {"cell": (0, 1), "headings": ()}),
        ("beams-forced", ("-.",), {"already": {}}),
        ("beams-greedy", ("-.",), {"already": {}, "solution": ("-.",)}),
        ("beams-one-pass", ("|.",), {"already": {(0, 0): "|"}, "solution": ("|.",)}),
    ],
)
def test_a_conclusion_that_stands_is_not_said_to_fail(name: str, rows: Rows, told: dict[str, object]) -> None:
    assert CLAIMS[name].failure_on(Counterexample(rows, told)) == ""


def test_a_straight_board_has_no_mirrors() -> None:
    board = Straight(2, 2)
    assert board.kinds == ".#" + TURRET
    with session(board.formula) as opened:
        assert opened.solve()
        assert set("".join(board.read(opened.model()))) <= set(".#-")
        assert true_index(opened.model(), [board.kind(0, kind) for kind in board.kinds]) in range(3)
