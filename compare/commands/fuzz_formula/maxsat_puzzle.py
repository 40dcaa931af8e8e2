"""MaxSAT solvers as contenders: an instance is a formula of hard and soft clauses (WCNF), and the
best model of the hard clauses violates soft clauses of the least weight.

Both formats of the MaxSAT Evaluations are read: that of 2022, in which a line begins with `h` or
with the weight of its clause, and the older one with the header `p wcnf VARIABLES CLAUSES TOP`, in
which the weight TOP makes a clause hard. Answers are printed as in the evaluations: `o COST`, `s
OPTIMUM FOUND`, and the model on a line `v`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, ClassVar, Self

import numpy as np

from models.cnf import MAX_VARIABLES, Formula
from models.dimacs import Encoding
from models.maxsat import cost_of, cpsat_model, maxsat_session
from models.proofs.least_cost import model_or_none, refute_less
from models.solvers.external import (
    CNF_PLACE,
    TooMuch,
    command_of,
    is_command,
    last_words,
    printed_by,
    solver_file,
)
from models.solvers.sat_solver import NoVerdict, SolverDied, SolverFailure
from models.solvers.solver_names import DEFAULT_SOLVER
from models.stopwatch import Stopwatch
from puzzles.answer import Check, Claims, Verdict
from puzzles.backend import backend, report
from puzzles.case import Case
from puzzles.case_solution import MAX_DIGITS, CaseSolution, CaseSolutionPuzzle
from puzzles.dimacs_reader import read_header, refuse_other_encodings, without_comments
from puzzles.instance import Forbidden
from puzzles.puzzle import Family
from puzzles.shell.process_tree import ending
from puzzles.space.instance_space import InstanceSpace, TinyInstances, blocks
from puzzles.text import InputError, Reader, count_noun

Clause = tuple[int, ...]

WeightedClause = tuple[int, Clause]
"""A clause after its weight, which is 0 of a hard one."""

MAX_WEIGHT = 10**MAX_DIGITS - 1
"""All weights of a formula add up to no more."""

_FEW_VARIABLES = 12
"""Variables of a formula of which all assignments are tried."""

_WORD = re.compile(rb"\S+")
_NUMBER = re.compile(rb"(?!-0+\Z)-?[0-9]{1,20}")
_VERDICT_LINE = re.compile(rb"(?m)^[ \t]*s\s")
_OLD_FORM = "p wcnf VARIABLES CLAUSES TOP"


@dataclass(frozen=True, eq=False, repr=False)
class WeightedFormula(Case):
    """Hard clauses, and soft ones after their weights."""

    puzzle: ClassVar[str] = "maxsat"
    hard: tuple[Clause, ...]
    soft: tuple[WeightedClause, ...]

    @classmethod
    def of(cls, clauses: Iterable[WeightedClause]) -> Self:
        """The formula of these clauses; raises `Forbidden` if it is none."""
        clauses = [*clauses]
        hard = tuple(literals for weight, literals in clauses if not weight)
        return cls(hard, tuple(each for each in clauses if each[0]))

    @property
    def clauses(self) -> list[WeightedClause]:
        """The hard clauses, then the soft ones."""
        return [*((0, literals) for literals in self.hard), *self.soft]

    def forbidden(self) -> str:
        weight = sum(weight for weight, _ in self.soft)
        if not self.hard and not self.soft:
            return "the formula has no clause"
        return f"all weights add up to more than {MAX_WEIGHT}" if weight > MAX_WEIGHT else ""

    @property
    def variables(self) -> int:
        """The largest variable that occurs."""
        return max((abs(each) for _, literals in self.clauses for each in literals), default=0)

    @property
    def size(self) -> int:
        """The clauses and their literals."""
        return sum(1 + len(literals) for _, literals in self.clauses)

    @property
    def shown_size(self) -> str:
        return f"{len(self.hard)} hard and {count_noun(len(self.soft), 'soft clause')}"

    @property
    def suffix(self) -> str:
        return ".wcnf"

    def formula(self) -> Formula:
        formula = Formula.of(self.variables, self.hard)
        for weight, clause in self.soft:
            formula.add_soft(weight, *clause)
        return formula

    def text(self) -> str:
        lines = [(weight or "h", *literals, 0) for weight, literals in self.clauses]
        return "".join(" ".join(map(str, line)) + "\n" for line in lines)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """Read a whole file, with comments wherever they are."""
        refuse_other_encodings(reader)
        data = without_comments(reader.data)
        begin, variables, top, announced = 0, MAX_VARIABLES, None, None
        first = _WORD.search(data)
        if first is None:
            reader.fail("the text is empty; expected clauses that begin with h or a weight", 0)
        if first[0] == b"p":
            end = data.find(b"\n", first.start())
            begin = len(data) if end < 0 else end
            variables, announced, *rest = read_header(
                reader, first.start(), begin, _OLD_FORM, least=2, most_variables=MAX_VARIABLES
            )
            top = rest[0] if rest else None
        is_old = announced is not None
        clauses: list[WeightedClause] = []
        weight: int | None = None  # of the clause that is being read
        literals: list[int] = []
        for word in _WORD.finditer(data, begin):
            if weight is None:
                weight = _weight(reader, word, top, is_old=is_old)
                continue
            literal = int(word[0]) if _NUMBER.fullmatch(word[0]) else None
            if literal is None or abs(literal) > variables:
                shown = word[0][:20].decode("utf-8", "replace")
                what = f"a literal of {variables} variables or 0" if is_old else "a literal or 0"
                reader.fail(f"expected {what}; found {shown!r}", word.start())
            if literal:
                literals.append(literal)
                continue
            clauses.append((weight, tuple(literals)))
            weight, literals = None, []
        if weight is not None:
            reader.fail("the text ends within a clause; expected 0", len(data.rstrip()))
        if announced is not None and len(clauses) != announced:
            reader.fail(
                f"the header announces {announced} clauses, the text has {len(clauses)}",
                first.start(),
            )
        reader.position = len(reader.data)
        return cls.of(clauses)


def _weight(reader: Reader, word: re.Match[bytes], top: int | None, *, is_old: bool) -> int:
    """The weight with which a clause begins; 0 of a hard one."""
    if word[0] == b"h" and not is_old:
        return 0
    weight = int(word[0]) if _NUMBER.fullmatch(word[0]) else 0
    if weight < 1:
        shown = word[0][:20].decode("utf-8", "replace")
        what = "a weight" if is_old else "h or a weight"
        reader.fail(f"expected {what}, a whole number from 1 on; found {shown!r}", word.start())
    if top is not None and weight >= top:
        return 0
    if weight > MAX_WEIGHT:
        reader.fail(f"the weight is more than {MAX_WEIGHT}", word.start())
    return weight


class MaxSatPuzzle(CaseSolutionPuzzle[WeightedFormula, CaseSolution]):
    """The rules: a model makes a literal of each hard clause true, and costs what the soft clauses
    weigh of which it makes none true. A variable that it does not name is false.

    That no model costs less is confirmed by trying all of them, or by unit propagation, which
    follows a proof of a solver.
    """

    name = "maxsat"
    title = "MaxSAT solvers"
    source = "WCNF of the MaxSAT Evaluations"
    case_type = WeightedFormula
    formats = ("competition",)
    example = "h 1 2 0\nh -1 -2 0\n3 -1 0\n2 -2 0\n1 1 2 0\n"
    many_instances = False
    largest = 8
    suffixes = (".wcnf",)
    comment = "c"
    better = "less"
    value_name = "the cost"

    def misread(self, text: str | bytes, formulas: Sequence[WeightedFormula], /) -> None:
        """A formula can be written in two formats; tests compare what is read of each."""

    def broken_rule(self, case: WeightedFormula, witness: Sequence[int], /) -> str:
        """Each hard clause has a true literal, and no variable two values."""
        true = {*witness}
        both = next((literal for literal in witness if -literal in true), None)
        if both is not None:
            return f"the model has {both} and {-both}"
        for number, clause in enumerate(case.hard, 1):
            if not any(
                literal in true or (literal < 0 and -literal not in true) for literal in clause
            ):
                return f"the model violates the hard clause {number}: {' '.join(map(str, clause))}"
        return ""

    def value(self, case: WeightedFormula, witness: Sequence[int], /) -> int:
        return cost_of(case.formula(), _values(case, witness))

    def candidates(self, case: WeightedFormula, /) -> Iterable[Sequence[int]] | None:
        """All assignments, if the variables are few."""
        if case.variables > _FEW_VARIABLES:
            return None
        return product(*((-variable, variable) for variable in range(1, case.variables + 1)))

    def bound_fault(self, case: WeightedFormula, value: int, bound: Any, /) -> str:
        """No model costs less than the value: a solver says so, and its proof is checked."""
        return refute_less(case.formula(), value)

    def check_impossible(self, case: WeightedFormula, answer: CaseSolution, /) -> Check:
        model = model_or_none(Formula.of(case.variables, case.hard))
        if model is None:
            return Check(Verdict.PROVED, "unit propagation confirms that no model exists")
        return Check(Verdict.REFUTED, "the hard clauses have a model")

    def print_answers(self, answers: Sequence[CaseSolution], format: str) -> str:
        """As solvers print in the evaluations; a bound is a comment, `c bound N`."""
        return "".join(f"{_printed(answer)}\n" for answer in answers)

    def read_answer(
        self, reader: Reader, instance: WeightedFormula, /, case: int, format: str
    ) -> CaseSolution:
        answer = read_output(reader.data, instance, reader.name)
        reader.position = len(reader.data)
        return answer

    def in_words(self, line: str) -> str:
        return line.partition(" ")[2]

    def outcome(self, claims: Claims) -> str:
        if claims[0] == 0:
            return "UNSATISFIABLE"
        return "OPTIMUM FOUND" if len(claims) == 2 else "a part"

    @property
    def families(self) -> Mapping[str, Family[WeightedFormula]]:
        return {
            "random": Family(random_weighted, "up to size variables, and clauses of all kinds"),
            "cover": Family(
                cover, "vertex covers of random graphs with up to size vertices that weigh 1 to 3"
            ),
        }

    def edge_cases(self) -> list[WeightedFormula]:
        return [self.of_text(text) for text in EDGE_TEXTS]

    def space(self) -> InstanceSpace[WeightedFormula]:
        return WeightedSpace(self)


def _values(case: WeightedFormula, witness: Sequence[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    values = np.zeros(case.variables + 1, np.bool_)
    values[[each for each in witness if 0 < each <= case.variables]] = True
    return values


def _printed(answer: CaseSolution) -> str:
    if not answer.possible:
        return "s UNSATISFIABLE"
    value, bound = answer.worth
    lines = [f"c bound {bound}"] if bound is not None and bound != value else []
    if value is None:
        return "\n".join([*lines, "s UNKNOWN"])
    lines += [f"o {value}", "s OPTIMUM FOUND" if bound == value else "s SATISFIABLE"]
    if answer.witness is not None:
        lines.append(" ".join(map(str, ["v", *answer.witness, 0])))
    return "\n".join(lines)


def read_output(output: bytes, case: WeightedFormula, name: str) -> CaseSolution:
    """What a MaxSAT solver prints; the last `o` and the last model count. A model is a list of
    literals, or as since 2020 a digit for each variable.

    Raises:
        InputError: there is no verdict, or one that contradicts the rest.
    """
    cost: int | None = None
    bound: int | None = None
    verdict, model = "", None
    end = 1
    for line, text in enumerate(output.decode("utf-8", "replace").splitlines(), 1):
        words = text.split()
        if not words:
            continue
        end = line
        if words[:2] == ["c", "bound"] and len(words) == 3:
            bound = _whole(name, line, words[2])
        elif words[0] == "o":
            cost = _whole(name, line, " ".join(words[1:]))
        elif words[0] == "s":
            verdict = " ".join(words[1:])
            if verdict not in _VERDICTS:
                raise InputError(name, line, 1, f"expected s {_EXPECTED}; found {text[:40]!r}")
        elif words[0] == "v":
            model = _model(name, line, words[1:], case.variables)
    if not verdict:
        raise InputError(name, end, 1, f"expected a line s {_EXPECTED}")
    if verdict == "UNSATISFIABLE":
        return CaseSolution.infeasible()
    if verdict == "UNKNOWN":
        if bound is None and cost is None:
            raise NoVerdict(name, "gave no verdict: s UNKNOWN")
        if cost is None:
            assert bound is not None
            return CaseSolution.only_bound(bound)
    if cost is None:
        raise InputError(name, end, 1, "expected a line o COST with what the model costs")
    if verdict == "OPTIMUM FOUND":
        return CaseSolution.optimal(cost, model)
    return CaseSolution.feasible(cost, model, bound)


_VERDICTS = ("OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN")
_EXPECTED = "OPTIMUM FOUND, SATISFIABLE, UNSATISFIABLE or UNKNOWN"


def _whole(name: str, line: int, word: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", word):
        raise InputError(
            name,
            line,
            1,
            f"expected a cost, a whole number of up to 18 digits; found {word[:40]!r}",
        )
    return int(word)


def _model(name: str, line: int, words: Sequence[str], variables: int) -> Clause:
    """The literals of a model, without the 0 at its end."""
    if len(words) == 1 and len(words[0]) == variables and {*words[0]} <= {"0", "1"}:
        return tuple(k if each == "1" else -k for k, each in enumerate(words[0], 1))
    literals: list[int] = []
    for word in words:
        if not re.fullmatch(r"-?[0-9]{1,9}", word):
            raise InputError(name, line, 1, f"expected a literal or 0; found {word[:40]!r}")
        if int(word):
            literals.append(int(word))
    return tuple(literals)


EDGE_TEXTS = (
    "h 0\n",  # an empty hard clause
    "2 0\n",  # an empty soft clause
    "h 1 0\nh -1 0\n5 1 0\n",  # hard clauses that contradict each other
    "h 1 2 0\n",  # no soft clause
    "1 1 0\n1 -1 0\n",  # opposite soft clauses that weigh the same
    "2 1 0\n3 -1 0\n",  # and not the same
    "2 1 0\n3 1 0\n4 -1 0\n",  # a soft clause twice
    "4 1 -1 0\n2 -1 1 2 0\n",  # tautologies
    "h 1 1 2 0\n3 -1 -1 0\n2 -2 0\n",  # repeated literals
    "h 9 0\n1 -9 4 0\n",  # unused variables
    f"{MAX_WEIGHT // 3} 1 0\n{MAX_WEIGHT // 3} -1 0\n",  # large weights
    "h 1 2 3 0\n1 -1 0\n1 -2 0\n1 -3 0\n",  # a core of three
    "".join(f"{2**k} {k + 1} 0\n{2**k + 1} -{k + 1} 0\n" for k in range(8)),  # many sums
)


def random_weighted(size: int, seed: int) -> WeightedFormula:
    """A size and a seed always give the same formula."""
    return _random(Random(f"{size} {seed}"), size)


def _random(rng: Random, size: int) -> WeightedFormula:
    variables = rng.randint(1, max(1, size))
    largest = rng.choice((1, 3, 20))

    def clause(least: int) -> Clause:
        length = rng.choice((1, 1, 2, 2, 3, 3, 4)) if rng.random() > 0.02 else least
        return tuple(rng.choice((1, -1)) * rng.randint(1, variables) for _ in range(length))

    hard = [clause(1) for _ in range(rng.randint(0, 2 * variables))]
    soft = [(rng.randint(1, largest), clause(0)) for _ in range(rng.randint(1, 2 * variables + 1))]
    return WeightedFormula(tuple(hard), tuple(soft))


def cover(size: int, seed: int) -> WeightedFormula:
    """A size and a seed always give the same formula."""
    rng = Random(f"cover {size} {seed}")
    vertices = range(1, rng.randint(1, size + 1) + 1)
    edges = [
        (a, b) for a in vertices for b in vertices if a < b and rng.random() < 2.5 / len(vertices)
    ]
    return WeightedFormula(tuple(edges), tuple((rng.randint(1, 3), (-each,)) for each in vertices))


class WeightedSpace(InstanceSpace[WeightedFormula]):
    """Formulas with fewer clauses, shorter ones, and smaller weights."""

    def weight(self, instance: WeightedFormula) -> tuple[int, ...]:
        return instance.size, sum(weight for weight, _ in instance.soft), len(instance.text())

    def steps(self, instance: WeightedFormula) -> Iterator[WeightedFormula]:
        """Without runs of clauses, without a literal, with smaller weights, and with variables that
        have no gaps.
        """
        for clauses in self._smaller(instance.clauses):
            with suppress(Forbidden):
                smaller = WeightedFormula.of(clauses)
                if smaller != instance:
                    yield smaller

    def _smaller(self, clauses: list[WeightedClause]) -> Iterator[list[WeightedClause]]:
        for start, stop in blocks(len(clauses)):
            yield [*clauses[:start], *clauses[stop:]]
        for k, (weight, literals) in enumerate(clauses):
            for at in range(len(literals)):
                shorter = weight, literals[:at] + literals[at + 1 :]
                yield [*clauses[:k], shorter, *clauses[k + 1 :]]
        for k, (weight, literals) in enumerate(clauses):
            for less in {1, weight // 2, weight - 1} - {0, -1, weight}:
                if weight:
                    yield [*clauses[:k], (less, literals), *clauses[k + 1 :]]
        used = sorted({abs(literal) for _, literals in clauses for literal in literals})
        new = {old: number for number, old in enumerate(used, 1)}
        yield [
            (weight, tuple(new[abs(each)] * (1 if each > 0 else -1) for each in literals))
            for weight, literals in clauses
        ]

    def draw(
        self, like: WeightedFormula, bases: Sequence[WeightedFormula], most: int, rng: Random
    ) -> WeightedFormula:
        """A small random formula, or a base with a few changes."""
        if not bases or rng.random() < 1 / 2:
            return _random(rng, rng.randint(1, max(1, min(most, 6))))
        return self.vary(rng.choice(bases), rng) or like

    def vary(self, instance: WeightedFormula, rng: Random) -> WeightedFormula | None:
        clauses = instance.clauses
        for _ in range(rng.randint(1, 3)):
            k = rng.randrange(len(clauses))
            weight, literals = clauses[k]
            change = rng.randrange(4)
            if change == 0 and len(clauses) > 1:
                del clauses[k]
            elif change == 1:
                clauses[k] = (0 if weight else rng.randint(1, 9), literals)
            elif change == 2 and literals:
                at = rng.randrange(len(literals))
                clauses[k] = weight, (*literals[:at], -literals[at], *literals[at + 1 :])
            elif weight:
                clauses[k] = rng.randint(1, 2 * weight), literals
        with suppress(Forbidden):
            return WeightedFormula.of(clauses)
        return None

    def tiny(self, instance: WeightedFormula, most: int) -> TinyInstances[WeightedFormula]:
        """The edge cases and tiny random formulas."""
        rng = Random(instance.digest)
        some = {_random(rng, 2) for _ in range(min(most, 500))}
        some |= {self.puzzle.of_text(each) for each in EDGE_TEXTS}
        smaller = [each for each in some if each.size < instance.size]
        return TinyInstances(iter(sorted(smaller, key=self.weight)), complete=False)


def state_formula(case: WeightedFormula) -> Encoding:
    formula = case.formula()
    formula.name(range(1, case.variables + 1), "x{}")
    return Encoding.of(formula, "the formula itself", case)


def _is_a_program(case: WeightedFormula, *, solver: str, certify: bool) -> bool:
    """Whether a program answers in the place of RC2. What it prints promises no certificate: it
    may show no model.
    """
    return certify and is_command(solver)


@backend(
    "maxsat",
    "rc2",
    side="models",
    source="RC2 of python-sat, with the SAT solver that --solver names; Ignatiev et al. 2019",
    options=("solver",),
    certifies=True,
    refuses=_is_a_program,
    encode=state_formula,
)
def by_rc2(
    case: WeightedFormula, *, solver: str = DEFAULT_SOLVER, certify: bool = False
) -> CaseSolution:
    """RC2; or the MaxSAT program that the command `solver` starts, with `{cnf}` in the place of its
    input file.
    """
    if is_command(solver):
        return _by_program(case, solver)
    watch = Stopwatch()
    formula = case.formula()
    watch.start_solving()
    with maxsat_session(
        formula, solver, watch, lambda bound: report(CaseSolution.only_bound(bound))
    ) as opened:
        possible = opened.solve()
        cost = opened.cost
        witness = (
            [k if opened.model()[k] else -k for k in range(1, case.variables + 1)]
            if possible
            else []
        )
    effort = watch.effort(formula.variables, len(formula.clauses) + len(formula.soft))
    if cost is None:
        return CaseSolution.infeasible(effort=effort)
    return CaseSolution.optimal(cost, witness, effort=effort)


_MAX_PRINTED = 2**26
"""Bytes that a program may print."""


def _by_program(case: WeightedFormula, command: str) -> CaseSolution:
    """What a MaxSAT program says; raises `SolverFailure` for what it does wrong."""
    with solver_file("formula.wcnf", case.text().encode(), named=True) as file:
        try:
            ended = printed_by(
                command_of(command), {CNF_PLACE: file}, _MAX_PRINTED, _Incumbents(case).hear
            )
        except TooMuch:
            raise SolverFailure(command, f"printed more than {_MAX_PRINTED >> 20} MB") from None
    how, words = ending(ended.returncode), last_words(ended.stderr, ended.stdout)
    if ended.returncode < 0:
        raise SolverDied(command, f"was {how}{words}")
    if not _VERDICT_LINE.search(ended.stdout):
        raise SolverFailure(command, f"gave no answer: {how}, no s line{words}")
    try:
        return read_output(ended.stdout, case, command)
    except InputError as error:
        place = f"line {error.line}: {error.message}; {how}{last_words(ended.stderr)}"
        raise SolverFailure(command, f"gave no answer: {place}") from None


class _Incumbents:
    """Reports what a MaxSAT program prints while it runs, so that one that is stopped has an
    answer: the cost of each line `o`, and the model of the last line `v`, if it prints one.

    A cost without a model is what the program says; nobody can check it.
    """

    def __init__(self, case: WeightedFormula) -> None:
        self._case = case
        self._line = bytearray()
        self._cost: int | None = None

    def hear(self, part: bytes) -> None:
        """Take in the next part of what it prints."""
        *lines, rest = part.split(b"\n")
        for line in lines:
            self._line += line
            self._take(self._line.decode("utf-8", "replace").split())
            self._line.clear()
        self._line += rest

    def _take(self, words: list[str]) -> None:
        model = None
        try:
            if words[:1] == ["o"]:
                self._cost = _whole("", 1, " ".join(words[1:]))
            elif words[:1] == ["v"]:
                model = _model("", 1, words[1:], self._case.variables)
            else:
                return
        except InputError:  # at the end it is said what is wrong, if there is an end
            return
        if self._cost is not None:
            report(CaseSolution.feasible(self._cost, model))


@backend(
    "maxsat",
    "cpsat",
    side="models",
    source="CP-SAT with a Boolean variable for each soft clause that is violated",
    certifies=True,
)
def by_cpsat(case: WeightedFormula, *, certify: bool = False) -> CaseSolution:
    formula = case.formula()
    model = cpsat_model(formula)
    if not model.solve():
        return CaseSolution.infeasible()
    literals = [k if model.value_at(k - 1) else -k for k in range(1, formula.variables + 1)]
    # The solver's own objective value is a float, which is not exact above 2^53.
    cost = sum(weight for weight, clause in formula.soft if not {*clause} & {*literals})
    return CaseSolution.optimal(cost, literals)


PUZZLE = MaxSatPuzzle()
