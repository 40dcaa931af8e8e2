"""The clues as totalizers: unary counters, merged two by two. python-sat makes one for each kind of clue."""

from __future__ import annotations

import numpy as np

from models.cnf import Formula
from models.minesweeper.clues import Clues, add_total


def totalizers_of(clues: Clues) -> Formula:
    """Each clue as "exactly n of k variables are true", with counters of its own (O. Bailleux, Y. Boufkhad: CP 2003)."""
    from pysat.card import CardEnc, EncType

    formula = Formula()
    formula.new(clues.variables.size)
    for asked, count in np.unique(np.column_stack([clues.asked, clues.covered]), axis=0).tolist():
        beside = clues.beside[(clues.asked == asked) & (clues.covered == count), 8 - count :]
        if not 0 <= asked <= count:
            impossible = formula.new()
            formula.extend(np.array([[impossible], [-impossible]]))
            continue
        pattern = CardEnc.equals(list(range(1, count + 1)), asked, top_id=count, encoding=EncType.totalizer)
        counters = max(0, pattern.nv - count)
        own = formula.new(len(beside) * counters) + np.arange(len(beside) * counters).reshape(len(beside), counters)
        numbers = np.column_stack([np.zeros(len(beside), np.int64), beside, own])
        for clause in pattern.clauses:
            literals = np.array(clause, np.int64)
            formula.extend(np.sign(literals) * numbers[:, abs(literals)])
    if clues.total is not None:
        add_total(formula, clues.total, range(1, clues.variables.size + 1), EncType.totalizer)
    return formula
