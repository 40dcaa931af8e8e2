"""Further questions about one board: a puzzle's own requests, its picture, and the formula of a backend."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import puzzles
from compare.isolate.outcome import Status
from compare.page.answers import in_words
from compare.page.bounds import MAX_DIMACS, MAX_SVG, SOLVE, RefusedRequest
from compare.page.reading import apart, the_one
from compare.work.contenders import BackendContender, backends
from compare.work.pool import Pool
from models.solvers.sat_solver import SolverFailure
from puzzles.backend import Backend, Unsupported
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle, Request
from puzzles.text import UserError

_ENDINGS = {Unsupported: Status.SKIPPED, SolverFailure: Status.ERROR, UserError: Status.ERROR}


def reply(pool: Pool, contender: BackendContender, text: str, name: str, value: str) -> dict[str, Any]:
    """What a backend says to the request of this name: text, picture and fields; raises `RefusedRequest`."""
    request = request_of(puzzles.get(contender.puzzle), name)
    refuse_unable(contender, request)
    return _in_a_child(pool, _reply, contender, apart(pool, the_one, contender.puzzle, text), name, value)


def request_of(puzzle: Puzzle, name: str) -> Request:
    """The puzzle's request of this name; raises `RefusedRequest`."""
    for request in puzzle.requests:
        if request.name == name:
            return request
    known = ", ".join(request.name for request in puzzle.requests) or "none"
    raise RefusedRequest(f"{puzzle.name} has no request {name[:40]!r}; it has {known}")


def refuse_unable(contender: BackendContender, request: Request) -> None:
    """Raise `RefusedRequest` if the backend does not take the options of the request; the message names backends that do."""
    wanted = request.solve.keys() - {"certify"}
    if not wanted <= set(contender.backend.options):
        able = [each.label for each in backends(contender.puzzle) if wanted <= set(each.options)]
        raise RefusedRequest(f"{contender.name} cannot answer {request.name}: ask {' or '.join(able) or 'nobody'}")


def _reply(contender: BackendContender, instance: Instance, name: str, value: str) -> str:
    puzzle = puzzles.get(contender.puzzle)
    request = request_of(puzzle, name)
    options = {"certify": True, **dict(contender.options), **request.solve}
    answer = contender.backend.solve(instance, **options)
    try:
        text, fields = request.text(instance, answer, value), request.fields(instance, answer, value)
        svg = puzzle.picture(instance, answer) if request.picture is None else request.picture(instance, answer, value)
    except UserError as error:
        raise UserError(str(error).removeprefix(f"--{name}: ")) from None
    shown = {"text": text, "svg": svg if len(svg) <= MAX_SVG else None, "fields": {**puzzle.fields(answer), **fields}}
    shown |= in_words(puzzle, instance, answer)
    return json.dumps(shown, default=str, allow_nan=False)


def states_formula(backend: Backend) -> bool:
    """Whether what a backend states is a formula. A CP-SAT model can be written down too, but it is none."""
    return backend.side == "models" and backend.encodes and "ortools" not in backend.requires


def formula(pool: Pool, contender: BackendContender, text: str) -> dict[str, Any]:
    """The formula that a backend states of a board: its size, and the text in DIMACS; raises `RefusedRequest`."""
    if not states_formula(contender.backend):
        able = [each.label for each in backends(contender.puzzle) if states_formula(each)]
        raise RefusedRequest(f"{contender.name} has no formula that could be written down; these have: {', '.join(able) or 'none'}")
    return _in_a_child(pool, _formula, contender, apart(pool, the_one, contender.puzzle, text))


def _formula(contender: BackendContender, instance: Instance) -> str:
    from models.backend_encoding import asked_formula
    from models.dimacs import text as dimacs_text

    encoding = asked_formula(instance, backend=contender.backend_name)
    dimacs = dimacs_text(encoding)
    if len(dimacs) > MAX_DIMACS:
        raise UserError(f"the formula has {len(dimacs):,} characters, too many for the page: write it with the command")
    size = {"variables": encoding.formula.variables, "clauses": len(encoding.formula.clauses)}
    return json.dumps({**size, "dimacs": dimacs})


def _in_a_child(pool: Pool, function: Callable[..., str], contender: BackendContender, *args: Any) -> dict[str, Any]:
    """The JSON that the function returns, called in a solver; raises `RefusedRequest` if it does not end well."""
    with pool.foreign_solver(contender) if contender.foreign else pool.solver(contender) as solver:
        outcome = solver.call(function, contender, *args, limits=SOLVE, endings=_ENDINGS)
    if outcome.ok:
        return json.loads(outcome.value)
    if outcome.status in _ENDINGS.values():
        raise RefusedRequest(outcome.detail)
    raise RefusedRequest(f"{contender.name} gave no reply: {outcome.status}, {outcome.detail}")
