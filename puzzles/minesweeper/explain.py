"""Why a cell is certain: clues that force it, how they do so step by step, and both in words.

The clues are a core of the answer's certificate. Where the backend searches for the fewest clues,
they are what it finds. In both cases the check's own search then tries to leave out each clue.
Mostly it shows that none of those that stay can be left out; else the explanation says so. The
number of mines takes part only if no set of clues suffices without it, even if fewer clues would do
with it.

Three rules make the steps: one clue; the difference of two clues; the number of mines against clues
that share no cell. Where none of them applies, a cell is supposed to be otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import inf

from puzzles.coordinates import coordinates
from puzzles.derivation import DerivationStep, Facts, Inference, derivation_steps, derive, list_text
from puzzles.grid import grid_lines
from puzzles.minesweeper.board import (
    COVERED,
    MINE,
    NUMBER,
    SAFE,
    Certificate,
    Core,
    Deduction,
    Minesweeper,
)
from puzzles.minesweeper.refuter import ClueRefuter, Sum, cells_around, sums_of
from puzzles.puzzle import RequestReply
from puzzles.text import Grid, UserError, count_noun

_SECONDS = 20.0
"""How long the backend's search for the fewest clues may take."""


@dataclass(frozen=True)
class Explanation(RequestReply):
    """Why a cell is certain, or why a board has no layout.

    Attributes:
        core: the clues that force the cell, or contradict one another, and whether the number of
            mines takes part.
        irreducible: whether it is shown that none of these clues can be left out; not where a
            search stopped at its limit.
        mine: whether the cell is a mine.
        answer: the answer that claims the cell.
        given: the board that the answer is for.
    """

    core: Core
    irreducible: bool
    mine: bool
    answer: Deduction = field(compare=False, repr=False)
    given: Minesweeper

    @property
    def board(self) -> Minesweeper:
        """The statement that forces the cell: these clues alone; any other opened cell is `O`,
        which says only that it is safe.
        """
        return Minesweeper(
            self._only_its_clues(SAFE), self.given.mines if self.core.counted else None
        )

    def steps(self) -> Sequence[DerivationStep]:
        """How the clues force the cell, step by step; empty if no steps are found."""
        return steps_by_core(self.given, self.core, self.mine)

    def __str__(self) -> str:
        """A sentence; rows and columns count from 1."""
        cell, clues = self.core.cell, self.core.clues
        places = list_text([self.given.place(clue) for clue in clues])
        subject, plural = _subject(
            self.core, self.given, f"the clue{'s' if len(clues) > 1 else ''} at {places}"
        )
        claim = (
            "No fewer clues do."
            if self.core.fewest
            else "None of these clues can be left out."
            if self.irreducible
            else "Perhaps some of these clues can be left out: a search stopped at its limit."
        )
        end = f" {claim}" if len(clues) > 1 else ""
        if cell is None:
            return f"There is no layout: {subject} {_CONTRADICT[plural]}.{end}"
        state = "a mine" if self.mine else "safe"
        return (
            f"The cell at {self.given.place(cell)} is {state}: {subject} "
            f"force{'' if plural else 's'} it.{end}"
        )

    def text(self) -> str:
        """The sentence, and the board with the clues that it names; another opened cell is a `_`,
        which no board holds.
        """
        rows = grid_lines(self._only_its_clues(ord("_")))
        clues = (
            "no clue"
            if not self.core.clues
            else "this clue alone"
            if len(self.core.clues) == 1
            else "these clues alone"
        )
        unused = " (_ is an opened cell whose clue is not needed)" if "_" in "".join(rows) else ""
        return "".join(
            f"{line}\n" for line in [str(self), f"The board with {clues}{unused}:", *rows]
        )

    def _only_its_clues(self, other: int) -> Grid:
        """The board with this character in place of each clue that is not needed."""
        grid = self.given.grid.copy()
        grid.ravel()[[clue for clue in self.given.clues if clue not in self.core.clues]] = other
        return grid

    def fields(self) -> dict[str, object]:
        """`why`: the cell, whether it is a mine, the clues, whether the number of mines is needed,
        whether no fewer do; the steps.
        """
        core, columns = self.core, self.given.columns
        return {
            "why": {
                "cell": next(iter(coordinates(core.cells, columns)), None),
                "mine": self.mine if core.cells else None,
                "clues": coordinates(core.clues, columns),
                "count": core.counted,
                "fewest": core.fewest,
                "steps": [step.fields(columns) for step in self.steps()],
            }
        }

    def picture(self) -> str:
        """The board with its answer; the cell and the clues that force it are marked."""
        from puzzles.minesweeper.picture import picture

        return picture(self.given, self.answer, self)

    _repr_svg_ = picture


