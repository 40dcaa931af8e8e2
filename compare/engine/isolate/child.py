"""Children: processes that take calls under limits. All of this runs in the process that makes the
calls.

`Child` is one of them. The watchdog, a thread, kills a child whose call passes a limit; whoever
made the call just waits for bytes and then reads the end of the file. `call` makes one call in a
fork of this very process.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Condition, RLock, Thread
from time import monotonic, sleep
from typing import Any

from compare.engine.isolate.forkserver import CALL, FOREIGN, OWN, call_named
from compare.engine.isolate.outcome import (
    Limits,
    Outcome,
    Status,
    Topic,
    Usage,
    amount_of_bytes,
    with_reason,
)
from compare.engine.isolate.serving import (
    MAX_DETAIL,
    MAX_NOTE,
    NOTE,
    Call,
    flush,
    serve_calls,
)
from puzzles.shell.process_tree import (
    adopt_orphans,
    children,
    close_to_others,
    command_line,
    descendants,
    ending,
    kill_adopted,
    kill_descendants,
    kill_tree,
    readable,
    resident_bytes,
    send,
)
from puzzles.shell.time_limits import Deadline

PREPARE = "compare.preload", "load_everything"
"""The module and the function that the forkserver calls before it forks anything."""

LOST = "its parent died"
"""How a call ends during which somebody kills the forkserver.

The call need not be to blame for that.
"""

NO_ANSWER = "the answer was lost"
"""How a call ends whose child ended well, or goes on, and does not answer."""

MAX_GROWTH = 2**26
"""Bytes by which a child may grow over its calls."""

_CODE = """
import sys
sys.path[:] = sys.argv[2:]
from compare.engine.isolate.forkserver import main
main(int(sys.argv[1]))
"""

_START_S, _END_S = 180.0, 5.0
"""Seconds that the forkserver may take to start, and that a killed process may take to end."""

_LOST_S = 0.5
"""Seconds that a child may take to end after it has closed its socket.

