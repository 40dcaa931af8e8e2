"""Calls without an answer: whose fault a board over the limit is, and what is said when the time of
the search is up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from time import sleep

import pytest

import direct
import puzzles
from compare.commands.fuzz.batch import (
    Batch,
    BatchKind,
    FailingBoard,
    Observed,
    Unfinished,
)
from compare.commands.fuzz.fuzz_search import Discovery
from compare.commands.fuzz.halving import (
    TOGETHER_SHARE,
    FailedCall,
    failed_alone,
    halving,
    limits_of,
)
from compare.commands.fuzz.shrinking import Chance, shrink
from compare.commands.fuzz.trial import try_boards
from compare.commands.fuzz.words import headline, unfinished_line
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.search.boards import boards
from compare.engine.work.contenders import ProgramContender, of_backend
from compare.engine.work.pool import Pool
from compare.engine.work.result import Fault
from puzzles.instance import Instance
from puzzles.shell.time_limits import Deadline
from tests.installed import slow
from tests.places import ROOT
from tests.pools import in_pool
from tests.processes import FIND_OUR_PACKAGES, compare, contender
from tests.records import record

HANGS = """
import time
import direct
from puzzles.backend import backend

@backend("beams", "hangs", side="models", source="planted: hangs above 16 cells", certifies=True)
def hangs(board, *, certify=False):
    time.sleep(1000 * (board.cells > 16))
    return direct.solve(board, certify=certify)
