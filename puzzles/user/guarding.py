"""A user's puzzle with its functions watched: what they raise, and values of a wrong type, become a
`PuzzleFault` that names the function. What they print goes to standard error.

Whoever calls the function could not tell: it may be called in the middle of other work, whose own
exceptions mean something else. The check is not watched here: whoever calls it turns what it raises
into a verdict that names the line. Smaller instances are watched where all ask for them, in
`puzzles.space`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import fields, replace
from functools import wraps
from threading import current_thread, main_thread
from typing import Any

import numpy as np

from puzzles.answer import Answer
from puzzles.backend import Backend, Unsupported, last_answer
from puzzles.case import CasePuzzle
from puzzles.case_solution import CaseSolutionPuzzle
from puzzles.instance import Instance
from puzzles.puzzle import Family, Puzzle
from puzzles.shell.time_limits import Interruption, TooLong, at_most
from puzzles.text import UserError
from puzzles.user.user_file import Misread, UserFile, fault, fault_raised, place_of

GENERATE_S = 30.0
"""Seconds that one instance of a family may take."""

_METHODS: dict[str, tuple[Any, ...]] = {
    "parse": (list, "a list of instances"),
    "print_instances": (str, "a text", ValueError),
    "print_answers": (str, "a text"),
    "parse_answers": (list, "a list of answers"),
    "fields": (Mapping, "a dictionary"),
    "picture": (str, "an SVG text"),
    "legal": (Instance, "an instance"),
    "extended": (Instance, "an instance"),
    "decided": (int, "a whole number"),
    "place_of": (str, "a text"),
    "outcome": (str, "a text"),
    "lacking": (str | None, "a text or None"),
    "broken_promise": (str, "a text, which is empty if no promise is broken"),
    # What the rules raise is the check's to tell. Not every puzzle has them.
    **dict.fromkeys(
        ("broken_rule", "core_fault", "bound_fault"),
        (str, "a text, which is empty if nothing is wrong", BaseException),
    ),
}
"""The methods of a puzzle that are watched: what they return, and which exceptions are no faults;
see `_watch`.
"""


def watch_functions(puzzle: Puzzle, file: UserFile) -> Puzzle:
    """A puzzle of a user whose functions are watched: an instance of a subclass."""
    kind = type(puzzle)
    body: dict[str, Any] = {
        name: _watch(getattr(kind, name), name, file, *method, blamed=_blamed(puzzle, name))
        for name, method in _METHODS.items()
        if hasattr(kind, name)
    }
    if (
        isinstance(puzzle, CaseSolutionPuzzle)
        and type(puzzle).value is not CaseSolutionPuzzle.value
    ):
        whole = (int | np.integer, "a whole number, an int", BaseException)
        body["value"] = _watch(type(puzzle).value, "value", file, *whole)
    body["parse"] = _compare_reading(kind, body["parse"], file)
    for name in ("families", "fuzz_families"):
        body[name] = _watched_families(kind, name, file)
    body |= {"__module__": kind.__module__, "__doc__": kind.__doc__}
    guarded = object.__new__(type(kind.__name__, (kind,), body))
    vars(guarded).update(vars(puzzle))
    return guarded


def _blamed(puzzle: Puzzle, name: str) -> Callable[..., Any]:
    """The function of the user that is wrong where this method fails, and no line of the file took
    part: of reading and printing cases that is a method of the case.
    """
    if isinstance(puzzle, CasePuzzle) and name in ("parse", "print_instances"):
        return puzzle.case_type.read if name == "parse" else puzzle.case_type.text
    return getattr(type(puzzle), name)


def watched_backend(backend: Backend, file: UserFile, *, is_plugin: bool = False) -> Backend:
    """The backend with functions that say where they raise, and that returns an answer.

    Args:
        is_plugin: whoever reads the answers of a plugin says what is wrong with them.
    """
    label = backend.label
    answer: tuple[Any, ...] = () if is_plugin else (Answer, "an answer")

    @wraps(backend.function)
    def solve(*args: Any, **named: Any) -> Any:
        return last_answer(backend.function(*args, **named))  # a generator runs only here

    changed: dict[str, Any] = {
        "function": _watch(solve, f"the backend {label}", file, *answer),
        "place": place_of(file, backend.function) or "",
    }
    for name, doing in (
        ("many", f"the backend {label}, in `many`,"),
        ("refuses", f"the backend {label}, in `refuses`,"),
        ("encode", f"{label}: encode"),
    ):
        function = getattr(backend, name)
        changed[name] = function and _watch(function, doing, file)
    return replace(backend, **changed)


def _watch(
    function: Callable[..., Any],
    doing: str,
    file: UserFile,
    returns: Any = object,
    expected: str = "",
    *passing: type[BaseException],
    blamed: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A function that says where it raises, also where it exits, and that it returns a wrong value.

    Args:
        doing: what raises or returns that, as a subject.
        returns: the type of its values, which are `expected`, for people.
        passing: exceptions that say what they mean to whoever calls, beside those of ours.
        blamed: what is to be mended if no line of the file took part in raising; by default the
            function.
    """

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            with _printing_to_stderr():
                value = function(*args, **named)
        except (UserError, Unsupported, MemoryError, KeyboardInterrupt, Interruption, *passing):
            raise
        except BaseException as error:
            raise fault_raised(file, error, doing, blamed or function) from None
        if not isinstance(value, returns):
            raise _wrong(file, function, doing, value, expected)
        return value

    return call


