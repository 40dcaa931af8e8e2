"""Formats of contests with T cases, each with a planted bug: a generator of cases, what is computed
in C++ and in Python, a check of the format, and the smallest input on which the bug shows.

The programs read what is not there without a word: C++ leaves a variable as it was, which is
never set here, and Python takes 0.
"""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Text:
    """A text that is read line by line."""

    def __init__(self, text: str) -> None:
        assert text.endswith("\n")
        self._lines: Iterator[str] = iter(text[:-1].split("\n"))

    def word(self) -> str:
        line = next(self._lines)
        assert line == line.strip()
        assert " " not in line
        return line

    def numbers(self, count: int, least: int = 1, most: int = 9) -> list[int]:
        """One line of so many numbers of this range."""
        line = next(self._lines)
        values = [int(word) for word in line.split(" ")]
        assert line == " ".join(map(str, values))
        assert len(values) == count
        assert all(least <= value <= most for value in values)
        return values

    def ends(self) -> bool:
        return next(self._lines, None) is None


class Format(NamedTuple):
    """One format.

    Attributes:
        generator: prints one case; it has a `random.Random` named `r` and `row(n)`, a line of n
            numbers from 1 to 9.
        check: reads one case, and fails if it is not of this format.
        cpp, python: add to `answer` what a case comes to; `bug` says whether the bug is in it.
            Python has `number()` and `word()`.
        smallest: the whole input.
        shape: what is said of it.
    """

    generator: str
    check: Callable[[Text], object]
    cpp: str
    python: str
    smallest: str
    shape: str


MAX_CASES = 4

GENERATOR = (
    "def row(n): print(*(r.randint(1, 9) for _ in range(n)))\n"
    f"t = r.randint(1, {MAX_CASES})\nprint(t)\nfor _ in range(t):\n"
)


def generator(format: Format) -> str:
    return GENERATOR + indented(format.generator)


def samples(generator: str, count: int = 60) -> list[str]:
    """What a generator prints that has a `random.Random` named `r`."""
    texts: list[str] = []
    code = compile(generator, "generator", "exec")
    for seed in range(count):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, {"r": random.Random(seed)})
        texts.append(printed.getvalue())
    return texts


def indented(code: str) -> str:
    return "".join(f"    {line}\n" for line in code.splitlines())


def cpp(format: Format, *, bug: bool) -> str:
    return (
        "#include <algorithm>\n#include <iostream>\n#include <numeric>\n#include <string>\n"
        "#include <vector>\nusing namespace std;\n"
        f"const bool bug = {str(bug).lower()};\nint main() {{\n    int t;\n    cin >> t;\n"
        "    long long before = 0;\n    while (t--) {\n        long long answer = 0;\n"
        f"{format.cpp}\n        cout << answer << '\\n';\n        before = answer;\n    }}\n}}\n"
    )


def python(format: Format, *, bug: bool) -> str:
    return (
        f"import sys\nbug = {bug}\nwords = iter(sys.stdin.read().split())\n"
        "def word(): return next(words, '0')\n"
        "def number():\n    w = word()\n    return int(w) if w.isdigit() else 0\n"
        "before = 0\nfor _ in range(number()):\n    answer = 0\n"
        f"{indented(format.python)}    print(answer)\n    before = answer\n"
    )


def is_valid(format: Format, text: str) -> bool:
    """Whether the generator of this format could print a text."""
    lines = Text(text)
    for _ in range(lines.numbers(1, 1, MAX_CASES)[0]):
        format.check(lines)
    return lines.ends()


def check_list(text: Text) -> None:
    text.numbers(text.numbers(1, 1, 8)[0])


def check_limit_and_list(text: Text) -> None:
    n, k = text.numbers(2)
    assert n <= 8
    assert k <= 9
    text.numbers(n)


