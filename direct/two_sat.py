"""2-SAT by strongly connected components of the implication graph, with a certificate either way.

`python -m direct.two_sat [FILE]` reads DIMACS and answers as SAT solvers do. Source: B. Aspvall, M.
F. Plass, R. E. Tarjan, "A linear-time algorithm for testing the truth of certain quantified boolean
formulas", 1979; R. E. Tarjan, "Depth-first search and linear graph algorithms", 1972.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from direct.kernel import Array, kernel
from puzzles.dimacs_reader import DimacsReader
from puzzles.shell.exit_status import returns_exit_status
from puzzles.text import read_source

Clauses = NDArray[np.int32]

_MAX_VARIABLES = 2**26
"""A text that announces more is refused: each takes some forty bytes, whether a clause names it or
not.
"""


@dataclass(frozen=True)
class Solution:
    """Whether a 2-CNF formula is satisfiable, with a certificate.

    Attributes:
        satisfiable: the answer.
        assignment: of a satisfiable formula, bool array of shape (variables,): the value of
            variable v at v - 1.
        cycle: of an unsatisfiable formula, on request, int32 array of literals x, ..., -x, ..., x,
            of which each implies the next. Empty if the formula has an empty clause.
        reasons: for each step of the cycle the row of the clause that gives it; or the row of the
            empty clause alone.
    """

    satisfiable: bool
    assignment: NDArray[np.bool_] | None = None
    cycle: NDArray[np.int32] | None = None
    reasons: NDArray[np.int32] | None = None


def solve(variables: int, clauses: Clauses, *, certify: bool = True) -> Solution:
    """Decide a 2-CNF formula in time and memory linear in its size, without recursion.

    Args:
        variables: the number of variables; they are numbered from 1.
        clauses: int32 array of shape (clauses, 2) of literals +v and -v. A unit clause repeats its
            literal, an empty clause is (0, 0).
        certify: find the implication cycle of an unsatisfiable formula too.

    Raises:
        ValueError: `clauses` has another shape, or a literal is out of range.
    """
    clauses = np.ascontiguousarray(clauses, np.int32)
    if clauses.size == 0:
        clauses = clauses.reshape(-1, 2)
    if clauses.ndim != 2 or clauses.shape[1] != 2:
        raise ValueError(f"clauses have the shape (n, 2), not {clauses.shape}")
    if clauses.size and (int(clauses.max()) > variables or int(clauses.min()) < -variables):
        raise ValueError(f"a literal is out of range for {variables} variables")
    if not clauses.all():
        row = int(np.flatnonzero((clauses == 0).any(axis=1))[0])
        if clauses[row].any():
            raise ValueError(f"0 is no literal (clause {row})")
        return Solution(False, cycle=np.empty(0, np.int32), reasons=np.array([row], np.int32))
    work = 2 * variables + 2 * len(clauses)
    start, target, reason = implications.at(work)(variables, clauses)
    component = components.at(work)(start, target)
    clash = np.flatnonzero(component[0::2] == component[1::2])
    if clash.size == 0:
        return Solution(True, assignment=component[0::2] < component[1::2])
    if not certify:
        return Solution(False)
    x = 2 * int(clash[0])
    there, why_there = path.at(work)(start, target, reason, x, x + 1)
    back, why_back = path.at(work)(start, target, reason, x + 1, x)
    nodes = np.concatenate([there, back[1:]])
    literals = (nodes // 2 + 1) * np.where(nodes % 2, -1, 1)
    return Solution(
        False, cycle=literals.astype(np.int32), reasons=np.concatenate([why_there, why_back])
    )


@kernel
def implications(variables: int, clauses: Array) -> tuple[Array, Array, Array]:
    """The implication graph in compressed rows: literal +v is node 2v - 2, -v is 2v - 1; (a or b)
    gives -a -> b, -b -> a.

    Returns `start` (int32, nodes + 1), `target` and `reason` (int32, one per edge: the clause it
    comes from). A clause that repeats its literal gives one edge.
    """
    nodes = 2 * variables
    start = np.empty(nodes + 1, np.int32)
    for node in range(nodes + 1):
        start[node] = 0
    for k in range(clauses.shape[0]):
        a, b = clauses[k, 0], clauses[k, 1]
        start[2 * a - 1 if a > 0 else -2 * a - 2] += 1
        if a != b:
            start[2 * b - 1 if b > 0 else -2 * b - 2] += 1
    total = 0
    for node in range(nodes + 1):
        total += start[node]
        start[node] = total
    target = np.empty(total, np.int32)
    reason = np.empty(total, np.int32)
    for k in range(clauses.shape[0] - 1, -1, -1):
        a, b = clauses[k, 0], clauses[k, 1]
        not_a = 2 * a - 1 if a > 0 else -2 * a - 2
        not_b = 2 * b - 1 if b > 0 else -2 * b - 2
        start[not_a] -= 1
        target[start[not_a]] = not_b ^ 1
        reason[start[not_a]] = k
        if a != b:
            start[not_b] -= 1
            target[start[not_b]] = not_a ^ 1
            reason[start[not_b]] = k
    return start, target, reason


@kernel
def components(start: Array, target: Array) -> Array:
    """Tarjan's strongly connected components, iterative: int32 per node, numbered in reverse
    topological order.

    A 2-CNF formula is satisfiable if no variable shares a component with its negation; then of the
    two literals the one with the smaller number is true.
    """
    nodes = start.shape[0] - 1
    component = np.empty(nodes, np.int32)
    order = np.empty(nodes, np.int32)
    low = np.empty(nodes, np.int32)
    edge = np.empty(nodes, np.int32)
    calls = np.empty(nodes, np.int32)
    stack = np.empty(nodes, np.int32)
    for node in range(nodes):
        component[node] = -1
        order[node] = 0
    clock = 0
    number = 0
    height = 0
    for root in range(nodes):
        if order[root] != 0:
            continue
        depth = 0
        calls[0] = root
        clock += 1
        order[root] = low[root] = clock
        edge[root] = start[root]
        stack[height] = root
        height += 1
        while depth >= 0:
            node = calls[depth]
            if edge[node] < start[node + 1]:
                near = target[edge[node]]
                edge[node] += 1
                if order[near] == 0:
                    clock += 1
                    order[near] = low[near] = clock
                    edge[near] = start[near]
                    stack[height] = near
                    height += 1
                    depth += 1
                    calls[depth] = near
                elif component[near] < 0:
                    low[node] = min(low[node], order[near])
                continue
            if low[node] == order[node]:
                while True:
                    height -= 1
                    member = stack[height]
                    component[member] = number
                    if member == node:
                        break
                number += 1
            depth -= 1
            if depth >= 0:
                low[calls[depth]] = min(low[calls[depth]], low[node])
    return component


@kernel
def path(start: Array, target: Array, reason: Array, source: int, goal: int) -> tuple[Array, Array]:
    """A shortest path between two nodes by breadth-first search: its nodes and the reasons of its
    edges (int32).
    """
    nodes = start.shape[0] - 1
    by = np.full(nodes, -1, np.int32)
    via = np.full(nodes, -1, np.int32)
    queue = np.empty(nodes, np.int32)
    queue[0] = source
    by[source] = source
    head, tail = 0, 1
    while head < tail and by[goal] < 0:
        node = queue[head]
        head += 1
        for k in range(start[node], start[node + 1]):
            if by[target[k]] < 0:
                by[target[k]] = node
                via[target[k]] = reason[k]
                queue[tail] = target[k]
                tail += 1
    length = 1
    node = goal
    while node != source:
        node = by[node]
        length += 1
    on_path = np.empty(length, np.int32)
    why = np.empty(length - 1, np.int32)
    node = goal
    for k in range(length - 1, 0, -1):
        on_path[k] = node
        why[k - 1] = via[node]
        node = by[node]
    on_path[0] = source
    return on_path, why


def read_dimacs(text: str | bytes, name: str = "<text>") -> tuple[int, Clauses]:
    """The number of variables and the clauses of a DIMACS text, in the form that `solve` takes.

    A clause may repeat a literal, and may hold a literal and its negation.

    Raises:
        InputError: the text breaks the format (see `puzzles.dimacs_reader`), or a clause has more
            than two distinct literals.
    """
    reader = DimacsReader(text, name)
    variables, (literals, ends) = reader.formula(_MAX_VARIABLES)
    starts = np.append(0, ends + 1)[:-1]
    lengths = ends - starts
    clauses = np.zeros((len(ends), 2), np.int32)
    some = lengths > 0
    clauses[some, 0] = literals[starts[some]]
    clauses[some, 1] = literals[ends[some] - 1]
    for row in np.flatnonzero(lengths > 2):
        clause = literals[starts[row] : ends[row]].tolist()
        distinct = list(dict.fromkeys(clause))
        if len(distinct) > 2:
            reader.fail(
                int(starts[row]) + clause.index(distinct[2]),
                "a clause of more than two literals is no 2-CNF",
            )
        clauses[row] = distinct[0], distinct[-1]
    return variables, clauses


def print_solution(solution: Solution) -> str:
    """The answer in the SAT competition's format; an implication cycle follows as a comment."""
    if solution.assignment is None:
        cycle = (
            ""
            if solution.cycle is None or not solution.cycle.size
            else f"c cycle {' '.join(map(str, solution.cycle.tolist()))}\n"
        )
        return f"s UNSATISFIABLE\n{cycle}"
    values = np.where(solution.assignment, 1, -1) * np.arange(1, len(solution.assignment) + 1)
    return f"s SATISFIABLE\nv {' '.join(map(str, [*values.tolist(), 0]))}\n"


@returns_exit_status
def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 10 for satisfiable, 20 for unsatisfiable, 2 for a bad text."""
    parser = argparse.ArgumentParser(
        prog="python -m direct.two_sat", description="Decide a 2-CNF formula in DIMACS format."
    )
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="DIMACS text (default: standard input)"
    )
    options = parser.parse_args(arguments)
    solution = solve(*read_dimacs(*read_source(options.file)))
    sys.stdout.write(print_solution(solution))
    return 10 if solution.satisfiable else 20


if __name__ == "__main__":
    sys.exit(main())
