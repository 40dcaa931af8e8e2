"""An option is declared once: from there it has its group of the help, its completion, its place in
the line that repeats a run, and its effect on `--resume`.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import puzzles
from compare.command_line import complete, main
from compare.commands import module
from compare.commands.arguments import INPUTS, CommandParser, again
from puzzles.shell.argument_parser import Argument, ArgumentParser
from tests.installed import needs

SHADE = Argument(
    "--shade",
    "how dark the boards are",
    metavar="SHADE",
    default="grey",
    group=INPUTS,
    replayed=True,
    changes_records=False,
    completer=lambda **_: ["black", "white"],
)
"""An option that no command has."""

Plant = Callable[[Argument], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Gives `run` a further option, in one place."""
    run = module("run")
    usual = run.arguments

    def plant(option: Argument) -> None:
        def arguments(parser: ArgumentParser) -> None:
            usual(parser)
            parser.add(option)

        monkeypatch.setattr(run, "arguments", arguments)

    return plant


def parser_of(name: str) -> CommandParser:
    parser = CommandParser("compare", name)
    module(name).arguments(parser)
    return parser


def test_the_help_has_it_in_its_group(plant: Plant) -> None:
    plant(SHADE)
    groups = {
        text.partition(":\n")[0]: text for text in parser_of("run").format_help().split("\n\n")
    }
    assert [title for title, text in groups.items() if "how dark" in text] == ["inputs"]


def test_the_shell_completes_it(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("argcomplete")
    import argcomplete

    plant(SHADE)
    printed, line = io.StringIO(), "twofold run nogo --shade "
    completing = partial(
        argcomplete.autocomplete, exit_method=lambda status: None, output_stream=printed
    )
    monkeypatch.setattr(argcomplete, "autocomplete", completing)
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setenv("_ARGCOMPLETE_IFS", "\n")
    monkeypatch.setenv("COMP_LINE", line)
    monkeypatch.setenv("COMP_POINT", str(len(line)))
    complete("twofold")
    assert printed.getvalue().split() == ["black", "white"]


@pytest.mark.parametrize(
    ("option", "words", "shown"),
    [
        (SHADE, ["--shade", "black"], " --shade black"),
        (SHADE, ["--shade", "grey"], ""),
        (SHADE, [], ""),
        (replace(SHADE, replayed=False), ["--shade", "black"], ""),
    ],
)
def test_the_line_that_repeats_a_run_has_it(
    plant: Plant, option: Argument, words: list[str], shown: str
) -> None:
    plant(option)
    parser = parser_of("run")
    options = parser.parse_intermixed_args(["nogo", "-b", "direct", *words])
    options.parser = parser
    line = again(puzzles.get("nogo"), Path("boards.in"), options)
    assert line == f"python -m compare run nogo boards.in -b direct{shown}"


@pytest.mark.parametrize(("changes_records", "status"), [(False, 0), (True, 2)])
def test_records_go_on_with_another_value_if_it_changes_none(
    plant: Plant,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes_records: bool,
    status: int,
) -> None:
    plant(replace(SHADE, changes_records=changes_records))
    file = tmp_path / "runs.jsonl"
    words = ["run", "nogo", "-b", "direct", "-k", "sample", "-q", "--out", str(file)]
    assert main([*words, "--shade", "black"]) == 0
    records = file.read_bytes()
    assert main([*words, "--shade=white", "--resume"]) == status
    assert file.read_bytes() == records
    refused = "--resume goes on with the same command line only" in capsys.readouterr().err
    assert refused == changes_records


def test_records_go_on_under_another_name(tmp_path: Path) -> None:
    words = ["run", "nogo", "-b", "direct", "-k", "sample", "-q", "--out"]
    assert main([*words, str(tmp_path / "runs.jsonl")]) == 0
    moved = (tmp_path / "runs.jsonl").rename(tmp_path / "moved.jsonl")
    records = moved.read_bytes()
    assert main([*words, str(moved), "--resume"]) == 0
    assert moved.read_bytes() == records


def test_what_repeats_a_run_of_fuzz_are_options_of_run() -> None:
    of_run = {name for each in parser_of("run").declared for name in each.names}
    replayed = {each.names[0] for each in parser_of("fuzz").declared if each.replayed}
    assert replayed
    assert replayed <= of_run
