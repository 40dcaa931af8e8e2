"""The fields of an answer have the types that its class declares, or a sentence says which has
not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from puzzles.case_solution import CaseSolution
from puzzles.declared_types import Malformed, refuse_wrong_fields


def incomplete() -> CaseSolution:
    """An answer that was built without its constructor."""
    return object.__new__(CaseSolution)


@pytest.mark.parametrize(
    "answer",
    [
        CaseSolution(True, (1, 2), 3, certificate={1, 2}),
        CaseSolution(True, (np.int64(1), np.int32(2)), np.int64(3)),  # type: ignore[arg-type]
        CaseSolution(False),
    ],
)
def test_right_types_pass_and_numbers_of_numpy_are_numbers(answer: CaseSolution) -> None:
    refuse_wrong_fields(answer)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            CaseSolution(True, (1,), 3, (3, 0)),  # type: ignore[arg-type]
            "bound: expected int or None, got a value of type tuple",
        ),
        (
            CaseSolution(True, [1, 2], 3),  # type: ignore[arg-type]
            "witness: expected tuple[int, ...] or None, got a value of type list",
        ),
        (
            CaseSolution(True, None, np.float64(0.5)),  # type: ignore[arg-type]
            "value: expected int or None, got 0.5 of type float",
        ),
        (
            CaseSolution(True, (1, 0.5)),  # type: ignore[arg-type]
            "witness[1]: expected int, got 0.5 of type float",
        ),
        (
            CaseSolution(True, (False, True)),
            "witness[0]: expected int, got False of type bool",
        ),
        (incomplete(), "CaseSolution has no possible"),
    ],
)
def test_a_wrong_type_is_said_with_its_field(answer: Any, sentence: str) -> None:
    with pytest.raises(Malformed) as error:
        refuse_wrong_fields(answer)
    assert str(error.value) == sentence