_CONTRADICT = {True: "contradict one another", False: "cannot hold"}
"""What several clues do, and what one does."""


def _subject(core: Core, board: Minesweeper, clues: str) -> tuple[str, bool]:
    """What forces a cell: the clues of a core, in these words, and the number of mines; and whether
    that is plural.
    """
    parts = [clues] if core.clues else []
    if core.counted:
        parts.append(f"the number of mines ({board.mines})")
    return " and ".join(parts), len(core.clues) + core.counted > 1


def contradiction_text(board: Minesweeper, core: Core | None) -> str:
    """Why a board has no layout, beside a picture that marks the clues."""
    if core is None:
        return "INCONSISTENT; no core says why."
    if core.counted and not core.clues:
        given, covered = (board.kinds.count(kind) for kind in "X#")
        cells = f"{count_noun(covered, 'covered cell')} and {count_noun(given, 'given mine')}"
        return (
            f"INCONSISTENT, no layout fits: a board with {cells} cannot have "
            f"{count_noun(board.mines or 0, 'mine')}."
        )
    clues = f"the {len(core.clues)} marked clues" if len(core.clues) > 1 else "the marked clue"
    subject, plural = _subject(core, board, clues)
    return f"INCONSISTENT, no layout fits: {subject} {_CONTRADICT[plural]}."


def explain(answer: Deduction, cell: int | None) -> Explanation:
    """Why a cell is certain. For an inconsistent board, why it has no layout; then `cell` is
    ignored.

    Raises:
        UserError: the cell is given, opened or not certain, or the answer has no certificate.
        BeyondCheck: the clues are too entangled for the check's refuter.
    """
    proof = answer.certificate
    if not isinstance(proof, Certificate):
        raise UserError("only an answer with its certificate can say why")
    board, core, mine = answer.board, answer.contradiction, False
    if answer.consistent:
        grid = board.grid.copy()
        grid.ravel()[[each for core in proof.cores for each in core.cells]] = COVERED
        board = Minesweeper(grid, board.mines)
        cell = _certain_cell(answer, board, cell)
        core = next(core for core in proof.cores if cell in core.cells)
        mine = bool(answer.board.grid.flat[cell] == MINE)
    if core is None:
        raise UserError("the answer's certificate has no core")
    core = Core(core.clues, (cell,) if answer.consistent and cell is not None else (), core.counted)
    search = answer.smallest_core_search
    if search is not None:
        core = search(board, answer, core, _SECONDS)
    refuter = ClueRefuter(board)
    core = _irreducible(refuter, core, mine)
    irreducible = core.fewest or not any(
        refuter.forces_if_decided(core._replace(clues=(*{*core.clues} - {clue},)), mine, True)
        for clue in core.clues
    )
    return Explanation(core, irreducible, mine, answer, board)


def _certain_cell(answer: Deduction, board: Minesweeper, cell: int | None) -> int:
    """The cell; raises `UserError` unless the answer claims something certain of it, and it is
    covered.
    """
    if cell is None or not 0 <= cell < board.cells:
        raise UserError("the board has no such cell")
    if board.grid.flat[cell] != COVERED:
        kind = "given" if board.grid.flat[cell] in (MINE, SAFE) else "opened"
        raise UserError(f"the cell at {board.place(cell)} is {kind}")
    if answer.board.grid.flat[cell] == COVERED:
        certain = (
            "certain" if answer.complete else "found certain, which is no proof that it is not"
        )
        raise UserError(f"the cell at {board.place(cell)} is not {certain}")
    return cell


