"""How `twofold` and `python -m compare` begin: a message, not a traceback, where the system or the
folder is not fit for them.

This module imports nothing of Twofold before it has looked, and next to nothing before it has put
Ctrl-C in order.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NEEDED = ("puzzles", "direct", "models")
"""The packages of Twofold that `compare` imports."""


def script() -> int:
    """The console script `twofold`; returns the exit status.

    Python looks for modules in the folder of a script first. There python-sat installs a
    `models.py` of its own, so the folder leaves the path.
    """
    end_at_once()
    folder = os.path.dirname(os.path.realpath(sys.argv[0]))  # noqa: PTH120 (pathlib takes some milliseconds to import)
    if sys.path and os.path.realpath(sys.path[0]) == folder:
        del sys.path[0]
    return begin("twofold")


def begin(program: str = "python -m compare") -> int:
    """Run the command line; `program` is what its usage messages call it.

    Returns the exit status, 2 where it cannot begin.
    """
    end_at_once()
    obstacle = unsupported() or shadowed()
    if obstacle is not None:
        print(obstacle, file=sys.stderr)
        return 2
    if "_ARGCOMPLETE" in os.environ:  # the shell asks what may follow
        from compare.command_line import complete

        complete(program)
    from compare.command_line import main
    from puzzles.shell.streams import leave_if_interrupted

    status = leave_if_interrupted(main(program=program))
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # all is done: Ctrl-C while Python ends would change nothing but the exit status
    return status


def end_at_once() -> None:
    """From now on Ctrl-C and SIGTERM end this process with one word, until a command begins and
    replaces this.
    """
    for number, usual in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is usual:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(130)


def unsupported() -> str | None:
    """What to do on a system without `fork`, which `compare` needs to isolate runs; None if the
    system has it.
    """
    if hasattr(os, "fork"):
        return None
    return (
        "compare runs each solver in a fork of its own process, and this system has no fork: use "
        "Linux or macOS, or on Windows "
        "the Windows Subsystem for Linux (WSL). `python -m direct` works here."
    )


def shadowed() -> str | None:
    """What to do if Python finds another package under the name of one of these; None if it finds
    ours.
    """
    from importlib.util import find_spec
    from pathlib import Path

    home = Path(__file__).resolve().parent.parent
    for name in NEEDED:
        spec = find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None:
            return f"the package {name} is missing beside {home / 'compare'}: install Twofold again"
        imported = Path(origin).resolve()
        if imported != home / name / "__init__.py":
            module = imported.parent if imported.name == "__init__.py" else imported
            return (
                f"Python finds {module} in place of Twofold's package {name}: "
                f"{_way_out(module.parent)}"
            )
    return None


def _way_out(folder: Path) -> str:
    if folder == folder.cwd().resolve():
        return "use the command twofold in place of python -m compare, or go to another folder"
    return f"take {folder} off PYTHONPATH"