def check_grid(text: Text) -> None:
    rows, columns = text.numbers(2, 1, 5)
    assert rows <= 4
    for _ in range(rows):
        line = text.word()
        assert len(line) == columns
        assert {*line} <= {*"#."}


def check_string(text: Text) -> None:
    word = text.word()
    assert 1 <= len(word) <= 8
    assert {*word} <= {*"abc"}


def check_pairs(text: Text) -> None:
    for _ in range(text.numbers(1, 1, 6)[0]):
        text.numbers(2)


def check_limit_and_pairs(text: Text) -> None:
    n, _ = text.numbers(2)
    assert n <= 6
    for _ in range(n):
        text.numbers(2)


def check_two_lists(text: Text) -> None:
    for count in text.numbers(2, 1, 6):
        text.numbers(count)


def check_rows(text: Text) -> None:
    for _ in range(text.numbers(1, 1, 4)[0]):
        (line,) = (next(text._lines),)
        k, *values = map(int, line.split(" "))
        assert 1 <= k <= 5
        assert len(values) == k
        assert all(1 <= value <= 9 for value in values)


def check_last_line(text: Text) -> None:
    check_pairs(text)
    text.numbers(1)


def check_graph(text: Text) -> None:
    n, m = text.numbers(2, 0, 15)
    assert 1 <= n <= 6
    edges = [frozenset(text.numbers(2, 1, n)) for _ in range(m)]
    assert all(len(edge) == 2 for edge in edges)
    assert len({*edges}) == m


def check_tree(text: Text) -> None:
    (n,) = text.numbers(1, 1, 7)
    met = {1}
    edges = [{*text.numbers(2, 1, n)} for _ in range(n - 1)]
    for _ in range(n):
        for edge in edges:
            met |= edge if edge & met else set()
    assert len(met) == n


def check_counted_string(text: Text) -> None:
    (n,) = text.numbers(1, 1, 8)
    word = text.word()
    assert len(word) == n
    assert {*word} <= {*"ab"}


def check_groups(text: Text) -> None:
    for _ in range(text.numbers(1, 1, 4)[0]):
        text.numbers(text.numbers(1, 1, 4)[0])


READ_LIST = "int n; cin >> n; vector<int> a(n); for (int& x : a) cin >> x;\n"
READ_EDGES = (
    "vector<int> p(n + 1), d(n + 1); iota(p.begin(), p.end(), 0); long long parts = n;\n"
    "for (int i = 0; i < m; i++) { int a, b; cin >> a >> b; d[a]++; d[b]++;\n"
    "while (p[a] != a) a = p[a]; while (p[b] != b) b = p[b]; parts -= a != b; p[a] = b; }\n"
)

