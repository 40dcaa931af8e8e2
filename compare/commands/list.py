"""`compare list`: what there is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from tabulate import tabulate

import puzzles
from compare.campaign import header
from compare.work.contenders import SIDES
from compare.work.solvers import abilities


def _abilities(solver: str) -> Iterable[tuple[str, bool]]:
    return abilities(solver)._asdict().items()


def arguments(parser: argparse.ArgumentParser) -> None:
    del parser  # it takes none


def main(options: argparse.Namespace) -> int:
    """Puzzles with their families, backends with their default limits, solvers, versions; a reason where one is missing."""
    del options
    for puzzle in map(puzzles.get, puzzles.names()):
        print(f"{puzzle.name}: {puzzle.title} ({puzzle.source}); formats {', '.join(puzzle.formats)}")
        backends = [backend for side in SIDES.values() for backend in side.backends(puzzle.name).values()]
        rows = [
            {
                "backend": backend.label,
                "claims": "all" if backend.complete else "a part",
                "up to": "any size" if backend.limit is None else f"{backend.limit} cells",
                "takes for granted": backend.assumes or "nothing",
                "source": backend.source,
                "missing": backend.available() or "",
            }
            for backend in backends
        ]
        print(tabulate(rows, headers="keys", maxcolwidths=[None, None, None, 30, 44, 20]))
        print(
            tabulate([{"family": name, "about": family.about} for name, family in puzzle.families.items()], headers="keys"),
            end="\n\n",
        )
    from models.cnf import solvers

    rows = [{"solver": name} | {ability: "yes" if can else "no" for ability, can in _abilities(name)} for name in solvers()]
    print(f"{tabulate(rows, headers='keys')}\n(--solver; 'again': a second call is right; any program: --solver-command)\n")
    found = [f"{name} {version or 'missing'}" for name, version in header.versions().items()]
    print(f"versions: {', '.join(found)}")
    return 0
