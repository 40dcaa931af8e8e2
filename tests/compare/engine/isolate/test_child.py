"""Limits that hold in children: hanging, eating, aborting, silent and forging functions, tried for
real.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import psutil
import pytest

from compare.engine.isolate.child import LOST, MAX_GROWTH, Child, call, server
from compare.engine.isolate.outcome import (
    MAX_TOGETHER,
    Limits,
    Outcome,
    Status,
    Topic,
)
from compare.engine.isolate.serving import MAX_NOTE, Ended, ends_with, note
from puzzles.backend import Unsupported
from puzzles.shell.process_tree import ending
from tests.installed import slow
from tests.processes import (
    FIND_OUR_PACKAGES,
    LONGEST_S,
    environment,
    run_python,
    running,
    wait_until,
)

SOON = Limits(0.7)
"""For what never ends."""

LONG = Limits(LONGEST_S)
"""For what ends by itself, on a busy machine too."""

A_WHILE = f"601.{os.getpid()}"
"""Seconds to sleep, in which no other process on this machine sleeps."""

kept: list[int] = []


@pytest.fixture(params=["of the forkserver", "of this process"])
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    made = Child(forked_here=request.param == "of this process")
    yield made
    made.close()


def wall_s(ended: Outcome) -> float:
    assert ended.usage.wall_s is not None
    return ended.usage.wall_s


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def once(
    child: Child, function: Callable[..., object], *args: object, limits: Limits = LONG
) -> Outcome:
    return child.call(function, *args, limits=limits)


def remember(number: int) -> list[int]:
    kept.append(number)
    return list(kept)


def raising(error: BaseException) -> None:
    raise error


@ends_with({Unsupported: Status.SKIPPED})
def refusing(error: BaseException) -> None:
    raise error


def use_memory(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def leave_a_child() -> int:
    return subprocess.Popen(["sleep", A_WHILE], start_new_session=True).pid


def grow(bytes_more: int = MAX_GROWTH // 16) -> None:
    kept.extend([0] * (bytes_more // 8))


def deaf() -> None:
    """Never end, whatever signal comes, with all descriptors closed."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    os.closerange(0, 1024)
    while True:
        time.sleep(1)


def stop_this() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def test_a_value_comes_back_with_what_it_used() -> None:
    ended = call(lambda: list(range(5)), limits=LONG)
    assert (ended.status, ended.value) == (Status.OK, [0, 1, 2, 3, 4])
    assert 0 < wall_s(ended) < LONG.seconds
    assert (ended.usage.peak_bytes or 0) > 2**20


def test_the_peak_of_memory_is_that_of_a_program_if_it_is_larger() -> None:
    eater = [sys.executable, "-c", "x = bytearray(300 * 2**20)"]
    ended = call(subprocess.run, eater, limits=LONG)
    assert (ended.usage.peak_bytes or 0) > 300 * 2**20
    with closing(Child()) as child:
        peaks = [
            child.call(subprocess.run, words, limits=LONG).usage.peak_bytes or 0
            for words in (eater, ["true"])
        ]
    assert peaks[0] > 300 * 2**20 > peaks[1]


ENDINGS = [
    (time.sleep, (2 * LONGEST_S,), Status.TIMEOUT, "stopped at 0.7 s"),
    (deaf, (), Status.CRASH, "the answer was lost"),
    (stop_this, (), Status.TIMEOUT, "stopped at 0.7 s"),
    (raising, (ValueError("x y"),), Status.CRASH, "raised ValueError: x y"),
    (raising, (SystemExit(3),), Status.CRASH, "raised SystemExit: 3"),
    (raising, (MemoryError(),), Status.MEMORY, "MemoryError"),
    (refusing, (Unsupported("too wide"),), Status.SKIPPED, "too wide"),
    (raising, (Ended(Status.ERROR, "no good"),), Status.ERROR, "no good"),
    (ctypes.string_at, (0,), Status.CRASH, "killed by SIGSEGV"),
    (os.abort, (), Status.CRASH, "killed by SIGABRT"),
    (os._exit, (3,), Status.CRASH, "exit status 3"),
    (os._exit, (0,), Status.CRASH, "the answer was lost"),
]


