"""`compare scale`: the fit, censored sizes, crossovers, and the command on tiny sizes."""

from __future__ import annotations

import pickle
import re
import subprocess
from math import inf
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.commands.scale import report
from compare.measure.growth import Fit, GrowthSeries, SizePoint, crossover, fit
from compare.measure.scaling import sizes
from compare.show.report.plots import save_growth
from puzzles.text import UserError
from tests.processes import READ_BOARD, compare, contender

SIZES = sizes(8, 200)


def planted(exponent: float, scale: float = 1e-6, *, limit: float = 1e9, noise: float = 0.05, name: str = "a") -> GrowthSeries:
    """Three runs a size of about scale * cells^exponent seconds, run until they pass the limit."""
    rng = np.random.default_rng(1)
    series = GrowthSeries(name, limit)
    for size in SIZES:
        seconds = scale * size ** (2 * exponent) * np.exp(rng.normal(0, noise, 3))
        series.points.append(SizePoint(size, size * size, tuple(float(s) if s < limit else inf for s in seconds)))
        if (seconds >= limit).any():
            series.stopped, series.stopped_at = f"stopped at {limit:g} s", size
            break
    return series


def fitted(series: GrowthSeries) -> Fit:
    line = fit(series)
    assert line is not None
    return line


def test_sizes_grow_from_the_least_to_the_largest() -> None:
    assert sizes(8, 40) == [8, 12, 18, 27, 40]
    assert sizes(1, 4) == [1, 2, 3, 4]
    assert sizes(8, 8) == [8]


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.1, 2.0, 3.0])
def test_a_planted_exponent_is_found_and_lies_in_a_narrow_interval(exponent: float) -> None:
    line = fitted(planted(exponent))
    low, high = line.interval
    assert abs(line.exponent - exponent) < 0.03
    assert low < exponent < high
    assert high - low < 0.15


def test_fixed_costs_are_left_out() -> None:
    series = planted(1.0, noise=0)
    series.points = [SizePoint(p.size, p.cells, tuple(1e-3 + s for s in p.seconds)) for p in series.points]
    everything = GrowthSeries("b", inf, [SizePoint(p.size, p.cells, p.seconds) for p in series.points])
    assert 0.85 < fitted(series).exponent <= 1
    assert fitted(series).sizes < len(everything.points)
    assert not fitted(series).fixed
    series.points = series.points[:4]
    assert fitted(series).fixed


def test_a_size_past_the_limit_steepens_the_line_and_never_flattens_it() -> None:
    growing = GrowthSeries("a", 10.0, [SizePoint(8, 64, (0.1,)), SizePoint(16, 256, (0.4,)), SizePoint(32, 1024, (1.6,))])
    free = fitted(growing).exponent
    growing.points.append(SizePoint(40, 1600, (inf,)))  # the line passes 2.5 s there: to be over 10 s takes a steeper one
    assert fitted(growing).exponent > free + 0.1
    growing.points[-1] = SizePoint(400, 160_000, (inf,))  # 250 s would be over the limit as well: nothing is learnt
    assert fitted(growing).exponent == pytest.approx(free)


def test_a_median_is_censored_where_half_of_the_runs_passed_the_limit() -> None:
    assert SizePoint(8, 64, (1.0, 2.0, inf)).median == 2.0
    assert SizePoint(8, 64, (1.0, inf)).median == inf
    assert SizePoint(8, 64, (1.0, inf, inf)).median == inf


def test_too_few_sizes_are_not_fitted() -> None:
    assert fit(GrowthSeries("a", 1.0)) is None
    assert fit(GrowthSeries("a", 1.0, [SizePoint(8, 64, (0.1,)), SizePoint(9, 81, (0.2,))])) is None
    assert fit(GrowthSeries("a", 1.0, [SizePoint(8, 64, (0.1,)), SizePoint(9, 81, (inf,)), SizePoint(10, 100, (inf,))])) is None
    narrow = [SizePoint(size, size * size, (size * 0.01,)) for size in (8, 9, 10)]
    assert fit(GrowthSeries("a", 1.0, narrow)) is None
    assert fit(GrowthSeries("a", 1.0, [*narrow, SizePoint(16, 256, (0.16,))])) is not None


def test_the_crossover_is_where_two_planted_lines_meet() -> None:
    slow, fast = planted(2.0, 1e-6, noise=0, name="slow"), planted(1.0, 1e-6 * 40**2, noise=0, name="fast")
    for pair in ((slow, fast), (fast, slow)):
        crossing = crossover(*pair)
        assert crossing is not None
        assert (crossing.fast, crossing.slow) == ("fast", "slow")
        assert crossing.size == pytest.approx(40)


def test_who_passes_the_limit_has_lost_there() -> None:
    fast, slow = planted(1.0, name="fast"), planted(2.0, limit=10.0, noise=0, name="slow")
    crossing = crossover(slow, fast)
    assert crossing is not None
    assert (crossing.fast, crossing.size) == ("fast", None)
    assert crossover(fast, GrowthSeries("b", 1.0)) is None


