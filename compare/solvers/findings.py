"""Findings: a fault of a solver with the script that shows it; the files in which they are kept, and how they are shrunk.

A file holds a script, with comment lines that say which solver fails how. It always holds the smallest script so far, so an
interrupted search loses nothing. A script is shrunk by its board, by its steps, literal by literal, then by its variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

import puzzles
from compare.isolate.outcome import Limits
from compare.reducer import Reducer
from compare.solvers.asking import heard, heard_alone, is_alone, takes
from compare.solvers.reference import statuses
from compare.solvers.samples import EDGES, Sample, remade, tiny
from compare.solvers.script import Script, Step, parse
from compare.solvers.solver_faults import FaultKind, SolverFault, faults, verdict_word
from models.solvers.external import is_command
from puzzles.instance import Instance
from puzzles.space import space_of
from puzzles.text import UserError, read_source

_MAX_NAME = 40
"""Characters of a solver's name that the name of a file has."""


@dataclass(frozen=True)
class SolverFinding:
    """A fault of a solver.

    Attributes:
        stem: the path of its file without the suffix.
        sample: the smallest script so far that shows it, with the board from which it comes.
        original: the script on which it was noticed.
        tries: how many scripts were tried to shrink it.
        cut_short: whether shrinking was ended before nothing smaller was left to try.
        came_back: in how many of the runs at the end the fault showed again; None if there were none.
    """

    solver: str
    fault: SolverFault
    sample: Sample
    original: Script
    stem: Path
    tries: int = 0
    cut_short: bool = False
    came_back: int | None = None

    @property
    def path(self) -> Path:
        """The file of the smallest script."""
        return self.stem.with_name(self.stem.name + self.sample.script.suffix)

    @property
    def board_path(self) -> Path | None:
        """The file of the board; None for a script that comes from none."""
        return self.stem.with_name(self.stem.name + ".in") if self.sample.origin.puzzle else None


def stem_of(folder: Path, solver: str, fault: SolverFault, script: Script) -> Path:
    """Where the files of a finding go."""
    return folder / f"{fault.kind.lower().replace(' ', '-')}-{short_name(solver)}-{script.digest}"


def short_name(solver: str) -> str:
    """A solver's name without paths and blanks, as the name of a file has it."""
    word = solver.split()[0] if is_command(solver) else solver.rpartition(".py:")[2].removeprefix("ipasir:")
    return re.sub(r"[^A-Za-z0-9_.-]", "-", Path(word).name)[:_MAX_NAME]


def comments(finding: SolverFinding) -> list[str]:
    """What a file says of the finding, line by line."""
    fault, origin = finding.fault, finding.sample.origin
    lines = [f"solver: {finding.solver}", f"fault: {fault.kind}: {' '.join(fault.detail.split())}"]
    if fault.said is not None or fault.expected is not None:
        lines += [f"the solver's verdict: {verdict_word(fault.said)}", f"expected: {verdict_word(fault.expected)}"]
    if fault.number is not None:
        assumptions = list(finding.sample.script.queries())[fault.number].assumptions
        lines.append(f"call: {fault.number + 1} of {finding.sample.script.calls}")
        lines.append(f"assumptions: {' '.join(map(str, assumptions)) or 'none'}")
    lines.append(f"from: {origin.described}" + ("" if origin.puzzle or not origin.board else f" ({origin.board})"))
    if finding.board_path is not None:
        lines.append(f"board: {finding.board_path.name}")
    return lines


def save(finding: SolverFinding) -> None:
    """Write the files of a finding in place of those that it had before.

    Raises:
        UserError: they cannot be written; the message has the script.
    """
    path, board_path = finding.path, finding.board_path
    text = finding.sample.script.text(comments(finding))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.new")
        draft.write_text(text)
        draft.replace(path)
        if board_path is not None:
            board_path.write_text(puzzles.get(finding.sample.origin.puzzle).print_instances([board_in(finding.sample)]))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}\n{text}") from None
    for suffix in (".cnf", ".icnf"):
        if suffix != path.suffix:
            with suppress(OSError):
                path.with_suffix(suffix).unlink()


def board_in(sample: Sample) -> Instance:
    """The board from which a script comes."""
    return puzzles.get(sample.origin.puzzle).of_text(sample.origin.board)


def as_saved(finding: SolverFinding) -> SolverFinding:
    """The finding with the script that its file holds now, for a shrinking that did not come to its end."""
    for suffix in (".cnf", ".icnf"):
        path = finding.stem.with_name(finding.stem.name + suffix)
        if path.exists():
            script = parse(*read_source(str(path)))
            return replace(finding, sample=replace(finding.sample, script=script), cut_short=True)
    return replace(finding, cut_short=True)


