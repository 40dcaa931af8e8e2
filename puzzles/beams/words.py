"""Beams in words: what each cell of an answer is, and why the cells of a core cannot all have what they need, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import ARMS, DOWN, LEFT, RIGHT, UP, source, walk
from puzzles.derivation import DerivationStep, Facts, Inference, derive, listed, steps

_ARMS_OF = {True: "left and right", False: "up and down"}
"""Where a turret shoots. The variable of a turret is its flat index; the value True means left and right."""


class Need(NamedTuple):
    """What a cell of a core asks for.

    Attributes:
        cell: flat index.
        lit: whether it is an open cell, which needs a beam; else a turret, which no beam may hit.
        beams: (turret, value) of each beam that enters the cell.
    """

    cell: int
    lit: bool
    beams: tuple[tuple[int, bool], ...]


def needs_of(board: Beams, core: Iterable[int]) -> list[Need]:
    """What the cells of a core ask for."""
    needs: list[Need] = []
    for cell in core:
        literals = {literal for step in (LEFT, RIGHT, UP, DOWN) if (literal := source(board, cell, step)) is not None}
        beams = tuple(sorted((abs(literal) - 1, literal > 0) for literal in literals))
        needs.append(Need(cell, chr(board.grid.flat[cell]) == ".", beams))
    return needs


def derivation(needs: Sequence[Need]) -> tuple[Inference, ...]:
    """Why the needs contradict one another; empty if no steps are found."""
    near = [turret for need in needs for turret, _ in need.beams]
    often = sorted(set(near), key=lambda turret: (-near.count(turret), turret))
    return derive(lambda known: _next(needs, known), often, None)


def _next(needs: Sequence[Need], known: Facts) -> Inference | None:
    """A need that cannot be met any more, or one that turns a turret."""
    first: Inference | None = None
    for need in needs:
        facts = {turret: known[turret] for turret, _ in need.beams if turret in known}
        if need.lit:
            left = [beam for beam in need.beams if facts.get(beam[0], beam[1]) == beam[1]]
            if not left:
                return Inference((need,), facts, {})
            if len(left) == 1 and left[0][0] not in known:
                first = first or Inference((need,), facts, dict(left))
            continue
        for turret, value in need.beams:
            if known.get(turret) == value:
                return Inference((need,), {turret: value}, {})
            if turret not in known:
                first = first or Inference((need,), {}, {turret: not value})
    return first


def core_steps(board: Beams, answer: Layout) -> Sequence[DerivationStep]:
    """Why an impossible board is impossible, by its core; no steps if there are none."""
    if answer.possible or not isinstance(answer.certificate, tuple):
        return ()

    def fact(turret: int, value: bool) -> str:
        return f"the turret at {board.place(turret)} shoots {_ARMS_OF[value]}"

    def words(inference: Inference) -> tuple[str, Iterable[int]]:
        (need,) = inference.statements
        return _words(board, need, inference, fact), [need.cell, *inference.known, *inference.concludes]

    return tuple(steps(derivation(needs_of(board, answer.certificate)), words, fact))


def _words(board: Beams, need: Need, inference: Inference, fact: Callable[[int, bool], str]) -> str:
    place = board.place(need.cell)
    ways = list(inference.concludes.items())
    if not need.lit:
        turret, value = ways[0] if ways else next(iter(inference.known.items()))
        shoots = not value if ways else value
        itself = turret == need.cell
        hit = f"The turret at {place} {'hits itself' if itself else 'is hit'}"
        who = "it" if itself else f"the one at {board.place(turret)}"
        if ways:
            return f"{hit} if {who} shoots {_ARMS_OF[shoots]}: so {who} shoots {_ARMS_OF[value]}."
        return f"{hit}, because {who} shoots {_ARMS_OF[shoots]}. That is a contradiction."
    lost = listed([fact(turret, value) for turret, value in inference.known.items()])
    because = f"Since {lost}, " if lost else ""
    if ways:
        turret, value = ways[0]
        only = f"only the turret at {board.place(turret)} can light the open cell at {place}"
        return _sentence(f"{because}{only}: so it shoots {_ARMS_OF[value]}.")
    return _sentence(f"{because}no beam {'lights' if lost else 'can reach'} the open cell at {place}. That is a contradiction.")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def cell_words(board: Beams, answer: Layout) -> Iterator[str]:
    """What the answer says of each cell, in row-major order."""
    shown = answer.board or board
    kinds = "".join(shown.lines())
    entered = set[int]()
    if answer.board is not None:
        for cell, kind in enumerate(kinds):
            entered.update(at for arm in ARMS.get(kind, ()) for at, _ in walk(shown, cell, arm))
    core = set(answer.certificate) if not answer.possible and isinstance(answer.certificate, tuple) else set[int]()
    for cell, kind in enumerate(kinds):
        word = Beams.meanings[kind]
        if kind == "." and answer.board is not None:
            word += ", lit" if cell in entered else ", stays dark"
        elif kind in ARMS and cell in entered:
            word += ", is hit"
        elif cell in core:
            word += ", core: must be lit" if kind == "." else ", core: must not be hit"
        yield word
