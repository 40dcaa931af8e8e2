"""The claims of the write-ups settled one by one, each in a sandbox; refuted ones replayed on the real backends and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import puzzles
from compare.campaign.relation import Relation, Stance, relate
from compare.isolate.outcome import Limits, Outcome, Status
from compare.isolate.sandbox import call
from compare.work.contenders import choose
from models.lemmas.lemma import Claim, Counterexample, board_of
from models.lemmas.settle import Finding, Prover, Verdict, settle
from puzzles.answer import Answer
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.text import UserError
from puzzles.verdict import Verdict as Checked


@dataclass(frozen=True)
class Replay:
    """What the real backends and checks say of a refuted claim's board.

    Attributes:
        stands: all backends agree and are proved, and what a believer would answer is refuted, by the check or by them.
        said: in words.
    """

    stands: bool
    said: str


@dataclass(frozen=True)
class Row:
    """A claim and what came of it; without a finding the outcome says why there is none.

    `asked` is the size that was asked for, which may be beyond the largest that the claim has.
    """

    claim: Claim
    outcome: Outcome
    replay: Replay | None = None
    asked: int = 0

    @property
    def finding(self) -> Finding | None:
        return self.outcome.value if self.outcome.status is Status.OK else None

    @property
    def expected(self) -> bool:
        """The claim was settled as it should be, or not at all; up to a small size a wrong claim may hold."""
        found = self.finding
        if found is None:
            return self.outcome.status is not Status.CRASH
        if found.verdict is Verdict.NO_COUNTEREXAMPLE:
            return found.size < self.claim.size
        if found.verdict is Verdict.PROVED:
            return self.claim.holds
        return found.verdict is Verdict.REFUTED and not self.claim.holds and self.replay is not None and self.replay.stands


def settled(claim: Claim, size: int, prover: Prover, limits: Limits) -> Row:
    """Settle a claim in a process of its own; a refuted one is replayed.

    Raises:
        UserError: a file cannot be written, or the checker not be run.
    """
    outcome = call(_attempt, claim, claim.within(size), prover, limits=limits, skipping=(Unsupported,))
    if isinstance(outcome.value, UserError):
        raise outcome.value
    found = outcome.value.counterexample if outcome.status is Status.OK else None
    return Row(claim, outcome, None if found is None else replay(claim, found), size)


def _attempt(claim: Claim, size: int, prover: Prover) -> Finding | UserError:
    """What comes of a claim, or the user's mistake, which is none of ours and no crash."""
    try:
        return settle(claim, size, prover)
    except UserError as error:
        return error


def replay(claim: Claim, found: Counterexample) -> Replay:
    """Put the board to every backend that answers quickly, and to somebody who takes the claim for granted."""
    puzzle = puzzles.get(claim.puzzle)
    try:
        board = board_of(puzzle.parse(puzzle.example, "<example>")[0], found)
    except ValueError as reason:
        return Replay(claim.believed is None, f"no board of the contest: {reason}")
    answers: dict[str, Answer] = {}
    stances: list[Stance] = []
    for contender in choose(puzzle, [], {}):
        if contender.absent is not None or contender.backend.slow:
            continue
        answer = contender.backend.solve(board, certify=True, **dict(contender.options))
        judged = puzzle.check(board, answer)
        if judged.verdict is not Checked.PROVED or answer.claims is None:
            return Replay(False, f"{contender.name} is {judged.verdict}: {judged.detail}")
        answers[contender.name] = answer
        stances.append(Stance(answer.claims, contender.complete))
    ours = ", ".join(answers)
    if any(_clash(board, stances[0], other) for other in stances[1:]):
        return Replay(False, f"the backends contradict each other: {ours}")
    if claim.believed is None:
        return Replay(True, f"PROVED there: {ours}")
    return _believer(claim, board, stances, ours)


def _believer(claim: Claim, board: Board, stances: Sequence[Stance], ours: str) -> Replay:
    assert claim.believed is not None
    answer = claim.believed(board)
    judged = puzzles.get(claim.puzzle).check(board, answer)
    if judged.verdict is Checked.REFUTED:
        return Replay(True, f"what it would answer is REFUTED: {judged.detail}; PROVED there: {ours}")
    if answer.claims is not None and _clash(board, Stance(answer.claims), next(each for each in stances if each.complete)):
        return Replay(True, f"what it would answer is in CONFLICT with what is PROVED there: {ours}")
    return Replay(False, "what it would answer is not refuted")


def _clash(board: Board, one: Stance, other: Stance) -> bool:
    return relate(board.puzzle, one, other) is Relation.CONFLICT
