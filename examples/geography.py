"""Geography, right and plain:

`python -m compare run geography -b direct --program 'mine=python3 examples/geography.py'`.
"""

from __future__ import annotations

import sys

sys.setrecursionlimit(1_000_000)
_, columns, *board = sys.stdin.read().split()
cells = [(r, c) for r, row in enumerate(board) for c, kind in enumerate(row) if kind == "."]
is_open = set(cells)
near = {
    (r, c): [cell for cell in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if cell in is_open]
    for r, c in cells
}
mate: dict[tuple[int, int], tuple[int, int]] = {}


def augment(cell: tuple[int, int], seen: set[tuple[int, int]]) -> bool:
    """Match this cell; others may change their mates for it."""
    for other in near[cell]:
        if other not in seen:
            seen.add(other)
            if other not in mate or augment(mate[other], seen):
                mate[cell], mate[other] = other, cell
                return True
    return False


for cell in cells:
    if sum(cell) % 2 == 0:
        augment(cell, set())

# One loses from a cell that some maximum matching leaves out: an exposed one, or the mate of a
# losing cell's neighbour.
losing = [cell for cell in cells if cell not in mate]
for cell in losing:
    losing += {mate[other] for other in near[cell]} - set(losing)
print(len(losing))
for row, column in sorted(losing):
    print(row + 1, column + 1)
