"""Checkers of proofs: our own, or a program such as drat-trim."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from models.cnf import Formula
from models.dimacs import Encoding, text
from models.proofs import rup
from puzzles.text import UserError

OWN = "rup"
"""The name of our own checker."""

OUTSIDE = {"drat-trim": "drat-trim {cnf} {proof}", "dpr-trim": "dpr-trim {cnf} {proof}"}
"""Programs that check proofs, in the order of preference. They are used if they are on PATH."""


class Unproved(Exception):
    """The reason why a lemma is left unproved."""


Checker = Callable[[Formula, str, Iterable[str]], None]
"""(formula, what it means if the formula is satisfiable, lines of a DRAT proof); raises `Unproved` if it refuses the proof."""


def checker_named(name: str | None) -> tuple[str, Checker]:
    """A checker by its name: `rup`, one of `OUTSIDE`, or a command with {cnf} and {proof} in it that prints `s VERIFIED`.

    Without a name: one of `OUTSIDE` that is on PATH, else our own.

    Returns:
        The checker, and before it a name to print: for a command its words without the folder and the files.

    Raises:
        UserError: there is no such program, or the command cannot be read.
    """
    if name is None:
        name = next((known for known in OUTSIDE if shutil.which(known)), OWN)
    if name == OWN:
        return OWN, own_checker
    command = OUTSIDE.get(name, name)
    if "{cnf}" not in command or "{proof}" not in command:
        raise UserError(f"a checker is {OWN}, {', '.join(OUTSIDE)}, or a command with {{cnf}} and {{proof}} in it, not {name!r}")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"the checker {name!r} is no command: {error}") from None
    if shutil.which(words[0]) is None:
        raise UserError(f"no executable {words[0]!r} for the checker {name!r}")
    shown = [Path(words[0]).name, *(word for word in words[1:] if "{cnf}" not in word and "{proof}" not in word)]
    return " ".join(shown), partial(_run_checker, words)


def own_checker(formula: Formula, meaning: str, proof: Iterable[str]) -> None:
    """Check by unit propagation; raises `Unproved` if a step does not follow."""
    del meaning
    try:
        rup.check(formula, rup.steps(proof))
    except rup.WrongStep as wrong:
        raise Unproved(str(wrong)) from wrong


def _run_checker(words: list[str], formula: Formula, meaning: str, proof: Iterable[str]) -> None:
    """Check by a program; raises `Unproved` unless it prints `s VERIFIED`, and `UserError` if it cannot be run."""
    try:
        with TemporaryDirectory(prefix="twofold-") as folder:
            cnf, drat = Path(folder) / "formula.cnf", Path(folder) / "proof.drat"
            write(cnf, [text(Encoding(formula, meaning, []))])
            write(drat, (f"{line}\n" for line in proof))
            command = [word.replace("{cnf}", str(cnf)).replace("{proof}", str(drat)) for word in words]
            process = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise UserError(f"the checker {words[0]} cannot be run: {error.strerror or error}") from None
    output = process.stdout.decode("utf-8", "replace").splitlines()
    if "s VERIFIED" not in map(str.strip, output):
        last = next((line.strip() for line in reversed(output) if line.strip()), f"exit status {process.returncode}")
        raise Unproved(f"{words[0]} does not verify the proof: {last[:200]}")


def write(path: Path, parts: Iterable[str]) -> None:
    """Write a file; raises `UserError` if it cannot be written, for instance because the disk is full."""
    try:
        with path.open("w") as stream:
            stream.writelines(parts)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
