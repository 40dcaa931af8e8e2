"""A beams board whose cells are unknown, and how light runs over it, as clauses.

A *channel* is a cell and the direction in which a beam enters it from the cell before. The next channel depends only on the kind of
the cell that is entered. The previous channel depends only on the kind of the cell that is left. Both maps are injective, because
open cells and mirrors permute the directions. All lemmas rest on this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from models.cnf import Formula
from models.lemmas.beams import concrete
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula
from models.lemmas.logic import new_variables, one_hot, rows_of, true_index

LiteralArray = NDArray[np.int64]

OPEN, SLASH, BACKSLASH, WALL, TURRET = "./\\#T"
PASSED = (OPEN, SLASH, BACKSLASH)
"""The kinds of cell that light passes."""

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps (down, right) of the directions 0 east, 1 south, 2 west, 3 north."""

HEADINGS = ("east", "south", "west", "north")

TURNED = {OPEN: (0, 1, 2, 3), SLASH: (3, 2, 1, 0), BACKSLASH: (1, 0, 3, 2)}
"""For each kind of cell: the direction in which light leaves that entered in direction 0, 1, 2, 3. Each map is its own inverse."""


def opposite(heading: int) -> int:
    return heading ^ 2


class SymbolicBoard:
    """A board of `rows` x `columns` cells, each of exactly one kind, with its channels numbered from 0.

    Attributes:
        formula: the clauses so far; the methods add to it.
        kinds: the kinds of cell that the board may have.
        entered, left, heading: for each channel the cell that it enters, the cell that it leaves, and its direction.
    """

    def __init__(self, rows: int, columns: int, kinds: str = OPEN + WALL + SLASH + BACKSLASH + TURRET) -> None:
        self.rows, self.columns, self.kinds = rows, columns, kinds
        self.formula = Formula()
        first = self.formula.new(rows * columns * len(kinds))
        self._kind = {kind: first + place for place, kind in enumerate(kinds)}
        for cell in range(self.cells):
            here = [self.kind(cell, kind) for kind in kinds]
            self.formula.add(*here)
            for one, other in combinations(here, 2):
                self.formula.add(-one, -other)
        self.entered: list[int] = []
        self.left: list[int] = []
        self.heading: list[int] = []
        self._number: dict[tuple[int, int], int] = {}
        for cell in range(self.cells):
            for heading in range(4):
                before = self.neighbour(cell, opposite(heading))
                if before is not None:
                    self._number[cell, heading] = len(self.entered)
                    self.entered.append(cell)
                    self.left.append(before)
                    self.heading.append(heading)

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def channels(self) -> int:
        return len(self.entered)

    def kind(self, cell: int, kind: str) -> int:
        """The variable "the cell is of this kind"."""
        return self._kind[kind] + cell * len(self.kinds)

    def neighbour(self, cell: int, heading: int) -> int | None:
        """The cell beside, in this direction; None beyond the edge."""
        row, column = cell // self.columns + STEPS[heading][0], cell % self.columns + STEPS[heading][1]
        return row * self.columns + column if 0 <= row < self.rows and 0 <= column < self.columns else None

    def channel(self, cell: int, heading: int) -> int | None:
        """The channel into a cell; None if it would come from beyond the edge."""
        return self._number.get((cell, heading))

    def after(self, channel: int, kind: str) -> int | None:
        """The next channel, if the cell entered is of this kind; None if the light leaves the board."""
        heading = TURNED[kind][self.heading[channel]]
        entered = self.neighbour(self.entered[channel], heading)
        return None if entered is None else self._number[entered, heading]

    def before(self, channel: int, kind: str) -> int | None:
        """The previous channel, if the cell left is of this kind; None if the light would come from beyond the edge."""
        return self.channel(self.left[channel], TURNED[kind][self.heading[channel]])

    def against(self, channel: int) -> int:
        """The channel between the same two cells in the opposite direction."""
        return self._number[self.left[channel], opposite(self.heading[channel])]

    def other_arm(self, arm: int) -> int | None:
        """The first channel of a turret's second beam in the same orientation; None if that beam leaves the board at once."""
        heading = opposite(self.heading[arm])
        entered = self.neighbour(self.left[arm], heading)
        return None if entered is None else self._number[entered, heading]

    def literal(self, arm: int) -> int:
        """The number of an arm's literal, that is of its turret and orientation: twice the cell, plus 1 if upright."""
        return 2 * self.left[arm] + self.heading[arm] % 2

    def distinct_literals(self, count: int) -> list[list[int]]:
        """Sets of literals, no literal in two of them: for each set and literal a variable "it is in the set"."""
        sets = [new_variables(self.formula, 2 * self.cells) for _ in range(count)]
        for several in zip(*sets, strict=True):
            for one, other in combinations(several, 2):
                self.formula.add(-one, -other)
        return sets

    def fresh(self) -> list[int]:
        """New variables, one for each channel."""
        return new_variables(self.formula, self.channels)

    def choose(self, kind: str | None = None) -> list[int]:
        """Choose a cell, of this kind if one is given: for each cell a variable "it is the chosen one"."""
        chosen = one_hot(self.formula, self.cells)
        if kind is not None:
            for cell, here in enumerate(chosen):
                self.formula.add(-here, self.kind(cell, kind))
        return chosen

    def direction(self) -> list[int]:
        """Choose a direction: for each direction a variable "it is the chosen one"."""
        return one_hot(self.formula, 4)

    def crossing(self, cell: Sequence[int], heading: Sequence[int]) -> list[int]:
        """For each channel, "it enters the chosen cell in the chosen direction".

        The formula demands that there is such a channel.
        """
        crosses = self.fresh()
        for at in range(self.cells):
            for towards in range(4):
                channel = self.channel(at, towards)
                if channel is None:
                    self.formula.add(-cell[at], -heading[towards])
                else:
                    self.formula.add(-crosses[channel], cell[at])
                    self.formula.add(-crosses[channel], heading[towards])
                    self.formula.add(crosses[channel], -cell[at], -heading[towards])
        return crosses

    def follow(self, light: Sequence[int], *, until: Sequence[int] | None = None) -> None:
        """State that the set `light` contains, with each channel, the next one.

        With `until`, light may end only at a channel of `until`. Without, it may end at any turret, wall or edge.
        """
        add = self.formula.add
        for channel, lit in enumerate(light):
            cell, arrived = self.entered[channel], [] if until is None else [until[channel]]
            for kind in PASSED:
                following = self.after(channel, kind)
                if following is not None:
                    add(-lit, -self.kind(cell, kind), light[following], *arrived)
                elif until is not None:
                    add(-lit, -self.kind(cell, kind), *arrived)
            if until is not None:
                add(-lit, -self.kind(cell, WALL), *arrived)
                add(-lit, -self.kind(cell, TURRET), *arrived)

    def trace_back(self, light: Sequence[int], begins: Sequence[int] | None) -> None:
        """State that the set `light` contains, with each channel, the previous one, back to the arms `begins`; None: it has no
        beginning.
        """
        add = self.formula.add
        for channel, lit in enumerate(light):
            cell = self.left[channel]
            for kind in PASSED:
                preceding = self.before(channel, kind)
                add(-lit, -self.kind(cell, kind), *([] if preceding is None else [light[preceding]]))
            add(-lit, -self.kind(cell, WALL))
            add(-lit, -self.kind(cell, TURRET), *([] if begins is None else [begins[channel]]))

    def flow(self, ends: Sequence[int]) -> tuple[list[int], list[int]]:
        """State that a beam comes to the channel `ends`.

        The set of channels contains the next and the previous channel of each of its channels. It begins at a turret and may end
        only at `ends`. The way on from its arm cannot come back to the arm, which has no previous channel; nor, because the maps
        are injective, to any other channel of the way. It is finite, so it comes to `ends`. The set may contain circles of light as
        well.

        Returns:
            For each channel "it is in the set", and "the beam begins with it".
        """
        light, begins = self.fresh(), self.fresh()
        self.formula.add(*begins)
        for channel in range(self.channels):
            self.formula.add(-begins[channel], self.kind(self.left[channel], TURRET))
            self.formula.add(-begins[channel], light[channel])
            self.formula.add(-ends[channel], light[channel])
        self.follow(light, until=ends)
        self.trace_back(light, begins)
        return light, begins

    def trail(self, starts: Sequence[int], begins: Sequence[int] | None = None) -> LiteralArray:
        """State that a beam comes to the channel `starts`, by walking back step by step to its turret.

        It says the same as `flow`, in a form along which an induction can be written down. The steps are at most half as many as
        there are channels, for two reasons. Before a beam first comes to a channel, it crosses no channel twice. And it never runs
        against itself: the next channel after a reversed channel is the reverse of the previous one, so the way between the two
        would shrink to its middle, and there the light would have to turn straight back, which no cell does.

        Args:
            begins: if given, it holds of the arm at which the trail ends.

        Returns:
            shape (steps, channels): "k steps back from the start, the light is in this channel".
        """
        steps = max(self.channels // 2, 1)
        trail = np.array([*starts, *new_variables(self.formula, (steps - 1) * self.channels)], np.int64).reshape(
            steps, self.channels
        )
        left = np.array(self.left, np.int64)
        for kind in PASSED:
            before = np.array([-1 if b is None else b for b in (self.before(y, kind) for y in range(self.channels))], np.int64)
            passed = np.broadcast_to(-self._kinds(left, kind), trail.shape)
            self._rows(-trail[:, before < 0], passed[:, before < 0])
            here = before >= 0
            self._rows(-trail[:-1, here], passed[:-1, here], trail[1:, before[here]])
            self._rows(-trail[-1:, here], passed[-1:, here])
        self._rows(-trail, np.broadcast_to(-self._kinds(left, WALL), trail.shape))
        if begins is not None:
            turrets = np.broadcast_to(-self._kinds(left, TURRET), trail.shape)
            self._rows(-trail, turrets, np.broadcast_to(np.array(begins, np.int64), trail.shape))
        return trail

    def walk_back(self, trail: LiteralArray, light: Sequence[int], *, arms: bool = False) -> Iterator[list[int]]:
        """The induction, as steps of a proof: no channel of the trail is in `light`. It goes from the far end of the trail to its
        start.

        At the turret where the trail ends, the formula itself excludes it. Elsewhere it would be so one step further back. For each
        channel the kinds of the cell left are separate cases; with `arms`, a turret is one of them.
        """
        for step in reversed(trail.tolist()):
            for channel, (back, lit) in enumerate(zip(step, light, strict=True)):
                cell = self.left[channel]
                for kind in (OPEN, SLASH, TURRET) if arms else (OPEN, SLASH):
                    if kind == TURRET or self.before(channel, kind) is not None:
                        yield [-back, -lit, -self.kind(cell, kind)]
                yield [-back, -lit]

    def read(self, model: Assignment, turrets: Sequence[str] | None = None) -> tuple[str, ...]:
        """The rows of a model's board.

        `turrets`: for each cell the orientation of a turret there; without it all turrets lie flat.
        """
        text = ""
        for cell in range(self.cells):
            (kind,) = (kind for kind in self.kinds if model[self.kind(cell, kind)])
            text += kind if kind != TURRET else "-" if turrets is None else turrets[cell]
        return rows_of(text, self.columns)

    def names(self) -> list[tuple[int, str]]:
        """Names for the variables of the cells."""
        words = {OPEN: "open", WALL: "a wall", TURRET: "a turret"}
        return [
            (self.kind(cell, kind), f"the cell at {cell // self.columns + 1},{cell % self.columns + 1} is {words.get(kind, kind)}")
            for cell in range(self.cells)
            for kind in self.kinds
        ]

    def _kinds(self, cells: LiteralArray, kind: str) -> LiteralArray:
        return self._kind[kind] + cells * len(self.kinds)

    def _rows(self, *literals: LiteralArray) -> None:
        """Add one clause for each entry of these arrays, which have one shape."""
        self.formula.extend(np.stack([column.ravel() for column in literals], axis=1))


WRITE_UP = 'a write-up of Luogu P5297, "2-SAT之完美塔防" (2-SAT: the perfect tower defence)'
CONTEST = "Code Jam 2017 Round 2 C, the contest's analysis"

Script = Callable[[], Iterator[list[int]]]


def crossing_formula(
    board: SymbolicBoard, cell: Sequence[int], headings: Sequence[Sequence[int]] = (), script: Script | None = None
) -> CounterexampleFormula:
    """The formula of a board and a chosen cell that light enters in chosen directions; the details are `cell` and `headings`."""

    def decode(model: Assignment) -> Counterexample:
        details = {
            "cell": divmod(true_index(model, cell), board.columns),
            "headings": tuple(HEADINGS[true_index(model, heading)] for heading in headings),
        }
        return Counterexample(board.read(model), details)

    return CounterexampleFormula(board.formula, decode, script, board.names())


def light_hits_nothing(board: SymbolicBoard, sources: Iterable[tuple[int, int]]) -> list[int]:
    """State that light from these sources meets no turret; returns for each channel "it is lit".

    A source is a literal and a channel: if the literal holds, the channel is lit.
    """
    light = board.fresh()
    for condition, channel in sources:
        board.formula.add(-condition, light[channel])
    board.follow(light)
    for channel, lit in enumerate(light):
        board.formula.add(-lit, -board.kind(board.entered[channel], TURRET))
    return light


def reversed_light(board: SymbolicBoard, light: Sequence[int]) -> list[int]:
    """For each channel, whether light runs through it in the opposite direction."""
    return [light[board.against(channel)] for channel in range(board.channels)]


def none_chosen(*choices: Sequence[int]) -> Iterator[list[int]]:
    """The end of a proof: no variable of the choices can be the chosen one, which is a contradiction."""
    for choice in choices:
        yield from ([-variable] for variable in choice)
    yield []


def beams_entering(example: Counterexample) -> Iterator[tuple[concrete.Beam, ...]]:
    """Every combination of beams that enter the counterexample's cell, one for each of its directions."""
    return product(
        *(concrete.crossing(example.rows, (example.details["cell"], heading)) for heading in example.details["headings"])
    )


def literals_failure(example: Counterexample) -> str:
    """How the cell is entered by beams that all belong to different literals, a literal being a turret with an orientation."""
    for sent in beams_entering(example):
        if len({(beam.turret, beam.orientation) for beam in sent}) == len(sent):
            return f"{', '.join(map(str, sent))} enter {concrete.name(example.details['cell'])}"
    return ""
