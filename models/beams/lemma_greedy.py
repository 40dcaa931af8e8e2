"""The contest's small case: a board without mirrors needs no 2-SAT. A greedy sets what is forced,
and lays all other turrets flat.

Two rules force a turret. It must not hit another turret. And if an open cell can be lit in one way
only, by turrets that are not set otherwise, it is lit in that way. The rules are applied until they
force nothing more. They keep every solution, by induction over `beams-forced`; and then all other
turrets may be turned alike, by `beams-greedy`. Each rule applied only once is not enough.

In the formulas a variable says which way the others are turned, flat or upright. So a board and its
mirror image in the diagonal are the same to a formula.

Without mirrors light runs straight. What holds of the turret that light comes from is carried along
its line from cell to cell. So a lemma can be about one cell and what is seen from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from compare.commands.prove.lemma import (
    Assignment,
    Counterexample,
    CounterexampleFormula,
    FormulaLemma,
)
from compare.commands.prove.symbolic import BoardCell, Literals, Steps, clauses, entries, place
from models.beams import lemma_rules as rules
from models.beams.lemma_board import CONTEST, OPEN, OPPOSITE, TURRET, WALL, BeamsBoard, none_chosen
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of

FLAT, UPRIGHT = 0, 1
"""The axis of a direction d is d % 2."""


def along_axes(flat: Literals) -> Literals:
    """For each axis "it is turned along this axis", from the literals "it is turned flat"."""
    return np.stack([flat, -flat])


class StraightBoard(BeamsBoard):
    """A board without mirrors that has a solution, and settings: turrets whose axis is already
    decided.

    Attributes:
        into: for each cell the channels that enter it, by direction.
        others: for each channel the other three that enter the same cell.
        facing: for each channel the one of them that comes against it.
        axis: of each channel.
        solution: for each axis and cell, "the solution turns a turret there along this axis".
        settings: for each axis and cell, "a turret there is set to this axis"; never both axes.
        seen: for each channel, "there is a turret in its line".
        by_solution: "... and the solution turns it so that its light comes by this channel".
        possible: "... and it is not set to the other axis".
        certain: "... and it is set to this axis".
    """

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns, OPEN + WALL + TURRET)
        self.into = self.channel[:-1]
        directions = self.heading[:, None] + [1, 2, 3]
        self.others = self.into[self.entered[:, None], directions % 4]
        self.facing = self.into[self.entered, OPPOSITE[self.heading]]
        self.axis = self.heading % 2
        true = self.new(1)
        self.each(true)
        self.solution = along_axes(self.new(self.cells))
        self.settings = self.new(2 * self.cells).reshape(2, self.cells)
        self.seen = self.light_from(true.repeat(2 * self.cells).reshape(2, self.cells))
        self.by_solution = self.light_from(self.solution)
        self.possible = self.light_from(-self.settings[::-1])
        self.certain = self.light_from(self.settings)
        self.each(*-self.settings)
        self.each(-self.kind[OPEN], entries(self.by_solution, self.into))
        self.each(-self.entering(TURRET), -self.by_solution)

    def light_from(self, setting: Literals) -> Literals:
        """For each channel a new variable: in its line there is a turret from which light would
        come, and `setting` holds of it.

        Args:
            setting: for each axis and cell a literal about a turret in that cell and that axis,
                such as "it is turned along it".
        """
        carried, before = self.lit(), self.before[OPEN]
        at_turret, previous = setting[self.axis, self.left], entries(carried, before)
        self.each(-carried, -self.leaving(WALL))
        self.each(-carried, -self.leaving(TURRET), at_turret)
        self.each(carried, -self.leaving(TURRET), -at_turret)
        self.each(-carried, -self.leaving(OPEN), previous)
        self.each(carried, -self.leaving(OPEN), -previous, where=before >= 0)
        return carried

    def in_light_order(self) -> Iterator[Literals]:
        """The channels in groups, each channel later than the one that its light passed before."""
        group = np.flatnonzero(self.before[OPEN] < 0)
        while group.size:
            yield group
            group = self.after[OPEN][group]
            group = group[group >= 0]

    def by_cases(self, channels: Literals, *parts: Literals) -> Steps:
        """Steps of a proof, for these channels: the clause if the light comes out of an open cell,
        then the clause in general.

        For a turret it then follows by propagation, and no light comes out of a wall.
        """
        yield from clauses(*parts, -self.leaving(OPEN), where=channels)
        yield from clauses(*parts, where=channels)

    def settings_agree(self) -> None:
        """State that each set turret is set as the solution turns it."""
        self.each(-self.settings.ravel(), self.solution.ravel())

    def example(self, flat: Literals, model: Assignment) -> Counterexample:
        """The board with its turrets turned as `flat` says.

        The details: `solution`, its rows; `already`, the axis of each set turret.
        """

        def turn(flat: Literals) -> tuple[str, ...]:
            return self.read(model, np.where(model[flat], "-", "|").tolist())

        already = {
            divmod(cell, self.columns): orientation
            for orientation, axis in zip("-|", self.settings, strict=True)
            for cell in np.flatnonzero(model[self.kind[TURRET]] & model[axis]).tolist()
        }
        return Counterexample(
            turn(flat), {"solution": turn(self.solution[FLAT]), "already": already}
        )


def _forced_turret(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A cell at which a rule forces a turret, and not as the solution turns it; all earlier
    settings agree with the solution.
    """
    board = StraightBoard(rows, columns)
    if not without_hypothesis:
        board.settings_agree()
    cell, heading = board.pick("{} is the cell"), board.direction()
    way, is_turret, is_open = (
        board.crossing(cell, heading),
        board.entering(TURRET),
        board.entering(OPEN),
    )
    board.each(-cell, -board.kind[WALL])
    # The turret sees another turret, and the solution turns it towards that one.
    board.each(-way, -is_turret, board.seen)
    board.each(-way, -is_turret, board.solution[board.axis, board.entered])
    # The open cell can be lit in this way only, and the solution does not light it so.
    board.each(-way, -is_open, board.possible)
    board.each(-way, -is_open, -board.by_solution)
    for other in board.others.T:
        board.each(-way, -is_open, -entries(board.possible, other), where=other >= 0)

    def script() -> Steps:
        """All light of the solution is possible.

        And the solution turns no turret along a line towards another turret.
        """
        for group in board.in_light_order():
            yield from board.by_cases(group, -board.by_solution, board.possible)
            against = group[board.facing[group] >= 0]
            yield from board.by_cases(
                against, -is_open, -board.seen, -entries(board.by_solution, board.facing)
            )
        yield from board.by_cases(np.arange(board.channels), -way, -is_turret)
        yield from clauses(-way, -is_open)
        yield from clauses(-way)
        yield from none_chosen(cell)

    return CounterexampleFormula(
        board.formula, partial(board.example, board.solution[FLAT]), script
    )


