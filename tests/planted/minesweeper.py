"""Wrong minesweeper backends: a model and a closure, and in each backend one defect that somebody
would really write.

They take legal boards, as Amb's write-up does; the closures claim that what they leave cannot be
decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from puzzles.backend import Unsupported
from puzzles.minesweeper.board import Deduction, Minesweeper
from tests.planted import plant

MODELS = {
    "no-diagonals": "diagonal neighbours forgotten",
    "blank": "`.` taken for a cell without a clue",
    "flag-twice": "a given mine counted twice: taken off the clue, and still among its cells",
    "beside-no-clue": "covered cells beside no clue called safe",
}
CLOSURES = {
    "stops-at-known": "closure that does not expand through literals already known",
    "three-rounds": "closure stopped after three rounds",
}

Cell = tuple[int, int]


class View:
    """A board as its covered cells (1-based variables), its given mines, and for each clue what is
    around it.
    """

    def __init__(self, board: Minesweeper, bug: str) -> None:
        self.kind = {
            divmod(cell, board.columns): chr(board.grid.flat[cell]) for cell in range(board.cells)
        }
        self.variable = {
            cell: i
            for i, cell in enumerate((c for c, kind in self.kind.items() if kind in "#XO"), 1)
        }
        self.clues = list(self._clues(bug))

    def _clues(self, bug: str) -> Iterator[tuple[int, list[int]]]:
        for (row, column), kind in self.kind.items():
            if kind.isdigit() or (kind == "." and bug != "blank"):
                steps = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
                if bug == "no-diagonals":
                    steps = [(r, c) for r, c in steps if 0 in (r, c)]
                around = [(row + r, column + c) for r, c in steps]
                clue = int(kind) if kind.isdigit() else 0
                if bug == "flag-twice":
                    clue -= sum(self.kind.get(cell) == "X" for cell in around)
                yield clue, [self.variable[cell] for cell in around if cell in self.variable]

    def units(self) -> list[int]:
        return [
            v if self.kind[cell] == "X" else -v
            for cell, v in self.variable.items()
            if self.kind[cell] in "XO"
        ]


def model(view: View) -> set[int] | None:
    """All literals that follow from the clues; None where they contradict one another.

    Two queries a covered cell.
    """
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=[[unit] for unit in view.units()]) as solver:
        for clue, around in view.clues:
            if not 0 <= clue <= len(around):
                return None
            for few in combinations(around, len(around) - clue + 1):
                solver.add_clause(list(few))
            for many in combinations(around, clue + 1):
                solver.add_clause([-v for v in many])
        if not solver.solve():
            return None
        return {
            x for v in view.variable.values() for x in (v, -v) if not solver.solve(assumptions=[-x])
        }


def closure(view: View, bug: str) -> set[int]:
    """Rounds of Amb's write-up: clues as implications, every literal that its opposite implies, and
    its cell off the clues.
    """
    units = set(view.units())
    known, stops = set(units), set[int]()
    off: set[int] = set() if bug == "stops-at-known" else set(units)
    for _ in range(3 if bug == "three-rounds" else len(view.variable)):
        edges: dict[int, set[int]] = {-x: {x} for x in units}
        for clue, around in view.clues:
            rest = [v for v in around if v not in off and -v not in off]
            mines = clue - sum(v in off for v in around)
            for v in rest:
                if mines in (0, len(rest)):
                    edges.setdefault(v if mines == 0 else -v, set()).add(-v if mines == 0 else v)
                if mines == len(rest) - 1:
                    edges.setdefault(-v, set()).update(w for w in rest if w != v)
                if mines == 1:
                    edges.setdefault(v, set()).update(-w for w in rest if w != v)
        if bug == "stops-at-known":
            stops = set(known)
        new = {
            x
            for v in view.variable.values()
            for x in (v, -v)
            if x not in known and x in reached(-x, edges, stops)
        }
        if not new:
            break
        known |= new
        off |= new
    return known


def reached(start: int, edges: dict[int, set[int]], stops: set[int]) -> set[int]:
    found, waiting = {start}, [start]
    for x in waiting:
        for near in edges.get(x, ()):
            if near not in found:
                found.add(near)
                if near not in stops:
                    waiting.append(near)
    return found


def solve(board: Minesweeper, bug: str) -> Deduction:
    if board.mines is not None:
        raise Unsupported("the number of mines is given")
    if bug in CLOSURES:
        right = View(board, "")
        if model(right) is None:
            raise Unsupported("the board is not legal")
        certain = closure(right, bug)
    else:
        view = View(board, bug)
        layout = model(view)
        if layout is None:
            return Deduction(False, board)
        certain = layout
        if bug == "beside-no-clue":
            beside = {v for _, around in view.clues for v in around}
            certain |= {-v for v in view.variable.values() if v not in beside and v not in certain}
    grid = board.grid.copy()
    for cell, v in View(board, bug).variable.items():
        if v in certain or -v in certain:
            grid[cell] = ord("X" if v in certain else "O")
    return Deduction(True, Minesweeper(grid))


plant("minesweeper", MODELS, solve, refuses=lambda board, *, certify: board.mines is not None)
plant("minesweeper", CLOSURES, solve, refuses=lambda board, *, certify: True)
