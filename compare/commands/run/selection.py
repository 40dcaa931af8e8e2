"""The choice among what is to be run: `-k`, an expression over names."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from compare.engine.campaign.plan import LateDataset, Names
from compare.engine.work.ask import Ask
from puzzles.text import UserError, quote_beginning

_WORD = re.compile(r"\s*([()]|[^\s()]+)")


def select(
    asks: Sequence[Ask], text: str, late: Sequence[LateDataset] = ()
) -> tuple[list[Ask], list[LateDataset]]:
    """The asks whose puzzle, dataset and contender satisfy an expression, and of files that are
    read in their turn those with such asks; raises `UserError` with all names if there are none.
    """
    holds = parse_selection(text)
    selected = [ask for ask in asks if holds(_names(ask))]
    chosen = [replace(each, chosen=holds) for each in late]
    chosen = [each for each in chosen if each.names]
    if not selected and not chosen:
        kinds = ("puzzles", "datasets", "contenders")
        of_files = [names for each in late for names in each.names]
        names = zip(*map(_names, asks), *of_files, strict=True)
        known = "\n".join(
            f"  {kind}: {', '.join(dict.fromkeys(each))}"
            for kind, each in zip(kinds, names, strict=True)
        )
        raise UserError(
            f"-k {quote_beginning(text)} leaves nothing to run; the names here are\n{known}"
        )
    return selected, chosen


def _names(ask: Ask) -> Names:
    return ask.contender.puzzle, ask.cases[0].dataset, ask.contender.name


def parse_selection(text: str) -> Callable[[Iterable[str]], bool]:
    """A function that says whether an expression holds for something with certain names.

    A word holds if one of the names contains it; upper and lower case are the same. `cnf` is in
    `models:cnf-traced`.

    Raises:
        UserError: the text is no such expression.
    """
    words: list[str] = []
    parts: list[str] = []
    for word in _WORD.findall(text):
        if word in ("and", "or", "not", "(", ")"):
            parts.append(word)
        else:
            parts.append(f"_{len(words)}")
            words.append(word.lower())
    try:
        tree = ast.parse(" ".join(parts), mode="eval")
        code = compile(tree, "-k", "eval")
    except (SyntaxError, RecursionError, MemoryError):
        raise _wrong(text) from None
    if any(isinstance(node, ast.Call | ast.Tuple) for node in ast.walk(tree)):
        raise _wrong(text)  # all else that can be made of these parts is such an expression

    def holds(names: Iterable[str]) -> bool:
        lowered = [name.lower() for name in names]
        values = {f"_{k}": any(word in name for name in lowered) for k, word in enumerate(words)}
        return eval(code, {"__builtins__": {}}, values)  # noqa: S307 - nothing but and, or, not and these names

    return holds


def _wrong(text: str) -> UserError:
    return UserError(
        f"-k takes names joined by and, or, not and parentheses, not {quote_beginning(text)}"
    )
