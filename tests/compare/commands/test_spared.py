"""Programs are given the boards that their contest promises: what `run`, `scale` and `fuzz` say,
and what becomes of faults.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import puzzles
from compare.engine.campaign.comparison import Comparison
from compare.show import messages
from tests.processes import FIND_OUR_PACKAGES, compare, contender
from tests.records import read_file

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")

PROMISED = (
    FIND_OUR_PACKAGES
    + """import os
os.environ["TWOFOLD_KERNELS"] = "python"
import direct
from puzzles import beams
text = sys.stdin.read()
boards = beams.parse(text)
for board in boards:
    kinds = str(board)
    assert 1 <= kinds.count("-") + kinds.count("|") <= 100 and "." in kinds, "promised"
    assert max(board.shape) <= 50, "promised"
"""
)
"""How a program begins that relies on what Code Jam promises, and stops on all else."""

RIGHT = PROMISED + "print(direct.solve_text('beams', text), end='')\n"

MASKED = (
    PROMISED
    + """for case, board in enumerate(boards, 1):
    text = direct.solve_text("beams", f"1\\n{board.text()}").partition(":")[2]
    print(f"Case #{case}:", " IMPOSSIBLE\\n" if "#" in str(board) else text, end="", sep="")
"""
)
"""It takes each board with a wall for impossible."""

NOGO = r"""
#include <cstdio>
#include <cstring>
#include <vector>
using namespace std;
static char at[520][520];
static bool seen[520][520];
int n;
bool lives(int row, int column) {
    vector<pair<int, int>> todo{{row, column}};
    for (int r = 0; r <= n + 1; r++) memset(seen[r], 0, n + 2);
    seen[row][column] = true;
    for (size_t k = 0; k < todo.size(); k++)
        for (int d = 0; d < 4; d++) {
            int r = todo[k].first + (d == 0) - (d == 1), c = todo[k].second + (d == 2) - (d == 3);
            if (at[r][c] == '.') return true;
            if (at[r][c] != at[row][column] || seen[r][c]) continue;
            seen[r][c] = true, todo.push_back({r, c});
        }
    return false;
}
bool plays(int row, int column, char own) {
    if (at[row][column] != '.') return false;
    at[row][column] = own;
    bool fine = lives(row, column);
    for (int d = 0; d < 4; d++) {
        int r = row + (d == 0) - (d == 1), c = column + (d == 2) - (d == 3);
        if (at[r][c] == 'X' || at[r][c] == 'O') fine = fine && lives(r, c);
    }
    if (!fine) at[row][column] = '.';
    return fine;
}
int main() {
    int black = 0, white = 0;
    if (scanf("%d", &n) != 1 || n > 500) return 3;
    for (int r = 1; r <= n; r++) {
        if (scanf("%500s", at[r] + 1) != 1) return 3;
        at[r][n + 1] = 0;
        for (int c = 1; c <= n; c++) black += at[r][c] == 'X', white += at[r][c] == 'O';
    }
    if (black != white) return 3;
    for (int turn = 0, moved = !WRONG; moved; turn++) {
        moved = 0;
        for (int r = 1; r <= n && !moved; r++)
            for (int c = 1; c <= n && !moved; c++)
                if (plays(r, c, "XO"[turn % 2])) printf("%d %d\n", r, c), moved = 1;
    }
    puts("-1 -1");
}
"""
"""It stops on a board with other numbers of black and white stones; `WRONG`: where it answers that
there is no move.
"""


def nogo(folder: Path, name: str, wrong: str = "false") -> str:
    (folder / f"{name}.cpp").write_text(NOGO.replace("WRONG", f"({wrong})"))
    return f"{name}={name}.cpp"


@pytest.mark.slow
def test_a_program_that_relies_on_the_promise_passes_the_bundled_boards(tmp_path: Path) -> None:
    right, out = contender(tmp_path, RIGHT), tmp_path / "runs.jsonl"
    ended = compare(f"run beams -b direct --strict --out {out} --program", right, status=0)
    spared = (
        "SPARED: mine on 5 beams boards that its contest does not promise (1: no turret, 1: no "
        "open cell, 3: more than 100 turrets); --extended gives it all boards"
    )
    assert f"{spared}\n" in ended.stdout
    compare(f"report {out} -o {tmp_path}/report.html", status=0)
    assert f">{spared}<" in (tmp_path / "report.html").read_text()
    assert ended.last_line.startswith("ALL AGREE; 28 boards of 1 puzzle; runs: 51 OK; ")
    records = read_file(str(out)).records
    read = Comparison.of(records)
    assert str(messages.verdict(read)) == ended.last_line
    assert read.exit_status(strict=True) == 0
    assert sum(record.status == "SPARED" for record in records) == 5
    failed = compare("run beams -b direct --extended --program", right, status=1)
    assert "mine FAILED on 5 of 28: 5 CRASH" in failed.last_line
    assert "SPARED" not in failed.stdout


@needs_compiler
def test_nogo_spares_a_program_boards_with_unequal_stones(tmp_path: Path) -> None:
    words = f"run nogo -b direct --program {nogo(tmp_path, 'equal')}"
    ended = compare(f"{words} --strict", cwd=tmp_path, status=0)
    assert "(9: not as many black as white stones); --extended " in ended.stdout
    assert ended.last_line.startswith("ALL AGREE; 13 boards of 1 puzzle; runs: 17 OK; ")
    failed = compare(f"{words} --extended", cwd=tmp_path, status=1)
    assert "equal FAILED on 9 of 13: 9 CRASH" in failed.last_line


def test_nothing_is_compared_where_no_board_is_promised(tmp_path: Path) -> None:
    """Also of the user's own file, and though two backends agree."""
    (tmp_path / "own.in").write_text("1\n1 1\n#\n")
    right = contender(tmp_path, RIGHT)
    words = f"run beams {tmp_path}/own.in -b direct -b models --program"
    ended = compare(words, right, "--strict", status=0)
    assert (
        "SPARED: mine on 1 beams board that its contest does not promise (1: no turret); "
        "--extended gives it all boards\n"
    ) in ended.stdout
    assert ended.last_line.startswith("NOTHING COMPARED: mine was spared every board; 1 board ")
    assert "CRASH: mine" in compare(words, right, "--extended", status=1).stdout
    assert "ALL AGREE" in compare(f"run beams {tmp_path}/own.in -b direct -b models").last_line


