"""The page of a trial of SAT solvers: its last line, its tables, and each finding with its script and its board."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import puzzles
from compare.show.tables.table import Table, one_line
from compare.show.trial_messages import closing_lines, fault_line
from compare.solvers.findings import board_in
from compare.solvers.solver_trial import SolverTrial
from puzzles.extras import not_installed
from puzzles.shell.streams import visible
from puzzles.text import UserError

TEMPLATE = Path(__file__).parent / "trial_page.html.j2"


def trial_page(trial: SolverTrial, tables: Sequence[Table]) -> str:
    """The page as HTML; raises `UserError` if what writes it is not installed."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise UserError(not_installed([error.name or "jinja2"])) from None
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters["one_line"] = one_line
    *notes, verdict = closing_lines(trial)
    findings = [
        {
            "headline": fault_line(each.solver, each.fault),
            "path": str(each.path),
            "script": each.sample.script.text(),
            "picture": puzzles.get(each.sample.origin.puzzle).picture(board_in(each.sample)) if each.sample.origin.puzzle else "",
            "described": each.sample.origin.described,
        }
        for each in trial.findings
    ]
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return visible(template.render(verdict=verdict, notes=notes, failed=bool(findings), tables=tables, findings=findings))
