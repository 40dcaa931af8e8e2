"""Models that are wrong on purpose: each loses solutions, has too many, or has others, in a way
that a name in it says.
"""