def _irreducible(refuter: ClueRefuter, core: Core, mine: bool) -> Core:
    """The core without what it is shown not to need. Clues are left out from the farthest to the
    nearest.

    Raises `UserError` if the core does not force its cell.
    """
    if not refuter.forces(core, mine):
        raise UserError("the answer's core does not force it")

    def distance(clue: int) -> int:
        """How many king's moves a clue is away from the cell."""
        (row, column), (to_row, to_column) = (
            divmod(at, refuter.board.columns)
            for at in (clue, clue if core.cell is None else core.cell)
        )
        return max(abs(row - to_row), abs(column - to_column))

    farthest_first = core._replace(clues=tuple(sorted(core.clues, key=distance, reverse=True)))
    small = refuter.irreducible(farthest_first, mine, inf)
    return small._replace(
        clues=tuple(sorted(small.clues)),
        fewest=core.fewest and len(small.clues) == len(core.clues),
    )


_MAX_CLUES = 40
"""Clues of a derivation: the rules try all pairs."""

_MAX_NAMED = 8
"""Cells that a sentence names."""


def derivation_of_sums(sums: Sequence[Sum], goal: tuple[int, bool] | None) -> tuple[Inference, ...]:
    """How the sums force a cell to be a mine or not, or without a goal contradict one another;
    empty if no steps are found.
    """
    if not 0 < len(sums) <= _MAX_CLUES:
        return ()

    def rule(known: Facts) -> Inference | None:
        left = [(each, *each.remaining(known)) for each in sums]
        step = _by_one(left) or _by_two(left) or _by_all(left)
        if step is None:
            return None
        used, concludes = step
        cells = sorted({cell for each in used for cell in each.cells if cell in known})
        return Inference(tuple(used), {cell: known[cell] for cell in cells}, concludes)

    named = [cell for each in sums if each.clue is not None for cell in each.cells]
    return derive(rule, named, goal)


_Left = Sequence[tuple[Sum, frozenset[int], int]]
"""Each sum with its cells that are not known, and how many of them are mines."""

_Conclusion = tuple[list[Sum], dict[int, bool]]
"""The sums that a rule uses, and the facts that follow; none for a contradiction."""


def _by_one(left: _Left) -> _Conclusion | None:
    """A clue whose mines are all known, or that has as many cells left as mines, or that cannot
    hold.
    """
    first: _Conclusion | None = None
    for each, cells, mines in left:
        if not 0 <= mines <= len(cells):
            return [each], {}
        if cells and mines in (0, len(cells)) and first is None:
            first = [each], dict.fromkeys(sorted(cells), mines > 0)
    return first


def _by_two(left: _Left) -> _Conclusion | None:
    """Two clues of which one has so many more mines that they fill all the cells that only this one
    has.
    """
    for (many, cells, mines), (few, others, fewer) in permutations(left, 2):
        own, foreign, more = cells - others, others - cells, mines - fewer
        if cells.isdisjoint(others) or more < len(own):
            continue
        if more > len(own):
            return [many, few], {}
        if own or foreign:
            return [many, few], {
                **dict.fromkeys(sorted(own), True),
                **dict.fromkeys(sorted(foreign), False),
            }
    return None


def _by_all(left: _Left) -> _Conclusion | None:
    """The number of mines, and clues that share no cell: what they leave for all other cells."""
    *clues, (whole, cells, mines) = left
    if whole.clue is not None:
        return None
    for start in range(len(clues)):
        apart, rest, missing = list[Sum](), cells, mines
        for each, own, own_mines in clues[start:] + clues[:start]:
            if own and own <= rest:
                apart.append(each)
                rest, missing = rest - own, missing - own_mines
        if not 0 <= missing <= len(rest):
            return [whole, *apart], {}
        if rest and missing in (0, len(rest)):
            return [whole, *apart], dict.fromkeys(sorted(rest), missing > 0)
    return None


def steps_of(board: Minesweeper, answer: Deduction) -> Sequence[DerivationStep]:
    """Why an inconsistent board has no layout, by the core of the answer; no steps if there are
    none.
    """
    return (
        ()
        if answer.contradiction is None
        else steps_by_core(board, answer.contradiction._replace(cells=()), False)
    )


def steps_by_core(board: Minesweeper, core: Core, mine: bool) -> Sequence[DerivationStep]:
    """How a core forces its cell to be a mine or safe, or contradicts itself; empty if no steps are
    found.
    """
    goal = None if core.cell is None else (core.cell, mine)
    inferences = derivation_of_sums(sums_of(board, core.clues, core.counted), goal)
    words = _Words(board)
    return tuple(derivation_steps(inferences, words.inference, words.fact))


