"""A folder of formulas: each is read when its turn comes, one that cannot be read stops nobody, and
the solvers are ranked as in competitions.
"""

from __future__ import annotations

import bz2
import gc
import gzip
import json
import lzma
import pickle
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np
import pytest

import puzzles
from compare.commands.fuzz_formula import formula_check
from compare.commands.fuzz_formula.formula_check import check_trace
from compare.commands.fuzz_formula.formula_puzzle import Replies, Reply, Trace
from compare.commands.run import campaign
from compare.commands.run.campaign import LateDataset, run_campaign
from compare.commands.run.run_plan import select
from compare.commands.run.views import ranking_table
from compare.engine.campaign.comparison import Comparison
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.child import server
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.contenders import Ask, choose, with_solvers
from compare.engine.work.result import Result
from puzzles import dimacs_reader
from puzzles.answer import Verdict
from puzzles.text import UserError
from tests.installed import needs
from tests.processes import compare
from tests.records import read_file, record

FORMULA = puzzles.get("formula")
SATISFIABLE = b"p cnf 2 2\n1 2 0\n-1 2 0\n"
UNSATISFIABLE = b"p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"

READABLE = {
    "a name.cnf": SATISFIABLE,
    "new\nline.cnf": b"p cnf 1 1\n1 0\n",
    "below/deep.cnf.xz": lzma.compress(UNSATISFIABLE),
    "b.cnf.gz": gzip.compress(b"c comment\n" + SATISFIABLE),
    "c.cnf.bz2": bz2.compress(UNSATISFIABLE),
    "satlib.cnf": b"p cnf 2 1\n1 -2 0\n%\n0\n\n",
    "calls.icnf": b"p inccnf\n1 2 0\na -1 0\na -1 -2 0\n",
}
UNREADABLE = {
    "cut.cnf.xz": (lzma.compress(UNSATISFIABLE)[:-9], " cannot be decompressed (.xz): "),
    "two.cnf": (SATISFIABLE + SATISFIABLE, ":4:1: expected a literal or 0; found 'p'"),
    "huge.cnf": (b"p cnf 999999999 1\n1 0\n", ":1:7: more than 67108864 variables"),
    "many.cnf": (
        b"p cnf 9 999999999\n1 0\n",
        ":1:1: the header announces 999999999 clauses, the text has 1",
    ),
    "nothing.cnf": (b"", ":1:1: the text is empty"),
}
SOLVERS = "--solver minisat22 --solver cadical153"


