"""Bad files, bad usage, the values of arguments, `generate` and `list`."""

from __future__ import annotations

import json
import os
import re
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

import puzzles
from compare import run
from compare.commands import GROUPS, Command
from compare.show.wording import command, path_word
from puzzles.shell.argument_parser import at_least_one, at_least_zero, positive
from puzzles.text import UserError
from tests.processes import CompareHere, compare


def test_generate_writes_a_file_for_each_board_where_a_file_holds_one(tmp_path: Path) -> None:
    puzzle = puzzles.get("nogo")
    refused = compare("generate nogo empty 4 --cases 2", status=2)
    assert refused.stdout == ""
    assert (
        refused.stderr
        == "a nogo file holds one board, not 2: --out-dir DIR writes one file a board\n"
    )
    folder = tmp_path / "new" / "boards"
    words = f"generate nogo empty 4 --cases 2 --seed 7 --out-dir {folder}"
    paths = [folder / f"empty-4-{seed}.in" for seed in (7, 8)]
    assert compare(words).stdout.splitlines() == [str(path) for path in paths]
    assert [puzzle.parse(path.read_text()) for path in paths] == [
        [puzzle.families["empty"].board(4, seed)] for seed in (7, 8)
    ]
    assert compare(words).stderr == f"--out-dir {paths[0]}: File exists\n"
    many = compare(f"generate beams mirror 9 --cases 2 --out-dir {folder}").stdout.split()
    assert [len(puzzles.get("beams").parse(Path(path).read_text())) for path in many] == [2]


