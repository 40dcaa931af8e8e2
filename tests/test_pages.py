"""README.md and docs/: every command works as written, and prints what stands below it.

In a block of `console`, a line that begins with `$ ` is a command. The lines below it are what it
prints on stdout: every line, unless a line `...` stands for any lines, or nothing is shown at all.
Times are not compared, nor the widths of columns. A command exits with 0 unless `# exit status N`
stands behind it. Output that differs from run to run stands in a block of `text`. The README's two
blocks of `sh` are what `.ci/run` begins with.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.installed import needs
from tests.places import ROOT
from tests.processes import environment

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

WRITTEN = [*PAGES, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "benchmarks").glob("*.md"))]
"""All pages but the change log, which names what is gone."""

FOLDER = re.compile(r"(\.ci|benchmarks|compare|direct|docs|examples|models|puzzles|tests)/")
"""How a path of the project begins."""

PLACEHOLDER = re.compile(r"x|x\.\w+|.*[A-Z]{4,}.*|.*\*.*")
"""A part of a path that stands for a name: `x`, `NAME`, `*`."""

DRAW_AGAIN = "`python docs/make_pictures.py` draws the pictures again; look at what has changed"
"""What to do when a picture is stale."""

TUTORIALS = {"tutorial.md": "lights.py", "tutorial-best.md": "tardiness.py"}
"""The pages that build an example step by step, and the example."""

BUSY = re.compile(r"CPU time is \d+% of wall time: ")
"""A line that is printed where the machine was busy, as it is beside other tests."""

FAST = {"own-encodings.md: SAT solvers of your own"}
"""The sections that are not slow."""

PACKAGES = {
    "report": ("jinja2", "matplotlib"),
    "--plot": ("matplotlib",),
}
"""What a command with these words needs beyond Twofold."""

LINKED = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)|src=\"([^\"]+)\"")


class Command(NamedTuple):
    """A command of a page, the lines that stand below it, and the exit status that stands behind
    it.
    """

    words: str
    shown: list[str]
    status: int


def blocks(text: str, language: str) -> list[str]:
    """What stands in the blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)


def sections() -> dict[str, list[Command]]:
    """The commands of each section, `page: heading`."""
    by_heading: dict[str, list[Command]] = {}
    for page in PAGES:
        for part in re.split(r"^#+ (?=.*\n)", page.read_text(), flags=re.MULTILINE):
            if consoles := blocks(part, "console"):
                by_heading[f"{page.name}: {part.partition(chr(10))[0]}"] = [
                    each for block in consoles for each in commands(block)
                ]
    return by_heading


def commands(block: str) -> list[Command]:
    """The commands of one block."""
    parsed: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            words, _, note = line[2:].partition("  # ")
            status = re.match(r"exit status (\d+)", note.strip())
            parsed.append(Command(words.strip(), [], int(status[1]) if status else 0))
        elif "<<'END'" in parsed[-1].words and not parsed[-1].words.endswith("\nEND"):
            parsed[-1] = parsed[-1]._replace(words=f"{parsed[-1].words}\n{line}")
        else:
            parsed[-1].shown.append(line)
    return parsed


SECTIONS = sections()


def pattern(shown: list[str]) -> str:
    """A regular expression for what is shown, where `...` is anything."""
    lines = [re.escape(plain(line)).replace(re.escape("..."), "(?s:.*)") for line in shown]
    return "\n".join(lines).replace("(?s:.*)\n", "(?s:.*)").replace("\n(?s:.*)", "(?s:.*)")


def plain(text: str) -> str:
    """Without times and rates, and with one blank for several; a table's rules are left out."""
    text = re.sub(r"\d[\d.,]*(?= ?(?:ns|µs|ms|s|\w+ a second)\b)", "0", text)
    return re.sub(r" {2,}", "  ", re.sub(r"-{3,}", "---", text)).rstrip()


