"""Languages whose programs are compiled here: the compilers of each, and the words that compile and start a program."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzles.text import UserError

_DEBIAN = "on Debian and Ubuntu `sudo apt install"
_MAC = "on macOS `xcode-select --install`"


@dataclass(frozen=True)
class Language:
    """How programs in one language are compiled and started.

    Attributes:
        name: as people write it.
        suffixes: of its source files.
        compilers: commands that compile it, the first one that is there is used.
        arguments: (source, folder, program) -> the words after the compiler. The compiler writes into the folder only; `program`
            is the path of the executable file there.
        remedy: how to get a compiler.
        variables: the environment variables that name another compiler and further flags, as `make` reads them.
        start: (folder, program) -> the words that start the program.
    """

    name: str
    suffixes: tuple[str, ...]
    compilers: tuple[str, ...]
    arguments: Callable[[str, Path, Path], Sequence[str]]
    remedy: str
    variables: tuple[str, str] | None = None
    start: Callable[[Path, Path], Sequence[str]] = lambda folder, program: (str(program),)

    def compiler(self, source: str) -> tuple[str, ...]:
        """The compiler with the user's own flags; raises `UserError` if there is none."""
        own, flags = (_words_of(variable) for variable in self.variables) if self.variables else ((), ())
        candidates = [own] if own else [(each,) for each in self.compilers]
        for words in candidates:
            if shutil.which(words[0]) is not None:
                return (*words, *self.before_flags, *flags)
        if own and self.variables:
            raise UserError(
                f"the environment variable {self.variables[0]} names the compiler {own[0]}, which is not here: unset it"
            )
        wanted = " or ".join(self.compilers)
        raise UserError(
            f"{source} needs {wanted}, and that is not here: {self.remedy}, or compile it elsewhere and name the program"
        )

    @property
    def before_flags(self) -> tuple[str, ...]:
        """What stands between the compiler and the user's own flags, which therefore win."""
        return ("-O2",) if self.variables else ()


def _words_of(variable: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(os.environ.get(variable, "")))
    except ValueError as error:
        raise UserError(f"the environment variable {variable} cannot be read: {error}") from None


def _start_java(folder: Path, program: Path) -> Sequence[str]:
    """The words that start the class that has a `main`; where several have one, the class named like the source, else `Main`."""
    classes = {
        ".".join(path.relative_to(folder).with_suffix("").parts): path.read_bytes() for path in sorted(folder.rglob("*.class"))
    }
    with_main = [name for name, code in classes.items() if b"\x04main" in code and b"([Ljava/lang/String;)V" in code]
    for name in (program.name, "Main"):
        if name in with_main:
            return ("java", "-cp", str(folder), name)
    if not with_main:
        raise UserError(f"no class of {program.name}.java has a method `public static void main(String[] args)`: add one")
    return ("java", "-cp", str(folder), with_main[0])


LANGUAGES = (
    Language(
        "C++",
        (".cpp", ".cc", ".cxx"),
        ("g++", "clang++", "c++"),
        lambda source, folder, program: ("-o", str(program), source),
        f"install one ({_DEBIAN} g++`, {_MAC})",
        ("CXX", "CXXFLAGS"),
    ),
    Language(
        "C",
        (".c",),
        ("gcc", "clang", "cc"),
        lambda source, folder, program: ("-o", str(program), source, "-lm"),
        f"install one ({_DEBIAN} gcc`, {_MAC})",
        ("CC", "CFLAGS"),
    ),
    Language(
        "Rust",
        (".rs",),
        ("rustc",),
        lambda source, folder, program: (
            *("-C", "opt-level=2", "--edition", "2021", "--crate-name", "program", "-o", str(program), source),
        ),
        "install it from https://rustup.rs",
    ),
    Language(
        "Java",
        (".java",),
        ("javac",),
        lambda source, folder, program: (
            *("-encoding", "UTF-8", "-sourcepath", str(Path(source).parent), "-d", str(folder), source),
        ),
        f"install a JDK ({_DEBIAN} default-jdk`)",
        start=_start_java,
    ),
    Language(
        "Go",
        (".go",),
        ("go",),
        lambda source, folder, program: ("build", "-o", str(program), source),
        "install it from https://go.dev",
    ),
)


def language_of(path: str) -> Language | None:
    """The language that a file is written in, by its suffix; None if it is not one of these."""
    return next((language for language in LANGUAGES if Path(path).suffix in language.suffixes), None)
