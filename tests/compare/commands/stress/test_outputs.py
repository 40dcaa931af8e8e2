"""Where two outputs differ first: by characters, by words, by numbers."""

from __future__ import annotations

import pytest

from compare.commands.stress.outputs import OutputDifference, output_difference

NUMBERS = [b"%d" % k for k in range(3000)]
OTHERS = [*NUMBERS[:2500], b"2501", *NUMBERS[2501:]]


def says(reference: bytes, output: bytes, exact: bool = False, eps: float | None = None) -> str:
    differs = output_difference(reference, output, exact=exact, tolerance=eps)
    return "" if differs is None else differs.sentence


EXACT, WORDS = True, False


@pytest.mark.parametrize(
    ("reference", "output", "exact", "sentence"),
    [
        (b"1 2\n", b"1 2\n", EXACT, ""),
        (b"1 2\n", b"1 2 \n", EXACT, r'line 1, column 4: "1 2\n" / "1 2 \n"'),
        (b"1 2\n", b"1  2\n", EXACT, r'line 1, column 3: "1 2\n" / "1  2\n"'),
        (b"1 2\n", b"1 2\r\n", EXACT, r'line 1, column 4: "1 2\n" / "1 2\r\n"'),
        (b"1 2\n", b"1\t2\n", EXACT, r'line 1, column 2: "1 2\n" / "1\t2\n"'),
        (b"1 2\n", b"1\0002\n", EXACT, r'line 1, column 2: "1 2\n" / "1\02\n"'),
        (b"1 2\n", b"1\xc2\xa02\n", EXACT, r'line 1, column 2: "1 2\n" / "1\u00a02\n"'),
        (b"1 2\n", b"\xef\xbb\xbf1 2\n", EXACT, r'line 1, column 1: "1 2\n" / "\ufeff1 2\n"'),
        (b"1 2\n", b"1 \xff\n", EXACT, r'line 1, column 3: "1 2\n" / "1 \xff\n"'),
        (b"1 2\n", b'1 "\\\n', EXACT, r'line 1, column 3: "1 2\n" / "1 \"\\\n"'),
        (b"1 2\n", b"1 \xd0\x9e\n", EXACT, r'line 1, column 3: "1 2\n" / "1 \u041e\n"'),
        (b"1 2\n", b"1\n2\n", EXACT, r'line 1, column 2: "1 2\n" / "1\n"'),
        (
            b"1 2\n",
            b"1 2",
            EXACT,
            r'the output ends at line 1; the reference goes on with "\n"',
        ),
        (
            b"1 2\n",
            b"1 2\n\n",
            EXACT,
            r'the reference ends at line 1; the output goes on with "\n"',
        ),
        (
            b"1 2\n",
            b"1 2\n3",
            EXACT,
            'the reference ends at line 1; the output goes on with "3"',
        ),
        (b"1 2\n", b"", EXACT, r'the output is empty; the reference begins with "1 2\n"'),
        (b"1 2\n", b"1\n\n2", WORDS, ""),
        (b"1 2\n", b"\r\n1\t2 \r\n", WORDS, ""),
        (b"\n".join(NUMBERS), b"\n".join(OTHERS), WORDS, "line 2501: 2500 / 2501"),
        (b" ".join(NUMBERS), b" ".join(OTHERS), WORDS, "line 1, column 11391: 2500 / 2501"),
        (b"1 2 3\n", b"1\n2\n4\n", WORDS, "line 1, column 5 / line 3: 3 / 4"),
        (b"1 2\n", b"1\xc2\xa02\n", WORDS, r'line 1: "1" / "1\u00a02"'),
        (b"1\n", b"\xef\xbb\xbf1\n", WORDS, r'line 1: "1" / "\ufeff1"'),
        (b"1\n", b"1\0\n", WORDS, r'line 1: "1" / "1\0"'),
        (b"O\n", b"\xd0\x9e\n", WORDS, r'line 1: "O" / "\u041e"'),
        (
            b"1\n2\n3\n7\n",
            b"1\n2\n3\n",
            WORDS,
            "the output ends at line 3; the reference goes on with 7",
        ),
        (
            b"1\n2\n",
            b"1\n2\n\n\n 7 8",
            WORDS,
            "the reference ends at line 2; the output goes on with 7",
        ),
        (b"7\n", b"", WORDS, "the output is empty; the reference begins with 7"),
        (b"7\n", b" \n", WORDS, "the output is empty; the reference begins with 7"),
        (b"", b"7\n", WORDS, "the reference is empty; the output begins with 7"),
    ],
)
def test_the_first_difference_is_said(
    reference: bytes, output: bytes, exact: bool, sentence: str
) -> None:
    """Byte by byte nothing is invisible; word by word blanks do not count."""
    assert says(reference, output, exact=exact) == sentence


