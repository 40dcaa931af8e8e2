"""`compare diff`: real changes are told from noise, regressions have an exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compare.commands.diff import differences
from compare.engine.campaign.header import Header
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from tests.installed import needs
from tests.processes import CompareHere
from tests.records import record

HEADER: dict[str, Any] = {
    **json.loads(Header.of([], Settings()).line()),
    "machine": "here",
    "versions": {"numpy": "2.0"},
}


def runs(
    factor: float,
    *,
    boards: int = 6,
    repeats: int = 7,
    noise: float = 0.02,
    seed: int = 0,
    **rest: Any,
) -> list[Result]:
    """Runs of one backend that take `factor` milliseconds on the first board, and more on the next
    ones.
    """
    rng = np.random.default_rng(seed)
    return [
        record(
            case,
            repeat=repeat,
            shape=(case, case),
            wall_s=float(factor * 1e-3 * case**2 * rng.lognormal(0, noise)),
            **rest,
        )
        for case in range(1, boards + 1)
        for repeat in range(1, repeats + 1)
    ]


def write(path: Path, records: list[Result], header: dict[str, Any] = HEADER) -> str:
    path.write_text("\n".join([json.dumps(header), *(record.line() for record in records)]) + "\n")
    return str(path)


def effect(old: list[Result], new: list[Result]) -> differences.Effect:
    (only,) = differences.effects(differences.pair(old, new).pairs)
    return only


@pytest.mark.parametrize(
    ("factor", "slower", "faster"),
    [(1.0, False, False), (1.03, False, False), (1.3, True, False), (0.7, False, True)],
)
def test_a_change_must_be_significant_and_of_some_size(
    factor: float, slower: bool, faster: bool
) -> None:
    measured = effect(runs(1, seed=1), runs(factor, seed=2))
    assert measured.ratio is not None
    assert measured.ratio == pytest.approx(factor, rel=0.02)
    assert measured.interval is not None
    assert measured.interval[0] < measured.ratio < measured.interval[1]
    assert (measured.slower(), measured.verdict == "faster") == (slower, faster)


def test_noise_alone_is_no_change() -> None:
    shown = [
        effect(runs(1, noise=0.3, seed=seed), runs(1, noise=0.3, seed=seed + 100))
        for seed in range(40)
    ]
    assert sum(each.verdict in ("slower", "faster") for each in shown) <= 6


def test_the_interval_covers_what_is_there() -> None:
    shown = [
        effect(
            runs(1, boards=8, noise=0.1, seed=seed), runs(1.2, boards=8, noise=0.1, seed=seed + 100)
        )
        for seed in range(40)
    ]
    assert (
        sum(
            each.interval is not None and each.interval[0] <= 1.2 <= each.interval[1]
            for each in shown
        )
        >= 32
    )


def test_the_verdict_follows_from_the_interval_where_the_ratio_is_exactly_1() -> None:
    """The same times in another order are other runs."""
    old = runs(1, boards=5, repeats=3, noise=1.0)
    shown = effect(old, old[::-1])
    assert shown.ratio == 1
    assert shown.interval is not None
    assert shown.interval[0] < 0.95
    assert shown.interval[1] > 1.05
    assert shown.verdict == "unclear"
    same = effect(old, old)
    assert (same.interval, same.verdict) == (None, "the same runs")


def test_single_runs_have_no_interval() -> None:
    shown = effect(runs(1, boards=1, repeats=1), runs(2, boards=1, repeats=1))
    assert shown.interval is None
    assert shown.slower()


def test_exit_status_4_past_the_ratio(tmp_path: Path, compare_here: CompareHere) -> None:
    old, new = write(tmp_path / "old", runs(1)), write(tmp_path / "new", runs(1.5, seed=3))
    assert "slower" in compare_here(f"diff {old} {new}").stdout
    assert "REGRESSION" not in compare_here(f"diff {old} {new} --fail-above 2").stdout
    assert (
        "REGRESSION: beams direct:two-sat some takes 1.5"
        in compare_here(f"diff {old} {new} --fail-above 1.2 --by dataset", status=4).stdout
    )
    compare_here(f"diff {new} {old} --fail-above 1.2")
    compare_here(f"diff {old} {old} --fail-above 1.01 --by board")


def test_a_file_and_itself_are_the_same_however_its_times_scatter(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    path = write(tmp_path / "runs", runs(1, boards=5, repeats=3, noise=1.0))
    text = compare_here(f"diff {path} {path}").stdout
    assert " same" in text
    assert "unclear" not in text
    other = write(tmp_path / "other", runs(1, boards=5, repeats=3, noise=1.0, seed=5))
    assert "unclear" in compare_here(f"diff {path} {other}").stdout


@pytest.mark.parametrize(
    ("boards", "verdict"), [(3, "cannot say from 3 boards"), (4, "cannot say from 4 boards")]
)
def test_fewer_than_five_boards_have_an_interval_and_no_verdict(
    boards: int, verdict: str, tmp_path: Path, compare_here: CompareHere
) -> None:
    old, new = (
        write(tmp_path / name, runs(factor, boards=boards, repeats=1))
        for name, factor in (("old", 1.0), ("new", 3.0))
    )
    document = json.loads(compare_here(f"diff {old} {new} --format json").stdout)
    (row,) = document["tables"]["effects"]
    assert row["ratio"]["low"] <= row["ratio"]["ratio"] <= row["ratio"]["high"]
    assert row["verdict"] == verdict
    enough = write(tmp_path / "enough", runs(3.0, repeats=1)), write(tmp_path / "one", runs(1))
    assert "slower" in compare_here(f"diff {enough[1]} {enough[0]}").stdout


def test_what_no_longer_ends_is_a_regression(tmp_path: Path, compare_here: CompareHere) -> None:
    stopped = (
        runs(1)[:-7] + runs(1, status=Status.TIMEOUT, claims=None, reason="stopped at 1 s")[-7:]
    )
    old, new = write(tmp_path / "old", runs(1)), write(tmp_path / "new", stopped)
    text = compare_here(f"diff {old} {new} --fail-above 3", status=4).stdout
    assert (
        "ended well then and does not now: direct:two-sat on beams, dataset some, case 6 "
        "(6x6): TIMEOUT stopped at 1 s" in text
    )
    assert "1 broke" in text
    assert "1 mended" in compare_here(f"diff {new} {old} --fail-above 3").stdout


def test_answers_that_changed_are_a_conflict(tmp_path: Path, compare_here: CompareHere) -> None:
    old, new = (
        write(tmp_path / "old", runs(1)),
        write(tmp_path / "new", runs(1, claims=np.array([0], np.int64))),
    )
    assert (
        "CONFLICT: the answers of then and now cannot both be right: direct:two-sat on beams, "
        "dataset some" in compare_here(f"diff {old} {new} --fail-above 3", status=1).stdout
    )


@pytest.mark.parametrize(
    ("then", "now", "warnings"),
    [
        (
            {},
            {"machine": "there", "versions": {"numpy": "2.1", "numba": "1"}},
            [
                "machine: here then, there now",
                "numpy: 2.0 then, 2.1 now",
                "numba: missing then, 1 now",
            ],
        ),
        ({}, {}, []),
        (
            {"limits": {"seconds": 2.0, "memory": None, "output": 2**26}},
            {"limits": {"seconds": 10.0, "memory": 2**30 + 1, "output": 2**26}},
            [
                "limits: 2 s, any memory, 64 MiB of output, 64 MiB an answer then, 10 s, "
                "1073741825 bytes of memory, 64 MiB of output, 64 MiB an answer now"
            ],
        ),
        (
            {},
            {"elsewhere": {"place": "Dask cluster", "address": "tcp://there:8786"}},
            ["executor: this machine then, Dask cluster at tcp://there:8786 now"],
        ),
    ],
)
def test_what_times_depend_on_is_a_warning_if_it_differs(
    then: dict[str, Any],
    now: dict[str, Any],
    warnings: list[str],
    tmp_path: Path,
    compare_here: CompareHere,
) -> None:
    files = [
        write(tmp_path / name, runs(1), {**HEADER, **header})
        for name, header in (("then", then), ("now", now))
    ]
    assert compare_here("diff", *files).stderr.splitlines() == [
        f"warning: {line}" for line in warnings
    ]


def test_a_line_that_is_cut_off_is_told(tmp_path: Path, compare_here: CompareHere) -> None:
    whole, cut = (write(tmp_path / name, runs(1, boards=2, repeats=2)) for name in ("whole", "cut"))
    Path(cut).write_bytes(Path(cut).read_bytes()[:-50])
    warning = f"warning: {cut}:5: the last line is cut off, and left out\n"
    assert compare_here(f"diff {whole} {cut}").stderr == warning
    needs("jinja2", "matplotlib")
    page = tmp_path / "report.html"
    assert compare_here(f"report {whole} {cut} -o {page}").stderr == warning


def test_boards_without_a_partner_are_counted(tmp_path: Path, compare_here: CompareHere) -> None:
    old, new = write(tmp_path / "old", runs(1)), write(tmp_path / "new", runs(1, boards=4))
    assert f"left out: 2 of {old}, 0 of {new}" in compare_here(f"diff {old} {new}").stdout
    alone = write(tmp_path / "alone", [])
    assert (
        "have no instance and backend in common"
        in compare_here(f"diff {old} {alone}", status=2).stderr
    )
