"""Geography by SAT, LP and CP solvers: a matching, and the proof that it decides the game.

Each backend stands in a `by_NAME.py`. Begin with `graph`, which all of them use, and
`by_cnf_cover`.
"""