def write_all(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def test_what_cannot_be_read_is_said_and_the_others_are_run(tmp_path: Path) -> None:
    folder = write_all(tmp_path / "set", READABLE)
    write_all(folder, {name: content for name, (content, _) in UNREADABLE.items()})
    out = tmp_path / "runs.jsonl"
    words = f"run formula {folder} {SOLVERS} --out {out}"
    ended = compare(words, status=2)
    for name, (_, reason) in UNREADABLE.items():
        assert f"{folder}/{name}{reason}" in ended.stderr
    assert "UNREADABLE: 5 of 12 files; see above" in ended.stdout
    assert ended.last_line.startswith("ALL AGREE; 7 cases of 1 puzzle; runs: 14 OK; 14 of 14")
    rows = [line.split() for line in ended.stdout.splitlines() if line[:1] in ("1", "2")]
    assert [row[2:6] for row in rows] == [["4", "3", "7", "0"]] * 2

    records = read_file(str(out)).records
    assert len(records) == 14
    assert {(each.dataset, each.file) for each in records} == {
        *(("set", name) for name in ("a name", "new\nline", "b", "c", "satlib", "calls")),
        ("set/below", "deep"),
    }
    assert {each.verdict for each in records} == {Verdict.PROVED}
    *whole, last = out.read_text().splitlines()
    assert [json.loads(line)["planned"] for line in (whole[0], last)] == [24, 14]
    out.write_text("\n".join(whole[:6]) + "\n" + whole[6][:40])
    again = compare(f"{words} --resume", status=2)
    assert "5 of 24 runs are there already" in again.stderr
    assert again.last_line == ended.last_line
    lines = out.read_text().splitlines()
    assert lines[:6] == whole[:6]
    runs = [line for line in lines if not json.loads(line).get("header")]
    assert sorted(map(run_of, runs)) == sorted(map(run_of, whole[1:]))
    assert "14 of 24 runs are there already" in compare(f"{words} --resume", status=2).stderr
    assert out.read_text().splitlines() == lines


def test_a_changed_or_missing_formula_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """Each is read when its turn comes, so that nothing is made of a changed one."""
    files = {f"{name}.cnf": SATISFIABLE for name in "abc"}
    folder = write_all(tmp_path / "set", files | {"b.icnf": READABLE["calls.icnf"]})
    out = tmp_path / "runs.jsonl"
    words = f"run formula {folder} {SOLVERS} --out {out}"
    compare(words)
    for kept in (None, -3):  # all runs are there; the last three are missing
        whole = "".join(out.read_text().splitlines(keepends=True)[:kept])
        out.write_text(whole)
        for name in ("a.cnf", "b.icnf"):
            before = (folder / name).read_bytes()
            (folder / name).write_bytes(UNSATISFIABLE)
            changed = compare(f"{words} --resume", status=2)
            assert changed.stdout == ""
            assert changed.stderr.splitlines()[-1] == (
                f"{folder}/{name} has changed since {out} was written. Name a new --out file, or "
                "begin this one anew with --overwrite"
            )
            assert out.read_text() == whole
            (folder / name).write_bytes(before)
        (folder / "b.cnf").rename(tmp_path / "b.cnf")
        (folder / "b.icnf").rename(tmp_path / "b.icnf")
        gone = compare(f"{words} --resume", status=2)
        assert "dataset set, b case 1 is not in the plan: the instances have changed. Name " in (
            gone.stderr
        )
        assert (gone.stdout, out.read_text()) == ("", whole)
        (tmp_path / "b.cnf").rename(folder / "b.cnf")
        (tmp_path / "b.icnf").rename(folder / "b.icnf")
    ended = compare(f"{words} --resume")
    assert ended.last_line.startswith("ALL AGREE; 4 cases of 1 puzzle; runs: 8 OK; ")


def run_of(line: str) -> tuple[str, str]:
    values = json.loads(line)
    return values["file"], values["contender"]


def test_the_help_says_which_files_a_folder_may_hold() -> None:
    ends = " ".join(compare("run formula --help", status=0).stdout.split())
    for suffix in (*FORMULA.suffixes, *FORMULA.other_suffixes):
        assert f"*{suffix}" in ends
    assert "also compressed (.gz, .xz, .bz2)" in ends


def test_messages_about_formulas_speak_of_cases(tmp_path: Path) -> None:
    folder = write_all(tmp_path / "set", READABLE)
    out = tmp_path / "runs.jsonl"
    run = compare(f"run formula {folder} {SOLVERS} --out {out}", status=0)
    between = compare(f"diff {out} --between cadical153 minisat22", status=0)
    then = compare(f"diff {out} {out}", status=0)
    many = compare("run formula --family edge --cases 2000000", status=2)
    assert many.stderr == "--cases: at most 1,000,000 traces at once, not 2,000,000\n"
    for ended in (run, between, then):
        assert "board" not in ended.stdout + ended.stderr
    assert "ALL AGREE; 7 cases of" in run.stdout
    assert "6 cases solved by both" in between.stdout, "two of the seven are equal"
    assert "equal ones count each (diff: once)" in run.stdout
    assert "equal cases count once" in between.stdout
    assert "equal cases count once" in then.stdout


def test_a_set_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    folder = write_all(tmp_path, {"two.cnf": UNREADABLE["two.cnf"][0], "nothing.cnf": b""})
    ended = compare(f"run formula {folder} {SOLVERS}", status=2)
    assert ended.stdout == ""
    assert ended.stderr.endswith("none of the 2 files can be read\n")
    alone = compare(f"run formula {folder}/two.cnf {SOLVERS}", status=2)
    assert alone.stderr == f"{folder}/two.cnf:4:1: expected a literal or 0; found 'p'\n"
    (tmp_path / "empty").mkdir()
    empty = compare(f"run formula {tmp_path}/empty {SOLVERS}", status=2)
    assert empty.stderr == f"{tmp_path}/empty: no *.cnf or *.icnf or *.wcnf file in this folder\n"
    mixed = write_all(tmp_path / "mixed", {"a.cnf": b"p cnf 1 0\n", "b.wcnf": b"h 1 0\n"})
    refused = compare(f"run formula {mixed} {SOLVERS}", status=2)
    assert refused.stderr == (
        f"{mixed}: files of different kinds, *.cnf and *.wcnf: one run takes one kind, so put each "
        "kind into a folder of its own\n"
    )


@pytest.mark.slow
def test_records_of_a_set_are_reported_with_scores_and_a_cactus_plot(tmp_path: Path) -> None:
    needs("jinja2", "matplotlib")
    folder = write_all(tmp_path / "set", READABLE)
    out, page = tmp_path / "runs.jsonl", tmp_path / "report.html"
    one, two = (compare(f"run formula {folder} {SOLVERS} --jobs {jobs}") for jobs in (1, 2))
    assert one.last_line == two.last_line
    compare(f"run formula {folder} {SOLVERS} --jobs 2 --out {out}", status=0)
    compare(f"report {out} -o {page}", status=0)
    assert "Traces solved within a time" in page.read_text()
    assert ">PAR-2</h3>" in page.read_text()


def late_datasets(folder: Path, count: int, solver: str, settings: Settings) -> list[LateDataset]:
    files = {f"f{k}.cnf": b"p cnf %d 1\n%d 0\n" % (k + 1, k + 1) for k in range(count)}
    write_all(folder, files)
    contenders = with_solvers(choose(FORMULA, [], {"solver": solver}), [solver])
    return [
        LateDataset(
            puzzle=FORMULA, path=str(folder / name), contenders=contenders, settings=settings
        )
        for name in files
    ]


@pytest.mark.parametrize(("check", "ahead", "most"), [(False, 1, 2), (True, 1, 4), (False, 9, 9)])
def test_a_formula_is_read_in_its_turn_and_let_go(
    check: bool, ahead: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of large ones as few as can be are there: two are under way, one has just ended, and of one
    the proved answer is kept.
    """
    monkeypatch.setattr(campaign, "_MAX_AHEAD", ahead)
    read: list[ReferenceType[Any]] = []
    alive: list[int] = []
    asks_of = LateDataset.asks

    def noting(self: LateDataset) -> list[Ask]:
        gc.collect()
        alive.append(sum(each() is not None for each in read))
        asks = asks_of(self)
        read.append(ref(asks[0].instance))
        return asks

    monkeypatch.setattr(LateDataset, "asks", noting)
    results: list[Result] = []
    comparison, interrupted = run_campaign(
        [],
        Settings(check=check),
        quiet=True,
        keep=lambda result: results.append(result),
        late=late_datasets(tmp_path, 12, "minisat22", Settings()),
    )
    assert not interrupted
    assert [each.dataset for each in results] == [f"f{k}" for k in range(12)]
    assert len(comparison.instances) == 12
    assert comparison.missing == 0
    assert max(alive) <= most


SCRIPT = """#!/bin/sh
read -r _ _ variables _ < $1
echo $variables >> $0.started
case $variables in
    5) kill -KILL $PPID; sleep 60;;
    7) sleep 60;;
    9) echo "s UNKNOWN";;
    11) setsid sleep 60 > /dev/null 2>&1 & echo "s SATISFIABLE"; echo "v $variables 0";;
    *) echo "s SATISFIABLE"; echo "v $variables 0";;
