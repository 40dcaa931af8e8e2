"""The command `compare equivalent`: our own models, numbers of solutions, models of one's own,
misuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from pathlib import Path

import numpy as np
import pytest

import puzzles
from compare.commands.equivalent.boards_compared import small_boards
from models.beams.geometry import is_turret, turn_turrets
from puzzles.answer import Verdict
from puzzles.beams import Beams, Layout
from puzzles.minesweeper import Minesweeper
from tests.installed import slow
from tests.processes import CompareHere, compare


def more(puzzle: str, other: str, boards: int = 5000) -> object:
    """A case of `test_our_models_are_the_same` on more boards, for the slow tests."""
    return slow(puzzle, "cnf", other, boards, "the same ")


@pytest.mark.parametrize(
    ("puzzle", "one", "other", "boards", "same"),
    [
        ("beams", "cnf", "cnf-traced", 80, "the same on all boards of up to 2 cells (78 boards, "),
        (
            "minesweeper",
            "cnf",
            "cnf-totalizer",
            900,
            "the same on all boards of up to 2 cells (808 boards, ",
        ),
        ("nogo", "cnf", "cnf-ranked", 100, "the same up to 2x2 (58 boards, "),
        (
            "geography",
            "cnf",
            "cnf-cover",
            80,
            "the same on all boards of up to 4 cells (74 boards, ",
        ),
        ("beams", "cnf", "cpsat", 80, "the same on all boards of up to 2 cells (78 boards, "),
        (
            "minesweeper",
            "cnf-totalizer",
            "cpsat",
            30,
            "the same on all boards of up to 1 cell (28 boards, ",
        ),
        ("nogo", "cnf-ranked", "cpsat", 90, "the same up to 2x2 (58 boards, "),
        (
            "geography",
            "cpsat",
            "cnf-cover",
            80,
            "the optimal solutions of models:cpsat are the solutions of models:cnf-cover on all "
            "boards of up to 4 cells (74 boards, ",
        ),
        more("beams", "cnf-traced"),
        more("minesweeper", "cnf-totalizer", 12_000),
        more("geography", "cnf-cover"),
    ],
)
def test_our_models_are_the_same(puzzle: str, one: str, other: str, boards: int, same: str) -> None:
    words = f"{puzzle} {one} {other} --boards {boards} --cases 10 --largest 4"
    ended = compare(f"equivalent {words}", status=0)
    assert ended.stdout.startswith(f"ALL AGREE: {same}")


def beams_brute_force(board: Beams) -> int:
    """The ways to turn the turrets that the check proves."""
    ways = product((False, True), repeat=int(is_turret(board.grid).sum()))
    layouts = [Layout(True, turn_turrets(board, np.array(each, np.bool_))) for each in ways]
    return sum(
        puzzles.get("beams").check(board, each).verdict is Verdict.PROVED for each in layouts
    )


def minesweeper_brute_force(board: Minesweeper) -> int:
    """The layouts that fit all clues and the number of mines, where those are one that are alike
    beside clues and, with such a number, on the first of the other covered cells.
    """
    kinds, width = "".join(board.lines()), board.columns
    near = {
        cell: [
            k
            for k in range(board.cells)
            if max(abs(k // width - cell // width), abs(k % width - cell % width)) == 1
        ]
        for cell, kind in enumerate(kinds)
        if kind in ".012345678"
    }
    covered = {k for k, kind in enumerate(kinds) if kind == "#"}
    named = covered & {*chain(*near.values())}
    if board.mines is not None:
        named.update(sorted(covered - named)[:1])
    layouts: set[frozenset[int]] = set()
    for number in range(len(covered) + 1):
        for chosen in combinations(sorted(covered), number):
            mines = {*chosen} | {k for k, kind in enumerate(kinds) if kind == "X"}
            if board.mines in (None, len(mines)) and all(
                len(mines & set(cells)) == int(kinds[cell].replace(".", "0"))
                for cell, cells in near.items()
            ):
                layouts.add(frozenset(named & mines))
    return len(layouts)


def counted(puzzle: str, most: int) -> Iterator[tuple[str, int]]:
    """For each size the solutions of all boards, by brute force."""
    sizes: dict[str, int] = {}
    for board in small_boards(puzzles.get(puzzle), None, most):
        number = beams_brute_force(board) if isinstance(board, Beams) else 0
        number += minesweeper_brute_force(board) if isinstance(board, Minesweeper) else 0
        sizes[board.shown_size] = sizes.get(board.shown_size, 0) + number
    yield from sizes.items()


@pytest.mark.parametrize(
    ("puzzle", "other", "most"),
    [
        ("beams", "cnf-traced", 600),
        ("minesweeper", "cnf-totalizer", 900),
        slow("beams", "cnf-traced", 5000),
        slow("minesweeper", "cnf-totalizer", 12_000),
    ],
)
def test_numbers_of_solutions_are_those_of_brute_force(
    puzzle: str, other: str, most: int, compare_here: CompareHere
) -> None:
    words = f"{puzzle} cnf {other} --count --boards {most} --cases 0"
    printed = compare_here(f"equivalent {words}").stdout
    rows = [
        line.replace(",", "").split()
        for line in printed.splitlines()
        if line.startswith("all boards")
    ]
    assert [(row[2], int(row[4]), int(row[5])) for row in rows] == [
        (size, n, n) for size, n in counted(puzzle, most)
    ]
    assert printed.splitlines()[-1].startswith(
        "ALL AGREE: the same numbers on all boards of up to "
    )


@pytest.mark.slow
def test_what_is_not_compared_is_said(compare_here: CompareHere) -> None:
    nogo = "equivalent nogo cnf cnf-ranked --boards 10 --solutions 1 --cases"
    printed = compare_here(f"{nogo} 30").stdout
    assert "boards only the first 1 solution were compared (--solutions)" in printed
    assert "boards, all cuts of models:cnf are written for boards up to 16 cells" in printed
    compare_here(f"{nogo} 4 --strict", status=3)
    beams = "equivalent beams cnf cnf-traced --size 2 --cases 0 --boards"
    printed = compare_here(f"{beams} 100").stdout
    assert "ALL AGREE: the same on all boards of up to 3 cells within 2x2 (78 boards, " in printed
    assert "not compared: larger boards up to 2x2, which are too many (--boards)" in printed
    assert compare_here(f"{beams} 2000").stdout.startswith("ALL AGREE: the same up to 2x2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("beams cnf cnf-x", "unknown beams backend 'cnf-x'"),
        (
            "beams direct cnf",
            "direct:two-sat has no encoding that could be written down; those of beams that "
            "have: cnf, ",
        ),
        ("geography lp cnf", "models:lp has no encoding that could be written down"),
        (
            "nogo cnf cnf-onecall --size 2",
            "models:cnf-onecall has 3: 'black at 1,1 in the last position'",
        ),
        (
            "beams cnf cnf-traced --boards 3",
            "--boards 3 are fewer than the boards of one cell",
        ),
    ],
)
def test_misuse(words: str, message: str, compare_here: CompareHere) -> None:
    assert message in compare_here(f"equivalent {words}", status=2).stderr


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "return 1 / 0",
            "mine.py:6: models:mine: encode raised ZeroDivisionError: division by zero: mend that",
        ),
        (
            "return 1, [[2]], {}",
            "models:mine: encode returned a literal of clause 1 as 2: expected 1 to 1, or -1 to -1",
        ),
        ("import os; os.abort()", "CRASH: models:mine: encode: killed by SIGABRT"),
    ],
)
def test_a_wrong_encode_is_a_sentence_and_its_board(
    body: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "from puzzles.backend import backend\n"
        "from puzzles.beams import Layout\n"
        "\n"
        "\n"
        "def encode(board):\n"
        f"    {body}\n"
        "\n"
        "\n"
        "@backend('beams', 'mine', side='models', source='mine', encode=encode)\n"
        "def solve(board, *, certify=False):\n"
        "    return Layout(False)\n"
    )
    ended = compare("equivalent beams cnf mine --plugin mine.py --boards 6", cwd=tmp_path, status=2)
    assert ended.stderr.startswith(message)
    assert "\non this board (1x1):\n" in ended.stderr
    assert ended.stdout == ""


CP_SAT = """
from ortools.sat.python import cp_model

