"""Settles the claims of the write-ups one by one, each in a sandbox, and replays refuted ones on
the real backends and checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import puzzles
from compare.commands.prove.lemma import Counterexample, Lemma, LemmaResult, LemmaVerdict, Prover
from compare.engine.isolate.child import call
from compare.engine.isolate.outcome import Limits, Outcome, Status
from compare.engine.isolate.serving import ends_with
from compare.engine.work.contenders import choose
from compare.engine.work.result import Relation, Stance, relate
from models.solvers.sat_solver import NoVerdict
from puzzles.answer import Answer, Verdict
from puzzles.backend import Unsupported
from puzzles.grid import Board, grid_of
from puzzles.text import UserError


@dataclass(frozen=True)
class Replay:
    """What the real backends and checks say of the board that refutes a claim.

    Attributes:
        confirmed: all backends agree and are PROVED, and the naive answer is refuted, by the check
            or by their answers.
        summary: the same in words.
    """

    confirmed: bool
    summary: str


@dataclass(frozen=True)
class Row:
    """A lemma and its result. If there is no result, the outcome says why.

    `requested_size` may be beyond the largest size of the lemma.
    """

    lemma: Lemma
    outcome: Outcome
    replay: Replay | None = None
    requested_size: int = 0

    @property
    def result(self) -> LemmaResult | None:
        return self.outcome.value if self.outcome.status is Status.OK else None

    @property
    def expected(self) -> bool:
        """Whether the verdict is the expected one, or there is none.

        Up to a small size, a wrong claim may hold.
        """
        result = self.result
        if result is None:
            return self.outcome.status is not Status.CRASH
        if result.verdict is LemmaVerdict.NO_COUNTEREXAMPLE:
            return result.size < self.lemma.size
        if result.verdict is LemmaVerdict.PROVED:
            return self.lemma.expected_to_hold
        return (
            result.verdict is LemmaVerdict.REFUTED
            and not self.lemma.expected_to_hold
            and self.replay is not None
            and self.replay.confirmed
        )


def settle(lemma: Lemma, size: int, prover: Prover, limits: Limits) -> Row:
    """Settle a lemma in a process of its own; replay it if it is refuted.

    Raises:
        UserError: a file cannot be written, or the checker cannot be run.
    """
    outcome = call(
        _attempt,
        lemma,
        lemma.clip_size(size),
        prover,
        limits=limits,
    )
    if isinstance(outcome.value, UserError):
        raise outcome.value
    counterexample = outcome.value.counterexample if outcome.status is Status.OK else None
    return Row(
        lemma, outcome, None if counterexample is None else replay(lemma, counterexample), size
    )


@ends_with({Unsupported: Status.SKIPPED, NoVerdict: Status.UNKNOWN})
def _attempt(lemma: Lemma, size: int, prover: Prover) -> LemmaResult | UserError:
    """The result, or the user's mistake, which must not count as a crash."""
    try:
        return lemma.settle(size, prover)
    except NoVerdict:
        raise
    except UserError as error:
        return error


def replay(lemma: Lemma, counterexample: Counterexample) -> Replay:
    """Compare the answers of all quick backends on the board with the naive answer, which relies on
    the claim.
    """
    puzzle = puzzles.get(lemma.puzzle)
    try:
        board = replace(
            puzzle.parse(puzzle.example, "<example>")[0], grid=grid_of(counterexample.rows)
        )
    except ValueError as reason:
        return Replay(lemma.naive_answer is None, f"no board of the contest: {reason}")
    answers: dict[str, Answer] = {}
    stances: list[Stance] = []
    for contender in choose(puzzle, [], {}):
        if contender.absent is not None or contender.backend.slow:
            continue
        answer = contender.backend.solve(board, certify=True, **dict(contender.options))
        check = puzzle.check(board, answer)
        if check.verdict is not Verdict.PROVED or answer.claims is None:
            return Replay(False, f"{contender.name} is {check.verdict}: {check.detail}")
        answers[contender.name] = answer
        stances.append(Stance(answer.claims, contender.complete))
    ours = ", ".join(answers)
    if any(_clash(board, stances[0], other) for other in stances[1:]):
        return Replay(False, f"the backends contradict each other: {ours}")
    if lemma.naive_answer is None:
        return Replay(True, f"PROVED there: {ours}")
    return _naive_answer_refuted(lemma, board, stances, ours)


def _naive_answer_refuted(
    lemma: Lemma, board: Board, stances: Sequence[Stance], ours: str
) -> Replay:
    """Whether the naive answer is refuted, by the check or by the proved answers of `ours`."""
    assert lemma.naive_answer is not None
    answer = lemma.naive_answer(board)
    check = puzzles.get(lemma.puzzle).check(board, answer)
    if check.verdict is Verdict.REFUTED:
        return Replay(
            True, f"what it would answer is REFUTED: {check.detail}; PROVED there: {ours}"
        )
    if answer.claims is not None and _clash(
        board, Stance(answer.claims), next(each for each in stances if each.complete)
    ):
        return Replay(
            True, f"what it would answer is in CONFLICT with what is PROVED there: {ours}"
        )
    return Replay(False, "what it would answer is not refuted")


def _clash(board: Board, one: Stance, other: Stance) -> bool:
    return relate(board.puzzle, one, other) is Relation.CONFLICT
