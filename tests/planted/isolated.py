"""Geography as a contest program: the example, but for isolated cells, which it counts as
winning.
"""

from __future__ import annotations

from pathlib import Path

RIGHT, WRONG = "if cell not in mate]", "if near[cell] and cell not in mate]"

example = (Path(__file__).parents[2] / "examples" / "geography.py").read_text()
assert example.count(RIGHT) == 1
exec(example.replace(RIGHT, WRONG))
