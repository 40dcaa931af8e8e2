"""The choice of tasks by `-k EXPR`: names joined by `and`, `or`, `not` and parentheses, as in pytest."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence

from compare.campaign.tasks import Task
from puzzles.text import UserError, shown

_WORD = re.compile(r"\s*([()]|[^\s()]+)")


def select(tasks: Sequence[Task], text: str) -> list[Task]:
    """The tasks whose puzzle, dataset and contender satisfy an expression; raises `UserError` with all names if there are none."""
    holds = parse(text)
    selected = [task for task in tasks if holds((task.contender.puzzle, task.dataset.name, task.contender.name))]
    if not selected:
        names = {
            "puzzles": [task.contender.puzzle for task in tasks],
            "datasets": [task.dataset.name for task in tasks],
            "contenders": [task.contender.name for task in tasks],
        }
        known = "\n".join(f"  {kind}: {', '.join(dict.fromkeys(each))}" for kind, each in names.items())
        raise UserError(f"-k {shown(text)} leaves nothing to run; the names here are\n{known}")
    return selected


def parse(text: str) -> Callable[[Iterable[str]], bool]:
    """A function that says whether an expression holds for something with certain names.

    A word holds if one of the names contains it; upper and lower case are the same. `cnf` is in `models:cnf-traced`.

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
        tree = ast.parse(" ".join(parts), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        raise _wrong(text) from None
    if any(not isinstance(node, ast.BoolOp | ast.UnaryOp | ast.Name | ast.boolop | ast.Not | ast.Load) for node in ast.walk(tree)):
        raise _wrong(text)

    def holds(node: ast.AST, names: list[str]) -> bool:
        if isinstance(node, ast.BoolOp):
            results = (holds(value, names) for value in node.values)
            return all(results) if isinstance(node.op, ast.And) else any(results)
        if isinstance(node, ast.UnaryOp):
            return not holds(node.operand, names)
        assert isinstance(node, ast.Name)
        word = words[int(node.id[1:])]
        return any(word in name for name in names)

    return lambda names: holds(tree, [name.lower() for name in names])


def _wrong(text: str) -> UserError:
    return UserError(f"-k takes names joined by and, or, not and parentheses, not {shown(text)}")
