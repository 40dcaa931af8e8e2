"""Backends, the registry that finds them, and the two sides, `direct` and `models`, that offer
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.util import find_spec
from inspect import isgenerator, signature
from pkgutil import iter_modules
from typing import Any, Self, TypeVar

from puzzles import registry
from puzzles.answer import Answer, Question
from puzzles.extras import not_installed
from puzzles.instance import AnswerT, Instance
from puzzles.text import UserError, choose_by_name, quote_beginning

F = TypeVar("F", bound=Callable[..., Answer | Iterator[Answer]])

Choice = bool | int | float | str
"""A value that an option of a backend may have."""


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
        options: the keyword options that it takes, by name, each with the values that it may have;
            without any if they are not known.
        chosen: the options whose values its name says; see `with_options`.
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
        place: the file of a user and the line where its function begins, such as `lights.py:12`;
            filled in when the file is loaded, and empty if nobody knows.
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
    options: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
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
    chosen: Mapping[str, Choice] = field(default_factory=dict)
    place: str = ""

    @property
    def label(self) -> str:
        return f"{self.side}:{self.name}"

    @property
    def encodes(self) -> bool:
        """Whether what it states can be written down."""
        return self.encode is not None

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Its options with their default values."""
        parameters = signature(self.function).parameters
        return {name: parameters[name].default for name in self.options} | dict(self.chosen)

    @property
    def plain_name(self) -> str:
        """Its name without options."""
        return self.name.partition(":")[0]

    def with_options(self, texts: Mapping[str, str]) -> Self:
        """This backend with these values of options, which its name says: `cnf:solver=glucose4`.

        Raises:
            UserError: it does not take an option, or not this value.
        """
        if not texts:
            return self
        chosen = {**self.chosen, **{name: self._value(name, text) for name, text in texts.items()}}
        words = [f"{name}={choice_text(chosen[name])}" for name in self.options if name in chosen]
        return replace(self, name=f"{self.plain_name}:{','.join(words)}", chosen=chosen)

    def _value(self, option: str, text: str) -> Choice:
        """The value of an option that a text names."""
        if option not in self.options:
            raise self._no_option(option)
        known, kind = self.options[option], type(self.defaults.get(option))
        for each in known:
            if choice_text(each) == (text.lower() if isinstance(each, bool) else text):
                return each
        if known:
            raise self._no_value(option, quote_beginning(text))
        if kind not in (int, float):
            return text
        try:
            return kind(text)
        except ValueError:
            raise UserError(
                f"{self.label}: the option {option} is a number, not {quote_beginning(text)}"
            ) from None

    def available(self) -> str | None:
        """None, or the reason why this backend cannot run here."""
        missing = [module for module in self.requires if find_spec(module) is None]
        return not_installed(missing) if missing else None

    def solve(
        self, instance: Instance[AnswerT], *, certify: bool = False, **options: Any
    ) -> AnswerT:
        """Solve one instance; with `certify` the answer carries its certificate. A backend that
        yields answers reports each of them, and the last one is its answer.

        Raises:
            UserError: this backend does not take an option, or the instance is of another puzzle.
            Unsupported: this backend cannot take the instance.
        """
        if instance.puzzle != self.puzzle:
            raise UserError(f"{self.label} solves {self.puzzle}, not {instance.puzzle}")
        self.refuse_unknown(options)
        answer = self.function(instance, certify=certify, **{**self.chosen, **options})
        return self.as_said(last_answer(answer))

    def solve_many(
        self, instances: Sequence[Instance[AnswerT]], *, certify: bool = False, **options: Any
    ) -> list[AnswerT]:
        """Solve instances of this puzzle; raises what `solve` raises."""
        if self.many is None or not instances:
            return [self.solve(instance, certify=certify, **options) for instance in instances]
        self.refuse_unknown(options)
        return list(
            map(self.as_said, self.many(instances, certify=certify, **{**self.chosen, **options}))
        )

    def as_said(self, answer: Any) -> Any:
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
        if self.refuses is None:
            return False
        return bool(self.refuses(instance, certify=certify, **{**self.defaults, **options}))

    def refusal(self, instance: Instance, **options: Any) -> str:
        """Why the backend does not take this call, as `refuses` says it; empty if it takes it."""
        reason = self.refuses is not None and self.refuses(
            instance, certify=False, **{**self.defaults, **options}
        )
        if not reason:
            return ""
        return reason if isinstance(reason, str) else f"{self.label} declares that by `refuses`"

    @cached_property
    def encode_options(self) -> dict[str, Any]:
        """Those of its options that its `encode` names as parameters, with their values."""
        taken = signature(self.encode).parameters if self.encode else {}
        return {name: value for name, value in self.defaults.items() if name in taken}

    def refuse_unknown(self, options: Mapping[str, Any]) -> None:
        """Raise `UserError` for an option that this backend does not take, and for a value that is
        none of the option's.
        """
        for option, value in options.items():
            if option not in self.options:
                raise self._no_option(option)
            known = self.options[option]
            if known and value not in known:
                raise self._no_value(option, repr(value))

    def _no_option(self, option: str) -> UserError:
        takes = f"it takes {', '.join(self.options)}" if self.options else "it takes none"
        others = [
            each.name
            for each in _registry.get((self.side, self.puzzle), {}).values()
            if option in each.options
        ]
        hint = f"; choose the backend {' or '.join(others)} for it" if others else ""
        if option == "solver" and self.side == "models":
            hint += f"; {TO_TAKE_A_SOLVER}"
        return UserError(f"{self.label} has no option {option!r}: {takes}{hint}")

    def _no_value(self, option: str, shown: str) -> UserError:
        known = choices_text(self.options[option])
        return UserError(f"{self.label}: the option {option} may be {known}, not {shown:.60}")


