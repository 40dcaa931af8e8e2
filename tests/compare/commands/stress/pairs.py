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


SUMS = """k = 0
while lines[k] != "0":
    print(sum(map(int, lines[k + 1].split())){wrong})
    k += 2
"""
"""The sums of blocks, each of a count and its numbers, until a 0."""

WAYS = """w = int(data[1])
g = "".join(data[2:])
d = {g.index("S"): 0}

def beside(u, v):
"""
WALK = """
queue = list(d)
for v in queue:
    for u in (v + 1, v - 1, v + w, v - w):
        if 0 <= u < len(g) and g[u] != "#" and u not in d and beside(u, v):
            d[u] = d[v] + 1
            queue.append(u)
print(d.get(g.index("T"), -1))
"""
"""The shortest way from S to T, where `beside` says which cells are neighbours."""

ISLANDS = """w = int(data[1]) + 1
g = ".".join(data[2:]) + "." * w

def parts(ways):
    land, count = {k for k, kind in enumerate(g) if kind == "#"}, 0
    for k in range(len(g)):
        stack = [k] if k in land else []
        count += bool(stack)
        land -= {k}
        while stack:
            at = stack.pop()
            near = {at + way for way in ways} & land
            land -= near
            stack += sorted(near)
    return count

"""
"""The parts of a grid, walked through in the order of reading."""

FAR = """n = int(data[0])
edges = [tuple(map(int, data[k : k + 3])) for k in range(1, len(data), 3)]

def far(start):
    d = {start: 0}
    while len(d) < n:
        for one, other, weight in edges:
            for a, b in ((one, other), (other, one)):
                if a in d and b not in d:
                    d[b] = d[a] + weight
    return d

"""
"""How far each vertex of a tree is from one."""

QUERIES = """n, q, *rest = map(int, data[:2] + data[2 : 2 + int(data[0])])
a, shown = [0, *rest], [0, *rest]
for k in range(2 + n, len(data), 3):
    x, y = int(data[k + 1]), int(data[k + 2])
    if data[k] == "sum":
        print(sum(shown[x : y + 1]))
    else:
        shown[x] += y - a[x]
"""
"""Sums of parts of a list in which numbers are set."""

STRING = """s = [*lines[1]]
often = {{letter: [each == letter for each in s] for letter in "abc"}}
for words in map(str.split, lines[2:]):
    letter = words[-1]
    if words[0] == "count":
        print(sum(often[letter][int(words[1]) - 1 : int(words[2])]))
        continue
    place = int(words[1]) - 1
    if s[place] != letter:
        often[s[place]][place] -= 1
        often[letter][place] += 1
        {}
"""
"""How often a letter is there in a part of a string in which letters are set."""

PAIRS = {
    "numbers: a sum in 32 bits": Pair(
        "n = r.randint(1, 8)\nprint(n)\nprint(*(r.randint(0, 10**9) for _ in range(n)))",
        "print(sum(map(int, data[1:])))",
        "s = sum(map(int, data[1:])) % 2**32\nprint(s - 2**32 * (s >= 2**31))",
        "3\n147483650 999999999 999999999\n",
    ),
    "numbers: a sum in 64 bits": Pair(
        "n = r.randint(1, 6)\nprint(n)\nprint(*(r.randint(0, 4 * 10**18) for _ in range(n)))",
        "print(sum(map(int, data[1:])))",
        "s = sum(map(int, data[1:])) % 2**64\nprint(s - 2**64 * (s >= 2**63))",
        "3\n1223372036854775808 4000000000000000000 4000000000000000000\n",
    ),
    "numbers: the last one forgotten": Pair(
        "n = r.randint(1, 9)\nprint(n)\nprint(*(r.randint(1, 20) for _ in range(n)))",
        "print(max(map(int, data[1:])))",
        "print(max(map(int, data[1:-1]), default=int(data[1])))",
        "2\n1 2\n",
    ),
    "queries: a string that stays as it was": Pair(
        "n, q = r.randint(1, 8), r.randint(1, 6)\nprint(n, q)\n"
        "print(''.join(r.choices('abc', k=n)))\nfor _ in range(q):\n"
        "    if r.random() < 0.5: print('set', r.randint(1, n), r.choice('abc'))\n"
        "    else: print('count', *sorted(r.choices(range(1, n + 1), k=2)), r.choice('abc'))",
        STRING.format("s[place] = letter"),
        STRING.format("pass"),
        "1 3\na\nset 1 b\nset 1 a\ncount 1 1 a\n",
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
    "grids: a way round the rows": Pair(
        "h, w = r.randint(1, 5), r.randint(2, 5)\ng = [r.choice('..#') for _ in range(h * w)]\n"
        "s, t = r.sample(range(h * w), 2)\ng[s], g[t] = 'ST'\nprint(h, w)\n"
        "for k in range(h): print(''.join(g[k * w : k * w + w]))",
        WAYS + "    return u // w == v // w or u % w == v % w\n" + WALK,
        WAYS + "    return True\n" + WALK,
        "2 2\n#S\nT#\n",
    ),
    "grids: islands without a look to the left": Pair(
        "h, w = r.randint(3, 5), r.randint(1, 6)\nprint(h, w)\n"
        "for _ in range(h): print(''.join(r.choice('.#') for _ in range(w)))",
        ISLANDS + "print(parts([1, w, -1, -w]))",
        ISLANDS + "print(parts([1, w, -w]))",
        "3 2\n##\n.#\n##\n",
    ),
    "trees: the longest way by two walks, with weights below 0": Pair(
        "n = r.randint(1, 7)\nprint(n)\n"
        "for v in range(2, n + 1): print(r.randint(1, v - 1), v, r.randint(-3, 3))",
        FAR + "print(max(max(far(v).values()) for v in range(1, n + 1)))",
        FAR + "d = far(1)\nprint(max(far(max(d, key=d.get)).values()))",
        "3\n1 2 -1\n2 3 1\n",
    ),
    "queries: an old value that is forgotten": Pair(
        "n, q = r.randint(1, 6), r.randint(1, 8)\nprint(n, q)\n"
        "print(*(r.randint(-9, 9) for _ in range(n)))\n"
        "for _ in range(q):\n    if r.random() < 0.5:\n"
        "        print('set', r.randint(1, n), r.randint(-9, 9))\n"
        "    else: print('sum', *sorted(r.choices(range(1, n + 1), k=2)))",
        QUERIES + "        a[x] = y\n",
        QUERIES,
        "1 3\n0\nset 1 1\nset 1 0\nsum 1 1\n",
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
    "blocks until a 0: a count from the second on": Pair(
        "for _ in range(r.randint(1, 4)):\n    n = r.randint(1, 5)\n    print(n)\n"
        "    print(*(r.randint(1, 9) for _ in range(n)))\nprint(0)",
        SUMS.format(wrong=""),
        SUMS.format(wrong=" + (k > 0 and int(lines[k]) > 1)"),
        "1\n1\n2\n1 1\n0\n",
    ),
    "sorted numbers: a search that misses the first": Pair(
        "n = r.randint(1, 8)\na = sorted(r.sample(range(1, 26), n))\nprint(n, r.randint(1, "
        "25))\nprint(*a)",
        "print(data[1] in data[2:])",
        "print(data[1] in data[3:])",
        "1 1\n1\n",
    ),
}
