"""Who takes part in a comparison: backends, programs, and answers that exist already. What is asked
of them is an `Ask`, and `Result`s come of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import msgspec

import direct
import models
import puzzles
from compare.engine.isolate.outcome import DEFAULT_LIMITS, Limits, Status
from compare.engine.work.programs import STANDARD, ProgramFiles
from compare.engine.work.result import InstanceKey, Kind, Result, RunKey
from compare.engine.work.source_programs import words_of
from models.solvers.external import is_command
from models.solvers.solver_names import runs_foreign_code, solver_name, solvers
from puzzles.answer import Answer
from puzzles.backend import Backend, Side, all_backends, choice_text, split_options
from puzzles.instance import Instance, limit_text
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError, escape

SIDES: dict[str, Side] = {"direct": direct.SIDE, "models": models.SIDE}

EXPECTED = "expected"
"""The name of the contender that a dataset's expected answers make."""

EVERY_SOLVER = "all"
"""The value of `--solver` that makes a contender of each solver."""

_MAX_NAME = 40
"""Characters of a solver's name that the name of a contender has."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One participant for one puzzle: a `BackendContender`, a `ProgramContender` or `GivenAnswers`.

    Attributes:
        name: `side:name` of a backend, with `:OPTION=VALUE` behind it for each option that was
            chosen by name; else the name that the user gave.
        complete: False if it may claim only part of an answer.
        extended: whether it takes part on instances too that the contest does not promise; see
            `Puzzle.broken_promise`.
        format: the answer format, which says which contest is meant; None for the first.
    """

    kind: ClassVar[Kind]

    puzzle: str
    name: str
    complete: bool = True
    extended: bool = True
    format: str | None = None

    @property
    def solver(self) -> str | None:
        """The SAT solver that it uses, if it takes one."""
        return None

    @property
    def absent(self) -> str | None:
        """Why it cannot take part on this machine; None if it can."""
        return None

    def does_not_take(self, instance: Instance) -> str | None:
        """Why it does not take part on this instance; None if it does. Of a contender that is not
        `extended`, the broken promise.
        """
        if self.extended:
            return None
        puzzle = puzzles.get(self.puzzle)
        return puzzle.broken_promise(instance, puzzle.format(self.format)) or None


@dataclass(frozen=True, kw_only=True)
class BackendContender(Contender):
    """A built-in backend, or one of a plugin.

    Attributes:
        options: what the backend is called with.
        limit: the size above which it does not take part; None for any size.
        ours: whether it is built-in, and not a plugin's.
        in_compare: whether it stands beside a puzzle of `compare`, as `formula`. Then a solver
            behind it is on trial, but no code of others runs before that.
        certifies: whether it promises a certificate with each answer; see `Backend.certifies`.
        encodes: whether what it states can be written down; see `Backend.encodes`.
        finds, slow: see `Backend`.
        tests_solver: whether it solves with a SAT solver that somebody chose. That one may be
            wrong, so it is verified where time does not count.
        place: see `Backend`.
    """

    kind = Kind.BACKEND

    side: str
    backend_name: str
    options: tuple[tuple[str, Any], ...] = ()
    limit: int | None = None
    ours: bool = True
    in_compare: bool = False
    certifies: bool = False
    encodes: bool = False
    finds: str = ""
    slow: bool = False
    tests_solver: bool = False
    place: str = ""

    @property
    def backend(self) -> Backend:
        """The backend in this process; that of a plugin can solve only in a fork that has loaded
        the plugin.
        """
        return SIDES[self.side].get(self.puzzle, self.backend_name)

    @property
    def solver(self) -> str | None:
        return dict(self.options).get("solver")

    @property
    def has_foreign_solver(self) -> bool:
        """Whether its SAT solver is foreign code."""
        return self.solver is not None and runs_foreign_code(self.solver)

    @property
    def foreign(self) -> bool:
        """Whether foreign code may run where it solves: a plugin's, or a solver's. Nothing that it
        says is unpickled then.
        """
        return not self.ours or self.has_foreign_solver

    @property
    def starts_solver(self) -> bool:
        """Whether its SAT solver is a program, which starts anew for each formula."""
        return self.solver is not None and is_command(self.solver)

    @property
    def may_be_kept(self) -> bool:
        """Whether one process may serve many runs of it: nothing runs there but code of ours and
        python-sat's solvers. A program that it starts must not reach it either, so it is one for
        foreign code then.
        """
        if self.has_foreign_solver:
            return False
        return self.in_compare or (self.ours and not self.starts_solver)

    @property
    def absent(self) -> str | None:
        return _absent(self.puzzle, self.side, self.backend_name)

    def does_not_take(self, instance: Instance) -> str | None:
        if self.limit is None or instance.size <= self.limit:
            return None
        limit = limit_text(self.limit, puzzles.get(self.puzzle).noun)
        return f"above its default limit of {limit}; name it with -b to run it all the same"


