"""What the algorithms for beams rest on, and what they must not rest on."""

from models.lemmas.beams import greedy, meetings

LEMMAS = meetings.LEMMAS + greedy.LEMMAS
