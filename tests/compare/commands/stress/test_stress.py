"""Two programs and a generator, as a user gives them: each planted bug at its smallest input."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from operator import eq
from pathlib import Path

import pytest

from compare.commands.stress.input_end import InputEnd
from compare.commands.stress.learning import learn
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.summaries import Grade, Headline
from tests.compare.commands.stress.pairs import PAIRS, Pair
from tests.installed import needs, slow
from tests.processes import LONGEST_S, compare, start_module, wait_until

READS = "import sys\nlines = sys.stdin.read().split('\\n')[:-1]\ndata = ' '.join(lines).split()\n"
SEEDED = "import random, sys\nr = random.Random(int(sys.argv[-1]))\n"


def command(folder: Path, name: str, code: str) -> str:
    """A program of Python that starts quickly."""
    path = folder / f"{name}.py"
    path.write_text(code)
    return f"{sys.executable} -SE {path}"


def stress(folder: Path, pair: Pair, words: str = "", status: int = 1) -> tuple[str, str]:
    """What is printed, and the text of the saved input, if there is one."""
    brute = command(folder, "brute", READS + pair.brute)
    fast = command(folder, "fast", READS + pair.fast)
    generator = command(folder, "gen", SEEDED + pair.generator)
    line = f"stress '{brute}' '{fast}' --generator '{generator}' {words}"
    ended = compare(line, cwd=folder, status=status)
    paths = saved_inputs(folder)
    return ended.stdout + ended.stderr, paths[-1].read_text() if paths else ""


def saved_inputs(folder: Path) -> list[Path]:
    """The smallest inputs, without the first failing ones beside them."""
    return [path for path in sorted(folder.glob("*.in")) if not path.name.endswith(".first.in")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "grids: a way round the rows",
        "queries: an old value that is forgotten",
        "trees: the longest way by two walks, with weights below 0",
    ],
)
def test_a_planted_bug_is_found_and_made_as_small_as_can_be(tmp_path: Path, name: str) -> None:
    """`test_shapes` has them all."""
    said, smallest = stress(tmp_path, PAIRS[name], "--cases 2000")
    assert smallest == PAIRS[name].smallest, said


MAXIMUM = PAIRS["numbers: the last one forgotten"]


@pytest.mark.slow
def test_seeds_come_to_the_same_smallest_input(tmp_path: Path) -> None:
    for seed in (1, 2):
        said, smallest = stress(tmp_path, MAXIMUM, f"--seed {seed}")
        assert smallest == MAXIMUM.smallest, said
        assert "; all smaller inputs of this shape pass\n" in said
        assert "    2     1\n" in said.replace("brute", "brut").replace(
            "    2      1", "    2     1"
        )
    (saved,) = saved_inputs(tmp_path)
    assert saved.with_suffix(".fast.out").read_text() == "1\n"


def test_programs_that_agree(tmp_path: Path) -> None:
    said, _ = stress(tmp_path, MAXIMUM._replace(fast=MAXIMUM.brute), "--cases 20", 0)
    assert "\nALL AGREE; 20 inputs in " in said


CHECKERS = {
    "testlib": "import sys\ni, o, a = (open(each).read() for each in sys.argv[1:4])\n"
    "if o != a:\n    print('expected', a.strip(), file=sys.stderr)\n    sys.exit(1)\n",
    "kattis": "import sys\na = open(sys.argv[2]).read()\nif sys.stdin.read() != a:\n"
    "    open(sys.argv[3] + 'judgemessage.txt', 'w').write('expected ' + a)\n    "
    "sys.exit(43)\nsys.exit(42)\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["testlib", slow("kattis")])
def test_a_checker_of_either_kind_has_the_say(tmp_path: Path, kind: str) -> None:
    checker = command(tmp_path, "checker", CHECKERS[kind])
    said, smallest = stress(tmp_path, MAXIMUM, f"--checker '{checker}'")
    assert smallest == MAXIMUM.smallest, said
    assert "WRONG: fast: the checker says no: expected 2; shrunk" in said
    deaf = command(tmp_path, "deaf", "import sys\nsys.exit(7)\n")
    said, _ = stress(tmp_path, MAXIMUM, f"--checker '{deaf}'", 2)
    assert "does not accept the answer of the reference, brute" in said
    assert "or give points, and ends with exit status 7. Called as" in said


GRADES = """import sys
mine, jury = (int(open(each).read()) for each in sys.argv[2:4])
"""
POINTS = GRADES + "print(f'points {mine / jury:.3f} {mine} of {jury}', file=sys.stderr)\n"
GRADED = {
    "points": f"{POINTS}sys.exit(7)\n",
    "points, or ok": f"{POINTS}sys.exit(7 * (mine != jury))\n",
    "percent": f"{GRADES}sys.exit(16 + 100 * mine // jury)\n",
    "kattis": "import sys\nmine, jury = int(input()), int(open(sys.argv[2]).read())\n"
    "open(sys.argv[3] + 'score.txt', 'w').write(str(100 * mine / jury))\nsys.exit(42)\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["points", *map(slow, ("points, or ok", "percent", "kattis"))])
def test_less_points_than_those_of_the_reference_are_wrong(tmp_path: Path, kind: str) -> None:
    checker = command(tmp_path, "checker", GRADED[kind])
    said, smallest = stress(tmp_path, MAXIMUM, f"--checker '{checker}'")
    assert smallest == MAXIMUM.smallest, said
    worth = "50 of the reference's 100" if kind == "kattis" else "0.5 of the reference's 1"
    message = ": points 0.500 1 of 2" if kind.startswith("points") else ""
    assert f"WRONG: fast: the checker gives it {worth}{message}; shrunk" in said
    assert len(list(tmp_path.glob("wrong-*.first.in"))) == 1
    agree = MAXIMUM._replace(fast=MAXIMUM.brute)
    stress(tmp_path, agree, f"--checker '{checker}' --cases 3", 0)


@pytest.mark.slow
def test_a_worse_value_is_wrong_and_a_better_one_beats_the_reference(tmp_path: Path) -> None:
    checker = command(tmp_path, "checker", f"{GRADES}print('ok', mine, file=sys.stderr)\n")
    said, smallest = stress(tmp_path, MAXIMUM, f"--checker '{checker}' --better greater")
    assert smallest == MAXIMUM.smallest, said
    worth = "the checker says that fast is worth 1 and brute 2: greater is better"
    assert f"WRONG: fast: {worth}; shrunk" in said
    said, _ = stress(tmp_path, MAXIMUM, f"--checker '{checker}' --better less")
    assert "WRONG: brute: it is beaten: the checker says that fast is worth " in said
    mute = command(tmp_path, "mute", GRADES)
    said, _ = stress(tmp_path, MAXIMUM, f"--checker '{mute}' --better less", 2)
    assert f"--better less: {mute} accepts the answer of brute and says nothing: the " in said
    said, _ = stress(tmp_path, MAXIMUM, "--better less", 2)
    assert "--better needs --checker: a program that says what an output is worth" in said


@pytest.mark.slow
def test_a_reference_that_is_beaten_is_wrong(tmp_path: Path) -> None:
    beats = f"{GRADES}if mine > jury:\n    print('FAIL better', file=sys.stderr)\n    sys.exit(3)\n"
    checker = command(tmp_path, "checker", f"{beats}sys.exit(mine < jury)\n")
    beaten = MAXIMUM._replace(brute=MAXIMUM.fast, fast=MAXIMUM.brute)
    said, smallest = stress(tmp_path, beaten, f"--checker '{checker}'")
    assert smallest == MAXIMUM.smallest, said
    sentence = "WRONG: brute: the checker says that the answer of fast is better: FAIL better"
    assert f"{sentence}; shrunk" in said
    (first,) = tmp_path.glob("wrong-*.first.in")
    (saved,) = {*tmp_path.glob("wrong-*.in")} - {first}
    programs = (f"{sys.executable} -SE {each}.py" for each in ("brute", "fast"))
    replay = f"stress --replay {saved.name} --checker '{checker}'"
    again = compare(replay, *programs, cwd=tmp_path, status=1)
    assert again.stdout.startswith(f"{sentence}\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("sys.exit(3 * (jury > 9))", "CRASH: exit status 3. The input:\n"),
        slow("sys.exit(9 * (jury > 9))", "CRASH: exit status 9. The input:\n"),
        slow("jury > 9 and os.kill(os.getpid(), 9)", "CRASH: killed by SIGKILL. The input:\n"),
        slow("while jury > 9: pass", "TIMEOUT: stopped at 3 s. The input:\n"),
    ],
)
def test_a_checker_that_does_not_work_is_told_with_the_input(
    tmp_path: Path, code: str, says: str
) -> None:
    """It says FAIL of the reference's own answer, or no verdict."""
    generator = MAXIMUM._replace(generator="k = int(sys.argv[-1])\nprint(1)\nprint(6 + k)")
    checker = command(tmp_path, "checker", f"import os\n{GRADES}{code}\n")
    agree = generator._replace(fast=MAXIMUM.brute)
    said, _ = stress(tmp_path, agree, f"--checker '{checker}' --timeout 3 --cases 9", 2)
    assert f"--checker: {checker}, on the answer of brute: {says}1\n10\n" in said