def _greedy(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """Settings that agree with a solution, to which the rules add nothing; all other turrets are
    turned alike; and something is wrong.
    """
    board = StraightBoard(rows, columns)
    board.settings_agree()
    is_turret, is_open, possible = board.entering(TURRET), board.entering(OPEN), board.possible
    if not without_hypothesis:
        board.each(-is_turret, -board.seen, board.settings[1 - board.axis, board.entered])
        board.each(-is_open, -possible, entries(possible, board.others), board.certain)
    rest = board.new(1)
    flat, lit, cell = _something_wrong(board, rest)

    def script() -> Steps:
        """No light is possible on a dark cell along the axis of the other turrets.

        On the other axis, turrets on both sides would be set.
        """
        along_rest = along_axes(rest)[board.axis, 0]
        for group in board.in_light_order():
            yield from board.by_cases(group, -board.by_solution, possible)
            yield from board.by_cases(group, -possible, board.seen)
            yield from board.by_cases(group, -board.certain, lit)
            yield from board.by_cases(group, -lit, possible)
            yield from board.by_cases(group, -along_rest, -possible, lit)
            against = group[board.facing[group] >= 0]
            yield from board.by_cases(
                against, -is_open, -entries(board.seen, board.facing), -possible
            )
        yield from board.by_cases(np.arange(board.channels), -is_turret, -possible)
        dark = -cell[board.entered], -is_open, -board.by_solution
        yield from clauses(*dark, -along_rest)
        yield from clauses(*dark)
        yield from clauses(-cell, -board.kind[OPEN])
        yield from none_chosen(cell)

    return CounterexampleFormula(board.formula, partial(board.example, flat), script)


def _something_wrong(board: StraightBoard, rest: Literals) -> tuple[Literals, Literals, Literals]:
    """State that something is wrong: set turrets stand as they are set, the others are flat if
    `rest` holds, else upright.

    Returns:
        For each cell "a turret here is flat"; for each channel "light comes by it"; for each cell
        "this cell is wrong", that is, it is an open cell that is dark, or a turret that is hit.
    """
    flat, cell, (sets_flat, sets_upright) = (
        board.new(board.cells),
        board.pick("{} is wrong"),
        board.settings,
    )
    board.each(flat, -sets_flat)
    board.each(-flat, -sets_upright)
    board.each(flat, sets_upright, -rest)
    board.each(-flat, sets_flat, rest)
    lit = board.light_from(along_axes(flat))
    board.each(-cell, -board.kind[WALL])
    board.each(-cell, -board.kind[TURRET], entries(lit, board.into))
    board.each(-cell[board.entered], -board.entering(OPEN), -lit)
    return flat, lit, cell


def _one_pass(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
    """A board that has a solution; turrets are set as the rules force at once, all others turned
    alike; and something is wrong.

    `without_hypothesis`: no turret is set.
    """
    board = StraightBoard(rows, columns)
    is_open = board.entering(OPEN)
    # For each axis and cell: no turret is in line along this axis. A turret may be turned only
    # along such an axis.
    unseen = -np.stack(
        [board.any_of(entries(board.seen, board.into[:, axis::2])) for axis in (FLAT, UPRIGHT)]
    )
    legal_light = board.light_from(unseen)
    # The channel is the only one by which light can come to an open cell.
    only = board.all_of(is_open, legal_light, -entries(legal_light, board.others))
    # Some cell further on in this line can be lit by this channel only.
    needed = board.lit()
    further = board.any_of(only, entries(needed, board.after[OPEN]))
    board.equal(needed, board.all_of(is_open, further))
    arms = board.channel[board.near, np.arange(4)]
    for axis, settings in enumerate(board.settings):
        if without_hypothesis:
            board.each(-settings)
        else:
            force = board.any_of(-unseen[1 - axis], entries(needed, arms[:, axis::2]))
            board.equal(settings, board.all_of(board.kind[TURRET], force))
    rest = board.new(1)
    flat, _, _ = _something_wrong(board, rest)

    def decode(model: Assignment) -> Counterexample:
        """A board on which the other turrets lie flat; if they stand upright in the model, its
        mirror image in the diagonal.
        """
        example = board.example(flat, model)
        return example if model[rest[0]] else _mirror(example)

    return CounterexampleFormula(board.formula, decode)


def _mirror(example: Counterexample) -> Counterexample:
    """The counterexample mirrored in the diagonal; turrets turn with the board."""
    other = str.maketrans("-|", "|-")

    def mirror(rows: Sequence[str]) -> tuple[str, ...]:
        return tuple("".join(column).translate(other) for column in zip(*rows, strict=True))

    already = {
        (column, row): orientation.translate(other)
        for (row, column), orientation in example.details["already"].items()
    }
    return Counterexample(
        mirror(example.rows),
        {"solution": mirror(example.details["solution"]), "already": already},
    )


def _forced_failure(
    rows: rules.BoardRows, already: Mapping[BoardCell, str], **solution: rules.BoardRows
) -> str:
    if rules.wrong(rows):
        return ""
    for turret, orientation in sorted(rules.forced_turrets(rows, already)):
        if rules.kind(rows, turret) != orientation:
            return (
                f"a rule turns {place(turret)} to {orientation}, and as it stands it is part of a "
                "solution"
            )
    return ""


def _greedy_failure(
    rows: rules.BoardRows, solution: rules.BoardRows, already: Mapping[BoardCell, str]
) -> str:
    wrong = rules.wrong(rows)
    if not wrong or rules.wrong(solution):
        return ""
    return f"{wrong}, and {' / '.join(solution)} is a solution"


def _one_pass_failure(
    rows: rules.BoardRows, solution: rules.BoardRows, already: Mapping[BoardCell, str]
) -> str:
    as_is = not already or rows == rules.one_pass(rows)
    return _greedy_failure(rows, solution, already) if as_is else ""


def _one_pass_answer(board: Beams) -> Layout:
    """The answer of a solver that applies each rule once and lays all other turrets flat."""
    return Layout(True, Beams(grid_of(rules.one_pass(board.lines()))))


GREEDY_LEMMAS = (
    FormulaLemma(
        name="beams-forced",
        statement="without mirrors, what the two rules force is so in every solution, if it was "
        "so of all that they forced before",
        source=CONTEST,
        quote="set what is forced (in our words)",
        size=20,
        build=_forced_turret,
        hypothesis="all that was forced before is so in the solution",
        failure=_forced_failure,
    ),
    FormulaLemma(
        name="beams-greedy",
        statement="without mirrors, once nothing more is forced, any board that can be solved "
        "is so by turning all others alike",
        source=CONTEST,
        quote="after the forced settings all others may be horizontal (in our words)",
        size=20,
        build=_greedy,
        hypothesis="nothing more is forced",
        failure=_greedy_failure,
    ),
    FormulaLemma(
        name="beams-one-pass",
        statement="without mirrors, what the rules force at once is enough: then all other "
        "turrets may lie flat",
        source=CONTEST,
        quote="after the forced settings all others may be horizontal (in our words), read as "
        "one pass",
        size=3,
        expected_to_hold=False,
        build=_one_pass,
        hypothesis="what the rules force at once is set",
        failure=_one_pass_failure,
        naive_answer=_one_pass_answer,
    ),
)
