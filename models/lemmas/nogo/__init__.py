"""What the P4997 write-up rests on: a move that is illegal once stays illegal, and liberties may be counted once for each stone."""

from models.lemmas.nogo import liberties, permanence, positions

LEMMAS = permanence.LEMMAS + liberties.LEMMAS + positions.LEMMAS
