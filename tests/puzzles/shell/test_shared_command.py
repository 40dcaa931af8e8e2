"""The command lines: what they say equals the library, options stand anywhere, mistakes are said
with their place.
"""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path

import pytest

import puzzles
from compare.command_line import main as compare
from compare.engine.work.contenders import SIDES
from models.command import main as models
from puzzles.shell.shared_command import main
from tests.processes import run_module, start_module

TAKING_SOLVERS = [
    each.name for each in SIDES["models"].backends("beams").values() if "solver" in each.options
]

CASES = [(side, puzzle) for side in SIDES for puzzle in puzzles.names()]


@pytest.mark.parametrize(("side", "puzzle"), CASES)
def test_the_command_line_equals_the_library(
    side: str, puzzle: str, capsys: pytest.CaptureFixture[str]
) -> None:
    known = puzzles.get(puzzle)
    path = next(iter(sorted(known.data.glob("*/*.in"))))
    for backend, format in product(SIDES[side].backends(puzzle), known.formats):
        words = [puzzle, str(path), "--backend", backend, "--answer-format", format]
        assert main(SIDES[side], words) == 0
        expected = SIDES[side].solve_text(puzzle, path.read_bytes(), backend=backend, format=format)
        assert capsys.readouterr().out == expected


@pytest.mark.parametrize("side", list(SIDES))
def test_standard_input_and_json(side: str) -> None:
    text = puzzles.get("beams").example
    assert run_module(side, "beams", text=text).stdout == SIDES[side].solve_text("beams", text)
    printed = run_module(side, "beams", "--json", text=text).stdout
    assert list(map(json.loads, printed.splitlines())) == [
        {"case": 1, "possible": False, "board": None},
        {"case": 2, "possible": True, "board": ["#.##", "#||#", "####"]},
    ]


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        ("beams", "1\n1 2\n.x\n", "<stdin>:3:2: 'x' is not one of"),
        ("beams", "", "<stdin>:1:1: the text is empty"),
        ("beams nowhere", "", "nowhere: No such file or directory"),
        ("beams /", "", "/: Is a directory"),
        ("chess", "", "unknown puzzle 'chess': choose from beams"),
        ("beams --backend magic", "", "backend for beams 'magic': choose from"),
        (
            "beams --answer-format magic",
            "",
            "unknown beams format 'magic': choose from codejam, luogu",
        ),
    ],
)
@pytest.mark.parametrize("side", list(SIDES))
def test_mistakes_are_said_on_stderr_alone(side: str, line: str, text: str, words: str) -> None:
    ended = run_module(side, *line.split(), text=text)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("--solver minisat22", 0, ""),
        ("--solver magic", 2, "unknown solver 'magic': choose from cadical103, "),
        (
            "--backend cpsat --solver minisat22",
            2,
            "models:cpsat has no option 'solver': it takes workers; choose the backend "
            f"{' or '.join(TAKING_SOLVERS)} for it",
        ),
    ],
)
def test_solvers(line: str, status: int, words: str) -> None:
    ended = run_module("models", "beams", *line.split(), text=puzzles.get("beams").example)
    assert (ended.returncode, words in ended.stderr, ended.stdout == "") == (
        status,
        True,
        status > 0,
    )


@pytest.mark.parametrize("side", list(SIDES))
def test_a_picture_is_not_drawn_over_the_board(side: str, tmp_path: Path) -> None:
    (tmp_path / "board.in").write_text("1\n1 1\n.\n")
    ended = run_module(side, "beams", "board.in", "--svg", "./board.in", cwd=tmp_path)
    refused = "--svg ./board.in: the command reads this file (board.in): name another one\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", refused)


