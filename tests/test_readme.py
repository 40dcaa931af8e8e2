"""The README's tour works line by line as written."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.processes import environment

STATUS = {"fuzz": 1, "run beams refuted": 1}
"""The lines of the tour that do not exit with 0, by how they begin after `compare`."""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_tour(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    tour = (ROOT / "README.md").read_text().partition("## A tour\n")[2].partition("\n## ")[0]
    (tmp_path / "mine.cpp").write_text(re.findall(r"```cpp\n(.*?)```", tour, re.S)[0])
    lines = [line[2:] for line in re.findall(r"```console\n(.*?)```", tour, re.S)[0].splitlines()]
    assert len(lines) == 8
    said: dict[str, str] = {}
    for line in lines:
        if " pip install " in line:
            continue
        command = line.replace(".venv/bin/python", shlex.quote(sys.executable))
        words = ["bash", "-c", command]
        ended = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
        part = line.partition(" -m compare ")[2]
        expected = next((status for start, status in STATUS.items() if part.startswith(start)), 0)
        assert ended.returncode == expected, f"{line}\n{ended.stdout}\n{ended.stderr}"
        said[part[:17]] = ended.stdout
    assert "shrunk" in said["fuzz beams -b dir"]
    place = "beams, dataset refuted-391af992d51912c8, case 1 (1x1)"
    assert f"REFUTED mine on {place}: the open cell at 1,1" in said["run beams refuted"]
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
