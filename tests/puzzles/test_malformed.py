"""Structured malformed texts for every reader: each is read, or is an `InputError` with its line
and column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import pytest

import direct
import puzzles
from compare.commands.run.run_plan import parse_selection
from compare.engine.campaign.header import Header
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.outcome import Status
from direct.two_sat import read_dimacs
from models.proofs.drat import read_steps as read_proof
from models.solvers.solver_output import Unreadable, read_reply
from puzzles import beams, minesweeper
from puzzles.dimacs_reader import DimacsReader
from puzzles.minesweeper.requests import cell_of
from puzzles.text import InputError, Reader, UserError, whole_number
from tests.compare.engine.work.test_result import RECORDS
from tests.records import record

PLACE = re.compile(r"name:[1-9][0-9]*:[1-9][0-9]*: \S.*", re.DOTALL)
LONG = b"9" * 5000
ZEROS = b"0" * 5000

NUMBERS = (
    b"0",
    b"-1",
    b"-0",
    b"+1",
    b"00",
    b"1.0",
    b"1e3",
    b"1_0",
    b"0x1",
    b"999999999",
    b"1000000000",
    b"2147483648",
)
MORE_NUMBERS = (
    *(str(2**k).encode() for k in (32, 62, 63, 64, 65)),
    *(b"-" + str(2**k).encode() for k in (31, 62, 63, 64)),
    LONG,
    b"-" + LONG,
    ZEROS,
    ZEROS + b"1",
    b"-" + ZEROS + b"1",
)
DIGITS = tuple(
    "١²௧①１𝟙".encode()[start:stop]
    for start, stop in ((0, 2), (2, 4), (4, 7), (7, 10), (10, 13), (13, 17))
)
"""Digits of Unicode, each by itself; Python's `isdigit` or `int` takes some of them."""

WORDS = (
    b"nan",
    b"inf",
    b"None",
    b"d",
    b"c",
    b"p cnf",
    b"Case",
    b"#",
    b":",
    b"POSSIBLE",
    "POßIBLE".encode(),
    b"WIN",
    b"-1 -1",
    b"INCONSISTENT",
)
CHARACTERS = (
    b"\0",
    b"\x1b[31m",
    b"\x85",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\x0b",
    b"\x0c",
    b"\r",
    b"\t",
    b" ",
    b"\n",
)
ODDITIES = (*NUMBERS, *MORE_NUMBERS, *DIGITS, *WORDS, *CHARACTERS)


class TextReader(NamedTuple):
    """A reader and texts that it takes; what it does not take is a `refusal` with such a
    message.
    """

    name: str
    read: Callable[[bytes, str], object]
    good: Sequence[bytes]
    refusal: type[UserError] = InputError
    message: re.Pattern[str] = PLACE


def text_readers() -> list[TextReader]:
    """Every reader of texts that people or programs write."""
    readers: list[TextReader] = []
    for puzzle in map(puzzles.get, puzzles.names()):
        boards = [
            puzzle.parse(puzzle.example),
            *([each.board(max(each.least, 5), 1)] for each in puzzle.families.values()),
        ]
        texts = [puzzle.print_instances(some).encode() for some in boards]
        if puzzle is minesweeper.PUZZLE:
            texts += [
                text.partition(b"\n")[2] for text in texts[1:]
            ]  # without the number of cases: one board
        readers.append(TextReader(puzzle.name, puzzle.parse, texts))
        answers = [direct.solve(board) for board in boards[0]]
        for format in puzzle.formats:

            def read(
                text: bytes, name: str, puzzle=puzzle, some=boards[0], format=format
            ) -> object:
                return puzzle.parse_answers(text, some, format=format, name=name)

            readers.append(
                TextReader(
                    f"{puzzle.name} {format}",
                    read,
                    [puzzle.print_answers(answers, format).encode()],
                )
            )
    formula = b"c a comment\np cnf 4 3\n1 -2 0\n3 4 0 -4\n-1 0\n"
    return [
        *readers,
        TextReader("formula", lambda text, name: DimacsReader(text, name).formula(1000), [formula]),
        TextReader(
            "proof",
            read_proof,
            [b"1 -2 0\nd 1 -2 0\n3 0\n0\n"],
            UserError,
            re.compile(rf"{PLACE.pattern}|name is \S.*", re.DOTALL),
        ),
        TextReader("two_sat", read_dimacs, [formula]),
        TextReader(
            "model",
            read_model,
            [b"s SATISFIABLE\nv 1 2\nv 3 -4 0\n", b"SAT\n1 2\n-3 0\n"],
        ),
        TextReader(
            "records",
            read_records,
            record_files(),
            UserError,
            re.compile(r"name:[1-9][0-9]*: \S.*", re.DOTALL),
        ),
        TextReader(
            "selection",
            lambda text, name: parse_selection(text.decode("utf-8", "surrogateescape")),
            [b"(sample or loops) and not models:c", b"not not a"],
            UserError,
            re.compile(r"-k takes names joined .*", re.DOTALL),
        ),
    ]


