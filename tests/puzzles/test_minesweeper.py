"""Minesweeper: the write-up's sample, its lemmas, brute force over small boards, certificates, and texts that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from direct import SIDE as DIRECT
from direct import thresholds
from direct.minesweeper import frontier, wide
from direct.minesweeper.closure import close
from direct.minesweeper.constraints import constraints_of
from direct.minesweeper.order import MOST_OPEN
from models import SIDE as MODELS
from models import model_thresholds
from models.solver_names import solvers
from puzzles import minesweeper
from puzzles.backend import Side, Unsupported
from puzzles.grid import grid_of
from puzzles.minesweeper.board import Certificate, Core, Deduction, Minesweeper
from puzzles.text import InputError, UserError
from puzzles.verdict import Verdict
from tests.pictures import shown
from tests.puzzles.minesweeper_boards import family, numbers, of, seeded, solved, views

PUZZLE = minesweeper.PUZZLE
BACKENDS = [(DIRECT, "frontier"), (DIRECT, "two-sat"), (MODELS, "cnf"), (MODELS, "cpsat")]


def claimed(board: Minesweeper, side: Side, backend: str) -> NDArray[np.int64]:
    return solved(board, side, backend, certify=False).claims


def enumerated(board: Minesweeper) -> NDArray[np.int64]:
    """The claims by enumeration of every layout of the mines."""
    grid = board.grid
    covered = np.flatnonzero(grid.ravel() == ord("#"))
    layouts = np.zeros((2**covered.size, board.cells), np.bool_)
    layouts[:, grid.ravel() == ord("X")] = True
    layouts[:, covered] = (np.arange(2**covered.size)[:, None] >> np.arange(covered.size)) & 1
    count = numbers(layouts.reshape(-1, *grid.shape)).reshape(-1, board.cells)
    clues = np.array([0 if c == ord(".") else c - 48 if 48 <= c <= 56 else -1 for c in grid.ravel().tolist()])
    fitting = layouts[(count == clues)[:, clues >= 0].all(axis=1)]
    claims = np.full(board.cells + 1, -1, np.int64)
    claims[0] = len(fitting) > 0
    if len(fitting):
        claims[1:] = np.where(fitting.all(axis=0), 1, np.where(fitting.any(axis=0), 2, 0))
    return claims


def by_prose(board: Minesweeper) -> tuple[NDArray[np.int64], int]:
    """The closure as the write-up's prose has it, all implications by transitive closure; the claims, and its rounds."""
    kind = board.grid.ravel()
    states = [{"#": None, "X": True}.get(chr(code), False) for code in kind.tolist()]
    clues: list[tuple[int, list[int]]] = []
    for cell, code in enumerate(kind.tolist()):
        if chr(code) in ".012345678":
            row, column = divmod(cell, board.columns)
            near = [
                r * board.columns + c
                for r in range(max(row - 1, 0), min(row + 2, board.rows))
                for c in range(max(column - 1, 0), min(column + 2, board.columns))
                if (r, c) != (row, column)
            ]
            clues.append((0 if chr(code) == "." else int(chr(code)), near))
    nothing = np.full(board.cells + 1, -1, np.int64)
    nothing[0] = 0
    rounds = 0
    while True:
        unknown = [cell for cell, state in enumerate(states) if state is None]
        true = {cell: 2 * k for k, cell in enumerate(unknown)}
        reach = np.eye(2 * len(unknown), dtype=np.bool_)
        for clue, near in clues:
            n = clue - sum(states[cell] is True for cell in near)
            mine = [true[cell] for cell in near if states[cell] is None]
            if not 0 <= n <= len(mine):
                return nothing, rounds
            for x in mine:
                reach[x, x + 1] |= n == 0
                reach[x + 1, x] |= n == len(mine)
                for y in mine:
                    if x != y:
                        reach[x + 1, y] |= n == len(mine) - 1
                        reach[x, y + 1] |= n == 1
        for k in range(len(reach)):
            reach |= np.outer(reach[:, k], reach[k])
        changed = False
        for cell in unknown:
            x = true[cell]
            if reach[x, x + 1] and reach[x + 1, x]:
                return nothing, rounds
            if reach[x, x + 1] or reach[x + 1, x]:
                states[cell] = bool(reach[x + 1, x])
                changed = True
        if not changed:
            return np.array([-1] + [-1 if state is None else int(state) for state in states]), rounds
        rounds += 1


