"""Tables of a trial of SAT solvers: who has which faults, who takes how long, and what was found."""

from __future__ import annotations

from collections.abc import Sequence

from compare.show.tables.cells import EMPTY, Cell, Count, Seconds, Text
from compare.show.tables.table import Column, Table
from compare.solvers.findings import SolverFinding, short_name
from compare.solvers.solver_faults import FaultKind, verdict_word
from compare.solvers.solver_trial import SolverTally, TrialTally

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
            return Count(times, marked="bad" if times else "")

        return Column(kind.value, cell, align="right")

    columns: list[Column[_Row]] = [
        _solver(tally),
        Column("scripts", lambda row: Count(row[1].scripts), align="right", group=""),
        Column("calls", lambda row: Count(row[1].calls), align="right", group=""),
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
        Column("solver", lambda each: Text(short_name(each.solver))),
        Column("fault", lambda each: Text(each.fault.kind.value, "bad")),
        Column("detail", lambda each: Text(each.fault.detail), width=50),
        Column("said", lambda each: Text(verdict_word(each.fault.said))),
        Column("expected", lambda each: Text(verdict_word(each.fault.expected))),
        Column("clauses", lambda each: Count(each.sample.script.clauses), align="right"),
        Column("calls", lambda each: Count(each.sample.script.calls), align="right"),
        Column("came back", lambda each: EMPTY if each.came_back is None else Count(each.came_back), align="right"),
        Column("from", lambda each: Text(each.sample.origin.described)),
        Column("file", lambda each: Text(str(each.path))),
    ]
    return Table.of("findings", columns, findings)


def _solver(tally: TrialTally) -> Column[_Row]:
    """The solver's short name; its whole name if another one has the same short one."""
    short = [short_name(solver) for solver in tally.solvers]
    return Column("solver", lambda row: Text(short_name(row[0]) if short.count(short_name(row[0])) == 1 else row[0]))


def _par_2(row: _Row, timeout: float, label: str | None = None) -> Cell:
    mean = row[1].par_2(timeout, label)
    return EMPTY if mean is None else Seconds(mean)
