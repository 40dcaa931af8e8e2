"""The independent check of beams: it walks beams cell by cell, and rebuilds cores by walking them
backwards.

Nothing here is shared with `direct` or `models` but the statement of the puzzle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from puzzles.answer import BeyondCheck, Check, Verdict
from puzzles.beams.board import Beams, Layout
from puzzles.cardinality import Cardinality, find_solution, irreducible
from puzzles.text import Grid, count_noun

BeamStep = tuple[int, int]

LEFT, RIGHT, UP, DOWN = (0, -1), (0, 1), (-1, 0), (1, 0)
ARMS: dict[str, tuple[BeamStep, BeamStep]] = {"-": (LEFT, RIGHT), "|": (UP, DOWN)}


def reflect(mirror: str, step: BeamStep) -> BeamStep:
    """The direction in which a beam leaves a mirror that it enters in direction `step`."""
    down, right = step
    return (-right, -down) if mirror == "/" else (right, down)


def walk(grid: Grid, cell: int, step: BeamStep) -> Iterator[tuple[int, BeamStep]]:
    """The cells that a beam enters after it leaves `cell` in direction `step`, each with the
    direction of entry.

    It ends before a wall or the edge, at a turret (the last cell yielded), or as soon as the beam
    would repeat itself. Takes time for each cell entered.
    """
    rows, columns = grid.shape
    row, column = divmod(cell, columns)
    start = step
    while True:
        row, column = row + step[0], column + step[1]
        if not (0 <= row < rows and 0 <= column < columns):
            return
        here, kind = row * columns + column, chr(grid[row, column])
        if kind == "#":
            return
        yield here, step
        if kind in "-|":
            return
        if kind in "/\\":
            step = reflect(kind, step)
        if here == cell and step == start:
            return


def check(board: Beams, answer: Layout) -> Check:
    """Judge an answer: POSSIBLE by its board, IMPOSSIBLE by its core."""
    return (
        _check_witness(board, answer.board)
        if answer.possible
        else _check_core(board, answer.certificate)
    )


def _check_witness(board: Beams, witness: Beams | None) -> Check:
    if witness is None:
        return Check(Verdict.UNPROVED, "POSSIBLE without a board")
    if witness.grid.shape != board.grid.shape:
        return Check(Verdict.REFUTED, board.other_shape(witness))
    before, after = str(board).replace("|", "-"), str(witness).replace("|", "-")
    if before != after:
        at = next(i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
        row, column = divmod(at, board.columns + 1)
        return Check(
            Verdict.REFUTED, f"the cell at {row + 1},{column + 1} is not the one that was given"
        )
    lit: set[int] = set()
    flat = witness.grid.ravel()
    for cell in range(board.cells):
        for arm in ARMS.get(chr(flat[cell]), ()):
            for entered, _ in walk(witness.grid, cell, arm):
                if chr(flat[entered]) in "-|":
                    shooter = (
                        "its own beam" if entered == cell else f"the one at {board.place(cell)}"
                    )
                    return Check(
                        Verdict.REFUTED, f"the turret at {board.place(entered)} is hit by {shooter}"
                    )
                lit.add(entered)
    for cell in range(board.cells):
        if flat[cell] == ord(".") and cell not in lit:
            return Check(Verdict.REFUTED, f"the open cell at {board.place(cell)} is not lit")
    return Check(Verdict.PROVED, "every open cell lit, no turret hit")


def _check_core(board: Beams, core: object) -> Check:
    if core is not None and not isinstance(core, tuple):
        kind = type(core).__name__
        return Check(Verdict.UNPROVED, f"the core is of type {kind}: expected a tuple of cells")
    if not core:
        return Check(Verdict.UNPROVED, "IMPOSSIBLE without a core")
    flat = board.grid.ravel()
    for cell in core:
        if not isinstance(cell, int) or not 0 <= cell < board.cells or chr(flat[cell]) not in ".-|":
            return Check(
                Verdict.UNPROVED,
                f"the core names {cell!r}, which is neither an open cell nor a turret",
            )
    try:
        refuted = _is_refuted([need_of(board, cell) for cell in core])
    except BeyondCheck as limit:
        return Check(Verdict.UNPROVED, str(limit), limited=True)
    if not refuted:
        return Check(Verdict.UNPROVED, "the core can be satisfied, so it does not force IMPOSSIBLE")
    return Check(Verdict.PROVED, f"a core of {count_noun(len(core), 'cell')} cannot be satisfied")


class Source(NamedTuple):
    """A beam that would enter a cell: its turret, whether that must shoot left and right for it,
    and its first direction.
    """

    turret: int
    flat: bool
    arm: BeamStep


@dataclass(frozen=True)
class Need:
    """What a cell of a core asks for.

    Attributes:
        cell: flat index.
        lit: whether it is an open cell, which needs a beam; else a turret, which no beam may hit.
        sources: the beams that would enter the cell.
    """

    cell: int
    lit: bool
    sources: tuple[Source, ...]

    @cached_property
    def ways(self) -> list[tuple[int, bool]]:
        """Each turret that can send a beam here, and whether it then shoots left and right."""
        return sorted({(source.turret, source.flat) for source in self.sources})


def need_of(board: Beams, cell: int) -> Need:
    """What an open cell or a turret asks for."""
    sources = (source(board, cell, step) for step in (LEFT, RIGHT, UP, DOWN))
    lit = bool(board.grid.flat[cell] == ord("."))
    return Need(cell, lit, tuple(each for each in sources if each is not None))


def source(board: Beams, cell: int, step: BeamStep) -> Source | None:
    """The beam that would enter `cell` in direction `step`; None if no turret can send one.

    Light is reversible, so the walk goes backwards along the beam.
    """
    for at, back in walk(board.grid, cell, (-step[0], -step[1])):
        if chr(board.grid.flat[at]) in ARMS:
            return Source(at, back in ARMS["-"], (-back[0], -back[1]))
    return None


def _is_refuted(needs: Sequence[Need], max_branches: int = 20_000) -> bool:
    """Whether the turrets cannot be turned so that all needs are met. Raises `BeyondCheck`.

    A turret has two variables, one for each way to turn it, and exactly one of them is true.
    """
    turrets = sorted({turret for need in needs for turret, _ in need.ways})
    bit: dict[tuple[int, bool], int] = {}
    constraints: list[Cardinality] = []
    for k, turret in enumerate(turrets):
        bit[turret, True], bit[turret, False] = 1 << 2 * k, 2 << 2 * k
        constraints.append(Cardinality(3 << 2 * k, 1, 1))
    hitting = 0
    for need in needs:
        variables = sum(bit[way] for way in need.ways)
        if need.lit:
            constraints.append(Cardinality(variables, 1, len(need.ways)))
        else:
            hitting |= variables
    constraints.append(Cardinality(hitting, 0, 0))
    return find_solution(constraints, max_branches) is None


def with_irreducible_core(board: Beams, answer: Layout) -> Layout:
    """See `Puzzle.with_irreducible_core`.

    The core has to be one that the check accepts; any other stays as it is.
    """
    if answer.possible or _check_core(board, answer.certificate).verdict is not Verdict.PROVED:
        return answer
    needs = {cell: need_of(board, cell) for cell in answer.certificate}

    def refutes(cells: Sequence[int]) -> bool:
        with suppress(BeyondCheck):
            return _is_refuted([needs[cell] for cell in cells], max_branches=2000)
        return False

    return replace(answer, certificate=tuple(irreducible(tuple(needs), refutes)))