def malformed_text(what: object, place: str) -> str:
    """The sentence that an answer is malformed: what is wrong with it, and the place of the backend
    if that is known.
    """
    return f"malformed answer: {what}" + (f"; the backend begins at {place}" if place else "")


_registry: dict[tuple[str, str], dict[str, Backend]] = {}
_collecting: list[list[Backend]] = []
"""Where backends go in place of the registry, the innermost last."""


_listeners: list[Callable[[Answer], object]] = []


@contextmanager
def hear_reports(listener: Callable[[Answer], object]) -> Iterator[None]:
    """Within, the listener hears of each answer that a backend reports before its last one."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def report(answer: Answer) -> None:
    """Say what is known so far, while the search for the best goes on: a solution, a bound, or
    both.

    `compare` keeps the best of each if the backend is stopped at its limit. Where nobody listens
    this does nothing.
    """
    if not isinstance(answer, Answer):  # pyright: ignore[reportUnnecessaryIsInstance] - users err
        raise TypeError(f"report({answer!r:.40}): it takes an answer, as a backend returns it")
    for each in [*_listeners]:
        each(answer)


def last_answer(returned: Any) -> Any:
    """What a backend has returned; of a generator the last answer that it yields, when each has
    been reported.
    """
    if not isgenerator(returned):
        return returned
    last: Any = None
    for last in returned:
        report(last)
    if last is None:
        raise TypeError("the backend has yielded no answer")
    return last


@contextmanager
def collect_backends() -> Iterator[list[Backend]]:
    """Within, backends are not registered, but put into this list."""
    backends: list[Backend] = []
    _collecting.append(backends)
    try:
        yield backends
    finally:
        _collecting.remove(backends)


def backend(
    puzzle: str,
    name: str,
    *,
    side: str,
    source: str,
    options: Mapping[str, Iterable[Choice]] | Iterable[str] = (),
    **rest: Any,
) -> Callable[[F], F]:
    """Register the decorated function as a backend; `rest` are further fields of `Backend`.

    Args:
        options: `{"card": ("seqcounter", "totalizer")}`, or names alone: `("solver",)`. An option
            whose default is True or False has these two values.

    Raises:
        UserError: the values of an option cannot be told apart, or written on a command line.
    """

    def register(function: F) -> F:
        known = _known_choices(function, options)
        entry = Backend(side, puzzle, name, function, source, options=known, **rest)
        if _collecting:
            _collecting[-1].append(entry)
        else:
            enter(entry)
        return function

    return register


def _known_choices(
    function: Callable[..., Any], options: Mapping[str, Iterable[Choice]] | Iterable[str]
) -> dict[str, Sequence[Choice]]:
    """Each option with its values."""
    known: dict[str, Sequence[Choice]] = {}
    parameters = signature(function).parameters
    for name in options:
        choices = tuple(options[name]) if isinstance(options, Mapping) else ()
        default = parameters[name].default if name in parameters else None
        if not choices and isinstance(default, bool):
            choices = (False, True)
        for each in choices:
            text = choice_text(each)
            if not isinstance(each, Choice) or not re.fullmatch(r"[^\s,=@]+", text):
                raise UserError(
                    f"the option {name} has the choice {each!r:.60}: expected a number, True or "
                    "False, or a word without blanks, commas, = and @"
                )
        if len({*map(choice_text, choices)}) < len(choices):
            raise UserError(f"the option {name} has two choices that are written alike")
        if choices and name in parameters and default not in choices:
            raise UserError(
                f"the option {name} needs a default that is one of its choices: "
                f"{choices_text(choices)}"
            )
        known[name] = choices
    return known


def choice_text(value: Choice) -> str:
    """A value of an option as a command line has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def choices_text(choices: Sequence[Choice]) -> str:
    """The values of an option, for people: of many the first ones and the last one."""
    texts = [choice_text(each) for each in choices]
    if len(texts) > MAX_CHOICES_SHOWN:
        texts = [*texts[:3], "...", texts[-1]]
    return ", ".join(texts)


MAX_CHOICES_SHOWN = 12
"""Values of an option that a line names."""


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """The name of a backend without its options, and the values of these:
    `totals:card=totalizer,solver=glucose4`.

    Raises:
        UserError: an option is not written as NAME=VALUE, or stands there twice.
    """
    before, equals, _ = text.partition("=")
    if not equals:
        return text, {}
    name, colon, _ = before.rpartition(":")
    texts: dict[str, str] = {}
    for word in text.removeprefix(name + colon).split(","):
        option, _, value = word.partition("=")
        if not (name and option and value):
            raise UserError(
                f"{quote_beginning(text)}: options stand behind the name of a backend as "
                "BACKEND:NAME=VALUE, with a comma before each further NAME=VALUE"
            )
        if option in texts:
            raise UserError(f"{quote_beginning(text)}: the option {option} stands there twice")
        texts[option] = value
    return name, texts


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
        """The backend of this name (None: the default), which may say values of its options:
        `cnf:solver=glucose4`.

        Raises:
            UnknownName: there is no such backend.
            UserError: there is none at all, it has no such option, or the option no such value.
        """
        known = self.backends(puzzle)
        if name is not None:
            plain, texts = split_options(name)
            chosen = choose_by_name(f"{self.name} backend for {puzzle}", plain, known)
            return chosen.with_options(texts)
        if not known:
            place = registry.get(puzzle).origin.place_of_backend(self.name)
            raise UserError(
                f"{self.name} has no backend for {puzzle}: write one into {place}, a function "
                f"under @backend({puzzle!r}, NAME, side={self.name!r}, source=...), or ask the "
                "other side"
            )
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
