"""`compare report`: files of records as one page."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

from compare.commands import hints
from compare.commands.arguments import (
    BACKEND,
    CONTENDERS,
    OUTPUT,
    OVERWRITE,
    OWN_RECORDS,
    open_record_files,
)
from compare.commands.report import html
from compare.show.plots import save
from compare.show.wording import say
from puzzles.shell.argument_parser import Argument, ArgumentParser
from puzzles.shell.output_files import try_to_write, write_file, writing
from puzzles.text import UserError

PLOT_FORMATS = ("svg", "pdf", "csv", "tex")


def arguments(parser: ArgumentParser) -> None:
    parser.add(
        Argument(
            "file",
            "what `--out` of run, scale or stress wrote; - for standard input",
            metavar="FILE.jsonl",
            nargs="+",
            is_read=True,
        ),
        Argument(
            "--output",
            "where the page goes (default: %(default)s)",
            short="-o",
            metavar="FILE.html",
            default="report.html",
            group=OUTPUT,
            is_written=True,
        ),
        OWN_RECORDS,
        replace(
            BACKEND,
            help="only these contenders: a backend, a side (all of its backends), a program, or "
            "a piece of a name, such as a solver; may be repeated",
            metavar="NAME",
            replayed=False,
            completer=None,
        ),
        Argument(
            "--reference",
            "whose time is 1: a contender, called as for --backend (default: the first complete "
            "one, which is direct's)",
            metavar="NAME",
            group=CONTENDERS,
        ),
        Argument(
            "--plots",
            "write each plot into a file of this folder too, and its numbers beside it as CSV",
            metavar="DIR",
            group=OUTPUT,
        ),
        Argument(
            "--format",
            "how to write the plots (default: svg); tex: for pgfplots; csv: only the numbers",
            choices=PLOT_FORMATS,
            group=OUTPUT,
        ),
        replace(OVERWRITE, help="replace plots of the same names"),
    )
    for each in hints():
        each.arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Write the page, which needs no other file, and the plots if they are asked for."""
    path = Path(options.output)
    with writing(options.output):
        try_to_write(path)
    folder = None if options.plots is None else _plots_folder(options.plots)
    if folder is None and (options.format is not None or options.overwrite):
        option = "--overwrite" if options.format is None else f"--format {options.format}"
        raise UserError(f"{option} needs --plots DIR")
    with open_record_files(options.file, options.puzzle) as files:
        port = getattr(options, "port", None)
        report = html.page(files, port, options.backend, options.reference)
    if folder is not None:
        _write_plots(report, folder, options.format or PLOT_FORMATS[0], options.overwrite)
    write_file(path, report.text)
    print(f"{options.output}: {len(report.text) / 1e6:.1f} MB")
    return 0


def _plots_folder(name: str) -> Path:
    """The folder of `--plots`, which is made if it is not there; raises `UserError` if nothing can
    be written into it.
    """
    folder = Path(name)
    with writing(f"--plots {name}"):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder


def _write_plots(report: html.Report, folder: Path, format: str, overwrite: bool) -> None:
    """Write each plot, and its numbers; says what there is not.

    Raises:
        UserError: a file is there already, or cannot be written. Then none was written.
    """
    paths = {
        folder / f"{name}.{suffix}": plot
        for name, plot in report.plots.items()
        for suffix in dict.fromkeys((format, "csv"))
    }
    known = [path for path in paths if path.exists()]
    if known and not overwrite:
        more = f", and {len(known) - 1} more" if len(known) > 1 else ""
        raise UserError(f"{known[0]} is there already{more}: --overwrite replaces plots")
    for path, plot in paths.items():
        save(plot, path, "--plots")
    say(*report.lacking)
    say(f"{folder}: {', '.join(path.name for path in paths) or 'no plot'}")
