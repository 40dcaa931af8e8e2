"""Whether two models of a puzzle say the same: their solutions, board by board, on the names that
both have.
"""
