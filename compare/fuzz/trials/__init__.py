"""Trying contenders on boards: who solves in which process, and which faults show."""
