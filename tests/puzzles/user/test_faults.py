"""Whatever is wrong in the file of a puzzle of one's own: a message with the file, the line, what
was expected, what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import direct
import puzzles
from compare.engine.work.judging import check_safely
from puzzles.answer import Answer, Verdict
from puzzles.backend import hear_reports
from puzzles.puzzle import Puzzle
from puzzles.space import instance_space, space_of
from puzzles.text import InputError, UnknownName, UserError
from puzzles.user import guarding, loading
from puzzles.user.user_file import PuzzleFault
from tests.places import ROOT

Load = Callable[[str], Puzzle]
"""Loads a text as a file of one's own."""

LIGHTS = (ROOT / "examples" / "lights.py").read_text()
CLASS = "class LightsPuzzle(SolutionPuzzle[Lights, GridSolution]):"
MAKE = "    rng = np.random.default_rng(seed)\n"

FILES: dict[str, tuple[str, str]] = {
    "empty": (
        "",
        "{file}: there is no puzzle in it: write a class of your own from puzzles.grid",
    ),
    "syntax": ("x = = 1\n", "{file}:1:5: SyntaxError: invalid syntax: mend that line"),
    "import": (
        "\nimport no_such_module\n",
        "{file}:2: importing the file raised ModuleNotFoundError: No module named ",
    ),
    "raises": (
        "\ndef f():\n    1 / 0\n\nf()\n",
        "{file}:3: importing the file raised ZeroDivisionError: division by zero: mend that line",
    ),
    "exits": (
        "import sys\nsys.exit(3)\n",
        "{file}:2: importing the file raised SystemExit: 3: mend that line",
    ),
    "no instance": (
        LIGHTS.replace("PUZZLE = LightsPuzzle()\n", ""),
        "{class}: the class LightsPuzzle has no instance: write ",
    ),
    "two puzzles": (
        f"{LIGHTS}\nOTHER = LightsPuzzle()\n",
        "{file}: it holds 2 puzzles (LightsPuzzle, LightsPuzzle): keep one in ",
    ),
    "missing methods": (
        LIGHTS.replace(
            "(SolutionPuzzle[Lights, GridSolution])", "(GridPuzzle[Lights, GridSolution])"
        ).replace("SolutionPuzzle, grid_of", "GridPuzzle, grid_of"),
        "{class}: the class LightsPuzzle lacks check: Judge an answer by the statement of the "
        "puzzle alone.; fields: ",
    ),
    "no rules": (
        LIGHTS.replace("def broken_rule", "def rule"),
        "{class}: the class LightsPuzzle has no rules: write broken_rule",
    ),
    "name of ours": (
        LIGHTS.replace('"lights"', '"nogo"'),
        "{class}: nogo is the name of a puzzle of Twofold: choose another name",
    ),
    "reserved name": (
        LIGHTS.replace('"lights"', '"all"'),
        "{class}: the name all has a meaning of its own in commands: choose ",
    ),
    "name of a wrong type": (
        LIGHTS.replace('name = "lights"', "name = 7"),
        "{class}: the name is 7: expected small letters, ",
    ),
    "alphabet of a wrong type": (
        LIGHTS.replace('b".#*"', '".#*"'),
        "{boards}: alphabet is '.#*': expected a board's characters as bytes, such as alphabet = "
        "b'.#'",
    ),
    "boards of another puzzle": (
        LIGHTS.replace('ClassVar[str] = "lights"', 'ClassVar[str] = "light"'),
        "{boards}: the boards are of the puzzle 'light': expected the puzzle's own name, puzzle "
        "= 'lights'",
    ),
    "board_type of a wrong type": (
        LIGHTS.replace("board_type = Lights", "board_type = Lights.alphabet"),
        "{class}: board_type is b'.#*': expected your class of boards, from puzzles.grid.Board",
    ),
    "two backends of a name": (
        LIGHTS.replace('"cnf",\n    side="models"', '"elimination",\n    side="direct"'),
        "{cnf}: {elimination} has a backend direct:elimination already: rename one",
    ),
    "backend of another puzzle": (
        LIGHTS.replace('"lights",\n    "cnf"', '"lihgts",\n    "cnf"'),
        "{cnf}: the backend models:cnf is for 'lihgts': expected this file's puzzle, 'lights'",
    ),
    "unknown side": (
        LIGHTS.replace('side="models"', 'side="modles"'),
        "{cnf}: the side of backend cnf is 'modles': expected direct or models",
    ),
    "backend without certify": (
        LIGHTS.replace(
            "def by_clauses(board: Lights, *, certify: bool = False)",
            "def by_clauses(board: Lights)",
        ).replace("in core if certify else ()", "in core"),
        "{cnf}: the backend models:cnf must be called as solve(board, *, certify=False) is",
    ),
    **{
        f"families {value}": (re.sub(r'return \{"random": .*', f"return {value}", LIGHTS), expected)
        for value, expected in {
            "{'random': 7}": "{families}: families has 'random': 7, which is no family: write "
            "Family(make, 'what "
            "it is about')",
            "{'a': Family(random_lights, 'b', bundled=(2, 3))}": (
                "{families}: bundled of the family a is (2, 3): expected pairs of a size and a seed"
            ),
            "7": "{families}: families returned 7 of type int: return a dictionary of families by "
            "their names",
            "None": "{families}: families returned None of type NoneType: return a dictionary of "
            "families by their names",
        }.items()
    },
}
"""The text of a file, and how its message begins.

`{class}` and so on are the file with a line of the example.
"""


