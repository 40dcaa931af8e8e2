"""The families of traces: from every model that asks SAT solvers, the same for the same seed."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import puzzles
from compare.commands.fuzz.batch import Batch, boards_of
from compare.commands.fuzz_formula.formula_check import check_trace
from compare.commands.fuzz_formula.formula_families import (
    ALL_EDGES,
    FORMULA_STYLES,
    LARGE_EDGES,
    OF,
    asking_backends,
    copy_with_changes,
    edge,
    flip_variables,
    in_style,
    of_models,
    rename_variables,
    traces_of,
)
from compare.commands.fuzz_formula.formula_puzzle import PUZZLE, Trace, by_solver
from compare.engine.isolate.outcome import DEFAULT_LIMITS
from puzzles.answer import Verdict
from puzzles.text import UserError
from tests.compare.commands.fuzz_formula.traces import tiny_traces
from tests.places import ROOT
from tests.processes import compare

ENCODINGS = {
    "beams": {"cnf", "cnf-traced"},
    "geography": {"cnf", "cnf-cover"},
    "minesweeper": {"cnf", "cnf-totalizer"},
    "nogo": {"cnf", "cnf-ranked", "cnf-onecall"},
}
"""What asks a SAT solver to search."""

NOT_ASKING = {"cnf-monotone", "cpsat", "lp"}
"""What asks none; nogo's `cnf-monotone` only has it propagate."""

SEEDS = range(1, 24)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_puzzle_gives_traces_and_a_seed_gives_the_same(name: str) -> None:
    family = PUZZLE.families[f"{OF}{name}"]
    traces = [family.board(12, seed) for seed in SEEDS]
    assert traces[:4] == [family.board(12, seed) for seed in SEEDS[:4]]
    assert len(set(traces)) > len(SEEDS) / 2
    assert any(trace.is_formula for trace in traces)
    assert any(not trace.is_formula for trace in traces) == (
        name != "geography"
    )  # its boards of 5x5 need one call


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_of_a_puzzle_is_asked(name: str) -> None:
    boards = [
        board
        for family in puzzles.get(name).families.values()
        for board in [family.board(max(4, family.least), 1)]
    ]
    asked = {
        each.name
        for each in asking_backends(name)
        for board in boards
        if traces_of(each, board, Random(1))
    }
    assert asked >= ENCODINGS[name]
    assert not asked & NOT_ASKING


def test_lazily_added_clauses_stand_between_calls() -> None:
    (backend,) = [each for each in asking_backends("nogo") if each.name == "cnf"]
    boards = [
        family.board(5, seed) for family in puzzles.get("nogo").families.values() for seed in (1, 2)
    ]
    traces = [trace for board in boards for trace in traces_of(backend, board, Random(1))]
    assert any(
        not step.solves and any(before.solves for before in trace.steps[:k])
        for trace in traces
        for k, step in enumerate(trace.steps)
    )


def test_models_of_plugins_give_no_traces() -> None:
    words = "run formula -k of-minesweeper --solver minisat22"
    plugin = ROOT / "examples" / "my_encoding.py"
    assert compare(f"{words} --plugin {plugin}").last_line == compare(words).last_line


def test_nothing_smaller_is_the_trace_itself() -> None:
    for trace in (Trace.formula(0, []), *tiny_traces(40)):
        assert trace not in PUZZLE.space().steps(trace)


def test_a_puzzle_whose_models_ask_no_solver_gives_no_family() -> None:
    with pytest.raises(UserError, match="no model of formula takes a SAT solver"):
        of_models("formula").board(3, 1)


OWN = """
from puzzles.backend import backend
from puzzles.grid import Board, GridSolution, SolutionPuzzle
from models.cnf import Formula
from models.session import session

class Dots(Board):
    puzzle = "dots"
    alphabet = b".#"

class DotsPuzzle(SolutionPuzzle[Dots, GridSolution]):
    name = "dots"
    board_type = Dots
    example = "1\\n1 2\\n.#\\n"

    def broken_rule(self, board, solution, /):
        return ""

@backend("dots", "cnf", side="models", source="a test", options=("solver",))
def solve(board, *, solver="cadical153", certify=False):
    formula = Formula()
    formula.new(board.cells)
    dots = board.grid.ravel() == 46
    formula.clauses = [[cell + 1 if dot else -cell - 1] for cell, dot in enumerate(dots)]
    with session(formula, solver) as opened:
        return GridSolution(opened.solve(), board)

PUZZLE = DotsPuzzle()
"""


