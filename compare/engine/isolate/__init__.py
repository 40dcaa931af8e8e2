"""Runs in processes of their own, under limits. Nothing in this folder knows what a puzzle is."""
