"""What write-up 000 and the contest's analysis say of beams: where they may meet, and that light can be walked backwards.

A lemma's formula states a beam as a trail where its proof walks back along it, else as a flow, which takes far fewer variables.
Every proof is one induction, `SymbolicBoard.walk_back`: light that is walked back from where two things meet is in the way of
the second all along, until it comes to its turret, where it must not be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, product

from models.lemmas.beams import plain
from models.lemmas.beams.symbolic import HEADINGS, OPEN, PASSED, TURRET, SymbolicBoard, opposite
from models.lemmas.lemma import Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import chosen, some
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of

WRITE_UP = "write-up 000 (Luogu P5297)"
CONTEST = "Code Jam 2017 Round 2 C, the contest's analysis"

Script = Callable[[], Iterator[list[int]]]


def _stated(
    board: SymbolicBoard, cell: Sequence[int], headings: Sequence[Sequence[int]] = (), script: Script | None = None
) -> Symbolic:
    """The formula of a board and one cell of it, entered in some directions."""

    def decode(model: Model) -> Counterexample:
        told = {
            "cell": divmod(chosen(model, cell), board.columns),
            "headings": tuple(HEADINGS[chosen(model, heading)] for heading in headings),
        }
        return Counterexample(board.read(model), told)

    return Symbolic(board.formula, decode, script, board.names())


def _unharmed(board: SymbolicBoard, sources: Iterable[tuple[int, int]]) -> list[int]:
    """Light that meets no turret; each source is a condition and a channel that is lit under it."""
    light = board.fresh()
    for condition, channel in sources:
        board.formula.add(-condition, light[channel])
    board.follow(light)
    for channel, lit in enumerate(light):
        board.formula.add(-lit, -board.kind(board.entered[channel], TURRET))
    return light


def _against(board: SymbolicBoard, light: Sequence[int]) -> list[int]:
    """For each channel, whether the light runs against it."""
    return [light[board.against(channel)] for channel in range(board.channels)]


def nowhere(*choices: Sequence[int]) -> Iterator[list[int]]:
    """The end of a proof: none of the variables can be the chosen one."""
    for choice in choices:
        yield from ([-variable] for variable in choice)
    yield []


def _same(rows: int, columns: int, dropped: bool) -> Symbolic:
    """Two beams that begin differently and enter a cell in the same direction."""
    board = SymbolicBoard(rows, columns)
    cell, one, other = board.choose(), board.direction(), board.direction()
    if not dropped:
        for heading in range(4):
            board.formula.add(-one[heading], other[heading])
    first, second = board.crossing(cell, one), board.crossing(cell, other)
    light, begins = board.flow(second)
    trail = board.trail(first, [-begin for begin in begins])

    def script() -> Iterator[list[int]]:
        """Walked back from the cell, the first beam is on the second's way; both begin at the turret that they come to."""
        yield from board.walk_back(trail, light, arms=True)
        yield from nowhere(first, cell)

    return _stated(board, cell, (one, other), script)


