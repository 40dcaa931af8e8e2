"""The stream of scripts: what our models ask their solvers about seeded boards, written formulas, copies, and edge cases.

A copy looks different and has the same verdicts, call by call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from random import Random
from typing import Any

import puzzles
from compare.solvers.reference import statuses
from compare.solvers.script import Literals, Script, Step, call, clause
from compare.work.contenders import SIDES
from models.dimacs import Encoding, encode
from models.solvers.opening import Recording, recorded
from models.solvers.sat_solver import SolverFailure
from puzzles.backend import Backend, Unsupported
from puzzles.grid import Board
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle
from puzzles.space import space_of
from puzzles.text import UserError
from puzzles.verdict import Verdict

EDGES: dict[str, Script] = {
    "empty formula": Script.formula(0, []),
    "no clauses": Script.formula(3, []),
    "empty clause": Script.formula(0, [[]]),
    "empty clause among others": Script.formula(2, [[1, 2], [], [-1]]),
    "one unit clause": Script.formula(1, [[1]]),
    "unit clauses": Script.formula(4, [[1], [-2], [3], [-4]]),
    "unit clauses that contradict each other": Script.formula(2, [[1], [2], [-1]]),
    "units in a chain": Script.formula(3, [[1], [-1, 2], [-2, 3], [-3]]),
    "unused variables": Script.formula(9, [[2, 5], [-2, 5]]),
    "a repeated literal": Script.formula(2, [[1, 1], [-1, -1, 2], [2, 2, 2]]),
    "a tautology": Script.formula(2, [[1, -1], [2, -2, 1]]),
    "all signs": Script.formula(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]]),
    "an assumption": Script(2, (clause(1, 2), call(-1), call(-2), call())),
    "assumptions without clauses": Script(2, (call(1, -2), call())),
    "assumptions that contradict each other": Script(2, (clause(1, 2), call(1, -1), call(1))),
    "assumptions that contradict a clause": Script(3, (clause(1, 2), call(3, -1, -2), call(3, -1))),
    "an assumption of an unused variable": Script(3, (clause(1, 2), call(3), call(-3, -1, -2))),
    "a repeated assumption": Script(2, (clause(-1, 2), call(1, 1, 1), call(1, 1, -2))),
    "clauses between calls": Script(2, (clause(1, 2), call(), clause(-1), call(), clause(-2), call())),
    "a clause after a contradiction": Script(2, (clause(1), clause(-1), call(), clause(2), call())),
    "an empty clause between calls": Script(1, (clause(1), call(), clause(), call())),
    "a new variable between calls": Script(3, (clause(1, 2), call(-1), clause(-2, 3), call(-1, -3), call(-1))),
    "long clauses between calls": Script(
        4, (clause(1, 2, 3), call(-1), clause(-1, 2, -3), clause(-2, -3, 4), call(1, 3, -4), call(3))
    ),
    "calls before clauses": Script(1, (call(), clause(1), call(-1), call())),
}
"""By name. None of them needs a search."""

_TINY_VARIABLES, _TINY_CLAUSES, _MAX_CALLS = 3, 6, 3


def tiny(rng: Random, *, only_formulas: bool) -> Script:
    """A random script of a few clauses over a few variables; about half of the calls have a model."""
    variables = rng.randint(1, _TINY_VARIABLES)
    steps = [clause(*_literals(rng, variables, rng.choice((1, 2, 2, 3)))) for _ in range(rng.randint(1, _TINY_CLAUSES))]
    if only_formulas:
        return Script(variables, (*steps, call()))
    for _ in range(rng.randint(0, _MAX_CALLS - 1)):
        steps.insert(rng.randint(1, len(steps)), call(*_literals(rng, variables, rng.randint(0, 2))))
    return Script(variables, (*steps, call(*_literals(rng, variables, rng.randint(0, 2)))))


RATIOS = (3.0, 4.26, 4.26, 5.5)
"""Clauses for each variable of a random script: from about 4.26 on, most formulas with three literals a clause have no model."""

_MIN_SEARCH, _MAX_SEARCH = 5, 50
"""Variables of a random script that needs a search."""


def random_script(rng: Random) -> Script:
    """Random clauses, mostly of three literals, on which a solver has to search; half of the scripts have several calls."""
    variables = rng.randint(_MIN_SEARCH, _MAX_SEARCH)
    count = round(rng.choice(RATIOS) * variables)
    steps = [clause(*_literals(rng, variables, rng.choice((2, 3, 3, 3, 3, 4)))) for _ in range(count)]
    if rng.random() < 1 / 2:
        return Script(variables, (*steps, call()))
    for _ in range(rng.randint(1, _MAX_CALLS)):
        steps.insert(rng.randint(len(steps) // 2, len(steps)), call(*_literals(rng, variables, rng.randint(0, 4))))
    return Script(variables, (*steps, call(*_literals(rng, variables, rng.randint(0, 4)))))


def _literals(rng: Random, variables: int, count: int) -> Literals:
    """Literals of different variables: `count` of them, or of all variables if there are fewer."""
    some = rng.sample(range(1, variables + 1), min(count, variables))
    return tuple(rng.choice((-1, 1)) * variable for variable in some)


SOME = 1 / 4
"""The share of steps or literals that are doubled."""

MAX_ADDED = 3
"""Tautologies that one copy gets, and unused variables."""

_Change = Callable[[Script, Random], Script]


def renamed(script: Script, rng: Random) -> Script:
    """The variables in another order."""
    names = [0, *rng.sample(range(1, script.variables + 1), script.variables)]
    return _mapped(script, lambda literal: names[literal] if literal > 0 else -names[-literal])


def flipped(script: Script, rng: Random) -> Script:
    """Some variables stand for their opposites."""
    signs = [rng.choice((-1, 1)) for _ in range(script.variables + 1)]
    return _mapped(script, lambda literal: signs[abs(literal)] * literal)


def shuffled(script: Script, rng: Random) -> Script:
    """The clauses between two calls, and the literals of each step, in another order."""
    steps: list[Step] = []
    for solves, group in groupby(script.steps, key=lambda step: step.solves):
        some = [Step(solves, tuple(rng.sample(step.literals, len(step.literals)))) for step in group]
        steps += some if solves else rng.sample(some, len(some))
    return Script(script.variables, tuple(steps))


def doubled(script: Script, rng: Random) -> Script:
    """Some clauses stand there twice, and some steps have a literal twice."""
    steps: list[Step] = []
    for step in script.steps:
        literals = step.literals
        if literals and rng.random() < SOME:
            literals = (*literals, rng.choice(literals))
        steps += [Step(step.solves, literals)] * (2 if not step.solves and rng.random() < SOME else 1)
    return Script(script.variables, tuple(steps))


def with_tautologies(script: Script, rng: Random) -> Script:
    """Some more clauses, each with a variable and its opposite."""
    if script.variables == 0:
        return script
    steps = list(script.steps)
    for _ in range(rng.randint(1, MAX_ADDED)):
        variable, others = rng.randint(1, script.variables), rng.randint(0, 2)
        literals = [variable, -variable, *(rng.choice((-1, 1)) * rng.randint(1, script.variables) for _ in range(others))]
        steps.insert(rng.randint(0, len(steps) - 1), clause(*rng.sample(literals, len(literals))))
    return Script(script.variables, tuple(steps))


def with_unused_variables(script: Script, rng: Random) -> Script:
    """Some more variables, which no clause has; if a call has assumptions, it may assume one of them as well."""
    more = rng.randint(1, MAX_ADDED)
    steps = [
        call(*step.literals, rng.choice((-1, 1)) * (script.variables + more)) if step.literals and step.solves else step
        for step in script.steps
    ]
    return Script(script.variables + more, tuple(steps))


CHANGES: dict[str, _Change] = {
    "renamed": renamed,
    "flipped": flipped,
    "shuffled": shuffled,
    "doubled": doubled,
    "tautologies": with_tautologies,
    "unused": with_unused_variables,
}
"""The changes by name, in the order in which a copy makes them."""


def copied(script: Script, seed: int) -> Script:
    """A copy with some of the changes; the same seed gives the same copy."""
    rng = Random(seed)
    chosen = rng.sample(list(CHANGES), rng.randint(1, len(CHANGES)))
    for name, change in CHANGES.items():
        if name in chosen:
            script = change(script, rng)
    return script


def _mapped(script: Script, other: Callable[[int], int]) -> Script:
    def literals(step: Step) -> Literals:
        return tuple(other(literal) for literal in step.literals)

    return Script(script.variables, tuple(Step(step.solves, literals(step)) for step in script.steps))


EDGE, RANDOM, WRITTEN, WRITTEN_CELL = "edge", "random", "written", "written-cell"
"""What stands in the place of a backend: an edge case, random clauses, or a formula as it is written down."""

MAX_CALLS, MAX_RECORDINGS, MAX_LITERALS = 8, 2, 20_000
"""Calls of a script, solvers of one run of a backend, literals of a script; what is more is left out."""


_TINY, _SEARCHES = 4, 4
"""Random scripts of a block: tiny ones, and such as need a search."""


@dataclass(frozen=True)
class Origin:
    """Where a script comes from.

    Attributes:
        puzzle: the name of the puzzle; empty for an edge case and for random clauses.
        board: the text of the board; the name of the edge case.
        encoding: the backend that asks this, or one of `EDGE`, `RANDOM`, `WRITTEN`, `WRITTEN_CELL`.
        single: whether it is one call of the backend's, as a formula of its own with the assumptions as clauses.
        copy: the seed of the copy; None if it is no copy.
    """

    puzzle: str
    board: str
    encoding: str
    single: bool = False
    copy: int | None = None

    @property
    def label(self) -> str:
        """The puzzle and the encoding."""
        return f"{self.puzzle} {self.encoding}".strip()

    @property
    def described(self) -> str:
        """The label, and what has been done to the script."""
        return self.label + ", one call as a formula" * self.single + (f", copy {self.copy}" if self.copy is not None else "")


@dataclass(frozen=True)
class Sample:
    """A script with its origin.

    Attributes:
        known: for each call, whether there is a model; None if that is not known.
    """

    script: Script
    origin: Origin
    known: tuple[bool | None, ...]


def board_of(puzzle: Puzzle[Any, Any], seed: int, index: int, size: int) -> Instance:
    """The board with this number: a part of a board of some family with a few changes, or such a board itself; half are made legal.

    It has at most `size` rows and columns. The same arguments give the same board.
    """
    rng = Random(f"solvers {puzzle.name} {seed} {index}")
    families = [family for family in puzzle.families.values() if family.least <= size] or [next(iter(puzzle.families.values()))]
    family = rng.choice(families)
    base = family.board(min(max(family.least, rng.randint(1, size)), family.most), rng.randrange(2**31))
    board = base if rng.random() < 1 / 2 else space_of(puzzle).drawn(base, [base], size, rng)
    return puzzle.legal(board, rng, False) if rng.random() < 1 / 2 else board


def edge_samples(rng: Random) -> list[Sample]:
    """The edge cases and a copy of each."""
    originals = [Sample(script, Origin("", name, EDGE), statuses(script)) for name, script in EDGES.items()]
    return _with_copies(originals, rng)


def random_samples(rng: Random) -> list[Sample]:
    """A few random scripts, tiny ones and such as need a search, and a copy of each."""
    scripts = [*(tiny(rng, only_formulas=k % 2 == 0) for k in range(_TINY)), *(random_script(rng) for _ in range(_SEARCHES))]
    originals = [Sample(script, Origin("", "", RANDOM), statuses(script)) for script in scripts]
    return _with_copies(originals, rng)


def samples_of(board: Instance, rng: Random) -> list[Sample]:
    """The scripts of a board, of all encodings; then one call of each as a formula of its own; then a copy of each of these.

    A copy has the known verdicts of its origin.
    """
    originals = [
        Sample(script, Origin(board.puzzle, board.text(), encoding), _known(script, expected))
        for encoding, script, expected in scripts_of(board, rng)
    ]
    originals += [single_call(each, rng.randrange(each.script.calls)) for each in originals if not each.script.is_formula]
    return _with_copies(originals, rng)


def _with_copies(originals: list[Sample], rng: Random) -> list[Sample]:
    return [*originals, *(copy_of(each, rng.randrange(2**31)) for each in originals)]


def copy_of(sample: Sample, seed: int) -> Sample:
    """A copy of a sample."""
    return replace(sample, script=copied(sample.script, seed), origin=replace(sample.origin, copy=seed))


def single_call(sample: Sample, number: int) -> Sample:
    """One call of a script as a formula of its own: the clauses until then, and the assumptions as further clauses."""
    query = list(sample.script.queries())[number]
    units = ((literal,) for literal in query.assumptions)
    formula = Script.formula(sample.script.variables, [*query.clauses, *units])
    return Sample(formula, replace(sample.origin, single=True), (sample.known[number],))


def scripts_of(
    board: Instance, rng: Random, only: str | None = None, solver: str | None = None
) -> Iterator[tuple[str, Script, bool | None]]:
    """The encoding, the script and, if the board's own proved answer says so, whether there is a model.

    Args:
        only: the name of the one encoding.
        solver: who is asked while the scripts are noted down, as far as it comes; the default solver if None.
    """
    for backend in asking_backends(board.puzzle):
        if only in (None, backend.name):
            for recording in _recordings(backend, board, solver, certify=rng.random() < 1 / 2)[:MAX_RECORDINGS]:
                script = _script(recording, rng)
                if script is not None:
                    yield backend.name, script, None
    if not isinstance(board, Board):
        return
    cell = rng.randrange(board.cells)
    for name, place in ((WRITTEN, None), (WRITTEN_CELL, (cell // board.columns + 1, cell % board.columns + 1))):
        if only not in (None, name):
            continue
        try:
            encoding = encode(board, place)
        except (Unsupported, UserError):
            continue
        script = Script.formula(encoding.formula.variables, encoding.formula.clauses)
        if script.literals <= MAX_LITERALS:
            yield name, script, _expected(board, encoding)


def remade(sample: Sample, board: Instance) -> Iterator[Sample]:
    """The scripts of another board that come about as this one did."""
    origin = sample.origin
    for seed in range(2):
        for _, script, _ in scripts_of(board, Random(seed), origin.encoding):
            remade_origin = replace(origin, board=board.text(), single=False, copy=None)
            whole = Sample(script, remade_origin, statuses(script))
            for each in (single_call(whole, k) for k in range(script.calls)) if origin.single else [whole]:
                yield each if origin.copy is None else copy_of(each, origin.copy)


def asking_backends(puzzle: str) -> list[Backend]:
    """The backends of a puzzle that ask SAT solvers, and take any."""
    backends = SIDES["models"].backends(puzzle).values()
    return [each for each in backends if "solver" in each.options and not each.slow and each.available() is None]


def _recordings(backend: Backend, board: Instance, solver: str | None, *, certify: bool) -> list[Recording]:
    """What a backend asks about a board; nothing if it does not take the board. A solver that fails ends it early."""
    if backend.limit is not None and board.size > backend.limit:
        return []
    with recorded() as recordings:
        try:
            backend.solve(board, certify=certify, **({} if solver is None else {"solver": solver}))
        except Unsupported:
            return []
        except SolverFailure:
            pass
    different = {(each.variables, tuple(each.steps)): each for each in recordings if any(step.solves for step in each.steps)}
    return list(different.values())


def _script(recording: Recording, rng: Random) -> Script | None:
    """The script of a recording with a few of its calls; None if it is too long."""
    calls = [k for k, step in enumerate(recording.steps) if step.solves]
    kept = set(calls if len(calls) <= MAX_CALLS else rng.sample(calls, MAX_CALLS))
    steps = [Step(*step) for k, step in enumerate(recording.steps[: max(kept) + 1]) if not step.solves or k in kept]
    variables = max([recording.variables, *(abs(literal) for step in steps for literal in step.literals)])
    script = Script(variables, tuple(steps))
    return script if script.literals <= MAX_LITERALS else None


def _expected(board: Board, encoding: Encoding) -> bool | None:
    """What the proved answer of the default direct backend says of a written formula; None if it says nothing."""
    puzzle = puzzles.get(board.puzzle)
    answer = SIDES["direct"].get(board.puzzle).solve(board, certify=True)
    claims = answer.claims
    if claims is None or puzzle.check(board, answer).verdict is not Verdict.PROVED:
        return None
    return encoding.expected(claims)


def _known(script: Script, expected: bool | None) -> tuple[bool | None, ...]:
    """What is known of each call, by a confirmed model or proof, or else by the proved answer.

    Raises:
        Contradiction: the formula says other things than the proved answer.
    """
    known = statuses(script)
    if expected is None or known == (expected,):
        return known
    if known != (None,):
        raise Contradiction("the written formula and the proved answer of the board contradict each other")
    return (expected,)


class Contradiction(Exception):
    """One of our own encodings is wrong."""
