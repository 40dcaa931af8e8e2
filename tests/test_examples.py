"""The examples: the wrong one is caught where its comment says, it is right without its wrong line,
the others are right.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installed import needs
from tests.places import ROOT
from tests.processes import compare, run_module

EXAMPLES = ROOT / "examples"
WRONG = "        if (row == start_row && column == start_column) return true;\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_wrong_program_is_right_without_its_wrong_line(tmp_path: Path) -> None:
    code = (EXAMPLES / "mine.cpp").read_text()
    assert code.count(WRONG) == 1
    fuzz = ["fuzz", "beams", "-b", "direct", "--program", "mine=my mine.cpp", "--cases", "1000"]
    source = tmp_path / "my mine.cpp"
    source.write_text(code)
    caught = compare(*fuzz, cwd=tmp_path)
    assert caught.returncode == 1
    assert ".-\\\n#\\/" in caught.stdout  # the contest promises an open cell
    (replay,) = (
        shlex.split(line)[4:] for line in caught.stdout.splitlines() if line.startswith("replay: ")
    )
    assert compare(*replay, cwd=tmp_path).returncode == 1
    source.write_text(code.replace(WRONG, ""))
    ended = compare(*replay, cwd=tmp_path)
    assert (ended.returncode, "ALL AGREE" in ended.stdout) == (0, True)
    assert compare(*fuzz, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_the_encoding_answers_as_ours_do() -> None:
    plugin = str(EXAMPLES / "my_encoding.py")
    ended = compare(
        "fuzz",
        "minesweeper",
        "-b",
        "direct",
        "-b",
        "mine",
        "--plugin",
        plugin,
        "--size",
        "6",
        "--cases",
        "500",
    )
    assert ended.returncode == 0, ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("card", ["seqcounter", "totalizer", "cardnetwrk", "kmtotalizer"])
def test_each_choice_of_the_encoding_with_options_answers_as_ours_do(card: str) -> None:
    plugin = str(EXAMPLES / "totals.py")
    words = ["fuzz", "minesweeper", "-b", "direct", "-b", f"totals:card={card}"]
    ended = compare(*words, "--plugin", plugin, "--size", "5", "--cases", "300")
    assert ended.returncode == 0, ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("puzzle", "name", "ours"), [("beams", "merged", "cnf"), ("nogo", "layers", "cnf-ranked")]
)
def test_an_encoding_that_can_be_written_down_is_the_same_as_ours_and_answers_as_we_do(
    puzzle: str, name: str, ours: str
) -> None:
    plugin = ["--plugin", str(EXAMPLES / f"{puzzle}_{name}.py")]
    ended = compare("equivalent", puzzle, ours, name, *plugin, "--size", "2", "--largest", "4")
    assert (ended.returncode, ended.stdout.split(" (")[0]) == (
        0,
        "ALL AGREE: the same up to 2x2",
    ), ended.stdout
    fuzzed = compare(
        "fuzz", puzzle, "-b", "direct", "-b", name, *plugin, "--size", "4", "--cases", "150"
    )
    assert fuzzed.returncode == 0, fuzzed.stdout


@pytest.mark.slow
def test_the_right_program_answers_every_bundled_board() -> None:
    program = f"mine={EXAMPLES / 'geography.py'}"
    ended = compare("run", "geography", "-b", "direct", "--program", program)
    assert ended.returncode == 0, ended.stdout
    assert "ALL AGREE" in ended.stdout


@pytest.mark.parametrize(
    ("output", "answer", "status", "message"),
    [
        ("2 4\n", "1 3\n", 0, ""),
        ("-1\n", "-1\n", 0, ""),
        ("1 2\n", "1 3\n", 1, "they add up to 7, not to 8\n"),
        ("3 1\n", "1 3\n", 1, "3 and 1 are no places of 1 to 4, the smaller one first\n"),
        ("one 3\n", "1 3\n", 1, "not two places\n"),
        ("-1\n", "1 3\n", 1, "there is a pair\n"),
        ("1 3\n", "-1\n", 3, "the reference says that there is none\n"),
    ],
)
def test_the_checker_takes_each_right_answer(
    tmp_path: Path, output: str, answer: str, status: int, message: str
) -> None:
    names = {"input": "4 8\n3 4 5 4\n", "output": output, "answer": answer}
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    words = [sys.executable, EXAMPLES / "checker.py", *names]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (status, message)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["superstring", "weighted_cover"])
def test_an_example_of_the_best_is_proved_and_its_heuristic_has_a_gap(
    name: str, tmp_path: Path
) -> None:
    file = EXAMPLES / f"{name}.py"
    ended = compare("run", str(file), cwd=tmp_path, status=0)
    assert re.search(r"^ALL AGREE; .*; (\d+) of \1 answers PROVED\.$", ended.stdout, re.MULTILINE)
    assert re.search(r"gap \d+(\.\d+)?% \(at most [1-9]", ended.stdout)
    ended = compare("conform", str(file), cwd=tmp_path, status=0)
    assert "ACCEPTED: all hold" in ended.stdout
    ended = compare("fuzz", str(file), "--cases", "60", cwd=tmp_path, status=0)
    assert "ALL AGREE: nothing found" in ended.stdout


@pytest.mark.slow
def test_the_tests_of_a_function_pass_and_a_wrong_function_is_shown_its_board(
    tmp_path: Path,
) -> None:
    code = (EXAMPLES / "test_nogo.py").read_text()
    (tmp_path / "test_right.py").write_text(code)
    chains = "stones.get(point) == stones[start] and point not in chain"
    assert code.count(chains) == 1
    (tmp_path / "test_wrong.py").write_text(code.replace(chains, "False"))
    ended = run_module(
        "pytest", "-q", "-p", "no:cacheprovider", "-k", "play or sparse", cwd=tmp_path
    )
    assert "test_wrong.py::test_play_is_right" in ended.stdout
    assert "Disagreement: play is wrong on this nogo board:" in ended.stdout
    assert "1 failed, 1 passed" in ended.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_notebook_draws_the_board_of_a_disagreement(tmp_path: Path) -> None:
    needs("nbformat", "nbclient", "ipykernel")
    import nbformat
    from nbclient import NotebookClient

    shutil.copy(EXAMPLES / "mine.cpp", tmp_path)
    notebook = nbformat.read(EXAMPLES / "disagreement.ipynb", as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    found, fault, answer = (cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    (shown,) = found
    assert "<svg" in shown.data["text/html"]
    assert "mine FAILED: 1 REFUTED" in shown.data["text/html"]
    assert fault[0].text.startswith("REFUTED: mine on a board of 2x3: ")
    assert "image/svg+xml" in answer[0].data
