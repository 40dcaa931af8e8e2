"""`python -m tests.mutants [MODULE ...]`: how many defects, planted one at a time in the solvers,
the fuzz stream notices.

A share of the mutants of each module of `direct` and `models` is drawn with a seed. Each is put to
the first boards of the fuzz stream of its puzzle; every answer is certified and checked, and then
all boards are tried once more as a plain `compare fuzz` does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tabulate import tabulate
from tqdm import tqdm

from tests.mutants.fates import Fate, State, drawn, fates, plain_kernels
from tests.mutants.known import EQUAL, Results, killed, record
from tests.mutants.reach import NotMeasurable
from tests.mutants.streams import modules, streams


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").split("\n\n")[1]
    )
    parser.add_argument(
        "module",
        nargs="*",
        metavar="MODULE",
        help="such as direct.beams.by_two_sat, or direct for all of it (default: all)",
    )
    for name, default, metavar, what in (
        ("--boards", 2000, "N", "boards of each stream (default: 2,000)"),
        ("--seed", 1, "S", "of the boards and of the drawing (default: 1)"),
        ("--most", None, "N", "mutants that are drawn a module (default: all)"),
        ("--jobs", 1, "J", "processes (default: 1)"),
        ("--glance", None, "N", "find out on N boards only what executes what"),
    ):
        parser.add_argument(name, type=int, default=default, metavar=metavar, help=what)
    parser.add_argument(
        "--share",
        default="1/1",
        metavar="K/M",
        help="only the K-th of M equal parts of the mutants",
    )
    parser.add_argument(
        "--survivors", action="store_true", help="only mutants that are not recorded as killed"
    )
    parser.add_argument(
        "--results",
        metavar="FILE",
        help="keep what became of each mutant, and go on with what the file lacks",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="keep the killed ones; `test_share.py` sees them killed again",
    )
    options = parser.parse_args(words)
    plain_kernels()
    every = modules()
    chosen = [
        name
        for name in every
        if not options.module or any(f"{name}.".startswith(f"{each}.") for each in options.module)
    ]
    if not chosen:
        parser.error(f"no module is called {' or '.join(options.module)}")
    part, parts = map(int, options.share.split("/"))
    mutants = [mutant for name in chosen for mutant in drawn(name, options.most, options.seed)][
        part - 1 :: parts
    ]
    if options.survivors:
        known = {name: killed(name) for name in chosen}
        mutants = [mutant for mutant in mutants if mutant.key not in known[mutant.module]]
    results = Results(options.results, options.boards)
    untried = results.open(mutants)
    with tqdm(total=len(untried), unit="mutant", disable=None, leave=False) as bar:

        def keep(fate: Fate) -> None:
            bar.update()
            results.add(fate)
            if fate.state is not State.KILLED:
                tqdm.write(described(fate))
                sys.stdout.flush()

        with_open = list(dict.fromkeys(mutant.module for mutant in untried))
        try:
            fates(
                untried,
                streams(with_open, options.seed, options.boards, options.glance),
                options.jobs,
                keep,
            )
        except NotMeasurable as reason:
            parser.exit(2, f"{reason}\n")
    ended = results.fates(mutants)
    print(table(ended))
    if options.record:
        record(ended)
    return 0


def described(fate: Fate) -> str:
    """A mutant that was not killed: where it is, and its change as a diff of one line."""
    mutant = fate.mutant
    reason = EQUAL.get(mutant.module, {}).get(mutant.key, "")
    reached = f", {fate.boards} boards reach it" if fate.state is State.SURVIVED else ""
    why = f"; equal: {reason}" if reason else ""
    return (
        f"{fate.state} {mutant.module}:{mutant.line} {mutant.key!r}{reached}{why}\n  - "
        f"{mutant.old}\n  + {mutant.new}"
    )


def table(ended: Sequence[Fate]) -> str:
    """By module, what became of the mutants, and how they were killed; `equal` are those that
    nothing can tell apart.
    """
    rows: list[list[object]] = []
    for module in [*dict.fromkeys(fate.mutant.module for fate in ended), "all"]:
        own = [fate for fate in ended if module in ("all", fate.mutant.module)]
        states = Counter(
            "equal"
            if fate.state is not State.KILLED
            and fate.mutant.key in EQUAL.get(fate.mutant.module, {})
            else fate.state
            for fate in own
        )
        by = Counter(fate.by for fate in own if fate.state is State.KILLED)
        how = ", ".join(f"{number} {kind}" for kind, number in by.most_common())
        rows.append(
            [
                module,
                len(own),
                states[State.KILLED],
                states["equal"],
                states[State.SURVIVED],
                states[State.UNREACHED],
                how,
            ]
        )
    return tabulate(
        rows,
        ["module", "mutants", "killed", "equal", "survived", "unreached", "killed by"],
        tablefmt="pipe",
    )


if __name__ == "__main__":
    sys.exit(main())
