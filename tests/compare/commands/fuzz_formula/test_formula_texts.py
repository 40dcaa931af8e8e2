"""What DIMACS and ICNF files may look like: each text is read as CaDiCaL reads it, or refused with
its place.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
from pathlib import Path

import pytest

from compare.commands.fuzz_formula.formula_puzzle import PUZZLE, Trace, clause, solver_call
from puzzles.text import InputError
from tests.models.solvers.brute_force import satisfiable
from tests.processes import compare

TWO = [[1, -2], [2]]
"""The clauses of most of the texts."""

READ: dict[str, tuple[bytes, list[list[int]]]] = {
    "as it is printed": (b"p cnf 2 2\n1 -2 0\n2 0\n", TWO),
    "no line end at the end": (b"p cnf 2 2\n1 -2 0\n2 0", TWO),
    "lines that end in CR LF": (b"c a\r\np cnf 2 2\r\n1 -2 0\r\n2 0\r\n", TWO),
    "empty lines": (b"p cnf 2 2\n\n1 -2 0\n\n\n2 0\n\n", TWO),
    "an empty line first": (b"\np cnf 2 2\n1 -2 0\n2 0\n", TWO),
    "comments before the header": (b"c\nc two words\np cnf 2 2\n1 -2 0\n2 0\n", TWO),
    "a comment without a blank": (b"cadical wrote this\np cnf 2 2\n1 -2 0\n2 0\n", TWO),
    "a comment behind blanks": (b"p cnf 2 2\n1 -2 0\n \t c a\n2 0\n", TWO),
    "a comment between clauses": (b"p cnf 2 2\n1 -2 0\nc 3 0\n2 0\n", TWO),
    "a comment within a clause": (b"p cnf 2 2\n1\nc a\n-2 0\n2 0\n", TWO),
    "a comment at the end": (b"p cnf 2 2\n1 -2 0\n2 0\nc a\n", TWO),
    "a comment without a line end": (b"p cnf 2 2\n1 -2 0\n2 0\nc", TWO),
    "a comment that is a header": (b"c p cnf 9 9\np cnf 2 2\n1 -2 0\n2 0\n", TWO),
    "a comment of other letters": ("c ü ∨\np cnf 2 2\n1 -2 0\n2 0\n".encode(), TWO),
    "a comment that is no UTF-8": (b"c \xff\np cnf 2 2\n1 -2 0\n2 0\n", TWO),
    "a clause over lines": (b"p cnf 2 2\n1\n-2\n0\n2 0\n", TWO),
    "clauses on one line": (b"p cnf 2 2\n1 -2 0 2 0\n", TWO),
    "a line that ends within a clause": (b"p cnf 2 2\n1 -2 0 2\n0\n", TWO),
    "tabs": (b"p cnf 2 2\n1\t-2\t0\n\t2 0\n", TWO),
    "blanks before and behind": (b"p cnf 2 2\n  1 -2 0  \n 2 0 \n", TWO),
    "blanks in the header": (b"p  cnf  2  2 \n1 -2 0\n2 0\n", TWO),
    "zeros in front": (b"p cnf 2 2\n01 -002 0\n2 0\n", TWO),
    "a zero with zeros in front": (b"p cnf 2 2\n1 -2 000\n2 0\n", TWO),
    "an empty clause": (b"p cnf 2 2\n1 -2 0\n0\n", [[1, -2], []]),
    "a literal twice": (b"p cnf 2 1\n1 1 2 0\n", [[1, 1, 2]]),
    "a tautology": (b"p cnf 2 1\n1 -1 0\n", [[1, -1]]),
    "unused variables": (b"p cnf 9 1\n2 0\n", [[2]]),
    "no clauses": (b"p cnf 3 0\n", []),
    "nothing": (b"p cnf 0 0\n", []),
    "SATLIB's end": (b"p cnf 2 2\n1 -2 0\n2 0\n%\n0\n\n", TWO),
    "SATLIB's end without the 0": (b"p cnf 2 2\n 1 -2 0\n 2 0\n%\n", TWO),
}
"""Texts that are read, with their clauses."""

REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing at all": (b"", "1:1: the text is empty; expected p cnf VARIABLES CLAUSES"),
    "comments alone": (b"c a\n", "2:1: the text ends here; expected p cnf VARIABLES CLAUSES"),
    "no header": (
        b"1 2 0\n",
        "1:1: expected p cnf VARIABLES CLAUSES, p inccnf or p icnf; found '1 2 0'",
    ),
    "weights": (
        b"h 1 2 0\n3 -1 0\n",
        "1:1: expected p cnf VARIABLES CLAUSES, p inccnf or p icnf; found 'h 1 2 0'; a formula "
        "with weights is an input of `maxsat`",
    ),
    "another header": (b"p dnf 2 1\n1 0\n", "1:1: expected p cnf VARIABLES CLAUSES, p inccnf"),
    "a header of one number": (
        b"p cnf 2\n1 0\n",
        "1:8: expected p cnf VARIABLES CLAUSES; the line ends before CLAUSES",
    ),
    "a header of three numbers": (
        b"p cnf 2 1 7\n1 0\n",
        "1:11: expected p cnf VARIABLES CLAUSES; found '7' behind CLAUSES",
    ),
    "a header with a sign": (
        b"p cnf -1 1\n1 0\n",
        "1:7: expected p cnf VARIABLES CLAUSES; found '-1' in the place of VARIABLES",
    ),
    "a header with a letter": (
        b"p cnf 2 x\n1 0\n",
        "1:9: expected p cnf VARIABLES CLAUSES; found 'x' in the place of CLAUSES",
    ),
    "a header of too many variables": (
        b"p cnf 99999999999999999999 1\n1 0\n",
        "1:7: more than 67108864 variables",
    ),
    "a header of far too many variables": (
        b"p cnf " + b"9" * 5000 + b" 1\n1 0\n",
        "1:7: more than 67108864 variables",
    ),
    "a header of too many clauses": (
        b"p cnf 1 99999999999999999999\n1 0\n",
        "1:1: the header announces 99999999999999999999 clauses, the text has 1",
    ),
    "a header of far too many clauses": (
        b"p cnf 1 " + b"9" * 5000 + b"\n1 0\n",
        "1:9: CLAUSES has more than 20 digits",
    ),
    "a header of ICNF with numbers": (
        b"p inccnf 2 1\n1 0\na 0\n",
        "1:1: expected p cnf VARIABLES CLAUSES, p inccnf or p icnf; found 'p inccnf 2 1'",
    ),
    "a zero with a sign": (b"p cnf 2 1\n1 2 -0\n", "2:5: expected a literal or 0; found '-0'"),
    "zeros with a sign": (b"p cnf 2 1\n1 2 -000\n", "2:5: expected a literal or 0; found '-000'"),
    "a zero with a sign in ICNF": (
        b"p inccnf\n1 -0\na 0\n",
        "2:3: expected a literal or 0; found '-0'",
    ),
    "a byte order mark": (
        b"\xef\xbb\xbfp cnf 1 1\n1 0\n",
        "1:1: the text begins with a byte order",
    ),
    "UTF-16": (
        "p cnf 1 1\n1 0\n".encode("utf-16"),
        "1:1: the text begins with the byte order mark",
    ),
    "lines that end in CR": (
        b"p cnf 1 1\r1 0\r",
        "1:10: a CR without LF: lines end in LF or CR LF",
    ),
    "a CR within a line": (b"p cnf 1 1\n1 \r0\n", "2:3: a CR without LF: lines end in LF or CR LF"),
    "a form feed": (b"p cnf 2 1\n1\f2 0\n", "2:2: a form feed: lines end in LF or CR LF"),
    "a vertical tab": (b"p cnf 2 1\n1\v2 0\n", "2:2: a vertical tab: lines end in LF or CR LF"),
    "a plus": (b"p cnf 2 1\n+1 2 0\n", "2:1: expected a literal or 0; found '+1'"),
    "two minuses": (b"p cnf 2 1\n1 --2 0\n", "2:3: expected a literal or 0; found '--2'"),
    "a letter": (b"p cnf 2 1\n1 x 0\n", "2:3: expected a literal or 0; found 'x'"),
    "a letter behind a zero": (b"p cnf 2 1\n1 0x\n", "2:3: expected a literal or 0; found '0x'"),
    "a decimal point": (b"p cnf 2 1\n1.0 0\n", "2:1: expected a literal or 0; found '1.0'"),
    "a comma": (b"p cnf 2 1\n1,2 0\n", "2:1: expected a literal or 0; found '1,2'"),
    "a null character": (b"p cnf 2 1\n1 \0 0\n", "2:3: expected a literal or 0; found '\\x00'"),
    "digits of another script": (
        "p cnf 2 1\n١ 0\n".encode(),
        "2:1: expected a literal or 0; found '١'",
    ),
    "a variable too many": (
        b"p cnf 2 1\n1 3 0\n",
        "2:3: literal 3 is out of range for 2 variables",
    ),
    "no 0 at the end": (b"p cnf 2 1\n1 2\n", "2:4: the text ends within a clause; expected 0"),
    "a clause too many": (
        b"p cnf 2 1\n1 0\n2 0\n",
        "1:1: the header announces 1 clauses, the text",
    ),
    "a clause too few": (b"p cnf 2 3\n1 0\n2 0\n", "1:1: the header announces 3 clauses, the text"),
    "something behind SATLIB's end": (
        b"p cnf 2 1\n1 0\n%\n0\n2 0\n",
        "5:1: % ends the file; expected nothing but a 0 after it",
    ),
}
"""Texts that are refused, with the place and the message."""

CADICAL_READS = (
    "a CR within a line",
    "a zero with a sign",
    "zeros with a sign",
    "a zero with a sign in ICNF",
)
"""What CaDiCaL reads among the texts that are refused here."""

CADICAL_REFUSES = ("SATLIB's end", "SATLIB's end without the 0")
"""What CaDiCaL refuses among the texts that are read here."""


def trace_of(text: bytes) -> Trace:
    (trace,) = PUZZLE.parse(text, "x")
    return trace


def cadical(text: bytes, folder: Path) -> int:
    """The exit status of CaDiCaL: 10, 20, or 1 if it refuses the file."""
    (folder / "x.cnf").write_bytes(text)
    return subprocess.run(
        ["cadical", "-q", folder / "x.cnf"], capture_output=True, check=False
    ).returncode


needs_cadical = pytest.mark.skipif(shutil.which("cadical") is None, reason="cadical is missing")


@pytest.mark.parametrize("name", READ)
def test_a_formula_is_read(name: str) -> None:
    text, clauses = READ[name]
    trace = trace_of(text)
    assert [list(step.literals) for step in trace.steps[:-1]] == clauses
    assert trace.is_formula
    assert (trace.written or trace.plain_text().encode()) == text
    assert trace_of(trace.text().encode()).steps == trace.steps
    if text.decode(errors="replace").encode() == text:
        assert trace_of(PUZZLE.print_instances([trace]).encode()) == trace


@pytest.mark.parametrize("name", REFUSED)
def test_a_formula_is_refused_with_the_place(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(InputError) as refused:
        trace_of(text)
    assert str(refused.value).startswith(f"x:{message}")


@needs_cadical
def test_cadical_reads_and_refuses_the_same(tmp_path: Path) -> None:
    for name, (text, clauses) in READ.items():
        variables = trace_of(text).variables
        expected = 10 if satisfiable(variables, clauses) else 20
        assert cadical(text, tmp_path) == (1 if name in CADICAL_REFUSES else expected), name
    for name, (text, _) in REFUSED.items():
        assert cadical(text, tmp_path) == (10 if name in CADICAL_READS else 1), name


ICNF = Trace(2, (clause(1, 2), solver_call(-1), clause(-2), solver_call()))


@pytest.mark.parametrize(
    "text",
    [
        "p inccnf\n1 2 0\na -1 0\n-2 0\na 0\n",
        "cadical wrote this\n c a\np inccnf\n1 2 0 a -1 0\nc\n-2\n00 a 0\n",
        "p icnf\ni 1 2 0\nq -1 0\ni -2 0\nq 0\n",
        "c a\np icnf\ni 1 2 0\nq -1 0\ns SATISFIABLE\nm -1 2 0\ni -2 0\nq 0\nu 0\n",
    ],
)
def test_both_kinds_of_icnf_are_read(text: str) -> None:
    assert trace_of(text.encode()) == ICNF


def test_compressed_files_are_read_in_a_folder_and_by_name(tmp_path: Path) -> None:
    text = b"p cnf 2 2\n1 -2 0\n2 0\n"
    packed = {"a.cnf.gz": gzip.compress(text), "b.cnf.xz": lzma.compress(text)}
    packed |= {"c.cnf.bz2": bz2.compress(text + b"c\n"), "d.cnf": text, "notes.txt": b"some"}
    packed |= {"cut.cnf.xz": packed["b.cnf.xz"][:-4]}
    for name, data in packed.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "d.ans").write_text("s SATISFIABLE\nv 1 2 0\n")
    ended = compare("run formula . --solver minisat22", cwd=tmp_path, status=2)
    first, second = ended.stderr.splitlines()
    assert first == "no input files, passed over: notes.txt"
    assert second.startswith("cut.cnf.xz cannot be decompressed (.xz): ")
    assert "4 cases of 1 puzzle" in ended.last_line
    (tmp_path / "e.cnf").write_bytes(b"\x28\xb5\x2f\xfd and more")
    ended = compare("run formula e.cnf --solver minisat22", cwd=tmp_path, status=2)
    assert ended.stderr.startswith("e.cnf is compressed by zstd: decompress it first, or use one")


def test_a_program_gets_the_file_as_it_is_named(tmp_path: Path) -> None:
    text = b"c a\np cnf 2 2\n1\nc \xff\n-2 0 2 0"
    (tmp_path / "a.cnf.xz").write_bytes(lzma.compress(text))
    script = f'cp "$1" {tmp_path}/read; echo $1 > {tmp_path}/name; echo s SATISFIABLE; echo v 1 2 0'
    (tmp_path / "solver.sh").write_text(script)
    compare(
        "run formula a.cnf.xz",
        "--solver",
        "sh solver.sh {cnf}",
        "--no-check",
        cwd=tmp_path,
        status=0,
    )
    assert (tmp_path / "read").read_bytes() == text
    name = (tmp_path / "name").read_text().strip()
    assert name.endswith("/formula.cnf")
    assert not Path(name).parent.exists()
