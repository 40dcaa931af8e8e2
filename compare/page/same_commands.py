"""What one types to get the same without the page: a command for the shell, and lines of Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote

from compare.work.contenders import BackendContender, Contender
from puzzles.puzzle import Puzzle


def input_file(puzzle_name: str) -> str:
    """The file that the commands read; the page saves the board under this name."""
    return f"{puzzle_name}.in"


def formula_file(puzzle_name: str) -> str:
    """The file that the command writes; the page saves the formula under this name."""
    return f"{puzzle_name}.cnf"


def run_command(puzzle: Puzzle, contenders: Iterable[Contender], programs: Mapping[str, str], format: str | None = None) -> str:
    """The command that runs these contenders on the board: one line, or one for each SAT solver that somebody chose.

    Args:
        programs: the NAME=COMMAND of each program of one's own, by its name. The first line runs them.
    """
    by_solver: dict[str | None, list[BackendContender]] = {}
    chosen_programs: list[str] = []
    for each in contenders:
        if not isinstance(each, BackendContender):
            chosen_programs += ["--program", programs[each.name]]
            continue
        by_solver.setdefault(each.solver if each.tests_solver else None, []).append(each)
    chosen = [solver for solver in by_solver if solver is not None]
    if len(chosen) == 1 and all(each.solver is None for each in by_solver.get(None, [])):
        by_solver = {chosen[0]: [*by_solver.pop(None, []), *by_solver[chosen[0]]]}
    lines: list[str] = []
    for solver, group in by_solver.items() or [(None, [])]:
        words = ["python", "-m", "compare", "run", puzzle.home.argument, input_file(puzzle.name)]
        words += [word for each in group for word in ("-b", f"{each.side}:{each.backend_name}")]
        words += chosen_programs if not lines else []
        words += ["--solver", solver] if solver is not None else []
        words += ["--answers", format] if format is not None else []
        lines.append(" ".join(map(quote, words)))
    return "\n".join(lines)


def formula_command(puzzle: Puzzle, contender: BackendContender) -> str:
    """The command that writes the formula of a backend."""
    words = ["python", "-m", "models", puzzle.home.argument, input_file(puzzle.name)]
    words += ["--backend", contender.backend_name, "--dimacs", formula_file(puzzle.name)]
    return " ".join(map(quote, words))


def python_lines(puzzle: Puzzle, contenders: Iterable[Contender]) -> str:
    """Lines of Python that print the answer of each backend."""
    chosen = [each for each in contenders if isinstance(each, BackendContender)]
    sides = ", ".join(dict.fromkeys(each.side for each in chosen))
    reading = f'parse(open("{input_file(puzzle.name)}").read())[0]'
    if puzzle.home.user_file is None:
        lines = [f"from puzzles import {puzzle.name}", f"import {sides}", f"board = {puzzle.name}.{reading}"]
    else:
        lines = [
            f"import puzzles, {sides}",
            f"puzzle = puzzles.find({puzzle.home.argument!r})",
            f"board = puzzle.{reading}",
        ]
    for each in chosen:
        solver = f", solver={each.solver!r}" if each.tests_solver else ""
        lines.append(f"print({each.side}.solve(board, backend={each.backend_name!r}{solver}))")
    return "\n".join(lines) + "\n"
