"""How a crash is told: by the line that names it, whatever stands around it."""

from __future__ import annotations

import pytest

from compare.engine.isolate.outcome import uncaught, with_reason

PYTHON = """Traceback (most recent call last):
  File "a.py", line 2, in <module>
    [][1]
    ~~^^^
IndexError: list index out of range

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "a.py", line 4, in <module>
    raise ValueError("two\\nlines") from e
ValueError: two
lines
"""

CRASHES = {
    "Python": (PYTHON, "ValueError: two"),
    "Java": (
        'Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 3 out of '
        "bounds for length 3\n\tat J.main(J.java:2)\n",
        'Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 3 out of '
        "bounds for length 3",
    ),
    "Java, in a static field": (
        'Exception in thread "main" java.lang.ExceptionInInitializerError\n'
        "Caused by: java.lang.ArithmeticException: / by zero\n\tat S.<clinit>(S.java:1)\n",
        'Exception in thread "main" java.lang.ExceptionInInitializerError Caused by: '
        "java.lang.ArithmeticException: / by zero",
    ),
    "Rust": (
        "\nthread 'main' (77) panicked at r.rs:2:233:\nindex out of bounds: the len is 3 but the "
        "index is 3\nnote: run with `RUST_BACKTRACE=1` environment variable to display a "
        "backtrace\n",
        "panicked at r.rs:2:233: index out of bounds: the len is 3 but the index is 3",
    ),
    "Rust before 1.73": (
        "thread 'main' panicked at 'no', r.rs:2:5\nnote: run with `RUST_BACKTRACE=1`\n",
        "panicked at 'no', r.rs:2:5",
    ),
    "Node.js": (
        "/x/n.js:1\nnull.x\n     ^\n\nTypeError: Cannot read properties of null (reading 'x')\n"
        "    at Object.<anonymous> (/x/n.js:1:6)\n\nNode.js v20.20.2\n",
        "TypeError: Cannot read properties of null (reading 'x')",
    ),
    "Node.js, no exception": ("/x/n.js:1\nthrow 3\n^\n3\n(Use `node --trace-uncaught`)\n", "3"),
    "AddressSanitizer": (
        "=====\n==77==ERROR: AddressSanitizer: global-buffer-overflow on address 0x55f4 at "
        "pc 0x7f bp 0x7f sp 0x7f\nWRITE of size 4\n==77==ABORTING\n",
        "ERROR: AddressSanitizer: global-buffer-overflow",
    ),
    "AddressSanitizer, null": (
        "AddressSanitizer:DEADLYSIGNAL\n==77==ERROR: AddressSanitizer: SEGV on unknown address "
        "0x000000000000 (pc 0x55 bp 0x7f sp 0x7f T0)\n==77==ABORTING\n",
        "ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000",
    ),
    "UndefinedBehaviorSanitizer": (
        "s.cpp:3:5: runtime error: index 3 out of bounds for type 'int [3]'\n"
        "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior s.cpp:3:5 in\n",
        "s.cpp:3:5: runtime error: index 3 out of bounds for type 'int [3]'",
    ),
    "C++": (
        "terminate called after throwing an instance of 'std::out_of_range'\n"
        "  what():  vector::_M_range_check\nmore at exit\n",
        "terminate called after throwing an instance of 'std::out_of_range' what(): "
        "vector::_M_range_check",
    ),
    "C++, libc++": (
        "libc++abi: terminating due to uncaught exception of type int\nmore\n",
        "terminating due to uncaught exception of type int",
    ),
    "C++, the debug mode": (
        "/usr/include/c++/12/debug/vector:442:\nIn function:\n    operator[]\n\nError: attempt to "
        "subscript container with out-of-bounds index 3, but \ncontainer only holds 3 elements.\n\n"
        'Objects involved in the operation:\n    sequence "this" @ 0x7ffc {\n    }\n',
        "Error: attempt to subscript container with out-of-bounds index 3, but container only "
        "holds 3 elements.",
    ),
    "an assertion": (
        f"a: s.cpp:3: int f({'int, ' * 100}int): Assertion `x == 1' failed.\nat exit\n",
        "a: s.cpp:3: Assertion `x == 1' failed.",
    ),
    "an assertion on macOS": (
        "Assertion failed: (x), function main, file s.c, line 3.\nat exit\n",
        "Assertion failed: (x), function main, file s.c, line 3.",
    ),
    "Go": (
        "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n"
        "main.main()\n\t/x/a.go:3 +0x1d\nexit status 2\n",
        "panic: runtime error: index out of range [3] with length 3",
    ),
    "C#": (
        "Unhandled exception. System.Exception: no\n   at Program.Main()\n",
        "Unhandled exception. System.Exception: no",
    ),
    "none of these": ("first\nlast\n", "last"),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_crash_is_told_by_the_line_that_names_it(name: str) -> None:
    text, line = CRASHES[name]
    assert with_reason("exit status 1", text) == f"exit status 1: {line}"
    noise = "step 1: ok\n" * 1000
    assert with_reason("exit status 1", noise + text) == f"exit status 1: {line}"


@pytest.mark.parametrize(
    "name",
    ["Python", "Java", "Rust", "Rust before 1.73", "Node.js", "AddressSanitizer", "Go", "C#"],
)
def test_an_exception_that_nobody_caught_is_known_by_what_the_runtime_writes(name: str) -> None:
    text, line = CRASHES[name]
    assert uncaught(f"step 1: ok\n{text}") == line


@pytest.mark.parametrize(
    "text",
    [
        "wrong answer: 1 2 3\n    ^\nexpected 4\n",
        "FATAL ERROR: these are not so much\n",
        "it says 'panicked at r.rs:2:5'\n",
        "it says Traceback (most recent call last):\n",
        "",
    ],
)
def test_a_message_that_only_looks_like_a_crash_is_no_exception(text: str) -> None:
    assert uncaught(text) == ""


def test_nothing_is_told_where_nothing_is_written_and_of_a_long_line_the_beginning() -> None:
    assert with_reason("killed by SIGKILL", " \n") == "killed by SIGKILL"
    assert with_reason("exit status 1", f"a:1: {'b:1: ' * 50_000}") == (
        f"exit status 1: a:1: {'b:1: ' * 39}"
    )
