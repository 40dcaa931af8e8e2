"""Fuzzing and shrinking: boards from a seed, planted failures found, shrunk to the minimum, saved
and replayed.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.commands.arguments import writable_folder
from compare.commands.fuzz.batch import Batch, boards_of
from compare.engine.isolate.outcome import DEFAULT_LIMITS
from compare.engine.search.boards import boards
from puzzles.puzzle import Puzzle
from puzzles.space import space_of
from puzzles.space.grid_space import smaller_grids
from puzzles.text import UserError
from tests.installed import slow
from tests.processes import (
    FIND_OUR_PACKAGES,
    LONGEST_S,
    compare,
    contender,
    run_module,
    start_module,
    wait_until,
)

PUZZLES = [puzzles.get(name) for name in puzzles.names()]

NEVER = """
import direct
from puzzles.backend import backend
from puzzles.beams.board import Layout
import os, time

os.environ["TWOFOLD_KERNELS"] = "python"  # each fork would load the compiled ones anew

@backend("beams", "never", side="direct", source="planted: says no to everything")
def never(board, *, certify=False):
    return Layout(False)

@backend("beams", "aborts", side="direct", source="planted: dies where there are two mirrors")
def aborts(board, *, certify=False):
    if int((board.grid == ord("/")).sum()) > 1:
        os.abort()
    return direct.solve(board, certify=certify)

@backend("beams", "hangs", side="direct", source="planted: hangs where there is a mirror")
def hangs(board, *, certify=False):
    if (board.grid == ord("/")).any():
        time.sleep(60)
    return direct.solve(board, certify=certify)

@backend("beams", "counts", side="direct", source="right, and notes the process of each call")
def counts(board, *, certify=False):
    with open("calls", "a") as calls:
        print(os.getpid(), file=calls)
    return direct.solve(board, certify=certify)
"""


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    path = tmp_path / "planted.py"
    path.write_text(NEVER)
    return str(path)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_the_same_seed_gives_the_same_boards_mostly_small_and_all_valid(puzzle: Puzzle) -> None:
    some = boards(puzzle, 5, 3, 400, 14)
    assert some == boards(puzzle, 5, 3, 400, 14)
    assert some != boards(puzzle, 6, 3, 400, 14)
    assert len(some) == 400
    assert sum(board.cells <= 25 for board in some) > 300
    assert any(board.cells > 36 for board in some)
    assert len({board.digest for board in some}) > 150
    for board in some[::10]:
        assert puzzle.parse(puzzle.print_instances([board]), "<text>") == [board]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_no_board_is_larger_than_a_small_size_that_is_asked_for(puzzle: Puzzle, size: int) -> None:
    batch = Batch(
        puzzle=puzzle.name, contenders=(), seed=1, count=512, size=size, limits=DEFAULT_LIMITS
    )
    for each in (batch, replace(batch, index=1)):
        stream = boards_of(each)
        assert len(stream) == 512
        assert max(max(board.shape or ()) for board in stream) == size


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_smaller_boards_are_valid_and_never_cycle(puzzle: Puzzle) -> None:
    rng = np.random.default_rng(1)
    for board in boards(puzzle, 1, 1, 60, 8)[::5]:
        seen = {board}
        step = board
        for _ in range(200):
            smaller = list(space_of(puzzle).smaller(step))
            assert all(other.cells <= step.cells and other not in seen for other in smaller)
            if not smaller:
                break
            for other in smaller[:5]:
                assert puzzle.parse(puzzle.print_instances([other]), "<text>") == [other]
            step = smaller[int(rng.integers(len(smaller)))]
            seen.add(step)
        assert list(space_of(puzzle).smaller(step)) == []


MISCOUNTS = """
from dataclasses import replace
import direct
from puzzles.backend import backend

SOURCE = "planted: no number of mines"