@pytest.mark.parametrize("side", list(SIDES))
def test_pictures_are_drawn_one_a_case(side: str, tmp_path: Path) -> None:
    puzzle = puzzles.get("beams")
    boards = puzzle.parse(puzzle.example, "<example>")
    plain = run_module(side, "beams", text=puzzle.example).stdout
    drawn = run_module(side, "beams", "--svg", str(tmp_path / "x.svg"), text=puzzle.example)
    assert (drawn.returncode, drawn.stdout) == (0, plain)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x-1.svg", "x-2.svg"]
    for case, board in enumerate(boards, 1):
        answer = SIDES[side].solve(board, certify=True)
        assert (tmp_path / f"x-{case}.svg").read_text() == puzzle.picture(board, answer)
        assert puzzle.picture(board, answer) != puzzle.picture(board)
    run_module(
        side, "beams", "--svg", str(tmp_path / "one.svg"), text=puzzle.print_instances(boards[:1])
    )
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "x-1.svg").read_text()
    ended = run_module(
        side, "beams", "--svg", str(tmp_path / "none" / "x.svg"), text=puzzle.example
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "x-1.svg: No such file or directory" in ended.stderr


@pytest.mark.parametrize("side", list(SIDES))
def test_options_stand_before_between_and_after(
    side: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, option = tmp_path / "boards.in", ["--answer-format", "luogu"]
    path.write_text(puzzles.get("beams").example)
    begin = models if side == "models" else partial(main, SIDES[side])
    for words in (
        [*option, "beams", str(path)],
        ["beams", *option, str(path)],
        ["beams", str(path), *option],
    ):
        assert begin(words) == 0, words
        assert capsys.readouterr().out == SIDES[side].solve_text(
            "beams", path.read_bytes(), format="luogu"
        )


@pytest.mark.parametrize(
    "line",
    [
        "run beams -b direct BOARDS --no-check",
        "run -b direct beams --no-check BOARDS",
        "run beams BOARDS -b direct BOARDS",
        "run --size 5 --show recall minesweeper --family d16 --cases 1",
        "prove --size 2 nogo-permanence -q beams-forced",
        "run --timeout 5 --family mirror --seed 2 --size 4 5 -b direct beams",
        "generate --seed 2 beams --cases 2 mirror 4",
        "check beams --answer-format luogu BOARDS OUTPUT",
        "-q -k 'beams and sample and direct'",
    ],
)
def test_the_subcommands_take_options_anywhere(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    puzzle = puzzles.get("beams")
    (board, *_) = puzzle.parse(puzzle.example, "<example>")
    files = {"BOARDS": tmp_path / "boards.in", "OUTPUT": tmp_path / "printed.out"}
    files["BOARDS"].write_text(puzzle.print_instances([board]))
    files["OUTPUT"].write_text(puzzle.print_answers([SIDES["direct"].solve(board)], "luogu"))
    assert compare([str(files.get(word, word)) for word in shlex.split(line)]) == 0
    printed = capsys.readouterr()
    assert printed.out
    assert "error" not in printed.err


@pytest.mark.parametrize("word", ["--bogus", "--bogus=1"])
def test_an_unknown_option_is_met_with_the_help_of_its_subcommand(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        compare(["check", "beams", word, "a", "b"])
    assert capsys.readouterr().err == (
        f"python -m compare check: unrecognized arguments: {word}; `python -m compare check "
        "--help` lists what there is\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["direct", "beams"],
        pytest.param(["models", "beams"], marks=pytest.mark.slow),
        pytest.param(["direct.two_sat"], marks=pytest.mark.slow),
        ["compare", "generate", "beams", "mirror", "300"],
        ["compare", "-q", "-k", "beams and sample and two-sat"],
    ],
    ids=" ".join,
)
def test_output_that_cannot_be_written_is_a_message(words: list[str]) -> None:
    text = "p cnf 1 1\n1 0\n" if words == ["direct.two_sat"] else puzzles.get("beams").example
    with Path("/dev/full").open("wb") as full:
        ended = run_module(*words, text=text, stdout=full)
    message = "the output cannot be written: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, message)


@pytest.mark.parametrize("line", ["direct beams", "compare generate beams mirror 300"])
def test_a_reader_that_has_gone_is_no_mistake(line: str) -> None:
    with start_module(*line.split(), stdin=subprocess.PIPE) as started:
        assert started.stdout is not None
        started.stdout.close()
        started.stdout = None
        assert started.communicate(puzzles.get("beams").example)[1] == ""
    assert started.returncode == 0


def test_interrupted_while_reading() -> None:
    code = (
        "import sys, direct.two_sat as solver\n"
        "print('reading', file=sys.stderr, flush=True)\nsys.exit(solver.main([]))\n"
    )
    words = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as started:
        assert started.stderr is not None
        assert started.stderr.readline() == "reading\n"
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(0.3)
        started.send_signal(signal.SIGINT)
        assert started.stderr.read() == "interrupted\n"
        assert started.wait() == 130
