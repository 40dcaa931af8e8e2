"""The file of a run survives whatever ends the run, and `--resume` goes on with it: every run once,
none lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shlex
import signal
import subprocess
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

import direct
import puzzles
from compare.engine.campaign import journal
from compare.engine.campaign.header import Header, commit
from compare.engine.campaign.journal import RecordFile
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.outcome import Limits
from tests.installed import slow
from tests.processes import LONGEST_S, compare, run_python, start_module, wait_until
from tests.records import read_file

SAMPLE = puzzles.get("beams").data / "sample" / "official.in"
BOARDS, RUNS = 5, 5 * (2 * 2 + 2)
"""Two contenders twice on each board; the program with all boards in one file, and the
expected answer once.
"""


@pytest.fixture
def folder(sample: Path) -> Path:
    return with_a_program(sample)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a run that came to its end."""
    folder = tmp_path_factory.mktemp("complete")
    for name in ("official.in", "official.ans"):
        (folder / name).write_bytes((SAMPLE.parent / name).read_bytes())
    run(with_a_program(folder))
    return (folder / "runs.jsonl").read_bytes()


def with_a_program(sample: Path) -> Path:
    """The folder of the official sample with its answers, and a program in it that takes a moment
    and is right.
    """
    puzzle = puzzles.get("beams")
    every = puzzle.parse(SAMPLE.read_bytes(), "official.in")
    for boards in (every, *([board] for board in every)):
        text = puzzle.print_instances(boards)
        answer = puzzle.print_answers([direct.solve(board) for board in boards], "codejam")
        (sample / hashlib.md5(text.encode()).hexdigest()).write_text(answer)
    (sample / "mine.sh").write_text('cd "$(dirname "$0")"; sleep .05; cat $(md5sum | cut -c1-32)\n')
    return sample


RUN = "run beams official.in -b direct --program 'mine=sh mine.sh' --repeat 2 --out runs.jsonl"
"""The command line of this module's runs."""


