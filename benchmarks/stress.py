"""`compare stress` beside a shell loop, as testlib's stress scripts are one, and beside `bt fuzz`
of BAPCtools: inputs a second, and what they find of planted bugs.

`python -m benchmarks.stress speed` and `python -m benchmarks.stress bugs [BT]`, in the root of a
checkout. BT is the program `bt`; without it the bugs are looked for by the other two.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

from tabulate import tabulate

from tests.compare.commands.stress.pairs import PAIRS
from tests.compare.commands.stress.test_stress import READS, SEEDED, saved_inputs

ROOT = Path(__file__).resolve().parents[1]

TURNS, LOOP_INPUTS, STRESS_S, REPEATS = 7, 400, 8, 3
"""Of `speed`: turns, inputs of the loop in each, and seconds of `stress`; runs for each bug."""

_READS = (
    "#include <bits/stdc++.h>\nint main() { int n; std::cin >> n; std::vector<int> a(n);\n"
    "for (int& x : a) std::cin >> x;\n"
)
CPP = {
    "gen": "#include <bits/stdc++.h>\nint main(int, char** words) {\n"
    'std::mt19937 r(atoi(words[1])); int n = r() % 10 + 1; std::cout << n << "\\n";\n'
    'while (n--) std::cout << r() % 1000 << " "; std::cout << "\\n"; }\n',
    "brute": _READS + 'int m = 0; for (int x : a) m = std::max(m, x); std::cout << m << "\\n"; }\n',
    "fast": _READS + 'std::sort(a.begin(), a.end()); std::cout << a.back() << "\\n"; }\n',
}
"""A generator and two programs that agree."""

SAME_IN_PYTHON = "n = r.randint(1, 10)\nprint(n)\nprint(*(r.randint(0, 999) for _ in range(n)))\n"

BUGS = (
    "numbers: a sum in 32 bits",
    "graphs: connected, by edges alone",
    "trees: the depth counted from the wrong end",
    "intervals: touching ends",
    "queries: sums from 0",
)

LOOP = "for i in $(seq {first} {last}); do {gen} $i > in; {brute} < in > a; {fast} < in > b; "
LOOP += "cmp -s a b || break; done"


def loop_s(folder: Path, gen: str, brute: str, fast: str, first: int, last: int) -> float:
    """Seconds of the shell loop; the last input stays in the file `in`."""
    line = LOOP.format(gen=gen, brute=brute, fast=fast, first=first, last=last)
    started = perf_counter()
    subprocess.run(["bash", "-c", line], cwd=folder, check=True)
    return perf_counter() - started


def start_of_stress(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "compare", "stress", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def speed() -> None:
    """Print inputs a second of the loop and of `stress`, in turns, with each generator."""
    rows: list[Sequence[object]] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "gen.py").write_text(SEEDED + SAME_IN_PYTHON)
        for each, code in CPP.items():
            (folder / f"{each}.cpp").write_text(code)
        for generator, gen, *flags in (
            ("gen.cpp", "./gen"),
            ("gen.cpp", "./gen", "-static"),
            ("gen.py", f"{sys.executable} gen.py"),
        ):
            for each in CPP:
                words = ["g++", "-O2", *flags, "-o", each, f"{each}.cpp"]
                subprocess.run(words, cwd=folder, check=True)
            pairs: list[tuple[float, float]] = []
            for _ in range(TURNS):
                loop = LOOP_INPUTS / loop_s(folder, gen, "./brute", "./fast", 1, LOOP_INPUTS)
                words = ("brute.cpp", "fast.cpp", "--generator", generator)
                said, _ = start_of_stress(folder, *words, "--seconds", str(STRESS_S)).communicate()
                rate = re.search(r"ALL AGREE.*, (\d+) a second", said)
                assert rate is not None, said
                pairs.append((loop, float(rate[1])))
            ratios = [ours / loop for loop, ours in pairs]
            spread = f"{median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
            rates = [round(median(each)) for each in zip(*pairs, strict=True)]
            rows.append([generator, *(flags or [""]), *rates, spread])
    headings = [
        "generator",
        "the loop's flags",
        "shell loop, a second",
        "stress, a second",
        "ratio",
    ]
    print(tabulate(rows, headings))


def words_in(path: Path) -> int:
    return len(path.read_text().split())


def bugs(bt: str | None) -> None:
    """Print for each planted bug the seconds to a failing input, and how many words it has."""
    rows = [_row(bug, bt) for bug in BUGS]
    headings = ["planted bug", "shell loop", "bt fuzz", "stress, first", "stress, smallest"]
    print(tabulate(rows, headings))


def _row(bug: str, bt: str | None) -> list[str]:
    pair, found = PAIRS[bug], list[list[tuple[float, int]]]()
    for k in range(REPEATS):
        with TemporaryDirectory() as name:
            folder, first = Path(name), 1000 * k + 1
            programs = {
                "gen.py": SEEDED + pair.generator,
                "brute.py": READS + pair.brute,
                "fast.py": READS + pair.fast,
            }
            for path, code in programs.items():
                (folder / path).write_text(code)
            gen, brute, fast = (f"{sys.executable} {each}" for each in programs)
            by_loop = loop_s(folder, gen, brute, fast, first, first + 10**6)
            seconds = [(by_loop, words_in(folder / "in"))]
            seconds.append(_by_bt(folder, programs, bt) if bt else (0.0, 0))
            started = perf_counter()
            running = start_of_stress(
                folder, "brute.py", "fast.py", "--generator", "gen.py", "--seed", str(first)
            )
            assert running.stdout is not None
            noticed = next(line for line in running.stdout if "shrinking it" in line)
            words = re.search(r"of (\d+) words?; shrinking", noticed)
            assert words is not None, noticed
            seconds.append((perf_counter() - started, int(words[1])))
            running.communicate()
            (saved,) = saved_inputs(folder)
            seconds.append((perf_counter() - started, words_in(saved)))
        found.append(seconds)
    cells = ["-"] * 4
    for k, each in enumerate(zip(*found, strict=True)):
        if each[0][1]:
            times, sizes = zip(*each, strict=True)
            cells[k] = f"{median(times):.1f} s, {', '.join(map(str, sizes))} words"
    return [bug, *cells]


def _by_bt(folder: Path, programs: dict[str, str], bt: str) -> tuple[float, int]:
    """Seconds until `bt fuzz` has written down a seed, and the words of its input."""
    for place, each in (
        ("generators", "gen.py"),
        ("submissions/accepted", "brute.py"),
        ("submissions/wrong_answer", "fast.py"),
    ):
        (folder / "problem" / place).mkdir(parents=True)
        (folder / "problem" / place / each).write_text(programs[each])
    (folder / "problem" / "problem.yaml").write_text(
        "problem_format_version: 2025-09\nname: p\nuuid: 00000000-0000-4000-8000-000000000000\n"
    )
    seeds = folder / "problem" / "generators" / "generators.yaml"
    seeds.write_text(
        "solution: /submissions/accepted/brute.py\ndata:\n  secret:\n    data:\n"
        "      - '': gen.py {seed}\n"
    )
    command = [bt, "fuzz", "-j", "2", "--time", "600", "submissions/wrong_answer/fast.py"]
    started, found = perf_counter(), None
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            command, cwd=folder / "problem", stdout=log, stderr=log, start_new_session=True
        )
        while found is None:
            sleep(0.01)
            assert running.poll() is None, (folder / "log").read_text()[-2000:]
            found = re.search(r"fuzz:\s+data:\s+- '': gen.py (\d+)", seeds.read_text())
        seconds = perf_counter() - started
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    words = subprocess.check_output([sys.executable, "gen.py", found[1]], cwd=folder).split()
    return seconds, len(words)


if __name__ == "__main__":
    if sys.argv[1] == "speed":
        speed()
    else:
        bugs(next(iter(sys.argv[2:]), None))
