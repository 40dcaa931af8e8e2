"""Fuzzing: seeded boards go to every contender, and a board on which something is wrong is
shrunk.
"""
