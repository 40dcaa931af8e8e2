"""SAT solvers: those of python-sat, programs, libraries, and how each is opened and named."""
