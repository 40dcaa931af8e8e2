"""Programs for contests beside ours: C++ sources in a folder, each with the backend that claims as
much, from the text of an input file to the text of the answers.

A program's file begins like the name of its puzzle (`mines.cpp`, `mines-faster.cpp`). It is
compiled for each size, with the rows and columns of the board as SZ and its cells as MU, for arrays
that need a bound.
"""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from signal import strsignal
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np

import direct
import puzzles
from benchmarks.kept import children_s
from benchmarks.races import Race, RaceInput
from puzzles.text import UserError, count_noun

COMPILER = ("g++", "-O2", "-march=native", "-w")


class Job(NamedTuple):
    """How programs of a puzzle are raced.

    Attributes:
        backend: of `direct`.
        format: of the answers of both.
        families: of the boards, one race for each.
        sizes: rows and columns, and the boards of the input file; the contest's own, then a large
            one.
    """

    backend: str
    format: str
    families: tuple[str, ...]
    sizes: tuple[tuple[int, int], ...]


JOBS = {
    "beams": Job("two-sat", "luogu", ("sparse", "mirror", "wall", "cycle"), ((50, 100), (1000, 1))),
    "minesweeper": Job("two-sat", "writeup", ("d12", "d16", "d20"), ((12, 100), (24, 1))),
    "nogo": Job("union-find", "first", ("empty", "random"), ((500, 1), (1000, 1))),
    "geography": Job(
        "matching",
        "loj",
        ("open-even", "walls-10", "walls-20", "walls-30", "walls-40"),
        ((100, 1), (200, 1)),
    ),
}


def races_of(folder: Path, compiled: Path) -> Iterator[tuple[str, Race]]:
    """The programs of a folder, each with its races; `compiled`: where to put executable files.

    Raises:
        UserError: there is no program, or one whose puzzle nobody knows, or that does not compile.
    """
    sources = sorted(folder.glob("*.cpp"))
    if not sources:
        raise UserError(f"--programs: the folder {folder} has no file *.cpp")
    for source in sources:
        name = next((name for name in JOBS if name.startswith(source.stem.split("-")[0])), None)
        if name is None:
            raise UserError(
                f"--programs: {source.name} begins like no puzzle of {', '.join(JOBS)}: rename it"
            )
        job = JOBS[name]
        for size, boards in job.sizes:
            program = compiled / f"{source.stem}-{size}"
            bounds = f"-DSZ={size}", f"-DMU={size * size}"
            words = [*COMPILER, *bounds, "-o", str(program), str(source)]
            ended = subprocess.run(words, capture_output=True, text=True, check=False)
            if ended.returncode:
                raise UserError(f"--programs: {source.name} does not compile:\n{ended.stderr}")
            for family in job.families:
                about = f"{name} {family}, {count_noun(boards, 'board')} of {size}x{size}"
                inputs = partial(_inputs, name, job, program, family, size, boards)
                yield source.name, Race(about, job.backend, source.stem, inputs)


def _inputs(
    name: str, job: Job, program: Path, family: str, size: int, boards: int, seed: int
) -> Iterator[RaceInput]:
    """One input file; what both print must claim the same."""
    puzzle = puzzles.get(name)
    some = [puzzle.family(family).board(size, 1000 * seed + k) for k in range(boards)]
    text = puzzle.print_instances(some)

    def ours() -> str:
        return direct.solve_text(name, text, backend=job.backend, format=job.format)

    def differ(ours: str, theirs: str) -> str:
        sides = [
            puzzle.parse_answers(printed, some, job.format, who)
            for printed, who in ((ours, "<ours>"), (theirs, "<theirs>"))
        ]
        for number, (one, other) in enumerate(zip(*sides, strict=True), 1):
            if not np.array_equal(one.claims, other.claims):
                return f"the answers to board {number} differ"
        return ""

    yield RaceInput(
        f"seed {seed}", ours, partial(_output, program, text.encode()), differ, children_s
    )


def _output(program: Path, text: bytes) -> str:
    """What a program prints. It has as large a stack as the system gives: contests' programs
    recurse.
    """
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))
    with TemporaryFile() as file:  # a pipe would end us with a program that does not read it
        file.write(text)
        file.seek(0)
        ended = subprocess.run([program], stdin=file, stdout=subprocess.PIPE, check=False)
    if ended.returncode < 0:
        raise RuntimeError(f"the program was killed: {strsignal(-ended.returncode)}")
    if ended.returncode > 0:
        raise RuntimeError(f"the program ended with status {ended.returncode}")
    return ended.stdout.decode()
