"""What `conform` says of a small puzzle whose instances are no grids, with one mistake in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import puzzles
from compare.commands.conform.corpus import State
from compare.commands.conform.points import families, findings
from puzzles.puzzle import Puzzle
from tests.processes import environment, run_python

NUMBER = '''"""Name a number that is not less than another one; the least is the best."""
from dataclasses import dataclass
from puzzles.backend import backend
from puzzles.case import Case
from puzzles.case_solution import CaseSolution, CaseSolutionPuzzle
from puzzles.puzzle import Family


@dataclass(frozen=True, eq=False, repr=False)
class Number(Case):
    puzzle = "number"
    digits: tuple

    def text(self):
        return "".join(f"{digit}\\n" for digit in self.digits)

    @classmethod
    def read(cls, reader):
        return cls(reader.numbers("a digit", least=0))


class NumberPuzzle(CaseSolutionPuzzle):
    name = "number"
    case_type = Number
    better = "less"

    def broken_rule(self, case, witness):
        if len(witness) != 1 or witness[0] < case.digits[0]:
            return "the number is too small"
        return ""

    def value(self, case, witness):
        return sum(witness)

    def bound_fault(self, case, value, bound):
        return "" if value <= case.digits[0] else "less is enough"

    @property
    def families(self):
        return {"size": Family(of_size, "the number is the size", most=9)}


def of_size(size, seed):
    return Number((size,))


@backend("number", "same", side="direct", source="the number itself")
def same(case, *, certify=False):
    return CaseSolution.optimal(case.digits[0], case.digits[:1])


PUZZLE = NumberPuzzle()
'''

RIGHT = {
    "text": 'return "".join(f"{digit}\\n" for digit in self.digits)',
    "read": 'return cls(reader.numbers("a digit", least=0))',
}


def changed(folder: Path, *changes: tuple[str, str]) -> Puzzle:
    """The puzzle, loaded from a file with these parts of it replaced."""
    text = NUMBER
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "number.py"
    path.write_text(text)
    return puzzles.find(str(path))


@pytest.mark.parametrize("point", ["answers", "proofs", "damage", "tiny", "families", "texts"])
def test_nothing_is_wrong_with_the_puzzle_itself(point: str, tmp_path: Path) -> None:
    states = {each.state for each in findings(changed(tmp_path), point)}
    assert states <= {State.MISSING}, point


def test_a_text_whose_last_line_has_no_end_reads_back_beside_others(tmp_path: Path) -> None:
    puzzle = changed(tmp_path, (RIGHT["text"], 'return "\\n".join(map(str, self.digits))'))
    two = [puzzle.families["size"].make(size, 1) for size in (3, 5)]
    assert puzzle.print_instances(two) == "2\n3\n5\n"
    assert puzzle.parse("2\n3\n5\n") == two
    assert findings(puzzle, "texts") == []


def test_a_reader_that_takes_what_belongs_to_the_next_case_is_named(tmp_path: Path) -> None:
    greedy = (
        'digits = [*reader.numbers("a digit", least=0)]\n'
        "        while not reader.exhausted:\n"
        '            digits += reader.numbers("a digit", least=0)\n'
        "        return cls(tuple(digits))"
    )
    (finding,) = findings(changed(tmp_path, (RIGHT["read"], greedy)), "texts")
    assert ", in one file, do not read back: <text>:4:1: the text ends here;" in finding.sentence
    assert finding.sentence.endswith(": let `read` stop where the case's own `text` ends")


IN_TWO_PROCESSES = {
    "the hash of a text": "hash(f'{size} {seed}') % 10**9",
    "the order of a set": "int(''.join({'1', '2', '3', '4', '5', '6', '7', '8', '9'}))",
}


@pytest.mark.parametrize("number", IN_TWO_PROCESSES)
def test_a_family_that_differs_in_another_process_is_named(number: str, tmp_path: Path) -> None:
    puzzle = changed(tmp_path, ("Number((size,))", f"Number(({IN_TWO_PROCESSES[number]},))"))
    (finding,) = findings(puzzle, "families")
    assert finding.sentence == (
        "the family size gives two instances for one size and seed in two processes, at size 1: "
        "use neither `hash` of a text nor the order of a set, which differ there"
    )


def test_a_family_that_fails_only_in_another_process_is_named(tmp_path: Path) -> None:
    here = f"Number((size,)) if __import__('os').getpid() == {os.getpid()} else 1 // 0"
    puzzle = changed(tmp_path, ("Number((size,))", here))
    (finding,) = families(puzzle)
    assert finding.sentence.startswith("the families cannot be tried in another process: ")
    assert "raised ZeroDivisionError" in finding.sentence


def test_the_hash_of_a_text_is_noticed_also_where_the_seed_of_hashes_is_fixed(
    tmp_path: Path,
) -> None:
    number = IN_TWO_PROCESSES["the hash of a text"]
    changed(tmp_path, ("Number((size,))", f"Number(({number},))"))
    words = ["-m", "compare", "conform", "number.py", "--point", "families"]
    ended = run_python(*words, cwd=tmp_path, env=environment(PYTHONHASHSEED="1"))
    assert ended.returncode == 1
    assert " for one size and seed in two processes, " in ended.stdout


def test_a_check_that_raises_is_named_and_no_missing_rule(tmp_path: Path) -> None:
    raises = ('return "the number is too small"', 'raise ValueError("too small")')
    puzzle = changed(tmp_path, raises)
    (finding,) = findings(puzzle, "tiny")
    line = 1 + NUMBER[: NUMBER.index(raises[0])].count("\n")
    broken = f"the check is broken: {tmp_path}/number.py:{line}: it raised ValueError: too small, "
    assert finding.sentence.startswith(f"{broken}on the answer '")
    assert finding.sentence.endswith("so the check has to say in words what is wrong")


def test_a_rule_that_cannot_decide_shows_no_missing_rule(tmp_path: Path) -> None:
    beyond = 'raise __import__("puzzles").answer.BeyondCheck("too large")'
    puzzle = changed(tmp_path, ('return "the number is too small"', beyond))
    assert findings(puzzle, "tiny") == []


@pytest.mark.parametrize("certificate", ["[7]", "([7],)"])
def test_a_certificate_that_is_a_list_is_named_with_the_remedy(
    certificate: str, tmp_path: Path
) -> None:
    with_list = f"case.digits[:1], certificate={certificate})"
    puzzle = changed(tmp_path, ("case.digits[:1])", with_list))
    (finding,) = (each for each in findings(puzzle, "answers") if each.state is State.FAILED)
    assert finding.sentence.startswith("the answer of direct:same to `")
    assert finding.sentence.endswith(
        "` has no hash (unhashable type: 'list'): make its certificate, and each other field, of "
        "plain values: tuples, numbers, texts, bytes, or an array"
    )


@pytest.mark.parametrize("point", ["proofs", "damage", "tiny", "texts"])
def test_a_check_that_does_not_end_is_named_with_its_line_and_the_case(
    point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compare.commands.conform.corpus.SOLVE_S", 0.5)
    puzzle = changed(tmp_path, ("return sum(witness)", "\n        while True: pass"))
    line = 2 + NUMBER[: NUMBER.index("return sum(witness)")].count("\n")
    (finding,) = findings(puzzle, point)
    assert finding.sentence.startswith(
        f"{tmp_path}/number.py:{line}: the check does not end within 0.5 s, on the answer '"
    )
    assert ", to `" in finding.sentence
    assert finding.sentence.endswith("raise BeyondCheck where an instance is too large")
