"""Boards without mirrors, where light runs straight: what each line of sight shows of the turret at its end.

What holds of the turret that light comes from is carried along its line from cell to cell. So a lemma can be about one cell and
what is seen from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from models.lemmas.beams.symbolic import OPEN, TURRET, WALL, SymbolicBoard
from models.lemmas.lemma import Assignment, Counterexample
from models.lemmas.logic import new_variables

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
