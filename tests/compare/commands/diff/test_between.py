"""`compare diff --between`: two contenders of one file, board by board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compare.commands.diff.between import sign_test
from compare.engine.isolate.outcome import Status
from compare.engine.work.result import Result
from puzzles.answer import Verdict
from tests.compare.commands.diff.test_differences import runs, write
from tests.processes import CompareHere
from tests.records import record

CNF: dict[str, Any] = {"contender": "models:cnf"}
DIRECT: dict[str, Any] = {}
CPSAT: dict[str, Any] = {"contender": "models:cpsat"}


def between(
    records: list[Result], folder: Path, compare_here: CompareHere, *words: str, status: int = 0
) -> Any:
    path = write(folder / "r.jsonl", records)
    line = "diff r.jsonl --between direct cnf --format json".replace("r.jsonl", path)
    return json.loads(compare_here(line, *words, status=status).stdout)


@pytest.mark.parametrize(
    ("wins", "losses", "probability"),
    [(8, 0, 2 / 256), (5, 1, 14 / 64), (3, 3, 1), (1, 0, 1), (0, 0, None)],
)
def test_the_sign_test_is_that_of_fair_coins(
    wins: int, losses: int, probability: float | None
) -> None:
    assert sign_test(wins, losses) == pytest.approx(probability)
    assert sign_test(losses, wins) == pytest.approx(probability)


def test_many_boards_have_nearly_the_exact_probability() -> None:
    assert sign_test(460, 540) == pytest.approx(sign_test(461, 541), rel=0.02)


def test_the_ratio_the_wins_and_who_is_alone(tmp_path: Path, compare_here: CompareHere) -> None:
    """Wall and CPU time have ratios of their own; a board that only one solved is in neither."""
    rows = [
        record(case, wall_s=1.0, cpu_s=1.0, dataset="one" if case < 7 else "two")
        for case in range(1, 10)
    ]
    rows += [
        record(case, wall_s=4.0, cpu_s=2.0, dataset="one" if case < 7 else "two", **CNF)
        for case in range(1, 9)
    ]
    rows.append(record(9, status=Status.TIMEOUT, wall_s=9.0, dataset="two", **CNF))
    document = between(rows, tmp_path, compare_here)
    whole, one, two = document["tables"]["between"]
    assert [row["dataset"] for row in (whole, one, two)] == ["all", "one", "two"]
    assert [row["boards"] for row in (whole, one, two)] == [8, 6, 2]
    assert whole["ratio"]["ratio"] == pytest.approx(4)
    assert whole["ratio"]["low"] == pytest.approx(4)
    assert whole["cpu_ratio"]["ratio"] == pytest.approx(2)
    assert whole["faster"] == {"first": 8, "second": 0}
    assert whole["alone"] == two["alone"] == {"first": 1, "second": 0}
    assert whole["p"] == pytest.approx(2 / 256)
    assert whole["verdict"] == one["verdict"] == "direct is faster"
    assert two["verdict"] == "cannot say from 2 boards"
    assert document["last_line"] == "ALL AGREE; 8 boards solved by both"


def test_times_are_medians_and_the_ratio_is_a_mean_of_ratios(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=seconds, **who)
        for who, times in ((DIRECT, (1.0, 2.0, 100.0)), (CNF, (2.0, 4.0, 800.0)))
        for case, seconds in enumerate(times, 1)
    ]
    whole = between(rows, tmp_path, compare_here)["tables"]["between"][0]
    assert (whole["direct s"], whole["cnf s"]) == (2.0, 4.0)
    assert whole["ratio"]["ratio"] == pytest.approx(32 ** (1 / 3))


def test_datasets_stand_in_the_order_of_the_records(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    names = ("counted 6", "counted 10", "counted 16")
    rows = [
        record(case, wall_s=1.0, dataset=name, **who)
        for case, name in enumerate(names, 1)
        for who in (DIRECT, CNF)
    ]
    shown = between(rows, tmp_path, compare_here)["tables"]["between"]
    assert [row["dataset"] for row in shown] == ["all", *names]


def test_one_board_is_no_boards(tmp_path: Path, compare_here: CompareHere) -> None:
    rows = [record(1, wall_s=1.0), record(1, wall_s=1.0, **CNF), record(2, wall_s=1.0)]
    document = between(rows, tmp_path, compare_here)
    assert document["warnings"] == [
        "on 1 board only direct was run, on 0 only cnf: they are left out"
    ]


@pytest.mark.parametrize(("cpu_s", "busy"), [(0.4, True), (0.9, False), (None, False)])
def test_a_busy_machine_is_said(
    cpu_s: float | None, busy: bool, tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=1.0, cpu_s=cpu_s, **who) for case in (1, 2) for who in (DIRECT, CNF)
    ]
    path = write(tmp_path / "r.jsonl", rows)
    for words in ("--between direct cnf", path):
        text = compare_here(f"diff {path} {words}").stdout
        assert ("CPU time is 40% of wall time: the machine was busy" in text) is busy


@pytest.mark.parametrize(
    ("noise", "boards", "verdict"),
    [(0.01, 40, "no difference"), (0.8, 6, "cannot say")],
)
def test_no_difference_is_said_only_where_the_interval_says_so(
    noise: float, boards: int, verdict: str, tmp_path: Path, compare_here: CompareHere
) -> None:
    rng = np.random.default_rng(1)
    rows = [
        record(case, wall_s=float(rng.lognormal(0, noise)), **who)
        for case in range(1, boards + 1)
        for who in (DIRECT, CNF)
    ]
    (whole,) = between(rows, tmp_path, compare_here, "--by", "backend")["tables"]["between"]
    assert whole["verdict"] == verdict


def test_a_wrong_answer_solves_nothing(tmp_path: Path, compare_here: CompareHere) -> None:
    """Neither a refuted answer nor one that contradicts the other has a ratio."""
    rows = [record(case, wall_s=1.0, **who) for case in (1, 2, 3) for who in (DIRECT, CNF)]
    rows[1] = record(1, wall_s=1e-6, check=Verdict.REFUTED, **CNF)
    rows[3] = record(2, wall_s=1e-6, claims=np.array([0]), **CNF)
    document = between(rows, tmp_path, compare_here, "--by", "backend", status=1)
    (whole,) = document["tables"]["between"]
    assert whole["boards"] == 1
    assert whole["ratio"]["ratio"] == pytest.approx(1)
    assert whole["faster"] == {"first": 0, "second": 0}
    assert whole["alone"] == {"first": 1, "second": 0}


def test_answers_that_contradict_are_a_conflict(tmp_path: Path, compare_here: CompareHere) -> None:
    rows = [*runs(1.0, boards=3), *runs(1.0, boards=3, claims=np.array([0]), **CNF)]
    document = between(rows, tmp_path, compare_here, status=1)
    assert document["verdict"] == "CONFLICT"
    assert {tuple(fault["contenders"]) for fault in document["faults"]} == {("direct", "cnf")}
    assert len(document["faults"]) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--between direct models",
            "--between models: several contenders are called so; name one of them: "
            "models:cnf, models:cpsat\n",
        ),
        (
            "--between direct lp",
            "--between lp: no contender is called so; there are direct:two-sat, models:cnf, "
            "models:cpsat\n",
        ),
        (
            "--between cnf models:cnf",
            "--between: cnf and models:cnf are both models:cnf: name two contenders\n",
        ),
        (
            "--between direct cnf --fail-above 2",
            "--between compares two contenders of now: leave out --new, --fail-above\n",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    words: str, message: str, tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [record(wall_s=1.0, **who) for who in (DIRECT, CNF, CPSAT)]
    path = write(tmp_path / "r.jsonl", rows)
    assert compare_here(f"diff {path} {words}", status=2).stderr == message


@pytest.mark.parametrize(("repeats", "interval"), [(1, False), (2, False), (3, True)])
def test_two_boards_have_an_interval_if_each_was_run_three_times_and_never_say_who_is_faster(
    repeats: int, interval: bool, tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=seconds + repeat / 100, repeat=repeat, **who)
        for who, seconds in ((DIRECT, 4.0), (CNF, 1.0))
        for case in (1, 2)
        for repeat in range(1, repeats + 1)
    ]
    rows.append(record(2, wall_s=4.0, repeat=9))
    whole = between(rows, tmp_path, compare_here)["tables"]["between"][0]
    assert (whole["ratio"]["low"] is not None) is interval
    assert whole["verdict"] == "cannot say from 2 boards"


def test_solvers_are_named_by_pieces_of_their_names(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=1.0, contender=f"models:{backend}@{solver}", solver=solver)
        for case in range(1, 6)
        for backend, solver in (("cnf", "cadical153"), ("cnf", "glucose4"), ("x", "glucose4"))
    ]
    path = write(tmp_path / "r.jsonl", rows)
    for names in ("cadical153 cnf@glucose4", "@cadical153 x@glucose4", "cnf@cadical153 models:x"):
        ended = compare_here(f"diff {path} --between {names}")
        assert "5 boards solved by both" in ended.stdout
    compare_here(f"diff {path} --between cnf@cadical153 models:y", status=2)
    several = compare_here(f"diff {path} --between cadical153 glucose4", status=2)
    assert several.stderr == (
        "--between glucose4: several contenders are called so; name one of them: "
        "models:cnf@glucose4, models:x@glucose4\n"
    )


def test_many_files_share_a_row_unless_a_row_for_each_is_asked_for(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=1.0, dataset=f"file {case}" if case <= 30 else "folder", **who)
        for case in range(1, 36)
        for who in (DIRECT, CNF)
    ]
    shown = between(rows, tmp_path, compare_here)["tables"]["between"]
    assert [(row["dataset"], row["boards"]) for row in shown] == [
        ("all", 35),
        ("30 other datasets", 30),
        ("folder", 5),
    ]
    every = between(rows, tmp_path, compare_here, "--by", "dataset")["tables"]["between"]
    assert len(every) == 32


def test_a_conflict_names_the_dataset_of_its_board(
    tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=1.0, dataset=f"file {case}", **who)
        for case in range(1, 31)
        for who in (DIRECT, CNF)
    ]
    rows[1] = record(1, wall_s=1.0, dataset="file 1", claims=np.array([0]), **CNF)
    (fault,) = between(rows, tmp_path, compare_here, status=1)["faults"]
    assert fault["part"] == "file 1"


@pytest.mark.parametrize(
    ("boards", "verdict"),
    [(3, "cannot say from 3 boards"), (4, "cannot say from 4 boards"), (5, "direct is faster")],
)
def test_it_takes_five_boards_to_say_who_is_faster(
    boards: int, verdict: str, tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(case, wall_s=seconds, **who)
        for case in range(1, boards + 1)
        for who, seconds in ((DIRECT, 1.0), (CNF, 4.0))
    ]
    whole = between(rows, tmp_path, compare_here)["tables"]["between"][0]
    assert whole["ratio"]["low"] == pytest.approx(4)
    assert whole["verdict"] == verdict


@pytest.mark.parametrize(
    ("repeats", "verdict"), [(4, "cannot say from 4 runs"), (5, "cnf is faster")]
)
def test_of_a_single_board_it_takes_five_runs(
    repeats: int, verdict: str, tmp_path: Path, compare_here: CompareHere
) -> None:
    rows = [
        record(1, wall_s=seconds, repeat=repeat, **who)
        for repeat in range(1, repeats + 1)
        for who, seconds in ((DIRECT, 4.0), (CNF, 1.0))
    ]
    whole, one = between(rows, tmp_path, compare_here, "--by", "board")["tables"]["between"]
    assert whole["verdict"] == "cannot say from 1 board"
    assert one["verdict"] == verdict
