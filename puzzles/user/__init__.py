"""Puzzles of users: a Python file anywhere becomes a puzzle like ours, and what is wrong in it
becomes a message.
"""
