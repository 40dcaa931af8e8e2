"""Backends, the registry that finds them, and the two sides, `direct` and `models`, that offer
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from inspect import signature
from pkgutil import iter_modules
from typing import Any, TypeVar

from puzzles import registry
from puzzles.answer import Answer, Question
from puzzles.extras import not_installed
from puzzles.instance import AnswerT, Instance
from puzzles.text import UserError, choose_by_name

F = TypeVar("F", bound=Callable[..., Answer])


SIDE_NAMES = ("direct", "models")
"""The names of the sides."""


TO_TAKE_A_SOLVER = (
    "a backend of your own takes --solver if its @backend names options=('solver',) and it opens "
    "that solver with models.session.session (docs/own-encodings.md)"
)


class Unsupported(Exception):
    """An instance that a backend cannot take; the message is the reason.

    SKIPPED in `compare`, exit status 3 elsewhere.
    """


@dataclass(frozen=True)
class Backend:
    """One way to solve one puzzle.

    Attributes:
        side: `direct` or `models`.
        puzzle: the name of the puzzle.
        name: the backend's name; `label` is unique for a puzzle.
        function: (instance, *, certify, **options) -> answer.
        source: where the method comes from.
        assumes: what the method assumes beyond the statement of the puzzle; empty for nothing.
        complete: False if it may claim only a part of the answer; what it claims must be right all
            the same.
        finds: what an incomplete backend finds at least, by the puzzle's name for it
            (`Puzzle.lacking`); or "".
        quick: the largest size of an instance that it surely solves within a second or so; None for
            any size. Fuzzing gives it larger ones only if the user asks for larger boards.
        options: names of the keyword options that it takes.
        many: (instances, *, certify, **options) -> answers, if solving a list together is faster
            than one by one.
        limit: the largest size of an instance on which `compare` runs it by default; None for no
            limit.
        requires: modules that it imports when it runs.
        slow: whether a small instance takes tens of milliseconds, too much for a search over
            thousands of instances.
        certifies: whether every answer to `certify=True` comes with a valid certificate. None:
            always if the backend is one of this project's; a plugin's backend then promises only
            that a certificate that it gives is valid.
        refuses: takes what `function` takes; whether the backend does not take that call, or may
            give no certificate if the call asks for one. It returns the reason, or True. `compare
            run` then does not call the backend. None: it refuses nothing up to its `limit`.
        surely_takes: the largest size of an instance that it surely takes and certifies unless
            `refuses` says otherwise; it may refuse any larger one. None: any size.
        encode: (instance) or (instance, cell) -> what the backend states, complete by itself and
            with names for its variables, if it can be written down. `cell` is a flat index or None;
            see `models.backend_encoding` for what may be returned.
        encodes_first: whether its `encode` states the puzzle where nobody names a backend, rather
            than that of another backend of its side.
        default: whether its side solves the puzzle by it where nobody names a backend. If no
            backend says so, the first one does.
    """

    side: str
    puzzle: str
    name: str
    function: Callable[..., Any]
    source: str
    assumes: str = ""
    complete: bool = True
    finds: str = ""
    quick: int | None = None
    options: tuple[str, ...] = ()
    many: Callable[..., Sequence[Any]] | None = None
    limit: int | None = None
    requires: tuple[str, ...] = ()
    slow: bool = False
    certifies: bool | None = None
    refuses: Callable[..., bool | str] | None = None
    surely_takes: int | None = None
    encode: Callable[..., Any] | None = None
    encodes_first: bool = False
    default: bool = False

    @property
    def label(self) -> str:
        return f"{self.side}:{self.name}"

    @property
    def encodes(self) -> bool:
        """Whether what it states can be written down."""
        return self.encode is not None

    @property
    def defaults(self) -> dict[str, Any]:
        """Its options with their default values."""
        parameters = signature(self.function).parameters
        return {name: parameters[name].default for name in self.options}

    def available(self) -> str | None:
        """None, or the reason why this backend cannot run here."""
        missing = [module for module in self.requires if find_spec(module) is None]
        return not_installed(missing) if missing else None

    def solve(
        self, instance: Instance[AnswerT], *, certify: bool = False, **options: Any
    ) -> AnswerT:
        """Solve one instance; with `certify` the answer carries its certificate.

        Raises:
            UserError: this backend does not take an option, or the instance is of another puzzle.
            Unsupported: this backend cannot take the instance.
        """
        if instance.puzzle != self.puzzle:
            raise UserError(f"{self.label} solves {self.puzzle}, not {instance.puzzle}")
        self.refuse_unknown(options)
        return self._as_said(self.function(instance, certify=certify, **options))

    def solve_many(
        self, instances: Sequence[Instance[AnswerT]], *, certify: bool = False, **options: Any
    ) -> list[AnswerT]:
        """Solve instances of this puzzle; raises what `solve` raises."""
        if self.many is None or not instances:
            return [self.solve(instance, certify=certify, **options) for instance in instances]
        self.refuse_unknown(options)
        return list(map(self._as_said, self.many(instances, certify=certify, **options)))

    def _as_said(self, answer: Any) -> Any:
        """The answer; of an incomplete backend a best value is only that of a solution."""
        if self.complete or not (puzzle := registry.get(self.puzzle)).better:
            return answer
        return puzzle.in_part(answer)

    def may_refuse(self, instance: Instance, *, certify: bool = False, **options: Any) -> bool:
        """Whether it declares by `limit`, `surely_takes` or `refuses` that it may refuse this
        call.
        """
        sizes = self.limit, self.surely_takes
        if any(size is not None and instance.size > size for size in sizes):
            return True
        return self.refuses is not None and bool(self.refuses(instance, certify=certify, **options))

    def refusal(self, instance: Instance, **options: Any) -> str:
        """Why the backend does not take this call, as `refuses` says it; empty if it takes it."""
        reason = self.refuses is not None and self.refuses(instance, certify=False, **options)
        if not reason:
            return ""
        return reason if isinstance(reason, str) else f"{self.label} declares that by `refuses`"

    def refuse_unknown(self, options: dict[str, Any]) -> None:
        """Raise `UserError` for an option that this backend does not take."""
        for option in options:
            if option not in self.options:
                takes = f"it takes {', '.join(self.options)}" if self.options else "it takes none"
                others = [
                    each.name
                    for each in _registry.get((self.side, self.puzzle), {}).values()
                    if option in each.options
                ]
                hint = f"; choose the backend {' or '.join(others)} for it" if others else ""
                if option == "solver" and self.side == "models":
                    hint += f"; {TO_TAKE_A_SOLVER}"
                raise UserError(f"{self.label} has no option {option!r}: {takes}{hint}")


_registry: dict[tuple[str, str], dict[str, Backend]] = {}
_collecting: list[list[Backend]] = []
"""Where backends go in place of the registry, the innermost last."""


@contextmanager
def collect_backends() -> Iterator[list[Backend]]:
    """Within, backends are not registered, but put into this list."""
    backends: list[Backend] = []
    _collecting.append(backends)
    try:
        yield backends
    finally:
        _collecting.remove(backends)


def backend(puzzle: str, name: str, *, side: str, source: str, **rest: Any) -> Callable[[F], F]:
    """Register the decorated function as a backend; `rest` are further fields of `Backend`."""

    def register(function: F) -> F:
        entry = Backend(side, puzzle, name, function, source, **rest)
        if _collecting:
            _collecting[-1].append(entry)
        else:
            enter(entry)
        return function

    return register


def enter(entry: Backend) -> None:
    """Put a backend into the registry, in the place of one with the same side, puzzle and name."""
    _registry.setdefault((entry.side, entry.puzzle), {})[entry.name] = entry


def forget(puzzle: str) -> None:
    """Take all backends of a puzzle out of the registry."""
    for key in [key for key in _registry if key[1] == puzzle]:
        del _registry[key]


def withdraw(entry: Backend) -> None:
    """Take one backend out of the registry."""
    _registry[entry.side, entry.puzzle].pop(entry.name, None)


def all_backends() -> list[Backend]:
    """Every backend in the registry; those of a puzzle that nobody has looked up are not there
    yet.
    """
    return [entry for entries in _registry.values() for entry in entries.values()]


class NoBackend(UserError, LookupError):
    """A side has no backend for a puzzle; the message says where one belongs."""

    def __init__(self, side: str, puzzle: str) -> None:
        place = registry.get(puzzle).origin.place_of_backend(side)
        super().__init__(
            f"{side} has no backend for {puzzle}: write one into {place}, a function under "
            f"@backend({puzzle!r}, NAME, side={side!r}, source=...), or ask the other side"
        )


def _default_first(backends: list[Backend]) -> list[Backend]:
    defaults = [each for each in backends if each.default]
    if len(defaults) > 1:
        one, other = defaults[:2]
        raise UserError(
            f"{one.label} and {other.label} are both the default for {one.puzzle}: leave "
            "`default=True` at one of them"
        )
    return sorted(backends, key=lambda each: not each.default)


class Side:
    """The backends of one package.

    A puzzle's module is imported when its backends are first looked up.
    """

    def __init__(self, package: str) -> None:
        self.name = package
        self._imported: set[str] = set()

    def _backends_of(self, puzzle: str) -> list[Backend]:
        """The backends for a puzzle, in the order of their registration.

        They are in the puzzle's module. If that is a package, then also in its modules
        `by_NAME.py`, which nothing has to import.
        """
        if puzzle not in self._imported:
            name = registry.get(puzzle).origin.side_module(self.name)
            if name is not None:
                package = registry.import_part(puzzle, name)
                for module in iter_modules(getattr(package, "__path__", ())):
                    if module.name.startswith("by_"):
                        registry.import_part(puzzle, f"{name}.{module.name}")
            self._imported.add(puzzle)
        return list(_registry.get((self.name, puzzle), {}).values())

    def backends(self, puzzle: str) -> dict[str, Backend]:
        """The backends for a puzzle by name: ours, then those of users, of each the default first.
        The others of ours follow by their names, those of users in the order of their registration.

        Raises:
            UnknownName: there is no such puzzle.
            UserError: two of ours, or two of a user's, are the default.
        """
        known = self._backends_of(puzzle)
        ours = sorted(filter(self.owns, known), key=lambda each: each.name)
        others = [each for each in known if not self.owns(each)]
        return {each.name: each for some in (ours, others) for each in _default_first(some)}

    def owns(self, backend: Backend) -> bool:
        """Whether the backend is one of this package, not of a plugin."""
        return backend.function.__module__.partition(".")[0] == self.name

    def get(self, puzzle: str, name: str | None = None) -> Backend:
        """The backend of this name (None: the default); raises `UnknownName`."""
        known = self.backends(puzzle)
        if name is not None:
            return choose_by_name(f"{self.name} backend for {puzzle}", name, known)
        if not known:
            raise NoBackend(self.name, puzzle)
        return next(iter(known.values()))

    def solve(
        self,
        instance: Instance[AnswerT],
        backend: str | None = None,
        *,
        certify: bool = False,
        **options: Any,
    ) -> AnswerT:
        """Solve one instance with the backend of this name (None: the default); see
        `Backend.solve`.
        """
        solver = self.get(instance.puzzle, backend)
        certified = partial(solver.solve, instance, certify=True, **options)
        return solver.solve(instance, certify=certify, **options).knowing(
            question=Question(instance, certified)
        )

    def solve_text(
        self,
        puzzle: str,
        text: str | bytes,
        *,
        backend: str | None = None,
        format: str | None = None,
        **options: Any,
    ) -> str:
        """Contest text in, contest text out; raises `InputError` and what `solve` raises."""
        import puzzles  # late: it stands above this module

        rules = puzzles.find(puzzle)
        solver, style = self.get(rules.name, backend), rules.format(format)
        return rules.print_answers(solver.solve_many(rules.parse(text), **options), style)
