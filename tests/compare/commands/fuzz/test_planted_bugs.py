"""The gallery: wrong backends and wrong contest programs, each caught by fuzzing and shrunk to the
smallest board there is.

`python -m tests.compare.commands.fuzz.test_planted_bugs` prints it as the table in docs/mutants.md.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tabulate import tabulate

import puzzles
import puzzles.backend
from compare.commands.fuzz.batch import Batch
from compare.commands.fuzz.shrinking import Shrunk, shrink
from compare.commands.fuzz.trial import try_boards
from compare.engine.isolate.outcome import Limits
from compare.engine.search.boards import boards
from compare.engine.work.contenders import SIDES, ProgramContender, of_backend
from compare.engine.work.result import Fault
from models.python_file import module_of
from puzzles.backend import Backend, all_backends, enter
from puzzles.grid import Board, grid_of
from puzzles.instance import Instance
from puzzles.space.grid_space import tiny_grids
from tests.places import PLANTED, ROOT
from tests.pools import in_pool
from tests.processes import compare

MAX_BOARDS = 1024
"""Boards within which every bug is caught."""

_AT_ONCE = 32
_LIMITS = Limits(10.0)
_ALIKE = {"beams": b"#.-/\\", "minesweeper": b"#O.X12345678"}
"""Alphabets in which no two characters mean the same, to look through all small boards; `.` is the
minesweeper's `0`.
"""


@dataclass(frozen=True)
class Bug:
    """A planted defect.

    Attributes:
        name: of the backend in `tests/planted/PUZZLE.py`, or of the program's file.
        kind: of the first failure that it shows.
        minimum: a board of the fewest cells on which it fails in that way, its rows parted by
            blanks; found by looking through all boards of fewer cells.
        against: the backend that the failure sets it against, or None for a side's default.
        seed: of the boards; 1, but where seed 1 comes to the bug late, shows it in another way, or
            ends above the minimum.
        extended: whether its program gets boards too that the contest does not promise, since it
            shows on no other.
        slow: to catch it, or to look through the smaller boards, takes more than a few seconds, or
            it is much like another one.
    """

    puzzle: str
    name: str
    kind: str
    minimum: str
    against: str | None = None
    seed: int = 1
    extended: bool = False
    slow: bool = False

    @property
    def about(self) -> str:
        if "." in self.name:
            return PROGRAMS[self.name]
        return SIDES["direct"].get(self.puzzle, self.name).source.removeprefix("planted: ")

    def board(self) -> Board:
        (example, *_) = puzzles.get(self.puzzle).parse(
            puzzles.get(self.puzzle).example, "<example>"
        )
        return type(example)(grid_of(self.minimum.split()))


PROGRAMS = {
    "mirror.cpp": "a C++ program: one mirror turns left and right the wrong way (kimiyuki's "
    "failed submission)",
    "no_turrets.cpp": "a program: boards without turrets called POSSIBLE (the P5297 write-up; Code "
    "Jam promises a turret, so with `--extended`)",
    "isolated.py": "a program of one board a start: isolated cells called winning",
}

OWN_BEAM = "        if (row == start_row && column == start_column) return true;\n", ""
CHANGES = {
    "mirror.cpp": (
        "backslash[] = {UP, LEFT, DOWN, RIGHT}",
        "backslash[] = {DOWN, LEFT, UP, RIGHT}",
    ),
    "no_turrets.cpp": (
        "    for (int cell = 0;",
        "    if (turrets.empty()) return true;\n    for (int cell = 0;",
    ),
}
"""What makes the wrong C++ program of the examples right, and then wrong in another way."""

BACKENDS = [
    Bug("beams", "mirror", "CONFLICT", "-\\ #."),
    Bug("beams", "one-arm", "CONFLICT", "-."),
    Bug("beams", "passes-turrets", "CONFLICT", ".--", slow=True),
    Bug("beams", "own-turret", "REFUTED", "-\\ \\/", seed=4, slow=True),
    Bug("beams", "three-literals", "CONFLICT", "-.- #-#", slow=True),
    Bug("beams", "contrapositive", "REFUTED", "#. .- -#", slow=True),
    Bug("beams", "components", "REFUTED", "-."),
    Bug("beams", "circular-light", "REFUTED", "/.\\ \\./", seed=4, slow=True),
    Bug("minesweeper", "no-diagonals", "CONFLICT", ".# ##", slow=True),
    Bug("minesweeper", "blank", "CONFLICT", ".#"),
    Bug("minesweeper", "flag-twice", "CONFLICT", "X1", seed=2, slow=True),
    Bug("minesweeper", "beside-no-clue", "CONFLICT", "#"),
    Bug("minesweeper", "stops-at-known", "CONFLICT", "X1#", against="two-sat"),
    Bug(
        "minesweeper",
        "three-rounds",
        "CONFLICT",
        "###### 22#22O",
        against="two-sat",
        seed=6,
        slow=True,
    ),
    Bug("nogo", "suicide", "REFUTED", "."),
    Bug("nogo", "capture", "REFUTED", ".O .."),
    Bug("nogo", "counted-once", "REFUTED", "X.. X.. .O.", slow=True),
    Bug("nogo", "one-pointer", "REFUTED", "... ... ...", slow=True),
    Bug("nogo", "white-first", "REFUTED", ".. X.", slow=True),
    Bug("nogo", "circular-liberties", "REFUTED", ".X XX", slow=True),
    Bug("geography", "isolated", "REFUTED", "."),
    Bug("geography", "unmatched", "CONFLICT", "...", slow=True),
    Bug("geography", "one-class", "CONFLICT", "#.", slow=True),
    Bug("geography", "marks", "CONFLICT", "... .##"),
    Bug("geography", "cover", "CONFLICT", "..."),
]
WRITTEN = [
    Bug("beams", "mirror.cpp", "CONFLICT", "-\\ #.", slow=True),
    Bug("beams", "no_turrets.cpp", "REFUTED", ".", extended=True, slow=True),
    Bug("geography", "isolated.py", "REFUTED", "."),
]
BUGS = BACKENDS + WRITTEN


def of_bug(bug: Bug) -> str:
    return f"{bug.puzzle}-{bug.name}"


def with_slow_ones(bugs: Sequence[Bug]) -> list[Any]:
    """The bugs as parameters of a test, the slow ones marked."""
    return [pytest.param(bug, id=of_bug(bug), marks=[pytest.mark.slow] * bug.slow) for bug in bugs]


def changed(path: Path, *changes: tuple[str, str]) -> str:
    """A file with some changes, each of a text that stands there once."""
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@cache
def command(name: str) -> tuple[str, ...]:
    """How a planted program is started; one in C++ is the example without its own mistake, and with
    another one.
    """
    program = PLANTED / name
    if program.suffix == ".py":
        return sys.executable, "-SE", str(program)
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ to compile the planted program with")
    binary = PLANTED / "__pycache__" / program.stem
    binary.parent.mkdir(exist_ok=True)
    words = [compiler, "-std=c++17", "-O1", "-o", binary, "-x", "c++", "-"]
    subprocess.run(
        words,
        check=True,
        text=True,
        input=changed(ROOT / "examples" / "mine.cpp", OWN_BEAM, CHANGES[name]),
    )
    return (str(binary),)


def batch_of(bug: Bug, index: int = 0) -> Batch:
    """The bug's backend or program, against ours."""
    ours = of_backend(SIDES["direct"].get(bug.puzzle, bug.against), {})
    if "." in bug.name:
        wrong = ProgramContender(
            puzzle=bug.puzzle, name=bug.name, command=command(bug.name), extended=bug.extended
        )
    else:
        wrong = of_backend(SIDES["direct"].get(bug.puzzle, bug.name), {})
    return Batch(
        puzzle=bug.puzzle,
        contenders=(ours, wrong),
        seed=bug.seed,
        index=index,
        count=512,
        size=14,
        limits=_LIMITS,
    )


