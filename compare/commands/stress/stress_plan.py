"""What is tried: the programs, where inputs come from, and when two outputs are the same; and what
came of it. Nothing here starts a process.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from hashlib import sha256

from compare.commands.checkers import OK, OutputChecker
from compare.commands.stress.outputs import OutputDifference, output_difference
from compare.engine.isolate.outcome import Limits, Outcome
from compare.engine.work.contenders import ProgramContender
from puzzles.space.text_changes import lines_of, random_change, text_of

NO_INPUT = "REFUSED"
"""The mark of a text that the reference or the validator refuses, beside those of an output and the
statuses that are a failure.
"""

SAMPLES = 60
"""Inputs of the generator from which their shape is learned."""

VALID = (0, 42)
"""The exit statuses of a validator that accepts an input: of testlib, and of Kattis."""


@dataclass(frozen=True, kw_only=True)
class StressPlan:
    """What is tried.

    Attributes:
        programs: the reference first.
        generator: the words that start it; `{seed}` and `{size}` stand for numbers, and without
            `{seed}` one comes last.
        texts: inputs that are changed at random in place of a generator's.
        validator: the words that start it; empty for none.
        checker: what judges an output; None if outputs are compared.
        exact: whether outputs must be the same byte by byte; else word by word.
        tolerance: by which two numbers may differ, absolutely or relatively; None for not at all.
        limits: of one start of a program.
        size: the largest that the generator is asked for.
        keeps_all: whether what came of every input is wanted, for records.
    """

    programs: tuple[ProgramContender, ...]
    generator: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    validator: tuple[str, ...] = ()
    checker: OutputChecker | None = None
    exact: bool = False
    tolerance: float | None = None
    limits: Limits
    seed: int
    size: int
    keeps_all: bool = False

    @property
    def reference(self) -> ProgramContender:
        return self.programs[0]

    def start_of_generator(self, number: int) -> list[str]:
        """The words that start the generator for the input of this number, counted from 0."""
        seed, size = str(self.seed + number), str(1 + number % self.size)
        words = [each.replace("{seed}", seed).replace("{size}", size) for each in self.generator]
        return words if any("{seed}" in each for each in self.generator) else [*words, seed]

    def origin(self, number: int) -> str:
        """Where the input of this number comes from, for people."""
        if not self.generator:
            return f"number {number + 1} of the changed inputs of seed {self.seed}"
        size = f", size {1 + number % self.size}" if "{size}" in " ".join(self.generator) else ""
        return f"seed {self.seed + number} of the generator{size}"

    def changed_text(self, number: int) -> str:
        """One of the given texts, with a few changes but for the first time that it is taken."""
        rng = random.Random(f"stress {self.seed} {number}")
        text = self.texts[number % len(self.texts)]
        if number < len(self.texts):
            return text
        lines = lines_of(text)
        for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
            lines = random_change(lines, rng)
        return text_of(lines)

    def difference(self, reference: bytes, output: bytes) -> OutputDifference | None:
        """The first difference of two outputs; None if they count as the same."""
        return output_difference(reference, output, exact=self.exact, tolerance=self.tolerance)


@dataclass(frozen=True)
class TriedInput:
    """An input, and what came of it.

    Attributes:
        outcomes: of each program; the value is what it printed.
        marks: for each program OK, WRONG, WORSE or BEATEN, or how it failed; a single NO_INPUT if
            this is no input.
        says: of each program, why its answer is wrong, or what the checker says of a right one.
    """

    text: str
    outcomes: tuple[Outcome, ...]
    marks: tuple[str, ...]
    says: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        return any(mark not in (OK, NO_INPUT) for mark in self.marks)


@dataclass
class TriedBlock:
    """What came of some inputs, one number after the other.

    Attributes:
        tried: how many went to the programs.
        refused: how many were no inputs.
        silent: on how many no program printed anything.
        different: a short hash of each input that went to them.
        failing: the first on which something is wrong; the block ends there.
        failing_number: its number, from 0.
        samples: the first inputs that pass.
        slowest: the longest seconds of each program.
        kept: what came of each valid input, by its number, if the plan keeps all.
    """

    tried: int = 0
    refused: int = 0
    silent: int = 0
    different: set[bytes] = field(default_factory=set)
    failing: TriedInput | None = None
    failing_number: int = 0
    samples: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)
    kept: dict[int, TriedInput] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: StressPlan, number: int, tried: TriedInput) -> TriedBlock:
        """What came of the input of this number alone."""
        if tried.marks == (NO_INPUT,):
            return cls(refused=1)
        times = [each.usage.wall_s or 0.0 for each in tried.outcomes]
        return cls(
            tried=1,
            silent=int(not any(each.ok and each.value.strip() for each in tried.outcomes)),
            different={sha256(tried.text.encode()).digest()[:8]},
            failing=tried if tried.fails else None,
            failing_number=number if tried.fails else 0,
            samples=[] if tried.fails else [tried.text],
            slowest={each.name: time for each, time in zip(plan.programs, times, strict=True)},
            kept={number: tried} if plan.keeps_all else {},
        )

    def add(self, other: TriedBlock) -> None:
        """Take in what came of the inputs behind these; `kept` is for the caller."""
        self.tried += other.tried
        self.refused += other.refused
        self.silent += other.silent
        self.different |= other.different
        if self.failing is None:
            self.failing, self.failing_number = other.failing, other.failing_number
        self.samples += other.samples[: SAMPLES - len(self.samples)]
        for name, seconds in other.slowest.items():
            self.slowest[name] = max(seconds, self.slowest.get(name, 0.0))
        self.kept |= other.kept