def run(folder: Path, more: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
    """Without output where the status is 2."""
    ended = compare(f"{RUN} {more}", cwd=folder, status=status)
    assert status != 2 or ended.stdout == ""
    return ended


def runs(folder: Path) -> Counter[tuple[int, str, int]]:
    """How often each run stands in the file; every line must be whole."""
    content = read_file(str(folder / "runs.jsonl"))
    lines = (folder / "runs.jsonl").read_bytes().splitlines(keepends=True)
    assert lines[-1].endswith(b"\n")
    headers = [line for line in lines if line.startswith(b'{"header": true')]
    assert len(lines) == len(headers) + len(content.records)
    return Counter(
        (each.case, each.contender, each.repeat if each.together == 1 else 0)
        for each in content.records
    )


def everything_once(folder: Path) -> bool:
    keys = runs(folder)
    return len(keys) == RUNS and set(keys.values()) == {1}


def test_backends_take_turns_and_a_file_that_is_not_there_is_begun(folder: Path) -> None:
    ended = run(folder, "--resume --strict")
    assert everything_once(folder)
    content = read_file(str(folder / "runs.jsonl"))
    first = [(record.contender, record.repeat) for record in content.records if record.case == 1]
    assert first == [
        ("direct:two-sat", 1),
        ("mine", 1),
        ("expected", 1),
        ("direct:two-sat", 2),
        ("mine", 2),
        ("mine", 1),
    ]
    assert [record.together for record in content.records] == [1] * (RUNS - BOARDS) + [
        BOARDS
    ] * BOARDS
    assert content.header.settings == Settings(Limits(10.0, None, 2**26), repeats=2)
    header = json.loads((folder / "runs.jsonl").read_text().partition("\n")[0])
    assert header["file_format"] == 3
    named = "repeats jobs versions machine processor os python cores executor"
    assert set(named.split()) <= header.keys()
    again = run(folder, "--resume --strict")
    assert again.stderr == f"runs.jsonl: {RUNS} of {RUNS} runs are there already\n"
    assert again.stdout == ended.stdout
    assert everything_once(folder)


@pytest.mark.slow
def test_what_a_file_holds_is_not_lost_unasked(folder: Path) -> None:
    path = folder / "runs.jsonl"
    for held in ("my notes", "my notes\nand more\n"):
        path.write_text(held)
        assert "runs.jsonl is there and not empty" in run(folder, status=2).stderr
        assert path.read_text() == held
    run(folder, "--overwrite")
    assert everything_once(folder)
    before = path.read_bytes()
    assert run(folder, status=2).stderr == (
        f"runs.jsonl holds {RUNS} records: --overwrite begins it anew; --resume, where a "
        "command has it, goes on with them\n"
    )
    assert path.read_bytes() == before
    path.write_bytes(before.splitlines(keepends=True)[0])
    run(folder)
    assert everything_once(folder)


@pytest.mark.parametrize(
    "cut",
    [
        "in the header",
        slow("after the header"),
        "in a line",
        slow("at the end of a line"),
        slow("among the boards of one start"),
        "an empty file",
    ],
)
def test_a_torn_file_is_completed(folder: Path, complete: bytes, cut: str) -> None:
    path, data = folder / "runs.jsonl", complete
    lines = data.splitlines(keepends=True)
    whole = sum(map(len, lines[:9]))
    kept = {
        "in the header": 40,
        "after the header": len(lines[0]),
        "in a line": whole + 50,
        "at the end of a line": whole,
    }.get(cut, 0)
    path.write_bytes(data[:kept])
    ended = run(folder, "--resume")
    assert path.read_bytes().startswith(data[: min(kept, whole)]) or kept == 40
    assert everything_once(folder)
    assert (
        f"{BOARDS} boards of 1 puzzle; runs: {RUNS - 2 * BOARDS} OK; {3 * BOARDS} of "
        f"{3 * BOARDS} answers PROVED" in ended.stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", slow("3")])
def test_killed_at_any_moment_it_goes_on(folder: Path, jobs: str) -> None:
    path, stop = folder / "runs.jsonl", folder / "stop"
    program = (folder / "mine.sh").read_text()
    (folder / "mine.sh").write_text(
        f'cd "$(dirname "$0")"; [ $(wc -l < runs.jsonl) -lt $(cat stop) ] || '
        f"sleep {LONGEST_S}\n{program}"
    )
    for lines in (1, 6, 15):
        stop.write_text(str(lines))
        with start_module("compare", f"{RUN} --jobs {jobs} --resume", cwd=folder) as started:
            wait_until(
                lambda lines=lines: path.exists() and path.read_bytes().count(b"\n") >= lines
            )
            children = psutil.Process(started.pid).children(recursive=True)
            started.kill()
        assert started.returncode == -signal.SIGKILL
        _, alive = psutil.wait_procs(children, timeout=LONGEST_S)
        assert alive == []
        assert path.read_bytes().count(b"\n") >= lines
    stop.write_text(str(2 * RUNS))
    ended = run(folder, f"--jobs {jobs} --resume")
    assert "runs are there already" in ended.stderr
    assert everything_once(folder)


def test_another_command_is_refused_and_the_file_stays(folder: Path, complete: bytes) -> None:
    path = folder / "runs.jsonl"
    path.write_bytes(complete)
    assert (
        "runs.jsonl: --resume goes on with the same command line only, and this file is of\n  "
        "python -m compare run" in run(folder, "--resume --timeout 5", status=2).stderr
    )
    boards = (folder / "official.in").read_text()
    (folder / "official.in").write_text(boards.replace("-.-", "-..", 1))
    refused = run(folder, "--resume", status=2)
    assert refused.stderr == (
        "runs.jsonl: direct:two-sat on beams, dataset official, case 1 is not in the plan: the "
        "instances have changed. Name a new --out file, or begin this one anew with --overwrite\n"
    )
    assert path.read_bytes() == complete


def test_a_file_of_something_else_is_refused_and_stays(folder: Path) -> None:
    path = folder / "runs.jsonl"
    path.write_text("my diary\n")
    refused = run(folder, "--resume", status=2)
    assert "runs.jsonl:1: not a file that `--out` of a command wrote" in refused.stderr
    assert path.read_text() == "my diary\n"


@pytest.mark.slow
def test_a_full_disk_is_an_error_at_once_and_what_is_there_stays(folder: Path) -> None:
    limit = (6000, 6000)
    ended = run_python(
        *("-m", "compare", *shlex.split(RUN)),
        cwd=folder,
        preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "runs.jsonl: File too large; the runs before are all in it\n"
    some = runs(folder)
    assert 1 <= len(some) < RUNS
    run(folder, "--resume")
    assert everything_once(folder)


def test_a_file_that_cannot_be_written_is_an_error_before_anything_runs(folder: Path) -> None:
    with journal.open_journal(str(folder / "runs.jsonl"), Header.of([], Settings())):
        refused = run(folder, status=2)
    assert refused.stderr == "runs.jsonl: another process is writing to it\n"
    (folder / "runs.jsonl").unlink()
    (folder / "runs.jsonl").symlink_to("/dev/full")
    assert run(folder, status=2).stderr.startswith("runs.jsonl: No space left on device")


def test_a_file_that_is_resumed_within_a_second_has_two_sessions(tmp_path: Path) -> None:
    """The header says the second of its beginning. One that comes again with fewer runs is of the
    same session.
    """
    begun = Header.of(["run"], Settings(), planned=9)
    resumed = replace(begun, command=f"{begun.command} --resume")
    fewer = replace(resumed, planned=7)
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(each.line() + "\n" for each in (begun, resumed, fewer)))
    file = RecordFile(str(path))
    assert list(file) == []
    assert file.sessions == [begun, fewer]
    assert file.missing == 7


def test_the_header_says_when_and_of_which_commit_and_under_which_load(tmp_path: Path) -> None:
    header = Header.from_line(Header.of(["run"], Settings()).line())
    started = header.environment.started
    assert started is not None
    assert abs((datetime.now(UTC) - datetime.fromisoformat(started)).total_seconds()) < 60
    assert header.environment.load is not None
    assert all(each >= 0 for each in header.environment.load)
    assert started in header.when

    def git(*words: str) -> str:
        name = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.check_output(
            ["git", "-C", str(tmp_path), *name, *words], text=True
        ).strip()

    assert commit(tmp_path) is None
    git("init", "-q")
    assert commit(tmp_path) is None  # nothing is committed yet
    (tmp_path / "file").write_text("1")
    git("add", "file")
    git("commit", "-q", "-m", "first")
    os.utime(
        tmp_path / "file", (1, 1)
    )  # Git would note this in its index, behind a lock that a killed run would leave
    index = (tmp_path / ".git" / "index").read_bytes()
    assert commit(tmp_path) == git("rev-parse", "HEAD")
    assert (tmp_path / ".git" / "index").read_bytes() == index
    (tmp_path / "file").write_text("2")
    assert commit(tmp_path) == git("rev-parse", "HEAD") + ", files changed"
