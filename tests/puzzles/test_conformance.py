"""What our puzzles, families and backends must do beyond the points of `compare conform`, over the
registry.
"""

from __future__ import annotations

import pickle
from functools import cache

import pytest

import puzzles
from compare.engine.campaign.plan import Dataset, bundled_datasets, read_dataset
from compare.engine.work.contenders import SIDES
from compare.engine.work.result import Relation, Stance, relate
from puzzles.answer import Answer, Verdict
from puzzles.backend import Backend, Unsupported
from puzzles.puzzle import Puzzle
from puzzles.text import UnknownName, UserError
from tests.models import claims_of
from tests.places import ROOT

PUZZLES = [puzzles.get(name) for name in puzzles.names()]
BACKENDS: list[Backend] = [
    backend
    for puzzle in PUZZLES
    for side in SIDES.values()
    for backend in side.backends(puzzle.name).values()
]
FAMILIES = [(puzzle, name) for puzzle in PUZZLES for name in puzzle.families]

EACH_PUZZLE = pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
EACH_FAMILY = pytest.mark.parametrize(
    ("puzzle", "name"), FAMILIES, ids=lambda value: value if isinstance(value, str) else value.name
)


def each_backend(*slow: str) -> pytest.MarkDecorator:
    """All backends; those of these names are slow."""
    marks = dict.fromkeys(slow, pytest.mark.slow)
    return pytest.mark.parametrize(
        "backend",
        [
            pytest.param(
                each,
                marks=marks.get(each.name, ()),
                id=f"{each.puzzle}-{each.label}",
            )
            for each in BACKENDS
        ],
    )


@cache
def sets(puzzle: str) -> list[Dataset]:
    """What is bundled, and the boards that `fuzz` has saved in this checkout."""
    every = bundled_datasets(puzzles.get(puzzle))
    saved = ROOT / "tests" / "regressions" / puzzle
    every += [read_dataset(puzzles.get(puzzle), str(path)) for path in sorted(saved.glob("*.in"))]
    assert every
    assert all(each.instances for each in every)
    return every


@cache
def reference(puzzle: str) -> dict[str, Answer]:
    """The answers of the default direct backend by board; where answers are published, those."""
    side = SIDES["direct"]
    answers = {board.digest: side.solve(board) for each in sets(puzzle) for board in each.instances}
    for each in sets(puzzle):
        if each.answers:
            for board, published in zip(each.instances, each.answers, strict=True):
                answers[board.digest] = published
    return answers


# `tests/models/test_backends.py` asks the same of CP-SAT on small boards.
@each_backend("cpsat")
def test_every_bundled_board_is_answered_alike_and_proved(backend: Backend) -> None:
    puzzle = puzzles.get(backend.puzzle)
    answered = 0
    for each in sets(backend.puzzle):
        for board in each.instances:
            if backend.limit is not None and board.size > backend.limit:
                continue
            try:
                plain = backend.solve(board)
            except Unsupported:
                assert not (backend.complete and board.in_contest_format)
                continue
            certified = backend.solve(board, certify=True)
            assert plain.certificate is None or plain == certified
            claims, first = plain.claims, reference(backend.puzzle)[board.digest].claims
            assert claims is not None
            assert first is not None
            assert claims.tolist() == claims_of(certified)
            relation = relate(backend.puzzle, Stance(claims, backend.complete), Stance(first))
            expected = Relation.EQUAL if backend.complete else Relation.SUBSET
            assert relation is expected, f"{each.name}\n{board}"
            verdict = puzzle.check(board, certified)
            assert verdict.verdict is Verdict.PROVED, f"{each.name}: {verdict.detail}\n{board}"
            answered += 1
    assert answered > 0


@each_backend()
def test_effort_is_not_part_of_equality(backend: Backend) -> None:
    puzzle = puzzles.get(backend.puzzle)
    (board, *_) = puzzle.parse(puzzle.example, "<example>")
    one, other = backend.solve(board), backend.solve(board)
    assert one == other
    assert hash(one) == hash(other)
    assert one.effort != other.effort


@each_backend()
def test_what_a_backend_says_of_itself(backend: Backend) -> None:
    assert backend.available() is None
    puzzle = puzzles.get(backend.puzzle)
    (board, *_) = puzzle.parse(puzzle.example, "<example>")
    with pytest.raises(UserError, match="has no option 'colour'"):
        backend.solve(board, colour="red")
    if "solver" in backend.options:
        with pytest.raises(UnknownName, match="unknown solver 'nosuch': choose from .*cadical153"):
            backend.solve(board, solver="nosuch")
    other = next((p for p in PUZZLES if p.name != backend.puzzle), None)
    if other is not None:
        with pytest.raises(UserError, match=f"solves {backend.puzzle}, not {other.name}"):
            backend.solve(other.parse(other.example, "<example>")[0])


@EACH_PUZZLE
def test_both_sides_offer_a_default(puzzle: Puzzle) -> None:
    for side in SIDES.values():
        assert side.get(puzzle.name) is next(iter(side.backends(puzzle.name).values()))
        with pytest.raises(UnknownName, match="unknown .* backend"):
            side.get(puzzle.name, "nosuch")


@EACH_FAMILY
def test_a_family_has_limits_and_heeds_its_seed(puzzle: Puzzle, name: str) -> None:
    family = puzzle.family(name)
    assert family.board(family.least, 1).rows == family.least
    with pytest.raises(UserError, match="starts at size"):
        family.board(family.least - 1, 1)
    for size in (family.most + 1, 10**9, 10**18):
        too_large = f"the family {name} ends at size {family.most}, not {size}"
        with pytest.raises(UserError, match=too_large):
            family.board(size, 1)
    drawn = {family.nearest(24, seed) for seed in range(6)}
    assert len(drawn) == (1 if name == "empty" else 6)
    assert all(
        family.board(size, seed).in_contest_format or not family.in_contest_format
        for size, seed in family.bundled
    )


@EACH_PUZZLE
def test_a_pickled_board_stays_read_only(puzzle: Puzzle) -> None:
    for board in puzzle.parse(puzzle.example, "<example>"):
        assert not pickle.loads(pickle.dumps(board)).grid.flags.writeable
