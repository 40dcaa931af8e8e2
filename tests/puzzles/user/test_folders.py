"""A puzzle of one's own as a folder with modules, and as an installed package: found, loaded, and
what is wrong in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import direct
import models
import puzzles
from puzzles.answer import Verdict
from puzzles.puzzle import Puzzle
from puzzles.text import UserError
from puzzles.user import user_file
from puzzles.user.user_file import PuzzleFault, UserFile
from tests.puzzles.user.lights_folder import FILES, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example as a folder with a file for each part."""
    return write_folder(tmp_path / "lights")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The example as an installed package `my_lights`, which has the puzzle `lights`."""
    write_folder(tmp_path / "my_lights")
    entry(tmp_path, "my-lights", "lights = my_lights")
    monkeypatch.syspath_prepend(str(tmp_path))
    user_file.installed_puzzles.cache_clear()
    yield tmp_path / "my_lights"
    user_file.installed_puzzles.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_lights"]:
        del sys.modules[name]


def entry(place: Path, distribution: str, line: str) -> None:
    """What `pip` writes when it installs a distribution with an entry point."""
    info = place / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[twofold.puzzles]\n{line}\n")


def found(path: Path) -> Puzzle:
    return puzzles.find(str(path))


def solves_both_ways(puzzle: str) -> None:
    """Both sides answer, and both answers are proved."""
    (board,) = puzzles.get(puzzle).parse("1\n2 2\n*.\n#*\n")
    for side in (direct, models):
        answer = side.solve(board, certify=True)
        assert puzzles.get(puzzle).check(board, answer).verdict is Verdict.PROVED


def test_a_folder_is_a_puzzle_with_its_rooms_its_data_and_its_rules(folder: Path) -> None:
    puzzle = found(folder)
    assert (puzzle.name, puzzle.origin.argument) == ("lights", str(folder))
    assert [each.name for each in (puzzle.data / "sample").iterdir()] == ["one.in"]
    assert puzzle.rules == "# Lights\n"
    assert [*direct.SIDE.backends("lights"), *models.SIDE.backends("lights")] == [
        "elimination",
        "cnf",
    ]
    assert found(folder) is puzzle
    solves_both_ways("lights")


def test_another_process_needs_its_texts_only(folder: Path) -> None:
    file = user_file.read_user_file(str(folder))
    absent = file._replace(path=str(folder.parent / "nowhere" / "lights" / "__init__.py"))
    assert puzzles.load(absent).name == "lights"
    solves_both_ways("lights")


def test_a_change_in_any_file_makes_it_another_puzzle(folder: Path) -> None:
    assert "#" in found(folder).family("random").board(8, 1).text()
    (folder / "families.py").write_text(FILES["families.py"].replace("rng.random() / 3", "0.0"))
    assert "#" not in found(folder).family("random").board(8, 1).text()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("check.py", "def check(:\n", r"lights/check\.py:1:11: SyntaxError: "),
        (
            "direct.py",
            "\n1 // 0\n",
            r"lights/direct\.py:2: importing the file raised ZeroDivisionError: ",
        ),
        (
            "direct.py",
            "import board\n",
            r"lights/direct\.py:1: there is no module board: .* `from \.board import \.\.\.`$",
        ),
        (
            "direct.py",
            "from lights import board\n",
            r"direct\.py:1: there is no module lights: .* as `from \. import \.\.\.`$",
        ),
        ("models/by_clauses.py", "", r"^$"),
    ],
)
def test_what_is_wrong_in_a_room_names_its_file_and_line(
    folder: Path, name: str, text: str, expected: str
) -> None:
    (folder / name).write_text(text)
    if not text:  # a side may have no backend
        found(folder)
        with pytest.raises(
            UserError,
            match=r"models has no backend for lights: write one into .*lights/models\.py, ",
        ):
            models.SIDE.get("lights")
        return
    before = set(sys.modules)
    with pytest.raises(PuzzleFault, match=expected):
        found(folder)
    assert not [each for each in set(sys.modules) - before if each.startswith("own_puzzle_lights")]


def test_folders_that_are_no_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UserError,
        match=r"there is no __init__\.py in this folder: write the puzzle's class and PUZZLE = ",
    ):
        puzzles.find(str(tmp_path) + "/")
    (tmp_path / "__init__.py").write_text("")
    with pytest.raises(UserError, match="there is no puzzle in it: "):
        found(tmp_path)
    (tmp_path / "bad.py").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"bad\.py: 'utf-8' codec can't decode byte 0xff"):
        found(tmp_path)
    monkeypatch.setattr(user_file, "MAX_BYTES", 10)
    (tmp_path / "bad.py").write_text("#" * 11)
    with pytest.raises(
        UserError,
        match="it holds more than 200 Python files, or more than 0 MB of them: name the folder "
        "of one ",
    ):
        found(tmp_path)


def test_a_module_beside_a_single_file_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("")
    (tmp_path / "lights.py").write_text("import helper\n")
    with pytest.raises(
        PuzzleFault,
        match=r"lights\.py:1: there is no module helper: .*put both into a folder, name this one ",
    ):
        found(tmp_path / "lights.py")


def test_an_installed_package_is_found_by_its_name(package: Path) -> None:
    assert "lights" in puzzles.installed_names()
    puzzle = puzzles.get("lights")
    assert puzzle.origin.argument == "lights"
    assert [each.name for each in (puzzle.data / "sample").iterdir()] == ["one.in"]
    assert list(puzzles.user_files()) == ["lights"]
    solves_both_ways("lights")


def test_an_installed_package_that_was_imported_before_keeps_its_classes(package: Path) -> None:
    from my_lights.board import Lights  # pyright: ignore[reportMissingImports]

    (board,) = puzzles.get("lights").parse("1\n1 1\n*\n")
    assert type(board) is Lights
    solves_both_ways("lights")


def test_a_process_in_which_the_package_is_not_installed_gets_its_texts(package: Path) -> None:
    file = puzzles.user_files().get("lights") or user_file.installed_file("lights")
    assert isinstance(file, UserFile)
    sys.path.remove(str(package.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_lights"]:
        del sys.modules[name]
    assert puzzles.load(file).name == "lights"
    solves_both_ways("lights")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            "lights = my_lights",
            "the installed packages my-lights and other have a puzzle lights each: uninstall one "
            "of them",
        ),
        (
            "gone = no_such_module",
            r"the puzzle gone of the installed package other cannot be loaded: there is no "
            r"module no_such_",
        ),
        (
            "dark = my_lights",
            r"my_lights/__init__\.py:\d+: name is 'lights', but it is installed as the puzzle "
            r"dark: make ",
        ),
    ],
)
def test_what_may_be_wrong_with_installed_packages(
    package: Path, other: str, expected: str
) -> None:
    entry(package.parent, "other", other)
    user_file.installed_puzzles.cache_clear()
    name = other.partition(" ")[0]
    with pytest.raises(UserError, match=expected):
        puzzles.get(name)
    assert puzzles.get("nogo").name == "nogo"


def test_a_package_cannot_take_a_name_of_ours(package: Path) -> None:
    entry(package.parent, "other", "nogo = my_lights")
    user_file.installed_puzzles.cache_clear()
    assert "nogo" not in puzzles.installed_names()
    assert type(puzzles.get("nogo")).__module__ == "puzzles.nogo"
