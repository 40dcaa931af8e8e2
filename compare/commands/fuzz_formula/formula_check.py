"""The check of a solver's replies. Nothing is believed that is not confirmed here.

SAT is confirmed by a model that satisfies each clause by our own evaluation. UNSAT is confirmed by
a proof that our own check of unit propagation accepts. The other solvers that find models and
proofs are not trusted; if none of them is confirmed, nothing is known.

A solver's own proof is judged by our own check. If that refuses it, others are asked where they are
installed: the package `dratify`, and the programs drat-trim and dpr-trim. They accept some proofs
that we refuse, with a wrong step that nothing needs, or with steps that are neither RUP nor RAT. A
proof that none accepts is wrong. One in another format than DRAT is not judged.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec

from compare.commands.fuzz_formula.formula_puzzle import (
    LiteralTuple,
    Query,
    Replies,
    Reply,
    Trace,
    formula_of_clauses,
    verdict_word,
)
from models.proofs import drat, rup
from models.proofs.drat import OtherFormat, ProofStep
from models.proofs.refutation import (
    OUTSIDE,
    Unproved,
    checker_named,
    has_checked_proof,
    up_to_the_end,
)
from models.solvers.opening import open_solver
from models.solvers.sat_solver import broken_clause, shown_literals, wrong_model
from puzzles.answer import Check, Verdict
from puzzles.declared_types import Malformed, refuse_wrong_fields
from puzzles.text import InputError, count_noun

_PARTS = ("SAT", "UNSAT", "again", "model", "core", "proof")
"""What of a reply can be wrong, the worst first."""


def check_trace(trace: Trace, answer: Replies) -> Check:
    """What is worst refutes the answer.

    PROVED: each yes has its model, and each no is known to be right.
    """
    try:
        refuse_wrong_fields(answer)
        for reply in filter(None, (*answer.calls, answer.again, answer.proved)):
            refuse_wrong_fields(reply)
    except Malformed as error:
        return Check(Verdict.UNPROVED, f"the reply is not what it has to be: {error}")
    queries = list(trace.queries())
    if len(answer.calls) != len(queries):
        return Check(
            Verdict.REFUTED,
            f"it has {count_noun(len(answer.calls), 'verdict')} for "
            f"{count_noun(len(queries), 'call')}",
        )
    wrong: list[tuple[int, str]] = []
    unknown: list[str] = []
    for number, reply in (
        (0, answer.proved),  # a right proof says what the others need to know
        *enumerate(answer.calls),
        (len(queries) - 1, answer.again),
    ):
        if reply is None or reply.verdict is None or answer.calls[number].verdict is None:
            continue
        before, query = answer.calls[number].verdict, queries[number]
        place = f"call {number + 1} of {len(queries)}: " if len(queries) > 1 else ""
        if reply.verdict != before and reply is answer.again:
            part, what = (
                "again",
                f"{verdict_word(before)} at first, {verdict_word(reply.verdict)} when asked again",
            )
        else:
            try:
                part, what = _wrong(query, reply, trace.variables)
            except OtherFormat as error:
                unknown.append(f"{place}its proof {error.what}")
                continue
        if what:
            wrong.append((_PARTS.index(part), place + what))
        elif not reply.verdict and status(query) is None:
            unknown.append(f"{place}neither a model nor a proof could be confirmed")
    if wrong:
        part, what = min(wrong, key=lambda each: each[0])
        return Check(Verdict.REFUTED, what, part=_PARTS[part])
    if unknown or answer.without_verdict:
        reason = answer.without_verdict or unknown[0]
        return Check(Verdict.UNPROVED, reason, limited=True)
    return Check(
        Verdict.PROVED,
        "each model satisfies its clauses, and unit propagation confirms a proof of each no",
    )


def _wrong(query: Query, reply: Reply, variables: int) -> tuple[str, str]:
    """Which part of a reply is wrong, and what is wrong with it, as a clause; both are empty if
    nothing is.
    """
    if reply.verdict:
        wrong = reply.complaint
        if not wrong:
            wrong = wrong_model(variables, query.clauses, query.assumptions, reply.model or ())
            wrong = wrong and f"its model {wrong}"
        if wrong and status(query) is False:
            reason = f"; {reply.complaint}" if reply.complaint else ""
            return "SAT", f"says SATISFIABLE, is UNSATISFIABLE{reason}"
        return "model", wrong
    wrong_proof, other_format = "", None
    if reply.proof is not None:
        try:
            wrong_proof = why_wrong(query, reply.proof)
        except OtherFormat as error:
            other_format = error
    if status(query):
        return "UNSAT", "says UNSATISFIABLE, is SATISFIABLE"
    wrong = "" if reply.core is None else _wrong_core(query, reply.core)
    if wrong and reply.complaint:
        wrong = f"{wrong}: it {reply.complaint}"
    if wrong or reply.proof is None or status(query) is None:
        return "core", wrong
    if other_format is not None:
        raise other_format
    return "proof", wrong_proof and (reply.complaint or wrong_proof)


def _wrong_core(query: Query, core: LiteralTuple) -> str:
    strange = [literal for literal in core if literal not in query.assumptions]
    if strange:
        return f"its core has {shown_literals(strange)}, which is not assumed"
    return (
        f"its core ({shown_literals(core)}) does not contradict the clauses"
        if status(Query(query.clauses, core))
        else ""
    )


SOLVERS = ("cadical153", "minisat22")
"""Solvers that look for models, in turn; their UNSAT says nothing."""


_MAX_KEPT = 1_000_000
"""Clauses of which it is kept whether they have a model. All contenders are asked the same."""

_kept: dict[Query, bool | None] = {}


def _keep(query: Query, satisfiable: bool | None) -> None:
    """Keep what is known of a query; the oldest ones make room."""
    _kept[query] = satisfiable
    clauses = sum(len(each.clauses) for each in _kept)
    for oldest in list(_kept)[:-1]:
        if clauses <= _MAX_KEPT:
            return
        clauses -= len(oldest.clauses)
        del _kept[oldest]


def status(query: Query) -> bool | None:
    """Whether the clauses have a model under the assumptions; None if neither a model nor a proof
    could be confirmed.
    """
    if query not in _kept:
        _keep(query, _solve(query))
    return _kept[query]


def _solve(query: Query) -> bool | None:
    """What `status` says of a query of which nothing is known yet."""
    clauses = [*query.clauses, *((literal,) for literal in query.assumptions)]
    if not all(clauses):
        return False  # an empty clause
    formula = formula_of_clauses(clauses)
    for solver in SOLVERS:
        with open_solver(formula, solver) as opened:
            model = opened.get_model() or [] if opened.solve() else None
        if model is not None and _consistent(set(model)) and broken_clause(clauses, model) is None:
            return True
    return False if has_checked_proof(formula) else None


def _consistent(literals: Collection[int]) -> bool:
    """Whether no literal is there together with its opposite."""
    return not any(-literal in literals for literal in literals)


PACKAGE = "dratify"
"""A checker of DRAT proofs in Python; an extra."""

_MAX_STEPS = 5000
"""Steps of a proof above which the package is not asked: it is slow."""


def why_wrong(query: Query, proof: Sequence[str]) -> str:
    """Why a proof is wrong; empty if it is right.

    It is wrong if our own check refuses it, and no other checker here accepts it.

    Args:
        proof: the lines of a DRAT proof, as the solver wrote them. What follows the empty clause is
            passed over, and an empty clause at the end may be left out.

    Raises:
        OtherFormat: it is in another format.
    """
    try:
        steps = up_to_the_end(drat.read_steps("\n".join(proof), "its proof", len(query.clauses)))
    except InputError as error:
        return f"its proof is no DRAT: line {error.line}, column {error.column}: {error.message}"
    try:
        rup.check_refutation(formula_of_clauses(query.clauses), steps)
        _keep(query, False)
        return ""
    except rup.WrongStep as wrong:
        why = f"its proof is wrong: {wrong}"
    reasons = [
        refused(query, steps)
        for name, refused in other_checkers().items()
        if name != PACKAGE or len(steps) <= _MAX_STEPS
    ]
    return "; ".join([why, *reasons]) if all(reasons) else ""


def other_checkers() -> dict[str, Callable[[Query, Sequence[ProofStep]], str]]:
    """The checkers beside our own that are installed here, by name: why they refuse a proof; empty
    if they accept it.
    """
    package = {PACKAGE: _package_refuses} if find_spec(PACKAGE) is not None else {}
    return {
        **package,
        **{
            name: partial(_program_refuses, name)
            for name in OUTSIDE
            if shutil.which(name) is not None
        },
    }


def _package_refuses(query: Query, proof: Sequence[ProofStep]) -> str:
    package = import_module(PACKAGE)
    formula = package.parse_dimacs(
        Trace.formula(formula_of_clauses(query.clauses).variables, query.clauses).text()
    )
    try:
        accepts = package.check_proof(formula, "".join(f"{step}\n" for step in proof)).ok
    except ValueError as error:
        return f"{PACKAGE} refuses it: {error}"
    return "" if accepts else f"{PACKAGE} refuses it, too"


def _program_refuses(name: str, query: Query, proof: Sequence[ProofStep]) -> str:
    _, check_proof = checker_named(name)
    try:
        check_proof(formula_of_clauses(query.clauses), "", proof)
    except Unproved as why:
        return str(why)
    return ""
