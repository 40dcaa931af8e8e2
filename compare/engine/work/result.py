"""What came of one contender on one instance: a `Result`, which is its own line of JSON; how two
answers stand to each other (`relate`); and what is wrong with one (`faults_of`).

`Result.of` is the one place that makes a result of a new run. Whoever learns more of the same run
later takes `msgspec.structs.replace`. The text of a result is a valid input file of its puzzle, and
its answer names its format, so both can be read back. Claims are kept without loss and in few
bytes. A file of results may have been edited or damaged, so every value is checked as it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from math import inf
from sys import intern
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import msgspec
import numpy as np
from msgspec import Meta

import puzzles
from compare.engine.isolate.outcome import Status, Usage
from compare.engine.work.json_lines import (
    PackedClaims,
    check_depth,
    decode,
    pack,
    unpack,
)
from puzzles.answer import CLAIMS_NO_WORTH, UNCLAIMED, Answer, Check, Claims, Effort, Verdict, Worth
from puzzles.case_solution import MAX_DIGITS
from puzzles.instance import Instance, size_text
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError, escape, quote_beginning

if TYPE_CHECKING:
    from compare.engine.work.contenders import Ask

Natural = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Whole = Annotated[int, Meta(gt=-(10**MAX_DIGITS), lt=10**MAX_DIGITS)]

MAX_KEPT_TEXT = 2**16
"""Inputs and answers of more characters than this are not kept in a file."""

MAX_TRACE = 100
"""Entries of a trace."""

MAX_NUMBER = 2**63 - 1
"""No second, byte or step of a result is more than this."""


class Kind(StrEnum):
    """What a contender is."""

    BACKEND = "backend"
    PROGRAM = "program"
    GIVEN = "given"


class InstanceKey(NamedTuple):
    """What identifies an instance in a file of results.

    The digest is part of it, since two files may give a dataset one name.
    """

    puzzle: str
    dataset: str
    file: str | None
    case: int
    digest: str

    @property
    def place(self) -> str:
        """The instance within its puzzle, for people."""
        file = "" if self.file is None else f"{self.file} "
        return f"dataset {self.dataset}, {file}case {self.case}"


class RunKey(NamedTuple):
    """What identifies a run in a file of results; the fields are those of a `Result`."""

    instance: InstanceKey
    contender: str
    kind: Kind
    repeat: int
    together: int


class TracePoint(NamedTuple):
    """What a backend had reported after so many seconds: its best value and its best bound."""

    seconds: Annotated[float, Meta(ge=0)]
    value: Whole | None
    bound: Whole | None


SearchTrace = Annotated[tuple[TracePoint, ...], Meta(max_length=MAX_TRACE)]


class Result(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    eq=False,
    forbid_unknown_fields=True,
):
    """What came of one contender on one instance, once. Its line of JSON has each of these fields,
    `value`, `bound` and `trace` only if they are known.

    A run that was stopped at a limit has the best answer that the backend reported, if it did.

    Attributes:
        puzzle: the puzzle's name.
        contender: `side:name` of a backend, or the name that the user gave.
        kind: a backend, a program, or answers that exist already.
        complete: False if the contender may claim only part of an answer.
        solver: the SAT solver that a backend used, if it takes one.
        dataset, file, family, seed: see `DatasetCase`.
        case: the number of the instance in its file or family, from 1.
        digest: of the instance's canonical text; empty if nobody asked for a record.
        size: how large the instance is, as one number: the cells of a board.
        shape: rows and columns of a board; None for other instances.
        text: an input file that holds the instance; None above 64 KiB, or if nobody asked for a
            record.
        repeat: which repeat this is, from 1.
        together: how many instances of its file a program got in this start; 1 for a process of its
            own. Usage is that of the whole start.
        parallel: other runs were under way at the same time.
        status: how the run ended.
        reason: why it did not end well.
        declared: of a run that is SKIPPED, whether that is no fault: the backend declares that it
            may refuse the board, or that it takes none of this size, or it cannot run here.
        lacking: what an incomplete answer should claim and does not (see `Backend.finds`); empty
            for nothing.
        usage: wall and CPU seconds of the call, its child processes included (of a program: of its
            whole life), and bytes of memory of its process.
        effort: what the backend itself says: seconds to build and to solve, size of the formula,
            steps of the search.
        claims: what the answer claims; None if nothing that can be related.
        exact: further exact claims by name, mostly of the certified answer.
        value, bound: what its solution is worth, and what no solution beats, as the answer says;
            equal if it says that the solution is best. None where it says nothing of the kind, or
            if the puzzle does not ask for the best.
        trace: when the backend reported something better (`puzzles.backend.report`), and at last
            the answer of a run that ended; None if it reported nothing, or if the run was not
            timed.
        decided: how many open questions of the instance the claims decide.
        answer: the answer in the contest's format; in a record None above 64 KiB.
        format: of the answer; empty for the puzzle's first.
        check: of the certified answer; None if it was not checked.
        printed: the beginning of what a backend wrote to standard output and standard error; before
            it a sentence of ours, if a run in another process ended otherwise; behind it, labelled,
            what the check wrote.
        view: what else was asked of the answer (`Ask.view`), as JSON says it; mostly None.
    """

    puzzle: str
    contender: str
    kind: Kind
    complete: bool = True
    solver: str | None = None
    dataset: str
    file: str | None = None
    case: Positive
    family: str | None = None
    seed: int | None = None
    digest: str = ""
    size: Natural
    shape: tuple[Positive, Positive] | None = None
    text: str | None = None
    repeat: Positive = 1
    together: Positive = 1
    parallel: bool = False
    status: Status
    reason: str = ""
    declared: bool = False
    lacking: str = ""
    usage: Usage = Usage()
    effort: Effort = Effort()
    claims: Claims | None = None
    exact: dict[str, object] | None = None
    value: Whole | None = None
    bound: Whole | None = None
    trace: SearchTrace | None = None
    decided: Natural | None = None
    answer: str | None = None
    format: str = ""
    check: Check | None = None
    printed: str = ""
    view: dict[str, object] | None = None

    @classmethod
    def of(cls, ask: Ask, k: int = 0, *, status: Status, reason: str = "", **fields: Any) -> Self:
        """The result of the k-th case that was asked.

        Args:
            fields: of the result, such as those that say what an answer claims.
        """
        contender, case = ask.contender, ask.cases[k]
        instance = case.instance
        result = cls(
            puzzle=contender.puzzle,
            contender=escape(contender.name),
            kind=contender.kind,
            complete=contender.complete,
            solver=contender.solver,
            dataset=case.dataset,
            file=case.file,
            case=case.number,
            family=case.family,
            seed=case.seed,
            size=instance.size,
            shape=instance.shape,
            repeat=ask.repeat,
            together=len(ask.cases),
            parallel=ask.parallel,
            status=status,
            reason=reason,
            format=puzzles.get(contender.puzzle).format(ask.format),
            **fields,
        )
        return result.of_record(instance) if ask.recorded else result

    @property
    def key(self) -> InstanceKey:
        return InstanceKey(self.puzzle, self.dataset, self.file, self.case, self.digest)

    @property
    def run_key(self) -> RunKey:
        return RunKey(self.key, self.contender, self.kind, self.repeat, self.together)

    @property
    def start(self) -> tuple[str, str, str]:
        """What the results share whose instances a program gets in one start: puzzle, contender,
        dataset.
        """
        return self.puzzle, self.contender, self.dataset

    @property
    def verdict(self) -> Verdict | None:
        """What the check says of the answer; None if it was not checked."""
        return None if self.check is None else self.check.verdict

    @property
    def is_proved(self) -> bool:
        """Whether the check has certified every claim of the answer."""
        return self.verdict is Verdict.PROVED

    @property
    def is_refuted(self) -> bool:
        """Whether the check has found a claim of the answer false."""
        return self.verdict is Verdict.REFUTED

    @property
    def stance(self) -> Stance | None:
        """Its side of a relation; None if it claims nothing."""
        if self.claims is None:
            return None
        worth = Worth(self.value, self.bound)
        return Stance(self.claims, self.complete, self.exact or {}, worth)

    @property
    def number(self) -> str:
        """The instance within its dataset, for people."""
        return number_text(self.case, self.file)

    @property
    def shown_size(self) -> str:
        """The size, for people."""
        return size_text(self.size, self.shape)

    def __str__(self) -> str:
        """Where it was run, for people."""
        company = f", one of {self.together} in one file" if self.together > 1 else ""
        return f"{self.puzzle}, {self.key.place}{company} ({self.shown_size})"

    def instance(self) -> Instance | None:
        """The instance, read back from its text; None if there is no text or the text holds another
        instance.
        """
        if self.text is None:
            return None
        try:
            instances = puzzles.get(self.puzzle).parse(self.text, "<record>")
        except UserError:
            return None
        return instances[0] if [each.digest for each in instances] == [self.digest] else None

    def read_answer(self, instance: Instance) -> Answer | None:
        """The answer, read back from its text; None if there is none."""
        if self.answer is None:
            return None
        try:
            (answer,) = puzzles.get(self.puzzle).parse_answers(
                self.answer, [instance], self.format, "<record>"
            )
        except UserError:
            return None
        return answer

    def of_record(self, instance: Instance) -> Self:
        """The result of this instance as a file keeps it: with its digest and text, and without
        what is too long.
        """
        text = puzzles.get(self.puzzle).print_instances([instance])
        return msgspec.structs.replace(
            self,
            digest=instance.digest,
            text=kept_text(text),
            answer=kept_text(self.answer),
        )

    def line(self) -> str:
        """The result as one line of JSON, without the line's end."""
        values = msgspec.to_builtins(self, enc_hook=pack)
        for name in _OF_BEST:
            if values[name] is None:
                del values[name]
        return json.dumps(values)

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """The result that `line` wrote; raises `ValueError` for anything else."""
        try:
            return cls._from_values(decode(line, frozenset(cls.__struct_fields__) - _OF_BEST))
        except (ValueError, UserError) as error:
            raise ValueError(f"not a record: {error}") from None

    @classmethod
    def _from_values(cls, values: dict[str, Any]) -> Self:
        """The result with these values. Names that many results share are kept in memory once."""
        names = {
            name: intern(value)
            for name in cls.__struct_fields__
            if type(value := values.get(name)) is str and len(value) < _MAX_NAME
        }
        packed = msgspec.convert(values.pop("claims", None), PackedClaims | None)
        check_depth(values.get("exact"))
        result = msgspec.convert(values | names, cls)
        puzzle = _puzzle(result.puzzle)
        puzzle.format(result.format)
        claims = unpack(packed, result.size)
        if puzzle.first_claim_is_consistency and claims is not None and not claims.size:
            raise ValueError(
                "the claims are empty, and the first says whether the instance is consistent"
            )
        seconds = [point.seconds for point in result.trace or ()]
        measured = (*astuple(result.usage), *astuple(result.effort), *seconds)
        if not all(0 <= (number or 0) <= MAX_NUMBER for number in measured):
            raise ValueError("a number of its usage, effort or trace is out of range")
        return msgspec.structs.replace(result, claims=claims)


