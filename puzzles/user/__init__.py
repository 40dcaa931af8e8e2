"""Users' puzzles: a Python file anywhere becomes a puzzle like the built-in ones, and what is wrong
in it becomes a message.
"""