def judge(board: Minesweeper, answer: Deduction, truth: NDArray[np.int64]) -> None:
    """The claims agree with the truth, and the certificate proves them."""
    claims = answer.claims
    if answer.complete or claims[0] == 0:
        assert claims.tolist() == truth.tolist(), f"\n{board}"
    else:
        assert claims[0] == -1
        assert truth[0] == 0 or all(c in (-1, t) and c != 2 for c, t in zip(claims[1:], truth[1:], strict=True)), f"\n{board}"
    check = PUZZLE.check(board, answer)
    assert check.verdict is Verdict.PROVED, f"{check.detail}\n{board}"


def test_the_write_ups_sample_as_published() -> None:
    folder = PUZZLE.data / "sample"
    text, published = (folder / "writeup.in").read_text(), (folder / "writeup.ans").read_text()
    assert text.startswith("9 9\n.....1#1.\n")
    for side, backend in BACKENDS:
        assert side.solve_text("minesweeper", text, backend=backend) == published
    board = PUZZLE.parse(text)[0]
    for answer in PUZZLE.parse_answers(published, [board], "writeup"):
        assert "/".join(answer.board.lines()[6:]) == "OOXOX2.../###X31.../###X2...."
        assert answer.undecided.tolist() == [63, 64, 65, 72, 73, 74]


@pytest.mark.parametrize(
    ("rows", "rounds", "answer"),
    [
        ("###/O22", 2, "OXX/O22"),
        ("####/1#22", 3, None),
        ("######/22#22O", 4, None),
        ("###O/#2#O/###2", 2, None),
        ("###/#0#/###", 1, "OOO/O0O/OOO"),
    ],
)
def test_boards_that_take_several_rounds(rows: str, rounds: int, answer: str | None) -> None:
    board = of(rows)
    claims, taken = by_prose(board)
    assert taken == rounds
    for side, backend in BACKENDS:
        deduced = solved(board, side, backend)
        assert deduced.undecided.size == 0
        assert claims[1:].tolist() == deduced.claims[1:].tolist() == enumerated(board)[1:].tolist()
        assert answer is None or "/".join(deduced.board.lines()) == answer


def test_blank_cells_are_clues() -> None:
    for side, backend in BACKENDS:
        assert not solved(of("###./#2#./###2"), side, backend).consistent
        assert solved(of("##/#."), side, backend).board.lines() == ["OO", "O."]


def test_the_smallest_forced_cell_that_the_closure_misses() -> None:
    board = of("####/2#21")
    assert solved(board, DIRECT, "two-sat").board == board
    for side, backend in BACKENDS:
        if backend != "two-sat":
            answer = solved(board, side, backend)
            assert answer.board.lines() == ["X###", "2#21"]
            assert answer.mines.tolist() == [0]
            assert answer.safe.tolist() == []
            assert answer.claims.tolist() == [1, 1, 2, 2, 2, 0, 2, 0, 0]


@pytest.mark.parametrize("rows", ["#3223#/######", "#2112#/######"])
def test_rows_on_which_nothing_is_forced(rows: str) -> None:
    for side, backend in BACKENDS:
        answer = solved(of(rows), side, backend)
        assert answer.board == of(rows)
        assert PUZZLE.check(of(rows), answer).verdict is Verdict.PROVED
        assert set(answer.claims.tolist()) == ({-1, 0} if backend == "two-sat" else {0, 1, 2})


@pytest.mark.parametrize("rows", ["3#", "#8", "8", "X0", "1", "X.", "1O", "XX/1#", "###./#2#./###2"])
def test_a_clue_that_cannot_hold_is_inconsistent(rows: str) -> None:
    board = of(rows)
    for side, backend in BACKENDS:
        answer = solved(board, side, backend)
        assert answer.claims.tolist() == [0] + [-1] * board.cells
        assert answer.board == board
        assert PUZZLE.print_answers([answer], "writeup") == "Case 1:\nINCONSISTENT\n\n"
        check = PUZZLE.check(board, answer)
        assert (check.verdict, "contradict" in check.detail) == (Verdict.PROVED, True)


