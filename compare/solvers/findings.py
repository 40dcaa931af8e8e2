"""Findings: a fault of a solver with the script that shows it, and the files in which they are kept.

A file holds a script, with comment lines that say which solver fails how. It always holds the smallest script so far, so an
interrupted search loses nothing.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import puzzles
from compare.solvers.samples import Sample
from compare.solvers.script import Script, parse
from compare.solvers.solver_faults import SolverFault, verdict_word
from models.solvers.external import is_command
from puzzles.instance import Instance
from puzzles.text import UserError, read_source

_MOST_NAME = 40
"""Characters of a solver's name that the name of a file has."""


@dataclass(frozen=True)
class SolverFinding:
    """A fault of a solver.

    Attributes:
        stem: the path of its file without the suffix.
        sample: the smallest script so far that shows it, with the board from which it comes.
        original: the script on which it was noticed.
        tries: how many scripts were tried to shrink it.
        cut_short: whether shrinking was ended before nothing smaller was left to try.
        came_back: in how many of the runs at the end the fault showed again; None if there were none.
    """

    solver: str
    fault: SolverFault
    sample: Sample
    original: Script
    stem: Path
    tries: int = 0
    cut_short: bool = False
    came_back: int | None = None

    @property
    def path(self) -> Path:
        """The file of the smallest script."""
        return self.stem.with_name(self.stem.name + self.sample.script.suffix)

    @property
    def board_path(self) -> Path | None:
        """The file of the board; None for a script that comes from none."""
        return self.stem.with_name(self.stem.name + ".in") if self.sample.origin.puzzle else None


def stem_of(folder: Path, solver: str, fault: SolverFault, script: Script) -> Path:
    """Where the files of a finding go."""
    return folder / f"{fault.kind.lower().replace(' ', '-')}-{short_name(solver)}-{script.digest}"


def short_name(solver: str) -> str:
    """A solver's name without paths and blanks, as the name of a file has it."""
    word = solver.split()[0] if is_command(solver) else solver.rpartition(".py:")[2].removeprefix("ipasir:")
    return re.sub(r"[^A-Za-z0-9_.-]", "-", Path(word).name)[:_MOST_NAME]


def comments(finding: SolverFinding) -> list[str]:
    """What a file says of the finding, line by line."""
    fault, origin = finding.fault, finding.sample.origin
    lines = [f"solver: {finding.solver}", f"fault: {fault.kind}: {' '.join(fault.detail.split())}"]
    if fault.said is not None or fault.expected is not None:
        lines += [f"the solver's verdict: {verdict_word(fault.said)}", f"expected: {verdict_word(fault.expected)}"]
    if fault.number is not None:
        assumptions = list(finding.sample.script.queries())[fault.number].assumptions
        lines.append(f"call: {fault.number + 1} of {finding.sample.script.calls}")
        lines.append(f"assumptions: {' '.join(map(str, assumptions)) or 'none'}")
    lines.append(f"from: {origin.described}" + ("" if origin.puzzle or not origin.board else f" ({origin.board})"))
    if finding.board_path is not None:
        lines.append(f"board: {finding.board_path.name}")
    return lines


def save(finding: SolverFinding) -> None:
    """Write the files of a finding in place of those that it had before.

    Raises:
        UserError: they cannot be written; the message has the script.
    """
    path, board_path = finding.path, finding.board_path
    text = finding.sample.script.text(comments(finding))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.new")
        draft.write_text(text)
        draft.replace(path)
        if board_path is not None:
            board_path.write_text(puzzles.get(finding.sample.origin.puzzle).print_instances([board_in(finding.sample)]))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}\n{text}") from None
    for suffix in (".cnf", ".icnf"):
        if suffix != path.suffix:
            with suppress(OSError):
                path.with_suffix(suffix).unlink()


def board_in(sample: Sample) -> Instance:
    """The board from which a script comes."""
    return puzzles.get(sample.origin.puzzle).of_text(sample.origin.board)


def as_saved(finding: SolverFinding) -> SolverFinding:
    """The finding with the script that its file holds now, for a shrinking that did not come to its end."""
    for suffix in (".cnf", ".icnf"):
        path = finding.stem.with_name(finding.stem.name + suffix)
        if path.exists():
            script = parse(*read_source(str(path)))
            return replace(finding, sample=replace(finding.sample, script=script), cut_short=True)
    return replace(finding, cut_short=True)
