"""`compare doctor`: what it says of this installation, of a poorer one, and of attacks."""

from __future__ import annotations

import pytest

from tests.processes import compare, run_python


def doctor(prepare: str, *words: str) -> tuple[int, str]:
    """Run `compare doctor` in a Python that has run some lines before; returns its exit status and what it printed."""
    ended = run_python("-c", f"import sys\n{prepare}\nfrom compare.command_line import main\nsys.exit(main(sys.argv[1:]))", *words)
    return ended.returncode, ended.stdout


def test_it_finds_all_well_or_says_what_is_missing() -> None:
    ended = compare("doctor")
    limits = [line for line in ended.stdout.splitlines() if line.endswith("holds")]
    assert len(limits) == 5, ended.stdout
    assert "__pycache__: " in ended.stdout or "no folder" in ended.stdout
    assert (ended.returncode == 0) == ("all is well" in ended.stdout)
    assert "python-sat" in ended.stdout


@pytest.mark.parametrize(("package", "status"), [("pysdd", 0), ("ortools", 3)])
def test_it_ends_well_if_only_an_extra_is_missing(package: str, status: int) -> None:
    """A package that `sys.modules` calls None is not found."""
    ended, printed = doctor(f"sys.modules[{package!r}] = None", "doctor")
    assert ended == status, printed
    assert f"{package} not installed" in printed
    assert printed.splitlines()[-1] == ("all is well" if status == 0 else "NOT ALL IS WELL: see above")


PREPARED = """
from dataclasses import replace
import compare.commands.doctor as doctor
from compare.attacks.attack import Wanted
from compare.isolate.outcome import Status
(attack,) = [each for each in doctor.GALLERY if each.name == "half an answer"]
doctor.GALLERY = (attack, replace(attack, name="other", rows={"": Wanted(Status.OK)}))[:NUMBER]
doctor.ATTACKS_S = SECONDS
"""
"""A gallery of one attack that is held off, and of one whose promise is false."""


@pytest.mark.parametrize(
    ("number", "seconds", "status", "summary", "row"),
    [
        pytest.param(1, 60.0, 0, "1 promise held", ["CRASH.", "held"], marks=pytest.mark.slow),
        (2, 60.0, 1, "1 promise held; 1 promise BROKEN", ["CRASH.", "BROKEN"]),
        (1, -1.0, 3, "1 promise not tried", ["CRASH.", "not", "tried"]),
    ],
)
def test_attacks_end_in_a_table(number: int, seconds: float, status: int, summary: str, row: list[str]) -> None:
    ended, printed = doctor(PREPARED.replace("NUMBER", str(number)).replace("SECONDS", str(seconds)), "doctor", "--attacks")
    assert ended == status, printed
    assert summary in printed.splitlines()
    assert ("BROKEN by other" in printed) == (status == 1)
    table = printed[printed.index("attack  ") :]
    assert all(word in table for word in row)
    assert max(map(len, table.partition("\n\n")[0].splitlines())) <= 80
