"""A user's puzzle with every function watched: what it raises, and values of a wrong type, become a
`PuzzleFault`.

The check is not watched here: whoever calls it turns what it raises into a verdict that names the
line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple

from puzzles.answer import Answer
from puzzles.backend import Backend, Unsupported
from puzzles.case import CasePuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.shell.time_limits import TooLong, at_most
from puzzles.space import space_of
from puzzles.text import UserError
from puzzles.user.user_file import Misread, UserFile, fault, place_of, raised

GENERATE_S = 30.0
"""Seconds that one instance of a family may take."""

_MAX_SMALLER = 20_000
"""Smaller instances of one instance that are looked at; so an endless `smaller` does no harm."""

_THEIR_OWN = (UserError, Unsupported, MemoryError)
"""Exceptions that say what they mean to whoever calls."""


class _Method(NamedTuple):
    """A method that is watched: the type of its values, and those of its exceptions that are no
    faults.
    """

    value: type | tuple[type, ...]
    named: str
    passing: tuple[type[Exception], ...] = ()


_METHODS = {
    "parse": _Method(list, "a list of instances"),
    "print_instances": _Method(str, "a text", (ValueError,)),
    "print_answers": _Method(str, "a text"),
    "parse_answers": _Method(list, "a list of answers"),
    "fields": _Method(Mapping, "a dictionary"),
    "picture": _Method(str, "an SVG text"),
    "legal": _Method(Instance, "an instance"),
    "extended": _Method(Instance, "an instance"),
    "decided": _Method(int, "a whole number"),
    "place_of": _Method(str, "a text"),
    "outcome": _Method(str, "a text"),
    "lacking": _Method((str, type(None)), "a text or None"),
    "broken_promise": _Method(str, "a text, which is empty if no promise is broken"),
    # What the rules raise is the check's to tell. Not every puzzle has them.
    **dict.fromkeys(
        ("broken_rule", "core_fault", "bound_fault"),
        _Method(str, "a text, which is empty if nothing is wrong", (Exception,)),
    ),
}


def watched(puzzle: Puzzle, file: UserFile) -> Puzzle:
    """The same puzzle with its functions watched, as an instance of a subclass."""
    kind = type(puzzle)
    body: dict[str, Any] = {
        name: _watched(getattr(kind, name), name, method, file)
        for name, method in _METHODS.items()
        if hasattr(kind, name)
    }
    body["parse"] = _compared(body["parse"], file)
    body["extra_pictures"] = _watched_steps(kind.extra_pictures, "extra_pictures", file)
    smaller: Callable[..., Any] = kind.smaller
    doing = "smaller"
    if smaller is Puzzle.smaller:
        smaller, doing = _steps_of_space, "building a smaller instance"
    body["smaller"] = _watched_steps(smaller, doing, file)
    for name in ("families", "fuzz_families"):
        body[name] = _watched_families(kind, name, file)
    body |= {"__module__": kind.__module__, "__doc__": kind.__doc__}
    guarded = object.__new__(type(kind.__name__, (kind,), body))
    vars(guarded).update(vars(puzzle))
    return guarded


def watched_backend(backend: Backend, file: UserFile) -> Backend:
    """The backend with functions that say where they raise, and that returns an answer."""
    answers = _watched(backend.function, _named(backend), _Method(Answer, "an answer"), file)
    return replace(watched_plugin(backend, file), function=answers)


def watched_plugin(backend: Backend, file: UserFile) -> Backend:
    """The backend with functions that say where they raise. Whoever reads its answers says what is
    wrong with them.
    """
    parts = {
        "function": (backend.function, _named(backend)),
        "many": (backend.many, f"{_named(backend)}, in `many`,"),
        "refuses": (backend.refuses, f"{_named(backend)}, in `refuses`,"),
        "encode": (backend.encode, f"{backend.label}: encode"),
    }
    anything = _Method(object, "")
    changed: dict[str, Any] = {
        name: _watched(function, doing, anything, file)
        for name, (function, doing) in parts.items()
        if function is not None
    }
    return replace(backend, **changed)


def _named(backend: Backend) -> str:
    return f"the backend {backend.label}"


def _watched(
    function: Callable[..., Any], name: str, method: _Method, file: UserFile
) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        value = _called(lambda: function(*args, **named), name, file, method.passing)
        if not isinstance(value, method.value):
            raise _wrong(file, function, name, value, method.named)
        return value

    return call


def _compared(parse: Callable[..., Any], file: UserFile) -> Callable[..., Any]:
    """`parse`, and what it has read is what was written."""

    @wraps(parse)
    def call(puzzle: Puzzle, text: str | bytes, name: str = "<text>") -> list[Instance]:
        instances = parse(puzzle, text, name)
        doing = "printing what was read"
        difference = _called(lambda: puzzle.misread(text, instances), doing, file)
        if difference is not None:
            line, what = difference
            case_type = puzzle.case_type if isinstance(puzzle, CasePuzzle) else None
            reading = case_type.read if case_type is not None else puzzle.read_instances
            where = place_of(file, case_type.text) if case_type is not None else None
            text_there = f" ({where})" if where else ""
            raise Misread(
                f"{place_of(file, reading) or file.argument}: {name}:{line}: {what}: mend "
                f"`{reading.__name__}`, which drops or changes something, or `text`{text_there}, "
                "which prints something else"
            )
        return instances

    return call


def _steps_of_space(puzzle: Puzzle, instance: Instance) -> Iterator[Instance]:
    """The smaller instances that the puzzle's space knows; building one calls the puzzle's
    `forbidden`.
    """
    return space_of(puzzle).steps(instance)


def _watched_steps(
    function: Callable[..., Iterable[Any]], name: str, file: UserFile
) -> Callable[..., Iterator[Any]]:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Iterator[Any]:
        steps = iter(_called(lambda: islice(function(*args, **named), _MAX_SMALLER), name, file))
        end = object()
        while (step := _called(lambda: next(steps, end), name, file)) is not end:
            yield step

    return call


def _watched_families(kind: type[Puzzle], name: str, file: UserFile) -> property:
    def families(puzzle: Puzzle) -> Mapping[str, Family]:
        # The attribute may be a property of the class, or a plain dictionary in its place.
        attribute = getattr(kind, name)
        function = attribute.fget if isinstance(attribute, property) else None
        value = attribute if function is None else _called(lambda: function(puzzle), name, file)
        if not isinstance(value, Mapping):
            raise _wrong(file, function, name, value, "a dictionary of families by their names")
        for each, family in value.items():
            if not isinstance(family, Family):
                raise fault(
                    file,
                    function,
                    f"{name} has {each!r}: {family!r:.60}, which is no family: write "
                    "Family(make, 'what it is about')",
                )
            if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in family.bundled):
                raise fault(
                    file,
                    function,
                    f"bundled of the family {each} is {family.bundled!r:.60}: expected pairs of "
                    "a size and a seed",
                )
        return {
            each: replace(family, make=_watched_make(puzzle, family, each, file))
            for each, family in value.items()
        }

    return property(families)


def _watched_make(
    puzzle: Puzzle, family: Family, name: str, file: UserFile
) -> Callable[[int, int], Any]:
    def make(size: int, seed: int) -> Any:
        doing = f"the family {name}, at size {size} and seed {seed},"
        try:
            with at_most(GENERATE_S):
                instance = _called(lambda: family.make(size, seed), doing, file)
            if not isinstance(instance, Instance) or instance.puzzle != puzzle.name:
                raise _wrong(file, family.make, doing, instance, f"an instance of {puzzle.name}")
            if instance.in_contest_format and type(puzzle).misread is Puzzle.misread:
                _read_back(puzzle, family, instance, doing, file)
        except TooLong as late:
            raise raised(file, late, doing) from None
        return instance

    return make


def _read_back(
    puzzle: Puzzle, family: Family, instance: Instance, doing: str, file: UserFile
) -> None:
    """Raise `PuzzleFault` unless an instance of a family is the same after printing and reading."""
    try:
        (again,) = puzzle.parse(puzzle.print_instances([instance]), "<printed>")
    except ValueError as error:
        what = f"{doing} gives what is refused when it is read: {error}: mend the family, or `read`"
        raise fault(file, family.make, what) from None
    if again != instance:
        values = [
            (each.name, *(_in_a_line(getattr(one, each.name)) for one in (instance, again)))
            for each in fields(instance)
        ]
        name, made, read = next((each for each in values if each[1] != each[2]), values[0])
        raise fault(
            file,
            family.make,
            f"{doing} gives what is another {puzzle.noun} when it is printed and read: {name} is "
            f"{made:.60}, then {read:.60}: mend the family, `text` or `read`",
        )


def _in_a_line(value: object) -> str:
    return " ".join(line.strip() for line in repr(value).splitlines())


def _called(
    call: Callable[[], Any],
    doing: str,
    file: UserFile,
    passing: tuple[type[Exception], ...] = (),
) -> Any:
    """The value of a call; raises `PuzzleFault` where it raises, and names the innermost line of
    the file.
    """
    try:
        return call()
    except (*_THEIR_OWN, *passing):
        raise
    except Exception as error:
        raise raised(file, error, doing) from None


def _wrong(
    file: UserFile, at: Callable[..., Any] | None, doing: str, value: object, expected: str
) -> Exception:
    return fault(
        file,
        at,
        f"{doing} returned {value!r:.60} of type {type(value).__name__}: return {expected}",
    )