def faults(bug: Bug, some: Sequence[Instance]) -> list[tuple[Instance, Fault]]:
    """The boards on which the bug shows as it should, each with the fault."""
    failing = in_pool(try_boards, batch_of(bug), some)
    return [
        (each.board, fault) for each in failing for fault in each.faults if fault.kind == bug.kind
    ]


def caught(bug: Bug) -> tuple[int, Shrunk]:
    """How many boards it takes to catch a bug, and what the failure is shrunk to."""
    puzzle, tried = puzzles.get(bug.puzzle), 0
    for index in range(MAX_BOARDS // 512):
        batch = batch_of(bug, index)
        some = boards(puzzle, bug.seed, index, batch.count, batch.size)
        for start in range(0, len(some), _AT_ONCE):
            failing = in_pool(try_boards, batch, some[start : start + _AT_ONCE])
            if failing:
                tried += start + some[start : start + _AT_ONCE].index(failing[0].board) + 1
                return tried, in_pool(shrink, batch, failing[0].board, failing[0].faults[0])
        tried += len(some)
    raise AssertionError(f"{bug.name} got through {tried} boards")


@pytest.fixture(scope="module", autouse=True)
def plugins() -> Iterator[None]:
    """The wrong backends, registered while tests of this module run; other modules' tests may come
    in between.
    """
    for each in wrong_backends():
        enter(each)
    yield
    for each in wrong_backends():
        del puzzles.backend._registry[each.side, each.puzzle][each.name]


def has_planted(name: str) -> bool:
    """Whether wrong solvers of this puzzle are planted."""
    return (PLANTED / f"{name}.py").exists()


@cache
def wrong_backends() -> list[Backend]:
    """All wrong backends.

    A process imports their files once, so they register themselves only once.
    """
    for name in filter(has_planted, puzzles.names()):
        SIDES["direct"].backends(name)
        module_of(str(PLANTED / f"{name}.py"))
    return [each for each in all_backends() if each.source.startswith("planted: ")]


@pytest.mark.parametrize("bug", with_slow_ones(BUGS))
def test_each_bug_is_caught_and_shrunk_to_the_smallest_board(bug: Bug) -> None:
    _, shrunk = caught(bug)
    assert shrunk.fault.kind == bug.kind
    assert shrunk.fault.names[-1].removeprefix("direct:") == bug.name
    assert shrunk.smallest.board.size <= bug.board().cells + 1
    assert faults(bug, [shrunk.smallest.board])


@pytest.mark.parametrize("bug", with_slow_ones(BACKENDS))
def test_no_smaller_board_shows_the_bug(bug: Bug) -> None:
    minimum = bug.board()
    assert faults(bug, [minimum])
    if bug.name == "three-rounds":
        return  # there are too many boards of fewer than its twelve cells
    alphabet = _ALIKE.get(bug.puzzle, minimum.alphabet)
    smaller: list[Board] = []
    for grid in tiny_grids(alphabet, minimum.cells, square=puzzles.get(bug.puzzle).square):
        try:
            smaller.append(type(minimum)(grid))
        except ValueError:
            continue
    assert not smaller or not faults(bug, smaller)


def test_every_planted_solver_is_tried_and_the_table_names_them_all() -> None:
    assert {bug.puzzle for bug in BACKENDS} == set(filter(has_planted, puzzles.names()))
    assert len(BACKENDS) == len(wrong_backends())
    table = (ROOT / "docs" / "mutants.md").read_text()
    missing = [bug.name for bug in BUGS if f"| {bug.about} |" not in re.sub(" +", " ", table)]
    assert missing == [], (
        "`python -m tests.compare.commands.fuzz.test_planted_bugs` prints the table of "
        "docs/mutants.md"
    )


def test_from_the_shell_the_submission_that_failed(tmp_path: Path) -> None:
    program = f"submission={shlex.join(command('mirror.cpp'))}"
    ended = compare(f"fuzz beams -b direct --program '{program}' --jobs 1", cwd=tmp_path, status=1)
    (saved,) = tmp_path.glob("*.in")
    assert len(saved.read_text().split()[-1]) * len(saved.read_text().split()[3:]) <= 5
    runs = re.search(
        r"^(?:WRONG|CONFLICT|REFUTED): .*submission.* in (\d+) runs\b", ended.stdout, re.MULTILINE
    )
    assert runs is not None, ended.stdout
    assert int(runs[1]) <= 150


def main() -> None:
    wrong_backends()
    rows: list[tuple[str, str, int, int, str, int]] = []
    for bug in BUGS:
        tried, shrunk = caught(bug)
        text = str(shrunk.smallest.board).replace("\n", " ").replace("|", "\\|")
        rows.append((bug.puzzle, bug.about, bug.seed, tried, f"`` {text} ``", shrunk.tries))
    print(
        tabulate(
            rows, ["puzzle", "bug", "seed", "boards", "smallest board", "runs"], tablefmt="pipe"
        )
    )


if __name__ == "__main__":
    main()