BOARD_SHARE, STEPS_SHARE, TINY_SHARE = 1 / 3, 2 / 3, 5 / 6
"""The shares of the time after which the smaller boards end, the smaller scripts of one board, and the tiny scripts."""

AT_ONCE = 16
"""Scripts that a solver of python-sat gets in one process, if the fault spoils no other answer."""

SMALL_CLAUSES, MAX_TINY = 10, 600
"""If a script keeps more clauses than this, random tiny ones are tried, this many."""

RUNS = 5
"""Runs at the end, to see how often the fault comes back."""

HANG_SHARE, MIN_HANG_S = 1 / 5, 0.5
"""The share of the time limit after which a solver counts as hanging while its script is shrunk, and the least such time."""

_OF_PROCESSES = (FaultKind.CRASH, FaultKind.HANG, FaultKind.MEMORY)

_WITHOUT_STATUS = (*_OF_PROCESSES, FaultKind.SILENCE, FaultKind.DIFFERS)
"""Kinds of faults for which the right verdict makes no difference."""


def shrink(finding: SolverFinding, limits: Limits, seconds: float) -> SolverFinding:
    """The finding with a smaller script on which the solver has a fault of the same kind. Each smaller script is saved at once."""
    shrinking = _ScriptShrinking(finding, limits, seconds)
    cut_short = not shrinking.run()
    smallest = replace(shrinking.reducer.smallest, tries=shrinking.tries)
    came_back = _came_back(smallest, limits)
    if came_back == 0 and smallest.fault.kind is FaultKind.HANG:  # it only takes long, and not too long
        smallest = replace(finding, tries=smallest.tries)
        came_back = _came_back(smallest, limits)
    smallest = replace(smallest, cut_short=cut_short, came_back=came_back)
    save(smallest)
    return smallest


def shown_fault(solver: str, sample: Sample, kind: FaultKind, limits: Limits) -> SolverFault | None:
    """The fault of this kind that the solver shows on a script in a process of its own; None if it does not."""
    wrong = faults(sample.script, sample.known, heard_alone(solver, sample.script, limits))
    return next((fault for fault in wrong if fault.kind is kind), None)


def _came_back(finding: SolverFinding, limits: Limits) -> int:
    """In how many of some runs the fault shows."""
    shown = (shown_fault(finding.solver, finding.sample, finding.fault.kind, limits) for _ in range(RUNS))
    return sum(fault is not None for fault in shown)


