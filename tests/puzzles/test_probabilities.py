"""Minesweeper counted: exact probabilities, numbers of mines, reasons and next moves, against every layout enumerated."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from compare.campaign.relation import Relation, Stance, relate
from direct import SIDE as DIRECT
from direct import thresholds
from direct.minesweeper import contraction, probabilities
from models import SIDE as MODELS
from puzzles import minesweeper
from puzzles.backend import Side, Unsupported
from puzzles.minesweeper import why
from puzzles.minesweeper.board import COVERED, MINE, SAFE, Certificate, Core, Deduction, Minesweeper
from puzzles.minesweeper.why import Reason
from puzzles.shared_command import main
from puzzles.text import UserError
from puzzles.verdict import Verdict
from tests.pictures import shown
from tests.places import ROOT
from tests.puzzles.minesweeper_boards import family, numbers, of, seeded, solved, views

PUZZLE = minesweeper.PUZZLE
WITHOUT_PYSDD = pytest.mark.skipif(find_spec("pysdd") is None, reason="pysdd is not installed")
COMPLETE = [
    (DIRECT, "frontier"),
    (MODELS, "cnf"),
    (MODELS, "cnf-totalizer"),
    (MODELS, "cpsat"),
    pytest.param(MODELS, "count", marks=WITHOUT_PYSDD),
]


def layouts(board: Minesweeper, clues: NDArray[np.int64] | None = None, counted: bool = True) -> NDArray[np.bool_]:
    """Every layout of the mines that agrees with the clues (all, or the cells given) and the number of mines."""
    kind = board.grid.ravel()
    covered = np.flatnonzero(kind == COVERED)
    every = np.zeros((2**covered.size, board.cells), np.bool_)
    every[:, kind == MINE] = True
    every[:, covered] = (np.arange(2**covered.size)[:, None] >> np.arange(covered.size)) & 1
    around = numbers(every.reshape(-1, *board.grid.shape)).reshape(-1, board.cells)
    if clues is None:
        clues = np.flatnonzero((kind == ord(".")) | ((kind >= ord("0")) & (kind <= ord("8"))))
    asked = np.where(kind == ord("."), 0, kind.astype(np.int64) - ord("0"))
    fits = (around[:, clues] == asked[clues]).all(axis=1)
    if counted and board.mines is not None:
        fits &= every.sum(axis=1) == board.mines
    return every[fits]


def with_counts(boards: Iterator[Minesweeper], step: int) -> Iterator[Minesweeper]:
    """Each board without a number of mines and with some numbers, also such as no layout has."""
    for index, board in enumerate(boards):
        yield board
        most = int(np.isin(board.grid, (COVERED, MINE)).sum()) + 1
        for mines in range(index % step, most + 1, step):
            yield Minesweeper(board.grid, mines)


def judge(board: Minesweeper, answer: Deduction) -> None:
    """The layouts counted are those enumerated."""
    every = layouts(board)
    chances = answer.chances
    assert answer.consistent == (len(every) > 0), board.text()
    if chances is None:
        assert not answer.consistent
        assert answer.probability == ()
        return
    certain = np.isin(board.grid.ravel(), (COVERED, MINE, SAFE)).tolist()
    with_mine = every.sum(axis=0).tolist()
    wanted = tuple(Fraction(mine, len(every)) if known else None for mine, known in zip(with_mine, certain, strict=True))
    assert answer.probability == wanted, board.text()
    assert chances.layouts == len(every)
    totals, counts = np.unique(every.sum(axis=1), return_counts=True)
    assert chances.distribution == dict(zip(totals.tolist(), counts.tolist(), strict=True))
    assert chances.mines == (totals[0], totals[-1])
    assert chances.expected == sum(filter(None, wanted), Fraction(0))
    marks = ["O" if each == 0 else "X" if each == 1 else "#" for each in wanted]
    shown = "".join(answer.board.lines())
    assert all(mark == kind for mark, kind, known in zip(marks, shown, certain, strict=True) if known), board.text()


@pytest.mark.parametrize(("rows", "columns", "every"), [(1, 5, 1), (2, 3, 1), (3, 3, 19), (2, 4, 7)])
def test_views_are_counted_exactly(rows: int, columns: int, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    for board in with_counts(islice(views(rows, columns), 0, None, every), 1 if rows * columns < 8 else 3):
        answer = DIRECT.solve(board, probabilities=True)
        assert isinstance(answer, Deduction)
        judge(board, answer)


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_boards_with_flags_and_wrong_clues_are_counted_exactly(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    for board in with_counts(seeded(250, 1, 12), 3):
        answer = DIRECT.solve(board, probabilities=True)
        assert isinstance(answer, Deduction)
        judge(board, answer)


@pytest.mark.parametrize(("side", "backend"), COMPLETE)
def test_the_number_of_mines_decides_and_is_proved(side: Side, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    decided = 0
    for board in with_counts(seeded(100, 2, 12), 4):
        every = layouts(board)
        answer = solved(board, side, backend)
        claims = answer.claims.tolist()
        assert claims[0] == (len(every) > 0), board.text()
        if len(every):
            either = np.where(every.all(axis=0), 1, np.where(every.any(axis=0), 2, 0))
            assert claims[1:] == either.tolist(), board.text()
        check = PUZZLE.check(board, answer)
        assert check.verdict is Verdict.PROVED, f"{check.detail}\n{board.text()}"
        decided += any(core.counted for core in answer.certificate.cores)
    assert decided > 20


def test_components_that_are_contracted_give_the_same_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    board = family("isolated", 24, 1)
    along = probabilities(board)
    monkeypatch.setattr(thresholds, "COUNTED_CELLS", 1)
    contracted = probabilities(board)
    assert along is not None
    assert contracted is not None
    assert along.exact == contracted.exact
    assert along.distribution == contracted.distribution
    for small in with_counts(seeded(120, 5, 12), 4):
        answer = DIRECT.solve(small, probabilities=True)
        assert isinstance(answer, Deduction)
        judge(small, answer)


def test_too_wide_a_component_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contraction, "MOST_BYTES", 10_000)
    board = family("isolated", 40, 1)
    with pytest.raises(Unsupported, match=r"^too wide: [0-9]+ clues are open at once in a component of [0-9]+ cells$"):
        probabilities(board)


def test_wide_components_are_counted() -> None:
    rng = np.random.default_rng(1)
    mines = rng.random((40, 40)) < 0.2
    opened = ~mines & (rng.random((40, 40)) < 0.3)
    board = Minesweeper(np.where(opened, ord("0") + numbers(mines), COVERED).astype(np.uint8), int(mines.sum()))
    result = probabilities(board)
    assert result is not None
    assert result.expected == board.mines
    truth = solved(board, MODELS, "cnf", certify=False).claims[1:].tolist()
    assert truth == [0 if p is None else p if p in (0, 1) else 2 for p in map(result.of, range(board.cells))]


def expert(seed: int) -> Minesweeper:
    """A game under way on 16 x 30 with 99 mines."""
    rng = np.random.default_rng(seed)
    mines = np.zeros(480, np.bool_)
    mines[rng.choice(480, 99, replace=False)] = True
    mines = mines.reshape(16, 30)
    around = numbers(mines)
    blank = ~mines & (around == 0)
    opened = blank | (numbers(blank) > 0) | (~mines & (rng.random((16, 30)) < 0.3))
    return Minesweeper(np.where(opened & ~mines, ord("0") + around, COVERED).astype(np.uint8), 99)


@pytest.mark.parametrize("seed", range(3))
def test_expert_boards_add_up_and_the_sides_agree(seed: int) -> None:
    board = expert(seed)
    chances = probabilities(board)
    assert chances is not None
    assert chances.expected == 99
    answers = [solved(board, DIRECT, "frontier"), solved(board, MODELS, "cnf")]
    assert answers[0].claims.tolist() == answers[1].claims.tolist()
    assert [PUZZLE.check(board, answer).verdict for answer in answers] == [Verdict.PROVED] * 2
    claims = answers[1].claims[1:]
    for cell, chance in enumerate(answers[0].probability):
        assert claims[cell] == (0 if chance is None else chance if chance in (0, 1) else 2)


def test_without_a_number_of_mines_components_are_independent() -> None:
    board = family("d20", 24, 2)
    chances = probabilities(board)
    assert chances is not None
    assert sum(chances.distribution.values()) == chances.layouts
    assert min(chances.distribution) == chances.mines[0]
    assert max(chances.distribution) == chances.mines[1]
    for mines, counted in chances.distribution.items():
        with_count = probabilities(Minesweeper(board.grid, mines))
        assert with_count is not None
        assert with_count.layouts == counted
        assert with_count.expected == mines


@pytest.mark.parametrize("seed", range(4))
def test_the_engines_agree(seed: int) -> None:
    pytest.importorskip("pysdd")
    whole = expert(seed)
    for board in (whole, Minesweeper(whole.grid), family("d20", 24, seed), family("isolated", 12, seed)):
        ours, theirs = probabilities(board), MODELS.solve(board, "count")
        assert ours is not None
        assert isinstance(theirs, Deduction)
        assert theirs.chances is not None
        assert ours.exact == theirs.chances.exact
        assert ours.fractions[2:]
        assert ours.distribution == theirs.chances.distribution


def test_nothing_but_covered_cells() -> None:
    board = Minesweeper(np.full((30, 30), COVERED, np.uint8), 200)
    chances = probabilities(board)
    assert chances is not None
    assert set(chances.fractions[2:]) == {Fraction(2, 9)}
    assert probabilities(Minesweeper(board.grid, 901)) is None
    whole = probabilities(Minesweeper(board.grid))
    assert whole is not None
    assert whole.layouts == 2**900
    assert whole.mines == (0, 900)


def test_exact_claims_are_related() -> None:
    board = of("#1##/####")
    ours, theirs = solved(board, DIRECT, "frontier"), solved(of("#1##/###O"), DIRECT, "frontier")
    same = replace(ours, certificate=None)
    assert relate("minesweeper", Stance(ours.claims, exact=ours.exact), Stance(same.claims, exact=same.exact)) is Relation.EQUAL
    assert relate("minesweeper", Stance(ours.claims, exact=ours.exact), Stance(ours.claims)) is Relation.EQUAL
    assert (
        relate("minesweeper", Stance(ours.claims, exact=ours.exact), Stance(ours.claims, exact=theirs.exact)) is Relation.CONFLICT
    )
    assert solved(board, DIRECT, "frontier", certify=False).exact == {}


@pytest.mark.parametrize(("side", "backend"), [(DIRECT, "frontier"), (MODELS, "cnf")])
def test_reasons_force_and_none_can_be_left_out(side: Side, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    seen = {True: 0, False: 0}
    for board in with_counts(seeded(60, 3, 10), 4):
        answer = solved(board, side, backend)
        if not answer.consistent:
            reason = answer.why(None)
            assert not len(layouts(board, np.array(reason.clues, np.int64), reason.counted))
            continue
        for core in answer.certificate.cores:
            for cell in core.cells[:2]:
                reason = answer.why(cell)
                seen[reason.counted] += 1

                def forces(clues: tuple[int, ...], counted: bool, at: int = cell, board: Minesweeper = board) -> bool:
                    values = layouts(board, np.array(clues, np.int64), counted)[:, at]
                    return bool(values.all() or not values.any())

                assert forces(reason.clues, reason.counted), board.text()
                for clue in reason.clues:
                    assert not forces(tuple(set(reason.clues) - {clue}), reason.counted), board.text()
                every = np.flatnonzero(np.isin(board.grid.ravel(), np.frombuffer(b".012345678", np.uint8))).tolist()
                if reason.counted:
                    assert not forces(tuple(every), False)
                assert reason.fewest
                for fewer in combinations(every, len(reason.clues) - 1) if reason.clues else ():
                    assert not forces(fewer, reason.counted), board.text()
    assert min(seen.values()) > 10


def test_both_sides_find_causes_of_one_size_beyond_brute_force() -> None:
    sizes: set[int] = set()
    for name in ("d20", "flags", "counted", "broken", "short", "rounds", "wall"):
        board = family(name, 18, 7)
        ours, theirs = (solved(board, side, backend, causes=9) for side, backend in ((DIRECT, "frontier"), (MODELS, "cnf")))
        assert [len(cause.clues) for cause in ours.causes] == [len(cause.clues) for cause in theirs.causes]
        assert all(cause.fewest for cause in ours.causes + theirs.causes)
        assert {key for key in ours.exact if key.startswith("why")} == {key for key in theirs.exact if key.startswith("why")}
        for answer in (ours, theirs):
            assert PUZZLE.check(board, answer).verdict is Verdict.PROVED
        sizes |= {len(cause.clues) for cause in ours.causes}
    assert max(sizes) > 6


@pytest.mark.parametrize(("side", "backend"), [(DIRECT, "frontier"), (MODELS, "cnf")])
def test_out_of_time_nothing_is_claimed_of_fewer_clues(side: Side, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why, "SECONDS", 0.0)
    answer = solved(of("####/2#21"), side, backend)
    reason = answer.why(0)
    assert not reason.fewest
    assert reason.clues == (4, 6, 7)
    assert str(reason).endswith("force it. None of them can be left out; whether fewer others do was not settled in time.")
    assert solved(family("broken", 9, 1), side, backend).why(None).clues


@pytest.mark.parametrize(("side", "backend", "options"), [(DIRECT, "frontier", {}), (MODELS, "cnf", {"solver": "glucose4"})])
def test_an_answer_is_a_plain_value_and_names_its_explainer(side: Side, backend: str, options: dict[str, Any]) -> None:
    answer = solved(of("####/2#21"), side, backend, **options)
    assert answer.explainer is not None
    assert answer.explainer[:2] == (side.name, backend)
    assert dict(answer.explainer.options) == options
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer
    assert again.why(0) == answer.why(0)
    assert answer.why(0).fewest


def test_a_backend_without_a_search_says_that_none_was_made() -> None:
    answer = solved(of("####/2#21"), MODELS, "cnf-totalizer")
    reason = answer.why(0)
    assert answer.explainer is None
    assert reason.clues == (4, 6, 7)
    assert str(reason).endswith("force it. None of them can be left out; no search for the fewest was made.")


def test_the_number_of_mines_takes_no_part_where_clues_suffice() -> None:
    """Two clues fewer would do with it, as the help and the guide say."""
    board = Minesweeper(of("#1##/##10").grid, 1)
    reason = solved(board, DIRECT, "frontier").why(4)
    assert reason.fewest
    assert not reason.counted
    assert len(reason.clues) == 3
    assert 4 in solved(Minesweeper(of("#O##/##1O").grid, 1), DIRECT, "frontier").safe


def test_a_reason_reads_as_a_sentence() -> None:
    reason = solved(of("####/2#21/OOO0"), DIRECT, "frontier").why(0)
    assert isinstance(reason, Reason)
    assert str(reason) == "The cell at 1,1 is a mine: the clues at 2,1, 2,3 and 2,4 force it."
    assert reason.board == of("####/2#21/OOOO")
    last = solved(Minesweeper(of("#1##").grid, 1), DIRECT, "frontier").why(3)
    assert str(last) == "The cell at 1,4 is safe: the clue at 1,2 and the number of mines (1) force it."
    assert last.board == Minesweeper(of("#1##").grid, 1)
    assert str(solved(of("8#"), DIRECT, "frontier").why(None)) == "There is no layout: the clue at 1,1 cannot hold."
    answer = solved(of("X#3#/###O"), DIRECT, "frontier")
    for cell, message in ((0, "1,1 is given"), (2, "1,3 is opened"), (1, "1,2 is not certain"), (99, "no such cell")):
        with pytest.raises(UserError, match=message):
            answer.why(cell)
    with pytest.raises(UserError, match="certificate"):
        replace(answer, certificate=None).why(1)


def test_pictures_show_probabilities_and_reasons() -> None:
    board = of("####/2#21")
    answer = solved(board, DIRECT, "frontier")
    drawn = shown(PUZZLE.picture(board, answer)).cells
    assert drawn.count(">50</text>") == 4
    assert drawn.count("<circle") == 1
    plain = PUZZLE.picture(board, replace(answer, chances=None))
    assert ">50<" not in plain
    reason = answer.why(0)
    drawn = shown(reason._repr_svg_()).cells
    assert drawn.count('var(--light)" opacity') == 3
    assert drawn.count(">50</text>") == 4
    captions = [caption for caption, _ in PUZZLE.extra_pictures(board, solved(board, DIRECT, "frontier", causes=2))]
    assert captions == ["how likely each covered cell is a mine, in percent", str(reason)]


def test_the_picture_in_the_guide_is_what_the_command_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "board.in").write_text("2 4\n####\n2#21\n")
    drawn = tmp_path / "why.svg"
    arguments = ["minesweeper", str(tmp_path / "board.in"), "--probabilities", "--why", "1,1", "--svg", str(drawn)]
    assert main(DIRECT, arguments) == 0
    assert "force it." in capsys.readouterr().out
    assert drawn.read_text() == (PUZZLE.data / "why.svg").read_text()
    guide = (ROOT / "docs" / "command-line.md").read_text()
    assert "(../puzzles/minesweeper/data/why.svg)" in guide
    assert f"-m direct {' '.join(arguments[:1])} board.in --probabilities --why 1,1 --svg why.svg" in guide


def test_the_next_move() -> None:
    safe = solved(of("###O/#2#O/###2"), DIRECT, "frontier").next_move
    assert safe is not None
    assert safe.risk == 0
    risky = DIRECT.solve(Minesweeper(of("######/#1##2#/######").grid, 3), probabilities=True)
    assert isinstance(risky, Deduction)
    assert risky.next_move is not None
    assert risky.next_move.risk == Fraction(1, 8)
    assert risky.next_move.cells.tolist() == [0, 1, 2, 6, 8, 12, 13, 14]
    for rows in ("8#", "X1/11"):
        assert solved(of(rows), DIRECT, "frontier").next_move is None


def test_wrong_probabilities_are_refuted() -> None:
    board = Minesweeper(of("######/#1##2#/######").grid, 3)
    small = of("####/2#21")
    for given in (board, small):
        good = solved(given, DIRECT, "frontier")
        counted = good.chances
        assert counted is not None
        assert PUZZLE.check(given, good).verdict is Verdict.PROVED
        swapped = counted.value_of.copy()
        swapped[np.flatnonzero(swapped > 1)[0]] = 1
        wrong = [replace(counted, value_of=swapped), replace(counted, values=tuple((n, d + (d > 1)) for n, d in counted.values))]
        if given is small:
            wrong.append(replace(counted, layouts=counted.layouts + 1))
        for each in wrong:
            assert PUZZLE.check(given, replace(good, chances=each)).verdict is Verdict.REFUTED
    broken = of("8#")
    answer = solved(broken, DIRECT, "frontier")
    assert PUZZLE.check(broken, replace(answer, chances=probabilities(of("1#")))).verdict is Verdict.REFUTED


def test_a_core_with_the_number_of_mines_is_checked() -> None:
    board = Minesweeper(of("#1##/OOOO").grid, 1)
    good = replace(solved(board, DIRECT, "frontier"), chances=None)
    assert good.board.lines()[0] == "#1#O"
    assert PUZZLE.check(board, good).verdict is Verdict.PROVED
    proof: Certificate = good.certificate
    without = tuple(core._replace(counted=False) for core in proof.cores)
    assert PUZZLE.check(board, replace(good, certificate=replace(proof, cores=without))).verdict is Verdict.UNPROVED
    assert PUZZLE.check(board, replace(good, certificate=replace(proof, cores=(Core((), (3,), True),)))).verdict is Verdict.UNPROVED
    more = Minesweeper(board.grid, 2)
    assert PUZZLE.check(more, replace(good, board=Minesweeper(good.board.grid, 2))).verdict is Verdict.UNPROVED
    four = Minesweeper(board.grid, 4)
    assert PUZZLE.check(four, Deduction(False, four, certificate=Certificate((Core((1,), (), True),)))).verdict is Verdict.PROVED
    assert PUZZLE.check(more, Deduction(False, more, certificate=Certificate((Core((1,), (), True),)))).verdict is Verdict.UNPROVED


_RISKY = "No cell is certainly safe. The least risky to open: 1,1 1,3\nEach of them is a mine with probability 50% (1/2).\n"
_ONE = "The cell at 1,3 is a mine: the clue at 1,2 forces it.\nThe board with this clue alone:\n#2##\n"
_ONE_OF_MANY = (
    "The cell at 1,1 is a mine: the clue at 1,2 forces it.\n"
    "The board with this clue alone (_ is an opened cell whose clue is not needed):\n#1__\n____\n"
)


@pytest.mark.parametrize(
    ("arguments", "text", "printed"),
    [
        (["--probabilities"], "2 4\n####\n2#21\n", "100%  50%  50%  50%\n [2]  50%  [2]  [1]\nlayouts: 4; 3 mines\n"),
        (["--probabilities"], "1 2\n8#\n", "INCONSISTENT\n"),
        (["--next"], "1 4 1\n#1##\n", "Safe: 1,4\n"),
        (["--next"], "1 3\n#1#\n", _RISKY),
        (["--probabilities", "--next"], "1 2\n8#\n", "INCONSISTENT\n"),
        (["--why", "1,3"], "1 4 2\n#2##\n", _ONE),
        (["--why", "1,1"], "2 4\n#1..\n11..\n", _ONE_OF_MANY),
    ],
)
def test_the_command_line(arguments: list[str], text: str, printed: str, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.in"
    path.write_text(text)
    assert main(DIRECT, ["minesweeper", str(path), *arguments]) == 0
    assert capsys.readouterr().out == printed


def test_json_has_the_counts(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.in"
    path.write_text("2\n1 4 1\n#1##\n1 2\n#8\n")
    assert main(DIRECT, ["minesweeper", str(path), "--json", "--next"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["layouts"] == "2"
    assert first["mines"] == [1, 1]
    assert first["probability"] == [["1/2", None, "1/2", "0"]]
    assert first["next"] == {"cells": [[1, 4]], "risk": "0"}
    assert second == {"case": 2, "consistent": False, "board": None, "next": None}
    assert main(MODELS, ["minesweeper", str(path), "--json"]) == 0
    assert "layouts" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("side", "arguments", "message"),
    [
        (DIRECT, ["minesweeper", "--why", "x"], "expected ROW,COL, found 'x'"),
        (DIRECT, ["minesweeper", "--why", "2,1"], "no cell 2,1"),
        (DIRECT, ["minesweeper", "--why", "1,1"], "not certain"),
        (DIRECT, ["beams", "--next"], "beams has no --next"),
        (MODELS, ["minesweeper", "--next"], "models:cnf cannot answer --next: use --backend count or python -m direct\n"),
        (
            DIRECT,
            ["minesweeper", "--probabilities", "--backend", "two-sat"],
            "direct:two-sat cannot answer --probabilities: use --backend frontier or python -m models --backend count\n",
        ),
    ],
)
def test_what_cannot_be_asked(side: Side, arguments: list[str], message: str, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.in"
    path.write_text("1 3\n#1#\n")
    assert main(side, [arguments[0], str(path), *arguments[1:]]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("how", [[], ["--json"], ["--svg"]])
def test_what_cannot_be_said_why_names_the_case_and_who_says_only_a_part(
    how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "boards.in"
    how = [*how, str(tmp_path / "x.svg")] if "--svg" in how else how
    path.write_text("2\n1 2\n#1\n2 4\n####\n2#21\n")
    assert main(DIRECT, ["minesweeper", str(path), "--backend", "two-sat", "--why", "1,1", *how]) == 2
    unknown = "the cell at 1,1 is not found certain, which is no proof that it is not"
    assert capsys.readouterr().err == f"case 2: direct:two-sat: {unknown}\n"
    path.write_text("2\n1 2\n#1\n1 3\n#1#\n")
    assert main(DIRECT, ["minesweeper", str(path), "--why", "1,1", *how]) == 2
    assert capsys.readouterr().err == "case 2: the cell at 1,1 is not certain\n"
