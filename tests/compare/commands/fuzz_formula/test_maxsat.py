"""MaxSAT: both formats of WCNF, the answers of all contenders, the check, and planted faults."""

from __future__ import annotations

import gzip
import json
import sys
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

import models
import puzzles
from compare.commands.fuzz_formula.maxsat_puzzle import WeightedFormula
from models.solvers.sat_solver import SolverFailure
from puzzles.answer import Verdict
from puzzles.case_solution import CaseSolution
from puzzles.text import InputError
from tests.installed import slow
from tests.processes import Ended, compare, compare_at_once

PUZZLE = puzzles.find("maxsat")


def formula(text: str) -> WeightedFormula:
    (case,) = PUZZLE.parse(text)
    assert isinstance(case, WeightedFormula)
    return case


def satisfies(clause: tuple[int, ...], values: tuple[bool, ...]) -> bool:
    return any(values[abs(literal) - 1] == (literal > 0) for literal in clause)


def least_cost(case: WeightedFormula) -> int | None:
    """By trying all assignments; None if there is no model."""
    costs = [
        sum(weight for weight, clause in case.soft if not satisfies(clause, values))
        for values in product((False, True), repeat=case.variables)
        if all(satisfies(clause, values) for clause in case.hard)
    ]
    return min(costs, default=None)


SMALL = "h 1 2 0\nh -1 -2 0\n3 -1 0\n2 -2 0\n1 1 2 0\n"


def test_both_formats_say_the_same() -> None:
    case = formula(SMALL)
    assert case.hard == ((1, 2), (-1, -2))
    assert case.soft == ((3, (-1,)), (2, (-2,)), (1, (1, 2)))
    old = "c old\np wcnf 2 5 9\n9 1 2 0 9 -1\n-2 0\nc inside\n3 -1 0\n2 -2 0\n1 1 2 0\n"
    assert formula(old) == case
    assert case.text() == SMALL
    assert formula("p wcnf 2 2\n4 1 0\n5 -2 0\n") == formula("4 1 0\n5 -2 0\n")
    assert formula("p wcnf 3 1 7\n8 1 0\n") == formula("h 1 0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: the text is empty; expected clauses that begin with h or a weight"),
        ("h 1 2 0\n0 1 0\n", "2:1: expected h or a weight, a whole number from 1 on; found '0'"),
        ("-3 1 0\n", "1:1: expected h or a weight, a whole number from 1 on; found '-3'"),
        ("1.5 1 0\n", "1:1: expected h or a weight, a whole number from 1 on; found '1.5'"),
        ("nan 1 0\n", "1:1: expected h or a weight, a whole number from 1 on; found 'nan'"),
        ("h 1 x 0\n", "1:5: expected a literal or 0; found 'x'"),
        ("h 1 2 0\n3 1\n", "2:4: the text ends within a clause; expected 0"),
        (
            "p cnf 2 1\n1 0\n",
            "1:1: expected p wcnf VARIABLES CLAUSES TOP; found 'p cnf 2 1'",
        ),
        (
            "p wcnf 2\n1 0\n",
            "1:9: expected p wcnf VARIABLES CLAUSES TOP; the line ends before CLAUSES",
        ),
        (
            "p wcnf 2 1 -9\n9 1 0\n",
            "1:12: expected p wcnf VARIABLES CLAUSES TOP; found '-9' in the place of TOP",
        ),
        (
            "p wcnf 2 1 9 9\n9 1 0\n",
            "1:14: expected p wcnf VARIABLES CLAUSES TOP; found '9' behind TOP",
        ),
        (f"p wcnf 2 1 {10**20}\n9 1 0\n", "1:12: TOP has more than 20 digits"),
        ("p wcnf 99999999999999999999 1 9\n9 1 0\n", "1:8: more than 67108864 variables"),
        ("h 1 2 -0\n", "1:7: expected a literal or 0; found '-0'"),
        ("p wcnf 2 1 9\nh 1 0\n", "2:1: expected a weight, a whole number from 1 on; found 'h'"),
        ("p wcnf 2 1 9\n9 3 0\n", "2:3: expected a literal of 2 variables or 0; found '3'"),
        ("p wcnf 2 3 9\n9 1 0\n", "1:1: the header announces 3 clauses, the text has 1"),
        ("p wcnf 999999999 1 9\n9 1 0\n", "1:8: more than 67108864 variables"),
        ("9223372036854775808 1 0\n", "1:1: the weight is more than 999999999999999999"),
        (
            "999999999999999999 1 0\n1 2 0\n",
            "1:1: all weights add up to more than 999999999999999999",
        ),
    ],
)
def test_what_is_no_wcnf_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        PUZZLE.parse(text, "f.wcnf")
    assert str(refused.value) == f"f.wcnf:{message}"