def test_the_report_drops_nobody() -> None:
    fast, slow = planted(1.0, name="fast"), planted(2.0, limit=10.0, noise=0, name="slow")
    gone = GrowthSeries("gone", 10.0, stopped="xyz not installed")
    text = report("title", [fast, slow, gone], SIZES, "table", "3 boards")
    rows = {line.split()[0]: line for line in text.partition("\nslow and")[0].splitlines() if line.strip()}
    assert "times slower at 40, stopped at 10 s at 60" in rows["slow"]
    assert "xyz not installed" in rows["gone"]
    assert "over 10 s" in rows["60"]


def test_a_program_whose_start_rules_has_no_growth_to_be_seen() -> None:
    fast = planted(1.0, 1e-8, name="fast", noise=0)
    points = [SizePoint(p.size, p.cells, tuple(s * 1e-3 + 2.6e-3 for s in p.seconds)) for p in fast.points]
    started = GrowthSeries("mine", 10.0, points, with_start=True)
    assert started.fixed_cost == pytest.approx(2.6e-3, rel=0.01)
    text = report("title", [fast, started], SIZES, "table", "3 boards")
    (row,) = [line for line in text.splitlines() if line.startswith("mine with start  not to be seen: ")]
    assert "the start of its process rules, about 2.6 ms" in row
    assert re.search(r"slower at 200, the start of its process rules, about 2.6 ms$", row.rstrip())
    assert "fast is faster than mine with start on every size" in text
    assert text.endswith("with start: the times of a program include the start of its process")
    assert fast.fixed_cost is None


def test_no_exponent_is_shown_whose_interval_crosses_0() -> None:
    seconds = (1e-3, 5e-3, 1.2e-3, 6e-3, 1e-3, 4.5e-3, 1.1e-3)
    points = [SizePoint(size, size**2, (second,) * 3) for size, second in zip(SIZES, seconds, strict=False)]
    text = report("title", [GrowthSeries("flat", 10.0, points)], SIZES, "table", "3 boards")
    assert re.search(r"^flat +not certain to grow +\d sizes", text, re.MULTILINE)
    assert "cells^" not in text


def test_a_plot_has_every_line_with_its_interval(tmp_path: Path) -> None:
    path = tmp_path / "growth.svg"
    save_growth(
        "title", [planted(1.0, name="straight"), planted(2.0, limit=10.0, name="curved"), GrowthSeries("none", 1.0)], str(path)
    )
    drawn = path.read_text()
    assert drawn.count("FillBetweenPolyCollection") + drawn.count("PolyCollection_") >= 2
    with pytest.raises(UserError, match="suffix"):
        save_growth("title", [], str(tmp_path / "growth"))
    with pytest.raises(UserError, match="growth.xyz"):
        save_growth("title", [], str(tmp_path / "growth.xyz"))
    with pytest.raises(UserError, match="No such file"):
        save_growth("title", [], str(tmp_path / "missing" / "growth.svg"))


def scale(*arguments: str) -> subprocess.CompletedProcess[str]:
    return compare("scale", *arguments)


def test_the_command_measures_relates_and_says_who_was_stopped(tmp_path: Path) -> None:
    code = "import time\ntime.sleep(60 * (int(size.split()[0]) > 4))\nprint('Case #1: IMPOSSIBLE')\n"
    mine = contender(tmp_path, READ_BOARD + code)
    tested = ["-b", "direct", "-b", "cnf", "--program", mine, "--timeout", "3", "--repeat", "2"]
    ended = scale("beams", "--family", "loops", "--smallest", "4", "--largest", "9", *tested)
    assert "beams, family loops: medians of 2 boards a size" in ended.stdout
    first = [line.split()[0] for line in ended.stdout.splitlines() if line.strip()]
    assert [word for word in first if word.isdigit()] == ["4", "6", "9"]
    assert "stopped at 3 s at 6" in ended.stdout
    assert "direct:two-sat is faster than mine" in ended.stdout
    wrong = [seed for seed in (1, 2) if direct_says(seed)]
    assert ended.stdout.count("CONFLICT of direct:two-sat and mine") == len(wrong)
    assert ended.returncode == (1 if wrong else 0)


def direct_says(seed: int) -> bool:
    import direct

    return bool(direct.solve(puzzles.get("beams").family("loops").board(4, seed)).claims[0])  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["beams", "--family", "none"], "unknown beams family 'none'"),
        (["beams", "-b", "none"], "unknown beams backend"),
        (["beams", "--plot", "growth"], "suffix"),
    ],
)
def test_wrong_usage_is_told_before_anything_runs(arguments: list[str], words: str) -> None:
    ended = scale(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


def test_a_board_that_travelled_is_still_read_only() -> None:
    for name in puzzles.names():
        puzzle = puzzles.get(name)
        board = puzzle.parse(puzzle.example, "<example>")[0]
        back = pickle.loads(pickle.dumps(board))
        assert back == board
        assert not back.grid.flags.writeable
