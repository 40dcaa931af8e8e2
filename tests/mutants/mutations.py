"""Mutants: a module's source with one small change each, such as `<` for `<=`, made on its syntax
tree in memory.

A module of our own, because the libraries do something else: cosmic-ray and mutmut change files and
start a test suite for each change, and neither drops a clause or negates a literal.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.machinery import PathFinder
from itertools import islice
from types import CodeType
from typing import Any


class Mutation(Flag):
    """What a mutation changes.

    SMALL: a comparison, plus or minus, a number from 0 to 9 (to the next one), `and` or `or`.
    LOGIC: `&` or `|`, a negation that is dropped, True or False.
    LITERAL: the sign of an argument of a call that adds a clause.
    DROPPED: a call whose value nobody uses, such as one that adds a clause or appends to a list.
    SLICE: the beginning or the end of a slice, by one.
    JUMP: `break` or `continue`.
    """

    SMALL = auto()
    LOGIC = auto()
    LITERAL = auto()
    DROPPED = auto()
    SLICE = auto()
    JUMP = auto()


ALL = ~Mutation(0)

_PAIRS: dict[Mutation, list[tuple[type[ast.AST], type[ast.AST]]]] = {
    Mutation.SMALL: [
        (ast.Lt, ast.LtE),
        (ast.Gt, ast.GtE),
        (ast.Eq, ast.NotEq),
        (ast.In, ast.NotIn),
        (ast.Is, ast.IsNot),
        (ast.Add, ast.Sub),
        (ast.And, ast.Or),
    ],
    Mutation.LOGIC: [(ast.BitAnd, ast.BitOr)],
    Mutation.JUMP: [(ast.Break, ast.Continue)],
}
"""Operators and jumps of which each stands in the place of the other."""

_OTHERS = {
    one: (kind, other)
    for kind, pairs in _PAIRS.items()
    for pair in pairs
    for one, other in (pair, pair[::-1])
} | {ast.USub: (Mutation.SMALL, ast.UAdd)}

_ADDING_CLAUSES = {
    "add",
    "add_clause",
    "extend",
    "extend_groups",
    "extend_valid",
    "state",
    "append",
}
"""Methods whose arguments are literals, or clauses, or arrays of these."""

_NOT_RUN = {"annotation", "returns", "decorator_list", "type_params"}
"""Parts of a syntax tree that solve nothing."""

_NO_ANSWER = {"strict", "effort"}
"""Keyword arguments that change no answer: the guard of `zip`, and times."""


@dataclass(frozen=True)
class Around:
    """A statement and where it is.

    Attributes:
        name: of the function or class around it, with those around that; empty for a statement of
            the module.
        at_import: whether it runs when the module is imported.
    """

    statement: ast.stmt
    name: str = ""
    at_import: bool = True


@dataclass(frozen=True)
class Site:
    """A place where the code can be mutated: entry `place` of `holder`, the attributes of a node or
    a list in it, becomes `value`.

    Attributes:
        around: the statement that the place belongs to, and where that is.
    """

    holder: Any
    place: Any
    value: Any
    around: Around

    def put(self, value: Any) -> Any:
        """Set the place to `value`; returns what was there."""
        before, self.holder[self.place] = self.holder[self.place], value
        return before


@dataclass(frozen=True)
class Mutant:
    """One changed module.

    Attributes:
        number: of its place among all places of the module that these kinds of mutations change.
        line: of the statement, in the source.
        statement: the number of the statement, as `statements` counts.
        at_import: whether the statement runs when the module is imported.
        key: the function and the changed line; a second equal one has ` (2)` after it. No two
            mutants of a module share it.
        old, new: the first line that the change changes, before and after, in the form that
            `ast.unparse` gives.
    """

    module: str
    number: int
    line: int
    statement: int
    at_import: bool
    key: str
    old: str
    new: str


def source_of(module: str) -> str:
    """The source of a module; only its package is imported."""
    package = module.rpartition(".")[0]
    spec = PathFinder.find_spec(module, import_module(package).__path__ if package else None)
    loader = None if spec is None else spec.loader
    source = loader.get_source(module) if isinstance(loader, InspectLoader) else None
    if source is None:
        raise ValueError(f"the module {module} has no source")
    return source


def statements(tree: ast.Module) -> list[ast.stmt]:
    """All statements of a module; their index in this list is their number."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def mutants(module: str, kinds: Mutation = ALL) -> list[Mutant]:
    """Every mutant of a module, equal ones of one statement once."""
    tree = ast.parse(source_of(module))
    numbers = {id(statement): k for k, statement in enumerate(statements(tree))}
    listed: list[Mutant] = []
    seen, keys = set[tuple[int, str]](), Counter[str]()
    for number, site in enumerate(sites(tree, kinds)):
        statement = site.around.statement
        before = ast.unparse(statement)
        was = site.put(site.value)
        after = ast.unparse(site.value if was is statement else statement)
        site.put(was)
        if before == after or (id(statement), after) in seen:
            continue
        seen.add((id(statement), after))
        pairs = zip(before.splitlines(), after.splitlines(), strict=False)
        old, new = next((old.strip(), new.strip()) for old, new in pairs if old != new)
        key = f"{site.around.name}: {new if new != 'pass' else f'without {old}'}"
        keys[key] += 1
        if keys[key] > 1:
            key += f" ({keys[key]})"
        listed.append(
            Mutant(
                module,
                number,
                statement.lineno,
                numbers[id(statement)],
                site.around.at_import,
                key,
                old,
                new,
            )
        )
    return listed


