"""What an `encode` may return, and what is said of anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import models
import puzzles
from models.backend_encoding import encoding_of
from models.cnf import Formula
from models.cpsat import CpSatEncoding
from models.dimacs import Encoding
from puzzles.backend import Backend, Unsupported
from puzzles.beams import Layout
from puzzles.text import UserError

(BOARD,) = puzzles.get("beams").parse("1\n1 2\n-.\n")


def stating(encode: Callable[..., Any] | None) -> Backend:
    return Backend(
        "models",
        "beams",
        "mine",
        lambda board, *, certify=False: Layout(False),
        "mine",
        encode=encode,
    )


@pytest.mark.parametrize(
    "value",
    [
        (2, [[1, -2], (2,)], {1: "a"}),
        (np.int64(2), np.array([[1, -2], [2, 2]]), [(1, "a")]),
        Encoding(Formula(), "means  something", []),
    ],
)
def test_tuples_arrays_and_encodings_are_taken(value: Any) -> None:
    encoding = encoding_of(stating(lambda board: value), BOARD)
    assert isinstance(encoding, Encoding)
    if isinstance(value, tuple) and not isinstance(value, Encoding):
        assert (encoding.formula.variables, encoding.formula.clauses[0], encoding.names) == (
            2,
            [1, -2],
            [(1, "a")],
        )
        assert all(
            type(literal) is int for clause in encoding.formula.clauses for literal in clause
        )
        assert encoding.meaning == "the formula of models:mine"
    else:
        assert encoding.meaning == "means something"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            7,
            "encode returned 7: expected a tuple (number of variables, clauses, {variable: "
            "name}), ",
        ),
        (
            (1, [[2]], {}),
            "encode returned a literal of clause 1 as 2: expected 1 to 1, or -1 to -1",
        ),
        (
            (7, [[1], [2], [-8]], {}),
            "encode returned a literal of clause 3 as -8: expected 1 to 7, or -7 to -1",
        ),
        ((0, [[1]], {}), "encode returned a literal of clause 1 as 1: there are no variables"),
        ((0, [], {1: "a"}), "encode returned a variable with a name as 1: there are no variables"),
        ((1, [[1, 0]], {}), "encode returned clause 1 with a literal 0: variables count from 1"),
        (
            (1, [[1], ["x"]], {}),
            "encode returned a literal of clause 2 as 'x': expected a whole number",
        ),
        ((1, 5, {}), "encode returned clauses that are no lists of literals: 5"),
        (
            (10**9, [], {}),
            "encode returned the number of variables as 1000000000: expected 0 to 67108864",
        ),
        ((1, [], {2: "a"}), "encode returned a variable with a name as 2: expected 1 to 1"),
        ((1, [], 3), "encode returned names as 3: expected {variable: name}"),
        ((2, [], {1: "a", 2: "a"}), "encode gave two variables the name 'a': give each its own"),
        ((1, [], {1: "a\nb"}), "as a name: expected one line of up to 200 characters"),
        ((1, [], {1: 5}), "encode returned 5 as a name: expected one line"),
        (
            Encoding(3, [[1]], {1: "a"}),  # type: ignore[arg-type]
            "encode returned an Encoding with 3 as its formula: expected a Formula of models.cnf, "
            "as in Encoding(Formula.of(number of variables, clauses), meaning, names)",
        ),
        (
            Encoding(Formula, "a text", []),  # type: ignore[arg-type]
            "encode returned an Encoding with a value of type type as its formula: expected a ",
        ),
        (
            Encoding(Formula(), [[1]], []),  # type: ignore[arg-type]
            "encode returned an Encoding with a value of type list as its meaning: expected a text",
        ),
        (
            Encoding(Formula(), "a text", 3),  # type: ignore[arg-type]
            "encode returned names as 3: expected {variable: name}",
        ),
    ],
)
def test_what_else_an_encode_returns_is_a_sentence(value: Any, message: str) -> None:
    with pytest.raises(UserError) as refusal:
        encoding_of(stating(lambda board: value), BOARD)
    assert str(refusal.value).startswith("models:mine: ")
    assert message in str(refusal.value)


def test_questions_about_a_cell_and_backends_without_an_encoding() -> None:
    with pytest.raises(UserError, match="models:mine asks nothing about a single cell"):
        encoding_of(stating(lambda board: (1, [], {})), BOARD, (1, 1))
    asked = encoding_of(stating(lambda board, cell=None: (cell, [], {})), BOARD, (1, 2))
    assert isinstance(asked, Encoding)
    assert asked.formula.variables == 1
    with pytest.raises(UserError, match="the cell 2,1 is not on the 1x2 board"):
        encoding_of(stating(lambda board, cell=None: (cell, [], {})), BOARD, (2, 1))
    with pytest.raises(Unsupported, match="models:mine has no encoding that could be written down"):
        encoding_of(stating(None), BOARD)
    with pytest.raises(
        UserError,
        match=r"encode raised KeyError: 3 \(.*test_backend_encoding.py:\d+\): mend that line",
    ):
        encoding_of(stating(lambda board: {}[3]), BOARD)


@pytest.mark.parametrize("puzzle", puzzles.names())
def test_variables_that_mean_the_same_have_the_same_name(puzzle: str) -> None:
    """Every two models of a puzzle share names, but for a whole game of NoGo beside a single
    move.
    """
    names: dict[str, set[str]] = {}
    encoded = {name: each for name, each in models.backends(puzzle).items() if each.encodes}
    if len(encoded) < 2:
        pytest.skip(f"{puzzle} has no two models that could be compared")
    known = puzzles.get(puzzle)
    board = known.of_text(TEXTS[puzzle]) if puzzle in TEXTS else known.parse(known.example)[0]
    for name, backend in encoded.items():
        encoding = encoding_of(backend, board)
        names[name] = {each for _, each in encoding.names}
        assert isinstance(encoding, CpSatEncoding) == (name == "cpsat")
    names.pop("cnf-onecall", None)
    assert len(names) >= (3 if puzzle in TEXTS else 2)
    assert set.intersection(*names.values())


TEXTS = {
    "beams": "1 2\n-.\n",
    "minesweeper": "3 3\n###\n221\nOOO\n",
    "nogo": "2\n..\n..\n",
    "geography": "2 2\n..\n..\n",
}