"""

ANSWERS_AT_ONCE = f"""{FIND_OUR_PACKAGES}import direct
print(direct.solve_text("beams", sys.stdin.read()))
"""

SLEEPS = "import time\ntime.sleep(1000)\n"

TIMEOUT = FailedCall(Status.TIMEOUT, ("mine",), "stopped")


def test_a_call_is_noted_once_with_the_fewest_boards_that_hold_the_slow_one() -> None:
    stream = boards(puzzles.get("beams"), 1, 0, 8, 6)
    deadline = Deadline(0.2)

    def attempt(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        if stream[4] not in part:
            return [Observed() for _ in part]
        sleep(0.06)
        if len(part) > 1:
            return TIMEOUT
        return [Observed(untried=True, unfinished=[Unfinished(0.06, tuple(part), ("mine",))])]

    observed = halving(attempt, ("mine", "other"), stream, deadline)
    assert any(each.untried for each in observed)
    (call,) = [call for each in observed for call in each.unfinished]
    assert call.seconds > 0.15
    assert call.begun == len(stream)
    line = unfinished_line(puzzles.get("beams"), call, 10)
    assert (
        "s on 8 boards, of which it was at work on this, before it was known whether it keeps "
        "its limit of 10 s" in line
    )
    assert stream[4] in call.boards
    assert len(call.boards) < len(stream)


def test_what_ends_in_time_is_not_noted() -> None:
    stream = boards(puzzles.get("beams"), 1, 0, 8, 6)

    def attempt(part: Sequence[Instance]) -> list[Observed] | FailedCall:
        return [Observed() for _ in part] if len(part) == 1 else TIMEOUT

    observed = halving(attempt, ("mine",), stream, Deadline())
    assert not any(each.unfinished or each.untried for each in observed)


def test_only_a_call_on_one_board_gets_the_whole_limit() -> None:
    limits = Limits(10.0)
    assert limits_of(limits, 1) is limits
    assert {limits_of(limits, count).seconds for count in (2, 8, 512)} == {10 * TOGETHER_SHARE}
    assert limits_of(replace(limits, answer=100), 8).answer == 800


MINE = ProgramContender(puzzle="beams", name="mine", command=("mine",))
OURS = of_backend(direct.SIDE.get("beams", "two-sat"), {})
PLUGIN = replace(OURS, name="direct:plugin", ours=False)


@pytest.mark.parametrize(("taking_part", "is_fault"), [(MINE, True), (PLUGIN, True), (OURS, False)])
def test_a_board_over_the_limit_counts_against_programs_and_plugins(
    taking_part: ProgramContender, is_fault: bool
) -> None:
    limits = Limits(10.0)
    batch = Batch(puzzle="beams", contenders=(taking_part,), seed=1, count=1, size=9, limits=limits)
    board = boards(puzzles.get("beams"), 1, 0, 1, 6)[0]
    stopped = record(status=Status.TIMEOUT, reason="stopped at 10 s", wall_s=10.01)
    observed = failed_alone(batch, taking_part, board, stopped, limits)
    name = (taking_part.name,)
    assert observed.faults == ([Fault(Status.TIMEOUT, name, "stopped at 10 s")] if is_fault else [])
    assert observed.unfinished == (
        [] if is_fault else [Unfinished(10.01, (board,), name, at_limit=True)]
    )
    early = record(status=Status.TIMEOUT, reason="stopped at 4 s", wall_s=4.0)
    cut = failed_alone(batch, taking_part, board, early, Limits(4.0))
    assert (cut.faults, cut.untried) == ([], True)
    assert cut.unfinished == [Unfinished(4.0, (board,), name)]
    crashed = failed_alone(
        batch, taking_part, board, record(status=Status.CRASH, reason="killed"), limits
    )
    assert crashed.faults == [Fault(Status.CRASH, name, "killed")]


def test_the_reference_of_an_own_puzzle_may_be_slow_on_large_boards_alone(tmp_path: Path) -> None:
    (tmp_path / "lights.py").write_text((ROOT / "examples" / "lights.py").read_text())
    puzzle = puzzles.find(str(tmp_path / "lights.py"))
    reference = of_backend(direct.SIDE.get("lights"), {})
    other = replace(reference, name="direct:other")
    limits = Limits(10.0)
    alone = Batch(puzzle="lights", contenders=(reference,), seed=1, count=1, size=9, limits=limits)
    both = replace(alone, contenders=(reference, other))
    large = replace(both, kind=BatchKind.LARGE)
    board, stopped = (
        puzzle.of_text("1 2\n*.\n"),
        record(status=Status.TIMEOUT, wall_s=10.0),
    )

    def at_fault(batch: Batch, name: str) -> bool:
        (taking_part,) = [each for each in batch.contenders if each.name == name]
        return bool(failed_alone(batch, taking_part, board, stopped, limits).faults)

    assert not at_fault(large, reference.name)
    assert at_fault(large, other.name)
    assert at_fault(both, reference.name)
    assert at_fault(replace(alone, kind=BatchKind.LARGE), reference.name)


def test_an_endless_loop_is_a_timeout_under_seconds_too(tmp_path: Path) -> None:
    """The limit is far below the seconds, so it is reached; the smallest board that the contest
    promises is tried next.
    """
    words = "beams -b direct --timeout 0.6 --seconds 5"
    ended = compare(
        f"fuzz --jobs 1 {words} --program", contender(tmp_path, SLEEPS), cwd=tmp_path, status=1
    )
    assert "TIMEOUT: mine on a board of 50x50; trying small boards, then shrinking" in ended.stdout
    shrunk = r"^TIMEOUT: mine: stopped at 0.6 s; shrunk 50x50 to 1x2 in [12] runs?$"
    assert re.search(shrunk, ended.stdout, re.MULTILINE), ended.stdout
    assert re.search(r"^replay: .* --timeout 0.6$", ended.stdout, re.MULTILINE)
    (saved,) = tmp_path.glob("timeout-*.in")
    assert saved.read_text().split()[1:3] == ["1", "2"]


def test_a_smaller_board_must_take_clearly_more_than_the_limit_of_its_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def noting(pool: Pool, batch: Batch, stream: Sequence[Instance]) -> list[FailingBoard]:
        limits.append(batch.limits.seconds)
        return try_boards(pool, batch, stream)

    monkeypatch.setattr("compare.commands.fuzz.shrinking.try_boards", noting)
    name, _, command = contender(tmp_path, SLEEPS).partition("=")
    program = ProgramContender(puzzle="beams", name=name, command=tuple(command.split()))
    batch = Batch(
        puzzle="beams", contenders=(program,), seed=1, count=1, size=9, limits=Limits(0.2)
    )
    board = puzzles.get("beams").any_family("wall").board(5, 1)
    shrunk = in_pool(shrink, batch, board, Fault(Status.TIMEOUT, (name,), "stopped at 0.2 s"))
    assert (shrunk.smallest.board.size, shrunk.smallest_fault.detail) == (2, "stopped at 0.2 s")
    assert limits == [0.25, 0.2]


@pytest.mark.parametrize("size", [1, 3])
def test_a_limit_that_is_not_reached_again_is_said_to_be_by_chance(
    size: int, tmp_path: Path
) -> None:
    """Perhaps the machine was busy: the program is quick."""
    name, _, command = contender(tmp_path, ANSWERS_AT_ONCE).partition("=")
    program = ProgramContender(
        puzzle="beams", name=name, command=tuple(command.split()), extended=True
    )
    limits = Limits(20.0)
    batch = Batch(puzzle="beams", contenders=(program,), seed=1, count=1, size=9, limits=limits)
    board = puzzles.get("beams").any_family("wall").board(size, 1)
    failing = FailingBoard(board, (Fault(Status.TIMEOUT, (name,), "stopped at 20 s"),))
    shrunk = in_pool(shrink, batch, board, failing.faults[0])
    assert (shrunk.smallest, shrunk.chance) == (failing, Chance(0, 1, name))
    discovery = Discovery(failing, shrunk, BatchKind.ORDINARY, {}, frozenset())
    assert headline(discovery) == (
        "TIMEOUT by chance: mine, once, and not again in 1 run on the same board: stopped at 20 s"
    )


@pytest.mark.parametrize("kind", ["plugin", slow("program")])
def test_a_call_that_the_end_of_the_search_cuts_off_is_unfinished(
    tmp_path: Path, kind: str
) -> None:
    if kind == "plugin":
        (tmp_path / "hangs.py").write_text(HANGS)
        words, name = ["-b", "direct", "-b", "hangs", "--plugin", "hangs.py"], "models:hangs"
    else:
        words, name = ["-b", "direct", "--program", contender(tmp_path, SLEEPS, "hangs")], "hangs"
    words += ["--seconds", "1.5", "--timeout", "300", "--jobs", "1", "--save", "out"]
    ended = compare("fuzz beams", *words, cwd=tmp_path, status=0)
    line = re.search(
        rf"^UNFINISHED: {name} on a board of (\d+)x(\d+): (.*)$", ended.stdout, re.MULTILINE
    )
    assert line is not None, ended.stdout
    known = "before it was known whether it keeps its limit of 300 s: give more --seconds"
    assert re.fullmatch(rf"the time was up after [\d.]+ s, {known}", line[3])
    (saved,) = (tmp_path / "out").glob("unfinished-*.in")
    assert saved.read_text().split()[1:3] == [line[1], line[2]]
    assert f"replay: python -m compare run beams {saved.relative_to(tmp_path)}" in ended.stdout
    assert ended.last_line.startswith(f"{name} UNFINISHED; ")
    if kind == "program":
        compare("fuzz beams --strict", *words, cwd=tmp_path, status=3)


BAD = f"""{FIND_OUR_PACKAGES}import os, time
text = sys.stdin.read()
words = text.split()
cells = [int(a) * int(b) for a, b in zip(words[1:], words[2:]) if a.isdigit() and b.isdigit()]
"""

WAYS = {
    "slow everywhere": ("time.sleep(1000)\n", "TIMEOUT"),
    "slow on large boards": ("time.sleep(1000 * (max(cells) > 1500))\n", "TIMEOUT"),
    "crashes above 2,000 cells": ("if max(cells) > 2000: os.abort()\n", "CRASH"),
    "leaks from case to case": ("leak = True\n", "WRONG|REFUTED"),
}
"""What a program does before it answers, and the verdict.