def line_of(text: str, part: str) -> int:
    """The number of the line in which a part of the text begins."""
    return text.count("\n", 0, text.index(part)) + 1


@pytest.fixture
def own(tmp_path: Path) -> Load:
    """Loads a text as a file of one's own."""

    def load(text: str) -> Puzzle:
        path = tmp_path / "lights.py"
        path.write_text(text)
        return puzzles.find(str(path))

    return load


def message(own: Load, text: str) -> str:
    with pytest.raises(PuzzleFault) as caught:
        own(text)
    return str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_used_is_a_message_with_file_line_and_remedy(
    name: str, own: Load, tmp_path: Path
) -> None:
    text, expected = FILES[name]
    file = str(tmp_path / "lights.py")
    places = {
        "class": "class LightsPuzzle",
        "boards": "class Lights(",
        "families": "    @property\n    def families",
        "cnf": '@backend(\n    "lights",\n    "cnf"',
        "elimination": '@backend(\n    "lights", "elimination"',
    }
    known = {key: f"{file}:{line_of(LIGHTS, part)}" for key, part in places.items()}
    assert message(own, text).startswith(expected.format(file=file, **known))
    assert puzzles.user_files() == {}


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(
        UserError,
        match=r"lights\.txt: a puzzle of your own is a Python file or a folder: name a file that ",
    ):
        puzzles.find(str(tmp_path / "lights.txt"))
    with pytest.raises(UserError, match=r"none\.py: No such file or directory$"):
        puzzles.find(str(tmp_path / "none.py"))
    with pytest.raises(UnknownName, match="a file of your own by its path"):
        puzzles.find("lihgts")


def test_an_endless_import_and_an_endless_generator_end(
    own: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "IMPORT_S", 0.2)
    assert " importing the file raised TooLong: it did not end within 0.2 s: mend" in message(
        own, "while True:\n    pass\n"
    )
    monkeypatch.setattr(loading, "IMPORT_S", 60)
    monkeypatch.setattr(guarding, "GENERATE_S", 0.2)
    text = LIGHTS.replace(MAKE, f"{MAKE}    while size > 3:\n        pass\n")
    family = own(text).family("random")
    assert family.board(3, 1).rows == 3
    at = line_of(text, "    while size")
    with pytest.raises(
        PuzzleFault,
        match=rf"\.py:({at}|{at + 1}): the family random, at size 4 and seed 1, raised TooLong",
    ):
        family.board(4, 1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "return None",
            "the family random, at size 3 and seed 1, returned None of type NoneType: return an "
            "instance of lights",
        ),
        (
            "raise ValueError('no')",
            "the family random, at size 3 and seed 1, raised ValueError: no: mend that line",
        ),
        (
            "return np.zeros((9, 9), np.uint8)",
            r"returned array\(.* of type ndarray: return an instance of lights",
        ),
    ],
)
def test_what_a_generator_may_do(own: Load, body: str, expected: str) -> None:
    text = LIGHTS.replace(MAKE, f"    if seed == 1 and size == 3:\n        {body}\n{MAKE}")
    with pytest.raises(PuzzleFault, match=f"(?s)lights.py:[0-9]+: .*{expected}"):
        own(text).family("random").board(3, 1)


FAMILIES = "    def families(self) -> Mapping[str, Family[Lights]]:\n"


def in_families(line: str) -> str:
    """The example with a line in `families`."""
    return LIGHTS.replace(FAMILIES, f"{FAMILIES}        {line}\n")


def in_make(line: str) -> str:
    """The example with a line in the function of its family."""
    return LIGHTS.replace(MAKE, f"    {line}\n{MAKE}")


