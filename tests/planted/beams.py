"""Wrong beams backends: one tracer and one 2-SAT, and in each backend one defect that somebody
would really write.
"""

from __future__ import annotations

from collections.abc import Sequence

from puzzles.beams.board import Beams, Layout
from tests.planted import plant

BUGS = {
    "mirror": "one direction of one mirror turned the wrong way",
    "one-arm": "a turret shoots with one of its two arms only",
    "passes-turrets": "a beam passes turrets as if they were open",
    "own-turret": "a beam may hit its own turret",
    "three-literals": "of three literals that light a cell the first two kept, the illegal ones "
    "among them",
    "contrapositive": "a clause gives one implication, not two",
    "components": "the order of the components read backwards",
    "circular-light": "the rules as clauses, and circular light: a ring of mirrors lights itself",
}

LEFT, UP, RIGHT, DOWN = range(4)
STEPS = ((0, -1), (-1, 0), (0, 1), (1, 0))
MIRRORS = {ord("/"): (DOWN, RIGHT, UP, LEFT), ord("\\"): (UP, LEFT, DOWN, RIGHT)}
TURRETS = b"-|"


def trace(board: Beams, cell: int, direction: int, bug: str) -> tuple[list[int], bool]:
    """The open cells that a beam crosses, and whether it hits a turret."""
    crossed: list[int] = []
    row, column = divmod(cell, board.columns)
    for _ in range(4 * board.cells):
        row, column = row + STEPS[direction][0], column + STEPS[direction][1]
        if not (0 <= row < board.rows and 0 <= column < board.columns):
            break
        here, kind = row * board.columns + column, int(board.grid[row, column])
        if kind == ord("#"):
            break
        if kind in TURRETS and bug == "own-turret" and here == cell:
            break
        if kind in TURRETS and bug != "passes-turrets":
            return crossed, True
        if kind == ord("."):
            crossed.append(here)
        if kind in MIRRORS:
            wrong = bug == "mirror" and kind == ord("\\") and direction == RIGHT
            direction = UP if wrong else MIRRORS[kind][direction]
    return crossed, False


def clauses(board: Beams, turrets: Sequence[int], bug: str) -> list[tuple[int, ...]]:
    """Clauses of one or two literals: 2t that turret t lies flat, 2t + 1 that it stands; an empty
    one where a cell stays dark.
    """
    lit: dict[int, list[int]] = {
        cell: [] for cell in range(board.cells) if board.grid.flat[cell] == ord(".")
    }
    pairs: list[tuple[int, ...]] = []
    for literal in range(2 * len(turrets)):
        arms = (literal % 2, literal % 2 + 2)[: 1 if bug == "one-arm" else 2]
        beams = [trace(board, turrets[literal // 2], direction, bug) for direction in arms]
        hit = any(hits for _, hits in beams)
        if hit:
            pairs.append((literal ^ 1,))
        if not hit or bug == "three-literals":
            for cell in {cell for crossed, _ in beams for cell in crossed}:
                lit[cell].append(literal)
    return pairs + [tuple(literals[:2]) for literals in lit.values()]


def two_sat(size: int, made: Sequence[tuple[int, ...]], bug: str) -> list[bool] | None:
    """The value of each even literal, or None; reachability in bit sets, components ordered by how
    much they reach.
    """
    reach = [1 << literal for literal in range(size)]
    for each in made:
        if not each:
            return None
        one, other = each[0], each[-1]
        reach[one ^ 1] |= 1 << other
        if bug != "contrapositive":
            reach[other ^ 1] |= 1 << one
    for middle in range(size):
        for literal in range(size):
            if reach[literal] >> middle & 1:
                reach[literal] |= reach[middle]
    if any(reach[x] >> (x ^ 1) & 1 and reach[x ^ 1] >> x & 1 for x in range(0, size, 2)):
        return None
    component = [(bits.bit_count(), bits) for bits in reach]
    backwards = bug == "components"
    return [(component[x] < component[x ^ 1]) != backwards for x in range(0, size, 2)]


def circular(board: Beams, turrets: Sequence[int]) -> list[bool] | None:
    """The rules as clauses over `a beam enters this cell in this direction`, and nothing against
    circles.
    """
    from pysat.solvers import Solver

    def entered(cell: int, direction: int) -> int:
        return len(turrets) + 4 * cell + direction + 1

    with Solver("minisat22") as solver:
        for cell in range(board.cells):
            kind = int(board.grid.flat[cell])
            if kind == ord("."):
                solver.add_clause([entered(cell, direction) for direction in range(4)])
            row, column = divmod(cell, board.columns)
            for direction, (down, right) in enumerate(STEPS):
                beam = entered(cell, direction)
                if kind in TURRETS:
                    solver.add_clause([-beam])
                r, c = row - down, column - right
                before = (
                    int(board.grid[r, c])
                    if 0 <= r < board.rows and 0 <= c < board.columns
                    else ord("#")
                )
                at = r * board.columns + c
                if before == ord("#"):
                    solver.add_clause([-beam])
                    continue
                if before in TURRETS:
                    turret = turrets.index(at) + 1
                    source = turret if direction in (LEFT, RIGHT) else -turret
                else:
                    source = entered(
                        at, MIRRORS[before].index(direction) if before in MIRRORS else direction
                    )
                solver.add_clause([-beam, source])
                solver.add_clause([beam, -source])
        if not solver.solve():
            return None
        true = set(solver.get_model() or ())
        return [turret + 1 in true for turret in range(len(turrets))]


def solve(board: Beams, bug: str) -> Layout:
    turrets = [cell for cell in range(board.cells) if board.grid.flat[cell] in TURRETS]
    formula = None if bug == "circular-light" else clauses(board, turrets, bug)
    flat = circular(board, turrets) if formula is None else two_sat(2 * len(turrets), formula, bug)
    if flat is None:
        return Layout(False)
    grid = board.grid.copy()
    for turret, lies in zip(turrets, flat, strict=True):
        grid.flat[turret] = TURRETS[0 if lies else 1]
    return Layout(True, Beams(grid))


plant("beams", BUGS, solve)
