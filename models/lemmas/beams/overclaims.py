"""What is easily claimed too much of beams: each claim here fails, on a small board that search finds."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product

from models.lemmas.beams import concrete
from models.lemmas.beams.symbolic import (
    OPEN,
    PASSED,
    TURRET,
    WRITE_UP,
    SymbolicBoard,
    beams_entering,
    crossing_formula,
    light_hits_nothing,
    literals_failure,
    opposite,
)
from models.lemmas.lemma import Counterexample, CounterexampleFormula, FormulaLemma
from models.lemmas.logic import new_variables
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of


def _meeting_head_on(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Two beams that enter an open cell in opposite directions; `without_hypothesis`: in any two directions."""
    board = SymbolicBoard(rows, columns)
    cell, one, other = board.choose(OPEN), board.direction(), board.direction()
    for towards in range(4):
        board.formula.add(-one[towards], -other[towards])
        if not without_hypothesis:
            board.formula.add(-one[towards], other[opposite(towards)])
    for heading in (one, other):
        board.flow(board.crossing(cell, heading))
    return crossing_formula(board, cell, (one, other))


def _literals(rows: int, columns: int, without_hypothesis: bool, *, count: int) -> CounterexampleFormula:
    """`count` literals, legal or not, that light the same open cell; `without_hypothesis`: that enter the same cell of any kind."""
    board = SymbolicBoard(rows, columns)
    cell = board.choose(None if without_hypothesis else OPEN)
    headings = [board.direction() for _ in range(count)]
    literals = [new_variables(board.formula, 2 * board.cells) for _ in range(count)]
    for heading, literal in zip(headings, literals, strict=True):
        _, begins = board.flow(board.crossing(cell, heading))
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, literal[board.literal(channel)])
    for one, other in combinations(literals, 2):
        for left, right in zip(one, other, strict=True):
            board.formula.add(-left, -right)
    return crossing_formula(board, cell, headings)


