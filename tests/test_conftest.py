"""The order of tests; an empty list of cases is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LOADING, LONGEST, is_long, loads
from tests.places import ROOT
from tests.processes import run_module


def test_an_empty_parametrisation_is_an_error(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """It would be a test that cannot fail."""
    setting = pytestconfig.getini("empty_parameter_set_mark")
    (tmp_path / "test_none.py").write_text(
        "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_nothing(x): assert x\n"
    )
    ended = run_module(
        "pytest",
        "-n",
        "0",
        "-o",
        f"empty_parameter_set_mark={setting}",
        "test_none.py",
        cwd=tmp_path,
    )
    assert ended.returncode == 2
    assert "Empty parameter set in 'test_nothing'" in ended.stdout


def test_what_leaves_its_process_small_comes_first() -> None:
    names = [
        "tests/models/test_cnf.py::test_a",
        *(f"tests/compare/{folder}/test_b.py::test_b" for folder in LOADING),
    ]
    small = [
        "tests/compare/engine/work/pool/test_c.py::test_c[fuzz]",
        "tests/compare/test_start.py::test_d",
    ]
    assert sorted([*names, *small], key=loads) == [*small, *names[1:], names[0]]
    assert all((ROOT / "tests" / "compare" / folder).is_dir() for folder in LOADING)


def test_the_longest_are_tests_that_exist() -> None:
    for name in LONGEST:
        assert is_long(f"tests/{name}[a case]")
        file, _, function = name.partition("[")[0].partition("::")
        text = (ROOT / "tests" / file).read_text()
        assert "pytest.mark.slow" in text
        assert f"\ndef {function}(" in text
