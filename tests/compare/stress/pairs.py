"""Pairs of programs with a planted bug each: a generator, a brute force, a quick program that is
wrong, and the smallest input on which they differ. All are Python; an input comes by the name
`data`, a list of words, or `lines`."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """One pair; the generator has a `random.Random` named `r`."""

    generator: str
    brute: str
    fast: str
    smallest: str


PAIRS = {
    "numbers: a sum in 32 bits": Pair(
        "n = r.randint(1, 8)\nprint(n)\nprint(*(r.randint(0, 10**9) for _ in range(n)))",
        "print(sum(map(int, data[1:])))",
        "s = sum(map(int, data[1:])) % 2**32\nprint(s - 2**32 * (s >= 2**31))",
        "3\n147483650 999999999 999999999\n",
    ),
    "numbers: the last one forgotten": Pair(
        "n = r.randint(1, 9)\nprint(n)\nprint(*(r.randint(1, 20) for _ in range(n)))",
        "print(max(map(int, data[1:])))",
        "print(max(map(int, data[1:-1]), default=int(data[1])))",
        "2\n1 2\n",
    ),
    "graphs: connected, by edges alone": Pair(
        "n = r.randint(1, 6)\ne = [(a, b) for a in range(1, n + 1) for b in range(a + 1, n + "
        "1)]\nm = r.randint(0, len(e))\n"
        "print(n, m)\nfor a, b in r.sample(e, m): print(*r.sample((a, b), 2))",
        "n = int(data[0])\np = list(range(n + 1))\ndef f(x):\n    while p[x] != x: x = p[x]\n    "
        "return x\n"
        "for a, b in zip(data[2::2], data[3::2]): p[f(int(a))] = f(int(b))\nprint(len({f(x) for "
        "x in range(1, n + 1)}) == 1)",
        "print(int(data[1]) >= int(data[0]) - 1)",
        "4 3\n1 2\n1 3\n2 3\n",
    ),
    "trees: the depth counted from the wrong end": Pair(
        "n = r.randint(1, 7)\nprint(n)\nfor v in range(2, n + 1): print(r.randint(1, v - 1), v)",
        "d = {1: 0}\nfor p, v in zip(data[1::2], data[2::2]): d[int(v)] = d[int(p)] + "
        "1\nprint(max(d.values()))",
        "print(len({p for p in data[1::2]}))",
        "5\n1 2\n1 3\n2 4\n3 5\n",
    ),
    "strings: palindromes of odd length": Pair(
        "print(''.join(r.choice('abc') for _ in range(r.randint(1, 9))))",
        "print(data[0] == data[0][::-1])",
        "s = data[0]\nh = len(s) // 2\nprint(s[:h] == s[h:][::-1])",
        "a\n",
    ),
    "intervals: touching ends": Pair(
        "n = r.randint(1, 5)\nprint(n)\nfor _ in range(n): print(*sorted(r.choices(range(12), "
        "k=2)))",
        "s = [(int(a), int(b)) for a, b in zip(data[1::2], data[2::2])]\n"
        "print(max(sum(a <= x <= b for a, b in s) for x in range(12)))",
        "s = [(int(a), int(b)) for a, b in zip(data[1::2], data[2::2])]\n"
        "print(max(sum(a <= x < b or a == x == b for a, b in s) for x in range(12)))",
        "2\n0 1\n1 1\n",
    ),
    "grids: only three neighbours": Pair(
        "R, C = r.randint(1, 4), r.randint(1, 4)\nprint(R, C)\nfor _ in range(R): "
        "print(''.join(r.choice('#.') for _ in range(C)))",
        "g = lines[1:]\nprint(sum(g[i][j] == '#' == g[i + 1][j] for i in range(len(g) - 1) for j "
        "in range(len(g[0])))"
        " + sum(row[j] == '#' == row[j + 1] for row in g for j in range(len(g[0]) - 1)))",
        "g = lines[1:]\nprint(sum(row[j] == '#' == row[j + 1] for row in g for j in "
        "range(len(g[0]) - 1)))",
        "2 1\n#\n#\n",
    ),
    "queries: sums from 0": Pair(
        "n, q = r.randint(1, 5), r.randint(1, 4)\nprint(n, q)\nprint(*(r.randint(-9, 9) for _ in "
        "range(n)))\n"
        "for _ in range(q): print(*sorted(r.choices(range(1, n + 1), k=2)))",
        "n = int(data[0])\na = list(map(int, data[2 : 2 + n]))\n"
        "for i, j in zip(data[2 + n :: 2], data[3 + n :: 2]): print(sum(a[int(i) - 1 : int(j)]))",
        "n = int(data[0])\na = list(map(int, data[2 : 2 + n]))\n"
        "for i, j in zip(data[2 + n :: 2], data[3 + n :: 2]): print(sum(a[int(i) % n : int(j)]) "
        "if i != j else a[int(i) - 1])",
        "2 1\n1 0\n1 2\n",
    ),
    "one line: a count before its numbers": Pair(
        "n = r.randint(1, 8)\nprint(n, *(r.randint(1, 9) for _ in range(n)))",
        "print(len(set(data[1:])))",
        "a = data[1:]\nprint(1 + sum(x != y for x, y in zip(a, a[1:])))",
        "3 1 2 1\n",
    ),
    "sorted numbers: a search that misses the first": Pair(
        "n = r.randint(1, 8)\na = sorted(r.sample(range(1, 26), n))\nprint(n, r.randint(1, "
        "25))\nprint(*a)",
        "print(data[1] in data[2:])",
        "print(data[1] in data[3:])",
        "1 1\n1\n",
    ),
}
