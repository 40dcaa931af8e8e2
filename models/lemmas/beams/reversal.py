"""What the P5297 write-up and the contest rightly claim of beams: where they meet, and that light can be walked backwards.

A formula states a beam as a trail if its proof walks back along the beam. Otherwise it states a flow, which takes far fewer
variables. Every proof is the same induction, `SymbolicBoard.walk_back`: start where two beams meet, and walk back along the first.
All the way, the reverse of its light is on the way of the second beam. So it would be there at the first beam's turret too, where
it must not be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from models.lemmas.beams import concrete
from models.lemmas.beams.symbolic import (
    CONTEST,
    OPEN,
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
from models.lemmas.logic import new_variables


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
    literals = [new_variables(board.formula, 2 * board.cells) for _ in range(3)]
    for one, other in combinations(literals, 2):
        for left, right in zip(one, other, strict=True):
            board.formula.add(-left, -right)
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


LEMMAS = (
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
