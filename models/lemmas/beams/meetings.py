"""What is claimed of where beams meet: rightly, by the P5297 write-up and the contest; and too much, which small boards refute.

A formula states a beam as a trail if its proof walks back along the beam. Otherwise it states a flow, which takes far fewer
variables. Every proof is the same induction, `SymbolicBoard.walk_back`: start where two beams meet, and walk back along the first.
All the way, the reverse of its light is on the way of the second beam. So it would be there at the first beam's turret too, where
it must not be.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from models.lemmas.beams import concrete
from models.lemmas.beams.symbolic import (
    CONTEST,
    OPEN,
    PASSED,
    TURRET,
    WRITE_UP,
    SymbolicBoard,
    beams_entering,
    crossing_formula,
    light_hits_nothing,
    literals_failure,
    none_chosen,
    opposite,
    reversed_light,
)
from models.lemmas.lemma import Counterexample, CounterexampleFormula, FormulaLemma
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of


def _same(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Two beams that begin differently and enter a cell in the same direction."""
    board = SymbolicBoard(rows, columns)
    cell, one, other = board.choose(), board.direction(), board.direction()
    if not without_hypothesis:
        for heading in range(4):
            board.formula.add(-one[heading], other[heading])
    first, second = board.crossing(cell, one), board.crossing(cell, other)
    light, begins = board.flow(second)
    trail = board.trail(first, [-begin for begin in begins])

    def script() -> Iterator[list[int]]:
        """Walked back from the cell, the first beam stays on the way of the second. So both begin at the same turret."""
        yield from board.walk_back(trail, light, arms=True)
        yield from none_chosen(first, cell)

    return crossing_formula(board, cell, (one, other), script)