_OF_BEST = frozenset(("value", "bound", "trace"))
"""Fields that stand only in lines of puzzles that ask for the best."""

_MAX_NAME = 200
"""Characters of a text that may be a name."""


def number_text(case: int, file: str | None) -> str:
    """An instance within its dataset, for people: its case, after the stem of its file if the
    dataset has several.
    """
    return str(case) if file is None else f"{file} {case}"


def kept_text(text: str | None) -> str | None:
    """The text, if a file keeps it; None if it is too long."""
    return text if text is not None and len(text) <= MAX_KEPT_TEXT else None


def _puzzle(name: str) -> Puzzle:
    """The puzzle of a result. A file of results never has a file of code loaded."""
    try:
        return puzzles.get(name)
    except UnknownName:
        own = "if it is somebody's own, name its file with --puzzle FILE.py"
        raise UserError(
            f"it is of the puzzle {quote_beginning(name)}, which is none of Twofold's: {own}"
        ) from None


@dataclass(frozen=True)
class Stance:
    """What an answer claims, whether it claims everything that can be claimed, its further exact
    claims, and what it says of the best value.
    """

    claims: Claims
    complete: bool = True
    exact: Mapping[str, object] = field(default_factory=dict)
    worth: Worth = CLAIMS_NO_WORTH

    @classmethod
    def of(cls, answer: Answer, claims: Claims, complete: bool = True) -> Self:
        """What an answer with these claims says, exact claims aside."""
        return cls(claims, complete, worth=answer.worth)

    def same(self, other: Stance) -> bool:
        """Whether both claim the same."""
        return (
            self.complete is other.complete
            and self.exact == other.exact
            and self.worth == other.worth
            and same_claims(self.claims, other.claims)
        )

    @property
    def is_impossible(self) -> bool:
        """Whether it says that there is no solution; of a puzzle that asks for the best."""
        return self.claims.size > 0 and self.claims[0] == 0

    def optimum(self, better: str) -> tuple[float, float]:
        """Between which numbers the best value lies, as the answer says, where less is better:
        values of which the greater one is better are negated. Infinite is worse than any solution.

        Args:
            better: which of two values is; see `Puzzle.better`.
        """
        if self.is_impossible:
            return inf, inf
        value, bound = self.worth
        sign = 1 if better == "less" else -1
        least = -inf if bound is None else sign * bound
        if value is not None:
            return least, sign * value
        is_open = self.claims.size == 0 or self.claims[0] == UNCLAIMED
        return least, inf if is_open else MAX_NUMBER


