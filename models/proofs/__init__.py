"""Proofs of unsatisfiability: how they are checked, by our own check or by a program."""
