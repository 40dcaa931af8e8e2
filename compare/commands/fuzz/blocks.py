"""Blocks of boards: main has one carried out (`carry_out_block`), backends solve it in one call
of a solver (`solve_block`), and a judge reads and checks what they say (`judge_block`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from msgspec.structs import replace as with_fields

import puzzles
from compare.engine.isolate.outcome import Limits, Outcome, Status
from compare.engine.isolate.serving import ends_with
from compare.engine.work.asking import MORE_S, call_judge, join_texts, solver_of
from compare.engine.work.contenders import CHECK_S, Ask, BackendContender, DatasetCase
from compare.engine.work.judging import read_rows, result_of
from compare.engine.work.pool import Pool
from compare.engine.work.result import Result, same_claims
from compare.engine.work.solving import (
    ENDINGS,
    Solved,
    certified_row,
    exact_options_of,
    solve_rows,
    write_rows,
)
from puzzles.answer import Answer, Claims, Effort
from puzzles.instance import Instance


@dataclass(frozen=True, kw_only=True)
class Block:
    """Boards of one puzzle that backends solve in one call, one backend after the other. Nothing is
    timed.

    Attributes:
        contenders: built-in backends, or a single foreign one.
        boards: a list of them, pickled.
        count: how many there are.
        size: the sum of their sizes.
        exact_every, certify_every: one board in how many is solved with all exact claims, or one
            answer certified and checked; None for none.
    """

    contenders: tuple[BackendContender, ...]
    boards: bytes
    count: int
    size: int
    limits: Limits
    exact_every: int | None = None
    certify_every: int | None = None


def carry_out_block(
    pool: Pool, block: Block, judged: Callable[[bytes], Any], *, new: bool = False
) -> Outcome:
    """Have backends solve boards in one child, and a judge call `judged` with what they wrote; the
    value is what that returns.

    What a child that is kept shows is the value, whatever it is: the caller may ask again, with
    `new`.

    Args:
        judged: reads it by `judge_block`.
    """
    with solver_of(pool, block.contenders, block.size, timed=False, new=new) as solver:
        if solver.ready is not None and not solver.ready.ok:
            return solver.ready
        solved = solver.call(solve_block, block, limits=block.limits)
    if not solved.ok:
        return solved
    answers = block.count * len(block.contenders)
    checked = call_judge(
        pool,
        partial(judged, solved.value),
        Limits(CHECK_S + MORE_S * answers, block.limits.memory),
    )
    printed = join_texts(solved.printed, checked.printed)
    return replace(checked, printed=printed, usage=solved.usage)


@ends_with(ENDINGS)
def solve_block(block: Block) -> bytes:
    """In a solver: what the backends of a block say of each board.

    What our own say that is not to be checked is made as small as can be: the claims alone, those
    of several backends once.
    """
    part: list[Instance] = pickle.loads(block.boards)  # noqa: S301 - main wrote it
    claims: dict[int, Claims] = {}
    whole = bool(puzzles.get(block.contenders[0].puzzle).better)  # claims do not say all then
    rows_of_each: list[list[Solved]] = []
    for contender in block.contenders:
        rows = _solve_boards(block, contender, part)
        if contender.foreign:
            return write_rows(contender, part, rows)
        rows_of_each.append(
            [
                row
                if whole
                or row.answer is None
                or row.certified is not None
                or row.reason
                or contender.finds
                else _with_claims(row, claims)
                for row in rows
            ]
        )
    return pickle.dumps(rows_of_each, protocol=5)


def _solve_boards(
    block: Block, contender: BackendContender, part: Sequence[Instance]
) -> list[Solved]:
    """Solve the boards, and certify one answer in `certify_every`. A board that is too large for
    the backend has no row.

    One board in `exact_every` is solved with all exact claims that the backend can give, and
    without them if they are too much.
    """
    options, count = dict(contender.options), len(part)
    boards = {k: board for k, board in enumerate(part) if not contender.does_not_take(board)}
    rows: list[Solved] = []
    exact_options = exact_options_of(contender.backend)
    if exact_options.items() - options.items():
        exact = {k: boards[k] for k in boards if _one_in(block.exact_every, k, count)}
        rows = solve_rows(contender, exact, options | exact_options)
        rows = [row for row in rows if row.answer is not None]
        solved = {row.board for row in rows}
        boards = {k: board for k, board in boards.items() if k not in solved}
    rows += solve_rows(contender, boards, options)
    rows.sort(key=lambda row: row.board)
    return [
        certified_row(contender, part[row.board], row)
        if row.answer is not None and _one_in(block.certify_every, row.board, count)
        else row
        for row in rows
    ]


def _one_in(every: int | None, k: int, count: int) -> bool:
    """Whether the k-th of `count` boards is chosen if one in `every` is, or none for None.

    The last of each `every` boards is chosen, or of all if they are fewer: a block begins with its
    largest boards, on which certificates and exact claims take far longer than on all others
    together.
    """
    return every is not None and k % every == min(every, count) - 1


def _with_claims(row: Solved, claims: dict[int, Claims]) -> Solved:
    """The row with the claims of the answer in its place.

    Args:
        claims: by board, what the first backend claims: what is the same is pickled once.
    """
    answer: Answer = row.answer
    claimed, effort = answer.claims, answer.effort
    if claimed is not None:
        first = claims.setdefault(row.board, claimed)
        claimed = first if same_claims(first, claimed) else claimed
    seconds = None if effort.solve_s is None else effort.solve_s + (effort.build_s or 0.0)
    return Solved(row.board, claimed=(claimed, dict(answer.exact)), seconds=seconds)


def judge_block(block: Block, solved: bytes) -> list[list[Result]]:
    """In a judge: the results on each board of a block. A backend that does not take a board has
    none there.
    """
    part: list[Instance] = pickle.loads(block.boards)  # noqa: S301 - main wrote it
    first = block.contenders[0]
    rows_of_each = [read_rows(first, solved)] if first.foreign else pickle.loads(solved)  # noqa: S301 - a solver that runs our own code wrote it
    asks = [Ask(contender=each, cases=[DatasetCase(part[0])]) for each in block.contenders]
    claimed = [Result.of(ask, status=Status.OK) for ask in asks]
    results: list[list[Result]] = [[] for _ in part]
    for k, (contender, rows) in enumerate(zip(block.contenders, rows_of_each, strict=True)):
        for row in rows:
            board = part[row.board]
            if row.claimed is not None:
                claims, exact = row.claimed
                result = with_fields(
                    claimed[k],
                    size=board.size,
                    shape=board.shape,
                    claims=claims,
                    exact=exact or None,
                    effort=Effort(solve_s=row.seconds),
                )
            else:
                ask = Ask(contender=contender, cases=[DatasetCase(board)], timed=False)
                result = result_of(ask, contender, row, check=True)
            results[row.board].append(result)
    return results
