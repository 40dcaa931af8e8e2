"""The gallery of attacks: every promise holds, and the runner notices each kind of broken
promise.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import replace
from inspect import isfunction
from pathlib import Path

import psutil
import pytest

from compare.isolate.outcome import Status
from tests.compare.attacks import plugins, programs
from tests.compare.attacks.gallery import GALLERY, Attack, Wanted
from tests.compare.attacks.playing import MARK, broken_output, kill_all, marked, play

BY_NAME = {attack.name: attack for attack in GALLERY}

FAST = {
    *("half an answer", "endless output", "memory", "fork bomb", "never ends"),
    *("deletes the folder", "other check", "unpickled", "kills its parent"),
}
"""The attacks that the fast suite plays; the others need more seconds, or are much like one of
these.
"""


def case(attack: Attack) -> object:
    return pytest.param(
        attack, id=attack.name, marks=() if attack.name in FAST else pytest.mark.slow
    )


@pytest.mark.parametrize("attack", [case(attack) for attack in GALLERY])
def test_the_promise_holds(attack: Attack, tmp_path: Path) -> None:
    assert play(attack, tmp_path / "attack") == []


def test_every_attack_is_in_the_gallery_and_begins_with_its_promise() -> None:
    helpers = {
        "answers",
        "impossible",
        "proved",
        "ours",
        "reaches",
        "may_copy",
        "write_for_ever",
    }
    functions = {
        name
        for module in (plugins, programs)
        for name, each in vars(module).items()
        if isfunction(each)
        and each.__module__ == module.__name__
        and not name.startswith(("by_", "as_"))
    }
    assert functions - helpers == {attack.function for attack in GALLERY if not attack.shell}
    assert len(BY_NAME) == len(GALLERY)
    assert BY_NAME.keys() > FAST
    for attack in GALLERY:
        assert attack.promise.endswith("."), attack.name
        assert (attack.refusal is None) == bool(attack.rows), attack.name


DOES = {
    "right": "print('Case #1: POSSIBLE\\n.-.')",
    "wrong": "print('Case #1: IMPOSSIBLE')",
    "dies": "os.abort()",
    "leaves": "Path(os.environ['TMPDIR'], 'rest').touch()",
    "harms": "Path(os.environ['TWOFOLD_ATTACK'], 'harmed').touch()",
    "unlinks": "Path(os.environ['TWOFOLD_ATTACK'], 'runs.jsonl').unlink()\nprint('Case #1: "
    "POSSIBLE\\n.-.')",
}
"""What a program does that breaks a promise, or would break one if its row were another."""


def broken(folder: Path, **rows: Wanted) -> list[str]:
    """Programs that do what `DOES` says under their names, as one attack that expects these rows;
    what is broken.
    """
    lines = ["import os, sys", "from pathlib import Path", f"exec({DOES!r}[sys.argv[1]])"]
    file = folder / "mine.py"
    file.write_text("\n".join(lines))
    shell = f'exec {shlex.quote(sys.executable)} {shlex.quote(str(file))} "$0"'
    return play(Attack(name="mine", sentence="None.", shell=shell, rows=rows), folder / "attack")


def test_each_broken_promise_is_noticed(tmp_path: Path) -> None:
    empty = Wanted(Status.ERROR, "the text is empty")
    sentences = broken(
        tmp_path,
        right=Wanted(Status.OK),
        wrong=Wanted(Status.CRASH),
        dies=Wanted(Status.CRASH, "X"),
        leaves=empty,
        harms=empty,
    )
    assert sentences == [
        "the wrong answer of attacker-right is PROVED",
        "the run of attacker-wrong is OK '', not CRASH ''",
        "the run of attacker-dies is CRASH 'killed by SIGABRT', not CRASH 'X'",
        "code of the attack ran in a process of ours",
        "temporary files are left: rest",
    ]


def test_agreement_and_lost_records_are_noticed(tmp_path: Path) -> None:
    agreed, lost = broken(tmp_path, right=Wanted(Status.OK), unlinks=Wanted(Status.OK))
    assert agreed == "the verdict is ALL AGREE"
    assert lost.startswith("the records cannot be read: ")


def test_a_file_that_should_be_refused_and_is_not_is_noticed(tmp_path: Path) -> None:
    sentences = play(
        replace(BY_NAME["prints"], rows={}, refusal="RuntimeError"), tmp_path / "attack"
    )
    assert any("not 2 with the message '--plugin " in sentence for sentence in sentences)


@pytest.mark.parametrize("by", ["environment", "command line"])
def test_what_still_runs_is_found_and_killed(by: str, tmp_path: Path) -> None:
    folder = str(tmp_path)
    words, variables = ([], {MARK: f"{folder}/7"}) if by == "environment" else ([f"{folder}/7"], {})
    sleep = [sys.executable, "-c", "print('up', flush=True); import time; time.sleep(60)", *words]
    with subprocess.Popen(
        sleep, stdout=subprocess.PIPE, env={**os.environ, **variables}, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert [each.pid for each in marked(folder)] == [process.pid]
        assert marked(f"{folder}/8") == []
        kill_all(folder)
        assert process.wait() == -9
    assert psutil.pid_exists(os.getpid())


@pytest.mark.parametrize(
    ("stdout", "stderr", "sentence"),
    [
        (
            "",
            "Traceback (most recent call last):\n  ...\nKeyError: 3\n",
            "a traceback: KeyError: 3",
        ),
        ("a\x1b[2Jb\n", "", "control characters reached the terminal"),
        ("", "\x07", "control characters reached the terminal"),
        ("table\nALL AGREE; 1 board\n", "", "the verdict is ALL AGREE"),
        ("table\n\tNOT ALL AGREE\n", "a word\n", None),
    ],
)
def test_output_that_breaks_a_promise_is_noticed(
    stdout: str, stderr: str, sentence: str | None
) -> None:
    assert next(broken_output(stdout, stderr), None) == sentence
