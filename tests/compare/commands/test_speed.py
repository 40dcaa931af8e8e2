"""`compare speed`: what it measures, what it refuses, what an interruption leaves."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from time import monotonic, sleep

import pytest

from compare.command_line import main
from compare.measure import peers
from compare.measure.speed import whole_commands
from compare.measure.speed.figure import JobTimes, Part
from compare.measure.speed.growing import GROWING
from compare.measure.speed.measuring import jobs_of, measure_all
from compare.measure.speed.plan import SpeedPlan
from compare.measure.speed.speed_file import read_speed_file
from tests.compare.measure.figures import figure, speed_file
from tests.processes import LONGEST_S, command, compare, environment


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody"], "unknown peer 'nobody': choose from "),
        (["networkx", "--only", "fuzz"], "networkx: a peer takes part in races alone, and --only leaves them out"),
        (["--only", "dancing"], "invalid choice: 'dancing'"),
        (["--overwrite"], "--overwrite begins a file anew: name it with --out"),
        (["--from", "none.jsonl"], "none.jsonl: No such file or directory"),
        (["--from", "a.jsonl", "--out", "b.jsonl"], "--from measures nothing"),
        (["--only", "start", "--out", "/no/such/folder/x.jsonl"], "/no/such/folder/x.jsonl: No such file or directory"),
        (["--only", "start", "--out", "/proc/x.jsonl"], "/proc/x.jsonl: "),
        (["--only", "start", "--seconds", "0"], "argument --seconds: must be more than 0"),
    ],
)
def test_bad_usage_is_a_message(words: list[str], message: str, tmp_path: Path) -> None:
    ended = compare("speed", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr


def test_a_kept_file_is_printed_without_measuring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = speed_file(tmp_path / "speed.jsonl", figure(0.001, name="beams"))
    assert main(["speed", "--from", path, "--format", "markdown"]) == 0
    assert "| beams    | 5      | 1,000             |" in capsys.readouterr().out
    assert main(["speed", "--from", path, "--only", "races"]) == 2
    assert main(["speed", "--from", speed_file(tmp_path / "bad.jsonl", figure(wrong=("planted",)))]) == 1
    assert capsys.readouterr().out.endswith("fuzz a job: planted\n1 DIFFER OR FAIL\n")


def test_a_command_that_fails_is_told() -> None:
    (failed,) = whole_commands.started(("compare", "rnu"), SpeedPlan())
    assert failed.inputs == ()
    assert failed.wrong[0].startswith("python -m compare rnu: exit status 2: ")


def test_what_does_not_fit_into_the_time_is_left_out() -> None:
    plan = SpeedPlan(ends=monotonic() - 1)
    jobs = jobs_of(list(Part), [])
    assert [(job.part, figures) for job, figures in measure_all(jobs, plan)] == [(job.part, None) for job in jobs]
    assert {job.part for job in jobs} == set(Part) - {Part.RACES}


def test_no_two_jobs_share_a_name() -> None:
    jobs = jobs_of(list(Part), [peers.get(name) for name in peers.names()])
    assert len({(job.part, job.name) for job in jobs}) == len(jobs) > 20


def test_an_interruption_prints_and_keeps_what_there_is(tmp_path: Path) -> None:
    kept = tmp_path / "speed.jsonl"
    process = subprocess.Popen(
        command("compare", "speed", "--only", "start", "--only", "default", "--short", "--out", str(kept)),
        env=environment(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ends = monotonic() + LONGEST_S
    while monotonic() < ends and process.poll() is None and not (kept.exists() and kept.read_bytes().count(b"\n") > 1):
        sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130, error
    assert "interrupted" in error
    assert "Traceback" not in error
    assert "python -m compare --help" in out
    figures = read_speed_file(str(kept)).figures
    assert figures
    assert all(each.part is Part.START and each.seconds for each in figures)


@pytest.mark.slow
def test_a_short_measurement_has_every_job_and_compares_with_itself(tmp_path: Path) -> None:
    kept = str(tmp_path / "speed.jsonl")
    ended = compare("speed", "--short", "--only", "start", "--only", "fuzz", "--only", "growth", "--out", kept, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("ALL AGREE\n")
    figures = read_speed_file(kept).figures
    names = {(each.part, each.name) for each in figures}
    assert {(job.part, job.name) for job in jobs_of([Part.START, Part.FUZZ], [])} <= names
    assert sum(part is Part.GROWTH for part, _ in names) == sum(len(backends) for _, backends in GROWING.values())
    assert all(isinstance(times, JobTimes) and times.costs for each in figures for times in each.inputs)
    assert compare("diff", kept, kept).stdout.endswith("NOTHING SLOWER\n")


@pytest.mark.slow
def test_a_new_installation_is_a_copy_that_nothing_was_compiled_for() -> None:
    (compiled,) = whole_commands.first_run("nogo", SpeedPlan())
    assert compiled.wrong == ()
    assert compiled.seconds is not None
    assert compiled.seconds > 0
