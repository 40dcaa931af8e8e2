"""`compare report`: files of records as one page."""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path

from compare.commands import hints
from compare.commands.arguments import OUTPUT, OWN_RECORDS, open_record_files
from compare.commands.report import html
from compare.show.wording import writing
from puzzles.shell.argument_parser import Argument, ArgumentParser
from puzzles.text import UserError


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "file",
            "what `--out` of run, scale or stress wrote; - for standard input",
            metavar="FILE.jsonl",
            nargs="+",
        ),
        Argument(
            "--output",
            "where the page goes (default: %(default)s)",
            short="-o",
            metavar="FILE.html",
            default="report.html",
            group=OUTPUT,
        ),
        OWN_RECORDS,
    )
    for each in hints():
        each.arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Write the page, which needs no other file."""
    path = Path(options.output)
    if not path.parent.is_dir():  # said before the page is made, which may take a while
        raise UserError(f"{options.output}: {os.strerror(errno.ENOENT)}")
    with open_record_files(options.file, options.puzzle) as files:
        text = html.page(files, getattr(options, "port", None))
    with writing(options.output):
        path.write_text(text, encoding="utf-8")
    print(f"{options.output}: {len(text) / 1e6:.1f} MB")
    return 0