from models.cpsat import CpSatEncoding
from puzzles.backend import backend
from puzzles.geography import Losing


def most_edges(board):
    model = cp_model.CpModel()
    lines = board.lines()
    cells = [(r, c) for r, line in enumerate(lines) for c, kind in enumerate(line) if kind == "."]
    pairs = [(p, q) for p in cells for q in ((p[0], p[1] + 1), (p[0] + 1, p[1])) if q in cells]
    edge = {pair: model.new_bool_var("") for pair in pairs}
    for cell in cells:
        model.add_at_most_one(edge[pair] for pair in pairs if cell in pair)
    model.maximize(sum(edge.values()))
    place = lambda cell: f"{cell[0] + 1},{cell[1] + 1}"
    names = [(edge[p, q], f"{place(p)} is matched to {place(q)}") for p, q in pairs]
    return CpSatEncoding(model, names)


def any_matching(board):
    encoding = most_edges(board)
    encoding.cp.clear_objective()
    return encoding


def number(board):
    model = cp_model.CpModel()
    return CpSatEncoding(model, [(model.new_int_var(0, 5, ""), "the first mover loses from 1,1")])


def halves(board):
    encoding = most_edges(board)
    if encoding.names:
        encoding.cp.maximize(0.5 * sum(variable for variable, _ in encoding.names))
    return encoding