@dataclass(frozen=True, kw_only=True)
class ProgramContender(Contender):
    """A program that reads the contest's input and prints its output.

    Attributes:
        files: where it takes its input and gives its output.
    """

    kind = Kind.PROGRAM

    command: tuple[str, ...]
    extended: bool = False
    files: ProgramFiles = STANDARD


@dataclass(frozen=True, kw_only=True)
class GivenAnswers(Contender):
    """Answers that exist already; they come with the dataset."""

    kind = Kind.GIVEN


@cache
def _absent(puzzle: str, side: str, name: str) -> str | None:
    """Looking for packages takes longer than many a solve, so it is done once."""
    return SIDES[side].get(puzzle, name).available()


def _is_in_compare(backend: Backend) -> bool:
    """Whether a backend stands in the file of its puzzle, and that is one of `compare`."""
    file = puzzles.get(backend.puzzle).origin.user_file
    module = backend.function.__module__
    return file is not None and module == file.installed_as and module.startswith("compare.")


def of_backend(
    backend: Backend, options: dict[str, Any], *, named: bool = False
) -> BackendContender:
    """A contender for a backend; each option is passed if the backend takes it.

    Args:
        named: whether the user asked for it by name. Then it takes part whatever the size of the
            instance.
    """
    ours = SIDES[backend.side].owns(backend)
    asked = {name: value for name, value in options.items() if name in backend.options}
    asked |= backend.chosen
    if "solver" in backend.chosen and not backend.options["solver"]:
        asked["solver"] = solver_name(asked["solver"])
    backend.refuse_unknown(asked)
    return BackendContender(
        puzzle=backend.puzzle,
        name=backend.label,
        complete=backend.complete,
        side=backend.side,
        backend_name=backend.name,
        options=tuple({**backend.defaults, **asked}.items()),
        limit=None if named else backend.limit,
        ours=ours,
        in_compare=_is_in_compare(backend),
        certifies=ours if backend.certifies is None else backend.certifies,
        encodes=backend.encodes,
        finds=backend.finds,
        slow=backend.slow,
        tests_solver="solver" in asked and not puzzles.get(backend.puzzle).compares_solvers,
        place=backend.place,
    )


def backends(puzzle: str) -> list[Backend]:
    """Every backend of a puzzle, the default direct one first."""
    return [backend for side in SIDES.values() for backend in side.backends(puzzle).values()]


def choose(
    puzzle: Puzzle,
    names: Sequence[str],
    options: dict[str, Any],
    axes: Mapping[str, Sequence[str]] | None = None,
) -> list[BackendContender]:
    """The contenders that `-b` names (default: every backend), each over the product of the axes.
    The default direct backend comes first if it takes part.

    A name is a side (its default backend), `side:name`, or a name that only one side has. Values of
    options may stand behind it: `totals:card=totalizer`.

    Args:
        axes: as `axes_of` reads them.

    Raises:
        UnknownName: no backend of the puzzle has the name.
        UserError: a backend has no such option, or the option no such value; two names mean the
            same; no backend leaves the option of an axis open; or they make too many contenders.
    """
    everything = backends(puzzle.name)
    chosen = [_backend_named(puzzle, name, everything) for name in names] or everything
    spread = _over_axes(chosen, axes) if axes else list(chosen)
    labels = [each.label for each in everything]
    spread.sort(key=lambda each: labels.index(f"{each.side}:{each.plain_name}"))
    contenders: dict[str, BackendContender] = {}
    same: dict[tuple[object, ...], str] = {}
    for backend in spread:
        each = of_backend(backend, options, named=bool(names))
        other = same.setdefault((each.side, backend.plain_name, each.options), each.name)
        if other != each.name:
            raise UserError(f"{other} and {each.name} are the same contender: leave one of them")
        contenders[each.name] = each
    return list(contenders.values())


def _backend_named(puzzle: Puzzle, text: str, everything: Sequence[Backend]) -> Backend:
    name, texts = split_options(text)
    if name in SIDES:
        matching = [SIDES[name].get(puzzle.name)]
    else:
        matching = [backend for backend in everything if name in (backend.name, backend.label)]
    if len(matching) != 1:
        elsewhere = [
            f"; a file registers {each.label} for {each.puzzle!r}"
            for each in all_backends()
            if name in (each.name, each.label) and not SIDES[each.side].owns(each)
        ]
        sides = dict.fromkeys(backend.side for backend in everything)
        known = [*sides, *(backend.label for backend in everything)]
        raise UnknownName(f"{puzzle.name} backend", name, known, "".join(elsewhere))
    return matching[0].with_options(texts)


