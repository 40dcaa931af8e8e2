"""How `twofold` and `python -m compare` begin: a message, not a traceback, where the system or the folder is not fit for them.

This module imports nothing of ours before it has looked.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
"""The folder of our four packages: the checkout, or where they are installed."""

NEEDED = ("puzzles", "direct", "models")
"""The packages of ours that `compare` imports."""


def script() -> int:
    """The console script `twofold`; returns the exit status.

    Python looks for modules in the folder of a script first. There python-sat installs a `models.py` of its own, so the folder
    leaves the path.
    """
    folder = Path(sys.argv[0]).resolve().parent
    if sys.path and Path(sys.path[0]).resolve() == folder:
        del sys.path[0]
    return begin("twofold")


def begin(program: str = "python -m compare") -> int:
    """Run the command line; `program` is what its usage messages call it. Returns the exit status, 2 where it cannot begin."""
    obstacle = unsupported() or shadowed()
    if obstacle is not None:
        print(obstacle, file=sys.stderr)
        return 2
    from compare.command_line import main
    from puzzles.streams import leave_if_interrupted

    return leave_if_interrupted(main(program=program))


def unsupported() -> str | None:
    """What to do on a system without `fork`, which `compare` needs to isolate runs; None if the system has it."""
    if hasattr(os, "fork"):
        return None
    return (
        "compare runs each solver in a fork of its own process, and this system has no fork: use Linux or macOS, or on Windows "
        "the Windows Subsystem for Linux (WSL). `python -m direct` works here."
    )


def shadowed() -> str | None:
    """What to do if Python finds another package under the name of one of ours; None if it finds ours."""
    for name in NEEDED:
        spec = find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None:
            return f"the package {name} is missing beside {HOME / 'compare'}: install Twofold again"
        found = Path(origin).resolve()
        if found != HOME / name / "__init__.py":
            module = found.parent if found.name == "__init__.py" else found
            return f"Python finds {module} in place of Twofold's package {name}: {_way_out(module.parent)}"
    return None


def _way_out(folder: Path) -> str:
    if folder == Path.cwd().resolve():
        return "use the command twofold in place of python -m compare, or go to another folder"
    return f"take {folder} off PYTHONPATH"
