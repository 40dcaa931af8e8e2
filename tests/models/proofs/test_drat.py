"""The reader of DRAT text, against what drat-trim's own reader does with the same text; and formats
that it names.
"""

from __future__ import annotations

import pickle

import pytest

from models.proofs.drat import OtherFormat, read_steps
from puzzles.text import InputError

READ: dict[str, tuple[str | bytes, list[str]]] = {
    "a clause a line": ("1 -2 0\n2 0\n0\n", ["1 -2 0", "2 0", "0"]),
    "several clauses in a line": ("1 -2 0 2 0 0\n", ["1 -2 0", "2 0", "0"]),
    "two clauses in each line": ("2 0 1 0\n0\n", ["2 0", "1 0", "0"]),
    "a unit and the empty clause in a line": ("1 0 0\n", ["1 0", "0"]),
    "a clause over lines": ("1\n-2\n0 2\n 0\n0", ["1 -2 0", "2 0", "0"]),
    "tabs": ("1\t-2\t0\n\t2 \t0\n0\n", ["1 -2 0", "2 0", "0"]),
    "blanks before each line": ("   1 -2 0\n     0\n", ["1 -2 0", "0"]),
    "blank lines": ("\n\n1 -2 0\n\n  \n0\n\n", ["1 -2 0", "0"]),
    "lines that end in CR LF": ("1 -2 0\r\nd 1 -2 0\r\n0\r\n", ["1 -2 0", "d 1 -2 0", "0"]),
    "lines that end in CR": ("1 -2 0\rd 1 -2 0\r0\r", ["1 -2 0", "d 1 -2 0", "0"]),
    "form feeds": ("1 -2 0\f2 0\v0", ["1 -2 0", "2 0", "0"]),
    "no line end": ("1 -2 0\n0", ["1 -2 0", "0"]),
    "no empty clause": ("1 -2 0\n", ["1 -2 0"]),
    "nothing": ("", []),
    "a comment before everything": ("c my solver\n2 0\n0\n", ["2 0", "0"]),
    "an empty comment": ("2 0\nc\n0\n", ["2 0", "0"]),
    "only comments": ("c one\nc two", []),
    "a comment in another alphabet": ("c prouvé: 証明\n2 0\n0\n".encode(), ["2 0", "0"]),
    "a comment that is no text": (b"c \xff\xfe\n2 0\n0\n", ["2 0", "0"]),
    "a comment with literals": ("c 1 2 0\n2 0\n", ["2 0"]),
    "a comment after blanks": ("  \tc hello\n2 0\n", ["2 0"]),
    "a comment within a clause": ("1\nc half of it\n-2 0\n", ["1 -2 0"]),
    "a comment behind a clause": ("1 -2 0 c learnt\n0 c end", ["1 -2 0", "0"]),
    "a comment without a blank": ("comment\n2 0\n", ["2 0"]),
    "deletions": ("d 1 2 0\n2 0\nd -1 2 0\n0", ["d 1 2 0", "2 0", "d -1 2 0", "0"]),
    "a deletion behind a clause": ("2 0 d 1 2 0 0\n", ["2 0", "d 1 2 0", "0"]),
    "a d and its clause in two lines": ("d\n1 2\n0\n0\n", ["d 1 2 0", "0"]),
    "a d without a blank": ("d1 2 0\nd-1 2 0\n", ["d 1 2 0", "d -1 2 0"]),
    "a unit and the empty clause deleted": ("d 2 0\nd 0\n", ["d 2 0", "d 0"]),
    "a literal twice, and its opposite": ("1 1 -1 2 0\n", ["1 1 -1 2 0"]),
    "the largest variable": ("2147483647 -2147483647 0\n", ["2147483647 -2147483647 0"]),
    "clauses behind the empty one": ("0\n1 0\nd 1 0\n", ["0", "1 0", "d 1 0"]),
    "a header, as in old RUP files": ("p cnf 2 3\n1 0\n0\n", ["1 0", "0"]),
    "picosat's header": ("%RUPD32 2 4\n1 0\n0\n", ["1 0", "0"]),
    "two units in a line": ("2 0 1 0\n", ["2 0", "1 0"]),
    "two clauses in a line, unlike LRAT": ("5 1 0 1 2 0\n", ["5 1 0", "1 2 0"]),
    "what ends unlike LRAT": ("5 1 0 1 3 0\n0\n", ["5 1 0", "1 3 0", "0"]),
}


