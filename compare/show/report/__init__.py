"""Pages that are kept as one file: the report of a comparison with its plots and drawings, and that
of a trial of SAT solvers.
"""
