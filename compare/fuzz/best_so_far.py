"""The smallest failing board so far, in a file: a worker keeps it while it shrinks, for a search that cannot wait for the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import puzzles
from puzzles.instance import Instance
from puzzles.puzzle import Puzzle


@dataclass(frozen=True)
class BestSoFar:
    """The file. Its folder is the search's own; a worker on another machine does not see it, and then nothing is kept."""

    path: Path

    def keep(self, boards: Sequence[Instance], tries: int) -> None:
        """Keep the smallest board, or the boards of the smallest call, and the number of runs. A full disk is no failure."""
        draft = self.path.with_suffix(".new")
        with suppress(OSError):
            texts = [puzzles.get(board.puzzle).print_instances([board]) for board in boards]
            draft.write_text(json.dumps({"tries": tries, "boards": texts}))
            draft.replace(self.path)

    def kept(self, puzzle: Puzzle) -> tuple[list[Instance], int]:
        """The boards that were kept last, none if nothing was, and the number of runs."""
        try:
            kept = json.loads(self.path.read_text())
        except OSError:
            return [], 0
        return [board for text in kept["boards"] for board in puzzle.parse(text, str(self.path))], kept["tries"]
