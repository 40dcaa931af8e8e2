"""SAT solvers that are programs: DIMACS in; verdict, model and exit status out.

In a command, `{cnf}` stands for the file of the formula. `{out}` stands for a file into which the
program writes its verdict and its model, and `{proof}` for one into which it writes a DRAT proof as
text. Each call starts the program anew. What it prints and writes is read by
`models.solvers.solver_output`. Whether its model is one is for the caller to say.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile, gettempdir
from typing import IO

import psutil

from models.dimacs import clause_lines, header
from models.solvers.sat_solver import (
    ModelRefused,
    NoVerdict,
    SatSolver,
    SolverDied,
    SolverFailure,
)
from models.solvers.solver_output import SolverOutput, Unreadable, read_reply
from puzzles.shell.interruption import SIGNALS, Handled
from puzzles.shell.process_tree import ending, kill_tree, pipe_parts
from puzzles.shell.time_limits import Interruption
from puzzles.text import UserError

CNF_PLACE, OUT_PLACE, PROOF_PLACE = "{cnf}", "{out}", "{proof}"
_MAX_BYTES, _BYTES_A_VARIABLE = 2**24, 16
"""What a program may print, and write into `{out}`: comments, and a model."""

_MAX_OF_PROOF = 2**30
"""Bytes of a proof."""

_MAX_SHOWN = 200
"""Characters of a line of a program that a message shows."""

_WHERE_MODELS_ARE = (
    "a model is on lines that begin with `v`. If the program writes it to a file, as minisat does, "
    "say where the name of that file goes in the command: 'minisat {cnf} {out}'"
)

_PLACES = re.compile(r"\{[a-z_]+\}")
_SAYS = {10: True, 20: False, 30: True}
"""What an exit status says. clasp adds 20 to 10 after it has seen all models."""

_WORDS = {True: "SATISFIABLE", False: "UNSATISFIABLE"}


def is_command(solver: str | None) -> bool:
    """Whether this is a command with a place for the formula, and not the name of a solver."""
    return solver is not None and CNF_PLACE in solver


def command_of(text: str) -> list[str]:
    """The words of a command that runs a solver.

    Raises:
        UserError: the command has no `{cnf}`, or its program does not exist.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"the solver command {text!r} cannot be read: {error}") from None
    if not words or not any(CNF_PLACE in word for word in words):
        raise UserError(
            f"a solver command has {CNF_PLACE} where the formula's file goes, and {text!r} has not"
        )
    unknown = next(
        (
            place
            for word in words
            for place in _PLACES.findall(word)
            if place not in (CNF_PLACE, OUT_PLACE, PROOF_PLACE)
        ),
        None,
    )
    if unknown is not None:
        raise UserError(
            f"the solver command {text!r} has {unknown}: only {CNF_PLACE}, {OUT_PLACE} and "
            f"{PROOF_PLACE} stand for files"
        )
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the solver command {text!r}")
    return words


