"""What solvers print, write into `{out}` and end with: read, or refused in one sentence."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from models.cnf import Formula
from models.session import session
from models.solvers.opening import open_solver
from models.solvers.sat_solver import (
    ModelRefused,
    NoVerdict,
    SolverDied,
    SolverFailure,
    wrong_model,
)
from models.solvers.solver_output import SolverOutput, Unreadable, read_replies, read_reply
from tests.processes import compare

CLAUSES = [[1, -2], [1, 2], [2]]
"""Of two variables; 1 2 is their only model."""


class Said(NamedTuple):
    """What a program does."""

    printed: str = ""
    status: int = 0
    written: str = ""
    complained: str = ""


SAT = (
    Said("s SATISFIABLE\nv 1 2 0\n", 10),
    Said("s SATISFIABLE\nv 1 2 0\n", 0),
    Said("s SATISFIABLE\nv 1 2 0\n", 30),  # clasp, after it has seen all models
    Said("s SATISFIABLE\nv 1 2 0\n", 1),
    Said("v 1 2 0\ns SATISFIABLE\n", 10),  # clasp
    Said("v 1\ns SATISFIABLE\nv 2 0\n", 10),
    Said("s SATISFIABLE\nv 1\nv 2\nv 0\n", 10),
    Said("s SATISFIABLE\nv 1\nc a comment\n\nv 2 0\n", 10),
    Said("s SATISFIABLE\nv\nv 1 2\nv\n", 10),
    Said("s SATISFIABLE\nv  1\t2  0 \n", 10),
    Said("c x\n\nWARNING: a line of some kind\n| a table |\ns SATISFIABLE\nv 1 2 0\nc end\n", 10),
    Said("s SATISFIABLE\r\nv 1 2 0\r\n", 10),
    Said("  s   SATISFIABLE  \n v 1 2 0", 10),
    Said("\ufeffs SATISFIABLE\nv 1 2 0\n", 10),
    Said("v 1 2 0\n", 10),
    Said("SATISFIABLE\nv 1 2 0\n", 10),
    Said("SAT\n1 2 0\n", 10),  # minisat's form, on standard output
    Said("SAT\n1\n2 0\n", 0),
    Said("s SATISFIABLE\nv 1 2 0\ns SATISFIABLE\nv -1 2 0\n", 10),  # more models: the first counts
    Said("restarts : 1\n\nSATISFIABLE\n", 10, "SAT\n1 2 0\n"),  # minisat
    Said("", 10, "SAT\n1 2 0\n"),
    Said("", 10, "s SATISFIABLE\nv 1 2 0\n"),  # cadical -w, picosat -o
    Said("s SATISFIABLE\nv 1 2 0\n", 10, "s SATISFIABLE\nv 1 2 0\n"),
    Said("s SATISFIABLE\n", 10, "v 1 2 0\n"),
    Said("", 0, "s SATISFIABLE\nc more\nv 1 2 0\n"),
)
"""Programs that give the model."""

UNSAT = (
    Said("s UNSATISFIABLE\n", 20),
    Said("s UNSATISFIABLE\n", 0),
    Said("s UNSATISFIABLE\n", 3),
    Said("", 20),
    Said("UNSATISFIABLE\n", 20, "UNSAT\n"),
    Said("", 20, "s UNSATISFIABLE\n"),
    Said("", 0, "UNSAT\n"),
    Said("s UNSATISFIABLE\nv 1 2 0\n", 20),  # the verdict counts
)
"""Programs that say that there is none."""

UNKNOWN = {
    Said("s UNKNOWN\n", 0): "gave no verdict: s UNKNOWN",  # picosat -l
    Said("c UNKNOWN\n", 0): "gave no verdict: exit status 0, no s line: c UNKNOWN",  # cadical -t
    Said("INDETERMINATE\n", 0, "INDET\n"): "gave no verdict: s INDET",  # minisat
    Said("s UNKNOWN\nv 1 -2 0\n", 0): "gave no verdict: s UNKNOWN",
    Said("s UNKNOWN\n", 1): "gave no verdict: s UNKNOWN",
    Said("", 0): "gave no verdict: exit status 0, no s line",
    Said("", 0, "", "so sorry"): "gave no verdict: exit status 0, no s line: so sorry",
}
"""Programs that do not know."""

FAILED: dict[Said, tuple[type[SolverFailure], str]] = {
    Said("s SATISFIABLE\nv 1 2 0\n", 20): (
        SolverFailure,
        "said SATISFIABLE and ended with exit status 20, which says UNSATISFIABLE",
    ),
    Said("s UNSATISFIABLE\n", 10): (
        SolverFailure,
        "said UNSATISFIABLE and ended with exit status 10, which says SATISFIABLE",
    ),
    Said("s UNSATISFIABLE\n", 30): (SolverFailure, "said UNSATISFIABLE and ended with exit status"),
    Said("s UNKNOWN\n", 10): (SolverFailure, "said UNKNOWN and ended with exit status 10, which"),
    Said("s SATISFIABLE\ns UNSATISFIABLE\n", 10): (
        SolverFailure,
        "gave no verdict: what it printed, line 2: says UNSATISFIABLE, and line 1 says SATISFIABLE",
    ),
    Said("UNSATISFIABLE\n", 20, "SAT\n1 2 0\n"): (
        SolverFailure,
        "printed UNSATISFIABLE and wrote SAT to {out}",
    ),
    Said("s MAYBE\n", 0): (
        SolverFailure,
        "gave no verdict: what it printed, line 1: expected s SATISFIABLE, s UNSATISFIABLE or s "
        "UNKNOWN; found 's MAYBE'",
    ),
    Said("s satisfiable\n", 10): (SolverFailure, "gave no verdict: what it printed, line 1: expec"),
    Said("", 10, "s\n"): (SolverFailure, "gave no verdict: what it wrote to {out}, line 1: expect"),
    Said("", 1, "", "oops\n"): (
        SolverFailure,
        "gave no verdict: exit status 1, no s line: oops",
    ),
    Said("error: what is this?\n", 1): (  # z3 complains there
        SolverFailure,
        "gave no verdict: exit status 1, no s line: error: what is this?",
    ),
    Said("c a\nout\n", 127, "", "first\nerr\n"): (
        SolverFailure,
        "gave no verdict: exit status 127, no s line: err: out",
    ),
    Said("s SATISFIABLE\n", 10): (
        ModelRefused,
        "said that there is a model and printed none: a model is on lines that begin with `v`",
    ),
    Said("s SATISFIABLE\nv 1 x 0\n", 10): (
        ModelRefused,
        "gave a model that cannot be read: line 2: expected a literal or 0; found 'x'",
    ),
    Said("s SATISFIABLE\nv 1 ٢ 0\n", 10): (ModelRefused, "gave a model that cannot be read: line"),
    Said("s SATISFIABLE\nv +1 2 0\n", 10): (ModelRefused, "gave a model that cannot be read: line"),
    Said(f"s SATISFIABLE\nv 1 {'2' * 5000}\n", 10): (
        ModelRefused,
        "gave a model that cannot be re",
    ),
    Said("", 10, "SAT\n1 x 0\n"): (ModelRefused, "gave a model that cannot be read: line 2: expec"),
    Said("s SATISFIABLE\nv 1 -1 2 0\n", 10): (ModelRefused, "gave a model that has both 1 and -1"),
    Said("s SATISFIABLE\nv 1 2 3 4 0\n", 10): (
        ModelRefused,
        "gave a model that has 3 4, the formula 2 variables",
    ),
    Said("s SATISFIABLE\nv 1 -2 0\n", 10): (
        ModelRefused,
        "gave a model that satisfies no literal of clause 3: 2 0",
    ),
    Said("s SATISFIABLE\nv 2 0\n", 10): (
        ModelRefused,
        "gave a model that satisfies no literal of clause 1: 1 -2 0",
    ),
}
"""Programs that are wrong, and what is said of them."""


@pytest.fixture
def command(tmp_path: Path) -> Callable[[Said], str]:
    """A program that does what it is told."""
    script = tmp_path / "solver"
    script.write_text(
        f"#!/bin/sh\ncd {shlex.quote(str(tmp_path))}\ncat printed\ncat complained >&2\n"
        'cat written > "$2"\nexit $(cat status)\n'
    )
    script.chmod(0o755)

    def told(said: Said) -> str:
        for name, value in said._asdict().items():
            (tmp_path / name).write_bytes(str(value).encode())
        return f"{script} {{cnf}} {{out}}"

    return told


Command = Callable[[Said], str]


def test_a_verdict_and_a_model_are_read_wherever_they_stand(command: Command) -> None:
    for said in SAT:
        with session(Formula.of(2, CLAUSES), command(said)) as opened:
            assert opened.solve(), said
            assert opened.model().tolist() == [False, True, True], said
    for said in UNSAT:
        with session(Formula.of(2, CLAUSES), command(said)) as opened:
            assert not opened.solve(), said


def test_a_program_that_does_not_know_says_why(command: Command) -> None:
    for said, what in UNKNOWN.items():
        with (
            session(Formula.of(2, CLAUSES), command(said)) as opened,
            pytest.raises(NoVerdict) as failed,
        ):
            opened.solve()
        assert failed.value.what == what


def test_what_a_program_says_is_not_taken_on_trust(command: Command) -> None:
    for said, (failure, what) in FAILED.items():
        with (
            session(Formula.of(2, CLAUSES), command(said)) as opened,
            pytest.raises(SolverFailure) as failed,
        ):
            opened.solve()
        assert type(failed.value) is failure, said
        assert failed.value.what.startswith(what), said


def test_a_program_that_is_killed_has_died_whatever_it_said(tmp_path: Path) -> None:
    script = tmp_path / "dies"
    script.write_text("#!/bin/sh\necho s SATISFIABLE\nkill -SEGV $$\n")
    script.chmod(0o755)
    with (
        open_solver(Formula.of(1, []), f"{script} {{cnf}}") as opened,
        pytest.raises(SolverDied, match="said SATISFIABLE and was killed by SIGSEGV"),
    ):
        opened.solve()


def test_replies_to_several_calls_are_told_apart() -> None:
    first, second = (
        SolverOutput("SATISFIABLE", [1, -2], True),
        SolverOutput("SATISFIABLE", [2], True),
    )
    no = SolverOutput("UNSATISFIABLE")
    for text in (
        "s SATISFIABLE\nv 1\nv -2 0\ns UNSATISFIABLE\ns SATISFIABLE\nv 2 0\n",
        "v 1 -2 0\ns SATISFIABLE\ns UNSATISFIABLE\nv 2 0\ns SATISFIABLE\n",
        "SATISFIABLE\n1 -2 0\nUNSATISFIABLE\nc more\nSATISFIABLE\n2\n0\n",
    ):
        assert [
            SolverOutput(each.word, each.literals, each.is_complete) for each in read_replies(text)
        ] == [
            first,
            no,
            second,
        ]
    assert read_replies("c nothing\n") == []
    with pytest.raises(Unreadable, match="expected a literal or 0; found 'x'") as unreadable:
        read_replies("s SATISFIABLE\nv 1\nv x 0\n")
    assert unreadable.value.line == 3
    assert read_reply("").word == ""


@pytest.mark.parametrize(
    ("true", "wrong"),
    [
        ([1, -2, 3], ""),
        ([-2, 1], ""),  # nothing needs the third
        ([1, 2, -2], "has both 2 and -2"),
        ([1, -2, 4, -5], "has 4 -5, the formula 3 variables"),
        ([1, 2], "does not hold the assumption -2"),
        ([-1, -2, 3], "satisfies no literal of clause 2: 1 2 0"),
        ([-2], "satisfies no literal of clause 2: 1 2 0"),
    ],
)
def test_a_wrong_model_is_said_by_its_literal(true: list[int], wrong: str) -> None:
    assert wrong_model(3, [[3, -3], [1, 2]], [-2], true) == wrong
    long = [*range(1, 40)]
    shown = "satisfies no literal of clause 1: 1 2 3 4 5 6 7 8 9 10 11 12 ..."
    assert wrong_model(40, [long], [], [-each for each in long]) == shown


REAL = {
    "cadical": ("cadical -q {cnf}", "cadical {cnf}", "cadical -q -w {out} {cnf}"),
    "minisat": ("minisat {cnf} {out}", "minisat -verb=0 {cnf} {out}"),
    "picosat": ("picosat {cnf}", "picosat -o {out} {cnf}"),
    "cryptominisat5": ("cryptominisat5 --verb 0 {cnf}", "cryptominisat5 {cnf}"),
    "clasp": ("clasp {cnf}", "clasp --outf=1 {cnf}", "clasp --outf=0 {cnf}", "clasp -n 0 {cnf}"),
}
"""Solvers of Debian, with the forms of their commands. minisat alone needs `{out}`: it prints no
model."""


@pytest.mark.slow
@pytest.mark.parametrize("command", [each for forms in REAL.values() for each in forms])
def test_solvers_of_debian_are_right(command: str, tmp_path: Path) -> None:
    name = command.split()[0]
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    # one clause a line: cryptominisat reads no other form
    (tmp_path / "s.cnf").write_text("c a\np cnf 4 3\n1 2 0\n-1 -2 0\nc b\n3 0\n")
    (tmp_path / "u.cnf").write_text("p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n")
    words = ("--solver", command)
    ended = compare("run formula s.cnf u.cnf", *words, cwd=tmp_path, status=0)
    assert ended.last_line.startswith("ACCEPTED: models:sat@")
    assert "runs: 2 OK; 2 of 2 answers PROVED." in ended.last_line
    if "-n 0" not in command:  # some formulas have too many models
        ended = compare(
            "fuzz formula --family tiny --cases 12 --timeout 60", *words, cwd=tmp_path, status=0
        )
        assert re.search(r"models:sat@\S+: 12 answered", ended.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REAL])
def test_a_solver_that_takes_lines_for_clauses_is_told_by_its_own_words(
    name: str, tmp_path: Path
) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    (tmp_path / "lines.cnf").write_text("p cnf 2 2\n1\n2 0 -1 -2\n0\n")
    strict = name == "cryptominisat5"
    words = ("run formula lines.cnf --solver", REAL[name][0])
    ended = compare(words[0], words[1], cwd=tmp_path, status=0)
    assert ended.last_line.startswith(f"models:sat@{name} UNFINISHED" if strict else "ACCEPTED: ")
    not_read = "does not read this text, and gives a verdict if each clause is a line of its own"
    assert (f"{not_read}: gave no verdict: exit status 255" in ended.stdout) == strict