@pytest.mark.parametrize("place", [in_families, in_make])
@pytest.mark.parametrize(
    ("line", "raised"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise SystemExit('bye')", "SystemExit: bye"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("raise BaseException('no')", "BaseException: no"),
    ],
)
def test_a_family_that_exits_is_a_fault_with_its_line(
    own: Load, place: Callable[[str], str], line: str, raised: str
) -> None:
    text = place(line)
    with pytest.raises(
        PuzzleFault, match=rf"lights\.py:{line_of(text, line)}: .* raised {raised}: mend that line"
    ):
        own(text).family("random").board(3, 1)


@pytest.mark.parametrize("place", [in_families, in_make])
def test_ctrl_c_in_a_family_is_no_fault(own: Load, place: Callable[[str], str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        own(place("raise KeyboardInterrupt")).family("random").board(3, 1)


@pytest.mark.parametrize("place", [in_families, in_make])
def test_what_a_family_prints_goes_to_standard_error(
    own: Load, place: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    own(place("print('from the file')")).family("random").board(3, 1)
    printed = capsys.readouterr()
    assert (printed.out, "from the file\n" in printed.err) == ("", True)


RULE = "    def broken_rule"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        *(
            (f"        return {value}\n", f"broken_rule returned {value} of type ")
            for value in ("None", "False", "True")
        ),
        ("        1 // 0\n", "{line}: it raised"),
        ("        board.grid[0, 0] = 35\n", "{line}: it raised"),
        (f"    def check(self, board, /, answer):\n        return True\n\n{RULE}", "not a Check"),
    ],
)
def test_a_check_that_returns_raises_or_writes_what_it_must_not_is_no_verdict(
    own: Load, line: str, says: str
) -> None:
    before = "        moved = "
    text = LIGHTS.replace(RULE, line) if RULE in line else LIGHTS.replace(before, line + before)
    board = own(text).parse("1\n1 1\n.\n")[0]
    check = check_safely(board, direct.solve(board))
    assert check.verdict is Verdict.UNPROVED
    assert says.format(line=f"lights.py:{line_of(text, line)}") in check.detail
    assert "returned" not in says or check.detail.endswith(
        "return a text, which is empty if nothing is wrong"
    )


SOLVED = """class Solved(Board):
    puzzle: ClassVar[str] = "lights"
    alphabet: ClassVar[bytes] = b".#*+"


class LightsPuzzle"""


def test_a_solution_may_have_characters_that_no_board_has(own: Load) -> None:
    text = LIGHTS.replace("class LightsPuzzle", SOLVED, 1).replace(
        "    board_type = Lights\n", "    board_type = Lights\n    solution_type = Solved\n"
    )
    puzzle = own(text)
    (board,) = puzzle.parse("1\n1 1\n.\n")
    (answer,) = puzzle.parse_answers("POSSIBLE\n+\n", [board], "plain")
    assert puzzle.print_answers([answer], "plain") == "POSSIBLE\n+\n"
    with pytest.raises(InputError, match=r"'\+' is not one of \. # \*"):
        puzzle.parse("1\n1 1\n+\n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("1 // 0", "raised ZeroDivisionError"),
        ("return 3", "returned 3 of type int: return an answer"),
        ("yield 1 // 0", "raised ZeroDivisionError"),
        ("yield 3", r"raised TypeError: report\(3\): it takes an answer"),
        ("yield from ()", "raised TypeError: the backend has yielded no answer"),
    ],
)
def test_a_backend_that_fails_in_our_process(own: Load, body: str, expected: str) -> None:
    text = LIGHTS.replace("    pivots: dict", f"    {body}\n    pivots: dict")
    board = own(text).parse("1\n1 1\n.\n")[0]
    with pytest.raises(
        PuzzleFault, match=f"lights.py:[0-9]+: the backend direct:elimination {expected}"
    ):
        direct.solve(board)


