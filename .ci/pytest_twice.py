"""Runs tests; each one that fails is run once more, alone, and both outcomes are printed.

Usage, in a checkout: `python .ci/pytest_twice.py GREEN COMMAND ...`. The command runs pytest. The
exit status is 0 if every test passes, at the first try or at the second, else that of the command.
A test that passes at the second try is to be mended; it is added to the file GREEN, a line each.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

CACHE = Path(".pytest_cache")
"""Where pytest keeps which tests failed."""

SOME_FAILED = 1
"""Pytest's exit status if it ran to its end and tests failed."""

MAX_AGAIN = 20
"""Failing tests up to which they are run again: if there are more, chance is not the reason."""


def main(green: str, command: Sequence[str]) -> int:
    """Run the command, then each test that failed; returns the exit status."""
    shutil.rmtree(CACHE, ignore_errors=True)
    status = subprocess.run(command, check=False).returncode
    failed = failed_tests()
    if status != SOME_FAILED or not 0 < len(failed) <= MAX_AGAIN:
        return status
    print(f"== {len(failed)} failed; each is run once more, alone", flush=True)
    python = Path(".venv/bin/python")
    alone = [str(python) if python.exists() else sys.executable, "-m", "pytest", "-n", "0"]
    again = {
        test: subprocess.run([*alone, "-m", "slow or not slow", test], check=False).returncode
        for test in failed
    }
    for test, second in again.items():
        print(f"== red, then {'red' if second else 'green'}: {test}", flush=True)
    passed = [test for test, second in again.items() if second == 0]
    with Path(green).open("a") as file:
        file.writelines(f"{test}\n" for test in passed)
    return 0 if len(passed) == len(failed) else status


def failed_tests() -> list[str]:
    """The tests that failed in the last run of pytest, by their names."""
    path = CACHE / "v" / "cache" / "lastfailed"
    return list(json.loads(path.read_text())) if path.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