@pytest.mark.parametrize(("function", "arguments", "status", "detail"), ENDINGS)
def test_whatever_a_function_does_is_a_status_and_its_child_is_not_kept(
    child: Child,
    function: Callable[..., object],
    arguments: tuple[object, ...],
    status: Status,
    detail: str,
) -> None:
    assert once(child, abs, -1).value == 1
    assert child.usable
    ended = once(child, function, *arguments, limits=SOON if status is Status.TIMEOUT else LONG)
    assert (ended.status, ended.value, child.usable) == (status, None, False)
    assert ended.detail.startswith(detail)


HARMLESS = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
"""Signals that a process ignores unless it asks for them."""

STOPPING = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
"""Signals that stop a process. A group without a terminal is stopped by the first of them only."""


def die_of(number: int) -> None:
    """Send this process a signal, whatever an earlier test of this process has made of it."""
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("numbers", [(1, 2, 6, 9, 11, 15, 34, 40, 64), slow(range(1, 65))])
def test_a_function_killed_by_any_signal_is_a_status(numbers: Iterable[int]) -> None:
    ignored = {
        *HARMLESS,
        *STOPPING,
        signal.SIGXFSZ,
        32,
        33,
    }  # Python ignores SIGXFSZ, and the C library keeps two for itself
    for number in sorted(set(numbers) - ignored):
        ended = call(die_of, number, limits=LONG)
        assert (ended.status, ended.detail) == (Status.CRASH, ending(-number))


def ignored_signals() -> list[int]:
    return [
        number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN
    ]


@pytest.mark.parametrize("forked_here", [False, True])
def test_a_child_does_not_ignore_what_its_command_was_told_to_ignore(forked_here: bool) -> None:
    """As by nohup. A program of the user's is not to behave otherwise for it; Python itself ignores
    SIGXFSZ.
    """
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    server.close()
    try:
        child = Child(forked_here=forked_here)
        assert once(child, ignored_signals).value == [signal.SIGXFSZ]
        child.close()
    finally:
        signal.signal(signal.SIGHUP, before)
        server.close()


def test_one_process_takes_all_calls(child: Child) -> None:
    first = once(child, os.getpid)
    assert [once(child, remember, number).value[-1] for number in (1, 2, 3)] == [1, 2, 3]
    assert once(child, remember, 4).value[-4:] == [1, 2, 3, 4]
    assert once(child, os.getpid).value == first.value == child.pid != os.getpid()
    assert kept == []
    child.close()
    assert is_gone(first.value)


def test_each_call_has_its_own_output_peak_and_seconds(child: Child) -> None:
    assert [once(child, print, text).printed for text in ("one", "two")] == ["one", "two"]
    assert once(child, os.getpid).printed == ""
    small, large, again = [once(child, use_memory, megabytes).usage for megabytes in (1, 300, 1)]
    assert (large.peak_bytes or 0) - (small.peak_bytes or 0) > 250 << 20
    assert (large.peak_bytes or 0) - (again.peak_bytes or 0) > 250 << 20
    assert (once(child, sum, range(5_000_000)).usage.cpu_s or 0) > (
        once(child, os.getpid).usage.cpu_s or 0
    ) + 0.01


def test_of_much_output_the_beginning_stays_and_the_last_line_says_how_much_is_left_out(
    child: Child,
) -> None:
    printed = once(child, print, "\n".join(f"line {k}" for k in range(1000))).printed.splitlines()
    assert printed[:20] == [f"line {k}" for k in range(20)]
    assert len(printed) == 21
    assert printed[20].endswith(" more bytes")
    ended = once(child, os.write, 2, b"the last words\n")
    assert ended.printed == "the last words"


def test_the_reason_of_a_crash_is_the_last_line(child: Child) -> None:
    ended = once(child, exec, "import os; os.write(2, b'first\\nlast\\n'); os._exit(5)")
    assert ended.detail == "exit status 5: last"


