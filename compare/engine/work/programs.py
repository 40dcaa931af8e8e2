"""What runs in a starter: a child that only starts programs.

A program that kills or stops its parent hurts this child alone. A program under test runs in a
folder of its own, so it changes nothing in the user's, and two at once do not meet.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import signal
import stat
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import NamedTuple

from compare.engine.isolate.outcome import (
    Limits,
    Status,
    amount_of_bytes,
    uncaught,
    with_reason,
)
from compare.engine.isolate.serving import Ended
from puzzles.shell.process_tree import children, ending, kill_descendants, pipe_parts

STACK = 2**28
"""Bytes that the stack of a program may take where its memory has no limit."""

_MAX_ERRORS = 2**16
"""Bytes of standard error in which the reason of a crash is looked for: so many from its beginning,
and as many from its end.
"""

_MISSES_FILE = re.compile(
    r"No such file or directory|FileNotFound|NoSuchFile|ENOENT|python[\d.]*: No module named|"
    r"Could not find or load main class|could not find `Cargo"
)
"""How programs say that a file is missing: with the text of the system's error, or as Python, Java,
Node.js and Cargo do.
"""


@dataclass(frozen=True)
class ProgramFiles:
    """The files in its folder by which a program takes its input and gives its output.

    Attributes:
        input: the name of the file with its input; empty for standard input.
        output: the name of the file that it writes; empty for standard output.
        or_standard: whether the program may use the standard streams all the same.
    """

    input: str = ""
    output: str = ""
    or_standard: bool = False


STANDARD = ProgramFiles()
"""A program that reads standard input and prints."""


class ProgramOutput(NamedTuple):
    """What a program gave as its output, the wall seconds of its whole life, its exit status, the
    last line of its standard error, what to say if its output is wrong (see `answer_of`), and the
    line of its standard error that names an exception which nobody caught.
    """

    output: bytes
    wall_s: float
    status: int = 0
    last_line: str = ""
    hint: str = ""
    uncaught: str = ""


def run_program(
    command: Sequence[str],
    text: bytes,
    limits: Limits,
    statuses: Collection[int] = (0,),
    folder: str | None = None,
    files: ProgramFiles = STANDARD,
) -> ProgramOutput:
    """Start a program with a text as its input, and wait for its end. Main watches the limits of
    time and memory.

    What it has started ends with it.

    Args:
        statuses: the exit statuses with which it may end.
        folder: an empty one, in which it runs; None for this one. Main removes it, for this process
            may be killed.
        files: names in that folder.

    Raises:
        Ended: CRASH for a signal or another exit status; ERROR if it prints too much, or if its
            output is not where it should be.
    """
    stack = allow_stack(limits.memory)
    if folder is not None:
        command = from_elsewhere(command)
    with tempfile.TemporaryFile() as stdin:
        stdin.write(put_input(folder, text, files))
        stdin.seek(0)
        started = perf_counter()
        try:
            program = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise Ended(Status.CRASH, f"could not be started: {error.strerror or error}") from None
    code, wall_s = 0, 0.0

    def wait() -> None:
        nonlocal code, wall_s
        code, wall_s = program.wait(), perf_counter() - started
        if children(os.getpid()):
            kill_descendants(os.getpid())  # they may hold its pipes open

    output, errors, last_errors = bytearray(), bytearray(), bytearray()
    with program:
        waiting = Thread(target=wait, daemon=True)
        waiting.start()
        for number, part in pipe_parts(program.stdout, program.stderr):
            if number == 0:
                output += part[: limits.output + 1 - len(output)]
                if len(output) > limits.output:
                    program.kill()
            else:
                room = _MAX_ERRORS - len(errors)
                errors += part[:room]
                last_errors = (last_errors + part[room:])[-_MAX_ERRORS:]
        waiting.join()
    if len(output) > limits.output:
        raise Ended(Status.ERROR, f"printed more than {amount_of_bytes(limits.output)}")
    said = (errors + last_errors).decode("utf-8", "replace")
    if code not in statuses:
        how = ending(code)
        if code == -signal.SIGSEGV and stack is not None:
            how += f"; its stack may take {stack}"
        reason = with_reason(how, said)
        if folder is not None and _MISSES_FILE.search(reason):
            given = "--input-file NAME puts its input there, and " if not files.input else ""
            reason += (
                f"; it runs in a folder of its own: {given}a command that begins with `env -C .` "
                "runs here"
            )
        raise Ended(Status.CRASH, reason)
    answer, hint = bytes(output), ""
    if folder is not None:
        answer, hint = answer_of(folder, answer, files, limits.output)
    last_line = "".join(said.strip().splitlines()[-1:])
    return ProgramOutput(answer, wall_s, code, last_line, hint, uncaught(said))


def allow_stack(memory: int | None) -> str | None:
    """Let the stacks of what this process starts grow to the limit of memory, as judges do, and to
    256 MiB without one, if the hard limit allows it; never make them smaller.

    A larger figure than that would let each endless recursion fill much memory before it ends.

    Returns how large they may be, for people; None for any size.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft == resource.RLIM_INFINITY:
        return None
    wanted = max(STACK if memory is None else memory, soft)
    if hard != resource.RLIM_INFINITY and wanted > hard:
        resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
        return f"{amount_of_bytes(hard)}, the hard limit here (ulimit -Hs)"
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    return amount_of_bytes(wanted)


