"""Beams as clauses and constraints. Each backend stands in a `by_NAME.py`.

`by_cnf` and `by_cpsat` state the rules: one variable for each turret ("it is horizontal") and one
for each channel, that is for each cell and direction ("a beam enters the cell in this direction").
`by_cnf_traced` follows the beams first, so that it needs variables for turrets only. To learn how
an encoding is written, begin there.
"""