def _opposite(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A beam that meets no turret, and one (perhaps itself) that enters an open cell in the opposite direction."""
    board = SymbolicBoard(rows, columns)
    cell, heading = board.choose(OPEN), board.direction()
    reverse = [heading[opposite(towards)] for towards in range(4)]
    ahead, against = board.crossing(cell, heading), board.crossing(cell, reverse)
    way, _ = board.flow(ahead)
    trail = board.trail(against)
    if dropped:
        return _stated(board, cell, (heading, reverse))
    light = _unharmed(board, zip(way, range(board.channels), strict=True))

    def script() -> Iterator[list[int]]:
        """Walked back, the other beam is what the first one runs along from the cell on: so it hits the other's turret."""
        yield from board.walk_back(trail, _against(board, light))
        yield from nowhere(against, cell)

    return _stated(board, cell, (heading, reverse), script)


def _reversible(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A beam that enters a turret, and one that leaves that turret the same way and does not come back along the first."""
    board = SymbolicBoard(rows, columns)
    cell, heading, back = board.choose(TURRET), board.direction(), board.direction()
    if not dropped:
        for towards in range(4):
            board.formula.add(-heading[towards], back[opposite(towards)])
    enters, light = board.crossing(cell, heading), board.fresh()
    for channel, lit in enumerate(light):
        board.formula.add(-cell[board.left[channel]], -back[board.heading[channel]], lit)
    board.follow(light)
    returns = _against(board, light)
    trail = board.trail(enters, [-lit for lit in returns])

    def script() -> Iterator[list[int]]:
        """Step by step the first beam walked back is the second one, so this comes to the first one's turret."""
        yield from board.walk_back(trail, returns)
        yield from nowhere(enters, cell)

    return _stated(board, cell, (heading, back), script)


def _no_loop(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A beam that comes into a circle of light: into a set of channels each of which comes after one of the set."""
    board = SymbolicBoard(rows, columns)
    cell, heading = board.choose(), board.direction()
    enters, circle = board.crossing(cell, heading), board.fresh()
    for channel, entered in enumerate(enters):
        board.formula.add(-entered, circle[channel])
    board.trace_back(circle, None)
    if dropped:
        return _stated(board, cell, (heading,))
    trail = board.trail(enters)

    def script() -> Iterator[list[int]]:
        """Walked back, a circle stays the circle, and has no turret on it."""
        yield from board.walk_back(trail, circle)
        yield from nowhere(enters, cell)

    return _stated(board, cell, (heading,), script)


def _two_literals(rows: int, columns: int, dropped: bool) -> Symbolic:
    """Three legal literals, that is turrets in an orientation in which they hit none, each of which lights the same open cell."""
    board = SymbolicBoard(rows, columns)
    cell = board.choose(OPEN)
    headings = [board.direction() for _ in range(3)]
    enters = [board.crossing(cell, heading) for heading in headings]
    literals = [some(board.formula, 2 * board.cells) for _ in range(3)]
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
    if dropped:
        return _stated(board, cell, headings)
    _unharmed(board, zip(shot[0], range(board.channels), strict=True))
    lights = [
        _unharmed(board, [(literal, channel) for holds in (way, shot[k]) for channel, literal in enumerate(holds)])
        for k, way in enumerate(ways, 1)
    ]

    def script() -> Iterator[list[int]]:
        """No two of them come in one direction nor in opposite ones; and of three directions two are the same or opposite."""
        for k, j in ((0, 0), (0, 1), (1, 1)):
            yield from board.walk_back(trails[k], ways[j], arms=True)
            yield from board.walk_back(trails[k], _against(board, lights[j]))
            for here, towards in product(cell, range(4)):
                for meeting in (towards, opposite(towards)):
                    yield [-here, -headings[k][towards], -headings[j + 1][meeting]]
        for here, first in product(cell, range(4)):
            for second in range(4):
                yield [-here, -headings[0][first], -headings[1][second]]
            yield [-here, -headings[0][first]]
        yield from nowhere(cell)

    return _stated(board, cell, headings, script)


def _meeting_head_on(rows: int, columns: int, dropped: bool) -> Symbolic:
    """Two beams that enter an open cell in opposite directions; with `dropped`, in any two."""
    board = SymbolicBoard(rows, columns)
    cell, one, other = board.choose(OPEN), board.direction(), board.direction()
    for towards in range(4):
        board.formula.add(-one[towards], -other[towards])
        if not dropped:
            board.formula.add(-one[towards], other[opposite(towards)])
    for heading in (one, other):
        board.flow(board.crossing(cell, heading))
    return _stated(board, cell, (one, other))


def _literals(rows: int, columns: int, dropped: bool, *, count: int) -> Symbolic:
    """So many literals, legal or not, each of which lights the same open cell; with `dropped` any cell that they enter."""
    board = SymbolicBoard(rows, columns)
    cell = board.choose(None if dropped else OPEN)
    headings = [board.direction() for _ in range(count)]
    literals = [some(board.formula, 2 * board.cells) for _ in range(count)]
    for heading, literal in zip(headings, literals, strict=True):
        _, begins = board.flow(board.crossing(cell, heading))
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, literal[board.literal(channel)])
    for one, other in combinations(literals, 2):
        for left, right in zip(one, other, strict=True):
            board.formula.add(-left, -right)
    return _stated(board, cell, headings)


def _own_turret(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A beam that enters the turret from which it comes; with `dropped`, any turret."""
    board = SymbolicBoard(rows, columns)
    cell, heading = board.choose(TURRET), board.direction()
    _, begins = board.flow(board.crossing(cell, heading))
    if not dropped:
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, cell[board.left[channel]])
    return _stated(board, cell, (heading,))


def _crosses_once(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A beam of a legal literal that enters an open cell in two directions."""
    board = SymbolicBoard(rows, columns)
    cell, one, other = board.choose(OPEN), board.direction(), board.direction()
    for first, second in zip(one, other, strict=True):
        board.formula.add(-first, -second)
    (_, begins), (_, again) = (board.flow(board.crossing(cell, heading)) for heading in (one, other))
    for first, second in zip(begins, again, strict=True):
        board.formula.add(-first, second)
        board.formula.add(first, -second)
    if not dropped:
        arms = list(enumerate(begins))
        other_arms = [(channel, begin) for arm, begin in arms if (channel := board.other_arm(arm)) is not None]
        _unharmed(board, [(begin, channel) for channel, begin in arms + other_arms])
    return _stated(board, cell, (one, other))


def _one_orientation(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A turret that lights one open cell in either orientation, both legal."""
    board = SymbolicBoard(rows, columns)
    cell, one, other, turret = board.choose(OPEN), board.direction(), board.direction(), board.choose(TURRET)
    for axis, heading in enumerate((one, other)):
        _, begins = board.flow(board.crossing(cell, heading))
        for channel, begin in enumerate(begins):
            board.formula.add(-begin, turret[board.left[channel]])
            if board.heading[channel] % 2 != axis:
                board.formula.add(-begin)
    if not dropped:
        _unharmed(board, [(turret[board.left[channel]], channel) for channel in range(board.channels)])
    return _stated(board, cell, (one, other))


def _no_turrets(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A board without turrets, and an open cell that no beam comes to."""
    board = SymbolicBoard(rows, columns)
    cell = board.choose(OPEN)
    if not dropped:
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
    return _stated(board, cell)


def _meeting(found: Counterexample) -> Iterator[tuple[plain.Beam, ...]]:
    """For each choice of beams that enter the cell in the directions told, those beams."""
    return product(*(plain.crossing(found.rows, (found.told["cell"], heading)) for heading in found.told["headings"]))


def _same_fails(found: Counterexample) -> str:
    for one, other in _meeting(found):
        if one != other:
            return f"{one} and {other} enter {plain.name(found.told['cell'])}"
    return ""


def _opposite_fails(found: Counterexample) -> str:
    one, other = found.told["headings"]
    if plain.kind(found.rows, found.told["cell"]) != "." or plain.BACK[one] != other:
        return ""
    for first, second in _meeting(found):
        return f"{first} and {second} cross {plain.name(found.told['cell'])}, one {one}wards, one {other}wards"
    return ""


def _head_on_fails(found: Counterexample) -> str:
    if plain.kind(found.rows, found.told["cell"]) != ".":
        return ""
    for first, second in _meeting(found):
        return f"{first} and {second} cross {plain.name(found.told['cell'])}"
    return ""


def _reversible_fails(found: Counterexample) -> str:
    (heading, back), turret = found.told["headings"], found.told["cell"]
    answer = plain.beam(found.rows, turret, back)
    for sent in plain.crossing(found.rows, (turret, heading)):
        if (sent.turret, plain.BACK[sent.heading]) not in answer.crossings:
            return f"{sent} enters {plain.name(turret)}, and {answer} does not come back along it"
    return ""


def _no_loop_fails(found: Counterexample) -> str:
    cell, (heading,) = found.told["cell"], found.told["headings"]
    circles = plain.beam(found.rows, plain.beside(cell, plain.BACK[heading]), heading).circles
    return f"light that enters {plain.name(cell)} {heading}wards circles" if circles else ""


def _literals_fail(found: Counterexample) -> str:
    for sent in _meeting(found):
        if len({(beam.turret, beam.orientation) for beam in sent}) == len(sent):
            return f"{', '.join(map(str, sent))} enter {plain.name(found.told['cell'])}"
    return ""


def _own_turret_fails(found: Counterexample) -> str:
    for (sent,) in _meeting(found):
        return f"{sent} hits {plain.name(found.told['cell'])}"
    return ""


def _crosses_once_fails(found: Counterexample) -> str:
    for one, other in _meeting(found):
        if one == other and len(set(found.told["headings"])) == 2:
            return f"{one} crosses {plain.name(found.told['cell'])} twice"
    return ""


def _one_orientation_fails(found: Counterexample) -> str:
    for one, other in _meeting(found):
        if one.turret == other.turret and one.orientation != other.orientation:
            return f"{one} lights {plain.name(found.told['cell'])}, and so does {other}"
    return ""


def _no_turrets_fails(found: Counterexample) -> str:
    cell = found.told["cell"]
    if plain.kind(found.rows, cell) != "." or any(plain.crossing(found.rows, (cell, heading)) for heading in plain.STEP):
        return ""
    return f"no beam comes to the open cell at {plain.name(cell)}"


def _own_hits_ignored(board: Beams) -> Layout:
    """Somebody who looks only whether a beam hits another turret, by trying all orientations."""
    rows = board.lines()
    turrets = plain.cells(rows, plain.TURRETS)
    for orientations in product(plain.TURRETS, repeat=len(turrets)):
        turned = list(zip(turrets, orientations, strict=True))
        hit = any(plain.beam(rows, t, arm).hits not in (None, t) for t, o in turned for arm in plain.ARMS[o])
        light = {cell for t, o in turned for cell in plain.lit(rows, t, o)}
        if not hit and light >= set(plain.cells(rows, ".")):
            return Layout(True, Beams(grid_of(plain.turn(rows, dict(turned)))))
    return Layout(False)


def _possible_as_it_is(board: Beams) -> Layout:
    """Somebody who finds nothing wrong where there is no turret."""
    return Layout(True, board)


LEMMAS = (
    Lemma(
        name="beams-same-direction",
        puzzle="beams",
        statement="no two beams enter a cell in the same direction, whether their turrets are legally turned or not",
        source=WRITE_UP,
        quote="首先,空地不会被两束同向的激光打到,因为若可能,它们必有重合的一段路径,然而其中一束激光会被路径上的炮台或反射镜所影响。",
        size=8,
        bar=8,
        state=_same,
        drops="the two directions are the same",
        fails=_same_fails,
    ),
    Lemma(
        name="beams-opposite",
        puzzle="beams",
        statement="a beam that meets no turret crosses no open cell that some beam crosses in the opposite direction",
        source=WRITE_UP,
        quote="其次,空地也不会被两束反向的激光打到,因为光路可逆,若可能,一束激光能打到空地,则一定能沿着反向打到该空地的激光的逆光路,打到另一个炮台。",
        size=8,
        bar=8,
        least=3,
        state=_opposite,
        drops="the first beam meets no turret",
        fails=_opposite_fails,
    ),
    Lemma(
        name="beams-reversible",
        puzzle="beams",
        statement="where a beam enters a turret, the beam that leaves that turret against it comes back along the same way",
        source=WRITE_UP,
        quote="光路可逆",
        size=8,
        bar=8,
        state=_reversible,
        drops="the second beam leaves against the first",
        fails=_reversible_fails,
    ),
    Lemma(
        name="beams-no-loop",
        puzzle="beams",
        statement="a beam never enters a loop: light that circles between mirrors comes from no turret",
        source=CONTEST,
        quote="a beam never enters a loop (in our words)",
        size=8,
        bar=8,
        state=_no_loop,
        drops="the light comes from a turret",
        fails=_no_loop_fails,
    ),
    Lemma(
        name="beams-two-literals",
        puzzle="beams",
        statement="at most two turrets' legal orientations light the same open cell",
        source=WRITE_UP,
        quote="综上所述,再根据抽屉原理,每个空地最多可能被两个炮台的可取的朝向打到。",
        size=6,
        bar=6,
        least=3,
        state=_two_literals,
        drops="the orientations are legal",
        fails=_literals_fail,
    ),
    Lemma(
        name="beams-opposite-illegal",
        puzzle="beams",
        statement="no open cell is crossed in opposite directions, even by beams that hit a turret",
        source=WRITE_UP,
        quote="其次,空地也不会被两束反向的激光打到",
        size=3,
        bar=3,
        holds=False,
        state=_meeting_head_on,
        drops="the two directions are opposite",
        fails=_head_on_fails,
    ),
    Lemma(
        name="beams-two-illegal",
        puzzle="beams",
        statement="at most two turrets' orientations light the same open cell, even if some hit a turret",
        source=WRITE_UP,
        quote="每个空地最多可能被两个炮台的可取的朝向打到 (without 可取的, legal)",
        size=3,
        bar=3,
        least=3,
        holds=False,
        state=partial(_literals, count=3),
        drops="the cell is open",
        fails=_literals_fail,
    ),
    Lemma(
        name="beams-three-illegal",
        puzzle="beams",
        statement="at most three turrets' orientations light the same open cell, even if some hit a turret",
        source=WRITE_UP,
        quote="每个空地最多可能被两个炮台的可取的朝向打到 (without 可取的, legal)",
        size=3,
        bar=3,
        least=3,
        holds=False,
        state=partial(_literals, count=4),
        drops="the cell is open",
        fails=_literals_fail,
    ),
    Lemma(
        name="beams-own-turret",
        puzzle="beams",
        statement="a beam never comes back to its own turret, so that only others need be looked for",
        source=WRITE_UP,
        quote="对于每个朝向,先 dfs 一次判断是否能打到其他炮台,能则说明朝向不合法",
        size=2,
        bar=2,
        holds=False,
        state=_own_turret,
        drops="the turret hit is its own",
        fails=_own_turret_fails,
        believed=_own_hits_ignored,
    ),
    Lemma(
        name="beams-crosses-once",
        puzzle="beams",
        statement="a beam of a legally turned turret crosses no open cell twice",
        source=WRITE_UP,
        quote="若空地能被两个炮台的朝向打到 (said of a list of beams)",
        size=3,
        bar=3,
        least=3,
        holds=False,
        state=_crosses_once,
        drops="the turret is legally turned",
        fails=_crosses_once_fails,
    ),
    Lemma(
        name="beams-one-orientation",
        puzzle="beams",
        statement="a turret that is legal in both orientations lights an open cell in one of them only",
        source=WRITE_UP,
        quote="每个空地均可被看作 i 炮台为横/竖向或 j 炮台为横/竖向的约束条件",
        size=2,
        bar=2,
        holds=False,
        state=_one_orientation,
        drops="both orientations are legal",
        fails=_one_orientation_fails,
    ),
    Lemma(
        name="beams-no-turrets",
        puzzle="beams",
        statement="a board without turrets is POSSIBLE",
        source=WRITE_UP,
        quote="if(sz==0)add(1,tcnt+1),add(tcnt+1,1); (which says nothing where tcnt is 0)",
        size=1,
        bar=1,
        least=1,
        holds=False,
        state=_no_turrets,
        drops="there is no turret",
        fails=_no_turrets_fails,
        believed=_possible_as_it_is,
    ),
)
