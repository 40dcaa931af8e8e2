"""A beams board whose cells are unknown, and how light runs over it, as clauses.

A *channel* is a cell and the direction in which a beam enters it from the cell before. The next
channel depends only on the kind of the cell that is entered. The previous channel depends only on
the kind of the cell that is left. Both maps are injective, because open cells and mirrors permute
the directions. All lemmas rest on this.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compare.commands.prove.lemma import Assignment
from compare.commands.prove.symbolic import (
    Literals,
    Steps,
    SymbolicBoard,
    clauses,
    entries,
    rows_of,
)

OPEN, SLASH, BACKSLASH, WALL, TURRET = "./\\#T"
PASSED = (OPEN, SLASH, BACKSLASH)
"""The kinds of cell that light passes."""

HEADINGS = ("east", "south", "west", "north")
"""The directions, in the order of `STEPS`."""

_LEAVING = {
    OPEN: np.array([0, 1, 2, 3]),
    SLASH: np.array([3, 2, 1, 0]),
    BACKSLASH: np.array([1, 0, 3, 2]),
}
"""For each kind of cell: the direction in which light leaves that entered in direction 0, 1, 2, 3.

Each map is its own inverse.
"""

OPPOSITE = np.array([2, 3, 0, 1])
"""For each direction the opposite one."""

WRITE_UP = 'a write-up of Luogu P5297, "2-SAT之完美塔防" (2-SAT: the perfect tower defence)'
CONTEST = "Code Jam 2017 Round 2 C, the contest's analysis"


class BeamsBoard(SymbolicBoard):
    """A board whose cells are each of exactly one kind, with its channels numbered from 0.

    An index of a cell or of a channel is -1 beyond the edge.

    Attributes:
        kind: for each kind of cell, for each cell the variable "it is of this kind".
        channel: for each cell and direction the channel that enters it. Shape (cells, 4).
        entered, left, heading: for each channel the cell that it enters, the cell that it leaves,
            and its direction.
        after: for each kind, the channel after each channel, if the cell entered is of this kind.
        before: for each kind, the channel before each channel, if the cell left is of this kind.
        against: for each channel the one between the same two cells in the opposite direction.
        literal: the number of the literal that sends a beam into the channel, that is of its turret
            and orientation: twice the cell left, plus 1 if upright.
    """

    def __init__(
        self, rows: int, columns: int, kinds: str = OPEN + WALL + SLASH + BACKSLASH + TURRET
    ) -> None:
        super().__init__(rows, columns)
        words = {OPEN: "open", WALL: "a wall", TURRET: "a turret"}
        each_kind = self.formula.array(self.cells, len(kinds))
        self.kind = dict(zip(kinds, each_kind.T, strict=True))
        for kind, variables in self.kind.items():
            name = f"the cell at {{}} is {words.get(kind, kind)}"
            self.formula.name(variables, name, np.arange(self.cells), auxiliary=True)
        self.each(each_kind)
        self.at_most_one(each_kind)
        self.entered, self.heading = np.nonzero(self.near[:, OPPOSITE] >= 0)
        self.left = self.near[self.entered, OPPOSITE[self.heading]]
        # One more row, so that beyond the edge there is no channel.
        self.channel = np.full((self.cells + 1, 4), -1)
        self.channel[self.entered, self.heading] = np.arange(self.channels)
        self.after, self.before = {}, {}
        for kind, turned in _LEAVING.items():
            leaves = turned[self.heading]
            self.after[kind] = self.channel[self.near[self.entered, leaves], leaves]
            self.before[kind] = self.channel[self.left, leaves]
        self.against = self.channel[self.left, OPPOSITE[self.heading]]
        self.literal = 2 * self.left + self.heading % 2

    @property
    def channels(self) -> int:
        return len(self.entered)

    def lit(self) -> Literals:
        """New variables, one for each channel."""
        return self.new(self.channels)

    def entering(self, kind: str) -> Literals:
        """For each channel "the cell entered is of this kind"."""
        return self.kind[kind][self.entered]

    def leaving(self, kind: str) -> Literals:
        """For each channel "the cell left is of this kind"."""
        return self.kind[kind][self.left]

    def pick(self, text: str, kind: str | None = None) -> Literals:
        """Choose a cell, of this kind if one is given: for each cell a variable "it is the chosen
        one".
        """
        chosen = self.choose(text)
        if kind is not None:
            self.each(-chosen, self.kind[kind])
        return chosen

    def direction(self) -> Literals:
        """Choose a direction: for each direction a variable "it is the chosen one"."""
        return self.exactly_one(self.new(4))

    def crossing(self, cell: Literals, heading: Literals) -> Literals:
        """For each channel, "it enters the chosen cell in the chosen direction".

        The formula demands that there is such a channel.
        """
        crosses, at, towards = self.lit(), self.entered, self.heading
        self.each(-crosses, cell[at])
        self.each(-crosses, heading[towards])
        self.each(crosses, -cell[at], -heading[towards])
        at, towards = np.nonzero(self.channel[:-1] < 0)
        self.each(-cell[at], -heading[towards])
        return crosses

    def follow(self, light: Literals, *, until: Literals | None = None) -> None:
        """State that the set `light` contains, with each channel, the next one.

        With `until`, light may end only at a channel of `until`. Without, it may end at any turret,
        wall or edge.
        """
        for kind in PASSED:
            following = entries(light, self.after[kind])
            if until is None:
                self.each(-light, -self.entering(kind), following, where=following != 0)
            else:
                self.each(-light, -self.entering(kind), following, until)
        if until is not None:
            self.each(-light, -self.entering(WALL), until)
            self.each(-light, -self.entering(TURRET), until)

    def trace_back(self, light: Literals, begins: Literals | None) -> None:
        """State that the set `light` contains, with each channel, the previous one, back to the
        arms `begins`; None: it has no beginning.
        """
        for kind in PASSED:
            self.each(-light, -self.leaving(kind), entries(light, self.before[kind]))
        self.each(-light, -self.leaving(WALL))
        self.each(-light, -self.leaving(TURRET), 0 if begins is None else begins)

    def flow(self, ends: Literals) -> tuple[Literals, Literals]:
        """State that a beam comes to the channel `ends`.

        The set of channels contains the next and the previous channel of each of its channels. It
        begins at a turret and may end only at `ends`. The way on from its arm cannot come back to
        the arm, which has no previous channel; nor, because the maps are injective, to any other
        channel of the way. It is finite, so it comes to `ends`. The set may contain circles of
        light as well.

        Returns:
            For each channel "it is in the set", and "the beam begins with it".
        """
        light, begins = self.lit(), self.lit()
        self.some(begins)
        self.each(-begins, self.leaving(TURRET))
        self.each(-begins, light)
        self.each(-ends, light)
        self.follow(light, until=ends)
        self.trace_back(light, begins)
        return light, begins

    def trail(self, starts: Literals, begins: Literals | None = None) -> Literals:
        """State that a beam comes to the channel `starts`, by walking back step by step to its
        turret.

        It says the same as `flow`, in a form along which an induction can be written down. The
        steps are at most half as many as there are channels, for two reasons. Before a beam first
        comes to a channel, it crosses no channel twice. And it never runs against itself: the next
        channel after a reversed channel is the reverse of the previous one, so the way between the
        two would shrink to its middle, and there the light would have to turn straight back, which
        no cell does.

        Args:
            begins: if given, it holds of the arm at which the trail ends.

        Returns:
            shape (steps, channels): "k steps back from the start, the light is in this channel".
        """
        steps = max(self.channels // 2, 1)
        trail = np.append(starts, self.new((steps - 1) * self.channels)).reshape(
            steps, self.channels
        )
        further = np.pad(trail, ((0, 1), (0, 1)))[
            1:
        ]  # nothing is further back than the last step, nor beyond the edge
        for kind in PASSED:
            self.each(
                -trail.ravel(),
                -np.tile(self.leaving(kind), steps),
                further[:, self.before[kind]].ravel(),
            )
        self.each(-trail.ravel(), -np.tile(self.leaving(WALL), steps))
        if begins is not None:
            self.each(-trail.ravel(), -np.tile(self.leaving(TURRET), steps), np.tile(begins, steps))
        return trail

    def walk_back(self, trail: Literals, light: Literals, *, arms: bool = False) -> Steps:
        """The induction, as steps of a proof: no channel of the trail is in `light`. It goes from
        the far end of the trail to its start.

        At the turret where the trail ends, the formula itself excludes it. Elsewhere it would be so
        one step further back. For each channel the kinds of the cell left are separate cases; with
        `arms`, a turret is one of them.
        """
        for back in trail[::-1]:
            for kind in (OPEN, SLASH):
                yield from clauses(-back, -light, -self.leaving(kind), where=self.before[kind] >= 0)
            if arms:
                yield from clauses(-back, -light, -self.leaving(TURRET))
            yield from clauses(-back, -light)

    def light_hits_nothing(self, *sources: Literals) -> Literals:
        """State that light meets no turret; returns for each channel "it is lit".

        Args:
            sources: for each channel a literal, or 0: where it holds, the channel is lit.
        """
        light = self.lit()
        for source in sources:
            self.each(-source, light, where=source != 0)
        self.follow(light)
        self.each(-light, -self.entering(TURRET))
        return light

    def read(self, model: Assignment, turrets: Sequence[str] = ()) -> tuple[str, ...]:
        """The rows of a model's board.

        `turrets`: for each cell the orientation of a turret there; else all turrets lie flat.
        """
        kinds = np.array([*self.kind])[model[np.stack([*self.kind.values()])].argmax(0)]
        flat = turrets or ["-"] * self.cells
        return rows_of(
            (there if kind == TURRET else kind for kind, there in zip(kinds, flat, strict=True)),
            self.columns,
        )


def none_chosen(*choices: Literals) -> Steps:
    """The end of a proof: no variable of the choices can be the chosen one, which is a
    contradiction.
    """
    for choice in choices:
        yield from clauses(-choice)
    yield []