class ExternalSolver(SatSolver):
    """A program with the same methods as python-sat's solvers, as far as a `Session` calls them.

    A method for which programs have no counterpart raises NotImplementedError.
    """

    def __init__(
        self, text: str, variables: int, clauses: Iterable[Sequence[int]], written: bytes = b""
    ) -> None:
        """`text`: the command; `written`: the formula as DIMACS, which a call without further
        clauses or assumptions hands on as it is.
        """
        self._text, self._command, self._variables = text, command_of(text), variables
        self._clauses = list(clauses)
        self._body = ""
        self._in_body = 0
        self._written = written
        self._model: list[int] | None = None
        self._assumed: list[int] = []
        self._proof = b""

    def add_clause(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))
        self._written = b""

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the program finds the clauses and the assumptions satisfiable.

        Raises:
            NoVerdict: it does not know.
            SolverFailure: its verdict is missing or unclear, or its model cannot be read.
        """
        self._assumed = list(assumptions)
        units = [[literal] for literal in assumptions]
        formula = self._written
        if not formula or units:
            self._body += "".join(clause_lines(self._clauses[self._in_body :]))
            self._in_body = len(self._clauses)
            head = header(self._variables, len(self._clauses) + len(units))
            formula = (head + self._body + "".join(clause_lines(units))).encode()
        most = _MAX_BYTES + _BYTES_A_VARIABLE * self._variables
        with (
            solver_file("formula.cnf", formula, named=True) as cnf,
            solver_file("model.out") as out,
            solver_file("proof.drat") as drat,
        ):
            try:
                printed = printed_by(
                    self._command, {CNF_PLACE: cnf, OUT_PLACE: out, PROOF_PLACE: drat}, most
                )
                result, proof = out.read(most), drat.read(_MAX_OF_PROOF)
            except TooMuch:
                raise SolverFailure(
                    self._text, f"printed more than {most >> 20} MB and was stopped"
                ) from None
        reply = self._reply(printed, result.decode("utf-8", "replace"))
        self._model = self._model_of(reply) if reply.verdict else None
        self._proof = b"" if reply.verdict else proof
        return bool(reply.verdict)

    def get_model(self) -> list[int] | None:
        return self._model

    def get_core(self) -> list[int]:
        """All assumptions: a program does not say which of them it needs."""
        return self._assumed

    def get_proof(self) -> list[str]:
        """The lines of the proof of the last call, as the program wrote them.

        Raises:
            NotImplementedError: the command has no place for a proof.
            SolverFailure: the program wrote none.
        """
        if PROOF_PLACE not in self._text:
            raise NotImplementedError
        if not self._proof.strip():
            raise SolverFailure(self._text, "said that there is no model and wrote no proof")
        return self._proof.decode("utf-8", "replace").split("\n")

    def _reply(self, ended: subprocess.CompletedProcess[bytes], written: str) -> SolverOutput:
        """What the program says by all of its means, which is a verdict.

        Raises:
            NoVerdict, SolverFailure: there is none.
        """
        output = ended.stdout.decode("utf-8", "replace")
        printed = self._read(output, "what it printed")
        in_file = self._read(written, f"what it wrote to {OUT_PLACE}")
        status, name = ended.returncode, ending(ended.returncode)
        if printed.word and in_file.word and printed.verdict is not in_file.verdict:
            raise SolverFailure(
                self._text, f"printed {printed.word} and wrote {in_file.word} to {OUT_PLACE}"
            )
        word = in_file.word or printed.word
        if status < 0:
            what = f"said {word} and was " if word else "was "
            raise SolverDied(self._text, f"{what}{name}{last_words(ended.stderr, ended.stdout)}")
        reply = printed if in_file.literals is None else in_file
        reply.word = word or (_WORDS[_SAYS[status]] if status in _SAYS else "")
        if status in _SAYS and reply.verdict is not _SAYS[status]:
            raise SolverFailure(
                self._text, f"said {word} and ended with {name}, which says {_WORDS[_SAYS[status]]}"
            )
        if reply.verdict is None:
            failure = NoVerdict if word or status == 0 else SolverFailure
            shown = (
                f"s {word}"
                if word
                else f"{name}, no s line{last_words(ended.stderr, ended.stdout)}"
            )
            raise failure(self._text, f"gave no verdict: {shown}")
        return reply

    def _read(self, text: str, place: str) -> SolverOutput:
        try:
            return read_reply(text)
        except Unreadable as error:
            raise SolverFailure(
                self._text, f"gave no verdict: {place}, line {error.line}: {error}"
            ) from None

    def _model_of(self, reply: SolverOutput) -> list[int]:
        """The literals of the model; raises `ModelRefused` if there are none to read."""
        if reply.unreadable is not None:
            line, what = reply.unreadable.line, reply.unreadable
            raise ModelRefused(self._text, f"gave a model that cannot be read: line {line}: {what}")
        if reply.literals is None and (self._clauses or self._assumed):
            raise ModelRefused(
                self._text, f"said that there is a model and printed none: {_WHERE_MODELS_ARE}"
            )
        return reply.literals or []


def last_words(*streams: bytes) -> str:
    """The last line of what a program wrote to each stream, behind a colon; empty if it wrote
    nothing.
    """
    texts = [each.decode("utf-8", "replace").strip() for each in streams]
    last = [text.splitlines()[-1][:_MAX_SHOWN] for text in texts if text]
    return "".join(f": {line}" for line in dict.fromkeys(last))


class TooMuch(Exception):
    """A program printed or wrote more than the bound; it has been killed."""


class SolverFile:
    """A file for a program.

    On Linux the file has no name: the program inherits its descriptor, and finds it under its own
    process number. The file is gone when nobody has it open any more, even after a kill. A program
    may go by the ending of a name, so a link with a name can point there. Elsewhere the file is in
    a folder that is removed when the run ends.

    Attributes:
        path: in the words of a shell, where `$$` is the process number of the program.
        inherited: the descriptor; None if the file has a name.
        link: the words of a shell that make the link; empty without one.
    """

    def __init__(self, file: IO[bytes], path: str, inherited: int | None, link: str = "") -> None:
        self._file, self.path, self.inherited, self.link = file, path, inherited, link

    def read(self, most: int) -> bytes:
        """The content; raises `TooMuch` if it has more than `most` bytes."""
        self._file.seek(0)
        content = self._file.read(most + 1)
        if len(content) > most:
            raise TooMuch
        return content


class _Interrupted(Interruption):
    """A signal that ends this process came while a program ran."""


@cache
def _words_before() -> tuple[str, ...]:
    """Words before a command, with which the system kills the program if this process is killed.

    `setpriv` is part of util-linux.
    """
    return ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") is not None else ()


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Where a signal would end this process at once, it raises `_Interrupted` inside, and ends this
    process afterwards.

    This is for the main thread, where `python -m models` waits for programs. Elsewhere nothing
    changes.
    """
    ending: list[int] = []

    def end(number: int, frame: object) -> None:
        ending.append(number)
        raise _Interrupted

    ends_at_once = (
        [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
        if threading.current_thread() is threading.main_thread()
        else []
    )
    try:
        with Handled(end, ends_at_once):
            yield
    finally:
        if ending:
            os.kill(os.getpid(), ending[0])


@contextmanager
def solver_file(name: str, content: bytes = b"", *, named: bool = False) -> Iterator[SolverFile]:
    """A file with this content for as long as the context lasts.

    Args:
        named: whether its path must end with this name, and not only where files need names.
    """
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile(prefix="twofold-"))
        inherited = file.fileno()
        path, link = f"/proc/$$/fd/{inherited}", ""
        nameless = os.access(f"/proc/{os.getpid()}/fd/{inherited}", os.R_OK | os.W_OK)
        if named or not nameless:
            _remove_left_over()
            folder = stack.enter_context(TemporaryDirectory(prefix=f"{_OURS}{os.getpid()}-"))
            in_folder = Path(folder, name)
            if nameless:
                link = f"ln -s {path} {shlex.quote(str(in_folder))} && "
            else:
                file, inherited = stack.enter_context(in_folder.open("w+b")), None
            path = shlex.quote(str(in_folder))
        file.write(content)
        file.flush()
        yield SolverFile(file, path, inherited, link)