def test_an_exception_in_the_checker_is_no_verdict(tmp_path: Path) -> None:
    """The checker crashes on the second output alone, and with the exit status of a "no"."""
    checker = command(
        tmp_path, "checker", f"{GRADES}if mine != jury:\n    raise ValueError('boom')\n"
    )
    said, _ = stress(tmp_path, MAXIMUM, f"--checker '{checker}'", 2)
    says = "on the answer of fast: CRASH: exit status 1: ValueError: boom. The input:\n"
    assert f"--checker: {checker}, {says}" in said
    assert "WRONG" not in said


@pytest.mark.slow
def test_the_difference_is_shown_however_far_behind_and_invisible_it_is(tmp_path: Path) -> None:
    brute = "print(*range(2500), 2500, *range(2501, 3000))"
    pair = MAXIMUM._replace(brute=brute, fast=brute.replace(", 2500,", ", 2501,"))
    said, _ = stress(tmp_path, pair)
    assert "line 1, column 11391: 2500 / 2501; " in said
    assert "--> ...2494 2495 2496 2497 2498 2499 2501 2501 2502" in said
    said, _ = stress(tmp_path, pair._replace(fast=f"{brute[:-1]}, end='\\t\\n')"), "--exact")
    assert "line 1, column 13890: ..." in said
    assert r' 2998 2999\n" / ' in said
    assert r' 2998 2999\t\n"; ' in said


