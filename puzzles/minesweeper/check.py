"""The independent check of minesweeper: neighbours counted, cores refuted, layouts held against every clue.

Nothing here is shared with `direct` or `models` but the statement of the puzzle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from puzzles.cardinality import LimitReached, Sum, satisfy
from puzzles.minesweeper.board import Cause, Certificate, Chances, Core, Deduction, Minesweeper
from puzzles.text import counted
from puzzles.verdict import Check, Verdict

_MOST_RECOUNTED = 8
"""Covered cells up to which every layout is gone through to check the probabilities."""


def neighbours(board: Minesweeper, cell: int) -> Iterator[int]:
    """The flat indices of the cells around a cell."""
    row, column = divmod(cell, board.columns)
    for r in range(max(row - 1, 0), min(row + 2, board.rows)):
        for c in range(max(column - 1, 0), min(column + 2, board.columns)):
            if (r, c) != (row, column):
                yield r * board.columns + c


def number(kind: str) -> int | None:
    """How many mines a cell's neighbours hold, or None for a cell that is no clue."""
    return 0 if kind == "." else int(kind) if kind.isdigit() else None


def check(board: Minesweeper, answer: Deduction) -> Check:
    """Judge an answer: each certain cell, and a contradiction, by a core; the undecided ones by layouts."""
    given, shown = _flat(board), _flat(answer.board)
    wrong = _misprint(board, answer, given, shown)
    if wrong:
        return Check(Verdict.REFUTED, wrong)
    wrong = _miscount(board, answer, given, shown)
    if wrong:
        return Check(Verdict.REFUTED, wrong)
    proof = answer.certificate if isinstance(answer.certificate, Certificate) else Certificate()
    if not _well_made(proof):
        return Check(Verdict.UNPROVED, "the certificate is not made of cores and layouts")
    layouts: list[bytes] = []
    for index, layout in enumerate(proof.layouts):
        fault = _fault(board, given, layout)
        if fault:
            return Check(Verdict.UNPROVED, f"layout {index + 1} of the certificate {fault}")
        layouts.append(layout)
    if not answer.consistent:
        if layouts:
            return Check(Verdict.REFUTED, "a layout of the mines agrees with every clue")
        return _check_causes(board, answer, {}) or _check_contradiction(board, given, proof)
    claimed = {cell: shown[cell] == "X" for cell in range(board.cells) if given[cell] == "#" and shown[cell] != "#"}
    for layout in layouts:
        for cell, mine in claimed.items():
            if bool(layout[cell]) != mine:
                return Check(Verdict.REFUTED, f"a layout agrees with every clue but not with the cell at {board.place(cell)}")
    doubted = _check_causes(board, answer, claimed)
    if doubted is not None:
        return doubted
    unproved = _check_cores(board, given, proof, claimed)
    if unproved is None and answer.complete:
        unproved = _check_layouts(board, given, shown, layouts)
    if unproved is not None:
        return unproved
    return Check(
        Verdict.PROVED, f"{counted(len(claimed), 'cell')} by {counted(len(proof.cores), 'core')}, {counted(len(layouts), 'layout')}"
    )


def _well_made(proof: Certificate) -> bool:
    """Whether the parts of a certificate are what they should be, as far down as the check does not look itself."""
    if not isinstance(proof.cores, tuple) or not isinstance(proof.layouts, tuple):
        return False
    return all(isinstance(core, Core) and isinstance(core.clues, tuple) and isinstance(core.cells, tuple) for core in proof.cores)


def _flat(board: Minesweeper) -> str:
    return board.grid.tobytes().decode("ascii")


def _misprint(board: Minesweeper, answer: Deduction, given: str, shown: str) -> str:
    """What is wrong with the answer's board on the face of it, or an empty text."""
    if answer.board.grid.shape != board.grid.shape:
        return f"the board printed is {answer.board.rows}x{answer.board.columns}, not {board.rows}x{board.columns}"
    for cell in range(board.cells):
        if shown[cell] != given[cell] and (given[cell] != "#" or shown[cell] not in "XO"):
            return f"the cell at {board.place(cell)} is not the one that was given"
    if answer.consistent and answer.complete:
        for cell in range(board.cells):
            clue = number(given[cell])
            if clue is not None:
                around = [shown[near] for near in neighbours(board, cell)]
                if not around.count("X") <= clue <= around.count("X") + around.count("#"):
                    return f"the clue at {board.place(cell)} does not hold"
    return ""


