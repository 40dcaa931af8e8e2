"""The write-ups' claims: formulas against brute force, proofs against checkers that search nothing, and claims that are wrong."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import direct
import puzzles
from compare.command_line import main
from compare.fuzz.trial import known
from compare.prove.claims import replay
from models import lemmas
from models.cnf import Formula, session
from models.lemmas import nogo, rup
from models.lemmas.diagram import models_of
from models.lemmas.geography.matchings import all_matchings
from models.lemmas.lemma import Lemma, CountingLemma, Counterexample, FormulaLemma, CounterexampleFormula, fitting, shapes
from models.lemmas.logic import all_of, any_of, less_than, new_variables, one_hot, ranks, rows_of, unary_count
from models.lemmas.minesweeper import concrete
from models.lemmas.minesweeper.exhaustive import closures_of, small_boards
from models.lemmas.nogo import liberties, permanence
from models.lemmas.nogo.positions import legal_positions
from models.lemmas.settle import Prover, Unproved, Verdict, checker_named, model_of, settle
from models.proof import refutation
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Deduction, Minesweeper
from puzzles.nogo.board import without_liberty
from puzzles.text import UserError
from tests.models.test_proof import refutes
from tests.places import PLANTED
from tests.processes import compare, run_module, start_module

SMALL = 3
"""A size at which every lemma of a board is settled at once."""

EVERY = lemmas.every()
OURS = [claim for claim in EVERY if claim.puzzle != "beams"]
TRUE = [claim for claim in OURS if isinstance(claim, FormulaLemma) and claim.expected_to_hold]
SCRIPTED = [claim for claim in TRUE if claim.build(2, 2, False).script is not None]
FALSE = [claim for claim in EVERY if not claim.expected_to_hold]


def lemma(name: str) -> FormulaLemma:
    claim = lemmas.get(name)
    assert isinstance(claim, FormulaLemma)
    return claim


def ids(claim: Lemma) -> str:
    return claim.name


# What a claim comes to


def test_names_are_unique_and_begin_with_the_puzzle() -> None:
    assert len({claim.name for claim in EVERY}) == len(EVERY)
    assert all(claim.name.startswith(f"{claim.puzzle}-") for claim in EVERY)
    assert {claim.puzzle for claim in EVERY} == set(puzzles.names())


@pytest.mark.parametrize("claim", OURS, ids=ids)
def test_a_claim_is_settled_as_expected(claim: Lemma) -> None:
    found = settle(claim, min(claim.size, SMALL) if isinstance(claim, FormulaLemma) else claim.size, Prover())
    assert found.verdict is (Verdict.PROVED if claim.expected_to_hold else Verdict.REFUTED)
    assert bool(found.failure) is not claim.expected_to_hold
    if isinstance(claim, FormulaLemma):
        assert found.twin is not None
        assert found.twin_failure == claim.failure_on(found.twin) != ""


@pytest.mark.slow
@pytest.mark.parametrize("claim", [claim for claim in TRUE if claim.name != "geography-one-less"], ids=ids)
def test_a_lemma_is_proved_up_to_its_bar(claim: FormulaLemma) -> None:
    found = settle(claim, claim.size, Prover())
    assert (found.verdict, found.extent) == (Verdict.PROVED, f"{claim.size}x{claim.size}")


# Formulas against brute force


def boards(rows: int, columns: int, alphabet: str) -> Iterator[tuple[str, ...]]:
    return (rows_of("".join(characters), columns) for characters in product(alphabet, repeat=rows * columns))


def cells(rows: int, columns: int) -> list[tuple[int, int]]:
    return list(product(range(rows), range(columns)))


Brute = Callable[[int, int], Iterator[Counterexample]]
"""(rows, columns) -> every board of that shape, with whatever else a counterexample tells."""


def permanences(rows: int, columns: int) -> Iterator[Counterexample]:
    """Every pair of positions, the later one with all the stones of the earlier, and every move; or any later one, see `fails`."""
    for first, later in product(boards(rows, columns, "XO."), repeat=2):
        for move, colour in product(cells(rows, columns), "XO"):
            yield Counterexample(first, {"later": later, "move": move, "colour": colour})


def chains(rows: int, columns: int) -> Iterator[Counterexample]:
    """Every position, stone and empty point."""
    for position in boards(rows, columns, "XO."):
        for stone, point in product(cells(rows, columns), repeat=2):
            if position[point[0]][point[1]] == ".":
                yield Counterexample(position, {"stone": stone, "point": point})


def clues(rows: int, columns: int) -> Iterator[Counterexample]:
    """Every clue in the middle, with every layout around it, whether it agrees with the clue or not."""
    middle = rows // 2, columns // 2
    for position in boards(rows, columns, "#XO"):
        for digit in "012345678" if position[middle[0]][middle[1]] == "O" else "":
            shown = [list(line) for line in position]
            shown[middle[0]][middle[1]] = digit
            around = [cell for cell in cells(rows, columns) if cell != middle and position[cell[0]][cell[1]] == "#"]
            given = [cell for cell in cells(rows, columns) if position[cell[0]][cell[1]] == "X"]
            for mines in product((False, True), repeat=len(around)):
                told = {"mines": given + [cell for cell, mine in zip(around, mines, strict=True) if mine]}
                for one, other, mine in product(around, around, (False, True)):
                    yield Counterexample(tuple(map("".join, shown)), told | {"cells": (one, other), "mine": mine})


def agrees(example: Counterexample) -> bool:
    """Whether the layout agrees with the clue, all cells being around it."""
    (digit,) = (kind for line in found.rows for kind in line if kind.isdigit())
    return int(digit) == len(found.details["mines"])


def kept(example: Counterexample) -> bool:
    pairs = zip("".join(found.rows), "".join(found.details["later"]), strict=True)
    return all(then in (".", now) for then, now in pairs)


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (1, 3), (2, 2)])
@pytest.mark.parametrize(
    ("name", "every", "holds"),
    [
        ("nogo-permanence", permanences, kept),
        ("nogo-distinct", chains, lambda found: True),
        ("nogo-liberties", chains, lambda found: True),
        ("minesweeper-sound", clues, agrees),
    ],
)
def test_a_formula_has_a_model_just_where_some_board_is_a_counterexample(
    name: str, every: Brute, holds: Callable[[Counterexample], bool], shape: tuple[int, int]
) -> None:
    claim = lemma(name)
    failing = [found for found in every(*shape) if claim.failure_on(found)]
    assert (model_of(claim.build(*shape, False)) is not None) == any(map(holds, failing))
    if name != "nogo-distinct":
        assert not any(map(holds, failing))
    if every is not chains:  # there the twin takes the point to be anywhere
        assert (model_of(claim.build(*shape, True)) is not None) == bool(failing)


@pytest.mark.parametrize("claim", [*TRUE, lemma("nogo-distinct")], ids=ids)
def test_every_model_of_a_twin_is_a_board_on_which_the_conclusion_fails(claim: FormulaLemma) -> None:
    """A hundred of them, of different starting points."""
    from pysat.solvers import Solver

    stated, rng = claim.build(3, 3, True), np.random.default_rng(1)
    seen: set[str] = set()
    with Solver("glucose4", bootstrap_with=stated.formula.clauses) as opened:
        for _ in range(100):
            signs = rng.choice((-1, 1), stated.formula.variables)
            opened.set_phases((signs * np.arange(1, stated.formula.variables + 1)).tolist())
            assert opened.solve()
            values = np.zeros(stated.formula.variables + 1, np.bool_)
            model = np.array(opened.get_model())
            values[model[(model > 0) & (model <= stated.formula.variables)]] = True
            found = stated.decode(values)
            assert claim.failure_on(found)
            seen.add(f"{found}")
            opened.add_clause([-int(x) for x in model[: stated.formula.variables]])
    assert len(seen) > 3


@pytest.mark.parametrize(
    ("name", "least"), [("geography-reply", 2), ("geography-play", 2), ("geography-exclusive", 2), ("geography-one-less", 4)]
)
def test_a_geography_twin_needs_as_many_cells_as_it_must(name: str, least: int) -> None:
    """A move has no answer on two cells that are not matched; there too one wins from the cell that the empty matching leaves out.

    Two pairs fewer take four cells.
    """
    claim = lemma(name)
    for size in range(1, 5):
        for shape in shapes(size):
            found = model_of(claim.build(*shape, True))
            assert (found is not None) is (size >= least)
            assert found is None or claim.failure_on(found)


@pytest.mark.parametrize("most", [1, 3, 5])
def test_counters_gates_choices_and_ranks(most: int) -> None:
    formula = Formula()
    inputs = new_variables(formula, 5)
    least = unary_count(formula, inputs, most)
    every, any_of = all_of(formula, *inputs), any_of(formula, *inputs)
    with session(formula) as opened:
        for values in product((False, True), repeat=5):
            assert opened.solve([x if value else -x for x, value in zip(inputs, values, strict=True)])
            model = opened.model()
            assert [bool(model[x]) for x in least] == [sum(values) > k for k in range(min(most, 5))]
            assert (model[every], not model[-any_of]) == (all(values), any(values))
    formula = Formula()
    chosen, (lower, higher), condition = one_hot(formula, 6), ranks(formula, 2, 4), formula.new()
    less_than(formula, condition, lower, higher)
    with session(formula) as opened:
        for one, other in product(range(6), repeat=2):
            assert opened.solve([chosen[one], chosen[other]]) is (one == other)
        assert not opened.solve([-x for x in chosen])
        for a, b in product(range(5), repeat=2):
            exact = [x if k < n else -x for number, n in ((lower, a), (higher, b)) for k, x in enumerate(number)]
            assert opened.solve([condition, *exact]) is (a < b)
            assert opened.solve([-condition, *exact])


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 2), (2, 3)])
def test_counts_against_brute_force(shape: tuple[int, int]) -> None:
    pytest.importorskip("pysdd")
    positions = sum(not without_liberty(grid_of(position)).size for position in boards(*shape, "XO."))
    assert models_of(legal_positions(*shape)) == positions
    pairs = [(a, b) for a, b in product(cells(*shape), repeat=2) if a < b and abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    chosen = ([pair for pair, taken in zip(pairs, mask, strict=True) if taken] for mask in product((0, 1), repeat=len(pairs)))
    matchings = sum(len({cell for pair in some for cell in pair}) == 2 * len(some) for some in chosen)
    assert models_of(all_matchings(*shape)) == matchings


def test_a_wrong_number_is_not_proved() -> None:
    pytest.importorskip("pysdd")
    claim = lemmas.get("nogo-positions")
    assert isinstance(claim, CountingLemma)
    found = settle(replace(claim, published={(1, 1): 1, (2, 2): 56}), 16, Prover())
    assert (found.verdict, found.reason) == (Verdict.UNPROVED, "2x2: 57 models, and 56 published")


@pytest.mark.parametrize("shape", [(1, 4), (2, 2), (2, 3)])
def test_the_swept_closure_is_the_prose_and_the_backend(shape: tuple[int, int]) -> None:
    """Every board of covered cells and clues: those that have a layout, what is certain, the rounds, what they mark."""
    digits, covered, always, ever = small_boards(*shape)
    rounds, mines, safe = closures_of(*shape, digits, covered)
    swept = {}
    for k in range(len(digits)):
        characters = np.where(covered[k], "#", digits[k].astype(str)).tolist()
        swept[rows_of("".join(characters), shape[1])] = tuple(int(each[k]) for each in (always, ever, rounds, mines, safe))

    def bits(some: list[tuple[int, int]]) -> int:
        return sum(1 << (row * shape[1] + column) for row, column in some)

    consistent = 0
    for rows in boards(*shape, "#0123"):
        layouts = concrete.layouts_of(rows)
        if not layouts:
            assert rows not in swept
            continue
        consistent += 1
        marks = concrete.rounds_of(rows)
        found = {cell: mine for each in marks for cell, mine in each.items()}
        expected = (
            bits([cell for cell in layouts[0] if all(each[cell] for each in layouts)]),
            bits([cell for cell in layouts[0] if any(each[cell] for each in layouts)]),
            len(marks),
            bits([cell for cell, mine in found.items() if mine]),
            bits([cell for cell, mine in found.items() if not mine]),
        )
        assert swept[rows] == expected
        answer = direct.solve(Minesweeper(grid_of(rows)), "two-sat")
        assert isinstance(answer, Deduction)
        assert bits([divmod(int(cell), shape[1]) for cell in answer.mines]) == expected[3]
        assert bits([divmod(int(cell), shape[1]) for cell in answer.safe]) == expected[4]
    assert consistent == sum(not set("".join(rows)) - set("#0123") for rows in swept)


# Proofs and their checkers


def lines(stated: CounterexampleFormula) -> list[str]:
    """The steps of the script, or of a proof that a solver finds."""
    if stated.script is None:
        return refutation(stated.formula) or []
    return [" ".join(map(str, [*clause, 0])) for clause in stated.script()]


@pytest.mark.parametrize("claim", TRUE, ids=ids)
def test_proofs_by_search_and_by_script_are_replayed_by_plain_propagation(claim: FormulaLemma) -> None:
    stated = claim.build(2, 2, False)
    steps = lines(stated)
    assert refutes(stated.formula.clauses, steps)
    assert rup.check(stated.formula, rup.steps(steps)) > 1
    search = refutation(stated.formula, "glucose4")
    assert search is not None
    assert refutes(stated.formula.clauses, search)


@pytest.mark.parametrize("claim", SCRIPTED, ids=ids)
def test_a_wrong_step_is_refused_where_it_stands(claim: FormulaLemma) -> None:
    stated = claim.build(3, 3, False)
    assert stated.script is not None
    steps = [list(clause) for clause in stated.script()]
    with session(stated.formula, "glucose4") as opened:
        variables = range(1, stated.formula.variables + 1)
        wrong = next([x] for x in variables if opened.unless_refuted([-x]) is not None)
    for place in (0, 7, 20):
        with pytest.raises(rup.WrongStep) as caught:
            rup.check(stated.formula, [*steps[:place], wrong, *steps[place:]])
        assert (caught.value.step, caught.value.clause) == (place + 1, tuple(wrong))
    with pytest.raises(rup.WrongStep, match=r"step 1: the empty clause does not follow"):
        rup.check(stated.formula, steps[-1:])
    with pytest.raises(rup.WrongStep):
        rup.check(stated.formula, steps[: len(steps) // 2])


def test_a_step_that_keeps_satisfiability_but_does_not_follow_is_refused() -> None:
    """A unit clause over a new variable may be added to any formula (RAT), and follows from none."""
    formula = Formula()
    formula.new(3)
    for clause in ([1, 2], [-1, 2], [1, -2], [-1, -2]):
        formula.add(*clause)
    assert rup.check(formula, [[2], []]) == 2
    with pytest.raises(rup.WrongStep, match="step 1: the clause 3 does not follow"):
        rup.check(formula, [[3], [2], []])


def test_a_script_with_a_wrong_step_leaves_the_claim_unproved() -> None:
    def state(rows: int, columns: int, without_hypothesis: bool) -> CounterexampleFormula:
        stated = permanence._permanence(rows, columns, without_hypothesis)
        return replace(stated, script=lambda: [[1], *(stated.script or tuple)()])

    found = settle(replace(lemma("nogo-permanence"), build=build), 2, Prover())
    assert (found.verdict, found.reason) == (Verdict.UNPROVED, "step 1: the clause 1 does not follow by unit propagation")


OUTSIDE = f"{sys.executable} -m models.lemmas.rup {{cnf}} {{proof}}"


@pytest.mark.parametrize("claim", [lemma("nogo-permanence"), lemma("geography-exclusive")], ids=ids)
def test_an_outside_checker_is_asked_and_believed(claim: FormulaLemma) -> None:
    name, check = checker_named(OUTSIDE)
    assert name == f"{Path(sys.executable).name} -m models.lemmas.rup"
    assert settle(claim, 3, Prover(check=check)).verdict is Verdict.PROVED
    stated = claim.build(3, 3, False)
    with pytest.raises(Unproved, match="does not verify the proof: s NOT VERIFIED"):
        check(stated.formula, "a formula", lines(stated)[-1:])


@pytest.mark.parametrize("name", ["drat-trimmed", "no-such-checker {cnf} {proof}", "rup {cnf}", "a '{cnf} {proof}"])
def test_a_checker_that_is_none(name: str) -> None:
    with pytest.raises(UserError, match="checker"):
        checker_named(name)


@pytest.mark.parametrize(
    ("cnf", "proof", "status", "said"),
    [
        ("p cnf 1 2\n1 0\n-1 0\n", "0\n", 0, "s VERIFIED"),
        ("c free\np cnf 2 3\n1 2 0\n-1 2 0\n-2 0\n", "2 0\nd 1 2 0\n0\n", 0, "s VERIFIED"),
        ("p cnf 2 1\n1 2 0\n", "1 0\n0\n", 1, "s NOT VERIFIED"),
        ("p cnf 2 2\n1 2 0\n", "0\n", 2, "2 clauses are announced, and there are 1"),
        ("p cnf 1 1\n2 0\n", "0\n", 2, "formula.cnf:2:1: literal 2 is out of range for 1 variables"),
        ("1 0\n", "0\n", 2, "formula.cnf:1:1: a formula begins with"),
        ("p cnf 9999999999 1\n1 0\n", "0\n", 2, "formula.cnf:1:7: more than 67108864 variables"),
        ("p cnf 2 4\n1 2 0 -1 2 0\n1\n-2 0 -1 -2 0\n", "2 0 d 1 2 0 0\n", 0, "c 2 steps\ns VERIFIED"),
        ("p cnf 1 2\n1 0\n-1\n", "0\n", 2, "formula.cnf:3:3: the text ends within a clause; expected 0"),
        ("p cnf 1 2\n1 0\n-1 0\n", "d 1", 2, "proof.drat:1:4: the text ends within a clause; expected 0"),
        ("p cnf 1 2\n1 0\n-1 0\n", "1 x 0\n", 2, "proof.drat:1:3: 'x' is neither a literal nor the 0 after a clause"),
        ("p cnf 1 2\n1 0\n-1 0\n", "1 0\n99999999999999999999 0\n", 2, "proof.drat:2:1: '99999999999999999999' is neither"),
        ("p cnf 2 1\n1 2 0\n", "2 2000000000 0\n", 2, "proof.drat:1:3: literal 2000000000 is beyond the formula's 2 variables"),
        ("p cnf 2 1\n1 2 0\n", "1 0\n", 1, "step 1: the clause 1 does not follow by unit propagation; it may be a RAT step"),
        ("p cnf 2 1\n1 2 0\n", "", 1, "step 1: the empty clause does not follow by unit propagation\ns NOT"),
    ],
)
def test_the_checker_as_a_program(
    cnf: str, proof: str, status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "formula.cnf").write_text(cnf)
    (tmp_path / "proof.drat").write_text(proof)
    assert rup.main([str(tmp_path / "formula.cnf"), str(tmp_path / "proof.drat")]) == status
    told = capsys.readouterr()
    assert said in (told.err if status == 2 else told.out)


def test_the_checker_interrupted_or_without_room_for_what_it_says(tmp_path: Path) -> None:
    cnf, drat = tmp_path / "formula.cnf", tmp_path / "proof.drat"
    cnf.write_text("p cnf 1 2\n1 0\n-1 0\n")
    os.mkfifo(drat)
    # the proof can be opened as soon as the checker waits for it
    with start_module("models.lemmas.rup", str(cnf), str(drat)) as started, drat.open("w"):
        started.send_signal(signal.SIGINT)
        assert started.communicate(timeout=60) == ("", "interrupted\n")
    assert started.returncode == 130
    drat.unlink()
    drat.write_text("0\n")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            ended = run_module("models.lemmas.rup", str(cnf), str(drat), stdout=full)
        assert (ended.returncode, ended.stderr) == (2, "standard output: No space left on device\n")


def test_a_step_of_a_solver_that_does_not_follow_may_be_rat() -> None:
    found = settle(lemma("nogo-liberties"), 2, Prover("maplesat"))
    assert found.verdict is Verdict.UNPROVED
    assert found.reason.endswith(f"does not follow by unit propagation; {rup.MAYBE_RAT}")


# Claims that are wrong


def _no_twin(claim: FormulaLemma) -> FormulaLemma:
    """The claim without its hypothesis, taken for true."""
    return replace(
        claim, name=f"{claim.puzzle}-wrong", build=lambda rows, columns, without_hypothesis: claim.build(rows, columns, True)
    )


@pytest.mark.parametrize(
    ("claim", "every", "largest"),
    [(lemma("nogo-permanence"), permanences, 4), (lemma("minesweeper-sound"), clues, 3)],
    ids=lambda value: value.name if isinstance(value, FormulaLemma) else "",
)
def test_a_false_lemma_is_refuted_by_a_minimal_board(claim: FormulaLemma, every: Brute, largest: int) -> None:
    found = settle(_no_twin(claim), 3, Prover())
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert claim.failure_on(found.counterexample) == found.failure != ""
    smallest = len("".join(found.counterexample.rows))
    failing = [shape for size in range(1, largest + 1) for shape in shapes(size) if any(map(claim.failure_on, every(*shape)))]
    assert failing[0][0] * failing[0][1] == smallest


def test_a_false_lemma_ends_the_command_with_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(nogo, "LEMMAS", (_no_twin(lemma("nogo-permanence")),))
    assert main(["prove", "nogo-wrong", "-q"]) == 1
    said = capsys.readouterr().out
    assert "nogo-wrong is REFUTED (1x2, and no smaller board that fits into 13x13)" in said
    assert said.splitlines()[-1].startswith("NOT AS EXPECTED: nogo-wrong; 1 REFUTED; ")


def test_a_formula_that_says_nothing_and_a_board_that_is_no_failure_are_not_believed() -> None:
    claim = lemma("geography-exclusive")
    vacuous = replace(claim, build=lambda rows, columns, without_hypothesis: claim.build(rows, columns, False))
    found = settle(vacuous, 2, Prover())
    assert (found.verdict, found.reason[:36]) == (Verdict.UNPROVED, "the formula says nothing of 2x2 boar")
    found = settle(replace(claim, failure_on=lambda found: ""), 2, Prover())
    assert (found.verdict, found.reason[:32]) == (Verdict.UNPROVED, "without the hypothesis that the ")
    wrong = replace(lemma("nogo-distinct"), failure_on=partial(liberties._counted_fails, distinct=False))
    found = settle(wrong, 3, Prover())
    assert found.verdict is Verdict.UNPROVED


@pytest.mark.parametrize("claim", FALSE, ids=ids)
def test_the_board_of_a_refuted_claim_is_bundled_and_replayed(claim: Lemma) -> None:
    """The same that `prove` finds, or another as small: `fuzz` begins with it."""
    puzzle = puzzles.get(claim.puzzle)
    path = puzzle.data / "refuted" / f"{claim.name.removeprefix(f'{claim.puzzle}-')}.in"
    (board,) = puzzle.parse(path.read_text(), str(path))
    found = settle(claim, claim.size, Prover()).counterexample
    assert found is not None
    assert board.cells == len("".join(found.rows))
    for rows in {found.rows, tuple(board.lines())}:
        assert replay(claim, replace(found, rows=rows)).stands


def test_fuzzing_begins_with_the_bundled_boards(tmp_path: Path) -> None:
    """Three rounds of the closure are caught within twenty boards, by the one that needs four."""
    assert set(known(puzzles.get("minesweeper"))) >= {Minesweeper(grid_of(("######", "#22#20")))}
    planted = PLANTED / "minesweeper.py"
    words = ["fuzz", "minesweeper", "-b", "two-sat", "-b", "three-rounds", "--plugin", str(planted), "--cases", "20"]
    ended = compare(*words, "--jobs", "1", "--save", str(tmp_path))
    assert ended.returncode == 1
    assert "CONFLICT: " in ended.stdout
    (saved,) = tmp_path.glob("*.in")
    assert saved.read_text().startswith(("1\n2 6\n", "1\n6 2\n"))


RIGHT = [("nogo-distinct", ("X.", "..")), ("minesweeper-rounds", ("#1",)), ("minesweeper-complete", ("#1",))]


@pytest.mark.parametrize(("name", "rows"), RIGHT)
def test_a_board_on_which_the_claim_is_right_refutes_nobody(name: str, rows: tuple[str, ...]) -> None:
    again = replay(lemmas.get(name), Counterexample(rows))
    assert (again.stands, again.said) == (False, "what it would answer is not refuted")


# The command


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["prove", *words])
    return status, capsys.readouterr().out


def test_json_says_everything(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = run(capsys, "nogo-distinct", "minesweeper-sound", "--format", "json")
    sound, distinct = map(json.loads, said.splitlines())
    assert status == 0
    assert (sound["verdict"], sound["by"], len(sound["twin"])) == ("PROVED", "search", 3)
    assert sound["hypothesis"] == "the layout agrees with the clue"
    assert (distinct["verdict"], distinct["extent"], distinct["expected"]) == ("REFUTED", "2x2", True)
    assert sorted("".join(distinct["board"])) in (sorted("XXX."), sorted("OOO."))
    assert distinct["failure"].endswith("is left no liberty")


def test_formula_and_proof_go_to_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = run(capsys, "geography-play", "--size", "2", "--proof", str(tmp_path / "proofs"), "--checker", "rup")
    assert status == 0
    assert "2x2" in said
    assert "without the hypothesis that the matching is maximum:" in said
    cnf, drat = sorted((tmp_path / "proofs").iterdir())
    assert (cnf.name, drat.name) == ("geography-play-2x2.cnf", "geography-play-2x2.drat")
    assert "is the start" in cnf.read_text()
    assert refutes(rup.read_formula(str(cnf)).clauses, drat.read_text().splitlines())


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("minesweeper-complete", 7, "no counterexample up to 7 cells; REFUTED at 8 cells"),
        ("beams-opposite-illegal", 2, "no counterexample up to 2x2; REFUTED at 3x3"),
    ],
)
def test_up_to_a_small_size_a_wrong_claim_has_no_counterexample(
    name: str, size: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, told = run(capsys, name, "--size", str(size), "--checker", "rup")
    assert status == 0
    assert f"{name}: {said}\n" in told
    assert told.splitlines()[-1].startswith("AS EXPECTED; 1 NO COUNTEREXAMPLE; ")


def test_a_wrong_claim_without_a_counterexample_where_there_is_one_is_not_as_expected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nogo, "LEMMAS", (replace(lemma("nogo-permanence"), size=2, expected_to_hold=False),))
    status, said = run(capsys, "nogo-permanence")
    assert (status, "NOT AS EXPECTED: nogo-permanence; 1 NO COUNTEREXAMPLE" in said) == (1, True)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_shapes_that_fit_are_all_of_them_once_and_smaller_ones_first(size: int) -> None:
    fit = fitting(size)
    assert sorted(fit) == [(rows, columns) for rows in range(1, size + 1) for columns in range(rows, size + 1)]
    assert [rows * columns for rows, columns in fit] == sorted(rows * columns for rows, columns in fit)


@pytest.mark.parametrize(
    "claim", [claim for claim in EVERY if isinstance(claim, FormulaLemma) and claim.largest_size is None], ids=ids
)
def test_a_lemma_starts_at_the_first_size_that_says_anything(claim: FormulaLemma) -> None:
    with_a_twin = [size for size in range(1, 4) if model_of(claim.build(size, size, True)) is not None]
    assert with_a_twin == list(range(claim.smallest_size, 4))


def test_counts_end_where_nothing_more_is_published() -> None:
    counted = [claim for claim in EVERY if isinstance(claim, CountingLemma)]
    assert len(counted) == 2
    assert all(claim.largest_size == claim.size == max(rows * columns for rows, columns in claim.published) for claim in counted)


@pytest.mark.parametrize(
    ("name", "extent", "said"),
    [
        ("minesweeper-sound", "3x3", "settled up to 3x3, and not 100: the claim is about one clue"),
        ("geography-matchings", "4x4", "settled up to 16 cells, and not 100: the published numbers end there"),
    ],
)
def test_a_size_beyond_the_claim_is_said_to_be(name: str, extent: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "geography-matchings":
        pytest.importorskip("pysdd")
    assert said in run(capsys, name, "--size", "100")[1]
    told = json.loads(run(capsys, name, "--size", "100", "--format", "json")[1])
    assert (told["extent"], told["asked"], told["expected"]) == (extent, 100, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "3"], "--size goes with the names of claims"),
        (["nogo", "--size", "1"], "nogo-permanence starts at size 2; nogo-liberties starts at size 2; nogo-distinct starts at"),
        (["minesweeper-sound", "--size", "2"], "minesweeper-sound starts at size 3"),
        (["nogo-permanence", "--proof", __file__], f"{__file__}: not a folder"),
        (["nogo-permanence", "--proof", f"{__file__}/proofs"], f"{__file__}/proofs: not a folder"),
        (["nogo-permanence", "--proof", "/proc/1"], "/proc/1: no file can be written there: "),
        (["nogo-permanence", "--checker", "a '{cnf} {proof}"], "is no command: No closing quotation"),
        (["nogo-permanent"], "nogo-permanent"),
        (["nogo-permanence", "--solver", "minisat22"], "minisat22 keeps no proofs; those that do: "),
        (["nogo-permanence", "--checker", "nobody"], "a checker is rup"),
    ],
)
def test_bad_usage(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *words]) == 2
    told = capsys.readouterr()
    assert (said in told.err, told.out) == (True, "")


def test_an_unknown_solver_is_told_those_that_keep_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "nogo-permanence", "--solver", "nope"]) == 2
    said = capsys.readouterr().err
    assert "unknown solver 'nope': choose from " in said
    assert "cadical153" in said
    assert "minisat22" not in said


def test_a_disk_that_fills_up_is_no_verdict_and_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The formula goes to a device that is full."""
    (tmp_path / "nogo-permanence-2x2.cnf").symlink_to("/dev/full")
    words = ["prove", "minesweeper-complete", "nogo-permanence", "--size", "2", "--proof", str(tmp_path)]
    assert main(words) == 2
    told = capsys.readouterr()
    assert told.err == f"{tmp_path / 'nogo-permanence-2x2.cnf'}: No space left on device\n"
    assert told.out.splitlines()[-1].startswith("STOPPED after 1 of 2 claims; 1 NO COUNTEREXAMPLE; ")


