"""The values of arguments that several commands share."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest

from compare.commands.arguments import at_least_one, at_least_zero, positive


@pytest.mark.parametrize("text", ["", "x", "1_0", "١", "²", "1.0", "+1", "9" * 5000, "nan"])
def test_a_whole_number_has_ascii_digits_only(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="must be a whole number, not "):
        at_least_zero(text)


def test_whole_numbers() -> None:
    assert [
        at_least_zero(text) for text in ("0", "007", "123456789012345678", "0" * 5000 + "1")
    ] == [0, 7, 123456789012345678, 1]
    with pytest.raises(ArgumentTypeError, match="must be at least 1, not 0"):
        at_least_one("0")


@pytest.mark.parametrize(
    "text", ["inf", "nan", "1e300", "1" + "0" * 5000, "0", "-1", "-inf", "1_0", "١", ""]
)
def test_a_limit_is_a_finite_number(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="must be "):
        positive(text)
