"""What a trial of SAT solvers says: of a fault at once, of its smallest script, and at the end of everything that was tried:
in words, in tables and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import puzzles
from compare.show.tables.cells import EMPTY, Cell, count_cell, seconds_cell, text_cell
from compare.show.tables.table import Column, Table, one_line
from compare.solvers.findings import RUNS, SolverFinding, board_in, short_name
from compare.solvers.reference import other_checkers
from compare.solvers.script import Script
from compare.solvers.solver_faults import FaultKind, SolverFault, verdict_word
from compare.solvers.solver_trial import SolverTally, SolverTrial, TrialTally
from puzzles.extras import not_installed
from puzzles.shell.streams import visible
from puzzles.text import UserError, counted, excerpt

MAX_LINES = 20
"""Lines of a script that are printed; all are in the file."""


def noticed_text(finding: SolverFinding) -> str:
    """What is said as soon as a fault is saved."""
    script = finding.sample.script
    where = f"{finding.sample.origin.described}, {_size(script)}"
    return f"{_sentence(finding.solver, finding.fault)} ({where}); saved as {finding.path}; shrinking it"


def finding_text(finding: SolverFinding, replay: str) -> str:
    """The smallest script, what is wrong on it, whether it comes back, and the line that replays it."""
    script = finding.sample.script
    before, after = _size(finding.original), _size(script)
    shrinking = f"no smaller script than {after}" if before == after else f"shrunk from {before} to {after}"
    shrinking += f" in {counted(finding.tries, 'try').replace('trys', 'tries')}"
    if finding.cut_short:
        shrinking += ", then the time was over: a smaller one may show it too"
    parts = [_sentence(finding.solver, finding.fault), shrinking]
    if finding.came_back is not None:
        flaky = "flaky: " * (finding.came_back < RUNS)
        parts.append(f"{flaky}it came back {finding.came_back} of {RUNS} times")
    kept = f"saved: {finding.path}" + (f", and the board: {finding.board_path}" if finding.board_path else "")
    return "\n".join(["", *excerpt(script.text(), MAX_LINES), "", "; ".join(parts), kept, f"replay: {replay}"])


def closing_lines(trial: SolverTrial) -> list[str]:
    """What was tried, who is to blame, how fast."""
    tally, plan = trial.tally, trial.plan
    verdicts = ", ".join(
        f"{tally.verdicts[verdict]:,} {word}"
        for verdict, word in ((True, "satisfiable"), (False, "unsatisfiable"), (None, "unknown"))
        if tally.verdicts[verdict]
    )
    lines = [f"calls with a known verdict by other means: {verdicts}"] if verdicts else []
    lines.append(f"proofs are checked by: {', '.join(['rup', *other_checkers()])}")
    lines += [f"{short_name(solver)} was given up: it hung too often" for solver in sorted(trial.given_up)]
    wrong = [solver for solver, theirs in tally.solvers.items() if theirs.faults]
    outcome = f"FAILED: {', '.join(map(short_name, wrong))}" if wrong else "no fault found"
    speed = f"{counted(tally.scripts, 'script')} of {counted(tally.boards, 'board')} in {trial.seconds_spent:.1f} s"
    return [*lines, f"{outcome}; {counted(len(tally.solvers), 'solver')}, {speed}; seed {plan.seed}"]


def _sentence(solver: str, fault: SolverFault) -> str:
    """A fault in one line."""
    return f"{fault.kind}: {short_name(solver)}: {' '.join(fault.detail.split())}"


def _size(script: Script) -> str:
    size = counted(script.clauses, "clause")
    return size if script.is_formula else f"{size} and {counted(script.calls, 'call')}"


def replayed_lines(script: Script, known: Sequence[bool | None], solver: str, wrong: Sequence[SolverFault]) -> list[str]:
    """What a replay shows of one solver."""
    if wrong:
        return list(dict.fromkeys(_sentence(solver, fault) for fault in wrong))
    unknown = sum(each is None for each in known)
    not_known = f"; {counted(unknown, 'verdict')} not known by other means" if unknown else ""
    return [f"no fault: {short_name(solver)}, {_size(script)}{not_known}"]


_Row = tuple[str, SolverTally]


def trial_tables(tally: TrialTally, findings: Sequence[SolverFinding], timeout: float) -> list[Table]:
    """The table of faults, that of times, and that of findings if there are any."""
    tables = [faults_table(tally), times_table(tally, timeout)]
    return [*tables, findings_table(findings)] if findings else tables


def faults_table(tally: TrialTally) -> Table:
    """A row for each solver: on how many scripts it shows each kind of fault."""

    def of_kind(kind: FaultKind) -> Column[_Row]:
        def cell(row: _Row) -> Cell:
            times = row[1].faults[kind]
            return count_cell(times, mark="bad" if times else "")

        return Column(kind.value, cell, align="right")

    columns: list[Column[_Row]] = [
        _solver(tally),
        Column("scripts", lambda row: count_cell(row[1].scripts), align="right", group=""),
        Column("calls", lambda row: count_cell(row[1].calls), align="right", group=""),
        *map(of_kind, FaultKind),
    ]
    return Table.of("faults", columns, tally.solvers.items())


def times_table(tally: TrialTally, timeout: float) -> Table:
    """A row for each solver: its PAR-2 over all scripts, then over those of each encoding."""

    def of_label(label: str) -> Column[_Row]:
        puzzle, _, encoding = label.partition(" ")
        heading = f"{puzzle}\n{encoding}" if encoding else label
        return Column(label, lambda row: _par_2(row, timeout, label), heading=heading, align="right")

    columns: list[Column[_Row]] = [
        _solver(tally),
        Column("PAR-2", lambda row: _par_2(row, timeout), align="right", group=""),
        *map(of_label, tally.labels),
    ]
    return Table.of("PAR-2", columns, tally.solvers.items())


def findings_table(findings: Sequence[SolverFinding]) -> Table:
    """A row for each finding, with its files."""
    columns: list[Column[SolverFinding]] = [
        Column("solver", lambda each: text_cell(short_name(each.solver))),
        Column("fault", lambda each: text_cell(each.fault.kind.value, "bad")),
        Column("detail", lambda each: text_cell(each.fault.detail), width=50),
        Column("said", lambda each: text_cell(verdict_word(each.fault.said))),
        Column("expected", lambda each: text_cell(verdict_word(each.fault.expected))),
        Column("clauses", lambda each: count_cell(each.sample.script.clauses), align="right"),
        Column("calls", lambda each: count_cell(each.sample.script.calls), align="right"),
        Column("came back", lambda each: EMPTY if each.came_back is None else count_cell(each.came_back), align="right"),
        Column("from", lambda each: text_cell(each.sample.origin.described)),
        Column("file", lambda each: text_cell(str(each.path))),
    ]
    return Table.of("findings", columns, findings)


def _solver(tally: TrialTally) -> Column[_Row]:
    """The solver's short name; its whole name if another one has the same short one."""
    short = [short_name(solver) for solver in tally.solvers]
    return Column("solver", lambda row: text_cell(short_name(row[0]) if short.count(short_name(row[0])) == 1 else row[0]))


def _par_2(row: _Row, timeout: float, label: str | None = None) -> Cell:
    mean = row[1].par_2(timeout, label)
    return EMPTY if mean is None else seconds_cell(mean)


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
            "headline": _sentence(each.solver, each.fault),
            "path": str(each.path),
            "script": each.sample.script.text(),
            "picture": puzzles.get(each.sample.origin.puzzle).picture(board_in(each.sample)) if each.sample.origin.puzzle else "",
            "described": each.sample.origin.described,
        }
        for each in trial.findings
    ]
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return visible(template.render(verdict=verdict, notes=notes, failed=bool(findings), tables=tables, findings=findings))
