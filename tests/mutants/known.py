"""What is known of mutants: in two files beside this one, which were killed and which nothing can
tell from the original.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.fates import Fate, State
from tests.mutants.mutations import Mutant
from tests.mutants.stream import BY_ITS_TIME

EARLY = 200
"""Only mutants that were noticed within this number of boards are recorded: a change of the stream
leaves them noticed.
"""

_EQUAL = Path(__file__).parent / "equal.json"
_KILLED = Path(__file__).parent / "killed.json"

EQUAL: dict[str, dict[str, str]] = json.loads(_EQUAL.read_text())
"""By module, the mutants that nothing can tell from the original, each with the reason."""


def killed(module: str) -> list[str]:
    """The mutants of a module that were killed early when the list was made, and not by their time
    alone.
    """
    return _listed().get(module, [])


def record(ended: Iterable[Fate]) -> None:
    """Keep which mutants were killed; what is known of other mutants stays."""
    listed = {module: set(keys) for module, keys in _listed().items()}
    for fate in ended:
        keys = listed.setdefault(fate.mutant.module, set())
        early = fate.state is State.KILLED and fate.boards <= EARLY
        if early and fate.by != BY_ITS_TIME:
            keys.add(fate.mutant.key)
        else:
            keys.discard(fate.mutant.key)
    kept = {module: sorted(keys) for module, keys in sorted(listed.items()) if keys}
    _KILLED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def _listed() -> dict[str, list[str]]:
    return json.loads(_KILLED.read_text())


class Results:
    """A file with what became of mutants, a line of JSON each: a measurement that was interrupted
    goes on with it.

    The last line of each mutant counts; lines of mutants that the code does not have any more are
    passed over.

    Args:
        path: of the file, which need not exist; None to keep nothing.
        boards: of a stream. A mutant that survived fewer of them is tried again, unless it is known
            to be equal.
    """

    def __init__(self, path: str | None, boards: int) -> None:
        self._path = None if path is None else Path(path)
        self._boards = boards
        self._lines: dict[tuple[str, str], dict[str, str | int]] = {}
        if self._path is not None and self._path.exists():
            for line in self._path.read_text().splitlines():
                entry = json.loads(line)
                self._lines[entry["module"], entry["key"]] = entry

    def open(self, mutants: Iterable[Mutant]) -> list[Mutant]:
        """Those of the mutants that are still to be tried."""
        return [mutant for mutant in mutants if not self._settled(mutant)]

    def _settled(self, mutant: Mutant) -> bool:
        entry = self._lines.get((mutant.module, mutant.key))
        if entry is None:
            return False
        if entry["state"] == State.SURVIVED and mutant.key in EQUAL.get(mutant.module, {}):
            return True
        return entry["state"] == State.KILLED or int(entry["of"]) >= self._boards

    def add(self, fate: Fate) -> None:
        """Keep what became of a mutant."""
        entry: dict[str, str | int] = {
            "module": fate.mutant.module,
            "key": fate.mutant.key,
            "state": fate.state.value,
            "by": fate.by,
            "boards": fate.boards,
            "of": self._boards,
        }
        self._lines[fate.mutant.module, fate.mutant.key] = entry
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def fates(self, mutants: Iterable[Mutant]) -> list[Fate]:
        """What became of the mutants, of those that were tried."""
        tried = [(mutant, self._lines.get((mutant.module, mutant.key))) for mutant in mutants]
        return [
            Fate(mutant, State(each["state"]), str(each["by"]), int(each["boards"]))
            for mutant, each in tried
            if each
        ]
