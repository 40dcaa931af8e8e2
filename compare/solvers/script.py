"""A script: what a SAT solver is asked, step by step. A step adds a clause, or calls the solver under assumptions.

An ordinary formula is a script of its clauses and one call without assumptions. It is written as DIMACS. Any other script is
written as ICNF: the header `p inccnf`, clauses, and a line `a ... 0` for each call with its assumptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from models.cnf import MAX_VARIABLES
from models.dimacs import header, lines
from puzzles.dimacs_reader import DimacsReader
from puzzles.text import Reader

Literals = tuple[int, ...]

_VARIABLES = "variables"
"""The comment of an ICNF text that tells the number of variables, which its header does not."""


class Step(NamedTuple):
    """One step of a script.

    Attributes:
        solves: whether it is a call of the solver; else it adds a clause.
        literals: the assumptions of the call, or the clause.
    """

    solves: bool
    literals: Literals


class Query(NamedTuple):
    """What a call asks: are these clauses satisfiable under these assumptions?"""

    clauses: tuple[Literals, ...]
    assumptions: Literals


def clause(*literals: int) -> Step:
    """The step that adds this clause."""
    return Step(False, literals)


def call(*assumptions: int) -> Step:
    """The step that calls the solver under these assumptions."""
    return Step(True, assumptions)


@dataclass(frozen=True)
class Script:
    """What a solver is asked.

    Attributes:
        variables: literals are between -variables and variables, and not 0.
        steps: in their order.
    """

    variables: int
    steps: tuple[Step, ...]

    @classmethod
    def formula(cls, variables: int, clauses: Sequence[Sequence[int]]) -> Script:
        """The script of an ordinary formula."""
        return cls(variables, (*(Step(False, tuple(each)) for each in clauses), call()))

    @property
    def is_formula(self) -> bool:
        """Whether the solver is called once, at the end, without assumptions."""
        return self.calls == 1 and self.steps[-1] == call()

    @cached_property
    def calls(self) -> int:
        """How often the solver is called."""
        return sum(step.solves for step in self.steps)

    @property
    def clauses(self) -> int:
        """How many clauses are added in all."""
        return len(self.steps) - self.calls

    @cached_property
    def literals(self) -> int:
        """How many literals all steps have together."""
        return sum(len(step.literals) for step in self.steps)

    def queries(self) -> Iterator[Query]:
        """What each call asks."""
        clauses: list[Literals] = []
        for step in self.steps:
            if step.solves:
                yield Query(tuple(clauses), step.literals)
            else:
                clauses.append(step.literals)

    def text(self, comments: Sequence[str] = ()) -> str:
        """The script as DIMACS if it is a formula, else as ICNF, with comment lines before it."""
        head = "".join(f"c {line}\n".replace("c \n", "c\n") for line in comments)
        if self.is_formula:
            body = "".join(lines(step.literals for step in self.steps[:-1]))
            return f"{head}{header(self.variables, self.clauses)}{body}"
        body = "".join("a " * step.solves + " ".join(map(str, [*step.literals, 0])) + "\n" for step in self.steps)
        return f"{head}c {_VARIABLES} {self.variables}\np inccnf\n{body}"

    @property
    def suffix(self) -> str:
        """How the name of a file with this script ends."""
        return ".cnf" if self.is_formula else ".icnf"

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits of the SHA-256 of the text."""
        return sha256(self.text().encode()).hexdigest()[:8]


_HEADER = re.compile(rb"(?m)^[ \t]*p[ \t]+inccnf[ \t\r]*$")
_COMMENT = re.compile(rb"(?m)^[ \t]*c(?:[ \t][^\n]*)?\r?$")
_COMMENTED_VARIABLES = re.compile(rf"(?m)^c {_VARIABLES} (\d{{1,9}})\r?$".encode())
_WORD = re.compile(rb"\S+")
_LITERAL = re.compile(rb"-?[0-9]{1,9}")


def parse(text: bytes, name: str) -> Script:
    """The script of a DIMACS or ICNF text; `name` is what errors call the file.

    Raises:
        InputError: the text breaks the format.
    """
    if _HEADER.search(text) is None:
        variables, clauses = DimacsReader(text, name).formula(MAX_VARIABLES)
        return Script.formula(variables, clauses.lists())
    return _parse_icnf(text, name)


def _parse_icnf(text: bytes, name: str) -> Script:
    reader = Reader(text, name)
    commented = _COMMENTED_VARIABLES.search(text)
    data = _COMMENT.sub(lambda comment: b" " * len(comment[0]), text)
    first = _HEADER.search(data)
    if first is None or data[: first.start()].strip():
        reader.fail("expected p inccnf before everything else", 0)
    steps: list[Step] = []
    literals: list[int] = []
    solves = began = False
    for word in _WORD.finditer(data, first.end()):
        if word[0] == b"a" and not began:
            solves = began = True
        elif word[0] == b"0":
            steps.append(Step(solves, tuple(literals)))
            literals, solves, began = [], False, False
        else:
            literals.append(_literal(word, reader))
            began = True
    if began:
        reader.fail("the text ends within a step; expected 0", len(data.rstrip()))
    largest = max((abs(literal) for step in steps for literal in step.literals), default=0)
    return Script(max(largest, int(commented[1]) if commented else 0), tuple(steps))


def _literal(word: re.Match[bytes], reader: Reader) -> int:
    shown = word[0][:20].decode("utf-8", "replace")
    if _LITERAL.fullmatch(word[0]) is None or int(word[0]) == 0:
        reader.fail(f"expected a literal, a or 0; found {shown!r}", word.start())
    if abs(int(word[0])) > MAX_VARIABLES:
        reader.fail(f"literal {shown} is beyond {MAX_VARIABLES} variables", word.start())
    return int(word[0])