def same_claims(one: Claims | None, other: Claims | None) -> bool:
    """Whether two answers claim the same, further exact claims aside."""
    if one is other or one is None or other is None:
        return one is other
    if one.dtype == other.dtype:  # for small arrays several times as fast
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return np.array_equal(one, other)


class Relation(StrEnum):
    """EQUAL: two complete answers. SUBSET: an incomplete and a complete one.

    COMPATIBLE: two incomplete ones. Where the best is asked for, an answer is complete if it names
    the best value, or says that there is no solution.
    """

    EQUAL = "EQUAL"
    SUBSET = "SUBSET"
    COMPATIBLE = "COMPATIBLE"
    CONFLICT = "CONFLICT"


def relate(puzzle: str, a: Stance, b: Stance) -> Relation:
    """Relate two answers to the same instance of a puzzle; linear in the claims.

    See `Puzzle.first_claim_is_consistency`.
    """
    ours, theirs = a.claims, b.claims
    better = puzzles.get(puzzle).better
    if better:
        (our_least, our_most), (their_least, their_most) = a.optimum(better), b.optimum(better)
        if max(our_least, their_least) > min(our_most, their_most):
            return Relation.CONFLICT
        named = (our_least == our_most) + (their_least == their_most)
        if named < 2:
            apart = any(differing(a.exact, b.exact))
            kind = Relation.SUBSET if named else Relation.COMPATIBLE
            return Relation.CONFLICT if apart else kind
        a, b = replace(a, complete=True), replace(b, complete=True)
    if puzzles.get(puzzle).first_claim_is_consistency and (ours[0] == 0 or theirs[0] == 0):
        ours, theirs = ours[:1], theirs[:1]
    elif any(differing(a.exact, b.exact)):
        return Relation.CONFLICT
    kind = (
        Relation.EQUAL
        if a.complete and b.complete
        else Relation.SUBSET
        if a.complete or b.complete
        else Relation.COMPATIBLE
    )
    if ours.shape != theirs.shape:
        return Relation.CONFLICT
    differ = ours != theirs
    if not a.complete:
        differ &= ours != UNCLAIMED
    if not b.complete:
        differ &= theirs != UNCLAIMED
    return Relation.CONFLICT if differ.any() else kind


