"""`compare page`: draw a board in the browser and see both answers."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from compare.commands.arguments import EXTENDED, OWN_RECORDS, PLUGIN, PROGRAM, SOLVER
from compare.commands.page.hints import MAX_PORT, PORT, Additions
from compare.engine.work.abilities import refuse_unusable
from models.solvers.solver_names import OTHER_KINDS, solver_name
from puzzles.extras import not_installed
from puzzles.shell.argument_parser import Argument, ArgumentParser, at_least_zero
from puzzles.text import UserError


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        replace(PORT, help=f"(default: {PORT.default}; 0: any free one)", type=at_least_zero),
        replace(OWN_RECORDS, help="a puzzle of your own that the page offers too; repeatable"),
        replace(PROGRAM, help="a program whose answers are shown too; see `run`; repeatable"),
        PLUGIN,
        replace(
            SOLVER,
            help=f"a SAT solver to choose beside those of python-sat; repeatable; {OTHER_KINDS}",
            repeatable=True,
        ),
        replace(
            EXTENDED,
            help="give programs all boards, also those that their contest promises not to give",
        ),
        Argument("--no-browser", "open no browser; the address is printed"),
        Argument(
            "--export",
            "write a page without a server into this folder, and end: all bundled boards, with the "
            "answers, proofs and reasons that the page shows of them",
            metavar="DIR",
        ),
        Argument(
            "--board",
            "with --export: more boards, a file or a link of the page; repeatable",
            metavar="PUZZLE=FILE|LINK",
            repeatable=True,
        ),
    )


def main(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or write one that needs no server."""
    try:
        from compare.commands.page.export import export
        from compare.commands.page.server import serve
    except ImportError as error:
        raise UserError(not_installed([str(error.name)])) from None
    if options.port > MAX_PORT:
        raise UserError(f"--port: at most {MAX_PORT}, not {options.port}")
    own_solvers = list(dict.fromkeys(map(solver_name, options.solver)))
    for solver in own_solvers:
        refuse_unusable(solver)
    added = Additions(
        options.puzzle, options.program, options.plugin, own_solvers, options.extended
    )
    if options.export is not None:
        return export(Path(options.export), added, options.board)
    if options.board:
        raise UserError("--board is for --export DIR: a page with a server takes any board")
    return serve(options.port, added, browser=not options.no_browser)
