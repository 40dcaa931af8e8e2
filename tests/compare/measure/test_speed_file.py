"""Files of figures: read back as written, also after a kill; other files are refused with a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.measure.speed.figure import GrowthLine, JobTimes, Part, SpeedFigure
from compare.measure.speed.speed_file import open_speed_file, read_speed_file
from puzzles.text import UserError
from tests.compare.measure.figures import figure, speed_file

RACE = SpeedFigure(
    Part.RACES,
    "peer, sorting",
    "peer 1.0",
    (JobTimes("one", (0.5, 0.25), (1.0, 2.0)), JobTimes("two", (0.5,), (), stopped=3.0)),
    by="a / b",
    target=2.0,
)
GROWTH = SpeedFigure(
    Part.GROWTH, "beams", "the yardstick", (JobTimes("size 8", (0.5,), (1.0,)),), line=GrowthLine(1.2, 1.1, 1.3, 4)
)


def test_figures_are_read_back_as_written(tmp_path: Path) -> None:
    path = speed_file(tmp_path / "speed.jsonl", RACE, GROWTH, figure(wrong=("it failed",)))
    content = read_speed_file(path)
    assert content.figures == (RACE, GROWTH, figure(wrong=("it failed",)))
    assert content.header.command == "python -m compare speed"


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = Path(speed_file(tmp_path / "speed.jsonl", RACE, GROWTH))
    path.write_bytes(path.read_bytes()[:-20])
    assert read_speed_file(str(path)).figures == (RACE,)


def test_a_file_that_holds_something_is_kept(tmp_path: Path) -> None:
    path = speed_file(tmp_path / "speed.jsonl", RACE)
    with pytest.raises(UserError, match="--overwrite begins it anew"), open_speed_file(path, [], overwrite=False):
        pass
    assert read_speed_file(path).figures == (RACE,)
    assert read_speed_file(speed_file(Path(path), GROWTH)).figures == (GROWTH,)


def test_damaged_and_other_files_are_named(tmp_path: Path) -> None:
    path = Path(speed_file(tmp_path / "speed.jsonl", RACE))
    head, line = path.read_text().splitlines()
    for text, message in (
        ("hello\n", ":1: not a file that `compare speed --out` wrote"),
        ("", ":1: not a file that"),
        ('{"speed":1', ":1: the header cannot be read"),
        ('{"speed":1}\n', ":1: the header cannot be read"),
        (head.replace('"speed":1', '"speed":7') + "\n", ":1: the header cannot be read: its format is 7"),
        (f"{head}\n{{}}\n", ":2: not a figure"),
        (f"{head}\n{line.replace('0.25', '-1')}\n", ":2: not a figure"),
        (f"{head}\n{line.replace('0.25', '1e999')}\n", ":2: not a figure"),
        (f"{head}\n{line.replace('[1.0,2.0]', '[1.0]')}\n", ":2: not a figure: input 'one': 2 times, and 1 of its yardstick"),
        (f"{head}\n{line}\n{line}\n", ":3: races has peer, sorting twice"),
    ):
        path.write_text(text)
        with pytest.raises(UserError) as refused:
            read_speed_file(str(path))
        assert str(refused.value).startswith(f"{path}{message}"), text
