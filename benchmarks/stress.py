"""`compare stress` beside a shell loop, as testlib's stress scripts are one, beside `bt fuzz` of
BAPCtools and `rbx stress` of rbx-cp: inputs a second, and what they find of planted bugs.

`python -m benchmarks.stress speed` and `python -m benchmarks.stress bugs`, in the root of a
checkout. `--peers DIR` or PATH has the programs `bt` and `rbx`; who is missing has no column.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import NamedTuple

from tabulate import tabulate

from benchmarks import peers
from tests.compare.commands.stress.pairs import PAIRS
from tests.compare.commands.stress.test_stress import READS, SEEDED, saved_inputs

ROOT = Path(__file__).resolve().parents[1]

TURNS, LOOP_INPUTS, STRESS_S, REPEATS = 5, 200, 8, 3
"""Of `speed`: turns, inputs of the loop in each, and seconds of `stress`; runs for each bug."""

PEER_S, MAX_S = 10, 300
"""Seconds in which a peer's inputs are counted; seconds that it may take to find a bug."""

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


class Searcher(NamedTuple):
    """A peer that searches for failing inputs.

    Attributes:
        title: its name with its version.
        prepare: (folder, sources) -> the command. It writes a problem into the folder; the sources
            are a generator, a right program and a quick one, by the names of their files.
        failing_input: (folder) -> the failing input, or None until there is one.
    """

    title: str
    prepare: Callable[[Path, Mapping[str, str]], list[str]]
    failing_input: Callable[[Path], str | None]


def bapctools(bt: str) -> Searcher:
    """It makes inputs on both cores, and writes the seed of a failing one into a file."""

    def prepare(folder: Path, sources: Mapping[str, str]) -> list[str]:
        places = ("generators", "submissions/accepted", "submissions/wrong_answer")
        (generator, right, quick), seeds = sources, folder / places[0] / "generators.yaml"
        for place, (name, code) in zip(places, sources.items(), strict=True):
            (folder / place).mkdir(parents=True, exist_ok=True)
            (folder / place / name).write_text(code)
        (folder / "problem.yaml").write_text(
            "problem_format_version: 2025-09\nname: planted\n"
            "uuid: 00000000-0000-4000-8000-000000000000\n"
        )
        seeds.write_text(
            f"solution: /submissions/accepted/{right}\ndata:\n  secret:\n    data:\n"
            f"      - '': {generator} {{seed}}\n"
        )
        return [bt, "fuzz", "-j", "2", "--time", "600", f"submissions/wrong_answer/{quick}"]

    def failing_input(folder: Path) -> str | None:
        seeds = (folder / "generators" / "generators.yaml").read_text()
        line = re.search(r"fuzz:\s+data:\s+- '': (gen.py) (\d+)", seeds)
        if line is None:
            return None
        words = [sys.executable, line[1], line[2]]
        return subprocess.check_output(words, cwd=folder / "generators", text=True)

    return Searcher(peers.version_of("bapctools", bt), prepare, failing_input)


def rbx_cp(rbx: str) -> Searcher:
    """It makes one input after the other, and keeps a failing one. It compiles before the clock
    starts, for it keeps what it has compiled.
    """
    (resources,) = Path(rbx).resolve().parents[1].glob("lib/python*/site-packages/rbx/resources")

    def prepare(folder: Path, sources: Mapping[str, str]) -> list[str]:
        for name, code in sources.items():
            (folder / name).write_text(code)
        shutil.copy(resources / "presets" / "default" / "problem" / "wcmp.cpp", folder)
        shutil.copy(resources / "predownloaded" / "testlib.h", folder)
        shutil.rmtree(folder / ".rbx" / "runs", ignore_errors=True)
        generator, right, quick = sources
        (folder / "problem.rbx.yml").write_text(
            "name: planted\ntimeLimit: 5000\nmemoryLimit: 1024\nchecker: {path: wcmp.cpp}\n"
            f"generators: [{{name: gen, path: {generator}}}]\nsolutions:\n"
            f"  - {{path: {right}, outcome: ACCEPTED}}\n"
            f"  - {{path: {quick}, outcome: WRONG_ANSWER}}\n"
        )
        words = [rbx, "stress", "-g", "gen [1..1000000000]", "--no-validate", "--no-promote"]
        nothing = [*words, "-f", f"{right} ~ INCORRECT", "-t", "1"]
        subprocess.run(nothing, cwd=folder, capture_output=True, check=True)
        return [*words, "-f", f"{quick} ~ INCORRECT", "-t", "600"]

    def failing_input(folder: Path) -> str | None:
        path = folder / ".rbx" / "runs" / ".stress" / "findings" / "1" / "input.in"
        return path.read_text() if path.exists() and path.stat().st_size else None

    return Searcher(peers.version_of("rbx-cp", rbx), prepare, failing_input)


@contextmanager
def searching(
    searcher: Searcher, folder: Path, sources: Mapping[str, str]
) -> Iterator[tuple[Path, Callable[[], bool]]]:
    """A folder in which a peer searches until the block ends, and whether it still does."""
    problem = folder / searcher.title.split()[0]
    problem.mkdir(exist_ok=True)
    command = searcher.prepare(problem, sources)
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            command,
            cwd=problem,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=os.environ | {"TMPDIR": str(folder)},  # nothing stays behind of who is killed
            start_new_session=True,
        )
        try:
            yield problem, lambda: running.poll() is None
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def first_found(
    searcher: Searcher, folder: Path, sources: Mapping[str, str]
) -> tuple[float, int] | None:
    """Seconds until a peer has a failing input, and the words of that.

    None if it has none after `MAX_S`, or ended before, with an error of its own.
    """
    with searching(searcher, folder, sources) as (problem, searches):
        started, text, going = perf_counter(), None, True
        while text is None and going and perf_counter() < started + MAX_S:
            sleep(0.01)
            going = searches()
            text = searcher.failing_input(problem)
        seconds = perf_counter() - started
        if text is None and not going:
            print((folder / "log").read_text()[-1000:], file=sys.stderr)
    return None if text is None else (seconds, len(text.split()))