def axes_of(words: Sequence[str]) -> dict[str, list[str]]:
    """The axes that `--grid` names: `card` with all choices, `card=seqcounter,totalizer` with
    some. An axis with all choices is empty here.

    Raises:
        UserError: a word is neither, or an option or a choice stands there twice.
    """
    axes: dict[str, list[str]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        texts = values.split(",") if equals else []
        if not name or (equals and not all(texts)):
            raise UserError(
                f"--grid {word}: expected OPTION, or OPTION=A,B with some of its choices"
            )
        if name in axes or len({*texts}) < len(texts):
            what = "choice" if name not in axes else "option"
            raise UserError(f"--grid {word}: the same {what} stands there twice")
        axes[name] = texts
    return axes


MAX_GRID = 256
"""Contenders that the axes of one puzzle may make."""


def _over_axes(chosen: Sequence[Backend], axes: Mapping[str, Sequence[str]]) -> list[Backend]:
    """Each backend with each combination of values of those options that it leaves open."""
    open_options = {name for each in chosen for name in each.options.keys() - each.chosen.keys()}
    for name in axes:
        if name not in open_options:
            there = ", ".join(sorted(open_options)) or "none"
            raise UserError(
                f"--grid {name}: none of {', '.join(each.label for each in chosen)} leaves an "
                f"option {name} open; open are: {there}; `list PUZZLE` shows the options"
            )
    texts_of = [
        {
            name: axes[name] or _choices(each, name)
            for name in axes
            if name in each.options and name not in each.chosen
        }
        for each in chosen
    ]
    count = sum(prod(map(len, texts.values())) for texts in texts_of)
    if count > MAX_GRID:
        raise UserError(
            f"--grid makes {count:,} contenders, more than {MAX_GRID}: name fewer backends "
            "with -b, or some of the choices: --grid OPTION=A,B"
        )
    return [
        each.with_options(dict(zip(texts, values, strict=True)))
        for each, texts in zip(chosen, texts_of, strict=True)
        for values in product(*texts.values())
    ]


def _choices(backend: Backend, option: str) -> list[str]:
    """All values of an option as texts; of an unlimited option `solver` python-sat's solvers."""
    known = backend.options[option] or (solvers() if option == "solver" else ())
    if not known:
        raise UserError(
            f"--grid {option}: {backend.label} does not say which values this option may have: "
            f"name some, --grid {option}=A,B"
        )
    return [choice_text(each) for each in known]


def with_solvers(
    contenders: Sequence[BackendContender], solvers: Sequence[str]
) -> list[BackendContender]:
    """Each contender that takes a solver once with each of these, named `side:name@solver`; the
    others as they are.
    """
    short = [short_name(solver) for solver in solvers]
    spread: list[BackendContender] = []
    for each in contenders:
        if each.solver is None or "solver" in each.backend.chosen:
            spread.append(each)
            continue
        tests_solver = not puzzles.get(
            each.puzzle
        ).compares_solvers  # else the check is of the solver anyway
        for solver, name in zip(solvers, short, strict=True):
            each.backend.refuse_unknown({"solver": solver})
            options = tuple(
                (option, solver if option == "solver" else value) for option, value in each.options
            )
            shown = name if short.count(name) == 1 else solver
            spread.append(
                replace(
                    each, name=f"{each.name}@{shown}", options=options, tests_solver=tests_solver
                )
            )
    return spread


def short_name(solver: str) -> str:
    """A solver's name without paths and blanks."""
    word = (
        solver.split()[0]
        if is_command(solver)
        else solver.rpartition(".py:")[2].removeprefix("ipasir:")
    )
    return re.sub(r"[^A-Za-z0-9_.-]", "-", Path(word).name)[:_MAX_NAME]


def programs(
    puzzle: Puzzle,
    definitions: Sequence[str],
    partial: Sequence[str],
    *,
    extended: bool = False,
    files: ProgramFiles = STANDARD,
    format: str | None = None,
) -> list[ProgramContender]:
    """The contenders that `--program NAME=COMMAND` defines; those named in `partial` claim only
    part of an answer.

    Args:
        extended, format: see `Contender`.
        files: where each of them takes its input and gives its output.

    Raises:
        UserError: no `=`, a name that is taken or unknown, or a command that cannot be read,
            compiled or found.
    """
    contenders: list[ProgramContender] = []
    for definition in definitions:
        name, equals, command = definition.partition("=")
        if not (name and equals and command.strip()):
            raise UserError(f"--program takes NAME=COMMAND, not {definition!r}")
        if name in [EXPECTED, *SIDES, *(other.name for other in contenders)] or ":" in name:
            raise UserError(f"--program {name}: the name is taken, or has a colon in it")
        words = words_of(f"--program {name}", command)
        contenders.append(
            ProgramContender(
                puzzle=puzzle.name,
                name=name,
                complete=name not in partial,
                command=words,
                extended=extended,
                files=files,
                format=format,
            )
        )
    for name in partial:
        if name not in [program.name for program in contenders]:
            raise UnknownName("program", name, [program.name for program in contenders])
    return contenders


CHECK_S = 60.0
"""Seconds that one check may take, unless the ask says otherwise."""


class DatasetCase(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An instance, and where it stands. A plan has many of them: without a cycle they need no
    garbage collector, and take less memory.

    Attributes:
        dataset: the name of its dataset; empty if it belongs to none.
        file: the stem of its file, if that is not the name of the dataset.
        number: within its file or family, from 1.
        family, seed: how it was generated.
        answer: the expected answer, if there is one.
    """

    instance: Instance
    dataset: str = ""
    file: str | None = None
    number: int = 1
    family: str | None = None
    seed: int | None = None
    answer: Answer | None = None


class Ask(msgspec.Struct, frozen=True, kw_only=True, eq=False, gc=False):
    """One contender is asked for its answer to one case, or a program to several in one start, as
    with a contest's file of several cases.

    Attributes:
        repeat: which repeat this is, from 1. Of a later one of a built-in backend only the time
            counts.
        format: of the answers that a program prints and that results keep (default: the puzzle's
            first).
        limits: of one case.
        check: whether the answer is checked; a backend is asked for a certificate then.
        timed: whether the time matters: caches are filled before, and the certificate comes from a
            call of its own.
        exact: whether all exact claims are wanted that a backend can give.
        in_new_process: whether it must be carried out in a process that has solved nothing before.
        check_s: seconds that the check may take; the certified run has these beyond those of
            `limits`.
        view: what else is wanted of the answer, the certified one if there is one. It is called
            where answers are checked, and returns what JSON can say.
        recorded: whether the result goes into a file of results: it says the instance's digest and
            text, and no text that is too long.
        parallel: whether others are asked at the same time; results say so.
    """

    contender: Contender
    cases: Sequence[DatasetCase]
    repeat: int = 1
    format: str | None = None
    limits: Limits = DEFAULT_LIMITS
    check: bool = True
    timed: bool = True
    exact: bool = False
    in_new_process: bool = False
    check_s: float = CHECK_S
    view: Callable[[Instance, Answer], dict[str, object]] | None = None
    recorded: bool = False
    parallel: bool = False

    @property
    def instance(self) -> Instance:
        """The first instance that is asked."""
        return self.cases[0].instance

    @property
    def run_keys(self) -> list[RunKey]:
        """What identifies the run of each case in a file of results."""
        name, kind, together = escape(self.contender.name), self.contender.kind, len(self.cases)
        runs: list[RunKey] = []
        for case in self.cases:
            puzzle, digest = case.instance.puzzle, case.instance.digest
            key = InstanceKey(puzzle, case.dataset, case.file, case.number, digest)
            runs.append(RunKey(key, name, kind, self.repeat, together))
        return runs

    @property
    def start(self) -> tuple[str, str, str]:
        """See `Result.start`."""
        return self.contender.puzzle, escape(self.contender.name), self.cases[0].dataset

    @property
    def skipped_result(self) -> Result | None:
        """What stands in the place of its result if the one case is skipped or spared; None if it
        is run.
        """
        reason = self.contender.absent or self.contender.does_not_take(self.instance)
        if reason is None:
            return None
        spared = self.contender.kind is Kind.PROGRAM
        status = Status.SPARED if spared else Status.SKIPPED
        return Result.of(self, status=status, reason=reason, declared=not spared)

    def failed(self, reason: str, status: Status = Status.CRASH) -> list[Result]:
        """The results if all of it ends alike."""
        return [Result.of(self, k, status=status, reason=reason) for k in range(len(self.cases))]

    def crashed(self, error: Exception) -> list[Result]:
        """The results if this project's own code raised."""
        return self.failed(f"raised {type(error).__name__} outside of its sandbox: {error}")
