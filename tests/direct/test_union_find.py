"""Union-find as a solver in its own right, against relabelling and 2-SAT; its command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from direct import union_find
from puzzles.text import InputError
from tests.direct import pairs
from tests.processes import run_module


@pytest.mark.parametrize(
    ("form", "count"),
    [("python", 500), ("compiled", 500), pytest.param("compiled", 6000, marks=pytest.mark.slow)],
)
def test_random_pairs(form: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_KERNELS", form)
    sizes: set[int] = set()
    for case in pairs.cases(10, count):
        pairs.examine(case)
        sizes.add(case.elements)
    assert min(sizes) == 1
    assert max(sizes) > 2000


def test_union_find_on_long_lines_and_stars() -> None:
    n = 200_000
    line = np.arange(n - 1)
    for a, b in (
        (line, line + 1),
        (line[::-1], line[::-1] + 1),
        (np.zeros(n - 1, np.int64), line + 1),
    ):
        parents = union_find.singletons(n)
        assert union_find.union(parents, a, b).all()
        assert union_find.count(parents) == 1
        assert not union_find.labels(parents).any()


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the text is empty"),
        ("0 0\n", "1:1", "from 1 to"),
        ("100000001 0\n", "1:1", "from 1 to"),
        ("3\n", "1:2", "expected the number of pairs"),
        ("3 1\n", "2:1", "the text ends here"),
        ("3 2\n1 2\n", "3:1", "the text ends here"),
        ("3 1\n1 4\n", "2:3", "out of range"),
        ("3 1\n4 1\n", "2:1", "out of range"),
        ("3 2\n1 2\n0 1\n", "3:1", "at least 1"),
        ("3 1\n1\n", "2:2", "expected an element"),
        ("3 2\n1 2 3\n1 2\n", "2:5", "expected the end"),
        ("3 1\n1 -2\n", "2:3", "found '-2'"),
        ("3 2\n1\n2 3 1\n", "2:2", "expected an element"),
        ("3 1\n1 2\n2 3\n", "3:1", "unexpected text after the last pair"),
    ],
)
def test_malformed_pairs_are_refused_at_their_place(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        union_find.read_pairs(text, "p")
    assert str(error.value).startswith(f"p:{place}: ")
    assert message in str(error.value)


def test_union_find_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs"
    for text in ("6 4\n2 4\n6 5\n4 2\n3 3\n", "6 4\r\n2 4\r\n6 5 \r\n4\t2\r\n3 3\r\n\r\n"):
        file.write_text(text, newline="")
        assert union_find.main([str(file)]) == 0
        assert capsys.readouterr().out == "4\n1 2 3 2 5 5\n"
    file.write_text("1 0")
    assert union_find.main([str(file)]) == 0
    assert capsys.readouterr().out == "1\n1\n"
    file.write_text("3 1\n1 9\n")
    assert union_find.main([str(file)]) == 2
    assert capsys.readouterr() == ("", f"{file}:2:3: element 9 is out of range for 3 elements\n")


def test_union_find_from_the_shell() -> None:
    ended = run_module("direct.union_find", text="2 1\n1 2\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\n1 1\n", "")
