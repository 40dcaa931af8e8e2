"""Temporary folders in which somebody's program may leave whatever it likes.

Those of the standard library raise at their end if what is in them is deeper than Python's stack.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from puzzles.text import visible


@contextmanager
def scratch_folder(prefix: str, parent: str | None = None) -> Iterator[str]:
    """The path of a new folder, which is removed at the end with all that is in it.

    If it cannot be removed, a line on standard error names it.

    Args:
        parent: where it lies; None for the system's place of temporary folders.
    """
    path = mkdtemp(prefix=prefix, dir=parent)
    try:
        yield path
    finally:
        if not remove_folder(path):
            print(
                visible(f"{path} could not be removed: a program left what stays"), file=sys.stderr
            )


def remove_folder(path: str) -> bool:
    """Remove a folder with all that is in it; returns whether it is gone."""
    with suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    if Path(path).exists():  # `rm` goes as deep as it needs
        subprocess.run(["/bin/rm", "-rf", "--", path], stderr=subprocess.DEVNULL, check=False)
    return not Path(path).exists()