EVEN = READS + "assert int(data[0]) % 2 == 0 and len(data) == int(data[0]) + 1\n"
"""A validator: an even number of numbers."""


@pytest.mark.slow
def test_a_validator_has_the_last_word(tmp_path: Path) -> None:
    even = command(tmp_path, "even", EVEN)
    said, smallest = stress(tmp_path, MAXIMUM, f"--validator '{even}'")
    assert smallest == "2\n0 1\n", said


@pytest.mark.slow
def test_inputs_may_take_the_place_of_a_generator_and_one_must_be_valid(tmp_path: Path) -> None:
    even = command(tmp_path, "even", EVEN)
    (tmp_path / "first.txt").write_text("4\n9 8 7 6\n")
    brute = command(tmp_path, "brute", READS + MAXIMUM.brute)
    fast = command(tmp_path, "fast", READS + MAXIMUM.fast)
    line = f"stress '{brute}' '{fast}' --validator '{even}' --seconds 90"
    ended = compare(f"{line} --inputs first.txt", cwd=tmp_path, status=1)
    assert "\n2\n0 1\n" in ended.stdout
    odd = command(tmp_path, "gen", "print(3)")
    ended = compare(f"{line} --generator '{odd}'", cwd=tmp_path, status=2)
    assert "no valid input among the first 100: the validator refuses each of them" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fast", "says"),
    [
        (
            "assert max(map(int, data[1:])) < 20\nprint(max(map(int, data[1:])))",
            "CRASH: fast: exit status 1: AssertionError; shrunk",
        ),
        slow(
            "while len(data) > 5: pass\nprint(max(map(int, data[1:])))",
            "TIMEOUT: fast: stopped at 1 s; shrunk",
        ),
    ],
)
def test_a_failure_of_one_program_stays_one_of_that_program(
    tmp_path: Path, fast: str, says: str
) -> None:
    said, smallest = stress(tmp_path, MAXIMUM._replace(fast=fast), "--timeout 1")
    assert says in said
    assert smallest == ("1\n20\n" if says.startswith("CRASH") else "5\n1 1 1 1 1\n")


@pytest.mark.slow
def test_numbers_may_be_near_and_the_failing_input_is_tried_again(tmp_path: Path) -> None:
    thirds = MAXIMUM._replace(
        brute="print(int(data[1]) / 3)", fast="print(round(int(data[1]) / 3, 4))"
    )
    stress(tmp_path, thirds, "--cases 10 --float 1e-3", 0)
    _, smallest = stress(tmp_path, thirds, "--exact")
    (saved,) = saved_inputs(tmp_path)
    again = compare(
        f"stress --replay {saved}",
        *(f"{sys.executable} -SE {each}.py" for each in ("brute", "fast")),
        cwd=tmp_path,
        status=1,
    )
    output = saved.with_suffix(".brute.out").read_text().strip()
    assert again.stdout.startswith(f"WRONG: fast: it differs from brute: line 1: {output} / ")
    assert smallest == saved.read_text()


BY_FILES = (
    "lines = open('game.in').read().split('\\n')[:-1]\ndata = ' '.join(lines).split()\n"
    "import sys\nsys.stdout = open('game.out', 'w')\n"
)
"""How a program begins that knows only its files."""