def test_memory_is_limited_while_it_is_used_and_counts_in_the_end(child: Child) -> None:
    eater = "x = bytearray(500 * 2**20); import time; time.sleep(600)"
    ended = once(child, exec, eater, limits=Limits(LONGEST_S, 300 * 2**20))
    assert (ended.status, ended.detail) == (Status.MEMORY, "more than 300 MB resident")
    ended = call(len, (1, 2), limits=Limits(60.0, 2**20))  # over before anybody looks
    assert (ended.status, ended.value, ended.detail) == (
        Status.MEMORY,
        None,
        "more than 1 MB resident",
    )


def test_what_is_left_behind_ends_the_child_and_is_killed(child: Child) -> None:
    left = once(child, leave_a_child).value
    assert not child.usable
    wait_until(lambda: is_gone(left))
    dies = (
        "import subprocess, os; subprocess.Popen(['sleep', '{}'], start_new_session=True); "
        "os._exit(4)"
    )
    fresh = Child()
    assert once(fresh, exec, dies.format(A_WHILE)).detail == "exit status 4"
    assert call(exec, dies.format(A_WHILE), limits=LONG).detail == "exit status 4"
    wait_until(lambda: not running(A_WHILE))


def test_the_number_of_a_child_that_has_ended_is_not_killed_again() -> None:
    child = Child()
    os.kill(child.pid, signal.SIGKILL)
    assert child.has_ended(LONGEST_S)
    with subprocess.Popen(["sleep", A_WHILE]) as other:
        child.pid = other.pid  # the system may give the number to any new process
        child.close()
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.5)
        other.kill()


def test_growth_ends_the_child() -> None:
    child = Child(forked_here=True)
    assert once(child, os.getpid).ok
    calls = 0
    while child.usable and calls < 100:
        assert once(child, grow).ok
        calls += 1
    assert 0 < calls < 100
    child.close()


def test_what_a_large_call_leaves_ends_the_child_at_once() -> None:
    child = Child()
    assert once(child, os.getpid).ok
    child.note_first_size()
    assert once(child, use_memory, 4 * MAX_GROWTH >> 20).ok
    assert child.usable, "it has left nothing"
    assert once(child, grow, 2 * MAX_GROWTH).ok
    assert not child.usable
    child.close()


def test_large_values_pass_both_ways(child: Child) -> None:
    data = os.urandom(1 << 22)
    assert once(child, bytes, data).value == data


