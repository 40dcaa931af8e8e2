"""What is known of mutants, in two files beside this one: which were killed, and which nothing can tell from the original."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.fates import Fate, State
from tests.mutants.stream import BY_ITS_TIME

EARLY = 200
"""Only mutants that were noticed within this number of boards are recorded: a change of the stream leaves them noticed."""

_EQUAL = Path(__file__).parent / "equal.json"
_KILLED = Path(__file__).parent / "killed.json"

EQUAL: dict[str, dict[str, str]] = json.loads(_EQUAL.read_text())
"""By module, the mutants that nothing can tell from the original, each with the reason."""


def killed(module: str) -> list[str]:
    """The mutants of a module that were killed early when the list was made, and not by their time alone."""
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