@pytest.mark.slow
def test_a_program_of_files_beside_a_reference_of_the_standard_streams(tmp_path: Path) -> None:
    brute = command(tmp_path, "brute", READS + MAXIMUM.brute)
    fast = command(tmp_path, "fast", BY_FILES + MAXIMUM.fast)
    generator = command(tmp_path, "gen", SEEDED + MAXIMUM.generator)
    line = f"stress '{brute}' '{fast}' --generator '{generator}'"
    files = "--input-file game.in --output-file game.out"
    before = {path.name for path in tmp_path.iterdir()}
    ended = compare(f"{line} --cases 5 --save saved", cwd=tmp_path, status=1)
    assert (
        "CRASH: fast: exit status 1: FileNotFoundError: [Errno 2] No such file or directory: "
        "'game.in'; it runs in a folder of its own: --input-file NAME puts its input there, "
    ) in ended.stdout
    ended = compare(f"{line} --input-file game.in --save saved", cwd=tmp_path, status=1)
    assert (
        "WRONG: fast: it differs from brute: the output is empty; the reference begins with 1; "
        "fast printed nothing, and wrote game.out: --output-file game.out reads that; shrunk "
    ) in ended.stdout
    ended = compare(f"{line} {files} --save saved", cwd=tmp_path, status=1)
    assert re.search(r"^WRONG: fast: it differs from brute: .*; shrunk ", ended.stdout, re.M)
    (replay,) = (each for each in ended.stdout.splitlines() if each.startswith("replay: "))
    assert replay.endswith(f" {files}")
    again = compare(
        replay.removeprefix("replay: python -m compare "), cwd=tmp_path, status=1
    ).stdout
    assert again.startswith("WRONG: fast: it differs from brute: line 1: 2 / 1\n")
    assert {path.name for path in tmp_path.iterdir()} == {*before, "saved"}
    right = command(tmp_path, "right", BY_FILES + MAXIMUM.brute)
    line = f"stress '{brute}' '{right}' --generator '{generator}' --cases 20 --jobs 2 {files}"
    assert "ALL AGREE; 20 inputs" in compare(line, cwd=tmp_path, status=0).stdout
    printing = command(tmp_path, "printing", READS + MAXIMUM.brute)
    line = f"stress '{brute}' '{printing}' --generator '{generator}' {files}"
    ended = compare(line, cwd=tmp_path, status=1)  # a program under test must use the files
    assert "CRASH: printing: exit status 1: ValueError: max() " in ended.stdout


@pytest.mark.slow
def test_an_empty_output_may_be_right_but_two_that_are_always_empty_are_not_compared(
    tmp_path: Path,
) -> None:
    """Each program writes a log."""
    log = "open('log', 'w').write('1')\nif len(data) > LEAST: print(data[1])"
    quiet = MAXIMUM._replace(brute=log.replace("LEAST", "3"), fast=log.replace("LEAST", "3"))
    said, _ = stress(tmp_path, quiet, "--cases 12", 0)
    assert "ALL AGREE; 12 inputs" in said
    silent = MAXIMUM._replace(brute=log.replace("LEAST", "99"), fast=log.replace("LEAST", "99"))
    said, _ = stress(tmp_path, silent, "--cases 3", 0)
    assert "\nno program printed anything: --output-file NAME reads a file that it writes\n" in said
    assert "\nNOTHING COMPARED: no program printed anything; 3 inputs in " in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--input-file a/b", "must be the name of a file in the program's own folder, not 'a/b'"),
        ("--output-file ..", "must be the name of a file in the program's own folder, not '..'"),
        ("--input-file a --output-file a", "--input-file and --output-file are both a: give two"),
    ],
)
def test_a_file_of_programs_is_a_name(tmp_path: Path, words: str, says: str) -> None:
    said, _ = stress(tmp_path, MAXIMUM, words, 2)
    assert says in said