def test_a_backend_may_yield_answers_of_which_the_last_one_counts(
    own: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    yields = (
        "    print('searching')\n"
        "    yield GridSolution(True, board)\n"
        "    yield GridSolution(False, certificate=())\n"
        "    return\n"
    )
    board = own(LIGHTS.replace("    pivots: dict", f"{yields}    pivots: dict")).parse(
        "1\n1 1\n.\n"
    )[0]
    reported: list[Answer] = []
    capsys.readouterr()
    with hear_reports(reported.append):
        answer = direct.solve(board)
    assert [each.claims is not None and int(each.claims[0]) for each in reported] == [1, 0]
    assert answer == reported[-1]
    assert capsys.readouterr() == ("", "searching\n")


def test_another_file_with_the_same_name_is_refused_and_the_same_file_is_loaded_anew(
    own: Load, tmp_path: Path
) -> None:
    first = own(LIGHTS)
    assert own(LIGHTS) is first
    second = own(LIGHTS.replace("Nothing here", "Nothing there"))
    assert puzzles.get("lights") is second
    (tmp_path / "other.py").write_text(LIGHTS)
    with pytest.raises(
        PuzzleFault, match="lights.py holds a puzzle lights already: choose another name"
    ):
        puzzles.find(str(tmp_path / "other.py"))
    assert puzzles.get("lights") is second


def test_a_broken_file_leaves_the_working_one(own: Load) -> None:
    first = own(LIGHTS)
    message(own, LIGHTS.replace('side="models"', 'side="modles"'))
    assert puzzles.get("lights") is first
    assert list(direct.SIDE.backends("lights")) == ["elimination"]
    assert puzzles.get("nogo").name == "nogo"


def forbidding(expression: str) -> str:
    """The example, whose boards are forbidden for the reason that an expression gives."""
    alphabet = '    alphabet: ClassVar[bytes] = b".#*"\n'
    method = f"    def forbidden(self) -> str:\n        return {expression}\n"
    return LIGHTS.replace(alphabet, f"{alphabet}\n{method}")


def test_boards_that_the_puzzle_forbids(own: Load) -> None:
    puzzle = own(forbidding("\"no light is on\" if (self.grid != ord('*')).all() else ''"))
    (board,) = puzzle.parse("1\n1 2\n.*\n")
    assert [smaller.lines() for smaller in space_of(puzzle).smaller(board)] == [["*"]]
    with pytest.raises(InputError, match=r"^b\.in:4:1: no light is on$"):
        puzzle.parse("2\n1 2\n.*\n1 2\n.#\n", "b.in")


def test_a_rule_that_raises_while_a_board_shrinks(own: Load) -> None:
    puzzle = own(forbidding("'' if self.cells > 1 else {}[self.cells]"))
    (board,) = puzzle.parse("1\n1 2\n.*\n")
    message = r"lights\.py:\d+: building a smaller instance raised KeyError: 1: mend that line"
    with pytest.raises(PuzzleFault, match=message):
        list(space_of(puzzle).smaller(board))


def with_smaller(body: str) -> str:
    """The example, which says itself which boards are smaller."""
    return LIGHTS.replace(RULE, f"    def smaller(self, board, /):\n        {body}\n\n{RULE}")


def test_a_smaller_that_raises(own: Load) -> None:
    puzzle = own(with_smaller("yield board\n        1 // 0"))
    (board,) = puzzle.parse("1\n1 2\n.*\n")
    smaller = space_of(puzzle).smaller(board)
    assert next(smaller) == board
    message = r"lights\.py:\d+: smaller raised ZeroDivisionError: .*: mend that line"
    with pytest.raises(PuzzleFault, match=message):
        next(smaller)


def test_an_endless_smaller_ends(own: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance_space, "_MAX_SMALLER", 50)
    puzzle = own(with_smaller("while True:\n            yield board"))
    (board,) = puzzle.parse("1\n1 2\n.*\n")
    assert len(list(space_of(puzzle).smaller(board))) == 50


def test_a_smaller_that_says_nothing_leaves_it_to_the_space(own: Load) -> None:
    puzzle = own(with_smaller("return None"))
    (board,) = puzzle.parse("1\n1 2\n.*\n")
    assert list(space_of(puzzle).smaller(board)) == list(space_of(puzzle).steps(board))


@pytest.mark.parametrize(
    ("method", "called", "expected"),
    [
        ("fields(self, answer)", lambda puzzle, answer: puzzle.fields(answer), "a dictionary"),
        (
            "outcome(self, claims)",
            lambda puzzle, answer: puzzle.outcome(answer.claims),
            "a text",
        ),
        (
            "lacking(self, board, /, answer, finds)",
            lambda puzzle, answer: puzzle.lacking(answer.board, answer, ""),
            "a text or None",
        ),
    ],
)
def test_a_method_that_returns_what_it_must_not(
    method: str, called: Callable[[Puzzle, Any], object], expected: str, own: Load
) -> None:
    text = LIGHTS.replace(RULE, f"    def {method}:\n        return 7\n\n{RULE}")
    puzzle = own(text)
    answer = direct.solve(puzzle.parse("1\n1 1\n.\n")[0])
    name = method.partition("(")[0]
    at = line_of(text, f"    def {name}(")
    with pytest.raises(
        PuzzleFault, match=rf"lights\.py:{at}: {name} returned 7 of type int: return {expected}$"
    ):
        called(puzzle, answer)
