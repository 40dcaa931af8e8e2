"""Plain brute forces, straight from the rules: what the tests of several folders compare with.

They use nothing of the project, and try everything: they are for tiny boards. A board is a sequence
of rows, a cell is its row and column, counted from 0.
"""
