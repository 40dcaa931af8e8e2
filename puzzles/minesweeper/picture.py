"""A minesweeper board as SVG and in words: what an answer claims of its covered cells, and how clues force a cell, step by step.

Three rules make the steps: one clue; the difference of two clues; the number of mines against clues that share no cell. Where none
of them applies, a cell is supposed to be otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from puzzles.derivation import DerivationStep, Facts, Inference, derivation_steps, derive, listed
from puzzles.minesweeper.board import MINE, Certificate, Core, Deduction, Minesweeper, Reason
from puzzles.minesweeper.chances import Chances, percentage
from puzzles.minesweeper.refuter import neighbours, number
from puzzles.pictures import LegendEntry, disc, drawing, frame, label, square, stroke
from puzzles.text import counted

_CLUE = {"1": "var(--cool)", "2": "var(--good)", "3": "var(--bad)"}

_MAX_LABELS = 2500
"""Cells of a board up to which the heat map shows percentages."""


def picture(
    board: Minesweeper,
    answer: Deduction | None = None,
    reason: Reason | None = None,
    marked: Sequence[int] = (),
    headline: str = "",
) -> str:
    """The board: covered cells are grey, mines have spikes, safe cells are rings; given ones have a frame.

    An answer adds the cells that it decides. If its layouts were counted, a heat map shows undecided cells the redder the likelier
    they are mines. If the board is inconsistent, the clues of the core are framed. A reason marks its clues and its cell; `marked`
    are flat indices of further cells to point out, and the headline should say what they are.
    """
    shown = answer.board if answer is not None and answer.consistent else board
    signs: dict[str, str] = {}
    shapes: list[str] = []

    def add(meaning: str, draw: Callable[[int, int], str], cell: int) -> None:
        shapes.append(draw(*divmod(cell, board.columns)))
        signs.setdefault(meaning, draw(0, 0))

    core = _core(answer)
    for clue in reason.clues if reason is not None else core.clues if core is not None else ():
        add("clue that forces it" if reason is not None and reason.cell is not None else "clue of the contradiction", _clue, clue)
    chances = None if answer is None else answer.chances
    for cell, (given, kind) in enumerate(zip("".join(board.lines()), "".join(shown.lines()), strict=True)):
        if kind == "#" and chances is not None:
            shapes.extend(_heat(chances, *divmod(cell, board.columns), board))
            signs.setdefault("undecided: how likely a mine, in percent", _tint(0, 0, 0.5))
        elif kind in "#XO":
            shapes.append(_covered(*divmod(cell, board.columns)))
        if kind == "#" and chances is None:
            signs.setdefault("covered" if answer is None or not answer.consistent else _UNDECIDED[answer.complete], _covered(0, 0))
        elif kind in "XO":
            add("certainly a mine" if kind == "X" else "certainly safe", _mine if kind == "X" else _safe, cell)
            if given == kind and (answer is None or answer.board is not board or not answer.consistent):
                add("given as certain", _given, cell)
        elif kind not in "#.":
            shapes.append(label(*divmod(cell, board.columns), kind, _CLUE.get(kind, "var(--ink)")))
    if reason is not None and reason.cell is not None:
        add("the cell in question", _mark, reason.cell)
    for cell in marked:
        add("the cell to open" if len(marked) == 1 else "the cells to open", _mark, cell)
    if reason is not None:
        headline = str(reason)
    elif answer is not None and not answer.consistent and not headline:
        headline = _contradiction(board, core)
    verdict = "" if answer is None else "" if answer.consistent else ": inconsistent"
    legend = [LegendEntry(sign, meaning) for meaning, sign in signs.items()]
    title = f"minesweeper {shown.rows}x{shown.columns}{verdict}"
    return drawing(shown.rows, shown.columns, shapes, title, headline=headline, legend=legend)


_UNDECIDED = {True: "covered: undecided", False: "covered: nothing is claimed"}
"""What a covered cell of a complete answer means, and of another."""


def _core(answer: Deduction | None) -> Core | None:
    """The contradictory clues of an inconsistent answer, if it is certified."""
    if answer is None or answer.consistent or not isinstance(answer.certificate, Certificate):
        return None
    return next(iter(answer.certificate.cores), None)


def _contradiction(board: Minesweeper, core: Core | None) -> str:
    if core is None:
        return "INCONSISTENT; no core says why."
    if core.counted and not core.clues:
        given, covered = (board.body().count(kind) for kind in "X#")
        cells = f"{counted(covered, 'covered cell')} and {counted(given, 'given mine')}"
        return f"INCONSISTENT, no layout fits: a board with {cells} cannot have {counted(board.mines or 0, 'mine')}."
    count = f"the number of mines ({board.mines})" if core.counted else ""
    clues = f"the {len(core.clues)} marked clues" if len(core.clues) > 1 else "the marked clue" if core.clues else ""
    holds = "contradict one another" if len(core.clues) + core.counted > 1 else "cannot hold"
    return f"INCONSISTENT, no layout fits: {' and '.join(filter(None, (clues, count)))} {holds}."


def _clue(row: int, column: int) -> str:
    return square(row, column, "var(--light)", 0.35) + frame(row, column, "var(--light)")


def _mark(row: int, column: int) -> str:
    return frame(row, column, "var(--ink)") + frame(row, column, "var(--paper)", dashed=True)


def _given(row: int, column: int) -> str:
    return frame(row, column, "var(--soft)", dashed=True)


def _covered(row: int, column: int) -> str:
    """A tile with an outline, which tells it from an opened cell without a clue."""
    return (
        f'<rect x="{column + 0.06:g}" y="{row + 0.06:g}" width=".88" height=".88" fill="var(--wall)" fill-opacity=".3" '
        'stroke="var(--wall)" stroke-width=".05"/>'
    )


def _mine(row: int, column: int) -> str:
    y, x = row + 0.5, column + 0.5
    spikes = "".join(
        stroke([(y - a, x - b), (y + a, x + b)], "var(--bad)", 0.09) for a, b in ((0, 0.38), (0.38, 0), (0.27, 0.27), (0.27, -0.27))
    )
    return disc(row, column, "var(--bad)", 0.25) + spikes


def _safe(row: int, column: int) -> str:
    return f'<circle cx="{column + 0.5}" cy="{row + 0.5}" r=".24" fill="none" stroke="var(--good)" stroke-width=".11"/>'


def extra_pictures(board: Minesweeper, answer: Deduction) -> Iterator[tuple[str, str]]:
    """The heat map, and why one of the certain cells is certain, with its clues marked."""
    if answer.chances is not None:
        yield "how likely each covered cell is a mine, in percent", picture(board, answer)
    for cause in answer.causes[:1]:
        reason = answer.why(cause.cell)
        yield str(reason), picture(board, answer, reason)


def _tint(row: int, column: int, chance: float) -> str:
    return square(row, column, "var(--wall)", 0.2) + square(row, column, "var(--bad)", round(0.1 + 0.8 * chance, 3))


def _heat(chances: Chances, row: int, column: int, board: Minesweeper) -> Iterator[str]:
    """An undecided cell, the redder the likelier it is a mine; with the percentage on small boards."""
    chance = chances.of(row * board.columns + column)
    if chance is None:
        return
    yield _tint(row, column, float(chance))
    if board.cells <= _MAX_LABELS:
        scaled = 0.6
        at = f"translate({column + (1 - scaled) / 2:g} {row + (1 - scaled) / 2:g}) scale({scaled})"
        yield f'<g transform="{at}">{label(0, 0, percentage(chance))}</g>'


_MAX_CLUES = 40
"""Clues of a derivation: the rules try all pairs."""

_MAX_NAMED = 8
"""Cells that a sentence names."""


class Sum(NamedTuple):
    """What a clue says of the covered cells around it, or the number of mines of all covered cells.

    Attributes:
        cells: flat indices.
        mines: how many of them are mines.
        clue: flat index; None for the number of mines.
    """

    cells: frozenset[int]
    mines: int
    clue: int | None

    def left(self, known: Facts) -> tuple[frozenset[int], int]:
        """The cells that are not known, and how many of them are mines."""
        mines = sum(known.get(cell, False) for cell in self.cells)
        return frozenset(cell for cell in self.cells if cell not in known), self.mines - mines


def sums_of(board: Minesweeper, clues: Iterable[int], with_number: bool) -> list[Sum]:
    """What these clues say, and the number of mines on the board."""
    kinds = board.body().replace("\n", "")
    sums: list[Sum] = []
    for clue in clues:
        near = list(neighbours(board, clue))
        given = sum(kinds[cell] == "X" for cell in near)
        covered = frozenset(cell for cell in near if kinds[cell] == "#")
        sums.append(Sum(covered, (number(kinds[clue]) or 0) - given, clue))
    if with_number and board.mines is not None:
        covered = frozenset(cell for cell, kind in enumerate(kinds) if kind == "#")
        sums.append(Sum(covered, board.mines - kinds.count("X"), None))
    return sums


def derivation(sums: Sequence[Sum], goal: tuple[int, bool] | None) -> tuple[Inference, ...]:
    """How the sums force a cell to be a mine or not, or without a goal contradict one another; empty if no steps are found."""
    if len(sums) > _MAX_CLUES:
        return ()
    near = [cell for each in sums if each.clue is not None for cell in sorted(each.cells)]
    often = sorted(set(near), key=lambda cell: (-near.count(cell), cell))

    def rule(known: Facts) -> Inference | None:
        return _by_one(sums, known) or _by_two(sums, known) or _by_all(sums, known)

    return derive(rule, often, goal)


def _inference(statements: Iterable[Sum], known: Facts, mines: Iterable[int] = (), safe: Iterable[int] = ()) -> Inference:
    used = tuple(statements)
    cells = {cell for each in used for cell in each.cells}
    concludes = {**dict.fromkeys(sorted(mines), True), **dict.fromkeys(sorted(safe), False)}
    return Inference(used, {cell: known[cell] for cell in sorted(cells) if cell in known}, concludes)


def _by_one(sums: Sequence[Sum], known: Facts) -> Inference | None:
    """A clue whose mines are all known, or that has as many cells left as mines, or that cannot hold."""
    first: Inference | None = None
    for each in sums:
        cells, mines = each.left(known)
        if not 0 <= mines <= len(cells):
            return _inference([each], known)
        if cells and mines in (0, len(cells)) and first is None:
            first = _inference([each], known, cells if mines else (), () if mines else cells)
    return first


def _by_two(sums: Sequence[Sum], known: Facts) -> Inference | None:
    """Two clues of which one has so many more mines that they fill all the cells that only this one has."""
    left = [(each, *each.left(known)) for each in sums]
    for (many, cells, mines), (few, others, fewer) in permutations(left, 2):
        if cells.isdisjoint(others):
            continue
        own, foreign, more = cells - others, others - cells, mines - fewer
        if more > len(own):
            return _inference([many, few], known)
        if more == len(own) and (own or foreign):
            return _inference([many, few], known, own, foreign)
    return None


def _by_all(sums: Sequence[Sum], known: Facts) -> Inference | None:
    """The number of mines, and clues that share no cell: what they leave for all other cells."""
    whole = next((each for each in sums if each.clue is None), None)
    if whole is None:
        return None
    cells, mines = whole.left(known)
    left = [(each, *each.left(known)) for each in sums if each.clue is not None]
    for start in range(len(left)):
        apart, rest, missing = list[Sum](), cells, mines
        for each, own, own_mines in left[start:] + left[:start]:
            if own and own <= rest:
                apart.append(each)
                rest, missing = rest - own, missing - own_mines
        if not 0 <= missing <= len(rest):
            return _inference([whole, *apart], known)
        if rest and missing in (0, len(rest)):
            return _inference([whole, *apart], known, rest if missing else (), () if missing else rest)
    return None


def steps(board: Minesweeper, answer: Deduction) -> Sequence[DerivationStep]:
    """Why an inconsistent board has no layout, by the core of the answer; no steps if there are none."""
    core = _core(answer)
    if core is None:
        return ()
    return _steps(board, derivation(sums_of(board, core.clues, core.counted), None))


def reason_steps(reason: Reason) -> Sequence[DerivationStep]:
    """How the clues of a reason force its cell; no steps if there are none."""
    goal = None if reason.cell is None else (reason.cell, reason.mine)
    return _steps(reason.board, derivation(sums_of(reason.board, reason.clues, reason.counted), goal))


def _steps(board: Minesweeper, inferences: Sequence[Inference]) -> Sequence[DerivationStep]:
    speaker = _Speaker(board)
    return tuple(derivation_steps(inferences, speaker.words, speaker.fact))


class _Speaker:
    """Says inferences about one board."""

    def __init__(self, board: Minesweeper) -> None:
        self.board = board
        self.kinds = board.body().replace("\n", "")

    def fact(self, cell: int, mine: bool) -> str:
        return f"{self.board.place(cell)} is {'a mine' if mine else 'safe'}"

    def words(self, inference: Inference) -> tuple[str, Iterable[int]]:
        """A sentence or two, and the cells that they are about: clues first."""
        sums: tuple[Sum, ...] = inference.statements
        clues = [each.clue for each in sums if each.clue is not None]
        if len(sums) == 1:
            text = self._one(sums[0], inference)
        elif len(sums) == 2 and None not in (each.clue for each in sums):
            text = self._two(sums[0], sums[1], inference)
        else:
            whole = next(each for each in sums if each.clue is None)
            text = self._all(whole, [each for each in sums if each.clue is not None], inference)
        cells = {cell for each in sums if each.clue is not None for cell in each.cells} | set(inference.concludes)
        return text, [*clues, *sorted(cells)]

    def _name(self, each: Sum) -> str:
        if each.clue is None:
            return f"The number of mines, {self.board.mines},"
        return f"Clue {number(self.kinds[each.clue])} at {self.board.place(each.clue)}"

    def _cells(self, cells: Collection[int]) -> str:
        if len(cells) > _MAX_NAMED:
            return f"{len(cells)} cells"
        return listed([self.board.place(cell) for cell in sorted(cells)])

    def _concluded(self, inference: Inference) -> str:
        parts: list[str] = []
        for value, one, more in ((True, "is a mine", "are mines"), (False, "is safe", "are safe")):
            cells = [cell for cell, mine in inference.concludes.items() if mine == value]
            if cells:
                parts.append(f"{self._cells(cells)} {one if len(cells) == 1 else more}")
        return ", and ".join(parts)

    def _one(self, each: Sum, inference: Inference) -> str:
        left, missing = each.left(inference.known)
        name = self._name(each)
        mines = [cell for cell, mine in inference.known.items() if mine]
        near = range(self.board.cells) if each.clue is None else neighbours(self.board, each.clue)
        mines += [cell for cell in near if self.kinds[cell] == "X"]
        at = f"at {self._cells(mines)}"
        if not inference.concludes:
            if missing < 0:
                return f"{name} has too many mines: those {at}. That is a contradiction."
            room = f"only {self._cells(left)}" if left else "no cell"
            also = f"besides the mine{'s' * (len(mines) > 1)} {at} " if mines else ""
            return f"{name} has {also}{room} left for {_mines(missing)}. That is a contradiction."
        if missing == 0:
            its = "its mine" if len(mines) == 1 else f"its {len(mines)} mines"
            found = f"{its} {at}" if mines else "no mine around it"
            return f"{name} has {found}: so {self._concluded(inference)}."
        known = f"{_mines(len(mines))} {at} and " if mines else ""
        its = "the other" if mines else "its"
        room = f"{its} mine" if missing == 1 else f"{its} {missing} mines"
        return f"{name} has {known}only {self._cells(left)} left for {room}: so {self._concluded(inference)}."

    def _leaves(self, each: Sum, known: Facts) -> str:
        cells, mines = each.left(known)
        return f"leaves {_mines(mines)} among {self._cells(cells)}"

    def _two(self, many: Sum, few: Sum, inference: Inference) -> str:
        one, other = (f"{self._name(each)} {self._leaves(each, inference.known)}" for each in (few, many))
        end = f"Hence {self._concluded(inference)}." if inference.concludes else "Both cannot hold. That is a contradiction."
        return f"{one}; c{other[1:]}. {end}"

    def _all(self, whole: Sum, apart: Sequence[Sum], inference: Inference) -> str:
        cells, mines = whole.left(inference.known)
        theirs = sum(each.left(inference.known)[1] for each in apart)
        places = self._cells([each.clue for each in apart if each.clue is not None])
        subject = f"The clue{'s' * (len(apart) > 1)} at {places}"
        apart_words = " in cells of their own" if len(apart) > 1 else ""
        rest = len(cells) - sum(len(each.left(inference.known)[0]) for each in apart)
        first = f"{subject} leave{'s' * (len(apart) == 1)} {_mines(theirs)}{apart_words}"
        second = f"the number of mines, {self.board.mines}, leaves {mines} in all"
        if not inference.concludes:
            return f"{first}; {second}, with {counted(rest, 'other covered cell')}. That is a contradiction."
        return f"{first}; {second}. Hence {self._concluded(inference)}."


def _mines(number: int) -> str:
    return "one mine" if number == 1 else f"{number} mines" if number else "no mine"


def cell_words(board: Minesweeper, answer: Deduction) -> Iterator[str]:
    """What the answer says of each cell, in row-major order."""
    core = _core(answer)
    contradictory = () if core is None else core.clues
    shown = answer.board if answer.consistent else board
    for cell, kind in enumerate(shown.grid.ravel().tolist()):
        clue = number(chr(kind))
        if clue is not None:
            yield f"clue {clue}, one of those that contradict one another" if cell in contradictory else f"clue {clue}"
        elif kind in b"XO":
            given = board.grid.flat[cell] == kind
            yield f"{'given as' if given else 'certainly'} {'a mine' if kind == MINE else 'safe'}"
        else:
            chance = None if answer.chances is None else answer.chances.of(cell)
            known = "covered, nothing is claimed" if answer.consistent and not answer.complete else "covered"
            undecided = "undecided" if answer.consistent and answer.complete else known
            yield undecided if chance is None else f"undecided, a mine in {percentage(chance)}%"
