"""A campaign: datasets and contenders become tasks, tasks become records, and records become one
comparison.
"""
