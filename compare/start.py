"""How `twofold` and `python -m compare` begin: a message, not a traceback, where the system or the
folder is not fit for them.

This module imports nothing of Twofold before it has looked. What puts Ctrl-C in order it reads from
its file.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

_FOLDER = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 (pathlib takes some milliseconds to import)
"""Where the packages of Twofold are."""

_NEEDED = ("puzzles", "direct", "models")
"""The packages of Twofold that `compare` imports."""

NO_FORK = (
    "compare runs each solver in a fork of its own process, and this system has no fork: use Linux "
    "or macOS, or on Windows the Windows Subsystem for Linux (WSL). `python -m direct` works here."
)
"""What to do on a system without `fork`."""


def script() -> int:
    """The console script `twofold`; returns the exit status.

    Python looks for modules in the folder of a script first. There python-sat installs a
    `models.py` of its own, so the folder leaves the path.
    """
    folder = os.path.dirname(os.path.realpath(sys.argv[0]))  # noqa: PTH120
    if sys.path and os.path.realpath(sys.path[0]) == folder:
        del sys.path[0]
    return begin("twofold")


def begin(program: str = "python -m compare") -> int:
    """Run the command line; `program` is what its usage messages call it.

    Returns the exit status, 2 where it cannot begin.
    """
    interruption = ModuleType("interruption")
    path = f"{_FOLDER}/puzzles/shell/interruption.py"
    try:
        SourceFileLoader("interruption", path).exec_module(interruption)
    except FileNotFoundError:
        print(_missing("puzzles"), file=sys.stderr)
        return 2
    interruption.end_at_once(*interruption.SIGNALS)
    obstacle = shadow_message() if hasattr(os, "fork") else NO_FORK
    if obstacle is not None:
        print(obstacle, file=sys.stderr)
        return 2
    from compare.command_line import complete, main

    if "_ARGCOMPLETE" in os.environ:  # the shell asks what may follow
        complete(program)
    return interruption.leave(main(program=program))


def _missing(name: str) -> str:
    """What to do if one of the packages is not there."""
    return f"the package {name} is missing beside {_FOLDER}/compare: install Twofold again"


def shadow_message() -> str | None:
    """What to do if Python finds another package under the name of one of these; None if it finds
    ours.
    """
    from importlib.util import find_spec
    from pathlib import Path

    for name in _NEEDED:
        spec = find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None:
            return _missing(name)
        imported = Path(origin).resolve()
        if imported != Path(_FOLDER, name, "__init__.py"):
            module = imported.parent if imported.name == "__init__.py" else imported
            way_out = f"take {module.parent} off PYTHONPATH"
            if module.parent == Path.cwd().resolve():
                way_out = (
                    "use the command twofold in place of python -m compare, or go to another folder"
                )
            return f"Python finds {module} in place of Twofold's package {name}: {way_out}"
    return None
