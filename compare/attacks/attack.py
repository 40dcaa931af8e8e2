"""What an attack is: a hostile file, and what must be seen of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compare.isolate.outcome import Status

HERE = Path(__file__).parent

POSSIBLE = "1\n1 3\n.-.\n"
"""A board of beams. Whoever answers it falsely says IMPOSSIBLE."""


@dataclass(frozen=True)
class Wanted:
    """What the record of an attacker must say.

    Attributes:
        status: how its run ended.
        words: a part of the reason.
    """

    status: Status
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One hostile file, started by one command line.

    Attributes:
        name: what tables call it.
        file: its path in `home`; the first folder is `programs`, `plugins` or `solvers`.
        rows: what the record of each attacker must say, by the argument that its program or solver gets, or by the backend's name.
        refusal: what the message says if the command must refuse the file; there are no rows then.
        options: further words of the command line.
        seconds: the limit of each run.
        home: the folder of the gallery's files.
    """

    name: str
    file: str
    rows: Mapping[str, Wanted] = field(default_factory=dict)
    refusal: str | None = None
    puzzle: str = "beams"
    board: str = POSSIBLE
    options: Sequence[str] = ()
    seconds: float = 5.0
    home: Path = HERE

    @property
    def path(self) -> Path:
        return self.home / self.file

    @property
    def kind(self) -> str:
        """`programs`, `plugins` or `solvers`."""
        return Path(self.file).parts[0]

    @property
    def promise(self) -> str:
        """The sentence with which the file begins."""
        text = self.path.read_text("utf-8")
        words = ast.get_docstring(ast.parse(text)) if self.path.suffix == ".py" else text.removeprefix("#").splitlines()[0]
        return (words or "").strip()
