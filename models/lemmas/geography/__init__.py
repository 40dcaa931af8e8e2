"""Who starts on a cell that some maximum matching leaves exposed loses, because every move has a reply.

A formula states that a matching is maximum by a *tight cover*. That is a set of cells which holds at least one end of every edge;
each of its cells is matched, and no two of them to each other. By König's theorem a matching of a grid has a tight cover if and
only if it is maximum.
"""

from models.lemmas.geography import certificates, matchings, pairing_strategy

LEMMAS = pairing_strategy.LEMMAS + certificates.LEMMAS + matchings.LEMMAS
