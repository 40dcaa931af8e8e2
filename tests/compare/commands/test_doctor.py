"""`compare doctor`: what it says of this installation, and of a poorer one."""

from __future__ import annotations

import pytest

from tests.processes import compare, run_python


def doctor(prepare: str, *words: str) -> tuple[int, str]:
    """Run `compare doctor` in a Python that has run some lines before; returns its exit status and
    what it printed.
    """
    ended = run_python(
        "-c",
        f"import sys\n{prepare}\nfrom compare.command_line import "
        "main\nsys.exit(main(sys.argv[1:]))",
        *words,
    )
    return ended.returncode, ended.stdout


def test_it_finds_all_well_or_says_what_is_missing() -> None:
    ended = compare("doctor")
    limits = [line for line in ended.stdout.splitlines() if line.endswith("holds")]
    assert len(limits) == 6, ended.stdout
    assert "__pycache__: " in ended.stdout or "no folder" in ended.stdout
    assert (ended.returncode == 0) == ("all is well" in ended.stdout)
    assert "python-sat" in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("package", "status"), [("pysdd", 0), ("ortools", 3)])
def test_it_ends_well_if_only_an_extra_is_missing(package: str, status: int) -> None:
    """A package that `sys.modules` calls None is not found."""
    ended, printed = doctor(f"sys.modules[{package!r}] = None", "doctor")
    assert ended == status, printed
    assert f"{package} not installed" in printed
    assert printed.splitlines()[-1] == (
        "all is well" if status == 0 else "NOT ALL IS WELL: see above"
    )