def test_a_program_has_the_promises_of_the_contest_whose_format_it_prints(tmp_path: Path) -> None:
    """P5297 promises no turret."""
    (tmp_path / "own.in").write_text("1\n1 1\n.\n")
    says_yes = contender(tmp_path, "print('POSSIBLE')\nprint('.')\n")
    words = f"run beams {tmp_path}/own.in -b direct --answer-format luogu --program"
    ended = compare(words, says_yes, status=1)
    assert ended.last_line.startswith("mine FAILED on 1 of 1: 1 WRONG; ")


def test_scale_spares_a_program_boards_above_the_limit(tmp_path: Path) -> None:
    losing = "import sys\nsys.stdin.read()\nprint(0)\n"
    words = "scale geography --family open-even --smallest 90 --largest 110 --repeat 1 -b direct"
    ended = compare(f"{words} --program", contender(tmp_path, losing))
    assert (
        "SPARED: mine on 1 geography board that its contest does not promise (1: more than 100 "
        "rows or columns)"
    ) in ended.stdout


@pytest.mark.slow
def test_fuzz_passes_a_right_program_and_finds_a_bug_that_was_masked(tmp_path: Path) -> None:
    words = "fuzz beams -b direct --cases 300 --jobs 1 --kind ordinary --save"
    right = contender(tmp_path, RIGHT, "right")
    ended = compare(f"{words} right --program", right, cwd=tmp_path, status=0)
    fared = re.search(r"^right: (\d+) answered, \d+ spared", ended.stdout, re.MULTILINE)
    assert fared is not None
    assert int(fared[1]) > 200
    masked = contender(tmp_path, MASKED, "masked")
    ended = compare(f"{words} masked --program", masked, cwd=tmp_path, status=1)
    assert "CRASH" not in ended.stdout
    (saved,) = (tmp_path / "masked").glob("*.in")
    (board,) = puzzles.get("beams").parse(saved.read_text())
    assert puzzles.get("beams").broken_promise(board, "codejam") == ""
    assert board.size == 3  # an open cell, a turret, a wall
    words = f"{words} all --extended --shrink-seconds 1 --program"
    assert "CRASH: right" in compare(words, right, cwd=tmp_path, status=1).stdout


@pytest.mark.slow
@needs_compiler
def test_fuzz_shrinks_from_promised_board_to_promised_board(tmp_path: Path) -> None:
    """A black stone and a white one have to go together."""
    equal = nogo(tmp_path, "equal")
    words = "fuzz nogo -b direct --jobs 1 --kind ordinary --size 6 --cases 150 --save . --program"
    compare(f"{words} {equal}", cwd=tmp_path, status=0)
    wrong = nogo(tmp_path, "wrong", "n > 2 && black > 0")
    compare(f"{words} {wrong}", cwd=tmp_path, status=1)
    (saved,) = tmp_path.glob("*.in")
    (board,) = puzzles.get("nogo").parse(saved.read_text())
    assert sorted(board.text()[2:].replace("\n", "")) == sorted("XO.......")
    ended = compare(f"{words} {equal} --extended", cwd=tmp_path, status=1)
    assert "CRASH: equal" in ended.stdout