One that closes it and goes on is killed.
"""

_MAX_LINES, _MAX_PRINTED, _MAX_ERRORS = 20, 2**12, 2**16
"""Lines and bytes that are kept of what a call prints, and bytes in which the reason of a crash is
looked for.
"""

_MESSAGES = 2
"""Of an outcome."""

_CALLS_A_LOOK = 16
"""A kept child is asked for its size after so many calls, and after a large one; to ask takes half
as long as a small call.
"""


_LOOK_S = 0.02
"""Seconds between two looks of the watchdog."""


class NoChild(OSError):
    """No child can be started; the message says why."""


class Child:
    """A process that takes one call after the other until it is closed. One thread calls it at a
    time; any thread may kill it.

    Attributes:
        pid: its process number.
        usable: whether it may be kept: after a bad ending it may not, nor if it has grown or has
            left a process behind.
        lost: whether it ended by itself or with its parent, and no limit was passed.
        ready: how the call ended that got it ready, if there was one.
    """

    def __init__(
        self,
        *,
        foreign: bool = False,
        starts_programs: bool = False,
        forked_here: bool = False,
        first: Call | None = None,
    ) -> None:
        """Start the process; raises `NoChild` if that is impossible.

        Args:
            foreign: whether it runs foreign code. It gets no way into our processes, and nothing
                that it says is unpickled.
            starts_programs: whether it only starts programs. Then the limit of memory is for what
                it starts.
            forked_here: whether it is a fork of this process, and not of the forkserver.
            first: the first call of a fork of this process. It need not be picklable.
        """
        self.foreign, self.starts_programs = foreign, starts_programs
        self.usable, self.lost = True, False
        self.ready: Outcome | None = None
        self._forked_here, self._first = forked_here or first is not None, first
        self._calls, self._first_bytes = 0, 0
        self._ended: int | None = None
        self._open, self._killed = True, set[int]()
        close_to_others()
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        ours, theirs = socket.socketpair()
        with theirs:
            if self._forked_here:
                self.pid = self._fork(theirs.fileno(), first)
            else:
                self.pid, self._ended = server.fork(
                    theirs.fileno(), self._printed.fileno(), foreign=foreign
                )
        self._socket = Connection(ours.detach())

    def _fork(self, calls: int, first: Call | None) -> int:
        adopt_orphans()
        flush()  # else the fork prints it again
        pid = os.fork()
        if pid == 0:
            serve_calls(calls, self._printed.fileno(), foreign=self.foreign, first=first)
        server.forks.add(pid)
        return pid

    def call(self, function: Callable[..., Any], *args: Any, limits: Limits) -> Outcome:
        """The outcome of `function(*args)` in the child. The value of a foreign child is bytes;
        more of them than `limits.answer` are an ERROR.

        An `Ended` gives the outcome its status and detail, `MemoryError` makes it MEMORY, any other
        exception CRASH.
        """
        started = monotonic()
        call, reply = LimitedCall(self, limits, Deadline(limits.seconds)), list[bytes]()
        notes: dict[Topic, bytes] = {}
        try:
            # It may be dead, or say something else than an outcome.
            with _watchdog.watching(call), suppress(EOFError, OSError):
                if self._first is None:
                    self._socket.send_bytes(pickle.dumps(partial(function, *args), protocol=5))
                self._first = None
                while len(reply) < _MESSAGES:
                    message = self._socket.recv_bytes(limits.answer if self.foreign else None)
                    if reply or not message.startswith(NOTE):
                        reply.append(message)
                    else:
                        name, _, content = message.removeprefix(NOTE).partition(b" ")
                        for topic in Topic:
                            if topic.encode() == name:
                                notes[topic] = content[:MAX_NOTE]
        except BaseException:  # an interruption
            self.close()
            raise
        self._calls += 1
        outcome, (printed, left_out) = _read(reply, foreign=self.foreign), self._take_printed()
        if outcome is not None and not self.starts_programs:
            call.note_size(outcome.usage.peak_bytes or 0)
        if not self._socket.readable and not call.stopped:  # what it sends is too long
            call.stopped = (
                Status.ERROR,
                f"its answer has more than {amount_of_bytes(limits.answer)}",
            )
        if outcome is None or call.stopped:
            self.lost = call.stopped is None
            how = self.close(lost=self.lost)
            status, detail = call.stopped or (
                Status.CRASH,
                how if how == LOST else with_reason(how, printed.decode("utf-8", "replace")),
            )
            usage = Usage(monotonic() - started, None, call.largest or None)
            return Outcome(status, None, detail, usage, _beginning(printed, left_out), notes)
        if not outcome.ok or children(self.pid) or self._has_grown(outcome.usage.peak_bytes or 0):
            self.usable = False
            kill_descendants(self.pid)
        usage = (
            replace(outcome.usage, peak_bytes=call.largest or None)
            if self.starts_programs
            else outcome.usage
        )
        return replace(outcome, usage=usage, printed=_beginning(printed, left_out), notes=notes)

    def kill(self) -> None:
        """Kill the process and all that it has started. A call that is under way ends.

        Of one whose end was reported all is gone, and its number may be that of another process.
        """
        was_reported = self._ended is not None and readable(self._ended, within=0)
        if self._open and not was_reported:
            self._killed |= kill_tree(self.pid)
            server.wake()

    def close(self, *, lost: bool = False) -> str:
        """Make sure that the process and what it has started have ended; returns how it ended.
        Another call does nothing.

        Args:
            lost: whether it seems to have ended by itself.
        """
        self.usable = False
        if not self._open:
            return "it was closed"
        server.wake()  # somebody may have stopped it, and it could not report
        by_itself = self.has_ended(_LOST_S if lost else 0)
        self.kill()
        self._open = False
        if self._forked_here:
            _, status = os.waitpid(self.pid, 0)
            for pid in self._killed:  # with its end they have become our children
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
            server.forks.discard(self.pid)
            how = _ending(os.waitstatus_to_exitcode(status))
        else:
            assert self._ended is not None
            code = os.read(self._ended, 16) if readable(self._ended, within=_END_S) else b""
            how = _ending(int(code)) if code else LOST
            os.close(self._ended)
            self.lost = self.lost or how == LOST
        if by_itself or how == LOST:  # else all that it had started was killed before it
            server.kill_adopted(dying=how == LOST)
        self._socket.close()
        self._printed.close()
        return NO_ANSWER if lost and not by_itself and how != LOST else how

    def has_ended(self, within: float = 0.0) -> bool:
        """Whether the process has ended; waits for that up to `within` seconds."""
        if self._ended is not None:
            return readable(self._ended, within=within)
        deadline = Deadline(within)
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if deadline.over:
                return False
            sleep(within / 20)
        return True

    def resident_bytes(self) -> int:
        """The resident bytes of the process and of all that it has started."""
        below = descendants(self.pid)
        if not self.starts_programs:
            return resident_bytes([self.pid, *below])
        ours = command_line(self.pid)
        return resident_bytes(
            pid for pid in below if command_line(pid) != ours
        )  # a copy of ours is about to become a program

    def note_first_size(self) -> None:
        """Say that it is ready: what further calls leave in it is growth."""
        self._first_bytes = resident_bytes([self.pid])

    def _has_grown(self, peak_bytes: int) -> bool:
        """Whether its calls have left too much in it, so that it would count for the next one."""
        was_large = 0 < self._first_bytes < peak_bytes - MAX_GROWTH
        if self._calls % _CALLS_A_LOOK and not was_large:
            return False
        resident = resident_bytes([self.pid])
        self._first_bytes = self._first_bytes or resident
        return resident - self._first_bytes > MAX_GROWTH

    def _take_printed(self) -> tuple[bytes, int]:
        """The beginning of what it has printed since the last call, and how many bytes come behind
        it.
        """
        descriptor = self._printed.fileno()
        size = os.fstat(descriptor).st_size
        if not size:
            return b"", 0
        data = os.pread(descriptor, _MAX_ERRORS, 0)
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)  # the child shares the position
        return data, size - len(data)


@dataclass(eq=False)
class LimitedCall:
    """A call that is under way.

    Attributes:
        stopped: why the watchdog has killed the child; None if it has not.
        largest: the largest memory that was seen.
    """

    child: Child
    limits: Limits
    deadline: Deadline
    stopped: tuple[Status, str] | None = None
    largest: int = 0

    def note_size(self, resident: int) -> None:
        """Note how large the child is. Above the limit, that is why the call is stopped."""
        self.largest, memory = max(self.largest, resident), self.limits.memory
        if self.stopped is None and memory is not None and resident > memory:
            self.stopped = Status.MEMORY, f"more than {memory // 2**20} MB resident"

    def look(self) -> None:
        """Kill the child if its call passes a limit, or if it has ended: what it has started may
        hold its socket open.
        """
        if self.stopped is None and self.deadline.over:
            self.stopped = Status.TIMEOUT, f"stopped at {self.limits.seconds:g} s"
        elif self.stopped is None and (
            self.limits.memory is not None or self.child.starts_programs
        ):
            self.note_size(self.child.resident_bytes())
        if self.stopped is not None or self.child.has_ended():
            self.child.kill()


class Watchdog:
    """The one place where limits are enforced: a thread that looks at all calls under way."""

    def __init__(self) -> None:
        self._calls: list[LimitedCall] = []
        self._changed = Condition()
        self._thread: Thread | None = None

    @contextmanager
    def watching(self, call: LimitedCall) -> Iterator[None]:
        with self._changed:
            self._calls.append(call)
            if self._thread is None:
                self._thread = Thread(target=self._watch, daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._calls.remove(call)

    def _watch(self) -> None:
        while True:
            with self._changed:  # so no call ends between the look and the kill
                while not self._calls:
                    self._changed.wait()
                for call in self._calls:
                    call.look()
                left_s = min(call.deadline.seconds_left for call in self._calls)
            sleep(min(_LOOK_S, max(0.0005, left_s)))


def call(
    function: Callable[..., Any], *args: Any, limits: Limits, foreign: bool = False
) -> Outcome:
    """The outcome of one call in a fork of this process, as of `Child.call`.

    Only its value need be picklable.
    """
    with closing(Child(foreign=foreign, first=partial(function, *args))) as child:
        return child.call(function, *args, limits=limits)


def _ending(code: int) -> str:
    """How a child ended that should have gone on."""
    return ending(code) if code else NO_ANSWER


def _read(reply: list[bytes], *, foreign: bool) -> Outcome | None:
    """The outcome that a child has sent; None if that is none."""
    try:
        status, detail, wall_s, cpu_s, peak_bytes = json.loads(reply[0])
        numbers = [float(wall_s), float(cpu_s), float(peak_bytes)]
        if type(detail) is not str or not all(
            math.isfinite(each) and each >= 0 for each in numbers
        ):
            return None
        value = reply[1] if foreign else pickle.loads(reply[1])  # noqa: S301 - a child that runs our own code wrote it
        readable_detail = detail[:MAX_DETAIL].encode(errors="replace").decode()
        return Outcome(
            Status(status), value, readable_detail, Usage(numbers[0], numbers[1], int(peak_bytes))
        )
    except Exception:
        return None


def _beginning(printed: bytes, more: int) -> str:
    """The first lines of what was printed, at most 4 KiB, and how much is left out; `more` bytes
    came behind.
    """
    beginning = b"\n".join(printed[:_MAX_PRINTED].split(b"\n")[:_MAX_LINES])
    left_out = len(printed.rstrip(b"\n")) - len(beginning) + more
    text = beginning.decode("utf-8", "backslashreplace").rstrip("\n")
    return f"{text}\n... {left_out} more bytes" if left_out > 0 else text


class _Server:
    """The forkserver, started when the first child needs it, and again if somebody has killed it.

    Attributes:
        pid: its process number; 0 if there is none.
        forks: the process numbers of the children that are forks of this process, and not of the
            server.
    """

    def __init__(self) -> None:
        self.forks: set[int] = set()
        self._lock = RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Connection | None = None
        self._calls = list[bytes]()
        self._asked = self._made = 0

    def call(self, function: Callable[..., object], *args: Any) -> None:
        """Have it call a function before it forks the next child, and once only, so that all later
        children have what that loads; again if it is started anew.

        What the function raises, `Child` raises.
        """
        request = pickle.dumps(partial(function, *args), protocol=5)
        with self._lock:
            if request not in self._calls:
                self._calls.append(request)

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    def start(self) -> None:
        """Have it import everything, while this process goes on."""
        with self._lock, suppress(OSError):  # whoever needs it first starts it anew, or says why
            if self._process is None:
                self._start()

    def fork(self, calls: int, printed: int, *, foreign: bool) -> tuple[int, int]:
        """Start a child; returns its process number, and the pipe on which its exit status will
        come.
        """
        ended, report = os.pipe()
        try:
            with self._lock:
                self.wake()
                try:
                    return self._fork([calls, printed, report], foreign), ended
                except NoChild:  # a call raised, and would again
                    raise
                except (EOFError, OSError):  # somebody has killed it
                    return self._fork([calls, printed, report], foreign), ended
        except (EOFError, OSError) as error:
            os.close(ended)
            raise NoChild(
                str(error) or "no process can be started: the forkserver was killed"
            ) from None
        finally:
            os.close(report)

    def _fork(self, descriptors: list[int], foreign: bool) -> int:
        """As `fork`. After an error the server has ended: nobody knows what it would say next."""
        folder = b""
        with suppress(OSError):  # it may be gone
            folder = bytes(Path.cwd())
        try:
            control = self._control or self._start()
            self._ask(control)
            while self._made < self._asked:
                raised = control.recv_bytes() if control.poll(_START_S) else b"its time is over"
                if raised:
                    reason = raised.decode(errors="replace")
                    raise NoChild(f"no process can be started: {reason}")
                self._made += 1
            control.send_bytes((FOREIGN if foreign else OWN) + folder)
            with socket.fromfd(control.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as passing:
                socket.send_fds(passing, [b"."], descriptors)
            return int(control.recv_bytes())
        except (EOFError, OSError):
            self.close()
            raise

    def _ask(self, control: Connection) -> None:
        """Send it the calls that it does not know yet; it replies when they are made."""
        every = [pickle.dumps(partial(call_named, *PREPARE)), *self._calls]
        for request in every[self._asked :]:
            control.send_bytes(CALL + request)
            self._asked += 1

    def _start(self) -> Connection:
        adopt_orphans()  # if somebody kills it
        ours, theirs = socket.socketpair()
        packages: list[str] = []
        for place in sys.path:
            with suppress(FileNotFoundError):  # the working directory is gone
                packages.append(place or str(Path.cwd()))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE, str(theirs.fileno()), *packages],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control, self._asked, self._made = Connection(ours.detach()), 0, 0
        self._ask(self._control)
        return self._control

    def wake(self) -> None:
        """Somebody may have stopped it."""
        if self._process is not None:
            send(signal.SIGCONT, [self._process.pid])

    def close(self) -> None:
        """Let it end, with all its children. Python does so at its end."""
        with self._lock:
            if self._process is not None:
                self._end()

    def _end(self) -> None:
        assert self._process is not None
        assert self._control is not None
        self._control.close()
        self.wake()
        if not self._made:  # it would first import everything
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        if self._process.returncode is None:
            kill_tree(self._process.pid)
            self._process.wait()
        self._process = self._control = None
        self.kill_adopted()

    def kill_adopted(self, *, dying: bool = False) -> None:
        """Kill what this process has adopted of children that are gone.

        `dying`: perhaps somebody has killed the server. It closes its pipes before its end, and
        only with its end this process adopts what the server had adopted.
        """
        with self._lock:  # nobody starts a server meanwhile, which would be taken for an orphan
            if dying and self._process is not None:
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(_LOST_S)
            kill_adopted([self.pid, *self.forks])

    def forget(self) -> None:
        """In a fork of this process: the server is not ours, nor are the children."""
        self._of_parent = self._process
        self.forks, self._lock = set(), RLock()
        self._process = self._control = None


server, _watchdog = _Server(), Watchdog()
atexit.register(server.close)
os.register_at_fork(after_in_child=server.forget)
os.register_at_fork(after_in_child=_watchdog.__init__)
