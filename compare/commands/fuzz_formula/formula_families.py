"""Traces to try solvers on: edge cases, random clauses, what models ask their solvers, copies, and
smaller traces.

A copy looks different and has the same verdicts, call by call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from random import Random

import models
import puzzles
from compare.commands.fuzz_formula.formula_puzzle import (
    PUZZLE,
    LiteralTuple,
    Trace,
    clause,
    solver_call,
)
from compare.engine.search.boards import boards
from models.dimacs import encode_board
from models.solvers.opening import Recording, SolverStep, record_solvers
from models.solvers.sat_solver import SolverFailure
from puzzles.backend import Backend, Unsupported
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Family
from puzzles.space.instance_space import InstanceSpace, TinyInstances, blocks
from puzzles.text import UserError

EDGES = tuple(
    PUZZLE.of_text(f"c variables {variables}\np inccnf\n{steps}\n")
    for variables, steps in (
        (0, "a 0"),  # empty formula
        (3, "a 0"),  # no clauses
        (0, "0 a 0"),  # empty clause
        (2, "1 2 0  0  -1 0  a 0"),  # empty clause among others
        (1, "1 0  a 0"),  # one unit clause
        (4, "1 0  -2 0  3 0  -4 0  a 0"),  # unit clauses
        (2, "1 0  2 0  -1 0  a 0"),  # unit clauses that contradict each other
        (3, "1 0  -1 2 0  -2 3 0  -3 0  a 0"),  # units in a chain
        (9, "2 5 0  -2 5 0  a 0"),  # unused variables
        (2, "1 1 0  -1 -1 2 0  2 2 2 0  a 0"),  # a repeated literal
        (2, "1 -1 0  2 -2 1 0  a 0"),  # a tautology
        (2, "1 2 0  1 -2 0  -1 2 0  -1 -2 0  a 0"),  # all signs
        (2, "1 2 0  a -1 0  a -2 0  a 0"),  # an assumption
        (2, "a 1 -2 0  a 0"),  # assumptions without clauses
        (2, "1 2 0  a 1 -1 0  a 1 0"),  # assumptions that contradict each other
        (3, "1 2 0  a 3 -1 -2 0  a 3 -1 0"),  # assumptions that contradict a clause
        (3, "1 2 0  a 3 0  a -3 -1 -2 0"),  # an assumption of an unused variable
        (2, "-1 2 0  a 1 1 1 0  a 1 1 -2 0"),  # a repeated assumption
        (2, "1 2 0  a 0  -1 0  a 0  -2 0  a 0"),  # clauses between calls
        (2, "1 0  -1 0  a 0  2 0  a 0"),  # a clause after a contradiction
        (1, "1 0  a 0  0  a 0"),  # an empty clause between calls
        (3, "1 2 0  a -1 0  -2 3 0  a -1 -3 0  a -1 0"),  # a new variable between calls
        (
            4,
            "1 2 3 0  a -1 0  -1 2 -3 0  -2 -3 4 0  a 1 3 -4 0  a 3 0",
        ),  # long clauses between calls
        (1, "a 0  1 0  a -1 0  a 0"),  # calls before clauses
        (  # twelve calls
            4,
            "1 2 0 "
            + "".join(f"a {sign}{v} 0  -1 -{v} 0  " for v in (2, 3, 4) for sign in ("", "-"))
            + "a 1 0  a 1 2 0  a 1 2 3 0  a -1 0  a -2 0  a 0",
        ),
    )
)
"""Edge cases, as ICNF. None of them needs a search."""

_LENGTHS, _FAR, _COUNTS = (40, 100, 1000), 1_000_000, (16, 32, 64)
"""Literals of long clauses, a large variable, and numbers of clauses at which arrays are full."""


def _long(length: int) -> Trace:
    """A clause of which the last literal alone is not false."""
    clauses = [[*range(1, length + 1)], *([-variable] for variable in range(1, length))]
    return Trace.formula(length, clauses)


def _chain(clauses: int) -> Trace:
    """So many clauses that contradict each other, and no fewer do."""
    links = [[-variable, variable + 1] for variable in range(1, clauses - 1)]
    return Trace.formula(clauses - 1, [[1], *links, [1 - clauses]])


LARGE_EDGES = (
    *map(_long, _LENGTHS),
    Trace.formula(_FAR, [[1, _FAR], [-1, 2], [-2]]),
    *map(_chain, _COUNTS),
)
"""Edge cases of long clauses, of a large variable, and of certain numbers of clauses."""

ALL_EDGES = (*EDGES, *LARGE_EDGES)

RATIOS = (3.0, 4.26, 4.26, 5.5)
"""Clauses for each variable of a random trace: from about 4.26 on, most formulas with three
literals a clause have no model.
"""

_MAX_CALLS, _MAX_ASSUMED = 3, 3
"""Calls of a random trace before the last one, and assumptions of each."""


def tiny_trace(rng: Random, *, only_formulas: bool) -> Trace:
    """A random trace of a few clauses over a few variables; about half of the calls have a
    model.
    """
    return _random(rng, rng.randint(1, 3), rng.randint(1, 6), (1, 2, 2, 3), only_formulas)


def random_trace(variables: int, rng: Random) -> Trace:
    """Random clauses, mostly of three literals, on which a solver has to search; half of the traces
    have several calls.
    """
    return _random(
        rng,
        variables,
        round(rng.choice(RATIOS) * variables),
        (2, 3, 3, 3, 3, 4),
        rng.random() < 1 / 2,
    )


def _random(
    rng: Random, variables: int, clauses: int, lengths: Sequence[int], is_formula: bool
) -> Trace:
    steps = [clause(*_literals(rng, variables, rng.choice(lengths))) for _ in range(clauses)]
    if is_formula:
        return Trace(variables, (*steps, solver_call()))
    for _ in range(rng.randint(0, _MAX_CALLS)):
        place = rng.randint(len(steps) // 2, len(steps))
        steps.insert(place, solver_call(*_literals(rng, variables, rng.randint(0, _MAX_ASSUMED))))
    return Trace(
        variables, (*steps, solver_call(*_literals(rng, variables, rng.randint(0, _MAX_ASSUMED))))
    )


def _literals(rng: Random, variables: int, count: int) -> LiteralTuple:
    """Literals of different variables: `count` of them, or of all variables if there are fewer."""
    some = rng.sample(range(1, variables + 1), min(count, variables))
    return tuple(rng.choice((-1, 1)) * variable for variable in some)


SOME = 1 / 4
"""The share of steps or literals that are doubled."""

MAX_ADDED = 3
"""Tautologies that one copy gets, and unused variables."""


def rename_variables(trace: Trace, rng: Random) -> Trace:
    """The variables in another order."""
    used = _used_variables(trace)
    names = rng.sample(range(1, trace.variables + 1), len(used))
    return _map_literals(trace, dict(zip(used, names, strict=True)), trace.variables)


def flip_variables(trace: Trace, rng: Random) -> Trace:
    """Some variables stand for their opposites."""
    names = {variable: rng.choice((-1, 1)) * variable for variable in _used_variables(trace)}
    return _map_literals(trace, names, trace.variables)


def shuffle_clauses(trace: Trace, rng: Random) -> Trace:
    """The clauses between two calls, and the literals of each step, in another order."""
    steps: list[SolverStep] = []
    for solves, group in groupby(trace.steps, key=lambda step: step.solves):
        some = [
            SolverStep(solves, tuple(rng.sample(step.literals, len(step.literals))))
            for step in group
        ]
        steps += some if solves else rng.sample(some, len(some))
    return Trace(trace.variables, tuple(steps))


def double_some(trace: Trace, rng: Random) -> Trace:
    """Some clauses are there twice, and some steps have a literal twice."""
    steps: list[SolverStep] = []
    for step in trace.steps:
        literals = step.literals
        if literals and rng.random() < SOME:
            literals = (*literals, rng.choice(literals))
        steps += [SolverStep(step.solves, literals)] * (
            2 if not step.solves and rng.random() < SOME else 1
        )
    return Trace(trace.variables, tuple(steps))


def with_tautologies(trace: Trace, rng: Random) -> Trace:
    """Some more clauses, each with a variable and its opposite."""
    if trace.variables == 0:
        return trace
    steps = list(trace.steps)
    for _ in range(rng.randint(1, MAX_ADDED)):
        variable, others = rng.randint(1, trace.variables), rng.randint(0, 2)
        literals = [
            variable,
            -variable,
            *(rng.choice((-1, 1)) * rng.randint(1, trace.variables) for _ in range(others)),
        ]
        steps.insert(rng.randint(0, len(steps) - 1), clause(*rng.sample(literals, len(literals))))
    return Trace(trace.variables, tuple(steps))


def with_unused_variables(trace: Trace, rng: Random) -> Trace:
    """Some more variables, which no clause has; if a call has assumptions, it may assume one of
    them as well.
    """
    more = rng.randint(1, MAX_ADDED)
    steps = [
        solver_call(*step.literals, rng.choice((-1, 1)) * (trace.variables + more))
        if step.literals and step.solves
        else step
        for step in trace.steps
    ]
    return Trace(trace.variables + more, tuple(steps))


CHANGES = (
    rename_variables,
    flip_variables,
    shuffle_clauses,
    double_some,
    with_tautologies,
    with_unused_variables,
)
"""The changes in the order in which a copy makes them."""


def copy_with_changes(trace: Trace, rng: Random) -> Trace:
    """A copy with some of the changes."""
    chosen = rng.sample(CHANGES, rng.randint(1, len(CHANGES)))
    for change in CHANGES:
        if change in chosen:
            trace = change(trace, rng)
    styled = trace.is_formula and rng.random() < 1 / 2
    return in_style(trace, rng.choice([*FORMULA_STYLES])) if styled else trace


def _with_comments(trace: Trace) -> str:
    head, *clauses = trace.plain_text().splitlines()
    body = (f"c clause {k}: 1 0\n{line}\n" for k, line in enumerate(clauses, 1))
    return f"c p cnf 1 1\nc\n{head}\n{''.join(body)}c the end\n"


def _over_lines(trace: Trace) -> str:
    """Each number of a clause on a line of its own."""
    head, _, body = trace.plain_text().partition("\n")
    return "\n".join([head, *body.split(), ""])


def _on_one_line(trace: Trace) -> str:
    """All clauses on one line, which has no end."""
    head, _, body = trace.plain_text().partition("\n")
    return f"{head}\n{' '.join(body.split())}"


FORMULA_STYLES: Mapping[str, Callable[[Trace], str]] = {
    "comments": _with_comments,
    "over lines": _over_lines,
    "on one line": _on_one_line,
}
"""Other ways to write a formula. A copy is written in one of them."""


def in_style(trace: Trace, style: str) -> Trace:
    """The formula of a trace, written in this style."""
    plain = Trace(trace.variables, trace.steps)
    clauses = [step.literals for step in trace.steps[:-1]]
    return Trace.formula(trace.variables, clauses, FORMULA_STYLES[style](plain).encode())


def _style_of(trace: Trace) -> str | None:
    """The style in which a formula is written; None if it is plain, or in no style of ours."""
    styles = FORMULA_STYLES if trace.written else ()
    return next((each for each in styles if in_style(trace, each) == trace), None)


def _used_variables(trace: Trace) -> list[int]:
    """The variables that some step has, ascending."""
    return sorted({abs(literal) for step in trace.steps for literal in step.literals})


def _map_literals(trace: Trace, names: Mapping[int, int], variables: int) -> Trace:
    """The trace of so many variables, with a literal in the place of each old variable."""
    signed = {**names, **{-variable: -name for variable, name in names.items()}}
    return Trace(
        variables,
        tuple(
            SolverStep(solves, tuple(signed[each] for each in literals))
            for solves, literals in trace.steps
        ),
    )


def single_call(trace: Trace, number: int) -> Trace:
    """One call as a formula of its own: the clauses until then, and the assumptions as further
    clauses.
    """
    query = list(trace.queries())[number]
    return Trace.formula(
        trace.variables, [*query.clauses, *((literal,) for literal in query.assumptions)]
    )


def _some_form(trace: Trace, rng: Random) -> Trace:
    """The trace, or perhaps one of its calls; half of the time a copy."""
    if not trace.is_formula and rng.random() < 1 / 4:
        trace = single_call(trace, rng.randrange(trace.calls))
    return copy_with_changes(trace, rng) if rng.random() < 1 / 2 else trace


MAX_CALLS, MAX_RECORDINGS, MAX_TRACE_LITERALS = 8, 2, 20_000
"""Calls of a trace, solvers of one run of a backend, literals of a trace; what is more is left
out.
"""

ATTEMPTS = 8
"""Boards on which a model is tried until it asks something."""

OF = "of-"
"""How the name of a family begins whose traces come from the models of a puzzle."""


def trace_families() -> dict[str, Family[Trace]]:
    """The families by name."""
    numbers = tuple((1, seed) for seed in range(1, len(ALL_EDGES) + 1))
    about_edges = (
        f"{len(ALL_EDGES)} edge cases, each with a seed of its own, whatever the size; with other "
        "seeds copies of them"
    )
    return {
        "edge": Family(edge, about_edges, bundled=numbers),
        "random": Family(
            _of_size, "clauses over 3 x size variables on which a solver has to search", most=100
        ),
        "tiny": Family(_tiny, "a few random clauses and calls, whatever the size"),
        **{f"{OF}{name}": of_models(name) for name in puzzles.names()},
    }


def edge(size: int, seed: int) -> Trace:
    """The edge case number `seed`; a copy of one if there are not so many."""
    trace = ALL_EDGES[(seed - 1) % len(ALL_EDGES)]
    return trace if 1 <= seed <= len(ALL_EDGES) else copy_with_changes(trace, Random(seed))


def _tiny(size: int, seed: int) -> Trace:
    return tiny_trace(Random(seed), only_formulas=seed % 4 == 0)


def _of_size(size: int, seed: int) -> Trace:
    rng = Random(f"random {size} {seed}")
    return _some_form(random_trace(3 * size, rng), rng)


def of_models(name: str) -> Family[Trace]:
    """The family of what the models of a puzzle ask their solvers; raises `UserError` for a loaded
    one whose models ask none.
    """
    about = f"what the models of {name} ask about boards of up to a third of size rows and columns"
    return Family(partial(_of_models, name), about, most=90)


def _of_models(name: str, size: int, seed: int) -> Trace:
    """What one of its models asks about a board, or the board as one formula; half of the traces
    are copies.
    """
    rng = Random(f"{name} {size} {seed}")
    asking = asking_backends(name)
    if not asking:
        raise UserError(f"no model of {name} takes a SAT solver, so its boards give no formulas")
    for _ in range(ATTEMPTS):
        board = rng.choice(
            boards(puzzles.get(name), rng.randrange(2**31), 0, 3, 1 + size // 3)
        )  # of a family, or a part of it
        backend = rng.choice([*asking, None])
        traces = _formula_traces(board, rng) if backend is None else traces_of(backend, board, rng)
        if traces:
            return _some_form(
                traces[-1], rng
            )  # the last one asks for a certificate, mostly in several calls
    return tiny_trace(rng, only_formulas=True)


def asking_backends(puzzle: str) -> list[Backend]:
    """The backends of a puzzle that ask SAT solvers, and take any. Those of plugins are none: they
    solve in children alone, and a seed gives the same trace without them.
    """
    if puzzle == Trace.puzzle:
        return []
    file = puzzles.get(puzzle).origin.user_file
    own_modules = () if file is None else file.modules
    return [
        each
        for each in models.SIDE.backends(puzzle).values()
        if (models.SIDE.owns(each) or each.function.__module__ in own_modules)
        and "solver" in each.options
        and not each.slow
        and each.available() is None
    ]


def traces_of(
    backend: Backend,
    board: Instance,
    rng: Random,
    solver: str | None = None,
    *,
    calls: int = MAX_CALLS,
) -> list[Trace]:
    """What a backend asks about a board; nothing if it does not take the board.

    Args:
        solver: who is asked meanwhile, as far as it comes; the default solver if None.
        calls: how many of its calls are kept, at most.
    """
    if backend.limit is not None and board.size > backend.limit:
        return []
    certify, options = rng.random() < 1 / 2, {} if solver is None else {"solver": solver}
    with record_solvers() as recordings:
        try:
            backend.solve(board, certify=certify, **options)
        except Unsupported:
            return []
        except SolverFailure:
            pass  # what it was asked until then counts
    traces = [
        _trace(each, rng, calls) for each in recordings if any(step.solves for step in each.steps)
    ]
    return [each for each in dict.fromkeys(traces) if each is not None][:MAX_RECORDINGS]


def _trace(recording: Recording, rng: Random, count: int) -> Trace | None:
    """The trace of a recording with so many of its calls, if it has as many; None if it is too
    long.
    """
    calls = [k for k, step in enumerate(recording.steps) if step.solves]
    kept = {*rng.sample(calls, min(len(calls), count))}
    steps = [
        step
        for k, step in enumerate(recording.steps[: max(kept) + 1])
        if not step.solves or k in kept
    ]
    literals = [*chain.from_iterable(step.literals for step in steps)]
    if len(literals) > MAX_TRACE_LITERALS:
        return None
    return Trace(max([recording.variables, *map(abs, literals)]), tuple(steps))


def _formula_traces(board: Instance, rng: Random) -> list[Trace]:
    """The board as one formula, or a question about one cell, if it can be written down."""
    if not isinstance(board, Board):
        return []
    cell = rng.randint(1, board.rows), rng.randint(1, board.columns)
    try:
        formula = encode_board(board, rng.choice((None, cell))).formula
    except (Unsupported, UserError):
        return []
    return (
        [Trace.formula(formula.variables, formula.clauses)]
        if sum(map(len, formula.clauses)) <= MAX_TRACE_LITERALS
        else []
    )


_MAX_TINY, _SMALL_CLAUSES = 600, 10
"""Random tiny traces that are tried in the place of a larger one.

