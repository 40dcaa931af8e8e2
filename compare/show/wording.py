"""What a command says while it works: lines that keep to the width of the terminal, progress,
commands to be copied, and what messages call instances.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tqdm import tqdm

import puzzles
from direct.kernel import compiling_s
from puzzles.shell.exit_status import is_terminal
from puzzles.text import visible

_LEAST = 40
"""Characters of a line below which nothing is made to fit."""

INDENT = "    "
"""What stands before each line of a board and of an answer."""

_WHOLE = (INDENT, "--> ", "replay: ", "see it: ")
"""How lines begin that stay as they are, however long: what is drawn, and what is to be copied."""


def line_width(*, wide: bool = False) -> int | None:
    """The characters of a line of standard output; None if it is no terminal, or if lines may be of
    any length.
    """
    if wide or not is_terminal(sys.stdout):
        return None
    return max(_LEAST, shutil.get_terminal_size().columns)


@dataclass
class Listener:
    """Hears what a command says, in place of the terminal: the command prints nothing.

    Attributes:
        progress: whether the terminal shows the progress all the same.
    """

    progress: bool = True
    warnings: list[str] = field(default_factory=list)


LISTENER: ContextVar[Listener | None] = ContextVar("LISTENER", default=None)
"""Who hears what is said; None for the terminal."""


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Within, this listener hears what is said."""
    token = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(token)


def say(*lines: str) -> None:
    """Print lines of prose, none longer than the terminal is wide, and above a progress bar if one
    is shown.
    """
    for line in lines:
        write(visible(wrap(line, line_width())))


def write(text: str, end: str = "\n") -> None:
    """Print a text that is laid out already, above a progress bar if one is shown."""
    if LISTENER.get() is None:
        tqdm.write(text, end=end)


def warn(*lines: str) -> None:
    """Print lines on standard error."""
    listener = LISTENER.get()
    for line in map(visible, lines):
        if listener is None:
            print(line, file=sys.stderr)
        else:
            listener.warnings.append(line)


def pass_on(text: str) -> None:
    """Print lines on standard error, above a progress bar: what foreign code has printed, or what
    somebody who waits should know.
    """
    if LISTENER.get() is None:
        tqdm.write(text, file=sys.stderr)


def progress_bar(*, quiet: bool = False, **options: Any) -> tqdm[NoReturn]:
    """A bar on stderr with these options of `tqdm`, if that is a terminal; also on one that does
    not tell its size.
    """
    size, listener = shutil.get_terminal_size(), LISTENER.get()
    return tqdm(
        disable=True if quiet or (listener is not None and not listener.progress) else None,
        leave=False,
        ncols=size.columns,
        nrows=size.lines,
        **options,
    )


def run_until_interrupted(run: Callable[[], object]) -> bool:
    """Run it; whether Ctrl-C has ended it. What it found so far still counts."""
    try:
        run()
    except KeyboardInterrupt:
        return True
    return False


def say_what_is_compiled(puzzle: str) -> None:
    """Say that a puzzle's kernels are compiled, which takes a while; on a terminal only."""
    listener = LISTENER.get()
    if is_terminal(sys.stderr) and (listener is None or listener.progress):
        known = compiling_s(puzzle)
        seconds = f" (about {known} s of computing)" if known else ""
        print(f"compiling {puzzle} once for this machine{seconds} ...", file=sys.stderr, flush=True)


def round_time(seconds: float) -> str:
    """A time for people: `40 s`, `6 min`, `2 h 5 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def wrap(text: str, width: int | None) -> str:
    """Prose with no line longer than `width`: broken between words, what follows the first part is
    indented. Boards and commands are not broken.
    """
    if width is None:
        return text
    parts: list[str] = []
    for line in text.split("\n"):
        if columns(line) <= width or line.startswith(_WHOLE):
            parts.append(line)
            continue
        part = ""
        for word in _WORDS.findall(line):
            longest = width - len(INDENT) if columns(word) > width // 2 else width
            for piece in textwrap.wrap(word, longest, drop_whitespace=False):
                if columns((part + piece).rstrip()) > width:
                    parts.append(part.rstrip())
                    part = INDENT + piece.lstrip()
                else:
                    part += piece
        parts.append(part.rstrip())
    return "\n".join(parts)


_WORDS = re.compile(r"[\u1100-\uffef]|\s*[^\s\u1100-\uffef]+|\s+")
"""Words with the blanks before them; each character of a script without blanks by itself."""


def columns(text: str) -> int:
    """How many columns of a terminal a line takes; a Chinese character takes two."""
    return (
        len(text)
        if text.isascii()
        else sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in text)
    )


def widest(text: str) -> int:
    """The columns of the longest line."""
    return max(map(columns, text.split("\n")))


def command(words: Iterable[str], options: Mapping[str, object]) -> str:
    """A command of `compare`, to be copied.

    Args:
        options: by name. True stands for the option alone, a list for the option with each of its
            values; what is empty is left out.
    """
    every = ["python", "-m", "compare", *words]
    for name, value in options.items():
        for each in value if isinstance(value, list) else [value] if value else []:
            value_word = f"{each:g}" if isinstance(each, float) else str(each)
            if each is True:
                every.append(name)
            elif value_word.startswith("-"):  # else it would be taken for an option
                every.append(f"{name}={value_word}")
            else:
                every += [name, value_word]
    return shlex.join(every)


def path_word(path: Path) -> str:
    """A path as a word of a command, which no option looks like."""
    return f"./{path}" if str(path).startswith("-") else str(path)


BOARD = "board"


def noun_of(names: Iterable[str]) -> str:
    """What the puzzles of these names call an instance:

    `board` if all of them say so, else `case`.
    """
    return BOARD if all(puzzles.get(name).noun == BOARD for name in names) else "case"


def size_noun(names: Iterable[str]) -> str:
    """What the size of an instance of these puzzles counts:

    `cells` if all instances are boards, else `size` says it all.
    """
    return "cells" if noun_of(names) == BOARD else "size"
