"""Why a cell is certain: the fewest clues that force it, by a bounded search on the layouts that break few clues.

From a layout that agrees with every clue, a frontier programme over the clues chosen so far changes as few cells as it can to
make the cell what it is not. If it cannot, the chosen clues force the cell; else the layout that it finds breaks some clues, and
whatever forces the cell holds one of them. So a search of a given depth branches over those, and the first depth at which it
succeeds is the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import numpy as np

from direct.minesweeper import closure, frontier
from puzzles.minesweeper.board import MINE, Cause, Certificate, Core, Deduction, Minesweeper

Layout = list[int]
State = tuple[tuple[int, ...], int]
"""What each chosen clue still asks for, and the mines so far where their number is told (else 0)."""


def fewest(board: Minesweeper, answer: Deduction, cell: int | None, seconds: float) -> Cause:
    """A smallest set of clues that forces a certain cell of a certified answer; without a cell, that has no layout.

    The number of mines takes part only where the clues do not suffice. After `seconds` the certificate's core has to do.
    """
    proof = answer.certificate
    assert isinstance(proof, Certificate)
    core = next((core for core in proof.cores if cell is None or cell in core.cells), Core(()))
    layout = [int(kind == MINE) for kind in answer.board.grid.ravel().tolist()]
    if answer.consistent and proof.layouts:
        layout = list(proof.layouts[0])
    search = _Search(board, layout, cell, core.counted, monotonic() + seconds)
    if core.counted and _by_clues(board, cell):
        return Cause(cell, core.clues, True, False)
    try:
        search.repair()
        for depth in range(len(core.clues)):
            found = search.within(frozenset(), frozenset(), depth)
            if found is not None:
                return Cause(cell, tuple(sorted(found)), core.counted, True)
    except TimeoutError:
        return Cause(cell, core.clues, core.counted, False)
    return Cause(cell, core.clues, core.counted, True)


def _by_clues(board: Minesweeper, cell: int | None) -> bool:
    """Whether the clues alone force a cell whose core has the number of mines, or may do so: then the core was not found."""
    starts = np.array([0, board.rows])
    know, need, left = closure.field.at(board.cells)(board.grid, starts)
    clash = closure.close.at(board.cells)(know, need, left, board.columns + 1, starts)
    status, _ = frontier.decide.at(board.cells)(know, need, left, board.columns + 1, starts, clash, frontier.FEW_STATES)
    if clash[0] or (status > frontier.INCONSISTENT).any():
        return True
    return cell is not None and know[board.columns + 2 + cell // board.columns * (board.columns + 1) + cell % board.columns] < 2


class _Search:
    """Breaking sets found so far, and the search for few clues that meet them all."""

    def __init__(self, board: Minesweeper, layout: Layout, cell: int | None, counted: bool, until: float) -> None:
        self.columns, self.layout, self.cell, self.until = board.columns, layout, cell, until
        self.kinds = board.grid.tobytes().decode("ascii")
        self.covered = [at for at, kind in enumerate(self.kinds) if kind == "#"]
        self.mines = None if not counted or board.mines is None else board.mines - self.kinds.count("X")
        self.around = [list(self._around(at, board.rows)) for at in range(board.cells)]
        self.asked: dict[int, int] = {}
        self.clues_at: dict[int, list[int]] = {at: [] for at in self.covered}
        for at, kind in enumerate(self.kinds):
            if kind == "." or kind.isdigit():
                self.asked[at] = int(kind.replace(".", "0")) - sum(self.kinds[near] == "X" for near in self.around[at])
                for near in self.around[at]:
                    if self.kinds[near] == "#":
                        self.clues_at[near].append(at)
        self.broken_before = {clue for clue in self.asked if not self._holds(clue, layout)}
        self.breaking: list[frozenset[int]] = []

    def repair(self) -> None:
        """Make the layout break fewer clues, where it breaks some: round each of them the clues that share a cell with it.

        Raises:
            TimeoutError: there is no time left.
        """
        before = len(self.broken_before) + 1
        while 0 < len(self.broken_before) < before:
            before = len(self.broken_before)
            for clue in sorted(self.broken_before):
                tied = {other for at in self.around[clue] for other in self.clues_at.get(at, ())}
                for chosen in (tied, {clue}):
                    if clue in self.broken_before and self.broken(frozenset({clue} | chosen)) is not None:
                        break

    def within(self, chosen: frozenset[int], barred: frozenset[int], more: int) -> frozenset[int] | None:
        """The chosen clues and at most so many others, none of them barred, that force the cell; None where there are none.

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
        apart = 0
        for each in unmet:
            if met.isdisjoint(each):
                met |= each
                apart += 1
        if apart > more or not unmet[0]:
            return None
        for clue in sorted(unmet[0], key=self._distance):
            found = self.within(chosen | {clue}, barred, more - 1)
            if found is not None:
                return found
            barred |= {clue}
        return None

    def broken(self, chosen: frozenset[int]) -> frozenset[int] | None:
        """The clues that break in some layout with the cell otherwise in which the chosen ones hold; None where there is none.

        Where no cell is asked about, a layout that breaks fewer than any before is the one to start from next time.

        Raises:
            TimeoutError: there is no time left.
        """
        if monotonic() > self.until:
            raise TimeoutError
        changed = self._changed(sorted(chosen, key=self._distance))
        if changed is None:
            return None
        layout = self.layout.copy()
        for at in changed:
            layout[at] ^= 1
        touched = {clue for at in changed for clue in self.clues_at[at]}
        broken = (self.broken_before - touched) | {clue for clue in touched if not self._holds(clue, layout)}
        if self.cell is None and len(broken) < len(self.broken_before):
            self.layout, self.broken_before = layout, broken
        return frozenset(broken)

    def _changed(self, chosen: list[int]) -> list[int] | None:
        """The cells that have to change, as few as can be; None where no change will do."""
        groups = self._groups(chosen)
        last = {clue: k for k, (clues, _) in enumerate(groups) for clue in clues}
        place = {clue: k for k, clue in enumerate(chosen)}
        if any(self.asked[clue] != 0 for clue in chosen if clue not in last):
            return None
        layers: list[dict[State, tuple[int, State, int]]] = []
        states: dict[State, int] = {(tuple(self.asked[clue] for clue in chosen), 0): 0}
        for k, (clues, cells) in enumerate(groups):
            touching = [place[clue] for clue in clues]
            closing = [place[clue] for clue in clues if last[clue] == k]
            now = sum(self.layout[at] for at in cells)
            claimed = self.cell is not None and cells == [self.cell]
            after: dict[State, tuple[int, State, int]] = {}
            for state, cost in states.items():
                asked, mines = state
                for count in [1 - now] if claimed else range(len(cells) + 1):
                    left = list(asked)
                    for at in touching:
                        left[at] -= count
                    if any(left[at] < 0 for at in touching) or any(left[at] for at in closing):
                        continue
                    to = tuple(left), mines + count if self.mines is not None else 0
                    if to not in after or cost + abs(count - now) < after[to][0]:
                        after[to] = cost + abs(count - now), state, count
            layers.append(after)
            states = {state: cost for state, (cost, _, _) in after.items()}
        rest = sorted(set(self.covered).difference(*(cells for _, cells in groups)), key=lambda at: len(self.clues_at[at]))
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
        """The cells to change so that `count` are mines, those beside fewest clues first."""
        now = sum(self.layout[at] for at in cells)
        ready = sorted((at for at in cells if self.layout[at] == (now > count)), key=lambda at: len(self.clues_at[at]))
        return ready[: abs(now - count)]

    def _groups(self, chosen: list[int]) -> list[tuple[list[int], list[int]]]:
        """The covered cells beside chosen clues, those with the same ones together, in their order; the cell by itself."""
        within = set(chosen)
        found: dict[tuple[int, ...], list[int]] = {}
        for clue in chosen:
            for at in self.around[clue]:
                if self.kinds[at] == "#" and at != self.cell:
                    key = tuple(other for other in self.clues_at[at] if other in within)
                    if at not in found.setdefault(key, []):
                        found[key].append(at)
        own = [] if self.cell is None else [([clue for clue in self.clues_at[self.cell] if clue in within], [self.cell])]
        return own + [(list(key), cells) for key, cells in found.items()]

    def _holds(self, clue: int, layout: Layout) -> bool:
        return sum(layout[at] for at in self.around[clue] if self.kinds[at] == "#") == self.asked[clue]

    def _distance(self, clue: int) -> int:
        at = clue if self.cell is None else self.cell
        return max(abs(clue // self.columns - at // self.columns), abs(clue % self.columns - at % self.columns))

    def _around(self, at: int, rows: int) -> Iterator[int]:
        row, column = divmod(at, self.columns)
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(column - 1, 0), min(column + 2, self.columns)):
                if (r, c) != (row, column):
                    yield r * self.columns + c
