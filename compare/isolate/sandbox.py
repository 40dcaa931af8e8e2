"""One measured run: a process of its own, in a session of its own, under limits that the parent enforces.

`call` forks and runs a Python function, so the caller should be warm (imports done, kernels compiled) and have a single
thread. `execute` runs a program. In both cases the parent reads the output, kills the whole process group when a limit is
passed, and takes the resources used from `wait4`.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from types import MappingProxyType
from typing import Any, NamedTuple

from compare.isolate.coordination import may_be_silent
from compare.isolate.forking import flush, fork
from compare.isolate.outcome import Limits, Outcome, Status, Usage
from compare.isolate.processes import close_to_others, guarded, how_it_failed, kill_orphans, kill_tree
from compare.isolate.watch import Ears, frame, frames, too_much_memory, watch

Endings = Mapping[type[BaseException], Status]
"""How exceptions of some types end a run; their message is the reason."""

NO_ENDINGS: Endings = MappingProxyType({})


class Wire(NamedTuple):
    """How an outcome crosses from a fork that runs foreign code.

    Attributes:
        write: what the fork calls; the bytes go to the parent.
        read: what the parent calls with those bytes. They may be forged, so it must run nothing that they name. Any exception
            that it raises makes the run a CRASH.
    """

    write: Callable[[Outcome], bytes]
    read: Callable[[bytes | bytearray], Outcome]


MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


def call(function: Callable[..., Any], *args: Any, limits: Limits, endings: Endings = NO_ENDINGS) -> Outcome:
    """Run `function(*args)` in a fork of this process; its value comes back pickled.

    An exception of a type in `endings` gives the outcome that status, `MemoryError` makes it MEMORY, any other CRASH. The detail
    is the exception's message.
    """
    return call_in_turn([(function, limits)], *args, endings=endings)[0]


def call_in_turn(
    steps: Sequence[tuple[Callable[..., Any], Limits]], *args: Any, endings: Endings = NO_ENDINGS, foreign: Wire | None = None
) -> list[Outcome]:
    """Call functions one after the other on the same arguments, in one fork of this process, each under its own limits.

    Returns the outcomes, as `call` does. The last one belongs to the first step that did not end well. It has what all steps
    printed, but for what was printed under `muted`.

    Args:
        foreign: for functions that run foreign code. Outcomes then cross by this wire instead of by pickle, the fork has none of
            this process's descriptors and no way into it, and what it writes is bounded by `Limits.output`.
    """
    write = _pickled if foreign is None else foreign.write
    read = pickle.loads if foreign is None else foreign.read  # pickle only from a fork that runs our own code

    def child(out: int) -> None:
        with os.fdopen(out, "wb") as stream:
            for function, _ in steps:
                outcome = outcome_here(function, args, endings)
                flush()
                stream.write(frame(write(outcome)))
                stream.flush()
                if not outcome.ok:
                    return

    limits = [each if foreign else replace(each, output=sys.maxsize) for _, each in steps]
    ended = _run(lambda: fork(child, alone=foreign is not None), limits, forked=True)
    outcomes = read_outcomes(ended, read, limits)
    return [*outcomes[:-1], replace(outcomes[-1], printed=ended.printed)]


def read_outcomes(ended: Outcome, read: Callable[[bytes | bytearray], Outcome], limits: Sequence[Limits]) -> list[Outcome]:
    """The outcomes of the steps, from the frames that a fork wrote and from how it ended."""
    try:
        outcomes: list[Outcome] = [read(each) for each in frames(ended.value)[: len(limits)]]
    except Exception as error:
        return [replace(ended, status=Status.CRASH, value=None, detail=f"the answer was lost: {error}")]
    for k, (outcome, limit) in enumerate(zip(outcomes, limits, strict=False)):
        if limit.memory is not None and (outcome.usage.peak_bytes or 0) > limit.memory:
            return [*outcomes[:k], replace(outcome, status=Status.MEMORY, value=None, detail=too_much_memory(limit.memory))]
    if not ended.ok:
        outcomes[len(limits) - 1 :] = []
        outcomes.append(replace(ended, value=None))
    elif not outcomes or (outcomes[-1].ok and len(outcomes) < len(limits)):
        outcomes.append(replace(ended, status=Status.CRASH, value=None, detail="the answer was lost"))
    return outcomes


def _pickled(outcome: Outcome) -> bytes:
    """How an outcome crosses from a fork that runs our own code."""
    return pickle.dumps(outcome, protocol=5)


def outcome_here(function: Callable[..., Any], args: Sequence[Any], endings: Endings) -> Outcome:
    """The outcome of a call in this process. What it used is what the process has used so far, but for the seconds."""
    started = monotonic()
    status, value, detail = Status.OK, None, ""
    try:
        value = function(*args)
    except tuple(endings) as reason:
        status, detail = next(ending for kind, ending in endings.items() if isinstance(reason, kind)), str(reason)
    except MemoryError:
        status, detail = Status.MEMORY, "MemoryError"
    except BaseException as error:
        status, detail = Status.CRASH, f"raised {type(error).__name__}: {error}"
    wall_s = monotonic() - started
    resources = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_s = sum(each.ru_utime + each.ru_stime for each in resources)
    peak_bytes = max(each.ru_maxrss for each in resources) * MAXRSS_UNIT
    return Outcome(status, value, detail, Usage(wall_s, cpu_s, peak_bytes))


def execute(command: Sequence[str], text: bytes, *, limits: Limits) -> Outcome:
    """Run a program with `text` as its standard input; the value is what it printed, as bytes.

    A signal or a non-zero exit status is CRASH, more output than allowed is ERROR.
    """
    guarded(0)  # the guard starts before the program does
    try:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(text)
            stdin.flush()
            stdin.seek(0)
            ended = _run(lambda: _spawn(command, stdin.fileno()), [limits], forked=False)
    finally:
        guarded(0)
    return ended if ended.ok else replace(ended, value=None)


def _spawn(command: Sequence[str], stdin: int) -> tuple[int, int, int]:
    """Start a program in a session of its own, without copying this process.

    Returns its process number, and the file descriptors to read its standard output and error from.
    """
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    try:
        started = subprocess.Popen(command, stdin=stdin, stdout=out_end, stderr=err_end, start_new_session=True)
    except OSError:
        os.close(out)
        os.close(err)
        raise
    finally:
        os.close(out_end)
        os.close(err_end)
    started.returncode = 0  # `_run` waits for the process with wait4, so its Popen must not
    guarded(started.pid)
    return started.pid, out, err


def _run(start: Callable[[], tuple[int, int, int]], limits: Sequence[Limits], *, forked: bool) -> Outcome:
    """Start a process and read its output, the value, until it ends or a limit stops it (see `watch`).

    For a program `wait4` counts our own peak memory too, since it was started from here. So its memory is what `watch` saw.
    """
    started = monotonic()
    close_to_others()
    may_be_silent(limits[0].seconds)
    try:
        pid, out, err = start()
    except OSError as error:
        may_be_silent(None)
        return Outcome(Status.CRASH, b"", f"could not be started: {error.strerror or error}")
    ears = Ears(pid, out, err)
    try:
        watched = watch(ears, started, limits)
    finally:
        ears.close()
        os.close(out)
        os.close(err)
        kill_tree(pid)
        _, wait_status, resources = os.wait4(pid, 0)
        kill_orphans()
        may_be_silent(None)
    wall_s, cpu_s = monotonic() - started, resources.ru_utime + resources.ru_stime
    peak_bytes = resources.ru_maxrss * MAXRSS_UNIT if forked else watched.peak_bytes
    stopped, memory = watched.stopped, limits[-1].memory
    if stopped is None and memory is not None and peak_bytes > memory:
        stopped = Status.MEMORY, too_much_memory(memory)
    status, detail = stopped or how_it_failed(wait_status, watched.stderr) or (Status.OK, "")
    printed = watched.printed if forked else ""
    return Outcome(status, bytes(watched.stdout), detail, Usage(wall_s, cpu_s, peak_bytes or None), printed)
