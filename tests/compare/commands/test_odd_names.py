"""Names that are no UTF-8, or full of control characters and HTML, on the command line, in files
and on the page.
"""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import puzzles
from tests.processes import compare, contender, run_module

ODD = os.fsdecode(b"n\xffme")
SHOWN = "n\\udcffme"
HOSTILE = "<script>alert(1)</script>\x1b[2J\x9b\x07"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.mark.slow
def test_a_name_that_is_no_utf8_works_everywhere(tmp_path: Path) -> None:
    (tmp_path / f"{ODD}.in").write_text(puzzles.get("beams").example)
    run = ("run", "beams", f"{ODD}.in", "-b", "two-sat", "-b", "cnf", "-q", "--out", f"{ODD}.jsonl")
    compare(*run, cwd=tmp_path, status=0)
    resumed = compare(*run, "--resume", cwd=tmp_path, status=0)
    assert resumed.stderr.startswith(f"{SHOWN}.jsonl: ")
    assert compare("report", f"{ODD}.jsonl", "-o", f"{ODD}.html", cwd=tmp_path).stdout.startswith(
        f"{SHOWN}.html: "
    )
    (tmp_path / "one.in").write_text("1 3\n...\n")
    assert (
        run_module("direct", "geography", "one.in", "--svg", f"{ODD}.svg", cwd=tmp_path).returncode
        == 0
    )
    wrong = contender(tmp_path, "print('Case #1: nonsense')")
    fuzzed = compare(
        f"fuzz beams -b two-sat --program '{wrong}' --cases 8 --save",
        ODD,
        "--jobs",
        "1",
        cwd=tmp_path,
        status=1,
    )
    assert f"replay: python -m compare run beams '{SHOWN}/error-" in fuzzed.stdout
    assert sorted(path.name for path in tmp_path.glob(f"{ODD}*")) == [
        ODD,
        *(f"{ODD}.{suffix}" for suffix in ("html", "in", "jsonl", "svg")),
    ]


class Page(HTMLParser):
    """The text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_names_and_outputs_are_escaped_on_the_terminal_and_on_the_page(
    tmp_path: Path,
) -> None:
    (tmp_path / "board.in").write_text("1\n1 3\n.-.\n")
    code = (
        f"import sys\nprint({HOSTILE!r})\nprint({HOSTILE!r}, "
        "file=sys.stderr)\nsys.exit(len(sys.argv) - 1)\n"
    )
    command = contender(tmp_path, code).partition("=")[2]
    words = [
        "--program",
        f"{HOSTILE}={command}",
        "--program",
        f"crash={command} 1",
        "-b",
        "two-sat",
    ]
    ended = compare("run beams board.in --out runs.jsonl", *words, cwd=tmp_path)
    assert CONTROL.search(ended.stdout + ended.stderr) is None
    assert "<script>alert(1)</script>\\x1b[2J\\x9b\\x07" in ended.stdout
    compare("report runs.jsonl -o page.html", cwd=tmp_path)
    html = (tmp_path / "page.html").read_text()
    assert CONTROL.search(html) is None
    assert "<script>alert(1)" not in html
    assert "<script>alert(1)</script>\\x1b[2J\\x9b\\x07" in Page(html).text
    shown = compare("diff runs.jsonl runs.jsonl", cwd=tmp_path)
    assert CONTROL.search(shown.stdout + shown.stderr) is None
