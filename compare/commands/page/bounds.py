"""What a request to the page's server may ask for: its bounds, and its fields, read strictly.

Each mistake is a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import BackendContender, choose
from models.solvers.solver_names import solvers
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, quote_beginning

LARGEST = 100
"""Rows and columns of a board."""

MAX_CELLS = LARGEST**2
"""The largest size of an instance."""

MAX_TEXT = 200_000
"""Characters of a text."""

MAX_BODY = 2 * MAX_TEXT
"""Bytes of a request."""

MAX_CONTENDERS = 40
"""Contenders that one request may name."""

MAX_DIMACS = 50_000_000
"""Characters of a formula."""

MAX_SVG = 4_000_000
"""Characters of a picture."""

MEMORY = 2 * 2**30
"""Resident bytes of whatever runs."""

SOLVE = Limits(10.0, MEMORY)
"""What one contender may use on one board."""

READ = Limits(10.0, MEMORY)
"""What reading, drawing or generating a board may use."""


MAX_SEARCH_S = 600
"""Seconds that one search for a board may take."""


class RefusedRequest(UserError):
    """A request that the page does not carry out; the message is the sentence that the page shows.

    Attributes:
        place: line and column of the text at which it cannot be read, counted from 1; None if it is
            not about a text.
        cell: row and column of the board that this is, counted from 1; None if it is none.
    """

    def __init__(
        self,
        sentence: str,
        place: tuple[int, int] | None = None,
        cell: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(sentence)
        self.place, self.cell = place, cell


def _whole_number(least: int, most: int) -> Meta:
    return Meta(ge=least, le=most, description=f"a whole number from {least} to {most:,}")


Word = Annotated[str, Meta(max_length=200, description="a text")]
Text = Annotated[str, Meta(max_length=MAX_TEXT, description="a text")]
Words = Annotated[
    list[Word],
    Meta(
        min_length=1,
        max_length=MAX_CONTENDERS,
        description=f"a list of 1 to {MAX_CONTENDERS} backends, such as models:cnf",
    ),
]
Seed = Annotated[int, _whole_number(0, 2**31)]
Size = Annotated[int, _whole_number(1, LARGEST)]
SearchSeconds = Annotated[int, _whole_number(1, MAX_SEARCH_S)]
Edition = Annotated[int, _whole_number(0, 2**53)]  # to which a browser counts
Seconds = Annotated[
    float,
    Meta(gt=0, le=SOLVE.seconds, description=f"a number of seconds of at most {SOLVE.seconds:g}"),
]


class TabRequest(msgspec.Struct):
    """About what a tab, or a part of it, has under way: stop it, or say what it waits for."""

    session: Word


class PuzzleRequest(msgspec.Struct):
    """Whatever is about one puzzle."""

    puzzle: Word


class RandomRequest(PuzzleRequest):
    """Make a board of a family."""

    family: Word
    size: Size
    seed: Seed


class ReadRequest(PuzzleRequest):
    """Read the boards of a text."""

    text: Text


class FormulaRequest(ReadRequest):
    """Write the formula of one backend."""

    contender: Word
    session: Word = ""


class SolveRequest(ReadRequest):
    """Solve a board.

    Attributes:
        edition: of the question; a newer one cancels what is under way of older ones of this
            session.
        format: of the answers; empty for the puzzle's first.
        giver: what the page calls whoever gave the answer that a link holds; empty if it holds
            none.
        given: that answer.
    """

    contenders: Words
    session: Word
    edition: Edition
    format: Word = ""
    giver: Word = ""
    given: Text = ""


class AskRequest(ReadRequest):
    """Ask one backend a further question."""

    contender: Word
    request: Word
    value: Word
    session: Word
    edition: Edition


class SearchRequest(PuzzleRequest):
    """Find a board on which contenders differ, or one of them fails.

    Attributes:
        seconds: the search stops after so many without a fault.
        seed: of the boards.
    """

    contenders: Words
    seconds: SearchSeconds
    seed: Seed
    session: Word
    edition: Edition


class GrowthRequest(PuzzleRequest):
    """Race contenders on growing boards of a family."""

    family: Word
    contenders: Words
    largest: Size
    seconds: Seconds
    session: Word
    edition: Edition


StructT = TypeVar("StructT", bound=msgspec.Struct)
RequestT = TypeVar("RequestT", bound=PuzzleRequest)


def request_in(body: bytes, kind: type[StructT]) -> StructT:
    """The request of this kind that a body holds as JSON; raises `RefusedRequest`."""
    try:
        fields = msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        raise RefusedRequest(f"the request is no JSON: {error}"[:200]) from None
    if not isinstance(fields, dict):
        raise RefusedRequest("a request is a JSON object")
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        (name,) = re.findall(r"(?:field `|\$\.)(\w+)", str(error))
    value, (rule,) = fields.get(name), get_type_hints(kind, include_extras=True)[name].__metadata__
    if isinstance(value, str) and rule.max_length is not None and len(value) > rule.max_length:
        raise RefusedRequest(
            f"the field {name} has at most {rule.max_length:,} characters, not {len(value):,}"
        )
    raise RefusedRequest(
        f"the field {name} has to be {rule.description}, not {quote_beginning(repr(value))}"
    )


def backend_named(puzzle: Puzzle, word: str, own: Sequence[str] = ()) -> BackendContender:
    """The contender that a word such as `models:cnf cadical195` names, a backend and perhaps its
    SAT solver. The word is its name.

    Args:
        own: the user's solvers, beside those of python-sat.

    Raises:
        UserError: nothing has that name.
    """
    backend, _, solver = word.partition(" ")
    if ":" not in backend:
        raise RefusedRequest(
            "a backend is named by its side and its name, such as models:cnf, not "
            f"{quote_beginning(backend)}"
        )
    if solver and solver not in own and solver not in solvers():
        raise UserError(
            f"unknown solver {quote_beginning(solver)}: choose from {', '.join(solvers())}"
        )
    (contender,) = choose(puzzle, [backend], {"solver": solver} if solver else {})
    if solver and contender.solver is None:
        raise UserError(f"{contender.name} uses no SAT solver: leave {solver} out")
    return replace(contender, name=word)
