"""The checks' own code, mutated: each comparison, offset, sign, small number and connective in turn; the corpus must notice.

The corpus is small boards with the certified answers of all backends, and random damage to those. What the checks say of
it is known to be right (`test_attack.py`); here a mutant has to say something else, crash or hang on some of it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import pytest

import puzzles
from compare.fuzz import boards
from compare.sandbox import Limits, Status, call
from puzzles.puzzle import Answer, Board
from puzzles.refute import LimitReached, Sum, clause, satisfy
from tests.corrupt import certified, damaged

ROOT = Path(__file__).parent.parent
LIMITS = Limits(4.0, 2**31)
PIECE = 40
"""Mutants tried in one test."""

EQUIVALENT: dict[str, dict[str, str]] = {}
"""By module, the mutants that no corpus can tell from the original, each with the reason."""

_FLIPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.USub: ast.UAdd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def sites(tree: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every place where the code can be mutated: what is there, and a function that mutates the tree in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for index, operator in enumerate(node.ops):
                yield ast.unparse(node), lambda node=node, index=index, operator=operator: node.ops.__setitem__(
                    index, _other(operator)
                )
        elif isinstance(node, ast.BinOp | ast.AugAssign | ast.UnaryOp | ast.BoolOp) and type(node.op) in _FLIPPED:
            yield ast.unparse(node), lambda node=node: setattr(node, "op", _other(node.op))
        elif isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= 9:
            yield f"{node.value}", lambda node=node: setattr(node, "value", node.value + 1)


def _other(operator: ast.AST) -> Any:
    return _FLIPPED[type(operator)]()


def source_of(module: str) -> str:
    return (ROOT / (module.replace(".", "/") + ".py")).read_text()


def mutants(module: str) -> Iterator[tuple[str, CodeType]]:
    """Each mutant of a module: what was changed, as `function: code`, and its compiled code."""
    source = source_of(module)
    count = len(list(sites(ast.parse(source))))
    for number in range(count):
        tree = ast.parse(source)
        before, mutate = list(sites(tree))[number]
        lines = {id(node): node for node in ast.walk(tree)}
        functions = [node for node in lines.values() if isinstance(node, ast.FunctionDef)]
        mutate()
        changed = ast.unparse(tree).splitlines()
        original = ast.unparse(ast.parse(source)).splitlines()
        line = next(new.strip() for old, new in zip(original, changed, strict=True) if old != new)
        del before, functions
        yield line, compile(tree, module, "exec")


def load(module: str, code: CodeType) -> ModuleType:
    made = ModuleType(module)
    sys.modules[module] = made
    exec(code, made.__dict__)
    return made


Case = tuple[Board, Answer]


@cache
def corpus(puzzle: str) -> list[Case]:
    """Certified answers to small boards, and what they become when damaged."""
    rng = Random(5)
    cases: list[Case] = []
    for board, answer, _ in certified(puzzle, boards(puzzles.get(puzzle), 3, 0, 200, 6)):
        if board.cells <= 64:
            cases += [(board, answer), (board, damaged(answer, rng)), (board, damaged(answer, rng))]
    return cases


def said(module: ModuleType, cases: list[Case]) -> Iterator[object]:
    for board, answer in cases:
        yield module.check(board, answer)


@cache
def truth(puzzle: str) -> list[object]:
    return list(said(import_module(f"puzzles.{puzzle}.check"), corpus(puzzle)))


def differs(module: str, code: CodeType) -> bool:
    """Whether a mutant gives itself away; runs in a process of its own."""
    mutant = load(module, code)
    if module == "puzzles.refute":
        return any(a != b for a, b in zip(refutations(mutant), expected_refutations(), strict=True))
    puzzle = module.split(".")[1]
    return any(a != b for a, b in zip(said(mutant, corpus(puzzle)), truth(puzzle), strict=True))


def survives(module: str, code: CodeType) -> bool:
    ended = call(differs, module, code, limits=LIMITS)
    return ended.status is Status.OK and not ended.value


def refutations(module: ModuleType) -> Iterator[object]:
    """What the refuter makes of random sums."""
    for sums in random_sums():
        yield module.satisfy([module.Sum(*each) for each in sums])
    for holes in (2, 3, 4):
        for most in range(1, 12):
            try:
                yield module.satisfy(pigeons(module, holes), most)
            except module.LimitReached as limit:
                yield str(limit)


@cache
def expected_refutations() -> list[object]:
    return list(refutations(sys.modules["puzzles.refute"]))


@cache
def random_sums() -> list[list[Sum]]:
    rng = Random(7)
    made: list[list[Sum]] = []
    for _ in range(600):
        most = rng.randint(1, 7)
        made.append([])
        for _ in range(rng.randint(1, 7)):
            literals = tuple(rng.randint(1, most) * rng.choice((-1, 1)) for _ in range(rng.randint(0, 5)))
            low = rng.randint(0, 3)
            made[-1].append(Sum(literals, low, low + rng.randint(0, 2)))
    return made


def pigeons(module: Any, holes: int) -> list[Any]:
    rows = [module.clause(*(p * holes + h + 1 for h in range(holes))) for p in range(holes + 1)]
    return rows + [module.Sum(tuple(p * holes + h + 1 for p in range(holes + 1)), 0, 1) for h in range(holes)]


MODULES = ["puzzles.refute", *(f"puzzles.{name}.check" for name in puzzles.names())]
