"""What a request to the page's server may ask for: its bounds, and its fields, read strictly. Each mistake is a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import puzzles
from compare.isolate.outcome import Limits
from compare.work.contenders import BackendContender, Contender, ProgramContender, choose, with_every_solver
from puzzles.puzzle import Puzzle
from puzzles.text import UserError, shown

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


class RefusedRequest(UserError):
    """A request that the page does not carry out; the message is the sentence that the page shows.

    Attributes:
        place: line and column of the text at which it cannot be read, counted from 1; None if it is not about a text.
        cell: row and column of the board that this is, counted from 1; None if it is none.
    """

    def __init__(self, sentence: str, place: tuple[int, int] | None = None, cell: tuple[int, int] | None = None) -> None:
        super().__init__(sentence)
        self.place, self.cell = place, cell


def refuse_too_large(size: int, noun: str) -> None:
    """Raise `RefusedRequest` if an instance is larger than the page takes. `noun`: see `Puzzle`."""
    if size > MAX_CELLS:
        what = f"{size:,} cells" if noun == "board" else f"size {size:,}"
        raise RefusedRequest(
            f"this {noun} has {what}, and the page takes at most {MAX_CELLS:,}: solve it with `python -m compare run`"
        )


_MAX_NAME = 200

MAX_EDITION = 2**53
"""The largest whole number that a browser counts to."""


class Requested:
    """The fields of one request.

    Attributes:
        programs: by the names of the puzzles that the page offers, the programs of one's own, by name.
    """

    def __init__(self, fields: object, programs: Mapping[str, Mapping[str, ProgramContender]]) -> None:
        if not isinstance(fields, Mapping):
            raise RefusedRequest("a request is a JSON object")
        self._fields: Mapping[str, Any] = fields
        self._programs = programs

    def _of(self, name: str, kind: type, what: str) -> Any:
        value = self._fields.get(name)
        if type(value) is not kind:
            raise RefusedRequest(f"the field {name} has to be {what}, not {shown(repr(value))}")
        return value

    def word(self, name: str, most: int = _MAX_NAME) -> str:
        """A text of at most `most` characters."""
        value: str = self._of(name, str, "a text")
        if len(value) > most:
            raise RefusedRequest(f"the field {name} has at most {most:,} characters, not {len(value):,}")
        return value

    def number(self, name: str, least: int, most: int) -> int:
        """A whole number."""
        value: int = self._of(name, int, "a whole number")
        if not least <= value <= most:
            raise RefusedRequest(f"the field {name} is a whole number from {least} to {most:,}, not {value:,}"[:_MAX_NAME])
        return value

    def seconds(self, name: str, most: float) -> float:
        """A number of seconds."""
        value = self._fields.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= most:
            raise RefusedRequest(f"the field {name} has to be a number of seconds of at most {most:g}, not {shown(repr(value))}")
        return float(value)

    @property
    def puzzle(self) -> Puzzle:
        name = self.word("puzzle")
        if name not in self._programs:
            raise RefusedRequest(f"unknown puzzle {shown(name)}: choose from {', '.join(self._programs)}")
        return puzzles.get(name)

    @property
    def text(self) -> str:
        return self.word("text", MAX_TEXT)

    @property
    def session(self) -> str:
        return self.word("session")

    @property
    def edition(self) -> int:
        return self.number("edition", 0, MAX_EDITION)

    @property
    def format(self) -> str | None:
        """The answer format that is asked for, by its full name; None for the puzzle's first."""
        return None if self._fields.get("format") in (None, "") else self.puzzle.format(self.word("format"))

    @property
    def contender(self) -> BackendContender:
        """The one backend."""
        (only,) = named(self.puzzle, [self.word("contender")]).values()
        return only

    @property
    def contenders(self) -> dict[str, Contender]:
        """The contenders, by what the page calls them: backends, and programs of one's own."""
        words = self._of("contenders", list, "a list of backends")
        if not words or len(words) > MAX_CONTENDERS or any(type(each) is not str for each in words):
            raise RefusedRequest(f"the field contenders is a list of 1 to {MAX_CONTENDERS} backends, such as models:cnf")
        puzzle, words = self.puzzle, list(dict.fromkeys(words))
        programs = self._programs[puzzle.name]
        backends = named(puzzle, [word for word in words if word not in programs])
        return {word: programs[word] if word in programs else backends[word] for word in words}

    @property
    def given(self) -> dict[str, str]:
        """The answer that the link holds, by what the page calls whoever gave it; empty if it holds none."""
        if self._fields.get("given") is None:
            return {}
        return {self.word("giver"): self.word("given", MAX_TEXT)}


def named(puzzle: Puzzle, words: list[str]) -> dict[str, BackendContender]:
    """The contenders that words such as `models:cnf cadical195` name, a backend and perhaps its SAT solver; by these words.

    A backend that comes with several solvers is named after each, as `run --solver all` does it.

    Raises:
        UserError: nothing has that name.
    """
    from models.solvers.solver_names import solvers

    backends = [word.partition(" ")[0] for word in words]
    chosen: dict[str, BackendContender] = {}
    for word, backend in zip(words, backends, strict=True):
        solver = word.partition(" ")[2]
        if ":" not in backend:
            raise RefusedRequest(f"a backend is named by its side and its name, such as models:cnf, not {shown(backend)}")
        if solver and solver not in solvers():
            raise UserError(f"unknown solver {shown(solver)}: choose from {', '.join(solvers())}")
        (contender,) = choose(puzzle, [backend], {"solver": solver} if solver else {})
        if solver and contender.solver is None:
            raise UserError(f"{contender.name} uses no SAT solver: leave {solver} out")
        if solver and backends.count(backend) > 1:
            (contender,) = with_every_solver([contender], [solver])
        chosen[word] = contender
    return chosen