Where each costs a run, it must have more clauses than this.
"""


class TraceSpace(InstanceSpace[Trace]):
    """Traces with fewer steps and literals; copies."""

    def steps(self, instance: Trace) -> Iterator[Trace]:
        """Written plainly; then without runs of steps, without a literal, and with variables that
        have no gaps, each in the style of the instance.

        The last call stays at the end.
        """
        style = _style_of(instance)
        if instance.written:
            yield Trace(instance.variables, instance.steps)
        for smaller in self._smaller(instance):
            smaller = in_style(smaller, style) if style is not None else smaller
            if smaller != instance:
                yield smaller

    def _smaller(self, instance: Trace) -> Iterator[Trace]:
        steps, variables = instance.steps, instance.variables
        last = max(k for k, step in enumerate(steps) if step.solves)
        for start, stop in blocks(last + 1):
            if start < last:
                yield Trace(variables, (*steps[:start], *steps[min(stop, last) : last + 1]))
        for k, (solves, literals) in enumerate(steps):
            for at in range(len(literals)):
                shorter = SolverStep(solves, literals[:at] + literals[at + 1 :])
                yield Trace(variables, (*steps[:k], shorter, *steps[k + 1 :]))
        used = _used_variables(instance)
        yield _map_literals(
            instance, {old: new for new, old in enumerate(used, start=1)}, len(used)
        )
        yield Trace(max(used, default=0), steps)

    def draw(self, like: Trace, bases: Sequence[Trace], most: int, rng: Random) -> Trace:
        """A tiny trace, or a copy of a base or of one of its calls."""
        if not bases or rng.random() < 1 / 2:
            return tiny_trace(rng, only_formulas=rng.random() < 1 / 4)
        return copy_with_changes(_some_form(rng.choice(bases), rng), rng)

    def vary(self, instance: Trace, rng: Random) -> Trace:
        return copy_with_changes(instance, rng)

    def tiny(self, instance: Trace, most: int) -> TinyInstances[Trace]:
        """The edge cases and random tiny traces; for a formula only formulas."""
        if most < _MAX_TINY and instance.clauses <= _SMALL_CLAUSES:
            return TinyInstances(iter(()), complete=True)
        rng, only_formulas = Random(instance.digest), instance.is_formula
        some = [tiny_trace(rng, only_formulas=only_formulas) for _ in range(min(most, _MAX_TINY))]
        traces = {
            each
            for each in (*EDGES, *some)
            if each.size < instance.size and each.is_formula >= only_formulas
        }
        return TinyInstances(
            iter(sorted(traces, key=lambda trace: (trace.size, trace.text()))), complete=True
        )
