"""Programs in starters: whatever a program does is a status, and nothing of it stays."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compare.engine.isolate.outcome import Limits, Outcome, Status
from compare.engine.work.asking import start_program
from compare.engine.work.pool import Pool, Stopped
from compare.engine.work.programs import STACK, STANDARD, ProgramFiles
from tests.installed import slow
from tests.processes import LONGEST_S, compare, run_python, running, wait_until

LONG = Limits(LONGEST_S)

PARENT = "parent() { cut -d ' ' -f 4 < /proc/$1/stat; }\n"
"""How a shell script begins that asks for the parent of a process."""


def shell(
    pool: Pool, script: str, limits: Limits = LONG, files: ProgramFiles | None = None
) -> Outcome:
    return start_program(pool, ["sh", "-c", PARENT + script], b"given\n", limits, files)


def test_a_program_reads_and_prints(pool: Pool) -> None:
    ended = start_program(pool, ["tr", "a", "b"], b"banana\n" * 50_000, LONG)
    assert (ended.status, ended.value) == (Status.OK, b"bbnbnb\n" * 50_000)
    ended = start_program(pool, ["/no/such/program"], b"", LONG)
    assert (ended.status, ended.detail) == (
        Status.CRASH,
        "could not be started: No such file or directory",
    )


@pytest.mark.parametrize(
    ("script", "status", "detail"),
    [
        ("sleep 600", Status.TIMEOUT, "stopped at 0.3 s"),
        ("exec >&- 2>&-; sleep 600", Status.TIMEOUT, "stopped at 0.3 s"),
        ("while :; do :; done", Status.TIMEOUT, "stopped at 0.3 s"),
        ("trap '' TERM INT; sleep 600", Status.TIMEOUT, "stopped at 0.3 s"),
        ("kill -STOP $$", Status.TIMEOUT, "stopped at 0.3 s"),
        ("cat /dev/zero >&2", Status.TIMEOUT, "stopped at 0.3 s"),
        ("echo no good >&2; exit 7", Status.CRASH, "exit status 7: no good"),
        ("exec >&- 2>&-; sleep 0.2; exit 7", Status.CRASH, "exit status 7"),
        ("kill -9 $$", Status.CRASH, "killed by SIGKILL"),
        ("cat /dev/zero", Status.ERROR, "printed more than 1000000 bytes"),
        ("head -c 1000001 /dev/zero", Status.ERROR, "printed more than 1000000 bytes"),
        ("head -c 1000000 /dev/zero", Status.OK, ""),
        ("head -c 5000000 /dev/zero >&2", Status.OK, ""),
        ("true", Status.OK, ""),
    ],
)
def test_whatever_a_program_does_is_a_status(
    pool: Pool, script: str, status: Status, detail: str
) -> None:
    started = time.monotonic()
    seconds = 0.3 if status is Status.TIMEOUT else LONG.seconds
    ended = shell(pool, script, Limits(seconds, None, 10**6))
    assert (ended.status, ended.detail) == (status, detail)
    assert (
        time.monotonic() - started < 6 + 5
    )  # also on a busy machine, and where the forkserver starts first


def test_a_starter_is_kept_from_program_to_program(pool: Pool) -> None:
    first, second = (shell(pool, "echo $PPID").value for _ in range(2))
    assert first == second


def test_memory_is_that_of_the_whole_tree_and_the_peak_is_the_programs_own(pool: Pool) -> None:
    eater = (
        f"{sys.executable} -c 'x = bytearray(300 * 2**20); import time; "
        f"time.sleep({2 * LONGEST_S})' "
        "& wait"
    )
    ended = shell(pool, eater, Limits(LONGEST_S, 200 * 2**20))
    assert (ended.status, ended.detail) == (Status.MEMORY, "more than 200 MB resident")
    ended = start_program(pool, ["sleep", "0.3"], b"", LONG)
    assert 2**18 < (ended.usage.peak_bytes or 0) < 2**25
    assert (ended.usage.wall_s or 0) >= 0.3


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("sleep {0} & sleep {0}", Status.TIMEOUT),
        slow("(setsid sleep {0} &); sleep {0}", Status.TIMEOUT),
        ("setsid sleep {0} & exit 0", Status.OK),
        ("env -i setsid sleep {0} > /dev/null 2>&1 & exit 0", Status.OK),
        ("setsid sleep {0} & kill -KILL $PPID; setsid sleep {0}", Status.CRASH),
        slow("env -i setsid sleep {0} & kill -SEGV $PPID; sleep {0}", Status.CRASH),
        slow("setsid sleep {0} & kill -KILL $(parent $PPID); sleep {0}", Status.CRASH),
        ("env -i setsid sleep {0} & kill -KILL $(parent $PPID) $PPID; sleep {0}", Status.CRASH),
        slow("setsid sleep {0} & kill -STOP $PPID; sleep {0}", Status.TIMEOUT),
        ("env -i setsid sleep {0} & kill -STOP $PPID $(parent $PPID); sleep {0}", Status.TIMEOUT),
    ],
)
def test_nothing_is_left_running_whomever_it_kills_or_stops(
    pool: Pool, script: str, status: Status
) -> None:
    marker = f"{6 * LONGEST_S:.0f}.{os.getpid()}"  # one that is left is there when waiting ends
    ended = shell(
        pool, script.format(marker), Limits(LONGEST_S if status is not Status.TIMEOUT else 0.7)
    )
    assert ended.status is status, ended
    wait_until(lambda: not running(marker))
    assert shell(pool, "echo well").value == b"well\n"


def test_stopping_the_pool_ends_a_program(pool: Pool, tmp_path: Path) -> None:
    from threading import Thread

    def stop_once_begun() -> None:
        wait_until((tmp_path / "begun").exists)
        pool.stop()

    Thread(target=stop_once_begun).start()
    marker = "600.0121"
    with pytest.raises(Stopped):  # after a crash the program would be started once more
        shell(pool, f"touch {tmp_path / 'begun'}; trap '' TERM; sleep {marker}")
    wait_until(lambda: not running(marker))


def test_signals_are_named(pool: Pool) -> None:
    for number in (signal.SIGTERM, signal.SIGBUS, signal.SIGRTMIN + 6):
        name = signal.Signals(number).name if number < signal.SIGRTMIN else f"signal {number}"
        assert shell(pool, f"kill -{int(number)} $$").detail == f"killed by {name}"


def test_a_crash_is_told_by_its_line_at_either_end_of_much_that_is_written(pool: Pool) -> None:
    noise = "yes | head -c 1000000 >&2"
    for script in (
        f"echo 'panic: no' >&2; {noise}; exit 2",
        f"{noise}; echo 'panic: no' >&2; exit 2",
    ):
        assert shell(pool, script).detail == "exit status 2: panic: no"


FILES, EITHER = (ProgramFiles("game.in", "game.out", either) for either in (False, True))


@pytest.mark.parametrize(
    ("script", "files", "status", "says"),
    [
        ("cat", STANDARD, Status.OK, "given\n"),
        ("cat game.in > game.out; echo more", FILES, Status.OK, "given\n"),
        ("cat; cat game.in", ProgramFiles("game.in"), Status.OK, "given\n"),
        ("cat", ProgramFiles("game.in"), Status.OK, ""),
        ("cat > game.out", ProgramFiles("", "game.out"), Status.OK, "given\n"),
        ("cat", EITHER, Status.OK, "given\n"),
        ("cat game.in; echo new > game.out", EITHER, Status.OK, "new\n"),
        (": > game.out", STANDARD, Status.OK, ""),
        ("echo 1 > other; echo 22", FILES, Status.ERROR, "it wrote no game.out; it wrote other"),
        ("echo 22", FILES, Status.ERROR, "it wrote no game.out; it printed 3 bytes"),
        ("mkfifo game.out", FILES, Status.ERROR, "game.out is no plain file"),
        ("mkdir game.out", FILES, Status.ERROR, "game.out is no plain file"),
        (
            "ln -s /etc/passwd game.out",
            FILES,
            Status.ERROR,
            "game.out is no plain file",
        ),
        (
            "head -c 1000001 /dev/zero > game.out",
            FILES,
            Status.ERROR,
            "wrote more than 1000000 bytes into game.out",
        ),
        (
            "cat words.txt",
            STANDARD,
            Status.CRASH,
            "exit status 1: cat: words.txt: No such file or directory; it runs in a folder of its "
            "own: --input-file NAME puts its input there, and a command that begins with `env -C "
            ".` runs here",
        ),
    ],
)
def test_a_program_may_use_files_of_its_own_folder(
    pool: Pool, script: str, files: ProgramFiles, status: Status, says: str
) -> None:
    ended = shell(pool, script, Limits(LONG.seconds, None, 10**6), files)
    assert (ended.status, ended.value.decode() if ended.ok else ended.detail) == (status, says)


@pytest.mark.parametrize(
    ("script", "files", "hint"),
    [
        ("echo 1; : > log", STANDARD, ""),
        (":", STANDARD, ""),
        (
            ": > game.out",
            STANDARD,
            "printed nothing, and wrote game.out: --output-file game.out reads that, "
            "--input-file NAME puts its input into a file",
        ),
        (
            "echo; touch b 'a c' d e",
            ProgramFiles("game.in"),
            "printed nothing, and wrote 'a c', b, d: --output-file NAME reads one of them",
        ),
    ],
)
def test_an_empty_output_beside_files_is_no_fault_and_has_a_hint(
    pool: Pool, script: str, files: ProgramFiles, hint: str
) -> None:
    ended = shell(pool, script, files=files)
    assert (ended.status, ended.detail) == (Status.OK, hint)


def test_the_folder_is_new_for_each_start_and_the_words_name_files_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("data", "cat"):
        Path(name).write_text(f"this is {name}\n")
    Path("mine").write_text("#!/bin/sh\ncat $1; pwd; ls; echo left > left; chmod 0 .\n")
    Path("mine").chmod(0o755)
    pool = Pool()
    try:
        places: set[str] = set()
        for _ in range(2):
            ended = start_program(pool, ["./mine", "data"], b"", LONG, STANDARD)
            assert ended.ok, ended
            first, place = ended.value.decode().splitlines()
            assert first == "this is data"
            places.add(place)
        assert not any(map(os.path.exists, places))
        assert str(tmp_path) not in places
        assert sorted(each.name for each in tmp_path.iterdir()) == ["cat", "data", "mine"]
        for words in (["cat", "data"], ["sh", "-c", "cat", "data"]):
            ended = start_program(pool, words, b"in\n", LONG, STANDARD)
            assert ended.value == (b"this is data\n" if words[0] == "cat" else b"in\n")
        ended = start_program(pool, ["env", "-C", ".", "ls"], b"", LONG, STANDARD)
        assert ended.value == b"cat\ndata\nmine\n"
    finally:
        pool.close()


DEEP = """#include <cstdio>
#include <cstdlib>
int down(int n) {
    volatile char room[1000];
    room[0] = n;
    return n ? down(n - 1) + room[0] * 0 + 1 : 0;
}
int main(int, char** words) { printf("%d\\n", down(atoi(words[1]))); }
"""
"""A program that needs a kilobyte of stack for each call."""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_stack_is_as_large_as_the_memory_or_the_hard_limit(tmp_path: Path, pool: Pool) -> None:
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if resource.RLIM_INFINITY != hard < STACK:
        pytest.skip("the hard limit of the stack is small here")
    (tmp_path / "deep.cpp").write_text(DEEP)
    program = str(tmp_path / "deep")
    subprocess.run(["g++", "-O1", "-o", program, f"{program}.cpp"], check=True)

    def deep(calls: int, memory: int | None = None) -> Outcome:
        return start_program(pool, [program, str(calls)], b"", Limits(LONGEST_S, memory), STANDARD)

    assert deep(100_000).value == b"100000\n"
    assert deep(1_000_000).detail == "killed by SIGSEGV; its stack may take 256 MiB"
    assert deep(350_000, 400 * 2**20).value == b"350000\n"


def test_a_low_hard_limit_of_the_stack_is_named() -> None:
    code = (
        "import resource, signal\n"
        "from compare.engine.work.asking import start_program\n"
        "from compare.engine.work.pool import Pool\n"
        "from compare.engine.isolate.outcome import Limits\n"
        "resource.setrlimit(resource.RLIMIT_STACK, (2**23, 2**24))\n"
        "pool = Pool()\n"
        "print(start_program(pool, ['sh', '-c', 'kill -SEGV $$'], b'', Limits(60)).detail)\n"
        "pool.close()\n"
    )
    ended = run_python("-c", code)
    assert ended.stdout == (
        "killed by SIGSEGV; its stack may take 16 MiB, the hard limit here (ulimit -Hs)\n"
    )


def test_a_folder_deeper_than_pythons_stack_is_removed_and_the_answer_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's own removal of temporary folders raises there."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = tmp_path / "deep.py"
    program.write_text(
        "import os\n"
        "for _ in range(1100):\n"
        "    os.mkdir('d')\n"
        "    os.chdir('d')\n"
        "print('Case #1: POSSIBLE\\n||')\n"
    )
    board = tmp_path / "board.in"
    board.write_text("1\n1 2\n--\n")
    ended = compare(f"run beams {board} -b direct --extended --program m={program}")
    assert ended.stdout.splitlines()[-1].startswith("ALL AGREE; 1 board of 1 puzzle; runs: 2 OK")
    generator = tmp_path / "generator.py"
    generator.write_text("print(1)")
    ended = compare(f"stress {program} {program} --generator {generator} --cases 1")
    assert ended.stdout.splitlines()[-1].startswith("ALL AGREE; 1 input")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "board.in",
        "deep.py",
        "generator.py",
    ]
