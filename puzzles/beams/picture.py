"""A beams board and its answer, as SVG and in words: its beams, what is wrong with them, or why
there are none that do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from puzzles.beams.board import Beams, Layout
from puzzles.beams.check import ARMS, BeamStep, Need, need_of, reflect, walk
from puzzles.derivation import DerivationStep, Facts, Inference, derivation_steps, derive, list_text
from puzzles.pictures import BoardPicture, cross, disc, frame, square, stroke, wall

_MAX_EXPLAINED = 3
"""Cells of a core up to which the headline says what each of them asks for."""

_BAD = "var(--bad)"


def _turret(row: int, column: int, flat: bool) -> str:
    along, across = (0.4, 0) if flat else (0, 0.4)
    middle = row + 0.5, column + 0.5
    ends = [(middle[0] - across, middle[1] - along), (middle[0] + across, middle[1] + along)]
    return disc(row, column, "var(--ink)", 0.25) + stroke(ends, "var(--ink)", 0.14)


def _mirror(row: int, column: int, left: float) -> str:
    """A mirror that ends at the height `left` of the cell's left side."""
    return stroke([(row + left, column + 0.1), (row + 1 - left, column + 0.9)], "var(--cool)", 0.12)


_SIGNS = {
    "-": ("turret: left and right (-)", partial(_turret, flat=True)),
    "|": ("turret: up and down (|)", partial(_turret, flat=False)),
    "/": ("mirror", partial(_mirror, left=0.9)),
    "\\": ("mirror", partial(_mirror, left=0.1)),
    "#": ("wall", wall),
}
"""What each character means in the legend, and its sign."""

_hit = partial(cross, colour=_BAD)
_dark = partial(frame, colour=_BAD, dashed=True)


def picture(board: Beams, answer: Layout | None = None) -> str:
    """The board. If the answer is possible, with turned turrets and their beams; if impossible,
    with its core and why it fails.

    Of a wrong layout the turrets that are hit and the open cells that stay dark are marked.
    """
    shown = board if answer is None or answer.board is None else answer.board
    drawing = BoardPicture(shown.rows, shown.columns)
    kinds = "".join(shown.lines())
    drawing.legend = {
        meaning: sign(0, 0) for kind, (meaning, sign) in _SIGNS.items() if kind in kinds
    }
    needs: list[Need] = []
    if answer is not None and answer.board is None and not answer.possible:
        needs = [
            need_of(board, cell)
            for cell in answer.certificate or ()
            if isinstance(cell, int) and 0 <= cell < board.cells
        ]
    for need in needs:
        drawing.add(need.cell, partial(_core_cell, lit=need.lit))
    for cell, kind in enumerate(kinds):
        if kind in _SIGNS:
            drawing.add(cell, _SIGNS[kind][1])
    title = f"beams {shown.rows}x{shown.columns}"
    if answer is None:
        return drawing.svg(title)
    headline = ""
    if answer.board is not None:
        headline = _draw_layout(drawing, shown)
    elif not answer.possible:
        headline = _draw_core(drawing, board, needs)
    return drawing.svg(f"{title}: {'possible' if answer.possible else 'impossible'}", headline)


def _beams(board: Beams) -> Iterator[tuple[int, BeamStep, list[int]]]:
    """Each beam of a layout: its turret, its first direction, and the cells that it enters."""
    for cell, kind in enumerate("".join(board.lines())):
        for arm in ARMS.get(kind, ()):
            yield cell, arm, [entered for entered, _ in walk(board.grid, cell, arm)]


def _beam(board: Beams, turret: int, arm: BeamStep, hits: bool) -> str:
    row, column = divmod(turret, board.columns)
    kind, end = "", arm
    points = [(row + 0.5 + arm[0] * 0.4, column + 0.5 + arm[1] * 0.4)]
    for entered, step in walk(board.grid, turret, arm):
        row, column = divmod(entered, board.columns)
        points.append((row + 0.5, column + 0.5))
        kind = chr(board.grid[row, column])
        end = reflect(kind, step) if kind in "/\\" else step
    if len(points) > 1 and kind not in ARMS:  # it goes on to the wall or the edge of the board
        points.append((row + 0.5 + end[0] * 0.5, column + 0.5 + end[1] * 0.5))
    return _ray(points, hits) if len(points) > 1 else ""


