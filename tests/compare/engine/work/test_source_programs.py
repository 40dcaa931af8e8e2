"""Programs that are named by their sources: in each language a right one, a wrong one, and one that
does not compile.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from compare.engine.work.contenders import programs
from compare.engine.work.source_programs import (
    LANGUAGES,
    Language,
    folder_of_programs,
    removing_programs,
    words_of,
)
from puzzles import get
from puzzles.text import UserError
from tests.installed import slow
from tests.processes import CompareHere, command, compare, environment, start_module, wait_until

SOURCES = Path(__file__).parent / "languages"
"""For each language a program that solves the beams boards `.`, `-` and `|` of one cell."""

NEEDS_CPP = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
NEEDS_JAVA = pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler here")


def here(language: Language) -> bool:
    return any(shutil.which(compiler) for compiler in language.compilers)


def in_each_language(*, fast: tuple[str, ...]) -> list[object]:
    """A parameter for each language, slow but for these; those without a compiler here are skipped
    with that reason.
    """
    parameters: list[object] = []
    for language in LANGUAGES:
        marks = [pytest.mark.skipif(not here(language), reason=f"no {language.name} compiler here")]
        if language.name not in fast:
            marks.append(pytest.mark.slow)
        parameters.append(pytest.param(language.suffixes[0], id=language.name, marks=marks))
    return parameters


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """What a test compiles is removed after it."""
    with removing_programs():
        yield


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(words: tuple[str, ...], board: str = "1\n1 1\n|\n") -> str:
    return subprocess.run(words, input=board, capture_output=True, text=True, check=True).stdout


def starts(command: str, **more: float) -> tuple[str, ...]:
    """What starts the program `mine`."""
    return words_of("--program mine", command, **more)


@pytest.mark.parametrize(
    "suffix", [*in_each_language(fast=("C++",)), pytest.param(".py", id="Python")]
)
def test_a_right_and_a_wrong_source_take_part(suffix: str, in_folder: Path) -> None:
    code = (SOURCES / f"right{suffix}").read_text()
    for name, changed in (
        ("right", code),
        ("wrong", code.replace('"."', '"|"').replace("'.'", "'|'")),
    ):
        Path(f"{name} one{suffix}").write_text(changed)
    Path("open.in").write_text("1\n1 1\n.\n")
    Path("turret.in").write_text("1\n1 1\n|\n")
    words = ["--program", f"right=right one{suffix}", "--program", f"wrong=wrong one{suffix}"]
    ended = compare("run beams open.in turret.in -b direct --extended", *words, status=1)
    assert ended.last_line.startswith("wrong FAILED on 2 of 2: 2 WRONG; ")
    assert "6 OK" in ended.stdout
    assert (
        "REFUTED: wrong on beams, dataset open, case 1 (1x1): the open cell at 1,1 is not lit"
        in ended.stdout
    )


@pytest.mark.parametrize("suffix", in_each_language(fast=("C++", "C", "Rust")))
def test_what_does_not_compile_is_a_sentence_and_the_compilers_own_lines(
    suffix: str, in_folder: Path
) -> None:
    lines = (SOURCES / f"right{suffix}").read_text().splitlines()
    Path(f"mine{suffix}").write_text("\n".join([*lines, "nonsense here"]))
    with pytest.raises(UserError) as raised:
        starts(f"mine{suffix}")
    first, *rest = str(raised.value).splitlines()
    compilers = next(language for language in LANGUAGES if suffix in language.suffixes).compilers
    assert first.startswith(
        tuple(
            f"--program mine: {each} does not compile mine{suffix}; it ends with status "
            for each in compilers
        )
    )
    assert any(f"mine{suffix}:{len(lines) + 1}:" in line for line in rest), rest


@NEEDS_CPP
def test_a_compile_error_ends_a_command_with_status_2(in_folder: Path) -> None:
    Path("mine.cpp").write_text("int main() { return x; }\n" + 'static_assert(false, "no");\n' * 60)
    for command_name in ("fuzz", "scale"):
        ended = compare(command_name, "beams", "--program", "mine=mine.cpp", status=2)
        assert ended.stdout == ""
        assert ended.stderr.startswith(
            "--program mine: g++ does not compile mine.cpp; it ends with status 1 and says:\n"
        )
        assert "mine.cpp:1:21: error: " in ended.stderr
        assert ended.stderr.splitlines()[-1].endswith(" more lines")


def test_no_compiler_is_a_sentence_that_names_it(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine.rs", "mine.kt", "mine.cpp"):
        Path(name).write_text("")
    monkeypatch.setenv("PATH", str(in_folder))
    with pytest.raises(
        UserError,
        match=r"--program mine: mine.kt needs kotlinc, and that is not here: install it from "
        r"https://kotlinlang.org, or compile it elsewhere and name the program",
    ):
        starts("mine.kt")
    with pytest.raises(
        UserError,
        match=r"--program mine: mine.rs needs rustc, and that is not here: install it from "
        r"https://rustup",
    ):
        starts("mine.rs")
    monkeypatch.setenv("CXX", "nosuch++ -g")
    with pytest.raises(
        UserError, match=r"variable CXX names the compiler nosuch\+\+, which is not here: unset it"
    ):
        starts("mine.cpp")


@NEEDS_CPP
def test_a_header_beside_the_source_is_read_anew_by_each_command(in_folder: Path) -> None:
    folder = in_folder / "solutions"
    folder.mkdir()
    (folder / "mine.cc").write_text(
        '#include "word.h"\n#include <cstdio>\nint main() { puts(WORD); }\n'
    )
    for word in ("one", "two"):
        (folder / "word.h").write_text(f'#define WORD "{word}"\n')
        with removing_programs():
            assert answer(starts("solutions/mine.cc")) == f"{word}\n"
            where = folder_of_programs()
            assert where is not None
            assert where.exists()
        assert not where.exists()
    assert sorted(path.name for path in folder.iterdir()) == ["mine.cc", "word.h"]


@NEEDS_JAVA
@pytest.mark.slow
def test_a_class_beside_the_source_is_compiled_too(in_folder: Path) -> None:
    folder = in_folder / "my solutions"
    folder.mkdir()
    (folder / "Other.java").write_text('class Other { static String word = "one"; }\n')
    mine = (
        "public class Mine { public static void main(String[] words) { "
        "System.out.println(Other.word "
        "+ words[0]); } }\n"
    )
    (folder / "Mine.java").write_text(mine)
    assert answer(starts("'my solutions/Mine.java' two")) == "onetwo\n"
    with pytest.raises(
        UserError, match="no class of Other.java has a method `public static void main"
    ):
        starts("my solutions/Other.java")


@pytest.mark.slow
@NEEDS_JAVA
def test_a_java_file_is_compiled_under_the_name_of_its_public_class(in_folder: Path) -> None:
    """Its stack is deep enough for a million calls, and beside it is another class of its name."""
    deep = (
        '/* public class Old */ class Other { public static class Inner { String s = "{"; } }\n'
        "public final class Main {\n"
        "    static int down(int n) { return n == 0 ? 0 : 1 + down(n - 1); }\n"
        "    public static void main(String[] words) {\n"
        '        System.out.println(down(1000000) + System.getProperty("ONLINE_JUDGE"));\n'
        "    }\n}\n"
    )
    Path("twice.java").write_text(deep)
    Path("Main.java").write_text("public class Main {}\n")
    assert answer(starts("twice.java")) == "1000000true\n"
    Path("wrong.java").write_text(deep.replace("return n ==", "return x =="))
    with pytest.raises(UserError) as raised:
        starts("wrong.java")
    assert "\nwrong.java:3: error: cannot find symbol\n" in str(raised.value)
    Path("none.java").write_text("public class Main {}\n")
    with pytest.raises(UserError, match="no class of none.java has a method `public static void"):
        starts("none.java")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("public class Main { }", "Main"),
        (
            "package a.b;\nimport java.util.*;\n@Deprecated public\nstrictfp class Main<T> { }",
            "Main",
        ),
        ("public record Pair(int a) { }", "Pair"),
        ("public sealed interface Shape permits A { } final class A { }", "Shape"),
        ("public enum Kind { A { public class X { } }, B }", "Kind"),
        ("class A { public static class B { } }", None),
        ("// public class A\n/* public class B { */ class C { char c = '{'; }", None),
        ('class A { String s = "} public class B"; String t = """\n} public class C"""; }', None),
    ],
)
def test_the_public_class_of_a_java_source(code: str, name: str | None) -> None:
    (java,) = (each for each in LANGUAGES if each.name == "Java")
    assert java.file_name is not None
    assert java.file_name(code) == name


@NEEDS_JAVA
@pytest.mark.slow
def test_kotlin_makes_a_jar_that_java_runs(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In place of `kotlinc` a script that takes the same words and compiles Java."""
    script = in_folder / "kotlinc"
    script.write_text(
        '#!/bin/sh\n[ "$2 $3" = "-include-runtime -d" ] || exit 3\n'
        'cp "$1" $TMPDIR/Mine.java && javac -d $TMPDIR $TMPDIR/Mine.java || exit 1\n'
        'jar cfe "$4" Mine -C $TMPDIR Mine.class\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(in_folder), prepend=os.pathsep)
    code = "class Mine { public static void main(String[] words) { System.out.print(words[0]); } }"
    Path("my mine.kt").write_text(code)
    assert answer(starts("'my mine.kt' one")) == "one"
    Path("wrong.kt").write_text(code[:-1])
    with pytest.raises(UserError, match=r"kotlinc does not compile wrong.kt; it ends with status"):
        starts("wrong.kt")


@NEEDS_CPP
def test_two_names_share_one_compilation_and_flags_come_from_the_environment(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("-mine.cpp").write_text("#include <cstdio>\nint main() { puts(WORD); }\n")
    monkeypatch.setenv("CXXFLAGS", "-DWORD='\"a word\"'")
    both = programs(get("beams"), ["one=-mine.cpp", "two=-mine.cpp --fast"], [])
    assert both[1].command == (*both[0].command, "--fast")
    assert answer(both[0].command) == "a word\n"


@NEEDS_CPP
def test_a_source_of_a_newer_standard_is_told_its_flag_and_a_judge_is_defined(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("old.cpp").write_text(
        '#include <cstdio>\nint main() {\n#ifdef ONLINE_JUDGE\nputs("judged");\n#endif\n}\n'
    )
    assert answer(starts("old.cpp")) == "judged\n"
    Path("new.cpp").write_text(
        "template <class T> concept any = true;\ntemplate <any T> T same(T x) { return x; }\n"
        "int main() { return same(0); }\n"
    )
    for flags, named in (("", "-std=c++20"), ("-g", "'-g -std=c++20'")):
        monkeypatch.setenv("CXXFLAGS", flags)
        with pytest.raises(UserError) as raised:
            starts("new.cpp")
        last = str(raised.value).splitlines()[-1]
        assert last == f"a newer standard compiles it: set CXXFLAGS={named}"
    Path("unlinked.cpp").write_text("int f();\nint main() { return f(); }\n")
    for flags, source in (("-std=c++17", "new.cpp"), ("", "unlinked.cpp")):
        monkeypatch.setenv("CXXFLAGS", flags)
        with pytest.raises(UserError) as raised:
            starts(source)
        assert "newer standard" not in str(raised.value)
    monkeypatch.setenv("CXXFLAGS", "-std=c++20")
    assert answer(starts("new.cpp")) == ""


def test_what_is_no_command_says_which_one_may_be_meant(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("n.js", "my n.js", "data", "mine"):
        Path(name).write_text("#!/bin/sh\n")
    Path("mine").chmod(0o755)
    for command_given, said in {
        "n.js": "n.js is no command; did you mean 'node n.js'?",
        "./n.js --fast": "./n.js is no command; did you mean 'node ./n.js --fast'?",
        "mine": "mine is no command; did you mean './mine'?",
        "./data 1": "./data is not executable: `chmod +x ./data`, or name what runs it",
        "m.js": "no executable 'm.js'",
    }.items():
        with pytest.raises(UserError) as raised:
            starts(command_given)
        assert str(raised.value) == f"--program mine: {said}"
    monkeypatch.setenv("PATH", ".", prepend=os.pathsep)
    assert starts("mine 1") == ("./mine", "1")


def test_python_runs_with_this_python_unless_it_is_a_script(in_folder: Path) -> None:
    path = Path("mine.py")
    path.write_text("import sys; print(sys.argv[1:])")
    path.chmod(0o755)
    assert starts("mine.py 1") == (sys.executable, "./mine.py", "1")
    path.write_text("#!/bin/sh\necho a script of another language\n")
    assert starts("mine.py") == ("./mine.py",)
    assert answer(("./mine.py",)) == "a script of another language\n"
    path.chmod(0o644)
    assert starts("mine.py") == (sys.executable, "./mine.py")
    assert starts("python3 mine.py") == ("python3", "mine.py")
    with pytest.raises(UserError, match="--program mine: no file 'yours.py'"):
        starts("yours.py")


def endless_compiler(folder: Path) -> str:
    """A compiler that writes a part of a file and never ends, nor does the process that it
    starts.
    """
    script = folder / "endless"
    script.write_text("#!/bin/sh\necho part > $TMPDIR/part\nsleep 1000 & wait\n")
    script.chmod(0o755)
    return str(script)


def name_of(process: psutil.Process) -> str:
    """The name of a process; empty where it has ended."""
    with suppress(psutil.NoSuchProcess):
        return process.name()
    return ""


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGHUP,
        *(slow(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)),
    ],
)
def test_an_interrupted_compilation_leaves_no_process_and_no_file(
    number: int, in_folder: Path
) -> None:
    Path("mine.cpp").write_text("")
    temporary = in_folder / "temporary"
    temporary.mkdir()
    env = environment(CXX=endless_compiler(in_folder), TMPDIR=str(temporary))
    ignored = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup would have it ignored
    try:
        started = start_module("compare", "run beams --program mine=mine.cpp", env=env)
    finally:
        signal.signal(signal.SIGHUP, ignored)
    compilers: list[psutil.Process] = []
    wait_until(lambda: started.poll() is not None or list(temporary.rglob("part")))
    while sorted(map(name_of, compilers)) != ["endless", "sleep"]:
        assert started.poll() is None
        time.sleep(0.02)
        compilers = [
            each
            for each in psutil.Process(started.pid).children(recursive=True)
            if name_of(each) in ("endless", "sleep")
        ]
    started.send_signal(number)
    _, complained = started.communicate(timeout=60)
    _, alive = psutil.wait_procs(compilers, 20)
    assert alive == []
    if number != signal.SIGKILL:
        assert (started.returncode, complained) == (130, "interrupted\n")
        assert list(temporary.iterdir()) == []


def test_a_compiler_that_does_not_end_is_stopped(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine.cpp").write_text("")
    monkeypatch.setenv("CXX", endless_compiler(in_folder))
    with pytest.raises(
        UserError,
        match=r"endless was stopped: it took more than 0.3 s for mine.cpp; compile it yourself",
    ):
        starts("mine.cpp", seconds=0.3)
    compiled = folder_of_programs()
    assert compiled is not None
    assert [path for path in compiled.rglob("*") if path.is_file()] == []


def test_a_folder_that_cannot_be_written_is_a_sentence(
    in_folder: Path, compare_here: CompareHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine.c").write_text("")
    monkeypatch.setenv("CC", "true")
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    ended = compare_here("run beams --program mine=mine.c", status=2)
    assert ended.stderr.startswith("--program mine: nothing can be compiled: ")
    assert ended.stderr.endswith(": let TMPDIR name a folder with some space\n")


@NEEDS_CPP
@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_no_obstacle_nor_are_two_at_once(in_folder: Path) -> None:
    shutil.copy(SOURCES / "right.cpp", "mine.cpp")
    Path("board.in").write_text("1\n1 1\n|\n")
    words = command(
        "compare",
        "run",
        "beams",
        "board.in",
        "-b",
        "direct",
        "--extended",
        "--program",
        "mine=mine.cpp",
    )
    both = [
        subprocess.Popen(
            words,
            env=environment(HOME="/proc", XDG_CACHE_HOME="/proc"),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    assert [each.communicate()[0].splitlines()[-1].startswith("ALL AGREE") for each in both] == [
        True,
        True,
    ]