def test_calls_of_several_threads_have_limits_of_their_own() -> None:
    children = [Child() for _ in range(4)]
    outcomes: dict[int, Outcome] = {}

    def sleep(k: int) -> None:
        outcomes[k] = children[k].call(
            time.sleep, 0.2 if k % 2 else 600, limits=Limits(0.7 if k % 2 == 0 else LONGEST_S)
        )

    threads = [Thread(target=sleep, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcomes[k].status for k in range(4)] == [Status.TIMEOUT, Status.OK] * 2
    for child in children:
        child.close()


class Touches:
    """Whoever unpickles this makes a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.path, "w")


def forge(path: str, *messages: bytes) -> None:
    """Send these messages in place of an outcome, on whatever is open."""
    for descriptor in range(3, 64):
        for message in messages:
            try:
                os.write(descriptor, len(message).to_bytes(4, "big") + message)
            except OSError:
                break
    os._exit(0)


@pytest.mark.parametrize(
    "messages",
    [
        (b"", b""),
        (b"{}", b"x"),
        (b'["NO SUCH", "", 0, 0, 0]', b"x"),
        (b'["OK", 3, 0, 0, 0]', b"x"),
        (b'["OK", "", -1, 0, 0]', b"x"),
        (b'["OK", "", NaN, 0, 0]', b"x"),
        (b'["OK", "", 0, 0, 0]',),
        ("pickle",),
    ],
)
def test_nothing_that_foreign_code_sends_is_unpickled_or_believed(
    messages: tuple[bytes, ...], tmp_path: object
) -> None:
    path = f"{tmp_path}/touched"
    said = (
        (pickle.dumps(Touches(path)), pickle.dumps(Touches(path)))
        if messages == ("pickle",)
        else messages
    )
    child = Child(foreign=True)
    ended = child.call(forge, path, *said, limits=Limits(20.0, answer=2**20))
    assert ended.status is Status.CRASH
    assert not Path(path).exists()
    child.close()


def test_a_forged_value_of_foreign_code_stays_bytes() -> None:
    child = Child(foreign=True)
    assert child.call(str, "text", limits=LONG).value == b"text"
    assert child.call(bytes, b"\x80\x05", limits=LONG).value == b"\x80\x05"
    child.close()


def test_an_answer_of_foreign_code_that_is_too_long_is_told_by_its_limit() -> None:
    """The limit of what a program prints does not bound it."""
    limits = Limits(LONGEST_S, output=10, answer=2**20)
    child = Child(foreign=True)
    assert child.call(bytes, 2**20, limits=limits).value == bytes(2**20)
    ended = child.call(bytes, 2**20 + 1, limits=limits)
    assert (ended.status, ended.detail) == (Status.ERROR, "its answer has more than 1 MiB")
    assert not child.lost
    assert not child.usable
    child.close()


def test_what_several_instances_may_take_adds_up_but_for_the_memory() -> None:
    limits = Limits(2.0, 2**20, output=1000, answer=10)
    assert limits.together(3) == Limits(6.0, 2**20, output=3000, answer=30)
    most = Limits(2.0).together(10**6)
    assert most.output == most.answer == MAX_TOGETHER
    assert Limits(2.0, output=2 * MAX_TOGETHER).together(2).output == 2 * MAX_TOGETHER


def test_a_child_has_no_descriptor_of_ours_and_a_foreign_one_no_way_into_our_memory() -> None:
    with Path("/dev/null").open() as file:
        os.set_inheritable(file.fileno(), True)
        for forked_here in (True, False):
            child = Child(foreign=True, forked_here=forked_here)
            seen = child.call(
                exec,
                "import os\nopen('/dev/fd/2', 'w').write(' '.join(map(str, sorted(map(int, "
                "os.listdir('/dev/fd'))))))",
                limits=LONG,
            )
            descriptors = seen.printed.split()
            assert descriptors[:3] == ["0", "1", "2"]
            assert len(descriptors) <= 6  # the socket, and those of the listing itself
            reach = f"open('/proc/{os.getpid()}/mem', 'rb')"
            assert "PermissionError" in child.call(exec, reach, limits=LONG).detail
            child.close()


def sleep_in(child: Child, outcomes: list[Outcome]) -> None:
    outcomes.append(child.call(time.sleep, 0.8, limits=LONG))


@pytest.mark.slow
def test_a_child_that_kills_or_stops_the_forkserver_ends_and_the_next_one_works() -> None:
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
        innocent, guilty = Child(), Child(foreign=True)
        calls: list[Outcome] = []
        waiting = Thread(target=sleep_in, args=(innocent, calls))
        waiting.start()
        code = f"import os, time\nos.kill(os.getppid(), {int(number)})\ntime.sleep(600)"
        ended = guilty.call(exec, code, limits=Limits(0.5))
        waiting.join(LONGEST_S)
        expected = (
            (Status.OK, Status.TIMEOUT)
            if number == signal.SIGSTOP
            else (Status.CRASH, Status.CRASH)
        )
        assert (calls[0].status, ended.status) == expected
        assert number == signal.SIGSTOP or (calls[0].detail, ended.detail) == (LOST, LOST)
        innocent.close()
        guilty.close()
        again = Child()
        assert again.call(abs, -3, limits=LONG).value == 3
        again.close()


def test_no_process_is_left_when_ours_ends_however_it_ends() -> None:
    code = (
        "from compare.engine.isolate.child import Child\n"
        "from compare.engine.isolate.outcome import Limits\n"
        "import subprocess, sys\n"
        "child = Child(forked_here=sys.argv[2] == 'here')\n"
        "child.call(subprocess.run, ['sleep', sys.argv[1]], limits=Limits(900))"
    )
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen(
            [sys.executable, "-c", code, A_WHILE, "server"],
            env=environment(),
            stderr=subprocess.DEVNULL,
        ) as watcher:
            wait_until(lambda: running(A_WHILE))
            watcher.send_signal(number)
            watcher.wait()
        wait_until(lambda: not running(A_WHILE))


def test_what_the_forkserver_cannot_import_is_said(tmp_path: object) -> None:
    code = (
        "import compare.engine.isolate.child as child\n"
        "from compare.engine.isolate.outcome import Limits\n"
        "child.PREPARE = 'no_such_module', 'prepare'\n"
        "try:\n    child.Child()\nexcept child.NoChild as reason:\n    print(reason)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True
    )
    assert (
        ended.stdout
        == "no process can be started: ModuleNotFoundError: No module named 'no_such_module'\n"
    ), ended.stderr


PREPARED_TWICE = """
import sys
from pathlib import Path
from compare.preload import load_everything

load_everything()
print("numpy.ma" in sys.modules)
files = [*Path(sys.argv[1]).rglob("*.nb[ci]")]
for path in files:
    path.write_bytes(b"")
load_everything()
print(len(files))
"""


def test_the_forkserver_imports_what_arrays_need_and_a_damaged_cache_is_no_obstacle(
    tmp_path: Path,
) -> None:
    folder = str(tmp_path)
    ended = run_python("-c", PREPARED_TWICE, folder, env=environment(NUMBA_CACHE_DIR=folder))
    assert (ended.returncode, ended.stdout.split()) == (0, ["True", "2"]), ended.stderr


@pytest.mark.slow
def test_the_overrun_stays_below_half_a_second() -> None:
    late = [wall_s(call(time.sleep, 60, limits=Limits(0.4))) - 0.4 for _ in range(5)]
    assert sorted(late)[len(late) // 2] < 0.5


def notes_and_sleeps(seconds: float) -> bytes:
    note(Topic.SIZE, b"first")
    note(Topic.REPORT, b"so far")
    note(Topic.SIZE, b"last")
    if os.fork() == 0:  # another process: what it says is no part of this call
        note(Topic.SIZE, b"of a fork")
        os._exit(0)
    os.wait()
    time.sleep(seconds)
    return b"value"


def notes_much() -> bytes:
    note(Topic.SIZE, b"x" * 2 * MAX_NOTE)
    raise ValueError("no answer")


def returns_a_value() -> bytes:
    return b"value"


@pytest.mark.parametrize("foreign", [False, True])
def test_the_last_note_of_a_call_is_known_however_the_call_ends(foreign: bool) -> None:
    note(Topic.SIZE, b"of no child")
    last = {Topic.SIZE: b"last", Topic.REPORT: b"so far"}
    whole = call(notes_and_sleeps, 0.0, limits=LONG, foreign=foreign)
    assert (whole.status, whole.value, whole.notes) == (Status.OK, b"value", last)
    stopped = call(notes_and_sleeps, 1000.0, limits=SOON, foreign=foreign)
    assert (stopped.status, stopped.notes) == (Status.TIMEOUT, last)
    crashed = call(notes_much, limits=LONG, foreign=foreign)
    assert (crashed.status, crashed.notes) == (Status.CRASH, {Topic.SIZE: b"x" * MAX_NOTE})
    with closing(Child(foreign=foreign)) as child:
        assert child.call(notes_and_sleeps, 0.0, limits=LONG).notes == last
        assert child.call(returns_a_value, limits=LONG).notes == {}


_WITHOUT_STREAMS = """
import os, sys
from contextlib import closing
logs = [open(os.devnull, "w") for _ in range(int(sys.argv[1]))]
from compare.engine.isolate.child import Child, call
from compare.engine.isolate.outcome import Limits
limits = Limits(100.0)
with closing(Child()) as child:
    outcomes = [child.call(abs, -3, limits=limits), call(abs, -4, limits=limits)]
print(*(each.value for each in outcomes), file=open(sys.argv[2], "w"))
"""


@pytest.mark.parametrize("files", [1, 3])
def test_descriptors_of_closed_streams_may_be_those_of_other_files(
    files: int, tmp_path: Path
) -> None:
    script, values = tmp_path / "script.py", tmp_path / "values"
    script.write_text(FIND_OUR_PACKAGES + _WITHOUT_STREAMS)
    words = [sys.executable, str(script), str(files), str(values)]
    subprocess.run(f"{shlex.join(words)} >&- 2>&-", shell=True, check=True)
    assert values.read_text() == "3 4\n"