def _printing_to_stderr() -> AbstractContextManager[object]:
    """Within, what is printed goes to standard error; a command's output goes to the other stream.

    Only the main thread prints a command's output. In others nothing changes, for all threads share
    their streams.
    """
    if sys.stdout is sys.stderr or current_thread() is not main_thread():
        return nullcontext()
    return redirect_stdout(sys.stderr)


def _compare_reading(
    kind: type[Puzzle], parse: Callable[..., Any], file: UserFile
) -> Callable[..., Any]:
    """`parse`, and what it has read is what was written."""
    misread = _watch(kind.misread, "printing what was read", file)

    @wraps(parse)
    def call(puzzle: Puzzle, text: str | bytes, name: str = "<text>") -> list[Instance]:
        instances = parse(puzzle, text, name)
        for each in instances:
            _refuse_wrong_size(file, each)
        difference = misread(puzzle, text, instances)
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


def _watched_families(kind: type[Puzzle], name: str, file: UserFile) -> property:
    # The attribute may be a property of the class, or a plain dictionary in its place.
    attribute = getattr(kind, name)
    function = attribute.fget if isinstance(attribute, property) else None
    value_of = _watch(
        function or (lambda puzzle: attribute),
        name,
        file,
        Mapping,
        "a dictionary of families by their names",
    )

    def families(puzzle: Puzzle) -> Mapping[str, Family]:
        value = value_of(puzzle)
        for each, family in value.items():
            if not isinstance(family, Family):
                raise fault(
                    file,
                    function,
                    f"{name} has {each!r}: {family!r:.60}, which is no family: write "
                    "Family(make, 'what it is about')",
                )
            if not all(
                isinstance(pair, tuple) and [*map(type, pair)] == [int, int]
                for pair in family.bundled
            ):
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
                instance = _watch(family.make, doing, file)(size, seed)
            if not isinstance(instance, Instance) or instance.puzzle != puzzle.name:
                raise _wrong(file, family.make, doing, instance, f"an instance of {puzzle.name}")
            _refuse_wrong_size(file, instance)
            if instance.in_contest_format and type(puzzle).misread is Puzzle.misread:
                _read_back(puzzle, family, instance, doing, file)
        except TooLong as late:
            raise fault_raised(file, late, doing) from None
        return instance

    return make


def _refuse_wrong_size(file: UserFile, instance: Instance) -> None:
    """Raise `PuzzleFault` if the user's own `size` of an instance is no number to compare with."""
    own = getattr(type(instance).size, "fget", None)
    if own is None or place_of(file, own) is None:
        return
    size: Any = _watch(own, "size", file)(instance)
    if not isinstance(size, int | np.integer) or size < 0:
        raise _wrong(file, own, "size", size, "a whole number that is not negative")


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


def _wrong(
    file: UserFile, at: Callable[..., Any] | None, doing: str, value: object, expected: str
) -> Exception:
    return fault(
        file,
        at,
        f"{doing} returned {value!r:.60} of type {type(value).__name__}: return {expected}",
    )
