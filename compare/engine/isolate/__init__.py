"""Runs in processes of their own, under limits. Nothing in this room knows what a puzzle is."""
