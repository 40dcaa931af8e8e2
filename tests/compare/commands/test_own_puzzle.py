"""A puzzle of one's own in one file: every command takes its path, workers load it, a defect in it
is caught and shrunk.

Where its instances are no grids, the commands speak of cases and not of boards.
"""

from __future__ import annotations

import json
import re
import sys
import tokenize
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.installed import slow
from tests.places import ROOT
from tests.processes import compare, contender, environment, run_module, run_python
from tests.puzzles.user.lights_folder import write_folder
from tests.puzzles.user.test_case_faults import BAG

LIGHTS = (ROOT / "examples" / "lights.py").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder outside of the project, with the example."""
    (tmp_path / "lights.py").write_text(LIGHTS)
    return tmp_path


@pytest.mark.slow
def test_its_answers_agree_and_are_proved_in_two_workers(folder: Path) -> None:
    ended = compare("run ./lights.py --jobs 2 --out r.jsonl", cwd=folder, status=0)
    assert ended.stderr == ""
    assert (
        ended.last_line == "ALL AGREE; 7 boards of 1 puzzle; runs: 14 OK; 14 of 14 answers PROVED."
    )
    without = compare("report r.jsonl", cwd=folder, status=2)
    assert without.stderr.startswith(
        "r.jsonl:2: not a record: it is of the puzzle 'lights', which is none of Twofold's: "
    )
    compare("report r.jsonl --puzzle lights.py", cwd=folder, status=0)
    assert "<svg" in (folder / "report.html").read_text()
    again = compare("run ./lights.py --jobs 2 --out r.jsonl --resume", cwd=folder, status=0)
    assert again.stderr == "r.jsonl: 14 of 14 runs are there already\n"


class Example(NamedTuple):
    """One of the puzzles in `examples/`.

    Attributes:
        noun, size: what messages call an instance, and the head of the column with its size.
        statements: of its file, at most; a text that stands alone counts as one.
        backends: how many it has.
        answer: a pattern for what its answer to an instance begins with.
        field: of the answer as JSON that says the same.
        shown: a pattern for a size as `list` and `fuzz` say it.
    """

    noun: str
    size: str
    statements: int
    backends: int
    answer: str
    field: str
    shown: str


EXAMPLES = {
    "lights": Example("board", "cells", 100, 2, r"^(?:IM)?POSSIBLE$", "possible", r"\d+x\d+"),
    "cover": Example("case", "size", 125, 3, r"^\d+", "value", r"size \d+"),
    "knapsack": Example("case", "size", 105, 2, r"^\d+", "value", r"size \d+"),
}


@pytest.fixture(
    params=[
        "lights",
        *(slow(name) for name in ("cover", "knapsack")),
    ]
)
def example(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """The name of an example, and a folder outside of the project that holds it."""
    name = str(request.param)
    (tmp_path / f"{name}.py").write_text((ROOT / "examples" / f"{name}.py").read_text())
    return name, tmp_path


def test_solving_generating_and_checking(example: tuple[str, Path]) -> None:
    (name, folder), expected = example, EXAMPLES[example[0]]
    noun, size, statements, backends, pattern, field, _ = expected
    file = f"{name}.py"
    with (folder / file).open("rb") as text:
        tokens = [token.type for token in tokenize.tokenize(text.readline)]
    assert tokens.count(tokenize.NEWLINE) <= statements
    (folder / "b.in").write_text(compare(f"generate {file} random 4 --cases 3", cwd=folder).stdout)
    answers = run_module("direct", f"./{file}", "b.in", "--svg", "b.svg", cwd=folder)
    words = re.findall(pattern, answers.stdout, re.MULTILINE)
    assert (answers.returncode, answers.stderr, len(words)) == (0, "", 3)
    picture = (folder / "b-3.svg").read_text()
    assert picture.startswith("<svg")
    answer = answers.stdout.splitlines()[2]
    if name == "cover":  # which draws its graph, and fills the vertices of the cover
        filled = re.findall(r'"fill:var\(--paper\)"[^>]*>(\d+)</text>', picture)
        assert filled == answer.split()[1:] != []
        assert "in the cover" in picture
    else:
        assert noun == "board" or f">{answer}</text>" in picture
    fields = [
        json.loads(line)[field]
        for line in run_module(
            "models", f"./{file}", "b.in", "--json", cwd=folder
        ).stdout.splitlines()
    ]
    assert fields == [word == "POSSIBLE" if noun == "board" else int(word) for word in words]
    (folder / "b.ans").write_text(answers.stdout)
    judged = compare(f"check {file} b.in b.ans", cwd=folder, status=0)
    last = f"ALL AGREE; 3 {noun}s of 1 puzzle; runs: 3 OK; 6 of 6 answers PROVED."
    assert judged.last_line == last
    agreed = compare(f"run {file} b.in --jobs 2", cwd=folder)
    proved = 3 * (backends + 1)
    assert (agreed.returncode, agreed.stderr) == (0, "")
    last = (
        f"ALL AGREE; 3 {noun}s of 1 puzzle; runs: {3 * backends} OK; {proved} of {proved} answers "
        "PROVED."
    )
    assert agreed.last_line == last
    assert re.search(rf"^dataset +{noun}s +{size} ", agreed.stdout, re.MULTILINE)
    listed = compare(f"list {file}", cwd=folder).stdout
    assert listed.startswith(f"{name}: {name} ({file}); formats plain\n")
    scaled = compare(f"scale {file} -b direct --largest 12 --repeat 1", cwd=folder, status=0)
    assert scaled.stdout.splitlines()[0] == f"{name}, family random: medians of 1 {noun} a size"


def test_its_rules_and_backends_are_told(folder: Path) -> None:
    assert compare("rules lights.py", cwd=folder).stdout.startswith(
        "Lights Out with walls: press cells so that all "
    )
    assert "models:cnf" in compare("list lights.py", cwd=folder).stdout


FIRST = """

