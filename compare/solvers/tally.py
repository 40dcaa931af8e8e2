"""What a trial counts: scripts, calls, faults by kind, and the seconds by encoding, a solver at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from compare.solvers.solver_faults import FaultKind
from compare.solvers.trial_block import SolverResult, TriedScript


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

    @classmethod
    def of(cls, solvers: Iterable[str]) -> TrialTally:
        return cls({solver: SolverTally() for solver in solvers})

    def add(self, tried: TriedScript) -> None:
        """Count a script."""
        self.scripts += 1
        self.verdicts.update(tried.known)
        self.labels.setdefault(tried.label)
        for result in tried.results:
            self.solvers[result.solver].add(tried, result)