def _ray(points: Sequence[tuple[float, float]], hits: bool) -> str:
    return stroke(points, _BAD if hits else "var(--light)", 0.07, dashed=hits)


_RAY, _HITTING_RAY = (_ray([(0.5, 0), (0.5, 1)], hits) for hits in (False, True))
"""How the legend shows a beam, and one that hits a turret."""


def _draw_layout(drawing: BoardPicture, board: Beams) -> str:
    """Draw the beams of a layout, the turrets that they hit and the open cells that they miss.

    Returns the headline.
    """
    flat = board.grid.ravel()
    hit: dict[int, int] = {}
    lit = set[int]()
    for turret, arm, path in _beams(board):
        hits = [entered for entered in path if chr(flat[entered]) in ARMS]
        hit.update((entered, turret) for entered in hits)
        lit.update(path)
        drawing.shapes.append(_beam(board, turret, arm, bool(hits)))
        if path and not hits:
            drawing.legend["beam"] = _RAY
    dark = [cell for cell, kind in enumerate(flat.tolist()) if kind == ord(".") and cell not in lit]
    if hit:
        drawing.legend["beam that hits a turret"] = _HITTING_RAY
    for cell in hit:
        drawing.add(cell, _hit, "turret that is hit")
    for cell in dark:
        drawing.add(cell, _dark, "open cell that stays dark")
    if hit:
        cell, by = next(iter(hit.items()))
        beam = "its own beam" if cell == by else f"the beam of the one at {board.place(by)}"
        return f"WRONG: the turret at {board.place(cell)} is hit by {beam}."
    if dark:
        return f"WRONG: the open cell at {board.place(dark[0])} stays dark."
    return "POSSIBLE: every open cell is lit, no turret is hit."


def _core_cell(row: int, column: int, lit: bool) -> str:
    return square(row, column, _BAD, 0.16) + frame(row, column, _BAD, dashed=lit)


def _draw_core(drawing: BoardPicture, board: Beams, needs: Sequence[Need]) -> str:
    """Draw the beams that would light an open cell of a core, or hit a turret of it.

    Returns why the board is impossible.
    """
    needs = _bearing(needs)
    beams: dict[tuple[int, BeamStep], bool] = {}
    for need in needs:
        for turret, _, arm in need.sources:
            beams[turret, arm] = beams.get((turret, arm), False) or not need.lit
    drawing.shapes += [_beam(board, turret, arm, hits) for (turret, arm), hits in beams.items()]
    opened, turrets = ([need for need in needs if need.lit == lit] for lit in (True, False))
    for need in turrets:
        if need.sources:
            drawing.add(need.cell, _hit)
    if opened:
        drawing.legend["core: must be lit"] = _core_cell(0, 0, True)
    if any(need.sources for need in opened):
        drawing.legend["beam that would light it"] = _RAY
    if turrets:
        drawing.legend |= {
            "core: must not be hit": _core_cell(0, 0, False) + _hit(0, 0),
            "beam that hits it": _HITTING_RAY,
        }
    if not needs:
        return "IMPOSSIBLE; no core says why."
    if len(needs) > _MAX_EXPLAINED:
        return (
            f"IMPOSSIBLE: the requirements of the {len(needs)} marked cells conflict (an "
            "unsatisfiable core)."
        )
    return "IMPOSSIBLE: " + " ".join(_demand_text(board, need) for need in [*opened, *turrets])


def _bearing(needs: Sequence[Need]) -> list[Need]:
    """The needs with the beams that bear on them: all that would light an open cell, and those that
    hit a turret.

    A turret that is named only once, as one that hits, can be turned the other way. So it has no
    part in the contradiction.
    """
    uses = Counter(turret for need in needs for turret, _ in need.ways)
    bearing: list[Need] = []
    for need in needs:
        shared = tuple(source for source in need.sources if uses[source.turret] > 1)
        bearing.append(need if need.lit else replace(need, sources=shared or need.sources))
    return bearing


def _shoots(flat: bool) -> str:
    """What a turret does that is turned so.

    In a derivation its flat index is the variable, and this the value.
    """
    return f"shoots {'left and right' if flat else 'up and down'}"


