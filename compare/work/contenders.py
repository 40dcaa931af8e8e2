"""Who takes part in a comparison: our backends, the user's programs, and answers that already exist."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import direct
import models
from puzzles.backend import Backend, Side
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError

SIDES: dict[str, Side] = {"direct": direct.SIDE, "models": models.SIDE}


@dataclass(frozen=True)
class Contender:
    """One participant for one puzzle.

    It has a `side` and a `backend`, or a `command`, or its answers are `given` with the set.

    Attributes:
        name: `side:name` of a backend, else the name that the user gave.
        options: what its backend is called with.
        limit: cells above which it sits out.
        absent: the reason why it cannot take part here at all, or None.
    """

    puzzle: str
    name: str
    complete: bool = True
    side: str | None = None
    backend: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    limit: int | None = None
    absent: str | None = None
    command: tuple[str, ...] | None = None
    given: bool = False

    @property
    def solver(self) -> str | None:
        return dict(self.options).get("solver")

    @property
    def ours(self) -> bool:
        """A backend of this package, not a plugin's, a program or given answers."""
        return self.side is not None and SIDES[self.side].owns(self.resolve())

    def resolve(self) -> Backend:
        """The backend behind this contender."""
        if self.side is None or self.backend is None:
            raise LookupError(f"{self.name} is no backend")
        return SIDES[self.side].get(self.puzzle, self.backend)


def of_backend(backend: Backend, options: dict[str, Any], *, named: bool = False) -> Contender:
    """A contender for a backend; each option is passed where the backend takes it; `named` ones ignore their limit."""
    return Contender(
        backend.puzzle,
        backend.label,
        backend.complete,
        backend.side,
        backend.name,
        tuple((name, options.get(name, default)) for name, default in backend.defaults.items()),
        None if named else backend.limit,
        backend.available(),
    )


def choose(puzzle: Puzzle, wanted: Sequence[str], options: dict[str, Any]) -> list[Contender]:
    """The contenders that `-b` names (default: every backend), the default direct backend first where it takes part.

    A name is a side (its default backend), `side:name`, or a name that only one side has.

    Raises:
        UnknownName: no backend of the puzzle bears the name.
    """
    everything = [backend for side in SIDES.values() for backend in side.backends(puzzle.name).values()]
    if not wanted:
        return [of_backend(backend, options) for backend in everything]
    chosen: list[Backend] = []
    for name in wanted:
        if name in SIDES:
            matching = [SIDES[name].get(puzzle.name)]
        else:
            matching = [backend for backend in everything if name in (backend.name, backend.label)]
        if len(matching) != 1:
            known = [*SIDES, *(backend.label for backend in everything)]
            raise UnknownName(f"{puzzle.name} backend", name, known)
        chosen += [backend for backend in matching if backend not in chosen]
    chosen.sort(key=everything.index)
    return [of_backend(backend, options, named=True) for backend in chosen]


EVERY_SOLVER = "all"
"""The value of --solver that makes a contender of each solver."""


def with_every_solver(contenders: Sequence[Contender], solvers: Sequence[str]) -> list[Contender]:
    """Each contender that takes a solver, once for each of them, named `side:name@solver`; the others as they are."""
    spread: list[Contender] = []
    for each in contenders:
        if each.solver is None:
            spread.append(each)
            continue
        for solver in solvers:
            options = tuple((name, solver if name == "solver" else value) for name, value in each.options)
            spread.append(replace(each, name=f"{each.name}@{solver}", options=options))
    return spread


def programs(puzzle: Puzzle, given: Sequence[str], partial: Sequence[str]) -> list[Contender]:
    """The contenders that `--program NAME=COMMAND` names; those in `partial` claim only part of an answer.

    Raises:
        UserError: no `=`, a name twice or one that no program bears, or a command that cannot be read or is not there.
    """
    found: list[Contender] = []
    for each in given:
        name, equals, command = each.partition("=")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UserError(f"--program {name}: the command {command!r} cannot be read: {error}") from None
        if not (name and equals and words):
            raise UserError(f"--program takes NAME=COMMAND, not {each!r}")
        if shutil.which(words[0]) is None:
            raise UserError(f"--program {name}: no executable {words[0]!r}")
        if name in [other.name for other in found] or ":" in name or name in SIDES:
            raise UserError(f"--program {name}: the name is taken, or has a colon in it")
        found.append(Contender(puzzle.name, name, complete=name not in partial, command=tuple(words)))
    for name in partial:
        if name not in [program.name for program in found]:
            raise UnknownName("program", name, [program.name for program in found])
    return found
