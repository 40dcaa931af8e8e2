"""Makes `compare/__init__.pyi`, the signatures of what `compare` offers in Python, and the JSON
Schema of the document.

`python -m tests.compare.stub` writes both.
"""

from __future__ import annotations

import json
from inspect import Parameter, cleandoc
from typing import Any

import msgspec

from compare.commands import FUNCTIONS, commands
from compare.commands.functions import signature
from compare.engine.work.json_lines import PackedClaims
from compare.show.conclusion import Conclusion
from tests.places import ROOT

PATH = ROOT / "compare" / "__init__.pyi"
SCHEMA = ROOT / "docs" / "conclusion.schema.json"

_HEAD = """\
# Made by `python -m tests.compare.stub` from the options of the commands.
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal
"""

_TYPES = (
    "from compare.show.conclusion import Conclusion as Conclusion",
    "from puzzles.puzzle import Puzzle",
)


def text() -> str:
    """The stub."""
    imports, functions = [*_TYPES], ""
    for command in commands().values():
        for name, module in command.functions.items():
            if module == FUNCTIONS:
                functions += _function(name)
            else:
                imports.append(f"from {module} import {name} as {name}")
    return "\n".join([_HEAD, *sorted(imports), "", functions])


def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    claims = msgspec.json.schema(PackedClaims)
    whole = msgspec.json.schema(
        Conclusion,
        schema_hook=lambda kind: (
            {"title": "any value"} if kind is object else {"anyOf": claims["anyOf"]}
        ),
    )
    definitions = whole["$defs"] | claims["$defs"]
    for each in definitions.values():
        if "description" in each:  # some versions of msgspec leave the indentation in
            each["description"] = cleandoc(each["description"])
    return {**whole, "$defs": definitions}


def schema_text() -> str:
    """The JSON Schema as the file has it."""
    return json.dumps(schema(), indent=1) + "\n"


def _function(name: str) -> str:
    """A function, a parameter a line."""
    lines, of_keywords = [f"def {name}("], False
    for each in signature(name).parameters.values():
        if each.kind is Parameter.KEYWORD_ONLY and not of_keywords:
            lines.append("    *,")
            of_keywords = True
        default = "" if each.default is Parameter.empty else f" = {each.default!r}"
        lines.append(f"    {each.name}: {each.annotation}{default},")
    return "\n".join([*lines, ") -> Conclusion: ...", ""])


if __name__ == "__main__":
    PATH.write_text(text())
    SCHEMA.write_text(schema_text())
