"""NoGo as clauses and constraints: each move is a search for the first point after which every
chain has a liberty.

`cnf`, `cnf-ranked` and `cpsat` state the rules of one move. They carry nothing over from one
position to the next, except stones, which stay where they are, and clauses that hold in all
positions. `cnf-monotone` and `cnf-onecall` also use that a move that is illegal once stays illegal.

The stones of a chain must not count each other as liberties. `cnf`, `cnf-monotone` and
`cnf-onecall` forbid a chain without liberty when it turns up (a cut). `cnf-ranked` and `cpsat` rank
the stones of a chain by their way to a liberty.

Each backend stands in a `by_NAME.py`. Begin with `legality`, the rules of one move, and
`by_cnf_ranked`.
"""
