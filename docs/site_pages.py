"""A hook of mkdocs: the pages of the site that are made when it is built, and links out of docs/.

README, CONTRIBUTING and the log of benchmarks become pages. The commands come from their parsers,
the Python reference from docstrings. The page of a puzzle gets its rules. A link to another file of
the checkout leads to a copy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent

COPIED = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "benchmarks.md": "benchmarks/README.md",
    "changes.md": "CHANGELOG.md",
}
"""Pages of the site, and the file of the checkout that each of them is."""

PYTHON = {
    "Solve": ("puzzles.backend.Side", "puzzles.backend.backend", "puzzles.backend.Backend"),
    "Boards, answers, checks": (
        *("puzzles.puzzle.Puzzle", "puzzles.answer.Effort", "puzzles.answer.Verdict"),
        *("puzzles.answer.Check", "puzzles.answer.BeyondCheck"),
        *("puzzles.beams.board", "puzzles.minesweeper.board"),
        *("puzzles.nogo.board", "puzzles.geography.board"),
    ),
    "Formulas": ("models.cnf.Formula", "models.dimacs.Encoding", "models.session.Session"),
    "2-SAT": ("direct.two_sat",),
    "In your own tests": tuple(
        f"compare.commands.fuzz.agreement.{name}"
        for name in ("assert_agrees", "examples", "Disagreement")
    ),
}
"""What the Python reference shows, by heading."""

RULES = re.compile(r"^\[The rules\]\(([^)]+/rules\.md)\).*\n", re.M)
"""The line of a puzzle's page in whose place the site has the rules."""

LINK = re.compile(r'(\]\(|src=")(?![a-z]+:|#)([^)#"]+)')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    for uri, path in COPIED.items():
        files.append(File.generated(config, uri, content=(ROOT / path).read_text()))
    files.append(File.generated(config, "commands.md", content=commands()))
    files.append(File.generated(config, "python-reference.md", content=python()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the rules into the page of a puzzle, and turn links between files of the checkout into
    links between pages of the site.
    """
    here = page.file.src_uri
    folder = dirname(COPIED.get(here, f"docs/{here}"))
    markdown = with_rules(markdown, folder)
    pages = {path: uri for uri, path in COPIED.items()}

    def led(link: re.Match[str]) -> str:
        path = normpath(join(folder, link[2]))
        rules = re.fullmatch(r"puzzles/(\w+)/rules\.md", path)
        uri = f"puzzles/{rules[1]}.md" if rules else pages.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(uri) is None and (ROOT / path).is_file():
            uri = f"source/{path}"
            if files.get_file_from_path(uri) is None:
                files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
        return link[1] + relpath(uri, dirname(here) or ".")

    return LINK.sub(led, markdown)


def with_rules(markdown: str, folder: str) -> str:
    """The page of a puzzle with the rules in the place of the link to them, without their title;
    another page as it is.
    """

    def rules(link: re.Match[str]) -> str:
        return (ROOT / folder / link[1]).read_text().partition("\n")[2].strip() + "\n"

    return RULES.sub(rules, markdown)


def commands() -> str:
    """The help of every command, as its parser prints it."""
    from itertools import groupby

    from compare import command_line
    from compare.commands import commands as every
    from direct import SIDE
    from models.command import main as models
    from puzzles.shell.shared_command import main as shared

    os.environ["COLUMNS"] = "80"
    text = "# Commands\n\nEvery command as its `--help` says it.\n"
    text += "`twofold` is short for `python -m compare`.\n"
    for title, group in groupby(every().items(), key=lambda each: each[1].group):
        text += f"\n## {title[0].upper()}{title[1:]}\n"
        for name, _ in group:
            asked = partial(command_line.main, [name, "--help"])
            text += f"\n### compare {name}\n\n```text\n{printed(asked)}```\n"
    text += "\n## Solve one file\n"
    for name, asked in {
        "direct": partial(shared, SIDE, ["--help"]),
        "models": partial(models, ["--help"]),
    }.items():
        text += f"\n### {name}\n\n```text\n{printed(asked)}```\n"
    return text


def printed(function: Callable[[], Any]) -> str:
    """What a function prints before it ends."""
    with redirect_stdout(StringIO()) as out, suppress(SystemExit):
        function()
    return out.getvalue()


def python() -> str:
    """The page that mkdocstrings fills with docstrings."""
    text = "# Python\n\nMade from docstrings. [From Python](python.md) has examples.\n"
    for title, names in PYTHON.items():
        text += f"\n## {title}\n\n" + "".join(f"::: {name}\n\n" for name in names)
    return text
