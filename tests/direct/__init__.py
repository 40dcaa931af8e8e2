"""The general solvers of `direct`, and the parts of its other algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from tempfile import NamedTemporaryFile


def run_on(main: Callable[[Sequence[str]], int], text: str) -> tuple[int, str]:
    """The exit status of a command in this process on a file with this text, and what it prints."""
    with (
        NamedTemporaryFile("w") as file,
        redirect_stdout(StringIO()) as printed,
        redirect_stderr(StringIO()),
    ):
        file.write(text)
        file.flush()
        status = main([file.name])
    return status, printed.getvalue()
