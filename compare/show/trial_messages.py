"""What a trial of SAT solvers says: of a fault at once, of its smallest script, and at the end of everything that was tried."""

from __future__ import annotations

from collections.abc import Sequence

from compare.solvers.findings import RUNS, SolverFinding, short_name
from compare.solvers.reference import other_checkers
from compare.solvers.script import Script
from compare.solvers.solver_faults import SolverFault
from compare.solvers.solver_trial import SolverTrial
from puzzles.text import counted, excerpt

MOST_LINES = 20
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
    return "\n".join(["", *excerpt(script.text(), MOST_LINES), "", "; ".join(parts), kept, f"replay: {replay}"])


def fault_line(solver: str, fault: SolverFault) -> str:
    """A fault in one line."""
    return _sentence(solver, fault)


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