def _opposite(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that meets no turret, and a beam, perhaps the same, that crosses one of its open cells in the opposite direction."""
    board = SymbolicBoard(rows, columns)
    cell, heading = board.choose(OPEN), board.direction()
    reverse = [heading[opposite(towards)] for towards in range(4)]
    ahead, against = board.crossing(cell, heading), board.crossing(cell, reverse)
    way, _ = board.flow(ahead)
    trail = board.trail(against)
    if without_hypothesis:
        return crossing_formula(board, cell, (heading, reverse))
    light = light_hits_nothing(board, zip(way, range(board.channels), strict=True))

    def script() -> Iterator[list[int]]:
        """Walked back, the other beam is the way that the first one takes after the cell.

        So the first beam hits the other's turret.
        """
        yield from board.walk_back(trail, reversed_light(board, light))
        yield from none_chosen(against, cell)

    return crossing_formula(board, cell, (heading, reverse), script)


def _reversible(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that enters a turret, and one that leaves it in the opposite direction but does not run back along the first."""
    board = SymbolicBoard(rows, columns)
    cell, heading, back = board.choose(TURRET), board.direction(), board.direction()
    if not without_hypothesis:
        for towards in range(4):
            board.formula.add(-heading[towards], back[opposite(towards)])
    enters, light = board.crossing(cell, heading), board.fresh()
    for channel, lit in enumerate(light):
        board.formula.add(-cell[board.left[channel]], -back[board.heading[channel]], lit)
    board.follow(light)
    returns = reversed_light(board, light)
    trail = board.trail(enters, [-lit for lit in returns])

    def script() -> Iterator[list[int]]:
        """Step by step, the first beam walked back is the second one. So the second comes to the turret of the first."""
        yield from board.walk_back(trail, returns)
        yield from none_chosen(enters, cell)

    return crossing_formula(board, cell, (heading, back), script)


def _no_loop(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that enters a circle of light: a set of channels that contains, with each channel, the previous one."""
    board = SymbolicBoard(rows, columns)
    cell, heading = board.choose(), board.direction()
    enters, circle = board.crossing(cell, heading), board.fresh()
    for channel, entered in enumerate(enters):
        board.formula.add(-entered, circle[channel])
    board.trace_back(circle, None)
    if without_hypothesis:
        return crossing_formula(board, cell, (heading,))
    trail = board.trail(enters)

    def script() -> Iterator[list[int]]:
        """Walked back, the beam stays on the circle, and there is no turret on it."""
        yield from board.walk_back(trail, circle)
        yield from none_chosen(enters, cell)

    return crossing_formula(board, cell, (heading,), script)


def _two_literals(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Three legal literals that light the same open cell.

    A literal is a turret with an orientation; it is legal if it hits no turret.
    """
    board = SymbolicBoard(rows, columns)
    cell = board.choose(OPEN)
    headings = [board.direction() for _ in range(3)]
    enters = [board.crossing(cell, heading) for heading in headings]
    literals = board.distinct_literals(3)
    shot = [[literal[board.literal(channel)] for channel in range(board.channels)] for literal in literals]
    trails = [board.trail(enters[k], shot[k]) for k in range(2)]
    ways: list[list[int]] = []
    for k in (1, 2):
        way, begins = board.flow(enters[k])
        ways.append(way)
        for begin, literal in zip(begins, shot[k], strict=True):
            board.formula.add(-begin, literal)
    if without_hypothesis:
        return crossing_formula(board, cell, headings)
    light_hits_nothing(board, zip(shot[0], range(board.channels), strict=True))
    lights = [
        light_hits_nothing(board, [(literal, channel) for holds in (way, shot[k]) for channel, literal in enumerate(holds)])
        for k, way in enumerate(ways, 1)
    ]

    def script() -> Iterator[list[int]]:
        """No two of the beams enter in the same direction or in opposite ones.

        But among three directions, two are the same or opposite.
        """
        for k, j in ((0, 0), (0, 1), (1, 1)):
            yield from board.walk_back(trails[k], ways[j], arms=True)
            yield from board.walk_back(trails[k], reversed_light(board, lights[j]))
            for here, towards in product(cell, range(4)):
                for meeting in (towards, opposite(towards)):
                    yield [-here, -headings[k][towards], -headings[j + 1][meeting]]
        for here, first in product(cell, range(4)):
            for second in range(4):
                yield [-here, -headings[0][first], -headings[1][second]]
            yield [-here, -headings[0][first]]
        yield from none_chosen(cell)

    return crossing_formula(board, cell, headings, script)


def _same_failure(example: Counterexample) -> str:
    for one, other in beams_entering(example):
        if one != other:
            return f"{one} and {other} enter {concrete.name(example.details['cell'])}"
    return ""


def _opposite_failure(example: Counterexample) -> str:
    one, other = example.details["headings"]
    if concrete.kind(example.rows, example.details["cell"]) != "." or concrete.BACK[one] != other:
        return ""
    for first, second in beams_entering(example):
        return f"{first} and {second} cross {concrete.name(example.details['cell'])}, one {one}wards, one {other}wards"
    return ""


def _reversible_failure(example: Counterexample) -> str:
    (heading, back), turret = example.details["headings"], example.details["cell"]
    answer = concrete.beam(example.rows, turret, back)
    for sent in concrete.crossing(example.rows, (turret, heading)):
        if (sent.turret, concrete.BACK[sent.heading]) not in answer.crossings:
            return f"{sent} enters {concrete.name(turret)}, and {answer} does not come back along it"
    return ""


def _no_loop_failure(example: Counterexample) -> str:
    cell, (heading,) = example.details["cell"], example.details["headings"]
    circles = concrete.beam(example.rows, concrete.beside(cell, concrete.BACK[heading]), heading).circles
    return f"light that enters {concrete.name(cell)} {heading}wards circles" if circles else ""


_TRUE = (
    FormulaLemma(
        name="beams-same-direction",
        puzzle="beams",
        statement="no two beams enter a cell in the same direction, whether their turrets are legally turned or not",
        source=WRITE_UP,
        quote="首先,空地不会被两束同向的激光打到,因为若可能,它们必有重合的一段路径,然而其中一束激光会被路径上的炮台或反射镜所影响。",
        translation=(
            "First, an open cell is not hit by two beams in the same direction: if it could be, they would share a part of "
            "their paths, but one of the beams would be affected by the turrets or mirrors on the path."
        ),
        size=8,
        build=_same,
        hypothesis="the two directions are the same",
        failure_on=_same_failure,
    ),
    FormulaLemma(
        name="beams-opposite",
        puzzle="beams",
        statement="a beam that meets no turret crosses no open cell that some beam crosses in the opposite direction",
        source=WRITE_UP,
        quote="其次,空地也不会被两束反向的激光打到,因为光路可逆,若可能,一束激光能打到空地,则一定能沿着反向打到该空地的激光的逆光路,打到另一个炮台。",
        translation=(
            "Second, an open cell is not hit by two opposite beams either, because light paths are reversible: if it could "
            "be, a beam that hits the cell could follow the other beam's path backwards and hit the other turret."
        ),
        size=8,
        smallest_size=3,
        build=_opposite,
        hypothesis="the first beam meets no turret",
        failure_on=_opposite_failure,
    ),
    FormulaLemma(
        name="beams-reversible",
        puzzle="beams",
        statement="where a beam enters a turret, the beam that leaves that turret against it comes back along the same way",
        source=WRITE_UP,
        quote="光路可逆",
        translation="light paths are reversible",
        size=8,
        build=_reversible,
        hypothesis="the second beam leaves against the first",
        failure_on=_reversible_failure,
    ),
    FormulaLemma(
        name="beams-no-loop",
        puzzle="beams",
        statement="a beam never enters a loop: light that circles between mirrors comes from no turret",
        source=CONTEST,
        quote="a beam never enters a loop (in our words)",
        size=8,
        build=_no_loop,
        hypothesis="the light comes from a turret",
        failure_on=_no_loop_failure,
    ),
    FormulaLemma(
        name="beams-two-literals",
        puzzle="beams",
        statement="at most two turrets' legal orientations light the same open cell",
        source=WRITE_UP,
        quote="综上所述,再根据抽屉原理,每个空地最多可能被两个炮台的可取的朝向打到。",
        translation=(
            "In sum, by the pigeonhole principle, every open cell can be hit by the legal orientations of at most two turrets."
        ),
        size=6,
        smallest_size=3,
        build=_two_literals,
        hypothesis="the orientations are legal",
        failure_on=literals_failure,
    ),
)


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
    literals = board.distinct_literals(count)
    for heading, literal in zip(headings, literals, strict=True):
        _, begins = board.flow(board.crossing(cell, heading))
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, literal[board.literal(channel)])
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


_FALSE = (
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

LEMMAS = _TRUE + _FALSE