@pytest.mark.parametrize("rows", ["#", "X", "O", "##/##", ".", "X1O", "#O/X#"])
def test_boards_without_an_open_clue(rows: str) -> None:
    for side, backend in BACKENDS:
        judge(of(rows), solved(of(rows), side, backend), enumerated(of(rows)))


def test_every_view_below_3x3_and_a_third_of_those(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "compiled")
    sizes = [(r, c) for r in range(1, 4) for c in range(1, 4)]
    chosen = (board for r, c in sizes for board in islice(views(r, c), 0, None, 3 if r * c == 9 else 1))
    for index, board in enumerate(chosen):
        truth = enumerated(board)
        judge(board, solved(board, DIRECT, "frontier"), truth)
        if index % 4 == 0:
            judge(board, solved(board, DIRECT, "two-sat"), truth)
        if index % 8 == 0:
            judge(board, solved(board, MODELS, "cnf"), truth)
        if index % 300 == 0:
            judge(board, solved(board, MODELS, "cpsat"), truth)


@pytest.mark.slow
def test_every_view_up_to_3x3_on_every_backend() -> None:
    for board in (board for r in range(1, 4) for c in range(1, 4) for board in views(r, c)):
        truth = enumerated(board)
        for side, backend in BACKENDS[:3]:
            judge(board, solved(board, side, backend), truth)


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_seeded_boards_up_to_4x5(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    verdicts = {0: 0, 1: 0}
    for index, board in enumerate(seeded(400, 1 if kernels == "python" else 2, 14)):
        truth = enumerated(board)
        verdicts[int(truth[0])] += 1
        for side, backend in BACKENDS if index % 10 == 0 else BACKENDS[:3]:
            judge(board, solved(board, side, backend), truth)
    assert min(verdicts.values()) > 30


@pytest.mark.parametrize("backend", ["frontier", "two-sat"])
def test_many_boards_are_solved_as_one_by_one(backend: str) -> None:
    boards = list(seeded(150, 6)) + [family(name, 12, 1) for name, told in PUZZLE.families.items() if told.in_contest_format]
    boards.sort(key=lambda board: board.columns)
    together = DIRECT.get("minesweeper", backend).solve_many(boards, certify=True)
    assert together == [solved(board, DIRECT, backend) for board in boards]
    assert 10 < sum(answer.claims is not None and answer.claims[0] == 0 for answer in together) < 100
    text = PUZZLE.print_instances(boards)
    printed = PUZZLE.print_answers([solved(board, DIRECT, backend) for board in boards], "writeup")
    assert DIRECT.solve_text("minesweeper", text, backend=backend) == printed


@pytest.mark.parametrize("kernels", ["python", "compiled"])
def test_the_closure_is_that_of_the_prose(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", kernels)
    most_rounds = inconsistent = 0
    for board in seeded(3000, 3) if kernels == "compiled" else seeded(400, 4):
        claims, rounds = by_prose(board)
        assert np.array_equal(claimed(board, DIRECT, "two-sat"), claims), f"\n{board}"
        most_rounds, inconsistent = max(most_rounds, rounds), inconsistent + (claims[0] == 0)
    assert most_rounds >= (3 if kernels == "compiled" else 2)
    assert inconsistent > 50


@pytest.mark.parametrize("name", ["d20", "isolated", "short", "rounds", "wall", "broken"])
def test_the_closure_is_that_of_the_prose_on_larger_boards(name: str) -> None:
    for seed in range(6):
        board = family(name, 14, 100 + seed)
        claims, _ = by_prose(board)
        assert np.array_equal(claimed(board, DIRECT, "two-sat"), claims), f"\n{board}"


def test_rounds_grow_with_the_chain() -> None:
    assert [by_prose(family("rounds", size, 2))[1] for size in (8, 16, 24)] == sorted({8 // 2, 16 // 2, 24 // 2})


@pytest.mark.parametrize("name", list(PUZZLE.families))
def test_families(name: str) -> None:
    least = PUZZLE.family(name).least
    assert family(name, 24, 3) == family(name, 24, 3)
    assert len({family(name, 24, seed) for seed in range(6)}) == 6
    assert family(name, least, 1).rows == least
    told = PUZZLE.family(name)
    assert all((family(name, size, seed).mines is None) == told.in_contest_format for size, seed in told.bundled)
    verdicts = [solved(family(name, 20, seed), DIRECT, "frontier").consistent for seed in range(8)]
    assert verdicts.count(False) >= 6 if name == "broken" else all(verdicts)


def test_the_closure_falls_short_on_its_family() -> None:
    for size, seed in PUZZLE.family("short").bundled:
        board = family("short", size, seed)
        assert solved(board, DIRECT, "two-sat").board == board
        assert solved(board, DIRECT, "frontier").mines.size > 0


def test_backends_agree_and_prove_beyond_brute_force() -> None:
    for name in PUZZLE.families:
        board = family(name, 18, 77)
        taking = [(side, backend) for side, backend in BACKENDS[:3] if board.in_contest_format or backend != "two-sat"]
        answers = {backend: solved(board, side, backend) for side, backend in taking}
        exact = answers["frontier"].claims
        assert answers["cnf"].claims.tolist() == exact.tolist()
        for answer in answers.values():
            assert PUZZLE.check(board, answer).verdict is Verdict.PROVED
        closure = answers.get("two-sat", answers["cnf"]).claims
        assert exact[0] == 0 or all(c in (-1, e) for c, e in zip(closure[1:], exact[1:], strict=True))


def test_wide_boards_are_solved_or_refused_with_the_width() -> None:
    def scattered(size: int) -> Minesweeper:
        grid = np.full((size, size), ord("#"), np.uint8)
        grid[1:-1:2, 1:-1:2] = ord("3")
        return Minesweeper(grid)

    with pytest.raises(Unsupported, match=r"^too wide: [0-9]+ clues are open at once in a component of 1160 cells$") as caught:
        DIRECT.solve(scattered(40), "frontier")
    assert int(str(caught.value).split()[2]) > 10
    assert set(claimed(scattered(40), DIRECT, "two-sat").tolist()) == {-1, 0}
    board = scattered(12)
    assert solved(board, DIRECT, "frontier").claims.tolist() == solved(board, MODELS, "cnf").claims.tolist()


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frontier takes no component of more than three states, so that most go to the tree of joins."""
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    monkeypatch.setattr(thresholds, "MOST_STATES", 3)
    monkeypatch.setattr(thresholds, "FEW_STATES", 2)


@pytest.mark.usefixtures("joined")
def test_what_is_too_wide_for_the_frontier_is_decided_by_joins_and_proved() -> None:
    made = 0
    for board in [*seeded(60, 8), *(family(name, 10, 5) for name in PUZZLE.families)]:
        answer = solved(board, DIRECT, "frontier")
        expected = solved(board, MODELS, "cnf")
        assert answer.claims.tolist() == expected.claims.tolist()
        assert PUZZLE.check(board, answer).verdict is Verdict.PROVED, f"{board}"
        told = (
            replace(board, mines=int(np.frombuffer(expected.certificate.layouts[0], np.uint8).sum()))
            if answer.consistent
            else board
        )
        counted_too = solved(told, DIRECT, "frontier")
        assert counted_too.claims.tolist() == solved(told, MODELS, "cnf").claims.tolist()
        assert PUZZLE.check(told, counted_too).verdict is Verdict.PROVED, f"{told.text()}"
        made += answer.consistent
    assert made > 30


@pytest.mark.usefixtures("joined")
def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide, "MOST_PAIRS", 3)
    with pytest.raises(Unsupported, match=r"^too wide: [0-9]+ clues are open at once in a component of 10 cells$"):
        DIRECT.solve(of("####/#33#/####"), "frontier")


def test_a_component_of_twenty_open_clues_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Covered cells in a square, between each two neighbours a clue that just one is a mine: wide, but of two layouts."""
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")
    widths: list[int] = []
    for side in range(17, 22):
        grid = np.full((2 * side - 1, 2 * side - 1), ord("O"), np.uint8)
        grid[::2, ::2] = ord("#")
        grid[1::2, ::2] = grid[::2, 1::2] = ord("1")
        board = Minesweeper(grid)
        starts = np.array([0, board.rows])
        constraints = constraints_of(board.grid, starts)
        clash = close(constraints, starts)
        status, width = frontier.decide(constraints, starts, clash, thresholds.MOST_STATES)
        assert clash.tolist() == [0]
        widths.append(int(width[0]))
        assert (status[0] == frontier.TOO_WIDE) == (width[0] > MOST_OPEN)
        answer = solved(board, DIRECT, "frontier")
        assert answer.board == board
        assert len(answer.certificate.layouts) == 2
        assert PUZZLE.check(board, answer).verdict is Verdict.PROVED
    assert {20, 21} & set(widths)
    assert max(widths) > MOST_OPEN


@pytest.mark.parametrize(("side", "backend"), BACKENDS[1:2])
def test_a_mine_count_is_refused(side: Side, backend: str) -> None:
    with pytest.raises(Unsupported, match="the number of mines is given"):
        side.solve(PUZZLE.parse("1 3 1\n#1#\n")[0], backend)


@pytest.mark.parametrize("solver", solvers())
def test_solvers_agree(solver: str) -> None:
    boards = [family("d20", 12, 1), of("####/2#21"), of("12##/3###/####")]
    for board in boards:
        if solver == "kissat404":
            with pytest.raises(Unsupported, match="cannot be asked a second time"):
                MODELS.solve(board, "cnf", solver=solver)
            continue
        answer = solved(board, MODELS, "cnf", solver=solver)
        assert answer.claims.tolist() == solved(board, DIRECT, "frontier").claims.tolist()
        assert PUZZLE.check(board, answer).verdict is Verdict.PROVED


def test_an_unknown_solver_is_the_users_mistake() -> None:
    with pytest.raises(UserError, match="unknown solver 'nosuch'"):
        MODELS.solve(of("#1"), "cnf", solver="nosuch")


BOARD = of("####/2#21")


def corrupted() -> Iterator[tuple[str, Deduction, Verdict]]:
    """Answers to BOARD with something false or missing, and what the check may say of each."""
    good = replace(solved(BOARD, DIRECT, "frontier"), chances=None)
    proof: Certificate = good.certificate
    core = proof.cores[0]
    yield "no certificate", replace(good, certificate=None), Verdict.UNPROVED
    yield "no layouts", replace(good, certificate=replace(proof, layouts=())), Verdict.UNPROVED
    yield "one layout", replace(good, certificate=replace(proof, layouts=proof.layouts[:1])), Verdict.UNPROVED
    yield "no core", replace(good, certificate=replace(proof, cores=())), Verdict.UNPROVED
    yield "a core of the wrong cell", replace(good, certificate=replace(proof, cores=(Core(core.clues, (1,)),))), Verdict.UNPROVED
    for clue in core.clues:
        short = Core(tuple(other for other in core.clues if other != clue), core.cells)
        yield f"a core without {clue}", replace(good, certificate=replace(proof, cores=(short,))), Verdict.UNPROVED
    for wrong in (0, -1, 99, "4"):
        strange = Core((*core.clues[1:], wrong), core.cells)  # type: ignore[arg-type]
        yield f"a core with {wrong!r}", replace(good, certificate=replace(proof, cores=(strange,))), Verdict.UNPROVED
    for cell in range(BOARD.cells):
        flipped = bytearray(proof.layouts[0])
        flipped[cell] ^= 1
        layouts = (bytes(flipped), *proof.layouts[1:])
        yield f"a layout flipped at {cell}", replace(good, certificate=replace(proof, layouts=layouts)), Verdict.UNPROVED
    for layout in (b"", bytes(7), bytes([2] * 8), "11000000"):
        strange = (layout, *proof.layouts)
        yield f"the layout {layout!r}", replace(good, certificate=replace(proof, layouts=strange)), Verdict.UNPROVED  # type: ignore[arg-type]
    yield "called inconsistent", replace(good, consistent=False, board=BOARD), Verdict.REFUTED
    yield "called inconsistent by a core", Deduction(False, BOARD, certificate=Certificate((Core(core.clues),))), Verdict.UNPROVED
    yield "called inconsistent without", Deduction(False, BOARD), Verdict.UNPROVED
    yield "too little claimed", replace(good, board=BOARD), Verdict.UNPROVED
    yield "a safe cell for a mine", replace(good, board=of("O###/2#21")), Verdict.REFUTED
    yield "a mine too many", replace(good, board=of("XX##/2#21")), Verdict.REFUTED
    yield "clues broken", replace(good, board=of("XXXX/2#21"), certificate=None), Verdict.REFUTED
    yield "a clue changed", replace(good, board=of("X###/2#22")), Verdict.REFUTED
    yield "a cell opened", replace(good, board=of("X##./2#21")), Verdict.REFUTED
    yield "another size", replace(good, board=of("X###2#21")), Verdict.REFUTED


@pytest.mark.parametrize(("answer", "verdict"), [pytest.param(a, v, id=name) for name, a, v in corrupted()])
def test_corrupted_answers_are_never_proved(answer: Deduction, verdict: Verdict) -> None:
    assert PUZZLE.check(BOARD, answer).verdict is verdict


def test_an_answer_that_leaves_nothing_open_is_its_own_layout() -> None:
    board = of("#1/1.")
    answer = solved(board, DIRECT, "frontier")
    assert PUZZLE.check(board, answer).verdict is Verdict.REFUTED or not answer.consistent
    board = of("#1/11")
    answer = solved(board, DIRECT, "frontier")
    bare = replace(answer, certificate=replace(answer.certificate, layouts=()))
    assert PUZZLE.check(board, bare).verdict is Verdict.PROVED
    assert PUZZLE.check(board, replace(answer, board=of("O1/11"))).verdict is Verdict.REFUTED


def test_a_layout_must_have_the_number_of_mines_given() -> None:
    board = Minesweeper(grid_of(["#1#"]), 1)
    good = Deduction(True, board, certificate=Certificate((), (b"\1\0\0", b"\0\0\1")))
    assert PUZZLE.check(board, good).verdict is Verdict.PROVED
    assert PUZZLE.check(Minesweeper(board.grid, 2), good).verdict is Verdict.UNPROVED


def test_text_goes_round() -> None:
    text = "2\n2 3 4\n.0#\nXO8\n1 1\n#\n"
    boards = PUZZLE.parse(text)
    assert [board.mines for board in boards] == [4, None]
    assert PUZZLE.print_instances(boards) == text
    assert PUZZLE.parse("2 3 0\n.0#\nXO8\n")[0].mines == 0
    assert PUZZLE.parse("1 2\r\n#1 \r\n\r\n\n") == [of("#1")]
    assert PUZZLE.parse("1 2\n#1") == PUZZLE.parse(b"1\n1 2\n#1\n")
    with pytest.raises(ValueError, match="-1 mines"):
        Minesweeper(grid_of(["#"]), -1)


def test_files_of_boards_alike_are_read_like_any_other() -> None:
    rows = [".0#\nXO8\n", "###\n123\n", "8#.\n...\n"]
    plain = "3\n" + "".join(f"2 3 4\n{each}" for each in rows)
    boards = PUZZLE.parse(plain)
    assert PUZZLE.print_instances(boards) == plain
    for unlike in (plain.replace("2 3 4", "2 3  4", 1), plain.replace("123\n", "123 \n"), plain.replace("\n", "\r\n"), plain[:-1]):
        assert PUZZLE.parse(unlike) == boards
    assert [board.mines for board in PUZZLE.parse(plain.replace("2 3 4", "2 3 5", 1))] == [5, 4, 4]
    assert not boards[1].grid.flags.writeable
    for wrong, place in (("12", "7:3"), ("1239", "7:4"), ("1x3", "7:2")):
        with pytest.raises(InputError, match=f"^in:{place}: "):
            PUZZLE.parse(plain.replace("123", wrong), "in")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty; expected the number of cases"),
        ("\n\n", "1:1", "the text is empty"),
        ("x\n", "1:1", "expected the number of cases, a whole number"),
        ("0\n", "1:1", "the number of cases must be at least 1, found 0"),
        ("2\n1 1\n#\n", "4:1", "the text ends here; expected the number of rows"),
        ("1\n1\n#\n", "2:2", "expected the number of columns, the line ends here"),
        ("0 3\n", "1:1", "the number of rows must be at least 1, found 0"),
        ("3  0 2\n", "1:4", "the number of columns must be at least 1, found 0"),
        ("1 2 x\n#1\n", "1:5", "expected the number of mines, a whole number"),
        ("1 2 -1\n#1\n", "1:5", "expected the number of mines, a whole number"),
        ("1 2 3 4\n#1\n", "1:7", "expected the end of the line after the number of mines"),
        ("1 1234567890\n#1\n", "1:3", "the number of columns is absurdly large"),
        ("1 2\n#9\n", "2:2", "'9' is not one of . # X O 0 1 2 3 4 5 6 7 8"),
        ("2 2\n#1\n#x\n", "3:2", "'x' is not one of"),
        ("1 3\n#1\n", "2:3", "row 1 of 1 has 2 characters, expected 3"),
        ("1 1\n#1\n", "2:2", "row 1 of 1 has 2 characters, expected 1"),
        ("2 2\n#1\n", "3:1", "the text ends here; expected row 2 of 2"),
        ("2 2\n\n#1\n#1\n", "2:1", "row 1 of 2 has 0 characters"),
        ("1 2\n#1\n1 2\n#1\n", "3:1", "unexpected text after the last case"),
        ("1\n1 2\n#1\n\nx\n", "5:1", "unexpected text after the last case"),
    ],
)
def test_malformed_boards(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        PUZZLE.parse(text, "in")
    assert str(caught.value).startswith(f"in:{place}: {message}")


def test_answers_go_round() -> None:
    boards = [of("####/2#21"), of("8#"), of("#1/11")]
    answers = [solved(board, DIRECT, "frontier", certify=False) for board in boards]
    text = PUZZLE.print_answers(answers, "writeup")
    assert text == "Case 1:\nX###\n2#21\n\nCase 2:\nINCONSISTENT\n\nCase 3:\nX1\n11\n\n"
    for printed in (text, text.rstrip("\n"), text.replace("\n", "\r\n")):
        read = PUZZLE.parse_answers(printed, boards, "writeup")
        assert [answer.claims.tolist() for answer in read] == [answer.claims.tolist() for answer in answers]
    assert [PUZZLE.fields(answer) for answer in answers[:2]] == [
        {"consistent": True, "board": ["X###", "2#21"]},
        {"consistent": False, "board": None},
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty; expected Case 1:"),
        ("Case #1:\n#1\n", "1:1", "expected Case 1:; found 'Case #1:'"),
        ("Case 2:\n#1\n", "1:1", "expected Case 1:; found 'Case 2:'"),
        ("Case 1:\n", "2:1", "the text ends here; expected row 1 of 1"),
        ("Case 1:\nINCONSISTENTLY\n", "2:1", "'I' is not one of"),
        ("Case 1:\ninconsistent\n", "2:1", "'i' is not one of"),
        ("Case 1:\n#11\n", "2:3", "row 1 of 1 has 3 characters, expected 2"),
        ("Case 1:\n#1\nCase 2:\n#1\n", "3:1", "expected an empty line; found 'Case 2:'"),
        ("Case 1:\n#1\n\n", "3:1", "the text ends here; expected Case 2:"),
        ("Case 1:\n#1\n\nCase 2:\nINCONSISTENT\n\nCase 3:\n", "7:1", "unexpected text after the last answer"),
    ],
)
def test_malformed_answers(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        PUZZLE.parse_answers(text, [of("#1"), of("#1")], "writeup", "out")
    assert str(caught.value).startswith(f"out:{place}: {message}")


def test_pictures_show_what_was_found() -> None:
    answer = solved(BOARD, DIRECT, "frontier")
    assert shown(PUZZLE.picture(BOARD)).cells.count("<circle") == 0
    assert shown(PUZZLE.picture(BOARD, answer)).cells.count("<circle") == 1
    broken = solved(of("8#"), DIRECT, "frontier")
    assert "inconsistent" in PUZZLE.picture(of("8#"), broken)
    assert answer._repr_svg_() is not None
    assert BOARD._repr_svg_() == PUZZLE.picture(BOARD)


def test_cells_whose_small_core_is_not_found_get_all_clues_as_their_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", "python")  # a compiled kernel holds the threshold that it was compiled with
    monkeypatch.setattr(thresholds, "MOST_BRANCHES", 0)
    (board,) = PUZZLE.parse("3 3\n#1.\n#21\n###\n")
    answer = solved(board, DIRECT, "frontier", certify=True)
    assert isinstance(answer.certificate, Certificate)
    assert [(core.clues, core.cells) for core in answer.certificate.cores] == [((1, 2, 4, 5), (6,))]
    assert PUZZLE.check(board, answer).verdict is Verdict.PROVED


def test_a_core_is_found_even_if_the_search_begins_with_one_clue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell beside three clues is forced by clues further away."""
    board = of(".1##/#111")
    monkeypatch.setattr(model_thresholds, "FIRST_REGION", 1)
    assert PUZZLE.check(board, solved(board, MODELS, "cnf")).verdict is Verdict.PROVED
