"""SAT solvers that are programs: DIMACS in, `s` and `v` lines and an exit status out, as in the SAT
competitions.

In a command, `{cnf}` stands for the file of the formula. `{out}` stands for a file into which the
program writes its model, as minisat does, and `{proof}` for one into which it writes a DRAT proof
as text. Each call starts the program anew. A model is accepted only if it satisfies every clause.
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

import psutil

from models.dimacs import header, lines
from models.solvers.sat_solver import (
    ModelRefused,
    SatSolver,
    SolverDied,
    SolverFailure,
    broken_clause,
)
from puzzles.text import UserError

PLACE, OUT_PLACE, PROOF_PLACE = "{cnf}", "{out}", "{proof}"
_MAX_BYTES, _BYTES_A_VARIABLE = 2**24, 16
"""What a program may print, and write into `{out}`: comments, and a model."""

_MAX_OF_PROOF = 2**30
"""Bytes of a proof."""

_WHERE_MODELS_ARE = (
    "a model is on lines that begin with `v`. If the program writes it to a file, as minisat "
    "does, say where the name of that "
    "file goes in the command: 'minisat {cnf} {out}'"
)

_PLACES = re.compile(r"\{[a-z_]+\}")
_LITERAL = re.compile(r"-?[0-9]{1,10}")
_SATISFIABLE, _UNSATISFIABLE = 10, 20
_STATUS = {
    "SATISFIABLE": _SATISFIABLE,
    "UNSATISFIABLE": _UNSATISFIABLE,
    "SAT": _SATISFIABLE,
    "UNSAT": _UNSATISFIABLE,
}


def is_command(solver: str | None) -> bool:
    """Whether this is a command with a place for the formula, and not the name of a solver."""
    return solver is not None and PLACE in solver


def command_of(text: str) -> list[str]:
    """The words of a command that runs a solver.

    Raises:
        UserError: the command has no `{cnf}`, or its program does not exist.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"the solver command {text!r} cannot be read: {error}") from None
    if not words or not any(PLACE in word for word in words):
        raise UserError(
            f"a solver command has {PLACE} where the formula's file goes, and {text!r} has not"
        )
    unknown = next(
        (
            place
            for word in words
            for place in _PLACES.findall(word)
            if place not in (PLACE, OUT_PLACE, PROOF_PLACE)
        ),
        None,
    )
    if unknown is not None:
        raise UserError(
            f"the solver command {text!r} has {unknown}: only {PLACE}, {OUT_PLACE} and "
            f"{PROOF_PLACE} stand for files"
        )
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the solver command {text!r}")
    return words


class ExternalSolver(SatSolver):
    """A program with the same methods as python-sat's solvers, as far as a `Session` calls them.

    A method for which programs have no counterpart raises NotImplementedError.
    """

    def __init__(self, text: str, variables: int, clauses: Iterable[Sequence[int]]) -> None:
        self._text, self._command, self._variables = text, command_of(text), variables
        self._clauses = [list(clause) for clause in clauses]
        self._body = "".join(lines(self._clauses))
        self._model: list[int] | None = None
        self._assumed: list[int] = []
        self._proof = b""

    def add_clause(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))
        self._body += "".join(lines([clause]))

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the program finds the clauses and the assumptions satisfiable.

        Raises:
            SolverFailure: its verdict is missing or unclear, or its model violates a clause.
        """
        self._assumed = list(assumptions)
        units = [[literal] for literal in assumptions]
        formula = (
            header(self._variables, len(self._clauses) + len(units))
            + self._body
            + "".join(lines(units))
        )
        most = _MAX_BYTES + _BYTES_A_VARIABLE * self._variables
        with (
            solver_file("formula.cnf", formula.encode()) as cnf,
            solver_file("model.out") as out,
            solver_file("proof.drat") as drat,
        ):
            try:
                printed = printed_by(
                    self._command, {PLACE: cnf, OUT_PLACE: out, PROOF_PLACE: drat}, most
                )
                result, proof = out.read(most), drat.read(_MAX_OF_PROOF)
            except TooMuch:
                raise SolverFailure(
                    self._text, f"printed more than {most >> 20} MB and was stopped"
                ) from None
        output = (
            _as_competition(result.decode("utf-8", "replace"))
            if result
            else printed.stdout.decode("utf-8", "replace")
        )
        satisfiable = self._verdict(
            output, printed.returncode, printed.stderr.decode("utf-8", "replace")
        )
        self._model = self._checked_model(output) if satisfiable else None
        self._proof = b"" if satisfiable else proof
        return satisfiable

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

    def _verdict(self, output: str, status: int, errors: str) -> bool:
        """Whether the `s` lines and the exit status agree on "satisfiable"; raises `SolverFailure`
        if they are unclear.
        """
        s_lines = [line[2:].strip() for line in output.splitlines() if line.startswith("s ")]
        verdicts = {_STATUS.get(line, 0) for line in s_lines}
        if status in (_SATISFIABLE, _UNSATISFIABLE):
            verdicts.add(status)
        if status in (0, *verdicts) and verdicts in ({_SATISFIABLE}, {_UNSATISFIABLE}):
            return verdicts == {_SATISFIABLE}
        shown = f", s {s_lines[0]}" if s_lines else ", no s line"
        words = f"exit status {status}" + (
            ", two different s lines" if len({*s_lines}) > 1 else shown
        )
        error_lines = errors.strip().splitlines()
        failure = SolverDied if status < 0 else SolverFailure
        raise failure(
            self._text,
            f"gave no verdict: {words}" + (f": {error_lines[-1][:200]}" if error_lines else ""),
        )

    def _checked_model(self, output: str) -> list[int]:
        """The model of the `v` lines; raises `ModelRefused` unless it satisfies every clause and
        assumption.
        """
        words = [
            word
            for line in output.splitlines()
            if line.startswith("v ")
            for word in line[2:].split()
        ]
        if not all(map(_LITERAL.fullmatch, words)):
            raise ModelRefused(self._text, "printed a model that is no list of numbers")
        literals = map(int, words)
        true = {literal for literal in literals if literal}
        if any(-literal in true or abs(literal) > self._variables for literal in true):
            raise ModelRefused(
                self._text, "printed a model that contradicts itself or leaves the formula"
            )
        false = [-variable for variable in range(1, self._variables + 1) if variable not in true]
        broken = broken_clause(
            [*self._clauses, *([literal] for literal in self._assumed)], [*true, *false]
        )
        if broken is not None:
            if not words:
                raise ModelRefused(
                    self._text, f"said that there is a model and printed none: {_WHERE_MODELS_ARE}"
                )
            raise ModelRefused(
                self._text, f"printed a model that does not satisfy the clause {list(broken)}"
            )
        return sorted(true, key=abs)


def _as_competition(text: str) -> str:
    """minisat's result file, turned into the lines that other solvers print."""
    first, *rest = text.splitlines() or [""]
    return "".join([f"s {first}\n", *(f"v {line}\n" for line in rest)])


