"""The files that a command writes: none of them is a file that the same command reads."""

from __future__ import annotations

import os
from pathlib import Path

STANDARD_INPUT = "/dev/stdin"


def same_file(one: str, other: str) -> bool:
    """Whether two paths name the same file, perhaps by links; also a file that is not there yet."""
    try:
        return Path(one).samefile(other) and Path(one).is_file()
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
    except ValueError:  # a name with a null character
        return False