def inputs_a_second(searcher: Searcher, folder: Path, sources: Mapping[str, str]) -> float:
    """How often a peer runs the generator, from its first run on. The generator adds a byte to the
    file `calls` each time.
    """
    calls = folder / "calls"
    calls.touch()
    with searching(searcher, folder, sources) as (_, searches):
        before = calls.stat().st_size
        while calls.stat().st_size == before:
            assert searches(), (folder / "log").read_text()[-2000:]
            sleep(0.01)
        started, first = perf_counter(), calls.stat().st_size
        sleep(PEER_S)
        return (calls.stat().st_size - first) / (perf_counter() - started)


def speed(searchers: Sequence[Searcher]) -> None:
    """Print inputs a second with each generator: of the loop and of `stress` in turns, then once of
    each peer.
    """
    rows: list[Sequence[object]] = []
    for generator, gen, *flags in (
        ("gen.cpp", "./gen"),
        ("gen.cpp", "./gen", "-static"),
        ("gen.py", f"{sys.executable} gen.py"),
    ):
        with TemporaryDirectory() as name:
            folder = Path(name)
            code = {"gen.py": SEEDED + SAME_IN_PYTHON}
            code |= {f"{each}.cpp": text for each, text in CPP.items()}
            for path, text in code.items():
                (folder / path).write_text(text)
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
            rates = [f"{median(each):.0f}" for each in zip(*pairs, strict=True)]
            counting = _counting(folder, code[generator])
            sources = {path: code[path] for path in (generator, "brute.cpp", "fast.cpp")}
            sources[generator] = counting
            theirs = [
                "" if flags else f"{inputs_a_second(each, folder, sources):.1f}"
                for each in searchers
            ]
            rows.append([generator, " ".join(["g++ -O2", *flags]), *rates, spread, *theirs])
    headings = [
        "generator",
        "the loop's programs",
        "shell loop",
        "`stress`",
        "`stress` / loop",
        *(each.title for each in searchers),
    ]
    print(tabulate(rows, headings, "github", disable_numparse=True))


def _counting(folder: Path, code: str) -> str:
    """A generator that also adds a byte to the file `calls` of a folder, in Python or in C++."""
    path = str(folder / "calls")
    if code.startswith("#include"):
        return code.replace(
            "char** words) {", f'char** words) {{ std::ofstream("{path}", std::ios::app) << 1;'
        )
    return f'{code}open({path!r}, "a").write("1")\n'


def words_in(path: Path) -> int:
    return len(path.read_text().split())


def bugs(searchers: Sequence[Searcher]) -> None:
    """Print for each planted bug the seconds to a failing input, and how many words it has."""
    with TemporaryDirectory() as name:
        rows = [_row(bug, searchers, Path(name)) for bug in BUGS]
    names = [each.title for each in searchers]
    headings = ["planted bug", "shell loop", *names, "`stress`: first", "`stress`: smallest"]
    print(tabulate(rows, headings, "github"))


def _row(bug: str, searchers: Sequence[Searcher], compiled: Path) -> list[str]:
    """`compiled`: a folder in which a peer finds what it has compiled before."""
    pair, times = PAIRS[bug], list[list[tuple[float, int] | None]]()
    programs = {
        "gen.py": SEEDED + pair.generator,
        "brute.py": READS + pair.brute,
        "fast.py": READS + pair.fast,
    }
    for k in range(REPEATS):
        print(f"{bug}: {k + 1} of {REPEATS}", file=sys.stderr)
        with TemporaryDirectory() as name:
            folder, first = Path(name), 1000 * k + 1
            for path, code in programs.items():
                (folder / path).write_text(code)
            gen, brute, fast = (f"{sys.executable} {each}" for each in programs)
            by_loop = loop_s(folder, gen, brute, fast, first, first + 10**6)
            seconds: list[tuple[float, int] | None] = [(by_loop, words_in(folder / "in"))]
            seconds += [first_found(each, compiled, programs) for each in searchers]
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
        times.append(seconds)
    return [bug, *map(_cell, zip(*times, strict=True))]


def _cell(runs: Sequence[tuple[float, int] | None]) -> str:
    """The median seconds of some runs, and the words of each."""
    ended = [each for each in runs if each is not None]
    if len(ended) < len(runs):
        return f"failed, or over {MAX_S} s, in {len(runs) - len(ended)} of {len(runs)} runs"
    times, sizes = zip(*ended, strict=True)
    return f"{median(times):.1f} s; {', '.join(map(str, sizes))} words"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stress", description=__doc__)
    parser.add_argument("what", choices=("speed", "bugs"), help="what to measure")
    peers.add_argument(parser)
    options = parser.parse_args(words)
    searchers: list[Searcher] = []
    for package, searcher in (("bapctools", bapctools), ("rbx-cp", rbx_cp)):
        path = peers.program(package, options.peers)
        if path is None:
            install = peers.how_to_install([package])
            print(f"{package}: not installed: {install}", file=sys.stderr)
        else:
            searchers.append(searcher(path))
    {"speed": speed, "bugs": bugs}[options.what](searchers)


if __name__ == "__main__":
    main()