def contradict(one: Result, other: Result) -> bool:
    """Whether two answers to one instance cannot both be right."""
    ours, theirs = one.stance, other.stance
    if ours is None or theirs is None:
        return False
    return relate(one.puzzle, ours, theirs) is Relation.CONFLICT


def differing(ours: Mapping[str, object], theirs: Mapping[str, object]) -> Iterator[str]:
    """The exact claims that both answers have and that differ, for people."""
    for name, value in ours.items():
        if theirs.get(name, value) != value:
            yield f"{name}: {value} and {theirs[name]}"


CONFLICT, REFUTED, UNPROVED, REFUSED = "CONFLICT", "REFUTED", "UNPROVED", "REFUSED"
LACKING = "LACKING"
"""Kinds of faults beside those that are a status: two answers that cannot both be right; an answer
that the check refutes; a promised certificate that is missing or wrong, or a check that is broken;
a board that a backend refuses within its declared limits; an incomplete answer that claims less
than what its backend finds at least (`Backend.finds`).
"""


BROKEN_CHECK = "the check is broken: "
UNCERTIFIED = "no certificate, and none is promised: "
NO_CERTIFICATE = "no certificate, though the backend promises one: "
WRONG_CERTIFICATE = "the certificate is not valid: "

DEFECTS = (BROKEN_CHECK, NO_CERTIFICATE, WRONG_CERTIFICATE)
"""How the reason of an UNPROVED verdict begins that shows a defect: of the check, or of the
backend.
"""


