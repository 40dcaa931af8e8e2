"""A model that does not satisfy the formula is refused: a solver program is not believed."""

print("s SATISFIABLE\nv 0")
raise SystemExit(10)
