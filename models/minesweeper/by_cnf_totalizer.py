"""Minesweeper as clauses: each clue as a totalizer, unary counters that are merged two by two, or
in another of python-sat's cardinality encodings. python-sat makes one for each kind of clue.
"""

from __future__ import annotations

from functools import partial

from models.cnf import Formula
from models.dimacs import Encoding
from models.minesweeper.backbone import solve_by_backbone
from models.minesweeper.clues import Clues, add_total, encode_clues, impossible_clue, name_mines
from models.solvers.solver_names import DEFAULT_SOLVER, called_once
from puzzles.backend import backend
from puzzles.minesweeper.board import Deduction, Minesweeper

CARDS = ("totalizer", "mtotalizer", "kmtotalizer", "seqcounter", "sortnetwrk", "cardnetwrk")
"""The encodings of python-sat that count up to any number."""


def encode(board: Minesweeper, cell: int | None = None, *, card: str = CARDS[0]) -> Encoding:
    """The formula, with the number of mines if the board gives it. With `cell`: that the cell is a
    mine as well.

    Raises:
        UserError: the cell is not covered, or it touches no clue and the number of mines is not
            given.
    """
    return encode_clues(board, cell, partial(counters_of, card=card))


@backend(
    "minesweeper",
    "cnf-totalizer",
    side="models",
    quick=400,
    source="exactly n of k by python-sat's totalizers; the backbone on one incremental solver",
    assumes="python-sat's totalizers",
    options={"card": CARDS, "solver": ()},
    refuses=called_once,
    encode=encode,
)
def solve(
    board: Minesweeper,
    *,
    certify: bool = False,
    card: str = CARDS[0],
    solver: str = DEFAULT_SOLVER,
) -> Deduction:
    """A variable for each covered cell says whether it is a mine. Counters state each clue, where
    `cnf` states subsets. One SAT solver then asks of each cell whether its other value is possible.

    Cores are found with subsets nevertheless.

    Raises:
        Unsupported: the solver can be called only once.
    """
    build = partial(counters_of, card=card)
    return solve_by_backbone(board, build, solver).to_deduction(certify, solver)


def counters_of(clues: Clues, card: str) -> Formula:
    """Each clue as "exactly n of k variables are true", with counters of its own, in the encoding
    of this name.

    Source: O. Bailleux, Y. Boufkhad, "Efficient CNF encoding of Boolean cardinality constraints",
    CP 2003.
    """
    from pysat.card import CardEnc, EncType

    formula, encoding = Formula(), getattr(EncType, card)
    name_mines(formula, clues)
    beside = clues.beside.tolist()
    met: set[int] = set()  # the literals that clues force by themselves
    for (need, count), alike in clues.by_kind():
        if not 0 <= need <= count:
            rule, contradiction = impossible_clue(formula, need, count)
            formula.rule(rule)
            formula.extend_valid(contradiction)
            continue
        formula.rule(f"clues with {count} covered cells: {need} of them are mines")
        distinct = dict.fromkeys(tuple(beside[k][8 - count :]) for k in alike)
        if need in (0, count):
            forced = {variable if need else -variable for each in distinct for variable in each}
            formula.extend_valid([[literal] for literal in sorted(forced - met)])
            met |= forced
            continue
        pattern = CardEnc.equals(list(range(1, count + 1)), need, top_id=count, encoding=encoding)
        counters, first = max(0, pattern.nv - count), formula.variables + 1
        for variables in distinct:
            own = formula.new(counters)
            numbers = [*variables, *range(own, own + counters)]
            # The literal k of the pattern stands at k, and -k at the k-th place from the end.
            literals = [0, *numbers, *(-number for number in reversed(numbers))]
            clauses = [[literals[literal] for literal in clause] for clause in pattern.clauses]
            formula.extend_valid(clauses)
        formula.name(
            range(first, formula.variables + 1),
            f"counter {{}} of clues that ask for {need} of {count}",
            auxiliary=True,
        )
    if clues.total is not None:
        add_total(formula, clues.total, range(1, clues.variables.size + 1), encoding)
    return formula