FORMATS = {
    "list": Format(
        "n = r.randint(1, 8)\nprint(n)\nrow(n)",
        check_list,
        READ_LIST + "for (int i = 0; i < n; i++) if (!bug || i < 5) answer += a[i];",
        "a = [number() for _ in range(number())]\nanswer = sum(a[:5] if bug else a)",
        "1\n6\n1 1 1 1 1 1\n",
        "T times (n, n numbers from 1 to 9)",
    ),
    "list: what is left of the case before": Format(
        "n = r.randint(1, 8)\nprint(n)\nrow(n)",
        check_list,
        "if (bug) answer = before;\n" + READ_LIST + "for (int x : a) answer += x;",
        "answer = before if bug else 0\nanswer += sum(number() for _ in range(number()))",
        "2\n1\n1\n1\n1\n",
        "T times (n, n numbers from 1 to 9)",
    ),
    "n k and a list": Format(
        "n = r.randint(1, 8)\nprint(n, r.randint(1, 9))\nrow(n)",
        check_limit_and_list,
        "int n, k; cin >> n >> k; vector<int> a(n); for (int& x : a) cin >> x;\n"
        "for (int i = 0; i < n; i++) answer += a[i] >= k && (!bug || i < 5);",
        "n, k = number(), number()\na = [number() for _ in range(n)]\n"
        "answer = sum(x >= k for x in (a[:5] if bug else a))",
        "1\n6 1\n1 1 1 1 1 1\n",
        "T times (n k, n numbers from 1 to 9)",
    ),
    "grid": Format(
        "h, w = r.randint(1, 4), r.randint(1, 5)\nprint(h, w)\n"
        "for _ in range(h): print(''.join(r.choice('#.') for _ in range(w)))",
        check_grid,
        "int h, w; cin >> h >> w; for (int i = 0; i < h; i++) { string s; cin >> s;\n"
        "for (int j = 0; j < w; j++) answer += s[j] == '#' && (!bug || j < 2); }",
        "h, w = number(), number()\n"
        "for _ in range(h): answer += (word()[:2] if bug else word()).count('#')",
        "1\n1 3\n###\n",
        "T times (n m, n times (a string of length m of `#.`))",
    ),
    "string": Format(
        "print(''.join(r.choice('abc') for _ in range(r.randint(1, 8))))",
        check_string,
        "string s; cin >> s; for (size_t i = 0; i < s.size(); i++)\n"
        "answer += s[i] == 'a' && (!bug || i != 3);",
        "s = word()\nanswer = sum(c == 'a' for i, c in enumerate(s) if not bug or i != 3)",
        "1\naaaa\n",
        "T times (a string of length 1 to 8 of `abc`)",
    ),
    "n pairs": Format(
        "n = r.randint(1, 6)\nprint(n)\nfor _ in range(n): row(2)",
        check_pairs,
        "int n; cin >> n; for (int i = 0; i < n; i++) { int a, b; cin >> a >> b;\n"
        "if (!bug || i != 2) answer += a * b; }",
        "for i in range(number()): answer += number() * number() * (not bug or i != 2)",
        "1\n3\n1 1\n1 1\n1 1\n",
        "T times (n, n times (2 numbers from 1 to 9))",
    ),
    "n k and pairs": Format(
        "n = r.randint(1, 6)\nprint(n, r.randint(1, 9))\nfor _ in range(n): row(2)",
        check_limit_and_pairs,
        "int n, k; cin >> n >> k; for (int i = 0; i < n; i++) { int a, b; cin >> a >> b;\n"
        "answer += a + b >= k && (!bug || i != 2); }",
        "n, k = number(), number()\n"
        "for i in range(n): answer += number() + number() >= k and (not bug or i != 2)",
        "1\n3 1\n1 1\n1 1\n1 1\n",
        "T times (n k, n times (2 numbers from 1 to 9))",
    ),
    "two lists": Format(
        "n, m = r.randint(1, 6), r.randint(1, 6)\nprint(n, m)\nrow(n)\nrow(m)",
        check_two_lists,
        "int n, m; cin >> n >> m; vector<int> a(n), b(m); for (int& x : a) cin >> x;\n"
        "for (int& x : b) cin >> x;\n"
        "for (int i = 0; i < m; i++) if (!bug || i < n) answer += count(a.begin(), a.end(), b[i]);",
        "n, m = number(), number()\na = [number() for _ in range(n)]\n"
        "b = [number() for _ in range(m)]\n"
        "answer = sum(a.count(x) for x in (b[:n] if bug else b))",
        "1\n1 2\n1\n1 1\n",
        "T times (n m, n numbers from 1 to 9, m numbers from 1 to 9)",
    ),
    "rows with counts": Format(
        "n = r.randint(1, 4)\nprint(n)\nfor _ in range(n):\n    k = r.randint(1, 5)\n"
        "    print(k, end=' ')\n    row(k)",
        check_rows,
        "int n; cin >> n; for (int i = 0; i < n; i++) { int k; cin >> k;\n"
        "for (int j = 0; j < k; j++) { int x; cin >> x; if (!bug || j < 2) answer += x; } }",
        "for _ in range(number()):\n"
        "    a = [number() for _ in range(number())]\n    answer += sum(a[:2] if bug else a)",
        "1\n1\n3 1 1 1\n",
        "T times (n, n times (m and m numbers from 1 to 9))",
    ),
    "a last line": Format(
        "n = r.randint(1, 6)\nprint(n)\nfor _ in range(n): row(2)\nrow(1)",
        check_last_line,
        "int n; cin >> n; for (int i = 0; i < n; i++) { int a, b; cin >> a >> b;\n"
        "answer += a * b; }\n"
        "int x; cin >> x; if (!bug || n < 2) answer += x;",
        "n = number()\nfor _ in range(n): answer += number() * number()\n"
        "x = number()\nanswer += x if not bug or n < 2 else 0",
        "1\n2\n1 1\n1 1\n1\n",
        "T times (n, n times (2 numbers from 1 to 9), a number from 1 to 9)",
    ),
    "graphs": Format(
        "n = r.randint(1, 6)\n"
        "e = [(a, b) for a in range(1, n + 1) for b in range(a + 1, n + 1)]\n"
        "m = r.randint(0, len(e))\nprint(n, m)\n"
        "for a, b in r.sample(e, m): print(*r.sample((a, b), 2))",
        check_graph,
        "int n, m; cin >> n >> m;\n" + READ_EDGES + "answer = bug ? n - m : parts;",
        "n, m = number(), number()\np = [*range(n + 1)]\nanswer = n\nfor _ in range(m):\n"
        "    a, b = number(), number()\n    while p[a] != a: a = p[a]\n"
        "    while p[b] != b: b = p[b]\n    answer -= a != b or bug\n    p[a] = b",
        "1\n3 3\n1 2\n1 3\n2 3\n",
        "T times (n m, m times (2 numbers from 1 to n [distinct, no pair twice]))",
    ),
    "trees": Format(
        "n = r.randint(1, 7)\nprint(n)\n"
        "for v in range(2, n + 1): print(*r.sample((r.randint(1, v - 1), v), 2))",
        check_tree,
        "int n; cin >> n; int m = n - 1;\n"
        + READ_EDGES
        + "answer = *max_element(d.begin(), d.end()); if (bug && answer > 2) answer = 2;",
        "n = number()\nd = [0] * (n + 1)\nfor _ in range(2 * n - 2): d[number()] += 1\n"
        "answer = min(max(d), 2) if bug else max(d)",
        "1\n4\n1 2\n1 3\n1 4\n",
        "T times (n, n - 1 times (2 numbers from 1 to n [distinct, no pair twice, connected]))",
    ),
    "strings counted by n": Format(
        "n = r.randint(1, 8)\nprint(n)\nprint(''.join(r.choice('ab') for _ in range(n)))",
        check_counted_string,
        "int n; string s; cin >> n >> s;\n"
        "for (int i = 0; i < n; i++) answer += s[i] == 'a' && (!bug || i != 3);",
        "n, s = number(), word()\nfor i in range(n): answer += s[i] == 'a' and (not bug or i != 3)",
        "1\n4\naaaa\n",
        "T times (n, a string of length n of `ab`)",
    ),
    "groups of numbers": Format(
        "n = r.randint(1, 4)\nprint(n)\n"
        "for _ in range(n):\n    k = r.randint(1, 4)\n    print(k)\n    row(k)",
        check_groups,
        "int n; cin >> n; for (int i = 0; i < n; i++) { int k; cin >> k;\n"
        "for (int j = 0; j < k; j++) { int x; cin >> x;\n"
        "if (!bug || i < 1 || j < 1) answer += x; } }",
        "for i in range(number()):\n    a = [number() for _ in range(number())]\n"
        "    answer += sum(a[:1] if bug and i else a)",
        "1\n2\n1\n1\n2\n1 1\n",
        "T times (n, n times (m, m numbers from 1 to 9))",
    ),
}
