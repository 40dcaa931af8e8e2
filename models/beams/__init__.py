"""Beams as clauses and constraints.

`by_rules` (the backend `cnf`, the default) and `by_cpsat` (`cpsat`) state the rules: one variable
for each turret ("it is horizontal") and one for each channel, that is for each cell and direction
("a beam enters the cell in this direction"). `by_tracing` (`cnf-traced`) follows the beams first,
so that it needs variables for turrets only. To learn how an encoding is written, begin there.
"""

# Backends are listed in the order in which they are registered, the default first.
# isort: off
from models.beams.by_rules import encode as encode
from models.beams.by_rules import solve_rules as solve_rules
from models.beams.by_tracing import solve_traced as solve_traced
from models.beams.by_cpsat import solve_cpsat as solve_cpsat
