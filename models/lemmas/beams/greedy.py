"""The contest's small case: a board without mirrors needs no 2-SAT. A greedy sets what is forced, and lays all other turrets flat.

Two rules force a turret. It must not hit another turret. And if an open cell can be lit in one way only, by turrets that are not
set otherwise, it is lit in that way. The rules are applied until they force nothing more. They keep every solution, by induction
over `beams-forced`; and then all other turrets may be turned alike, by `beams-greedy`. Each rule applied only once is not enough.

In the formulas a variable says which way the others are turned, flat or upright. So a board and its mirror image in the diagonal
are the same to a formula.

Without mirrors light runs straight. What holds of the turret that light comes from is carried along its line from cell to cell.
So a lemma can be about one cell and what is seen from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from models.lemmas.beams import concrete
from models.lemmas.beams.symbolic import CONTEST, OPEN, TURRET, WALL, SymbolicBoard, none_chosen, opposite
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula, FormulaLemma
from models.lemmas.logic import all_of, any_of, new_variables
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of

FLAT, UPRIGHT = 0, 1
"""The axis of a direction d is d % 2."""

Setting = Callable[[int, int], int]
"""(cell, axis) -> a literal about a turret in that cell and that axis, such as "it is turned along this axis"."""


class MirrorlessBoard(SymbolicBoard):
    """A board without mirrors.

    Attributes:
        into: for each cell the channels that enter it.
    """

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns, OPEN + WALL + TURRET)
        self.into = [[y for d in range(4) if (y := self.channel(cell, d)) is not None] for cell in range(self.cells)]

    def axis(self, channel: int) -> int:
        """FLAT or UPRIGHT."""
        return self.heading[channel] % 2

    def light_from(self, setting: Setting) -> list[int]:
        """For each channel a new variable: in its line there is a turret from which light would come, and `setting` holds of it."""
        carried, add = self.fresh(), self.formula.add
        for channel, holds in enumerate(carried):
            cell = self.left[channel]
            at_turret, before = setting(cell, self.axis(channel)), self.before(channel, OPEN)
            add(-holds, -self.kind(cell, WALL))
            add(-holds, -self.kind(cell, TURRET), at_turret)
            add(holds, -self.kind(cell, TURRET), -at_turret)
            if before is None:
                add(-holds, -self.kind(cell, OPEN))
            else:
                add(-holds, -self.kind(cell, OPEN), carried[before])
                add(holds, -self.kind(cell, OPEN), -carried[before])
        return carried

    def in_light_order(self) -> list[int]:
        """The channels in an order in which each comes after the one that its light passed before."""
        return sorted(range(self.channels), key=lambda y: self.left[y] if self.heading[y] < 2 else -self.left[y])

    def turned(self, model: Assignment, flat: Sequence[int]) -> tuple[str, ...]:
        """The rows of a model's board; `flat` says for each cell whether a turret there is flat."""
        return self.read(model, ["-" if model[variable] else "|" for variable in flat])


class StraightLight(NamedTuple):
    """A board, a solution of it, and settings: turrets whose axis is already decided.

    Attributes:
        solution: for each cell, "the solution turns a turret there flat".
        settings: for each axis and cell, "a turret there is set to this axis"; never both axes.
        seen: for each channel, "there is a turret in its line".
        by_solution: "... and the solution turns it so that its light comes by this channel".
        possible: "... and it is not set to the other axis".
        certain: "... and it is set to this axis".
    """

    board: MirrorlessBoard
    solution: list[int]
    settings: tuple[list[int], list[int]]
    seen: list[int]
    by_solution: list[int]
    possible: list[int]
    certain: list[int]

    def decode(self, model: Assignment, flat: Sequence[int]) -> Counterexample:
        """The board with its turrets turned as `flat` says.

        The details: `solution`, its rows; `already`, the axis of each set turret.
        """
        already = {
            divmod(cell, self.board.columns): orientation
            for orientation, axis in zip("-|", self.settings, strict=True)
            for cell in range(self.board.cells)
            if model[self.board.kind(cell, TURRET)] and model[axis[cell]]
        }
        details = {"solution": self.board.turned(model, self.solution), "already": already}
        return Counterexample(self.board.turned(model, flat), details)


