"""Compiled programs on other machines: a worker of a cluster gets them with each call, and keeps them under the same paths."""

from __future__ import annotations

import atexit
import pickle
import platform
import zlib
from pathlib import Path
from shutil import rmtree
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from compare.work.source_programs import folder_of_programs
from puzzles.text import UserError


class PackedPrograms(NamedTuple):
    """All that one process has compiled.

    Attributes:
        folder: where everything lies.
        paths: of the files.
        content: the bytes of each file, pickled and compressed.
    """

    folder: Path
    paths: tuple[Path, ...]
    content: bytes


def packed_programs() -> PackedPrograms | None:
    """What this process has compiled; None if that is nothing."""
    folder = folder_of_programs()
    if folder is None:
        return None
    paths = tuple(path for path in sorted(folder.rglob("*")) if path.is_file())
    return PackedPrograms(folder, paths, zlib.compress(pickle.dumps([path.read_bytes() for path in paths])))


def put_in_place(programs: PackedPrograms) -> None:
    """Write the files that are not here; this process removes them when it ends.

    On the machine where they were compiled they are there already.

    Raises:
        UserError: a file cannot be written.
    """
    if all(path.exists() for path in programs.paths):
        return
    atexit.register(rmtree, programs.folder, ignore_errors=True)
    try:
        contents = pickle.loads(zlib.decompress(programs.content))  # noqa: S301 (our own client wrote it)
        for path, content in zip(programs.paths, contents, strict=True):
            _write(path, content)
    except OSError as error:
        here = f"the worker on {platform.node()} cannot keep a compiled program: {error}"
        raise UserError(f"{here}; let TMPDIR name a folder that can be written on every machine") from None


def _write(path: Path, content: bytes) -> None:
    """Write an executable file that no other process ever sees in part."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as draft:
        draft.write(content)
    Path(draft.name).chmod(0o700)
    Path(draft.name).replace(path)
