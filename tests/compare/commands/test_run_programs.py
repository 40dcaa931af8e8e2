"""`compare run --program` and `compare check`: what is said of right and wrong programs and of
their output.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import direct
import puzzles
from compare.commands.arguments import CommandParser
from compare.commands.run.command import _replay, arguments
from compare.commands.run.run_plan import select
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.plan import Settings, bundled_datasets, plan
from compare.engine.isolate.outcome import Status
from compare.engine.work.contenders import ProgramContender
from compare.engine.work.result import Result
from compare.show import messages
from tests.places import ROOT
from tests.processes import FIND_OUR_PACKAGES, compare, contender, reading_program
from tests.records import read_file


def test_what_a_program_does_is_said_of_its_first_board(sample: Path) -> None:
    """What it does is a row for each board and never the end; a wrong yes is refuted by itself."""
    bodies = {
        "turns-nothing": "print(f'Case #{case}: POSSIBLE', *rows, sep='\\n')",
        "gives-up": "if len(rows) > 1:\n    sys.exit('gave up')\nprint('nonsense')",
    }
    programs = [f"--program '{reading_program(sample, bodies[name], name)}'" for name in bodies]
    ended = compare(f"run beams {sample} -b direct {' '.join(programs)}", status=1)
    for line in (
        "REFUTED: turns-nothing on beams, dataset official, case 1 (1x3): the turret at 1,3 is hit "
        "by the one at 1,1",
        "ERROR: gives-up on beams, dataset official, case 1 (1x3): <output of gives-up>:1:1: "
        "expected Case #1: ",
        "CRASH: gives-up on beams, dataset official, case 2 (3x4): exit status 1: gave up",
        "gives-up FAILED on 5 of 5: 4 CRASH, 1 ERROR; 5 boards of 1 puzzle; runs: 10 OK, 1 ERROR, "
        "4 CRASH; ",
    ):
        assert line in ended.stdout


def test_a_correct_program_is_proved_by_agreeing(sample: Path) -> None:
    # Numba would take longer to load than the boards take
    plain = "import os\nos.environ['TWOFOLD_KERNELS'] = 'python'\n"
    code = (
        plain
        + "import direct\nprint(direct.solve_text('beams', sys.stdin.read(), format='luogu'), "
        "end='')\n"
    )
    right = contender(sample, FIND_OUR_PACKAGES + code, "right")
    (sample / "official.ans").unlink()
    ended = compare(
        f"run beams {sample} -b direct --program '{right}' --answer-format luogu --strict", status=0
    )
    assert "10 of 10 answers PROVED" in ended.stdout


@pytest.mark.parametrize("memory", [1, 30, 60])
def test_answers_are_judged_whatever_the_limit_of_memory(memory: int, sample: Path) -> None:
    ended = compare(f"run beams {sample} -b direct --memory {memory} --strict", status=3)
    assert "runs: 5 MEMORY; 3 of 5 answers PROVED." in ended.stdout.splitlines()[-1]
    assert "expected" not in ended.stdout.splitlines()[-1]


def test_a_program_of_files_in_run_and_fuzz(tmp_path: Path) -> None:
    """It leaves nothing in the user's folder, and is ERROR where nobody names its output."""
    mine = contender(
        tmp_path, "open('game.out', 'w').write('LOSE' if open('game.in').read() else '')"
    )
    (tmp_path / "g.in").write_text("1 2\n..\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    files = "--input-file game.in --output-file game.out"
    line = f"run geography g.in -b direct --answer-format luogu --program '{mine}'"
    assert "ALL AGREE" in compare(f"{line} {files}", cwd=tmp_path, status=0).stdout
    ended = compare(f"{line} --input-file game.in", cwd=tmp_path, status=1)
    assert "it printed nothing, and wrote game.out: --output-file game.out reads that" in (
        ended.stdout
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    line = line.replace("run geography g.in", "fuzz geography --size 3 --save saved")
    ended = compare(f"{line} {files}", cwd=tmp_path, status=1)
    assert "REFUTED: mine" in ended.stdout
    assert ended.stdout.count(f" {files} ") == 1
    ended = compare(f"run geography g.in -b direct {files}", cwd=tmp_path, status=2)
    assert ended.stderr == "--input-file and --output-file are for programs: give --program\n"


def test_check_judges_an_output(sample: Path) -> None:
    source, output = sample / "official.in", sample / "official.ans"
    compare(f"check beams {source} {output}", status=0)
    output.write_text(output.read_text().replace("#||#", "#--#"))
    ended = compare(f"check beams {source} {output}", status=1)
    assert (
        "REFUTED: output on beams, dataset input, case 2 (3x4): the turret at 2,3 is hit by the "
        "one at 2,2" in ended.stdout
    )
    output.write_text(
        "Case #1: IMPOSSIBLE\n" + "".join(f"Case #{case}: IMPOSSIBLE\n" for case in range(2, 6))
    )
    assert (
        "REFUTED: output, by the proved answer of another"
        in compare(f"check beams {source} {output}").stdout
    )
    output.write_text("Case #1: PERHAPS\n")
    ended = compare(f"check beams {source} {output}", status=2)
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"{output}:1:1: expected Case #1: POSSIBLE or IMPOSSIBLE")


@pytest.mark.slow
def test_programs_get_no_board_that_the_contest_cannot_say(tmp_path: Path) -> None:
    (tmp_path / "boards.in").write_text("1 2\n1#\n")
    (tmp_path / "counted.in").write_text("1 3 1\n#1#\n")
    code = (
        "import sys\ncount, head, *rows = sys.stdin.read().splitlines()\nassert "
        "len(head.split()) == "
        "2\nprint(*rows)\n"
    )
    mine = contender(tmp_path, code)
    words = f"run minesweeper {tmp_path} -b direct --partial mine --program '{mine}'"
    ended = compare(words)
    spared = (
        "SPARED: mine on 1 minesweeper board that its contest does not promise (1: a number of "
        "mines, which the write-up's format cannot say); --extended gives it all boards\n"
    )
    assert spared in ended.stdout
    assert "CRASH" not in ended.stdout
    assert compare(f"{words} -k counted --extended").stdout.count("CRASH: mine on minesweeper") == 1


def test_an_answer_that_nothing_can_be_compared_with_is_accepted(tmp_path: Path) -> None:
    puzzle = puzzles.get("nogo")
    source, output = tmp_path / "board.in", tmp_path / "board.out"
    source.write_text("2\n..\n..\n")
    output.write_text(direct.solve_text("nogo", source.read_text(), format="luogu"))
    assert puzzle.formats[1] == "luogu"
    ended = compare(f"check nogo {source} {output} --answer-format luogu", status=0)
    assert "1/1       2/2" in ended.stdout
    last = (
        "ACCEPTED: direct:union-find, output; 1 board of 1 puzzle; runs: 1 OK; 2 of 2 "
        "answers PROVED."
    )
    assert ended.last_line == last


def leaking(sample: Path) -> str:
    """A program that is right on each board of the sample; in one file it takes each board after a
    lost one for lost.
    """
    puzzle = puzzles.get("beams")
    boards = puzzle.parse((sample / "official.in").read_bytes(), "official.in")
    known = {
        tuple(board.lines()): puzzle.print_answers([direct.solve(board)], "codejam").partition(
            ": "
        )[2]
        for board in boards
    }
    body = (
        f"known = {known}\nanswer = known[tuple(rows)]\nlost = (case > 1 and lost) or answer == "
        "'IMPOSSIBLE\\n'\n"
        "print(f'Case #{case}:', 'IMPOSSIBLE\\n' if lost else answer, end='')"
    )
    return reading_program(sample, body)


def test_a_program_that_leaks_from_case_to_case_fails_in_one_file(sample: Path) -> None:
    """As from a judge; `check` says the same of its output."""
    mine, out = leaking(sample), sample / "runs.jsonl"
    ended = compare(f"run beams {sample} -b direct --program '{mine}' --out {out}", status=1)
    *_, told, replay, last = ended.stdout.splitlines()
    assert told == (
        "mine answers 3 of the 5 boards of beams, dataset official, otherwise in one file, as "
        "from a judge, than alone; the first "
        "is case 2. It keeps something from one case to the next, or its answers are random."
    )
    assert last.startswith("mine FAILED on 3 of 5: 3 WRONG; 5 boards of 1 puzzle; runs: 10 OK; ")
    assert (
        ended.stdout.count("REFUTED: mine with all 5 in one file, by the proved answer of another")
        == 3
    )
    words = [
        *("python", "-m", "compare", "run", "beams"),
        str(sample / "official.in"),
        "-b",
        "direct",
        "--program",
        mine,
    ]
    assert replay == f"replay: {shlex.join(words)}"
    read = Comparison.of(read_file(str(out)).records)
    assert (str(messages.verdict(read)), read.exit_status()) == (last, 1)
    command = shlex.split(mine.partition("=")[2])
    output = subprocess.run(
        command, stdin=(sample / "official.in").open(), capture_output=True, check=True
    ).stdout
    (sample / "mine.out").write_bytes(output)
    judged = compare(f"check beams {sample}/official.in {sample}/mine.out", status=1)
    assert judged.last_line.startswith("output FAILED on 3 of 5: 3 WRONG; ")


@pytest.mark.slow
def test_what_fails_only_in_one_file_is_told_so(sample: Path) -> None:
    """A file of one case has nothing to be tried in; who fails alone is not given all cases, which
    could take long.
    """
    (sample / "one.in").write_text("1\n1 2\n-.\n")
    (sample / "official.ans").unlink()
    plain = "print(f'Case #{case}: IMPOSSIBLE')"
    bodies = {
        "dies": f"if case == 3: sys.exit('too much')\n{plain}",
        "stops": f"if case > 2: continue\n{plain}",
        "gives-up": f"if count != '1' or height > 3: sys.exit('never')\n{plain}",
    }
    words = [
        word
        for name, body in bodies.items()
        for word in ("--program", reading_program(sample, body, name))
    ]
    ended = compare(f"run beams {sample} -b direct --no-check --out {sample}/runs.jsonl", *words)
    lines = ended.stdout.splitlines()
    assert (
        "CRASH: dies on beams, dataset official, all 5 boards in one file: exit status 1: too much"
        in lines
    )
    assert (
        "dies answers each of the 5 boards of beams, dataset official, alone; in one file, as "
        "from a judge, it ends in CRASH." in lines
    )
    assert any(
        line.startswith(
            "ERROR: stops on beams, dataset official, all 5 boards in one file: <output of "
            "stops>:3:1:"
        )
        for line in lines
    )
    assert "CRASH: gives-up on beams, dataset official, case 4 (4x3): exit status 1: never" in lines
    assert "gives-up on beams, dataset official, all" not in ended.stdout
    records = read_file(str(sample / "runs.jsonl")).records
    assert {record.check for record in records} == {None}
    together = {
        (record.contender, record.dataset, record.together)
        for record in records
        if record.together > 1
    }
    assert together == {("dies", "official", 5), ("stops", "official", 5)}
    assert ended.last_line.startswith(
        "dies FAILED on 5 of 6: 5 CRASH; stops FAILED on 5 of 6: 5 ERROR; "
    )


@pytest.mark.slow
def test_a_program_that_hangs_only_in_one_file_is_a_timeout(tmp_path: Path) -> None:
    """It has the seconds of all its cases together."""
    (tmp_path / "two.in").write_text("2\n1 2\n-.\n1 2\n-.\n")
    body = "if case == 2: __import__('time').sleep(99)\nprint(f'Case #{case}: POSSIBLE\\n-.')"
    mine = reading_program(tmp_path, body)
    ended = compare(
        f"run beams {tmp_path} -b direct --program '{mine}' --timeout 2 --show tests", status=1
    )
    assert (
        "TIMEOUT: mine on beams, dataset two, all 2 boards in one file: stopped at 4 s"
        in ended.stdout
    )
    assert ended.last_line.startswith("mine FAILED on 2 of 2: 2 TIMEOUT; ")


def test_the_replay_of_a_leak_on_bundled_boards_runs_that_dataset_alone() -> None:
    puzzle, mine = (
        puzzles.get("beams"),
        ProgramContender(puzzle="beams", name="mine", command=("mine",)),
    )
    datasets = bundled_datasets(puzzle)
    planned = plan(datasets, [mine], Settings())
    words = ["run", "beams", "-b", "direct", "--program", "mine=mine"]
    parser = CommandParser("compare", "run")
    arguments(parser)
    options = parser.parse_intermixed_args([*words[1:], "--out", "runs.jsonl", "-q"])
    options.words, options.parser = [*words, "--out", "runs.jsonl", "-q"], parser
    of_files = {each.name for each in datasets if each.path is not None}
    together = {ask.cases[0].dataset: ask for ask in planned if len(ask.cases) > 1}
    names = {name: ask for name, ask in together.items() if name not in of_files}
    assert len(names) > 2
    for name, ask in names.items():
        again = shlex.join(["python", "-m", "compare", *words, "-k", name])
        assert _replay(Result.of(ask, status=Status.OK), datasets, options) == again
        selected, _ = select(planned, name)
        assert {each.cases[0].dataset for each in selected} == {name}


LEAK = {
    "if (row == start_row && column == start_column) return true;": "if (row == start_row && "
    "column == start_column) "
    "return false;",
    "vector<pair<int, int>> turrets, clauses;": "vector<pair<int, int>> turrets; static "
    "vector<pair<int, int>> clauses;",
}
"""What makes the example right on each board alone, but keep its clauses from case to case."""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_run_check_and_fuzz_find_the_same_leak(sample: Path) -> None:
    code = (ROOT / "examples" / "mine.cpp").read_text()
    for line, changed in LEAK.items():
        assert line in code
        code = code.replace(line, changed)
    (sample / "leaky.cpp").write_text(code)
    words = "-b direct --program mine=leaky.cpp"
    ran = compare(f"run beams official.in {words}", cwd=sample, status=1)
    assert "mine FAILED on 1 of 5: 1 WRONG" in ran.stdout
    for seed in ("1", "2", "3"):
        fuzzed = compare(f"fuzz beams --seed {seed} --save . {words}", cwd=sample, status=1)
        assert "it answers otherwise than alone" in fuzzed.stdout, fuzzed.stdout
        (replay,) = (line for line in fuzzed.stdout.splitlines() if line.startswith("replay: "))
        again = compare(
            *shlex.split(replay.removeprefix("replay: python -m compare ")), cwd=sample, status=1
        )
        assert "mine FAILED on " in again.last_line, again.stdout


def test_refuses_is_obeyed_with_its_reason(sample: Path) -> None:
    """Also where the backend would have answered."""
    (sample / "plugin.py").write_text(
        "import direct\nfrom puzzles.backend import backend\n"
        "about = dict(side='direct', source='a plugin of the tests')\n"
        "refuses = lambda board, *, certify: 'a single row is too easy' if board.rows == 1 else "
        "''\n"
        "small = lambda board, *, certify: board.rows == 1\n"
        "def solve(board, *, certify=False):\n    return direct.solve(board, "
        "certify=certify)\n"
        "for name, refuses in (('proud', refuses), ('shy', small)):\n"
        "    backend('beams', name, refuses=refuses, **about)(solve)\n"
    )
    words = f"run beams {sample} -b direct -b proud -b shy --plugin {sample}/plugin.py"
    ended = compare(f"{words} --strict", status=3)
    assert "SKIPPED: direct:proud on 1 beams board: a single row is too easy" in ended.stdout
    assert (
        "SKIPPED: direct:shy on 1 beams board: direct:shy declares that by `refuses`"
        in ended.stdout
    )
    assert ended.last_line.startswith("ALL AGREE; 5 boards of 1 puzzle; runs: 13 OK, 2 SKIPPED; ")
