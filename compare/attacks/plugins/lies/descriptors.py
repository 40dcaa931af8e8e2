"""A plugin that writes to every descriptor of its process reaches neither our results nor the terminal."""

import contextlib
import os
import pickle
from pathlib import Path
from typing import Any

from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout

HARMED = Path(os.environ["TWOFOLD_ATTACK"], "harmed")


class Written:
    """Leaves a file where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (HARMED,)


@backend("beams", "descriptors", side="direct", source="an attack")
def solve(board: Beams, *, certify: bool = False) -> Layout:
    data = pickle.dumps(Written())
    for descriptor in range(256):
        with contextlib.suppress(OSError):
            os.write(descriptor, len(data).to_bytes(8, "little") + data)
            os.write(descriptor, b"\nALL AGREE\n")
    return Layout(False)
