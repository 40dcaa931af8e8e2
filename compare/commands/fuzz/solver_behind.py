"""The SAT solver behind a backend that fails: whether it is wrong alone on what the backend asks
about a board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import puzzles
from compare.commands.fuzz.batch import Batch, BatchResult, FailingBoard
from compare.commands.fuzz.fuzz_search import Discovery, FuzzSearch
from compare.commands.fuzz.shrinking import Shrunk
from compare.commands.fuzz.trial import try_boards
from compare.commands.fuzz.words import discovery_text, fault_report
from compare.commands.fuzz_formula.formula_families import traces_of
from compare.commands.fuzz_formula.formula_puzzle import Trace
from compare.engine.campaign.plan import Settings
from compare.engine.isolate.outcome import Limits
from compare.engine.work.contenders import BackendContender, choose, with_solvers
from compare.engine.work.pool import Pool, local
from compare.engine.work.result import Fault
from compare.show.conclusion import FaultReport
from compare.show.wording import command, path_word, say, write
from puzzles.instance import Instance
from puzzles.text import visible

ASKS_NOTHING = "no question was asked"
"""Why there is no trace of a solver, such as of a MaxSAT program that takes the backend's place."""

_SEEDS, _MAX_CALLS = 4, 400
"""How often a backend is asked, since what it asks for a certificate is other questions; how many
of its calls are kept.
"""


def faults_of_solver(
    boards: Sequence[Instance],
    contender: BackendContender,
    settings: Settings,
    shrink_seconds: float,
    noticed: Callable[[FailingBoard, Fault, frozenset[str]], None],
    save: Callable[[Shrunk], Path],
) -> list[FaultReport]:
    """What the contender's SAT solver does wrong alone on what is asked about one of these boards;
    says it, and where it is saved.

    Args:
        noticed: see `FuzzSearch`.
        save: writes the smallest trace into a file.
    """
    batch = solver_batch(contender, settings.limits)
    faults: list[FaultReport] = []

    def note_discovery(discovery: Discovery) -> None:
        path = save(discovery.shrunk)
        replay = command(["run", batch.puzzle, path_word(path)], {"--solver": contender.solver})
        text = visible(discovery_text(discovery, path, replay))
        write(text)
        faults.append(fault_report(discovery, text, replay))

    search = FuzzSearch(
        [batch],
        cases=None,
        seconds=None,
        keep_going=False,
        noticed=noticed,
        discovered=note_discovery,
        progress=lambda boards, doing: None,
        shrink_seconds=shrink_seconds,
    )
    with local(1, settings.plugins) as worker:
        search.take(batch, worker.submit(try_solver_behind, batch, boards, contender), worker)
    if search.broken == [ASKS_NOTHING]:
        say(
            f"{contender.name} asks no SAT solver here: the program that --solver names answers in "
            "its place, and what is wrong is that program's"
        )
    elif search.broken:
        say(f"what {contender.name} asks {contender.solver} could not be noted: {search.broken[0]}")
    elif not search.failure_count:
        noun = puzzles.get(contender.puzzle).noun
        say(
            f"{contender.solver} shows no fault on what {contender.name} asks about this {noun} "
            "alone, in a new process; `fuzz formula` tries it on many formulas"
        )
    return faults


def solver_batch(contender: BackendContender, limits: Limits) -> Batch:
    """The batch in which the solver of a backend of another puzzle is the contender; `limits` are
    of one trace.
    """
    formula = puzzles.get(Trace.puzzle)
    solver = tuple(with_solvers(choose(formula, [], {}), [str(contender.solver)]))
    return Batch(
        puzzle=formula.name,
        contenders=solver,
        seed=1,
        count=1,
        stop=1,
        size=1,
        limits=limits,
        thorough=True,
    )


def try_solver_behind(
    pool: Pool, batch: Batch, boards: Sequence[Instance], contender: BackendContender
) -> BatchResult:
    """The first trace of a backend on which its solver alone fails, if there is one; or why what it
    asks could not be noted: `ASKS_NOTHING` if it has called its solver on no board.

    The default solver is asked while traces are noted down; then the solver itself, whose models
    decide what is asked next.

    Args:
        batch: see `solver_batch`.
        boards: on which the backend fails.
    """
    broken, asks_it = "", False
    for board in dict.fromkeys(boards):
        for asked in (None, contender.solver):
            with pool.foreign_solver(contender, warm=False) as child:
                outcome = child.call(_texts, contender, board, asked, limits=batch.limits)
            broken = broken or ("" if outcome.ok else outcome.detail)
            texts: list[bytes] = outcome.value.split(b"\0") if outcome.ok and outcome.value else []
            asks_it = asks_it or (asked is not None and bool(texts))
            failing = try_boards(
                pool, batch, [puzzles.get(batch.puzzle).of_text(text.decode()) for text in texts]
            )
            if failing:
                return BatchResult(failing[:1], 0.0)
    return BatchResult([], 0.0, broken=broken or ("" if asks_it else ASKS_NOTHING))


def _texts(contender: BackendContender, board: Instance, solver: str | None) -> str:
    """The different traces, parted by null characters: nothing else crosses from a process in which
    foreign code runs.
    """
    traces = (
        trace
        for seed in range(_SEEDS)
        for trace in traces_of(contender.backend, board, Random(seed), solver, calls=_MAX_CALLS)
    )
    return "\0".join(dict.fromkeys(trace.text() for trace in traces))
