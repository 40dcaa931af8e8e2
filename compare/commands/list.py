"""`compare list`: what there is."""

from __future__ import annotations

import argparse

from compare.campaign import header
from compare.commands.arguments import OWN_PUZZLE
from compare.general.abilities import abilities
from compare.show.tables.cells import count_cell, text_cell
from compare.show.tables.table import Column, Table, for_terminal
from compare.show.wording import line_width, wrapped
from compare.work.contenders import backends
from puzzles import find, get, installed_names, names
from puzzles.backend import Backend
from puzzles.instance import limit_text
from puzzles.puzzle import Family, Puzzle
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "puzzle",
        nargs="?",
        metavar="PUZZLE",
        help=f"{', '.join([*names(), OWN_PUZZLE])} (default: all of ours, and those of installed packages)",
    )


BACKENDS: list[Column[Backend]] = [
    Column("backend", lambda each: text_cell(each.label)),
    Column("claims", lambda each: text_cell("all" if each.complete else "a part")),
    Column("up to", lambda each: text_cell("any size" if each.limit is None else limit_text(each.limit, get(each.puzzle).noun))),
    Column("assumes", lambda each: text_cell(each.assumes or "nothing"), width=30),
    Column("source", lambda each: text_cell(each.source), width=44),
    Column("missing", lambda each: text_cell(each.available() or ""), width=20),
]

FAMILIES: list[Column[tuple[str, Family]]] = [
    Column("family", lambda each: text_cell(each[0])),
    Column("from size", lambda each: count_cell(each[1].least), align="right"),
    Column("about", lambda each: text_cell(each[1].about)),
]

SOLVERS: list[Column[str]] = [
    Column("solver", text_cell),
    *(
        Column(ability, lambda solver, ability=ability: text_cell("yes" if getattr(abilities(solver), ability) else "no"))
        for ability in ("interrupted", "proofs", "again", "assumptions")
    ),
]


def main(options: argparse.Namespace) -> int:
    """Puzzles with their families, backends with their default limits, solvers, versions; a reason if one is missing."""
    if options.puzzle is not None:
        _list(find(options.puzzle))
        return 0
    for name in [*names(), *installed_names()]:
        try:
            _list(get(name))
        except UserError as error:
            print(wrapped(str(error), line_width()), end="\n\n")
    from models.solvers.solver_names import solvers

    print(for_terminal(Table.of("", SOLVERS, solvers())))
    print("(--solver; 'again': a second call is right; any program: --solver-command)\n")
    versions = [f"{name} {version or 'missing'}" for name, version in header.versions().items()]
    print(wrapped(f"versions: {', '.join(versions)}", line_width()))
    return 0


def _list(puzzle: Puzzle) -> None:
    """Print a puzzle's formats, backends and families."""
    of_puzzle = backends(puzzle.name)
    print(wrapped(f"{puzzle.name}: {puzzle.title} ({puzzle.source}); formats {', '.join(puzzle.formats)}", line_width()))
    if of_puzzle:
        print(for_terminal(Table.of("", BACKENDS, of_puzzle).without_empty_columns()), end="\n\n")
    print(for_terminal(Table.of("", FAMILIES, puzzle.families.items())), end="\n\n")
