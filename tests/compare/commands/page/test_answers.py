"""What the page's server answers: boards, both sides' answers and what they say together, and
commands that do the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import direct
import models
import puzzles
from compare.commands.page.answers import difference, formula_file, input_file
from models.backend_encoding import written_encoding
from puzzles.grid import GridPuzzle
from puzzles.text import UserError
from tests.compare.commands.page.browsing import Server
from tests.compare.commands.page.own_lights import own_lights
from tests.compare.commands.page.talking import Caller
from tests.installed import slow
from tests.models.solver_kinds import RIGHT
from tests.places import ROOT
from tests.processes import compare, run_module, run_python

BEAMS = "1\n2 2\n.-\n-.\n"
DARK = "1\n2 3\n...\n.-.\n"
MINES = "1\n2 4\n####\n2#21\n"
CONTRADICTION = "1\n1 3\n1#0\n"


Described = dict[str, dict[str, Any]]
"""What the server says of each puzzle."""


@pytest.fixture(scope="module")
def caller(own_server: Server) -> Caller:
    return Caller(own_server.port)


@pytest.fixture(scope="module")
def described(caller: Caller) -> Described:
    return {each["name"]: each for each in caller.get("/api/puzzles").json["puzzles"]}


def defaults(described: dict[str, Any]) -> list[str]:
    return [each["contender"] for each in described["backends"] if each["default"]]


def carried_out(command: str, folder: Path) -> str:
    """What a command prints that stands on the page, in a folder with the board."""
    words = shlex.split(command)
    assert words[:1] == ["python"]
    is_module = words[1] == "-m"
    ended = (run_module if is_module else run_python)(*words[1 + is_module :], cwd=folder)
    assert ended.stderr == ""
    return ended.stdout


def test_ours_come_first_and_a_grid_says_how_its_boards_are_written(
    described: Described,
) -> None:
    assert list(described) == [*puzzles.names(), "lights", "knapsack"]
    for name, each in described.items():
        puzzle = puzzles.get(name) if name in puzzles.names() else None
        if not each["grid"]:
            assert (name, each["noun"], each["symbols"]) == ("knapsack", "case", [])
            continue
        (line, *_) = each["example"].removeprefix(each["prefix"] or "").splitlines()
        assert len(each["header"].split()) == (1 if name == "nogo" else 2)
        assert line
        if puzzle is not None:
            board_type: Any = getattr(puzzle, "board_type", None)
            assert {symbol["symbol"] for symbol in each["symbols"]} == set(
                board_type.alphabet.decode()
            )


def test_the_server_says_which_command_starts_it_again(caller: Caller, own_server: Server) -> None:
    command = caller.get("/api/puzzles").json["command"]
    start = f"python -m compare page --port {caller.port}".split()
    assert shlex.split(command) == [*start, *own_server.words]


def test_symbols_have_meanings_and_the_empty_one_comes_first(
    described: Described,
) -> None:
    first = {
        name: (each["symbols"][0]["symbol"], each["symbols"][0]["meaning"])
        for name, each in described.items()
        if each["grid"]
    }
    said = {name: _meanings(name) for name in puzzles.names()}
    assert first == {
        **{name: next(iter(meanings.items())) for name, meanings in said.items()},
        "lights": (".", "."),
    }
    assert first["minesweeper"] == ("#", "covered cell")
    assert first["nogo"] == (".", "empty point")


def _meanings(name: str) -> Mapping[str, str]:
    puzzle = puzzles.get(name)
    assert isinstance(puzzle, GridPuzzle)
    return puzzle.board_type.meanings


def test_numbers_of_a_header_are_fields(caller: Caller, described: Described) -> None:
    assert described["minesweeper"]["numbers"] == [
        {"name": "mines", "label": "number of mines", "optional": True}
    ]
    assert all(each["numbers"] == [] for name, each in described.items() if name != "minesweeper")
    boards = caller.post("read", puzzle="minesweeper", text="2\n1 2 1\n##\n1 1\n#\n").json["boards"]
    assert [each["numbers"] for each in boards] == [{"mines": 1}, {"mines": None}]
    assert [each["text"] for each in boards] == ["1\n1 2 1\n##\n", "1\n1 1\n#\n"]


def test_bundled_boards_are_listed_and_small(caller: Caller, described: Described) -> None:
    samples = {name: each["samples"] for name, each in described.items()}
    assert {each["dataset"] for each in samples["beams"]} == {"sample", "refuted"}
    assert 10 < len(samples["beams"]) <= 40
    for puzzle in map(puzzles.get, puzzles.names()):
        texts = [each["text"] for each in samples[puzzle.name]]
        boards = [board for text in texts for board in puzzle.parse(text)]
        assert [puzzle.print_instances([board]) for board in boards] == texts
        assert all(board.cells <= 400 for board in boards)
        (read,) = caller.post("read", puzzle=puzzle.name, text=texts[0]).json["boards"]
        assert read["text"] == texts[0]


def test_what_a_puzzle_adds_to_the_page_is_a_script_in_its_folder(
    caller: Caller, described: Described
) -> None:
    for name, (key, file) in product(described, {"script": "page.js", "game": "game.js"}.items()):
        path = ROOT / "puzzles" / name / file
        script = described[name][key]
        assert (script is not None) == path.is_file()
        assert script is None or caller.get(script).text == path.read_text()
    assert caller.get("/puzzles/lights/page.js").status == 404
    assert caller.get("/puzzles/beams/board.py").status == 404


def test_rules_are_html_without_any_html_of_their_own(described: Described) -> None:
    assert described["beams"]["rules_html"].startswith("<h1>")
    assert "Lights Out with walls &lt;script&gt;" in described["lights"]["rules_html"]
    assert all("<script" not in each["rules_html"] for each in described.values())


def test_every_backend_is_there_with_its_solvers(described: Described) -> None:
    for name in puzzles.names():
        ours = [
            each.label
            for side in (direct.SIDE, models.SIDE)
            for each in side.backends(name).values()
        ]
        assert [each["contender"] for each in described[name]["backends"]] == ours
        assert [each.split(":")[0] for each in defaults(described[name])] == ["direct", "models"]
    cnf = next(each for each in described["beams"]["backends"] if each["contender"] == "models:cnf")
    assert {"cadical153", "cadical195"} <= set(cnf["solvers"])


@pytest.mark.parametrize("name", [*puzzles.names(), "lights", "knapsack"])
def test_both_sides_answer_and_are_proved(caller: Caller, described: Described, name: str) -> None:
    text, contenders = described[name]["example"], defaults(described[name])
    (board, *_) = caller.post("read", puzzle=name, text=text).json["boards"]
    *lines, last = caller.solved(name, board["text"], contenders)
    assert sorted(each["contender"] for each in lines) == sorted(contenders)
    for each in lines:
        assert (each["type"], each["status"], each["verdict"]) == ("answer", "OK", "PROVED")
        assert each["svg"].startswith("<svg")
        assert all((each["words"], each["why"], each["seconds"] > 0))
    assert last["sentence"].endswith(": both agree, both proved.")
    assert last["type"] == "comparison"
    noun = "case" if name == "knapsack" else "board"
    assert last["last_line"] == (
        f"ALL AGREE; 1 {noun} of 1 puzzle; runs: 2 OK; 2 of 2 answers PROVED."
    )
    assert (last["mood"], last["differences"]) == ("good", [])


@pytest.mark.parametrize(
    ("text", "contender", "shown"),
    [
        (DARK, "direct:two-sat", "core: must be lit"),
        (MINES, "direct:frontier", "50"),
        (CONTRADICTION, "direct:frontier", "contradict"),
    ],
)
def test_what_is_drawn_is_the_certified_answer(
    caller: Caller, text: str, contender: str, shown: str
) -> None:
    puzzle = puzzles.get("beams" if text == DARK else "minesweeper")
    (board,) = puzzle.parse(text)
    more: dict[str, Any] = {"probabilities": True} if text == MINES else {}
    svg = puzzle.picture(board, direct.solve(board, certify=True, **more))
    answer, _ = caller.solved(puzzle.name, text, [contender])
    assert (answer["verdict"], answer["svg"]) == ("PROVED", svg)
    assert shown in svg


def test_fields_and_words_are_those_of_the_answer(caller: Caller) -> None:
    answer, _ = caller.solved("minesweeper", MINES, ["direct:frontier"])
    assert answer["fields"]["probability"] == [
        ["1", "1/2", "1/2", "1/2"],
        [None, "1/2", None, None],
    ]
    assert answer["answer"] == "Case 1:\nX###\n2#21\n\n"
    assert answer["words"] == "1 certain mine, 0 safe cells, 4 undecided"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "contenders"),
    [
        ("beams", DARK, ["direct:two-sat", "models:cnf"]),
        slow(
            "beams",
            BEAMS,
            ["models:cnf cadical195", "models:cnf-traced cadical195", "direct:two-sat"],
        ),
        ("nogo", "2\n..\nX.\n", ["direct:union-find", "models:cnf-monotone"]),
        ("lights", "1\n1 2\n*.\n", ["direct:elimination", "models:liar"]),
        slow("knapsack", "1\n3 2\n2 5\n2 7\n", ["direct:by-weight", "models:cpsat"]),
    ],
)
def test_the_command_and_the_python_do_the_same(
    caller: Caller, tmp_path: Path, name: str, text: str, contenders: list[str]
) -> None:
    (tmp_path / input_file(name)).write_text(text)
    *lines, last = caller.solved(name, text, contenders)
    printed = carried_out(last["command"], tmp_path)
    assert last["last_line"] == printed.splitlines()[-1]
    assert (
        f"{sum(each['verdict'] == 'PROVED' for each in lines)} of {len(lines)} answers PROVED"
        in printed
    )
    (tmp_path / "same.py").write_text(last["python"])
    answers = carried_out("python same.py", tmp_path)
    puzzle = puzzles.get(name) if name in puzzles.names() else None
    if puzzle is not None:
        (board,) = puzzle.parse(text)
        sides = {"direct": direct, "models": models}
        expected = [
            sides[each.split(":")[0]].solve(board, backend=each.partition(" ")[0].split(":")[1])
            for each in contenders
        ]
        assert answers == "".join(f"{each}\n" for each in expected)
    assert len(lines) == len(set(contenders))


@pytest.mark.slow
def test_several_solvers_of_a_backend_stand_beside_each_other(
    caller: Caller, tmp_path: Path
) -> None:
    contenders = ["models:cnf", "models:cnf cadical195", "models:cnf minisat22"]
    *lines, last = caller.solved("beams", BEAMS, contenders)
    assert {each["contender"]: each["verdict"] for each in lines} == dict.fromkeys(
        contenders, "PROVED"
    )
    assert last["sentence"] == "POSSIBLE: all 3 agree, all 3 proved."
    (tmp_path / input_file("beams")).write_text(BEAMS)
    commands = last["command"].splitlines()
    assert [command.partition(" --solver ")[2] for command in commands] == [
        "",
        "cadical195",
        "minisat22",
    ]
    assert all("1 of 1 answers PROVED" in carried_out(command, tmp_path) for command in commands)


def test_a_verdict_says_what_a_number_is(caller: Caller, described: Described) -> None:
    knapsack = described["knapsack"]
    last = caller.solved("knapsack", knapsack["example"], defaults(knapsack))[-1]
    assert last["sentence"].startswith("The answer ")


def test_a_lie_is_refuted_or_named(caller: Caller) -> None:
    *lines, last = caller.solved("lights", "1\n1 2\n*.\n", ["direct:elimination", "models:liar"])
    verdicts = {each["contender"]: each["verdict"] for each in lines}
    assert verdicts == {"direct:elimination": "PROVED", "models:liar": "UNPROVED"}
    assert " FAILED on 1 of 1: " in last["last_line"]
    assert last["mood"] == "bad"
    assert (
        last["sentence"]
        == "models:liar says POSSIBLE: refuted. direct:elimination says IMPOSSIBLE: proved."
    )
    assert last["differences"] == [
        {"contenders": ["direct:elimination", "models:liar"], "cells": [], "places": []}
    ]


@pytest.mark.parametrize(
    ("name", "text", "ours", "theirs", "cells", "places"),
    [
        ("geography", "1 3\n...\n", [1, 0, 1], [0, 0, 1], [[0, 0]], ["the cell at 1,1"]),
        ("minesweeper", "1\n1 3\n1##\n", [1, 0, 1, 2], [1, 0, 1, 0], [[0, 2]], ["the cell at 1,3"]),
        (
            "minesweeper",
            "1\n1 3\n1##\n",
            [1, 0, 1, 2],
            [-1, -1, 0, -1],
            [[0, 1]],
            ["the cell at 1,2"],
        ),
        ("minesweeper", "1\n1 3\n1##\n", [0, -1, -1, -1], [1, 0, 1, 0], [], []),
        (
            "nogo",
            "2\n..\n..\n",
            [0, 1, 3],
            [0, 2],
            [[0, 1], [1, 0]],
            ["the cell at 1,2", "the cell at 2,1"],
        ),
        ("nogo", "2\n..\n..\n", [0, 1], [0, 1, 3], [[1, 1]], ["the cell at 2,2"]),
        ("beams", BEAMS, [0], [1], [], []),
    ],
)
def test_where_claims_differ(
    name: str,
    text: str,
    ours: list[int],
    theirs: list[int],
    cells: list[list[int]],
    places: list[str],
) -> None:
    puzzle = puzzles.get(name)
    assert difference(puzzle, puzzle.parse(text)[0], np.array(ours), np.array(theirs)) == {
        "cells": cells,
        "places": places,
    }


def test_a_board_beyond_the_default_limit_of_a_named_backend_is_solved_all_the_same(
    caller: Caller,
) -> None:
    text = caller.post("random", puzzle="lights", family="random", size=9, seed=1).json["text"]
    lines = caller.solved("lights", text, ["direct:elimination", "models:cnf"])
    assert {each["status"] for each in lines[:-1]} == {"OK"}


def test_random_boards_are_those_of_generate(caller: Caller, own_server: Server) -> None:
    board = caller.post("random", puzzle="nogo", family="eyes", size=9, seed=4).json
    assert board["text"] == compare("generate nogo eyes 9 --seed 4").stdout
    assert (board["rows"], board["columns"], len(board["lines"])) == (9, 9, 9)
    own = caller.post("random", puzzle="lights", family="random", size=5, seed=2).json["text"]
    assert own == compare(f"generate {own_server.words[1]} random 5 --seed 2").stdout


def test_too_large_boards_are_refused(caller: Caller) -> None:
    asked = {"puzzle": "beams", "contenders": ["direct:two-sat"], "session": "a", "edition": 1}
    large = "1\n101 100\n" + ("." * 100 + "\n") * 101
    for path, text, sentence in (
        ("read", large, "this board has 10,100 cells, and the page takes at most 10,000"),
        ("solve", large, "this board has 10,100 cells, and the page takes at most 10,000"),
        (
            "solve",
            "2\n1 1\n.\n1 1\n.\n",
            "the page solves one board at a time, and the text holds 2",
        ),
        ("read", "." * 200_001, "the field text has at most 200,000 characters, not 200,001"),
    ):
        reply = caller.post(path, **asked, text=text)
        assert (reply.status, reply.sentence[: len(sentence)]) == (400, sentence)


def test_questions_are_answered_as_on_the_command_line(caller: Caller) -> None:
    asked = {
        "puzzle": "minesweeper",
        "text": MINES,
        "contender": "direct:frontier",
        "session": "ask",
        "edition": 1,
    }
    for request, value in (("probabilities", ""), ("next", ""), ("why", "1,1")):
        reply = caller.post("ask", **asked, request=request, value=value).json
        words = f"minesweeper --{request} {value}".split()
        assert reply["text"] == run_module("direct", *words, text=MINES).stdout
        assert reply["svg"].startswith("<svg")
    for changed, sentence in (
        ({"request": "why", "value": "9,9"}, "the board has 2 rows and 4 columns, no cell 9,9"),
        (
            {"request": "nothing"},
            "minesweeper has no request 'nothing'; it has probabilities, next, why",
        ),
        (
            {"request": "next", "contender": "models:cpsat"},
            "models:cpsat cannot answer next: ask direct:frontier or models:count",
        ),
    ):
        reply = caller.post("ask", **{**asked, "value": "", **changed})
        assert (reply.status, reply.sentence) == (400, sentence)


def test_the_formula_is_that_of_the_command(caller: Caller, tmp_path: Path) -> None:
    asked = {"puzzle": "beams", "text": BEAMS}
    reply = caller.post("formula", **asked, contender="models:cnf-traced").json
    (tmp_path / input_file("beams")).write_text(BEAMS)
    assert carried_out(reply["command"], tmp_path) == ""
    assert reply["dimacs"] == (tmp_path / formula_file("beams")).read_text()
    assert f"p cnf {reply['variables']} {reply['clauses']}\n" in reply["dimacs"]
    assert caller.post("formula", **asked, contender="models:cpsat").sentence.startswith(
        "models:cpsat has no formula that could be written down; these have: models:cnf, "
        "models:cnf-traced"
    )
    with pytest.raises(UserError, match="CP-SAT model, which is no formula"):
        written_encoding(puzzles.get("beams").parse(BEAMS)[0], backend="cpsat")


@pytest.mark.slow
def test_functions_of_ones_own_that_do_not_end_are_sentences(tmp_path: Path) -> None:
    with Server("--puzzle", str(own_lights(tmp_path, endless=True))) as server:
        caller = Caller(server.port)
        family = caller.post("random", puzzle="lights", family="endless", size=3, seed=1)
        assert (family.status, family.sentence) == (
            400,
            "the puzzle's own code takes too long here: stopped at 10 s",
        )
        answer, last = caller.solved("lights", "1\n1 3\n###\n", ["direct:elimination"])
        assert (answer["status"], answer["verdict"], answer["svg"], answer["words"]) == (
            "OK",
            "PROVED",
            None,
            "",
        )
        assert last["type"] == "comparison"
        assert caller.post("read", puzzle="lights", text="1\n1 1\n*\n").status == 200


@pytest.mark.parametrize(
    ("name", "text", "contenders", "sentence"),
    [
        ("beams", DARK, ["direct:two-sat", "models:cnf"], "IMPOSSIBLE: both agree, both proved."),
        ("beams", DARK, ["direct:two-sat"], "IMPOSSIBLE: proved."),
        (
            "beams",
            DARK,
            ["mine", "direct:two-sat", "models:cnf"],
            "mine says POSSIBLE: refuted, the open cell at 1,1 is not lit. "
            "direct:two-sat and models:cnf say IMPOSSIBLE: both proved.",
        ),
        (
            "minesweeper",
            MINES,
            ["direct:frontier"],
            "1 certain mine, 0 safe cells, 4 undecided: proved.",
        ),
        (
            "nogo",
            "2\n..\nX.\n",
            ["direct:union-find", "models:cnf"],
            "White moves last: both agree, both proved.",
        ),
        (
            "beams",
            DARK,
            ["garbled", "direct:two-sat"],
            "direct:two-sat says IMPOSSIBLE: proved. The answer of garbled cannot be read: "
            "<output of garbled>:1:1: ",
        ),
        (
            "beams",
            DARK,
            ["broken", "direct:two-sat"],
            "direct:two-sat says IMPOSSIBLE: proved. broken crashed: exit status 3.",
        ),
        slow(
            "beams",
            DARK,
            ["endless", "direct:two-sat"],
            "direct:two-sat says IMPOSSIBLE: proved. endless has no answer after 10 seconds.",
        ),
    ],
)
def test_the_verdict_says_the_answer_and_who_has_none(
    caller: Caller, name: str, text: str, contenders: list[str], sentence: str
) -> None:
    assert caller.solved(name, text, contenders)[-1]["sentence"].startswith(sentence)


def test_a_program_answers_from_the_start_where_it_can_read_an_example_or_nowhere(
    described: Described,
) -> None:
    chosen = {
        name: [each["contender"] for each in entry["programs"] if each["default"]]
        for name, entry in described.items()
    }
    hopeless = ["garbled", "broken", "endless"]
    assert chosen.pop("beams") == ["mine", *hopeless]
    assert set(map(tuple, chosen.values())) == {tuple(hopeless)}
    faults = {each["contender"]: each["fault"] for each in described["nogo"]["programs"]}
    assert faults["mine"].startswith("mine crashed: exit status 1: ValueError")
    assert faults["broken"] == "broken crashed: exit status 3."
    assert faults["endless"] == "endless has no answer after 2 seconds."


@pytest.mark.parametrize("name", ["garbled", "broken", slow("endless")])
def test_a_program_that_fails_makes_the_verdict_a_bad_one(caller: Caller, name: str) -> None:
    last = caller.solved("beams", DARK, ["direct:two-sat", name])[-1]
    assert last["mood"] == "bad"
    assert name in last["sentence"]


def test_a_program_is_spared_a_board_that_its_contest_does_not_promise(caller: Caller) -> None:
    last = caller.solved("beams", "1\n1 1\n#\n", ["mine", "direct:two-sat"])[-1]
    assert last["sentence"].endswith(
        "mine is not given this board, which its contest does not promise (no turret). `page "
        "--extended` gives it all."
    )


@pytest.mark.slow
def test_the_command_of_a_program_runs_it_too(caller: Caller, tmp_path: Path) -> None:
    last = caller.solved("beams", DARK, ["mine", "direct:two-sat"])[-1]
    (tmp_path / input_file("beams")).write_text(DARK)
    assert "mine FAILED on 1 of 1: 1 WRONG" in carried_out(last["command"], tmp_path)
    assert "mine" not in last["python"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("Case #1: IMPOSSIBLE\n", "IMPOSSIBLE: both agree, both proved."),
        (
            "Case #1: POSSIBLE\n...\n.-.\n",
            "mine (in the link) says POSSIBLE: refuted, the open cell at 1,1 is not lit. direct:",
        ),
        (
            "Case #1: POSSIBLE\n",
            "direct:two-sat says IMPOSSIBLE: proved. The answer of mine (in the link) cannot be "
            "read: line 2, column 1: ",
        ),
        (
            "Case #1: POSSIBLE\n...\n.x.\n",
            "direct:two-sat says IMPOSSIBLE: proved. The answer of mine (in the link) cannot be "
            "read: line 3, column 2: ",
        ),
    ],
)
def test_the_answer_of_a_link_is_judged_as_one_that_exists_already(
    caller: Caller, given: str, sentence: str
) -> None:
    *lines, last = caller.solved(
        "beams", DARK, ["direct:two-sat"], giver="mine (in the link)", given=given
    )
    assert {each["contender"] for each in lines} == {"direct:two-sat", "mine (in the link)"}
    assert last["sentence"].startswith(sentence)


def test_backends_of_a_plugin_and_own_solvers_take_part_from_the_start(tmp_path: Path) -> None:
    plugin = str(ROOT / "examples" / "my_encoding.py")
    solver = RIGHT[-1]
    with Server("--plugin", plugin, "--solver", solver) as server:
        caller = Caller(server.port)
        entries = {each["name"]: each for each in caller.get("/api/puzzles").json["puzzles"]}
        (mine,) = (
            each
            for each in entries["minesweeper"]["backends"]
            if each["contender"] == "models:mine"
        )
        assert mine["default"]
        assert mine["about"] == f"From {plugin}."
        (own,) = entries["minesweeper"]["chosen"]
        assert own.endswith(f" {solver}")
        asked = ["direct:frontier", "models:mine", f"models:mine {solver}", own]
        lines = caller.solved("minesweeper", MINES, asked)
        assert {each["contender"]: each["status"] for each in lines[:-1]} == dict.fromkeys(
            asked, "OK"
        )
        (tmp_path / input_file("minesweeper")).write_text(MINES)
        for command in lines[-1]["command"].splitlines():
            assert f"--plugin {plugin}" in command or "mine" not in command
            assert "ALL AGREE" in carried_out(command, tmp_path)
        (tmp_path / "lines.py").write_text(lines[-1]["python"])
        assert run_python("lines.py", cwd=tmp_path).stdout.count("\n") >= len(asked)
