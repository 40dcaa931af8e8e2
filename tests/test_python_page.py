"""The code of docs/python.md passes a type checker, as a reader's own code should that begins with
it. Whether it does what it says, its doctest tries.
"""

from __future__ import annotations

import json
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest

from tests.installed import needs
from tests.places import ROOT


@pytest.mark.slow
def test_the_code_of_the_page_type_checks(tmp_path: Path) -> None:
    needs("pyright")
    page = (ROOT / "docs" / "python.md").read_text()
    code = "".join(example.source for example in DocTestParser().get_examples(page))
    assert "layout.possible" in code
    (tmp_path / "page.py").write_text(code)
    settings = {"include": ["page.py"], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    ended = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
