"""DRAT proofs as text: the one reader of them, whoever wrote them.

A proof is a stream of words, as drat-trim reads it. A clause is a list of literals that ends in 0.
It may span lines, and a line may hold several. A `d` before a clause deletes it. A word that begins
with `c` begins a comment, which goes on to the end of its line. Source: N. Wetzler, M. Heule and
W. Hunt, DRAT-trim, SAT 2014, and drat-trim's own text. What drat-trim passes over as "a comment"
without such a word is refused here, with its place.

Proofs in other formats are recognised and named: they are no fault of the solver that wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from puzzles.text import Reader, UserError

_COMMENT = re.compile(rb"(?<!\S)c[^\n]*|\A\s*(?:p cnf |%RUPD32 )[^\n]*")
"""A comment, or the header that some RUP proofs begin with; picosat writes `%RUPD32`."""

_WORD = re.compile(rb"\S+")
_LITERAL = re.compile(rb"-?[1-9][0-9]{0,9}")
_MAX_LITERAL = 2**31 - 1


class ProofStep(NamedTuple):
    """One step of a proof; `str` makes a line of DRAT text of it.

    Attributes:
        deletes: whether the clause is deleted; else it is added.
        literals: of the clause, as the proof has them: the first one is the pivot of a RAT step.
    """

    deletes: bool
    literals: tuple[int, ...]

    def __str__(self) -> str:
        return "d " * self.deletes + " ".join(map(str, (*self.literals, 0)))


def additions(clauses: Iterable[Sequence[int]]) -> Iterable[ProofStep]:
    """The steps that add these clauses."""
    return (ProofStep(False, tuple(clause)) for clause in clauses)


class OtherFormat(UserError):
    """A proof in another format than DRAT text.

    Attributes:
        what: which format, and how to get DRAT, as the rest of a sentence that begins with the
            proof.
    """

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"{name} {what}")
        self.name, self.what = name, what

    def __reduce__(self) -> tuple[type[OtherFormat], tuple[str, str]]:
        return OtherFormat, (self.name, self.what)


def read_steps(text: str | bytes, name: str, clauses: int = 0) -> list[ProofStep]:
    """The steps of a proof, to the end of the text. Linear.

    Args:
        name: what messages call the proof: the name of its file.
        clauses: how many the formula has. The numbers of LRAT begin above it.

    Raises:
        OtherFormat: the proof is binary, or LRAT, FRAT, VeriPB or IDRUP.
        InputError: it is no DRAT text; with the place.
    """
    reader = Reader(text, name)
    data = _COMMENT.sub(lambda comment: b" " * len(comment[0]), reader.data)
    if format := _other_format(data, clauses):
        raise OtherFormat(name, format)
    steps: list[ProofStep] = []
    literals: list[int] = []
    deletes = began = False
    numbers: dict[bytes, int] = {}

    for number, each in enumerate(data.split()):
        word = each
        if word[:1] == b"d" and not began:
            deletes = began = True
            word = word[1:]
            if not word:
                continue
        if word == b"0":
            steps.append(ProofStep(deletes, tuple(literals)))
            literals, deletes, began = [], False, False
            continue
        literal = numbers.get(word)
        if literal is None:
            literal = int(word) if _LITERAL.fullmatch(word) else 0
            if not 0 < abs(literal) <= _MAX_LITERAL:
                shown = each[:20].decode("utf-8", "replace")
                place = next(islice(_WORD.finditer(data), number, None))
                reader.fail(f"expected a literal, 0 or d; found {shown!r}", place.start())
            numbers[word] = literal
        literals.append(literal)
        began = True
    if began:
        reader.fail("the text ends within a clause; expected 0", len(data.rstrip()))
    return steps


_BEGINNINGS = {
    "FRAT": re.compile(rb"\s*[oalf][ \t]+[0-9]+[ \t]"),
    "VeriPB": re.compile(rb"\s*pseudo-Boolean proof "),
    "IDRUP": re.compile(rb"\s*p l?idrup\b"),
}
"""How other formats begin, as text."""

_LRAT = re.compile(
    rb"[ \t]*([1-9][0-9]*)[ \t]+(?:(?P<deletes>d)(?:[ \t]+[0-9]+)*"
    rb"|(?P<clause>(?:-?[1-9][0-9]*[ \t]+)*)0(?:[ \t]+-?[1-9][0-9]*)+)[ \t]+0[ \t\r]*"
)
"""A line of LRAT: a number, then `d`, numbers and 0, or a clause and its hints, each with a 0."""


def _other_format(data: bytes, clauses: int) -> str:
    """What is said of a text that is another format than DRAT; else empty."""
    if b"\0" in data:
        return (
            "is binary: let the solver write DRAT as text (cadical: with --no-binary, and without "
            "--lrat, --frat and --veripb)"
        )
    format = next((each for each, start in _BEGINNINGS.items() if start.match(data)), "")
    if not format and _is_lrat(data, clauses):
        format = "LRAT"
    return format and (
        f"is {format}, not DRAT: let the solver write DRAT as text (cadical: without "
        f"--{format.lower()}; with --no-binary)"
    )


def _is_lrat(data: bytes, clauses: int) -> bool:
    """Whether each line is one of LRAT, their numbers grow, and the last clause is empty.

    A single line may be two units of DRAT. It is LRAT if its number is above the formula's clauses.
    """
    lines = [line for line in data.split(b"\n") if line.strip()]
    last, is_empty = clauses if len(lines) == 1 else 0, False
    for line in lines:
        parts = _LRAT.fullmatch(line)
        if parts is None:
            return False
        if parts["deletes"]:
            continue
        if int(parts[1]) <= last:
            return False
        last, is_empty = int(parts[1]), not parts["clause"]
    return is_empty