def instances() -> list[WeightedFormula]:
    """The edge cases, and small ones of each family."""
    drawn = [
        family.make(size, seed)
        for family in PUZZLE.families.values()
        for size in (1, 3, 5)
        for seed in range(1, 26)
    ]
    return [each for each in [*PUZZLE.edge_cases(), *drawn] if each.variables <= 10]


@pytest.mark.parametrize("backend", ["rc2", "cpsat"])
def test_the_answers_are_those_of_brute_force_and_are_proved(backend: str) -> None:
    for case in instances():
        answer, best = models.solve(case, backend), least_cost(case)
        assert answer.possible == (best is not None), case
        assert answer.value == best, case
        assert PUZZLE.check(case, answer).verdict is Verdict.PROVED, case


def test_the_check_proves_a_best_cost_that_it_cannot_try_and_refutes_one_that_is_beaten() -> None:
    rng = Random(3)
    for _ in range(12):
        variables = range(1, 19)
        hard = tuple((a, b) for a in variables for b in variables if a < b and rng.random() < 0.2)
        soft = tuple((rng.randint(1, 9), (-each,)) for each in variables)
        case = WeightedFormula(hard, soft)
        right = models.solve(case, "rc2")
        assert right.value == models.solve(case, "cpsat").value
        assert PUZZLE.check(case, right).verdict is Verdict.PROVED
        all_weights = sum(weight for weight, _ in soft)
        everything = CaseSolution.optimal(all_weights, variables)
        check = PUZZLE.check(case, everything)
        assert check.verdict is Verdict.REFUTED
        assert check.value == all_weights
        assert PUZZLE.check(case, CaseSolution.feasible(all_weights, variables)).verdict is (
            Verdict.PROVED
        )
        too_good = CaseSolution.only_bound(right.value + 1)
        assert PUZZLE.check(case, too_good).verdict is Verdict.REFUTED
        assert PUZZLE.check(case, CaseSolution.only_bound(right.value)).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ("o 1\ns OPTIMUM FOUND\nv -1 2 0\n", "the cost is said to be 1, and the solution's is 2"),
        ("o 3\ns OPTIMUM FOUND\nv 1 -2 0\n", "a solution worth 2 exists: -1 2"),
        ("o 0\ns SATISFIABLE\nv 1 2 0\n", "the model violates the hard clause 2: -1 -2"),
        ("o 0\ns SATISFIABLE\nv -1 -2 0\n", "the model violates the hard clause 1: 1 2"),
        ("o 2\ns OPTIMUM FOUND\nv -1 1 2 0\n", "the model has -1 and 1"),
        ("s UNSATISFIABLE\n", "the hard clauses have a model"),
        (
            "c bound 3\no 2\ns SATISFIABLE\nv -1 2 0\n",
            "it says that no solution is better than 3, and shows one worth 2",
        ),
    ],
)
def test_what_is_wrong_is_refuted(answer: str, detail: str) -> None:
    case = formula(SMALL)
    (read,) = PUZZLE.parse_answers(answer, [case], "competition")
    check = PUZZLE.check(case, read)
    assert (check.verdict, check.detail) == (Verdict.REFUTED, detail)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("o 2\nv -1 2 0\n", "2:1: expected a line s OPTIMUM FOUND, SATISFIABLE, UNSATISFIABLE or "),
        ("s SATISFIABLE\nv -1 2 0\n", "2:1: expected a line o COST with what the model costs"),
        ("o nan\ns SATISFIABLE\n", "1:1: expected a cost, a whole number of up to 18 digits; "),
        ("o -inf\ns OPTIMUM FOUND\n", "1:1: expected a cost, a whole number of up to 18 digits; "),
        ("o 2.0\ns OPTIMUM FOUND\n", "1:1: expected a cost, a whole number of up to 18 digits; "),
        ("o 2\ns FOUND\n", "2:1: expected s OPTIMUM FOUND, SATISFIABLE, UNSATISFIABLE or UNKNOWN"),
        ("o 2\ns SATISFIABLE\nv 1 b\n", "3:1: expected a literal or 0; found 'b'"),
    ],
)
def test_an_answer_that_cannot_be_read_has_its_place(answer: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        PUZZLE.parse_answers(answer, [formula(SMALL)], "competition", "out")
    assert str(refused.value).startswith(f"out:{message}")


PROGRAM = """
import itertools, sys
hard, soft = [], []
for line in open(sys.argv[1]):
    head, *literals = line.split()
    clause = [int(each) for each in literals[:-1]]
    hard.append(clause) if head == "h" else soft.append((int(head), clause))
most = max([0, *(abs(each) for each in itertools.chain(*hard, *(each for _, each in soft)))])

def satisfied(clause, bits):
    return any(bits[abs(each) - 1] == (each > 0) for each in clause)

def cost(bits):
    return sum(weight for weight, clause in soft if not satisfied(clause, bits))

models = [
    bits for bits in itertools.product((False, True), repeat=most)
    if all(satisfied(clause, bits) for clause in hard)
]
if not models:
    print("s UNSATISFIABLE")
    sys.exit(20)
best = min(models, key=cost)
value = cost(best)
print("c a program")
print("o", value)
print("s OPTIMUM FOUND")
print("v", "".join("01"[each] for each in best))
sys.exit(30)
"""
"""Tries all assignments, and prints its model as digits."""


def run_program(tmp_path: Path, text: str, words: str, status: int) -> str:
    (tmp_path / "program.py").write_text(text)
    return compare(with_program(words, "program.py"), cwd=tmp_path, status=status).stdout


def with_program(words: str, program: str) -> str:
    """The line with a MaxSAT program in Python beside a solver of ours."""
    solver = f"--solver '{sys.executable} -SE {program} {{cnf}}'"
    return f"{words} -b rc2 {solver} --solver cadical153"


def test_run_formula_takes_weighted_formulas_and_folders_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "inner").mkdir(parents=True)
    (folder / "small.wcnf").write_text(SMALL)
    with gzip.open(folder / "inner" / "old.wcnf.gz", "wt") as file:
        file.write("p wcnf 2 3 9\n9 1 2 0\n3 -1 0\n2 -2 0\n")
    for words in ("set", "set/small.wcnf set/inner/old.wcnf.gz"):
        ended = compare(f"run formula {words}", cwd=tmp_path, status=0)
        assert ended.stdout.startswith("maxsat\n")
        assert "ALL AGREE; 2 cases of 1 puzzle; runs: 4 OK; 4 of 4 answers PROVED." in ended.stdout
    (folder / "plain.cnf").write_text("p cnf 1 1\n1 0\n")
    mixed = compare("run formula set --solver minisat22", cwd=tmp_path, status=2)
    assert "set: files of different kinds, *.cnf and *.wcnf: one run takes one kind" in mixed.stderr