def test_the_models_of_a_puzzle_of_ones_own_give_traces_too(tmp_path: Path) -> None:
    (tmp_path / "dots.py").write_text(OWN)
    words = "--solver minisat22 --family of-./dots.py --cases 20 --jobs 1"
    ended = compare(f"fuzz formula {words}", cwd=tmp_path, status=0)
    assert ended.stderr == ""
    assert "models:sat@minisat22: 20 answered" in ended.stdout
    assert "\nfamilies: of-./dots.py\n" in ended.stdout


def test_a_search_begins_with_the_edge_cases_and_a_copy_of_each() -> None:
    batch = Batch(puzzle="formula", contenders=(), seed=1, count=64, size=14, limits=DEFAULT_LIMITS)
    stream = boards_of(batch)
    number = len(ALL_EDGES)
    assert stream[:number] == [*ALL_EDGES]
    assert stream[number : 2 * number] == [
        edge(1, seed) for seed in range(number + 1, 2 * number + 1)
    ]


@pytest.mark.slow
def test_edge_cases_have_long_clauses_a_large_variable_and_many_calls() -> None:
    lengths = {len(step.literals) for trace in ALL_EDGES for step in trace.steps}
    assert {40, 100, 1000} <= lengths
    assert max(trace.variables for trace in ALL_EDGES) == 1_000_000
    assert max(trace.calls for trace in ALL_EDGES) == 12
    for trace in LARGE_EDGES:
        if trace in CHAINS.values():
            continue
        for each in (trace, rename_variables(trace, Random(1)), flip_variables(trace, Random(1))):
            assert each.variables == trace.variables
            replies = by_solver(each, solver="minisat22")
            assert replies.calls[0].verdict is True
            assert check_trace(each, replies).verdict is Verdict.PROVED


CHAINS = {trace.clauses: trace for trace in LARGE_EDGES if len(trace.steps[0].literals) == 1}


@pytest.mark.parametrize("count", [16, 32, 64])
def test_each_clause_of_a_chain_is_needed(count: int) -> None:
    chain = CHAINS[count]
    assert by_solver(chain, solver="minisat22").calls[0].verdict is False
    for k in range(count):
        shorter = Trace(chain.variables, chain.steps[:k] + chain.steps[k + 1 :])
        assert by_solver(shorter, solver="minisat22").calls[0].verdict is True


CUT = """
from pysat.solvers import Minisat22

class Cut:
    def __init__(self):
        self.solver = Minisat22()

    def add_clause(self, literals):
        self.solver.add_clause(literals[:32])

    def solve(self, assumptions=()):
        return self.solver.solve(assumptions=list(assumptions))

    def get_model(self):
        return self.solver.get_model()
"""


def test_a_solver_that_cuts_long_clauses_is_found(tmp_path: Path) -> None:
    (tmp_path / "cut.py").write_text(CUT)
    words = f"fuzz formula --solver cut.py:Cut --family edge --cases {len(ALL_EDGES)} --jobs 1"
    ended = compare(words, "--shrink-seconds", "1", cwd=tmp_path, status=1)
    assert "says UNSATISFIABLE, is SATISFIABLE" in ended.stdout


@pytest.mark.parametrize("style", FORMULA_STYLES)
def test_a_formula_in_a_style_reads_back_and_keeps_the_style_when_it_shrinks(style: str) -> None:
    formulas = [trace for trace in tiny_traces(20) if trace.is_formula and trace.clauses > 1]
    assert len(formulas) > 10
    for trace in formulas:
        styled = in_style(trace, style)
        assert (styled.variables, styled.steps) == (trace.variables, trace.steps)
        assert styled != trace
        assert styled.text() != trace.text()
        assert PUZZLE.parse(styled.written, "x") == [styled]
        plain, *smaller = PUZZLE.space().steps(styled)
        assert plain == trace
        assert all(in_style(each, style) == each for each in smaller)


def test_copies_vary_the_text_of_formulas() -> None:
    trace = Trace.formula(3, [[1, -2], [2, 3], [-1]])
    texts = [copy_with_changes(trace, Random(seed)).written for seed in range(200)]
    assert 60 < sum(not text for text in texts) < 140
    assert any(b"\nc " in text for text in texts)
    assert any(text.count(b"\n") == 1 for text in texts)
    assert any(re.search(rb"\n-?\d+\n", text) for text in texts)


@pytest.mark.parametrize("solver", ["minisat22", "glucose4", "kissat404"])
def test_right_solvers_show_no_fault(solver: str) -> None:
    traces = [
        PUZZLE.any_family(name).board(4, seed)
        for name in ("random", "tiny", "edge")
        for seed in range(20, 30)
    ]
    taken = [trace for trace in traces if trace.is_formula or solver != "kissat404"]
    assert len(taken) > len(traces) / 4
    checks = [check_trace(trace, by_solver(trace, solver=solver, certify=True)) for trace in taken]
    assert [each for each in checks if each.verdict is not Verdict.PROVED] == []
