"""`python -m compare` as its users meet it: exit status, tables, records, wrong programs, bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import termios
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

import direct
import puzzles
from compare.campaign.comparison import Comparison
from compare.campaign.record import Record
from compare.campaign.relation import Relation
from compare.work import contenders
from compare.work.contenders import Kind
from puzzles.verdict import Verdict
from tests.processes import FIND_OUR_PACKAGES, READ_BOARD, command, compare, contender, environment, start_module

SAMPLE = puzzles.get("beams").data / "sample" / "official.in"


def program(folder: Path, body: str) -> str:
    """A Python program that has read the one board (`rows`) before `body` runs."""
    return contender(folder, f"{READ_BOARD}{body}\n")


def test_a_run_over_a_folder_agrees_proves_and_records(sample: Path) -> None:
    out = sample / "runs.jsonl"
    ended = compare("run", "beams", str(sample), "--out", str(out), "--repeat", "2", "--strict")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("ALL AGREE; 5 boards of 1 puzzle; ")
    assert "25 of 25 answers PROVED" in ended.stdout
    header, *lines = out.read_text().splitlines()
    assert json.loads(header)["header"] is True
    assert {"command", "versions", "python", "os", "processor"} <= json.loads(header).keys()
    records = [Record.from_line(line) for line in lines]
    assert len(records) == 5 * (4 * 2 + 1)
    everyone = ["direct:two-sat", "models:cnf", "models:cnf-traced", "models:cpsat", "expected"]
    assert [record.task.contender for record in records[:5]] == everyone
    boards = puzzles.get("beams").parse(SAMPLE.read_bytes(), "official.in")
    for record in records:
        task, run = record.task, record.run
        board = boards[task.case - 1]
        assert (task.digest, record.text, task.shape, task.size) == (board.digest, f"1\n{board.text()}", board.shape, board.size)
        assert (task.dataset, record.format) == ("official", "codejam")
        assert run.claims is not None
        assert run.claims.tolist() == [int(task.case in (2, 3, 4))]
        assert (run.check is not None) == (task.repeat == 1)
        assert run.check is None or task.kind is Kind.GIVEN or run.check.verdict is Verdict.PROVED
        if task.contender.startswith("models:cnf"):
            assert task.solver == "cadical153"
            assert run.effort.variables is not None
            assert run.effort.build_s is not None
        if task.contender == "expected":
            assert (task.kind, run.usage.wall_s) == (Kind.GIVEN, None)
        else:
            assert task.kind is Kind.BACKEND
            assert run.usage.wall_s is not None
            assert run.effort.solve_s is not None
            assert 0 < run.effort.solve_s <= run.usage.wall_s
    comparison = Comparison.of(records)
    assert comparison.tally.proved == 25
    assert {result.relation for result in comparison.results(contender="direct:two-sat")} == {None}
    assert {result.relation for name in everyone[1:] for result in comparison.results(contender=name)} == {Relation.EQUAL}


def test_a_wrong_no_is_refuted_by_the_proof_of_another(sample: Path) -> None:
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", program(sample, "print('Case #1: IMPOSSIBLE')"))
    assert ended.returncode == 1
    assert "CONFLICT on beams, dataset official, case 2 (3x4):\n    1\n    3 4\n    #.##\n    #--#\n    ####\n" in ended.stdout
    assert "REFUTED: mine, by the proved answer of another" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("mine FAILED on 3 of 5: 3 WRONG; 5 boards of 1 puzzle; runs: 10 OK; ")
    assert "Case #1" not in ended.stdout


def test_a_wrong_yes_is_refuted_by_its_own_board(sample: Path) -> None:
    body = "print('Case #1: POSSIBLE'); print('\\n'.join(rows), end='')"
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", program(sample, body))
    assert ended.returncode == 1
    assert "REFUTED mine on beams, dataset official, case 1 (1x3): the turret at 1,3 is hit by the one at 1,1" in ended.stdout


def test_what_a_program_does_is_said_of_its_first_board(sample: Path) -> None:
    """What it does is a row for each board and never the end."""
    body = "if len(rows) > 2:\n    sys.exit('gave up')\nprint('nonsense')"
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", program(sample, body))
    assert ended.returncode == 1, ended.stdout
    assert "ERROR mine on beams, dataset official, case 1 (1x3): <output of mine>:1:1: expected Case #1: " in ended.stdout
    assert "CRASH mine on beams, dataset official, case 2 (3x4): exit status 1: gave up" in ended.stdout
    last = "mine FAILED on 5 of 5: 4 CRASH, 1 ERROR; 5 boards of 1 puzzle; runs: 5 OK, 1 ERROR, 4 CRASH; "
    assert ended.stdout.splitlines()[-1].startswith(last)


def test_a_backend_that_is_stopped_is_unfinished_and_fails_under_strict(sample: Path) -> None:
    plugin = sample / "plugin.py"
    plugin.write_text(
        "import time\nfrom puzzles.backend import backend\n"
        "@backend('beams', 'sleeps', side='direct', source='a plugin of the tests')\n"
        "def sleeps(board, *, certify=False):\n    time.sleep(60)\n"
    )
    words = ["run", "beams", str(sample), "-b", "two-sat", "-b", "sleeps", "--plugin", str(plugin), "--timeout", ".3"]
    words += ["-k", "not expected"]
    out = str(sample / "runs.jsonl")
    ended = compare(*words, "--out", out)
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("direct:sleeps UNFINISHED on 5 of 5: 5 TIMEOUT; 5 boards of 1 puzzle; ")
    assert compare(*words, "--out", out, "--resume", "--strict", "-q", "--format", "csv").returncode == 3


def test_a_correct_program_is_proved_by_agreeing(sample: Path) -> None:
    code = "import direct\nprint(direct.solve_text('beams', sys.stdin.read(), format='luogu'), end='')\n"
    right = contender(sample, FIND_OUR_PACKAGES + code, "right")
    (sample / "official.ans").unlink()
    ended = compare("run", "beams", str(sample), "-b", "direct", "--program", right, "--answers", "luogu", "--strict")
    assert ended.returncode == 0, ended.stdout
    assert "10 of 10 answers PROVED" in ended.stdout


def test_expected_answers_take_part(sample: Path) -> None:
    answers = sample / "official.ans"
    answers.write_text(answers.read_text().replace("Case #1: IMPOSSIBLE", "Case #1: POSSIBLE\n-.-"))
    ended = compare("run", "beams", str(sample), "-b", "models:cnf")
    assert ended.returncode == 1
    assert "REFUTED expected on beams, dataset official, case 1" in ended.stdout


def test_check_judges_an_output(sample: Path) -> None:
    source, output = sample / "official.in", sample / "official.ans"
    assert compare("check", "beams", str(source), str(output)).returncode == 0
    output.write_text(output.read_text().replace("#||#", "#--#"))
    ended = compare("check", "beams", str(source), str(output))
    assert ended.returncode == 1
    assert "REFUTED output on beams, dataset input, case 2 (3x4): the turret at 2,3 is hit by the one at 2,2" in ended.stdout
    output.write_text("Case #1: IMPOSSIBLE\n" + "".join(f"Case #{case}: IMPOSSIBLE\n" for case in range(2, 6)))
    assert "REFUTED: output, by the proved answer of another" in compare("check", "beams", str(source), str(output)).stdout
    output.write_text("Case #1: PERHAPS\n")
    ended = compare("check", "beams", str(source), str(output))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"{output}:1:1: expected Case #1: POSSIBLE or IMPOSSIBLE")


def test_programs_get_no_board_that_the_contest_cannot_say(tmp_path: Path) -> None:
    (tmp_path / "boards.in").write_text("1 2\n1#\n")
    (tmp_path / "counted.in").write_text("1 3 1\n#1#\n")
    code = "import sys\ncount, head, *rows = sys.stdin.read().splitlines()\nassert len(head.split()) == 2\nprint(*rows)\n"
    mine = contender(tmp_path, code)
    words = ["run", "minesweeper", str(tmp_path), "-b", "direct", "--partial", "mine", "--program", mine]
    ended = compare(*words)
    skipped = "SKIPPED mine on 1 minesweeper board: the contest's format cannot say all that the board tells; --extended gives it "
    assert skipped in ended.stdout
    assert "CRASH" not in ended.stdout
    assert compare(*words, "-k", "counted", "--extended").stdout.count("CRASH mine on minesweeper") == 1


def test_an_answer_that_nothing_can_be_compared_with_is_accepted(tmp_path: Path) -> None:
    puzzle = puzzles.get("nogo")
    source, output = tmp_path / "board.in", tmp_path / "board.out"
    source.write_text("2\n..\n..\n")
    output.write_text(direct.solve_text("nogo", source.read_text(), format="luogu"))
    assert puzzle.formats[1] == "luogu"
    ended = compare("check", "nogo", str(source), str(output), "--answers", "luogu")
    assert ended.returncode == 0, ended.stdout
    assert "1/1       2/2" in ended.stdout
    last = "ACCEPTED: direct:union-find, output; 1 board of 1 puzzle; runs: 1 OK; 2 of 2 answers PROVED."
    assert ended.stdout.splitlines()[-1] == last


def test_the_matrix_of_tests_and_contenders(sample: Path) -> None:
    wrong = program(sample, "print('Case #1: IMPOSSIBLE')")
    words = ["run", "beams", str(sample), "-b", "direct", "--program", wrong]
    printed = compare(*words).stdout
    assert "beams: tests that somebody fails (--show tests has every test)" in printed
    failed = [line.split() for line in printed.splitlines() if " WRONG " in line and line.startswith("official")]
    assert [row[1] for row in failed] == ["2", "3", "4"]
    assert "with start: the times of a program include the start of its process" in printed
    rows = json.loads(compare(*words, "--show", "tests", "--format", "json").stdout)["beams"]
    assert [row["mine"]["result"] for row in rows] == ["right", "WRONG", "WRONG", "WRONG", "right"]
    assert {row["direct:two-sat"]["result"] for row in rows} == {row["expected"]["result"] for row in rows} == {"right"}
    assert all(row["mine"]["wall_s"] > 0 for row in rows)


def test_generate_writes_a_file_for_each_board_where_a_file_holds_one(tmp_path: Path) -> None:
    puzzle = puzzles.get("nogo")
    refused = compare("generate", "nogo", "empty", "4", "--cases", "2")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "a nogo file holds one board, not 2: --out DIR writes one file a board\n"
    folder = tmp_path / "new" / "boards"
    words = ["generate", "nogo", "empty", "4", "--cases", "2", "--seed", "7", "--out", str(folder)]
    paths = [folder / f"empty-4-{seed}.in" for seed in (7, 8)]
    assert compare(*words).stdout.splitlines() == [str(path) for path in paths]
    assert [puzzle.parse(path.read_text()) for path in paths] == [[puzzle.families["empty"].board(4, seed)] for seed in (7, 8)]
    assert compare(*words).stderr == f"--out {paths[0]}: File exists\n"
    many = compare("generate", "beams", "mirror", "9", "--cases", "2", "--out", str(folder)).stdout.split()
    assert [len(puzzles.get("beams").parse(Path(path).read_text())) for path in many] == [2]


def test_bad_files_are_named_and_the_others_still_run(sample: Path) -> None:
    (sample / "bad.in").write_text("1\n2 2\n..\n")
    ended = compare("run", "beams", str(sample), "-b", "direct")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{sample / 'bad.in'}:4:1: the text ends here; expected row 2 of 2")
    assert "5 boards of 1 puzzle" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "chess"], "unknown puzzle 'chess': choose from beams"),
        (["run", "beams", "-b", "magic"], "unknown beams backend 'magic': choose from direct, models, direct:two-sat"),
        (["run", "beams", "--solver", "magic"], "unknown solver 'magic': choose from "),
        (["run", "beams", "--answers", "magic"], "unknown beams format 'magic': choose from codejam, luogu"),
        (["run", "beams", "nowhere.in"], "nowhere.in: No such file or directory"),
        (["run", "beams", "."], ".: no *.in file in this folder"),
        (["run", "beams", "--program", "mine"], "--program takes NAME=COMMAND, not 'mine'"),
        (["run", "beams", "--program", "mine='x"], '--program mine: the command "\'x" cannot be read: No closing quotation'),
        (["run", "beams", "--solver", "minisat22", "--solver-command", "cat {cnf}"], "not allowed with argument --solver"),
        (["run", "beams", "--solver-command", ""], "a solver command has {cnf} where the formula's file goes, and '' has not"),
        (["fuzz", "beams", "--solver-command", "minisat"], "and 'minisat' has not"),
        (["scale", "beams", "--solver", ""], "unknown solver ''"),
        (["run", "beams", "--program", "mine=/no/such/thing"], "--program mine: no executable '/no/such/thing'"),
        (["run", "beams", "--partial", "mine"], "unknown program 'mine'"),
        (["run", "beams", "--plugin", "none.py"], "--plugin none.py: No such file or directory\n"),
        (["run", "beams", "-b", "direct", "--out", "/no/such/folder/out.jsonl"], "/no/such/folder/out.jsonl: No such file"),
        (["generate", "beams", "magic", "5"], "unknown beams family 'magic': choose from sparse, "),
        (["generate", "beams", "cycle", "5"], "this family starts at size 20, not 5"),
        (["generate", "nogo", "empty", "1000000000"], "this family ends at size 5000, not 1000000000"),
        (["generate", "beams", "wall", "5", "--cases", "1000001"], "--cases: at most 1,000,000 boards at once, not 1,000,001"),
        (["generate", "minesweeper", "d12", "2000", "--cases", "26"], "26 boards of size 2,000 have more than 100,000,000 cells"),
        (["generate", "beams", "wall", "9" * 5000], "argument SIZE: must be a whole number, not '999"),
        (["fuzz", "beams", "--size", "1000000"], "--size: fuzzing takes sizes up to 1000, not 1000000"),
        (["recall", "minesweeper", "--size", "1000000"], "this family ends at size 5000, not 1000000"),
        (["encodings", "nogo", "empty", "1000000"], "this family ends at size 5000, not 1000000"),
        (["scale", "nogo", "--largest", "1000000"], "--largest: family empty ends at size 5000, not 1000000"),
        (["run", "beams", "--memory", "inf"], "argument --memory: must be a number of at most 1,000,000,000, not inf"),
        (["run", "beams", "--memory", "nan"], "argument --memory: must be "),
        (["generate", "beams", "wall", "0"], "argument SIZE: must be at least 1, not 0"),
        (["generate", "beams", "wall", "x"], "argument SIZE: must be a whole number, not 'x'"),
        (["generate", "beams", "wall", "5", "--seed", "-1"], "argument --seed: must be at least 0, not -1"),
        (["coverage", "minesweeper", "--seed", "-1"], "argument --seed: must be at least 0, not -1"),
        (["encodings", "beams", "wall", "5", "--seed", "-1"], "argument --seed: must be at least 0, not -1"),
        (["fuzz", "beams", "--seed", "-1"], "argument --seed: must be at least 0, not -1"),
        (["peers", "--seed", "-1"], "argument --seed: must be at least 0, not -1"),
        (["scale", "beams", "--seed", "-1"], "argument --seed: must be at least 0, not -1"),
        (["scale", "beams", "--timeout", "x"], "argument --timeout: must be a number, not 'x'"),
        (["scale", "beams", "--plot", "/no/such/folder/x.svg"], "--plot /no/such/folder/x.svg: No such file or directory\n"),
        (["fuzz", "beams", "--save", "/dev/null"], "--save /dev/null is not a folder\n"),
        (["fuzz", "beams", "--save", "/dev/null/x"], "--save /dev/null/x: Not a directory\n"),
        (["fuzz", "beams", "--save", "/proc"], "--save /proc: "),
        (["run", "beams", "--overwrite"], "--overwrite begins a file anew: name it with --out"),
        (["run", "beams", "--out", "x.jsonl", "--overwrite", "--resume"], "not allowed with argument"),
        (["check", "beams", str(SAMPLE), "/dev/null"], "/dev/null:1:1: the text is empty"),
        (["check", "beams", "-", "-"], "cannot both be standard input"),
        (["run", "beams", "--timeout", "0"], "must be more than 0"),
        (["run", "beams", "--repeat", "0"], "must be at least 1"),
        (["dance"], "invalid choice: 'dance'"),
    ],
)
def test_bad_usage_is_said_on_stderr_alone(arguments: list[str], words: str, tmp_path: Path) -> None:
    ended = compare(*arguments, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


def test_generate_equals_the_library() -> None:
    ended = compare("generate", "beams", "mirror", "9", "--seed", "4", "--cases", "3")
    puzzle = puzzles.get("beams")
    assert ended.stdout == puzzle.print_instances([puzzle.families["mirror"].board(9, seed) for seed in (4, 5, 6)])


def test_list_names_what_there_is() -> None:
    printed = compare("list").stdout
    for puzzle in map(puzzles.get, puzzles.names()):
        assert all(name in printed for name in [puzzle.name, *puzzle.formats, *puzzle.families])
    assert "models:cnf-traced" in printed
    assert "cadical153   no             yes" in printed
    assert re.search(r"^cycle +20 ", printed, re.M)
    assert "python-sat" in printed


@pytest.mark.parametrize("format", ["markdown", "csv", "json"])
def test_tables_for_machines(sample: Path, format: str) -> None:
    printed = compare("run", "beams", str(sample), "-b", "direct", "-b", "cnf", "--format", format).stdout
    if format == "json":
        assert [row["dataset"] for row in json.loads(printed)["beams"]] == ["official", "all"]
        assert json.loads(printed)["beams"][0]["agreed"] == {"count": 5, "of": 5}
    elif format == "csv":
        assert printed.splitlines()[0].endswith(",agreed count,agreed of,proved proved,proved checked")
    else:
        assert [cell.strip() for cell in printed.splitlines()[2].split("|") if cell.strip()][-2:] == ["agreed", "proved"]


def test_a_plugin_takes_part_and_its_crash_is_a_row(sample: Path) -> None:
    plugin = sample / "plugin.py"
    plugin.write_text(
        "import os\nfrom puzzles.backend import backend\nfrom puzzles.beams.board import Layout\n"
        "@backend('beams', 'never', side='direct', source='a plugin of the tests')\n"
        "def never(board, *, certify=False):\n    return Layout(False)\n"
        "@backend('beams', 'dies', side='models', source='a plugin of the tests')\n"
        "def dies(board, *, certify=False):\n    if board.cells > 3: os.abort()\n    return Layout(False)\n"
    )
    arguments = ["run", "beams", str(sample), "-b", "direct", "-b", "never", "-b", "dies", "--plugin", str(plugin)]
    ended = compare(*arguments)
    assert ended.returncode == 1
    assert "REFUTED: direct:never, by the proved answer of another" in ended.stdout
    assert "CRASH models:dies on beams, dataset official, case 2 (3x4): killed by SIGABRT" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith(
        "direct:never FAILED on 3 of 5: 3 WRONG; models:dies FAILED on 4 of 5: 4 CRASH; "
    )
    assert compare(*arguments, "-k", "dies or two-sat").returncode == 1


def sleeping(seconds: str) -> list[int]:
    """The processes that sleep so long."""
    return [each.pid for each in psutil.process_iter(["cmdline"]) if each.info["cmdline"] == ["sleep", seconds]]


def test_interrupted_it_says_what_it_has_and_leaves_nothing(sample: Path) -> None:
    body = "import subprocess\nfor new in (False, True): subprocess.Popen(['sleep', '61.9'], start_new_session=new)"
    slow = program(sample, f"{body}\nsubprocess.run(['sleep', '61.9'])")
    out = sample / "runs.jsonl"
    words = ["run", "beams", str(sample), "-b", "direct", "--program", slow, "--timeout", "60", "--out", str(out)]
    with start_module("compare", *words) as started:
        for _ in range(600):
            if out.exists() and len(out.read_text().splitlines()) > 1 and len(sleeping("61.9")) == 3:
                break
            time.sleep(0.05)
        assert len(sleeping("61.9")) == 3
        started.send_signal(signal.SIGINT)
        said, complained = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "interrupted after 1 of 15 runs" in complained
    assert "UNFINISHED: 14 runs missing; " in said
    assert "Traceback" not in complained
    assert "direct" in said
    assert len(out.read_text().splitlines()) == 2
    assert sleeping("61.9") == []


def test_a_comparison_is_recomputed_from_the_claims_of_a_file(sample: Path) -> None:
    out = sample / "runs.jsonl"
    compare("run", "beams", str(sample), "-b", "direct", "-b", "cnf", "--out", str(out), "--no-check")
    records = [Record.from_line(line) for line in out.read_text().splitlines()[1:]]
    first, second = records[0].run, records[1].run
    assert first.check is None
    assert first.claims is not None
    assert second.claims is not None
    assert np.array_equal(first.claims, second.claims)
    comparison = Comparison.of(records)
    assert comparison.relations["beams", "direct:two-sat", "models:cnf"] == {Relation.EQUAL: 5}
    assert (comparison.headline, comparison.exit_status()) == ("ALL AGREE", 0)


def test_a_part_by_name_quietly(sample: Path) -> None:
    ended = compare("run", "beams", "-k", "(sample or loops) and not models:c", "-q")
    assert ended.returncode == 0, ended.stderr
    boards = 5 + len(puzzles.get("beams").family("loops").bundled)
    runs = f"runs: {boards} OK; {boards + 5} of {boards + 5} answers PROVED"
    assert ended.stdout == f"ALL AGREE; {boards} boards of 1 puzzle; {runs}.\n"
    assert ended.stderr == ""
    ended = compare("run", "beams", str(sample), "-k", "nosuch")
    assert (ended.returncode, ended.stdout) == (2, "")
    names = ", ".join(backend.label for backend in contenders.backends("beams"))
    assert ended.stderr == (
        "-k 'nosuch' leaves nothing to run; the names here are\n"
        f"  puzzles: beams\n  datasets: official\n  contenders: {names}, expected\n"
    )


def test_progress_is_for_a_terminal_and_nothing_is_coloured(sample: Path) -> None:
    words = command("compare", "run", "beams", str(sample), "-b", "direct")
    colourless = environment(NO_COLOR="1", TERM="xterm-256color")
    controller, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=terminal, env=colourless, check=True)
    shown = os.read(controller, 2**16)
    os.close(terminal)
    os.close(controller)
    assert b"4/5 runs |" in shown
    assert b"beams official direct:two-sat]" in shown
    assert b"\x1b[3" not in shown
    assert b"\x1b" not in ended.stdout
    assert compare("run", "beams", str(sample), "-b", "direct").stderr == ""
