"""Seeded command lines of `models`, and what makes them right: the files and the words that they
write, and their exit status.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import models
import puzzles
from models.backend_encoding import asked_formula
from models.command import main
from models.dimacs import Encoding, encode_board
from models.dimacs import text as dimacs_text
from models.proofs.refutation import refutation
from puzzles.backend import Unsupported
from puzzles.grid import Board
from puzzles.text import UserError, count_noun
from tests.models import written

_CLASHING = {"beams": "1\n1 3\n|-.\n", "minesweeper": "1 1\n1\n"}
"""Boards of which nothing is asked, and whose formula is unsatisfiable."""


@dataclass(frozen=True)
class Lines:
    """Some boards of one puzzle, and a cell to ask about, or none."""

    boards: list[Board]
    cell: written.Cell | None
    number: int

    @property
    def puzzle(self) -> str:
        return self.boards[0].puzzle


class Ended(NamedTuple):
    """What a command line wrote, and its exit status."""

    status: int
    out: str
    err: str


def cases(seed: int, count: int) -> list[Lines]:
    """The puzzles in turn, one to three boards each; sometimes one of them has an unsatisfiable
    formula.
    """
    rng = Random(seed)
    questions = written.cases(seed, 3 * count)
    drawn: list[Lines] = []
    for number in range(count):
        name = written.names()[number % len(written.names())]
        most = 3 if puzzles.get(name).many_instances else 1
        boards = rng.sample(
            [each.board for each in questions if each.board.puzzle == name], rng.randint(1, most)
        )
        if name in _CLASHING and rng.random() < 0.5:
            boards += puzzles.get(name).parse(_CLASHING[name])
        cell = (rng.randint(1, 4), rng.randint(1, 4)) if rng.random() < 0.4 else None
        drawn.append(Lines(boards, cell, number))
    return drawn


def examine(case: Lines) -> None:
    """Raise `AssertionError` unless the command lines do what they should."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "boards.in").write_text(puzzles.get(case.puzzle).print_instances(case.boards))
        for each in (_examine_formulas, _examine_proofs, _examine_answers, _examine_misuse):
            each(case, folder)