def _miscount(board: Minesweeper, answer: Deduction, given: str, shown: str) -> str:
    """What is wrong with the probabilities, or an empty text; they are recounted only where few cells are covered.

    Anywhere they must be 0 and 1 just where the board says safe and mine, and add up to the expected number of mines.
    """
    chances = answer.chances
    if chances is None:
        return ""
    if not answer.consistent:
        return "an inconsistent board has no layouts to count"
    for cell in range(board.cells):
        chance = chances.of(cell)
        if (chance is None) != (given[cell] not in "#XO"):
            return f"a probability at {board.place(cell)} where no cell is covered, or none where one is"
        if (
            chance is not None
            and (answer.complete or shown[cell] != "#")
            and shown[cell] != ("O" if chance == 0 else "X" if chance == 1 else "#")
        ):
            return f"the probability at {board.place(cell)} is {float(chance):.6g}, but the cell is shown as {shown[cell]}"
    if chances.expected != chances.mean:
        return "the probabilities do not add up to the expected number of mines"
    if board.mines is not None and chances.mines != (board.mines, board.mines):
        return f"the layouts counted have {chances.mines[0]} to {chances.mines[1]} mines, not {board.mines}"
    return _misjudged(board, chances, given)


def _misjudged(board: Minesweeper, chances: Chances, given: str) -> str:
    """What is wrong with the probabilities of a board with few covered cells, every layout gone through; or an empty text."""
    covered = [cell for cell in range(board.cells) if given[cell] == "#"]
    if len(covered) > _MOST_RECOUNTED:
        return ""
    layouts, with_mine = 0, dict.fromkeys(covered, 0)
    for chosen in range(2 ** len(covered)):
        layout = bytearray(kind == "X" for kind in given)
        for k, cell in enumerate(covered):
            layout[cell] = chosen >> k & 1
        if not _fault(board, given, bytes(layout)):
            layouts += 1
            for cell in covered:
                with_mine[cell] += layout[cell]
    if layouts != chances.layouts:
        return f"there are {layouts} layouts, not {chances.layouts}"
    for cell in covered:
        if chances.of(cell) != Fraction(with_mine[cell], layouts):
            return f"{with_mine[cell]} of {layouts} layouts have a mine at {board.place(cell)}, not {chances.of(cell)}"
    return ""


def _fault(board: Minesweeper, given: str, layout: object) -> str:
    """What is wrong with a layout, or an empty text."""
    if not isinstance(layout, bytes) or len(layout) != board.cells or layout.strip(b"\0\1"):
        return f"is not {board.cells} bytes of 0 or 1"
    if board.mines is not None and sum(layout) != board.mines:
        return f"has {sum(layout)} mines, not {board.mines}"
    for cell in range(board.cells):
        kind = given[cell]
        if kind != "#" and bool(layout[cell]) != (kind == "X"):
            return f"has {'a' if layout[cell] else 'no'} mine at {board.place(cell)}"
        clue = number(kind)
        if clue is not None and sum(layout[near] for near in neighbours(board, cell)) != clue:
            return f"breaks the clue at {board.place(cell)}"
    return ""


def _sums(board: Minesweeper, given: str, core: Core) -> list[Sum] | str:
    """The demands of a core's clues; the variable of a covered cell is its flat index + 1, true for a mine."""
    sums: list[Sum] = []
    for cell in core.clues:
        clue = number(given[cell]) if isinstance(cell, int) and 0 <= cell < board.cells else None
        if clue is None:
            return f"a core names {cell!r}, which is no clue"
        around = list(neighbours(board, cell))
        clue -= sum(given[near] == "X" for near in around)
        sums.append(Sum(tuple(near + 1 for near in around if given[near] == "#"), clue, clue))
    return sums


class Refuter:
    """Whether the demands of a core, with the number of mines of the whole board, leave a claim any way to be false.

    Cells that no demand connects are only tied by the number of mines: each connected part can have certain numbers of mines,
    found one by one by the refuter, and what remains is whether such numbers add up.
    """

    def __init__(self, board: Minesweeper) -> None:
        self.board = board
        self.given = given = _flat(board)
        self.asked = (board.mines or 0) - given.count("X")
        self.covered = [cell for cell in range(board.cells) if given[cell] == "#"]
        self.known: dict[tuple[Sum, ...], int] = {}

    def possible(self, sums: list[Sum], negated: Sum | None) -> bool:
        """Whether the demands, the negated claim and the number of mines hold together; raises `LimitReached`."""
        reach = 1
        used: set[int] = set()
        for part in _connected(sums if negated is None else [*sums, negated]):
            reach = _sums_of(reach, self._numbers(tuple(part)))
            used.update(literal for each in part for literal in each.literals)
        free = len(self.covered) - len(used)
        return any(reach >> (self.asked - more) & 1 for more in range(min(free, self.asked) + 1))

    def forces(self, clues: Sequence[int], counted: bool, cell: int | None, mine: bool) -> bool:
        """Whether clues (with the number of mines if `counted`) force a cell, or, without one, contradict one another.

        Raises:
            LimitReached: the refuter gave up.
        """
        sums = _sums(self.board, self.given, Core(tuple(clues)))
        if isinstance(sums, str):
            raise ValueError(sums)
        negated = [] if cell is None else [Sum((cell + 1,), 0, 0) if mine else Sum((cell + 1,), 1, 1)]
        if counted and self.board.mines is not None:
            return not self.possible(sums, negated[0] if negated else None)
        return satisfy([*sums, *negated]) is None

    def _numbers(self, part: tuple[Sum, ...]) -> int:
        """The numbers of mines that the cells of a part can have, as bits."""
        if part not in self.known:
            cells = tuple({literal for each in part for literal in each.literals})
            self.known[part] = sum(
                1 << mines for mines in range(len(cells) + 1) if satisfy([*part, Sum(cells, mines, mines)]) is not None
            )
        return self.known[part]


