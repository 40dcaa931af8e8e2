"""`compare report`: files of records as one page."""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path

from compare.commands import hints
from compare.commands.arguments import OWN_RECORDS_HELP, add_options, recorded
from compare.commands.report import html
from compare.show.wording import writing
from puzzles.text import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="+",
        metavar="FILE.jsonl",
        help="what `--out` of run, scale or stress wrote; - for standard input",
    )
    parser.add_argument(
        "-o",
        "--output",
        default="report.html",
        metavar="FILE.html",
        help="where the page goes (default: report.html)",
    )
    add_options(parser, {"--puzzle": OWN_RECORDS_HELP})
    for each in hints():
        each.arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Write the page, which needs no other file."""
    path = Path(options.output)
    if not path.parent.is_dir():  # said before the page is made, which may take a while
        raise UserError(f"{options.output}: {os.strerror(errno.ENOENT)}")
    with recorded(options.file, options.puzzle) as files:
        text = html.page(
            [(file.name, file.header, file) for file in files], getattr(options, "port", None)
        )
    with writing(options.output):
        path.write_text(text, encoding="utf-8")
    print(f"{options.output}: {len(text) / 1e6:.1f} MB")
    return 0
