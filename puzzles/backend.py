"""Backends: the registry that finds them, and the two sides, `direct` and `models`, that offer them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any, TypeVar

import puzzles
from puzzles.answer import Answer
from puzzles.extras import not_installed
from puzzles.grid import Board
from puzzles.text import UnknownName, UserError

F = TypeVar("F", bound=Callable[..., Answer])


class Unsupported(Exception):
    """A board that a backend cannot take; the message is the reason. SKIPPED in `compare`, exit status 3 elsewhere."""


@dataclass(frozen=True)
class Backend:
    """One way to solve one puzzle.

    Attributes:
        side: `direct` or `models`.
        function: (board, *, certify, **options) -> answer.
        source: where the method comes from.
        assumes: what the method rests on beyond the statement of the puzzle; empty where it is nothing.
        complete: False where it may claim too little (what it claims is right all the same).
        options: names of the keyword options that it takes.
        many: (boards, *, certify, **options) -> answers, where solving a whole list at once is faster than one by one.
        limit: cells up to which `compare` lets it take part by default; None for no limit.
        requires: modules that it imports when it runs.
        slow: whether a board takes tens of milliseconds, too much for a search over thousands of boards.
    """

    side: str
    puzzle: str
    name: str
    function: Callable[..., Answer]
    source: str
    assumes: str = ""
    complete: bool = True
    options: tuple[str, ...] = ()
    many: Callable[..., Sequence[Answer]] | None = None
    limit: int | None = None
    requires: tuple[str, ...] = ()
    slow: bool = False

    @property
    def label(self) -> str:
        return f"{self.side}:{self.name}"

    @property
    def defaults(self) -> dict[str, Any]:
        """Its options with the values that they have unless told otherwise."""
        parameters = signature(self.function).parameters
        return {name: parameters[name].default for name in self.options}

    def available(self) -> str | None:
        """None, or the reason why this backend cannot run here."""
        missing = [module for module in self.requires if find_spec(module) is None]
        return not_installed(missing) if missing else None

    def solve(self, board: Board, *, certify: bool = False, **options: Any) -> Answer:
        """Solve one board; with `certify` the answer carries its certificate.

        Raises:
            UserError: an option that this backend does not take, or a board of another puzzle.
            Unsupported: a board that this backend cannot take.
        """
        if board.puzzle != self.puzzle:
            raise UserError(f"{self.label} solves {self.puzzle}, not {board.puzzle}")
        self.refuse_unknown(options)
        return self.function(board, certify=certify, **options)

    def solve_many(self, boards: Sequence[Board], *, certify: bool = False, **options: Any) -> list[Answer]:
        """Solve a list of boards of this puzzle; raises what `solve` raises."""
        if self.many is None or not boards:
            return [self.solve(board, certify=certify, **options) for board in boards]
        self.refuse_unknown(options)
        return list(self.many(boards, certify=certify, **options))

    def refuse_unknown(self, options: dict[str, Any]) -> None:
        """Raise `UserError` for an option that this backend does not take."""
        for option in options:
            if option not in self.options:
                takes = f"it takes {', '.join(self.options)}" if self.options else "it takes none"
                raise UserError(f"{self.label} has no option {option!r}: {takes}")


_registry: dict[tuple[str, str], dict[str, Backend]] = {}


def backend(puzzle: str, name: str, *, side: str, source: str, **rest: Any) -> Callable[[F], F]:
    """Register the decorated function as a backend; `rest` are further fields of `Backend`.

    The first one that a side registers for a puzzle is that side's default.
    """

    def register(function: F) -> F:
        entry = Backend(side, puzzle, name, function, source, **rest)
        _registry.setdefault((side, puzzle), {})[name] = entry
        return function

    return register


class Side:
    """The backends of one package, each puzzle's module imported only when that puzzle is asked for."""

    def __init__(self, package: str) -> None:
        self.name = package
        self._looked: set[str] = set()

    def _known(self, puzzle: str) -> dict[str, Backend]:
        """The backends for a puzzle by name, in the order in which they were registered."""
        if puzzle not in self._looked:
            puzzles.get(puzzle)
            if find_spec(f"{self.name}.{puzzle}") is not None:
                import_module(f"{self.name}.{puzzle}")
            self._looked.add(puzzle)
        return _registry.get((self.name, puzzle), {})

    def backends(self, puzzle: str) -> dict[str, Backend]:
        """The backends for a puzzle by name, the default first, plugins' last; raises `UnknownName` for an unknown puzzle."""
        return dict(sorted(self._known(puzzle).items(), key=lambda item: not self.owns(item[1])))

    def owns(self, backend: Backend) -> bool:
        """Whether the backend is one of this package's own, and not a plugin's."""
        return backend.function.__module__.partition(".")[0] == self.name

    def get(self, puzzle: str, name: str | None = None) -> Backend:
        """The backend of that name (default: the puzzle's first); raises `UnknownName`."""
        found = self._known(puzzle).get(name) if name is not None else next(iter(self.backends(puzzle).values()), None)
        if found is None:
            raise UnknownName(f"{self.name} backend for {puzzle}", str(name), list(self.backends(puzzle)))
        return found

    def solve(self, board: Board, backend: str | None = None, *, certify: bool = False, **options: Any) -> Answer:
        """Solve one board with the backend of that name (default: the puzzle's first); see `Backend.solve`."""
        return self.get(board.puzzle, backend).solve(board, certify=certify, **options)

    def solve_text(
        self, puzzle: str, text: str | bytes, *, backend: str | None = None, format: str | None = None, **options: Any
    ) -> str:
        """Contest text in, contest text out; raises `InputError` besides what `solve` raises."""
        known = puzzles.get(puzzle)
        chosen, style = self.get(puzzle, backend), known.format(format)
        return known.print_answers(chosen.solve_many(known.parse(text, "<text>"), **options), style)
