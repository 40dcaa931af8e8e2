"""What the algorithms for beams rest on (`reversal`, `greedy`), and what they must not rest on (`overclaims`)."""

from models.lemmas.beams import greedy, overclaims, reversal

LEMMAS = reversal.LEMMAS + overclaims.LEMMAS + greedy.LEMMAS
