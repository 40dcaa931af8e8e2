"""Geography as bipartite matching: the first mover loses from exactly the cells that some maximum
matching misses. From any other cell the first mover wins by always moving to the mate of the
current cell.

Each backend stands in a `by_NAME.py`. Begin with `by_hungarian`: it is the shortest.

Source: write-up "LOJ6033, board game (bipartite game)", TheLostWeak.
"""

from __future__ import annotations

COMPILING_S = 8
"""CPU seconds that compiling the kernels takes, about."""
