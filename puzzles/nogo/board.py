"""NoGo: the board, the game played on it, and their texts.

Luogu P4997. Black (`X`) and white (`O`) take turns, black first, to put a stone on an empty point (`.`). No stone is ever
captured: a move is legal where afterwards every chain (stones of one colour connected along the lines) still has a liberty,
that is an empty point beside it. Nobody may pass, and whoever has no legal move ends the game. Both players take
the first legal point in row-major order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from puzzles.answer import Answer, Claims
from puzzles.grid import Board
from puzzles.text import Grid, Reader, UserError

FORMATS = ("first", "luogu")
BLACK, WHITE, EMPTY = b"XO."

Rule = Literal["first", "any"]


class NoLiberty(ValueError):
    """A start position with a chain that has no liberty; `cell` is the flat index of its first stone."""

    def __init__(self, cell: int, columns: int) -> None:
        super().__init__(f"the chain at {cell // columns + 1},{cell % columns + 1} has no liberty")
        self.cell, self.columns = cell, columns

    def __reduce__(self) -> tuple[type[NoLiberty], tuple[int, int]]:
        return NoLiberty, (self.cell, self.columns)


@dataclass(frozen=True, eq=False)
class NoGo(Board):
    """A start position, black to move; the contest's text holds square ones only.

    Raises:
        NoLiberty: a chain has no liberty.
    """

    puzzle: ClassVar[str] = "nogo"
    alphabet: ClassVar[bytes] = b"XO."

    def __post_init__(self) -> None:
        super().__post_init__()
        dead = without_liberty(self.grid)
        if dead.size:
            raise NoLiberty(int(dead[0]), self.columns)

    def text(self) -> str:
        """The canonical text; raises `ValueError` for a board that is not square."""
        if self.rows != self.columns:
            raise ValueError(f"the contest's text holds square boards only, not {self.rows}x{self.columns}")
        return f"{self.rows}\n{self}\n"

    def _repr_svg_(self) -> str:
        from puzzles.nogo.picture import picture

        return picture(self)


@dataclass(frozen=True, eq=False)
class Game(Answer):
    """A whole game, its own certificate: whoever replays it needs nothing else.

    Attributes:
        board: the position that it starts from.
        moves: read-only int32 array of flat cell indices, black's first move first.
        rule: `first` claims that every move is the first legal point; `any` only that the game is legal and complete.
    """

    board: NoGo
    moves: NDArray[np.int32]
    rule: Rule = "first"

    def __post_init__(self) -> None:
        moves = np.ascontiguousarray(self.moves, np.int32)
        if moves.ndim != 1:
            raise ValueError(f"moves are one flat list of cells, not of the shape {moves.shape}")
        if moves.flags.writeable:
            moves = moves.copy()
            moves.flags.writeable = False
        object.__setattr__(self, "moves", moves)

    @property
    def claims(self) -> Claims | None:
        return self.moves.astype(np.int64) if self.rule == "first" else None

    def _repr_svg_(self) -> str:
        from puzzles.nogo.picture import picture

        return picture(self.board, self)


def without_liberty(grid: Grid) -> NDArray[np.int64]:
    """The stones whose chain has no liberty, as flat cell indices in ascending order; linear in the grid.

    Whole-array passes let the stones that breathe lend their breath to their neighbours, while that settles a good share
    of the rest; what is left is filled stone by stone.
    """
    stride = grid.shape[1] + 1  # one column of edge serves both sides
    edged = np.zeros((grid.shape[0] + 2, stride), np.uint8)
    edged[1:-1, :-1] = grid
    open_points = edged == EMPTY
    breathless = edged > EMPTY
    breathless[1:] &= ~open_points[:-1]
    breathless[:-1] &= ~open_points[1:]
    breathless[:, 1:] &= ~open_points[:, :-1]
    breathless[:, :-1] &= ~open_points[:, 1:]
    colour, gasping = edged.ravel(), breathless.ravel()
    rest = np.flatnonzero(gasping)
    settled = rest.size
    while settled and 8 * settled >= rest.size:
        saved = np.zeros(rest.size, np.bool_)
        for step in (-stride, -1, 1, stride):
            saved |= (colour[rest + step] == colour[rest]) & ~gasping[rest + step]
        gasping[rest[saved]] = False
        rest = rest[~saved]
        settled = int(saved.sum())
    if settled:
        rest = _filled(colour, gasping, rest, stride)
    return (rest // stride - 1) * (stride - 1) + rest % stride


def _filled(colour: Grid, gasping: NDArray[np.bool_], rest: NDArray[np.int64], stride: int) -> NDArray[np.int64]:
    """What stays without breath of the stones `rest`, found by a flood from those that breathe beside them."""
    kinds, waiting, steps = colour.tobytes(), bytearray(gasping), (-stride, -1, 1, stride)
    reached = [cell for cell in rest.tolist() if any(kinds[cell + s] == kinds[cell] and not waiting[cell + s] for s in steps)]
    for cell in reached:
        waiting[cell] = False
    while reached:
        cell = reached.pop()
        for step in steps:
            near = cell + step
            if waiting[near] and kinds[near] == kinds[cell]:
                waiting[near] = False
                reached.append(near)
    return np.flatnonzero(np.frombuffer(waiting, np.bool_))


def parse(text: str | bytes, name: str = "<text>") -> list[NoGo]:
    """The one board of an input file: `n`, then n rows of n points.

    Raises:
        InputError: the text breaks the format, or a chain has no liberty (at its first stone).
    """
    reader = Reader(text, name)
    (size,) = reader.numbers("the size of the board")
    start = reader.position
    grid = reader.grid(size, size, NoGo.alphabet)
    reader.end("the board")
    try:
        return [NoGo(grid)]
    except NoLiberty as dead:
        for _ in range(dead.cell // size):
            start = reader.data.index(b"\n", start) + 1
        reader.fail("this chain has no liberty", start + dead.cell % size)


def print_instances(boards: Sequence[NoGo]) -> str:
    """An input file with this one board.

    Raises:
        UserError: not exactly one board.
        ValueError: it is not square.
    """
    if len(boards) != 1:
        raise UserError(f"a nogo text holds one board, not {len(boards)}")
    return boards[0].text()


def print_answers(answers: Sequence[Game], format: str) -> str:
    """An output file with these games: `row column` a move, counted from 1, then `-1 -1`; both formats print alike."""
    return "".join(part for game in answers for part in (*_lines(game), "-1 -1\n"))


_BLOCK = 1 << 13


def _lines(game: Game) -> Iterator[str]:
    """A game's moves as text, by whole arrays, in blocks that stay in the processor's cache.

    Numbers are looked up as words of digits; the NULs that pad them are taken out of the finished block.
    """
    longest = max(game.board.rows, game.board.columns)
    word = np.dtype(np.uint32 if longest < 10**4 else np.uint64)
    digits = np.frombuffer("".join(str(n).ljust(word.itemsize, "\0") for n in range(1, longest + 1)).encode(), word)
    line = np.dtype([("row", word), ("blank", np.uint8), ("column", word), ("end", np.uint8)])
    for start in range(0, game.moves.size, _BLOCK):
        row, column = _divided(game, start, start + _BLOCK)
        lines = np.empty(row.size, line)
        lines["row"], lines["blank"], lines["column"], lines["end"] = digits[row], ord(" "), digits[column], ord("\n")
        yield lines.tobytes().translate(None, b"\0").decode()


def _divided(game: Game, start: int = 0, stop: int | None = None) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The rows and the columns of a slice of a game's moves, counted from 0."""
    moves = game.moves[start:stop].view(np.uint32)
    row = moves // np.uint32(game.board.columns)
    return row, moves - row * np.uint32(game.board.columns)


