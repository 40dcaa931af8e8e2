"""Puts what commands print into docs/performance.md: `python docs/make_speed.py`, in the root of a checkout.

A command `speed --from docs/speed.jsonl` has its output below it in the same block. Other commands, which measure, have it in a
block of `text` of their own; they are run only with `--measured`, for it takes some minutes, on a machine that nobody else uses. To
measure the table of speed itself: `python -m compare speed --out docs/speed.jsonl --overwrite`.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"

KEPT = re.compile(r"(?<=```console\n)\$ (python -m compare speed --from [^\n]*)\n.*?(?=^```$)", re.S | re.M)
"""A command that prints kept figures, with its output."""

MEASURED = re.compile(r"(?<=```console\n)\$ (python -m compare [^\n]*)\n```\n\n```text\n.*?(?=^```$)", re.S | re.M)
"""A command that measures, and the block with its output."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Put what commands print into docs/performance.md.")
    parser.add_argument("--measured", action="store_true", help="also of commands that measure")
    options = parser.parse_args()
    page = KEPT.sub(lambda match: f"$ {match[1]}\n{printed(match[1])}", PAGE.read_text())
    if options.measured:
        page = MEASURED.sub(lambda match: f"$ {match[1]}\n```\n\n```text\n{printed(match[1])}", page)
    PAGE.write_text(page)


def printed(command: str) -> str:
    """What a command of ours prints on stdout; a command that fails ends this script."""
    print(command, file=sys.stderr)
    words = [sys.executable, *shlex.split(command)[1:]]
    ended = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "COLUMNS": "200"})
    return "\n".join(line.rstrip() for line in ended.stdout.splitlines()) + "\n"


if __name__ == "__main__":
    main()
