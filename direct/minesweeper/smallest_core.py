"""Why a cell is certain: the fewest clues that force it, by iterative deepening over hitting sets.

The search starts from a layout that fits every clue. A dynamic programme over the clues chosen so
far flips the given cell, and as few others as it can. If it has no way, the chosen clues force the
cell. Otherwise the new layout breaks some clues, and every set of clues that forces the cell
contains one of them. So a search of a given depth branches over these, and the first depth at which
it succeeds is the least.

Source: R. Reiter, "A theory of diagnosis from first principles", 1987, for the search that branches
over sets of which each must be hit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from direct.minesweeper import thresholds
from direct.minesweeper.join_tree import TOO_WIDE, decide
from puzzles.minesweeper.board import COVERED, MINE, Certificate, Core, Deduction, Minesweeper
from puzzles.shell.time_limits import Deadline

Layout = list[int]
State = tuple[tuple[int, ...], int]
"""The mines that each chosen clue still needs, and the mines so far if their number is given (else
0).
"""


def smallest_core(board: Minesweeper, answer: Deduction, cell: int | None, seconds: float) -> Core:
    """A smallest set of clues that forces a certain cell of a certified answer; if `cell` is None,
    one that has no layout.

    The number of mines takes part only if the clues do not suffice. After `seconds` the answer is
    the certificate's core.
    """
    proof = answer.certificate
    assert isinstance(proof, Certificate)
    core = next((core for core in proof.cores if cell is None or cell in core.cells), Core(()))
    core = core._replace(cells=() if cell is None else (cell,))
    if not core.counted and (
        len(core.clues) == 1
        or (len(core.clues) == 2 and cell is not None and _no_clue_alone(board, cell))
    ):
        return core._replace(fewest=True)  # nothing is certain without clues
    layout = [int(kind == MINE) for kind in answer.board.grid.ravel().tolist()]
    if answer.consistent and proof.layouts:
        layout = list(proof.layouts[0])
    search = _SmallestCoreSearch(board, layout, cell, core.counted, Deadline(seconds))
    if core.counted and _by_clues(board, cell):
        return core
    try:
        search.repair()
        for depth in range(len(core.clues)):
            clues = search.within(frozenset(), frozenset(), depth)
            if clues is not None:
                return core._replace(clues=tuple(sorted(clues)), fewest=True)
    except TimeoutError:
        return core
    return core._replace(fewest=True)


def _no_clue_alone(board: Minesweeper, cell: int) -> bool:
    """Whether no single clue forces a covered cell.

    One that does is beside it, and makes all cells around it mines, or none.
    """
    clues = _clues_of(_kinds(board), board.rows, board.columns)
    return all(0 < clues.needed[clue] < len(clues.beside[clue]) for clue in clues.clues_at[cell])


def _by_clues(board: Minesweeper, cell: int | None) -> bool:
    """Whether the clues alone force a cell whose core has the number of mines, or may do so: then
    the core search gave up.
    """
    starts = np.array([0, board.rows], np.int64)
    decided = decide.at(board.cells)(board.grid, starts, thresholds.FEW_PAIRS)
    if decided.clash[0] or (decided.status == TOO_WIDE).any():
        return True
    return cell is not None and decided.shown[divmod(cell, board.columns)] != COVERED


class _SmallestCoreSearch:
    """The search for few clues that force a cell, with the sets of clues of which it must take one
    each.
    """

    def __init__(
        self,
        board: Minesweeper,
        layout: Layout,
        cell: int | None,
        counted: bool,
        deadline: Deadline,
    ) -> None:
        self.columns, self.layout, self.cell, self.deadline = board.columns, layout, cell, deadline
        kinds = _kinds(board)
        self.mines = None if not counted or board.mines is None else board.mines - kinds.count("X")
        self.beside, self.needed, self.clues_at = _clues_of(kinds, board.rows, board.columns)
        self.broken_before = {clue for clue in self.needed if not self._holds(clue, layout)}
        self.breaking: list[frozenset[int]] = []

    def repair(self) -> None:
        """Make the layout break fewer clues, if it breaks some: mend the clues near each broken
        one, or that clue alone.

        Raises:
            TimeoutError: there is no time left.
        """
        before = len(self.broken_before) + 1
        while 0 < len(self.broken_before) < before:
            before = len(self.broken_before)
            for clue in sorted(self.broken_before):
                tied = {other for at in self.beside[clue] for other in self.clues_at[at]}
                for chosen in (tied, {clue}):
                    if (
                        clue in self.broken_before
                        and self.broken(frozenset({clue} | chosen)) is not None
                    ):
                        break

    def within(
        self, chosen: frozenset[int], barred: frozenset[int], more: int
    ) -> frozenset[int] | None:
        """The chosen clues with at most `more` others that are not barred, which force the cell
        together; None if there are none.

        Raises:
            TimeoutError: there is no time left.
        """
        unmet = [each - barred for each in self.breaking if not each & chosen]
        if not unmet:
            broken = self.broken(chosen)
            if broken is None:
                return chosen
            self.breaking.append(broken)
            unmet = [broken - barred]
        unmet.sort(key=len)
        met: set[int] = set()
        disjoint = 0
        for each in unmet:
            if met.isdisjoint(each):
                met |= each
                disjoint += 1
        if disjoint > more or not unmet[0]:
            return None
        for clue in sorted(unmet[0], key=self._distance):
            clues = self.within(chosen | {clue}, barred, more - 1)
            if clues is not None:
                return clues
            barred |= {clue}
        return None

    def broken(self, chosen: frozenset[int]) -> frozenset[int] | None:
        """The clues that some layout breaks that fits the chosen clues and has the cell flipped;
        None if there is no such layout.

        If no cell is given, a layout that breaks fewer clues than any before becomes the one to
        start from.

        Raises:
            TimeoutError: there is no time left.
        """
        if self.deadline.over:
            raise TimeoutError
        changed = self._changed(sorted(chosen, key=self._distance))
        if changed is None:
            return None
        layout = self.layout.copy()
        for at in changed:
            layout[at] ^= 1
        touched = {clue for at in changed for clue in self.clues_at[at]}
        broken = (self.broken_before - touched) | {
            clue for clue in touched if not self._holds(clue, layout)
        }
        if self.cell is None and len(broken) < len(self.broken_before):
            self.layout, self.broken_before = layout, broken
        return frozenset(broken)

    def _changed(self, chosen: list[int]) -> list[int] | None:
        """The fewest cells to change so that the chosen clues hold and the cell is flipped; None if
        that is impossible.
        """
        groups = self._groups(chosen)
        last = {clue: k for k, (clues, _) in enumerate(groups) for clue in clues}
        place = {clue: k for k, clue in enumerate(chosen)}
        if any(self.needed[clue] != 0 for clue in chosen if clue not in last):
            return None
        layers: list[dict[State, tuple[int, State, int]]] = []
        states: dict[State, int] = {(tuple(self.needed[clue] for clue in chosen), 0): 0}
        for k, (clues, cells) in enumerate(groups):
            touching = [place[clue] for clue in clues]
            closing = [place[clue] for clue in clues if last[clue] == k]
            now = sum(self.layout[at] for at in cells)
            flipped = self.cell is not None and cells == [self.cell]
            after: dict[State, tuple[int, State, int]] = {}
            for state, cost in states.items():
                needed, mines = state
                for count in [1 - now] if flipped else range(len(cells) + 1):
                    left = list(needed)
                    for at in touching:
                        left[at] -= count
                    if any(left[at] < 0 for at in touching) or any(left[at] for at in closing):
                        continue
                    to = tuple(left), mines + count if self.mines is not None else 0
                    if to not in after or cost + abs(count - now) < after[to][0]:
                        after[to] = cost + abs(count - now), state, count
            layers.append(after)
            states = {state: cost for state, (cost, _, _) in after.items()}
        rest = sorted(
            set(self.clues_at).difference(*(cells for _, cells in groups)),
            key=lambda at: len(self.clues_at[at]),
        )
        base = sum(self.layout[at] for at in rest)
        ends = {
            state: cost + (0 if self.mines is None else abs(self.mines - state[1] - base))
            for state, cost in states.items()
            if self.mines is None or 0 <= self.mines - state[1] <= len(rest)
        }
        if not ends:
            return None
        state = min(ends, key=lambda each: ends[each])
        changed = [] if self.mines is None else self._flipped(rest, self.mines - state[1])
        for (_, cells), layer in zip(reversed(groups), reversed(layers), strict=True):
            _, state, count = layer[state]
            changed += self._flipped(cells, count)
        return changed

    def _flipped(self, cells: list[int], count: int) -> list[int]:
        """The cells to change so that `count` are mines, those that touch fewest clues first."""
        now = sum(self.layout[at] for at in cells)
        ready = sorted(
            (at for at in cells if self.layout[at] == (now > count)),
            key=lambda at: len(self.clues_at[at]),
        )
        return ready[: abs(now - count)]

    def _groups(self, chosen: list[int]) -> list[tuple[list[int], list[int]]]:
        """The covered cells that touch a chosen clue, grouped by the chosen clues they touch; the
        given cell alone, and first.
        """
        within = set(chosen)
        groups: dict[tuple[int, ...], list[int]] = {}
        for clue in chosen:
            for at in self.beside[clue]:
                if at != self.cell:
                    key = tuple(other for other in self.clues_at[at] if other in within)
                    if at not in groups.setdefault(key, []):
                        groups[key].append(at)
        own = (
            []
            if self.cell is None
            else [([clue for clue in self.clues_at[self.cell] if clue in within], [self.cell])]
        )
        return own + [(list(key), cells) for key, cells in groups.items()]

    def _holds(self, clue: int, layout: Layout) -> bool:
        return sum([layout[at] for at in self.beside[clue]]) == self.needed[clue]

    def _distance(self, clue: int) -> int:
        at = clue if self.cell is None else self.cell
        return max(
            abs(clue // self.columns - at // self.columns),
            abs(clue % self.columns - at % self.columns),
        )


class _Clues(NamedTuple):
    """The clues of a board.

    Attributes:
        beside: of each clue the covered cells around it.
        needed: of each clue the mines among these.
        clues_at: of each covered cell the clues around it.
    """

    beside: dict[int, list[int]]
    needed: dict[int, int]
    clues_at: dict[int, list[int]]


@lru_cache(maxsize=1)
def _clues_of(kinds: str, rows: int, columns: int) -> _Clues:
    """The clues of a board. Several cells of one board are asked about in turn."""
    clues = _Clues({}, {}, {at: [] for at, kind in enumerate(kinds) if kind == "#"})
    for clue, kind in enumerate(kinds):
        if kind == "." or kind.isdigit():
            row, column = divmod(clue, columns)
            lines = range(max(row - 1, 0), min(row + 2, rows))
            near = [
                at * columns + k
                for at in lines
                for k in range(max(column - 1, 0), min(column + 2, columns))
            ]
            clues.needed[clue] = int(kind.replace(".", "0")) - sum(
                [kinds[at] == "X" for at in near]
            )
            clues.beside[clue] = [at for at in near if kinds[at] == "#"]
            for at in clues.beside[clue]:
                clues.clues_at[at].append(clue)
    return clues


def _kinds(board: Minesweeper) -> str:
    """The board's characters, row by row."""
    return board.grid.tobytes().decode("ascii")
