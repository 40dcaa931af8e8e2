"""SAT solvers as contenders: an instance is a trace of calls to a solver, and the answers are what
a solver replies.

A trace adds clauses and calls the solver under assumptions. A plain formula is a trace of its
clauses and one call without assumptions. It is written as DIMACS. Any other trace is written as
ICNF: the header `p inccnf`, clauses, and a line `a ... 0` for each call with its assumptions. The
ICNF of `idrup-check` is read as well: the header `p icnf`, `i ... 0` for a clause, `q ... 0` for a
call; its lines `s`, `m`, `u`, `v` and `f`, what a solver replied, are passed over.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

import puzzles
from models.cnf import MAX_VARIABLES, Formula, paused_collector
from models.dimacs import clause_lines, header
from models.proofs.refutation import WITHOUT_PROOFS
from models.solvers.external import PROOF_PLACE, is_command
from models.solvers.opening import NO_CORE, SolverStep, open_solver
from models.solvers.sat_solver import (
    ModelRefused,
    NoVerdict,
    SatSolver,
    SolverDied,
    SolverFailure,
)
from models.solvers.solver_names import DEFAULT_SOLVER, SINGLE_CALL, solver_name
from models.solvers.solver_output import Unreadable, read_replies, read_reply
from puzzles.answer import Answer, Check, Claims, Effort
from puzzles.backend import Unsupported, backend
from puzzles.case import Case, CasePuzzle
from puzzles.dimacs_reader import (
    DimacsReader,
    FlatClauses,
    refuse_other_encodings,
    without_comments,
)
from puzzles.puzzle import Family
from puzzles.registry import is_path
from puzzles.space.instance_space import InstanceSpace
from puzzles.text import InputError, Reader, count_noun

LiteralTuple = tuple[int, ...]


def clause(*literals: int) -> SolverStep:
    """The step that adds this clause."""
    return SolverStep(False, literals)


def solver_call(*assumptions: int) -> SolverStep:
    """The step that calls the solver under these assumptions."""
    return SolverStep(True, assumptions)


class Query(NamedTuple):
    """What a call asks: are these clauses satisfiable under these assumptions?"""

    clauses: tuple[LiteralTuple, ...]
    assumptions: LiteralTuple


_VARIABLES = "variables"
"""The comment of an ICNF text that tells the number of variables, which its header does not."""

_HEADER = re.compile(rb"\s*p[ \t]+(inccnf|icnf)[ \t]*\r?\n")
_PLAIN = re.compile(rb"p cnf (0|[1-9]\d*) (0|[1-9]\d*)\n((-?[1-9]\d* )*+0\n)*+")
"""A formula in the form of `Trace.plain_text`, if it can be read."""
_SOME_HEADER = re.compile(rb"\s*p[ \t]+cnf\b|\s*\Z")
_WEIGHTED = re.compile(rb"\s*(?:p[ \t]+wcnf|h)\s")
_REPLY = re.compile(rb"(?m)^[ \t]*[smuvf](?:[ \t][^\n]*)?$")
_COMMENTED_VARIABLES = re.compile(rf"(?m)^c {_VARIABLES} (\d{{1,9}})\r?$".encode())
_WORD = re.compile(rb"\S+")
_LITERAL = re.compile(rb"(?!-0+\Z)-?[0-9]{1,9}")


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Case):
    """What a solver is asked.

    Attributes:
        variables: literals are between -variables and variables, and not 0.
        steps: in their order; at least one is a call.
        written: the text of a formula that is written otherwise than `plain_text` does; else empty.
            Programs get it byte for byte.
    """

    puzzle: ClassVar[str] = "formula"
    variables: int
    steps: tuple[SolverStep, ...]
    written: bytes = b""

    @classmethod
    def formula(
        cls, variables: int, clauses: Sequence[Sequence[int]], written: bytes = b""
    ) -> Self:
        """The trace of a plain formula."""
        added = map(SolverStep._make, zip(repeat(False), map(tuple, clauses)))
        is_plain = _PLAIN.fullmatch(written) is not None
        trace = cls(variables, (*added, solver_call()), b"" if is_plain else written)
        if is_plain:
            vars(trace)["dimacs"] = written  # to print it again takes long
        return trace

    def __reduce__(self) -> tuple[Any, ...]:
        """A formula goes to other processes as one array: its many steps take far longer."""
        if not self.is_formula:
            return Trace, (self.variables, self.steps, self.written)
        flat = array("i", chain.from_iterable((*step.literals, 0) for step in self.steps[:-1]))
        known = {name: self.__dict__[name] for name in ("digest",) if name in self.__dict__}
        return _formula_of_array, (self.variables, flat.tobytes(), self.dimacs), known

    def forbidden(self) -> str:
        return "" if self.calls else "nothing is asked: the text has no line `a ... 0`"

    @property
    def is_formula(self) -> bool:
        """Whether the solver is called once, at the end, without assumptions."""
        return self.calls == 1 and self.steps[-1] == solver_call()

    @cached_property
    def calls(self) -> int:
        """How often the solver is called."""
        return sum(step.solves for step in self.steps)

    @property
    def clauses(self) -> int:
        """How many clauses are added in all."""
        return len(self.steps) - self.calls

    @property
    def size(self) -> int:
        """The steps and their literals."""
        return len(self.steps) + sum(len(step.literals) for step in self.steps)

    @property
    def shown_size(self) -> str:
        size = count_noun(self.clauses, "clause")
        return size if self.is_formula else f"{size} and {count_noun(self.calls, 'call')}"

    @property
    def suffix(self) -> str:
        return ".cnf" if self.is_formula else ".icnf"

    def queries(self) -> Iterator[Query]:
        """What each call asks."""
        clauses: list[LiteralTuple] = []
        for step in self.steps:
            if step.solves:
                yield Query(tuple(clauses), step.literals)
            else:
                clauses.append(step.literals)

    def text(self) -> str:
        """As it is written, if that is UTF-8; else as `plain_text`."""
        with suppress(UnicodeDecodeError):
            if self.is_formula:
                return self.dimacs.decode()
        return self.plain_text()

    @cached_property
    def dimacs(self) -> bytes:
        """What a program gets of a formula."""
        return self.written or self.plain_text().encode()

    def plain_text(self) -> str:
        """DIMACS of a formula, else ICNF: a line for each step."""
        if self.is_formula:
            return header(self.variables, self.clauses) + "".join(
                clause_lines(step.literals for step in self.steps[:-1])
            )
        body = "".join(
            "a " * step.solves + " ".join(map(str, [*step.literals, 0])) + "\n"
            for step in self.steps
        )
        return f"c {_VARIABLES} {self.variables}\np inccnf\n{body}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """Read a whole file, with comments wherever they are."""
        text = reader.data
        refuse_other_encodings(reader)
        data = without_comments(text)
        header = _HEADER.match(data)
        if header is None:
            if _SOME_HEADER.match(data) is None:
                line = data.lstrip().split(b"\n")[0].rstrip()[:20].decode("utf-8", "replace")
                what = f"expected p cnf VARIABLES CLAUSES, p inccnf or p icnf; found {line!r}"
                if _WEIGHTED.match(data):
                    what += "; a formula with weights is an input of `maxsat`"
                reader.fail(what, len(data) - len(data.lstrip()))
            with paused_collector():
                variables, clauses = DimacsReader(text, reader.name).formula(MAX_VARIABLES)
                reader.position = len(text)
                return cls.formula(variables, clauses.lists(), reader.written)
        letters = {b"a": True} if header[1] == b"inccnf" else {b"i": False, b"q": True}
        letter_first = header[1] == b"icnf"
        if letter_first:
            data = _REPLY.sub(lambda reply: b" " * len(reply[0]), data)
        steps: list[SolverStep] = []
        literals: list[int] = []
        solves = began = False
        for word in _WORD.finditer(data, header.end()):
            if word[0] in letters and not began:
                solves, began = letters[word[0]], True
                continue
            literal = int(word[0]) if _LITERAL.fullmatch(word[0]) else None
            if literal is None or (letter_first and not began):
                names = "i or q" if letter_first else "a literal, a or 0"
                expected = "a literal or 0" if began else names
                shown = word[0][:20].decode("utf-8", "replace")
                reader.fail(f"expected {expected}; found {shown!r}", word.start())
            if abs(literal) > MAX_VARIABLES:
                reader.fail(f"literal {literal} is beyond {MAX_VARIABLES} variables", word.start())
            began = literal != 0
            if began:
                literals.append(literal)
            else:
                steps.append(SolverStep(solves, tuple(literals)))
                literals, solves = [], False
        if began:
            reader.fail("the text ends within a step; expected 0", len(data.rstrip()))
        reader.position = len(text)
        commented = _COMMENTED_VARIABLES.search(text)
        largest = max((abs(literal) for step in steps for literal in step.literals), default=0)
        return cls(max(largest, int(commented[1]) if commented else 0), tuple(steps))


def _formula_of_array(variables: int, flat: bytes, written: bytes) -> Trace:
    """The formula of these literals, each clause followed by a 0."""
    literals = np.frombuffer(flat, np.intc).astype(np.int64)
    with paused_collector():
        clauses = FlatClauses(literals, np.flatnonzero(literals == 0)).lists()
        return Trace.formula(variables, clauses, written)


class Reply(NamedTuple):
    """What a solver says to one call.

    Attributes:
        verdict: whether it says that there is a model; None if it does not know.
        model, core, proof: what it gives beside that; None for nothing. The proof is in lines, as
            the solver wrote them.
        complaint: why it could not give the verdict, the model, the core or the proof; else empty.
    """

    verdict: bool | None
    model: LiteralTuple | None = None
    core: LiteralTuple | None = None
    proof: tuple[str, ...] | None = None
    complaint: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Replies(Answer):
    """What a solver replies to a trace.

    Attributes:
        calls: the reply to each call.
        again: the reply to the last call when it is made once more at once; None if it is not, as
            of a program, which starts anew for each call.
        proved: the reply to a formula of a new solver that keeps a proof; None if there is none.
    """

    calls: tuple[Reply, ...]
    again: Reply | None = None
    proved: Reply | None = None

    @property
    def claims(self) -> Claims | None:
        """A number for each call: 1 if it is satisfiable, else 0; None if it does not know one of
        them.
        """
        if self.without_verdict:
            return None
        return np.array([reply.verdict for reply in self.calls], np.int64)

    @property
    def without_verdict(self) -> str:
        for number, reply in enumerate(self.calls, 1):
            if reply.verdict is None:
                place = f"call {number} of {len(self.calls)}: " if len(self.calls) > 1 else ""
                return place + reply.complaint
        return ""

    def __str__(self) -> str:
        """The lines that solvers print in competitions, for each call in its turn."""
        printed: list[str] = []
        for reply in self.calls:
            printed.append(f"s {verdict_word(reply.verdict)}")
            if reply.verdict:
                printed.append(" ".join(map(str, ["v", *(reply.model or ()), 0])))
        return "\n".join(printed)


def verdict_word(satisfiable: bool | None) -> str:
    """A verdict as solvers print it."""
    return {True: "SATISFIABLE", False: "UNSATISFIABLE", None: "UNKNOWN"}[satisfiable]


class FormulaPuzzle(CasePuzzle[Trace, Replies]):
    """The rules: a model makes a literal of each clause true, and UNSAT is confirmed by unit
    propagation.

    The check and the families are in modules of their own.
    """

    name = "formula"
    noun = "trace"
    case_type = Trace
    title = "SAT solvers"
    source = "DIMACS and ICNF"
    formats = ("competition",)
    example = "p cnf 3 3\n1 2 0\n-1 3 0\n-2 -3 0\n"
    many_instances = False
    largest = 8
    suffixes = (".cnf", ".icnf")
    other_suffixes = MappingProxyType({".wcnf": "maxsat"})
    comment = "c"
    compares_solvers = True

    def misread(self, text: str | bytes, traces: Sequence[Trace], /) -> None:
        """A formula can be written as DIMACS and as ICNF; tests compare what is read of each."""

    def print_instances(self, traces: Sequence[Trace], /) -> str:
        """As `Puzzle.print_instances`, to the last byte: a program may stumble over a last line
        without an end.
        """
        super().print_instances(traces)  # it refuses all but one
        return traces[0].text()

    def check(self, trace: Trace, /, answer: Replies) -> Check:
        from compare.commands.fuzz_formula.formula_check import check_trace

        return check_trace(trace, answer)

    @property
    def families(self) -> Mapping[str, Family[Trace]]:
        from compare.commands.fuzz_formula.formula_families import trace_families

        return trace_families()

    def any_family(self, name: str) -> Family[Trace]:
        """As `Puzzle.any_family`; also `of-` and the path of a user's puzzle."""
        from compare.commands.fuzz_formula.formula_families import OF, of_models

        if name.startswith(OF) and is_path(name.removeprefix(OF)):
            return of_models(puzzles.find(name.removeprefix(OF)).name)
        return super().any_family(name)

    def edge_cases(self) -> list[Trace]:
        """Each edge case, then a copy of each."""
        from compare.commands.fuzz_formula.formula_families import ALL_EDGES, edge

        return [edge(1, seed) for seed in range(1, 2 * len(ALL_EDGES) + 1)]

    def space(self) -> InstanceSpace[Trace]:
        from compare.commands.fuzz_formula.formula_families import TraceSpace

        return TraceSpace(self)

    def print_answers(self, answers: Sequence[Replies], format: str) -> str:
        """For each call a line `s SATISFIABLE` and the model on a line `v ... 0`, or a line `s
        UNSATISFIABLE`.
        """
        return "".join(f"{answer}\n" for answer in answers)

    def read_answer(self, reader: Reader, trace: Trace, /, case: int, format: str) -> Replies:
        """As solvers print it (see `models.solvers.solver_output`)."""
        text = reader.data.decode("utf-8", "replace")
        try:
            replies = [read_reply(text)] if trace.calls == 1 else read_replies(text)
            unreadable = next((each.unreadable for each in replies if each.unreadable), None)
            if unreadable is not None:
                raise unreadable
        except Unreadable as error:
            raise InputError(reader.name, error.line, 1, str(error)) from None
        reader.position = len(reader.data)
        calls = [
            Reply(
                each.verdict,
                model=tuple(each.literals or ()) if each.verdict else None,
                complaint="" if each.verdict is not None else f"s {each.word}",
            )
            for each in replies
            if each.word
        ]
        if len(calls) != trace.calls:
            reader.fail(
                f"expected {count_noun(trace.calls, 'verdict')}, found {len(calls)}",
                len(reader.data),
            )
        return Replies(tuple(calls))

    def outcome(self, claims: Claims) -> str:
        """The verdict of the last call."""
        return verdict_word(bool(claims[-1]))

    def in_words(self, line: str) -> str:
        """The verdict without the letter before it."""
        return line.partition(" ")[2]

    def fields(self, answer: Replies) -> dict[str, object]:
        """`verdicts` and `models`, one for each call."""
        models = [None if reply.model is None else list(reply.model) for reply in answer.calls]
        return {"verdicts": [reply.verdict for reply in answer.calls], "models": models}