@backend("minesweeper", "miscounts", side="direct", source=SOURCE, options=("probabilities",))
def miscounts(board, *, certify=False, probabilities=False):
    answer = direct.solve(board, certify=certify, probabilities=probabilities)
    if answer.chances is None or board.mines is None:
        return answer
    layouts = direct.solve(replace(board, mines=None), probabilities=True).chances.layouts
    chances = replace(answer.chances, layouts=layouts, factors=(((layouts,), 1),))
    return replace(answer, chances=chances)
"""


@pytest.mark.slow
def test_exact_claims_are_related_and_a_wrong_one_shrunk(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(MISCOUNTS)
    ended = compare(
        "fuzz minesweeper -b direct -b miscounts --plugin planted.py --save out --jobs 1",
        cwd=tmp_path,
        status=1,
    )
    assert "; they differ in their layouts: " in ended.stdout
    (saved,) = (tmp_path / "out").glob("conflict-*.in")
    assert saved.read_text() in ("1\n1 1 0\n#\n", "1\n1 1 1\n#\n")


@pytest.mark.slow
def test_a_program_gets_a_number_of_mines_only_where_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "headers"
    code = f"""
import sys
_, *lines = sys.stdin.read().splitlines()
cases = 0
with open({str(log)!r}, "a") as log:
    for line in lines:
        if " " in line:
            cases += 1
            print(len(line.split()), file=log)
            line = f"Case {{cases}}:" if cases == 1 else f"\\nCase {{cases}}:"
        print(line)