def test_a_maxsat_program_takes_part(tmp_path: Path) -> None:
    printed = run_program(tmp_path, PROGRAM, "run maxsat --family random --size 2 3", 0)
    assert "ALL AGREE" in printed


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("best = min(models, key=cost)", "best = models[0]"),
        slow("value = cost(best)", "value = cost(best) + (len(soft) > 1)"),
        slow("for weight, clause in soft if", "for weight, clause in soft[1:] if"),
        slow("most = max([0, ", "hard = hard[:2]\nmost = max([0, "),
        slow("if not models:", "if not models or len(hard) > 1:"),
    ],
)
def test_planted_faults_of_maxsat_programs_are_caught(
    right: str, wrong: str, tmp_path: Path
) -> None:
    """An incumbent sold as optimum, a cost that is one too high, a soft weight forgotten, hard
    clauses forgotten, and a model denied.
    """
    text = PROGRAM.replace(right, wrong)
    assert text != PROGRAM
    printed = run_program(tmp_path, text, "fuzz maxsat --cases 300 --size 2 --jobs 1", 1)
    assert printed.splitlines()[-1].startswith("models:rc2@python FAILED: 1 ")
    assert "answers in its place, and what is wrong is that program's" in printed
    (saved,) = tmp_path.glob("*.wcnf")
    (case,) = PUZZLE.parse(saved.read_text())
    assert case.size <= 8


