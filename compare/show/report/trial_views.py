"""What a trial of SAT solvers says: of a fault at once, of its smallest script, and at the end of everything that was tried:
in words, in tables and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import puzzles
from compare.show.report.html import page_template
from compare.show.table import Cell, Column, Table, number_cell, text_cell
from compare.solvers.findings import RUNS, SolverFinding, board_in, short_name
from compare.solvers.reference import other_checkers
from compare.solvers.script import Script
from compare.solvers.solver_faults import FaultKind, SolverFault, verdict_word
from compare.solvers.solver_trial import SolverTally, SolverTrial, TrialTally
from puzzles.shell.streams import visible
from puzzles.text import counted, excerpt

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


def trial_tables(tally: TrialTally, findings: Sequence[SolverFinding], timeout: float) -> list[Table]:
    """The table of faults, that of times, and that of findings if there are any."""
    tables = [faults_table(tally), times_table(tally, timeout)]
    return [*tables, findings_table(findings)] if findings else tables


def faults_table(tally: TrialTally) -> Table:
    """A row for each solver: on how many scripts it shows each kind of fault."""

    def count(times: int) -> Cell:
        return number_cell(times, mark="bad" if times else "")

    numbers = [Column(name, align="right", group="") for name in ("scripts", "calls")]
    kinds = [Column(kind.value, align="right") for kind in FaultKind]
    rows = [
        [_solver(tally, solver), theirs.scripts, theirs.calls, *(count(theirs.faults[kind]) for kind in FaultKind)]
        for solver, theirs in tally.solvers.items()
    ]
    return Table.of("faults", ["solver", *numbers, *kinds], rows)


def times_table(tally: TrialTally, timeout: float) -> Table:
    """A row for each solver: its PAR-2 over all scripts, then over those of each encoding."""

    def score(theirs: SolverTally, label: str | None = None) -> Cell | str:
        mean = theirs.par_2(timeout, label)
        return "" if mean is None else number_cell(mean, "s")

    columns = [Column("PAR-2", align="right", group="")]
    for label in tally.labels:
        puzzle, _, encoding = label.partition(" ")
        columns.append(Column(label, heading=f"{puzzle}\n{encoding}" if encoding else label, align="right"))
    rows = [
        [_solver(tally, solver), *(score(theirs, label) for label in (None, *tally.labels))]
        for solver, theirs in tally.solvers.items()
    ]
    return Table.of("PAR-2", ["solver", *columns], rows)


def findings_table(findings: Sequence[SolverFinding]) -> Table:
    """A row for each finding, with its files."""
    numbers = [Column(name, align="right") for name in ("clauses", "calls", "came back")]
    columns = ["solver", "fault", Column("detail", width=50), "said", "expected", *numbers, "from", "file"]
    rows = [
        [
            short_name(each.solver),
            text_cell(each.fault.kind.value, "bad"),
            each.fault.detail,
            *(verdict_word(each.fault.said), verdict_word(each.fault.expected)),
            *(each.sample.script.clauses, each.sample.script.calls),
            "" if each.came_back is None else each.came_back,
            *(each.sample.origin.described, str(each.path)),
        ]
        for each in findings
    ]
    return Table.of("findings", columns, rows)


def _solver(tally: TrialTally, solver: str) -> str:
    """The solver's short name; its whole name if another one has the same short one."""
    short = short_name(solver)
    return short if sum(short_name(other) == short for other in tally.solvers) == 1 else solver


TEMPLATE = Path(__file__).parent / "trial_page.html.j2"


def trial_page(trial: SolverTrial, tables: Sequence[Table]) -> str:
    """The page as HTML; raises `UserError` if what writes it is not installed."""
    template = page_template(TEMPLATE)
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
    return visible(template.render(verdict=verdict, notes=notes, failed=bool(findings), tables=tables, findings=findings))