@dataclass(frozen=True, order=True)
class Fault:
    """Something wrong on one board: what kind, and whose answers show it.

    Attributes:
        kind: one of the five kinds above, or a status.
        names: the contenders; two for a conflict.
        detail: for people; it does not count when two faults are compared by `same`.
        together: the boards of a call that fails, if no board fails by itself; else empty.
        part: which part of an answer the check refutes, if it tells parts apart.
    """

    kind: str
    names: tuple[str, ...]
    detail: str = ""
    together: tuple[Instance, ...] = field(default=(), compare=False)
    part: str = ""

    def same(self, other: Fault) -> bool:
        """Whether it is the same kind of fault of the same contenders, of one board or of a call of
        several.
        """
        own, theirs = (
            (each.kind, each.names, bool(each.together), each.part) for each in (self, other)
        )
        return own == theirs

    def sentence(self, place: str = "") -> str:
        """`CRASH: mine on lights, dataset tiny, case 3: killed by SIGSEGV`.

        Without a place it is about what stands beside it.
        """
        where, why = f" on {place}" if place else "", f": {self.detail}" if self.detail else ""
        about = f"{' and '.join(self.names)}{where}".strip()
        return f"{self.kind}: {about}{why}" if about else f"{self.kind}{why}"


def faults_of(result: Result) -> list[Fault]:
    """What a result shows to be wrong with its contender.

    A limit of the check itself is nobody's fault, and a solver may say that it does not know.
    """
    own, check = (result.contender,), result.check
    if result.status in (Status.SPARED, Status.UNKNOWN):
        return []
    if result.status is Status.SKIPPED:
        return [] if result.declared else [Fault(REFUSED, own, result.reason)]
    faults: list[Fault] = []
    if result.status is not Status.OK:
        faults.append(Fault(result.status, own, result.reason))
    elif result.lacking:
        faults.append(Fault(LACKING, own, f"it {result.lacking}"))
    if check is not None and check.verdict is Verdict.REFUTED:
        faults.append(Fault(REFUTED, own, check.detail, part=check.part))
    elif check is not None and shows_defect(check):
        faults.append(Fault(UNPROVED, own, check.detail))
    return faults


def shows_defect(check: Check) -> bool:
    """Whether an UNPROVED verdict shows a defect of the backend or of the check."""
    return check.verdict is Verdict.UNPROVED and check.detail.startswith(DEFECTS)


def lacks_certificate(check: Check) -> bool:
    """Whether an answer is UNPROVED for want of a certificate that nobody promised."""
    return (
        check.verdict is Verdict.UNPROVED
        and check.detail.startswith(UNCERTIFIED)
        and not check.limited
    )