The leaking one says no to what follows a board of two cells.
"""

ANSWERS = """import direct
answers = direct.solve_text("beams", text)
if "leak" in globals():
    from puzzles import beams
    given, parts = beams.parse(text), answers.split("Case #")[1:]
    for k in range(1, len(given)):
        if given[k - 1].cells == 2:
            parts[k] = f"{k + 1}: IMPOSSIBLE\\n"
    answers = "".join(f"Case #{part}" for part in parts)
sys.stdout.write(answers)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("way", WAYS)
def test_four_programs_get_their_verdict_with_every_seed(
    tmp_path: Path, way: str, seed: int
) -> None:
    code, verdict = WAYS[way]
    program = contender(tmp_path, BAD + code + ANSWERS)
    timeout = (
        "20" if way.startswith("leaks") else "8"
    )  # many boards in one start have a quarter of it
    words = (
        f"beams -b direct --program '{program}' --extended --timeout {timeout} --seconds 180 "
        "--shrink-seconds 3"
    )
    ended = compare(f"fuzz --seed {seed} {words}", cwd=tmp_path, status=1)
    fault = rf"^({verdict}): .*mine on a board of"
    assert re.search(fault, ended.stdout, re.MULTILINE), ended.stdout
    assert "UNFINISHED" not in ended.stdout


@pytest.mark.slow
def test_a_timeout_is_shrunk_with_a_limit_that_shrinks_and_within_its_seconds(
    tmp_path: Path,
) -> None:
    """A cell costs 3 ms, so every board of more than 400 cells is slow, and no smaller one is
    slower for its size.
    """
    code = f"{BAD}time.sleep(0.003 * max(cells))\n{ANSWERS}"
    name, _, command = contender(tmp_path, code).partition("=")
    program = ProgramContender(puzzle="beams", name=name, command=tuple(command.split()))
    batch = Batch(
        puzzle="beams",
        contenders=(program,),
        seed=1,
        count=1,
        size=9,
        limits=Limits(1.2),
        seconds=6.0,
    )
    crowded = puzzles.get("beams").any_family("wall").board(50, 1)
    (board,) = puzzles.get("beams").promised_near(crowded, "codejam", Random(1))
    shrunk = in_pool(shrink, batch, board, Fault(Status.TIMEOUT, (name,), "stopped at 1.2 s"))
    assert shrunk.cut_short
    assert shrunk.limit_s is None or shrunk.limit_s < 1.2
    smallest = shrunk.smallest.board
    assert 100 < smallest.size <= 2500
    assert shrunk.smallest_fault.kind == Status.TIMEOUT
