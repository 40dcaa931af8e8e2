"""What whole commands cost, by pyperf: their start, the default run, fuzzing, and the first run
after an installation.

`python -m benchmarks.commands -o new.json`, in the root of a checkout, on a quiet machine; `--only
start` measures a part. Two files are compared by `python -m pyperf compare_to old.json new.json
--table`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pyperf

import puzzles
from puzzles.backend import SIDE_NAMES

ROOT = Path(__file__).resolve().parents[1]

PACKAGES = ("puzzles", "direct", "models", "compare")

PARTS = ("start", "default", "fuzz", "compile")

FUZZ_S = 8

_RATE = re.compile(r"([\d.]+) \w+s a second; seed")


def main() -> None:
    """Measure each command three times (`--processes`), each time in a new process, and print or
    keep what pyperf makes of it.
    """
    runner = pyperf.Runner(processes=3, values=1, warmups=0, loops=1, add_cmdline_args=_pass_on)
    runner.argparser.add_argument(
        "--only", choices=PARTS, action="append", help="this part alone; may be repeated"
    )
    options = runner.parse_args()
    parts = options.only or PARTS
    if "start" in parts:
        lines = [["compare", "--help"], ["compare", "list", "beams"]]
        samples = {
            name: min((puzzles.get(name).data / "sample").glob("*.in")) for name in puzzles.names()
        }
        lines += [
            [side, name, str(path.relative_to(ROOT))]
            for side in SIDE_NAMES
            for name, path in samples.items()
        ]
        for words in lines:
            runner.bench_command(f"start: {' '.join(words)}", [sys.executable, "-m", *words])
    if "default" in parts:
        for words in (["compare"], ["compare", "-b", "direct"]):
            runner.bench_command(f"default: {' '.join(words)}", [sys.executable, "-m", *words])
    for name in puzzles.names():
        if "fuzz" in parts:
            runner.bench_time_func(
                f"fuzz: an ordinary {name} board, by direct and cnf", partial(fuzz, name)
            )
    for name in puzzles.names():
        if "compile" in parts:
            runner.bench_time_func(
                f"compile: first run of {name} after an installation", partial(first_run, name)
            )


def _pass_on(words: list[str], options: Namespace) -> None:
    """Give the processes that pyperf starts the choice of parts."""
    for part in options.only or ():
        words += ["--only", part]


def fuzz(puzzle: str, loops: int) -> float:
    """Seconds of so many boards, after everything is loaded, as `fuzz` itself measures its rate."""
    words = [
        "compare",
        "fuzz",
        puzzle,
        "-b",
        "direct",
        "-b",
        "cnf",
        "--kind",
        "ordinary",
        "--seconds",
        str(FUZZ_S),
    ]
    rate = _RATE.search(output(words, ROOT))
    assert rate is not None, "fuzz names no rate"
    return loops / float(rate[1])


def first_run(puzzle: str, loops: int) -> float:
    """Seconds of the first run with a copy of our packages that nothing was compiled for."""
    seconds = 0.0
    for _ in range(loops):
        with TemporaryDirectory(prefix="twofold-") as folder:
            for name in PACKAGES:
                shutil.copytree(
                    ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__")
                )
            started = perf_counter()
            output(
                ["compare", "run", puzzle, "-b", "direct", "-k", "sample", "--no-check", "-q"],
                Path(folder),
            )
            seconds += perf_counter() - started
    return seconds


def output(words: list[str], folder: Path) -> str:
    """What a command of the packages in this folder prints; raises `CalledProcessError` if it
    fails.
    """
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.check_output(
        [sys.executable, "-m", *words], cwd=folder, env=environment, text=True
    )


if __name__ == "__main__":
    main()