def _own_turret(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that enters its own turret; `without_hypothesis`: any turret."""
    board = SymbolicBoard(rows, columns)
    cell, heading = board.choose(TURRET), board.direction()
    _, begins = board.flow(board.crossing(cell, heading))
    if not without_hypothesis:
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, cell[board.left[channel]])
    return crossing_formula(board, cell, (heading,))


def _crosses_once(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam of a legal literal that enters an open cell in two directions."""
    board = SymbolicBoard(rows, columns)
    cell, one, other = board.choose(OPEN), board.direction(), board.direction()
    for first, second in zip(one, other, strict=True):
        board.formula.add(-first, -second)
    (_, begins), (_, again) = (board.flow(board.crossing(cell, heading)) for heading in (one, other))
    for first, second in zip(begins, again, strict=True):
        board.formula.add(-first, second)
        board.formula.add(first, -second)
    if not without_hypothesis:
        arms = list(enumerate(begins))
        other_arms = [(channel, begin) for arm, begin in arms if (channel := board.other_arm(arm)) is not None]
        light_hits_nothing(board, [(begin, channel) for channel, begin in arms + other_arms])
    return crossing_formula(board, cell, (one, other))


def _one_orientation(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A turret that lights one open cell in either orientation, both legal."""
    board = SymbolicBoard(rows, columns)
    cell, one, other, turret = board.choose(OPEN), board.direction(), board.direction(), board.choose(TURRET)
    for axis, heading in enumerate((one, other)):
        _, begins = board.flow(board.crossing(cell, heading))
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, turret[board.left[channel]])
            if board.heading[channel] % 2 != axis:
                board.formula.add(-begin)
    if not without_hypothesis:
        light_hits_nothing(board, [(turret[board.left[channel]], channel) for channel in range(board.channels)])
    return crossing_formula(board, cell, (one, other))


def _no_turrets(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A board without turrets, and an open cell that no beam comes to."""
    board = SymbolicBoard(rows, columns)
    cell = board.choose(OPEN)
    if not without_hypothesis:
        for here in range(board.cells):
            board.formula.add(-board.kind(here, TURRET))
    dark = board.fresh()
    for channel, unlit in enumerate(dark):
        board.formula.add(-cell[board.entered[channel]], unlit)
        board.formula.add(-unlit, -board.kind(board.left[channel], TURRET))
        for kind in PASSED:
            before = board.before(channel, kind)
            if before is not None:
                board.formula.add(-unlit, -board.kind(board.left[channel], kind), dark[before])
    return crossing_formula(board, cell)


def _head_on_failure(example: Counterexample) -> str:
    if concrete.kind(example.rows, example.details["cell"]) != ".":
        return ""
    for first, second in beams_entering(example):
        return f"{first} and {second} cross {concrete.name(example.details['cell'])}"
    return ""


def _own_turret_failure(example: Counterexample) -> str:
    for (sent,) in beams_entering(example):
        return f"{sent} hits {concrete.name(example.details['cell'])}"
    return ""


def _crosses_once_failure(example: Counterexample) -> str:
    for one, other in beams_entering(example):
        if one == other and len(set(example.details["headings"])) == 2:
            return f"{one} crosses {concrete.name(example.details['cell'])} twice"
    return ""


def _one_orientation_failure(example: Counterexample) -> str:
    for one, other in beams_entering(example):
        if one.turret == other.turret and one.orientation != other.orientation:
            return f"{one} lights {concrete.name(example.details['cell'])}, and so does {other}"
    return ""


def _no_turrets_failure(example: Counterexample) -> str:
    cell = example.details["cell"]
    if concrete.kind(example.rows, cell) != "." or any(
        concrete.crossing(example.rows, (cell, heading)) for heading in concrete.STEP
    ):
        return ""
    return f"no beam comes to the open cell at {concrete.name(cell)}"


def _own_hits_ignored(board: Beams) -> Layout:
    """The answer of somebody who tries all orientations, but lets a beam hit its own turret."""
    rows = board.lines()
    turrets = concrete.cells(rows, concrete.TURRETS)
    for orientations in product(concrete.TURRETS, repeat=len(turrets)):
        turned = list(zip(turrets, orientations, strict=True))
        hit = any(concrete.beam(rows, t, arm).hits not in (None, t) for t, o in turned for arm in concrete.ARMS[o])
        light = {cell for t, o in turned for cell in concrete.lit(rows, t, o)}
        if not hit and light >= set(concrete.cells(rows, ".")):
            return Layout(True, Beams(grid_of(concrete.turn(rows, dict(turned)))))
    return Layout(False)


def _possible_as_it_is(board: Beams) -> Layout:
    """The answer of somebody who finds nothing wrong on a board without turrets."""
    return Layout(True, board)


LEMMAS = (
    FormulaLemma(
        name="beams-opposite-illegal",
        puzzle="beams",
        statement="no open cell is crossed in opposite directions, even by beams that hit a turret",
        source=WRITE_UP,
        quote="其次,空地也不会被两束反向的激光打到",
        translation="Second, an open cell is not hit by two opposite beams either",
        size=3,
        expected_to_hold=False,
        build=_meeting_head_on,
        hypothesis="the two directions are opposite",
        failure_on=_head_on_failure,
    ),
    FormulaLemma(
        name="beams-two-illegal",
        puzzle="beams",
        statement="at most two turrets' orientations light the same open cell, even if some hit a turret",
        source=WRITE_UP,
        quote="每个空地最多可能被两个炮台的可取的朝向打到 (without 可取的, legal)",
        translation="every open cell can be hit by the (legal) orientations of at most two turrets",
        size=3,
        smallest_size=3,
        expected_to_hold=False,
        build=partial(_literals, count=3),
        hypothesis="the cell is open",
        failure_on=literals_failure,
    ),
    FormulaLemma(
        name="beams-three-illegal",
        puzzle="beams",
        statement="at most three turrets' orientations light the same open cell, even if some hit a turret",
        source=WRITE_UP,
        quote="每个空地最多可能被两个炮台的可取的朝向打到 (without 可取的, legal)",
        translation="every open cell can be hit by the (legal) orientations of at most two turrets",
        size=3,
        smallest_size=3,
        expected_to_hold=False,
        build=partial(_literals, count=4),
        hypothesis="the cell is open",
        failure_on=literals_failure,
    ),
    FormulaLemma(
        name="beams-own-turret",
        puzzle="beams",
        statement="a beam never comes back to its own turret, so that only others need be looked for",
        source=WRITE_UP,
        quote="对于每个朝向,先 dfs 一次判断是否能打到其他炮台,能则说明朝向不合法",
        translation="for each orientation, a first DFS tells whether it hits another turret; if so, the orientation is not legal",
        size=2,
        expected_to_hold=False,
        build=_own_turret,
        hypothesis="the turret hit is its own",
        failure_on=_own_turret_failure,
        naive_answer=_own_hits_ignored,
    ),
    FormulaLemma(
        name="beams-crosses-once",
        puzzle="beams",
        statement="a beam of a legally turned turret crosses no open cell twice",
        source=WRITE_UP,
        quote="若空地能被两个炮台的朝向打到 (said of a list of beams)",
        translation="if an open cell can be hit by the orientations of two turrets",
        size=3,
        smallest_size=3,
        expected_to_hold=False,
        build=_crosses_once,
        hypothesis="the turret is legally turned",
        failure_on=_crosses_once_failure,
    ),
    FormulaLemma(
        name="beams-one-orientation",
        puzzle="beams",
        statement="a turret that is legal in both orientations lights an open cell in one of them only",
        source=WRITE_UP,
        quote="每个空地均可被看作 i 炮台为横/竖向或 j 炮台为横/竖向的约束条件",
        translation="every open cell can be seen as the constraint that turret i stands horizontally/vertically or turret j does",
        size=2,
        expected_to_hold=False,
        build=_one_orientation,
        hypothesis="both orientations are legal",
        failure_on=_one_orientation_failure,
    ),
    FormulaLemma(
        name="beams-no-turrets",
        puzzle="beams",
        statement="a board without turrets is POSSIBLE",
        source=WRITE_UP,
        quote="if(sz==0)add(1,tcnt+1),add(tcnt+1,1); (which says nothing where tcnt is 0)",
        translation="if (no turret reaches the cell) require both x and not x of the first turret",
        size=1,
        smallest_size=1,
        expected_to_hold=False,
        build=_no_turrets,
        hypothesis="there is no turret",
        failure_on=_no_turrets_failure,
        naive_answer=_possible_as_it_is,
    ),
)