from puzzles.backend import backend
from puzzles.case_solution import CaseSolution

@backend("bag", "first", side="direct", source="a guess")
def first(case, *, certify=False):
    return CaseSolution(True, (1,))

PUZZLE"""
"""A backend of the bag."""

GENERATOR = "import sys; n = int(sys.argv[1]); print(1, n, ' '.join(['7'] * n), 'ab', sep='\\n')"

SAID = """A bag of numbers and a word.

## Input

- a line: the number of cases

For each case:

- a line: how many numbers
- a line: a number, and so on
- a line: a word

## Output

For each case:

- a line: POSSIBLE and a solution, or IMPOSSIBLE

## Sample

```text
1
3
1 1 1
ab
```

What direct:first prints:

```text
POSSIBLE 1
```
"""


def test_what_the_docstring_does_not_say_the_reader_says(tmp_path: Path) -> None:
    file = tmp_path / "bag.py"
    text = BAG.replace("PUZZLE", FIRST, 1)
    file.write_text(text)
    assert compare("rules ./bag.py", cwd=tmp_path).stdout == SAID
    file.write_text(text.replace("and a word.", "and a word.\n\nThe input: see the sample.", 1))
    assert re.findall("## (.*)", compare("rules ./bag.py", cwd=tmp_path).stdout) == ["Output"]


def test_the_format_of_a_solution_is_said_though_the_sample_has_none(tmp_path: Path) -> None:
    text = LIGHTS.replace(
        '    name = "lights"', '    name = "lights"\n    example = "1\\n1 2\\n*.\\n"'
    )
    (tmp_path / "lights.py").write_text(text)
    page = compare("rules lights.py", cwd=tmp_path, status=0).stdout
    assert page.endswith("prints:\n\n```text\nIMPOSSIBLE\n```\n")
    said = "- a line: POSSIBLE or IMPOSSIBLE\n- lines: the characters . # *\n"
    assert f"## Output\n\nFor each board:\n\n{said}" in page


def test_without_families_files_and_a_generator_are_enough(tmp_path: Path) -> None:
    (tmp_path / "gen.py").write_text(GENERATOR)
    (tmp_path / "a.in").write_text("1\n1\n7\nab\n")
    text = BAG.replace("PUZZLE", FIRST, 1)
    (tmp_path / "bag.py").write_text(re.sub("families = .*", "families = {}", text))
    generator = ["--generator", f"{sys.executable} gen.py", "--cases", "3"]
    tried = compare("fuzz ./bag.py", *generator, cwd=tmp_path, status=0)
    assert tried.stderr == ""
    assert "nothing found up to size 6; 3 cases in " in tried.stdout
    ran = compare("run ./bag.py a.in", cwd=tmp_path)
    assert "1 case of 1 puzzle; runs: 1 OK; 1 of 1 answers PROVED." in ran.stdout
    for command in ("run", "fuzz", "scale", "conform", "generate"):
        words = ["random", "3"] * (command == "generate")
        ended = compare(command, "./bag.py", *words, cwd=tmp_path, status=2)
        assert ended.stdout == ""
        assert ended.stderr.startswith("./bag.py has no cases to try: write `families`, or ")


def test_what_is_slow_is_said_at_the_end_of_the_search(tmp_path: Path) -> None:
    (tmp_path / "gen.py").write_text(GENERATOR)
    slow = "        import time; time.sleep(0.1)\n        (count,) ="
    text = BAG.replace("PUZZLE", FIRST, 1).replace("        (count,) =", slow)
    (tmp_path / "bag.py").write_text(text)
    generator = ["--generator", f"{sys.executable} gen.py", "--cases", "3"]
    tried = compare("fuzz ./bag.py", *generator, cwd=tmp_path)
    *slow_lines, last = tried.stdout.splitlines()[-3:]
    lines = [line.partition(" takes ")[0] for line in slow_lines]
    assert sorted(lines) == ["slow: the family random", "slow: your reader"]
    assert last.startswith("ALL AGREE: nothing found up to ")


@pytest.mark.slow
def test_the_other_commands(example: tuple[str, Path]) -> None:
    (name, folder), (noun, *_, shown) = example, EXAMPLES[example[0]]
    file, model = f"{name}.py", "cnf" if name == "lights" else "cpsat"
    compare(f"run {file} -b direct -b {model} --out r.jsonl", cwd=folder, status=0)
    compare(f"report r.jsonl --puzzle {file}", cwd=folder, status=0)
    page = (folder / "report.html").read_text()
    assert f"{noun}s</" in page
    assert page.count("<svg") > 5
    differences = compare(f"diff r.jsonl r.jsonl --puzzle {file}", cwd=folder, status=0)
    assert f"medians over the {noun}s that both solved" in differences.stdout
    if noun == "case":
        assert re.search(
            r"models:cpsat +all +size \d+ ", compare(f"list {file}", cwd=folder).stdout
        )
    compare(f"scale {file} -b direct --largest 20 --repeat 1 --plot s.svg", cwd=folder, status=0)
    words = f"-b direct -b {model} --slowest {model} --cases 8 --size 4"
    slowest = compare(f"fuzz {file} {words}", cwd=folder)
    timed = rf"^NOTHING COMPARED: {shown}: models:{model} takes .*; 8 {noun}s timed$"
    assert re.search(timed, slowest.stdout.replace("\n  ", " "), re.MULTILINE)
    quiet = compare(
        f"fuzz {file} -b direct -b {model} --cases 200 --size 6 --jobs 1", cwd=folder, status=0
    )
    last = rf"ALL AGREE: nothing found up to {shown}; 200 {noun}s in .* {noun}s a second; seed 1"
    assert re.search(last, quiet.stdout.replace("\n", " "))


@pytest.mark.parametrize(
    "words", [["compare", "run"], ["compare", "fuzz"], ["compare", "list"], ["direct"], ["models"]]
)
def test_a_file_that_cannot_be_used_is_bad_usage(folder: Path, words: list[str]) -> None:
    (folder / "lights.py").write_text(LIGHTS.replace("PUZZLE = ", "PUZZLE == "))
    module, *rest = words
    ended = run_module(module, *rest, "./lights.py", cwd=folder, text="1\n1 1\n.\n")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(
        r"\./lights\.py:\d+: importing the file raised NameError: .*: mend that line\n",
        ended.stderr,
    )


@pytest.mark.slow
def test_what_fails_in_a_worker_says_where(folder: Path) -> None:
    raising = LIGHTS.replace(
        "    pivots: dict", "    if board.cells == 9:\n        1 // 0\n    pivots: dict"
    )
    (folder / "lights.py").write_text(raising)
    ended = compare("run lights.py -b direct", cwd=folder, status=1)
    assert "lights.py:" in ended.stdout
    assert "raised ZeroDivisionError" in ended.stdout
    raising = LIGHTS.replace(
        "    return Lights(rng",
        "    if size > 5:\n        raise KeyError(size)\n    return Lights(rng",
    )
    (folder / "lights.py").write_text(raising)
    for command in ("run", "fuzz"):
        ended = compare(command, "lights.py", cwd=folder, status=2)
        assert re.search(
            r"^lights\.py:\d+: the family random, at size \d+ and seed \d+, raised KeyError: ",
            ended.stderr,
            re.MULTILINE,
        )


def test_a_worker_that_cannot_load_the_file_says_why(folder: Path) -> None:
    in_worker = "import sys\nif sys.argv[0] == '-c':\n    1 // 0\n"
    (folder / "lights.py").write_text(LIGHTS.replace("PUZZLE = ", f"{in_worker}PUZZLE = "))
    (folder / "one.in").write_text("1\n1 1\n.\n")
    ended = compare("run lights.py one.in -b direct", cwd=folder, status=1)
    assert "PuzzleFault: lights.py:" in ended.stdout
    assert "importing the file raised ZeroDivisionError" in ended.stdout


def test_what_the_file_prints_is_shown_once_and_not_among_the_results(folder: Path) -> None:
    (folder / "lights.py").write_text(f"{LIGHTS}print('hello')\n")
    ended = run_module("direct", "lights.py", cwd=folder, text="1\n1 1\n.\n")
    assert (ended.stdout, ended.stderr) == ("POSSIBLE\n.\n", "lights.py: hello\n")
    assert compare("run lights.py -b direct", cwd=folder).stderr == "lights.py: hello\n"


def test_what_text_prints_stays_out_of_the_output(folder: Path) -> None:
    text = (ROOT / "examples" / "cover.py").read_text()
    method = "def text(self) -> str:\n"
    assert text.count(method) == 1
    printing = text.replace(method, f"{method}        print('from the file')\n")
    (folder / "cover.py").write_text(printing)
    (folder / "one.in").write_text("1\n1 1 1\n1 1\n")
    (folder / "one.out").write_text("1 1\n")
    for line in ("run cover.py one.in -b direct", "check cover.py one.in one.out"):
        ended = compare(f"{line} --format json", cwd=folder, status=0)
        assert json.loads(ended.stdout)["exit_status"] == 0
        assert "from the file\n" in ended.stderr


def test_what_the_check_prints_is_shown_as_its_own(folder: Path) -> None:
    rule = "        moved = "
    assert LIGHTS.count(rule) == 1
    text = LIGHTS.replace(rule, f"        print('the rules are asked')\n{rule}")
    (folder / "loud.py").write_text(text)
    (folder / "one.in").write_text("1\n1 1\n.\n")
    for line in ("run loud.py one.in", "fuzz loud.py --cases 20"):
        ended = compare(f"{line} -b direct", cwd=folder, status=0)
        assert "direct:elimination: the check: the rules are asked\n" in ended.stderr
        assert "the rules are asked" not in ended.stdout


@pytest.mark.slow
def test_a_puzzle_whose_other_functions_fail_blames_no_contender(folder: Path) -> None:
    for body in ("def outcome(self, claims):", "def print_answers(self, answers, format):"):
        raising = f"    {body}\n        raise KeyError(1)\n\n    @property\n    def families"
        (folder / "lights.py").write_text(
            LIGHTS.replace("    @property\n    def families", raising)
        )
        command = "fuzz" if "outcome" in body else "run"
        ended = compare(command, "lights.py", "-b", "direct", cwd=folder, status=2)
        assert "CRASH" not in ended.stdout
        assert re.search(
            r"lights\.py:\d+: (outcome|print_answers) raised KeyError: 1: mend that line",
            ended.stderr,
        )
    text = LIGHTS.replace(
        "class LightsPuzzle",
        "    def header(self) -> str:\n        raise KeyError(2)\n\n\nclass LightsPuzzle",
    )
    (folder / "lights.py").write_text(text)
    ended = compare("generate lights.py random 3", cwd=folder, status=2)
    assert ended.stdout == ""
    assert re.search(
        r"lights\.py:\d+: print_instances raised KeyError: 2: mend that line", ended.stderr
    )


@pytest.mark.slow
def test_a_folder_and_an_installed_package_run_in_workers(tmp_path: Path) -> None:
    write_folder(tmp_path / "lights")
    ended = compare("run ./lights --jobs 2", cwd=tmp_path, status=0)
    assert ended.stderr == ""
    assert (
        ended.last_line == "ALL AGREE; 8 boards of 1 puzzle; runs: 16 OK; 16 of 16 answers PROVED."
    )
    info = tmp_path / "elsewhere" / "lights-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lights\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[twofold.puzzles]\nlights = lights\nbroken = no_such_module\n"
    )
    (tmp_path / "lights").rename(info.parent / "lights")
    env = environment(info.parent)
    by_name = run_python("-m", "compare", "fuzz", "lights", "--cases", "200", cwd=tmp_path, env=env)
    assert (by_name.returncode, by_name.stderr) == (0, "")
    assert "nothing found" in by_name.stdout
    listed = " ".join(run_python("-m", "compare", "list", cwd=tmp_path, env=env).stdout.split())
    assert "direct:elimination" in listed
    assert (
        "the puzzle broken of the installed package lights cannot be loaded: there is no module "
        "no_such_module: " in listed
    )


@pytest.mark.parametrize("command", ["run", "fuzz", "scale"])
def test_a_puzzle_without_a_backend_says_where_one_belongs(folder: Path, command: str) -> None:
    (folder / "lights.py").write_text(
        re.sub(r"^@backend.*?(?=^\S*PUZZLE|^@)", "", LIGHTS, flags=re.MULTILINE | re.DOTALL)
    )
    ended = compare(command, "./lights.py", cwd=folder, status=2)
    assert ended.stdout == ""
    assert ended.stderr.startswith(
        "lights has no backend yet: write one into ./lights.py, a function under "
        "@backend('lights', NAME, "
    )


@pytest.mark.slow
def test_a_program_of_the_users_is_caught_and_its_case_shrunk(tmp_path: Path) -> None:
    (tmp_path / "cover.py").write_text((ROOT / "examples" / "cover.py").read_text())
    every_left_vertex = (
        "import sys\nwords = iter(sys.stdin.read().split())\nfor _ in range(int(next(words))):\n"
        "    left, _, edges = (int(next(words)) for _ in range(3))\n"
        "    cover = sorted({[int(next(words)), next(words)][0] for _ in range(edges)})\n"
        "    print(len(cover), *cover)\n"
    )
    mine = contender(tmp_path, every_left_vertex)
    ended = compare(
        f"fuzz cover.py -b direct --program '{mine}' --cases 200 --jobs 1", cwd=tmp_path, status=1
    )
    (saved,) = tmp_path.glob("conflict-*.in")
    assert saved.read_text() == "1\n2 1 2\n1 1\n2 1\n"
    text = ended.stdout.replace("\n", " ")
    assert re.search(
        r"CONFLICT: direct:matching says 1, mine says 2; shrunk size \d+ to size 7 in \d+ runs",
        text,
    )
    shown = compare(
        "run cover.py", saved.name, "-b", "direct", "--program", mine, cwd=tmp_path, status=1
    )
    assert "CONFLICT on cover, dataset " in shown.stdout
    assert "    2 1 2\n    1 1\n    2 1\n" in shown.stdout
    assert "mine FAILED on 1 of 1: 1 WRONG" in shown.stdout.replace("\n", " ")
