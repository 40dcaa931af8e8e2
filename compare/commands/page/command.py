"""`compare page`: draw a board in the browser and see both answers."""

from __future__ import annotations

import argparse
from dataclasses import replace

from compare.commands.arguments import EXTENDED, OWN_RECORDS, PLUGIN, PROGRAM, SOLVER
from compare.commands.page.hints import MAX_PORT, PORT, Additions
from models.solvers.solver_names import OTHER_KINDS
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
    )


def main(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from compare.commands.page.server import serve
    except ImportError as error:
        raise UserError(not_installed([str(error.name)])) from None
    if options.port > MAX_PORT:
        raise UserError(f"--port: at most {MAX_PORT}, not {options.port}")
    added = Additions(
        options.puzzle, options.program, options.plugin, options.solver, options.extended
    )
    return serve(options.port, added, browser=not options.no_browser)