def code_of(mutant: Mutant, kinds: Mutation = ALL) -> CodeType:
    """A mutant, compiled; `kinds` are those that it was listed with."""
    tree = ast.parse(source_of(mutant.module))
    site = next(islice(sites(tree, kinds), mutant.number, None))
    site.put(site.value)
    return compile(ast.fix_missing_locations(tree), mutant.module, "exec")


def sites(tree: ast.Module, kinds: Mutation) -> Iterator[Site]:
    """Every place of a module that these kinds of mutations change."""
    for index, statement in enumerate(tree.body):
        if (
            isinstance(statement, ast.If)
            and ast.unparse(statement.test) == "__name__ == '__main__'"
        ):
            continue
        yield from _in_node(tree.body, index, Around(statement), kinds)


def _in_node(holder: Any, place: Any, around: Around, kinds: Mutation) -> Iterator[Site]:
    """The sites in the node at this place of its holder, and in all below it."""
    node: ast.AST = holder[place]
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.stmt):
        around = replace(around, statement=node)
    for kind, where, value in _changes(holder, place, node):
        if kind in kinds:
            yield Site(*where, value, around)
    body = around
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        name = f"{around.name}.{node.name}".removeprefix(".")
        at_import = around.at_import and isinstance(node, ast.ClassDef)
        body = replace(around, name=name, at_import=at_import)
    for field, child in ast.iter_fields(node):
        below: Any = child if isinstance(child, list) else vars(node)
        places = range(len(below)) if isinstance(child, list) else [field]
        for at in places if field not in _NOT_RUN else ():
            each = below[at]
            if isinstance(each, ast.AST) and getattr(each, "arg", None) not in _NO_ANSWER:
                inner = body if isinstance(each, ast.stmt) else around
                yield from _in_node(below, at, inner, kinds)


def _changes(
    holder: Any, place: Any, node: ast.AST
) -> Iterator[tuple[Mutation, tuple[Any, Any], ast.AST]]:
    """The changes of a node, which is at this place of its holder: the kind, the place that
    changes, and what stands there then.
    """
    here = holder, place
    if type(node) in _OTHERS:
        kind, other = _OTHERS[type(node)]
        yield kind, here, ast.copy_location(other(), node)
    match node:
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            yield Mutation.LOGIC, here, operand
        case ast.Constant(value=bool(value)):
            yield Mutation.LOGIC, here, ast.Constant(not value)
        case ast.Constant(value=int(value)) if 0 <= value <= 9:
            yield Mutation.SMALL, here, ast.Constant(value + 1)
        case ast.Slice(lower=lower, upper=upper):
            yield Mutation.SLICE, (vars(node), "lower"), _one_more(lower or ast.Constant(0))
            if upper is not None:
                yield Mutation.SLICE, (vars(node), "upper"), _one_more(upper)
        case ast.Expr(value=ast.Call()):
            yield Mutation.DROPPED, here, ast.copy_location(ast.Pass(), node)
        case ast.Call(func=ast.Attribute(attr=name), args=arguments) if (
            name in _ADDING_CLAUSES or name.startswith(("add_", "only_enforce_if"))
        ):
            negation = ast.USub() if name in _ADDING_CLAUSES else ast.Invert()
            for where, literal in _literals(arguments):
                yield Mutation.LITERAL, where, ast.UnaryOp(negation, literal)
        case _:
            pass


def _literals(arguments: Sequence[ast.expr]) -> Iterator[tuple[tuple[Any, Any], ast.expr]]:
    """The arguments and the entries of lists and of calls among them, each with its place."""
    for index, each in enumerate(arguments):
        match each:
            case ast.List(elts=entries) | ast.Tuple(elts=entries):
                yield from _literals(entries)
            case ast.Call(args=entries) if any(
                isinstance(entry, ast.List | ast.Tuple) for entry in entries
            ):
                yield from _literals(entries)
            case ast.Name() | ast.Subscript() | ast.Attribute() | ast.Call() | ast.BinOp():
                yield (arguments, index), each
            case _:
                pass


def _one_more(number: ast.expr) -> ast.expr:
    match number:
        case ast.Constant(value=int(value)):
            return ast.Constant(value + 1)
        case _:
            return ast.BinOp(number, ast.Add(), ast.Constant(1))
