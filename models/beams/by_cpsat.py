"""Beams as CP-SAT constraints: the variables and rules of `cnf`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from models.beams.geometry import ENTERS, HORIZONTAL, channels_of, is_turret, turn_turrets
from models.cpsat import WORKERS, CpSatEncoding, CpSatModel
from models.stopwatch import Stopwatch
from puzzles.backend import backend
from puzzles.beams.board import Beams, Layout


def encode(board: Beams) -> CpSatEncoding:
    """The model with the names that the variables have in `cnf`."""
    model = CpSatModel()
    horizontal, beam = _build(board, model)
    turrets, inside = np.flatnonzero(is_turret(board.grid)), np.flatnonzero(board.grid != ord("#"))
    names = [
        (variable, HORIZONTAL.format(board.place(cell)))
        for variable, cell in zip(horizontal, turrets.tolist(), strict=True)
    ]
    for number, variable in enumerate(beam):
        cell, direction = divmod(number, 4)
        names.append((variable, ENTERS[direction].format(board.place(int(inside[cell])))))
    return CpSatEncoding(model.cp, names)


@backend(
    "beams",
    "cpsat",
    side="models",
    source="the rules of Code Jam 2017 Round 2 C as CP-SAT constraints",
    options={"workers": WORKERS},
    limit=2500,
    requires=("ortools",),
    slow=True,
    encode=encode,
)
def solve(board: Beams, *, certify: bool = False, workers: int = 1) -> Layout:
    """It has the variables of `cnf`: which way each turret stands, and where light goes. The rules
    are constraints on them. CP-SAT searches for values that satisfy all of them.
    """
    watch, model = Stopwatch(), CpSatModel(workers=workers)
    horizontal, _ = _build(board, model)
    watch.start_solving(*model.size)
    possible = model.solve()
    watch.add_steps(*model.steps)
    if possible:
        values = np.array([model.value(turret) for turret in horizontal], np.bool_)
        return Layout(True, turn_turrets(board, values), effort=watch.effort(*model.size))
    answer = Layout(False, effort=watch.effort(*model.size))

    def certify_layout() -> Layout:
        grouped = CpSatModel(grouped=True)
        _build(board, grouped)
        return replace(
            answer, certificate=None if grouped.solve() else grouped.core_groups() or None
        )

    return certify_layout() if certify else answer.later(certify_layout)


def _build(board: Beams, model: CpSatModel) -> tuple[list[Any], list[Any]]:
    """State the rules in an empty model; returns the variables of the turrets ("it is horizontal")
    and of the channels.
    """
    channels, cp = channels_of(board.grid), model.cp
    horizontal = model.variables(channels.turrets.size, "h")
    beam = model.variables(channels.total, "b")
    # No light comes out of a wall, over the edge, or from itself.
    for channel in np.concatenate([channels.dark, channels.circular]).tolist():
        cp.add_bool_and(~beam[channel])
    # Light passes open cells and mirrors.
    for channel, before in channels.passed.tolist():
        cp.add(beam[channel] == beam[before])
    # A turret shoots along its axis.
    for channel, turret, level in channels.shot.tolist():
        cp.add(beam[channel] == (horizontal[turret] if level else ~horizontal[turret]))
    # No turret is hit.
    for cell, four in zip(channels.turrets.tolist(), channels.into_turret.tolist(), strict=True):
        model.add_to_group(cell, cp.add_bool_and([~beam[channel] for channel in four]))
    # Every open cell is lit.
    for cell, four in zip(channels.open.tolist(), channels.into_open.tolist(), strict=True):
        model.add_to_group(cell, cp.add_bool_or([beam[channel] for channel in four]))
    return horizontal, beam
