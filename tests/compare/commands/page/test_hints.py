"""Links to the page, in the report and where fuzzing finds something."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import puzzles
from compare.commands.page.hints import (
    Additions,
    LinkedAnswer,
    board_hint,
    board_link,
    page_command,
    page_link,
    start_command,
)
from puzzles.nogo.board import NoGo
from tests.installed import needs
from tests.places import ROOT, SAMPLE
from tests.processes import compare, reading_program


def fields_of(link: str, port: int = 4997) -> dict[str, str]:
    """What a link holds, as a browser reads it."""
    address = urlsplit(link)
    assert (address.scheme, address.netloc, address.path, address.query) == (
        "http",
        f"127.0.0.1:{port}",
        "/",
        "",
    )
    return {
        name: value for name, (value,) in parse_qs(address.fragment, strict_parsing=True).items()
    }


def board_in(link: str) -> tuple[str, str]:
    """The puzzle and the board of a link that holds nothing else."""
    fields = fields_of(link)
    assert set(fields) == {"puzzle", "board"}
    return fields["puzzle"], fields["board"]


def test_a_link_holds_the_board() -> None:
    assert (
        page_link("beams", "1\n2 2\n.-\n-.\n")
        == "http://127.0.0.1:4997/#puzzle=beams&board=1%0A2%202%0A.-%0A-.%0A"
    )
    assert (
        page_link("a b", "/\\|#&=é", 80)
        == "http://127.0.0.1:80/#puzzle=a%20b&board=%2F%5C%7C%23%26%3D%C3%A9"
    )
    assert board_in(page_link("a b", "/\\|#&=+é\n")) == ("a b", "/\\|#&=+é\n")


def test_a_hint_names_the_usual_port_unless_another_one_is_asked_for() -> None:
    beams = puzzles.get("beams")
    (board,) = beams.parse("1\n1 1\n.\n")
    usual, other = (board_hint(beams, board, port, None) for port in (None, 80))
    assert usual.startswith("see it: python -m compare page, then http://127.0.0.1:4997/#")
    assert other.startswith("see it: python -m compare page --port 80, then http://127.0.0.1:80/#")


def test_there_is_no_link_to_what_no_link_can_hold() -> None:
    nogo, beams = puzzles.get("nogo"), puzzles.get("beams")
    assert board_link(nogo, NoGo(np.full((2, 3), ord("."), np.uint8))) == ""
    assert board_link(beams, beams.family("sparse").board(200, 1)) == ""
    board = beams.family("sparse").board(20, 1)
    assert board_in(board_link(beams, board)) == ("beams", beams.print_instances([board]))


def test_the_command_names_puzzles_of_ones_own() -> None:
    own = puzzles.find(str(ROOT / "examples" / "lights.py"))
    assert (
        page_command([puzzles.get("beams"), own])
        == f"python -m compare page --puzzle {ROOT}/examples/lights.py"
    )
    assert page_command([puzzles.get("beams")]) == "python -m compare page"


def test_a_link_holds_an_answer() -> None:
    answer = LinkedAnswer("mine", "Case #1: POSSIBLE\n..\n", "codejam")
    board = puzzles.get("beams").of_text("1 2\n..\n")
    link = board_link(puzzles.get("beams"), board, 5000, answer)
    expected = {
        "puzzle": "beams",
        "board": "1\n1 2\n..\n",
        "by": "mine",
        "answer": answer.text,
        "format": "codejam",
    }
    assert fields_of(link, 5000) == expected
    assert "format" not in fields_of(
        page_link("beams", "", 5000, answer._replace(format=None)), 5000
    )


def test_fuzzing_prints_the_link_to_the_smallest_board_and_the_wrong_answer(tmp_path: Path) -> None:
    wrong = reading_program(tmp_path, "print(f'Case #{case}: IMPOSSIBLE')")
    fuzzing = f"fuzz beams -b direct --program '{wrong}' --cases 200 --jobs 1 --port 5000"
    ended = compare(fuzzing, cwd=tmp_path, status=1)
    ((command, link),) = re.findall("^see it: (.*), then (.*)$", ended.stdout, re.MULTILINE)
    (saved,) = tmp_path.glob("*.in")
    assert command == "python -m compare page --port 5000"
    answer = {"by": wrong.partition("=")[0], "answer": "Case #1: IMPOSSIBLE\n"}
    assert fields_of(link, 5000) == {"puzzle": "beams", "board": saved.read_text(), **answer}


def test_each_board_of_the_report_has_a_link_and_the_command_stands_there_once(
    tmp_path: Path,
) -> None:
    needs("jinja2", "matplotlib")
    compare("run beams -b direct --out runs.jsonl", str(SAMPLE), cwd=tmp_path, status=0)
    compare("report runs.jsonl", cwd=tmp_path, status=0)
    text = (tmp_path / "report.html").read_text()
    links = [
        unescape(link)
        for link in re.findall(
            r'<a class="see" href="(http://127[^"]*)">open in the page</a>', text
        )
    ]
    beams = puzzles.get("beams")
    boards = beams.parse(SAMPLE.read_text())
    assert sorted(links) == sorted(board_link(beams, board) for board in boards)
    assert text.count("<code>python -m compare page</code>") == 1


@pytest.mark.slow
def test_the_link_of_the_report_under_a_refuted_answer_holds_that_answer(tmp_path: Path) -> None:
    needs("jinja2", "matplotlib")
    (tmp_path / "dark.in").write_text("1\n1 3\n-#.\n")
    wrong = reading_program(tmp_path, "print('Case #1: POSSIBLE', '-#.', sep='\\n')")
    run = f"run beams dark.in -b direct --program '{wrong}' --out runs.jsonl"
    compare(run, cwd=tmp_path, status=1)
    compare("report runs.jsonl --port 5000", cwd=tmp_path, status=0)
    text = (tmp_path / "report.html").read_text()
    links = [
        fields_of(unescape(link), 5000)
        for link in re.findall(r'<a class="see" href="([^"]*)">', text)
    ]
    board = {"puzzle": "beams", "board": "1\n1 3\n-#.\n"}
    assert {**board, "by": wrong.partition("=")[0], "answer": "Case #1: POSSIBLE\n-#.\n"} in links
    assert board in links
    assert "<code>python -m compare page --port 5000</code>" in text


def test_the_command_for_a_server_names_its_port_and_quotes_its_files() -> None:
    assert start_command(Additions()) == "python -m compare page"
    assert (
        start_command(Additions(["my own.py", "b.py"]), 5000)
        == "python -m compare page --port 5000 --puzzle 'my own.py' --puzzle b.py"
    )
    assert (
        start_command(Additions(programs=["mine=a b.py"]))
        == "python -m compare page --program 'mine=a b.py'"
    )
