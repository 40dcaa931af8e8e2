"""`compare scale`: the fit, censored sizes, crossovers, and the command on tiny sizes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from math import inf
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.commands.scale.growth import Fit, GrowthSeries, SizePoint, crossover, fit
from compare.commands.scale.growth_plots import save_growth
from compare.commands.scale.growth_tables import crossing, growth_table, growth_text
from compare.commands.scale.scaling import Scaling, sizes
from compare.engine.campaign.plan import Settings, of_family
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.contenders import choose
from compare.engine.work.result import Result
from puzzles.text import UserError
from tests.installed import needs
from tests.processes import READ_BOARD, compare, contender

SIZES = sizes(8, 200)


def measured(
    sides: Iterable[int], *medians: float | tuple[float, ...], limit: float = inf, name: str = "a"
) -> GrowthSeries:
    """Boards of these sides, and the seconds of the one run, or of the runs, on each: of each
    side as many different boards as runs.
    """
    runs = [each if isinstance(each, tuple) else (each,) for each in medians]
    points = [
        SizePoint(n, n * n, seconds, tuple(map(str, range(len(seconds)))))
        for n, seconds in zip(sides, runs, strict=False)
    ]
    return GrowthSeries(name, limit, points)


def curve(
    sides: tuple[int, int],
    seconds: Callable[[int], float],
    *,
    runs: int = 3,
    noise: float = 0.05,
    seed: int = 1,
    limit: float = inf,
    name: str = "a",
) -> GrowthSeries:
    """Runs of about so many seconds at each number of cells, until they pass the limit."""
    rng = np.random.default_rng(seed)
    medians: list[tuple[float, ...]] = []
    for n in sizes(*sides):
        taken = seconds(n * n) * np.exp(rng.normal(0, noise, runs))
        medians.append(tuple(float(s) if s < limit else inf for s in taken))
        if inf in medians[-1]:
            break
    series = measured(sizes(*sides), *medians, limit=limit, name=name)
    if medians[-1].count(inf):
        series.stopped, series.stopped_at = f"stopped at {limit:g} s", series.points[-1].size
    return series


def power(
    exponent: float,
    scale: float = 1e-6,
    *,
    limit: float = inf,
    noise: float = 0.05,
    name: str = "a",
    runs: int = 3,
    seed: int = 1,
) -> GrowthSeries:
    """So many runs a size of about scale * cells^exponent seconds."""
    return curve(
        (8, 200),
        lambda cells: scale * cells**exponent,
        runs=runs,
        noise=noise,
        seed=seed,
        limit=limit,
        name=name,
    )


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
    line = fitted(power(exponent))
    low, high = line.interval
    assert line.is_law
    assert abs(line.exponent - exponent) < 0.03
    assert low <= exponent <= high
    assert high - low < 0.15


RANGES = ((8, 40), (8, 100), (8, 200), (27, 300), (40, 600), (100, 1000))


@pytest.mark.parametrize(
    ("fixed", "exponent", "laws"),
    [(0.0, 1.0, 18), (14_000.0, 1.0, 12), (300_000.0, 1.5, 15), (1000.0, 1.2, 18), (1e9, 1.0, 0)],
)
def test_ranges_of_one_curve_print_no_contradicting_laws(
    fixed: float, exponent: float, laws: int
) -> None:
    intervals: list[list[tuple[float, float]]] = []
    for seed in range(3):
        some = [
            curve(sides, lambda cells: fixed + cells**exponent, noise=0.1, seed=seed)
            for sides in RANGES
        ]
        lines = [fitted(series) for series in some]
        intervals.append([line.interval for line in lines if line.is_law])
        assert all(line.too_quick for line in lines if not line.is_law)
    told = [interval for some in intervals for interval in some]
    assert len(told) == laws
    assert sum(low <= exponent <= high for low, high in told) >= 0.9 * laws
    pairs = [(a, b) for some in intervals for a, b in combinations(some, 2)]
    apart = [(a, b) for a, b in pairs if a[1] < b[0] or b[1] < a[0]]
    assert len(apart) <= 0.02 * len(pairs)


def test_small_boards_that_are_solved_in_another_way_are_left_out_and_named() -> None:
    series = measured(SIZES, 31e-6, 372e-6, 411e-6, 356e-6, 393e-6, 427e-6, 566e-6)
    line = fitted(series)
    assert (line.sizes, line.too_quick, line.least) == (6, True, 356e-6)
    text = growth_text("title", [series], SIZES, "table", (3, "board"))
    assert re.search(r"rules, about 356 µs of the sizes fitted +6, without 8$", text, re.MULTILINE)


def test_a_size_past_the_limit_steepens_the_line_and_never_flattens_it() -> None:
    growing = measured((8, 11, 16, 32), *(n * n / 640 for n in (8, 11, 16, 32)), limit=10.0)
    free = fitted(growing).exponent
    assert free == pytest.approx(1.0)
    growing.points.append(
        SizePoint(40, 1600, (inf,))
    )  # the curve passes 2.5 s there: to be over 10 s takes a steeper one
    assert fitted(growing).exponent > free + 0.1
    growing.points[-1] = SizePoint(
        400, 160_000, (inf,)
    )  # 250 s would be over the limit as well: nothing is learnt
    assert fitted(growing).exponent == pytest.approx(free)


def growth_of(series: GrowthSeries) -> str:
    """What the table says of a growth, and what it says it is fitted to."""
    (row,) = growth_table("", {"": [series]}, "cells").rows
    return row[1].text


def test_the_end_of_the_search_is_never_shown_as_a_figure() -> None:
    assert re.fullmatch(
        r"cells\^(5\.9\d|6\.0\d) \(5\.\d\d to 6\.\d\d\)",
        growth_of(curve((8, 40), lambda cells: 1e-12 * cells**6)),
    )
    assert (
        growth_of(curve((8, 27), lambda cells: 1e-30 * cells**16)) == "steeper than any power tried"
    )
    assert re.fullmatch(
        r"at least cells\^11\.\d", growth_of(curve((8, 27), lambda cells: 1e-20 * cells**11.8))
    )
    exponential = [
        growth_of(curve(sides, lambda cells: 1e-3 * 2 ** (cells / 40)))
        for sides in ((8, 40), (4, 27))
    ]
    assert exponential == [
        "steeper than any power tried",
        "not one power: at least cells^2.3",
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_jump_and_two_slopes_are_not_one_power(seed: int) -> None:
    jump = curve((8, 600), lambda cells: 2e-8 * cells * (1 if cells < 250**2 else 8), seed=seed)
    words = (
        r"not one power: about cells\^1\.0 to size 202"
        r"(, cells\^(0\.9|1\.1) from 303 on| and from 303 on, with a step between them)"
    )
    assert re.fullmatch(words, growth_of(jump))
    for steeper in (0.4, 2.0):
        slopes = curve(
            (8, 600),
            lambda cells, p=steeper: 1e-6 * cells * max(1, cells / 90**2) ** (p - 1),
            seed=seed,
        )
        words = (
            r"not one power: about cells\^(0\.9|1\.[01]) to size (60|90), "
            rf"cells\^({steeper}|{steeper - 0.1:.1f}) from (90|135) on"
        )
        assert re.fullmatch(words, growth_of(slopes))
        shorter = replace(slopes, points=[point for point in slopes.points if point.size <= 90])
        assert fitted(shorter).is_law
    once = curve(
        (8, 600), lambda cells: 2e-8 * cells * (1 if cells < 250**2 else 8), runs=1, seed=seed
    )
    low, high = fitted(
        once
    ).interval  # one run a size tells nothing of the noise: what the curve misses widens it
    assert high - low > 0.3


def test_a_median_is_censored_where_half_of_the_runs_passed_the_limit() -> None:
    assert SizePoint(8, 64, (1.0, 2.0, inf)).median == 2.0
    assert SizePoint(8, 64, (1.0, inf)).median == inf
    assert SizePoint(8, 64, (1.0, inf, inf)).median == inf


def test_too_few_sizes_are_not_fitted() -> None:
    for few in ((), (0.1, 0.2), (0.1, inf, inf), (0.08, 0.09, 0.1, 0.11)):
        assert fit(measured((8, 9, 10, 11), *few, limit=1.0)) is None
    assert fit(measured((8, 9, 10, 16), 0.08, 0.09, 0.1, 0.16, limit=1.0)) is not None


BRIEF = (0.0186, 0.0476, 0.124, 0.205, 2.56)


@pytest.mark.parametrize("sides", [(8, 12, 18, 27, 40, 60), (10, 20, 30, 40, 50, 60)])
def test_a_size_that_was_stopped_counts_as_at_least_the_limit(sides: tuple[int, ...]) -> None:
    stopped = measured(sides, *BRIEF, inf, limit=10.0)
    assert re.fullmatch(r"at least cells\^(0\.[89]|1\.[01])", growth_of(stopped))
    without = fitted(measured(sides, *BRIEF, limit=10.0))
    assert fitted(stopped).least_slope > without.least_slope
    spread = measured(sides, *((s * 0.9, s, s * 1.1) for s in BRIEF), inf, limit=10.0)
    assert re.fullmatch(r"not one power: at least cells\^(0\.[89]|1\.[01])", growth_of(spread))


def test_the_least_slope_is_the_one_that_the_table_of_kendalls_test_gives() -> None:
    # Of 4 sizes 1 order of 24 has no falling pair, of 5 sizes 5 of 120 have at most one, of 6 sizes
    # 20 of 720 have at most two: so the 1st, the 2nd, the 3rd smallest slope.
    for count, place in ((4, 0), (5, 1), (6, 2)):
        medians = [4.0**k * 1.1 ** (k % 2) for k in range(count)]
        line = fitted(measured([2**k for k in range(count)], *medians))
        slopes = sorted(
            np.log(medians[j] / medians[k]) / np.log(4.0 ** (j - k))
            for k, j in combinations(range(count), 2)
        )
        assert line.least_slope == pytest.approx(slopes[place])


def test_growth_is_said_of_noise_seldom_and_of_growth_nearly_always() -> None:
    flat, growing = 0, 0
    for seed in range(100):
        still = curve((8, 100), lambda cells: 1e-3, runs=1, noise=0.5, seed=seed)
        flat += fitted(still).least_slope > 0
        rising = curve((8, 100), lambda cells: 1e-5 * cells, runs=1, noise=0.5, seed=seed)
        growing += fitted(rising).grows
    assert flat <= 10  # 5 are expected, and 10 are two standard deviations more
    assert growing >= 95


@pytest.mark.parametrize("runs", [5, 10])
def test_the_crossover_is_where_two_planted_lines_meet(runs: int) -> None:
    with_interval = covered = 0
    for seed in range(40):
        slow = power(2.0, 1e-9, noise=0.3, name="slow", runs=runs, seed=seed)
        fast = power(1.0, 1e-9 * 40**2, noise=0.3, name="fast", runs=runs, seed=1000 + seed)
        crossed = crossover(*((slow, fast) if seed % 2 else (fast, slow)))
        assert crossed is not None
        assert (crossed.fast, crossed.slow, crossed.boards) == (fast, slow, runs)
        assert crossed.size is not None
        if crossed.interval is not None:
            with_interval += 1
            low, high = crossed.interval
            covered += low <= 40 <= high
            assert low <= crossed.size <= high
    assert with_interval >= 38
    assert covered >= 0.9 * with_interval
    exact = crossover(
        power(2.0, 1e-6, noise=0, runs=runs), power(1.0, 1e-6 * 40**2, noise=0, runs=runs)
    )
    assert exact is not None
    assert exact.size == pytest.approx(40)
    assert exact.interval == pytest.approx((40, 40))


def test_of_two_that_are_equally_fast_neither_is_called_faster() -> None:
    with_interval = 0
    for seed in range(100):
        one, other = (
            power(1.2, noise=0.5, runs=5, seed=seed + more, name=name)
            for name, more in (("one", 0), ("other", 1000))
        )
        crossed = crossover(one, other)
        assert crossed is not None
        with_interval += crossed.interval is not None
    assert with_interval <= 12


def test_few_different_boards_say_nobody_is_faster() -> None:
    fast, slow = power(1.0, 1e-7, name="fast"), power(1.0, 1e-3, name="slow")
    assert (
        crossing(fast, slow, "board")
        == "fast and slow: cannot say who is faster from 3 boards a size; it takes 5 different ones"
    )
    one, other = (
        power(1.0, scale, runs=9, name=name) for name, scale in (("one", 1e-7), ("other", 1e-3))
    )
    assert crossing(one, other, "board") == "one is faster than other on every size from 8 on"
    same, again = (
        replace(each, points=[replace(point, boards=("x",) * 9) for point in each.points])
        for each in (one, other)
    )
    assert (
        crossing(same, again, "board")
        == "one and other: cannot say who is faster from 1 board a size; it takes 5 different ones"
    )
    for each in (one, other):
        each.points[0] = replace(each.points[0], boards=("x",) * 9)
    assert crossing(one, other, "board") == (
        "one is faster than other on every size from 12 on; up to 8, cannot say: a size has fewer "
        "than 5 different boards"
    )


def test_where_the_boards_do_not_agree_nobody_is_faster() -> None:
    quick, mixed = (1e-3,) * 5, (1e-2, 1e-2, 1e-2, 1e-4, 1e-4)
    one, other = (
        measured((8, 12), *([some] * 2), name=name)
        for name, some in (("one", quick), ("other", mixed))
    )
    assert crossing(one, other, "case") == (
        "one and other: cannot say who is faster from 5 cases a size"
    )
    one.points.append(SizePoint(18, 324, quick, tuple("01234")))
    other.points.append(SizePoint(18, 324, (1e-2,) * 5, tuple("01234")))
    assert crossing(one, other, "case") == (
        "one is faster than other from size 15 on; below it, cannot say: the 95% interval of their "
        "difference holds 0"
    )


def test_who_passes_the_limit_has_lost_there() -> None:
    fast = power(1.0, name="fast", runs=5)
    slow = power(2.0, limit=10.0, noise=0, name="slow", runs=5)
    crossed = crossover(slow, fast)
    assert crossed is not None
    assert (crossed.fast, crossed.size, crossed.interval) == (fast, None, (0, 0))
    assert crossover(fast, GrowthSeries("b", 1.0)) is None
    late = measured((8, 12), (1.0,) * 5, (inf,) * 5, limit=10.0, name="late")
    steady = measured((8, 12), (2.0,) * 5, (2.0,) * 5, limit=10.0, name="steady")
    crossed = crossover(late, steady)  # it is stopped somewhere between 8 and 12
    assert crossed is not None
    assert crossed.fast is steady
    assert crossed.interval is not None
    assert crossed.interval[0] == 8
    assert 8 < crossed.interval[1] < 12


def test_who_passes_the_limit_still_takes_the_other_boards_of_that_size() -> None:
    nogo = puzzles.get("nogo")
    (direct,) = choose(nogo, ["direct"], {})
    scaling = Scaling(nogo, "random", [direct], Settings(repeats=3))
    dataset = of_family(nogo, "random", [(5, seed) for seed in (1, 2, 3)])
    taken: list[tuple[str, float]] = []
    for index, status in enumerate((Status.TIMEOUT, Status.OK, Status.OK)):
        (ask,) = scaling.runnable(dataset, 5, index, index + 1)
        result = Result.of(ask, status=status, usage=Usage(float(index)))
        taken += [(ask.instance.digest, each) for each in scaling.seconds(direct, 5, result)]
    scaling.add_size(5, dataset, {direct.name: taken})
    (point,) = scaling.series[direct.name].points
    assert (point.seconds, point.median) == ((inf, 1.0, 2.0), 2.0)
    assert len(point.by_board()) == 3
    assert scaling.running(6) == []
    (ask,) = scaling.runnable(dataset, 5, 0, 1)
    scaling.seconds(direct, 5, Result.of(ask, status=Status.CRASH))
    assert scaling.running(5) == []


@pytest.mark.slow
def test_runs_are_counted_as_they_end() -> None:
    nogo = puzzles.get("nogo")
    scaling = Scaling(nogo, "random", choose(nogo, ["direct", "cnf"], {}), Settings(repeats=2))
    noted: list[tuple[int, int]] = []
    assert list(scaling.run([4, 6], None, lambda *counts: noted.append(counts))) == [4, 6]
    assert noted == [(done, 8 - done) for done in range(1, 9)]


def test_the_report_drops_nobody() -> None:
    fast, slow = power(1.0, name="fast"), power(2.0, limit=10.0, noise=0, name="slow")
    assert growth_text("title", [fast], SIZES, "table", (3, "board")).startswith(
        "title: medians of 3 boards a size\n"
    )
    gone = GrowthSeries("gone", 10.0, stopped="xyz not installed")
    text = growth_text("title", [fast, slow, gone], SIZES, "table", (3, "board"))
    rows = {
        line.split()[0]: line
        for line in text.partition("\nslow and")[0].splitlines()
        if line.strip()
    }
    assert "times the median at 40, stopped at 10 s at 60" in rows["slow"]
    assert "xyz not installed" in rows["gone"]
    assert "over 10 s" in rows["60"]


def test_a_program_whose_start_rules_has_no_growth_to_be_seen() -> None:
    fast = power(1.0, 1e-8, name="fast", noise=0, runs=5)
    points = [replace(p, seconds=tuple(s * 1e-3 + 2.6e-3 for s in p.seconds)) for p in fast.points]
    started = GrowthSeries("mine", 10.0, points, with_start=True)
    assert fitted(started).fixed == pytest.approx(2.6e-3, rel=0.01)
    text = growth_text("title", [fast, started], SIZES, "table", (5, "board"))
    (row,) = [
        line for line in text.splitlines() if line.startswith("mine with start  too quick to say: ")
    ]
    assert "the start of its process rules, about 2.6 ms" in row
    assert re.search(r"times the median at 200$", row.rstrip())
    assert "fast is faster than mine with start on every size from 8 on" in text
    assert text.endswith("with start: the times of a program include the start of its process\n")
    assert fitted(fast).is_law


def test_no_exponent_is_shown_whose_interval_crosses_0() -> None:
    seconds = (1e-3, 5e-3, 1.2e-3, 6e-3, 1e-3, 4.5e-3, 1.1e-3)
    flat = measured(SIZES, *((each,) * 3 for each in seconds), limit=10.0, name="flat")
    text = growth_text("title", [flat], SIZES, "table", (3, "board"))
    assert re.search(r"^flat +(not certain to grow|too quick to say: .*) +\d", text, re.MULTILINE)
    assert "cells^" not in text
    uncertain = measured((4, 8, 16, 32), 5.0, 1.0, 0.6, 6.0, limit=10.0)
    assert growth_of(uncertain) == "not certain to grow"


def test_a_plot_has_every_line_with_its_interval(tmp_path: Path) -> None:
    path = tmp_path / "growth.svg"
    save_growth(
        "title",
        [
            power(1.0, name="straight"),
            power(2.0, limit=10.0, name="curved"),
            GrowthSeries("none", 1.0),
        ],
        str(path),
    )
    drawn = path.read_text()
    assert drawn.count("FillBetweenPolyCollection") + drawn.count("PolyCollection_") >= 2
    with pytest.raises(UserError, match="suffix"):
        save_growth("title", [], str(tmp_path / "growth"))
    with pytest.raises(UserError, match="growth.xyz"):
        save_growth("title", [], str(tmp_path / "growth.xyz"))
    with pytest.raises(UserError, match="No such file"):
        save_growth("title", [], str(tmp_path / "missing" / "growth.svg"))


def test_the_command_measures_relates_and_says_who_was_stopped(tmp_path: Path) -> None:
    code = (
        "import time\ntime.sleep(60 * (int(size.split()[0]) > 4))\nprint('Case #1: IMPOSSIBLE')\n"
    )
    mine = contender(tmp_path, READ_BOARD + code)
    tested = f"-b direct -b cnf --program '{mine}' --timeout 2 --repeat 2"
    ended = compare(f"scale beams --family loops --smallest 4 --largest 9 {tested}")
    assert (
        "at most 36 s of solving: 3 sizes x 2 boards x 3 contenders x 2 s (--timeout); starting "
        "and compiling are not counted\n" in ended.stderr
    )
    assert "beams, family loops: medians of 2 boards a size" in ended.stdout
    first = [line.split()[0] for line in ended.stdout.splitlines() if line.strip()]
    assert [word for word in first if word.isdigit()] == ["4", "6", "9"]
    assert "stopped at 2 s at 6" in ended.stdout
    assert (
        "direct:two-sat and mine with start: cannot say who is faster from 2 boards a size; it "
        "takes 5 different ones" in ended.stdout
    )
    wrong = [seed for seed in (1, 2) if direct_says(seed)]
    assert ended.stdout.count("CONFLICT of direct:two-sat and mine") == len(wrong)
    assert ended.returncode == (1 if wrong else 0)


@pytest.mark.slow
def test_records_of_growth_are_resumed_reported_and_compared(tmp_path: Path) -> None:
    kept, again = tmp_path / "growth.jsonl", tmp_path / "again.jsonl"
    words = "scale nogo --family empty --smallest 3 --largest 8 --repeat 2 -b direct --format csv"
    scale = f"{words} --out {kept}"
    compare(scale, status=0)
    header, *lines = kept.read_text().splitlines()
    assert json.loads(header)["command"].startswith("python -m compare scale nogo ")
    records = [json.loads(line) for line in lines]
    assert [each["case"] for each in records] == list(range(1, 9))
    assert {each["dataset"] for each in records} == {"empty"}
    assert [each["shape"][0] for each in records] == [3, 3, 4, 4, 6, 6, 8, 8]
    assert all(
        each["usage"]["wall_s"] > 0 and each["repeat"] == 1 and each["text"] for each in records
    )

    refused = compare(scale, status=2)
    assert refused.stdout == ""
    assert "--resume, where a command has it, goes on with them" in refused.stderr
    kept.write_text("\n".join([header, *lines[:5]]) + "\n")
    resumed = compare(f"{scale} --resume", status=0)
    assert kept.read_text().splitlines()[:6] == [header, *lines[:5]]
    of_session, *added = map(json.loads, kept.read_text().splitlines()[6:])
    assert (of_session["header"], of_session["planned"]) == (True, 8)
    assert [each["case"] for each in added] == [6, 7, 8]
    whole = compare(f"{scale} --resume --plot {tmp_path}/growth.svg")
    assert whole.stdout == resumed.stdout  # nothing is measured again
    tables = list(csv.reader(io.StringIO(whole.stdout)))
    assert tables[0] == ["table", "size", "direct:union-find s", "direct:union-find stopped"]
    assert len([row for row in tables if row[0] == "medians"]) == 4
    assert (tmp_path / "growth.svg").exists()

    compare(f"scale beams --family loops --largest 18 -b direct --repeat 1 --out {again}", status=0)
    same = compare(f"diff {kept} {again} --new {again} {kept} --by dataset", status=0)
    assert re.search(r"^nogo +direct:union-find +empty +4 .* same", same.stdout, re.MULTILINE)
    assert re.search(r"^beams +direct:two-sat +loops +3 .* same", same.stdout, re.MULTILINE)
    assert same.stdout.count("then: 20") == same.stdout.count("now: 20") == 2
    alone = compare(f"diff {kept} {again} {kept}", status=2)
    assert "name those of now with --new" in alone.stderr
    needs("jinja2", "matplotlib")
    page = tmp_path / "report.html"
    compare(f"report {kept} {again} -o {page}", status=0)
    text = page.read_text()
    assert '<section id="nogo">' in text
    assert '<section id="beams">' in text
    assert f"<h3>{kept}</h3>" in text
    growth = text.partition(">Growth</h3>")[2].partition("</table>")[0]
    assert growth.count(">direct:union-find<") == 1  # all sizes of the family in one row


def direct_says(seed: int) -> bool:
    import direct

    return bool(direct.solve(puzzles.get("beams").family("loops").board(4, seed)).claims[0])  # type: ignore[index]
