"""What is learned of inputs beyond how long they are: bounds by the place, trees given by parents,
decimals, strings; and that steps to smaller inputs reach the smallest one of a shape."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice, product
from types import CodeType
from typing import NamedTuple

import pytest

from compare.commands.stress.grammar import Grammar
from compare.commands.stress.grammar_steps import smaller_inputs
from compare.commands.stress.grammar_words import grammar_line
from compare.commands.stress.learning import learn
from compare.commands.stress.stress_search import MAX_TINY
from compare.engine.search.reducer import Reducer, from_number
from puzzles.space.text_changes import weight
from tests.compare.commands.stress.formats import FORMATS, generator, python, samples
from tests.compare.commands.stress.pairs import PAIRS, Pair
from tests.installed import slow


class Shape(NamedTuple):
    """A generator, what is said of its inputs, and texts that are of this shape and that are
    not."""

    generator: str
    words: str
    inside: tuple[str, ...]
    outside: tuple[str, ...]


PARENTS = "n = r.randint(1, 8)\nprint(n)\n"
SHUFFLED = (
    "n = r.randint(1, 8)\nv = r.sample(range(n), n)\np = [-1] * n\n"
    "for i in range(1, n): p[v[i]] = v[r.randrange(i)]\n"
)
ROUNDS = "for _ in range(r.randint(1, 4)):\n    "
SHAPES = {
    "blocks with a count each, until a 0": Shape(
        f"{ROUNDS}n = r.randint(1, 5)\n    print(n)\n"
        "    print(*(r.randint(0, 2) for _ in range(n)))\nprint(0)",
        "until a line 0 (n, n numbers from 0 to 2)",
        ("1\n2\n0\n", "1\n0\n2\n1 1\n0\n"),
        ("1\n\n2\n\n0\n", "1\n2\n", "0\n0\n", "1\n2\n0\n1\n2\n0\n"),
    ),
    "pairs until 0 0": Shape(
        f"{ROUNDS}print(r.randint(1, 9), r.randint(0, 9))\nprint(0, 0)",
        "until a line 0 0 (a number from 1 to 9 and a number from 0 to 9)",
        ("1 0\n0 0\n",),
        ("0 1\n0 0\n", "1 1\n", "1 1\n0 0\n0 0\n"),
    ),
    "pairs until 0 0, which may come before the end": Shape(
        f"{ROUNDS}print(r.randint(0, 1), r.randint(0, 1))\nprint(0, 0)",
        "until the end (2 numbers from 0 to 1)",
        ("0 0\n0 0\n",),
        ("0 2\n",),
    ),
    "lines of several numbers, until END": Shape(
        f"{ROUNDS}print(*(r.randint(1, 9) for _ in range(r.randint(1, 4))))\nprint('END')",
        "until a line END (some numbers from 1 to 9)",
        ("1 2\nEND\n",),
        ("1 2\n", "END\n1\n"),
    ),
    "parents of 2 to n": Shape(
        PARENTS + "print(*(r.randint(1, v - 1) for v in range(2, n + 1)))",
        "n, n - 1 numbers, the i-th from 1 to i [the parents of 2, 3, ... in a tree]",
        ("1\n\n", "3\n1 2\n", "4\n1 1 3\n"),
        ("3\n2 1\n", "3\n1 3\n", "3\n0 1\n"),
    ),
    "parents with the root's own, -1": Shape(
        PARENTS + "print(-1, *(r.randint(0, v - 1) for v in range(1, n)))",
        "n, n numbers, the i-th from -1 to i - 2 [the parents of 0, 1, ... in a tree]",
        ("1\n-1\n", "3\n-1 0 1\n"),
        ("2\n-1 -1\n", "2\n0 -1\n", "3\n-1 2 0\n"),
    ),
    "parents in any order, from 0": Shape(
        SHUFFLED + "print(n)\nprint(*p)",
        "n, n numbers from -1 to n - 1 [the parents of 0, 1, ... in a tree]",
        ("3\n1 2 -1\n", "1\n-1\n"),
        ("3\n1 0 -1\n", "2\n-1 -1\n", "3\n1 2 0\n"),
    ),
    "parents in any order, from 1": Shape(
        SHUFFLED + "print(n)\nprint(*(x + 1 for x in p))",
        "n, n numbers from 0 to n [the parents of 1, 2, ... in a tree]",
        ("3\n2 3 0\n",),
        ("3\n2 1 0\n", "2\n0 0\n", "3\n2 3 1\n"),
    ),
    "parents with the root's own, itself": Shape(
        PARENTS + "print(1, *(r.randint(1, v - 1) for v in range(2, n + 1)))",
        "n, n numbers, the i-th from 1 to i [the parents of 1, 2, ... in a tree]",
        ("1\n1\n", "3\n1 1 2\n"),
        ("2\n1 2\n", "2\n2 1\n"),
    ),
    "a line with parent and weight for each vertex": Shape(
        PARENTS + "for v in range(2, n + 1): print(r.randint(1, v - 1), r.randint(1, 9))",
        "n, n - 1 times (a number from 1 to i and a number from 1 to 9 [i: the line])",
        ("3\n1 9\n2 1\n",),
        ("3\n2 9\n1 1\n", "2\n1\n"),
    ),
    "edges from 0, in the order of the children": Shape(
        PARENTS + "for v in range(1, n): print(r.randint(0, v - 1), v)",
        "n, n - 1 times (a number from 0 to i - 1 and the number i "
        "[increasing, no pair twice, connected, i: the line])",
        ("3\n0 1\n1 2\n",),
        ("3\n0 2\n0 1\n", "3\n0 1\n2 1\n"),
    ),
    "edges from 0, in any order": Shape(
        SHUFFLED + "print(n)\ne = [r.sample((a, b), 2) for a, b in enumerate(p) if b >= 0]\n"
        "for a, b in r.sample(e, n - 1): print(a, b)",
        "n, n - 1 times (2 numbers from 0 to n - 1 [distinct, no pair twice, connected])",
        ("3\n2 1\n0 2\n",),
        ("3\n0 1\n1 0\n", "4\n0 1\n2 3\n2 1\n0 2\n"),
    ),
    "the next place, behind its own": Shape(
        PARENTS + "print(*(r.randint(v + 1, n) for v in range(1, n)))",
        "n, n - 1 numbers, the i-th from i + 1 to n",
        ("3\n3 3\n", "4\n2 4 4\n"),
        ("3\n1 3\n", "3\n2 2\n"),
    ),
    "numbers to 9, which no place bounds": Shape(
        PARENTS + "print(*(r.randint(1, 9) for _ in range(n)))",
        "n, n numbers from 1 to 9",
        ("3\n9 1 1\n",),
        ("3\n9 0 1\n",),
    ),
    "decimals with two digits": Shape(
        PARENTS + "for _ in range(n): print('%.2f %d' % (r.uniform(0.5, 20), r.randint(1, 5)))",
        "n, n times (a decimal from 0.01 to 20.00 and a number from 1 to 5)",
        ("1\n0.50 1\n", "1\n20.00 5\n"),
        ("1\n... 1\n", "1\n20.01 1\n", "1\n1.5 1\n", "1\n2 1\n", "1\n1.500 1\n"),
    ),
    "decimals as Python and C++ print them": Shape(
        PARENTS + "print(*(f'{r.randint(-99, 99) / 20:g}' for _ in range(n)))",
        "n, n decimals from -5.00 to 5.00 with 0 to 2 digits behind the point",
        ("3\n-4.95 0 1.5\n",),
        ("1\n5.05\n", "1\n1.005\n", "1\n1e0\n"),
    ),
    "intervals of decimals": Shape(
        PARENTS + "for _ in range(n): print(*sorted(r.randint(0, 40) / 4 for _ in 'ab'))",
        "n, n times (2 decimals from 0.00 to 10.00 with 1 to 2 digits behind the point [in order])",
        ("1\n0.0 0.25\n", "1\n0.0 0.0\n", "1\n10.0 10.0\n"),
        ("1\n0.25 0.1\n", "1\n0.0 0.10\n", "1\n0 0.1\n"),
    ),
    "a weighted graph in one piece, and two of its vertices": Shape(
        "n = r.randint(2, 6)\ne = {(r.randint(1, v - 1), v) for v in range(2, n + 1)}\n"
        "e |= {tuple(sorted(r.sample(range(1, n + 1), 2))) for _ in range(r.randint(0, 4))}\n"
        "print(n, len(e))\nfor a, b in e: print(a, b, r.randint(1, 100))\n"
        "print(*r.sample(range(1, n + 1), 2))",
        "n m, m times (a number from 1 to n - 1 and a number from 2 to n and a number from 1 to "
        "100 [the first less than the second, no pair twice, connected]), "
        "2 numbers from 1 to n [distinct]",
        ("2 1\n1 2 100\n2 1\n",),
        ("3 2\n1 2 1\n1 2 2\n1 2\n", "3 2\n1 2 1\n3 2 1\n1 2\n", "2 1\n1 2 1\n1 3\n"),
    ),
    "queries of two kinds and one length": Shape(
        "n, q = r.randint(1, 8), r.randint(1, 8)\nprint(n, q)\nfor _ in range(q):\n"
        "    if r.random() < 0.5: print(1, r.randint(1, n), r.randint(-9, 9))\n"
        "    else: print(2, *sorted(r.choices(range(1, n + 1), k=2)))",
        "n m, m times (`1` a number from 1 to n and a number from -9 to 9 or "
        "`2` 2 numbers from 1 to n [in order])",
        ("2 2\n1 2 -9\n2 1 2\n",),
        ("2 1\n2 2 1\n", "2 1\n2 1 3\n", "2 1\n1 3 1\n", "2 1\n3 1 1\n"),
    ),
    "queries with a letter behind their numbers": Shape(
        "n, q = r.randint(1, 8), r.randint(1, 6)\nprint(n, q)\n"
        "print(''.join(r.choices('abc', k=n)))\nfor _ in range(q):\n"
        "    if r.random() < 0.5: print('set', r.randint(1, n), r.choice('abc'))\n"
        "    else: print('count', *sorted(r.choices(range(1, n + 1), k=2)), r.choice('abc'))",
        "n m, a string of length n of `abc`, m times (`count` 2 numbers from 1 to n and a word of "
        "a, b, c [in order] or `set` a number from 1 to n and a word of a, b, c)",
        ("2 1\nab\ncount 1 1 a\n", "2 2\nab\ncount 1 2 c\nset 2 a\n"),
        ("2 1\nab\ncount 2 1 a\n", "2 1\nab\nset 3 a\n", "2 1\nab\ncount 1 2 d\n"),
    ),
    "two numbers in order, and a letter": Shape(
        PARENTS + "for _ in range(n):\n"
        "    print(*sorted(r.choices(range(1, 10), k=2)), r.choice('xyz'))",
        "n, n times (2 numbers from 1 to 9 and a word of x, y, z [in order])",
        ("1\n1 1 x\n", "1\n9 9 z\n"),
        ("1\n2 1 x\n", "2\n1 1 x\n9 8 x\n"),
    ),
    "a keyword that begins every line": Shape(
        PARENTS + "for _ in range(n): print('s', *sorted(r.choices(range(1, 10), k=2)))",
        "n, n times (a word of s and 2 numbers from 1 to 9 [in order])",
        ("1\ns 1 1\n", "1\ns 9 9\n"),
        ("1\ns 2 1\n",),
    ),
    "two numbers in order, a third one and a range": Shape(
        PARENTS + "for _ in range(n): print(*sorted(r.choices(range(1, 10), k=2)), "
        "r.randint(1, 9), *sorted(r.choices(range(1, 10), k=2)))",
        "n, n times (5 numbers from 1 to 9 [the first at most the second, "
        "the fourth at most the fifth])",
        ("1\n1 1 1 1 1\n", "1\n8 9 7 9 9\n", "1\n1 9 5 1 2\n"),
        ("1\n2 1 5 1 2\n", "1\n1 2 5 2 1\n"),
    ),
    "a tree whose edges have names": Shape(
        PARENTS + "for v in range(2, n + 1):\n"
        "    print(*r.sample((r.randint(1, v - 1), v), 2), r.choice(('red', 'blue')))",
        "n, n - 1 times (2 numbers from 1 to n and a word of blue, red "
        "[distinct, no pair twice, connected])",
        ("3\n2 1 red\n2 3 red\n",),
        ("3\n1 2 red\n2 1 red\n", "2\n1 1 red\n"),
    ),
    "a small count and a wide limit, in no order": Shape(
        "n, k = r.randint(1, 8), r.randint(1, 1000)\nprint(n, k)\n"
        "print(*(r.randint(1, 9) for _ in range(n)))",
        "n k, n numbers from 1 to 9",
        ("8 1\n1 1 1 1 1 1 1 1\n",),
        ("9 1\n1 1 1 1 1 1 1 1 1\n",),
    ),
    "a count and a decimal": Shape(
        "n = r.randint(1, 8)\nprint(n, f'{r.uniform(0, 1):.3f}')\n"
        "print(*(r.randint(1, 9) for _ in range(n)))",
        "n and a decimal from 0.001 to 1.000, n numbers from 1 to 9",
        ("1 0.500\n9\n",),
        ("1 0.5\n9\n", "1 1\n9\n"),
    ),
    "T cases of a line with two strings": Shape(
        "t = r.randint(1, 4)\nprint(t)\nfor _ in range(t):\n"
        "    print(*(''.join(r.choices('ab', k=r.randint(1, 8))) for _ in 'xy'))",
        "T times (2 strings of length 1 to 8 of `ab`)",
        ("1\na aaaaaaaa\n",),
        ("1\na aaaaaaaaa\n", "1\na\n", "1\na c\n"),
    ),
    "T cases of two lines with a string each": Shape(
        "t = r.randint(1, 4)\nprint(t)\nfor _ in range(2 * t):\n"
        "    print(''.join(r.choices('01', k=r.randint(2, 5))))",
        "T times (a string of length 2 to 5 of `01`, a string of length 2 to 5 of `01`)",
        ("1\n00\n11111\n",),
        ("1\n0\n11\n", "1\n00\n"),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_learned_and_said(name: str) -> None:
    shape = SHAPES[name]
    texts = samples(shape.generator)
    grammar = learn(texts)
    assert grammar_line(grammar) == shape.words
    assert all(map(grammar.allows, texts))
    assert [text for text in shape.inside if not grammar.allows(text)] == []
    assert [text for text in shape.outside if grammar.allows(text)] == []


@pytest.mark.parametrize(
    "code",
    [
        SHAPES["two numbers in order, and a letter"].generator,
        SHAPES["a keyword that begins every line"].generator,
        SHAPES["a small count and a wide limit, in no order"].generator,
        SHAPES["queries with a letter behind their numbers"].generator,
        "n = r.randint(1, 5)\nprint(n)\n"
        "for _ in range(n): print(*sorted(r.choices(range(1, 21), k=2)))",
        "n, k = r.randint(1, 5), r.randint(4, 9)\nprint(n, k)\n"
        "print(*(r.randint(1, 9) for _ in range(n)))",
    ],
)
def test_what_holds_by_chance_in_some_inputs_is_no_rule(code: str) -> None:
    """Whichever 60 inputs are read, one shape is learned, and other inputs have it, too."""
    texts = samples(code, 300)
    grammars = [learn(texts[first : first + 60]) for first in range(0, 300, 60)]
    assert len({grammar_line(each) for each in grammars}) == 1
    assert [text for each in grammars for text in texts if not each.allows(text)] == []


def smallest(grammar: Grammar | None, text: str, fails: Callable[[str], bool]) -> str:
    """Where the steps end, without a look at all smaller inputs."""

    def first_failing(candidates: Sequence[str]) -> tuple[int, str] | None:
        return next(((k, each) for k, each in enumerate(candidates) if fails(each)), None)

    reducer = Reducer(text, first_failing, over=lambda: False, key=lambda value: value)
    reducer.descend(from_number(partial(smaller_inputs, grammar=grammar)))
    return reducer.smallest


def depth(text: str) -> int:
    """Of the tree whose parents these are: 1 for a root alone; places from 0 or from 1."""
    values = [*map(int, text.split()[1:])]
    least = min(values) + 1

    def above(vertex: int) -> int:
        return 0 if vertex < least else 1 + above(values[vertex - least])

    return max(above(vertex) for vertex in range(least, least + len(values)))


def far(text: str) -> int:
    """How many edges lie between the two vertices of the last line."""
    _, *edges, (start, goal) = (line.split() for line in text.splitlines())
    near, steps = {start}, 0
    while goal not in near:
        near |= {each for a, b, _ in edges if {a, b} & near for each in (a, b)}
        steps += 1
    return steps


def overlap(text: str) -> bool:
    """Whether an interval ends where another one begins, and not before."""
    words = text.split()
    starts, ends = words[1::2], words[2::2]
    return any(a == d for k, a in enumerate(starts) for j, d in enumerate(ends) if k != j)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fails", "end"),
    [
        ("parents of 2 to n", lambda text: depth("0 0 " + text[2:]) > 3, "4\n1 2 3\n"),
        ("parents with the root's own, -1", lambda text: depth(text) > 3, "4\n-1 0 1 2\n"),
        ("parents in any order, from 1", lambda text: depth(text) > 3, "4\n0 1 2 3\n"),
        (
            "a weighted graph in one piece, and two of its vertices",
            lambda text: far(text) > 2,
            "4 3\n1 2 1\n1 3 1\n2 4 1\n3 4\n",
        ),
        ("decimals with two digits", lambda text: float(text.split()[1]) > 1.5, "1\n1.51 1\n"),
        ("intervals of decimals", overlap, "2\n0.0 0.0\n0.0 0.0\n"),
        (
            "T cases of a line with two strings",
            lambda text: any(sorted(word) == [*"aaab"] for word in text.split()),
            "1\na aaab\n",
        ),
        (
            "T cases of two lines with a string each",
            lambda text: any(sorted(word) == [*"0111"] for word in text.split()),
            "1\n00\n0111\n",
        ),
    ],
)
def test_steps_end_at_the_smallest_input_of_the_shape(
    name: str, fails: Callable[[str], bool], end: str
) -> None:
    texts = samples(SHAPES[name].generator, 200)
    grammar = learn(texts[:60])
    failing = [*islice(filter(fails, texts), 5)]
    assert len(failing) > 1
    assert {smallest(grammar, text, fails) for text in failing} == {end}


def test_all_smaller_texts_are_listed_or_given_up_early() -> None:
    """Beginnings of a line that leave no room for the rest of it count, too: of six numbers there
    are 10**15.
    """
    triples = learn(samples("print(*(r.randint(-12, 12) for _ in range(3)))", 60))
    text = "0 -1 3\n"
    words = [str(number) for number in range(-12, 13)]
    texts = [f"{' '.join(each)}\n" for each in product(words, repeat=3)]
    expected = sorted((each for each in texts if weight(each) < weight(text)), key=weight)
    assert len(expected) > 500
    assert triples.smaller(text, MAX_TINY) == (expected, True)

    numbers = learn(samples("print(*(r.randint(-500, 500) for _ in range(6)))", 60))
    assert numbers.smaller("0 0 0 0 0 1\n", MAX_TINY) == ([], False)


def test_a_name_is_made_smaller_in_all_its_places() -> None:
    """Also where no shape is known."""

    def fails(text: str) -> bool:
        """Whether what was put in is asked for behind it."""
        lines = text.splitlines()
        return any(
            line.startswith("get ") and line.replace("get", "put") in lines[:row]
            for row, line in enumerate(lines)
        )

    text = "put carl\nput anna\nget bob\nget carl\n"
    assert smallest(None, text, fails) == "put a\nget a\n"


def printed(code: CodeType, **names: object) -> str:
    """What code prints that knows these names."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(code, {**names})
    return output.getvalue()


