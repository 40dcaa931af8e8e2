"""Programs that are named by their source: compiled once a command, in a temporary folder that is
removed at its end.

There is no cache from one command to the next. So nothing goes stale, whatever file beside the
source changes; a home folder that cannot be written is no obstacle; and processes that run at once
have nothing to share. A compilation takes about a second.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from compare.engine.isolate.child import Child
from compare.engine.isolate.outcome import Limits, Status
from compare.engine.work.programs import STACK, run_compiler
from puzzles.shell.exit_status import LET_TMPDIR, is_terminal
from puzzles.text import UserError, excerpt

_DEBIAN = "on Debian and Ubuntu `sudo apt install"
_MAC = "on macOS `xcode-select --install`"

_JAVA = f"java -Xss{STACK >> 20}m -DONLINE_JUDGE=true"
"""How Java is started: its main thread has a stack of its own, which no limit of the system sets.
The property is what Codeforces sets."""

INTERPRETERS = {
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".rb": "ruby",
    ".pl": "perl",
    ".php": "php",
    ".lua": "lua",
    ".sh": "sh",
    ".bash": "bash",
    ".jl": "julia",
    ".R": "Rscript",
    ".hs": "runghc",
    ".jar": "java -jar",
}
"""What runs files with these suffixes, for a message."""


@dataclass(frozen=True)
class Language:
    """How programs in one language are compiled and started.

    Attributes:
        name: as people write it.
        suffixes: of its source files.
        compilers: commands that compile it, the first one that is there is used.
        arguments: the words after the compiler, as `_fill` takes them. The compiler writes into
            the folder only.
        remedy: how to get a compiler.
        variables: the environment variables that name another compiler and further flags, as `make`
            reads them.
        standards: flags for newer standards of the language than the compiler's default one.
        start: the words that start the program.
        file_name: the name that a source must have, without its suffix, by its text;
            None for any.
    """

    name: str
    suffixes: tuple[str, ...]
    compilers: tuple[str, ...]
    arguments: str
    remedy: str
    variables: tuple[str, str] | None = None
    standards: tuple[str, ...] = ()
    start: str = "{program}"
    file_name: Callable[[str], str | None] | None = None

    def compiler(self, source: str) -> tuple[str, ...]:
        """The compiler with its flags, the user's own last, which therefore win; raises `UserError`
        if there is none.
        """
        own, flags = (
            (_words_of(variable) for variable in self.variables) if self.variables else ((), ())
        )
        candidates = [own] if own else [(each,) for each in self.compilers]
        for words in candidates:
            if shutil.which(words[0]) is not None:
                if not self.variables:
                    return words
                flags = flags if own or flags else _static(words[0])
                return (*words, "-O2", "-DONLINE_JUDGE", *flags)
        if own and self.variables:
            raise UserError(
                f"the environment variable {self.variables[0]} names the compiler {own[0]}, "
                "which is not here: unset it"
            )
        wanted = " or ".join(self.compilers)
        raise UserError(
            f"{source} needs {wanted}, and that is not here: {self.remedy}, or compile it "
            "elsewhere and name the program"
        )


def _static(compiler: str) -> tuple[str, ...]:
    """`-static`, as many a judge has it, if the libraries for it are here: such a program starts in
    half the time.
    """
    for library in ("libc.a", "libstdc++.a"):
        asked = [compiler, f"-print-file-name={library}"]
        place = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        if not Path(place).is_absolute():
            return ()
    return ("-static",)


def _words_of(variable: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(os.environ.get(variable, "")))
    except ValueError as error:
        raise UserError(f"the environment variable {variable} cannot be read: {error}") from None


def _fill(words: str, source: str, beside: Path, folder: Path, program: Path) -> tuple[str, ...]:
    """The words with paths in them: of the source, of the folder `beside` in which the user has it,
    of the folder for what is compiled, and of the executable file there; `main` is the Java class
    to be started.
    """
    paths = {"source": source, "beside": beside, "folder": folder, "program": program}
    main = _main_class(folder, program.name, source) if "{main}" in words else ""
    return tuple(word.format(**paths, main=main) for word in words.split())


def _public_class(code: str) -> str | None:
    """The public class of a Java source; its file must have the same name."""
    code, nested = _JAVA_TEXTS.sub(" ", code), 1
    while nested:
        code, nested = re.subn(r"\{[^{}]*\}", ";", code)
    declared = re.search(
        r"\bpublic\s+(?:[\w-]+\s+)*?(?:class|interface|@interface|enum|record)\s+(\w+)", code
    )
    return declared and declared[1]


_JAVA_TEXTS = re.compile(
    r"""//.*|/\*[\s\S]*?\*/|"{3}[\s\S]*?"{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
)
"""Comments and texts in Java, in which a word is no word of the language."""