esac
"""
"""Answers that the last variable is true. On some formulas it does harm."""


class Counted(NamedTuple):
    """The results of a run by their numbers of variables, and how many processes they took."""

    results: dict[int, Result]
    forks: int


def counted(
    solver: str, folder: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> Counted:
    """Run 30 small formulas."""
    forks: list[int] = []
    fork = type(server).fork

    def noting(*args: Any, **options: Any) -> tuple[int, int]:
        pid, ended = fork(*args, **options)
        forks.append(pid)
        return pid, ended

    monkeypatch.setattr(type(server), "fork", noting)
    results: list[Result] = []
    late = late_datasets(folder, 30, solver, settings)
    run_campaign([], settings, quiet=True, keep=results.append, late=late)
    assert len(results) == 30
    return Counted({int(each.dataset[1:]) + 1: each for each in results}, len(forks))


OWN = """
class Own:
    def add_clause(self, clause):
        self.model = [*range(1, clause[0] + 1)]

    def solve(self, assumptions=()):
        return True

    def get_model(self):
        return self.model

    def get_core(self):
        return []

    def delete(self):
        pass
"""
"""A solver for these formulas: the last variable stands in a clause of its own."""


@pytest.mark.parametrize("check", [False, True])
def test_few_processes_serve_many_formulas(
    check: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads have a solver and a judge each. A Python file of somebody's is new each time."""
    settings = Settings(check=check)
    ran = counted("minisat22", tmp_path, monkeypatch, settings)
    assert {each.status for each in ran.results.values()} == {Status.OK}
    assert {each.verdict for each in ran.results.values()} == {Verdict.PROVED if check else None}
    assert ran.forks <= 4
    own = tmp_path / "own.py"
    own.write_text(OWN)
    assert counted(f"{own}:Own", tmp_path, monkeypatch, settings).forks > 30