PROGRAMS = PAIRS | {
    f"T cases: {name}": Pair(
        generator(format),
        python(format, bug=False),
        python(format, bug=True),
        format.smallest,
    )
    for name, format in FORMATS.items()
}


LONG = (
    "graphs: connected, by edges alone",
    "numbers: a sum in 32 bits",
    "numbers: a sum in 64 bits",
    "queries: an old value that is forgotten",
    "trees: the depth counted from the wrong end",
    "T cases: a last line",
    "T cases: graphs",
    "T cases: groups of numbers",
    "T cases: list",
    "T cases: n k and a list",
    "T cases: n k and pairs",
    "T cases: n pairs",
    "T cases: trees",
)
"""Those that take more than a second."""


@pytest.mark.parametrize("name", [slow(each) if each in LONG else each for each in PROGRAMS])
def test_a_planted_bug_ends_at_the_smallest_input(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `stress` does it, but that the programs run here: a step, or one of all smaller inputs."""
    code, brute, fast, end = PROGRAMS[name]
    programs = [compile(each, "program", "exec") for each in (brute, fast)]

    def fails(text: str) -> bool:
        lines = text.split("\n")[:-1]
        outputs = set[str]()
        for each in programs:
            monkeypatch.setattr(sys, "stdin", io.StringIO(text))
            outputs.add(printed(each, lines=lines, data=text.split()))
        return len(outputs) > 1

    texts = samples(code, 400)
    grammar = learn(texts[:60])
    failing = [*islice(filter(fails, texts), 2)]
    assert len(failing) == 2
    for text in failing:
        reached = smallest(grammar, text, fails)
        while True:
            tiny, _ = grammar.smaller(reached, MAX_TINY)
            smaller = next(filter(fails, tiny), None)
            if smaller is None:
                break
            reached = smallest(grammar, smaller, fails)
        assert reached == end