class _ScriptShrinking:
    """The state of one shrinking."""

    def __init__(self, finding: SolverFinding, limits: Limits, seconds: float) -> None:
        self.solver, self.kind, self.tries = finding.solver, finding.fault.kind, finding.tries
        self.limits = limits
        if self.kind is FaultKind.HANG:
            self.limits = replace(limits, seconds=min(limits.seconds, max(MIN_HANG_S, HANG_SHARE * limits.seconds)))
        at_once = 1 if self.kind in _OF_PROCESSES or is_alone(self.solver) else AT_ONCE
        self.started, self.seconds, self.share = monotonic(), seconds, 1.0
        self.reducer = Reducer(
            finding,
            self.first_failing,
            over=self.is_over,
            key=lambda finding: finding.sample.script,
            keep=lambda finding: save(replace(finding, tries=self.tries)),
            at_first=at_once,
            most_at_once=at_once,
        )

    @property
    def sample(self) -> Sample:
        return self.reducer.smallest.sample

    def is_over(self) -> bool:
        """Whether the share of the time is over that this way of shrinking has."""
        return monotonic() - self.started > self.share * self.seconds

    def run(self) -> bool:
        """All ways to shrink, in their order; whether there was time for all of them to the end."""
        self.within(BOARD_SHARE, self.by_board)
        whole = self.within(STEPS_SHARE, self.by_steps)
        if self.sample.script.clauses > SMALL_CLAUSES:
            self.within(TINY_SHARE, self.by_tiny_ones)
            whole = self.within(1.0, self.by_steps)
        return self.within(1.0, self.by_variables) and whole

    def within(self, share: float, shrink_it: Callable[[], object]) -> bool:
        """Shrink in one way, as long as this share of the time is not over; whether that came to its end."""
        self.share = share
        shrink_it()
        return not self.is_over()

    def by_board(self) -> None:
        """Go to smaller boards whose own scripts show the fault."""
        if not self.sample.origin.puzzle:
            return
        space = space_of(puzzles.get(self.sample.origin.puzzle))
        taken = True
        while taken:
            boards = space.smaller(board_in(self.sample))
            taken = any(self.takes(remade(self.sample, board)) for board in boards)

    def by_steps(self) -> None:
        """Leave out steps, then literals, until nothing more can be left out."""
        before = None
        while before != self.sample.script:
            before = self.sample.script
            size = max(1, len(before.steps) // 2)
            while size:
                self.descend(partial(_without_steps, size))
                size //= 2
            self.descend(_without_literal)

    def descend(self, smaller: Callable[[Script, int], Iterator[tuple[int, Script]]]) -> None:
        """Go down by smaller scripts, see `Reducer.descend`."""
        self.reducer.descend(
            lambda finding, place: (
                (number, self.with_sample(self.with_script(script))) for number, script in smaller(finding.sample.script, place)
            )
        )

    def by_tiny_ones(self) -> None:
        """Try the edge cases, then random tiny scripts."""
        script = self.sample.script
        rng = Random(script.digest)
        only_formulas = script.is_formula
        edges = (each for each in EDGES.values() if takes(self.solver, each) and (each.is_formula or not only_formulas))
        random = (tiny(rng, only_formulas=only_formulas) for _ in range(MAX_TINY))
        self.takes(self.with_script(each) for each in (*edges, *random))

    def by_variables(self) -> None:
        """Number the variables without gaps."""
        script = self.sample.script
        used = sorted({abs(literal) for step in script.steps for literal in step.literals})
        names = {variable: name for name, variable in enumerate(used, start=1)}
        steps = [
            Step(step.solves, tuple(names[abs(each)] * (1 if each > 0 else -1) for each in step.literals)) for step in script.steps
        ]
        gapless = Script(len(used), tuple(steps))
        self.takes(self.with_script(each) for each in (gapless, Script(max(used, default=0), script.steps)))

    def takes(self, candidates: Iterable[Sample]) -> bool:
        """Go on with the first candidate that shows the fault; whether one does."""
        return self.reducer.take(self.with_sample(each) for each in candidates)

    def first_failing(self, candidates: Sequence[SolverFinding]) -> tuple[int, SolverFinding] | None:
        """The first candidate that shows the fault. Those that are asked together have to show it alone as well."""
        self.tries += len(candidates)
        suspects: Iterable[int] = range(len(candidates))
        if len(candidates) > 1:
            samples = [each.sample for each in candidates]
            hearings = heard(self.solver, [sample.script for sample in samples], self.limits)
            suspects = [
                k
                for k, (sample, hearing) in enumerate(zip(samples, hearings, strict=True))
                if any(fault.kind is self.kind for fault in faults(sample.script, sample.known, hearing))
            ]
        for k in suspects:
            fault = shown_fault(self.solver, candidates[k].sample, self.kind, self.limits)
            if fault is not None:
                return k, replace(candidates[k], fault=fault)
        return None

    def with_sample(self, sample: Sample) -> SolverFinding:
        """The finding with another script, and board."""
        return replace(self.reducer.smallest, sample=sample)

    def with_script(self, script: Script) -> Sample:
        """A script in place of the smallest one; verdicts are only found out where the fault is about them."""
        known = (None,) * script.calls if self.kind in _WITHOUT_STATUS else statuses(script)
        return replace(self.sample, script=script, known=known)


def _without_steps(size: int, script: Script, place: int) -> Iterator[tuple[int, Script]]:
    """Some steps in a row are left out. The last call stays, and ends the script."""
    last_call = max(k for k, step in enumerate(script.steps) if step.solves)
    for number in _from_place(place, -(-last_call // size)):
        start = number * size
        end = min(start + size, last_call)
        steps = (*script.steps[:start], *script.steps[end : last_call + 1])
        yield number, Script(script.variables, steps)


def _without_literal(script: Script, place: int) -> Iterator[tuple[int, Script]]:
    """One literal is left out."""
    places = [(k, at) for k, step in enumerate(script.steps) for at in range(len(step.literals))]
    for number in _from_place(place, len(places)):
        k, at = places[number]
        solves, literals = script.steps[k]
        shorter = Step(solves, literals[:at] + literals[at + 1 :])
        yield number, Script(script.variables, (*script.steps[:k], shorter, *script.steps[k + 1 :]))


def _from_place(place: int, count: int) -> list[int]:
    return [*range(place, count), *range(min(place, count))]