"""
    program = contender(tmp_path, code, "silent")  # it claims nothing of any cell
    line = (
        f"fuzz minesweeper -b direct --program '{program}' --partial silent --cases 600 --jobs 1 "
        "--kind ordinary --size 5"
    )
    compare(line, cwd=tmp_path, status=0)
    assert set(log.read_text().split()) == {"2"}
    compare(line, "--extended", cwd=tmp_path, status=0)
    assert set(log.read_text().split()) == {"2", "3"}


def test_smaller_grids_halves_first() -> None:
    grid = np.array([list(b"ab"), list(b"cb")], np.uint8)
    texts = [
        "/".join(bytes(row).decode() for row in other) for other in smaller_grids(grid, b"abc")
    ]
    assert texts == ["cb", "ab", "b/b", "a/c", "aa/cb", "ab/ab", "ab/ca", "ab/bb"] or texts[:4] == [
        "cb",
        "ab",
        "b/b",
        "a/c",
    ]
    assert "ab/ab" in texts
    assert all(
        other.shape == (1, 1)
        for other in smaller_grids(grid, b"abc", square=True)
        if other.shape != (2, 2)
    )


def test_nothing_is_found_among_our_own_backends(tmp_path: Path) -> None:
    ended = compare("fuzz beams --cases 600 --seed 3 --save failing/boards", cwd=tmp_path, status=0)
    assert re.search(
        r"^ALL AGREE: nothing found up to \d+x\d+( and on \d+ large boards? up to \d+x\d+)?; "
        r"600 ordinary boards and \d+ of other kinds in .* boards a second; seed 3$",
        ended.stdout,
        re.MULTILINE,
    )
    assert list(tmp_path.iterdir()) == []


def test_a_plugin_that_does_not_say_what_it_took_gets_its_share_of_the_call(
    tmp_path: Path, plugin: str
) -> None:
    words = f"-b direct -b counts --plugin {plugin} --cases 8 --family mirror --jobs 1"
    ended = compare(f"fuzz beams {words}", cwd=tmp_path, status=0)
    line = r"^direct:counts: 8 answered, slowest [\d.]+ (µs|ms|s) on \d+x\d+$"
    assert re.search(line, ended.stdout, re.MULTILINE), ended.stdout


def test_a_folder_that_cannot_be_written_is_told_from_one_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(
        UserError,
        match=r"^cannot write here: No such file or directory; name a folder with --save$",
    ):
        writable_folder(None)


def test_a_wrong_backend_is_found_shrunk_saved_and_replayed(tmp_path: Path, plugin: str) -> None:
    ended = compare(
        f"fuzz beams -b direct -b never --plugin {plugin} --jobs 1", cwd=tmp_path, status=1
    )
    (saved,) = tmp_path.glob("*.in")
    assert saved.read_text() == "1\n1 1\n#\n"
    assert re.search(
        r"WRONG: direct:never says IMPOSSIBLE, direct:two-sat proves POSSIBLE; shrunk .* to 1x1 "
        r"in (1 run|(?!1 )\d+ runs)(, by way of a small board of \dx\d)?\n",
        ended.stdout,
    )
    replay = re.search(r"^replay: python -m (.*)$", ended.stdout, re.MULTILINE)
    assert replay is not None
    again = run_module(*shlex.split(replay[1]), cwd=tmp_path)
    assert again.returncode == 1
    assert "REFUTED: direct:never, by the proved answer of another" in again.stdout


def test_all_who_are_refuted_on_the_smallest_board_are_at_fault(tmp_path: Path) -> None:
    as_it_is = "def {name}(board, *, certify=False):\n    return Layout(True, board)\n"
    (tmp_path / "planted.py").write_text(
        "from puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        + "".join(
            f'@backend("beams", "{name}", side="direct", source="planted: turns no turret")\n'
            + as_it_is.format(name=name)
            for name in ("still", "idle")
        )
    )
    words = "-b two-sat -b still -b idle --plugin planted.py --cases 50 --size 3 --kind ordinary"
    ended = compare(f"fuzz beams {words} --jobs 1 --format json", cwd=tmp_path, status=1)
    conclusion = json.loads(ended.stdout)
    assert [(each["kind"], each["contenders"]) for each in conclusion["faults"]] == [
        ("REFUTED", ["direct:still"]),
        ("REFUTED", ["direct:idle"]),
    ]
    assert {each["contender"]: each["failed"] for each in conclusion["tallies"]} == {
        "direct:two-sat": 0,
        "direct:still": 1,
        "direct:idle": 1,
    }


@pytest.mark.parametrize("turned", ["certify", "not certify"])
def test_the_answer_that_is_refuted_is_shown_with_or_without_a_certificate(
    tmp_path: Path, turned: str
) -> None:
    (tmp_path / "planted.py").write_text(
        "import direct\nfrom puzzles.backend import backend\n"
        "from puzzles.beams.board import Beams, Layout\n"
        '@backend("beams", "turns", side="direct", source="planted: one of its answers")\n'
        "def turns(board, *, certify=False):\n    answer = direct.solve(board, certify=certify)\n"
        f"    if {turned} and '-' in str(board) and answer.possible:\n"
        "        grid = answer.board.grid.copy()\n"
        "        grid[grid == ord('-')] = ord('|')\n"
        "        return Layout(True, Beams(grid))\n    return answer\n"
    )
    words = "-b two-sat -b turns --plugin planted.py --cases 200 --kind ordinary --jobs 1"
    ended = compare(f"fuzz beams {words}", cwd=tmp_path, status=1)
    assert re.search(
        r"\ndirect:turns:\n    Case #1: POSSIBLE\n    (\|\.|\.\|)\ndirect:two-sat:\n    .*\n"
        r"    (-\.|\.-)\nREFUTED: direct:turns: the open cell at 1,[12] is not lit\n",
        ended.stdout,
    ), ended.stdout
    assert re.search(r"^REFUTED: direct:turns says [|.]+ in line 2, ", ended.stdout, re.MULTILINE)
    assert re.search(r"^see it: .*&by=direct%3Aturns&answer=.*%7C", ended.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "timeout", "kind", "board"),
    [
        ("aborts", str(LONGEST_S), "CRASH: direct:aborts: killed by SIGABRT", "1 2\n//"),
        slow("hangs", "1.5", "TIMEOUT: direct:hangs: stopped at 1.5 s", "1 1\n/"),
    ],
)
def test_a_crash_and_a_hang_are_tracked_down_to_their_board(
    tmp_path: Path, plugin: str, name: str, timeout: str, kind: str, board: str
) -> None:
    words = f"-b {name} --plugin {plugin} --timeout {timeout} --cases 500 --save out --jobs 1"
    words += " --kind ordinary --size 4 --seed 2"
    ended = compare(f"fuzz beams {words}", cwd=tmp_path, status=1)
    assert kind in ended.stdout
    (saved,) = (tmp_path / "out").glob("*.in")
    assert saved.read_text() in (f"1\n{board}\n", "1\n2 1\n/\n/\n")


def test_a_search_that_keeps_going_reports_each_contender_that_fails_on_the_same_board(
    tmp_path: Path,
) -> None:
    for_each_case = 'NR == 1 { for (i = 1; i <= $1; i++) print "Case #" i ": IMPOSSIBLE" }'
    (tmp_path / "silent.sh").write_text("cat > /dev/null\n")
    (tmp_path / "three.sh").write_text("cat > /dev/null\nexit 3\n")
    (tmp_path / "no.sh").write_text(f"awk '{for_each_case}'\n")
    programs = {"silent": "silent.sh", "three": "three.sh", "no": "no.sh", "never": "no.sh"}
    words = "".join(f" --program {name}='sh {file}'" for name, file in programs.items())
    ended = compare(
        f"fuzz beams -b direct{words} --keep-going --cases 12 --size 3 --kind ordinary --jobs 1"
        " --shrink-seconds 0.1 --format json",
        cwd=tmp_path,
        status=1,
    )
    faults = json.loads(ended.stdout)["faults"]
    assert {(each["kind"], *each["contenders"]) for each in faults} == {
        ("ERROR", "silent"),
        ("CRASH", "three"),
        ("WRONG", "no"),
        ("WRONG", "never"),
    }


@pytest.mark.slow
def test_a_program_gets_whole_batches_and_garbage_is_bisected(tmp_path: Path) -> None:
    log = tmp_path / "starts"
    mine = contender(
        tmp_path,
        f"{FIND_OUR_PACKAGES}import direct\n"
        f"open({str(log)!r}, 'a').write('.')\ntext = sys.stdin.read()\n"
        "right = '\\\\' not in text or text.startswith('1\\n') and '/' not in text\n"
        "print(direct.solve_text('beams', text) if right else 'oops')\n",
    )
    ended = compare(
        f"fuzz beams -b direct --program '{mine}' --cases 60 --jobs 1 --extended",
        cwd=tmp_path,
        status=1,
    )
    assert (
        "ERROR: mine: <output of mine>:1:1: expected Case #1: POSSIBLE or IMPOSSIBLE"
        in ended.stdout
    )
    (saved,) = tmp_path.glob("*.in")
    assert sorted(saved.read_text().split("\n", 2)[2].replace("\n", "")) == ["/", "\\"]
    assert len(log.read_text()) < 200


@pytest.mark.slow
def test_interrupted_it_says_what_was_tried(tmp_path: Path, plugin: str) -> None:
    calls = tmp_path / "calls"
    line = f"fuzz beams -b direct -b counts --plugin {plugin} --seconds 1000 --jobs 1"
    with start_module("compare", line, cwd=tmp_path) as started:
        # Each batch has a process of its own, and no fifth one begins before the first has come
        # back.
        wait_until(
            lambda: (
                started.poll() is not None
                or (calls.exists() and len(set(calls.read_text().split())) > 4)
            )
        )
        started.send_signal(signal.SIGINT)
        printed, complained = started.communicate(timeout=LONGEST_S)
    assert started.returncode == 130
    assert "interrupted" in complained
    assert "Traceback" not in complained
    assert re.search(
        r"UNFINISHED: interrupted; nothing found (up to \d+x\d+ and )?on \d+ large boards? up to "
        r"\d+x\d+; \d+ (large )?boards? in",
        printed,
    )


@pytest.mark.slow
def test_interrupted_while_it_shrinks_it_keeps_the_smallest_board_so_far(tmp_path: Path) -> None:
    """The program notes the cells of the boards that it fails on alone.

    After two smaller ones than the first it waits.
    """
    log = tmp_path / "cells"
    mine = contender(
        tmp_path,
        "import sys, time\ntext = sys.stdin.read()\ncases, rows, columns = map(int, "
        "text.split()[:3])\nwrong = '/' in text\n"
        "if wrong and cases == 1:\n"
        f"    with open({str(log)!r}, 'a+') as log:\n"
        "        print(rows * columns, file=log, flush=True)\n"
        "        log.seek(0)\n        first, *others = map(int, log.read().split())\n"
        "    if len({cells for cells in others if cells < first}) == 3:\n"
        f"        time.sleep({2 * LONGEST_S})\n"
        "print('oops' if wrong else 'Case #1: IMPOSSIBLE')\n",
    )
    words = f"--kind ordinary --cases 400 --jobs 1 --timeout {2 * LONGEST_S}"
    line = f"fuzz beams --program '{mine}' {words}"
    with start_module("compare", line, cwd=tmp_path) as started:
        assert started.stdout is not None
        lines = iter(started.stdout.readline, "")
        original = re.search(r"ERROR: mine on a board of (\d+)x(\d+); ", "".join(islice(lines, 2)))
        assert original is not None
        cells = int(original[1]) * int(original[2])
        wait_until(
            lambda: len({size for size in map(int, log.read_text().split()) if size < cells}) == 3
        )
        started.send_signal(signal.SIGINT)
        said, complained = started.communicate(timeout=LONGEST_S)
    assert (started.returncode, complained) == (130, "interrupted\n")
    assert "until --shrink-seconds were over or it was ended: a smaller one may show it too" in said
    (saved,) = tmp_path.glob("*.in")
    assert sum(map(len, saved.read_text().split()[3:])) < cells


@pytest.mark.slow
@pytest.mark.parametrize(("number", "kind"), [("KILL", "CRASH"), ("STOP", "TIMEOUT")])
def test_fuzz_survives_a_program_that_takes_its_worker_away(
    number: str, kind: str, tmp_path: Path
) -> None:
    """The program answers all boards without a mirror, and kills or stops its worker at the
    others.
    """
    code = (
        FIND_OUR_PACKAGES
        + "import os, signal, time\ntext = sys.stdin.read()\nif '/' in text:\n    "
        f"os.kill(os.getppid(), signal.SIG{number})\n"
        "    time.sleep(60)\nimport direct\nprint(direct.solve_text('beams', text), end='')\n"
    )
    line = "fuzz beams -b direct --cases 20 --timeout 3 --program"
    ended = compare(line, contender(tmp_path, code), cwd=tmp_path, status=1)
    assert f"{kind}: mine" in ended.stdout


@pytest.mark.slow
def test_a_long_board_is_shown_by_its_file_its_size_and_the_first_difference(
    tmp_path: Path,
) -> None:
    """The program says no to each board of more than 30 rows, and answers the others rightly."""
    code = (
        f"{FIND_OUR_PACKAGES}import direct\nfrom puzzles import beams\ntext = sys.stdin.read()\n"
        "answer = direct.solve_text('beams', text)\n"
        "if max(board.rows for board in beams.parse(text)) > 30:\n"
        "    answer = 'Case #1: IMPOSSIBLE\\n'\n"
        "sys.stdout.write(answer)\n"
    )
    line = "fuzz beams -b direct --shrink-seconds 2 --jobs 1 --program"
    ended = compare(line, contender(tmp_path, code), cwd=tmp_path, status=1)
    (saved,) = tmp_path.glob("*.in")
    rows, columns = saved.read_text().split()[1:3]
    assert f"\n\n{saved.name}: 1 board of {rows}x{columns}\n\n" in ended.stdout
    assert int(rows) > 30
    assert "\ndirect:two-sat:\n--> POSSIBLE\n" in ended.stdout
    assert "\nmine:\n--> IMPOSSIBLE\n" in ended.stdout
    assert re.search(r"^    \.\.\. \d+ more lines$", ended.stdout, re.MULTILINE)
    assert len(ended.stdout.splitlines()) < 30
    assert "see it:" not in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 300
