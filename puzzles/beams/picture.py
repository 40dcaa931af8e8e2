"""A beams board and its answer, as SVG and in words: its beams, what is wrong with them, or why there are none that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import ARMS, DOWN, LEFT, RIGHT, UP, source, walk
from puzzles.derivation import DerivationStep, Facts, Inference, derivation_steps, derive, listed
from puzzles.pictures import LegendEntry, cross, disc, drawing, frame, square, stroke

_MAX_EXPLAINED = 3
"""Cells of a core up to which the headline says what each of them asks for."""

_BAD = "var(--bad)"


def picture(board: Beams, answer: Layout | None = None) -> str:
    """The board. If the answer is possible, with turned turrets and their beams; if impossible, with its core and why it fails.

    Of a wrong layout the turrets that are hit and the open cells that stay dark are marked.
    """
    witness = None if answer is None else answer.board
    shown = witness or board
    shapes: list[str] = []
    kinds = "".join(shown.lines())
    for cell, kind in enumerate(kinds):
        row, column = divmod(cell, shown.columns)
        if kind in _SIGNS:
            shapes.append(_SIGNS[kind](row, column))
    meanings = {meaning: kind for kind, meaning in _MEANINGS.items() if kind in kinds}
    legend = [LegendEntry(_SIGNS[kind](0, 0), meaning) for meaning, kind in meanings.items()]
    headline = ""
    if witness is not None:
        layout = _Beams(witness)
        shapes += layout.shapes
        legend += layout.legend()
        headline = layout.headline()
    elif answer is not None and not answer.possible:
        core = [cell for cell in answer.certificate or () if isinstance(cell, int) and 0 <= cell < board.cells]
        shapes = [*_core_shapes(board, core), *shapes, *_core_beams(board, core)]
        legend += _core_legend(board, core)
        headline = _core_headline(board, core)
    verdict = "" if answer is None else ": possible" if answer.possible else ": impossible"
    title = f"beams {shown.rows}x{shown.columns}{verdict}"
    return drawing(shown.rows, shown.columns, shapes, title, headline=headline, legend=legend)


def _turret(row: int, column: int, kind: str) -> str:
    ends = (
        [(row + 0.5, column + 0.1), (row + 0.5, column + 0.9)]
        if kind == "-"
        else [(row + 0.1, column + 0.5), (row + 0.9, column + 0.5)]
    )
    return disc(row, column, "var(--ink)", 0.25) + stroke(ends, "var(--ink)", 0.14)


_SIGNS = {
    "#": lambda row, column: square(row, column, "var(--wall)"),
    "/": lambda row, column: stroke([(row + 0.9, column + 0.1), (row + 0.1, column + 0.9)], "var(--cool)", 0.12),
    "\\": lambda row, column: stroke([(row + 0.1, column + 0.1), (row + 0.9, column + 0.9)], "var(--cool)", 0.12),
    "-": lambda row, column: _turret(row, column, "-"),
    "|": lambda row, column: _turret(row, column, "|"),
}
_MEANINGS = {"-": "turret: left and right (-)", "|": "turret: up and down (|)", "/": "mirror", "\\": "mirror", "#": "wall"}


class _Beams:
    """The beams of a layout, drawn, with the turrets that they hit and the open cells that they miss."""

    def __init__(self, board: Beams) -> None:
        self.board = board
        self.hit: dict[int, int] = {}
        self.shapes: list[str] = []
        kinds, lit = "".join(board.lines()), set[int]()
        self.beams = 0
        for cell, kind in enumerate(kinds):
            for arm in ARMS.get(kind, ()):
                path = [entered for entered, _ in walk(board, cell, arm)]
                hits = [entered for entered in path if kinds[entered] in ARMS]
                self.hit.update((entered, cell) for entered in hits)
                lit.update(path)
                self.shapes.append(_beam(board, cell, arm, _BAD if hits else "var(--light)", dashed=bool(hits)))
                self.beams += bool(path) and not hits
        self.dark = [cell for cell, kind in enumerate(kinds) if kind == "." and cell not in lit]
        self.shapes += [cross(*divmod(cell, board.columns), _BAD) for cell in self.hit]
        self.shapes += [frame(*divmod(cell, board.columns), _BAD, dashed=True) for cell in self.dark]

    def legend(self) -> Iterator[LegendEntry]:
        if self.beams:
            yield LegendEntry(stroke([(0.5, 0), (0.5, 1)], "var(--light)", 0.07), "beam")
        if self.hit:
            yield LegendEntry(stroke([(0.5, 0), (0.5, 1)], _BAD, 0.07, dashed=True), "beam that hits a turret")
            yield LegendEntry(cross(0, 0, _BAD), "turret that is hit")
        if self.dark:
            yield LegendEntry(frame(0, 0, _BAD, dashed=True), "open cell that stays dark")

    def headline(self) -> str:
        if self.hit:
            cell, by = next(iter(self.hit.items()))
            return f"WRONG: the turret at {self.board.place(cell)} is hit by " + (
                "its own beam." if cell == by else f"the beam of the one at {self.board.place(by)}."
            )
        if self.dark:
            return f"WRONG: the open cell at {self.board.place(self.dark[0])} stays dark."
        return "POSSIBLE: every open cell is lit, no turret is hit."


class _Source(NamedTuple):
    """A beam that would enter a cell: its turret, how that must be turned, and its first direction."""

    turret: int
    kind: str
    arm: tuple[int, int]


def _sources(board: Beams, cell: int) -> list[_Source]:
    """The beams that can enter a cell, found by walking backwards from it."""
    sources: list[_Source] = []
    for step in (LEFT, RIGHT, UP, DOWN):
        for at, back in walk(board, cell, (-step[0], -step[1])):
            if chr(board.grid.flat[at]) in ARMS:
                sources.append(_Source(at, "-" if back in ARMS["-"] else "|", (-back[0], -back[1])))
    return sources


def _is_open(board: Beams, cell: int) -> bool:
    return chr(board.grid.flat[cell]) == "."


def _core_shapes(board: Beams, core: Sequence[int]) -> list[str]:
    shapes: list[str] = []
    for cell in core:
        row, column = divmod(cell, board.columns)
        shapes += [square(row, column, _BAD, 0.16), frame(row, column, _BAD, dashed=_is_open(board, cell))]
    return shapes


def _bearing(board: Beams, core: Sequence[int]) -> dict[int, list[_Source]]:
    """By cell of the core, the beams that bear on it: all that would light an open cell, and those that hit a turret.

    A turret that is named only once, as one that hits, can be turned the other way. So it has no part in the contradiction.
    """
    sources = {cell: _sources(board, cell) for cell in core}
    ways = Counter(turret for each in sources.values() for turret, _ in {(source.turret, source.kind) for source in each})
    return {
        cell: each if _is_open(board, cell) else [source for source in each if ways[source.turret] > 1] or each
        for cell, each in sources.items()
    }


def _core_beams(board: Beams, core: Sequence[int]) -> list[str]:
    """The beams that would light an open cell of the core, and those that hit one of its turrets, with a cross there."""
    beams: dict[tuple[int, tuple[int, int]], bool] = {}
    bearing = _bearing(board, core)
    for cell, sources in bearing.items():
        for turret, _, arm in sources:
            hits = not _is_open(board, cell)
            beams[turret, arm] = beams.get((turret, arm), False) or hits
    shapes = [_beam(board, cell, arm, _BAD if hits else "var(--light)", dashed=hits) for (cell, arm), hits in beams.items()]
    hit = [cell for cell in core if not _is_open(board, cell) and bearing[cell]]
    return shapes + [cross(*divmod(cell, board.columns), _BAD) for cell in hit]


def _core_legend(board: Beams, core: Sequence[int]) -> Iterator[LegendEntry]:
    opened = [cell for cell in core if _is_open(board, cell)]
    turrets = [cell for cell in core if not _is_open(board, cell)]
    tint = square(0, 0, _BAD, 0.16)
    if opened:
        yield LegendEntry(tint + frame(0, 0, _BAD, dashed=True), "core: must be lit")
    if any(_sources(board, cell) for cell in opened):
        yield LegendEntry(stroke([(0.5, 0), (0.5, 1)], "var(--light)", 0.07), "beam that would light it")
    if turrets:
        yield LegendEntry(tint + frame(0, 0, _BAD) + cross(0, 0, _BAD), "core: must not be hit")
        yield LegendEntry(stroke([(0.5, 0), (0.5, 1)], _BAD, 0.07, dashed=True), "beam that hits it")


def _core_headline(board: Beams, core: Sequence[int]) -> str:
    """Why the board is impossible, cell by cell of a small core."""
    if not core:
        return "IMPOSSIBLE; no core says why."
    if len(core) > _MAX_EXPLAINED:
        return f"IMPOSSIBLE: the marked {len(core)} cells cannot all have what they need."
    bearing = sorted(_bearing(board, core).items(), key=lambda item: not _is_open(board, item[0]))
    return "IMPOSSIBLE: " + " ".join(f"{_need(board, cell, sources)}." for cell, sources in bearing)


_SHOOTS = {"-": "shoots left and right", "|": "shoots up and down"}
"""What a turret does that is turned so."""


def _need(board: Beams, cell: int, sources: Sequence[_Source]) -> str:
    """What a cell of a core asks for, as a sentence without its full stop."""
    place = board.place(cell)
    ways = sorted({(source.turret, source.kind) for source in sources})
    if not _is_open(board, cell):
        parts = [f"{'it' if turret == cell else f'the one at {board.place(turret)}'} {_SHOOTS[kind]}" for turret, kind in ways]
        return f"The turret at {place} is hit if {', and also if '.join(parts)}"
    if not ways:
        return f"No beam can reach the open cell at {place}"
    parts = [
        f"{'the turret' if k == 0 else 'the one'} at {board.place(turret)} {_SHOOTS[kind]}" for k, (turret, kind) in enumerate(ways)
    ]
    return f"The open cell at {place} is lit only if {', or '.join(parts)}"


def _beam(board: Beams, cell: int, arm: tuple[int, int], colour: str, *, dashed: bool = False) -> str:
    row, column = divmod(cell, board.columns)
    points = [(row + 0.5 + arm[0] * 0.4, column + 0.5 + arm[1] * 0.4)]
    for entered, _ in walk(board, cell, arm):
        row, column = divmod(entered, board.columns)
        points.append((row + 0.5, column + 0.5))
    return stroke(points, colour, 0.07, dashed=dashed) if len(points) > 1 else ""


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


def steps(board: Beams, answer: Layout) -> Sequence[DerivationStep]:
    """Why an impossible board is impossible, by its core; no steps if there are none."""
    if answer.possible or not isinstance(answer.certificate, tuple):
        return ()

    def fact(turret: int, value: bool) -> str:
        return f"the turret at {board.place(turret)} shoots {_ARMS_OF[value]}"

    def words(inference: Inference) -> tuple[str, Iterable[int]]:
        (need,) = inference.statements
        return _words(board, need, inference, fact), [need.cell, *inference.known, *inference.concludes]

    return tuple(derivation_steps(derivation(needs_of(board, answer.certificate)), words, fact))


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
