"""A cell, the directions in which light enters it, and the beams that do: what the lemmas about light have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from models.lemmas.beams import concrete
from models.lemmas.beams.symbolic import HEADINGS, TURRET, SymbolicBoard
from models.lemmas.lemma import Assignment, Counterexample, CounterexampleFormula
from models.lemmas.logic import true_index

WRITE_UP = 'a write-up of Luogu P5297, "2-SAT之完美塔防" (2-SAT: the perfect tower defence)'
CONTEST = "Code Jam 2017 Round 2 C, the contest's analysis"

Script = Callable[[], Iterator[list[int]]]


def crossing_formula(
    board: SymbolicBoard, cell: Sequence[int], headings: Sequence[Sequence[int]] = (), script: Script | None = None
) -> CounterexampleFormula:
    """The formula of a board and a chosen cell that light enters in chosen directions; the details are `cell` and `headings`."""

    def decode(model: Assignment) -> Counterexample:
        details = {
            "cell": divmod(true_index(model, cell), board.columns),
            "headings": tuple(HEADINGS[true_index(model, heading)] for heading in headings),
        }
        return Counterexample(board.read(model), details)

    return CounterexampleFormula(board.formula, decode, script, board.names())


def light_hits_nothing(board: SymbolicBoard, sources: Iterable[tuple[int, int]]) -> list[int]:
    """State that light from these sources meets no turret; returns for each channel "it is lit".

    A source is a literal and a channel: if the literal holds, the channel is lit.
    """
    light = board.fresh()
    for condition, channel in sources:
        board.formula.add(-condition, light[channel])
    board.follow(light)
    for channel, lit in enumerate(light):
        board.formula.add(-lit, -board.kind(board.entered[channel], TURRET))
    return light


def reversed_light(board: SymbolicBoard, light: Sequence[int]) -> list[int]:
    """For each channel, whether light runs through it in the opposite direction."""
    return [light[board.against(channel)] for channel in range(board.channels)]


def none_chosen(*choices: Sequence[int]) -> Iterator[list[int]]:
    """The end of a proof: no variable of the choices can be the chosen one, which is a contradiction."""
    for choice in choices:
        yield from ([-variable] for variable in choice)
    yield []


def beams_entering(example: Counterexample) -> Iterator[tuple[concrete.Beam, ...]]:
    """Every combination of beams that enter the counterexample's cell, one for each of its directions."""
    return product(
        *(concrete.crossing(example.rows, (example.details["cell"], heading)) for heading in example.details["headings"])
    )


def literals_failure(example: Counterexample) -> str:
    """How the cell is entered by beams that all belong to different literals, a literal being a turret with an orientation."""
    for sent in beams_entering(example):
        if len({(beam.turret, beam.orientation) for beam in sent}) == len(sent):
            return f"{', '.join(map(str, sent))} enter {concrete.name(example.details['cell'])}"
    return ""
