"""What is claimed of where beams meet: rightly, by the P5297 write-up and the contest; and too
much, which small boards refute.

A formula states a beam as a trail if its proof walks back along the beam. Otherwise it states a
flow, which takes far fewer variables. Every proof is the same induction, `BeamsBoard.walk_back`:
start where two beams meet, and walk back along the first. All the way, the reverse of its light is
on the way of the second beam. So it would be there at the first beam's turret too, where it must
not be.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np

from compare.commands.prove.lemma import CounterexampleFormula, FormulaLemma
from compare.commands.prove.symbolic import BoardCell, Literals, Steps, clauses, entries, place
from models.beams import lemma_greedy as beams_greedy
from models.beams import lemma_rules as rules
from models.beams.lemma_board import (
    CONTEST,
    HEADINGS,
    OPEN,
    OPPOSITE,
    PASSED,
    TURRET,
    WRITE_UP,
    BeamsBoard,
    none_chosen,
)
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of


class Meeting(BeamsBoard):
    """A board with a chosen cell, of this kind if one is given, and chosen directions in which
    light enters it.

    Attributes:
        cell: for each cell "it is the chosen one".
        headings: for each choice of a direction, for each direction "it is the chosen one".
    """

    def __init__(self, rows: int, columns: int, directions: int, kind: str | None = None) -> None:
        super().__init__(rows, columns)
        self.cell = self.pick("{} is the cell", kind)
        self.headings = [self.direction() for _ in range(directions)]

    def ways_in(self) -> list[Literals]:
        """For each direction, for each channel "it enters the cell in this direction"."""
        return [self.crossing(self.cell, heading) for heading in self.headings]

    def meeting(self, script: Callable[[], Steps] | None = None) -> CounterexampleFormula:
        """The formula; the details are `cell` and `headings`."""
        return self.counterexamples(
            script,
            cell=self.cell_of(self.cell),
            headings=lambda model: tuple(
                HEADINGS[model[heading].argmax()] for heading in self.headings
            ),
        )

    def walked_back(
        self, trail: Literals, light: Literals, *, arms: bool = False
    ) -> CounterexampleFormula:
        """The formula, with the proof by `walk_back`: no channel of the trail is in `light`, so it
        does not begin at the cell.
        """

        def script() -> Steps:
            yield from self.walk_back(trail, light, arms=arms)
            yield from none_chosen(trail[0], self.cell)

        return self.meeting(script)


def _same(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Two beams that begin differently and enter a cell in the same direction.

    Walked back from the cell, the first beam stays on the way of the second. So both begin at the
    same turret.
    """
    board = Meeting(rows, columns, 2)
    one, other = board.headings
    if not without_hypothesis:
        board.each(-one, other)
    first, second = board.ways_in()
    light, begins = board.flow(second)
    return board.walked_back(board.trail(first, -begins), light, arms=True)