def interval(board):
    model = cp_model.CpModel()
    return CpSatEncoding(model, [(model.new_fixed_size_interval_var(0, 1, ""), "a job")])


def held(board):
    "The same with all that changes no solution: hints, an interval, an integer variable."
    model, names = most_edges(board)
    start = model.new_int_var(0, 5, "")
    model.new_interval_var(start, 2, start + 2, "")
    for variable, _ in names:
        model.add_hint(variable, 1)
    return CpSatEncoding(model, names)


def negated(board):
    model, names = most_edges(board)
    opposite = [model.new_bool_var("") for _ in names]
    for variable, (edge, _) in zip(opposite, names):
        model.add(variable != edge)
    return CpSatEncoding(model, [(~o, name) for o, (_, name) in zip(opposite, names)])


def assumed(board):
    model, names = any_matching(board)
    model.add_assumptions([~variable for variable, _ in names[:1]])
    return CpSatEncoding(model, names)


def stated(board):
    model, names = any_matching(board)
    for variable, _ in names[:1]:
        model.add(variable == 0)
    return CpSatEncoding(model, names)


def damaged(board):
    class Strange:
        proto = "variables {"

    return CpSatEncoding(Strange(), [])


def register(name, stated):
    @backend("geography", name, side="models", source="mine", slow=True, encode=stated)
    def solve(board, *, certify=False):
        return Losing(board, [])


for each in (
    most_edges, any_matching, number, damaged, halves, interval, held, negated, assumed, stated
):
    register(each.__name__, each)
"""


BEST_OF = (
    "ALL AGREE: the optimal solutions of models:{} are the solutions of models:cnf on all boards "
    "of up to 4 cells (74 boards, "
)


@pytest.mark.parametrize(
    ("models", "status", "printed"),
    [
        ("cnf most_edges", 0, BEST_OF.format("most_edges")),
        slow("cnf held", 0, BEST_OF.format("held")),
        slow("cnf negated", 0, BEST_OF.format("negated")),
        slow("assumed stated", 0, "the same on all boards of up to 4 cells (74 boards, "),
        slow("assumed any_matching", 1, "models:any_matching admits what models:assumed refuses"),
        slow(
            "cnf any_matching",
            1,
            "DIFFERENT on this board (1x2), and on no smaller one: models:any_matching admits "
            "what models:cnf ",
        ),
        slow(
            "cnf number",
            1,
            "models:number admits:\n  the first mover loses from 1,1 = ",
        ),
        slow(
            "cnf halves",
            2,
            "models:halves: the objective of the CP-SAT model has factors that are no whole "
            "numbers, and CP-SAT rounds them: multiply it until they are\non this board (",
        ),
        slow(
            "cnf interval",
            2,
            "models:interval: encode returned a CpSatEncoding that cannot be read: 'a job' names "
            "an interval, and not a variable\non this board (1x1):\n.\n",
        ),
        slow(
            "cnf damaged",
            2,
            "models:damaged: ortools refuses the CP-SAT model: its text cannot be read\non this "
            "board (1x1):\n.\n",
        ),
    ],
)
def test_a_cp_sat_model_of_a_plugin(models: str, status: int, printed: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CP_SAT)
    words = f"geography {models} --plugin mine.py --boards 80 --cases 0"
    ended = compare(f"equivalent {words}", cwd=tmp_path, status=status)
    assert printed in ended.stdout + ended.stderr


@pytest.mark.slow
def test_an_encode_that_does_not_end_is_stopped_and_said(tmp_path: Path) -> None:
    code = OWN.replace(
        "def encode(board):\n", "def encode(board):\n    while board.lines() == ['##']: pass\n"
    )
    (tmp_path / "dots.py").write_text(code)
    line = "equivalent ./dots.py first twice --boards 10 --cases 0 --timeout 3"
    ended = compare(line, cwd=tmp_path, status=0)
    extent = "on all boards of up to 2 cells (9 boards, 25 solutions)"
    reason = "not compared: 1 board, TIMEOUT: models:first: encode: stopped at 3 s\n"
    assert ended.stdout == f"ALL AGREE: the same {extent}; {reason}"
    compare(line, "--strict", cwd=tmp_path, status=3)


DOTS = '''"""Numbers in a row, some of them crossed out."""
from puzzles.backend import backend
from puzzles.grid import Board, GridSolution, SolutionPuzzle


class Row(Board):
    puzzle = "dots"
    alphabet = b".#"


class Dots(SolutionPuzzle):
    name = "dots"
    board_type = Row

    def broken_rule(self, board, solution):
        return ""


PUZZLE = Dots()
'''
"""How the file of a puzzle begins that has no rule."""

OWN = (
    DOTS
    + """

