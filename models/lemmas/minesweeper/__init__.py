"""What Amb's write-up rests on: its closure marks only certain cells (`sound`). And what it claims too much (`exhaustive`).

At each clue, the closure draws implications between the covered cells around it. If one value of a cell implies the other, the cell
is marked. Then a new round begins with the marks known, until nothing changes.

The lemma `minesweeper-sound` is about a single clue and its neighbourhood. That the closure is sound on every board follows by
induction. Take any layout of mines that agrees with the clues of a board.

1. Before the first round, only given cells are marked, so every mark is true in the layout.
2. Let all marks be true when a round begins. The lemma assumes that known cells are as the layout has them. So by the lemma each
   implication that the round draws is true in the layout, and so is every chain of implications. If "a mine" implies "no mine" for
   a cell, the cell is no mine in the layout; and the other way round. So the marks of this round are true too.
3. So all marks are true after any number of rounds. The layout was arbitrary, so a marked cell is the same in all layouts.
"""

from models.lemmas.minesweeper import exhaustive, sound

LEMMAS = sound.LEMMAS + exhaustive.LEMMAS