def test_a_checker_that_cannot_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "checker"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    assert main(["prove", "nogo-permanence", "--size", "2", "--checker", f"{program} {{cnf}} {{proof}}"]) == 2
    assert f"the checker {program} cannot be run: Exec format error" in capsys.readouterr().err


def test_interrupted_it_says_how_far_it_came(tmp_path: Path) -> None:
    """While the second claim's proof is being checked, by a checker that says so and waits."""
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    checker = f"sh -c 'echo {{cnf}} {{proof}} > {reached}; sleep 100'"
    words = ["prove", "minesweeper-complete", "nogo-permanence", "--size", "8", "--checker", checker]
    with start_module("compare", *words) as started:
        assert "formula.cnf" in reached.read_text()
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    assert out.splitlines()[-1].startswith("INTERRUPTED after 1 of 2 claims; 1 REFUTED; ")
    assert "AS EXPECTED" not in out


def test_what_is_stopped_is_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["nogo-permanence", "--size", "19", "--timeout", "0.2"]
    assert main(["prove", *words]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("NOTHING SETTLED; 1 not settled; ")
    assert main(["prove", *words, "--strict", "-q"]) == 3
    capsys.readouterr()
    assert main(["prove", "minesweeper-complete", "nogo-permanence", "--size", "100", "--timeout", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("AS EXPECTED, as far as settled; 1 REFUTED, 1 not settled; ")
