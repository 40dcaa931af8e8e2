"""Playing attacks: the real command line in a temporary folder, and a look at what came of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import psutil

from compare.campaign.record import Record
from compare.isolate.outcome import Status
from puzzles.shell.streams import visible
from puzzles.text import UserError
from puzzles.verdict import Verdict
from tests.compare.attacks.gallery import PLUGIN, Attack
from tests.records import read_file

MARK = "TWOFOLD_ATTACK"
"""The environment variable that names the folder of an attack.

Whoever has it belongs to the attack.
"""

LONGEST_S = 60.0
"""Seconds after which the command line of an attack is killed; the promise is broken then."""

_LEAVE_S = 20.0
"""Seconds that processes may take to be gone after the command has ended."""

_PACKAGES = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class _Ended:
    """What the command of an attack left: exit status (None if it had to be killed), output, and
    its folder.
    """

    status: int | None
    stdout: str
    stderr: str
    folder: Path


def play(attack: Attack, folder: Path) -> list[str]:
    """Play one attack in a new folder, which stays; returns a sentence for each thing that is not
    as promised.
    """
    try:
        return list(_broken(attack, _run(attack, folder)))
    finally:
        kill_all(str(folder))


def command(attack: Attack, folder: Path) -> list[str]:
    """The words of `compare` that play the attack beside a backend of ours, which must not suffer.

    That backend needs no solver program where a solver attacks.
    """
    witness = "direct" if attack.kind == "solver" else "models"
    words = [
        "run",
        attack.puzzle,
        str(folder / "board.in"),
        "--out",
        str(folder / "runs.jsonl"),
        "-b",
        witness,
    ]
    words += ["--timeout", str(attack.seconds), *attack.options]
    if attack.kind == "plugin":
        words += ["--plugin", str(PLUGIN)]
        for name in attack.rows:
            words += ["-b", name]
        return words
    for name, argument in zip(attack.attackers, attack.rows, strict=True):
        start = attack.command(argument)
        if attack.kind == "solver":
            words += ["-b", name, "--solver", f"{start} {{cnf}}"]
        else:
            words += ["--program", f"{name}={start}"]
    return words


def _run(attack: Attack, folder: Path) -> _Ended:
    for name in ("here", "temporary"):
        (folder / name).mkdir(parents=True)
    (folder / "board.in").write_text(attack.board)
    path = os.pathsep.join(filter(None, [str(_PACKAGES), os.environ.get("PYTHONPATH")]))
    environment = {
        **os.environ,
        MARK: str(folder),
        f"{MARK}_NAME": attack.function,
        "TMPDIR": str(folder / "temporary"),
        "PYTHONPATH": path,
    }
    with (folder / "stdout").open("wb") as output, (folder / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "compare", *command(attack, folder)],
            cwd=folder / "here",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )
        status = None
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(LONGEST_S)
        if status is None:
            process.kill()
            process.wait()
    stdout, stderr = (
        (folder / name).read_text("utf-8", "replace") for name in ("stdout", "stderr")
    )
    return _Ended(status, stdout, stderr, folder)


def _broken(attack: Attack, ended: _Ended) -> Iterator[str]:
    """A sentence for each thing that is not as promised."""
    if ended.status is None:
        yield f"the command did not end within {LONGEST_S:g} s"
    yield from broken_output(ended.stdout, ended.stderr)
    yield from (
        _broken_refusal(attack, ended)
        if attack.refusal is not None
        else _broken_records(attack, ended)
    )
    if (ended.folder / "harmed").exists():
        yield "code of the attack ran in a process of ours"
    left = _left_running(str(ended.folder))
    if left:
        yield f"{len(left)} of its processes still run"
    files = sorted(path.name for path in (ended.folder / "temporary").iterdir())
    if files:
        yield f"temporary files are left: {', '.join(files[:3])}"


def broken_output(stdout: str, stderr: str) -> Iterator[str]:
    """What the command must not print, whoever attacks."""
    if "Traceback" in stderr:
        yield f"a traceback: {stderr.strip().splitlines()[-1]}"
    if visible(stdout) != stdout or visible(stderr) != stderr:
        yield "control characters reached the terminal"
    if "\nALL AGREE" in stdout:
        yield "the verdict is ALL AGREE"


def _broken_refusal(attack: Attack, ended: _Ended) -> Iterator[str]:
    wanted = f"--plugin {PLUGIN}: {attack.refusal}"
    if ended.status != 2 or ended.stdout or not ended.stderr.startswith(wanted):
        yield (
            f"exit status {ended.status}, not 2 with the message {wanted!r}: {ended.stderr[:200]!r}"
        )


def _broken_records(attack: Attack, ended: _Ended) -> Iterator[str]:
    try:
        records = read_file(str(ended.folder / "runs.jsonl")).records
    except UserError as error:
        yield f"the records cannot be read: {error}"
        return
    names = attack.attackers
    by_name = {record.task.contender: record for record in records}
    witness = {name: record for name, record in by_name.items() if name not in names}
    if len(records) != len(by_name) or len(witness) != 1 or not by_name.keys() >= set(names):
        yield f"{len(records)} records of {len(by_name)} contenders, where {len(names) + 1} are due"
        return
    for name, record in witness.items():
        if record.run.status is not Status.OK or not _proved(record):
            yield (
                f"the run of {name}, which is innocent, is {record.run.status} {record.run.detail}"
            )
    for name, wanted in zip(names, attack.rows.values(), strict=True):
        record = by_name[name]
        run = record.run
        if _proved(record):
            yield f"the wrong answer of {name} is PROVED"
        if run.status is not wanted.status or wanted.words not in run.detail:
            yield (
                f"the run of {name} is {run.status} {run.detail!r}, not {wanted.status} "
                f"{wanted.words!r}"
            )
    fails = {Status.CRASH, Status.ERROR} | (
        {Status.TIMEOUT, Status.MEMORY} if attack.kind == "program" else set()
    )
    if ended.status not in (
        (1,) if fails & {wanted.status for wanted in attack.rows.values()} else (0, 1)
    ):
        yield f"exit status {ended.status}, which does not say that somebody failed"


def _proved(record: Record) -> bool:
    return record.run.check is not None and record.run.check.verdict is Verdict.PROVED


def _left_running(folder: str) -> list[psutil.Process]:
    """The processes of an attack that still run when they have had time to end."""
    end = monotonic() + _LEAVE_S
    while (left := marked(folder)) and monotonic() < end:
        sleep(0.05)
    return left


def marked(folder: str) -> list[psutil.Process]:
    """The processes whose environment names this folder, or a folder in it, or whose command line
    does.
    """
    processes: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            words = [] if process.pid == os.getpid() else process.cmdline()
            named = words and (
                process.environ().get(MARK, "").startswith(folder)
                or any(folder in word for word in words)
            )
            if named and process.status() != psutil.STATUS_ZOMBIE:
                processes.append(process)
    return processes


def kill_all(folder: str) -> None:
    """Kill what `marked` finds."""
    for process in marked(folder):
        with suppress(psutil.Error):
            process.send_signal(signal.SIGKILL)