def test_bad_files_are_named_and_the_others_still_run(sample: Path) -> None:
    (sample / "bad.in").write_text("1\n2 2\n..\n")
    ended = compare(f"run beams {sample} -b direct", status=2)
    assert ended.stderr.startswith(
        f"{sample / 'bad.in'}:4:1: the text ends here; expected row 2 of 2"
    )
    assert "5 boards of 1 puzzle" in ended.stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("run chess", "unknown puzzle 'chess': choose from beams"),
        (
            "run beams -b magic",
            "unknown beams backend 'magic': choose from direct, models, direct:two-sat",
        ),
        ("run beams --solver magic", "unknown solver 'magic': choose from "),
        (
            "run beams -b direct --cpsat-workers 2",
            "--cpsat-workers 2: none of direct:two-sat uses CP-SAT",
        ),
        (
            "run beams --cpsat-workers 65",
            "argument --cpsat-workers: must be at most 64, not 65",
        ),
        (
            "run beams --answer-format magic",
            "unknown beams format 'magic': choose from codejam, luogu",
        ),
        ("run beams nowhere.in", "nowhere.in: No such file or directory"),
        ("run beams empty", "empty: no *.in file in this folder"),
        ("run beams --program mine", "--program takes NAME=COMMAND, not 'mine'"),
        (
            "run beams --program 'mine='\"'\"'x'",
            '--program mine: the command "\'x" cannot be read: No closing quotation',
        ),
        (
            "run beams -b direct --solver minisat22 --solver glucose4",
            "--solver minisat22 --solver glucose4: none of direct:two-sat takes a SAT solver",
        ),
        (
            "run beams --solver ''",
            "unknown solver '': choose from cadical103, ",
        ),
        ("fuzz beams --solver minisat", "(FILE.py:CLASS), or a command with {cnf}"),
        ("scale beams --solver ''", "unknown solver ''"),
        (
            "run beams --program mine=/no/such/thing",
            "--program mine: no executable '/no/such/thing'",
        ),
        ("run beams --partial mine", "unknown program 'mine'"),
        ("run beams --plugin none.py", "--plugin none.py: No such file or directory\n"),
        (
            "run beams -b direct --out /no/such/folder/out.jsonl",
            "/no/such/folder/out.jsonl: No such file",
        ),
        ("generate beams magic 5", "unknown beams family 'magic': choose from sparse, "),
        ("generate beams cycle 5", "the family cycle starts at size 20, not 5"),
        ("generate nogo empty 1000000000", "the family empty ends at size 5000, not 1000000000"),
        (
            "generate beams wall 5 --cases 1000001",
            "--cases: at most 1,000,000 boards at once, not 1,000,001",
        ),
        (
            "generate minesweeper d12 2000 --cases 26",
            "26 boards of size 2,000 have more than 100,000,000 cells",
        ),
        (
            f"generate beams wall {'9' * 5000}",
            f"argument SIZE: must be at most {'9' * 18}, not 999",
        ),
        ("fuzz beams --size 1000000", "--size: fuzzing takes sizes up to 1000, not 1000000"),
        (
            "run minesweeper --show recall --family d12 --size 1000000",
            "the family d12 ends at size 5000, not 1000000",
        ),
        (
            "run nogo --show sizes --family empty --size 1000000",
            "the family empty ends at size 5000, not 1000000",
        ),
        ("scale nogo --largest 1000000", "--largest: family empty ends at size 5000, not 1000000"),
        (
            "run beams --memory inf",
            "argument --memory: must be a number of at most 1,000,000,000, not inf",
        ),
        ("run beams --memory nan", "argument --memory: must be "),
        ("generate beams wall 0", "argument SIZE: must be at least 1, not 0"),
        ("generate beams wall x", "argument SIZE: must be a whole number, not 'x'"),
        ("generate beams wall 5 --seed -1", "argument --seed: must be at least 0, not -1"),
        ("run minesweeper --family d12 --seed -1", "argument --seed: must be at least 0, not -1"),
        ("fuzz beams --seed -1", "argument --seed: must be at least 0, not -1"),
        ("fuzz chess", "unknown puzzle 'chess': choose from beams"),
        ("fuzz beams --cases 0", "argument --cases: must be at least 1, not 0"),
        ("fuzz beams -b magic", "unknown beams backend 'magic': choose from direct, models, "),
        ("scale nogo --seed -1", "argument --seed: must be at least 0, not -1"),
        ("scale beams --seed -1", "argument --seed: must be at least 0, not -1"),
        ("scale beams --timeout x", "argument --timeout: must be a number, not 'x'"),
        (
            "scale beams --plot /no/such/folder/x.svg",
            "--plot /no/such/folder/x.svg: No such file or directory\n",
        ),
        ("fuzz beams --save /dev/null", "--save /dev/null is not a folder\n"),
        ("fuzz beams --save /dev/null/x", "--save /dev/null/x: Not a directory\n"),
        ("fuzz beams --save /proc", "--save /proc: "),
        ("run beams --size 3", "--size, --cases and --seed need --family F"),
        ("run --family wall", "--family needs one PUZZLE"),
        ("run beams boards.in --family wall", "--family needs one PUZZLE"),
        ("run beams --family wall --size 1000 --cases 200", "ask for fewer or smaller ones"),
        ("run beams --family wall --show recall", "every backend of beams is complete"),
        ("run minesweeper --family nothing --show recall", "unknown minesweeper family 'nothing'"),
        ("run minesweeper --family short --size 2 --show recall", "starts at size 5"),
        ("scale beams --family none", "unknown beams family 'none'"),
        ("scale beams -b none", "unknown beams backend"),
        ("scale beams --plot growth", "suffix"),
        ("report runs.jsonl --port 0", "argument --port: must be at least 1, not 0"),
        ("report runs.jsonl --port 65536", "argument --port: must be at most 65535, not 65536"),
        ("run beams --resume", "--resume needs --out FILE.jsonl"),
        ("run beams --overwrite", "--overwrite needs --out FILE.jsonl"),
        ("run beams --out x.jsonl --overwrite --resume", "give one of them"),
        ("check beams official.in /dev/null", "/dev/null:1:1: the text is empty"),
        ("check beams - -", "cannot both be standard input"),
        ("run beams boards.in --out ''", "argument --out: expected the name of a file; "),
        ("run beams boards.in --junit ''", "argument --junit: expected the name of a file; "),
        ("report runs.jsonl -o ''", "argument -o/--output: expected the name of a file; "),
        ("run beams --timeout 0", "must be more than 0"),
        ("run beams --repeat 0", "must be at least 1"),
        ("dance", "unknown command 'dance': choose from run, fuzz,"),
    ],
)
def test_bad_usage_is_said_on_stderr_alone(
    command: str,
    words: str,
    sample: Path,
    compare_here: CompareHere,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (sample / "empty").mkdir()
    monkeypatch.chdir(sample)
    ended = compare_here(command, status=2)
    assert ended.stdout == ""
    assert words in ended.stderr


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("report runs.jsonl -o runs.jsonl", "--output runs.jsonl: the command reads this file"),
        ("report runs.jsonl -o link.jsonl", "--output link.jsonl: the command reads this file"),
        ("diff then.jsonl runs.jsonl --junit ./then.jsonl", "--junit ./then.jsonl: the command "),
        ("diff then.jsonl --new runs.jsonl --junit runs.jsonl", "(--new runs.jsonl): name another"),
        ("run beams board.in --junit board.in", "--junit board.in: the command reads this file"),
        ("run beams board.in --junit hard.in", "--junit hard.in: the command reads this file"),
        ("run beams --plugin ./own.py --junit own.py", "reads this file (--plugin ./own.py): name"),
        ("run ./own.py --junit own.py", "--junit own.py: the command reads this file (./own.py)"),
        (
            "run beams board.in --out new.jsonl --junit ./new.jsonl",
            "--junit ./new.jsonl: the command writes this file (--out new.jsonl): name another one",
        ),
        ("scale beams --plot x.svg --junit x.svg", "--junit x.svg: the command writes this file"),
        ("stress a b --replay board.in --junit board.in", "reads this file (--replay board.in)"),
        ("run beams board.in --out board.ans --overwrite", "reads this file (board.ans): name an"),
        ("run beams boards --out boards/b.in --overwrite", "reads this file (boards/b.in): name"),
        ("run beams boards --junit boards/b.out", "--junit boards/b.out: the command reads this"),
        (
            "run formula sets --junit sets/c.ans",
            "--junit sets/c.ans: the command reads this file (s",
        ),
        ("run beams --program p=own.py --junit own.py", "reads this file (--program own.py): name"),
        ("fuzz beams --program 'p=cat own.py 1' --junit own.py", "file (--program own.py): name"),
        ("fuzz beams --generator ./own.py --junit own.py", "file (--generator ./own.py): name"),
        (
            "run formula --solver 'cat own.py' --junit own.py",
            "file (--solver own.py): name another",
        ),
        (
            "stress a own.py --inputs board.in --out own.py",
            "reads this file (own.py): name another",
        ),
        ("stress a b --generator c --validator own.py --junit own.py", "file (--validator own.py)"),
        ("stress a b --generator c --checker own.py --junit own.py", "reads this file (--checker "),
    ],
)
def test_no_file_is_written_over_another_one_of_the_same_command(
    command: str,
    refused: str,
    compare_here: CompareHere,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    files = ("runs.jsonl", "then.jsonl", "board.in", "board.ans", "own.py")
    in_folder = ("boards/b.in", "boards/b.out", "sets/c.cnf", "sets/c.ans")
    texts = dict.fromkeys([*files, *in_folder], "as it was\n")
    for folder in ("boards", "sets"):
        (tmp_path / folder).mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.jsonl").symlink_to("runs.jsonl")
    (tmp_path / "hard.in").hardlink_to(tmp_path / "board.in")
    names = {each.name for each in tmp_path.iterdir()}
    ended = compare_here(command, status=2)
    assert refused in ended.stderr
    assert {name: (tmp_path / name).read_text() for name in texts} == texts
    assert {each.name for each in tmp_path.iterdir()} == names


def test_a_bundled_file_is_not_written_over() -> None:
    bundled = next(puzzles.get("beams").data.glob("*/*.in"))
    before = bundled.read_bytes()
    with pytest.raises(UserError, match=r"--out .*: the command reads this file"):
        run("beams", expression="sample", backends=["direct"], out=bundled, overwrite=True)
    assert bundled.read_bytes() == before


def test_a_file_of_records_may_lie_among_the_inputs(
    compare_here: CompareHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "a.in").write_text("1\n1 2\n.-\n")
    command = "run beams boards -b direct -q --out boards/runs.jsonl --overwrite"
    for _ in range(2):
        assert compare_here(command).stdout.startswith("ACCEPTED: direct:two-sat; 1 board of 1 ")


def test_generate_equals_the_library() -> None:
    ended = compare("generate beams mirror 9 --seed 4 --cases 3")
    puzzle = puzzles.get("beams")
    assert ended.stdout == puzzle.print_instances(
        [puzzle.families["mirror"].board(9, seed) for seed in (4, 5, 6)]
    )


def test_list_names_what_there_is() -> None:
    printed = compare("list").stdout
    for puzzle in map(puzzles.get, puzzles.names()):
        assert all(name in printed for name in [puzzle.name, *puzzle.formats, *puzzle.families])
    assert "models:cnf-traced" in printed
    assert "cadical153   no             yes" in printed
    assert re.search(r"^cycle +20 ", printed, re.M)
    assert "python-sat" in printed


@pytest.mark.parametrize("text", ["", "x", "1_0", "١", "²", "1.0", "+1", "nan"])
def test_a_whole_number_has_ascii_digits_only(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="must be a whole number, not "):
        at_least_zero(text)


def test_whole_numbers() -> None:
    assert [
        at_least_zero(text) for text in ("0", "007", "123456789012345678", "0" * 5000 + "1")
    ] == [0, 7, 123456789012345678, 1]
    with pytest.raises(ArgumentTypeError, match="must be at least 1, not 0"):
        at_least_one("0")
    for text in ("1" + "0" * 18, "9" * 5000):
        with pytest.raises(ArgumentTypeError, match=f"must be at most {'9' * 18}, not {text[:20]}"):
            at_least_zero(text)
    with pytest.raises(ArgumentTypeError, match="must be at least 0, not -9999"):
        at_least_zero("-" + "9" * 20)


@pytest.mark.parametrize(
    "text", ["inf", "nan", "1e300", "1" + "0" * 5000, "0", "-1", "-inf", "1_0", "١", ""]
)
def test_a_limit_is_a_finite_number(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="must be "):
        positive(text)


def test_an_example_is_shown_if_its_puzzle_and_its_backends_are_here() -> None:
    words = (
        "list",
        "run {beams}",
        "equivalent {beams} {beams:cnf} {beams:cnf-traced}",
        "run {beams} -b {beams:two-sat}",
        "run {beams} -b {beams:gone}",
        "run {gone}",
        "run {gone} -b {gone:cnf}",
    )
    command = Command(group=GROUPS[0], place=1, about="", examples=words)
    assert command.shown_examples() == [
        "list",
        "run beams",
        "equivalent beams cnf cnf-traced",
        "run beams -b two-sat",
    ]


def test_what_a_folder_holds_beside_input_files_is_said(
    compare_here: CompareHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "boards"
    (folder / "folder.in").mkdir(parents=True)
    (folder / "a.in").write_text("1\n1 2\n.-\n")
    os.mkfifo(folder / "pipe.in")
    passed_over = "no input files, passed over: boards/folder.in, boards/pipe.in\n"
    assert compare_here("run beams boards -b direct -q").stderr == passed_over
    (folder / "link.in").symlink_to("nowhere")
    ended = compare_here("run beams boards -b direct -q", status=2)
    assert ended.stderr == passed_over + "boards/link.in: No such file or directory\n"


def test_a_line_to_be_pasted_takes_no_value_for_an_option() -> None:
    words = command(["run", path_word(Path("-s/a.in"))], {"-b": ["-x"], "--program": "-x=a b"})
    assert words == "python -m compare run ./-s/a.in -b=-x '--program=-x=a b'"
    assert path_word(Path("s/-a.in")) == "s/-a.in"


def test_an_input_that_is_tried_again_is_recorded(
    compare_here: CompareHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text("print(1)\n")
    (tmp_path / "two.py").write_text("print(2)\n")
    (tmp_path / "a.in").write_text("1\n")
    compare_here("stress one.py two.py --replay a.in --out runs.jsonl", status=1)
    header, *records = map(json.loads, (tmp_path / "runs.jsonl").read_text().splitlines())
    assert header["planned"] == 2
    assert [each["contender"] for each in records] == ["one", "two"]