def _run(case: Lines, folder: Path, *words: str) -> Ended:
    """What `python -m models PUZZLE FILE WORDS` does."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            status = main([case.puzzle, str(folder / "boards.in"), *words])
        except SystemExit as end:
            status = end.code
    assert isinstance(status, int)
    return Ended(status, out.getvalue(), err.getvalue())


def _asking(case: Lines) -> list[str]:
    return [] if case.cell is None else ["--cell", ",".join(map(str, case.cell))]


def _or_refused(make: Callable[[], str]) -> Ended:
    """What is printed, or the refusal."""
    try:
        return Ended(0, make(), "")
    except Unsupported as reason:
        return Ended(3, "", f"{reason}\n")
    except UserError as reason:
        return Ended(2, "", f"{reason}\n")


def _written(board: Board, cell: written.Cell | None) -> Encoding:
    return asked_formula(board) if cell is None else encode_board(board, cell)


def _examine_formulas(case: Lines, folder: Path) -> None:
    for number, board in enumerate(case.boards, 1):
        expected = _or_refused(lambda board=board: dimacs_text(_written(board, case.cell)))
        which = ["--case", str(number)]
        assert _run(case, folder, "--dimacs", "-", *which, *_asking(case)) == expected
        file = folder / "out.cnf"
        assert _run(
            case, folder, "--dimacs", str(file), *which, *_asking(case)
        ) == expected._replace(out="")
        assert not expected.out or file.read_text() == expected.out
    bare = _run(case, folder, "--dimacs", "-", *_asking(case))
    if len(case.boards) == 1:
        assert bare == _or_refused(lambda: dimacs_text(_written(case.boards[0], case.cell)))
    else:
        assert bare == Ended(
            2,
            "",
            f"{folder / 'boards.in'} holds {len(case.boards)} boards: say which with --case\n",
        )


def _examine_proofs(case: Lines, folder: Path) -> None:
    """Each board's formula, and a proof where it has no solution.

    A proof of an earlier run does not stay beside it.
    """
    proofs = folder / "new" / "proofs"
    tried = [
        _or_refused(lambda board=board: str(encode_board(board, case.cell)))
        for board in case.boards
    ]
    refused = [each for each in tried if each.status]
    ended = _run(case, folder, "--proof", str(proofs), *_asking(case))
    assert proofs.is_dir()
    if refused:
        assert ended == refused[0]
        return
    lines: list[str] = []
    files: dict[str, str] = {}
    for number, board in enumerate(case.boards, 1):
        stem = "-".join(map(str, (case.puzzle, number, *(case.cell or ()))))
        encoding = encode_board(board, case.cell)
        steps = refutation(encoding.formula)
        files[f"{stem}.cnf"] = dimacs_text(encoding)
        cnf = proofs / f"{stem}.cnf"
        if steps is None:
            lines.append(f"Case #{number}: satisfiable, so there is no proof: {cnf}\n")
        else:
            files[f"{stem}.drat"] = "".join(f"{step}\n" for step in steps)
            count = count_noun(len(steps), "proof step")
            lines.append(
                f"Case #{number}: unsatisfiable, {count}: {cnf} {cnf.with_suffix('.drat')}\n"
            )
    assert ended == Ended(0, "".join(lines), "")
    assert {path.name: path.read_text() for path in proofs.iterdir()} == files
    for path in [path for path in proofs.iterdir() if path.suffix == ".cnf"]:
        path.with_suffix(".drat").write_text("of an earlier run\n")
    assert _run(case, folder, "--proof", str(proofs), *_asking(case)) == ended
    assert {path.name: path.read_text() for path in proofs.iterdir()} == files
    assert _run(case, folder, "--proof", str(proofs), "--case", "1", *_asking(case)) == Ended(
        0, lines[0], ""
    )


def _examine_answers(case: Lines, folder: Path) -> None:
    """Without formulas and proofs the boards are solved."""
    rules = puzzles.get(case.puzzle)
    choices: list[dict[str, Any]] = [{}, {"solver": "glucose4"}, {"backend": "cnf"}]
    for options in choices:
        answers = [
            models.solve(board, **options) for board in case.boards
        ]  # one by one: together they may have other witnesses
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        assert _run(case, folder, *words) == Ended(
            0, rules.print_answers(answers, rules.formats[0]), ""
        )
    assert _run(case, folder, "--json").out.count("\n") == len(case.boards)


def _examine_misuse(case: Lines, folder: Path) -> None:
    """A mistake is refused with words for it, and nothing is printed or written."""
    count, drawing = len(case.boards), str(folder / "drawing.svg")
    (folder / "file").write_text("")
    before = sorted(folder.rglob("*"))
    answering = "--dimacs and --proof answer nothing"
    file = folder / "file"
    cell = "a cell is ROW,COLUMN, counted from 1, not"
    for words, complaint in (
        (["--case", "1"], "--case and --cell go with"),
        (["--cell", "1,1"], "--case and --cell go with"),
        (["--dimacs", "-", "--proof", str(folder / "x")], "leave --dimacs out"),
        (["--dimacs", "-", "--answer-format", puzzles.get(case.puzzle).formats[0]], answering),
        (["--dimacs", "-", "--json"], answering),
        (["--dimacs", "-", "--svg", drawing], answering),
        (
            ["--plugin", str(file)],
            "--plugin registers backends: say with --backend which of them is meant",
        ),
        (["--solver", "sh"], "unknown solver 'sh': "),
        (["--dimacs", "-", "--case", "one"], "must be a whole number, not 'one'"),
        (["--dimacs", "-", "--case", "0"], "must be at least 1, not 0"),
        (
            ["--dimacs", "-", "--case", "99"],
            f"boards.in holds {count_noun(count, 'board')}, not 99\n",
        ),
        *(
            (["--dimacs", "-", "--cell", wrong], f"{cell} '{wrong}'")
            for wrong in ("1", "x,1", "1,x")
        ),
        (["--proof", str(file)], f"--proof {file} is not a folder\n"),
        (["--proof", str(file / "x")], f"--proof {file / 'x'}: Not a directory\n"),
    ):
        ended = _run(case, folder, *words)
        assert (ended.status, ended.out, complaint in ended.err) == (2, "", True)
    ended = _run(case, folder, "--dimacs", str(folder / "none" / "x"), "--case", "1")
    assert (ended.status, ended.out) in ((2, ""), (3, ""))
    assert ended.status == 3 or case.cell or "No such file" in ended.err
    assert sorted(folder.rglob("*")) == before