def read_model(text: bytes, name: str) -> object:
    """What a solver program says."""
    try:
        reply = read_reply(text.decode("utf-8", "replace"))
        if reply.unreadable is not None:
            raise reply.unreadable
    except Unreadable as error:
        raise InputError(name, error.line, 1, str(error)) from None
    return reply


def read_records(text: bytes, name: str) -> object:
    with NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        return list(RecordFile(file.name, name))


def record_files() -> list[bytes]:
    """Files of records: a kept one of each puzzle that has one, cut short, and a new one."""
    kept = [
        b"".join(path.read_bytes().splitlines(keepends=True)[:4])
        for path in sorted(RECORDS.glob("*.jsonl"))
    ]
    lines = [
        Header.of(["run"], Settings()).line(),
        record(1).line(),
        record(2, status=Status.CRASH, reason="killed").line(),
    ]
    return [*kept, "".join(f"{line}\n" for line in lines).encode()]


READERS = text_readers()


def malformed(text: bytes, rng: Random) -> bytes:
    """The text after one to three changes to its words, its lines or its bytes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        change = rng.randrange(7)
        if change == 0:  # another word
            words = list(re.finditer(rb"\S+", text)) or [re.match(b"", text)]
            word = rng.choice(words)
            assert word is not None
            text = text[: word.start()] + rng.choice(ODDITIES) + text[word.end() :]
        elif change == 1:  # zeros or digits around a number
            numbers = list(re.finditer(rb"[0-9]+", text)) or [re.match(b"", text)]
            number = rng.choice(numbers)
            assert number is not None
            at = rng.choice((number.start(), number.end()))
            text = text[:at] + rng.choice((b"0", ZEROS, LONG, b"-", *DIGITS)) + text[at:]
        elif change == 2:  # a line left out, twice, or in another place
            lines = text.splitlines(keepends=True) or [b""]
            line = lines.pop(rng.randrange(len(lines)))
            for _ in range(rng.randrange(3)):
                lines.insert(rng.randint(0, len(lines)), line)
            text = b"".join(lines)
        elif change == 3:  # cut off
            text = text[: rng.randint(0, len(text))]
        elif change == 4:  # more behind
            text += rng.choice(ODDITIES) + rng.choice((b"", b"\n"))
        else:  # something between two characters, or in the place of one
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(ODDITIES) + text[at + rng.randrange(2) :]
    return text


@pytest.mark.parametrize(
    "count", [300, pytest.param(100_000 // len(READERS) + 1, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])
def test_malformed_texts_are_refused_with_their_place(reader: TextReader, count: int) -> None:
    """The reader must read some of the texts and refuse many."""
    for text in reader.good:
        reader.read(text, "name")
    rng = Random(f"{reader.name} 1")
    refused = 0
    for _ in range(count):
        text = malformed(rng.choice(reader.good), rng)
        try:
            reader.read(text, "name")
        except reader.refusal as error:
            assert reader.message.fullmatch(str(error)), (text[:200], str(error)[:200])
            assert len(str(error)) < 300, text[:200]
            refused += 1
        except Exception as error:
            raise AssertionError(
                f"{reader.name} raises {error!r:.200} for {text[:200]!r}"
            ) from error
    assert count // 3 < refused < count


def test_zeros_in_front_of_a_number_count_for_nothing() -> None:
    zeros = "0" * 5000
    assert Reader(f"{zeros}7 -{zeros}1 {zeros}\n").numbers("a", "b", "c", signed=True) == (7, -1, 0)
    assert DimacsReader(f"p cnf 2 1\n{zeros}1 -{zeros}2 {zeros}\n").formula(2)[1].lists() == [
        [1, -2]
    ]
    boards = beams.parse("1\n1 1\n#\n")
    (answer,) = beams.PUZZLE.parse_answers(
        f"Case #{zeros}1: POSSIBLE\n#\n", boards, format="codejam"
    )
    assert answer.possible


@pytest.mark.parametrize(
    "cell", ["", "1", "1,", ",1", "1,x", "1,1,1", "1,-1", "١,١", "1,²", f"1,{'9' * 5000}", "1,1_0"]
)
def test_a_cell_that_is_none_is_refused(cell: str) -> None:
    with pytest.raises(UserError, match="expected ROW,COL, found"):
        cell_of(minesweeper.parse("1 2\n#1\n")[0], cell)


def test_a_whole_number_has_ascii_digits_only() -> None:
    assert [whole_number(text) for text in ("0", "007", " 12 ", "0" * 5000 + "999999999")] == [
        0,
        7,
        12,
        999_999_999,
    ]
    assert {
        whole_number(text)
        for text in ("", " ", "-1", "+1", "1_0", "1.0", "١", "²", "1000000000", "9" * 5000)
    } == {None}