def formula_of_clauses(clauses: Sequence[Sequence[int]]) -> Formula:
    """The formula of these clauses."""
    return Formula.of(max(map(abs, chain.from_iterable(clauses)), default=0), clauses)


def _called_again(trace: Trace, *, solver: str, **_: object) -> str:
    """Why a solver does not take a trace: some can be called only once."""
    taken = trace.is_formula or solver_name(solver) not in SINGLE_CALL
    return "" if taken else f"{solver_name(solver)} can be called only once"


NOT_READ = "does not read this text, and gives a verdict if each clause is a line of its own"
"""What is said of a program that takes clauses in one form alone. That is no wrong answer."""


@backend(
    "formula",
    "sat",
    side="models",
    source="the solver that --solver names",
    options=("solver",),
    certifies=True,
    refuses=_called_again,
)
def by_solver(trace: Trace, *, solver: str = DEFAULT_SOLVER, certify: bool = False) -> Replies:
    """Ask a solver.

    Args:
        certify: whether the last call is made once more, unless the solver is a program, and a
            formula put to another solver that keeps a proof.

    Raises:
        SolverFailure: it fails. That it does not know is an answer, and so is that it does not read
            a text with clauses over lines or several on a line.
    """
    if reason := _called_again(trace, solver=solver):
        raise Unsupported(reason)
    name = solver_name(solver)
    first = next(k for k, step in enumerate(trace.steps) if step.solves)
    calls: list[Reply] = []
    again = proved = None
    started = perf_counter()
    formula = Formula.of(trace.variables, (step.literals for step in trace.steps[:first]))
    written = trace.written if trace.is_formula else b""
    dimacs = trace.dimacs if trace.is_formula and is_command(name) else b""
    with open_solver(formula, name, text=dimacs) as opened:
        try:
            for step in trace.steps[first:]:
                if step.solves:
                    calls.append(_reply(opened, name, step.literals))
                else:
                    opened.add_clause(list(step.literals))
        except SolverDied:
            raise
        except SolverFailure as failure:
            if not written or not _solves_plain_text(formula, name):
                raise
            return Replies((Reply(None, complaint=f"{NOT_READ}: {failure.what}"),))
        seconds = perf_counter() - started
        last = trace.steps[-1]
        if certify and last.solves and name not in SINGLE_CALL and not is_command(name):
            again = _reply(opened, name, last.literals)
    keeps_proofs = PROOF_PLACE in name if is_command(name) else name not in WITHOUT_PROOFS
    if certify and trace.is_formula and calls[0].verdict is False and keeps_proofs:
        proved = _with_proof(formula, name, dimacs)
    effort = Effort(solve_s=seconds, variables=trace.variables, clauses=trace.clauses)
    return Replies(tuple(calls), again, proved, effort=effort)


