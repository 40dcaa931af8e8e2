"""SAT solvers on trial: blocks of scripts go to workers, and each new fault of a solver is saved, reported and shrunk.

In a worker the scripts of a block are made, put to every solver, and the replies are judged.
`finding_behind` is the trial of what a backend asks about one board.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic

import puzzles
from compare.isolate.child import call
from compare.isolate.outcome import Limits, Status
from compare.solvers.asking import heard, heard_alone, takes
from compare.solvers.findings import SolverFinding, as_saved, save, shrink, stem_of
from compare.solvers.reference import statuses
from compare.solvers.samples import Origin, Sample, board_of, edge_samples, random_samples, samples_of, scripts_of
from compare.solvers.script import parse
from compare.solvers.solver_faults import FaultKind, SolverFault, faults
from compare.work.pool import Executor, Lost, in_child, local
from puzzles.instance import Instance


@dataclass
class SolverTally:
    """What came of one solver.

    Attributes:
        faults: the scripts with a fault of each kind.
        seconds: by encoding, for each script its seconds; None for a script that it did not solve without a fault.
    """

    scripts: int = 0
    calls: int = 0
    faults: Counter[FaultKind] = field(default_factory=Counter)
    seconds: defaultdict[str, list[float | None]] = field(default_factory=lambda: defaultdict(list))

    def add(self, tried: TriedScript, result: SolverResult) -> None:
        self.scripts += 1
        self.calls += len(tried.known)
        self.faults.update({fault.kind for fault in result.faults})
        self.seconds[tried.label].append(None if result.faults else result.seconds)

    def par_2(self, timeout: float, label: str | None = None) -> float | None:
        """The mean seconds of a script, of this encoding or of all; twice the time limit for one that it did not solve."""
        times = self.seconds.get(label, []) if label else [each for some in self.seconds.values() for each in some]
        return sum(2 * timeout if each is None else each for each in times) / len(times) if times else None


@dataclass
class TrialTally:
    """What came of everybody.

    Attributes:
        solvers: by full name.
        verdicts: how many calls have a model, how many have none, and of how many (None) that is not known.
        labels: the encodings, in the order in which they came up.
    """

    solvers: dict[str, SolverTally]
    scripts: int = 0
    boards: int = 0
    verdicts: Counter[bool | None] = field(default_factory=Counter)
    labels: dict[str, None] = field(default_factory=dict)

    def add(self, tried: TriedScript) -> None:
        """Count a script."""
        self.scripts += 1
        self.verdicts.update(tried.known)
        self.labels.setdefault(tried.label)
        for result in tried.results:
            self.solvers[result.solver].add(tried, result)


MAKING_S = 60.0
"""Seconds that making the scripts of one board may take."""

EDGE_CASES, RANDOM_CLAUSES = "edge cases", "random clauses"
"""What stands in the place of a puzzle for a block without a board."""


@dataclass(frozen=True)
class TrialBlock:
    """Which board, and who is on trial.

    Attributes:
        puzzle, seed, number, size: see `board_of`; in the place of a puzzle also `EDGE_CASES` or `RANDOM_CLAUSES`.
        solvers: full names.
        limits: of one script.
        seconds: when that time is over, the remaining solvers are not asked any more; None for any time.
    """

    puzzle: str
    seed: int
    number: int
    size: int
    solvers: tuple[str, ...]
    limits: Limits
    seconds: float | None = None


@dataclass(frozen=True)
class SolverResult:
    """What came of one script with one solver.

    Attributes:
        seconds: of all calls and added clauses; None if the solver did not come to its end.
    """

    solver: str
    faults: tuple[SolverFault, ...]
    seconds: float | None


@dataclass(frozen=True)
class TriedScript:
    """One script, and what each solver made of it.

    Attributes:
        sample: the script; None unless something is wrong with a solver on it.
        label: its puzzle and encoding.
        known: for each call whether there is a model, or None.
    """

    label: str
    known: tuple[bool | None, ...]
    results: tuple[SolverResult, ...]
    sample: Sample | None


@dataclass(frozen=True)
class BlockResult:
    """What came of a block; `broken`: why its scripts could not be made, else empty."""

    tried: list[TriedScript] = field(default_factory=list)
    broken: str = ""


def try_block(block: TrialBlock) -> BlockResult:
    """Make the scripts of a block and put them to every solver."""
    started = monotonic()
    outcome = call(_samples, block, limits=Limits(MAKING_S))
    if not outcome.ok:
        reason = f"{block.puzzle}, number {block.number}: {outcome.detail}"
        return BlockResult(broken="" if outcome.status is Status.TIMEOUT else reason)
    samples: list[Sample] = outcome.value
    results: list[list[SolverResult]] = [[] for _ in samples]
    for solver in block.solvers:
        if block.seconds is not None and monotonic() - started > block.seconds:
            break
        asked = [k for k, sample in enumerate(samples) if takes(solver, sample.script)]
        hearings = heard(solver, [samples[k].script for k in asked], block.limits)
        for k, hearing in zip(asked, hearings, strict=True):
            if hearing.status is not Status.SKIPPED:
                wrong = tuple(faults(samples[k].script, samples[k].known, hearing))
                seconds = None if hearing.conversation is None else hearing.conversation.seconds
                results[k].append(SolverResult(solver, wrong, seconds))
    tried: list[TriedScript] = []
    for sample, each in zip(samples, results, strict=True):
        shown = sample if any(result.faults for result in each) else None
        tried.append(TriedScript(sample.origin.label, sample.known, tuple(each), shown))
    return BlockResult(tried)


def _samples(block: TrialBlock) -> list[Sample]:
    if block.puzzle in (EDGE_CASES, RANDOM_CLAUSES):
        rng = Random(f"{block.puzzle} {block.seed} {block.number}")
        return edge_samples(rng) if block.puzzle == EDGE_CASES else random_samples(rng)
    board = board_of(puzzles.get(block.puzzle), block.seed, block.number, block.size)
    return samples_of(board, Random(f"scripts {board.digest} {block.seed}"))


MAX_HANGS = 4
"""Scripts on which a solver may hang; after that it is not asked any more."""


@dataclass(frozen=True, kw_only=True)
class TrialPlan:
    """What is tried.

    Attributes:
        solvers: full names.
        puzzles: whose boards the scripts come from, in turn.
        random: whether there are random clauses, too.
        seconds: when to stop; None for any time.
        scripts: how many scripts; None for any number.
        shrink_s: seconds that one shrinking may take.
        limits: of one script with one solver.
        folder: where findings go.
        keep_going: whether a kind of fault is shrunk again where another encoding shows it.
    """

    solvers: tuple[str, ...]
    puzzles: tuple[str, ...]
    random: bool = True
    seed: int
    size: int
    seconds: float | None
    scripts: int | None
    shrink_s: float
    limits: Limits
    folder: Path
    jobs: int
    keep_going: bool = False


@dataclass
class SolverTrial:
    """One trial.

    Attributes:
        noticed: is called with each new finding, as soon as it is saved.
        shrunk: is called with it once it is shrunk.
        progress: is called with the number of scripts of each block.
        findings: those that were shrunk, and at the end of an interrupted trial the others too.
        broken: what went wrong that is no solver's fault, each once.
        given_up: the solvers that hung too often.
    """

    plan: TrialPlan
    noticed: Callable[[SolverFinding], object]
    shrunk: Callable[[SolverFinding], object]
    progress: Callable[[int], object]
    findings: list[SolverFinding] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    given_up: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tally = TrialTally({solver: SolverTally() for solver in self.plan.solvers})
        self._known: set[tuple[str, ...]] = set()
        self._shrinking: list[tuple[SolverFinding, Future[SolverFinding]]] = []
        self._hangs: Counter[str] = Counter()
        self._started = monotonic()

    @property
    def seconds_spent(self) -> float:
        return monotonic() - self._started

    @property
    def over(self) -> bool:
        """Whether no further block is wanted."""
        late = self.plan.seconds is not None and self.seconds_spent >= self.plan.seconds
        return late or self._enough or len(self.given_up) == len(self.plan.solvers)

    @property
    def _enough(self) -> bool:
        """Whether all scripts that are wanted were tried."""
        return self.plan.scripts is not None and self.tally.scripts >= self.plan.scripts

    def run(self) -> None:
        """Try scripts until there are enough, or the time is over; then end all shrinking.

        Raises:
            KeyboardInterrupt: after what was being shrunk has been handed on as it is.
        """
        with local(self.plan.jobs, user_files=tuple(puzzles.user_files().values())) as workers:
            try:
                self._try_blocks(workers)
                while self._shrinking:
                    self._take_shrunk(wait=True)
            except KeyboardInterrupt:
                workers.stop()
                for finding, _ in self._shrinking:
                    self._report(as_saved(finding))
                raise

    def _try_blocks(self, workers: Executor) -> None:
        numbers = count()
        pending: deque[tuple[TrialBlock, Future[BlockResult]]] = deque()
        while True:
            while not self.over and len(pending) <= self.plan.jobs:
                block = self._block(next(numbers))
                pending.append((block, workers.submit(in_child, try_block, block)))
            if not pending or self._enough:
                for _, future in pending:
                    future.cancel()
                return
            block, future = pending.popleft()
            try:
                result = future.result()
            except Lost as lost:
                result = BlockResult(broken=f"a worker was lost on {block.puzzle}: {lost.detail}")
            self._take(block, result, workers)
            self._take_shrunk(wait=False)

    def _block(self, number: int) -> TrialBlock:
        """The edge cases first, then boards of the puzzles and random clauses in turn."""
        plan, asked = self.plan, tuple(each for each in self.plan.solvers if each not in self.given_up)
        left = None if plan.seconds is None else max(0.0, plan.seconds - self.seconds_spent)
        if number == 0:
            return TrialBlock(EDGE_CASES, plan.seed, 0, plan.size, asked, plan.limits, left)
        sources = (*plan.puzzles, *([RANDOM_CLAUSES] if plan.random else []))
        turn, place = divmod(number - 1, len(sources))
        return TrialBlock(sources[place], plan.seed, turn, plan.size, asked, plan.limits, left)

    def _take(self, block: TrialBlock, result: BlockResult, workers: Executor) -> None:
        if result.broken and result.broken not in self.broken:
            self.broken.append(result.broken)
        before = self.tally.scripts
        for tried in result.tried:
            if not self._enough:
                self._take_script(tried, workers)
        taken = self.tally.scripts - before
        self.tally.boards += taken > 0 and block.puzzle not in (EDGE_CASES, RANDOM_CLAUSES)
        self.progress(taken)

    def _take_script(self, tried: TriedScript, workers: Executor) -> None:
        self.tally.add(tried)
        for result in tried.results:
            for fault in result.faults:
                self._hangs[result.solver] += fault.kind is FaultKind.HANG
                key = (result.solver, fault.kind, tried.label if self.plan.keep_going else "")
                if key not in self._known and tried.sample is not None:
                    self._known.add(key)
                    self._notice(result.solver, fault, tried.sample, workers)
            if self._hangs[result.solver] >= MAX_HANGS:
                self.given_up.add(result.solver)

    def _notice(self, solver: str, fault: SolverFault, sample: Sample, workers: Executor) -> None:
        """Save and report a fault, and have it shrunk."""
        finding = SolverFinding(solver, fault, sample, sample.script, stem_of(self.plan.folder, solver, fault, sample.script))
        save(finding)
        self._shrinking.append((finding, workers.submit(in_child, shrink, finding, self.plan.limits, self.plan.shrink_s)))
        self.noticed(finding)

    def _take_shrunk(self, *, wait: bool) -> None:
        """Report what has been shrunk; `wait`: the first one, even if it is not ready."""
        while self._shrinking and (wait or self._shrinking[0][1].done()):
            finding, future = self._shrinking[0]
            try:
                smaller = future.result()
            except Lost:
                smaller = as_saved(finding)
            del self._shrinking[0]
            self._report(smaller)
            wait = False

    def _report(self, finding: SolverFinding) -> None:
        self.findings.append(finding)
        self.shrunk(finding)


SHRINK_S = 30.0
"""Seconds that shrinking the script may take."""

_SEEDS = 4
"""How often the backend is asked: what it asks for a certificate is other questions, and of many calls a few are chosen."""


def finding_behind(
    board: Instance,
    backend: str,
    solver: str,
    limits: Limits,
    folder: Path,
    noticed: Callable[[SolverFinding], object],
) -> SolverFinding | None:
    """The smallest script on which the solver shows a fault, saved; None if it shows none on what the backend asks about the board.

    Args:
        backend: the name of the backend among the models of the board's puzzle.
        limits: of one script.
        noticed: is called with the finding before it is shrunk.

    Raises:
        KeyboardInterrupt: after `noticed` was called with the smallest script so far.
    """
    with local(1, user_files=tuple(puzzles.user_files().values())) as worker:
        try:
            finding = worker.submit(in_child, _find, board, backend, solver, limits, folder).result()
        except Lost:
            return None
        if finding is None:
            return None
        noticed(finding)
        try:
            return worker.submit(in_child, shrink, finding, limits, SHRINK_S).result()
        except Lost:
            return as_saved(finding)
        except KeyboardInterrupt:
            noticed(as_saved(finding))
            raise


def _find(board: Instance, backend: str, solver: str, limits: Limits, folder: Path) -> SolverFinding | None:
    """The first script that shows a fault, saved."""
    outcome = call(_samples_behind, board, backend, limits=Limits(MAKING_S))
    samples: list[Sample] = outcome.value if outcome.ok else []
    for sample in [*samples, *_samples_with(board, backend, solver, limits)]:
        if takes(solver, sample.script):
            wrong = faults(sample.script, sample.known, heard_alone(solver, sample.script, limits))
            if wrong:
                stem = stem_of(folder, solver, wrong[0], sample.script)
                finding = SolverFinding(solver, wrong[0], sample, sample.script, stem)
                save(finding)
                return finding
    return None


def _samples_with(board: Instance, backend: str, solver: str, limits: Limits) -> list[Sample]:
    """The scripts of the backend with this very solver: what it asks next may depend on the models that it is given."""
    outcome = call(_scripts_with, board, backend, solver, limits=limits, foreign=True)
    samples: list[Sample] = []
    for text in outcome.value.split(b"\0") if outcome.ok and outcome.value else ():
        script = parse(text, "script")
        samples.append(Sample(script, Origin(board.puzzle, board.text(), backend), statuses(script)))
    return samples


def _scripts_with(board: Instance, backend: str, solver: str) -> str:
    scripts = [script.text() for _, script, _ in scripts_of(board, Random(0), backend, solver)]
    return "\0".join(dict.fromkeys(scripts))


def _samples_behind(board: Instance, backend: str) -> list[Sample]:
    """The different scripts of the backend for this board."""
    samples: dict[object, Sample] = {}
    for seed in range(_SEEDS):
        for encoding, script, _ in scripts_of(board, Random(seed), backend):
            if script not in samples:
                samples[script] = Sample(script, Origin(board.puzzle, board.text(), encoding), statuses(script))
    return list(samples.values())
