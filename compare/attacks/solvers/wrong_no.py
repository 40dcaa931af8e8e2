"""A solver program that calls every formula unsatisfiable gets nothing PROVED."""

print("s UNSATISFIABLE")
raise SystemExit(20)