def _opposite(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that meets no turret, and a beam, perhaps the same, that crosses one of its open cells
    in the opposite direction.

    Walked back, the other beam is the way that the first one takes after the cell. So the first
    beam hits the other's turret.
    """
    board = Meeting(rows, columns, 1, OPEN)
    board.headings.append(board.headings[0][OPPOSITE])
    ahead, against = board.ways_in()
    way, _ = board.flow(ahead)
    trail = board.trail(against)
    if without_hypothesis:
        return board.meeting()
    return board.walked_back(trail, board.light_hits_nothing(way)[board.against])


def _reversible(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that enters a turret, and one that leaves it in the opposite direction but does not
    run back along the first.

    Step by step, the first beam walked back is the second one. So the second comes to the turret of
    the first.
    """
    board = Meeting(rows, columns, 2, TURRET)
    heading, back = board.headings
    if not without_hypothesis:
        board.each(-heading, back[OPPOSITE])
    enters, light = board.crossing(board.cell, heading), board.lit()
    board.each(-board.cell[board.left], -back[board.heading], light)
    board.follow(light)
    returns = light[board.against]
    return board.walked_back(board.trail(enters, -returns), returns)


def _no_loop(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that enters a circle of light: a set of channels that contains, with each channel, the
    previous one.

    Walked back, the beam stays on the circle, and there is no turret on it.
    """
    board = Meeting(rows, columns, 1)
    (enters,), circle = board.ways_in(), board.lit()
    board.each(-enters, circle)
    board.trace_back(circle, None)
    if without_hypothesis:
        return board.meeting()
    return board.walked_back(board.trail(enters), circle)


def _distinct_literals(board: BeamsBoard, count: int) -> list[Literals]:
    """Sets of literals, no literal in two of them: for each set and channel "the literal that sends
    a beam there is in the set".
    """
    sets = [board.new(2 * board.cells) for _ in range(count)]
    board.at_most_one(np.stack(sets, axis=1))
    return [members[board.literal] for members in sets]


def _two_literals(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Three legal literals that light the same open cell.

    A literal is a turret with an orientation; it is legal if it hits no turret.
    """
    board = Meeting(rows, columns, 3, OPEN)
    enters, shot = board.ways_in(), _distinct_literals(board, 3)
    trails = [board.trail(enters[k], shot[k]) for k in range(2)]
    ways = [board.flow(enters[k]) for k in (1, 2)]
    for (_, begins), literal in zip(ways, shot[1:], strict=True):
        board.each(-begins, literal)
    lights: list[Literals] = []
    if not without_hypothesis:
        board.light_hits_nothing(shot[0])
        lights = [
            board.light_hits_nothing(way, literal)
            for (way, _), literal in zip(ways, shot[1:], strict=True)
        ]

    def script() -> Steps:
        """No two of the beams enter in the same direction or in opposite ones.

        But among three directions, two are the same or opposite.
        """
        at, towards = np.indices((board.cells, 4)).reshape(2, -1)
        chosen, (first, second, _) = board.cell[at], board.headings
        for k, j in ((0, 0), (0, 1), (1, 1)):
            yield from board.walk_back(trails[k], ways[j][0], arms=True)
            yield from board.walk_back(trails[k], lights[j][board.against])
            one, other = board.headings[k], board.headings[j + 1]
            for meeting in (towards, OPPOSITE[towards]):
                yield from clauses(-chosen, -one[towards], -other[meeting])
        for heading in second:
            yield from clauses(-chosen, -first[towards], -heading)
        yield from clauses(-chosen, -first[towards])
        yield from none_chosen(board.cell)

    return board.meeting(script)


def _meeting_head_on(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Two beams that enter an open cell in opposite directions; `without_hypothesis`: in any two
    directions.
    """
    board = Meeting(rows, columns, 2, OPEN)
    one, other = board.headings
    board.each(-one, -other)
    if not without_hypothesis:
        board.each(-one, other[OPPOSITE])
    for heading in board.headings:
        board.flow(board.crossing(board.cell, heading))
    return board.meeting()


def _literals(
    rows: int, columns: int, without_hypothesis: bool, *, count: int
) -> CounterexampleFormula:
    """`count` literals, legal or not, that light the same open cell; `without_hypothesis`: that
    enter the same cell of any kind.
    """
    board = Meeting(rows, columns, count, None if without_hypothesis else OPEN)
    for heading, literal in zip(board.headings, _distinct_literals(board, count), strict=True):
        board.each(-board.flow(board.crossing(board.cell, heading))[1], literal)
    return board.meeting()


def _own_turret(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam that enters its own turret; `without_hypothesis`: any turret."""
    board = Meeting(rows, columns, 1, TURRET)
    _, begins = board.flow(*board.ways_in())
    if not without_hypothesis:
        board.each(-begins, board.cell[board.left])
    return board.meeting()


def _crosses_once(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A beam of a legal literal that enters an open cell in two directions."""
    board = Meeting(rows, columns, 2, OPEN)
    one, other = board.headings
    board.each(-one, -other)
    begins, again = (
        board.flow(board.crossing(board.cell, heading))[1] for heading in board.headings
    )
    board.equal(begins, again)
    if not without_hypothesis:
        back = OPPOSITE[board.heading]
        other_arm = board.channel[board.near[board.left, back], back]
        board.light_hits_nothing(begins, entries(begins, other_arm))
    return board.meeting()


def _one_orientation(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A turret that lights one open cell in either orientation, both legal."""
    board = Meeting(rows, columns, 2, OPEN)
    turret = board.pick("{} is the turret", TURRET)
    for axis, heading in enumerate(board.headings):
        _, begins = board.flow(board.crossing(board.cell, heading))
        board.each(-begins, turret[board.left])
        board.each(-begins, where=board.heading % 2 != axis)
    if not without_hypothesis:
        board.light_hits_nothing(turret[board.left])
    return board.meeting()


def _no_turrets(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A board without turrets, and an open cell that no beam comes to."""
    board = Meeting(rows, columns, 0, OPEN)
    if not without_hypothesis:
        board.each(-board.kind[TURRET])
    dark = board.lit()
    board.each(-board.cell[board.entered], dark)
    board.each(-dark, -board.leaving(TURRET))
    for kind in PASSED:
        board.each(
            -dark,
            -board.leaving(kind),
            entries(dark, board.before[kind]),
            where=board.before[kind] >= 0,
        )
    return board.meeting()


Headings = Sequence[str]
"""The chosen directions of a counterexample."""


def entry_failure(
    text: str, fails: Callable[..., bool] = lambda *beams: True, kind: str = rules.ALL_KINDS
) -> Callable[[rules.BoardRows, BoardCell, Headings], str]:
    """How a claim fails on a board: one beam in each of the directions enters the cell, and that is
    too much.

    Args:
        text: the same in words; `{}` becomes a beam, `{cell}` the cell.
        fails: (beams) -> whether the claim fails by these beams.
        kind: the cell is of one of these kinds.
    """

    def failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
        if rules.kind(rows, cell) in kind:
            for beams in product(
                *(rules.beams_entering(rows, (cell, heading)) for heading in headings)
            ):
                if fails(*beams):
                    return text.format(*beams, cell=place(cell))
        return ""

    return failure


def _opposite_failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
    one, other = headings
    if rules.BACK[one] != other:
        return ""
    text = f"{{}} and {{}} cross {{cell}}, one {one}wards, one {other}wards"
    return entry_failure(text, kind=".")(rows, cell, headings)


def _different_literals(*beams: rules.Beam) -> bool:
    """Whether all beams belong to different literals, a literal being a turret with an
    orientation.
    """
    return len({(beam.turret, beam.orientation) for beam in beams}) == len(beams)


def _literals_failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
    names = ", ".join("{}" for _ in headings)
    return entry_failure(f"{names} enter {{cell}}", _different_literals)(rows, cell, headings)


def _crosses_once_failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
    if len(set(headings)) < 2:
        return ""
    return entry_failure("{} crosses {cell} twice", operator.eq)(rows, cell, headings)


def _reversible_failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
    heading, back = headings
    answer = rules.beam(rows, cell, back)
    for sent in rules.beams_entering(rows, (cell, heading)):
        if (sent.turret, rules.BACK[sent.heading]) not in answer.crossings:
            return f"{sent} enters {place(cell)}, and {answer} does not come back along it"
    return ""


def _no_loop_failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
    (heading,) = headings
    circles = rules.beam(rows, rules.beside(cell, rules.BACK[heading]), heading).circles
    return f"light that enters {place(cell)} {heading}wards circles" if circles else ""


def _no_turrets_failure(rows: rules.BoardRows, cell: BoardCell, headings: Headings) -> str:
    if rules.kind(rows, cell) != "." or any(
        rules.beams_entering(rows, (cell, heading)) for heading in HEADINGS
    ):
        return ""
    return f"no beam comes to the open cell at {place(cell)}"


def _own_hits_ignored(board: Beams) -> Layout:
    """The answer of a solver that tries all orientations, but lets a beam hit its own turret."""
    rows = board.lines()
    for turned in rules.orientations(rows):
        hit = any(
            rules.beam(rows, t, arm).hits not in (None, t)
            for t, o in turned.items()
            for arm in rules.TURRET_HEADINGS[o]
        )
        light = {cell for t, o in turned.items() for cell in rules.lit(rows, t, o)}
        if not hit and light >= set(rules.cells(rows, ".")):
            return Layout(True, Beams(grid_of(rules.turn(rows, turned))))
    return Layout(False)


def _possible_as_it_is(board: Beams) -> Layout:
    """The answer of a solver that finds nothing wrong on a board without turrets."""
    return Layout(True, board)


LEMMAS = (
    FormulaLemma(
        name="beams-same-direction",
        statement="no two beams enter a cell in the same direction, whether their turrets are "
        "legally turned or not",
        source=WRITE_UP,
        quote="首先,空地不会被两束同向的激光打到,因为若可能,它们必有重合的一段路径,然而其中一束激光会被路径上的炮台或反射镜所影响。",
        translation=(
            "First, an open cell is not hit by two beams in the same direction: if it could be, "
            "they would share a part of "
            "their paths, but one of the beams would be affected by the turrets or mirrors on "
            "the path."
        ),
        dependents=("direct:two-sat",),
        size=8,
        build=_same,
        hypothesis="the two directions are the same",
        failure=entry_failure("{} and {} enter {cell}", lambda one, other: one != other),
    ),
    FormulaLemma(
        name="beams-opposite",
        statement="a beam that meets no turret crosses no open cell that some beam crosses in "
        "the opposite direction",
        source=WRITE_UP,
        quote="其次,空地也不会被两束反向的激光打到,因为光路可逆,若可能,一束激光能打到空地,则一定能沿着反向打到该空地的激光的逆光路,打到另一个炮台。",
        translation=(
            "Second, an open cell is not hit by two opposite beams either, because light paths "
            "are reversible: if it could "
            "be, a beam that hits the cell could follow the other beam's path backwards and hit "
            "the other turret."
        ),
        dependents=("direct:two-sat",),
        size=8,
        smallest_size=3,
        build=_opposite,
        hypothesis="the first beam meets no turret",
        failure=_opposite_failure,
    ),
    FormulaLemma(
        name="beams-reversible",
        statement="where a beam enters a turret, the beam that leaves that turret against it "
        "comes back along the same way",
        source=WRITE_UP,
        quote="光路可逆",
        translation="light paths are reversible",
        dependents=("direct:two-sat",),
        size=8,
        build=_reversible,
        hypothesis="the second beam leaves against the first",
        failure=_reversible_failure,
    ),
    FormulaLemma(
        name="beams-no-loop",
        statement="a beam never enters a loop: light that circles between mirrors comes from no "
        "turret",
        source=CONTEST,
        quote="a beam never enters a loop (in our words)",
        dependents=("direct:two-sat", "models:cnf-traced"),
        size=8,
        build=_no_loop,
        hypothesis="the light comes from a turret",
        failure=_no_loop_failure,
    ),
    FormulaLemma(
        name="beams-two-literals",
        statement="at most two turrets' legal orientations light the same open cell",
        source=WRITE_UP,
        quote="综上所述,再根据抽屉原理,每个空地最多可能被两个炮台的可取的朝向打到。",
        translation=(
            "In sum, by the pigeonhole principle, every open cell can be hit by the legal "
            "orientations of at most two turrets."
        ),
        dependents=("direct:two-sat",),
        size=6,
        smallest_size=3,
        build=_two_literals,
        hypothesis="the orientations are legal",
        failure=_literals_failure,
    ),
    FormulaLemma(
        name="beams-opposite-illegal",
        statement="no open cell is crossed in opposite directions, even by beams that hit a turret",
        source=WRITE_UP,
        quote="其次,空地也不会被两束反向的激光打到",
        translation="Second, an open cell is not hit by two opposite beams either",
        size=3,
        expected_to_hold=False,
        build=_meeting_head_on,
        hypothesis="the two directions are opposite",
        failure=entry_failure("{} and {} cross {cell}", kind="."),
    ),
    FormulaLemma(
        name="beams-two-illegal",
        statement="at most two turrets' orientations light the same open cell, even if some hit "
        "a turret",
        source=WRITE_UP,
        quote="每个空地最多可能被两个炮台的可取的朝向打到 (without 可取的, legal)",
        translation="every open cell can be hit by the (legal) orientations of at most two turrets",
        size=3,
        smallest_size=3,
        expected_to_hold=False,
        build=partial(_literals, count=3),
        hypothesis="the cell is open",
        failure=_literals_failure,
    ),
    FormulaLemma(
        name="beams-three-illegal",
        statement="at most three turrets' orientations light the same open cell, even if some "
        "hit a turret",
        source=WRITE_UP,
        quote="每个空地最多可能被两个炮台的可取的朝向打到 (without 可取的, legal)",
        translation="every open cell can be hit by the (legal) orientations of at most two turrets",
        size=3,
        smallest_size=3,
        expected_to_hold=False,
        build=partial(_literals, count=4),
        hypothesis="the cell is open",
        failure=_literals_failure,
    ),
    FormulaLemma(
        name="beams-own-turret",
        statement="a beam never comes back to its own turret, so that only others need be "
        "looked for",
        source=WRITE_UP,
        quote="对于每个朝向,先 dfs 一次判断是否能打到其他炮台,能则说明朝向不合法",
        translation="for each orientation, a first DFS tells whether it hits another turret; if "
        "so, the orientation is not legal",
        size=2,
        expected_to_hold=False,
        build=_own_turret,
        hypothesis="the turret hit is its own",
        failure=entry_failure("{} hits {cell}"),
        naive_answer=_own_hits_ignored,
    ),
    FormulaLemma(
        name="beams-crosses-once",
        statement="a beam of a legally turned turret crosses no open cell twice",
        source=WRITE_UP,
        quote="若空地能被两个炮台的朝向打到 (said of a list of beams)",
        translation="if an open cell can be hit by the orientations of two turrets",
        size=3,
        smallest_size=3,
        expected_to_hold=False,
        build=_crosses_once,
        hypothesis="the turret is legally turned",
        failure=_crosses_once_failure,
    ),
    FormulaLemma(
        name="beams-one-orientation",
        statement="a turret that is legal in both orientations lights an open cell in one of "
        "them only",
        source=WRITE_UP,
        quote="每个空地均可被看作 i 炮台为横/竖向或 j 炮台为横/竖向的约束条件",
        translation="every open cell can be seen as the constraint that turret i stands "
        "horizontally/vertically or turret j does",
        size=2,
        expected_to_hold=False,
        build=_one_orientation,
        hypothesis="both orientations are legal",
        failure=entry_failure(
            "{} lights {cell}, and so does {}",
            lambda one, other: one.turret == other.turret and one.orientation != other.orientation,
        ),
    ),
    FormulaLemma(
        name="beams-no-turrets",
        statement="a board without turrets is POSSIBLE",
        source=WRITE_UP,
        quote="if(sz==0)add(1,tcnt+1),add(tcnt+1,1); (which says nothing where tcnt is 0)",
        translation="if (no turret reaches the cell) require both x and not x of the first turret",
        size=1,
        smallest_size=1,
        expected_to_hold=False,
        build=_no_turrets,
        hypothesis="there is no turret",
        failure=_no_turrets_failure,
        naive_answer=_possible_as_it_is,
    ),
    *beams_greedy.GREEDY_LEMMAS,
)