def test_of_a_long_word_the_part_that_differs_is_shown() -> None:
    word = b"0" * 500
    assert says(word + b"1" + word, word + b"2" + word) == (
        f"line 1, column 501: ...{'0' * 30}1{'0' * 29}... / ...{'0' * 30}2{'0' * 29}..."
    )


@pytest.mark.parametrize(
    ("reference", "output", "sentence"),
    [
        (b"0.5 7\n", b"0.5004 7.000\n", ""),
        (b"2000\n", b"2001\n", ""),
        (b"0.5 1\n", b"0.5004 1.1\n", "1 / 1.1, 0.1 apart, where 0.0011 is allowed"),
        (b"1 1000\n", b"1 1100\n", "line 1, column 3: 1000 / 1100, 100 apart, where 1.1 is"),
        (b"1 nan\n", b"1 2\n", "line 1, column 3: nan / 2"),
        (b"1 YES\n", b"1 NO\n", "line 1, column 3: YES / NO"),
        (b"1 2\n", b"1.0003\n", "the output ends at line 1; the reference goes on with 2"),
    ],
)
def test_numbers_may_be_near(reference: bytes, output: bytes, sentence: str) -> None:
    assert sentence in says(reference, output, eps=1e-3)
    assert bool(sentence) == bool(says(reference, output, eps=1e-3))


@pytest.mark.parametrize(
    ("reference", "output", "eps", "distance"),
    [
        (b"10", b"1_0", 1e-5, ""),
        (b"1000", b"1_000", 1e-5, ""),
        (b"10", "\uff11\uff10".encode(), 1e-5, ""),
        (b"inf", b"1e400", 1e-5, ""),
        (b"inf", b"Infinity", 1e-5, ""),
        (b"nan", b"NaN", 1e-5, ""),
        (b"1", b"1e", 1e-5, ""),
        (b"1e400", b"1e500", 1e-6, ""),
        (b"1e999999999", b"1", 1e-6, ""),
        (b"-1e999999999", b"1e-999999999", 1.0, ""),
        (b"9007199254740993", b"9007199254740992", 1e-17, "1 apart, where 0.0901 is"),
        (b"123456789012345678901", b"123456789012345679999", 1e-18, "1.1e+03 apart, where 123 is"),
        (b"0", b"0.00000100000000000000000001", 1e-6, "1e-06 apart, where 1e-06 is"),
    ],
)
def test_what_is_no_number_or_too_far_off_is_another_word(
    reference: bytes, output: bytes, eps: float, distance: str
) -> None:
    """Doubles, or Python's own reading of numbers, would take most of these pairs for equal."""
    for one, other in ((reference, output), (output, reference)):
        sentence = says(one, other, eps=eps)
        assert sentence.startswith("line 1: ")
        assert (", " + distance in sentence) if distance else ("apart" not in sentence)


@pytest.mark.parametrize(
    ("reference", "output", "eps"),
    [
        (b"9007199254740993", b"9007199254740992", 1e-15),
        (b"0", b"0.000001", 1e-6),
        (b"1e999999999", b"10e999999998", 1e-6),
        (b"1e999999999", b"1e-999999999", 1.0),
        (b"0", b"1e-999999999", 1e-17),
        (b"1." + 5000 * b"3", b"1." + 6000 * b"3", 1e-300),
        (b"+1", b"1.", 1e-9),
        (b".5E+0", b"0.5", 1e-9),
        (b"-0", b"0", 1e-9),
    ],
)
def test_numbers_that_are_just_near_enough(reference: bytes, output: bytes, eps: float) -> None:
    assert not says(reference, output, eps=eps)
    assert not says(output, reference, eps=eps)


def test_the_place_is_known_in_both_outputs() -> None:
    differs = output_difference(b"1 2 3\n", b"1\n2\n4\n", exact=False, tolerance=None)
    assert differs == OutputDifference(((0, 4), (2, 0)), "line 1, column 5 / line 3: 3 / 4")
    differs = output_difference(b"1\n2\n", b"1\n", exact=True, tolerance=None)
    assert differs is not None
    assert differs.places == ((1, 0), (1, 0))
