"""What write-up 001 rests on: that its closure marks only what is certain; and what it claims too much.

The closure draws, at each clue, implications between the covered cells beside it; a cell whose one value implies the other is
marked, and everything is done again with the marks known, until nothing changes. That it is sound on every board follows from a
single clue and its neighbourhood, the lemma `minesweeper-sound`, by induction. Take any layout of the mines that agrees with the
clues of a board. (1) Before the first round nothing is marked but what was given, so every mark is true in the layout. (2) Let all
marks be true when a round begins. By the lemma each implication that the round draws is true in the layout, for the lemma takes
known cells to be as the layout has them; so is every chain of implications, truth being handed from link to link. A cell whose
being a mine implies that it is none is then none in the layout, and the other way round: the round's marks are true too. (3) So
they are after any number of rounds; and since the layout was any one, what is marked is so in all layouts.
"""

from models.lemmas.minesweeper import sound, swept

LEMMAS = sound.LEMMAS + swept.LEMMAS