def test_a_formula_that_harms_its_process_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "solver.sh"
    script.write_text(SCRIPT)
    settings = Settings(limits=Limits(3.0))
    ran = counted(f"sh {script} {{cnf}}", tmp_path, monkeypatch, settings)
    bad = {5: Status.CRASH, 7: Status.TIMEOUT, 9: Status.UNKNOWN}
    for variables, result in ran.results.items():
        assert (variables, result.status) == (variables, bad.get(variables, Status.OK))
        if result.status is Status.OK:
            assert result.verdict is Verdict.PROVED
    starts = Counter(map(int, script.with_suffix(".sh.started").read_text().split()))
    assert (starts[7], starts[9]) == (1, 2), "none is made again; one is asked for its proof"
    assert ran.forks < 15


def test_files_are_chosen_by_their_names_before_they_are_read(tmp_path: Path) -> None:
    late = late_datasets(tmp_path, 11, "minisat22", Settings())
    (tmp_path / "f10.cnf").write_bytes(b"not a formula")
    _, chosen = select([], "f1 and not f10", late)
    assert [each.name for each in chosen] == ["f1"]
    assert [each.runs for each in chosen] == [1]
    with pytest.raises(UserError, match="leaves nothing to run; the names here are"):
        select([], "nobody", late)


def reply(number: int, solver: str, seconds: float, claim: int | None = 1, **values: Any) -> Result:
    values = {"status": Status.OK if claim is not None else Status.TIMEOUT, **values}
    return record(
        puzzle="formula",
        contender=f"models:sat@{solver}",
        dataset=f"f{number}",
        digest=f"{number:016x}",
        format="competition",
        claims=None if claim is None else np.array([claim]),
        wall_s=seconds,
        **values,
    )


def test_solvers_are_ranked_by_par_2() -> None:
    """The scores are computed by hand, with a limit of 10 s."""
    results = [
        *(reply(k, "quick", 1.0, claim) for k, claim in ((1, 1), (2, 0), (3, 1), (4, 0))),
        *(reply(k, "stops", 0.5, claim) for k, claim in ((1, 1), (2, 0), (3, 1))),
        reply(4, "stops", 10.0, None),
        *(reply(k, "skips", 0.1, 1) for k in (1, 3)),
        *(reply(k, "skips", 0.0, None, status=Status.SKIPPED, reason="no") for k in (2, 4)),
        *(reply(k, "lies", 0.2, 1, check=Verdict.PROVED) for k in (1, 3)),
        *(reply(k, "lies", 0.2, 1, check=Verdict.REFUTED) for k in (2, 4)),
    ]
    comparison = Comparison.of(results)
    rows = ranking_table(comparison.puzzles["formula"], 10.0).for_programs()
    shown = [[row[name] for name in ("rank", "solver", "sat", "unsat")] for row in rows]
    assert shown == [
        [1, "quick", 2, 2],
        [2, "stops", 2, 1],
        [None, "skips", 2, 0],
        [None, "lies", 2, 0],
    ]
    scores = [(row["solved"], row["unsolved"], row["par2_s"]) for row in rows]
    assert scores == [
        (4, 0, 1.0),
        (3, 1, pytest.approx((1.5 + 20) / 4)),
        (2, 0, pytest.approx(0.1)),
        (2, 2, pytest.approx((0.4 + 40) / 4)),
    ]


def test_the_ranking_says_who_is_not_told_apart_and_how_many_times_as_long_each_takes() -> None:
    """`even` and `odd` take turns in being faster; `half` takes half of what `even` takes."""
    results = [
        reply(k, solver, seconds)
        for k in range(1, 9)
        for solver, seconds in (
            ("even", 1.0 + k % 2),
            ("odd", 2.1 - k % 2),
            ("half", (1.0 + k % 2) / 2),
        )
    ]
    part = Comparison.of(results).puzzles["formula"]
    rows: list[dict[str, Any]] = ranking_table(part, 10.0, "even").for_programs()
    assert [(row["solver"], row["not_told_apart"]) for row in rows] == [
        ("half", ""),
        ("even", "3"),
        ("odd", "2"),
    ]
    half, even, odd = (row["times_as_long"] for row in rows)
    assert half == pytest.approx({"ratio": 0.5, "low": 0.5, "high": 0.5})
    assert even == {"ratio": 1.0, "low": None, "high": None}
    assert odd["low"] < 1 < odd["high"]


