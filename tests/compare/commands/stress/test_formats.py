"""T cases of several lines, as contests have them: the smallest failing input is one that the
generator could print."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.commands.stress.grammar_words import grammar_line
from compare.commands.stress.learning import learn
from tests.compare.commands.stress.formats import (
    FORMATS,
    Format,
    cpp,
    generator,
    is_valid,
    python,
    samples,
)
from tests.compare.commands.stress.test_stress import SEEDED, command, saved_inputs
from tests.processes import compare


def shrunk(folder: Path, format: Format, words: str = "") -> tuple[str, str]:
    """What `stress` says of the programs in a folder, and the smallest input."""
    gen = command(folder, "gen", SEEDED + generator(format))
    ended = compare(f"stress {words} --generator '{gen}' --cases 2000", cwd=folder, status=1)
    (path,) = saved_inputs(folder)
    (first,) = folder.glob("wrong-*.first.in")
    assert is_valid(format, first.read_text())
    assert f"\nfirst failing input: {first.name}, seed " in ended.stdout
    return ended.stdout, path.read_text()


SOME_IN_PYTHON = ("list", "groups of numbers")


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME_IN_PYTHON)
def test_a_bug_in_python_ends_at_the_smallest_valid_input(tmp_path: Path, name: str) -> None:
    """`test_shapes` has them all."""
    format = FORMATS[name]
    brute = command(tmp_path, "brute", python(format, bug=False))
    fast = command(tmp_path, "fast", python(format, bug=True))
    said, smallest = shrunk(tmp_path, format, f"'{brute}' '{fast}'")
    assert is_valid(format, smallest), said
    assert smallest == format.smallest, said
    assert f"\nshape, learned from 60 inputs: {format.shape}\n" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_bug_in_cpp_ends_at_the_smallest_valid_input(tmp_path: Path, name: str) -> None:
    format = FORMATS[name]
    (tmp_path / "brute.cpp").write_text(cpp(format, bug=False))
    (tmp_path / "fast.cpp").write_text(cpp(format, bug=True))
    said, smallest = shrunk(tmp_path, format, "brute.cpp fast.cpp")
    assert is_valid(format, smallest), said
    assert smallest == format.smallest, said


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_learned_and_said(name: str) -> None:
    format = FORMATS[name]
    texts = samples(generator(format))
    grammar = learn(texts)
    assert grammar_line(grammar) == format.shape
    assert grammar.is_counted
    assert all(is_valid(format, text) and grammar.allows(text) for text in texts)
    assert grammar.allows(format.smallest)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_cut_or_longer_is_refused(name: str) -> None:
    """Each text without a line or a word, or with one more, is no input: the check of the format
    says so, too."""
    format = FORMATS[name]
    texts = samples(generator(format))
    grammar = learn(texts)
    for text in texts[:12]:
        lines = text.splitlines()
        others = [text + "1\n", text[:-1] + " 1\n"]
        for k, line in enumerate(lines):
            words = line.split()
            shorter = [" ".join(words[:-1])] if len(words) > 1 else []
            others += [
                "".join(f"{each}\n" for each in [*lines[:k], *more, *lines[k + 1 :]])
                for more in ([], shorter, [line, line], [f"{line} 1"])
            ]
        for other in others:
            assert not grammar.allows(other) or valid(format, other), other


def valid(format: Format, text: str) -> bool:
    try:
        return is_valid(format, text)
    except (AssertionError, StopIteration, ValueError):
        return False
