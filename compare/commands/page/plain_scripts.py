"""The page's modules as plain scripts, for a page that is opened as a file.

A browser loads no module there.

A module becomes a function that returns what the module exports. `define` keeps it, and `need`
calls it once, when another module imports it. So the same sources serve both pages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from puzzles.text import UserError

LOADER = """\
"use strict";
const makers = {}, made = {};
const define = (path, make) => { makers[path] = make; };
const need = (path) => (made[path] ??= makers[path]());
"""
"""What stands before all modules."""

_NAMES = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_MODULE = re.compile(r'^import \* as (\w+) from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
_LATE = re.compile(r"\bimport\(")
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\.meta\b", re.MULTILINE)


def plain_scripts(modules: Mapping[str, str]) -> str:
    """Modules by their paths, each as `plain_script` has it."""
    return "".join(plain_script(path, source) for path, source in modules.items())


def plain_script(path: str, source: str) -> str:
    """A module as a call of `define`.

    It may begin lines with `import {names} from`, `import * as name from`, and `export` before a
    function, class, const or let.

    Raises:
        UserError: it imports or exports in another way.
    """

    def place(specifier: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))

    names = _EXPORT.findall(source)
    body = _EXPORT.sub("", source)
    body = _NAMES.sub(
        lambda found: f'const {{{re.sub(r" as ", ": ", found[1])}}} = need("{place(found[2])}");',
        body,
    )
    body = _MODULE.sub(lambda found: f'const {found[1]} = need("{place(found[2])}");', body)
    body = _LATE.sub("need(", body)
    left = _LEFT.search(body)
    if left is not None:
        raise UserError(
            f"{path} cannot be part of a page without a server: `{left[0][:60]}` is none of the "
            "ways to import or export that such a page takes"
        )
    return f'define("{path}", () => {{\n{body}\nreturn {{ {", ".join(names)} }};\n}});\n'
