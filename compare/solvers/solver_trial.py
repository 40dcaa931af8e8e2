"""The trial: blocks of scripts go to workers, and each new fault of a solver is saved, reported and shrunk."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic

import puzzles
from compare.isolate.outcome import Limits
from compare.solvers.findings import SolverFinding, as_saved, save, stem_of
from compare.solvers.reducing import shrink
from compare.solvers.samples import Sample
from compare.solvers.solver_faults import FaultKind, SolverFault
from compare.solvers.tally import TrialTally
from compare.solvers.trial_block import EDGE_CASES, RANDOM_CLAUSES, BlockResult, TrialBlock, TriedScript, try_block
from compare.work.pool.executors import Executor, Lost, local

MOST_HANGS = 4
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
        self.tally = TrialTally.of(self.plan.solvers)
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
                pending.append((block, workers.submit(try_block, block)))
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
            if self.plan.scripts is None or self.tally.scripts < self.plan.scripts:
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
            if self._hangs[result.solver] >= MOST_HANGS:
                self.given_up.add(result.solver)

    def _notice(self, solver: str, fault: SolverFault, sample: Sample, workers: Executor) -> None:
        """Save and report a fault, and have it shrunk."""
        finding = SolverFinding(solver, fault, sample, sample.script, stem_of(self.plan.folder, solver, fault, sample.script))
        save(finding)
        self._shrinking.append((finding, workers.submit(shrink, finding, self.plan.limits, self.plan.shrink_s)))
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
