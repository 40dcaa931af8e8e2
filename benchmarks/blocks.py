"""Blocks of measured figures in pages: each says its commit and its day, and only
`python -m benchmarks.all` writes it.

    <!-- measured: NAME COMMIT DAY -->
    ...
    <!-- end of NAME -->

A new block is a pair of such lines, with the name alone in the first one.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

FOLDERS = ("docs", "benchmarks")
"""Whose pages may have blocks; README.md may, too."""

_BLOCK = re.compile(
    r"<!-- measured: (?P<name>[\w-]+)(?: (?P<commit>[0-9a-f]+) (?P<day>[\d-]+))? -->\n"
    r"(?P<body>.*?)<!-- end of (?P=name) -->",
    re.S,
)


class Block(NamedTuple):
    """A block of a page; without commit and day until it is measured."""

    page: Path
    name: str
    commit: str | None
    day: str | None

    def __str__(self) -> str:
        return f"{self.page}: {self.name} ({(self.commit or '')[:8]}, {self.day})"


class Written(NamedTuple):
    """What is to stand in a block."""

    commit: str
    day: str
    body: str


def pages(root: Path = ROOT) -> list[Path]:
    """The pages that may have blocks."""
    return [root / "README.md", *sorted(p for f in FOLDERS for p in (root / f).rglob("*.md"))]


def blocks(root: Path = ROOT) -> Iterator[Block]:
    """The blocks of all pages."""
    for page in pages(root):
        for match in _BLOCK.finditer(page.read_text("utf-8")):
            yield Block(page.relative_to(root), *match.group("name", "commit", "day"))


def write(written: Mapping[str, Written], root: Path = ROOT) -> list[Path]:
    """Write these blocks, by name, wherever a page has them; returns the pages that changed."""

    def renewed(match: re.Match[str]) -> str:
        new = written.get(match["name"])
        if new is None:
            return match[0]
        first = f"<!-- measured: {match['name']} {new.commit} {new.day} -->\n"
        return f"{first}\n{new.body.strip()}\n\n<!-- end of {match['name']} -->"

    changed: list[Path] = []
    for page in pages(root):
        text = page.read_text("utf-8")
        new_text = _BLOCK.sub(renewed, text)
        if new_text != text:
            page.write_text(new_text, "utf-8")
            changed.append(page.relative_to(root))
    return changed


def git(*words: str, root: Path = ROOT) -> str | None:
    """What git prints; None if it fails or is missing, or if this is no checkout."""
    if not (root / ".git").exists():
        return None
    command = ["git", "--no-optional-locks", "-C", str(root), *words]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ended.stdout if ended.returncode == 0 else None


def has_commit(commit: str, root: Path = ROOT) -> bool | None:
    """Whether a commit exists; None if nobody can say it: without git, or in a shallow clone."""
    if git("cat-file", "-e", f"{commit}^{{commit}}", root=root) is not None:
        return True
    shallow = git("rev-parse", "--is-shallow-repository", root=root)
    return None if shallow is None or shallow.strip() == "true" else False


def changed_since(commit: str, modules: Sequence[str], root: Path = ROOT) -> list[str]:
    """The files of these modules, folders or files, that are not as they were at a commit."""
    names = git("diff", "--name-only", commit, "--", *modules, root=root)
    return (names or "").splitlines()


def stale(modules: Mapping[str, Sequence[str]], root: Path = ROOT) -> list[str]:
    """A line for each block that is older than the code it speaks of; `modules`: those of each
    block, by name.
    """
    lines: list[str] = []
    for block in blocks(root):
        if block.commit is None:
            lines.append(f"{block.page}: {block.name}: not measured yet")
        elif not (known := has_commit(block.commit, root)):
            why = "is no commit" if known is False else "cannot be looked up in this clone"
            lines.append(f"{block}: {block.commit} {why}")
        elif files := changed_since(block.commit, modules.get(block.name, ()), root):
            more = f" and {len(files) - 3} more" if len(files) > 3 else ""
            lines.append(f"{block}: changed since: {', '.join(files[:3])}{more}")
    return lines
