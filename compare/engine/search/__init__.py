"""Instances are tried in batches, and one on which somebody fails is made smaller."""
