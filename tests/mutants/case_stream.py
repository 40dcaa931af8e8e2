"""The seeded cases of a general solver, which knows no puzzle."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module

from compare.conform.mutations import Mutant
from tests.mutants.reach import LONGEST_S, Reached, by_cases, in_a_child
from tests.mutants.stream import BY_ITS_TIME, Hangs, Noticed, Stream, with_limit


class CaseStream(Stream):
    """The cases of a general solver.

    Args:
        examiner: the module that has them: `cases(seed, count)`, and `examine(case)`, which raises for a wrong answer.
    """

    def __init__(self, examiner: str, modules: Sequence[str], seed: int, count: int, glance: int | None = None) -> None:
        super().__init__(modules, seed, count, glance)
        self.examiner = examiner

    def prepare(self) -> None:
        assert self.reached.seconds.size == self._looked_at

    @cached_property
    def reached(self) -> Reached:
        """What is executed on each case, or on the first of them."""
        return in_a_child(by_cases, self.modules, self.examiner, self.seed, self._looked_at, seconds=LONGEST_S)

    @property
    def _looked_at(self) -> int:
        return self.count if self.glance is None else min(self.glance, self.count)

    def _cases(self, mutant: Mutant) -> list[int]:
        if mutant.at_import or self.glance is not None:
            return list(range(self.count))
        return self.reached.cases(mutant.module, mutant.statement).tolist()

    def reaches(self, mutant: Mutant) -> int:
        return len(self._cases(mutant))

    def noticed(self, mutant: Mutant) -> Noticed | None:
        sys.modules.pop(self.examiner, None)
        stream = import_module(self.examiner)
        cases = list(stream.cases(self.seed, self.count))
        for tried, k in enumerate(self._cases(mutant), 1):
            with_limit(self.reached.seconds[k] if k < self._looked_at else self.reached.seconds.max())
            try:
                stream.examine(cases[k])
            except Hangs:
                return Noticed(BY_ITS_TIME, tried)
            except AssertionError:
                return Noticed("WRONG", tried)
            except BaseException:  # a test that expects an exception fails with one that is no `Exception`
                return Noticed("CRASH", tried)
        return None

    def unchanged(self) -> Noticed | None:
        return None  # to find out what it executes, every case was examined
