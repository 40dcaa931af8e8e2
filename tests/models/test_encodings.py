"""Every encoding of `models` against the direct answers on thousands of small boards; formulas written down; other solvers."""

from __future__ import annotations

import itertools
import shutil
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

import direct
import models
import puzzles
from compare.fuzz.trial import boards
from models.cnf import Formula, portfolio, session, solver_name
from models.command import main
from models.dimacs import encode, text
from models.external import SolverFailure
from models.stack import stacks
from puzzles.backend import Unsupported
from puzzles.geography import Geography
from puzzles.grid import Board, grid_of
from puzzles.nogo import NoGo
from puzzles.nogo.board import BLACK, EMPTY, without_liberty
from puzzles.text import UserError
from puzzles.verdict import Verdict

BOARDS = {"cnf-ranked": 300, "cnf-onecall": 300, "cpsat": 60}
"""How many boards each encoding is tried on, where it is not a thousand."""

ENCODINGS = [
    (puzzle, name) for puzzle in puzzles.names() for name, backend in models.backends(puzzle).items() if models.SIDE.owns(backend)
]


@pytest.mark.parametrize(("puzzle", "name"), ENCODINGS)
def test_every_encoding_says_what_the_direct_algorithm_says(puzzle: str, name: str) -> None:
    backend, answered = models.get(puzzle, name), 0
    for index in itertools.count():
        for k, board in enumerate(boards(puzzles.get(puzzle), 5, index, 100, 7)):
            if backend.limit is not None and board.cells > min(backend.limit, 40):
                continue
            try:
                answer = backend.solve(board, certify=k % 25 == 0)
            except Unsupported:
                continue
            expected = direct.solve(board).claims
            assert answer.claims is not None
            assert expected is not None
            assert np.array_equal(answer.claims, expected), f"\n{board}"
            assert k % 25 or puzzles.get(puzzle).check(board, answer).verdict is Verdict.PROVED
            answered += 1
        if answered >= BOARDS.get(name, 1000):
            return


MANY = [(puzzle, name) for puzzle, name in ENCODINGS if models.get(puzzle, name).many is not None]


@pytest.mark.parametrize(("puzzle", "name"), MANY)
def test_boards_together_have_the_answers_that_each_has(puzzle: str, name: str) -> None:
    backend, made = models.get(puzzle, name), boards(puzzles.get(puzzle), 6, 0, 120, 7)
    made = [board for board in made if backend.limit is None or board.cells <= min(backend.limit, 49)]
    together = backend.solve_many(made)
    assert len(together) == len(made)
    for board, answer in zip(made, together, strict=True):
        expected = direct.solve(board).claims
        assert answer.claims is not None
        assert expected is not None
        assert np.array_equal(answer.claims, expected), f"\n{board}"
    assert backend.solve_many([]) == []


def test_a_stack_keeps_its_boards_apart() -> None:
    pile = list(stacks([Geography(grid_of(rows)) for rows in (["...", "..."], ["."], ["...." * 9], ["..", ".."])], ord("#"), 40))
    assert [[board.columns for board in stack.boards] for stack in pile] == [[3, 1], [36], [2]]
    first = pile[0]
    assert first.grid.tobytes() == b"......###.#####"
    cells = np.flatnonzero(first.grid == ord("."))
    assert [own.tolist() for own in first.apart(cells)] == [[0, 1, 2, 3, 4, 5], [0]]
    assert [own.tolist() for own in first.apart(cells[1:2])] == [[1], []]


# The means that encodings share.


def test_a_number_is_below_another_exactly_where_it_is() -> None:
    formula, bits = Formula(), 3
    way = formula.new() + np.arange(1)
    lower, higher = (formula.new(bits) + np.arange(bits).reshape(1, bits) for _ in range(2))
    formula.below(way, lower, higher)
    with session(formula) as opened:
        for a, b in itertools.product(range(8), repeat=2):
            number = [int(v) if a >> k & 1 else -int(v) for k, v in enumerate(lower[0])]
            number += [int(v) if b >> k & 1 else -int(v) for k, v in enumerate(higher[0])]
            assert opened.solve([int(way[0]), *number]) is (a < b)
            assert opened.solve([-int(way[0]), *number])


@pytest.mark.parametrize("solver", ["cadical153", "glucose4", "kissat404", "lingeling"])
def test_a_portfolio_decides(solver: str) -> None:
    formula = Formula()
    formula.new(3)
    formula.extend(np.array([[1, 2], [-1, 2], [-2, 3]]))
    model = portfolio(formula, [[-1, -2, -3], [1, 2, 3]], solver)
    assert model is not None
    assert model[2:].all()
    formula.extend(np.array([[-2, -3]]))
    assert portfolio(formula, [[1], [-1]], solver) is None


def test_a_hard_part_takes_more_than_one_turn_of_the_portfolio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.cnf._FIRST_BUDGET", 1)
    board = puzzles.get("geography").family("walls-05").board(20, 3)
    for other in (board, puzzles.get("geography").family("walls-20").board(24, 5)):
        assert models.solve(other, "cnf-cover") == direct.solve(other)