def straight_light(rows: int, columns: int) -> StraightLight:
    """A board that has a solution, with any settings."""
    board = MirrorlessBoard(rows, columns)
    add, true = board.formula.add, board.formula.new()
    add(true)
    solution = new_variables(board.formula, board.cells)
    settings = new_variables(board.formula, board.cells), new_variables(board.formula, board.cells)
    light = StraightLight(
        board,
        solution,
        settings,
        board.light_from(lambda cell, axis: true),
        board.light_from(lambda cell, axis: along_axis(solution[cell], axis)),
        board.light_from(lambda cell, axis: -settings[1 - axis][cell]),
        board.light_from(lambda cell, axis: settings[axis][cell]),
    )
    for cell, into in enumerate(board.into):
        add(-settings[FLAT][cell], -settings[UPRIGHT][cell])
        add(-board.kind(cell, OPEN), *(light.by_solution[channel] for channel in into))
        for channel in into:
            add(-board.kind(cell, TURRET), -light.by_solution[channel])
    return light


def along_axis(flat: int, axis: int) -> int:
    """The literal "turned along this axis", from the literal "turned flat"."""
    return flat if axis == FLAT else -flat


def settings_agree(light: StraightLight) -> None:
    """State that each set turret is set as the solution turns it."""
    for axis, settings in enumerate(light.settings):
        for flat, setting in zip(light.solution, settings, strict=True):
            light.board.formula.add(-setting, along_axis(flat, axis))


def clause_by_cases(light: StraightLight, channel: int, *clause: int) -> Iterator[list[int]]:
    """Two steps of a proof: the clause if the light comes out of an open cell, then the clause in general.

    For a turret it then follows by propagation, and no light comes out of a wall.
    """
    yield [*clause, -light.board.kind(light.board.left[channel], OPEN)]
    yield [*clause]


