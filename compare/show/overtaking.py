"""Who overtakes whom on growing boards, in a sentence."""

from __future__ import annotations

from compare.measure.growth import GrowthSeries, crossover


def crossing(a: GrowthSeries, b: GrowthSeries) -> str:
    """Which of two contenders is faster on large boards, and from which size on."""
    crossed = crossover(a, b)
    if crossed is None:
        return f"{a.label} and {b.label}: no size in common"
    fast, slow = (next(each.label for each in (a, b) if each.name == name) for name in (crossed.fast, crossed.slow))
    where = "on every size" if crossed.size is None else f"from about size {crossed.size:.0f} on"
    return f"{fast} is faster than {slow} {where}"
