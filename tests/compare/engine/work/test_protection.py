"""Plugins that reach for the processes of ours, as root and as another user."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.compare.attacks import plugins
from tests.processes import environment, run_python

WAYS = ("by-descriptors", "by-memory", "as-tracer", "by-reading", "by-writing")

AS_NOBODY = """
import ctypes, os
from compare.engine.isolate.outcome import Limits
from compare.engine.isolate.child import call
from tests.compare.attacks.plugins import ATTEMPTS, reaches
os.setgid(65534), os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1)  # who changes its user cannot be dumped

def reached():
    return " ".join(name for name, attempt in ATTEMPTS.items() if reaches(attempt, os.getppid()))

if (pid := os.fork()) == 0:
    os._exit(print("a fork:", reached(), flush=True) or 0)
os.waitpid(pid, 0)
outcome = call(reached, limits=Limits(20), foreign=True)
print("a fork for foreign code:", outcome.value.decode())
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux can close a process to others of the same user"
)


@pytest.mark.slow
def test_no_plugin_reaches_a_process_of_ours(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    (tmp_path / "board.in").write_text("1\n1 3\n.-.\n")
    words = [word for name in WAYS for word in ("-b", name)]
    words += ["--plugin", str(plugins.__file__), "--out", str(out), "-b", "two-sat"]
    env = environment(TWOFOLD_ATTACK=str(tmp_path), TWOFOLD_ATTACK_NAME="reaches_for_us")
    run_python("-m", "compare", "run", "beams", str(tmp_path / "board.in"), *words, env=env)
    server_and_command = {f"{name} does not reach {number}" for name in WAYS for number in (1, 2)}
    assert set((tmp_path / "reached").read_text().splitlines()) == server_and_command
    records = map(json.loads, out.read_text().splitlines()[1:])
    checks = {record["contender"].removeprefix("direct:"): record["check"] for record in records}
    assert checks.pop("two-sat")["verdict"] == "PROVED"
    assert checks.keys() == set(WAYS)
    assert "PROVED" not in [check and check["verdict"] for check in checks.values()]


@pytest.mark.skipif(
    os.getuid() != 0,
    reason="only root can become another user; the test above is enough for others",
)
def test_no_plugin_of_another_user_reaches_its_parent() -> None:
    ended = run_python("-c", AS_NOBODY, env=environment(TWOFOLD_ATTACK="/nonexistent"))
    assert ended.stdout == f"a fork: {' '.join(WAYS)}\na fork for foreign code: \n"