def parse_answers(text: str | bytes, boards: Sequence[NoGo], format: str, name: str = "<text>") -> list[Game]:
    """The games in an output file to these boards. Under `luogu` a game claims no moves: any legal, complete one will do.

    Whether a game is legal is for the check to say; here each move only has to be a point of the board.

    Raises:
        InputError: the text breaks the format, leaves the board, lacks its `-1 -1`, or goes on after it.
    """
    reader = Reader(text, name)
    rule: Rule = "any" if format == "luogu" else "first"
    games = [Game(board, _moves(reader, board), rule) for board in boards]
    reader.end("-1 -1")
    return games


_LAST = re.compile(rb"^-1 -1[ \t\r]*$", re.MULTILINE)
_WORD = re.compile(rb"\S+")


def _moves(reader: Reader, board: NoGo) -> NDArray[np.int32]:
    """The moves up to `-1 -1`: at one stroke where every line is plainly two numbers, else line by line."""
    last = _LAST.search(reader.data, reader.position)
    if last is not None:
        body = reader.data[reader.position : last.start()]
        count = body.count(b"\n")
        if body.translate(None, b"0123456789") == b" \n" * count:
            numbers = np.fromstring(body, np.int64, sep=" ") if count else np.empty(0, np.int64)
            pairs = numbers.reshape(count, 2) if numbers.size == 2 * count else np.zeros((1, 2), np.int64)
            if pairs.size == 0 or (pairs.min() > 0 and (pairs.max(axis=0) <= board.grid.shape).all()):
                reader.position = reader.data.index(b"\n", last.end()) + 1
                return (pairs[:, 0] * board.columns + pairs[:, 1] - board.columns - 1).astype(np.int32)
    moves: list[int] = []
    while True:
        start = reader.position
        row, column = reader.numbers("a row", "a column", signed=True)
        if (row, column) == (-1, -1):
            return np.array(moves, np.int32)
        words = _WORD.finditer(reader.data, start)
        for number, most, what in ((row, board.rows, "row"), (column, board.columns, "column")):
            at = next(words).start()
            if not 1 <= number <= most:
                reader.fail(f"the {what} must be from 1 to {most}, found {number}", at)
        moves.append((row - 1) * board.columns + column - 1)


def fields(answer: Game) -> dict[str, object]:
    """The answer's fields for JSON: each move as [row, column], counted from 1 as in the contest's text."""
    return {"moves": (np.column_stack(_divided(answer)) + 1).tolist()}