_OURS = f"twofold-{socket.gethostname()}-"
"""How the folders of links begin; the number of our process follows. Machines may share a folder
for temporary files.
"""


@cache
def _remove_left_over() -> None:
    """Remove the folders of processes that were killed before they could do it."""
    for folder in Path(gettempdir()).glob(f"{_OURS}*"):
        number = folder.name.removeprefix(_OURS).partition("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def printed_by(
    command: Sequence[str],
    files: Mapping[str, SolverFile],
    most: int,
    hear: Callable[[bytes], object] = lambda part: None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end without input; in its words, each key of `files` stands for the path
    of that file.

    A shell starts it: only there is its process number known, under which it finds its files. If
    this process is interrupted, the program and all that it has started are killed first.

    Args:
        hear: gets each part of its output as it comes.

    Raises:
        TooMuch: it printed more than `most` bytes on stdout or stderr.
    """
    links = "".join(file.link for file in files.values())
    script = links + " ".join(
        ["exec", *_words_before(), *(_quote(word, files) for word in command)]
    )
    started = ["/bin/sh", "-c", script]
    descriptors = [file.inherited for file in files.values() if file.inherited is not None]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with (
        _signals_raise(),
        subprocess.Popen(
            started, stdin=nothing, stdout=pipe, stderr=pipe, pass_fds=descriptors
        ) as process,
    ):
        try:
            output, errors = kept = bytearray(), bytearray()
            for number, part in pipe_parts(process.stdout, process.stderr):
                kept[number].extend(part)
                if len(kept[number]) > most:
                    raise TooMuch
                if number == 0:
                    hear(part)
            status = process.wait()
            return subprocess.CompletedProcess(command, status, bytes(output), bytes(errors))
        except BaseException:
            if process.returncode is None:  # else its number may be another one's by now
                kill_tree(process.pid)
            raise


def _quote(word: str, files: Mapping[str, SolverFile]) -> str:
    """A word for a shell, with the paths of the files in their places."""
    parts = re.split("(" + "|".join(map(re.escape, files)) + ")", word)
    return "".join(files[part].path if part in files else shlex.quote(part) for part in parts)