def encode(board):
    names = {k: f"dot {k}" for k in range(1, board.cells + 1)}
    return board.cells, [[-a, -a - 1] for a in range(1, board.cells)], names


def twice(board):
    variables, clauses, names = encode(board)
    return variables + 1, clauses + [[variables + 1, 1]], names


def fewer(board):
    return board.cells, [*encode(board)[1], [-1]], encode(board)[2]


def never(board):
    return board.cells, [[1], [-1]], encode(board)[2]


def nowhere(board):
    return board.cells, [[-1], [1], [1, -1]], encode(board)[2]


def register(name, stated):
    @backend("dots", name, side="models", source="mine", encode=stated)
    def solve(board, *, certify=False):
        return GridSolution(True, board)


def hidden(board):
    return board.cells + 1, [[board.cells + 1], [-board.cells - 1, -1]], encode(board)[2]


def wide(board, first=1):
    clauses = [[first], *([-k] for k in range(2, 13))]
    return 12, clauses, {k: f"name {k}" for k in range(1, 13)}


register("hidden", hidden)
register("wide", wide)
register("none", lambda board: wide(board, -1))
register("first", encode)
register("twice", twice)
register("fewer", fewer)
register("never", never)
register("nowhere", nowhere)
"""
)


@pytest.mark.parametrize(
    ("models", "lines"),
    [
        (
            "first hidden",
            """
models:first admits:
  dot 1
models:hidden refuses all of this together
by these clauses of models:hidden:
  not: auxiliary variable 2 or not: dot 1
  auxiliary variable 2
""",
        ),
        (
            "wide none",
            """
models:wide admits:
  name 1
  not: name 2
  not: name 3
  not: name 4
  not: name 5
  not: name 6
  not: name 7
  not: name 8
  and not: any of the 4 other shared names
models:none refuses already:
  name 1
by these clauses of models:none:
  not: name 1
""",
        ),
    ],
)
def test_what_a_model_refuses_is_said_in_full(models: str, lines: str, tmp_path: Path) -> None:
    """Names that are false and not listed, a solution that is refused as a whole, and variables
    without a name.
    """
    (tmp_path / "dots.py").write_text(OWN)
    printed = compare(f"equivalent ./dots.py {models} --boards 2", cwd=tmp_path, status=1).stdout
    # a core is a set: the order of its clauses says nothing
    assert sorted(lines.splitlines()) == sorted(["", *printed.splitlines()[4:-1]])


@pytest.mark.slow
def test_models_of_an_own_puzzle(tmp_path: Path) -> None:
    (tmp_path / "dots.py").write_text(OWN)
    same = compare("equivalent ./dots.py first twice --size 2", cwd=tmp_path, status=0)
    assert same.stdout.split(" (")[0] == "ALL AGREE: the same up to 2x2", same.stderr
    other = compare("equivalent ./dots.py first fewer --size 2", cwd=tmp_path, status=1)
    assert other.stdout.startswith(
        "DIFFERENT on this board (1x1), and on no smaller one: models:first admits what "
        "models:fewer refuses"
    )
    assert "by these clauses of models:fewer:\n  not: dot 1\n" in other.stdout


@pytest.mark.parametrize("count", ["", "--count"])
def test_models_without_solutions_are_not_called_the_same(count: str, tmp_path: Path) -> None:
    (tmp_path / "dots.py").write_text(OWN)
    words = f"./dots.py never nowhere --boards 10 --cases 3 {count}"
    ended = compare(f"equivalent {words}", cwd=tmp_path, status=3)
    last = ended.last_line
    assert last.startswith("NOTHING COMPARED: neither model has a solution on 14 boards, ")
