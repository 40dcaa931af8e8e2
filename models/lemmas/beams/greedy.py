"""The contest's small case: a board without mirrors needs no 2-SAT, for once nothing is forced the other turrets may all lie flat.

Two rules force a turret: it must not hit another; and where an open cell can be lit in one way only, by turrets that are not set
otherwise, that way it is lit. Applied until they force nothing more, they leave every solution as it is, by
induction over `beams-forced`; and then all the others may be turned alike, `beams-greedy`. Each applied once they are not enough.

Here light runs straight, so what holds of the turret that light comes from is carried along its line cell by cell, and both
lemmas are about one cell and what is seen from it. Which way the others are turned, flat or upright, is a variable, so that a
board and its mirror image in the diagonal are the same to a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from models.lemmas.beams import plain
from models.lemmas.beams.light import CONTEST, nowhere
from models.lemmas.beams.symbolic import OPEN, TURRET, WALL, SymbolicBoard, opposite
from models.lemmas.lemma import Counterexample, Lemma, Model, Symbolic
from models.lemmas.logic import both, either, some
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of

FLAT, UPRIGHT = 0, 1
"""The axis of a direction d is d % 2."""

Setting = Callable[[int, int], int]
"""(cell, axis) -> "a turret in that cell is turned along that axis", or whatever else can be said of the two."""


class Straight(SymbolicBoard):
    """A board without mirrors."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns, OPEN + WALL + TURRET)
        self.into = [[y for d in range(4) if (y := self.channel(cell, d)) is not None] for cell in range(self.cells)]

    def axis(self, channel: int) -> int:
        return self.heading[channel] % 2

    def carried(self, setting: Setting) -> list[int]:
        """For each channel, whether light that enters by it would come from a turret of which `setting` holds."""
        made, add = self.fresh(), self.formula.add
        for channel, holds in enumerate(made):
            cell = self.left[channel]
            said, before = setting(cell, self.axis(channel)), self.before(channel, OPEN)
            add(-holds, -self.kind(cell, WALL))
            add(-holds, -self.kind(cell, TURRET), said)
            add(holds, -self.kind(cell, TURRET), -said)
            if before is None:
                add(-holds, -self.kind(cell, OPEN))
            else:
                add(-holds, -self.kind(cell, OPEN), made[before])
                add(holds, -self.kind(cell, OPEN), -made[before])
        return made

    def along(self) -> list[int]:
        """The channels, each after those that light comes through before it."""
        return sorted(range(self.channels), key=lambda y: self.left[y] if self.heading[y] < 2 else -self.left[y])

    def turned(self, model: Model, flat: Sequence[int]) -> tuple[str, ...]:
        """The rows of a model's board, with each turret flat or upright as its variable says."""
        return self.read(model, ["-" if model[variable] else "|" for variable in flat])


class Lines(NamedTuple):
    """A board, a solution of it, and some settings; for each channel, whether light would come by it.

    Attributes:
        solution: for each cell, "the solution turns a turret there flat".
        forced: for each axis and cell, "the turret there is set so"; never both.
        seen: from any turret.
        solved: from a turret as the solution turns it.
        left: from a turret that is not set the other way.
        sure: from a turret that is set this way.
    """

    board: Straight
    solution: list[int]
    forced: tuple[list[int], list[int]]
    seen: list[int]
    solved: list[int]
    left: list[int]
    sure: list[int]

    def decode(self, model: Model, flat: Sequence[int]) -> Counterexample:
        """The board with each turret as its variable says; told are the solution and what is set."""
        already = {
            divmod(cell, self.board.columns): orientation
            for orientation, axis in zip("-|", self.forced, strict=True)
            for cell in range(self.board.cells)
            if model[self.board.kind(cell, TURRET)] and model[axis[cell]]
        }
        told = {"solution": self.board.turned(model, self.solution), "already": already}
        return Counterexample(self.board.turned(model, flat), told)


def _lines(rows: int, columns: int) -> Lines:
    board = Straight(rows, columns)
    add, true = board.formula.add, board.formula.new()
    add(true)
    solution = some(board.formula, board.cells)
    forced = some(board.formula, board.cells), some(board.formula, board.cells)
    lines = Lines(
        board,
        solution,
        forced,
        board.carried(lambda cell, axis: true),
        board.carried(lambda cell, axis: _along(solution[cell], axis)),
        board.carried(lambda cell, axis: -forced[1 - axis][cell]),
        board.carried(lambda cell, axis: forced[axis][cell]),
    )
    for cell, into in enumerate(board.into):
        add(-forced[FLAT][cell], -forced[UPRIGHT][cell])
        add(-board.kind(cell, OPEN), *(lines.solved[channel] for channel in into))
        for channel in into:
            add(-board.kind(cell, TURRET), -lines.solved[channel])
    return lines


def _along(flat: int, axis: int) -> int:
    """The literal "turned along that axis", from the one that says flat."""
    return flat if axis == FLAT else -flat