def _sums_of(some: int, others: int) -> int:
    """Every sum of a number of one set and a number of another, all as bits."""
    reach = 0
    for number in range(others.bit_length()):
        if others >> number & 1:
            reach |= some << number
    return reach


def _connected(sums: list[Sum]) -> list[list[Sum]]:
    """The demands in parts that have no cell in common."""
    parts: list[tuple[set[int], list[Sum]]] = []
    for each in sums:
        cells, together = set(each.literals), [each]
        apart: list[tuple[set[int], list[Sum]]] = []
        for known, members in parts:
            if cells & known:
                cells, together = cells | known, members + together
            else:
                apart.append((known, members))
        parts = [*apart, (cells, together)]
    return [members for _, members in parts]


def _check_contradiction(board: Minesweeper, given: str, proof: Certificate) -> Check:
    refuter = Refuter(board)
    for core in proof.cores:
        if core.cells:
            continue
        sums = _sums(board, given, core)
        if isinstance(sums, str):
            return Check(Verdict.UNPROVED, sums)
        try:
            if refuter.forces(core.clues, core.counted, None, False):
                known = " and the number of mines" if core.counted else ""
                what = "contradict one another" if core.counted or len(core.clues) > 1 else "contradicts itself"
                return Check(Verdict.PROVED, f"{counted(len(core.clues), 'clue')}{known} {what}")
        except LimitReached as limit:
            return Check(Verdict.UNPROVED, str(limit))
        return Check(Verdict.UNPROVED, "the core can be satisfied, so it does not force INCONSISTENT")
    return Check(Verdict.UNPROVED, "INCONSISTENT without a core")


def _check_causes(board: Minesweeper, answer: Deduction, claimed: dict[int, bool]) -> Check | None:
    """None if each cause does what it says, and without any of its clues, or the number of mines, does not.

    That no fewer other clues do so is left to the two sides, whose causes must be of one size.
    """
    refuter = Refuter(board)
    for cause in answer.causes:
        if not isinstance(cause, Cause):
            return Check(Verdict.UNPROVED, "the causes are not made as they should be")
        what = "there is no layout" if cause.cell is None else f"the cell at {board.place(cause.cell)}"
        if (cause.cell is not None) != answer.consistent or (cause.cell is not None and cause.cell not in claimed):
            return Check(Verdict.REFUTED, f"a cause of what is not claimed: {what}")
        mine = cause.cell is not None and claimed[cause.cell]
        try:
            if not refuter.forces(cause.clues, cause.counted, cause.cell, mine):
                return Check(Verdict.REFUTED, f"{what}: its cause does not force it")
            fewer = [(tuple(other for other in cause.clues if other != clue), cause.counted) for clue in cause.clues]
            for clues, counted in [*fewer, (cause.clues, False)] if cause.counted else fewer:
                if cause.fewest and refuter.forces(clues, counted, cause.cell, mine):
                    return Check(Verdict.REFUTED, f"{what}: a part of its cause forces it already")
        except LimitReached as limit:
            return Check(Verdict.UNPROVED, f"the cause, {what}: {limit}")
        except ValueError as fault:
            return Check(Verdict.REFUTED, f"the cause, {what}: {fault}")
    return None


def _check_cores(board: Minesweeper, given: str, proof: Certificate, claimed: dict[int, bool]) -> Check | None:
    """None if every claimed cell is forced by a core."""
    waiting = dict(claimed)
    refuter = Refuter(board)
    for core in proof.cores:
        sums = _sums(board, given, core)
        if isinstance(sums, str):
            return Check(Verdict.UNPROVED, sums)
        for cell in core.cells:
            if cell not in waiting:
                continue
            try:
                if not refuter.forces(core.clues, core.counted, cell, waiting[cell]):
                    return Check(Verdict.UNPROVED, f"its core does not force the cell at {board.place(cell)}")
            except LimitReached as limit:
                return Check(Verdict.UNPROVED, f"the cell at {board.place(cell)}: {limit}")
            del waiting[cell]
    if waiting:
        return Check(Verdict.UNPROVED, f"no core for the cell at {board.place(min(waiting))} ({len(waiting)} such cells)")
    return None


def _check_layouts(board: Minesweeper, given: str, shown: str, layouts: list[bytes]) -> Check | None:
    """None if some layout exists and the layouts give each undecided cell both values."""
    undecided = [cell for cell in range(board.cells) if shown[cell] == "#"]
    if not layouts and (undecided or _fault(board, given, bytes(kind == "X" for kind in shown))):
        return Check(Verdict.UNPROVED, "no layout of the mines is given")
    for cell in undecided:
        if len({layout[cell] for layout in layouts}) < 2:
            return Check(Verdict.UNPROVED, f"no two layouts differ at {board.place(cell)}, which is claimed undecided")
    return None