_AT_ONCE = 1 << 16
"""Bytes that are read in one step."""


class TooMuch(Exception):
    """A program printed or wrote more than the bound; it has been killed."""


class SolverFile:
    """A file for a program.

    On Linux the file has no name: the program inherits its descriptor, and finds it under its own
    process number. The file is gone when nobody has it open any more, even after a kill. Elsewhere
    it is in a folder that is removed when the run ends.

    Attributes:
        path: in the words of a shell, where `$$` is the process number of the program.
        inherited: the descriptor; None if the file has a name.
    """

    def __init__(self, file: IO[bytes], path: str, inherited: int | None) -> None:
        self._file, self.path, self.inherited = file, path, inherited

    def read(self, most: int) -> bytes:
        """The content; raises `TooMuch` if it has more than `most` bytes."""
        self._file.seek(0)
        content = self._file.read(most + 1)
        if len(content) > most:
            raise TooMuch
        return content


class _Interrupted(BaseException):
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

    heeded = []
    if threading.current_thread() is threading.main_thread():
        heeded = [
            number
            for number in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(number) is signal.SIG_DFL
        ]
    try:
        for number in heeded:
            signal.signal(number, end)
        yield
    finally:
        for number in heeded:
            signal.signal(number, signal.SIG_DFL)
        if ending:
            os.kill(os.getpid(), ending[0])


def _kill(pid: int) -> None:
    """Kill a process and all that it has started.

    All of them are stopped first: one that runs could start another program after its programs are
    listed.
    """
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        below: set[psutil.Process] = set()
        while further := set(process.children(recursive=True)) - below:
            for each in further:
                with suppress(psutil.NoSuchProcess):
                    each.suspend()
            below |= further
        for each in (*below, process):
            with suppress(psutil.NoSuchProcess):
                each.kill()


@contextmanager
def solver_file(name: str, content: bytes = b"") -> Iterator[SolverFile]:
    """A file with this content for as long as the context lasts; `name` is used where files need
    names.
    """
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile(prefix="twofold-"))
        inherited = file.fileno()
        path = f"/proc/$$/fd/{inherited}"
        if not os.access(f"/proc/{os.getpid()}/fd/{inherited}", os.R_OK | os.W_OK):
            named = Path(stack.enter_context(TemporaryDirectory(prefix="twofold-")), name)
            file, inherited, path = (
                stack.enter_context(named.open("w+b")),
                None,
                shlex.quote(str(named)),
            )
        file.write(content)
        file.flush()
        yield SolverFile(file, path, inherited)


def printed_by(
    command: Sequence[str], files: Mapping[str, SolverFile], most: int
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end without input; in its words, each key of `files` stands for the path
    of that file.

    If this process is interrupted, the program and all that it has started are killed first.

    Raises:
        TooMuch: it printed more than `most` bytes on stdout or stderr.
    """
    script = " ".join(["exec", *_words_before(), *(_quoted(word, files) for word in command)])
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
            output, errors = _read(process, most)
            return subprocess.CompletedProcess(command, process.wait(), output, errors)
        except BaseException:
            _kill(process.pid)
            raise


def _quoted(word: str, files: Mapping[str, SolverFile]) -> str:
    """A word for a shell, with the paths of the files in their places."""
    parts = re.split("(" + "|".join(map(re.escape, files)) + ")", word)
    return "".join(files[part].path if part in files else shlex.quote(part) for part in parts)


def _read(process: subprocess.Popen[bytes], most: int) -> tuple[bytes, bytes]:
    """Both outputs of a process, read until it closes them."""
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = bytearray(), bytearray()
    with selectors.DefaultSelector() as open_pipes:
        open_pipes.register(process.stdout, selectors.EVENT_READ, output)
        open_pipes.register(process.stderr, selectors.EVENT_READ, errors)
        while open_pipes.get_map():
            for key, _ in open_pipes.select():
                part = os.read(key.fd, _AT_ONCE)
                key.data.extend(part)
                if not part:
                    open_pipes.unregister(key.fileobj)
                elif len(key.data) > most:
                    raise TooMuch
    return bytes(output), bytes(errors)
