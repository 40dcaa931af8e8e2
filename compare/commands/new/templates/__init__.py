"""Puzzles to begin with: `compare new` writes a copy under a name of the user's own.

No module imports them.
"""