@pytest.mark.slow
@needs_compiler
def test_fuzz_finds_arrays_that_are_too_small_for_the_contest(tmp_path: Path) -> None:
    small = nogo(tmp_path, "small", "n > 60")
    words = "fuzz nogo -b direct --jobs 1 --shrink-seconds 1 --save . --program"
    ended = compare(f"{words} {small}", cwd=tmp_path, status=1)
    assert re.search(r"^REFUTED: small .* 500x500", ended.stdout, re.MULTILINE), ended.stdout


@pytest.mark.slow
def test_fuzz_says_if_a_program_was_spared_every_board(tmp_path: Path) -> None:
    (tmp_path / "walls.py").write_text("print('1\\n1 2\\n##')\n")
    right = contender(tmp_path, RIGHT)
    words = "fuzz beams -b direct --generator walls.py --cases 3 --jobs 1 --program"
    ended = compare(words, right, cwd=tmp_path, status=2)
    assert ended.last_line.startswith(
        "NOTHING COMPARED: mine was spared every board: its contest promises none of these (no "
        "turret); --extended gives it all boards; "
    )
    compare(words, right, "--extended", cwd=tmp_path, status=1)


OWN = """
    def broken_promise(self, board, format):
        return "more than 2 rows" if board.rows > 2 else ""
"""


def test_a_puzzle_of_ones_own_has_promises(tmp_path: Path) -> None:
    lights = (Path(__file__).parents[3] / "examples" / "lights.py").read_text()
    head, name, rest = lights.partition("    def broken_rule(")
    assert name
    (tmp_path / "lights.py").write_text(head + OWN.lstrip("\n") + "\n" + name + rest)
    program = contender(tmp_path, "import sys\nassert int(sys.stdin.read().split()[1]) < 3\n")
    ended = compare("run ./lights.py -b direct --program", program, cwd=tmp_path, status=1)
    assert "that its contest does not promise (" in ended.stdout
    assert ": more than 2 rows); --extended gives it all boards" in ended.stdout
    assert "CRASH: mine" not in ended.stdout  # it prints nothing, and that is an ERROR
    (tmp_path / "wrong.py").write_text(
        (tmp_path / "lights.py").read_text().replace('return "more than 2 rows"', "return 7")
    )
    ended = compare("run ./wrong.py -b direct --program", program, cwd=tmp_path, status=2)
    assert "broken_promise" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("puzzle", "text", "output", "says"),
    [
        (
            "nogo",
            "2\n..\n..\n",
            "2 2\n1 1\n1 2\n-1 -1\n",
            "with --answer-format luogu it would be right",
        ),
        ("beams", "1\n1 2\n-.\n", "POSSIBLE\n-.\n", "This is the format luogu: give --answer-form"),
        ("geography", "1 1\n.\n", "WIN\n1 1\n", "This is the format luogu: give --answer-format"),
    ],
)
def test_the_format_is_named_in_which_an_output_would_be_right(
    tmp_path: Path, puzzle: str, text: str, output: str, says: str
) -> None:
    (tmp_path / "board.in").write_text(text)
    (tmp_path / "printed.out").write_text(output)
    mine = contender(tmp_path, f"print({output!r}, end='')\n")
    ran = compare(f"run {puzzle} {tmp_path}/board.in -b direct --program", mine, status=1)
    assert says in ran.stdout
    unreadable = puzzle != "nogo"
    checked = compare(
        f"check {puzzle} {tmp_path}/board.in {tmp_path}/printed.out", status=1 + unreadable
    )
    assert says in checked.stdout + checked.stderr
    right = f"check {puzzle} {tmp_path}/board.in {tmp_path}/printed.out --answer-format luogu"
    compare(right, status=0)


def test_no_format_is_named_in_which_an_output_would_be_wrong_too(tmp_path: Path) -> None:
    (tmp_path / "board.in").write_text("2\n..\n..\n")
    (tmp_path / "printed.out").write_text("2 2\n-1 -1\n")
    ended = compare(f"check nogo {tmp_path}/board.in {tmp_path}/printed.out", status=1)
    assert "--answer-format" not in ended.stdout