def _solves_plain_text(formula: Formula, name: str) -> bool:
    """Whether a program gives a verdict if each clause is a line and there are no comments."""
    with suppress(SolverFailure), open_solver(formula, name) as opened:
        return _reply(opened, name, ()).verdict is not None
    return False


def _reply(opened: SatSolver, name: str, assumptions: Sequence[int]) -> Reply:
    verdict = False
    try:
        verdict = opened.solve(assumptions=list(assumptions)) if assumptions else opened.solve()
        if verdict is None:
            return Reply(None, complaint="gave no verdict")
        if verdict:
            return Reply(True, model=tuple(map(int, opened.get_model() or ())))
    except NoVerdict as failure:
        return Reply(None, complaint=failure.what)
    except ModelRefused as refused:
        return Reply(True, complaint=refused.what)
    if assumptions:
        with suppress(NotImplementedError):
            core = opened.get_core()
            complaint = NO_CORE if core is None else ""
            return Reply(False, core=tuple(map(int, core or ())), complaint=complaint)
    return Reply(False)


def _with_proof(formula: Formula, name: str, text: bytes) -> Reply | None:
    """The reply of a new solver that keeps a proof; None if it cannot."""
    with (
        suppress(NotImplementedError),
        open_solver(formula, name, with_proof=True, text=text) as opened,
    ):
        reply = _reply(opened, name, ())
        if reply.verdict is not False:
            return reply
        try:
            return reply._replace(proof=tuple(opened.get_proof() or ()))
        except SolverFailure as failure:
            return reply._replace(proof=(), complaint=failure.what)
    return None


PUZZLE = FormulaPuzzle()
