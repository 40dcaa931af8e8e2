"""Boards that the user chooses: `--family`, `--generator`, and the search for the slowest board."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from compare.commands.fuzz.fuzz_search import GRACE_S
from tests.processes import FIND_OUR_PACKAGES, compare, contender

GENERATOR = """
import random, sys
rng = random.Random(int(sys.argv[-1]))
print(2)
for _ in range(2):
    print(1, 3)
    print("".join(rng.choice("#.-|") for _ in range(3)))
sys.exit("out of luck" if len(sys.argv) > 2 else 0)
"""


@pytest.mark.slow
def test_a_generator_and_a_family_choose_the_boards_and_their_mistakes_are_messages(
    tmp_path: Path,
) -> None:
    (tmp_path / "generator.py").write_text(GENERATOR)
    command = f"{shlex.quote(sys.executable)} generator.py"
    words = "fuzz beams -b direct --jobs 1 --cases 3"
    ended = compare(f"{words} --generator generator.py", cwd=tmp_path, status=0)
    assert "; 6 boards in" in ended.stdout, ended.stderr
    for wrong, complaint in (
        ("nosuch.py", "--generator: no file 'nosuch.py'"),
        (f"{command} again", "out of luck"),
        ("echo", "<output of echo 1>:2:1:"),
    ):
        ended = compare(f"{words} --generator '{wrong}'", cwd=tmp_path, status=2)
        assert complaint in ended.stderr
    ended = compare(f"{words} --family cycles", cwd=tmp_path, status=2)
    assert (
        "unknown beams family 'cycles': did you mean cycle? Or choose from sparse, mirror, "
        in ended.stderr
    )


@pytest.mark.slow
def test_the_slowest_board_is_printed_with_its_ratio_and_saved(tmp_path: Path) -> None:
    sleepy = (
        f"{FIND_OUR_PACKAGES}import time, direct\ntext = sys.stdin.read()\ntime.sleep(0.1 * "
        "min(3, text.count('/')))\n"
        "print(direct.solve_text('beams', text), end='')\n"
    )
    mine = contender(tmp_path, sleepy)
    line = f"fuzz beams -b direct --program '{mine}' --save out --cases 4 --jobs 1 --slowest"
    ended = compare(f"{line} mine --family mirror --size 5", cwd=tmp_path, status=0)
    assert "times as long as the fastest other (direct:two-sat " in ended.stdout
    (saved,) = (tmp_path / "out").glob("slowest-*.in")
    assert "/" in saved.read_text()
    assert str(saved.relative_to(tmp_path)) in ended.stdout
    ended = compare(f"{line} yours", cwd=tmp_path, status=2)
    assert (
        "--slowest yours: no contender is called so; there are direct:two-sat, mine" in ended.stderr
    )


def test_of_a_program_that_is_stopped_the_slowest_search_says_how_much_slower_and_fails(
    tmp_path: Path,
) -> None:
    hangs = contender(tmp_path, "import time\ntime.sleep(1000)\n")
    words = f"fuzz beams -b direct --program '{hangs}' --slowest mine --timeout 0.3 --seconds 9"
    ended = compare(words, cwd=tmp_path, status=1)
    stopped = (
        r"mine takes (\d+) ms \(TIMEOUT\), at least ([\d,]+) times as long as the fastest other"
    )
    line = re.search(rf"{stopped} \(direct:two-sat ([\d.]+) (.?s)\)", ended.stdout)
    assert line is not None, ended.stdout
    others_ms = float(line[3]) / {"ms": 1, "µs": 1000}[line[4]]
    assert float(line[2].replace(",", "")) == pytest.approx(int(line[1]) / others_ms, rel=0.06)


def test_the_search_for_the_slowest_board_starts_from_the_large_ones(tmp_path: Path) -> None:
    words = "fuzz beams -b direct --slowest direct --jobs 1"
    ended = compare(f"{words} --cases 2", cwd=tmp_path, status=0)
    assert re.search(
        r"^NOTHING COMPARED: 50x50: direct:two-sat takes [\d.]+ (ms|µs|s); [23] boards timed$",
        ended.stdout,
        re.MULTILINE,
    ), ended.stdout
    ended = compare(f"{words} --kind certified", cwd=tmp_path, status=2)
    assert ended.stdout == ""
    assert "--slowest has an order of its own, large boards first: leave --kind out" in ended.stderr


def test_large_boards_are_of_no_family_and_of_no_generator(tmp_path: Path) -> None:
    for words in ("--family wall", "--generator gen"):
        ended = compare(f"fuzz beams -b direct --kind large {words}", cwd=tmp_path, status=2)
        assert "--kind large has boards of its own: leave --family and --gen" in ended.stderr


TURRET = """
import sys, time
seed = int(sys.argv[-1])
if seed == 17:
    LAST
print(1)
print(2, 2)
print("-.")
print("..")
"""
"""A generator of one board; LAST is what it does with a seed."""


@pytest.mark.parametrize(
    ("last", "complaint"),
    [
        ("sys.exit('out of luck')", "CRASH: exit status 1: out of luck"),
        ("time.sleep(1000)", "TIMEOUT: stopped at 1 s"),
        ("print(1, 2); sys.exit()", "<output of {start}>:1:"),
        ("sys.exit()", "<output of {start}>:1:1: the text is empty"),
    ],
)
def test_a_generator_that_fails_in_the_middle_is_named_with_its_seed(
    last: str, complaint: str, tmp_path: Path
) -> None:
    generator = tmp_path / "generator.py"
    generator.write_text(TURRET.replace("LAST", last))
    command = f"{sys.executable} {generator}"
    words = "fuzz beams -b direct -b cnf --jobs 1 --cases 40 --timeout 1 --generator"
    ended = compare(words, command, cwd=tmp_path, status=2)
    assert f"--generator: {complaint.format(start=f'{command} 17')}" in ended.stderr.replace(
        f"--generator: {command} 17: ", "--generator: "
    )
    assert "must print an input file" in ended.stderr


@pytest.mark.slow
def test_with_a_generator_the_seconds_are_kept_and_few_boards_come_too_late(
    tmp_path: Path,
) -> None:
    (tmp_path / "generator.py").write_text(TURRET.replace("LAST", "pass"))
    command = f"{sys.executable} generator.py"
    words = "fuzz beams -b direct -b cnf --jobs 1 --seconds 4 --generator"
    ended = compare(words, command, cwd=tmp_path, status=0)
    line = re.search(
        r"^the time was up after (\d+) ordinary boards of this seed"
        r"(?: \((\d+) more had no time left\))?; more --seconds go on from there$",
        ended.stdout,
        re.MULTILINE,
    )
    assert line is not None, ended.stdout
    assert int(line[1]) > 2 * int(line[2] or 0)
    assert f"models:cnf: {line[1]} " in ended.stdout
    seconds = re.search(r" in ([\d.]+) s, ", ended.last_line)
    assert seconds is not None
    assert float(seconds[1]) < 4 + GRACE_S / 2


@pytest.mark.slow
def test_a_generator_that_is_still_at_work_when_the_time_is_up_is_named(tmp_path: Path) -> None:
    (tmp_path / "generator.py").write_text(TURRET.replace("LAST", "time.sleep(1000)"))
    command = f"{sys.executable} generator.py"
    words = "fuzz beams -b direct -b cnf --jobs 1 --seconds 6 --seed 10 --generator"
    ended = compare(words, command, cwd=tmp_path, status=0)
    assert re.search(
        r"^--generator: .*generator\.py 17 had not ended after [\d.]+ s: the time was up$",
        ended.stdout,
        re.MULTILINE,
    ), ended.stdout
