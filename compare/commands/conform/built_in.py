"""The points that a puzzle of this project has to hold beyond those of every puzzle: somebody who
knows only its name finds rules, samples, pictures and tests of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from compare.commands.conform.corpus import Finding, Point, failed, in_brief, solve_in_time
from compare.engine.campaign.plan import read_dataset
from compare.engine.work.contenders import SIDES
from puzzles.answer import Verdict
from puzzles.backend import Backend
from puzzles.grid import GridPuzzle
from puzzles.puzzle import Puzzle
from puzzles.text import first_paragraph

_CHECKOUT = Path(__file__).parents[3]

_MAX_SAID = 400
"""Characters of what a backend says of itself; it stands beside others on the page."""


def rules(puzzle: Puzzle) -> Iterator[Finding]:
    """`rules.md` names the title, each kind of cell and each format, and its sample is answered as
    it says.
    """
    text = puzzle.rules
    if puzzle.title not in text:
        yield failed(f"the rules do not name the puzzle's title: write {puzzle.title} into them")
    marked = set("".join(re.findall(r"`(.*?)`", text)))
    if isinstance(puzzle, GridPuzzle):
        kinds = set(puzzle.board_type.alphabet.decode()) - set("1234567")
        for kind in sorted(kinds - marked):
            yield failed(f"the rules do not say what {kind} means: name it as `{kind}`")
    listed = text.partition("## Answer formats\n")[2]
    if tuple(re.findall(r"^- `([a-z]+)`", listed, re.MULTILINE)) != puzzle.formats:
        yield failed(
            "the rules do not list the formats: below `## Answer formats`, write a line "
            f"that begins with {' and one with '.join(f'- `{each}`' for each in puzzle.formats)}"
        )
    blocks = re.findall(r"```text\n(.*?)```", text, re.S)
    if len(blocks) != 2:
        yield failed(
            f"the rules have {len(blocks)} blocks of `text`: write one with an input, and one "
            "with its output"
        )
        return
    # What stands beside a line after three blanks explains it.
    given, expected = (re.sub(r"(?m)(?:^|(?<=\S)) {3,}.*$", "", block) for block in blocks)
    printed = SIDES["direct"].solve_text(puzzle.name, given)
    if printed != expected:
        yield failed(
            f"the output in the rules is not what `direct` prints for their input: write "
            f"{printed!r}"
        )
        return
    boards = puzzle.parse(given)
    answers = puzzle.parse_answers(expected, boards, puzzle.formats[0])
    for board, answer in zip(boards, answers, strict=True):
        check = puzzle.check(board, answer)
        if check.verdict is Verdict.REFUTED:
            yield failed(
                f"the check refutes the answer of the rules to {in_brief(board)}: {check.detail}: "
                "mend the rules, or the check"
            )


def samples(puzzle: Puzzle) -> Iterator[Finding]:
    """`data/sample/` has input files with expected answers, and the check refutes none of them."""
    datasets = [read_dataset(puzzle, str(path)) for path in sorted(puzzle.data.glob("sample/*.in"))]
    if not datasets:
        yield failed(f"there is no sample: write one as {puzzle.data / 'sample'}/NAME.in")
    for each in datasets:
        if not each.answers:
            yield failed(f"{each.name} has no expected answers: write them as NAME.ans beside it")
        for board, answer in zip(each.instances, each.answers or (), strict=False):
            check = puzzle.check(board, answer)
            if check.verdict is Verdict.REFUTED:
                yield failed(
                    f"the check refutes the expected answer to {in_brief(board)}: {check.detail}: "
                    "mend the file, or the check"
                )


def drawings(puzzle: Puzzle) -> Iterator[Finding]:
    """A picture of a board numbers its rows and columns, and its legend explains each sign."""
    if not isinstance(puzzle, GridPuzzle):
        return
    for board in puzzle.parse(puzzle.example, "<example>"):
        for answer in (None, SIDES["direct"].solve(board, certify=True)):
            svg = puzzle.picture(board, answer)
            what = f"the picture of {in_brief(board)}" + (" with its answer" if answer else "")
            if f"{board.rows}x{board.columns}" not in svg:
                yield failed(f"{what} does not name its size in its title: write ROWSxCOLUMNS")
            numbers = re.search(r'<g class="numbers"[^>]*>(.*?)</g>', svg, re.S)
            if numbers is None or len(re.findall("<text ", numbers[1])) < 2:
                yield failed(f"{what} has no numbers: draw it with `puzzles.pictures.BoardPicture`")
            if 'class="legend"' not in svg:
                yield failed(f"{what} has no legend: say what each sign means, by `add`")


def own_backends(puzzle: Puzzle) -> list[Backend]:
    """The backends of the project, slow ones among them."""
    return [
        backend
        for side in SIDES.values()
        for backend in side.backends(puzzle.name).values()
        if side.owns(backend)
    ]


def effort(puzzle: Puzzle) -> Iterator[Finding]:
    """An answer says how long solving took, and that of a model how large its formula is."""
    (board, *_) = puzzle.parse(puzzle.example, "<example>")
    for backend in own_backends(puzzle):
        cost = solve_in_time(backend, board).effort
        if cost.solve_s is None:
            yield failed(f"{backend.label} does not say how long it took: give Effort(solve_s=...)")
        if backend.side == "models" and None in (cost.build_s, cost.variables, cost.clauses):
            yield failed(
                f"{backend.label} does not say how large its formula is: give the `effort` of a "
                "`models.stopwatch.Stopwatch`"
            )


def words(puzzle: Puzzle) -> Iterator[Finding]:
    """The docstring of each backend begins with one to three sentences, of at most 400 characters,
    on what it does, and it names its source.
    """
    said: dict[str, str] = {}
    for backend in own_backends(puzzle):
        about = first_paragraph(backend.function)
        sentences = re.split(r"(?<=[.]) ", about)
        proper = all(re.fullmatch(r"[A-Z].*[.]", each) for each in sentences)
        if not proper or len(sentences) > 3 or len(about) > _MAX_SAID:
            yield failed(
                f"{backend.label} does not say in one to three sentences what it does: begin its "
                "docstring with them"
            )
        if about in said:
            yield failed(
                f"{said[about]} and {backend.label} say the same of themselves: say what is "
                "different"
            )
        said[about] = backend.label
        if len(backend.source) <= 10:
            yield failed(f"{backend.label} does not say where it is from: write its `source`")


def places(puzzle: Puzzle) -> Iterator[Finding]:
    """There are tests of it, and a page in docs that README.md and mkdocs.yml name."""
    if not (_CHECKOUT / "docs").is_dir():
        return
    name, page = puzzle.name, f"puzzles/{puzzle.name}.md"
    if not (_CHECKOUT / "docs" / page).is_file():
        yield failed(f"the puzzle has no page: write docs/{page}")
    if not any((_CHECKOUT / "tests" / "puzzles").glob(f"*{name}/test_*.py")) and not any(
        (_CHECKOUT / "tests" / "puzzles").glob(f"test_{name}*.py")
    ):
        yield failed(f"the puzzle has no tests: write tests/puzzles/{name}/test_NAME.py")
    for file in ("README.md", "mkdocs.yml"):
        if page not in (_CHECKOUT / file).read_text(encoding="utf-8"):
            yield failed(f"{file} does not name the puzzle's page: write {page} into it")


_BUILT_IN = rules, samples, drawings, effort, words, places

BUILT_IN: dict[str, Point] = {point.__name__: point for point in _BUILT_IN}
"""By name, in the order in which they are tried."""
