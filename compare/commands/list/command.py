"""`compare list`: what there is."""

from __future__ import annotations

import argparse
from dataclasses import replace

from compare.commands.arguments import PLUGIN
from compare.engine.campaign import header
from compare.engine.work.abilities import abilities
from compare.engine.work.contenders import backends
from compare.engine.work.plugins import register_plugins
from compare.show.table import Column, Table, for_terminal, print_table
from compare.show.wording import say
from models.solvers.solver_names import solvers
from puzzles import find, get, installed_names, names
from puzzles.backend import choices_text
from puzzles.instance import limit_text
from puzzles.puzzle import Puzzle
from puzzles.shell.argument_parser import PUZZLE_ARGUMENT, ArgumentParser
from puzzles.text import UserError


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        replace(
            PUZZLE_ARGUMENT,
            help=f"{PUZZLE_ARGUMENT.help} (default: all built-in ones, and those of installed "
            "packages)",
            nargs="?",
        ),
        PLUGIN,
    )


ABILITIES = ("interrupted", "proofs", "again", "assumptions")


def main(options: argparse.Namespace) -> int:
    """Puzzles with their families, backends with their default limits, solvers, versions; a reason
    if one is missing.
    """
    asked = None if options.puzzle is None else find(options.puzzle)
    register_plugins(options.plugin)
    if asked is not None:
        _list(asked)
        return 0
    for name in [*names(), *installed_names()]:
        try:
            _list(get(name))
        except UserError as error:
            say(str(error), "")
    rows = [
        [each, *("yes" if getattr(abilities(each), name) else "no" for name in ABILITIES)]
        for each in solvers()
    ]
    print(for_terminal(Table.of("", ["solver", *ABILITIES], rows)))
    say("(--solver; 'again': a second call is right; --solver takes programs too)", "")
    versions = [f"{name} {version or 'missing'}" for name, version in header.versions().items()]
    say(f"versions: {', '.join(versions)}")
    return 0


def _list(puzzle: Puzzle) -> None:
    """Print a puzzle's formats, backends and families."""
    formats = ", ".join(puzzle.formats)
    say(f"{puzzle.name}: {puzzle.title} ({puzzle.source}); formats {formats}")
    rows = [
        [
            each.label,
            "all" if each.complete else "a part",
            "any size" if each.limit is None else limit_text(each.limit, puzzle.noun),
            each.assumes or "nothing",
            "\n".join(
                f"{name}: {choices_text(choices)}" if choices else name
                for name, choices in each.options.items()
            ),
            each.source,
            each.available() or "",
        ]
        for each in backends(puzzle.name)
    ]
    wide = [
        Column("assumes", width=30),
        Column("options", width=30),
        Column("source", width=44),
        Column("missing", width=20),
    ]
    if rows:
        table = Table.of("", ["backend", "claims", "up to", *wide], rows)
        print_table(table.without_empty_columns())
    families = [[name, family.least, family.about] for name, family in puzzle.families.items()]
    columns = ["family", Column("from size", align="right"), "about"]
    if families:
        print_table(Table.of("", columns, families))