@pytest.mark.parametrize("name", READ)
def test_a_text_is_read_as_drat_trim_reads_it(name: str) -> None:
    text, steps = READ[name]
    assert [str(step) for step in read_steps(text, "x", clauses=4)] == steps


REFUSED: dict[str | bytes, str] = {
    "1 x 0\n": "1:3: expected a literal, 0 or d; found 'x'",
    "1 0\n\n2 1.5 0\n": "3:3: expected a literal, 0 or d; found '1.5'",
    "1,2 0\n": "1:1: expected a literal, 0 or d; found '1,2'",
    "+1 0\n": "1:1: expected a literal, 0 or d; found '+1'",
    "--1 0\n": "1:1: expected a literal, 0 or d; found '--1'",
    "1 - 2 0\n": "1:3: expected a literal, 0 or d; found '-'",
    "010 0\n": "1:1: expected a literal, 0 or d; found '010'",  # 8 for drat-trim
    "0x1 0\n": "1:1: expected a literal, 0 or d; found '0x1'",
    "1 -0\n": "1:3: expected a literal, 0 or d; found '-0'",
    "1 2147483648 0\n": "1:3: expected a literal, 0 or d; found '2147483648'",
    "1 d 2 0\n": "1:3: expected a literal, 0 or d; found 'd'",
    "d d 2 0\n": "1:3: expected a literal, 0 or d; found 'd'",
    "D 1 2 0\n": "1:1: expected a literal, 0 or d; found 'D'",
    "delete 1 2 0\n": "1:1: expected a literal, 0 or d; found 'delete'",
    "c hi\nUNSAT\n": "2:1: expected a literal, 0 or d; found 'UNSAT'",
    "\ufeff1 0\n": "1:1: expected a literal, 0 or d; found '\\ufeff1'",
    "1 0c\n": "1:3: expected a literal, 0 or d; found '0c'",
    "2 0\n1 2\n": "2:4: the text ends within a clause; expected 0",
    "2 0\nd": "2:2: the text ends within a clause; expected 0",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_drat_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(InputError) as refused:
        read_steps(text, "x", clauses=4)
    assert str(refused.value) == f"x:{REFUSED[text]}"


NAMED: dict[str | bytes, str] = {
    "5 1 0 1 3 0\n6 2 0 5 2 0\n7 0 5 6 4 0\n": "LRAT",
    "5 0 1 2 0\n": "LRAT",
    "3 1 0 1 2 0\n4 0 3 1 0\n": "LRAT",
    "5 1 0 1 3 0\n5 d 1 3 0\n6 0 5 2 4 0\n6 d 2 4 0\n": "LRAT",
    "c lrat\n  5 -1 2 0 -1 3 -4 2 0\r\n9 0 5 0\r\n\n": "LRAT",
    "o 1 1 2 0\no 2 -1 2 0\na 5 2 0 l 1 2 0\nf 1 1 2 0\n": "FRAT",
    "a 5 2 0\nd 1 1 2 0\n": "FRAT",
    "pseudo-Boolean proof version 2.0\nf 4\nrup 1 x2 >= 1 ;\n": "VeriPB",
    "p idrup\ni 1 2 0\n": "IDRUP",
    "p lidrup\n": "IDRUP",
}


@pytest.mark.parametrize("text", NAMED)
def test_another_format_is_named_with_the_option_that_gives_drat(text: str) -> None:
    with pytest.raises(OtherFormat) as other:
        read_steps(text, "the proof", clauses=4)
    assert str(other.value) == (
        f"the proof is {NAMED[text]}, not DRAT: let the solver write DRAT as text "
        f"(cadical: without --{NAMED[text].lower()}; with --no-binary)"
    )
    assert pickle.loads(pickle.dumps(other.value)).what == other.value.what


@pytest.mark.parametrize("text", [b"a\x02\x00", b"a\x0c\x02\x00\x02\x06\x00", b"o\x02\x02\x04\x00"])
def test_a_binary_proof_is_called_binary(text: bytes) -> None:
    with pytest.raises(OtherFormat, match="x is binary: let the solver write DRAT as text"):
        read_steps(text, "x")