def _forced(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A cell at which a rule forces a turret, and not as the solution turns it; all earlier settings agree with the solution."""
    light = straight_light(rows, columns)
    if not without_hypothesis:
        settings_agree(light)
    board, add = light.board, light.board.formula.add
    cell, heading = board.choose(), board.direction()
    way = board.crossing(cell, heading)
    for at, into in enumerate(board.into):
        add(-cell[at], -board.kind(at, WALL))
        is_turret, is_open = board.kind(at, TURRET), board.kind(at, OPEN)
        for channel in into:
            # The turret sees another turret, and the solution turns it towards that one.
            add(-way[channel], -is_turret, light.seen[channel])
            add(-way[channel], -is_turret, along_axis(light.solution[at], board.axis(channel)))
            # The open cell can be lit in this way only, and the solution does not light it so.
            add(-way[channel], -is_open, light.possible[channel])
            add(-way[channel], -is_open, -light.by_solution[channel])
            for other in into:
                if other != channel:
                    add(-way[channel], -is_open, -light.possible[other])

    def script() -> Iterator[list[int]]:
        """All light of the solution is possible. And the solution turns no turret along a line towards another turret."""
        for channel in board.in_light_order():
            yield from clause_by_cases(light, channel, -light.by_solution[channel], light.possible[channel])
            back = board.channel(board.entered[channel], opposite(board.heading[channel]))
            if back is not None:
                is_open = board.kind(board.entered[channel], OPEN)
                yield from clause_by_cases(light, channel, -is_open, -light.seen[channel], -light.by_solution[back])
        for at, into in enumerate(board.into):
            for channel in into:
                yield from clause_by_cases(light, channel, -way[channel], -board.kind(at, TURRET))
                yield [-way[channel], -board.kind(at, OPEN)]
                yield [-way[channel]]
        yield from none_chosen(cell)

    return CounterexampleFormula(
        board.formula, lambda model: light.decode(model, light.solution), None if without_hypothesis else script, board.names()
    )


def _greedy(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Settings that agree with a solution, to which the rules add nothing; all other turrets are turned alike; and something is
    wrong.
    """
    light = straight_light(rows, columns)
    settings_agree(light)
    board, add = light.board, light.board.formula.add
    if not without_hypothesis:
        for at, into in enumerate(board.into):
            for channel in into:
                others = [light.possible[other] for other in into if other != channel]
                add(-board.kind(at, TURRET), -light.seen[channel], light.settings[1 - board.axis(channel)][at])
                add(-board.kind(at, OPEN), -light.possible[channel], *others, light.certain[channel])
    rest = board.formula.new()
    flat, lit, cell = _something_wrong(light, rest)

    def script() -> Iterator[list[int]]:
        """No light is possible on a dark cell along the axis of the other turrets.

        On the other axis, turrets on both sides would be set.
        """
        for channel in board.in_light_order():
            by_solution, possible = light.by_solution[channel], light.possible[channel]
            yield from clause_by_cases(light, channel, -by_solution, possible)
            yield from clause_by_cases(light, channel, -possible, light.seen[channel])
            yield from clause_by_cases(light, channel, -light.certain[channel], lit[channel])
            yield from clause_by_cases(light, channel, -lit[channel], possible)
            yield from clause_by_cases(light, channel, -along_axis(rest, board.axis(channel)), -possible, lit[channel])
            back = board.channel(board.entered[channel], opposite(board.heading[channel]))
            if back is not None:
                is_open = board.kind(board.entered[channel], OPEN)
                yield from clause_by_cases(light, channel, -is_open, -light.seen[back], -possible)
        for at, into in enumerate(board.into):
            for channel in into:
                yield from clause_by_cases(light, channel, -board.kind(at, TURRET), -light.possible[channel])
                dark = [-cell[at], -board.kind(at, OPEN), -light.by_solution[channel]]
                yield [*dark, -along_axis(rest, board.axis(channel))]
                yield dark
            yield [-cell[at], -board.kind(at, OPEN)]
        yield from none_chosen(cell)

    return CounterexampleFormula(
        board.formula, lambda model: light.decode(model, flat), None if without_hypothesis else script, board.names()
    )


def _something_wrong(light: StraightLight, rest: int) -> tuple[list[int], list[int], list[int]]:
    """State that something is wrong: set turrets stand as they are set, the others are flat if `rest` holds, else upright.

    Returns:
        For each cell "a turret here is flat"; for each channel "light comes by it"; for each cell "this cell is wrong", that is, it
        is an open cell that is dark, or a turret that is hit.
    """
    board, add = light.board, light.board.formula.add
    flat, cell = new_variables(board.formula, board.cells), board.choose()
    for turned, sets_flat, sets_upright in zip(flat, *light.settings, strict=True):
        add(turned, -sets_flat)
        add(-turned, -sets_upright)
        add(turned, sets_upright, -rest)
        add(-turned, sets_flat, rest)
    lit = board.light_from(lambda at, axis: along_axis(flat[at], axis))
    for at, into in enumerate(board.into):
        add(-cell[at], -board.kind(at, WALL))
        add(-cell[at], -board.kind(at, TURRET), *(lit[channel] for channel in into))
        for channel in into:
            add(-cell[at], -board.kind(at, OPEN), -lit[channel])
    return flat, lit, cell


def _one_pass(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A board that has a solution; turrets are set as the rules force at once, all others turned alike; and something is wrong.

    `without_hypothesis`: no turret is set.
    """
    light = straight_light(rows, columns)
    board, formula = light.board, light.board.formula
    # For each axis and cell: no turret is in line along this axis. A turret may be turned only along such an axis.
    unseen = [[-any_of(formula, *(light.seen[y] for y in into if board.axis(y) == axis)) for into in board.into] for axis in (0, 1)]
    legal_light = board.light_from(lambda cell, axis: unseen[axis][cell])
    # The channel is the only one by which light can come to an open cell.
    only: list[int] = []
    for channel in range(board.channels):
        cell = board.entered[channel]
        others = [-legal_light[other] for other in board.into[cell] if other != channel]
        only.append(all_of(formula, board.kind(cell, OPEN), legal_light[channel], *others))
    # Some cell further on in this line can be lit by this channel only.
    needed = board.fresh()
    for channel in reversed(board.in_light_order()):
        cell, after = board.entered[channel], board.after(channel, OPEN)
        further = only[channel] if after is None else any_of(formula, only[channel], needed[after])
        ahead = all_of(formula, board.kind(cell, OPEN), further)
        formula.add(-needed[channel], ahead)
        formula.add(needed[channel], -ahead)
    for cell in range(board.cells):
        for axis, settings in enumerate(light.settings):
            if without_hypothesis:
                formula.add(-settings[cell])
                continue
            arms = [arm for arm in range(board.channels) if board.left[arm] == cell and board.axis(arm) == axis]
            force = any_of(formula, -unseen[1 - axis][cell], *(needed[arm] for arm in arms))
            set_so = all_of(formula, board.kind(cell, TURRET), force)
            formula.add(-settings[cell], set_so)
            formula.add(settings[cell], -set_so)
    rest = formula.new()
    flat, _, _ = _something_wrong(light, rest)

    def decode(model: Assignment) -> Counterexample:
        """A board on which the other turrets lie flat; if they stand upright in the model, its mirror image in the diagonal."""
        example = light.decode(model, flat)
        return example if model[rest] else _mirrored(example)

    return CounterexampleFormula(formula, decode, None, board.names())


def _mirrored(example: Counterexample) -> Counterexample:
    """The counterexample mirrored in the diagonal; turrets turn with the board."""
    other = str.maketrans("-|", "|-")

    def mirrored(rows: Sequence[str]) -> tuple[str, ...]:
        return tuple("".join(column).translate(other) for column in zip(*rows, strict=True))

    already = {(column, row): orientation.translate(other) for (row, column), orientation in example.details["already"].items()}
    return Counterexample(mirrored(example.rows), {"solution": mirrored(example.details["solution"]), "already": already})


def _forced_failure(example: Counterexample) -> str:
    if concrete.wrong(example.rows):
        return ""
    for turret, orientation in sorted(concrete.forced(example.rows, example.details["already"])):
        if concrete.kind(example.rows, turret) != orientation:
            return f"a rule turns {concrete.name(turret)} to {orientation}, and as it stands it is part of a solution"
    return ""


def _greedy_failure(example: Counterexample) -> str:
    wrong = concrete.wrong(example.rows)
    if not wrong or concrete.wrong(example.details["solution"]):
        return ""
    return f"{wrong}, and {' / '.join(example.details['solution'])} is a solution"


def _one_pass_failure(example: Counterexample) -> str:
    as_is = not example.details["already"] or example.rows == concrete.one_pass(example.rows)
    return _greedy_failure(example) if as_is else ""


def _one_pass_answer(board: Beams) -> Layout:
    """The answer of somebody who applies each rule once and lays all other turrets flat."""
    return Layout(True, Beams(grid_of(concrete.one_pass(board.lines()))))


LEMMAS = (
    FormulaLemma(
        name="beams-forced",
        puzzle="beams",
        statement="without mirrors, what the two rules force is so in every solution, if it was so of all that they forced before",
        source=CONTEST,
        quote="set what is forced (in our words)",
        size=20,
        build=_forced,
        hypothesis="all that was forced before is so in the solution",
        failure_on=_forced_failure,
    ),
    FormulaLemma(
        name="beams-greedy",
        puzzle="beams",
        statement="without mirrors, once nothing more is forced, any board that can be solved is so by turning all others alike",
        source=CONTEST,
        quote="after the forced settings all others may be horizontal (in our words)",
        size=20,
        build=_greedy,
        hypothesis="nothing more is forced",
        failure_on=_greedy_failure,
    ),
    FormulaLemma(
        name="beams-one-pass",
        puzzle="beams",
        statement="without mirrors, what the rules force at once is enough: then all other turrets may lie flat",
        source=CONTEST,
        quote="after the forced settings all others may be horizontal (in our words), read as one pass",
        size=3,
        expected_to_hold=False,
        build=_one_pass,
        hypothesis="what the rules force at once is set",
        failure_on=_one_pass_failure,
        naive_answer=_one_pass_answer,
    ),
)