def _main_class(folder: Path, first: str, source: str) -> str:
    """The class that has a `main`; where several have one, the class of the name `first`, else
    `Main`.
    """
    with_main = [
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in sorted(folder.rglob("*.class"))
        if b"\x04main" in (code := path.read_bytes()) and b"([Ljava/lang/String;)V" in code
    ]
    if not with_main:
        raise UserError(
            f"no class of {Path(source).name} has a method `public static void main(String[] "
            "args)`: add one"
        )
    return next((name for name in (first, "Main") if name in with_main), with_main[0])


LANGUAGES = (
    Language(
        "C++",
        (".cpp", ".cc", ".cxx"),
        ("g++", "clang++", "c++"),
        "-o {program} {source}",
        f"install one ({_DEBIAN} g++`, {_MAC})",
        ("CXX", "CXXFLAGS"),
        standards=("-std=c++20", "-std=c++23"),
    ),
    Language(
        "C",
        (".c",),
        ("gcc", "clang", "cc"),
        "-o {program} {source} -lm",
        f"install one ({_DEBIAN} gcc`, {_MAC})",
        ("CC", "CFLAGS"),
        standards=("-std=gnu2x",),
    ),
    Language(
        "Rust",
        (".rs",),
        ("rustc",),
        "-C opt-level=2 --edition 2021 --crate-name program -o {program} {source}",
        "install it from https://rustup.rs",
    ),
    Language(
        "Java",
        (".java",),
        ("javac",),
        "-encoding UTF-8 -sourcepath {beside} -d {folder} {source}",
        f"install a JDK ({_DEBIAN} default-jdk`)",
        start=f"{_JAVA} -cp {{folder}} {{main}}",
        file_name=_public_class,
    ),
    Language(
        "Kotlin",
        (".kt",),
        ("kotlinc",),
        "{source} -include-runtime -d {program}.jar",
        "install it from https://kotlinlang.org",
        start=f"{_JAVA} -jar {{program}}.jar",
    ),
    Language(
        "Go",
        (".go",),
        ("go",),
        "build -o {program} {source}",
        "install it from https://go.dev",
    ),
)


def language_of(path: str) -> Language | None:
    """The language that a file is written in, by its suffix; None if it is not one of these."""
    return next(
        (language for language in LANGUAGES if Path(path).suffix in language.suffixes), None
    )


COMPILE_S = 120.0
"""Seconds that a compiler may take."""

_MAX_LINES = 40
"""Lines of a compiler that a message shows."""

PYTHON = ".py"


class _Compiled:
    """What this process has compiled.

    Attributes:
        starts: the words that start it, by the absolute paths of the sources.
        folder: in which it lies; None before there is anything.
    """

    def __init__(self) -> None:
        self.starts: dict[str, tuple[str, ...]] = {}
        self.folder: TemporaryDirectory[str] | None = None

    def new_folder(self) -> Path:
        try:
            if self.folder is None:
                self.folder = TemporaryDirectory(
                    prefix="twofold-programs-", ignore_cleanup_errors=True
                )
            return Path(mkdtemp(dir=self.folder.name))
        except OSError as error:
            reason = error.strerror or error
            raise UserError(f"nothing can be compiled: {reason}: {LET_TMPDIR}") from None

    def remove(self) -> None:
        self.starts.clear()
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None


_compiled = _Compiled()


def folder_of_programs() -> Path | None:
    """The folder that holds all that this process has compiled; None if that is nothing."""
    return None if _compiled.folder is None else Path(_compiled.folder.name)


def compile_again() -> None:
    """Have sources compiled anew when they are named the next time: they may have changed."""
    _compiled.starts.clear()


@contextmanager
def removing_programs() -> Iterator[None]:
    """At the end, however it comes, remove everything that was compiled."""
    try:
        yield
    finally:
        _compiled.remove()


def words_of(option: str, command: str, *, seconds: float = COMPILE_S) -> tuple[str, ...]:
    """The words that start what an option of a command line names.

    That is a command, or the path of a source file with arguments behind it. A path with blanks
    needs quotes only if arguments follow. A source is compiled; Python code runs with this Python,
    unless it is an executable script.

    Args:
        option: what messages call it, such as `--program mine`.
        seconds: how long a compiler may take.

    Raises:
        UserError: the command cannot be read, is not there, or cannot be compiled.
    """
    try:
        words = [command] if _is_source(command) else shlex.split(command)
    except ValueError as error:
        raise UserError(f"{option}: the command {command!r} cannot be read: {error}") from None
    if not words:
        raise UserError(f"{option}: there is no command")
    first, *rest = words
    try:
        if _is_source(first):
            return (*_start(first, seconds), *rest)
    except UserError as error:
        raise UserError(f"{option}: {error}") from None
    found = shutil.which(first)
    if found is None:
        raise UserError(f"{option}: {_why_not_started(first, rest)}")
    return tuple(words) if Path(found).is_absolute() else (found, *rest)


def _why_not_started(first: str, rest: Sequence[str]) -> str:
    """Why a command whose first word names no executable cannot be started, and what may be
    meant.
    """
    path = Path(first)
    if not path.is_file():
        return f"no {'file' if _suffix(first) else 'executable'} {first!r}"
    here = first if os.sep in first else f".{os.sep}{first}"
    if os.access(path, os.X_OK):
        instead = [here]
    elif path.suffix in INTERPRETERS:
        instead = [*INTERPRETERS[path.suffix].split(), first]
    else:
        return f"{first} is not executable: `chmod +x {shlex.quote(first)}`, or name what runs it"
    return f"{first} is no command; did you mean '{shlex.join([*instead, *rest])}'?"


