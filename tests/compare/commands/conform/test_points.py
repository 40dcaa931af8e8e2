"""Each point of the conformance test: what holds for the example, and what is said of an example
with one mistake in it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import puzzles
from compare.commands.conform.corpus import Finding, State
from compare.commands.conform.points import POINTS, findings
from puzzles.puzzle import Puzzle
from tests.places import ROOT
from tests.processes import compare
from tests.puzzles.user.lights_folder import write_folder

LIGHTS = (ROOT / "examples" / "lights.py").read_text()


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], Puzzle]:
    """Loads a text as a file of one's own."""

    def load(text: str) -> Puzzle:
        (tmp_path / "lights.py").write_text(text)
        return puzzles.find(str(tmp_path / "lights.py"))

    return load


def changed(old: str, new: str) -> str:
    """The example with one change."""
    assert LIGHTS.count(old) == 1, old
    return LIGHTS.replace(old, new)


MISTAKES: dict[str, tuple[str, str, State, str]] = {
    "a conflict": (
        "answers",
        changed("solver.solve(selectors)", "solver.solve(selectors[1:])"),
        State.FAILED,
        "direct:elimination and models:cnf disagree on `",
    ),
    "a backend that raises": (
        "answers",
        changed("    pivots: dict", "    1 // 0\n    pivots: dict"),
        State.FAILED,
        "direct:elimination fails on ",
    ),
    "one side": (
        "answers",
        changed('side="models"', 'side="direct"'),
        State.MISSING,
        "there is no backend of the side models that can run here: so nothing is solved twice",
    ),
    "a core that proves nothing": (
        "proofs",
        changed("used >> k & 1", "used >> k & 0"),
        State.FAILED,
        ": an even number of the core's lights are on: mend the certificate, or its check",
    ),
    "no cores": (
        "proofs",
        changed(
            ', source="Gaussian elimination over GF(2)", certifies=True',
            ', source="Gaussian elimination over GF(2)"',
        ).replace("core = tuple(k for k", "core = None and tuple(k for k"),
        State.MISSING,
        "answers of direct:elimination are not proved, such as that to `",
    ),
    "a check that lets a light stay on": (
        "damage",
        changed('still = on & (board.grid != ord("#"))', 'still = on & (board.grid == ord("#"))'),
        State.FAILED,
        "the check proves a wrong answer to ",
    ),
    "a check that trusts a core's form": (
        "damage",
        changed("not isinstance(core, tuple) or not all", "not all").replace(
            "isinstance(cell, int) and 0 <= cell", "-9 <= cell"
        ),
        State.FAILED,
        "so the check has to look at its form first, and to say UNPROVED",
    ),
    "no backend that claims everything": (
        "damage",
        changed('over GF(2)", certifies=True', 'over GF(2)", complete=False').replace(
            "    limit=64,\n", "    limit=64,\n    complete=False,\n"
        ),
        State.LOOK,
        "no wrong answer could be told from a right one: no backend that claims everything answers",
    ),
    "a family without its seed": (
        "families",
        changed("default_rng(seed)", "default_rng()"),
        State.FAILED,
        "the family random gives two instances for one size and seed, at size ",
    ),
    "a text that is no file": (
        "texts",
        changed(
            "    @property\n    def families",
            "    def print_instances(self, boards, /):\n"
            "        text = super().print_instances(boards)\n"
            "        return text.replace('*', '.') if boards[0].rows > 3 else text\n\n"
            "    @property\n    def families",
        ),
        State.FAILED,
        "gives what is another board when it is printed and read: grid is array([[",
    ),
    "a step that is none": (
        "shrinking",
        changed(
            "    @property\n    def families",
            "    def smaller(self, board, /):\n        yield board\n\n    @property\n    def "
            "families",
        ),
        State.FAILED,
        "which is the same: give only others",
    ),
    "a step up": (
        "shrinking",
        changed(
            "    @property\n    def families",
            "    def smaller(self, board, /):\n        yield random_lights(5, 1) if board.cells "
            "< 25 else random_lights(4, 1)\n\n"
            "    @property\n    def families",
        ),
        State.FAILED,
        "which is larger: give only smaller or simpler ones",
    ),
    "no rules": (
        "pictures",
        LIGHTS.partition('"""\n')[2].replace("from __future__ import annotations\n", "", 1),
        State.MISSING,
        "has no written rules: write them into the docstring at its top",
    ),
    "a function of the check in a backend": (
        "sharing",
        changed("    pivots: dict", "    switched(board.grid == 0)\n    pivots: dict"),
        State.FAILED,
        ": direct and the check both use switched: their agreement says nothing of it: write it "
        "twice, in two different ways",
    ),
    "a function of both sides": (
        "sharing",
        changed("    pivots: dict", "    opened(board)\n    pivots: dict")
        .replace(
            "        if solver.solve(selectors):",
            "        opened(board)\n        if solver.solve(selectors):",
        )
        .replace(
            "def random_lights",
            "def opened(board: Lights) -> int:\n    return board.cells\n\n\ndef random_lights",
        ),
        State.FAILED,
        ": direct and models both use opened: their agreement says nothing of it",
    ),
}


@pytest.mark.parametrize(
    "point", [pytest.param(each, marks=[pytest.mark.slow] * (each == "tiny")) for each in POINTS]
)
def test_a_point_holds_for_the_example(point: str, own: Callable[[str], Puzzle]) -> None:
    assert findings(own(LIGHTS), point) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_and_the_sentence_says_what_to_do(
    mistake: str, own: Callable[[str], Puzzle]
) -> None:
    point, text, state, sentence = MISTAKES[mistake]
    shown: list[Finding] = findings(own(text), point)
    assert any(each.state is state and sentence in each.sentence for each in shown), shown


def test_the_command_says_what_fails_and_has_an_exit_status(tmp_path: Path) -> None:
    text, sentence = (
        MISTAKES["a function of both sides"][1],
        MISTAKES["a function of both sides"][3],
    )
    (tmp_path / "lights.py").write_text(text)
    ended = compare("conform lights.py --point sharing --point families", cwd=tmp_path)
    lines = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (1, "")
    assert lines[0] == "families  holds   a size and a seed always give the same instance"
    assert (
        lines[1]
        == "sharing   FAILED  no function is used by both sides, or by the check and a side"
    )
    assert sentence in lines[2]
    assert lines[-1] == "lights FAILED on 1 of 2 points"
    (tmp_path / "lights.py").write_text(MISTAKES["no cores"][1])
    for words, status in ((), 0), (("--strict",), 3):
        ended = compare("conform lights.py --point proofs", *words, cwd=tmp_path, status=status)
        assert ended.last_line == "ACCEPTED: all hold; 1 point; 1 missing"
    compare("conform lights.py --point proof", cwd=tmp_path, status=2)


def test_sharing_is_seen_across_the_files_of_a_folder(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "lights")
    text = (folder / "direct.py").read_text()
    (folder / "direct.py").write_text(
        text.replace(
            "    pivots: dict", "    check.switched(board.grid == 0)\n    pivots: dict"
        ).replace("from .board", "from . import check\nfrom .board")
    )
    (found,) = findings(puzzles.find(str(folder)), "sharing")
    assert "lights/check.py:" in found.sentence
    assert ": direct and the check both use switched: " in found.sentence
