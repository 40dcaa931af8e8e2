"""Races with C++ programs of a folder, and the figures that are kept: which of them fell."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import kept, programs
from benchmarks.kept import Figure, keep
from benchmarks.programs import Job, races_of
from benchmarks.races import RaceResult, main, run
from puzzles.text import UserError

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")

NOGO = """#include <bits/stdc++.h>
char board[SZ][SZ + 1]; bool seen[SZ][SZ]; int n;
bool free_(int r, int c, char kind) {
  if (r < 0 || c < 0 || r >= n || c >= n) return false;
  if (board[r][c] == '.') return true;
  if (board[r][c] != kind || seen[r][c]) return false;
  seen[r][c] = true;
  return free_(r + 1, c, kind) || free_(r - 1, c, kind) || free_(r, c + 1, kind)
    || free_(r, c - 1, kind);
}
bool legal() {
  for (int r = 0; r < n; r++) for (int c = 0; c < n; c++) if (board[r][c] != '.') {
    memset(seen, 0, sizeof seen);
    if (!free_(r, c, board[r][c])) return false;
  }
  return true;
}
int main() {
  scanf("%d", &n);
  if (n > SZ || n * n > MU) abort();
  for (int r = 0; r < n; r++) scanf("%s", board[r]);
  for (char own = 'X';; own ^= 'X' ^ 'O') {
    bool moved = false;
    for (int k = 0; k < n * n && !moved; k++) if (board[k / n][k % n] == '.') {
      board[k / n][k % n] = own;
      moved = legal();
      if (moved) printf("%d %d\\n", k / n + 1, k % n + 1); else board[k / n][k % n] = '.';
    }
    if (!moved) return printf("-1 -1"), 0;
  }
}
"""
"""A right program for nogo, with arrays that need their bounds."""

JOBS = {"nogo": Job("union-find", "first", ("empty", "random"), ((4, 1), (6, 1)))}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "JOBS", JOBS)


def raced(folder: Path, code: str) -> Iterator[RaceResult]:
    (folder / "nogo-mine.cpp").write_text(code)
    for peer, race in races_of(folder, folder):
        yield run(race, 1, 2, 5.0, peer)


@pytest.mark.slow
def test_a_program_is_compiled_for_each_size_and_its_own_time_counts(tmp_path: Path) -> None:
    burning = NOGO.replace(
        "bool moved", "for (volatile int k = 0; k < 10000000; k++);\n bool moved"
    )
    results, slower = list(raced(tmp_path, NOGO)), list(raced(tmp_path, burning))
    assert [each.race.name for each in results] == [
        f"nogo {family}, 1 board of {size}x{size}"
        for size in (4, 6)
        for family in ("empty", "random")
    ]
    for one, other in zip(results, slower, strict=True):
        assert [each.wrong for each in (*one.inputs, *other.inputs)] == ["", ""]
        assert other.inputs[0].their_s > one.inputs[0].their_s + 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("if (!moved) return", "return", "the answers to board 1 differ"),
        ("int main() {", "int main() { abort();", "the program was killed: Aborted"),
    ],
)
def test_a_wrong_program_is_told(old: str, new: str, said: str, tmp_path: Path) -> None:
    wrong = [each.inputs[0].wrong for each in raced(tmp_path, NOGO.replace(old, new))]
    assert len(wrong) == 4
    assert all(said in each for each in wrong), wrong


def test_a_folder_that_cannot_be_raced_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no file \*\.cpp"):
        list(races_of(tmp_path, tmp_path))
    with pytest.raises(UserError, match=r"nogo-mine.cpp does not compile:\n(.*\n)*.*error"):
        list(raced(tmp_path, "int main() {"))
    (tmp_path / "chess.cpp").write_text(NOGO)
    with pytest.raises(UserError, match="chess.cpp begins like no puzzle of nogo: rename it"):
        list(races_of(tmp_path, tmp_path))


RATIO, SECONDS = Figure("a race", 10.0), Figure("a command", 10.0, seconds=True)


def rewritten(path: Path, **changes: str) -> None:
    """The lines of a file as if they were of another commit or machine."""
    lines = [json.dumps(json.loads(line) | changes) for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def test_a_figure_fell_if_it_is_a_fifth_worse_than_at_the_last_commit(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    assert keep(path, [Figure("a race", 100.0)]) == []
    rewritten(path, commit="an earlier one")
    assert len(keep(path, [RATIO])) == 1
    rewritten(path, commit="the last one")
    assert keep(path, [RATIO, SECONDS]) == []
    rewritten(path, commit="the last one")
    assert keep(path, [Figure("a race", 8.1), Figure("a command", 12.4, seconds=True)]) == []
    worse = [Figure("a race", 7.9), Figure("a command", 12.6, seconds=True), Figure("new", 0.1)]
    lines = [
        "FELL: a race: 7.9 times; 10 times at the last",
        "FELL: a command: 12.6 s; 10 s at the last",
    ]
    assert [line.rstrip() for line in keep(path, worse)] == lines
    again = [line.rstrip() for line in keep(path, worse)]
    assert again == lines  # figures of this commit are no excuse
    rewritten(path, commit="the last one", machine="another")
    assert keep(path, [Figure("a race", 1.0)]) == []
    path.write_text(path.read_text() + '{"commit": 1}\n')
    with pytest.raises(UserError, match=r"kept:\d+: no line of figures: "):
        keep(path, [RATIO])


@pytest.mark.slow
def test_the_guard_races_with_programs_and_times_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kept, "CASES", 100)
    (tmp_path / "nogo.cpp").write_text(NOGO)
    words = ["--programs", str(tmp_path), "--keep", str(tmp_path / "kept"), "--repeat", "1"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    names = [json.loads(line)["figure"]["name"] for line in (tmp_path / "kept").open()]
    assert names[:2] == [f"nogo.cpp: nogo {name}, 1 board of 4x4" for name in ("empty", "random")]
    assert [name.split(" -b")[0] for name in names[4:]] == [
        "compare run",
        *(f"compare fuzz {name}" for name in ("beams", "geography", "minesweeper", "nogo")),
    ]
    assert all(name.rpartition(": ")[2] in printed for name in names)
    text = (tmp_path / "kept").read_text()
    (tmp_path / "kept").write_text(text.replace('"value":', '"value":1000'))
    rewritten(tmp_path / "kept", commit="another")
    assert main(words) == 4
    errors = capsys.readouterr().err
    assert errors.count("FELL: nogo.cpp: nogo ") == 4
    assert "FELL: compare" not in errors