class _Words:
    """Inferences about one board in sentences."""

    def __init__(self, board: Minesweeper) -> None:
        self.board = board

    def fact(self, cell: int, mine: bool) -> str:
        return f"{self.board.place(cell)} is {'a mine' if mine else 'safe'}"

    def inference(self, inference: Inference) -> tuple[str, Iterable[int]]:
        """A sentence or two, and the cells that they are about: clues first."""
        sums: tuple[Sum, ...] = inference.statements
        by_clue = {each.clue: each for each in sums if each.clue is not None}
        if len(sums) == 1:
            text = self._one(sums[0], inference)
        elif len(by_clue) == len(sums) == 2:
            text = self._two(sums[0], sums[1], inference)
        else:
            whole = next(each for each in sums if each.clue is None)
            text = self._all(whole, by_clue, inference)
        cells = {cell for each in by_clue.values() for cell in each.cells} | set(
            inference.concludes
        )
        return text, [*by_clue, *sorted(cells)]

    def _name(self, each: Sum) -> str:
        if each.clue is None:
            return f"The number of mines, {self.board.mines},"
        return f"Clue {NUMBER[self.board.kinds[each.clue]]} at {self.board.place(each.clue)}"

    def _cells(self, cells: Collection[int]) -> str:
        if len(cells) > _MAX_NAMED:
            return f"{len(cells)} cells"
        return list_text([self.board.place(cell) for cell in sorted(cells)])

    def _conclusion(self, inference: Inference) -> str:
        parts: list[str] = []
        for value, one, more in ((True, "is a mine", "are mines"), (False, "is safe", "are safe")):
            cells = [cell for cell, mine in inference.concludes.items() if mine == value]
            if cells:
                parts.append(f"{self._cells(cells)} {one if len(cells) == 1 else more}")
        return ", and ".join(parts)

    def _one(self, each: Sum, inference: Inference) -> str:
        left, _ = each.remaining(inference.known)
        near = range(self.board.cells) if each.clue is None else cells_around(self.board, each.clue)
        mines = [cell for cell, mine in inference.known.items() if mine]
        mines += [cell for cell in near if self.board.kinds[cell] == "X"]
        at = f" at {self._cells(mines)}" if mines else ""
        rest = self._cells(left) if left else "no other cell"
        end = ". That is a contradiction."
        if inference.concludes:
            end = f": so {self._conclusion(inference)}."
        return (
            f"{self._name(each)} has {_mines(len(mines), 'known mine')}{at}, and {rest} "
            f"{'are' if len(left) > 1 else 'is'} left{end}"
        )

    def _two(self, many: Sum, few: Sum, inference: Inference) -> str:
        sentences: list[str] = []
        for each in (few, many):
            cells, mines = each.remaining(inference.known)
            sentences.append(
                f"{self._name(each)} leaves {_mines(mines)} among {self._cells(cells)}"
            )
        one, other = sentences
        end = (
            f"Hence {self._conclusion(inference)}."
            if inference.concludes
            else "Both cannot hold. That is a contradiction."
        )
        return f"{one}; c{other[1:]}. {end}"

    def _all(self, whole: Sum, apart: Mapping[int, Sum], inference: Inference) -> str:
        cells, mines = whole.remaining(inference.known)
        lefts = [each.remaining(inference.known) for each in apart.values()]
        theirs = _mines(sum(own_mines for _, own_mines in lefts))
        if len(apart) > 1:
            first = f"The clues at {self._cells(apart)} leave {theirs} in cells of their own"
        else:
            first = f"The clue at {self._cells(apart)} leaves {theirs}"
        second = f"the number of mines, {self.board.mines}, leaves {mines} in all"
        if not inference.concludes:
            rest = len(cells) - sum(len(own) for own, _ in lefts)
            return (
                f"{first}; {second}, with {count_noun(rest, 'other covered cell')}. That is a "
                "contradiction."
            )
        return f"{first}; {second}. Hence {self._conclusion(inference)}."


def _mines(number: int, noun: str = "mine") -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s" if number else f"no {noun}"
