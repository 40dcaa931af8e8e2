"""Folders that commands write into."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from puzzles.text import UserError


def writable_folder(option: str, name: str | None) -> Path:
    """The folder that an option names (default: the current one), which is created when it is needed.

    It is tried out before the work, not after it; raises `UserError` if nothing can be written there.
    """
    folder = Path(name or "")
    try:
        with TemporaryFile(dir=next(each for each in (folder, *folder.parents) if each.exists())):
            pass
    except OSError as error:
        no_folder = isinstance(error, NotADirectoryError) and folder.exists()
        wrong = " is not a folder" if no_folder else f": {error.strerror or error}"
        raise UserError(f"{option} {folder}{wrong}") from None
    return folder
