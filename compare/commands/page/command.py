"""`compare page`: draw a board in the browser and see both answers."""

from __future__ import annotations

import argparse

from compare.commands.arguments import add_options, at_least_zero
from compare.commands.page.hints import MAX_PORT, PORT
from puzzles.extras import not_installed
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port",
        type=at_least_zero,
        default=PORT,
        metavar="N",
        help=f"(default: {PORT}; 0: any free one)",
    )
    add_options(
        parser,
        {
            "--puzzle": "a puzzle of your own that the page offers too; repeatable",
            "--program": "a program whose answers are shown too; see `run`; repeatable",
            "--extended": "give programs all boards, also those that their contest promises not to "
            "give",
            "--no-browser": "open no browser; the address is printed",
        },
    )


def main(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from compare.commands.page.server import serve
    except ImportError as error:
        raise UserError(not_installed([str(error.name)])) from None
    if options.port > MAX_PORT:
        raise UserError(f"--port: at most {MAX_PORT}, not {options.port}")
    return serve(
        options.port,
        options.puzzle,
        options.program,
        browser=not options.no_browser,
        extended=options.extended,
    )