# Formulas written down.


def satisfiable(formula: str) -> bool:
    with Solver("glucose4", bootstrap_with=CNF(from_string=formula).clauses) as solver:
        return bool(solver.solve())


def expected_of_cell(board: Board, cell: int) -> bool | None:
    """Whether the question about this cell is answered yes, by other means; None where it cannot be asked."""
    answer = direct.solve(board)
    claims = answer.claims
    assert claims is not None
    if isinstance(board, NoGo):
        grid = board.grid.copy()
        if grid.flat[cell] != EMPTY:
            return False
        grid.flat[cell] = BLACK
        return without_liberty(grid).size == 0
    if isinstance(board, Geography):
        return None if board.grid.flat[cell] != ord(".") else bool(claims[cell])
    if board.grid.flat[cell] != ord("#") or (board.in_contest_format and beside_no_clue(board, cell)):
        return None
    return bool(claims[0] and claims[1 + cell] != 0)


def beside_no_clue(board: Board, cell: int) -> bool:
    row, column = divmod(cell, board.columns)
    near = board.grid[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
    return not (((near >= ord("0")) & (near <= ord("8"))) | (near == ord("."))).any()


@pytest.mark.parametrize("puzzle", ["minesweeper", "nogo", "geography"])
def test_a_written_question_about_a_cell_is_decided_alone(puzzle: str) -> None:
    asked = 0
    for board in itertools.chain(*(boards(puzzles.get(puzzle), 6, index, 50, 5) for index in range(2))):
        if board.cells > 16:
            continue
        for cell in range(board.cells):
            expected = expected_of_cell(board, cell)
            place = cell // board.columns + 1, cell % board.columns + 1
            if expected is None:
                with pytest.raises(UserError, match=r"is a wall|is not a covered one"):
                    encode(board, place)
                continue
            assert satisfiable(text(encode(board, place))) is expected, f"{place} of\n{board}"
            asked += 1
    assert asked > 100


@pytest.mark.parametrize("puzzle", puzzles.names())
def test_a_written_formula_is_the_whole_answer(puzzle: str) -> None:
    for board in boards(puzzles.get(puzzle), 7, 0, 60, 4) + boards(puzzles.get(puzzle), 7, 1, 60, 4):
        if board.cells > 16:
            continue
        encoding = encode(board)
        answer = direct.solve(board)
        claims = answer.claims
        assert claims is not None
        with Solver("glucose4", bootstrap_with=CNF(from_string=text(encoding)).clauses) as solver:
            verdict = solver.solve()
            true = {literal for literal in solver.get_model() or [] if literal > 0}
        said = [name for variable, name in encoding.names if variable in true]
        if puzzle in ("beams", "minesweeper"):
            assert verdict is bool(claims[0])
        elif puzzle == "geography":
            places = [f"{cell // board.columns + 1},{cell % board.columns + 1}" for cell in np.flatnonzero(claims).tolist()]
            assert [name.rpartition(" ")[2] for name in said if name.startswith("the first mover loses")] == places
        else:
            places = [
                f"move {k} goes to {c // board.columns + 1},{c % board.columns + 1}" for k, c in enumerate(claims.tolist(), 1)
            ]
            assert [name for name in said if name.startswith("move")] == places


def test_names_of_beams() -> None:
    encoding = encode(puzzles.get("beams").parse("1\n2 3\n|#.\n./.\n", "<text>")[0])
    lines = text(encoding).splitlines()
    assert lines[0] == "c satisfiable if and only if the turrets can be turned so that every open cell is lit"
    assert "c 1 the turret at 1,1 is horizontal" in lines
    assert "c 3 a beam enters 1,1 going south" in lines
    assert "c 15 a beam enters 2,2 going south" in lines
    assert lines[len(encoding.names) + 1] == f"p cnf 21 {len(encoding.formula.clauses)}"
    assert len(encoding.names) == 21


def test_formulas_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, out = tmp_path / "boards.in", tmp_path / "out.cnf"
    given.write_text(puzzles.get("beams").example)
    assert main(["beams", str(given), "--dimacs", str(out), "--case", "2"]) == 0
    assert satisfiable(out.read_text())
    assert main(["beams", str(given), "--dimacs", "-", "--case", "1"]) == 0
    assert not satisfiable(capsys.readouterr().out)
    for arguments, words in (
        (["--dimacs", str(out)], "boards: say which with --case"),
        (["--dimacs", str(out), "--case", "99"], "boards, not 99"),
        (["--dimacs", str(out), "--case", "1", "--cell", "1,1"], "nothing about a single cell"),
        (["--dimacs", str(out), "--case", "1", "--cell", "99,1"], "the cell 99,1 is not on the"),
        (["--dimacs", str(tmp_path / "no" / "folder"), "--case", "1"], "No such file"),
    ):
        assert main(["beams", str(given), *arguments]) == 2
        assert words in capsys.readouterr().err
    for arguments in (["--case", "1"], ["--dimacs", "-", "--json"], ["--dimacs", "-", "--cell", "x"]):
        with pytest.raises(SystemExit):
            main(["beams", str(given), *arguments])
    given.write_text("20\n" + ("." * 20 + "\n") * 20)
    assert main(["nogo", str(given), "--dimacs", "-"]) == 3
    assert "up to 200 cells" in capsys.readouterr().err


# Solvers that are programs.

PROGRAMS = {"cadical": "cadical -q {cnf}", "minisat": "minisat {cnf} {out}", "kissat": "kissat -q {cnf}"}


@pytest.fixture(params=list(PROGRAMS))
def program(request: pytest.FixtureRequest) -> str:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return PROGRAMS[request.param]


def test_real_programs_solve_every_puzzle(program: str) -> None:
    assert solver_name(program) == program
    for puzzle in map(puzzles.get, puzzles.names()):
        for board in puzzle.parse(puzzle.example, "<example>"):
            for backend in models.backends(puzzle.name).values():
                if "solver" in backend.options:
                    answer = backend.solve(board, solver=program, certify=True)
                    assert puzzle.check(board, answer).verdict is Verdict.PROVED, backend.label


def test_real_programs_from_the_command_line(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = tmp_path / "board.in"
    given.write_text(puzzles.get("geography").example)
    assert main(["geography", str(given), "--solver-command", program]) == 0
    assert capsys.readouterr().out == direct.solve_text("geography", given.read_text())


@pytest.fixture
def fake(tmp_path: Path) -> tuple[Path, str]:
    script = tmp_path / "solver"
    script.write_text("")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script, f"{script} {{cnf}}"


def says(script: Path, printed: str, status: int, complaint: str = "") -> None:
    script.write_text(
        f"#!{sys.executable}\nimport sys\nprint({printed!r})\nprint({complaint!r}, file=sys.stderr)\nsys.exit({status})\n"
    )


@pytest.mark.parametrize(
    ("printed", "status", "words"),
    [
        ("s SATISFIABLE\nv 1 2 0", 10, None),
        ("c a comment\ns SATISFIABLE\nv 1\nv 2 0", 0, None),
        ("v 1 2 0", 10, None),
        ("s SATISFIABLE\nv -1 2 0", 10, "does not satisfy the clause [1, -2]"),
        ("s SATISFIABLE", 10, "does not satisfy the clause"),
        ("s SATISFIABLE\nv 1 -1 2 0", 10, "contradicts itself"),
        ("s SATISFIABLE\nv 1 2 3 0", 10, "leaves the formula"),
        ("s SATISFIABLE\nv one 0", 10, "no list of numbers"),
        ("s SATISFIABLE\nv 1 2 0", 20, "gave no verdict: exit status 20, s SATISFIABLE"),
        ("s SATISFIABLE\nv 1 2 0", 1, "gave no verdict: exit status 1"),
        ("s UNKNOWN", 0, "gave no verdict: exit status 0, s UNKNOWN"),
        ("s UNKNOWN", 10, "gave no verdict"),
        ("", 0, "gave no verdict: exit status 0, no s line: so sorry"),
        ("s UNSATISFIABLE", 20, None),
        ("", 20, None),
    ],
)
def test_what_a_program_says_is_not_taken_on_trust(fake: tuple[Path, str], printed: str, status: int, words: str | None) -> None:
    script, command = fake
    says(script, printed, status, "so sorry")
    formula = Formula()
    formula.new(2)
    formula.extend(np.array([[1, -2], [1, 2]]))
    formula.add(2)
    with session(formula, command) as opened:
        if words is not None:
            with pytest.raises(SolverFailure) as refused:
                opened.solve()
            assert words in str(refused.value)
        elif status == 20:
            assert not opened.solve()
        else:
            assert opened.solve()
            assert opened.model().tolist() == [False, True, True]


def test_an_assumption_binds_a_program_too(fake: tuple[Path, str]) -> None:
    script, command = fake
    says(script, "s SATISFIABLE\nv 1 0", 10)
    formula = Formula()
    formula.new(2)
    with session(formula, command) as opened:
        assert opened.solve([1])
        with pytest.raises(SolverFailure, match="does not satisfy"):
            opened.solve([-1])
        with pytest.raises(SolverFailure, match="does not satisfy"):
            opened.solve([2])


def test_commands_that_are_none() -> None:
    for command, words in (
        ("nosuch-solver {cnf}", "no executable 'nosuch-solver'"),
        ("'{cnf}", "cannot be read"),
        ("cat {cnf", "cat"),
    ):
        with pytest.raises(UserError, match=words):
            solver_name(command)


def test_the_tiniest_boards() -> None:
    for lines in (["."], ["#"], [".", "."], ["#."]):
        board = Geography(grid_of(lines))
        for name in ("cnf-cover", "lp"):
            assert models.solve(board, name) == direct.solve(board)
    for lines in (["."], ["X."], [".."], ["XO", ".."]):
        board = NoGo(grid_of(lines))
        for name in ("cnf-ranked", "cnf-monotone", "cnf-onecall"):
            assert models.solve(board, name) == direct.solve(board)
