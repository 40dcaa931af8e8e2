"""A mutant planted in a module that is loaded: the code of one function is replaced where it is."""

from __future__ import annotations

import sys
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from compare.conform.mutations import Mutant, Mutation, code_of


def plant(mutant: Mutant, kinds: Mutation = Mutation.SMALL) -> None:
    """Replace the function that the mutant changes. What holds the function already, such as an import elsewhere, has the new code.

    Raises:
        ValueError: the mutant changes no function.
    """
    names = mutant.key.partition(":")[0].split(".")
    holder: Any = sys.modules[mutant.module]
    code = code_of(mutant, kinds)
    for name in names:
        holder = vars(holder)[name] if isinstance(holder, type) else getattr(holder, name)
        code = _inside(code, name)
        function = _function(holder)
        if function is not None:
            function.__code__ = code
            return
    raise ValueError(f"{mutant.key} is in no function")


def _inside(code: CodeType, name: str) -> CodeType:
    return next(each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name)


def _function(value: Any) -> FunctionType | None:
    """The plain function behind a member of a class or module; None for a class."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, cached_property):
        value = value.func
    elif isinstance(value, classmethod | staticmethod):
        value = value.__func__
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value if isinstance(value, FunctionType) else None