@pytest.mark.slow
def test_records_are_those_of_any_puzzle(tmp_path: Path) -> None:
    _, smallest = stress(tmp_path, MAXIMUM, "--out found.jsonl")
    records = list(RecordFile(str(tmp_path / "found.jsonl")))
    assert [each.contender for each in records] == ["brute", "fast"] * (len(records) // 2)
    instance, last = records[-1].instance(), records[-1]
    assert instance is not None
    assert (instance.text(), last.dataset, last.answer) == (smallest, "shrunk", "1\n")
    comparison = Comparison.of(records)
    assert comparison.headline is Headline.FAILED
    first, shrunk = (each.fault.sentence() for each in comparison.failures)
    assert first.startswith("REFUTED: fast: it differs from brute: line 1: ")
    assert shrunk == "REFUTED: fast: it differs from brute: line 1: 2 / 1"
    (part,) = comparison.puzzles.values()
    assert {each.grade for each in part.of_contender("brute")} == {Grade.OPEN}


@pytest.mark.slow
def test_records_of_inputs_are_those_of_the_seed_and_are_related(tmp_path: Path) -> None:
    agree = MAXIMUM._replace(fast=MAXIMUM.brute)
    for name in ("then", "now"):
        stress(tmp_path, agree, f"--cases 12 --out {name}.jsonl", 0)
    said, _ = stress(tmp_path, agree, "--cases 12 --out now.jsonl", 2)
    assert said == (
        "now.jsonl holds 24 records: --overwrite begins it anew; --resume, where a command has "
        "it, goes on with them\n"
    )
    then, now = (list(RecordFile(str(tmp_path / f"{name}.jsonl"))) for name in ("then", "now"))
    assert {each.run_key for each in then} == {each.run_key for each in now}
    assert {(each.case, each.seed) for each in now} == {(k, k) for k in range(1, 13)}
    comparison = Comparison.of(now)
    assert comparison.headline is Headline.ALL_AGREE
    (part,) = comparison.puzzles.values()
    sizes = [[each.size for each in some] for some in part.by_dataset().values()]
    assert len(sizes) > 1
    assert all(max(one) < min(other) for one, other in pairwise(sizes))
    ended = compare("diff then.jsonl now.jsonl", cwd=tmp_path, status=0)
    assert re.search("text +fast +12 ", ended.stdout)
    needs("jinja2", "matplotlib")
    ended = compare("report now.jsonl", cwd=tmp_path, status=0)
    page = (tmp_path / "report.html").read_text()
    assert "<strong>ALL AGREE</strong>" in page
    assert "open in the page" not in page


@pytest.mark.slow
def test_the_report_says_that_the_shrunk_input_counts_as_one_more(tmp_path: Path) -> None:
    needs("jinja2", "matplotlib")
    said, _ = stress(tmp_path, MAXIMUM, "--out runs.jsonl", status=1)
    tried = re.search(r"; (\d+) inputs? in ", said)
    assert tried is not None
    compare("report runs.jsonl", cwd=tmp_path, status=0)
    page = (tmp_path / "report.html").read_text()
    assert f"{int(tried[1]) + 1} cases of 1 puzzle" in page
    assert "dataset shrunk is the failing input made smaller, which counts as one input" in page


@pytest.mark.slow
def test_a_generator_that_fails_and_a_program_that_is_not_there(tmp_path: Path) -> None:
    said, _ = stress(tmp_path, MAXIMUM._replace(generator="raise SystemExit(3)"), status=2)
    assert "CRASH: exit status 3. It must print an input and end with status 0" in said
    ended = compare("stress none.cpp fast.py --generator true", cwd=tmp_path, status=2)
    assert ended.stderr == "the program none.cpp: no file 'none.cpp'\n"
    ended = compare("stress true --generator true", cwd=tmp_path, status=2)
    assert ended.stderr == "stress takes two programs or more: the first one is the reference\n"


def test_a_generator_that_prints_nothing_is_named_and_no_program_blamed(tmp_path: Path) -> None:
    ended = compare("stress false false --generator true --cases 5", cwd=tmp_path, status=2)
    assert ended.stderr == (
        "--generator: true 1: it prints nothing, as for the next 9 seeds. It must print an input "
        "and end with status 0\n"
    )


@pytest.mark.slow
def test_a_generator_without_a_seed_is_noticed(tmp_path: Path) -> None:
    pair = MAXIMUM._replace(generator="print(2)\nprint(2, 1)")
    said, _ = stress(tmp_path, pair, "--cases 5", 0)
    assert "all 5 inputs are equal: does the generator use its seed?\n" in said


@pytest.mark.slow
def test_a_smaller_input_that_the_checker_cannot_take_is_none(tmp_path: Path) -> None:
    """The checker stops at an input without its first number, which mutations soon leave out."""
    (tmp_path / "first.txt").write_text("4\n1 1 8 9\n")
    brute = command(tmp_path, "brute", READS + "print(max(map(int, data[1:]), default=0))")
    fast = command(tmp_path, "fast", READS + "print(max(map(int, data[1:-1]), default=0))")
    strict = (
        "import sys\ni, o, a = (open(each).read().split() for each in sys.argv[1:4])\n"
        "assert int(i[0]) == len(i) - 1 > 1\nsys.exit(o != a)\n"
    )
    words = ("--inputs", "first.txt", "--checker", command(tmp_path, "strict", strict))
    compare("stress", brute, fast, *words, cwd=tmp_path, status=1)
    (saved,) = saved_inputs(tmp_path)
    assert saved.read_text() == "2\n0 1\n"


def edges(n: int, m: int) -> str:
    return f"{n} {m}\n" + "".join(f"{k % n + 1} {k // n % n + 1}\n" for k in range(m))


def queries(n: int) -> str:
    """Two kinds of lines; a sum goes from a place to a later one."""
    places = [1 + k % 3 for k in range(n)]
    lines = "".join(f"sum {place} {place + n % 4}\nput {place}\n" for place in places)
    return f"{2 * n}\n{lines}"


def maze(rows: int, columns: int) -> str:
    """A grid with one S and one T."""
    kinds = "S" + ("#." * 8)[: rows * columns - 2] + "T"
    lines = [kinds[k * columns : (k + 1) * columns] for k in range(rows)]
    return f"{rows} {columns}\n" + "".join(f"{line}\n" for line in lines)


QUERIES = [queries(n) for n in range(1, 13)]
MAZES = [maze(rows, columns) for rows in range(2, 5) for columns in range(1, 5)]


@pytest.mark.parametrize(
    ("texts", "inside", "outside"),
    [
        (
            [f"{n}\n{' '.join(map(str, range(1, n + 1)))}\n" for n in range(1, 9)],
            "3\n1 2 3\n",
            "3\n1 2\n",
        ),
        (
            [f"{n}\n{' '.join(map(str, range(1, n + 1)))}\n" for n in range(1, 9)],
            "2\n1 2\n",
            "2\n2 1\n",
        ),
        ([edges(n, m) for n in range(1, 5) for m in range(6)], "2 1\n1 1\n", "2 1\n1 3\n"),
        ([f"{n}\n{('ab' * n)[:n]}\n" for n in range(1, 9)], "3\naba\n", "3\nab\n"),
        ([f"{n} {' '.join('5' * n)}\n" for n in range(1, 7)], "2 5 5\n", "2 5\n"),
        (QUERIES, "2\nput 1\nput 1\n", "2\nput 1\npat 1\n"),
        (QUERIES, "2\nput 1\nsum 1 2\n", "2\nput 1\nsum 2 1\n"),
        (QUERIES, "2\nput 1\nsum 1 2\n", "2\nput 1\nput 1 2\n"),
        (MAZES, "2 1\nS\nT\n", "2 1\nS\n.\n"),
    ],
)
def test_the_shape_of_inputs_is_learned_from_samples(
    texts: list[str], inside: str, outside: str
) -> None:
    shape = learn(texts)
    assert all(map(shape.allows, texts))
    assert shape.allows(inside)
    assert not shape.allows(outside)


WAITING = """from pathlib import Path
from time import sleep
first = Path(FOLDER, "first")
if not first.exists(): first.write_text(" ".join(data))
if first.read_text() != " ".join(data):
    Path(FOLDER, "waits").touch()
    sleep(1000)
print(0)
"""
"""A program that is wrong on the first input, and does not end on any other."""


@pytest.mark.slow
def test_interrupted_while_it_shrinks_the_first_failing_input_is_kept(tmp_path: Path) -> None:
    brute = command(tmp_path, "brute", READS + MAXIMUM.brute)
    fast = command(tmp_path, "fast", f"{READS}FOLDER = {str(tmp_path)!r}\n{WAITING}")
    gen = command(tmp_path, "gen", SEEDED + MAXIMUM.generator)
    line = f"stress '{brute}' '{fast}' --generator '{gen}' --cases 1 --seed 7 --timeout 1000"
    with start_module("compare", line, cwd=tmp_path) as started:
        wait_until((tmp_path / "waits").exists)
        started.send_signal(signal.SIGINT)
        said, complained = started.communicate(timeout=LONGEST_S)
    assert (started.returncode, complained) == (130, "interrupted\n")
    (saved,) = tmp_path.glob("*.in")
    assert f"\nfirst failing input: {saved.name}, seed 7 of the generator\n" in said
    assert "; it was interrupted, a smaller one may exist\n" in said
    ended = subprocess.run([*gen.split(), "7"], capture_output=True, text=True, check=True)
    assert saved.read_text() == ended.stdout


@pytest.mark.slow
def test_the_first_failing_input_is_named_by_its_seed_and_size(tmp_path: Path) -> None:
    said, smallest = stress(tmp_path, MAXIMUM._replace(fast="print(0)"), "--seed 41")
    assert smallest == "1\n1\n"
    (first,) = tmp_path.glob("*.first.in")
    assert f"\nfirst failing input: {first.name}, seed 41 of the generator\n" in said
    assert "\nshape, learned from 60 inputs: n, n numbers from 1 to 20\n" in said
    gen = tmp_path / "gen.py"
    printed = subprocess.run(
        [sys.executable, gen, "41"], capture_output=True, text=True, check=True
    )
    assert first.read_text() == printed.stdout


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_shape_is_that_of_the_first_inputs(tmp_path: Path, jobs: int) -> None:
    """Whatever was under way when the fifth one failed; the shape says all their seeds."""
    for name, code in {"brute": "echo 0", "fast": "read n; echo $((n == 5))"}.items():
        (tmp_path / f"{name}.sh").write_text(code)
    (tmp_path / "gen.sh").write_text("echo $1")
    line = f"stress 'sh brute.sh' 'sh fast.sh' --generator 'sh gen.sh' --jobs {jobs}"
    ended = compare(line, cwd=tmp_path, status=1)
    assert "\nshape, learned from 60 inputs: a number from 1 to 60\n" in ended.stdout
    (smallest,) = saved_inputs(tmp_path)
    assert smallest.read_text() == "5\n"


def stress_numbers(folder: Path, fast: str, words: str, brute: str = "echo 0") -> str:
    """What is printed of programs of the shell that get 1, 2, 3, ... and should print 0."""
    for name, code in {"brute": brute, "fast": fast, "gen": "echo $1"}.items():
        (folder / f"{name}.sh").write_text(code)
    line = f"stress 'sh brute.sh' 'sh fast.sh' --generator 'sh gen.sh' --jobs 1 {words}"
    return compare(line, cwd=folder, status=1).stdout


def test_of_a_program_that_hangs_all_smaller_inputs_pass(tmp_path: Path) -> None:
    """They are tried with a smaller limit."""
    said = stress_numbers(tmp_path, "read n; [ $n != 3 ] || sleep 60; echo 0", "--timeout 1")
    assert "TIMEOUT: fast: stopped at 1 s; not shrunk from 1 word in " in said
    assert "; all smaller inputs of this shape pass\n" in said


def test_nothing_is_said_of_smaller_inputs_that_the_smaller_limit_does_not_show(
    tmp_path: Path,
) -> None:
    """On 2 the reference is stopped at the smaller limit, and ends before the whole one."""
    brute = "read n; [ $n != 2 ] || sleep 0.8; echo 0"
    fast = "read n; [ $n != 2 ] && [ $n != 3 ] || sleep 60; echo 0"
    said = stress_numbers(tmp_path, fast, "--seed 3 --timeout 1.5", brute)
    assert "TIMEOUT: fast: stopped at 1.5 s; not shrunk from 1 word in " in said
    assert "; a smaller one may exist\n" in said


def test_a_failure_by_chance_is_said_to_be_one(tmp_path: Path) -> None:
    """A failing input is tried twice; then 10 more starts are counted."""
    count = f"echo >> {tmp_path}/starts; k=$(wc -l < {tmp_path}/starts)"
    fails = "case $((k)) in 1|2|5|9|10) wrong=1;; esac"
    code = f"read n; wrong=0; if [ $n = 5 ]; then {count}; {fails}; fi; echo $wrong"
    said = stress_numbers(tmp_path, code, "")
    chance = "by chance: it failed in 3 of 10 more starts on this input, so the replay line may say"
    assert f"; a smaller one may exist\n{chance} ALL AGREE\n" in said
    for path in saved_inputs(tmp_path):
        path.unlink()
    said = stress_numbers(tmp_path, "read n; echo $((n == 5))", "")
    assert "; all smaller inputs of this shape pass\n" in said
    assert "by chance" not in said


def test_the_time_of_shrinking_begins_when_the_shape_is_known(tmp_path: Path) -> None:
    """The generator takes more than a second for the inputs from which the shape is learned."""
    largest = "for number in $1; do [ $number -le $most ] || most=$number; done; echo $most"
    files = {
        "brute": f'read n; read line; set -- "$line"; most=0; {largest}',
        "fast": f'read n; read line; set -- "${{line% *}}"; most=0; {largest}',
        "gen": "sleep 0.1; n=$(($1 % 6 + 2)); echo $n\n"
        'for k in $(seq $n); do numbers="$numbers $((($1 * 7 + k * k) % 20 + 1))"; done\n'
        "echo $numbers",
    }
    for name, code in files.items():
        (tmp_path / f"{name}.sh").write_text(code)
    line = "stress 'sh brute.sh' 'sh fast.sh' --generator 'sh gen.sh' --jobs 4 --shrink-seconds 1"
    ended = compare(line, cwd=tmp_path, status=1)
    assert "\nshape, learned from 60 inputs: n, n numbers from 1 to 20\n" in ended.stdout
    assert re.search(r"shrunk \d+ words to \d+ words in [1-9]\d* runs?", ended.stdout)


@pytest.mark.slow
def test_where_nothing_tells_what_an_input_is_that_is_said(tmp_path: Path) -> None:
    """The numbers of all lines are read, so nothing shows where an input ends."""
    pair = Pair(
        "for _ in range(r.randint(2, 6)): print(*r.choices(range(1, 10), k=r.randint(1, 4)))",
        "print(sum(map(int, data)))",
        "print(sum(map(int, data[:3])))",
        "1 1 1 1\n",
    )
    said, smallest = stress(tmp_path, pair)
    assert smallest == pair.smallest
    assert "\nshape, learned from 60 inputs: until the end (some numbers from 1 to 9)\n" in said
    assert "nothing says how long an input is, so the shrunk one may be none: see the first" in said


@pytest.mark.slow
def test_where_the_shape_does_not_count_words_that_is_said(tmp_path: Path) -> None:
    """The reference reads up to a 0, so it shows where an input ends; it passes over the counts."""
    pair = Pair(
        "for _ in range(r.randint(1, 4)):\n    n, m = r.randint(1, 3), r.randint(1, 3)\n"
        "    print(n, m)\n    print(*(r.randint(1, 9) for _ in range(n * m)))\nprint(0)",
        "k = lines.index('0')\nfor line in lines[1:k:2]: print(sum(map(int, line.split())))",
        "k = lines.index('0')\nfor line in lines[1:k:2]: print(sum(map(int, line.split()[:2])))",
        "",
    )
    said, _ = stress(tmp_path, pair)
    assert "\nshape, learned from 60 inputs: until a line 0 (some numbers from 1 to 9)\n" in said
    unknown = "the shape does not say how many words each line of an input has"
    assert f"\n{unknown}, so the shrunk one may be none: see the first failing input" in said
    said, _ = stress(tmp_path, PAIRS["blocks until a 0: a count from the second on"])
    assert "so the shrunk one may be none" not in said


def product_of(words: list[str]) -> int:
    """How many numbers come behind `n m`."""
    return int(words[0]) * int(words[1])


MATRIX = Pair(
    "n, m = r.randint(1, 4), r.randint(1, 4)\nprint(n, m)\n"
    "print(*(r.randint(1, 9) for _ in range(n * m)))",
    "n, m, *rest = map(int, data)\nprint(sum(rest[: n * m]))",
    "n, m, *rest = map(int, data)\nprint(sum(rest[: n * m][:2]))",
    "",
)
"""The product of two numbers says how many there are: no grammar knows that."""


@pytest.mark.slow
def test_without_a_grammar_the_reference_shows_what_is_too_short_or_too_long(
    tmp_path: Path,
) -> None:
    said, smallest = stress(tmp_path, MATRIX)
    words = smallest.split()
    assert len(words) == 2 + product_of(words) > 4, said
    assert "nothing says how long an input is" not in said


def by_product(text: str) -> bytes:
    words = text.split()
    return str(sum(map(int, words[2 : 2 + product_of(words)]))).encode()


def largest(text: str) -> bytes:
    words = text.split()
    return str(max(map(int, words[1 : 1 + int(words[0])]), default=0)).encode()


def whole(text: str) -> bytes:
    return text.encode()


@pytest.mark.parametrize(
    ("program", "inputs", "text", "fits"),
    [
        (by_product, ["2 2\n1 2 3 4\n"] * 5, "1 3\n5 5 5\n", True),
        (by_product, ["2 2\n1 2 3 4\n"] * 5, "1 3\n5 5\n", False),
        (by_product, ["2 2\n1 2 3 4\n"] * 5, "1 1\n5 5\n", False),
        (largest, ["2\n4 5\n", "2\n5 4\n"] * 5, "2\n9\n", False),
        (largest, ["2\n4 5\n", "2\n5 4\n"] * 5, "2\n9 1\n", True),
        # no input is whole
        (whole, ["1\n", "2\n"] * 5, "1 1\n", True),
        # four inputs say too little
        (by_product, ["2 2\n1 2 3 4\n"] * 4, "1 3\n5 5\n", True),
    ],
)
def test_a_reference_shows_where_an_input_ends(
    program: Callable[[str], bytes], inputs: list[str], text: str, fits: bool
) -> None:
    end = InputEnd.of(inputs, lambda texts: [*map(program, texts)], eq, is_counted=False)
    assert end.fits(text, program(text)) is fits