def test_a_program_that_prints_no_model_promises_none(tmp_path: Path) -> None:
    """Its cost is PROVED only by another answer. A best cost that a model beats is refuted."""
    (tmp_path / "small.wcnf").write_text(SMALL)
    silent = PROGRAM.replace('print("v"', 'print("c"')
    assert silent != PROGRAM
    printed = run_program(tmp_path, silent, "run maxsat small.wcnf", 0)
    assert "ALL AGREE; 1 case of 1 puzzle; runs: 2 OK; 2 of 2 answers PROVED." in printed
    fuzzed = run_program(tmp_path, silent, "fuzz maxsat --cases 20 --size 2 --jobs 1", 0)
    assert fuzzed.splitlines()[-1].startswith("ALL AGREE: nothing found")
    alone = f"run maxsat small.wcnf -q -b rc2 --solver '{sys.executable} program.py {{cnf}}'"
    open_ended = compare(alone, cwd=tmp_path, status=0).stdout
    assert "no certificate, and none is promised: it shows no solution" in open_ended
    assert "1 of 1 not proved: no certificate" in open_ended.splitlines()[-1]
    (tmp_path / "program.py").write_text(silent.replace("value = cost(best)", "value = 3"))
    assert "a solution worth 2 exists: -1 2" in compare(alone, cwd=tmp_path, status=1).stdout


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("sys.exit(3)", "gave no answer: exit status 3, no s line"),
        (
            "print('o 2'); print('boom', file=sys.stderr); sys.exit(1)",
            "gave no answer: exit status 1, no s line: boom: o 2",
        ),
        (
            "print('s OPTIMUM FOUND'); sys.exit('boom')",
            "gave no answer: line 1: expected a line o COST with what the model costs; exit status "
            "1: boom",
        ),
        ("os.abort()", "was killed by SIGABRT"),
    ],
)
def test_it_is_said_how_a_program_without_an_answer_ended(
    program: str, what: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(f"import os, sys; {program}")
    with pytest.raises(SolverFailure) as raised:
        models.solve(
            formula(SMALL),
            backend="rc2",
            solver=f"{sys.executable} {tmp_path}/program.py {{cnf}}",
        )
    assert raised.value.what == what


ASKED = SMALL + "1 2 0\n"
"""Has the optimum of the example, and one clause more."""

SEARCHES_ON = """
import sys, time
print({printed!r}, flush=True)
if open(sys.argv[1]).read().endswith({asked!r}):
    time.sleep(1000)
"""
"""Prints what it has so far, and finds no end; but it ends on the example, which comes first."""


class Stopped(NamedTuple):
    """What a program has printed when it is stopped, and what comes of it."""

    printed: str
    status: int
    value: int | None
    verdict: str | None
    last_line: str


UNFINISHED, FAILED = "UNFINISHED on 1 of 1: 1 TIMEOUT; ", "FAILED on 1 of 1: 1 WRONG; "

STOPPED = {
    "costs": Stopped("o 9\no 7", 0, 7, "UNPROVED", UNFINISHED),
    "model": Stopped("o 2\nv 01", 0, 2, "PROVED", UNFINISHED),
    "better": Stopped("o 1", 1, 1, "UNPROVED", FAILED),
    "other": Stopped("o 3\nv -1 2 0", 1, 3, "REFUTED", FAILED),
    "none": Stopped("c no cost yet", 0, None, None, UNFINISHED),
}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Ended]]:
    """The folder with the records, and what came of each command; all wait at the same time."""
    folder = tmp_path_factory.mktemp("stopped")
    (folder / "asked.wcnf").write_text(ASKED)
    lines: list[str] = []
    for name, each in STOPPED.items():
        text = SEARCHES_ON.format(printed=each.printed, asked=ASKED)
        (folder / f"{name}.py").write_text(text)
        words = f"run formula asked.wcnf -b cpsat --timeout 3 --out {name}.jsonl"
        lines.append(with_program(words, f"{name}.py"))
    return folder, dict(zip(STOPPED, compare_at_once(lines, cwd=folder), strict=True))


@pytest.mark.parametrize("name", STOPPED)
def test_a_maxsat_program_that_is_stopped_has_the_cost_that_it_printed(
    name: str, stopped: tuple[Path, dict[str, Ended]]
) -> None:
    """The optimum is 2. A cost without a model is not proved, and is wrong only where it is better
    than an optimum that is.
    """
    folder, ended = stopped
    _, status, value, verdict, last_line = STOPPED[name]
    assert ended[name].returncode == status
    assert ended[name].last_line.startswith(f"models:rc2@python {last_line}")
    records = map(json.loads, (folder / f"{name}.jsonl").read_text().splitlines()[1:])
    (result,) = (each for each in records if each["contender"] == "models:rc2@python")
    assert (result["status"], result.get("value"), result.get("bound")) == (
        "TIMEOUT",
        value,
        None,
    )
    assert (result["check"] and result["check"]["verdict"]) == verdict
