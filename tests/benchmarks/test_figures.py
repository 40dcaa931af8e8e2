"""The blocks of measured figures in pages: each is known and of a commit that exists, and is said
to be stale once its code changes.
"""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import pytest

from benchmarks import all as figures
from benchmarks.blocks import Written, blocks, has_commit, stale, write
from benchmarks.groups import GROUPS, Figures, Group
from puzzles.text import UserError
from tests.places import ROOT

PAGE = "Before.\n\n<!-- measured: one -->\n<!-- end of one -->\n\nBetween.\n"


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    return subprocess.check_output(["git", "-C", str(root), *identity, *words], text=True).strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a page that has a block, and two modules."""
    root = tmp_path / "checkout"
    for folder in ("docs/puzzles", "benchmarks", "direct"):
        (root / folder).mkdir(parents=True)
    (root / "README.md").write_text("# A page without figures\n")
    (root / "docs" / "puzzles" / "x.md").write_text(PAGE)
    for name in ("x", "y"):
        (root / "direct" / f"{name}.py").write_text("")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def test_every_block_of_a_page_is_known_and_of_a_commit_that_exists() -> None:
    every = list(blocks())
    assert {block.name for block in every} == {*GROUPS}
    for block in every:
        assert block.commit is not None, f"{block.page}: {block.name}: never measured"
        exists = has_commit(block.commit)
        if exists is None:
            warnings.warn(f"{block}: no git here that knows all commits", stacklevel=1)
        assert exists is not False, f"{block}: python -m benchmarks.all --write"


def test_every_group_names_modules_that_exist() -> None:
    for name, group in GROUPS.items():
        assert group.modules, name
        for module in group.modules:
            assert (ROOT / module).exists(), f"{name}: {module}"


def test_a_block_is_written_between_its_lines_and_again(checkout: Path) -> None:
    page = checkout / "docs" / "puzzles" / "x.md"
    (block,) = blocks(checkout)
    assert block[1:] == ("one", None, None)
    assert write({"two": Written("0", "2026-01-02", "other")}, checkout) == []
    assert write({"one": Written("ab12", "2026-01-02", "old")}, checkout) == [block.page]
    assert write({"one": Written("cd34", "2026-01-03", "| new |\n")}, checkout) == [block.page]
    assert page.read_text() == (
        "Before.\n\n<!-- measured: one cd34 2026-01-03 -->\n\n| new |\n\n<!-- end of one -->\n\n"
        "Between.\n"
    )
    assert next(blocks(checkout))[1:] == ("one", "cd34", "2026-01-03")


def test_a_figure_is_stale_once_its_modules_change(checkout: Path) -> None:
    modules = {"one": ["direct/x.py"]}
    assert stale(modules, checkout) == ["docs/puzzles/x.md: one: not measured yet"]
    write({"one": Written(git(checkout, "rev-parse", "HEAD"), "2026-01-02", "old")}, checkout)
    (checkout / "direct" / "y.py").write_text("changed = 1\n")
    assert stale(modules, checkout) == []
    (checkout / "direct" / "x.py").write_text("changed = 1\n")
    (line,) = stale(modules, checkout)
    assert line.startswith("docs/puzzles/x.md: one (")
    assert line.endswith(", 2026-01-02): changed since: direct/x.py")
    git(checkout, "commit", "-qam", "second")
    assert stale(modules, checkout) == [line]


def test_an_unknown_commit_is_said_where_all_are_known(checkout: Path, tmp_path: Path) -> None:
    first = git(checkout, "rev-parse", "HEAD")
    write({"one": Written(first, "2026-01-02", "old")}, checkout)
    git(checkout, "commit", "-qam", "second")
    assert has_commit(first, checkout) is True
    assert has_commit("1234567890ab", checkout) is False
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{checkout}", "shallow")
    shallow = tmp_path / "shallow"
    assert has_commit(first, shallow) is None
    (line,) = stale({"one": ["direct/x.py"]}, shallow)
    assert line.endswith(f"{first} cannot be looked up in this clone")
    assert has_commit(first, tmp_path) is None


def test_the_command_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def measured(name: str, fails: bool = False) -> Group:
        def measure(_: Path | None) -> Figures:
            calls.append(name)
            if fails:
                raise UserError("planted")
            return Figures(f"| {name} |")

        return Group(1, ("direct",), measure, ("no such package",) if name == "absent" else ())

    groups = {name: measured(name) for name in ("a", "b", "absent")}
    monkeypatch.setattr(figures, "GROUPS", groups | {"bad": measured("bad", fails=True)})
    monkeypatch.setattr(figures.peers, "missing", lambda _: ["no such package"])
    path = tmp_path / "kept"
    now, left = figures.measure_all(["a"], "one", None, path)
    assert (calls, [*now], left) == (["a"], ["a"], [])
    now, left = figures.measure_all(["a", "b", "absent", "bad"], "one", None, path)
    assert calls == ["a", "b", "bad"]
    assert [*now] == ["a", "b"]
    assert [line.split(":")[0] for line in left] == ["absent is left out", "bad failed"]
    assert "DIR/bin/pip install no such package" in left[0]
    figures.measure_all(["a"], "another", None, path)
    assert calls == ["a", "b", "bad", "a"]  # of that commit nothing is kept
    text = now["b"].written.body
    assert text.startswith("| b |\n\n*Measured on ")
    assert " at commit one, on " in text
    path.write_text("{}\n")
    with pytest.raises(UserError, match="no file of figures"):
        figures.measure_all(["a"], "one", None, path)
