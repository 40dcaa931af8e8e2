"""Options of backends: what a name says, which values are taken, and who gets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

import models
import puzzles.backend
from models.backend_encoding import encoding_of
from puzzles.backend import Backend, Unsupported, backend, split_options
from puzzles.beams.board import Beams, Layout
from puzzles.grid import grid_of
from puzzles.text import UserError

BOARD = Beams(grid_of(["-."]))


def declared(options: Any, **rest: Any) -> Backend:
    """A backend with these options, whose answers are kept in `calls`."""
    with puzzles.backend.collect_backends() as backends:

        @backend("beams", "mine", side="models", source="a test", options=options, **rest)
        def solve(
            board: Beams,
            *,
            certify: bool = False,
            card: str = "one",
            depth: int = 3,
            ratio: float = 0.5,
            fast: bool = False,
        ) -> Layout:
            calls.append({"card": card, "depth": depth, "ratio": ratio, "fast": fast})
            return Layout(False)

    return backends[0]


calls: list[dict[str, object]] = []


@pytest.fixture(autouse=True)
def no_calls() -> Iterator[None]:
    yield
    calls.clear()


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("cnf", "cnf", {}),
        ("models:cnf", "models:cnf", {}),
        ("totals:card=one", "totals", {"card": "one"}),
        ("models:totals:card=one,depth=2", "models:totals", {"card": "one", "depth": "2"}),
        ("cnf:solver=./mine.py:Mine", "cnf", {"solver": "./mine.py:Mine"}),
        ("cnf:solver=kissat {cnf} --a=1", "cnf", {"solver": "kissat {cnf} --a=1"}),
    ],
)
def test_a_name_is_split(text: str, name: str, options: Mapping[str, str]) -> None:
    assert split_options(text) == (name, options)


@pytest.mark.parametrize(
    "text", ["totals:card=", "totals:=one", "card=one", "=one", "totals:card=one,", "t:card=one,x"]
)
def test_what_is_no_name_with_options_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(UserError, match=r"as BACKEND:NAME=VALUE"):
        split_options(text)


def test_an_option_stands_there_once() -> None:
    with pytest.raises(UserError, match="the option card stands there twice"):
        split_options("totals:card=one,card=two")


def test_values_have_the_types_of_their_choices_and_the_name_has_the_order_of_the_options() -> None:
    mine = declared({"card": ("one", "two"), "depth": (1, 3), "ratio": (0.5, 2.5), "fast": ()})
    chosen = mine.with_options({"fast": "True", "ratio": "2.5", "depth": "1"})
    assert chosen.label == "models:mine:depth=1,ratio=2.5,fast=true"
    assert chosen.plain_name == "mine"
    chosen.solve(BOARD)
    chosen.solve(BOARD, depth=3)
    assert calls == [
        {"card": "one", "depth": 1, "ratio": 2.5, "fast": True},
        {"card": "one", "depth": 3, "ratio": 2.5, "fast": True},
    ]
    assert chosen.defaults == {"card": "one", "depth": 1, "ratio": 2.5, "fast": True}
    assert mine.defaults == {"card": "one", "depth": 3, "ratio": 0.5, "fast": False}


def test_of_options_without_choices_the_default_says_the_type() -> None:
    mine = declared(("card", "depth", "ratio", "fast"))
    assert mine.options == {"card": (), "depth": (), "ratio": (), "fast": (False, True)}
    chosen = mine.with_options({"card": "any thing", "depth": "7", "ratio": "1e3"})
    assert chosen.chosen == {"card": "any thing", "depth": 7, "ratio": 1000.0}
    with pytest.raises(UserError, match="the option depth is a number, not 'deep'"):
        mine.with_options({"depth": "deep"})


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"card": "three"}, "models:mine: the option card may be one, two, not 'three'"),
        ({"fast": "maybe"}, "models:mine: the option fast may be false, true, not 'maybe'"),
        ({"crd": "one"}, "models:mine has no option 'crd': it takes card, depth, fast"),
        ({"depth": "100"}, "the option depth may be 1, 2, 3, ..., 20, not '100'"),
    ],
)
def test_other_values_are_refused_with_the_choices(texts: dict[str, str], message: str) -> None:
    mine = declared({"card": ("one", "two"), "depth": range(1, 21), "fast": ()})
    with pytest.raises(UserError) as refused:
        mine.with_options(texts)
    assert message in str(refused.value)


def test_a_caller_in_python_is_told_the_choices_too() -> None:
    mine = declared({"card": ("one", "two")})
    with pytest.raises(UserError, match="the option card may be one, two, not 'three'"):
        mine.solve(BOARD, card="three")
    with pytest.raises(UserError, match="the option workers may be 1, 2, 3, ..., 64, not 65"):
        models.solve(BOARD, "cpsat", workers=65)
    assert calls == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"card": ("one", "two words")}, "'two words': expected a number, True or False, or a wo"),
        ({"card": ("one", "a=b")}, "'a=b': expected"),
        ({"card": ("one", "")}, "'': expected"),
        ({"card": ("one", None)}, "None: expected"),
        ({"card": ("one", "1", 1)}, "the option card has two choices that are written alike"),
        ({"card": ("two", "three")}, "card needs a default that is one of its choices: two, three"),
    ],
)
def test_choices_that_cannot_be_told_apart_or_written_are_refused(
    options: Mapping[str, Sequence[Any]], message: str
) -> None:
    with pytest.raises(UserError) as refused:
        declared(options)
    assert message in str(refused.value)


def test_encode_and_refuses_get_the_values() -> None:
    def encode(board: Beams, *, card: str) -> tuple[int, list[list[int]], dict[int, str]]:
        return (1 if card == "one" else 2), [[1]], {1: card}

    def refuses(board: Beams, *, certify: bool, card: str = "one") -> str:
        return "two is not for this board" if card == "two" else ""

    mine = declared({"card": ("one", "two", "three")}, encode=encode, refuses=refuses)
    assert encoding_of(mine, BOARD).names == [(1, "one")]
    assert encoding_of(mine.with_options({"card": "three"}), BOARD).names == [(1, "three")]
    two = mine.with_options({"card": "two"})
    assert two.refusal(BOARD) == "two is not for this board"
    assert two.may_refuse(BOARD)
    assert not mine.may_refuse(BOARD)
    with pytest.raises(Unsupported, match="two is not for this board"):
        encoding_of(two, BOARD)


def test_a_side_solves_with_a_name_that_says_options() -> None:
    board = Beams(grid_of(["-.", "..", "-."]))
    answer = models.solve(board, backend="cnf:solver=glucose4", certify=True)
    assert answer.claims is not None
    assert answer.claims.tolist() == models.solve(board, backend="cnf").claims.tolist()
    with pytest.raises(UserError, match="unknown solver 'nosuch'"):
        models.solve(board, backend="cnf:solver=nosuch")