def _demand_text(board: Beams, need: Need) -> str:
    """What a cell of a core asks for, in a sentence."""
    place = board.place(need.cell)
    ways = sorted(need.ways, key=lambda way: (way[0], not way[1]))
    if not need.lit:
        parts = [
            f"{'it' if turret == need.cell else f'the one at {board.place(turret)}'} "
            f"{_shoots(flat)}"
            for turret, flat in ways
        ]
        return f"The turret at {place} is hit if {', and also if '.join(parts)}."
    if not ways:
        return f"No beam can reach the open cell at {place}."
    parts = [f"the one at {board.place(turret)} {_shoots(flat)}" for turret, flat in ways]
    parts[0] = parts[0].replace("the one", "the turret")
    return f"The open cell at {place} is lit only if {', or '.join(parts)}."


def derivation_of_needs(needs: Sequence[Need]) -> tuple[Inference, ...]:
    """Why the needs contradict one another; empty if no steps are found."""
    named = [turret for need in needs for turret, _ in need.ways]
    return derive(lambda known: _next(needs, known), named, None)


def _next(needs: Sequence[Need], known: Facts) -> Inference | None:
    """A need that cannot be met any more, or one that turns a turret."""
    first: Inference | None = None
    for need in needs:
        ways = need.ways
        if need.lit:
            facts = {turret: known[turret] for turret, _ in ways if turret in known}
            left = [way for way in ways if facts.get(way[0], way[1]) == way[1]]
            if not left:
                return Inference((need,), facts, {})
            if len(left) == 1 and left[0][0] not in known:
                first = first or Inference((need,), facts, dict(left))
            continue
        for turret, flat in ways:
            if known.get(turret) == flat:
                return Inference((need,), {turret: flat}, {})
            if turret not in known:
                first = first or Inference((need,), {}, {turret: not flat})
    return first


def steps(board: Beams, answer: Layout) -> Sequence[DerivationStep]:
    """Why an impossible board is impossible, by its core; no steps if there are none."""
    if answer.possible or not isinstance(answer.certificate, tuple):
        return ()

    def fact(turret: int, flat: bool) -> str:
        return f"the turret at {board.place(turret)} {_shoots(flat)}"

    def words(inference: Inference) -> tuple[str, Iterable[int]]:
        (need,) = inference.statements
        return _words(board, need, inference, fact), [
            need.cell,
            *inference.known,
            *inference.concludes,
        ]

    needs = [need_of(board, cell) for cell in answer.certificate]
    return tuple(derivation_steps(derivation_of_needs(needs), words, fact))


def _words(board: Beams, need: Need, inference: Inference, fact: Callable[[int, bool], str]) -> str:
    """An inference from the need of one cell, in a sentence or two."""
    place = board.place(need.cell)
    turned = next(iter(inference.concludes.items()), None)
    if not need.lit:
        turret, flat = (
            next(iter(inference.known.items())) if turned is None else (turned[0], not turned[1])
        )
        itself = turret == need.cell
        who = "it" if itself else f"the one at {board.place(turret)}"
        hit = f"The turret at {place} {'hits itself' if itself else 'is hit'}"
        if turned is None:
            return f"{hit}, because {who} {_shoots(flat)}. That is a contradiction."
        return f"{hit} if {who} {_shoots(flat)}: so {who} {_shoots(not flat)}."
    lost = list_text([fact(turret, flat) for turret, flat in inference.known.items()])
    if turned is None:
        rest = (
            f"no beam {'lights' if lost else 'can reach'} the open cell at {place}. That is a "
            "contradiction."
        )
    else:
        rest = (
            f"only the turret at {board.place(turned[0])} can light the open cell at {place}: so "
            "it "
            f"{_shoots(turned[1])}."
        )
    return f"Since {lost}, {rest}" if lost else rest[0].upper() + rest[1:]


def cell_words(board: Beams, answer: Layout) -> Iterator[str]:
    """What the answer says of each cell, in row-major order."""
    entered = (
        set[int]()
        if answer.board is None
        else {cell for _, _, path in _beams(answer.board) for cell in path}
    )
    core = (
        set(answer.certificate)
        if not answer.possible and isinstance(answer.certificate, tuple)
        else set[int]()
    )
    for cell, kind in enumerate("".join((answer.board or board).lines())):
        word = Beams.meanings[kind]
        if kind == "." and answer.board is not None:
            word += ", lit" if cell in entered else ", stays dark"
        elif kind in ARMS and cell in entered:
            word += ", is hit"
        elif cell in core:
            word += ", core: must be lit" if kind == "." else ", core: must not be hit"
        yield word