def test_a_right_proof_of_the_solver_spares_a_proof_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def solve(query: object) -> bool:
        raise AssertionError("nobody else is asked")

    formula = Trace.formula(3, [[1, 2], [1, -2], [-1, 2], [-1, -2, 3], [-1, -2, -3]])
    monkeypatch.setattr(formula_check, "_solve", solve)
    monkeypatch.setattr(formula_check, "_kept", {})
    proved = Reply(False, proof=("1 0", "2 0", "0"))
    checked = check_trace(formula, Replies((Reply(False),), None, proved))
    assert checked.verdict is Verdict.PROVED
    wrong = Trace.formula(3, [[1, 2], [1, -2], [-1, 2], [-1, -2, 3]])
    monkeypatch.setattr(formula_check, "_solve", lambda query: True)
    refuted = check_trace(wrong, Replies((Reply(False),), None, proved))
    assert (refuted.verdict, refuted.part) == (Verdict.REFUTED, "UNSAT")


def test_what_is_known_of_formulas_makes_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formula_check, "_kept", {})
    monkeypatch.setattr(formula_check, "_MAX_KEPT", 5)
    for k in range(1, 6):
        (query,) = Trace.formula(k, [[k], [-k]]).queries()
        assert formula_check.status(query) is False
    assert [len(query.clauses) for query in formula_check._kept] == [2, 2]
    (large,) = Trace.formula(9, [[k] for k in range(1, 10)]).queries()
    assert formula_check.status(large) is True
    assert list(formula_check._kept) == [large]


@pytest.mark.parametrize(
    "body",
    [
        *(b"1 -2 0", b"1 0 2", b"-0", b"+1 0", b"1- 0", b"--1 0", b"- 1 0", b"1_0 0", b"0 0", b""),
        *(
            b"3 0",
            b"-3 0",
            b"0001 0",
            b"1" * 19 + b" 0",
            b"0" * 30 + b"1 0",
            b"-" + b"9" * 19 + b" 0",
        ),
        *(b"-9223372036854775808 0", b"1 x 0", b"1.0 0", "١ 0".encode(), b"9" * 5000 + b" 0"),
    ],
)
def test_numbers_are_read_at_once_as_they_are_one_by_one(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"p cnf 2 1\n" + body + b"\n"

    def read() -> object:
        try:
            variables, clauses = dimacs_reader.DimacsReader(text).formula(100)
            return variables, clauses.lists()
        except UserError as error:
            return str(error)

    at_once = read()
    monkeypatch.setattr(dimacs_reader, "_all_numbers", lambda words, variables: None)
    assert read() == at_once


@pytest.mark.parametrize(
    "text",
    [
        *(SATISFIABLE, UNSATISFIABLE, b"p cnf 0 0\n", b"p cnf 3 2\n0\n-3 0\n"),
        *(
            b"c x\n" + SATISFIABLE,
            b"p cnf 2 1\n1\n2 0",
            b"p cnf 2 1\n 1 2 0\n",
            b"p cnf 02 1\n1 0\n",
        ),
        *(
            b"p cnf 2 1\n1 02 0\n",
            b"p cnf 2 1\n1  2 0\n",
            b"p cnf 2 2\n1 0 2 0\n",
            b"p cnf 1 1\n1 0",
        ),
        b"p inccnf\n1 2 0\na -1 0\n3 0\na 0\n",
    ],
)
def test_a_trace_is_the_same_in_another_process_and_keeps_only_other_forms(text: bytes) -> None:
    (trace,) = FORMULA.parse(text)
    same = pickle.loads(pickle.dumps(trace))
    for other in (same, pickle.loads(pickle.dumps(same))):
        assert (other.variables, other.steps, other.written) == (
            trace.variables,
            trace.steps,
            trace.written,
        )
        assert (other.digest, other.text()) == (trace.digest, trace.text())
    if trace.is_formula:
        assert trace.dimacs == text
        assert bool(trace.written) == (trace.plain_text().encode() != text)
