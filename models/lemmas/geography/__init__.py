"""What write-up 004 rests on: who starts on a cell that a maximum matching leaves out loses, for every move has a reply.

That a matching is maximum is stated by a tight cover: a set of cells with one end of every edge, each of them matched, no two to
each other. By König's theorem a matching of a grid has such a cover exactly where no other is larger.
"""

from models.lemmas.geography import certificates, matchings, strategy

LEMMAS = strategy.LEMMAS + certificates.LEMMAS + matchings.LEMMAS
