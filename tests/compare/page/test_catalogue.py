"""What the page says of each backend of ours."""

from __future__ import annotations

import re

import pytest

import puzzles
from compare.work.contenders import backends
from puzzles.backend import Backend
from puzzles.text import first_paragraph

OURS = [backend for name in puzzles.names() for backend in backends(name)]


@pytest.mark.parametrize("backend", OURS, ids=lambda each: f"{each.puzzle} {each.label}")
def test_each_backend_says_in_three_sentences_what_it_does(backend: Backend) -> None:
    said = first_paragraph(backend.function)
    assert re.fullmatch(
        r"[A-Z]([^.]|[.](?=[^ ]))+[.] [A-Z]([^.]|[.](?=[^ ]))+[.] [A-Z]([^.]|[.](?=[^ ]))+[.]", said
    )
    assert len(said) < 400
    assert len(backend.source) > 10


def test_no_two_backends_of_a_puzzle_say_the_same() -> None:
    said = [(each.puzzle, first_paragraph(each.function)) for each in OURS]
    assert len(said) > 15
    assert len(set(said)) == len(said)