def _suffix(path: str) -> bool:
    return Path(path).suffix == PYTHON or language_of(path) is not None


def _is_source(path: str) -> bool:
    with suppress(OSError, ValueError):  # ValueError: a null character
        return _suffix(path) and Path(path).is_file()
    return False


def _start(source: str, seconds: float) -> tuple[str, ...]:
    """The words that start a source, which is compiled unless it is Python."""
    language = language_of(source)
    if language is None:
        path = source if os.sep in source else f".{os.sep}{source}"
        return (path,) if _is_script(Path(path)) else (sys.executable, path)
    key = str(Path(source).absolute())
    if key not in _compiled.starts:
        _compiled.starts[key] = _compile(source, language, seconds)
    return _compiled.starts[key]


def _is_script(path: Path) -> bool:
    """Whether a file can be started as it is: it is executable and names its interpreter."""
    try:
        return os.access(path, os.X_OK) and path.read_bytes()[:2] == b"#!"
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def _compile(source: str, language: Language, seconds: float) -> tuple[str, ...]:
    """The words that start what a compiler makes of a source."""
    compiler = language.compiler(source)
    path = (
        f".{os.sep}{source}" if source.startswith("-") else source
    )  # else a compiler takes it for an option
    if is_terminal(sys.stderr):
        print(f"compiling {source} with {compiler[0]} ...", file=sys.stderr, flush=True)
    folder = _compiled.new_folder()
    name = _file_name(path, language)
    copied = path
    if name != Path(path).stem:
        copied = str(folder / f"{name}{Path(path).suffix}")
        shutil.copyfile(path, copied)
    paths = Path(path).parent, folder, folder / name
    arguments = _fill(language.arguments, copied, *paths)
    status, says = _run_compiler((*compiler, *arguments), source, folder, seconds)
    if status != 0:
        how = f"status {status}" if status > 0 else f"signal {-status}"
        lines = [
            f"{compiler[0]} does not compile {source}; it ends with {how} and says:",
            *excerpt(says.replace(copied, path), _MAX_LINES),
        ]
        has_standard = any(word.startswith("-std") for word in compiler)
        for standard in () if has_standard else language.standards:
            words = (*compiler, standard, *arguments)
            if language.variables and not _run_compiler(words, source, folder, seconds)[0]:
                variable = language.variables[1]
                flags = shlex.quote(" ".join([*_words_of(variable), standard]))
                lines.append(f"a newer standard compiles it: set {variable}={flags}")
                break
        raise UserError("\n".join(lines))
    command = _fill(language.start, path, *paths)
    if command[0] == str(folder / name) and not os.access(command[0], os.X_OK):
        raise UserError(
            f"{source}: no program may run in {folder.parent}: let TMPDIR name a folder where "
            "programs may"
        )
    if shutil.which(command[0]) is None:
        raise UserError(f"{source} needs {command[0]}, and that is not here: {language.remedy}")
    return command


def _file_name(source: str, language: Language) -> str:
    """The name, without its suffix, that the file of a source must have to be compiled."""
    own = None
    if language.file_name is not None:
        with suppress(OSError):  # the compiler says what is wrong with it
            own = language.file_name(Path(source).read_text("utf-8", "replace"))
    return own or Path(source).stem


def _run_compiler(
    words: tuple[str, ...], source: str, folder: Path, seconds: float
) -> tuple[int, str]:
    """Run a compiler; returns its exit status, or minus the number of a signal, and its lines.

    Its temporary files lie in a folder of ours too. If it does not end in time, or we do not, all
    that it has started is killed.

    Raises:
        UserError: it does not end by itself.
    """
    with TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        messages = scratch / "messages"
        environment = {**os.environ, "TMPDIR": name, **_go_cache(scratch)}
        with closing(Child(starts_programs=True)) as starter:
            ended = starter.call(
                run_compiler, words, environment, str(messages), limits=Limits(seconds)
            )
        if ended.status is Status.TIMEOUT:
            raise UserError(
                f"{words[0]} was stopped: it took more than {seconds:g} s for {source}; compile "
                "it yourself"
            )
        if not ended.ok:
            raise UserError(f"{words[0]} {ended.detail}")
        return ended.value, messages.read_bytes().decode("utf-8", "backslashreplace")


def _go_cache(scratch: Path) -> dict[str, str]:
    """A cache for Go, which does not work without one, if its own cannot be written."""
    own = Path(
        os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME', '')}/.cache", "go-build"
    )
    existing = next(folder for folder in (own, *own.parents) if folder.exists())
    return (
        {}
        if "GOCACHE" in os.environ or os.access(existing, os.W_OK)
        else {"GOCACHE": str(scratch / "go")}
    )