def _agree(lines: Lines) -> None:
    """What is set is as the solution has it."""
    for axis, settings in enumerate(lines.forced):
        for flat, setting in zip(lines.solution, settings, strict=True):
            lines.board.formula.add(-setting, _along(flat, axis))


def _by_cases(lines: Lines, channel: int, *clause: int) -> Iterator[list[int]]:
    """A clause, proved for an open cell left and with that for a turret; from a wall no light comes."""
    yield [*clause, -lines.board.kind(lines.board.left[channel], OPEN)]
    yield [*clause]


def _forced(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A cell at which a rule forces a turret otherwise than a solution turns it, although it did not do so before."""
    lines = _lines(rows, columns)
    if not dropped:
        _agree(lines)
    board, add = lines.board, lines.board.formula.add
    cell, heading = board.choose(), board.direction()
    way = board.crossing(cell, heading)
    for at, into in enumerate(board.into):
        add(-cell[at], -board.kind(at, WALL))
        is_turret, is_open = board.kind(at, TURRET), board.kind(at, OPEN)
        for channel in into:
            # a turret turned towards another that it sees
            add(-way[channel], -is_turret, lines.seen[channel])
            add(-way[channel], -is_turret, _along(lines.solution[at], board.axis(channel)))
            # an open cell that can be lit by this way only, and is not
            add(-way[channel], -is_open, lines.left[channel])
            add(-way[channel], -is_open, -lines.solved[channel])
            for other in into:
                if other != channel:
                    add(-way[channel], -is_open, -lines.left[other])

    def script() -> Iterator[list[int]]:
        """What the solution lights is left to be lit; and no light runs from a turret of it along a line towards another."""
        for channel in board.along():
            yield from _by_cases(lines, channel, -lines.solved[channel], lines.left[channel])
            back = board.channel(board.entered[channel], opposite(board.heading[channel]))
            if back is not None:
                is_open = board.kind(board.entered[channel], OPEN)
                yield from _by_cases(lines, channel, -is_open, -lines.seen[channel], -lines.solved[back])
        for at, into in enumerate(board.into):
            for channel in into:
                yield from _by_cases(lines, channel, -way[channel], -board.kind(at, TURRET))
                yield [-way[channel], -board.kind(at, OPEN)]
                yield [-way[channel]]
        yield from nowhere(cell)

    return Symbolic(board.formula, lambda model: lines.decode(model, lines.solution), None if dropped else script, board.names())


def _greedy(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A board that has a solution; settings of it, to which the rules add nothing; all others turned alike: and that is none."""
    lines = _lines(rows, columns)
    _agree(lines)
    board, add = lines.board, lines.board.formula.add
    if not dropped:
        for at, into in enumerate(board.into):
            for channel in into:
                others = [lines.left[other] for other in into if other != channel]
                add(-board.kind(at, TURRET), -lines.seen[channel], lines.forced[1 - board.axis(channel)][at])
                add(-board.kind(at, OPEN), -lines.left[channel], *others, lines.sure[channel])
    rest = board.formula.new()
    flat, lit, cell = _failure(lines, rest)

    def script() -> Iterator[list[int]]:
        """A dark cell has nothing left along the others' axis; of two ways along the other one both turrets would be set."""
        for channel in board.along():
            solved, left, sure, seen = (x[channel] for x in (lines.solved, lines.left, lines.sure, lines.seen))
            yield from _by_cases(lines, channel, -solved, left)
            yield from _by_cases(lines, channel, -left, seen)
            yield from _by_cases(lines, channel, -sure, lit[channel])
            yield from _by_cases(lines, channel, -lit[channel], left)
            yield from _by_cases(lines, channel, -_along(rest, board.axis(channel)), -left, lit[channel])
            back = board.channel(board.entered[channel], opposite(board.heading[channel]))
            if back is not None:
                is_open = board.kind(board.entered[channel], OPEN)
                yield from _by_cases(lines, channel, -is_open, -lines.seen[back], -left)
        for at, into in enumerate(board.into):
            for channel in into:
                yield from _by_cases(lines, channel, -board.kind(at, TURRET), -lines.left[channel])
                dark = [-cell[at], -board.kind(at, OPEN), -lines.solved[channel]]
                yield [*dark, -_along(rest, board.axis(channel))]
                yield dark
            yield [-cell[at], -board.kind(at, OPEN)]
        yield from nowhere(cell)

    return Symbolic(board.formula, lambda model: lines.decode(model, flat), None if dropped else script, board.names())


def _failure(lines: Lines, rest: int) -> tuple[list[int], list[int], list[int]]:
    """What is set as it is set, the others flat if `rest`, and a cell where that is wrong: dark, or a turret hit.

    Returns:
        "turned flat" for each cell, "lit by this way" for each channel, and "this cell" for each.
    """
    board, add = lines.board, lines.board.formula.add
    flat, cell = some(board.formula, board.cells), board.choose()
    for turned, sets_flat, sets_upright in zip(flat, *lines.forced, strict=True):
        add(turned, -sets_flat)
        add(-turned, -sets_upright)
        add(turned, sets_upright, -rest)
        add(-turned, sets_flat, rest)
    lit = board.carried(lambda at, axis: _along(flat[at], axis))
    for at, into in enumerate(board.into):
        add(-cell[at], -board.kind(at, WALL))
        add(-cell[at], -board.kind(at, TURRET), *(lit[channel] for channel in into))
        for channel in into:
            add(-cell[at], -board.kind(at, OPEN), -lit[channel])
    return flat, lit, cell


def _one_pass(rows: int, columns: int, dropped: bool) -> Symbolic:
    """A board that has a solution; what the rules force at once, all others turned alike: and that is none.

    With `dropped` nothing is forced.
    """
    lines = _lines(rows, columns)
    board, formula = lines.board, lines.board.formula
    meets = [[-either(formula, *(lines.seen[y] for y in into if board.axis(y) == axis)) for into in board.into] for axis in (0, 1)]
    fits = board.carried(lambda cell, axis: meets[axis][cell])
    only: list[int] = []
    for channel in range(board.channels):
        cell = board.entered[channel]
        others = [-fits[other] for other in board.into[cell] if other != channel]
        only.append(both(formula, board.kind(cell, OPEN), fits[channel], *others))
    needed = board.fresh()
    for channel in reversed(board.along()):
        cell, after = board.entered[channel], board.after(channel, OPEN)
        further = only[channel] if after is None else either(formula, only[channel], needed[after])
        ahead = both(formula, board.kind(cell, OPEN), further)
        formula.add(-needed[channel], ahead)
        formula.add(needed[channel], -ahead)
    for cell in range(board.cells):
        for axis, settings in enumerate(lines.forced):
            if dropped:
                formula.add(-settings[cell])
                continue
            arms = [arm for arm in range(board.channels) if board.left[arm] == cell and board.axis(arm) == axis]
            force = either(formula, -meets[1 - axis][cell], *(needed[arm] for arm in arms))
            set_so = both(formula, board.kind(cell, TURRET), force)
            formula.add(-settings[cell], set_so)
            formula.add(settings[cell], -set_so)
    rest = formula.new()
    flat, _, _ = _failure(lines, rest)

    def decode(model: Model) -> Counterexample:
        """Where the others stand upright, the mirror image, in which they lie flat."""
        found = lines.decode(model, flat)
        return found if model[rest] else _mirrored(found)

    return Symbolic(formula, decode, None, board.names())


def _mirrored(found: Counterexample) -> Counterexample:
    """The counterexample in the diagonal, turrets turned with the board."""
    other = str.maketrans("-|", "|-")

    def mirrored(rows: Sequence[str]) -> tuple[str, ...]:
        return tuple("".join(column).translate(other) for column in zip(*rows, strict=True))

    already = {(column, row): orientation.translate(other) for (row, column), orientation in found.told["already"].items()}
    return Counterexample(mirrored(found.rows), {"solution": mirrored(found.told["solution"]), "already": already})


def _forced_fails(found: Counterexample) -> str:
    if plain.wrong(found.rows):
        return ""
    for turret, orientation in sorted(plain.forced(found.rows, found.told["already"])):
        if plain.kind(found.rows, turret) != orientation:
            return f"a rule turns {plain.name(turret)} to {orientation}, and as it stands it is part of a solution"
    return ""


def _greedy_fails(found: Counterexample) -> str:
    wrong = plain.wrong(found.rows)
    if not wrong or plain.wrong(found.told["solution"]):
        return ""
    return f"{wrong}, and {' / '.join(found.told['solution'])} is a solution"


def _one_pass_fails(found: Counterexample) -> str:
    as_is = not found.told["already"] or found.rows == plain.one_pass(found.rows)
    return _greedy_fails(found) if as_is else ""


def _one_pass_played(board: Beams) -> Layout:
    """Somebody who forces what is forced at once and lays the other turrets flat."""
    return Layout(True, Beams(grid_of(plain.one_pass(board.lines()))))


LEMMAS = (
    Lemma(
        name="beams-forced",
        puzzle="beams",
        statement="without mirrors, what the two rules force is so in every solution, if it was so of all that they forced before",
        source=CONTEST,
        quote="set what is forced (in our words)",
        size=20,
        bar=20,
        state=_forced,
        drops="all that was forced before is so in the solution",
        fails=_forced_fails,
    ),
    Lemma(
        name="beams-greedy",
        puzzle="beams",
        statement="without mirrors, once nothing more is forced, any board that can be solved is so by turning all others alike",
        source=CONTEST,
        quote="after the forced settings all others may be horizontal (in our words)",
        size=20,
        bar=20,
        state=_greedy,
        drops="nothing more is forced",
        fails=_greedy_fails,
    ),
    Lemma(
        name="beams-one-pass",
        puzzle="beams",
        statement="without mirrors, what the rules force at once is enough: then all other turrets may lie flat",
        source=CONTEST,
        quote="after the forced settings all others may be horizontal (in our words), read as one pass",
        size=3,
        bar=3,
        holds=False,
        state=_one_pass,
        drops="what the rules force at once is set",
        fails=_one_pass_fails,
        believed=_one_pass_played,
    ),
)