@pytest.mark.parametrize(
    "section",
    [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in SECTIONS],
)
def test_the_commands_of_a_section_work_as_written(section: str, tmp_path: Path) -> None:
    for name in ("docs", "examples", "puzzles"):
        (tmp_path / name).symlink_to(ROOT / name)
    page = section.partition(": ")[0]
    if page in TUTORIALS and (code := tutorial_file(section)):
        (tmp_path / TUTORIALS[page]).write_text(code)
    path = os.pathsep.join(
        [str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    for command in SECTIONS[section]:
        if command.words.startswith(". .venv/bin/activate"):
            continue
        _skip_without(command.words)
        ended = subprocess.run(
            ["bash", "-c", command.words],
            cwd=tmp_path,
            env=environment(PATH=path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == command.status, (
            f"{command.words}\n{ended.stdout}\n{ended.stderr}"
        )
        assert "Traceback" not in ended.stderr
        if command.shown:
            printed = "\n".join(
                plain(line) for line in ended.stdout.splitlines() if not BUSY.match(line)
            )
            assert re.fullmatch(pattern(command.shown), printed), (
                f"{command.words} prints\n{ended.stdout}"
            )
    if section.endswith(": What else it does"):
        drawn, kept = tmp_path / "heat.svg", ROOT / "docs" / "pictures" / "heat.svg"
        assert drawn.read_text() == kept.read_text(), DRAW_AGAIN


def tutorial_file(section: str) -> str:
    """The file of a tutorial's reader after the code of this section: parts of the example, in the
    example's order. Empty before the first of them.
    """
    name, _, heading = section.partition(": ")
    whole = (ROOT / "examples" / TUTORIALS[name]).read_text()
    page = (ROOT / "docs" / name).read_text()
    until = page.find("\n## ", page.index(f"## {heading}"))
    parts = blocks(page[:until] if until > 0 else page, "python")
    assert all(part in whole for part in parts)
    return "\n\n".join(sorted(parts, key=whole.index))


@pytest.mark.parametrize(
    "section", ["tutorial.md: 6. Is it right?", "tutorial-best.md: 8. Larger cases"]
)
def test_a_tutorial_builds_the_whole_example(section: str) -> None:
    whole = (ROOT / "examples" / TUTORIALS[section.partition(": ")[0]]).read_text()
    assert tutorial_file(section).split() == whole.split()


def _skip_without(words: str) -> None:
    if ".cpp" in words and shutil.which("g++") is None:
        pytest.skip("no C++ compiler here")
    for part, modules in PACKAGES.items():
        if part in words:
            for module in modules:
                needs(module)


def test_what_is_shown_is_compared() -> None:
    (command,) = commands(
        "$ python -m x    # exit status 1: so it is\nall 3    boards in 2.5 s\n...\nend\n"
    )
    assert command == ("python -m x", ["all 3    boards in 2.5 s", "...", "end"], 1)
    assert re.fullmatch(pattern(command.shown), "all 3  boards in 0 s\nmore\nlines\nend")
    assert not re.fullmatch(pattern(command.shown), "all 4  boards in 0 s\nend")
    assert re.fullmatch(pattern(["PROVED..."]), "PROVED; x")


def test_no_section_is_left_out() -> None:
    assert len(SECTIONS) > 20
    assert set(SECTIONS) >= FAST
    for page in PAGES:
        fences = re.findall(r"^```(\S*)", page.read_text(), re.M)[::2]
        assert set(fences) <= {"sh", "console", "text", "cpp", "python", "yaml"}, page.name


def test_links_lead_somewhere() -> None:
    links = [
        (page, one or other) for page in WRITTEN for one, other in LINKED.findall(page.read_text())
    ]
    assert len(links) > 20
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


def missing_paths(text: str) -> list[str]:
    """The code spans of a page that are paths of the project, and do not exist."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    paths = [span for span in re.findall(r"`([^`\s]+/[^`\s]*)`", prose) if FOLDER.match(span)]
    return [
        path
        for path in paths
        if not any(map(PLACEHOLDER.fullmatch, path.split("/"))) and not (ROOT / path).exists()
    ]


def test_each_path_in_a_page_exists() -> None:
    missing = {page.name: missing_paths(page.read_text()) for page in WRITTEN}
    assert {name: paths for name, paths in missing.items() if paths} == {}, (
        "a page names a file or folder that is not there: mend the page"
    )


def test_a_path_that_is_gone_is_noticed() -> None:
    text = "`compare/gone.py` and `docs/`, `models/x/by_NAME.py`, `a/b`\n```text\n`docs/no`\n```\n"
    assert missing_paths(text) == ["compare/gone.py"]


def test_the_readme_is_short_and_begins_with_the_two_set_up_commands() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 150
    first, second, *_ = blocks("\n".join(lines), "sh")
    assert (first.count("\n"), second.count("\n")) == (1, 1)
    assert lines.index(second.strip()) < 30


@pytest.mark.parametrize(
    ("page", "language", "example"),
    [
        ("README.md", "cpp", "mine.cpp"),
        ("docs/own-encodings.md", "python", "my_encoding.py"),
        ("docs/two-models.md", "python", "beams_merged.py"),
    ],
)
def test_code_in_the_pages_is_that_of_the_examples(page: str, language: str, example: str) -> None:
    (code,) = blocks((ROOT / page).read_text(), language)
    whole = (ROOT / "examples" / example).read_text()
    assert code in whole
    assert whole.endswith(code) or example != "my_encoding.py"
    assert code.count("\n") == 6 or language != "cpp"


@pytest.mark.slow
def test_the_pictures_are_made_by_their_command(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler here")
    words = [sys.executable, str(ROOT / "docs" / "make_pictures.py"), str(tmp_path)]
    subprocess.run(words, check=True, env=environment(), cwd=tmp_path)
    drawn = sorted(tmp_path.glob("*.svg"))
    folder = ROOT / "docs" / "pictures"
    measured = re.compile(r"plot-.*|.*-growth")
    kept = [path for path in sorted(folder.glob("*.svg")) if not measured.fullmatch(path.stem)]
    assert [path.name for path in drawn] == [path.name for path in kept], DRAW_AGAIN
    stale = [
        one.name
        for one, other in zip(drawn, kept, strict=True)
        if one.read_text() != other.read_text()
    ]
    assert stale == [], DRAW_AGAIN


@pytest.mark.slow
def test_a_cluster_starts_as_written(tmp_path: Path) -> None:
    needs("distributed")
    (block,) = blocks((ROOT / "docs" / "machines.md").read_text(), "sh")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    lines = [
        line.replace("//host", "//127.0.0.1").replace("8786", port) for line in block.splitlines()
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    started = [
        subprocess.Popen(
            ["bash", "-c", f"exec {sys.executable} -m distributed.cli.{words}"],
            cwd=tmp_path,
            env=environment(PATH=path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for words in (
            re.sub(r"^dask (\w+)", r"dask_\1", line) + " --no-dashboard" for line in lines[:2]
        )
    ]
    try:
        ended = subprocess.run(
            ["bash", "-c", lines[2]],
            cwd=tmp_path,
            env=environment(PATH=path),
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()
    assert ended.returncode == 0, ended.stderr
    assert "ALL AGREE" in ended.stdout