def from_elsewhere(command: Sequence[str]) -> list[str]:
    """The words that start a command from another folder: those that name files or folders as seen
    from this one, by their whole paths.

    A first word without a separator is looked for in PATH, and what comes behind `-c`, `-e` or `-m`
    is code or the name of a module.
    """
    words = list(command)
    for k, word in enumerate(command):
        names_file = os.sep in word if k == 0 else command[k - 1] not in ("-c", "-e", "-m")
        if names_file and os.path.exists(word):  # noqa: PTH110 - quicker
            words[k] = os.path.abspath(word)  # noqa: PTH100 - quicker
    return words


def put_input(folder: str | None, text: bytes, files: ProgramFiles) -> bytes:
    """Write the file with the input, if there is to be one; returns what goes to standard input."""
    if folder is None or not files.input:
        return text
    Path(folder, files.input).write_bytes(text)
    return text if files.or_standard else b""


def answer_of(
    folder: str, printed: bytes, files: ProgramFiles, max_output: int
) -> tuple[bytes, str]:
    """The output of a program that ran in this folder and has ended well, and what to say if it is
    wrong: that the program printed nothing, and wrote files. That may be right: a log beside an
    empty answer.

    Raises:
        Ended: ERROR if it is not where it should be.
    """
    if not files.output:
        if printed.strip() or not (written := _written_files(folder, files)):
            return printed, ""
        read = f"--output-file {written[0] if len(written) == 1 else 'NAME'}"
        return printed, (
            f"printed nothing, and wrote {', '.join(written)}: {read} reads "
            f"{'that' if len(written) == 1 else 'one of them'}"
            f"{'' if files.input else ', --input-file NAME puts its input into a file'}"
        )
    path = Path(folder, files.output)
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # a link, or a pipe on which we would wait
            raise Ended(Status.ERROR, f"{files.output} is no plain file")
        with path.open("rb") as file:
            answer = file.read(max_output + 1)
    except FileNotFoundError:
        if files.or_standard:
            return printed, ""
        others = ", ".join(_written_files(folder, files))
        instead = f"wrote {others}" if others else f"printed {len(printed):,} bytes"
        raise Ended(Status.ERROR, f"it wrote no {files.output}; it {instead}") from None
    except OSError as error:
        raise Ended(
            Status.ERROR, f"{files.output} cannot be read: {error.strerror or error}"
        ) from None
    if len(answer) > max_output:
        raise Ended(
            Status.ERROR, f"wrote more than {amount_of_bytes(max_output)} into {files.output}"
        )
    return answer, ""


def _written_files(folder: str, files: ProgramFiles) -> list[str]:
    """The names of up to three files that a program left in its folder, as a shell takes them."""
    with os.scandir(folder) as entries:
        names = sorted(each.name for each in entries if each.is_file(follow_symlinks=False))
    return [shlex.quote(name[:100]) for name in names if name != files.input][:3]


def run_compiler(words: Sequence[str], environment: Mapping[str, str], messages: str) -> int:
    """Run a compiler, which writes to the file `messages`; returns its exit status, or minus the
    number of a signal.

    Raises:
        Ended: CRASH if it could not be started.
    """
    with Path(messages).open("wb") as lines:
        try:
            return subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=lines, stderr=lines, env=environment
            ).returncode
        except OSError as error:
            raise Ended(Status.CRASH, f"could not be started: {error.strerror or error}") from None
