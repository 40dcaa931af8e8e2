"""NoGo: the players take turns to put a stone, no chain is ever without a liberty; both take the
first legal point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random

import numpy as np

from puzzles.answer import Claims
from puzzles.coordinates import cells_of_lines, coordinate_lines, coordinates, flat_cells
from puzzles.grid import GridPuzzle, part_of
from puzzles.nogo.board import BLACK, EMPTY, WHITE, Game, NoGo, without_liberty
from puzzles.puzzle import FromSubmodules
from puzzles.text import Reader

_LAST = re.compile(rb"^-1 -1[ \t\r]*$", re.MULTILINE)
_WORD = re.compile(rb"\S+")

_FEW, _MAX_EACH = 4, 30
"""Ways to take stones off a board that are drawn if there are many; stones up to which each is
taken off in turn.
"""


__all__ = ["PUZZLE", "Game", "NoGo", "parse", "print_answers"]


class NoGoPuzzle(FromSubmodules, GridPuzzle[NoGo, Game]):
    """The puzzle. An input file is one board: `n`, then n rows of n points."""

    name = "nogo"
    title = "NoGo"
    source = "Luogu P4997"
    formats = ("first", "luogu")
    example = "3\nXOO\nXO.\nX..\n"
    many_instances = False
    square = True
    board_type = NoGo
    simplest_first = b".XO"
    largest = 500
    large_boards = (("random", 32), ("chains", 32))
    last_of_answers = "-1 -1"

    def read_instances(self, reader: Reader, count: int) -> list[NoGo]:
        """The one board of an input file; a chain without liberty is refused at its first stone."""
        (size,) = reader.numbers("the size of the board")
        start = reader.position
        grid = reader.grid(size, size, NoGo.alphabet)
        for cell in without_liberty(grid)[:1].tolist():
            for _ in range(cell // size):
                start = reader.data.index(b"\n", start) + 1
            reader.fail("this chain has no liberty", start + cell % size)
        return [NoGo.from_valid_grid(grid)]

    def print_answers(self, answers: Sequence[Game], format: str) -> str:
        """An output file: a line `row column` a move, counted from 1, then `-1 -1`.

        Both formats print alike.
        """
        texts = ((coordinate_lines(game.moves, game.board.shape), "-1 -1\n") for game in answers)
        return "".join(chain.from_iterable(texts))

    def read_answer(self, reader: Reader, board: NoGo, /, case: int, format: str) -> Game:
        """A game, up to `-1 -1`. In format `luogu` any legal and complete game is acceptable.

        Each move only has to be a point of the board; whether the game is legal is for the check to
        say.
        """
        rule = "any" if format == "luogu" else "first"
        last = _LAST.search(reader.data, reader.position)
        if last is not None:
            cells = cells_of_lines(reader.data[reader.position : last.start()], board.shape)
            if cells is not None:
                reader.position = reader.data.index(b"\n", last.end()) + 1
                return Game(board, cells, rule)
        moves: list[int] = []
        while True:
            start = reader.position
            row, column = reader.numbers("a row", "a column", signed=True)
            if (row, column) == (-1, -1):
                return Game(board, np.array(moves, np.int32), rule)
            words = _WORD.finditer(reader.data, start)
            for number, most, what in ((row, board.rows, "row"), (column, board.columns, "column")):
                at = next(words).start()
                if not 1 <= number <= most:
                    reader.fail(f"the {what} must be from 1 to {most}, found {number}", at)
            moves.append((row - 1) * board.columns + column - 1)

    def broken_promise(self, board: NoGo, /, format: str) -> str:
        """As `Puzzle.broken_promise`. Luogu P4997: n <= 500, and it is black's turn, so as many
        black as white stones are on the board.
        """
        if max(board.shape) > self.largest:
            return f"more than {self.largest} rows"
        stones = board.grid.tobytes()
        equal = stones.count(b"X") == stones.count(b"O")
        return "" if equal else "not as many black as white stones"

    def promised_near(self, board: NoGo, /, format: str, rng: Random) -> Iterator[NoGo]:
        """A part of the board without the surplus stones of one colour: if it is one too many,
        without each of them in turn, else a few times without some of them at random.
        """
        grid = part_of(board.grid, self.largest, rng)
        grid.ravel()[without_liberty(grid)] = EMPTY
        black, white = (np.flatnonzero(grid.ravel() == each).tolist() for each in (BLACK, WHITE))
        more, surplus = max(black, white, key=len), abs(len(black) - len(white))
        each = surplus == 1 and len(more) <= _MAX_EACH
        ways = (
            [[cell] for cell in more] if each else (rng.sample(more, surplus) for _ in range(_FEW))
        )
        for cells in ways:
            fewer = grid.copy()
            fewer.ravel()[cells] = EMPTY
            yield NoGo(fewer)

    def answer_from(self, board: NoGo, /, value: object) -> Game:
        """As `Puzzle.answer_from`; also the moves in the order of play, as pairs (row, column) or
        flat indices, counted from 0.
        """
        if isinstance(value, Game | str):
            return super().answer_from(board, value)
        return Game(board, flat_cells(value, board.shape))

    def differing_cells(self, board: NoGo, /, ours: Claims, theirs: Claims) -> list[int]:
        """The first move of either game that is not the other one's."""
        first = next(
            (k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
            min(ours.size, theirs.size),
        )
        return sorted(
            {int(cell) for claims in (ours, theirs) for cell in claims[first : first + 1]}
        )

    def outcome(self, claims: Claims) -> str:
        return (
            "black moves last"
            if claims.size % 2
            else "white moves last"
            if claims.size
            else "no move"
        )

    def fields(self, answer: Game) -> dict[str, object]:
        """`moves`: each move as [row, column], counted from 1 as in the contest's text."""
        return {"moves": coordinates(answer.moves, answer.board.columns)}


PUZZLE = NoGoPuzzle()
parse, print_answers = PUZZLE.parse, PUZZLE.print_answers
